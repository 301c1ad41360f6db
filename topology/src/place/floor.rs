//! A pod as placement sees it: who has which chips, kept so that "does this box fit" costs no walk over its chips.

use std::collections::{BTreeMap, BTreeSet};

use super::{BlockedBy, Blocker, Fit, alignment, check_turned, turns};
use crate::chip::{Generation, Wiring};
use crate::fleet::{CUBE_SIDE, Place, Pod, SliceId, TeamId};
use crate::occupancy::cube_of;
use crate::shape::{Axis, Coord, Shape};
use crate::slice::n_cubes;

/// Chips of a cube.
pub(super) const CUBE_CHIPS: usize = CUBE_SIDE as usize * CUBE_SIDE as usize * CUBE_SIDE as usize;

/// A slice on a floor.
#[derive(Debug, Clone, PartialEq)]
pub struct Tenant {
    /// Name of the slice.
    pub id: SliceId,
    /// Owning team.
    pub team: Option<TeamId>,
    /// Size of the slice's own torus in chips.
    pub shape: Shape,
    /// Where it is.
    pub place: Place,
}

/// A box of chips: its first chip and its size in pod axes.
pub type Box3 = (Coord, Shape);

/// The chips of a pod with what is in the way at each, and counts of them for every box.
///
/// A chip is free if it works, is not held back and is in no slice. Links and optical switches that are down do not
/// take chips away.
#[derive(Debug, Clone)]
pub struct Floor<'a> {
    generation: &'a Generation,
    shape: Shape,
    base: Vec<Option<BlockedBy>>,
    owner: Vec<Option<u32>>,
    tenants: Vec<Option<Held>>,
    taken: Counted,
}

#[derive(Debug, Clone)]
struct Held {
    tenant: Tenant,
    chips: Vec<u32>,
}

impl<'a> Floor<'a> {
    /// The floor of a pod with its slices, faults and spares. Where slices overlap, the first has the chip.
    pub fn new(pod: &Pod, generation: &'a Generation) -> Self {
        let reason = |(broken, spare): (bool, bool)| match (broken, spare) {
            (true, _) => Some(BlockedBy::Broken),
            (false, true) => Some(BlockedBy::Spare),
            (false, false) => None,
        };
        let base: Vec<_> = pod.broken().into_iter().zip(pod.spare()).map(reason).collect();
        let mut floor = Self {
            generation,
            shape: pod.shape,
            owner: vec![None; base.len()],
            base,
            tenants: Vec::new(),
            taken: Counted::new(pod.shape),
        };
        for slice in &pod.slices {
            floor.own(Tenant {
                id: slice.id.clone(),
                team: slice.team.clone(),
                shape: slice.shape,
                place: slice.place.clone(),
            });
        }
        floor.count();
        floor
    }

    /// The generation of the pod.
    pub fn generation(&self) -> &'a Generation {
        self.generation
    }

    /// Size of the pod in chips.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether optical switches may join any cubes of the pod.
    pub fn joins_cubes(&self) -> bool {
        self.generation.wiring == Wiring::Cubes && self.shape.rank() == 3
    }

    /// Number of cubes of a slice that may lie on any free cubes; `None` if the slice must be one box of neighbours.
    pub fn joined_cubes(&self, shape: Shape) -> Option<usize> {
        n_cubes(shape).filter(|_| self.joins_cubes())
    }

    /// The slices, each with the number by which [`Self::lift`] knows it, in the order in which they were put there.
    pub fn tenants(&self) -> impl Iterator<Item = (usize, &Tenant)> {
        self.tenants.iter().enumerate().filter_map(|(i, held)| Some((i, &held.as_ref()?.tenant)))
    }

    /// Puts a slice on the floor and gives the number by which it is known; `None`, and nothing changes, if the place
    /// is not free.
    pub fn put(&mut self, tenant: Tenant) -> Option<usize> {
        if self.fits_place(tenant.shape, &tenant.place) != Fit::Fits {
            return None;
        }
        let number = self.own(tenant);
        self.count();
        Some(number)
    }

    /// Takes a slice off the floor; `None` if there is none of that number.
    pub fn lift(&mut self, number: usize) -> Option<Tenant> {
        let held = self.tenants.get_mut(number)?.take()?;
        for chip in held.chips {
            self.owner[chip as usize] = None;
        }
        self.count();
        Some(held.tenant)
    }

    /// Puts a slice that was lifted, or one at its new place, back under its old number; the caller knows that it fits.
    pub(super) fn restore(&mut self, number: usize, tenant: Tenant) {
        let chips = self.claim(number, &tenant);
        self.tenants[number] = Some(Held { tenant, chips });
        self.count();
    }

    fn own(&mut self, tenant: Tenant) -> usize {
        let number = self.tenants.len();
        let chips = self.claim(number, &tenant);
        self.tenants.push(Some(Held { tenant, chips }));
        number
    }

    fn claim(&mut self, number: usize, tenant: &Tenant) -> Vec<u32> {
        let mut chips = Vec::with_capacity(tenant.shape.n_chips());
        for chip in place_chips(&tenant.place).filter(|chip| self.shape.contains(*chip)) {
            let index = self.shape.index_of(chip);
            if self.owner[index].is_none() {
                self.owner[index] = Some(number as u32);
                chips.push(index as u32);
            }
        }
        chips
    }

    fn count(&mut self) {
        let (base, owner) = (&self.base, &self.owner);
        self.taken.recount(|chip| base[chip].is_some() || owner[chip].is_some());
    }

    /// Chips that a slice has, as row-major indices of the pod.
    pub(super) fn chips_of(&self, number: usize) -> &[u32] {
        self.tenants.get(number).and_then(Option::as_ref).map_or(&[], |held| &held.chips)
    }

    /// The number of the slice that has a chip.
    pub(super) fn owner_of(&self, chip: Coord) -> Option<usize> {
        self.owner[self.shape.index_of(chip)].map(|number| number as usize)
    }

    /// Whether a chip is down, in repair or held back, whoever has it.
    pub(super) fn is_unusable(&self, chip: Coord) -> bool {
        self.base[self.shape.index_of(chip)].is_some()
    }

    /// Makes chips unusable for all, such as those that are reserved for another.
    pub(super) fn block(&mut self, chips: impl Iterator<Item = Coord>, by: &BlockedBy) {
        for chip in chips.filter(|chip| self.shape.contains(*chip)) {
            self.base[self.shape.index_of(chip)].get_or_insert_with(|| by.clone());
        }
        self.count();
    }

    /// Free chips.
    pub fn n_free(&self) -> usize {
        self.shape.n_chips() - self.taken.all()
    }

    /// Free chips of a box, of which parts outside the pod are not free.
    pub(super) fn n_free_in(&self, (at, size): Box3) -> usize {
        let end = Axis::ALL.map(|axis| (at.along(axis) + size.along(axis)).min(self.shape.along(axis)));
        let n_inside = Axis::ALL.into_iter().map(|axis| usize::from(end[axis.index()].saturating_sub(at.along(axis))));
        n_inside.product::<usize>() - self.taken.within(at.into(), end)
    }

    /// Chips of a box that are not free; the box lies inside the pod.
    pub(super) fn n_taken_in(&self, (at, size): Box3) -> usize {
        self.taken.within(at.into(), Axis::ALL.map(|axis| at.along(axis) + size.along(axis)))
    }

    /// Cubes of which all chips are free, in row-major order; none in a flat pod.
    pub fn free_cubes(&self) -> Vec<Coord> {
        let cubes = self.cube_lattice().map(Shape::coords).into_iter().flatten();
        cubes.filter(|cube| self.n_free_in(cube_box(*cube)) == CUBE_CHIPS).collect()
    }

    /// The lattice of cubes, where an incomplete cube at an edge counts.
    pub(super) fn cube_lattice(&self) -> Option<Shape> {
        let [x, y, z] = self.shape.sizes3().map(|size| size.div_ceil(CUBE_SIDE));
        (self.shape.rank() == 3).then(|| Shape::solid(x, y, z))
    }

    /// Whether a box fits with its first chip at a place. A box that fits is answered by one look-up; only for one that
    /// does not are its chips looked at, to say what is in the way.
    pub fn fits(&self, size: Shape, at: Coord) -> Fit {
        if let Err(illegal) = check_turned(self.generation, size) {
            return Fit::NotLegal(illegal);
        }
        let end = |axis: Axis| u32::from(at.along(axis)) + u32::from(size.along(axis));
        if Axis::ALL.into_iter().any(|axis| end(axis) > u32::from(self.shape.along(axis))) {
            return Fit::Outside;
        }
        let step = alignment(self.generation, size);
        if Axis::ALL.into_iter().any(|axis| !at.along(axis).is_multiple_of(step.along(axis))) {
            return Fit::Misaligned(step);
        }
        if self.n_taken_in((at, size)) == 0 { Fit::Fits } else { self.blockers(box_chips((at, size))) }
    }

    /// Whether a slice fits at a place: one box of its shape, perhaps turned, or as many cubes as it needs.
    pub fn fits_place(&self, shape: Shape, place: &Place) -> Fit {
        match place {
            Place::Block { at, size } if turns(shape).contains(size) => self.fits(*size, *at),
            Place::Block { .. } => Fit::Outside,
            Place::Cubes(cubes) => {
                if let Err(illegal) = check_turned(self.generation, shape) {
                    return Fit::NotLegal(illegal);
                }
                let known: BTreeSet<&Coord> = cubes.iter().collect();
                let whole = |cube: &Coord| {
                    self.shape.rank() == 3
                        && Axis::ALL.into_iter().all(|axis| cube.along(axis) < self.shape.along(axis) / CUBE_SIDE)
                };
                if self.joined_cubes(shape) != Some(known.len())
                    || known.len() < cubes.len()
                    || !cubes.iter().all(whole)
                {
                    return Fit::Outside;
                }
                match self.blockers(place_chips(place)) {
                    Fit::Taken(blockers) if blockers.is_empty() => Fit::Fits,
                    fit => fit,
                }
            }
        }
    }

    fn blockers(&self, chips: impl Iterator<Item = Coord>) -> Fit {
        let cubes = self.shape.rank() == 3;
        let mut cells: BTreeMap<BlockedBy, BTreeSet<Coord>> = BTreeMap::new();
        for chip in chips {
            if let Some(by) = self.blocked_by(chip) {
                cells.entry(by).or_default().insert(if cubes { cube_of(chip) } else { chip });
            }
        }
        let blocker = |(by, cells): (BlockedBy, BTreeSet<Coord>)| Blocker { by, n_cells: cells.len(), cubes };
        Fit::Taken(cells.into_iter().map(blocker).collect())
    }

    /// What is in the way at a chip of the pod.
    pub fn blocked_by(&self, chip: Coord) -> Option<BlockedBy> {
        let slice = self.owner_of(chip).and_then(|number| self.tenants[number].as_ref());
        slice.map(|held| BlockedBy::Slice(held.tenant.id.clone())).or_else(|| {
            let index = self.shape.index_of(chip);
            self.base[index].clone()
        })
    }

    /// All boxes inside the pod where a shape may lie as far as alignment goes, free or not: the untouched form first,
    /// then the turned ones, each in row-major order.
    pub(super) fn berths(&self, shape: Shape) -> impl Iterator<Item = Box3> + use<> {
        Self::berths_of(self.generation, self.shape, shape)
    }

    /// The same inside any box that starts at an aligned position, seen from there.
    pub(super) fn berths_of(
        generation: &Generation,
        within: Shape,
        shape: Shape,
    ) -> impl Iterator<Item = Box3> + use<> {
        let fitting = turns(shape).into_iter().filter(|size| {
            size.rank() == within.rank() && Axis::ALL.into_iter().all(|axis| size.along(axis) <= within.along(axis))
        });
        let steps: Vec<(Shape, Shape)> = fitting.map(|size| (size, alignment(generation, size))).collect();
        steps.into_iter().flat_map(move |(size, step)| {
            let [x, y, z] = Axis::ALL.map(|axis| (within.along(axis) - size.along(axis)) / step.along(axis) + 1);
            let place = move |cell: Coord| {
                let [x, y, z] = Axis::ALL.map(|axis| cell.along(axis) * step.along(axis));
                (Coord::new(x, y, z), size)
            };
            Shape::solid(x, y, z).coords().map(place)
        })
    }

    /// Whether a box lies inside the pod and all its chips are free.
    pub(super) fn is_free_inside(&self, (at, size): Box3) -> bool {
        Axis::ALL.into_iter().all(|axis| at.along(axis) + size.along(axis) <= self.shape.along(axis))
            && self.n_taken_in((at, size)) == 0
    }

    /// All boxes where a shape fits now, in the order of the untouched form first, then row-major.
    pub fn free_boxes(&self, shape: Shape) -> impl Iterator<Item = Box3> {
        let legal = check_turned(self.generation, shape).is_ok();
        self.berths(shape).filter(move |berth| legal && self.n_taken_in(*berth) == 0)
    }

    /// Faces of chips of a box beyond which there is no free chip: the more, the tighter it lies. Walls are the edges of
    /// the pod, and of the cubes of a side where one is given.
    pub(super) fn contact(&self, (at, size): Box3, side: Option<u16>) -> usize {
        let (from, end) = (<[u16; 3]>::from(at), Axis::ALL.map(|axis| at.along(axis) + size.along(axis)));
        let is_wall = |place: u16| side.is_some_and(|side| place.is_multiple_of(side));
        let mut contact = 0;
        for axis in self.shape.axes() {
            let i = axis.index();
            let face = size.n_chips() / usize::from(size.along(*axis));
            let slab = |first: u16| {
                let (mut from, mut end) = (from, end);
                (from[i], end[i]) = (first, first + 1);
                self.taken.within(from, end)
            };
            let below = from[i].checked_sub(1).filter(|_| !is_wall(from[i]));
            contact += below.map_or(face, slab);
            contact += if end[i] < self.shape.along(*axis) && !is_wall(end[i]) { slab(end[i]) } else { face };
        }
        contact
    }
}

/// The chips of a place as pod coordinates.
pub(super) fn place_chips(place: &Place) -> Box<dyn Iterator<Item = Coord> + '_> {
    match place {
        Place::Block { at, size } => Box::new(box_chips((*at, *size))),
        Place::Cubes(cubes) => {
            Box::new(cubes.iter().filter(|cube| in_reach(**cube)).flat_map(|c| box_chips(cube_box(*c))))
        }
    }
}

/// Whether the chips of a cube have coordinates at all.
fn in_reach(cube: Coord) -> bool {
    Axis::ALL.into_iter().all(|axis| cube.along(axis) < u16::MAX / CUBE_SIDE)
}

/// The chips of a box in row-major order; those beyond the largest coordinate are left out.
pub(super) fn box_chips((at, size): Box3) -> impl Iterator<Item = Coord> {
    size.coords().filter_map(move |own| {
        let along = |axis| at.along(axis).checked_add(own.along(axis));
        Some(Coord::new(along(Axis::X)?, along(Axis::Y)?, along(Axis::Z)?))
    })
}

/// The chips of a cube that lies within reach of coordinates.
pub(super) fn cube_box(cube: Coord) -> Box3 {
    let [x, y, z] = Axis::ALL.map(|axis| cube.along(axis) * CUBE_SIDE);
    (Coord::new(x, y, z), Shape::solid(CUBE_SIDE, CUBE_SIDE, CUBE_SIDE))
}

/// Marked chips of a lattice, counted so that the number in any box is eight look-ups (a summed-area table:
/// Crow, SIGGRAPH 1984, in three dimensions).
#[derive(Debug, Clone)]
pub(super) struct Counted {
    sizes: [usize; 3],
    /// Marks in the box from the origin to a corner, for every corner, x fastest.
    sums: Vec<u32>,
}

impl Counted {
    /// No marks.
    pub(super) fn new(shape: Shape) -> Self {
        let sizes = shape.sizes3().map(usize::from);
        let [x, y, z] = sizes.map(|size| size + 1);
        Self { sizes, sums: vec![0; x * y * z] }
    }

    /// Marks chips by their row-major index.
    pub(super) fn recount(&mut self, is_marked: impl Fn(usize) -> bool) {
        let [nx, ny, nz] = self.sizes;
        let (row, plane) = (nx + 1, (nx + 1) * (ny + 1));
        let mut chip = 0;
        for z in 1..=nz {
            for y in 1..=ny {
                let start = z * plane + y * row;
                let mut along_row = 0;
                for corner in start + 1..=start + nx {
                    along_row += u32::from(is_marked(chip));
                    chip += 1;
                    self.sums[corner] = along_row + self.sums[corner - row] + self.sums[corner - plane]
                        - self.sums[corner - row - plane];
                }
            }
        }
    }

    /// Marks in the box from one corner to before another.
    pub(super) fn within(&self, from: [u16; 3], end: [u16; 3]) -> usize {
        let row = self.sizes[0] + 1;
        let plane = row * (self.sizes[1] + 1);
        let sum = |x: u16, y: u16, z: u16| self.sums[usize::from(x) + usize::from(y) * row + usize::from(z) * plane];
        let face = |z: u16| {
            sum(end[0], end[1], z) + sum(from[0], from[1], z) - sum(from[0], end[1], z) - sum(end[0], from[1], z)
        };
        (face(end[2]) - face(from[2])) as usize
    }

    fn all(&self) -> usize {
        self.sums.last().map_or(0, |sum| *sum as usize)
    }
}
