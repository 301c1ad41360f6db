//! Buttons with words, and buttons with a picture only.

use egui::{Align2, Color32, Rect, Response, Role, Sense, Ui, Vec2, Widget, WidgetInfo, pos2, vec2};

use super::Look;
use crate::icon::Icon;
use crate::paint::{Line, focus_ring, framed};
use crate::theme::{Tokens, Type, size};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Primary,
    Secondary,
    Outline,
    Ghost,
    Danger,
}

/// A button with a verb on it, and perhaps an icon.
#[must_use = "a button does nothing until it is added to a Ui"]
pub struct Button<'a> {
    kind: Kind,
    text: &'a str,
    icon: Option<Icon>,
    trailing: Option<Icon>,
    small: bool,
    enabled: bool,
    frozen: Option<Look>,
}

impl<'a> Button<'a> {
    fn new(kind: Kind, text: &'a str) -> Self {
        Self { kind, text, icon: None, trailing: None, small: false, enabled: true, frozen: None }
    }

    /// What the view is for; at most one in a view.
    pub fn primary(text: &'a str) -> Self {
        Self::new(Kind::Primary, text)
    }

    /// The usual button.
    pub fn secondary(text: &'a str) -> Self {
        Self::new(Kind::Secondary, text)
    }

    /// For menus and toggles in headers.
    pub fn outline(text: &'a str) -> Self {
        Self::new(Kind::Outline, text)
    }

    /// The least of all: a word that can be clicked.
    pub fn ghost(text: &'a str) -> Self {
        Self::new(Kind::Ghost, text)
    }

    /// Takes something away.
    pub fn danger(text: &'a str) -> Self {
        Self::new(Kind::Danger, text)
    }

    /// An icon before the words.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// An icon after the words, such as the caret of a menu.
    pub fn trailing(mut self, icon: Icon) -> Self {
        self.trailing = Some(icon);
        self
    }

    /// 24 instead of 28 high, for panel headers.
    pub fn small(mut self) -> Self {
        self.small = true;
        self
    }

    /// Whether it can be used now.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Draws one look whatever the pointer does; for galleries and manuals.
    pub fn frozen(mut self, look: Look) -> Self {
        self.frozen = Some(look);
        self
    }

    fn icon_size(icon: Icon) -> f32 {
        if icon.is_filled() { size::ICON_CHIP } else { size::ICON_SMALL }
    }

    fn paint(&self, ui: &Ui, area: Rect, look: Look) {
        let tokens = Tokens::of(ui.ctx());
        let [ground, edge, ink] = colors(self.kind, look, &tokens);
        framed(ui.painter(), area, size::RADIUS, [ground, edge]);
        if look == Look::Focused {
            focus_ring(ui.painter(), area, size::RADIUS, &tokens);
        }
        let mut x = area.left() + self.padding();
        if let Some(icon) = self.icon {
            let side = Self::icon_size(icon);
            icon.paint(ui.painter(), pos2(x + side / 2.0, area.center().y), side, ink);
            x += side + GAP;
        }
        let words = Line::new(self.text, Type::SecondaryMedium, ink);
        let right = words.paint(ui.painter(), pos2(x, area.center().y), Align2::LEFT_CENTER).right();
        if let Some(icon) = self.trailing {
            icon.paint(ui.painter(), pos2(right + GAP + 6.0, area.center().y), size::ICON_CHIP, ink);
        }
    }

    fn padding(&self) -> f32 {
        if self.small { 8.0 } else { 10.0 }
    }
}

/// Between icon and words.
const GAP: f32 = 6.0;

/// Ground, edge and ink.
fn colors(kind: Kind, look: Look, t: &Tokens) -> [Color32; 3] {
    let clear = Color32::TRANSPARENT;
    let pick = |rest, hovered, pressed| match look {
        Look::Rest | Look::Focused | Look::Disabled => rest,
        Look::Hovered => hovered,
        Look::Pressed => pressed,
    };
    if look == Look::Disabled {
        return [if kind == Kind::Ghost { clear } else { t.bg2 }, clear, t.text3];
    }
    match kind {
        Kind::Primary => [pick(t.accent_fill, t.accent_hover(), t.accent_pressed()), clear, t.on_accent],
        Kind::Secondary => [pick(t.bg3, t.line2, t.line3), clear, t.text1],
        Kind::Outline => [pick(clear, t.bg3, t.line2), t.line2, t.text1],
        Kind::Ghost => [pick(clear, t.bg3, t.line2), clear, pick(t.text2, t.text1, t.text1)],
        Kind::Danger => [pick(t.bg3, t.line2, t.line2), clear, t.crit],
    }
}

impl Widget for Button<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let icons: f32 = self.icon.map_or(0.0, |icon| Self::icon_size(icon) + GAP)
            + self.trailing.map_or(0.0, |_| size::ICON_CHIP + GAP);
        let words = Line::new(self.text, Type::SecondaryMedium, Color32::WHITE).width(ui.painter());
        let height = if self.small { size::CONTROL_SMALL } else { size::CONTROL };
        let wanted = vec2((words + icons + 2.0 * self.padding()).ceil(), height);
        let button = |ui: &mut Ui| {
            let (area, response) = ui.allocate_exact_size(wanted, Sense::click());
            response.widget_info(|| WidgetInfo::labeled(Role::Button, response.enabled(), self.text));
            if ui.is_rect_visible(area) {
                self.paint(ui, area, self.frozen.unwrap_or_else(|| Look::of(&response)));
            }
            response
        };
        if self.enabled { button(ui) } else { ui.add_enabled_ui(false, button).inner }
    }
}

/// A button that shows only a picture; its name is the tooltip and what screen readers say.
#[must_use = "a button does nothing until it is added to a Ui"]
pub struct IconButton<'a> {
    icon: Icon,
    name: &'a str,
    on: bool,
    small: bool,
    enabled: bool,
    frozen: Option<Look>,
}

impl<'a> IconButton<'a> {
    /// A square button of 28 points.
    pub fn new(icon: Icon, name: &'a str) -> Self {
        Self { icon, name, on: false, small: false, enabled: true, frozen: None }
    }

    /// Whether the tool or the switch that it stands for is active.
    pub fn on(mut self, on: bool) -> Self {
        self.on = on;
        self
    }

    /// 24 instead of 28 points.
    pub fn small(mut self) -> Self {
        self.small = true;
        self
    }

    /// Whether it can be used now.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Draws one look whatever the pointer does; for galleries and manuals.
    pub fn frozen(mut self, look: Look) -> Self {
        self.frozen = Some(look);
        self
    }

    fn paint(&self, ui: &Ui, area: Rect, look: Look) {
        let t = Tokens::of(ui.ctx());
        let [ground, ink] = match (look, self.on) {
            (Look::Disabled, _) => [Color32::TRANSPARENT, t.line3],
            (_, true) => [t.accent_soft, t.accent],
            (Look::Hovered, false) => [t.bg3, t.text1],
            (Look::Pressed, false) => [t.line2, t.text1],
            (Look::Rest | Look::Focused, false) => [Color32::TRANSPARENT, t.text2],
        };
        ui.painter().rect_filled(area, size::RADIUS, ground);
        if look == Look::Focused {
            focus_ring(ui.painter(), area, size::RADIUS, &t);
        }
        let side = if self.small { size::ICON_SMALL } else { size::ICON };
        self.icon.paint(ui.painter(), area.center(), side, ink);
    }
}

impl Widget for IconButton<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let side = if self.small { size::CONTROL_SMALL } else { size::CONTROL };
        let button = |ui: &mut Ui| {
            let (area, response) = ui.allocate_exact_size(Vec2::splat(side), Sense::click());
            response.widget_info(|| WidgetInfo::selected(Role::Button, response.enabled(), self.on, self.name));
            if ui.is_rect_visible(area) {
                self.paint(ui, area, self.frozen.unwrap_or_else(|| Look::of(&response)));
            }
            response
        };
        let response = if self.enabled { button(ui) } else { ui.add_enabled_ui(false, button).inner };
        response.on_hover_text(self.name)
    }
}
