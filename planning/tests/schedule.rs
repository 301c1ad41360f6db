//! The critical-path method against a published network and its own laws.

#![allow(clippy::unwrap_used, reason = "tests")]

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use planning::roadmap::{Dependency, Gate, Item, ItemId, LinkKind, Roadmap, Span};
use planning::schedule::{ScheduleError, schedule};
use proptest::prelude::*;
use topology::units::Fraction;

const TODAY: Date = date(2026, 11, 30);

fn day(n: i32) -> Date {
    TODAY.checked_add(n.days()).unwrap()
}

/// An item that may begin on day `start` and takes `days` days.
fn item(id: &str, start: i32, days: i32, after: &[&str]) -> Item {
    let depends_on = after.iter().map(|on| Dependency::after(ItemId::from(*on))).collect();
    let (start, finish) = (Some(day(start)), Some(day(start + days - 1)));
    Item { start, finish, depends_on, ..Item::new(ItemId::from(id), id) }
}

fn roadmap(items: Vec<Item>) -> Roadmap {
    Roadmap { items, ..Roadmap::default() }
}

/// The textbook network of seven tasks without its zero-day end: early and late finishes and slacks computed by an
/// independent Python reference (2026-11-30).
#[test]
fn agrees_with_an_independent_reference() {
    let network = roadmap(vec![
        item("DVT", 0, 10, &[]),
        item("IMG", 0, 36, &[]),
        item("REP", 0, 20, &[]),
        item("PVT", 0, 30, &["DVT"]),
        item("PREV", 0, 40, &["PVT", "IMG"]),
        item("DOC", 0, 10, &["IMG"]),
    ]);
    let made = schedule(&network, TODAY).unwrap();
    let expected =
        [("DVT", 10, 10), ("IMG", 36, 40), ("REP", 20, 80), ("PVT", 40, 40), ("PREV", 80, 80), ("DOC", 46, 80)];
    for (id, early_finish, late_finish) in expected {
        let found = made.item(&ItemId::from(id)).unwrap();
        assert_eq!(found.finish, day(early_finish - 1), "{id}");
        assert_eq!(found.latest_finish, day(late_finish - 1), "{id}");
        assert_eq!(found.slack_days, late_finish - early_finish, "{id}");
    }
    assert_eq!(made.critical_path, ["DVT", "PVT", "PREV"].map(ItemId::from));
    assert_eq!(made.end, Some(day(79)));
}

#[test]
fn a_circle_is_named() {
    let network = roadmap(vec![
        item("A", 0, 1, &[]),
        item("D", 0, 1, &["A", "B"]),
        item("B", 0, 1, &["C"]),
        item("C", 0, 1, &["D"]),
        item("E", 0, 1, &["D"]),
    ]);
    let error = schedule(&network, TODAY).unwrap_err();
    assert_eq!(error, ScheduleError::Circle { items: ["B", "C", "D"].map(ItemId::from).to_vec() });
    assert_eq!(error.to_string(), "these items wait for each other in a circle: B → C → D → B");
}

#[test]
fn done_work_keeps_its_dates_and_open_work_cannot_lie_in_the_past() {
    let mut done = item("done", -30, 10, &[]);
    done.progress = Fraction::ONE;
    done.closed = Some(day(-18));
    let mut running = item("running", -20, 10, &["done"]);
    running.progress = Fraction::clamped(0.5);
    let late_start = item("late", -5, 3, &[]);
    let made = schedule(&roadmap(vec![done, running, late_start]), TODAY).unwrap();
    let dates = |id| made.item(&ItemId::from(id)).map(|item| (item.start, item.finish, item.pushed_days)).unwrap();
    assert_eq!(dates("done"), (day(-30), day(-18), 3), "closed three days after its plan");
    assert_eq!(dates("running"), (day(-20), day(0), 11), "not done, so not before today");
    assert_eq!(dates("late"), (day(0), day(2), 5), "not begun, so from today on");
}

#[test]
fn lags_and_finish_to_finish_links_hold_back() {
    let mut long = item("long", 0, 10, &[]);
    let on = ItemId::from("feed");
    long.depends_on = vec![Dependency { on: on.clone(), kind: LinkKind::FinishToFinish, lag_days: 5 }];
    let mut after = item("after", 0, 1, &[]);
    after.depends_on = vec![Dependency { on, kind: LinkKind::FinishToStart, lag_days: 2 }];
    let made = schedule(&roadmap(vec![item("feed", 0, 8, &[]), long, after]), TODAY).unwrap();
    assert_eq!(made.item(&ItemId::from("long")).unwrap().finish, day(7 + 5));
    assert_eq!(made.item(&ItemId::from("after")).unwrap().start, day(7 + 2 + 1));
    assert!(made.item(&ItemId::from("feed")).unwrap().is_critical);
}

#[test]
fn a_gate_is_passed_when_the_plan_says_and_what_it_needs_is_there() {
    let gate = |name: &str, planned: i32, needs: &[&str]| Gate {
        baseline: Some(day(10)),
        needs: needs.iter().map(|id| ItemId::from(*id)).collect(),
        ..Gate::new(name, day(planned))
    };
    let passed = Gate { passed: Some(day(-4)), ..gate("passed", -9, &["work"]) };
    let gates = vec![gate("pushed", 12, &["work"]), gate("planned", 30, &["work"]), gate("bare", -3, &[]), passed];
    let made = schedule(&Roadmap { gates, ..roadmap(vec![item("work", 0, 20, &[])]) }, TODAY).unwrap();
    let found: Vec<_> = made.gates.iter().map(|gate| (gate.expected, gate.late_days, gate.is_critical)).collect();
    let expected =
        [(day(19), Some(9), true), (day(30), Some(20), true), (day(0), Some(-10), false), (day(-4), Some(-14), false)];
    assert_eq!(found, expected);
}

#[test]
fn lateness_is_counted_from_the_baseline() {
    let mut late = item("late", 0, 10, &[]);
    late.baseline = Some(Span { start: day(0), finish: day(4) });
    let made = schedule(&roadmap(vec![late, item("free", 0, 3, &[])]), TODAY).unwrap();
    assert_eq!(made.items.iter().map(|item| item.late_days).collect::<Vec<_>>(), [Some(5), None]);
}

/// Random networks without circles: item i waits only for earlier ones.
fn network() -> impl Strategy<Value = Roadmap> {
    let one = (
        -20..20_i32,
        1..15_i32,
        prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 0..4_i16), 0..3),
        0..4_u8,
    );
    prop::collection::vec(one, 1..14).prop_map(|rows| {
        let mut items: Vec<Item> = Vec::new();
        for (i, (start, days, links, state)) in rows.into_iter().enumerate() {
            let mut new = item(&format!("K-{i}"), start, days, &[]);
            new.progress = Fraction::clamped(match state {
                0 => 1.0,
                1 => 0.5,
                _ => 0.0,
            });
            for (which, finish, lag_days) in links {
                if i > 0 {
                    let kind = if finish { LinkKind::FinishToFinish } else { LinkKind::FinishToStart };
                    new.depends_on.push(Dependency { on: items[which.index(i)].id.clone(), kind, lag_days });
                }
            }
            items.push(new);
        }
        roadmap(items)
    })
}

proptest! {
    /// Every open item starts and ends after what it waits for; the end is somebody's finish; and the order in which
    /// items are listed does not matter.
    #[test]
    fn obeys_every_link_whatever_the_order(network in network(), turn in 0..14_usize) {
        let made = schedule(&network, TODAY).unwrap();
        for item in network.items.iter().filter(|item| !item.is_done()) {
            let own = made.item(&item.id).unwrap();
            prop_assert!(own.start <= own.finish && own.finish >= TODAY);
            for link in &item.depends_on {
                let before = made.item(&link.on).unwrap();
                let free = before.finish.checked_add(i64::from(link.lag_days).days()).unwrap();
                prop_assert!(own.finish >= free);
                if link.kind == LinkKind::FinishToStart && !item.has_begun() {
                    prop_assert!(own.start > free);
                }
            }
        }
        prop_assert_eq!(made.end, made.items.iter().map(|item| item.finish).max());
        prop_assert!(made.items.iter().any(|item| item.is_critical));
        let mut turned = network.clone();
        turned.items.rotate_left(turn % network.items.len());
        let again = schedule(&turned, TODAY).unwrap();
        for item in &made.items {
            prop_assert_eq!(Some(item), again.item(&item.item));
        }
        prop_assert_eq!(made.critical_path, again.critical_path);
    }

    /// Slack is what it says: an item not begun that starts its slack later leaves the end where it was, and one day
    /// more moves it by a day.
    #[test]
    fn slack_is_exactly_what_may_be_lost(network in network(), which in any::<prop::sample::Index>()) {
        let made = schedule(&network, TODAY).unwrap();
        let open: Vec<&Item> = network.items.iter().filter(|item| !item.has_begun()).collect();
        prop_assume!(!open.is_empty());
        let own = made.item(&open[which.index(open.len())].id).unwrap();
        prop_assume!(own.slack_days >= 0);
        for (slip, moved) in [(own.slack_days, 0), (own.slack_days + 1, 1)] {
            let mut slipped = network.clone();
            let item = slipped.items.iter_mut().find(|item| item.id == own.item).unwrap();
            let days = item.span().unwrap().days();
            item.start = Some(own.finish.checked_add((slip - days + 1).days()).unwrap());
            item.finish = Some(own.finish.checked_add(slip.days()).unwrap());
            let end = schedule(&slipped, TODAY).unwrap().end.unwrap();
            prop_assert_eq!(end, made.end.unwrap().checked_add(moved.days()).unwrap());
        }
    }
}
