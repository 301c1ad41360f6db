//! Values on links: a stroke for each direction, coloured by its value, all in one mesh.
//!
//! Chips are nodes and links are strokes between them where chips are drawn; otherwise all links between two cubes
//! share a strut that shows the busiest of them. Wrap links are stubs at both ends.

use std::sync::Arc;

use egui::epaint::Vertex;
use egui::{Align2, Color32, Id, Mesh, Painter, Pos2, Rect, Shape, Stroke, Ui, Vec2, pos2, vec2};
use topology::shape::{Axis, Coord, Shape as PodShape};
use topology::torus::Sign;

use super::cells::{Chips, Lattice, SIDE};
use super::model::{LinkHit, LinkValue, Links};
use crate::camera::Projection;
use crate::ink::{measure, words};
use crate::legend::color_bar;
use crate::theme::{Tokens, Type, mix, size};

/// Links at least this long on the screen, in points, show both directions apart.
const APART_FROM: f32 = 9.0;
/// Width of a stroke as a share of the length of a link, and its limits in points.
const WIDTH: f32 = 0.11;
const WIDTHS: [f32; 2] = [0.8, 4.0];
/// Length of the stub of a wrap link as a share of a link.
const STUB: f32 = 0.45;
/// How near the pointer must come to a link, in points.
const REACH: f32 = 4.0;

impl Links {
    /// Values that fit a shape: one for each chip, axis and direction.
    pub fn count(shape: PodShape) -> usize {
        shape.n_chips() * 6
    }

    /// Where the value of a link stands in [`Links::values`]: the one that leaves `from` along an axis.
    pub fn index(shape: PodShape, from: Coord, axis: Axis, sign: Sign) -> usize {
        shape.index_of(from) * 6 + axis as usize * 2 + usize::from(sign == Sign::Minus)
    }

    fn of_chip(&self, shape: PodShape, from: Coord, axis: Axis, sign: Sign) -> LinkValue {
        self.values.get(Self::index(shape, from, axis, sign)).copied().unwrap_or(LinkValue::Absent)
    }
}

/// The busiest of some links; missing if there are links but none has a value.
fn busiest(values: impl Iterator<Item = LinkValue>) -> LinkValue {
    values.fold(LinkValue::Absent, |best, value| match (best, value) {
        (LinkValue::Value(a), LinkValue::Value(b)) => LinkValue::Value(a.max(b)),
        (LinkValue::Value(_), _) | (_, LinkValue::Absent) => best,
        (_, value) => value,
    })
}

/// A link on the screen: from a node towards a neighbour, or outwards where it wraps.
struct Strand {
    hit: LinkHit,
    ends: [Pos2; 2],
    wraps: bool,
}

/// Links as they are drawn, and where each of them is.
pub(super) struct Woven {
    /// One mesh.
    pub shape: Shape,
    seen: Vec<([Pos2; 2], LinkHit)>,
}

impl Woven {
    /// The links of the last frame, or new ones when anything they depend on has changed; none without links.
    pub(super) fn kept(ui: &Ui, id: Id, network: Option<&Network<'_>>, tokens: &Tokens) -> Option<Arc<Self>> {
        type Kept = ((u64, Projection, bool, bool), Arc<Woven>);
        let network = network?;
        let lattice = network.lattice;
        let key = (lattice.model.revision, lattice.projection, tokens.dark, network.of_chips());
        let id = id.with("links");
        if let Some((_, woven)) = ui.data(|data| data.get_temp::<Kept>(id)).filter(|(kept, _)| *kept == key) {
            return Some(woven);
        }
        let woven = Arc::new(network.weave(tokens));
        ui.data_mut(|data| data.insert_temp::<Kept>(id, (key, Arc::clone(&woven))));
        Some(woven)
    }

    /// The link under a point; of those that are about as near to it the one nearest to the eye.
    pub(super) fn pick(&self, p: Pos2) -> Option<LinkHit> {
        let mut best: Option<(f32, LinkHit)> = None;
        for (ends, hit) in &self.seen {
            let away = distance(*ends, p);
            // Later links are nearer to the eye.
            if away <= REACH && best.as_ref().is_none_or(|(nearest, _)| away <= *nearest + 1.0) {
                best = Some((away, *hit));
            }
        }
        best.map(|(_, hit)| hit)
    }
}

/// The nodes of a picture with links: cubes or chips.
pub(super) struct Network<'a> {
    lattice: &'a Lattice<'a>,
    links: &'a Links,
    chips: Option<Chips>,
}

impl<'a> Network<'a> {
    /// The network of a picture that has one; `chips` draws every chip instead of cubes.
    pub(super) fn new(lattice: &'a Lattice<'a>, tokens: &Tokens, chips: bool) -> Option<Self> {
        let links =
            lattice.model.links.as_ref().filter(|links| links.values.len() == Links::count(lattice.model.shape))?;
        Some(Self { lattice, links, chips: chips.then(|| Chips::new(lattice, tokens)) })
    }

    /// Whether nodes are chips.
    pub(super) fn of_chips(&self) -> bool {
        self.chips.is_some()
    }

    /// Nodes from far to near: the chip or the cube, and its middle.
    fn nodes(&self) -> Vec<(Coord, Pos2)> {
        let cells = self.lattice.far_first();
        let Some(chips) = &self.chips else {
            return cells.map(|at| (at, self.lattice.origin(at) + self.lattice.brick.middle)).collect();
        };
        let shape = self.lattice.model.shape;
        cells.flat_map(|at| chips.nodes(self.lattice, at)).filter(|(chip, _)| shape.contains(*chip)).collect()
    }

    /// Nodes along each axis.
    fn size(&self) -> [u16; 3] {
        if self.of_chips() { self.lattice.model.shape.sizes3() } else { self.lattice.size }
    }

    /// Middle of a node.
    fn middle(&self, node: [u16; 3]) -> Pos2 {
        match &self.chips {
            None => self.lattice.origin(node.into()) + self.lattice.brick.middle,
            Some(chips) => chips.middle(self.lattice, node.into()),
        }
    }

    /// The value of what leaves a node along an axis.
    fn value(&self, node: Coord, axis: Axis, sign: Sign) -> LinkValue {
        let shape = self.lattice.model.shape;
        if self.of_chips() {
            return self.links.of_chip(shape, node, axis, sign);
        }
        let side = self.lattice.model.cell_side();
        let low = <[u16; 3]>::from(node).map(|n| n * side);
        let along = axis as usize;
        let (u, v) = ((along + 1) % 3, (along + 2) % 3);
        let face = (0..side).flat_map(|a| (0..side).map(move |b| [a, b])).map(|[a, b]| {
            let mut chip = low;
            chip[along] += if sign == Sign::Plus { side - 1 } else { 0 };
            chip[u] += a;
            chip[v] += b;
            Coord::from(chip)
        });
        busiest(face.filter(|chip| shape.contains(*chip)).map(|chip| self.links.of_chip(shape, chip, axis, sign)))
    }

    /// What leaves a node in a direction; nothing where there is no link.
    fn strand(&self, node: Coord, at: Pos2, (axis, sign): (Axis, Sign)) -> Option<Strand> {
        let value = self.value(node, axis, sign);
        if value == LinkValue::Absent {
            return None;
        }
        let along = axis as usize;
        let mut to = <[u16; 3]>::from(node);
        let last = self.size()[along] - 1;
        let wraps = match sign {
            Sign::Plus => to[along] == last,
            Sign::Minus => to[along] == 0,
        };
        let end = if wraps {
            let pitch = if self.of_chips() { SIDE / f32::from(self.lattice.model.cell_side()) } else { 1.0 };
            let out = if sign == Sign::Plus { STUB } else { -STUB };
            at + self.lattice.projection.axes[along] * (pitch * out)
        } else {
            to[along] = if sign == Sign::Plus { to[along] + 1 } else { to[along] - 1 };
            self.middle(to)
        };
        Some(Strand {
            hit: LinkHit { from: node, of_chips: self.of_chips(), axis, sign, value },
            ends: [at, end],
            wraps,
        })
    }

    /// Length of a link of an axis on the screen, in points.
    fn length(&self, axis: Axis) -> f32 {
        let along = self.lattice.projection.axes[axis as usize].length();
        if self.of_chips() { along * SIDE / f32::from(self.lattice.model.cell_side()) } else { along }
    }

    fn axes(&self) -> &'static [Axis] {
        &Axis::ALL[..self.lattice.model.shape.rank()]
    }

    /// Strands of a node: all that lead to farther nodes with their opposite, and the stubs of its wrap links.
    fn strands(&self, (node, at): (Coord, Pos2)) -> impl Iterator<Item = Strand> {
        self.axes().iter().flat_map(move |&axis| {
            let away = if self.lattice.projection.sees_far_end(axis as usize) { Sign::Minus } else { Sign::Plus };
            let back = if away == Sign::Minus { Sign::Plus } else { Sign::Minus };
            let out = self.strand(node, at, (axis, away));
            let mut next = <[u16; 3]>::from(node);
            let along = axis as usize;
            let last = self.size()[along] - 1;
            let inside = if away == Sign::Minus { next[along] > 0 } else { next[along] < last };
            let home = if inside {
                next[along] = if away == Sign::Minus { next[along] - 1 } else { next[along] + 1 };
                self.strand(next.into(), self.middle(next), (axis, back))
            } else {
                None
            };
            let stub = self.strand(node, at, (axis, back)).filter(|strand| strand.wraps);
            [out, home, stub].into_iter().flatten()
        })
    }

    /// All links and nodes as one mesh, far ones first.
    fn weave(&self, tokens: &Tokens) -> Woven {
        let nodes = self.nodes();
        let mut strokes = Strokes { mesh: Mesh::default(), links: self.links, tokens };
        strokes.mesh.reserve_vertices(nodes.len() * 28);
        strokes.mesh.reserve_triangles(nodes.len() * 14);
        let mut seen = Vec::with_capacity(nodes.len() * 6);
        let longest = Axis::ALL.into_iter().map(|axis| self.length(axis)).fold(0.0, f32::max);
        let side = if self.of_chips() { (longest * 0.16).clamp(1.0, 6.0) } else { 0.0 };
        let ground = mix(tokens.line3, tokens.bg0, 0.35);
        for node in nodes {
            if self.apart() {
                for strand in self.strands(node) {
                    let width = self.width(strand.hit.axis);
                    strokes.draw(&strand, width, true);
                    seen.push((offset(strand.ends, width), strand.hit));
                }
            } else {
                self.joined(node, &mut strokes, &mut seen);
            }
            if side > 0.0 {
                strokes.mesh.add_colored_rect(Rect::from_center_size(node.1, Vec2::splat(side)), ground);
            }
        }
        Woven { shape: Shape::mesh(strokes.mesh), seen }
    }

    /// Every link that is drawn, in order.
    #[cfg(test)]
    pub(super) fn hits(&self, tokens: &Tokens) -> Vec<LinkHit> {
        self.weave(tokens).seen.iter().map(|(_, hit)| *hit).collect()
    }

    /// Whether links are long enough to show both directions beside each other.
    fn apart(&self) -> bool {
        self.axes().iter().any(|&axis| self.length(axis) >= APART_FROM)
    }

    /// Width of the strokes of an axis, in points.
    fn width(&self, axis: Axis) -> f32 {
        (self.length(axis) * WIDTH).clamp(WIDTHS[0], WIDTHS[1])
    }

    /// Links that are too short for two strokes: one for the busier direction.
    fn joined(&self, node: (Coord, Pos2), strokes: &mut Strokes<'_>, seen: &mut Vec<([Pos2; 2], LinkHit)>) {
        let strands: Vec<Strand> = self.strands(node).collect();
        for &axis in self.axes() {
            let of_axis = || strands.iter().filter(|strand| strand.hit.axis == axis);
            for stub in of_axis().filter(|strand| strand.wraps) {
                strokes.draw(stub, WIDTHS[0], false);
                seen.push((stub.ends, stub.hit));
            }
            let pair = || of_axis().filter(|strand| !strand.wraps);
            if let Some(first) = pair().next() {
                let hit = LinkHit { value: busiest(pair().map(|strand| strand.hit.value)), ..first.hit };
                strokes.draw(&Strand { hit, ..*first }, WIDTHS[0], false);
                seen.push((first.ends, hit));
            }
        }
    }

    /// Where the legend stands: in the upper left corner, away from the axis numbers; nowhere in a small scene.
    pub(super) fn legend_place(&self, painter: &Painter, scene: Rect) -> Option<Rect> {
        let title = measure(painter, &self.links.legend.title, Type::Caption).x;
        let height = if self.apart() { 67.0 } else { 82.0 };
        let enough = scene.width() > 420.0 && scene.height() > 280.0;
        enough.then(|| Rect::from_min_size(scene.min + vec2(12.0, 12.0), vec2(title.max(150.0) + 16.0, height)))
    }

    /// The bar of the colours with its ends, and the signs for missing values and for joined directions.
    pub(super) fn legend(&self, painter: &Painter, scene: Rect, tokens: &Tokens) {
        let t = tokens;
        let legend = &self.links.legend;
        let (Some(place), apart) = (self.legend_place(painter, scene), self.apart()) else { return };
        painter.rect(
            place,
            size::RADIUS_PANEL,
            t.bg1,
            Stroke::new(size::STROKE_LINE, t.line1),
            egui::StrokeKind::Inside,
        );
        let inside = place.shrink(8.0);
        words(painter, inside.left_top(), Align2::LEFT_TOP, &legend.title, Type::Caption, t.text2);
        let bar = Rect::from_min_size(inside.min + vec2(0.0, 18.0), vec2(inside.width(), 8.0));
        color_bar(painter, bar, legend);
        let below = bar.bottom() + 9.0;
        words(painter, pos2(bar.left(), below), Align2::LEFT_CENTER, &legend.ends[0], Type::Caption, t.text1);
        words(painter, pos2(bar.right(), below), Align2::RIGHT_CENTER, &legend.ends[1], Type::Caption, t.text1);
        let y = below + 16.0;
        let mut dashes = Strokes { mesh: Mesh::default(), links: self.links, tokens };
        dashes.dashed([pos2(inside.left(), y), pos2(inside.left() + 24.0, y)], 2.0);
        painter.add(Shape::mesh(dashes.mesh));
        words(painter, pos2(inside.left() + 32.0, y), Align2::LEFT_CENTER, "no value", Type::Caption, t.text2);
        if !apart {
            let at = pos2(inside.left(), y + 15.0);
            words(painter, at, Align2::LEFT_CENTER, "busier direction", Type::Caption, t.text3);
        }
    }

    /// A link that stands out.
    pub(super) fn highlight(&self, painter: &Painter, hit: &LinkHit, tokens: &Tokens) {
        let at = self.middle(hit.from.into());
        let Some(strand) = self.strand(hit.from, at, (hit.axis, hit.sign)) else { return };
        let width = self.width(hit.axis);
        let ends = if self.apart() { offset(strand.ends, width) } else { strand.ends };
        painter.line_segment(ends, Stroke::new(width + 4.0, tokens.bg0));
        painter.line_segment(ends, Stroke::new(width + 1.5, tokens.text1));
    }
}

/// A line moved to its right by a width, so that the two directions of a link lie beside each other.
fn offset([a, b]: [Pos2; 2], width: f32) -> [Pos2; 2] {
    let along = (b - a).normalized();
    let aside = vec2(-along.y, along.x) * (width * 0.65);
    [a + aside, b + aside]
}

/// How far a point is from a line between two others.
fn distance([a, b]: [Pos2; 2], p: Pos2) -> f32 {
    let along = b - a;
    let share = ((p - a).dot(along) / along.length_sq().max(1e-6)).clamp(0.0, 1.0);
    (p - a - along * share).length()
}

/// Collects strokes.
struct Strokes<'a> {
    mesh: Mesh,
    links: &'a Links,
    tokens: &'a Tokens,
}

impl Strokes<'_> {
    fn draw(&mut self, strand: &Strand, width: f32, apart: bool) {
        let ends = if apart { offset(strand.ends, width) } else { strand.ends };
        match strand.hit.value {
            LinkValue::Value(value) => self.quad(ends, width, self.links.legend.scale.color(value)),
            LinkValue::Missing => self.dashed(ends, width),
            LinkValue::Absent => {}
        }
    }

    fn dashed(&mut self, [a, b]: [Pos2; 2], width: f32) {
        for n in [0.0, 0.4, 0.8] {
            self.quad([a + (b - a) * n, a + (b - a) * (n + 0.2)], width, self.tokens.missing_hatch);
        }
    }

    fn quad(&mut self, [a, b]: [Pos2; 2], width: f32, color: Color32) {
        let along = (b - a).normalized() * (width / 2.0);
        let across = vec2(-along.y, along.x);
        let n = self.mesh.vertices.len() as u32;
        let corners = [a + across, b + across, b - across, a - across];
        self.mesh.vertices.extend(corners.map(|corner| Vertex::untextured(corner, color)));
        self.mesh.indices.extend_from_slice(&[n, n + 1, n + 2, n, n + 2, n + 3]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: a missing value never counts as zero, and no link is not a missing value.
    #[test]
    fn the_busiest_link_ignores_what_is_missing() {
        use LinkValue::{Absent, Missing, Value};
        let of = |values: &[LinkValue]| busiest(values.iter().copied());
        assert_eq!(of(&[Value(0.1), Missing, Value(0.7), Absent]), Value(0.7));
        assert_eq!(of(&[Missing, Value(0.0)]), Value(0.0));
        assert_eq!(of(&[Absent, Missing]), Missing);
        assert_eq!(of(&[Absent]), Absent);
    }

    /// Protects: the two directions of a link lie on different sides of it.
    #[test]
    fn directions_lie_apart() {
        let (a, b) = (pos2(0.0, 0.0), pos2(10.0, 0.0));
        let [to, fro] = [offset([a, b], 2.0), offset([b, a], 2.0)];
        assert!((to[0].y - fro[0].y).abs() > 2.0, "{to:?} {fro:?}");
    }
}
