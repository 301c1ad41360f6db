//! One look at a source, as `podium observe` gives it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;
use telemetry::bind::{Host, Inventory, Mapping};
use telemetry::observe::{Decoded, Look, Observation, decode, observe};
use telemetry::registry::Registry;
use telemetry::tsdb::ClockOffset;
use topology::chip::GenerationId;
use topology::fleet::{Fleet, Place, Pod, Slice};
use topology::shape::{Coord, Shape};

const NOW: i64 = 1_796_069_000_000;

fn look(decoded: &Decoded, inventory: &Inventory, chips_expected: Option<usize>) -> Observation {
    let (mapping, registry) = (Mapping::default(), Registry::embedded());
    observe(decoded, Look { inventory, chips_expected, mapping: &mapping, registry, at_ms: NOW, clock: None })
}

fn duty_of(seen: &Observation) -> (usize, usize, Option<f64>, Option<f64>) {
    let duty = seen.metrics.iter().find(|metric| metric.metric == "duty_cycle").unwrap().coverage;
    (duty.chips_reporting, duty.chips_expected, duty.mean_of_reporting, duty.mean_of_reserved)
}

/// A page of one host without any fleet: four chips report, and nobody knows more.
#[test]
fn a_page_without_a_fleet_is_read_with_coverage() {
    let decoded = decode(include_str!("data/answers/device-plugin-v5p.prom"), None, NOW).unwrap();
    let seen = look(&decoded, &Inventory::default(), None);
    assert_eq!(duty_of(&seen), (4, 4, Some(72.5), Some(72.5)));
    assert_eq!(
        (seen.age_seconds, seen.partial, seen.binding.n_chips, seen.binding.n_devices),
        (Some(0.0), false, 0, 4)
    );
    assert!(seen.findings.iter().any(|finding| finding.code == "two-id-spaces"));
}

/// With a fleet the same page is one host of a slice of 1,024 chips.
#[test]
fn a_page_of_a_known_host_is_a_part_of_its_fleet() {
    let shape = Shape::solid(8, 8, 16);
    let place = Place::Block { at: Coord::default(), size: shape };
    let slice = Slice { id: "s".into(), team: None, color: 1, shape, twisted: false, place };
    let generation = GenerationId("v5p".to_owned());
    let pod =
        Pod { id: "p".into(), generation, shape, slices: vec![slice], spares: vec![], faults: vec![], hosts: vec![] };
    let host = Host {
        instance_id: Some("6120394857610293841".to_owned()),
        ..Host::of_block("p".into(), Coord::new(4, 2, 6), Shape::solid(2, 2, 1))
    };
    let inventory = Inventory::new(&Fleet { name: String::new(), pods: vec![pod] }, vec![host]);
    let decoded = decode(include_str!("data/answers/device-plugin-v5p.prom"), None, NOW).unwrap();
    let seen = look(&decoded, &inventory, Some(1_024));
    assert_eq!(duty_of(&seen), (4, 1_024, Some(72.5), Some(290.0 / 1_024.0)));
    let json = serde_json::to_value(&seen).unwrap();
    for key in ["series", "samples", "findings", "partial", "age_seconds", "clock_offset_seconds"] {
        assert!(json.get(key).is_some(), "{key}");
    }
    for key in ["chips_expected", "chips_reporting", "coverage_fraction", "mean_of_reporting", "mean_of_reserved"] {
        assert!(json["metrics"][0].get(key).is_some(), "{key}");
    }
}

#[test]
fn every_form_is_known_by_its_text_and_partial_answers_say_so() {
    let series = |text: &str| decode(text, None, NOW).unwrap().series.len();
    assert_eq!(series(include_str!("data/answers/timeseries_list.json")), 2);
    assert_eq!(series(include_str!("data/answers/query_instant_special.json")), 5);
    assert!(series(include_str!("data/answers/libtpu_sdk_strings.json")) > 10);
    assert!(decode(include_str!("data/answers/error_timeout_503.json"), None, NOW).is_err());
    assert!(decode("<html></html>", None, NOW).is_err());
    let is_partial = |kind: &str| !decode("x 1", Some(kind), NOW).unwrap().partial.is_empty();
    assert!(is_partial("application/openmetrics-text") && !is_partial("text/plain"));
    let partial = decode(include_str!("data/answers/query_victoriametrics_partial.json"), None, NOW).unwrap();
    let seen = look(&partial, &Inventory::default(), None);
    assert!(seen.partial && seen.metrics[0].coverage.is_partial);
    assert_eq!(seen.age_seconds, Some(32.637), "the sample is older than the look");
}

/// The server's clock counts for ages, and is told when it is far off.
#[test]
fn ages_are_those_of_the_server() {
    let mut clock = ClockOffset::default();
    clock.observe(NOW, NOW, NOW / 1_000 + 437);
    let decoded = decode("duty_cycle{accelerator_id=\"1-0\"} 5 1796069400000\n", None, NOW).unwrap();
    let (inventory, mapping, registry) = (Inventory::default(), Mapping::default(), Registry::embedded());
    let seen = observe(
        &decoded,
        Look {
            inventory: &inventory,
            chips_expected: None,
            mapping: &mapping,
            registry,
            at_ms: NOW,
            clock: Some(&clock),
        },
    );
    assert_eq!((seen.age_seconds, seen.clock_offset_seconds), (Some(37.5), Some(437.5)));
    assert!(seen.findings.iter().any(|finding| finding.code == "clock-offset"));
}

proptest! {
    #[test]
    fn any_text_is_survived(parts in prop::collection::vec(prop::sample::select(vec!["duty_cycle", "{", "}", "\"", "accelerator_id=\"1-0\"", " 5", "\n", "[", "]", ":", "é", "# EOF", "\"timeSeries\"", "NaN"]), 0..30)) {
        if let Ok(decoded) = decode(&parts.concat(), None, NOW) {
            let seen = look(&decoded, &Inventory::default(), None);
            prop_assert_eq!(seen.series, decoded.series.len());
        }
    }
}
