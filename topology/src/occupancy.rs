//! Which chips of a pod a slice has, in which order, and what is left.

use crate::fleet::{CUBE_SIDE, Component, Effect, Place, Pod, Slice};
use crate::shape::{Axis, Coord, Shape};

/// Chips of a pod by what they are used for. The first four add up to all chips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// In a slice, whether they work or not.
    pub allocated: usize,
    /// In no slice, working and held back as spare.
    pub spare: usize,
    /// In no slice, and down or in repair.
    pub in_repair: usize,
    /// In no slice, working and not held back.
    pub free: usize,
    /// In a slice, and down or in repair; also counted as allocated.
    pub allocated_broken: usize,
}

impl Pod {
    /// The lattice of cubes of a three-dimensional pod, where an incomplete cube at an edge counts; `None` for a flat
    /// pod.
    pub fn cubes(&self) -> Option<Shape> {
        let [x, y, z] = self.shape.sizes3().map(|size| size.div_ceil(CUBE_SIDE));
        (self.shape.rank() == 3).then(|| Shape::solid(x, y, z))
    }

    /// The chips of a cube in row-major order; those outside the pod are left out.
    pub fn chips_of_cube(&self, cube: Coord) -> impl Iterator<Item = Coord> {
        Component::Cube(cube).chips(self.shape)
    }

    /// The chips of a slice as pod coordinates, in the slice's own row-major order, each with its place in the slice.
    ///
    /// Chips that the place does not give or that lie outside the pod are left out, so a slice that breaks the rules
    /// (see [`crate::check`]) gives fewer.
    pub fn slice_chips(&self, slice: &Slice) -> impl Iterator<Item = (Coord, Coord)> {
        let shape = self.shape;
        let layout = Layout::of(slice);
        let place = move |own: Coord| layout.pod_chip(own).filter(|chip| shape.contains(*chip)).map(|chip| (own, chip));
        slice.shape.coords().filter_map(place)
    }

    /// For each chip in row-major order the index of the slice that has it; the first one where slices overlap.
    pub fn occupancy(&self) -> Vec<Option<usize>> {
        let mut owners = vec![None; self.shape.n_chips()];
        for (index, slice) in self.slices.iter().enumerate() {
            for (_, chip) in self.slice_chips(slice) {
                owners[self.shape.index_of(chip)].get_or_insert(index);
            }
        }
        owners
    }

    /// For each chip in row-major order whether it is down or in repair, by itself or with its host or cube.
    pub fn broken(&self) -> Vec<bool> {
        let mut broken = vec![false; self.shape.n_chips()];
        for fault in self.faults.iter().filter(|fault| matches!(fault.effect, Effect::Down | Effect::InRepair)) {
            for chip in fault.component.chips(self.shape) {
                broken[self.shape.index_of(chip)] = true;
            }
        }
        broken
    }

    /// For each chip in row-major order whether it is in a cube that is held back.
    pub fn spare(&self) -> Vec<bool> {
        let mut spare = vec![false; self.shape.n_chips()];
        for chip in self.spares.iter().flat_map(|cube| self.chips_of_cube(*cube)) {
            spare[self.shape.index_of(chip)] = true;
        }
        spare
    }

    /// Chips by what they are used for.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for ((owner, broken), spare) in self.occupancy().into_iter().zip(self.broken()).zip(self.spare()) {
            match (owner, broken, spare) {
                (Some(_), broken, _) => {
                    counts.allocated += 1;
                    counts.allocated_broken += usize::from(broken);
                }
                (None, true, _) => counts.in_repair += 1,
                (None, false, true) => counts.spare += 1,
                (None, false, false) => counts.free += 1,
            }
        }
        counts
    }
}

/// The cube of a chip.
pub const fn cube_of(chip: Coord) -> Coord {
    Coord::new(chip.x / CUBE_SIDE, chip.y / CUBE_SIDE, chip.z / CUBE_SIDE)
}

/// How the places of a slice lie on its pod.
#[derive(Debug, Clone)]
pub(crate) enum Layout {
    /// A box, and for each axis of the slice the pod axis along which it runs.
    Block { at: Coord, axes: [Axis; 3] },
    /// Cubes in row-major order of the lattice of cubes.
    Cubes { lattice: Shape, cubes: Vec<Coord> },
    /// The place cannot hold the slice.
    Impossible,
}

impl Layout {
    pub(crate) fn of(slice: &Slice) -> Self {
        match &slice.place {
            Place::Block { at, size } => match turn(slice.shape, *size) {
                Some(axes) => Self::Block { at: *at, axes },
                None => Self::Impossible,
            },
            Place::Cubes(cubes) => {
                let [x, y, z] = slice.shape.sizes3().map(|size| size.div_ceil(CUBE_SIDE));
                Self::Cubes { lattice: Shape::solid(x, y, z), cubes: cubes.clone() }
            }
        }
    }

    /// Pod coordinate of a place of the slice; `None` where there is none.
    pub(crate) fn pod_chip(&self, own: Coord) -> Option<Coord> {
        match self {
            Self::Block { at, axes } => {
                let mut chip: [u16; 3] = (*at).into();
                for axis in Axis::ALL {
                    let place = &mut chip[axes[axis.index()].index()];
                    *place = place.checked_add(own.along(axis))?;
                }
                Some(chip.into())
            }
            Self::Cubes { lattice, cubes } => {
                let cube: [u16; 3] = (*cubes.get(lattice.index_of(cube_of(own)))?).into();
                let own: [u16; 3] = own.into();
                let mut chip = [0; 3];
                for axis in 0..3 {
                    chip[axis] = cube[axis].checked_mul(CUBE_SIDE)?.checked_add(own[axis] % CUBE_SIDE)?;
                }
                Some(chip.into())
            }
            Self::Impossible => None,
        }
    }

    /// The axis of the slice that runs along a pod axis.
    pub(crate) fn own_axis(&self, pod_axis: Axis) -> Axis {
        match self {
            Self::Block { axes, .. } => {
                Axis::ALL.into_iter().find(|own| axes[own.index()] == pod_axis).unwrap_or(pod_axis)
            }
            Self::Cubes { .. } | Self::Impossible => pod_axis,
        }
    }
}

/// The first way to turn the axes of a shape so that it becomes a size; the pod axis of each axis of the shape.
pub(crate) fn turn(shape: Shape, size: Shape) -> Option<[Axis; 3]> {
    use Axis::{X, Y, Z};
    const TURNS: [[Axis; 3]; 6] = [[X, Y, Z], [X, Z, Y], [Y, X, Z], [Y, Z, X], [Z, X, Y], [Z, Y, X]];
    let fits = |turn: &[Axis; 3]| Axis::ALL.into_iter().all(|axis| shape.along(axis) == size.along(turn[axis.index()]));
    TURNS.into_iter().find(fits)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::chip::GenerationId;
    use crate::fleet::Fault;

    /// A pod of v5p with 8x8x16 chips, which are 2x2x4 cubes.
    pub(crate) fn pod() -> Pod {
        Pod {
            id: "a".into(),
            generation: GenerationId("v5p".to_owned()),
            shape: Shape::solid(8, 8, 16),
            slices: Vec::new(),
            spares: Vec::new(),
            faults: Vec::new(),
            hosts: Vec::new(),
        }
    }

    pub(crate) fn slice(name: &str, shape: &str, place: Place) -> Slice {
        Slice { id: name.into(), team: None, color: 1, shape: shape.parse().unwrap(), twisted: false, place }
    }

    pub(crate) fn block(name: &str, shape: &str, at: [u16; 3]) -> Slice {
        let size = shape.parse().unwrap();
        slice(name, shape, Place::Block { at: at.into(), size })
    }

    pub(crate) fn fault(component: Component, effect: Effect) -> Fault {
        Fault { component, effect, note: None }
    }

    #[test]
    fn a_turned_block_keeps_the_order_of_the_slice() {
        let pod = pod();
        let size = Shape::solid(8, 4, 4);
        let turned = slice("t", "4x4x8", Place::Block { at: Coord::new(0, 4, 0), size });
        let chips: Vec<(Coord, Coord)> = pod.slice_chips(&turned).collect();
        assert_eq!(chips.len(), 128);
        assert_eq!(chips[0], (Coord::new(0, 0, 0), Coord::new(0, 4, 0)));
        // The long axis z of the slice runs along x of the pod.
        assert_eq!(chips[16], (Coord::new(0, 0, 1), Coord::new(1, 4, 0)));
        assert!(chips.iter().all(|(_, chip)| chip.y >= 4 && chip.z < 4));
    }

    #[test]
    fn cubes_are_joined_in_the_order_of_the_slice() {
        let pod = pod();
        let joined = slice("t", "4x4x8", Place::Cubes(vec![Coord::new(1, 1, 3), Coord::new(0, 0, 0)]));
        let chips: Vec<(Coord, Coord)> = pod.slice_chips(&joined).collect();
        assert_eq!(chips[0], (Coord::new(0, 0, 0), Coord::new(4, 4, 12)));
        assert_eq!(chips[64], (Coord::new(0, 0, 4), Coord::new(0, 0, 0)));
        assert_eq!(chips.len(), 128);
    }

    #[test]
    fn every_chip_is_counted_once() {
        let mut pod = pod();
        pod.slices = vec![block("a", "4x4x8", [0, 0, 0]), block("b", "2x2x2", [4, 4, 0])];
        pod.spares = vec![Coord::new(0, 0, 3), Coord::new(1, 1, 3)];
        pod.faults = vec![
            fault(Component::Host(Coord::new(0, 0, 0)), Effect::Down),
            fault(Component::Cube(Coord::new(1, 1, 3)), Effect::InRepair),
            fault(Component::Chip(Coord::new(7, 7, 0)), Effect::Slow(crate::units::Fraction::ZERO)),
        ];
        let counts = pod.counts();
        let expected = Counts { allocated: 136, spare: 64, in_repair: 64, free: 1024 - 264, allocated_broken: 4 };
        assert_eq!(counts, expected);
    }

    #[test]
    fn places_outside_the_pod_give_no_chips_and_no_overflow() {
        let pod = pod();
        assert_eq!(pod.slice_chips(&block("a", "4x4x8", [0, 0, 12])).count(), 64);
        assert_eq!(pod.slice_chips(&block("a", "4x4x8", [u16::MAX; 3])).count(), 0);
        let far = slice("a", "4x4x4", Place::Cubes(vec![Coord::new(u16::MAX, 0, 0)]));
        assert_eq!(pod.slice_chips(&far).count(), 0);
        assert_eq!(pod.chips_of_cube(Coord::new(u16::MAX, 9, 9)).count(), 0);
    }
}
