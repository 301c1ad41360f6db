//! Where the parts of a timeline stand.

use egui::{Painter, Pos2, Rect, pos2, vec2};

use super::index::Index;
use super::merge::Ruler;
use super::model::{Kind, SpanId, Timeline, TimelineState};
use crate::ink::measure;
use crate::theme::Type;

/// Least and greatest width of the lane names.
const NAMES: [f32; 2] = [44.0, 132.0];
/// Right of the lanes.
const RIGHT: f32 = 12.0;
/// The small map of the whole: its distance from the top, its height, and what lies between it and the group names.
const MAP_TOP: f32 = 8.0;
const MAP: f32 = 20.0;
const FUNNEL: f32 = 16.0;
const GROUPS: f32 = 18.0;
/// Least and greatest height of a lane with its gap.
const LANE: [f32; 2] = [26.0, 34.0];
/// Least height of what a lane does.
const GAP: f32 = 10.0;
const AXIS: f32 = 24.0;
/// Height of a row of the legend.
pub(super) const LEGEND_ROW: f32 = 20.0;

/// The parts of one picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    /// Everything.
    pub area: Rect,
    /// The small map of the whole.
    pub map: Rect,
    /// The lanes.
    pub chart: Rect,
    /// Height of a lane with its gap.
    pub lane: f32,
    /// Places of the entries of the legend.
    pub legend: Vec<(Kind, Pos2)>,
    /// Time along the lanes.
    pub ruler: Ruler,
    /// Time along the small map.
    pub whole: Ruler,
}

/// Width of the column of lane names.
fn names_width(painter: &Painter, model: &Timeline) -> f32 {
    let names = model.lanes.iter().map(|lane| lane.name.as_str()).chain([model.whole.as_str()]);
    let widest = names.map(|name| measure(painter, name, Type::SecondaryStrong).x).fold(0.0, f32::max);
    (widest + 20.0).clamp(NAMES[0], NAMES[1]).ceil()
}

/// The entries of the legend in rows; returns their places below `top` and the height of all rows.
fn legend(painter: &Painter, kinds: &[Kind], [left, right, top]: [f32; 3]) -> (Vec<(Kind, Pos2)>, f32) {
    let mut at = pos2(left, top + LEGEND_ROW / 2.0);
    let mut places = Vec::new();
    for &kind in kinds {
        let width = 16.0 + measure(painter, kind.word(), Type::Caption).x;
        if at.x > left && at.x + width > right {
            at = pos2(left, at.y + LEGEND_ROW);
        }
        places.push((kind, at));
        at.x += width + 16.0;
    }
    let height = if kinds.is_empty() { 0.0 } else { at.y + LEGEND_ROW / 2.0 - top };
    (places, height)
}

/// Height of everything above the lanes.
const HEAD: f32 = MAP_TOP + MAP + FUNNEL + GROUPS;

impl Layout {
    /// The layout in `room`; taller than that if the lanes would become too thin to be read.
    pub(super) fn new(
        painter: &Painter,
        (model, index): (&Timeline, &Index),
        state: &TimelineState,
        room: Rect,
    ) -> Self {
        let left = (room.left() + names_width(painter, model)).round();
        let right = (room.right() - RIGHT).round().max(left + 1.0);
        let (_, legend_height) = legend(painter, &index.kinds, [left, right, 0.0]);
        let lanes = model.lanes.len().max(1) as f32;
        let fitting = (room.height() - HEAD - AXIS - legend_height) / lanes;
        let lane = fitting.clamp(LANE[0], LANE[1]).floor();
        let chart = Rect::from_min_size(pos2(left, (room.top() + HEAD).round()), vec2(right - left, lane * lanes));
        let map = Rect::from_min_size(pos2(left, (room.top() + MAP_TOP).round()), vec2(right - left, MAP));
        let (legend, _) = legend(painter, &index.kinds, [left, right, chart.bottom() + AXIS]);
        let bottom = (chart.bottom() + AXIS + legend_height).max(room.bottom());
        let x = [left, right];
        let total = model.total_s;
        Self {
            area: Rect::from_min_max(room.min, pos2(room.right(), bottom)),
            map,
            chart,
            lane,
            legend,
            ruler: Ruler { view_s: state.view.map(|share| share * total), x },
            whole: Ruler { view_s: [0.0, total], x },
        }
    }

    /// Where a lane draws what it does.
    pub(super) fn row(&self, lane: usize) -> Rect {
        let top = self.chart.top() + lane as f32 * self.lane + GAP / 2.0;
        Rect::from_min_size(pos2(self.chart.left(), top), vec2(self.chart.width(), self.lane - GAP))
    }

    /// The lane at a height.
    pub(super) fn lane_at(&self, p: Pos2) -> Option<usize> {
        self.chart.contains(p).then(|| ((p.y - self.chart.top()) / self.lane) as usize)
    }

    /// What is drawn of a span, at least 3 points wide.
    pub(super) fn place(&self, model: &Timeline, id: SpanId) -> Option<Rect> {
        let span = model.span(id)?;
        let row = self.row(id.lane);
        let (from, to) = (self.ruler.x(span.start_s), self.ruler.x(span.end_s()));
        let wide = Rect::from_min_max(pos2(from, row.top()), pos2(to.max(from + 3.0), row.bottom()));
        Some(wide.intersect(self.chart.expand(2.0))).filter(Rect::is_positive)
    }

    /// The window of the small map.
    pub(super) fn window(&self) -> Rect {
        let [from, to] = self.ruler.view_s.map(|moment| self.whole.x(moment));
        let middle = f32::midpoint(from, to);
        let half = ((to - from) / 2.0).max(3.0);
        Rect::from_x_y_ranges(middle - half..=middle + half, self.map.y_range()).expand2(vec2(0.0, 3.0))
    }
}
