//! A systolic array that moves its operands, cycle by cycle.
//!
//! R rows and C columns of cells. In a weight- or input-stationary array each cell holds one element that stays; the
//! moving operand enters at the west edge, row r one cycle after row r − 1, and steps one cell east a cycle; partial
//! sums step one cell south a cycle and leave at the south edge into accumulators. In an output-stationary array both
//! operands move, east and south, and the sum stays. So the cell (r, c) works on streamed element t of a fold
//! r + c + t cycles after the fold's first element entered: a wavefront along the diagonals.
//!
//! [`Schedule`] is that arithmetic, from which the closed form of [`crate::array`] follows; [`execute`] moves the
//! operands, counts the cycles by itself and gives the result; [`Snapshot`] is the state in any one cycle.
//!
//! Weights are loaded in one of two ways ([`Loading`]): before each fold with the array empty, as `SCALE-Sim` counts
//! it, or behind the wavefront into a second register of each cell, as TPUs do it (scaling-book, tpus.md, appendix B).

mod engine;
mod schedule;
mod snapshot;

pub use engine::{Done, execute};
pub use schedule::{BadLoading, Fold, Loading, Schedule};
pub use snapshot::{Mac, Phase, Snapshot};

#[cfg(test)]
mod cells;
#[cfg(test)]
mod tests;
