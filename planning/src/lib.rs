//! Intentions: the plan document, its edits and undo, its file and its schedule.
//!
//! Pure: text in, text out; no files, no clock. Start reading at [`plan`].

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

pub mod baseline;
pub mod board;
pub mod calendar;
pub mod check;
pub mod decision;
pub mod diff;
pub mod edit;
pub mod estimate;
pub mod file;
pub mod forecast;
mod guard;
pub mod history;
pub mod import;
pub mod kpi;
pub mod merge;
pub mod npi;
pub mod plan;
pub mod risk;
pub mod roadmap;
mod sample;
pub mod schedule;
pub mod source;
pub mod throughput;

pub use check::check_plan;
pub use edit::{Edit, EditError};
pub use history::{Gesture, History};
pub use plan::{DocumentId, Plan};
pub use roadmap::{Item, ItemId, Roadmap};
pub use sample::{SAMPLE_TEXT, sample};
pub use schedule::{Schedule, schedule};
