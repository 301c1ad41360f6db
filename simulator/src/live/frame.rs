//! One moment of a fleet: per pod, columns of one number per chip.

use topology::fleet::PodId;
use topology::shape::Axis;

/// What a column holds; each is a share from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// Operations of the matrix units, of those that their dense peak in the job's number format allows.
    TensorCore,
    /// Time in which the chip computes or moves its own data rather than waits for others.
    DutyCycle,
    /// Main-memory traffic, of the nominal bandwidth.
    HbmBandwidth,
    /// Main memory in use, of what programs can use.
    HbmUsed,
    /// Load of the link from the chip in positive direction of a pod axis, of what the link carries in one direction.
    Ici(Axis),
}

impl Measure {
    /// All seven.
    pub const ALL: [Self; 7] = [
        Self::TensorCore,
        Self::DutyCycle,
        Self::HbmBandwidth,
        Self::HbmUsed,
        Self::Ici(Axis::X),
        Self::Ici(Axis::Y),
        Self::Ici(Axis::Z),
    ];

    /// Its place in [`Self::ALL`].
    pub const fn index(self) -> usize {
        match self {
            Self::TensorCore => 0,
            Self::DutyCycle => 1,
            Self::HbmBandwidth => 2,
            Self::HbmUsed => 3,
            Self::Ici(axis) => 4 + axis.index(),
        }
    }
}

/// One number per chip, or none where nothing is known.
///
/// Kept in 16 bits per chip: steps of 1/65,534.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column(Vec<u16>);

const ABSENT: u16 = u16::MAX;
const STEPS: f32 = 65_534.0;

impl Column {
    /// Nothing known of any of `n` chips.
    pub fn absent(n: usize) -> Self {
        Self(vec![ABSENT; n])
    }

    /// Number of chips, with and without a value.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is about no chip at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of a chip by its row-major index, absent where nothing is known or there is no such chip.
    pub fn get(&self, chip: usize) -> Option<f32> {
        self.0.get(chip).copied().and_then(decode)
    }

    /// All shares in row-major order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<f32>> + '_ {
        self.0.iter().copied().map(decode)
    }

    /// Number of chips with a value.
    pub fn n_known(&self) -> usize {
        self.0.iter().filter(|code| **code != ABSENT).count()
    }

    /// Mean over the chips with a value; absent where there is none.
    pub fn mean(&self) -> Option<f64> {
        let known = self.n_known();
        let sum: u64 = self.0.iter().filter(|code| **code != ABSENT).map(|code| u64::from(*code)).sum();
        (known > 0).then(|| sum as f64 / known as f64 / f64::from(STEPS))
    }

    /// Makes the share of a chip unknown.
    pub(crate) fn clear(&mut self, chip: usize) {
        self.0[chip] = ABSENT;
    }

    /// Sets the share of a chip; more than all becomes all.
    pub(crate) fn set(&mut self, chip: usize, share: f32) {
        self.0[chip] = (share.clamp(0.0, 1.0) * STEPS + 0.5) as u16;
    }
}

fn decode(code: u16) -> Option<f32> {
    (code != ABSENT).then(|| f32::from(code) / STEPS)
}

/// One pod at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct PodFrame {
    /// Which pod.
    pub pod: PodId,
    pub(crate) columns: [Column; 7],
}

impl PodFrame {
    /// The column of a measure, in row-major order of the pod's chips.
    pub const fn column(&self, measure: Measure) -> &Column {
        &self.columns[measure.index()]
    }

    /// Load of the busiest link of a chip; absent where none is known.
    pub fn busiest_link(&self, chip: usize) -> Option<f32> {
        let loads = Axis::ALL.iter().filter_map(|axis| self.column(Measure::Ici(*axis)).get(chip));
        loads.reduce(f32::max)
    }
}

/// All pods at one moment, in the order of the fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The moment, in seconds since the epoch of the plan; values are means over the window that ends here.
    pub at_seconds: f64,
    /// The pods.
    pub pods: Vec<PodFrame>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Absence is neither zero nor part of a mean.
    #[test]
    fn a_column_keeps_absence_apart_from_zero() {
        let mut column = Column::absent(3);
        assert_eq!((column.mean(), column.n_known()), (None, 0));
        column.set(0, 0.0);
        column.set(1, 0.5);
        assert_eq!(column.get(0), Some(0.0));
        assert!((column.get(1).unwrap() - 0.5).abs() < 1e-4);
        assert_eq!((column.get(2), column.get(3)), (None, None));
        assert!((column.mean().unwrap() - 0.25).abs() < 1e-4);
        column.set(2, 7.0);
        assert_eq!(column.get(2), Some(1.0));
    }
}
