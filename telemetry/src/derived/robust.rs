//! Outliers by median and median deviation, which a few bad chips cannot move.

use crate::stats::quantiles;

/// Middle and width of a group of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Median.
    pub median: f64,
    /// Width that equals the standard deviation of a normal distribution: median absolute deviation ÷ 0.6745, or where
    /// more than half of the values are equal, mean absolute deviation × 1.2533 (Iglewicz and Hoaglin, 1993).
    pub width: f64,
    /// Values.
    pub n: usize,
}

impl Spread {
    /// Robust z-score of a value; absent if all values are equal, so that no distance means anything.
    pub fn z(&self, value: f64) -> Option<f64> {
        // What 32-bit rounding alone can do is no width.
        (self.width > 1e-7 * self.median.abs()).then(|| (value - self.median) / self.width)
    }
}

/// Spread of the present values; `None` if there are none. O(n log n).
pub fn spread(values: impl IntoIterator<Item = Option<f32>>) -> Option<Spread> {
    let present: Vec<f32> = values.into_iter().flatten().collect();
    let [median] = quantiles(present.iter().copied().map(Some), [0.5])?;
    let distance = |value: &f32| (f64::from(*value) - median).abs() as f32;
    let [middle] = quantiles(present.iter().map(distance).map(Some), [0.5])?;
    let n = present.len();
    let mean = present.iter().map(distance).map(f64::from).sum::<f64>() / n as f64;
    let width = if middle > 0.0 { middle / 0.6745 } else { 1.2533 * mean };
    Some(Spread { median, width, n })
}

/// Values further than `sigmas` from the others of their group, as index and robust z-score, furthest first. Groups with fewer
/// than `min_n` values are not judged.
pub fn outliers(values: &[Option<f32>], sigmas: f64, min_n: usize) -> Vec<(usize, f64)> {
    let Some(spread) = spread(values.iter().copied()).filter(|spread| spread.n >= min_n) else { return Vec::new() };
    let scored = values.iter().enumerate().filter_map(|(i, value)| Some((i, spread.z(f64::from((*value)?))?)));
    let mut found: Vec<(usize, f64)> = scored.filter(|(_, z)| z.abs() > sigmas).collect();
    found.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle: `scipy.stats.median_abs_deviation([1,2,3,4,100], scale="normal")` is 1.4826.
    #[test]
    fn the_width_is_that_of_scipy_and_one_bad_chip_does_not_move_it() {
        let found = spread([1.0, 2.0, 3.0, 4.0, 100.0].map(Some)).unwrap();
        assert!((found.width - 1.4826).abs() < 1e-3 && found.median == 3.0, "{found:?}");
        let values: Vec<Option<f32>> =
            (0..16).map(|i| Some(if i == 5 { 0.2 } else { 0.6 + 0.01 * (i % 3) as f32 })).collect();
        let found = outliers(&values, 3.5, 4);
        assert_eq!(found.iter().map(|(i, _)| *i).collect::<Vec<_>>(), [5]);
        assert!(found[0].1 < -20.0);
    }

    #[test]
    fn equal_values_and_small_groups_are_not_judged() {
        assert_eq!(outliers(&[Some(0.5); 8], 3.0, 4), []);
        assert_eq!(outliers(&[Some(0.5), Some(0.5), Some(9.0)], 3.0, 4), []);
        let mut most_equal = vec![Some(0.5); 15];
        most_equal.push(Some(0.1));
        assert_eq!(outliers(&most_equal, 3.5, 4).len(), 1, "the mean deviation steps in");
        assert_eq!(spread([None]), None);
    }
}
