//! From host and number to the chip.

use std::collections::{BTreeMap, BTreeSet};

use topology::shape::Coord;

use crate::bind::identity::{HostNumbers, Hosts, Identity};
use crate::bind::{Host, How, Inventory, Mapping, Target, Unbound};
use crate::findings::Findings;
use crate::labels::Labels;
use crate::registry::IdSpace;

/// The chip of one series.
pub(super) fn place(
    labels: &Labels,
    identity: &Identity,
    (hosts, inventory, mapping): (&Hosts, &Inventory, &Mapping),
) -> Result<Target, Unbound> {
    if let Some(target) = by_hand(labels, mapping, inventory) {
        return Ok(target);
    }
    if let Some(reason) = &identity.refused {
        return Err(reason.clone());
    }
    if identity.space == Some(IdSpace::ChipInPod) {
        return by_coordinate(labels, inventory);
    }
    let unknown = || Unbound::UnknownHost { host: identity.host_name() };
    let numbers = hosts.of(identity, inventory).ok_or_else(unknown)?;
    let host = numbers.known.and_then(|i| inventory.hosts().get(i)).ok_or_else(unknown)?;
    let number = identity.number.unwrap_or_default();
    let no_chip = || Unbound::NoSuchChip { host: identity.host_name(), number };
    let (chip, core, how) = if identity.space == Some(IdSpace::ChipInSlice) {
        of_slice_number(identity, numbers, (host, inventory)).ok_or_else(no_chip)?
    } else {
        of_host_number(identity, numbers, (host, inventory)).ok_or_else(no_chip)?
    };
    Ok(Target { pod: host.pod.clone(), chip, core, how })
}

fn by_hand(labels: &Labels, mapping: &Mapping, inventory: &Inventory) -> Option<Target> {
    let meant = mapping.manual.iter().find(|manual| {
        !manual.labels.is_empty() && manual.labels.iter().all(|(name, value)| labels.get(name) == Some(value))
    })?;
    let is_there = inventory.shape(&meant.pod).is_some_and(|shape| shape.contains(meant.chip));
    is_there.then(|| Target { pod: meant.pod.clone(), chip: meant.chip, core: None, how: How::Manual })
}

/// Podium's own exporter writes pod and coordinates.
fn by_coordinate(labels: &Labels, inventory: &Inventory) -> Result<Target, Unbound> {
    let pod = labels.get("pod").unwrap_or_default();
    let unknown = || Unbound::UnknownHost { host: crate::inventory::shown(pod) };
    let shape = inventory.shape(&pod.into()).ok_or_else(unknown)?;
    let chip = labels.get("chip").and_then(|chip| chip.parse::<Coord>().ok());
    let chip = chip.filter(|chip| shape.contains(*chip)).ok_or(Unbound::NoDevice { look_alikes: Vec::new() })?;
    Ok(Target { pod: pod.into(), chip, core: None, how: How::Coordinate })
}

type Placed = (Coord, Option<u8>, How);

/// Which core a number means, where numbers count cores.
fn core_of(rank: usize, per_chip: usize) -> Option<u8> {
    (per_chip > 1).then(|| (rank % per_chip) as u8)
}

/// Rank of a number among all of its kind on the host.
fn rank(numbers: &BTreeSet<u64>, number: u64) -> usize {
    numbers.range(..number).count()
}

/// Chips of a host by the numbers within the slice: in the order of the numbers.
fn slice_chips(numbers: &BTreeSet<u64>, per_chip: usize, (host, inventory): (&Host, &Inventory)) -> Option<Vec<Coord>> {
    let (slice, per_chip) = (inventory.slice_of(host)?, per_chip as u64);
    let mut indices: Vec<u64> = numbers.iter().map(|number| number / per_chip).collect();
    indices.dedup();
    indices.into_iter().map(|index| *slice.chips.get(usize::try_from(index).ok()?)?).collect()
}

fn of_slice_number(identity: &Identity, numbers: &HostNumbers, place: (&Host, &Inventory)) -> Option<Placed> {
    let own = numbers.of_metric(&numbers.slice, &identity.metric);
    let per_chip = numbers.per_chip(own);
    let rank = rank(own, identity.number?);
    let core = core_of(rank, per_chip);
    if let Some(chips) = slice_chips(own, per_chip, place) {
        return Some((*chips.get(rank / per_chip)?, core, How::SliceIndex));
    }
    Some((*place.0.chips.get(rank / per_chip)?, core, How::Order))
}

fn of_host_number(identity: &Identity, numbers: &HostNumbers, place: (&Host, &Inventory)) -> Option<Placed> {
    let host = place.0;
    let per_chip = numbers.per_chip(numbers.of_metric(&numbers.host, &identity.metric));
    // Numbers of a host begin at 0, so a missing one leaves its place free.
    let index = usize::try_from(identity.number?).ok()?;
    let (rank, core) = (index / per_chip, core_of(index, per_chip));
    // The runtime numbers all chips of the host: then order joins the two kinds.
    let runtime = &numbers.slice.all;
    let of_runtime =
        slice_chips(runtime, numbers.per_chip(runtime), place).filter(|chips| chips.len() == host.chips.len());
    if let Some(chips) = of_runtime {
        return Some((*chips.get(rank)?, core, How::Order));
    }
    Some((*host.chips.get(rank)?, core, How::HostIndex))
}

/// Tells hosts that their numbers put elsewhere than the inventory draws them, and chips of two hosts.
pub(super) fn compare(
    targets: &[Result<Target, Unbound>],
    identities: &[Identity],
    inventory: &Inventory,
    findings: &mut Findings,
) {
    let mut elsewhere: BTreeSet<String> = BTreeSet::new();
    let mut owners: BTreeMap<(&str, Coord), (Option<usize>, String)> = BTreeMap::new();
    for (target, identity) in targets.iter().zip(identities) {
        let Ok(target) = target else { continue };
        if !matches!(target.how, How::SliceIndex | How::HostIndex | How::Order) {
            continue;
        }
        let known = identity.known(inventory);
        let host = known.and_then(|i| inventory.hosts().get(i));
        if target.how == How::SliceIndex && host.is_some_and(|host| !host.chips.contains(&target.chip)) {
            elsewhere.insert(identity.host_name());
        }
        let owner = owners.entry((&target.pod.0, target.chip)).or_insert_with(|| (known, identity.host_name()));
        if owner.0 != known {
            let message = format!("{} and {} both report the chip {}", owner.1, identity.host_name(), target.chip);
            findings.error("chip-of-two-hosts", format!("pod {}", target.pod), message);
        }
    }
    if let Some(first) = elsewhere.first() {
        let message = format!(
            "{} hosts are drawn elsewhere than their numbers within the slice say, such as {first}; the numbers were used",
            elsewhere.len()
        );
        findings.warn("host-elsewhere", "inventory", message);
    }
}
