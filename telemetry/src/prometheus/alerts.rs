//! Alerts and rules of Prometheus, and alerts of Alertmanager.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::findings::Findings;
use crate::labels::Labels;
use crate::prometheus::error::not_an_answer;
use crate::prometheus::list::envelope;
use crate::prometheus::{Answer, ApiError};

/// How an alert stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertState {
    /// Its condition does not hold.
    Inactive,
    /// Its condition holds, but not for long enough.
    Pending,
    /// It fires.
    Firing,
    /// It fires, but is silenced or inhibited.
    Suppressed,
}

/// One alert of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// Its labels, with `alertname`.
    pub labels: Labels,
    /// Its annotations.
    pub annotations: Labels,
    /// How it stands; absent where the server used a word that is not known.
    pub state: Option<AlertState>,
    /// Since when, in Unix milliseconds.
    pub since_ms: Option<i64>,
    /// Until when it counts as active, in Unix milliseconds; Alertmanager only.
    pub until_ms: Option<i64>,
    /// Value of its expression; Prometheus only.
    pub value: Option<f64>,
    /// Ids of silences and alerts that hold it back.
    pub held_back_by: Vec<String>,
    /// Identity; Alertmanager only.
    pub fingerprint: Option<String>,
    /// Where it was computed.
    pub generator_url: Option<String>,
}

/// Unix milliseconds of an RFC 3339 text; absent for Go's zero time and for what is no time.
pub(super) fn to_ms(text: &str) -> Option<i64> {
    let ms = text.parse::<Timestamp>().ok()?.as_millisecond();
    (!text.starts_with("0001-01-01")).then_some(ms)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PrometheusAlert {
    #[serde(default)]
    labels: Labels,
    #[serde(default)]
    annotations: Labels,
    #[serde(default)]
    state: String,
    #[serde(default)]
    active_at: String,
    #[serde(default)]
    value: String,
}

impl From<PrometheusAlert> for Alert {
    fn from(alert: PrometheusAlert) -> Self {
        Self {
            labels: alert.labels,
            annotations: alert.annotations,
            state: state(&alert.state),
            since_ms: to_ms(&alert.active_at),
            until_ms: None,
            // In Go's %e form, such as "0e+00".
            value: alert.value.parse().ok(),
            held_back_by: Vec::new(),
            fingerprint: None,
            generator_url: None,
        }
    }
}

fn state(word: &str) -> Option<AlertState> {
    match word {
        "inactive" => Some(AlertState::Inactive),
        "pending" | "unprocessed" => Some(AlertState::Pending),
        "firing" | "active" => Some(AlertState::Firing),
        "suppressed" => Some(AlertState::Suppressed),
        _ => None,
    }
}

#[derive(Deserialize, Default)]
struct Alerts {
    alerts: Vec<PrometheusAlert>,
}

/// Reads the answer to `alerts`.
///
/// # Errors
/// If the server refused, or the text is no such answer.
pub fn alerts(body: &str) -> Result<Answer<Vec<Alert>>, ApiError> {
    let answer = envelope::<Alerts>(body)?;
    Ok(answer.map(|data| data.alerts.into_iter().map(Alert::from).collect()))
}

/// A rule of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Name of the alert or of the recorded series.
    pub name: String,
    /// Its expression.
    pub query: String,
    /// Whether it is an alert and not a recorded series.
    pub is_alert: bool,
    /// How long its condition has to hold, in seconds.
    pub for_seconds: f64,
    /// Its alerts now.
    pub alerts: Vec<Alert>,
    /// What is wrong with it, in the server's words.
    pub error: Option<String>,
}

/// Rules that are computed together.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleGroup {
    /// Its name.
    pub name: String,
    /// File that it stands in.
    pub file: String,
    /// Its rules.
    pub rules: Vec<Rule>,
}

#[derive(Deserialize, Default)]
struct Groups {
    groups: Vec<GroupForm>,
}

#[derive(Deserialize)]
struct GroupForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    rules: Vec<RuleForm>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    query: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    duration: f64,
    #[serde(default)]
    alerts: Option<Vec<PrometheusAlert>>,
    #[serde(default)]
    last_error: String,
}

/// Reads the answer to `rules`.
///
/// # Errors
/// If the server refused, or the text is no such answer.
pub fn rules(body: &str) -> Result<Answer<Vec<RuleGroup>>, ApiError> {
    let answer = envelope::<Groups>(body)?;
    let rule = |form: RuleForm| Rule {
        is_alert: form.kind == "alerting",
        name: form.name,
        query: form.query,
        for_seconds: form.duration,
        alerts: form.alerts.unwrap_or_default().into_iter().map(Alert::from).collect(),
        error: (!form.last_error.is_empty()).then_some(form.last_error),
    };
    let group = |form: GroupForm| RuleGroup {
        name: form.name,
        file: form.file,
        rules: form.rules.into_iter().map(rule).collect(),
    };
    Ok(answer.map(|data| data.groups.into_iter().map(group).collect()))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AlertmanagerAlert {
    #[serde(default)]
    labels: Labels,
    #[serde(default)]
    annotations: Labels,
    #[serde(default)]
    starts_at: String,
    #[serde(default)]
    ends_at: String,
    #[serde(default)]
    fingerprint: Option<String>,
    #[serde(rename = "generatorURL", default)]
    generator_url: Option<String>,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Status {
    #[serde(default)]
    state: String,
    #[serde(default)]
    silenced_by: Option<Vec<String>>,
    #[serde(default)]
    inhibited_by: Option<Vec<String>>,
}

/// Reads the answer of Alertmanager to `/api/v2/alerts`, which is a bare list.
///
/// # Errors
/// If the text is no such answer.
pub fn alertmanager_alerts(body: &str) -> Result<Answer<Vec<Alert>>, ApiError> {
    let list: Vec<AlertmanagerAlert> = serde_json::from_str(body).map_err(|error| not_an_answer(body, &error))?;
    let mut findings = Findings::default();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let mut take = |alert: AlertmanagerAlert| {
        let state = state(&alert.status.state);
        if state.is_none() {
            *unknown.entry(alert.status.state).or_default() += 1;
        }
        let held_back = [alert.status.silenced_by, alert.status.inhibited_by];
        Alert {
            labels: alert.labels,
            annotations: alert.annotations,
            state,
            since_ms: to_ms(&alert.starts_at),
            until_ms: to_ms(&alert.ends_at),
            value: None,
            held_back_by: held_back.into_iter().flatten().flatten().collect(),
            fingerprint: alert.fingerprint,
            generator_url: alert.generator_url,
        }
    };
    let data = list.into_iter().map(&mut take).collect();
    for (word, n) in unknown {
        findings.warn(
            "unknown-state",
            "alerts",
            format!("{n} alerts have the unknown state \"{}\"", crate::inventory::shown(&word)),
        );
    }
    Ok(Answer { data, findings, ..Answer::default() })
}
