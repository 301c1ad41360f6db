//! GitHub milestones, issues and dependencies: pages of the REST interface, version 2022-11-28, as texts.
//!
//! `due_on` is a date in the disguise of a moment (midnight of the Pacific coast), so it is taken as its UTC date. A row
//! with `pull_request` is no issue. GitHub keeps no history of `due_on`: earlier promises come from the snapshots that
//! [`crate::merge`] keeps. It does not tell when work began either, so these records have a lead time only.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;
use topology::finding::Severity;

use super::record::{Plans, Record, Standing, check, places};
use super::table::short;
use super::{Findings, cell};
use crate::roadmap::Gate;

/// Pages of one repository, in order.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pages<'a> {
    /// `GET /repos/{owner}/{repo}/milestones?state=all`.
    pub milestones: &'a [&'a str],
    /// `GET /repos/{owner}/{repo}/issues?state=all`.
    pub issues: &'a [&'a str],
    /// `GET …/issues/{number}/dependencies/blocked_by`, with the number of the issue.
    pub blocked_by: &'a [(u64, &'a str)],
}

/// A milestone with its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Milestone {
    /// Number in the repository.
    pub number: u64,
    /// Title.
    pub title: String,
    /// Date by which it is due.
    pub due: Option<Date>,
    /// When it was closed.
    pub closed: Option<Timestamp>,
    /// Whether it is open.
    pub is_open: bool,
    /// Open issues.
    pub open_issues: u32,
    /// Closed issues.
    pub closed_issues: u32,
}

impl Milestone {
    /// Days from the due date to the UTC date of closing, negative if early.
    pub fn slip_days(&self) -> Option<i32> {
        Some(crate::roadmap::days_between(self.due?, utc(self.closed?)))
    }

    /// Share of its issues that are closed; absent if it has none.
    pub fn completeness(&self) -> Option<f64> {
        let all = self.open_issues + self.closed_issues;
        (all > 0).then(|| f64::from(self.closed_issues) / f64::from(all))
    }
}

fn utc(moment: Timestamp) -> Date {
    TimeZone::UTC.to_datetime(moment).date()
}

/// The moment to write for a due date: noon, which lies on that date everywhere GitHub rounds to.
pub fn due_on(date: Date) -> String {
    format!("{date}T12:00:00Z")
}

/// The address of the next page in a `Link` header; `None` on the last page.
pub fn next_page(link: &str) -> Option<&str> {
    link.split(',').find_map(|part| {
        let (address, rest) = part.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = rest.split(';').any(|p| matches!(p.trim(), "rel=\"next\"" | "rel=next"));
        is_next.then_some(address)
    })
}

#[derive(Deserialize)]
struct RawMilestone {
    number: u64,
    title: String,
    state: String,
    due_on: Option<Timestamp>,
    closed_at: Option<Timestamp>,
    #[serde(default)]
    open_issues: u32,
    #[serde(default)]
    closed_issues: u32,
}

#[derive(Deserialize)]
struct RawIssue {
    number: u64,
    title: String,
    state: String,
    state_reason: Option<String>,
    created_at: Option<Timestamp>,
    closed_at: Option<Timestamp>,
    milestone: Option<RawTitle>,
    assignee: Option<RawLogin>,
    html_url: Option<String>,
    sub_issues_summary: Option<RawSubIssues>,
    issue_dependencies_summary: Option<RawDependencies>,
}

#[derive(Deserialize)]
struct RawTitle {
    title: String,
}
#[derive(Deserialize)]
struct RawLogin {
    login: String,
}
#[derive(Deserialize)]
struct RawSubIssues {
    percent_completed: f64,
}
#[derive(Deserialize)]
struct RawDependencies {
    #[serde(default)]
    total_blocked_by: u64,
}

/// What a repository says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Repository {
    /// Issues as records and milestones with a due date as gates; pull requests are counted in the rows only.
    pub plans: Plans,
    /// All milestones, also those without a due date.
    pub milestones: Vec<Milestone>,
}

/// Reads the pages of a repository. All pages of a list must be given: a part of a list is not a repository.
pub fn read(pages: &Pages<'_>) -> Repository {
    let mut findings = Findings::default();
    let mut milestones = Vec::new();
    for (page, text) in pages.milestones.iter().enumerate() {
        rows(("milestones", page), text, &mut findings, |row, raw: RawMilestone, findings| {
            if raw.state == "closed" && raw.closed_at.is_none() {
                let message = format!("milestone {} is closed, but not when", short(&raw.title));
                findings.add(Severity::Warning, "closed-without-date", cell(row, "closed_at"), message);
            }
            if raw.due_on.is_none() {
                let message = format!("milestone {} has no due date, so it makes no gate", short(&raw.title));
                findings.add(Severity::Note, "no-due-date", cell(row, "due_on"), message);
            }
            milestones.push(Milestone {
                number: raw.number,
                title: raw.title,
                due: raw.due_on.map(utc),
                closed: raw.closed_at,
                is_open: raw.state == "open",
                open_issues: raw.open_issues,
                closed_issues: raw.closed_issues,
            });
        });
    }
    let mut records = Vec::new();
    let mut told = Vec::new();
    let mut n_rows = 0;
    for (page, text) in pages.issues.iter().enumerate() {
        n_rows += rows(("issues", page), text, &mut findings, |row, raw: RawIssue, _| {
            let told_here = raw.issue_dependencies_summary.as_ref().map_or(0, |summary| summary.total_blocked_by);
            told.push(told_here);
            records.push(record(row, raw));
        });
    }
    let places = places(&records);
    for (number, text) in pages.blocked_by {
        let record = places.get(&number.to_string()).map(|place| &mut records[*place]);
        blocked_by((*number, text), record, &mut findings);
    }
    for (record, expected) in records.iter().zip(told) {
        if expected > record.blocked_by.len() as u64 {
            let message =
                format!("issue {} waits for {expected}, of which {} are known", record.key, record.blocked_by.len());
            findings.add(
                Severity::Note,
                "dependencies-unread",
                cell(record.row, "issue_dependencies_summary"),
                message,
            );
        }
    }
    check(&mut records, &mut findings);
    let gates = gates(&milestones, &records, &mut findings);
    let plans = Plans { records, items: Vec::new(), gates, n_rows, findings: findings.into_list() };
    Repository { plans, milestones }
}

/// Reads each row of a page, and says how many there are, pull requests too.
fn rows<T: serde::de::DeserializeOwned>(
    (list, page): (&str, usize),
    text: &str,
    findings: &mut Findings,
    mut each: impl FnMut(usize, T, &mut Findings),
) -> usize {
    let rows: Vec<Value> = match serde_json::from_str(text) {
        Ok(rows) => rows,
        Err(error) => {
            let message = format!("page {} of {list} is no list of rows: {error}", page + 1);
            let place = format!("{list}, page {}, row {}, column {}", page + 1, error.line(), error.column());
            findings.add(Severity::Error, "bad-page", place, message);
            return 0;
        }
    };
    let n = rows.len();
    for (i, row) in rows.into_iter().enumerate().filter(|(_, row)| row.get("pull_request").is_none()) {
        match serde_json::from_value(row) {
            Ok(row) => each(i + 1, row, findings),
            Err(error) => {
                let place = format!("{list}, page {}, row {}", page + 1, i + 1);
                findings.add(Severity::Error, "bad-row", place, format!("the row cannot be read: {error}"));
            }
        }
    }
    n
}

fn record(row: usize, raw: RawIssue) -> Record {
    let reason = raw.state_reason.as_deref();
    let standing = match (raw.state.as_str(), reason) {
        ("closed", Some("not_planned" | "duplicate")) => Standing::Dropped,
        ("closed", _) => Standing::Done,
        _ => Standing::Open,
    };
    Record {
        key: raw.number.to_string(),
        title: raw.title,
        row,
        standing,
        created: raw.created_at,
        ended: raw.closed_at.filter(|_| raw.state == "closed"),
        gate: raw.milestone.map(|milestone| milestone.title),
        team: raw.assignee.map(|user| user.login),
        progress: raw.sub_issues_summary.filter(|s| s.percent_completed > 0.0).map(|s| s.percent_completed / 100.0),
        reopened: reason == Some("reopened"),
        url: raw.html_url,
        ..Record::default()
    }
}

fn blocked_by((number, text): (u64, &str), record: Option<&mut Record>, findings: &mut Findings) {
    #[derive(Deserialize)]
    struct Blocker {
        number: u64,
    }
    let mut blockers = BTreeSet::new();
    rows(("blocked_by", 0), text, findings, |_, raw: Blocker, _| blockers.extend([raw.number.to_string()]));
    if let Some(record) = record {
        record.blocked_by.extend(blockers);
    } else {
        let message = format!("issue {number} has dependencies, but is not in the list of issues");
        findings.add(Severity::Warning, "unknown-issue", format!("blocked_by of {number}"), message);
    }
}

/// Milestones with a due date as gates that need their issues.
fn gates(milestones: &[Milestone], records: &[Record], findings: &mut Findings) -> Vec<Gate> {
    let mut gates: Vec<Gate> = Vec::new();
    for (i, milestone) in milestones.iter().enumerate() {
        let Some(planned) = milestone.due else { continue };
        if gates.iter().any(|gate| gate.name == milestone.title) {
            let message = format!("two milestones are called {}; the second makes no gate", short(&milestone.title));
            findings.add(Severity::Error, "duplicate-key", cell(i + 1, "title"), message);
            continue;
        }
        let needed = records.iter().filter(|record| record.gate.as_ref() == Some(&milestone.title));
        let needs = needed.map(|record| crate::roadmap::ItemId(record.key.clone())).collect();
        let passed = milestone.closed.filter(|_| !milestone.is_open).map(utc);
        gates.push(Gate { passed, needs, ..Gate::new(milestone.title.clone(), planned) });
    }
    gates
}
