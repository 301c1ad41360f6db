//! Days as whole numbers, and the little calendar that an axis needs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A day, counted from 1 January 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Day(pub i32);

/// Short names of the months, January first.
pub const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Days from 1 March of year 0 to 1 January 1970 in the proleptic Gregorian calendar.
const EPOCH: i32 = 719_468;
/// Days in 400 years.
const ERA: i32 = 146_097;

impl Day {
    /// From a date of the Gregorian calendar; `month` from 1 to 12.
    ///
    /// Method: Howard Hinnant, "chrono-compatible low-level date algorithms", `days_from_civil`: years begin in
    /// March, so the leap day is the last of its year.
    pub const fn from_civil(year: i32, month: u32, day: u32) -> Self {
        let shifted = if month <= 2 { year - 1 } else { year };
        let era = shifted.div_euclid(400);
        let of_era = shifted.rem_euclid(400);
        let of_year = (153 * ((month as i32 + 9) % 12) + 2) / 5 + day as i32 - 1;
        Self(era * ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH)
    }

    /// Year, month (1 to 12) and day of the month; `civil_from_days` of the same source.
    pub const fn civil(self) -> (i32, u32, u32) {
        let days = self.0 + EPOCH;
        let era = days.div_euclid(ERA);
        let of_era = days.rem_euclid(ERA);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let from_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * from_march + 2) / 5 + 1;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        (year + era * 400 + if month <= 2 { 1 } else { 0 }, month as u32, day as u32)
    }

    /// This day moved by whole days.
    pub const fn plus(self, days: i32) -> Self {
        Self(self.0 + days)
    }

    /// The first day of this day's month.
    pub const fn month_start(self) -> Self {
        let (year, month, _) = self.civil();
        Self::from_civil(year, month, 1)
    }

    /// The first day of the month after this day's.
    pub const fn next_month(self) -> Self {
        let (year, month, _) = self.civil();
        if month == 12 { Self::from_civil(year + 1, 1, 1) } else { Self::from_civil(year, month + 1, 1) }
    }
}

impl fmt::Display for Day {
    /// "4 Dec 2026".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{day} {} {year}", MONTHS[month as usize - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree_with_known_ones() {
        for (date, day) in [((1970, 1, 1), 0), ((2000, 3, 1), 11_017), ((2026, 11, 30), 20_787), ((1969, 12, 31), -1)] {
            assert_eq!(Day::from_civil(date.0, date.1, date.2), Day(day), "{date:?}");
            assert_eq!(Day(day).civil(), date);
        }
    }

    #[test]
    fn every_day_of_eight_centuries_comes_back_and_follows_the_one_before() {
        let mut before = Day::from_civil(1599, 12, 31).civil();
        for day in Day::from_civil(1600, 1, 1).0..Day::from_civil(2400, 1, 1).0 {
            let (year, month, of_month) = Day(day).civil();
            assert_eq!(Day::from_civil(year, month, of_month), Day(day));
            let next_day = (year, month) == (before.0, before.1) && of_month == before.2 + 1;
            assert!(next_day || of_month == 1 && before.2 >= 28, "{before:?} then {year} {month} {of_month}");
            before = (year, month, of_month);
        }
    }

    #[test]
    fn months_step_over_the_end_of_a_year() {
        assert_eq!(Day::from_civil(2026, 12, 31).next_month(), Day::from_civil(2027, 1, 1));
        assert_eq!(Day::from_civil(2028, 2, 29).month_start(), Day::from_civil(2028, 2, 1));
        assert_eq!(Day::from_civil(2026, 12, 4).to_string(), "4 Dec 2026");
    }
}
