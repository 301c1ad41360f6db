//! Which one component would explain the chips that are slow.
//!
//! Every chip, host, cube, link and optical switch of the pod is a candidate; it explains the slow chips that it touches
//! and is contradicted by chips that it touches and that are not slow. Candidates are ranked by the harmonic mean of both
//! (Sørensen and Dice), smaller ones first where that is equal. It is a hint where to look, no proof.

use std::collections::BTreeMap;

use topology::fleet::{Component, Pod};
use topology::name::host_block;
use topology::shape::{Axis, Coord, Shape};

/// A component that would explain slow chips.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspect {
    /// The component.
    pub component: Component,
    /// Slow chips that it touches.
    pub explains: usize,
    /// Reporting chips that it touches and that are not slow.
    pub contradicted_by: usize,
    /// From 0 to 1: 1 if exactly its chips are slow.
    pub score: f64,
}

/// The best explanations of slow chips, best first, at most `limit`.
///
/// `is_slow` holds for each chip in row-major order whether it is slow, absent where nothing is heard of it.
/// `host_chips` is the number of chips of a host. O(chips + slow chips · log slow chips).
pub fn suspects(pod: &Pod, is_slow: &[Option<bool>], host_chips: u32, limit: usize) -> Vec<Suspect> {
    let shape = pod.shape;
    let slow: Vec<Coord> =
        shape.coords().zip(is_slow).filter(|(_, slow)| **slow == Some(true)).map(|(c, _)| c).collect();
    let mut candidates: BTreeMap<(u8, [u16; 3], u8), Component> = BTreeMap::new();
    for chip in &slow {
        for component in candidates_of(pod, *chip, host_chips) {
            candidates.insert(key(component), component);
        }
    }
    let judge = |component: Component| {
        let chips: Vec<Coord> = chips_of(component, pod, host_chips);
        let state = |chip: &Coord| is_slow.get(shape.index_of(*chip)).copied().flatten();
        let explains = chips.iter().filter(|chip| state(chip) == Some(true)).count();
        let contradicted_by = chips.iter().filter(|chip| state(chip) == Some(false)).count();
        let score = 2.0 * explains as f64 / (explains + contradicted_by + slow.len()) as f64;
        Suspect { component, explains, contradicted_by, score }
    };
    let mut found: Vec<Suspect> = candidates.into_values().map(judge).collect();
    found.sort_by(|a, b| {
        let size = |s: &Suspect| s.explains + s.contradicted_by;
        b.score.total_cmp(&a.score).then(size(a).cmp(&size(b))).then_with(|| key(a.component).cmp(&key(b.component)))
    });
    found.truncate(limit);
    found
}

/// What touches a chip.
fn candidates_of(pod: &Pod, chip: Coord, host_chips: u32) -> Vec<Component> {
    let mut found = vec![Component::Chip(chip), Component::Host(first_of_host(chip, host_chips, pod.shape))];
    for axis in pod.shape.axes().iter().filter(|axis| pod.shape.along(**axis) > 1) {
        found.push(Component::Link(chip, *axis));
        found.push(Component::Link(before(chip, *axis, pod.shape), *axis));
    }
    if pod.shape.rank() == 3 {
        let side = topology::fleet::CUBE_SIDE;
        found.push(Component::Cube(Coord::new(chip.x / side, chip.y / side, chip.z / side)));
        found.extend(Axis::ALL.map(|axis| switch_of(chip, axis)));
    }
    found
}

fn host_shape(host_chips: u32, pod: Shape) -> Shape {
    let block = host_block(host_chips).unwrap_or(Shape::solid(1, 1, 1));
    let fits = block.sizes3().iter().zip(pod.sizes3()).all(|(block, pod)| pod % block == 0);
    if fits { block } else { Shape::solid(1, 1, 1) }
}

fn first_of_host(chip: Coord, host_chips: u32, pod: Shape) -> Coord {
    let [x, y, z] = host_shape(host_chips, pod).sizes3();
    Coord::new(chip.x / x * x, chip.y / y * y, chip.z / z * z)
}

/// The neighbour in the negative direction, around the torus.
fn before(chip: Coord, axis: Axis, shape: Shape) -> Coord {
    let mut c: [u16; 3] = chip.into();
    let size = shape.along(axis);
    c[axis.index()] = (c[axis.index()] + size - 1) % size;
    c.into()
}

/// The switch of the chip's place on the faces of its cube across an axis.
fn switch_of(chip: Coord, axis: Axis) -> Component {
    let side = topology::fleet::CUBE_SIDE;
    let (row, column) = match axis {
        Axis::X => (chip.y, chip.z),
        Axis::Y => (chip.x, chip.z),
        Axis::Z => (chip.x, chip.y),
    };
    Component::Switch(axis, (row % side) as u8, (column % side) as u8)
}

fn chips_of(component: Component, pod: &Pod, host_chips: u32) -> Vec<Coord> {
    let shape = pod.shape;
    match component {
        Component::Link(from, axis) => {
            let mut to: [u16; 3] = from.into();
            to[axis.index()] = (to[axis.index()] + 1) % shape.along(axis);
            vec![from, to.into()]
        }
        Component::Host(first) => {
            let block = host_shape(host_chips, shape).coords();
            block
                .map(|c| Coord::new(first.x + c.x, first.y + c.y, first.z + c.z))
                .filter(|c| shape.contains(*c))
                .collect()
        }
        // The chips on the faces of the cubes that the switch joins.
        Component::Switch(axis, ..) => {
            let side = topology::fleet::CUBE_SIDE;
            let is_on_face = |c: &Coord| [0, side - 1].contains(&(c.along(axis) % side));
            shape.coords().filter(|c| is_on_face(c) && switch_of(*c, axis) == component).collect()
        }
        Component::Chip(_) | Component::Cube(_) => component.chips(shape).collect(),
    }
}

/// A stable order of components.
fn key(component: Component) -> (u8, [u16; 3], u8) {
    match component {
        Component::Chip(c) => (0, c.into(), 0),
        Component::Link(c, axis) => (1, c.into(), axis as u8),
        Component::Host(c) => (2, c.into(), 0),
        Component::Cube(c) => (3, c.into(), 0),
        Component::Switch(axis, row, column) => (4, [row.into(), column.into(), 0], axis as u8),
    }
}

#[cfg(test)]
mod tests {
    use topology::chip::GenerationId;

    use super::*;

    fn pod() -> Pod {
        let (slices, spares, faults) = (vec![], vec![], vec![]);
        Pod {
            id: "p".into(),
            generation: GenerationId("v5p".to_owned()),
            shape: Shape::solid(8, 8, 8),
            slices,
            spares,
            faults,
            hosts: vec![],
        }
    }

    fn best(slow: &[Coord]) -> Component {
        let is_slow: Vec<Option<bool>> = pod().shape.coords().map(|c| Some(slow.contains(&c))).collect();
        suspects(&pod(), &is_slow, 4, 3)[0].component
    }

    /// Whatever breaks alone is named first, and its chips are exactly the slow ones.
    #[test]
    fn the_component_that_broke_is_the_first_suspect() {
        let link = Component::Link(Coord::new(7, 3, 2), Axis::X);
        assert_eq!(best(&chips_of(link, &pod(), 4)), link, "also around the torus");
        let host = Component::Host(Coord::new(2, 4, 5));
        assert_eq!(best(&chips_of(host, &pod(), 4)), host);
        let cube = Component::Cube(Coord::new(1, 0, 1));
        assert_eq!(best(&chips_of(cube, &pod(), 4)), cube);
        let switch = Component::Switch(Axis::Z, 1, 2);
        assert_eq!(best(&chips_of(switch, &pod(), 4)), switch);
        assert_eq!(best(&[Coord::new(1, 1, 1)]), Component::Chip(Coord::new(1, 1, 1)));
    }

    #[test]
    fn silent_chips_neither_explain_nor_contradict() {
        let cube = Component::Cube(Coord::new(0, 0, 0));
        let chips = chips_of(cube, &pod(), 4);
        let state = |c: Coord| if c.x == 1 { None } else { Some(chips.contains(&c)) };
        let is_slow: Vec<Option<bool>> = pod().shape.coords().map(state).collect();
        let found = suspects(&pod(), &is_slow, 4, 1)[0];
        assert_eq!((found.component, found.explains, found.contradicted_by, found.score), (cube, 48, 0, 1.0));
        assert_eq!(suspects(&pod(), &[], 4, 5), []);
    }
}
