//! The state of the array in one cycle, without replaying the cycles before it.

use serde::Serialize;

use super::schedule::{Fold, Loading, Schedule};
use crate::array::Dataflow;

/// What the array as a whole does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Elements that stay are loaded; nothing is computed.
    Load,
    /// Operands enter at an edge.
    Stream,
    /// No operand enters; the last wavefront runs out.
    Drain,
}

/// One multiply-add: `result[m, n] += left[m, k] · right[k, n]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Mac {
    /// Row of the result.
    pub m: u64,
    /// The summed index.
    pub k: u64,
    /// Column of the result.
    pub n: u64,
}

/// The array in one cycle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Snapshot {
    /// Which cycle, from 0.
    pub cycle: u64,
    /// What the array does.
    pub phase: Phase,
    /// The fold that enters, or is loaded or runs out. Double buffered, wavefronts of earlier ones are still inside.
    pub fold: Fold,
    /// Of how many.
    pub folds: u64,
    /// Rows loaded of the fold that is being loaded, with the row of this cycle; `None` if none is.
    pub loaded_rows: Option<u64>,
    /// Cells that do a multiply-add of the product.
    pub busy: u64,
    /// Cells that hold a moving operand of the product, on its way east, in use or past the last used column.
    pub moving: u64,
    #[serde(skip)]
    schedule: Schedule,
}

impl Snapshot {
    /// The state in a cycle; `None` once the array is empty. Costs one step per cell.
    pub fn at(schedule: &Schedule, cycle: u64) -> Option<Self> {
        if cycle >= schedule.cycles() {
            return None;
        }
        let since = cycle.checked_sub(schedule.load_cycles());
        let latest = since.map_or(0, |since| since / schedule.period()).min(schedule.folds() - 1);
        let age = since.map(|since| since - latest * schedule.period());
        let is_empty = age.is_none_or(|age| age >= schedule.pass_cycles());
        let is_loading_next = is_empty && schedule.loading() == Loading::BeforeEachFold;
        let fold = schedule.fold(if age.is_some() && is_loading_next { latest + 1 } else { latest })?;
        let phase = match age {
            Some(age) if !is_loading_next => phase(schedule, age),
            _ => Phase::Load,
        };
        let mut found = Self {
            cycle,
            phase,
            fold,
            folds: schedule.folds(),
            loaded_rows: loaded_rows(schedule, cycle),
            busy: 0,
            moving: 0,
            schedule: *schedule,
        };
        for row in 0..schedule.array().rows() {
            for col in 0..schedule.array().cols() {
                found.busy += u64::from(found.mac(row, col).is_some());
                found.moving += u64::from(found.moves(row, col));
            }
        }
        Some(found)
    }

    /// What a cell does; `None` if it idles, is not used by its fold or works on padding.
    pub fn mac(&self, row: u64, col: u64) -> Option<Mac> {
        self.schedule.mac(self.cycle, row, col)
    }

    /// The fold whose wavefront covers a cell; `None` if the cell idles.
    pub fn fold_of(&self, row: u64, col: u64) -> Option<u64> {
        self.schedule.token(self.cycle, row, col).map(|(fold, _)| fold)
    }

    fn moves(&self, row: u64, col: u64) -> bool {
        let Some((fold, element)) = self.schedule.token(self.cycle, row, col) else { return false };
        let is_used = self.schedule.fold(fold).is_some_and(|fold| fold.on_rows.contains(&(fold.on_rows.start + row)));
        is_used && element < self.schedule.streamed()
    }
}

impl Schedule {
    /// What a cell does in a cycle; `None` if it idles, is not used by its fold or works on padding.
    pub fn mac(&self, cycle: u64, row: u64, col: u64) -> Option<Mac> {
        let (fold, element) = self.token(cycle, row, col)?;
        let fold = self.fold(fold)?;
        let (on_row, on_col) = (fold.on_rows.start + row, fold.on_cols.start + col);
        let is_used = fold.on_rows.contains(&on_row) && fold.on_cols.contains(&on_col);
        (is_used && element < self.streamed()).then_some(match self.dataflow() {
            Dataflow::Ws => Mac { m: element, k: on_row, n: on_col },
            Dataflow::Os => Mac { m: on_row, k: element, n: on_col },
            Dataflow::Is => Mac { m: on_col, k: on_row, n: element },
        })
    }
}

/// Rows enter one cycle after another; in an output-stationary array columns do too. Double buffered, the next fold
/// may enter before the last row of this one did.
fn phase(schedule: &Schedule, age: u64) -> Phase {
    let array = schedule.array();
    let skew = if schedule.dataflow() == Dataflow::Os { array.rows().max(array.cols()) } else { array.rows() };
    if age < schedule.entering() + skew - 1 { Phase::Stream } else { Phase::Drain }
}

fn loaded_rows(schedule: &Schedule, cycle: u64) -> Option<u64> {
    if schedule.load_cycles() == 0 {
        return None;
    }
    let (load, at) = match schedule.loading() {
        Loading::BeforeEachFold => (cycle / schedule.period(), cycle % schedule.period()),
        // The first load comes before the first fold; each later one begins when the fold before it enters.
        Loading::DoubleBuffered => match cycle.checked_sub(schedule.load_cycles()) {
            None => (0, cycle),
            Some(since) => (since / schedule.period() + 1, since % schedule.period()),
        },
    };
    (load < schedule.folds() && at < schedule.load_cycles()).then_some(at + 1)
}
