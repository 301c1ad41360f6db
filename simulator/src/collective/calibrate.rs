//! What measurements of collectives say of a generation.

use topology::chip::GenerationId;
use topology::units::Seconds;

/// Constants fitted to published measurements: `seconds = start + max(bandwidth / share, latency)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// Time that a collective takes beside its transfer.
    pub start_seconds: Seconds,
    /// Share of the effective link rate (nine tenths of the physical one) that is reached.
    pub share: f64,
    /// What was measured, by whom, when it was read; absent where nothing was.
    pub source: Option<&'static str>,
}

impl Calibration {
    /// Nothing measured: no start-up, all of the effective rate.
    pub const NONE: Self = Self { start_seconds: Seconds::ZERO, share: 1.0, source: None };

    /// What was measured on a generation.
    pub fn of(id: &GenerationId) -> Self {
        let (start, share, source) = match id.0.as_str() {
            "tpu7x" => (
                13.5e-6,
                0.994,
                "fit on 7 all-gathers over 4 chips (AI-Hypercomputer/tpu-recipes microbenchmarks/ironwood), read 2026-11",
            ),
            "v6e" => (
                0.0,
                0.66,
                "one all-reduce of 606 MB over 256 chips (AI-Hypercomputer/tpu-recipes microbenchmarks/trillium), read \
                 2026-11",
            ),
            "v5e" => (
                5e-6,
                0.82,
                "two all-gathers over 4 chips without wrap (jax-ml/scaling-book @0819a7d sharding.md, pop quiz 2), \
                 2025-02",
            ),
            _ => return Self::NONE,
        };
        Self { start_seconds: Seconds::new(start), share, source: Some(source) }
    }
}
