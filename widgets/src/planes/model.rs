//! What the small maps are made of, and what they answer.

use serde::{Deserialize, Serialize};
use topology::shape::{Axis, Coord};

use crate::legend::Scale;

/// Small maps of the layers of a pod or slice.
#[derive(Debug, Clone, PartialEq)]
pub struct Planes {
    /// What is shown, for the accessible description, such as "pretrain-main, HBM bandwidth".
    pub name: String,
    /// Cells along x, y and z.
    pub size: [u16; 3],
    /// The axis whose layers are shown.
    pub axis: Axis,
    /// Chips along the side of a cell (4 for cubes, 1 for chips): axis numbers are chip coordinates.
    pub step: u16,
    /// One cell for each place, x fastest, then y, then z.
    pub cells: Vec<Tile>,
    /// Colours of [`Tile::Value`].
    pub scale: Option<Scale>,
    /// Boxes that stand out: lowest cell and number of cells along x, y and z.
    pub outlines: Vec<Outline>,
    /// Cell that another picture points at.
    pub shared_hover: Option<Coord>,
    /// Changes whenever the cells, the size or the scale change.
    pub revision: u64,
}

/// One cell of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tile {
    /// A measured value.
    Value(f32),
    /// No sample.
    Missing,
    /// Part of a slice with this identity colour.
    Slice {
        /// Index of the colour.
        color: usize,
        /// Mixed towards the background because another slice is selected.
        quiet: bool,
    },
    /// Nobody's.
    Free,
    /// Held back to replace a failed one.
    Spare,
    /// Out for repair.
    InRepair,
    /// Where a slice is being placed.
    Ghost,
    /// Not there at all.
    Absent,
}

/// A box with an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outline {
    /// Lowest cell.
    pub at: Coord,
    /// Cells along x, y and z.
    pub size: [u16; 3],
    /// How it is drawn.
    pub kind: OutlineKind,
}

/// Meaning of an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutlineKind {
    /// Selected: light line inside a dark one.
    Selected,
    /// Being placed.
    Ghost,
    /// Being placed where it cannot stay.
    BadGhost,
}

/// How planes are looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanesState {
    /// The cell that the keyboard moves.
    pub focus: Option<Coord>,
}

/// What happened to planes in this frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlanesOutput {
    /// Under the pointer.
    pub hovered: Option<Coord>,
    /// Clicked, or confirmed with Enter.
    pub clicked: Option<Coord>,
    /// Clicked twice.
    pub double_clicked: Option<Coord>,
}
