//! Where each small map stands, and which cell lies under a point.

use egui::{Pos2, Rect, Vec2, pos2, vec2};
use topology::shape::{Axis, Coord};

use super::model::Planes;

/// Room for axis numbers at the left and below, and for the title above each map.
const LEFT: f32 = 30.0;
const TITLE: f32 = 24.0;
const BELOW: f32 = 18.0;
/// Least and greatest gap between maps in a row, and the gap between rows.
const GAP: [f32; 2] = [20.0, 68.0];
const ROW_GAP: f32 = 8.0;

/// The maps in rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Grid {
    /// Side of a cell in points.
    pub cell: f32,
    /// Maps in a row.
    pub columns: usize,
    /// Maps in all.
    pub layers: usize,
    /// Cells across and down a map.
    pub plane: [u16; 2],
    /// Axes across, down, and through the maps.
    pub axes: [usize; 3],
    gap: f32,
}

impl Grid {
    /// The largest cells with which all maps fit into `room`; the smallest, and scrolling, if none do.
    pub(super) fn fit(model: &Planes, room: Vec2) -> Self {
        let axes = match model.axis {
            Axis::X => [1, 2, 0],
            Axis::Y => [0, 2, 1],
            Axis::Z => [0, 1, 2],
        };
        let [across, down, through] = axes.map(|axis| model.size[axis]);
        let (least, most) = if model.step > 1 { (10, 23) } else { (4, 12) };
        let layers = usize::from(through);
        let grid = |cell: i32| {
            let width = f32::from(across) * cell as f32;
            let most = (((room.x - LEFT + GAP[0]) / (width + GAP[0])) as usize).clamp(1, layers.max(1));
            let columns = layers.div_ceil(layers.div_ceil(most).max(1)).max(1); // rows of even length
            let spare = (room.x - LEFT - columns as f32 * width) / columns as f32;
            Self { cell: cell as f32, columns, layers, plane: [across, down], axes, gap: spare.clamp(GAP[0], GAP[1]) }
        };
        let fits = (least..=most).rev().map(grid).find(|grid| grid.size().x <= room.x && grid.size().y <= room.y);
        fits.unwrap_or_else(|| grid(least))
    }

    fn plane_size(&self) -> Vec2 {
        vec2(f32::from(self.plane[0]), f32::from(self.plane[1])) * self.cell
    }

    /// Room that all maps take.
    pub(super) fn size(&self) -> Vec2 {
        let (columns, rows) = (self.columns as f32, self.layers.div_ceil(self.columns) as f32);
        let plane = self.plane_size();
        vec2(LEFT + columns * plane.x + (columns - 1.0) * self.gap + 4.0, rows * (TITLE + plane.y + ROW_GAP) + BELOW)
    }

    /// Where a layer's map stands in an area that begins at `corner`.
    pub(super) fn map(&self, corner: Pos2, layer: usize) -> Rect {
        let (column, row) = ((layer % self.columns) as f32, (layer / self.columns) as f32);
        let plane = self.plane_size();
        let at = vec2(LEFT + column * (plane.x + self.gap), TITLE + row * (TITLE + plane.y + ROW_GAP));
        Rect::from_min_size(corner + at, plane)
    }

    /// The cell under a point.
    pub(super) fn cell_at(&self, corner: Pos2, p: Pos2) -> Option<Coord> {
        let layer = (0..self.layers).find(|&layer| self.map(corner, layer).contains(p))?;
        let inner = (p - self.map(corner, layer).min) / self.cell;
        let mut at = [0; 3];
        at[self.axes[0]] = (inner.x as u16).min(self.plane[0] - 1);
        at[self.axes[1]] = (inner.y as u16).min(self.plane[1] - 1);
        at[self.axes[2]] = layer as u16;
        Some(at.into())
    }

    /// Layer of a cell, and its place across and down.
    pub(super) fn place(&self, at: Coord) -> (usize, [u16; 2]) {
        let at = <[u16; 3]>::from(at);
        (usize::from(at[self.axes[2]]), [at[self.axes[0]], at[self.axes[1]]])
    }

    /// What a cell covers.
    pub(super) fn tile(&self, map: Rect, [across, down]: [u16; 2]) -> Rect {
        let at = map.min + vec2(f32::from(across), f32::from(down)) * self.cell;
        Rect::from_min_size(pos2(at.x, at.y), Vec2::splat(self.cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(axis: Axis) -> Planes {
        Planes {
            name: String::new(),
            size: [16, 8, 4],
            axis,
            step: 1,
            cells: Vec::new(),
            scale: None,
            outlines: Vec::new(),
            shared_hover: None,
            revision: 0,
        }
    }

    #[test]
    fn the_cell_under_a_drawn_tile_is_that_cell_along_every_axis() {
        let corner = pos2(7.0, 11.0);
        for axis in Axis::ALL {
            let grid = Grid::fit(&slice(axis), vec2(600.0, 400.0));
            for at in [Coord::new(0, 0, 0), Coord::new(15, 7, 3), Coord::new(9, 5, 2)] {
                let (layer, place) = grid.place(at);
                let tile = grid.tile(grid.map(corner, layer), place);
                assert_eq!(grid.cell_at(corner, tile.center()), Some(at), "{axis:?}");
            }
        }
    }

    #[test]
    fn maps_fit_the_room_where_they_can_and_never_overlap() {
        let grid = Grid::fit(&slice(Axis::Z), vec2(600.0, 400.0));
        assert!(grid.size().x <= 600.0 && grid.size().y <= 400.0, "{grid:?}");
        let maps: Vec<Rect> = (0..4).map(|layer| grid.map(Pos2::ZERO, layer)).collect();
        for (i, map) in maps.iter().enumerate() {
            assert!(maps[..i].iter().all(|other| !other.intersects(*map)));
        }
        assert_eq!(Grid::fit(&slice(Axis::Z), vec2(100.0, 50.0)).cell, 4.0, "no room: the smallest cells");
    }
}
