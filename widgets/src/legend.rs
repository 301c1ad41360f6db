//! Colour bar with two handles, and the histogram above it.

use egui::Color32;

/// How values become colours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Colours from the low end to the high end; at least one.
    pub lut: &'static [Color32],
    /// Value of the first colour.
    pub lo: f32,
    /// Value of the last colour; greater than `lo`.
    pub hi: f32,
}

impl Scale {
    /// The colour of a value; values outside the range take the end colour.
    pub fn color(&self, value: f32) -> Color32 {
        let last = self.lut.len().saturating_sub(1);
        let share = ((value - self.lo) / (self.hi - self.lo).max(f32::EPSILON)).clamp(0.0, 1.0);
        self.lut.get((share * last as f32).round() as usize).copied().unwrap_or(Color32::TRANSPARENT)
    }
}

/// What a legend shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    /// Name of the metric with its unit, such as "duty cycle, %".
    pub title: String,
    /// Colours and range; the handles stand at the ends of the range.
    pub scale: Scale,
    /// Values that the whole bar spans.
    pub full: [f32; 2],
    /// Texts of the two handles, such as "20 %" and "90 %".
    pub ends: [String; 2],
    /// Range that a double click sets, if it is known (P1 to P99).
    pub fit: Option<[f32; 2]>,
    /// Text of the entry for missing values, such as "16 missing"; none when nothing is missing.
    pub missing: Option<String>,
}

/// How often values occur, for the strip above a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Count per bin; bins divide [`Legend::full`] evenly.
    pub bins: Vec<u32>,
    /// Number of missing values.
    pub missing: u32,
    /// A marked value with its text, such as 0.641 and "median 64.1 %".
    pub mark: Option<(f32, String)>,
    /// Texts along the axis with their values.
    pub ticks: Vec<(f32, String)>,
}

/// What happened to a legend in this frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LegendOutput {
    /// The new range, while a handle is dragged, moved by keys, or fitted by a double click.
    pub range: Option<[f32; 2]>,
    /// Whether the gesture that changed the range has ended.
    pub done: bool,
}
