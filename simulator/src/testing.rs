//! Generations of the embedded catalogue and a table reader, for tests.

use topology::chip::{Catalog, Generation, GenerationId};
use topology::fleet::{Component, Effect, Fault, Place, Pod, Slice};
use topology::shape::{Coord, Shape};

/// A generation of the embedded catalogue.
pub(crate) fn generation(id: &str) -> Generation {
    Catalog::embedded().get(&GenerationId(id.to_owned())).unwrap().clone()
}

/// Rows of a golden table: lines after the `#` comments and the header, split at commas.
pub(crate) fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

/// A pod "p" without slices and faults.
pub(crate) fn pod(generation: &str, shape: Shape) -> Pod {
    let generation = GenerationId(generation.to_owned());
    Pod {
        id: "p".into(),
        generation,
        shape,
        slices: Vec::new(),
        spares: Vec::new(),
        faults: Vec::new(),
        hosts: Vec::new(),
    }
}

/// A slice in a straight box.
pub(crate) fn slice(id: &str, shape: Shape, at: Coord) -> Slice {
    let place = Place::Block { at, size: shape };
    Slice { id: id.into(), team: None, color: 1, shape, twisted: false, place }
}

/// A fault without a note.
pub(crate) fn fault(component: Component, effect: Effect) -> Fault {
    Fault { component, effect, note: None }
}
