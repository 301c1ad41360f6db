//! Who a series says it is: host and number; and what the numbers of a host are when they are looked at together.

use std::collections::{BTreeMap, BTreeSet};

use topology::chip::Catalog;

use crate::bind::{Inventory, Mapping, Unbound};
use crate::findings::Findings;
use crate::labels::Labels;
use crate::registry::{IdSpace, Registry, Scope};

/// What the labels of a series say.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Identity {
    pub(super) instance: Option<String>,
    pub(super) node: Option<String>,
    pub(super) uid: Option<String>,
    pub(super) cluster: Option<String>,
    /// Number of the chip; absent where no label has one.
    pub(super) number: Option<u64>,
    /// Key of the metric; empty where it is not known.
    pub(super) metric: String,
    /// What the number counts; absent where the metric is not known.
    pub(super) space: Option<IdSpace>,
    /// Why the series cannot speak of a chip.
    pub(super) refused: Option<Unbound>,
}

impl Identity {
    /// Name of the host for people.
    pub(super) fn host_name(&self) -> String {
        let name = self.node.as_ref().or(self.instance.as_ref()).or(self.uid.as_ref());
        crate::inventory::shown(name.map_or("", String::as_str))
    }

    /// Index of its host in the inventory.
    pub(super) fn known(&self, inventory: &Inventory) -> Option<usize> {
        let ids = [self.instance.as_deref(), self.uid.as_deref()];
        inventory.find(ids, self.node.as_deref(), self.cluster.as_deref())
    }

    /// What tells hosts apart that are in no inventory.
    fn key(&self) -> Option<String> {
        let node = || Some(format!("{}/{}", self.cluster.as_deref().unwrap_or_default(), self.node.as_ref()?));
        self.instance.clone().or_else(|| self.uid.clone()).or_else(node)
    }
}

pub(super) fn identify(labels: &Labels, mapping: &Mapping, registry: &Registry) -> Identity {
    let first = |names: &[String]| names.iter().find_map(|name| labels.get(name)).map(str::to_owned);
    let (mut instance, node, cluster) = (first(&mapping.instance), first(&mapping.node), first(&mapping.cluster));
    let uid = first(&mapping.uid);
    let device = first(&mapping.device);
    let mut number = None;
    if let Some(device) = &device {
        let (id, digits) = device.rsplit_once('-').map_or((None, device.as_str()), |(id, digits)| (Some(id), digits));
        number = digits.parse().ok();
        instance = id.filter(|id| !id.is_empty()).map(str::to_owned).or(instance);
    }
    let known = registry.find(labels.name());
    let space = known.and_then(|known| known.spec.id_space);
    let is_of_chip = known.is_some_and(|known| matches!(known.spec.scope, Scope::Chip | Scope::Core));
    let look_alikes = |wanted: &[&str]| -> Vec<String> {
        let alike = |name: &&str| wanted.iter().any(|word| name.to_ascii_lowercase().contains(word));
        labels.iter().map(|(name, _)| name).filter(alike).map(str::to_owned).collect()
    };
    let has_host = instance.is_some() || node.is_some() || uid.is_some();
    let refused = if known.is_none() {
        Some(Unbound::UnknownMetric)
    } else if !is_of_chip {
        Some(Unbound::NotAChip)
    } else if !has_host && space != Some(IdSpace::ChipInPod) {
        Some(Unbound::NoHost { look_alikes: look_alikes(&["node", "host", "instance", "worker"]) })
    } else if number.is_none() && space != Some(IdSpace::ChipInPod) {
        Some(Unbound::NoDevice { look_alikes: look_alikes(&["device", "chip", "index", "accel", "core"]) })
    } else {
        None
    };
    let metric = known.map_or(String::new(), |known| known.spec.key.clone());
    Identity { instance, node, uid, cluster, number, metric, space, refused }
}

/// Numbers of one kind: of all metrics together, and of each.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) all: BTreeSet<u64>,
    by_metric: BTreeMap<String, BTreeSet<u64>>,
}

impl Numbers {
    fn insert(&mut self, metric: &str, number: u64) {
        self.all.insert(number);
        match self.by_metric.get_mut(metric) {
            Some(numbers) => drop(numbers.insert(number)),
            None => drop(self.by_metric.insert(metric.to_owned(), [number].into())),
        }
    }
}

/// The numbers that appear on one host.
#[derive(Debug, Default)]
pub(super) struct HostNumbers {
    /// Index in the inventory.
    pub(super) known: Option<usize>,
    /// Numbers within the slice.
    pub(super) slice: Numbers,
    /// Numbers within the host; also those of metrics of which no source says what they count.
    pub(super) host: Numbers,
    /// Chips of the host: of the inventory, else of the machine that the labels name, else as many as numbers.
    pub(super) n_chips: usize,
    /// Cores that a chip of this model has.
    cores: usize,
}

impl HostNumbers {
    /// The numbers by which a metric's own are put in order: its own where they are complete, else those of all.
    ///
    /// A host of v3 gives four duty cycles, one for each chip, beside eight memories, one for each core.
    pub(super) fn of_metric<'a>(&self, numbers: &'a Numbers, metric: &str) -> &'a BTreeSet<u64> {
        let own = numbers.by_metric.get(metric);
        own.filter(|own| own.len() == self.n_chips || own.len() == self.n_chips * self.cores).unwrap_or(&numbers.all)
    }

    /// Numbers for each chip: 2 where the numbers count cores.
    pub(super) fn per_chip(&self, numbers: &BTreeSet<u64>) -> usize {
        let is_of_cores = self.cores == 2 && numbers.len() > self.n_chips;
        if is_of_cores { 2 } else { 1 }
    }
}

/// All hosts that series speak of.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    by_key: BTreeMap<String, HostNumbers>,
}

impl Hosts {
    pub(super) fn gather(identities: &[Identity], series: &[Labels], inventory: &Inventory) -> Self {
        let mut hosts = Self::default();
        for (identity, labels) in identities.iter().zip(series) {
            let (None, Some(number)) = (&identity.refused, identity.number) else { continue };
            let Some(key) = Self::key(identity, inventory) else { continue };
            let entry = hosts
                .by_key
                .entry(key)
                .or_insert_with(|| HostNumbers { known: identity.known(inventory), ..HostNumbers::default() });
            let (n_chips, cores) = machine(labels);
            (entry.n_chips, entry.cores) = (entry.n_chips.max(n_chips), entry.cores.max(cores));
            if identity.space == Some(IdSpace::ChipInSlice) {
                entry.slice.insert(&identity.metric, number);
            } else {
                entry.host.insert(&identity.metric, number);
            }
        }
        for host in hosts.by_key.values_mut() {
            let most = host.slice.all.len().max(host.host.all.len());
            host.n_chips = match host.known {
                Some(i) => inventory.hosts()[i].chips.len(),
                // The usual host, unless it has more chips than that and one core each, as the v5e host of eight.
                None if host.n_chips > 0 && host.cores == 2 => host.n_chips.min(most),
                None => most,
            };
        }
        hosts
    }

    /// Hosts of the inventory by their place in it, so that a name and an id of one host meet.
    fn key(identity: &Identity, inventory: &Inventory) -> Option<String> {
        identity.known(inventory).map(|i| format!("#{i}")).or_else(|| identity.key())
    }

    pub(super) fn of(&self, identity: &Identity, inventory: &Inventory) -> Option<&HostNumbers> {
        self.by_key.get(&Self::key(identity, inventory)?)
    }

    /// Chips that the numbers name, by order within their hosts.
    pub(super) fn n_devices(&self) -> usize {
        let chips = |host: &HostNumbers, numbers: &BTreeSet<u64>| numbers.len().div_ceil(host.per_chip(numbers));
        self.by_key.values().map(|host| chips(host, &host.slice.all).max(chips(host, &host.host.all))).sum()
    }

    /// Two kinds of numbers on a host are worth knowing.
    pub(super) fn tell(&self, findings: &mut Findings) {
        let mixed = |host: &&HostNumbers| {
            !host.slice.all.is_empty() && !host.host.all.is_empty() && host.slice.all != host.host.all
        };
        let n = self.by_key.values().filter(mixed).count();
        if n > 0 {
            let message = format!(
                "on {n} hosts runtime and host metrics number the chips differently; they were matched by order within \
                 each host, never by number"
            );
            findings.note("two-id-spaces", "accelerator_id", message);
        }
    }
}

/// Chips of a usual host and cores of a chip by the model that the labels name; 0 and 1 where it is not known.
fn machine(labels: &Labels) -> (usize, usize) {
    let model = labels.get("model").or_else(|| labels.get("TpuType"));
    let generation = model.and_then(|model| Catalog::embedded().find(model).ok());
    generation.map_or((0, 1), |generation| {
        let cores = generation.tensorcores_per_chip.as_ref().map_or(1, |cores| cores.value as usize);
        (generation.host_chips() as usize, cores)
    })
}
