//! Inventories that broke other tools, by the name of the case, with what is right.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;
use serde_json::{Value, json};
use telemetry::inventory::{Import, import, interruptions};
use topology::finding::Severity;
use topology::fleet::{Effect, Place};
use topology::shape::{Coord, Shape};

const NODES: &str = include_str!("data/nodes.json");
const PODS: &str = include_str!("data/pods.json");
const SLICES: &str = include_str!("data/slices.json");
const VMS: &str = include_str!("data/tpu_vm_list.json");
const SUB_BLOCKS: &str = include_str!("data/reservation_sub_blocks.json");
const INSTANCES: &str = include_str!("data/compute_instances.json");

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

fn said(found: &Import, code: &str) -> Vec<String> {
    found.findings.iter().filter(|finding| finding.code == code).map(|finding| finding.message.clone()).collect()
}

/// A pool as `gcloud container node-pools list --format json` gives it.
fn pool(name: &str, placement: &Value, autoscaling: &Value) -> Value {
    json!({
        "name": name,
        "config": {"machineType": "tpu7x-standard-4t"},
        "initialNodeCount": 0,
        "placementPolicy": placement,
        "autoscaling": autoscaling,
    })
}

/// <https://github.com/vllm-project/tpu-inference/pull/1266>: two devices of a chip are not two chips.
#[test]
fn c13_eight_devices_of_a_tpu7x_host_are_four_chips() {
    let labels = [("gke-tpu-accelerator", "tpu7x"), ("gke-tpu-topology", "2x2x1"), ("gke-accelerator-count", "4")];
    let found = import(&[("nodes.json", &list(&[node("n", &labels, "8")]))]).unwrap();
    assert_eq!((found.counts.hosts, found.counts.chips, found.counts.cores), (1, 4, 8));
    assert_eq!(found.fleet.pods[0].hosts[0].chips().count(), 4, "on the map too");
}

/// <https://github.com/AI-Hypercomputer/xpk/pull/525>: a type does not say the shape.
#[test]
fn c14_no_shape_of_several_is_chosen() {
    let vm = json!([{"name": "projects/p/locations/z/nodes/a", "acceleratorType": "tpu7x-2048", "state": "READY",
        "networkEndpoints": vec![json!({}); 256]}]);
    let found = import(&[("vms.json", &vm.to_string())]).unwrap();
    assert!(found.fleet.pods.is_empty() && !found.unplaced.is_empty());
    let message = said(&found, "ambiguous-shape").join("");
    assert!(message.contains("8x8x16") && message.contains("4x16x16"), "{message}");
}

/// GKE, dynamic slices: too few partitions.
#[test]
fn c18_a_slice_says_how_many_partitions_it_needs() {
    let found = import(&[("nodes.json", NODES), ("slices.json", SLICES)]).unwrap();
    assert_eq!(said(&found, "partition-count"), ["4x8x8 needs 4 partitions, has 3"]);
}

/// <https://github.com/vllm-project/ci-infra/pull/547>: compact placement is refused.
#[test]
fn c19_a_tpu7x_pool_of_several_hosts_needs_a_workload_policy() {
    let compact = json!({"type": "COMPACT", "tpuTopology": "2x2x2"});
    let with_policy = json!({"policyName": "policy-2x2x2", "tpuTopology": "2x2x2"});
    let single = json!({"type": "COMPACT", "tpuTopology": "2x2x1"});
    let off = json!({});
    let codes = |placement| {
        let found = import(&[("pools.json", &json!([pool("p", placement, &off)]).to_string())]).unwrap();
        found.findings.iter().map(|finding| (finding.code, finding.where_.clone())).collect::<Vec<_>>()
    };
    assert_eq!(codes(&compact), [("pool-workload-policy", "pools.json, node pool p".to_owned())]);
    assert_eq!(codes(&with_policy), []);
    assert_eq!(codes(&single), []);
}

/// <https://github.com/vllm-project/ci-infra/pull/545>: a maximum in total instead of one per zone.
#[test]
fn c20_a_slice_of_two_hosts_has_no_or_two_nodes() {
    let policy = json!({"policyName": "policy-2x2x2", "tpuTopology": "2x2x2"});
    let messages = |autoscaling| {
        let found =
            import(&[("pools.json", &json!({"nodePools": [pool("p", &policy, &autoscaling)]}).to_string())]).unwrap();
        found.findings.iter().map(|finding| format!("{}: {}", finding.code, finding.message)).collect::<Vec<_>>()
    };
    assert_eq!(messages(json!({"enabled": true, "maxNodeCount": 2})), [""; 0]);
    assert_eq!(
        messages(json!({"enabled": true, "maxNodeCount": 0})),
        [
            "pool-node-count: its maximum per zone is 0 nodes, but the node count of 2x2x2 must be 0 or exactly 2, so the \
          maximum must be 2"
        ]
    );
    assert_eq!(
        messages(json!({"enabled": true, "maxNodeCount": 3})),
        ["pool-node-count: its maximum per zone is 3 nodes, but the node count of 2x2x2 must be 0 or exactly 2"]
    );
    assert_eq!(
        messages(json!({"enabled": true, "totalMaxNodeCount": 2})),
        [
            "pool-per-zone-limit: its maximum in total is 2 nodes, but a slice lies in one zone: give the maximum per zone, 2"
        ]
    );
}

/// <https://github.com/ray-project/ray/pull/66029>: ids follow the creation of pods, places follow the ids of partitions.
#[test]
fn c24_worker_ids_stand_beside_places_and_are_counted() {
    let found = import(&[("nodes.json", NODES), ("pods.json", PODS)]).unwrap();
    let table: Vec<(usize, usize, Coord)> = found.workers.iter().map(|w| (w.worker_id, w.host, w.chip)).collect();
    // Hosts of one 2x4 id stand one above the other; within it the smaller 2x2 id comes first.
    assert_eq!(
        table,
        [
            (0, 1, Coord::new(2, 0, 0)),
            (1, 2, Coord::new(0, 2, 0)),
            (2, 3, Coord::new(2, 2, 0)),
            (3, 0, Coord::new(0, 0, 0)),
        ]
    );
    let order = said(&found, "worker-order");
    assert_eq!(order.len(), 1);
    assert!(order[0].starts_with("4 of 4 worker ids differ from the place of their host"), "{order:?}");
    assert_eq!(found.fleet, import(&[("nodes.json", NODES)]).unwrap().fleet, "the picture does not follow them");
}

/// Operator's notes on tpu7x 2x2x4: names say nothing of cabling, the ids of partitions do.
#[test]
fn c26_hosts_of_one_partition_stand_together_whatever_their_names() {
    let host = |name: &str, pair: &str, own: &str| {
        let labels = [
            ("gke-tpu-accelerator", "tpu7x"),
            ("gke-tpu-topology", "2x2x4"),
            ("gke-nodepool", "p"),
            ("gke-tpu-partition-2x2x2-id", pair),
            ("gke-tpu-partition-2x2x1-id", own),
        ];
        node(name, &labels, "4")
    };
    let items = [host("n0", "b", "b0"), host("n1", "a", "a0"), host("n2", "b", "b1"), host("n3", "a", "a1")];
    let found = import(&[("nodes.json", &list(&items))]).unwrap();
    let at = |name: &str| found.hosts.iter().find(|host| host.name == name).unwrap().chip.z;
    assert_eq!((at("n0").abs_diff(at("n2")), at("n1").abs_diff(at("n3"))), (1, 1));
    assert_eq!((at("n0") / 2, at("n1") / 2), (1, 0), "pairs in the order of their ids, not of their names");
}

/// <https://github.com/GoogleCloudPlatform/ai-on-gke/pull/391>: a counter that was never reset.
#[test]
fn c27_a_worker_id_beyond_the_slice_and_a_double_one_are_flagged() {
    let worker = |name: &str, id: &str, node: &str| {
        json!({"kind": "Pod", "metadata": {"name": name, "labels": {"jobset.sigs.k8s.io/jobset-name": "job"}},
            "spec": {"nodeName": node, "containers": [{"resources": {"limits": {"google.com/tpu": "4"}},
                "env": [{"name": "TPU_WORKER_ID", "value": id}, {"name": "TPU_WORKER_HOSTNAMES", "value": "a,b,c,d"}]}]}})
    };
    let labels = [("gke-tpu-accelerator", "tpu-v6e-slice"), ("gke-tpu-topology", "4x4"), ("gke-nodepool", "p")];
    let nodes = list(&["n0", "n1", "n2", "n3"].map(|name| node(name, &labels, "4")));
    let pods = list(&[worker("a", "0", "n0"), worker("b", "1", "n1"), worker("c", "1", "n2"), worker("d", "4", "n3")]);
    let found = import(&[("nodes.json", &nodes), ("pods.json", &pods)]).unwrap();
    assert_eq!(said(&found, "worker-id"), ["worker id 1 is there 2 times", "worker id 4 lies outside 0 to 3"]);
    assert_eq!(found.fleet, import(&[("nodes.json", &nodes)]).unwrap().fleet, "the layout is unchanged");
}

/// Two spellings of one label, both public.
#[test]
fn c57_both_spellings_of_the_cube_label_are_read() {
    let cube = |key: &str| {
        let labels =
            [("gke-tpu-accelerator", "tpu7x"), (key, "cube-a"), ("gke-accelerator-topology-mode", "PROVISION_ONLY")];
        let hosts: Vec<Value> = (0..16).map(|i| node(&format!("n{i:02}"), &labels, "4")).collect();
        import(&[("nodes.json", &list(&hosts))]).unwrap()
    };
    let (old, new) = (cube("gke-tpu-partition-id-4x4x4"), cube("gke-tpu-partition-4x4x4-id"));
    assert_eq!((&old.fleet, old.fleet.pods[0].shape), (&new.fleet, Shape::solid(4, 4, 4)));
    assert_eq!(
        (said(&old, "label-spelling").len(), said(&new, "label-spelling").len()),
        (16, 0),
        "noted in the report"
    );
}

/// A series that is left out while it is zero.
#[test]
fn c59_no_interruptions_are_zero_only_where_the_pool_reports_at_all() {
    assert_eq!(interruptions(Some(3), true), Some(3));
    assert_eq!(interruptions(None, true), Some(0));
    assert_eq!(interruptions(None, false), None);
}

/// The service adds generations and states before its documents do.
#[test]
fn c61_what_is_new_is_kept_with_its_text_and_reported() {
    let vm = |topology: &str, kind: &str| {
        json!([{"name": "projects/p/locations/z/nodes/new", "acceleratorType": "tpu7x-32", "state": "SOMETHING_NEW",
            "acceleratorConfig": {"type": kind, "topology": topology}, "networkEndpoints": vec![json!({}); 4]}])
        .to_string()
    };
    let odd = import(&[("vms.json", &vm("4x4x4x2", "TPU7X"))]).unwrap();
    assert_eq!(said(&odd, "unknown-state"), ["the state SOMETHING_NEW is not known"]);
    assert!(said(&odd, "bad-topology")[0].starts_with("\"4x4x4x2\" is not a shape"));
    assert_eq!((odd.counts.hosts, odd.counts.chips), (4, 16), "counted, though it cannot be drawn");
    assert_eq!(odd.unplaced[0].name, "new");
    let known = import(&[("vms.json", &vm("2x2x4", "TPU7X"))]).unwrap();
    assert_eq!((known.fleet.pods[0].generation.0.as_str(), known.fleet.n_chips()), ("tpu7x", 16));
    let future = import(&[("vms.json", &vm("2x2x4", "V99"))]).unwrap();
    assert_eq!(future.unplaced.len(), 4);
    assert!(future.unplaced[0].reason.contains("V99") && future.findings.iter().any(|f| f.severity == Severity::Error));
}

/// Names of nodes come back with other machines; the fleet keeps who stands where.
#[test]
fn a_fleet_keeps_the_names_of_its_machines() {
    let found = import(&[("nodes.json", NODES), ("instances.json", INSTANCES)]).unwrap();
    let hosts: Vec<_> = found.fleet.pods.iter().flat_map(|pod| &pod.hosts).collect();
    assert_eq!(hosts.len(), 20);
    let host = hosts.iter().find(|host| host.node.ends_with("-w66c")).unwrap();
    assert_eq!(host.instance_id.as_deref(), Some("8402938475610333442"));
    assert!(host.uid.is_some());
    assert_eq!((host.block, host.chips().count()), (Shape::solid(2, 2, 1), 4));
    for pod in &found.fleet.pods {
        for host in &pod.hosts {
            assert!(host.chips().all(|chip| pod.host_of(chip) == Some(host)));
        }
    }
}

/// An instance adds what its node does not say, is believed after it, and is a host where there is no node.
#[test]
fn instances_complete_nodes_and_stand_for_those_that_are_not_listed() {
    let found = import(&[("nodes.json", NODES), ("instances.json", INSTANCES)]).unwrap();
    assert_eq!(
        said(&found, "topology-at-odds"),
        ["its instance has other ids for 2x2x1, 2x2x2; those of the node were kept"]
    );
    assert_eq!(said(&found, "maintenance"), ["maintenance is planned from 2026-12-01T02:00:00.000-08:00"]);
    assert_eq!(found.fleet, import(&[("nodes.json", NODES)]).unwrap().fleet);

    let alone = import(&[("instances.json", INSTANCES)]).unwrap();
    assert_eq!((alone.counts.hosts, alone.counts.chips, alone.counts.cores), (1, 4, 8));
    let pod = &alone.fleet.pods[0];
    assert_eq!((pod.shape, pod.hosts[0].instance_id.as_deref()), (Shape::solid(4, 4, 4), Some("8402938475610333442")));
    assert_eq!(said(&alone, "incomplete-cube"), ["1 of its 16 hosts are in the list"]);

    let replaced = INSTANCES.replace("8402938475610333442", "1");
    let replaced = import(&[("nodes.json", NODES), ("instances.json", &replaced)]).unwrap();
    assert_eq!(said(&replaced, "instance-replaced").len(), 1);
    let odd = INSTANCES.replace("tpu7x-standard-4t", "tpu9x-standard-4t").replace("RUNNING", "STOPPING");
    let odd = import(&[("instances.json", &odd)]).unwrap();
    assert_eq!((said(&odd, "unknown-machine").len(), odd.unplaced.len()), (1, 1));
    let silent = import(&[("i.json", &INSTANCES.replace("\"status\": \"RUNNING\",", ""))]).unwrap();
    assert_eq!(said(&silent, "not-running"), ["the list does not give its state"]);
    assert!(silent.fleet.pods[0].faults.iter().any(|fault| fault.effect == Effect::Silent));
    let web = r#"[{"kind": "compute#instance", "name": "web", "machineType": "zones/z/machineTypes/e2-small"}]"#;
    let web = import(&[("nodes.json", NODES), ("web.json", web)]).unwrap();
    assert_eq!(web.counts.hosts, 20, "a machine without chips is no host");
}

/// Shuffles the items of a list, and the keys of every object, with a simple linear congruence.
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

    /// <https://github.com/ray-project/ray/pull/64578>: whatever the order of the input, the fleet and its text are the
    /// same to the byte, and with it the picture, which is made of nothing else.
    #[test]
    fn c25_the_order_of_the_input_shows_in_nothing(seed in any::<u64>(), turn in 0_usize..6) {
        let texts = [NODES, PODS, SLICES, VMS, SUB_BLOCKS, INSTANCES];
        let names = ["nodes", "pods", "slices", "vms", "blocks", "instances"];
        let straight = names.into_iter().zip(texts).collect::<Vec<_>>();
        let mixed: Vec<String> = texts.iter().map(|text| shuffled(text, seed)).collect();
        let mut files: Vec<(&str, &str)> = names.into_iter().zip(mixed.iter().map(String::as_str)).collect();
        files.rotate_left(turn);
        let (first, second) = (import(&straight).unwrap(), import(&files).unwrap());
        prop_assert_eq!(&first, &second);
        let text = |found: &Import| (ron::to_string(&found.fleet).unwrap(), serde_json::to_string(&found.fleet).unwrap());
        prop_assert_eq!(text(&first), text(&second));
        prop_assert!(first.fleet.pods.iter().any(|pod| pod.slices.iter().any(|slice| matches!(slice.place, Place::Cubes(_)))));
    }
}

/// A pod of a job with four chips; gated where it has no node.
fn worker(name: &str, job: &str, node: Option<&str>, annotations: &Value) -> Value {
    let gates = if node.is_none() { json!([{"name": "kueue.x-k8s.io/topology"}]) } else { json!([]) };
    json!({
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"jobset.sigs.k8s.io/jobset-name": job}, "annotations": annotations},
        "spec": {
            "nodeName": node,
            "schedulingGates": gates,
            "containers": [{"resources": {"limits": {"google.com/tpu": "4"}}}],
        },
    })
}

fn one_pool() -> String {
    let labels = [("gke-tpu-accelerator", "tpu-v6e-slice"), ("gke-tpu-topology", "2x4"), ("gke-nodepool", "pool-a")];
    list(&[node("n0", &labels, "4"), node("n1", &labels, "4")])
}

/// <https://github.com/kubernetes-sigs/kueue/issues/15277>: what fills no slice waits for ever.
#[test]
fn c31_pods_outside_full_slices_are_gated_and_counted() {
    let size = json!({"kueue.x-k8s.io/podset-slice-size": "2"});
    let all: Vec<Value> =
        (0..5).map(|i| worker(&format!("w{i}"), "job", (i < 4).then_some("elsewhere"), &size)).collect();
    let found = import(&[("nodes.json", &one_pool()), ("pods.json", &list(&all))]).unwrap();
    let [gated] = &said(&found, "gated")[..] else { panic!("{:?}", found.findings) };
    assert!(gated.starts_with("1 of its pods are gated") && gated.ends_with("1 pod is outside full slices of 2 pods"));
    let zero = worker("w", "job", None, &json!({"kueue.x-k8s.io/podset-slice-size": "0"}));
    let found = import(&[("nodes.json", &one_pool()), ("pods.json", &list(&[zero]))]).unwrap();
    assert!(!said(&found, "gated")[0].contains("outside"), "a size of nothing is no size");
}

/// <https://github.com/kubernetes-sigs/jobset/issues/1057>: only jobs that ask for it keep out of each other's way.
#[test]
fn c32_an_exclusive_pool_that_is_shared_is_told() {
    let exclusive = json!({"alpha.jobset.sigs.k8s.io/exclusive-topology": "cloud.google.com/gke-nodepool"});
    let shared = |first: &Value, second: &Value| {
        let pods = list(&[worker("a", "alone", Some("n0"), first), worker("b", "guest", Some("n1"), second)]);
        said(&import(&[("nodes.json", &one_pool()), ("pods.json", &pods)]).unwrap(), "shared-pool")
    };
    assert_eq!(shared(&exclusive, &json!({})), ["pool pool-a is exclusive, but shared with guest"]);
    assert_eq!(shared(&exclusive, &exclusive).len(), 2, "either is told");
    assert!(shared(&json!({}), &json!({})).is_empty(), "who asked for nothing misses nothing");
}

/// <https://github.com/kubernetes-sigs/kueue/issues/6913>: a workload that was let in may have lost its place.
#[test]
fn c28_a_workload_without_domains_is_admitted_without_placement() {
    let told = |assignment: &Value| {
        let sets = json!([{"name": "main", "count": 2, "topologyAssignment": assignment}]);
        let workload = json!({"kind": "Workload", "metadata": {"name": "w"}, "status": {"admission": {"podSetAssignments": sets}}});
        said(&import(&[("nodes.json", &one_pool()), ("workloads.json", &list(&[workload]))]).unwrap(), "no-placement")
    };
    let empty = json!({"levels": ["kubernetes.io/hostname"], "domains": []});
    assert_eq!(told(&empty), ["admitted, no placement: pod set main"]);
    assert_eq!(told(&json!({})).len(), 1);
    assert!(told(&json!({"domains": [{"values": ["n0"], "count": 2}]})).is_empty());
    assert!(told(&json!({"slices": [{"domainCount": 1}]})).is_empty(), "the newer form");
    assert!(told(&Value::Null).is_empty(), "no topology was asked for");
}
