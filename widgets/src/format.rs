//! Numbers for people: three significant digits, SI prefixes, true minus, no-break spaces.
//!
//! Everything returns text ready to show. A number and its unit are joined by U+00A0, so a line
//! never breaks between them. An absent value is [`ABSENT`], never zero.

mod when;

use topology::units::{Byte, BytePerSec, Flop, FlopPerSec, Fraction, Joule, Usd, UsdPerHour, Watt};

pub use when::{Date, behind, clock, days, duration, old, week};

/// What stands where there is no value.
pub const ABSENT: &str = "—";
/// Between a number and its unit.
pub const NBSP: char = '\u{A0}';
const MINUS: char = '\u{2212}';

/// The text of a value, or [`ABSENT`].
pub fn or_absent<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| ABSENT.to_owned(), text)
}

/// A number with a fixed number of decimals, thousands commas and a true minus.
pub fn fixed(value: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut text = String::with_capacity(plain.len() + 4);
    if value < 0.0 && plain.bytes().any(|digit| digit.is_ascii_digit() && digit != b'0') {
        text.push(MINUS);
    }
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + rest
}

/// A change with its sign: "+1.3", "−3.40", and plain "0" for none.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    if !text.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
        "0".to_owned()
    } else if value > 0.0 {
        format!("+{text}")
    } else {
        text
    }
}

/// Decimals that leave three significant digits, at most three; whole digits are never dropped.
fn three_digits(value: f64) -> usize {
    match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 || size == 0.0 => 2,
        _ => 3,
    }
}

/// Three significant digits: "862", "55.9", "1.42", "0.051". Zero is "0".
pub fn number(value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { fixed(value, three_digits(value)) }
}

/// A count: in full up to 99,999, then with k, M, G, T and one decimal.
pub fn count(count: u64) -> String {
    if count <= 99_999 {
        return fixed(count as f64, 0);
    }
    let mut scaled = count as f64;
    let mut prefix = "";
    for next in ["k", "M", "G", "T"] {
        if scaled < 999.95 {
            break;
        }
        scaled /= 1e3;
        prefix = next;
    }
    format!("{}{NBSP}{prefix}", fixed(scaled, 1))
}

const SMALL: [&str; 4] = ["m", "µ", "n", "p"];
const LARGE: [&str; 6] = ["k", "M", "G", "T", "P", "E"];

/// The SI prefix that fits a value, and what it divides by; none for zero.
pub fn prefix(value: f64) -> (&'static str, f64) {
    if value == 0.0 {
        return ("", 1.0);
    }
    let (mut prefix, mut unit) = ("", 1.0);
    let mut smaller = SMALL.iter();
    while (value / unit).abs() < 0.9995
        && let Some(next) = smaller.next()
    {
        unit /= 1e3;
        prefix = next;
    }
    let mut larger = LARGE.iter();
    while (value / unit).abs() >= 999.5
        && let Some(next) = larger.next()
    {
        unit *= 1e3;
        prefix = next;
    }
    (prefix, unit)
}

/// Three significant digits with the SI prefix that fits: `si(2.36e18, "FLOP/s")` is "2.36 EFLOP/s".
pub fn si(value: f64, unit: &str) -> String {
    let (prefix, scale) = prefix(value);
    format!("{}{NBSP}{prefix}{unit}", number(value / scale))
}

/// A value and its band in the prefix and with the decimals of the value: "188 µs" and "151–235".
pub fn si_range([low, value, high]: [f64; 3], unit: &str) -> [String; 2] {
    let (_, scale) = prefix(value);
    let decimals = three_digits(value / scale);
    let [low, high] = [low, high].map(|end| fixed(end / scale, decimals));
    [si(value, unit), range(&low, &high)]
}

/// A figure in a prefix that the reader expects, such as "2,307 TFLOP/s" on a data sheet.
///
/// `power` is the exponent of ten of `unit`, and trailing zeros are cut.
pub fn in_unit(value: f64, power: i32, unit: &str) -> String {
    let scaled = value / 10_f64.powi(power);
    let text = fixed(scaled, three_digits(scaled));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{NBSP}{unit}")
}

/// A capacity in binary units: "192 GiB", "1.5 TiB".
pub fn capacity(bytes: Byte) -> String {
    let mut scaled = bytes.get();
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        if scaled < 1023.5 {
            break;
        }
        scaled /= 1024.0;
        unit = next;
    }
    let text = number(scaled);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{NBSP}{unit}")
}

/// An amount of moved data in decimal units: "3.42 GB".
pub fn bytes(bytes: Byte) -> String {
    si(bytes.get(), Byte::UNIT)
}

/// A rate in decimal units: "100 GB/s".
pub fn byte_rate(rate: BytePerSec) -> String {
    si(rate.get(), BytePerSec::UNIT)
}

/// An amount of arithmetic: "1.2 PFLOP".
pub fn flop(amount: Flop) -> String {
    si(amount.get(), Flop::UNIT)
}

/// A rate of arithmetic: "2.36 EFLOP/s".
pub fn flop_rate(rate: FlopPerSec) -> String {
    si(rate.get(), FlopPerSec::UNIT)
}

/// Power: "38.7 MW".
pub fn power(power: Watt) -> String {
    si(power.get(), Watt::UNIT)
}

/// Energy: "1.20 MJ".
pub fn energy(energy: Joule) -> String {
    si(energy.get(), Joule::UNIT)
}

/// A share in percent: one decimal for utilization, none for targets.
pub fn percent(share: Fraction, decimals: usize) -> String {
    format!("{}{NBSP}%", fixed(share.get() * 100.0, decimals))
}

/// A relative change with its sign; `change` is 0.012 for "+1.2 %". No change is "0 %".
pub fn percent_change(change: f64, decimals: usize) -> String {
    format!("{}{NBSP}%", signed(change * 100.0, decimals))
}

/// A difference of two percentages; `difference` is 0.013 for "+1.3 pp".
pub fn points(difference: f64, decimals: usize) -> String {
    format!("{}{NBSP}pp", signed(difference * 100.0, decimals))
}

/// Uncertainty: "± 4 %".
pub fn plus_minus(share: Fraction) -> String {
    format!("±{NBSP}{}", percent(share, 0))
}

/// An interval of two texts with the same unit: "35–60".
pub fn range(low: &str, high: &str) -> String {
    format!("{low}–{high}")
}

/// Money with the currency sign of the document: "$12.00", "$9,216", "$41.8 k", "−$22.4 M".
pub fn money(amount: f64, sign: &str) -> String {
    let size = amount.abs();
    let minus = if amount < 0.0 { "\u{2212}" } else { "" };
    let text = match size {
        _ if size < 999.995 => fixed(size, 2),
        _ if size < 9_999.5 => fixed(size, 0),
        _ => {
            let (scaled, prefix) = [(1e3, "k"), (1e6, "M"), (1e9, "B"), (1e12, "T")]
                .into_iter()
                .map(|(unit, prefix)| (size / unit, prefix))
                .find(|&(scaled, _)| scaled < 999.5)
                .unwrap_or((size / 1e12, "T"));
            format!("{}{NBSP}{prefix}", number(scaled))
        }
    };
    format!("{minus}{sign}{text}")
}

/// An amount of dollars: "$41.8 k".
pub fn usd(amount: Usd) -> String {
    money(amount.get(), Usd::UNIT)
}

/// A price of a chip: "$12.00 / chip-h".
pub fn usd_per_chip_hour(price: UsdPerHour) -> String {
    format!("{} /{NBSP}chip-h", money(price.get(), Usd::UNIT)).replace(' ', "\u{A0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins units by plain spaces so that the expectations can be read.
    fn plain(text: &str) -> String {
        text.replace(NBSP, " ")
    }

    /// Protects: the examples that the style guide prints.
    #[test]
    fn examples_of_the_style_guide() {
        let shown = [
            percent(Fraction::clamped(0.559), 1),
            number(1.42),
            si(2.36e18, "FLOP/s"),
            count(9_216),
            byte_rate(BytePerSec::from_gb(100.0)),
            byte_rate(BytePerSec::from_gb(12_800.0)),
            in_unit(2.307e15, 12, "TFLOP/s"),
            capacity(Byte::from_gib(192.0)),
            usd(Usd::new(12.0)),
            usd(Usd::new(41_800.0)),
            usd(Usd::new(22.4e6)),
            percent_change(0.0, 1),
            signed(-3.4, 2),
            points(0.013, 1),
            usd_per_chip_hour(UsdPerHour::new(12.0)),
        ];
        let expected = [
            "55.9 %",
            "1.42",
            "2.36 EFLOP/s",
            "9,216",
            "100 GB/s",
            "12.8 TB/s",
            "2,307 TFLOP/s",
            "192 GiB",
            "$12.00",
            "$41.8 k",
            "$22.4 M",
            "0 %",
            "−3.40",
            "+1.3 pp",
            "$12.00 / chip-h",
        ];
        assert_eq!(shown.map(|text| plain(&text)), expected);
    }

    /// Protects: rounding that reaches the next power never shows "1,000 k" or four digits.
    #[test]
    fn rounding_carries_into_the_next_prefix() {
        let shown =
            [si(999.4, "B"), si(999.6, "B"), si(0.9996, "s"), si(0.000_999_6, "s"), si(9.996, "s"), si(1e22, "B")];
        let expected = ["999 B", "1.00 kB", "1.00 s", "1.00 ms", "10.0 s", "10,000 EB"];
        assert_eq!(shown.map(|text| plain(&text)), expected);
        assert_eq!(
            [999_949, 999_950, 99_999, 100_000].map(|n| plain(&count(n))),
            ["999.9 k", "1.0 M", "99,999", "100.0 k"]
        );
        assert_eq!(
            [999.99, 999.996, 9_999.6, 999_600.0].map(|n| plain(&money(n, "$"))),
            ["$999.99", "$1,000", "$10.0 k", "$1.00 M"]
        );
    }

    /// Protects: both ends of a band are in the unit of the value, whatever their own size.
    #[test]
    fn a_band_has_the_unit_of_its_value() {
        let shown = |ends| si_range(ends, "s").map(|text| plain(&text));
        assert_eq!(shown([151e-6, 188e-6, 1.235e-3]), ["188 µs", "151–1,235"]);
        assert_eq!(shown([0.98, 1.524, 2.1]), ["1.52 s", "0.98–2.10"]);
        assert_eq!(shown([0.0, 0.0, 0.5]), ["0 s", "0.00–0.50"]);
    }

    /// Protects: a negative number that rounds to zero shows no minus.
    #[test]
    fn nothing_is_never_negative() {
        assert_eq!(fixed(-0.004, 2), "0.00");
        assert_eq!(signed(-0.004, 2), "0");
        assert_eq!(fixed(-1_234_567.8, 1), "−1,234,567.8");
        assert_eq!(plain(&si(0.0, "B/s")), "0 B/s");
    }

    /// Protects: an absent value is a dash, never zero.
    #[test]
    fn absent_is_a_dash() {
        assert_eq!(or_absent(None, |share| percent(share, 1)), "—");
        assert_eq!(plain(&or_absent(Some(Fraction::ZERO), |share| percent(share, 1))), "0.0 %");
    }

    /// Protects: capacities are binary, and whole ones show no decimals.
    #[test]
    fn capacities_are_binary() {
        let shown = [95.0, 1536.0, 0.5, 31.25].map(|gib| plain(&capacity(Byte::from_gib(gib))));
        assert_eq!(shown, ["95 GiB", "1.5 TiB", "512 MiB", "31.2 GiB"]);
    }
}
