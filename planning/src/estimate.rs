//! How long work may take: three points and the distribution that is read into them.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use simulator::seed::Stream;

use crate::roadmap::is_default;

/// The distribution of a three-point estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Distribution {
    /// Density rises and falls in straight lines; mean (o + m + p)/3.
    #[default]
    Triangular,
    /// The beta distribution of PERT with weight 4: mean (o + 4m + p)/6 (Malcolm et al., Operations Research 1959).
    Pert,
}

/// Optimistic, most likely and pessimistic length in working days: 0 ≤ o ≤ m ≤ p, finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Length if all goes well.
    pub optimistic_days: f64,
    /// Length that is most likely.
    pub likely_days: f64,
    /// Length if much goes wrong.
    pub pessimistic_days: f64,
    /// The distribution between them.
    #[serde(skip_serializing_if = "is_default")]
    pub distribution: Distribution,
}

/// Longest length that an estimate may have, in working days: about 400 years.
const MAX_DAYS: f64 = 100_000.0;

impl Estimate {
    /// Three points in working days; `None` unless they are in order and within a plan's reach.
    pub fn new(optimistic_days: f64, likely_days: f64, pessimistic_days: f64) -> Option<Self> {
        let is_good = 0.0 <= optimistic_days
            && optimistic_days <= likely_days
            && likely_days <= pessimistic_days
            && pessimistic_days <= MAX_DAYS;
        let distribution = Distribution::default();
        is_good.then_some(Self { optimistic_days, likely_days, pessimistic_days, distribution })
    }

    /// The same with another distribution.
    pub fn with(self, distribution: Distribution) -> Self {
        Self { distribution, ..self }
    }

    /// Mean of the PERT formula, (o + 4m + p)/6, in working days.
    pub fn pert_mean_days(&self) -> f64 {
        (self.optimistic_days + 4.0 * self.likely_days + self.pessimistic_days) / 6.0
    }

    /// Standard deviation of the PERT formula, (p − o)/6, in working days.
    pub fn pert_sd_days(&self) -> f64 {
        (self.pessimistic_days - self.optimistic_days) / 6.0
    }

    /// Mean of its own distribution, in working days.
    pub fn mean_days(&self) -> f64 {
        match self.distribution {
            Distribution::Triangular => (self.optimistic_days + self.likely_days + self.pessimistic_days) / 3.0,
            Distribution::Pert => self.pert_mean_days(),
        }
    }

    /// Draws a length from number `i` of a stream: equal arguments give equal lengths.
    pub fn sample(&self, stream: Stream, i: u64) -> f64 {
        let (low, range) = (self.optimistic_days, self.pessimistic_days - self.optimistic_days);
        if range <= 0.0 {
            return low;
        }
        let mode = (self.likely_days - low) / range;
        low + range
            * match self.distribution {
                Distribution::Triangular => triangular(mode, stream.unit(i)),
                Distribution::Pert => beta(1.0 + 4.0 * mode, 5.0 - 4.0 * mode, stream.child(i)),
            }
    }
}

impl<'de> Deserialize<'de> for Estimate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Points {
            optimistic_days: f64,
            likely_days: f64,
            pessimistic_days: f64,
            #[serde(default)]
            distribution: Distribution,
        }
        let points = Points::deserialize(deserializer)?;
        Self::new(points.optimistic_days, points.likely_days, points.pessimistic_days)
            .map(|estimate| estimate.with(points.distribution))
            .ok_or_else(|| D::Error::custom(format!("an estimate is three lengths in order, 0 to {MAX_DAYS} days")))
    }
}

/// Inverse of the distribution function on [0, 1] with the peak at `mode`.
fn triangular(mode: f64, u: f64) -> f64 {
    if u < mode { (u * mode).sqrt() } else { 1.0 - ((1.0 - u) * (1.0 - mode)).sqrt() }
}

/// A beta variate from two gamma variates.
fn beta(alpha: f64, beta: f64, stream: Stream) -> f64 {
    let (a, b) = (gamma(alpha, stream.child(0)), gamma(beta, stream.child(1)));
    a / (a + b)
}

/// A gamma variate of shape ≥ 1 and scale 1 (Marsaglia and Tsang, ACM TOMS 26, 2000).
fn gamma(shape: f64, stream: Stream) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    let mut i = 0;
    loop {
        let x = normal(stream.unit(i), stream.unit(i + 1));
        let u = stream.unit(i + 2);
        i += 3;
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        if libm::log(1.0 - u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

/// A standard normal variate (Box and Muller, 1958); both arguments lie in [0, 1).
fn normal(u: f64, v: f64) -> f64 {
    (-2.0 * libm::log(1.0 - u)).sqrt() * libm::cos(std::f64::consts::TAU * v)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(estimate: Estimate) -> (f64, f64) {
        let n = 200_000_u32;
        let stream = Stream::new(3);
        let samples: Vec<f64> = (0..u64::from(n)).map(|i| estimate.sample(stream, i)).collect();
        assert!(samples.iter().all(|x| (estimate.optimistic_days..=estimate.pessimistic_days).contains(x)));
        let mean = samples.iter().sum::<f64>() / f64::from(n);
        let variance = samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / f64::from(n);
        (mean, variance)
    }

    /// Protects every forecast: drawn lengths have the mean and variance of their distribution's closed form.
    #[test]
    fn drawn_lengths_have_the_moments_of_their_distribution() {
        for (o, m, p) in [(8.0, 10.0, 18.0), (25.0, 36.0, 60.0), (0.0, 0.0, 9.0), (1.0, 7.0, 7.0)] {
            let triangular = Estimate::new(o, m, p).unwrap();
            let (mean, variance) = moments(triangular);
            let expected = (o * o + m * m + p * p - o * m - o * p - m * p) / 18.0;
            assert!((mean - triangular.mean_days()).abs() < 0.005 * (p - o), "{mean}");
            assert!((variance / expected - 1.0).abs() < 0.02, "{variance} {expected}");
            let pert = triangular.with(Distribution::Pert);
            let (mean, variance) = moments(pert);
            let expected = (pert.mean_days() - o) * (p - pert.mean_days()) / 7.0;
            assert!((mean - pert.mean_days()).abs() < 0.005 * (p - o), "{mean}");
            assert!((variance / expected - 1.0).abs() < 0.02, "{variance} {expected}");
        }
    }

    #[test]
    fn points_out_of_order_are_refused() {
        assert!(ron::from_str::<Estimate>("(optimistic_days:1,likely_days:2,pessimistic_days:3)").is_ok());
        for bad in [
            "(optimistic_days:3,likely_days:2,pessimistic_days:3)",
            "(optimistic_days:1,likely_days:2,pessimistic_days:inf)",
        ] {
            let error = ron::from_str::<Estimate>(bad).unwrap_err().to_string();
            assert!(error.contains("three lengths in order"), "{error}");
        }
    }
}
