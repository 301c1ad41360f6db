//! Arithmetic over values of which some are missing: the missing are counted, never taken as zero.

/// What can be said of a group of chips at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Chips that reported.
    pub n_present: usize,
    /// Chips that did not.
    pub n_missing: usize,
    /// Mean over those that reported.
    pub mean: f64,
    /// Standard deviation of those that reported (of the population).
    pub std_dev: f64,
    /// Smallest reported value.
    pub min: f64,
    /// Largest reported value.
    pub max: f64,
}

/// Summary of a group; `None` if no chip of it reported. O(n).
pub fn summary(values: impl IntoIterator<Item = Option<f32>>) -> Option<Summary> {
    let (mut n_present, mut n_missing) = (0_usize, 0_usize);
    // Welford's running mean and squared deviation, which stays exact when the spread is small.
    let (mut mean, mut squares, mut min, mut max) = (0.0_f64, 0.0_f64, f64::INFINITY, f64::NEG_INFINITY);
    for value in values {
        let Some(value) = value.map(f64::from) else {
            n_missing += 1;
            continue;
        };
        n_present += 1;
        let delta = value - mean;
        mean += delta / n_present as f64;
        squares += delta * (value - mean);
        (min, max) = (min.min(value), max.max(value));
    }
    let std_dev = (squares / n_present as f64).max(0.0).sqrt();
    (n_present > 0).then_some(Summary { n_present, n_missing, mean, std_dev, min, max })
}

/// Quantiles of the present values at shares from 0 to 1, with linear interpolation between order statistics
/// (definition 7 of Hyndman and Fan, 1996); `None` if nothing is present. O(n log n).
pub fn quantiles<const N: usize>(values: impl IntoIterator<Item = Option<f32>>, shares: [f64; N]) -> Option<[f64; N]> {
    let mut present: Vec<f32> = values.into_iter().flatten().collect();
    present.sort_unstable_by(f32::total_cmp);
    let last = present.len().checked_sub(1)?;
    Some(shares.map(|share| {
        let place = share.clamp(0.0, 1.0) * last as f64;
        let below = place.floor() as usize;
        let (low, high) = (f64::from(present[below]), f64::from(present[(below + 1).min(last)]));
        low + (high - low) * place.fract()
    }))
}

/// Counts of values in equal bins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// Values per bin, lowest bin first.
    pub bins: Vec<usize>,
    /// Values below the range.
    pub n_below: usize,
    /// Values above the range.
    pub n_above: usize,
    /// Chips without a value.
    pub n_missing: usize,
}

/// Histogram of the present values over `low..=high` in `n_bins` equal bins; a value on an edge belongs to the bin
/// above it, and `high` to the last bin. An empty range or no bins counts every value as outside. O(n).
pub fn histogram(values: impl IntoIterator<Item = Option<f32>>, low: f64, high: f64, n_bins: usize) -> Histogram {
    let mut histogram = Histogram { bins: vec![0; n_bins], n_below: 0, n_above: 0, n_missing: 0 };
    for value in values {
        let Some(value) = value.map(f64::from) else {
            histogram.n_missing += 1;
            continue;
        };
        let place = (value - low) / (high - low) * n_bins as f64;
        if value < low {
            histogram.n_below += 1;
        } else if value > high || n_bins == 0 || !place.is_finite() {
            histogram.n_above += 1;
        } else {
            histogram.bins[(place as usize).min(n_bins - 1)] += 1;
        }
    }
    histogram
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_chip_is_counted_and_never_taken_as_zero() {
        let s = summary([Some(0.4), None, Some(0.6), None]).unwrap();
        assert_eq!((s.n_present, s.n_missing), (2, 2));
        assert!((s.mean - 0.5).abs() < 1e-7 && (s.std_dev - 0.1).abs() < 1e-7);
        assert_eq!(summary([None, None]), None);
    }

    /// Oracle: `numpy.quantile([1,2,4,8], [0,.25,.5,.9,1])` with its default linear method.
    #[test]
    fn quantiles_agree_with_numpy() {
        let q = quantiles([Some(8.0), Some(1.0), None, Some(4.0), Some(2.0)], [0.0, 0.25, 0.5, 0.9, 1.0]).unwrap();
        for (ours, theirs) in q.into_iter().zip([1.0, 1.75, 3.0, 6.8, 8.0]) {
            assert!((ours - theirs).abs() < 1e-12, "{ours} {theirs}");
        }
        assert_eq!(quantiles([None], [0.5]), None);
    }

    #[test]
    fn a_histogram_accounts_for_every_chip() {
        let values = [Some(0.0), Some(0.5), Some(1.0), Some(1.5), None, Some(-0.5)];
        let h = histogram(values, 0.0, 1.0, 2);
        assert_eq!(h, Histogram { bins: vec![1, 2], n_below: 1, n_above: 1, n_missing: 1 });
        assert_eq!(histogram([Some(1.0)], 1.0, 1.0, 3).n_above, 1, "an empty range holds nothing");
    }
}
