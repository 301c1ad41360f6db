//! Pointer and keys of a timeline: zooming, moving, the window in the small map, and the selection.

use egui::{CursorIcon, Id, PointerButton, Response, Role, Sense, Ui, WidgetInfo};

use super::index::Index;
use super::layout::Layout;
use super::model::{Grip, Timeline, TimelineOutput, TimelineState};
use super::time_text;
use crate::ink::{Keys, focus_ring};
use crate::theme::Tokens;

/// Points around an edge of the window that take hold of it.
const EDGE: f32 = 5.0;
/// Points around a span that still count as on it.
pub(super) const REACH: f32 = 2.0;
/// Share of the view that a page key moves.
const PAGE: f64 = 0.8;

/// Wheel zooms at the pointer, Shift or sideways moves, a drag moves, a double click frames a span or everything.
pub(super) fn navigate(response: &Response, model: &Timeline, layout: &Layout, state: &mut TimelineState) {
    if response.dragged() {
        state.pan(-f64::from(response.drag_delta().x / layout.chart.width()));
    }
    let Some(pointer) = response.hover_pos() else { return };
    let (scroll, pinch, shift) =
        response.ctx.input(|input| (input.smooth_scroll_delta(), input.zoom_delta(), input.modifiers.shift));
    let sideways = if shift && scroll.x == 0.0 { scroll.y } else { scroll.x };
    if sideways != 0.0 {
        state.pan(-f64::from(sideways / layout.chart.width()));
    }
    let factor = if shift { pinch } else { pinch * libm::expf(scroll.y * 0.004) };
    if factor != 1.0 {
        let ruler = if layout.map.contains(pointer) { &layout.whole } else { &layout.ruler };
        let share = (ruler.moment(pointer.x) / model.total_s - state.view[0]) / (state.view[1] - state.view[0]);
        state.zoom(f64::from(factor), share.clamp(0.0, 1.0));
    }
}

/// Drags in the small map move the window, its edges, or draw a new one; a click centres it.
pub(super) fn map(ui: &Ui, id: Id, (model, layout): (&Timeline, &Layout), state: &mut TimelineState) {
    let held = ui.interact(layout.map.expand(3.0), id.with("map"), Sense::click_and_drag());
    held.widget_info(|| WidgetInfo {
        current_text_value: Some(view_text(model, state)),
        ..WidgetInfo::labeled(Role::ScrollBar, true, format!("Part of {} in view", model.name))
    });
    if held.clicked() {
        held.request_focus();
    }
    keys(ui, &held, (model, None), state);
    if held.has_focus() {
        focus_ring(ui.painter(), layout.map, &Tokens::of(ui.ctx()));
    }
    grips(ui, &held, (model, layout), state);
}

/// Takes hold of the window and moves it.
fn grips(ui: &Ui, held: &Response, (model, layout): (&Timeline, &Layout), state: &mut TimelineState) {
    let span = state.view[1] - state.view[0];
    let share = |x: f32| (layout.whole.moment(x) / model.total_s).clamp(0.0, 1.0);
    let grip_at = |x: f32| {
        let window = layout.window();
        let wide = window.width() > EDGE * 4.0;
        match x {
            _ if (x - window.left()).abs() <= EDGE && wide => Grip::First,
            _ if (x - window.right()).abs() <= EDGE && wide => Grip::Last,
            _ if window.x_range().expand(EDGE).contains(x) && span < 1.0 => Grip::Window,
            _ => Grip::New(share(x)),
        }
    };
    if let Some(pointer) = held.hover_pos() {
        let icon = match state.grip.unwrap_or_else(|| grip_at(pointer.x)) {
            Grip::First | Grip::Last => CursorIcon::ResizeHorizontal,
            Grip::Window => CursorIcon::Grab,
            Grip::New(_) => CursorIcon::Crosshair,
        };
        ui.ctx().set_cursor_icon(icon);
    }
    if held.drag_started() {
        state.grip = ui.input(|input| input.pointer.press_origin()).map(|p| grip_at(p.x));
    }
    if ui.input(|input| input.key_pressed(egui::Key::Escape)) {
        state.grip = None;
    }
    let Some(pointer) = held.interact_pointer_pos() else { return };
    let at = share(pointer.x);
    match state.grip {
        Some(Grip::First) => state.frame(at.min(state.view[1]), state.view[1]),
        Some(Grip::Last) => state.frame(state.view[0], at.max(state.view[0])),
        Some(Grip::Window) => state.pan(f64::from(held.drag_delta().x / layout.map.width()) / span),
        Some(Grip::New(from)) if (pointer.x - layout.whole.x(from * model.total_s)).abs() > REACH => {
            state.frame(from, at);
        }
        _ if held.clicked() => state.pan((at - f64::midpoint(state.view[0], state.view[1])) / span),
        _ => {}
    }
    if held.drag_stopped() {
        state.grip = None;
    }
}

/// Home shows all, plus and minus zoom, page keys move; arrows walk from span to span where an index is given.
pub(super) fn keys(
    ui: &Ui,
    response: &Response,
    (model, index): (&Timeline, Option<&Index>),
    state: &mut TimelineState,
) -> Keys {
    let keys = Keys::read(ui, response);
    if keys.home {
        state.fit();
    }
    if keys.zoom != 1.0 {
        state.zoom(f64::from(keys.zoom), 0.5);
    }
    state.pan(f64::from(-keys.step[2]) * PAGE);
    let [across, down, _] = keys.step;
    match index {
        None => state.pan(f64::from(across) * 0.1),
        Some(index) if [across, down] != [0, 0] => {
            state.selected = index.neighbour(model, state.selected, [across, down]);
            reveal(model, state);
        }
        Some(_) => {}
    }
    if keys.escape {
        state.selected = None;
    }
    keys
}

/// Moves the view as little as needed to show where the selected span begins, or its middle if it is longer.
fn reveal(model: &Timeline, state: &mut TimelineState) {
    let Some(span) = state.selected.and_then(|id| model.span(id)) else { return };
    let [low, high] = state.view;
    let width = high - low;
    let [from, to] = [span.start_s, span.end_s()].map(|moment| moment / model.total_s);
    let shift = if from < low || from > high {
        f64::midpoint(from, to.min(from + width)) - f64::midpoint(low, high)
    } else {
        0.0
    };
    state.pan(shift / width);
}

/// Clicks select, double clicks frame what is under the pointer or everything.
pub(super) fn clicks(response: &Response, model: &Timeline, state: &mut TimelineState, output: &mut TimelineOutput) {
    if response.clicked_by(PointerButton::Primary) {
        response.request_focus();
        state.selected = output.hovered;
        output.clicked = output.hovered;
        output.clicked_nothing = output.hovered.is_none();
    }
    if response.double_clicked() {
        match output.hovered.and_then(|id| model.span(id)) {
            Some(span) => {
                let margin = span.seconds * 0.1;
                let shares = [span.start_s - margin, span.end_s() + margin].map(|moment| moment / model.total_s);
                state.frame(shares[0], shares[1]);
            }
            None => state.fit(),
        }
    }
}

/// The moments in view as text.
fn view_text(model: &Timeline, state: &TimelineState) -> String {
    let [from, to] = state.view.map(|share| time_text(share * model.total_s));
    format!("{from} to {to}")
}
