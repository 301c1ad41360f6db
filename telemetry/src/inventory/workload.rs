//! What pods say about hosts: worker ids, overbooking, and what never starts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::inventory::document::Object;
use crate::inventory::record::{Records, Worker, text};
use crate::inventory::{Report, shown};

/// Reports what is strange about the pods; places are never taken from them.
pub(super) fn check(records: &Records, report: &mut Report) {
    let mut jobs: BTreeMap<&str, Vec<&Worker>> = BTreeMap::new();
    let mut asked: BTreeMap<&str, u32> = BTreeMap::new();
    for worker in &records.workers {
        jobs.entry(&worker.job).or_default().push(worker);
        if let Some(node) = &worker.node {
            let sum = asked.entry(node).or_default();
            *sum = sum.saturating_add(worker.n_chips);
        }
    }
    for (job, workers) in &jobs {
        worker_ids(job, workers, report);
        let gated = workers.iter().filter(|worker| worker.is_gated).count();
        if gated > 0 {
            let outside = outside_full_parts(workers);
            let message =
                format!("{gated} of its pods are gated: they wait for a place and do not start by themselves{outside}");
            report.warn("gated", &format!("job {job}"), message);
        }
    }
    shared_pools(records, &jobs, report);
    for host in &records.hosts {
        let asked = asked.get(host.name.as_str()).copied().unwrap_or(0);
        if asked > host.n_devices {
            report.error("overbooked", &host.place, format!("pods ask for {asked} of its {} chips", host.n_devices));
        }
    }
    let hosts: BTreeSet<&str> = records.hosts.iter().map(|host| host.name.as_str()).collect();
    for worker in &records.workers {
        if let Some(node) = worker.node.as_ref().filter(|node| !hosts.contains(node.as_str()))
            && !hosts.is_empty()
        {
            report.note("unknown-node", &format!("pod {}", worker.name), format!("its node {node} is not in the list"));
        }
    }
}

/// A workload of a queue that was let in, but whose pods have no place to go.
pub(super) fn admitted(object: &Object, name: &str, report: &mut Report) {
    let sets = object.value.pointer("/status/admission/podSetAssignments").and_then(Value::as_array);
    for set in sets.into_iter().flatten() {
        let Some(assignment) = set.get("topologyAssignment").filter(|assignment| !assignment.is_null()) else {
            continue;
        };
        // The newer form has slices where the older one has domains.
        let has_some = |key| assignment.get(key).and_then(Value::as_array).is_some_and(|all| !all.is_empty());
        if !has_some("domains") && !has_some("slices") {
            let set = shown(&text(set, "/name").unwrap_or_default());
            report.warn("no-placement", &format!("workload {name}"), format!("admitted, no placement: pod set {set}"));
        }
    }
}

/// Pods that fill no part are never placed, because parts are placed as a whole.
fn outside_full_parts(workers: &[&Worker]) -> String {
    let size = workers.iter().find_map(|worker| worker.part_size).unwrap_or(1).max(1);
    match workers.len() % size {
        0 => String::new(),
        1 => format!("; 1 pod is outside full slices of {size} pods"),
        n => format!("; {n} pods are outside full slices of {size} pods"),
    }
}

/// Jobs that want a pool for themselves and share it: the wish binds only those that say it too.
fn shared_pools(records: &Records, jobs: &BTreeMap<&str, Vec<&Worker>>, report: &mut Report) {
    let pools: BTreeMap<&str, &str> =
        records.hosts.iter().map(|host| (host.name.as_str(), host.pool.as_str())).collect();
    let mut on_pool: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for worker in &records.workers {
        if let Some(pool) = worker.node.as_ref().and_then(|node| pools.get(node.as_str())) {
            on_pool.entry(pool).or_default().insert(&worker.job);
        }
    }
    let is_exclusive =
        |job: &str| jobs.get(job).is_some_and(|workers| workers.iter().any(|worker| worker.is_exclusive));
    for (pool, here) in on_pool.iter().filter(|(_, here)| here.len() > 1) {
        for job in here.iter().filter(|job| is_exclusive(job)) {
            let others: Vec<&str> = here.iter().filter(|other| *other != job).copied().collect();
            let (n, first) = (others.len(), others.iter().take(3).copied().collect::<Vec<_>>().join(", "));
            let more = if n > 3 { format!(" and {} more", n - 3) } else { String::new() };
            let message = format!("pool {pool} is exclusive, but shared with {first}{more}");
            report.warn("shared-pool", &format!("job {job}"), message);
        }
    }
}

/// Ids that are no number, outside 0..n or there twice.
fn worker_ids(job: &str, workers: &[&Worker], report: &mut Report) {
    let place = format!("job {job}");
    let n = workers.iter().filter_map(|worker| worker.n_workers).max().unwrap_or(workers.len());
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    for worker in workers {
        let Some(text) = &worker.id else { continue };
        match text.parse::<usize>() {
            Ok(id) => {
                *seen.entry(id).or_default() += 1;
                if id >= n {
                    let message = format!("worker id {id} lies outside 0 to {}", n.saturating_sub(1));
                    report.warn("worker-id", &place, message);
                }
            }
            Err(_not_a_number) => report.warn("worker-id", &place, format!("worker id {text} is not a number")),
        }
    }
    for (id, times) in seen.into_iter().filter(|(_, times)| *times > 1) {
        report.warn("worker-id", &place, format!("worker id {id} is there {times} times"));
    }
}
