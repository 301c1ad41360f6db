//! Traces of one product and of one collective, and the pieces that others are made of.

use topology::shape::{Axis, Shape};
use topology::units::{Byte, Seconds};

use super::{Lane, Resource, Span, SpanKind, Trace};
use crate::collective::Phase;
use crate::matmul::Matmul;
use crate::roofline::{Engine, Estimate};

impl Trace {
    /// One product on one chip: launch, then the matrix unit and main memory side by side as the roofline has it.
    ///
    /// Of the two the longer one ends last; the part ω of the shorter one that does not overlap lies before it. Main
    /// memory reads first and writes last, shared by the bytes of operands and result.
    pub fn of_matmul(product: &Matmul, engine: &Engine, estimate: &Estimate) -> Self {
        let mut trace = Self::default();
        trace.add_matmul(Seconds::ZERO, product, engine, estimate);
        trace
    }

    /// One collective over axes of the torus, which are all busy from its start to its end; `bytes` is what one chip
    /// sends, over all axes together. Nothing where it takes no time.
    pub fn of_collective(name: &str, axes: &[Axis], seconds: Seconds, bytes: Byte) -> Self {
        let mut trace = Self::default();
        trace.add_collective((Seconds::ZERO, seconds), axes, &Shown { name, bytes, is_exposed: true });
        trace
    }

    /// The parts of a collective on the lanes of their axes; where it is no single axis, on all of the slice's. What the
    /// whole takes longer than its parts is the start-up before them.
    pub fn of_phases(phases: &[Phase], shape: Shape, whole: Seconds) -> Self {
        let mut trace = Self::default();
        let end = phases.iter().map(|phase| phase.start_seconds + phase.seconds).fold(Seconds::ZERO, Seconds::max);
        let start = Seconds::new((whole.get() - end.get()).max(0.0));
        for axis in shape.axes().iter().filter(|_| start.get() > whole.get() * 1e-9) {
            trace.push(Resource::Ici(*axis), start_up(start));
        }
        for phase in phases {
            let axes = phase.axis.map_or_else(|| shape.axes().to_vec(), |axis| vec![axis]);
            let shown = Shown { name: &phase.name, bytes: phase.bytes, is_exposed: true };
            trace.add_collective((start + phase.start_seconds, phase.seconds), &axes, &shown);
        }
        trace
    }

    /// Adds a span where it belongs; spans of a resource have to come by their start. One without time is left out.
    pub(crate) fn push(&mut self, resource: Resource, span: Span) {
        if span.seconds == Seconds::ZERO {
            return;
        }
        match self.lanes.binary_search_by_key(&resource, |lane| lane.resource) {
            Ok(place) => self.lanes[place].spans.push(span),
            Err(place) => self.lanes.insert(place, Lane { resource, spans: vec![span] }),
        }
    }

    /// Adds a collective as `(start, seconds)` on the lane of each axis, the bytes shared equally between them.
    pub(crate) fn add_collective(&mut self, when: (Seconds, Seconds), axes: &[Axis], shown: &Shown<'_>) {
        let (start, seconds) = when;
        for axis in axes {
            let bytes = Some(shown.bytes * (1.0 / axes.len() as f64));
            let name = shown.name.to_owned();
            let kind = SpanKind::Collective;
            let span = Span { name, start, seconds, kind, is_exposed: shown.is_exposed, bytes, flop: None };
            self.push(Resource::Ici(*axis), span);
        }
    }

    /// Adds one product from a time on.
    pub(crate) fn add_matmul(&mut self, start: Seconds, product: &Matmul, engine: &Engine, estimate: &Estimate) {
        let at = |seconds: f64| start + Seconds::new(seconds.max(0.0));
        let total = estimate.seconds.get();
        let launch = engine.calibration().t0_seconds.min(total);
        let (mxu, hbm) = (estimate.mxu_seconds.get(), estimate.hbm_seconds.get());
        // The longer of the two is pushed to the end, the shorter one starts after the launch.
        let (mxu_from, hbm_from) = if mxu >= hbm { (total - mxu, launch) } else { (launch, total - hbm) };
        let work = |name: &str, kind, from: f64, seconds: f64| Span {
            name: name.to_owned(),
            start: at(from),
            seconds: Seconds::new(seconds.max(0.0)),
            kind,
            is_exposed: false,
            bytes: None,
            flop: None,
        };
        self.push(Resource::Mxu, work("launch", SpanKind::Launch, 0.0, launch));
        let name = format!("{}x{}x{} {}", product.m(), product.k(), product.n(), product.dtype());
        self.push(
            Resource::Mxu,
            Span { flop: Some(estimate.flop), ..work(&name, SpanKind::Matmul, mxu_from.max(launch), mxu) },
        );
        let bytes = estimate.hbm_bytes.get();
        let result = ((product.m() * product.n()) as f64 * product.dtype().bytes()).min(bytes);
        let written = if bytes > 0.0 { hbm * result / bytes } else { 0.0 };
        let moved = |bytes: f64, span| Span { bytes: Some(Byte::new(bytes)), ..span };
        let read = work("read operands", SpanKind::HbmRead, hbm_from, hbm - written);
        let write = work("write result", SpanKind::HbmWrite, hbm_from + hbm - written, written);
        self.push(Resource::Hbm, moved(bytes - result, read));
        self.push(Resource::Hbm, moved(result, write));
    }
}

fn start_up(seconds: Seconds) -> Span {
    Span {
        name: "start-up".to_owned(),
        start: Seconds::ZERO,
        seconds,
        kind: SpanKind::Launch,
        is_exposed: false,
        bytes: None,
        flop: None,
    }
}

/// How a collective is shown.
pub(crate) struct Shown<'a> {
    /// What it is.
    pub(crate) name: &'a str,
    /// Bytes that one chip sends over all axes together.
    pub(crate) bytes: Byte,
    /// Whether nothing is computed meanwhile.
    pub(crate) is_exposed: bool,
}
