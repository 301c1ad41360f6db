//! What one failed component would do to the slices of a pod: which rings it breaks, and what helps.

use std::collections::{BTreeMap, BTreeSet};

use crate::chip::Generation;
use crate::fleet::{CUBE_SIDE, Component, Pod, Slice, SliceId};
use crate::graph::{Network, Outage};
use crate::occupancy::{Layout, cube_of};
use crate::ocs::Switch;
use crate::shape::{Axis, Coord};
use crate::slice::{SliceError, SliceModel};
use crate::torus::{Link, Sign, Torus};

/// What a failed component does to the slices of its pod, where nothing else is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blast {
    /// The component.
    pub component: Component,
    /// The slices that it hits, in the order of the pod.
    pub hits: Vec<Hit>,
    /// Chips that fail and are in no slice.
    pub n_idle_chips: usize,
}

/// What it does to one slice; coordinates and axes are the slice's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The slice.
    pub slice: SliceId,
    /// Chips of it that fail.
    pub n_chips: usize,
    /// Links of it that fail, those of failed chips included.
    pub n_links: usize,
    /// Sizes of the groups of chips that still reach one another, largest first.
    pub islands: Vec<usize>,
    /// The rings and lines that are broken, by axis and then by first chip.
    pub rings: Vec<RingHit>,
    /// What helps.
    pub remedy: Remedy,
}

/// What becomes of a ring, or of a line where the axis does not wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingHit {
    /// Its axis.
    pub axis: Axis,
    /// Its chip that comes first in row-major order.
    pub first: Coord,
    /// Its chips before.
    pub length: usize,
    /// Whether it was a ring.
    pub was_ring: bool,
    /// Its chips that fail.
    pub n_chips: usize,
    /// The lines into which it falls: one is a ring that became a line, or a line that became shorter.
    pub n_pieces: usize,
}

/// What helps a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Only links through optical switches fail: messages go around them, and the job goes on (Zu et al., NSDI 2024).
    Reroute,
    /// Cubes must be replaced, and the job starts again from its last checkpoint (the same source).
    NeedsSpare {
        /// The cubes, by pod coordinate.
        cubes: Vec<Coord>,
        /// Working cubes that are in no slice. Where they are fewer, the slice is illegal until a repair.
        n_available: usize,
    },
    /// It is no whole torus or mesh any more, and nothing can be put in its place: it must move or wait for a repair.
    Illegal,
}

/// A pod as it is asked again and again what a failure would do.
#[derive(Debug, Clone)]
pub struct BlastMap<'a> {
    pod: &'a Pod,
    slices: Vec<Known<'a>>,
    /// For each chip the slice that has it, by place in `slices`, and its place in that slice.
    owners: Vec<Option<(usize, Coord)>>,
    /// Working cubes that are in no slice.
    idle_cubes: BTreeSet<Coord>,
}

#[derive(Debug, Clone)]
struct Known<'a> {
    slice: &'a Slice,
    whole: Network,
    layout: Layout,
    /// Whether optical switches join its cubes.
    switched: bool,
}

impl<'a> BlastMap<'a> {
    /// Of a pod whose chips are of a generation.
    ///
    /// # Errors
    /// If the pod has a slice that the generation does not offer.
    pub fn new(pod: &'a Pod, generation: &Generation) -> Result<Self, SliceError> {
        let mut slices = Vec::with_capacity(pod.slices.len());
        let mut owners = vec![None; pod.shape.n_chips()];
        for (number, slice) in pod.slices.iter().enumerate() {
            let torus = SliceModel::new(generation, slice.shape, Some(slice.twisted))?.torus;
            for (own, chip) in pod.slice_chips(slice) {
                owners[pod.shape.index_of(chip)].get_or_insert((number, own));
            }
            let switched = pod.wiring_of(slice).is_some();
            let whole = Network::new(torus, Outage::default());
            slices.push(Known { slice, whole, layout: Layout::of(slice), switched });
        }
        let broken = pod.broken();
        let idle = |cube: &Coord| {
            let mut chips = pod.chips_of_cube(*cube).map(|chip| pod.shape.index_of(chip));
            let whole = pod.chips_of_cube(*cube).count() == usize::from(CUBE_SIDE).pow(3);
            whole && chips.all(|chip| owners[chip].is_none() && !broken[chip])
        };
        let idle_cubes = pod.cubes().into_iter().flat_map(|cubes| cubes.coords().collect::<Vec<_>>()).filter(idle);
        let idle_cubes = idle_cubes.collect();
        Ok(Self { pod, slices, owners, idle_cubes })
    }

    /// What each of the 48 optical switches would do; empty for a flat pod, which has none.
    pub fn of_switches(&self) -> Vec<Blast> {
        let switches = Switch::all().filter(|_| self.pod.cubes().is_some());
        switches.map(|switch| self.of(switch.component())).collect()
    }

    /// What a component would do.
    pub fn of(&self, component: Component) -> Blast {
        let shape = self.pod.shape;
        let mut n_idle_chips = 0;
        let mut outages: BTreeMap<usize, Outage> = BTreeMap::new();
        let failed: Vec<Coord> = component.chips(shape).collect();
        for chip in &failed {
            match self.owners[shape.index_of(*chip)] {
                Some((number, own)) => {
                    outages.entry(number).or_default().chips.insert(own);
                }
                None => n_idle_chips += 1,
            }
        }
        for link in component.links(shape) {
            let Some((number, from)) = self.owners[shape.index_of(link.from)] else { continue };
            let known = &self.slices[number];
            let own = Link { from, axis: known.layout.own_axis(link.axis) };
            if known.whole.torus().step(own.from, own.axis, Sign::Plus).is_some() {
                outages.entry(number).or_default().links.insert(own);
            }
        }
        let hits = outages.into_iter().map(|(number, outage)| self.hit(&self.slices[number], outage, &failed));
        Blast { component, hits: hits.collect(), n_idle_chips }
    }

    fn hit(&self, known: &Known<'_>, outage: Outage, failed: &[Coord]) -> Hit {
        let rings = broken_rings(known.whole.torus(), &outage);
        let remedy = self.remedy(known, &outage, failed);
        let n_chips = outage.chips.len();
        let network = known.whole.clone().without(outage);
        let n_links = known.whole.n_links() - network.n_links();
        Hit { slice: known.slice.id.clone(), n_chips, n_links, islands: network.islands(), rings, remedy }
    }

    fn remedy(&self, known: &Known<'_>, outage: &Outage, failed: &[Coord]) -> Remedy {
        if !known.switched {
            return Remedy::Illegal;
        }
        // A link inside a cube is copper and goes with the cube; one that leaves it goes through a switch.
        let copper = |link: &&Link| Switch::of_link(link.from, link.axis, Sign::Plus).is_none();
        let with_copper = outage.links.iter().filter(copper).map(|link| link.from);
        let own_chips = outage.chips.iter().copied().chain(with_copper);
        let cubes: BTreeSet<Coord> = own_chips.filter_map(|own| known.layout.pod_chip(own)).map(cube_of).collect();
        if cubes.is_empty() {
            return Remedy::Reroute;
        }
        let lost: BTreeSet<Coord> = failed.iter().map(|chip| cube_of(*chip)).collect();
        let n_available = self.idle_cubes.difference(&lost).count();
        Remedy::NeedsSpare { cubes: cubes.into_iter().collect(), n_available }
    }
}

/// The rings and lines of a torus that an outage breaks.
fn broken_rings(torus: &Torus, outage: &Outage) -> Vec<RingHit> {
    let through = outage.chips.iter().flat_map(|chip| Axis::ALL.into_iter().map(move |axis| (axis, *chip)));
    let along = outage.links.iter().map(|link| (link.axis, link.from));
    let mut seen = BTreeSet::new();
    let mut hits = Vec::new();
    for (axis, chip) in through.chain(along).filter(|(axis, _)| torus.shape().along(*axis) > 1) {
        if seen.contains(&(axis, chip)) {
            continue;
        }
        let (ring, was_ring) = ring_through(torus, axis, chip);
        seen.extend(ring.iter().map(|chip| (axis, *chip)));
        hits.push(ring_hit(axis, &ring, was_ring, outage));
    }
    let shape = torus.shape();
    hits.sort_by_key(|hit| (hit.axis, shape.index_of(hit.first)));
    hits
}

/// The chips that are in line with one along an axis, in the positive direction, and whether the last leads to the first.
///
/// In a twisted torus such a ring goes on in other rows before it comes back.
fn ring_through(torus: &Torus, axis: Axis, chip: Coord) -> (Vec<Coord>, bool) {
    let mut ring = vec![chip];
    let mut at = chip;
    while let Some(step) = torus.step(at, axis, Sign::Plus) {
        if step.to == chip {
            return (ring, true);
        }
        at = step.to;
        ring.push(at);
    }
    let mut before = Vec::new();
    at = chip;
    while let Some(step) = torus.step(at, axis, Sign::Minus) {
        at = step.to;
        before.push(at);
    }
    before.reverse();
    before.extend(ring);
    (before, false)
}

fn ring_hit(axis: Axis, ring: &[Coord], was_ring: bool, outage: &Outage) -> RingHit {
    let works = |chip: &Coord| !outage.chips.contains(chip);
    let joined =
        |from: &Coord, to: &Coord| works(from) && works(to) && !outage.links.contains(&Link { from: *from, axis });
    let n_chips = ring.iter().filter(|chip| works(chip)).count();
    let mut n_joined = ring.windows(2).filter(|hop| joined(&hop[0], &hop[1])).count();
    if let ([first, .., last], true) = (ring, was_ring) {
        n_joined += usize::from(joined(last, first));
    }
    // Lines have one link fewer than chips.
    let n_pieces = n_chips - n_joined;
    let first = ring.iter().min_by_key(|chip| (chip.z, chip.y, chip.x)).copied().unwrap_or_default();
    RingHit { axis, first, length: ring.len(), was_ring, n_chips: ring.len() - n_chips, n_pieces }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Catalog;
    use crate::occupancy::tests::{block, pod};

    fn hit(pod: &Pod, component: Component) -> Blast {
        BlastMap::new(pod, Catalog::embedded().find(&pod.generation.0).unwrap()).unwrap().of(component)
    }

    #[test]
    fn a_switch_cuts_each_ring_of_cubes_at_its_place_and_messages_go_around() {
        let mut pod = pod();
        pod.slices = vec![block("a", "8x8x16", [0, 0, 0])];
        let blast = hit(&pod, Component::Switch(Axis::Z, 1, 2));
        let [hit] = &blast.hits[..] else { panic!("one slice") };
        // Four rings of 16 chips at that place of the face, one for each of 2x2 stacks of four cubes.
        assert_eq!((hit.n_chips, hit.n_links, hit.rings.len()), (0, 16, 4));
        let first = Coord::new(1, 2, 0);
        let ring = RingHit { axis: Axis::Z, first, length: 16, was_ring: true, n_chips: 0, n_pieces: 4 };
        assert_eq!(hit.rings[0], ring);
        assert_eq!((&hit.islands[..], &hit.remedy), (&[1024][..], &Remedy::Reroute));
    }

    #[test]
    fn the_ring_of_one_cube_becomes_a_line() {
        let mut pod = pod();
        pod.slices = vec![block("a", "4x4x4", [0, 0, 0])];
        let blast = hit(&pod, Component::Switch(Axis::X, 0, 0));
        let ring = &blast.hits[0].rings[0];
        assert_eq!((ring.length, ring.was_ring, ring.n_pieces), (4, true, 1));
    }

    #[test]
    fn a_twisted_ring_is_followed_through_all_its_rows() {
        let mut pod = pod();
        let twisted = Slice { twisted: true, ..block("a", "4x4x8", [0, 0, 0]) };
        pod.slices = vec![twisted];
        let ring = hit(&pod, Component::Link(Coord::new(0, 0, 0), Axis::X)).hits[0].rings[0];
        assert_eq!((ring.length, ring.was_ring, ring.n_pieces), (8, true, 1));
    }

    #[test]
    fn a_chip_and_a_link_inside_a_cube_take_the_cube() {
        let mut pod = pod();
        pod.slices = vec![block("a", "4x4x8", [4, 0, 0]), block("b", "2x2x1", [0, 0, 0])];
        let remedy = |component| hit(&pod, component).hits[0].remedy.clone();
        let cubes = vec![Coord::new(1, 0, 1)];
        let spare = Remedy::NeedsSpare { cubes, n_available: 13 };
        assert_eq!(remedy(Component::Chip(Coord::new(5, 1, 6))), spare);
        assert_eq!(remedy(Component::Link(Coord::new(5, 1, 6), Axis::Z)), spare);
        assert_eq!(remedy(Component::Link(Coord::new(7, 1, 6), Axis::X)), Remedy::Reroute);
        assert_eq!(remedy(Component::Host(Coord::new(0, 0, 0))), Remedy::Illegal, "a mesh inside a cube");
        let idle = hit(&pod, Component::Cube(Coord::new(0, 0, 0)));
        assert_eq!((idle.n_idle_chips, idle.hits[0].n_chips, idle.hits[0].islands.len()), (60, 4, 0));
    }

    #[test]
    fn a_switch_does_nothing_to_what_it_does_not_join() {
        let mut pod = pod();
        pod.slices = vec![block("a", "2x2x4", [0, 0, 0])];
        let map = BlastMap::new(&pod, Catalog::embedded().find("v5p").unwrap()).unwrap();
        let all = map.of_switches();
        assert_eq!(all.len(), 48);
        assert!(all.iter().all(|blast| blast.hits.is_empty() && blast.n_idle_chips == 0));
    }
}
