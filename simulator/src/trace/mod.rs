//! The timeline of an answer: what each resource of a chip does when, as data for a view and for trace viewers.
//!
//! One lane per resource; spans of a lane follow one another and never overlap. The end of the last span is the time
//! of the answer that the trace was made of. All chips of a slice do the same, so one chip stands for all.
//!
//! Start reading at [`Trace`]; [`Trace::of_matmul`] and [`Trace::of_collective`] make one, [`crate::shard`] makes one
//! of a sharded product, and [`Trace::to_chrome_json`] writes it for Perfetto and `chrome://tracing`.

use serde::Serialize;
use topology::shape::Axis;
use topology::units::{Byte, Flop, Seconds};

mod build;
mod chrome;

pub(crate) use build::Shown;
pub use chrome::MAX_NAME_CHARS;

/// What can be busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// The matrix units.
    Mxu,
    /// Main memory.
    Hbm,
    /// The links along one axis of the torus, both directions.
    Ici(Axis),
    /// The data-centre network.
    Dcn,
}

impl Resource {
    /// "MXU", "HBM", "ICI x", "ICI y", "ICI z" or "DCN".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mxu => "MXU",
            Self::Hbm => "HBM",
            Self::Ici(Axis::X) => "ICI x",
            Self::Ici(Axis::Y) => "ICI y",
            Self::Ici(Axis::Z) => "ICI z",
            Self::Dcn => "DCN",
        }
    }
}

/// What is done in a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpanKind {
    /// The fixed time that every operation takes.
    Launch,
    /// A matrix product or a part of it.
    Matmul,
    /// Operands come from main memory.
    HbmRead,
    /// The result goes to main memory.
    HbmWrite,
    /// A collective, a phase or a part of it.
    Collective,
}

impl SpanKind {
    /// "launch", "matmul", "hbm-read", "hbm-write" or "collective".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Matmul => "matmul",
            Self::HbmRead => "hbm-read",
            Self::HbmWrite => "hbm-write",
            Self::Collective => "collective",
        }
    }
}

/// One stretch of work on one resource.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Span {
    /// What it is, for people.
    pub name: String,
    /// When it starts, from the start of the answer.
    pub start: Seconds,
    /// How long it lasts.
    pub seconds: Seconds,
    /// What is done.
    pub kind: SpanKind,
    /// Whether it is communication while nothing is computed.
    pub is_exposed: bool,
    /// Bytes that one chip moves in it; absent where it moves none, or none are counted.
    pub bytes: Option<Byte>,
    /// Useful operations that one chip does in it; absent where it computes nothing.
    pub flop: Option<Flop>,
}

impl Span {
    /// When it ends.
    pub fn end(&self) -> Seconds {
        self.start + self.seconds
    }
}

/// What one resource does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lane {
    /// The resource.
    pub resource: Resource,
    /// By their start; they do not overlap, and none lasts no time.
    pub spans: Vec<Span>,
}

/// What every resource does; lanes in the order of [`Resource`], none of them empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Trace {
    /// One per resource that does something.
    pub lanes: Vec<Lane>,
}

impl Trace {
    /// When the last span ends; zero where there is none.
    pub fn seconds(&self) -> Seconds {
        self.spans().map(|(_, span)| span.end()).fold(Seconds::ZERO, Seconds::max)
    }

    /// All spans with their resource, lane by lane.
    pub fn spans(&self) -> impl Iterator<Item = (Resource, &Span)> {
        self.lanes.iter().flat_map(|lane| lane.spans.iter().map(|span| (lane.resource, span)))
    }

    /// The spans of a resource; none where it does nothing.
    pub fn lane(&self, resource: Resource) -> &[Span] {
        self.lanes.iter().find(|lane| lane.resource == resource).map_or(&[], |lane| &lane.spans)
    }
}

#[cfg(test)]
pub(crate) mod tests;
