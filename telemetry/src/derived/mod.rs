//! Facts that follow from observed ones: goodput, density, outliers, and which component would explain slow chips.

mod goodput;
mod robust;
mod suspect;

pub use goodput::{Density, Goodput, RunTime, density, goodput};
pub use robust::{Spread, outliers, spread};
pub use suspect::{Suspect, suspects};
