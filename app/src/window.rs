//! The native window: eframe's side of the program.

use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(any(feature = "glow", feature = "wgpu"))]
use eframe::Renderer;
use eframe::{CreationContext, Frame, NativeOptions, Storage};
use egui::{Context, ViewportBuilder, ViewportCommand};
use topology::chip::Catalog;

use crate::app::{App, Clock};
use crate::cli::Shown;
use crate::cli::failure::Failure;
use crate::clock::Stopwatch;
use crate::intent::Intent;
use crate::io::dialog::SystemDialogs;
use crate::jobs::Disk;
use crate::model::Severity;
use crate::render;
use crate::view_state::ViewState;

const STATE_KEY: &str = "view";

struct Window {
    app: Option<App>,
}

/// Opens the window on a file, or on the sample; without a display draws pictures instead.
pub fn run(file: Option<&Path>) -> Result<Shown, Failure> {
    let has_display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    if cfg!(all(unix, not(target_os = "macos"))) && !has_display {
        return render::all(file).map(Shown::Pictures);
    }
    // A path from the command line is checked before a window opens, so that a slip is told where it was made.
    if let Some(path) = file {
        crate::document::load(path)?;
    }
    match open(file) {
        Ok(()) => Ok(Shown::Window),
        Err(error) => Err(no_window(&error)),
    }
}

/// OpenGL first, because it starts sooner and costs less without a graphics card; then wgpu, where it is built in.
fn open(file: Option<&Path>) -> Result<(), eframe::Error> {
    #[cfg(feature = "glow")]
    {
        let opened = open_with(file, Renderer::Glow);
        if opened.is_ok() || cfg!(not(feature = "wgpu")) {
            return opened;
        }
    }
    #[cfg(feature = "wgpu")]
    {
        open_with(file, Renderer::Wgpu)
    }
    #[cfg(not(feature = "wgpu"))]
    {
        Err(eframe::Error::AppCreation("this build has neither the feature glow nor wgpu".into()))
    }
}

#[cfg(any(feature = "glow", feature = "wgpu"))]
fn open_with(file: Option<&Path>, renderer: Renderer) -> Result<(), eframe::Error> {
    let viewport = ViewportBuilder::default()
        .with_title("Podium")
        .with_app_id("podium")
        .with_inner_size([1600.0, 1000.0])
        .with_min_inner_size([1180.0, 720.0])
        .with_drag_and_drop(true);
    let persistence_path = crate::io::data_dir().map(|dir| dir.join("window.ron"));
    let options =
        NativeOptions { viewport, renderer, persist_window: true, persistence_path, ..NativeOptions::default() };
    let file = file.map(Path::to_owned);
    eframe::run_native("podium", options, Box::new(move |creation| Ok(Box::new(Window::new(creation, file)))))
}

fn no_window(error: &eframe::Error) -> Failure {
    let what = if cfg!(feature = "glow") { "OpenGL 2.1 or newer" } else { "a graphics driver" };
    Failure::input("no_window", format!("the window could not be opened: {error}")).hint(format!(
        "The window needs a display and {what}. Pictures need neither: podium render --view topology -o topology.png"
    ))
}

impl Window {
    fn new(creation: &CreationContext<'_>, file: Option<PathBuf>) -> Self {
        let ctx = creation.egui_ctx.clone();
        widgets::theme::install(&ctx);
        let waker = ctx.clone();
        let wake: crate::io::worker::Wake = Arc::new(move || waker.request_repaint());
        let mut app = App::new(planning::sample(), Arc::new(Catalog::embedded().clone()), Clock::System);
        if let Some(view) = creation.storage.and_then(|storage| eframe::get_value::<ViewState>(storage, STATE_KEY)) {
            app.view = view.healed();
        }
        let (disk, problem) = Disk::start(crate::io::data_dir().as_deref(), Arc::clone(&wake));
        if let Some(problem) = problem {
            app.model.notify(Severity::Warning, "Autosave does not work", problem.to_string());
        }
        match disk {
            Ok(disk) => app = app.with_disk(disk, Box::new(SystemDialogs::new(wake))),
            Err(error) => app.model.notify(Severity::Error, "Files cannot be opened or saved", error.to_string()),
        }
        if let Some(path) = file {
            app.intents.push(Intent::OpenFile(path));
        }
        Self { app: Some(app) }
    }
}

impl eframe::App for Window {
    fn logic(&mut self, ctx: &Context, _frame: &mut Frame) {
        let Some(app) = self.app.as_mut() else { return };
        app.logic(ctx);
        let dirty = if app.model.history.is_dirty() { "• " } else { "" };
        let title = format!("{dirty}{} – Podium", app.model.document_name());
        if app.title != title {
            ctx.send_viewport_cmd(ViewportCommand::Title(title.clone()));
            app.title = title;
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut Frame) {
        let Some(app) = self.app.as_mut() else { return };
        let watch = Stopwatch::start();
        app.ui(ui);
        app.frame_ms = Some(watch.elapsed().as_secs_f32() * 1e3);
    }

    fn save(&mut self, storage: &mut dyn Storage) {
        if let Some(app) = &self.app {
            eframe::set_value(storage, STATE_KEY, &app.view);
        }
    }

    fn on_exit(&mut self, #[cfg(feature = "glow")] _gl: Option<&eframe::glow::Context>) {
        if let Some(disk) = self.app.take().and_then(|app| app.disk) {
            disk.close();
        }
    }

    fn persist_egui_memory(&self) -> bool {
        false
    }
}
