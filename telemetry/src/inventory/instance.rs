//! Instances of Compute Engine: the machines under the nodes, with their identifiers and physical topology.

use std::collections::BTreeMap;

use serde_json::Value;
use topology::chip::{Catalog, GenerationId};
use topology::shape::Shape;

use crate::inventory::document::Object;
use crate::inventory::record::{Health, Host, text};
use crate::inventory::{Report, shown};

/// An instance as a host; `None` for a machine without chips, or one whose type is not known.
pub(super) fn host(object: &Object, name: &str, catalog: &Catalog, report: &mut Report) -> Option<Host> {
    let value = &object.value;
    let place = format!("{}, instance {name}", object.file);
    let address = text(value, "/machineType")?;
    let machine = last_part(&address);
    let Some((generation, n_chips)) = chips_of(machine, catalog) else {
        if text(value, "/resourceStatus/physicalHostTopology/additionalAttributes").is_some() || is_tpu(machine) {
            report.warn("unknown-machine", &place, format!("the machine type {} is not known", shown(machine)));
            report.unplaced(name, format!("its machine type {} is not known", shown(machine)));
        }
        return None;
    };
    let health = health(value, &place, report);
    if let Some(start) = text(value, "/resourceStatus/upcomingMaintenance/windowStartTime") {
        report.note("maintenance", &place, format!("maintenance is planned from {}", shown(&start)));
    }
    let of_topology =
        |key: &str| text(value, &format!("/resourceStatus/physicalHostTopology/{key}")).map(|id| shown(&id));
    let label = |key: &str| text(value, &format!("/labels/{key}")).map(|text| shown(&text));
    let partitions = partitions(value);
    Some(Host {
        name: name.to_owned(),
        instance_id: text(value, "/id"),
        uid: None,
        cluster: label("goog-k8s-cluster-name"),
        generation: Ok(generation),
        n_chips,
        n_devices: n_chips,
        pool: label("goog-k8s-node-pool-name").unwrap_or_else(|| name.to_owned()),
        topology: None,
        zone: text(value, "/zone").map(|zone| shown(last_part(&zone))).unwrap_or_default(),
        reservation: None,
        block: of_topology("block"),
        sub_block: of_topology("subblock"),
        partitions,
        slice: None,
        is_dynamic: false,
        health,
        team: None,
        place,
    })
}

/// What stands after the last slash of an address.
fn last_part(address: &str) -> &str {
    address.rsplit_once('/').map_or(address, |(_, last)| last)
}

fn is_tpu(machine: &str) -> bool {
    machine.starts_with("tpu") || machine.starts_with("ct")
}

/// The generation and chips of a machine type.
fn chips_of(machine: &str, catalog: &Catalog) -> Option<(GenerationId, u32)> {
    catalog.generations.iter().find_map(|generation| {
        let machines = &generation.naming.as_ref()?.value.machines;
        let found = machines.iter().find(|known| known.name == machine)?;
        Some((generation.id.clone(), found.chips))
    })
}

fn health(value: &Value, place: &str, report: &mut Report) -> Health {
    match text(value, "/status").as_deref() {
        Some("RUNNING") => Health::Ready,
        Some(status) => {
            report.warn("not-running", place, format!("its state is {}", shown(status)));
            Health::NotReady
        }
        None => {
            report.warn("not-running", place, "the list does not give its state");
            Health::Lost
        }
    }
}

/// Ids of the boxes that the machine is a part of, by their sizes.
fn partitions(value: &Value) -> BTreeMap<Shape, String> {
    let pointer = "/resourceStatus/physicalHostTopology/additionalAttributes/acceleratorTopologyIds";
    let ids = value.pointer(pointer).and_then(Value::as_object);
    let named = ids.into_iter().flatten().filter_map(|(size, id)| Some((size.parse().ok()?, shown(id.as_str()?))));
    named.collect()
}

/// Adds to each node what its instance says, and instances that are no node of the list; nodes are believed first.
pub(super) fn merge(hosts: &mut Vec<Host>, instances: Vec<Host>, report: &mut Report) {
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for (i, host) in hosts.iter().enumerate() {
        index.entry(host.name.clone()).or_insert(i);
    }
    for instance in instances {
        match index.get(&instance.name).and_then(|i| hosts.get_mut(*i)) {
            Some(host) if differs(host.instance_id.as_ref(), instance.instance_id.as_ref()) => {
                let message =
                    "an instance of the same name has another id: the machine was replaced; the node's was kept";
                report.warn("instance-replaced", &host.place, message);
            }
            Some(host) => complete(host, instance, report),
            None => hosts.push(instance),
        }
    }
}

fn differs(a: Option<&String>, b: Option<&String>) -> bool {
    a.zip(b).is_some_and(|(a, b)| a != b)
}

fn complete(host: &mut Host, instance: Host, report: &mut Report) {
    let mut at_odds: Vec<String> = Vec::new();
    for (size, id) in instance.partitions {
        let known = host.partitions.entry(size).or_insert_with(|| id.clone());
        if *known != id {
            at_odds.push(size.to_string());
        }
    }
    if differs(host.sub_block.as_ref(), instance.sub_block.as_ref()) {
        at_odds.push("the sub-block".to_owned());
    }
    if !at_odds.is_empty() {
        let message = format!("its instance has other ids for {}; those of the node were kept", at_odds.join(", "));
        report.warn("topology-at-odds", &host.place, message);
    }
    host.instance_id = host.instance_id.take().or(instance.instance_id);
    host.cluster = host.cluster.take().or(instance.cluster);
    host.block = host.block.take().or(instance.block);
    host.sub_block = host.sub_block.take().or(instance.sub_block);
}
