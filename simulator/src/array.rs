//! The systolic array alone, without memory: the closed form of `SCALE-Sim`.
//!
//! One array of R rows and C columns of multiply-add cells works off the product in folds; folds never overlap.
//! Source: `SCALE-Sim` 3.0.0 (package `scalesim`), whose runs this reproduces to the cycle. The tool reports the index of
//! the last cycle counted from 0, that is one less than the number of cycles that pass; `cycles` here follows the
//! tool, and `utilization_fraction` divides by the same number, as its "overall utilisation" does.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use topology::units::Fraction;

use crate::matmul::Matmul;

/// What stays in the cells while the rest streams through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dataflow {
    /// Weight-stationary: the right matrix stays (K on rows, N on columns, M streams). TPUs work this way.
    Ws,
    /// Output-stationary: the result stays (M on rows, N on columns, K streams).
    Os,
    /// Input-stationary: the left matrix stays (K on rows, M on columns, N streams).
    Is,
}

impl Dataflow {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Ws, Self::Os, Self::Is];

    /// "ws", "os" or "is".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ws => "ws",
            Self::Os => "os",
            Self::Is => "is",
        }
    }

    /// Sizes of what lies on the rows, what lies on the columns, and what streams through.
    pub(crate) const fn place(self, matmul: &Matmul) -> [u64; 3] {
        match self {
            Self::Ws => [matmul.k(), matmul.n(), matmul.m()],
            Self::Os => [matmul.m(), matmul.n(), matmul.k()],
            Self::Is => [matmul.k(), matmul.m(), matmul.n()],
        }
    }
}

impl fmt::Display for Dataflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dataflow {
    type Err = BadArray;

    fn from_str(text: &str) -> Result<Self, BadArray> {
        let found = Self::ALL.into_iter().find(|flow| flow.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| BadArray::Dataflow { text: text.chars().take(40).collect() })
    }
}

/// Size of a systolic array in cells. Written `128x128`, rows first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Array {
    rows: u64,
    cols: u64,
}

/// Why a text or two numbers describe no systolic array.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadArray {
    /// A size is 0 or too large.
    #[error("{name} = {size} is not possible: an array has 1 to {max} rows and columns", max = Array::MAX_SIDE)]
    Side {
        /// "rows" or "columns".
        name: &'static str,
        /// What was given.
        size: u64,
    },
    /// The text is not two numbers joined by x.
    #[error("\"{text}\" is not an array size; write rows and columns joined by x, such as 128x128")]
    Text {
        /// The text, shortened where it is long.
        text: String,
    },
    /// The text names no dataflow.
    #[error("\"{text}\" is not a dataflow; write one of ws, os, is")]
    Dataflow {
        /// The text, shortened where it is long.
        text: String,
    },
}

impl Array {
    /// Most rows or columns: 4096.
    pub const MAX_SIDE: u64 = 4096;

    /// Checks the sizes.
    ///
    /// # Errors
    /// If a size is 0 or above [`Self::MAX_SIDE`].
    pub fn new(rows: u64, cols: u64) -> Result<Self, BadArray> {
        for (name, size) in [("rows", rows), ("columns", cols)] {
            if !(1..=Self::MAX_SIDE).contains(&size) {
                return Err(BadArray::Side { name, size });
            }
        }
        Ok(Self { rows, cols })
    }

    /// Rows of cells.
    pub const fn rows(self) -> u64 {
        self.rows
    }

    /// Columns of cells.
    pub const fn cols(self) -> u64 {
        self.cols
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

impl FromStr for Array {
    type Err = BadArray;

    fn from_str(text: &str) -> Result<Self, BadArray> {
        let bad = || BadArray::Text { text: text.chars().take(40).collect() };
        let (rows, cols) = text.split_once(['x', 'X', '×']).ok_or_else(bad)?;
        let number = |part: &str| part.trim().parse::<u64>().ok();
        let (Some(rows), Some(cols)) = (number(rows), number(cols)) else { return Err(bad()) };
        Self::new(rows, cols)
    }
}

/// What the array model says about one product.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ArrayRun {
    /// Index of the last cycle, counted from 0, as `SCALE-Sim` reports it: one less than the cycles that pass.
    pub cycles: u64,
    /// Rounds in which the array is filled anew.
    pub folds: u64,
    /// Rounds along the rows of the array.
    pub row_folds: u64,
    /// Rounds along the columns of the array.
    pub col_folds: u64,
    /// Cycles of each fold; a partly filled fold takes as long as a full one.
    pub cycles_per_fold: u64,
    /// Share of the cells that hold something, averaged over the folds.
    pub mapping_fraction: Fraction,
    /// Multiply-adds done, of those that all cells could have done in [`Self::cycles`].
    pub utilization_fraction: Fraction,
}

/// Runs the closed form: `folds × (2R + C + T − 2) − 1` for ws and is, `folds × (R + C + T − 2) − 1` for os.
pub fn run(array: Array, dataflow: Dataflow, matmul: &Matmul) -> ArrayRun {
    let (rows, cols) = (array.rows, array.cols);
    let [on_rows, on_cols, streamed] = dataflow.place(matmul);
    let fill = if dataflow == Dataflow::Os { rows } else { 2 * rows };
    let cycles_per_fold = fill + cols + streamed - 2;
    let (row_folds, col_folds) = (on_rows.div_ceil(rows), on_cols.div_ceil(cols));
    let folds = row_folds * col_folds;
    // A 1x1 array that streams once takes one cycle, whose index is 0; a ratio over it has no meaning but 1.
    let cycles = folds * cycles_per_fold - 1;
    let cells = (rows * cols) as f64;
    let mapping = (on_rows * on_cols) as f64 / (folds as f64 * cells);
    let utilization = matmul.macs() as f64 / (cycles.max(1) as f64 * cells);
    ArrayRun {
        cycles,
        folds,
        row_folds,
        col_folds,
        cycles_per_fold,
        mapping_fraction: Fraction::clamped(mapping),
        utilization_fraction: Fraction::clamped(utilization),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Dtype;
    use crate::testing::rows;

    fn check(array: (&str, &str), flow: &str, sizes: [&str; 3], expected_cycles: u64, percents: (&str, &str)) {
        let array = Array::new(array.0.parse().unwrap(), array.1.parse().unwrap()).unwrap();
        let [m, k, n] = sizes.map(|size| size.parse().unwrap());
        let found = run(array, flow.parse().unwrap(), &Matmul::new(m, k, n, Dtype::Bf16).unwrap());
        assert_eq!(found.cycles, expected_cycles, "{flow} {array} {m} {k} {n}");
        for (ours, theirs) in [(found.mapping_fraction, percents.0), (found.utilization_fraction, percents.1)] {
            let theirs: f64 = theirs.parse().unwrap();
            assert!((ours.get() * 100.0 - theirs).abs() < 1e-9 * theirs.max(1.0), "{flow} {array} {m} {k} {n}");
        }
    }

    /// Cycles, mapping and utilisation are SCALE-Sim's own, to the cycle.
    #[test]
    fn agrees_with_scale_sim() {
        for row in rows(include_str!("../tests/golden/scalesim.csv")) {
            check((row[1], row[2]), row[0], [row[3], row[5], row[4]], row[6].parse().unwrap(), (row[7], row[8]));
        }
    }

    /// The large table of runs, when it is at hand.
    #[test]
    fn agrees_with_every_scale_sim_run_of_the_oracle() {
        let Some(folder) = std::env::var_os("PODIUM_ORACLE_DIR") else { return };
        let table = std::fs::read_to_string(std::path::Path::new(&folder).join("scalesim.csv")).unwrap();
        let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        let column = |name: &str| header.iter().position(|column| *column == name).unwrap();
        let [flow, r, c] = ["dataflow", "rows", "cols"].map(column);
        let [m, n, k] = ["M", "N", "K"].map(column);
        let [total, stall] = ["total_cycles", "stall_cycles"].map(column);
        let [mapping, overall, mode] = ["mapping_eff_pct", "overall_util_pct", "mode"].map(column);
        let mut exact = 0;
        for row in table.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>()) {
            // Stalls belong to memory, which this model leaves out; they enter the tool's total and its utilisation.
            let stalled: u64 = if row[mode] == "CALC" { 0 } else { row[stall].parse().unwrap() };
            let cycles = row[total].parse::<u64>().unwrap() - stalled;
            let utilization: f64 = row[overall].parse().unwrap();
            let without_stalls = utilization * (cycles + stalled) as f64 / cycles as f64;
            let percents = (row[mapping], without_stalls.to_string());
            check((row[r], row[c]), row[flow], [row[m], row[k], row[n]], cycles, (percents.0, &percents.1));
            exact += 1;
        }
        assert!(exact > 800, "{exact} rows");
    }

    #[test]
    fn reads_sizes_and_says_what_is_wrong() {
        assert_eq!("128x256".parse::<Array>().unwrap().to_string(), "128x256");
        let error = |text: &str| text.parse::<Array>().unwrap_err().to_string();
        assert_eq!(error("0x4"), "rows = 0 is not possible: an array has 1 to 4096 rows and columns");
        assert_eq!(error("128"), "\"128\" is not an array size; write rows and columns joined by x, such as 128x128");
        assert_eq!(
            "wt".parse::<Dataflow>().unwrap_err().to_string(),
            "\"wt\" is not a dataflow; write one of ws, os, is"
        );
    }
}
