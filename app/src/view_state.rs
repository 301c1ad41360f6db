//! What the user is looking at: never undone, kept between runs by the window.

use serde::{Deserialize, Serialize};
use topology::fleet::{PodId, SliceId};
use topology::shape::{Axis, Coord};

/// The rooms of the navigation rail, in rail order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum View {
    /// Is the fleet healthy, on time and on budget?
    Overview,
    /// The torus, its slices and planes.
    #[default]
    Topology,
    /// Utilization now and over time.
    Live,
    /// Workloads tried on slices.
    WhatIf,
    /// Timeline and board.
    Roadmap,
    /// Demand against supply.
    Capacity,
    /// Failures and repairs.
    Reliability,
    /// Slides with live figures.
    Present,
}

impl View {
    /// All, in rail order.
    pub const ALL: [Self; 8] = [
        Self::Overview,
        Self::Topology,
        Self::Live,
        Self::WhatIf,
        Self::Roadmap,
        Self::Capacity,
        Self::Reliability,
        Self::Present,
    ];

    /// The name on the rail.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Topology => "Topology",
            Self::Live => "Live",
            Self::WhatIf => "What-if",
            Self::Roadmap => "Roadmap",
            Self::Capacity => "Capacity",
            Self::Reliability => "Reliability",
            Self::Present => "Present",
        }
    }

    /// The name on the command line and in file names.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Topology => "topology",
            Self::Live => "live",
            Self::WhatIf => "what-if",
            Self::Roadmap => "roadmap",
            Self::Capacity => "capacity",
            Self::Reliability => "reliability",
            Self::Present => "present",
        }
    }

    /// The views that exist so far; the others say what they will need.
    pub const BUILT: [Self; 3] = [Self::Topology, Self::Live, Self::Roadmap];
}

/// What is selected; shared by all views.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Selection {
    /// Nothing.
    #[default]
    None,
    /// A whole pod.
    Pod(PodId),
    /// A slice.
    Slice(PodId, SliceId),
    /// A cube, by cube coordinate.
    Cube(PodId, Coord),
    /// A chip, by pod coordinate.
    Chip(PodId, Coord),
    /// A roadmap item, by its id.
    Item(u32),
    /// A roadmap gate, by its place in the plan.
    Gate(u32),
}

impl Selection {
    /// The pod that the selection lies on.
    pub fn pod(&self) -> Option<&PodId> {
        match self {
            Self::Pod(pod) | Self::Slice(pod, _) | Self::Cube(pod, _) | Self::Chip(pod, _) => Some(pod),
            Self::None | Self::Item(_) | Self::Gate(_) => None,
        }
    }
}
