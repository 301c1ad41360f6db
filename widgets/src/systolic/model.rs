//! What the picture of a systolic array is made of, and what it answers.

use egui::Color32;
use serde::{Deserialize, Serialize};

use crate::theme::{SliceColor, Tokens, mix};

/// One systolic array at work: a function of the cycle.
pub struct Systolic<'a> {
    /// What is shown, for the accessible description, such as "MXU 0, up and gate".
    pub name: &'a str,
    /// Rows and columns of cells, at most 256 each.
    pub size: [usize; 2],
    /// Cycles that pass in all, at least 1.
    pub cycles: u64,
    /// What a cell does: called with cycle, row and column.
    pub cell: &'a dyn Fn(u64, usize, usize) -> Cell,
    /// Whether something passes an edge: called with cycle, edge and the number of the row or column.
    pub passes: &'a dyn Fn(u64, Edge, usize) -> bool,
    /// What streams in from the left, comes down from above, and leaves below, such as "activations".
    pub edges: [&'a str; 3],
    /// Phases in order; the first begins at cycle 0.
    pub phases: &'a [Phase],
    /// Number of folds: times that the array is filled anew.
    pub folds: u64,
    /// No motion is wanted: there is no playing, only stills at the beginning of phases and cycle by cycle.
    pub reduced_motion: bool,
    /// Changes whenever the functions answer otherwise.
    pub revision: u64,
}

/// A part of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Such as "load weights" or "stream".
    pub name: String,
    /// Its first cycle.
    pub from: u64,
    /// Which fold it belongs to, from 0.
    pub fold: u64,
}

/// What a cell does in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cell {
    /// It holds nothing.
    Empty,
    /// A weight is on its way through it.
    Loading,
    /// It holds a weight and waits.
    Loaded,
    /// It multiplies and adds.
    Busy,
    /// The tile does not reach it: it never works in this fold.
    Unused,
}

impl Cell {
    /// Every state, in the order of the legend.
    pub const ALL: [Self; 5] = [Self::Busy, Self::Loaded, Self::Loading, Self::Empty, Self::Unused];

    /// The word in legend and readout.
    pub fn word(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Loading => "loading",
            Self::Loaded => "waiting",
            Self::Busy => "busy",
            Self::Unused => "outside the tile",
        }
    }

    pub(super) fn color(self, tokens: &Tokens) -> Color32 {
        let matmul = SliceColor::nth(0);
        match self {
            Self::Empty => tokens.bg3,
            Self::Loading => SliceColor::nth(2).fill,
            Self::Loaded => mix(matmul.fill, tokens.bg0, if tokens.dark { 0.58 } else { 0.62 }),
            Self::Busy => {
                if tokens.dark {
                    mix(matmul.fill, Color32::WHITE, 0.3)
                } else {
                    matmul.fill
                }
            }
            Self::Unused => tokens.bg0,
        }
    }
}

/// An edge of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edge {
    /// What streams into a row.
    Left,
    /// What comes down into a column.
    Top,
    /// What leaves a column.
    Bottom,
}

/// Where the run stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct SystolicState {
    /// The cycle that is shown, from 0.
    pub cycle: u64,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// How fast: number of an entry of [`SPEEDS`].
    pub speed: usize,
    /// Part of a cycle that has passed since the last whole one, in cycles.
    pub passed: f32,
}

/// Cycles per second of playing, from slow to fast.
pub const SPEEDS: [f32; 4] = [8.0, 30.0, 240.0, 2000.0];

impl SystolicState {
    /// Goes to a cycle of a run and stops playing.
    pub(super) fn go(&mut self, cycle: u64, cycles: u64) {
        *self = Self { cycle: cycle.min(cycles.saturating_sub(1)), playing: false, passed: 0.0, ..*self };
    }

    /// Lets time pass, in seconds; playing ends with the last cycle.
    pub(super) fn pass(&mut self, seconds: f32, cycles: u64) {
        if !self.playing {
            return;
        }
        let speed = SPEEDS[self.speed.min(SPEEDS.len() - 1)];
        let passed = self.passed + seconds * speed;
        let last = cycles.saturating_sub(1);
        self.cycle = self.cycle.saturating_add(passed as u64).min(last);
        self.passed = passed.fract();
        self.playing = self.cycle < last;
    }
}

impl Systolic<'_> {
    /// Number of the phase at a cycle.
    pub(super) fn phase(&self, cycle: u64) -> Option<usize> {
        self.phases.partition_point(|phase| phase.from <= cycle).checked_sub(1)
    }
}

/// What happened to the picture in this frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SystolicOutput {
    /// Row and column under the pointer.
    pub hovered: Option<[usize; 2]>,
    /// Row and column that were clicked.
    pub clicked: Option<[usize; 2]>,
    /// Whether the cycle was set by hand: a button, a key or the track.
    pub moved: bool,
}
