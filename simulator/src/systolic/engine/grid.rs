//! The registers of the cells.

use std::ops::{Add, Mul, Range};

use super::Operands;
use crate::array::Dataflow;
use crate::systolic::schedule::{Fold, Schedule};

/// What a register holds.
pub(in crate::systolic) trait Number:
    Copy + Default + Add<Output = Self> + Mul<Output = Self> + Into<f64>
{
    /// An operand, which the type holds exactly.
    fn of(operand: f32) -> Self;
}

impl Number for f32 {
    fn of(operand: f32) -> Self {
        operand
    }
}

impl Number for i32 {
    fn of(operand: f32) -> Self {
        operand as Self
    }
}

/// One fold on its way through the array.
pub(in crate::systolic) struct Wave<T> {
    on_rows: Range<usize>,
    on_cols: Range<usize>,
    /// Cycles since its first operand entered.
    age: u64,
    /// The element that stays in each cell, row by row; zeros where the fold does not use the cell.
    stays: Vec<T>,
}

impl<T> Wave<T> {
    pub(super) const fn age(&self) -> u64 {
        self.age
    }
}

/// The cells' registers, row by row, and the accumulators.
pub(in crate::systolic) struct Grid<T> {
    dataflow: Dataflow,
    operands: Operands<T>,
    rows: usize,
    cols: usize,
    streamed: usize,
    entering: usize,
    /// The operand that moves east.
    pub(in crate::systolic) east: Vec<T>,
    /// The operand that moves south (output-stationary only).
    south: Vec<T>,
    /// The sum, which moves south or stays.
    pub(in crate::systolic) sums: Vec<T>,
    /// The accumulators, row by row of the result.
    pub(in crate::systolic) result: Vec<T>,
}

impl<T: Number> Grid<T> {
    pub(super) fn new(schedule: &Schedule, operands: Operands<T>) -> Self {
        let (rows, cols) = (schedule.array().rows() as usize, schedule.array().cols() as usize);
        let cells = vec![T::default(); rows * cols];
        let is_os = schedule.dataflow() == Dataflow::Os;
        let result = vec![T::default(); (operands.matmul.m() * operands.matmul.n()) as usize];
        Self {
            dataflow: schedule.dataflow(),
            operands,
            rows,
            cols,
            streamed: schedule.streamed() as usize,
            entering: schedule.entering() as usize,
            east: cells.clone(),
            south: if is_os { cells.clone() } else { Vec::new() },
            sums: cells,
            result,
        }
    }

    /// A fold before it enters, with nothing loaded.
    pub(super) fn wave(&self, fold: Fold) -> Wave<T> {
        let range = |range: Range<u64>| range.start as usize..range.end as usize;
        let cells = if self.dataflow == Dataflow::Os { 0 } else { self.rows * self.cols };
        Wave { on_rows: range(fold.on_rows), on_cols: range(fold.on_cols), age: 0, stays: vec![T::default(); cells] }
    }

    /// Brings the elements that stay in one row to their places.
    pub(super) fn load_row(&self, wave: &mut Wave<T>, row: usize) {
        let k = wave.on_rows.start + row;
        if k >= wave.on_rows.end {
            return;
        }
        let stays = &mut wave.stays[row * self.cols..(row + 1) * self.cols];
        for (stays, on_col) in stays.iter_mut().zip(wave.on_cols.clone()) {
            *stays = if self.dataflow == Dataflow::Ws { self.right(k, on_col) } else { self.left(on_col, k) };
        }
    }

    /// Whether the last operand of a fold has left the last row, which is the last to be left.
    pub(super) fn has_left(&self, wave: &Wave<T>) -> bool {
        wave.age as usize >= self.rows && self.span(wave, self.rows - 1).is_none()
    }

    /// One cycle of one fold. Older folds go first, and rows from the south, so that what a cell reads is what its
    /// neighbour held a cycle ago.
    pub(super) fn step(&mut self, wave: &mut Wave<T>) {
        for row in (0..self.rows).rev() {
            let Some(span) = self.span(wave, row) else { continue };
            self.move_east(wave, row, &span);
            if self.dataflow == Dataflow::Os {
                self.add_in_place(wave, row, &span);
            } else {
                self.add_on_the_way(wave, row, &span);
            }
        }
        wave.age += 1;
    }

    /// The cells of a row that hold an operand of the fold in this cycle.
    fn span(&self, wave: &Wave<T>, row: usize) -> Option<Range<usize>> {
        // Element t is at column `first − t`.
        let first = (wave.age as usize).checked_sub(row)?;
        let span = (first + 1).saturating_sub(self.entering)..(first + 1).min(self.cols);
        (!span.is_empty()).then_some(span)
    }

    fn move_east(&mut self, wave: &Wave<T>, row: usize, span: &Range<usize>) {
        let cells = row * self.cols;
        if span.start > 0 {
            self.east.copy_within(cells + span.start - 1..cells + span.end - 1, cells + span.start);
            return;
        }
        self.east.copy_within(cells..cells + span.end - 1, cells + 1);
        let (element, on_row) = (wave.age as usize - row, wave.on_rows.start + row);
        let is_padding = element >= self.streamed || on_row >= wave.on_rows.end;
        self.east[cells] = match self.dataflow {
            _ if is_padding => T::default(),
            Dataflow::Ws => self.left(element, on_row),
            Dataflow::Os => self.left(on_row, element),
            Dataflow::Is => self.right(on_row, element),
        };
    }

    /// Sums move south: the one from above, plus the product; below the last row they are accumulated.
    fn add_on_the_way(&mut self, wave: &Wave<T>, row: usize, span: &Range<usize>) {
        let cells = row * self.cols + span.start..row * self.cols + span.end;
        let products = wave.stays[cells.clone()].iter().zip(&self.east[cells.clone()]).map(|(a, b)| *a * *b);
        let (above, here) = self.sums.split_at_mut(row * self.cols);
        let here = &mut here[span.clone()];
        if row == 0 {
            here.iter_mut().zip(products).for_each(|(sum, product)| *sum = T::default() + product);
        } else {
            let above = &above[cells.start - self.cols..cells.end - self.cols];
            here.iter_mut().zip(above).zip(products).for_each(|((sum, above), product)| *sum = *above + product);
        }
        if row + 1 == self.rows {
            self.accumulate(wave, span);
        }
    }

    fn accumulate(&mut self, wave: &Wave<T>, span: &Range<usize>) {
        let last = (self.rows - 1) * self.cols;
        let first = wave.age as usize + 1 - self.rows;
        for col in span.clone() {
            let (element, on_col) = (first - col, wave.on_cols.start + col);
            if element >= self.streamed || on_col >= wave.on_cols.end {
                continue;
            }
            let (m, n) = if self.dataflow == Dataflow::Ws { (element, on_col) } else { (on_col, element) };
            let sum = &mut self.result[m * self.operands.matmul.n() as usize + n];
            *sum = *sum + self.sums[last + col];
        }
    }

    /// Sums stay: a cell starts at zero with the first element and gives its sum away after the last.
    fn add_in_place(&mut self, wave: &Wave<T>, row: usize, span: &Range<usize>) {
        let first = wave.age as usize - row;
        let cells = row * self.cols + span.start..row * self.cols + span.end;
        if row == 0 {
            for col in span.clone() {
                let (k, n) = (first - col, wave.on_cols.start + col);
                let is_padding = k >= self.streamed || n >= wave.on_cols.end;
                self.south[col] = if is_padding { T::default() } else { self.right(k, n) };
            }
        } else {
            self.south.copy_within(cells.start - self.cols..cells.end - self.cols, cells.start);
        }
        if first < self.cols {
            self.sums[row * self.cols + first] = T::default();
        }
        let products = self.east[cells.clone()].iter().zip(&self.south[cells.clone()]).map(|(a, b)| *a * *b);
        self.sums[cells.clone()].iter_mut().zip(products).for_each(|(sum, product)| *sum = *sum + product);
        let (m, n) = (wave.on_rows.start + row, wave.on_cols.start + span.start);
        let is_last = first + 1 >= self.entering && m < wave.on_rows.end && n < wave.on_cols.end;
        if is_last {
            self.result[m * self.operands.matmul.n() as usize + n] = self.sums[cells.start];
        }
    }

    fn left(&self, m: usize, k: usize) -> T {
        self.operands.left[m * self.operands.matmul.k() as usize + k]
    }

    fn right(&self, k: usize, n: usize) -> T {
        self.operands.right[k * self.operands.matmul.n() as usize + n]
    }
}
