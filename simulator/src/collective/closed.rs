//! Time of collectives over axes of a torus or mesh, in closed form.
//!
//! V is always the full (gathered) array that the group holds together. Source of the bandwidth terms: scaling-book
//! (jax-ml/scaling-book @0819a7d) sharding.md; the all-to-all follows from the bisection of the torus. Links count
//! with nine tenths of their physical rate, as in that book; the low end of the range takes all of it, the high end
//! the worst share seen at scale (0.66, all-reduce over v6e-256, tpu-recipes trillium collectives) plus a start-up
//! time (13.5 µs, all-gather on tpu7x 2x2x1, tpu-recipes ironwood collectives).

use serde::Serialize;
use topology::chip::{Generation, ICI_EFFECTIVE_SHARE};
use topology::shape::{Axis, Shape};
use topology::units::{Byte, BytePerSec, Seconds};

use super::Collective;

/// One axis that takes part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ring {
    /// Chips along it.
    pub size: u16,
    /// Whether its ends are joined.
    pub wraps: bool,
    /// Share of the links' rate that its slowest link has; 1 where all are well.
    pub rate: f64,
}

impl Ring {
    /// The axes of a slice that take part, all links well; axes of one chip are left out.
    pub fn of(shape: Shape, wrap: [bool; 3], axes: &[Axis]) -> Vec<Self> {
        let ring = |axis: &Axis| Self { size: shape.along(*axis), wraps: wrap[axis.index()], rate: 1.0 };
        axes.iter().map(ring).filter(|ring| ring.size > 1).collect()
    }

    /// Directions that carry data at once: 2 in a ring, 1 in a line, whose ends must push all through one link.
    fn directions(&self) -> f64 {
        if self.wraps { 2.0 } else { 1.0 }
    }

    fn hops(&self) -> f64 {
        if self.wraps { f64::from(self.size.div_ceil(2)) } else { f64::from(self.size - 1) }
    }
}

/// Links of a generation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Links {
    /// Physical payload rate of one link in one direction.
    pub bytes_per_s: BytePerSec,
    /// Time of one hop.
    pub hop_seconds: Seconds,
}

/// Time of one hop where the catalogue has none: about a microsecond (scaling-book, tpus.md).
const HOP_SECONDS: f64 = 1e-6;
/// Worst share of the expected rate seen at scale.
pub(crate) const WORST_SHARE: f64 = 0.66;
/// Start-up time seen on small groups.
pub(crate) const START_SECONDS: f64 = 13.5e-6;

impl Links {
    /// The links of a generation; absent if their rate is unknown or zero.
    pub fn of(generation: &Generation) -> Option<Self> {
        let bytes_per_s = generation.ici_link_bytes_per_s.as_ref()?.value;
        let hop_seconds = generation.ici_hop_seconds.as_ref().map_or(Seconds::new(HOP_SECONDS), |hop| hop.value);
        (bytes_per_s > BytePerSec::ZERO).then_some(Self { bytes_per_s, hop_seconds })
    }
}

/// Time of one collective.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CollectiveTime {
    /// Expected: the longer of bandwidth and latency.
    pub seconds: Seconds,
    /// Links at their full physical rate, no start-up.
    pub seconds_low: Seconds,
    /// Bandwidth at the worst share seen at scale, with start-up and hops.
    pub seconds_high: Seconds,
    /// Bandwidth term alone.
    pub bandwidth_seconds: Seconds,
    /// Hops alone.
    pub latency_seconds: Seconds,
    /// Bytes over the busiest link, in one direction.
    pub busiest_link_bytes: Byte,
    /// How the bandwidth term was made.
    pub formula: &'static str,
}

/// Time of a collective of `whole` gathered bytes over the rings together; nothing where no ring takes part.
pub fn time(kind: Collective, whole: Byte, rings: &[Ring], links: Links) -> CollectiveTime {
    let group: f64 = rings.iter().map(|ring| f64::from(ring.size)).product();
    let bytes = whole.get();
    let rate = links.bytes_per_s.get() * ICI_EFFECTIVE_SHARE;
    let gather = || {
        let together: f64 = rings.iter().map(|ring| ring.directions() * ring.rate).sum();
        if rings.is_empty() { 0.0 } else { bytes * (1.0 - 1.0 / group) / (together * rate) }
    };
    let (bandwidth, passes, formula) = match kind {
        Collective::AllGather | Collective::ReduceScatter => (gather(), 1.0, "V·(1−1/N) / (2W per ring + W per line)"),
        Collective::AllReduce => (2.0 * gather(), 2.0, "2·V·(1−1/N) / (2W per ring + W per line)"),
        Collective::AllToAll => {
            // Half of each half crosses the middle of the longest axis.
            let crossing =
                |ring: &Ring| bytes * f64::from(ring.size) / (4.0 * ring.directions() * group * rate * ring.rate);
            (rings.iter().map(crossing).fold(0.0, f64::max), 1.0, "V·n / (8·N·W) with wrap, /(4·N·W) without")
        }
        // To the next chip along the first ring; on a line the last one sends back over all of it.
        Collective::Permute => {
            let slowest = rings.first().map_or(1.0, |ring| ring.rate);
            let shard = if rings.is_empty() { 0.0 } else { bytes / group };
            (shard / (rate * slowest), 1.0, "V / (N·W)")
        }
    };
    let hops: f64 = match (kind, rings.first()) {
        (Collective::Permute, Some(first)) => {
            if first.wraps {
                1.0
            } else {
                f64::from(first.size - 1)
            }
        }
        _ => rings.iter().map(Ring::hops).sum(),
    };
    let latency = passes * hops * links.hop_seconds.get();
    let seconds = bandwidth.max(latency);
    let start = if rings.is_empty() { 0.0 } else { START_SECONDS };
    CollectiveTime {
        seconds: Seconds::new(seconds),
        seconds_low: Seconds::new((bandwidth * ICI_EFFECTIVE_SHARE).max(latency)),
        seconds_high: Seconds::new(bandwidth / WORST_SHARE + latency + start),
        bandwidth_seconds: Seconds::new(bandwidth),
        latency_seconds: Seconds::new(latency),
        busiest_link_bytes: Byte::new(bandwidth * rate),
        formula,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::generation;

    fn micros(kind: Collective, id: &str, shape: Shape, wrap: bool, axes: &[Axis], bytes: f64) -> f64 {
        let rings = Ring::of(shape, [wrap; 3], axes);
        let found = time(kind, Byte::new(bytes), &rings, Links::of(&generation(id)).unwrap());
        found.bandwidth_seconds.get() * 1e6
    }

    /// Worked examples: scaling-book sharding.md (pop quiz 2 without wrap, question 2.3 corrected) and the closed
    /// forms by hand.
    #[test]
    fn worked_examples() {
        use Axis::{X, Y, Z};
        let mib256 = 268_435_456.0;
        let gib = 1_073_741_824.0;
        let cases = [
            (Collective::AllGather, "v5e", Shape::flat(8, 4), false, &[Y][..], 2.0 * 2048.0 * 8192.0, 559.2),
            (Collective::AllGather, "v5p", Shape::solid(16, 16, 16), true, &[X], mib256, 1398.1),
            (Collective::AllReduce, "v5p", Shape::solid(16, 16, 16), true, &[X], mib256, 2796.2),
            (Collective::AllGather, "v5p", Shape::solid(8, 8, 8), true, &[X, Y], mib256, 734.003),
            (Collective::AllToAll, "v5e", Shape::flat(16, 16), true, &[X, Y], gib, 186.414),
            (Collective::AllToAll, "v5e", Shape::flat(4, 4), false, &[X, Y], gib, 1491.31),
            (Collective::AllToAll, "v5p", Shape::solid(8, 8, 8), true, &[X, Y, Z], gib, 23.3017),
            (Collective::AllToAll, "v5p", Shape::solid(4, 4, 8), true, &[X, Y, Z], gib, 93.2068),
        ];
        for (kind, id, shape, wrap, axes, bytes, expected) in cases {
            let found = micros(kind, id, shape, wrap, axes, bytes);
            assert!((found / expected - 1.0).abs() < 1e-3, "{kind:?} {id} {shape}: {found} µs, expected {expected}");
        }
    }

    /// Published all-reduce of 606 MB over 256 v6e chips: 5.12 ms (tpu-recipes, trillium collectives), in the range.
    #[test]
    fn a_measured_all_reduce_lies_in_the_range() {
        let rings = Ring::of(Shape::flat(16, 16), [true; 3], &[Axis::X, Axis::Y]);
        let bytes = Byte::new(17408.0 * 17408.0 * 2.0);
        let found = time(Collective::AllReduce, bytes, &rings, Links::of(&generation("v6e")).unwrap());
        assert!((found.seconds_low.get()..=found.seconds_high.get()).contains(&5.12e-3), "{found:?}");
    }

    proptest! {
        /// A line is never faster than a ring, more axes never slower than one of them for a gather, a slow link never
        /// helps, and an all-reduce is a reduce-scatter and an all-gather.
        #[test]
        fn topology_matters_in_the_right_direction(size in 2u16..64, other in 2u16..64, bytes in 1.0f64..1e11, rate in 0.05f64..1.0) {
            let links = Links::of(&generation("v5p")).unwrap();
            let ring = Ring { size, wraps: true, rate: 1.0 };
            let second = Ring { size: other, ..ring };
            let of = |kind, rings: &[Ring]| time(kind, Byte::new(bytes), rings, links);
            for kind in Collective::ALL {
                let (well, line) = (of(kind, &[ring]), of(kind, &[Ring { wraps: false, ..ring }]));
                prop_assert!(line.bandwidth_seconds >= well.bandwidth_seconds && line.seconds >= well.seconds);
                let slowed = of(kind, &[Ring { rate, ..ring }]);
                prop_assert!(slowed.seconds >= well.seconds);
                prop_assert!(well.seconds_low <= well.seconds && well.seconds <= well.seconds_high);
            }
            let gather = of(Collective::AllGather, &[ring]);
            prop_assert!(of(Collective::AllReduce, &[ring]).seconds.get() == 2.0 * gather.seconds.get());
            // Two axes hold n·m shards of the same array; the book's rule has them at least 4/3 as fast for n = 2.
            prop_assert!(of(Collective::AllGather, &[ring, second]).bandwidth_seconds <= gather.bandwidth_seconds);
            prop_assert!(of(Collective::AllGather, &[]).seconds == Seconds::ZERO);
        }
    }
}
