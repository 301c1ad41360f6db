//! What the binding has to know of a fleet: its slices, and which host holds which chips.

use std::collections::BTreeMap;

use topology::fleet::{Fleet, HostIdentity, PodId};
use topology::shape::{Coord, Shape};

/// A host and its chips.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Cluster, where names of nodes are unique.
    pub cluster: Option<String>,
    /// Name of the node.
    pub node: Option<String>,
    /// Identifier of the node, which no other node of any cluster has.
    pub uid: Option<String>,
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
        Self { cluster: None, node: None, uid: None, instance_id: None, pod, chips }
    }

    /// A machine of a fleet.
    pub fn of_identity(pod: &PodId, host: &HostIdentity) -> Self {
        Self {
            cluster: host.cluster.clone(),
            node: Some(host.node.clone()),
            uid: host.uid.clone(),
            instance_id: host.instance_id.clone(),
            pod: pod.clone(),
            chips: host.chips().collect(),
        }
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
    /// By instance id and by identifier of the node, which never meet: one is digits, the other has hyphens.
    by_id: BTreeMap<String, usize>,
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
            for id in [&host.instance_id, &host.uid].into_iter().flatten() {
                inventory.by_id.entry(id.clone()).or_insert(i);
            }
            if let Some(node) = &host.node {
                inventory.by_node.entry(node.clone()).or_default().push(i);
            }
        }
        inventory.hosts = hosts;
        inventory
    }

    /// From a fleet that knows its machines, as imported lists give it.
    pub fn of_fleet(fleet: &Fleet) -> Self {
        let hosts = fleet.pods.iter().flat_map(|pod| pod.hosts.iter().map(|host| Host::of_identity(&pod.id, host)));
        Self::new(fleet, hosts.collect())
    }

    /// The hosts.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// Size of a pod in chips.
    pub fn shape(&self, pod: &PodId) -> Option<Shape> {
        self.shapes.get(pod).copied()
    }

    /// Index of a host by one of its ids, else by node and, where several have that name, cluster.
    pub(super) fn find(&self, ids: [Option<&str>; 2], node: Option<&str>, cluster: Option<&str>) -> Option<usize> {
        if let Some(found) = ids.into_iter().flatten().find_map(|id| self.by_id.get(id)) {
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
