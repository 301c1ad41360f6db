//! The store of observed series against a plain map, its bound, its export, and the time of servers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use telemetry::exposition::{Format, Limits, read};
use telemetry::labels::Labels;
use telemetry::registry::Registry;
use telemetry::tsdb::{Bounds, ClockOffset, Silence, Taken, Tsdb, counter_rates};

fn labels(n: usize) -> Labels {
    Labels::new([("__name__", "duty_cycle"), ("accelerator_id", &n.to_string())])
}

proptest! {
    /// Whatever comes in whatever order, the store gives back what a map holds, and says of each sample what it was.
    #[test]
    fn behaves_like_a_map(samples in prop::collection::vec((0..400_i64, 0..3_u8, 0..5_i32), 0..800), from in -10..400_i64, span in 0..400_i64) {
        let mut store = Tsdb::new(Bounds { late_ms: 100_000, ..Bounds::default() });
        let id = store.series_id(&labels(0)).unwrap();
        let mut model: BTreeMap<i64, f64> = BTreeMap::new();
        let mut clock = 0;
        for (jump, kind, value) in samples {
            // Mostly forwards; sometimes late, sometimes far too late.
            let at = match kind { 0 => clock - jump * 500, 1 => clock - jump, _ => clock + jump };
            clock = clock.max(at);
            let value = f64::from(value) / 4.0;
            let newest = model.last_key_value().map(|(at, _)| *at);
            let expected = match (newest, model.get(&at)) {
                (Some(newest), _) if newest - at > 100_000 => Taken::TooOld,
                (_, Some(have)) if *have == value => Taken::Duplicate,
                (_, Some(_)) => Taken::Replaced,
                (Some(newest), None) if at < newest => Taken::Late,
                _ => Taken::New,
            };
            let taken = store.append(id, at, value);
            prop_assert_eq!(taken, expected);
            if taken != Taken::TooOld {
                model.insert(at, value);
            }
        }
        let found: Vec<(i64, f64)> = store.range(id, from, from + span).collect();
        let expected: Vec<(i64, f64)> = model.range(from..=from + span).map(|(at, v)| (*at, *v)).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(store.n_samples(), model.len());
        prop_assert_eq!(store.last(id), model.last_key_value().map(|(at, v)| (*at, *v)));
    }
}

/// The bound holds, the oldest go first, and a frozen copy keeps what it had.
#[test]
fn the_bound_holds_and_a_frozen_copy_stays() {
    let bounds = Bounds { bytes: 180_000, ..Bounds::default() };
    let mut store = Tsdb::new(bounds);
    let ids: Vec<_> = (0..50).map(|n| store.series_id(&labels(n)).unwrap()).collect();
    let mut frozen = None;
    for minute in 0..20_000_i64 {
        let id = ids[(minute % 50) as usize];
        store.append(id, minute * 60_000, (minute as f64 * 0.7).sin());
        assert!(store.memory_bytes() <= bounds.bytes + 4_000, "{}", store.memory_bytes());
        if minute == 5_000 {
            frozen = Some(store.freeze());
        }
    }
    let counts = store.counts();
    assert!(counts.evicted > 100 && counts.new == 20_000, "{counts:?}");
    assert_eq!(store.n_samples() as u64, counts.new - counts.evicted);
    let mut frozen = frozen.unwrap();
    assert_eq!(frozen.last(ids[0]).unwrap().0, 5_000 * 60_000);
    assert_eq!(frozen.append(ids[0], i64::MAX, 1.0), Taken::Frozen);
    assert!(frozen.series_id(&labels(1_000)).is_err());
    assert!(store.range(ids[0], i64::MIN, i64::MAX).all(|(at, _)| at % 3_000_000 == 0));
}

#[test]
fn too_many_series_are_refused_with_the_figure() {
    let mut store = Tsdb::new(Bounds { series: 1, ..Bounds::default() });
    assert!(store.series_id(&labels(0)).is_ok());
    assert_eq!(
        store.series_id(&labels(1)).unwrap_err().to_string(),
        "there are 1 series already; ask for fewer, or aggregate them"
    );
    assert!(store.series_id(&labels(0)).is_ok());
    // Labels alone must not fill the store, or nothing would be left for samples.
    let mut small = Tsdb::new(Bounds { bytes: 20_000, ..Bounds::default() });
    let n = (0..100).take_while(|n| small.series_id(&labels(*n)).is_ok()).count();
    assert!((5..20).contains(&n) && small.memory_bytes() <= 10_000, "{n}");
}

#[test]
fn silence_is_told_and_counters_begin_anew() {
    let mut store = Tsdb::new(Bounds::default());
    let id = store.series_id(&labels(0)).unwrap();
    for (at, value) in [(0, 10.0), (15, 38.0), (30, 8.0), (300, 20.0), (315, 50.0)] {
        store.append(id, at * 1_000, value);
    }
    let silences = store.silences(id, 60_000, 500_000);
    assert_eq!(
        silences,
        [Silence { from_ms: 30_000, to_ms: Some(300_000) }, Silence { from_ms: 315_000, to_ms: None }]
    );
    let rates = counter_rates(store.range(id, 0, 400_000), 60_000);
    let found: Vec<(i64, f64, bool)> =
        rates.iter().map(|r| (r.at_ms / 1_000, r.per_second * 15.0, r.is_reset)).collect();
    assert_eq!(found, [(15, 28.0, false), (30, 8.0, true), (315, 30.0, false)]);
}

/// The export is read back sample by sample.
#[test]
fn what_is_exported_is_read_back() {
    let mut store = Tsdb::new(Bounds::default());
    for (name, n) in [("duty_cycle", 2), ("kueue_evicted_workloads_total", 1), ("mystery", 1)] {
        for i in 0..n {
            let id = store.series_id(&Labels::new([("__name__", name), ("x", &format!("a\"{i}\n"))])).unwrap();
            for t in 0..100 {
                store.append(id, t * 15_123, 0.1 * t as f64);
            }
        }
    }
    let text = store.write_openmetrics(String::new(), Registry::embedded()).unwrap();
    let page = read(text.as_bytes(), Format::OpenMetrics, Limits::default());
    assert_eq!(page.findings.as_slice(), []);
    assert_eq!(page.samples.len(), 400);
    let found: Vec<(i64, f64)> = page.samples[..100].iter().map(|s| (s.at_ms.unwrap(), s.value)).collect();
    let id = store.iter().find(|(_, l)| *l == &page.samples[0].labels).unwrap().0;
    assert_eq!(found, store.range(id, i64::MIN, i64::MAX).collect::<Vec<_>>());
}

/// The reply with the shortest way counts, and only what cannot be an error of it is shown.
#[test]
fn the_offset_of_a_server_is_known_within_its_error() {
    let mut clock = ClockOffset::default();
    assert_eq!((clock.offset_ms(), clock.server_ms(5)), (None, 5));
    let now = 1_796_000_000_000;
    clock.observe(now, now + 20_000, now / 1_000 + 437 + 10);
    clock.observe(now, now + 100, now / 1_000 + 437);
    let (offset, error) = clock.offset_ms().unwrap();
    assert!((offset - 437_000).abs() <= error && error <= 600, "{offset} {error}");
    assert!(clock.is_notable());
    let mut near = ClockOffset::default();
    near.observe(now, now + 100, now / 1_000 - 20);
    assert!(!near.is_notable());
}
