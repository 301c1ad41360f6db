//! Which speed operations reach against what their arithmetic per byte allows, on two logarithmic axes.

mod draw;
mod labels;
mod layout;
mod model;
#[cfg(test)]
mod tests;

use egui::{PointerButton, Response, Role, Sense, Ui, WidgetInfo};
use topology::units::Fraction;

use crate::control::segmented;
use crate::format;
use crate::ink::Keys;
use crate::theme::Tokens;
use draw::Frame;
use layout::Layout;
pub use model::*;

/// The choice of traffic, for the head of the panel that the chart stands in.
pub fn tabs(ui: &mut Ui, model: &Roofline, state: &mut RooflineState) -> Response {
    let names: Vec<&str> = model.tabs.iter().map(|tab| tab.name.as_str()).collect();
    let response = segmented(ui, "Roof", &names, &mut state.tab);
    if response.changed() {
        state.selected = None;
    }
    response
}

/// Draws the chart of the chosen tab into the room that is left.
pub fn show(ui: &mut Ui, model: &Roofline, state: &mut RooflineState) -> RooflineOutput {
    let (area, response) = ui.allocate_exact_size(ui.available_size(), Sense::click());
    let mut output = RooflineOutput::default();
    let Some(tab) = model.tabs.get(state.tab).filter(|_| ui.is_rect_visible(area)) else { return output };
    let tokens = Tokens::of(ui.ctx());
    let frame = Frame { model, tab, layout: Layout::new(model, tab, area), response: &response, tokens: &tokens };
    output.hovered = response.hover_pos().and_then(|p| frame.pick(p));
    if response.clicked_by(PointerButton::Primary) {
        response.request_focus();
        state.selected = output.hovered;
        output.clicked = output.hovered;
        output.clicked_nothing = output.hovered.is_none();
    }
    keys(ui, &response, tab, state, &mut output);
    frame.draw(ui, state, &output);
    if let Some(pointer) = response.hover_pos().filter(|_| output.hovered.is_none()) {
        frame.crosshair(ui.painter(), pointer);
    }
    let spoken = describe(model, state.tab, state.selected.filter(|_| response.has_focus()).or(output.hovered));
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(spoken.clone()),
        ..WidgetInfo::labeled(Role::Figure, true, format!("Roofline of {}, {}", model.name, tab.name))
    });
    output
}

/// Arrows walk along the points by intensity, Enter confirms, Escape lets go.
fn keys(ui: &Ui, response: &Response, tab: &Tab, state: &mut RooflineState, output: &mut RooflineOutput) {
    let keys = Keys::read(ui, response);
    if keys.moves() {
        let mut order: Vec<usize> = (0..tab.points.len()).filter(|&n| tab.points[n].has_place()).collect();
        order.sort_by(|&a, &b| tab.points[a].flop_per_byte.total_cmp(&tab.points[b].flop_per_byte));
        let step = (keys.step[0] - keys.step[1]) as isize;
        let place = state.selected.and_then(|selected| order.iter().position(|&n| n == selected));
        let next = place.map_or(0, |place| place.saturating_add_signed(step));
        state.selected = order.get(next.min(order.len().saturating_sub(1))).copied();
    }
    if keys.enter {
        output.clicked = state.selected;
    }
    if keys.escape {
        state.selected = None;
    }
}

/// One sentence about a point, such as "attention, 862 TFLOP/s at 192 FLOP per byte, 61 % of its HBM roof, 12 % of the
/// time"; about the roof for `None`.
pub fn describe(model: &Roofline, tab: usize, point: Option<usize>) -> String {
    let Some(tab) = model.tabs.get(tab) else { return "no roof".to_owned() };
    let rate = |rate| format::si(rate, "FLOP/s");
    let Some(point) = point.and_then(|n| tab.points.get(n)) else {
        let [peak, knee] = [rate(model.peak_flop_per_s), format::number(model.knee(tab))];
        return format!("{} points, peak {peak}, knee at {knee} FLOP per byte", tab.points.len());
    };
    let share = |share| format::percent(Fraction::clamped(share), 0);
    format!(
        "{}, {} at {} FLOP per byte, {} of its {} roof, {} of the time",
        point.name,
        rate(point.flop_per_s),
        format::number(point.flop_per_byte),
        share(point.flop_per_s / model.roof(tab, point.flop_per_byte)),
        tab.name,
        share(point.share)
    )
}
