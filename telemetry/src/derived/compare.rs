//! What was observed beside what was simulated, over the chips of which both speak.

use serde::Serialize;

/// Two views of the same chips at the same moment, in the unit of the metric.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// Chips with both values; the others say nothing of how well the model fits.
    pub n_chips: usize,
    /// Chips with one value only.
    pub n_one_sided: usize,
    /// Mean of the observed values of those chips.
    pub observed_mean: f64,
    /// Mean of the simulated values of those chips.
    pub simulated_mean: f64,
    /// Mean of observed less simulated: the bias of the model, with the sign turned.
    pub difference_mean: f64,
    /// Root of the mean squared difference: how far single chips are off.
    pub difference_rms: f64,
}

/// Compares chip by chip; `None` if no chip has both values. O(n).
pub fn compare(
    observed: impl IntoIterator<Item = Option<f32>>,
    simulated: impl IntoIterator<Item = Option<f32>>,
) -> Option<Comparison> {
    let (mut n, mut n_one_sided, mut sums, mut squares) = (0_usize, 0_usize, [0.0_f64; 2], 0.0_f64);
    for pair in observed.into_iter().zip(simulated) {
        let (Some(observed), Some(simulated)) = pair else {
            n_one_sided += usize::from(pair.0.is_some() || pair.1.is_some());
            continue;
        };
        let (observed, simulated) = (f64::from(observed), f64::from(simulated));
        n += 1;
        sums[0] += observed;
        sums[1] += simulated;
        squares += (observed - simulated).powi(2);
    }
    let [observed_mean, simulated_mean] = sums.map(|sum| sum / n as f64);
    let difference_rms = (squares / n as f64).sqrt();
    let difference_mean = observed_mean - simulated_mean;
    (n > 0).then_some(Comparison {
        n_chips: n,
        n_one_sided,
        observed_mean,
        simulated_mean,
        difference_mean,
        difference_rms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_chips_with_both_values_are_compared() {
        let observed = [Some(0.5), Some(0.75), None, Some(0.25), None];
        let simulated = [Some(0.25), Some(1.0), Some(0.5), None, None];
        let found = compare(observed, simulated).unwrap();
        assert_eq!((found.n_chips, found.n_one_sided, found.difference_mean, found.difference_rms), (2, 2, 0.0, 0.25));
        assert_eq!((found.observed_mean, found.simulated_mean), (0.625, 0.625));
        assert_eq!(compare([None], [Some(1.0)]), None);
    }
}
