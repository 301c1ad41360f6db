//! Chips, tags and key caps: small grounds with a few words.

use egui::{Align2, Color32, Rect, Response, Role, Sense, Ui, Widget, WidgetInfo, pos2, vec2};

use super::Look;
use crate::icon::{self, Icon};
use crate::paint::{Line, focus_ring, framed};
use crate::status::Status;
use crate::theme::{Tokens, Type, size};

/// A rounded ground with an icon and a word; nothing to click.
#[must_use = "a chip does nothing until it is added to a Ui"]
pub struct Chip<'a> {
    text: &'a str,
    icon: Option<Icon>,
    tone: Tone,
}

#[derive(Clone, Copy)]
enum Tone {
    Plain,
    Accent,
    Status(Status),
}

impl<'a> Chip<'a> {
    /// A neutral chip.
    pub fn new(text: &'a str) -> Self {
        Self { text, icon: None, tone: Tone::Plain }
    }

    /// A state with its shape and colour, and a word that fits the thing.
    pub fn status(status: Status, word: &'a str) -> Self {
        Self { text: word, icon: Some(status.icon()), tone: Tone::Status(status) }
    }

    /// A state with its usual word.
    pub fn plain_status(status: Status) -> Self {
        Self::status(status, status.word())
    }

    /// Something that is switched on, such as "Live".
    pub fn accent(text: &'a str) -> Self {
        Self { text, icon: Some(icon::CIRCLE_FILL), tone: Tone::Accent }
    }

    /// Another icon before the word.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// Ground, edge and ink.
    fn colors(&self, t: &Tokens) -> [Color32; 3] {
        match self.tone {
            Tone::Plain => [t.bg3, Color32::TRANSPARENT, t.text2],
            Tone::Accent => [t.accent_soft, Color32::TRANSPARENT, t.accent],
            Tone::Status(Status::Unknown) => [Color32::TRANSPARENT, t.line2, t.text2],
            Tone::Status(status) => [status.ground(t), Color32::TRANSPARENT, status.color(t)],
        }
    }
}

impl Widget for Chip<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        const PADDING: f32 = 8.0;
        const GAP: f32 = 5.0;
        let tokens = Tokens::of(ui.ctx());
        let [ground, edge, ink] = self.colors(&tokens);
        let words = Line::new(self.text, Type::Caption, ink);
        let side = if self.icon == Some(icon::CIRCLE_FILL) { 8.0 } else { size::ICON_CHIP };
        let icon_width = self.icon.map_or(0.0, |_| side + GAP);
        let wanted = vec2((words.width(ui.painter()) + icon_width + 2.0 * PADDING).ceil(), size::CHIP);
        let (area, response) = ui.allocate_exact_size(wanted, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, self.text));
        framed(ui.painter(), area, size::CHIP / 2.0, [ground, edge]);
        let mut x = area.left() + PADDING;
        if let Some(icon) = self.icon {
            icon.paint(ui.painter(), pos2(x + side / 2.0, area.center().y), side, ink);
            x += side + GAP;
        }
        words.paint(ui.painter(), pos2(x, area.center().y), Align2::LEFT_CENTER);
        response
    }
}

/// Where the numbers come from, how, and how old they are; opens the list of sources.
#[must_use = "a chip does nothing until it is added to a Ui"]
pub struct SourceChip<'a> {
    /// How the source stands: a dot when it is fine, else the shape of the state.
    pub status: Status,
    /// "Simulator", "Prometheus lost", "No source".
    pub name: &'a str,
    /// "live", "4×".
    pub mode: &'a str,
    /// "0.4 s ago", "12 s behind".
    pub age: &'a str,
}

impl Widget for SourceChip<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        const PADDING: f32 = 10.0;
        const GAP: f32 = 6.0;
        let t = Tokens::of(ui.ctx());
        let lost = self.status == Status::Critical;
        let name = Line::new(self.name, Type::CaptionMedium, if lost { t.crit } else { t.text1 });
        let mode = Line::new(self.mode, Type::Caption, t.text2);
        let age = Line::new(self.age, Type::Caption, if lost { t.text2 } else { t.text3 });
        let sign = if self.status == Status::Ok { 6.0 } else { size::ICON_CHIP };
        let pieces: Vec<Line<'_>> = [(name, self.name), (mode, self.mode), (age, self.age)]
            .into_iter()
            .filter_map(|(line, text)| (!text.is_empty()).then_some(line))
            .collect();
        let words: f32 = pieces.iter().map(|line| line.width(ui.painter()) + GAP).sum();
        let wanted = vec2((2.0 * PADDING + sign + GAP + words + size::ICON_CHIP).ceil(), size::CHIP_LARGE);
        let (area, response) = ui.allocate_exact_size(wanted, Sense::click());
        let label = format!("Source: {} {} {}", self.name, self.mode, self.age);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, response.enabled(), label.trim_end()));
        let look = Look::of(&response);
        let ground = match (lost, look) {
            (true, _) => t.crit_soft,
            (false, Look::Hovered | Look::Pressed) => t.line2,
            (false, _) => t.bg3,
        };
        let painter = ui.painter();
        painter.rect_filled(area, size::CHIP_LARGE / 2.0, ground);
        if look == Look::Focused {
            focus_ring(painter, area, size::CHIP_LARGE / 2.0, &t);
        }
        let mut at = pos2(area.left() + PADDING, area.center().y);
        if self.status == Status::Ok {
            painter.circle_filled(at + vec2(3.0, 0.0), 3.0, t.ok);
        } else {
            self.status.icon().paint(painter, at + vec2(sign / 2.0, 0.0), sign, self.status.color(&t));
        }
        at.x += sign + GAP;
        for line in pieces {
            at.x = line.paint(painter, at, Align2::LEFT_CENTER).right() + GAP;
        }
        icon::CARET_DOWN.paint(painter, at + vec2(6.0, 0.0), size::ICON_CHIP, t.text3);
        response
    }
}

/// A square word such as a priority or a kind.
pub fn tag(ui: &mut Ui, text: &str) -> Response {
    small_box(ui, text, 5.0)
}

/// One key of the keyboard.
pub fn key_cap(ui: &mut Ui, key: &str) -> Response {
    small_box(ui, key, 4.0)
}

/// A shortcut such as "Ctrl K" as a row of key caps, split at spaces.
pub fn keys(ui: &mut Ui, shortcut: &str) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.horizontal(|ui| {
            for key in shortcut.split(' ') {
                key_cap(ui, key);
            }
        });
    });
}

/// Width that [`paint_keys`] needs.
pub(crate) fn keys_width(ui: &Ui, shortcut: &str) -> f32 {
    shortcut.split(' ').map(|key| cap_width(ui, key) + 4.0).sum::<f32>() - 4.0
}

/// Key caps painted to the left of a place, without widgets of their own.
pub fn paint_keys(ui: &Ui, shortcut: &str, right_center: egui::Pos2) {
    let mut right = right_center.x;
    for key in shortcut.split(' ').rev() {
        right = paint_cap_at(ui, key, pos2(right, right_center.y)) - 4.0;
    }
}

/// Paints one key cap to the left of a place; returns its left edge.
pub(super) fn paint_cap_at(ui: &Ui, key: &str, right_center: egui::Pos2) -> f32 {
    let cap = vec2(cap_width(ui, key), size::TAG);
    let area = Rect::from_min_size(right_center - vec2(cap.x, cap.y / 2.0), cap);
    paint_cap(ui, key, area);
    area.left()
}

pub(super) fn cap_width(ui: &Ui, key: &str) -> f32 {
    (Line::new(key, Type::Caption, Color32::WHITE).width(ui.painter()) + 8.0).ceil().max(size::TAG)
}

fn paint_cap(ui: &Ui, text: &str, area: Rect) {
    let t = Tokens::of(ui.ctx());
    ui.painter().rect_filled(area, size::RADIUS_TAG, t.bg3);
    Line::new(text, Type::Caption, t.text2).paint(ui.painter(), area.center(), Align2::CENTER_CENTER);
}

fn small_box(ui: &mut Ui, text: &str, padding: f32) -> Response {
    let words = Line::new(text, Type::Caption, Color32::WHITE).width(ui.painter());
    let wanted = vec2((words + 2.0 * padding).ceil().max(size::TAG), size::TAG);
    let (area, response) = ui.allocate_exact_size(wanted, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    paint_cap(ui, text, area);
    response
}
