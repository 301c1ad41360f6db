//! The quantities that Podium computes with.
//!
//! Each has one canonical unit without prefixes; prefixes exist only in constructors and in the
//! text formatter of `widgets`. A quantity is finite and not negative: that is checked where
//! numbers enter (files, text fields, network), so arithmetic never has to ask.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul};

use serde::{Deserialize, Serialize};

/// Why a raw number cannot become a quantity.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{value} {unit} is not possible: the number must be finite and not negative")]
pub struct BadQuantity {
    value: f64,
    unit: &'static str,
}

/// Why a raw number cannot become a [`Fraction`].
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{0} is not a fraction: the number must lie between 0 and 1")]
pub struct BadFraction(f64);

macro_rules! quantities {
    ($($(#[$doc:meta])* $name:ident = $unit:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            /// Nothing of it.
            pub const ZERO: Self = Self(0.0);
            /// The canonical unit as text.
            pub const UNIT: &'static str = $unit;

            /// For values computed inside; use [`TryFrom`] for values from outside.
            ///
            /// # Panics
            /// If the value is negative or not finite, which is a fault of the caller.
            pub const fn new(value: f64) -> Self {
                assert!(value.is_finite() && value >= 0.0, "a quantity is finite and not negative");
                Self(value)
            }

            /// The number in the canonical unit.
            pub const fn get(self) -> f64 {
                self.0
            }

            /// The larger of two.
            pub fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// The smaller of two.
            pub fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }

            /// How many times `other` goes into this; `None` when `other` is zero.
            pub fn ratio(self, other: Self) -> Option<f64> {
                (other.0 > 0.0).then(|| self.0 / other.0)
            }
        }

        impl TryFrom<f64> for $name {
            type Error = BadQuantity;
            fn try_from(value: f64) -> Result<Self, BadQuantity> {
                if value.is_finite() && value >= 0.0 { Ok(Self(value)) } else { Err(BadQuantity { value, unit: $unit }) }
            }
        }
        impl From<$name> for f64 {
            fn from(quantity: $name) -> Self {
                quantity.0
            }
        }
        impl Add for $name {
            type Output = Self;
            fn add(self, rhs: Self) -> Self {
                Self(self.0 + rhs.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, rhs: Self) {
                self.0 += rhs.0;
            }
        }
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, Add::add)
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, rhs: f64) -> Self {
                Self::new(self.0 * rhs)
            }
        }
    )*};
}

/// States that `$whole = $rate × $time`, and derives the three other readings of it.
macro_rules! relation {
    ($whole:ident = $rate:ident * $time:ident) => {
        impl Mul<$time> for $rate {
            type Output = $whole;
            fn mul(self, rhs: $time) -> $whole {
                $whole(self.0 * rhs.0)
            }
        }
        impl Mul<$rate> for $time {
            type Output = $whole;
            fn mul(self, rhs: $rate) -> $whole {
                $whole(self.0 * rhs.0)
            }
        }
        impl Div<$rate> for $whole {
            type Output = Option<$time>;
            fn div(self, rhs: $rate) -> Option<$time> {
                (rhs.0 > 0.0).then(|| $time(self.0 / rhs.0))
            }
        }
        impl Div<$time> for $whole {
            type Output = Option<$rate>;
            fn div(self, rhs: $time) -> Option<$rate> {
                (rhs.0 > 0.0).then(|| $rate(self.0 / rhs.0))
            }
        }
    };
}

quantities! {
    /// Arithmetic operations, a count (one multiply-add is two).
    Flop = "FLOP";
    /// Arithmetic operations per second.
    FlopPerSec = "FLOP/s";
    /// Bytes (not bits).
    Byte = "B";
    /// Bytes per second, one direction.
    BytePerSec = "B/s";
    /// Seconds.
    Seconds = "s";
    /// Watts.
    Watt = "W";
    /// Joules.
    Joule = "J";
    /// United States dollars.
    Usd = "$";
    /// United States dollars per hour.
    UsdPerHour = "$/h";
}

relation!(Flop = FlopPerSec * Seconds);
relation!(Byte = BytePerSec * Seconds);
relation!(Joule = Watt * Seconds);

impl Byte {
    /// From binary gibibytes (2³⁰ bytes).
    pub const fn from_gib(gib: f64) -> Self {
        Self::new(gib * 1_073_741_824.0)
    }

    /// From binary mebibytes (2²⁰ bytes).
    pub const fn from_mib(mib: f64) -> Self {
        Self::new(mib * 1_048_576.0)
    }
}

impl BytePerSec {
    /// From decimal gigabytes per second.
    pub const fn from_gb(gb: f64) -> Self {
        Self::new(gb * 1e9)
    }

    /// From decimal gigabits per second, the unit in which links are often quoted.
    pub const fn from_gbit(gbit: f64) -> Self {
        Self::new(gbit * 1e9 / 8.0)
    }
}

/// A share of a whole, from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Fraction(f64);

impl Fraction {
    /// Nothing.
    pub const ZERO: Self = Self(0.0);
    /// All of it.
    pub const ONE: Self = Self(1.0);

    /// The nearest fraction to a computed number; not-a-number becomes nothing.
    pub fn clamped(value: f64) -> Self {
        if value.is_nan() { Self::ZERO } else { Self(value.clamp(0.0, 1.0)) }
    }

    /// The number from 0 to 1.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Fraction {
    type Error = BadFraction;
    fn try_from(value: f64) -> Result<Self, BadFraction> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(BadFraction(value)) }
    }
}
impl From<Fraction> for f64 {
    fn from(fraction: Fraction) -> Self {
        fraction.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_over_rate_is_time() {
        assert_eq!(Flop::new(2e12) / FlopPerSec::new(1e12), Some(Seconds::new(2.0)));
        assert_eq!(Byte::new(1.0) / BytePerSec::ZERO, None, "no time for a rate of zero");
    }

    #[test]
    fn a_quantity_from_outside_is_finite_and_not_negative() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Byte::try_from(bad).is_err(), "{bad}");
        }
        assert_eq!(Byte::from_gib(1.0).get(), 1_073_741_824.0);
    }

    #[test]
    fn ron_says_where_a_bad_quantity_stands() {
        let error = ron::from_str::<Vec<Byte>>("[1,\n -2]").unwrap_err();
        assert_eq!(error.to_string(), "2:2-2:4: -2 B is not possible: the number must be finite and not negative");
    }

    #[test]
    fn a_fraction_stays_between_nothing_and_all() {
        assert!(Fraction::try_from(1.01).is_err());
        assert_eq!(Fraction::clamped(f64::NAN), Fraction::ZERO);
        assert_eq!(Fraction::clamped(7.0), Fraction::ONE);
    }
}
