//! What it costs to start something on a chip, apart from doing it.

use topology::units::Seconds;

/// From where the time is taken; device time is what the other functions of this module answer.
///
/// Source: `SCALE-Sim` calibration notes, one v4, 2026: a program costs about 11 µs beyond its fusions, an execute call
/// about 92 µs on the host, which asynchronous dispatch hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launch {
    /// Time of the operation alone, as a trace of the device shows it.
    Device,
    /// With the start of its program.
    Program,
    /// As a clock of the host sees it, without asynchronous dispatch.
    Host,
}

impl Launch {
    /// Time beyond the operation's own.
    pub const fn seconds(self) -> Seconds {
        Seconds::new(match self {
            Self::Device => 0.0,
            Self::Program => 11e-6,
            Self::Host => 11e-6 + 92e-6,
        })
    }
}
