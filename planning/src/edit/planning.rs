//! Edits of what a roadmap holds beside bars and cards: calendars, estimates, gates' criteria, matrices, risks, decisions.

use std::sync::Arc;

use jiff::civil::Date;

use crate::baseline::Baseline;
use crate::calendar::WorkCalendar;
use crate::decision::Decision;
use crate::edit::{EditError, one_line};
use crate::estimate::Estimate;
use crate::npi::{Cell, Criterion, Matrix, Ruling};
use crate::plan::Plan;
use crate::risk::Risk;
use crate::roadmap::{Gate, ItemId, Roadmap};

/// One change of the planning data of a roadmap. "Set" replaces the thing of that key, or adds it.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanningEdit {
    /// Replaces the whole roadmap, as a merged import does.
    ReplaceRoadmap(Arc<Roadmap>),
    /// Keeps today's dates under a name.
    TakeBaseline {
        /// Unique name.
        name: String,
        /// The day on which it is taken.
        on: Date,
    },
    /// Sets a working calendar.
    SetCalendar(WorkCalendar),
    /// Says which calendar holds where none is named.
    UseCalendar(Option<String>),
    /// Says how long an item may take.
    SetEstimate {
        /// Which.
        item: ItemId,
        /// The three points; `None` if its planned length is certain.
        estimate: Option<Estimate>,
    },
    /// Adds a gate.
    AddGate(Box<Gate>),
    /// Sets a criterion of a gate, by its words.
    SetCriterion {
        /// Name of the gate.
        gate: String,
        /// The criterion.
        criterion: Criterion,
    },
    /// Takes a criterion away.
    DeleteCriterion {
        /// Name of the gate.
        gate: String,
        /// Its words.
        text: String,
    },
    /// Rules on a gate; a go passes it on that day.
    Rule {
        /// Name of the gate.
        gate: String,
        /// The ruling; `None` opens the gate again.
        ruling: Option<Ruling>,
    },
    /// Sets a matrix; cells without row or column fall away.
    SetMatrix(Matrix),
    /// Sets a cell of a matrix.
    SetCell {
        /// Name of the matrix.
        matrix: String,
        /// The cell.
        cell: Box<Cell>,
    },
    /// Sets a risk.
    SetRisk(Box<Risk>),
    /// Deletes a risk.
    DeleteRisk(String),
    /// Sets a decision.
    SetDecision(Box<Decision>),
    /// Deletes a decision.
    DeleteDecision(String),
}

impl PlanningEdit {
    /// What the edit is called.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::ReplaceRoadmap(_) => "Import roadmap",
            Self::TakeBaseline { .. } => "Take baseline",
            Self::SetCalendar(_) | Self::UseCalendar(_) => "Change calendar",
            Self::SetEstimate { .. } => "Change estimate",
            Self::AddGate(_) => "Add gate",
            Self::SetCriterion { .. } => "Change criterion",
            Self::DeleteCriterion { .. } => "Delete criterion",
            Self::Rule { .. } => "Rule on gate",
            Self::SetMatrix(_) => "Change matrix",
            Self::SetCell { .. } => "Change cell",
            Self::SetRisk(_) => "Change risk",
            Self::DeleteRisk(_) => "Delete risk",
            Self::SetDecision(_) => "Change decision",
            Self::DeleteDecision(_) => "Delete decision",
        }
    }
}

pub(super) fn apply(plan: &mut Plan, edit: PlanningEdit) -> Result<(), EditError> {
    let edit = match edit {
        PlanningEdit::ReplaceRoadmap(roadmap) => {
            plan.roadmap = roadmap;
            return Ok(());
        }
        other => other,
    };
    change(Arc::make_mut(&mut plan.roadmap), edit)
}

fn change(roadmap: &mut Roadmap, edit: PlanningEdit) -> Result<(), EditError> {
    match edit {
        PlanningEdit::ReplaceRoadmap(new) => *roadmap = Arc::unwrap_or_clone(new),
        PlanningEdit::TakeBaseline { name, on } => {
            let baseline = Baseline::of(roadmap, one_line("name", name)?, on);
            set(&mut roadmap.baselines, baseline, |baseline| &baseline.name);
            roadmap.baselines.sort_by_key(|baseline| baseline.on);
        }
        PlanningEdit::SetCalendar(calendar) => {
            calendar.check().map_err(|error| EditError::Rule { code: "calendar", reason: error.to_string() })?;
            set(&mut roadmap.calendars, calendar, |calendar| &calendar.name);
        }
        PlanningEdit::UseCalendar(name) => {
            if let Some(name) = name.as_ref().filter(|name| !roadmap.calendars.iter().any(|c| c.name == **name)) {
                return Err(EditError::Missing { what: "calendar", name: name.clone() });
            }
            roadmap.calendar = name;
        }
        PlanningEdit::SetEstimate { item, estimate } => {
            super::roadmap::item_mut(roadmap, &item)?.estimate = estimate;
        }
        PlanningEdit::SetRisk(mut risk) => {
            risk.text = one_line("risk", risk.text)?;
            set(&mut roadmap.risks, *risk, |risk| &risk.id);
        }
        PlanningEdit::DeleteRisk(id) => delete(&mut roadmap.risks, &id, "risk", |risk| &risk.id)?,
        PlanningEdit::SetDecision(mut decision) => {
            decision.title = one_line("title", decision.title)?;
            set(&mut roadmap.decisions, *decision, |decision| &decision.id);
        }
        PlanningEdit::DeleteDecision(id) => delete(&mut roadmap.decisions, &id, "decision", |decision| &decision.id)?,
        of_gates => change_gates(roadmap, of_gates)?,
    }
    Ok(())
}

/// The edits of gates and matrices; others change nothing.
fn change_gates(roadmap: &mut Roadmap, edit: PlanningEdit) -> Result<(), EditError> {
    match edit {
        PlanningEdit::AddGate(mut gate) => {
            gate.name = one_line("name", gate.name)?;
            if roadmap.gate(&gate.name).is_some() {
                return Err(EditError::Taken { what: "gate", name: gate.name });
            }
            roadmap.gates.push(*gate);
        }
        PlanningEdit::SetCriterion { gate, mut criterion } => {
            criterion.text = one_line("criterion", criterion.text)?;
            set(&mut super::roadmap::gate_mut(roadmap, gate)?.criteria, criterion, |criterion| &criterion.text);
        }
        PlanningEdit::DeleteCriterion { gate, text } => {
            let gate = super::roadmap::gate_mut(roadmap, gate)?;
            delete(&mut gate.criteria, &text, "criterion", |criterion| &criterion.text)?;
        }
        PlanningEdit::Rule { gate, ruling } => {
            let gate = super::roadmap::gate_mut(roadmap, gate)?;
            let goes_on = ruling.as_ref().filter(|ruling| ruling.verdict != crate::npi::Verdict::NoGo);
            gate.passed = goes_on.map(|ruling| ruling.on);
            gate.ruling = ruling;
        }
        PlanningEdit::SetMatrix(mut matrix) => {
            matrix.name = one_line("name", matrix.name)?;
            let Matrix { rows, columns, cells, .. } = &mut matrix;
            cells.retain(|cell| rows.contains(&cell.row) && columns.contains(&cell.column));
            set(&mut roadmap.matrices, matrix, |matrix| &matrix.name);
        }
        PlanningEdit::SetCell { matrix, cell } => {
            let found = roadmap.matrices.iter_mut().find(|other| other.name == matrix);
            let found = found.ok_or(EditError::Missing { what: "matrix", name: matrix })?;
            if !found.rows.contains(&cell.row) || !found.columns.contains(&cell.column) {
                return Err(EditError::Missing { what: "cell", name: format!("{} × {}", cell.row, cell.column) });
            }
            let place = found.cells.iter_mut().find(|other| other.row == cell.row && other.column == cell.column);
            match place {
                Some(place) => *place = *cell,
                None => found.cells.push(*cell),
            }
        }
        _ => {}
    }
    Ok(())
}

/// Replaces the thing of the same key, or adds it.
fn set<T>(list: &mut Vec<T>, thing: T, key: impl Fn(&T) -> &String) {
    match list.iter().position(|other| key(other) == key(&thing)) {
        Some(place) => list[place] = thing,
        None => list.push(thing),
    }
}

fn delete<T>(list: &mut Vec<T>, id: &str, what: &'static str, key: impl Fn(&T) -> &String) -> Result<(), EditError> {
    let before = list.len();
    list.retain(|thing| key(thing) != id);
    if list.len() == before { Err(EditError::Missing { what, name: id.to_owned() }) } else { Ok(()) }
}
