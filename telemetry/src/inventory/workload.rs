//! What pods say about hosts: worker ids, overbooking, and what never starts.

use std::collections::{BTreeMap, BTreeSet};

use crate::inventory::Report;
use crate::inventory::record::{Records, Worker};

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
    for (job, workers) in jobs {
        worker_ids(job, &workers, report);
        let gated = workers.iter().filter(|worker| worker.is_gated).count();
        if gated > 0 {
            let message =
                format!("{gated} of its pods are gated: they wait for a place and do not start by themselves");
            report.warn("gated", &format!("job {job}"), message);
        }
    }
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
