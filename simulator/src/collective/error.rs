//! Why there is no answer.

use topology::graph::NoRoute;
use topology::shape::{Axis, Coord, Shape};

/// Why a collective has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CollectiveError {
    /// The link rate is unknown or zero.
    #[error("no link rate is known for {generation}; collectives cannot be timed on it")]
    NoLinks {
        /// Name of the generation.
        generation: String,
    },
    /// Several slices, but no rate between them.
    #[error("no rate of the data-centre network is known for {generation}; ask for one slice")]
    NoDcn {
        /// Name of the generation.
        generation: String,
    },
    /// No slice, or more than there are device numbers for.
    #[error("{n_slices} slices are not possible; between 1 and {max} are")]
    Slices {
        /// As asked.
        n_slices: u32,
        /// The most.
        max: u32,
    },
    /// Chips do not work, so no job runs on the slice.
    #[error(
        "{n_chips} of the chips of {shape} do not work, chip {chip} first, so the slice cannot run the collective; move the \
         job to a healthy slice or put a spare in their place"
    )]
    ChipsLost {
        /// The slice.
        shape: Shape,
        /// How many.
        n_chips: usize,
        /// The first one.
        chip: Coord,
    },
    /// Members of a group cannot reach each other.
    #[error("{0}; the group cannot run the collective: move the job, or choose groups on one side of the break")]
    Parted(#[from] NoRoute),
    /// A group has no axis, or one that the shape does not have, or one twice.
    #[error("axis {} cannot take part: {reason} (the slice is {shape})", axis.name())]
    Axis {
        /// The axis.
        axis: Axis,
        /// Why not.
        reason: &'static str,
        /// The slice.
        shape: Shape,
    },
    /// Nobody takes part.
    #[error("no axis and no group takes part; name at least one, such as x")]
    Nobody,
    /// The groups are not a partition of the slice into equal parts.
    #[error("the groups do not part the {n_chips} chips of the slice: {reason}")]
    Groups {
        /// What is wrong and with which device.
        reason: String,
        /// Chips of the slice.
        n_chips: usize,
    },
    /// The pairs of a permute are not possible.
    #[error("the pairs of the permute are not possible: {reason}")]
    Pairs {
        /// What is wrong.
        reason: String,
    },
    /// Too large to be meant.
    #[error("{bytes:.3e} B is more than the {max:.3e} B that are allowed")]
    TooManyBytes {
        /// As asked.
        bytes: f64,
        /// The most.
        max: f64,
    },
    /// It would take too long or too much memory.
    #[error("it would take {events:.2e} hops of chunks, more than the {max:.2e} that are allowed; {remedy}")]
    TooManyEvents {
        /// Estimate before the start.
        events: f64,
        /// The most.
        max: f64,
        /// What to do.
        remedy: &'static str,
    },
    /// Someone asked to stop.
    #[error("the collective was cancelled")]
    Cancelled,
}
