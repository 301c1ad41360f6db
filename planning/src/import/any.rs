//! Files of other planning tools, told apart by their look.

use jiff::civil::Date;
use serde_json::Value;
use topology::finding::{Finding, Severity};

use super::github::{self, Pages};
use super::record::{Options, Plans, Record};
use super::{ics, jira, linear, mermaid};
use crate::merge::{Imported, merge};
use crate::roadmap::Roadmap;

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A page of GitHub milestones.
    GithubMilestones,
    /// A page of GitHub issues.
    GithubIssues,
    /// A CSV export of Jira.
    JiraCsv,
    /// A page of a Jira search.
    JiraJson,
    /// A CSV export of Linear.
    Linear,
    /// A Mermaid Gantt chart.
    Mermaid,
    /// An iCalendar file.
    Ics,
}

/// What a text is, by its first lines or first row; `None` if it is none of these.
pub fn sniff(text: &str) -> Option<Form> {
    let body = text.trim_start_matches('\u{feff}').trim_start();
    if body.starts_with("BEGIN:VCALENDAR") {
        return Some(Form::Ics);
    }
    if body.lines().take(20).any(|line| line.trim() == "gantt") {
        return Some(Form::Mermaid);
    }
    if body.starts_with(['[', '{']) {
        let value: Value = serde_json::from_str(body).ok()?;
        let row = value.get(0);
        let has = |key: &str| row.is_some_and(|row| row.get(key).is_some());
        return match () {
            () if has("open_issues") && has("number") => Some(Form::GithubMilestones),
            () if has("number") && has("title") => Some(Form::GithubIssues),
            () if value["issues"][0].get("fields").is_some() => Some(Form::JiraJson),
            () => None,
        };
    }
    let heading = body.lines().next()?;
    let has = |name: &str| heading.split([',', ';', '\t', '|']).any(|cell| cell.trim_matches('"') == name);
    match () {
        () if has("Issue key") => Some(Form::JiraCsv),
        () if has("ID") && has("Title") && has("Team") => Some(Form::Linear),
        () => None,
    }
}

/// Takes several files into one roadmap: pages of one repository or search belong together. Each file has a name; what
/// is none of the known forms gives a finding.
pub fn read_all(
    roadmap: &Roadmap,
    files: &[(&str, &str)],
    options: &Options,
    on: Date,
) -> (Roadmap, Vec<Record>, Vec<Finding>) {
    let of = |form: Form| -> Vec<&str> {
        files.iter().filter(|(_, text)| sniff(text) == Some(form)).map(|(_, text)| *text).collect()
    };
    let mut sources: Vec<(String, Plans)> = Vec::new();
    let (milestones, issues) = (of(Form::GithubMilestones), of(Form::GithubIssues));
    if !milestones.is_empty() || !issues.is_empty() {
        let pages = Pages { milestones: &milestones, issues: &issues, blocked_by: &[] };
        sources.push(("GitHub".to_owned(), github::read(&pages).plans));
    }
    let pages = of(Form::JiraJson);
    if !pages.is_empty() {
        sources.push(("Jira".to_owned(), jira::read_json(&pages, options)));
    }
    let mut made = roadmap.clone();
    let mut findings = Vec::new();
    for (name, text) in files {
        let plans = match sniff(text) {
            Some(Form::JiraCsv) => jira::read_csv(text, options).plans,
            Some(Form::Linear) => linear::read(text, options),
            Some(Form::Ics) => ics::read(text, options),
            Some(Form::Mermaid) => {
                let chart = mermaid::read(text);
                made.calendar = made.calendar.or(chart.calendar.as_ref().map(|calendar| calendar.name.clone()));
                made.calendars.extend(chart.calendar);
                made.lanes.extend(chart.sections);
                chart.plans
            }
            Some(_) => continue,
            None => {
                let message = "this is no plan of a tool that is known here".to_owned();
                findings.push(Finding::new(Severity::Error, "unknown-form", *name, message));
                continue;
            }
        };
        sources.push(((*name).to_owned(), plans));
    }
    let mut records = Vec::new();
    for (name, plans) in sources {
        let named = plans.findings.iter().cloned();
        findings.extend(named.map(|found| Finding { where_: format!("{name}: {}", found.where_), ..found }));
        let new: Imported = plans.imported(name, on, options);
        made = merge(&made, new).roadmap;
        records.extend(plans.records);
    }
    (made, records, findings)
}
