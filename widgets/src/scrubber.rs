//! The time scrubber: where in the range the picture stands, with alerts and gaps.

use egui::{Key, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::paint::{focus_ring, hatch};
use crate::theme::{Tokens, size};

/// A stretch of time from the oldest (0) to the newest (1) sample.
#[derive(Debug, Clone, Copy)]
#[must_use = "a scrubber does nothing until it is shown"]
pub struct Scrubber<'a> {
    /// Where the picture stands, 0 to 1.
    pub position: f32,
    /// The picture follows the newest sample.
    pub live: bool,
    /// Where alerts began.
    pub alerts: &'a [f32],
    /// Stretches without samples.
    pub gaps: &'a [[f32; 2]],
    /// One sample, for the arrow keys.
    pub step: f32,
    /// The time at the handle in words, such as "10:42:18".
    pub clock: &'a str,
}

/// What the user did with a scrubber.
pub struct Scrubbed {
    /// The whole area.
    pub response: Response,
    /// The position to go to, 0 to 1.
    pub position: Option<f32>,
}

const HANDLE: egui::Vec2 = vec2(10.0, 14.0);

impl Scrubber<'_> {
    /// Shows the scrubber, `width` points wide and 24 high.
    pub fn show(self, ui: &mut Ui, width: f32) -> Scrubbed {
        let t = Tokens::of(ui.ctx());
        let (area, response) = ui.allocate_exact_size(vec2(width, size::CONTROL_SMALL), Sense::click_and_drag());
        let name = format!("Time, {}", self.clock);
        response.widget_info(|| WidgetInfo::slider(response.enabled(), f64::from(self.position), &name));
        ui.accesskit_node_builder(response.id, |node| {
            node.set_role(Role::Slider);
            node.set_min_numeric_value(0.0);
            node.set_max_numeric_value(1.0);
        });
        let track = Rect::from_min_size(area.min + vec2(0.0, 10.0), vec2(width, 4.0));
        let position = self.moved(ui, &response, track);
        self.paint(ui, &response, track, &t);
        Scrubbed { response, position }
    }

    fn moved(&self, ui: &Ui, response: &Response, track: Rect) -> Option<f32> {
        if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked()) {
            return Some(((pointer.x - track.left()) / track.width()).clamp(0.0, 1.0));
        }
        if !response.has_focus() {
            return None;
        }
        let pressed = |key| ui.input(|input| input.key_pressed(key));
        if pressed(Key::Home) {
            Some(0.0)
        } else if pressed(Key::End) {
            Some(1.0)
        } else {
            let steps = f32::from(i8::from(pressed(Key::ArrowRight)) - i8::from(pressed(Key::ArrowLeft)));
            (steps != 0.0).then(|| (self.position + steps * self.step).clamp(0.0, 1.0))
        }
    }

    fn paint(&self, ui: &Ui, response: &Response, track: Rect, t: &Tokens) {
        let painter = ui.painter();
        let x = |fraction: f32| track.left() + fraction.clamp(0.0, 1.0) * track.width();
        painter.rect_filled(track, 2.0, t.bg3);
        let past = Rect::from_min_max(track.min, pos2(x(self.position), track.bottom()));
        painter.rect_filled(past, 2.0, t.line3);
        for &[from, to] in self.gaps {
            hatch(painter, Rect::from_min_max(pos2(x(from), track.top()), pos2(x(to), track.bottom())), t);
        }
        for tick in 0..=6_u8 {
            let at = (track.left() + f32::from(tick) / 6.0 * (track.width() - 1.0)).round() + 0.5;
            painter.vline(at, track.top() + 6.0..=track.top() + 10.0, Stroke::new(1.0, t.line2));
        }
        for &alert in self.alerts {
            let tip = pos2(x(alert), track.top() - 1.0);
            let corners: Vec<Pos2> = vec![tip, tip + vec2(-3.5, -6.0), tip + vec2(3.5, -6.0)];
            painter.add(Shape::convex_polygon(corners, t.warn, Stroke::NONE));
        }
        let handle = Rect::from_center_size(pos2(x(self.position).round(), track.center().y), HANDLE);
        painter.rect_filled(handle, size::RADIUS_TAG, if self.live { t.accent } else { t.text1 });
        if response.has_focus() {
            focus_ring(painter, handle, size::RADIUS_TAG, t);
        }
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    /// Protects: one sample a key press, never outside the range, and nothing without focus.
    #[test]
    fn keys_step_by_one_sample() {
        let show = |ui: &mut Ui, position: &mut f32| {
            let scrubber =
                Scrubber { position: *position, live: false, alerts: &[], gaps: &[], step: 0.25, clock: "10:42:18" };
            *position = scrubber.show(ui, 300.0).position.unwrap_or(*position);
        };
        let mut harness = Harness::builder().with_context_setup(crate::theme::install).build_ui_state(show, 0.5);
        harness.key_press(Key::ArrowRight);
        harness.run();
        assert_eq!(*harness.state(), 0.5);
        harness.get_by_label("Time, 10:42:18").focus();
        harness.run();
        for (key, expected) in [
            (Key::ArrowRight, 0.75),
            (Key::ArrowRight, 1.0),
            (Key::ArrowRight, 1.0),
            (Key::ArrowLeft, 0.75),
            (Key::Home, 0.0),
        ] {
            harness.key_press(key);
            harness.run();
            assert_eq!(*harness.state(), expected, "{key:?}");
        }
    }
}
