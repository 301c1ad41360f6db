//! The risk register: what might go wrong, how likely, how bad, who answers for it and what is done.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use topology::units::Fraction;

use crate::plan::Anchor;

/// Most impact.
pub const MAX_IMPACT: u8 = 5;

/// What is done about a risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Response {
    /// Nothing decided yet.
    #[default]
    Undecided,
    /// Lived with.
    Accept,
    /// Made smaller.
    Mitigate,
    /// Given to somebody else.
    Transfer,
    /// Kept from happening.
    Avoid,
}

/// Whether a risk is still one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Status {
    /// It is.
    #[default]
    Open,
    /// It is, and is lived with.
    Accepted,
    /// It came true.
    Happened,
    /// It is none any more.
    Closed,
}

/// One risk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Risk {
    /// Unique key, such as "R-1".
    pub id: String,
    /// What might happen, because of what, with what effect.
    pub text: String,
    /// Kind of cause, such as "supply".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// How likely; absent if nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<Fraction>,
    /// How bad, 1 to [`MAX_IMPACT`]; absent if nobody said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<u8>,
    /// What is done.
    #[serde(default, skip_serializing_if = "crate::roadmap::is_default")]
    pub response: Response,
    /// How.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// What that costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Who answers for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Whether it is still one.
    #[serde(default, skip_serializing_if = "crate::roadmap::is_default")]
    pub status: Status,
    /// The day on which it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<Date>,
    /// The day by which the response is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due: Option<Date>,
    /// Gate that it threatens, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
}

impl Risk {
    /// A risk of which only the words are known.
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            text: text.into(),
            category: None,
            probability: None,
            impact: None,
            response: Response::Undecided,
            plan: None,
            cost_usd: None,
            owner: None,
            status: Status::Open,
            opened: None,
            due: None,
            gate: None,
            anchor: None,
        }
    }

    /// Probability times impact, 0 to 5; absent without both.
    pub fn exposure(&self) -> Option<f64> {
        Some(self.probability?.get() * f64::from(self.impact?))
    }

    /// Whether it can still happen.
    pub fn is_live(&self) -> bool {
        matches!(self.status, Status::Open | Status::Accepted)
    }

    /// Whether its response should be done and it is still open.
    pub fn is_overdue(&self, today: Date) -> bool {
        self.status == Status::Open && self.due.is_some_and(|due| due < today)
    }

    /// Place in the five by five matrix, from 0: band of probability (a fifth each), then impact; absent without both.
    pub fn cell(&self) -> Option<(usize, usize)> {
        let band = (self.probability?.get() * 5.0).ceil().clamp(1.0, 5.0) as usize - 1;
        Some((band, usize::from(self.impact?.clamp(1, MAX_IMPACT)) - 1))
    }
}

/// Risks that can still happen, worst first; those of unknown exposure come first of all, because nobody looked at them.
pub fn ranked(risks: &[Risk]) -> Vec<&Risk> {
    let mut live: Vec<&Risk> = risks.iter().filter(|risk| risk.is_live()).collect();
    let rank = |risk: &Risk| risk.exposure().unwrap_or(f64::INFINITY);
    live.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then_with(|| a.id.cmp(&b.id)));
    live
}
