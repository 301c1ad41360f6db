//! Messages over each link of a damaged torus that looks the same from every chip, counted from several chips at once.
//!
//! From every chip the whole torus is one pattern: places in the order of their hops, each with the links that lead back
//! towards the start. Of a start, only the places near faults differ from it. So routes are added up along the pattern,
//! for [`LANES`] starts in step; where a fault touches a place, its links are looked at one by one. A place that no route
//! of its usual length reaches (a late one) is searched for afterwards: no shortest route leads from a late place to one
//! that is not late, because a neighbour one hop nearer would have to be on time itself.

use crate::graph::{FAR, N_DIRECTIONS, Network, search_table};

/// Starts that are counted in step.
const LANES: usize = 4;

type Lanes = [f64; LANES];

/// A link back towards the start: the place that it leads to, and its direction.
#[derive(Debug, Clone, Copy)]
struct Back {
    place: u32,
    slot: u8,
}

/// The whole torus as it looks from any chip, by places in the order of their hops.
struct Pattern {
    hops: Vec<u32>,
    next: Vec<[u32; N_DIRECTIONS]>,
    /// Links back of all places, one place after the other.
    back: Vec<Back>,
    /// Where the links back of each place begin, and the end of all.
    first: Vec<u32>,
}

impl Pattern {
    fn new(whole: &[[u32; N_DIRECTIONS]]) -> Self {
        let n = whole.len();
        let mut distance = vec![FAR; n];
        let order = search_table(whole, 0, &mut distance);
        let mut place_of = vec![n as u32; n + 1];
        for (place, chip) in (0_u32..).zip(&order) {
            place_of[*chip] = place;
        }
        let hops: Vec<u32> = order.iter().map(|chip| distance[*chip]).collect();
        let next: Vec<[u32; N_DIRECTIONS]> =
            order.iter().map(|chip| whole[*chip].map(|to| place_of[to as usize])).collect();
        let (mut back, mut first) = (Vec::new(), vec![0]);
        for (place, hops_here) in hops.iter().enumerate() {
            let nearer = |to: u32| hops.get(to as usize).is_some_and(|hops| hops + 1 == *hops_here);
            back.extend(
                (0_u8..).zip(next[place]).filter(|(_, to)| nearer(*to)).map(|(slot, place)| Back { place, slot }),
            );
            first.push(back.len() as u32);
        }
        Self { hops, next, back, first }
    }

    fn back(&self, place: usize) -> &[Back] {
        &self.back[self.first[place] as usize..self.first[place + 1] as usize]
    }
}

/// Counts messages by chip and direction.
pub(super) struct Counter<'a> {
    pattern: Pattern,
    whole: &'a [[u32; N_DIRECTIONS]],
    working: &'a [[u32; N_DIRECTIONS]],
    /// Whether a link at a chip does not work.
    touched: Vec<bool>,
    /// By place: the chip that stands there for each start.
    chips: Vec<[u32; LANES]>,
    /// Whether one of these chips is touched.
    marked: Vec<bool>,
    routes: Vec<Lanes>,
    /// What goes on from a place, for the places that it goes to.
    through: Vec<Lanes>,
    late: Late,
    /// Messages that leave each chip, by direction.
    pub(super) load: Vec<[f64; N_DIRECTIONS]>,
}

/// Places of one start that are farther than usual.
struct Late {
    /// In no order, for each start.
    found: [Vec<u32>; LANES],
    /// Hops by place; [`FAR`] for those on time and those that are not reached.
    hops: Vec<u32>,
    routes: Vec<f64>,
    through: Vec<f64>,
    /// Places by hops.
    buckets: Vec<Vec<u32>>,
    /// Places that are reached, from near to far.
    order: Vec<u32>,
}

impl<'a> Counter<'a> {
    /// Of a network whose torus looks the same from every chip, and the table of neighbours of the whole torus.
    pub(super) fn new(network: &'a Network, whole: &'a [[u32; N_DIRECTIONS]]) -> Self {
        let n = whole.len();
        let working = network.next();
        let late = Late {
            found: Default::default(),
            hops: vec![FAR; n],
            routes: vec![0.0; n],
            through: vec![0.0; n],
            buckets: Vec::new(),
            order: Vec::new(),
        };
        Self {
            pattern: Pattern::new(whole),
            whole,
            working,
            touched: whole.iter().zip(working).map(|(whole, working)| whole != working).collect(),
            chips: vec![[0; LANES]; n],
            marked: vec![false; n],
            routes: vec![[0.0; LANES]; n],
            through: vec![[0.0; LANES]; n],
            late,
            load: vec![[0.0; N_DIRECTIONS]; n],
        }
    }

    /// Adds one message from each chip of a list to each that it reaches; gives the chips that are left over, fewer than
    /// can be counted in step.
    pub(super) fn add_all<'s>(&mut self, starts: &'s [usize]) -> &'s [usize] {
        let (groups, rest) = starts.as_chunks::<LANES>();
        for group in groups {
            self.stand(group);
            self.add_routes();
            for lane in 0..LANES {
                self.add_late(lane);
            }
            self.spread();
        }
        rest
    }

    /// Finds the chip of every place.
    fn stand(&mut self, starts: &[usize; LANES]) {
        for place in 0..self.chips.len() {
            let chips = match self.pattern.back(place).first() {
                None => starts.map(|start| start as u32),
                Some(back) => {
                    // The link leads back, so its opposite leads here.
                    let slot = usize::from(back.slot ^ 1);
                    self.chips[back.place as usize].map(|chip| self.whole[chip as usize][slot])
                }
            };
            self.marked[place] = chips.iter().any(|chip| self.touched[*chip as usize]);
            self.chips[place] = chips;
        }
    }

    /// Whether the link of a place works for a start.
    fn works(&self, place: usize, slot: u8, lane: usize) -> bool {
        let from = self.chips[place][lane] as usize;
        let slot = usize::from(slot);
        self.working[from][slot] == self.whole[from][slot]
    }

    /// Values of all starts, with 0 for those for which a link does not work.
    fn over_working(&self, (place, slot): (usize, u8), values: Lanes) -> Lanes {
        std::array::from_fn(|lane| if self.works(place, slot, lane) { values[lane] } else { 0.0 })
    }

    /// Number of routes of the usual length to every place.
    fn add_routes(&mut self) {
        self.late.found.iter_mut().for_each(Vec::clear);
        self.through.fill([0.0; LANES]);
        self.routes[0] = [1.0; LANES];
        for place in 1..self.routes.len() {
            let mut routes = [0.0; LANES];
            for back in self.pattern.back(place) {
                let mut before = self.routes[back.place as usize];
                if self.marked[place] {
                    before = self.over_working((place, back.slot), before);
                }
                for (routes, before) in routes.iter_mut().zip(before) {
                    *routes += before;
                }
            }
            self.routes[place] = routes;
            for (routes, found) in routes.iter().zip(&mut self.late.found) {
                if *routes == 0.0 {
                    found.push(place as u32);
                }
            }
        }
    }

    /// Hops and routes of late places of one start, and what comes to them.
    fn add_late(&mut self, lane: usize) {
        let found = std::mem::take(&mut self.late.found[lane]);
        self.search_late(&found, lane);
        let order = std::mem::take(&mut self.late.order);
        for &place in &order {
            let mut routes = 0.0;
            self.for_each_before(place, lane, |counter, _slot, before| routes += counter.routes_to(before, lane));
            self.late.routes[place as usize] = routes;
        }
        for &place in order.iter().rev() {
            let share = (1.0 + self.late.through[place as usize]) / self.late.routes[place as usize];
            self.for_each_before(place, lane, |counter, slot, before| {
                let sent = counter.routes_to(before, lane) * share;
                let chip = counter.chips[before as usize][lane] as usize;
                counter.load[chip][usize::from(slot ^ 1)] += sent;
                if counter.late.hops[before as usize] == FAR {
                    counter.through[before as usize][lane] += sent;
                } else {
                    counter.late.through[before as usize] += sent;
                }
            });
        }
        for &place in &order {
            self.late.hops[place as usize] = FAR;
            self.late.through[place as usize] = 0.0;
        }
        (self.late.order, self.late.found[lane]) = (order, found);
    }

    fn routes_to(&self, place: u32, lane: usize) -> f64 {
        let place = place as usize;
        if self.late.hops[place] == FAR { self.routes[place][lane] } else { self.late.routes[place] }
    }

    /// Hops to a place for a start; [`FAR`] where it is not reached, or not yet.
    fn hops_to(&self, place: usize, lane: usize) -> u32 {
        if self.routes[place][lane] > 0.0 { self.pattern.hops[place] } else { self.late.hops[place] }
    }

    /// Calls back with direction and place of every working link of a late place that leads back towards the start.
    fn for_each_before(&mut self, place: u32, lane: usize, mut act: impl FnMut(&mut Self, u8, u32)) {
        let hops = self.late.hops[place as usize];
        for (slot, to) in (0_u8..).zip(self.pattern.next[place as usize]) {
            let is_link = (to as usize) < self.routes.len() && self.works(place as usize, slot, lane);
            if is_link && self.hops_to(to as usize, lane) == hops - 1 {
                act(self, slot, to);
            }
        }
    }

    /// Finds the hops of late places by a search that starts at their neighbours on time.
    fn search_late(&mut self, found: &[u32], lane: usize) {
        self.late.order.clear();
        for &place in found {
            self.reach(place, lane);
        }
        let mut hops = 0;
        while hops < self.late.buckets.len() {
            for place in std::mem::take(&mut self.late.buckets[hops]) {
                if self.late.hops[place as usize] != hops as u32 || self.late.routes[place as usize] < 0.0 {
                    continue;
                }
                // A mark that it was seen; the routes are set afterwards.
                self.late.routes[place as usize] = -1.0;
                self.late.order.push(place);
                for (slot, to) in (0_u8..).zip(self.pattern.next[place as usize]) {
                    let is_late = (to as usize) < self.routes.len() && self.routes[to as usize][lane] == 0.0;
                    if is_late && self.works(place as usize, slot, lane) {
                        self.reach(to, lane);
                    }
                }
            }
            hops += 1;
        }
        self.late.buckets.clear();
    }

    /// Sets the hops of a late place to one more than those of its nearest neighbour, where that is fewer than before.
    fn reach(&mut self, place: u32, lane: usize) {
        let links = (0_u8..).zip(self.pattern.next[place as usize]);
        let reached =
            links.filter(|(slot, to)| (*to as usize) < self.routes.len() && self.works(place as usize, *slot, lane));
        let Some(nearest) = reached.map(|(_, to)| self.hops_to(to as usize, lane)).min().filter(|hops| *hops != FAR)
        else {
            return;
        };
        let hops = nearest + 1;
        if hops < self.late.hops[place as usize] {
            self.late.hops[place as usize] = hops;
            self.late.routes[place as usize] = 0.0;
            let n_buckets = self.late.buckets.len().max(hops as usize + 1);
            self.late.buckets.resize_with(n_buckets, Vec::new);
            self.late.buckets[hops as usize].push(place);
        }
    }

    /// From far to near: what comes to a place on time or goes through it came over its links back.
    fn spread(&mut self) {
        for place in (1..self.routes.len()).rev() {
            let (routes, through) = (self.routes[place], self.through[place]);
            let share: Lanes =
                std::array::from_fn(|lane| if routes[lane] > 0.0 { (1.0 + through[lane]) / routes[lane] } else { 0.0 });
            for back in self.pattern.back(place) {
                let (before, slot) = (back.place as usize, usize::from(back.slot ^ 1));
                let routes = self.routes[before];
                let mut sent: Lanes = std::array::from_fn(|lane| routes[lane] * share[lane]);
                if self.marked[place] {
                    sent = self.over_working((place, back.slot), sent);
                }
                for (through, sent) in self.through[before].iter_mut().zip(sent) {
                    *through += sent;
                }
                for (chip, sent) in self.chips[before].iter().zip(sent) {
                    self.load[*chip as usize][slot] += sent;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Outage;
    use crate::measure::counter;
    use crate::shape::{Axis, Shape};
    use crate::torus::{Link, Torus};

    fn torus() -> impl Strategy<Value = Torus> {
        let plain = (1_u16..7, 1_u16..6, 1_u16..6).prop_map(|(x, y, z)| Torus::plain(Shape::solid(x, y, z), [true; 3]));
        let twisted = (2_u16..4, 2_u16..6).prop_map(|(k, n)| Torus::twisted(Shape::solid(k, 2 * k, n * k)).unwrap());
        let lattice = (2_u16..5).prop_map(|k| Torus::twisted(Shape::solid(k, k, 2 * k)).unwrap());
        prop_oneof![plain, twisted, lattice]
    }

    proptest! {
        /// Against the count from one chip after the other, with any links and chips broken, islands included.
        #[test]
        fn counting_in_step_is_counting_one_by_one(
            torus in torus(),
            links in prop::collection::vec((0_usize..400, 0_usize..3), 0..60),
            chips in prop::collection::vec(0_usize..400, 0..5),
        ) {
            let shape = torus.shape();
            let chip = |index: usize| shape.coord_of(index % shape.n_chips());
            let links = links.into_iter().map(|(from, axis)| Link { from: chip(from), axis: Axis::ALL[axis] }).collect();
            let outage = Outage { chips: chips.into_iter().map(chip).collect(), links };
            let network = Network::new(torus, outage);
            let whole = Network::new(torus, Outage::default());
            let starts: Vec<usize> =
                shape.coords().enumerate().filter(|(_, chip)| network.works(*chip)).map(|(index, _)| index).collect();
            let mut together = Counter::new(&network, whole.next());
            let rest = together.add_all(&starts);
            let mut apart = counter::Counter::new(&network);
            for start in &starts[..starts.len() - rest.len()] {
                apart.add_from(*start);
            }
            for (index, (ours, theirs)) in together.load.iter().zip(&apart.load).enumerate() {
                for (a, b) in ours.iter().zip(theirs) {
                    prop_assert!((a - b).abs() <= 1e-9 * b.max(1.0), "{index}: {ours:?} {theirs:?}");
                }
            }
        }
    }
}
