//! The strip along the lower edge: what happened, what is selected, what it costs.

use egui::Ui;
use topology::units::Byte;
use widgets::shell::{Segment, StatusBar};
use widgets::status::Status;
use widgets::{format, icon};

use crate::app::App;
use crate::model::{Dialog, Severity};
use crate::text::{cube, shape};
use crate::view_state::Selection;

/// Draws the bar.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    let store = &app.model.store;
    let frame = app.frame_ms.map_or_else(|| format::ABSENT.to_owned(), |ms| format!("{ms:.1} ms"));
    let series = format::count(store.series().count() as u64);
    let memory = format::capacity(Byte::new(store.memory_bytes() as f64));
    let unread = app.model.notices.len().to_string();
    let segment = |before, value, after| Segment { icon: None, before, value, after };
    let segments = [
        segment("Frame", &frame, ""),
        segment("", &series, "series"),
        segment("Facts", &memory, ""),
        Segment { icon: Some(icon::BELL), before: "", value: &unread, after: "" },
    ];
    let selection = selection(app);
    let bar = StatusBar { status: status(app), message: &message(app), selection: &selection, segments: &segments };
    if bar.show(ui) == Some(3) {
        app.model.notices.clear();
    }
}

fn status(app: &App) -> Status {
    if matches!(app.model.dialog, Some(Dialog::Problem(_))) {
        return Status::Critical;
    }
    match app.model.notices.last().map(|notice| notice.severity) {
        Some(Severity::Error) => Status::Critical,
        Some(Severity::Warning) => Status::Watch,
        _ if app.feed.is_filling() => Status::Info,
        _ => Status::Ok,
    }
}

fn message(app: &App) -> String {
    if !app.model.message.is_empty() {
        return app.model.message.clone();
    }
    if app.feed.is_filling() { "Simulating the last six hours".to_owned() } else { "Ready".to_owned() }
}

fn selection(app: &App) -> String {
    let selected = match &app.view.selection {
        Selection::None => String::new(),
        Selection::Pod(pod) => format!("Pod {pod}"),
        Selection::Slice(pod, slice) => {
            let found =
                app.model.pod(pod).and_then(|(pod, _)| pod.slices.iter().find(|candidate| candidate.id == *slice));
            let facts = found.map_or_else(String::new, |slice| {
                format!(" · {} · {}", shape(slice.shape), crate::text::n_of(slice.shape.n_chips(), "chip"))
            });
            format!("Slice {slice}{facts}")
        }
        Selection::Cube(_, at) => format!("Cube {}", cube(*at)),
        Selection::Chip(_, at) => format!("Chip {at}"),
        Selection::Item(id) => {
            app.model.plan().roadmap.item(id).map_or_else(String::new, |item| format!("{id} {}", item.title))
        }
        Selection::Gate(name) => format!("Gate {name}"),
    };
    match &app.hover {
        Some(hover) if selected.is_empty() => hover.clone(),
        Some(hover) => format!("{selected}   {hover}"),
        None => selected,
    }
}
