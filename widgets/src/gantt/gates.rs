//! The lane of gates: diamonds with their baseline and their forecast.

use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Vec2, pos2, vec2};

use super::Canvas;
use super::layout::{AXIS, LABELS, Layout};
use super::model::{Gantt, Gate, Slip};
use crate::ink::{measure, words};
use crate::theme::{Tokens, Type};

/// Half the width of a diamond.
const RADIUS: f32 = 8.0;
/// How far a diamond goes down when it would cover the one before.
const DROP: f32 = 13.0;

/// Colour of a slip; `None` when in time.
pub(super) fn slip_color(slip: Slip, tokens: &Tokens) -> Option<Color32> {
    match slip {
        Slip::None => None,
        Slip::Late => Some(tokens.warn),
        Slip::LateAndCritical => Some(tokens.crit),
    }
}

/// A line from P50 to P85 with a tick at its end.
pub(super) fn whisker(painter: &Painter, from: Pos2, to: f32, color: Color32) {
    let stroke = Stroke::new(1.5, color);
    painter.hline(from.x..=to, from.y, stroke);
    painter.vline(to, from.y - 4.0..=from.y + 4.0, stroke);
}

/// A diamond around a centre.
pub(super) fn diamond(painter: &Painter, center: Pos2, radius: f32, fill: Color32, stroke: Stroke) {
    let points = [vec2(0.0, -radius), vec2(radius, 0.0), vec2(0.0, radius), vec2(-radius, 0.0)];
    painter.add(Shape::convex_polygon(points.map(|p| center + p).to_vec(), fill, stroke));
}

/// Where a gate and its name stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// Middle of the diamond.
    pub center: Pos2,
    /// What the name covers.
    pub name: Rect,
}

/// Places of all gates: names never overlap, diamonds never hide each other.
pub(super) fn places(painter: &Painter, layout: &Layout, model: &Gantt) -> Vec<Place> {
    let sizes = model.gates.iter().map(|gate| measure(painter, &gate.name, Type::SecondaryStrong));
    arrange(model.gates.iter().map(|gate| layout.x_end(gate.day)).zip(sizes), layout.area.top() + AXIS)
}

/// From left to right: a name keeps clear of the one before, a diamond drops where it would cover the one before.
fn arrange(gates: impl Iterator<Item = (f32, Vec2)>, top: f32) -> Vec<Place> {
    let mut order: Vec<(usize, (f32, Vec2))> = gates.enumerate().collect();
    order.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let mut places = vec![Place { center: Pos2::ZERO, name: Rect::NOTHING }; order.len()];
    let (mut name_end, mut before) = (f32::NEG_INFINITY, Pos2::new(f32::NEG_INFINITY, 0.0));
    let level = top + 44.0;
    for (n, (x, size)) in order {
        let covers = x - before.x < RADIUS * 2.0 + 2.0 && before.y <= level;
        before = pos2(x, if covers { level + DROP } else { level });
        let left = (x - size.x / 2.0).max(name_end + 9.0);
        let name = Rect::from_min_size(pos2(left, top + 16.0 - size.y / 2.0), size);
        name_end = name.right();
        places[n] = Place { center: before, name };
    }
    places
}

/// The words at the side of the lane.
pub(super) fn label(painter: &Painter, layout: &Layout, tokens: &Tokens) {
    let (left, top) = (layout.area.left() + 12.0, layout.area.top() + AXIS);
    let side = Rect::from_min_size(pos2(layout.area.left(), top), vec2(LABELS, 70.0));
    let painter = painter.with_clip_rect(side);
    words(&painter, pos2(left, top + 20.0), Align2::LEFT_CENTER, "Gates", Type::Label, tokens.text1);
    for (y, text) in [(39.0, "filled done, hollow open"), (54.0, "whisker P50 to P85")] {
        words(&painter, pos2(left, top + y), Align2::LEFT_CENTER, text, Type::Caption, tokens.text3);
    }
}

/// Draws one gate.
pub(super) fn draw(canvas: &Canvas<'_>, gate: &Gate, place: &Place) {
    let Canvas { painter, layout, model, tokens, .. } = canvas;
    let color = slip_color(gate.slip, tokens).unwrap_or(tokens.text1);
    let Place { center, name } = *place;
    if let Some(day) = gate.baseline.filter(|_| model.baseline.is_some()) {
        let at = pos2(layout.x_end(day), layout.area.top() + AXIS + 44.0);
        diamond(painter, at, 5.0, Color32::TRANSPARENT, Stroke::new(1.2, tokens.line3));
    }
    if let Some(p85) = gate.p85.filter(|_| model.show_forecast) {
        whisker(painter, center, layout.x_end(p85), color);
    }
    if (name.center().x - center.x).abs() > 12.0 {
        let foot = pos2(center.x, name.bottom() + 2.0);
        painter.line_segment([foot, center], Stroke::new(1.0, tokens.line3));
    }
    if gate.passed {
        diamond(painter, center, RADIUS, tokens.text1, Stroke::new(1.5, tokens.bg1));
    } else {
        diamond(painter, center, RADIUS, tokens.bg1, Stroke::new(2.0, color));
        painter.circle_filled(center, 2.0, color);
    }
    if model.selected == Some(gate.id) {
        let frame = Rect::from_center_size(center, Vec2::splat(30.0));
        painter.rect_stroke(frame, 4.0, Stroke::new(2.0, tokens.accent), StrokeKind::Middle);
    }
    words(painter, name.left_center(), Align2::LEFT_CENTER, &gate.name, Type::SecondaryStrong, tokens.text1);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: names of close gates stay readable and their diamonds apart.
    #[test]
    fn names_of_close_gates_do_not_overlap() {
        let gates = [(100.0, 50.0), (104.0, 40.0), (130.0, 60.0), (131.0, 30.0), (400.0, 30.0)];
        let places = arrange(gates.iter().map(|&(x, width)| (x, vec2(width, 15.0))), 0.0);
        for (i, a) in places.iter().enumerate() {
            for b in &places[..i] {
                assert!(!a.name.intersects(b.name), "{a:?} {b:?}");
                assert!((a.center - b.center).length() > RADIUS, "{a:?} {b:?}");
            }
        }
    }
}
