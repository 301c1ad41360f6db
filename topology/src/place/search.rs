//! Where a slice fits best, or why it fits nowhere.

use std::cmp::Reverse;
use std::fmt;

use super::check_turned;
use super::floor::{Box3, CUBE_CHIPS, Floor, cube_box};
use crate::fleet::{CUBE_SIDE, Place};
use crate::rules::IllegalShape;
use crate::shape::{Axis, Coord, Shape};

/// Why a slice has no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRoom {
    /// The generation has no such slice.
    NotLegal(IllegalShape),
    /// Even the empty pod would not hold it.
    LargerThanPod,
    /// There are not so many free chips.
    TooFew {
        /// Chips that it needs.
        needed: usize,
        /// Chips that are free.
        free: usize,
    },
    /// The free chips lie so that it fits nowhere; moving others may help.
    Scattered {
        /// Chips that are free.
        free: usize,
        /// Whole cubes that are free and are needed, where optical switches join cubes.
        cubes: Option<(usize, usize)>,
    },
}

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLegal(illegal) => write!(f, "{illegal}"),
            Self::LargerThanPod => f.write_str("it is larger than the pod"),
            Self::TooFew { needed, free } => write!(f, "it needs {needed} chips, {free} are free"),
            Self::Scattered { cubes: Some((free, needed)), .. } => {
                write!(f, "it needs {needed} whole free cubes, there are {free}")
            }
            Self::Scattered { free, cubes: None } => {
                write!(f, "{free} chips are free, but not as one box where it may lie")
            }
        }
    }
}

impl std::error::Error for NoRoom {}

impl Floor<'_> {
    /// The preferred place of a slice among all where it fits now.
    ///
    /// 1. A box of neighbouring chips before scattered cubes. Of the boxes inside a cube the one in the fullest cube, so
    ///    that whole cubes stay whole; then the one with most faces of chips against something that is not free, the
    ///    edge of the pod (or of the cube) included; then the first.
    /// 2. Where no box is free and switches join cubes: the free cubes nearest to one of them, in hops between cubes on
    ///    the pod's lattice (which is how far apart the racks are, not a network distance), for the one that makes the
    ///    sum smallest.
    ///
    /// # Errors
    /// If it fits nowhere.
    pub fn best(&self, shape: Shape) -> Result<Place, NoRoom> {
        if let Err(illegal) = check_turned(self.generation(), shape) {
            return Err(NoRoom::NotLegal(illegal));
        }
        if let Some((at, size)) = self.tightest(shape, |_| true) {
            return Ok(Place::Block { at, size });
        }
        let needed = self.joined_cubes(shape);
        let Some(needed) = needed else { return Err(self.no_box(shape)) };
        let free = self.free_cubes();
        match compact(&free, needed) {
            Some(cubes) => Ok(Place::Cubes(cubes)),
            None if needed * CUBE_CHIPS > self.shape().n_chips() => Err(NoRoom::LargerThanPod),
            None => Err(self.too_few(shape, Some((free.len(), needed)))),
        }
    }

    /// The free box that lies tightest of those that are allowed, the first of equals.
    pub(super) fn tightest(&self, shape: Shape, is_allowed: impl Fn(Box3) -> bool) -> Option<Box3> {
        let in_cube = shape.n_chips() < CUBE_CHIPS && shape.sizes3().iter().all(|size| CUBE_SIDE.is_multiple_of(*size));
        if self.joins_cubes() && in_cube {
            return self.tightest_in_cube(shape, is_allowed);
        }
        let boxes = self.free_boxes(shape).filter(|berth| is_allowed(*berth));
        boxes.min_by_key(|berth| Reverse(self.contact(*berth, None)))
    }

    /// The same for a slice inside a cube: cubes are looked at from the fullest on, and cubes that are as full together.
    /// Of empty cubes only the first that is allowed is looked at, since they are alike.
    fn tightest_in_cube(&self, shape: Shape, is_allowed: impl Fn(Box3) -> bool) -> Option<Box3> {
        let cubes = self.cube_lattice().map(Shape::coords).into_iter().flatten();
        let mut cubes: Vec<(usize, Coord)> = cubes.map(|cube| (self.n_free_in(cube_box(cube)), cube)).collect();
        cubes.retain(|(n_free, _)| *n_free >= shape.n_chips());
        cubes.sort_by_key(|(n_free, _)| *n_free);
        let (side, berths) = (CUBE_SIDE, Self::berths_of(self.generation(), cube_box(Coord::default()).1, shape));
        let berths: Vec<Box3> = berths.collect();
        cubes.chunk_by(|(a, _), (b, _)| a == b && *a < CUBE_CHIPS).find_map(|alike| {
            let boxes = alike.iter().flat_map(|(_, cube)| {
                let corner = cube_box(*cube).0;
                let place = |(at, size): &Box3| (Coord::new(corner.x + at.x, corner.y + at.y, corner.z + at.z), *size);
                berths.iter().map(place).collect::<Vec<_>>()
            });
            let free = boxes.filter(|berth| self.is_free_inside(*berth) && is_allowed(*berth));
            free.min_by_key(|berth| Reverse(self.contact(*berth, Some(side))))
        })
    }

    fn no_box(&self, shape: Shape) -> NoRoom {
        if self.berths(shape).next().is_none() { NoRoom::LargerThanPod } else { self.too_few(shape, None) }
    }

    fn too_few(&self, shape: Shape, cubes: Option<(usize, usize)>) -> NoRoom {
        let (needed, free) = (shape.n_chips(), self.n_free());
        if free < needed { NoRoom::TooFew { needed, free } } else { NoRoom::Scattered { free, cubes } }
    }
}

/// The `n` cubes of some in row-major order that lie nearest to one of them, in row-major order; `None` if there are
/// fewer. Of equals the one around the first cube, and the first cubes of the outermost distance.
fn compact(free: &[Coord], n: usize) -> Option<Vec<Coord>> {
    let distance = |a: Coord, b: Coord| -> usize {
        Axis::ALL.into_iter().map(|axis| usize::from(a.along(axis).abs_diff(b.along(axis)))).sum()
    };
    let reach = |seed: Coord| {
        let mut distances: Vec<usize> = free.iter().map(|cube| distance(seed, *cube)).collect();
        if n < distances.len() {
            distances.select_nth_unstable(n);
        }
        distances.iter().take(n).sum::<usize>()
    };
    let seed = free.iter().copied().filter(|_| n <= free.len()).min_by_key(|seed| reach(*seed))?;
    let mut cubes = free.to_vec();
    cubes.sort_by_key(|cube| distance(seed, *cube));
    cubes.truncate(n);
    cubes.sort_by_key(|cube| (cube.z, cube.y, cube.x));
    Some(cubes)
}
