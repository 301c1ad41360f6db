//! A number that is known within a band: "188 µs, 151–235", with the band as a small bar.

use egui::{Align2, Painter, Rect, Response, Role, Sense, Ui, Vec2, Widget, WidgetInfo, pos2, vec2};

use crate::format::{ABSENT, si_range};
use crate::paint::{Line, focus_ring, hatch};
use crate::theme::{Tokens, Type, size, translucent};

/// A value between a low and a high end, in one unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The low end.
    pub low: f64,
    /// The value itself.
    pub mid: f64,
    /// The high end.
    pub high: f64,
}

/// Height of the bar of a band.
pub const BAR: f32 = 4.0;

impl Band {
    /// Draws the band into `area`, whose left edge is `axis[0]` and whose right edge is `axis[1]`: a bar from the low
    /// to the high end and a mark at the value. Nothing is drawn for an empty axis.
    pub fn bar(&self, painter: &Painter, area: Rect, axis: [f64; 2], stale: bool) {
        let t = Tokens::of(painter.ctx());
        let span = axis[1] - axis[0];
        if span.is_nan() || span <= 0.0 {
            return;
        }
        let x = |value: f64| area.left() + ((value - axis[0]) / span).clamp(0.0, 1.0) as f32 * area.width();
        let middle = area.center().y;
        painter.hline(area.x_range(), middle, (size::STROKE_LINE, t.line1));
        let ink = if stale { t.text3 } else { t.accent };
        let bar =
            Rect::from_min_max(pos2(x(self.low), area.top()), pos2(x(self.high).max(x(self.low) + 1.0), area.bottom()));
        painter.rect_filled(bar, 1.0, translucent(ink, 0.4));
        let mark = Rect::from_center_size(pos2(x(self.mid), middle), vec2(2.0, area.height() + 2.0));
        painter.rect_filled(mark, 0.0, if stale { t.text3 } else { t.text1 });
    }
}

/// A named number with its band, for summary rows and tables.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "an estimate does nothing until it is added to a Ui"]
pub struct Estimate<'a> {
    /// "Step"; may be empty in a table.
    pub name: &'a str,
    /// The value with its band; nothing when it was not computed.
    pub band: Option<Band>,
    /// Its unit, to which an SI prefix is added: "s".
    pub unit: &'a str,
    /// Ends of the bar; without them there is none.
    pub axis: Option<[f64; 2]>,
    /// Newer numbers are on their way.
    pub stale: bool,
}

/// Height of a row.
const HEIGHT: f32 = size::CONTROL_SMALL;
/// Between name and value.
const GAP: f32 = 6.0;
/// Width of the hatch where there is no value.
const HATCH: f32 = 40.0;

impl Estimate<'_> {
    /// Value and band as texts.
    fn texts(&self) -> Option<[String; 2]> {
        self.band.map(|Band { low, mid, high }| si_range([low, mid, high], self.unit))
    }

    fn spoken(&self) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!("{}, ", self.name) };
        let stale = if self.stale { ", older than its inputs" } else { "" };
        match self.texts() {
            Some([value, band]) => format!("{name}{value}, between {}{stale}", band.replace('–', " and ")),
            None => format!("{name}not computed"),
        }
    }
}

impl Widget for Estimate<'_> {
    fn ui(self, ui: &mut Ui) -> Response {
        let t = Tokens::of(ui.ctx());
        let ink = |color| if self.stale { t.text3 } else { color };
        let texts = self.texts();
        let [value, band] = texts.clone().unwrap_or_else(|| [ABSENT.to_owned(), String::new()]);
        let name = Line::new(self.name, Type::Secondary, ink(t.text2));
        let value = Line::new(&value, Type::SecondaryStrong, if texts.is_some() { ink(t.text1) } else { t.text3 });
        let band = Line::new(&band, Type::Caption, t.text3);
        let start = if self.name.is_empty() { 0.0 } else { name.width(ui.painter()) + GAP };
        let own =
            value.width(ui.painter()) + if texts.is_some() { GAP + band.width(ui.painter()) } else { GAP + HATCH };
        let (area, response) = ui.allocate_exact_size(vec2((start + own).ceil(), HEIGHT), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, self.spoken()));
        let painter = ui.painter();
        let with_bar = self.band.zip(self.axis);
        // Texts stand on one line whether or not there is a bar below them.
        let line = area.top() + 10.0;
        name.paint(painter, pos2(area.left(), line), Align2::LEFT_CENTER);
        let left = area.left() + start;
        let shown = value.paint(painter, pos2(left, line), Align2::LEFT_CENTER);
        let after = pos2(shown.right() + GAP, line);
        if texts.is_some() {
            band.paint(painter, after, Align2::LEFT_CENTER);
        } else {
            hatch(painter, Rect::from_min_size(after - vec2(0.0, 6.0), Vec2::new(HATCH, 12.0)), &t);
        }
        if let Some((band, axis)) = with_bar {
            let bar = Rect::from_min_size(pos2(left, area.bottom() - BAR - 1.0), vec2(own, BAR));
            band.bar(painter, bar, axis, self.stale);
        }
        if response.hovered() && texts.is_some() {
            painter.hline(shown.x_range(), shown.bottom() - 1.0, (size::STROKE_LINE, t.line3));
        }
        if response.has_focus() {
            focus_ring(painter, area, size::RADIUS, &t);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: what is read aloud has value, unit and band, and an absent value is never a number.
    #[test]
    fn an_estimate_is_spoken_with_its_band() {
        let band = Some(Band { low: 151e-6, mid: 188e-6, high: 235e-6 });
        let step = Estimate { name: "Step", band, unit: "s", axis: None, stale: false };
        let plain = |text: String| text.replace('\u{A0}', " ");
        assert_eq!(plain(step.spoken()), "Step, 188 µs, between 151 and 235");
        assert_eq!(Estimate { band: None, ..step }.spoken(), "Step, not computed");
        let old = Estimate { name: "", stale: true, ..step };
        assert_eq!(plain(old.spoken()), "188 µs, between 151 and 235, older than its inputs");
    }
}
