//! Painting of columns and cards.

use egui::{Align2, Color32, CornerRadius, Painter, Rect, Stroke, StrokeKind, pos2, vec2};

use super::layout::{ColumnPlace, HEADER};
use super::model::{Card, Column, NoteKind, Tone};
use crate::icon;
use crate::ink::{fitted, measure, words};
use crate::theme::{Tokens, Type};

/// Room inside a card.
const PAD: f32 = 10.0;

fn tone(tone: Tone, plain: Color32, tokens: &Tokens) -> Color32 {
    match tone {
        Tone::Plain => plain,
        Tone::Warn => tokens.warn,
        Tone::Crit => tokens.crit,
    }
}

/// Frame and header of a column; returns where the button to add a card stands.
pub(super) fn column(painter: &Painter, column: &Column, place: &ColumnPlace, tokens: &Tokens) -> Rect {
    let t = tokens;
    let over = column.limit.is_some_and(|limit| column.count > limit);
    let edge = if over { t.warn } else { t.line1 };
    painter.rect_filled(place.frame, 6.0, t.bg0);
    let header = Rect::from_min_size(place.frame.min, vec2(place.frame.width(), HEADER));
    if over {
        let top = CornerRadius { nw: 6, ne: 6, sw: 0, se: 0 };
        painter.rect_filled(header.shrink2(vec2(1.0, 1.0)), top, t.warn_soft);
    }
    painter.rect_stroke(place.frame, 6.0, Stroke::new(1.0, edge), StrokeKind::Inside);
    let add = Rect::from_center_size(pos2(header.right() - 20.0, header.center().y), vec2(24.0, 24.0));
    let (count, style, color) = match column.limit {
        Some(limit) if over => (format!("{} of {limit}", column.count), Type::SecondaryStrong, t.warn),
        Some(limit) => (format!("{} of {limit}", column.count), Type::Secondary, t.text3),
        None => (column.count.to_string(), Type::Secondary, t.text3),
    };
    let y = header.center().y;
    let state = match column.limit {
        Some(_) if over => "over limit",
        Some(limit) if column.count == limit => "at limit",
        _ => "",
    };
    let reserved = measure(painter, &count, style).x + measure(painter, state, Type::Caption).x + 30.0;
    let room =
        Rect::from_min_max(pos2(header.left() + 10.0, header.top()), pos2(add.left() - reserved, header.bottom()));
    let name = fitted(painter, room, 1, &column.name, (Type::SecondaryStrong, t.text1));
    let count = words(painter, pos2(name.right() + 6.0, y), Align2::LEFT_CENTER, &count, style, color);
    let mut x = count.right() + 6.0;
    if over {
        icon::WARNING_FILL.paint(painter, pos2(x + 6.0, y), 12.0, t.warn);
        x += 16.0;
    }
    words(painter, pos2(x, y), Align2::LEFT_CENTER, state, Type::Caption, if over { t.warn } else { t.text3 });
    icon::PLUS.paint(painter, add.center(), 14.0, t.text2);
    add
}

/// The line for cards that are not shown, and the place that a dragged card would take.
pub(super) fn rest(painter: &Painter, column: &Column, place: &ColumnPlace, tokens: &Tokens) {
    if let Some(hole) = place.hole {
        painter.rect(hole, 6.0, tokens.accent_soft, Stroke::new(1.0, tokens.accent), StrokeKind::Inside);
    }
    let more = column.count.saturating_sub(column.cards.len());
    if more > 0 {
        let at = pos2(place.frame.left() + 10.0, place.end + 8.0);
        words(painter, at, Align2::LEFT_CENTER, &format!("{more} more"), Type::Secondary, tokens.text3);
    }
}

/// How a card stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    /// Accent frame.
    pub selected: bool,
    /// Raised ground.
    pub hovered: bool,
}

/// A card.
pub(super) fn card(painter: &Painter, card: &Card, rect: Rect, standing: Standing, tokens: &Tokens) {
    let t = tokens;
    let ground = if standing.hovered { t.bg2 } else { t.bg1 };
    let edge = if standing.selected { Stroke::new(2.0, t.accent) } else { Stroke::new(1.0, t.line1) };
    painter.rect(rect, 6.0, ground, edge, StrokeKind::Inside);
    let inner = rect.shrink2(vec2(PAD, 8.0));
    head(painter, card, inner, t);
    let title = Rect::from_min_size(inner.min + vec2(0.0, 20.0), vec2(inner.width(), 32.0));
    fitted(painter, title, 2, &card.title, (Type::SecondaryMedium, if card.done { t.text2 } else { t.text1 }));
    if let Some(note) = &card.note {
        let y = rect.bottom() - 37.0;
        let color = tone(note.tone, t.text2, t);
        let picture = match note.kind {
            NoteKind::Blocked => icon::PROHIBIT,
            NoteKind::Late => icon::CLOCK,
            NoteKind::Waiting => icon::HOURGLASS_MEDIUM,
        };
        picture.paint(painter, pos2(inner.left() + 6.0, y), 12.0, color);
        let room = Rect::from_min_max(pos2(inner.left() + 16.0, y - 8.0), pos2(inner.right(), y + 8.0));
        fitted(painter, room, 1, &note.text, (Type::Caption, color));
    }
    foot(painter, card, inner.with_min_y(rect.bottom() - 25.0).with_max_y(rect.bottom() - 7.0), t);
}

/// A small text on its own ground; `right` is where it ends.
fn tag(painter: &Painter, text: &str, right: f32, y: f32, with_gate: bool, tokens: &Tokens) -> Rect {
    let mark = if with_gate { 12.0 } else { 0.0 };
    let width = measure(painter, text, Type::Caption).x + 10.0 + mark;
    let rect = Rect::from_min_size(pos2(right - width, y - 8.0), vec2(width, 16.0));
    painter.rect_filled(rect, 3.0, tokens.bg3);
    if with_gate {
        icon::DIAMOND.paint(painter, pos2(rect.left() + 10.0, y), 10.0, tokens.text2);
    }
    words(painter, pos2(rect.right() - 5.0, y), Align2::RIGHT_CENTER, text, Type::Caption, tokens.text2);
    rect
}

/// Key at the left; critical path or tick, and gate, at the right.
fn head(painter: &Painter, card: &Card, inner: Rect, t: &Tokens) {
    let y = inner.top() + 8.0;
    let mut right = inner.right();
    if let Some(gate) = &card.gate {
        right = tag(painter, gate, right, y, true, t).left() - 6.0;
    }
    if card.done {
        icon::CHECK_CIRCLE_FILL.paint(painter, pos2(right - 6.0, y), 12.0, t.ok);
        right -= 18.0;
    } else if card.critical {
        let text = words(painter, pos2(right, y), Align2::RIGHT_CENTER, "critical path", Type::Caption, t.crit);
        icon::WARNING_DIAMOND_FILL.paint(painter, pos2(text.left() - 10.0, y), 12.0, t.crit);
        right = text.left() - 22.0;
    }
    let room = Rect::from_min_max(pos2(inner.left(), y - 8.0), pos2(right, y + 8.0));
    fitted(painter, room, 1, &card.key, (Type::Caption, t.text3));
}

/// Team at the left; date and age at the right.
fn foot(painter: &Painter, card: &Card, row: Rect, t: &Tokens) {
    let y = row.center().y;
    let mut right = row.right();
    if let Some(age) = &card.age {
        let color = if card.done { t.text3 } else { tone(card.age_tone, t.text3, t) };
        let text = words(painter, pos2(right, y), Align2::RIGHT_CENTER, age, Type::Caption, color);
        icon::TIMER.paint(painter, pos2(text.left() - 10.0, y), 12.0, color);
        right = text.left() - 22.0;
    }
    if let Some(date) = &card.date {
        let color = if card.done { t.text2 } else { tone(card.date_tone, t.text2, t) };
        right = words(painter, pos2(right, y), Align2::RIGHT_CENTER, date, Type::Caption, color).left() - 8.0;
    }
    if let Some(team) = &card.team {
        let width = (measure(painter, team, Type::Caption).x + 10.0).min((right - row.left()).max(0.0));
        let ground = Rect::from_min_size(pos2(row.left(), y - 8.0), vec2(width, 16.0));
        painter.rect_filled(ground, 3.0, t.bg3);
        fitted(painter, ground.shrink2(vec2(4.5, 0.0)).expand2(vec2(0.5, 0.0)), 1, team, (Type::Caption, t.text2));
    }
}
