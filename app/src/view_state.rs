//! What the user is looking at: never undone, kept between runs by the window.

use std::collections::BTreeSet;

use planning::plan::ScenarioId;
use planning::roadmap::ItemId;
use serde::{Deserialize, Serialize};
use telemetry::Metric;
use topology::fleet::{PodId, SliceId};
use topology::shape::{Axis, Coord};
use widgets::board::BoardState;
use widgets::compare::CompareState;
use widgets::gantt::GanttState;
use widgets::heatmap::HeatmapState;
use widgets::planes::PlanesState;
use widgets::roofline::RooflineState;
use widgets::systolic::SystolicState;
use widgets::timeline::TimelineState;
use widgets::torus::TorusState;

use crate::pod_map::Group;
use crate::views::roadmap::Layers;
use crate::views::what_if::draft::Draft;

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
    pub const BUILT: [Self; 4] = [Self::Topology, Self::Live, Self::WhatIf, Self::Roadmap];
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
    /// A roadmap item.
    Item(ItemId),
    /// A roadmap gate, by name.
    Gate(String),
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

/// What the colours of the Topology view mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ColorBy {
    /// The slice's identity colour.
    #[default]
    Slice,
    /// The metric of the Live view.
    Metric,
}

/// Look of the Topology view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TopologyState {
    /// Camera of the lattice.
    pub torus: TorusState,
    /// Focus of the planes.
    pub planes: PlanesState,
    /// Axis whose layers are unrolled.
    pub axis: Axis,
    /// What colours mean.
    pub color_by: ColorBy,
    /// Whether every wrap link is drawn.
    pub wrap_links: bool,
}

impl Default for TopologyState {
    fn default() -> Self {
        Self {
            torus: TorusState::default(),
            planes: PlanesState::default(),
            axis: Axis::Z,
            color_by: ColorBy::Slice,
            wrap_links: false,
        }
    }
}

/// Look of the Live view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveState {
    /// Metric that is shown.
    pub metric: Metric,
    /// Axis whose layers are unrolled.
    pub axis: Axis,
    /// How chips are summed up in the planes.
    pub group: Group,
    /// Range of the colours.
    pub range: [f32; 2],
    /// Colours.
    pub colormap: ColorMap,
    /// Focus of the planes.
    pub planes: PlanesState,
    /// Part of the history that is in view.
    pub heatmap: HeatmapState,
    /// The chip that the inspector explains, in coordinates of the slice.
    pub pinned: Option<Coord>,
}

impl Default for LiveState {
    fn default() -> Self {
        Self {
            metric: Metric::TensorcoreUtil,
            axis: Axis::Z,
            group: Group::Chip,
            range: [0.0, 1.0],
            colormap: ColorMap::Viridis,
            planes: PlanesState::default(),
            heatmap: HeatmapState::default(),
            pinned: None,
        }
    }
}

/// Sequential colour maps that utilization may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ColorMap {
    /// The default.
    #[default]
    Viridis,
    /// Safest for colour-blind eyes.
    Cividis,
}

impl ColorMap {
    /// The other one.
    pub const fn next(self) -> Self {
        match self {
            Self::Viridis => Self::Cividis,
            Self::Cividis => Self::Viridis,
        }
    }

    /// As the widgets name it.
    pub const fn map(self) -> widgets::colormap::Map {
        match self {
            Self::Viridis => widgets::colormap::Map::Viridis,
            Self::Cividis => widgets::colormap::Map::Cividis,
        }
    }
}

/// How the roadmap is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum RoadmapMode {
    /// Bars over months.
    #[default]
    Timeline,
    /// Columns of cards.
    Board,
}

/// Look of the Roadmap view.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RoadmapState {
    /// Timeline or board.
    pub mode: RoadmapMode,
    /// Parts of the timeline that are drawn.
    pub layers: Layers,
    /// Zoom and scroll of the timeline.
    pub gantt: GanttState,
    /// Scroll of the board.
    pub board: BoardState,
    /// Text that cards must contain.
    pub filter: String,
}

/// Picture below the timeline of the What-if view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Lower {
    /// Rates against intensity.
    #[default]
    Roofline,
    /// Traffic of the links, on the torus of the slice.
    Links,
    /// The systolic array at work.
    Array,
}

/// Look of the What-if view.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WhatIfState {
    /// The scenario that is shown; the first where it is gone.
    pub scenario: Option<ScenarioId>,
    /// Picture below the timeline.
    pub lower: Lower,
    /// Part of the timeline that is in view.
    pub timeline: TimelineState,
    /// Focus of the comparison.
    pub compare: CompareState,
    /// Focus of the roofline.
    pub roofline: RooflineState,
    /// Camera of the links.
    pub torus: TorusState,
    /// Cycle of the array.
    #[serde(skip)]
    pub array: SystolicState,
    /// The kind of work that was chosen, where it cannot be computed yet.
    #[serde(skip)]
    pub later: Option<usize>,
    /// What is being typed into a field of the form.
    #[serde(skip)]
    pub draft: Option<Draft>,
    /// What is being typed as a fault.
    #[serde(skip)]
    pub fault: String,
}

/// The moment that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeCursor {
    /// A held moment in Unix seconds; absent follows the newest sample.
    pub held: Option<i64>,
}

/// Colours of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Theme {
    /// Light on dark.
    #[default]
    Dark,
    /// Dark on light.
    Light,
}

impl Theme {
    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Dark => Self::Light,
            Self::Light => Self::Dark,
        }
    }

    /// As egui names it.
    pub const fn egui(self) -> egui::Theme {
        match self {
            Self::Dark => egui::Theme::Dark,
            Self::Light => egui::Theme::Light,
        }
    }
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ViewState {
    /// The room that is shown.
    pub view: View,
    /// Dark or light.
    pub theme: Theme,
    /// The pod that Topology and Live show.
    pub pod: Option<PodId>,
    /// The slice that Live shows.
    pub slice: Option<SliceId>,
    /// What is selected.
    pub selection: Selection,
    /// Look of Topology.
    pub topology: TopologyState,
    /// Look of Live.
    pub live: LiveState,
    /// Look of What-if.
    pub what_if: WhatIfState,
    /// Look of Roadmap.
    pub roadmap: RoadmapState,
    /// Whether the inspector is open.
    pub inspector: bool,
    /// Whether the outline is open.
    pub outline: bool,
    /// Names of the outline's open branches.
    pub unfolded: BTreeSet<String>,
    /// Text that the outline filters by.
    #[serde(skip)]
    pub outline_filter: String,
    /// The moment that is shown.
    #[serde(skip)]
    pub time: TimeCursor,
}

impl Default for ViewState {
    fn default() -> Self {
        Self {
            view: View::default(),
            theme: Theme::default(),
            pod: None,
            slice: None,
            selection: Selection::None,
            topology: TopologyState::default(),
            live: LiveState::default(),
            what_if: WhatIfState::default(),
            roadmap: RoadmapState::default(),
            inspector: true,
            outline: true,
            unfolded: BTreeSet::new(),
            outline_filter: String::new(),
            time: TimeCursor::default(),
        }
    }
}

impl ViewState {
    /// The same with everything that cannot be looked through put back to its first look: kept states may be damaged.
    pub fn healed(mut self) -> Self {
        let camera = &self.topology.torus.camera;
        let numbers = [camera.yaw, camera.pitch, camera.zoom, camera.pan[0], camera.pan[1]];
        if numbers.iter().any(|number| !number.is_finite() || number.abs() > 1e5) || camera.zoom <= 0.0 {
            self.topology.torus = TorusState::default();
        }
        let gantt = &self.roadmap.gantt;
        if ![gantt.month_width, gantt.scroll_x, gantt.scroll_y].iter().all(|number| number.is_finite()) {
            self.roadmap.gantt = GanttState::default();
        }
        let board = &self.roadmap.board;
        if !board.scroll_x.is_finite() || board.scroll.iter().any(|number| !number.is_finite()) {
            self.roadmap.board = BoardState::default();
        }
        let [low, high] = self.live.range;
        let [from, to] = self.live.heatmap.view;
        let sound = |low: f32, high: f32| low.is_finite() && high.is_finite() && low < high;
        if !sound(low, high) || !sound(from, to) {
            self.live = LiveState::default();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: a kept state with a number that is none never gives an empty window.
    #[test]
    fn damaged_looks_are_healed_and_sound_ones_kept() {
        let mut damaged = ViewState::default();
        damaged.topology.torus.camera.yaw = f32::NAN;
        damaged.roadmap.gantt.month_width = f32::INFINITY;
        damaged.roadmap.board.scroll = vec![f32::NAN];
        damaged.live.range = [1.0, f32::NAN];
        assert_eq!(damaged.healed(), ViewState::default());
        let sound = ViewState { view: View::Live, ..ViewState::default() };
        assert_eq!(sound.clone().healed(), sound);
    }
}
