//! An answer out of what a model found.

use topology::chip::ICI_EFFECTIVE_SHARE;
use topology::shape::Axis;
use topology::units::{Byte, BytePerSec, Fraction, Seconds};

use super::ask::Asked;
use super::closed::{START_SECONDS, WORST_SHARE};
use super::group::Parts;
use super::load::Counted;
use super::wires::{N_SLOTS, Wires};
use super::{Answer, Collective, CollectiveTime, Degraded, Fabric, LinkTraffic, Phase, Request};
use crate::explain::Term;

const COUNTED: &str = "bytes of the busiest link / W, summed over scatter and gather; links counted along the plan";
const EVENTS: &str = "end of the last chunk; every chunk waits for its link";
const BOOK: &str = "jax-ml/scaling-book @0819a7d sharding.md";

/// What a model found of the part over ICI, at nine tenths of the link rate.
pub(crate) struct Run {
    /// Until the end, without start-up.
    pub(crate) ici_seconds: f64,
    /// The busiest links alone.
    pub(crate) bandwidth_seconds: f64,
    pub(crate) latency_seconds: f64,
    /// By start.
    pub(crate) phases: Vec<Phase>,
    pub(crate) n_events: Option<u64>,
}

/// All that an answer is made of.
pub(crate) struct Report<'a> {
    pub(crate) request: &'a Request,
    pub(crate) asked: &'a Asked,
    pub(crate) fabric: &'a Fabric,
    pub(crate) wires: &'a Wires,
    pub(crate) counted: &'a Counted,
}

/// The link rate that is counted with, in bytes per second.
pub(crate) fn rate(fabric: &Fabric) -> f64 {
    fabric.links.bytes_per_s.get() * ICI_EFFECTIVE_SHARE
}

impl Run {
    /// By counting: all axes of a pass are busy from its start to its end.
    pub(crate) fn counted(counted: &Counted, asked: &Asked, (fabric, wires): (&Fabric, &Wires), latency: f64) -> Self {
        let bandwidth = counted.seconds(fabric, wires, ICI_EFFECTIVE_SHARE).get();
        let total = (bandwidth / fabric.calibration.share).max(latency);
        let mut phases = Vec::new();
        let mut start = 0.0;
        for pass in &counted.passes {
            // Passes share the time as they share the bandwidth; where latency decides, alike.
            let share = if bandwidth > 0.0 { pass.seconds(wires, rate(fabric)) / bandwidth } else { 1.0 };
            let seconds = total * share;
            for (axis, bytes) in Axis::ALL.into_iter().zip(pass.by_axis(wires)).filter(|(_, bytes)| *bytes > 0.0) {
                let axis = match asked.parts {
                    Parts::Boxes(_) => Some(axis),
                    Parts::Lists(_) => None,
                };
                let name = axis.map_or_else(|| pass.name.to_owned(), |axis| format!("{} {}", pass.name, axis.name()));
                let (start_seconds, seconds) = (Seconds::new(start), Seconds::new(seconds));
                phases.push(Phase { name, axis, start_seconds, seconds, bytes: Byte::new(bytes) });
            }
            start += seconds;
        }
        Self { ici_seconds: total, bandwidth_seconds: bandwidth, latency_seconds: latency, phases, n_events: None }
    }
}

impl Report<'_> {
    /// The answer.
    pub(crate) fn answer(&self, run: Run) -> Answer {
        let time = self.time(&run);
        let n_chips = self.wires.shape().n_chips();
        let seconds = time.seconds.get();
        Answer {
            links: self.links(run.ici_seconds),
            algorithm_bytes_per_s: self.algorithm_bytes_per_s(seconds),
            degraded: self.degraded(),
            explain: self.explain(&time, &run),
            group_chips: self.asked.group_chips,
            n_groups: n_chips / self.asked.parts.group_chips(),
            hops: self.counted.hops,
            n_events: run.n_events,
            phases: self.phases(run.phases, run.ici_seconds),
            time,
        }
    }

    fn dcn_seconds(&self) -> f64 {
        let rate = self.fabric.dcn.map_or(0.0, |dcn| dcn.bytes_per_s.get());
        if rate > 0.0 { self.asked.dcn_bytes / rate } else { 0.0 }
    }

    fn time(&self, run: &Run) -> CollectiveTime {
        let calibration = &self.fabric.calibration;
        let dcn = self.dcn_seconds();
        let moves = run.bandwidth_seconds > 0.0 || dcn > 0.0;
        let start = |seconds: f64| if moves { seconds } else { 0.0 };
        let worst = WORST_SHARE.min(calibration.share);
        let seconds = start(calibration.start_seconds.get()) + run.ici_seconds + dcn;
        // Physical link rate and nothing that waits; a simulation cannot be slower than its own low end.
        let low = (run.bandwidth_seconds * ICI_EFFECTIVE_SHARE).max(run.latency_seconds) + dcn;
        let high = run.bandwidth_seconds / worst + run.latency_seconds + start(START_SECONDS) + dcn;
        CollectiveTime {
            seconds: Seconds::new(seconds),
            seconds_low: Seconds::new(low.min(seconds)),
            seconds_high: Seconds::new(high.max(seconds)),
            bandwidth_seconds: Seconds::new(run.bandwidth_seconds + dcn),
            latency_seconds: Seconds::new(run.latency_seconds),
            busiest_link_bytes: Byte::new(self.wire_bytes().into_iter().fold(0.0, f64::max)),
            formula: if run.n_events.is_some() { EVENTS } else { COUNTED },
        }
    }

    /// Bytes over each wire, all passes.
    fn wire_bytes(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.wires.n_wires()];
        for pass in &self.counted.passes {
            sums.iter_mut().zip(&pass.bytes).for_each(|(sum, bytes)| *sum += bytes);
        }
        sums
    }

    fn links(&self, end: f64) -> Vec<LinkTraffic> {
        let sums = self.wire_bytes();
        let rate = rate(self.fabric) * self.fabric.calibration.share;
        let all = Wires::new(self.fabric);
        let mut links = Vec::new();
        for wire in (0..all.n_wires() as u32).filter(|wire| all.works(*wire)) {
            let bytes = sums[if self.wires.is_folded() { wire as usize % N_SLOTS } else { wire as usize }];
            if bytes > 0.0 {
                let (link, sign) = all.link_of(wire);
                let busy = bytes / (rate * all.share(wire));
                let (busy_seconds, idle_seconds) = (Seconds::new(busy), Seconds::new((end - busy).max(0.0)));
                links.push(LinkTraffic { link, sign, bytes: Byte::new(bytes), busy_seconds, idle_seconds });
            }
        }
        links.sort_by_key(|traffic| (traffic.link, traffic.sign));
        links
    }

    fn algorithm_bytes_per_s(&self, seconds: f64) -> Option<BytePerSec> {
        let n = self.asked.group_chips as f64;
        let (bytes, others) = (self.request.bytes.get(), 1.0 - 1.0 / n);
        let moved = match self.request.kind {
            Collective::AllGather | Collective::ReduceScatter => bytes * others,
            Collective::AllReduce => 2.0 * bytes * others,
            Collective::AllToAll => bytes / n * others,
            Collective::Permute => bytes / n,
        };
        (seconds > 0.0).then(|| BytePerSec::new(moved / seconds))
    }

    fn degraded(&self) -> Vec<Degraded> {
        let mut degraded = self.counted.degraded.clone();
        let sums = self.wire_bytes();
        let slow = (0..).zip(&sums).filter(|(_, bytes)| **bytes > 0.0).map(|(wire, _)| self.wires.share(wire));
        let slow: Vec<f64> = slow.filter(|share| *share < 1.0).collect();
        if !slow.is_empty() {
            let share = Fraction::clamped(slow.iter().copied().fold(1.0, f64::min));
            degraded.push(Degraded::Slow { directions: slow.len(), share });
        }
        degraded
    }

    /// The phases with those between slices: before a gather, after a scatter, between both for an all-reduce.
    fn phases(&self, mut phases: Vec<Phase>, end: f64) -> Vec<Phase> {
        let seconds = self.dcn_seconds();
        if seconds == 0.0 {
            return phases;
        }
        let at = match self.request.kind {
            Collective::ReduceScatter => end,
            Collective::AllReduce => {
                let gathers = phases.iter().filter(|phase| phase.name.starts_with("all-gather"));
                gathers.map(|phase| phase.start_seconds.get()).fold(end, f64::min)
            }
            _ => 0.0,
        };
        for phase in phases.iter_mut().filter(|phase| phase.start_seconds.get() >= at) {
            phase.start_seconds += Seconds::new(seconds);
        }
        let name = format!("{} between slices", self.request.kind);
        let bytes = Byte::new(self.asked.dcn_bytes);
        let between =
            Phase { name, axis: None, start_seconds: Seconds::new(at), seconds: Seconds::new(seconds), bytes };
        phases.push(between);
        phases.sort_by(|a, b| a.start_seconds.get().total_cmp(&b.start_seconds.get()));
        phases
    }

    fn explain(&self, time: &CollectiveTime, run: &Run) -> Vec<Term> {
        let (fabric, calibration) = (self.fabric, &self.fabric.calibration);
        let hop = fabric.links.hop_seconds.get();
        let passes = self.counted.passes.len();
        let mut terms = vec![
            Term::new("V, gathered array", (self.request.bytes.get(), "B"), "as asked", "input"),
            Term::new("N, chips of a group", (self.asked.group_chips as f64, ""), "product of its axes", "input"),
            Term::new("W, link rate, one direction", (rate(fabric), "B/s"), "0.9 of the physical rate", BOOK),
            Term::new("busiest link", (time.busiest_link_bytes.get(), "B"), "counted along the plan", "model"),
            Term::new("bandwidth", (run.bandwidth_seconds, "s"), COUNTED, BOOK),
            Term::new(
                "latency",
                (run.latency_seconds, "s"),
                format!("{} hops · {passes} passes · {:.1e} s", self.counted.hops, hop),
                BOOK,
            ),
        ];
        if let Some(events) = run.n_events {
            terms.push(Term::new("simulated hops of chunks", (events as f64, ""), EVENTS, "event-driven model"));
            terms.push(Term::new("end of the last chunk", (run.ici_seconds, "s"), EVENTS, "event-driven model"));
        }
        if !calibration.sources.is_empty() {
            let source = calibration.sources.join("; ");
            let formula = "start + max(bandwidth / share, latency)";
            terms.push(Term::new("start-up", (calibration.start_seconds.get(), "s"), formula, source.clone()));
            terms.push(Term::new("share of W that is reached", (calibration.share, ""), formula, source));
        }
        if let Some(dcn) = fabric.dcn.filter(|_| fabric.n_slices > 1) {
            let formula = "V/n·(s−1)/s / W_dcn, twice for all-reduce";
            let source = "AI-Hypercomputer/maxtext sharding guide";
            terms.push(Term::new("between slices", (self.dcn_seconds(), "s"), formula, source));
            terms.push(Term::new("W_dcn of a chip", (dcn.bytes_per_s.get(), "B/s"), "catalogue", source));
        }
        terms
    }
}
