//! The program without its window: state, workers, and the two halves of a frame.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use egui::{Context, ViewportCommand};
use planning::plan::{Plan, Scenario};
use simulator::live::{LiveSim, StepReport};
use topology::chip::Catalog;
use topology::fleet::{Pod, PodId, Slice, SliceId};
use widgets::heatmap::Heatmap;

use crate::clock::Now;
use crate::feed::Feed;
use crate::intent::Intents;
use crate::io::dialog::{Dialogs, Pending};
use crate::jobs::{Disk, Job};
use crate::model::Model;
use crate::shell;
use crate::trials::Trials;
use crate::view_state::{View, ViewState};
use crate::views::live;
use crate::views::topology::scene;

/// Where the present moment comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine.
    System,
    /// Always this one: for pictures and tests.
    Fixed(Now),
}

impl Clock {
    /// The present moment.
    pub fn now(&self) -> Now {
        match self {
            Self::System => Now::read(),
            Self::Fixed(now) => now.clone(),
        }
    }
}

/// What a file dialog was opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking {
    /// A file to open.
    Open,
    /// Where to save.
    Save,
    /// Where to write a picture.
    Export,
}

/// The program.
pub struct App {
    /// What it holds.
    pub model: Model,
    /// What the user looks at.
    pub view: ViewState,
    /// What the views of this frame asked for.
    pub intents: Intents,
    /// The command palette, while it is open.
    pub palette: shell::palette::State,
    /// Milliseconds that the last frame took the processor.
    pub frame_ms: Option<f32>,
    /// What is under the pointer, for the status bar.
    pub hover: Option<String>,
    /// The chip under the pointer in Live, in coordinates of the slice.
    pub hovered_chip: Option<topology::shape::Coord>,
    /// Recent files, newest first.
    pub recent: Vec<std::path::PathBuf>,
    /// Whether the window should close without asking again.
    pub may_close: bool,
    /// Answers to the scenarios.
    pub trials: Trials,
    pub(crate) feed: Feed,
    pub(crate) disk: Option<Disk>,
    pub(crate) dialogs: Option<Box<dyn Dialogs>>,
    pub(crate) pending: Option<(Asking, Pending)>,
    pub(crate) jobs: Vec<(u64, Job)>,
    pub(crate) after_save: Option<crate::model::Then>,
    pub(crate) autosaved_revision: Option<u64>,
    pub(crate) autosaved_at: f64,
    pub(crate) title: String,
    clock: Clock,
    history_cache: Option<(u64, Heatmap)>,
}

impl App {
    /// A program that shows a plan and touches no file.
    pub fn new(plan: Plan, catalog: Arc<Catalog>, clock: Clock) -> Self {
        let now = clock.now();
        Self {
            model: Model::new(plan, catalog, now),
            view: ViewState::default(),
            intents: Intents::default(),
            palette: shell::palette::State::default(),
            frame_ms: None,
            hover: None,
            hovered_chip: None,
            recent: Vec::new(),
            may_close: false,
            trials: Trials::default(),
            feed: Feed::default(),
            disk: None,
            dialogs: None,
            pending: None,
            jobs: Vec::new(),
            after_save: None,
            autosaved_revision: None,
            autosaved_at: 0.0,
            title: String::new(),
            clock,
            history_cache: None,
        }
    }

    /// Gives it the door to files, and asks whether a crashed run left something behind.
    pub fn with_disk(mut self, disk: Disk, dialogs: Box<dyn Dialogs>) -> Self {
        self.recent = disk.recent();
        self.disk = Some(disk);
        self.dialogs = Some(dialogs);
        self.look_for_recoveries();
        self
    }

    /// The half of a frame that changes things: time, results of workers, wishes of the last frame.
    pub fn logic(&mut self, ctx: &Context) {
        self.model.now = self.clock.now();
        self.collect_jobs(ctx);
        self.collect_dialog();
        for intent in self.intents.take() {
            self.obey(ctx, intent);
        }
        if ctx.input(|input| input.viewport().close_requested()) && !self.may_close() {
            ctx.send_viewport_cmd(ViewportCommand::CancelClose);
        }
        self.model.derive();
        self.feed.advance(&mut self.model, &ctx.clone());
        if self.view.view == View::WhatIf {
            self.trials.advance(&self.model.plan().scenarios, &self.model.catalog, ctx);
        }
        self.autosave(ctx);
        // Where the clock is on screen it ticks; elsewhere only the age of the source does.
        let ticks = matches!(self.view.view, View::Topology | View::Live);
        let wait = Duration::from_secs(if ticks { 1 } else { 10 });
        ctx.request_repaint_after(wait);
    }

    /// The half of a frame that draws.
    pub fn ui(&mut self, ui: &mut egui::Ui) {
        ui.set_theme(self.view.theme.egui());
        shell::ui(self, ui);
    }

    /// Waits until the history of the simulated fleet is there: for pictures and tests.
    pub fn settle(&mut self) {
        self.model.derive();
        self.feed.fill(&mut self.model);
        self.trials.fill(&self.model.plan().scenarios, &self.model.catalog);
    }

    /// Changes whenever a picture of the Live view does.
    pub fn picture_revision(&self) -> u64 {
        let live = &self.view.live;
        let mut hasher = DefaultHasher::new();
        (self.model.plan_revision(), self.model.store.revision(), self.model.shown_moment(&self.view))
            .hash(&mut hasher);
        (&self.view.pod, &self.view.slice, live.metric, live.axis, live.group).hash(&mut hasher);
        (live.range.map(f32::to_bits), live.colormap.map().name()).hash(&mut hasher);
        hasher.finish()
    }

    /// The history of the shown slice, kept until something in it changes; with its number of rows.
    pub(crate) fn history_picture(&mut self) -> Option<Heatmap> {
        let revision = self.picture_revision();
        if let Some((kept, picture)) = &self.history_cache
            && *kept == revision
        {
            return Some(picture.clone());
        }
        let picture = live::with_source(self, |source| {
            let units = live::derive::rows(source);
            live::derive::heatmap(source, &units, live::derive::alerts(source))
        })?;
        self.history_cache = Some((revision, picture.clone()));
        Some(picture)
    }

    /// The scenario that What-if shows: the chosen one, or the first.
    pub fn chosen_scenario(&self) -> Option<&Scenario> {
        let plan = self.model.plan();
        let chosen = self.view.what_if.scenario.and_then(|id| plan.scenario(id));
        chosen.or_else(|| plan.scenarios.first())
    }

    /// The slice that is selected on the map, with its pod.
    pub fn selected_slice(&self) -> Option<(&Pod, &Slice)> {
        let (pod, map) = self.model.pod(self.view.selection.pod()?)?;
        let index = scene::selected_slice(pod, map, &self.view.selection)?;
        Some((pod, pod.slices.get(index)?))
    }

    /// How a step of a slice's job is made up, in the simulation.
    pub fn step_of(&self, pod: &PodId, slice: &SliceId) -> Option<StepReport> {
        self.feed.sim()?.step_explain(pod, slice)
    }

    /// The same of the slice that Live shows.
    pub(crate) fn shown_step(&self) -> Option<StepReport> {
        let (pod, _) = self.model.shown_pod(&self.view)?;
        self.step_of(&pod.id, &pod.slices.get(self.model.shown_slice(&self.view)?)?.id)
    }

    /// The simulation behind the live view, once it is ready.
    pub fn simulation(&self) -> Option<&LiveSim> {
        self.feed.sim()
    }
}
