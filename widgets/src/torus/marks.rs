//! What is drawn over the cells: boxes of the selected slice and of the ghost, wrap hints, tags.

use egui::epaint::CubicBezierShape;
use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Vec2, vec2};
use topology::shape::Coord;

use super::cells::{FLAT_HEIGHT, Lattice};
use super::model::{CellState, Slice};
use super::tags::{Room, Tag};
use crate::ink::{dashed, haloed};
use crate::theme::{SliceColor, Tokens};

/// A tag needs at least this much of its slice in view: width and height, in points.
const TAG_ROOM: Vec2 = vec2(100.0, 40.0);
/// More cubes in repair than this are not named one by one.
const NAMED_REPAIRS: usize = 3;

/// Lowest cell and one past the highest cell of a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    low: [f32; 3],
    high: [f32; 3],
}

impl Bounds {
    pub(super) fn new(at: Coord, size: [u16; 3]) -> Self {
        let low = <[u16; 3]>::from(at).map(f32::from);
        Self { low, high: [0, 1, 2].map(|axis| low[axis] + f32::from(size[axis])) }
    }

    /// A flat pod's boxes are as low as its chips.
    fn lowered(mut self, lattice: &Lattice<'_>) -> Self {
        if lattice.model.shape.rank() == 2 {
            self.high[2] = FLAT_HEIGHT;
        }
        self
    }

    /// The box of a slice; `None` if its cells do not fill one.
    fn of_slice(lattice: &Lattice<'_>, slice: usize) -> Option<Self> {
        let mut own =
            lattice.model.cells.iter().filter(|cell| cell.owner == Some(slice)).map(|cell| <[u16; 3]>::from(cell.at));
        let first = own.next()?;
        let (mut low, mut high, mut n) = (first, first, 1);
        for at in own {
            for axis in 0..3 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
            n += 1;
        }
        let size = [0, 1, 2].map(|axis| high[axis] - low[axis] + 1);
        let volume: usize = size.iter().map(|&n| usize::from(n)).product();
        (volume == n).then(|| Self::new(low.into(), size).lowered(lattice))
    }

    fn end(&self, lattice: &Lattice<'_>, axis: usize) -> f32 {
        if lattice.projection.sees_far_end(axis) { self.high[axis] } else { self.low[axis] }
    }

    /// Whether anything solid stands before the visible face of an axis.
    fn covered(&self, lattice: &Lattice<'_>, axis: usize) -> bool {
        if axis == 2 && lattice.model.shape.rank() == 2 {
            return false;
        }
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let outside = if lattice.projection.sees_far_end(axis) { self.high[axis] } else { self.low[axis] - 1.0 };
        let range = |axis: usize| self.low[axis] as i32..self.high[axis] as i32;
        range(u).any(|a| {
            range(v).any(|b| {
                let mut at = [0; 3];
                (at[axis], at[u], at[v]) = (outside as i32, a, b);
                lattice.cell_at(at).is_some_and(|i| lattice.model.cells[i].state != CellState::Free)
            })
        })
    }

    /// Edges that belong to an open visible face, and those that only belong to covered ones.
    fn edges(&self, lattice: &Lattice<'_>) -> [Vec<[Pos2; 2]>; 2] {
        let covered = [0, 1, 2].map(|axis| self.covered(lattice, axis));
        let mut edges = [Vec::new(), Vec::new()];
        for along in 0..3 {
            let (u, v) = ((along + 1) % 3, (along + 2) % 3);
            for (near_u, near_v) in [(true, true), (true, false), (false, true)] {
                let pick = |axis: usize, near: bool| {
                    let end = self.end(lattice, axis);
                    if near { end } else { self.low[axis] + self.high[axis] - end }
                };
                let mut from = [0.0; 3];
                (from[along], from[u], from[v]) = (self.low[along], pick(u, near_u), pick(v, near_v));
                let mut to = from;
                to[along] = self.high[along];
                let open = near_u && !covered[u] || near_v && !covered[v];
                edges[usize::from(!open)].push([lattice.projection.at(from), lattice.projection.at(to)]);
            }
        }
        edges
    }
}

/// The box of the selected slice, with a halo; hidden edges dashed.
pub(super) fn slice_box(painter: &Painter, lattice: &Lattice<'_>, bounds: &Bounds, tokens: &Tokens) {
    let [open, hidden] = bounds.edges(lattice);
    for edge in &hidden {
        dashed(painter, edge, Stroke::new(1.0, tokens.text1), [4.0, 3.0]);
    }
    for edge in &open {
        painter.line_segment(*edge, Stroke::new(4.0, tokens.bg0));
    }
    for edge in &open {
        painter.line_segment(*edge, Stroke::new(1.75, tokens.text1));
    }
}

/// The box of the ghost: accent, or crit and dashed where it cannot stay.
pub(super) fn ghost_box(painter: &Painter, lattice: &Lattice<'_>, tokens: &Tokens) {
    let Some(ghost) = lattice.model.ghost else { return };
    let color = if ghost.fits { tokens.accent } else { tokens.crit };
    let [open, hidden] = Bounds::new(ghost.at, ghost.size).lowered(lattice).edges(lattice);
    for edge in &hidden {
        dashed(painter, edge, Stroke::new(1.25, color), [4.0, 3.0]);
    }
    for edge in &open {
        if ghost.fits {
            painter.line_segment(*edge, Stroke::new(2.0, color));
        } else {
            dashed(painter, edge, Stroke::new(2.0, color), [6.0, 4.0]);
        }
    }
}

/// Boxes and wrap hints of the selected slices.
pub(super) fn selection(painter: &Painter, lattice: &Lattice<'_>, tokens: &Tokens, room: &mut Room) {
    for (n, slice) in lattice.model.slices.iter().enumerate().filter(|(_, slice)| slice.selected) {
        if let Some(bounds) = Bounds::of_slice(lattice, n) {
            slice_box(painter, lattice, &bounds, tokens);
            Wraps { painter, lattice, tokens, bounds }.draw(slice, room);
        }
    }
}

/// Wrap hints of one slice.
struct Wraps<'a> {
    painter: &'a Painter,
    lattice: &'a Lattice<'a>,
    tokens: &'a Tokens,
    bounds: Bounds,
}

impl Wraps<'_> {
    fn draw(&self, slice: &Slice, room: &mut Room) {
        let side = self.side();
        for axis in (0..self.lattice.model.shape.rank()).rev().filter(|&axis| slice.wrap[axis]) {
            let middle = if axis == side { self.stub(side) } else { self.arc(axis, side) };
            let text = format!("{} wrap", ["x", "y", "z"][axis]);
            let tag = Tag { text: &text, swatch: None, frame: self.tokens.line3 };
            if let Some(place) = room.find(middle, tag.size(self.painter)) {
                tag.draw(self.painter, place, self.tokens);
            }
        }
    }

    /// The axis whose visible end the arcs bulge out of: open, and as far to the side as possible.
    fn side(&self) -> usize {
        let reach = |axis: usize| {
            let covered = self.bounds.covered(self.lattice, axis);
            self.out(axis).x.abs() - if covered { 10.0 } else { 0.0 }
        };
        usize::from(reach(0) <= reach(1))
    }

    fn out(&self, axis: usize) -> Vec2 {
        let sign = if self.lattice.projection.sees_far_end(axis) { 1.0 } else { -1.0 };
        (self.lattice.projection.axes[axis] * sign).normalized()
    }

    /// The dashed arc from one end of an axis to the other; returns where its name goes.
    fn arc(&self, axis: usize, side: usize) -> Pos2 {
        let other = 3 - axis - side;
        let lift = if axis == 2 { 0.5 } else { 0.2 };
        let mut from = [0.0; 3];
        (from[side], from[other]) = (self.bounds.end(self.lattice, side), self.bounds.low[other] + lift);
        let mut to = from;
        (from[axis], to[axis]) = (self.bounds.high[axis] - 0.15, self.bounds.low[axis] + 0.4);
        let (a, b) = (self.lattice.projection.at(from), self.lattice.projection.at(to));
        let out = self.out(side) * ((b - a).length() * 0.75).clamp(100.0, 150.0);
        let curve =
            CubicBezierShape::from_points_stroke([a, a + out, b + out, b], false, Color32::TRANSPARENT, Stroke::NONE);
        let points = curve.flatten(Some(0.3));
        self.painter.add(Shape::line(points.clone(), Stroke::new(4.0, self.tokens.bg0)));
        dashed(self.painter, &points, Stroke::new(1.5, self.tokens.text1), [5.0, 3.0]);
        arrow(self.painter, a, -out, self.tokens.text1);
        arrow(self.painter, b, -out, self.tokens.text1);
        curve.sample(0.5)
    }

    /// The axis that runs towards the eye: a short line out of the face.
    fn stub(&self, side: usize) -> Pos2 {
        let mut at = [0, 1, 2].map(|axis| f32::midpoint(self.bounds.low[axis], self.bounds.high[axis]));
        let (u, v) = (1 - side, 2);
        at[side] = self.bounds.end(self.lattice, side);
        at[u] = self.bounds.high[u] - 0.5;
        at[v] = (self.bounds.low[v] + (self.bounds.high[v] - self.bounds.low[v]) * 0.62).max(self.bounds.low[v] + 0.5);
        let from = self.lattice.projection.at(at);
        let to = from + self.out(side) * 48.0;
        haloed(self.painter, &[from, to], Stroke::new(1.5, self.tokens.text1), self.tokens.bg0);
        self.painter.circle(from, 3.0, self.tokens.text1, Stroke::new(1.5, self.tokens.bg0));
        to + self.out(side) * 20.0
    }
}

fn arrow(painter: &Painter, tip: Pos2, direction: Vec2, color: Color32) {
    let along = direction.normalized() * 7.0;
    let across = vec2(-along.y, along.x) * 0.5;
    painter.add(Shape::convex_polygon(vec![tip, tip - along + across, tip - along - across], color, Stroke::NONE));
}

/// Stubs at both ends of every wrap link of the pod, drawn at the visible ends.
pub(super) fn wrap_stubs(painter: &Painter, lattice: &Lattice<'_>, tokens: &Tokens) {
    for axis in 0..lattice.model.shape.rank() {
        let far = lattice.projection.sees_far_end(axis);
        let last = if far { lattice.size[axis] - 1 } else { 0 };
        let sign = if far { 1.0 } else { -1.0 };
        let out = (lattice.projection.axes[axis] * sign).normalized();
        for cell in lattice.model.cells.iter().filter(|cell| <[u16; 3]>::from(cell.at)[axis] == last) {
            let middle = lattice.origin(cell.at) + lattice.brick.middle;
            let from = middle + lattice.projection.axes[axis] * (sign * 0.38);
            painter.line_segment([from, from + out * 9.0], Stroke::new(1.25, tokens.text3));
            painter.circle_filled(from + out * 9.0, 1.75, tokens.text3);
        }
    }
}

/// Names of slices and of cubes in repair, in place.
pub(super) fn names(painter: &Painter, lattice: &Lattice<'_>, tokens: &Tokens, room: &mut Room) {
    let repairs: Vec<_> = lattice.model.cells.iter().filter(|cell| cell.state == CellState::InRepair).collect();
    for cell in repairs.iter().filter(|_| repairs.len() <= NAMED_REPAIRS) {
        let what = if lattice.model.cell_side() == 1 { "Chip" } else { "Cube" };
        let text = format!("{what} {}·{}·{} in repair", cell.at.x, cell.at.y, cell.at.z);
        let tag = Tag { text: &text, swatch: None, frame: tokens.crit };
        let size = tag.size(painter);
        let beside = vec2(lattice.projection.scale * 0.45 + size.x * 0.5, 14.0);
        if let Some(place) = room.find(lattice.origin(cell.at) + lattice.brick.middle + beside, size) {
            tag.draw(painter, place, tokens);
        }
    }
    // Large ones first: they have the best claim to the place where they want their name.
    let mut wishes: Vec<(usize, Side)> =
        (0..lattice.model.slices.len()).filter_map(|n| Some((n, exposed(lattice, n)?))).collect();
    wishes.sort_by(|a, b| b.1.area.total_cmp(&a.1.area));
    for (n, Side { middle: at, .. }) in wishes {
        let slice = &lattice.model.slices[n];
        if slice.selected && slice.wrap.contains(&true) {
            continue; // its wrap hints stand where a tag would
        }
        let tag = Tag { text: &slice.label, swatch: Some(SliceColor::nth(slice.color).fill), frame: tokens.line2 };
        if let Some(place) = room.find(at, tag.size(painter)) {
            tag.draw(painter, place, tokens);
        }
    }
}

/// The visible part of one side of a slice.
struct Side {
    middle: Pos2,
    area: f32,
}

/// The largest visible side of a slice that has room for a tag.
fn exposed(lattice: &Lattice<'_>, slice: usize) -> Option<Side> {
    let sides = (0..3).filter_map(|axis| {
        let step = if lattice.projection.sees_far_end(axis) { 1 } else { -1 };
        let (mut sum, mut n, mut extent) = (Vec2::ZERO, 0_u16, Rect::NOTHING);
        for cell in lattice.model.cells.iter().filter(|cell| cell.owner == Some(slice)) {
            let mut before = <[u16; 3]>::from(cell.at).map(i32::from);
            before[axis] += step;
            let touched = lattice.cell_at(before).is_some_and(|i| lattice.model.cells[i].state != CellState::Free);
            let face = lattice.brick.face(lattice.origin(cell.at), axis);
            let middle = face[0] + (face[2] - face[0]) * 0.5;
            if !touched && lattice.pick(middle, None, true).is_some_and(|hit| hit.cell == cell.at) {
                extent = extent.union(Rect::from_points(&face));
                sum += middle.to_vec2();
                n += 1;
            }
        }
        let (u, v) = (lattice.projection.axes[(axis + 1) % 3], lattice.projection.axes[(axis + 2) % 3]);
        let area = f32::from(n) * (u.x * v.y - u.y * v.x).abs();
        let roomy = n > 0 && extent.width() >= TAG_ROOM.x && extent.height() >= TAG_ROOM.y;
        roomy.then(|| Side { middle: (sum / f32::from(n)).to_pos2(), area })
    });
    sides.max_by(|a, b| a.area.total_cmp(&b.area))
}
