//! The links that collectives run over, ways around those that do not work, and what has crossed each of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use topology::graph::{Network, NoRoute, Outage};
use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Sign, Torus};

use super::mesh::{Factor, Mesh};

/// Which way round a line of places.
pub(crate) const BOTH: [Sign; 2] = [Sign::Plus, Sign::Minus];

/// No chip.
pub(crate) const NONE: usize = usize::MAX;

/// A link direction by its number: chip, axis and sign.
const fn slot(chip: usize, axis: Axis, sign: Sign) -> usize {
    chip * 6 + axis as usize * 2 + sign as usize
}

/// The ways between neighbours: the link that joins them or, where that does not work, a shortest way around.
pub(crate) struct Roads {
    torus: Torus,
    /// The link directions of the way around, by the link direction that does not work.
    detours: BTreeMap<usize, Vec<usize>>,
}

impl Roads {
    /// Around what does not work; both ends of a link that is lost have to work.
    ///
    /// # Errors
    /// If the ends of a lost link have no way left between them.
    pub(crate) fn around(torus: &Torus, outage: &Outage) -> Result<Self, NoRoute> {
        let mut roads = Self { torus: *torus, detours: BTreeMap::new() };
        if outage.is_empty() {
            return Ok(roads);
        }
        let network = Network::new(*torus, outage.clone());
        let shape = torus.shape();
        for link in outage.links.iter().filter(|link| shape.contains(link.from)) {
            let Some(step) = torus.step(link.from, link.axis, Sign::Plus) else { continue };
            for (from, to, sign) in [(link.from, step.to, Sign::Plus), (step.to, link.from, Sign::Minus)] {
                let routes = network.shortest_routes(from, to)?;
                let (mut way, mut at) = (Vec::new(), from);
                while let Some(((axis, sign), next)) = routes.next_hops(at).next() {
                    way.push(slot(shape.index_of(at), axis, sign));
                    at = next;
                }
                roads.detours.insert(slot(shape.index_of(from), link.axis, sign), way);
            }
        }
        Ok(roads)
    }
}

/// Elements that crossed each link in each direction.
pub(crate) struct Wires {
    roads: Arc<Roads>,
    /// By chip, axis and sign.
    sent: Vec<u64>,
}

impl Wires {
    pub(crate) fn new(roads: &Arc<Roads>) -> Self {
        Self { sent: vec![0; roads.torus.shape().n_chips() * 6], roads: Arc::clone(roads) }
    }

    fn shape(&self) -> Shape {
        self.roads.torus.shape()
    }

    /// Elements go from a chip to the next place of a line, over each link between, or around it.
    pub(crate) fn count(&mut self, line: &Line, chip: usize, sign: Sign, elements: usize) {
        let shape = self.shape();
        let mut at = chip;
        for _ in 0..line.factor.stride {
            let direct = slot(at, line.factor.axis, sign);
            match self.roads.detours.get(&direct) {
                None => self.sent[direct] += elements as u64,
                Some(way) => way.iter().for_each(|crossed| self.sent[*crossed] += elements as u64),
            }
            let step = self.roads.torus.step(shape.coord_of(at), line.factor.axis, sign);
            at = step.map_or(at, |step| shape.index_of(step.to));
        }
    }

    /// Elements over the busiest link in one direction.
    pub(crate) fn busiest(&self) -> u64 {
        self.sent.iter().copied().max().unwrap_or(0)
    }

    /// Elements over all links.
    pub(crate) fn total(&self) -> u64 {
        self.sent.iter().sum()
    }

    /// Adds what crossed the links of another.
    pub(crate) fn add(&mut self, other: &Self) {
        self.sent.iter_mut().zip(&other.sent).for_each(|(sum, more)| *sum += more);
    }

    /// The links that carried something: the chip that sends, axis, direction and elements.
    pub(crate) fn busy(&self) -> impl Iterator<Item = (Coord, Axis, Sign, u64)> + '_ {
        let shape = self.shape();
        let link = move |(slot, sent): (usize, &u64)| {
            (shape.coord_of(slot / 6), Axis::ALL[slot % 6 / 2], BOTH[slot % 2], *sent)
        };
        self.sent.iter().enumerate().filter(|(_, sent)| **sent > 0).map(link)
    }
}

/// All rings or lines along one factor of a group.
pub(crate) struct Line {
    factor: Factor,
    wraps: bool,
    /// The place of each chip.
    place: Vec<u16>,
    /// The chip at the next place in each direction, or [`NONE`].
    next: [Vec<usize>; 2],
}

impl Line {
    pub(crate) fn new(mesh: &Mesh, factor: Factor) -> Self {
        let torus = mesh.torus();
        let shape = torus.shape();
        let wraps = mesh.ring(factor).wraps;
        let next = BOTH.map(|sign| {
            let walk = |chip: Coord| {
                let edge = if sign == Sign::Plus { factor.size - 1 } else { 0 };
                if factor.place_of(chip) == edge && !wraps {
                    return NONE;
                }
                let mut steps = 0..factor.stride;
                let to = steps.try_fold(chip, |at, _| torus.step(at, factor.axis, sign).map(|step| step.to));
                to.map_or(NONE, |to| shape.index_of(to))
            };
            shape.coords().map(walk).collect()
        });
        Self { factor, wraps, place: shape.coords().map(|chip| factor.place_of(chip)).collect(), next }
    }

    /// Places of a line.
    pub(crate) const fn size(&self) -> usize {
        self.factor.size as usize
    }

    pub(crate) fn place(&self, chip: usize) -> usize {
        usize::from(self.place[chip])
    }

    pub(crate) fn next(&self, chip: usize, sign: Sign) -> usize {
        self.next[sign as usize][chip]
    }

    /// Directions that carry data at the most distant place's time: 2 in a ring, 1 in a line.
    pub(crate) fn directions(&self) -> f64 {
        if self.wraps { 2.0 } else { 1.0 }
    }

    /// How many hops the farthest way is.
    pub(crate) const fn longest(&self) -> usize {
        if self.wraps { self.size() / 2 } else { self.size() - 1 }
    }

    /// How many hops one half of a piece goes in a direction: in an even ring the opposite chip gets one half from
    /// either side.
    pub(crate) fn reach(&self, sign: Sign, half: u8) -> usize {
        match (self.wraps, sign) {
            (false, _) => self.size() - 1,
            (true, Sign::Plus) if half == 0 => self.size() / 2,
            (true, Sign::Minus) if half == 1 => self.size() / 2,
            (true, _) => (self.size() - 1) / 2,
        }
    }

    /// The place so many hops ahead, if there is one.
    pub(crate) const fn ahead(&self, place: usize, sign: Sign, hops: usize) -> Option<usize> {
        let size = self.size();
        match sign {
            Sign::Plus if place + hops < size => Some(place + hops),
            Sign::Minus if place >= hops => Some(place - hops),
            _ if !self.wraps => None,
            Sign::Plus => Some((place + hops) % size),
            Sign::Minus => Some((place + size - hops % size) % size),
        }
    }

    /// The way that one half of a piece takes to a place; none where it is there.
    pub(crate) const fn towards(&self, from: usize, to: usize, half: u8) -> Option<Sign> {
        if from == to {
            return None;
        }
        if !self.wraps {
            return Some(if to > from { Sign::Plus } else { Sign::Minus });
        }
        let forward = (to + self.size() - from) % self.size();
        let is_forward = 2 * forward < self.size() || (2 * forward == self.size() && half == 0);
        Some(if is_forward { Sign::Plus } else { Sign::Minus })
    }
}
