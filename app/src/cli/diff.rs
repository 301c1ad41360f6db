//! `podium diff`: the semantic difference of two plans.

use std::path::Path;

use planning::diff::{Change, Difference};

use super::failure::Failure;
use super::output::{self, one_line};
use crate::io::files::{READ_LIMIT_BYTES, read_text};

pub(super) fn diff(before: &Path, after: &Path) -> Result<Difference, Failure> {
    Ok(planning::diff::plans(&plan(before)?, &plan(after)?))
}

/// A plan of a file.
pub(super) fn plan(path: &Path) -> Result<planning::Plan, Failure> {
    let text = read_text(path, READ_LIMIT_BYTES)?;
    let opened = planning::file::read(&text).map_err(|error| {
        let place = output::place(&path.display().to_string(), error.line, error.column);
        Failure::input("syntax", error.what).at(place).hint(error.hint)
    })?;
    Ok(opened.plan)
}

pub(super) fn text(difference: &Difference) -> String {
    if difference.is_empty() {
        return "nothing is different\n".to_owned();
    }
    let things = |word: &'static str, things: &[planning::diff::Thing]| -> Vec<String> {
        things
            .iter()
            .map(|thing| format!("{word} {} {}: {}\n", thing.kind, one_line(&thing.id), one_line(&thing.name)))
            .collect()
    };
    let changes = |word: &'static str, changes: &[Change]| -> Vec<String> {
        changes.iter().map(|change| line(word, change)).collect()
    };
    let parts = [
        things("added", &difference.added),
        things("removed", &difference.removed),
        changes("moved", &difference.moved),
        changes("changed", &difference.changed),
    ];
    parts.concat().concat()
}

fn line(word: &str, change: &Change) -> String {
    let days = change.days.map_or_else(String::new, |days| format!(" ({days:+} d)"));
    let thing = &change.thing;
    let [id, from, to] = [&thing.id, &change.from.to_string(), &change.to.to_string()].map(|text| one_line(text));
    format!("{word} {} {id}, {}: {from} -> {to}{days}\n", thing.kind, change.field)
}
