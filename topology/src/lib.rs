//! What exists: quantities, chip generations, torus shapes, slices, faults and fleets.
//!
//! The nouns that every other crate speaks in. Pure: no I/O, no clock, no randomness, no
//! drawing. Start reading at [`fleet`], then [`shape`], [`chip`], [`rules`], [`torus`] and [`slice`].

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

pub mod catalog;
pub mod check;
pub mod chip;
pub mod component;
pub mod finding;
pub mod fleet;
pub mod graph;
pub mod name;
pub mod occupancy;
pub mod outage;
pub mod place;
pub mod ring;
pub mod rules;
pub mod shape;
pub mod slice;
pub mod torus;
pub mod traffic;
pub mod units;
