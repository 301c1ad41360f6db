//! The figure of a card: label, value with unit, target, change and a sparkline.

use egui::{Align, Align2, Rect, Response, Role, Sense, Shape, Stroke, Ui, Widget, WidgetInfo, pos2, vec2};

use crate::format::ABSENT;
use crate::paint::Line;
use crate::status::Status;
use crate::theme::{Tokens, Type, size};

/// One metric of a card, all texts formatted.
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use = "a figure does nothing until it is added to a Ui"]
pub struct Figure<'a> {
    /// "TPU utilization".
    pub label: &'a str,
    /// "55.9", or nothing when there is no value.
    pub value: Option<&'a str>,
    /// "%".
    pub unit: &'a str,
    /// "Target ≥ 60 %", or what to do instead.
    pub target: &'a str,
    /// How the value stands against the target.
    pub status: Option<Status>,
    /// "+1.3 pp", and whether that is better.
    pub change: Option<(&'a str, bool)>,
    /// Values over time, oldest first; a gap stays a gap.
    pub history: &'a [Option<f32>],
    /// The target in the unit of the history.
    pub goal: Option<f32>,
    /// The value is older than its limit: it stays, in grey.
    pub stale: bool,
}

/// Height of a figure: 16 + 28 + 14 and the gaps between.
const HEIGHT: f32 = 62.0;
/// Size of the sparkline.
const SPARK: egui::Vec2 = vec2(104.0, 30.0);

impl Widget for Figure<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let t = Tokens::of(ui.ctx());
        let (area, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, self.spoken()));
        let painter = ui.painter();
        let row = |top: f32, height: f32| {
            Rect::from_min_size(pos2(area.left(), area.top() + top), vec2(area.width(), height))
        };
        Line::new(self.label, Type::Secondary, t.text2).within(painter, row(0.0, 16.0), Align::Min);
        let ink = if self.stale || self.value.is_none() { t.text3 } else { t.text1 };
        let value =
            Line::new(self.value.unwrap_or(ABSENT), Type::Kpi, ink).within(painter, row(17.0, 28.0), Align::Min);
        if self.value.is_some() {
            // Both texts stand on one baseline: the digits of 24 points descend about 3 points further.
            let baseline = pos2(value.right() + 3.0, value.bottom() - 3.0);
            Line::new(self.unit, Type::Body, t.text2).paint(painter, baseline, Align2::LEFT_BOTTOM);
        }
        let mut foot = row(48.0, 14.0);
        if let Some(status) = self.status {
            status.icon().paint(painter, foot.left_center() + vec2(6.0, 0.0), size::ICON_CHIP, status.color(&t));
            foot.min.x += size::ICON_CHIP + 4.0;
        }
        Line::new(self.target, Type::Caption, t.text3).within(painter, foot, Align::Min);
        if let Some((change, better)) = self.change {
            let words = format!("{change} {}", if better { "better" } else { "worse" });
            let color = if better { t.ok } else { t.warn };
            Line::new(&words, Type::Caption, color).paint(painter, foot.right_center(), Align2::RIGHT_CENTER);
        }
        let spark = Rect::from_min_size(pos2(area.right() - SPARK.x, area.top() + 12.0), SPARK);
        sparkline(ui, spark, self.history, self.goal);
        response
    }
}

impl Figure<'_> {
    /// The figure in one sentence, for screen readers.
    fn spoken(&self) -> String {
        let mut words = match self.value {
            Some(value) => format!("{}, {value} {}", self.label, self.unit),
            None => format!("{}, no value", self.label),
        };
        let mut add = |text: &str| {
            words.push_str(", ");
            words.push_str(text);
        };
        if !self.target.is_empty() {
            add(self.target);
        }
        if let Some(status) = self.status {
            add(status.word());
        }
        if let Some((change, better)) = self.change {
            add(&format!("{change} {}", if better { "better" } else { "worse" }));
        }
        words
    }
}

/// A small line over time: the last point is marked, the target dashed, gaps stay gaps.
pub fn sparkline(ui: &Ui, area: Rect, history: &[Option<f32>], goal: Option<f32>) {
    let t = Tokens::of(ui.ctx());
    let known = history.iter().flatten().chain(&goal);
    let (low, high) = known.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
    if low > high {
        return;
    }
    let margin = if high > low { (high - low) * 0.12 } else { 1.0 };
    let (low, high) = (low - margin, high + margin);
    let inner = Rect::from_min_max(area.min + vec2(2.0, 2.0), area.max - vec2(4.0, 2.0));
    let place = |n: usize, value: f32| {
        let along = n as f32 / (history.len().max(2) - 1) as f32;
        pos2(inner.left() + along * inner.width(), inner.bottom() - (value - low) / (high - low) * inner.height())
    };
    let painter = ui.painter();
    if let Some(goal) = goal {
        let y = place(0, goal).y;
        let ends = [pos2(area.left(), y), pos2(area.right(), y)];
        painter.extend(Shape::dashed_line(&ends, Stroke::new(1.0, t.line3), 3.0, 3.0));
    }
    let points: Vec<_> = history.iter().enumerate().map(|(n, value)| value.map(|value| place(n, value))).collect();
    for run in points.split(Option::is_none) {
        painter.line(run.iter().copied().flatten().collect(), Stroke::new(size::STROKE_DATA, t.text2));
    }
    if let Some(Some(last)) = points.last() {
        painter.circle_filled(*last, 2.5, t.text1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: screen readers get the whole figure, and an absent value is never read as a number.
    #[test]
    fn a_figure_is_spoken_in_full() {
        let figure = Figure {
            label: "TPU utilization",
            value: Some("55.9"),
            unit: "%",
            target: "Target ≥ 60 %",
            status: Some(Status::Watch),
            change: Some(("+1.3 pp", true)),
            ..Figure::default()
        };
        assert_eq!(figure.spoken(), "TPU utilization, 55.9 %, Target ≥ 60 %, Watch, +1.3 pp better");
        assert_eq!(Figure { label: "Power", ..Figure::default() }.spoken(), "Power, no value");
    }
}
