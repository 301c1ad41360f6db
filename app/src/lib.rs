//! The house: window, command line, and the only door to files.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

pub mod app;
pub mod bench;
pub mod cli;
pub mod clock;
pub mod command;
pub mod document;
pub mod feed;
pub mod intent;
pub mod io;
pub mod jobs;
pub mod metrics_server;
pub mod model;
pub mod net;
pub mod newest;
pub mod pod_map;
pub mod quantity;
pub mod render;
pub mod shell;
pub mod text;
pub mod trials;
mod update;
pub mod view_state;
pub mod views;
pub mod window;
