//! Answers of servers that speak the HTTP API of Prometheus, and what to ask them: text in, values out.
//!
//! Read are Prometheus, Thanos, Mimir, VictoriaMetrics and Managed Service for Prometheus, Alertmanager v2, Cloud
//! Monitoring's `timeSeries.list` and the texts of the libtpu SDK. A part that cannot be used is a finding and the
//! rest is kept. An answer that is not whole says so in [`Answer::partial`], and that mark has to stay on everything
//! that is derived from it.

mod alerts;
mod decode;
mod error;
mod list;
mod monitoring;
mod plan;
mod retry;
mod sdk;

use crate::findings::Findings;
use crate::labels::Labels;

pub use alerts::{Alert, AlertState, Rule, RuleGroup, alertmanager_alerts, alerts, rules};
pub use decode::query;
pub use error::{ApiError, refusal};
pub use list::{Metadata, metadata, names, series};
pub use monitoring::time_series;
pub use plan::{MAX_POINTS, Part, PlanError, QueryPlan, RangeRequest, Split, plan, selector};
pub use retry::{Retry, retry};
pub use sdk::{LinkHealth, SdkReport, sdk_strings};

/// What an answer may hold at most; a larger one is refused with the figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Samples of one answer.
    pub samples: usize,
    /// Series of one answer.
    pub series: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { samples: 4_000_000, series: 200_000 }
    }
}

/// Something that was answered, with what the server said of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer<T> {
    /// The answer itself.
    pub data: T,
    /// Why it is not whole, in the server's words; empty if it is whole.
    pub partial: Vec<String>,
    /// Remarks of the server that do not make it partial.
    pub infos: Vec<String>,
    /// What could not be used.
    pub findings: Findings,
}

impl<T> Answer<T> {
    /// Whether parts are missing.
    pub const fn is_partial(&self) -> bool {
        !self.partial.is_empty()
    }

    /// The same answer with other data.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        Answer { data: change(self.data), partial: self.partial, infos: self.infos, findings: self.findings }
    }
}

/// One series with its samples in order of time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Labels with the name.
    pub labels: Labels,
    /// Unix milliseconds and value.
    pub samples: Vec<(i64, f64)>,
}

/// What a query gave.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryData {
    /// One sample for each series.
    Vector(Vec<Series>),
    /// Any number of samples for each series.
    Matrix(Vec<Series>),
    /// One number, with Unix milliseconds.
    Scalar(i64, f64),
    /// A text, with Unix milliseconds.
    Text(i64, String),
}

impl Default for QueryData {
    fn default() -> Self {
        Self::Vector(Vec::new())
    }
}

impl QueryData {
    /// The series of a vector or matrix; a number or text has none.
    pub fn series(&self) -> &[Series] {
        match self {
            Self::Vector(series) | Self::Matrix(series) => series,
            Self::Scalar(..) | Self::Text(..) => &[],
        }
    }

    /// Samples of all series.
    pub fn n_samples(&self) -> usize {
        self.series().iter().map(|series| series.samples.len()).sum()
    }
}
