//! The plan that the program opens when it is given none: a synthetic fleet and the roadmap of an invented chip.

use crate::file;
use crate::plan::Plan;

/// The file, also found as `sample-data/plans/fleet-north.ron`.
pub const SAMPLE_TEXT: &str = include_str!("../../sample-data/plans/fleet-north.ron");

/// "Fleet north": seven pods of three generations, and the Kestrel launch as it stood on 2026-11-30.
///
/// # Panics
/// If the embedded file cannot be read, which a test rules out.
pub fn sample() -> Plan {
    match file::read(SAMPLE_TEXT) {
        Ok(opened) => opened.plan,
        Err(error) => unreachable!("the embedded sample is readable: {error}"),
    }
}
