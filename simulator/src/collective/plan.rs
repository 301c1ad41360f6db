//! Who sends what along which way in a gather, a scatter or both: colours and stages.
//!
//! The array is shared between colours. Each colour goes over the factors of the group in an order of its own, so that
//! at any time another colour uses each axis; a gather grows from stage to stage, a scatter is the same backwards. This is
//! the scheme of `jax.experimental.roofline`, and what the TPU compiler's strategies of several colours and phases do.
//! Shares are such that no axis waits for another ([`balance`]).

use std::collections::BTreeSet;

use topology::graph::NoRoute;
use topology::shape::Coord;
use topology::torus::{Sign, Torus};

use super::group::{Factor, Parts};
use super::rows::{Repair, Rows, WAYS};
use super::wires::Wires;
use super::{Collective, Degraded, Fabric, Order, balance};

/// One stage of a colour: all rows of a factor at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stage {
    /// Which rows.
    pub(crate) rows: usize,
    /// Members that gather; in a twisted torus perhaps others than the rows have.
    pub(crate) size: u32,
    /// Whether it reduces.
    pub(crate) scatters: bool,
    /// Share of V that one shard has in it.
    pub(crate) shard: f64,
}

/// A plan of a gather, scatter or both.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) rows: Vec<Rows>,
    /// The stages of each colour, in order.
    pub(crate) colours: Vec<Vec<Stage>>,
}

impl Plan {
    /// The plan of a kind for groups.
    pub(crate) fn new(
        kind: Collective,
        parts: &Parts,
        wires: &Wires,
        (fabric, repair, order): (&Fabric, Repair, Order),
    ) -> Result<Self, NoRoute> {
        let rows = match parts {
            Parts::Boxes(factors) => of_boxes(factors, parts, wires, (fabric, repair))?,
            Parts::Lists(lists) => vec![Rows::of_lists(lists, wires, (fabric, repair))?],
        };
        let rows: Vec<Rows> = rows.into_iter().map(|rows| rows.with_way_back(wires)).collect();
        let orders = match (order, parts) {
            (Order::Rotated, _) => rotations(rows.len()),
            (Order::InOrder, _) => vec![(0..rows.len()).rev().collect()],
        };
        let sizes = |order: &[usize]| match parts {
            Parts::Boxes(factors) if parts.closes(wires.torus()) => ring_sizes(wires.torus(), factors, order),
            _ => order.iter().map(|row| rows[*row].size).collect(),
        };
        let gathers: Vec<Vec<Stage>> = orders.iter().map(|order| gather(order, &sizes(order))).collect();
        let shares = shares(&rows, &gathers, wires);
        let colours = gathers.into_iter().zip(shares).filter(|(_, share)| *share > 0.0);
        let colours = colours.map(|(gather, share)| stages(kind, &gather, share)).collect();
        Ok(Self { rows, colours })
    }

    /// Shares of V over each wire: of the scatter, then of the gather, whichever there are.
    pub(crate) fn passes(&self, wires: &Wires) -> Vec<(&'static str, Vec<f64>)> {
        let pass = |(name, scatters)| {
            let mut loads = vec![0.0; wires.n_wires()];
            let stages: Vec<_> = self.colours.iter().flatten().filter(|stage| stage.scatters == scatters).collect();
            for stage in &stages {
                self.add(stage, &mut loads, wires.n_nodes());
            }
            (!stages.is_empty()).then_some((name, loads))
        };
        [("reduce-scatter", true), ("all-gather", false)].into_iter().filter_map(pass).collect()
    }

    fn add(&self, stage: &Stage, loads: &mut [f64], n_nodes: usize) {
        let rows = &self.rows[stage.rows];
        for (way, node) in WAYS.into_iter().flat_map(|way| (0..n_nodes as u32).map(move |node| (way, node))) {
            let share = stage.shard * rows.passing(way, node, (stage.size, stage.scatters));
            rows.wires(way, node).iter().for_each(|wire| loads[*wire as usize] += share);
        }
    }

    /// Links of the longest way of a shard through all stages.
    pub(crate) fn hops(&self) -> u32 {
        let of = |stages: &Vec<Stage>| stages.iter().map(|stage| self.rows[stage.rows].hops(stage.size)).sum();
        self.colours.iter().map(of).max().unwrap_or(0)
    }

    /// What faults did to it.
    pub(crate) fn degraded(&self) -> impl Iterator<Item = &Degraded> {
        self.rows.iter().flat_map(|rows| &rows.degraded)
    }
}

fn of_boxes(
    factors: &[Factor],
    parts: &Parts,
    wires: &Wires,
    (fabric, repair): (&Fabric, Repair),
) -> Result<Vec<Rows>, NoRoute> {
    let torus = wires.torus();
    if wires.is_folded() {
        return Ok(factors.iter().map(|factor| Rows::folded(*factor)).collect());
    }
    let closes = |factor: &Factor| parts.closes(torus) || Parts::Boxes(vec![*factor]).closes(torus);
    factors.iter().map(|factor| Rows::of_factor(*factor, closes(factor), wires, (fabric, repair))).collect()
}

/// Each factor is last once; the last stage of a gather moves most.
fn rotations(n: usize) -> Vec<Vec<usize>> {
    (0..n).map(|first| (0..n).map(|i| (first + i) % n).collect()).collect()
}

/// The stages of a gather in an order, as if it had the whole array.
fn gather(order: &[usize], sizes: &[u32]) -> Vec<Stage> {
    let group: f64 = sizes.iter().map(|size| f64::from(*size)).product();
    let mut shard = 1.0 / group;
    let stage = |(rows, size): (&usize, &u32)| {
        let stage = Stage { rows: *rows, size: *size, scatters: false, shard };
        shard *= f64::from(*size);
        stage
    };
    order.iter().zip(sizes).map(stage).collect()
}

/// The stages of a kind with a share of the array.
fn stages(kind: Collective, gather: &[Stage], share: f64) -> Vec<Stage> {
    let of = |scatters: bool| move |stage: &Stage| Stage { scatters, shard: stage.shard * share, ..*stage };
    let scatter = gather.iter().rev().map(of(true));
    match kind {
        Collective::ReduceScatter => scatter.collect(),
        Collective::AllReduce => scatter.chain(gather.iter().map(of(false))).collect(),
        _ => gather.iter().map(of(false)).collect(),
    }
}

/// Shares of the colours by what each would load on its rows.
fn shares(rows: &[Rows], gathers: &[Vec<Stage>], wires: &Wires) -> Vec<f64> {
    let busiest = |stage: &Stage| {
        let rows = &rows[stage.rows];
        let nodes = 0..wires.n_nodes() as u32;
        let mut loads = vec![0.0; wires.n_wires()];
        for (way, node) in WAYS.into_iter().flat_map(|way| nodes.clone().map(move |node| (way, node))) {
            for wire in rows.wires(way, node) {
                loads[*wire as usize] += rows.passing(way, node, (stage.size, false)) / wires.share(*wire);
            }
        }
        loads.into_iter().fold(0.0, f64::max) * stage.shard
    };
    let loads = gathers.iter().map(|gather| {
        let mut of_rows = vec![0.0; rows.len()];
        for stage in gather {
            of_rows[stage.rows] = busiest(stage);
        }
        of_rows
    });
    balance::shares(&loads.collect::<Vec<_>>())
}

/// Members of the rings of each stage in a group that is closed.
///
/// Going on along an axis from a chip comes back among those that the stages before have gathered with after a number of
/// steps: that many gather. In a plain torus that is the size of the factor. In a twisted one the first axis has the
/// length of the whole spiral; what a later one comes back to holds the same by then.
fn ring_sizes(torus: &Torus, factors: &[Factor], order: &[usize]) -> Vec<u32> {
    if !torus.is_twisted() {
        return order.iter().map(|factor| factors[*factor].size.into()).collect();
    }
    let mut gathered = BTreeSet::from([Coord::default()]);
    let mut sizes = Vec::with_capacity(order.len());
    for factor in order.iter().map(|factor| factors[*factor]) {
        let (mut size, mut all) = (0, BTreeSet::new());
        let mut front = gathered.clone();
        while size == 0 || front.is_disjoint(&gathered) {
            all.extend(front.iter().copied());
            front = front.into_iter().map(|chip| moved(torus, chip, factor)).collect();
            size += 1;
        }
        sizes.push(size);
        gathered = all;
    }
    sizes
}

fn moved(torus: &Torus, chip: Coord, factor: Factor) -> Coord {
    (0..factor.stride).fold(chip, |at, _| torus.step(at, factor.axis, Sign::Plus).map_or(at, |step| step.to))
}
