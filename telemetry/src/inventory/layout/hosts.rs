//! Where the hosts of a box of chips are drawn: those that share a partition id stand together.

use std::collections::{BTreeMap, BTreeSet};

use topology::fleet::{Component, Effect, Fault, HostIdentity, Pod};
use topology::name::host_block;
use topology::shape::{Coord, Shape};

use crate::inventory::layout::{Drawn, fault_of};
use crate::inventory::record::Host;
use crate::inventory::{HostPlace, Report};

/// A box of chips of a pod.
type Area = (Coord, Shape);

/// Places hosts in a box and reports what is guessed, missing or too much.
pub(super) fn place(pod: &mut Pod, area: Area, hosts: &[&Host], drawn: &mut Drawn, report: &mut Report) {
    let block = block(hosts, area.1);
    let mut seats = Seats { block, placed: Vec::new(), loose: Vec::new() };
    let mut sizes: BTreeSet<Shape> = hosts.iter().flat_map(|host| host.partitions.keys().copied()).collect();
    sizes.retain(|size| size.n_chips() < area.1.n_chips() && size.n_chips() > block.n_chips() && tiles(*size, area.1));
    let mut sizes: Vec<Shape> = sizes.into_iter().collect();
    sizes.sort_by_key(|size| (std::cmp::Reverse(size.n_chips()), *size));
    seats.seat(area, hosts, &sizes);
    let taken: BTreeSet<Coord> = seats.placed.iter().map(|(_, at)| *at).collect();
    let mut free: Vec<Coord> = tiling(area, block).filter(|at| !taken.contains(at)).collect();
    free.reverse();
    if hosts.len() > 1 && !seats.loose.is_empty() {
        let message = format!(
            "{} of {} hosts stand where there was room; exports do not say where",
            seats.loose.len(),
            hosts.len()
        );
        report.note("position-guessed", &format!("pod {}, box at {}", pod.id, area.0), message);
    }
    for host in std::mem::take(&mut seats.loose) {
        let Some(at) = free.pop() else {
            report.warn("too-many-hosts", &host.place, "there is no room for the host in its slice");
            report.unplaced(&host.name, format!("there are more hosts than {} has places", area.1));
            continue;
        };
        seats.placed.push((host, at));
    }
    for (host, at) in seats.placed {
        pod.faults.extend(fault_of(host, at));
        let (name, instance_id) = (host.name.clone(), host.instance_id.clone());
        pod.hosts.push(HostIdentity {
            at,
            block: host_block(host.n_chips).filter(|block| tiles(*block, area.1)).unwrap_or(block),
            node: name.clone(),
            uid: host.uid.clone(),
            instance_id: instance_id.clone(),
            cluster: host.cluster.clone(),
        });
        drawn.hosts.push(HostPlace { name, instance_id, pod: pod.id.clone(), chip: at });
    }
    pod.hosts.sort();
    // Of a cube without any host in the list nothing is known, which is no fault of its hosts.
    for at in free.into_iter().rev().filter(|_| !hosts.is_empty()) {
        let note = Some("the host is not in the list".to_owned());
        pod.faults.push(Fault { component: Component::Host(at), effect: Effect::Silent, note });
    }
}

/// The chips of one host as a box; the usual four where the hosts do not say.
fn block(hosts: &[&Host], area: Shape) -> Shape {
    let chips = hosts.iter().map(|host| host.n_chips).max().unwrap_or(4);
    let block = host_block(chips).filter(|block| tiles(*block, area));
    block.or_else(|| host_block(4).filter(|block| tiles(*block, area))).unwrap_or(Shape::solid(1, 1, 1))
}

fn tiles(small: Shape, large: Shape) -> bool {
    small.sizes3().iter().zip(large.sizes3()).all(|(small, large)| large % small == 0)
}

/// Corners of the small boxes that tile a large one, x fastest.
fn tiling((at, size): Area, small: Shape) -> impl Iterator<Item = Coord> {
    let ([sx, sy, sz], [x, y, z]) = (small.sizes3(), size.sizes3());
    let grid = Shape::solid((x / sx).max(1), (y / sy).max(1), (z / sz).max(1));
    grid.coords().map(move |c| Coord::new(at.x + c.x * sx, at.y + c.y * sy, at.z + c.z * sz))
}

/// Who sits where.
struct Seats<'a> {
    block: Shape,
    placed: Vec<(&'a Host, Coord)>,
    loose: Vec<&'a Host>,
}

impl<'a> Seats<'a> {
    /// Divides a box into the next smaller partitions and gives each id one of them, in order of ids.
    fn seat(&mut self, area: Area, hosts: &[&'a Host], sizes: &[Shape]) {
        if area.1.n_chips() == self.block.n_chips() {
            let mut hosts = hosts.iter().copied();
            self.placed.extend(hosts.next().map(|host| (host, area.0)));
            self.loose.extend(hosts);
            return;
        }
        let Some((size, smaller)) = sizes.split_first() else {
            self.seat_last(area, hosts);
            return;
        };
        if !tiles(*size, area.1) {
            return self.seat(area, hosts, smaller);
        }
        let mut groups: BTreeMap<&str, Vec<&'a Host>> = BTreeMap::new();
        for host in hosts {
            match host.partitions.get(size) {
                Some(id) => groups.entry(id).or_default().push(host),
                None => self.loose.push(host),
            }
        }
        let mut corners = tiling(area, *size);
        for group in groups.into_values() {
            match corners.next() {
                Some(corner) => self.seat((corner, *size), &group, smaller),
                None => self.loose.extend(group),
            }
        }
    }

    /// Below the smallest partition every host has its own id, or none. The order of ids is as good as any, and better than
    /// that of names, which come back with other machines.
    fn seat_last(&mut self, area: Area, hosts: &[&'a Host]) {
        let n_chips = self.block.n_chips();
        let own_id = |host: &'a Host| host.partitions.iter().find(|(size, _)| size.n_chips() == n_chips);
        let (mut single, loose): (Vec<&Host>, Vec<&Host>) = hosts.iter().partition(|host| own_id(host).is_some());
        single.sort_by_key(|host| own_id(host).map(|(_, id)| id));
        let mut corners = tiling(area, self.block);
        for host in single {
            match corners.next() {
                Some(corner) => self.placed.push((host, corner)),
                None => self.loose.push(host),
            }
        }
        self.loose.extend(loose);
    }
}
