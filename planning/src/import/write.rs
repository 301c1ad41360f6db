//! The roadmap as text of other tools: Mermaid, iCalendar, CSV.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::civil::Date;

use crate::roadmap::{Dependency, Item, ItemId, LinkKind, Roadmap};
use crate::schedule::Schedule;

/// Characters that make a spreadsheet take a cell for a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A cell that no spreadsheet computes: what looks like a formula gets an apostrophe in front. Numbers stay.
pub fn guarded(text: &str) -> String {
    let is_formula = text.starts_with(FORMULA) && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

/// The text of a cell without the apostrophe that guards it.
pub fn unguarded(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| rest.starts_with(FORMULA)).unwrap_or(text)
}

/// A table as CSV (RFC 4180) with guarded cells; the first row is the heading.
pub fn csv(rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    for row in rows {
        // Writing to memory cannot fail.
        writer.write_record(row.iter().map(|cell| guarded(cell))).ok();
    }
    writer.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// The items as CSV, with what the schedule says of them.
pub fn roadmap_csv(roadmap: &Roadmap, schedule: Option<&Schedule>) -> String {
    let heading = [
        "id",
        "title",
        "lane",
        "team",
        "gate",
        "start",
        "finish",
        "baseline_start",
        "baseline_finish",
        "progress_fraction",
        "due",
        "started",
        "closed",
        "column",
        "p50",
        "p85",
        "depends_on",
        "expected_finish",
        "slack_days",
        "critical",
    ];
    let by_id: BTreeMap<_, _> =
        schedule.iter().flat_map(|schedule| &schedule.items).map(|scheduled| (&scheduled.item, scheduled)).collect();
    let date = |date: Option<Date>| date.map(|date| date.to_string()).unwrap_or_default();
    let row = |item: &Item| {
        let found = by_id.get(&item.id);
        let links: Vec<String> = item.depends_on.iter().map(|link| link.on.0.clone()).collect();
        vec![
            item.id.0.clone(),
            item.title.clone(),
            item.lane.clone().unwrap_or_default(),
            item.team.as_ref().map(|team| team.0.clone()).unwrap_or_default(),
            item.gate.clone().unwrap_or_default(),
            date(item.start),
            date(item.finish),
            date(item.baseline.map(|span| span.start)),
            date(item.baseline.map(|span| span.finish)),
            item.progress.get().to_string(),
            date(item.due),
            date(item.started),
            date(item.closed),
            item.column.clone().unwrap_or_default(),
            date(item.forecast.map(|forecast| forecast.p50)),
            date(item.forecast.map(|forecast| forecast.p85)),
            links.join(" "),
            date(found.map(|found| found.finish)),
            found.map(|found| found.slack_days.to_string()).unwrap_or_default(),
            found.map(|found| found.is_critical.to_string()).unwrap_or_default(),
        ]
    };
    csv(std::iter::once(heading.map(str::to_owned).to_vec()).chain(roadmap.items.iter().map(row)))
}

/// The bars and milestones as a Mermaid chart. A start is said by `after` where it follows from what the item waits for,
/// so that such links survive; elsewhere by its date, because a chart has no dependencies beside dates.
pub fn mermaid(roadmap: &Roadmap, schedule: Option<&Schedule>) -> String {
    let mut text = format!("gantt\n    title {}\n    dateFormat YYYY-MM-DD\n", clean(&roadmap.title));
    if let Some(calendar) = roadmap.calendars.iter().find(|calendar| Some(&calendar.name) == roadmap.calendar.as_ref())
    {
        let days = calendar.rest_days.iter().map(|day| day.name().to_owned());
        let days: Vec<String> = days.chain(calendar.holidays.iter().map(ToString::to_string)).collect();
        if !days.is_empty() {
            writeln!(text, "    excludes {}", days.join(" ")).ok();
        }
    }
    let critical = |item: &Item| schedule.is_some_and(|schedule| schedule.critical_path.contains(&item.id));
    let lanes = roadmap.lanes.iter().map(Some).chain([None]);
    let mut written = BTreeMap::new();
    for lane in lanes {
        let known = |item: &&Item| match lane {
            Some(lane) => item.lane.as_ref() == Some(lane),
            None => item.lane.as_ref().is_none_or(|lane| !roadmap.lanes.contains(lane)),
        };
        let items: Vec<&Item> = roadmap.bars().filter(known).collect();
        if items.is_empty() {
            continue;
        }
        writeln!(text, "    section {}", lane.map_or_else(|| "Other".to_owned(), |lane| clean(lane))).ok();
        for item in items {
            mermaid_task(&mut text, item, critical(item), &written);
            written.insert(&item.id, item.finish);
        }
    }
    text
}

fn mermaid_task(text: &mut String, item: &Item, is_critical: bool, written: &BTreeMap<&ItemId, Option<Date>>) {
    let Some(span) = item.span() else { return };
    let mut tags = Vec::new();
    if item.milestone {
        tags.push("milestone");
    }
    if is_critical {
        tags.push("crit");
    }
    if item.is_done() {
        tags.push("done");
    } else if item.has_begun() {
        tags.push("active");
    }
    let end = span.finish.tomorrow().unwrap_or(span.finish);
    let end = if item.milestone { "0d".to_owned() } else { end.to_string() };
    let start = after(item, span.start, written).unwrap_or_else(|| span.start.to_string());
    let tags = tags.into_iter().fold(String::new(), |all, tag| all + tag + ", ");
    writeln!(text, "    {} :{tags}{}, {start}, {end}", clean(&item.title), key(&item.id.0)).ok();
}

/// "after a b", if the item begins just when the last of them has ended and all stand above it.
fn after(item: &Item, start: Date, written: &BTreeMap<&ItemId, Option<Date>>) -> Option<String> {
    let is_plain = |link: &Dependency| link.kind == LinkKind::FinishToStart && link.lag_days == 0;
    let ends: Option<Vec<Date>> = item
        .depends_on
        .iter()
        .map(|link| written.get(&link.on).copied().flatten().filter(|_| is_plain(link)))
        .collect();
    let last = ends?.into_iter().max()?;
    let follows = if item.milestone { start == last } else { last.tomorrow().ok() == Some(start) };
    let ids: Vec<String> = item.depends_on.iter().map(|link| key(&link.on.0)).collect();
    follows.then(|| format!("after {}", ids.join(" ")))
}

/// A name without the characters that Mermaid reads as its own.
fn clean(name: &str) -> String {
    let plain = |c: char| if matches!(c, ':' | ';' | '#' | '%' | ',') || c.is_control() { ' ' } else { c };
    name.chars().map(plain).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn key(id: &str) -> String {
    id.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' }).collect()
}

/// Gates as all-day events and items with a due date as to-dos, in one calendar (RFC 5545). `stamp` is the date of the
/// export; `sequence` grows when dates change, so that calendars take the new ones.
pub fn ics(roadmap: &Roadmap, stamp: Date, sequence: u32) -> String {
    let mut lines =
        vec!["BEGIN:VCALENDAR".to_owned(), "VERSION:2.0".to_owned(), "PRODID:-//Podium//Roadmap//EN".to_owned()];
    let day = |date: Date| date.strftime("%Y%m%d").to_string();
    let stamp = format!("DTSTAMP:{}T000000Z", day(stamp));
    for gate in &roadmap.gates {
        let on = gate.passed.unwrap_or(gate.planned);
        lines.extend(["BEGIN:VEVENT".to_owned(), format!("UID:gate-{}@podium", escaped(&gate.name)), stamp.clone()]);
        lines.push(format!("DTSTART;VALUE=DATE:{}", day(on)));
        lines.push(format!("DTEND;VALUE=DATE:{}", day(on.tomorrow().unwrap_or(on))));
        lines.push(format!("SUMMARY:Gate: {}", escaped(&gate.name)));
        lines.push(format!("SEQUENCE:{sequence}"));
        let tail = ["STATUS:CONFIRMED", "TRANSP:TRANSPARENT", "CATEGORIES:MILESTONE", "END:VEVENT"];
        lines.extend(tail.map(str::to_owned));
    }
    for item in &roadmap.items {
        let Some(due) = item.due.or(item.finish) else { continue };
        lines.extend(["BEGIN:VTODO".to_owned(), format!("UID:{}", escaped(&item.id.0)), stamp.clone()]);
        lines.extend(item.start.map(|start| format!("DTSTART;VALUE=DATE:{}", day(start))));
        lines.push(format!("DUE;VALUE=DATE:{}", day(due)));
        lines.push(format!("SUMMARY:{}", escaped(&item.title)));
        lines.push(format!("PERCENT-COMPLETE:{}", (item.progress.get() * 100.0).round() as u8));
        let status = match (item.is_done(), item.has_begun()) {
            (true, _) => "COMPLETED",
            (_, true) => "IN-PROCESS",
            _ => "NEEDS-ACTION",
        };
        lines.push(format!("STATUS:{status}"));
        lines.extend(item.closed.map(|closed| format!("COMPLETED:{}T120000Z", day(closed))));
        lines.extend([format!("SEQUENCE:{sequence}"), "END:VTODO".to_owned()]);
    }
    lines.push("END:VCALENDAR".to_owned());
    lines.iter().map(|line| folded(line) + "\r\n").collect()
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(';', "\\;").replace(',', "\\,").replace('\n', "\\n").replace('\r', "")
}

/// A line cut into pieces of at most 75 octets, each but the first behind a blank.
fn folded(line: &str) -> String {
    const MOST: usize = 75;
    let mut text = String::with_capacity(line.len());
    let mut length = 0;
    for c in line.chars() {
        if length + c.len_utf8() > MOST {
            text.push_str("\r\n ");
            length = 1;
        }
        text.push(c);
        length += c.len_utf8();
    }
    text
}
