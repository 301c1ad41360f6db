//! Every direction of every link by number, and how fast it is.
//!
//! A wire leaves a chip in one of six directions: its number is six times the chip's index plus the direction's place in
//! the order +x −x +y −y +z −z, so that the opposite direction of a link is the neighbour in that order at the other end.
//! Where every chip sees the same picture, all chips can be one: what holds for the wires of that one holds for all.

use topology::graph::NoRoute;
use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Link, Sign, Torus};

use super::Fabric;

/// Directions of a chip.
pub(crate) const N_SLOTS: usize = 6;
/// No chip, no wire.
pub(crate) const NONE: u32 = u32::MAX;

/// The wires of a fabric.
#[derive(Debug, Clone)]
pub(crate) struct Wires {
    torus: Torus,
    /// For each wire the chip that it leads to, or [`NONE`] where no link works.
    to: Vec<u32>,
    /// For each wire the share of the link rate that it has.
    share: Vec<f64>,
    /// Whether one chip stands for all.
    is_folded: bool,
}

/// Place of a direction in the order.
pub(crate) const fn slot(axis: Axis, sign: Sign) -> usize {
    2 * axis.index() + matches!(sign, Sign::Minus) as usize
}

/// Axis and sign of a place in the order.
pub(crate) const fn direction(slot: usize) -> (Axis, Sign) {
    (Axis::ALL[slot / 2], if slot.is_multiple_of(2) { Sign::Plus } else { Sign::Minus })
}

impl Wires {
    /// All chips one by one.
    pub(crate) fn new(fabric: &Fabric) -> Self {
        let torus = *fabric.network.torus();
        let outage = fabric.network.outage();
        let shape = torus.shape();
        let mut wires = Self {
            torus,
            to: vec![NONE; N_SLOTS * shape.n_chips()],
            share: vec![1.0; N_SLOTS * shape.n_chips()],
            is_folded: false,
        };
        for link in torus.links().filter(|link| !outage.links.contains(link)) {
            let Some(step) = torus.step(link.from, link.axis, Sign::Plus) else { continue };
            if outage.chips.contains(&link.from) || outage.chips.contains(&step.to) {
                continue;
            }
            let (from, to) = (shape.index_of(link.from), shape.index_of(step.to));
            let share = fabric.slow.get(&link).map_or(1.0, |share| share.get());
            let ends = [(from, to, slot(link.axis, Sign::Plus)), (to, from, slot(link.axis, Sign::Minus))];
            for (from, to, slot) in ends {
                wires.to[N_SLOTS * from + slot] = to as u32;
                wires.share[N_SLOTS * from + slot] = share;
            }
        }
        wires
    }

    /// One chip for all; only for a fabric that is the same from each chip.
    pub(crate) fn folded(fabric: &Fabric) -> Self {
        let torus = *fabric.network.torus();
        let has = |slot: usize| torus.wrap()[direction(slot).0.index()];
        let to = (0..N_SLOTS).map(|slot| if has(slot) { 0 } else { NONE }).collect();
        Self { torus, to, share: vec![1.0; N_SLOTS], is_folded: true }
    }

    pub(crate) const fn torus(&self) -> &Torus {
        &self.torus
    }

    pub(crate) const fn shape(&self) -> Shape {
        self.torus.shape()
    }

    pub(crate) const fn is_folded(&self) -> bool {
        self.is_folded
    }

    /// Whether every link works.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_folded || self.to.iter().filter(|to| **to != NONE).count() == 2 * self.torus.n_links()
    }

    /// Chips that are looked at one by one.
    pub(crate) const fn n_nodes(&self) -> usize {
        self.to.len() / N_SLOTS
    }

    pub(crate) const fn n_wires(&self) -> usize {
        self.to.len()
    }

    /// Where a wire leads.
    pub(crate) fn to(&self, wire: u32) -> u32 {
        self.to[wire as usize]
    }

    pub(crate) fn works(&self, wire: u32) -> bool {
        self.to(wire) != NONE
    }

    /// Share of the link rate that a wire has.
    pub(crate) fn share(&self, wire: u32) -> f64 {
        self.share[wire as usize]
    }

    /// The other direction of the same link.
    pub(crate) fn reverse(&self, wire: u32) -> u32 {
        self.to(wire) * N_SLOTS as u32 + ((wire % N_SLOTS as u32) ^ 1)
    }

    /// The link and the way along it.
    pub(crate) fn link_of(&self, wire: u32) -> (Link, Sign) {
        let (axis, sign) = direction(wire as usize % N_SLOTS);
        let from = self.shape().coord_of(wire as usize / N_SLOTS);
        match self.torus.step(from, axis, sign) {
            Some(step) => (Torus::link_of(from, step), sign),
            None => (Link { from, axis }, sign),
        }
    }

    /// The wires of a shortest way over what works.
    pub(crate) fn way(&self, fabric: &Fabric, from: usize, to: usize) -> Result<Vec<u32>, NoRoute> {
        let shape = self.shape();
        let route = fabric.network.route(shape.coord_of(from), shape.coord_of(to))?;
        Ok(route.path.windows(2).filter_map(|hop| self.between(hop[0], hop[1])).collect())
    }

    /// The first working wire from a chip to its neighbour.
    fn between(&self, from: Coord, to: Coord) -> Option<u32> {
        let (from, to) = (self.shape().index_of(from), self.shape().index_of(to) as u32);
        let wires = (0..N_SLOTS).map(|slot| (N_SLOTS * from + slot) as u32);
        wires.into_iter().find(|wire| self.to(*wire) == to)
    }
}
