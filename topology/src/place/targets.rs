//! What must be clear so that a slice fits: one box, or so many cubes.

use std::collections::{BTreeMap, BTreeSet};

use super::floor::{Box3, CUBE_CHIPS, Floor, box_chips, cube_box};
use crate::fleet::{CUBE_SIDE, Place};
use crate::occupancy::cube_of;
use crate::shape::{Axis, Coord, Shape};

/// Most sets of cubes that are looked at.
const MAX_SETS: usize = 4_000;
/// Most targets that the greedy search looks at.
const MAX_GREEDY: usize = 64;

/// Chips that must be clear, and what is in the way there.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// One box, or whole cubes.
    boxes: Vec<Box3>,
    n_slices: usize,
    n_chips: usize,
}

impl Target {
    /// Whether a box reaches into it.
    pub(super) fn touches(&self, other: Box3) -> bool {
        self.boxes.iter().any(|own| overlaps(*own, other))
    }

    /// The place that it gives.
    pub(super) fn place(&self) -> Place {
        match *self.boxes.as_slice() {
            [(at, size)] => Place::Block { at, size },
            _ => Place::Cubes(self.boxes.iter().map(|(at, _)| cube_of(*at)).collect()),
        }
    }
}

/// Whether two boxes have a chip in common.
fn overlaps((a, a_size): Box3, (b, b_size): Box3) -> bool {
    Axis::ALL.into_iter().all(|axis| {
        let (a, b) = (a.along(axis), b.along(axis));
        a < b + b_size.along(axis) && b < a + a_size.along(axis)
    })
}

/// The targets of a slice, those with few slices in the way first.
pub(super) enum Targets {
    /// Boxes, by slices in the way, then by their chips.
    Boxes(Vec<Target>),
    /// Sets of cubes.
    Cubes(CubeSets),
}

/// Cubes of which a number must be clear.
pub(super) struct CubeSets {
    n_needed: usize,
    free: Vec<Coord>,
    /// Cubes that moves can clear: slices in the way, their chips, the cube; few first.
    partial: Vec<(usize, usize, Coord)>,
    is_cut_off: bool,
}

impl Targets {
    /// The targets of a slice if only some slices move; `None` if there is none.
    pub(super) fn new(floor: &Floor<'_>, shape: Shape, movable: &[usize]) -> Option<Self> {
        let movable: BTreeSet<usize> = movable.iter().copied().collect();
        if let Some(n_needed) = floor.joined_cubes(shape) {
            return CubeSets::new(floor, n_needed, &movable).map(Self::Cubes);
        }
        let mut boxes: Vec<Target> =
            floor.berths(shape).filter_map(|berth| box_target(floor, berth, &movable)).collect();
        boxes.sort_by_key(|target| (target.n_slices, target.n_chips));
        (!boxes.is_empty()).then_some(Self::Boxes(boxes))
    }

    /// Those with at most so many slices in the way.
    pub(super) fn up_to(&mut self, n_slices: usize) -> Vec<Target> {
        match self {
            Self::Boxes(boxes) => boxes.iter().take_while(|target| target.n_slices <= n_slices).cloned().collect(),
            Self::Cubes(sets) => sets.up_to(n_slices),
        }
    }

    /// Slices in the way of the target with the fewest: no plan has fewer moves.
    pub(super) fn fewest_slices(&self) -> usize {
        match self {
            Self::Boxes(boxes) => boxes.first().map_or(0, |target| target.n_slices),
            Self::Cubes(sets) => sets.partial.iter().take(sets.n_missing()).map(|(n_slices, _, _)| n_slices).sum(),
        }
    }

    /// Whether [`Self::up_to`] left some out.
    pub(super) fn is_cut_off(&self) -> bool {
        matches!(self, Self::Cubes(sets) if sets.is_cut_off)
    }

    /// Those with the fewest chips to move.
    pub(super) fn cheapest(&self) -> Vec<Target> {
        match self {
            Self::Boxes(boxes) => {
                let mut boxes = boxes.clone();
                boxes.sort_by_key(|target| (target.n_chips, target.n_slices));
                boxes.truncate(MAX_GREEDY);
                boxes
            }
            Self::Cubes(sets) => {
                let mut partial = sets.partial.clone();
                partial.sort_by_key(|(n_slices, n_chips, _)| (*n_chips, *n_slices));
                partial.truncate(sets.n_missing());
                vec![sets.target(&partial)]
            }
        }
    }
}

/// A box, unless something is in the way that stays.
fn box_target(floor: &Floor<'_>, berth: Box3, movable: &BTreeSet<usize>) -> Option<Target> {
    let owners = movable_owners(floor, berth, movable)?;
    let n_chips = owners.keys().map(|number| floor.chips_of(*number).len()).sum();
    Some(Target { boxes: vec![berth], n_slices: owners.len(), n_chips })
}

/// The slices in a box with how many chips they have there; `None` if something is in the way that stays.
fn movable_owners(floor: &Floor<'_>, berth: Box3, movable: &BTreeSet<usize>) -> Option<BTreeMap<usize, usize>> {
    let mut owners = BTreeMap::new();
    for chip in box_chips(berth) {
        if floor.is_unusable(chip) {
            return None;
        }
        if let Some(owner) = floor.owner_of(chip) {
            *owners.entry(movable.get(&owner).copied()?).or_default() += 1;
        }
    }
    Some(owners)
}

impl CubeSets {
    fn new(floor: &Floor<'_>, n_needed: usize, movable: &BTreeSet<usize>) -> Option<Self> {
        let free = floor.free_cubes();
        let mut partial = Vec::new();
        for cube in floor.cube_lattice().map(Shape::coords).into_iter().flatten() {
            let whole = Axis::ALL.into_iter().all(|axis| cube.along(axis) < floor.shape().along(axis) / CUBE_SIDE);
            let Some(owners) = whole.then(|| movable_owners(floor, cube_box(cube), movable)).flatten() else {
                continue;
            };
            if !owners.is_empty() {
                partial.push((owners.len(), owners.values().sum(), cube));
            }
        }
        partial.sort_by_key(|(n_slices, n_chips, cube)| (*n_slices, *n_chips, cube.z, cube.y, cube.x));
        // What is to be cleared must find room in what stays, at best filling it without a gap.
        let n_free_chips = partial.iter().map(|(_, n_chips, _)| CUBE_CHIPS - n_chips).sum::<usize>();
        let sets = Self { n_needed, free, partial, is_cut_off: false };
        let n_elsewhere = floor.n_free() - n_free_chips - sets.free.len() * CUBE_CHIPS;
        let n_possible = sets.free.len() + sets.partial.len().min((n_free_chips + n_elsewhere) / CUBE_CHIPS);
        (n_possible >= n_needed).then_some(sets)
    }

    /// Cubes that must be cleared at least.
    fn n_missing(&self) -> usize {
        self.n_needed.saturating_sub(self.free.len())
    }

    /// As many cubes as are needed: some that must be cleared, and of those that are free the first.
    fn target(&self, cleared: &[(usize, usize, Coord)]) -> Target {
        let free = self.free.iter().copied().take(self.n_needed - cleared.len());
        let mut cubes: Vec<Coord> = cleared.iter().map(|(_, _, cube)| *cube).chain(free).collect();
        cubes.sort_by_key(|cube| (cube.z, cube.y, cube.x));
        Target {
            boxes: cubes.into_iter().map(cube_box).collect(),
            n_slices: cleared.iter().map(|(n_slices, _, _)| n_slices).sum(),
            n_chips: cleared.iter().map(|(_, n_chips, _)| n_chips).sum(),
        }
    }

    fn up_to(&mut self, n_slices: usize) -> Vec<Target> {
        let mut chosen = Choice { sets: self, cubes: Vec::new(), found: Vec::new(), is_full: false };
        for n_cubes in self.n_missing()..=self.n_needed.min(self.partial.len()) {
            let n_before = chosen.found.len();
            chosen.add(0, n_cubes, n_slices);
            if chosen.found.len() == n_before {
                break;
            }
        }
        let Choice { mut found, is_full, .. } = chosen;
        found.sort_by_key(|target| (target.n_slices, target.n_chips));
        self.is_cut_off |= is_full;
        found
    }
}

/// Sets of cubes that are being listed.
struct Choice<'s> {
    sets: &'s CubeSets,
    cubes: Vec<(usize, usize, Coord)>,
    found: Vec<Target>,
    is_full: bool,
}

impl Choice<'_> {
    /// Lists the sets of so many more cubes, from one on, with at most so many slices in the way.
    fn add(&mut self, from: usize, n_cubes: usize, n_slices: usize) {
        if n_cubes == 0 {
            self.found.push(self.sets.target(&self.cubes));
            self.is_full = self.found.len() >= MAX_SETS;
            return;
        }
        for (i, cube) in self.sets.partial.iter().enumerate().skip(from) {
            // Sorted: if so many like this one are too many, later ones are too.
            if self.is_full || cube.0 * n_cubes > n_slices {
                break;
            }
            self.cubes.push(*cube);
            self.add(i + 1, n_cubes - 1, n_slices - cube.0);
            self.cubes.pop();
        }
    }
}
