//! What exists: quantities, chip generations, torus shapes, slices, faults and fleets.
//!
//! The nouns that every other crate speaks in. Pure: no I/O, no clock, no randomness, no
//! drawing. Start reading at [`fleet`], then [`shape`], [`chip`], [`rules`], [`torus`] and [`mod@slice`].
//!
//! ```
//! use topology::{chip::Catalog, slice::SliceFacts};
//!
//! let v5p = Catalog::embedded().find("TPU v5p")?;
//! let facts = SliceFacts::new(v5p, "8x8x16".parse()?, None)?;
//! assert_eq!((facts.hosts, facts.links, facts.diameter_hops), (256, 3072, 12)); // twisted, as the plain name means
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests"))]

pub mod blast;
pub mod boardfly;
pub mod catalog;
pub mod check;
pub mod chip;
pub mod component;
pub mod finding;
pub mod fleet;
pub mod graph;
pub mod level;
pub mod measure;
pub mod mesh;
pub mod multislice;
pub mod name;
pub mod occupancy;
pub mod ocs;
pub mod outage;
pub mod place;
pub mod provision;
pub mod ring;
pub mod rules;
pub mod shape;
pub mod slice;
pub mod slice_name;
pub mod torus;
pub mod traffic;
pub mod units;
