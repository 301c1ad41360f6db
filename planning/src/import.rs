//! Plans of other tools: text in, records, items, gates and findings with row and column out.
//!
//! Nothing here reads a file or a server; pages and tables come as texts. A row that cannot be read as it stands
//! still gives what can be read of it, and a finding says what is missing: no row is dropped in silence.

mod any;
pub mod github;
pub mod ics;
pub mod jira;
pub mod linear;
pub mod mermaid;
pub mod moment;
pub mod record;
pub mod table;
pub mod write;

use topology::finding::{Finding, Severity};

pub use any::{Form, read_all, sniff};
pub use record::{Options, Plans, Record};

/// Most findings of one import that are worth reading; the rest is counted.
pub const MAX_FINDINGS: usize = 1_000;

/// Findings of an import, bounded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    list: Vec<Finding>,
    more: usize,
}

impl Findings {
    /// Adds a finding about a place such as "row 3, column Created".
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        place: impl Into<String>,
        message: impl Into<String>,
    ) {
        if self.list.len() < MAX_FINDINGS {
            self.list.push(Finding::new(severity, code, place, message));
        } else {
            self.more += 1;
        }
    }

    /// All of them; a last one counts those that were too many.
    pub fn into_list(mut self) -> Vec<Finding> {
        if self.more > 0 {
            let message = format!("{} more findings are not listed", self.more);
            self.list.push(Finding::new(Severity::Note, "more-findings", "file", message));
        }
        self.list
    }
}

/// "row 3, column Created".
pub fn cell(row: usize, column: &str) -> String {
    format!("row {row}, column {column}")
}
