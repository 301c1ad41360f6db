//! What is tried on a slice: one matrix product, a sharded one, or a collective.
//!
//! A trial is kept as it is typed, like the arguments of the command that answers it, so that a scenario of a plan
//! shows again exactly what was written. [`answer`] computes it with the same functions as that command, and
//! [`execute`] really does the work.

mod answer;
mod execute;
mod roofs;

use serde::{Deserialize, Serialize};

use crate::collective::Collective;
use crate::dtype::Dtype;

pub use answer::{Answer, Setting, TrialError, answer};
pub use execute::{Executed, execute};
pub use roofs::{Point, Roofline};

/// Work to be tried on a slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Trial {
    /// One matrix product on one chip of the slice.
    Gemm(Gemm),
    /// One matrix product sharded over the slice.
    Sharded(Sharded),
    /// One collective over axes of the slice.
    Collective(Exchange),
}

/// A matrix product M×K by K×N.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gemm {
    /// Rows of the left matrix and of the result.
    pub m: u64,
    /// The summed dimension.
    pub k: u64,
    /// Columns of the right matrix and of the result.
    pub n: u64,
    /// Number format of both operands.
    pub dtype: Dtype,
}

/// A matrix product whose arrays are sharded over the axes of a mesh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sharded {
    /// The product in the notation of the scaling book, such as `A[I_x,J] . B[J,K_y] -> C[I_x,K_y]`.
    pub product: String,
    /// Sizes of its dimensions, such as `I=8192,J=8192,K=8192`.
    pub sizes: String,
    /// Which axes of the torus each axis of the mesh lies on, such as `x=x,y=yz`.
    pub axes: String,
    /// Number format of the operands.
    pub dtype: Dtype,
    /// Whether the collective is cut into parts that overlap with the products (collective matmul).
    #[serde(default)]
    pub overlaps: bool,
}

/// A collective over whole axes of the slice, or in groups of its devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Which one.
    pub kind: Collective,
    /// Bytes of the gathered array that a group holds together.
    pub bytes: u64,
    /// The axes that take part, such as `x,y`, or replica groups in the notation of XLA, such as `{{0,1},{2,3}}`.
    pub axes: String,
}

impl Exchange {
    /// Whether [`Self::axes`] holds replica groups.
    pub fn has_groups(&self) -> bool {
        self.axes.trim_start().starts_with('{')
    }
}

impl Trial {
    /// "GEMM", "Sharded" or "Collective".
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Gemm(_) => "GEMM",
            Self::Sharded(_) => "Sharded",
            Self::Collective(_) => "Collective",
        }
    }

    /// The texts that a person typed, for checks of their length.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let texts: Vec<&str> = match self {
            Self::Gemm(_) => Vec::new(),
            Self::Sharded(sharded) => vec![&sharded.product, &sharded.sizes, &sharded.axes],
            Self::Collective(exchange) => vec![&exchange.axes],
        };
        texts.into_iter()
    }
}
