//! Service level objectives in both dialects of OpenSLO v1, error budgets, burn rates and the alerts on them.
//!
//! Burn rate: share of errors ÷ (1 − target). An alert fires when the burn over a long and over a short window (a
//! twelfth) both exceed the share of the budget × window ÷ long window (Site Reliability Workbook, chapter 5).

use serde::Deserialize;

/// An objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// Name of the SLO.
    pub name: String,
    /// The service.
    pub service: String,
    /// Name of the objective within the SLO.
    pub part: Option<String>,
    /// Share that must be good.
    pub target_fraction: f64,
    /// Length of the window in days, months counted as 30, quarters as 90 and years as 365.
    pub window_days: f64,
    /// Whether the window moves along; else it begins with a calendar date.
    pub is_rolling: bool,
    /// Start of the first calendar window, as written.
    pub calendar_start: Option<String>,
    /// IANA time zone of the calendar window.
    pub time_zone: Option<String>,
    /// "Occurrences" or "Timeslices".
    pub method: String,
    /// Length of a slice in minutes.
    pub slice_minutes: Option<f64>,
}

/// Why a text gives no objectives.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SloError {
    /// It is no YAML.
    #[error("this is no OpenSLO document: {0}")]
    Yaml(String),
    /// A field is missing or odd.
    #[error("SLO {name}: {reason}")]
    Bad {
        /// Name of the SLO.
        name: String,
        /// What is wrong and what to do.
        reason: String,
    },
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    kind: String,
    metadata: Option<Metadata>,
    spec: Option<Spec>,
}
#[derive(Deserialize)]
struct Metadata {
    name: String,
}
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    service: Option<String>,
    time_window: Vec<TimeWindow>,
    budgeting_method: Option<String>,
    objectives: Vec<RawObjective>,
}
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TimeWindow {
    duration: String,
    is_rolling: Option<bool>,
    calendar: Option<RawCalendar>,
}
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawCalendar {
    start_time: Option<String>,
    time_zone: Option<String>,
}
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawObjective {
    display_name: Option<String>,
    target: Option<f64>,
    target_percent: Option<f64>,
    time_slice_window: Option<Length>,
}
/// "5m", or a bare number of minutes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Length {
    Minutes(f64),
    Text(String),
}

/// Reads the objectives of all documents of kind SLO; other kinds are passed over.
pub fn read(text: &str) -> Result<Vec<Objective>, SloError> {
    let documents: Vec<Document> =
        serde_saphyr::from_multiple(text).map_err(|error| SloError::Yaml(error.to_string()))?;
    let mut all = Vec::new();
    for document in documents.into_iter().filter(|document| document.kind == "SLO") {
        let name = document.metadata.map_or_else(|| "without name".to_owned(), |metadata| metadata.name);
        let spec = document.spec.unwrap_or_default();
        for raw in &spec.objectives {
            all.push(objective(&name, &spec, raw).map_err(|reason| SloError::Bad { name: name.clone(), reason })?);
        }
    }
    Ok(all)
}

fn objective(name: &str, spec: &Spec, raw: &RawObjective) -> Result<Objective, String> {
    let target = raw.target.or_else(|| raw.target_percent.map(|percent| percent / 100.0));
    let target = target.filter(|target| *target > 0.0 && *target < 1.0);
    let target_fraction = target.ok_or("it needs a target between 0 and 1, or a targetPercent between 0 and 100")?;
    let window = spec.time_window.first().ok_or("it needs a timeWindow")?;
    let minutes = duration_minutes(&window.duration);
    let minutes =
        minutes.ok_or_else(|| format!("the duration {} is not understood; write for instance 30d", window.duration))?;
    let slice_minutes = raw.time_slice_window.as_ref().and_then(|length| match length {
        Length::Minutes(minutes) => Some(*minutes),
        Length::Text(text) => duration_minutes(text),
    });
    let zone = window.calendar.as_ref().and_then(|calendar| calendar.time_zone.clone());
    Ok(Objective {
        name: name.to_owned(),
        service: spec.service.clone().unwrap_or_default(),
        part: raw.display_name.clone(),
        target_fraction,
        window_days: minutes / 1_440.0,
        is_rolling: window.is_rolling.unwrap_or(window.calendar.is_none()),
        calendar_start: window.calendar.as_ref().and_then(|calendar| calendar.start_time.clone()),
        time_zone: zone.map(|zone| if zone == "UTC" { "Etc/UTC".to_owned() } else { zone }),
        method: spec.budgeting_method.clone().unwrap_or_else(|| "Occurrences".to_owned()),
        slice_minutes,
    })
}

/// A length such as 5m, 1h, 28d, 4w, 1M, 1Q, 1Y in minutes.
fn duration_minutes(text: &str) -> Option<f64> {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(at);
    let number: f64 = number.parse().ok()?;
    let minutes = match unit {
        "m" => 1.0,
        "h" => 60.0,
        "d" => 1_440.0,
        "w" => 7.0 * 1_440.0,
        "M" => 30.0 * 1_440.0,
        "Q" => 90.0 * 1_440.0,
        "Y" => 365.0 * 1_440.0,
        _ => return None,
    };
    Some(number * minutes)
}

/// Minutes of the window that may be bad.
pub fn budget_minutes(target_fraction: f64, window_days: f64) -> f64 {
    (1.0 - target_fraction) * window_days * 1_440.0
}

/// How many times faster than allowed the budget is spent; absent for a target that allows nothing.
pub fn burn_rate(error_fraction: f64, target_fraction: f64) -> Option<f64> {
    let allowed = 1.0 - target_fraction;
    (allowed > 0.0).then(|| error_fraction / allowed)
}

/// Share of the budget that is left, negative once it is overspent; absent if nothing was counted.
pub fn budget_left(good: f64, total: f64, target_fraction: f64) -> Option<f64> {
    let burnt = burn_rate((total > 0.0).then(|| (total - good) / total)?, target_fraction)?;
    Some(1.0 - burnt)
}

/// How loud an alert is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loudness {
    /// Somebody is called.
    Page,
    /// Somebody looks at it in the morning.
    Ticket,
}

/// A pair of windows with its share of the budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BurnAlert {
    /// Long window in hours; the short one is a twelfth.
    pub long_hours: f64,
    /// Share of the budget that is spent in the long window at the threshold.
    pub budget_fraction: f64,
    /// How loud.
    pub loudness: Loudness,
}

/// The four pairs of the workbook.
pub const ALERTS: [BurnAlert; 4] = [
    BurnAlert { long_hours: 1.0, budget_fraction: 0.02, loudness: Loudness::Page },
    BurnAlert { long_hours: 6.0, budget_fraction: 0.05, loudness: Loudness::Page },
    BurnAlert { long_hours: 24.0, budget_fraction: 0.1, loudness: Loudness::Ticket },
    BurnAlert { long_hours: 72.0, budget_fraction: 0.1, loudness: Loudness::Ticket },
];

impl BurnAlert {
    /// The burn rate above which it fires, for a window of so many days.
    pub fn threshold(self, window_days: f64) -> f64 {
        self.budget_fraction * window_days * 24.0 / self.long_hours
    }

    /// Hours of the short window.
    pub fn short_hours(self) -> f64 {
        self.long_hours / 12.0
    }

    /// Whether it fires: both burn rates lie above the threshold. A window without data does not fire.
    pub fn fires(self, long_burn: Option<f64>, short_burn: Option<f64>, window_days: f64) -> bool {
        let above = |burn: Option<f64>| burn.is_some_and(|burn| burn > self.threshold(window_days));
        above(long_burn) && above(short_burn)
    }
}
