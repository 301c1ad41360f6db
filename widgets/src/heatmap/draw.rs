//! Painting of a heat map.

use std::sync::Arc;

use egui::epaint::TextShape;
use egui::{Align2, Color32, ColorImage, Painter, Rangef, Rect, Response, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use super::layout::Layout;
use super::model::{Gravity, Heatmap, HeatmapOutput, HeatmapState, MeanStrip};
use super::sample::{self, shown};
use crate::chart::Strip;
use crate::colormap::Range;
use crate::icon;
use crate::ink::{cross_line, dashed, focus_ring, hatch, kept_texture, measure, two_tone, words};
use crate::theme::{Tokens, Type, translucent};

/// What one frame is drawn from.
pub(super) struct Frame<'a> {
    pub model: &'a Heatmap,
    pub layout: Layout,
    pub response: &'a Response,
    pub tokens: &'a Tokens,
    pub state: &'a HeatmapState,
    pub output: HeatmapOutput,
}

/// Draws everything, data first.
pub(super) fn draw(ui: &Ui, frame: &Frame<'_>) {
    let painter = ui.painter_at(frame.response.rect);
    frame.cells(ui, &painter);
    frame.groups(&painter);
    if let Some(mean) = &frame.model.mean {
        frame.mean(&painter, mean);
    }
    frame.ticks(&painter);
    frame.alerts(&painter);
    frame.marks(&painter);
    frame.crosshair(ui, &painter);
    if frame.response.has_focus() {
        focus_ring(&painter, frame.layout.map, frame.tokens);
    }
}

impl Frame<'_> {
    fn cells(&self, ui: &Ui, painter: &Painter) {
        let buckets = self.layout.buckets;
        let key = egui::util::hash((self.model.revision, buckets, self.tokens.dark));
        let id = self.response.id.with("cells");
        let gaps_id = self.response.id.with("gaps");
        let texture = kept_texture(ui, id, key, || {
            let (rows, count) = (self.model.rows, buckets.count);
            let cells: Vec<Option<f32>> = (0..rows)
                .flat_map(|row| (0..count).map(move |bucket| shown(self.model, row, buckets.columns(bucket))))
                .collect();
            ui.data_mut(|data| data.insert_temp(gaps_id, Arc::new(sample::missing(&cells, count))));
            let color = |value: &Option<f32>| value.map_or(self.tokens.missing, |value| self.model.scale.color(value));
            ColorImage::new([count, rows], cells.iter().map(color).collect())
        });
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        painter.image(texture, self.layout.map, whole, Color32::WHITE);
        let gaps = ui.data(|data| data.get_temp::<Arc<Vec<[usize; 4]>>>(gaps_id)).unwrap_or_default();
        for &gap in gaps.iter() {
            let area = self.layout.area(gap);
            hatch(painter, area, self.tokens);
            painter.rect_stroke(area, 0.0, Stroke::new(1.0, self.tokens.line3), StrokeKind::Outside);
        }
    }

    /// Lines between groups, and their names and first numbers at the side.
    fn groups(&self, painter: &Painter) {
        let t = self.tokens;
        let (map, row_height) = (self.layout.map, self.layout.row_height());
        let (mut first, mut free_from) = (0, f32::NEG_INFINITY);
        for group in &self.model.groups {
            let (top, height) = (map.top() + first as f32 * row_height, group.rows as f32 * row_height);
            if first > 0 {
                painter.hline(map.x_range(), top + 0.5, Stroke::new(1.5, t.bg0));
            }
            let middle = top + height / 2.0;
            if middle - 7.0 >= free_from {
                let at = pos2(map.left() - 10.0, middle);
                words(painter, at, Align2::RIGHT_CENTER, &group.label, Type::Caption, t.text2);
                free_from = middle + 9.0;
            }
            if height >= 34.0 {
                let at = pos2(map.left() - 10.0, top + 8.0);
                words(painter, at, Align2::RIGHT_CENTER, &first.to_string(), Type::Caption, t.text3);
            }
            first += group.rows;
        }
        let galley = painter.layout_no_wrap(self.model.row_title.clone(), Type::Caption.font(), t.text3);
        let at = pos2(self.response.rect.left() + 8.0, map.center().y + galley.size().x / 2.0);
        painter.add(TextShape::new(at, galley, t.text3).with_angle(-std::f32::consts::FRAC_PI_2));
    }

    fn mean(&self, painter: &Painter, mean: &MeanStrip) {
        let t = self.tokens;
        let strip = self.layout.strip;
        let [(low, low_text), (high, high_text)] = &mean.axis;
        let left = self.layout.map.left() - 10.0;
        for (y, text) in [(strip.bottom(), low_text), (strip.top(), high_text)] {
            painter.hline(strip.x_range(), y + 0.5, Stroke::new(1.0, t.line1));
            words(painter, pos2(left, y), Align2::RIGHT_CENTER, text, Type::Caption, t.text3);
        }
        let at = pos2(self.response.rect.left() + 8.0, strip.center().y);
        words(painter, at, Align2::LEFT_CENTER, "mean", Type::Caption, t.text2);
        let buckets = self.layout.buckets;
        let spans: Vec<[usize; 2]> = (0..buckets.count).map(|bucket| buckets.columns(bucket)).collect();
        let line: Vec<Option<f32>> = spans
            .iter()
            .map(|&[from, to]| sample::mean(mean.mean.get(from..to).unwrap_or_default().iter().copied()))
            .collect();
        let band: Vec<Option<[f32; 2]>> = spans
            .iter()
            .map(|&[from, to]| {
                let present = mean.band.get(from..to).unwrap_or_default().iter().flatten().copied();
                present.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
            })
            .collect();
        let painter = painter.with_clip_rect(strip.expand(1.0));
        let range = Range { low: *low, high: *high };
        Strip { line: &line, band: &band, range }.paint(&painter, strip, strip.x_range(), t);
    }

    fn ticks(&self, painter: &Painter) {
        let bottom = self.layout.map.bottom();
        let mut free_from = f32::NEG_INFINITY;
        for tick in &self.model.ticks {
            let x = self.layout.x(tick.column);
            if !self.layout.map.x_range().contains(x) {
                continue;
            }
            painter.vline(x.floor() + 0.5, Rangef::new(bottom, bottom + 5.0), Stroke::new(1.0, self.tokens.line3));
            let half = measure(painter, &tick.label, Type::Caption).x / 2.0;
            if x - half >= free_from {
                let at = pos2(x, bottom + 13.0);
                words(painter, at, Align2::CENTER_CENTER, &tick.label, Type::Caption, self.tokens.text3);
                free_from = x + half + 8.0;
            }
        }
    }

    /// Dashed lines over strip and map; icon and words below, words left out where they would overlap.
    fn alerts(&self, painter: &Painter) {
        let t = self.tokens;
        let (map, y) = (self.layout.map, self.layout.map.bottom() + 31.0);
        let right = self.response.rect.right() - 4.0;
        let mut free_from = f32::NEG_INFINITY;
        let mut alerts: Vec<_> = self.model.alerts.iter().collect();
        alerts.sort_by(|a, b| a.column.total_cmp(&b.column));
        let places: Vec<f32> = alerts.iter().map(|alert| self.layout.x(alert.column).floor() + 0.5).collect();
        for (n, alert) in alerts.iter().enumerate() {
            let x = places[n];
            if !map.x_range().contains(x) {
                continue;
            }
            let (color, picture) = match alert.gravity {
                Gravity::Warn => (t.warn, icon::WARNING_FILL),
                Gravity::Crit => (t.crit, icon::WARNING_DIAMOND_FILL),
            };
            let top = if self.model.mean.is_some() { self.layout.strip.top() } else { map.top() };
            dashed(painter, &[pos2(x, top), pos2(x, map.bottom() + 22.0)], Stroke::new(1.0, color), [4.0, 3.0]);
            picture.paint(painter, pos2(x, y), 13.0, color);
            let width = measure(painter, &alert.label, Type::Caption).x;
            let before_next = places.get(n + 1).is_none_or(|next| x + 11.0 + width + 10.0 <= *next);
            let (from, to) =
                if x + 11.0 + width <= right { (x + 11.0, x + 11.0 + width) } else { (x - 11.0 - width, x) };
            if before_next && from >= free_from {
                words(painter, pos2(from, y), Align2::LEFT_CENTER, &alert.label, Type::Caption, t.text1);
                free_from = to + 8.0;
            }
        }
    }

    /// Outlines of stretches, with a tag at the end of the row.
    fn marks(&self, painter: &Painter) {
        let t = self.tokens;
        let map = self.layout.map;
        let mut tags: Vec<Rect> = Vec::new();
        for mark in &self.model.marks {
            let rect = self.layout.stretch(mark.row, mark.columns);
            if !rect.is_positive() {
                continue;
            }
            two_tone(painter, rect.expand2(vec2(0.0, 2.0)), 1.0);
            let size = vec2(measure(painter, &mark.label, Type::CaptionStrong).x + 12.0, 20.0);
            let tag = Rect::from_min_size(pos2(map.right() + 6.0, (rect.center().y - 10.0).round()), size);
            if tags.iter().all(|other| !other.intersects(tag)) {
                painter.rect(tag, 3.0, t.bg2, Stroke::new(1.0, t.line2), StrokeKind::Inside);
                words(painter, tag.center(), Align2::CENTER_CENTER, &mark.label, Type::CaptionStrong, t.text1);
                tags.push(tag);
            }
        }
    }

    fn crosshair(&self, ui: &Ui, painter: &Painter) {
        let map = self.layout.map;
        let focus = self.state.focus.filter(|_| self.response.has_focus());
        if let (Some(from), Some(p)) = (self.state.range_from, ui.input(|input| input.pointer.latest_pos())) {
            let x = p.x.clamp(map.left(), map.right());
            let area = Rect::from_two_pos(pos2(self.layout.x(from as f32), map.top()), pos2(x, map.bottom()));
            painter.rect_filled(area, 0.0, translucent(self.tokens.accent, 0.25));
        }
        let Some((column, row)) = self.output.hovered.or(self.model.shared_hover).or(focus) else { return };
        if row >= self.model.rows {
            return;
        }
        let cell = self.layout.stretch(row, [column, column + 1]);
        let center: Vec2 = cell.center().to_vec2();
        if map.x_range().contains(center.x) {
            let top = if self.model.mean.is_some() { self.layout.strip.top() } else { map.top() };
            cross_line(painter, pos2(center.x, top), pos2(center.x, map.bottom()));
        }
        cross_line(painter, pos2(map.left(), center.y), pos2(map.right(), center.y));
    }
}
