//! Gathers and scatters, executed chunk by chunk along the rows of a plan.
//!
//! A chip starts the next stage of a chunk when it has what the stage before brings: all shards of the other members in a
//! gather, the sums from both sides in a scatter. A passing sum waits until the chip has its own part of it. The gather of
//! an all-reduce starts at a chip when all chunks of its colour are summed up there.

use std::collections::BTreeMap;

use super::super::plan::{Plan, Stage};
use super::super::rows::{Rows, WAYS};
use super::super::{CollectiveError, Phase};
use super::clock::{Agenda, Clock};
use super::{Scene, Spell, check};

/// A chunk under way; ordered so that what arrives in the same picosecond is the same seen from every chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    stage: u16,
    chunk: u16,
    way: u8,
    /// Members that it still goes to.
    left: u32,
    /// Wires that it has gone since the last member.
    step: u16,
    /// The last member.
    node: u32,
}

/// A stage in the row of all stages of all colours.
struct Numbered {
    stage: Stage,
    /// The stage after it in its colour.
    next: Option<u16>,
    /// Whether it is the first one of its colour.
    is_first: bool,
    /// Whether all chunks have to be done before it starts, as for the gather of an all-reduce.
    waits_for_all: bool,
    bytes: f64,
    name: String,
    spell: Spell,
}

struct Simulation<'a> {
    plan: &'a Plan,
    stages: Vec<Numbered>,
    chunks: usize,
    n_nodes: usize,
    /// Arrivals that are missing, by stage, chunk and chip.
    missing: Vec<u32>,
    /// Chunks of the scatter that are missing before a gather starts, by stage and chip.
    unsummed: Vec<u32>,
    parked: BTreeMap<usize, Vec<Packet>>,
    clock: Clock,
    agenda: Agenda<Packet>,
}

/// Runs a plan; `bytes` is the gathered array.
pub(super) fn run(plan: &Plan, bytes: f64, scene: &mut Scene<'_>) -> Result<(Clock, Vec<Phase>), CollectiveError> {
    let n_nodes = scene.wires.n_nodes();
    let stages = numbered(plan, bytes / scene.chunks as f64);
    let events: f64 = stages.iter().map(|stage| hops(&plan.rows[stage.stage.rows], &stage.stage, n_nodes)).sum();
    let events = events * scene.chunks as f64;
    check(events)?;
    let mut simulation = Simulation::new(plan, stages, (scene.chunks, n_nodes), scene.clock());
    simulation.start();
    while let Some((tick, arrived)) = simulation.agenda.next() {
        simulation.clock.go_to(tick);
        scene.tell(simulation.clock.n_events() as f64 / events.max(1.0))?;
        for chunk in arrived {
            simulation.arrive(chunk);
        }
    }
    let phases = simulation.phases();
    Ok((simulation.clock, phases))
}

/// Hops over links of one chunk of every shard in a stage.
fn hops(rows: &Rows, stage: &Stage, n_nodes: usize) -> f64 {
    let nodes = (0..n_nodes as u32).flat_map(|node| WAYS.map(|way| (way, node)));
    nodes
        .map(|(way, node)| rows.passing(way, node, (stage.size, stage.scatters)) * rows.wires(way, node).len() as f64)
        .sum()
}

fn numbered(plan: &Plan, chunk_bytes: f64) -> Vec<Numbered> {
    let mut numbered: Vec<Numbered> = Vec::new();
    let n_colours = plan.colours.len();
    for (colour, stages) in plan.colours.iter().enumerate() {
        for (i, stage) in stages.iter().enumerate() {
            let number = numbered.len() as u16;
            let kind = if stage.scatters { "reduce-scatter" } else { "all-gather" };
            let axis = plan.rows[stage.rows].axis.map_or(String::new(), |axis| format!(" {}", axis.name()));
            let part = if n_colours > 1 { format!(" {}/{n_colours}", colour + 1) } else { String::new() };
            numbered.push(Numbered {
                stage: *stage,
                next: (i + 1 < stages.len()).then_some(number + 1),
                is_first: i == 0,
                waits_for_all: i > 0 && stages[i - 1].scatters && !stage.scatters,
                bytes: stage.shard * chunk_bytes,
                name: format!("{kind}{axis}{part}"),
                spell: Spell::NEVER,
            });
        }
    }
    numbered
}

impl<'a> Simulation<'a> {
    fn new(plan: &'a Plan, stages: Vec<Numbered>, (chunks, n_nodes): (usize, usize), clock: Clock) -> Self {
        let mut missing = Vec::with_capacity(stages.len() * chunks * n_nodes);
        for numbered in &stages {
            let (rows, stage) = (&plan.rows[numbered.stage.rows], &numbered.stage);
            for chunk in 0..chunks {
                let of = |node| if stage.scatters { senders(rows, stage, (node, chunk)) } else { stage.size - 1 };
                missing.extend((0..n_nodes as u32).map(of));
            }
        }
        let unsummed = vec![chunks as u32; stages.len() * n_nodes];
        let (parked, agenda) = (BTreeMap::new(), Agenda::new());
        Self { plan, stages, chunks, n_nodes, missing, unsummed, parked, clock, agenda }
    }

    fn start(&mut self) {
        for stage in 0..self.stages.len() as u16 {
            if self.stages[usize::from(stage)].is_first {
                self.begin_all(stage);
            }
        }
    }

    fn begin_all(&mut self, stage: u16) {
        let (chunks, n_nodes) = (self.chunks, self.n_nodes);
        for (chunk, node) in (0..chunks).flat_map(|chunk| (0..n_nodes).map(move |node| (chunk, node))) {
            self.begin(stage, chunk as u16, node as u32);
        }
    }

    /// Sends what a chip starts in a stage.
    fn begin(&mut self, stage: u16, chunk: u16, node: u32) {
        let Stage { rows, size, scatters, .. } = self.stages[usize::from(stage)].stage;
        let rows = &self.plan.rows[rows];
        for way in WAYS {
            let most = rows.reach(way, node, (size, chunk.into()));
            // The end of a line starts a sum for every other member, farthest first.
            let starts_all = scatters && !rows.closes(node);
            let is_end = rows.reach(1 - way, node, (size, chunk.into())) == 0;
            let least = if starts_all && is_end { 1 } else { most };
            if most == 0 || (starts_all && !is_end) {
                continue;
            }
            for left in (least..=most).rev() {
                self.send(Packet { stage, chunk, way: way as u8, left, step: 0, node });
            }
        }
    }

    fn send(&mut self, chunk: Packet) {
        let numbered = &mut self.stages[usize::from(chunk.stage)];
        let wires = self.plan.rows[numbered.stage.rows].wires(chunk.way.into(), chunk.node);
        let arrival = self.clock.send(wires[usize::from(chunk.step)], numbered.bytes);
        numbered.spell.see(self.clock.now(), arrival);
        self.agenda.add(arrival, chunk);
    }

    fn arrive(&mut self, mut chunk: Packet) {
        let numbered = &self.stages[usize::from(chunk.stage)];
        let rows = &self.plan.rows[numbered.stage.rows];
        let way = usize::from(chunk.way);
        chunk.step += 1;
        if usize::from(chunk.step) < rows.wires(way, chunk.node).len() {
            self.send(chunk);
            return;
        }
        chunk.node = rows.next(way, chunk.node);
        chunk.left -= 1;
        chunk.step = 0;
        let scatters = numbered.stage.scatters;
        if chunk.left > 0 {
            if scatters && !self.has_own(chunk) {
                self.parked.entry(self.place(chunk.stage, chunk.chunk, chunk.node)).or_default().push(chunk);
            } else {
                self.send(chunk);
            }
        }
        if chunk.left == 0 || !scatters {
            self.take(chunk);
        }
    }

    fn place(&self, stage: u16, chunk: u16, node: u32) -> usize {
        (usize::from(stage) * self.chunks + usize::from(chunk)) * self.n_nodes + node as usize
    }

    /// Whether a chip has its own part of a passing sum: what the stage before brought.
    fn has_own(&self, chunk: Packet) -> bool {
        let is_first = self.stages[usize::from(chunk.stage)].is_first;
        is_first || self.missing[self.place(chunk.stage - 1, chunk.chunk, chunk.node)] == 0
    }

    /// A chip takes a shard or a sum; with the last one the next stage begins there.
    fn take(&mut self, chunk: Packet) {
        let place = self.place(chunk.stage, chunk.chunk, chunk.node);
        self.missing[place] -= 1;
        if self.missing[place] > 0 {
            return;
        }
        if let Some(next) = self.stages[usize::from(chunk.stage)].next {
            self.go_on(next, chunk);
        }
    }

    /// The next stage of a chunk begins at a chip, or that of all chunks with the last of them.
    fn go_on(&mut self, next: u16, chunk: Packet) {
        if !self.stages[usize::from(next)].waits_for_all {
            self.begin(next, chunk.chunk, chunk.node);
            let parked = self.parked.remove(&self.place(next, chunk.chunk, chunk.node));
            parked.into_iter().flatten().for_each(|waiting| self.send(waiting));
            return;
        }
        let unsummed = &mut self.unsummed[usize::from(next) * self.n_nodes + chunk.node as usize];
        *unsummed -= 1;
        if *unsummed == 0 {
            (0..self.chunks).for_each(|each| self.begin(next, each as u16, chunk.node));
        }
    }

    fn phases(&self) -> Vec<Phase> {
        let phase = |numbered: &Numbered| {
            let rows = &self.plan.rows[numbered.stage.rows];
            let sent = hops(rows, &numbered.stage, self.n_nodes) * self.chunks as f64 * numbered.bytes;
            numbered.spell.phase(numbered.name.clone(), rows.axis, sent / self.n_nodes as f64)
        };
        let mut phases: Vec<Phase> = self.stages.iter().map(phase).collect();
        phases.sort_by(|a, b| a.start_seconds.get().total_cmp(&b.start_seconds.get()));
        phases
    }
}

/// Sums that end at a chip in a scatter: one from each side that has members.
fn senders(rows: &Rows, stage: &Stage, (node, chunk): (u32, usize)) -> u32 {
    WAYS.into_iter().filter(|way| rows.reach(*way, node, (stage.size, chunk)) > 0).count() as u32
}
