//! What-if: work tried on slices, side by side, before any of it is bought.

mod array;
pub mod derive;
pub mod draft;
mod form;
mod links;
mod outcome;
mod pictures;

use egui::{CentralPanel, Frame, Panel, Ui};
use widgets::theme::{Tokens, size};

use crate::app::App;
use crate::command::Command;

/// Width of the form.
const FORM: f32 = 288.0;
/// Width of the comparison.
const OUTCOME: f32 = 540.0;

/// Draws the view.
pub fn ui(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    side(ui, Panel::left("what-if form"), FORM, |ui| {
        let area = ui.max_rect();
        ui.painter().vline(area.right() - 0.5, area.y_range(), (size::STROKE_LINE, tokens.line1));
        form::ui(app, ui);
    });
    if app.chosen_scenario().is_none() {
        CentralPanel::default().frame(Frame::new().fill(tokens.bg0)).show(ui, |ui| no_scenario(app, ui));
        return;
    }
    let room = ui.available_width();
    // Where there is no room for three columns, the comparison gives way before the timeline does.
    if room > OUTCOME + 300.0 {
        let width = OUTCOME.min((room * 0.44).round());
        side(ui, Panel::right("what-if outcome"), width, |ui| {
            let area = ui.max_rect();
            ui.painter().vline(area.left() + 0.5, area.y_range(), (size::STROKE_LINE, tokens.line1));
            outcome::ui(app, ui);
        });
    }
    CentralPanel::default().frame(Frame::new().fill(tokens.bg0)).show(ui, |ui| pictures::ui(app, ui));
}

fn side(ui: &mut Ui, panel: Panel, width: f32, contents: impl FnOnce(&mut Ui)) {
    let tokens = Tokens::of(ui.ctx());
    panel.exact_size(width).resizable(false).show_separator_line(false).frame(Frame::new().fill(tokens.bg1)).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            contents(ui);
        },
    );
}

fn no_scenario(app: &mut App, ui: &mut Ui) {
    let page = widgets::empty::Empty {
        icon: crate::shell::rail::icon(crate::view_state::View::WhatIf),
        title: "Nothing is tried yet",
        text: "A scenario is a slice with work on it: a matrix product, a sharded one, or a collective. Add one, or \
               select a slice in Topology and press W.",
        actions: &["Add scenario", "Show Topology"],
    };
    match page.show(ui) {
        Some(0) => app.intents.run(Command::AddScenario),
        Some(_) => app.intents.run(Command::Go(crate::view_state::View::Topology)),
        None => {}
    }
}
