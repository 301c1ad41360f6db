//! Slices of fixed pools and of TPU VMs: one pool is one slice, or many of one host each.

use std::collections::BTreeMap;

use topology::chip::Generation;
use topology::fleet::Place;
use topology::rules::check_shape;
use topology::shape::{Coord, Shape};

use crate::inventory::Report;
use crate::inventory::layout::{Drawn, Group, empty_pod, hosts, new_slice};
use crate::inventory::record::Host;

/// Longest side of a pod that is stacked, in chips.
const MAX_STACK: u16 = 4096;

/// A slice that is to be drawn.
struct Fixed<'a> {
    name: String,
    shape: Shape,
    hosts: Vec<&'a Host>,
}

/// Draws the slices of one group, stacked on pods of their own cross-section.
pub(super) fn draw(
    (group, generation): (&Group, &Generation),
    hosts: &[&Host],
    drawn: &mut Drawn,
    report: &mut Report,
) {
    let mut pools: BTreeMap<(&str, &str), Vec<&Host>> = BTreeMap::new();
    for host in hosts {
        pools.entry((host.pool.as_str(), host.zone.as_str())).or_default().push(host);
    }
    let mut stacks: BTreeMap<[u16; 2], Vec<Fixed<'_>>> = BTreeMap::new();
    for ((pool, _), hosts) in pools {
        for slice in slices(pool, hosts, generation, report) {
            let [x, y, _] = slice.shape.sizes3();
            let section = if slice.shape.rank() == 2 { [x, 1] } else { [x, y] };
            stacks.entry(section).or_default().push(slice);
        }
    }
    let most = generation.pod_chips.as_ref().map_or(usize::MAX, |chips| chips.value as usize);
    for mut stack in stacks.into_values() {
        // Taller slices first, so that each starts at a multiple of its own height where that is possible.
        stack.sort_by_key(|slice| std::cmp::Reverse(height(slice.shape)));
        let mut rest = stack.as_slice();
        while !rest.is_empty() {
            let n = fitting(rest, most);
            draw_pod(group, &rest[..n], drawn, report);
            rest = &rest[n..];
        }
    }
}

const fn height(shape: Shape) -> u16 {
    let [_, y, z] = shape.sizes3();
    if shape.rank() == 2 { y } else { z }
}

/// How many of the slices one pod can hold, at least one.
fn fitting(slices: &[Fixed<'_>], most: usize) -> usize {
    let (mut chips, mut side) = (0_usize, 0_u16);
    let fits = |slice: &&Fixed<'_>| {
        chips += slice.shape.n_chips();
        side = side.saturating_add(height(slice.shape));
        chips <= most && side <= MAX_STACK
    };
    slices.iter().take_while(fits).count().max(1)
}

fn draw_pod(group: &Group, slices: &[Fixed<'_>], drawn: &mut Drawn, report: &mut Report) {
    let side = slices.iter().map(|slice| height(slice.shape)).sum();
    let Some(first) = slices.first() else { return };
    let [x, y, _] = first.shape.sizes3();
    let is_flat = first.shape.rank() == 2;
    let mut pod = empty_pod(drawn, group, if is_flat { Shape::flat(x, side) } else { Shape::solid(x, y, side) });
    let mut level = 0;
    for slice in slices {
        let at = if is_flat { Coord::new(0, level, 0) } else { Coord::new(0, 0, level) };
        let mut new = new_slice(&slice.name, slice.shape, Place::Block { at, size: slice.shape }, pod.slices.len());
        new.team = slice.hosts.iter().find_map(|host| host.team.clone());
        pod.slices.push(new);
        hosts::place(&mut pod, (at, slice.shape), &slice.hosts, drawn, report);
        level += height(slice.shape);
    }
    drawn.pods.push(pod);
}

/// The slices of one pool; hosts whose shape is unknown or illegal are listed as unplaced.
fn slices<'a>(pool: &str, hosts: Vec<&'a Host>, generation: &Generation, report: &mut Report) -> Vec<Fixed<'a>> {
    let mut shapes: BTreeMap<Option<Shape>, Vec<&Host>> = BTreeMap::new();
    for host in hosts {
        shapes.entry(host.topology).or_default().push(host);
    }
    if shapes.len() > 1 {
        report.warn("mixed-pool", &format!("pool {pool}"), "its hosts have different topologies");
    }
    let mut slices = Vec::new();
    for (shape, hosts) in shapes {
        let Some(place) = hosts.first().map(|host| host.place.clone()) else { continue };
        let legal = shape.ok_or("its shape is not known".to_owned());
        let legal = legal.and_then(|shape| check_shape(generation, shape).map_err(|illegal| illegal.to_string()));
        let shape = match legal {
            Ok(legal) => legal.shape,
            Err(reason) => {
                report.warn("no-shape", &place, format!("pool {pool} cannot be drawn: {reason}"));
                report.unplaced(pool, reason);
                continue;
            }
        };
        let per_host = hosts.iter().map(|host| host.n_chips as usize).max().unwrap_or(0).max(1);
        if shape.n_chips() <= per_host {
            let is_alone = hosts.len() == 1;
            let single = |host: &'a Host| Fixed {
                name: if is_alone { pool.to_owned() } else { host.name.clone() },
                shape,
                hosts: vec![host],
            };
            slices.extend(hosts.into_iter().map(single));
            continue;
        }
        let needed = shape.n_chips() / per_host;
        if hosts.len() != needed {
            let message =
                format!("pool {pool} is {shape}, which needs {needed} hosts; {} are in the list", hosts.len());
            report.warn("host-count", &place, message);
        }
        slices.push(Fixed { name: pool.to_owned(), shape, hosts });
    }
    slices
}
