//! Objectives, error budgets and how fast they burn.

use serde::{Deserialize, Serialize};

/// What a service promises: a share of good events in a window.
///
/// The queries hold `{window}` where a duration stands, as in `sum(rate(good_total[{window}]))`, so that one text serves all windows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// Name.
    pub name: String,
    /// Promised share of good events, such as 0.995.
    pub target_fraction: f64,
    /// Length of the window in seconds; 30 days are 2,592,000.
    pub window_seconds: f64,
    /// Query for good events, or absent where `bad` is there.
    #[serde(default)]
    pub good: Option<String>,
    /// Query for bad events, or absent where `good` is there.
    #[serde(default)]
    pub bad: Option<String>,
    /// Query for all events.
    pub total: String,
}

impl Objective {
    /// Share of bad events that is allowed.
    pub fn allowed_fraction(&self) -> f64 {
        1.0 - self.target_fraction
    }

    /// Query of the share of bad events over a window of that many seconds.
    pub fn error_query(&self, window_seconds: f64) -> String {
        let window = format!("{}ms", (window_seconds * 1_000.0).round().max(1.0) as i64);
        let of = |query: &str| format!("({})", query.replace("{window}", &window));
        match (&self.bad, &self.good) {
            (Some(bad), _) => format!("{} / {}", of(bad), of(&self.total)),
            (None, Some(good)) => format!("1 - {} / {}", of(good), of(&self.total)),
            (None, None) => format!("0 * {}", of(&self.total)),
        }
    }

    /// What makes no sense in it.
    pub(super) fn fault(&self) -> Option<&'static str> {
        if !(self.target_fraction > 0.0 && self.target_fraction < 1.0) {
            Some("a target lies between 0 and 1; 100 % leaves no budget to burn")
        } else if self.window_seconds.is_nan() || self.window_seconds <= 0.0 {
            Some("the window of an objective is longer than 0")
        } else if self.good.is_none() && self.bad.is_none() {
            Some("an objective needs a query for good or for bad events")
        } else {
            None
        }
    }
}

/// A pair of windows and the burn rate that both must exceed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BurnWindow {
    /// The long window in seconds: that it matters.
    pub long_seconds: f64,
    /// The short window in seconds: that it goes on.
    pub short_seconds: f64,
    /// Times the rate that would use the budget up exactly at the end of the objective's window.
    pub burn_rate: f64,
}

impl BurnWindow {
    /// The pairs that the SRE workbook recommends for 30 days ("Alerting on SLOs", table 5-8): 2 % of the budget in an hour,
    /// 5 % in six hours, 10 % in three days.
    pub const RECOMMENDED: [Self; 3] = [
        Self { long_seconds: 3_600.0, short_seconds: 300.0, burn_rate: 14.4 },
        Self { long_seconds: 21_600.0, short_seconds: 1_800.0, burn_rate: 6.0 },
        Self { long_seconds: 259_200.0, short_seconds: 21_600.0, burn_rate: 1.0 },
    ];
}

/// State of an error budget.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ErrorBudget {
    /// Events that may be bad in the window.
    pub allowed_events: f64,
    /// Events that were bad.
    pub bad_events: f64,
    /// Share of the budget that is left; negative when it is overdrawn.
    pub left_fraction: f64,
    /// How fast it burns: 1 uses it up exactly in the window.
    pub burn_rate: f64,
    /// Time until it is empty at this rate, in seconds; absent if it does not burn or is empty.
    pub seconds_to_empty: Option<f64>,
}

/// The budget after so many bad of all events in the objective's window; `None` without events or with a senseless objective.
///
/// Budget: (1 − target) × events. Burn rate: share of bad events ÷ (1 − target). Time to empty: window × share left ÷ burn
/// rate (Google Cloud, "Alerting on your burn rate").
pub fn error_budget(objective: &Objective, bad_events: f64, events: f64) -> Option<ErrorBudget> {
    if objective.fault().is_some() || events.is_nan() || events <= 0.0 || !bad_events.is_finite() {
        return None;
    }
    let allowed_events = objective.allowed_fraction() * events;
    let burn_rate = bad_events / events / objective.allowed_fraction();
    let left_fraction = 1.0 - bad_events / allowed_events;
    let burns = burn_rate > 0.0 && left_fraction > 0.0;
    let seconds_to_empty = burns.then(|| objective.window_seconds * left_fraction / burn_rate);
    Some(ErrorBudget { allowed_events, bad_events, left_fraction, burn_rate, seconds_to_empty })
}
