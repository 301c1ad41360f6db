//! Where the parts of a heat map stand, and which cell lies under a point.

use egui::{Pos2, Rect, pos2, vec2};

use super::model::{Heatmap, HeatmapState};
use super::sample::Buckets;

/// Room for row labels, for row tags, and for time labels with alerts.
const LEFT: f32 = 92.0;
const RIGHT: f32 = 56.0;
const STRIP_TOP: f32 = 10.0;
const STRIP: f32 = 44.0;
const STRIP_GAP: f32 = 6.0;
const TICKS: f32 = 22.0;
const ALERTS: f32 = 18.0;
/// Least height of a row.
const ROW: f32 = 2.0;

/// Height of everything but the rows.
fn chrome(model: &Heatmap) -> f32 {
    let strip = if model.mean.is_some() { STRIP_TOP + STRIP + STRIP_GAP } else { STRIP_TOP };
    let alerts = if model.alerts.is_empty() { 0.0 } else { ALERTS };
    strip + TICKS + alerts + 4.0
}

/// Least height at which every row can be told apart.
pub(super) fn least_height(model: &Heatmap) -> f32 {
    chrome(model) + model.rows as f32 * ROW
}

/// The parts of one picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// The map itself.
    pub map: Rect,
    /// The strip of the mean.
    pub strip: Rect,
    /// The columns in view.
    pub buckets: Buckets,
    rows: usize,
}

impl Layout {
    pub(super) fn new(model: &Heatmap, state: &HeatmapState, area: Rect) -> Self {
        let top = chrome(model) - TICKS - 4.0 - if model.alerts.is_empty() { 0.0 } else { ALERTS };
        let width = (area.width() - LEFT - RIGHT).max(1.0).floor();
        let height = (area.height() - chrome(model)).floor().max(model.rows as f32 * ROW);
        let corner = pos2((area.left() + LEFT).round(), (area.top() + top).round());
        let map = Rect::from_min_size(corner, vec2(width, height));
        let strip = Rect::from_min_size(pos2(corner.x, area.top() + STRIP_TOP), vec2(width, STRIP));
        Self { map, strip, buckets: Buckets::of(model.columns, state.view, width), rows: model.rows }
    }

    /// Height of a row.
    pub(super) fn row_height(&self) -> f32 {
        self.map.height() / self.rows.max(1) as f32
    }

    /// Where the left edge of a column stands; columns may be fractional and outside the view.
    pub(super) fn x(&self, column: f32) -> f32 {
        self.map.left() + (column - self.buckets.first as f32) / self.buckets.len() as f32 * self.map.width()
    }

    /// The column at a place across the map; the nearest one for places outside.
    pub(super) fn column(&self, x: f32) -> usize {
        let share = ((x - self.map.left()) / self.map.width()).clamp(0.0, 1.0);
        (self.buckets.first + (share * self.buckets.len() as f32) as usize).min(self.buckets.end - 1)
    }

    /// Column and row under a point.
    pub(super) fn cell(&self, p: Pos2) -> Option<(usize, usize)> {
        let row = ((p.y - self.map.top()) / self.row_height()) as usize;
        (self.map.contains(p) && row < self.rows).then(|| (self.column(p.x), row))
    }

    /// What some columns of a row cover.
    pub(super) fn stretch(&self, row: usize, columns: [usize; 2]) -> Rect {
        let top = self.map.top() + row as f32 * self.row_height();
        let rect = Rect::from_min_max(
            pos2(self.x(columns[0] as f32), top),
            pos2(self.x(columns[1] as f32), top + self.row_height()),
        );
        rect.intersect(self.map.expand(0.5))
    }

    /// What a rectangle of buckets covers.
    pub(super) fn area(&self, [row, row_end, from, to]: [usize; 4]) -> Rect {
        let step = vec2(self.map.width() / self.buckets.count as f32, self.row_height());
        let corner = |bucket: usize, row: usize| self.map.min + vec2(bucket as f32 * step.x, row as f32 * step.y);
        Rect::from_min_max(corner(from, row), corner(to, row_end))
    }
}
