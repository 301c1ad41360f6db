//! Pictures: each widget draws one plain model and returns what was clicked.
//!
//! Knows egui and the nouns of `topology`, and nothing of simulation, telemetry or plans.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

pub mod board;
pub mod camera;
pub mod colormap;
pub mod format;
pub mod gantt;
pub mod heatmap;
pub mod icon;
mod ink;
pub mod legend;
pub mod planes;
pub mod raster;
pub mod theme;
pub mod torus;
