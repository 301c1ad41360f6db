//! Where the chips of a slice are on its pod, and what is wrong with them.

use std::collections::BTreeMap;

use topology::chip::Generation;
use topology::fleet::{CUBE_SIDE, Component, Effect, Place, Pod, Slice};
use topology::name::host_block;
use topology::shape::{Axis, Coord, Shape};

/// The chips of a slice in its own row-major order.
#[derive(Debug)]
pub(crate) struct Placement {
    /// Row-major index on the pod of each chip of the slice.
    pub(crate) pod_index: Vec<u32>,
    /// The pod axis along which each slice axis runs.
    pub(crate) pod_axis: [Axis; 3],
}

/// Finds the chips of a slice; the error says in words why they cannot be found.
pub(crate) fn place(pod: &Pod, slice: &Slice) -> Result<Placement, String> {
    let chips: Option<Vec<Coord>>;
    let pod_axis;
    match &slice.place {
        Place::Block { at, size } => {
            let turn = turn(slice.shape, *size).ok_or_else(|| {
                format!("slice {}: a box of {size} cannot hold a slice of {}", slice.id, slice.shape)
            })?;
            pod_axis = turn;
            chips = slice.shape.coords().map(|chip| Some(turned(chip, turn, *at))).collect();
        }
        Place::Cubes(cubes) => {
            pod_axis = Axis::ALL;
            chips = slice.shape.coords().map(|chip| in_cubes(slice.shape, cubes, chip)).collect();
        }
    }
    let inside = |chip: &Coord| pod.shape.contains(*chip).then(|| pod.shape.index_of(*chip) as u32);
    let pod_index: Option<Vec<u32>> = chips.and_then(|chips| chips.iter().map(inside).collect());
    let pod_index = pod_index.ok_or_else(|| format!("slice {} does not lie inside pod {}", slice.id, pod.id))?;
    Ok(Placement { pod_index, pod_axis })
}

/// The pod axis of each slice axis such that the slice fills the box; straight if possible.
fn turn(shape: Shape, size: Shape) -> Option<[Axis; 3]> {
    use Axis::{X, Y, Z};
    let turns = [[X, Y, Z], [Y, X, Z], [X, Z, Y], [Z, Y, X], [Y, Z, X], [Z, X, Y]];
    turns.into_iter().find(|turn| Axis::ALL.iter().all(|axis| shape.along(*axis) == size.along(turn[axis.index()])))
}

fn turned(chip: Coord, turn: [Axis; 3], at: Coord) -> Coord {
    let mut on_pod: [u16; 3] = at.into();
    for axis in Axis::ALL {
        let along = turn[axis.index()].index();
        on_pod[along] = on_pod[along].saturating_add(chip.along(axis));
    }
    on_pod.into()
}

fn in_cubes(shape: Shape, cubes: &[Coord], chip: Coord) -> Option<Coord> {
    let lattice = Shape::from_sizes(&shape.sizes3().map(|size| size.div_ceil(CUBE_SIDE)))?;
    let [x, y, z] = [chip.x, chip.y, chip.z];
    let cube = cubes.get(lattice.index_of(Coord::new(x / CUBE_SIDE, y / CUBE_SIDE, z / CUBE_SIDE)))?;
    let on_pod = |cube: u16, chip: u16| cube.checked_mul(CUBE_SIDE)?.checked_add(chip % CUBE_SIDE);
    Some(Coord::new(on_pod(cube.x, x)?, on_pod(cube.y, y)?, on_pod(cube.z, z)?))
}

/// State of one chip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Health {
    /// Share of its normal speed; 0 if it does not work.
    pub(crate) speed: f32,
    /// Whether nothing is heard of it.
    pub(crate) silent: bool,
}

/// State of a pod: its chips in row-major order, and the rates of links that are not well (0 if down).
#[derive(Debug)]
pub(crate) struct PodHealth {
    pub(crate) chips: Vec<Health>,
    pub(crate) links: BTreeMap<(u32, Axis), f32>,
}

impl PodHealth {
    /// Applies the faults of a pod; faults outside it have no effect.
    pub(crate) fn new(pod: &Pod, generation: &Generation) -> Self {
        let chips = vec![Health { speed: 1.0, silent: false }; pod.shape.n_chips()];
        let mut health = Self { chips, links: BTreeMap::new() };
        let host = host_block(generation.host_chips()).unwrap_or(Shape::solid(1, 1, 1));
        let cube = Shape::solid(CUBE_SIDE, CUBE_SIDE, CUBE_SIDE);
        for fault in &pod.faults {
            match fault.component {
                Component::Chip(at) => health.hurt(pod.shape, at, Shape::solid(1, 1, 1), fault.effect),
                Component::Host(at) => health.hurt(pod.shape, at, host, fault.effect),
                Component::Cube(at) => {
                    let [x, y, z] = <[u16; 3]>::from(at).map(|along| along.saturating_mul(CUBE_SIDE));
                    health.hurt(pod.shape, Coord::new(x, y, z), cube, fault.effect);
                }
                Component::Link(at, axis) => health.hurt_link(pod.shape, at, axis, fault.effect),
                Component::Switch(axis, i, j) => {
                    for at in pod.shape.coords().filter(|at| is_on_switch(*at, axis, [i, j])) {
                        health.hurt_link(pod.shape, at, axis, fault.effect);
                    }
                }
            }
        }
        health
    }

    fn hurt(&mut self, shape: Shape, at: Coord, size: Shape, effect: Effect) {
        for offset in size.coords() {
            let [x, y, z] = [at.x.saturating_add(offset.x), at.y.saturating_add(offset.y), at.z.saturating_add(offset.z)];
            let chip = Coord::new(x, y, z);
            if !shape.contains(chip) {
                continue;
            }
            let health = &mut self.chips[shape.index_of(chip)];
            match effect {
                Effect::Down | Effect::InRepair => *health = Health { speed: 0.0, silent: true },
                Effect::Slow(share) => health.speed = health.speed.min(share.get() as f32),
                Effect::Silent => health.silent = true,
            }
        }
    }

    fn hurt_link(&mut self, shape: Shape, at: Coord, axis: Axis, effect: Effect) {
        let rate = match effect {
            Effect::Down | Effect::InRepair => 0.0,
            Effect::Slow(share) => share.get() as f32,
            Effect::Silent => return,
        };
        if shape.contains(at) {
            let known = self.links.entry((shape.index_of(at) as u32, axis)).or_insert(1.0);
            *known = known.min(rate);
        }
    }
}

/// Whether the positive link of a chip runs through the optical switch of an axis at a place of the cube's face.
fn is_on_switch(at: Coord, axis: Axis, place: [u8; 2]) -> bool {
    let face = Axis::ALL.into_iter().filter(|other| *other != axis);
    at.along(axis) % CUBE_SIDE == CUBE_SIDE - 1
        && face.zip(place).all(|(other, place)| at.along(other) % CUBE_SIDE == u16::from(place))
}

#[cfg(test)]
mod tests {
    use topology::units::Fraction;

    use super::*;
    use crate::testing::{fault, generation, pod, slice};

    /// A slice whose box lies along other pod axes keeps its own order.
    #[test]
    fn a_turned_box_is_filled_in_slice_order() {
        let pod = pod("v5p", Shape::solid(8, 8, 8));
        let mut turned = slice("a", Shape::solid(4, 4, 8), Coord::new(0, 4, 0));
        turned.place = Place::Block { at: Coord::new(0, 4, 0), size: Shape::solid(8, 4, 4) };
        let found = place(&pod, &turned).unwrap();
        assert_eq!(found.pod_axis, [Axis::Z, Axis::Y, Axis::X]);
        let last = pod.shape.coord_of(found.pod_index[127] as usize);
        assert_eq!(last, Coord::new(7, 7, 3));
        turned.place = Place::Block { at: Coord::new(4, 4, 0), size: Shape::solid(8, 4, 4) };
        assert_eq!(place(&pod, &turned).unwrap_err(), "slice a does not lie inside pod p");
    }

    /// Cubes may be anywhere; chips keep their place inside the cube.
    #[test]
    fn cubes_are_joined_in_the_slice_s_order() {
        let pod = pod("v5p", Shape::solid(8, 8, 8));
        let mut joined = slice("a", Shape::solid(4, 4, 8), Coord::default());
        joined.place = Place::Cubes(vec![Coord::new(1, 1, 1), Coord::new(0, 1, 0)]);
        let found = place(&pod, &joined).unwrap();
        assert_eq!(pod.shape.coord_of(found.pod_index[0] as usize), Coord::new(4, 4, 4));
        assert_eq!(pod.shape.coord_of(found.pod_index[64] as usize), Coord::new(0, 4, 0));
    }

    /// A slow host is four chips, a cube is 64, a switch is one link of each cube.
    #[test]
    fn faults_reach_what_they_break() {
        let mut pod = pod("v5p", Shape::solid(8, 8, 8));
        let half = Effect::Slow(Fraction::clamped(0.5));
        pod.faults = vec![
            fault(Component::Host(Coord::new(0, 0, 0)), half),
            fault(Component::Cube(Coord::new(1, 1, 1)), Effect::InRepair),
            fault(Component::Switch(Axis::Z, 1, 2), Effect::Down),
            fault(Component::Chip(Coord::new(99, 0, 0)), Effect::Silent),
        ];
        let health = PodHealth::new(&pod, &generation("v5p"));
        assert_eq!(health.chips.iter().filter(|chip| chip.speed == 0.5).count(), 4);
        assert_eq!(health.chips.iter().filter(|chip| chip.silent).count(), 64);
        assert_eq!(health.links.len(), 8);
    }
}
