//! Rings and lines of members, with the wires between neighbours, around what is broken.

use topology::graph::NoRoute;
use topology::shape::{Axis, Coord};
use topology::torus::Sign;

use super::group::Factor;
use super::wires::{N_SLOTS, NONE, Wires, slot};
use super::{Degraded, Fabric};

/// What becomes of a ring that lost a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repair {
    /// It ends there, and is a line.
    Line,
    /// Its ends reach each other over other links.
    Detour,
}

/// Which way along a row: to the next member, or to the one before.
pub(crate) const WAYS: [usize; 2] = [0, 1];

/// One way along all rows.
#[derive(Debug, Clone)]
struct Lane {
    /// The next member of each chip, or [`NONE`] at the end of a line.
    next: Vec<u32>,
    /// Where in `wires` the way of each chip starts and ends.
    spans: Vec<(u32, u32)>,
    wires: Vec<u32>,
}

/// The rings or lines of all groups along one factor.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// Their axis; absent for listed groups.
    pub(crate) axis: Option<Axis>,
    /// Members of each.
    pub(crate) size: u32,
    /// What faults did.
    pub(crate) degraded: Vec<Degraded>,
    lanes: [Lane; 2],
    /// Place of each chip from the start of its line.
    place: Vec<u32>,
    closes: Vec<bool>,
    /// Links of the longest way between neighbours.
    longest: u32,
}

/// A hop from a member to the next: where it leads, over which wires.
type Hop = (u32, Vec<u32>);

impl Lane {
    fn new(n_nodes: usize) -> Self {
        Self { next: vec![NONE; n_nodes], spans: vec![(0, 0); n_nodes], wires: Vec::new() }
    }

    fn set(&mut self, from: u32, to: u32, way: impl Iterator<Item = u32>) {
        let start = self.wires.len() as u32;
        self.wires.extend(way);
        self.next[from as usize] = to;
        self.spans[from as usize] = (start, self.wires.len() as u32);
    }
}

impl Rows {
    fn new(axis: Option<Axis>, size: u32, n_nodes: usize) -> Self {
        let lanes = [Lane::new(n_nodes), Lane::new(n_nodes)];
        let (place, closes) = (vec![0; n_nodes], vec![true; n_nodes]);
        Self { axis, size, degraded: Vec::new(), lanes, place, closes, longest: 1 }
    }

    /// Rings along a factor where one chip stands for all.
    pub(crate) fn folded(factor: Factor) -> Self {
        let mut rows = Self::new(Some(factor.axis), factor.size.into(), 1);
        for (lane, sign) in rows.lanes.iter_mut().zip([Sign::Plus, Sign::Minus]) {
            lane.set(0, 0, std::iter::repeat_n(slot(factor.axis, sign) as u32, factor.stride.into()));
        }
        rows.longest = factor.stride.into();
        rows
    }

    /// The rows along a factor; `closes` says whether they are rings where nothing is broken.
    pub(crate) fn of_factor(
        factor: Factor,
        closes: bool,
        wires: &Wires,
        (fabric, repair): (&Fabric, Repair),
    ) -> Result<Self, NoRoute> {
        let shape = wires.shape();
        let mut rows = Self::new(Some(factor.axis), factor.size.into(), shape.n_chips());
        let (mut lines, mut detours) = (Faults::default(), Faults::default());
        for first in shape.coords().filter(|chip| factor.place_of(*chip) == 0) {
            let at = |place| shape.index_of(factor.at(first, place)) as u32;
            let mut members: Vec<u32> = (0..factor.size).map(at).collect();
            let mut closes = closes;
            let is_broken = |from: &u32| straight(wires, factor, *from).is_err();
            // A twisted ring goes on in a row beside it, and has no end to cut it at.
            let may_cut = closes && repair == Repair::Line && ends_here(wires, factor, &members);
            if may_cut && let Some(broken) = members.iter().position(is_broken) {
                lines.add(shape.coord_of(members[broken] as usize), 0);
                let n = members.len();
                members.rotate_left((broken + 1) % n);
                closes = false;
            }
            rows.add(&members, closes, |from, _next| match straight(wires, factor, from) {
                Ok(hop) => Ok(hop),
                Err(to) => {
                    let way = wires.way(fabric, from as usize, to as usize)?;
                    detours.add(shape.coord_of(from as usize), (way.len() as u32).saturating_sub(factor.stride.into()));
                    Ok((to, way))
                }
            })?;
        }
        rows.tell(&lines, &detours);
        Ok(rows)
    }

    /// Listed groups in their order, as rings or, to spare the way back, as lines.
    pub(crate) fn of_lists(
        lists: &[Vec<u32>],
        wires: &Wires,
        (fabric, repair): (&Fabric, Repair),
    ) -> Result<Self, NoRoute> {
        let (shape, torus) = (wires.shape(), wires.torus());
        let mut rows = Self::new(None, lists.first().map_or(1, |list| list.len() as u32), shape.n_chips());
        let mut detours = Faults::default();
        for list in lists {
            rows.add(list, repair == Repair::Detour, |from, to| {
                let way = wires.way(fabric, from as usize, to as usize)?;
                let (a, b) = (shape.coord_of(from as usize), shape.coord_of(to as usize));
                let extra = (way.len() as u32).saturating_sub(torus.distance(a, b));
                if extra > 0 {
                    detours.add(a, extra);
                }
                Ok((to, way))
            })?;
        }
        rows.tell(&Faults::default(), &detours);
        Ok(rows)
    }

    /// Adds one row, both ways.
    fn add(
        &mut self,
        members: &[u32],
        closes: bool,
        mut way: impl FnMut(u32, u32) -> Result<Hop, NoRoute>,
    ) -> Result<(), NoRoute> {
        for (place, from) in members.iter().enumerate() {
            self.place[*from as usize] = place as u32;
            self.closes[*from as usize] = closes;
            let is_last = place + 1 == members.len();
            if members.len() < 2 || (is_last && !closes) {
                continue;
            }
            let (to, wires) = way(*from, members[(place + 1) % members.len()])?;
            self.longest = self.longest.max(wires.len() as u32);
            self.lanes[0].set(*from, to, wires.into_iter());
        }
        Ok(())
    }

    /// Says what faults did.
    fn tell(&mut self, lines: &Faults, detours: &Faults) {
        let axis = self.axis;
        if let Some(at) = lines.at {
            self.degraded.push(Degraded::Line { axis, rings: lines.count, at });
        }
        if let Some(at) = detours.at {
            self.degraded.push(Degraded::Detour { axis, ways: detours.count, extra_hops: detours.most, at });
        }
    }

    /// Fills the way back: the same links in the other direction.
    pub(crate) fn with_way_back(mut self, wires: &Wires) -> Self {
        let [there, back] = &mut self.lanes;
        if wires.is_folded() {
            return self;
        }
        for from in 0..there.next.len() as u32 {
            let to = there.next[from as usize];
            if to != NONE {
                let (start, end) = there.spans[from as usize];
                let way = there.wires[start as usize..end as usize].iter().rev();
                back.set(to, from, way.map(|wire| wires.reverse(*wire)));
            }
        }
        self
    }

    /// The next member from a chip; [`NONE`] at the end of a line.
    pub(crate) fn next(&self, way: usize, node: u32) -> u32 {
        self.lanes[way].next[node as usize]
    }

    /// The wires that lead there.
    pub(crate) fn wires(&self, way: usize, node: u32) -> &[u32] {
        let (start, end) = self.lanes[way].spans[node as usize];
        &self.lanes[way].wires[start as usize..end as usize]
    }

    pub(crate) fn closes(&self, node: u32) -> bool {
        self.closes[node as usize]
    }

    /// Members that a shard of a chip reaches in one way when `size` gather. In a ring of an even number the one
    /// opposite is reached both ways by turns.
    pub(crate) fn reach(&self, way: usize, node: u32, (size, turn): (u32, usize)) -> u32 {
        match (self.closes(node), way) {
            (true, _) if way == turn % 2 => size / 2,
            (true, _) => (size - 1) / 2,
            (false, 0) => self.size - 1 - self.place[node as usize],
            (false, _) => self.place[node as usize],
        }
    }

    /// Shards that go from a chip to its next member when `size` gather (or, `scatters`, are reduced).
    pub(crate) fn passing(&self, way: usize, node: u32, (size, scatters): (u32, bool)) -> f64 {
        if self.next(way, node) == NONE {
            return 0.0;
        }
        if self.closes(node) {
            return f64::from(size - 1) / 2.0;
        }
        // Those of all members behind, or for all members ahead.
        let ahead = self.reach(way, node, (size, 0));
        f64::from(if scatters { ahead } else { self.size - ahead })
    }

    /// Links of the longest way of a shard when `size` gather.
    pub(crate) fn hops(&self, size: u32) -> u32 {
        let has_line = self.closes.contains(&false);
        let members = if has_line { self.size.saturating_sub(1) } else { size / 2 };
        // One way between neighbours may be long, the others are as the stride.
        members * self.stride() + self.longest - self.stride()
    }

    fn stride(&self) -> u32 {
        let lengths = self.lanes[0].spans.iter().map(|(start, end)| end - start);
        lengths.filter(|length| *length > 0).min().unwrap_or(1).min(self.longest)
    }
}

/// The hop straight along a factor; where a wire is broken, only where it would lead.
fn straight(wires: &Wires, factor: Factor, from: u32) -> Result<Hop, u32> {
    let (torus, shape) = (wires.torus(), wires.shape());
    let mut at = shape.coord_of(from as usize);
    let mut way = Vec::with_capacity(factor.stride.into());
    let mut works = true;
    for _ in 0..factor.stride {
        let wire = (N_SLOTS * shape.index_of(at) + slot(factor.axis, Sign::Plus)) as u32;
        works &= wires.works(wire);
        way.push(wire);
        match torus.step(at, factor.axis, Sign::Plus) {
            Some(step) => at = step.to,
            None => return Err(from),
        }
    }
    let to = shape.index_of(at) as u32;
    if works { Ok((to, way)) } else { Err(to) }
}

/// Whether the last member's hop leads to the first.
fn ends_here(wires: &Wires, factor: Factor, members: &[u32]) -> bool {
    let last = members.last().map(|last| straight(wires, factor, *last).map_or_else(|to| to, |(to, _)| to));
    last == members.first().copied()
}

/// What faults did to some rows.
#[derive(Debug, Default)]
struct Faults {
    count: usize,
    most: u32,
    at: Option<Coord>,
}

impl Faults {
    fn add(&mut self, at: Coord, extra: u32) {
        self.count += 1;
        self.most = self.most.max(extra);
        self.at.get_or_insert(at);
    }
}
