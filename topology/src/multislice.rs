//! Several slices of one shape that work on one job over the data-centre network.

use crate::shape::{Coord, Shape};

/// Chips of one slice that the numbering has room for.
const MAX_SLICE_CHIPS: usize = 100_000;

/// Slices of one shape, joined by the data-centre network: inside a slice messages go over ICI, between them they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Multislice {
    shape: Shape,
    n_slices: u32,
}

/// A chip of one of several slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SliceChip {
    /// Which slice, counted from 0.
    pub slice: u32,
    /// The chip in its slice.
    pub chip: Coord,
}

impl Multislice {
    /// A number of slices of a shape; `None` for no slice, or more chips in a slice than device numbers allow (100,000).
    pub const fn new(shape: Shape, n_slices: u32) -> Option<Self> {
        if n_slices == 0 || shape.n_chips() > MAX_SLICE_CHIPS {
            return None;
        }
        Some(Self { shape, n_slices })
    }

    /// Shape of each slice.
    pub const fn shape(self) -> Shape {
        self.shape
    }

    /// Number of slices.
    pub const fn n_slices(self) -> u32 {
        self.n_slices
    }

    /// Chips of all slices.
    pub const fn n_chips(self) -> usize {
        self.n_slices as usize * self.shape.n_chips()
    }

    /// All chips, slice by slice, in device order.
    pub fn chips(self) -> impl Iterator<Item = SliceChip> {
        (0..self.n_slices).flat_map(move |slice| self.shape.coords().map(move |chip| SliceChip { slice, chip }))
    }

    /// Number of a chip's device where a chip is one device: (slice + 1) · 100,000 + row-major index, as the TPU runtime
    /// numbers them.
    ///
    /// # Panics
    /// If the chip lies outside.
    pub fn device_of(self, at: SliceChip) -> u64 {
        assert!(at.slice < self.n_slices, "the slice is one of them");
        (u64::from(at.slice) + 1) * MAX_SLICE_CHIPS as u64 + self.shape.index_of(at.chip) as u64
    }

    /// The chip of a device number; `None` where there is none.
    pub fn chip_of(self, device: u64) -> Option<SliceChip> {
        let slice = (device / MAX_SLICE_CHIPS as u64).checked_sub(1)?;
        let slice = u32::try_from(slice).ok().filter(|slice| *slice < self.n_slices)?;
        let index = (device % MAX_SLICE_CHIPS as u64) as usize;
        (index < self.shape.n_chips()).then(|| SliceChip { slice, chip: self.shape.coord_of(index) })
    }

    /// Whether a message between two chips leaves ICI.
    pub const fn crosses_network(self, a: SliceChip, b: SliceChip) -> bool {
        a.slice != b.slice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_numbers_say_the_slice_and_the_chip() {
        let two = Multislice::new(Shape::solid(4, 4, 8), 2).unwrap();
        let numbers: Vec<u64> = two.chips().map(|chip| two.device_of(chip)).collect();
        assert_eq!((numbers.len(), numbers[0], numbers[128]), (two.n_chips(), 100_000, 200_000));
        assert!(two.chips().zip(numbers).all(|(chip, number)| two.chip_of(number) == Some(chip)));
        for nothing in [0, 99_999, 100_128, 300_000, u64::MAX] {
            assert_eq!(two.chip_of(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn only_chips_of_different_slices_leave_ici() {
        let two = Multislice::new(Shape::flat(4, 4), 2).unwrap();
        let at = |slice, x| SliceChip { slice, chip: Coord::new(x, 0, 0) };
        assert!(two.crosses_network(at(0, 1), at(1, 1)) && !two.crosses_network(at(1, 0), at(1, 3)));
        assert!(Multislice::new(Shape::flat(4, 4), 0).is_none());
    }
}
