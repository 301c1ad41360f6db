//! New product introduction: gates with exit criteria that need fresh evidence or a waiver that has not expired, and the
//! matrix of images that were qualified.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use topology::fleet::TeamId;

use crate::roadmap::{Gate, days_between, is_default};

/// What was found of a criterion or of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum State {
    /// Nobody has looked.
    #[default]
    Open,
    /// Being tested.
    Running,
    /// Cannot be tested now.
    Blocked,
    /// Met.
    Pass,
    /// Not met.
    Fail,
    /// Asks nothing here.
    NotApplicable,
}

/// What shows that something is so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Where it is: a link, a file, a sentence.
    pub what: String,
    /// The day on which it was collected.
    pub on: Date,
}

/// Leave to pass without evidence, for a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiver {
    /// Why.
    pub reason: String,
    /// Who gave it.
    pub by: String,
    /// First day on which it holds.
    pub granted: Date,
    /// Last day on which it holds.
    pub expires: Date,
}

/// What must be shown before a gate can be passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Criterion {
    /// The words; unique in the gate.
    pub text: String,
    /// Who shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<TeamId>,
    /// What was found.
    #[serde(default, skip_serializing_if = "is_default")]
    pub state: State,
    /// What shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Days after which evidence is stale; absent if it does not age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh_days: Option<u32>,
    /// Leave to pass without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiver: Option<Waiver>,
}

impl Criterion {
    /// One that nobody has looked at.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), owner: None, state: State::Open, evidence: None, fresh_days: None, waiver: None }
    }
}

/// What was ruled at a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// On to the next stage.
    Go,
    /// On, with waivers that are kept in mind.
    GoWithWaiver,
    /// Not yet.
    NoGo,
}

/// A ruling with who made it and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// What.
    pub verdict: Verdict,
    /// When.
    pub on: Date,
    /// By whom.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
}

/// How a criterion stands on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Passed, with evidence that is fresh.
    Met,
    /// It asks nothing.
    NotApplicable,
    /// Let pass by a waiver.
    Waived {
        /// Days until it expires, 0 on its last day.
        days_left: i32,
    },
    /// Passed, but without evidence.
    NoEvidence,
    /// Passed, but the evidence is older than it may be.
    Stale {
        /// Its age.
        age_days: i32,
    },
    /// The waiver has expired.
    Expired {
        /// Days since its last day.
        days_ago: i32,
    },
    /// Not met.
    Failed,
    /// Not shown yet.
    Open,
}

impl Standing {
    /// Whether the gate cannot be passed because of it.
    pub const fn is_blocking(self) -> bool {
        !matches!(self, Self::Met | Self::NotApplicable | Self::Waived { .. })
    }
}

/// How a criterion stands on the day `today`. Evidence dated later than today, and a waiver granted later, do not count.
pub fn standing(criterion: &Criterion, today: Date) -> Standing {
    let waived = criterion.waiver.as_ref().filter(|waiver| waiver.granted <= today).map(|waiver| {
        let days_left = days_between(today, waiver.expires);
        if days_left >= 0 { Standing::Waived { days_left } } else { Standing::Expired { days_ago: -days_left } }
    });
    let own = match (criterion.state, &criterion.evidence) {
        (State::NotApplicable, _) => Standing::NotApplicable,
        (State::Pass, Some(evidence)) if evidence.on <= today => {
            let age_days = days_between(evidence.on, today);
            let is_stale = criterion.fresh_days.is_some_and(|limit| i64::from(age_days) > i64::from(limit));
            if is_stale { Standing::Stale { age_days } } else { Standing::Met }
        }
        (State::Pass, _) => Standing::NoEvidence,
        (State::Fail, _) => Standing::Failed,
        (State::Open | State::Running | State::Blocked, _) => Standing::Open,
    };
    match waived {
        Some(waived) if own.is_blocking() => waived,
        _ => own,
    }
}

/// How ready a gate is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// How each criterion stands, in order.
    pub standings: Vec<Standing>,
    /// What can be ruled; absent for a gate without criteria.
    pub verdict: Option<Verdict>,
}

impl Readiness {
    /// Places of the criteria that block the gate.
    pub fn blocking(&self) -> impl Iterator<Item = usize> + '_ {
        self.standings.iter().enumerate().filter(|(_, standing)| standing.is_blocking()).map(|(i, _)| i)
    }
}

/// How ready a gate is on the day `today`.
pub fn readiness(gate: &Gate, today: Date) -> Readiness {
    let standings: Vec<Standing> = gate.criteria.iter().map(|criterion| standing(criterion, today)).collect();
    let waived = standings.iter().any(|standing| matches!(standing, Standing::Waived { .. }));
    let blocked = standings.iter().any(|standing| standing.is_blocking());
    let verdict = (!standings.is_empty()).then_some(match (blocked, waived) {
        (true, _) => Verdict::NoGo,
        (false, true) => Verdict::GoWithWaiver,
        (false, false) => Verdict::Go,
    });
    Readiness { standings, verdict }
}

/// A stage of the way from concept to general availability, as a template.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Stage {
    /// Name of the gate at its end.
    pub name: String,
    /// The one question that the gate answers.
    pub question: String,
    /// Exit criteria.
    pub criteria: Vec<String>,
    /// Days after which their evidence is stale.
    pub fresh_days: u32,
}

/// The template of gates that the program brings along, in order.
///
/// # Errors
/// If the text is no list of stages; that of the asset is, which a test holds.
pub fn stages(text: &str) -> Result<Vec<Stage>, ron::error::SpannedError> {
    ron::from_str(text)
}

/// The embedded template, `assets/npi/stages.ron`.
pub const STAGES: &str = include_str!("../../assets/npi/stages.ron");

/// A gate made from a stage, planned for a day.
pub fn gate_of(stage: &Stage, planned: Date) -> Gate {
    let criterion = |text: &String| Criterion { fresh_days: Some(stage.fresh_days), ..Criterion::new(text.clone()) };
    Gate {
        question: Some(stage.question.clone()),
        criteria: stage.criteria.iter().map(criterion).collect(),
        ..Gate::new(stage.name.clone(), planned)
    }
}

/// Which images work on what: rows of images, columns of what they must work on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// Unique name.
    pub name: String,
    /// Images: runtime, kernel, driver.
    pub rows: Vec<String>,
    /// Generation, form, topology and test, such as "v6e, bare metal, 4x4, collective".
    pub columns: Vec<String>,
    /// What was found; a pair without a cell was not looked at.
    #[serde(default)]
    pub cells: Vec<Cell>,
    /// Days after which a result is stale; absent if it does not age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fresh_days: Option<u32>,
}

/// One pair of a matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its row.
    pub row: String,
    /// Its column.
    pub column: String,
    /// What was found, as of a criterion.
    pub result: Criterion,
}

/// How many pairs stand how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Pairs that ask something: all but those that are not applicable.
    pub asked: usize,
    /// Met.
    pub met: usize,
    /// Let pass by a waiver.
    pub waived: usize,
    /// Failed, stale, expired or without evidence.
    pub bad: usize,
    /// Not shown yet.
    pub open: usize,
}

impl Matrix {
    /// What was found of a pair.
    pub fn cell(&self, row: &str, column: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.row == row && cell.column == column)
    }

    /// How a pair stands on a day.
    pub fn standing(&self, row: &str, column: &str, today: Date) -> Standing {
        let Some(cell) = self.cell(row, column) else { return Standing::Open };
        let fresh_days = cell.result.fresh_days.or(self.fresh_days);
        standing(&Criterion { fresh_days, ..cell.result.clone() }, today)
    }

    /// How many pairs stand how.
    pub fn tally(&self, today: Date) -> Tally {
        let mut tally = Tally::default();
        for (row, column) in self.rows.iter().flat_map(|row| self.columns.iter().map(move |column| (row, column))) {
            let standing = self.standing(row, column, today);
            tally.asked += usize::from(standing != Standing::NotApplicable);
            match standing {
                Standing::Met => tally.met += 1,
                Standing::Waived { .. } => tally.waived += 1,
                Standing::Open => tally.open += 1,
                Standing::NotApplicable => {}
                _ => tally.bad += 1,
            }
        }
        tally
    }
}
