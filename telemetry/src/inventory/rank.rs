//! Worker ids beside places: ids follow the creation of pods, not the torus, so rank 0 may sit anywhere.

use std::collections::BTreeMap;

use topology::chip::Catalog;
use topology::fleet::{Fleet, Pod};
use topology::name::hosts;
use topology::shape::Coord;

use crate::inventory::record::Records;
use crate::inventory::{HostPlace, Report, WorkerPlace};

/// Every worker whose id is a number and whose host is drawn in a slice.
pub(super) fn workers(records: &Records, fleet: &Fleet, places: &[HostPlace], catalog: &Catalog) -> Vec<WorkerPlace> {
    let by_name: BTreeMap<&str, &HostPlace> = places.iter().map(|place| (place.name.as_str(), place)).collect();
    let mut numbers: BTreeMap<&str, BTreeMap<Coord, (usize, usize)>> = BTreeMap::new();
    let mut found = Vec::new();
    for worker in &records.workers {
        let place = worker.node.as_deref().and_then(|node| by_name.get(node));
        let id = worker.id.as_deref().and_then(|id| id.parse::<usize>().ok());
        let (Some(place), Some(worker_id)) = (place, id) else { continue };
        let Some(pod) = fleet.pod(&place.pod) else { continue };
        let numbers = numbers.entry(&place.pod.0).or_insert_with(|| host_numbers(pod, catalog));
        let Some(&(slice, host)) = numbers.get(&place.chip) else { continue };
        found.push(WorkerPlace {
            job: worker.job.clone(),
            worker_id,
            node: place.name.clone(),
            pod: pod.id.clone(),
            slice: pod.slices[slice].id.clone(),
            chip: place.chip,
            host,
        });
    }
    found.sort();
    found
}

/// For the first chip of each host of all slices: which slice it is, and which host of it.
fn host_numbers(pod: &Pod, catalog: &Catalog) -> BTreeMap<Coord, (usize, usize)> {
    let Some(generation) = catalog.get(&pod.generation) else { return BTreeMap::new() };
    let mut numbers = BTreeMap::new();
    for (index, slice) in pod.slices.iter().enumerate() {
        let hosts = hosts(generation, slice.shape);
        for (own, chip) in pod.slice_chips(slice) {
            numbers.insert(chip, (index, hosts.host_of(slice.shape, own)));
        }
    }
    numbers
}

/// Says of each job how many workers are elsewhere than their id says.
pub(super) fn check(workers: &[WorkerPlace], report: &mut Report) {
    for group in workers.chunk_by(|a, b| (&a.job, &a.slice, &a.pod) == (&b.job, &b.slice, &b.pod)) {
        let Some(first) = group.first() else { continue };
        let n_elsewhere = group.iter().filter(|worker| worker.worker_id != worker.host).count();
        if n_elsewhere > 0 {
            let message = format!(
                "{n_elsewhere} of {} worker ids differ from the place of their host in slice {}, as it is drawn: ids follow \
                 the creation of pods",
                group.len(),
                first.slice
            );
            report.note("worker-order", &format!("job {}", first.job), message);
        }
    }
}
