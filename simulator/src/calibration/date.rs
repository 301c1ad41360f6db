//! Days of the Gregorian calendar, only to tell how old a figure is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A day, written "2026-11-30".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

/// A text that is no day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is not a day; write it as 2026-11-30")]
pub struct BadDate {
    /// The text, shortened where it is long.
    pub text: String,
}

impl Date {
    /// Days from this day to another; negative if that lies before.
    pub fn days_until(self, other: Self) -> i64 {
        other.number() - self.number()
    }

    /// Days since the first of March of the year 0: Howard Hinnant, "chrono-compatible low-level date algorithms".
    fn number(self) -> i64 {
        let (month, day) = (i64::from(self.month), i64::from(self.day));
        let year = i64::from(self.year) - i64::from(month <= 2);
        let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        365 * year + year / 4 - year / 100 + year / 400 + day_of_year
    }
}

const fn days_in(year: i32, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl FromStr for Date {
    type Err = BadDate;

    fn from_str(text: &str) -> Result<Self, BadDate> {
        let bad = || BadDate { text: text.chars().take(40).collect() };
        let is_plain = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        let mut parts = text.split('-').filter(|_| is_plain);
        let mut next = || parts.next().and_then(|part| part.parse::<u16>().ok()).ok_or_else(bad);
        let (year, month, day) = (i32::from(next()?), next()? as u8, next()? as u8);
        let is_day = year > 0 && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
        if is_day { Ok(Self { year, month, day }) } else { Err(bad()) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl TryFrom<String> for Date {
    type Error = BadDate;

    fn try_from(text: String) -> Result<Self, BadDate> {
        text.parse()
    }
}

impl From<Date> for String {
    fn from(date: Date) -> Self {
        date.to_string()
    }
}
