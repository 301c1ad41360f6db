//! Numbers as people type them: whole numbers with separators, bytes with units.

/// A whole number above zero: "8192", "8,192", "8 192" or "8_192".
///
/// # Errors
/// What is wrong with the text, and what to write.
pub fn whole(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '_') && !c.is_whitespace()).collect();
    match digits.parse() {
        Ok(0) | Err(_) => Err("Write a whole number above 0, such as 8192".to_owned()),
        Ok(number) => Ok(number),
    }
}

/// Units of bytes with what each stands for.
const UNITS: [(&str, f64); 11] = [
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("tib", 1_099_511_627_776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("b", 1.0),
    ("bytes", 1.0),
    ("", 1.0),
];

/// Bytes, with or without a unit: "268435456", "256 MiB", "1.5GB", "1e9".
///
/// # Errors
/// What is wrong with the text, and what to write.
pub fn bytes(text: &str) -> Result<u64, String> {
    let compact: String = text.chars().filter(|c| !matches!(c, ',' | '_') && !c.is_whitespace()).collect();
    let compact = compact.to_ascii_lowercase();
    let read = UNITS.iter().find_map(|(unit, scale)| {
        let number: f64 = compact.strip_suffix(unit)?.parse().ok()?;
        Some(number * scale).filter(|bytes| (1.0..=1e18).contains(bytes))
    });
    read.map(|bytes| bytes.round() as u64).ok_or_else(|| "Write bytes, such as 256 MiB or 1e9".to_owned())
}

/// Bytes in the way [`bytes`] reads back exactly.
pub fn bytes_text(bytes: u64) -> String {
    const BINARY: [(&str, u32); 4] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match BINARY.iter().find(|(_, shift)| bytes.is_multiple_of(1 << shift) && bytes > 0) {
        Some((unit, shift)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_people_write_them() {
        let cases = [("1e9", 1_000_000_000), ("256 MiB", 1 << 28), ("1.5GB", 1_500_000_000), ("12,345 B", 12_345)];
        for (text, expected) in cases {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "MiB", "-1", "0", "nan", "inf", "1e30", "12 parsecs"] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert_eq!(whole("8,192"), Ok(8192));
        assert!(whole("0").is_err() && whole("8.5").is_err() && whole("-4").is_err());
    }

    /// Protects: a field that shows bytes never changes them when it is left.
    #[test]
    fn bytes_are_read_back_as_they_are_shown() {
        let powers = (0..50).map(|shift| 1u64 << shift);
        for value in (1..5000).chain(powers.clone().map(|power| power + 1)).chain(powers.map(|power| power * 3)) {
            assert_eq!(bytes(&bytes_text(value)), Ok(value));
        }
    }
}
