//! What a map of time by unit is made of, and what it answers.

use serde::{Deserialize, Serialize};

use crate::legend::Scale;

/// Values of many units over time: one row per unit, one column per time step.
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmap {
    /// What is shown, for the accessible description, such as "HBM bandwidth by cube".
    pub name: String,
    /// Number of time steps.
    pub columns: usize,
    /// Number of units.
    pub rows: usize,
    /// `rows × columns` values, each row in time order; absent means no sample.
    pub values: Vec<Option<f32>>,
    /// Colours and range.
    pub scale: Scale,
    /// Name of each row for tags and tooltips; `rows` of them.
    pub row_names: Vec<String>,
    /// Groups of rows, in order, that together cover the rows.
    pub groups: Vec<Group>,
    /// Title of the row axis, such as "cube, torus order".
    pub row_title: String,
    /// Mean of all units over time, drawn above; absent to leave it out.
    pub mean: Option<MeanStrip>,
    /// Texts under the time axis.
    pub ticks: Vec<Tick>,
    /// Alerts, as lines across the map.
    pub alerts: Vec<Alert>,
    /// Stretches of rows that stand out.
    pub marks: Vec<Mark>,
    /// Crosshair that another picture asks for: column and row.
    pub shared_hover: Option<(usize, usize)>,
    /// Changes whenever values, size or scale change.
    pub revision: u64,
}

/// Some rows that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Text at the side, such as "z 0–3".
    pub label: String,
    /// Number of rows.
    pub rows: usize,
}

/// Line of the mean with a band from P3 to P97.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanStrip {
    /// Mean per column; absent where nothing reported.
    pub mean: Vec<Option<f32>>,
    /// P3 and P97 per column.
    pub band: Vec<Option<[f32; 2]>>,
    /// Values at the bottom and the top of the strip with their texts.
    pub axis: [(f32, String); 2],
}

/// A text under the time axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Position in columns from the left edge; may be fractional.
    pub column: f32,
    /// Such as "05:00".
    pub label: String,
}

/// How grave an alert is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gravity {
    /// Look at it.
    Warn,
    /// Act.
    Crit,
}

/// A moment at which something happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Position in columns from the left edge.
    pub column: f32,
    /// How grave.
    pub gravity: Gravity,
    /// Such as "job restart, 9 min".
    pub label: String,
}

/// Part of a row that stands out, such as a straggler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The row.
    pub row: usize,
    /// First and one past the last column.
    pub columns: [usize; 2],
    /// Text of the tag at the end of the row.
    pub label: String,
    /// Whether buckets under the mark show their lowest value instead of the mean.
    pub alerting: bool,
}

/// How a heat map is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeatmapState {
    /// First and last column in view, as shares of all columns.
    pub view: [f32; 2],
    /// Column and row that the keyboard moves.
    pub focus: Option<(usize, usize)>,
    /// Column at which a range drag began.
    pub range_from: Option<usize>,
}

impl Default for HeatmapState {
    fn default() -> Self {
        Self { view: [0.0, 1.0], focus: None, range_from: None }
    }
}

/// What happened to a heat map in this frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HeatmapOutput {
    /// Column and row under the pointer.
    pub hovered: Option<(usize, usize)>,
    /// Value there, if a sample exists.
    pub hovered_value: Option<f32>,
    /// Clicked, or confirmed with Enter.
    pub clicked: Option<(usize, usize)>,
    /// First and one past the last column of a finished range drag.
    pub range: Option<[usize; 2]>,
}
