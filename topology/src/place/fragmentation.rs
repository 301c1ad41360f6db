//! How much of what is free can be used as one slice.

use super::floor::{Floor, box_chips};
use crate::rules::legal_shapes;
use crate::shape::Shape;
use crate::units::Fraction;

/// How the free chips of a pod lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Fragmentation {
    /// Free chips.
    pub n_free: usize,
    /// The largest legal slice that fits now, the most cubic of equals.
    pub largest: Option<Shape>,
    /// The largest legal slice of at most so many chips as are free that the empty pod would hold.
    pub ideal: Option<Shape>,
}

impl Fragmentation {
    /// One minus the chips of the largest slice that fits over the free chips: the share of what is free that no single
    /// slice can use. Absent if nothing is free.
    pub fn unusable(&self) -> Option<Fraction> {
        let largest = self.largest.map_or(0, Shape::n_chips);
        (self.n_free > 0).then(|| Fraction::clamped(1.0 - largest as f64 / self.n_free as f64))
    }

    /// One minus the chips of the largest slice that fits over those of the largest that would fit if the free chips lay
    /// together: the part of [`Self::unusable`] that moving slices may cure. Absent if nothing legal is so small.
    pub fn curable(&self) -> Option<Fraction> {
        let largest = self.largest.map_or(0, Shape::n_chips);
        self.ideal.map(|ideal| Fraction::clamped(1.0 - largest as f64 / ideal.n_chips() as f64))
    }
}

/// Room for slices of one shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The shape.
    pub shape: Shape,
    /// Free boxes of it, which may overlap; boxes of the same chips count once.
    pub n_boxes: usize,
    /// Slices of it that fit at the same time. Exact where switches join cubes; elsewhere by filling from the first chip
    /// on, which more clever packing may beat.
    pub n_at_once: usize,
}

impl Floor<'_> {
    /// How the free chips lie.
    pub fn fragmentation(&self) -> Fragmentation {
        let n_free = self.n_free();
        let legal: Vec<Shape> = self.legal_shapes_by_size().into_iter().filter(|s| s.n_chips() <= n_free).collect();
        let n_free_cubes = self.free_cubes().len();
        let fits_now = |shape: &Shape| match self.joined_cubes(*shape) {
            Some(needed) => needed <= n_free_cubes,
            None => self.free_boxes(*shape).next().is_some(),
        };
        let whole_pod = |shape: &Shape| self.joined_cubes(*shape).is_some() || self.berths(*shape).next().is_some();
        Fragmentation {
            n_free,
            largest: legal.iter().copied().find(fits_now),
            ideal: legal.iter().copied().find(whole_pod),
        }
    }

    /// The legal shapes, largest first and of equals the most cubic first.
    pub(super) fn legal_shapes_by_size(&self) -> Vec<Shape> {
        let mut shapes: Vec<Shape> = legal_shapes(self.generation()).into_iter().map(|legal| legal.shape).collect();
        let sum = |shape: &Shape| shape.sizes3().into_iter().map(u32::from).sum::<u32>();
        shapes.sort_by_key(|shape| (std::cmp::Reverse(shape.n_chips()), sum(shape), shape.sizes3()));
        shapes
    }

    /// Room for every legal shape that the pod could hold, largest first.
    pub fn rooms(&self) -> Vec<Room> {
        let n_free_cubes = self.free_cubes().len();
        let mut rooms = Vec::new();
        for shape in self.legal_shapes_by_size() {
            let joined = self.joined_cubes(shape);
            if joined.is_none() && self.berths(shape).next().is_none() {
                continue;
            }
            let n_at_once = joined.map_or_else(|| self.n_packed(shape), |needed| n_free_cubes / needed);
            rooms.push(Room { shape, n_boxes: self.free_boxes(shape).count(), n_at_once });
        }
        rooms
    }

    /// Boxes of a shape that fit beside each other when each takes the first free place.
    fn n_packed(&self, shape: Shape) -> usize {
        let pod = self.shape();
        let mut own = vec![false; pod.n_chips()];
        let mut n = 0;
        for berth in self.free_boxes(shape) {
            if box_chips(berth).any(|chip| own[pod.index_of(chip)]) {
                continue;
            }
            for chip in box_chips(berth) {
                own[pod.index_of(chip)] = true;
            }
            n += 1;
        }
        n
    }
}
