//! Components: how they are written, and of which chips and links they consist.

use std::fmt;
use std::str::FromStr;

use crate::fleet::{CUBE_SIDE, Component};
use crate::name::host_block;
use crate::shape::{Axis, Coord, Shape};
use crate::torus::Link;

/// Chips of the hosts of multi-host slices: four on every generation that is known.
const HOST_CHIPS: u32 = 4;

/// Why a text is not a component.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{text}\" is not a component: write chip:1,2,3, host:0,0,0, cube:0,1,0, link:1,2,3:x (the link from that chip \
     towards larger x) or ocs:x:1,2 (the optical switch of x at that place of the cubes' faces)"
)]
pub struct BadComponent {
    /// The text, shortened where it is long.
    pub text: String,
}

impl fmt::Display for Component {
    /// "chip 1 2 3", "link 1 2 3 x", "switch x 1 2"; [`FromStr`] reads it back.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chip(chip) => write!(f, "chip {chip}"),
            Self::Host(chip) => write!(f, "host {chip}"),
            Self::Cube(cube) => write!(f, "cube {cube}"),
            Self::Link(chip, axis) => write!(f, "link {chip} {}", axis.name()),
            Self::Switch(axis, i, j) => write!(f, "switch {} {i} {j}", axis.name()),
        }
    }
}

impl FromStr for Component {
    type Err = BadComponent;

    /// Reads "chip:1,2,3", "host:0,0,0", "cube:0,1,0", "link:1,2,3:x" and "ocs:x:1,2"; blanks may stand for the colons
    /// and the commas, and "switch" for "ocs".
    fn from_str(text: &str) -> Result<Self, BadComponent> {
        Self::read(text).ok_or_else(|| BadComponent { text: text.chars().take(40).collect() })
    }
}

impl Component {
    fn read(text: &str) -> Option<Self> {
        let (kind, place) = text.trim().split_once([':', ' '])?;
        let place = place.trim();
        let is_separator = |c: char| matches!(c, ',' | ':') || c.is_whitespace();
        Some(match kind {
            "chip" => Self::Chip(place.parse().ok()?),
            "host" => Self::Host(place.parse().ok()?),
            "cube" => Self::Cube(place.parse().ok()?),
            "link" => {
                let (chip, axis) = place.rsplit_once(is_separator)?;
                Self::Link(chip.trim_end_matches(is_separator).parse().ok()?, axis_named(axis)?)
            }
            "ocs" | "switch" => {
                let parts: Vec<&str> = place.split(is_separator).filter(|part| !part.is_empty()).collect();
                let [axis, i, j] = parts[..] else { return None };
                Self::Switch(axis_named(axis)?, i.parse().ok()?, j.parse().ok()?)
            }
            _ => return None,
        })
    }

    /// The chips that it consists of, in row-major order, those outside the lattice left out; none for links and
    /// switches. A host has 2x2x1 chips.
    pub fn chips(self, lattice: Shape) -> impl Iterator<Item = Coord> {
        let host = host_block(HOST_CHIPS).unwrap_or(Shape::solid(1, 1, 1));
        let (corner, size) = match self {
            Self::Chip(chip) => (Some(chip), Shape::solid(1, 1, 1)),
            Self::Host(chip) => (Some(chip), host),
            Self::Cube(cube) => (first_chip(cube), Shape::solid(CUBE_SIDE, CUBE_SIDE, CUBE_SIDE)),
            Self::Link(..) | Self::Switch(..) => (None, Shape::solid(1, 1, 1)),
        };
        let place = move |chip: Coord| {
            let corner = corner?;
            let along = |axis| corner.along(axis).checked_add(chip.along(axis));
            let chip = Coord::new(along(Axis::X)?, along(Axis::Y)?, along(Axis::Z)?);
            lattice.contains(chip).then_some(chip)
        };
        size.coords().filter_map(place)
    }

    /// The links that it is or carries, by the chips of a lattice from which they go in the positive direction; none
    /// for chips, hosts and cubes.
    ///
    /// An optical switch of an axis at a place (i, j) of the cubes' faces carries, for every cube, the link that leaves
    /// it there in the positive direction: opposite faces of a cube go to the same switch (Jouppi et al., "TPU v4",
    /// ISCA 2023, section 2.2). i and j count along the two other axes in order.
    pub fn links(self, lattice: Shape) -> Vec<Link> {
        match self {
            Self::Link(from, axis) if lattice.contains(from) => vec![Link { from, axis }],
            Self::Switch(axis, i, j) => {
                let leaves = |chip: &Coord| leaves_cube_at(*chip, axis, [i, j]);
                lattice.coords().filter(leaves).map(|from| Link { from, axis }).collect()
            }
            Self::Link(..) | Self::Chip(_) | Self::Host(_) | Self::Cube(_) => Vec::new(),
        }
    }
}

fn axis_named(text: &str) -> Option<Axis> {
    let name = text.strip_prefix('+').unwrap_or(text);
    Axis::ALL.into_iter().find(|axis| axis.name().eq_ignore_ascii_case(name))
}

/// The chip of a cube with the smallest coordinates; `None` if no coordinate is that large.
fn first_chip(cube: Coord) -> Option<Coord> {
    let along = |axis| cube.along(axis).checked_mul(CUBE_SIDE);
    Some(Coord::new(along(Axis::X)?, along(Axis::Y)?, along(Axis::Z)?))
}

/// Whether the positive link of a chip along an axis leaves its cube at a place of the face.
fn leaves_cube_at(chip: Coord, axis: Axis, face: [u8; 2]) -> bool {
    let inside = |axis| chip.along(axis) % CUBE_SIDE;
    let others = Axis::ALL.into_iter().filter(|other| *other != axis);
    inside(axis) == CUBE_SIDE - 1 && others.zip(face).all(|(other, place)| inside(other) == u16::from(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_read_as_it_is_written_and_as_one_types_it() {
        let chip = Coord::new(1, 2, 3);
        let components = [
            (Component::Chip(chip), "chip:1,2,3"),
            (Component::Host(chip), "host:1,2,3"),
            (Component::Cube(chip), "cube:(1, 2, 3)"),
            (Component::Link(chip, Axis::Y), "link:1,2,3:+Y"),
            (Component::Switch(Axis::Z, 0, 3), "ocs:z,0,3"),
        ];
        for (component, typed) in components {
            assert_eq!(typed.parse(), Ok(component));
            assert_eq!(component.to_string().parse(), Ok(component));
        }
        for text in
            ["", "chip", "chip:", "chip:1", "link:1,2,3", "link:1,2,3,-x", "ocs:x,1", "ocs:x,1,2,3", "disk:1,2,3"]
        {
            assert!(text.parse::<Component>().is_err(), "{text}");
        }
    }

    #[test]
    fn there_are_forty_eight_switches_that_carry_every_link_between_cubes_once() {
        // ISCA 2023, section 2.2: 6 faces of 16 links, two of them to each switch, are 48 switches.
        let lattice = Shape::solid(8, 4, 4);
        let mut carried = Vec::new();
        for axis in Axis::ALL {
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                carried.extend(Component::Switch(axis, i, j).links(lattice));
            }
        }
        assert_eq!(carried.len(), 2 * 48, "two cubes");
        carried.sort_unstable();
        carried.dedup();
        assert_eq!(carried.len(), 2 * 48);
    }
}
