//! The pod "north-7x-1" of the design boards, and a flat pod.

use egui::Ui;
use topology::shape::{Coord, Shape};
use widgets::camera::Camera;
use widgets::colormap::Map;
use widgets::legend::Scale;
use widgets::torus::{Cell, CellState, Detail, Ghost, Paint, Slice, Torus, TorusState, show};

/// Label, colour, lowest cube and cubes along each axis.
type Placed = (&'static str, usize, [u16; 3], [u16; 3]);

const SLICES: [Placed; 7] = [
    ("pretrain-main · 16×16×16", 0, [0, 0, 0], [4, 4, 4]),
    ("moe-long · 8×16×16 twisted", 1, [0, 0, 4], [4, 4, 2]),
    ("eval-mix · 8×8×16", 2, [0, 4, 0], [2, 2, 4]),
    ("vision-pre · 8×8×8", 3, [2, 4, 0], [2, 2, 2]),
    ("speech-ft · 4×8×8", 4, [2, 4, 2], [1, 2, 2]),
    ("rec-emb · 4×4×8", 5, [3, 4, 2], [1, 1, 2]),
    ("sandbox · 4×4×4", 7, [3, 5, 2], [1, 1, 1]),
];

pub(crate) fn pod(selected: Option<usize>) -> Torus {
    let lattice = Shape::solid(4, 6, 6);
    let inside = |at: Coord, low: [u16; 3], size: [u16; 3]| {
        let at: [u16; 3] = at.into();
        (0..3).all(|axis| at[axis] >= low[axis] && at[axis] < low[axis] + size[axis])
    };
    let cells = lattice
        .coords()
        .map(|at| {
            let owner = SLICES.iter().position(|&(_, _, low, size)| inside(at, low, size));
            let state = match (at.x, at.y, at.z) {
                (3, 5, 3) => CellState::InRepair,
                (3, 4 | 5, 4 | 5) => CellState::Spare,
                _ if owner.is_some() => CellState::Allocated,
                _ => CellState::Free,
            };
            let wave = (u32::from(at.x) * 7 + u32::from(at.y) * 13 + u32::from(at.z) * 29) % 17;
            let value = owner.filter(|&n| n != 4).map(|n| 0.3 + 0.06 * n as f32 + 0.012 * wave as f32);
            Cell { at, owner, state, value }
        })
        .collect();
    let slices = SLICES.iter().enumerate().map(|(n, &(label, color, ..))| Slice {
        name: label.split(' ').next().unwrap_or(label).to_owned(),
        label: label.to_owned(),
        color,
        wrap: [true; 3],
        selected: selected == Some(n),
    });
    Torus {
        pod: "north-7x-1".to_owned(),
        shape: Shape::solid(16, 24, 24),
        cells,
        chip_values: Vec::new(),
        slices: slices.collect(),
        ghost: None,
        paint: Paint::BySlice,
        wrap_links: false,
        links: None,
        shared_hover: None,
        revision: 1,
    }
}

/// The board: a slice is selected, another one is being placed.
pub(crate) fn placing(ui: &mut Ui) {
    let ghost = Ghost { at: Coord::new(0, 4, 4), size: [2, 2, 2], fits: true, pointer: Some(Coord::new(1, 5, 5)) };
    show(ui, &Torus { ghost: Some(ghost), ..pod(Some(2)) }, &mut TorusState::default());
}

/// From behind, with every wrap link and a ghost that does not fit.
pub(crate) fn turned(ui: &mut Ui) {
    let ghost = Ghost { at: Coord::new(0, 3, 4), size: [2, 2, 2], fits: false, pointer: None };
    let mut state =
        TorusState { camera: Camera { yaw: 3.7, pitch: 0.6, ..Camera::default() }, ..TorusState::default() };
    show(ui, &Torus { ghost: Some(ghost), wrap_links: true, ..pod(Some(0)) }, &mut state);
}

/// By value, nothing selected.
pub(crate) fn values(ui: &mut Ui) {
    let paint = Paint::ByValue(Scale::new(Map::Viridis, 0.2, 0.9));
    show(ui, &Torus { paint, ..pod(None) }, &mut TorusState::default());
}

/// Every chip with its own value, some missing.
pub(crate) fn chips(ui: &mut Ui) {
    let mut model = pod(None);
    model.paint = Paint::ByValue(Scale::new(Map::Viridis, 0.2, 0.9));
    model.chip_values = (0..model.shape.n_chips())
        .map(|n| (n % 97 != 0).then_some(0.4 + (n * 2_654_435_761 % 1000) as f32 / 2500.0))
        .collect();
    let camera = Camera { zoom: 1.6, ..Camera::default() };
    show(ui, &model, &mut TorusState { camera, detail: Detail::Chips, ..TorusState::default() });
}

/// A two-dimensional pod.
pub(crate) fn flat(ui: &mut Ui) {
    let shape = Shape::flat(16, 16);
    let cells = shape.coords().map(|at| {
        let owner = if at.x < 8 { 0 } else { 1 + usize::from(at.y >= 8) };
        let state = if at.x == 15 && at.y == 15 { CellState::InRepair } else { CellState::Allocated };
        Cell { at, owner: Some(owner), state, value: None }
    });
    let slice = |label: &str, color, wrap| Slice {
        name: label.to_owned(),
        label: label.to_owned(),
        color,
        wrap,
        selected: color == 6,
    };
    let model = Torus {
        pod: "west-6e-2".to_owned(),
        shape,
        cells: cells.collect(),
        slices: vec![
            slice("serve-s · 8×16", 6, [false, true, false]),
            slice("speech-rt · 8×8", 4, [false; 3]),
            slice("rec-serve · 8×8", 5, [false; 3]),
        ],
        ..pod(None)
    };
    show(ui, &model, &mut TorusState::default());
}
