//! Values of many units over time, as a map of colours.
//!
//! The map is one texture with a texel per cell (per bucket where there are more columns than
//! points), made anew only when the values, the view or the theme change.

mod draw;
mod layout;
mod model;
mod sample;
#[cfg(test)]
mod tests;

use egui::{Rect, Response, Sense, Ui, WidgetInfo, vec2};

use crate::ink::{Keys, stepped};
use crate::theme::Tokens;
use layout::Layout;
pub use model::*;

/// Least part of all columns that zooming may show.
const LEAST_VIEW: f32 = 0.01;
/// A drag over fewer points than this is a click.
const LEAST_DRAG: f32 = 6.0;

/// Draws a heat map into the room that is left; taller than that if rows would become too thin to tell apart.
pub fn show(ui: &mut Ui, model: &Heatmap, state: &mut HeatmapState) -> HeatmapOutput {
    let size = vec2(ui.available_width(), ui.available_height().max(layout::least_height(model)));
    let (area, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let mut output = HeatmapOutput::default();
    if model.columns == 0 || model.rows == 0 || !ui.is_rect_visible(area) {
        return output;
    }
    zoom(ui, &response, model, state, area);
    let layout = Layout::new(model, state, area);
    output.hovered = response.hover_pos().and_then(|p| layout.cell(p));
    output.hovered_value = output.hovered.and_then(|cell| value(model, cell));
    if response.clicked() {
        response.request_focus();
        state.focus = output.hovered;
        output.clicked = output.hovered;
    }
    keys(ui, &response, model, state, &mut output);
    drag(ui, &response, &layout, state, &mut output);
    draw::draw(ui, &draw::Frame { model, layout, response: &response, tokens: &Tokens::of(ui.ctx()), state, output });
    let spoken = describe(model, state.focus.filter(|_| response.has_focus()).or(output.hovered));
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(spoken.clone()),
        ..WidgetInfo::labeled(egui::Role::Grid, true, &model.name)
    });
    output
}

/// One sentence about a cell, or a summary of all for `None`.
pub fn describe(model: &Heatmap, cell: Option<(usize, usize)>) -> String {
    let Some((column, row)) = cell else {
        let missing = model.values.iter().filter(|value| value.is_none()).count();
        return format!("{} units, {} steps, {missing} values missing", model.rows, model.columns);
    };
    let name = model.row_names.get(row).map_or("unit", String::as_str);
    match value(model, (column, row)) {
        Some(value) => format!("{name}, step {column}, value {value}"),
        None => format!("{name}, step {column}, no sample"),
    }
}

fn value(model: &Heatmap, (column, row): (usize, usize)) -> Option<f32> {
    model.values.get(row * model.columns + column).copied().flatten()
}

/// Wheel zooms at the pointer, sideways scroll moves, double click shows everything.
fn zoom(ui: &Ui, response: &Response, model: &Heatmap, state: &mut HeatmapState, area: Rect) {
    if response.double_clicked() {
        state.view = [0.0, 1.0];
    }
    let Some(pointer) = response.hover_pos() else { return };
    let (scroll, pinch, all) =
        ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta(), input.modifiers.shift));
    let layout = Layout::new(model, state, area);
    let sideways = if all && scroll.x == 0.0 { scroll.y } else { scroll.x };
    let factor = if all { 1.0 } else { pinch * libm::expf(scroll.y * 0.004) };
    let [low, high] = state.view;
    let span = high - low;
    let share = ((pointer.x - layout.map.left()) / layout.map.width()).clamp(0.0, 1.0);
    let new_span = (span / factor).clamp(LEAST_VIEW, 1.0);
    let moved = -sideways / layout.map.width() * span;
    let low = (low + (span - new_span) * share + moved).clamp(0.0, 1.0 - new_span);
    state.view = [low, low + new_span];
}

fn keys(ui: &Ui, response: &Response, model: &Heatmap, state: &mut HeatmapState, output: &mut HeatmapOutput) {
    let keys = Keys::read(ui, response);
    if keys.home {
        state.view = [0.0, 1.0];
    }
    if keys.zoom != 1.0 {
        let [low, high] = state.view;
        let (middle, half) = (f32::midpoint(low, high), ((high - low) / keys.zoom / 2.0).clamp(LEAST_VIEW / 2.0, 0.5));
        let low = (middle - half).clamp(0.0, 1.0 - half * 2.0);
        state.view = [low, low + half * 2.0];
    }
    if keys.moves() {
        let (column, row) = state.focus.unwrap_or_default();
        let step = |at: usize, step: i32, n: usize| usize::from(stepped(at as u16, step, n as u16));
        state.focus = Some((step(column, keys.step[0], model.columns), step(row, keys.step[1], model.rows)));
    }
    if keys.enter {
        output.clicked = state.focus.or(output.clicked);
    }
    if keys.escape {
        state.range_from = None;
    }
}

/// A drag along the time axis marks a range and zooms to it when it ends.
fn drag(ui: &Ui, response: &Response, layout: &Layout, state: &mut HeatmapState, output: &mut HeatmapOutput) {
    if response.drag_started() {
        state.range_from = ui.input(|input| input.pointer.press_origin()).map(|p| layout.column(p.x));
    }
    let (Some(from), Some(pointer)) = (state.range_from, response.interact_pointer_pos()) else { return };
    if response.drag_stopped() {
        state.range_from = None;
        let to = layout.column(pointer.x);
        let wide = (layout.x(from as f32) - pointer.x).abs() >= LEAST_DRAG;
        if wide {
            let range = [from.min(to), from.max(to) + 1];
            let columns = layout.map.width() / (layout.x(1.0) - layout.x(0.0)) / (state.view[1] - state.view[0]);
            state.view = range.map(|column| column as f32 / columns.max(1.0));
            output.range = Some(range);
        }
    }
}
