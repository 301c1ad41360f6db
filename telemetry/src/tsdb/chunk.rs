//! Samples of one series, packed and exact.
//!
//! Times that come at a steady step cost nothing; others are packed as distances. Values that are decimal numbers, as
//! exporters write them ("41.25", whole bytes), become whole multiples of a common step above their minimum, packed at the
//! width that the largest needs; the idea is that of VictoriaMetrics' decimal blocks (A. Valialkin, "VictoriaMetrics:
//! achieving better compression than Gorilla for time series data", 2019). Values that are not are packed by exclusive or
//! with their predecessor (Pelkonen et al., "Gorilla", VLDB 2015). Both give back every bit.

use crate::tsdb::bits::{BitReader, BitWriter, width};

/// Most digits behind the point that are tried.
const MAX_DECIMALS: u8 = 9;
/// Whole numbers that a float holds exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// How the values are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// `(base + code × step) ÷ 10^decimals`, codes of this width; all times of this many decimals.
    Decimal { decimals: u8, width: u8 },
    /// The same with codes that are added up: differences, folded so that small ones of both signs are small.
    Delta { decimals: u8, width: u8 },
    /// Exclusive or with the value before.
    Xor,
}

/// Packed samples in order of time; at least one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chunk {
    first_ms: i64,
    last_ms: i64,
    /// Smallest whole number, or bits of the first value.
    base: i64,
    /// Common step of the whole numbers.
    step: u64,
    n: u32,
    /// Width of a distance in time; 0 if all are `stride_ms`.
    time_width: u8,
    values: Values,
    stride_ms: u32,
    bytes: Box<[u8]>,
}

impl Chunk {
    /// Packs samples that are sorted by time; `None` if there are none.
    pub(super) fn pack(samples: &[(i64, f64)]) -> Option<Self> {
        let (first, last) = (samples.first()?, samples.last()?);
        let mut bits = BitWriter::default();
        let (time_width, stride_ms) = pack_times(samples, &mut bits);
        let (values, base, step) = pack_values(samples, &mut bits);
        let (first_ms, last_ms, n) = (first.0, last.0, samples.len() as u32);
        Some(Self { first_ms, last_ms, base, step, n, time_width, values, stride_ms, bytes: bits.finish().into() })
    }

    pub(super) const fn first_ms(&self) -> i64 {
        self.first_ms
    }

    pub(super) const fn last_ms(&self) -> i64 {
        self.last_ms
    }

    pub(super) const fn len(&self) -> usize {
        self.n as usize
    }

    /// Bytes with the overhead of its own allocation and of the pointer to it.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.bytes.len() + 2 * size_of::<usize>() + size_of::<usize>()
    }

    /// All samples, oldest first.
    pub(super) fn unpack(&self) -> impl Iterator<Item = (i64, f64)> + '_ {
        let n_times = self.n.saturating_sub(1) as usize * usize::from(self.time_width);
        let mut times = BitReader::new(&self.bytes, 0);
        let mut values = ValueReader::new(self, BitReader::new(&self.bytes, n_times));
        let mut at = self.first_ms;
        (0..self.n).map(move |i| {
            if i > 0 {
                let distance =
                    if self.time_width == 0 { self.stride_ms.into() } else { times.take(self.time_width.into()) };
                at = at.wrapping_add(distance as i64);
            }
            (at, values.next(i))
        })
    }
}

/// Packs the distances; their width, or 0 and the steady step.
fn pack_times(samples: &[(i64, f64)], bits: &mut BitWriter) -> (u8, u32) {
    let distances = || samples.windows(2).map(|pair| pair[1].0.wrapping_sub(pair[0].0) as u64);
    let (Some(first), Some(largest)) = (distances().next(), distances().max()) else { return (0, 0) };
    if distances().all(|distance| distance == first) && u32::try_from(first).is_ok() {
        return (0, first as u32);
    }
    let wide = width(largest).max(1);
    distances().for_each(|distance| bits.put(distance, wide));
    (wide as u8, 0)
}

/// A power of ten that a float holds exactly.
fn power(decimals: u8) -> f64 {
    const POWERS: [f64; MAX_DECIMALS as usize + 1] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
    POWERS[usize::from(decimals.min(MAX_DECIMALS))]
}

/// The whole number that a value is with so many digits behind the point, if that gives back every bit.
fn whole(value: f64, decimals: u8) -> Option<i64> {
    let scaled = (value * power(decimals)).round();
    let fits = scaled.abs() < EXACT && (scaled / power(decimals)).to_bits() == value.to_bits();
    fits.then_some(scaled as i64)
}

/// The whole numbers of all values, with the fewest digits that do for all.
fn wholes(samples: &[(i64, f64)]) -> Option<(u8, Vec<i64>)> {
    let mut decimals = 0;
    for (_, value) in samples {
        decimals = (decimals..=MAX_DECIMALS).find(|decimals| whole(*value, *decimals).is_some())?;
    }
    let all = samples.iter().map(|(_, value)| whole(*value, decimals)).collect::<Option<_>>()?;
    Some((decimals, all))
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Small numbers of both signs as small positive ones.
const fn fold(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

const fn unfold(code: u64) -> i64 {
    (code >> 1) as i64 ^ -((code & 1) as i64)
}

fn pack_values(samples: &[(i64, f64)], bits: &mut BitWriter) -> (Values, i64, u64) {
    let Some((decimals, numbers)) = wholes(samples) else {
        return pack_xor(samples, bits);
    };
    let base = numbers.iter().copied().min().unwrap_or(0);
    let step = numbers.iter().fold(0, |step, number| gcd(step, number.abs_diff(base))).max(1);
    let codes: Vec<u64> = numbers.iter().map(|number| number.abs_diff(base) / step).collect();
    let deltas = || codes.windows(2).map(|pair| fold(pair[1].wrapping_sub(pair[0]) as i64));
    let wide = codes.iter().copied().max().map_or(0, width);
    let first = codes.first().copied().unwrap_or(0);
    let delta_wide = deltas().max().map_or(0, width);
    let by_delta = u64::from(delta_wide) * (codes.len() as u64 - 1) + 64 < u64::from(wide) * codes.len() as u64;
    if by_delta {
        bits.put(first, 64);
        deltas().for_each(|delta| bits.put(delta, delta_wide));
        return (Values::Delta { decimals, width: delta_wide as u8 }, base, step);
    }
    for code in &codes {
        bits.put(*code, wide);
    }
    (Values::Decimal { decimals, width: wide as u8 }, base, step)
}

/// Bit 0: the same value. Bits 1, 0: inside the window of the last. Bits 1, 1: a new window, 6 bits of leading zeros and
/// 6 bits of length less one.
fn pack_xor(samples: &[(i64, f64)], bits: &mut BitWriter) -> (Values, i64, u64) {
    let mut before = samples.first().map_or(0, |(_, value)| value.to_bits());
    let base = before as i64;
    let mut window = (0_u32, 0_u32);
    for (_, value) in samples.iter().skip(1) {
        let xor = value.to_bits() ^ before;
        before = value.to_bits();
        if xor == 0 {
            bits.put(0, 1);
            continue;
        }
        let (leading, trailing) = (xor.leading_zeros(), xor.trailing_zeros());
        let length = 64 - leading - trailing;
        let (window_leading, window_length) = window;
        let window_trailing = 64_u32.saturating_sub(window_leading + window_length);
        if window_length > 0 && leading >= window_leading && trailing >= window_trailing && window_length < length + 12
        {
            bits.put(0b01, 2);
            bits.put(xor >> window_trailing, window_length);
        } else {
            bits.put(0b11, 2);
            bits.put(leading.into(), 6);
            bits.put((length - 1).into(), 6);
            bits.put(xor >> trailing, length);
            window = (leading, length);
        }
    }
    (Values::Xor, base, 1)
}

struct ValueReader<'a> {
    chunk: &'a Chunk,
    bits: BitReader<'a>,
    /// Code or bits of the value before.
    before: u64,
    window: (u32, u32),
}

impl<'a> ValueReader<'a> {
    const fn new(chunk: &'a Chunk, bits: BitReader<'a>) -> Self {
        Self { chunk, bits, before: 0, window: (0, 0) }
    }

    fn decimal(&self, code: u64, decimals: u8) -> f64 {
        let number = self.chunk.base.wrapping_add(code.wrapping_mul(self.chunk.step) as i64);
        number as f64 / power(decimals)
    }

    fn next(&mut self, i: u32) -> f64 {
        match self.chunk.values {
            Values::Decimal { decimals, width } => {
                let code = self.bits.take(width.into());
                self.decimal(code, decimals)
            }
            Values::Delta { decimals, width } => {
                self.before = if i == 0 {
                    self.bits.take(64)
                } else {
                    self.before.wrapping_add(unfold(self.bits.take(width.into())) as u64)
                };
                self.decimal(self.before, decimals)
            }
            Values::Xor if i == 0 => {
                self.before = self.chunk.base as u64;
                f64::from_bits(self.before)
            }
            Values::Xor => {
                self.before ^= self.xor();
                f64::from_bits(self.before)
            }
        }
    }

    fn xor(&mut self) -> u64 {
        if self.bits.take(1) == 0 {
            return 0;
        }
        if self.bits.take(1) == 1 {
            let leading = self.bits.take(6) as u32;
            self.window = (leading, self.bits.take(6) as u32 + 1);
        }
        let (leading, length) = self.window;
        let trailing = 64_u32.saturating_sub(leading + length).min(63);
        self.bits.take(length) << trailing
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(samples: &[(i64, f64)]) -> Result<(), TestCaseError> {
        let chunk = Chunk::pack(samples).unwrap();
        let bits = |list: &[(i64, f64)]| -> Vec<(i64, u64)> { list.iter().map(|(at, v)| (*at, v.to_bits())).collect() };
        prop_assert_eq!(bits(&chunk.unpack().collect::<Vec<_>>()), bits(samples));
        prop_assert_eq!(
            (chunk.len(), chunk.first_ms(), chunk.last_ms()),
            (samples.len(), samples[0].0, samples[samples.len() - 1].0)
        );
        Ok(())
    }

    proptest! {
        /// Every bit comes back: any floats at any times, and the decimals of exporters.
        #[test]
        fn every_bit_comes_back(
            floats in prop::collection::btree_map(any::<i64>(), any::<u64>().prop_map(f64::from_bits), 1..40),
            decimals in prop::collection::vec((-100_000_000_000_i64..100_000_000_000, 0..9_u32), 1..40),
            step in 1..100_000_i64,
        ) {
            same(&floats.into_iter().collect::<Vec<_>>())?;
            let decimal = |(i, (number, digits)): (usize, &(i64, u32))| (i as i64 * step, format!("{number}e-{digits}").parse().unwrap());
            same(&decimals.iter().enumerate().map(decimal).collect::<Vec<_>>())?;
        }
    }

    #[test]
    fn regular_decimals_are_small() {
        let of = |value: &dyn Fn(i64) -> f64| -> f64 {
            let samples: Vec<(i64, f64)> = (0..256).map(|i| (i * 15_000, value(i))).collect();
            Chunk::pack(&samples).unwrap().bytes.len() as f64 * 8.0 / 256.0
        };
        assert_eq!(of(&|_| 97.0), 0.0, "a steady value costs nothing");
        assert!(of(&|i| 40.0 + (i * 37 % 400) as f64 / 100.0) <= 9.0, "four percent in steps of 0.01 are nine bits");
        assert!(of(&|i| 8_388_608.0 * (1000 + i * 7 % 16) as f64) <= 4.0, "sixteen steps of 8 MiB are four bits");
        assert!(of(&|i| (i * 1_000_000 + i % 3) as f64) < 26.0, "a counter is kept by its differences");
    }

    #[test]
    fn specials_and_negative_zero_keep_their_bits() {
        same(&[
            (0, -0.0),
            (1, f64::NAN),
            (2, f64::INFINITY),
            (3, 0.1 + 0.2),
            (4, f64::from_bits(0x7ff0_0000_0000_0002)),
        ])
        .unwrap();
    }
}
