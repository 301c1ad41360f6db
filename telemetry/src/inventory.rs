//! Inventories as other tools export them, made into a fleet that the window can draw.
//!
//! Read are `kubectl get nodes|pods|slices -o json`, instances and node pools, `gcloud … tpu-vm list`, queued resources
//! and reservation sub-blocks, in any number of files and any order; the result does not depend on it. Strange things are findings,
//! not failures. What cannot be placed is listed with the reason, never dropped in silence.
//!
//! Positions: a list of nodes holds no coordinates. Hosts that share a partition id are drawn next to each other;
//! everything else about the place (which cube is left of which) is a drawing order and reported as such. Names and
//! worker ids are never used for places: they follow creation, not cabling.

mod cluster;
mod document;
mod instance;
mod layout;
mod pool;
mod rank;
mod record;
mod workload;

use serde::Serialize;
use topology::chip::Catalog;
use topology::finding::Finding;
use topology::fleet::{Fleet, PodId, SliceId};
use topology::shape::Coord;

/// Most objects in all files together.
const MAX_OBJECTS: usize = 200_000;
/// Most findings that are kept.
const MAX_FINDINGS: usize = 1_000;
/// Longest piece of foreign text that is kept as a name, in characters.
const MAX_NAME: usize = 120;

/// What was found in the files.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// The fleet, ready to be drawn.
    pub fleet: Fleet,
    /// How much there is.
    pub counts: Counts,
    /// What is strange, worst first.
    pub findings: Vec<Finding>,
    /// What could not be placed, by name.
    pub unplaced: Vec<Unplaced>,
    /// Where each host is drawn, by name.
    pub hosts: Vec<HostPlace>,
    /// Where the worker ids of jobs are, by job and id.
    pub workers: Vec<WorkerPlace>,
}

/// How much there is: of hardware that is listed, placed or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counts {
    /// Pods of the fleet.
    pub pods: usize,
    /// Slices of the fleet.
    pub slices: usize,
    /// Hosts with chips.
    pub hosts: usize,
    /// Chips of those hosts.
    pub chips: usize,
    /// Cores of those chips, where the generation is known.
    pub cores: usize,
}

/// Something that could not be placed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Unplaced {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// A host and where it is drawn.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HostPlace {
    /// Name of the node.
    pub name: String,
    /// Instance id as text, because it does not fit a floating-point number.
    pub instance_id: Option<String>,
    /// The pod.
    pub pod: PodId,
    /// Its first chip.
    pub chip: Coord,
}

/// A worker of a job beside the place of its host in its slice.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct WorkerPlace {
    /// The job.
    pub job: String,
    /// What the pod calls its worker id.
    pub worker_id: usize,
    /// Its node.
    pub node: String,
    /// The pod of the fleet.
    pub pod: PodId,
    /// The slice.
    pub slice: SliceId,
    /// The first chip of the host on the pod.
    pub chip: Coord,
    /// Number of the host in its slice, row by row with x fastest, as the picture has it.
    pub host: usize,
}

/// Why nothing can be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {what}. {hint}", place(*line, *column))]
pub struct ImportError {
    /// Name of the file.
    pub file: String,
    /// Line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// Column, counted from 1, where it is known.
    pub column: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

fn place(line: Option<usize>, column: Option<usize>) -> String {
    line.zip(column).map_or(String::new(), |(line, column)| format!(":{line}:{column}"))
}

/// Makes a fleet of exported lists, each given as file name and text.
///
/// # Errors
/// If a file is not JSON or nothing that is known here.
pub fn import(files: &[(&str, &str)]) -> Result<Import, ImportError> {
    let objects = document::objects(files)?;
    let mut report = Report::default();
    let records = record::records(&objects, Catalog::embedded(), &mut report);
    let counts = records.counts(Catalog::embedded());
    workload::check(&records, &mut report);
    let mut drawn = layout::draw(&records, Catalog::embedded(), &mut report);
    drawn.hosts.sort();
    let fleet = Fleet { name: "Imported fleet".to_owned(), pods: drawn.pods };
    let workers = rank::workers(&records, &fleet, &drawn.hosts, Catalog::embedded());
    rank::check(&workers, &mut report);
    report.finish();
    let slices = fleet.pods.iter().map(|pod| pod.slices.len()).sum();
    let counts = Counts { pods: fleet.pods.len(), slices, ..counts };
    Ok(Import { fleet, counts, findings: report.findings, unplaced: report.unplaced, hosts: drawn.hosts, workers })
}

/// Interruptions of a pool, from a count whose series is often left out while it is zero: none is 0 where the pool reports
/// its availability, and unknown where it reports neither
/// (<https://docs.cloud.google.com/monitoring/api/metrics_kubernetes>).
pub fn interruptions(count: Option<u64>, reports_availability: bool) -> Option<u64> {
    count.or(if reports_availability { Some(0) } else { None })
}

/// Collects what is to be said.
#[derive(Default)]
struct Report {
    findings: Vec<Finding>,
    unplaced: Vec<Unplaced>,
}

impl Report {
    fn note(&mut self, code: &'static str, place: &str, message: impl Into<String>) {
        self.add(topology::finding::Severity::Note, code, place, message);
    }

    fn warn(&mut self, code: &'static str, place: &str, message: impl Into<String>) {
        self.add(topology::finding::Severity::Warning, code, place, message);
    }

    fn error(&mut self, code: &'static str, place: &str, message: impl Into<String>) {
        self.add(topology::finding::Severity::Error, code, place, message);
    }

    fn add(
        &mut self,
        severity: topology::finding::Severity,
        code: &'static str,
        place: &str,
        message: impl Into<String>,
    ) {
        self.findings.push(Finding::new(severity, code, place, message));
    }

    /// Something is listed, but has no place in the picture.
    fn unplaced(&mut self, name: &str, reason: impl Into<String>) {
        self.unplaced.push(Unplaced { name: name.to_owned(), reason: reason.into() });
    }

    /// Sorts, so that the order of the input does not show, and bounds.
    fn finish(&mut self) {
        let key = |f: &Finding| (std::cmp::Reverse(f.severity), f.code, f.where_.clone(), f.message.clone());
        self.findings.sort_by_key(key);
        self.findings.dedup();
        self.findings.truncate(MAX_FINDINGS);
        self.unplaced.sort();
        self.unplaced.dedup();
    }
}

/// Foreign text that is safe to keep and to show: one line, no control or direction characters, not endless.
pub(crate) fn shown(text: &str) -> String {
    let is_hostile = |c: char| {
        c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown: String = text.chars().take(MAX_NAME).map(|c| if is_hostile(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MAX_NAME).is_some() {
        shown.push('…');
    }
    shown
}
