//! Chip generations and the catalogue of them: figures with their sources, absent where unknown.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::Naming;
use crate::rules::SliceRule;
use crate::shape::Shape;
use crate::units::{Byte, BytePerSec, FlopPerSec, Seconds, UsdPerHour, Watt};

/// Share of the physical link rate that step-time estimates may count on.
///
/// The scaling book (jax-ml/scaling-book, `tpus.md`) computes with 45 GB/s where a link carries 50 and with
/// 90 where it carries 100; the Cloud document of v4 gives an all-reduce rate of 1.1 PB/s = 4096 × 6 × 45 GB/s.
pub const ICI_EFFECTIVE_SHARE: f64 = 0.9;

/// Short stable name of a chip generation: "v5p", "v6e", "tpu7x", or a name of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GenerationId(pub String);

impl fmt::Display for GenerationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How sure a figure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Basis {
    /// Read in the named source.
    Read,
    /// Computed from figures that were read.
    Derived,
    /// Remembered by the compilers of the catalogue, or said by a third party that others contradict.
    Unverified,
}

/// A figure with where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sourced<T> {
    /// The figure, in the unit of its type.
    pub value: T,
    /// How sure it is.
    pub basis: Basis,
    /// Name of the source, see [`Catalog::sources`].
    pub source: String,
    /// What a reader should know about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How the chips of a generation are wired, which decides legal shapes and wrap links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wiring {
    /// Two-dimensional torus pod without optical switches (v2, v3, v5e, v6e).
    Flat,
    /// Three-dimensional torus of 4x4x4 cubes joined by optical switches (v4, v5p, tpu7x, tpu8t).
    Cubes,
    /// Groups of trays, all-to-all between groups (tpu8i).
    Boardfly,
}

/// One chip generation. Every figure is per chip unless its name says otherwise; `None` is unknown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Short stable name.
    pub id: GenerationId,
    /// Name for people, such as "TPU v5p".
    pub name: String,
    /// Other spellings in small letters and digits only, see [`Catalog::find`].
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Calendar year of the announcement.
    #[serde(default)]
    pub announced_year: Option<u16>,
    /// How the chips are wired.
    pub wiring: Wiring,
    /// Dense bf16 peak.
    pub peak_bf16_flop_per_s: Option<Sourced<FlopPerSec>>,
    /// Dense int8 peak.
    pub peak_int8_flop_per_s: Option<Sourced<FlopPerSec>>,
    /// Dense fp8 peak.
    pub peak_fp8_flop_per_s: Option<Sourced<FlopPerSec>>,
    /// Main memory.
    pub hbm_bytes: Option<Sourced<Byte>>,
    /// Main memory that programs can use, per JAX device (not per chip).
    pub hbm_usable_bytes_per_device: Option<Sourced<Byte>>,
    /// Main memory bandwidth.
    pub hbm_bytes_per_s: Option<Sourced<BytePerSec>>,
    /// On-chip vector memory.
    pub vmem_bytes: Option<Sourced<Byte>>,
    /// Number of ICI links.
    pub ici_links: Option<Sourced<u32>>,
    /// Payload rate of one ICI link in one direction.
    pub ici_link_bytes_per_s: Option<Sourced<BytePerSec>>,
    /// Time that a message takes for one ICI hop.
    pub ici_hop_seconds: Option<Sourced<Seconds>>,
    /// Rate of the data-centre network, one direction, per chip.
    pub dcn_bytes_per_s: Option<Sourced<BytePerSec>>,
    /// Shape of the largest pod in chips; absent where the pod is not a torus.
    pub pod_shape: Option<Sourced<Shape>>,
    /// Chips of the largest pod.
    pub pod_chips: Option<Sourced<u32>>,
    /// Chips of the largest slice that one job is documented to get; absent if that is the whole pod.
    pub max_slice_chips: Option<Sourced<u32>>,
    /// Devices that JAX sees on one chip.
    pub devices_per_chip: Option<Sourced<u32>>,
    /// `TensorCores` of one chip.
    pub tensorcores_per_chip: Option<Sourced<u32>>,
    /// Chips on a host of a multi-host slice.
    pub chips_per_host: Option<Sourced<u32>>,
    /// Rows (and columns) of one matrix unit.
    pub mxu_dim: Option<Sourced<u32>>,
    /// Matrix units of one `TensorCore`.
    pub mxus_per_tensorcore: Option<Sourced<u32>>,
    /// Clock, in hertz.
    pub clock_hz: Option<Sourced<f64>>,
    /// Thermal design power.
    pub tdp_watt: Option<Sourced<Watt>>,
    /// Mean of measured power.
    pub mean_power_watt: Option<Sourced<Watt>>,
    /// Power of a whole pod with hosts and cooling, divided by its chips.
    pub pod_power_watt_per_chip: Option<Sourced<Watt>>,
    /// List price on demand in the United States.
    pub usd_per_chip_hour: Option<Sourced<UsdPerHour>>,
    /// Which slices there are.
    pub slice_rule: Option<Sourced<SliceRule>>,
    /// How slices are called.
    pub naming: Option<Sourced<Naming>>,
}

/// Where one figure of a generation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Provenance<'a> {
    /// Key of the figure in the catalogue, such as `hbm_bytes`.
    pub key: &'static str,
    /// How sure it is.
    pub basis: Basis,
    /// Source key, see [`Catalog::source`].
    pub source: &'a str,
    /// What a reader should know about it.
    pub note: Option<&'a str>,
}

impl Generation {
    /// Where each known figure comes from, in the order of the fields.
    pub fn provenance(&self) -> Vec<Provenance<'_>> {
        macro_rules! known {
            ($($key:ident)*) => {
                [$(self.$key.as_ref().map(|figure| Provenance {
                    key: stringify!($key),
                    basis: figure.basis,
                    source: &figure.source,
                    note: figure.note.as_deref(),
                })),*]
            };
        }
        let figures = known!(
            peak_bf16_flop_per_s peak_int8_flop_per_s peak_fp8_flop_per_s hbm_bytes hbm_usable_bytes_per_device
            hbm_bytes_per_s vmem_bytes ici_links ici_link_bytes_per_s ici_hop_seconds dcn_bytes_per_s pod_shape pod_chips
            max_slice_chips devices_per_chip tensorcores_per_chip chips_per_host mxu_dim mxus_per_tensorcore clock_hz
            tdp_watt mean_power_watt pod_power_watt_per_chip usd_per_chip_hour slice_rule naming
        );
        figures.into_iter().flatten().collect()
    }

    /// Rate of one ICI link in one direction for step-time estimates: the physical rate times
    /// [`ICI_EFFECTIVE_SHARE`].
    pub fn ici_link_effective_bytes_per_s(&self) -> Option<BytePerSec> {
        self.ici_link_bytes_per_s.as_ref().map(|rate| rate.value * ICI_EFFECTIVE_SHARE)
    }

    /// Number of torus axes; absent where the pod is not a torus.
    pub const fn torus_dims(&self) -> Option<usize> {
        match self.wiring {
            Wiring::Flat => Some(2),
            Wiring::Cubes => Some(3),
            Wiring::Boardfly => None,
        }
    }

    /// Chips on a host of a multi-host slice, with four where no source says, as on all that are known.
    pub fn host_chips(&self) -> u32 {
        self.chips_per_host.as_ref().map_or(4, |chips| chips.value.max(1))
    }
}

/// All generations that the program knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// Date of the compilation, ISO 8601.
    pub as_of: String,
    /// Source key and full reference.
    pub sources: Vec<(String, String)>,
    /// The generations, oldest first.
    pub generations: Vec<Generation>,
}

impl Catalog {
    /// The generation of that name.
    pub fn get(&self, id: &GenerationId) -> Option<&Generation> {
        self.generations.iter().find(|generation| generation.id == *id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_figure_says_where_it_comes_from() {
        for generation in &Catalog::embedded().generations {
            let known = generation.provenance();
            let text = ron::to_string(generation).unwrap();
            assert_eq!(
                known.len(),
                text.matches("basis:").count(),
                "{}: a field is missing in the list",
                generation.name
            );
        }
    }

    #[test]
    fn the_effective_rate_is_the_one_that_the_scaling_book_computes_with() {
        for (name, gb_per_s) in [("v4", 45.0), ("v5e", 45.0), ("v5p", 90.0), ("v6e", 90.0)] {
            let rate = Catalog::embedded().find(name).unwrap().ici_link_effective_bytes_per_s();
            assert_eq!(rate, Some(BytePerSec::from_gb(gb_per_s)), "{name}");
        }
    }
}
