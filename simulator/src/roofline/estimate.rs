//! The answer for one product: its time, what bounds it, and how each number was made.

use serde::Serialize;
use topology::chip::Sourced;
use topology::units::{Byte, Flop, FlopPerSec, Seconds};

use super::{Bound, Engine, Operands, RooflineError};
use crate::dtype::Dtype;
use crate::explain::Term;
use crate::matmul::Matmul;
use crate::tiling::{Block, Traffic, padded_flop, traffic};

/// The time of one product without the explanation: cheap enough for searches and sliders.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProductTime {
    /// Expected time.
    pub seconds: Seconds,
    /// The truth is unlikely to be shorter.
    pub seconds_low: Seconds,
    /// The truth is unlikely to be longer.
    pub seconds_high: Seconds,
    /// What takes longest.
    pub bound: Bound,
    /// What takes second longest, if anything else takes time.
    pub runner_up: Option<Bound>,
    /// Time of the matrix unit alone.
    pub mxu_seconds: Seconds,
    /// Time of main memory alone.
    pub hbm_seconds: Seconds,
    /// Fixed time.
    pub overhead_seconds: Seconds,
    /// Operations with padding to the matrix unit, of all devices.
    pub padded_flop: Flop,
    /// Main-memory traffic of all devices.
    pub hbm_bytes: Byte,
    /// Main-memory traffic of one device if its operands came from there, and its block.
    traffic: Traffic,
    resident: bool,
}

impl ProductTime {
    /// The block in VMEM of one device; `None` if everything fits there, or its size is unknown.
    pub fn block(&self) -> Option<Block> {
        self.traffic.block
    }
}

/// Times one product; the same numbers as [`estimate`], without words.
///
/// # Errors
/// If the generation has no peak for the number format.
pub fn time(matmul: &Matmul, engine: &Engine, operands: Operands) -> Result<ProductTime, RooflineError> {
    let peak = engine.peak(matmul.dtype())?.value.get();
    let devices = engine.devices as f64;
    let part = matmul.share(engine.devices);
    let vmem = engine.vmem_bytes.as_ref().map(|vmem| vmem.value.get() / devices);
    let traffic = traffic(&part, vmem);
    let padded = padded_flop(&part, engine.mxu_dim);
    let constants = &engine.calibration;
    let mxu = padded * devices / (constants.mxu_fraction * peak);
    let resident = operands == Operands::Vmem && traffic.fits;
    let bytes = if resident { 0.0 } else { traffic.bytes * devices };
    let hbm = bytes / (constants.hbm_fraction * engine.hbm_bytes_per_s.value.get());
    let seconds = constants.t0_seconds + mxu.max(hbm) + constants.serial_fraction * mxu.min(hbm);
    // A product that fits in VMEM may find its operands there already: the low end allows for it.
    let shortest = if traffic.fits { constants.t0_seconds + mxu } else { seconds };
    let factor = constants.range_for(matmul.dtype());
    let (bound, runner_up) = Bound::of(mxu, hbm, constants.t0_seconds);
    Ok(ProductTime {
        seconds: Seconds::new(seconds),
        seconds_low: Seconds::new(shortest.min(seconds) / factor),
        seconds_high: Seconds::new(seconds * factor),
        bound,
        runner_up,
        mxu_seconds: Seconds::new(mxu),
        hbm_seconds: Seconds::new(hbm),
        overhead_seconds: Seconds::new(constants.t0_seconds),
        padded_flop: Flop::new(padded * devices),
        hbm_bytes: Byte::new(bytes),
        traffic,
        resident,
    })
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
    /// What takes second longest, if anything else takes time.
    pub runner_up: Option<Bound>,
    /// Useful operations per second.
    pub achieved_flop_per_s: FlopPerSec,
    /// Time of the matrix unit alone.
    pub mxu_seconds: Seconds,
    /// Time of main memory alone.
    pub hbm_seconds: Seconds,
    /// Share of the matrix unit's operations that is padding, 0 to 1.
    pub padding_fraction: f64,
    /// The block in VMEM of one device; `None` if everything fits there, or its size is unknown.
    pub block: Option<Block>,
    /// How each number was made.
    pub explain: Vec<Term>,
}

/// Estimates one product.
///
/// # Errors
/// If the generation has no peak for the number format.
pub fn estimate(matmul: &Matmul, engine: &Engine, operands: Operands) -> Result<Estimate, RooflineError> {
    let found = time(matmul, engine, operands)?;
    let explain = explain(matmul, engine, engine.peak(matmul.dtype())?, &found);
    Ok(Estimate {
        seconds: found.seconds,
        seconds_low: found.seconds_low,
        seconds_high: found.seconds_high,
        flop: matmul.flop(),
        hbm_bytes: found.hbm_bytes,
        bound: found.bound,
        runner_up: found.runner_up,
        achieved_flop_per_s: FlopPerSec::new(matmul.flop().get() / found.seconds.get()),
        mxu_seconds: found.mxu_seconds,
        hbm_seconds: found.hbm_seconds,
        padding_fraction: 1.0 - matmul.flop().get() / found.padded_flop.get(),
        block: found.traffic.block,
        explain,
    })
}

const TILES: &str = "scaling-book tpus.md, appendix B; XLA layout T(8,128)";
const ROOFLINE: &str = "calibrated roofline";
const STANDARD: &str = "standard blocked product with double buffering";

fn explain(matmul: &Matmul, engine: &Engine, peak: &Sourced<FlopPerSec>, found: &ProductTime) -> Vec<Term> {
    let mut terms = unit_terms(matmul, engine, peak, found);
    terms.extend(memory_terms(engine, found));
    let constants = &engine.calibration;
    terms.extend([
        Term::new("t0, fixed time", (constants.t0_seconds, "s"), "fitted", &constants.source),
        Term::new("o, share not overlapped", (constants.serial_fraction, ""), "fitted", &constants.source),
        Term::new("Time", (found.seconds.get(), "s"), "t0 + max(mxu, hbm) + o·min(mxu, hbm)", ROOFLINE),
        Term::new(
            "Range factor",
            (constants.range_for(matmul.dtype()), ""),
            range_reason(engine, matmul.dtype()),
            "about 95 % of the fitted rows lie within 1.25; spread of cycle simulators on other generations, taken twice",
        ),
    ]);
    if engine.devices > 1 {
        let devices = engine.devices as f64;
        let how = "the longer of M and N is shared between the devices of the chip";
        terms.push(Term::new("Devices", (devices, ""), how, "catalogue"));
    }
    terms
}

/// What the matrix unit has to do.
fn unit_terms(matmul: &Matmul, engine: &Engine, peak: &Sourced<FlopPerSec>, found: &ProductTime) -> Vec<Term> {
    let constants = &engine.calibration;
    let side = engine.mxu_dim;
    let (useful, padded) = (matmul.flop().get(), found.padded_flop.get());
    vec![
        Term::new("Useful operations", (useful, "FLOP"), "2·M·K·N", "definition"),
        Term::new(
            "Operations with padding",
            (padded, "FLOP"),
            format!("2·max(M to 8, {side})·(K to {side})·(N to {side})"),
            TILES,
        ),
        Term::new("Useful share", (useful / padded, ""), "useful / padded", TILES),
        Term::new("Peak", (peak.value.get(), "FLOP/s"), format!("dense {} peak", matmul.dtype()), &*peak.source),
        Term::new("η, share of peak", (constants.mxu_fraction, ""), "fitted", &constants.source),
        Term::new("Matrix-unit time", (found.mxu_seconds.get(), "s"), "padded operations / (η·peak)", ROOFLINE),
    ]
}

/// What main memory has to move.
fn memory_terms(engine: &Engine, found: &ProductTime) -> Vec<Term> {
    let constants = &engine.calibration;
    let devices = engine.devices as f64;
    let traffic = &found.traffic;
    let bandwidth = &engine.hbm_bytes_per_s;
    vec![
        Term::new("Memory traffic", (traffic.bytes * devices, "B"), traffic.formula(), STANDARD),
        Term::new(
            "Traffic beyond once",
            (traffic.bytes / traffic.once_bytes - 1.0, ""),
            "traffic / bytes if each array moved once − 1",
            STANDARD,
        ),
        Term::new("VMEM in use", (traffic.vmem_bytes, "B"), vmem_formula(traffic), STANDARD),
        Term::new("Memory bandwidth", (bandwidth.value.get(), "B/s"), "nominal", &*bandwidth.source),
        Term::new("β, share of bandwidth", (constants.hbm_fraction, ""), "fitted", &constants.source),
        Term::new("Memory time", (found.hbm_seconds.get(), "s"), memory_formula(found.resident), ROOFLINE),
    ]
}

const fn vmem_formula(traffic: &Traffic) -> &'static str {
    match traffic.block {
        None => "both operands and the result, padded, per device",
        Some(_) => "2·e·bk·(bm + bn) + (4 + 2·e)·bm·bn, per device",
    }
}

fn range_reason(engine: &Engine, dtype: Dtype) -> String {
    let on = &engine.calibration.measured_on;
    match (engine.calibration.borrowed, dtype) {
        (true, _) => format!("{} has no measurements of its own: constants of {on}, range widened", engine.generation),
        (false, Dtype::Bf16) => format!("measured on {on} in bf16"),
        (false, _) => format!("measured on {on} in bf16, not in {dtype}: range widened"),
    }
}

const fn memory_formula(resident: bool) -> &'static str {
    if resident { "0: operands already in VMEM" } else { "traffic / (β·bandwidth)" }
}
