//! The lattice of a pod in three dimensions.

mod model;

pub use model::*;
