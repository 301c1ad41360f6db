//! Pictures: each widget draws one plain model and returns what was clicked.
//!
//! Knows egui and the nouns of `topology`, and nothing of simulation, telemetry or plans.

pub mod theme;
