//! What the faults of a pod mean for one slice on it.

use crate::fleet::{CUBE_SIDE, Component, Effect, Pod, Slice};
use crate::graph::Outage;
use crate::occupancy::Layout;
use crate::shape::{Axis, Coord};
use crate::torus::Link;

impl Pod {
    /// The chips and links of a slice that are down or in repair, in the slice's own coordinates.
    ///
    /// A link is named by the chip from which it goes in the positive direction, so that of the last chip along an
    /// axis is the slice's wrap link. An optical switch of an axis at a place (i, j) of the cubes' faces carries, for
    /// every cube, the link that leaves it there in the positive direction (Jouppi et al., "TPU v4", ISCA 2023,
    /// section 2.2: opposite faces of a cube go to the same switch); i and j count along the two other axes in order.
    pub fn outage(&self, slice: &Slice) -> Outage {
        let mut outage = Outage::default();
        let layout = Layout::of(slice);
        let own: std::collections::BTreeMap<Coord, Coord> =
            self.slice_chips(slice).map(|(own, chip)| (chip, own)).collect();
        for fault in self.faults.iter().filter(|fault| matches!(fault.effect, Effect::Down | Effect::InRepair)) {
            match fault.component {
                Component::Link(chip, axis) => {
                    outage.links.extend(own.get(&chip).map(|from| Link { from: *from, axis: layout.own_axis(axis) }));
                }
                Component::Switch(axis, i, j) => {
                    let behind = own.iter().filter(|(chip, _)| leaves_cube_at(**chip, axis, [i, j]));
                    outage.links.extend(behind.map(|(_, from)| Link { from: *from, axis: layout.own_axis(axis) }));
                }
                component => outage.chips.extend(self.chips_of(component).iter().filter_map(|chip| own.get(chip))),
            }
        }
        outage
    }
}

/// Whether the positive link of a chip along an axis leaves its cube at a place of the face.
fn leaves_cube_at(chip: Coord, axis: Axis, face: [u8; 2]) -> bool {
    let inside = <[u16; 3]>::from(chip).map(|place| place % CUBE_SIDE);
    let others = Axis::ALL.into_iter().filter(|other| *other != axis);
    inside[axis.index()] == CUBE_SIDE - 1
        && others.zip(face).all(|(other, place)| inside[other.index()] == u16::from(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::Place;
    use crate::graph::Network;
    use crate::occupancy::tests::{block, fault, pod, slice};
    use crate::shape::Shape;
    use crate::torus::Torus;

    #[test]
    fn a_switch_takes_one_wrap_link_of_every_row_of_cubes() {
        let mut pod = pod();
        let whole = block("a", "8x8x16", [0, 0, 0]);
        pod.faults = vec![fault(Component::Switch(Axis::Z, 1, 2), Effect::Down)];
        let outage = pod.outage(&whole);
        // 16 cubes, each of which has one link to the next at that place of its face.
        assert_eq!(outage.links.len(), 16);
        assert!(outage.links.contains(&Link { from: Coord::new(5, 2, 15), axis: Axis::Z }));
    }

    #[test]
    fn faults_are_seen_in_the_slice_s_own_coordinates() {
        let mut pod = pod();
        let at = Coord::new(0, 4, 0);
        let turned = slice("t", "4x4x8", Place::Block { at, size: Shape::solid(8, 4, 4) });
        pod.faults = vec![
            fault(Component::Link(Coord::new(7, 4, 0), Axis::X), Effect::Down),
            fault(Component::Chip(Coord::new(3, 4, 0)), Effect::InRepair),
            fault(Component::Chip(Coord::new(0, 0, 0)), Effect::Down),
            fault(Component::Chip(Coord::new(1, 4, 0)), Effect::Silent),
        ];
        let outage = pod.outage(&turned);
        assert_eq!(outage.links.into_iter().collect::<Vec<_>>(), [Link { from: Coord::new(0, 0, 7), axis: Axis::Z }]);
        assert_eq!(outage.chips.into_iter().collect::<Vec<_>>(), [Coord::new(0, 0, 3)]);
    }

    #[test]
    fn a_chip_cut_off_by_its_links_is_an_island() {
        let torus = Torus::plain(Shape::flat(4, 4), [false; 3]);
        let corner = Coord::new(0, 0, 0);
        let links = torus.neighbours(corner).map(|step| Torus::link_of(corner, step)).collect();
        let network = Network::new(torus, Outage { links, ..Default::default() });
        assert_eq!((network.n_islands(), network.n_links_of(corner), network.n_links()), (2, 0, 22));
        assert_eq!(network.route(corner, Coord::new(3, 3, 0)), None);
    }
}
