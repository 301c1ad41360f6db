//! What a roadmap timeline is made of, and what it answers.

use serde::{Deserialize, Serialize};

use super::date::Day;

/// Lanes of work items over calendar time, with gates above.
#[derive(Debug, Clone, PartialEq)]
pub struct Gantt {
    /// Name of the roadmap, for the accessible description.
    pub name: String,
    /// First day shown; the axis begins with its month.
    pub from: Day,
    /// Last day shown.
    pub to: Day,
    /// The day of the line "today".
    pub today: Day,
    /// Gates, in order of date.
    pub gates: Vec<Gate>,
    /// Lanes, from above.
    pub lanes: Vec<Lane>,
    /// Dependencies between items, by [`Item::id`].
    pub links: Vec<Link>,
    /// Text of the baseline in the legend, such as "baseline of 1 Oct"; absent hides baselines.
    pub baseline: Option<String>,
    /// Whether the critical path stands out.
    pub show_critical: bool,
    /// Whether P50 and P85 are drawn.
    pub show_forecast: bool,
    /// Item or gate that is selected.
    pub selected: Option<u64>,
}

/// How late something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slip {
    /// In time.
    None,
    /// Its P50 is after its date.
    Late,
    /// Its P50 is after its date, on the critical path.
    LateAndCritical,
}

/// A decision point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// Unique among gates and items.
    pub id: u64,
    /// Short name, such as "DVT".
    pub name: String,
    /// Planned day at the time of the baseline.
    pub baseline: Option<Day>,
    /// Day it passed, or is expected to at P50.
    pub day: Day,
    /// Day at P85; absent when passed or unknown.
    pub p85: Option<Day>,
    /// Whether it has passed.
    pub passed: bool,
    /// How late.
    pub slip: Slip,
}

/// A lane of items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// Such as "Silicon and rack".
    pub name: String,
    /// Right-aligned text of its header, such as "2 of 4".
    pub summary: String,
    /// Its items, one row each.
    pub items: Vec<Item>,
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Unique among gates and items.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// First day.
    pub start: Day,
    /// Last day, at P50 where it is forecast.
    pub end: Day,
    /// First and last day of the baseline.
    pub baseline: Option<[Day; 2]>,
    /// Work done, in percent.
    pub percent: u8,
    /// Day at P85.
    pub p85: Option<Day>,
    /// Whether it is on the critical path.
    pub critical: bool,
    /// How late.
    pub slip: Slip,
}

/// `to` cannot start (or end) before `from` has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Item that comes first.
    pub from: u64,
    /// Item that waits.
    pub to: u64,
    /// Where the connector arrives.
    pub arrives: Arrives,
    /// Whether it is on the critical path.
    pub critical: bool,
}

/// Where a connector arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrives {
    /// At the start of the waiting item.
    Start,
    /// At its end.
    End,
}

/// How a timeline is looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GanttState {
    /// Points a month of 30.44 days takes.
    pub month_width: f32,
    /// Points scrolled away at the left.
    pub scroll_x: f32,
    /// Points scrolled away above.
    pub scroll_y: f32,
    /// Names of folded lanes.
    pub folded: Vec<String>,
    /// A drag under way.
    #[serde(skip)]
    pub drag: Option<DragState>,
}

impl Default for GanttState {
    fn default() -> Self {
        Self { month_width: 52.0, scroll_x: 0.0, scroll_y: 0.0, folded: Vec::new(), drag: None }
    }
}

/// Which part of a bar is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grip {
    /// The first day.
    Start,
    /// The last day.
    End,
    /// The whole bar.
    Body,
}

/// A drag of a bar under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DragState {
    /// The item.
    pub item: u64,
    /// The part that is held.
    pub grip: Grip,
    /// Points dragged so far.
    pub points: f32,
    /// Dates when the drag began.
    pub from: [Day; 2],
}

/// New dates for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposal {
    /// The item.
    pub item: u64,
    /// Proposed first day.
    pub start: Day,
    /// Proposed last day; never before the first.
    pub end: Day,
    /// Whether dependent items stay where they are (Alt was held).
    pub alone: bool,
}

/// What happened to a timeline in this frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GanttOutput {
    /// Item or gate under the pointer.
    pub hovered: Option<u64>,
    /// Item or gate that was clicked.
    pub clicked: Option<u64>,
    /// Item or gate that was clicked twice.
    pub double_clicked: Option<u64>,
    /// Clicked where nothing is.
    pub clicked_nothing: bool,
    /// What a drag under way would do.
    pub preview: Option<Proposal>,
    /// What a finished drag or a key asks for: one undo step.
    pub commit: Option<Proposal>,
}
