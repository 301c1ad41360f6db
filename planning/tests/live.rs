//! The sample in motion: what its faults do is found again in the facts.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::sync::Arc;

use planning::sample;
use simulator::live::{LiveInput, LiveSim, Measure};
use telemetry::straggler::stragglers;
use telemetry::{Batch, Metric, Origin, Store, stats};
use topology::chip::Catalog;
use topology::fleet::{Fleet, PodId};
use topology::shape::Coord;

/// Cube 2 1 3 of pretrain-main holds back the other 63 cubes: it is the one that never waits. Four hosts are silent.
#[test]
fn the_slow_cube_is_found_and_the_silent_hosts_are_missing() {
    let plan = sample();
    let pod = plan.fleet.pod(&PodId::from("north-7x-1")).unwrap().clone();
    let fleet = Arc::new(Fleet { name: String::new(), pods: vec![pod.clone()] });
    let jobs = plan.jobs.iter().filter(|job| job.slice.0 == "pretrain-main").cloned().collect();
    let input = LiveInput { fleet, catalog: Arc::new(Catalog::embedded().clone()), jobs, seed: plan.live.seed };
    let (live, _) = LiveSim::new(&input).unwrap();
    let mut store = Store::new(60, 360);
    for minute in 1..=8_u32 {
        let frame = live.sample(f64::from(minute) * 60.0);
        let values: Vec<Option<f32>> = frame.pods[0].column(Measure::DutyCycle).iter().collect();
        let at = plan.live.epoch_unix_seconds + i64::from(minute) * 60;
        let batch = Batch { pod: &pod.id, origin: Origin::Simulated, at, metric: Metric::DutyCycle, values: &values };
        assert_eq!(store.ingest(batch), []);
    }
    let now = store.newest().unwrap();
    let cubes: Vec<Coord> = topology::shape::Shape::solid(4, 4, 4).coords().collect();
    let chips = |cube: &Coord| pod.chips_of_cube(*cube).map(|chip| pod.shape.index_of(chip) as u32).collect();
    let units: Vec<Vec<u32>> = cubes.iter().map(chips).collect();
    let frame = store.frame(&pod.id, Metric::DutyCycle, now).unwrap();
    let all: Vec<u32> = units.concat();
    let whole = stats::summary(frame.of(&all)).unwrap();
    assert_eq!((whole.n_present, whole.n_missing), (4_080, 16));
    let slow = cubes.iter().position(|cube| *cube == Coord::new(2, 1, 3)).unwrap();
    let rule = plan.thresholds.straggler_rule();
    let found = stragglers(&store, (&pod.id, Metric::DutyCycle), &units, now, rule);
    assert_eq!(found.iter().map(|straggler| straggler.unit).collect::<Vec<_>>(), [slow]);
    let [straggler] = found[..] else { unreachable!("one unit was found") };
    assert!(straggler.mean > straggler.others_mean + 0.1, "{straggler:?}");
    assert_eq!(straggler.since, plan.live.epoch_unix_seconds + 60, "slow from the first minute on");
}
