//! Views as pictures, without a window: for the command line, for exports and for tests.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::{Ui, Vec2};
use image::{ExtendedColorType, ImageEncoder as _, codecs::png::PngEncoder};
use jiff::civil::Date;
use topology::chip::Catalog;
use widgets::raster::{self, Picture};

use crate::app::{App, Clock};
use crate::cli::failure::Failure;
use crate::cli::{self, args};
use crate::clock::Now;
use crate::document::{self, Loaded};
use crate::io::files::save_atomic;
use crate::view_state::{RoadmapMode, Theme, View};

/// The folder of pictures that are made where there is no display.
pub const OUTPUT_DIR: &str = "podium-out";

/// The moment that pictures show: fixed by the document, so that the same document gives the same picture.
///
/// Six hours after the start of its simulation.
pub fn moment_of(plan: &planning::plan::Plan) -> Now {
    let unix_s = plan.live.epoch_unix_seconds + 6 * 3600;
    let timestamp = jiff::Timestamp::from_second(unix_s).unwrap_or_default();
    let today: Date = timestamp.to_zoned_datetime(jiff::tz::TimeZone::UTC).date();
    Now { unix_s, today, offset_s: 0 }
}

/// A program without files and without a moving clock, for pictures of a plan.
pub fn still(plan: planning::plan::Plan) -> App {
    let now = moment_of(&plan);
    let mut app = App::new(plan, Arc::new(Catalog::embedded().clone()), Clock::Fixed(now));
    app.settle();
    app
}

/// Draws the whole window in its present state. `size` in points.
pub fn picture(app: &mut App, size: Vec2, pixels_per_point: f32) -> Picture {
    let theme = app.view.theme.egui();
    raster::render(size, pixels_per_point, theme, |ui: &mut Ui| {
        app.ui(ui);
        app.intents.take();
    })
}

/// The same as the bytes of a PNG file.
pub fn png_of(app: &mut App, size: Vec2, pixels_per_point: f32) -> Result<Vec<u8>, String> {
    encode(&picture(app, size, pixels_per_point))
}

/// PNG bytes of a picture.
pub fn encode(picture: &Picture) -> Result<Vec<u8>, String> {
    let mut bytes = Cursor::new(Vec::new());
    let [width, height] = picture.size.map(|side| side as u32);
    PngEncoder::new(&mut bytes)
        .write_image(&picture.to_rgba(), width, height, ExtendedColorType::Rgba8)
        .map_err(|error| error.to_string())?;
    Ok(bytes.into_inner())
}

/// Shows a view by its name on the command line; "board" is the roadmap as a board.
pub fn show(app: &mut App, name: &str) -> bool {
    if name == "board" {
        app.view.view = View::Roadmap;
        app.view.roadmap.mode = RoadmapMode::Board;
        return true;
    }
    let found = View::ALL.into_iter().find(|view| view.key() == name);
    if let Some(view) = found {
        app.view.view = view;
    }
    found.is_some()
}

/// Whether [`show`] knows a view of this name.
pub fn is_view(name: &str) -> bool {
    name == "board" || View::ALL.iter().any(|view| view.key() == name)
}

/// The answer to a name that is no view's.
pub(crate) fn unknown_view(name: &str) -> Failure {
    let names: Vec<&str> = View::ALL.iter().map(|view| view.key()).chain(["board"]).collect();
    let hint = format!("Views are {}", names.join(", "));
    Failure::usage(format!("there is no view \"{name}\""), "--view").hint(hint)
}

/// `podium render`: a view of a file as PNG bytes.
pub fn command(wanted: &cli::Picture) -> Result<Vec<u8>, Failure> {
    let mut app = still(plan_of(wanted.file.as_deref())?);
    app.view.theme = match wanted.theme {
        args::Theme::Dark => Theme::Dark,
        args::Theme::Light => Theme::Light,
    };
    if !show(&mut app, &wanted.view) {
        return Err(unknown_view(&wanted.view));
    }
    let [width, height] = wanted.size.map(|side| side as f32);
    png_of(&mut app, Vec2::new(width, height), 1.0).map_err(|reason| Failure::input("picture", reason))
}

/// The plan in a file, of any kind that can be shown; the sample without a file.
pub fn plan_of(file: Option<&Path>) -> Result<planning::plan::Plan, Failure> {
    let Some(path) = file else { return Ok(planning::sample()) };
    match document::load(path)? {
        Loaded::Plan { plan, .. } | Loaded::Inventory { plan, .. } => Ok(plan),
        Loaded::Workload { path, .. } => {
            let message = format!("{} is a model configuration, not a plan", path.display());
            Err(Failure::input("not_a_plan", message).hint("Drop it onto the window to list its matrix products"))
        }
    }
}

/// Draws the views that are built into [`OUTPUT_DIR`]; returns the files.
pub fn all(file: Option<&Path>) -> Result<Vec<PathBuf>, Failure> {
    let mut app = still(plan_of(file)?);
    std::fs::create_dir_all(OUTPUT_DIR)
        .map_err(|error| Failure::input("output", format!("{OUTPUT_DIR} cannot be made: {error}")))?;
    let mut written = Vec::new();
    for view in View::BUILT {
        app.view.view = view;
        let bytes =
            png_of(&mut app, Vec2::new(1600.0, 1000.0), 1.0).map_err(|reason| Failure::input("picture", reason))?;
        let path = Path::new(OUTPUT_DIR).join(format!("{}.png", view.key()));
        save_atomic(&path, &bytes, None)?;
        written.push(path);
    }
    Ok(written)
}
