//! Traffic on the links of slices.

use egui::Ui;
use topology::shape::{Axis, Coord, Shape};
use topology::torus::Sign;
use widgets::camera::Camera;
use widgets::colormap::Map;
use widgets::legend::{Legend, Scale};
use widgets::torus::{Cell, CellState, Detail, LinkValue, Links, Paint, Slice, Torus, TorusState, show};

/// Busy shares of every direction of every link: one ring along z is slow, and some values are missing.
fn links(shape: Shape, wrap: [bool; 3]) -> Links {
    let sizes = shape.sizes3();
    let mut values = vec![LinkValue::Absent; Links::count(shape)];
    for chip in shape.coords() {
        let at = <[u16; 3]>::from(chip);
        for axis in Axis::ALL.into_iter().take(shape.rank()) {
            for sign in [Sign::Plus, Sign::Minus] {
                let along = axis as usize;
                let edge = if sign == Sign::Plus { at[along] + 1 == sizes[along] } else { at[along] == 0 };
                if edge && !wrap[along] {
                    continue;
                }
                let wave = f32::from((at[0] * 7 + at[1] * 13 + at[2] * 29 + along as u16 * 5) % 17) / 17.0;
                let base = [0.25, 0.55, 0.8][along] * if sign == Sign::Plus { 1.0 } else { 0.6 };
                let value = if at[0] == 1 && at[1] == 2 && along == 2 { 1.0 } else { base + 0.12 * wave };
                let missing = at[0] == 3 && at[1] < 2 && along == 0;
                values[Links::index(shape, chip, axis, sign)] =
                    if missing { LinkValue::Missing } else { LinkValue::Value(value) };
            }
        }
    }
    let scale = Scale::new(Map::Viridis, 0.0, 1.0);
    let legend = Legend {
        title: "ICI links, share of the time busy".to_owned(),
        scale,
        full: [0.0, 1.0],
        ends: ["0 %".to_owned(), "100 %".to_owned()],
        fit: None,
        missing: None,
    };
    Links { values, legend }
}

/// A slice that fills its pod, with traffic.
pub(crate) fn slice(shape: Shape, wrap: [bool; 3]) -> Torus {
    let side = if shape.rank() == 3 { 4 } else { 1 };
    let [x, y, z] = shape.sizes3().map(|n| n.div_ceil(side));
    let cells = (0..z)
        .flat_map(|c| (0..y).flat_map(move |b| (0..x).map(move |a| Coord::new(a, b, c))))
        .map(|at| Cell { at, owner: Some(0), state: CellState::Allocated, value: None });
    let name = "pretrain-main".to_owned();
    Torus {
        pod: name.clone(),
        shape,
        cells: cells.collect(),
        chip_values: Vec::new(),
        slices: vec![Slice { name: name.clone(), label: name, color: 0, wrap, selected: false }],
        ghost: None,
        paint: Paint::BySlice,
        wrap_links: false,
        links: Some(links(shape, wrap)),
        shared_hover: None,
        revision: 1,
    }
}

pub(crate) fn cubes(ui: &mut Ui) {
    show(
        ui,
        &slice(Shape::solid(8, 16, 16), [true; 3]),
        &mut TorusState { detail: Detail::Cubes, ..TorusState::default() },
    );
}

pub(crate) fn chips(ui: &mut Ui) {
    let state = TorusState { detail: Detail::Chips, ..TorusState::default() };
    show(ui, &slice(Shape::solid(4, 4, 8), [false, false, true]), &mut { state });
}

/// The largest pod, closer.
pub(crate) fn largest(ui: &mut Ui) {
    let camera = Camera { zoom: 1.0, ..Camera::default() };
    let mut state = TorusState { detail: Detail::Chips, camera, ..TorusState::default() };
    show(ui, &slice(Shape::solid(16, 24, 24), [true; 3]), &mut state);
}

pub(crate) fn flat(ui: &mut Ui) {
    show(ui, &slice(Shape::flat(8, 8), [false; 3]), &mut TorusState::default());
}
