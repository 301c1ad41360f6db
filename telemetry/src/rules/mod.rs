//! Alerts and objectives as data, and what fires when facts pass by.
//!
//! A rule says when an element is in trouble: a query that gives series (as in Prometheus), a threshold that is left again
//! only beyond a second one, a value that is far from its group or from its own past, or an error budget that burns too fast.
//! The same engine runs over live facts and over a rehearsal ([`test_file`]).

mod anomaly;
mod burn;
mod engine;
mod handling;
mod openslo;
mod prometheus_file;
mod rehearse;
mod series_text;

use serde::{Deserialize, Serialize};

use crate::labels::Labels;
use crate::promql::{self, EvalError, ParseError};
use crate::yaml::YamlError;

pub use anomaly::{Deviation, Side};
pub use burn::{BurnWindow, ErrorBudget, Objective, error_budget};
pub use engine::{Change, Engine, FiringAlert, StepError};
pub use handling::{Acknowledgement, Annotation, Handling, Matcher, Shown, Silence};
pub use openslo::objectives;
pub use prometheus_file::{Group, GroupRule, RuleFile, rule_file};
pub use rehearse::{Case, Rehearsal, RuleText, test_file};

/// When a rule holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Condition {
    /// For every series that the query gives.
    Query(String),
    /// For every series beyond a limit, until it is back beyond `clear`.
    Threshold {
        /// What is looked at.
        query: String,
        /// On which side of the limit trouble lies.
        side: Side,
        /// Where trouble begins.
        limit: f64,
        /// Where it ends; the limit itself if absent.
        #[serde(default)]
        clear: Option<f64>,
    },
    /// For every series that is far from what is usual.
    Anomaly {
        /// What is looked at.
        query: String,
        /// What is usual.
        deviation: Deviation,
        /// Which side counts.
        side: Side,
    },
    /// If the error budget burns too fast over a long and a short window at once.
    BurnRate {
        /// The objective.
        objective: Objective,
        /// Pairs of windows; one is enough.
        windows: Vec<BurnWindow>,
    },
}

/// A rule that raises alerts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AlertRule {
    /// Name of the alert.
    pub name: String,
    /// When it holds.
    pub condition: Condition,
    /// How long it has to hold before it fires, in seconds.
    #[serde(default)]
    pub for_seconds: f64,
    /// How long it goes on firing after it holds no more, in seconds.
    #[serde(default)]
    pub keep_firing_seconds: f64,
    /// Labels that its alerts get.
    #[serde(default)]
    pub labels: Labels,
    /// Texts for people, with `{{ $labels.x }}` and `{{ $value }}`.
    #[serde(default)]
    pub annotations: Labels,
    /// Where it is written what to do.
    #[serde(default)]
    pub runbook: Option<String>,
    /// Element that the rule is bound to, as "pod a" or "pod a, slice train".
    #[serde(default)]
    pub element: Option<String>,
}

/// Why rules cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The file is not right.
    #[error(transparent)]
    File(#[from] YamlError),
    /// A rule file that a test names is not right.
    #[error("{file}: {error}")]
    RuleFile {
        /// Its name, as the test writes it.
        file: String,
        /// What is wrong, with its place.
        error: YamlError,
    },
    /// A query is not right or not supported.
    #[error("{name}{}: {error}", line.map_or(String::new(), |line| format!(" (line {line})")))]
    Query {
        /// Name of the rule.
        name: String,
        /// Line of the file in which the query begins.
        line: Option<usize>,
        /// What is wrong, with its position in the query.
        error: ParseError,
    },
    /// A number of a rule makes no sense.
    #[error("{name}: {what}")]
    Senseless {
        /// Name of the rule.
        name: String,
        /// What makes no sense, and what would.
        what: &'static str,
    },
    /// A file that a test names cannot be had.
    #[error("the rule file {name} cannot be read")]
    Missing {
        /// Its name, as the test writes it.
        name: String,
        /// Line of the test, counted from 1.
        line: usize,
        /// Column of the test, counted from 1.
        column: usize,
    },
    /// A query could not be computed during a rehearsal.
    #[error("{name} at {at_seconds} s: {error}")]
    Eval {
        /// Name of the rule or query.
        name: String,
        /// Seconds since the begin of the rehearsal.
        at_seconds: i64,
        /// Why.
        error: EvalError,
    },
}

/// Reads a query of a rule.
fn query(name: &str, text: &str) -> Result<promql::Expr, RuleError> {
    promql::parse(text).map_err(|error| RuleError::Query { name: name.to_owned(), line: None, error })
}
