//! What a roofline chart is made of, and what it answers.

use serde::{Deserialize, Serialize};

use crate::timeline::Kind;

/// Which speed an operation reaches, and which one its traffic allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// What is shown, for the accessible description, such as "scenario B, one chip".
    pub name: String,
    /// Peak rate of one chip in FLOP/s.
    pub peak_flop_per_s: f64,
    /// Name of the peak, such as "bf16 peak".
    pub peak_name: String,
    /// Share of the roof that is reached in practice, from 0 to 1, drawn dashed; none where it is not known.
    pub reached: Option<f64>,
    /// One chart for each kind of traffic, such as HBM, ICI and DCN.
    pub tabs: Vec<Tab>,
    /// Newer numbers are on their way: everything is grey until they come.
    pub stale: bool,
}

/// The roof of one kind of traffic and the operations under it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tab {
    /// "HBM".
    pub name: String,
    /// Bandwidth of one chip in byte/s.
    pub bytes_per_s: f64,
    /// Operations with traffic of this kind.
    pub points: Vec<Point>,
    /// Why there are no points, such as "one pod only".
    pub idle: String,
}

/// One operation, or several of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// "up, gate".
    pub name: String,
    /// Arithmetic per byte of traffic, in FLOP per byte. Only positive finite values have a place.
    pub flop_per_byte: f64,
    /// Rate that is reached, in FLOP/s. Only positive finite values have a place.
    pub flop_per_s: f64,
    /// Share of the time, from 0 to 1: the area of the point.
    pub share: f64,
    /// What it is.
    pub kind: Kind,
}

impl Point {
    /// Whether it has a place on logarithmic axes.
    pub(super) fn has_place(&self) -> bool {
        [self.flop_per_byte, self.flop_per_s].iter().all(|value| value.is_finite() && *value > 0.0)
    }
}

impl Roofline {
    /// The rate that a roof allows at an intensity in FLOP per byte, in FLOP/s: min(peak, intensity · bandwidth).
    pub fn roof(&self, tab: &Tab, flop_per_byte: f64) -> f64 {
        (flop_per_byte * tab.bytes_per_s).min(self.peak_flop_per_s)
    }

    /// The intensity in FLOP per byte from which on the peak is the limit: peak ÷ bandwidth.
    pub fn knee(&self, tab: &Tab) -> f64 {
        self.peak_flop_per_s / tab.bytes_per_s
    }
}

/// How a roofline chart is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RooflineState {
    /// Number of the tab.
    pub tab: usize,
    /// Number of the point that stands out and that the arrow keys move from.
    pub selected: Option<usize>,
}

/// What happened to a roofline chart in this frame; points are numbers in the chosen tab.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RooflineOutput {
    /// Under the pointer.
    pub hovered: Option<usize>,
    /// Clicked, or confirmed with Enter.
    pub clicked: Option<usize>,
    /// Clicked where nothing is.
    pub clicked_nothing: bool,
}
