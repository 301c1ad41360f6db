//! The lattice of a pod in three dimensions.
//!
//! Cells are drawn in painter's order without sorting: seen from one side, a lattice walked from
//! far to near along each axis never covers what it has drawn. The result is kept until the model,
//! the camera or the theme changes.

mod brick;
mod cells;
mod frame;
mod links;
mod look;
mod marks;
mod model;
mod naive;
mod tags;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use egui::{Color32, PointerButton, Rect, Response, Sense, Shape, Stroke, Ui, WidgetInfo};
use topology::shape::Coord;

use crate::camera::{Camera, Projection};
use crate::ink::{Keys, focus_ring, stepped};
use crate::theme::Tokens;
use cells::{CHIPS_FROM, Lattice};
use links::{Network, Woven};
pub use model::*;
pub use naive::naive_paint;
use tags::Room;

/// What the kept shapes were made for, and the shapes.
type Kept = ((u64, Projection, bool, bool), Arc<Vec<Shape>>);

/// Draws a torus into the room that is left and returns what was pointed at.
pub fn show(ui: &mut Ui, model: &Torus, state: &mut TorusState) -> TorusOutput {
    let (scene, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    let mut output = TorusOutput::default();
    if !ui.is_rect_visible(scene) {
        return output;
    }
    let tokens = Tokens::of(ui.ctx());
    output.camera_moved = steer(ui, &response, scene, &mut state.camera);
    let lattice = Lattice::new(model, state.camera.projection(model.lattice(), scene));
    let chips = match state.detail {
        Detail::Auto => model.cell_side() == 1 || lattice.cube_height() > CHIPS_FROM,
        Detail::Cubes => false,
        Detail::Chips => true,
    };
    let through_wires = model.ghost.is_none();
    let pick = |p| lattice.pick(p, chips.then_some(&*tokens), through_wires);
    output.hovered = response.hover_pos().and_then(pick);
    let network = Network::new(&lattice, &tokens, chips);
    let woven = Woven::kept(ui, response.id, network.as_ref(), &tokens);
    output.link = woven.as_ref().zip(response.hover_pos()).and_then(|(woven, p)| woven.pick(p));
    clicks(&response, &mut output);
    keys(ui, &response, &lattice, state, &mut output);

    let painter = ui.painter_at(scene);
    painter.rect_filled(scene, 0.0, tokens.bg0);
    frame::floor(&painter, &lattice, &tokens);
    if woven.is_none() || !chips {
        painter.extend(kept_shapes(ui, &response, &lattice, (&tokens, chips)).iter().cloned());
    }
    painter.extend(woven.as_ref().map(|woven| woven.shape.clone()));
    let focus = state.focus.filter(|_| response.has_focus());
    let pointed = output.hovered.map(|hit| hit.cell);
    for at in [pointed, model.shared_hover, focus].into_iter().flatten() {
        highlight(&painter, &lattice, at, &tokens);
    }
    if let Some((network, link)) = network.as_ref().zip(output.link.as_ref()) {
        network.highlight(&painter, link, &tokens);
    }
    let mut room = Room::new(scene.shrink(6.0));
    if let Some(place) = network.as_ref().and_then(|network| network.legend_place(&painter, scene)) {
        room.take(place);
    }
    overlay((&painter, &tokens), scene, &lattice, room);
    if let Some(network) = &network {
        network.legend(&painter, scene, &tokens);
    }
    if response.has_focus() {
        focus_ring(&painter, scene.shrink(4.0), &tokens);
    }
    let spoken = describe(model, state.focus.or(pointed));
    response.widget_info(|| {
        let label = format!("Torus of {}, {}", model.pod, model.shape);
        WidgetInfo { current_text_value: Some(spoken.clone()), ..WidgetInfo::labeled(egui::Role::Canvas, true, label) }
    });
    output
}

/// One sentence about a cell, such as "Cube 2 1 3, slice pretrain-main"; about the whole pod for `None`.
pub fn describe(model: &Torus, at: Option<Coord>) -> String {
    let what = if model.cell_side() == 1 { "Chip" } else { "Cube" };
    let Some(at) = at else { return format!("{} cells, {} slices", model.cells.len(), model.slices.len()) };
    let Some(cell) = model.cells.iter().find(|cell| cell.at == at) else { return format!("{what} {at}, not there") };
    let owner = cell.owner.and_then(|owner| model.slices.get(owner));
    match (cell.state, owner) {
        (CellState::Allocated, Some(slice)) => format!("{what} {at}, slice {}", slice.name),
        (CellState::Allocated | CellState::Free, _) => format!("{what} {at}, free"),
        (CellState::Spare, _) => format!("{what} {at}, spare"),
        (CellState::InRepair, _) => format!("{what} {at}, in repair"),
    }
}

/// Moves the camera as pointer and wheel ask; returns whether it moved.
fn steer(ui: &Ui, response: &Response, scene: Rect, camera: &mut Camera) -> bool {
    let before = *camera;
    let space = ui.input(|input| input.key_down(egui::Key::Space));
    let drag = response.drag_delta();
    if response.dragged_by(PointerButton::Secondary) || space && response.dragged_by(PointerButton::Primary) {
        camera.pan = [camera.pan[0] + drag.x, camera.pan[1] + drag.y];
    } else if response.dragged_by(PointerButton::Primary) || response.dragged_by(PointerButton::Middle) {
        camera.orbit(drag);
    }
    if let Some(pointer) = response.hover_pos() {
        let (scroll, pinch) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
        camera.pan[0] += scroll.x;
        let factor = pinch * libm::expf(scroll.y * 0.004);
        if (factor - 1.0).abs() > 1e-4 {
            camera.zoom_at(factor, pointer, scene);
        }
        let on_gizmo = frame::gizmo_place(scene).is_some_and(|place| place.contains(pointer));
        if on_gizmo && response.double_clicked() {
            *camera = Camera::default();
        }
    }
    before != *camera
}

fn clicks(response: &Response, output: &mut TorusOutput) {
    if response.clicked() {
        response.request_focus();
        output.clicked = output.hovered;
        output.clicked_nothing = output.hovered.is_none();
    }
    if response.double_clicked() {
        output.double_clicked = output.hovered;
    }
}

fn keys(ui: &Ui, response: &Response, lattice: &Lattice<'_>, state: &mut TorusState, output: &mut TorusOutput) {
    let keys = Keys::read(ui, response);
    if keys.home {
        state.camera = Camera::default();
    }
    if keys.zoom != 1.0 {
        state.camera.zoom_at(keys.zoom, response.rect.center(), response.rect);
    }
    if keys.moves() {
        let at = state.focus.map_or([0; 3], <[u16; 3]>::from);
        state.focus = Some([0, 1, 2].map(|axis| stepped(at[axis], keys.step[axis], lattice.size[axis])).into());
    }
    // Space belongs to panning here.
    let space = ui.input(|input| input.key_down(egui::Key::Space));
    if keys.enter && !space {
        output.clicked = state.focus.map(|cell| Hit { cell, chip: None }).or(output.clicked);
    }
    output.camera_moved |= keys.home || keys.zoom != 1.0;
}

/// The cell shapes of the last frame, or new ones when anything they depend on has changed.
fn kept_shapes(ui: &Ui, response: &Response, lattice: &Lattice<'_>, look: (&Tokens, bool)) -> Arc<Vec<Shape>> {
    let (tokens, chips) = look;
    let key = (lattice.model.revision, lattice.projection, tokens.dark, chips);
    let id = response.id.with("cells");
    if let Some((_, shapes)) = ui.data(|data| data.get_temp::<Kept>(id)).filter(|(kept, _)| *kept == key) {
        return shapes;
    }
    let shapes = Arc::new(lattice.shapes(tokens, chips));
    ui.data_mut(|data| data.insert_temp::<Kept>(id, (key, Arc::clone(&shapes))));
    shapes
}

/// A brighter cell, for the pointer, the keyboard, or another picture's pointer.
fn highlight(painter: &egui::Painter, lattice: &Lattice<'_>, at: Coord, tokens: &Tokens) {
    let origin = lattice.origin(at);
    for axis in 0..3 {
        let face = lattice.brick.face(origin, axis).to_vec();
        let veil = Color32::WHITE.gamma_multiply(0.14);
        painter.add(Shape::convex_polygon(face, veil, Stroke::new(1.5, tokens.text1)));
    }
}

/// Everything over the cells, most important labels first.
fn overlay((painter, tokens): (&egui::Painter, &Tokens), scene: Rect, lattice: &Lattice<'_>, mut room: Room) {
    let gizmo = frame::gizmo_place(scene);
    if let Some(place) = gizmo {
        room.take(place);
    }
    frame::edges(painter, lattice, tokens);
    if lattice.model.wrap_links {
        marks::wrap_stubs(painter, lattice, tokens);
    }
    marks::selection(painter, lattice, tokens, &mut room);
    frame::axes(painter, lattice, tokens, &mut room);
    marks::ghost_box(painter, lattice, tokens);
    marks::names(painter, lattice, tokens, &mut room);
    if let Some(place) = gizmo {
        frame::gizmo(painter, place, lattice, tokens);
    }
}
