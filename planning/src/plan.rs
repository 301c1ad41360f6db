//! The document: what is planned, as one value that is edited, undone, saved and presented.
//!
//! Large parts sit behind their own [`Arc`], so that one undo step costs what changed and a background job can
//! hold the part it reads. Ids are stable in files; names may change.

use std::fmt;
use std::sync::Arc;

use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use simulator::live::{Job, LiveWorkload};
use simulator::trial::Trial;
use telemetry::straggler::Rule;
use topology::chip::GenerationId;
use topology::fleet::{Component, Fleet, PodId, SliceId, TeamId};
use topology::shape::Shape;
use topology::units::Fraction;

use crate::roadmap::{ItemId, Roadmap};
use crate::source::Source;

/// Identity of a document: given once, kept by every copy and autosave of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DocumentId(pub String);

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Everything that is planned.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Identity of the document.
    #[serde(default)]
    pub id: DocumentId,
    /// Name for people.
    pub name: String,
    /// The pods, slices and faults as they are meant to be.
    #[serde(default)]
    pub fleet: Arc<Fleet>,
    /// What runs on which slice; slices without a job are idle.
    #[serde(default)]
    pub jobs: Arc<Vec<Job>>,
    /// Who owns slices and items.
    #[serde(default)]
    pub teams: Vec<Team>,
    /// What the team wants to reach, and by when.
    #[serde(default)]
    pub roadmap: Arc<Roadmap>,
    /// What might be done: slices with a workload that are compared before any is placed.
    #[serde(default)]
    pub scenarios: Arc<Vec<Scenario>>,
    /// Remarks, pinned to something or free.
    #[serde(default)]
    pub notes: Arc<Vec<Note>>,
    /// Where observed figures come from; without any, the embedded simulator plays the fleet.
    #[serde(default, skip_serializing_if = "has_none")]
    pub sources: Arc<Vec<Source>>,
    /// How the embedded simulator is started for this document.
    #[serde(default)]
    pub live: LiveSettings,
    /// When a number becomes a warning.
    #[serde(default)]
    pub thresholds: Thresholds,
}

/// A team and its identity colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Name, which slices and items refer to.
    pub id: TeamId,
    /// Identity colour, 1 to 8.
    pub color: u8,
}

/// One slice of one pod.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SliceRef {
    /// The pod.
    pub pod: PodId,
    /// The slice on it.
    pub slice: SliceId,
}

impl fmt::Display for SliceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.slice, self.pod)
    }
}

impl SliceRef {
    /// Whether a job runs on this slice.
    pub fn is_of(&self, job: &Job) -> bool {
        job.pod == self.pod && job.slice == self.slice
    }
}

/// Identity of a scenario inside its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScenarioId(pub u32);

/// A slice that might be used, with the work that it would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// Identity.
    pub id: ScenarioId,
    /// Name for people.
    pub name: String,
    /// Chip generation.
    pub generation: GenerationId,
    /// Size of one slice in chips.
    pub shape: Shape,
    /// Whether its torus is twisted.
    #[serde(default)]
    pub twisted: bool,
    /// How many such slices work together.
    #[serde(default = "one")]
    pub n_slices: u32,
    /// What they do as a job; absent until it is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<LiveWorkload>,
    /// What is tried on one of them; absent until it is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
    /// What does not work while it is tried, in coordinates of the slice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Component>,
}

fn has_none(sources: &Arc<Vec<Source>>) -> bool {
    sources.is_empty()
}

fn one() -> u32 {
    1
}

/// Identity of a note inside its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NoteId(pub u32);

/// What a note is pinned to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Anchor {
    /// A whole pod.
    Pod(PodId),
    /// A slice.
    Slice(SliceRef),
    /// An item of the roadmap.
    Item(ItemId),
    /// A gate of the roadmap, by name.
    Gate(String),
}

/// A remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Identity.
    pub id: NoteId,
    /// The words, plain text.
    pub text: String,
    /// What it is about; absent for a remark about the whole plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// The day on which it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Date>,
}

/// Start of the embedded simulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveSettings {
    /// Seed of every random draw.
    pub seed: u64,
    /// Moment that simulated time zero stands for, in Unix seconds.
    pub epoch_unix_seconds: i64,
}

impl Default for LiveSettings {
    /// Seed 1; 2026-11-30 04:42 UTC, the left edge of the sample's six hours.
    fn default() -> Self {
        Self { seed: 1, epoch_unix_seconds: 1_796_013_720 }
    }
}

/// When a number becomes a warning; every figure is shown beside the warning that it causes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thresholds {
    /// A utilization of the matrix units below this is on watch.
    pub utilization_watch_fraction: Fraction,
    /// A unit is a straggler when it lies more than this many standard deviations below its slice …
    #[serde(deserialize_with = "positive")]
    pub straggler_sigmas: f64,
    /// … for at least this long.
    pub straggler_seconds: u32,
    /// A source that was silent for longer is stale.
    pub stale_seconds: u32,
    /// A card that stayed longer than this in its column is old.
    pub old_card_days: u32,
}

fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    let is_positive = value.is_finite() && value > 0.0;
    is_positive.then_some(value).ok_or_else(|| D::Error::custom(format!("{value} is not a finite number above 0")))
}

impl Thresholds {
    /// The rule by which stragglers are found.
    pub fn straggler_rule(&self) -> Rule {
        Rule { sigmas: self.straggler_sigmas, min_seconds: self.straggler_seconds, ..Rule::default() }
    }
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            utilization_watch_fraction: Fraction::clamped(0.6),
            straggler_sigmas: 3.0,
            straggler_seconds: 300,
            stale_seconds: 90,
            old_card_days: 30,
        }
    }
}

impl Plan {
    /// An empty plan.
    pub fn new(id: DocumentId, name: impl Into<String>) -> Self {
        Self { id, name: name.into(), ..Self::default() }
    }

    /// The identity colour of a team.
    pub fn team_color(&self, id: &TeamId) -> Option<u8> {
        self.teams.iter().find(|team| team.id == *id).map(|team| team.color)
    }

    /// Whether the fleet has that slice.
    pub fn has_slice(&self, slice: &SliceRef) -> bool {
        self.fleet.pod(&slice.pod).is_some_and(|pod| pod.slices.iter().any(|other| other.id == slice.slice))
    }

    /// What runs on a slice; absent where nothing does.
    pub fn workload(&self, slice: &SliceRef) -> Option<&LiveWorkload> {
        self.jobs.iter().find(|job| slice.is_of(job)).map(|job| &job.workload)
    }

    /// The scenario of that id.
    pub fn scenario(&self, id: ScenarioId) -> Option<&Scenario> {
        self.scenarios.iter().find(|scenario| scenario.id == id)
    }

    /// The source of that name.
    pub fn source(&self, name: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.name == name)
    }

    /// The note of that id.
    pub fn note(&self, id: NoteId) -> Option<&Note> {
        self.notes.iter().find(|note| note.id == id)
    }

    /// The smallest note id that is larger than all in use.
    pub fn free_note_id(&self) -> NoteId {
        NoteId(self.notes.iter().map(|note| note.id.0).max().map_or(1, |id| id.saturating_add(1)))
    }
}
