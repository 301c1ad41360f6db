//! The array in motion, wavefront by wavefront.
//!
//! In each cycle only the cells under a wavefront change, and in one row these are neighbours; so a row's cells are
//! worked off as one stretch. That is the same, register for register, as working off every cell (tested).

mod grid;

use std::collections::VecDeque;

use super::schedule::{Fold, Loading, Schedule};
use crate::cancel::Cancel;
use crate::execute::{ExecuteError, check_overflow, operand};
use crate::matmul::Matmul;
use crate::seed::Stream;

pub(super) use grid::{Grid, Number, Wave};

/// About a minute on one core.
const MAX_STEPS: u64 = 1 << 36;
/// One gibibyte of binary32 numbers.
const MAX_ELEMENTS: u64 = 1 << 28;

/// What moving the operands gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// Cycles that passed until the array was empty, as counted.
    pub cycles: u64,
    /// The result, row by row; every sum is a binary32 number or a 32-bit integer, which binary64 holds exactly.
    pub result: Vec<f64>,
}

/// Both matrices, row by row.
pub(super) struct Operands<T> {
    pub(super) matmul: Matmul,
    pub(super) left: Vec<T>,
    pub(super) right: Vec<T>,
}

impl<T: Number> Operands<T> {
    /// The same numbers as those of [`crate::execute`] for a seed.
    pub(super) fn seeded(matmul: &Matmul, seed: u64) -> Self {
        let seed = Stream::new(seed);
        let matrix = |stream: u64, elements: u64| {
            let stream = seed.child(stream);
            (0..elements as usize).map(|index| T::of(operand(matmul.dtype(), stream, index))).collect()
        };
        Self { matmul: *matmul, left: matrix(1, matmul.m() * matmul.k()), right: matrix(2, matmul.k() * matmul.n()) }
    }
}

/// Moves the seeded operands of a product through the array that a schedule was made for, with the numbers that
/// [`crate::execute::execute`] takes. `progress` is told the share done, from 0 to 1.
///
/// # Errors
/// If it was cancelled or is too large.
pub fn execute(
    (schedule, matmul): (&Schedule, &Matmul),
    seed: u64,
    cancel: &Cancel,
    progress: &mut dyn FnMut(f64),
) -> Result<Done, ExecuteError> {
    check_overflow(matmul)?;
    let array = schedule.array();
    let elements = matmul.m() * matmul.k() + matmul.k() * matmul.n() + matmul.m() * matmul.n();
    if elements > MAX_ELEMENTS {
        return Err(ExecuteError::TooManyElements { elements });
    }
    let cells = array.rows() * array.cols();
    let of_cells = schedule.folds().saturating_mul(schedule.entering()).saturating_mul(cells);
    let steps = of_cells.saturating_add(schedule.cycles().saturating_mul(array.rows()));
    if steps > MAX_STEPS {
        return Err(ExecuteError::TooManySteps { steps, max: MAX_STEPS });
    }
    if matmul.dtype().largest_integer().is_some() {
        run(Engine::<i32>::new(*schedule, Operands::seeded(matmul, seed)), cancel, progress)
    } else {
        run(Engine::<f32>::new(*schedule, Operands::seeded(matmul, seed)), cancel, progress)
    }
}

fn run<T: Number>(mut engine: Engine<T>, cancel: &Cancel, progress: &mut dyn FnMut(f64)) -> Result<Done, ExecuteError> {
    let folds = engine.schedule.folds();
    let mut told = 0;
    while engine.step() {
        if cancel.is_set() {
            return Err(ExecuteError::Cancelled);
        }
        if engine.entered > told {
            told = engine.entered;
            progress((told - 1) as f64 / folds as f64);
        }
    }
    progress(1.0);
    Ok(Done { cycles: engine.cycles, result: engine.grid.result.iter().map(|sum| (*sum).into()).collect() })
}

/// The array, what is inside it, and the control that lets folds in.
pub(super) struct Engine<T> {
    schedule: Schedule,
    pub(super) grid: Grid<T>,
    /// Wavefronts inside, oldest first.
    waves: VecDeque<Wave<T>>,
    /// The fold that is loaded, or waits to enter, and how many of its rows have come.
    next: Option<(Wave<T>, u64)>,
    entered: u64,
    /// Cycles that passed.
    pub(super) cycles: u64,
}

impl<T: Number> Engine<T> {
    pub(super) fn new(schedule: Schedule, operands: Operands<T>) -> Self {
        let grid = Grid::new(&schedule, operands);
        let next = schedule.fold(0).map(|fold| (grid.wave(fold), 0));
        Self { schedule, grid, waves: VecDeque::new(), next, entered: 0, cycles: 0 }
    }

    /// One cycle; `false` if there was nothing left to do.
    pub(super) fn step(&mut self) -> bool {
        self.let_in();
        if self.next.is_none() && self.waves.is_empty() {
            return false;
        }
        self.load();
        for wave in &mut self.waves {
            self.grid.step(wave);
        }
        // The oldest wavefront leaves first.
        if self.waves.front().is_some_and(|wave| self.grid.has_left(wave)) {
            self.waves.pop_front();
        }
        self.cycles += 1;
        true
    }

    /// Lets the next fold in if it is loaded and the entrance is free.
    fn let_in(&mut self) {
        let is_free = match self.schedule.loading() {
            Loading::BeforeEachFold => self.waves.is_empty(),
            Loading::DoubleBuffered => self.waves.back().is_none_or(|wave| wave.age() >= self.schedule.entering()),
        };
        if let Some((wave, _)) = self.next.take_if(|(_, rows)| is_free && *rows == self.schedule.load_cycles()) {
            self.waves.push_back(wave);
            self.entered += 1;
            self.next = self.schedule.fold(self.entered).map(|fold: Fold| (self.grid.wave(fold), 0));
        }
    }

    /// One row of the elements that stay comes in: the one for the bottom first, each pushes the others down.
    fn load(&mut self) {
        let is_free = self.schedule.loading() == Loading::DoubleBuffered || self.waves.is_empty();
        let load_cycles = self.schedule.load_cycles();
        if let Some((wave, rows)) = self.next.as_mut().filter(|(_, rows)| is_free && *rows < load_cycles) {
            *rows += 1;
            self.grid.load_row(wave, (load_cycles - *rows) as usize);
        }
    }
}
