//! What the lanes do, as one mesh: blocks in the colour of their kind, bands where spans are too fine.

use std::sync::Arc;

use egui::{Color32, Id, Mesh, Painter, Rect, Shape, Stroke, Ui, pos2};

use super::index::Index;
use super::layout::Layout;
use super::merge::{Pieces, Ruler, pieces};
use super::model::{Kind, Timeline};
use crate::paint::hatch_lines;
use crate::theme::{Tokens, mix};

/// Everything that is drawn of the lanes, and where.
#[derive(Debug)]
pub(super) struct Bars {
    /// Blocks, bands and hatches.
    pub shapes: Vec<Shape>,
    /// What each lane was sorted into.
    pub lanes: Vec<Pieces>,
}

/// The colours of one picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette<'a> {
    pub tokens: &'a Tokens,
    /// Numbers are older than their inputs: everything is grey.
    pub stale: bool,
}

impl Palette<'_> {
    /// A colour, or its quiet grey while numbers are stale.
    pub(super) fn shade(&self, color: Color32) -> Color32 {
        if !self.stale {
            return color;
        }
        let [r, g, b, _] = color.to_array().map(f32::from);
        let light = (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255.0;
        mix(mix(Color32::BLACK, Color32::WHITE, light), self.tokens.bg0, 0.5)
    }

    /// The fill of a kind.
    pub(crate) fn fill(&self, kind: Kind) -> Color32 {
        self.shade(kind.color().map_or(self.tokens.warn, |color| color.fill))
    }

    /// Text on a kind.
    pub(super) fn on(&self, kind: Kind) -> Color32 {
        match kind.color() {
            _ if self.stale => self.tokens.text2,
            Some(color) => color.on,
            None => self.tokens.text1,
        }
    }

    /// The fill of one column of a band: exposed communication is striped there as it is hatched in blocks.
    fn column(&self, kind: Kind, x: f32) -> Color32 {
        let striped = kind == Kind::Exposed && (x / 2.0).floor().rem_euclid(2.0) > 0.5;
        if striped { self.shade(self.tokens.warn_soft) } else { self.fill(kind) }
    }

    /// A plain block, with the inside edge that pale colours need on white.
    fn plain(&self, mesh: &mut Mesh, place: Rect, kind: Kind) {
        let edge = kind.color().and_then(|color| color.swatch_edge(self.tokens)).filter(|_| place.width() > 3.0);
        match edge {
            Some(edge) => {
                mesh.add_colored_rect(place, self.shade(edge));
                mesh.add_colored_rect(place.shrink(1.0), self.fill(kind));
            }
            None => mesh.add_colored_rect(place, self.fill(kind)),
        }
    }

    /// The square of a kind in the legend.
    pub(super) fn swatch(&self, painter: &Painter, place: Rect, kind: Kind) {
        if kind == Kind::Exposed {
            let mut shapes = Vec::new();
            self.exposed(&mut shapes, place);
            painter.extend(shapes);
        } else {
            let mut mesh = Mesh::default();
            self.plain(&mut mesh, place, kind);
            painter.add(Shape::mesh(mesh));
        }
    }

    /// The block of exposed communication.
    fn exposed(&self, shapes: &mut Vec<Shape>, place: Rect) {
        let warn = self.shade(self.tokens.warn);
        shapes.push(Shape::rect_filled(place, 0.0, self.shade(self.tokens.warn_soft)));
        shapes.extend(hatch_lines(place, Stroke::new(1.0, warn)));
        shapes.push(Shape::rect_stroke(place, 0.0, Stroke::new(1.0, warn), egui::StrokeKind::Inside));
    }
}

/// Blocks and bands of one lane into `row`.
fn lane(model: &Timeline, pieces: &Pieces, (number, row): (usize, Rect), palette: &Palette<'_>) -> (Mesh, Vec<Shape>) {
    let (mut mesh, mut hatched) = (Mesh::default(), Vec::new());
    let spans = &model.lanes[number].spans;
    for &(n, [from, to]) in &pieces.blocks {
        let kind = spans[n].kind;
        // One point of ground stays between neighbours that are wide enough to spare it.
        let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
        let place = Rect::from_min_max(pos2(from, row.top()), pos2((to - gap).max(from + 1.0), row.bottom()));
        if kind == Kind::Exposed {
            palette.exposed(&mut hatched, place);
        } else {
            palette.plain(&mut mesh, place, kind);
        }
    }
    for band in &pieces.bands {
        for (n, &(share, kind)) in band.columns.iter().enumerate() {
            let left = band.x[0] + n as f32;
            let fill = palette.column(kind, left);
            let top = row.bottom() - (row.height() * share).max(1.0);
            let place = Rect::from_min_max(pos2(left, top), pos2((left + 1.0).min(band.x[1].max(left)), row.bottom()));
            mesh.add_colored_rect(place, mix(fill, palette.tokens.bg0, 0.25));
        }
    }
    (mesh, hatched)
}

impl Bars {
    fn new(model: &Timeline, index: &Index, palette: &Palette<'_>, (ruler, rows): (&Ruler, &[Rect])) -> Self {
        let mut mesh = Mesh::default();
        let (mut shapes, mut lanes) = (Vec::new(), Vec::new());
        for (n, &row) in rows.iter().enumerate() {
            let found = pieces(model, index, n, ruler);
            let (bars, hatched) = lane(model, &found, (n, row), palette);
            mesh.append(bars);
            shapes.extend(hatched);
            lanes.push(found);
        }
        shapes.insert(0, Shape::mesh(mesh));
        Self { shapes, lanes }
    }

    /// The bars of the lanes in view, from the last frame if nothing has changed since.
    pub(super) fn of_lanes(ui: &Ui, id: Id, parts: (&Timeline, &Index, &Palette<'_>), layout: &Layout) -> Arc<Self> {
        let rows: Vec<Rect> = (0..parts.0.lanes.len()).map(|n| layout.row(n)).collect();
        Self::kept(ui, id.with("bars"), parts, (&layout.ruler, &rows))
    }

    /// All lanes, thin, below each other in the small map.
    pub(super) fn of_map(ui: &Ui, id: Id, parts: (&Timeline, &Index, &Palette<'_>), layout: &Layout) -> Arc<Self> {
        let step = layout.map.height() / parts.0.lanes.len().max(1) as f32;
        let row = |n: usize| {
            let top = layout.map.top() + step * n as f32;
            Rect::from_x_y_ranges(layout.map.x_range(), top..=top + step)
        };
        let rows: Vec<Rect> = (0..parts.0.lanes.len()).map(row).collect();
        Self::kept(ui, id.with("map bars"), parts, (&layout.whole, &rows))
    }

    fn kept(ui: &Ui, id: Id, parts: (&Timeline, &Index, &Palette<'_>), place: (&Ruler, &[Rect])) -> Arc<Self> {
        type Kept = (u64, Arc<Bars>);
        let (model, index, palette) = parts;
        let corners = place.1.iter().flat_map(|row| [row.top(), row.bottom()]).chain(place.0.x).map(f32::to_bits);
        let key = egui::util::hash((
            model.revision,
            place.0.view_s.map(f64::to_bits),
            corners.collect::<Vec<_>>(),
            [palette.tokens.dark, palette.stale],
        ));
        if let Some((_, bars)) = ui.data(|data| data.get_temp::<Kept>(id)).filter(|(kept, _)| *kept == key) {
            return bars;
        }
        let bars = Arc::new(Self::new(model, index, palette, place));
        ui.data_mut(|data| data.insert_temp::<Kept>(id, (key, Arc::clone(&bars))));
        bars
    }
}
