//! What a way to do a sharded product costs, and which one is best.

use topology::chip::Generation;
use topology::units::{Byte, Flop, Seconds};

use super::ShardError;
use super::answer::{Band, Overlap, Plan, ShardBound, Step};
use super::choice::Choice;
use super::exchange::Groups;
use super::layout::{Layout, Move, MoveKind};
use super::mesh::{Factor, Mesh};
use super::problem::{Problem, Role};
use crate::cancel::Cancel;
use crate::collective::{
    self, Analytic, Collective, CollectiveModel as _, CollectiveTime, Fabric, Group, Links, Request,
};
use crate::matmul::Matmul;
use crate::roofline::{Bound, Engine, Operands, estimate};

/// What the costs depend on beside the product.
pub(crate) struct Machine {
    pub(crate) engine: Engine,
    pub(crate) links: Links,
    pub(crate) overlap: Overlap,
    /// What works of the slice, where something does not.
    pub(crate) fabric: Option<Fabric>,
}

impl Machine {
    pub(crate) fn new(generation: &Generation, overlap: Overlap) -> Result<Self, ShardError> {
        let engine = Engine::chip(generation)?;
        let links = Links::of(generation).ok_or_else(|| ShardError::NoLinks { generation: generation.id.clone() })?;
        Ok(Self { engine, links, overlap, fabric: None })
    }
}

/// The cost of one way.
pub(crate) fn price(problem: &Problem, choice: &Choice, machine: &Machine) -> Result<Plan, ShardError> {
    let mut collectives = Vec::new();
    for (moves, is_before) in [(&choice.before, true), (&choice.after, false)] {
        for found in moves {
            collectives.extend(step(problem, found, is_before, machine)?);
        }
    }
    let (mut chunk, mut chunks) = (local(problem, &choice.left, &choice.right)?, 1);
    if machine.overlap == Overlap::CollectiveMatmul
        && let Some((step, part)) = longest(problem, choice, &collectives, &chunk)
    {
        collectives[step].is_overlapped = true;
        (chunk, chunks) = (part, collectives[step].group_chips);
    }
    let estimate = estimate(&chunk, &machine.engine, Operands::Hbm)?;
    let times = |seconds: Seconds| seconds * chunks as f64;
    let compute =
        Band { low: times(estimate.seconds_low), mid: times(estimate.seconds), high: times(estimate.seconds_high) };
    let serial =
        collectives.iter().filter(|step| !step.is_overlapped).map(Step::band).fold(Band::default(), Band::plus);
    let hidden = collectives.iter().find(|step| step.is_overlapped).map_or(Band::default(), Step::band);
    let pipelined = compute.zip(hidden, |math, comm| math.max(comm) + math.min(comm) / chunks as f64);
    let total = pipelined.plus(serial);
    let busy: f64 = collectives.iter().map(|step| step.time.seconds.get()).sum();
    let bound = if busy > compute.mid.get() { ShardBound::Ici } else { of_chip(estimate.bound) };
    Ok(Plan {
        local_product: written(problem, choice),
        collectives,
        flop: Flop::new(chunk.flop().get() * chunks as f64),
        chunk,
        estimate,
        chunks,
        compute,
        exposed: total.zip(compute, |total, compute| (total - compute).max(0.0)),
        total,
        bound,
        memory_bytes: memory(problem, choice),
        choice: choice.clone(),
    })
}

const fn of_chip(bound: Bound) -> ShardBound {
    match bound {
        Bound::Mxu => ShardBound::Compute,
        Bound::Hbm => ShardBound::Hbm,
        Bound::Overhead => ShardBound::Overhead,
    }
}

/// The longest collective that can be done part by part beside the product, and the product beside one part. It cannot
/// where what is gathered is cut again before the chips multiply: then the parts of the product are not those that come.
fn longest(problem: &Problem, choice: &Choice, collectives: &[Step], whole: &Matmul) -> Option<(usize, Matmul)> {
    let is_loopable = |step: &Step| match step.kind {
        Collective::AllGather => step.is_before,
        Collective::ReduceScatter => !step.is_before,
        _ => false,
    };
    let moves = choice.before.iter().chain(&choice.after).filter(|found| found.kind != MoveKind::Cut);
    let steps = collectives.iter().zip(moves).enumerate().filter(|(_, (step, _))| is_loopable(step));
    let parts = steps.filter_map(|(i, (step, found))| {
        let part = part(problem, choice, found).ok()?;
        (part.macs() * step.group_chips == whole.macs()).then_some((i, step.time.seconds.get(), part))
    });
    parts.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _, part)| (i, part))
}

/// The product of one chip.
pub(crate) fn local(problem: &Problem, left: &Layout, right: &Layout) -> Result<Matmul, ShardError> {
    let side = |role: Role, layout: &Layout, summed: bool| -> u64 {
        let dims = problem.dims(role).iter().zip(&layout.dims).filter(|(dim, _)| problem.is_summed(**dim) == summed);
        dims.map(|(dim, axes)| problem.size(*dim) / problem.parts(axes)).product()
    };
    let (m, k, n) = (side(Role::Left, left, false), side(Role::Left, left, true), side(Role::Right, right, false));
    Ok(Matmul::new(m, k, n, problem.dtype())?)
}

/// What one chip multiplies beside one part of a collective: the dimensions that the collective gathers or scatters
/// are as small as on the sharded side.
fn part(problem: &Problem, choice: &Choice, found: &Move) -> Result<Matmul, ShardError> {
    match found.role {
        Role::Left => {
            let right = like(problem, Role::Right, &choice.right, (Role::Left, &found.from, &found.to));
            local(problem, &like(problem, Role::Left, &choice.left, (Role::Left, &found.from, &found.to)), &right)
        }
        Role::Right => {
            let left = like(problem, Role::Left, &choice.left, (Role::Right, &found.from, &found.to));
            local(problem, &left, &like(problem, Role::Right, &choice.right, (Role::Right, &found.from, &found.to)))
        }
        Role::Result => {
            let moved = (Role::Result, &found.to, &found.from);
            let left = like(problem, Role::Left, &choice.left, moved);
            local(problem, &left, &like(problem, Role::Right, &choice.right, moved))
        }
    }
}

/// A layout cut further along the dimensions in which another array has more axes when `small` than when `large`.
fn like(problem: &Problem, role: Role, layout: &Layout, moved: (Role, &Layout, &Layout)) -> Layout {
    let (other, small, large) = moved;
    let mut layout = layout.clone();
    for (dim, axes) in problem.dims(role).iter().zip(&mut layout.dims) {
        let Some(at) = problem.dims(other).iter().position(|other| other == dim) else { continue };
        axes.extend(small.dims[at].iter().filter(|axis| !large.dims[at].contains(axis)));
    }
    layout
}

/// A collective with its cost; nothing for a cut.
fn step(problem: &Problem, found: &Move, is_before: bool, machine: &Machine) -> Result<Option<Step>, ShardError> {
    let Some(kind) = found.kind.collective() else { return Ok(None) };
    let mesh = problem.mesh();
    let factors = mesh.group(&found.axes);
    // What the group holds together: the array cut only by axes outside of the group.
    let mut whole = found.from.clone();
    whole.dims.iter_mut().for_each(|axes| axes.retain(|axis| !found.axes.contains(axis)));
    let bytes = problem.bytes(found.role, &whole);
    let mut torus_axes: Vec<_> = factors.iter().map(|factor| factor.axis).collect();
    torus_axes.dedup();
    let (time, degraded, counted) = match &machine.fabric {
        None => (time(kind, bytes, &factors, (mesh, machine.links)), Vec::new(), None),
        Some(fabric) => {
            let group = Group::Replicas(Groups::new(mesh, &found.axes).lists());
            let request = Request { kind, bytes, group, pairs: None };
            let answer = Analytic.answer(&request, fabric, &Cancel::default(), &mut |_| {})?;
            (answer.time, answer.degraded, Some(answer.links))
        }
    };
    Ok(Some(Step {
        kind,
        array: problem.array(found.role).name.clone(),
        axes: problem.names(&found.axes),
        torus_axes,
        group_chips: problem.parts(&found.axes),
        bytes,
        time,
        from: problem.written(found.role, &found.from).to_string(),
        to: problem.written(found.role, &found.to).to_string(),
        is_before,
        is_overlapped: false,
        degraded,
        counted,
    }))
}

/// The time of a collective over factors. A hop from place to place of a part of an axis goes over several links.
fn time(kind: Collective, bytes: Byte, factors: &[Factor], (mesh, links): (&Mesh, Links)) -> CollectiveTime {
    let rings: Vec<_> = factors.iter().map(|factor| mesh.ring(*factor)).collect();
    let found = collective::time(kind, bytes, &rings, links);
    let passes = if kind == Collective::AllReduce { 2.0 } else { 1.0 };
    let hops = |factor: &Factor| {
        let ring = mesh.ring(*factor);
        let hops = if ring.wraps { ring.size.div_ceil(2) } else { ring.size - 1 };
        f64::from(hops) * f64::from(factor.stride - 1)
    };
    let more = links.hop_seconds * (passes * factors.iter().map(hops).sum::<f64>());
    let latency_seconds = found.latency_seconds + more;
    CollectiveTime {
        seconds: found.bandwidth_seconds.max(latency_seconds),
        seconds_low: found.seconds_low.max(latency_seconds),
        seconds_high: found.seconds_high + more,
        latency_seconds,
        ..found
    }
}

/// Bytes on one chip at once at most: what was given, gathered copies, the result and its partial sums.
fn memory(problem: &Problem, choice: &Choice) -> Byte {
    let mut bytes = Byte::ZERO;
    for (role, layout, moves) in
        [(Role::Left, &choice.left, &choice.before), (Role::Right, &choice.right, &choice.before)]
    {
        bytes += problem.bytes(role, problem.layout(role));
        if moves.iter().any(|found| found.role == role && found.kind != MoveKind::Cut) {
            bytes += problem.bytes(role, layout);
        }
    }
    bytes += problem.bytes(Role::Result, &choice.partial);
    if choice.after.iter().any(|found| found.kind != MoveKind::Cut) {
        bytes += problem.bytes(Role::Result, problem.layout(Role::Result));
    }
    bytes
}

fn written(problem: &Problem, choice: &Choice) -> String {
    let left = problem.written(Role::Left, &choice.left);
    let right = problem.written(Role::Right, &choice.right);
    format!("{left} · {right} → {}", problem.written(Role::Result, &choice.partial))
}
