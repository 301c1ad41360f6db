//! Labels that never lie on each other.

use egui::{Align2, Color32, CornerRadius, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2, pos2, vec2};

use crate::ink::{measure, words};
use crate::theme::{Tokens, Type};

/// Least gap between two labels.
const GAP: f32 = 3.0;
/// Steps by which a label moves away from its wish, in heights of a label: nearest first.
const ESCAPES: [f32; 5] = [0.0, 1.1, -1.1, 2.2, -2.2];

/// Keeps account of the room that is taken.
#[derive(Debug, Default)]
pub(super) struct Room {
    bounds: Option<Rect>,
    taken: Vec<Rect>,
}

impl Room {
    /// Room for labels inside `bounds`.
    pub(super) fn new(bounds: Rect) -> Self {
        Self { bounds: Some(bounds), taken: Vec::new() }
    }

    /// Marks a rectangle as taken.
    pub(super) fn take(&mut self, rect: Rect) {
        self.taken.push(rect);
    }

    /// Whether a rectangle is free.
    pub(super) fn is_free(&self, rect: Rect) -> bool {
        let wide = rect.expand(GAP);
        self.taken.iter().all(|taken| !taken.intersects(wide))
    }

    /// A free place for something of `size`, as near to the wished centre as possible; takes it.
    pub(super) fn find(&mut self, center: Pos2, size: Vec2) -> Option<Rect> {
        let mut places = ESCAPES.iter().map(|&step| self.kept_inside(center + vec2(0.0, step * size.y), size));
        let place = places.find(|&rect| self.is_free(rect))?;
        self.take(place);
        Some(place)
    }

    fn kept_inside(&self, center: Pos2, size: Vec2) -> Rect {
        let rect = Rect::from_center_size(center, size);
        let Some(bounds) = self.bounds else { return rect };
        let shift = |low: f32, high: f32, from: f32, to: f32| {
            if low < from {
                from - low
            } else if high > to {
                to - high
            } else {
                0.0
            }
        };
        let x = shift(rect.left(), rect.right(), bounds.left(), bounds.right());
        let y = shift(rect.top(), rect.bottom(), bounds.top(), bounds.bottom());
        let moved = rect.translate(vec2(x, y));
        Rect::from_min_size(pos2(moved.left().round(), moved.top().round()), size)
    }
}

/// A label on a small ground.
#[derive(Debug, Clone)]
pub(super) struct Tag<'a> {
    /// Its text.
    pub text: &'a str,
    /// Colour of the swatch before the text.
    pub swatch: Option<Color32>,
    /// Colour of the frame.
    pub frame: Color32,
}

impl Tag<'_> {
    /// How large it is.
    pub(super) fn size(&self, painter: &Painter) -> Vec2 {
        let swatch = if self.swatch.is_some() { 14.0 } else { 0.0 };
        vec2((measure(painter, self.text, Type::Caption).x + 14.0 + swatch).ceil(), 20.0)
    }

    /// Draws it.
    pub(super) fn draw(&self, painter: &Painter, rect: Rect, tokens: &Tokens) {
        let radius = CornerRadius::same(3);
        painter.rect(rect, radius, tokens.bg2, Stroke::new(1.0, self.frame), StrokeKind::Inside);
        let mut x = rect.left() + 7.0;
        if let Some(color) = self.swatch {
            painter.rect_filled(Rect::from_center_size(pos2(x + 4.0, rect.center().y), Vec2::splat(8.0)), 2.0, color);
            x += 14.0;
        }
        words(painter, pos2(x, rect.center().y), Align2::LEFT_CENTER, self.text, Type::Caption, tokens.text1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_never_overlap_and_stay_inside() {
        let bounds = Rect::from_min_size(Pos2::ZERO, vec2(300.0, 200.0));
        let mut room = Room::new(bounds);
        let size = vec2(90.0, 20.0);
        let placed: Vec<Rect> =
            (0..40).filter_map(|n| room.find(pos2((n * 37 % 320) as f32, (n * 53 % 220) as f32), size)).collect();
        assert!(placed.len() >= 12, "only {} of 40 found room", placed.len());
        for (i, a) in placed.iter().enumerate() {
            assert!(bounds.contains_rect(*a), "{a:?}");
            assert!(placed[..i].iter().all(|b| !a.intersects(*b)), "{a:?}");
        }
    }
}
