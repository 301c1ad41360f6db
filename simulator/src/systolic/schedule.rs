//! When which fold is where.

use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::array::{Array, Dataflow};
use crate::matmul::Matmul;

/// How the elements that stay come into the cells. An output-stationary array loads nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loading {
    /// R cycles before each fold, while the array is empty, as `SCALE-Sim` counts it.
    BeforeEachFold,
    /// Behind the wavefront, into a second register of each cell; the array takes moving operands in groups of eight.
    DoubleBuffered,
}

/// A text that names no way of loading.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is no way of loading; write before-each-fold or double-buffered")]
pub struct BadLoading {
    /// The text, shortened where it is long.
    pub text: String,
}

impl Loading {
    /// "before-each-fold" or "double-buffered".
    pub const fn name(self) -> &'static str {
        match self {
            Self::BeforeEachFold => "before-each-fold",
            Self::DoubleBuffered => "double-buffered",
        }
    }
}

impl FromStr for Loading {
    type Err = BadLoading;

    fn from_str(text: &str) -> Result<Self, BadLoading> {
        [Self::BeforeEachFold, Self::DoubleBuffered]
            .into_iter()
            .find(|loading| loading.name() == text.trim())
            .ok_or_else(|| BadLoading { text: text.chars().take(40).collect() })
    }
}

/// Moving operands that one instruction of a TPU's matrix unit takes in, in eight cycles.
const GROUP: u64 = 8;

/// One product on one array: which fold enters when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Schedule {
    array: Array,
    dataflow: Dataflow,
    loading: Loading,
    on_rows: u64,
    on_cols: u64,
    streamed: u64,
}

/// One filling of the array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fold {
    /// Which one, from 0.
    pub index: u64,
    /// What lies on the rows of the array: elements of K (ws, is) or M (os).
    pub on_rows: Range<u64>,
    /// What lies on the columns: elements of N (ws, os) or M (is).
    pub on_cols: Range<u64>,
    /// The cycle in which its first moving operand enters.
    pub enters_at: u64,
}

impl Schedule {
    /// The schedule of a product.
    pub fn new(array: Array, dataflow: Dataflow, loading: Loading, matmul: &Matmul) -> Self {
        let [on_rows, on_cols, streamed] = dataflow.place(matmul);
        Self { array, dataflow, loading, on_rows, on_cols, streamed }
    }

    /// The array.
    pub const fn array(&self) -> Array {
        self.array
    }

    /// What stays in the cells.
    pub const fn dataflow(&self) -> Dataflow {
        self.dataflow
    }

    /// How the elements that stay come into the cells.
    pub const fn loading(&self) -> Loading {
        self.loading
    }

    /// Elements that stream through in each fold.
    pub const fn streamed(&self) -> u64 {
        self.streamed
    }

    /// Folds along the rows.
    pub const fn row_folds(&self) -> u64 {
        self.on_rows.div_ceil(self.array.rows())
    }

    /// Folds along the columns.
    pub const fn col_folds(&self) -> u64 {
        self.on_cols.div_ceil(self.array.cols())
    }

    /// All folds.
    pub const fn folds(&self) -> u64 {
        self.row_folds() * self.col_folds()
    }

    /// Cycles of one load: R, or none where nothing stays.
    pub fn load_cycles(&self) -> u64 {
        if self.dataflow == Dataflow::Os { 0 } else { self.array.rows() }
    }

    /// Moving operands that enter each row in a fold, padding included.
    pub fn entering(&self) -> u64 {
        match self.loading {
            Loading::BeforeEachFold => self.streamed,
            Loading::DoubleBuffered => self.streamed.next_multiple_of(GROUP),
        }
    }

    /// Cycles from one fold's first operand to the next fold's.
    ///
    /// Before each fold: R + T + R + C − 2 (os: T + R + C − 2). Double buffered: the longer of the stream, rounded up
    /// to eight, and the load of R rows; where nothing stays there is nothing to wait for but the stream.
    pub fn period(&self) -> u64 {
        match self.loading {
            Loading::BeforeEachFold => self.load_cycles() + self.pass_cycles(),
            Loading::DoubleBuffered => self.entering().max(self.load_cycles()),
        }
    }

    /// Cycles from a fold's first operand until its last one has left the far corner.
    pub fn pass_cycles(&self) -> u64 {
        self.entering() + self.array.rows() + self.array.cols() - 2
    }

    /// Cycles that pass until the array is empty.
    ///
    /// One load, folds − 1 periods and one pass. With [`Loading::BeforeEachFold`] that is one more than
    /// [`crate::array::run`] reports, which follows `SCALE-Sim` and gives the index of the last cycle.
    pub fn cycles(&self) -> u64 {
        self.load_cycles() + (self.folds() - 1) * self.period() + self.pass_cycles()
    }

    /// Fold number `index`, folds along the rows first; `None` beyond the last.
    pub fn fold(&self, index: u64) -> Option<Fold> {
        if index >= self.folds() {
            return None;
        }
        let part = |part: u64, size: u64, whole: u64| part * size..((part + 1) * size).min(whole);
        Some(Fold {
            index,
            on_rows: part(index % self.row_folds(), self.array.rows(), self.on_rows),
            on_cols: part(index / self.row_folds(), self.array.cols(), self.on_cols),
            enters_at: self.load_cycles() + index * self.period(),
        })
    }

    /// The fold and streamed element that a cell holds in a cycle; padding has elements from [`Self::streamed`] on.
    pub(super) fn token(&self, cycle: u64, row: u64, col: u64) -> Option<(u64, u64)> {
        let since = cycle.checked_sub(self.load_cycles() + row + col)?;
        let (fold, element) = (since / self.period(), since % self.period());
        (fold < self.folds() && element < self.entering()).then_some((fold, element))
    }
}
