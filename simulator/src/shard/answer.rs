//! What is answered about a sharded product.

use std::str::FromStr;

use serde::Serialize;
use topology::shape::Axis;
use topology::units::{Byte, Flop, Seconds};

use super::choice::Choice;
use super::notation::AxisName;
use crate::collective::{Collective, CollectiveTime, Degraded, LinkTraffic};
use crate::explain::Term;
use crate::matmul::Matmul;
use crate::roofline::Estimate;
use crate::trace::Trace;

/// Whether communication overlaps with the local products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overlap {
    /// One after the other.
    #[default]
    None,
    /// The longest all-gather or reduce-scatter is cut into as many parts as its group has chips, each of which
    /// overlaps with a part of the product.
    CollectiveMatmul,
}

/// A text that names no overlap.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is no overlap; write none or collective-matmul")]
pub struct BadOverlap {
    /// The text, shortened where it is long.
    pub text: String,
}

impl Overlap {
    /// "none" or "collective-matmul".
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::CollectiveMatmul => "collective-matmul",
        }
    }
}

impl FromStr for Overlap {
    type Err = BadOverlap;

    fn from_str(text: &str) -> Result<Self, BadOverlap> {
        match text.trim() {
            "none" => Ok(Self::None),
            "collective-matmul" => Ok(Self::CollectiveMatmul),
            other => Err(BadOverlap { text: other.chars().take(40).collect() }),
        }
    }
}

/// What a sharded product waits for most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShardBound {
    /// The matrix units.
    Compute,
    /// Main memory.
    Hbm,
    /// The links between chips.
    Ici,
    /// The fixed time of an operation.
    Overhead,
}

impl ShardBound {
    /// "compute", "hbm", "ici" or "overhead".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::Hbm => "hbm",
            Self::Ici => "ici",
            Self::Overhead => "overhead",
        }
    }
}

/// A time with the range in which the truth is expected.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Band {
    /// The truth is unlikely to be shorter.
    pub low: Seconds,
    /// Expected.
    pub mid: Seconds,
    /// The truth is unlikely to be longer.
    pub high: Seconds,
}

impl Band {
    /// The same arithmetic for all three.
    pub(crate) fn zip(self, other: Self, both: impl Fn(f64, f64) -> f64) -> Self {
        let of = |a: Seconds, b: Seconds| Seconds::new(both(a.get(), b.get()));
        Self { low: of(self.low, other.low), mid: of(self.mid, other.mid), high: of(self.high, other.high) }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}

/// The four cases of the scaling book, by where an axis shards the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Case {
    /// It shards no summed dimension: nothing has to be sent for the product.
    One = 1,
    /// It shards a summed dimension of one operand.
    Two = 2,
    /// It shards the same summed dimension of both operands: partial sums arise.
    Three = 3,
    /// It shards kept dimensions of both operands, or different summed ones: no local product is possible.
    Four = 4,
}

impl Case {
    /// 1 to 4.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// What it means, in words.
    pub const fn rule(self) -> &'static str {
        match self {
            Self::One => "no summed dimension is sharded: no communication for the product",
            Self::Two => "a summed dimension is sharded in one operand: gather that operand, or shard the other too",
            Self::Three => "the summed dimension is sharded in both operands: partial sums, which are then reduced",
            Self::Four => "the axis shards both operands otherwise: one of them has to be gathered first",
        }
    }
}

/// Which case an axis of the mesh is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AxisCase {
    /// The axis.
    pub axis: AxisName,
    /// Its case.
    pub case: Case,
}

/// One collective of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Which one.
    pub kind: Collective,
    /// Name of the array that it moves.
    pub array: String,
    /// Axes of the mesh along which it goes.
    pub axes: Vec<AxisName>,
    /// The axes of the torus that it uses.
    pub torus_axes: Vec<Axis>,
    /// Chips of one group.
    pub group_chips: u64,
    /// Bytes of the gathered array of one group.
    pub bytes: Byte,
    /// How long it takes.
    pub time: CollectiveTime,
    /// The array before it, in the notation.
    pub from: String,
    /// The array after it.
    pub to: String,
    /// Whether it comes before the local products.
    pub is_before: bool,
    /// Whether it overlaps with the local products.
    pub is_overlapped: bool,
    /// What faults do to it; nothing where none was asked about.
    pub degraded: Vec<Degraded>,
    /// What crosses each link, counted around faults; absent without faults, where [`super::traffic`] has a formula.
    pub(crate) counted: Option<Vec<LinkTraffic>>,
}

impl Step {
    /// "all-gather A over x".
    pub fn name(&self) -> String {
        let axes: String = self.axes.iter().map(AxisName::as_str).collect();
        format!("{} {} over {axes}", self.kind.name(), self.array)
    }

    pub(crate) fn band(&self) -> Band {
        Band { low: self.time.seconds_low, mid: self.time.seconds, high: self.time.seconds_high }
    }
}

/// One way to do the product, with its cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The local product in the notation, such as `A[I_x, J_y] · B[J_y, K] → C[I_x, K] {U_y}`.
    pub local_product: String,
    /// Its collectives in the order in which they are done; cuts send nothing and are not listed.
    pub collectives: Vec<Step>,
    /// The product of one chip, or one of its [`Self::chunks`] parts.
    pub chunk: Matmul,
    /// How the time of that part was found.
    pub estimate: Estimate,
    /// Into how many parts the local product is cut; 1 without overlap.
    pub chunks: u64,
    /// All local products of one chip.
    pub compute: Band,
    /// Communication during which nothing is computed.
    pub exposed: Band,
    /// The whole.
    pub total: Band,
    /// What takes longest.
    pub bound: ShardBound,
    /// Useful operations of one chip.
    pub flop: Flop,
    /// Operands, gathered copies, partial sums and result on one chip.
    pub memory_bytes: Byte,
    /// The layouts and moves.
    pub(crate) choice: Choice,
}

impl Plan {
    /// What distinguishes it: its collectives, or that there is none.
    pub fn name(&self) -> String {
        if self.collectives.is_empty() {
            return "no communication".to_owned();
        }
        self.collectives.iter().map(Step::name).collect::<Vec<_>>().join(", ")
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The product as it was understood.
    pub product: String,
    /// The mesh on the torus as it was understood.
    pub mesh: String,
    /// The hardest case among the axes.
    pub case: Case,
    /// The case of each axis that shards an operand.
    pub axis_cases: Vec<AxisCase>,
    /// The quickest way.
    pub best: Plan,
    /// Other ways, quickest first, at most [`Self::MAX_ALTERNATIVES`].
    pub alternatives: Vec<Plan>,
    /// Chips that do the same as one.
    pub replicas: u64,
    /// Main memory of one chip that programs can use; absent where no source says.
    pub hbm_bytes: Option<Byte>,
    /// Whether all arrays fit in it.
    pub fits: Option<bool>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// How each number was made.
    pub explain: Vec<Term>,
    /// What each resource does when.
    pub trace: Trace,
}

impl Answer {
    /// Most alternatives that are told.
    pub const MAX_ALTERNATIVES: usize = 8;
}
