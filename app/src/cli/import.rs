//! `podium import`: inventories of other tools, made into a fleet.

use serde::Serialize;
use telemetry::inventory::{Counts, ImportError, Unplaced, WorkerPlace};
use topology::finding::{Finding, Severity};

use super::args::ImportArgs;
use super::failure::{Failure, Status};
use super::output::{self, one_line};
use super::render::{refuse_existing, write};
use crate::io::files::{READ_LIMIT_BYTES, read_text};

#[derive(Serialize)]
pub(super) struct Imported {
    fleet: Counts,
    findings: Vec<Finding>,
    unplaced: Vec<Unplaced>,
    /// Worker ids of jobs beside the places of their hosts.
    workers: Vec<WorkerPlace>,
    output: Option<String>,
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let place = output::place(&error.file, error.line, error.column);
        Self::input("import", error.what).at(place).hint(error.hint)
    }
}

pub(super) fn import(args: &ImportArgs) -> Result<Imported, Failure> {
    if let Some(output) = &args.output {
        refuse_existing(output, args.force)?;
    }
    let mut texts = Vec::with_capacity(args.files.len());
    for file in &args.files {
        texts.push((file.display().to_string(), read_text(file, READ_LIMIT_BYTES)?));
    }
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let import = telemetry::inventory::import(&texts)?;
    let output = args.output.as_ref().filter(|_| !import.fleet.pods.is_empty());
    if let Some(output) = output {
        write(output, planning::file::write_fleet(&import.fleet).as_bytes(), args.force)?;
    }
    Ok(Imported {
        fleet: import.counts,
        findings: import.findings,
        unplaced: import.unplaced,
        workers: import.workers,
        output: output.map(|output| output.display().to_string()),
    })
}

impl Imported {
    /// An inventory without anything to draw, or one that contradicts itself, is no good input.
    pub(super) fn status(&self) -> Status {
        let faulty = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        if faulty { Status::Found } else { Status::Done }
    }
}

pub(super) fn text(imported: &Imported) -> String {
    let counts = imported.fleet;
    let mut rows = vec![
        ("pods", counts.pods.to_string()),
        ("slices", counts.slices.to_string()),
        ("hosts", counts.hosts.to_string()),
        ("chips", counts.chips.to_string()),
        ("cores", counts.cores.to_string()),
    ];
    rows.extend(imported.output.iter().map(|output| ("written to", output.clone())));
    let mut lines = vec![output::facts(&rows), workers_text(&imported.workers)];
    lines.extend(imported.findings.iter().map(|finding| {
        let severity = severity_text(finding.severity);
        format!("{}: {severity}: {} [{}]\n", one_line(&finding.where_), one_line(&finding.message), finding.code)
    }));
    lines.extend(
        imported
            .unplaced
            .iter()
            .map(|unplaced| format!("not placed: {}: {}\n", one_line(&unplaced.name), one_line(&unplaced.reason))),
    );
    lines.concat()
}

/// Worker ids beside places, a line each where they differ; nothing where no pod says any.
fn workers_text(workers: &[WorkerPlace]) -> String {
    if workers.is_empty() {
        return String::new();
    }
    let head = ["job", "worker", "host", "slice", "first chip", "node"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(workers.iter().map(|worker| {
        let mark = if worker.worker_id == worker.host { "" } else { " ≠" };
        vec![
            one_line(&worker.job),
            worker.worker_id.to_string(),
            format!("{}{mark}", worker.host),
            one_line(&worker.slice.0),
            worker.chip.to_string(),
            one_line(&worker.node),
        ]
    }));
    output::table(&rows)
}

/// "note", "warning" or "error".
pub(super) const fn severity_text(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
