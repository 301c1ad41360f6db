//! What is wrong with the chips and links of a pod, as numbers.

use std::collections::BTreeMap;

use topology::fleet::{Effect, Pod, Slice};
use topology::shape::{Axis, Coord};

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
    pub(crate) fn new(pod: &Pod) -> Self {
        let chips = vec![Health { speed: 1.0, silent: false }; pod.shape.n_chips()];
        let mut health = Self { chips, links: BTreeMap::new() };
        for fault in &pod.faults {
            for chip in fault.component.chips(pod.shape) {
                health.hurt(pod.shape.index_of(chip), fault.effect);
            }
            for link in fault.component.links(pod.shape) {
                health.hurt_link((pod.shape.index_of(link.from) as u32, link.axis), fault.effect);
            }
        }
        health
    }

    fn hurt(&mut self, chip: usize, effect: Effect) {
        let health = &mut self.chips[chip];
        match effect {
            Effect::Down | Effect::InRepair => *health = Health { speed: 0.0, silent: true },
            Effect::Slow(share) => health.speed = health.speed.min(share.get() as f32),
            Effect::Silent => health.silent = true,
        }
    }

    fn hurt_link(&mut self, link: (u32, Axis), effect: Effect) {
        let rate = match effect {
            Effect::Down | Effect::InRepair => 0.0,
            Effect::Slow(share) => share.get() as f32,
            Effect::Silent => return,
        };
        let known = self.links.entry(link).or_insert(1.0);
        *known = known.min(rate);
    }
}

/// The pod axis along which each axis of a slice runs.
pub(crate) fn pod_axes(pod: &Pod, slice: &Slice) -> [Axis; 3] {
    let mut axes = Axis::ALL;
    let chips: Vec<(Coord, Coord)> = pod.slice_chips(slice).collect();
    let Some((_, origin)) = chips.iter().find(|(own, _)| *own == Coord::default()) else { return axes };
    for axis in slice.shape.axes().iter().filter(|axis| slice.shape.along(**axis) > 1) {
        let mut step = [0; 3];
        step[axis.index()] = 1;
        let next = chips.iter().find(|(own, _)| *own == Coord::from(step));
        let moved = next.and_then(|(_, next)| Axis::ALL.into_iter().find(|a| next.along(*a) != origin.along(*a)));
        axes[axis.index()] = moved.unwrap_or(*axis);
    }
    axes
}

#[cfg(test)]
mod tests {
    use topology::fleet::{Component, Place};
    use topology::shape::Shape;
    use topology::units::Fraction;

    use super::*;
    use crate::testing::{fault, pod, slice};

    #[test]
    fn a_turned_slice_runs_along_other_axes() {
        let pod = pod("v5p", Shape::solid(8, 8, 8));
        let mut turned = slice("a", Shape::solid(4, 4, 8), Coord::default());
        turned.place = Place::Block { at: Coord::new(0, 4, 0), size: Shape::solid(8, 4, 4) };
        assert_eq!(pod_axes(&pod, &turned)[2], Axis::X);
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
        let health = PodHealth::new(&pod);
        assert_eq!(health.chips.iter().filter(|chip| chip.speed == 0.5).count(), 4);
        assert_eq!(health.chips.iter().filter(|chip| chip.silent).count(), 64);
        assert_eq!(health.links.len(), 8);
    }
}
