//! Operations that only move bytes: copies and element-wise operations.

use topology::units::{Byte, Seconds};

use super::{Bound, Engine, Operands};

/// What is done to the bytes on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamKind {
    /// Nothing: a plain copy.
    Copy,
    /// Something element by element: an addition, an activation, a norm, a softmax.
    Vector,
}

/// Bytes that are read and written once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stream {
    /// What is done to them.
    pub kind: StreamKind,
    /// Bytes read.
    pub read: Byte,
    /// Bytes written.
    pub written: Byte,
}

/// Time of a stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StreamTime {
    /// Expected time.
    pub seconds: Seconds,
    /// The truth is unlikely to be shorter.
    pub seconds_low: Seconds,
    /// The truth is unlikely to be longer.
    pub seconds_high: Seconds,
    /// What takes longest: memory or the fixed time.
    pub bound: Bound,
    /// Main-memory traffic.
    pub hbm_bytes: Byte,
}

/// `t0 + bytes / (share · bandwidth)`, the share that of copies or of element-wise operations. With [`Operands::Vmem`],
/// and if both sides fit there, the rate is that of VMEM; where nobody measured that one, only the fixed time is
/// counted and the range says so by reaching up to the time of main memory.
pub fn stream(stream: &Stream, engine: &Engine, operands: Operands) -> StreamTime {
    let constants = &engine.calibration;
    let bytes = stream.read.get() + stream.written.get();
    let fits = engine.vmem_bytes().is_some_and(|vmem| bytes < vmem.get());
    let share = match stream.kind {
        StreamKind::Copy => constants.copy_fraction,
        StreamKind::Vector => constants.vector_fraction,
    };
    let hbm = bytes / (share * engine.hbm_bytes_per_s().get());
    // Borrowed rates of on-chip memory are those of another chip.
    let vmem = constants.vmem_bytes_per_s.filter(|_| !constants.borrowed).map_or(0.0, |rate| bytes / rate);
    let resident = operands == Operands::Vmem && fits;
    let moved = if resident { vmem.min(hbm) } else { hbm };
    let seconds = constants.t0_seconds + moved;
    let shortest = if fits { constants.t0_seconds + vmem.min(moved) } else { seconds };
    let longest = if resident && vmem == 0.0 { constants.t0_seconds + hbm } else { seconds };
    StreamTime {
        seconds: Seconds::new(seconds),
        seconds_low: Seconds::new(shortest / constants.range_factor),
        seconds_high: Seconds::new(longest * constants.range_factor),
        bound: if constants.t0_seconds > moved { Bound::Overhead } else { Bound::Hbm },
        hbm_bytes: if resident { Byte::ZERO } else { Byte::new(bytes) },
    }
}
