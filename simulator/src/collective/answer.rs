//! What is answered.

use std::fmt;

use serde::Serialize;
use topology::shape::{Axis, Coord};
use topology::torus::{Link, Sign};
use topology::units::{Byte, BytePerSec, Fraction, Seconds};

use super::CollectiveTime;
use crate::explain::Term;

/// One direction of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkTraffic {
    /// The link.
    pub link: Link,
    /// Which way along it.
    pub sign: Sign,
    /// Bytes that it carries.
    pub bytes: Byte,
    /// How long it sends.
    pub busy_seconds: Seconds,
    /// How long it waits meanwhile, up to the end of the collective.
    pub idle_seconds: Seconds,
}

/// A part of the collective, for a timeline. Phases on different axes overlap.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// What is done, such as "reduce-scatter x".
    pub name: String,
    /// Axis whose links it uses; absent where it is no axis: listed groups, all axes together, or the data-centre network.
    pub axis: Option<Axis>,
    /// Start, from the start of the collective.
    pub start_seconds: Seconds,
    /// Length.
    pub seconds: Seconds,
    /// Bytes that one chip sends in it, on the average.
    pub bytes: Byte,
}

/// What faults did to the plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum Degraded {
    /// Rings that lost one link each are used as lines.
    Line {
        /// Their axis; absent for listed groups.
        axis: Option<Axis>,
        /// How many rings.
        rings: usize,
        /// A chip before a break.
        at: Coord,
    },
    /// Neighbours of a ring or line reach each other over other links.
    Detour {
        /// Axis of the rings; absent for listed groups and messages.
        axis: Option<Axis>,
        /// How many hops or messages go another way.
        ways: usize,
        /// Hops of the longest one more than without faults.
        extra_hops: u32,
        /// A chip before a break.
        at: Coord,
    },
    /// Messages are spread over all shortest ways that are left.
    Spread {
        /// Links that are lost.
        links: usize,
    },
    /// Links that work at a share of their rate are used.
    Slow {
        /// How many, counted by direction.
        directions: usize,
        /// Share of the slowest.
        share: Fraction,
    },
}

impl fmt::Display for Degraded {
    /// A sentence without full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |axis: &Option<Axis>| axis.map_or(String::new(), |axis| format!(" along {}", axis.name()));
        match self {
            Self::Line { axis, rings: 1, at } => {
                write!(f, "a ring{} became a line: its link after chip {at} is lost", of(axis))
            }
            Self::Line { axis, rings, at } => {
                write!(f, "{rings} rings{} became lines, each without one link, such as after chip {at}", of(axis))
            }
            Self::Detour { axis, ways, extra_hops, at } => {
                let hops = if *extra_hops == 1 { "hop" } else { "hops" };
                write!(f, "{ways} ways{} go around, such as at chip {at}, by up to {extra_hops} more {hops}", of(axis))
            }
            Self::Spread { links: 1 } => f.write_str("messages are spread over the shortest ways around a lost link"),
            Self::Spread { links } => write!(f, "messages are spread over the shortest ways around {links} lost links"),
            Self::Slow { directions, share } => {
                write!(
                    f,
                    "{directions} link directions are slow, the slowest at {:.0} % of its rate",
                    share.get() * 100.0
                )
            }
        }
    }
}

/// The answer of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// How long it takes.
    pub time: CollectiveTime,
    /// Every link direction that carries something, by link and then direction.
    pub links: Vec<LinkTraffic>,
    /// Parts, by start; the last end is the expected time without start-up.
    pub phases: Vec<Phase>,
    /// The rate that benchmarks call algorithm bandwidth: per chip `V(1−1/n)/t` for all-gather and reduce-scatter, twice
    /// that for all-reduce, `V/n·(1−1/n)/t` for all-to-all, `V/n/t` for permute (accelerator-microbenchmarks). Absent
    /// where it takes no time.
    pub algorithm_bytes_per_s: Option<BytePerSec>,
    /// What faults did.
    pub degraded: Vec<Degraded>,
    /// How the numbers came about.
    pub explain: Vec<Term>,
    /// Chips of a group, over all slices.
    pub group_chips: usize,
    /// Groups that run at once.
    pub n_groups: usize,
    /// Longest way that a byte goes, in hops over ICI.
    pub hops: u32,
    /// Hops of chunks over links that were looked at one by one; absent where none were simulated.
    pub n_events: Option<u64>,
}
