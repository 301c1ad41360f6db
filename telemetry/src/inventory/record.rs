//! From objects to records: what each says about chips, with everything strange reported.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use topology::chip::{Catalog, Generation, GenerationId};
use topology::fleet::TeamId;
use topology::name::{host_block, parse_accelerator_type};
use topology::shape::Shape;

use crate::inventory::document::{Kind, Object, name_of};
use crate::inventory::{Counts, Report, cluster, instance, pool, shown, workload};

/// Whether anything is heard of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Health {
    Ready,
    NotReady,
    Lost,
}

/// A host with chips.
#[derive(Debug, Clone)]
pub(super) struct Host {
    pub(super) name: String,
    pub(super) place: String,
    pub(super) instance_id: Option<String>,
    /// Identifier of the node in its cluster.
    pub(super) uid: Option<String>,
    pub(super) cluster: Option<String>,
    /// The generation, or the text that names none.
    pub(super) generation: Result<GenerationId, String>,
    pub(super) n_chips: u32,
    /// Devices that pods can ask for.
    pub(super) n_devices: u32,
    /// What its pool or VM is called.
    pub(super) pool: String,
    pub(super) topology: Option<Shape>,
    pub(super) zone: String,
    pub(super) reservation: Option<String>,
    pub(super) block: Option<String>,
    pub(super) sub_block: Option<String>,
    /// Partition ids by the size of the partition.
    pub(super) partitions: BTreeMap<Shape, String>,
    pub(super) slice: Option<(String, Option<Shape>)>,
    pub(super) is_dynamic: bool,
    pub(super) health: Health,
    pub(super) team: Option<TeamId>,
}

/// A slice that the cluster was asked for.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) place: String,
    pub(super) shape: Option<Shape>,
    pub(super) partitions: Vec<String>,
}

/// A cube of a reservation, of which only numbers are known.
#[derive(Debug, Clone)]
pub(super) struct SubBlock {
    pub(super) place: String,
    pub(super) reservation: String,
    pub(super) block: String,
    pub(super) id: String,
    pub(super) n_hosts: usize,
    pub(super) generation: Result<GenerationId, String>,
}

/// A pod of a cluster that asks for chips.
#[derive(Debug, Clone)]
pub(super) struct Worker {
    pub(super) name: String,
    pub(super) job: String,
    pub(super) node: Option<String>,
    /// What the pod calls its worker id.
    pub(super) id: Option<String>,
    pub(super) n_workers: Option<usize>,
    pub(super) n_chips: u32,
    pub(super) is_gated: bool,
    /// Whether its job wants each domain, such as a pool, for itself.
    pub(super) is_exclusive: bool,
    /// Pods of one part that is placed as a whole.
    pub(super) part_size: Option<usize>,
}

/// Everything that the files say.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub(super) hosts: Vec<Host>,
    pub(super) wanted: Vec<Wanted>,
    pub(super) sub_blocks: Vec<SubBlock>,
    pub(super) workers: Vec<Worker>,
}

impl Records {
    /// Hosts, chips and cores, including those of sub-blocks that no node list covers.
    pub(super) fn counts(&self, catalog: &Catalog) -> Counts {
        let cores = |generation: &Result<GenerationId, String>| {
            let generation = generation.as_ref().ok().and_then(|id| catalog.get(id));
            generation.and_then(|g| Some(g.tensorcores_per_chip.as_ref()?.value as usize)).unwrap_or(0)
        };
        let mut counts = Counts::default();
        for host in &self.hosts {
            counts.hosts += 1;
            counts.chips += host.n_chips as usize;
            counts.cores += host.n_chips as usize * cores(&host.generation);
        }
        for block in &self.sub_blocks {
            let listed = self.hosts.iter().filter(|host| host.sub_block.as_deref() == Some(&block.id)).count();
            let more = block.n_hosts.saturating_sub(listed);
            counts.hosts += more;
            counts.chips += more * 4;
            counts.cores += more * 4 * cores(&block.generation);
        }
        counts
    }
}

/// Reads every object; what has nothing to do with chips is left out without a word.
pub(super) fn records(objects: &[Object], catalog: &Catalog, report: &mut Report) -> Records {
    let mut records = Records::default();
    let mut instances = Vec::new();
    for object in objects {
        let name = shown(&name_of(&object.value));
        match object.kind {
            Kind::Node => records.hosts.extend(cluster::host(object, &name, catalog, report)),
            Kind::Instance => instances.extend(instance::host(object, &name, catalog, report)),
            Kind::NodePool => pool::check(object, &name, catalog, report),
            Kind::Pod => records.workers.extend(cluster::worker(object, &name)),
            Kind::Slice => records.wanted.push(cluster::wanted(object, &name, report)),
            Kind::Workload => workload::admitted(object, &name, report),
            Kind::TpuVm => vm_hosts(object, &name, catalog, report, &mut records.hosts),
            Kind::QueuedResource => queued(object, &name, report),
            Kind::SubBlock => records.sub_blocks.extend(sub_block(object, &name, report)),
            Kind::Other => {}
        }
    }
    instance::merge(&mut records.hosts, instances, report);
    let mut seen = BTreeSet::new();
    records.hosts.retain(|host| {
        let is_new = seen.insert((host.name.clone(), host.instance_id.clone()));
        if !is_new {
            report.warn("duplicate-host", &host.place, "the host is listed twice; the second was left out");
        }
        is_new
    });
    let is_checked = objects.iter().any(|object| object.kind == Kind::NodePool);
    if records.hosts.is_empty() && records.sub_blocks.is_empty() && !is_checked {
        report.error("no-hosts", "all files", "no host with TPU chips was found");
    }
    records
}

/// Text at a pointer; numbers are taken as the text that they were written as.
pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    match value.pointer(pointer)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A shape, or a finding that says where in the text it is wrong.
pub(super) fn shape(text: Option<&str>, place: &str, report: &mut Report) -> Option<Shape> {
    match text?.parse() {
        Ok(shape) => Some(shape),
        Err(bad) => {
            report.warn("bad-topology", place, shown(&bad.to_string()));
            None
        }
    }
}

/// The generation of a name, or the name.
pub(super) fn generation(name: &str, catalog: &Catalog) -> Result<GenerationId, String> {
    catalog.find(name).map(|generation| generation.id.clone()).map_err(|unknown| shown(&unknown.name))
}

/// The hosts of a TPU VM, one per network endpoint.
fn vm_hosts(object: &Object, full_name: &str, catalog: &Catalog, report: &mut Report, hosts: &mut Vec<Host>) {
    let value = &object.value;
    let mut path = full_name.rsplit('/');
    let name = path.next().unwrap_or_default().to_owned();
    let zone = path.nth(1).unwrap_or_default().to_owned();
    let place = format!("{}, TPU VM {name}", object.file);
    vm_findings(value, &place, report);
    let state = text(value, "/state").unwrap_or_default();
    let n_hosts = value.get("networkEndpoints").and_then(Value::as_array).map_or(0, Vec::len);
    if n_hosts == 0 {
        return report.unplaced(&name, format!("it has no hosts, state {}", shown(&state)));
    }
    let accelerator = text(value, "/acceleratorType").unwrap_or_default();
    let kind = text(value, "/acceleratorConfig/type");
    let found = generation(kind.as_deref().unwrap_or(&accelerator), catalog);
    let topology = text(value, "/acceleratorConfig/topology");
    let mut shape = shape(topology.as_deref(), &place, report);
    if topology.is_none() {
        shape = shape_of_type(&accelerator, catalog, &place, report);
    }
    let known = found.as_ref().ok().and_then(|id| catalog.get(id));
    let n_chips = chips_per_host(shape, n_hosts, known);
    let is_lost = matches!(text(value, "/health").as_deref(), Some("TIMEOUT"));
    for index in 0..n_hosts {
        hosts.push(Host {
            name: format!("{name}-w{index}"),
            place: place.clone(),
            instance_id: None,
            uid: None,
            cluster: None,
            generation: found.clone(),
            n_chips,
            n_devices: n_chips,
            pool: name.clone(),
            topology: shape,
            zone: zone.clone(),
            reservation: None,
            block: None,
            sub_block: None,
            partitions: BTreeMap::new(),
            slice: None,
            is_dynamic: false,
            health: if is_lost { Health::Lost } else { Health::Ready },
            team: text(value, "/labels/team").map(|team| TeamId(shown(&team))),
        });
    }
}

/// Chips of one host: its share of the shape where its machine can have so many, else what the generation's hosts have.
fn chips_per_host(shape: Option<Shape>, n_hosts: usize, generation: Option<&Generation>) -> u32 {
    let share = shape.filter(|shape| shape.n_chips().is_multiple_of(n_hosts)).map(|shape| shape.n_chips() / n_hosts);
    let is_usual = |n: u32| n_hosts == 1 || generation.is_none_or(|generation| generation.host_chips() == n);
    let possible = share.and_then(|n| u32::try_from(n).ok()).filter(|n| host_block(*n).is_some() && is_usual(*n));
    possible.or_else(|| generation.map(Generation::host_chips)).unwrap_or(0)
}

/// The only shape of an accelerator type; a type with several is reported, none is chosen.
fn shape_of_type(accelerator: &str, catalog: &Catalog, place: &str, report: &mut Report) -> Option<Shape> {
    match parse_accelerator_type(catalog, accelerator) {
        Ok(found) => match found.shapes[..] {
            [only] => {
                report.note(
                    "shape-from-type",
                    place,
                    format!("the shape {only} was taken from the type {accelerator}"),
                );
                Some(only)
            }
            ref several => {
                let names: Vec<String> = several.iter().map(Shape::to_string).collect();
                let message = format!("{accelerator} does not say the shape; it may be {}", names.join(", "));
                report.warn("ambiguous-shape", place, message);
                None
            }
        },
        Err(bad) => {
            report.warn("bad-accelerator-type", place, shown(&bad.to_string()));
            None
        }
    }
}

fn vm_findings(value: &Value, place: &str, report: &mut Report) {
    const STATES: [&str; 15] = [
        "CREATING",
        "READY",
        "RESTARTING",
        "REIMAGING",
        "DELETING",
        "REPAIRING",
        "STOPPED",
        "STOPPING",
        "STARTING",
        "PREEMPTED",
        "TERMINATED",
        "HIDING",
        "HIDDEN",
        "UNHIDING",
        "UNKNOWN",
    ];
    match text(value, "/state") {
        Some(state) if !STATES.contains(&state.as_str()) => {
            report.warn("unknown-state", place, format!("the state {} is not known", shown(&state)));
        }
        Some(state) if state != "READY" => report.warn("not-ready", place, format!("its state is {state}")),
        _ => {}
    }
    if let Some(health) = text(value, "/health").filter(|health| health != "HEALTHY") {
        report.warn("unhealthy", place, format!("its health is {}", shown(&health)));
    }
    for symptom in value.get("symptoms").and_then(Value::as_array).into_iter().flatten() {
        let (kind, worker) = (text(symptom, "/symptomType"), text(symptom, "/workerId"));
        let worker = worker.map_or(String::new(), |id| format!(" on worker {}", shown(&id)));
        report.warn("symptom", place, format!("{}{worker}", shown(&kind.unwrap_or_default())));
    }
    if let Some(start) = text(value, "/upcomingMaintenance/windowStartTime") {
        report.note("maintenance", place, format!("maintenance is planned from {}", shown(&start)));
    }
}

/// Hardware that is asked for but not there.
fn queued(object: &Object, full_name: &str, report: &mut Report) {
    let name = full_name.rsplit('/').next().unwrap_or_default();
    let place = format!("{}, queued resource {name}", object.file);
    let state = text(&object.value, "/state/state").unwrap_or_else(|| "unknown".to_owned());
    let why = text(&object.value, "/state/failedData/error/message")
        .map_or(String::new(), |why| format!(": {}", shown(&why)));
    report.note("queued", &place, format!("it is not part of the fleet, state {}{why}", shown(&state)));
}

fn sub_block(object: &Object, name: &str, report: &mut Report) -> Option<SubBlock> {
    let value = &object.value;
    let place = format!("{}, sub-block {name}", object.file);
    let Some(id) = text(value, "/physicalTopology/subBlock") else {
        report.unplaced(name, "it does not say which sub-block it is");
        return None;
    };
    let count = text(value, "/count").and_then(|count| count.parse::<usize>().ok()).filter(|n| *n <= 16);
    if count.is_none() {
        report.warn("sub-block-count", &place, "a sub-block has 1 to 16 hosts; 16 were assumed");
    }
    let degraded = text(value, "/healthInfo/degradedHostCount").filter(|n| n != "0");
    if let Some(n) = degraded {
        report.warn(
            "degraded",
            &place,
            format!("{} of its hosts are degraded; the list does not say which", shown(&n)),
        );
    }
    Some(SubBlock {
        place,
        // "res-block-0001-subblock-0000" belongs to the reservation "res".
        reservation: name.split("-block-").next().unwrap_or(name).to_owned(),
        block: text(value, "/physicalTopology/block").map(|block| shown(&block)).unwrap_or_default(),
        id: shown(&id),
        n_hosts: count.unwrap_or(16),
        // Sub-blocks with a 4x4x4 topology exist for tpu7x only; nodes of the block say it better where they are given.
        generation: Ok(GenerationId("tpu7x".to_owned())),
    })
}
