//! The slow twin: every cell with its own registers, every cycle, fed by edges that know nothing of the schedule.

use super::schedule::{Fold, Loading, Schedule};
use crate::array::Dataflow;
use crate::systolic::engine::Operands;

/// A moving operand; padding has no value.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) fold: u64,
    element: u64,
    pub(super) value: Option<f32>,
}

/// The registers of a cell.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    pub(super) east: Option<Token>,
    south: Option<Token>,
    pub(super) sum: f32,
    stays: Option<f32>,
    /// Loaded for which fold, and what.
    shadow: Option<(u64, Option<f32>)>,
}

impl Cell {
    /// Whether both factors are elements of the product.
    pub(super) fn is_busy(&self) -> bool {
        let other = self.south.map_or(self.stays, |south| south.value);
        self.east.is_some_and(|east| east.value.is_some()) && other.is_some()
    }
}

/// The array with the feeders of its edges: which fold each one feeds and how far it is.
pub(super) struct Cells {
    schedule: Schedule,
    operands: Operands<f32>,
    pub(super) grid: Vec<Vec<Cell>>,
    west: Vec<Option<(u64, u64)>>,
    north: Vec<Option<(u64, u64)>>,
    loaders: Vec<Option<(u64, u64)>>,
    next: u64,
    /// Cycles since the load of the next fold began; `None` before it does.
    loading: Option<u64>,
    pub(super) result: Vec<f32>,
    pub(super) cycles: u64,
}

impl Cells {
    pub(super) fn new(schedule: Schedule, operands: Operands<f32>) -> Self {
        let (rows, cols) = (schedule.array().rows() as usize, schedule.array().cols() as usize);
        let result = vec![0.0; (operands.matmul.m() * operands.matmul.n()) as usize];
        Self {
            schedule,
            operands,
            grid: vec![vec![Cell::default(); cols]; rows],
            west: vec![None; rows],
            north: vec![None; cols],
            loaders: vec![None; cols],
            next: 0,
            loading: None,
            result,
            cycles: 0,
        }
    }

    /// Whether the coming cycle finds nothing in the array: no operand steps east and no row is fed.
    fn runs_empty(&self) -> bool {
        let steps_east = self.grid.iter().any(|row| row[..row.len() - 1].iter().any(|cell| cell.east.is_some()));
        let goes_on = self.west.iter().flatten().any(|(_, t)| t + 1 < self.schedule.entering());
        let is_signalled = self.west[..self.west.len() - 1].iter().flatten().any(|(_, t)| *t == 0);
        !(steps_east || goes_on || is_signalled)
    }

    /// A start signal passes from row to row, or column to column, a cycle each.
    fn pass_on(feeders: &mut [Option<(u64, u64)>], begins: Option<u64>, length: u64) {
        for at in (0..feeders.len()).rev() {
            let begins = if at == 0 { begins } else { feeders[at - 1].filter(|(_, t)| *t == 0).map(|(fold, _)| fold) };
            let goes_on = feeders[at].map(|(fold, t)| (fold, t + 1)).filter(|(_, t)| *t < length);
            feeders[at] = begins.map(|fold| (fold, 0)).or(goes_on);
        }
    }

    /// One cycle; `false` if there was nothing left to do.
    pub(super) fn step(&mut self) -> bool {
        let is_os = self.schedule.dataflow() == Dataflow::Os;
        let is_double = self.schedule.loading() == Loading::DoubleBuffered;
        let has_more = self.next < self.schedule.folds();
        let (rows, entering) = (self.schedule.array().rows(), self.schedule.entering());
        let wait = if is_os { 0 } else { rows };
        let is_empty = self.runs_empty();
        if !has_more && is_empty {
            return false;
        }
        if has_more && self.loading.is_none() && (is_double || is_empty) {
            self.loading = Some(0);
        }
        let entrance_is_free = if is_double { self.west[0].is_none_or(|(_, t)| t + 1 >= entering) } else { is_empty };
        let enters = has_more && entrance_is_free && self.loading == Some(wait);
        let enters = enters.then_some(self.next);
        if enters.is_some() {
            self.next += 1;
            self.loading = (is_double && self.next < self.schedule.folds()).then_some(0);
        }
        Self::pass_on(&mut self.west, enters, entering);
        if is_os {
            Self::pass_on(&mut self.north, enters, entering);
        } else {
            let begins = (self.loading == Some(0)).then_some(self.next);
            if is_double {
                Self::pass_on(&mut self.loaders, begins, rows);
            } else {
                for loader in &mut self.loaders {
                    let goes_on = loader.map(|(fold, t)| (fold, t + 1)).filter(|(_, t)| *t < rows);
                    *loader = begins.map(|fold| (fold, 0)).or(goes_on);
                }
            }
        }
        self.loading = self.loading.map(|since| (since + 1).min(wait));
        self.update();
        self.cycles += 1;
        true
    }

    fn update(&mut self) {
        let before = self.grid.clone();
        let (rows, cols) = (before.len(), before[0].len());
        for r in 0..rows {
            for c in 0..cols {
                let mut cell = before[r][c];
                cell.east = if c == 0 { self.west_token(r) } else { before[r][c - 1].east };
                let above = r.checked_sub(1).map(|above| before[above][c]);
                if let Some((fold, t)) = self.loaders[c] {
                    let from_above = above.and_then(|above| above.shadow.filter(|(loaded, _)| *loaded == fold));
                    let enters = (fold, self.staying(fold, rows as u64 - 1 - t, c as u64));
                    cell.shadow = if r == 0 { Some(enters) } else { from_above.or(cell.shadow) };
                }
                self.compute(&mut cell, above, before[r][c].shadow, (r, c));
                self.grid[r][c] = cell;
            }
        }
    }

    fn compute(
        &mut self,
        cell: &mut Cell,
        above: Option<Cell>,
        shadow: Option<(u64, Option<f32>)>,
        (r, c): (usize, usize),
    ) {
        let Some(east) = cell.east else { return };
        let fold = self.schedule.fold(east.fold).unwrap();
        let factor = east.value.unwrap_or(0.0);
        if self.schedule.dataflow() == Dataflow::Os {
            cell.south = above.map_or_else(|| self.north_token(c), |above| above.south);
            let south = cell.south.unwrap();
            assert_eq!((south.fold, south.element), (east.fold, east.element), "operands meet");
            let before = if east.element == 0 { 0.0 } else { cell.sum };
            cell.sum = before + factor * south.value.unwrap_or(0.0);
            let (m, n) = (fold.on_rows.start + r as u64, fold.on_cols.start + c as u64);
            if east.element + 1 == self.schedule.entering() && fold.on_rows.contains(&m) && fold.on_cols.contains(&n) {
                self.result[(m * self.operands.matmul.n() + n) as usize] = cell.sum;
            }
            return;
        }
        if east.element == 0 {
            let (loaded, stays) = shadow.unwrap();
            assert_eq!(loaded, east.fold, "what stays is there in time");
            cell.stays = stays;
        }
        cell.sum = above.map_or(0.0, |above| above.sum) + factor * cell.stays.unwrap_or(0.0);
        let on_col = fold.on_cols.start + c as u64;
        let is_result = east.element < self.schedule.streamed() && fold.on_cols.contains(&on_col);
        if r + 1 == self.grid.len() && is_result {
            let is_ws = self.schedule.dataflow() == Dataflow::Ws;
            let (m, n) = if is_ws { (east.element, on_col) } else { (on_col, east.element) };
            self.result[(m * self.operands.matmul.n() + n) as usize] += cell.sum;
        }
    }

    fn west_token(&self, r: usize) -> Option<Token> {
        let (fold, element) = self.west[r]?;
        let on_row = self.inside(fold, |fold| fold.on_rows, r as u64);
        let value =
            on_row.filter(|_| element < self.schedule.streamed()).map(|on_row| match self.schedule.dataflow() {
                Dataflow::Ws => self.left(element, on_row),
                Dataflow::Os => self.left(on_row, element),
                Dataflow::Is => self.right(on_row, element),
            });
        Some(Token { fold, element, value })
    }

    fn north_token(&self, c: usize) -> Option<Token> {
        let (fold, element) = self.north[c]?;
        let on_col = self.inside(fold, |fold| fold.on_cols, c as u64);
        let value = on_col.filter(|_| element < self.schedule.streamed()).map(|on_col| self.right(element, on_col));
        Some(Token { fold, element, value })
    }

    fn staying(&self, fold: u64, r: u64, c: u64) -> Option<f32> {
        let (k, on_col) = (self.inside(fold, |fold| fold.on_rows, r)?, self.inside(fold, |fold| fold.on_cols, c)?);
        Some(if self.schedule.dataflow() == Dataflow::Ws { self.right(k, on_col) } else { self.left(on_col, k) })
    }

    fn inside(&self, fold: u64, range: impl Fn(Fold) -> std::ops::Range<u64>, offset: u64) -> Option<u64> {
        let range = range(self.schedule.fold(fold).unwrap());
        Some(range.start + offset).filter(|at| range.contains(at))
    }

    fn left(&self, m: u64, k: u64) -> f32 {
        self.operands.left[(m * self.operands.matmul.k() + k) as usize]
    }

    fn right(&self, k: u64, n: u64) -> f32 {
        self.operands.right[(k * self.operands.matmul.n() + n) as usize]
    }
}
