//! Edits of sources of observed figures.

use std::sync::Arc;

use telemetry::bind::Manual;
use telemetry::labels::Labels;

use crate::edit::EditError;
use crate::plan::Plan;
use crate::source::Source;

/// One change of the sources of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceEdit {
    /// Adds a source.
    Add(Source),
    /// Puts another source in the place of one.
    Set {
        /// Name of the one that is there.
        name: String,
        /// What it becomes.
        source: Source,
    },
    /// Removes a source.
    Remove(String),
    /// Binds the series that have some labels to a chip; replaces an earlier binding of the same labels.
    Bind {
        /// Name of the source.
        source: String,
        /// The binding.
        binding: Manual,
    },
    /// Takes a binding by hand away.
    Unbind {
        /// Name of the source.
        source: String,
        /// The labels of the binding.
        labels: Labels,
    },
}

impl SourceEdit {
    /// What the edit is called.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Add(_) => "Add source",
            Self::Set { .. } => "Change source",
            Self::Remove(_) => "Remove source",
            Self::Bind { .. } => "Bind series",
            Self::Unbind { .. } => "Release series",
        }
    }
}

pub(super) fn apply(plan: &mut Plan, edit: SourceEdit) -> Result<(), EditError> {
    match edit {
        SourceEdit::Add(source) => {
            free(plan, &source.name)?;
            Arc::make_mut(&mut plan.sources).push(checked(source)?);
        }
        SourceEdit::Set { name, source } => {
            if source.name != name {
                free(plan, &source.name)?;
            }
            *find(plan, &name)? = checked(source)?;
        }
        SourceEdit::Remove(name) => {
            find(plan, &name)?;
            Arc::make_mut(&mut plan.sources).retain(|source| source.name != name);
        }
        SourceEdit::Bind { source, binding } => {
            let shape = plan.fleet.pod(&binding.pod).map(|pod| pod.shape);
            let Some(shape) = shape else { return Err(missing("pod", &binding.pod.0)) };
            if !shape.contains(binding.chip) {
                return Err(missing("chip", &format!("{} of pod {}", binding.chip, binding.pod)));
            }
            if binding.labels.is_empty() {
                return Err(EditError::BadText { what: "label", max: super::MAX_NAME });
            }
            let manual = &mut find(plan, &source)?.mapping.manual;
            manual.retain(|other| other.labels != binding.labels);
            manual.push(binding);
        }
        SourceEdit::Unbind { source, labels } => {
            let manual = &mut find(plan, &source)?.mapping.manual;
            let before = manual.len();
            manual.retain(|binding| binding.labels != labels);
            if manual.len() == before {
                return Err(missing("binding", &labels.to_string()));
            }
        }
    }
    Ok(())
}

fn checked(source: Source) -> Result<Source, EditError> {
    source
        .check()
        .map_err(|error| EditError::Rule { code: "bad-source", reason: format!("{error}. {}", error.hint()) })?;
    Ok(source)
}

fn free(plan: &Plan, name: &str) -> Result<(), EditError> {
    let is_free = plan.source(name).is_none();
    if is_free { Ok(()) } else { Err(EditError::Taken { what: "source", name: name.to_owned() }) }
}

fn find<'a>(plan: &'a mut Plan, name: &str) -> Result<&'a mut Source, EditError> {
    let found = Arc::make_mut(&mut plan.sources).iter_mut().find(|source| source.name == name);
    found.ok_or_else(|| missing("source", name))
}

fn missing(what: &'static str, name: &str) -> EditError {
    EditError::Missing { what, name: name.to_owned() }
}
