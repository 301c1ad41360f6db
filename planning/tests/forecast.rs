//! Forecasts against exact and published values, and against other ways of running them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use common::near;
use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use planning::calendar::WorkCalendar;
use planning::estimate::{Distribution, Estimate};
use planning::forecast::{ForecastError, Outcome, Simulation, Target};
use planning::roadmap::{Dependency, Gate, Item, ItemId, Roadmap};
use planning::schedule::schedule;
use planning::throughput;
use proptest::prelude::*;

const TODAY: Date = date(2026, 11, 30);

/// A network with three points a task and what it waits for, as an independent Python reference has it (2026-11-30).
const NETWORK: [(&str, [f64; 3], &[&str]); 7] = [
    ("DVT", [8.0, 10.0, 18.0], &[]),
    ("IMG", [25.0, 36.0, 60.0], &[]),
    ("REP", [15.0, 20.0, 31.0], &[]),
    ("PVT", [25.0, 30.0, 47.0], &["DVT"]),
    ("PREV", [30.0, 40.0, 62.0], &["PVT", "IMG"]),
    ("DOC", [8.0, 10.0, 12.0], &["IMG"]),
    ("GA", [0.0, 0.0, 0.0], &["PREV", "REP", "DOC"]),
];

fn network() -> Roadmap {
    let item = |(id, [o, m, p], after): &(&str, [f64; 3], &[&str])| {
        let finish = TODAY.checked_add(((*m as i32) - 1).max(0).days()).unwrap();
        Item {
            start: Some(TODAY),
            finish: Some(finish),
            milestone: *m == 0.0,
            estimate: Estimate::new(*o, *m, *p),
            depends_on: after.iter().map(|on| Dependency::after(ItemId::from(*on))).collect(),
            ..Item::new(ItemId::from(*id), *id)
        }
    };
    Roadmap { items: NETWORK.iter().map(item).collect(), ..Roadmap::default() }
}

fn run(roadmap: &Roadmap, runs: u32, seed: u64) -> Outcome {
    let simulation = Simulation::new(roadmap, TODAY).unwrap();
    simulation.outcome(&[simulation.run(0..runs, seed, &mut |_| true).unwrap()]).unwrap()
}

/// Protects P50, P85, the chance of the plan and criticality: figures of an independent Python simulation of 200,000
/// runs (2026-11-30), within 0.3 days and 0.005.
#[test]
fn agrees_with_an_independent_simulation() {
    let outcome = run(&network(), 200_000, 0);
    let end = &outcome.targets[0];
    assert_eq!(end.target, Target::End);
    for (share, days) in [(0.5, 91.1), (0.8, 98.79), (0.85, 100.61), (0.95, 106.04)] {
        near(end.quantile_days(share), days, 0.3, "quantile");
    }
    near(end.share_within_days(80.0), 0.0819, 0.005, "within the plan");
    let criticality = [0.7347, 0.2653, 0.0, 0.7347, 1.0, 0.0, 1.0];
    let ids = ["DVT", "IMG", "REP", "PVT", "PREV", "DOC", "GA"];
    for (id, expected) in ids.iter().zip(criticality) {
        let (_, share) = outcome.criticality.iter().find(|(item, _)| item.0 == *id).unwrap();
        near(*share, expected, 0.005, id);
    }
    near(outcome.likely_end_days, 80.0, 0.0, "the plan with most likely lengths");
    assert!(outcome.merge_bias_days > 1.0, "{}", outcome.merge_bias_days);
    assert_eq!(end.forecast.p50, TODAY.checked_add(91.days()).unwrap());
}

#[test]
fn the_longest_chain_of_pert_means() {
    let roadmap = network();
    let pert: Vec<Estimate> = roadmap.items.iter().map(|item| item.estimate.unwrap()).collect();
    let means = [11.0, 38.1667, 21.0, 32.0, 42.0, 10.0, 0.0];
    for (estimate, mean) in pert.iter().zip(means) {
        near(estimate.pert_mean_days(), mean, 5e-5, "mean");
    }
    let path = [0, 3, 4, 6];
    near(path.iter().map(|i| pert[*i].pert_mean_days()).sum(), 85.0, 5e-5, "path");
    let variance: f64 = path.iter().map(|i| pert[*i].pert_sd_days().powi(2)).sum();
    near(variance.sqrt(), 6.6833, 5e-5, "deviation");
    let mut beta = roadmap;
    for item in &mut beta.items {
        item.estimate = item.estimate.map(|estimate| estimate.with(Distribution::Pert));
    }
    near(run(&beta, 2_000, 1).mean_length_end_days, 85.0, 1e-9, "forward pass with means");
}

/// Protects against forecasts that depend on the machine: any split of the runs gives the same outcome, bit by bit.
#[test]
fn the_split_of_runs_does_not_show() {
    let roadmap = network();
    let simulation = Simulation::new(&roadmap, TODAY).unwrap();
    let sample = |range| simulation.run(range, 7, &mut |_| true).unwrap();
    let whole = simulation.outcome(&[sample(0..1_000)]).unwrap();
    let parts = [sample(600..1_000), sample(0..1), sample(1..600)];
    assert_eq!(simulation.outcome(&parts).unwrap(), whole);
    let threads: Vec<_> = std::thread::scope(|scope| {
        let spawned: Vec<_> = (0..4).map(|i| scope.spawn(move || i * 250..(i + 1) * 250)).collect();
        spawned.into_iter().map(|thread| sample(thread.join().unwrap())).collect()
    });
    assert_eq!(simulation.outcome(&threads).unwrap(), whole);
    assert_ne!(simulation.outcome(&[simulation.run(0..1_000, 8, &mut |_| true).unwrap()]).unwrap(), whole);
}

#[test]
fn a_forecast_can_be_cancelled_and_tells_how_far_it_is() {
    let roadmap = network();
    let simulation = Simulation::new(&roadmap, TODAY).unwrap();
    let mut told = Vec::new();
    let cancelled = simulation.run(0..10_000, 0, &mut |made| {
        told.push(made);
        made < 128
    });
    assert_eq!((cancelled, told), (Err(ForecastError::Cancelled), vec![64, 128]));
    assert_eq!(simulation.outcome(&[]), Err(ForecastError::NoRuns));
    assert!(matches!(simulation.check(u32::MAX), Err(ForecastError::TooMany { .. })));
}

/// Without chance the forecast is the schedule: same ends, with calendars, lags, work in progress and gates.
#[test]
fn certain_lengths_give_the_schedule() {
    let mut roadmap = network();
    for item in &mut roadmap.items {
        item.estimate = None;
    }
    roadmap.calendars = vec![WorkCalendar { holidays: vec![date(2026, 12, 25)], ..WorkCalendar::weekdays("office") }];
    roadmap.calendar = Some("office".to_owned());
    roadmap.items[3].depends_on[0].lag_days = 3;
    roadmap.items[5].depends_on[0].lag_days = -4;
    roadmap.gates =
        vec![Gate { needs: vec![ItemId::from("PVT"), ItemId::from("DOC")], ..Gate::new("PVT exit", TODAY) }];
    let made = schedule(&roadmap, TODAY).unwrap();
    let mut simulation = Simulation::new(&roadmap, TODAY).unwrap();
    for item in &roadmap.items {
        simulation.watch(&roadmap, Target::Item(item.id.clone()));
    }
    let outcome = simulation.outcome(&[simulation.run(0..3, 0, &mut |_| true).unwrap()]).unwrap();
    for reached in &outcome.targets {
        let expected = match &reached.target {
            Target::End => made.end.unwrap(),
            Target::Item(id) => made.item(id).unwrap().finish,
            Target::Gate(name) => made.gate(name).unwrap().expected,
        };
        assert_eq!(reached.forecast.p50, expected, "{:?}", reached.target);
        assert_eq!((reached.share_by(expected), reached.share_by(expected.yesterday().unwrap())), (1.0, 0.0));
    }
    assert_eq!(outcome.without_estimate.len(), 6);
}

/// Exact values by convolution of an independent Python reference (2026-11-30).
#[test]
fn throughput_agrees_with_an_independent_convolution() {
    let history = [3, 0, 4, 2, 5, 1, 3, 4, 2, 3];
    let when = throughput::when(&history, 30, 0).unwrap();
    assert!(when.is_exact);
    assert_eq!([0.5, 0.85, 0.95].map(|share| when.periods(share)), [Some(11), Some(13), Some(15)]);
    near(when.share_within(10), 0.293_748, 5e-7, "10 weeks");
    near(when.share_within(12), 0.724_783, 5e-7, "12 weeks");
    let many = [0.5, 0.85, 0.95].map(|share| throughput::how_many(&history, 8, share));
    assert_eq!(many, [Some(22), Some(17), Some(15)]);
    assert_eq!(throughput::when(&[0, 0], 3, 0), None);
    let huge = throughput::when(&history, 400_000, 0);
    assert!(huge.is_some_and(|when| !when.is_exact && when.periods(0.5).is_none()));
}

proptest! {
    /// The simulation and the exact answer are two ways to one number.
    #[test]
    fn simulated_throughput_agrees_with_the_exact(
        history in prop::collection::vec(0..6_u32, 1..8), remaining in 1..25_u32, seed in any::<u64>(),
    ) {
        prop_assume!(history.iter().any(|n| *n > 0));
        let exact = throughput::when(&history, remaining, seed).unwrap();
        let drawn = throughput::simulated(&history, remaining, seed);
        for periods in 1..exact.done.len().min(drawn.done.len()) {
            prop_assert!((exact.share_within(periods) - drawn.share_within(periods)).abs() < 0.025);
        }
    }

    /// A forecast never lies before the plan that luck cannot beat, nor after the one that nothing can worsen.
    #[test]
    fn ends_lie_between_best_and_worst(points in prop::collection::vec((0.0..9.0_f64, 0.0..9.0_f64, 0.0..9.0_f64), 1..8)) {
        let mut roadmap = Roadmap::default();
        let (mut best, mut worst) = (0.0, 0.0);
        for (i, (a, b, c)) in points.into_iter().enumerate() {
            let estimate = Estimate::new(a, a + b, a + b + c).unwrap();
            (best, worst) = (best + a, worst + a + b + c);
            let depends_on = i.checked_sub(1).map(|i| Dependency::after(ItemId(i.to_string()))).into_iter().collect();
            let (start, finish) = (Some(TODAY), Some(TODAY));
            let id = ItemId(i.to_string());
            roadmap.items.push(Item { start, finish, depends_on, estimate: Some(estimate), ..Item::new(id, "x") });
        }
        let outcome = run(&roadmap, 200, 1);
        let end = &outcome.targets[0];
        prop_assert!(end.quantile_days(0.0) >= best - 1e-9 && end.quantile_days(1.0) <= worst + 1e-9);
        prop_assert!(outcome.merge_bias_days.abs() < 3.0, "a chain has nothing that merges");
    }
}
