//! FP8 E4M3: one sign, four exponent and three mantissa bits, bias 7, no infinities, one NaN per sign.
//!
//! Source: Micikevicius et al., FP8 formats for deep learning (arXiv:2209.05433), Table 1; the largest number is 448.
//! Numbers too large become the largest, as the hardware's saturating conversion does.

/// Largest finite number.
const MAX: f32 = 448.0;
/// Exponent of the smallest normal number.
const MIN_EXPONENT: i32 = -6;
/// Mantissa bits.
const MANTISSA_BITS: i32 = 3;

/// The code of the nearest number, ties to the even code; too large becomes ±448, NaN stays NaN.
pub(crate) fn encode(value: f32) -> u8 {
    let sign = if value.is_sign_negative() { 0x80 } else { 0 };
    if value.is_nan() {
        return sign | 0x7f;
    }
    let size = value.abs().min(MAX);
    let exponent = ((size.to_bits() >> 23) as i32 - 127).max(MIN_EXPONENT);
    // Sixteenths of the octave (eighths of the subnormal range): at most 16, exactly representable.
    let steps = (size / power_of_two(exponent - MANTISSA_BITS)).round_ties_even() as i32;
    // A subnormal has fewer than 8 steps and exponent field 0; rounding up to the next octave carries by itself.
    let code = ((exponent - MIN_EXPONENT) << MANTISSA_BITS) + steps;
    sign | code as u8
}

/// The number of a code.
pub(crate) fn decode(code: u8) -> f32 {
    let field = i32::from(code >> MANTISSA_BITS & 0xf);
    let mantissa = f32::from(code & 0x7);
    let size = match (field, code & 0x7) {
        (0xf, 0x7) => f32::NAN,
        (0, _) => mantissa * power_of_two(MIN_EXPONENT - MANTISSA_BITS),
        _ => (8.0 + mantissa) * power_of_two(field - 7 - MANTISSA_BITS),
    };
    if code & 0x80 == 0 { size } else { -size }
}

/// 2 to a power within the normal range of `f32`.
const fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use half::bf16;

    use super::*;

    /// The table of the format: zero, smallest and largest subnormal, smallest normal, one, largest.
    #[test]
    fn codes_have_their_defined_values() {
        let smallest = 1.0 / 512.0;
        for (code, value) in
            [(0x00, 0.0), (0x01, smallest), (0x07, 7.0 * smallest), (0x08, 1.0 / 64.0), (0x38, 1.0), (0x7e, MAX)]
        {
            assert_eq!(decode(code), value);
            assert_eq!(decode(code | 0x80), -value);
        }
        assert!(decode(0x7f).is_nan() && decode(0xff).is_nan());
    }

    #[test]
    fn every_code_survives_the_round_trip() {
        for code in 0..=u8::MAX {
            assert_eq!(encode(decode(code)), code);
        }
        for value in [449.0, 1e30, f32::INFINITY] {
            assert_eq!((encode(value), encode(-value)), (0x7e, 0xfe), "saturates");
        }
    }

    /// Against the definition, for every bf16 number: no code is nearer, and of two equally near ones the even is taken.
    #[test]
    fn the_nearest_code_is_found_for_every_bf16_number() {
        let codes: Vec<(u8, f64)> = (0..0x7f).map(|code| (code, f64::from(decode(code)))).collect();
        for bits in 0..0x8000u16 {
            let value = f64::from(bf16::from_bits(bits).to_f32());
            if value.is_nan() {
                continue;
            }
            let wanted = value.min(f64::from(MAX));
            let distance = |code: &(u8, f64)| (code.1 - wanted).abs();
            let next = codes.partition_point(|code| code.1 < wanted).clamp(1, codes.len() - 1);
            let (below, above) = (&codes[next - 1], &codes[next]);
            let order = distance(below).total_cmp(&distance(above));
            let take_above = order.is_gt() || (order.is_eq() && below.0 % 2 == 1);
            let best = if take_above { above } else { below };
            assert_eq!(encode(value as f32), best.0, "{value}");
        }
    }
}
