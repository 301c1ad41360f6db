//! What broke other people's tools, by the ids of the list of such cases: each input with its right behaviour.
//!
//! Cases that need sockets, a clock or a window (C41's last good data, C45 in the window, C47, C49's picture) are shown there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;

use telemetry::Metric;
use telemetry::bind::{Binding, Host, How, Inventory, Mapping, Reading, Unbound, bind, frames};
use telemetry::coverage::coverage;
use telemetry::derived::{PeakFormat, density, mfu};
use telemetry::exposition::{self, Format, read};
use telemetry::labels::Labels;
use telemetry::prometheus::{
    Limits, PlanError, QueryData, RangeRequest, Retry, plan, query, retry, sdk_strings, selector,
};
use telemetry::promql::{eval, parse};
use telemetry::registry::{Registry, Scope, Watch};
use telemetry::rules::rule_file;
use telemetry::tsdb::{Bounds, ClockOffset, Silence, Tsdb};
use topology::chip::{Catalog, GenerationId};
use topology::fleet::{Fleet, Place, Pod, Slice};
use topology::shape::{Coord, Shape};
use topology::units::FlopPerSec;

const V5P: &str = include_str!("data/answers/device-plugin-v5p.prom");
const TPU7X: &str = include_str!("data/answers/device-plugin-tpu7x-host-only.prom");
const ID: &str = "6120394857610293841";

/// A pod that is one slice, with one known host whose first chip is there.
fn inventory(generation: &str, shape: Shape, first: Coord, block: Shape, id: &str) -> Inventory {
    let place = Place::Block { at: Coord::default(), size: shape };
    let slice = Slice { id: "s".into(), team: None, color: 1, shape, twisted: false, place };
    let generation = GenerationId(generation.to_owned());
    let pod =
        Pod { id: "p".into(), generation, shape, slices: vec![slice], spares: vec![], faults: vec![], hosts: vec![] };
    let host = Host { instance_id: Some(id.to_owned()), ..Host::of_block("p".into(), first, block) };
    Inventory::new(&Fleet { name: String::new(), pods: vec![pod] }, vec![host])
}

fn v5p_host(id: &str) -> Inventory {
    inventory("v5p", Shape::solid(8, 8, 16), Coord::new(4, 2, 6), Shape::solid(2, 2, 1), id)
}

fn bound(series: &[Labels], inventory: &Inventory) -> Binding {
    bind(series, inventory, &Mapping::default(), Registry::embedded())
}

fn of(name: &str, id: &str, number: u64) -> Labels {
    Labels::new([("__name__", name), ("accelerator_id", &format!("{id}-{number}"))])
}

/// Chips of the bound series by metric.
fn chips(series: &[Labels], binding: &Binding) -> BTreeMap<String, Vec<Coord>> {
    let mut chips: BTreeMap<String, Vec<Coord>> = BTreeMap::new();
    for (labels, target) in series.iter().zip(&binding.targets) {
        if let Ok(target) = target {
            chips.entry(labels.name().to_owned()).or_default().push(target.chip);
        }
    }
    chips
}

fn page(text: &str) -> exposition::Page {
    read(text.as_bytes(), Format::Text, exposition::Limits::default())
}

#[test]
fn c01_runtime_and_host_rows_meet_on_four_chips() {
    let page = page(V5P);
    let series: Vec<Labels> = page.samples.iter().map(|sample| sample.labels.clone()).collect();
    let binding = bound(&series, &v5p_host(ID));
    let expected = [(4, 2), (5, 2), (4, 3), (5, 3)].map(|(x, y)| Coord::new(x, y, 6));
    let found = chips(&series, &binding);
    for name in ["duty_cycle", "memory_used", "memory_total", "tensorcore_utilization", "memory_bandwidth_utilization"]
    {
        assert_eq!(found[name], expected, "{name}");
    }
    assert_eq!((binding.report.n_chips, binding.report.n_devices), (4, 4), "no fifth to eighth chip");
    let host_row = series.iter().position(|labels| labels.name() == "tensorcore_utilization").unwrap();
    assert_eq!(binding.targets[host_row].as_ref().unwrap().how.badge(), "matched by order");
}

#[test]
fn c02_overlapping_numbers_are_never_joined_by_number() {
    let runtime = [0, 1, 8, 9].map(|n| of("duty_cycle", ID, n));
    let host = [0, 1, 2, 3].map(|n| of("tensorcore_utilization", ID, n));
    let series = [runtime, host].concat();
    let first = inventory("v5p", Shape::solid(8, 8, 16), Coord::default(), Shape::solid(2, 2, 1), ID);
    let binding = bound(&series, &first);
    let found = chips(&series, &binding);
    assert_eq!(found["duty_cycle"], found["tensorcore_utilization"]);
    assert_eq!((found["duty_cycle"].len(), binding.report.n_chips), (4, 4));
    // Without any inventory four devices are still four.
    assert_eq!(bound(&series, &Inventory::default()).report.n_devices, 4);
}

#[test]
fn c04_a_total_of_zero_is_no_total() {
    let page = page(
        "memory_total{accelerator_id=\"1-0\"} 0\nmemory_used{accelerator_id=\"1-0\"} 0\nmemory_used{accelerator_id=\"1-1\"} 5\n",
    );
    assert_eq!(page.samples.len(), 3);
    let mut store = Tsdb::new(Bounds::default());
    for sample in &page.samples {
        let id = store.series_id(&sample.labels).unwrap();
        store.append(id, 0, sample.value);
    }
    let share = parse("memory_used / (memory_total > 0)").unwrap();
    assert_eq!(eval(&share, &store, 0).unwrap().into_vector(), [], "no NaN, no full bar");
}

#[test]
fn c05_three_of_four_chips_are_three_of_four() {
    let series = [0, 1, 3].map(|n| of("tensorcore_utilization", ID, n));
    let binding = bound(&series, &v5p_host(ID));
    let inventory = v5p_host(ID);
    let readings = series.iter().zip(&binding.targets).map(|(labels, target)| Reading {
        target: target.as_ref().unwrap(),
        name: labels.name(),
        at: 0,
        value: 60.0,
    });
    let frame = &frames(readings, &inventory, Registry::embedded(), 60)[0];
    let host: Vec<Option<f64>> = inventory.hosts()[0]
        .chips
        .iter()
        .map(|chip| frame.values[Shape::solid(8, 8, 16).index_of(*chip)].map(f64::from))
        .collect();
    assert_eq!(
        host.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, true, false, true],
        "the missing one keeps its place"
    );
    let found = coverage(host, 4, false);
    assert_eq!(
        (found.chips_reporting, found.coverage_fraction, found.mark().as_str()),
        (3, Some(0.75), "3 of 4 chips")
    );
    assert!((found.mean_of_reporting.unwrap() - 0.6).abs() < 1e-6, "never drawn down by the missing one");
}

#[test]
fn c06_reserved_chips_without_series_count_in_the_second_mean() {
    let found = coverage([Some(40.0); 5], 8, false);
    assert_eq!(
        (found.mean_of_reporting, found.mean_of_reserved, found.coverage_fraction),
        (Some(40.0), Some(25.0), Some(0.625))
    );
}

#[test]
fn c08_an_assumed_peak_is_said() {
    let generation = Catalog::embedded().find("tpu7x").unwrap();
    let useful = FlopPerSec::new(2.3e15);
    let assumed = mfu(useful, generation, None).unwrap();
    assert_eq!(assumed.assumed.as_deref(), Some("peak assumed: bf16"));
    let fp8 = mfu(useful, generation, Some(PeakFormat::Fp8)).unwrap();
    assert_eq!(fp8.assumed, None);
    let peaks = generation
        .peak_fp8_flop_per_s
        .as_ref()
        .unwrap()
        .value
        .ratio(generation.peak_bf16_flop_per_s.as_ref().unwrap().value);
    assert!((assumed.mfu_fraction / fp8.mfu_fraction - peaks.unwrap()).abs() < 1e-12, "the format decides");
    let v4 = Catalog::embedded().find("v4").unwrap();
    assert_eq!(mfu(useful, v4, Some(PeakFormat::Fp8)), None, "no such peak is no share");
}

#[test]
fn c09_allocation_is_not_chips_that_run() {
    let registry = Registry::embedded();
    let quota = registry.find("serviceruntime.googleapis.com/quota/allocation/usage").unwrap().spec;
    assert_eq!(quota.scope, Scope::Project);
    assert!(quota.is_not.contains("allocation") && quota.chip_metric().is_none());
    let series: Vec<Labels> = (0..512)
        .map(|i| {
            Labels::new([("__name__", "serviceruntime_googleapis_com:quota_allocation_usage"), ("i", &i.to_string())])
        })
        .collect();
    let binding = bound(&series, &Inventory::default());
    assert_eq!((binding.report.n_devices, binding.report.n_chips), (0, 0), "series are no chips");
    assert_eq!(binding.report.unplaced[0].n_series, 512);
}

#[test]
fn c10_series_without_a_tpu_name_stay_unplaced() {
    let series: Vec<Labels> = (0..96)
        .map(|i| {
            Labels::new([
                ("__name__", "tpu_googleapis_com:accelerator_duty_cycle"),
                ("worker_id", &i.to_string()),
                ("location", "us-central1-a"),
                ("accelerator_id", "0"),
            ])
        })
        .collect();
    let binding = bound(&series, &v5p_host(ID));
    assert_eq!(binding.report.unplaced.len(), 1);
    assert_eq!((binding.report.unplaced[0].n_series, binding.report.n_chips), (96, 0));
    assert!(binding.targets.iter().all(|target| matches!(target, Err(Unbound::NoHost { .. }))));
}

#[test]
fn c11_devices_are_chips_or_cores_by_what_the_host_has() {
    // A v5e host of eight chips.
    let v5e: Vec<Labels> = (0..8).map(|n| of("duty_cycle", "1", n).with("model", "tpu-v5-lite-podslice")).collect();
    let eight = inventory("v5e", Shape::flat(2, 4), Coord::default(), Shape::solid(2, 4, 1), "1");
    let binding = bound(&v5e, &eight);
    assert_eq!((binding.report.n_chips, binding.targets[7].as_ref().unwrap().core), (8, None));
    // A v3 host of four chips with two cores each: a duty cycle for each chip, a memory for each core.
    let v3: Vec<Labels> = (0..4)
        .map(|n| of("duty_cycle", "1", n))
        .chain((0..8).map(|n| of("memory_used", "1", n)))
        .map(|labels| labels.with("model", "v3"))
        .collect();
    let four = inventory("v3", Shape::flat(2, 2), Coord::default(), Shape::solid(2, 2, 1), "1");
    let binding = bound(&v3, &four);
    assert_eq!(binding.report.n_chips, 4);
    let targets: Vec<_> = binding.targets.iter().map(|t| t.as_ref().unwrap()).collect();
    let places = |range: std::ops::Range<usize>| -> Vec<(Coord, Option<u8>)> {
        targets[range].iter().map(|t| (t.chip, t.core)).collect()
    };
    let chips: Vec<Coord> = Shape::flat(2, 2).coords().collect();
    assert_eq!(places(0..4), chips.iter().map(|c| (*c, None)).collect::<Vec<_>>());
    assert_eq!(places(4..12), chips.iter().flat_map(|c| [(*c, Some(0)), (*c, Some(1))]).collect::<Vec<_>>());
    // Memories of two cores add up, and so do not look half full.
    let readings = targets[4..].iter().map(|target| Reading { target, name: "memory_used", at: 0, value: 4e9 });
    let frame = &frames(readings, &four, Registry::embedded(), 60)[0];
    assert_eq!((frame.metric, frame.values[0]), (Metric::HbmUsed, Some(8e9)));
    // What the same devices are without an inventory is told by the model.
    assert_eq!(bound(&v3, &Inventory::default()).report.n_devices, 4);
}

#[test]
fn c13_two_devices_of_an_ironwood_chip_are_one_chip() {
    let series: Vec<Labels> = (0..8).map(|n| of("duty_cycle", "1", n).with("model", "tpu7x")).collect();
    let inventory = inventory("tpu7x", Shape::solid(2, 2, 1), Coord::default(), Shape::solid(2, 2, 1), "1");
    let binding = bound(&series, &inventory);
    assert_eq!((binding.report.n_chips, binding.report.n_devices), (4, 4));
}

#[test]
fn c30_two_gangs_on_one_node_are_seen() {
    let found = density([("n", 4)], [("n", "a", 4), ("n", "b", 4)]);
    assert_eq!((found[0].chips_requested, found[0].chips, found[0].is_overbooked()), (8, 4, true));
}

#[test]
fn c33_a_gap_stays_a_gap() {
    let mut store = Tsdb::new(Bounds::default());
    let id = store.series_id(&of("duty_cycle", ID, 0)).unwrap();
    for second in (0..60).step_by(3).chain((660..720).step_by(3)) {
        store.append(id, second * 1_000, 90.0);
    }
    assert_eq!(store.silences(id, 60_000, 717_000), [Silence { from_ms: 57_000, to_ms: Some(660_000) }]);
    let at = |second: i64| eval(&parse("duty_cycle").unwrap(), &store, second * 1_000).unwrap().into_vector().len();
    assert_eq!((at(57), at(400), at(660)), (1, 0, 1), "no line through it, and no zero");
}

#[test]
fn c35_device_zero_of_every_host_is_another_chip() {
    let shape = Shape::solid(8, 8, 4);
    let place = Place::Block { at: Coord::default(), size: shape };
    let slice = Slice { id: "s".into(), team: None, color: 1, shape, twisted: false, place };
    let pod = Pod {
        id: "p".into(),
        generation: GenerationId("v5p".to_owned()),
        shape,
        slices: vec![slice],
        spares: vec![],
        faults: vec![],
        hosts: vec![],
    };
    let hosts = Shape::solid(4, 4, 4).coords().enumerate().map(|(i, c)| Host {
        node: Some(format!("n{i}")),
        ..Host::of_block("p".into(), Coord::new(2 * c.x, 2 * c.y, c.z), Shape::solid(2, 2, 1))
    });
    let inventory = Inventory::new(&Fleet { name: String::new(), pods: vec![pod] }, hosts.collect());
    let series: Vec<Labels> = (0..64)
        .flat_map(|host| {
            (0..4).map(move |n| {
                Labels::new([
                    ("__name__", "tensorcore_utilization"),
                    ("node_name", &format!("n{host}")),
                    ("accelerator_id", &n.to_string()),
                ])
            })
        })
        .collect();
    let binding = bound(&series, &inventory);
    assert_eq!((binding.report.n_chips, binding.report.n_devices), (256, 256));
    assert_eq!(binding.findings.as_slice(), []);
}

#[test]
fn c36_a_renamed_label_is_named_with_its_look_alike() {
    let series = [Labels::new([("__name__", "tensorcore_utilization"), ("Node", "n1"), ("accelerator_id", "0")])];
    let binding = bound(&series, &v5p_host(ID));
    assert_eq!(binding.targets[0], Err(Unbound::NoHost { look_alikes: vec!["Node".to_owned()] }));
    // The old mapping is kept beside the new one.
    let mut mapping = Mapping::default();
    mapping.node.push("Node".to_owned());
    let host =
        Host { node: Some("n1".to_owned()), ..Host::of_block("p".into(), Coord::default(), Shape::solid(2, 2, 1)) };
    let pod = Pod {
        id: "p".into(),
        generation: GenerationId("v5p".to_owned()),
        shape: Shape::solid(4, 4, 4),
        slices: vec![],
        spares: vec![],
        faults: vec![],
        hosts: vec![],
    };
    let inventory = Inventory::new(&Fleet { name: String::new(), pods: vec![pod] }, vec![host]);
    let binding = bind(&series, &inventory, &mapping, Registry::embedded());
    assert_eq!(binding.targets[0].as_ref().unwrap().how, How::HostIndex);
}

#[test]
fn c38_the_step_is_raised_before_asking() {
    let found = plan(RangeRequest::new((0, 2 * 86_400), 10, 1)).unwrap();
    assert!(found.step_s >= 16 && found.is_coarser && found.points <= 11_000, "{found:?}");
    assert_eq!(found.step_s, 20);
}

#[test]
fn c39_partial_answers_keep_their_mark() {
    let victoria = query(include_str!("data/answers/query_victoriametrics_partial.json"), Limits::default()).unwrap();
    assert!(victoria.is_partial());
    let thanos = query(include_str!("data/answers/query_instant_special.json"), Limits::default()).unwrap();
    assert_eq!((thanos.is_partial(), thanos.partial.len()), (true, 1));
    let kept = victoria.map(|data| data.n_samples());
    assert!(kept.is_partial(), "the mark survives what is derived");
    let derived = coverage([Some(50.0)], 1, kept.is_partial()).and(coverage([Some(1.0)], 1, false));
    assert!(derived.is_partial && derived.mark().ends_with("partial"));
}

#[test]
fn c41_overload_is_asked_again_and_then_told() {
    assert_eq!(retry(Some(500), 1, 0.0), Retry::After(1.0));
    let waits: Vec<Retry> = (1..=4).map(|failures| retry(Some(503), failures, 0.0)).collect();
    assert_eq!(waits, [Retry::After(1.0), Retry::After(2.0), Retry::After(4.0), Retry::GiveUp]);
}

#[test]
fn c42_two_days_of_a_pod_are_split_by_time_and_group() {
    let request = RangeRequest { n_groups: 2_304, ..RangeRequest::new((0, 2 * 86_400), 120, 9_216) };
    let found = plan(request).unwrap();
    assert!(found.parts.len() > 1 && found.split.by_group > 1, "{:?}", found.split);
    let largest = found.parts.iter().map(|p| p.n_groups * 4 * ((p.to_s - p.from_s) as u64 / 120 + 1)).max().unwrap();
    assert!(largest <= request.max_samples_per_answer, "{largest}");
    let one_group = RangeRequest { n_groups: 1, ..request };
    assert!(plan(one_group).unwrap().split.by_time > 1);
}

#[test]
fn c44_the_monitored_resource_is_always_named() {
    let registry = Registry::embedded();
    for spec in &registry.metrics {
        for name in &spec.names {
            let text = selector(telemetry::registry::Known { spec, name }, &[]);
            assert_eq!(text.contains("monitored_resource="), name.resource.is_some(), "{text}");
            assert!(parse(&text).is_ok(), "{text}");
        }
    }
}

#[test]
fn c45_a_server_clock_that_is_off_is_shown_and_used() {
    for offset in [437, -437] {
        let mut clock = ClockOffset::default();
        let now = 1_796_068_967_000;
        clock.observe(now, now + 80, now / 1_000 + offset);
        assert!(clock.is_notable());
        assert!((clock.server_ms(now) - (now + offset * 1_000)).abs() <= 600);
    }
}

#[test]
fn c49_too_fine_a_heatmap_is_refused_with_the_number_of_cells() {
    let error = plan(RangeRequest { n_groups: 9_216, ..RangeRequest::new((0, 604_800), 1, 9_216) }).unwrap_err();
    let PlanError::TooMuch { samples, suggested_step_s, .. } = error.clone() else { panic!("{error}") };
    assert!(samples > 90_000_000 && suggested_step_s >= 280, "{error}");
    assert!(error.to_string().contains(&samples.to_string()));
}

#[test]
fn c50_no_workload_is_not_idle() {
    let empty = sdk_strings("{\"duty_cycle_pct\": [], \"hlo_queue_size\": []}", 0).unwrap();
    assert!(empty.data.no_workload && empty.data.series.is_empty());
    let idle = sdk_strings("{\"duty_cycle_pct\": [\"0.00\"], \"hlo_queue_size\": []}", 0).unwrap();
    assert_eq!((idle.data.no_workload, idle.data.series[0].samples[0].1), (false, 0.0));
}

#[test]
fn c51_hostile_names_are_text() {
    let page = page(
        "duty_cycle{accelerator_id=\"1-0\",pod=\"[bold red]x\u{202e}\\ny\"} oops\nx_count{a=\"b\"} 0\n# TYPE x histogram\nx_bucket{a=\"b\",le=\"+Inf\"} 0\nx_sum{a=\"b\"} 0\n",
    );
    assert_eq!(page.samples.len(), 3, "a distribution without samples is one");
    assert_eq!(page.findings.total(), 1);
    let series = [Labels::new([("__name__", "duty_cycle"), ("pod", "[bold red]x\u{202e}\ny")])];
    let report = bound(&series, &Inventory::default()).report;
    assert!(
        report.unplaced[0].example.contains("[bold red]x") && !report.unplaced[0].example.contains(['\u{202e}', '\n'])
    );
}

#[test]
fn c53_a_percent_of_zero_to_one_is_a_hint_and_nothing_is_rescaled() {
    let told = |values: &[f64]| -> Vec<&str> {
        let mut watch = Watch::new(Registry::embedded());
        for value in values {
            watch.see("duty_cycle", *value);
        }
        watch.findings().as_slice().iter().map(|finding| finding.code).collect()
    };
    assert_eq!(told(&[0.97, 0.96, 0.98]), ["percent-or-fraction"]);
    assert_eq!(told(&[97.0, 96.0, 98.0]), [""; 0]);
    let series = [of("duty_cycle", ID, 404)];
    let (inventory, binding) = (v5p_host(ID), bound(&series, &v5p_host(ID)));
    let reading = Reading { target: binding.targets[0].as_ref().unwrap(), name: "duty_cycle", at: 0, value: 0.97 };
    let frame = &frames([reading], &inventory, Registry::embedded(), 60)[0];
    let value = frame.values.iter().flatten().next().unwrap();
    assert!((value - 0.0097).abs() < 1e-6, "0.97 of a percent metric is 0.97 %: {value}");
}

#[test]
fn c54_a_counter_with_a_known_fault_decides_no_alert() {
    let known = Registry::embedded().find("grpc_tcp_packets_retransmitted_count").unwrap();
    assert!(!known.spec.is_trusted() && known.spec.quirk.as_ref().unwrap().contains("not for alerts"));
    let file = rule_file(
        "groups:\n- name: g\n  rules:\n  - {alert: Loss, expr: 'rate(grpc_tcp_packets_retransmitted_count[5m]) > 5'}\n  - {alert: Idle, expr: 'duty_cycle < 5'}\n",
    )
    .unwrap();
    assert_eq!(file.groups[0].rules.len(), 1, "the other rule stays");
    assert_eq!(file.findings.as_slice()[0].code, "known-exporter-quirk");
}

#[test]
fn c55_ids_of_19_digits_keep_every_digit() {
    let answer = |id: &str| {
        let body = format!(
            "{{\"status\":\"success\",\"data\":{{\"resultType\":\"vector\",\"result\":[{{\"metric\":{{\"__name__\":\"duty_cycle\",\"instance_id\":{id},\"accelerator_id\":\"0\"}},\"value\":[1,\"5\"]}}]}}}}"
        );
        query(&body, Limits::default()).unwrap().data.series()[0].labels.clone()
    };
    for id in ["7310029384756610021", "\"7310029384756610021\""] {
        assert_eq!(answer(id).get("instance_id"), Some("7310029384756610021"));
    }
    let mut store = Tsdb::new(Bounds::default());
    store.series_id(&answer("7310029384756610021")).unwrap();
    let text = store.write_openmetrics(String::new(), Registry::embedded()).unwrap();
    assert!(!text.contains("7310029384756610048"));
    let inventory = v5p_host("7310029384756610021");
    let binding = bound(&[answer("7310029384756610021")], &inventory);
    assert!(binding.targets[0].is_ok());
}

#[test]
fn c56_odd_lines_are_read_and_the_rest_is_told() {
    let page = page(include_str!("data/answers/odd-exposition.prom"));
    assert_eq!(page.samples.len(), 10);
    let told: Vec<&str> = page.findings.as_slice().iter().map(|finding| finding.where_.as_str()).collect();
    assert_eq!(told, ["line 14, column 1"]);
    let escaped = &page.samples.iter().find(|s| s.labels.get("k") == Some("esc")).unwrap().labels;
    assert_eq!(escaped.get("p"), Some("a\\b \"q\" \n x,} y"));
    let answer = query(include_str!("data/answers/query_range_native_histogram.json"), Limits::default()).unwrap();
    assert_eq!(answer.findings.as_slice()[0].code, "native-histogram");
    assert!(
        matches!(&answer.data, QueryData::Matrix(series) if series.len() == 1 && series[0].samples == [(1_796_068_968_000, 1.5)])
    );
    let odd =
        read(include_bytes!("data/answers/odd-exposition.prom"), Format::OpenMetrics, exposition::Limits::default());
    assert!(
        odd.samples.iter().any(|s| s.labels.name() == "quoted.utf8.name"),
        "quoted names belong to the other format"
    );
}

#[test]
fn c59_no_interruption_series_is_zero_only_where_the_pool_is_heard_of() {
    let mut store = Tsdb::new(Bounds::default());
    for (name, pool) in [
        ("kubernetes_io:node_pool_multi_host_available", "a"),
        ("kubernetes_io:node_pool_multi_host_available", "b"),
        ("kubernetes_io:node_pool_interruption_count", "b"),
    ] {
        let id = store.series_id(&Labels::new([("__name__", name), ("node_pool_name", pool)])).unwrap();
        store.append(id, 0, 2.0);
    }
    let count = parse("sum by (node_pool_name) (kubernetes_io:node_pool_interruption_count) or 0 * sum by (node_pool_name) (kubernetes_io:node_pool_multi_host_available)").unwrap();
    let found: BTreeMap<String, f64> = eval(&count, &store, 0)
        .unwrap()
        .into_vector()
        .into_iter()
        .map(|(labels, value)| (labels.get("node_pool_name").unwrap().to_owned(), value))
        .collect();
    assert_eq!((found.get("a"), found.get("b"), found.get("c")), (Some(&0.0), Some(&2.0), None), "c is unknown");
}

#[test]
fn host_metrics_alone_are_placed_and_impossible_values_are_told() {
    let page = page(TPU7X);
    let series: Vec<Labels> = page.samples.iter().map(|sample| sample.labels.clone()).collect();
    let inventory =
        inventory("tpu7x", Shape::solid(2, 2, 1), Coord::default(), Shape::solid(2, 2, 1), "8402938475610293847");
    let binding = bound(&series, &inventory);
    assert_eq!((binding.report.n_chips, binding.report.bound.get(&How::HostIndex)), (4, Some(&8)));
    let mut watch = Watch::new(Registry::embedded());
    for sample in &page.samples {
        watch.see(sample.labels.name(), sample.value);
    }
    let codes: Vec<&str> = watch.findings().as_slice().iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["not-a-number", "above-range"]);
}
