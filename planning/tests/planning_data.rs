//! Gates' criteria, matrices, risks, edits of them with undo, and the semantic difference.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use jiff::civil::{Date, date};
use planning::decision::Decision;
use planning::edit::{PlanningEdit, apply};
use planning::npi::{self, Cell, Criterion, Evidence, Matrix, Ruling, Standing, State, Verdict, Waiver};
use planning::risk::{Risk, ranked};
use planning::roadmap::ItemId;
use planning::{Edit, EditError, History, diff, file, sample};
use topology::units::Fraction;

const TODAY: Date = date(2026, 11, 30);

fn criterion(state: State, on: Option<Date>, expires: Option<Date>) -> Criterion {
    let evidence = on.map(|on| Evidence { what: "report".to_owned(), on });
    let waiver = expires.map(|expires| Waiver {
        reason: "late part".to_owned(),
        by: "lead".to_owned(),
        granted: date(2026, 11, 1),
        expires,
    });
    Criterion { state, evidence, waiver, fresh_days: Some(30), ..Criterion::new("burn-in passed") }
}

/// Protects a gate from old proofs and from waivers that have run out.
#[test]
fn a_criterion_needs_fresh_evidence_or_a_waiver_that_holds() {
    let stand = |state, on, expires| npi::standing(&criterion(state, on, expires), TODAY);
    assert_eq!(stand(State::Pass, Some(date(2026, 10, 31)), None), Standing::Met);
    assert_eq!(stand(State::Pass, Some(date(2026, 10, 30)), None), Standing::Stale { age_days: 31 });
    assert_eq!(stand(State::Pass, Some(date(2026, 12, 1)), None), Standing::NoEvidence, "evidence of tomorrow");
    assert_eq!(stand(State::Fail, None, Some(TODAY)), Standing::Waived { days_left: 0 });
    assert_eq!(stand(State::Fail, None, Some(date(2026, 11, 29))), Standing::Expired { days_ago: 1 });
    assert_eq!(stand(State::Pass, Some(TODAY), Some(date(2026, 11, 29))), Standing::Met, "no waiver was needed");
}

#[test]
fn the_template_leads_from_concept_to_general_availability() {
    let stages = npi::stages(npi::STAGES).unwrap();
    let names: Vec<_> = stages.iter().map(|stage| stage.name.as_str()).collect();
    assert_eq!(names, ["Concept", "Prototype", "EVT", "DVT", "PVT", "Preview", "GA"]);
    let mut gate = npi::gate_of(&stages[0], TODAY);
    assert_eq!(npi::readiness(&gate, TODAY).verdict, Some(Verdict::NoGo));
    for criterion in &mut gate.criteria {
        criterion.state = State::Pass;
        criterion.evidence = Some(Evidence { what: "x".to_owned(), on: TODAY });
    }
    assert_eq!(npi::readiness(&gate, TODAY).verdict, Some(Verdict::Go));
    gate.criteria[0] = criterion(State::Open, None, Some(TODAY));
    assert_eq!(npi::readiness(&gate, TODAY).verdict, Some(Verdict::GoWithWaiver));
}

/// Protects the work of others: each edit is one step, is undone exactly, and is kept by the file.
#[test]
fn planning_edits_are_undone_exactly_and_survive_the_file() {
    let mut history = History::new(sample());
    let cell = |state| Cell {
        row: "6.8".to_owned(),
        column: "v6e, boot".to_owned(),
        result: criterion(state, Some(TODAY), None),
    };
    let matrix = Matrix {
        name: "images".to_owned(),
        rows: vec!["6.8".to_owned(), "6.12".to_owned()],
        columns: vec!["v6e, boot".to_owned()],
        cells: vec![],
        fresh_days: None,
    };
    let risk = Risk { gate: Some("DVT".to_owned()), ..Risk::new("R-1", "Ports arrive late") };
    let decision = Decision { id: "D-1".to_owned(), title: "Borrow ports".to_owned(), ..Decision::default() };
    let edits = [
        PlanningEdit::SetMatrix(matrix),
        PlanningEdit::SetCell { matrix: "images".to_owned(), cell: Box::new(cell(State::Pass)) },
        PlanningEdit::SetRisk(Box::new(risk)),
        PlanningEdit::SetDecision(Box::new(decision)),
        PlanningEdit::TakeBaseline { name: "before DVT".to_owned(), on: TODAY },
        PlanningEdit::SetCriterion { gate: "DVT".to_owned(), criterion: criterion(State::Fail, None, None) },
        PlanningEdit::Rule {
            gate: "DVT".to_owned(),
            ruling: Some(Ruling { verdict: Verdict::Go, on: TODAY, by: vec![] }),
        },
    ];
    let before = history.present().clone();
    let n = edits.len();
    for edit in edits {
        assert!(apply(&mut history, Edit::Planning(Box::new(edit)), None).unwrap());
    }
    let after = history.present().clone();
    let tally = after.roadmap.matrices[0].tally(TODAY);
    assert_eq!((tally.asked, tally.met, tally.open), (2, 1, 1));
    assert_eq!(after.roadmap.gate("DVT").unwrap().passed, Some(TODAY));
    assert_eq!(file::read(&file::write(&after)).unwrap().plan, *after);
    let unknown = PlanningEdit::SetCell {
        matrix: "images".to_owned(),
        cell: Box::new(Cell { row: "7".to_owned(), ..cell(State::Pass) }),
    };
    let refused = apply(&mut history, Edit::Planning(Box::new(unknown)), None);
    assert!(matches!(refused, Err(EditError::Missing { what: "cell", .. })));
    for _ in 0..n {
        history.undo();
    }
    assert_eq!(*history.present(), before);
}

#[test]
fn risks_come_worst_first_and_unrated_before_all() {
    let risk =
        |id: &str, p: Option<f64>, impact| Risk { probability: p.map(Fraction::clamped), impact, ..Risk::new(id, "x") };
    let mut closed = risk("R-0", Some(1.0), Some(5));
    closed.status = planning::risk::Status::Closed;
    let mut due = risk("R-2", Some(0.4), Some(4));
    due.due = Some(date(2026, 11, 29));
    let risks =
        [risk("R-3", Some(0.2), Some(4)), due, risk("R-1", Some(0.5), Some(5)), risk("R-4", None, Some(1)), closed];
    let order: Vec<_> = ranked(&risks).into_iter().map(|risk| risk.id.as_str()).collect();
    assert_eq!(order, ["R-4", "R-1", "R-2", "R-3"]);
    assert_eq!((risks[2].exposure(), risks[2].cell()), (Some(2.5), Some((2, 4))));
    assert_eq!((risks[1].is_overdue(TODAY), risks[0].is_overdue(TODAY)), (true, false));
}

/// Protects the Monday review: a plan against itself says nothing, and each kind of change is said once, by its key.
#[test]
fn the_difference_of_plans_is_semantic() {
    let before = sample();
    assert!(diff::plans(&before, &before).is_empty());
    let mut after = before.clone();
    let roadmap = std::sync::Arc::make_mut(&mut after.roadmap);
    roadmap.items.rotate_left(3);
    roadmap.items.retain(|item| item.id.0 != "KES-40");
    roadmap.items.push(planning::Item::new(ItemId::from("NEW"), "new"));
    let gate = roadmap.gates.iter_mut().find(|gate| gate.name == "DVT").unwrap();
    gate.planned = date(2026, 12, 23);
    roadmap.items.iter_mut().find(|item| item.id.0 == "KES-03").unwrap().title = "Other".to_owned();
    let fleet = std::sync::Arc::make_mut(&mut after.fleet);
    fleet.pods[0].slices.remove(0);
    let found = diff::plans(&before, &after);
    assert_eq!(found.added.iter().map(|t| (t.kind, t.id.as_str())).collect::<Vec<_>>(), [("item", "NEW")]);
    let removed: Vec<_> = found.removed.iter().map(|t| t.kind).collect();
    assert_eq!(removed, ["item", "slice"]);
    assert_eq!(found.moved.iter().map(|c| (c.thing.id.as_str(), c.days)).collect::<Vec<_>>(), [("DVT", Some(7))]);
    assert_eq!(
        found.changed.iter().map(|c| (c.thing.id.as_str(), c.field.as_str())).collect::<Vec<_>>(),
        [("KES-03", "title")]
    );
}
