//! Painting of a roofline chart.

use egui::epaint::TextShape;
use egui::{Align, Align2, Color32, Painter, Pos2, Rangef, Rect, Response, Shape, Stroke, Ui, pos2, vec2};
use topology::units::Fraction;

use super::labels::{Anchor, Board};
use super::layout::Layout;
use super::model::{Point, Roofline, RooflineOutput, RooflineState, Tab};
use crate::format::{fixed, number, percent, si};
use crate::ink::{dashed, focus_ring, measure, words};
use crate::notice::TooltipCard;
use crate::paint::Line;
use crate::readout::readout;
use crate::theme::{Tokens, Type, size, translucent};
use crate::ticks;
use crate::timeline::Palette;

/// The knee is named in plots at least this wide, in points.
const NAMED_FROM: f32 = 160.0;
/// Rates are read in this unit.
const TERA: f64 = 1e12;

/// What one frame is drawn from.
pub(super) struct Frame<'a> {
    pub model: &'a Roofline,
    pub tab: &'a Tab,
    pub layout: Layout,
    pub response: &'a Response,
    pub tokens: &'a Tokens,
}

impl Frame<'_> {
    /// Draws everything, grid first.
    pub(super) fn draw(&self, ui: &Ui, state: &RooflineState, output: &RooflineOutput) {
        let t = self.tokens;
        let painter = ui.painter_at(self.response.rect);
        painter.rect_filled(self.response.rect, 0.0, t.bg0);
        self.grid(&painter);
        let mut taken = self.roofs(&painter);
        taken.extend(self.titles(&painter));
        if self.tab.points.is_empty() {
            let why = if self.tab.idle.is_empty() { String::new() } else { format!(", {}", self.tab.idle) };
            let text = format!("no {} traffic{why}", self.tab.name);
            let at = self.layout.plot.center() + vec2(0.0, self.layout.plot.height() * 0.25);
            let ground = Rect::from_center_size(at, measure(&painter, &text, Type::Secondary) + vec2(16.0, 8.0));
            painter.rect_filled(ground, size::RADIUS_TAG, t.bg2);
            words(&painter, at, Align2::CENTER_CENTER, &text, Type::Secondary, t.text2);
        }
        self.points(&painter, taken, state);
        if self.response.has_focus() {
            focus_ring(&painter, self.response.rect.shrink(4.0), t);
        }
        if let Some(point) = output.hovered.and_then(|n| self.tab.points.get(n)) {
            self.card(point);
        }
    }

    fn grid(&self, painter: &Painter) {
        let t = self.tokens;
        let Layout { plot, x, y } = self.layout;
        let line = Stroke::new(size::STROKE_LINE, t.line1);
        // At most 6 numbers along an axis.
        let every = |[low, high]: [f64; 2]| ((high - low) / 6.0).ceil().max(1.0);
        let mut free_from = f32::NEG_INFINITY;
        for power in ticks::multiples(x[0], x[1], every(x)) {
            let value = ticks::decade(power as i32);
            let at = self.layout.at(value, self.model.peak_flop_per_s).x.round() + 0.5;
            painter.vline(at, plot.y_range(), line);
            let text = short(value);
            let half = measure(painter, &text, Type::Caption).x / 2.0;
            if at - half >= free_from {
                words(painter, pos2(at, plot.bottom() + 12.0), Align2::CENTER_CENTER, &text, Type::Caption, t.text3);
                free_from = at + half + 6.0;
            }
        }
        for power in ticks::multiples(y[0], y[1], every(y)) {
            let value = ticks::decade(power as i32);
            let at = self.layout.at(1.0, value).y.round() + 0.5;
            painter.hline(plot.x_range(), at, line);
            let text = short(value / TERA);
            words(painter, pos2(plot.left() - 8.0, at), Align2::RIGHT_CENTER, &text, Type::Caption, t.text3);
        }
        painter.hline(plot.x_range(), plot.bottom() + 0.5, Stroke::new(size::STROKE_LINE, t.line2));
        painter.vline(plot.left() + 0.5, plot.y_range(), Stroke::new(size::STROKE_LINE, t.line2));
    }

    /// Titles of the axes, and how many points have no place; returns what they cover.
    fn titles(&self, painter: &Painter) -> Vec<Rect> {
        let t = self.tokens;
        let Layout { plot, .. } = self.layout;
        let top = pos2(self.response.rect.left() + 12.0, plot.top() - 14.0);
        words(painter, top, Align2::LEFT_CENTER, "TFLOP/s per chip", Type::Caption, t.text2);
        let mut taken = Vec::new();
        let below = plot.right_bottom() + vec2(0.0, 30.0);
        let title = format!("arithmetic intensity, FLOP per {} byte", self.tab.name);
        let room = Rect::from_x_y_ranges(self.response.rect.left() + 12.0..=below.x, below.y - 8.0..=below.y + 8.0);
        let right = Line::new(&title, Type::Caption, t.text2).within(painter, room, Align::Max);
        let hidden = self.tab.points.iter().filter(|point| !point.has_place()).count();
        if hidden > 0 {
            let text = format!("{hidden} without a place");
            if measure(painter, &text, Type::Caption).x + 12.0 < right.left() - plot.left() {
                let at = pos2(plot.left(), below.y);
                taken.push(words(painter, at, Align2::LEFT_CENTER, &text, Type::Caption, t.text3));
            }
        }
        taken
    }

    /// Ground, roofs and knee with their names; returns what the names cover.
    fn roofs(&self, painter: &Painter) -> Vec<Rect> {
        let t = self.tokens;
        let plot = self.layout.plot;
        let inside = painter.with_clip_rect(plot.expand(1.0).intersect(painter.clip_rect()));
        let [left, knee, right] = self.layout.roof(self.model, self.tab, 1.0);
        let ground = vec![left, knee, right, plot.right_bottom(), plot.left_bottom()];
        inside.add(Shape::convex_polygon(ground, translucent(t.accent, 0.05), Stroke::NONE));
        let ends = [knee, pos2(knee.x, plot.bottom())];
        dashed(&inside, &ends, Stroke::new(size::STROKE_LINE, t.line3), [3.0, 3.0]);
        let mut taken = Vec::new();
        let text = format!("knee {}", number(self.model.knee(self.tab)));
        let beside =
            if knee.x + 90.0 < plot.right() { (5.0, Align2::LEFT_BOTTOM) } else { (-5.0, Align2::RIGHT_BOTTOM) };
        let at = pos2(knee.x + beside.0, plot.bottom() - 4.0);
        if plot.width() >= NAMED_FROM {
            taken.push(words(painter, at, beside.1, &text, Type::Caption, t.text2));
        }
        let ink = if self.model.stale { t.text3 } else { t.text1 };
        if let Some(reached) = self.model.reached {
            let line = self.layout.roof(self.model, self.tab, reached);
            dashed(&inside, &line, Stroke::new(size::STROKE_LINE, t.text3), [4.0, 3.0]);
        }
        inside.add(Shape::line(vec![left, knee, right], Stroke::new(size::STROKE_STRONG, ink)));
        let text = format!("{} {}", self.model.peak_name, fixed(self.model.peak_flop_per_s / TERA, 0));
        let at = pos2(plot.right() - 4.0, knee.y - 4.0);
        taken.push(words(painter, at, Align2::RIGHT_BOTTOM, &text, Type::CaptionStrong, ink));
        taken.push(self.along(painter, [left, knee], ink));
        taken
    }

    /// The name of the bandwidth, along its line; returns what it covers.
    fn along(&self, painter: &Painter, [from, to]: [Pos2; 2], ink: Color32) -> Rect {
        let text = format!("{} {}", self.tab.name, si(self.tab.bytes_per_s, "B/s"));
        let galley = painter.layout_no_wrap(text, Type::CaptionStrong.font(), ink);
        let direction = (to - from).normalized();
        let across = vec2(direction.y, -direction.x);
        let length = (to - from).length();
        if galley.size().x + 24.0 > length {
            return Rect::NOTHING;
        }
        let start = from + direction * (length * 0.5 - galley.size().x * 0.5).max(12.0);
        let corners = [start, start + direction * galley.size().x];
        let covered =
            Rect::from_points(&[corners[0], corners[1], corners[0] + across * 18.0, corners[1] + across * 18.0]);
        let at = start + across * (galley.size().y + 3.0);
        let angle = libm::atan2f(direction.y, direction.x);
        painter.add(TextShape::new(at, galley, ink).with_angle(angle));
        covered
    }

    /// The points, large ones first, and their names.
    fn points(&self, painter: &Painter, taken: Vec<Rect>, state: &RooflineState) {
        let t = self.tokens;
        let palette = Palette { tokens: t, stale: self.model.stale };
        let anchors: Vec<(usize, Anchor)> = by_size(self.tab).map(|n| (n, self.anchor(&self.tab.points[n]))).collect();
        for &(n, Anchor { center, radius }) in &anchors {
            let fill = palette.fill(self.tab.points[n].kind);
            painter.circle(center, radius, fill, Stroke::new(size::STROKE_DATA, t.bg0));
            if state.selected == Some(n) {
                painter.circle_stroke(center, radius + 2.5, Stroke::new(3.5, t.bg0));
                painter.circle_stroke(center, radius + 2.5, Stroke::new(size::STROKE_DATA, t.text1));
            }
        }
        let circles: Vec<Anchor> = anchors.iter().map(|(_, anchor)| *anchor).collect();
        let [left, knee, right] = self.layout.roof(self.model, self.tab, 1.0);
        let foot = pos2(knee.x, self.layout.plot.bottom());
        let mut lines = vec![[left, knee], [knee, right], [knee, foot]];
        lines.extend(self.model.reached.map(|share| {
            let [_, knee, right] = self.layout.roof(self.model, self.tab, share);
            [knee, right]
        }));
        let (bounds, leaders) = (self.layout.plot, Vec::new());
        let mut board = Board { bounds, points: &circles, lines: &lines, taken, leaders };
        self.reached(painter, &mut board);
        let chosen = anchors.iter().filter(|(n, _)| state.selected == Some(*n));
        let others = anchors.iter().filter(|(n, _)| state.selected != Some(*n));
        for &(n, anchor) in chosen.chain(others) {
            let style = if state.selected == Some(n) { Type::CaptionStrong } else { Type::Caption };
            let name = &self.tab.points[n].name;
            let Some(place) = board.place(anchor, measure(painter, name, style)) else { continue };
            if let Some(line) = place.leader {
                painter.line_segment(line, Stroke::new(size::STROKE_WIRE, t.text3));
            }
            let ink = if self.model.stale { t.text3 } else { t.text1 };
            words(painter, place.rect.center(), Align2::CENTER_CENTER, name, style, ink);
        }
    }

    /// The name of the dashed roof, where no point covers it.
    fn reached(&self, painter: &Painter, board: &mut Board<'_>) {
        let Some(reached) = self.model.reached else { return };
        let [_, knee, right] = self.layout.roof(self.model, self.tab, reached);
        let text = format!("reached, {}", percent(Fraction::clamped(reached), 0));
        let size = measure(painter, &text, Type::Caption);
        let rights = [right.x - 4.0, knee.x + 8.0 + size.x];
        let tops = [right.y - 2.0 - size.y, right.y + 2.0];
        let places = rights.iter().flat_map(|right| tops.map(|top| pos2(right - size.x, top)));
        if let Some(place) = board.first_clear(places.map(|corner| Rect::from_min_size(corner, size))) {
            words(painter, place.center(), Align2::CENTER_CENTER, &text, Type::Caption, self.tokens.text2);
        }
    }

    fn anchor(&self, point: &Point) -> Anchor {
        Anchor {
            center: self.layout.at(point.flop_per_byte, point.flop_per_s),
            radius: self.layout.radius(point.share),
        }
    }

    /// The smallest point under a place; small ones are drawn over large ones.
    pub(super) fn pick(&self, p: Pos2) -> Option<usize> {
        const REACH: f32 = 3.0;
        let near = |n: &usize| {
            let Anchor { center, radius } = self.anchor(&self.tab.points[*n]);
            (p - center).length() <= radius + REACH
        };
        by_size(self.tab).filter(near).last()
    }

    fn card(&self, point: &Point) {
        let roof = self.model.roof(self.tab, point.flop_per_byte);
        let bound = if point.flop_per_byte < self.model.knee(self.tab) { self.tab.name.as_str() } else { "compute" };
        let rate = si(point.flop_per_s, "FLOP/s");
        let intensity = format!("{} FLOP/B", number(point.flop_per_byte));
        let [of_roof, share] = [point.flop_per_s / roof, point.share].map(|share| percent(Fraction::clamped(share), 1));
        let rows = [
            ("intensity", intensity.as_str()),
            ("of its roof", &of_roof),
            ("limited by", bound),
            ("share of the time", &share),
        ];
        readout(self.response, &TooltipCard { title: &point.name, value: &rate, status: None, rows: &rows });
    }
}

/// Points that have a place, large ones first.
fn by_size(tab: &Tab) -> impl Iterator<Item = usize> + use<> {
    let mut order: Vec<usize> = (0..tab.points.len()).filter(|&n| tab.points[n].has_place()).collect();
    order.sort_by(|&a, &b| tab.points[b].share.total_cmp(&tab.points[a].share));
    order.into_iter()
}

/// A power of ten in full where that is short: "0.1", "10,000", "1 M".
fn short(value: f64) -> String {
    if value >= 99_999.0 { si(value, "").replace(".00", "") } else { fixed(value, ticks::decimals(value)) }
}

impl Frame<'_> {
    /// The line under a pointer that is between points, for reading off the roof.
    pub(super) fn crosshair(&self, painter: &Painter, pointer: Pos2) {
        let plot = self.layout.plot;
        if !plot.contains(pointer) {
            return;
        }
        let share = f64::from((pointer.x - plot.left()) / plot.width());
        let intensity = libm::exp10(self.layout.x[0] + share * (self.layout.x[1] - self.layout.x[0]));
        let roof = self.model.roof(self.tab, intensity);
        let at = self.layout.at(intensity, roof);
        let ends = [pos2(pointer.x, at.y.max(plot.top())), pos2(pointer.x, plot.bottom())];
        dashed(painter, &ends, Stroke::new(size::STROKE_LINE, self.tokens.text3), [2.0, 2.0]);
        let text = format!("{} FLOP/B, roof {}", number(intensity), si(roof, "FLOP/s"));
        let width = measure(painter, &text, Type::Caption).x + 10.0;
        let x = pointer.x.clamp(plot.left() + width / 2.0, (plot.right() - width / 2.0).max(plot.left() + width / 2.0));
        let tag = Rect::from_x_y_ranges(
            x - width / 2.0..=x + width / 2.0,
            Rangef::new(plot.bottom() + 3.0, plot.bottom() + 21.0),
        );
        painter.rect(
            tag,
            size::RADIUS_TAG,
            self.tokens.bg2,
            Stroke::new(size::STROKE_LINE, self.tokens.line2),
            egui::StrokeKind::Inside,
        );
        words(painter, tag.center(), Align2::CENTER_CENTER, &text, Type::Caption, self.tokens.text1);
    }
}
