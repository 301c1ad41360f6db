//! One series: packed chunks and a short open end.

use std::sync::Arc;

use crate::labels::Labels;
use crate::tsdb::chunk::Chunk;

/// Samples of the open end.
const OPEN: usize = 40;
/// Samples of a full chunk.
const FULL: usize = 256;

/// What became of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is the newest of its series.
    New,
    /// It is older than the newest and was put in its place.
    Late,
    /// The same sample was there already.
    Duplicate,
    /// Another value was there at that time; the one that came last counts.
    Replaced,
    /// It is older than late samples may be and was left out.
    TooOld,
    /// The store is a frozen copy and takes nothing.
    Frozen,
}

#[derive(Debug, Clone)]
pub(super) struct Series {
    /// Oldest first; their times do not overlap.
    pub(super) chunks: Vec<Arc<Chunk>>,
    /// Newest samples, sorted, all after the chunks.
    pub(super) open: Vec<(i64, f64)>,
    /// Bytes of the labels, which stand here and in the index, and of what is always there.
    fixed: usize,
    /// Bytes of the chunks.
    packed: usize,
}

impl Series {
    pub(super) fn new(labels: &Labels) -> Self {
        let fixed = size_of::<Self>() + 2 * labels.bytes() + OPEN * size_of::<(i64, f64)>();
        Self { chunks: Vec::new(), open: Vec::new(), fixed, packed: 0 }
    }

    /// Bytes in memory. O(1).
    pub(super) const fn memory_bytes(&self) -> usize {
        self.fixed + self.packed
    }

    fn weigh(&mut self) {
        self.packed = self.chunks.iter().map(|chunk| chunk.memory_bytes()).sum();
    }

    pub(super) fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum::<usize>() + self.open.len()
    }

    pub(super) fn last(&self) -> Option<(i64, f64)> {
        self.open.last().copied().or_else(|| self.chunks.last()?.unpack().last())
    }

    pub(super) fn last_ms(&self) -> Option<i64> {
        self.open.last().map(|(at, _)| *at).or_else(|| Some(self.chunks.last()?.last_ms()))
    }

    pub(super) fn first_ms(&self) -> Option<i64> {
        self.chunks.first().map(|chunk| chunk.first_ms()).or_else(|| Some(self.open.first()?.0))
    }

    pub(super) fn push(&mut self, at: i64, value: f64, late_ms: i64) -> Taken {
        let newest = self.last_ms();
        if newest.is_none_or(|newest| at > newest) {
            if self.open.len() >= OPEN {
                self.close();
            }
            if self.open.capacity() == 0 {
                self.open.reserve_exact(OPEN);
            }
            self.open.push((at, value));
            return Taken::New;
        }
        if newest.is_some_and(|newest| newest.saturating_sub(at) > late_ms) {
            return Taken::TooOld;
        }
        if self.chunks.last().is_some_and(|chunk| at <= chunk.last_ms()) {
            return self.put_into_chunk(at, value);
        }
        let taken = put(&mut self.open, at, value);
        if self.open.len() > OPEN {
            self.close();
        }
        taken
    }

    /// Packs the open end, together with the last chunk while that is not full.
    fn close(&mut self) {
        let mut samples = std::mem::take(&mut self.open);
        let joins = self.chunks.last().is_some_and(|chunk| chunk.len() + samples.len() <= FULL);
        if let Some(last) = self.chunks.pop_if(|_| joins) {
            let joined: Vec<(i64, f64)> = last.unpack().chain(samples.iter().copied()).collect();
            self.chunks.extend(Chunk::pack(&joined).map(Arc::new));
        } else {
            self.chunks.extend(Chunk::pack(&samples).map(Arc::new));
        }
        samples.clear();
        self.open = samples;
        self.weigh();
    }

    fn put_into_chunk(&mut self, at: i64, value: f64) -> Taken {
        let i = self.chunks.partition_point(|chunk| chunk.last_ms() < at);
        let Some(chunk) = self.chunks.get(i) else { return Taken::TooOld };
        let mut samples: Vec<(i64, f64)> = chunk.unpack().collect();
        let taken = put(&mut samples, at, value);
        if taken != Taken::Duplicate {
            let (left, right) = samples.split_at(if samples.len() > FULL { FULL / 2 } else { samples.len() });
            let packed = [left, right].into_iter().filter_map(Chunk::pack).map(Arc::new);
            self.chunks.splice(i..=i, packed);
            self.weigh();
        }
        taken
    }

    /// Samples from the first to the last moment, both included.
    pub(super) fn range(&self, from: i64, to: i64) -> impl Iterator<Item = (i64, f64)> + '_ {
        let first = self.chunks.partition_point(|chunk| chunk.last_ms() < from);
        let chunks = self.chunks[first..].iter().take_while(move |chunk| chunk.first_ms() <= to);
        let samples = chunks.flat_map(|chunk| chunk.unpack()).chain(self.open.iter().copied());
        samples.skip_while(move |(at, _)| *at < from).take_while(move |(at, _)| *at <= to)
    }

    /// Forgets chunks that end before a moment.
    pub(super) fn forget_before(&mut self, at: i64) {
        self.chunks.retain(|chunk| chunk.last_ms() >= at);
        if self.chunks.is_empty() {
            self.open.retain(|(time, _)| *time >= at);
        }
        self.weigh();
    }
}

/// Puts a sample into a sorted list.
fn put(samples: &mut Vec<(i64, f64)>, at: i64, value: f64) -> Taken {
    match samples.binary_search_by_key(&at, |(at, _)| *at) {
        Ok(i) if samples[i].1.to_bits() == value.to_bits() => Taken::Duplicate,
        Ok(i) => {
            samples[i].1 = value;
            Taken::Replaced
        }
        Err(i) => {
            samples.insert(i, (at, value));
            Taken::Late
        }
    }
}
