//! Why a command could not do what was asked.

use serde::Serialize;

use crate::io::problem::FileProblem;

/// Exit statuses of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Done = 0,
    /// The input is wrong, or a check found something.
    Found = 1,
    /// The command was called wrongly.
    Usage = 2,
    /// A source could not be reached.
    Unreachable = 3,
}

/// What is wrong, where, and what to do; the `error` of `--json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Stable name of the sort of failure.
    pub kind: &'static str,
    /// What is wrong, a sentence without full stop.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The flag, or the file as `path:line:column`.
    #[serde(rename = "where")]
    pub place: Option<String>,
    /// For an illegal shape: the legal shapes nearest to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Vec<String>>,
    /// The exit status.
    #[serde(skip)]
    pub status: Status,
}

impl Failure {
    /// The input is wrong.
    pub fn input(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None, place: None, nearest: None, status: Status::Found }
    }

    /// The command was called wrongly; `flag` names the argument.
    pub fn usage(message: impl Into<String>, flag: &str) -> Self {
        Self { place: Some(flag.to_owned()), status: Status::Usage, ..Self::input("usage", message) }
    }

    /// The same with what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same with the flag or file that is wrong.
    pub fn at(self, place: impl Into<String>) -> Self {
        Self { place: Some(place.into()), ..self }
    }
}

impl From<FileProblem> for Failure {
    fn from(problem: FileProblem) -> Self {
        let place = problem.place();
        Self {
            hint: Some(problem.hint).filter(|hint| !hint.is_empty()),
            ..Self::input(problem.kind.name(), format!("{}: {}", problem.title, problem.detail)).at(place)
        }
    }
}
