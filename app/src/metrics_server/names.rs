//! Under which names and labels the chips of a plan report: those of the device plugin of GKE, or Podium's own.
//!
//! The device plugin numbers chips in two ways under one label: what the runtime reports by the chip's place in its
//! slice, what the host reports by its place on the host (see `telemetry::bind`). So does this.

use std::collections::BTreeMap;

use simulator::live::Measure;
use telemetry::labels::{Labels, NAME};
use telemetry::registry::IdSpace;
use topology::chip::Catalog;
use topology::fleet::{Fleet, HostIdentity, Pod, Slice};
use topology::shape::{Coord, Shape};
use topology::slice::SliceModel;

/// Whose names are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Naming {
    /// Those of the TPU device plugin of GKE, for each host
    Gke,
    /// Podium's own, which name pod and chip
    Podium,
}

/// What a family of series holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A measure of the simulator.
    Measured(Measure),
    /// Memory that programs can use.
    MemorySize,
    /// Mean load of the links of a chip.
    Links,
}

/// One family.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) holds: Holds,
    /// Whether it is there only where a job runs: what a runtime reports ends with it.
    pub(super) needs_job: bool,
}

const fn family(name: &'static str, holds: Holds, needs_job: bool) -> Family {
    Family { name, holds, needs_job }
}

const GKE: [Family; 5] = [
    family("duty_cycle_node", Holds::Measured(Measure::DutyCycle), true),
    family("tensorcore_utilization_node", Holds::Measured(Measure::TensorCore), false),
    family("memory_bandwidth_utilization_node", Holds::Measured(Measure::HbmBandwidth), false),
    family("memory_used_node", Holds::Measured(Measure::HbmUsed), true),
    family("memory_total_node", Holds::MemorySize, true),
];

const PODIUM: [Family; 5] = [
    family("podium_duty_cycle_fraction", Holds::Measured(Measure::DutyCycle), true),
    family("podium_tensorcore_util_fraction", Holds::Measured(Measure::TensorCore), true),
    family("podium_hbm_bandwidth_fraction", Holds::Measured(Measure::HbmBandwidth), true),
    family("podium_hbm_used_bytes", Holds::Measured(Measure::HbmUsed), true),
    family("podium_ici_link_fraction", Holds::Links, true),
];

impl Naming {
    /// Its families, in the order of a page.
    pub(super) const fn families(self) -> [Family; 5] {
        match self {
            Self::Gke => GKE,
            Self::Podium => PODIUM,
        }
    }
}

/// A chip in a slice, with what its labels need.
#[derive(Debug, Clone)]
pub(super) struct Chip {
    /// Index of the pod in the fleet.
    pub(super) pod: usize,
    /// Row-major index on the pod.
    pub(super) index: usize,
    /// Labels by what numbers count: within the slice, and within the host.
    by_slice: Labels,
    by_host: Labels,
}

impl Chip {
    /// Labels of one of its series.
    pub(super) fn labels(&self, name: &str, space: Option<IdSpace>) -> Labels {
        let labels = if space == Some(IdSpace::ChipInHost) { &self.by_host } else { &self.by_slice };
        labels.with(NAME, name)
    }
}

/// All chips of slices, pod by pod.
pub(super) fn chips(fleet: &Fleet, catalog: &Catalog, naming: Naming) -> Vec<Chip> {
    let of_pod = |(number, pod): (usize, &Pod)| match naming {
        Naming::Gke => with_hosts(number, pod, catalog),
        Naming::Podium => with_places(number, pod),
    };
    fleet.pods.iter().enumerate().flat_map(of_pod).collect()
}

fn with_places(number: usize, pod: &Pod) -> Vec<Chip> {
    let of_slice = |slice: &Slice| -> Vec<Chip> {
        let chip = |(_, chip): (Coord, Coord)| {
            let place = format!("{},{},{}", chip.x, chip.y, chip.z);
            let pairs = [("pod", pod.id.0.as_str()), ("slice", &slice.id.0), ("chip", &place), ("origin", "simulated")];
            let labels = Labels::new(pairs);
            Chip { pod: number, index: pod.shape.index_of(chip), by_slice: labels.clone(), by_host: labels }
        };
        pod.slice_chips(slice).map(chip).collect()
    };
    pod.slices.iter().flat_map(of_slice).collect()
}

/// A host of a slice: what its fleet knows of it, or what stands in for it.
struct Host {
    node: String,
    instance: String,
    cluster: String,
}

impl Host {
    fn of_identity(host: &HostIdentity) -> Self {
        let [instance, cluster] =
            [&host.instance_id, &host.cluster].map(|text| text.as_deref().unwrap_or_default().to_owned());
        Self { node: host.node.clone(), instance, cluster }
    }

    /// Nineteen digits, as instances have, that no other host of the fleet gets.
    fn made_up(pod: usize, slice: &Slice, host: usize) -> Self {
        let instance = format!("7{pod:06}{host:012}");
        Self { node: format!("{}-{host}", slice.id), instance, cluster: String::new() }
    }
}

fn with_hosts(number: usize, pod: &Pod, catalog: &Catalog) -> Vec<Chip> {
    let mut known: BTreeMap<usize, (&HostIdentity, usize)> = BTreeMap::new();
    for host in &pod.hosts {
        for (place, chip) in host.chips().enumerate().filter(|(_, chip)| pod.shape.contains(*chip)) {
            known.entry(pod.shape.index_of(chip)).or_insert((host, place));
        }
    }
    let (mut chips, mut n_hosts) = (Vec::new(), 0);
    for slice in &pod.slices {
        let model =
            catalog.get(&pod.generation).and_then(|g| SliceModel::new(g, slice.shape, Some(slice.twisted)).ok());
        let block = model.as_ref().map_or(Shape::solid(2, 2, 1), |model| model.hosts.block);
        let machine = model.as_ref().and_then(|model| model.hosts.machine.as_ref());
        let accelerator = machine.map_or("", |machine| machine.gke_accelerator.as_str());
        let topology = slice.shape.to_string();
        for (own, chip) in pod.slice_chips(slice) {
            let index = pod.shape.index_of(chip);
            let (host, in_host) = if let Some((host, place)) = known.get(&index) {
                (Host::of_identity(host), *place)
            } else {
                let (host, place) = in_block(slice.shape, block, own);
                (Host::made_up(number, slice, n_hosts + host), place)
            };
            let labels = |id: usize| {
                let id = if host.instance.is_empty() { id.to_string() } else { format!("{}-{id}", host.instance) };
                Labels::new([
                    ("accelerator_id", id.as_str()),
                    ("cluster_name", &host.cluster),
                    ("make", "cloud-tpu"),
                    ("model", accelerator),
                    ("node_name", &host.node),
                    ("origin", "simulated"),
                    ("tpu_topology", &topology),
                ])
            };
            let (by_slice, by_host) = (labels(slice.shape.index_of(own)), labels(in_host));
            chips.push(Chip { pod: number, index, by_slice, by_host });
        }
        n_hosts += slice.shape.n_chips();
    }
    chips
}

/// Number of the block that a chip of a slice lies in, and its place there, both x fastest.
fn in_block(slice: Shape, block: Shape, chip: Coord) -> (usize, usize) {
    let (sizes, sides, at) = (slice.sizes3(), block.sizes3(), <[u16; 3]>::from(chip));
    let [mut host, mut place] = [0; 2];
    for axis in (0..3).rev() {
        let side = usize::from(sides[axis].max(1));
        host = host * usize::from(sizes[axis]).div_ceil(side) + usize::from(at[axis]) / side;
        place = place * side + usize::from(at[axis]) % side;
    }
    (host, place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known: the host of the chips 404, 405, 412 and 413 of a slice 8x8x16 has the chips 4 2 6, 5 2 6, 4 3 6 and 5 3 6.
    #[test]
    fn chips_are_numbered_in_slice_and_host_as_the_device_plugin_does() {
        let (slice, block) = (Shape::solid(8, 8, 16), Shape::solid(2, 2, 1));
        let places: Vec<(usize, (usize, usize))> = [(4, 2), (5, 2), (4, 3), (5, 3)]
            .map(|(x, y)| Coord::new(x, y, 6))
            .map(|chip| (slice.index_of(chip), in_block(slice, block, chip)))
            .to_vec();
        let host = places[0].1.0;
        assert_eq!(places, [(404, (host, 0)), (405, (host, 1)), (412, (host, 2)), (413, (host, 3))]);
    }
}
