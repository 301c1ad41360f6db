//! Dates and moments in the shapes that other tools write.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

/// In which order the numbers of a date such as 6/7/2026 stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayOrder {
    /// Day, month, year.
    DayFirst,
    /// Month, day, year.
    MonthFirst,
}

/// What a text says about an order: the numbers of a date written with slashes, dots or dashes.
fn numbers(text: &str) -> Option<[u32; 3]> {
    let date = text.split_whitespace().next()?;
    let mut parts = date.split(['/', '.', '-']);
    let parts = [parts.next()?, parts.next()?, parts.next()?].map(|part| part.parse().ok());
    let [Some(a), Some(b), Some(c)] = parts else { return None };
    Some([a, b, c])
}

/// The order that the dates of a column can only have; `None` if each could be read both ways.
pub fn order_of<'a>(texts: impl Iterator<Item = &'a str>) -> Option<DayOrder> {
    texts.filter_map(numbers).find_map(|numbers| match numbers {
        [13..=31, _, _] => Some(DayOrder::DayFirst),
        [_, 13..=31, _] => Some(DayOrder::MonthFirst),
        _ => None,
    })
}

/// Whether a date can only be read once the order is known.
pub fn needs_order(text: &str) -> bool {
    numbers(text).is_some_and(|[a, b, _]| a <= 31 && a != b && b <= 31)
}

/// A moment with an offset: RFC 3339, and Jira's offset without a colon.
pub fn timestamp(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    let at = text.len().checked_sub(5)?;
    let (head, offset) = text.split_at_checked(at)?;
    if !offset.starts_with(['+', '-']) || !offset[1..].bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{head}{}:{}", &offset[..3], &offset[3..]).parse().ok()
}

/// A clock time on a date without a zone: ISO, `05/Oct/26 9:12 AM`, `6/21/2025 16:14`, `21.6.2025`.
pub fn civil(text: &str, order: Option<DayOrder>) -> Option<DateTime> {
    let text = text.trim();
    if let Ok(iso) = text.parse::<DateTime>() {
        return Some(iso);
    }
    let (date, time) = text.split_once([' ', 'T']).map_or((text, None), |(date, time)| (date, Some(time)));
    let date = civil_date(date, order)?;
    Some(date.to_datetime(time.map_or(Some(Time::midnight()), clock)?))
}

fn civil_date(text: &str, order: Option<DayOrder>) -> Option<Date> {
    let parts: Vec<&str> = text.split(['/', '.', '-']).collect();
    let [a, b, c] = parts[..] else { return None };
    let (day, month, year) = if let Some(month) = month_of(b) {
        (a, month, c)
    } else if a.len() == 4 {
        (c, b.parse().ok()?, a)
    } else if a == b || order == Some(DayOrder::DayFirst) {
        (a, b.parse().ok()?, c)
    } else if order == Some(DayOrder::MonthFirst) {
        (b, a.parse().ok()?, c)
    } else {
        return None;
    };
    let year: i16 = match year.len() {
        2 => 2000 + year.parse::<i16>().ok()?,
        _ => year.parse().ok()?,
    };
    Date::new(year, month, day.parse().ok()?).ok()
}

fn month_of(text: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let start = text.get(..3)?.to_ascii_lowercase();
    MONTHS.iter().position(|month| *month == start).map(|i| i as i8 + 1)
}

/// "16:14", "9:12 AM", "03:26:10 pm".
fn clock(text: &str) -> Option<Time> {
    let lower = text.trim().to_ascii_lowercase();
    let (digits, half) = match lower.strip_suffix("am") {
        Some(digits) => (digits, Some(0)),
        None => lower.strip_suffix("pm").map_or((lower.as_str(), None), |digits| (digits, Some(12))),
    };
    let mut parts = digits.trim().split(':').map(|part| part.parse::<i8>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    let hour = match half {
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return None,
        None => hour,
    };
    Time::new(hour, minute, second, 0).ok()
}

/// The moment of a clock time in a zone; in a gap of the clocks the time after it, in a fold the first.
pub fn moment(civil: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_zoned_datetime(civil).compatible().ok().map(|zoned| zoned.timestamp())
}

/// Whether a date can be meant: years outside of 1970 to 2199 are typing errors or placeholders.
pub fn is_plausible(date: Date) -> bool {
    (1970..2200).contains(&date.year())
}

/// Days from one moment to another, with fractions.
pub fn days_between(from: Timestamp, to: Timestamp) -> f64 {
    (to.as_millisecond() - from.as_millisecond()) as f64 / 86_400_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects against a shift of dates: each shape that tools write gives its one moment.
    #[test]
    fn shapes_of_dates_are_read() {
        let at = |text, order| civil(text, order).map(|at| at.to_string());
        for (text, order, expected) in [
            ("05/Oct/26 9:12 AM", None, "2026-10-05T09:12:00"),
            ("11/May/24 03:26 PM", None, "2024-05-11T15:26:00"),
            ("1/Jan/26 12:00 AM", None, "2026-01-01T00:00:00"),
            ("6/21/2025 16:14", Some(DayOrder::MonthFirst), "2025-06-21T16:14:00"),
            ("21.6.2025", Some(DayOrder::DayFirst), "2025-06-21T00:00:00"),
            ("7/7/2025", None, "2025-07-07T00:00:00"),
            ("2026-11-30", None, "2026-11-30T00:00:00"),
            ("2026-11-30 08:15", None, "2026-11-30T08:15:00"),
        ] {
            assert_eq!(at(text, order).as_deref(), Some(expected), "{text}");
        }
        for text in ["6/7/2025", "31/Feb/26", "05/Oct/26 13:00 AM", "tomorrow", "", "99/99/99", "é/Oct/26"] {
            assert_eq!(at(text, None), None, "{text}");
        }
        assert_eq!(order_of(["6/7/2025", "6/21/2025"].into_iter()), Some(DayOrder::MonthFirst));
        assert_eq!(order_of(["6/7/2025"].into_iter()), None);
        assert!(needs_order("6/7/2025 10:00") && !needs_order("05/Oct/26"));
    }

    #[test]
    fn offsets_without_a_colon_are_read() {
        let jira = timestamp("2026-10-23T16:40:00.000+0200").unwrap();
        assert_eq!(jira.to_string(), "2026-10-23T14:40:00Z");
        assert_eq!(timestamp("2026-10-23T16:40:00Z").unwrap().to_string(), "2026-10-23T16:40:00Z");
        assert_eq!([timestamp("2026-10-23"), timestamp("é+0200"), timestamp("")], [None; 3]);
    }

    /// Protects durations across a change of the clocks: 02:30 does not exist, and the day has 23 hours.
    #[test]
    fn daylight_saving_is_counted() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let at = |text: &str| moment(text.parse().unwrap(), &berlin).unwrap();
        assert_eq!(at("2026-03-29T02:30:00").to_string(), "2026-03-29T01:30:00Z");
        assert!((days_between(at("2026-03-29T00:00:00"), at("2026-03-30T00:00:00")) * 24.0 - 23.0).abs() < 1e-9);
    }
}
