//! A torus unrolled: one small map for each layer of an axis.

mod layout;
mod model;

use egui::{Align2, Color32, ColorImage, Painter, Pos2, Rect, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo};
use egui::{pos2, vec2};
use topology::shape::Coord;

use crate::ink::{Keys, cross_line, focus_ring, hatch, kept_texture, stepped, two_tone, words};
use crate::theme::{SliceColor, Tokens, Type, mix, translucent};
use layout::Grid;
pub use model::*;

/// Draws the maps into the room that is left, scrolling when they do not fit.
pub fn show(ui: &mut Ui, model: &Planes, state: &mut PlanesState) -> PlanesOutput {
    let room = ui.available_size();
    let grid = Grid::fit(model, room);
    let scroll = ScrollArea::vertical().id_salt((&model.name, "planes")).auto_shrink(false);
    scroll.show(ui, |ui| contents(ui, model, &grid, state)).inner
}

fn contents(ui: &mut Ui, model: &Planes, grid: &Grid, state: &mut PlanesState) -> PlanesOutput {
    let size = grid.size().max(vec2(ui.available_width(), 0.0));
    let (area, response) = ui.allocate_exact_size(size, Sense::click());
    let corner = area.min;
    let mut output =
        PlanesOutput { hovered: response.hover_pos().and_then(|p| grid.cell_at(corner, p)), ..PlanesOutput::default() };
    if response.clicked() {
        response.request_focus();
        state.focus = output.hovered;
        output.clicked = output.hovered;
    }
    if response.double_clicked() {
        output.double_clicked = output.hovered;
    }
    let keys = Keys::read(ui, &response);
    if keys.moves() {
        let mut at = state.focus.map_or([0; 3], <[u16; 3]>::from);
        for (step, axis) in keys.step.into_iter().zip(grid.axes) {
            at[axis] = stepped(at[axis], step, model.size[axis]);
        }
        state.focus = Some(at.into());
    }
    if keys.enter {
        output.clicked = state.focus.or(output.clicked);
    }
    let tokens = Tokens::of(ui.ctx());
    let canvas = Canvas { painter: ui.painter_at(area), model, grid, tokens: &tokens, corner };
    canvas.cells(ui, response.id);
    canvas.numbers();
    for layer in 0..grid.layers {
        canvas.layer(layer);
    }
    let focus = state.focus.filter(|_| response.has_focus());
    if let Some(at) = output.hovered.or(model.shared_hover).or(focus) {
        canvas.crosshair(at);
    }
    if response.has_focus() {
        focus_ring(&canvas.painter, area.shrink(4.0), &tokens);
    }
    let spoken = describe(model, state.focus.or(output.hovered));
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(spoken.clone()),
        ..WidgetInfo::labeled(egui::Role::Grid, true, &model.name)
    });
    output
}

/// One sentence about a cell, or a summary of all for `None`.
pub fn describe(model: &Planes, at: Option<Coord>) -> String {
    let Some(at) = at else {
        let missing = model.cells.iter().filter(|tile| **tile == Tile::Missing).count();
        return format!("{} cells, {missing} missing", model.cells.len());
    };
    let what = match tile_at(model, at) {
        Tile::Value(value) => format!("value {value}"),
        Tile::Missing => "no sample".to_owned(),
        Tile::Slice { .. } => "in a slice".to_owned(),
        Tile::Free => "free".to_owned(),
        Tile::Spare => "spare".to_owned(),
        Tile::InRepair => "in repair".to_owned(),
        Tile::Ghost => "being placed".to_owned(),
        Tile::Absent => "not there".to_owned(),
    };
    format!("{at}, {what}")
}

fn tile_at(model: &Planes, at: Coord) -> Tile {
    let [x, y, _] = model.size.map(usize::from);
    let index = usize::from(at.x) + x * (usize::from(at.y) + y * usize::from(at.z));
    model.cells.get(index).copied().unwrap_or(Tile::Absent)
}

/// One frame's drawing.
struct Canvas<'a> {
    painter: Painter,
    model: &'a Planes,
    grid: &'a Grid,
    tokens: &'a Tokens,
    corner: Pos2,
}

impl Canvas<'_> {
    fn coord(&self, layer: usize, across: u16, down: u16) -> Coord {
        let mut at = [0; 3];
        (at[self.grid.axes[0]], at[self.grid.axes[1]], at[self.grid.axes[2]]) = (across, down, layer as u16);
        at.into()
    }

    fn places(&self) -> impl Iterator<Item = [u16; 2]> + use<> {
        let [across, down] = self.grid.plane;
        (0..down).flat_map(move |v| (0..across).map(move |u| [u, v]))
    }

    /// The cells of all layers: one texture without gaps for chips, single squares with gaps for cubes.
    fn cells(&self, ui: &Ui, id: egui::Id) {
        if self.model.step > 1 {
            return (0..self.grid.layers).for_each(|layer| self.squares(layer));
        }
        let key = egui::util::hash((self.model.revision, self.model.axis, self.tokens.dark));
        let texture = kept_texture(ui, id, key, || self.image());
        let share = 1.0 / self.grid.layers.max(1) as f32;
        for layer in 0..self.grid.layers {
            let top = layer as f32 * share;
            let uv = Rect::from_min_max(pos2(0.0, top), pos2(1.0, top + share));
            let map = self.grid.map(self.corner, layer);
            self.painter.image(texture, map, uv, Color32::WHITE);
            for place in self.places().filter(|&[u, v]| tile_at(self.model, self.coord(layer, u, v)) == Tile::Missing) {
                hatch(&self.painter, self.grid.tile(map, place), self.tokens);
            }
            self.cube_lines(map);
        }
    }

    /// One texel for each cell, layer below layer.
    fn image(&self) -> ColorImage {
        let [across, down] = self.grid.plane.map(usize::from);
        let pixels = (0..self.grid.layers)
            .flat_map(|layer| self.places().map(move |[u, v]| (layer, u, v)))
            .map(|(layer, u, v)| self.color(tile_at(self.model, self.coord(layer, u, v))));
        ColorImage::new([across, down * self.grid.layers], pixels.collect())
    }

    fn color(&self, tile: Tile) -> Color32 {
        let t = self.tokens;
        match tile {
            Tile::Value(value) => self.model.scale.map_or(t.bg3, |scale| scale.color(value)),
            Tile::Slice { color, quiet: false } => SliceColor::nth(color).fill,
            Tile::Slice { color, quiet: true } => SliceColor::nth(color).quiet(t).fill,
            Tile::Missing => t.missing,
            Tile::Spare => t.bg3,
            Tile::InRepair => t.crit_soft,
            Tile::Ghost => translucent(t.accent, 0.18),
            Tile::Free | Tile::Absent => Color32::TRANSPARENT,
        }
    }

    /// A line every four chips: the borders of cubes.
    fn cube_lines(&self, map: Rect) {
        let stroke = Stroke::new(1.0, translucent(self.tokens.bg0, 0.35));
        let steps = |n: u16| (4..n).step_by(4).map(|n| f32::from(n) * self.grid.cell + 0.5);
        for x in steps(self.grid.plane[0]) {
            self.painter.vline(map.left() + x, map.y_range(), stroke);
        }
        for y in steps(self.grid.plane[1]) {
            self.painter.hline(map.x_range(), map.top() + y, stroke);
        }
    }

    fn squares(&self, layer: usize) {
        let map = self.grid.map(self.corner, layer);
        let some_quiet = self.model.cells.iter().any(|tile| matches!(tile, Tile::Slice { quiet: true, .. }));
        for place in self.places() {
            let tile = tile_at(self.model, self.coord(layer, place[0], place[1]));
            let cell = self.grid.tile(map, place);
            let square = Rect::from_min_max(cell.min, cell.max - vec2(1.0, 1.0));
            self.square(tile, square, some_quiet);
        }
    }

    fn square(&self, tile: Tile, square: Rect, some_quiet: bool) {
        let t = self.tokens;
        if tile == Tile::Missing {
            return hatch(&self.painter, square, t);
        }
        self.painter.rect_filled(square, 1.0, self.color(tile));
        let frame = |color| self.painter.rect_stroke(square, 1.0, Stroke::new(1.0, color), StrokeKind::Inside);
        match tile {
            Tile::Free => {
                frame(t.line2);
            }
            Tile::Ghost => {
                frame(translucent(t.accent, 0.5));
            }
            Tile::Spare => {
                let style = if square.width() < 14.0 { return } else { Type::Caption };
                words(&self.painter, square.center(), Align2::CENTER_CENTER, "S", style, t.text2);
            }
            Tile::InRepair => {
                let inner = square.shrink(square.width() * 0.2);
                let stroke = Stroke::new(1.6, t.crit);
                self.painter.line_segment([inner.left_top(), inner.right_bottom()], stroke);
                self.painter.line_segment([inner.right_top(), inner.left_bottom()], stroke);
            }
            Tile::Slice { color, quiet } => self.slice_square(SliceColor::nth(color), quiet, square, some_quiet),
            _ => {}
        }
    }

    /// Chips of a selected slice, stripes of a colour used twice, and the edge that pale colours need on white.
    fn slice_square(&self, color: SliceColor, quiet: bool, square: Rect, some_quiet: bool) {
        let ink = if quiet { mix(color.edge(), self.tokens.bg0, 0.5) } else { color.edge() };
        if !quiet && some_quiet && square.width() > 16.0 {
            for n in 1..4 {
                let at = square.width() * n as f32 / 4.0;
                self.painter.vline(square.left() + at, square.y_range(), Stroke::new(0.6, ink));
                self.painter.hline(square.x_range(), square.top() + at, Stroke::new(0.6, ink));
            }
        }
        if color.striped {
            let stroke = Stroke::new(1.2, ink);
            self.painter.line_segment([square.left_bottom(), square.right_top()], stroke);
            self.painter.line_segment([square.left_center(), square.center_top()], stroke);
            self.painter.line_segment([square.center_bottom(), square.right_center()], stroke);
        }
        if let Some(edge) = color.swatch_edge(self.tokens).filter(|_| !quiet) {
            self.painter.rect_stroke(square, 1.0, Stroke::new(1.0, edge), StrokeKind::Inside);
        }
    }

    /// Axis numbers in chips: beside the first map of each row, below the first map of the last row.
    fn numbers(&self) {
        let stride = if self.model.step > 1 { 1 } else { 4 };
        let rows = self.grid.layers.div_ceil(self.grid.columns);
        let put = |at: Pos2, anchor, n: u16| {
            let text = (n * self.model.step).to_string();
            words(&self.painter, at, anchor, &text, Type::Caption, self.tokens.text3);
        };
        for row in 0..rows {
            let map = self.grid.map(self.corner, row * self.grid.columns);
            for v in (0..self.grid.plane[1]).step_by(stride) {
                put(pos2(map.left() - 8.0, self.grid.tile(map, [0, v]).center().y), Align2::RIGHT_CENTER, v);
            }
            if row + 1 == rows {
                for u in (0..self.grid.plane[0]).step_by(stride) {
                    put(pos2(self.grid.tile(map, [u, 0]).center().x, map.bottom() + 10.0), Align2::CENTER_CENTER, u);
                }
            }
        }
    }

    /// Title and outlines of a layer.
    fn layer(&self, layer: usize) {
        let map = self.grid.map(self.corner, layer);
        let (first, step) = (layer as u16 * self.model.step, self.model.step);
        let name = self.model.axis.name();
        let title = if step > 1 { format!("{name} {first}–{}", first + step - 1) } else { format!("{name} {first}") };
        let mut chosen = false;
        for outline in &self.model.outlines {
            if let Some(rect) = self.outline_on(outline, layer, map) {
                chosen |= outline.kind == OutlineKind::Selected;
                self.outline(outline.kind, rect);
            }
        }
        let (style, color) =
            if chosen { (Type::SecondaryStrong, self.tokens.text1) } else { (Type::Secondary, self.tokens.text2) };
        words(&self.painter, pos2(map.left(), map.top() - 5.0), Align2::LEFT_BOTTOM, &title, style, color);
    }

    fn outline_on(&self, outline: &Outline, layer: usize, map: Rect) -> Option<Rect> {
        let (first, from) = self.grid.place(outline.at);
        let [across, down, through] = self.grid.axes.map(|axis| outline.size[axis]);
        let here = layer >= first && layer < first + usize::from(through);
        let last = [from[0] + across.max(1) - 1, from[1] + down.max(1) - 1];
        here.then(|| self.grid.tile(map, from).union(self.grid.tile(map, last)))
    }

    fn outline(&self, kind: OutlineKind, rect: Rect) {
        let t = self.tokens;
        let rect = if self.model.step > 1 { rect.translate(vec2(-0.5, -0.5)).expand(1.0) } else { rect.expand(0.5) };
        let line = |color| self.painter.rect_stroke(rect, 2.0, Stroke::new(1.5, color), StrokeKind::Middle);
        match kind {
            OutlineKind::Selected if self.model.scale.is_some() => two_tone(&self.painter, rect, 2.0),
            OutlineKind::Selected => {
                self.painter.rect_stroke(rect, 2.0, Stroke::new(3.5, t.bg0), StrokeKind::Middle);
                line(t.text1);
            }
            OutlineKind::Ghost => {
                line(t.accent);
            }
            OutlineKind::BadGhost => {
                line(t.crit);
            }
        }
    }

    fn crosshair(&self, at: Coord) {
        let (layer, place) = self.grid.place(at);
        if layer >= self.grid.layers {
            return;
        }
        let map = self.grid.map(self.corner, layer);
        let tile = self.grid.tile(map, place);
        let wide = map.expand(4.0);
        let (x, y) = (tile.center().x, tile.center().y);
        cross_line(&self.painter, pos2(x, wide.top()), pos2(x, wide.bottom()));
        cross_line(&self.painter, pos2(wide.left(), y), pos2(wide.right(), y));
        two_tone(&self.painter, tile.expand(0.5), 0.0);
    }
}
