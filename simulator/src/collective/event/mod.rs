//! Time by simulation: chunks wait for links.
//!
//! Time counts in whole picoseconds. A link sends one chunk after the other in the order in which they came (those of one
//! picosecond in an order that is the same seen from every chip), each as long as its bytes take, and the chunk is at the
//! other end one hop time after its last byte left (store and forward). Chips copy and add in no time. Where every chip
//! sees the same picture and sends the same, one chip is simulated for all, which is exact: what happens at one place
//! happens at all of them at the same picosecond.

mod clock;
mod gather;
mod message;

use topology::shape::Axis;
use topology::units::{Byte, Seconds};

use super::ask::Asked;
use super::load::Counted;
use super::report::{Report, Run, rate};
use super::wires::Wires;
use super::{Answer, Collective, CollectiveError, CollectiveModel, Fabric, Phase, Request};
use crate::cancel::Cancel;
use clock::Clock;

/// Most hops of chunks of one simulation: about ten seconds.
pub const MAX_EVENTS: u64 = 1 << 26;
/// Most chunks of a shard.
const MAX_CHUNKS: u32 = 1 << 10;
/// Chunks of a message of a permute for each of a shard.
const PERMUTE_CHUNKS: usize = 16;

/// How messages of an all-to-all or permute choose their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Routing {
    /// Along x, then y, then z; where both ways round are as short, chunks of an all-to-all take turns. Around what is
    /// broken, one shortest way.
    DimensionOrdered,
    /// At each chip the link with the shortest queue among those on shortest ways.
    #[default]
    Adaptive,
}

/// In which order gathers go over several axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// Parts of the array go over the axes in different orders at once, so that all axes work all the time.
    #[default]
    Rotated,
    /// The whole array goes over one axis after the other: a gather over the last axis first, a scatter over the first.
    InOrder,
}

/// Chunks over queued links, link by link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventDriven {
    /// Chunks of a shard, or of a message: 1 to 1024, an odd number counts as the next even one, so that rings of an
    /// even number of chips can send half of them each way. The messages of a permute, which are as large as a shard
    /// and may go far, are cut into 16 times as many.
    pub n_chunks: u32,
    /// How messages choose their way.
    pub routing: Routing,
    /// Order of the axes in gathers.
    pub order: Order,
}

impl Default for EventDriven {
    fn default() -> Self {
        Self { n_chunks: 4, routing: Routing::default(), order: Order::default() }
    }
}

/// What a simulation needs beside its plan.
pub(super) struct Scene<'a> {
    wires: &'a Wires,
    fabric: &'a Fabric,
    chunks: usize,
    cancel: &'a Cancel,
    progress: &'a mut dyn FnMut(f64),
}

impl EventDriven {
    fn chunks(self, kind: Collective) -> usize {
        let finer = if kind == Collective::Permute { PERMUTE_CHUNKS } else { 1 };
        self.n_chunks.clamp(1, MAX_CHUNKS).next_multiple_of(2) as usize * finer
    }

    /// Answers with all chips one by one, though one could stand for all.
    #[cfg(test)]
    pub(crate) fn answer_unfolded(self, request: &Request, fabric: &Fabric) -> Result<Answer, CollectiveError> {
        let asked = Asked::new(request, fabric)?;
        self.run(request, (&asked, fabric, &Wires::new(fabric)), &Cancel::default(), &mut |_| {})
    }

    fn run(
        self,
        request: &Request,
        (asked, fabric, wires): (&Asked, &Fabric, &Wires),
        cancel: &Cancel,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Answer, CollectiveError> {
        let mut counted = Counted::of((request, asked.slice_bytes), &asked.parts, (fabric, wires), self.order)?;
        let mut scene = Scene { wires, fabric, chunks: self.chunks(request.kind), cancel, progress };
        let played = match &counted.plan {
            Some(plan) => gather::run(plan, asked.slice_bytes, &mut scene)?,
            None => message::run((request, asked), self.routing, &mut scene)?,
        };
        if let Some(by_wire) = &played.by_wire {
            // Adaptive ways are known only now.
            counted.passes.iter_mut().for_each(|pass| pass.bytes.clone_from(by_wire));
            counted.hops = counted.hops.max(played.longest);
        }
        (scene.progress)(1.0);
        let latency = fabric.links.hop_seconds.get() * f64::from(counted.hops) * counted.passes.len() as f64;
        let run = Run {
            ici_seconds: seconds(played.end).get(),
            bandwidth_seconds: counted.seconds(fabric, wires, topology::chip::ICI_EFFECTIVE_SHARE).get(),
            latency_seconds: latency,
            phases: played.phases,
            n_events: Some(played.n_events),
        };
        Ok(Report { request, asked, fabric, wires, counted: &counted }.answer(run))
    }
}

impl CollectiveModel for EventDriven {
    fn answer(
        &self,
        request: &Request,
        fabric: &Fabric,
        cancel: &Cancel,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Answer, CollectiveError> {
        let asked = Asked::new(request, fabric)?;
        let wires = Counted::wires(request, &asked.parts, fabric);
        self.run(request, (&asked, fabric, &wires), cancel, progress)
    }
}

impl Scene<'_> {
    fn clock(&self) -> Clock {
        let hop = ticks(self.fabric.links.hop_seconds.get());
        Clock::new(self.wires, rate(self.fabric) * self.fabric.calibration.share, hop)
    }

    /// Tells how far the work is, and whether to go on.
    fn tell(&mut self, share: f64) -> Result<(), CollectiveError> {
        if self.cancel.is_set() {
            return Err(CollectiveError::Cancelled);
        }
        (self.progress)(share.min(1.0));
        Ok(())
    }
}

/// Refuses what would take too long.
fn check(events: f64) -> Result<(), CollectiveError> {
    if events > MAX_EVENTS as f64 {
        let remedy = "ask the analytic model, for fewer chunks, or for a smaller slice";
        return Err(CollectiveError::TooManyEvents { events, max: MAX_EVENTS as f64, remedy });
    }
    Ok(())
}

/// Picoseconds of a second.
const TICKS_PER_SECOND: f64 = 1e12;

/// The nearest number of picoseconds.
pub(super) fn ticks(seconds: f64) -> u64 {
    (seconds * TICKS_PER_SECOND).round() as u64
}

pub(super) fn seconds(ticks: u64) -> Seconds {
    Seconds::new(ticks as f64 / TICKS_PER_SECOND)
}

/// What a simulation found.
pub(super) struct Played {
    end: u64,
    n_events: u64,
    phases: Vec<Phase>,
    /// Bytes over each wire, where the plan does not say them.
    by_wire: Option<Vec<f64>>,
    /// Hops of the longest way, where the plan does not say it.
    longest: u32,
}

/// When something was first and last seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spell {
    first: u64,
    last: u64,
}

impl Spell {
    const NEVER: Self = Self { first: u64::MAX, last: 0 };

    fn see(&mut self, from: u64, to: u64) {
        self.first = self.first.min(from);
        self.last = self.last.max(to);
    }

    /// The same played backwards in a stretch of a length that begins at a start.
    fn mirrored(self, length: u64, start: u64) -> Self {
        if self.last == 0 {
            return self;
        }
        Self { first: start + length - self.last, last: start + length - self.first }
    }

    fn phase(self, name: String, axis: Option<Axis>, bytes: Byte) -> Phase {
        let length = self.last.saturating_sub(self.first);
        Phase {
            name,
            axis,
            start_seconds: seconds(if self.last == 0 { 0 } else { self.first }),
            seconds: seconds(if self.last == 0 { 0 } else { length }),
            bytes,
        }
    }
}
