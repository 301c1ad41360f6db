//! Pictures: each widget draws one plain model and returns what was clicked.
//!
//! Knows egui and the nouns of `topology`, and nothing of simulation, telemetry or plans.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

#[cfg(test)]
extern crate self as widgets; // the samples of the gallery are tested here, and say `widgets`

pub mod board;
pub mod camera;
pub mod chart;
pub mod colormap;
pub mod compare;
pub mod control;
#[cfg(test)]
mod drive;
pub mod empty;
pub mod estimate;
pub mod explain;
pub mod figure;
pub mod format;
pub mod gantt;
pub mod heatmap;
pub mod icon;
mod ink;
pub mod legend;
pub mod notice;
pub mod paint;
pub mod palette;
pub mod panel;
#[cfg(test)]
mod pictures;
pub mod planes;
pub mod plot;
pub mod raster;
mod readout;
pub mod roofline;
pub mod scrubber;
pub mod shell;
pub mod status;
pub mod systolic;
pub mod theme;
mod ticks;
pub mod timeline;
pub mod torus;
pub mod tradeoff;
pub mod tree;
