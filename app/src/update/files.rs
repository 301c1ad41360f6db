//! Files: opening, saving, exporting, autosave and recovery; asked of workers, and taken in when they are done.

use std::path::{Path, PathBuf};

use egui::Context;
use planning::file;
use planning::history::History;
use planning::plan::Plan;

use crate::app::{App, Asking};
use crate::document::Loaded;
use crate::intent::Intent;
use crate::io::dialog::{Answer, Filter, Question};
use crate::io::problem::{FileProblem, Kind};
use crate::io::worker::Done;
use crate::jobs::{Disk, Job, Outcome};
use crate::model::{Dialog, OpenFile, Severity};
use crate::render;
use crate::update::is_png;
use crate::view_state::{Selection, View};

/// Seconds between two autosaves of a changing document.
const AUTOSAVE_EVERY_S: f64 = 10.0;

impl App {
    pub(super) fn load(&mut self, path: PathBuf) {
        self.model.message = format!("Opening {}", name_of(&path));
        let id = self.disk.as_mut().and_then(|disk| disk.load(path.clone()));
        self.track(id, Job::Load(path));
    }

    pub(super) fn track(&mut self, id: Option<u64>, job: Job) {
        match id {
            Some(id) => self.jobs.push((id, job)),
            None => self.model.notify(
                Severity::Warning,
                "Too many files are being worked on",
                "Nothing was lost. Try again when the others are done.",
            ),
        }
    }

    pub(super) fn show_document(&mut self, history: History<Plan>, file: Option<OpenFile>) {
        self.forget_autosave();
        self.model.replace(history, file);
        self.view.pod = None;
        self.view.slice = None;
        self.view.selection = Selection::None;
        self.view.time.held = None;
        self.view.topology.torus.camera = widgets::camera::Camera::default();
        self.view.live.pinned = None;
        // Offers of a crashed run stay, whatever is opened meanwhile.
        if self.model.dialog != Some(Dialog::Recoveries) {
            self.model.dialog = None;
        }
        self.autosaved_revision = None;
    }

    pub(super) fn ask(&mut self, asking: Asking) {
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
            // The system's dialog has asked already whether to replace a file.
            (Asking::Export, Answer::Picked(path)) if is_png(&path) => self.export_to(path),
            (Asking::Export, Answer::Picked(path)) => self.intents.push(Intent::ExportTo(path)),
            (_, Answer::Cancelled) => self.after_save = None,
            (Asking::Open, Answer::Unavailable) => self.model.dialog = Some(Dialog::OpenPath(String::new())),
            (Asking::Save, Answer::Unavailable) => self.model.dialog = Some(Dialog::SavePath(String::new())),
            (Asking::Export, Answer::Unavailable) => self.model.dialog = Some(Dialog::ExportPath(String::new())),
        }
    }

    pub(super) fn save(&mut self) {
        match self.model.path().map(Path::to_owned) {
            Some(path) => self.save_to(path, false),
            None => self.ask(Asking::Save),
        }
    }

    /// Saves to a path; `replace` says that the user chose the path now, so whatever lies there may go.
    pub(super) fn save_to(&mut self, path: PathBuf, replace: bool) {
        let expected = match &self.model.file {
            Some(file) if file.path == path && !replace => Some(file.stamp),
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

    pub(super) fn export_to(&mut self, path: PathBuf) {
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
        while let Some(Done { id, result }) = self.disk.as_ref().and_then(Disk::poll) {
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
                    let (original, document) = (recovery.path.clone(), recovery.document.clone());
                    self.show_document(History::unsaved(opened.plan), None);
                    recovery.discard();
                    let detail = original.map_or_else(
                        || "Save it to keep it.".to_owned(),
                        |path| format!("Save it to keep it. It was {}", path.display()),
                    );
                    self.model.notify(Severity::Info, "Recovered unsaved changes", detail);
                    self.model.recoveries.retain(|offer| offer.document != document);
                    let more = !self.model.recoveries.is_empty();
                    self.model.dialog = more.then_some(Dialog::Recoveries);
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
                self.show_document(History::new(plan), file);
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
                self.model.message = format!("Read {name}");
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

    pub(super) fn recover(&mut self, index: usize) {
        let Some(recovery) = self.model.recoveries.get(index).cloned() else { return };
        let id = self.disk.as_mut().and_then(|disk| disk.recover(recovery));
        self.track(id, Job::Recover);
    }

    pub(super) fn discard(&mut self, index: usize) {
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
