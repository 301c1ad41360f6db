//! What a comparison of scenarios is made of, and what it answers.

use egui::Response;
use serde::{Deserialize, Serialize};

use crate::estimate::Band;
use crate::format;

/// Metrics of a few scenarios side by side; the first scenario is the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Compare {
    /// What is shown, for the accessible description, such as "four scenarios of pretrain-main".
    pub name: String,
    /// One to four scenarios, the baseline first.
    pub scenarios: Vec<Scenario>,
    /// The rows, from top to bottom.
    pub metrics: Vec<Metric>,
    /// The scenario that the rest of the view shows.
    pub chosen: Option<usize>,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    /// Such as "Baseline" or "B".
    pub name: String,
    /// Two lines below the name, such as "v5p · 4,096" and "16×16×16".
    pub lines: [String; 2],
    /// Its inputs have changed and newer numbers are on their way.
    pub stale: bool,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Such as "Step time".
    pub name: String,
    /// Unit of the texts, such as "ms"; stands below the name.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
    /// How a change is said.
    pub change: Change,
    /// One cell per scenario; absent where it was not computed.
    pub cells: Vec<Option<Cell>>,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The value without unit, such as "862".
    pub text: String,
    /// What is compared: for [`Change::Points`] a share, for [`Change::Amount`] in the unit of the text.
    pub value: f64,
    /// Low and high end in the same unit as `value`, if they are known.
    pub band: Option<[f64; 2]>,
}

/// Which values are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Higher ones.
    Higher,
    /// Lower ones.
    Lower,
    /// None: a change is neither good nor bad.
    Neither,
}

/// How the change against the baseline is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// As a share of the baseline: "−43 %".
    Relative,
    /// As a difference of two percentages: "−18.4 pp".
    Points,
    /// As a difference in the unit of the row, with so many decimals: "+5.2".
    Amount(usize),
}

impl Change {
    /// The change as text; none against a baseline of zero.
    fn text(self, from: f64, to: f64) -> Option<String> {
        let text = match self {
            Self::Relative => {
                let change = (to - from) / from;
                let decimals = usize::from(change.abs() < 0.0995);
                return change.is_finite().then(|| format::percent_change(change, decimals));
            }
            Self::Points => format::points(to - from, 1),
            Self::Amount(decimals) => format::signed(to - from, decimals),
        };
        Some(text)
    }
}

/// How a cell stands in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// The best of all.
    Best,
    /// Better than the baseline.
    Better,
    /// Worse than the baseline.
    Worse,
    /// Neither, or there is nothing to compare it with.
    Plain,
}

/// What stands below a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Such as "−43 %"; empty when there is nothing to compare with.
    pub change: String,
    /// "better", "worse", "best" or nothing.
    pub word: &'static str,
    pub standing: Standing,
}

impl Verdict {
    fn new(change: String, standing: Standing) -> Self {
        let word = match standing {
            Standing::Best => "best",
            Standing::Better => "better",
            Standing::Worse => "worse",
            Standing::Plain => "",
        };
        Self { change, word, standing }
    }

    /// Change and word.
    pub(super) fn text(&self) -> String {
        format!("{} {}", self.change, self.word).trim().to_owned()
    }
}

impl Metric {
    /// The cell of a scenario.
    pub(super) fn cell(&self, scenario: usize) -> Option<&Cell> {
        self.cells.get(scenario)?.as_ref()
    }

    /// Whether the first value is better than the second.
    fn beats(&self, a: f64, b: f64) -> bool {
        match self.better {
            Better::Higher => a > b,
            Better::Lower => a < b,
            Better::Neither => false,
        }
    }

    /// Whether a cell is the best, and others are not as good.
    fn is_best(&self, scenario: usize) -> bool {
        let Some(own) = self.cell(scenario) else { return false };
        let others = || self.cells.iter().flatten();
        others().all(|other| !self.beats(other.value, own.value))
            && others().any(|other| self.beats(own.value, other.value))
    }

    /// What is said about a cell.
    pub(super) fn verdict(&self, scenario: usize) -> Verdict {
        let best = self.is_best(scenario);
        let change = self.cell(0).zip(self.cell(scenario)).filter(|_| scenario > 0).and_then(|(base, own)| {
            let text = self.change.text(base.value, own.value)?;
            let standing = if !text.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
                Standing::Plain
            } else if self.beats(own.value, base.value) {
                Standing::Better
            } else if self.beats(base.value, own.value) {
                Standing::Worse
            } else {
                Standing::Plain
            };
            Some((text, standing))
        });
        match (change, best) {
            (None, true) => Verdict::new(String::new(), Standing::Best),
            (None, false) => Verdict::new(String::new(), Standing::Plain),
            (Some((text, Standing::Better)), true) => Verdict::new(text, Standing::Best),
            (Some((text, standing)), _) => Verdict::new(text, standing),
        }
    }

    /// The band of a cell.
    pub(super) fn band(&self, scenario: usize) -> Option<Band> {
        let cell = self.cell(scenario)?;
        cell.band.map(|[low, high]| Band { low, mid: cell.value, high })
    }

    /// From the lowest to the highest end of all bands; nothing when no cell has one.
    pub(super) fn axis(&self) -> Option<[f64; 2]> {
        let bands = (0..self.cells.len()).filter_map(|n| self.band(n));
        let ends = bands.map(|band| [band.low, band.high]);
        ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).filter(|[low, high]| low < high)
    }
}

/// Which cell: the number of its metric and of its scenario, both from 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CellId {
    /// Number of the row.
    pub metric: usize,
    /// Number of the column.
    pub scenario: usize,
}

/// How a comparison is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareState {
    /// The cell that the arrow keys move from.
    pub focus: CellId,
    /// The cell that was asked about last.
    pub explained: Option<CellId>,
}

/// What happened to a comparison in this frame.
#[derive(Debug, Clone, Default)]
pub struct CompareOutput {
    /// Under the pointer.
    pub hovered: Option<CellId>,
    /// Clicked, or confirmed with Enter.
    pub clicked: Option<CellId>,
    /// A scenario whose head was clicked.
    pub chosen: Option<usize>,
    /// The cell that was asked about last, in every frame: the anchor of its explanation.
    pub explained: Option<(CellId, Response)>,
}
