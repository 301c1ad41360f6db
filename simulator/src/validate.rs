//! The model against published and measured figures: each row is computed by the function that the commands use, and
//! groups of rows are held against gates and against a model without constants.
//!
//! Start at [`validate`]. [`embedded`] are the rows that the program brings along; [`table::read`] reads more.

mod collectives;
mod groups;
mod measured;
pub mod table;
mod words;
mod worked;

use std::sync::OnceLock;

use crate::calibration::Calibrations;
use crate::fit::Measurement;

pub use groups::{Group, GroupReport};
use table::Row;
use words::{Words, scale};

const EMBEDDED: &str = include_str!("../../assets/validation/rows.csv");

/// The rows that the program brings along, `assets/validation/rows.csv`.
///
/// # Errors
/// None: the file is part of the program and a test reads it.
pub fn embedded() -> Result<Vec<Row>, table::TableError> {
    table::read(EMBEDDED)
}

/// One figure and what the model says to it, both in the row's own unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Which group the row belongs to.
    pub group: Group,
    /// What was published.
    pub published: f64,
    /// What the model gives.
    pub model: f64,
    /// What the model without constants gives; `None` where there is none to compare with.
    pub null_model: Option<f64>,
    /// How far the row may be off, as a share.
    pub tolerance_fraction: f64,
    /// What the reader should know, such as that the operands were taken to be in VMEM.
    pub remark: &'static str,
}

impl Compared {
    /// `|model / published − 1|`.
    pub fn error_fraction(&self) -> f64 {
        off(self.model, self.published)
    }

    /// Whether the error is within the row's tolerance, up to the digits that were printed.
    pub fn is_within(&self) -> bool {
        self.error_fraction() <= self.tolerance_fraction + 1e-9
    }
}

fn off(model: f64, published: f64) -> f64 {
    (model / published - 1.0).abs()
}

/// What became of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It was computed; a collective once with the constants of its generation and once without.
    Compared(Vec<Compared>),
    /// The engine has no model for it.
    NotModelled,
    /// The source itself is wrong there.
    Excluded,
}

/// A row with its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The row.
    pub row: Row,
    /// What became of it.
    pub outcome: Outcome,
}

/// All rows judged, and groups of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The groups that have rows, in the order of [`Group::ALL`].
    pub groups: Vec<GroupReport>,
    /// Every row, in the order in which they were given.
    pub rows: Vec<Judged>,
}

/// Computes every row and judges the groups.
pub fn validate(rows: &[Row], calibrations: &Calibrations) -> Report {
    let judge = |row: &Row| Judged { row: row.clone(), outcome: outcome(row, calibrations) };
    let rows: Vec<Judged> = rows.iter().map(judge).collect();
    let all: Vec<&Compared> = rows.iter().flat_map(compared).collect();
    Report { groups: groups::reports(&all), rows }
}

fn compared(judged: &Judged) -> &[Compared] {
    match &judged.outcome {
        Outcome::Compared(all) => all,
        Outcome::NotModelled | Outcome::Excluded => &[],
    }
}

/// The measured products of a chip among rows, for [`crate::fit::fit`]; `None` for rows that are none.
pub fn measurement(row: &Row) -> Option<(topology::chip::GenerationId, crate::calibration::Part, Measurement)> {
    if is_wrong(row) || row.is_worked {
        return None;
    }
    measured::product(&Words::of(row))
}

fn outcome(row: &Row, calibrations: &Calibrations) -> Outcome {
    if is_wrong(row) {
        return Outcome::Excluded;
    }
    let words = Words::of(row);
    let found = if row.is_worked { worked::compare(&words) } else { measured::compare(&words, calibrations) };
    let is_sound = |c: &Compared| c.model.is_finite() && c.published.is_finite() && c.published > 0.0;
    match found {
        Some(found) if !found.is_empty() && found.iter().all(is_sound) => Outcome::Compared(found),
        _ => Outcome::NotModelled,
    }
}

/// Whether the remark of a row says that its source is wrong, or an embedded row with the same figure says so.
fn is_wrong(row: &Row) -> bool {
    let says_so = |row: &Row| row.note.to_uppercase().contains("KNOWN INCONSISTENT");
    let is_same =
        |wrong: &Row| (&wrong.workload, &wrong.quantity, &wrong.value) == (&row.workload, &row.quantity, &row.value);
    says_so(row) || wrong_figures().iter().any(is_same)
}

/// The embedded rows whose source is wrong.
fn wrong_figures() -> &'static [Row] {
    static WRONG: OnceLock<Vec<Row>> = OnceLock::new();
    WRONG.get_or_init(|| {
        let rows = embedded().unwrap_or_default();
        rows.into_iter().filter(|row| row.note.contains("KNOWN INCONSISTENT")).collect()
    })
}

/// The part of a row whose quantity or unit satisfies a condition: its figure, and the factor from its unit to the base
/// unit ("ms" 0.001, "GB/s" 10⁹; 1 for units such as "hosts").
fn figure(row: &Row, wanted: impl Fn(&str, &str) -> bool) -> Option<(f64, f64)> {
    let parts = |text| str::split(text, '|').map(str::trim).collect::<Vec<&str>>();
    let (quantities, values, units) = (parts(&row.quantity), parts(&row.value), parts(&row.unit));
    (0..values.len()).find_map(|i| {
        let quantity = quantities.get(i).or(quantities.last()).copied().unwrap_or_default();
        let unit = units.get(i).or(units.last()).copied().unwrap_or_default();
        let value = values[i].parse::<f64>().ok().filter(|value| value.is_finite())?;
        wanted(quantity, unit).then(|| (value, scale(unit).unwrap_or(1.0)))
    })
}

#[cfg(test)]
mod tests;
