//! From the labels of a series to the chip that it speaks of.
//!
//! Exporters name a chip by a host and a number. The number counts the chips of the slice for what the runtime reports
//! and the chips of the host for what the host reports, under one label. So series are never joined by number: for each
//! host the numbers of both kinds are put in order, and where that order is all that joins them, the binding says so
//! ([`How::Order`]). A number within the slice gives the place on the torus, x fastest, and wins over where an
//! inventory drew the host, because inventories hold no coordinates.
//!
//! What cannot be bound is listed with the reason and can be bound by hand ([`Manual`]), as data that a plan can save.

mod frames;
mod identity;
mod inventory;
mod place;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use topology::fleet::PodId;
use topology::shape::Coord;

use crate::findings::Findings;
use crate::labels::Labels;
use crate::registry::Registry;

pub(crate) use frames::is_of_node;
pub use frames::{ChipFrame, Reading, frames};
pub use inventory::{Host, Inventory};

/// Which labels hold what, in the order in which they are tried, and what a person bound by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mapping {
    /// Labels that hold the name of the node.
    pub node: Vec<String>,
    /// Labels that hold the identifier of the node.
    pub uid: Vec<String>,
    /// Labels that hold the name of the cluster.
    pub cluster: Vec<String>,
    /// Labels that hold `instance id-number`, or the number alone.
    pub device: Vec<String>,
    /// Labels that hold the instance id alone.
    pub instance: Vec<String>,
    /// Bindings by hand; they win.
    pub manual: Vec<Manual>,
}

impl Default for Mapping {
    fn default() -> Self {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            node: list(&["node_name", "node", "exported_node", "kubernetes_node"]),
            uid: list(&["node_uid"]),
            cluster: list(&["cluster_name", "cluster"]),
            device: list(&["accelerator_id", "TpuIndex", "npu_index", "device_ordinal"]),
            instance: list(&["instance_id"]),
            manual: Vec::new(),
        }
    }
}

/// A binding by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manual {
    /// Labels that a series must have to be meant.
    pub labels: Labels,
    /// The pod.
    pub pod: PodId,
    /// The chip on it.
    pub chip: Coord,
}

/// How a series came to its chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// A person said so.
    Manual,
    /// The labels hold pod and coordinates.
    Coordinate,
    /// By the number within the slice, x fastest.
    SliceIndex,
    /// By the number within the host, where the order of the host's chips is known.
    HostIndex,
    /// By order within the host only: shown with a badge.
    Order,
}

impl How {
    /// Badge for people; empty where nothing has to be said.
    pub const fn badge(self) -> &'static str {
        match self {
            Self::Order => "matched by order",
            Self::Manual => "bound by hand",
            Self::HostIndex => "order of the host's chips assumed",
            Self::Coordinate | Self::SliceIndex => "",
        }
    }
}

/// The chip of a series.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Target {
    /// The pod.
    pub pod: PodId,
    /// The chip.
    pub chip: Coord,
    /// The core, where the series speaks of one core of the chip.
    pub core: Option<u8>,
    /// How it was found.
    pub how: How,
}

/// Why a series has no chip.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Unbound {
    /// Its metric does not speak of chips.
    NotAChip,
    /// The registry does not know its metric.
    UnknownMetric,
    /// No label names a host or an instance.
    NoHost {
        /// Labels that look as if they were meant.
        look_alikes: Vec<String>,
    },
    /// No label numbers the chip.
    NoDevice {
        /// Labels that look as if they were meant.
        look_alikes: Vec<String>,
    },
    /// The inventory does not have the host.
    UnknownHost {
        /// Its name or id.
        host: String,
    },
    /// The host has no such chip.
    NoSuchChip {
        /// Its name or id.
        host: String,
        /// The number.
        number: u64,
    },
}

impl std::fmt::Display for Unbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let alike = |list: &[String]| {
            if list.is_empty() { String::new() } else { format!("; {} looks like it", list.join(" or ")) }
        };
        match self {
            Self::NotAChip => f.write_str("the metric does not speak of single chips"),
            Self::UnknownMetric => f.write_str("the metric is not in the registry"),
            Self::NoHost { look_alikes } => write!(f, "no label names its host{}", alike(look_alikes)),
            Self::NoDevice { look_alikes } => write!(f, "no label numbers its chip{}", alike(look_alikes)),
            Self::UnknownHost { host } => write!(f, "the host {host} is not in the inventory"),
            Self::NoSuchChip { host, number } => write!(f, "the host {host} has no chip {number}"),
        }
    }
}

/// Series that could not be bound for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unplaced {
    /// Why, for people.
    pub why: String,
    /// How many.
    pub n_series: usize,
    /// The first of them.
    pub example: String,
}

/// What was bound, how, and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Series that were looked at.
    pub n_series: usize,
    /// Bound series by how they were bound.
    pub bound: BTreeMap<How, usize>,
    /// Chips that at least one series speaks of.
    pub n_chips: usize,
    /// Devices that the labels name, bound or not: chips of hosts by their order.
    pub n_devices: usize,
    /// What was not bound, most series first.
    pub unplaced: Vec<Unplaced>,
}

/// A binding of series, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Binding {
    /// Chip of each series, or why it has none.
    pub targets: Vec<Result<Target, Unbound>>,
    /// What is to be said of it as a whole.
    pub report: Report,
    /// What contradicts each other.
    pub findings: Findings,
}

/// Binds series to chips. O(series · log series).
pub fn bind(series: &[Labels], inventory: &Inventory, mapping: &Mapping, registry: &Registry) -> Binding {
    let mut findings = Findings::default();
    let identities: Vec<_> = series.iter().map(|labels| identity::identify(labels, mapping, registry)).collect();
    let hosts = identity::Hosts::gather(&identities, series, inventory);
    let targets: Vec<_> = series
        .iter()
        .zip(&identities)
        .map(|(labels, identity)| place::place(labels, identity, (&hosts, inventory, mapping)))
        .collect();
    hosts.tell(&mut findings);
    place::compare(&targets, &identities, inventory, &mut findings);
    let report = report(series, &targets, hosts.n_devices());
    Binding { targets, report, findings }
}

fn report(series: &[Labels], targets: &[Result<Target, Unbound>], n_devices: usize) -> Report {
    let mut bound: BTreeMap<How, usize> = BTreeMap::new();
    let mut chips: Vec<(&PodId, Coord)> = Vec::new();
    let mut unplaced: BTreeMap<String, Unplaced> = BTreeMap::new();
    for (labels, target) in series.iter().zip(targets) {
        match target {
            Ok(target) => {
                *bound.entry(target.how).or_default() += 1;
                chips.push((&target.pod, target.chip));
            }
            Err(reason) => {
                let why = reason.to_string();
                let first = || Unplaced {
                    why: why.clone(),
                    n_series: 0,
                    example: crate::inventory::shown(&labels.to_string()),
                };
                unplaced.entry(why.clone()).or_insert_with(first).n_series += 1;
            }
        }
    }
    chips.sort_unstable();
    chips.dedup();
    let mut unplaced: Vec<Unplaced> = unplaced.into_values().collect();
    unplaced.sort_by(|a, b| b.n_series.cmp(&a.n_series).then_with(|| a.why.cmp(&b.why)));
    unplaced.truncate(Findings::LIMIT);
    Report { n_series: series.len(), bound, n_chips: chips.len(), n_devices, unplaced }
}
