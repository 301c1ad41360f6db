//! Painting of a systolic array: cells as one texture, edges as arrows, what is going on as words.

use egui::epaint::TextShape;
use egui::{Align2, Color32, ColorImage, Mesh, Painter, Pos2, Rect, Response, Shape, Stroke, Ui, Vec2, pos2, vec2};
use topology::units::Fraction;

use super::layout::{GAPS_FROM, HEAD, LEGEND, Layout};
use super::model::{Cell, Edge, Systolic};
use crate::format::{count, percent};
use crate::ink::{focus_ring, kept_texture, measure, two_tone, words};
use crate::notice::TooltipCard;
use crate::paint::Line;
use crate::readout::readout;
use crate::theme::{Tokens, Type, size, translucent};

/// What one frame is drawn from.
pub(super) struct Frame<'a> {
    pub model: &'a Systolic<'a>,
    pub layout: Layout,
    pub cycle: u64,
    pub response: &'a Response,
    pub tokens: &'a Tokens,
}

/// How often each state occurs, in the order of [`Cell::ALL`].
pub(super) type Census = [usize; Cell::ALL.len()];

impl Frame<'_> {
    /// Draws everything; returns how many cells are in which state.
    pub(super) fn draw(&self, ui: &Ui, hovered: Option<[usize; 2]>) -> Census {
        let painter = ui.painter_at(self.layout.area);
        painter.rect_filled(self.layout.area, 0.0, self.tokens.bg0);
        let census = self.cells(ui, &painter);
        self.gaps(&painter);
        self.edges(&painter);
        self.head(&painter, &census);
        self.legend(&painter, &census);
        if let Some(at) = hovered {
            two_tone(&painter, self.layout.place(at).expand(0.5), 0.0);
            self.card(at);
        }
        if self.response.has_focus() {
            focus_ring(&painter, self.layout.area.shrink(4.0), self.tokens);
        }
        census
    }

    fn cells(&self, ui: &Ui, painter: &Painter) -> Census {
        let [rows, columns] = self.layout.size;
        let key = egui::util::hash((self.model.revision, self.cycle, self.layout.size, self.tokens.dark));
        let census_id = self.response.id.with("census");
        let colors = Cell::ALL.map(|cell| (cell, cell.color(self.tokens)));
        let texture = kept_texture(ui, self.response.id.with("cells"), key, || {
            let mut census = Census::default();
            let mut pixels = Vec::with_capacity(rows * columns);
            for row in 0..rows {
                for column in 0..columns {
                    let state = (self.model.cell)(self.cycle, row, column);
                    let known = colors.iter().position(|(cell, _)| *cell == state).unwrap_or_default();
                    census[known] += 1;
                    pixels.push(colors[known].1);
                }
            }
            ui.data_mut(|data| data.insert_temp(census_id, census));
            ColorImage::new([columns, rows], pixels)
        });
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(texture, self.layout.grid, whole, Color32::WHITE);
        ui.data(|data| data.get_temp(census_id)).unwrap_or_default()
    }

    /// Lines between large cells, or a line every 8 between small ones, and the frame around all.
    fn gaps(&self, painter: &Painter) {
        let Layout { grid, cell, size: [rows, columns], .. } = self.layout;
        let stride = if cell >= GAPS_FROM { 1 } else { 8 };
        let ink = if stride == 1 { self.tokens.bg0 } else { translucent(self.tokens.bg0, 0.35) };
        let line = Stroke::new(size::STROKE_LINE, ink);
        if cell * stride as f32 >= GAPS_FROM {
            for n in (stride..columns).step_by(stride) {
                painter.vline(grid.left() + n as f32 * cell - 0.5, grid.y_range(), line);
            }
            for n in (stride..rows).step_by(stride) {
                painter.hline(grid.x_range(), grid.top() + n as f32 * cell - 0.5, line);
            }
        }
        let frame = Stroke::new(size::STROKE_LINE, self.tokens.line2);
        painter.rect_stroke(grid, 0.0, frame, egui::StrokeKind::Outside);
    }

    /// Marks where something passes an edge, and what it is.
    fn edges(&self, painter: &Painter) {
        let Layout { grid, cell, size: [rows, columns], .. } = self.layout;
        let t = self.tokens;
        let [left, top, bottom] = self.model.edges;
        // Marks are never closer than 4 points; of finer rows every so many-th speaks.
        let stride = ((4.0 / cell).ceil() as usize).max(1);
        let side = (cell * stride as f32 * 0.7).clamp(3.0, 9.0);
        let mut mesh = Mesh::default();
        let mut mark = |edge: Edge, n: usize, (tip, along): (Pos2, Vec2), ink: Color32| {
            let passes = (self.model.passes)(self.cycle, edge, n);
            let color = if passes { ink } else { t.bg3 };
            let across = vec2(-along.y, along.x) * (side / 2.0);
            let first = mesh.vertices.len() as u32;
            let back = tip - along * side * 0.9;
            for corner in [tip, back + across, back - across] {
                mesh.colored_vertex(corner, color);
            }
            mesh.add_triangle(first, first + 1, first + 2);
        };
        let down = vec2(0.0, 1.0);
        let weights = Cell::Loading.color(t);
        for row in (0..rows).step_by(stride) {
            let middle = grid.top() + (row as f32 + 0.5 * stride as f32) * cell;
            mark(Edge::Left, row, (pos2(grid.left() - 4.0, middle), vec2(1.0, 0.0)), t.accent);
        }
        for column in (0..columns).step_by(stride) {
            let middle = grid.left() + (column as f32 + 0.5 * stride as f32) * cell;
            mark(Edge::Top, column, (pos2(middle, grid.top() - 4.0), down), weights);
            mark(Edge::Bottom, column, (pos2(middle, grid.bottom() + 5.0 + side * 0.9), down), t.text1);
        }
        painter.add(Shape::mesh(mesh));
        words(painter, grid.center_top() - vec2(0.0, 24.0), Align2::CENTER_CENTER, top, Type::Caption, t.text2);
        words(painter, grid.center_bottom() + vec2(0.0, 24.0), Align2::CENTER_CENTER, bottom, Type::Caption, t.text2);
        let galley = painter.layout_no_wrap(left.to_owned(), Type::Caption.font(), t.text2);
        let at = pos2(grid.left() - 34.0, grid.center().y + galley.size().x / 2.0);
        painter.add(TextShape::new(at, galley, t.text2).with_angle(-std::f32::consts::FRAC_PI_2));
    }

    /// Fold, phase, cycle, and the share of cells that work.
    fn head(&self, painter: &Painter, census: &Census) {
        let t = self.tokens;
        let area = self.layout.area;
        let row = Rect::from_min_size(area.min + vec2(12.0, 4.0), vec2(area.width() - 24.0, HEAD - 6.0));
        let cycle = format!("cycle {} of {}", count(self.cycle + 1), count(self.model.cycles));
        let busy = format!("{} busy", percent(busy_share(census), 0));
        let right =
            Line::new(&busy, Type::SecondaryStrong, t.text1).paint(painter, row.right_center(), Align2::RIGHT_CENTER);
        let mut left = row.left();
        let end = right.left() - 12.0;
        let phase = self.model.phase(self.cycle).and_then(|n| self.model.phases.get(n));
        let fold = phase.map(|phase| format!("fold {} of {}", count(phase.fold + 1), count(self.model.folds)));
        let parts = [
            (fold.as_deref(), Type::SecondaryStrong, t.text1),
            (Some(cycle.as_str()), Type::Secondary, t.text2),
            (phase.map(|phase| phase.name.as_str()), Type::Secondary, t.text2),
        ];
        for (text, style, ink) in parts {
            let Some(text) = text else { continue };
            let line = Line::new(text, style, ink);
            // A number that does not fit is left out: cut it would be another number.
            if left + line.width(painter) <= end {
                left = line.paint(painter, pos2(left, row.center().y), Align2::LEFT_CENTER).right() + 12.0;
            }
        }
    }

    /// The states that occur, with their counts.
    fn legend(&self, painter: &Painter, census: &Census) {
        let t = self.tokens;
        let area = self.layout.area;
        let mut at = pos2(area.left() + 12.0, area.bottom() - LEGEND / 2.0);
        for (state, &number) in Cell::ALL.iter().zip(census).filter(|(_, number)| **number > 0) {
            let text = format!("{} {}", state.word(), count(number as u64));
            let width = 16.0 + measure(painter, &text, Type::Caption).x;
            if at.x + width > area.right() - 8.0 {
                break;
            }
            let swatch = Rect::from_center_size(at + vec2(5.0, 0.0), Vec2::splat(10.0));
            if *state == Cell::Unused {
                painter.rect_stroke(swatch, 2.0, Stroke::new(size::STROKE_LINE, t.line2), egui::StrokeKind::Inside);
            } else {
                painter.rect_filled(swatch, 2.0, state.color(t));
            }
            words(painter, at + vec2(16.0, 0.0), Align2::LEFT_CENTER, &text, Type::Caption, t.text2);
            at.x += width + 14.0;
        }
    }

    fn card(&self, [row, column]: [usize; 2]) {
        let state = (self.model.cell)(self.cycle, row, column);
        let title = format!("Row {row}, column {column}");
        let cycle = count(self.cycle + 1);
        let rows = [("cycle", cycle.as_str())];
        readout(self.response, &TooltipCard { title: &title, value: state.word(), status: None, rows: &rows });
    }
}

/// Share of all cells that work.
pub(super) fn busy_share(census: &Census) -> Fraction {
    let all: usize = census.iter().sum();
    Fraction::clamped(census[0] as f64 / all.max(1) as f64)
}
