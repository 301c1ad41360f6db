//! What is free at a date, with slices that start and end on days.

use std::collections::BTreeSet;
use std::fmt;

use super::floor::{Floor, place_chips};
use super::search::NoRoom;
use super::{BlockedBy, Fit};
use crate::chip::Generation;
use crate::fleet::{Place, Pod, SliceId, TeamId};
use crate::shape::{Coord, Shape};

/// Days from one to before another. Days are whole numbers from any common origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Days {
    /// First day.
    pub from: i32,
    /// The first day after it; absent if it is not known when it ends.
    pub until: Option<i32>,
}

impl Days {
    /// From a day to before another.
    pub const fn new(from: i32, until: i32) -> Self {
        Self { from, until: Some(until) }
    }

    /// One day.
    pub const fn on(day: i32) -> Self {
        Self { from: day, until: Some(day.saturating_add(1)) }
    }

    /// Whether it has no day.
    pub fn is_empty(self) -> bool {
        self.until.is_some_and(|until| until <= self.from)
    }

    /// The days of both; `None` if they have none in common.
    pub fn common(self, other: Self) -> Option<Self> {
        let until = match (self.until, other.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let common = Self { from: self.from.max(other.from), until };
        (!self.is_empty() && !other.is_empty() && !common.is_empty()).then_some(common)
    }
}

impl fmt::Display for Days {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.until {
            Some(until) => write!(f, "days {} to {}", self.from, until.saturating_sub(1)),
            None => write!(f, "day {} on", self.from),
        }
    }
}

/// A place that is promised for some days.
#[derive(Debug, Clone, PartialEq)]
pub struct Reservation {
    /// Name of the slice; the same as that of a running slice says how long that slice runs and where.
    pub id: SliceId,
    /// To whom.
    pub team: Option<TeamId>,
    /// Size of the slice.
    pub shape: Shape,
    /// Where.
    pub place: Place,
    /// When.
    pub days: Days,
}

/// Two that want the same chips on the same days, or one that wants chips that do not work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The reservation.
    pub id: SliceId,
    /// What it meets.
    pub with: BlockedBy,
    /// The days of both.
    pub days: Days,
    /// Chips that both want.
    pub n_chips: usize,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chips = if self.n_chips == 1 { "chip" } else { "chips" };
        write!(f, "{} needs {} {chips} {} on {}", self.id, self.n_chips, self.with, self.days)
    }
}

/// A pod with its reservations. Running slices without a reservation of their name never end; faults and spares stay as
/// they are now.
#[derive(Debug, Clone)]
pub struct Calendar<'a> {
    pod: &'a Pod,
    generation: &'a Generation,
    bookings: Vec<Reservation>,
}

impl<'a> Calendar<'a> {
    /// The calendar of a pod.
    pub fn new(pod: &'a Pod, generation: &'a Generation, reservations: &[Reservation]) -> Self {
        let mut bookings = reservations.to_vec();
        let reserved: BTreeSet<&SliceId> = reservations.iter().map(|reservation| &reservation.id).collect();
        let running = pod.slices.iter().filter(|slice| !reserved.contains(&slice.id));
        bookings.extend(running.map(|slice| Reservation {
            id: slice.id.clone(),
            team: slice.team.clone(),
            shape: slice.shape,
            place: slice.place.clone(),
            days: Days { from: i32::MIN, until: None },
        }));
        bookings.sort_by(|a, b| (&a.id, a.days).cmp(&(&b.id, b.days)));
        Self { pod, generation, bookings }
    }

    /// The floor of chips that are free on all of some days: whatever is reserved on one of them is taken.
    pub fn floor(&self, days: Days) -> Floor<'a> {
        let empty = Pod { slices: Vec::new(), ..self.pod.clone() };
        let mut floor = Floor::new(&empty, self.generation);
        for booking in self.bookings.iter().filter(|booking| booking.days.common(days).is_some()) {
            floor.block(place_chips(&booking.place), &BlockedBy::Slice(booking.id.clone()));
        }
        floor
    }

    /// Where a slice fits best on all of some days.
    ///
    /// # Errors
    /// If it fits nowhere.
    pub fn best(&self, shape: Shape, days: Days) -> Result<Place, NoRoom> {
        self.floor(days).best(shape)
    }

    /// The first day from one on, before another, from which a slice has a place for so many days.
    ///
    /// Only the first day and days on which a reservation ends are tried: room appears on no other day.
    pub fn first_day(&self, shape: Shape, n_days: u16, between: (i32, i32)) -> Option<(i32, Place)> {
        let ends = self.bookings.iter().filter_map(|booking| booking.days.until);
        let starts: BTreeSet<i32> =
            ends.chain([between.0]).filter(|day| (between.0..between.1).contains(day)).collect();
        starts.into_iter().find_map(|day| {
            let days = Days::new(day, day.saturating_add(i32::from(n_days)));
            Some((day, self.best(shape, days).ok()?))
        })
    }

    /// Every pair that wants the same chips on the same days, and every reservation of chips that are held back or
    /// out of service.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let chips: Vec<BTreeSet<Coord>> =
            self.bookings.iter().map(|booking| place_chips(&booking.place).collect()).collect();
        let idle = Floor::new(&Pod { slices: Vec::new(), ..self.pod.clone() }, self.generation);
        let mut conflicts = Vec::new();
        for (i, booking) in self.bookings.iter().enumerate() {
            for by in [BlockedBy::Spare, BlockedBy::Broken] {
                let inside = chips[i].iter().filter(|chip| self.pod.shape.contains(**chip));
                let n_chips = inside.filter(|chip| idle.blocked_by(**chip).as_ref() == Some(&by)).count();
                if n_chips > 0 {
                    conflicts.push(Conflict { id: booking.id.clone(), with: by, days: booking.days, n_chips });
                }
            }
            for (other, other_chips) in self.bookings.iter().zip(&chips).skip(i + 1) {
                let Some(days) = booking.days.common(other.days) else { continue };
                let n_chips = chips[i].intersection(other_chips).count();
                if n_chips > 0 {
                    let with = BlockedBy::Slice(other.id.clone());
                    conflicts.push(Conflict { id: booking.id.clone(), with, days, n_chips });
                }
            }
        }
        conflicts
    }

    /// Whether a reservation could be added, and what is in its way.
    pub fn fits(&self, reservation: &Reservation) -> Fit {
        self.floor(reservation.days).fits_place(reservation.shape, &reservation.place)
    }
}
