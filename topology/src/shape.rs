//! Shapes of tori and meshes, and coordinates inside them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// One of the up to three axes of a pod or slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Axis {
    /// The first, fastest-running axis.
    X,
    /// The second axis.
    Y,
    /// The third axis; two-dimensional shapes have none.
    Z,
}

impl Axis {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// 0, 1 or 2.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// "x", "y" or "z".
    pub const fn name(self) -> &'static str {
        ["x", "y", "z"][self as usize]
    }
}

/// Position of a chip, counted from 0 along each axis; `z` is 0 in two-dimensional shapes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "[u16; 3]", into = "[u16; 3]")]
pub struct Coord {
    /// Along the first axis.
    pub x: u16,
    /// Along the second axis.
    pub y: u16,
    /// Along the third axis.
    pub z: u16,
}

impl Coord {
    /// From its three numbers.
    pub const fn new(x: u16, y: u16, z: u16) -> Self {
        Self { x, y, z }
    }

    /// The number along one axis.
    pub const fn along(self, axis: Axis) -> u16 {
        match axis {
            Axis::X => self.x,
            Axis::Y => self.y,
            Axis::Z => self.z,
        }
    }
}

impl From<[u16; 3]> for Coord {
    fn from([x, y, z]: [u16; 3]) -> Self {
        Self { x, y, z }
    }
}
impl From<Coord> for [u16; 3] {
    fn from(c: Coord) -> Self {
        [c.x, c.y, c.z]
    }
}

impl fmt::Display for Coord {
    /// "9 5 13", as chips are written everywhere in Podium.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.x, self.y, self.z)
    }
}

/// Why a text is not a coordinate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is not a chip: write two or three numbers with blanks or commas between them, such as 3,5,13")]
pub struct BadCoord {
    /// The text, shortened where it is long.
    pub text: String,
}

impl FromStr for Coord {
    type Err = BadCoord;

    /// Reads "9 5 13", "9,5,13" or "(9, 5, 13)"; two numbers are the first two.
    fn from_str(text: &str) -> Result<Self, BadCoord> {
        let bad = || BadCoord { text: text.chars().take(40).collect() };
        let inside = text.trim();
        let inside = inside.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(inside);
        let parts = inside.split(|c: char| c == ',' || c.is_whitespace()).filter(|part| !part.is_empty());
        let numbers: Vec<u16> = parts.map(|part| part.parse().ok()).collect::<Option<_>>().ok_or_else(bad)?;
        match *numbers {
            [x, y] => Ok(Self::new(x, y, 0)),
            [x, y, z] => Ok(Self::new(x, y, z)),
            _ => Err(bad()),
        }
    }
}

/// Sizes along two or three axes, each at least 1, in chips (or in cubes where a name says so).
///
/// Written `4x4x8`. A two-dimensional shape has a third size of 1 that is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shape {
    sizes: [u16; 3],
    rank: u8,
}

/// Why a text is not a shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is not a shape: {reason} at character {position}; write sizes joined by x, such as 4x4x8")]
pub struct BadShape {
    /// The text, shortened where it is long.
    pub text: String,
    /// What is wrong.
    pub reason: &'static str,
    /// Where, counted in characters from 1.
    pub position: usize,
}

impl Shape {
    /// A two-dimensional shape.
    ///
    /// # Panics
    /// If a size is 0.
    pub const fn flat(x: u16, y: u16) -> Self {
        assert!(x > 0 && y > 0, "a size is at least 1");
        Self { sizes: [x, y, 1], rank: 2 }
    }

    /// A three-dimensional shape.
    ///
    /// # Panics
    /// If a size is 0.
    pub const fn solid(x: u16, y: u16, z: u16) -> Self {
        assert!(x > 0 && y > 0 && z > 0, "a size is at least 1");
        Self { sizes: [x, y, z], rank: 3 }
    }

    /// From two or three sizes; `None` for another number of them or a size of 0.
    pub fn from_sizes(sizes: &[u16]) -> Option<Self> {
        match *sizes {
            [x, y] if x > 0 && y > 0 => Some(Self::flat(x, y)),
            [x, y, z] if x > 0 && y > 0 && z > 0 => Some(Self::solid(x, y, z)),
            _ => None,
        }
    }

    /// Two or three sizes.
    pub fn sizes(&self) -> &[u16] {
        &self.sizes[..usize::from(self.rank)]
    }

    /// Always three sizes; the third is 1 in a two-dimensional shape.
    pub const fn sizes3(self) -> [u16; 3] {
        self.sizes
    }

    /// Number of axes: 2 or 3.
    pub const fn rank(self) -> usize {
        self.rank as usize
    }

    /// The axes that the shape has.
    pub fn axes(self) -> &'static [Axis] {
        &Axis::ALL[..self.rank()]
    }

    /// Size along an axis; 1 along an axis that the shape does not have.
    pub const fn along(self, axis: Axis) -> u16 {
        self.sizes[axis as usize]
    }

    /// Number of places.
    pub const fn n_chips(self) -> usize {
        self.sizes[0] as usize * self.sizes[1] as usize * self.sizes[2] as usize
    }

    /// Whether the coordinate lies inside.
    pub const fn contains(self, c: Coord) -> bool {
        c.x < self.sizes[0] && c.y < self.sizes[1] && c.z < self.sizes[2]
    }

    /// Row-major index with x fastest, which is also the device order of the TPU runtime.
    ///
    /// # Panics
    /// If the coordinate lies outside.
    pub const fn index_of(self, c: Coord) -> usize {
        assert!(self.contains(c), "the coordinate lies inside the shape");
        c.x as usize + self.sizes[0] as usize * (c.y as usize + self.sizes[1] as usize * c.z as usize)
    }

    /// The coordinate of a row-major index.
    ///
    /// # Panics
    /// If the index is not below [`Self::n_chips`].
    pub const fn coord_of(self, index: usize) -> Coord {
        assert!(index < self.n_chips(), "the index lies inside the shape");
        let (x, y) = (self.sizes[0] as usize, self.sizes[1] as usize);
        Coord::new((index % x) as u16, (index / x % y) as u16, (index / (x * y)) as u16)
    }

    /// All coordinates in row-major order.
    pub fn coords(self) -> impl Iterator<Item = Coord> {
        (0..self.n_chips()).map(move |i| self.coord_of(i))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.sizes[0], self.sizes[1])?;
        if self.rank == 3 {
            write!(f, "x{}", self.sizes[2])?;
        }
        Ok(())
    }
}

impl FromStr for Shape {
    type Err = BadShape;

    fn from_str(text: &str) -> Result<Self, BadShape> {
        let bad = |reason, position| BadShape { text: text.chars().take(40).collect(), reason, position };
        let mut sizes = Vec::with_capacity(3);
        let mut position = 1;
        for part in text.split(['x', 'X', '×']) {
            let digits = part.trim();
            position += part.chars().take_while(|c| c.is_whitespace()).count();
            if sizes.len() == 3 {
                return Err(bad("a shape has two or three sizes", position));
            }
            if digits.is_empty() {
                return Err(bad("a size is missing", position));
            }
            if let Some(at) = digits.chars().position(|c| !c.is_ascii_digit()) {
                return Err(bad("a size holds something other than digits", position + at));
            }
            let size = digits.parse::<u16>().ok().filter(|size| (1..=4096).contains(size));
            sizes.push(size.ok_or_else(|| bad("a size must lie between 1 and 4096", position))?);
            position += part.trim_start().chars().count() + 1;
        }
        Self::from_sizes(&sizes).ok_or_else(|| bad("a shape has two or three sizes", 1))
    }
}

impl TryFrom<String> for Shape {
    type Error = BadShape;
    fn try_from(text: String) -> Result<Self, BadShape> {
        text.parse()
    }
}
impl From<Shape> for String {
    fn from(shape: Shape) -> Self {
        shape.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_coordinate_are_inverse() {
        for shape in [Shape::flat(4, 8), Shape::solid(4, 8, 3)] {
            for (i, c) in shape.coords().enumerate() {
                assert_eq!(shape.index_of(c), i);
            }
        }
    }

    #[test]
    fn reads_what_it_writes_and_says_where_a_text_is_wrong() {
        assert_eq!("8x8x16".parse::<Shape>().unwrap().to_string(), "8x8x16");
        assert_eq!("16×16".parse::<Shape>().unwrap(), Shape::flat(16, 16));
        for (text, position) in [("", 1), ("4x", 3), ("4xa", 3), ("4x4x0", 5), ("4", 1), ("1x1x1x1", 7), ("99999x1", 1)]
        {
            assert_eq!(text.parse::<Shape>().unwrap_err().position, position, "{text}");
        }
    }

    #[test]
    fn a_chip_is_read_in_every_usual_spelling() {
        for text in ["9 5 13", "9,5,13", "(9, 5, 13)", " 9, 5  13 "] {
            assert_eq!(text.parse::<Coord>(), Ok(Coord::new(9, 5, 13)), "{text}");
        }
        assert_eq!("3,4".parse::<Coord>(), Ok(Coord::new(3, 4, 0)));
        for text in ["", "1", "1,2,3,4", "1,-2", "a,b", "70000,1", "(1,2"] {
            assert!(text.parse::<Coord>().is_err(), "{text}");
        }
    }
}
