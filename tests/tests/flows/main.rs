//! The program driven as a person drives it: pressed, dragged and typed at by the names that a screen reader hears.
//!
//! No window and no graphics card: the harness runs the two halves of a frame and keeps the accessibility tree.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod drive;

mod broken;
mod documents;
mod live;
mod names;
mod palette;
mod recovery;
mod roadmap;
mod topology;
mod views;
mod what_if;
