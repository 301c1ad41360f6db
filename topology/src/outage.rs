//! What the faults of a pod mean for one slice on it.

use std::collections::{BTreeMap, BTreeSet};

use crate::fleet::{Component, Effect, Pod, Slice};
use crate::graph::Outage;
use crate::occupancy::Layout;
use crate::shape::{Coord, Shape};
use crate::torus::Link;
use crate::units::Fraction;

/// Faults of a slice, in its own coordinates.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SliceFaults {
    /// Chips and links that are down or in repair.
    pub outage: Outage,
    /// Chips that work at a share of their speed, the smallest where several faults say so.
    pub slow_chips: BTreeMap<Coord, Fraction>,
    /// Links that work at a share of their speed, the smallest where several faults say so.
    pub slow_links: BTreeMap<Link, Fraction>,
    /// Chips of which nothing is heard.
    pub silent_chips: BTreeSet<Coord>,
}

impl Outage {
    /// Of components of a slice that stands alone, all named by its own coordinates.
    pub fn of(shape: Shape, components: &[Component]) -> Self {
        let chips = components.iter().flat_map(|component| component.chips(shape)).collect();
        let links = components.iter().flat_map(|component| component.links(shape)).collect();
        Self { chips, links }
    }
}

impl Pod {
    /// Whether a component has chips or links of a slice.
    pub fn touches(&self, slice: &Slice, component: Component) -> bool {
        let mut chips: BTreeSet<Coord> = component.chips(self.shape).collect();
        chips.extend(component.links(self.shape).into_iter().map(|link| link.from));
        self.slice_chips(slice).any(|(_, chip)| chips.contains(&chip))
    }

    /// The faults that concern a slice, in the slice's own coordinates.
    ///
    /// A link is named by the chip from which it goes in the positive direction, so that of the last chip along an
    /// axis is the slice's wrap link.
    pub fn faults_of(&self, slice: &Slice) -> SliceFaults {
        let layout = Layout::of(slice);
        let own: BTreeMap<Coord, Coord> = self.slice_chips(slice).map(|(own, chip)| (chip, own)).collect();
        let mut faults = SliceFaults::default();
        for fault in &self.faults {
            let chips = fault.component.chips(self.shape).filter_map(|chip| own.get(&chip).copied());
            let own_link = |link: Link| Some(Link { from: *own.get(&link.from)?, axis: layout.own_axis(link.axis) });
            let links = fault.component.links(self.shape).into_iter().filter_map(own_link);
            match fault.effect {
                Effect::Down | Effect::InRepair => {
                    faults.outage.chips.extend(chips);
                    faults.outage.links.extend(links);
                }
                Effect::Slow(share) => {
                    chips.for_each(|chip| keep_smallest(&mut faults.slow_chips, chip, share));
                    links.for_each(|link| keep_smallest(&mut faults.slow_links, link, share));
                }
                Effect::Silent => faults.silent_chips.extend(chips),
            }
        }
        faults
    }
}

fn keep_smallest<K: Ord>(shares: &mut BTreeMap<K, Fraction>, key: K, share: Fraction) {
    let known = shares.entry(key).or_insert(share);
    if share < *known {
        *known = share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::Place;
    use crate::graph::Network;
    use crate::occupancy::tests::{block, fault, pod, slice};
    use crate::shape::Axis;
    use crate::torus::Torus;

    #[test]
    fn a_switch_takes_one_wrap_link_of_every_row_of_cubes() {
        let mut pod = pod();
        let whole = block("a", "8x8x16", [0, 0, 0]);
        pod.faults = vec![fault(Component::Switch(Axis::Z, 1, 2), Effect::Down)];
        let outage = pod.faults_of(&whole).outage;
        // 16 cubes, each of which has one link to the next at that place of its face.
        assert_eq!(outage.links.len(), 16);
        assert!(outage.links.contains(&Link { from: Coord::new(5, 2, 15), axis: Axis::Z }));
        assert!(pod.touches(&whole, pod.faults[0].component));
        assert!(!pod.touches(&block("b", "2x2x1", [0, 0, 0]), pod.faults[0].component));
        assert_eq!(outage, Outage::of(whole.shape, &[Component::Switch(Axis::Z, 1, 2)]));
    }

    #[test]
    fn faults_are_seen_in_the_slice_s_own_coordinates() {
        let mut pod = pod();
        let at = Coord::new(0, 4, 0);
        let turned = slice("t", "4x4x8", Place::Block { at, size: Shape::solid(8, 4, 4) });
        let share = |share| Fraction::try_from(share).unwrap();
        pod.faults = vec![
            fault(Component::Link(Coord::new(7, 4, 0), Axis::X), Effect::Down),
            fault(Component::Chip(Coord::new(3, 4, 0)), Effect::InRepair),
            fault(Component::Chip(Coord::new(0, 0, 0)), Effect::Down),
            fault(Component::Chip(Coord::new(1, 4, 0)), Effect::Silent),
            fault(Component::Cube(Coord::new(0, 1, 0)), Effect::Slow(share(0.5))),
            fault(Component::Chip(Coord::new(1, 4, 0)), Effect::Slow(share(0.25))),
            fault(Component::Link(Coord::new(2, 4, 0), Axis::Z), Effect::Slow(share(0.19))),
        ];
        let faults = pod.faults_of(&turned);
        assert_eq!(faults.outage.links, BTreeSet::from([Link { from: Coord::new(0, 0, 7), axis: Axis::Z }]));
        assert_eq!(faults.outage.chips, BTreeSet::from([Coord::new(0, 0, 3)]));
        assert_eq!(faults.silent_chips, BTreeSet::from([Coord::new(0, 0, 1)]));
        assert_eq!(faults.slow_chips.len(), 64);
        assert_eq!(faults.slow_chips[&Coord::new(0, 0, 1)], share(0.25));
        // The slice's axis y runs along z of the pod.
        assert_eq!(
            faults.slow_links,
            BTreeMap::from([(Link { from: Coord::new(0, 0, 2), axis: Axis::Y }, share(0.19))])
        );
    }

    #[test]
    fn a_chip_cut_off_by_its_links_is_an_island() {
        let torus = Torus::plain(Shape::flat(4, 4), [false; 3]);
        let corner = Coord::new(0, 0, 0);
        let links = torus.neighbours(corner).map(|step| Torus::link_of(corner, step)).collect();
        let network = Network::new(torus, Outage { links, ..Default::default() });
        assert_eq!((network.n_islands(), network.n_links_of(corner), network.n_links()), (2, 0, 22));
        assert_eq!(
            network.route(corner, Coord::new(3, 3, 0)),
            Err(crate::graph::NoRoute::Parted(corner, Coord::new(3, 3, 0)))
        );
    }
}
