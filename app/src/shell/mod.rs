//! What surrounds every view: rail, top bar, status bar, palette, dialogs, toasts, keys.

mod dialogs;
mod keys;
pub mod palette;
pub mod rail;
mod status_bar;
mod toasts;
mod top_bar;

use egui::{CentralPanel, Frame, Panel, Ui};
use widgets::theme::{Tokens, size};

use crate::app::App;
use crate::views;

/// Draws the whole window.
pub fn ui(app: &mut App, ui: &mut Ui) {
    keys::listen(app, ui);
    let tokens = Tokens::of(ui.ctx());
    ui.spacing_mut().item_spacing = egui::vec2(size::GAP, size::GRID);
    let width = ui.available_width();
    let bare = Frame::new().fill(tokens.bg1);
    Panel::top("top bar")
        .exact_size(size::TOP_BAR)
        .resizable(false)
        .show_separator_line(false)
        .frame(bare)
        .show(ui, |ui| top_bar::ui(app, ui));
    Panel::bottom("status bar")
        .exact_size(size::STATUS_BAR)
        .resizable(false)
        .show_separator_line(false)
        .frame(bare)
        .show(ui, |ui| status_bar::ui(app, ui));
    let narrow = width < 1600.0;
    Panel::left("rail")
        .exact_size(if narrow { size::RAIL_NARROW } else { size::RAIL })
        .resizable(false)
        .show_separator_line(false)
        .frame(bare)
        .show(ui, |ui| rail::ui(app, ui, narrow));
    app.hover = None;
    CentralPanel::default().frame(Frame::new().fill(tokens.bg0)).show(ui, |ui| views::ui(app, ui));
    dialogs::ui(app, ui);
    palette::ui(app, ui.ctx());
    toasts::ui(app, ui.ctx());
    drop_hint(ui);
}

/// While a file hovers over the window, says that it can be dropped.
fn drop_hint(ui: &Ui) {
    if ui.input(|input| input.raw.hovered_files.is_empty()) {
        return;
    }
    let tokens = Tokens::of(ui.ctx());
    let area = ui.content_rect();
    let painter = ui.ctx().layer_painter(egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("drop")));
    painter.rect_filled(area, 0.0, widgets::theme::translucent(tokens.accent_soft, 0.85));
    painter.text(
        area.center(),
        egui::Align2::CENTER_CENTER,
        "Drop to open",
        widgets::theme::Type::Title.font(),
        tokens.text1,
    );
}
