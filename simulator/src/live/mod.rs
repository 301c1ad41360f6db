//! A fleet in motion: what each chip would report at any moment, computed from the work of its slice.
//!
//! [`LiveSim::sample`] is a pure function of time, so that a history can be filled in any order. A value differs from
//! its neighbour's only by a computed cause: a slow chip or link, a silent host, a stage of a pipeline, tokens counted
//! per expert, documents packed into sequences, sessions per replica, rows per table, a checkpoint, an input stall, a
//! restart, the hour of the day. All chips of a slice wait for its slowest one.

mod build;
mod calendar;
mod embedding;
mod frame;
mod health;
mod job;
mod phase;
mod preset;
mod router;
mod serve;
mod train;
mod workload;

use std::collections::BTreeSet;
use std::sync::Arc;

use topology::chip::Catalog;
use topology::finding::Finding;
use topology::fleet::{Fleet, PodId, SliceId};

use crate::live::build::build;
use crate::live::health::PodHealth;
use crate::live::job::{JobSim, idle};

pub use crate::live::frame::{Column, Frame, Measure, PodFrame};
pub use crate::live::job::StepReport;
pub use crate::live::preset::Maker;
pub use crate::live::workload::{Embedding, Evaluate, Job, LiveWorkload, MatmulLoop, Role, Serve, Suite, Train};

/// What a live simulation starts from.
#[derive(Debug, Clone)]
pub struct LiveInput {
    /// Pods, slices and faults.
    pub fleet: Arc<Fleet>,
    /// Figures of the generations.
    pub catalog: Arc<Catalog>,
    /// What runs where; slices without a job are idle.
    pub jobs: Vec<Job>,
    /// Seed of everything that is counted from samples.
    pub seed: u64,
}

/// Why a live simulation cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// The fleet is larger than any that this can hold.
    #[error("the fleet has {chips} chips; at most {max} can be simulated", max = LiveSim::MAX_CHIPS)]
    TooLarge {
        /// Chips of the fleet.
        chips: usize,
    },
    /// Two jobs want the same slice.
    #[error("slice {slice} of pod {pod} has two jobs; a slice runs one")]
    TwoJobs {
        /// The pod.
        pod: PodId,
        /// The slice.
        slice: SliceId,
    },
}

/// A fleet that can be asked what it reports at any moment.
#[derive(Debug)]
pub struct LiveSim {
    fleet: Arc<Fleet>,
    /// What the pods report where nothing runs.
    idle: Vec<PodFrame>,
    jobs: Vec<JobSim>,
}

impl LiveSim {
    /// Most chips of a fleet.
    pub const MAX_CHIPS: usize = 1_000_000;
    /// Values are means over this many seconds before the moment that is asked for.
    pub const WINDOW_SECONDS: f64 = 60.0;

    /// Prepares all jobs; what cannot run is named in the findings and its slice stays idle.
    ///
    /// # Errors
    /// If the fleet is too large or a slice has two jobs.
    pub fn new(input: &LiveInput) -> Result<(Self, Vec<Finding>), LiveError> {
        let chips = input.fleet.n_chips();
        if chips > Self::MAX_CHIPS {
            return Err(LiveError::TooLarge { chips });
        }
        let mut seen = BTreeSet::new();
        if let Some(job) = input.jobs.iter().find(|job| !seen.insert((&job.pod, &job.slice))) {
            return Err(LiveError::TwoJobs { pod: job.pod.clone(), slice: job.slice.clone() });
        }
        let health: Vec<PodHealth> = input.fleet.pods.iter().map(PodHealth::new).collect();
        let mut findings = Vec::new();
        let jobs = input.jobs.iter().filter_map(|job| build(input, &health, job, &mut findings)).collect();
        let idle = input.fleet.pods.iter().zip(&health).map(|(pod, health)| idle(pod, health)).collect();
        Ok((Self { fleet: Arc::clone(&input.fleet), idle, jobs }, findings))
    }

    /// What all chips report at a moment, in seconds since the epoch of the plan: means over the window before it.
    ///
    /// Takes time in proportion to the chips.
    pub fn sample(&self, at_seconds: f64) -> Frame {
        let at = if at_seconds.is_finite() { at_seconds } else { 0.0 };
        let mut pods = self.idle.clone();
        for job in &self.jobs {
            job.sample(at, &mut pods[job.pod].columns);
        }
        Frame { at_seconds: at, pods }
    }

    /// How a step of a slice's job is made up at full load; absent where no job runs.
    pub fn step_explain(&self, pod: &PodId, slice: &SliceId) -> Option<StepReport> {
        let job = self.jobs.iter().find(|job| self.fleet.pods[job.pod].id == *pod && job.slice == *slice)?;
        Some(job.report(&self.fleet.pods[job.pod]))
    }
}

#[cfg(test)]
mod tests;
