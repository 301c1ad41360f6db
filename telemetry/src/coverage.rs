//! How much of what was paid for is behind a number.
//!
//! A chip without a sample is neither 0 nor left out in silence: a mean over the reporting chips and a mean over the
//! reserved chips are two numbers, and both stand beside the share that reports.

use serde::Serialize;

/// What can be said of a group of chips of which some report.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coverage {
    /// Chips that are there to report: reserved or in the slice.
    pub chips_expected: usize,
    /// Chips that did.
    pub chips_reporting: usize,
    /// Reporting ÷ expected; absent if none is expected.
    pub coverage_fraction: Option<f64>,
    /// Mean over the reporting chips; absent if none reports.
    pub mean_of_reporting: Option<f64>,
    /// Sum over the reporting chips ÷ expected chips: what the reserved capacity gives if silent chips did nothing.
    /// Only for shares of use; the default for leaders. Absent if none is expected.
    pub mean_of_reserved: Option<f64>,
    /// Whether the source said that its answer is not whole, or it is stale; stays on everything derived.
    pub is_partial: bool,
}

/// Coverage of a group: a value or absence for each chip that was looked for, and how many are expected, which is never
/// less than how many report. A value that is no finite number counts as silence.
pub fn coverage(values: impl IntoIterator<Item = Option<f64>>, expected: usize, is_partial: bool) -> Coverage {
    let (mut sum, mut n) = (0.0, 0_usize);
    for value in values.into_iter().flatten().filter(|value| value.is_finite()) {
        sum += value;
        n += 1;
    }
    let chips_expected = expected.max(n);
    let per = |count: usize| (count > 0).then(|| sum / count as f64);
    Coverage {
        chips_expected,
        chips_reporting: n,
        coverage_fraction: (chips_expected > 0).then(|| n as f64 / chips_expected as f64),
        mean_of_reporting: per(n),
        mean_of_reserved: per(chips_expected),
        is_partial,
    }
}

impl Coverage {
    /// Two groups together; groups must not share chips.
    pub fn and(self, other: Self) -> Self {
        let sum = |c: &Self| c.mean_of_reporting.unwrap_or(0.0) * c.chips_reporting as f64;
        let n = self.chips_reporting + other.chips_reporting;
        let mean = (n > 0).then(|| (sum(&self) + sum(&other)) / n as f64);
        let values = mean.into_iter().flat_map(|mean| std::iter::repeat_n(Some(mean), n));
        coverage(values, self.chips_expected + other.chips_expected, self.is_partial || other.is_partial)
    }

    /// Mark for people: "3 of 4 chips", with "partial" where it is.
    pub fn mark(&self) -> String {
        let partial = if self.is_partial { ", partial" } else { "" };
        format!("{} of {} chips{partial}", self.chips_reporting, self.chips_expected)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Silence is never zero in the mean of those that report, always nothing in the mean of those that are paid.
        #[test]
        fn both_means_hold_for_any_group(values in prop::collection::vec(prop::option::of(-1e6..1e6_f64), 0..40), more in 0..10_usize, cut in 0..40_usize) {
            let expected = values.len() + more;
            let whole = coverage(values.clone(), expected, false);
            let present: Vec<f64> = values.iter().flatten().copied().collect();
            prop_assert_eq!(whole.chips_reporting, present.len());
            let sum: f64 = present.iter().sum();
            if let Some(mean) = whole.mean_of_reporting {
                prop_assert!((mean * present.len() as f64 - sum).abs() <= 1e-6 * (1.0 + sum.abs()));
            }
            if let (Some(mean), Some(share), Some(reporting)) = (whole.mean_of_reserved, whole.coverage_fraction, whole.mean_of_reporting) {
                prop_assert!((mean - share * reporting).abs() < 1e-6 * (1.0 + mean.abs()));
            }
            let (left, right) = values.split_at(cut.min(values.len()));
            let joined = coverage(left.to_vec(), left.len(), false).and(coverage(right.to_vec(), right.len() + more, true));
            prop_assert_eq!((joined.chips_reporting, joined.chips_expected, joined.is_partial), (whole.chips_reporting, whole.chips_expected, true));
            prop_assert!((joined.mean_of_reserved.unwrap_or(0.0) - whole.mean_of_reserved.unwrap_or(0.0)).abs() < 1e-6 * (1.0 + sum.abs()));
        }
    }
}
