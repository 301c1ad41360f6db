//! Rows: lane headers, labels, and bars with baseline, progress and forecast.

use egui::{Align2, Color32, Rect, Stroke, StrokeKind, pos2, vec2};

use super::Canvas;
use super::gates::{slip_color, whisker};
use super::layout::{LABELS, LANE, ROW, dates};
use super::model::{Item, Lane, Slip};
use crate::icon;
use crate::ink::{fitted, measure, words};
use crate::theme::{Type, translucent};

/// A bar narrower than this has no text.
const TEXT_FROM: f32 = 60.0;

impl Canvas<'_> {
    /// The header of a lane across the whole width.
    pub(super) fn lane(&self, lane: &Lane, top: f32, folded: bool) {
        let t = self.tokens;
        let area = self.layout.area;
        let rect = Rect::from_min_size(pos2(area.left(), top), vec2(area.width(), LANE));
        self.painter.rect_filled(rect, 0.0, t.bg2);
        self.painter.hline(rect.x_range(), top + 0.5, Stroke::new(1.0, t.line1));
        let caret = if folded { icon::CARET_RIGHT } else { icon::CARET_DOWN };
        caret.paint(self.painter, pos2(rect.left() + 18.0, rect.center().y), 12.0, t.text3);
        let right = pos2(rect.left() + LABELS - 10.0, rect.center().y);
        let summary = words(self.painter, right, Align2::RIGHT_CENTER, &lane.summary, Type::Caption, t.text3);
        let room = Rect::from_min_max(pos2(rect.left() + 28.0, top), pos2(summary.left() - 8.0, rect.bottom()));
        fitted(self.painter, room, 1, &lane.name, (Type::SecondaryStrong, t.text1));
    }

    /// Name and state of an item in the label column.
    pub(super) fn label(&self, item: &Item, top: f32, hovered: bool) {
        let t = self.tokens;
        let row = Rect::from_min_size(pos2(self.layout.area.left(), top), vec2(LABELS - 1.0, ROW));
        if self.model.selected == Some(item.id) {
            self.painter.rect_filled(row, 0.0, t.accent_soft);
        } else if hovered {
            self.painter.rect_filled(row, 0.0, t.bg2);
        }
        let done = item.percent >= 100;
        let mark = match item.slip {
            Slip::LateAndCritical => Some((icon::WARNING_DIAMOND_FILL, 13.0, t.crit)),
            Slip::Late => Some((icon::WARNING_FILL, 13.0, t.warn)),
            Slip::None if done => Some((icon::CHECK, 12.0, t.text3)),
            Slip::None => None,
        };
        if let Some((mark, size, color)) = mark {
            mark.paint(self.painter, pos2(row.left() + 18.0, row.center().y), size, color);
        }
        let room = Rect::from_min_max(pos2(row.left() + 28.0, top), pos2(row.right() - 10.0, row.bottom()));
        fitted(self.painter, room, 1, &item.name, (Type::Secondary, if done { t.text2 } else { t.text1 }));
        let line = Stroke::new(1.0, t.line1);
        self.painter.hline(self.layout.area.x_range(), row.bottom() - 0.5, line);
    }

    /// The bar of an item with everything around it. `painter` clips to the chart.
    pub(super) fn bar(&self, item: &Item, top: f32) {
        let t = self.tokens;
        let middle = top + ROW / 2.0;
        if let Some([from, to]) = item.baseline.filter(|_| self.model.baseline.is_some()) {
            let rect =
                Rect::from_min_max(pos2(self.layout.x(from), middle + 8.0), pos2(self.layout.x_end(to), middle + 11.0));
            self.chart.rect_filled(rect, 1.5, translucent(t.line3, 0.55));
        }
        let bar = self.layout.bar(dates(item, self.preview.as_ref()), middle);
        let done = item.percent >= 100;
        self.chart.rect_filled(bar, 3.0, if done { t.bg3 } else { t.line2 });
        if item.percent > 0 && !done {
            let share = bar.width() * f32::from(item.percent) / 100.0;
            self.chart.rect_filled(bar.with_max_x(bar.left() + share), 3.0, t.accent_fill);
        }
        if item.critical && self.model.show_critical {
            self.chart.rect_stroke(bar.expand(1.0), 4.0, Stroke::new(1.75, t.text1), StrokeKind::Middle);
        }
        if self.model.selected == Some(item.id) {
            self.chart.rect_stroke(bar.expand(3.0), 5.0, Stroke::new(2.0, t.accent), StrokeKind::Middle);
        }
        self.progress(item, bar);
        if let Some(p85) = item.p85.filter(|_| self.model.show_forecast) {
            let color = slip_color(item.slip, t).unwrap_or(t.text2);
            let end = pos2(bar.right(), middle - 0.5);
            // A dragged bar takes its forecast with it until the new one is known.
            let moved = bar.right() - self.layout.x_end(item.end);
            whisker(self.chart, end, self.layout.x_end(p85) + moved, color);
            self.chart.circle(end, 3.5, color, Stroke::new(1.0, t.bg0));
        }
    }

    fn progress(&self, item: &Item, bar: Rect) {
        let t = self.tokens;
        if item.percent >= 100 && bar.width() > 18.0 {
            icon::CHECK.paint(self.chart, pos2(bar.left() + 10.0, bar.center().y), 11.0, t.text2);
        }
        if item.percent == 0 || item.percent >= 100 || bar.width() < TEXT_FROM {
            return;
        }
        let share = bar.width() * f32::from(item.percent) / 100.0;
        let text = format!("{} %", item.percent);
        let (x, color) = if share > 36.0 { (6.0, t.on_accent) } else { (share + 5.0, t.text1) };
        // The number stays in view while its bar begins to the left of it.
        let left = bar.left().max(self.layout.chart.left().min(bar.left() + share - 36.0));
        words(self.chart, pos2(left + x, bar.center().y), Align2::LEFT_CENTER, &text, Type::Caption, color);
    }

    /// The proposed dates beside a bar that is dragged.
    pub(super) fn proposal(&self, item: &Item, top: f32) {
        let Some(proposal) = self.preview.filter(|proposal| proposal.item == item.id) else { return };
        let t = self.tokens;
        let bar = self.layout.bar([proposal.start, proposal.end], top + ROW / 2.0);
        let days = proposal.end.0 - item.end.0;
        let change = match days {
            0 => String::new(),
            1.. => format!(" · +{days} d"),
            _ => format!(" · \u{2212}{} d", -days),
        };
        let text = format!("{} to {}{change}", proposal.start, proposal.end);
        let size = vec2(measure(self.painter, &text, Type::Caption).x + 16.0, 22.0);
        let x = bar.center().x.clamp(self.layout.chart.left() + size.x / 2.0, self.layout.chart.right() - size.x / 2.0);
        let tag = Rect::from_center_size(pos2(x, top - 4.0), size);
        self.painter.rect(tag, 3.0, t.bg2, Stroke::new(1.0, t.accent), StrokeKind::Inside);
        words(self.painter, tag.center(), Align2::CENTER_CENTER, &text, Type::Caption, t.text1);
    }

    /// What the marks mean, below.
    pub(super) fn foot(&self) {
        let t = self.tokens;
        let area = self.layout.area;
        let y = area.bottom() - 18.0;
        let foot = Rect::from_min_max(pos2(area.left(), area.bottom() - 36.0), area.max);
        self.painter.rect_filled(foot, 0.0, t.bg1);
        self.painter.hline(foot.x_range(), foot.top() + 0.5, Stroke::new(1.0, t.line2));
        let mut x = area.left() + 12.0;
        let mut entry = |text: &str, draw: &dyn Fn(Rect)| {
            let width = measure(self.painter, text, Type::Caption).x;
            if x + 34.0 + width > area.right() - 8.0 {
                return;
            }
            draw(Rect::from_min_size(pos2(x, y - 6.5), vec2(26.0, 13.0)));
            words(self.painter, pos2(x + 34.0, y), Align2::LEFT_CENTER, text, Type::Caption, t.text2);
            x += 34.0 + width + 22.0;
        };
        let fill = |rect: Rect, color: Color32| {
            self.painter.rect_filled(rect, 3.0, color);
        };
        entry("done", &|rect| {
            fill(rect, t.bg3);
            icon::CHECK.paint(self.painter, rect.center(), 11.0, t.text2);
        });
        entry("in progress", &|rect| {
            fill(rect, t.line2);
            fill(rect.with_max_x(rect.left() + 14.0), t.accent_fill);
        });
        entry("planned", &|rect| fill(rect, t.line2));
        if self.model.show_critical {
            entry("critical path", &|rect| {
                self.painter.rect_stroke(rect, 3.5, Stroke::new(1.75, t.text1), StrokeKind::Middle);
            });
        }
        if let Some(baseline) = &self.model.baseline {
            entry(baseline, &|rect| fill(Rect::from_center_size(rect.center(), vec2(26.0, 3.0)), t.line3));
        }
        if self.model.show_forecast {
            entry("forecast P50 to P85", &|rect| {
                whisker(self.painter, rect.left_center() + vec2(3.0, 0.0), rect.right() - 2.0, t.text2);
                self.painter.circle_filled(rect.left_center() + vec2(3.0, 0.0), 3.0, t.text2);
            });
            entry("slips at P50", &|rect| {
                icon::WARNING_FILL.paint(self.painter, rect.center(), 13.0, t.warn);
            });
            entry("slips, on critical path", &|rect| {
                icon::WARNING_DIAMOND_FILL.paint(self.painter, rect.center(), 13.0, t.crit);
            });
        }
    }
}
