//! The house: window, command line, and the only door to files.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

pub mod cli;
pub mod io;
