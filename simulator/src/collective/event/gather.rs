//! Gathers and scatters, executed chunk by chunk along the rows of a plan.
//!
//! A scatter is played: every sum goes from chip to chip towards where it belongs, and a chip starts the next stage of a
//! chunk when the sums of the stage before have come to it from both sides. A passing sum waits until the chip has its own
//! part of it.
//!
//! A gather is the same played backwards: where and when a sum arrives, a shard starts, over the same links the other way.
//! Such a schedule is known before it starts, as that of a compiler is; shards that left as soon as they could would hold
//! up those that later stages wait for. An all-reduce is both, one after the other.

use std::collections::BTreeMap;

use topology::units::Byte;

use super::super::plan::{Plan, Stage};
use super::super::rows::{Rows, WAYS};
use super::super::{CollectiveError, Phase};
use super::clock::{Agenda, Clock};
use super::{Played, Scene, Spell, check};

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
    /// Whether it is the first, and the last one of its colour.
    ends: [bool; 2],
    bytes: f64,
    spell: Spell,
    /// Which colour, for people.
    part: String,
}

struct Simulation<'a> {
    plan: &'a Plan,
    stages: Vec<Numbered>,
    chunks: usize,
    n_nodes: usize,
    /// Sums that are missing, by stage, chunk and chip.
    missing: Vec<u32>,
    parked: BTreeMap<usize, Vec<Packet>>,
    clock: Clock,
    agenda: Agenda<Packet>,
}

/// Plays a plan; `bytes` is the gathered array.
pub(super) fn run(plan: &Plan, bytes: f64, scene: &mut Scene<'_>) -> Result<Played, CollectiveError> {
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
        for packet in arrived {
            simulation.arrive(packet);
        }
    }
    Ok(simulation.played())
}

/// Hops over links of one chunk of every shard in a stage.
fn hops(rows: &Rows, stage: &Stage, n_nodes: usize) -> f64 {
    let nodes = (0..n_nodes as u32).flat_map(|node| WAYS.map(|way| (way, node)));
    let of = |(way, node)| rows.passing(way, node, (stage.size, true)) * rows.wires(way, node).len() as f64;
    nodes.map(of).sum()
}

/// The stages of the scatter, or of the gather backwards.
fn numbered(plan: &Plan, chunk_bytes: f64) -> Vec<Numbered> {
    let mut numbered = Vec::new();
    let n_colours = plan.colours.len();
    for (colour, stages) in plan.colours.iter().enumerate() {
        let mut scatter: Vec<Stage> = stages.iter().filter(|stage| stage.scatters).copied().collect();
        if scatter.is_empty() {
            scatter = stages.iter().rev().map(|stage| Stage { scatters: true, ..*stage }).collect();
        }
        let n_stages = scatter.len();
        numbered.extend(scatter.into_iter().enumerate().map(|(i, stage)| Numbered {
            stage,
            ends: [i == 0, i + 1 == n_stages],
            bytes: stage.shard * chunk_bytes,
            spell: Spell::NEVER,
            part: if n_colours > 1 { format!(" {}/{n_colours}", colour + 1) } else { String::new() },
        }));
    }
    numbered
}

impl<'a> Simulation<'a> {
    fn new(plan: &'a Plan, stages: Vec<Numbered>, (chunks, n_nodes): (usize, usize), clock: Clock) -> Self {
        let mut missing = Vec::with_capacity(stages.len() * chunks * n_nodes);
        for Numbered { stage, .. } in &stages {
            let rows = &plan.rows[stage.rows];
            for chunk in 0..chunks {
                // One sum comes from each side that has members.
                let comes = |node, way: &usize| rows.reach(*way, node, (stage.size, chunk)) > 0;
                missing
                    .extend((0..n_nodes as u32).map(|node| WAYS.iter().filter(|way| comes(node, way)).count() as u32));
            }
        }
        let (parked, agenda) = (BTreeMap::new(), Agenda::new());
        Self { plan, stages, chunks, n_nodes, missing, parked, clock, agenda }
    }

    fn start(&mut self) {
        let (chunks, n_nodes) = (self.chunks, self.n_nodes);
        for stage in 0..self.stages.len() as u16 {
            if !self.stages[usize::from(stage)].ends[0] {
                continue;
            }
            for (chunk, node) in (0..chunks).flat_map(|chunk| (0..n_nodes).map(move |node| (chunk, node))) {
                self.begin(stage, chunk as u16, node as u32);
            }
        }
    }

    /// Sends the sums that a chip starts in a stage.
    fn begin(&mut self, stage: u16, chunk: u16, node: u32) {
        let Stage { rows, size, .. } = self.stages[usize::from(stage)].stage;
        let rows = &self.plan.rows[rows];
        for way in WAYS {
            let most = rows.reach(way, node, (size, chunk.into()));
            // In a ring each chip starts one sum each way. The end of a line starts one for every other member, farthest
            // first, and nobody else does.
            let is_end = rows.reach(1 - way, node, (size, chunk.into())) == 0;
            let least = match (rows.closes(node), is_end) {
                (true, _) => most.max(1),
                (false, true) => 1,
                (false, false) => continue,
            };
            for left in (least..=most).rev() {
                self.send(Packet { stage, chunk, way: way as u8, left, step: 0, node });
            }
        }
    }

    fn send(&mut self, packet: Packet) {
        let numbered = &mut self.stages[usize::from(packet.stage)];
        let wires = self.plan.rows[numbered.stage.rows].wires(packet.way.into(), packet.node);
        let arrival = self.clock.send(wires[usize::from(packet.step)], numbered.bytes);
        numbered.spell.see(self.clock.now(), arrival);
        self.agenda.add(arrival, packet);
    }

    fn arrive(&mut self, mut packet: Packet) {
        let rows = &self.plan.rows[self.stages[usize::from(packet.stage)].stage.rows];
        let way = usize::from(packet.way);
        packet.step += 1;
        if usize::from(packet.step) < rows.wires(way, packet.node).len() {
            self.send(packet);
            return;
        }
        packet.node = rows.next(way, packet.node);
        packet.left -= 1;
        packet.step = 0;
        if packet.left == 0 {
            self.take(packet);
        } else if self.has_own(packet) {
            self.send(packet);
        } else {
            self.parked.entry(self.place(packet.stage, packet)).or_default().push(packet);
        }
    }

    fn place(&self, stage: u16, packet: Packet) -> usize {
        (usize::from(stage) * self.chunks + usize::from(packet.chunk)) * self.n_nodes + packet.node as usize
    }

    /// Whether a chip has its own part of a passing sum: what the stage before brought.
    fn has_own(&self, packet: Packet) -> bool {
        let is_first = self.stages[usize::from(packet.stage)].ends[0];
        is_first || self.missing[self.place(packet.stage - 1, packet)] == 0
    }

    /// A chip takes a sum; with the last one the next stage of the chunk begins there.
    fn take(&mut self, packet: Packet) {
        let place = self.place(packet.stage, packet);
        self.missing[place] -= 1;
        if self.missing[place] > 0 || self.stages[usize::from(packet.stage)].ends[1] {
            return;
        }
        let next = packet.stage + 1;
        self.begin(next, packet.chunk, packet.node);
        for waiting in self.parked.remove(&self.place(next, packet)).into_iter().flatten() {
            self.send(waiting);
        }
    }

    /// The whole of it: the scatter as it went, and the gather mirrored in time.
    fn played(self) -> Played {
        let length = self.clock.now();
        let all = || self.plan.colours.iter().flatten();
        let (scatters, gathers) = (all().any(|stage| stage.scatters), all().any(|stage| !stage.scatters));
        let mut phases = Vec::new();
        if scatters {
            phases.extend(self.stages.iter().map(|stage| self.phase("reduce-scatter", stage, stage.spell)));
        }
        let start = if scatters { length } else { 0 };
        if gathers {
            let mirrored = |spell: Spell| spell.mirrored(length, start);
            phases.extend(self.stages.iter().map(|stage| self.phase("all-gather", stage, mirrored(stage.spell))));
        }
        phases.sort_by(|a, b| a.start_seconds.get().total_cmp(&b.start_seconds.get()));
        let end = if gathers { start + length } else { length };
        Played { end, n_events: self.clock.n_events(), phases, by_wire: None, longest: 0 }
    }

    fn phase(&self, kind: &str, numbered: &Numbered, spell: Spell) -> Phase {
        let rows = &self.plan.rows[numbered.stage.rows];
        let sent = hops(rows, &numbered.stage, self.n_nodes) * self.chunks as f64 * numbered.bytes;
        let axis = rows.axis.map_or(String::new(), |axis| format!(" {}", axis.name()));
        let name = format!("{kind}{axis}{}", numbered.part);
        spell.phase(name, rows.axis, Byte::new(sent / self.n_nodes as f64))
    }
}
