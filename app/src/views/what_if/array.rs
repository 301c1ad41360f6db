//! The systolic array of a chip at work on the local product.

use egui::Ui;
use simulator::array::{Array, Dataflow};
use simulator::matmul::Matmul;
use simulator::systolic::{Loading, Schedule};
use widgets::systolic::{self, Cell, Edge, Phase, Systolic, SystolicState};

/// Folds whose phases are named; later ones are counted only.
const MOST_FOLDS: u64 = 512;

/// A schedule, ready to be drawn in any cycle.
pub(super) struct ArrayAtWork {
    schedule: Schedule,
    phases: Vec<Phase>,
}

impl ArrayAtWork {
    /// Weight stationary with double-buffered weights, as the matrix unit does it.
    pub(super) fn new(array: Array, product: &Matmul) -> Self {
        let schedule = Schedule::new(array, Dataflow::Ws, Loading::DoubleBuffered, product);
        let mut phases = vec![Phase { name: "load weights".to_owned(), from: 0, fold: 0 }];
        let folds = (0..schedule.folds().min(MOST_FOLDS)).filter_map(|index| schedule.fold(index));
        phases.extend(folds.map(|fold| Phase {
            name: format!(
                "stream, K {}–{}, N {}–{}",
                fold.on_rows.start, fold.on_rows.end, fold.on_cols.start, fold.on_cols.end
            ),
            from: fold.enters_at,
            fold: fold.index,
        }));
        Self { schedule, phases }
    }

    /// Draws it with its controls.
    pub(super) fn show(&self, ui: &mut Ui, state: &mut SystolicState, reduced_motion: bool) {
        let schedule = &self.schedule;
        let size = [schedule.array().rows(), schedule.array().cols()].map(|side| side as usize);
        let cell = |cycle: u64, row: usize, col: usize| self.cell(cycle, row as u64, col as u64);
        let passes = |cycle: u64, edge: Edge, n: usize| self.passes(cycle, edge, n as u64);
        let model = Systolic {
            name: "matrix unit of one chip",
            size,
            cycles: schedule.cycles(),
            cell: &cell,
            passes: &passes,
            edges: ["left matrix", "weights", "partial sums"],
            phases: &self.phases,
            folds: schedule.folds(),
            reduced_motion,
            revision: revision(schedule),
        };
        systolic::show(ui, &model, state);
    }

    fn cell(&self, cycle: u64, row: u64, col: u64) -> Cell {
        let schedule = &self.schedule;
        if schedule.mac(cycle, row, col).is_some() {
            return Cell::Busy;
        }
        let Some(fold) = schedule.fold(self.fold_at(cycle)) else { return Cell::Empty };
        let is_used = row < fold.on_rows.end - fold.on_rows.start && col < fold.on_cols.end - fold.on_cols.start;
        match () {
            () if !is_used => Cell::Unused,
            () if cycle < schedule.load_cycles() && row <= cycle => Cell::Loading,
            () if cycle < schedule.load_cycles() => Cell::Empty,
            () => Cell::Loaded,
        }
    }

    /// The fold that entered last; the first while it is loaded.
    fn fold_at(&self, cycle: u64) -> u64 {
        let since = cycle.saturating_sub(self.schedule.load_cycles());
        (since / self.schedule.period()).min(self.schedule.folds() - 1)
    }

    fn passes(&self, cycle: u64, edge: Edge, n: u64) -> bool {
        let schedule = &self.schedule;
        match edge {
            Edge::Left => schedule.mac(cycle, n, 0).is_some(),
            Edge::Top => cycle < schedule.load_cycles(),
            Edge::Bottom => {
                let last = schedule.array().rows() - 1;
                cycle > 0 && schedule.mac(cycle - 1, last, n).is_some()
            }
        }
    }
}

fn revision(schedule: &Schedule) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    format!("{schedule:?}").hash(&mut hasher);
    hasher.finish()
}
