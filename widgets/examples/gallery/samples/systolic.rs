//! Products on systolic arrays that keep their weights.

use egui::Ui;
use widgets::systolic::{Cell, Edge, Phase, Systolic, SystolicState, show};

/// Rows and columns of an array, those that a tile fills, and rows that stream through it.
#[derive(Clone, Copy)]
struct Product {
    size: [usize; 2],
    tile: [usize; 2],
    streamed: u64,
    folds: u64,
}

impl Product {
    fn fold_cycles(self) -> u64 {
        let [rows, columns] = self.size.map(|n| n as u64);
        2 * rows + columns + self.streamed - 2
    }

    /// Cycle within the fold, counted from the first streamed row on.
    fn streaming(self, cycle: u64) -> Option<u64> {
        (cycle % self.fold_cycles()).checked_sub(self.size[0] as u64)
    }

    fn cell(self, cycle: u64, row: usize, column: usize) -> Cell {
        if row >= self.tile[0] || column >= self.tile[1] {
            return Cell::Unused;
        }
        match self.streaming(cycle) {
            None if (cycle % self.fold_cycles()) as usize >= row => Cell::Loading,
            None => Cell::Empty,
            Some(cycle) => {
                let reached = cycle.checked_sub((row + column) as u64);
                if reached.is_some_and(|n| n < self.streamed) { Cell::Busy } else { Cell::Loaded }
            }
        }
    }

    fn passes(self, cycle: u64, edge: Edge, n: usize) -> bool {
        let now = self.streaming(cycle);
        match edge {
            Edge::Top => now.is_none() && n < self.tile[1],
            Edge::Left => {
                now.and_then(|now| now.checked_sub(n as u64)).is_some_and(|n| n < self.streamed) && n < self.tile[0]
            }
            Edge::Bottom => {
                let reached = now.and_then(|now| now.checked_sub((self.size[0] + n) as u64));
                reached.is_some_and(|n| n < self.streamed) && n < self.tile[1]
            }
        }
    }

    fn show(self, ui: &mut Ui, state: &mut SystolicState, reduced_motion: bool) {
        let phases: Vec<Phase> = (0..self.folds)
            .flat_map(|fold| {
                let from = fold * self.fold_cycles();
                let phase = |name: &str, from| Phase { name: name.to_owned(), from, fold };
                [phase("load weights", from), phase("stream", from + self.size[0] as u64)]
            })
            .collect();
        let model = Systolic {
            name: "MXU 0, up and gate",
            size: self.size,
            cycles: self.fold_cycles() * self.folds,
            cell: &|cycle, row, column| self.cell(cycle, row, column),
            passes: &|cycle, edge, n| self.passes(cycle, edge, n),
            edges: ["activations", "weights", "partial sums"],
            phases: &phases,
            folds: self.folds,
            reduced_motion,
            revision: 1,
        };
        show(ui, &model, state);
    }
}

const SMALL: Product = Product { size: [12, 16], tile: [12, 13], streamed: 9, folds: 3 };
const LARGE: Product = Product { size: [256, 256], tile: [256, 256], streamed: 200, folds: 12 };

pub(crate) fn wave(ui: &mut Ui) {
    SMALL.show(ui, &mut SystolicState { cycle: 24, ..SystolicState::default() }, false);
}

pub(crate) fn loading(ui: &mut Ui) {
    SMALL.show(ui, &mut SystolicState { cycle: SMALL.fold_cycles() + 6, ..SystolicState::default() }, true);
}

pub(crate) fn large(ui: &mut Ui) {
    LARGE.show(ui, &mut SystolicState { cycle: LARGE.fold_cycles() * 2 + 500, ..SystolicState::default() }, false);
}
