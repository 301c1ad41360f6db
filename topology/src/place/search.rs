//! Where a slice fits best, or why it fits nowhere.

use std::cmp::Reverse;
use std::fmt;

use super::floor::{Box3, CUBE_CHIPS, Floor, cube_box};
use super::slice_shape;
use crate::fleet::Place;
use crate::occupancy::cube_of;
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

impl Floor<'_> {
    /// The preferred place of a slice among all where it fits now.
    ///
    /// 1. A box of neighbouring chips before scattered cubes. Of the boxes inside a cube the one in the fullest cube, so
    ///    that whole cubes stay whole; then the one with most faces against something that is not free; then the first,
    ///    untouched before turned.
    /// 2. Where no box is free and switches join cubes: the free cubes nearest to one of them, in hops between cubes on
    ///    the pod's lattice (which is how far apart the racks are, not a network distance), for the one that makes the
    ///    sum smallest.
    ///
    /// # Errors
    /// If it fits nowhere.
    pub fn best(&self, shape: Shape) -> Result<Place, NoRoom> {
        if let Err(illegal) = slice_shape(self.generation(), shape) {
            return Err(NoRoom::NotLegal(illegal));
        }
        if let Some((at, size)) = self.tightest(self.free_boxes(shape)) {
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

    /// The box that lies tightest, the first of equals.
    pub(super) fn tightest(&self, boxes: impl Iterator<Item = Box3>) -> Option<Box3> {
        boxes.min_by_key(|berth| (self.room_around(*berth), Reverse(self.contact(*berth))))
    }

    /// Free chips of the cube around a box that is smaller than a cube; 0 for others.
    fn room_around(&self, (at, size): Box3) -> usize {
        let inside = self.joins_cubes() && size.n_chips() < CUBE_CHIPS;
        if inside { self.n_free_in(cube_box(cube_of(at))) } else { 0 }
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
