//! Facts: samples in, series out; a gap is data too.
//!
//! Pure: bytes and numbers in, values and warnings out; no sockets, no clock.
//!
//! The way of a sample: [`exposition`] or [`prometheus`] read it, [`registry`] says what it is, [`bind`] finds its chip,
//! [`store`] keeps it for drawing and [`tsdb`] as it came, [`coverage`] and [`derived`] make facts of it ([`observe`] all at once), and [`rules`] with
//! [`promql`] say when they mean trouble.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

pub mod bind;
pub mod coverage;
pub mod derived;
pub mod exposition;
pub mod findings;
pub mod inventory;
pub mod labels;
pub mod metric;
pub mod observe;
pub mod prometheus;
pub mod promql;
pub mod registry;
pub mod rules;
pub mod series;
pub mod stats;
pub mod store;
pub mod straggler;
pub mod tsdb;
pub mod yaml;

pub use metric::{Metric, Origin, Way};
pub use store::{Batch, Frame, Store, Warning};
