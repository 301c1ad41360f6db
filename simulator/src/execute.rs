//! Really does a matrix product, tile by tile as a systolic array does, and checks the result.
//!
//! For each fold of a weight- or input-stationary array the other operand streams through: a partial sum starts at
//! zero, collects one product per array row in order, and is added to the accumulator of its element. Which of the two
//! operands stays does not change a sum. In an output-stationary array the sum stays in its cell and collects all K
//! products in order. Only the sums are done here, in the order of the array; [`crate::systolic`] moves every operand.
//! Sums are binary32; with int8 and int4 operands a partial sum is a whole number that binary32 holds exactly and the
//! accumulator is a 32-bit integer, so the result is exact. Operands are seeded: uniform in [−1, 1) rounded to the
//! number format, or whole numbers from −127 to 127 (int4: −7 to 7).
//!
//! The rounding error of an element is at most `γ·Σ|a·b|` with `γ = n·u/(1 − n·u)`, u = 2⁻²⁴ and n the roundings on
//! the longest path: one per array row, one per row tile (one per product if the sum stays), and one for the product itself with f32 operands (products
//! of the narrower formats are exact). Source: Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.

use std::collections::BTreeSet;

use half::bf16;
use serde::Serialize;

use crate::array::{Array, ArrayRun, Dataflow, run};
use crate::cancel::Cancel;
use crate::dtype::Dtype;
use crate::fp8;
use crate::matmul::Matmul;
use crate::seed::Stream;

/// What doing the product showed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Execution {
    /// Elements of the result that were compared with a plain product in binary64.
    pub checked_elements: u64,
    /// Whether these are all elements.
    pub checked_all: bool,
    /// Largest difference.
    pub max_abs_error: f64,
    /// Largest difference divided by `Σ|a·b|` of its element, the scale on which rounding acts.
    pub max_rel_error: f64,
    /// γ: what `max_rel_error` cannot exceed if the array works right; 0 for int8 and int4.
    pub rel_error_bound: f64,
    /// Whether every checked element lies within its bound.
    pub within_bound: bool,
    /// The array that did it, by its model.
    pub array: ArrayRun,
}

/// Why a product was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExecuteError {
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// It would take too long.
    #[error("{macs} multiply-adds are too many to execute; at most {max}", max = MAX_MACS)]
    TooManyMacs {
        /// How many it has.
        macs: u64,
    },
    /// It would take too long, because the array is small for the product.
    #[error(
        "{passes} passes of a row through a fold (folds times M) are too many to execute; at most {max}",
        max = MAX_ROW_PASSES
    )]
    TooManyRowPasses {
        /// How many it has.
        passes: u64,
    },
    /// The array is so wide and flat that it would take minutes.
    #[error(
        "{panels} passes of a row through a panel of {PANEL} columns are too many to execute; at most {max}",
        max = MAX_PANEL_PASSES
    )]
    TooManyPanelPasses {
        /// How many it has.
        panels: u64,
    },
    /// Moving every operand would take too long.
    #[error("moving the operands takes {steps} steps of cells and rows, too many to execute; at most {max}")]
    TooManySteps {
        /// How many it takes.
        steps: u64,
        /// How many are possible.
        max: u64,
    },
    /// It would take too much memory.
    #[error("the matrices have {elements} elements together, too many to execute; at most {max}", max = MAX_ELEMENTS)]
    TooManyElements {
        /// How many, with padding.
        elements: u64,
    },
    /// Accumulators of 32 bits could overflow.
    #[error("with {dtype}, K is at most {max}, so that sums fit in 32 bits; here it is {k}")]
    Overflow {
        /// Number format.
        dtype: Dtype,
        /// Largest possible K.
        max: u64,
        /// The summed dimension.
        k: u64,
    },
}

/// About a minute on one core.
const MAX_MACS: u64 = 1 << 39;
/// About a minute on one core, at 4.5e7 a second: a pass costs so much however small the array is.
const MAX_ROW_PASSES: u64 = 2_500_000_000;
/// About a minute on one core, at 1.25e8 a second: a flat array of 1x128 took 68 s for 8.6e9 (4096³, bf16).
const MAX_PANEL_PASSES: u64 = 7_500_000_000;
/// Columns of a tile where the dataflow gives none.
const PANEL_TILE: u64 = 128;
/// One gibibyte of binary32 numbers.
const MAX_ELEMENTS: u64 = 1 << 28;
/// Array rows whose int8 products sum exactly in binary32: 127² · 1024 < 2²⁴.
const EXACT_ROWS: u64 = 1024;
/// Multiply-adds up to which every element is checked.
const CHECK_ALL_MACS: u64 = 1 << 28;
/// Multiply-adds between two looks at the wish to stop and two words of progress; far less than a second.
const PART_MACS: usize = 1 << 28;
/// Multiply-adds that a sample may cost.
const SAMPLE_MACS: u64 = 1 << 27;
/// Rows and columns that the inner loop works on at once.
const STRIP: usize = 4;
const PANEL: usize = 8;

/// Executes the product through an array. `progress` is told the share done, from 0 to 1.
///
/// # Errors
/// If it was cancelled or is too large.
pub fn execute(
    matmul: &Matmul,
    (array, dataflow): (Array, Dataflow),
    seed: u64,
    cancel: &Cancel,
    progress: &mut dyn FnMut(f64),
) -> Result<Execution, ExecuteError> {
    let operands = Operands::new(matmul, (array, dataflow), seed)?;
    let (result, n) = match matmul.dtype() {
        Dtype::Int8 | Dtype::Int4 => (Sums::Exact(multiply::<i32>(&operands, cancel, progress)?), 0),
        Dtype::Bf16 | Dtype::Fp8 => {
            (Sums::Rounded(multiply::<f32>(&operands, cancel, progress)?), operands.roundings())
        }
        Dtype::F32 => (Sums::Rounded(multiply::<f32>(&operands, cancel, progress)?), operands.roundings() + 1),
    };
    let nu = n as f64 * f64::from(f32::EPSILON / 2.0);
    let bound = nu / (1.0 - nu);
    let mut found = Execution {
        checked_elements: 0,
        checked_all: matmul.macs() <= CHECK_ALL_MACS,
        max_abs_error: 0.0,
        max_rel_error: 0.0,
        rel_error_bound: bound,
        within_bound: true,
        array: run(array, dataflow, matmul),
    };
    if found.checked_all {
        for i in 0..operands.m {
            stop(cancel)?;
            (0..operands.n).for_each(|j| found.check(&operands, &result, i, j));
        }
    } else {
        for (i, j) in operands.sample(seed) {
            found.check(&operands, &result, i, j);
        }
    }
    progress(1.0);
    Ok(found)
}

fn stop(cancel: &Cancel) -> Result<(), ExecuteError> {
    if cancel.is_set() { Err(ExecuteError::Cancelled) } else { Ok(()) }
}

impl Execution {
    fn check(&mut self, operands: &Operands, result: &Sums, i: usize, j: usize) {
        let (mut exact, mut scale) = (0.0f64, 0.0f64);
        for k in 0..operands.k {
            let product = f64::from(operands.left(i, k)) * f64::from(operands.right(k, j));
            exact += product;
            scale += product.abs();
        }
        let error = (result.get(i * operands.n + j) - exact).abs();
        let relative = if scale > 0.0 { error / scale } else { 0.0 };
        self.checked_elements += 1;
        self.max_abs_error = self.max_abs_error.max(error);
        self.max_rel_error = self.max_rel_error.max(relative);
        self.within_bound &= relative <= self.rel_error_bound;
    }
}

/// Both matrices in the order in which the inner loop reads them.
struct Operands {
    m: usize,
    k: usize,
    n: usize,
    rows: usize,
    cols: usize,
    /// Strips of four rows of the left matrix, each with all K.
    strips: Vec<[f32; STRIP]>,
    /// Panels of eight columns of a column tile of the right matrix, each with all K; padded with zeros.
    panels: Vec<[f32; PANEL]>,
    panels_per_tile: usize,
}

impl Operands {
    fn new(matmul: &Matmul, (array, dataflow): (Array, Dataflow), seed: u64) -> Result<Self, ExecuteError> {
        if matmul.macs() > MAX_MACS {
            return Err(ExecuteError::TooManyMacs { macs: matmul.macs() });
        }
        check_overflow(matmul)?;
        let (cols, depth) = match dataflow {
            Dataflow::Ws => (array.cols(), array.rows()),
            Dataflow::Os => (array.cols(), matmul.k()),
            // The columns hold rows of the result; the order of a sum is that of ws, so columns of ws may stand in.
            Dataflow::Is => (matmul.n().min(PANEL_TILE), array.rows()),
        };
        let cols = cols.min(matmul.n());
        let rows = depth.min(if matmul.dtype().largest_integer().is_some() { EXACT_ROWS } else { u64::MAX });
        // No overflow: there are at most as many as multiply-adds.
        let passes = matmul.n().div_ceil(cols) * matmul.k().div_ceil(rows) * matmul.m();
        if passes > MAX_ROW_PASSES {
            return Err(ExecuteError::TooManyRowPasses { passes });
        }
        let panel_passes = passes * cols.div_ceil(PANEL as u64);
        if panel_passes > MAX_PANEL_PASSES {
            return Err(ExecuteError::TooManyPanelPasses { panels: panel_passes });
        }
        let panels = matmul.n().div_ceil(cols) * cols.div_ceil(PANEL as u64);
        let strips = matmul.m().div_ceil(STRIP as u64);
        let elements = (strips * STRIP as u64 + panels * PANEL as u64) * matmul.k() + matmul.m() * matmul.n();
        if elements > MAX_ELEMENTS {
            return Err(ExecuteError::TooManyElements { elements });
        }
        let [m, k, n] = [matmul.m(), matmul.k(), matmul.n()].map(|size| size as usize);
        let mut operands = Self {
            m,
            k,
            n,
            rows: rows as usize,
            cols: cols as usize,
            strips: vec![[0.0; STRIP]; strips as usize * k],
            panels: vec![[0.0; PANEL]; panels as usize * k],
            panels_per_tile: cols.div_ceil(PANEL as u64) as usize,
        };
        operands.fill(matmul.dtype(), Stream::new(seed));
        Ok(operands)
    }

    /// Element (i, k) of the left matrix is number `i·K + k` of stream 1, element (k, j) of the right one number
    /// `k·N + j` of stream 2.
    fn fill(&mut self, dtype: Dtype, seed: Stream) {
        let (left, right) = (seed.child(1), seed.child(2));
        for i in 0..self.m {
            for k in 0..self.k {
                self.strips[i / STRIP * self.k + k][i % STRIP] = operand(dtype, left, i * self.k + k);
            }
        }
        for j in 0..self.n {
            let (panel, lane) = self.panel_of(j);
            for k in 0..self.k {
                self.panels[panel * self.k + k][lane] = operand(dtype, right, k * self.n + j);
            }
        }
    }

    const fn panel_of(&self, j: usize) -> (usize, usize) {
        let in_tile = j % self.cols;
        (j / self.cols * self.panels_per_tile + in_tile / PANEL, in_tile % PANEL)
    }

    fn left(&self, i: usize, k: usize) -> f32 {
        self.strips[i / STRIP * self.k + k][i % STRIP]
    }

    fn right(&self, k: usize, j: usize) -> f32 {
        let (panel, lane) = self.panel_of(j);
        self.panels[panel * self.k + k][lane]
    }

    /// Roundings of sums on the longest path: array rows, then row tiles.
    fn roundings(&self) -> usize {
        self.rows.min(self.k) + self.k.div_ceil(self.rows)
    }

    /// The corners and seeded other elements, each once.
    fn sample(&self, seed: u64) -> BTreeSet<(usize, usize)> {
        let corners = [(0, 0), (0, self.n - 1), (self.m - 1, 0), (self.m - 1, self.n - 1)];
        let stream = Stream::new(seed).child(3);
        let count = SAMPLE_MACS / self.k as u64;
        let place = |i| (stream.below(2 * i, self.m as u64) as usize, stream.below(2 * i + 1, self.n as u64) as usize);
        corners.into_iter().chain((0..count).map(place)).collect()
    }
}

/// Refuses whole numbers whose sum could overflow an accumulator.
pub(crate) fn check_overflow(matmul: &Matmul) -> Result<(), ExecuteError> {
    let Some(largest) = matmul.dtype().largest_integer() else { return Ok(()) };
    let max = (1 << 31) / (largest * largest) - 1;
    if matmul.k() <= max { Ok(()) } else { Err(ExecuteError::Overflow { dtype: matmul.dtype(), max, k: matmul.k() }) }
}

/// One seeded number, exactly representable in the format.
pub(crate) fn operand(dtype: Dtype, stream: Stream, index: usize) -> f32 {
    let index = index as u64;
    let whole = |largest: u64| stream.below(index, 2 * largest + 1) as f32 - largest as f32;
    match dtype {
        Dtype::Int8 => whole(127),
        Dtype::Int4 => whole(7),
        Dtype::F32 => uniform(stream, index),
        Dtype::Bf16 => bf16::from_f32(uniform(stream, index)).to_f32(),
        Dtype::Fp8 => fp8::decode(fp8::encode(uniform(stream, index))),
    }
}

/// A multiple of 2⁻²³ in [−1, 1).
fn uniform(stream: Stream, index: u64) -> f32 {
    (stream.bits(index) >> 40) as f32 / (1u32 << 23) as f32 - 1.0
}

/// The result.
enum Sums {
    Rounded(Vec<f32>),
    Exact(Vec<i32>),
}

impl Sums {
    fn get(&self, index: usize) -> f64 {
        match self {
            Self::Rounded(sums) => f64::from(sums[index]),
            Self::Exact(sums) => f64::from(sums[index]),
        }
    }
}

/// An accumulator below the array.
trait Accumulator: Copy + Default {
    /// With a partial sum added.
    fn plus(self, partial: f32) -> Self;
}

impl Accumulator for f32 {
    fn plus(self, partial: f32) -> Self {
        self + partial
    }
}

impl Accumulator for i32 {
    fn plus(self, partial: f32) -> Self {
        self + partial as Self
    }
}

/// The whole product, tile by tile; row-major.
fn multiply<T: Accumulator>(
    operands: &Operands,
    cancel: &Cancel,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<T>, ExecuteError> {
    let mut result = vec![T::default(); operands.m * operands.n];
    let (col_tiles, row_tiles) = (operands.n.div_ceil(operands.cols), operands.k.div_ceil(operands.rows));
    let tile_macs = operands.rows.min(operands.k) * operands.cols;
    let strips = (PART_MACS / (STRIP * tile_macs)).max(1);
    let parts = operands.m.div_ceil(STRIP * strips);
    let mut done = 0usize;
    for col_tile in 0..col_tiles {
        for row_tile in 0..row_tiles {
            for (part, rows) in result.chunks_mut(strips * STRIP * operands.n).enumerate() {
                stop(cancel)?;
                progress(done as f64 / (col_tiles * row_tiles * parts) as f64);
                done += 1;
                tile(operands, (col_tile, row_tile), part * strips, rows);
            }
        }
    }
    Ok(result)
}

/// One fold: rows of the left matrix, from a strip on, through one tile of weights into their rows of the result.
fn tile<T: Accumulator>(
    operands: &Operands,
    (col_tile, row_tile): (usize, usize),
    first_strip: usize,
    result: &mut [T],
) {
    let depth = operands.k;
    let from = row_tile * operands.rows;
    let to = (from + operands.rows).min(depth);
    let first_col = col_tile * operands.cols;
    let last_col = (first_col + operands.cols).min(operands.n);
    for (strip, rows) in result.chunks_mut(STRIP * operands.n).enumerate() {
        let start = (first_strip + strip) * depth;
        let left = &operands.strips[start + from..start + to];
        for panel in 0..(last_col - first_col).div_ceil(PANEL) {
            let place = (col_tile * operands.panels_per_tile + panel) * depth;
            let partial = partial_sums(left, &operands.panels[place + from..place + to]);
            let col = first_col + panel * PANEL;
            for (row, sums) in rows.chunks_exact_mut(operands.n).zip(&partial) {
                let end = (col + PANEL).min(last_col);
                row[col..end].iter_mut().zip(sums).for_each(|(sum, partial)| *sum = sum.plus(*partial));
            }
        }
    }
}

/// Four rows by eight columns of partial sums, products added in the order of the array's rows.
fn partial_sums(left: &[[f32; STRIP]], right: &[[f32; PANEL]]) -> [[f32; PANEL]; STRIP] {
    let mut sums = [[0.0f32; PANEL]; STRIP];
    for (a, b) in left.iter().zip(right) {
        for (sums, a) in sums.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum += a * b;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests;
