//! What a check found: a code for programs, a sentence for people, and where.

use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant.
    Warning,
    /// Impossible as it stands.
    Error,
}

/// One thing that a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable name of the kind of finding, such as "slices-overlap".
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// Where, from the outside in: "pod a, slice train".
    #[serde(rename = "where")]
    pub where_: String,
}

impl Finding {
    /// From its parts.
    pub fn new(severity: Severity, code: &'static str, where_: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), where_: where_.into() }
    }
}
