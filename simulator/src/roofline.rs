//! Time of one matrix product on one chip: padding, tiling of memory traffic, and a calibrated roofline.
//!
//! 1. Operations are counted as the matrix unit does them, with edges padded to its S×S tiles and at least S rows
//!    streamed per tile (scaling-book, tpus.md, appendix B).
//! 2. Memory traffic follows from the best block that fits in VMEM with double buffering: each operand is read once
//!    per block row or column of the other.
//! 3. `seconds = t0 + max(mxu, hbm) + ω·min(mxu, hbm)` with constants of [`crate::calibration`].

use serde::Serialize;
use topology::chip::{Generation, GenerationId, Sourced};
use topology::units::{Byte, BytePerSec, Flop, FlopPerSec, Seconds};

use crate::calibration::{Calibration, calibration};
use crate::dtype::Dtype;
use crate::explain::Term;
use crate::matmul::Matmul;
use crate::tiling::{Traffic, padded_flop, traffic};

/// What the chip waits for most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// The matrix unit.
    Mxu,
    /// Main memory.
    Hbm,
    /// The fixed time that every operation takes.
    Overhead,
}

impl Bound {
    /// "mxu", "hbm" or "overhead".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mxu => "mxu",
            Self::Hbm => "hbm",
            Self::Overhead => "overhead",
        }
    }
}

/// Where the operands are before the product starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// In main memory.
    Hbm,
    /// Left in VMEM by the operation before (as in a benchmark loop), if they fit.
    Vmem,
}

/// Why a product cannot be estimated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RooflineError {
    /// The catalogue has no peak for that number format.
    #[error("{generation} has no published {dtype} peak; known are: {known}")]
    NoPeak {
        /// Which generation.
        generation: GenerationId,
        /// Which number format.
        dtype: Dtype,
        /// The formats that have one.
        known: String,
    },
    /// The catalogue lacks another figure.
    #[error("{generation} has no published {figure}")]
    NoFigure {
        /// Which generation.
        generation: GenerationId,
        /// What is missing, in words.
        figure: &'static str,
    },
}

/// The rates of one chip, or of one of its devices.
#[derive(Debug, Clone, PartialEq)]
pub struct Engine {
    generation: GenerationId,
    peaks: [Option<Sourced<FlopPerSec>>; 4],
    hbm_bytes_per_s: Sourced<BytePerSec>,
    vmem_bytes: Option<Sourced<Byte>>,
    mxu_dim: u64,
    devices: u64,
    calibration: Calibration,
}

impl Engine {
    /// One chip with all its devices; a product is shared between them along the longer of M and N.
    ///
    /// # Errors
    /// If the generation has no memory bandwidth or matrix-unit size in the catalogue.
    pub fn chip(generation: &Generation) -> Result<Self, RooflineError> {
        let missing = |figure| RooflineError::NoFigure { generation: generation.id.clone(), figure };
        let hbm = generation.hbm_bytes_per_s.clone().ok_or_else(|| missing("memory bandwidth"))?;
        let mxu_dim = generation.mxu_dim.as_ref().ok_or_else(|| missing("matrix-unit size"))?.value;
        let devices = generation.devices_per_chip.as_ref().map_or(1, |devices| devices.value.max(1));
        Ok(Self {
            generation: generation.id.clone(),
            peaks: [
                None,
                generation.peak_bf16_flop_per_s.clone(),
                generation.peak_int8_flop_per_s.clone(),
                generation.peak_fp8_flop_per_s.clone(),
            ],
            hbm_bytes_per_s: hbm,
            vmem_bytes: generation.vmem_bytes.clone(),
            mxu_dim: u64::from(mxu_dim.max(1)),
            devices: u64::from(devices),
            calibration: calibration(&generation.id),
        })
    }

    /// One device as the framework sees it: half a chip on tpu7x, a whole chip on most others.
    ///
    /// # Errors
    /// As [`Self::chip`].
    pub fn device(generation: &Generation) -> Result<Self, RooflineError> {
        let chip = Self::chip(generation)?;
        let share = 1.0 / chip.devices as f64;
        let shared = |figure: Sourced<FlopPerSec>| Sourced { value: figure.value * share, ..figure };
        Ok(Self {
            peaks: chip.peaks.map(|peak| peak.map(shared)),
            hbm_bytes_per_s: Sourced { value: chip.hbm_bytes_per_s.value * share, ..chip.hbm_bytes_per_s },
            vmem_bytes: chip.vmem_bytes.map(|vmem| Sourced { value: vmem.value * share, ..vmem }),
            devices: 1,
            ..chip
        })
    }

    /// Dense peak in a number format.
    ///
    /// # Errors
    /// If none is published: a peak is never guessed.
    pub fn peak(&self, dtype: Dtype) -> Result<&Sourced<FlopPerSec>, RooflineError> {
        let peak = self.peaks[dtype as usize].as_ref();
        peak.filter(|peak| peak.value > FlopPerSec::ZERO).ok_or_else(|| {
            let known: Vec<_> = Dtype::ALL.into_iter().filter(|d| self.peaks[*d as usize].is_some()).collect();
            let known = known.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ");
            RooflineError::NoPeak { generation: self.generation.clone(), dtype, known }
        })
    }

    /// Nominal memory bandwidth.
    pub fn hbm_bytes_per_s(&self) -> BytePerSec {
        self.hbm_bytes_per_s.value
    }

    /// The fitted constants in use.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

/// The answer for one product, with how it was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// Expected time.
    pub seconds: Seconds,
    /// The truth is unlikely to be shorter.
    pub seconds_low: Seconds,
    /// The truth is unlikely to be longer.
    pub seconds_high: Seconds,
    /// Useful operations, without padding.
    pub flop: Flop,
    /// Main-memory traffic.
    pub hbm_bytes: Byte,
    /// What takes longest.
    pub bound: Bound,
    /// Useful operations per second.
    pub achieved_flop_per_s: FlopPerSec,
    /// Time of the matrix unit alone.
    pub mxu_seconds: Seconds,
    /// Time of main memory alone.
    pub hbm_seconds: Seconds,
    /// How each number was made.
    pub explain: Vec<Term>,
}

/// Estimates one product.
///
/// # Errors
/// If the generation has no peak for the number format.
pub fn estimate(matmul: &Matmul, engine: &Engine, operands: Operands) -> Result<Estimate, RooflineError> {
    let peak = engine.peak(matmul.dtype())?;
    let devices = engine.devices as f64;
    let part = matmul.share(engine.devices);
    let vmem = engine.vmem_bytes.as_ref().map(|vmem| vmem.value.get() / devices);
    let traffic = traffic(&part, vmem);
    let padded = padded_flop(&part, engine.mxu_dim);
    let constants = &engine.calibration;
    let rates = (peak.value.get() / devices, engine.hbm_bytes_per_s.value.get() / devices);
    let mxu = padded / (constants.mxu_fraction * rates.0);
    let resident = operands == Operands::Vmem && traffic.fits;
    let hbm = if resident { 0.0 } else { traffic.bytes / (constants.hbm_fraction * rates.1) };
    let body = mxu.max(hbm) + constants.serial_fraction * mxu.min(hbm);
    let seconds = constants.t0_seconds + body;
    // A product that fits in VMEM may find its operands there already: the low end allows for it.
    let shortest = if traffic.fits { constants.t0_seconds + mxu } else { seconds };
    let factor = constants.range_for(matmul.dtype());
    let found = Found { padded, mxu, hbm, resident, seconds };
    Ok(Estimate {
        seconds: Seconds::new(seconds),
        seconds_low: Seconds::new(shortest.min(seconds) / factor),
        seconds_high: Seconds::new(seconds * factor),
        flop: matmul.flop(),
        hbm_bytes: Byte::new(if resident { 0.0 } else { traffic.bytes * devices }),
        bound: found.bound(constants.t0_seconds),
        achieved_flop_per_s: FlopPerSec::new(matmul.flop().get() / seconds),
        mxu_seconds: Seconds::new(mxu),
        hbm_seconds: Seconds::new(hbm),
        explain: explain(matmul, engine, peak, &traffic, &found),
    })
}

struct Found {
    padded: f64,
    mxu: f64,
    hbm: f64,
    resident: bool,
    seconds: f64,
}

impl Found {
    fn bound(&self, t0: f64) -> Bound {
        if t0 > self.mxu.max(self.hbm) {
            Bound::Overhead
        } else if self.mxu >= self.hbm {
            Bound::Mxu
        } else {
            Bound::Hbm
        }
    }
}

const TILES: &str = "scaling-book tpus.md, appendix B; XLA layout T(8,128)";
const STANDARD: &str = "standard blocked product with double buffering";

fn explain(
    matmul: &Matmul,
    engine: &Engine,
    peak: &Sourced<FlopPerSec>,
    traffic: &Traffic,
    found: &Found,
) -> Vec<Term> {
    let constants = &engine.calibration;
    let side = engine.mxu_dim;
    let devices = engine.devices as f64;
    let useful = matmul.flop().get();
    let mut terms = vec![
        Term::new("Useful operations", (useful, "FLOP"), "2·M·K·N", "definition"),
        Term::new(
            "Operations with padding",
            (found.padded * devices, "FLOP"),
            format!("2·max(M to 8, {side})·(K to {side})·(N to {side})"),
            TILES,
        ),
        Term::new("Useful share", (useful / (found.padded * devices), ""), "useful / padded", TILES),
        Term::new("Peak", (peak.value.get(), "FLOP/s"), format!("dense {} peak", matmul.dtype()), &*peak.source),
        Term::new("η, share of peak", (constants.mxu_fraction, ""), "fitted", constants.source),
        Term::new("Matrix-unit time", (found.mxu, "s"), "padded operations / (η·peak)", "calibrated roofline"),
        Term::new("Memory traffic", (traffic.bytes * devices, "B"), traffic.formula(), STANDARD),
        Term::new(
            "Memory bandwidth",
            (engine.hbm_bytes_per_s.value.get(), "B/s"),
            "nominal",
            &*engine.hbm_bytes_per_s.source,
        ),
        Term::new("β, share of bandwidth", (constants.hbm_fraction, ""), "fitted", constants.source),
        Term::new("Memory time", (found.hbm, "s"), memory_formula(found.resident), "calibrated roofline"),
        Term::new("t0, fixed time", (constants.t0_seconds, "s"), "fitted", constants.source),
        Term::new("ω, share not overlapped", (constants.serial_fraction, ""), "fitted", constants.source),
        Term::new("Time", (found.seconds, "s"), "t0 + max(mxu, hbm) + ω·min(mxu, hbm)", "calibrated roofline"),
    ];
    terms.push(Term::new(
        "Range factor",
        (constants.range_for(matmul.dtype()), ""),
        range_reason(engine, matmul.dtype()),
        "about 95 % of the fitted rows lie within 1.25; spread of cycle simulators on other generations, taken twice",
    ));
    if engine.devices > 1 {
        terms.push(Term::new(
            "Devices",
            (devices, ""),
            "the longer of M and N is shared between the devices of the chip",
            "catalogue",
        ));
    }
    terms
}

fn range_reason(engine: &Engine, dtype: Dtype) -> String {
    let on = engine.calibration.measured_on;
    match (engine.calibration.borrowed, dtype) {
        (true, _) => format!("{} has no measurements of its own: constants of {on}, range widened", engine.generation),
        (false, Dtype::Bf16) => format!("measured on {on} in bf16"),
        (false, _) => format!("measured on {on} in bf16, not in {dtype}: range widened"),
    }
}

const fn memory_formula(resident: bool) -> &'static str {
    if resident { "0: operands already in VMEM" } else { "traffic / (β·bandwidth)" }
}

#[cfg(test)]
mod tests;
