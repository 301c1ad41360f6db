//! `podium rules test`: series replayed through rules, and what fired beside what should have.

use std::path::Path;

use serde::Serialize;
use telemetry::rules::{Case, Rehearsal, RuleError, RuleText, test_file};
use telemetry::yaml::YamlError;
use topology::finding::{Finding, Severity};

use super::failure::{Failure, Status};
use super::import::severity_text;
use super::output::{self, one_line};
use crate::io::files::{READ_LIMIT_BYTES, read_text};
use crate::io::problem::FileProblem;

#[derive(Serialize)]
pub(super) struct Tested {
    file: String,
    passed: bool,
    n_failed: usize,
    cases: Vec<Case>,
    findings: Vec<Finding>,
}

pub(super) fn test(file: &Path) -> Result<Tested, Failure> {
    let rehearsal = rehearse(file)?;
    Ok(Tested {
        file: file.display().to_string(),
        passed: rehearsal.passed(),
        n_failed: rehearsal.cases.iter().filter(|case| !case.passed).count(),
        cases: rehearsal.cases,
        findings: rehearsal.findings.into_sorted(),
    })
}

/// Replays a test file; its rule files count from the folder that it lies in.
pub fn rehearse(file: &Path) -> Result<Rehearsal, Failure> {
    let text = read_text(file, READ_LIMIT_BYTES)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut problem: Option<FileProblem> = None;
    let read = |name: &str| match read_text(&folder.join(name), READ_LIMIT_BYTES) {
        Ok(text) => Some(RuleText::Yaml(text)),
        Err(found) => {
            problem = Some(found);
            None
        }
    };
    let tested = test_file(&text, read);
    tested.map_err(|error| failure(file, folder, &error, problem))
}

fn failure(file: &Path, folder: &Path, error: &RuleError, problem: Option<FileProblem>) -> Failure {
    let shown = |path: &Path| path.display().to_string();
    let at = |path: &Path, error: &YamlError| output::place(&shown(path), Some(error.line), Some(error.column));
    let (message, place) = match error {
        RuleError::File(error) => (error.what.clone(), at(file, error)),
        RuleError::RuleFile { file: name, error } => (error.what.clone(), at(&folder.join(name), error)),
        RuleError::Missing { line, column, .. } => {
            let why = problem.map_or_else(String::new, |problem| format!(": {}", problem.detail));
            (format!("{error}{why}"), output::place(&shown(file), Some(*line), Some(*column)))
        }
        RuleError::Query { line, .. } => (error.to_string(), output::place(&shown(file), *line, None)),
        RuleError::Senseless { .. } | RuleError::Eval { .. } => (error.to_string(), shown(file)),
    };
    let hint = match error {
        RuleError::Missing { .. } => "Paths of rule files count from the folder of the test file",
        RuleError::Query { .. } => "docs/formats.md lists the parts of PromQL that are computed, under Rules",
        RuleError::Eval { .. } | RuleError::Senseless { .. } => "Change the rule, or the series of the test",
        RuleError::File(_) | RuleError::RuleFile { .. } => {
            "The form is that of `promtool test rules`; docs/formats.md shows it under Rules"
        }
    };
    Failure::input("rules", message).at(place).hint(hint)
}

impl Tested {
    /// A case that failed or a rule that was left out.
    pub(super) const fn status(&self) -> Status {
        if self.passed { Status::Done } else { Status::Found }
    }
}

pub(super) fn text(tested: &Tested) -> String {
    let mut lines: Vec<String> = tested.cases.iter().flat_map(case_lines).collect();
    lines.extend(tested.findings.iter().map(|found| {
        let [place, message, code] = [&found.where_, &found.message, found.code].map(one_line);
        format!("{}: {place}: {message} [{code}]", severity_text(found.severity))
    }));
    let left_out = tested.findings.iter().filter(|found| found.severity == Severity::Error).count();
    let cases = crate::text::n_of(tested.cases.len(), "case");
    lines.push(match (tested.n_failed, left_out) {
        (0, 0) => format!("{cases}, all passed"),
        (failed, 0) => format!("{cases}, {failed} failed"),
        (failed, left_out) => format!("{cases}, {failed} failed, {left_out} left out"),
    });
    lines.join("\n") + "\n"
}

/// One line; of a case that failed also what is different.
fn case_lines(case: &Case) -> Vec<String> {
    let word = if case.passed { "passed" } else { "FAILED" };
    let mut lines = vec![format!("{word}  {} at {} s", one_line(&case.name), case.at_seconds)];
    let mut differences = |these: &[String], others: &[String], word: &str| {
        let only = these.iter().filter(|line| !others.contains(line));
        lines.extend(only.map(|line| format!("        {word} {}", one_line(line))));
    };
    differences(&case.expected, &case.fired, "expected, did not come: ");
    differences(&case.fired, &case.expected, "came, not expected:     ");
    lines
}
