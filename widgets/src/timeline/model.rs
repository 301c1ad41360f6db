//! What a timeline is made of, and what it answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::theme::SliceColor;

/// What happens when, on lanes below each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// What is shown, for the accessible description, such as "step of scenario B, one chip of 2,048".
    pub name: String,
    /// Name of the whole, beside the small map of it, such as "Step".
    pub whole: String,
    /// Length of the whole in seconds; everything else begins at 0.
    pub total_s: f64,
    /// The lanes from top to bottom.
    pub lanes: Vec<Lane>,
    /// Large parts of the whole, drawn in the small map, in order: "forward, 80 layers".
    pub phases: Vec<Stretch>,
    /// Finer parts, named above the lanes when there is room, in order: "layer 27 forward".
    pub groups: Vec<Stretch>,
    /// Newer numbers are on their way: everything is grey until they come.
    pub stale: bool,
    /// Changes whenever anything else here but `stale` changes: the picture is kept until then.
    pub revision: u64,
}

/// One unit that is busy at times.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// Such as "MXU" or "ICI x".
    pub name: String,
    /// What it does, by start. Where two overlap the later one is drawn over the earlier one.
    pub spans: Vec<Span>,
    /// Why it has nothing to do, such as "one pod only"; shown when there are no spans.
    pub idle: String,
}

/// One thing that a lane does.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Such as "all-gather W 28".
    pub name: Arc<str>,
    /// When it starts, in seconds.
    pub start_s: f64,
    /// How long it takes, in seconds.
    pub seconds: f64,
    /// What it is.
    pub kind: Kind,
}

impl Span {
    /// When it ends, in seconds.
    pub fn end_s(&self) -> f64 {
        self.start_s + self.seconds
    }
}

/// A part of the whole with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Stretch {
    /// Such as "backward, 80 layers".
    pub name: String,
    /// When it starts, in seconds.
    pub start_s: f64,
    /// How long it takes, in seconds.
    pub seconds: f64,
}

/// What a span is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A matrix product.
    Matmul,
    /// Attention.
    Attention,
    /// Work of the vector unit: norms, softmax, the optimizer.
    Vector,
    /// Reading or writing HBM.
    Hbm,
    /// A collective that work hides.
    Collective,
    /// Waiting for a collective that nothing hides.
    Exposed,
    /// Anything else.
    Other,
}

impl Kind {
    /// Every kind, in the order of the legend.
    pub const ALL: [Self; 7] =
        [Self::Matmul, Self::Attention, Self::Vector, Self::Hbm, Self::Collective, Self::Exposed, Self::Other];

    /// The word in legend and readout.
    pub fn word(self) -> &'static str {
        match self {
            Self::Matmul => "matmul",
            Self::Attention => "attention",
            Self::Vector => "vector",
            Self::Hbm => "HBM",
            Self::Collective => "collective",
            Self::Exposed => "exposed communication",
            Self::Other => "other",
        }
    }

    /// Its colours; [`Kind::Exposed`] has none of its own and is hatched in `warn`.
    pub(crate) fn color(self) -> Option<SliceColor> {
        let number = match self {
            Self::Matmul => 0,
            Self::Attention => 3,
            Self::Vector => 7,
            Self::Hbm => 2,
            Self::Collective => 1,
            Self::Other => 4,
            Self::Exposed => return None,
        };
        Some(SliceColor::nth(number))
    }
}

/// Which span: its lane and its number there, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SpanId {
    /// Number of the lane.
    pub lane: usize,
    /// Number of the span in its lane.
    pub span: usize,
}

/// How a timeline is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TimelineState {
    /// First and last moment in view, as shares of the whole.
    pub view: [f64; 2],
    /// The span that stands out and that the arrow keys move.
    pub selected: Option<SpanId>,
    /// The drag in the small map that goes on.
    pub grip: Option<Grip>,
}

impl Default for TimelineState {
    fn default() -> Self {
        Self { view: [0.0, 1.0], selected: None, grip: None }
    }
}

/// What is held in the small map.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Grip {
    /// The left edge of the window.
    First,
    /// The right edge of the window.
    Last,
    /// The whole window.
    Window,
    /// A new window from this share of the whole on.
    New(f64),
}

/// Least share of the whole that zooming may show.
const LEAST_VIEW: f64 = 1e-7;

impl TimelineState {
    /// Shows everything.
    pub fn fit(&mut self) {
        self.view = [0.0, 1.0];
    }

    /// Magnifies by `factor` and keeps the moment at `share` of the view where it is (0 left, 1 right).
    pub fn zoom(&mut self, factor: f64, share: f64) {
        let [low, high] = self.view;
        let span = high - low;
        let new_span = (span / factor).clamp(LEAST_VIEW, 1.0);
        let low = (low + (span - new_span) * share).clamp(0.0, 1.0 - new_span);
        self.view = [low, low + new_span];
    }

    /// Moves by a share of the view; positive is later.
    pub fn pan(&mut self, share: f64) {
        let [low, high] = self.view;
        let span = high - low;
        let low = (low + span * share).clamp(0.0, 1.0 - span);
        self.view = [low, low + span];
    }

    /// Shows the time from one share of the whole to another, at least a little of it.
    pub fn frame(&mut self, from: f64, to: f64) {
        let (low, high) = (from.min(to).clamp(0.0, 1.0), from.max(to).clamp(0.0, 1.0));
        let span = (high - low).max(LEAST_VIEW);
        let low = low.min(1.0 - span);
        self.view = [low, low + span];
    }
}

/// What happened to a timeline in this frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TimelineOutput {
    /// Under the pointer.
    pub hovered: Option<SpanId>,
    /// Clicked, or confirmed with Enter.
    pub clicked: Option<SpanId>,
    /// Clicked where nothing is.
    pub clicked_nothing: bool,
}
