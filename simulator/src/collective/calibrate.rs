//! What measurements of collectives say of a generation.

use topology::chip::GenerationId;
use topology::units::Seconds;

use crate::calibration::{Calibrations, Part};

/// Fitted constants as collectives use them: `seconds = start + max(bandwidth / share, latency)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Time that a collective takes beside its transfer.
    pub start_seconds: Seconds,
    /// Share of the effective link rate (nine tenths of the physical one) that is reached.
    pub share: f64,
    /// Where the constants come from, with their day; none where nobody measured.
    pub sources: Vec<String>,
}

impl Calibration {
    /// The constants for a generation; no start-up and all of the effective rate where nobody measured.
    pub fn of(id: &GenerationId, all: &Calibrations) -> Self {
        let found = all.ici_of(id);
        let is_own = |part: Part| matches!(part, Part::Chip | Part::Device);
        let entry = all.fitted.iter().find(|entry| entry.generation == id.0 && is_own(entry.part));
        let constants =
            entry.map(|entry| [&entry.ici_start_seconds, &entry.ici_fraction]).into_iter().flatten().flatten();
        Self {
            start_seconds: Seconds::new(found.map_or(0.0, |found| found.start_seconds)),
            share: found.map_or(1.0, |found| found.fraction),
            sources: constants.map(|constant| format!("{}, {}", constant.source, constant.date)).collect(),
        }
    }
}
