//! What is far from usual: from the group at this moment, or from a series' own past.

use serde::{Deserialize, Serialize};

use crate::derived::spread;

/// On which side of what is usual trouble lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// Too low.
    Below,
    /// Too high.
    Above,
    /// Both.
    Both,
}

impl Side {
    /// Whether a distance, positive above, counts at this many of its units.
    pub(super) fn counts(self, distance: f64, at_least: f64) -> bool {
        match self {
            Self::Below => distance < -at_least,
            Self::Above => distance > at_least,
            Self::Both => distance.abs() > at_least,
        }
    }
}

/// How usual is told from unusual.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Deviation {
    /// Against the other series of the moment, by the robust z-score.
    Group {
        /// Robust standard deviations.
        sigmas: f64,
        /// A smaller group is not judged.
        min_series: usize,
    },
    /// Against the series' own past, by an exponentially weighted mean and deviation (Roberts, 1959; West, 1979).
    Past {
        /// Deviations.
        sigmas: f64,
        /// Weight of the newest value, 0 to 1.
        weight: f64,
        /// Values before the first judgement.
        warm_up: u32,
    },
}

impl Deviation {
    /// What makes no sense in it.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let (Self::Group { sigmas, .. } | Self::Past { sigmas, .. }) = self;
        let is_weight = |weight: f64| weight > 0.0 && weight < 1.0;
        if sigmas.is_nan() || *sigmas <= 0.0 {
            return Some("sigmas must be above 0");
        }
        match self {
            Self::Past { weight, .. } if !is_weight(*weight) => Some("the weight must lie between 0 and 1"),
            Self::Past { .. } | Self::Group { .. } => None,
        }
    }
}

/// Running mean and variance of one series.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Past {
    mean: f64,
    variance: f64,
    n: u32,
}

impl Past {
    /// Distance of a new value from the past in deviations, absent while it warms up; then the value becomes part of the
    /// past, unless it was unusual: trouble must not become usual.
    pub(super) fn judge(&mut self, value: f64, (weight, warm_up, sigmas): (f64, u32, f64)) -> Option<f64> {
        let deviation = self.variance.sqrt();
        let is_warm = self.n >= warm_up.max(2);
        // What rounding alone can do is no deviation.
        let floor = 1e-6 * self.mean.abs().max(1e-12);
        let distance = is_warm.then(|| (value - self.mean) / deviation.max(floor));
        if distance.is_some_and(|distance| distance.abs() > sigmas) {
            return distance;
        }
        if self.n == 0 {
            self.mean = value;
        } else {
            let step = weight * (value - self.mean);
            self.mean += step;
            self.variance = (1.0 - weight) * (self.variance + step * (value - self.mean + step));
        }
        self.n += 1;
        distance
    }
}

/// Robust z-scores of a group, absent where it cannot be judged.
pub(super) fn group(values: &[f64], min_series: usize) -> Vec<Option<f64>> {
    let found = spread(values.iter().map(|value| Some(*value as f32))).filter(|spread| spread.n >= min_series);
    values.iter().map(|value| found.and_then(|spread| spread.z(*value))).collect()
}
