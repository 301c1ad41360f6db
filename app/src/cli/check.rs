//! `podium check`: everything that is wrong with files, without opening a window.

use std::path::{Path, PathBuf};

use serde::Serialize;
use topology::chip::Catalog;
use topology::finding::{Finding as Found, Severity};

use super::failure::Status;
use crate::io::files::{READ_LIMIT_BYTES, read_text};
use crate::io::problem::FileProblem;

#[derive(Serialize)]
pub(super) struct Report {
    files: usize,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Finding {
    code: String,
    severity: Severity,
    message: String,
    #[serde(rename = "where")]
    place: String,
    hint: Option<String>,
}

impl Report {
    /// A note is worth knowing and no fault.
    pub(super) fn status(&self) -> Status {
        let faulty = self.findings.iter().any(|finding| finding.severity > Severity::Note);
        if faulty { Status::Found } else { Status::Done }
    }
}

pub(super) fn check(files: &[PathBuf]) -> Report {
    let findings = files.iter().flat_map(|file| check_file(file)).collect();
    Report { files: files.len(), findings }
}

fn check_file(path: &Path) -> Vec<Finding> {
    match read_text(path, READ_LIMIT_BYTES) {
        Ok(text) => check_plan(path, &text),
        Err(problem) => vec![problem.into()],
    }
}

impl From<FileProblem> for Finding {
    fn from(problem: FileProblem) -> Self {
        Self {
            code: problem.kind.name().replace('_', "-"),
            severity: Severity::Error,
            message: problem.detail.clone(),
            place: problem.place(),
            hint: Some(problem.hint).filter(|hint| !hint.is_empty()),
        }
    }
}

fn check_plan(path: &Path, text: &str) -> Vec<Finding> {
    let within = |place: &str| format!("{}: {place}", path.display());
    let opened = match planning::file::read(text) {
        Ok(opened) => opened,
        Err(error) => return vec![unreadable(path, error)],
    };
    let from_check = |found: Found| Finding {
        code: found.code.to_owned(),
        severity: found.severity,
        message: found.message,
        place: within(&found.where_),
        hint: None,
    };
    let simple = |severity, code: &str, message: String| Finding {
        code: code.to_owned(),
        severity,
        message,
        place: path.display().to_string(),
        hint: None,
    };
    let mut findings: Vec<Finding> =
        opened.warnings.into_iter().map(|warning| simple(Severity::Warning, "unknown-key", warning)).collect();
    findings.extend(planning::check::check_plan(&opened.plan, Catalog::embedded()).into_iter().map(from_check));
    findings
}

fn unreadable(path: &Path, error: planning::file::FileError) -> Finding {
    let numbers = [error.line, error.column].into_iter().flatten().map(|number| format!(":{number}"));
    let place = path.display().to_string() + &numbers.collect::<String>();
    Finding {
        code: "unreadable".to_owned(),
        severity: Severity::Error,
        message: error.what,
        place,
        hint: Some(error.hint),
    }
}

pub(super) fn text(report: &Report) -> String {
    if report.findings.is_empty() {
        return match report.files {
            1 => "1 file, nothing found\n".to_owned(),
            n => format!("{n} files, nothing found\n"),
        };
    }
    report.findings.iter().map(Finding::text).collect()
}

impl Finding {
    fn text(&self) -> String {
        let severity = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let hint = self.hint.as_ref().map_or_else(String::new, |hint| format!("  hint: {hint}\n"));
        format!("{}: {severity}: {} [{}]\n{hint}", self.place, self.message, self.code)
    }
}
