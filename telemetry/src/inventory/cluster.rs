//! Nodes, pods and slices of a Kubernetes cluster.

use std::collections::BTreeMap;

use serde_json::Value;
use topology::chip::{Catalog, GenerationId};
use topology::shape::Shape;

use crate::inventory::document::Object;
use crate::inventory::record::{Health, Host, Wanted, Worker, generation, shape, text};
use crate::inventory::{Report, shown};

const TPU: &str = "google.com/tpu";
const CLOUD: &str = "cloud.google.com";

/// A label, or an annotation of the same name: documents use both words for some.
fn label(value: &Value, key: &str) -> Option<String> {
    let of = |part: &str| value.pointer(&format!("/metadata/{part}"))?.get(key)?.as_str().map(str::to_owned);
    of("labels").or_else(|| of("annotations"))
}

fn cloud(value: &Value, key: &str) -> Option<String> {
    label(value, &format!("{CLOUD}/{key}"))
}

/// A node as a host; `None` for a node without chips.
pub(super) fn host(object: &Object, name: &str, catalog: &Catalog, report: &mut Report) -> Option<Host> {
    let value = &object.value;
    let place = format!("{}, node {name}", object.file);
    let accelerator = cloud(value, "gke-tpu-accelerator");
    let capacity = |part: &str| value.pointer(&format!("/status/{part}"))?.get(TPU).and_then(number);
    let listed = capacity("capacity").or_else(|| capacity("allocatable"));
    if accelerator.is_none() && listed.is_none() {
        return None;
    }
    let found = match &accelerator {
        Some(name) => generation(name, catalog),
        None => Err("without the label gke-tpu-accelerator".to_owned()),
    };
    let n_chips = chips(value, listed, &found, &place, report);
    let topology = cloud(value, "gke-tpu-topology");
    conditions(value, &place, report);
    let partitions = partitions(value, &place, report);
    let slice = cloud(value, "gke-tpu-slice").map(|slice| {
        let size = cloud(value, "gke-tpu-slice-topology");
        (shown(&slice), shape(size.as_deref(), &place, report))
    });
    let mode = cloud(value, "gke-accelerator-topology-mode");
    Some(Host {
        name: name.to_owned(),
        instance_id: label(value, "container.googleapis.com/instance_id")
            .or_else(|| text(value, "/metadata/annotations/container.googleapis.com~1instance_id")),
        uid: text(value, "/metadata/uid").map(|uid| shown(&uid)),
        cluster: label(value, "goog-k8s-cluster-name").map(|cluster| shown(&cluster)),
        generation: found,
        n_chips,
        n_devices: listed.unwrap_or(n_chips),
        pool: cloud(value, "gke-nodepool").map_or_else(|| name.to_owned(), |pool| shown(&pool)),
        topology: shape(topology.as_deref(), &place, report),
        zone: label(value, "topology.kubernetes.io/zone").map(|zone| shown(&zone)).unwrap_or_default(),
        reservation: cloud(value, "reservation-name").map(|name| shown(&name)),
        block: cloud(value, "gce-topology-block").map(|id| shown(&id)),
        sub_block: cloud(value, "gce-topology-subblock").map(|id| shown(&id)),
        is_dynamic: slice.is_some() || mode.as_deref() == Some("PROVISION_ONLY"),
        partitions,
        slice,
        health: health(value),
        team: None,
        place,
    })
}

fn number(value: &Value) -> Option<u32> {
    value.as_str().map_or_else(|| value.as_u64().and_then(|n| u32::try_from(n).ok()), |text| text.parse().ok())
}

/// Chips of a node. A tpu7x chip shows as two devices, so eight devices on a four-chip machine are four chips.
fn chips(
    value: &Value,
    listed: Option<u32>,
    generation: &Result<GenerationId, String>,
    place: &str,
    report: &mut Report,
) -> u32 {
    let machine = label(value, "node.kubernetes.io/instance-type").unwrap_or_default();
    let by_machine = machine.rsplit_once('-').and_then(|(_, count)| count.strip_suffix('t')?.parse::<u32>().ok());
    let by_label = cloud(value, "gke-accelerator-count").and_then(|count| count.parse().ok());
    let is_7x = generation.as_ref().is_ok_and(|id| id.0 == "tpu7x");
    let n_chips = by_machine.or(by_label).or(listed).unwrap_or(0).min(64);
    let devices_fit = listed.is_none_or(|n| n == n_chips || (is_7x && n == 2 * n_chips));
    if !devices_fit {
        let message =
            format!("{} chips are listed, but the machine {} has {n_chips}", listed.unwrap_or(0), shown(&machine));
        report.warn("chip-count", place, message);
    }
    n_chips
}

fn health(value: &Value) -> Health {
    let conditions = value.pointer("/status/conditions").and_then(Value::as_array);
    let ready = conditions
        .into_iter()
        .flatten()
        .find(|condition| condition.get("type").and_then(Value::as_str) == Some("Ready"));
    match ready.and_then(|ready| ready.get("status")).and_then(Value::as_str) {
        Some("True") => Health::Ready,
        Some("False") => Health::NotReady,
        _ => Health::Lost,
    }
}

fn conditions(value: &Value, place: &str, report: &mut Report) {
    match health(value) {
        Health::Ready => {}
        Health::NotReady => report.warn("host-not-ready", place, "the node is not ready"),
        Health::Lost => report.warn("host-lost", place, "nothing is heard of the node"),
    }
    for condition in value.pointer("/status/conditions").and_then(Value::as_array).into_iter().flatten() {
        let kind = condition.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_true = condition.get("status").and_then(Value::as_str) == Some("True");
        if is_true && matches!(kind, "MegascaleHangDetected" | "SliceErrorDetected") {
            report.warn("condition", place, format!("the node reports {kind}"));
        }
    }
    for taint in value.pointer("/spec/taints").and_then(Value::as_array).into_iter().flatten() {
        if taint.get("key").and_then(Value::as_str) == Some("cloud.google.com/impending-node-termination") {
            report.warn("termination", place, "the node is about to be terminated");
        }
    }
    partition_state(value, place, report);
}

/// The state of a node's cube, said once for all of its nodes.
fn partition_state(value: &Value, place: &str, report: &mut Report) {
    let state = cloud(value, "gke-tpu-partition-4x4x4-state").filter(|state| state != "HEALTHY");
    if let Some(state) = state {
        let file = place.split(", ").next().unwrap_or_default();
        let id =
            ["gke-tpu-partition-4x4x4-id", "gke-tpu-partition-id-4x4x4"].into_iter().find_map(|key| cloud(value, key));
        let place = id.map_or_else(|| place.to_owned(), |id| format!("{file}, partition {}", shown(&id)));
        report.warn("partition-state", &place, format!("the cube is {}", shown(&state)));
    }
}

/// Partition ids by size, in the spellings `gke-tpu-partition-4x4x4-id`, `gke-tpu-partition-id-4x4x4` and
/// `gke-tpu-slice-2x4-id`.
fn partitions(value: &Value, place: &str, report: &mut Report) -> BTreeMap<Shape, String> {
    let labels = value.pointer("/metadata/labels").and_then(Value::as_object);
    let mut partitions = BTreeMap::new();
    for (key, id) in labels.into_iter().flatten() {
        let Some(rest) = key.strip_prefix("cloud.google.com/gke-tpu-") else { continue };
        let size = rest.strip_prefix("partition-").or_else(|| rest.strip_prefix("slice-"));
        let old = size.and_then(|size| size.strip_prefix("id-"));
        let size = old.or_else(|| size.and_then(|size| size.strip_suffix("-id")));
        let Some(size) = size.and_then(|size| size.parse::<Shape>().ok()) else { continue };
        if old.is_some() {
            report.note("label-spelling", place, format!("the label {} was read as a partition id", shown(key)));
        }
        if let Some(id) = id.as_str() {
            partitions.insert(size, shown(id));
        }
    }
    partitions
}

/// A slice object.
pub(super) fn wanted(object: &Object, name: &str, report: &mut Report) -> Wanted {
    let value = &object.value;
    let place = format!("{}, slice {name}", object.file);
    let conditions = value.pointer("/status/conditions").and_then(Value::as_array);
    for condition in conditions.into_iter().flatten() {
        let reason = text(condition, "/reason").unwrap_or_default();
        if !matches!(reason.as_str(), "ACTIVE" | "ACTIVATING" | "") {
            let message = text(condition, "/message").filter(|message| !message.is_empty());
            let message = message.map_or(String::new(), |message| format!(": {}", shown(&message)));
            report.warn("slice-state", &place, format!("its state is {}{message}", shown(&reason)));
        }
    }
    let topology = text(value, "/spec/topology");
    let ids = value.pointer("/spec/partitionIds").and_then(Value::as_array);
    let partitions = ids.into_iter().flatten().filter_map(|id| id.as_str().map(shown)).collect();
    Wanted { name: name.to_owned(), shape: shape(topology.as_deref(), &place, report), partitions, place }
}

/// A pod that asks for chips; `None` for any other.
pub(super) fn worker(object: &Object, name: &str) -> Option<Worker> {
    let value = &object.value;
    let containers = value.pointer("/spec/containers").and_then(Value::as_array)?;
    let asked = |container: &Value| container.pointer("/resources/limits")?.get(TPU).and_then(number);
    let n_chips: u32 = containers.iter().filter_map(asked).fold(0, u32::saturating_add);
    if n_chips == 0 {
        return None;
    }
    let environment = |key: &str| {
        let all = containers.iter().filter_map(|container| container.get("env")?.as_array()).flatten();
        let mut found = all.filter(|entry| entry.get("name").and_then(Value::as_str) == Some(key));
        found.find_map(|entry| text(entry, "/value"))
    };
    let set = label(value, "jobset.sigs.k8s.io/jobset-name").or_else(|| label(value, "job-name"));
    let index = label(value, "jobset.sigs.k8s.io/job-index").unwrap_or_default();
    let gates = value.pointer("/spec/schedulingGates").and_then(Value::as_array);
    Some(Worker {
        name: name.to_owned(),
        job: format!("{} {}", shown(&set.unwrap_or_else(|| name.to_owned())), shown(&index)).trim_end().to_owned(),
        node: text(value, "/spec/nodeName").map(|node| shown(&node)),
        id: environment("TPU_WORKER_ID").map(|id| shown(&id)),
        n_workers: environment("TPU_WORKER_HOSTNAMES").map(|names| names.split(',').count()),
        n_chips,
        is_gated: gates.is_some_and(|gates| !gates.is_empty()),
        is_exclusive: label(value, "alpha.jobset.sigs.k8s.io/exclusive-topology").is_some(),
        part_size: label(value, "kueue.x-k8s.io/podset-slice-size").and_then(|size| size.parse().ok()),
    })
}
