//! How fast schedules and forecasts are: `cargo run --release -p podium-planning --example planning_bench`.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a benchmark prints a table of measured times")]

use std::time::Instant;

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use planning::calendar::WorkCalendar;
use planning::estimate::Estimate;
use planning::forecast::Simulation;
use planning::roadmap::{Dependency, Item, ItemId, LinkKind, Roadmap};
use planning::schedule::schedule;

const TODAY: Date = date(2026, 11, 30);

/// `n` items in a calendar with holidays, each waiting for up to three earlier ones.
fn roadmap(n: u64) -> Roadmap {
    const KINDS: [LinkKind; 4] =
        [LinkKind::FinishToStart, LinkKind::StartToStart, LinkKind::FinishToFinish, LinkKind::FinishToStart];
    let calendar =
        WorkCalendar { holidays: vec![date(2026, 12, 25), date(2027, 1, 1)], ..WorkCalendar::weekdays("week") };
    let mut made = Roadmap { calendars: vec![calendar], calendar: Some("week".to_owned()), ..Roadmap::default() };
    for i in 0..n {
        let links = (1..=3).filter(|k| i >= k * 7).map(|k| Dependency {
            on: ItemId(format!("K-{}", i - k * 7)),
            kind: KINDS[((i + k) % 4) as usize],
            lag_days: (i % 3) as i16,
        });
        let depends_on = links.collect();
        let days = 3 + i % 9;
        let finish = TODAY.checked_add((days as i64).days()).ok();
        let estimate = Estimate::new(days as f64 * 0.8, days as f64, days as f64 * 1.7);
        let id = ItemId(format!("K-{i}"));
        made.items.push(Item { start: Some(TODAY), finish, depends_on, estimate, ..Item::new(id, "work") });
    }
    made
}

/// Milliseconds of the fastest of some calls.
fn fastest(calls: u32, mut call: impl FnMut()) -> f64 {
    let times = (0..calls).map(|_| {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64() * 1e3
    });
    times.fold(f64::INFINITY, f64::min)
}

fn main() {
    let large = roadmap(10_000);
    let rescheduled = fastest(5, || assert!(schedule(&large, TODAY).is_ok()));
    let small = roadmap(200);
    let Ok(simulation) = Simulation::new(&small, TODAY) else { return };
    let simulated = fastest(3, || {
        let sample = simulation.run(0..10_000, 0, &mut |_| true);
        assert!(sample.and_then(|sample| simulation.outcome(&[sample])).is_ok());
    });
    println!("{:<44} {:>10} {:>10} {:>8}", "what", "ms", "limit ms", "ratio");
    for (what, ms, limit) in
        [("reschedule 10,000 tasks", rescheduled, 50.0), ("10,000 Monte Carlo runs of 200 tasks", simulated, 1_000.0)]
    {
        println!("{what:<44} {ms:>10.1} {limit:>10.0} {:>8.2}", ms / limit);
    }
}
