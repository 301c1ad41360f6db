//! Painting of a comparison.

use egui::{Align, Id, Painter, Rect, Response, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use super::model::{CellId, Compare, CompareOutput, CompareState, Metric, Standing};
use super::{Layout, PAD, Scenario, WORD, below};
use crate::estimate::BAR;
use crate::icon;
use crate::paint::{Line, focus_ring, hatch};
use crate::theme::{Tokens, Type, size};

/// Width of the hatch that stands for a value that was not computed.
const HATCH: f32 = 44.0;

/// What one frame is drawn from.
pub(super) struct Frame<'a> {
    pub ui: &'a Ui,
    pub model: &'a Compare,
    pub layout: &'a Layout,
    pub tokens: &'a Tokens,
    pub output: &'a CompareOutput,
    pub state: &'a CompareState,
}

impl Frame<'_> {
    /// Draws everything, grounds first.
    pub(super) fn draw(&self, heads: &[Response], cells: &[(CellId, Response)]) {
        let painter = self.ui.painter_at(self.layout.area.expand(3.0));
        let t = self.tokens;
        let area = self.layout.area;
        painter.rect_filled(area, 0.0, t.bg1);
        if let Some(hovered) = self.output.hovered {
            painter.rect_filled(self.layout.name(hovered.metric).with_max_x(area.right()), 0.0, t.row_hover());
        }
        if let Some(chosen) = self.model.chosen.filter(|&n| n < self.model.scenarios.len()) {
            painter.rect_filled(self.layout.head(chosen).with_max_y(area.bottom()), 0.0, t.accent_soft);
        }
        for &y in &self.layout.rows {
            painter.hline(area.x_range(), y - 0.5, Stroke::new(size::STROKE_LINE, t.line1));
        }
        self.corner(&painter);
        for (n, scenario) in self.model.scenarios.iter().enumerate() {
            self.head(&painter, (n, scenario), heads.get(n));
        }
        for (n, metric) in self.model.metrics.iter().enumerate() {
            let place = self.layout.name(n).shrink2(vec2(size::PANEL_GAP, 0.0));
            let [upper, lower, _] = self.lines(place, metric);
            Line::new(&metric.name, Type::SecondaryMedium, t.text1).within(&painter, upper, Align::Min);
            Line::new(&metric.unit, Type::Caption, t.text3).within(&painter, lower, Align::Min);
        }
        for (at, response) in cells {
            self.cell(&painter, *at, response);
        }
        if let Some(at) = self.state.explained.filter(|at| self.is_there(*at)) {
            let place = self.layout.cell(at);
            painter.rect_stroke(place, 0.0, Stroke::new(size::STROKE_FOCUS, t.accent), StrokeKind::Inside);
        }
        for (_, response) in cells.iter().filter(|(_, response)| response.has_focus()) {
            focus_ring(&painter, response.rect.shrink(4.0), size::RADIUS, t);
        }
    }

    /// The lines of text in a row: value, change, and the word where it stands alone.
    fn lines(&self, place: Rect, metric: &Metric) -> [Rect; 3] {
        let word = if self.layout.tight { WORD } else { 0.0 };
        let height = 30.0 + word + if metric.axis().is_some() { BAR + 2.0 } else { 0.0 };
        let top = (place.center().y - height / 2.0).round();
        let line = |top: f32, height: f32| Rect::from_min_size(pos2(place.left(), top), vec2(place.width(), height));
        [line(top, 16.0), line(top + 16.0, 14.0), line(top + 30.0, word)]
    }

    fn is_there(&self, at: CellId) -> bool {
        at.metric < self.model.metrics.len() && at.scenario < self.model.scenarios.len()
    }

    /// How many scenarios there are, and whether some wait for newer numbers.
    fn corner(&self, painter: &Painter) {
        let t = self.tokens;
        let place = self.layout.head(0).with_max_x(self.layout.left(0)).with_min_x(self.layout.area.left());
        let inside = place.shrink2(vec2(size::PANEL_GAP, 0.0));
        let row = |n: f32| Rect::from_min_size(inside.min + vec2(0.0, 8.0 + 15.0 * n), vec2(inside.width(), 16.0));
        let count = self.model.scenarios.len();
        let text = if count == 1 { "1 scenario".to_owned() } else { format!("{count} scenarios") };
        Line::new("Compare", Type::Caption, t.text3).within(painter, row(0.0), Align::Min);
        Line::new(&text, Type::Caption, t.text3).within(painter, row(1.0), Align::Min);
        if self.model.scenarios.iter().any(|scenario| scenario.stale) {
            Line::new("updating…", Type::Caption, t.text2).within(painter, row(2.0), Align::Min);
        }
    }

    fn head(&self, painter: &Painter, (n, scenario): (usize, &Scenario), response: Option<&Response>) {
        let t = self.tokens;
        let place = self.layout.head(n);
        let chosen = self.model.chosen == Some(n);
        let hovered = response.is_some_and(Response::hovered);
        if hovered && !chosen {
            painter.rect_filled(place.with_max_y(place.bottom() - 1.0), 0.0, t.row_hover());
        }
        let inside = place.shrink2(vec2(PAD, 0.0));
        let row = |n: f32| Rect::from_min_size(inside.min + vec2(0.0, 8.0 + 15.0 * n), vec2(inside.width(), 16.0));
        let ink = if chosen { t.accent } else { t.text1 };
        let name = Line::new(&scenario.name, Type::SecondaryStrong, ink).within(painter, row(0.0), Align::Max);
        if scenario.stale {
            icon::HOURGLASS.paint(painter, pos2(name.left() - 9.0, name.center().y), size::ICON_CHIP, t.text2);
        }
        for (line, text) in scenario.lines.iter().enumerate() {
            Line::new(text, Type::Caption, t.text3).within(painter, row(1.0 + line as f32), Align::Max);
        }
        if response.is_some_and(Response::has_focus) {
            focus_ring(painter, place.shrink(4.0), size::RADIUS, t);
        }
    }

    fn cell(&self, painter: &Painter, at: CellId, response: &Response) {
        let t = self.tokens;
        let metric = &self.model.metrics[at.metric];
        let stale = self.model.scenarios[at.scenario].stale;
        let inside = self.layout.cell(at).shrink2(vec2(PAD, 0.0));
        let [upper, lower, word] = self.lines(inside, metric);
        let below = below(metric, at.scenario, self.layout.tight);
        let say = |ink| {
            for (text, room) in below.iter().zip([lower, word]) {
                Line::new(text, Type::Caption, ink).within(painter, room, Align::Max);
            }
        };
        let Some(cell) = metric.cell(at.scenario) else {
            let gap = Rect::from_center_size(upper.center(), vec2(HATCH.min(upper.width()), 12.0));
            hatch(painter, gap.translate(vec2(upper.right() - gap.right(), 0.0)), t);
            return say(t.text3);
        };
        let verdict = metric.verdict(at.scenario);
        let best = verdict.standing == Standing::Best;
        let style = if best { Type::SecondaryStrong } else { Type::Secondary };
        let ink = if stale { t.text3 } else { t.text1 };
        let shown = Line::new(&cell.text, style, ink).within(painter, upper, Align::Max);
        if response.hovered() {
            painter.hline(shown.x_range(), shown.bottom() - 0.5, Stroke::new(size::STROKE_LINE, t.line3));
        }
        let ink = match verdict.standing {
            _ if stale => t.text3,
            Standing::Best | Standing::Better => t.ok,
            Standing::Worse => t.warn,
            Standing::Plain => t.text3,
        };
        say(ink);
        if let Some((band, axis)) = metric.band(at.scenario).zip(metric.axis()) {
            let bar = Rect::from_min_size(pos2(inside.left(), word.bottom() + 1.0), vec2(inside.width(), BAR));
            band.bar(painter, bar, axis, stale);
        }
    }
}

/// Shows a name in full under the pointer when the column cuts it.
pub(super) fn name_in_full(ui: &Ui, place: Rect, id: Id, name: &str) {
    let room = place.width() - 2.0 * size::PANEL_GAP;
    if Line::new(name, Type::SecondaryMedium, egui::Color32::PLACEHOLDER).width(ui.painter()) > room {
        ui.interact(place, id, Sense::hover()).on_hover_text(name);
    }
}
