//! The cells of a pod as shapes in painter's order, and what lies under a point.

use egui::epaint::Vertex;
use egui::{Color32, Mesh, Pos2, Shape, Stroke};
use topology::shape::{Coord, Shape as PodShape};

use super::brick::{Brick, on_face};
use super::look::{Look, Looks, shades};
use super::model::{CellState, Hit, Paint, Torus};
use crate::camera::Projection;
use crate::legend::Scale;
use crate::theme::Tokens;

/// Side of a cube as a share of the distance between cubes: the inside of the pod shows.
pub(super) const SIDE: f32 = 0.70;
/// Side of a chip as a share of the distance between chips of a cube.
const CHIP_SIDE: f32 = 0.80;
/// Height of a chip in a flat pod, in cells.
pub(super) const FLAT_HEIGHT: f32 = 0.35;
/// A cube this high, in points, shows its chips.
pub(super) const CHIPS_FROM: f32 = 48.0;
/// Faces at least this wide, in points, show a grid of 4×4 chips when selected.
const GRID_FROM: f32 = 24.0;

/// Where everything is: lattice, projection, and the box of a cell.
pub(super) struct Lattice<'a> {
    pub model: &'a Torus,
    pub projection: Projection,
    pub size: [u16; 3],
    pub brick: Brick,
    /// For each place of the lattice, x fastest, the index of its cell.
    index: Vec<Option<usize>>,
    /// Cells from far to near.
    order: Vec<usize>,
}

impl<'a> Lattice<'a> {
    pub(super) fn new(model: &'a Torus, projection: Projection) -> Self {
        let size = model.lattice();
        let (gap, flat) = ((1.0 - SIDE) / 2.0, model.shape.rank() == 2);
        let top = if flat { FLAT_HEIGHT } else { 1.0 - gap };
        let bottom = if flat { 0.0 } else { gap };
        let brick = Brick::new(&projection, [gap, gap, bottom], [1.0 - gap, 1.0 - gap, top]);
        let mut index = vec![None; size.iter().map(|&n| usize::from(n)).product()];
        for (i, cell) in model.cells.iter().enumerate() {
            if let Some(place) = place(size, cell.at).and_then(|place| index.get_mut(place)) {
                *place = Some(i);
            }
        }
        let order = far_first(&projection, size, &index);
        Self { model, projection, size, brick, index, order }
    }

    /// Index of the cell at a place; `None` outside the lattice or where there is none.
    pub(super) fn cell_at(&self, at: [i32; 3]) -> Option<usize> {
        let inside = (0..3).all(|axis| (0..i32::from(self.size[axis])).contains(&at[axis]));
        let at = at.map(|n| n as u16);
        inside.then(|| place(self.size, at.into())).flatten().and_then(|place| self.index[place])
    }

    /// Where the origin of a cell lands.
    pub(super) fn origin(&self, at: Coord) -> Pos2 {
        self.projection.at(<[u16; 3]>::from(at).map(f32::from))
    }

    /// Places of the cells, far ones first.
    pub(super) fn far_first(&self) -> impl Iterator<Item = Coord> {
        self.order.iter().map(|&i| self.model.cells[i].at)
    }

    /// Height of a cube on the screen in the home view, in points: what [`CHIPS_FROM`] is held against.
    pub(super) fn cube_height(&self) -> f32 {
        // 0.73 = height of a layer (0.8) times the cosine of the home pitch.
        self.projection.scale * SIDE * 0.73
    }

    /// All cells as shapes, far ones first.
    pub(super) fn shapes(&self, tokens: &Tokens, chips: bool) -> Vec<Shape> {
        let looks = Looks::new(self.model, tokens);
        let mut canvas = Canvas::default();
        let chips = chips.then(|| Chips::new(self, tokens));
        if let Some(chips) = &chips {
            let faces = self.order.len() * chips.places.len() * 3;
            canvas.mesh.reserve_vertices(faces * 4);
            canvas.mesh.reserve_triangles(faces * 2);
        }
        for &i in &self.order {
            let cell = &self.model.cells[i];
            let look = looks.of(cell);
            let origin = self.origin(cell.at);
            match (&chips, look.faces) {
                (Some(chips), Some(faces)) if cell.state == CellState::Allocated => {
                    chips.draw(&mut canvas.mesh, self, cell.at, faces);
                }
                _ => {
                    self.struts(&mut canvas, i, &look);
                    self.draw(&mut canvas, origin, &look);
                }
            }
        }
        canvas.finish()
    }

    fn struts(&self, canvas: &mut Canvas, i: usize, look: &Look) {
        let Some(stroke) = look.strut else { return };
        let cell = &self.model.cells[i];
        for axis in 0..3 {
            let toward = if self.projection.sees_far_end(axis) { -1 } else { 1 };
            let mut at = <[u16; 3]>::from(cell.at).map(i32::from);
            at[axis] += toward;
            let same = self.cell_at(at).is_some_and(|other| self.model.cells[other].owner == cell.owner);
            if same {
                let middle = self.origin(cell.at) + self.brick.middle;
                let step = self.projection.axes[axis] * toward as f32;
                canvas.push(Shape::line_segment(
                    [middle + step * (SIDE / 2.0), middle + step * (1.0 - SIDE / 2.0)],
                    stroke,
                ));
            }
        }
    }

    fn draw(&self, canvas: &mut Canvas, origin: Pos2, look: &Look) {
        for axis in [2, 1, 0] {
            let face = self.brick.face(origin, axis);
            let fill = look.faces.map_or(look.veil, |faces| faces[axis]);
            canvas.push(Shape::convex_polygon(face.to_vec(), fill, look.edge));
            if let Some(color) = look.grid.filter(|_| (face[1] - face[0]).length() > GRID_FROM) {
                let stroke = Stroke::new(0.6, color);
                for n in 1..4 {
                    let at = n as f32 / 4.0;
                    canvas.push(Shape::line_segment([on_face(&face, at, 0.0), on_face(&face, at, 1.0)], stroke));
                    canvas.push(Shape::line_segment([on_face(&face, 0.0, at), on_face(&face, 1.0, at)], stroke));
                }
            }
            if let Some(color) = look.stripes {
                for (from, to) in [((0.0, 0.5), (0.5, 0.0)), ((0.0, 1.0), (1.0, 0.0)), ((0.5, 1.0), (1.0, 0.5))] {
                    let ends = [on_face(&face, from.0, from.1), on_face(&face, to.0, to.1)];
                    canvas.push(Shape::line_segment(ends, Stroke::new(1.2, color)));
                }
            }
        }
        if let Some(color) = look.cross {
            let [a, b, c, d] = self.brick.face(origin, 1);
            canvas.push(Shape::line_segment([a, c], Stroke::new(1.6, color)));
            canvas.push(Shape::line_segment([b, d], Stroke::new(1.6, color)));
        }
    }

    /// The nearest cell under a point, and the chip where `chips` are drawn. With `through_wires`, free cells count
    /// only where nothing solid is hit.
    pub(super) fn pick(&self, p: Pos2, chips: Option<&Tokens>, through_wires: bool) -> Option<Hit> {
        let parts = chips.map(|tokens| Chips::new(self, tokens));
        let mut first = None;
        let mut wire = None;
        for &i in self.order.iter().rev() {
            let cell = &self.model.cells[i];
            let origin = self.origin(cell.at);
            if !self.brick.covers(origin, p) {
                continue;
            }
            let hit = Hit { cell: cell.at, chip: None };
            if cell.state == CellState::Free && through_wires {
                wire = wire.or(Some(hit));
                continue;
            }
            let Some(parts) = parts.as_ref().filter(|_| cell.state == CellState::Allocated) else {
                return first.or(Some(hit));
            };
            if let Some(chip) = parts.pick(self, cell.at, p) {
                return Some(Hit { chip: Some(chip), ..hit });
            }
            first = first.or(Some(hit));
        }
        first.or(wire)
    }
}

/// Cells from far to near.
fn far_first(projection: &Projection, size: [u16; 3], index: &[Option<usize>]) -> Vec<usize> {
    let [xs, ys, zs] = [0, 1, 2].map(|axis| projection.far_first(axis, size[axis]).collect::<Vec<_>>());
    let mut cells = Vec::with_capacity(index.len());
    for &z in &zs {
        for &y in &ys {
            cells.extend(xs.iter().filter_map(|&x| index[place(size, Coord::new(x, y, z))?]));
        }
    }
    cells
}

fn place(size: [u16; 3], at: Coord) -> Option<usize> {
    let shape = PodShape::from_sizes(&size)?;
    shape.contains(at).then(|| shape.index_of(at))
}

/// Collects shapes in order; coloured quads without edges go into one mesh as long as nothing else comes between.
#[derive(Default)]
struct Canvas {
    shapes: Vec<Shape>,
    mesh: Mesh,
}

impl Canvas {
    fn push(&mut self, shape: Shape) {
        if !self.mesh.is_empty() {
            self.shapes.push(Shape::mesh(std::mem::take(&mut self.mesh)));
        }
        self.shapes.push(shape);
    }

    fn finish(mut self) -> Vec<Shape> {
        if !self.mesh.is_empty() {
            self.shapes.push(Shape::mesh(self.mesh));
        }
        self.shapes
    }
}

/// The chips of a cube: where each lies relative to its cube, far ones first.
pub(super) struct Chips {
    brick: Brick,
    places: Vec<([u16; 3], egui::Vec2)>,
    side: u16,
    /// Colours by value, where chips have values of their own.
    shaded: Option<Shaded>,
}

/// Face colours for every entry of a colour map, made once instead of once per chip.
struct Shaded {
    scale: Scale,
    faces: Vec<[Color32; 3]>,
    missing: [Color32; 3],
}

impl Shaded {
    const ENTRIES: u16 = 256;

    fn new(model: &Torus, tokens: &Tokens) -> Option<Self> {
        let Paint::ByValue(scale) = model.paint else { return None };
        if model.chip_values.len() != model.shape.n_chips() {
            return None;
        }
        let span = scale.range.high - scale.range.low;
        let entry = |n: u16| scale.color(scale.range.low + span * f32::from(n) / f32::from(Self::ENTRIES - 1));
        let faces = (0..Self::ENTRIES).map(|n| shades(entry(n))).collect();
        Some(Self { scale, faces, missing: shades(tokens.missing_hatch) })
    }

    fn of(&self, value: Option<f32>) -> [Color32; 3] {
        let entry = |value| (self.scale.range.fraction(value) * f32::from(Self::ENTRIES - 1)).round() as usize;
        value.map_or(self.missing, |value| self.faces[entry(value)])
    }
}

impl Chips {
    pub(super) fn new(lattice: &Lattice<'_>, tokens: &Tokens) -> Self {
        let shaded = Shaded::new(lattice.model, tokens);
        let side = lattice.model.cell_side();
        if side == 1 {
            return Self { brick: lattice.brick, places: vec![([0; 3], egui::Vec2::ZERO)], side, shaded };
        }
        let pitch = SIDE / f32::from(side);
        let (gap, start) = (pitch * (1.0 - CHIP_SIDE) / 2.0, (1.0 - SIDE) / 2.0);
        let brick = Brick::new(&lattice.projection, [gap; 3], [pitch - gap; 3]);
        let order = |axis| lattice.projection.far_first(axis, side).collect::<Vec<_>>();
        let (xs, ys, zs) = (order(0), order(1), order(2));
        let mut places = Vec::with_capacity(64);
        for &z in &zs {
            for &y in &ys {
                places.extend(xs.iter().map(|&x| {
                    let at = [x, y, z];
                    (at, lattice.projection.vector(at.map(|n| start + pitch * f32::from(n))))
                }));
            }
        }
        Self { brick, places, side, shaded }
    }

    fn chip(&self, cell: Coord, inner: [u16; 3]) -> Coord {
        let [x, y, z] = <[u16; 3]>::from(cell).map(|n| n * self.side);
        Coord::new(x + inner[0], y + inner[1], z + inner[2])
    }

    /// The chips of a cell with their middles, far ones first.
    pub(super) fn nodes(&self, lattice: &Lattice<'_>, cell: Coord) -> impl Iterator<Item = (Coord, Pos2)> {
        let origin = lattice.origin(cell) + self.brick.middle;
        self.places.iter().map(move |(inner, offset)| (self.chip(cell, *inner), origin + *offset))
    }

    /// Middle of a chip.
    pub(super) fn middle(&self, lattice: &Lattice<'_>, chip: Coord) -> Pos2 {
        let at = <[u16; 3]>::from(chip);
        let origin = lattice.origin(at.map(|n| n / self.side).into()) + self.brick.middle;
        if self.side == 1 {
            return origin;
        }
        let (pitch, start) = (SIDE / f32::from(self.side), (1.0 - SIDE) / 2.0);
        origin + lattice.projection.vector(at.map(|n| start + pitch * f32::from(n % self.side)))
    }

    fn draw(&self, mesh: &mut Mesh, lattice: &Lattice<'_>, cell: Coord, faces: [Color32; 3]) {
        let origin = lattice.origin(cell);
        let shape = lattice.model.shape;
        for (inner, offset) in &self.places {
            let chip = self.chip(cell, *inner);
            if !shape.contains(chip) {
                continue;
            }
            let colors =
                self.shaded.as_ref().map_or(faces, |shaded| shaded.of(lattice.model.chip_values[shape.index_of(chip)]));
            for (axis, color) in colors.into_iter().enumerate() {
                let n = mesh.vertices.len() as u32;
                let quad = self.brick.face(origin + *offset, axis);
                mesh.vertices.extend(quad.map(|p| Vertex::untextured(p, color)));
                mesh.indices.extend_from_slice(&[n, n + 1, n + 2, n, n + 2, n + 3]);
            }
        }
    }

    fn pick(&self, lattice: &Lattice<'_>, cell: Coord, p: Pos2) -> Option<Coord> {
        let origin = lattice.origin(cell);
        let near_first = self.places.iter().rev();
        let mut hit = near_first.filter(|(_, offset)| self.brick.covers(origin + *offset, p));
        hit.find_map(|(inner, _)| Some(self.chip(cell, *inner)).filter(|&chip| lattice.model.shape.contains(chip)))
    }
}
