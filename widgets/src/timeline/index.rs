//! What is looked up in a timeline again and again, made once for each revision.

use std::sync::Arc;

use egui::{Id, Ui};

use super::model::{Kind, Lane, SpanId, Timeline};

/// Finds spans by time.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// For each lane and span, the latest end so far: it never falls, so it can be searched.
    ends: Vec<Vec<f64>>,
    /// Kinds that occur, in the order of the legend.
    pub kinds: Vec<Kind>,
}

impl Index {
    pub(super) fn new(model: &Timeline) -> Self {
        let mut seen = [false; Kind::ALL.len()];
        let mut ends = Vec::with_capacity(model.lanes.len());
        for lane in &model.lanes {
            let mut latest = f64::NEG_INFINITY;
            ends.push(
                lane.spans
                    .iter()
                    .map(|span| {
                        seen[span.kind as usize] = true;
                        latest = latest.max(span.end_s());
                        latest
                    })
                    .collect(),
            );
        }
        let kinds = Kind::ALL.into_iter().filter(|&kind| seen[kind as usize]).collect();
        Self { ends, kinds }
    }

    /// The index of the last frame, or a new one when the model has changed.
    pub(super) fn kept(ui: &Ui, id: Id, model: &Timeline) -> Arc<Self> {
        type Kept = (u64, Arc<Index>);
        let id = id.with("index");
        if let Some((_, index)) = ui.data(|data| data.get_temp::<Kept>(id)).filter(|(key, _)| *key == model.revision) {
            return index;
        }
        let index = Arc::new(Self::new(model));
        ui.data_mut(|data| data.insert_temp::<Kept>(id, (model.revision, Arc::clone(&index))));
        index
    }

    /// First and one past the last span of a lane that may show between two moments.
    pub(super) fn between(&self, model: &Timeline, lane: usize, [from, to]: [f64; 2]) -> [usize; 2] {
        let (Some(lane), Some(ends)) = (model.lanes.get(lane), self.ends.get(lane)) else { return [0, 0] };
        let first = ends.partition_point(|&end| end < from);
        let end = lane.spans.partition_point(|span| span.start_s <= to);
        [first, end.max(first)]
    }

    /// The span of a lane at a moment; failing that the nearest one not farther than `reach`.
    pub(super) fn at(&self, model: &Timeline, lane: usize, moment: f64, reach: f64) -> Option<usize> {
        let spans = &model.lanes.get(lane)?.spans;
        let [first, end] = self.between(model, lane, [moment - reach, moment + reach]);
        let away = |n: usize| (spans[n].start_s - moment).max(moment - spans[n].end_s()).max(0.0);
        // Later spans are drawn over earlier ones.
        (first..end).rev().filter(|&n| away(n) <= reach).min_by(|&a, &b| away(a).total_cmp(&away(b)))
    }

    /// The span that an arrow key leads to: `across` along the lane, `down` to another lane that is not idle.
    pub(super) fn neighbour(&self, model: &Timeline, from: Option<SpanId>, [across, down]: [i32; 2]) -> Option<SpanId> {
        let busy: Vec<usize> = (0..model.lanes.len()).filter(|&n| !model.lanes[n].spans.is_empty()).collect();
        let Some(SpanId { lane, span }) = from.filter(|&id| model.span(id).is_some()) else {
            return busy.first().map(|&lane| SpanId { lane, span: 0 });
        };
        if down == 0 {
            let last = model.lanes[lane].spans.len() - 1;
            return Some(SpanId { lane, span: span.saturating_add_signed(across as isize).min(last) });
        }
        let place = busy.iter().position(|&n| n == lane)?;
        let lane = busy[place.saturating_add_signed(down as isize).min(busy.len() - 1)];
        let from = &model.span(from?)?;
        let moment = f64::midpoint(from.start_s, from.end_s());
        self.at(model, lane, moment, f64::INFINITY).map(|span| SpanId { lane, span })
    }
}

impl Timeline {
    /// A span; `None` if there is no such one.
    pub fn span(&self, id: SpanId) -> Option<&super::model::Span> {
        self.lanes.get(id.lane)?.spans.get(id.span)
    }
}

impl Lane {
    /// Seconds between two spans in which at least one of them is busy; the second is not included.
    pub(super) fn busy_s(&self, [from, to]: [usize; 2]) -> f64 {
        let (mut sum, mut free_from) = (0.0, f64::NEG_INFINITY);
        for span in self.spans.get(from..to).unwrap_or_default() {
            sum += (span.end_s() - span.start_s.max(free_from)).max(0.0);
            free_from = free_from.max(span.end_s());
        }
        sum
    }
}
