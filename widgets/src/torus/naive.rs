//! The straightforward way to draw a torus, kept as the yardstick for `podium bench`.

use egui::{Painter, Rect, Shape, Stroke};
use topology::shape::Coord;

use super::brick::Brick;
use super::look::shades;
use super::model::{Paint, Torus};
use crate::camera::Camera;
use crate::theme::{SliceColor, Tokens};

/// Draws every chip as three polygons of its own, sorted by depth, anew in each frame.
///
/// Only for comparison: `podium bench` times it against [`super::show`], which builds one mesh in
/// painter's order without sorting and keeps it between frames. O(n log n) in the number of chips.
pub fn naive_paint(painter: &Painter, scene: Rect, model: &Torus, camera: &Camera) {
    let tokens = Tokens::of(painter.ctx());
    let projection = camera.projection(model.lattice(), scene);
    let side = model.cell_side();
    let mut chips: Vec<(f32, [f32; 3], Coord)> = model
        .shape
        .coords()
        .map(|chip| {
            let at = <[u16; 3]>::from(chip).map(|n| f32::from(n) / f32::from(side));
            (projection.nearness(at), at, chip)
        })
        .collect();
    chips.sort_by(|a, b| a.0.total_cmp(&b.0));
    let width = 0.7 / f32::from(side);
    let brick = Brick::new(&projection, [0.0; 3], [width; 3]);
    for (_, at, chip) in chips {
        let value = model.chip_values.get(model.shape.index_of(chip)).copied().flatten();
        let cell = Coord::new(chip.x / side, chip.y / side, chip.z / side);
        let owner = model.cells.iter().find(|other| other.at == cell).and_then(|cell| cell.owner);
        let color = match (&model.paint, value, owner.and_then(|owner| model.slices.get(owner))) {
            (Paint::ByValue(scale), Some(value), _) => scale.color(value),
            (_, _, Some(slice)) => SliceColor::nth(slice.color).fill,
            _ => tokens.bg3,
        };
        let faces = shades(color);
        for (axis, fill) in faces.into_iter().enumerate() {
            let face = brick.face(projection.at(at), axis).to_vec();
            painter.add(Shape::convex_polygon(face, fill, Stroke::new(0.5, tokens.bg0)));
        }
    }
}
