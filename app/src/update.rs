//! The one place that changes the model: obeys intents, and takes in what workers bring.

use std::path::{Path, PathBuf};

use egui::{Context, ViewportCommand};
use planning::edit::Edit;
use planning::file;
use planning::history::{Gesture, History};
use planning::plan::{DocumentId as PlanId, Plan};

use crate::app::{App, Asking};
use crate::command::Command;
use crate::document::Loaded;
use crate::intent::{Intent, Unsaved};
use crate::io::dialog::{Answer, Filter, Question};
use crate::io::problem::{FileProblem, Kind};
use crate::io::worker::Done;
use crate::jobs::{Job, Outcome};
use crate::model::{Dialog, OpenFile, Severity, Then};
use crate::render;
use crate::view_state::{RoadmapMode, Selection, View};

/// Seconds between two autosaves of a changing document.
const AUTOSAVE_EVERY_S: f64 = 10.0;

impl App {
    /// Does what was asked for.
    pub(crate) fn obey(&mut self, ctx: &Context, intent: Intent) {
        match intent {
            Intent::Run(command) => self.run(ctx, command),
            Intent::Edit(edit) => self.edit(None, edit),
            Intent::EditDuring(gesture, edit) => self.edit(Some(gesture), edit),
            Intent::EndGesture => self.model.history.end_gesture(),
            Intent::Select(selection) => self.select(selection),
            Intent::ShowPod(pod) => {
                self.view.selection = Selection::Pod(pod.clone());
                self.view.pod = Some(pod);
                self.view.slice = None;
            }
            Intent::ShowSlice(pod, slice, view) => {
                self.view.view = view;
                self.select(Selection::Slice(pod, slice));
            }
            Intent::Hold(moment) => self.view.time.held = moment,
            Intent::OpenFile(path) => self.guard(ctx, Then::Open(path)),
            Intent::SaveTo(path) => self.save_to(path, true),
            Intent::SaveNew(path) if path.exists() => self.model.dialog = Some(Dialog::Replace(path)),
            Intent::SaveNew(path) => self.save_to(path, true),
            Intent::ExportTo(path) => self.export_to(path),
            Intent::Recover(index) => self.recover(index),
            Intent::Discard(index) => self.discard(index),
            Intent::LeaveRecoveries | Intent::CloseDialog => self.model.dialog = None,
            Intent::Proceed(answer) => self.proceed(ctx, answer),
            Intent::CloseNotice(id) => self.model.notices.retain(|notice| notice.id != id),
        }
    }

    fn select(&mut self, selection: Selection) {
        if let Some(pod) = selection.pod() {
            self.view.pod = Some(pod.clone());
        }
        match &selection {
            Selection::Slice(_, slice) => {
                self.view.slice = Some(slice.clone());
                self.view.live.pinned = None;
            }
            Selection::Cube(pod, _) | Selection::Chip(pod, _) => {
                if let Some((pod, map)) = self.model.pod(pod)
                    && let Some(index) = crate::views::topology::scene::selected_slice(pod, map, &selection)
                {
                    self.view.slice = pod.slices.get(index).map(|slice| slice.id.clone());
                }
            }
            _ => {}
        }
        self.view.selection = selection;
    }

    fn edit(&mut self, gesture: Option<Gesture>, edit: Edit) {
        let label = edit.label();
        match self.model.history.edit(label, gesture, |plan| edit.apply(plan)) {
            Ok(true) => label.clone_into(&mut self.model.message),
            Ok(false) => {}
            Err(error) => self.model.notify(Severity::Warning, format!("{label}: not done"), error.to_string()),
        }
        self.model.derive();
    }

    fn run(&mut self, ctx: &Context, command: Command) {
        match command {
            Command::New => self.guard(ctx, Then::New),
            Command::Open => self.guard(ctx, Then::AskOpen),
            Command::OpenPath => self.model.dialog = Some(Dialog::OpenPath(String::new())),
            Command::Sample => self.guard(ctx, Then::Sample),
            Command::Save => self.save(),
            Command::SaveAs => self.ask(Asking::Save),
            Command::ExportPng => self.ask(Asking::Export),
            Command::Quit => ctx.send_viewport_cmd(ViewportCommand::Close),
            Command::Undo => match self.model.history.undo() {
                Some(label) => self.model.message = format!("Undone: {label}"),
                None => "Nothing to undo".clone_into(&mut self.model.message),
            },
            Command::Redo => match self.model.history.redo() {
                Some(label) => self.model.message = format!("Done again: {label}"),
                None => "Nothing to redo".clone_into(&mut self.model.message),
            },
            Command::Palette => self.palette.toggle(),
            Command::Shortcuts => self.model.dialog = Some(Dialog::Shortcuts),
            Command::ZoomIn => ctx.set_zoom_factor((ctx.zoom_factor() + 0.1).min(2.0)),
            Command::ZoomOut => ctx.set_zoom_factor((ctx.zoom_factor() - 0.1).max(0.8)),
            Command::ZoomReset => ctx.set_zoom_factor(1.0),
            Command::FullScreen => {
                let full = ctx.input(|input| input.viewport().fullscreen.unwrap_or(false));
                ctx.send_viewport_cmd(ViewportCommand::Fullscreen(!full));
            }
            other => self.look(other),
        }
    }

    /// Commands that change only what the user looks at.
    fn look(&mut self, command: Command) {
        match command {
            Command::Go(view) => self.view.view = view,
            Command::Inspector => self.view.inspector = !self.view.inspector,
            Command::Outline => self.view.outline = !self.view.outline,
            Command::Theme => self.view.theme = self.view.theme.other(),
            Command::PauseLive => {
                self.view.time.held = match self.view.time.held {
                    Some(_) => None,
                    None => self.model.store.newest(),
                };
            }
            Command::GoLive => self.view.time.held = None,
            Command::StepBack => self.step(-1),
            Command::StepForward => self.step(1),
            Command::HomeCamera => self.view.topology.torus.camera = widgets::camera::Camera::default(),
            Command::WrapLinks => self.view.topology.wrap_links = !self.view.topology.wrap_links,
            Command::NextColormap => self.view.live.colormap = self.view.live.colormap.next(),
            Command::ClearSelection => {
                self.view.selection = Selection::None;
                self.view.live.pinned = None;
            }
            Command::Timeline => self.show_roadmap(RoadmapMode::Timeline),
            Command::Board => self.show_roadmap(RoadmapMode::Board),
            _ => {}
        }
    }

    fn show_roadmap(&mut self, mode: RoadmapMode) {
        self.view.view = View::Roadmap;
        self.view.roadmap.mode = mode;
    }

    fn step(&mut self, buckets: i64) {
        let Some(newest) = self.model.store.newest() else { return };
        let step = i64::from(self.model.store.step_seconds());
        let oldest = newest - step * (self.model.store.capacity() as i64 - 1);
        let held = self.view.time.held.unwrap_or(newest) + buckets * step;
        self.view.time.held = Some(held.clamp(oldest, newest));
    }

    /// Goes on with something that loses the document, after asking if there are changes.
    fn guard(&mut self, ctx: &Context, then: Then) {
        if self.model.history.is_dirty() {
            self.model.dialog = Some(Dialog::Unsaved(then));
        } else {
            self.go_on(ctx, then);
        }
    }

    /// The window is asked to close; whether it may.
    pub(crate) fn may_close(&mut self) -> bool {
        if self.may_close || !self.model.history.is_dirty() {
            return true;
        }
        self.model.dialog = Some(Dialog::Unsaved(Then::Quit));
        false
    }

    fn proceed(&mut self, ctx: &Context, answer: Unsaved) {
        let Some(Dialog::Unsaved(then)) = self.model.dialog.take() else { return };
        match answer {
            Unsaved::Save => {
                self.after_save = Some(then);
                self.save();
            }
            Unsaved::DontSave => self.go_on(ctx, then),
        }
    }

    fn go_on(&mut self, ctx: &Context, then: Then) {
        match then {
            Then::Quit => {
                self.may_close = true;
                ctx.send_viewport_cmd(ViewportCommand::Close);
            }
            Then::New => {
                let plan = Plan::new(PlanId(format!("plan-{:x}", self.model.now.unix_s)), "Untitled");
                self.show_document(History::new(plan), None);
            }
            Then::Sample => self.show_document(History::new(planning::sample()), None),
            Then::Open(path) => self.load(path),
            Then::AskOpen => self.ask(Asking::Open),
        }
    }

    fn load(&mut self, path: PathBuf) {
        self.model.message = format!("Opening {}", name_of(&path));
        let id = self.disk.as_mut().and_then(|disk| disk.load(path.clone()));
        self.track(id, Job::Load(path));
    }

    fn track(&mut self, id: Option<u64>, job: Job) {
        match id {
            Some(id) => self.jobs.push((id, job)),
            None => self.model.notify(
                Severity::Warning,
                "Too many files are being worked on",
                "Nothing was lost. Try again when the others are done.",
            ),
        }
    }

    fn show_document(&mut self, history: History<Plan>, file: Option<OpenFile>) {
        self.forget_autosave();
        self.model.replace(history, file);
        self.view.pod = None;
        self.view.slice = None;
        self.view.selection = Selection::None;
        self.view.time.held = None;
        self.view.live.pinned = None;
        self.model.dialog = None;
        self.autosaved_revision = None;
    }

    fn ask(&mut self, asking: Asking) {
        let folder = self.model.path().and_then(Path::parent).map(Path::to_owned);
        let plans = Filter { name: "Podium plan".to_owned(), extensions: vec!["ron".to_owned()] };
        let Some(dialogs) = self.dialogs.as_mut() else { return };
        let file_name = match self.model.file.as_ref() {
            Some(file) => name_of(&file.path),
            None => format!("{}.podium.ron", self.model.document_name().to_lowercase().replace([' ', '/', '\\'], "-")),
        };
        let pending = match asking {
            Asking::Open => {
                let any = ["ron", "json"].map(str::to_owned).to_vec();
                let filters = vec![Filter { name: "Plans, fleets and inventories".to_owned(), extensions: any }];
                dialogs.pick_open(Question { title: "Open".to_owned(), filters, folder, file_name: None })
            }
            Asking::Save => dialogs.pick_save(Question {
                title: "Save as".to_owned(),
                filters: vec![plans],
                folder,
                file_name: Some(file_name),
            }),
            Asking::Export => dialogs.pick_save(Question {
                title: "Export picture".to_owned(),
                filters: vec![Filter { name: "PNG picture".to_owned(), extensions: vec!["png".to_owned()] }],
                folder,
                file_name: Some(format!("{}.png", self.view.view.key())),
            }),
        };
        self.pending = Some((asking, pending));
    }

    /// Takes the answer of a file dialog; without dialogs the window offers a field for the path.
    pub(crate) fn collect_dialog(&mut self) {
        let Some((asking, answer)) =
            self.pending.as_ref().and_then(|(asking, pending)| pending.poll().map(|answer| (*asking, answer)))
        else {
            return;
        };
        self.pending = None;
        match (asking, answer) {
            (Asking::Open, Answer::Picked(path)) => self.load(path),
            (Asking::Save, Answer::Picked(path)) => self.save_to(path, true),
            (Asking::Export, Answer::Picked(path)) => self.export_to(path),
            (_, Answer::Cancelled) => self.after_save = None,
            (Asking::Open, Answer::Unavailable) => self.model.dialog = Some(Dialog::OpenPath(String::new())),
            (Asking::Save, Answer::Unavailable) => self.model.dialog = Some(Dialog::SavePath(String::new())),
            (Asking::Export, Answer::Unavailable) => self.model.dialog = Some(Dialog::ExportPath(String::new())),
        }
    }

    fn save(&mut self) {
        match self.model.path().map(Path::to_owned) {
            Some(path) => self.save_to(path, false),
            None => self.ask(Asking::Save),
        }
    }

    /// Saves to a path; `replace` says that the user chose the path now, so whatever lies there may go.
    fn save_to(&mut self, path: PathBuf, replace: bool) {
        let expected = match &self.model.file {
            Some(file) if file.path == path && !replace => Some(file.stamp.clone()),
            _ => None,
        };
        let text = file::write(self.model.plan());
        let job = Job::Save {
            path: path.clone(),
            revision: self.model.history.revision(),
            generation: self.model.generation,
        };
        self.model.dialog = None;
        let id = self.disk.as_mut().and_then(|disk| disk.save(path, text, expected));
        self.track(id, job);
    }

    fn export_to(&mut self, path: PathBuf) {
        self.model.dialog = None;
        match render::png_of(self, egui::vec2(1600.0, 1000.0), 2.0) {
            Ok(bytes) => {
                let id = self.disk.as_mut().and_then(|disk| disk.export(path.clone(), bytes, true));
                self.track(id, Job::Export(path));
            }
            Err(reason) => self.model.notify(Severity::Error, "The picture could not be made", reason),
        }
    }

    /// Takes in what the worker for files has finished.
    pub(crate) fn collect_jobs(&mut self, ctx: &Context) {
        while let Some(Done { id, result }) = self.disk.as_ref().and_then(|disk| disk.poll()) {
            let Some(at) = self.jobs.iter().position(|(job, _)| *job == id) else { continue };
            let (_, job) = self.jobs.remove(at);
            match result {
                Ok(outcome) => self.take(ctx, job, outcome),
                Err(problem) => self.fail(job, problem),
            }
        }
    }

    fn take(&mut self, ctx: &Context, job: Job, outcome: Outcome) {
        match (outcome, job) {
            (Outcome::Loaded(loaded), Job::Load(path)) => self.take_loaded(*loaded, &path),
            (Outcome::Saved(stamp), Job::Save { path, revision, generation }) => {
                if generation == self.model.generation {
                    self.forget_autosave();
                    self.model.history.mark_saved(revision);
                    self.model.file = Some(OpenFile { path: path.clone(), stamp });
                    self.autosaved_revision = Some(revision);
                }
                self.remember(&path);
                self.model.notify(Severity::Done, format!("Saved {}", name_of(&path)), String::new());
                if let Some(then) = self.after_save.take() {
                    self.guard(ctx, then);
                }
            }
            (Outcome::Exported, Job::Export(path)) => {
                self.model.notify(Severity::Done, "Picture written", path.display().to_string());
            }
            (Outcome::Recovered(recovery, text), _) => match file::read(&text) {
                Ok(opened) => {
                    let original = recovery.path.clone();
                    self.show_document(History::unsaved(opened.plan), None);
                    recovery.discard();
                    let detail = original.map_or_else(
                        || "Save it to keep it.".to_owned(),
                        |path| format!("Save it to keep it. It was {}", path.display()),
                    );
                    self.model.notify(Severity::Info, "Recovered unsaved changes", detail);
                    self.model.recoveries.clear();
                }
                Err(error) => self.model.notify(Severity::Error, "The autosave is damaged", error.to_string()),
            },
            _ => {}
        }
    }

    fn take_loaded(&mut self, loaded: Loaded, from: &Path) {
        let name = name_of(from);
        match loaded {
            Loaded::Plan { plan, path, stamp, warnings } => {
                let file = path.map(|path| OpenFile { path, stamp });
                let history = if file.is_some() { History::new(plan) } else { History::unsaved(plan) };
                self.show_document(history, file);
                self.remember(from);
                self.model.notify(Severity::Done, format!("Opened {name}"), String::new());
                self.tell_findings(format!("{name} was opened with remarks"), warnings);
            }
            Loaded::Inventory { plan, findings } => {
                let pods = plan.fleet.pods.len();
                let chips = plan.fleet.n_chips();
                self.show_document(History::unsaved(plan), None);
                self.view.view = View::Topology;
                self.remember(from);
                let what = format!("{}, {}", crate::text::n_of(pods, "pod"), crate::text::n_of(chips, "chip"));
                self.model.notify(Severity::Done, format!("Imported {name}"), what);
                self.tell_findings(format!("What was strange in {name}"), findings);
            }
            Loaded::Workload { path, config } => {
                self.model.workload = Some((path, *config));
                self.model.dialog = Some(Dialog::Workload);
            }
        }
    }

    fn tell_findings(&mut self, title: String, findings: Vec<String>) {
        if !findings.is_empty() {
            self.model.dialog = Some(Dialog::Findings(title, findings));
        }
    }

    fn remember(&mut self, path: &Path) {
        if let Some(disk) = &self.disk {
            self.recent = disk.remember(path);
        }
    }

    fn fail(&mut self, job: Job, problem: FileProblem) {
        match job {
            Job::Autosave => {
                self.model.notify(Severity::Warning, "Autosave does not work", problem.to_string());
            }
            Job::Save { path, .. } if problem.kind == Kind::ChangedOnDisk => {
                self.model.dialog = Some(Dialog::Overwrite(path));
            }
            _ => {
                self.after_save = None;
                self.model.message.clone_from(&problem.title);
                self.model.dialog = Some(Dialog::Problem(Box::new(problem)));
            }
        }
    }

    fn forget_autosave(&self) {
        if let Some(disk) = &self.disk {
            disk.forget_autosave(&self.model.plan().id);
        }
    }

    /// Writes the autosave when the document changed and the last one is old enough.
    pub(crate) fn autosave(&mut self, ctx: &Context) {
        let seconds = ctx.input(|input| input.time);
        let revision = self.model.history.revision();
        let due = seconds - self.autosaved_at >= AUTOSAVE_EVERY_S || self.autosaved_at == 0.0;
        if !self.model.history.is_dirty() || self.autosaved_revision == Some(revision) || !due {
            return;
        }
        let text = file::write(self.model.plan());
        let (id, path) = (self.model.plan().id.clone(), self.model.path().map(Path::to_owned));
        let job = self.disk.as_mut().and_then(|disk| disk.autosave(id, text, path));
        if let Some(job) = job {
            self.jobs.push((job, Job::Autosave));
        }
        self.autosaved_at = seconds;
        self.autosaved_revision = Some(revision);
    }

    pub(crate) fn look_for_recoveries(&mut self) {
        let Some(disk) = &self.disk else { return };
        let found = disk.recoverable();
        for problem in found.skipped {
            self.model.notify(Severity::Warning, "An autosave could not be read", problem.to_string());
        }
        self.model.recoveries = found.offers;
        if !self.model.recoveries.is_empty() {
            self.model.dialog = Some(Dialog::Recoveries);
        }
    }

    fn recover(&mut self, index: usize) {
        let Some(recovery) = self.model.recoveries.get(index).cloned() else { return };
        let id = self.disk.as_mut().and_then(|disk| disk.recover(recovery));
        self.track(id, Job::Recover);
    }

    fn discard(&mut self, index: usize) {
        if index < self.model.recoveries.len() {
            self.model.recoveries.remove(index).discard();
        }
        if self.model.recoveries.is_empty() {
            self.model.dialog = None;
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
