//! A bounded list of what was strange, so that hostile input cannot fill the memory with complaints about itself.

use topology::finding::{Finding, Severity};

/// Findings up to a bound; what lies beyond it is counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
    limit: usize,
    n_dropped: usize,
}

impl Default for Findings {
    fn default() -> Self {
        Self::new(Self::LIMIT)
    }
}

impl Findings {
    /// Usual bound.
    pub const LIMIT: usize = 1_000;

    /// An empty list of at most `limit` findings.
    pub const fn new(limit: usize) -> Self {
        Self { list: Vec::new(), limit, n_dropped: 0 }
    }

    /// Adds one, or counts it if the list is full.
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        place: impl Into<String>,
        message: impl Into<String>,
    ) {
        if self.list.len() < self.limit {
            self.list.push(Finding::new(severity, code, place, message));
        } else {
            self.n_dropped += 1;
        }
    }

    /// Worth knowing.
    pub fn note(&mut self, code: &'static str, place: impl Into<String>, message: impl Into<String>) {
        self.add(Severity::Note, code, place, message);
    }

    /// Probably not what was meant.
    pub fn warn(&mut self, code: &'static str, place: impl Into<String>, message: impl Into<String>) {
        self.add(Severity::Warning, code, place, message);
    }

    /// Something was lost or cannot be used.
    pub fn error(&mut self, code: &'static str, place: impl Into<String>, message: impl Into<String>) {
        self.add(Severity::Error, code, place, message);
    }

    /// Takes those of another list.
    pub fn append(&mut self, other: Self) {
        self.n_dropped += other.n_dropped;
        for finding in other.list {
            self.add(finding.severity, finding.code, finding.where_, finding.message);
        }
    }

    /// The findings in the order in which they were made.
    pub fn as_slice(&self) -> &[Finding] {
        &self.list
    }

    /// How many were made, kept or not.
    pub const fn total(&self) -> usize {
        self.list.len() + self.n_dropped
    }

    /// The findings, worst first, and one that says how many were not kept.
    pub fn into_sorted(mut self) -> Vec<Finding> {
        self.list.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        if self.n_dropped > 0 {
            let message = format!("{} more findings are not listed", self.n_dropped);
            self.list.push(Finding::new(Severity::Note, "more-findings", "all input", message));
        }
        self.list
    }
}
