//! What the program holds: the document, the facts, and what was derived from them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use planning::history::History;
use planning::plan::Plan;
use planning::schedule::{Schedule, schedule};
use simulator::config::Workload;
use telemetry::Store;
use topology::chip::Catalog;
use topology::fleet::{Fleet, Pod, PodId};
use topology::slice::SliceFacts;

use crate::clock::Now;
use crate::io::autosave::Recovery;
use crate::io::files::Stamp;
use crate::io::problem::FileProblem;
use crate::pod_map::PodMap;
use crate::view_state::ViewState;

/// Buckets of one minute that are kept: six hours.
pub const HISTORY_BUCKETS: usize = 360;
/// Length of a bucket in seconds.
pub const BUCKET_S: u32 = 60;

/// Values of one metric that are kept in all: six hours of 70,000 chips.
const MOST_VALUES: usize = 70_000 * HISTORY_BUCKETS;

/// Buckets that are kept of a fleet; a very large one has a shorter past.
pub fn history_buckets(n_chips: usize) -> usize {
    (MOST_VALUES / n_chips.max(1)).clamp(2, HISTORY_BUCKETS)
}

/// The file that the document came from and goes to.
#[derive(Debug, Clone)]
pub struct OpenFile {
    /// Where.
    pub path: PathBuf,
    /// How it looked when it was read or written.
    pub stamp: Stamp,
}

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Something was done.
    Done,
    /// Worth knowing.
    Info,
    /// Look at it.
    Warning,
    /// It did not work; stays until it is closed.
    Error,
}

/// Something that the user should hear once.
#[derive(Debug, Clone, PartialEq)]
pub struct Notice {
    /// Number, for closing it.
    pub id: u64,
    /// How much it matters.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// Why, what was kept, what to do, where.
    pub detail: String,
    /// When it appeared, in egui's seconds; set when it is first drawn.
    pub since: Option<f64>,
}

/// A question or list in the middle of the window.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// Save changes before going on with this?
    Unsaved(Then),
    /// The path of a file to open.
    OpenPath(String),
    /// The path to save to.
    SavePath(String),
    /// The path of a picture.
    ExportPath(String),
    /// A file lies there; replace it?
    Replace(PathBuf),
    /// A file lies where the picture should go; replace it?
    ReplacePicture(PathBuf),
    /// The file changed on disk since it was opened; replace it?
    Overwrite(PathBuf),
    /// A problem with a file, in full.
    Problem(Box<FileProblem>),
    /// What was strange about an import or a plan.
    Findings(String, Vec<String>),
    /// All keys.
    Shortcuts,
    /// Autosaves of a crashed run.
    Recoveries,
    /// The matrix products of a model.
    Workload,
}

/// What waits for an answer about unsaved changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Then {
    /// Close the window.
    Quit,
    /// Start an empty plan.
    New,
    /// Show the sample.
    Sample,
    /// Open a file.
    Open(PathBuf),
    /// Ask for a file to open.
    AskOpen,
}

/// What follows from the plan; made anew when the plan changes.
#[derive(Debug, Default)]
pub struct Derived {
    fleet: Option<Arc<Fleet>>,
    revision: Option<u64>,
    maps: Vec<PodMap>,
    facts: Vec<Vec<Result<SliceFacts, String>>>,
    /// Critical path; absent where dependencies run in a circle.
    pub schedule: Option<Schedule>,
}

/// All of it.
#[derive(Debug)]
pub struct Model {
    /// The plan with its past.
    pub history: History<Plan>,
    /// Grows with each document that is opened, so that revisions of two documents differ.
    pub generation: u64,
    /// Its file.
    pub file: Option<OpenFile>,
    /// Chip generations.
    pub catalog: Arc<Catalog>,
    /// Facts.
    pub store: Store,
    /// The present moment.
    pub now: Now,
    /// What follows from the plan.
    pub derived: Derived,
    /// What the user should hear.
    pub notices: Vec<Notice>,
    next_notice: u64,
    /// The question in the middle.
    pub dialog: Option<Dialog>,
    /// Autosaves of a crashed run.
    pub recoveries: Vec<Recovery>,
    /// A model chosen as workload, with the file it came from.
    pub workload: Option<(PathBuf, Workload)>,
    /// The last thing that happened, for the status bar.
    pub message: String,
}

impl Model {
    /// A plan that is saved nowhere, and no facts.
    pub fn new(plan: Plan, catalog: Arc<Catalog>, now: Now) -> Self {
        let n_chips = plan.fleet.n_chips();
        let mut model = Self {
            history: History::new(plan),
            generation: 0,
            file: None,
            catalog,
            store: Store::new(BUCKET_S, history_buckets(n_chips)),
            now,
            derived: Derived::default(),
            notices: Vec::new(),
            next_notice: 0,
            dialog: None,
            recoveries: Vec::new(),
            workload: None,
            message: String::new(),
        };
        model.derive();
        model
    }

    /// Puts another document in place of this one.
    pub fn replace(&mut self, history: History<Plan>, file: Option<OpenFile>) {
        self.history = history;
        self.file = file;
        self.generation += 1;
        self.store = Store::new(BUCKET_S, history_buckets(self.plan().fleet.n_chips()));
        self.derive();
    }

    /// The plan now.
    pub fn plan(&self) -> &Plan {
        self.history.present()
    }

    /// Changes whenever the plan does.
    pub fn plan_revision(&self) -> u64 {
        (self.generation << 32) ^ self.history.revision()
    }

    /// Name of the document for people.
    pub fn document_name(&self) -> String {
        let name = &self.plan().name;
        if name.is_empty() { "Untitled".to_owned() } else { name.clone() }
    }

    /// Path of the document's file.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|file| file.path.as_path())
    }

    /// Makes anew what follows from the plan, if it changed.
    pub fn derive(&mut self) {
        let revision = self.plan_revision();
        if self.derived.revision == Some(revision) {
            return;
        }
        self.derived.revision = Some(revision);
        let plan = Arc::clone(self.history.present());
        let is_same_fleet = self.derived.fleet.as_ref().is_some_and(|fleet| Arc::ptr_eq(fleet, &plan.fleet));
        if !is_same_fleet {
            self.derived.maps = plan.fleet.pods.iter().map(PodMap::new).collect();
            self.derived.facts = plan.fleet.pods.iter().map(|pod| facts_of(&self.catalog, pod)).collect();
            self.derived.fleet = Some(Arc::clone(&plan.fleet));
        }
        self.derived.schedule = schedule(&plan.roadmap, self.now.today).ok();
    }

    /// A pod with its index, by name.
    pub fn pod(&self, id: &PodId) -> Option<(&Pod, &PodMap)> {
        let index = self.plan().fleet.pods.iter().position(|pod| pod.id == *id)?;
        Some((self.plan().fleet.pods.get(index)?, self.derived.maps.get(index)?))
    }

    /// Facts of a slice by its index, or why there are none.
    pub fn slice_facts(&self, pod: &PodId, slice: usize) -> Option<&Result<SliceFacts, String>> {
        let index = self.plan().fleet.pods.iter().position(|candidate| candidate.id == *pod)?;
        self.derived.facts.get(index)?.get(slice)
    }

    /// The pod that Topology and Live show: the chosen one, or the first.
    pub fn shown_pod(&self, view: &ViewState) -> Option<(&Pod, &PodMap)> {
        let chosen = view.pod.as_ref().and_then(|id| self.pod(id));
        chosen.or_else(|| self.pod(&self.plan().fleet.pods.first()?.id))
    }

    /// The slice that Live shows, by index: the chosen one, or the first of the pod.
    pub fn shown_slice(&self, view: &ViewState) -> Option<usize> {
        let (pod, _) = self.shown_pod(view)?;
        let chosen = view.slice.as_ref().and_then(|id| pod.slices.iter().position(|slice| slice.id == *id));
        chosen.or_else(|| (!pod.slices.is_empty()).then_some(0))
    }

    /// The newest moment of which anything is known; the present one where nothing is.
    pub fn newest_moment(&self) -> i64 {
        self.store.newest().unwrap_or(self.now.unix_s)
    }

    /// The moment that is shown: the held one, or the newest sample.
    pub fn shown_moment(&self, view: &ViewState) -> i64 {
        view.time.held.unwrap_or_else(|| self.newest_moment())
    }

    /// Tells the user something; also the last message of the status bar.
    pub fn notify(&mut self, severity: Severity, title: impl Into<String>, detail: impl Into<String>) {
        /// More at once would cover the window; the oldest goes.
        const MOST: usize = 20;
        let (title, detail) = (title.into(), detail.into());
        self.message.clone_from(&title);
        self.next_notice += 1;
        self.notices.push(Notice { id: self.next_notice, severity, title, detail, since: None });
        if self.notices.len() > MOST {
            self.notices.remove(0);
        }
    }
}

fn facts_of(catalog: &Catalog, pod: &Pod) -> Vec<Result<SliceFacts, String>> {
    let Some(generation) = catalog.get(&pod.generation) else {
        let reason = format!("the catalogue has no generation \"{}\"", pod.generation);
        return pod.slices.iter().map(|_| Err(reason.clone())).collect();
    };
    pod.slices
        .iter()
        .map(|slice| SliceFacts::new(generation, slice.shape, Some(slice.twisted)).map_err(|error| error.to_string()))
        .collect()
}
