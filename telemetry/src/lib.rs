//! Facts: samples in, series out; a gap is data too.
//!
//! Pure: bytes and numbers in, values and warnings out; no sockets, no clock. Start reading at [`store`].

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

pub mod exposition;
pub mod findings;
pub mod inventory;
pub mod labels;
pub mod metric;
pub mod prometheus;
pub mod registry;
pub mod series;
pub mod stats;
pub mod store;
pub mod straggler;

pub use metric::{Metric, Origin, Way};
pub use store::{Batch, Frame, Store, Warning};
