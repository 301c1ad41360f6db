//! What can be done to a plan, as data: each edit has a name for people and either applies whole or not at all.
//!
//! Applying goes through [`apply`] or [`Edit::apply`]; undo is not an edit but [`crate::history`]'s business.

mod fleet;
mod planning;
mod roadmap;
mod scenario;
mod source;

use std::sync::Arc;

use jiff::civil::Date;
use simulator::live::LiveWorkload;
use topology::fleet::{Component, Fault, Fleet, Place, PodId, Slice, SliceId};
use topology::units::Fraction;

use crate::history::{Gesture, History};
use crate::plan::{Anchor, Note, NoteId, Plan, Scenario, ScenarioId, SliceRef, Thresholds};
use crate::roadmap::{Dependency, Item, ItemId, Span};

pub use planning::PlanningEdit;
pub use source::SourceEdit;

/// Longest name or title, in characters.
const MAX_NAME: usize = 200;
/// Longest note, in characters.
const MAX_NOTE: usize = 20_000;

/// One change of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Gives the plan another name.
    RenamePlan(String),
    /// Replaces the whole fleet, for instance by an imported one.
    ReplaceFleet(Arc<Fleet>),
    /// Changes when numbers become warnings.
    SetThresholds(Thresholds),
    /// Moves a bar so that it starts on this day; its length stays.
    MoveItem {
        /// Which.
        item: ItemId,
        /// New first day.
        start: Date,
    },
    /// Gives a bar new ends, or an item its first bar.
    ResizeItem {
        /// Which.
        item: ItemId,
        /// New first and last day.
        span: Span,
    },
    /// Says how much of the work is done.
    SetProgress {
        /// Which.
        item: ItemId,
        /// Share of the work.
        progress: Fraction,
        /// The day on which it is said; it becomes the first or last day of work where that was not known.
        on: Date,
    },
    /// Moves a card to a place in a column of the board.
    MoveCard {
        /// Which.
        item: ItemId,
        /// Name of the column.
        column: String,
        /// Place in the column, from 0 at the top; larger numbers mean the bottom.
        index: usize,
        /// The day on which it is moved.
        on: Date,
    },
    /// Adds an item at the end.
    AddItem(Box<Item>),
    /// Gives an item another title.
    RenameItem {
        /// Which.
        item: ItemId,
        /// New title.
        title: String,
    },
    /// Says why an item cannot go on, or that it can.
    SetBlocked {
        /// Which.
        item: ItemId,
        /// Why; `None` if it can go on.
        reason: Option<String>,
    },
    /// Deletes an item and every dependency on it.
    DeleteItem(ItemId),
    /// Makes an item wait for another.
    AddDependency {
        /// The item that waits.
        item: ItemId,
        /// For what and how; replaces an earlier dependency on the same item.
        dependency: Dependency,
    },
    /// Stops an item waiting for another.
    RemoveDependency {
        /// The item that waits.
        item: ItemId,
        /// For what it no longer waits.
        on: ItemId,
    },
    /// Plans a gate for another day.
    MoveGate {
        /// Name of the gate.
        gate: String,
        /// New planned day.
        planned: Date,
    },
    /// Takes today's plan as the new baseline of everything that is not done.
    SetBaseline {
        /// The day on which it is taken.
        on: Date,
    },
    /// Changes calendars, estimates, criteria, matrices, risks or decisions.
    Planning(Box<PlanningEdit>),
    /// Puts a new slice on a pod.
    PlaceSlice {
        /// The pod.
        pod: PodId,
        /// The slice.
        slice: Box<Slice>,
    },
    /// Moves a slice on its pod.
    MoveSlice {
        /// Which.
        slice: SliceRef,
        /// Where to.
        place: Place,
    },
    /// Removes a slice.
    RemoveSlice(SliceRef),
    /// Gives a slice another name.
    RenameSlice {
        /// Which.
        slice: SliceRef,
        /// New name, unique on the pod.
        name: SliceId,
    },
    /// Says what runs on a slice.
    SetWorkload {
        /// Which.
        slice: SliceRef,
        /// What; `None` leaves it idle.
        workload: Option<Box<LiveWorkload>>,
    },
    /// Marks a component as broken, slow or silent; replaces an earlier fault of the same component.
    SetFault {
        /// The pod.
        pod: PodId,
        /// What and how.
        fault: Fault,
    },
    /// Says that a component is well again.
    ClearFault {
        /// The pod.
        pod: PodId,
        /// What.
        component: Component,
    },
    /// Adds a scenario.
    AddScenario(Box<Scenario>),
    /// Puts another scenario in the place of the one with its number.
    SetScenario(Box<Scenario>),
    /// Deletes a scenario.
    DeleteScenario(ScenarioId),
    /// Adds, changes, removes or binds sources of observed figures.
    Source(Box<SourceEdit>),
    /// Adds a note.
    AddNote(Note),
    /// Changes the words of a note.
    EditNote {
        /// Which.
        note: NoteId,
        /// New words.
        text: String,
    },
    /// Deletes a note.
    DeleteNote(NoteId),
}

/// Why an edit cannot be made; the plan stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// What the edit names does not exist, perhaps no longer.
    #[error("there is no {what} {name}")]
    Missing {
        /// "item", "slice", "pod", "gate", "column", "note".
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// The name is taken.
    #[error("there is already a {what} {name}")]
    Taken {
        /// "item", "slice", "note".
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A name is empty or too long, or holds line breaks.
    #[error("a {what} is one line of 1 to {max} characters")]
    BadText {
        /// "name", "title", "note".
        what: &'static str,
        /// Most characters.
        max: usize,
    },
    /// The item has no bar that could be moved.
    #[error("{item} has no dates yet")]
    NoDates {
        /// Which.
        item: ItemId,
    },
    /// The last day lies before the first.
    #[error("the last day cannot lie before the first")]
    EndsBeforeStart,
    /// The date lies outside the calendar.
    #[error("the date lies outside the calendar")]
    OutsideCalendar,
    /// The dependency would make items wait for each other.
    #[error("{item} cannot wait for {on}, because {on} already waits for {item}")]
    Circle {
        /// The item that was to wait.
        item: ItemId,
        /// For what.
        on: ItemId,
    },
    /// The fleet rules forbid it.
    #[error("{reason}")]
    Rule {
        /// Stable code of the rule, as in the findings of a check.
        code: &'static str,
        /// The rule in words.
        reason: String,
    },
}

impl Edit {
    /// What the edit is called in menus and in the history, such as "Move item".
    pub const fn label(&self) -> &'static str {
        match self {
            Self::RenamePlan(_) => "Rename plan",
            Self::ReplaceFleet(_) => "Replace fleet",
            Self::SetThresholds(_) => "Change thresholds",
            Self::MoveItem { .. } => "Move item",
            Self::ResizeItem { .. } => "Resize item",
            Self::SetProgress { .. } => "Set progress",
            Self::MoveCard { .. } => "Move card",
            Self::AddItem(_) => "Add item",
            Self::RenameItem { .. } => "Rename item",
            Self::SetBlocked { reason: Some(_), .. } => "Mark as blocked",
            Self::SetBlocked { reason: None, .. } => "Unblock item",
            Self::DeleteItem(_) => "Delete item",
            Self::AddDependency { .. } => "Add dependency",
            Self::RemoveDependency { .. } => "Remove dependency",
            Self::MoveGate { .. } => "Move gate",
            Self::SetBaseline { .. } => "Set new baseline",
            Self::Planning(edit) => edit.label(),
            Self::PlaceSlice { .. } => "Place slice",
            Self::MoveSlice { .. } => "Move slice",
            Self::RemoveSlice(_) => "Remove slice",
            Self::RenameSlice { .. } => "Rename slice",
            Self::SetWorkload { workload: Some(_), .. } => "Change workload",
            Self::SetWorkload { workload: None, .. } => "Stop workload",
            Self::SetFault { .. } => "Set fault",
            Self::ClearFault { .. } => "Clear fault",
            Self::AddScenario(_) => "Add scenario",
            Self::SetScenario(_) => "Change scenario",
            Self::DeleteScenario(_) => "Delete scenario",
            Self::Source(edit) => edit.label(),
            Self::AddNote(_) => "Add note",
            Self::EditNote { .. } => "Edit note",
            Self::DeleteNote(_) => "Delete note",
        }
    }

    /// Makes the change. After an error the plan may be half changed, so callers work on a copy, as [`apply`] does.
    pub fn apply(self, plan: &mut Plan) -> Result<(), EditError> {
        match self {
            Self::RenamePlan(name) => plan.name = one_line("name", name)?,
            Self::SetThresholds(thresholds) => plan.thresholds = thresholds,
            Self::ReplaceFleet(fleet) => fleet::replace(plan, fleet),
            Self::Planning(edit) => planning::apply(plan, *edit)?,
            Self::PlaceSlice { pod, slice } => fleet::place(plan, &pod, *slice)?,
            Self::MoveSlice { slice, place } => fleet::move_slice(plan, &slice, place)?,
            Self::RemoveSlice(slice) => fleet::remove(plan, &slice)?,
            Self::RenameSlice { slice, name } => fleet::rename(plan, &slice, name)?,
            Self::SetWorkload { slice, workload } => {
                fleet::set_workload(plan, &slice, workload.map(|workload| *workload))?;
            }
            Self::SetFault { pod, fault } => fleet::set_fault(plan, &pod, fault)?,
            Self::ClearFault { pod, component } => fleet::clear_fault(plan, &pod, component)?,
            Self::AddScenario(scenario) => scenario::add(plan, *scenario)?,
            Self::SetScenario(scenario) => scenario::set(plan, *scenario)?,
            Self::DeleteScenario(id) => scenario::delete(plan, id)?,
            Self::Source(edit) => source::apply(plan, *edit)?,
            Self::AddNote(note) => add_note(plan, note)?,
            Self::EditNote { note, text } => {
                let text = several_lines(text)?;
                let found = Arc::make_mut(&mut plan.notes).iter_mut().find(|other| other.id == note);
                found.ok_or_else(|| no_note(note))?.text = text;
            }
            Self::DeleteNote(id) => {
                plan.note(id).ok_or_else(|| no_note(id))?;
                Arc::make_mut(&mut plan.notes).retain(|note| note.id != id);
            }
            Self::DeleteItem(id) => {
                roadmap::apply(Self::DeleteItem(id.clone()), Arc::make_mut(&mut plan.roadmap))?;
                release_notes(plan, |anchor| *anchor == Anchor::Item(id.clone()));
            }
            of_roadmap => roadmap::apply(of_roadmap, Arc::make_mut(&mut plan.roadmap))?,
        }
        Ok(())
    }
}

/// Makes the change as one step of the history; says whether anything changed.
pub fn apply(history: &mut History<Plan>, edit: Edit, gesture: Option<Gesture>) -> Result<bool, EditError> {
    history.edit(edit.label(), gesture, |plan| edit.apply(plan))
}

fn add_note(plan: &mut Plan, mut note: Note) -> Result<(), EditError> {
    if plan.note(note.id).is_some() {
        return Err(EditError::Taken { what: "note", name: note.id.0.to_string() });
    }
    note.text = several_lines(note.text)?;
    Arc::make_mut(&mut plan.notes).push(note);
    Ok(())
}

/// Notes stay when what they were pinned to goes, as remarks about the whole plan.
fn release_notes(plan: &mut Plan, is_gone: impl Fn(&Anchor) -> bool) {
    if plan.notes.iter().any(|note| note.anchor.as_ref().is_some_and(&is_gone)) {
        for note in Arc::make_mut(&mut plan.notes) {
            note.anchor = note.anchor.take().filter(|anchor| !is_gone(anchor));
        }
    }
}

fn no_note(id: NoteId) -> EditError {
    EditError::Missing { what: "note", name: id.0.to_string() }
}

fn one_line(what: &'static str, text: String) -> Result<String, EditError> {
    let is_good = !text.trim().is_empty() && text.chars().count() <= MAX_NAME && !text.chars().any(char::is_control);
    is_good.then_some(text).ok_or(EditError::BadText { what, max: MAX_NAME })
}

fn several_lines(text: String) -> Result<String, EditError> {
    let is_good = !text.trim().is_empty() && text.chars().count() <= MAX_NOTE;
    is_good.then_some(text).ok_or(EditError::BadText { what: "note", max: MAX_NOTE })
}
