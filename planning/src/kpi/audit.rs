//! Audits and policies: OSCAL assessment results 1.2, Conftest, SARIF 2.1. Pass, fail and excepted with an expiry are kept
//! apart; SARIF names no passes, so it has no pass rate.

use jiff::civil::Date;
use serde::Deserialize;

use super::{Measured, Row};
use crate::roadmap::days_between;

/// Why a text is no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: this is no {what}: {reason}")]
pub struct AuditError {
    /// "OSCAL assessment result", "Conftest result", "SARIF log".
    pub what: &'static str,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What the parser says.
    pub reason: String,
}

fn parse<'a, T: Deserialize<'a>>(what: &'static str, text: &'a str) -> Result<T, AuditError> {
    serde_json::from_str(text).map_err(|error| AuditError {
        what,
        line: error.line(),
        column: error.column(),
        reason: error.to_string(),
    })
}

/// Leave to deviate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// What.
    pub title: String,
    /// The day on which it was first written down.
    pub since: Option<Date>,
    /// The last day on which it holds.
    pub expires: Option<Date>,
    /// Whether it was approved, not only asked for.
    pub is_approved: bool,
}

impl Exception {
    /// Days since it was written down.
    pub fn age_days(&self, as_of: Date) -> Option<i32> {
        self.since.map(|since| days_between(since, as_of))
    }

    /// Days until it expires, negative after that.
    pub fn days_left(&self, as_of: Date) -> Option<i32> {
        self.expires.map(|expires| days_between(as_of, expires))
    }
}

/// What an assessment found.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Findings: satisfied or not.
    pub findings: Measured,
    /// Deviations asked for or approved.
    pub exceptions: Vec<Exception>,
    /// The day on which the newest result ended.
    pub data_of: Option<Date>,
}

#[derive(Deserialize)]
struct OscalFile {
    #[serde(rename = "assessment-results")]
    body: OscalBody,
}
#[derive(Deserialize)]
struct OscalBody {
    #[serde(default)]
    results: Vec<OscalResult>,
}
#[derive(Deserialize)]
struct OscalResult {
    start: Option<String>,
    end: Option<String>,
    #[serde(default)]
    findings: Vec<OscalFinding>,
    #[serde(default)]
    risks: Vec<OscalRisk>,
}
#[derive(Deserialize)]
struct OscalFinding {
    title: String,
    target: OscalTarget,
}
#[derive(Deserialize)]
struct OscalTarget {
    #[serde(rename = "target-id")]
    id: String,
    status: OscalState,
}
#[derive(Deserialize)]
struct OscalState {
    state: String,
}
#[derive(Deserialize)]
struct OscalRisk {
    title: String,
    status: String,
    deadline: Option<String>,
    #[serde(rename = "risk-log")]
    log: Option<OscalLog>,
}
#[derive(Deserialize)]
struct OscalLog {
    #[serde(default)]
    entries: Vec<OscalEntry>,
}
#[derive(Deserialize)]
struct OscalEntry {
    start: Option<String>,
}

/// The date with which a moment begins, as the document writes it.
fn date(text: Option<&String>) -> Option<Date> {
    text?.get(..10)?.parse().ok()
}

/// Reads assessment results: the newest result counts, because older ones are history.
pub fn oscal(text: &str) -> Result<Assessment, AuditError> {
    let file: OscalFile = parse("OSCAL assessment result", text)?;
    let newest = file.body.results.into_iter().max_by_key(|result| date(result.start.as_ref()));
    let Some(result) = newest else {
        return Ok(Assessment { findings: Measured::default(), exceptions: Vec::new(), data_of: None });
    };
    let row = |finding: &OscalFinding| Row {
        label: finding.target.id.clone(),
        value: None,
        is_good: Some(finding.target.status.state == "satisfied"),
        remark: finding.title.clone(),
    };
    let deviations = result.risks.iter().filter(|risk| risk.status.starts_with("deviation"));
    let exception = |risk: &OscalRisk| Exception {
        title: risk.title.clone(),
        since: risk.log.iter().flat_map(|log| &log.entries).filter_map(|entry| date(entry.start.as_ref())).min(),
        expires: date(risk.deadline.as_ref()),
        is_approved: risk.status == "deviation-approved",
    };
    Ok(Assessment {
        findings: Measured::share(result.findings.iter().map(row).collect()),
        exceptions: deviations.map(exception).collect(),
        data_of: date(result.end.as_ref().or(result.start.as_ref())),
    })
}

/// Counts of a policy check.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Policy {
    /// Rules that held; Conftest gives no names.
    pub successes: usize,
    /// Messages of rules that did not hold.
    pub failures: Vec<String>,
    /// Messages of warnings.
    pub warnings: Vec<String>,
    /// Messages of exceptions.
    pub exceptions: Vec<String>,
}

impl Policy {
    /// Share of rules that held, among those that held or not; absent if none was checked.
    pub fn pass_rate(&self) -> Option<f64> {
        let all = self.successes + self.failures.len();
        (all > 0).then(|| self.successes as f64 / all as f64)
    }
}

#[derive(Deserialize)]
struct ConftestRow {
    filename: String,
    #[serde(default)]
    successes: usize,
    #[serde(default)]
    failures: Vec<ConftestMessage>,
    #[serde(default)]
    warnings: Vec<ConftestMessage>,
    #[serde(default)]
    exceptions: Vec<ConftestMessage>,
}
#[derive(Deserialize)]
struct ConftestMessage {
    msg: String,
}

/// Reads the JSON output of Conftest.
pub fn conftest(text: &str) -> Result<Policy, AuditError> {
    let rows: Vec<ConftestRow> = parse("Conftest result", text)?;
    let mut policy = Policy::default();
    for row in rows {
        let named = |list: Vec<ConftestMessage>| -> Vec<String> {
            list.into_iter().map(|message| format!("{}: {}", row.filename, message.msg)).collect()
        };
        policy.successes += row.successes;
        policy.failures.extend(named(row.failures));
        policy.warnings.extend(named(row.warnings));
        policy.exceptions.extend(named(row.exceptions));
    }
    Ok(policy)
}

/// Counts of a log of defects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Defects {
    /// All results.
    pub results: usize,
    /// Errors that are not suppressed.
    pub open_errors: usize,
    /// Results that are suppressed.
    pub suppressed: usize,
}

#[derive(Deserialize)]
struct SarifLog {
    runs: Vec<SarifRun>,
}
#[derive(Deserialize)]
struct SarifRun {
    #[serde(default)]
    results: Vec<SarifResult>,
}
#[derive(Deserialize)]
struct SarifResult {
    level: Option<String>,
    #[serde(default)]
    suppressions: Vec<SarifSuppression>,
}
#[derive(Deserialize)]
struct SarifSuppression {
    status: Option<String>,
}

/// Reads a SARIF log. A suppression that is under review or rejected suppresses nothing (SARIF 2.1.0, 3.35.3).
pub fn sarif(text: &str) -> Result<Defects, AuditError> {
    let log: SarifLog = parse("SARIF log", text)?;
    let mut defects = Defects::default();
    for result in log.runs.into_iter().flat_map(|run| run.results) {
        let holds = |s: &SarifSuppression| s.status.as_deref().is_none_or(|status| status == "accepted");
        let suppressed = !result.suppressions.is_empty() && result.suppressions.iter().all(holds);
        defects.results += 1;
        defects.suppressed += usize::from(suppressed);
        defects.open_errors += usize::from(!suppressed && result.level.as_deref() == Some("error"));
    }
    Ok(defects)
}
