//! Painting of a timeline: small map, group names, lanes, axis, legend, and the readout under the pointer.

use egui::{Align, Align2, Painter, Rangef, Rect, Response, Shape, Stroke, StrokeKind, Ui, Vec2, pos2, vec2};

use super::axis::Axis;
use super::bars::{Bars, Palette};
use super::index::Index;
use super::layout::Layout;
use super::merge::Band;
use super::model::{Kind, SpanId, Stretch, Timeline, TimelineOutput, TimelineState};
use super::time_text;
use crate::format::{count, percent};
use crate::ink::{dashed, focus_ring, measure, two_tone, words};
use crate::notice::TooltipCard;
use crate::paint::Line;
use crate::readout::readout;
use crate::theme::{SliceColor, Tokens, Type, mix};
use topology::units::Fraction;

/// A block narrower than this, in points, carries no text.
const TEXT_FROM: f32 = 22.0;
/// A name is left out rather than cut to less than this share.
const LEAST_OF_NAME: f32 = 0.6;
/// Groups narrower than this on average have neither lines nor names.
const GROUPS_FROM: f32 = 24.0;

/// What one frame is drawn from.
pub(super) struct Frame<'a> {
    pub model: &'a Timeline,
    pub index: &'a Index,
    pub layout: &'a Layout,
    pub response: &'a Response,
    pub tokens: &'a Tokens,
}

impl Frame<'_> {
    fn palette(&self) -> Palette<'_> {
        Palette { tokens: self.tokens, stale: self.model.stale }
    }

    /// Draws everything.
    pub(super) fn draw(&self, ui: &Ui, state: &TimelineState, output: &TimelineOutput) {
        let painter = ui.painter_at(self.layout.area);
        painter.rect_filled(self.layout.area, 0.0, self.tokens.bg0);
        if self.model.total_s <= 0.0 || self.model.lanes.is_empty() {
            let at = self.layout.area.center();
            words(&painter, at, Align2::CENTER_CENTER, "nothing to show yet", Type::Secondary, self.tokens.text3);
            return;
        }
        self.map(ui, &painter);
        let axis = self.axis(&painter);
        self.groups(&painter);
        let parts = (self.model, self.index, &self.palette());
        let bars = Bars::of_lanes(ui, self.response.id, parts, self.layout);
        let inside = painter.with_clip_rect(self.layout.chart.intersect(painter.clip_rect()));
        inside.extend(bars.shapes.iter().cloned());
        for n in 0..self.model.lanes.len() {
            self.lane(&painter, n, &bars);
        }
        self.unit(&painter, &axis);
        self.legend(&painter);
        if let Some(place) = state.selected.and_then(|id| self.layout.place(self.model, id)) {
            two_tone(&inside, place, 0.0);
        }
        self.pointer(&painter, &bars, output);
        if self.response.has_focus() {
            focus_ring(&painter, self.layout.chart, self.tokens);
        }
    }

    /// The whole in small, the window over it, and the funnel from the window to the lanes.
    fn map(&self, ui: &Ui, painter: &Painter) {
        let t = self.tokens;
        let map = self.layout.map;
        let name = pos2(map.left() - 10.0, map.center().y);
        words(painter, name, Align2::RIGHT_CENTER, &self.model.whole, Type::Secondary, t.text2);
        painter.rect_filled(map, 0.0, t.bg2);
        if self.model.phases.is_empty() {
            let parts = (self.model, self.index, &self.palette());
            let bars = Bars::of_map(ui, self.response.id, parts, self.layout);
            painter.extend(bars.shapes.iter().cloned());
        }
        let window = self.layout.window();
        let whole = window.width() >= map.width();
        self.phases(painter, |place| if whole { place } else { widest_beside(place, window) });
        if !whole {
            self.funnel(painter, window);
        }
        let ink = if whole { t.line3 } else { t.text1 };
        painter.rect_stroke(window, 3.0, Stroke::new(3.5, t.bg0), StrokeKind::Middle);
        painter.rect_stroke(window, 3.0, Stroke::new(if whole { 1.0 } else { 1.5 }, ink), StrokeKind::Middle);
    }

    /// The phases of the small map; `room` says which part of a phase its name may cover.
    fn phases(&self, painter: &Painter, room: impl Fn(Rect) -> Rect) {
        let slate = SliceColor::nth(0);
        for (n, phase) in self.model.phases.iter().enumerate() {
            let [from, to] = [phase.start_s, phase.start_s + phase.seconds].map(|at| self.layout.whole.x(at));
            let place = Rect::from_x_y_ranges(from..=(to - 1.0).max(from + 1.0), self.layout.map.y_range());
            let fill = if n % 2 == 0 { slate.fill } else { slate.side() };
            painter.rect_filled(place, 0.0, self.palette().shade(fill));
            let ink = if self.model.stale { self.tokens.text2 } else { slate.on };
            named(painter, room(place), &phase.name, (Type::Caption, ink));
        }
    }

    /// Dims what lies outside the window, and leads from its edges to those of the lanes.
    fn funnel(&self, painter: &Painter, window: Rect) {
        let t = self.tokens;
        let (map, chart) = (self.layout.map, self.layout.chart);
        let below = map.bottom() + 16.0;
        let corners =
            [window.left_bottom(), window.right_bottom(), pos2(chart.right(), below), pos2(chart.left(), below)];
        painter.add(Shape::convex_polygon(corners.to_vec(), t.bg1, Stroke::NONE));
        for side in [[corners[0], corners[3]], [corners[1], corners[2]]] {
            painter.line_segment(side, Stroke::new(1.0, t.line2));
        }
        for shade in [
            Rect::from_min_max(map.min, pos2(window.left(), map.bottom())),
            Rect::from_min_max(pos2(window.right(), map.top()), map.max),
        ] {
            painter.rect_filled(shade, 0.0, t.bg0.gamma_multiply(0.35));
        }
    }

    /// Lines of the time axis and their texts.
    fn axis(&self, painter: &Painter) -> Axis {
        let t = self.tokens;
        let chart = self.layout.chart;
        let axis = Axis::new(self.layout.ruler.view_s, ((chart.width() / 72.0) as usize).clamp(2, 6));
        let mut free_from = f32::NEG_INFINITY;
        let unit = measure(painter, &axis.unit, Type::Caption).x;
        for (moment, text) in &axis.ticks {
            let x = self.layout.ruler.x(*moment).floor() + 0.5;
            painter.vline(x, Rangef::new(chart.top(), chart.bottom() + 4.0), Stroke::new(1.0, t.line1));
            let half = measure(painter, text, Type::Caption).x / 2.0;
            let at = x.clamp(chart.left() + half - 4.0, chart.right() + 10.0 - half);
            if at - half >= free_from && at + half + 10.0 <= chart.right() + 8.0 - unit {
                words(painter, pos2(at, chart.bottom() + 12.0), Align2::CENTER_CENTER, text, Type::Caption, t.text3);
                free_from = at + half + 8.0;
            }
        }
        painter.hline(chart.x_range(), chart.bottom() + 0.5, Stroke::new(1.0, t.line2));
        axis
    }

    /// The unit at the right end of the axis.
    fn unit(&self, painter: &Painter, axis: &Axis) {
        let at = self.layout.chart.right_bottom() + vec2(8.0, 12.0);
        words(painter, at, Align2::RIGHT_CENTER, &axis.unit, Type::Caption, self.tokens.text2);
    }

    /// Names of groups above the lanes, dashed lines between them.
    fn groups(&self, painter: &Painter) {
        let chart = self.layout.chart;
        let ruler = &self.layout.ruler;
        let groups = &self.model.groups;
        let first = groups.partition_point(|group| group.start_s + group.seconds <= ruler.view_s[0]);
        let end = groups.partition_point(|group| group.start_s < ruler.view_s[1]).max(first);
        if (end - first) as f32 * GROUPS_FROM > chart.width() {
            return;
        }
        for Stretch { name, start_s, seconds } in &groups[first..end] {
            let [from, to] = [*start_s, start_s + seconds].map(|at| ruler.x(at));
            for x in [from, to].into_iter().filter(|&x| chart.x_range().shrink(1.0).contains(x)) {
                let ends = [pos2(x, chart.top() - 14.0), pos2(x, chart.bottom())];
                dashed(painter, &ends, Stroke::new(1.0, self.tokens.line2), [3.0, 3.0]);
            }
            let place =
                Rect::from_x_y_ranges(from.max(chart.left())..=to.min(chart.right()), chart.top() - 16.0..=chart.top());
            named(painter, place, name, (Type::Caption, self.tokens.text2));
        }
    }

    /// Name of a lane, and the words in it.
    fn lane(&self, painter: &Painter, n: usize, bars: &Bars) {
        let t = self.tokens;
        let row = self.layout.row(n);
        let lane = &self.model.lanes[n];
        let room =
            Rect::from_min_max(pos2(self.layout.area.left() + 6.0, row.top()), pos2(row.left() - 10.0, row.bottom()));
        Line::new(&lane.name, Type::SecondaryStrong, t.text1).within(painter, room, Align::Max);
        if lane.spans.is_empty() {
            let text = if lane.idle.is_empty() { "idle".to_owned() } else { format!("idle, {}", lane.idle) };
            let room = row.with_min_x(row.left() + 6.0);
            Line::new(&text, Type::Caption, t.text3).within(painter, room, Align::Min);
        }
        let Some(pieces) = bars.lanes.get(n) else { return };
        for &(span, [from, to]) in pieces.blocks.iter().filter(|(_, [from, to])| to - from >= TEXT_FROM) {
            let span = &lane.spans[span];
            let place = Rect::from_x_y_ranges(from..=to - 1.0, row.y_range());
            self.span_name(painter, place, (&span.name, span.kind));
        }
        for band in &pieces.bands {
            self.band_count(painter, row, band);
        }
    }

    /// The name of a span; on a hatch it stands on a ground of its own.
    fn span_name(&self, painter: &Painter, place: Rect, (name, kind): (&str, Kind)) {
        if kind == Kind::Exposed {
            let width = measure(painter, name, Type::Caption).x + 8.0;
            if width <= place.width() - 4.0 {
                let ground = Rect::from_center_size(place.center(), vec2(width, place.height() - 4.0));
                painter.rect_filled(ground, 2.0, self.palette().shade(self.tokens.warn_soft));
                named(painter, ground.expand2(vec2(6.0, 0.0)), name, (Type::Caption, self.palette().on(kind)));
            }
            return;
        }
        named(painter, place, name, (Type::Caption, self.palette().on(kind)));
    }

    /// How many spans a band holds, where there is room to say so.
    fn band_count(&self, painter: &Painter, row: Rect, band: &Band) {
        let text = format!("{} spans", count((band.spans[1] - band.spans[0]) as u64));
        let size = measure(painter, &text, Type::Caption) + vec2(10.0, 0.0);
        if size.x + 8.0 > band.x[1] - band.x[0] {
            return;
        }
        let middle = f32::midpoint(band.x[0], band.x[1]);
        let place = Rect::from_center_size(pos2(middle, row.center().y), vec2(size.x, row.height().min(16.0)));
        painter.rect_filled(place, 3.0, mix(self.tokens.bg2, self.tokens.bg0, 0.3));
        words(painter, place.center(), Align2::CENTER_CENTER, &text, Type::Caption, self.tokens.text1);
    }

    fn legend(&self, painter: &Painter) {
        for &(kind, at) in &self.layout.legend {
            let swatch = Rect::from_center_size(at + vec2(5.0, 0.0), Vec2::splat(10.0));
            self.palette().swatch(painter, swatch, kind);
            let at = at + vec2(16.0, 0.0);
            words(painter, at, Align2::LEFT_CENTER, kind.word(), Type::Caption, self.tokens.text2);
        }
    }

    /// The moment under the pointer, and the card of the span or band there.
    fn pointer(&self, painter: &Painter, bars: &Bars, output: &TimelineOutput) {
        let t = self.tokens;
        let chart = self.layout.chart;
        let Some(pointer) = self.response.hover_pos().filter(|&p| chart.contains(p)) else { return };
        let ends = [pos2(pointer.x, chart.top()), pos2(pointer.x, chart.bottom())];
        dashed(painter, &ends, Stroke::new(1.0, t.text1), [2.0, 2.0]);
        let text = time_text(self.layout.ruler.moment(pointer.x));
        let size = measure(painter, &text, Type::Caption) + vec2(10.0, 4.0);
        let x = pointer.x.clamp(chart.left() + size.x / 2.0 - 4.0, chart.right() + 8.0 - size.x / 2.0);
        let tag = Rect::from_center_size(pos2(x, chart.bottom() + 12.0), size);
        painter.rect(tag, 3.0, t.bg2, Stroke::new(1.0, t.line2), StrokeKind::Inside);
        words(painter, tag.center(), Align2::CENTER_CENTER, &text, Type::Caption, t.text1);
        let Some(id) = output.hovered else { return };
        let band = bars.lanes.get(id.lane).and_then(|pieces| {
            pieces.bands.iter().find(|band| Rangef::new(band.x[0] - 1.0, band.x[1] + 1.0).contains(pointer.x))
        });
        match band {
            Some(band) => self.band_card(id, band),
            None => self.span_card(id),
        }
    }

    fn share(&self, seconds: f64) -> String {
        percent(Fraction::clamped(seconds / self.model.total_s), 1)
    }

    fn span_card(&self, id: SpanId) {
        let Some(span) = self.model.span(id) else { return };
        let (share, start) = (self.share(span.seconds), time_text(span.start_s));
        let whole = format!("share of {}", self.model.whole.to_lowercase());
        let rows = [
            ("lane", self.model.lanes[id.lane].name.as_str()),
            ("kind", span.kind.word()),
            (whole.as_str(), &share),
            ("starts at", &start),
        ];
        let value = time_text(span.seconds);
        readout(self.response, &TooltipCard { title: &span.name, value: &value, status: None, rows: &rows });
    }

    fn band_card(&self, id: SpanId, band: &Band) {
        let lane = &self.model.lanes[id.lane];
        let [first, end] = band.spans;
        let spans = &lane.spans[first..end];
        let (Some(from), Some(to)) = (spans.first(), spans.iter().map(super::Span::end_s).reduce(f64::max)) else {
            return;
        };
        let busy = lane.busy_s(band.spans);
        let length = to - from.start_s;
        let title = format!("{} spans", count(spans.len() as u64));
        let (busy_text, length) = (time_text(busy), (time_text(length), percent(Fraction::clamped(busy / length), 0)));
        let whole = format!("share of {}", self.model.whole.to_lowercase());
        let share = self.share(busy);
        let nearest = lane.spans.get(id.span).map_or("", |span| &span.name);
        let rows = [
            ("lane", lane.name.as_str()),
            ("over", &length.0),
            ("busy", &length.1),
            (whole.as_str(), &share),
            ("under the pointer", nearest),
        ];
        readout(self.response, &TooltipCard { title: &title, value: &busy_text, status: None, rows: &rows });
    }
}

/// A name in the middle of a place, cut with "…", or left out when too little would stay of it.
fn named(painter: &Painter, place: Rect, name: &str, (style, ink): (Type, egui::Color32)) {
    let inside = place.shrink2(vec2(3.0, 0.0));
    let line = Line::new(name, style, ink);
    let width = line.width(painter);
    if inside.width() >= TEXT_FROM.max(width * LEAST_OF_NAME) || width <= inside.width() {
        line.within(painter, inside, Align::Center);
    }
}

/// The widest part of a place that no edge of the window crosses.
fn widest_beside(place: Rect, window: Rect) -> Rect {
    let edges = [place.left(), window.left() - 3.0, window.right() + 3.0, place.right()];
    let parts = edges.windows(2).map(|pair| {
        let [from, to] = [pair[0], pair[1]].map(|x| x.clamp(place.left(), place.right()));
        Rect::from_x_y_ranges(from..=to, place.y_range())
    });
    parts.max_by(|a, b| a.width().total_cmp(&b.width())).unwrap_or(place)
}
