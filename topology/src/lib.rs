//! What exists: quantities, chip generations, torus shapes, slices, faults and fleets.
//!
//! The nouns that every other crate speaks in. Pure: no I/O, no clock, no randomness, no
//! drawing. Start reading at [`fleet`], then [`shape`], [`chip`] and [`units`].

pub mod chip;
pub mod fleet;
pub mod shape;
pub mod units;
