//! One systolic array at work: cells that load, wait and multiply, cycle by cycle.
//!
//! The cells are one texture with a texel each, made anew only when the cycle, the model or the theme changes.

mod controls;
mod draw;
mod layout;
mod model;
#[cfg(test)]
mod tests;

use egui::{PointerButton, Role, Sense, Ui, WidgetInfo, vec2};

use crate::format;
use crate::theme::{Tokens, size};
use layout::Layout;
pub use model::*;

/// Draws the array with its controls into the room that is left.
pub fn show(ui: &mut Ui, model: &Systolic<'_>, state: &mut SystolicState) -> SystolicOutput {
    let mut output = SystolicOutput::default();
    state.cycle = state.cycle.min(model.cycles.saturating_sub(1));
    advance(ui, model, state);
    let controls = size::CONTROL_SMALL + 8.0;
    let room = ui.available_size() - vec2(0.0, controls + ui.spacing().item_spacing.y);
    let (area, response) = ui.allocate_exact_size(room.max(vec2(1.0, 1.0)), Sense::click());
    output.moved = controls::show(ui, model, state);
    if !ui.is_rect_visible(area) || model.size.contains(&0) {
        return output;
    }
    let layout = Layout::new(model.size, area);
    output.hovered = response.hover_pos().and_then(|p| layout.at(p));
    if response.clicked_by(PointerButton::Primary) {
        output.clicked = output.hovered;
    }
    let tokens = Tokens::of(ui.ctx());
    let frame = draw::Frame { model, layout, cycle: state.cycle, response: &response, tokens: &tokens };
    let census = frame.draw(ui, output.hovered);
    let spoken = describe(model, state.cycle, &census);
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(spoken.clone()),
        ..WidgetInfo::labeled(Role::Canvas, true, format!("Systolic array of {}", model.name))
    });
    output
}

/// Lets time pass while it plays, and asks for the next frame.
fn advance(ui: &Ui, model: &Systolic<'_>, state: &mut SystolicState) {
    if state.playing && !model.reduced_motion {
        state.pass(ui.input(|input| input.stable_dt), model.cycles);
        ui.ctx().request_repaint();
    }
}

/// One sentence about a cycle: "128×128 cells, fold 3 of 12, stream, cycle 412 of 1,280, 63 % busy".
fn describe(model: &Systolic<'_>, cycle: u64, census: &draw::Census) -> String {
    let [rows, columns] = model.size;
    let phase = model.phase(cycle).and_then(|n| model.phases.get(n));
    let phase = phase.map_or(String::new(), |phase| {
        format!("fold {} of {}, {}, ", format::count(phase.fold + 1), format::count(model.folds), phase.name)
    });
    let [cycle, cycles] = [cycle + 1, model.cycles].map(format::count);
    let busy = format::percent(draw::busy_share(census), 0);
    format!("{rows}×{columns} cells, {phase}cycle {cycle} of {cycles}, {busy} busy")
}
