//! Numbers from a seed: the same on every machine, in any order.
//!
//! The mixing function is that of `SplitMix64` (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
//! OOPSLA 2014): number i of a stream is the mix of `seed + (i + 1)·γ`, so that any number can be asked for alone.

/// The odd constant of `SplitMix64`: 2⁶⁴ divided by the golden ratio.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of numbers that can be asked for in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Another stream, told apart by a number.
    pub const fn child(self, number: u64) -> Self {
        Self(mix(self.0 ^ mix(number.wrapping_mul(GAMMA) ^ 0x5851_f42d_4c95_7f2d)))
    }

    /// Another stream, told apart by a name.
    pub fn named(self, name: &str) -> Self {
        name.bytes().fold(self, |stream, byte| stream.child(u64::from(byte)))
    }

    /// Number `i` of the stream, all 64 bits.
    pub const fn bits(self, i: u64) -> u64 {
        mix(self.0.wrapping_add(i.wrapping_add(1).wrapping_mul(GAMMA)))
    }

    /// Number `i` of the stream as a number in [0, 1).
    pub fn unit(self, i: u64) -> f64 {
        (self.bits(i) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Number `i` of the stream as a whole number below `n`.
    pub const fn below(self, i: u64, n: u64) -> u64 {
        ((self.bits(i) as u128 * n as u128) >> 64) as u64
    }
}

const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First outputs of `SplitMix64` with seed 1234567, from the reference implementation's published test vector.
    #[test]
    fn numbers_are_those_of_splitmix64() {
        let stream = Stream::new(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([0, 1, 2].map(|i| stream.bits(i)), expected);
    }

    #[test]
    fn numbers_fill_their_range() {
        let stream = Stream::new(7).named("a");
        let mean = (0..10_000).map(|i| stream.unit(i)).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01);
        assert!((0..1000).all(|i| stream.below(i, 10) < 10));
        assert_ne!(stream, Stream::new(7).named("b"));
    }
}
