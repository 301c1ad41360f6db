//! Which spans can be told apart, and which share a band because they are finer than the picture.

use super::index::Index;
use super::model::{Kind, Span, Timeline};

/// A span narrower than this, in points, may share a band.
const NARROW: f32 = 3.0;
/// Spans farther apart than this, in points, never share a band.
const APART: f32 = 2.0;

/// From seconds to points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ruler {
    /// First and last moment, in seconds.
    pub view_s: [f64; 2],
    /// Where they stand, in points.
    pub x: [f32; 2],
}

impl Ruler {
    /// Where a moment stands.
    pub(super) fn x(&self, moment: f64) -> f32 {
        let share = (moment - self.view_s[0]) / (self.view_s[1] - self.view_s[0]).max(f64::MIN_POSITIVE);
        // Far outside the picture every place is as good as any other; f32 could not hold the true one.
        let share = share.clamp(-10.0, 11.0);
        (f64::from(self.x[0]) + share * f64::from(self.x[1] - self.x[0])) as f32
    }

    /// The moment that stands at a place.
    pub(super) fn moment(&self, x: f32) -> f64 {
        let share = f64::from((x - self.x[0]) / (self.x[1] - self.x[0]).max(1.0));
        self.view_s[0] + share * (self.view_s[1] - self.view_s[0])
    }

    /// Seconds in one point.
    pub(super) fn point_s(&self) -> f64 {
        (self.view_s[1] - self.view_s[0]) / f64::from((self.x[1] - self.x[0]).max(1.0))
    }
}

/// What is drawn of a lane.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Pieces {
    /// Number and place of each span that stands alone.
    pub blocks: Vec<(usize, [f32; 2])>,
    /// Runs of spans that share a band.
    pub bands: Vec<Band>,
}

/// Spans that are too fine to be told apart.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Band {
    /// First and one past the last span.
    pub spans: [usize; 2],
    /// Where it begins and ends.
    pub x: [f32; 2],
    /// For each point across, the busy share and the kind that takes most of it.
    pub columns: Vec<(f32, Kind)>,
}

/// The band that grows while spans are walked.
#[derive(Debug, Clone, Copy)]
struct Growing {
    first: usize,
    x: [f32; 2],
}

/// Sorts the spans of a lane into blocks and bands.
pub(super) fn pieces(model: &Timeline, index: &Index, lane: usize, ruler: &Ruler) -> Pieces {
    let [first, end] = index.between(model, lane, ruler.view_s);
    let Some(spans) = model.lanes.get(lane).and_then(|lane| lane.spans.get(..end)) else { return Pieces::default() };
    let mut sorter = Sorter { spans, ruler, pieces: Pieces::default() };
    let mut growing: Option<Growing> = None;
    for (n, span) in spans.iter().enumerate().skip(first) {
        let x = [ruler.x(span.start_s).max(ruler.x[0]), ruler.x(span.end_s()).min(ruler.x[1])];
        if x[1] < x[0] {
            continue;
        }
        let narrow = x[1] - x[0] < NARROW;
        match &mut growing {
            Some(band) if narrow && x[0] - band.x[1] <= APART => band.x[1] = band.x[1].max(x[1]),
            _ => {
                sorter.close(growing.take(), n);
                if narrow {
                    growing = Some(Growing { first: n, x });
                } else {
                    sorter.pieces.blocks.push((n, x));
                }
            }
        }
    }
    sorter.close(growing, end);
    sorter.pieces
}

struct Sorter<'a> {
    spans: &'a [Span],
    ruler: &'a Ruler,
    pieces: Pieces,
}

impl Sorter<'_> {
    /// Ends a band before span `end`; one that holds a single span is a block after all.
    fn close(&mut self, band: Option<Growing>, end: usize) {
        let Some(Growing { first, x }) = band else { return };
        if end - first == 1 {
            self.pieces.blocks.push((first, x));
            return;
        }
        let count = ((x[1] - x[0]).ceil() as usize).max(1);
        let mut busy = vec![[0.0_f32; Kind::ALL.len()]; count];
        for span in &self.spans[first..end] {
            let [from, to] = [span.start_s, span.end_s()].map(|moment| self.ruler.x(moment) - x[0]);
            let (left, right) = (from.max(0.0) as usize, (to.ceil().max(0.0) as usize).min(count));
            for (n, shares) in busy.get_mut(left..right).into_iter().flatten().enumerate() {
                let column = (left + n) as f32;
                let covered = to.min(column + 1.0) - from.max(column);
                shares[span.kind as usize] += covered.max(0.0);
            }
        }
        let columns = busy.iter().map(|shares| {
            let most = Kind::ALL.into_iter().max_by(|&a, &b| shares[a as usize].total_cmp(&shares[b as usize]));
            (shares.iter().sum::<f32>().min(1.0), most.unwrap_or(Kind::Other))
        });
        self.pieces.bands.push(Band { spans: [first, end], x, columns: columns.collect() });
    }
}
