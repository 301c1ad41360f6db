//! The embedded simulator as an endpoint that Prometheus scrapes.
//!
//! [`exporter`] says what is reported, [`endpoint`] answers one request, [`socket`] listens: bounded in connections and
//! in time, on one thread. HTTP itself is hyper's.

pub mod endpoint;
pub mod exporter;
mod names;
pub mod socket;

pub use names::Naming;
