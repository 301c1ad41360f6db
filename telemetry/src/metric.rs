//! What can be measured on a chip, in which unit, and how it came to us.

use std::fmt;

use serde::{Deserialize, Serialize};
use topology::shape::Axis;

/// How a number came to be. Series of different origin are never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Origin {
    /// The embedded simulator computed it.
    Simulated,
    /// It was read from a live source.
    Observed,
    /// It was read from a recording.
    Recorded,
}

impl Origin {
    /// One word for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::Observed => "observed",
            Self::Recorded => "recorded",
        }
    }
}

/// One of the six ways out of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Way {
    /// Along which axis.
    pub axis: Axis,
    /// Towards larger coordinates.
    pub positive: bool,
}

impl Way {
    /// +x, −x, +y, −y, +z, −z.
    pub const ALL: [Self; 6] = [
        Self { axis: Axis::X, positive: true },
        Self { axis: Axis::X, positive: false },
        Self { axis: Axis::Y, positive: true },
        Self { axis: Axis::Y, positive: false },
        Self { axis: Axis::Z, positive: true },
        Self { axis: Axis::Z, positive: false },
    ];
}

impl fmt::Display for Way {
    /// "+x" or "−x", with a true minus.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.positive { '+' } else { '−' }, self.axis.name())
    }
}

/// Unit of a metric's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// A share from 0 to 1; people see percent.
    Fraction,
    /// Bytes.
    Byte,
    /// Degrees Celsius.
    Celsius,
    /// Watts.
    Watt,
}

impl Unit {
    /// The canonical unit as text; empty for a share.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Fraction => "",
            Self::Byte => "B",
            Self::Celsius => "°C",
            Self::Watt => "W",
        }
    }
}

/// What is measured, per chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Metric {
    /// Share of the matrix units' peak that was used.
    TensorcoreUtil,
    /// Share of time in which the chip worked on anything.
    DutyCycle,
    /// Share of the memory bandwidth that was used.
    HbmBandwidth,
    /// Memory in use.
    HbmUsed,
    /// Share of one link's one-direction rate, mean over the chip's links.
    IciLink,
    /// The same of one link.
    IciWay(Way),
    /// Temperature of the chip.
    Temperature,
    /// Power of the chip.
    Power,
}

impl Metric {
    /// The metrics of the metric picker, in its order; single links are reached through the chip.
    pub const ALL: [Self; 7] = [
        Self::TensorcoreUtil,
        Self::DutyCycle,
        Self::HbmUsed,
        Self::HbmBandwidth,
        Self::IciLink,
        Self::Temperature,
        Self::Power,
    ];

    /// Name for people, sentence case.
    pub fn name(self) -> String {
        match self {
            Self::TensorcoreUtil => "TensorCore util".to_owned(),
            Self::DutyCycle => "Duty cycle".to_owned(),
            Self::HbmBandwidth => "HBM bandwidth".to_owned(),
            Self::HbmUsed => "HBM used".to_owned(),
            Self::IciLink => "ICI link util".to_owned(),
            Self::IciWay(way) => format!("ICI link {way}"),
            Self::Temperature => "Temperature".to_owned(),
            Self::Power => "Power".to_owned(),
        }
    }

    /// Stable key in files and on the command line.
    pub fn key(self) -> String {
        match self {
            Self::TensorcoreUtil => "tensorcore_util_fraction".to_owned(),
            Self::DutyCycle => "duty_cycle_fraction".to_owned(),
            Self::HbmBandwidth => "hbm_bandwidth_fraction".to_owned(),
            Self::HbmUsed => "hbm_used_bytes".to_owned(),
            Self::IciLink => "ici_link_fraction".to_owned(),
            Self::IciWay(way) => {
                format!("ici_{}_{}_fraction", way.axis.name(), if way.positive { "plus" } else { "minus" })
            }
            Self::Temperature => "temperature_celsius".to_owned(),
            Self::Power => "power_watt".to_owned(),
        }
    }

    /// Unit of its values.
    pub const fn unit(self) -> Unit {
        match self {
            Self::TensorcoreUtil | Self::DutyCycle | Self::HbmBandwidth | Self::IciLink | Self::IciWay(_) => {
                Unit::Fraction
            }
            Self::HbmUsed => Unit::Byte,
            Self::Temperature => Unit::Celsius,
            Self::Power => Unit::Watt,
        }
    }

    /// One sentence that says what the number means and what it does not.
    pub const fn description(self) -> &'static str {
        match self {
            Self::TensorcoreUtil => "Share of the matrix units' peak that was used. Not the same as MFU or duty cycle.",
            Self::DutyCycle => "Share of the time in which the chip worked on anything at all, per chip.",
            Self::HbmBandwidth => {
                "Share of the memory bandwidth that was used. Says nothing about how full the memory is."
            }
            Self::HbmUsed => "Memory in use on the chip.",
            Self::IciLink => {
                "Traffic over the chip's links, one direction, as a share of one link's rate; mean over the links."
            }
            Self::IciWay(_) => "Traffic over this link, one direction, as a share of its rate.",
            Self::Temperature => "Temperature of the chip. No public TPU exporter offers it.",
            Self::Power => "Power of the chip. No public TPU exporter offers it.",
        }
    }

    /// Smallest step that the store keeps, in the metric's unit; chosen so that 65,535 steps cover the range.
    pub(crate) const fn quantum(self) -> f32 {
        match self.unit() {
            // 0 to 1.31 in steps of 0.002 percent points.
            Unit::Fraction => 2e-5,
            // 0 to 512 GiB in steps of 8 MiB.
            Unit::Byte => 8_388_608.0,
            // 0 to 655 °C.
            Unit::Celsius => 0.01,
            // 0 to 6,553 W.
            Unit::Watt => 0.1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn keys_are_unique_and_end_in_the_unit() {
        let all: Vec<Metric> = Metric::ALL.into_iter().chain(Way::ALL.map(Metric::IciWay)).collect();
        let keys: BTreeSet<String> = all.iter().map(|metric| metric.key()).collect();
        assert_eq!(keys.len(), all.len());
        for metric in all {
            let ending = match metric.unit() {
                Unit::Fraction => "_fraction",
                Unit::Byte => "_bytes",
                Unit::Celsius => "_celsius",
                Unit::Watt => "_watt",
            };
            assert!(metric.key().ends_with(ending), "{metric:?}");
        }
    }
}
