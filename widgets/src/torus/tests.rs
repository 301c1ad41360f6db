//! What is drawn can be picked, from every side.

use topology::shape::{Axis, Coord, Shape};
use topology::torus::Sign;

use super::cells::Lattice;
use super::links::Network;
use super::{Cell, CellState, LinkValue, Links, Paint, Torus, TorusState, show};
use crate::camera::Camera;
use crate::colormap::Map;
use crate::drive::{Do, drive};
use crate::legend::{Legend, Scale};
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
        links: None,
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

/// A value for every direction of every link: its own number, as a share of all.
fn links(shape: Shape) -> Links {
    let count = Links::count(shape);
    let legend = Legend {
        title: "busy".to_owned(),
        scale: Scale::new(Map::Viridis, 0.0, 1.0),
        full: [0.0, 1.0],
        ends: ["0 %".to_owned(), "100 %".to_owned()],
        fit: None,
        missing: None,
    };
    Links { values: (0..count).map(|n| LinkValue::Value(n as f32 / count as f32)).collect(), legend }
}

/// Protects: every direction of every link has a place of its own, and the largest pod draws each of them once, in
/// one mesh.
#[test]
fn every_direction_of_every_link_is_drawn_once() {
    let shape = Shape::solid(16, 24, 24);
    let both = [Sign::Plus, Sign::Minus];
    let places = shape.coords().flat_map(|chip| {
        Axis::ALL.into_iter().flat_map(move |axis| both.map(move |sign| Links::index(shape, chip, axis, sign)))
    });
    assert!(places.eq(0..Links::count(shape)));
    let model = Torus { links: Some(links(shape)), ..pod(|_| CellState::Allocated) };
    let tokens = Tokens::for_theme(Theme::Dark);
    for (chips, zoom, cells) in [(true, 4.0, 9_216), (false, 1.0, 144)] {
        let camera = Camera { zoom, ..Camera::default() };
        let lattice = Lattice::new(&model, camera.projection(model.lattice(), scene()));
        let network = Network::new(&lattice, &tokens, chips).unwrap();
        let mut seen: Vec<_> = network.hits(&tokens).iter().map(|hit| (hit.from, hit.axis, hit.sign)).collect();
        assert_eq!(seen.len(), cells * 6);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), cells * 6);
    }
}

/// Protects: the link under the pointer is the one drawn there, in the direction of its side, with its own value; and
/// values of another shape draw nothing.
#[test]
fn the_link_under_the_pointer_is_found() {
    let shape = Shape::flat(6, 6);
    let cells = shape.coords().map(|at| Cell { at, owner: None, state: CellState::Allocated, value: None });
    let model = Torus { shape, cells: cells.collect(), links: Some(links(shape)), ..pod(|_| CellState::Free) };
    let mut state = TorusState::default();
    let lattice = Lattice::new(&model, state.camera.projection(model.lattice(), scene()));
    let [from, to] = [Coord::new(2, 3, 0), Coord::new(3, 3, 0)].map(|at| lattice.origin(at) + lattice.brick.middle);
    let along = (to - from).normalized();
    let aside = vec2(-along.y, along.x) * 2.0;
    let middle = from + (to - from) * 0.5;
    let steps = [Do::Move(middle + aside), Do::Move(middle - aside)];
    let seen = drive(scene().size(), &steps, |ui| show(ui, &model, &mut state));
    for (output, from, sign) in
        [(&seen[0], Coord::new(2, 3, 0), Sign::Plus), (&seen[1], Coord::new(3, 3, 0), Sign::Minus)]
    {
        let link = output.link.unwrap();
        assert_eq!((link.from, link.axis, link.sign), (from, Axis::X, sign));
        let number = Links::index(shape, from, Axis::X, sign);
        assert_eq!(link.value, links(shape).values[number]);
    }
    let wrong = Torus { links: Some(links(Shape::flat(2, 2))), ..model };
    let seen = drive(scene().size(), &steps, |ui| show(ui, &wrong, &mut state));
    assert_eq!(seen[0].link, None);
}
