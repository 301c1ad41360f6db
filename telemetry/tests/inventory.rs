//! Inventories: what is counted, what is drawn, what is said about the strange, and that no order and no text matters.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::{Value, json};
use telemetry::inventory::{Counts, Import, import};
use topology::check::check_fleet;
use topology::chip::Catalog;
use topology::fleet::{Component, Effect, Place};
use topology::shape::Coord;

const NODES: &str = include_str!("data/nodes.json");
const PODS: &str = include_str!("data/pods.json");
const SLICES: &str = include_str!("data/slices.json");
const VMS: &str = include_str!("data/tpu_vm_list.json");
const QUEUED: &str = include_str!("data/queued_resources_list.json");
const SUB_BLOCKS: &str = include_str!("data/reservation_sub_blocks.json");

/// The import as text: counts, pods with their slices and faults, findings, unplaced.
fn text(found: &Import) -> String {
    let Counts { pods, slices, hosts, chips, cores } = found.counts;
    let mut text = format!("{pods} pods, {slices} slices, {hosts} hosts, {chips} chips, {cores} cores\n");
    for pod in &found.fleet.pods {
        writeln!(text, "pod {} ({} {})", pod.id, pod.generation, pod.shape).unwrap();
        for slice in &pod.slices {
            let place = match &slice.place {
                Place::Block { at, size } => format!("{size} at {at}"),
                Place::Cubes(cubes) => format!("{} cubes", cubes.len()),
            };
            writeln!(text, "  slice {} {}: {place}", slice.id, slice.shape).unwrap();
        }
        for fault in &pod.faults {
            writeln!(text, "  {:?} {:?}", fault.component, fault.effect).unwrap();
        }
    }
    for finding in &found.findings {
        writeln!(text, "{:?} {} [{}] {}", finding.severity, finding.code, finding.where_, finding.message).unwrap();
    }
    for unplaced in &found.unplaced {
        writeln!(text, "unplaced {}: {}", unplaced.name, unplaced.reason).unwrap();
    }
    text
}

fn check(files: &[(&str, &str)], expect: &Expect) -> Import {
    let found = import(files).unwrap();
    expect.assert_eq(&text(&found));
    assert_eq!(check_fleet(&found.fleet, Catalog::embedded()), [], "an imported fleet obeys the rules");
    found
}

#[test]
fn a_cluster_becomes_pods_with_slices() {
    let files = [("nodes.json", NODES), ("pods.json", PODS), ("slices.json", SLICES)];
    let found = check(
        &files,
        &expect![[r#"
            2 pods, 2 slices, 20 hosts, 80 chips, 144 cores
            pod tpu7x demo-res-7x a56e5be1 (tpu7x 4x4x4)
              slice demo-slice-a 4x4x4: 1 cubes
              Host(Coord { x: 2, y: 2, z: 2 }) Silent
            pod v6e us-central1-c 168ca19e (v6e 4x4)
              slice v6e-4x4-a 4x4: 4x4 at 0 0 0
            Error partition-count [slices.json, slice demo-slice-bad-count] 4x8x8 needs 4 partitions, has 3
            Warning condition [nodes.json, node gke-demo-train-v6e-4x4-a-s4l1bxc9-x0p6] the node reports MegascaleHangDetected
            Warning gated [job demo-job-b 0] 1 of its pods are gated: they wait for a place and do not start by themselves
            Warning host-lost [nodes.json, node gke-demo-train-tpu7x-sb0-3xrnw7bn-lqw9] nothing is heard of the node
            Warning partition-state [nodes.json, partition a1fe8efbdee6aee4d0b3a8c604fc7548] the cube is DEGRADED
            Warning slice-state [slices.json, slice demo-slice-a] its state is ACTIVE_DEGRADED
            Warning slice-state [slices.json, slice demo-slice-bad-count] its state is SliceCreationFailed: partition count does not match topology
            Warning termination [nodes.json, node gke-demo-train-tpu7x-sb0-3xrnw7bn-gk6f] the node is about to be terminated
            Note worker-order [job demo-job 0] 4 of 4 worker ids differ from the place of their host in slice v6e-4x4-a, as it is drawn: ids follow the creation of pods
            unplaced demo-slice-bad-count: 4x8x8 needs 4 partitions, has 3
        "#]],
    );
    let names: BTreeSet<&str> = found.hosts.iter().map(|host| host.name.as_str()).collect();
    assert_eq!((found.hosts.len(), names.len()), (20, 20), "every host has one place");
    let places: BTreeSet<_> = found.hosts.iter().map(|host| (&host.pod, host.chip)).collect();
    assert_eq!(places.len(), 20, "no two hosts share a place");
}

/// Ids of nineteen digits do not fit a floating-point number; C55 of the pain list.
#[test]
fn instance_ids_stay_exact() {
    let found = import(&[("nodes.json", NODES)]).unwrap();
    let ids: Vec<&str> = found.hosts.iter().filter_map(|host| host.instance_id.as_deref()).collect();
    assert!(ids.contains(&"7310029384756610021") && !ids.contains(&"7310029384756610048"));
    let as_number = NODES.replace("\"7310029384756610021\"", "7310029384756610021");
    let again = import(&[("nodes.json", &as_number)]).unwrap();
    assert_eq!(again.hosts, found.hosts);
}

#[test]
fn vms_queued_resources_and_sub_blocks() {
    check(
        &[("vms.json", VMS), ("queued.json", QUEUED)],
        &expect![[r#"
        3 pods, 3 slices, 12 hosts, 48 chips, 80 cores
        pod v3 us-central1-c (v3 4x4)
          slice demo-old-v3 4x4: 4x4 at 0 0 0
        pod v5p us-central1-c (v5p 2x2x4)
          slice demo-v5p-32 2x2x4: 2x2x4 at 0 0 0
        pod v6e us-central1-c (v6e 4x4)
          slice demo-v6e-16 4x4: 4x4 at 0 0 0
        Warning not-ready [vms.json, TPU VM demo-spot] its state is PREEMPTED
        Warning symptom [vms.json, TPU VM demo-v5p-32] HBM_OUT_OF_MEMORY on worker 2
        Warning unhealthy [vms.json, TPU VM demo-spot] its health is TIMEOUT
        Note maintenance [vms.json, TPU VM demo-v5p-32] maintenance is planned from 2026-12-01T02:00:00Z
        Note position-guessed [pod v3 us-central1-c, box at 0 0 0] 4 of 4 hosts stand where there was room; exports do not say where
        Note position-guessed [pod v5p us-central1-c, box at 0 0 0] 4 of 4 hosts stand where there was room; exports do not say where
        Note position-guessed [pod v6e us-central1-c, box at 0 0 0] 4 of 4 hosts stand where there was room; exports do not say where
        Note queued [queued.json, queued resource qr-a] it is not part of the fleet, state WAITING_FOR_RESOURCES
        Note queued [queued.json, queued resource qr-b] it is not part of the fleet, state FAILED: no capacity in zone
        Note shape-from-type [vms.json, TPU VM demo-old-v3] the shape 4x4 was taken from the type v3-32
        unplaced demo-spot: it has no hosts, state PREEMPTED
    "#]],
    );
    check(
        &[("sub-blocks.json", SUB_BLOCKS)],
        &expect![[r#"
        1 pods, 0 slices, 48 hosts, 192 chips, 384 cores
        pod tpu7x demo-res-7x a56e5be1 (tpu7x 4x4x12)
        Warning degraded [sub-blocks.json, sub-block demo-res-7x-block-0001-subblock-0001] 1 of its hosts are degraded; the list does not say which
        Note cube-order [pod tpu7x demo-res-7x a56e5be1] the order of cubes is that of their ids; exports do not say where a cube stands
        Note hosts-unknown [sub-blocks.json, sub-block demo-res-7x-block-0001-subblock-0000] its hosts are not in a node list; only their number is known
        Note hosts-unknown [sub-blocks.json, sub-block demo-res-7x-block-0001-subblock-0001] its hosts are not in a node list; only their number is known
        Note hosts-unknown [sub-blocks.json, sub-block demo-res-7x-block-0001-subblock-0002] its hosts are not in a node list; only their number is known
    "#]],
    );
}

/// A type with several shapes chooses none; C14 and C61 of the pain list.
#[test]
fn no_shape_is_chosen_where_a_type_has_several() {
    let vm = |name: &str, config: Value| {
        let mut vm = json!({"name": format!("projects/p/locations/z/nodes/{name}"), "state": "SOMETHING_NEW",
            "networkEndpoints": [{}, {}, {}, {}]});
        vm.as_object_mut().unwrap().extend(config.as_object().unwrap().clone());
        vm
    };
    let list = json!([
        vm("several", json!({"acceleratorType": "v5p-512"})),
        vm("short", json!({"acceleratorConfig": {"type": "V5P", "topology": "2x4x4"}})),
        vm("unknown", json!({"acceleratorConfig": {"type": "TPU12X", "topology": "2x2x4"}})),
        vm("rank", json!({"acceleratorConfig": {"type": "V5P", "topology": "4x4x4x2"}})),
    ]);
    check(
        &[("vms.json", &list.to_string())],
        &expect![[r#"
            1 pods, 1 slices, 16 hosts, 64 chips, 96 cores
            pod v5p z (v5p 2x4x4)
              slice short 2x4x4: 2x4x4 at 0 0 0
              Host(Coord { x: 0, y: 0, z: 2 }) Silent
              Host(Coord { x: 0, y: 2, z: 2 }) Silent
              Host(Coord { x: 0, y: 0, z: 3 }) Silent
              Host(Coord { x: 0, y: 2, z: 3 }) Silent
            Error unknown-generation [vms.json, TPU VM unknown] no TPU generation is known as "TPU12X"
            Warning ambiguous-shape [vms.json, TPU VM several] v5p-512 does not say the shape; it may be 4x4x16, 4x8x8
            Warning bad-topology [vms.json, TPU VM rank] "4x4x4x2" is not a shape: a shape has two or three sizes at character 7; write sizes joined by x, such as 4x4x8
            Warning host-count [vms.json, TPU VM short] pool short is 2x4x4, which needs 8 hosts; 4 are in the list
            Warning no-shape [vms.json, TPU VM rank] pool rank cannot be drawn: its shape is not known
            Warning no-shape [vms.json, TPU VM several] pool several cannot be drawn: its shape is not known
            Warning unknown-state [vms.json, TPU VM rank] the state SOMETHING_NEW is not known
            Warning unknown-state [vms.json, TPU VM several] the state SOMETHING_NEW is not known
            Warning unknown-state [vms.json, TPU VM short] the state SOMETHING_NEW is not known
            Warning unknown-state [vms.json, TPU VM unknown] the state SOMETHING_NEW is not known
            Note position-guessed [pod v5p z, box at 0 0 0] 4 of 4 hosts stand where there was room; exports do not say where
            unplaced rank: its shape is not known
            unplaced several: its shape is not known
            unplaced unknown-w0: its generation "TPU12X" is not known
            unplaced unknown-w1: its generation "TPU12X" is not known
            unplaced unknown-w2: its generation "TPU12X" is not known
            unplaced unknown-w3: its generation "TPU12X" is not known
        "#]],
    );
}

/// A tpu7x chip shows as two devices; C13 of the pain list.
#[test]
fn eight_devices_of_ironwood_are_four_chips() {
    let mut host = node("n", &[("gke-tpu-accelerator", "tpu7x"), ("gke-tpu-topology", "2x2x1")], "8");
    host["metadata"]["labels"]["node.kubernetes.io/instance-type"] = json!("tpu7x-standard-4t");
    let found = import(&[("nodes.json", &list(&[host]))]).unwrap();
    assert_eq!((found.counts.chips, found.counts.cores, found.findings), (4, 8, vec![]));
}

/// A node with the labels that matter.
fn node(name: &str, labels: &[(&str, &str)], chips: &str) -> Value {
    let labels: serde_json::Map<String, Value> =
        labels.iter().map(|(key, value)| (format!("cloud.google.com/{key}"), json!(value))).collect();
    json!({
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"capacity": {"google.com/tpu": chips}, "conditions": [{"type": "Ready", "status": "True"}]},
    })
}

fn list(items: &[Value]) -> String {
    json!({"kind": "List", "items": items}).to_string()
}

/// The sixteen hosts of a cube with nested partition ids, named against their order.
fn cube(id: &str, key: impl Fn(&str) -> String) -> Vec<Value> {
    let host = |i: usize| {
        let part = |size: &str, n: usize| (key(size), format!("{id}-{size}-{n}"));
        let parts = [
            part("2x4x4", i / 8),
            part("2x2x4", i / 4),
            part("2x2x2", i / 2),
            part("2x2x1", i),
            (key("4x4x4"), id.to_owned()),
        ];
        let mut labels = vec![
            ("gke-tpu-accelerator", "tpu7x"),
            ("gke-tpu-topology", "4x4x4"),
            ("gke-accelerator-topology-mode", "PROVISION_ONLY"),
        ];
        labels.extend(parts.iter().map(|(key, id)| (key.as_str(), id.as_str())));
        node(&format!("node-{:02}-{id}", 15 - i), &labels, "4")
    };
    (0..16).map(host).collect()
}

/// Hosts that share a partition id are drawn adjacent, whatever they are called; C26 and C57 of the pain list.
#[test]
fn partitions_keep_together_in_either_spelling() {
    for spelling in ["new", "old"] {
        let key = |size: &str| {
            if spelling == "new" {
                format!("gke-tpu-partition-{size}-id")
            } else {
                format!("gke-tpu-partition-id-{size}")
            }
        };
        let found = import(&[("nodes.json", &list(&cube("a", key)))]).unwrap();
        let at = |i: usize| found.hosts.iter().find(|h| h.name == format!("node-{:02}-a", 15 - i)).unwrap().chip;
        for i in (0..16).step_by(2) {
            let (a, b) = (at(i), at(i + 1));
            assert_eq!((a.x, a.y, a.z / 2), (b.x, b.y, b.z / 2), "{i}: {a} and {b} make up a 2x2x2");
        }
        let notes = found.findings.iter().filter(|finding| finding.code == "label-spelling").count();
        assert_eq!(notes > 0, spelling == "old");
    }
}

fn slice(name: &str, topology: &str, partitions: &[&str]) -> Value {
    json!({"kind": "Slice", "metadata": {"name": name}, "spec": {"type": "tpu7x", "topology": topology, "partitionIds": partitions}})
}

/// Each broken rule has its own message; C18 of the pain list.
#[test]
fn dynamic_slices_are_held_to_the_rules() {
    let mut items = Vec::new();
    for id in ["a", "b", "c", "d", "e"] {
        items.extend(cube(id, |size| format!("gke-tpu-partition-{size}-id")));
    }
    items.push(slice("good", "4x8x8", &["d", "b", "c", "a"]));
    items.push(slice("few", "4x8x8", &["a", "b", "c"]));
    items.push(slice("order", "8x4x4", &["a", "b"]));
    items.push(slice("multiple", "4x6x8", &["a", "b", "c"]));
    items.push(slice("stranger", "4x4x4", &["z"]));
    items.push(slice("inside", "2x2x2", &["e-2x2x2-3"]));
    items.push(slice("inside-taken", "2x2x4", &["d-2x2x4-0"]));
    items.push(slice("thief", "4x4x4", &["a"]));
    items.push(slice("axes", "4x4x4x2", &["a"]));
    let found = check(
        &[("all.json", &list(&items))],
        &expect![[r#"
            1 pods, 2 slices, 80 hosts, 320 chips, 640 cores
            pod tpu7x (tpu7x 4x4x20)
              slice good 4x8x8: 4 cubes
              slice inside 2x2x2: 2x2x2 at 0 2 18
            Error illegal-shape [all.json, slice multiple] TPU7x has no slice 4x6x8: beyond one cube every size must be a multiple of 4; the nearest are 4x8x8, 4x4x8, 4x8x12, 4x4x12; a part of 4x8x8 would do
            Error illegal-shape [all.json, slice order] TPU7x has no slice 8x4x4: sizes must go from the smallest to the largest; the nearest are 4x4x8, 4x4x12, 4x4x4, 4x4x16
            Error partition-count [all.json, slice few] 4x8x8 needs 4 partitions, has 3
            Error partition-shared [all.json, slice thief] some of its chips belong to another slice
            Error partition-shared [pod tpu7x, slice inside-taken] some of its chips belong to another slice
            Error slice-without-shape [all.json, slice axes] its shape is not known
            Warning bad-topology [all.json, slice axes] "4x4x4x2" is not a shape: a shape has two or three sizes at character 7; write sizes joined by x, such as 4x4x8
            Warning unknown-partition [all.json, slice stranger] none of its partitions is in the node list
            Note cube-order [pod tpu7x] the order of cubes is that of their ids; exports do not say where a cube stands
            unplaced axes: its shape is not known
            unplaced few: 4x8x8 needs 4 partitions, has 3
            unplaced inside-taken: some of its chips belong to another slice
            unplaced multiple: TPU7x has no slice 4x6x8: beyond one cube every size must be a multiple of 4; the nearest are 4x8x8, 4x4x8, 4x8x12, 4x4x12; a part of 4x8x8 would do
            unplaced order: TPU7x has no slice 8x4x4: sizes must go from the smallest to the largest; the nearest are 4x4x8, 4x4x12, 4x4x4, 4x4x16
            unplaced stranger: its partitions are not in the node list
            unplaced thief: some of its chips belong to another slice
        "#]],
    );
    let good = &found.fleet.pods[0].slices[0];
    let cubes = [3, 1, 2, 0].map(|x| Coord::new(0, 0, x));
    assert_eq!(good.place, Place::Cubes(cubes.to_vec()), "in the order of the partition ids");
}

#[test]
fn odd_nodes_are_described_and_kept() {
    let v6e = |pool| [("gke-tpu-accelerator", "tpu-v6e-slice"), ("gke-tpu-topology", "4x4"), ("gke-nodepool", pool)];
    let mut lost = node("pool-b-1", &v6e("b"), "4");
    lost["status"]["conditions"][0]["status"] = json!("Unknown");
    let items = [
        // Three of four hosts, one of them lost.
        node("pool-b-0", &v6e("b"), "4"),
        lost,
        node("pool-b-2", &v6e("b"), "4"),
        // C17: single chips.
        node(
            "single",
            &[("gke-tpu-accelerator", "tpu-v6e-slice"), ("gke-tpu-topology", "1x1"), ("gke-nodepool", "one")],
            "1",
        ),
        node(
            "single-7x",
            &[("gke-tpu-accelerator", "tpu7x"), ("gke-tpu-topology", "1x1x1"), ("gke-nodepool", "one7")],
            "2",
        ),
        // C61 and C62: unknown generation, bad shape, hostile name.
        node("future", &[("gke-tpu-accelerator", "tpu99z-slice"), ("gke-tpu-topology", "4x4")], "4"),
        node(
            "bad-\u{202e}shape",
            &[("gke-tpu-accelerator", "tpu-v5p-slice"), ("gke-tpu-topology", "99999999999x2")],
            "4",
        ),
        node("[bold red]x\nfoo", &[("gke-tpu-accelerator", "tpu-v5p-slice"), ("gke-tpu-topology", " 2X2x1 ")], "4"),
        json!({"kind": "Node", "metadata": {"name": "no chips"}, "status": {"conditions": "none"}}),
    ];
    let found = check(
        &[("nodes.json", &list(&items))],
        &expect![[r#"
        4 pods, 4 slices, 8 hosts, 27 chips, 33 cores
        pod tpu7x (tpu7x 1x1x1)
          slice one7 1x1x1: 1x1x1 at 0 0 0
        pod v5p (v5p 2x2x1)
          slice [bold red]x�foo 2x2x1: 2x2x1 at 0 0 0
        pod v6e (v6e 1x1)
          slice one 1x1: 1x1 at 0 0 0
        pod v6e #2 (v6e 4x4)
          slice b 4x4: 4x4 at 0 0 0
          Host(Coord { x: 2, y: 0, z: 0 }) Silent
          Host(Coord { x: 2, y: 2, z: 0 }) Silent
        Error unknown-generation [nodes.json, node future] no TPU generation is known as "tpu99z-slice"
        Warning bad-topology [nodes.json, node bad-�shape] "99999999999x2" is not a shape: a size must lie between 1 and 4096 at character 1; write sizes joined by x, such as 4x4x…
        Warning host-count [nodes.json, node pool-b-0] pool b is 4x4, which needs 4 hosts; 3 are in the list
        Warning host-lost [nodes.json, node pool-b-1] nothing is heard of the node
        Warning no-shape [nodes.json, node bad-�shape] pool bad-�shape cannot be drawn: its shape is not known
        Note position-guessed [pod v6e #2, box at 0 0 0] 3 of 3 hosts stand where there was room; exports do not say where
        unplaced bad-�shape: its shape is not known
        unplaced future: its generation "tpu99z-slice" is not known
    "#]],
    );
    let pool = found.fleet.pods.iter().find(|pod| pod.slices.iter().any(|slice| slice.id.0 == "b")).unwrap();
    let silent = pool
        .faults
        .iter()
        .filter(|fault| fault.effect == Effect::Silent && matches!(fault.component, Component::Host(_)));
    assert_eq!(silent.count(), 2, "the lost and the unlisted one");
}

/// C27, C30 and C31 of the pain list.
#[test]
fn pods_are_checked_but_never_place_anything() {
    let worker = |name: &str, id: &str, node: &str, chips: &str| {
        json!({"kind": "Pod", "metadata": {"name": name, "labels": {"jobset.sigs.k8s.io/jobset-name": "job"}},
            "spec": {"nodeName": node, "containers": [{"resources": {"limits": {"google.com/tpu": chips}},
                "env": [{"name": "TPU_WORKER_ID", "value": id}, {"name": "TPU_WORKER_HOSTNAMES", "value": "a,b,c,d"}]}]}})
    };
    let labels = [("gke-tpu-accelerator", "tpu-v6e-slice"), ("gke-tpu-topology", "2x2")];
    let nodes = list(&[node("n", &labels, "4")]);
    let mut gated = worker("w4", "x", "n", "0");
    gated["spec"]["containers"][0]["resources"]["limits"]["google.com/tpu"] = json!("4");
    gated["spec"]["nodeName"] = Value::Null;
    gated["spec"]["schedulingGates"] = json!([{"name": "g"}]);
    let pods =
        list(&[worker("w1", "1", "n", "4"), worker("w2", "1", "n", "4"), worker("w3", "4", "elsewhere", "4"), gated]);
    let with = check(
        &[("nodes.json", &nodes), ("pods.json", &pods)],
        &expect![[r#"
            1 pods, 1 slices, 1 hosts, 4 chips, 4 cores
            pod v6e (v6e 2x2)
              slice n 2x2: 2x2 at 0 0 0
            Error overbooked [nodes.json, node n] pods ask for 8 of its 4 chips
            Warning gated [job job] 1 of its pods are gated: they wait for a place and do not start by themselves
            Warning worker-id [job job] worker id 1 is there 2 times
            Warning worker-id [job job] worker id 4 lies outside 0 to 3
            Warning worker-id [job job] worker id x is not a number
            Note unknown-node [pod w3] its node elsewhere is not in the list
            Note worker-order [job job] 2 of 2 worker ids differ from the place of their host in slice n, as it is drawn: ids follow the creation of pods
        "#]],
    );
    assert_eq!(with.fleet, import(&[("nodes.json", &nodes)]).unwrap().fleet);
}

#[test]
fn what_is_no_inventory_is_refused_with_place_and_hint() {
    let refused = |text: &str| import(&[("a.json", text)]).unwrap_err().to_string();
    let deep = "[".repeat(100_000);
    let texts =
        ["", "{\"items\": [", "apiVersion: v1\nitems:\n", "NAME   STATUS\nn1     Ready", "3", "{\"a\": 1}", &deep];
    let messages: Vec<String> = texts.into_iter().map(refused).collect();
    expect![[r#"
        a.json: the file is empty. Export the list once more.
        a.json:1:11: EOF while parsing a list. The file is cut off; export it once more.
        a.json:1:1: expected value. This looks like YAML; export with -o json.
        a.json:1:1: expected value. This looks like the table for people; export with -o json.
        a.json: this is JSON, but no inventory that is known here. Known are nodes, pods and slices of a cluster, node pools, instances, TPU VMs, queued resources and reservation sub-blocks.
        a.json: this is JSON, but no inventory that is known here. Known are nodes, pods and slices of a cluster, node pools, instances, TPU VMs, queued resources and reservation sub-blocks.
        a.json:1:128: recursion limit exceeded. Export the list once more, with -o json or --format json.
    "#]].assert_eq(&(messages.join("\n") + "\n"));
    let empty = import(&[("a.json", "{\"kind\": \"List\", \"items\": []}")]).unwrap();
    assert_eq!(empty.findings[0].code, "no-hosts");
}

/// Shuffles the items of a list with a simple linear congruence.
fn shuffled(text: &str, mut seed: u64) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap();
    let items = if value.is_array() { value.as_array_mut() } else { value["items"].as_array_mut() }.unwrap();
    for i in (1..items.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(i, (seed >> 33) as usize % (i + 1));
    }
    value.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Neither the order of lists nor that of files shows in anything; C25 of the pain list.
    #[test]
    fn no_order_matters(seed in any::<u64>(), swap in any::<bool>()) {
        let straight = import(&[("n", NODES), ("p", PODS), ("s", SLICES), ("v", VMS)]).unwrap();
        let (n, p, s, v) = (shuffled(NODES, seed), shuffled(PODS, seed), shuffled(SLICES, seed), shuffled(VMS, seed));
        let mut files = [("n", n.as_str()), ("p", &p), ("s", &s), ("v", &v)];
        if swap {
            files.reverse();
        }
        prop_assert_eq!(import(&files).unwrap(), straight);
    }

    /// Any value in any place of a node, and any text, gives a fleet or an error; whatever fleet it is, it obeys the rules.
    #[test]
    fn nothing_makes_it_panic(text in "\\PC{0,40}", at in any::<prop::sample::Index>(), junk in "(null|-1|1e999|[0-9]{1,22}|\"\\PC{0,12}\"|\\[\\]|\\{\\})") {
        let _any = import(&[("a", &text)]);
        let quotes: Vec<usize> = NODES.match_indices("\": ").map(|(i, _)| i + 3).collect();
        let start = quotes[at.index(quotes.len())];
        let end = start + NODES[start..].find(['\n', ',']).unwrap();
        let spoilt = format!("{}{junk}{}", &NODES[..start], &NODES[end..]);
        if let Ok(found) = import(&[("a", &spoilt)]) {
            prop_assert_eq!(check_fleet(&found.fleet, Catalog::embedded()), []);
        }
    }
}
