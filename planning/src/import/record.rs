//! What a tool says about one issue or milestone, and how it becomes an item or a gate.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use topology::finding::{Finding, Severity};
use topology::units::Fraction;

use super::moment::{DayOrder, days_between, is_plausible};
use super::{Findings, cell};
use crate::merge::Imported;
use crate::roadmap::{Dependency, Gate, Item, ItemId};

/// What an importer has to be told.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Zone of clock times without an offset, and of the dates that moments fall on.
    pub zone: TimeZone,
    /// Order of dates in numbers; found out from the file where it can be.
    pub order: Option<DayOrder>,
    /// Names of statuses in which work has begun, in lower case.
    pub active: Vec<String>,
    /// Names of statuses in which work waits, in lower case.
    pub waiting: Vec<String>,
    /// Names of statuses in which work is done, in lower case.
    pub done: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            zone: TimeZone::UTC,
            order: None,
            active: names(&["in progress", "in review", "in development", "review", "testing", "started"]),
            waiting: names(&["blocked", "on hold", "waiting", "queued"]),
            done: names(&["done", "closed", "resolved", "completed", "released"]),
        }
    }
}

impl Options {
    /// Whether a status is in a list, upper and lower case being the same.
    pub(super) fn is(list: &[String], status: &str) -> bool {
        let status = status.to_lowercase();
        list.contains(&status)
    }

    pub(super) fn date(&self, moment: Timestamp) -> Date {
        self.zone.to_datetime(moment).date()
    }
}

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Standing {
    /// To be done.
    #[default]
    Open,
    /// Begun.
    Active,
    /// Done.
    Done,
    /// Will not be done: cancelled, duplicate.
    Dropped,
}

/// A stay in one status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stay {
    /// Name of the status.
    pub status: String,
    /// When it began.
    pub from: Timestamp,
    /// When it ended; absent while it lasts.
    pub to: Option<Timestamp>,
}

/// What is known of one issue.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Unique key.
    pub key: String,
    /// Title.
    pub title: String,
    /// Row or place in the list, for findings.
    pub row: usize,
    /// Where it stands.
    pub standing: Standing,
    /// Status as the tool calls it.
    pub status: Option<String>,
    /// When it was written down.
    pub created: Option<Timestamp>,
    /// When work began.
    pub started: Option<Timestamp>,
    /// When it was finished or dropped.
    pub ended: Option<Timestamp>,
    /// Planned first day.
    pub start: Option<Date>,
    /// Date that is promised now.
    pub due: Option<Date>,
    /// Earlier promises, oldest first.
    pub earlier_due: Vec<Date>,
    /// Its way through the statuses, oldest first; empty if the tool does not say.
    pub stays: Vec<Stay>,
    /// Keys of what it waits for.
    pub blocked_by: BTreeSet<String>,
    /// Gate or milestone that it leads to.
    pub gate: Option<String>,
    /// Who does it.
    pub team: Option<String>,
    /// Size in points.
    pub points: Option<u32>,
    /// Share that is done, if the tool says.
    pub progress: Option<f64>,
    /// Whether it was opened again after it had ended.
    pub reopened: bool,
    /// Where it is kept.
    pub url: Option<String>,
}

impl Record {
    /// Days from being written down to its end; absent while it is open.
    pub fn lead_days(&self) -> Option<f64> {
        Some(days_between(self.created?, self.ended?))
    }

    /// Days from the start of work to its end; absent while it is open or where the tool does not know the start.
    pub fn cycle_days(&self) -> Option<f64> {
        Some(days_between(self.started?, self.ended?))
    }

    /// Days since work began, for work in progress.
    pub fn age_days(&self, now: Timestamp) -> Option<f64> {
        (self.ended.is_none()).then(|| Some(days_between(self.started?, now)))?
    }

    /// Days spent in each status until it ended, or until `now`.
    pub fn days_in_status(&self, now: Timestamp) -> BTreeMap<&str, f64> {
        let mut days = BTreeMap::new();
        for stay in &self.stays {
            let end = stay.to.unwrap_or_else(|| self.ended.unwrap_or(now));
            *days.entry(stay.status.as_str()).or_insert(0.0) += days_between(stay.from, end.max(stay.from));
        }
        days
    }

    /// Share of the cycle time in which it did not wait; absent without a history.
    pub fn flow_efficiency(&self, options: &Options) -> Option<f64> {
        let (start, end, cycle) = (self.started?, self.ended?, self.cycle_days()?);
        if self.stays.is_empty() || cycle <= 0.0 {
            return None;
        }
        let waits = self.stays.iter().filter(|stay| Options::is(&options.waiting, &stay.status));
        let within = |stay: &Stay| days_between(stay.from.max(start), stay.to.unwrap_or(end).min(end)).max(0.0);
        Some((cycle - waits.map(within).sum::<f64>()) / cycle)
    }

    /// The first date that was promised.
    pub fn first_due(&self) -> Option<Date> {
        self.earlier_due.first().copied().or(self.due)
    }

    /// Days that its end lies after the first promise, negative if before.
    pub fn slip_days(&self, options: &Options) -> Option<i32> {
        Some(crate::roadmap::days_between(self.first_due()?, options.date(self.ended?)))
    }

    /// How often the promise moved.
    pub fn due_moves(&self) -> usize {
        self.earlier_due.len()
    }

    /// Days by which the promise moved in all.
    pub fn due_shift_days(&self) -> Option<i32> {
        Some(crate::roadmap::days_between(self.first_due()?, self.due?))
    }
}

/// What was read from a source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plans {
    /// Issues.
    pub records: Vec<Record>,
    /// Items that have no record: bars of a chart, entries of a calendar.
    pub items: Vec<Item>,
    /// Gates.
    pub gates: Vec<Gate>,
    /// Rows that were read, before any was left out.
    pub n_rows: usize,
    /// What was strange.
    pub findings: Vec<Finding>,
}

impl Plans {
    /// As a roadmap takes it in: records as items after the others.
    pub fn imported(&self, source: impl Into<String>, on: Date, options: &Options) -> Imported {
        let records = self.records.iter().map(|record| item_of(record, options));
        let items = self.items.iter().cloned().chain(records).collect();
        Imported { source: source.into(), on, items, gates: self.gates.clone() }
    }
}

fn item_of(record: &Record, options: &Options) -> Item {
    let date = |moment: Option<Timestamp>| moment.map(|moment| options.date(moment));
    let has_ended = matches!(record.standing, Standing::Done | Standing::Dropped);
    let progress = if has_ended { 1.0 } else { record.progress.unwrap_or(0.0) };
    let closed = date(record.ended).filter(|_| has_ended);
    let start = record.start.or(date(record.started));
    Item {
        gate: record.gate.clone(),
        team: record.team.clone().map(topology::fleet::TeamId),
        start: start.filter(|start| record.due.is_some_and(|due| *start <= due)),
        finish: record.due.filter(|due| start.is_some_and(|start| start <= *due)),
        progress: Fraction::clamped(progress),
        depends_on: record.blocked_by.iter().map(|key| Dependency::after(ItemId(key.clone()))).collect(),
        column: record.status.clone(),
        due: record.due,
        entered: date(record.stays.last().map(|stay| stay.from)),
        started: date(record.started),
        closed,
        points: record.points,
        remark: (record.standing == Standing::Dropped).then(|| "dropped at the source".to_owned()),
        url: record.url.clone(),
        ..Item::new(ItemId(record.key.clone()), record.title.clone())
    }
}

/// Place of each key in a list; of two records with one key, that of the first.
pub(super) fn places(records: &[Record]) -> BTreeMap<String, usize> {
    records.iter().enumerate().rev().map(|(i, record)| (record.key.clone(), i)).collect()
}

/// What can be wrong with any list of records: keys twice, ends before starts, dates that nobody means, dependencies
/// that lead nowhere or in a circle. Records with a key that was there already get a number, so that none is lost.
pub(super) fn check(records: &mut [Record], findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    for record in records.iter_mut() {
        if !seen.insert(record.key.clone()) {
            let message = format!("the key {} is there already; the row is kept under a number", record.key);
            findings.add(Severity::Error, "duplicate-key", cell(record.row, "key"), message);
            let n = (2..=seen.len() + 2).find(|n| !seen.contains(&format!("{} ({n})", record.key))).unwrap_or(2);
            record.key = format!("{} ({n})", record.key);
            seen.insert(record.key.clone());
        }
    }
    for record in records.iter_mut() {
        let began = record.started.or(record.created);
        if began.zip(record.ended).is_some_and(|(began, ended)| ended < began) {
            let message = format!("{} ended before it began", record.key);
            findings.add(Severity::Warning, "ends-before-start", cell(record.row, "ended"), message);
        }
        let dates = [("due", &mut record.due), ("start", &mut record.start)];
        for (name, date) in dates {
            if let Some(odd) = date.filter(|date| !is_plausible(*date)) {
                let message = format!("nobody can mean {odd}; the date is left out");
                findings.add(Severity::Warning, "implausible-date", cell(record.row, name), message);
                *date = None;
            }
        }
        if record.reopened {
            let message = format!("{} was opened again; its last end counts", record.key);
            findings.add(Severity::Note, "reopened", cell(record.row, "state"), message);
        }
    }
    circles(records, findings);
}

/// Names each record that waits for itself through others, once a circle, and takes out the link that closes it.
fn circles(records: &mut [Record], findings: &mut Findings) {
    let places = places(records);
    // 0: not seen, 1: on the way, 2: left.
    let mut marks = vec![0_u8; records.len()];
    let mut cuts = Vec::new();
    for root in 0..records.len() {
        let mut way: Vec<(usize, Vec<usize>)> = Vec::new();
        let next = |i: usize| -> Vec<usize> {
            records[i].blocked_by.iter().filter_map(|key| places.get(key).copied()).collect()
        };
        if marks[root] == 0 {
            marks[root] = 1;
            way.push((root, next(root)));
        }
        while let Some((at, open)) = way.last_mut() {
            let at = *at;
            match open.pop() {
                None => {
                    marks[at] = 2;
                    way.pop();
                }
                Some(to) if marks[to] == 0 => {
                    marks[to] = 1;
                    way.push((to, next(to)));
                }
                Some(to) if marks[to] == 1 => {
                    let first = way.iter().position(|(i, _)| *i == to).unwrap_or(0);
                    let names: Vec<&str> = way[first..].iter().map(|(i, _)| records[*i].key.as_str()).collect();
                    let message = format!(
                        "these wait for each other in a circle: {} → {}; the last link is left out",
                        names.join(" → "),
                        records[to].key
                    );
                    findings.add(Severity::Error, "dependency-circle", cell(records[at].row, "blocked by"), message);
                    cuts.push((at, records[to].key.clone()));
                }
                Some(_) => {}
            }
        }
    }
    for (at, key) in cuts {
        records[at].blocked_by.remove(&key);
    }
}
