//! What the binding has to know of a fleet: its slices, and which host holds which chips.

use std::collections::BTreeMap;

use topology::chip::Catalog;
use topology::fleet::{Fleet, PodId};
use topology::name::hosts;
use topology::shape::{Coord, Shape};

use crate::inventory::Import;

/// A host and its chips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Cluster, where names of nodes are unique.
    pub cluster: Option<String>,
    /// Name of the node.
    pub node: Option<String>,
    /// Instance id as text.
    pub instance_id: Option<String>,
    /// The pod.
    pub pod: PodId,
    /// Its chips in the order in which it numbers them, as far as known: x fastest.
    pub chips: Vec<Coord>,
}

impl Host {
    /// A host whose chips are the box of that size from its first chip.
    pub fn of_block(pod: PodId, first: Coord, block: Shape) -> Self {
        let chips = block.coords().map(|c| Coord::new(first.x + c.x, first.y + c.y, first.z + c.z)).collect();
        Self { cluster: None, node: None, instance_id: None, pod, chips }
    }
}

/// A slice as the binding uses it.
#[derive(Debug, Clone)]
pub(super) struct SlicePlace {
    /// Pod coordinate of each chip of the slice in its own row-major order; absent where the place gives none.
    pub(super) chips: Vec<Option<Coord>>,
}

/// A fleet with its hosts.
#[derive(Debug, Clone, Default)]
pub struct Inventory {
    hosts: Vec<Host>,
    by_instance: BTreeMap<String, usize>,
    /// By name of the node; several where clusters share a name.
    by_node: BTreeMap<String, Vec<usize>>,
    shapes: BTreeMap<PodId, Shape>,
    slices: Vec<SlicePlace>,
    /// Slice of a chip by pod and row-major index.
    owners: BTreeMap<PodId, Vec<Option<usize>>>,
}

impl Inventory {
    /// From a fleet and what is known of its hosts.
    pub fn new(fleet: &Fleet, hosts: Vec<Host>) -> Self {
        let mut inventory = Self::default();
        for pod in &fleet.pods {
            let first = inventory.slices.len();
            for slice in &pod.slices {
                let mut chips = vec![None; slice.shape.n_chips()];
                for (own, chip) in pod.slice_chips(slice) {
                    chips[slice.shape.index_of(own)] = Some(chip);
                }
                inventory.slices.push(SlicePlace { chips });
            }
            let owners = pod.occupancy().into_iter().map(|owner| owner.map(|i| first + i)).collect();
            inventory.owners.insert(pod.id.clone(), owners);
            inventory.shapes.insert(pod.id.clone(), pod.shape);
        }
        for (i, host) in hosts.iter().enumerate() {
            if let Some(id) = &host.instance_id {
                inventory.by_instance.entry(id.clone()).or_insert(i);
            }
            if let Some(node) = &host.node {
                inventory.by_node.entry(node.clone()).or_default().push(i);
            }
        }
        inventory.hosts = hosts;
        inventory
    }

    /// From imported lists; the chips of a host are the usual box of its slice, or of its generation where it has none.
    pub fn of_import(import: &Import) -> Self {
        let block_at = |pod: &PodId, chip: Coord| {
            let pod = import.fleet.pod(pod)?;
            let generation = Catalog::embedded().get(&pod.generation)?;
            let owner = pod.slices.iter().find(|slice| pod.slice_chips(slice).any(|(_, own)| own == chip));
            Some(hosts(generation, owner.map_or(pod.shape, |slice| slice.shape)).block)
        };
        let host = |place: &crate::inventory::HostPlace| {
            let block = block_at(&place.pod, place.chip).unwrap_or(Shape::solid(1, 1, 1));
            let (node, instance_id) = (Some(place.name.clone()), place.instance_id.clone());
            Host { node, instance_id, ..Host::of_block(place.pod.clone(), place.chip, block) }
        };
        Self::new(&import.fleet, import.hosts.iter().map(host).collect())
    }

    /// The hosts.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Size of a pod in chips.
    pub fn shape(&self, pod: &PodId) -> Option<Shape> {
        self.shapes.get(pod).copied()
    }

    /// Index of a host by instance id, else by node and, where several have that name, cluster.
    pub(super) fn find(&self, instance: Option<&str>, node: Option<&str>, cluster: Option<&str>) -> Option<usize> {
        if let Some(found) = instance.and_then(|id| self.by_instance.get(id)) {
            return Some(*found);
        }
        let named = self.by_node.get(node?)?;
        let fits = |i: &&usize| {
            let known = self.hosts[**i].cluster.as_deref();
            cluster.is_none() || known.is_none() || known == cluster
        };
        let mut fitting = named.iter().filter(fits);
        let first = fitting.next().copied();
        // Two nodes of one name cannot be told apart: rather none than the wrong one.
        if fitting.next().is_some() { None } else { first }
    }

    /// The slice that has the host's first chip that is in any.
    pub(super) fn slice_of(&self, host: &Host) -> Option<&SlicePlace> {
        let (shape, owners) = (self.shapes.get(&host.pod)?, self.owners.get(&host.pod)?);
        let mut inside = host.chips.iter().filter(|chip| shape.contains(**chip));
        let owner = inside.find_map(|chip| owners[shape.index_of(*chip)])?;
        self.slices.get(owner)
    }
}
