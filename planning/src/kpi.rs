//! The leader's indicators: definitions as data, values with target, trend, freshness, source and rows.
//!
//! A value that nobody measured is absent, never zero. Each computation keeps the rows that it counted, so that a
//! number on screen can be opened.

pub mod audit;
pub mod delivery;
pub mod focus;
pub mod series;
pub mod slo;
pub mod training;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::roadmap::days_between;

/// How an indicator is computed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// Gates passed in time, of all that were due.
    MilestoneAdherence,
    /// Gates passed in time, of all that were passed.
    MilestoneAdherenceClosed,
    /// That quantile of cycle times.
    CycleTime(f64),
    /// That quantile of lead times.
    LeadTime(f64),
    /// Items finished in seven days.
    Throughput,
    /// Cost of a training run.
    CostPerRun,
    /// Cost of a million output tokens.
    CostPerMillionTokens,
    /// Used share of a commitment.
    CommitmentUtilization,
    /// Satisfied share of audit findings.
    AuditPassRate,
    /// Passed share of policy checks.
    PolicyPassRate,
    /// Deviations that are asked for or approved.
    SecurityExceptions,
    /// Completed share of assigned courses.
    TrainingCompletion,
    /// Share of users that use a tool.
    ToolingAdoption,
    /// Work per watt.
    ThroughputPerWatt,
    /// The newest value of a series of a table.
    Series,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// A share from 0 to 1.
    Share,
    /// Days.
    Days,
    /// US dollars.
    Usd,
    /// Things.
    Count,
    /// Things a week.
    PerWeek,
    /// Tokens per second and watt.
    TokensPerSecondPerWatt,
    /// As the series says.
    Other,
}

/// Which way is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// What an indicator is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Unique key.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// How it is computed.
    pub kind: Kind,
    /// What it counts.
    pub unit: Unit,
    /// Which way is good.
    pub better: Better,
    /// What is aimed at.
    pub target: Option<f64>,
    /// Days after which its data is old.
    pub stale_days: u32,
    /// The formula in words.
    pub formula: String,
}

/// The embedded definitions, `assets/kpi/definitions.ron`.
pub const DEFINITIONS: &str = include_str!("../../assets/kpi/definitions.ron");

/// Reads a list of definitions.
pub fn definitions(text: &str) -> Result<Vec<Definition>, ron::error::SpannedError> {
    ron::from_str(text)
}

/// One of the rows that a value was counted from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// What.
    pub label: String,
    /// Its number, if it has one.
    pub value: Option<f64>,
    /// Whether it speaks for the value; absent if neither.
    pub is_good: Option<bool>,
    /// What else is to be said.
    pub remark: String,
}

/// A computed number with what it was computed from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    /// The number; absent if there is nothing to count.
    pub value: Option<f64>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Measured {
    /// A share of rows that are good, among those that are good or bad.
    pub fn share(rows: Vec<Row>) -> Self {
        let good = rows.iter().filter(|row| row.is_good == Some(true)).count();
        let all = rows.iter().filter(|row| row.is_good.is_some()).count();
        Self { value: (all > 0).then(|| good as f64 / all as f64), rows }
    }

    /// A quantile of the numbers of rows, by nearest rank: element ⌈share·n⌉ of the ascending list.
    pub fn quantile(rows: Vec<Row>, share: f64) -> Self {
        let mut numbers: Vec<f64> = rows.iter().filter_map(|row| row.value).collect();
        numbers.sort_by(f64::total_cmp);
        let rank = ((share * numbers.len() as f64).ceil() as usize).clamp(1, numbers.len().max(1));
        Self { value: numbers.get(rank - 1).copied(), rows }
    }
}

/// A value on the wall.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What it is.
    pub definition: Definition,
    /// The number and its rows.
    pub measured: Measured,
    /// The number as of an earlier day.
    pub previous: Option<f64>,
    /// The newest day that the data speaks of; absent without data.
    pub data_of: Option<Date>,
    /// Where it comes from.
    pub source: String,
}

/// How a value stands against its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing was measured.
    NoData,
    /// Measured, and nothing is aimed at.
    NoTarget,
    /// At the target or better.
    Met,
    /// Worse than the target.
    Missed,
}

impl Value {
    /// How it stands.
    pub fn standing(&self) -> Standing {
        match (self.measured.value, self.definition.target, self.definition.better) {
            (None, ..) => Standing::NoData,
            (_, None, _) => Standing::NoTarget,
            (Some(value), Some(target), Better::Higher) if value >= target => Standing::Met,
            (Some(value), Some(target), Better::Lower) if value <= target => Standing::Met,
            _ => Standing::Missed,
        }
    }

    /// Change since the earlier day; absent without both.
    pub fn delta(&self) -> Option<f64> {
        Some(self.measured.value? - self.previous?)
    }

    /// Whether it became better; absent without a change.
    pub fn is_improving(&self) -> Option<bool> {
        let delta = self.delta().filter(|delta| *delta != 0.0)?;
        Some((delta > 0.0) == (self.definition.better == Better::Higher))
    }

    /// Age of the data in days.
    pub fn age_days(&self, as_of: Date) -> Option<i32> {
        self.data_of.map(|of| days_between(of, as_of))
    }

    /// Whether the data is older than the definition allows; absent without data.
    pub fn is_stale(&self, as_of: Date) -> Option<bool> {
        self.age_days(as_of).map(|age| i64::from(age) > i64::from(self.definition.stale_days))
    }
}

/// Work per watt: both summed over the same time; absent if either was not measured or no power was drawn.
pub fn throughput_per_watt(tokens_per_s: Option<f64>, watt: Option<f64>) -> Option<f64> {
    Some(tokens_per_s? / watt.filter(|watt| *watt > 0.0)?)
}
