//! `podium check`: everything that is wrong with files, without opening a window.

use std::path::{Path, PathBuf};

use serde::Serialize;
use simulator::config::ConfigError;
use topology::chip::Catalog;
use topology::finding::{Finding as Found, Severity};
use widgets::format;

use super::failure::Status;
use super::import::severity_text;
use super::output::{self, one_line};
use crate::document::{Sort, sort_of};
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
    let text = match read_text(path, READ_LIMIT_BYTES) {
        Ok(text) => text,
        Err(problem) => return vec![problem.into()],
    };
    let file = path.display().to_string();
    match sort_of(&text) {
        Sort::Ours => check_plan(&file, &text),
        Sort::Model => check_model(&file, &text),
        Sort::Inventory => check_inventory(&file, &text),
    }
}

impl Finding {
    fn new(severity: Severity, code: &str, message: impl Into<String>, place: impl Into<String>) -> Self {
        Self { code: code.to_owned(), severity, message: message.into(), place: place.into(), hint: None }
    }

    fn hint(self, hint: &str) -> Self {
        Self { hint: Some(hint.to_owned()).filter(|hint| !hint.is_empty()), ..self }
    }

    /// A finding inside of a file, whose name it may give already.
    fn within(file: &str, found: Found) -> Self {
        let named = found.where_.strip_prefix(file).is_some_and(|rest| rest.is_empty() || rest.starts_with([',', ':']));
        let place = if named { found.where_ } else { format!("{file}: {}", found.where_) };
        Self::new(found.severity, found.code, found.message, place)
    }

    fn text(&self) -> String {
        let hint = self.hint.as_ref().map_or_else(String::new, |hint| format!("  hint: {}\n", one_line(hint)));
        let [place, message, code] = [&self.place, &self.message, &self.code].map(|text| one_line(text));
        format!("{place}: {}: {message} [{code}]\n{hint}", severity_text(self.severity))
    }
}

impl From<FileProblem> for Finding {
    fn from(problem: FileProblem) -> Self {
        let code = problem.kind.name().replace('_', "-");
        Self::new(Severity::Error, &code, problem.detail.clone(), problem.place()).hint(&problem.hint)
    }
}

fn check_plan(file: &str, text: &str) -> Vec<Finding> {
    let opened = match planning::file::read(text) {
        Ok(opened) => opened,
        Err(error) => {
            let place = output::place(file, error.line, error.column);
            return vec![Finding::new(Severity::Error, "unreadable", error.what, place).hint(&error.hint)];
        }
    };
    let unknown = |warning| Finding::new(Severity::Warning, "unknown-key", warning, file);
    let mut findings: Vec<Finding> = opened.warnings.into_iter().map(unknown).collect();
    let found = planning::check::check_plan(&opened.plan, Catalog::embedded());
    findings.extend(found.into_iter().map(|found| Finding::within(file, found)));
    findings
}

fn check_inventory(file: &str, text: &str) -> Vec<Finding> {
    let import = match telemetry::inventory::import(&[(file, text)]) {
        Ok(import) => import,
        Err(error) => {
            let place = output::place(&error.file, error.line, error.column);
            return vec![Finding::new(Severity::Error, "unreadable", error.what, place).hint(&error.hint)];
        }
    };
    let unplaced = import.unplaced.into_iter().map(|unplaced| {
        Finding::new(Severity::Note, "unplaced", unplaced.reason, format!("{file}: {}", unplaced.name))
    });
    import.findings.into_iter().map(|found| Finding::within(file, found)).chain(unplaced).collect()
}

fn check_model(file: &str, text: &str) -> Vec<Finding> {
    let model = match simulator::config::parse(text.as_bytes()) {
        Ok(model) => model,
        Err(error) => {
            let place = match &error {
                ConfigError::NotJson { line, column, .. } => output::place(file, Some(*line), Some(*column)),
                _ => file.to_owned(),
            };
            return vec![Finding::new(Severity::Error, "model", error.to_string(), place)];
        }
    };
    let sizes = model.transformer;
    let kind = model.model_type.as_deref().unwrap_or("transformer");
    let parameters = format::si(sizes.params(), "parameters");
    let summary = format!("a {kind} model of {} layers and {parameters}", sizes.layers);
    let note = |text| Finding::new(Severity::Note, "model", text, file);
    [summary].into_iter().chain(model.notes).map(note).collect()
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
