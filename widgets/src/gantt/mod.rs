//! A roadmap as bars over months.

mod date;
mod model;

pub use date::{Day, MONTHS};
pub use model::*;
