//! From records to a fleet: pods, slices and the places of hosts.
//!
//! Hosts of one generation and one block make up pods. Cubes that can be joined freely stand in a box of as equal
//! sides as their number allows, in order of their ids. Slices of fixed pools are stacked along the last axis of pods
//! of their own cross-section, so that no chip is drawn that is not there.

mod hosts;
mod pools;

use std::collections::{BTreeMap, BTreeSet};

use topology::chip::{Catalog, Generation, GenerationId, Wiring};
use topology::fleet::{CUBE_SIDE, Component, Effect, Fault, Place, Pod, PodId, Slice, SliceId};
use topology::place::alignment;
use topology::rules::check_shape;
use topology::shape::{Axis, Coord, Shape};
use topology::slice::n_cubes;

use crate::inventory::record::{Health, Host, Records, SubBlock, Wanted};
use crate::inventory::{HostPlace, Report};

const CUBE: Shape = Shape::solid(CUBE_SIDE, CUBE_SIDE, CUBE_SIDE);

/// Pods and where their hosts are.
#[derive(Default)]
pub(super) struct Drawn {
    pub(super) pods: Vec<Pod>,
    pub(super) hosts: Vec<HostPlace>,
}

/// Hosts of one generation in one block of one reservation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    generation: GenerationId,
    /// Reservation, else zone.
    owner: String,
    block: String,
}

/// A cube and what is known of its hosts.
#[derive(Default)]
struct Cube<'a> {
    hosts: Vec<&'a Host>,
    /// Hosts that it should have.
    n_hosts: usize,
}

type Cubes<'a> = BTreeMap<String, Cube<'a>>;

/// Draws everything that can be drawn; the rest is listed as unplaced.
pub(super) fn draw(records: &Records, catalog: &Catalog, report: &mut Report) -> Drawn {
    let mut drawn = Drawn::default();
    let mut cubes: BTreeMap<Group, Cubes<'_>> = BTreeMap::new();
    let mut fixed: BTreeMap<Group, Vec<&Host>> = BTreeMap::new();
    let mut sorted: Vec<&Host> = records.hosts.iter().collect();
    sorted.sort_by_key(|host| (host.name.as_str(), host.instance_id.as_deref()));
    for host in sorted {
        let id = match &host.generation {
            Ok(id) => id.clone(),
            Err(name) => {
                report.error("unknown-generation", &host.place, format!("no TPU generation is known as \"{name}\""));
                report.unplaced(&host.name, format!("its generation \"{name}\" is not known"));
                continue;
            }
        };
        let owner = host.reservation.clone().unwrap_or_else(|| host.zone.clone());
        let group = Group { generation: id, owner, block: host.block.clone().unwrap_or_default() };
        match cube_id(host, catalog) {
            Some(cube) => cubes.entry(group).or_default().entry(cube).or_default().hosts.push(host),
            None => fixed.entry(group).or_default().push(host),
        }
    }
    for block in &records.sub_blocks {
        add_sub_block(block, &mut cubes, report);
    }
    let mut left: Vec<&Wanted> = records.wanted.iter().collect();
    for (group, cubes) in &cubes {
        let Some(generation) = catalog.get(&group.generation) else { continue };
        draw_cubes((group, generation), cubes, &mut left, &mut drawn, report);
    }
    for wanted in left {
        report.warn("unknown-partition", &wanted.place, "none of its partitions is in the node list");
        report.unplaced(&wanted.name, "its partitions are not in the node list");
    }
    for (group, hosts) in &fixed {
        let Some(generation) = catalog.get(&group.generation) else { continue };
        pools::draw((group, generation), hosts, &mut drawn, report);
    }
    unique_slice_names(&mut drawn);
    drawn.pods.sort_by(|a, b| a.id.cmp(&b.id));
    drawn
}

/// The cube of a host whose cubes can be joined freely; `None` for hosts of fixed pools.
fn cube_id(host: &Host, catalog: &Catalog) -> Option<String> {
    let generation = catalog.get(host.generation.as_ref().ok()?)?;
    let joins = generation.wiring == Wiring::Cubes && (host.is_dynamic || host.partitions.contains_key(&CUBE));
    joins.then(|| host.partitions.get(&CUBE).or(host.sub_block.as_ref()).cloned()).flatten()
}

/// Adds a cube that a reservation lists, or tells a cube of the node list how many hosts it should have.
fn add_sub_block(block: &SubBlock, cubes: &mut BTreeMap<Group, Cubes<'_>>, report: &mut Report) {
    let is_it = |cube: &Cube<'_>| cube.hosts.iter().any(|host| host.sub_block.as_deref() == Some(&block.id));
    if let Some(cube) = cubes.values_mut().flat_map(BTreeMap::values_mut).find(|cube| is_it(cube)) {
        cube.n_hosts = cube.n_hosts.max(block.n_hosts);
        return;
    }
    let Ok(generation) = block.generation.clone() else { return };
    let of_block = cubes.keys().find(|group| group.block == block.block && !block.block.is_empty()).cloned();
    let group =
        of_block.unwrap_or_else(|| Group { generation, owner: block.reservation.clone(), block: block.block.clone() });
    let cube = cubes.entry(group).or_default().entry(block.id.clone()).or_default();
    cube.n_hosts = cube.n_hosts.max(block.n_hosts);
    report.note("hosts-unknown", &block.place, "its hosts are not in a node list; only their number is known");
}

fn draw_cubes(
    (group, generation): (&Group, &Generation),
    cubes: &Cubes<'_>,
    left: &mut Vec<&Wanted>,
    drawn: &mut Drawn,
    report: &mut Report,
) {
    let lattice = lattice(cubes.len());
    let [x, y, z] = lattice.sizes3().map(|n| n * CUBE_SIDE);
    let mut pod = empty_pod(drawn, group, Shape::solid(x, y, z));
    let place_of: BTreeMap<&str, Coord> = cubes.keys().map(String::as_str).zip(lattice.coords()).collect();
    let first = drawn.hosts.len();
    for ((id, cube), at) in cubes.iter().zip(lattice.coords()) {
        let corner = scaled(at);
        let expected = if cube.n_hosts == 0 { 16 } else { cube.n_hosts };
        hosts::place(&mut pod, (corner, CUBE), &cube.hosts, drawn, report);
        if !cube.hosts.is_empty() && cube.hosts.len() < expected {
            let message = format!("{} of its {expected} hosts are in the list", cube.hosts.len());
            report.warn("incomplete-cube", &format!("pod {}, cube {id}", pod.id), message);
        }
    }
    if cubes.len() > 1 {
        let message = "the order of cubes is that of their ids; exports do not say where a cube stands";
        report.note("cube-order", &format!("pod {}", pod.id), message);
    }
    let known = |wanted: &&Wanted| wanted.partitions.iter().any(|id| place_of.contains_key(id.as_str()));
    let (here, elsewhere): (Vec<&Wanted>, Vec<&Wanted>) = left.iter().copied().partition(|wanted| known(wanted));
    *left = elsewhere;
    let named: BTreeSet<&str> = here.iter().map(|wanted| wanted.name.as_str()).collect();
    let labelled = labelled_slices(cubes, &named);
    let mut taken = BTreeSet::new();
    for wanted in here.into_iter().chain(&labelled) {
        let slice = slice_of_cubes(wanted, generation, &place_of, pod.slices.len());
        match slice.and_then(|slice| add(&mut pod, slice, &mut taken)) {
            Ok(()) => {}
            Err((code, reason)) => {
                report.error(code, &wanted.place, reason.clone());
                report.unplaced(&wanted.name, reason);
            }
        }
    }
    for (name, (shape, hosts)) in sub_cube_slices(cubes, left) {
        let slice = sub_cube_slice((&name, shape), &hosts, (&pod, generation), &drawn.hosts[first..]);
        if let Err((code, reason)) = slice.and_then(|slice| add(&mut pod, slice, &mut taken)) {
            report.error(code, &format!("pod {}, slice {name}", pod.id), reason.clone());
            report.unplaced(&name, reason);
        }
    }
    drawn.pods.push(pod);
}

/// Why a slice cannot be drawn: a code and words.
type Refusal = (&'static str, String);

/// Adds a slice if its chips belong to nobody yet.
fn add(pod: &mut Pod, slice: Slice, taken: &mut BTreeSet<Coord>) -> Result<(), Refusal> {
    let chips: Vec<Coord> = pod.slice_chips(&slice).map(|(_, chip)| chip).collect();
    if chips.len() != slice.shape.n_chips() || chips.iter().any(|chip| taken.contains(chip)) {
        return Err(("partition-shared", "some of its chips belong to another slice".to_owned()));
    }
    taken.extend(chips);
    pod.slices.push(slice);
    Ok(())
}

/// Slices that nodes are labelled with and no slice object describes.
fn labelled_slices(cubes: &Cubes<'_>, named: &BTreeSet<&str>) -> Vec<Wanted> {
    let mut found: BTreeMap<&str, Wanted> = BTreeMap::new();
    for (id, host) in cubes.iter().flat_map(|(id, cube)| cube.hosts.iter().map(move |host| (id, host))) {
        let Some((name, shape)) = &host.slice else { continue };
        if named.contains(name.as_str()) || shape.is_some_and(|shape| n_cubes(shape).is_none()) {
            continue;
        }
        let place = format!("slice {name} of node labels");
        let fresh = || Wanted { name: name.clone(), place, shape: *shape, partitions: Vec::new() };
        let wanted = found.entry(name).or_insert_with(fresh);
        wanted.shape = wanted.shape.or(*shape);
        if !wanted.partitions.contains(id) {
            wanted.partitions.push(id.clone());
        }
    }
    found.into_values().collect()
}

/// A slice of whole cubes, or the rule that it breaks.
fn slice_of_cubes(
    wanted: &Wanted,
    generation: &Generation,
    place_of: &BTreeMap<&str, Coord>,
    index: usize,
) -> Result<Slice, Refusal> {
    let shape = wanted.shape.ok_or(("slice-without-shape", "its shape is not known".to_owned()))?;
    check_shape(generation, shape).map_err(|illegal| ("illegal-shape", illegal.to_string()))?;
    let needed = n_cubes(shape).ok_or(("not-cubes", format!("{shape} is not made of whole cubes")))?;
    if wanted.partitions.len() != needed {
        let has = wanted.partitions.len();
        return Err(("partition-count", format!("{shape} needs {needed} partitions, has {has}")));
    }
    let cubes: Option<Vec<Coord>> = wanted.partitions.iter().map(|id| place_of.get(id.as_str()).copied()).collect();
    let unknown = ("unknown-partition", "some of its partitions are not in the node list".to_owned());
    Ok(new_slice(&wanted.name, shape, Place::Cubes(cubes.ok_or(unknown)?), index))
}

/// Slices inside one cube with their hosts: those that carry its label or one of its partition ids.
fn sub_cube_slices<'a>(cubes: &Cubes<'a>, left: &mut Vec<&Wanted>) -> BTreeMap<String, (Shape, Vec<&'a Host>)> {
    let mut found: BTreeMap<String, (Shape, Vec<&Host>)> = BTreeMap::new();
    for host in cubes.values().flat_map(|cube| &cube.hosts) {
        if let Some((name, Some(shape))) = &host.slice
            && n_cubes(*shape).is_none()
        {
            found.entry(name.clone()).or_insert_with(|| (*shape, Vec::new())).1.push(host);
        }
    }
    left.retain(|wanted| {
        let Some(shape) = wanted.shape.filter(|shape| n_cubes(*shape).is_none()) else { return true };
        let is_its = |host: &&&Host| host.partitions.get(&shape).is_some_and(|id| wanted.partitions.contains(id));
        let hosts: Vec<&Host> = cubes.values().flat_map(|cube| &cube.hosts).filter(is_its).copied().collect();
        let is_here = !hosts.is_empty();
        if is_here {
            found.insert(wanted.name.clone(), (shape, hosts));
        }
        !is_here
    });
    found
}

/// A slice inside a cube: its hosts must make up the whole of a legal box.
fn sub_cube_slice(
    (name, shape): (&str, Shape),
    hosts: &[&Host],
    (pod, generation): (&Pod, &Generation),
    places: &[HostPlace],
) -> Result<Slice, Refusal> {
    check_shape(generation, shape).map_err(|illegal| ("illegal-shape", illegal.to_string()))?;
    let names: BTreeSet<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
    let chips: u32 = hosts.iter().map(|host| host.n_chips).sum();
    let corners: Vec<Coord> =
        places.iter().filter(|place| names.contains(place.name.as_str())).map(|place| place.chip).collect();
    let no_box =
        || ("host-count", format!("{shape} has {} chips, its hosts with {chips} do not make it up", shape.n_chips()));
    let at = corners.iter().copied().min_by_key(|c| (c.z, c.y, c.x)).ok_or_else(no_box)?;
    let step = alignment(generation, shape);
    let is_aligned = Axis::ALL.into_iter().all(|axis| at.along(axis).is_multiple_of(step.along(axis)));
    let is_inside = |c: &Coord| {
        let inside = |axis: Axis| c.along(axis).checked_sub(at.along(axis)).is_some_and(|d| d < shape.along(axis));
        Axis::ALL.into_iter().all(inside)
    };
    if chips as usize != shape.n_chips() || !is_aligned || !corners.iter().all(is_inside) {
        return Err(no_box());
    }
    Ok(new_slice(name, shape, Place::Block { at, size: shape }, pod.slices.len()))
}

/// The box of exactly `n` cubes with the least sum of sides.
fn lattice(n: usize) -> Shape {
    let n = n.clamp(1, 4096);
    let sides = (1..=n).filter(|a| n.is_multiple_of(*a)).flat_map(|a| {
        let rest = n / a;
        (a..=rest).filter(move |b| rest.is_multiple_of(*b) && rest / b >= *b).map(move |b| [a, b, rest / b])
    });
    let best = sides.min_by_key(|sides| sides.iter().sum::<usize>()).unwrap_or([1, 1, n]);
    let [x, y, z] = best.map(|side| side as u16);
    Shape::solid(x, y, z)
}

fn scaled(cube: Coord) -> Coord {
    Coord::new(cube.x * CUBE_SIDE, cube.y * CUBE_SIDE, cube.z * CUBE_SIDE)
}

fn new_slice(name: &str, shape: Shape, place: Place, index: usize) -> Slice {
    let color = (index % 8) as u8 + 1;
    Slice { id: SliceId(name.to_owned()), team: None, color, shape, twisted: false, place }
}

fn empty_pod(drawn: &Drawn, group: &Group, shape: Shape) -> Pod {
    let block: String = group.block.chars().take(8).collect();
    let parts = [group.generation.0.as_str(), &group.owner, &block];
    let name: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let is_taken = |name: &str| drawn.pods.iter().any(|pod| pod.id.0 == name);
    Pod {
        id: PodId(free_name(&name.join(" "), is_taken)),
        generation: group.generation.clone(),
        shape,
        slices: Vec::new(),
        spares: Vec::new(),
        faults: Vec::new(),
        hosts: Vec::new(),
    }
}

/// What the health of a host means in the picture.
fn fault_of(host: &Host, at: Coord) -> Option<Fault> {
    let (effect, note) = match host.health {
        Health::Ready => return None,
        Health::NotReady => (Effect::Down, "the node is not ready"),
        Health::Lost => (Effect::Silent, "nothing is heard of the node"),
    };
    Some(Fault { component: Component::Host(at), effect, note: Some(note.to_owned()) })
}

/// Gives slices on a pod that came out with one name a number each.
fn unique_slice_names(drawn: &mut Drawn) {
    for pod in &mut drawn.pods {
        let mut seen: BTreeSet<SliceId> = BTreeSet::new();
        for slice in &mut pod.slices {
            slice.id = SliceId(free_name(&slice.id.0, |name| seen.contains(&SliceId(name.to_owned()))));
            seen.insert(slice.id.clone());
        }
    }
}

/// The name, with a number if it is taken.
fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|n: u64| format!("{name} #{n}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}
