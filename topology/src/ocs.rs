//! Optical circuit switches: which cube is joined to which, and how a slice of any cubes becomes a torus.
//!
//! A cube has 4x4 links on each of its six faces. Opposite faces go to the same switch, so there is one switch for each
//! axis and place on a face, 48 in all, and every cube has two ports on each: one for its face at the large end of the
//! axis and one for that at the small end (Jouppi et al., "TPU v4", ISCA 2023, section 2.2). What a switch does is a
//! partial permutation of cubes: it joins the large end of one cube to the small end of another, or of the same. Hence
//! any cube may follow any other, a hop never changes the place on the face, and a twist moves by whole cubes.
//!
//! How the ports of a real switch are numbered is not published; ports are named by cube and end here.

use std::collections::{BTreeMap, BTreeSet};

use crate::fleet::{CUBE_SIDE, Component, Pod, Slice, SliceId};
use crate::occupancy::{Layout, cube_of};
use crate::shape::{Axis, Coord, Shape};
use crate::torus::{Sign, Torus};

/// Number of switches: one for each of three axes and 4x4 places on a face.
pub const N_SWITCHES: usize = 48;

/// One optical circuit switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Switch {
    /// The axis whose links it carries.
    pub axis: Axis,
    /// The place on the cubes' faces, along the two other axes in order; each number is below 4.
    pub face: [u8; 2],
}

/// One port of a switch: an end of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Port {
    /// The cube, in the lattice of cubes of its pod.
    pub cube: Coord,
    /// Which end of the cube along the switch's axis.
    pub end: Sign,
}

impl Switch {
    /// All 48, by axis and then by place.
    pub fn all() -> impl Iterator<Item = Self> {
        let side = 0..CUBE_SIDE as u8;
        let faces = side.clone().flat_map(move |i| side.clone().map(move |j| [i, j]));
        Axis::ALL.into_iter().flat_map(move |axis| faces.clone().map(move |face| Self { axis, face }))
    }

    /// The switch to which a chip's link in a direction goes; `None` for a link inside its cube.
    pub fn of_link(chip: Coord, axis: Axis, sign: Sign) -> Option<Self> {
        let edge = if sign == Sign::Plus { CUBE_SIDE - 1 } else { 0 };
        let mut others = Axis::ALL.into_iter().filter(|other| *other != axis);
        let mut place = || others.next().map(|other| (chip.along(other) % CUBE_SIDE) as u8);
        let face = [place()?, place()?];
        (chip.along(axis) % CUBE_SIDE == edge).then_some(Self { axis, face })
    }

    /// The chip whose link ends at a port; `None` if no coordinate is that large.
    pub fn chip_at(self, port: Port) -> Option<Coord> {
        let mut face = self.face.into_iter().map(u16::from);
        let mut chip = [0; 3];
        for axis in Axis::ALL {
            let inside = match (axis == self.axis, port.end) {
                (true, Sign::Plus) => CUBE_SIDE - 1,
                (true, Sign::Minus) => 0,
                (false, _) => face.next()?,
            };
            chip[axis.index()] = port.cube.along(axis).checked_mul(CUBE_SIDE)?.checked_add(inside)?;
        }
        Some(chip.into())
    }

    /// It as something that can fail.
    pub const fn component(self) -> Component {
        Component::Switch(self.axis, self.face[0], self.face[1])
    }

    /// Ports that so many cubes need on each switch: 128 for the 64 cubes of a v4 pod, 288 for the 144 of tpu7x.
    pub const fn n_ports(n_cubes: usize) -> usize {
        2 * n_cubes
    }
}

/// Why cubes cannot be joined to a torus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadWiring {
    /// The torus is not made of cubes, or not twisted by whole ones.
    #[error("{0} is not made of whole cubes of 4x4x4")]
    NotWholeCubes(Shape),
    /// Too few or too many cubes.
    #[error("{shape} needs {needs} cubes, has {has}")]
    Count {
        /// The shape.
        shape: Shape,
        /// Its cubes.
        needs: usize,
        /// The cubes that were given.
        has: usize,
    },
    /// A cube was given twice.
    #[error("cube {0} is there twice")]
    Twice(Coord),
}

/// How the switches join the cubes of one slice; all 16 switches of an axis do the same.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wiring {
    /// For each axis, the cube whose small end follows the large end of a cube.
    joins: [BTreeMap<Coord, Coord>; 3],
}

impl Wiring {
    /// Of cubes anywhere on a pod, in row-major order of the slice's own lattice of cubes.
    ///
    /// # Errors
    /// If the torus does not wrap on all axes, is not made of whole cubes, or the cubes are not as many different ones.
    pub fn of(torus: &Torus, cubes: &[Coord]) -> Result<Self, BadWiring> {
        let shape = torus.shape();
        let whole = shape.rank() == 3 && shape.sizes().iter().all(|size| size.is_multiple_of(CUBE_SIDE));
        if !whole || torus.wrap() != [true; 3] {
            return Err(BadWiring::NotWholeCubes(shape));
        }
        let [x, y, z] = shape.sizes3().map(|size| size / CUBE_SIDE);
        let lattice = Shape::solid(x, y, z);
        if cubes.len() != lattice.n_chips() {
            return Err(BadWiring::Count { shape, needs: lattice.n_chips(), has: cubes.len() });
        }
        let mut seen = BTreeSet::new();
        if let Some(cube) = cubes.iter().find(|cube| !seen.insert(**cube)) {
            return Err(BadWiring::Twice(*cube));
        }
        let mut wiring = Self::default();
        for (own, cube) in lattice.coords().zip(cubes) {
            for switch in Switch::all().filter(|switch| switch.face == [0; 2]) {
                let leaves = switch.chip_at(Port { cube: own, end: Sign::Plus });
                let step = leaves.and_then(|chip| torus.step(chip, switch.axis, Sign::Plus));
                let step = step.ok_or(BadWiring::NotWholeCubes(shape))?;
                if Switch::of_link(step.to, switch.axis, Sign::Minus) != Some(switch) {
                    return Err(BadWiring::NotWholeCubes(shape));
                }
                wiring.joins[switch.axis.index()].insert(*cube, cubes[lattice.index_of(cube_of(step.to))]);
            }
        }
        Ok(wiring)
    }

    /// The joins of every switch of an axis: the large end of the first cube to the small end of the second.
    pub fn joins(&self, axis: Axis) -> impl Iterator<Item = (Coord, Coord)> {
        self.joins[axis.index()].iter().map(|(from, to)| (*from, *to))
    }

    /// The cube that follows another along an axis; `None` for one that is not in the slice.
    pub fn next(&self, cube: Coord, axis: Axis) -> Option<Coord> {
        self.joins[axis.index()].get(&cube).copied()
    }

    /// The rings of cubes along an axis, each from its smallest cube on.
    pub fn rings(&self, axis: Axis) -> Vec<Vec<Coord>> {
        let mut seen = BTreeSet::new();
        let mut rings = Vec::new();
        for first in self.joins[axis.index()].keys() {
            let mut ring = Vec::new();
            let mut at = *first;
            while seen.insert(at) {
                ring.push(at);
                at = self.next(at, axis).unwrap_or(at);
            }
            if !ring.is_empty() {
                rings.push(ring);
            }
        }
        rings
    }
}

/// One light path through the switches of an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The slice that it serves.
    pub slice: SliceId,
    /// The cube whose large end it joins.
    pub from: Coord,
    /// The cube whose small end it joins.
    pub to: Coord,
}

/// Two slices want one port of a switch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("slices {} and {} both need cube {cube}", slices[0], slices[1])]
pub struct PortTaken {
    /// The slices.
    pub slices: [SliceId; 2],
    /// The cube.
    pub cube: Coord,
}

impl Pod {
    /// How the switches join the cubes of a slice, by the axes of the pod; `None` for a slice that is no torus of whole
    /// cubes.
    pub fn wiring_of(&self, slice: &Slice) -> Option<Wiring> {
        let shape = slice.shape;
        let torus = if slice.twisted { Torus::twisted(shape).ok()? } else { Torus::plain(shape, [true; 3]) };
        let layout = Layout::of(slice);
        let [x, y, z] = shape.sizes3().map(|size| size / CUBE_SIDE);
        let lattice = Shape::from_sizes(&[x, y, z])?;
        let corner = |own: Coord| {
            let first = [own.x * CUBE_SIDE, own.y * CUBE_SIDE, own.z * CUBE_SIDE].into();
            let chip: [u16; 3] = layout.pod_chip(first).filter(|chip| self.shape.contains(*chip))?.into();
            chip.iter().all(|at| at.is_multiple_of(CUBE_SIDE)).then(|| cube_of(chip.into()))
        };
        let cubes: Vec<Coord> = lattice.coords().map(corner).collect::<Option<_>>()?;
        let own = Wiring::of(&torus, &cubes).ok()?;
        Some(Wiring { joins: Axis::ALL.map(|pod_axis| own.joins[layout.own_axis(pod_axis).index()].clone()) })
    }

    /// What the 16 switches of an axis do for all slices of the pod, by slice and then by cube.
    ///
    /// # Errors
    /// If slices overlap.
    pub fn connections(&self, axis: Axis) -> Result<Vec<Connection>, PortTaken> {
        let mut taken = BTreeMap::new();
        let mut connections = Vec::new();
        for slice in &self.slices {
            let wiring = self.wiring_of(slice).unwrap_or_default();
            for (from, to) in wiring.joins(axis) {
                if let Some(other) = taken.insert(from, &slice.id) {
                    return Err(PortTaken { slices: [other.clone(), slice.id.clone()], cube: from });
                }
                connections.push(Connection { slice: slice.id.clone(), from, to });
            }
        }
        Ok(connections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::Place;
    use crate::occupancy::tests::{block, pod, slice};

    #[test]
    fn every_port_is_one_chip_s_link_and_back() {
        let mut chips = BTreeSet::new();
        for switch in Switch::all() {
            for end in [Sign::Plus, Sign::Minus] {
                let chip = switch.chip_at(Port { cube: Coord::new(2, 0, 1), end }).unwrap();
                assert_eq!(Switch::of_link(chip, switch.axis, end), Some(switch));
                assert!(chips.insert((chip, switch.axis, end == Sign::Plus)));
            }
        }
        // ISCA 2023, section 2.2: 6 faces of 16 links.
        assert_eq!((Switch::all().count(), chips.len()), (N_SWITCHES, 96));
        assert_eq!(Switch::of_link(Coord::new(1, 0, 0), Axis::X, Sign::Plus), None);
        assert_eq!(Switch::n_ports(64), 128);
    }

    #[test]
    fn a_slice_of_scattered_cubes_is_rings_of_cubes() {
        let (a, b) = (Coord::new(1, 1, 3), Coord::new(0, 0, 0));
        let scattered = slice("t", "4x4x8", Place::Cubes(vec![a, b]));
        let wiring = pod().wiring_of(&scattered).unwrap();
        assert_eq!(wiring.rings(Axis::Z), [vec![b, a]]);
        assert_eq!(wiring.rings(Axis::X), [vec![b], vec![a]], "each cube is joined to itself");
        let twisted = Slice { twisted: true, ..scattered };
        let wiring = pod().wiring_of(&twisted).unwrap();
        assert_eq!(wiring.rings(Axis::X), [vec![b, a]], "the twist goes on in the other cube");
        assert_eq!(wiring.next(a, Axis::Y), Some(b));
    }

    #[test]
    fn a_turned_box_is_joined_along_the_axes_of_the_pod() {
        let size = Shape::solid(8, 4, 4);
        let turned = slice("t", "4x4x8", Place::Block { at: Coord::new(0, 4, 0), size });
        let wiring = pod().wiring_of(&turned).unwrap();
        assert_eq!(wiring.rings(Axis::X), [vec![Coord::new(0, 1, 0), Coord::new(1, 1, 0)]]);
        assert_eq!(wiring.rings(Axis::Z).len(), 2);
        assert_eq!(pod().wiring_of(&block("s", "2x2x4", [0, 0, 0])), None, "inside a cube there are no switches");
        assert_eq!(pod().wiring_of(&block("s", "4x4x4", [2, 0, 0])), None, "cubes are where they are");
    }

    #[test]
    fn no_port_serves_two_slices() {
        let mut pod = pod();
        pod.slices = vec![block("a", "4x4x8", [0, 0, 0]), block("b", "8x8x8", [0, 0, 8])];
        assert_eq!(pod.connections(Axis::Y).unwrap().len(), 2 + 8);
        pod.slices.push(block("c", "4x4x4", [4, 4, 8]));
        let taken = pod.connections(Axis::Y).unwrap_err();
        assert_eq!(taken.to_string(), "slices b and c both need cube 1 1 2");
    }

    #[test]
    fn cubes_that_do_not_fit_a_shape_are_refused_in_words() {
        let torus = Torus::plain(Shape::solid(4, 8, 8), [true; 3]);
        let cubes = [Coord::new(0, 0, 0), Coord::new(0, 0, 1), Coord::new(0, 0, 2), Coord::new(0, 0, 2)];
        let message = |cubes| Wiring::of(&torus, cubes).unwrap_err().to_string();
        assert_eq!(message(&cubes[..3]), "4x8x8 needs 4 cubes, has 3");
        assert_eq!(message(&cubes), "cube 0 0 2 is there twice");
        let small = Torus::twisted(Shape::solid(2, 2, 4)).unwrap();
        assert!(Wiring::of(&small, &cubes).is_err(), "it is twisted by half a cube");
    }
}
