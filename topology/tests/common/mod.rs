//! Reading the tables of expected values.

#![allow(unreachable_pub, dead_code, reason = "shared by several test programs")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use topology::shape::Shape;
use topology::torus::Torus;

/// One row by column name.
pub type Row = BTreeMap<String, String>;

/// A table of the folder that `PODIUM_ORACLE_DIR` names (`../` for the folder above); `None`, with the reason printed,
/// where it is not set.
pub fn oracle(name: &str) -> Option<Vec<Row>> {
    let Some(folder) = std::env::var_os("PODIUM_ORACLE_DIR") else {
        eprintln!("skipped: PODIUM_ORACLE_DIR is not set, so {name} is not compared");
        return None;
    };
    let path = PathBuf::from(folder).join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(table(&text))
}

/// Comma-separated rows under a header; fields may be quoted.
pub fn table(text: &str) -> Vec<Row> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(fields);
    let header = lines.next().unwrap_or_default();
    lines.map(|row| header.iter().cloned().zip(row).collect()).collect()
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}

/// Wrapped axes from a text such as "none", "y", "xyz".
pub fn wrap(text: &str) -> [bool; 3] {
    ["x", "y", "z"].map(|axis| text != "none" && text.contains(axis))
}

/// Panics unless two numbers agree within half a unit of the fourth decimal place, relative above 1.
pub fn assert_near(ours: f64, theirs: f64, what: &str) {
    assert!((ours - theirs).abs() <= 6e-4 * theirs.abs().max(1.0), "{what}: ours {ours}, theirs {theirs}");
}

/// The torus of a row of `graphs.csv`.
pub fn graph_of(row: &Row) -> Torus {
    let shape: Shape = row["dims"].parse().unwrap();
    let digits: Vec<bool> = row["wrap"].chars().map(|c| c == '1').collect();
    let flags = [0, 1, 2].map(|axis| digits.get(axis).copied().unwrap_or(false));
    if row["kind"].starts_with("twisted") { Torus::twisted(shape).unwrap() } else { Torus::plain(shape, flags) }
}
