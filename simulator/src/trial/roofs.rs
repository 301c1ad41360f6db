//! Where a trial stands under the roofs of its chip.

use topology::units::{BytePerSec, FlopPerSec};

/// One roofline of a chip: how fast it may compute at each arithmetic intensity.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// What the bytes cross: "HBM" or "ICI".
    pub memory: &'static str,
    /// Flat roof: peak of the number format.
    pub peak: FlopPerSec,
    /// Share of the peak that large products reach, by the calibration.
    pub reached_fraction: f64,
    /// Slope: bytes per second that the chip moves.
    pub bandwidth: BytePerSec,
    /// Share of the bandwidth that is reached, by the calibration.
    pub reached_bandwidth_fraction: f64,
    /// The work.
    pub points: Vec<Point>,
}

/// One piece of work under a roof.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What it is.
    pub name: String,
    /// Useful operations per byte; above 0.
    pub flop_per_byte: f64,
    /// Useful operations per second while it lasts.
    pub rate: FlopPerSec,
    /// Its share of the whole time, 0 to 1.
    pub share: f64,
}
