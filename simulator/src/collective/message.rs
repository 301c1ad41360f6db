//! Messages from chip to chip, for all-to-all and permute, and the ways that they take.

use topology::graph::NoRoute;
use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Sign, Torus};

use super::group::Parts;
use super::wires::{N_SLOTS, Wires, slot};
use super::{Collective, CollectiveError, Degraded, Fabric, MAX_EVENTS, Pairs, Request};

/// Most messages that are listed one by one.
const MAX_LISTED: u64 = 1 << 23;

/// Who sends to whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Messages {
    /// Every chip sends the same: to the chips that lie as these lie from the first chip.
    Same(Vec<u32>),
    /// From, to.
    Listed(Vec<(u32, u32)>),
}

impl Messages {
    /// The messages of an all-to-all or permute. Where one chip stands for all, an all-to-all is told by that one.
    pub(crate) fn of(request: &Request, parts: &Parts, wires: &Wires) -> Result<Self, CollectiveError> {
        let shape = wires.shape();
        if request.kind == Collective::Permute {
            return Ok(Self::Listed(pairs(request.pairs.as_ref(), parts, shape)?));
        }
        if wires.is_folded() {
            let mut others = parts.members(shape, 0);
            others.retain(|chip| *chip != 0);
            return Ok(Self::Same(others));
        }
        let n_messages = shape.n_chips() as u64 * (parts.group_chips() as u64 - 1);
        if n_messages > MAX_LISTED {
            let remedy = "choose a smaller slice or smaller groups, or leave the faults out";
            return Err(CollectiveError::TooManyEvents { events: n_messages as f64, max: MAX_LISTED as f64, remedy });
        }
        let mut messages = Vec::with_capacity(n_messages as usize);
        for group in parts.all(shape) {
            let to_all = |from: &u32| {
                let from = *from;
                group.iter().filter(move |to| **to != from).map(move |to| (from, *to))
            };
            messages.extend(group.iter().flat_map(to_all));
        }
        Ok(Self::Listed(messages))
    }

    /// Number of messages that are looked at.
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::Same(others) => others.len(),
            Self::Listed(listed) => listed.len(),
        }
    }
}

/// Sources and targets of a permute.
fn pairs(pairs: Option<&Pairs>, parts: &Parts, shape: Shape) -> Result<Vec<(u32, u32)>, CollectiveError> {
    let refused = |reason: String| CollectiveError::Pairs { reason };
    let (axis, by) = match (pairs, parts) {
        (Some(Pairs::List(list)), _) => return listed(list, parts, shape),
        (Some(Pairs::Shift { axis, by }), _) => (*axis, *by),
        (None, Parts::Boxes(factors)) => match factors.first() {
            Some(factor) => (factor.axis, 1),
            None => return Ok(Vec::new()),
        },
        (None, Parts::Lists(_)) => {
            return Err(refused("groups that lie on no axis have no next chip; list sources and targets".to_owned()));
        }
    };
    let Parts::Boxes(factors) = parts else {
        return Err(refused(
            "groups that lie on no axis cannot be shifted along one; list sources and targets".to_owned(),
        ));
    };
    let Some(factor) = factors.iter().find(|factor| factor.axis == axis) else {
        return Err(refused(format!("the groups have one chip along {}, so nothing moves along it", axis.name())));
    };
    let size = i64::from(factor.size);
    let moved = |chip: Coord| {
        let place = (i64::from(factor.place_of(chip)) + i64::from(by)).rem_euclid(size);
        (shape.index_of(chip) as u32, shape.index_of(factor.at(chip, place as u16)) as u32)
    };
    Ok(shape.coords().map(moved).filter(|(from, to)| from != to).collect())
}

fn listed(list: &[(usize, usize)], parts: &Parts, shape: Shape) -> Result<Vec<(u32, u32)>, CollectiveError> {
    let n_chips = shape.n_chips();
    let refused = |reason: String| CollectiveError::Pairs { reason };
    let (mut sends, mut receives) = (vec![false; n_chips], vec![false; n_chips]);
    let mut found = Vec::with_capacity(list.len());
    for (from, to) in list {
        for (device, seen, what) in [(*from, &mut sends, "sends"), (*to, &mut receives, "receives")] {
            match seen.get_mut(device) {
                None => {
                    return Err(refused(format!(
                        "there is no device {device}; the slice has {n_chips}, counted from 0"
                    )));
                }
                Some(seen) if *seen => return Err(refused(format!("device {device} {what} twice"))),
                Some(seen) => *seen = true,
            }
        }
        if !parts.are_together(shape, *from, *to) {
            return Err(refused(format!("devices {from} and {to} are in different groups")));
        }
        if from != to {
            found.push((*from as u32, *to as u32));
        }
    }
    Ok(found)
}

/// Which way round an axis a message goes where both are as short: positive in even turns.
pub(crate) fn turned(torus: &Torus, mut offset: [i32; 3], turn: usize) -> [i32; 3] {
    if turn.is_multiple_of(2) || torus.is_twisted() {
        return offset;
    }
    for axis in Axis::ALL {
        let hops = &mut offset[axis.index()];
        if torus.wrap()[axis.index()] && 2 * *hops == i32::from(torus.shape().along(axis)) {
            *hops = -*hops;
        }
    }
    offset
}

/// The wires of dimension-ordered ways, around what is broken.
pub(crate) struct Router<'a> {
    fabric: &'a Fabric,
    wires: &'a Wires,
    ways: usize,
    most: u32,
    at: Option<Coord>,
}

impl<'a> Router<'a> {
    pub(crate) const fn new(fabric: &'a Fabric, wires: &'a Wires) -> Self {
        Self { fabric, wires, ways: 0, most: 0, at: None }
    }

    /// The wires from chip to chip along x, then y, then z; a shortest way over what works where that is broken.
    pub(crate) fn way(&mut self, from: u32, to: u32, turn: usize) -> Result<Vec<u32>, NoRoute> {
        let (torus, shape) = (*self.wires.torus(), self.wires.shape());
        let (start, end) = (shape.coord_of(from as usize), shape.coord_of(to as usize));
        let offset = turned(&torus, torus.offset(start, end), turn);
        let mut way = Vec::new();
        let mut at = start;
        for axis in Axis::ALL {
            let hops = offset[axis.index()];
            let sign = if hops < 0 { Sign::Minus } else { Sign::Plus };
            for _ in 0..hops.unsigned_abs() {
                let wire = (N_SLOTS * shape.index_of(at) + slot(axis, sign)) as u32;
                let step = torus.step(at, axis, sign).filter(|_| self.wires.works(wire));
                let Some(step) = step else { return self.detour(from, to, at) };
                way.push(wire);
                at = step.to;
            }
        }
        Ok(way)
    }

    fn detour(&mut self, from: u32, to: u32, at: Coord) -> Result<Vec<u32>, NoRoute> {
        let way = self.wires.way(self.fabric, from as usize, to as usize)?;
        let shape = self.wires.shape();
        let straight = self.wires.torus().distance(shape.coord_of(from as usize), shape.coord_of(to as usize));
        self.ways += 1;
        self.most = self.most.max((way.len() as u32).saturating_sub(straight));
        self.at.get_or_insert(at);
        Ok(way)
    }

    /// What faults did to the ways that were asked for.
    pub(crate) fn degraded(&self) -> Option<Degraded> {
        let at = self.at?;
        Some(Degraded::Detour { axis: None, ways: self.ways, extra_hops: self.most, at })
    }
}

/// What messages load on each wire, for a message of one, and the hops of the longest.
pub(crate) struct Loads {
    pub(crate) by_wire: Vec<f64>,
    pub(crate) hops: u32,
    pub(crate) degraded: Option<Degraded>,
}

impl Loads {
    /// Of dimension-ordered ways; where both ways round are as short, half goes each way if messages are `split`.
    pub(crate) fn of(
        messages: &Messages,
        (fabric, wires): (&Fabric, &Wires),
        split: bool,
    ) -> Result<Self, CollectiveError> {
        match messages {
            Messages::Same(others) => Ok(Self::of_same(others, wires)),
            Messages::Listed(listed) => Self::of_listed(listed, (fabric, wires), split),
        }
    }

    fn of_same(others: &[u32], wires: &Wires) -> Self {
        let (torus, shape) = (wires.torus(), wires.shape());
        let (mut loads, mut longest) = (vec![0.0; wires.n_wires()], 0);
        for other in others {
            let offset = torus.offset(Coord::default(), shape.coord_of(*other as usize));
            longest = longest.max(offset.iter().map(|hops| hops.unsigned_abs()).sum());
            for turn in 0..2 {
                for (axis, hops) in Axis::ALL.into_iter().zip(turned(torus, offset, turn)) {
                    let sign = if hops < 0 { Sign::Minus } else { Sign::Plus };
                    loads[slot(axis, sign)] += f64::from(hops.abs()) / 2.0;
                }
            }
        }
        Self { by_wire: loads, hops: longest, degraded: None }
    }

    fn of_listed(
        listed: &[(u32, u32)],
        (fabric, wires): (&Fabric, &Wires),
        split: bool,
    ) -> Result<Self, CollectiveError> {
        let turns = if split { 2 } else { 1 };
        let (mut loads, mut hops, mut steps) = (vec![0.0; wires.n_wires()], 0, 0_u64);
        let mut router = Router::new(fabric, wires);
        for (from, to) in listed {
            for turn in 0..turns {
                let way = router.way(*from, *to, turn)?;
                for wire in &way {
                    loads[*wire as usize] += 1.0 / turns as f64;
                }
                hops = hops.max(way.len() as u32);
                steps += way.len() as u64;
            }
            if steps > MAX_EVENTS {
                let remedy = "choose a smaller slice or smaller groups";
                return Err(CollectiveError::TooManyEvents { events: steps as f64, max: MAX_EVENTS as f64, remedy });
            }
        }
        Ok(Self { by_wire: loads, hops, degraded: router.degraded() })
    }
}
