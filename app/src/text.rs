//! Short texts that several views share.

use topology::shape::{Coord, Shape};

/// A shape with times signs: "8×8×16".
pub fn shape(shape: Shape) -> String {
    shape.to_string().replace('x', "×")
}

/// A cube coordinate with dots: "2·1·3".
pub fn cube(at: Coord) -> String {
    format!("{}·{}·{}", at.x, at.y, at.z)
}

/// What follows the first word: "2·1·3" of "Cube 2·1·3".
pub fn after_word(name: &str) -> String {
    name.split_once(' ').map_or(name, |(_, rest)| rest).to_owned()
}

/// "1 chip", "2 chips", with the count in full.
pub fn n_of(n: usize, word: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {word}{s}", widgets::format::count(n as u64))
}
