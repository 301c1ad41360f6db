//! What is asked: which collective, how much, among whom.

use topology::shape::Axis;
use topology::units::Byte;

use super::group::Parts;
use super::{Collective, CollectiveError, Fabric};

/// Most bytes of a gathered array: an exbibyte, far more than all memory of any fleet.
pub const MAX_BYTES: f64 = 1_152_921_504_606_846_976.0;

/// Who exchanges with whom. All groups run at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Group {
    /// The chips along some axes of the slice's torus; one group for each place on the other axes.
    Axes(Vec<Axis>),
    /// Groups of equal size that hold every chip of a slice once, by device number (a chip is one device, row-major
    /// with x fastest).
    Replicas(Vec<Vec<usize>>),
}

/// Who sends to whom in a permute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pairs {
    /// Each chip to the one that lies so many places further along an axis, round the end.
    Shift {
        /// The axis.
        axis: Axis,
        /// Places; negative is towards smaller coordinates.
        by: i32,
    },
    /// Sources and targets by device number; none twice on its side.
    List(Vec<(usize, usize)>),
}

/// A collective to be timed.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Which one.
    pub kind: Collective,
    /// Bytes of the gathered array that a group holds together; over several slices, all slices' groups together.
    pub bytes: Byte,
    /// Who takes part.
    pub group: Group,
    /// Who sends to whom in a permute, each one its shard; absent is a shift by one along the first axis of more than
    /// one chip. Other kinds ignore it.
    pub pairs: Option<Pairs>,
}

impl Request {
    /// A collective over axes of the slice.
    pub fn over_axes(kind: Collective, bytes: Byte, axes: &[Axis]) -> Self {
        Self { kind, bytes, group: Group::Axes(axes.to_vec()), pairs: None }
    }
}

/// A request that was checked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    /// Groups in one slice.
    pub(crate) parts: Parts,
    /// Bytes of the array that a group holds in one slice while it works over ICI.
    pub(crate) slice_bytes: f64,
    /// Bytes that a chip sends over the data-centre network.
    pub(crate) dcn_bytes: f64,
    /// Chips of a group over all slices.
    pub(crate) group_chips: usize,
}

impl Asked {
    /// Checks a request against a fabric.
    ///
    /// Over several slices a gather goes between the slices first and a scatter last, so that only shards cross:
    /// `V/n·(s−1)/s` for each chip of a group of n chips in each of s slices, and twice that for an all-reduce (`MaxText`
    /// sharding guide). An all-to-all crosses with its part for other slices first; a permute stays in the slice.
    pub(crate) fn new(request: &Request, fabric: &Fabric) -> Result<Self, CollectiveError> {
        let bytes = request.bytes.get();
        if bytes > MAX_BYTES {
            return Err(CollectiveError::TooManyBytes { bytes, max: MAX_BYTES });
        }
        fabric.check_chips()?;
        let parts = Parts::of(&request.group, fabric.network.torus().shape())?;
        let (n, s) = (parts.group_chips() as f64, f64::from(fabric.n_slices));
        let crossing = (s - 1.0) / s;
        let (slice_bytes, dcn_bytes) = match request.kind {
            Collective::AllGather | Collective::ReduceScatter => (bytes, bytes / n * crossing),
            Collective::AllReduce => (bytes, 2.0 * bytes / n * crossing),
            Collective::AllToAll => (bytes / s, bytes / (n * s) * crossing),
            Collective::Permute => (bytes / s, 0.0),
        };
        let group_chips = parts.group_chips() * fabric.n_slices as usize;
        Ok(Self { parts, slice_bytes, dcn_bytes, group_chips })
    }
}
