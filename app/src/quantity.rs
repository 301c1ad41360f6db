//! Numbers as people type them: whole numbers with separators, bytes with units.

/// A whole number above zero: `8192`, `8,192`, `8 192` or `8_192`.
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

/// Bytes as the command line takes them, a whole number above zero.
///
/// # Errors
/// What is wrong with the text, and what to write.
pub fn bytes(text: &str) -> Result<u64, String> {
    let read = simulator::collective::bytes(text).map_err(|bad| bad.to_string())?;
    let whole = read.get().round() as u64;
    if whole == 0 { Err("Write bytes above 0, such as 256 MiB".to_owned()) } else { Ok(whole) }
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
        let cases = [("1e9", 1_000_000_000), ("256 MiB", 1 << 28), ("1.5GB", 1_500_000_000)];
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
