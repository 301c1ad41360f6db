//! Node pools as they are asked for: held against the rules by which the cloud refuses them, and never drawn.

use serde_json::Value;
use topology::chip::{Catalog, Generation};
use topology::name::MachineUse;
use topology::provision::{NodeLimit, NodePool, Placement, check_pool};
use topology::shape::Shape;

use crate::inventory::document::Object;
use crate::inventory::record::{shape, text};
use crate::inventory::{Report, shown};

/// Reports what will keep a pool from coming up; pools without chips or without a topology are left out.
pub(super) fn check(object: &Object, name: &str, catalog: &Catalog, report: &mut Report) {
    let value = &object.value;
    let place = format!("{}, node pool {name}", object.file);
    let machine = text(value, "/config/machineType").unwrap_or_default();
    let has_machine = |generation: &&Generation| {
        let machines = generation.naming.as_ref().map_or(&[][..], |naming| &naming.value.machines);
        machines.iter().any(|known| known.name == machine && known.use_for != MachineUse::Single)
    };
    let Some(generation) = catalog.generations.iter().find(has_machine) else { return };
    let topology = text(value, "/placementPolicy/tpuTopology");
    let Some(shape) = shape(topology.as_deref(), &place, report) else { return };
    let pool = pool(value, name, shape);
    for finding in check_pool(generation, &pool) {
        report.add(finding.severity, finding.code, &place, finding.message);
    }
}

fn pool(value: &Value, name: &str, shape: Shape) -> NodePool {
    let has_policy = text(value, "/placementPolicy/policyName").is_some_and(|name| !name.is_empty());
    let kind = text(value, "/placementPolicy/type");
    let placement = match kind.as_deref() {
        _ if has_policy => Some(Placement::WorkloadPolicy),
        Some("COMPACT") => Some(Placement::Compact),
        _ => None,
    };
    let number = |pointer: &str| text(value, pointer).and_then(|number| number.parse::<u64>().ok());
    let is_scaled = value.pointer("/autoscaling/enabled").and_then(Value::as_bool) == Some(true);
    let mut limits: Vec<NodeLimit> = number("/initialNodeCount").map(NodeLimit::Fixed).into_iter().collect();
    if is_scaled {
        limits.extend(number("/autoscaling/maxNodeCount").map(NodeLimit::PerZone));
        limits.extend(number("/autoscaling/totalMaxNodeCount").map(NodeLimit::Total));
    }
    NodePool { name: shown(name), shape, placement, limits }
}
