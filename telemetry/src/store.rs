//! The store of facts: per pod and metric a bounded run of frames, one value or absence per chip.
//!
//! A value is kept as a 16-bit step count, with one code reserved for "no sample", so six hours of a fleet fit in
//! memory. Time is cut into buckets; a bucket without a frame is a gap and stays one. Cloning a store copies
//! pointers only, which is how a presentation is frozen while facts go on arriving.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use topology::fleet::PodId;

use crate::metric::{Metric, Origin};

/// The code of a chip of which nothing was heard.
const ABSENT: u16 = u16::MAX;

/// One metric of all chips of one pod at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The pod.
    pub pod: &'a PodId,
    /// How the values came to be.
    pub origin: Origin,
    /// When, in Unix seconds.
    pub at: i64,
    /// What.
    pub metric: Metric,
    /// One value per chip in row-major order, in the metric's unit; `None` where nothing was heard.
    pub values: &'a [Option<f32>],
}

/// What was not taken as it came.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// The store is a frozen copy.
    #[error("these facts are frozen; nothing is added to them")]
    Frozen,
    /// The batch is older than the newest of its series and was left out.
    #[error("{metric} of pod {pod} at {at} came after a newer sample at {newest}; left out")]
    OutOfOrder {
        /// Pod.
        pod: PodId,
        /// Name of the metric.
        metric: String,
        /// Unix seconds of the batch.
        at: i64,
        /// Unix seconds of the newest bucket.
        newest: i64,
    },
    /// The series has another origin; the batch was left out.
    #[error("{metric} of pod {pod} is {have}; {got} values were left out, origins are never mixed")]
    MixedOrigin {
        /// Pod.
        pod: PodId,
        /// Name of the metric.
        metric: String,
        /// Origin of the series.
        have: &'static str,
        /// Origin of the batch.
        got: &'static str,
    },
    /// The batch has another number of chips than the series; it was left out.
    #[error("pod {pod} has {have} chips, but {got} values came; left out")]
    ChipCount {
        /// Pod.
        pod: PodId,
        /// Chips of the series.
        have: usize,
        /// Values of the batch.
        got: usize,
    },
    /// Some values are not possible and count as missing.
    #[error("{metric} of pod {pod}: values that are negative or no number count as missing, {n_values} in this sample")]
    BadValues {
        /// Pod.
        pod: PodId,
        /// Name of the metric.
        metric: String,
        /// How many.
        n_values: usize,
    },
    /// Some values are larger than the store can hold and were cut.
    #[error("{metric} of pod {pod}: values above {limit} were cut to it, {n_values} in this sample")]
    Cut {
        /// Pod.
        pod: PodId,
        /// Name of the metric.
        metric: String,
        /// How many.
        n_values: usize,
        /// Largest value that can be kept, in the metric's unit.
        limit: String,
    },
}

/// One metric of one pod over time.
#[derive(Debug, Clone)]
struct Series {
    origin: Origin,
    n_chips: usize,
    /// Bucket number and codes, oldest first, bucket numbers rising.
    frames: VecDeque<(i64, Arc<[u16]>)>,
}

/// All facts, bounded in time.
#[derive(Debug, Clone)]
pub struct Store {
    step_seconds: u32,
    capacity: usize,
    series: BTreeMap<(PodId, Metric), Series>,
    revision: u64,
    frozen: bool,
}

impl Store {
    /// Keeps `capacity` buckets of `step_seconds` each; 360 of 60 s are six hours. Both are at least 1.
    pub fn new(step_seconds: u32, capacity: usize) -> Self {
        let (step_seconds, capacity) = (step_seconds.max(1), capacity.max(1));
        Self { step_seconds, capacity, series: BTreeMap::new(), revision: 0, frozen: false }
    }

    /// Length of a bucket in seconds.
    pub const fn step_seconds(&self) -> u32 {
        self.step_seconds
    }

    /// Largest number of buckets per series.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Grows with every change, so that what was derived from the store can be remembered.
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// Whether this is a copy that takes nothing more.
    pub const fn is_frozen(&self) -> bool {
        self.frozen
    }

    /// A copy that never changes; shares the frames, so it costs pointers only.
    pub fn freeze(&self) -> Self {
        Self { frozen: true, ..self.clone() }
    }

    /// Takes one batch. A second batch of the same bucket adds to it, newer values winning.
    ///
    /// Returns what was not taken as it came; never fails. O(chips).
    pub fn ingest(&mut self, batch: Batch<'_>) -> Vec<Warning> {
        if self.frozen {
            return vec![Warning::Frozen];
        }
        let bucket = self.bucket_of(batch.at);
        let key = (batch.pod.clone(), batch.metric);
        let n_chips = batch.values.len();
        let fresh = || Series { origin: batch.origin, n_chips, frames: VecDeque::new() };
        let series = self.series.entry(key).or_insert_with(fresh);
        if let Some(warning) = series.refuses(&batch, bucket, self.step_seconds) {
            return vec![warning];
        }
        let mut counts = Counts::default();
        if let Some((newest, codes)) = series.frames.back_mut()
            && *newest == bucket
        {
            for (code, value) in Arc::make_mut(codes).iter_mut().zip(batch.values) {
                let new = encode(batch.metric, *value, &mut counts);
                if new != ABSENT {
                    *code = new;
                }
            }
        } else {
            let codes = batch.values.iter().map(|value| encode(batch.metric, *value, &mut counts)).collect();
            series.frames.push_back((bucket, codes));
            let oldest = bucket.saturating_sub(self.capacity as i64);
            while series.frames.front().is_some_and(|(at, _)| *at <= oldest) {
                series.frames.pop_front();
            }
        }
        self.revision += 1;
        counts.warnings(&batch)
    }

    /// Forgets every series of a pod, for instance after its shape has changed.
    pub fn forget_pod(&mut self, pod: &PodId) {
        self.forget(|(id, _), _| id == pod);
    }

    /// Forgets every series of one origin, for instance when a live source replaces the simulator.
    pub fn forget_origin(&mut self, origin: Origin) {
        self.forget(|_, series| series.origin == origin);
    }

    fn forget(&mut self, gone: impl Fn(&(PodId, Metric), &Series) -> bool) {
        let before = self.series.len();
        if !self.frozen {
            self.series.retain(|key, series| !gone(key, series));
        }
        if self.series.len() != before {
            self.revision += 1;
        }
    }

    /// What is kept: pod, metric and origin of each series, in a stable order.
    pub fn series(&self) -> impl Iterator<Item = (&PodId, Metric, Origin)> {
        self.series.iter().map(|((pod, metric), series)| (pod, *metric, series.origin))
    }

    /// Origin of a series; absent if nothing was ever heard.
    pub fn origin(&self, pod: &PodId, metric: Metric) -> Option<Origin> {
        self.get(pod, metric).map(|series| series.origin)
    }

    /// Start of the oldest and of the newest bucket of a series, in Unix seconds.
    pub fn span(&self, pod: &PodId, metric: Metric) -> Option<(i64, i64)> {
        let frames = &self.get(pod, metric)?.frames;
        Some((self.start_of(frames.front()?.0), self.start_of(frames.back()?.0)))
    }

    /// Start of the newest bucket of any series, in Unix seconds.
    pub fn newest(&self) -> Option<i64> {
        let newest = self.series.values().filter_map(|series| series.frames.back());
        newest.map(|(bucket, _)| self.start_of(*bucket)).max()
    }

    /// The frame of the bucket that holds this moment; absent in a gap.
    pub fn frame(&self, pod: &PodId, metric: Metric, at: i64) -> Option<Frame<'_>> {
        let bucket = self.bucket_of(at);
        let frames = &self.get(pod, metric)?.frames;
        let index = frames.binary_search_by_key(&bucket, |(number, _)| *number).ok()?;
        Some(Frame { at: self.start_of(bucket), metric, codes: &frames.get(index)?.1 })
    }

    /// The newest frame that is not after this moment, which may be old: look at [`Frame::at`].
    pub fn frame_before(&self, pod: &PodId, metric: Metric, at: i64) -> Option<Frame<'_>> {
        let bucket = self.bucket_of(at);
        let frames = &self.get(pod, metric)?.frames;
        let after = frames.partition_point(|(number, _)| *number <= bucket);
        let (number, codes) = frames.get(after.checked_sub(1)?)?;
        Some(Frame { at: self.start_of(*number), metric, codes })
    }

    /// One value; absent if the chip was silent, in a gap, or unknown.
    pub fn value(&self, pod: &PodId, metric: Metric, chip: usize, at: i64) -> Option<f32> {
        self.frame(pod, metric, at)?.get(chip)
    }

    /// Every bucket from the one that holds `from` to the one that holds `to`, with its frame; gaps are `None`.
    ///
    /// At most [`Self::capacity`] buckets: an earlier `from` is moved up.
    pub fn frames(
        &self,
        pod: &PodId,
        metric: Metric,
        from: i64,
        to: i64,
    ) -> impl Iterator<Item = (i64, Option<Frame<'_>>)> {
        let last = self.bucket_of(to);
        let first = self.bucket_of(from).max(last.saturating_sub(self.capacity as i64 - 1));
        let series = self.get(pod, metric);
        (first..=last).map(move |bucket| {
            let at = self.start_of(bucket);
            let frame = series.and_then(|series| {
                let index = series.frames.binary_search_by_key(&bucket, |(number, _)| *number).ok()?;
                Some(Frame { at, metric, codes: &series.frames.get(index)?.1 })
            });
            (at, frame)
        })
    }

    /// Bytes of all values kept, without small overheads; a frozen copy shares them.
    pub fn memory_bytes(&self) -> usize {
        let frames = self.series.values().flat_map(|series| series.frames.iter());
        frames.map(|(_, codes)| codes.len() * size_of::<u16>() + 48).sum()
    }

    fn get(&self, pod: &PodId, metric: Metric) -> Option<&Series> {
        self.series.get(&(pod.clone(), metric))
    }

    fn bucket_of(&self, at: i64) -> i64 {
        at.div_euclid(i64::from(self.step_seconds))
    }

    fn start_of(&self, bucket: i64) -> i64 {
        bucket.saturating_mul(i64::from(self.step_seconds))
    }
}

impl Series {
    fn refuses(&self, batch: &Batch<'_>, bucket: i64, step_seconds: u32) -> Option<Warning> {
        let pod = batch.pod.clone();
        let metric = batch.metric.name();
        if self.origin != batch.origin {
            return Some(Warning::MixedOrigin { pod, metric, have: self.origin.name(), got: batch.origin.name() });
        }
        if self.n_chips != batch.values.len() {
            return Some(Warning::ChipCount { pod, have: self.n_chips, got: batch.values.len() });
        }
        let newest = self.frames.back()?.0;
        let step = i64::from(step_seconds);
        let out_of_order = Warning::OutOfOrder { pod, metric, at: batch.at, newest: newest.saturating_mul(step) };
        (bucket < newest).then_some(out_of_order)
    }
}

/// How many values of a batch could not be kept as they were.
#[derive(Default)]
struct Counts {
    bad: usize,
    cut: usize,
}

impl Counts {
    fn warnings(self, batch: &Batch<'_>) -> Vec<Warning> {
        let (pod, metric) = (batch.pod.clone(), batch.metric.name());
        let mut warnings = Vec::new();
        if self.bad > 0 {
            warnings.push(Warning::BadValues { pod: pod.clone(), metric: metric.clone(), n_values: self.bad });
        }
        if self.cut > 0 {
            let largest = decode(batch.metric, ABSENT - 1).unwrap_or_default();
            let limit = format!("{largest:.2} {}", batch.metric.unit().symbol());
            warnings.push(Warning::Cut { pod, metric, n_values: self.cut, limit: limit.trim_end().to_owned() });
        }
        warnings
    }
}

fn encode(metric: Metric, value: Option<f32>, counts: &mut Counts) -> u16 {
    let Some(value) = value else { return ABSENT };
    if !value.is_finite() || value < 0.0 {
        counts.bad += 1;
        return ABSENT;
    }
    let steps = (value / metric.quantum()).round();
    if steps > f32::from(ABSENT - 1) {
        counts.cut += 1;
        return ABSENT - 1;
    }
    steps as u16
}

fn decode(metric: Metric, code: u16) -> Option<f32> {
    (code != ABSENT).then(|| f32::from(code) * metric.quantum())
}

/// One metric of all chips of a pod in one bucket.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Start of the bucket in Unix seconds.
    pub at: i64,
    metric: Metric,
    codes: &'a [u16],
}

impl<'a> Frame<'a> {
    /// Value of one chip by its row-major index; absent if nothing was heard of it.
    pub fn get(&self, chip: usize) -> Option<f32> {
        decode(self.metric, *self.codes.get(chip)?)
    }

    /// What the values are.
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// Number of chips, reporting or not.
    pub fn n_chips(&self) -> usize {
        self.codes.len()
    }

    /// All values in row-major order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = Option<f32>> + use<'a> {
        let metric = self.metric;
        self.codes.iter().map(move |code| decode(metric, *code))
    }

    /// The values of some chips.
    pub fn of<'b>(&'b self, chips: &'b [u32]) -> impl Iterator<Item = Option<f32>> + 'b {
        chips.iter().map(|chip| self.get(*chip as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UTIL: Metric = Metric::TensorcoreUtil;

    fn batch<'a>(pod: &'a PodId, at: i64, values: &'a [Option<f32>]) -> Batch<'a> {
        Batch { pod, origin: Origin::Simulated, at, metric: UTIL, values }
    }

    #[test]
    fn values_come_back_within_half_a_step_and_absence_stays_absence() {
        let (mut store, pod) = (Store::new(60, 10), PodId::from("p"));
        assert_eq!(store.ingest(batch(&pod, 61, &[Some(0.123_456), None, Some(0.0)])), []);
        let value = store.value(&pod, UTIL, 0, 119).unwrap();
        assert!((value - 0.123_456).abs() <= 1.01e-5, "{value}");
        assert_eq!(store.value(&pod, UTIL, 1, 60), None);
        assert_eq!(store.value(&pod, UTIL, 2, 60), Some(0.0), "zero is a value");
        assert_eq!(store.value(&pod, UTIL, 3, 60), None, "no such chip");
        assert_eq!(store.value(&pod, UTIL, 0, 120), None, "the next bucket is empty");
    }

    #[test]
    fn a_missing_bucket_is_a_gap_in_the_run() {
        let (mut store, pod) = (Store::new(60, 10), PodId::from("p"));
        for minute in [-1, 0, 3] {
            store.ingest(batch(&pod, minute * 60, &[Some(0.5)]));
        }
        let run: Vec<(i64, bool)> = store.frames(&pod, UTIL, -60, 200).map(|(at, f)| (at / 60, f.is_some())).collect();
        assert_eq!(run, [(-1, true), (0, true), (1, false), (2, false), (3, true)]);
        assert_eq!(store.frame_before(&pod, UTIL, 130).unwrap().at, 0);
        assert!(store.frame_before(&pod, UTIL, -61).is_none());
    }

    #[test]
    fn the_past_falls_off_and_does_not_come_back() {
        let (mut store, pod) = (Store::new(60, 3), PodId::from("p"));
        for minute in 0..10 {
            store.ingest(batch(&pod, minute * 60, &[Some(0.5)]));
        }
        assert_eq!(store.span(&pod, UTIL), Some((7 * 60, 9 * 60)));
        let warnings = store.ingest(batch(&pod, 8 * 60, &[Some(0.1)]));
        assert!(matches!(warnings[..], [Warning::OutOfOrder { at: 480, newest: 540, .. }]));
        assert_eq!(store.value(&pod, UTIL, 0, 480), Some(0.5), "what was known is kept");
    }

    #[test]
    fn within_a_bucket_newer_values_win_and_silence_erases_nothing() {
        let (mut store, pod) = (Store::new(60, 3), PodId::from("p"));
        store.ingest(batch(&pod, 0, &[Some(0.25), Some(0.5)]));
        store.ingest(batch(&pod, 30, &[None, Some(0.75)]));
        let values: Vec<_> = store.frame(&pod, UTIL, 0).unwrap().values().collect();
        assert_eq!(values, [Some(0.25), Some(0.75)]);
    }

    #[test]
    fn origins_are_never_mixed_and_a_changed_pod_is_refused() {
        let (mut store, pod) = (Store::new(60, 3), PodId::from("p"));
        store.ingest(batch(&pod, 0, &[Some(0.5)]));
        let other = Batch { origin: Origin::Observed, ..batch(&pod, 60, &[Some(0.1)]) };
        let warnings: Vec<String> = store.ingest(other).iter().map(ToString::to_string).collect();
        let text = "TensorCore util of pod p is simulated; observed values were left out, origins are never mixed";
        assert_eq!(warnings, [text]);
        assert!(matches!(store.ingest(batch(&pod, 60, &[]))[..], [Warning::ChipCount { have: 1, got: 0, .. }]));
        store.forget_origin(Origin::Simulated);
        assert_eq!(store.ingest(other), [], "after forgetting the simulator the source may fill the series");
    }

    #[test]
    fn impossible_values_count_as_missing_and_large_ones_are_cut() {
        let (mut store, pod) = (Store::new(60, 3), PodId::from("p"));
        let warnings = store.ingest(batch(&pod, 0, &[Some(f32::NAN), Some(-0.1), Some(97.0), Some(0.5)]));
        let texts: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "TensorCore util of pod p: values that are negative or no number count as missing, 2 in this sample",
                "TensorCore util of pod p: values above 1.31 were cut to it, 1 in this sample",
            ]
        );
        assert_eq!(store.value(&pod, UTIL, 0, 0), None);
    }

    #[test]
    fn a_frozen_copy_stays_as_it_was() {
        let (mut store, pod) = (Store::new(60, 3), PodId::from("p"));
        store.ingest(batch(&pod, 0, &[Some(0.5)]));
        let mut frozen = store.freeze();
        store.ingest(batch(&pod, 0, &[Some(0.75)]));
        assert_eq!(frozen.value(&pod, UTIL, 0, 0), Some(0.5));
        assert_eq!(store.value(&pod, UTIL, 0, 0), Some(0.75));
        assert_eq!(frozen.ingest(batch(&pod, 60, &[None])), [Warning::Frozen]);
        assert!(store.revision() > frozen.revision());
    }

    /// The product promises six hours of the sample fleet in about 120 MB.
    #[test]
    fn six_hours_of_the_fleet_fit() {
        let (mut store, pod) = (Store::new(60, 360), PodId::from("p"));
        let values = vec![Some(0.5); 2_330];
        for minute in 0..400 {
            store.ingest(batch(&pod, minute * 60, &values));
        }
        let ten_pods_five_metrics = store.memory_bytes() * 10 * 5;
        assert!(ten_pods_five_metrics < 120_000_000, "{ten_pods_five_metrics}");
    }
}
