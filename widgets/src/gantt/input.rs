//! Pointer and keys of a timeline: scrolling, zooming, selecting, and dragging bars.

use egui::{CursorIcon, PointerButton, Rect, Response, Sense, Ui, WidgetInfo, pos2, vec2};

use super::gates::Place;
use super::layout::{LABELS, LANE, Layout, ROW, Row, dates, proposal};
use super::model::{DragState, Gantt, GanttOutput, GanttState, Gate, Grip, Item, Proposal, Slip};
use crate::ink::{Keys, focus_ring};
use crate::theme::Tokens;

/// Points at each end of a bar that change its date instead of moving it.
const END: f32 = 6.0;

/// Wheel over the labels scrolls, over the chart zooms at the pointer; Shift and sideways scrolling move; so does a
/// drag of the ground. Home goes back, plus and minus zoom.
pub(super) fn navigate(ui: &Ui, response: &Response, model: &Gantt, state: &mut GanttState, area: Rect) {
    if response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Middle) {
        let delta = response.drag_delta();
        state.scroll_x -= delta.x;
        state.scroll_y -= delta.y;
    }
    if response.clicked() {
        response.request_focus();
    }
    let layout = Layout::new(model, state, area);
    let keys = Keys::read(ui, response);
    if keys.home {
        *state = GanttState { folded: std::mem::take(&mut state.folded), ..GanttState::default() };
    }
    if keys.zoom != 1.0 {
        layout.zoom(state, keys.zoom, layout.chart.center().x);
    }
    state.scroll_x += keys.step[0] as f32 * state.month_width;
    state.scroll_y += keys.step[1] as f32 * ROW;
    let Some(pointer) =
        ui.input(|input| input.pointer.hover_pos()).filter(|&p| ui.rect_contains_pointer(area) && area.contains(p))
    else {
        return;
    };
    let (scroll, pinch, shift) =
        ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta(), input.modifiers.shift));
    if pinch != 1.0 {
        layout.zoom(state, pinch, pointer.x.max(layout.chart.left()));
    }
    if shift && scroll.x == 0.0 {
        state.scroll_x -= scroll.y;
        return;
    }
    state.scroll_x -= scroll.x;
    if pointer.x < area.left() + LABELS {
        state.scroll_y -= scroll.y;
    } else if scroll.y != 0.0 {
        layout.zoom(state, libm::expf(scroll.y * 0.004), pointer.x);
    }
}

/// Lane headers fold; labels and bars are selected; bars are dragged.
pub(super) fn rows(ui: &mut Ui, model: &Gantt, state: &mut GanttState, layout: &Layout, output: &mut GanttOutput) {
    if ui.input(|input| input.key_pressed(egui::Key::Escape)) {
        state.drag = None;
    }
    for &(row, top) in &layout.rows {
        match row {
            Row::Lane(n) => fold(ui, layout, (&model.lanes[n].name, top), state),
            Row::Item(lane, n) => {
                let Some(item) = model.lanes.get(lane).and_then(|lane| lane.items.get(n)) else { continue };
                let label =
                    Rect::from_min_size(pos2(layout.area.left(), top), vec2(LABELS, ROW)).intersect(layout.body);
                if label.is_positive() {
                    let id = ui.scope_id().with(("gantt label", item.id));
                    let response = ui.interact(label, id, Sense::click());
                    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &item.name));
                    selects(&response, item.id, output);
                    bar(ui, layout, (item, top), state, output);
                }
            }
        }
    }
}

fn fold(ui: &Ui, layout: &Layout, (name, top): (&String, f32), state: &mut GanttState) {
    let rect = Rect::from_min_size(pos2(layout.area.left(), top), vec2(LABELS, LANE)).intersect(layout.body);
    if !rect.is_positive() {
        return;
    }
    let response = ui.interact(rect, ui.scope_id().with(("gantt lane", name)), Sense::click());
    let folded = state.folded.iter().position(|other| other == name);
    response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, folded.is_none(), format!("Lane {name}")));
    if response.clicked() {
        match folded {
            Some(at) => drop(state.folded.remove(at)),
            None => state.folded.push(name.clone()),
        }
    }
}

fn selects(response: &Response, id: u64, output: &mut GanttOutput) {
    if response.contains_pointer() {
        output.hovered = Some(id);
    }
    if response.clicked() {
        output.clicked = Some(id);
        output.clicked_nothing = false;
    }
    if response.double_clicked() {
        output.double_clicked = Some(id);
    }
}

/// A bar: drag its body or an end, or move it by keys.
fn bar(ui: &Ui, layout: &Layout, (item, top): (&Item, f32), state: &mut GanttState, output: &mut GanttOutput) {
    let room = Rect::from_min_max(pos2(layout.chart.left(), layout.body.top()), layout.body.max);
    let whole = layout.bar([item.start, item.end], top + ROW / 2.0);
    let held = state.drag.is_some_and(|drag| drag.item == item.id);
    let rect = whole.expand2(vec2(3.0, 5.0)).intersect(room);
    if !rect.is_positive() && !held {
        return;
    }
    let response = ui.interact(rect, ui.scope_id().with(("gantt bar", item.id)), Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::ListItem, true, describe(item)));
    selects(&response, item.id, output);
    if response.clicked() {
        response.request_focus();
    }
    let origin = ui.input(|input| input.pointer.press_origin()).or(response.hover_pos());
    if response.drag_started() {
        let points = response.total_drag_delta().map_or(0.0, |delta| delta.x) - response.drag_delta().x;
        let grip = origin.map_or(Grip::Body, |p| grip_at(whole, p.x));
        state.drag = Some(DragState { item: item.id, grip, points, from: [item.start, item.end] });
        output.clicked = Some(item.id);
    }
    drag(ui, &response, layout.day, state, output);
    let keys = Keys::read(ui, &response);
    if keys.step[0] != 0 {
        let (start, end) = (item.start.plus(keys.step[0]), item.end.plus(keys.step[0]));
        output.commit = Some(Proposal { item: item.id, start, end, alone: ui.input(|input| input.modifiers.alt) });
    }
    if keys.enter {
        output.clicked = Some(item.id);
    }
    if let Some(p) = response.hover_pos() {
        let cursor = if grip_at(whole, p.x) == Grip::Body { CursorIcon::Grab } else { CursorIcon::ResizeHorizontal };
        ui.set_cursor_icon(cursor);
    }
    if response.has_focus() {
        let shown = layout.bar(dates(item, output.preview.as_ref()), top + ROW / 2.0);
        focus_ring(&ui.painter().with_clip_rect(room), shown, &Tokens::of(ui.ctx()));
    }
}

/// Which part of a bar lies at `x`; in the middle of a short bar there is always room for the body.
fn grip_at(bar: Rect, x: f32) -> Grip {
    let end = END.min(bar.width() / 3.0);
    if x < bar.left() + end {
        Grip::Start
    } else if x > bar.right() - end {
        Grip::End
    } else {
        Grip::Body
    }
}

fn drag(ui: &Ui, response: &Response, points_per_day: f32, state: &mut GanttState, output: &mut GanttOutput) {
    let Some(drag) = state.drag.as_mut().filter(|_| response.dragged() || response.drag_stopped()) else { return };
    drag.points += response.drag_delta().x;
    let wish = proposal(drag, points_per_day, ui.input(|input| input.modifiers.alt));
    if response.drag_stopped() {
        output.commit = ([wish.start, wish.end] != drag.from).then_some(wish);
        state.drag = None;
    } else {
        output.preview = Some(wish);
    }
}

/// Gates are selected.
pub(super) fn gates(ui: &Ui, (model, layout): (&Gantt, &Layout), places: &[Place], output: &mut GanttOutput) {
    for (gate, place) in model.gates.iter().zip(places) {
        let rect = Rect::from_center_size(place.center, vec2(24.0, 24.0)).union(place.name).intersect(layout.chart);
        if !rect.is_positive() {
            continue;
        }
        let response = ui.interact(rect, ui.scope_id().with(("gantt gate", gate.id)), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(egui::Role::ListItem, true, describe_gate(gate)));
        selects(&response, gate.id, output);
        if response.has_focus() {
            focus_ring(ui.painter(), rect, &Tokens::of(ui.ctx()));
        }
    }
}

/// A bar in words.
fn describe(item: &Item) -> String {
    let mut text = format!("{}, {} percent, due {}", item.name, item.percent, item.end);
    if item.p85.is_some() {
        text.push_str(" at P50");
    }
    let late = item.baseline.map_or(0, |[_, end]| item.end.0 - end.0);
    if late != 0 {
        let side = if late > 0 { "after" } else { "before" };
        text = format!("{text}, {} days {side} baseline", late.abs());
    }
    if item.critical {
        text.push_str(", on the critical path");
    }
    text
}

fn describe_gate(gate: &Gate) -> String {
    let state = match (gate.passed, gate.slip) {
        (true, _) => "passed",
        (false, Slip::None) => "expected",
        (false, _) => "late, expected",
    };
    format!("Gate {}, {state} {}", gate.name, gate.day)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: a short bar can still be moved, a long one can be stretched.
    #[test]
    fn every_bar_has_a_body_and_two_ends() {
        for width in [3.0, 9.0, 200.0] {
            let bar = Rect::from_min_size(pos2(0.0, 0.0), vec2(width, 13.0));
            assert_eq!(grip_at(bar, 0.2), Grip::Start, "{width}");
            assert_eq!(grip_at(bar, width / 2.0), Grip::Body, "{width}");
            assert_eq!(grip_at(bar, width - 0.2), Grip::End, "{width}");
        }
    }
}
