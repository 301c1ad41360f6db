//! A value on a line.

use std::ops::RangeInclusive;

use egui::{Key, Rect, Response, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::paint::focus_ring;
use crate::theme::{Tokens, size};

/// A handle on a line of `width` points; arrow keys move it by a hundredth of the range.
///
/// The response is `changed` when the value was.
pub fn slider(ui: &mut Ui, name: &str, value: &mut f32, range: RangeInclusive<f32>, width: f32) -> Response {
    const RADIUS: f32 = 7.0;
    let t = Tokens::of(ui.ctx());
    let (area, mut response) = ui.allocate_exact_size(vec2(width, size::CONTROL_SMALL), Sense::click_and_drag());
    let (low, span) = (*range.start(), range.end() - range.start());
    let rail = Rect::from_center_size(area.center(), vec2(width - 2.0 * RADIUS, 4.0));
    let mut moved = *value;
    if let Some(pointer) = response.interact_pointer_pos() {
        moved = low + span * (pointer.x - rail.left()) / rail.width();
    } else if response.has_focus() {
        let pressed = |key| ui.input(|input| input.key_pressed(key));
        let steps = i8::from(pressed(Key::ArrowRight)) - i8::from(pressed(Key::ArrowLeft));
        moved += f32::from(steps) * span / 100.0;
    }
    let moved = moved.max(low).min(*range.end());
    if moved != *value && span > 0.0 {
        *value = moved;
        response.mark_changed();
    }
    response.widget_info(|| WidgetInfo::slider(response.enabled(), f64::from(*value), name));
    let share = if span > 0.0 { ((*value - low) / span).clamp(0.0, 1.0) } else { 0.0 };
    let center = pos2(rail.left() + share * rail.width(), rail.center().y);
    let (line, handle) = if response.enabled() { (t.accent, t.text1) } else { (t.line3, t.text3) };
    ui.painter().rect_filled(rail.expand2(vec2(RADIUS, 0.0)), 2.0, t.bg3);
    let left = pos2(area.left(), rail.top());
    ui.painter().rect_filled(Rect::from_min_max(left, pos2(center.x, rail.bottom())), 2.0, line);
    ui.painter().circle_filled(center, RADIUS, handle);
    if response.has_focus() {
        focus_ring(ui.painter(), Rect::from_center_size(center, vec2(14.0, 14.0)), RADIUS, &t);
    }
    response
}
