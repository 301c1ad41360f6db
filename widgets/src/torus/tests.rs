//! What is drawn can be picked, from every side.

use topology::shape::{Coord, Shape};

use super::cells::Lattice;
use super::{Cell, CellState, Paint, Torus, TorusState, show};
use crate::camera::Camera;
use crate::drive::{Do, drive};
use crate::theme::Tokens;
use egui::{Key, Rect, Theme, pos2, vec2};

fn pod(state: impl Fn(Coord) -> CellState) -> Torus {
    let cells = Shape::solid(4, 6, 6).coords().map(|at| Cell { at, owner: None, state: state(at), value: None });
    Torus {
        pod: "p".to_owned(),
        shape: Shape::solid(16, 24, 24),
        cells: cells.collect(),
        chip_values: Vec::new(),
        slices: Vec::new(),
        ghost: None,
        paint: Paint::BySlice,
        wrap_links: false,
        shared_hover: None,
        revision: 0,
    }
}

fn scene() -> Rect {
    Rect::from_min_max(pos2(0.0, 0.0), pos2(988.0, 636.0))
}

/// Protects: the cell nearest to the eye is the one that is drawn last and the one that is picked.
#[test]
fn the_corner_cell_that_faces_the_eye_is_drawn_last_and_picked() {
    let model = pod(|_| CellState::Spare);
    for step in 0..16 {
        let camera = Camera { yaw: step as f32 * 0.39 + 0.2, ..Camera::default() };
        let lattice = Lattice::new(&model, camera.projection(model.lattice(), scene()));
        let nearest = model.cells.iter().max_by(|a, b| {
            let near = |cell: &Cell| lattice.projection.nearness(<[u16; 3]>::from(cell.at).map(f32::from));
            near(a).total_cmp(&near(b))
        });
        let at = nearest.unwrap().at;
        let middle = lattice.origin(at) + lattice.brick.middle;
        assert_eq!(lattice.pick(middle, None, true).map(|hit| hit.cell), Some(at), "yaw {}", camera.yaw);
    }
}

/// Protects: free cells let the pointer through to what stands behind, but count when a slice is being placed.
#[test]
fn the_pointer_passes_through_free_cells_unless_a_slice_is_being_placed() {
    let near = Coord::new(3, 5, 5);
    let model = pod(|at| if at == near { CellState::Free } else { CellState::Spare });
    let lattice = Lattice::new(&model, Camera::default().projection(model.lattice(), scene()));
    let middle = lattice.origin(near) + lattice.brick.middle;
    assert_ne!(lattice.pick(middle, None, true).map(|hit| hit.cell), Some(near));
    assert_eq!(lattice.pick(middle, None, false).map(|hit| hit.cell), Some(near));
}

/// Protects: chips are counted in chips of the pod and lie in the cube that is hit.
#[test]
fn a_chip_lies_in_the_cube_that_is_hit() {
    let model = pod(|_| CellState::Allocated);
    let tokens = Tokens::for_theme(Theme::Dark);
    let camera = Camera { zoom: 4.0, ..Camera::default() };
    let lattice = Lattice::new(&model, camera.projection(model.lattice(), scene()));
    let mut hits = 0;
    for n in 0..200 {
        let p = pos2((n * 37 % 988) as f32, (n * 91 % 636) as f32);
        let Some(hit) = lattice.pick(p, Some(&tokens), true) else { continue };
        let Some(chip) = hit.chip else { continue };
        hits += 1;
        assert_eq!(Coord::new(chip.x / 4, chip.y / 4, chip.z / 4), hit.cell);
        assert!(model.shape.contains(chip));
    }
    assert!(hits > 100, "only {hits} of 200 points hit a chip");
}

/// Protects: the fullest pod stays one mesh of three faces for each chip.
#[test]
fn all_chips_of_the_largest_pod_are_one_mesh() {
    let mut model = pod(|_| CellState::Allocated);
    model.slices.push(super::Slice {
        name: "all".to_owned(),
        label: "all".to_owned(),
        color: 0,
        wrap: [true; 3],
        selected: false,
    });
    for cell in &mut model.cells {
        cell.owner = Some(0);
    }
    let lattice = Lattice::new(&model, Camera::default().projection(model.lattice(), scene()));
    let shapes = lattice.shapes(&Tokens::for_theme(Theme::Dark), true);
    let [egui::Shape::Mesh(mesh)] = shapes.as_slice() else { panic!("{} shapes", shapes.len()) };
    assert_eq!(mesh.indices.len(), 9_216 * 3 * 6);
    let lone = Shape::flat(2, 2);
    assert_eq!(Torus { shape: lone, ..model }.lattice(), [2, 2, 1], "two-dimensional pods count chips");
}

/// Protects: a drag orbits, a click picks what is drawn under it, Home returns, arrows move the focus.
#[test]
fn pointer_and_keys_steer_the_picture() {
    let model = pod(|_| CellState::Spare);
    let mut state = TorusState::default();
    let lattice = Lattice::new(&model, state.camera.projection(model.lattice(), scene()));
    let near = Coord::new(3, 5, 5);
    let middle = lattice.origin(near) + lattice.brick.middle;
    let steps =
        [Do::Move(middle), Do::Press(middle), Do::Release(middle), Do::Key(Key::ArrowRight), Do::Key(Key::Enter)];
    let seen = drive(scene().size(), &steps, |ui| show(ui, &model, &mut state));
    assert_eq!(seen[2].clicked.map(|hit| hit.cell), Some(near));
    assert_eq!(seen[4].clicked.map(|hit| hit.cell), Some(Coord::new(1, 0, 0)));
    let away = middle + vec2(80.0, 20.0);
    let steps = [Do::Press(middle), Do::Move(away), Do::Release(away)];
    let seen = drive(scene().size(), &steps, |ui| show(ui, &model, &mut state));
    assert!(seen.iter().any(|output| output.camera_moved) && state.camera.yaw < Camera::default().yaw);
    let steps = [Do::Press(middle), Do::Release(middle), Do::Key(Key::Home), Do::Wait];
    drive(scene().size(), &steps, |ui| show(ui, &model, &mut state));
    assert_eq!(state.camera, Camera::default());
}
