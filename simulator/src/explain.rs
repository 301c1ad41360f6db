//! Terms of an answer: every number can say what it is, how it was made and where its constants come from.

use serde::Serialize;

/// One named number of an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Term {
    /// What it is, in words.
    pub name: String,
    /// The number, in [`Self::unit`].
    pub value: f64,
    /// Unit without prefix: "s", "B", "FLOP", "FLOP/s", "B/s", or "" for a ratio.
    pub unit: &'static str,
    /// How it was made.
    pub formula: String,
    /// Where the formula or the constant comes from.
    pub source: String,
}

impl Term {
    /// From its five parts.
    pub fn new(
        name: &str,
        (value, unit): (f64, &'static str),
        formula: impl Into<String>,
        source: impl Into<String>,
    ) -> Self {
        Self { name: name.to_owned(), value, unit, formula: formula.into(), source: source.into() }
    }
}
