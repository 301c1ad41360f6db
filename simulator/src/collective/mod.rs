//! Collectives on a slice: how long, over which links, and what faults do to them.
//!
//! A [`Request`] is put to a [`Fabric`] by one of two models behind the trait [`CollectiveModel`]: [`Analytic`] counts
//! the bytes of every link, [`EventDriven`] sends chunks over queued links and looks at the clock. Both follow the same
//! plan (which rings exist, who sends what along which way), so that their difference is queueing alone; the closed form
//! [`time`] knows no plan and is the third voice.
//!
//! V is always the gathered array that a group holds together. Start reading at `ask.rs`, then `plan.rs`.

mod analytic;
mod answer;
mod ask;
mod balance;
mod calibrate;
mod closed;
mod error;
mod event;
mod fabric;
mod group;
mod load;
mod message;
mod plan;
mod read;
mod report;
mod rows;
mod wires;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use analytic::Analytic;
pub use answer::{Answer, Degraded, LinkTraffic, Phase};
pub use ask::{Group, MAX_BYTES, Pairs, Request};
pub use calibrate::Calibration;
pub use closed::{CollectiveTime, Links, Ring, time};
pub use error::CollectiveError;
pub use event::{EventDriven, MAX_EVENTS, Order, Routing};
pub use fabric::{Dcn, Fabric};
pub use read::{BadText, MAX_CHARS, axes, bytes, groups, pairs};

use crate::cancel::Cancel;

/// A kind of collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collective {
    /// Each chip ends with the whole array.
    AllGather,
    /// Each chip ends with its shard of the sum.
    ReduceScatter,
    /// Each chip ends with the whole sum.
    AllReduce,
    /// Each chip sends another shard to each other chip.
    AllToAll,
    /// Each chip sends its shard to one other.
    Permute,
}

impl Collective {
    /// All five.
    pub const ALL: [Self; 5] = [Self::AllGather, Self::ReduceScatter, Self::AllReduce, Self::AllToAll, Self::Permute];

    /// "all-gather", "reduce-scatter", "all-reduce", "all-to-all" or "permute".
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllReduce => "all-reduce",
            Self::AllToAll => "all-to-all",
            Self::Permute => "permute",
        }
    }
}

impl fmt::Display for Collective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Collective {
    type Err = BadText;

    /// Reads a name in any case, with `-`, `_` or nothing between the words; "ppermute" and "collective-permute" too.
    fn from_str(text: &str) -> Result<Self, BadText> {
        let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_', ' '], "");
        let asked = match plain(text.trim()).as_str() {
            "ppermute" | "collectivepermute" => plain("permute"),
            "psum" => plain("all-reduce"),
            other => other.to_owned(),
        };
        let known = Self::ALL.into_iter().find(|kind| plain(kind.name()) == asked);
        known.ok_or_else(|| {
            BadText::new(text, "no collective", "write all-gather, reduce-scatter, all-reduce, all-to-all or permute")
        })
    }
}

/// A way to answer a request.
pub trait CollectiveModel {
    /// The answer; `progress` takes a share from 0 to 1 now and then.
    ///
    /// # Errors
    /// If the request does not fit the fabric, a needed chip or way is lost, it would take more work than the model's
    /// bound, or it was cancelled.
    fn answer(
        &self,
        request: &Request,
        fabric: &Fabric,
        cancel: &Cancel,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Answer, CollectiveError>;
}

#[cfg(test)]
mod tests;
