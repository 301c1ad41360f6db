//! The timeline of a plan: collectives on the axes that they use, local products between them.

use topology::units::{Byte, Seconds};

use super::answer::{Plan, Step};
use crate::roofline::Engine;
use crate::trace::{Shown, Trace};

/// What each resource does when; ends when the plan says.
pub(crate) fn timeline(plan: &Plan, engine: &Engine) -> Trace {
    let mut trace = Trace::default();
    let mut at = Seconds::ZERO;
    let serial =
        |is_before| plan.collectives.iter().filter(move |step| !step.is_overlapped && step.is_before == is_before);
    for step in serial(true) {
        at = add_whole(&mut trace, step, at);
    }
    if let Some(step) = plan.collectives.iter().find(|step| step.is_overlapped) {
        at = add_pipeline(&mut trace, at, (plan, step), engine);
    } else {
        trace.add_matmul(at, &plan.chunk, engine, &plan.estimate);
        at += plan.estimate.seconds;
    }
    for step in serial(false) {
        at = add_whole(&mut trace, step, at);
    }
    trace
}

/// Bytes that one chip sends: what the busiest links of its axes carry.
fn sent(step: &Step) -> Byte {
    step.time.busiest_link_bytes
}

fn add_whole(trace: &mut Trace, step: &Step, at: Seconds) -> Seconds {
    let shown = Shown { name: &step.name(), bytes: sent(step), is_exposed: true };
    trace.add_collective((at, step.time.seconds), &step.torus_axes, &shown);
    at + step.time.seconds
}

/// Parts of a collective and of the product, each waiting for the one before it on its resource and for its partner.
fn add_pipeline(trace: &mut Trace, from: Seconds, (plan, step): (&Plan, &Step), engine: &Engine) -> Seconds {
    let n = plan.chunks;
    let (math, comm) = (plan.estimate.seconds.get(), step.time.seconds.get() / n as f64);
    let (first, second) = if step.is_before { (comm, math) } else { (math, comm) };
    // The first stage goes on without a pause; the second one follows the slower of the two.
    let leading = Beat { start: 0.0, period: first, length: first };
    let following = Beat { start: first, period: first.max(second), length: second };
    let (comms, maths) = if step.is_before { (leading, following) } else { (following, leading) };
    for i in 0..n {
        trace.add_matmul(from + Seconds::new(maths.at(i)), &plan.chunk, engine, &plan.estimate);
        let name = format!("{} {}/{n}", step.name(), i + 1);
        for (start, seconds, is_exposed) in pieces((comms.at(i), comm), maths, n) {
            let bytes = sent(step) * (seconds / (comm * n as f64));
            let shown = Shown { name: &name, bytes, is_exposed };
            trace.add_collective((from + Seconds::new(start), Seconds::new(seconds)), &step.torus_axes, &shown);
        }
    }
    from + Seconds::new(following.at(n - 1) + second)
}

/// Work that comes again and again.
#[derive(Clone, Copy)]
struct Beat {
    start: f64,
    period: f64,
    length: f64,
}

impl Beat {
    fn at(self, i: u64) -> f64 {
        self.start + i as f64 * self.period
    }
}

/// A stretch of time cut where one of `n` beats starts or ends: start, length, and whether no beat covers it.
fn pieces((from, length): (f64, f64), beats: Beat, n: u64) -> Vec<(f64, f64, bool)> {
    let to = from + length;
    let first = ((from - beats.start) / beats.period).floor().max(0.0) as u64;
    let mut pieces = Vec::new();
    let mut at = from;
    for i in first..n {
        let (start, end) = (beats.at(i).clamp(at, to), (beats.at(i) + beats.length).clamp(at, to));
        pieces.push((at, start - at, true));
        pieces.push((start, end - start, false));
        at = end;
        if beats.at(i) >= to {
            break;
        }
    }
    pieces.push((at, to - at, true));
    // What remains of rounding is no piece.
    pieces.retain(|(_, seconds, _)| *seconds > 1e-9 * length);
    pieces
}
