//! Tick boxes, radio buttons and switches.

use egui::{Align2, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};

use super::Look;
use crate::icon;
use crate::paint::{Line, focus_ring, framed};
use crate::theme::{Tokens, Type, size};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Box,
    Dot,
    Switch,
}

/// A box that is ticked or not. The response is `changed` after a click.
pub fn checkbox(ui: &mut Ui, text: &str, on: &mut bool) -> Response {
    let mut response = toggle(ui, Kind::Box, text, *on);
    if response.clicked() {
        *on = !*on;
        response.mark_changed();
    }
    response
}

/// One of several that exclude each other; `clicked` asks for it to become the one.
pub fn radio(ui: &mut Ui, text: &str, on: bool) -> Response {
    toggle(ui, Kind::Dot, text, on)
}

/// A setting that acts at once. The response is `changed` after a click.
pub fn switch(ui: &mut Ui, text: &str, on: &mut bool) -> Response {
    let mut response = toggle(ui, Kind::Switch, text, *on);
    if response.clicked() {
        *on = !*on;
        response.mark_changed();
    }
    response
}

fn toggle(ui: &mut Ui, kind: Kind, text: &str, on: bool) -> Response {
    const GAP: f32 = 6.0;
    let t = Tokens::of(ui.ctx());
    let mark = vec2(if kind == Kind::Switch { 28.0 } else { 16.0 }, 16.0);
    let words = Line::new(text, Type::Secondary, if ui.is_enabled() { t.text1 } else { t.text3 });
    let wanted = vec2((mark.x + GAP + words.width(ui.painter())).ceil(), size::CONTROL_SMALL);
    let (area, response) = ui.allocate_exact_size(wanted, Sense::click());
    let role = match kind {
        Kind::Box => Role::CheckBox,
        Kind::Dot => Role::RadioButton,
        Kind::Switch => Role::Switch,
    };
    response.widget_info(|| WidgetInfo::selected(role, response.enabled(), on, text));
    let place = Rect::from_min_size(pos2(area.left(), area.center().y - 8.0), mark);
    match kind {
        Kind::Box => paint_box(ui, place, on, &t),
        Kind::Dot => paint_dot(ui, place, on, &t),
        Kind::Switch => paint_switch(ui, place, on, &t),
    }
    if Look::of(&response) == Look::Focused {
        focus_ring(ui.painter(), place, if kind == Kind::Box { size::RADIUS_TAG } else { 8.0 }, &t);
    }
    words.paint(ui.painter(), pos2(place.right() + GAP, area.center().y), Align2::LEFT_CENTER);
    response
}

fn paint_box(ui: &Ui, place: Rect, on: bool, t: &Tokens) {
    if on {
        ui.painter().rect_filled(place, size::RADIUS_TAG, t.accent_fill);
        icon::CHECK.paint(ui.painter(), place.center(), size::ICON_CHIP, t.on_accent);
    } else {
        framed(ui.painter(), place, size::RADIUS_TAG, [t.bg0, t.line3]);
    }
}

fn paint_dot(ui: &Ui, place: Rect, on: bool, t: &Tokens) {
    if on {
        ui.painter().circle_filled(place.center(), 8.0, t.accent_fill);
        ui.painter().circle_filled(place.center(), 3.0, t.on_accent);
    } else {
        framed(ui.painter(), place, 8.0, [t.bg0, t.line3]);
    }
}

fn paint_switch(ui: &Ui, place: Rect, on: bool, t: &Tokens) {
    ui.painter().rect_filled(place, 8.0, if on { t.accent_fill } else { t.line3 });
    let x = if on { place.right() - 8.0 } else { place.left() + 8.0 };
    let knob = Rect::from_center_size(pos2(x, place.center().y), Vec2::splat(12.0));
    ui.painter().circle_filled(knob.center(), 6.0, if on { t.on_accent } else { t.bg1 });
}
