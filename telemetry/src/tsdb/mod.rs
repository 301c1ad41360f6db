//! The store of series as they were observed: exact, packed, bounded in bytes.
//!
//! [`crate::store`] keeps what the Live view draws, one number for each chip and step. This store keeps what the sources
//! said, under their labels: rules, exports and recordings read from here. A moment without a sample is a gap and stays
//! one. When the bound is reached the oldest chunks of all series go first. A copy shares the chunks, so freezing the
//! past of a pod costs pointers.

mod bits;
mod chunk;
mod clock;
mod counter;
mod series;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::exposition::{FamilyKind, Format, WriteError, Writer};
use crate::labels::Labels;
use crate::registry::{Kind, Registry};

pub use clock::ClockOffset;
pub use counter::{Rate, counter_rates};
pub use series::Taken;

/// Bounds of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most bytes of labels, chunks and open ends; labels and open ends take at most half.
    pub bytes: usize,
    /// Most series.
    pub series: usize,
    /// How much older than the newest of its series a sample may be, in milliseconds.
    pub late_ms: i64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { bytes: 1_000_000_000, series: 500_000, late_ms: 3_600_000 }
    }
}

/// Identity of a series inside its store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeriesId(u32);

/// The store takes no more series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are {limit} series already; ask for fewer, or aggregate them")]
pub struct TooManySeries {
    /// The bound.
    pub limit: usize,
}

/// What became of samples since the store was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Newest of their series.
    pub new: u64,
    /// Put in their place behind newer ones.
    pub late: u64,
    /// There already.
    pub duplicate: u64,
    /// Another value was there; the one that came last counts.
    pub replaced: u64,
    /// Left out because they were too old.
    pub too_old: u64,
    /// Forgotten to stay within the bound.
    pub evicted: u64,
}

/// A stretch of time without samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    /// Last sample before it, Unix milliseconds.
    pub from_ms: i64,
    /// First sample after it, Unix milliseconds; absent if it lasts.
    pub to_ms: Option<i64>,
}

/// All series.
#[derive(Debug, Clone)]
pub struct Tsdb {
    bounds: Bounds,
    series: Vec<Arc<series::Series>>,
    index: Arc<BTreeMap<Labels, SeriesId>>,
    bytes: usize,
    /// Bytes of labels and open ends, which are never forgotten.
    fixed: usize,
    counts: Counts,
    is_frozen: bool,
}

impl Tsdb {
    /// An empty store.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            series: Vec::new(),
            index: Arc::default(),
            bytes: 0,
            fixed: 0,
            counts: Counts::default(),
            is_frozen: false,
        }
    }

    /// A copy that never changes; shares labels and chunks. O(series).
    pub fn freeze(&self) -> Self {
        Self { is_frozen: true, ..self.clone() }
    }

    /// The series of these labels, made if it is not there.
    ///
    /// # Errors
    /// If there are as many series as the bound allows, or it is not there and the store is frozen.
    pub fn series_id(&mut self, labels: &Labels) -> Result<SeriesId, TooManySeries> {
        if let Some(id) = self.index.get(labels) {
            return Ok(*id);
        }
        let series = series::Series::new(labels);
        let is_full = self.fixed + series.memory_bytes() > self.bounds.bytes / 2;
        let limit = if self.is_frozen || is_full { self.series.len() } else { self.bounds.series };
        if self.series.len() >= limit {
            return Err(TooManySeries { limit });
        }
        let id = SeriesId(self.series.len() as u32);
        self.fixed += series.memory_bytes();
        self.bytes += series.memory_bytes();
        self.series.push(Arc::new(series));
        Arc::make_mut(&mut self.index).insert(labels.clone(), id);
        Ok(id)
    }

    /// Takes one sample, in any order of time; says what became of it.
    pub fn append(&mut self, id: SeriesId, at_ms: i64, value: f64) -> Taken {
        if self.is_frozen {
            return Taken::Frozen;
        }
        let Some(series) = self.series.get_mut(id.0 as usize) else { return Taken::TooOld };
        let series = Arc::make_mut(series);
        let before = series.memory_bytes();
        let taken = series.push(at_ms, value, self.bounds.late_ms);
        self.bytes = self.bytes + series.memory_bytes() - before;
        let count = match taken {
            Taken::New => &mut self.counts.new,
            Taken::Late => &mut self.counts.late,
            Taken::Duplicate => &mut self.counts.duplicate,
            Taken::Replaced => &mut self.counts.replaced,
            Taken::TooOld | Taken::Frozen => &mut self.counts.too_old,
        };
        *count += 1;
        if self.bytes > self.bounds.bytes {
            self.evict();
        }
        taken
    }

    /// Forgets the oldest sixteenth of the time until a tenth of the bound is free, or nothing packed is left.
    fn evict(&mut self) {
        let target = self.bounds.bytes / 10 * 9;
        while self.bytes > target {
            let firsts = self.series.iter().filter(|series| !series.chunks.is_empty()).filter_map(|s| s.first_ms());
            let lasts = self.series.iter().filter_map(|series| series.last_ms());
            let (Some(first), Some(last)) = (firsts.min(), lasts.max()) else { return };
            let ends = self.series.iter().filter_map(|series| Some(series.chunks.first()?.last_ms()));
            let cut = first.saturating_add(last.saturating_sub(first) / 16).max(ends.min().unwrap_or(first));
            for series in &mut self.series {
                if series.chunks.first().is_some_and(|chunk| chunk.last_ms() <= cut) {
                    let series = Arc::make_mut(series);
                    let (bytes, n) = (series.memory_bytes(), series.len());
                    series.forget_before(cut.saturating_add(1));
                    self.counts.evicted += (n - series.len()) as u64;
                    self.bytes = self.bytes + series.memory_bytes() - bytes;
                }
            }
        }
    }

    /// Number of series.
    pub fn n_series(&self) -> usize {
        self.series.len()
    }

    /// Samples that are kept.
    pub fn n_samples(&self) -> usize {
        self.series.iter().map(|series| series.len()).sum()
    }

    /// Bytes of labels, chunks and open ends; a frozen copy shares them.
    pub const fn memory_bytes(&self) -> usize {
        self.bytes
    }

    /// What became of samples.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// All series in the order of their labels.
    pub fn iter(&self) -> impl Iterator<Item = (SeriesId, &Labels)> {
        self.index.iter().map(|(labels, id)| (*id, labels))
    }

    /// Samples from the first to the last moment in Unix milliseconds, both included.
    pub fn range(&self, id: SeriesId, from_ms: i64, to_ms: i64) -> impl Iterator<Item = (i64, f64)> + '_ {
        self.series.get(id.0 as usize).into_iter().flat_map(move |series| series.range(from_ms, to_ms))
    }

    /// The newest sample of a series.
    pub fn last(&self, id: SeriesId) -> Option<(i64, f64)> {
        self.series.get(id.0 as usize)?.last()
    }

    /// Stretches longer than `longest_ms` without a sample, up to now; nothing is put into them.
    pub fn silences(&self, id: SeriesId, longest_ms: i64, now_ms: i64) -> Vec<Silence> {
        let mut found = Vec::new();
        let mut before: Option<i64> = None;
        for (at, _) in self.range(id, i64::MIN, now_ms) {
            if let Some(from_ms) = before.filter(|before| at.saturating_sub(*before) > longest_ms) {
                found.push(Silence { from_ms, to_ms: Some(at) });
            }
            before = Some(at);
        }
        if let Some(from_ms) = before.filter(|before| now_ms.saturating_sub(*before) > longest_ms) {
            found.push(Silence { from_ms, to_ms: None });
        }
        found
    }

    /// Writes all samples as OpenMetrics, family by family; types are those of the registry, `unknown` for names that it
    /// does not know.
    ///
    /// # Errors
    /// If the receiver fails.
    pub fn write_openmetrics<W: std::fmt::Write>(&self, out: W, registry: &Registry) -> Result<W, WriteError> {
        let mut writer = Writer::new(out, Format::OpenMetrics);
        let mut family: Option<&str> = None;
        // Labels begin with the name of the series, so each family stands together.
        let mut sorted: Vec<(SeriesId, &Labels)> = self.iter().collect();
        sorted.sort_by(|a, b| (a.1.name(), a.1).cmp(&(b.1.name(), b.1)));
        for (id, labels) in sorted {
            if family != Some(labels.name()) {
                family = Some(labels.name());
                let known = registry.find(labels.name());
                let kind = match known.map(|known| known.spec.kind) {
                    Some(Kind::Gauge) => FamilyKind::Gauge,
                    Some(Kind::Counter) if labels.name().ends_with("_total") => FamilyKind::Counter,
                    _ => FamilyKind::Unknown,
                };
                writer.family(labels.name(), kind, known.map_or("", |known| &known.spec.about), None)?;
            }
            for (at_ms, value) in self.range(id, i64::MIN, i64::MAX) {
                writer.sample(labels, Some(at_ms), value)?;
            }
        }
        writer.finish()
    }
}
