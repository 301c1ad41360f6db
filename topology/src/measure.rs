//! What faults leave of a slice, by exact search: links, islands, distances and the load of links.
//!
//! Where nothing is broken, distances follow from arithmetic ([`closed_histogram`]). Else all pairs are searched: from
//! `LANES` × 64 chips at once, with one bit per start in each chip, so that a hop of all of them is a few machine words.

mod counter;
mod symmetric;

use crate::graph::{DIRECTIONS, Direction, N_DIRECTIONS, Network, Outage};
use crate::measure::counter::Counter;
use crate::shape::{Axis, Coord};
use crate::torus::Torus;

/// Machine words of the bit set of each chip.
const LANES: usize = 8;

/// How many ordered pairs of working chips are how far apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distances {
    /// Ordered pairs by hops of a shortest route; index 0 counts each working chip with itself.
    pub histogram: Vec<u64>,
    /// Ordered pairs without a route.
    pub n_unreachable: u64,
}

impl Distances {
    /// Hops of the longest shortest route; 0 where no chip reaches another.
    pub const fn diameter(&self) -> usize {
        self.histogram.len().saturating_sub(1)
    }

    /// Mean hops over ordered pairs of different chips that reach one another; absent where there are none.
    pub fn mean(&self) -> Option<f64> {
        let pairs: u64 = self.histogram.iter().skip(1).sum();
        let hops: u64 = self.histogram.iter().zip(0_u64..).map(|(pairs, hops)| pairs * hops).sum();
        (pairs > 0).then(|| hops as f64 / pairs as f64)
    }
}

/// Messages over each direction of each link when every working chip sends one to every other that it reaches, split
/// evenly over all shortest routes.
#[derive(Debug, Clone, PartialEq)]
pub struct Loads {
    torus: Torus,
    by_direction: Vec<[f64; N_DIRECTIONS]>,
}

impl Loads {
    /// Messages that leave a chip in a direction; 0 where no link works.
    ///
    /// # Panics
    /// If the chip lies outside.
    pub fn of(&self, chip: Coord, direction: Direction) -> f64 {
        let slot = DIRECTIONS.iter().position(|other| *other == direction).unwrap_or_default();
        self.by_direction[self.torus.shape().index_of(chip)][slot]
    }

    /// The busiest direction of a link, by the chip that it leaves, and its messages; the first one of equals. Absent
    /// where nothing is sent.
    pub fn busiest(&self) -> Option<(Coord, Direction, f64)> {
        let mut busiest: Option<(Coord, Direction, f64)> = None;
        for (index, loads) in self.by_direction.iter().enumerate() {
            for (load, direction) in loads.iter().zip(DIRECTIONS) {
                if *load > busiest.map_or(0.0, |(_, _, most)| most) {
                    busiest = Some((self.torus.shape().coord_of(index), direction, *load));
                }
            }
        }
        busiest
    }

    /// All messages times their hops.
    pub fn total(&self) -> f64 {
        self.by_direction.iter().flatten().sum()
    }
}

/// What is left of a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Chips that work.
    pub n_chips: usize,
    /// Links that work.
    pub n_links: usize,
    /// Sizes of the groups of chips that reach one another, largest first.
    pub islands: Vec<usize>,
    /// Hops between them.
    pub distances: Distances,
    /// Messages over the busiest direction of a link, all to all; absent where nothing is sent.
    pub busiest_load: Option<f64>,
    /// Messages over a direction of a working link, on the average; absent without links.
    pub mean_load: Option<f64>,
}

impl Measures {
    /// Everything of a network, exactly. A pod of 9,216 chips with faults takes seconds, nearly all of it for the loads.
    pub fn of(network: &Network) -> Self {
        let distances = distances(network);
        let loads = loads(network);
        Self {
            n_chips: network.n_chips(),
            n_links: network.n_links(),
            islands: network.islands(),
            distances,
            busiest_load: loads.busiest().map(|(_, _, load)| load),
            mean_load: (network.n_links() > 0).then(|| loads.total() / (2 * network.n_links()) as f64),
        }
    }
}

/// Distances between all working chips: by arithmetic where nothing is broken, else by search.
pub fn distances(network: &Network) -> Distances {
    if network.outage().is_empty() {
        return Distances { histogram: closed_histogram(network.torus()), n_unreachable: 0 };
    }
    searched_distances(network)
}

/// Ordered pairs of chips of a whole torus by their distance.
///
/// In a ring of n there are n pairs at distance 0, 2n at each distance below n/2 and n at n/2 if n is even; in a line
/// 2(n − d) at each distance d from 1. Axes are independent, so the counts of the axes are multiplied out. A twisted torus
/// looks the same from every chip, so the distances from one count n times.
pub fn closed_histogram(torus: &Torus) -> Vec<u64> {
    let shape = torus.shape();
    if torus.is_twisted() {
        let mut histogram = Vec::new();
        for chip in shape.coords() {
            let hops = torus.distance(Coord::default(), chip) as usize;
            histogram.resize(histogram.len().max(hops + 1), 0);
            histogram[hops] += shape.n_chips() as u64;
        }
        return histogram;
    }
    let mut histogram = vec![1];
    for axis in Axis::ALL {
        let along = axis_histogram(u64::from(shape.along(axis)), torus.wrap()[axis.index()]);
        let mut product = vec![0; histogram.len() + along.len() - 1];
        for (i, a) in histogram.iter().enumerate() {
            for (j, b) in along.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        histogram = product;
    }
    histogram
}

fn axis_histogram(size: u64, wraps: bool) -> Vec<u64> {
    let pairs = |hops: u64| match (hops, wraps) {
        (0, _) => size,
        (_, false) => 2 * (size - hops),
        (_, true) if 2 * hops == size => size,
        (_, true) => 2 * size,
    };
    let farthest = if wraps { size / 2 } else { size - 1 };
    (0..=farthest).map(pairs).collect()
}

/// Distances between all working chips by search, whether something is broken or not.
pub fn searched_distances(network: &Network) -> Distances {
    let shape = network.torus().shape();
    let starts: Vec<usize> =
        shape.coords().enumerate().filter(|(_, chip)| network.works(*chip)).map(|(index, _)| index).collect();
    table_distances(network.next(), &starts)
}

/// Distances between the chips of a list in a table of neighbours, which has the number of all chips for no chip.
pub(crate) fn table_distances(next: &[[u32; N_DIRECTIONS]], starts: &[usize]) -> Distances {
    let mut histogram = vec![starts.len() as u64];
    let mut front = Front::new(next);
    for block in starts.chunks(64 * LANES) {
        front.start(block);
        let mut hops = 1;
        loop {
            let reached = front.advance();
            if reached == 0 {
                break;
            }
            histogram.resize(histogram.len().max(hops + 1), 0);
            histogram[hops] += reached;
            hops += 1;
        }
    }
    histogram.truncate(if starts.is_empty() { 0 } else { histogram.len() });
    let n_pairs = (starts.len() as u64).pow(2);
    let n_unreachable = n_pairs - histogram.iter().sum::<u64>();
    Distances { histogram, n_unreachable }
}

type Bits = [u64; LANES];

/// Searches from many chips in step. The place after the last chip stands for no chip and is never reached.
struct Front<'a> {
    next: &'a [[u32; N_DIRECTIONS]],
    seen: Vec<Bits>,
    now: Vec<Bits>,
    then: Vec<Bits>,
    full: Bits,
}

impl<'a> Front<'a> {
    fn new(next: &'a [[u32; N_DIRECTIONS]]) -> Self {
        let empty = vec![[0; LANES]; next.len() + 1];
        Self { next, seen: empty.clone(), now: empty.clone(), then: empty, full: [0; LANES] }
    }

    /// Starts anew, with one bit for each of up to 64 × [`LANES`] chips.
    fn start(&mut self, chips: &[usize]) {
        self.now.fill([0; LANES]);
        self.full = [0; LANES];
        for (bit, chip) in chips.iter().enumerate() {
            self.now[*chip][bit / 64] |= 1 << (bit % 64);
            self.full[bit / 64] |= 1 << (bit % 64);
        }
        self.seen.clone_from(&self.now);
    }

    /// Goes one hop on; gives how many chips were reached for the first time, once for each start.
    fn advance(&mut self) -> u64 {
        let mut reached = 0;
        let chips = self.next.iter().zip(&mut self.seen).zip(&mut self.then);
        for ((next, seen), then) in chips {
            *then = [0; LANES];
            if *seen == self.full {
                continue;
            }
            let mut found = [0; LANES];
            for chip in next {
                let from = &self.now[*chip as usize];
                for (found, from) in found.iter_mut().zip(from) {
                    *found |= from;
                }
            }
            let mut n_found = 0;
            for ((then, seen), found) in then.iter_mut().zip(seen.iter_mut()).zip(found) {
                *then = found & !*seen;
                *seen |= found;
                n_found += then.count_ones();
            }
            reached += u64::from(n_found);
        }
        std::mem::swap(&mut self.now, &mut self.then);
        reached
    }
}

/// Load of every link, all to all.
///
/// Messages are counted from each chip in turn (Brandes's accumulation, J. Math. Sociol. 25, 2001). In a torus that looks
/// the same from every chip, several chips are counted in step; in a whole one, those from one chip are counted and spread
/// over all links of each direction.
pub fn loads(network: &Network) -> Loads {
    let torus = *network.torus();
    let shape = torus.shape();
    let mut counter = Counter::new(network);
    if network.outage().is_empty() && torus.is_symmetric() {
        counter.add_from(0);
        let sum = |slot: usize| counter.load.iter().map(|loads| loads[slot]).sum::<f64>();
        return Loads { torus, by_direction: vec![std::array::from_fn(sum); shape.n_chips()] };
    }
    let starts: Vec<usize> =
        shape.coords().enumerate().filter(|(_, chip)| network.works(*chip)).map(|(index, _)| index).collect();
    let whole = Network::new(torus, Outage::default());
    let mut in_step = symmetric::Counter::new(network, whole.next());
    let one_by_one = if torus.is_symmetric() { in_step.add_all(&starts) } else { &starts };
    for start in one_by_one {
        counter.add_from(*start);
    }
    counter.load.pop();
    for (sum, more) in counter.load.iter_mut().zip(in_step.load) {
        for (sum, more) in sum.iter_mut().zip(more) {
            *sum += more;
        }
    }
    Loads { torus, by_direction: counter.load }
}
