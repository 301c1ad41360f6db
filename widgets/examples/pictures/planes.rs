//! Planes of cubes and of chips.

use egui::Ui;
use topology::shape::{Axis, Coord, Shape};
use widgets::colormap::Map;
use widgets::legend::Scale;
use widgets::planes::{Outline, OutlineKind, Planes, PlanesState, Tile, show};
use widgets::torus::CellState;

use crate::torus::pod;

/// The strip below the torus.
pub(crate) fn cubes(ui: &mut Ui) {
    let model = pod(Some(2));
    let in_ghost = |at: Coord| at.x < 2 && at.y >= 4 && at.z >= 4;
    let cells = model.cells.iter().map(|cell| match (cell.state, cell.owner) {
        _ if in_ghost(cell.at) => Tile::Ghost,
        (CellState::InRepair, _) => Tile::InRepair,
        (CellState::Spare, _) => Tile::Spare,
        (CellState::Allocated, Some(owner)) => Tile::Slice { color: model.slices[owner].color, quiet: owner != 2 },
        _ => Tile::Free,
    });
    let planes = Planes {
        name: "north-7x-1, slices".to_owned(),
        size: [4, 6, 6],
        axis: Axis::Z,
        step: 4,
        cells: cells.collect(),
        scale: None,
        outlines: vec![
            Outline { at: Coord::new(0, 4, 0), size: [2, 2, 4], kind: OutlineKind::Selected },
            Outline { at: Coord::new(0, 4, 4), size: [2, 2, 2], kind: OutlineKind::Ghost },
        ],
        shared_hover: Some(Coord::new(1, 4, 5)),
        revision: 1,
    };
    show(ui, &planes, &mut PlanesState::default());
}

/// The upper half of the Live view.
pub(crate) fn chips(ui: &mut Ui) {
    let shape = Shape::solid(16, 16, 16);
    let missing = |at: Coord| {
        at.y / 2 == 5 && (at.x / 2 == 2 || at.x / 2 == 3) && at.z == 3 || at.x / 2 == 6 && at.y / 2 == 1 && at.z == 9
    };
    let cells = shape.coords().map(|at| {
        let noise = (shape.index_of(at) * 2_654_435_761 % 1000) as f32 / 1000.0 - 0.5;
        let slow = (8..12).contains(&at.x) && (4..8).contains(&at.y) && at.z >= 12;
        let mean = if slow { 0.4 } else { 0.642 };
        if missing(at) { Tile::Missing } else { Tile::Value(mean + noise * 0.08) }
    });
    let planes = Planes {
        name: "pretrain-main, tensor core utilization".to_owned(),
        size: [16, 16, 16],
        axis: Axis::Z,
        step: 1,
        cells: cells.collect(),
        scale: Some(Scale::new(Map::Viridis, 0.2, 0.9)),
        outlines: vec![Outline { at: Coord::new(8, 4, 12), size: [4, 4, 4], kind: OutlineKind::Selected }],
        shared_hover: Some(Coord::new(9, 5, 13)),
        revision: 1,
    };
    show(ui, &planes, &mut PlanesState::default());
}
