//! Units that lag behind their slice.
//!
//! A unit (chip, host or cube) straggles in a bucket when its mean lies more than three standard deviations below
//! the mean of the *other* units of its slice. Duty cycle is judged the other way: all chips of one job wait for the
//! slowest, so the slow ones are those that never wait, and their utilization is as low as everybody's. It is left out of its own yardstick because with few units one bad
//! unit widens the deviation so much that it hides itself (among n units none can be further than (n−1)/√n from
//! the common mean). It is reported once that has lasted for five minutes; buckets without data neither prove nor
//! disprove, so they do not end a run.

use topology::fleet::PodId;

use crate::metric::Metric;
use crate::stats::summary;
use crate::store::{Frame, Store};

/// When a unit counts as a straggler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Standard deviations from the other units, on the side of the metric that means lagging.
    pub sigmas: f64,
    /// For at least this long, in seconds.
    pub min_seconds: u32,
    /// A slice with fewer reporting units is not judged.
    pub min_units: usize,
}

impl Default for Rule {
    fn default() -> Self {
        Self { sigmas: 3.0, min_seconds: 300, min_units: 4 }
    }
}

/// A unit that lags behind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Straggler {
    /// Index of the unit in the caller's list.
    pub unit: usize,
    /// Mean of its chips now, in the metric's unit.
    pub mean: f64,
    /// Mean of the other units of its slice now.
    pub others_mean: f64,
    /// Distance from the others in their standard deviations, positive; absent if the others are all equal.
    pub sigmas: Option<f64>,
    /// Start of the first bucket of the run, in Unix seconds.
    pub since: i64,
}

/// Units of one slice that straggle at a moment, worst first.
///
/// `units` lists the chips of each unit of the slice by row-major pod index. O(buckets in the run × chips).
pub fn stragglers(
    store: &Store,
    (pod, metric): (&PodId, Metric),
    units: &[Vec<u32>],
    at: i64,
    rule: Rule,
) -> Vec<Straggler> {
    let Some(now) = store.frame(pod, metric, at) else { return Vec::new() };
    let mut open = judge(&now, units, rule);
    let mut done: Vec<Straggler> = Vec::new();
    let Some((oldest, _)) = store.span(pod, metric) else { return Vec::new() };
    let mut buckets: Vec<_> = store.frames(pod, metric, oldest, now.at.saturating_sub(1)).collect();
    while let Some((_, frame)) = buckets.pop() {
        let Some(frame) = frame else { continue };
        if open.is_empty() {
            break;
        }
        let then = judge(&frame, units, rule);
        open.retain_mut(|straggler| {
            let silent = frame.of(&units[straggler.unit]).all(|value| value.is_none());
            let still = then.iter().any(|other| other.unit == straggler.unit);
            if still {
                straggler.since = frame.at;
            }
            if !silent && !still {
                done.push(*straggler);
            }
            silent || still
        });
    }
    done.append(&mut open);
    // A run lasts to the end of its newest bucket.
    let end = now.at.saturating_add(i64::from(store.step_seconds()));
    done.retain(|straggler| end.saturating_sub(straggler.since) >= i64::from(rule.min_seconds));
    let lag = |s: &Straggler| (s.mean - s.others_mean).abs();
    done.sort_by(|a, b| lag(b).total_cmp(&lag(a)).then(a.unit.cmp(&b.unit)));
    done
}

/// Units that straggle in one frame.
fn judge(frame: &Frame<'_>, units: &[Vec<u32>], rule: Rule) -> Vec<Straggler> {
    let means: Vec<Option<f64>> = units.iter().map(|chips| Some(summary(frame.of(chips))?.mean)).collect();
    let present: Vec<f64> = means.iter().copied().flatten().collect();
    let n = present.len() as f64;
    if present.len() < rule.min_units.max(2) {
        return Vec::new();
    }
    // Deviations are taken from a common centre so that the sums stay exact.
    let centre = present.iter().sum::<f64>() / n;
    let squares: f64 = present.iter().map(|mean| (mean - centre).powi(2)).sum();
    let judged = means.iter().enumerate().filter_map(|(unit, mean)| {
        let mean = (*mean)?;
        let own = mean - centre;
        let others_mean = centre - own / (n - 1.0);
        let variance = (squares - own * own - own * own / (n - 1.0)) / (n - 1.0);
        let std_dev = variance.max(0.0).sqrt();
        let lag = if frame.metric() == Metric::DutyCycle { mean - others_mean } else { others_mean - mean };
        // What rounding and quantisation alone can do is no lag.
        let lags = lag > rule.sigmas * std_dev && lag > 1e-4 * others_mean.abs();
        let sigmas = (std_dev > 1e-9 * others_mean.abs()).then(|| lag / std_dev);
        lags.then_some(Straggler { unit, mean, others_mean, sigmas, since: frame.at })
    });
    judged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Origin;
    use crate::store::Batch;

    const PLACE: Metric = Metric::TensorcoreUtil;

    /// Sixteen units of one chip with a spread of ±1 point around 0.6; unit 5 drops to `low` from `from` on.
    fn store(low: f32, from: i64, gap: std::ops::Range<i64>) -> (Store, PodId, Vec<Vec<u32>>) {
        let mut store = Store::new(60, 100);
        let pod = PodId::from("p");
        for minute in 0..30 {
            if gap.contains(&minute) {
                continue;
            }
            let value = |i: u16| if i == 5 && minute >= from { low } else { 0.6 + 0.01 * (f32::from(i % 3) - 1.0) };
            let values: Vec<Option<f32>> = (0..16).map(|i| Some(value(i))).collect();
            let batch = Batch { pod: &pod, origin: Origin::Simulated, at: minute * 60, metric: PLACE, values: &values };
            assert_eq!(store.ingest(batch), []);
        }
        (store, pod, (0..16).map(|i| vec![i]).collect())
    }

    fn found(low: f32, from: i64, gap: std::ops::Range<i64>) -> Vec<(usize, i64)> {
        let (store, pod, units) = store(low, from, gap);
        let found = stragglers(&store, (&pod, PLACE), &units, 29 * 60, Rule::default());
        found.into_iter().map(|s| (s.unit, s.since / 60)).collect()
    }

    #[test]
    fn a_unit_far_below_for_five_minutes_is_found_with_its_first_minute() {
        assert_eq!(found(0.4, 20, 0..0), [(5, 20)]);
        assert_eq!(found(0.4, 25, 0..0), [(5, 25)], "25 to the end of 29 are five minutes");
        assert_eq!(found(0.4, 26, 0..0), [], "four minutes are not enough");
        assert_eq!(found(0.585, 0, 0..0), [], "two deviations are not enough");
    }

    #[test]
    fn a_gap_neither_starts_nor_ends_a_run() {
        assert_eq!(found(0.4, 20, 23..27), [(5, 20)]);
    }

    #[test]
    fn one_of_four_units_can_be_found_but_one_of_three_is_not_judged() {
        let (store, pod, _) = store(0.4, 0, 0..0);
        let rule = Rule { min_seconds: 60, ..Rule::default() };
        for (chips, expected) in [(vec![1, 2, 3, 5], 1), (vec![1, 2, 5], 0)] {
            let units: Vec<Vec<u32>> = chips.into_iter().map(|chip| vec![chip]).collect();
            assert_eq!(stragglers(&store, (&pod, PLACE), &units, 0, rule).len(), expected, "{units:?}");
        }
    }
}
