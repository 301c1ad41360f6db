//! Constants fitted to published measurements, per chip generation.
//!
//! `seconds = t0 + max(mxu, hbm) + ω·min(mxu, hbm)` with `mxu = FLOP / (η·peak)` and `hbm = bytes / (β·bandwidth)`.
//! A generation without measurements of its own borrows the constants of the nearest one, with a wider range.

use topology::chip::GenerationId;

use crate::dtype::Dtype;

/// The constants of one generation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Time of an operation that does nothing, in seconds.
    pub t0_seconds: f64,
    /// η: share of the peak FLOP rate that a large product reaches.
    pub mxu_fraction: f64,
    /// β: share of the nominal memory bandwidth that is reached.
    pub hbm_fraction: f64,
    /// ω: share of the shorter of the two times that is not overlapped.
    pub serial_fraction: f64,
    /// The truth is expected between the estimate divided by this and the estimate times this.
    pub range_factor: f64,
    /// Generation on which it was measured.
    pub measured_on: &'static str,
    /// Whether it was measured on the generation that asks.
    pub borrowed: bool,
    /// What was measured, by whom.
    pub source: &'static str,
}

const V6E: Calibration = Calibration {
    t0_seconds: 1.2e-6,
    mxu_fraction: 0.80,
    hbm_fraction: 0.86,
    serial_fraction: 0.0,
    range_factor: 1.25,
    measured_on: "v6e",
    borrowed: false,
    source: "fit on 42 bf16 products of one v6e, device time (polarbearsrock/cocossim, tier 1); MAPE 6.7 %",
};

const TPU7X: Calibration = Calibration {
    t0_seconds: 1.6e-6,
    mxu_fraction: 0.90,
    hbm_fraction: 0.60,
    serial_fraction: 0.3,
    // Plain copies reach 0.873 of the bandwidth (same source), products only 0.60: the range spans both.
    range_factor: 1.45,
    measured_on: "tpu7x",
    borrowed: false,
    source: "fit on square bf16 products of one tpu7x device (AI-Hypercomputer/tpu-recipes microbenchmarks/ironwood)",
};

/// Widening of the range when constants are borrowed: the spread between cycle simulators and measurements of other
/// generations is about 20 % (`SCALE-Sim` TPU 13.5–19.7 %, `COCOSSim` 18.5–19.5 %), taken twice.
const BORROWED_FACTOR: f64 = 1.6;

/// The constants for a generation: its own, or those of the nearest measured one with a wider range.
pub fn calibration(id: &GenerationId) -> Calibration {
    match id.0.as_str() {
        "v6e" => V6E,
        "tpu7x" => TPU7X,
        "tpu8t" | "tpu8i" => borrowed(TPU7X),
        _ => borrowed(V6E),
    }
}

impl Calibration {
    /// [`Self::range_factor`] for a number format: all fits are on bf16, so others get the wider range.
    pub fn range_for(&self, dtype: Dtype) -> f64 {
        if dtype == Dtype::Bf16 { self.range_factor } else { self.range_factor.max(BORROWED_FACTOR) }
    }
}

const fn borrowed(nearest: Calibration) -> Calibration {
    Calibration { borrowed: true, range_factor: BORROWED_FACTOR, ..nearest }
}
