//! The roadmap: lanes of items with dates, gates that they lead to, and the columns of the board.
//!
//! Dates are calendar days without a zone. A finish is the last day of work, so an item from Monday to Monday
//! takes one day less than a week and one day more than nothing.

use std::fmt;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use topology::fleet::TeamId;
use topology::units::Fraction;

use crate::baseline::Baseline;
use crate::calendar::WorkCalendar;
use crate::decision::Decision;
use crate::estimate::Estimate;
use crate::merge::Imported;
use crate::npi::{Criterion, Matrix, Ruling};
use crate::risk::Risk;

/// Key of an item, such as "KES-12": unique in its roadmap and stable.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ItemId(pub String);

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl From<&str> for ItemId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Lanes, gates, items and columns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Roadmap {
    /// Title for people.
    pub title: String,
    /// The day on which the baseline was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_of: Option<Date>,
    /// Names of the lanes of the timeline, top to bottom.
    pub lanes: Vec<String>,
    /// Gates in order of time.
    pub gates: Vec<Gate>,
    /// Columns of the board, left to right.
    pub columns: Vec<Column>,
    /// Items in the order in which they are shown within their lane and column.
    pub items: Vec<Item>,
    /// Working calendars.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calendars: Vec<WorkCalendar>,
    /// Name of the calendar of items that name none; absent if every day is worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
    /// Dates as they stood on earlier days, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub baselines: Vec<Baseline>,
    /// What each source said when it was last read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<Imported>,
    /// What might go wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<Risk>,
    /// What was decided, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// Which images work on what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<Matrix>,
}

impl Roadmap {
    /// The item of that key.
    pub fn item(&self, id: &ItemId) -> Option<&Item> {
        self.items.iter().find(|item| item.id == *id)
    }

    /// The gate of that name.
    pub fn gate(&self, name: &str) -> Option<&Gate> {
        self.gates.iter().find(|gate| gate.name == name)
    }

    /// The column of that name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The calendar of an item; absent if every day is worked, or if it names one that does not exist.
    pub fn calendar_of(&self, item: &Item) -> Option<&WorkCalendar> {
        let name = item.calendar.as_ref().or(self.calendar.as_ref())?;
        self.calendars.iter().find(|calendar| calendar.name == *name)
    }

    /// Items that have a place on the timeline, in order.
    pub fn bars(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().filter(|item| item.span().is_some())
    }

    /// Cards of one column of the board, top to bottom.
    pub fn cards<'a>(&'a self, column: &'a str) -> impl Iterator<Item = &'a Item> + 'a {
        self.items.iter().filter(move |item| item.column.as_deref() == Some(column))
    }
}

/// The day that is as likely to be met as missed, and the day that is met in 85 of 100 cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// Median.
    pub p50: Date,
    /// 85th percentile.
    pub p85: Date,
}

/// A decision that many items lead to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// Unique name, such as "DVT".
    pub name: String,
    /// Date that was promised when the baseline was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Date>,
    /// Date of the plan as it is now.
    pub planned: Date,
    /// Forecast, for a gate that is not yet passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<Forecast>,
    /// Day on which the gate was passed; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passed: Option<Date>,
    /// Items that must be finished first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<ItemId>,
    /// Owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// The one question that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// What must be shown before it can be passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<Criterion>,
    /// What was ruled at it; absent until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<Ruling>,
}

impl Gate {
    /// An open gate with a planned day, and nothing else known.
    pub fn new(name: impl Into<String>, planned: Date) -> Self {
        Self {
            name: name.into(),
            baseline: None,
            planned,
            forecast: None,
            passed: None,
            needs: Vec::new(),
            team: None,
            question: None,
            criteria: Vec::new(),
            ruling: None,
        }
    }
}

/// What a column of the board means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Stage {
    /// Not promised yet.
    #[default]
    Backlog,
    /// May be started.
    Ready,
    /// Being worked on; counts as work in progress.
    Active,
    /// Finished.
    Done,
}

/// A column of the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Unique name.
    pub name: String,
    /// What it means.
    #[serde(default)]
    pub stage: Stage,
    /// Most cards that it should hold; absent for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wip_limit: Option<u32>,
}

/// How one item holds another back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum LinkKind {
    /// The later item starts after the earlier has finished.
    #[default]
    FinishToStart,
    /// The later item finishes after the earlier has finished.
    FinishToFinish,
    /// The later item starts after the earlier has started.
    StartToStart,
    /// The later item finishes after the earlier has started.
    StartToFinish,
}

/// What an item waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// The earlier item.
    pub on: ItemId,
    /// How it holds this one back.
    #[serde(default, skip_serializing_if = "is_default")]
    pub kind: LinkKind,
    /// Working days of the later item that must pass between the two ends; negative for a lead.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lag_days: i16,
}

impl Dependency {
    /// The usual kind: start once the other has finished.
    pub fn after(on: ItemId) -> Self {
        Self { on, kind: LinkKind::FinishToStart, lag_days: 0 }
    }
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// First and last day of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First day.
    pub start: Date,
    /// Last day, not before the first.
    pub finish: Date,
}

impl Span {
    /// Days of work, at least 1, counting both ends.
    pub fn days(self) -> i32 {
        days_between(self.start, self.finish) + 1
    }
}

/// Days from `from` to `to`; negative if `to` is earlier.
pub fn days_between(from: Date, to: Date) -> i32 {
    // jiff's civil dates span less than 2^23 days, so neither the span nor the number can fail or overflow.
    (to - from).get_days()
}

/// A piece of work: a bar of the timeline if it has dates, a card of the board if it has a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Unique key.
    pub id: ItemId,
    /// Title for people.
    pub title: String,
    /// Lane of the timeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// Team that does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Gate that it leads to, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// First day of work as planned now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Date>,
    /// Last day of work as planned now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<Date>,
    /// First and last day as promised when the baseline was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Span>,
    /// Share of the work that is done.
    #[serde(default, skip_serializing_if = "is_default")]
    pub progress: Fraction,
    /// Forecast of the finish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forecast: Option<Forecast>,
    /// Items that it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<Dependency>,
    /// Column of the board, by name; absent for work that has no card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Date that the card promises.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Date>,
    /// Day on which the card entered its column; its age counts from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entered: Option<Date>,
    /// Day on which work really began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Date>,
    /// Day on which it was really finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Date>,
    /// Why it cannot go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// Size in points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<u32>,
    /// What else is worth saying on the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// Whether it takes no time: it is reached at the end of its day.
    #[serde(default, skip_serializing_if = "is_default")]
    pub milestone: bool,
    /// Name of its working calendar; absent for that of the roadmap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
    /// How long it may take, in working days; absent if its planned length is taken as certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// Where it is kept, for people to open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl Item {
    /// An item with a key and a title, and nothing else known.
    pub fn new(id: ItemId, title: impl Into<String>) -> Self {
        Self {
            id,
            title: title.into(),
            lane: None,
            team: None,
            gate: None,
            start: None,
            finish: None,
            baseline: None,
            progress: Fraction::ZERO,
            forecast: None,
            depends_on: Vec::new(),
            column: None,
            due: None,
            entered: None,
            started: None,
            closed: None,
            blocked: None,
            points: None,
            remark: None,
            milestone: false,
            calendar: None,
            estimate: None,
            url: None,
        }
    }

    /// Its bar; absent if it has no dates, or if they are the wrong way round.
    pub fn span(&self) -> Option<Span> {
        let (start, finish) = (self.start?, self.finish?);
        (start <= finish).then_some(Span { start, finish })
    }

    /// Whether all of the work is done.
    pub fn is_done(&self) -> bool {
        self.closed.is_some() || self.progress == Fraction::ONE
    }

    /// Whether work has begun.
    pub fn has_begun(&self) -> bool {
        self.is_done() || self.started.is_some() || self.progress > Fraction::ZERO
    }
}
