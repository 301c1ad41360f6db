//! Opening a file of any kind: the program finds out what it is by looking at it.

use std::path::{Path, PathBuf};

use planning::file;
use planning::plan::Plan;
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

/// Reads a file and finds out what it is.
pub fn load(path: &Path) -> Result<Loaded, FileProblem> {
    let opened = files::open_text(path, READ_LIMIT_BYTES)?;
    let text = opened.text;
    if let Some(b'{' | b'[') = text.trim_start().as_bytes().first() {
        load_json(path, &text)
    } else {
        let read = file::read(&text).map_err(|error| file_problem(path, &error))?;
        let own = (read.kind == file::Kind::Plan).then(|| path.to_owned());
        Ok(Loaded::Plan { plan: read.plan, path: own, stamp: opened.stamp, warnings: read.warnings })
    }
}

fn load_json(path: &Path, text: &str) -> Result<Loaded, FileProblem> {
    if is_model_config(text) {
        let config = config::parse(text.as_bytes()).map_err(|error| {
            FileProblem::new(Kind::Content, "open", path, error.to_string(), "Choose the config.json of a transformer")
        })?;
        return Ok(Loaded::Workload { path: path.to_owned(), config: Box::new(config) });
    }
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let import = inventory::import(&[(&name, text)]).map_err(|error| {
        let mut problem = FileProblem::new(Kind::Content, "import", path, error.what.clone(), error.hint.clone());
        problem.at = position(error.line, error.column);
        problem
    })?;
    let mut plan = Plan { name: import.fleet.name.clone(), ..Plan::default() };
    plan.fleet = std::sync::Arc::new(import.fleet);
    Ok(Loaded::Inventory { plan, findings: import.findings.iter().map(|finding| finding.message.clone()).collect() })
}

/// Whether a JSON text describes a model: no inventory has these keys.
fn is_model_config(text: &str) -> bool {
    ["\"model_type\"", "\"hidden_size\"", "\"architectures\"", "\"n_embd\""].iter().any(|key| text.contains(key))
        && !text.contains("\"apiVersion\"")
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
