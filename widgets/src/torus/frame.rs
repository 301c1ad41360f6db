//! What stands around the lattice: its edges, axis numbers, and the gizmo.

use egui::{Align2, Painter, Pos2, Rect, Stroke, Vec2, pos2, vec2};

use super::cells::Lattice;
use super::tags::Room;
use crate::ink::{dashed, measure, words};
use crate::theme::{Tokens, Type};

/// Least distance between two axis numbers, in points.
const NUMBER_GAP: f32 = 15.0;
/// Radius of the gizmo's ground.
const GIZMO: f32 = 44.0;

/// The corners of the pod's outline that face the eye.
struct Corners {
    near: [f32; 3],
    far: [f32; 3],
    top: f32,
}

impl Corners {
    fn of(lattice: &Lattice<'_>) -> Self {
        let size = lattice.size.map(f32::from);
        let end =
            |axis: usize, near: bool| if lattice.projection.sees_far_end(axis) == near { size[axis] } else { 0.0 };
        let top = if lattice.model.shape.rank() == 2 { 0.0 } else { size[2] };
        Self { near: [end(0, true), end(1, true), 0.0], far: [end(0, false), end(1, false), 0.0], top }
    }
}

/// The floor, behind everything.
pub(super) fn floor(painter: &Painter, lattice: &Lattice<'_>, tokens: &Tokens) {
    let [x, y, _] = lattice.size.map(f32::from);
    let corners = [[0.0, 0.0, 0.0], [x, 0.0, 0.0], [x, y, 0.0], [0.0, y, 0.0]].map(|p| lattice.projection.at(p));
    painter.add(egui::Shape::closed_line(corners.to_vec(), Stroke::new(1.0, tokens.line1)));
}

/// The dotted edges of the pod that face the eye.
pub(super) fn edges(painter: &Painter, lattice: &Lattice<'_>, tokens: &Tokens) {
    let Corners { near, far, top } = Corners::of(lattice);
    let posts = [[far[0], near[1]], [near[0], near[1]], [near[0], far[1]]];
    let at = |post: [f32; 2], z: f32| lattice.projection.at([post[0], post[1], z]);
    let stroke = Stroke::new(1.0, tokens.line3);
    let line = |a: Pos2, b: Pos2| dashed(painter, &[a, b], stroke, [2.0, 4.0]);
    for z in if top > 0.0 { vec![0.0, top] } else { vec![0.0] } {
        line(at(posts[0], z), at(posts[1], z));
        line(at(posts[1], z), at(posts[2], z));
    }
    if top > 0.0 {
        for post in posts {
            line(at(post, 0.0), at(post, top));
        }
    }
}

/// Axis numbers in chips, and the names of the axes with their lengths.
pub(super) fn axes(painter: &Painter, lattice: &Lattice<'_>, tokens: &Tokens, room: &mut Room) {
    let Corners { near, far, .. } = Corners::of(lattice);
    let sign = |axis: usize| if lattice.projection.sees_far_end(axis) { 1.0 } else { -1.0 };
    let out = |axis: usize| (lattice.projection.axes[axis] * sign(axis)).normalized();
    // Numbers along x stand beyond the near end of y, and the other way round.
    let rulers = [
        Ruler { axis: 0, from: [0.0, near[1], 0.0], out: out(1), reach: 22.0 },
        Ruler { axis: 1, from: [near[0], 0.0, 0.0], out: out(0), reach: 22.0 },
        {
            let ends = [[far[0], near[1], 0.0], [near[0], far[1], 0.0]];
            let right = |p: [f32; 3]| lattice.projection.at(p).x;
            let from = if right(ends[0]) > right(ends[1]) { ends[0] } else { ends[1] };
            Ruler { axis: 2, from, out: vec2(1.0, 0.0), reach: 12.0 }
        },
    ];
    for ruler in &rulers[..lattice.model.shape.rank()] {
        ruler.draw(painter, lattice, tokens, room);
    }
}

/// One axis with its numbers.
struct Ruler {
    axis: usize,
    from: [f32; 3],
    out: Vec2,
    reach: f32,
}

impl Ruler {
    fn draw(&self, painter: &Painter, lattice: &Lattice<'_>, tokens: &Tokens, room: &mut Room) {
        let n = lattice.size[self.axis];
        let spacing = lattice.projection.axes[self.axis].length();
        let side = lattice.model.cell_side();
        let mut stride = if side == 1 { 4 } else { 1 };
        while spacing * f32::from(stride) < NUMBER_GAP && stride < n {
            stride *= 2;
        }
        for cell in (0..n).step_by(usize::from(stride)) {
            let mut p = self.from;
            p[self.axis] = f32::from(cell) + 0.5;
            let edge = lattice.projection.at(p);
            painter.line_segment([edge, edge + self.out * self.reach], Stroke::new(1.0, tokens.line2));
            let text = (cell * side).to_string();
            let size = measure(painter, &text, Type::Caption);
            let center = self.text_place(edge, self.reach + 10.0, size);
            if room.is_free(Rect::from_center_size(center, size)) {
                room.take(words(painter, center, Align2::CENTER_CENTER, &text, Type::Caption, tokens.text3));
            }
        }
        let mut middle = self.from;
        middle[self.axis] = f32::from(n) / 2.0;
        let text = format!("{} · {}", ["x", "y", "z"][self.axis], lattice.model.shape.sizes3()[self.axis]);
        let size = measure(painter, &text, Type::SecondaryStrong);
        let center = self.text_place(lattice.projection.at(middle), self.reach + 46.0, size);
        if let Some(place) = room.find(center, size) {
            words(painter, place.center(), Align2::CENTER_CENTER, &text, Type::SecondaryStrong, tokens.text1);
        }
    }

    /// The middle of a text; beside the z axis texts are flush left.
    fn text_place(&self, edge: Pos2, distance: f32, size: Vec2) -> Pos2 {
        let flush = if self.axis == 2 { size.x * 0.5 - 4.0 } else { 0.0 };
        edge + self.out * distance + vec2(flush, 0.0)
    }
}

/// Where the gizmo stands in a scene; nowhere in a small one.
pub(super) fn gizmo_place(scene: Rect) -> Option<Rect> {
    let enough = scene.width() > 420.0 && scene.height() > 300.0;
    let center = scene.right_bottom() - vec2(GIZMO + 16.0, GIZMO + 32.0);
    enough.then(|| Rect::from_center_size(center, Vec2::splat(GIZMO * 2.0)))
}

/// The three axes in the corner.
pub(super) fn gizmo(painter: &Painter, place: Rect, lattice: &Lattice<'_>, tokens: &Tokens) {
    let center = place.center();
    painter.circle(center, GIZMO, tokens.bg1, Stroke::new(1.0, tokens.line1));
    let longest = lattice.projection.axes.iter().map(|axis| axis.length()).fold(1.0, f32::max);
    for (axis, name) in lattice.projection.axes.iter().zip(["x", "y", "z"]) {
        let tip = center + *axis * (31.0 / longest);
        painter.line_segment([center, tip], Stroke::new(1.5, tokens.text1));
        painter.circle(tip, 7.0, tokens.bg3, Stroke::new(1.0, tokens.line3));
        words(painter, pos2(tip.x, tip.y - 0.5), Align2::CENTER_CENTER, name, Type::CaptionStrong, tokens.text1);
    }
}
