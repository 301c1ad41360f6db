//! The input field: text with a unit, an icon and an error.

use egui::{Align2, Frame, Rect, Response, Stroke, StrokeKind, TextEdit, Ui, UiBuilder, Widget, pos2, vec2};

use super::chip::{cap_width, paint_cap_at};
use crate::icon::{self, Icon};
use crate::paint::{Line, corner};
use crate::theme::{Tokens, Type, size};

/// A line of text to be typed.
#[must_use = "a field does nothing until it is added to a Ui"]
pub struct Field<'a> {
    text: &'a mut String,
    name: &'a str,
    hint: &'a str,
    unit: &'a str,
    error: Option<&'a str>,
    icon: Option<Icon>,
    shortcut: &'a str,
    width: f32,
    small: bool,
}

impl<'a> Field<'a> {
    /// A field for `text`; `name` is what screen readers say and tests look for.
    pub fn new(name: &'a str, text: &'a mut String) -> Self {
        Self { text, name, hint: "", unit: "", error: None, icon: None, shortcut: "", width: 184.0, small: false }
    }

    /// Shown while nothing is typed.
    pub fn hint(mut self, hint: &'a str) -> Self {
        self.hint = hint;
        self
    }

    /// The unit at the right, which may also be typed.
    pub fn unit(mut self, unit: &'a str) -> Self {
        self.unit = unit;
        self
    }

    /// Why the text cannot be used; shown as a red edge, a diamond and a tooltip.
    pub fn error(mut self, error: Option<&'a str>) -> Self {
        self.error = error;
        self
    }

    /// An icon at the left.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// Keys that lead here, shown at the right.
    pub fn shortcut(mut self, shortcut: &'a str) -> Self {
        self.shortcut = shortcut;
        self
    }

    /// Width in points; 184 otherwise.
    pub fn width(mut self, width: f32) -> Self {
        self.width = width;
        self
    }

    /// 24 instead of 28 high.
    pub fn small(mut self) -> Self {
        self.small = true;
        self
    }

    /// Paints what stands beside the text and returns what room is left for it.
    fn sides(&self, ui: &Ui, area: Rect, t: &Tokens) -> Rect {
        const PADDING: f32 = 8.0;
        let mut room = Rect::from_min_max(area.min + vec2(PADDING, 0.0), area.max - vec2(PADDING, 0.0));
        if let Some(icon) = self.icon {
            icon.paint(ui.painter(), pos2(room.left() + 7.0, area.center().y), size::ICON_SMALL, t.text2);
            room.min.x += size::ICON_SMALL + 6.0;
        }
        if self.error.is_some() {
            let center = pos2(room.right() - 7.0, area.center().y);
            icon::WARNING_DIAMOND_FILL.paint(ui.painter(), center, size::ICON_SMALL, t.crit);
            room.max.x -= size::ICON_SMALL + 6.0;
        }
        if !self.shortcut.is_empty() {
            paint_cap_at(ui, self.shortcut, pos2(room.right() + 2.0, area.center().y));
            room.max.x -= cap_width(ui, self.shortcut) + 4.0;
        }
        if !self.unit.is_empty() {
            let unit = Line::new(self.unit, Type::Secondary, t.text3);
            let place = unit.paint(ui.painter(), pos2(room.right(), area.center().y), Align2::RIGHT_CENTER);
            room.max.x = place.left() - 6.0;
        }
        room
    }
}

impl Widget for Field<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let t = Tokens::of(ui.ctx());
        let height = if self.small { size::CONTROL_SMALL } else { size::CONTROL };
        let (_, area) = ui.allocate_space(vec2(self.width, height));
        ui.painter().rect_filled(area, size::RADIUS, t.bg0);
        let room = self.sides(ui, area, &t);
        let (text, name, error) = (self.text, self.name, self.error);
        let mut edit = TextEdit::singleline(text)
            .font(Type::Secondary.font())
            .frame(Frame::NONE)
            .margin(vec2(0.0, 0.0))
            .desired_width(room.width())
            .align(Align2::LEFT_CENTER);
        if !self.hint.is_empty() {
            edit = edit.hint_text(Type::Secondary.text(self.hint).color(t.text3));
        }
        // A child of its own, because a scope would move the cursor of the parent a second time.
        let mut child = ui.new_child(UiBuilder::new().max_rect(room));
        let inner = child.add_sized(room.size(), edit.text_color(t.text1)).accessible_name(name);
        let (width, color) = match (inner.has_focus(), error.is_some()) {
            (_, true) => (1.0, t.crit),
            (true, false) => (size::STROKE_FOCUS, t.accent),
            (false, false) if inner.hovered() => (1.0, t.line3),
            (false, false) => (1.0, t.line2),
        };
        ui.painter().rect_stroke(area, corner(size::RADIUS), Stroke::new(width, color), StrokeKind::Inside);
        match error {
            Some(error) => inner.on_hover_ui(|ui| {
                ui.label(Type::Caption.text(error).color(t.crit));
            }),
            None => inner,
        }
    }
}
