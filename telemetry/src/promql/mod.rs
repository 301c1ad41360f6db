//! The part of PromQL that rules on a desk need, read and computed here.
//!
//! | part | what there is |
//! |---|---|
//! | selectors | `name{a="b", c!="d", e=~"f.*", g!~"h"}`, ranges `[5m]`, `offset 1h` |
//! | operators | `+ - * / % ^`, comparisons also with `bool`, `and or unless`, one to one with `on` or `ignoring` |
//! | aggregation | `sum avg min max count stddev`, `by` and `without` |
//! | functions | `rate increase delta changes resets`, `avg min max sum count last stddev … _over_time`, `absent abs ceil floor clamp_min clamp_max vector scalar time` |
//!
//! Everything else is refused with its position, never guessed: subqueries, `@`, `group_left`, histograms. A moment looks
//! back five minutes, windows are open on the left as in Prometheus 3, and `rate` extrapolates as Prometheus does. A
//! staleness marker ends a series at once.

mod ast;
mod eval;
mod lex;
mod parse;
mod window;

use std::fmt;

use crate::labels::Labels;
use crate::tsdb::Tsdb;

pub use ast::Expr;
pub(crate) use lex::duration_ms;

/// Why a query is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct ParseError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What is wrong or not supported there.
    pub what: String,
}

/// Why a query cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// Two series of one side have the labels by which sides are joined.
    #[error(
        "several series have the labels {labels}, so sides cannot be joined one to one; aggregate first, or join by more labels"
    )]
    ManyToMany {
        /// The labels.
        labels: String,
    },
    /// Two series of a result have the same labels.
    #[error("two series of the result have the labels {labels}")]
    SameLabels {
        /// The labels.
        labels: String,
    },
    /// It would read too much.
    #[error("the query reads more than {limit} samples; narrow its selectors or windows")]
    TooMuch {
        /// The bound.
        limit: u64,
    },
}

/// Result of a query at a moment.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number without labels.
    Scalar(f64),
    /// One number for each series, sorted by labels.
    Vector(Vec<(Labels, f64)>),
}

impl Value {
    /// The series; a scalar is one without labels.
    pub fn into_vector(self) -> Vec<(Labels, f64)> {
        match self {
            Self::Scalar(value) => vec![(Labels::default(), value)],
            Self::Vector(vector) => vector,
        }
    }
}

/// How far back a moment looks, in milliseconds.
pub const LOOKBACK_MS: i64 = 300_000;
/// Samples that one query reads at most.
pub const MAX_SAMPLES: u64 = 50_000_000;
/// Longest text of a query in bytes.
const MAX_TEXT: usize = 65_536;

/// Bits by which Prometheus marks that a series has ended.
pub const STALE: u64 = 0x7ff0_0000_0000_0002;

/// Reads a query.
///
/// # Errors
/// With the position of what is wrong or not supported.
pub fn parse(text: &str) -> Result<Expr, ParseError> {
    if text.len() > MAX_TEXT {
        return Err(ParseError { line: 1, column: 1, what: format!("a query has at most {MAX_TEXT} bytes") });
    }
    parse::parse(text)
}

/// Computes a query at a moment in Unix milliseconds.
///
/// # Errors
/// If sides cannot be joined, or too much would be read.
pub fn eval(expr: &Expr, store: &Tsdb, at_ms: i64) -> Result<Value, EvalError> {
    eval::Evaluator::new(store, at_ms).eval(expr)
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(value) => write!(f, "{value}"),
            Self::Vector(vector) => vector.iter().try_for_each(|(labels, value)| writeln!(f, "{labels} {value}")),
        }
    }
}
