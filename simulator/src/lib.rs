//! What if: matrix products, rooflines and steps, computed.
//!
//! Pure and deterministic: no files, clock, threads or hidden randomness; every function gives the same answer for
//! the same arguments on every machine. Start reading at [`roofline`] for one product on one chip, at [`mod@array`] for
//! the systolic array without memory, at [`shard`] for a product on many chips, and at [`live`] for a whole fleet in
//! motion.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic, reason = "tests may stop at the first surprise"))]

pub mod array;
pub mod calibration;
pub mod cancel;
pub mod collective;
pub mod config;
pub mod dtype;
pub mod execute;
pub mod explain;
pub mod fit;
mod fp8;
pub mod live;
pub mod matmul;
pub mod roofline;
pub mod seed;
pub mod shard;
pub mod systolic;
mod tiling;
pub mod trace;
pub mod transformer;
pub mod trial;
pub mod validate;

#[cfg(test)]
mod testing;
