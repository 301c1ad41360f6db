//! Files of expected values that lie outside of the repository.

#![allow(
    unreachable_pub,
    dead_code,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "shared by several test programs"
)]

use std::path::PathBuf;

use serde_json::Value;

/// A file of the planning samples: beside the folder that `PODIUM_ORACLE_DIR` names, in `cases/planning-samples`; `None`,
/// with the reason printed, where it is not set.
pub fn sample(name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("PODIUM_ORACLE_DIR") else {
        eprintln!("skipped: PODIUM_ORACLE_DIR is not set, so {name} is not compared");
        return None;
    };
    let path = PathBuf::from(folder).join("../cases/planning-samples").join(name);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The table of expected values.
pub fn expected() -> Option<Value> {
    Some(serde_json::from_str(&sample("EXPECTED.json")?).unwrap())
}

/// Panics unless two numbers agree within a tolerance.
pub fn near(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    assert!((ours - theirs).abs() <= tolerance, "{what}: ours {ours}, theirs {theirs}");
}
