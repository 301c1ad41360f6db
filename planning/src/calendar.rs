//! Working calendars: which days of the week are worked, which dates are not, and in which time zone a day begins.
//!
//! Two forms: [`WorkCalendar`] as it stands in a file, and [`WorkDays`], compiled for arithmetic. Arithmetic is on
//! *boundaries*: boundary `b` is the midnight at which day `b` begins, days being counted from an origin. Work of
//! one day that starts at boundary 3 ends at boundary 4. Every operation is O(log holidays).

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::roadmap::days_between;

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum WeekDay {
    /// Monday.
    Monday,
    /// Tuesday.
    Tuesday,
    /// Wednesday.
    Wednesday,
    /// Thursday.
    Thursday,
    /// Friday.
    Friday,
    /// Saturday.
    Saturday,
    /// Sunday.
    Sunday,
}

impl WeekDay {
    /// All of them, Monday first.
    pub const ALL: [Self; 7] =
        [Self::Monday, Self::Tuesday, Self::Wednesday, Self::Thursday, Self::Friday, Self::Saturday, Self::Sunday];

    /// The English name in lower case, as Mermaid writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Monday => "monday",
            Self::Tuesday => "tuesday",
            Self::Wednesday => "wednesday",
            Self::Thursday => "thursday",
            Self::Friday => "friday",
            Self::Saturday => "saturday",
            Self::Sunday => "sunday",
        }
    }
}

impl From<Weekday> for WeekDay {
    fn from(day: Weekday) -> Self {
        Self::ALL[day.to_monday_zero_offset() as usize]
    }
}

/// When is worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkCalendar {
    /// Unique name, which items refer to.
    pub name: String,
    /// Days of the week on which nobody works.
    #[serde(default = "weekend")]
    pub rest_days: Vec<WeekDay>,
    /// Dates on which nobody works.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holidays: Vec<Date>,
    /// IANA name of the time zone in which its days begin, such as "Europe/Berlin"; absent for UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

fn weekend() -> Vec<WeekDay> {
    vec![WeekDay::Saturday, WeekDay::Sunday]
}

/// Why a calendar cannot be used as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalendarError {
    /// No day of the week is worked.
    #[error("calendar {name} has no working day; take a day out of its rest days")]
    NoWorkingDay {
        /// Its name.
        name: String,
    },
    /// The time zone is not known.
    #[error("there is no time zone \"{zone}\"; use an IANA name such as Europe/Berlin")]
    UnknownZone {
        /// The name.
        zone: String,
    },
}

impl WorkCalendar {
    /// Monday to Friday, without holidays, in UTC.
    pub fn weekdays(name: impl Into<String>) -> Self {
        Self { name: name.into(), rest_days: weekend(), holidays: Vec::new(), time_zone: None }
    }

    /// Whether that date is worked.
    pub fn is_working(&self, date: Date) -> bool {
        !self.rest_days.contains(&WeekDay::from(date.weekday())) && !self.holidays.contains(&date)
    }

    /// The time zone of its days.
    pub fn zone(&self) -> Result<TimeZone, CalendarError> {
        zone(self.time_zone.as_deref())
    }

    /// The date on which a moment lies in its time zone.
    pub fn date_of(&self, moment: Timestamp) -> Result<Date, CalendarError> {
        Ok(self.zone()?.to_datetime(moment).date())
    }

    /// What keeps it from being used.
    pub fn check(&self) -> Result<(), CalendarError> {
        if WeekDay::ALL.iter().all(|day| self.rest_days.contains(day)) {
            return Err(CalendarError::NoWorkingDay { name: self.name.clone() });
        }
        self.zone().map(drop)
    }
}

/// A time zone by its IANA name; UTC without one.
pub fn zone(name: Option<&str>) -> Result<TimeZone, CalendarError> {
    let Some(name) = name.filter(|name| !matches!(*name, "UTC" | "Etc/UTC" | "Z")) else { return Ok(TimeZone::UTC) };
    TimeZone::get(name).ok().ok_or_else(|| CalendarError::UnknownZone { zone: name.to_owned() })
}

/// A calendar compiled for arithmetic, with days counted from an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkDays {
    /// Worked days of the week by their number from the origin's weekday; empty if every day is worked.
    worked: Vec<i64>,
    /// How many of the days before each of the seven are worked.
    before: [i64; 7],
    /// Holidays on days that would else be worked, ascending.
    holidays: Vec<i64>,
}

impl WorkDays {
    /// Every day is worked.
    pub fn every_day() -> Self {
        Self { worked: Vec::new(), before: [0; 7], holidays: Vec::new() }
    }

    /// Compiles a calendar. One without a working day, which [`WorkCalendar::check`] refuses, counts as working always.
    pub fn new(calendar: &WorkCalendar, origin: Date) -> Self {
        let first = origin.weekday().to_monday_zero_offset() as usize;
        let is_worked = |i: usize| !calendar.rest_days.contains(&WeekDay::ALL[(first + i) % 7]);
        let worked: Vec<i64> = (0..7).filter(|i| is_worked(*i)).map(|i| i as i64).collect();
        if worked.is_empty() || (worked.len() == 7 && calendar.holidays.is_empty()) {
            return Self::every_day();
        }
        let before = std::array::from_fn(|i| worked.iter().filter(|day| **day < i as i64).count() as i64);
        let holidays: BTreeSet<i64> = (calendar.holidays.iter())
            .map(|date| i64::from(days_between(origin, *date)))
            .filter(|day| worked.contains(&day.rem_euclid(7)))
            .collect();
        Self { worked, before, holidays: holidays.into_iter().collect() }
    }

    /// Whether every day is worked, so that boundaries and working days are the same numbers.
    fn is_plain(&self) -> bool {
        self.worked.is_empty()
    }

    /// Position of a boundary in working days: the count of working days before it, from an arbitrary zero.
    pub fn position(&self, boundary: i64) -> i64 {
        if self.is_plain() {
            return boundary;
        }
        let (week, day) = (boundary.div_euclid(7), boundary.rem_euclid(7) as usize);
        let holidays = self.holidays.partition_point(|holiday| *holiday < boundary) as i64;
        week * self.worked.len() as i64 + self.before[day] - holidays
    }

    /// The day that is worked at a position: `position(day_at(k)) == k` and the day is a working day.
    pub fn day_at(&self, position: i64) -> i64 {
        if self.is_plain() {
            return position;
        }
        let per_week = self.worked.len() as i64;
        let mut skipped = 0;
        loop {
            let n = position + skipped;
            let day = n.div_euclid(per_week) * 7 + self.worked[n.rem_euclid(per_week) as usize];
            let holidays = self.holidays.partition_point(|holiday| *holiday <= day) as i64;
            if holidays == skipped {
                return day;
            }
            skipped = holidays;
        }
    }

    /// Whether the day that begins at a boundary is worked.
    pub fn is_worked(&self, day: i64) -> bool {
        self.is_plain() || self.day_at(self.position(day)) == day
    }

    /// The first boundary at or after this one at which work can start.
    pub fn align(&self, boundary: i64) -> i64 {
        self.day_at(self.position(boundary))
    }

    /// The last boundary at or before this one at which work can start.
    pub fn align_back(&self, boundary: i64) -> i64 {
        if self.is_worked(boundary) { boundary } else { self.day_at(self.position(boundary) - 1) }
    }

    /// The end of `days` of work that starts at the boundary; the boundary itself for no work.
    pub fn finish(&self, start: i64, days: i64) -> i64 {
        if days <= 0 { start } else { self.day_at(self.position(start) + days - 1) + 1 }
    }

    /// The last start from which `days` of work end at or before the boundary; the boundary itself for no work.
    pub fn start(&self, finish: i64, days: i64) -> i64 {
        if days <= 0 { finish } else { self.day_at(self.position(finish) - days) }
    }

    /// The first end of a working day at or after the boundary.
    pub fn align_finish(&self, boundary: i64) -> i64 {
        self.align(boundary - 1) + 1
    }

    /// A boundary moved by working days, forward or back.
    pub fn shift(&self, boundary: i64, days: i64) -> i64 {
        if days >= 0 { self.finish(boundary, days) } else { self.start(boundary, -days) }
    }

    /// The last boundary that [`Self::shift`] by `days` does not carry past `limit`.
    pub fn unshift(&self, limit: i64, days: i64) -> i64 {
        if days >= 0 {
            return self.start(limit, days);
        }
        let position = self.position(limit) - i64::from(!self.is_worked(limit));
        self.day_at(position - days)
    }

    /// Working days from one boundary to another, negative if it lies before.
    pub fn between(&self, from: i64, to: i64) -> i64 {
        self.position(to) - self.position(from)
    }

    /// A moment moved forward by working time: `moment` and `days` count in days, with fractions.
    pub fn advance(&self, moment: f64, days: f64) -> f64 {
        if self.is_plain() || days <= 0.0 {
            return moment + days.max(0.0);
        }
        let day = moment.floor();
        let whole = day as i64;
        let part = if self.is_worked(whole) { moment - day } else { 0.0 };
        let target = self.position(whole) as f64 + part + days;
        let position = target.ceil() - 1.0;
        self.day_at(position as i64) as f64 + (target - position)
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    const ORIGIN: Date = date(2026, 11, 30);

    fn calendar(rest: &[usize], holidays: &[i32]) -> WorkCalendar {
        WorkCalendar {
            rest_days: rest.iter().map(|i| WeekDay::ALL[*i]).collect(),
            holidays: holidays.iter().map(|n| ORIGIN.checked_add(n.days()).unwrap()).collect(),
            ..WorkCalendar::weekdays("test")
        }
    }

    proptest! {
        /// Protects every date on screen: the arithmetic agrees with stepping over the days one by one.
        #[test]
        fn agrees_with_stepping_day_by_day(
            rest in prop::collection::vec(0..7_usize, 0..6),
            holidays in prop::collection::vec(-60..60_i32, 0..12),
            from in -50..50_i64,
            days in 0..30_i64,
        ) {
            let calendar = calendar(&rest, &holidays);
            let compiled = WorkDays::new(&calendar, ORIGIN);
            let is_worked = |day: i64| calendar.is_working(ORIGIN.checked_add((day as i32).days()).unwrap());
            let stepped_finish = |start: i64, days: i64| {
                let (mut at, mut left) = (start, days);
                while left > 0 {
                    left -= i64::from(is_worked(at));
                    at += 1;
                }
                at
            };
            prop_assert_eq!(compiled.is_worked(from), is_worked(from));
            prop_assert_eq!(compiled.align(from), (from..from + 400).find(|day| is_worked(*day)).unwrap());
            prop_assert_eq!(compiled.align_back(from), (-400..=from).rev().find(|day| is_worked(*day)).unwrap());
            prop_assert_eq!(compiled.finish(from, days), stepped_finish(from, days));
            let start = compiled.start(from, days);
            prop_assert!(stepped_finish(start, days) <= from);
            prop_assert!(days == 0 || stepped_finish(start + 1, days) > from);
            let counted = (from..from + days).filter(|day| is_worked(*day)).count() as i64;
            prop_assert_eq!(compiled.between(from, from + days), counted);
            for lag in [days, -days] {
                let last = compiled.unshift(from, lag);
                prop_assert!(compiled.shift(last, lag) <= from && compiled.shift(last + 1, lag) > from);
            }
            prop_assert_eq!(compiled.advance(from as f64, days as f64), compiled.finish(from, days) as f64);
            let halves = compiled.advance(compiled.advance(from as f64, days as f64 / 2.0), days as f64 / 2.0);
            prop_assert!((halves - compiled.finish(from, days) as f64).abs() < 1e-6);
        }
    }

    /// Protects dates near midnight: the same moment lies on different dates, also across a change of the clocks.
    #[test]
    fn a_moment_lies_on_the_date_of_the_calendars_zone() {
        let berlin = WorkCalendar { time_zone: Some("Europe/Berlin".to_owned()), ..WorkCalendar::weekdays("b") };
        let on = |text: &str| berlin.date_of(text.parse().unwrap()).unwrap();
        assert_eq!(on("2026-03-28T23:30:00Z"), date(2026, 3, 29), "winter time, one hour ahead");
        assert_eq!(on("2026-03-29T21:30:00Z"), date(2026, 3, 29), "summer time, two hours ahead");
        assert_eq!(on("2026-03-29T22:00:00Z"), date(2026, 3, 30));
        let nowhere = WorkCalendar { time_zone: Some("Mars/Olympus".to_owned()), ..WorkCalendar::weekdays("m") };
        assert_eq!(
            nowhere.check().unwrap_err().to_string().split(';').next(),
            Some("there is no time zone \"Mars/Olympus\"")
        );
    }

    #[test]
    fn a_calendar_without_a_working_day_is_refused() {
        let never = calendar(&[0, 1, 2, 3, 4, 5, 6], &[]);
        assert!(matches!(never.check(), Err(CalendarError::NoWorkingDay { .. })));
        assert_eq!(WorkDays::new(&never, ORIGIN), WorkDays::every_day());
    }
}
