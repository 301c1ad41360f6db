//! The one place that changes the model: obeys intents, and takes in what workers bring.

mod files;
mod scenarios;

use std::path::Path;

use egui::{Context, ViewportCommand};
use planning::edit::Edit;
use planning::history::{Gesture, History};
use planning::plan::{DocumentId, Plan};

use crate::app::{App, Asking};
use crate::command::Command;
use crate::intent::{Intent, Unsaved};
use crate::model::{Dialog, Severity, Then};
use crate::view_state::{RoadmapMode, Selection, View};

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
            Intent::RunScenario(id) => {
                if let Some(scenario) = self.model.plan().scenario(id).cloned() {
                    self.trials.run(&scenario, &self.model.catalog, ctx);
                }
            }
            Intent::StopRun => self.trials.stop(),
            Intent::Hold(moment) => self.view.time.held = moment,
            Intent::OpenFile(path) => self.guard(ctx, Then::Open(path)),
            Intent::SaveNew(path) if path.extension().is_none() => {
                self.obey(ctx, Intent::SaveNew(path.with_extension("ron")));
            }
            Intent::ExportTo(path) if !is_png(&path) => {
                let mut name = path.into_os_string();
                name.push(".png");
                self.obey(ctx, Intent::ExportTo(name.into()));
            }
            Intent::ExportTo(path) if path.exists() => self.model.dialog = Some(Dialog::ReplacePicture(path)),
            Intent::SaveNew(path) if path.exists() => self.model.dialog = Some(Dialog::Replace(path)),
            Intent::SaveTo(path) | Intent::SaveNew(path) => self.save_to(path, true),
            Intent::ExportTo(path) | Intent::ReplacePicture(path) => self.export_to(path),
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
        let label = edit.label().to_owned();
        match planning::edit::apply(&mut self.model.history, edit, gesture) {
            Ok(true) => self.model.message = label,
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
            Command::AddScenario => self.add_scenario(),
            Command::TakeSlice => self.take_slice(),
            Command::RunScenario => {
                if let Some(scenario) = self.chosen_scenario() {
                    self.intents.push(Intent::RunScenario(scenario.id));
                }
            }
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
                let plan = Plan::new(DocumentId(format!("plan-{:x}", self.model.now.unix_s)), "Untitled");
                self.show_document(History::new(plan), None);
            }
            Then::Sample => self.show_document(History::new(planning::sample()), None),
            Then::Open(path) => self.load(path),
            Then::AskOpen => self.ask(Asking::Open),
        }
    }
}

fn is_png(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png"))
}
