//! iCalendar (RFC 5545): events as gates or items, to-dos as items.
//!
//! An event of the category MILESTONE is a gate on its day; any other event is an item from its first to its last day
//! (`DTEND` is exclusive). Moments are put on the date of their zone, `TZID` or UTC, that the options name.

use std::collections::BTreeMap;

use jiff::civil::{Date, DateTime};
use topology::finding::Severity;
use topology::units::Fraction;

use super::moment::is_plausible;
use super::record::{Options, Plans};
use super::table::short;
use super::{Findings, cell};
use crate::calendar::zone;
use crate::roadmap::{Gate, Item, ItemId};

/// A property: its parameters and its value.
struct Property {
    parameters: Vec<(String, String)>,
    value: String,
}

impl Property {
    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

type Component = BTreeMap<String, Property>;

/// Reads a calendar.
pub fn read(text: &str, options: &Options) -> Plans {
    let mut findings = Findings::default();
    let mut plans = Plans::default();
    let mut open: Option<(String, usize, Component)> = None;
    for (row, line) in unfolded(text) {
        let Some((name, property)) = property(&line) else {
            if !line.trim().is_empty() {
                let message = format!("\"{}\" is no property", short(&line));
                findings.add(Severity::Warning, "bad-line", format!("row {row}"), message);
            }
            continue;
        };
        match (name.as_str(), property.value.as_str()) {
            ("BEGIN", kind @ ("VEVENT" | "VTODO")) => open = Some((kind.to_owned(), row, Component::new())),
            ("END", "VEVENT" | "VTODO") => {
                if let Some((kind, row, component)) = open.take() {
                    plans.n_rows += 1;
                    take((&kind, row), &component, options, (&mut plans, &mut findings));
                }
            }
            _ => {
                if let Some((_, _, component)) = &mut open {
                    component.entry(name).or_insert(property);
                }
            }
        }
    }
    if let Some((kind, row, _)) = open {
        findings.add(
            Severity::Error,
            "cut-off",
            format!("row {row}"),
            format!("the {kind} that begins here does not end"),
        );
    }
    if plans.n_rows == 0 {
        findings.add(Severity::Error, "empty", "row 1", "there is no event and no to-do; is this a calendar?");
    }
    plans.findings = findings.into_list();
    plans
}

/// Lines with the number of their first row; continued lines are joined.
fn unfolded(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        match (line.strip_prefix([' ', '\t']), lines.last_mut()) {
            (Some(rest), Some((_, last))) => last.push_str(rest),
            _ => lines.push((i + 1, line.to_owned())),
        }
    }
    lines
}

/// `NAME;KEY=value;KEY="a:b":value`.
fn property(line: &str) -> Option<(String, Property)> {
    let mut quoted = false;
    let colon = line.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == ':' && !quoted
    });
    let (head, value) = (line.get(..colon?.0)?, line.get(colon?.0 + 1..)?);
    let mut parts = head.split(';');
    let name = parts.next()?.trim().to_ascii_uppercase();
    let parameters = parts.filter_map(|part| part.split_once('='));
    let parameters = parameters.map(|(key, value)| (key.to_ascii_uppercase(), value.trim_matches('"').to_owned()));
    Some((name, Property { parameters: parameters.collect(), value: value.to_owned() }))
}

/// Text with `\n`, `\,`, `\;` and `\\` taken back.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => plain.push('\n'),
                Some(other) => plain.push(other),
                None => {}
            },
            c => plain.push(c),
        }
    }
    plain
}

fn take(
    (kind, row): (&str, usize),
    component: &Component,
    options: &Options,
    (plans, findings): (&mut Plans, &mut Findings),
) {
    let text = |name: &str| component.get(name).map(|property| unescaped(&property.value).trim().to_owned());
    let title = text("SUMMARY").filter(|title| !title.is_empty()).unwrap_or_else(|| "No title".to_owned());
    let uid = text("UID").unwrap_or_else(|| {
        findings.add(Severity::Warning, "no-key", cell(row, "UID"), "the entry has no UID; its row is its key");
        format!("row-{row}")
    });
    let mut at = |name: &str| component.get(name).and_then(|property| date((row, name), property, options, findings));
    let (start, end, due, completed) = (at("DTSTART"), at("DTEND"), at("DUE"), at("COMPLETED"));
    let status = text("STATUS").unwrap_or_default();
    let is_gate = kind == "VEVENT"
        && text("CATEGORIES").is_some_and(|c| c.to_uppercase().split(',').any(|c| c.trim() == "MILESTONE"));
    if let Some(planned) = start.filter(|_| is_gate) {
        let name = title.strip_prefix("Gate: ").unwrap_or(&title).to_owned();
        if plans.gates.iter().any(|gate| gate.name == name) {
            let message = format!("two gates are called {}; the second is left out", short(&name));
            findings.add(Severity::Error, "duplicate-key", cell(row, "SUMMARY"), message);
            return;
        }
        plans.gates.push(Gate::new(name, planned));
        return;
    }
    if plans.items.iter().any(|item| item.id.0 == uid) {
        let message = format!("the UID {} is there already; the entry is left out", short(&uid));
        findings.add(Severity::Error, "duplicate-key", cell(row, "UID"), message);
        return;
    }
    let mut item = Item::new(ItemId(uid), title.replace(['\n', '\r'], " "));
    let last = if kind == "VEVENT" { end.map(|end| end.yesterday().unwrap_or(end)).or(start) } else { due };
    if start.zip(last).is_some_and(|(start, last)| last < start) {
        findings.add(Severity::Warning, "ends-before-start", cell(row, "DTEND"), "the entry ends before it starts");
    }
    (item.start, item.finish) = start.zip(last).filter(|(start, last)| start <= last).unzip();
    item.due = due;
    let percent = text("PERCENT-COMPLETE").and_then(|percent| percent.parse::<f64>().ok()).unwrap_or(0.0);
    item.progress = Fraction::clamped(if status == "COMPLETED" { 1.0 } else { percent / 100.0 });
    item.closed = completed;
    item.url = text("URL");
    item.remark = (status == "CANCELLED").then(|| "cancelled at the source".to_owned());
    plans.items.push(item);
}

fn date((row, name): (usize, &str), property: &Property, options: &Options, findings: &mut Findings) -> Option<Date> {
    let text = property.value.trim();
    let read = if text.len() == 8 {
        text.parse::<Date>().ok()
    } else if let Some(civil) = text.strip_suffix('Z') {
        let civil = civil.parse::<DateTime>().ok();
        civil.and_then(|at| super::moment::moment(at, &jiff::tz::TimeZone::UTC)).map(|at| options.date(at))
    } else {
        let civil = text.parse::<DateTime>().ok();
        match property.parameter("TZID").map(|name| zone(Some(name))) {
            Some(Ok(zone)) => civil.and_then(|at| super::moment::moment(at, &zone)).map(|at| options.date(at)),
            Some(Err(error)) => {
                findings.add(Severity::Warning, "unknown-zone", cell(row, name), error.to_string());
                civil.map(DateTime::date)
            }
            None => civil.map(DateTime::date),
        }
    };
    match read {
        Some(date) if is_plausible(date) => Some(date),
        Some(odd) => {
            let message = format!("nobody can mean {odd}; the date is left out");
            findings.add(Severity::Warning, "implausible-date", cell(row, name), message);
            None
        }
        None => {
            findings.add(Severity::Error, "bad-date", cell(row, name), format!("\"{}\" is no date", short(text)));
            None
        }
    }
}
