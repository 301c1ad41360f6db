//! Model FLOP utilization of observed work, with what was assumed.

use serde::Serialize;
use topology::chip::{Generation, Sourced};
use topology::units::FlopPerSec;

/// Number format whose peak counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PeakFormat {
    /// 16-bit brain floats.
    Bf16,
    /// 8-bit integers.
    Int8,
    /// 8-bit floats.
    Fp8,
}

impl PeakFormat {
    fn peak(self, generation: &Generation) -> Option<&Sourced<FlopPerSec>> {
        match self {
            Self::Bf16 => generation.peak_bf16_flop_per_s.as_ref(),
            Self::Int8 => generation.peak_int8_flop_per_s.as_ref(),
            Self::Fp8 => generation.peak_fp8_flop_per_s.as_ref(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Bf16 => "bf16",
            Self::Int8 => "int8",
            Self::Fp8 => "fp8",
        }
    }
}

/// Useful work as a share of the peak.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mfu {
    /// Useful work ÷ peak; above 1 where the assumption or the work is wrong, never cut.
    pub mfu_fraction: f64,
    /// Format whose peak was taken.
    pub peak: PeakFormat,
    /// What was assumed, such as "peak assumed: bf16"; absent where nothing was.
    pub assumed: Option<String>,
}

/// Share of the peak that so much useful work a second and chip is. Where the number format of a job is not known the peak of
/// bf16 is taken and said: a job in fp8 then looks twice as good as it is. `None` if the generation has no such peak.
pub fn mfu(useful_per_chip: FlopPerSec, generation: &Generation, format: Option<PeakFormat>) -> Option<Mfu> {
    let peak = format.unwrap_or(PeakFormat::Bf16);
    let mfu_fraction = useful_per_chip.ratio(peak.peak(generation)?.value)?;
    let assumed = format.is_none().then(|| format!("peak assumed: {}", peak.name()));
    Some(Mfu { mfu_fraction, peak, assumed })
}
