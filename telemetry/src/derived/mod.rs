//! Facts that follow from observed ones: goodput, model FLOP utilization, density, outliers, and which component would explain slow chips.

mod compare;
mod goodput;
mod mfu;
mod robust;
mod suspect;

pub use compare::{Comparison, compare};
pub use goodput::{Density, Goodput, RunTime, density, goodput};
pub use mfu::{Mfu, PeakFormat, mfu};
pub use robust::{Spread, outliers, spread};
pub use suspect::{Suspect, suspects};
