//! Messages of an all-to-all or permute, executed chunk by chunk.

use topology::graph::NoRoute;
use topology::shape::{Axis, Coord};
use topology::torus::Sign;
use topology::units::Byte;

use super::super::ask::Asked;
use super::super::message::{Messages, Router, turned};
use super::super::wires::{N_SLOTS, NONE, Wires, slot};
use super::super::{Collective, CollectiveError, Phase, Request};
use super::clock::{Agenda, Clock};
use super::{Played, Routing, Scene, Spell, check};

/// Most entries of the table of distances.
const MAX_DISTANCES: usize = 1 << 26;
/// Not reached.
const FAR: u16 = u16::MAX;

/// A chunk under way. The order of those that arrive in the same picosecond is the same seen from every chip: by a mixed
/// number of where the message goes from its source, so that all directions have their turn from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    order: u64,
    chunk: u16,
    /// Hops gone.
    gone: u16,
    /// Where it is.
    node: u32,
    /// Its way.
    way: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Hops that are left along each axis, in order.
    Straight([i16; 3]),
    /// A listed way.
    Listed(u32),
    /// Any shortest one to a row of the table of distances; where one chip stands for all, to where it lies from there.
    Any(u32),
}

/// Distances over what works: a row for each target, or one row where one chip stands for all.
struct Distances {
    rows: Vec<u16>,
    row_of: Vec<u32>,
    n_chips: usize,
}

struct Simulation<'a> {
    wires: &'a Wires,
    /// Whether every link works.
    is_whole: bool,
    bytes: f64,
    clock: Clock,
    agenda: Agenda<Packet>,
    distances: Distances,
    /// For a chip that stands for all: where every direction leads from each place seen from it.
    around: Vec<u32>,
    ways: Vec<Vec<u32>>,
    spells: [Spell; 3],
}

/// Runs the messages.
pub(super) fn run(
    (request, asked): (&Request, &Asked),
    routing: Routing,
    scene: &mut Scene<'_>,
) -> Result<Played, CollectiveError> {
    let messages = Messages::of(request, &asked.parts, scene.wires)?;
    let group = asked.parts.group_chips() as f64;
    let is_exchange = request.kind == Collective::AllToAll;
    let size = asked.slice_bytes / if is_exchange { group * group } else { group };
    let mean_hops = topology::traffic::hops(scene.wires.torus()).mean.max(1.0);
    let events = messages.len() as f64 * scene.chunks as f64 * mean_hops;
    check(events)?;
    let mut simulation = Simulation {
        wires: scene.wires,
        is_whole: scene.wires.is_whole(),
        bytes: size / scene.chunks as f64,
        clock: scene.clock(),
        agenda: Agenda::new(),
        distances: Distances::of(&messages, routing, scene.wires)?,
        around: around(scene.wires),
        ways: Vec::new(),
        spells: [Spell::NEVER; 3],
    };
    simulation.start(&messages, (routing, is_exchange), scene)?;
    while let Some((tick, arrived)) = simulation.agenda.next() {
        simulation.clock.go_to(tick);
        scene.tell(simulation.clock.n_events() as f64 / events.max(1.0))?;
        for chunk in arrived {
            simulation.go_on(chunk);
        }
    }
    let (phases, clock) = (simulation.phases(request.kind), &simulation.clock);
    let by_wire = Some(clock.bytes().to_vec());
    Ok(Played { end: clock.now(), n_events: clock.n_events(), phases, by_wire, longest: clock.longest() })
}

impl Simulation<'_> {
    fn start(
        &mut self,
        messages: &Messages,
        (routing, splits): (Routing, bool),
        scene: &Scene<'_>,
    ) -> Result<(), CollectiveError> {
        let mut router = Router::new(scene.fabric, scene.wires);
        let ends: Vec<(u32, u32)> = match messages {
            Messages::Same(others) => others.iter().map(|other| (0, *other)).collect(),
            Messages::Listed(listed) => listed.clone(),
        };
        let mut chunks = Vec::with_capacity(ends.len() * scene.chunks);
        for (from, to) in ends {
            let order = mixed(self.seen_from(from, to));
            for chunk in 0..scene.chunks {
                let turn = if splits { chunk } else { 0 };
                let way = self.way(&mut router, (from, to), (routing, turn))?;
                chunks.push(Packet { order, chunk: chunk as u16, gone: 0, node: from, way });
            }
        }
        chunks.sort_unstable();
        for chunk in chunks {
            self.go_on(chunk);
        }
        Ok(())
    }

    fn way(
        &mut self,
        router: &mut Router<'_>,
        (from, to): (u32, u32),
        (routing, turn): (Routing, usize),
    ) -> Result<Way, CollectiveError> {
        let (torus, shape) = (self.wires.torus(), self.wires.shape());
        if routing == Routing::Adaptive {
            if self.wires.is_folded() {
                return Ok(Way::Any(to));
            }
            let row = self.distances.row_of[to as usize];
            if self.distances.at(row, from) == FAR {
                let ends = NoRoute::Parted(shape.coord_of(from as usize), shape.coord_of(to as usize));
                return Err(ends.into());
            }
            return Ok(Way::Any(row));
        }
        let straight = || {
            let offset = torus.offset(shape.coord_of(from as usize), shape.coord_of(to as usize));
            Way::Straight(turned(torus, offset, turn).map(|hops| hops as i16))
        };
        if self.is_whole {
            return Ok(straight());
        }
        self.ways.push(router.way(from, to, turn)?);
        Ok(Way::Listed(self.ways.len() as u32 - 1))
    }

    /// Where a chip lies from another, as the number of the chip that lies so from the first one.
    fn seen_from(&self, from: u32, to: u32) -> u64 {
        let shape = self.wires.shape();
        let (from, to) = (shape.coord_of(from as usize), shape.coord_of(to as usize));
        let along = |axis: Axis| (to.along(axis) + shape.along(axis) - from.along(axis)) % shape.along(axis);
        shape.index_of(Coord::new(along(Axis::X), along(Axis::Y), along(Axis::Z))) as u64
    }

    /// Sends a chunk on, if it is not there.
    fn go_on(&mut self, mut chunk: Packet) {
        let Some(wire) = self.next_wire(&mut chunk) else {
            self.clock.went(chunk.gone.into());
            return;
        };
        let arrival = self.clock.send(wire, self.bytes);
        self.spells[wire as usize % N_SLOTS / 2].see(self.clock.now(), arrival);
        chunk.node = self.wires.to(wire);
        chunk.gone += 1;
        self.agenda.add(arrival, chunk);
    }

    fn next_wire(&self, chunk: &mut Packet) -> Option<u32> {
        let first = chunk.node * N_SLOTS as u32;
        match &mut chunk.way {
            Way::Straight(left) => {
                let axis = left.iter().position(|hops| *hops != 0)?;
                let sign = if left[axis] < 0 { Sign::Minus } else { Sign::Plus };
                left[axis] -= left[axis].signum();
                Some(first + slot(Axis::ALL[axis], sign) as u32)
            }
            Way::Listed(way) => self.ways[*way as usize].get(usize::from(chunk.gone)).copied(),
            Way::Any(target) if self.wires.is_folded() => {
                let left = self.distances.at(0, *target).checked_sub(1).filter(|_| *target != 0)?;
                // Going one way brings what lies around one place the other way.
                let seen = |slot: usize| self.around[*target as usize * N_SLOTS + (slot ^ 1)];
                let nearer =
                    (0..N_SLOTS).filter(|slot| seen(*slot) != NONE && self.distances.at(0, seen(*slot)) == left);
                let slot = nearer.min_by_key(|slot| self.clock.free_at(*slot as u32))?;
                *target = seen(slot);
                Some(slot as u32)
            }
            Way::Any(row) => {
                let left = self.distances.at(*row, chunk.node).checked_sub(1)?;
                let wires = (first..first + N_SLOTS as u32).filter(|wire| self.wires.works(*wire));
                let nearer = wires.filter(|wire| self.distances.at(*row, self.wires.to(*wire)) == left);
                nearer.min_by_key(|wire| self.clock.free_at(*wire))
            }
        }
    }

    fn phases(&self, kind: Collective) -> Vec<Phase> {
        let mut sent = [0.0; 3];
        for (wire, bytes) in self.clock.bytes().iter().enumerate() {
            sent[wire % N_SLOTS / 2] += bytes / self.wires.n_nodes() as f64;
        }
        let used = Axis::ALL.into_iter().zip(self.spells).zip(sent).filter(|(_, bytes)| *bytes > 0.0);
        used.map(|((axis, spell), bytes)| spell.phase(format!("{kind} {}", axis.name()), Some(axis), Byte::new(bytes)))
            .collect()
    }
}

impl Distances {
    fn of(messages: &Messages, routing: Routing, wires: &Wires) -> Result<Self, CollectiveError> {
        let n_chips = wires.shape().n_chips();
        let mut found = Self { rows: Vec::new(), row_of: vec![NONE; n_chips], n_chips };
        match messages {
            _ if routing == Routing::DimensionOrdered => {}
            Messages::Same(_) => {
                let (torus, shape) = (wires.torus(), wires.shape());
                let first = Coord::default();
                found.rows = shape.coords().map(|chip| torus.distance(first, chip) as u16).collect();
            }
            Messages::Listed(listed) => {
                let mut n_rows = 0;
                for (_, to) in listed {
                    if found.row_of[*to as usize] == NONE {
                        found.row_of[*to as usize] = n_rows;
                        n_rows += 1;
                        found.search(wires, *to)?;
                    }
                }
            }
        }
        Ok(found)
    }

    fn at(&self, row: u32, chip: u32) -> u16 {
        self.rows[row as usize * self.n_chips + chip as usize]
    }

    /// Adds the distances to a chip.
    fn search(&mut self, wires: &Wires, to: u32) -> Result<(), CollectiveError> {
        let start = self.rows.len();
        if start + self.n_chips > MAX_DISTANCES {
            let (events, max) = ((start + self.n_chips) as f64, MAX_DISTANCES as f64);
            let remedy = "ask for dimension-ordered routing or the analytic model";
            return Err(CollectiveError::TooManyEvents { events, max, remedy });
        }
        self.rows.resize(start + self.n_chips, FAR);
        let row = &mut self.rows[start..];
        row[to as usize] = 0;
        let mut front = vec![to];
        let mut done = 0;
        while let Some(at) = front.get(done).copied() {
            done += 1;
            for wire in at * N_SLOTS as u32..(at + 1) * N_SLOTS as u32 {
                let next = wires.to(wire);
                if next != NONE && row[next as usize] == FAR {
                    row[next as usize] = row[at as usize] + 1;
                    front.push(next);
                }
            }
        }
        Ok(())
    }
}

/// Where every direction leads from each chip; nothing where chips are looked at one by one.
fn around(wires: &Wires) -> Vec<u32> {
    if !wires.is_folded() {
        return Vec::new();
    }
    let (torus, shape) = (wires.torus(), wires.shape());
    let signs = [Sign::Plus, Sign::Minus];
    let directions = Axis::ALL.into_iter().flat_map(move |axis| signs.map(move |sign| (axis, sign)));
    let of = |chip: Coord| {
        directions
            .clone()
            .map(move |(axis, sign)| torus.step(chip, axis, sign).map_or(NONE, |step| shape.index_of(step.to) as u32))
    };
    shape.coords().flat_map(of).collect()
}

/// A number far from those of its neighbours, always the same (the golden ratio in 64 bits).
const fn mixed(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
