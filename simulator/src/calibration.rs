//! Constants fitted to measurements, per chip generation, as data with date, source and error.
//!
//! `seconds = t0 + max(mxu, hbm) + ω·min(mxu, hbm)` with `mxu = FLOP / (η·peak)` and `hbm = bytes / (β·bandwidth)`.
//! The embedded figures are `assets/calibration/constants.ron`; a file of the user's own in the same form goes over them
//! ([`Calibrations::merged`]). A generation without measurements of its own borrows those of the nearest one, with a
//! wider range.

mod date;
mod file;

use serde::{Deserialize, Serialize};
use topology::chip::GenerationId;

use crate::collective::CollectiveTime;
use crate::dtype::Dtype;

pub use date::{BadDate, Date};
pub use file::CalibrationError;

/// How much of a chip was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Part {
    /// A whole chip.
    Chip,
    /// One device of the framework: half a tpu7x chip.
    Device,
    /// One `TensorCore`.
    TensorCore,
}

impl Part {
    /// As it is written in text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Chip => "chip",
            Self::Device => "device",
            Self::TensorCore => "TensorCore",
        }
    }
}

/// One fitted constant, with all that says how far to trust it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constant {
    /// The fitted value, in the unit of the field that holds it.
    pub value: f64,
    /// Low end of what the measurements allow.
    pub low: f64,
    /// High end of it.
    pub high: f64,
    /// Day on which it was fitted.
    pub date: Date,
    /// What was measured, by whom.
    pub source: String,
    /// Number of measured points.
    pub points: u32,
    /// Mean relative error of the fit over those points; absent where one point decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit_error_fraction: Option<f64>,
}

impl Constant {
    /// Whether it is older than `days` on the day `today`: software and firmware move on.
    pub fn is_stale(&self, today: Date, days: i64) -> bool {
        self.date.days_until(today) > days
    }
}

/// The constants of one part of one generation; at most [`Self::MAX_CONSTANTS`] of them, absent ones take the default
/// that is said at each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fitted {
    /// Id of the generation, as `podium chips` lists it.
    pub generation: String,
    /// What was measured.
    pub part: Part,
    /// The truth is expected between the estimate divided by this and the estimate times this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_factor: Option<f64>,
    /// t0: time of an operation that does nothing, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub t0_seconds: Option<Constant>,
    /// η: share of the peak FLOP rate that a large product reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mxu_fraction: Option<Constant>,
    /// β: share of the nominal memory bandwidth that a product reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hbm_fraction: Option<Constant>,
    /// ω: share of the shorter of the two times that is not overlapped; else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial_fraction: Option<Constant>,
    /// Share of the bandwidth that a plain copy reaches; else β.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_fraction: Option<Constant>,
    /// Share of the bandwidth that element-wise operations reach; else as a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector_fraction: Option<Constant>,
    /// Bytes per second, read and written together, of element-wise operations inside VMEM; else unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vmem_bytes_per_s: Option<Constant>,
    /// Start-up time of a collective, in seconds; else 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ici_start_seconds: Option<Constant>,
    /// Share of the expected link rate that a collective reaches; else 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ici_fraction: Option<Constant>,
}

impl Fitted {
    /// More would fit noise.
    pub const MAX_CONSTANTS: usize = 6;

    /// Nothing known yet.
    pub fn empty(generation: &str, part: Part) -> Self {
        Self {
            generation: generation.to_owned(),
            part,
            range_factor: None,
            t0_seconds: None,
            mxu_fraction: None,
            hbm_fraction: None,
            serial_fraction: None,
            copy_fraction: None,
            vector_fraction: None,
            vmem_bytes_per_s: None,
            ici_start_seconds: None,
            ici_fraction: None,
        }
    }

    /// The constants that are there, by the key of the file.
    pub fn constants(&self) -> Vec<(&'static str, &Constant)> {
        let all = [
            ("t0_seconds", &self.t0_seconds),
            ("mxu_fraction", &self.mxu_fraction),
            ("hbm_fraction", &self.hbm_fraction),
            ("serial_fraction", &self.serial_fraction),
            ("copy_fraction", &self.copy_fraction),
            ("vector_fraction", &self.vector_fraction),
            ("vmem_bytes_per_s", &self.vmem_bytes_per_s),
            ("ici_start_seconds", &self.ici_start_seconds),
            ("ici_fraction", &self.ici_fraction),
        ];
        all.into_iter().filter_map(|(key, constant)| Some((key, constant.as_ref()?))).collect()
    }

    /// Whether it says how long a product takes.
    fn times_products(&self) -> bool {
        self.t0_seconds.is_some() && self.mxu_fraction.is_some() && self.hbm_fraction.is_some()
    }
}

/// All fitted constants that are known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibrations {
    /// One entry per generation and part.
    pub fitted: Vec<Fitted>,
}

/// Constants that were fitted for a collective, not for a product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IciConstants {
    /// Start-up time.
    pub start_seconds: f64,
    /// Share of the expected link rate that is reached.
    pub fraction: f64,
}

impl IciConstants {
    /// `start + max(bandwidth / share, hops)` in seconds, from the terms of an uncalibrated answer.
    pub fn seconds(&self, found: &CollectiveTime) -> f64 {
        self.start_seconds + (found.bandwidth_seconds.get() / self.fraction).max(found.latency_seconds.get())
    }
}

/// The constants with which one chip is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Time of an operation that does nothing, in seconds.
    pub t0_seconds: f64,
    /// η: share of the peak FLOP rate that a large product reaches.
    pub mxu_fraction: f64,
    /// β: share of the nominal memory bandwidth that is reached.
    pub hbm_fraction: f64,
    /// ω: share of the shorter of the two times that is not overlapped.
    pub serial_fraction: f64,
    /// Share of the nominal memory bandwidth that a plain copy reaches.
    pub copy_fraction: f64,
    /// Share of the nominal memory bandwidth that element-wise operations reach.
    pub vector_fraction: f64,
    /// Bytes per second of element-wise operations inside VMEM, of what was measured; absent if nobody measured it.
    pub vmem_bytes_per_s: Option<f64>,
    /// The truth is expected between the estimate divided by this and the estimate times this.
    pub range_factor: f64,
    /// Generation on which it was measured.
    pub measured_on: String,
    /// Whether it was measured on another generation than the one that asks.
    pub borrowed: bool,
    /// What was measured, by whom.
    pub source: String,
    /// Day of the oldest constant.
    pub date: Date,
}

/// Widening of the range when constants are borrowed: the spread between cycle simulators and measurements of other
/// generations is about 20 % (`SCALE-Sim` TPU 13.5–19.7 %, `COCOSSim` 18.5–19.5 %), taken twice.
const BORROWED_FACTOR: f64 = 1.6;

/// The embedded constants for a generation: its own, or those of the nearest measured one with a wider range.
///
/// # Panics
/// If the embedded file lacks v6e and tpu7x, which a test excludes.
pub fn calibration(id: &GenerationId) -> Calibration {
    let embedded = Calibrations::embedded();
    #[expect(clippy::expect_used, reason = "the file is part of the program and a test reads it")]
    embedded.of(id).or_else(|| Calibrations::embedded().of(&GenerationId("v6e".to_owned()))).expect("v6e is measured")
}

impl Calibrations {
    /// The constants for whole chips and devices of a generation: its own, or those of the nearest measured one with a
    /// wider range; `None` if neither is there.
    pub fn of(&self, id: &GenerationId) -> Option<Calibration> {
        let own = self.find(&id.0, &[Part::Chip, Part::Device]).filter(|entry| entry.times_products());
        let nearest = if id.0.starts_with("tpu8") { "tpu7x" } else { "v6e" };
        let measured = own.or_else(|| self.find(nearest, &[Part::Chip, Part::Device]))?;
        resolve(measured, own.is_none())
    }

    /// The constants of one `TensorCore` of a generation, where one was measured.
    pub fn of_core(&self, id: &GenerationId) -> Option<Calibration> {
        resolve(self.find(&id.0, &[Part::TensorCore])?, false)
    }

    /// What is known of collectives on a generation; `None` if nobody measured one.
    pub fn ici_of(&self, id: &GenerationId) -> Option<IciConstants> {
        let entry = self.find(&id.0, &[Part::Chip, Part::Device])?;
        if entry.ici_start_seconds.is_none() && entry.ici_fraction.is_none() {
            return None;
        }
        Some(IciConstants {
            start_seconds: value_of(entry.ici_start_seconds.as_ref(), 0.0),
            fraction: value_of(entry.ici_fraction.as_ref(), 1.0),
        })
    }

    /// These with another file over them: an entry for the same generation and part replaces constant by constant.
    pub fn merged(&self, over: &Self) -> Self {
        let mut all = self.clone();
        for new in &over.fitted {
            match all.fitted.iter_mut().find(|old| old.generation == new.generation && old.part == new.part) {
                Some(old) => lay_over(old, new),
                None => all.fitted.push(new.clone()),
            }
        }
        all
    }

    fn find(&self, generation: &str, parts: &[Part]) -> Option<&Fitted> {
        self.fitted.iter().find(|entry| entry.generation == generation && parts.contains(&entry.part))
    }
}

fn lay_over(old: &mut Fitted, new: &Fitted) {
    old.range_factor = new.range_factor.or(old.range_factor);
    let pairs = [
        (&mut old.t0_seconds, &new.t0_seconds),
        (&mut old.mxu_fraction, &new.mxu_fraction),
        (&mut old.hbm_fraction, &new.hbm_fraction),
        (&mut old.serial_fraction, &new.serial_fraction),
        (&mut old.copy_fraction, &new.copy_fraction),
        (&mut old.vector_fraction, &new.vector_fraction),
        (&mut old.vmem_bytes_per_s, &new.vmem_bytes_per_s),
        (&mut old.ici_start_seconds, &new.ici_start_seconds),
        (&mut old.ici_fraction, &new.ici_fraction),
    ];
    for (old, new) in pairs.into_iter().filter(|(_, new)| new.is_some()) {
        old.clone_from(new);
    }
}

fn value_of(constant: Option<&Constant>, default: f64) -> f64 {
    constant.map_or(default, |constant| constant.value)
}

/// `None` unless the entry says how long a product takes.
fn resolve(entry: &Fitted, borrowed: bool) -> Option<Calibration> {
    let (t0, mxu, hbm) = (entry.t0_seconds.as_ref()?, entry.mxu_fraction.as_ref()?, entry.hbm_fraction.as_ref()?);
    let copy_fraction = value_of(entry.copy_fraction.as_ref(), hbm.value);
    let range_factor = if borrowed { BORROWED_FACTOR } else { entry.range_factor.unwrap_or(BORROWED_FACTOR) };
    let error = mxu.fit_error_fraction.map_or_else(String::new, |e| format!("; mean error {:.1} %", e * 100.0));
    Some(Calibration {
        t0_seconds: t0.value,
        mxu_fraction: mxu.value,
        hbm_fraction: hbm.value,
        serial_fraction: value_of(entry.serial_fraction.as_ref(), 0.0),
        copy_fraction,
        vector_fraction: value_of(entry.vector_fraction.as_ref(), copy_fraction),
        vmem_bytes_per_s: entry.vmem_bytes_per_s.as_ref().map(|rate| rate.value),
        range_factor,
        measured_on: entry.generation.clone(),
        borrowed,
        source: format!("{} ({} points, {}{error})", mxu.source, mxu.points, mxu.date),
        date: [t0.date, mxu.date, hbm.date].into_iter().min().unwrap_or(mxu.date),
    })
}

impl Calibration {
    /// [`Self::range_factor`] for a number format: all fits are on bf16, so others get the wider range.
    pub fn range_for(&self, dtype: Dtype) -> f64 {
        if dtype == Dtype::Bf16 { self.range_factor } else { self.range_factor.max(BORROWED_FACTOR) }
    }
}

#[cfg(test)]
mod tests;
