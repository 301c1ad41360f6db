//! Small pieces that many widgets draw: a line of text, a focus ring, the hatch of missing data.

use std::sync::Arc;

use egui::text::{LayoutJob, TextWrapping};
use egui::{
    Align, Align2, Color32, ColorImage, CornerRadius, Galley, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, Vec2,
    pos2, vec2,
};

use crate::theme::{Tokens, Type, size};

/// One line of text that knows its style and colour.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    text: &'a str,
    style: Type,
    color: Color32,
}

impl<'a> Line<'a> {
    /// A line to be painted.
    pub fn new(text: &'a str, style: Type, color: Color32) -> Self {
        Self { text, style, color }
    }

    /// Width in points when nothing is cut.
    pub fn width(self, painter: &Painter) -> f32 {
        painter.layout_no_wrap(self.text.to_owned(), self.style.font(), self.color).size().x
    }

    /// Paints the line with the `anchor` of its box at a place; returns the box.
    pub fn paint(self, painter: &Painter, at: Pos2, anchor: Align2) -> Rect {
        painter.text(at, anchor, self.text, self.style.font(), self.color)
    }

    /// Paints the line in the vertical middle of a box, cut with "…" when it is too long.
    pub fn within(self, painter: &Painter, area: Rect, align: Align) -> Rect {
        let galley = self.elided(painter, area.width());
        let place = Align2([align, Align::Center]).align_size_within_rect(galley.size(), area);
        painter.galley(place.min, galley, self.color);
        place
    }

    fn elided(self, painter: &Painter, width: f32) -> Arc<Galley> {
        let mut job = LayoutJob::simple(self.text.to_owned(), self.style.font(), self.color, width);
        job.wrap =
            TextWrapping { max_width: width, max_rows: 1, break_anywhere: true, overflow_character: Some('…') };
        painter.layout_job(job)
    }
}

/// The ring around what the keyboard acts on: 2 points of accent, 1 point away.
pub fn focus_ring(painter: &Painter, area: Rect, radius: f32, tokens: &Tokens) {
    let gap = 1.0 + size::STROKE_FOCUS;
    let stroke = Stroke::new(size::STROKE_FOCUS, tokens.accent);
    painter.rect_stroke(area.expand(gap), corner(radius + gap), stroke, StrokeKind::Inside);
}

/// A corner radius from points; egui keeps whole ones.
pub fn corner(radius: f32) -> CornerRadius {
    CornerRadius::same(radius.round().clamp(0.0, 255.0) as u8)
}

/// A box with an inside edge.
pub fn framed(painter: &Painter, area: Rect, radius: f32, [fill, edge]: [Color32; 2]) {
    painter.rect(area, corner(radius), fill, Stroke::new(size::STROKE_LINE, edge), StrokeKind::Inside);
}

/// A hairline along the lower edge of a box, inside it.
pub fn underline(painter: &Painter, area: Rect, color: Color32) {
    painter.rect_filled(Rect::from_min_max(pos2(area.left(), area.bottom() - 1.0), area.max), 0.0, color);
}

/// Distance of the lines of the missing hatch, along an axis, in points.
const HATCH_STEP: f32 = 6.0;

/// The sign of missing data: a quiet ground with 45° lines, cut to the box.
pub fn hatch(painter: &Painter, area: Rect, tokens: &Tokens) {
    painter.rect_filled(area, 0.0, tokens.missing);
    painter.extend(hatch_lines(area, Stroke::new(size::STROKE_LINE, tokens.missing_hatch)));
}

/// Lines at 45° that end exactly at the edges of a box. They are anchored to the origin of the
/// screen, so that the hatch runs through when two boxes touch.
pub fn hatch_lines(area: Rect, stroke: Stroke) -> impl Iterator<Item = Shape> {
    // On a line x + y is constant; it crosses the box between these two sums.
    let first = ((area.left() + area.top()) / HATCH_STEP).ceil() as i32;
    let last = ((area.right() + area.bottom()) / HATCH_STEP).floor() as i32;
    (first..=last).map(move |n| {
        let sum = n as f32 * HATCH_STEP;
        let upper = (sum - area.top()).min(area.right());
        let lower = (sum - area.bottom()).max(area.left());
        Shape::line_segment([pos2(upper, sum - upper), pos2(lower, sum - lower)], stroke)
    })
}

/// The missing hatch as a picture of 6 by 6 texels, to be repeated with nearest lookup.
pub fn hatch_image(tokens: &Tokens) -> ColorImage {
    const SIDE: usize = HATCH_STEP as usize;
    let texel = |n: usize| if n % SIDE + n / SIDE == SIDE - 1 { tokens.missing_hatch } else { tokens.missing };
    ColorImage::new([SIDE, SIDE], (0..SIDE * SIDE).map(texel).collect())
}

/// A small filled square of a colour, with the edge that pale colours need on white.
pub fn swatch(painter: &Painter, center: Pos2, color: crate::theme::SliceColor, tokens: &Tokens) {
    let area = Rect::from_center_size(center, Vec2::splat(10.0));
    let edge = color.swatch_edge(tokens).unwrap_or(color.fill);
    framed(painter, area, 2.0, [color.fill, edge]);
    if color.striped {
        let inside = painter.with_clip_rect(area.shrink(0.5));
        for offset in [-3.0, 2.0, 7.0] {
            let start = pos2(area.left() + offset, area.bottom());
            inside.line_segment([start, start + vec2(10.0, -10.0)], Stroke::new(1.5, color.edge()));
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::Theme;

    use super::*;

    /// Protects: no hatch line leaves its box, and every line has 45°.
    #[test]
    fn hatch_lines_stay_inside() {
        let area = Rect::from_min_max(pos2(3.5, 10.0), pos2(20.0, 14.0));
        let lines: Vec<Shape> = hatch_lines(area, Stroke::new(1.0, Color32::WHITE)).collect();
        assert_eq!(lines.len(), 3, "sums of 18, 24 and 30");
        for line in lines {
            let Shape::LineSegment { points: [a, b], .. } = line else { panic!("only lines") };
            assert!(area.expand(1e-3).contains(a) && area.expand(1e-3).contains(b), "{a:?} {b:?}");
            assert!(((a.x - b.x) + (a.y - b.y)).abs() < 1e-3);
        }
    }

    /// Protects: the repeated picture joins to unbroken lines, one texel in each row and column.
    #[test]
    fn the_hatch_picture_has_one_line() {
        let tokens = Tokens::for_theme(Theme::Dark);
        let image = hatch_image(&tokens);
        for n in 0..6 {
            let row = (0..6).filter(|&x| image[(x, n)] == tokens.missing_hatch).count();
            let column = (0..6).filter(|&y| image[(n, y)] == tokens.missing_hatch).count();
            assert_eq!((row, column), (1, 1));
        }
    }
}
