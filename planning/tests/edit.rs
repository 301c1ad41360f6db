//! Edits: what they change, what they refuse, and that none of them ever breaks a rule that held before.

#![allow(clippy::unwrap_used, reason = "tests")]

use expect_test::expect;
use jiff::civil::{Date, date};
use planning::edit::{self, Edit};
use planning::history::{Gesture, History};
use planning::plan::{Anchor, DocumentId, NoteId, Plan, Scenario, ScenarioId, SliceRef};
use planning::roadmap::{Dependency, Gate, Item, ItemId, Span};
use planning::{check_plan, sample, schedule};
use proptest::prelude::*;
use simulator::dtype::Dtype;
use simulator::live::{LiveInput, LiveSim, LiveWorkload};
use simulator::trial::{Sharded, Trial};
use topology::chip::Catalog;
use topology::fleet::{Component, Effect, Fault, Place, PodId, Slice, SliceId};
use topology::shape::{Coord, Shape};
use topology::units::Fraction;

const TODAY: Date = date(2026, 11, 30);

fn after(edit: Edit) -> Plan {
    let mut plan = sample();
    edit.apply(&mut plan).unwrap();
    plan
}

fn refusal(edit: Edit) -> String {
    edit.apply(&mut sample()).unwrap_err().to_string()
}

fn kes(n: &str) -> ItemId {
    ItemId(format!("KES-{n}"))
}

fn slice_ref(pod: &str, slice: &str) -> SliceRef {
    SliceRef { pod: PodId::from(pod), slice: SliceId::from(slice) }
}

fn item(plan: &Plan, n: &str) -> Item {
    plan.roadmap.item(&kes(n)).unwrap().clone()
}

#[test]
fn the_sample_has_nothing_to_find() {
    assert_eq!(check_plan(&sample(), Catalog::embedded()), []);
}

/// The open items that the design board outlines as critical, and the days that it writes beside gates.
#[test]
fn the_sample_schedule_is_as_drawn() {
    let roadmap = sample().roadmap;
    let made = schedule(&roadmap, TODAY).unwrap();
    let open: Vec<ItemId> =
        made.critical_path.iter().filter(|id| !roadmap.item(id).unwrap().is_done()).cloned().collect();
    assert_eq!(open, ["03", "12", "04", "25"].map(kes));
    assert!(made.item(&kes("02")).unwrap().is_critical, "the finished EVT build led here");
    let gates: Vec<_> = made.gates.iter().map(|gate| (gate.gate.as_str(), gate.late_days.unwrap())).collect();
    let expected = [("Concept", 0), ("Plan", 5), ("EVT", 12), ("DVT", 12), ("PVT", 10), ("Preview", 5), ("GA", 14)];
    assert_eq!(gates, expected);
    assert_eq!(made.end, Some(date(2027, 5, 14)));
    assert!(made.items.iter().all(|item| item.pushed_days == 0), "nothing in the plan contradicts itself");
}

#[test]
fn a_slip_of_dvt_moves_the_launch_and_a_slip_of_free_work_does_not() {
    let slip = |n: &str, start: Date| {
        let plan = after(Edit::MoveItem { item: kes(n), start });
        let made = schedule(&plan.roadmap, TODAY).unwrap();
        made.gates.last().unwrap().expected
    };
    assert_eq!(slip("12", date(2026, 10, 31)), date(2027, 5, 19), "five days later");
    assert_eq!(slip("10", date(2026, 11, 26)), date(2027, 5, 14));
}

#[test]
fn moving_keeps_the_length_and_resizing_sets_it() {
    let moved = item(&after(Edit::MoveItem { item: kes("40"), start: date(2026, 12, 8) }), "40");
    assert_eq!((moved.start, moved.finish), (Some(date(2026, 12, 8)), Some(date(2027, 2, 19))));
    let span = Span { start: date(2026, 12, 2), finish: date(2026, 12, 2) };
    assert_eq!(item(&after(Edit::ResizeItem { item: kes("40"), span }), "40").span(), Some(span));
    let span = Span { start: date(2026, 12, 2), finish: date(2026, 12, 1) };
    assert_eq!(refusal(Edit::ResizeItem { item: kes("40"), span }), "the last day cannot lie before the first");
    assert_eq!(refusal(Edit::MoveItem { item: kes("53"), start: TODAY }), "KES-53 has no dates yet");
    assert_eq!(refusal(Edit::MoveItem { item: kes("40"), start: Date::MAX }), "the date lies outside the calendar");
    assert_eq!(refusal(Edit::MoveItem { item: kes("999"), start: TODAY }), "there is no item KES-999");
}

#[test]
fn a_card_lands_where_it_was_dropped_and_its_days_follow() {
    let cards = |plan: &Plan, column: &str| -> Vec<String> {
        plan.roadmap.cards(column).map(|item| item.id.0[4..].to_owned()).collect()
    };
    let drop = |column: &str, index| Edit::MoveCard { item: kes("36"), column: column.to_owned(), index, on: TODAY };
    assert_eq!(cards(&after(drop("Ready", 0)), "Ready"), ["36", "33", "38", "40"]);
    assert_eq!(cards(&after(drop("Ready", 9)), "Ready"), ["33", "38", "40", "36"]);
    assert_eq!(cards(&after(drop("Qualifying", 1)), "Qualifying"), ["09", "36", "15", "19", "20"]);
    let same = item(&after(drop("Ready", 0)), "36");
    assert_eq!(same.entered, Some(date(2026, 11, 28)), "moving within a column does not make a card young");
    let done = item(&after(drop("Done", 0)), "36");
    assert_eq!((done.entered, done.started, done.closed), (Some(TODAY), Some(TODAY), Some(TODAY)));
    assert_eq!(refusal(drop("Nowhere", 0)), "there is no column Nowhere");
}

#[test]
fn progress_brings_first_and_last_days() {
    let set = |n: &str, to: f64| Edit::SetProgress { item: kes(n), progress: Fraction::clamped(to), on: TODAY };
    let days = |n, to| {
        let item = item(&after(set(n, to)), n);
        (item.started, item.closed)
    };
    assert_eq!(days("40", 0.2), (Some(TODAY), None));
    assert_eq!(days("12", 1.0), (Some(date(2026, 10, 26)), Some(TODAY)));
    assert_eq!(days("12", 0.0), (None, None));
}

#[test]
fn a_deleted_item_leaves_no_reference() {
    let plan = after(Edit::DeleteItem(kes("12")));
    assert_eq!(plan.note(NoteId(1)).unwrap().anchor, None, "the note stays");
    assert_eq!(check_plan(&plan, Catalog::embedded()), []);
}

#[test]
fn dependencies_never_form_a_circle() {
    let add = |item: &str, on: &str| Edit::AddDependency { item: kes(item), dependency: Dependency::after(kes(on)) };
    assert_eq!(item(&after(add("26", "25")), "26").depends_on, [Dependency::after(kes("25"))]);
    assert_eq!(refusal(add("12", "04")), "KES-12 cannot wait for KES-04, because KES-04 already waits for KES-12");
    assert_eq!(refusal(add("12", "12")), "KES-12 cannot wait for KES-12, because KES-12 already waits for KES-12");
    assert_eq!(refusal(add("12", "999")), "there is no item KES-999");
    let gone = Edit::RemoveDependency { item: kes("04"), on: kes("12") };
    assert_eq!(refusal(gone), "there is no dependency of KES-04 on KES-12");
}

#[test]
fn a_new_baseline_leaves_the_past_alone() {
    let plan = after(Edit::SetBaseline { on: TODAY });
    assert_eq!(item(&plan, "03").baseline, item(&plan, "03").span());
    assert_eq!(item(&plan, "02").baseline, item(&sample(), "02").baseline);
    let gate = |name: &str| -> Gate { plan.roadmap.gate(name).unwrap().clone() };
    assert_eq!((gate("DVT").baseline, gate("EVT").baseline), (Some(date(2026, 12, 16)), Some(date(2026, 8, 7))));
}

#[test]
fn slices_obey_the_rules_of_the_fleet() {
    let block = |at, size: &str| Place::Block { at, size: size.parse().unwrap() };
    let place = |id: &str, place, shape: &str| Edit::PlaceSlice {
        pod: PodId::from("west-5p-1"),
        slice: Box::new(Slice {
            id: SliceId::from(id),
            team: None,
            color: 1,
            shape: shape.parse().unwrap(),
            twisted: false,
            place,
        }),
    };
    let free = after(place("new", block(Coord::new(12, 8, 8), "4x4x8"), "4x4x8"));
    assert_eq!(free.fleet.pod(&PodId::from("west-5p-1")).unwrap().slices.len(), 5);
    let refused = [
        place("ablation", block(Coord::new(12, 8, 8), "4x4x8"), "4x4x8"),
        place("a\nb", block(Coord::new(12, 8, 8), "4x4x8"), "4x4x8"),
        place("new", block(Coord::new(0, 8, 8), "4x4x8"), "4x4x8"),
        place("new", block(Coord::new(12, 12, 12), "4x4x8"), "4x4x8"),
        place("new", block(Coord::new(12, 8, 8), "4x4x4"), "4x4x8"),
        place("new", block(Coord::new(13, 8, 8), "3x3x3"), "3x3x3"),
        Edit::MoveSlice { slice: slice_ref("west-5p-1", "mm-pre"), place: block(Coord::new(0, 0, 4), "16x16x8") },
        Edit::RemoveSlice(slice_ref("west-5p-1", "nobody")),
        Edit::ClearFault { pod: PodId::from("west-5p-1"), component: Component::Chip(Coord::new(0, 0, 0)) },
    ];
    let messages: Vec<String> = refused.into_iter().map(refusal).collect();
    expect![[r#"
        there is already a slice ablation
        a name is one line of 1 to 200 characters
        pod west-5p-1, slice new: it shares 128 chips with slice ablation
        pod west-5p-1, slice new: 64 of its 128 chips lie outside the pod 16x16x16
        pod west-5p-1, slice new: a box of 4x4x4 cannot hold 4x4x8 in any direction
        pod west-5p-1, slice new: TPU v5p has no slice 3x3x3: inside one cube only a few meshes are offered; the nearest are 4x4x4, 2x4x4, 2x2x4, 2x2x2; a part of 4x4x4 would do
        pod west-5p-1, slice ablation: it shares 512 chips with slice mm-pre
        there is no slice nobody on west-5p-1
        there is no fault of that component on west-5p-1
    "#]].assert_eq(&(messages.join("\n") + "\n"));
}

#[test]
fn a_renamed_or_removed_slice_keeps_its_note() {
    let old = slice_ref("north-7x-1", "moe-long");
    let renamed = after(Edit::RenameSlice { slice: old.clone(), name: SliceId::from("moe-next") });
    let anchor = renamed.note(NoteId(3)).unwrap().anchor.clone();
    assert_eq!(anchor, Some(Anchor::Slice(slice_ref("north-7x-1", "moe-next"))));
    let removed = after(Edit::RemoveSlice(old));
    assert_eq!(removed.note(NoteId(3)).unwrap().anchor, None);
    assert_eq!(check_plan(&removed, Catalog::embedded()), []);
}

#[test]
fn a_job_follows_its_slice() {
    let old = slice_ref("north-7x-1", "moe-long");
    let workload = sample().workload(&old).cloned();
    assert!(workload.is_some());
    let renamed = after(Edit::RenameSlice { slice: old.clone(), name: SliceId::from("moe-next") });
    assert_eq!(renamed.workload(&slice_ref("north-7x-1", "moe-next")).cloned(), workload);
    assert_eq!(after(Edit::RemoveSlice(old.clone())).workload(&old), None);
    assert_eq!(after(Edit::SetWorkload { slice: old.clone(), workload: None }).workload(&old), None);
    let other = LiveWorkload::recommender();
    let changed = after(Edit::SetWorkload { slice: old.clone(), workload: Some(Box::new(other.clone())) });
    assert_eq!(changed.workload(&old), Some(&other));
    let mut emptied = after(Edit::ReplaceFleet(std::sync::Arc::default()));
    assert_eq!((emptied.jobs.len(), check_plan(&emptied, Catalog::embedded())), (0, vec![]));
    let slice = slice_ref("west-6e-3", "dev");
    assert!(Edit::SetWorkload { slice, workload: Some(Box::new(other)) }.apply(&mut emptied).is_err());
}

/// The embedded simulator can run everything that the sample plans, without a single finding.
#[test]
fn the_sample_jobs_run() {
    let plan = sample();
    let catalog = std::sync::Arc::new(Catalog::embedded().clone());
    let jobs = plan.jobs.to_vec();
    let input = LiveInput { fleet: plan.fleet, catalog, jobs, seed: plan.live.seed };
    let (_, findings) = LiveSim::new(&input).unwrap();
    assert_eq!(findings, []);
}

#[test]
fn a_fault_is_set_once_and_cleared() {
    let (pod, component) = (PodId::from("west-5p-1"), Component::Host(Coord::new(2, 0, 0)));
    let fault = |effect| Edit::SetFault { pod: pod.clone(), fault: Fault { component, effect, note: None } };
    let mut plan = after(fault(Effect::Down));
    fault(Effect::Silent).apply(&mut plan).unwrap();
    assert_eq!(plan.fleet.pod(&pod).unwrap().faults.iter().map(|f| f.effect).collect::<Vec<_>>(), [Effect::Silent]);
    Edit::ClearFault { pod: pod.clone(), component }.apply(&mut plan).unwrap();
    assert_eq!(plan, sample());
}

#[test]
fn a_drag_through_a_forbidden_place_ends_as_one_step() {
    let mut history = History::new(sample());
    let slice = slice_ref("west-5p-1", "eval-nightly");
    for x in [8, 4, 12] {
        let place = Place::Block { at: Coord::new(x, 8, 8), size: Shape::solid(4, 8, 4) };
        let outcome = edit::apply(&mut history, Edit::MoveSlice { slice: slice.clone(), place }, Some(Gesture(1)));
        assert_eq!(outcome.is_ok(), x != 4, "{x}");
    }
    history.end_gesture();
    assert_eq!(history.undo().as_deref(), Some("Move slice"));
    assert_eq!(**history.present(), sample());
}

#[test]
fn a_broken_plan_is_described_and_still_editable() {
    let mut plan = Plan::new(DocumentId("d".to_owned()), "broken");
    let roadmap = std::sync::Arc::make_mut(&mut plan.roadmap);
    let mut a = Item::new(ItemId::from("A"), "a");
    (a.start, a.finish, a.lane) = (Some(TODAY), Some(date(2026, 11, 1)), Some("nowhere".to_owned()));
    a.depends_on = vec![Dependency::after(ItemId::from("Z"))];
    let b = Item { start: Some(TODAY), ..Item::new(ItemId::from("A"), "again") };
    roadmap.items = vec![a, b];
    let findings = check_plan(&plan, Catalog::embedded());
    let lines: Vec<String> =
        findings.iter().map(|f| format!("{:?} {} {}: {}", f.severity, f.code, f.where_, f.message)).collect();
    expect![[r#"
        Error duplicate-item item A: two items are called A
        Warning dangling-name item A: there is no lane nowhere
        Warning dangling-dependency item A: it waits for Z, which does not exist
        Error ends-before-start item A: it ends before it starts
        Warning half-dated item A: it has only one of start and finish, so it has no bar
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
    Edit::RenamePlan("mended".to_owned()).apply(&mut plan).unwrap();
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let ids: Vec<ItemId> = sample().roadmap.items.iter().map(|item| item.id.clone()).collect();
    let slices: Vec<SliceRef> = sample()
        .fleet
        .pods
        .iter()
        .flat_map(|pod| pod.slices.iter().map(|slice| SliceRef { pod: pod.id.clone(), slice: slice.id.clone() }))
        .collect();
    let day = (-60..200_i32).prop_map(|n| TODAY.checked_add(jiff::Span::new().days(n)).unwrap());
    let columns = prop::sample::select(vec!["Backlog", "Ready", "In progress", "Qualifying", "Done"]);
    let (id, other) = (prop::sample::select(ids.clone()), prop::sample::select(ids));
    let corner = (0..7_u16, 0..7_u16, 0..7_u16).prop_map(|(x, y, z)| Coord::new(4 * x, 4 * y, 4 * z));
    prop_oneof![
        (id.clone(), day.clone()).prop_map(|(item, start)| Edit::MoveItem { item, start }),
        (id.clone(), day.clone(), 0..1000_u32).prop_map(|(item, on, p)| Edit::SetProgress {
            item,
            progress: Fraction::clamped(f64::from(p) / 900.0),
            on
        }),
        (id.clone(), columns, 0..9_usize, day).prop_map(|(item, column, index, on)| Edit::MoveCard {
            item,
            column: column.to_owned(),
            index,
            on
        }),
        (id.clone(), other.clone())
            .prop_map(|(item, on)| Edit::AddDependency { item, dependency: Dependency::after(on) }),
        (id.clone(), other).prop_map(|(item, on)| Edit::RemoveDependency { item, on }),
        id.prop_map(Edit::DeleteItem),
        (prop::sample::select(slices.clone()), corner, prop::sample::select(vec!["4x4x4", "4x8x8", "16x16x8", "8x8"]))
            .prop_map(|(slice, at, size)| {
                Edit::MoveSlice { slice, place: Place::Block { at, size: size.parse().unwrap() } }
            }),
        prop::sample::select(slices).prop_map(Edit::RemoveSlice),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is done to the sound sample, it stays sound, a refused edit changes nothing, and undoing everything
    /// gives the sample back.
    #[test]
    fn no_edit_breaks_a_sound_plan(edits in prop::collection::vec(any_edit(), 1..12)) {
        let mut history = History::new(sample());
        for edit in edits {
            let before = std::sync::Arc::clone(history.present());
            if edit::apply(&mut history, edit, None).is_err() {
                prop_assert_eq!(&before, history.present());
            }
        }
        prop_assert_eq!(check_plan(history.present(), Catalog::embedded()), []);
        prop_assert!(schedule(&history.present().roadmap, TODAY).is_ok());
        while history.undo().is_some() {}
        prop_assert_eq!(&**history.present(), &sample());
    }
}

fn trial(product: &str) -> Trial {
    Trial::Sharded(Sharded {
        product: product.to_owned(),
        sizes: "I=8192,J=8192,K=8192".to_owned(),
        axes: "x=x,y=y".to_owned(),
        dtype: Dtype::Bf16,
        overlaps: false,
    })
}

/// Protects: a scenario is changed whole by its number, its faults in one order, and undone exactly.
#[test]
fn a_scenario_is_changed_by_its_number_and_undone() {
    let mut history = History::new(sample());
    let before = history.present().scenarios[0].clone();
    let (a, b) = (Component::Cube(Coord::new(0, 0, 1)), Component::Chip(Coord::new(0, 0, 0)));
    let changed =
        Scenario { trial: Some(trial("A[I_x,J].B[J,K_y]->C[I_x,K_y]")), faults: vec![a, b, a], ..before.clone() };
    assert!(edit::apply(&mut history, Edit::SetScenario(Box::new(changed.clone())), None).unwrap());
    assert_eq!(history.present().scenarios[0], Scenario { faults: vec![b, a], ..changed });
    history.undo().unwrap();
    assert_eq!(history.present().scenarios[0], before);
}

/// Protects: what a file could not hold, or what is not there, is refused with its reason.
#[test]
fn scenarios_that_no_file_could_hold_are_refused() {
    let good = sample().scenarios[0].clone();
    let missing = Scenario { id: ScenarioId(999), ..good.clone() };
    assert_eq!(refusal(Edit::SetScenario(Box::new(missing))), "there is no scenario 999");
    assert_eq!(refusal(Edit::DeleteScenario(ScenarioId(999))), "there is no scenario 999");
    assert_eq!(refusal(Edit::AddScenario(Box::new(good.clone()))), "there is already a scenario 1");
    let long = Scenario { trial: Some(trial(&"A".repeat(300))), ..good };
    assert_eq!(refusal(Edit::SetScenario(Box::new(long))), "a text is one line of 1 to 200 characters");
}
