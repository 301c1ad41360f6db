//! The only place that reads a clock. Everything else takes the time as an argument.

use std::time::{Duration, Instant};

use jiff::civil::Date;
use jiff::{Timestamp, ZonedDateTime};

/// A moment as the program needs it: for telemetry, for the calendar, for the eye.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Now {
    /// Seconds since 1970-01-01 UTC.
    pub unix_s: i64,
    /// The local date.
    pub today: Date,
    /// Seconds that local time is ahead of UTC.
    pub offset_s: i32,
}

impl Now {
    /// The present moment.
    pub fn read() -> Self {
        let zoned = ZonedDateTime::now();
        Self { unix_s: zoned.timestamp().as_second(), today: zoned.date(), offset_s: zoned.offset().seconds() }
    }

    /// Noon UTC of a date, for pictures and tests that must not depend on when they are made.
    pub fn noon_of(date: Date) -> Self {
        let unix_s = date
            .at(12, 0, 0, 0)
            .to_zoned_datetime(jiff::tz::TimeZone::UTC)
            .map_or(0, |zoned| zoned.timestamp().as_second());
        Self { unix_s, today: date, offset_s: 0 }
    }

    /// Local wall-clock time of a moment, as "10:42:18".
    pub fn clock_of(&self, unix_s: i64) -> String {
        let second = (unix_s + i64::from(self.offset_s)).rem_euclid(86_400);
        format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
    }
}

/// The present moment in ISO 8601, for file heads.
pub fn timestamp_text() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The present moment in Unix milliseconds.
pub fn unix_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

/// Measures how long something takes.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    #[expect(clippy::disallowed_methods, reason = "this module is the clock")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
