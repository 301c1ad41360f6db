//! The rooms: each view derives a plain model, lets a widget draw it, and pushes intents.

pub mod live;
pub mod pending;
pub mod roadmap;
pub mod topology;
pub mod what_if;

use egui::{Frame, Panel, Ui};
use widgets::theme::{Tokens, size};

use crate::app::App;
use crate::view_state::View;

/// Draws the view that is shown, with its inspector.
pub fn ui(app: &mut App, ui: &mut Ui) {
    match app.view.view {
        View::Topology => topology::ui(app, ui),
        View::Live => live::ui(app, ui),
        View::WhatIf => what_if::ui(app, ui),
        View::Roadmap => roadmap::ui(app, ui),
        other => pending::ui(app, ui, other),
    }
}

/// A pane at the right that explains the selection; absent while it is closed.
fn inspector(app: &mut App, ui: &mut Ui, contents: impl FnOnce(&mut App, &mut Ui)) {
    if !app.view.inspector {
        return;
    }
    let tokens = Tokens::of(ui.ctx());
    Panel::right("inspector")
        .exact_size(size::INSPECTOR)
        .resizable(false)
        .show_separator_line(false)
        .frame(Frame::new().fill(tokens.bg1))
        .show(ui, |ui| {
            let area = ui.max_rect();
            ui.painter().vline(area.left() + 0.5, area.y_range(), (size::STROKE_LINE, tokens.line1));
            ui.spacing_mut().item_spacing.y = 0.0;
            contents(app, ui);
        });
}

/// A bar of controls over a view, `height` points high with a line below.
fn bar<R>(ui: &mut Ui, salt: &'static str, height: f32, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let tokens = Tokens::of(ui.ctx());
    Panel::top(salt)
        .exact_size(height)
        .resizable(false)
        .show_separator_line(false)
        .frame(Frame::new().fill(tokens.bg1))
        .show(ui, |ui| {
            let area = ui.max_rect();
            ui.painter().hline(area.x_range(), area.bottom() - 0.5, (size::STROKE_LINE, tokens.line1));
            ui.horizontal_centered(|ui| {
                ui.add_space(size::PANEL_GAP);
                contents(ui)
            })
            .inner
        })
        .inner
}
