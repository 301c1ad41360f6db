//! Time of one matrix product on one chip: padding, tiling of memory traffic, and a calibrated roofline.
//!
//! 1. Operations are counted as the matrix unit does them, with edges padded to its S×S tiles and at least S rows
//!    streamed per tile (scaling-book, tpus.md, appendix B).
//! 2. Memory traffic follows from the best block that fits in VMEM with double buffering: each operand is read once
//!    per block row or column of the other.
//! 3. `seconds = t0 + max(mxu, hbm) + ω·min(mxu, hbm)` with constants of [`crate::calibration`].

mod estimate;
mod launch;
mod limits;
mod stream;

use serde::Serialize;
use topology::chip::{Generation, GenerationId, Sourced};
use topology::units::{Byte, BytePerSec, FlopPerSec};

use crate::calibration::{Calibration, Calibrations, calibration};
use crate::dtype::Dtype;

pub use crate::tiling::Block;
pub use estimate::{Estimate, ProductTime, estimate, time};
pub use launch::Launch;
pub use limits::{critical_intensity, critical_rows, latency_bound_bytes, lower_bound_seconds};
pub use stream::{Stream, StreamKind, StreamTime, stream};

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

    /// The longest of three times and, if it takes any, the second.
    fn of(mxu: f64, hbm: f64, overhead: f64) -> (Self, Option<Self>) {
        let mut all = [(Self::Mxu, mxu), (Self::Hbm, hbm), (Self::Overhead, overhead)];
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        (all[0].0, (all[1].1 > 0.0).then_some(all[1].0))
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
    peaks: [Option<Sourced<FlopPerSec>>; Dtype::ALL.len()],
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
                None,
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
        let parts = chip.devices;
        Ok(chip.part(parts))
    }

    /// One `TensorCore`, with constants of its own where one was measured.
    ///
    /// # Errors
    /// As [`Self::chip`], and if the number of `TensorCores` is not known.
    pub fn core(generation: &Generation) -> Result<Self, RooflineError> {
        let figure = "number of TensorCores";
        let cores = generation.tensorcores_per_chip.as_ref();
        let cores = cores.ok_or_else(|| RooflineError::NoFigure { generation: generation.id.clone(), figure })?;
        let core = Self::chip(generation)?.part(u64::from(cores.value.max(1)));
        let calibration = Calibrations::embedded().of_core(&generation.id);
        Ok(core.with_calibration(calibration))
    }

    /// The same with other constants; unchanged with `None`.
    pub fn with_calibration(self, calibration: Option<Calibration>) -> Self {
        Self { calibration: calibration.unwrap_or(self.calibration), ..self }
    }

    fn part(self, parts: u64) -> Self {
        let share = 1.0 / parts as f64;
        let shared = |figure: Sourced<FlopPerSec>| Sourced { value: figure.value * share, ..figure };
        Self {
            peaks: self.peaks.map(|peak| peak.map(shared)),
            hbm_bytes_per_s: Sourced { value: self.hbm_bytes_per_s.value * share, ..self.hbm_bytes_per_s },
            vmem_bytes: self.vmem_bytes.map(|vmem| Sourced { value: vmem.value * share, ..vmem }),
            devices: 1,
            ..self
        }
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

    /// On-chip vector memory of all devices together; `None` if unknown.
    pub fn vmem_bytes(&self) -> Option<Byte> {
        self.vmem_bytes.as_ref().map(|vmem| vmem.value)
    }

    /// Devices that share the work.
    pub const fn devices(&self) -> u64 {
        self.devices
    }

    /// Rows and columns of one matrix unit.
    pub const fn mxu_dim(&self) -> u64 {
        self.mxu_dim
    }

    /// The fitted constants in use.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

#[cfg(test)]
mod tests;
