//! Round values along an axis.

/// The mantissas of round steps.
const ROUND: [f64; 3] = [1.0, 2.0, 5.0];

/// Decades that a value reaches at most: the range of `f64`.
const DECADES: i32 = 308;

/// Ten to a whole power, the same on every machine.
pub(crate) fn decade(power: i32) -> f64 {
    libm::exp10(f64::from(power.clamp(-DECADES, DECADES)))
}

/// The smallest step of 1, 2 or 5 times a power of ten that divides `span` into at most `most` parts.
///
/// `None` if the span is not a positive finite number or `most` is 0.
pub(crate) fn step(span: f64, most: usize) -> Option<f64> {
    let least = span / most as f64;
    if !(least.is_finite() && least > 0.0) {
        return None;
    }
    let power = libm::floor(libm::log10(least)) as i32;
    let candidates = [power, power + 1].into_iter().flat_map(|power| ROUND.map(|round| round * decade(power)));
    candidates.into_iter().find(|step| *step >= least * (1.0 - 1e-9))
}

/// The multiples of `step` from `low` to `high`, both included.
pub(crate) fn multiples(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    const MOST: i64 = 1000;
    let first = libm::ceil(low / step - 1e-6) as i64;
    let last = libm::floor(high / step + 1e-6) as i64;
    (first..=last.min(first.saturating_add(MOST))).map(move |n| n as f64 * step)
}

/// Decimals with which every multiple of `step` is exact; none for whole steps.
pub(crate) fn decimals(step: f64) -> usize {
    libm::ceil(-libm::log10(step) - 1e-9).clamp(0.0, 12.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: steps are round, and never more than asked for.
    #[test]
    fn steps_are_round_and_few() {
        let found = [(862.0, 6), (10.0, 5), (0.000_3, 4), (1.0, 1), (6.0, 6)].map(|(span, most)| step(span, most));
        let expected = [200.0, 2.0, 0.000_1, 1.0, 1.0];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found.unwrap() / expected - 1.0).abs() < 1e-12, "{found:?} instead of {expected}");
        }
        for span in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(step(span, 5), None);
        }
        assert_eq!(step(1.0, 0), None);
    }

    /// Protects: ends that are multiples count, although divisions round.
    #[test]
    fn multiples_keep_their_ends() {
        assert_eq!(multiples(0.0, 0.3, 0.1).count(), 4);
        assert_eq!(multiples(-1.0, 1.0, 1.0).collect::<Vec<_>>(), [-1.0, 0.0, 1.0]);
        assert_eq!([200.0, 1.0, 0.5, 0.2, 0.05, 0.001].map(decimals), [0, 0, 1, 1, 2, 3]);
    }
}
