//! How many cubes to hold back: cubes fail independently, each is up with the same probability.
//!
//! The unit of capacity behind optical switches is the healthy cube (Google Cloud, "cluster-level reliability",
//! 2026-05-11: 130 of 144 cubes at 95 %). Nothing but +, −, × and ÷ is used, so the answers are the same everywhere.

use crate::units::Fraction;

/// Hosts of a cube: 64 chips on machines of four (Jouppi et al., "TPU v4", ISCA 2023).
const HOSTS_PER_CUBE: usize = 16;
/// Halvings of an interval of width 1 after which it is as narrow as numbers get.
const N_HALVINGS: usize = 60;

/// The number of cubes that are up, of `n` that are each up with a probability.
#[derive(Debug, Clone, PartialEq)]
pub struct CubesUp {
    /// Probability of exactly 0, 1, … n.
    exactly: Vec<f64>,
}

impl CubesUp {
    /// The binomial distribution of `n_cubes` cubes.
    ///
    /// Weights are built outwards from the likeliest number by the ratio of neighbours,
    /// `w(k+1)/w(k) = (n−k)/(k+1) · p/(1−p)`, and divided by their sum: no logarithm, no factorial, no overflow, and
    /// what underflows is below 1e-300 of the largest.
    pub fn new(n_cubes: usize, availability: Fraction) -> Self {
        let (n, p) = (n_cubes, availability.get());
        let q = 1.0 - p;
        let mode = (((n + 1) as f64 * p) as usize).min(n);
        let mut exactly = vec![0.0; n + 1];
        exactly[mode] = 1.0;
        if q > 0.0 {
            for k in mode..n {
                exactly[k + 1] = exactly[k] * ((n - k) as f64 / (k + 1) as f64) * (p / q);
            }
        }
        if p > 0.0 {
            for k in (0..mode).rev() {
                exactly[k] = exactly[k + 1] * ((k + 1) as f64 / (n - k) as f64) * (q / p);
            }
        }
        let sum: f64 = exactly.iter().sum();
        for weight in &mut exactly {
            *weight /= sum;
        }
        Self { exactly }
    }

    /// Probability that exactly so many are up.
    pub fn exactly(&self, k: usize) -> Fraction {
        Fraction::clamped(self.exactly.get(k).copied().unwrap_or(0.0))
    }

    /// Probability that so many or more are up.
    pub fn at_least(&self, k: usize) -> Fraction {
        // The shorter tail is summed, smallest first.
        if k > self.exactly.len() / 2 {
            return Fraction::clamped(self.exactly.iter().skip(k).rev().sum());
        }
        Fraction::clamped(1.0 - self.exactly.iter().take(k).sum::<f64>())
    }

    /// The largest number of which so many or more are up with the wanted probability; 0 is always certain.
    pub fn promised(&self, confidence: Fraction) -> usize {
        let mut above = 0.0;
        for k in (1..self.exactly.len()).rev() {
            above += self.exactly[k];
            if above >= confidence.get() {
                return k;
            }
        }
        0
    }

    /// Expected number of whole slices of some cubes each that the cubes that are up hold.
    ///
    /// # Panics
    /// If the slices have no cube.
    pub fn expected_slices(&self, cubes_per_slice: usize) -> f64 {
        let weighted = self.exactly.iter().enumerate().map(|(k, p)| (k / cubes_per_slice) as f64 * p);
        weighted.sum()
    }
}

/// Cubes to hold back so that `n_used` are up with the wanted probability; `None` if no number up to `max_spares`
/// suffices.
pub fn spares_needed(n_used: usize, availability: Fraction, confidence: Fraction, max_spares: usize) -> Option<usize> {
    (0..=max_spares).find(|spares| CubesUp::new(n_used + spares, availability).at_least(n_used) >= confidence)
}

/// The availability that each of `n_cubes` cubes must have so that `n_used` are up with the wanted probability; `None`
/// if there are not so many.
pub fn availability_needed(n_cubes: usize, n_used: usize, confidence: Fraction) -> Option<Fraction> {
    if n_used > n_cubes {
        return None;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..N_HALVINGS {
        let middle = 0.5 * (low + high);
        if CubesUp::new(n_cubes, Fraction::clamped(middle)).at_least(n_used) >= confidence {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(Fraction::clamped(high))
}

/// Availability of a cube whose 16 hosts fail independently.
pub fn cube_availability(host: Fraction) -> Fraction {
    Fraction::clamped(power(host.get(), HOSTS_PER_CUBE))
}

/// Share of a pod's chips that does useful work when it is filled with equal slices, each of which needs all its hosts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goodput {
    /// With slices fixed to their places.
    pub fixed: Fraction,
    /// With slices on whichever cubes are up.
    pub switched: Fraction,
}

/// The goodput of a pod full of slices of `slice_cubes` whole cubes; `None` for slices of no cube or more than the pod.
///
/// Fixed: all hosts of a slice must be up, `aʰ`, times the part of the pod that whole slices fill. Switched: the mean of ⌊cubes up / cubes of a slice⌋ whole slices. The
/// form gives the 50, 75 and 75 % that ISCA 2023 states for slices of 2,048, 3,072 and 1,024 chips on a pod of 64 cubes.
pub fn goodput(n_cubes: usize, slice_cubes: usize, host: Fraction) -> Option<Goodput> {
    if slice_cubes == 0 || slice_cubes > n_cubes {
        return None;
    }
    let up = CubesUp::new(n_cubes, cube_availability(host));
    let switched = up.expected_slices(slice_cubes) * slice_cubes as f64 / n_cubes as f64;
    let filled = (n_cubes / slice_cubes * slice_cubes) as f64 / n_cubes as f64;
    let fixed = filled * power(host.get(), slice_cubes * HOSTS_PER_CUBE);
    Some(Goodput { fixed: Fraction::clamped(fixed), switched: Fraction::clamped(switched) })
}

/// A whole power by repeated squaring.
fn power(base: f64, exponent: usize) -> f64 {
    let (mut result, mut square, mut left) = (1.0, base, exponent);
    while left > 0 {
        if left % 2 == 1 {
            result *= square;
        }
        square *= square;
        left /= 2;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(value: f64) -> Fraction {
        Fraction::try_from(value).unwrap()
    }

    /// Protects the one published promise, 130 of 144 cubes at 95 %, and its inverse.
    #[test]
    fn a_pod_of_144_cubes_promises_what_is_published() {
        let needed = availability_needed(144, 130, share(0.95)).unwrap();
        assert!((needed.get() - 0.9347).abs() < 5e-5, "{needed:?}");
        for (availability, promised) in [(0.9348, 130), (0.95, 132), (0.97, 136), (0.98, 138), (0.99, 140)] {
            let up = CubesUp::new(144, share(availability));
            assert_eq!(up.promised(share(0.95)), promised, "{availability}");
            assert!(up.at_least(promised) >= share(0.95) && up.at_least(promised + 1) < share(0.95));
        }
        assert_eq!(spares_needed(132, share(0.95), share(0.95), 100), Some(12));
        assert_eq!(spares_needed(132, share(0.0), share(0.95), 100), None);
        assert_eq!(availability_needed(3, 4, share(0.5)), None);
    }

    /// Protects the goodput model: `static = hosts all up × part that is filled`, `switched = E⌊up/c⌋·c/64`, reconstructed for Fig. 4 of ISCA
    /// 2023 (4,096 chips), whose text states the 50 and 75 % plateaus.
    #[test]
    fn slices_on_any_cubes_do_the_work_that_the_table_says() {
        let rows = [
            (1, [(0.851, 0.851), (0.923, 0.923), (0.984, 0.984)]),
            (4, [(0.526, 0.828), (0.726, 0.900), (0.938, 0.960)]),
            (8, [(0.276, 0.796), (0.526, 0.869), (0.880, 0.920)]),
            (16, [(0.076, 0.747), (0.277, 0.751), (0.774, 0.840)]),
            (32, [(0.006, 0.500), (0.077, 0.503), (0.599, 0.679)]),
            (48, [(0.000, 0.742), (0.016, 0.750), (0.348, 0.750)]),
        ];
        for (cubes, row) in rows {
            for (host, (fixed, switched)) in [0.99, 0.995, 0.999].into_iter().zip(row) {
                let goodput = goodput(64, cubes, share(host)).unwrap();
                assert!((goodput.fixed.get() - fixed).abs() < 6e-4, "{cubes} {host} {goodput:?}");
                assert!((goodput.switched.get() - switched).abs() < 6e-4, "{cubes} {host} {goodput:?}");
            }
        }
        assert_eq!(goodput(64, 0, share(0.9)), None);
    }

    #[test]
    fn certain_and_impossible_cubes_need_no_division() {
        assert_eq!(CubesUp::new(5, Fraction::ONE).promised(share(1.0)), 5);
        assert_eq!(CubesUp::new(5, Fraction::ZERO).promised(share(0.01)), 0);
        assert_eq!(CubesUp::new(0, share(0.5)).at_least(0), Fraction::ONE);
    }
}
