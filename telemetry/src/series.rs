//! A group of chips over time, and where nothing was heard of it.

use topology::fleet::PodId;

use crate::metric::Metric;
use crate::stats::{Summary, summary};
use crate::store::Store;

/// One bucket of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Start of the bucket in Unix seconds.
    pub at: i64,
    /// What the group reported; absent in a gap.
    pub summary: Option<Summary>,
}

/// A stretch of buckets in which a group was silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Start of its first bucket in Unix seconds.
    pub from: i64,
    /// End of its last bucket in Unix seconds.
    pub to: i64,
}

/// A group of chips (row-major pod indices) in every bucket from the one that holds `from` to the one that holds `to`.
///
/// O(buckets × chips of the group).
pub fn run(store: &Store, (pod, metric): (&PodId, Metric), chips: &[u32], (from, to): (i64, i64)) -> Vec<Point> {
    let frames = store.frames(pod, metric, from, to);
    frames.map(|(at, frame)| Point { at, summary: frame.and_then(|frame| summary(frame.of(chips))) }).collect()
}

/// Where a run of buckets of `step_seconds` each has nothing to say.
pub fn gaps(run: &[Point], step_seconds: u32) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    for point in run.iter().filter(|point| point.summary.is_none()) {
        let end = point.at.saturating_add(i64::from(step_seconds));
        match gaps.last_mut() {
            Some(gap) if gap.to == point.at => gap.to = end,
            _ => gaps.push(Gap { from: point.at, to: end }),
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Origin;
    use crate::store::Batch;

    /// A silent collector and a silent group both leave gaps; a group that half reports leaves none.
    #[test]
    fn silence_of_the_group_is_a_gap_and_silence_of_a_part_is_not() {
        let (mut store, pod) = (Store::new(60, 20), PodId::from("p"));
        for minute in [0, 1, 4, 5, 6, 7] {
            let other = (minute != 5).then_some(0.5);
            let values = [Some(0.25), other, None];
            let at = minute * 60;
            store.ingest(Batch { pod: &pod, origin: Origin::Observed, at, metric: Metric::DutyCycle, values: &values });
        }
        let run_of = |chips: &[u32]| run(&store, (&pod, Metric::DutyCycle), chips, (0, 7 * 60));
        let minutes = |chips: &[u32]| -> Vec<(i64, i64)> {
            gaps(&run_of(chips), 60).iter().map(|gap| (gap.from / 60, gap.to / 60)).collect()
        };
        assert_eq!(minutes(&[1]), [(2, 4), (5, 6)]);
        assert_eq!(minutes(&[0, 1]), [(2, 4)]);
        assert_eq!(minutes(&[2]), [(0, 8)]);
        let half = run_of(&[0, 1])[5].summary.unwrap();
        assert_eq!((half.n_present, half.n_missing, half.mean), (1, 1, 0.25));
    }
}
