//! Training and tools: tables of a learning management system, xAPI statements, tables of usage.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::Deserialize;
use topology::finding::{Finding, Severity};

use super::{Measured, Row};
use crate::import::moment::civil;
use crate::import::table::{Row as Line, Table, short};
use crate::import::{Findings, cell};
use crate::roadmap::days_between;

/// One course that somebody is to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Who.
    pub user: String,
    /// What.
    pub course: String,
    /// By when.
    pub due: Option<Date>,
    /// When it was completed.
    pub completed: Option<Date>,
}

/// What a table of assignments says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Training {
    /// The assignments.
    pub assignments: Vec<Assignment>,
    /// What was strange.
    pub findings: Vec<Finding>,
}

fn date_of(row: &Line, (table, column): (&Table, Option<usize>), findings: &mut Findings) -> Option<Date> {
    let text = row.cell(column)?;
    let read = civil(text, None).map(DateTime::date);
    if read.is_none() {
        let name = column.map_or("", |column| table.columns[column].as_str());
        findings.add(Severity::Error, "bad-date", cell(row.number, name), format!("\"{}\" is no date", short(text)));
    }
    read
}

/// Reads a table with `user_id`, `course_id`, `due_on` and `completed_on`.
pub fn assignments(text: &str) -> Training {
    let mut findings = Findings::default();
    let table = Table::read(text, &mut findings);
    let [user, course] = ["user_id", "course_id"].map(|name| table.required(&[name], &mut findings));
    let [due, completed] = ["due_on", "completed_on"].map(|name| table.column(&[name]));
    let mut assignments = Vec::new();
    for row in &table.rows {
        let (Some(user), Some(course)) = (row.cell(user), row.cell(course)) else {
            findings.add(
                Severity::Error,
                "no-key",
                format!("row {}", row.number),
                "the row names no user or no course",
            );
            continue;
        };
        assignments.push(Assignment {
            user: user.to_owned(),
            course: course.to_owned(),
            due: date_of(row, (&table, due), &mut findings),
            completed: date_of(row, (&table, completed), &mut findings),
        });
    }
    Training { assignments, findings: findings.into_list() }
}

impl Training {
    fn share(&self, is_good: impl Fn(&Assignment) -> bool) -> Measured {
        let row = |assignment: &Assignment| Row {
            label: format!("{}, {}", assignment.user, assignment.course),
            value: None,
            is_good: Some(is_good(assignment)),
            remark: assignment.completed.map_or_else(|| "open".to_owned(), |on| format!("completed {on}")),
        };
        Measured::share(self.assignments.iter().map(row).collect())
    }

    /// Completed share of assignments up to a day.
    pub fn completion(&self, as_of: Date) -> Measured {
        self.share(|assignment| assignment.completed.is_some_and(|on| on <= as_of))
    }

    /// Share of assignments that were completed by their date.
    pub fn on_time(&self, as_of: Date) -> Measured {
        self.share(|a| a.completed.is_some_and(|on| on <= as_of && a.due.is_none_or(|due| on <= due)))
    }

    /// Assignments that are due and open.
    pub fn overdue(&self, as_of: Date) -> usize {
        let is_open = |a: &&Assignment| a.completed.is_none_or(|on| on > as_of);
        self.assignments.iter().filter(is_open).filter(|a| a.due.is_some_and(|due| due < as_of)).count()
    }
}

#[derive(Deserialize)]
struct Statement {
    actor: Actor,
    verb: Id,
    object: Id,
    timestamp: Option<Timestamp>,
    result: Option<Outcome>,
}
#[derive(Deserialize)]
struct Actor {
    name: Option<String>,
    mbox: Option<String>,
    account: Option<Account>,
}
#[derive(Deserialize)]
struct Account {
    name: String,
}
#[derive(Deserialize)]
struct Id {
    id: String,
}
#[derive(Deserialize)]
struct Outcome {
    completion: Option<bool>,
    success: Option<bool>,
}

/// Who completed and passed which course, in order of time, each pair once, from xAPI statements.
pub fn passed(text: &str) -> Result<Vec<(String, String)>, super::audit::AuditError> {
    let mut statements: Vec<Statement> = serde_json::from_str(text).map_err(|error| super::audit::AuditError {
        what: "list of xAPI statements",
        line: error.line(),
        column: error.column(),
        reason: error.to_string(),
    })?;
    statements.sort_by_key(|statement| statement.timestamp);
    let mut seen = BTreeSet::new();
    let mut pairs = Vec::new();
    for statement in statements {
        let is_completed = statement.verb.id.ends_with("/completed") || statement.verb.id.ends_with("/passed");
        let good = statement.result.is_some_and(|r| r.completion == Some(true) && r.success == Some(true));
        let actor = statement.actor;
        let Some(user) = actor.account.map(|account| account.name).or(actor.name).or(actor.mbox) else { continue };
        let course = statement.object.id.rsplit('/').next().unwrap_or_default().to_owned();
        if is_completed && good && seen.insert((user.clone(), course.clone())) {
            pairs.push((user, course));
        }
    }
    Ok(pairs)
}

/// Share of eligible users with an event of a tool in the seven days up to the as-of date, from a table with `day`,
/// `user_id` and `tool`; absent if nobody is eligible.
pub fn adoption(text: &str, tool: &str, n_eligible: usize, as_of: Date) -> (Measured, Vec<Finding>) {
    let mut findings = Findings::default();
    let table = Table::read(text, &mut findings);
    let [day, user, name] = ["day", "user_id", "tool"].map(|name| table.required(&[name], &mut findings));
    let mut users = BTreeSet::new();
    for row in table.rows.iter().filter(|row| row.cell(name) == Some(tool)) {
        let on = date_of(row, (&table, day), &mut findings);
        if on.is_some_and(|on| (0..7).contains(&days_between(on, as_of))) {
            users.extend(row.cell(user).map(str::to_owned));
        }
    }
    if users.len() > n_eligible {
        let message = format!("{} users are active, but only {n_eligible} are eligible", users.len());
        findings.add(Severity::Warning, "more-than-eligible", "column user_id", message);
    }
    let value = (n_eligible > 0).then(|| users.len() as f64 / n_eligible as f64);
    let row = |user: String| Row { label: user, value: None, is_good: Some(true), remark: String::new() };
    (Measured { value, rows: users.into_iter().map(row).collect() }, findings.into_list())
}
