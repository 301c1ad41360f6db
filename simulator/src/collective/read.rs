//! Axes, bytes, groups and pairs as people write them.

use topology::shape::Axis;
use topology::units::Byte;

use super::{MAX_BYTES, Pairs};

/// Longest text that is read, in characters: groups of every chip of the largest slice take less.
pub const MAX_CHARS: usize = 200_000;

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is {what}: {remedy}")]
pub struct BadText {
    /// The text, shortened where it is long.
    pub text: String,
    /// What it is not.
    pub what: &'static str,
    /// What to write.
    pub remedy: &'static str,
}

impl BadText {
    pub(crate) fn new(text: &str, what: &'static str, remedy: &'static str) -> Self {
        Self { text: text.chars().take(40).collect(), what, remedy }
    }
}

/// Reads axes such as "x", "x,y" or "xyz"; each at most once, not none.
///
/// # Errors
/// If it holds something else.
pub fn axes(text: &str) -> Result<Vec<Axis>, BadText> {
    let bad = |what| BadText::new(text, what, "write axes such as x or x,y,z");
    let mut axes = Vec::new();
    for letter in text.chars().filter(|c| !c.is_whitespace() && *c != ',') {
        let named = |axis: &Axis| axis.name().starts_with(letter.to_ascii_lowercase());
        let axis = Axis::ALL.into_iter().find(named).ok_or_else(|| bad("not a list of axes"))?;
        if axes.contains(&axis) {
            return Err(bad("naming an axis twice"));
        }
        axes.push(axis);
    }
    if axes.is_empty() { Err(bad("naming no axis")) } else { Ok(axes) }
}

/// Reads a number of bytes such as "268435456", "1e9", "256MiB", "1.5 GB" or "64k": B, kB, MB, GB, TB, PB are powers of
/// 1000, KiB, MiB, GiB, TiB, PiB of 1024; a letter alone is a power of 1000.
///
/// # Errors
/// If it is no number, has another unit, is negative or more than [`MAX_BYTES`].
pub fn bytes(text: &str) -> Result<Byte, BadText> {
    let bad = |what| BadText::new(text, what, "write bytes such as 268435456, 1e9, 256MiB or 1.5GB, at most 1 EiB");
    let trimmed = text.trim();
    // The unit is what follows the last digit or full stop; the e of an exponent has a digit behind it.
    let end = trimmed.rfind(|c: char| c.is_ascii_digit() || c == '.').map_or(0, |last| last + 1);
    let (number, unit) = trimmed.split_at(end);
    let number: f64 =
        number.trim().parse().map_err(|_error: std::num::ParseFloatError| bad("not a number of bytes"))?;
    let unit = unit.trim().to_ascii_lowercase();
    let (letter, base) = match unit.strip_suffix('b').unwrap_or(&unit) {
        with if with.ends_with('i') => (with.trim_end_matches('i'), 1024.0),
        without => (without, 1000.0),
    };
    let power = match letter {
        "" if base == 1000.0 => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return Err(bad("of an unknown unit")),
    };
    let value = number * f64::powi(base, power);
    if !(0.0..=MAX_BYTES).contains(&value) {
        return Err(bad("no possible number of bytes"));
    }
    Byte::try_from(value).map_err(|_error| bad("no possible number of bytes"))
}

/// Reads replica groups in the notation of XLA, such as "{{0,1},{2,3}}".
///
/// # Errors
/// If it holds something else, or is too long.
pub fn groups(text: &str) -> Result<Vec<Vec<usize>>, BadText> {
    let bad = |what| BadText::new(text, what, "write device numbers such as {{0,1},{2,3}}");
    if text.chars().count() > MAX_CHARS {
        return Err(bad("too long"));
    }
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let inner = plain.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let inner = inner.ok_or_else(|| bad("not a list of groups in double braces"))?;
    let group = |group: &str| group.split(',').map(|number| number.parse().ok()).collect::<Option<Vec<usize>>>();
    inner.split("},{").map(group).collect::<Option<_>>().ok_or_else(|| bad("not a list of device numbers"))
}

/// Reads who sends to whom: "{{0,1},{1,2}}" for sources and targets, "x+1" or "y-2" for a shift.
///
/// # Errors
/// If it holds something else.
pub fn pairs(text: &str) -> Result<Pairs, BadText> {
    let bad =
        || BadText::new(text, "neither pairs nor a shift", "write pairs such as {{0,1},{1,0}} or a shift such as x+1");
    if text.trim_start().starts_with('{') {
        let pair = |pair: Vec<usize>| if let [from, to] = pair[..] { Some((from, to)) } else { None };
        return groups(text)?.into_iter().map(pair).collect::<Option<_>>().map(Pairs::List).ok_or_else(bad);
    }
    let plain = text.trim().to_ascii_lowercase();
    let axis = Axis::ALL.into_iter().find(|axis| plain.starts_with(axis.name())).ok_or_else(bad)?;
    let by = plain[1..].trim();
    if !by.starts_with(['+', '-']) {
        return Err(bad());
    }
    by.parse().map(|by| Pairs::Shift { axis, by }).map_err(|_error: std::num::ParseIntError| bad())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_are_read_with_and_without_units() {
        let cases = [
            ("268435456", 268_435_456.0),
            ("1e9", 1e9),
            ("256MiB", 268_435_456.0),
            (" 1.5 GB ", 1.5e9),
            ("64k", 64e3),
            ("2e3kib", 2e3 * 1024.0),
            ("0", 0.0),
        ];
        for (text, expected) in cases {
            assert_eq!(bytes(text).map(Byte::get), Ok(expected), "{text}");
        }
        for text in ["", "MiB", "-1", "1e400", "nan", "inf", "1 XB", "1i", "1e30", "12 34", "é"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn groups_axes_and_pairs_are_read_as_written() {
        assert_eq!(groups("{{0,1}, {2,3}}"), Ok(vec![vec![0, 1], vec![2, 3]]));
        assert_eq!(axes("z, x"), Ok(vec![Axis::Z, Axis::X]));
        assert_eq!(pairs("y-2"), Ok(Pairs::Shift { axis: Axis::Y, by: -2 }));
        assert_eq!(pairs("{{0,1},{1,0}}"), Ok(Pairs::List(vec![(0, 1), (1, 0)])));
        for text in ["", "{}", "{{}}", "{{0,1}", "{{0},1}", "{{-1}}", "{{0,1},}", "{{99999999999999999999}}"] {
            assert!(groups(text).is_err(), "{text}");
        }
        assert!(axes("w").is_err() && axes("x,x").is_err() && axes(",").is_err());
        assert!(pairs("x").is_err() && pairs("x1").is_err() && pairs("{{0,1,2}}").is_err());
    }

    proptest! {
        /// No text makes a reader panic.
        #[test]
        fn nothing_that_is_typed_panics(text in "\\PC{0,40}") {
            let _answers = (axes(&text).is_ok(), bytes(&text).is_ok(), groups(&text).is_ok(), pairs(&text).is_ok());
        }
    }
}
