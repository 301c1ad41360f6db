//! Values of many units over time, as a map of colours.

mod model;

pub use model::*;
