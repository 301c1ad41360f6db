//! A sharded matrix product on a slice: which communication it needs, how long it takes, and really doing it.
//!
//! 1. [`Product`] is what is written, `A[I_x, J] · B[J, K_y] → C[I_x, K_y]`; [`Mesh`] puts its axes on the torus;
//!    [`Problem`] has checked both.
//! 2. Each axis of the mesh may, while the chips multiply, do what it does in one of the arrays or nothing. Each such
//!    choice fixes the collectives before and after the local products (scaling-book, sharding.md, the four cases);
//!    [`answer()`] prices all of them with [`crate::roofline`] and [`crate::collective`] and takes the quickest.
//!    [`answer_under_faults`] counts the collectives around what does not work.
//! 3. [`execute`] really does a plan: every chip multiplies its part, collectives move the data link by link, and the
//!    result is checked.
//!
//! A dimension that several axes shard is cut by the first one, its parts by the second, and so on.

use topology::chip::{Generation, GenerationId};
use topology::torus::Torus;

pub mod answer;
mod ask;
mod block;
mod choice;
mod exchange;
mod layout;
pub mod mesh;
pub mod notation;
mod parse;
mod place;
mod plan;
pub mod problem;
pub mod run;
pub mod sizes;
mod timeline;
pub mod traffic;
mod wires;

pub use answer::{Answer, AxisCase, Band, Case, Overlap, Plan, ShardBound, Step};
pub use ask::{answer, answer_under_faults};
pub use mesh::{BadMesh, Mesh};
pub use notation::{AxisName, BadProduct, Product};
pub use problem::{Problem, Role};
pub use run::{Conditions, Run, RunError, execute};
pub use sizes::{BadSizes, Sizes};

use crate::collective::CollectiveError;
use crate::matmul::BadMatmul;
use crate::roofline::RooflineError;
use crate::trial::Sharded;

/// Why a sharded product cannot be answered.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ShardError {
    /// The product cannot be read.
    #[error(transparent)]
    Product(#[from] BadProduct),
    /// The sizes cannot be read.
    #[error(transparent)]
    Sizes(#[from] BadSizes),
    /// The mesh cannot be read or does not fit.
    #[error(transparent)]
    Mesh(#[from] BadMesh),
    /// A dimension has no size.
    #[error("no size is given for {dims}; add it, such as {dims}=1024")]
    NoSize {
        /// The dimensions, joined by commas.
        dims: String,
    },
    /// A size belongs to no dimension.
    #[error("the product has no dimension {dim}; it has {known}")]
    UnknownDim {
        /// The name that has a size.
        dim: String,
        /// The dimensions that there are.
        known: String,
    },
    /// An array is sharded over an axis that the mesh does not have.
    #[error("{array} is sharded over the axis {axis}, which the mesh {mesh} does not have; add it, such as {axis}=x")]
    UnknownAxis {
        /// The axis.
        axis: AxisName,
        /// The array.
        array: String,
        /// The mesh.
        mesh: String,
    },
    /// A dimension cannot be cut into equal parts.
    #[error("{dim} of {array} has {size} places, which {parts} chips cannot share equally; pad it to {next}")]
    NotDivisible {
        /// The array.
        array: String,
        /// The dimension.
        dim: String,
        /// Its size.
        size: u64,
        /// Into how many parts it is to be cut.
        parts: u64,
        /// The next size that would do.
        next: u64,
    },
    /// The result is marked as partial sums that cannot arise.
    #[error("{result} is marked {{U_{axis}}}, but {axis} shards no summed dimension of an operand; leave the mark out")]
    NothingUnreduced {
        /// The axis.
        axis: AxisName,
        /// The result.
        result: String,
    },
    /// The product is too large.
    #[error(transparent)]
    Matmul(#[from] BadMatmul),
    /// The chip cannot be computed with.
    #[error(transparent)]
    Roofline(#[from] RooflineError),
    /// The links have no published rate.
    #[error("{generation} has no published rate of its links")]
    NoLinks {
        /// Which generation.
        generation: GenerationId,
    },
    /// Faults leave no way for a collective, or have taken chips of the slice.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// Every way to do the product cuts a dimension into unequal parts.
    #[error("no way to do the product cuts every dimension equally; pad its sizes to multiples of the axes")]
    NoWay,
}

impl Problem {
    /// Reads what a trial holds, on a torus.
    ///
    /// # Errors
    /// As [`Problem::new`], or if a text cannot be read.
    pub fn of_trial(trial: &Sharded, torus: &Torus) -> Result<Self, ShardError> {
        let mesh = Mesh::parse(&trial.axes, torus)?;
        Self::new(trial.product.parse()?, &trial.sizes.parse()?, mesh, trial.dtype)
    }
}

/// Reads and answers a trial on a slice.
///
/// # Errors
/// As [`Problem::of_trial`] and [`answer()`].
pub fn answer_trial(trial: &Sharded, generation: &Generation, torus: &Torus) -> Result<Answer, ShardError> {
    let overlap = if trial.overlaps { Overlap::CollectiveMatmul } else { Overlap::None };
    answer(&Problem::of_trial(trial, torus)?, generation, overlap)
}

#[cfg(test)]
mod tests;
