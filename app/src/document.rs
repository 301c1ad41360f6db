//! Opening a file of any kind: the program finds out what it is by looking at it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use planning::file;
use planning::plan::{DocumentId, Plan};
use serde::Deserialize;
use serde::de::IgnoredAny;
use simulator::config::{self, Workload};
use telemetry::inventory;

use crate::io::files::{self, READ_LIMIT_BYTES, Stamp};
use crate::io::problem::{FileProblem, Kind, Position};

/// What a file turned out to be.
#[derive(Debug, Clone)]
pub enum Loaded {
    /// A plan or fleet in Podium's own format.
    Plan {
        /// The document.
        plan: Plan,
        /// Where it lies; absent for a fleet, which is only read.
        path: Option<PathBuf>,
        /// For noticing that another program changed the file.
        stamp: Stamp,
        /// What could not be kept.
        warnings: Vec<String>,
    },
    /// An inventory of other tools, made into a fleet.
    Inventory {
        /// A new plan that holds the fleet.
        plan: Plan,
        /// What was strange.
        findings: Vec<String>,
    },
    /// A model configuration, to be used as a workload.
    Workload {
        /// Where it lies.
        path: PathBuf,
        /// The model.
        config: Box<Workload>,
    },
}

/// What a text is meant to be, by its look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A plan or fleet of Podium.
    Ours,
    /// A model configuration.
    Model,
    /// An inventory of another tool.
    Inventory,
}

/// Keys by which a Hugging Face `config.json` is known; no inventory has them.
#[derive(Deserialize)]
struct ModelKeys {
    hidden_size: Option<IgnoredAny>,
    n_embd: Option<IgnoredAny>,
    d_model: Option<IgnoredAny>,
    text_config: Option<IgnoredAny>,
    model_type: Option<IgnoredAny>,
}

/// What a text is meant to be.
pub fn sort_of(text: &str) -> Sort {
    if !text.trim_start().starts_with(['{', '[']) {
        return Sort::Ours;
    }
    let is_model = serde_json::from_str::<ModelKeys>(text)
        .is_ok_and(|k| k.hidden_size.or(k.n_embd).or(k.d_model).or(k.text_config).or(k.model_type).is_some());
    if is_model { Sort::Model } else { Sort::Inventory }
}

/// Reads a file and finds out what it is.
pub fn load(path: &Path) -> Result<Loaded, FileProblem> {
    let opened = files::open_text(path, READ_LIMIT_BYTES)?;
    let text = opened.text;
    match sort_of(&text) {
        Sort::Ours => {
            let read = file::read(&text).map_err(|error| file_problem(path, &error))?;
            let own = (read.kind == file::Kind::Plan).then(|| path.to_owned());
            let plan = with_id(read.plan, path);
            Ok(Loaded::Plan { plan, path: own, stamp: opened.stamp, warnings: read.warnings })
        }
        Sort::Model => {
            let config = config::parse(text.as_bytes()).map_err(|error| {
                let hint = "Choose the config.json of a transformer";
                FileProblem::new(Kind::Content, "open", path, error.to_string(), hint)
            })?;
            Ok(Loaded::Workload { path: path.to_owned(), config: Box::new(config) })
        }
        Sort::Inventory => load_inventory(path, &text),
    }
}

fn load_inventory(path: &Path, text: &str) -> Result<Loaded, FileProblem> {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let import = inventory::import(&[(&name, text)]).map_err(|error| {
        let mut problem = FileProblem::new(Kind::Content, "import", path, error.what.clone(), error.hint.clone());
        problem.at = position(error.line, error.column);
        problem
    })?;
    let plan = Plan { name: import.fleet.name.clone(), fleet: Arc::new(import.fleet), ..Plan::default() };
    let findings = import.findings.iter().map(|finding| format!("{}: {}", finding.where_, finding.message)).collect();
    Ok(Loaded::Inventory { plan: with_id(plan, path), findings })
}

/// A document without an identity gets that of the file it came from, so that its autosaves are told apart.
fn with_id(mut plan: Plan, path: &Path) -> Plan {
    if plan.id.0.is_empty() {
        plan.id = DocumentId(format!("from-{}", path.display()));
    }
    plan
}

fn file_problem(path: &Path, error: &file::FileError) -> FileProblem {
    let mut problem = FileProblem::new(Kind::Syntax, "open", path, error.what.clone(), error.hint.clone());
    problem.at = position(error.line, error.column);
    problem
}

fn position(line: Option<usize>, column: Option<usize>) -> Option<Position> {
    let line = u32::try_from(line?).ok()?;
    Some(Position { line, column: u32::try_from(column.unwrap_or(1)).unwrap_or(u32::MAX) })
}
