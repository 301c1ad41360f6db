//! What a plan sends over each link, by formula; [`super::execute`] counts the same.

use std::collections::BTreeMap;

use topology::shape::{Axis, Coord};
use topology::torus::Sign;
use topology::units::Byte;

use super::answer::{Plan, Step};
use super::layout::MoveKind;
use super::mesh::{Factor, Mesh};
use super::problem::Problem;
use super::run::LinkBytes;
use super::wires::BOTH;

/// What crosses each link in each direction over all collectives of a plan, links that carry nothing left out.
///
/// Under faults the bytes are counted around what does not work. Otherwise, in a ring all links are equally busy. In a line the link after place i carries, towards larger places, i + 1 parts
/// of a gather, n − 1 − i of a scatter, and (i + 1)·(n − 1 − i) of an all-to-all; the busiest one has what
/// [`crate::collective::CollectiveTime::busiest_link_bytes`] says.
pub fn links(problem: &Problem, plan: &Plan) -> Vec<LinkBytes> {
    let mesh = problem.mesh();
    let mut sums: BTreeMap<(Coord, Axis, Sign), f64> = BTreeMap::new();
    let moves = plan.choice.before.iter().chain(&plan.choice.after).filter(|found| found.kind != MoveKind::Cut);
    for (step, found) in plan.collectives.iter().zip(moves) {
        if let Some(counted) = &step.counted {
            for traffic in counted {
                let axis = traffic.link.axis;
                let other_end = mesh.torus().step(traffic.link.from, axis, Sign::Plus).map(|step| step.to);
                let from = if traffic.sign == Sign::Plus { Some(traffic.link.from) } else { other_end };
                let Some(from) = from.filter(|_| traffic.bytes > Byte::ZERO) else { continue };
                *sums.entry((from, axis, traffic.sign)).or_default() += traffic.bytes.get();
            }
            continue;
        }
        for factor in mesh.group(&found.axes) {
            for chip in mesh.torus().shape().coords() {
                for sign in BOTH {
                    let bytes = on_link(mesh, (step, found.kind), factor, (chip, sign));
                    if bytes > 0.0 {
                        *sums.entry((chip, factor.axis, sign)).or_default() += bytes;
                    }
                }
            }
        }
    }
    let link = |((from, axis, sign), bytes)| LinkBytes { from, axis, sign, bytes: Byte::new(bytes) };
    sums.into_iter().map(link).collect()
}

/// Bytes of one collective over the link of a chip along a factor. Groups whose places lie between those of another
/// share its links: each has a part of the bytes.
fn on_link(mesh: &Mesh, (step, kind): (&Step, MoveKind), factor: Factor, (chip, sign): (Coord, Sign)) -> f64 {
    if mesh.torus().step(chip, factor.axis, sign).is_none() {
        return 0.0;
    }
    let busiest = step.time.busiest_link_bytes.get();
    if mesh.ring(factor).wraps {
        return busiest;
    }
    let (size, stride) = (i32::from(factor.size), i32::from(factor.stride));
    let within = i32::from(chip.along(factor.axis)) % (size * stride);
    let over = |group: i32| {
        // The hop over this link starts at or before the chip, in the direction of the hop.
        let start = match sign {
            Sign::Plus => within - group,
            Sign::Minus => within - group + stride - 1,
        };
        let place = start.div_euclid(stride);
        // Hops that do not exist carry nothing.
        let (from, hops) = if sign == Sign::Plus { (place, size - 1 - place) } else { (size - 1 - place, place) };
        if from < 0 || hops < 1 { 0.0 } else { share(kind, f64::from(from), f64::from(size)) }
    };
    busiest * (0..stride).map(over).sum::<f64>() / f64::from(stride)
}

/// What the link after place i, seen in the direction of travel, has of what the busiest one has.
fn share(kind: MoveKind, i: f64, n: f64) -> f64 {
    match kind {
        MoveKind::Cut => 0.0,
        MoveKind::Gather => (i + 1.0) / (n - 1.0),
        MoveKind::Scatter => (n - 1.0 - i) / (n - 1.0),
        // Half of the bytes in either pass.
        MoveKind::Reduce => n / (n - 1.0) / 2.0,
        MoveKind::Exchange => (i + 1.0) * (n - 1.0 - i) / (n * n / 4.0),
    }
}
