//! What the wires carry and how long that takes at best.

use topology::measure::loads;
use topology::units::Seconds;

use super::group::Parts;
use super::message::{Loads, Messages};
use super::plan::Plan;
use super::rows::Repair;
use super::wires::{N_SLOTS, Wires, direction};
use super::{Collective, CollectiveError, Degraded, Fabric, Order, Request};

/// Chips of a broken slice up to which the way of every message is walked.
const MAX_WALKED_CHIPS: usize = 1024;

/// One pass over the slice, all its parts at once; passes follow one another.
#[derive(Debug, Clone)]
pub(crate) struct Pass {
    pub(crate) name: &'static str,
    /// Bytes over each wire.
    pub(crate) bytes: Vec<f64>,
}

/// What a request loads on the wires.
#[derive(Debug, Clone)]
pub(crate) struct Counted {
    pub(crate) passes: Vec<Pass>,
    /// Links of the longest way, over all passes.
    pub(crate) hops: u32,
    pub(crate) degraded: Vec<Degraded>,
    /// The plan of a gather, for those who execute it.
    pub(crate) plan: Option<Plan>,
}

impl Pass {
    /// Time of the busiest wire.
    pub(crate) fn seconds(&self, wires: &Wires, bytes_per_s: f64) -> f64 {
        let times = (0..).zip(&self.bytes).map(|(wire, bytes)| bytes / (bytes_per_s * wires.share(wire)));
        times.fold(0.0, f64::max)
    }

    /// Bytes that one chip sends along each axis, on the average.
    pub(crate) fn by_axis(&self, wires: &Wires) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for (wire, bytes) in self.bytes.iter().enumerate() {
            sums[direction(wire % N_SLOTS).0.index()] += bytes / wires.n_nodes() as f64;
        }
        sums
    }
}

impl Counted {
    /// Wires that see all chips one by one, or one chip for all where that is exact.
    pub(crate) fn wires(request: &Request, parts: &Parts, fabric: &Fabric) -> Wires {
        let can_fold = fabric.is_uniform() && parts.closes(fabric.network.torus());
        if can_fold && request.kind != Collective::Permute { Wires::folded(fabric) } else { Wires::new(fabric) }
    }

    /// What a request loads. `bytes` is the array that the group holds in one slice.
    pub(crate) fn of(
        (request, bytes): (&Request, f64),
        parts: &Parts,
        (fabric, wires): (&Fabric, &Wires),
        order: Order,
    ) -> Result<Self, CollectiveError> {
        match request.kind {
            Collective::AllToAll | Collective::Permute => messages((request, bytes), parts, (fabric, wires)),
            kind => gather((kind, bytes), parts, (fabric, wires), order),
        }
    }

    /// Seconds at best, pass after pass.
    pub(crate) fn seconds(&self, fabric: &Fabric, wires: &Wires, share: f64) -> Seconds {
        let rate = fabric.links.bytes_per_s.get() * share;
        Seconds::new(self.passes.iter().map(|pass| pass.seconds(wires, rate)).sum())
    }
}

/// The better of both repairs, cut rings where they are as good.
fn gather(
    (kind, bytes): (Collective, f64),
    parts: &Parts,
    (fabric, wires): (&Fabric, &Wires),
    order: Order,
) -> Result<Counted, CollectiveError> {
    let with = |repair| -> Result<Counted, CollectiveError> {
        let plan = Plan::new(kind, parts, wires, (fabric, repair, order))?;
        let passes = plan
            .passes(wires)
            .into_iter()
            .map(|(name, shares)| Pass { name, bytes: shares.into_iter().map(|share| share * bytes).collect() });
        Ok(Counted {
            passes: passes.collect(),
            hops: plan.hops(),
            degraded: plan.degraded().copied().collect(),
            plan: Some(plan),
        })
    };
    let cut = with(Repair::Line)?;
    if cut.degraded.is_empty() && matches!(parts, Parts::Boxes(_)) {
        return Ok(cut);
    }
    let round = with(Repair::Detour)?;
    let seconds = |counted: &Counted| counted.seconds(fabric, wires, 1.0).get();
    // By more than rounding, so that the choice does not hang on the last bit.
    Ok(if seconds(&round) < seconds(&cut) * (1.0 - 1e-9) { round } else { cut })
}

fn messages(
    (request, bytes): (&Request, f64),
    parts: &Parts,
    (fabric, wires): (&Fabric, &Wires),
) -> Result<Counted, CollectiveError> {
    let group = parts.group_chips() as f64;
    let is_exchange = request.kind == Collective::AllToAll;
    let size = if is_exchange { bytes / (group * group) } else { bytes / group };
    let (torus, n_chips) = (fabric.network.torus(), wires.shape().n_chips());
    let is_broken = !fabric.network.outage().is_empty();
    let all = is_exchange && parts.group_chips() == n_chips;
    let found = if all && (torus.is_twisted() || (is_broken && n_chips > MAX_WALKED_CHIPS)) {
        spread(fabric, wires)?
    } else {
        Loads::of(&Messages::of(request, parts, wires)?, (fabric, wires), is_exchange)?
    };
    let bytes = found.by_wire.into_iter().map(|messages| messages * size).collect();
    let pass = Pass { name: request.kind.name(), bytes };
    Ok(Counted { passes: vec![pass], hops: found.hops, degraded: found.degraded.into_iter().collect(), plan: None })
}

/// All to all, split evenly over all shortest ways: what adaptive routing comes to.
fn spread(fabric: &Fabric, wires: &Wires) -> Result<Loads, CollectiveError> {
    let shape = wires.shape();
    let distances = topology::measure::distances(&fabric.network);
    if distances.n_unreachable > 0 {
        let ends = shape.coord_of(shape.n_chips() - 1);
        let first = shape.coord_of(0);
        let parted = shape.coords().find_map(|chip| fabric.network.route(first, chip).err());
        return Err(parted.unwrap_or(topology::graph::NoRoute::Parted(first, ends)).into());
    }
    let lost = fabric.network.torus().n_links() - fabric.network.n_links();
    let degraded = (lost > 0).then_some(Degraded::Spread { links: lost });
    let found = loads(&fabric.network);
    let of = |wire: usize| found.of(shape.coord_of(wire / N_SLOTS), direction(wire % N_SLOTS));
    Ok(Loads { by_wire: (0..wires.n_wires()).map(of).collect(), hops: distances.diameter() as u32, degraded })
}
