//! Facts of the selected item or gate; an item can be renamed, blocked and deleted here.

use egui::{ScrollArea, Ui};
use planning::edit::Edit;
use planning::history::Gesture;
use planning::roadmap::{Gate, Item, days_between};
use topology::units::Fraction;
use widgets::control::{Button, Chip, Field};
use widgets::format;
use widgets::icon;
use widgets::panel::{Meter, Property, meter, section};
use widgets::status::Status;
use widgets::theme::{Tokens, Type, size, text};

use super::derive::{shift, short_date};
use crate::app::App;
use crate::intent::Intent;
use crate::view_state::Selection;

/// Items of the critical path that are listed.
const MOST_CRITICAL: usize = 24;

/// Draws the pane.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    let roadmap = std::sync::Arc::clone(&app.model.plan().roadmap);
    match app.view.selection.clone() {
        Selection::Item(id) if roadmap.item(&id).is_some() => {
            if let Some(item) = roadmap.item(&id) {
                head(
                    ui,
                    &item.id.to_string(),
                    "Item",
                    late(item.is_done(), item.baseline.map(|b| b.finish), item.finish),
                );
                ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| item_ui(app, ui, item));
            }
        }
        Selection::Gate(name) if roadmap.gate(&name).is_some() => {
            if let Some(gate) = roadmap.gate(&name) {
                let shown = gate.passed.or(gate.forecast.map(|forecast| forecast.p50)).or(Some(gate.planned));
                head(ui, &format!("{name} exit"), "Gate", late(gate.passed.is_some(), gate.baseline, shown));
                ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| gate_ui(app, ui, gate));
            }
        }
        _ => {
            head(ui, &roadmap.title, "Roadmap", None);
            overview(app, ui);
        }
    }
}

fn late(done: bool, promised: Option<jiff::civil::Date>, shown: Option<jiff::civil::Date>) -> Option<Status> {
    match (done, promised, shown) {
        (false, Some(promised), Some(shown)) if shown > promised => Some(Status::Watch),
        (true, ..) => Some(Status::Ok),
        _ => None,
    }
}

fn head(ui: &mut Ui, title: &str, kind: &str, status: Option<Status>) {
    let tokens = Tokens::of(ui.ctx());
    super::super::bar(ui, "roadmap inspector head", size::VIEW_HEADER, |ui| {
        ui.label(text(Type::Label, title));
        ui.label(text(Type::Secondary, kind).color(tokens.text3));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(size::PANEL_GAP);
            match status {
                Some(Status::Ok) => {
                    ui.add(Chip::status(Status::Ok, "Done"));
                }
                Some(status) => {
                    ui.add(Chip::status(status, "Late"));
                }
                None => {}
            }
        });
    });
}

fn overview(app: &App, ui: &mut Ui) {
    let roadmap = &app.model.plan().roadmap;
    let today = app.model.now.today;
    section(ui, "Dates", |ui| {
        let done = roadmap.bars().filter(|item| item.is_done()).count();
        Property::new("Items done", &format!("{done} of {}", roadmap.bars().count())).show(ui);
        let late = roadmap
            .bars()
            .filter(|item| !item.is_done() && item.baseline.zip(item.finish).is_some_and(|(b, f)| f > b.finish));
        Property::new("Items after their baseline", &late.count().to_string()).show(ui);
        if let Some(end) = app.model.derived.schedule.as_ref().and_then(|schedule| schedule.end) {
            Property::new("End of the schedule", &short_date(end, today)).show(ui);
        }
    });
    let critical = app.model.derived.schedule.as_ref().map_or(&[][..], |schedule| schedule.critical_path.as_slice());
    section(ui, "Critical path", |ui| {
        let tokens = Tokens::of(ui.ctx());
        for id in critical.iter().take(MOST_CRITICAL) {
            let Some(item) = roadmap.item(id) else { continue };
            let finish = item.finish.map_or_else(|| format::ABSENT.to_owned(), |finish| short_date(finish, today));
            Property::new(&item.title, &finish).show(ui);
        }
        if app.model.derived.schedule.is_some() && critical.is_empty() {
            ui.label(text(Type::Secondary, "Nothing is left to do.").color(tokens.text3));
        } else if critical.is_empty() {
            ui.label(
                text(Type::Secondary, "The dependencies run in a circle, so there is no order of work.")
                    .color(tokens.text3),
            );
        }
    });
}

fn item_ui(app: &mut App, ui: &mut Ui, item: &Item) {
    let today = app.model.now.today;
    let tokens = Tokens::of(ui.ctx());
    section(ui, "Title", |ui| {
        // Every letter goes into the plan at once, so that a save never misses one; all of them are one step.
        let mut title = item.title.clone();
        let response = ui.add(Field::new("Item title", &mut title).width(ui.available_width()));
        let gesture = Gesture(egui::Id::unique(("title", &item.id.0)).value());
        if response.changed() && !title.trim().is_empty() {
            app.intents.push(Intent::EditDuring(gesture, Edit::RenameItem { item: item.id.clone(), title }));
        }
        if response.lost_focus() {
            app.intents.push(Intent::EndGesture);
        }
    });
    section(ui, "Facts", |ui| {
        let dash = || format::ABSENT.to_owned();
        let date = |date: Option<jiff::civil::Date>| date.map_or_else(dash, |date| short_date(date, today));
        Property::new("Team", &item.team.as_ref().map_or_else(dash, ToString::to_string)).show(ui);
        Property::new("Gate", &item.gate.clone().unwrap_or_else(dash)).show(ui);
        Property::new("Start", &date(item.start)).show(ui);
        Property::new("Finish", &date(item.finish)).show(ui);
        Property::new("Baseline", &date(item.baseline.map(|baseline| baseline.finish))).show(ui);
        if let Some((baseline, finish)) = item.baseline.zip(item.finish) {
            Property::new("Shift", &shift(baseline.finish, finish)).show(ui);
        }
        Property::new("Forecast P50", &date(item.forecast.map(|forecast| forecast.p50))).show(ui);
        Property::new("Forecast P85", &date(item.forecast.map(|forecast| forecast.p85))).show(ui);
        let slack = app.model.derived.schedule.as_ref().and_then(|schedule| schedule.item(&item.id));
        if let Some(scheduled) = slack {
            if scheduled.pushed_days > 0 {
                let words = format!("by {}\u{a0}d", scheduled.pushed_days);
                Property::new("Pushed by what it waits for", &words).status(Status::Watch).show(ui);
            }
            Property::new("Slack", &format!("{}\u{a0}d", format::fixed(f64::from(scheduled.slack_days), 0))).show(ui);
        }
        let progress = if item.is_done() { Fraction::ONE } else { item.progress };
        Property::new("Done", &format::percent(progress, 0)).show(ui);
        meter(ui, "Progress", Some(progress), Meter::Plain);
    });
    if let Some(reason) = item.blocked.as_ref().filter(|_| !item.is_done()) {
        section(ui, "Blocked by", |ui| {
            ui.add(egui::Label::new(text(Type::Secondary, reason).color(tokens.crit)).wrap());
        });
    }
    waits_for(app, ui, item);
    ui.add_space(size::PANEL_GAP);
    ui.horizontal(|ui| {
        ui.add_space(size::PANEL_GAP);
        if ui.add(Button::danger("Delete item").icon(icon::TRASH)).clicked() {
            app.intents.push(Intent::Edit(Edit::DeleteItem(item.id.clone())));
            app.intents.push(Intent::Select(Selection::None));
        }
    });
}

fn waits_for(app: &mut App, ui: &mut Ui, item: &Item) {
    if item.depends_on.is_empty() {
        return;
    }
    section(ui, "Waits for", |ui| {
        for dependency in &item.depends_on {
            let title =
                app.model.plan().roadmap.item(&dependency.on).map_or("missing", |on| on.title.as_str()).to_owned();
            if Property::new(&title, &dependency.on.to_string()).explained().show(ui).clicked() {
                app.intents.push(Intent::Select(Selection::Item(dependency.on.clone())));
            }
        }
    });
}

fn gate_ui(app: &mut App, ui: &mut Ui, gate: &Gate) {
    let today = app.model.now.today;
    section(ui, "Dates", |ui| {
        let date = |date| short_date(date, today);
        let dash = || format::ABSENT.to_owned();
        Property::new("Baseline", &gate.baseline.map_or_else(dash, date)).show(ui);
        Property::new("Planned", &date(gate.planned)).show(ui);
        if let Some(passed) = gate.passed {
            Property::new("Passed", &date(passed)).show(ui);
        }
        let with_shift = |to: jiff::civil::Date| match gate.baseline {
            Some(baseline) if days_between(baseline, to) != 0 => format!("{} · {}", date(to), shift(baseline, to)),
            _ => date(to),
        };
        Property::new("Forecast P50", &gate.forecast.map_or_else(dash, |forecast| with_shift(forecast.p50))).show(ui);
        Property::new("Forecast P85", &gate.forecast.map_or_else(dash, |forecast| with_shift(forecast.p85))).show(ui);
        Property::new("Owner", &gate.team.as_ref().map_or_else(dash, ToString::to_string)).show(ui);
    });
    section(ui, "Needs", |ui| {
        for id in &gate.needs {
            let Some(item) = app.model.plan().roadmap.item(id) else { continue };
            let done = item.is_done();
            let row = Property::new(&item.title, if done { "done" } else { "open" });
            let row = if done { row.status(Status::Ok) } else { row.status(Status::Unknown) };
            row.show(ui);
        }
    });
}
