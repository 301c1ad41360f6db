//! Where the array, its edges and the legend stand.

use egui::{Pos2, Rect, Vec2, pos2, vec2};

/// Room for the edges: left, above and below the array, and air at the right.
const LEFT: f32 = 40.0;
const ABOVE: f32 = 34.0;
const BELOW: f32 = 36.0;
const RIGHT: f32 = 16.0;
/// Height of the line above everything.
pub(super) const HEAD: f32 = 26.0;
/// Height of the legend.
pub(super) const LEGEND: f32 = 22.0;
/// Greatest side of a cell.
const CELL: f32 = 28.0;
/// Cells from this side on have gaps between them.
pub(super) const GAPS_FROM: f32 = 5.0;

/// The places of one picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layout {
    pub area: Rect,
    /// The cells.
    pub grid: Rect,
    /// Side of a cell, in points.
    pub cell: f32,
    /// Rows and columns.
    pub size: [usize; 2],
}

impl Layout {
    pub(super) fn new(size: [usize; 2], area: Rect) -> Self {
        let [rows, columns] = size.map(|n| n.max(1) as f32);
        let room = area.size() - vec2(LEFT + RIGHT, HEAD + ABOVE + BELOW + LEGEND);
        let fitting = (room.x / columns).min(room.y / rows).clamp(0.25, CELL);
        // Whole points keep cells even as long as there are enough of them.
        let cell = if fitting >= 2.0 { fitting.floor() } else { fitting };
        let extent = Vec2::new(cell * columns, cell * rows);
        let free = (room - extent).max(Vec2::ZERO);
        let corner = area.min + vec2(LEFT + free.x / 2.0, HEAD + ABOVE);
        Self { area, grid: Rect::from_min_size(pos2(corner.x.round(), corner.y.round()), extent), cell, size }
    }

    /// Row and column under a point.
    pub(super) fn at(&self, p: Pos2) -> Option<[usize; 2]> {
        let place = (p - self.grid.min) / self.cell;
        let (row, column) = (place.y as usize, place.x as usize);
        (self.grid.contains(p) && row < self.size[0] && column < self.size[1]).then_some([row, column])
    }

    /// What a cell covers.
    pub(super) fn place(&self, [row, column]: [usize; 2]) -> Rect {
        let corner = self.grid.min + vec2(column as f32, row as f32) * self.cell;
        Rect::from_min_size(corner, Vec2::splat(self.cell))
    }
}
