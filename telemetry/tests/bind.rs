//! From labels to chips: by number, by order, by hand, and not at all.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;
use telemetry::bind::{Binding, Host, How, Inventory, Manual, Mapping, Reading, Unbound, bind, frames};
use telemetry::inventory::import;
use telemetry::labels::Labels;
use telemetry::registry::Registry;
use telemetry::{Metric, Origin, Store};
use topology::fleet::{Fleet, Place, Pod, PodId, Slice};
use topology::shape::{Coord, Shape};

/// One pod of 8x8x16 that is one slice, with all its hosts; names as in GKE, ids of 19 digits.
fn pod(generation: &str) -> (Fleet, Inventory) {
    let shape = Shape::solid(8, 8, 16);
    let slice = Slice {
        id: "s".into(),
        team: None,
        color: 1,
        shape,
        twisted: false,
        place: Place::Block { at: Coord::default(), size: shape },
    };
    let (slices, spares, faults) = (vec![slice], vec![], vec![]);
    let generation = topology::chip::GenerationId(generation.to_owned());
    let fleet = Fleet {
        name: String::new(),
        pods: vec![Pod { id: "p".into(), generation, shape, slices, spares, faults, hosts: vec![] }],
    };
    let corners = Shape::solid(4, 4, 16);
    let host = |(i, c): (usize, Coord)| Host {
        node: Some(format!("node-{i}")),
        instance_id: Some(format!("73100293847566100{i:02}")),
        ..Host::of_block("p".into(), Coord::new(2 * c.x, 2 * c.y, c.z), Shape::solid(2, 2, 1))
    };
    let inventory = Inventory::new(&fleet, corners.coords().enumerate().map(host).collect());
    (fleet, inventory)
}

fn labels(name: &str, device: &str) -> Labels {
    Labels::new([("__name__", name), ("accelerator_id", device)])
}

fn bound(series: &[Labels], inventory: &Inventory) -> Binding {
    bind(series, inventory, &Mapping::default(), Registry::embedded())
}

fn chips(binding: &Binding) -> Vec<(Coord, How)> {
    binding.targets.iter().map(|target| target.as_ref().map(|t| (t.chip, t.how)).unwrap()).collect()
}

/// Numbers within the slice are coordinates, x fastest; those of the host are joined to them by order.
#[test]
fn runtime_and_host_numbers_meet_on_the_chips() {
    let (_, inventory) = pod("v5p");
    let id = "7310029384756610001";
    // The second host along x: chips (2..4, 0..2, 0), numbers 2, 3, 10, 11.
    let runtime = [2, 3, 10, 11].map(|n| labels("duty_cycle", &format!("{id}-{n}")));
    let host = [0, 1, 2, 3].map(|n| labels("tensorcore_utilization", &format!("{id}-{n}")));
    let binding = bound(&[runtime, host].concat(), &inventory);
    let expected = [(2, 0), (3, 0), (2, 1), (3, 1)].map(|(x, y)| Coord::new(x, y, 0));
    let found = chips(&binding);
    assert_eq!(found[..4], expected.map(|chip| (chip, How::SliceIndex)));
    assert_eq!(found[4..], expected.map(|chip| (chip, How::Order)));
    assert_eq!((binding.report.n_chips, binding.report.n_devices), (4, 4));
    assert_eq!(binding.findings.as_slice().iter().map(|f| f.code).collect::<Vec<_>>(), ["two-id-spaces"]);
}

/// The numbers win over where an inventory without coordinates drew a host, and that is told.
#[test]
fn numbers_win_over_a_drawing_order() {
    let (fleet, _) = pod("v5p");
    let drawn =
        Host { node: Some("n".to_owned()), ..Host::of_block("p".into(), Coord::default(), Shape::solid(2, 2, 1)) };
    let inventory = Inventory::new(&fleet, vec![drawn]);
    let series: Vec<Labels> = [404, 405, 412, 413]
        .map(|n| Labels::new([("__name__", "duty_cycle"), ("node_name", "n"), ("accelerator_id", &format!("1-{n}"))]))
        .into();
    let binding = bound(&series, &inventory);
    let expected = [(4, 2), (5, 2), (4, 3), (5, 3)].map(|(x, y)| (Coord::new(x, y, 6), How::SliceIndex));
    assert_eq!(chips(&binding), expected);
    assert_eq!(binding.findings.as_slice()[0].code, "host-elsewhere");
}

/// A name of a node that two clusters have binds only with its cluster.
#[test]
fn a_node_name_of_two_clusters_needs_its_cluster() {
    let (fleet, _) = pod("v5p");
    let host = |cluster: &str, x| Host {
        cluster: Some(cluster.to_owned()),
        node: Some("n".to_owned()),
        ..Host::of_block("p".into(), Coord::new(x, 0, 0), Shape::solid(2, 2, 1))
    };
    let inventory = Inventory::new(&fleet, vec![host("a", 0), host("b", 2)]);
    let of = |cluster: Option<&str>| {
        let pairs = [("__name__", "tensorcore_utilization"), ("node_name", "n"), ("accelerator_id", "1")];
        Labels::new(pairs.into_iter().chain(cluster.map(|c| ("cluster_name", c))))
    };
    let binding = bound(&[of(Some("a")), of(Some("b")), of(None)], &inventory);
    let x: Vec<Option<u16>> = binding.targets.iter().map(|t| t.as_ref().ok().map(|t| t.chip.x)).collect();
    assert_eq!(x, [Some(1), Some(3), None]);
}

#[test]
fn what_is_bound_by_hand_is_saved_and_wins() {
    let (_, inventory) = pod("v5p");
    let worker = Labels::new([("__name__", "tpu_googleapis_com:accelerator_duty_cycle"), ("worker_id", "5")]);
    let manual = Manual { labels: Labels::new([("worker_id", "5")]), pod: "p".into(), chip: Coord::new(7, 7, 15) };
    let mapping = Mapping { manual: vec![manual], ..Mapping::default() };
    let text = serde_json::to_string(&mapping).unwrap();
    let mapping: Mapping = serde_json::from_str(&text).unwrap();
    let found = bind(std::slice::from_ref(&worker), &inventory, &mapping, Registry::embedded());
    assert_eq!(chips(&found), [(Coord::new(7, 7, 15), How::Manual)]);
    let without = bound(&[worker], &inventory);
    assert_eq!(without.targets, [Err(Unbound::NoHost { look_alikes: vec!["worker_id".to_owned()] })]);
    assert_eq!(without.report.unplaced[0].why, "no label names its host; worker_id looks like it");
}

/// The importer's machines are enough to bind, by name and by both ids.
#[test]
fn imported_hosts_are_bound() {
    let files = [("nodes.json", include_str!("data/nodes.json")), ("slices.json", include_str!("data/slices.json"))];
    let import = import(&files).unwrap();
    let inventory = Inventory::of_fleet(&import.fleet);
    let known = |pod: &Pod| pod.hosts.iter().find(|host| host.instance_id.is_some() && host.uid.is_some()).cloned();
    let (pod, host) = import.fleet.pods.iter().find_map(|pod| Some((&pod.id, known(pod)?))).unwrap();
    let named = |label: &str, value: &str| {
        Labels::new([("__name__", "tensorcore_utilization"), (label, value), ("accelerator_id", "0")])
    };
    let series = [
        labels("tensorcore_utilization", &format!("{}-0", host.instance_id.as_ref().unwrap())),
        named("node_name", &host.node),
        named("node_uid", host.uid.as_ref().unwrap()),
    ];
    let binding = bound(&series, &inventory);
    for target in &binding.targets {
        let target = target.as_ref().unwrap();
        assert_eq!((&target.pod, target.chip), (pod, host.at));
    }
}

/// Percent becomes the store's fraction by the registry, doubled names are not added, cores are.
#[test]
fn frames_fill_the_store() {
    let (_, inventory) = pod("v5p");
    let id = "7310029384756610000";
    let list: [(&str, u64, f64); 7] = [
        ("duty_cycle", 0, 40.0),
        ("duty_cycle_node", 0, 50.0),
        ("duty_cycle_node", 1, f64::NAN),
        ("duty_cycle_node", 8, 0.0),
        ("duty_cycle_node", 9, 99.0),
        ("memory_used", 0, 8e9),
        ("kube_jobset_restarts", 0, 1.0),
    ];
    let series: Vec<Labels> = list.iter().map(|(name, n, _)| labels(name, &format!("{id}-{n}"))).collect();
    let binding = bound(&series, &inventory);
    let readings = list.iter().zip(&binding.targets).filter_map(|((name, _, value), target)| {
        Some(Reading { target: target.as_ref().ok()?, name, at: 1_000, value: *value })
    });
    let found = frames(readings, &inventory, Registry::embedded(), 60);
    assert_eq!(
        found.iter().map(|f| (f.metric, f.at, f.n_doubled)).collect::<Vec<_>>(),
        [(Metric::DutyCycle, 960, 1), (Metric::HbmUsed, 960, 0)]
    );
    let mut store = Store::new(60, 10);
    for frame in &found {
        assert_eq!(store.ingest(frame.batch(Origin::Observed)), []);
    }
    let pod = PodId::from("p");
    let duty: Vec<Option<f32>> = [0, 1, 8, 9].map(|chip| store.value(&pod, Metric::DutyCycle, chip, 1_000)).into();
    assert_eq!(
        duty.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, false, true, true],
        "NaN is missing, 0 is a value"
    );
    assert!((duty[0].unwrap() - 0.5).abs() < 1e-4 && (duty[3].unwrap() - 0.99).abs() < 1e-4);
}

proptest! {
    /// The order of series does not matter, and no labels break the binding.
    #[test]
    fn any_series_in_any_order(
        parts in prop::collection::vec((prop::sample::select(vec!["duty_cycle", "tensorcore_utilization", "memory_used", "podium_power_watt", "up"]),
            prop::sample::select(vec!["7310029384756610001-", "7310029384756610002-", "-", "x-", ""]), 0..30_u64,
            prop::sample::select(vec!["", "node-1", "node-3", "é"]), prop::sample::select(vec!["", "tpu7x", "tpu-v5p-slice"])), 0..24),
    ) {
        let (_, inventory) = pod("v5p");
        let series: Vec<Labels> = parts.iter().map(|(name, id, n, node, model)| {
            Labels::new([("__name__", *name), ("accelerator_id", &format!("{id}{n}")), ("node_name", node), ("model", model), ("pod", "p"), ("chip", "1,1,1")])
        }).collect();
        let forwards = bound(&series, &inventory);
        let reversed: Vec<Labels> = series.iter().rev().cloned().collect();
        let backwards = bound(&reversed, &inventory);
        let mut targets = backwards.targets.clone();
        targets.reverse();
        prop_assert_eq!(&forwards.targets, &targets);
        prop_assert_eq!(forwards.report.n_chips, backwards.report.n_chips);
        let n_bound: usize = forwards.report.bound.values().sum();
        let n_unplaced: usize = forwards.report.unplaced.iter().map(|u| u.n_series).sum();
        prop_assert_eq!(n_bound + n_unplaced, series.len());
    }
}
