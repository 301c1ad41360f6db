//! Where rows and days stand, and what a drag of a bar means in days.

use egui::{Rect, pos2, vec2};

use super::date::Day;
use super::model::{DragState, Gantt, GanttState, Grip, Item, Proposal};

/// Width of the label column.
pub(super) const LABELS: f32 = 228.0;
/// Height of the axis.
pub(super) const AXIS: f32 = 44.0;
/// Height of the lane of gates.
pub(super) const GATES: f32 = 76.0;
/// Height of a lane's header.
pub(super) const LANE: f32 = 26.0;
/// Height of a row.
pub(super) const ROW: f32 = 32.0;
/// Height of the legend below.
pub(super) const FOOT: f32 = 36.0;
/// Days in a mean month of the Gregorian calendar.
const MONTH: f32 = 30.436_875;
/// Least and greatest width of a month.
const MONTH_WIDTH: [f32; 2] = [12.0, 400.0];

/// A row of the body: a lane's header, or an item of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Row {
    /// Header of a lane.
    Lane(usize),
    /// Item of a lane.
    Item(usize, usize),
}

/// The parts of one picture.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// Everything.
    pub area: Rect,
    /// Where days and months stand: right of the labels, from the axis to the foot.
    pub chart: Rect,
    /// The scrolling part, labels and bars.
    pub body: Rect,
    /// Points per day.
    pub day: f32,
    /// Rows with their upper edges.
    pub rows: Vec<(Row, f32)>,
    /// Lower edge of the last row.
    pub end: f32,
    origin: Day,
    scroll_x: f32,
}

impl Layout {
    /// Lays out a model; brings scroll and zoom of `state` within bounds.
    pub(super) fn new(model: &Gantt, state: &mut GanttState, area: Rect) -> Self {
        let chart = Rect::from_min_max(area.min + vec2(LABELS, 0.0), area.max - vec2(0.0, FOOT));
        let body = Rect::from_min_max(area.min + vec2(0.0, AXIS + GATES), area.max - vec2(0.0, FOOT));
        state.month_width = state.month_width.clamp(MONTH_WIDTH[0], MONTH_WIDTH[1]);
        let day = state.month_width / MONTH;
        let origin = model.from.month_start();
        let days = (model.to.0 - origin.0 + 1).max(1) as f32;
        state.scroll_x = state.scroll_x.clamp(0.0, (days * day - chart.width()).max(0.0));
        let folded = |name: &String| state.folded.contains(name);
        let heights = model.lanes.iter().map(|lane| if folded(&lane.name) { 0 } else { lane.items.len() });
        let height: f32 = heights.map(|items| LANE + ROW * items as f32).sum();
        state.scroll_y = state.scroll_y.clamp(0.0, (height - body.height()).max(0.0));
        let mut y = body.top() - state.scroll_y;
        let mut rows = Vec::new();
        for (n, lane) in model.lanes.iter().enumerate() {
            rows.push((Row::Lane(n), y));
            y += LANE;
            for item in 0..if folded(&lane.name) { 0 } else { lane.items.len() } {
                rows.push((Row::Item(n, item), y));
                y += ROW;
            }
        }
        Self { area, chart, body, day, rows, end: y, origin, scroll_x: state.scroll_x }
    }

    /// Where a day begins.
    pub(super) fn x(&self, day: Day) -> f32 {
        self.chart.left() + (day.0 - self.origin.0) as f32 * self.day - self.scroll_x
    }

    /// Where a day ends.
    pub(super) fn x_end(&self, day: Day) -> f32 {
        self.x(day.plus(1))
    }

    /// The bar from the first to the last day around a row's middle.
    pub(super) fn bar(&self, [start, end]: [Day; 2], middle: f32) -> Rect {
        Rect::from_min_max(pos2(self.x(start), middle - 7.0), pos2(self.x_end(end), middle + 6.0))
    }

    /// Months that are in view, by their first days.
    pub(super) fn months(&self) -> impl Iterator<Item = Day> + '_ {
        let first = self.origin.plus((self.scroll_x / self.day) as i32).month_start();
        let months = std::iter::successors(Some(first), |month| Some(month.next_month()));
        months.take_while(|&month| self.x(month) < self.chart.right())
    }

    /// Keeps the day under `x` there while months become `factor` times as wide.
    pub(super) fn zoom(&self, state: &mut GanttState, factor: f32, x: f32) {
        let width = (state.month_width * factor).clamp(MONTH_WIDTH[0], MONTH_WIDTH[1]);
        let from_left = x - self.chart.left();
        state.scroll_x = (state.scroll_x + from_left) * (width / state.month_width) - from_left;
        state.month_width = width;
    }
}

/// What a drag asks for: whole days, and never an end before its start.
pub(super) fn proposal(drag: &DragState, points_per_day: f32, alone: bool) -> Proposal {
    let days = (drag.points / points_per_day.max(f32::EPSILON)).round() as i32;
    let [start, end] = drag.from;
    let (start, end) = match drag.grip {
        Grip::Body => (start.plus(days), end.plus(days)),
        Grip::Start => (start.plus(days).min(end), end),
        Grip::End => (start, end.plus(days).max(start)),
    };
    Proposal { item: drag.item, start, end, alone }
}

/// First and last day of an item, or what a drag proposes for it.
pub(super) fn dates(item: &Item, preview: Option<&Proposal>) -> [Day; 2] {
    preview.filter(|proposal| proposal.item == item.id).map_or([item.start, item.end], |p| [p.start, p.end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drag(grip: Grip, points: f32) -> Proposal {
        let from = [Day::from_civil(2026, 12, 1), Day::from_civil(2026, 12, 11)];
        proposal(&DragState { item: 7, grip, points, from }, 1.7, false)
    }

    /// Protects: a drag snaps to whole days and moves only what is held.
    #[test]
    fn a_drag_becomes_whole_days() {
        let day = |of_month| Day::from_civil(2026, 12, of_month);
        assert_eq!((drag(Grip::Body, 3.4 + 0.8).start, drag(Grip::Body, 3.4 + 0.8).end), (day(3), day(13)));
        assert_eq!((drag(Grip::Body, 0.8).start, drag(Grip::Body, 0.8).end), (day(1), day(11)));
        assert_eq!((drag(Grip::End, -5.1).start, drag(Grip::End, -5.1).end), (day(1), day(8)));
        assert_eq!((drag(Grip::Start, 5.1).start, drag(Grip::Start, 5.1).end), (day(4), day(11)));
    }

    /// Protects: the two ends of a bar never cross.
    #[test]
    fn an_end_stops_at_its_start() {
        let crossed = [drag(Grip::End, -1e4), drag(Grip::Start, 1e4)];
        assert!(crossed.iter().all(|proposal| proposal.start == proposal.end), "{crossed:?}");
    }

    fn empty() -> Gantt {
        Gantt {
            name: String::new(),
            from: Day::from_civil(2026, 2, 10),
            to: Day::from_civil(2027, 8, 31),
            today: Day::from_civil(2026, 11, 30),
            gates: Vec::new(),
            lanes: Vec::new(),
            links: Vec::new(),
            baseline: None,
            show_critical: true,
            show_forecast: true,
            selected: None,
        }
    }

    /// Protects: zooming keeps the day under the pointer, and months in view begin with the axis.
    #[test]
    fn zooming_keeps_the_day_under_the_pointer() {
        let (model, mut state) = (empty(), GanttState { month_width: 120.0, ..GanttState::default() });
        let area = Rect::from_min_size(pos2(0.0, 0.0), vec2(1224.0, 800.0));
        let before = Layout::new(&model, &mut state, area);
        assert_eq!(before.months().next(), Some(Day::from_civil(2026, 2, 1)));
        let day = Day::from_civil(2026, 8, 20);
        let x = before.x(day);
        before.zoom(&mut state, 2.0, x);
        let after = Layout::new(&model, &mut state, area);
        assert!((after.x(day) - x).abs() < 0.01, "{} instead of {x}", after.x(day));
    }
}
