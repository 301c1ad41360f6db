//! Generations of the embedded catalogue and a table reader, for tests.

use topology::chip::{Catalog, Generation, GenerationId};

/// A generation of the embedded catalogue.
pub(crate) fn generation(id: &str) -> Generation {
    Catalog::embedded().get(&GenerationId(id.to_owned())).unwrap().clone()
}

/// Rows of a golden table: lines after the `#` comments and the header, split at commas.
pub(crate) fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}
