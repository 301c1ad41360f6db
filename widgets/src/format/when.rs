//! Durations, ages, dates and clock times.

use topology::units::Seconds;

use super::{NBSP, fixed, si};

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3_600.0;
const DAY: f64 = 86_400.0;

/// How long: "862 ms", "4.12 s", "4 min 12 s", "38 min", "1 h 04", "2 d 3 h", "12 d".
pub fn duration(time: Seconds) -> String {
    let seconds = time.get();
    let parts = |large: f64, small: f64| {
        let total = (seconds / small).round();
        let per = large / small;
        ((total / per).floor(), total % per)
    };
    if seconds < 59.95 {
        si(seconds, "s")
    } else if seconds < 10.0 * MINUTE - 0.5 {
        match parts(MINUTE, 1.0) {
            (minutes, 0.0) => format!("{minutes}{NBSP}min"),
            (minutes, rest) => format!("{minutes}{NBSP}min{NBSP}{rest}{NBSP}s"),
        }
    } else if seconds < HOUR - 30.0 {
        format!("{}{NBSP}min", (seconds / MINUTE).round())
    } else if seconds < DAY - 30.0 {
        let (hours, minutes) = parts(HOUR, MINUTE);
        format!("{hours}{NBSP}h{NBSP}{minutes:02}")
    } else if seconds < 10.0 * DAY - HOUR / 2.0 {
        match parts(DAY, HOUR) {
            (days, 0.0) => format!("{days}{NBSP}d"),
            (days, hours) => format!("{days}{NBSP}d{NBSP}{hours}{NBSP}h"),
        }
    } else {
        format!("{}{NBSP}d", fixed(seconds / DAY, 0))
    }
}

/// A measured time in days, as plans use it: "9.4 d".
pub fn days(time: Seconds) -> String {
    format!("{}{NBSP}d", fixed(time.get() / DAY, 1))
}

/// One unit, rounded down: an age is never overstated.
fn age(time: Seconds) -> String {
    let seconds = time.get();
    let (value, unit) = match seconds {
        _ if seconds < 0.1 => (0.0, "s"),
        _ if seconds < 1.0 => return format!("{}{NBSP}s", fixed((seconds * 10.0).floor() / 10.0, 1)),
        _ if seconds < MINUTE => (seconds, "s"),
        _ if seconds < HOUR => (seconds / MINUTE, "min"),
        _ if seconds < 2.0 * DAY => (seconds / HOUR, "h"),
        _ => (seconds / DAY, "d"),
    };
    format!("{}{NBSP}{unit}", value.floor())
}

/// How far a live source is behind: "12 s behind".
pub fn behind(time: Seconds) -> String {
    format!("{} behind", age(time))
}

/// How old a value is: "2 h old".
pub fn old(time: Seconds) -> String {
    format!("{} old", age(time))
}

/// A calendar day of the Gregorian calendar, already in the reader's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// Year, such as 2026.
    pub year: i16,
    /// Month from 1 to 12.
    pub month: u8,
    /// Day of the month from 1.
    pub day: u8,
}

impl Date {
    /// "4 Dec", or "4 Dec 2027" when the year is not `this_year`.
    pub fn text(self, this_year: i16) -> String {
        const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let month = MONTHS[usize::from(self.month.clamp(1, 12)) - 1];
        if self.year == this_year {
            format!("{}{NBSP}{month}", self.day)
        } else {
            format!("{}{NBSP}{month}{NBSP}{}", self.day, self.year)
        }
    }
}

/// Time of day on the 24 hour clock: "10:42:18".
pub fn clock(hour: u8, minute: u8, second: u8) -> String {
    format!("{hour:02}:{minute:02}:{second:02}")
}

/// An ISO week: "W48".
pub fn week(number: u8) -> String {
    format!("W{number:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        text.replace(NBSP, " ")
    }

    /// Protects: the forms of the style guide, and that rounding never shows "60 s" or "1 h 60".
    #[test]
    fn durations_change_their_form_with_their_size() {
        for (seconds, expected) in [
            (0.0, "0 s"),
            (0.862, "862 ms"),
            (4.123, "4.12 s"),
            (59.97, "1 min"),
            (252.0, "4 min 12 s"),
            (599.6, "10 min"),
            (2_280.0, "38 min"),
            (3_599.0, "1 h 00"),
            (3_840.0, "1 h 04"),
            (7_199.0, "2 h 00"),
            (86_399.0, "1 d"),
            (183_600.0, "2 d 3 h"),
            (863_999.0, "10 d"),
            (1_036_800.0, "12 d"),
        ] {
            assert_eq!(plain(&duration(Seconds::new(seconds))), expected, "{seconds} s");
        }
        assert_eq!(plain(&days(Seconds::new(9.4 * DAY))), "9.4 d");
    }

    /// Protects: ages are rounded down to one unit.
    #[test]
    fn ages_are_never_overstated() {
        let shown = [0.0, 0.49, 12.9, 119.0, 7_300.0, 172_799.0, 172_800.0].map(|s| plain(&old(Seconds::new(s))));
        assert_eq!(shown, ["0 s old", "0.4 s old", "12 s old", "1 min old", "2 h old", "47 h old", "2 d old"]);
        assert_eq!(plain(&behind(Seconds::new(12.0))), "12 s behind");
    }

    /// Protects: the year is shown only when it is not the current one.
    #[test]
    fn dates_leave_out_this_year() {
        let date = Date { year: 2026, month: 12, day: 4 };
        assert_eq!(plain(&date.text(2026)), "4 Dec");
        assert_eq!(plain(&date.text(2027)), "4 Dec 2026");
        assert_eq!((clock(9, 5, 0), week(5)), ("09:05:00".to_owned(), "W05".to_owned()));
    }
}
