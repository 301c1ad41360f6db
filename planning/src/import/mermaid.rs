//! Mermaid Gantt charts: read as items of a roadmap, with the chart's excluded days as their calendar.
//!
//! Mermaid's ends are exclusive (midnight after the last day) unless the chart says `inclusiveEndDates`. A start is a
//! date, the end of the task before, or `after a b`; an end is a date, a length, or `until a`. Lengths count days that
//! are not excluded. Hours and minutes are rounded up to days, which is told.

use std::collections::BTreeMap;

use jiff::ToSpan as _;
use jiff::civil::Date;
use topology::finding::Severity;
use topology::units::Fraction;

use super::Findings;
use super::record::Plans;
use super::table::short;
use crate::calendar::{WeekDay, WorkCalendar, WorkDays};
use crate::roadmap::{Dependency, Item, ItemId};

/// What was read of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// Sections, in order: lanes of a roadmap.
    pub sections: Vec<String>,
    /// Its calendar; absent if no day is excluded.
    pub calendar: Option<WorkCalendar>,
    /// Bars and milestones as items.
    pub plans: Plans,
}

/// Name of the calendar of a chart.
pub const CALENDAR: &str = "chart";

struct Reader {
    chart: Chart,
    weekend: [WeekDay; 2],
    inclusive: bool,
    /// Exclusive end of each task, as Mermaid counts it.
    ends: BTreeMap<String, Date>,
    starts: BTreeMap<String, Date>,
    last: Option<Date>,
    findings: Findings,
}

/// Reads a chart.
pub fn read(text: &str) -> Chart {
    let chart = Chart { title: String::new(), sections: Vec::new(), calendar: None, plans: Plans::default() };
    let mut reader = Reader {
        chart,
        weekend: [WeekDay::Saturday, WeekDay::Sunday],
        inclusive: false,
        ends: BTreeMap::new(),
        starts: BTreeMap::new(),
        last: None,
        findings: Findings::default(),
    };
    let mut is_gantt = false;
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.split("%%").next().unwrap_or_default().trim();
        if line.is_empty() || line == "---" || line.starts_with("```") {
            continue;
        }
        if line == "gantt" {
            is_gantt = true;
        } else if is_gantt {
            reader.line(i + 1, line);
        }
    }
    if !is_gantt {
        reader.findings.add(
            Severity::Error,
            "not-gantt",
            "row 1",
            "there is no line \"gantt\": this is another kind of chart",
        );
    }
    reader.chart.plans.n_rows = reader.chart.plans.items.len();
    reader.chart.plans.findings = reader.findings.into_list();
    reader.chart
}

impl Reader {
    fn line(&mut self, row: usize, line: &str) {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "title" => rest.trim().clone_into(&mut self.chart.title),
            "section" => self.chart.sections.push(rest.trim().to_owned()),
            "excludes" => self.excludes(row, rest),
            "weekend" if rest.trim() == "friday" => self.weekend = [WeekDay::Friday, WeekDay::Saturday],
            "inclusiveEndDates" => self.inclusive = true,
            "dateFormat" if rest.trim() != "YYYY-MM-DD" => {
                let message = format!("dates of the format {} are read as YYYY-MM-DD", short(rest.trim()));
                self.findings.add(Severity::Warning, "date-format", format!("row {row}"), message);
            }
            "dateFormat" | "axisFormat" | "tickInterval" | "todayMarker" | "weekend" | "weekday" | "accTitle"
            | "accDescr" | "click"
                if !line.contains(" :") => {}
            _ => {
                if line.contains(':') {
                    self.task(row, line);
                } else {
                    let message = format!("\"{}\" is not understood and left out", short(line));
                    self.findings.add(Severity::Warning, "unknown-line", format!("row {row}"), message);
                }
            }
        }
    }

    fn excludes(&mut self, row: usize, rest: &str) {
        let calendar = self
            .chart
            .calendar
            .get_or_insert_with(|| WorkCalendar { rest_days: Vec::new(), ..WorkCalendar::weekdays(CALENDAR) });
        for word in rest.split([' ', ',']).map(str::trim).filter(|word| !word.is_empty()) {
            if word == "weekends" {
                calendar.rest_days.extend(self.weekend);
            } else if let Some(day) = WeekDay::ALL.into_iter().find(|day| day.name() == word.to_lowercase()) {
                calendar.rest_days.push(day);
            } else if let Ok(date) = word.parse() {
                calendar.holidays.push(date);
            } else {
                let message = format!("\"{}\" is neither a day of the week nor a date", short(word));
                self.findings.add(Severity::Warning, "unknown-day", format!("row {row}, column excludes"), message);
            }
        }
        calendar.rest_days.sort_unstable();
        calendar.rest_days.dedup();
    }

    fn task(&mut self, row: usize, line: &str) {
        let (name, data) = line.split_once(" :").or_else(|| line.split_once(':')).unwrap_or((line, ""));
        let mut parts: Vec<&str> = data.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        let tags =
            parts.iter().take_while(|part| matches!(**part, "crit" | "active" | "done" | "milestone" | "vert")).count();
        let tags: Vec<&str> = parts.drain(..tags).collect();
        if tags.contains(&"vert") {
            let message = format!("the marker {} is a line, not work; it is left out", short(name.trim()));
            self.findings.add(Severity::Note, "marker", format!("row {row}"), message);
            return;
        }
        let (id, start, end) = match parts[..] {
            [id, start, end] => (id.to_owned(), Some(start), end),
            [start, end] => (format!("task-{row}"), Some(start), end),
            [end] => (format!("task-{row}"), None, end),
            _ => {
                let message = format!(
                    "the task {} has no dates that are understood; it is kept without a bar",
                    short(name.trim())
                );
                self.findings.add(Severity::Error, "bad-task", format!("row {row}"), message);
                self.push(Item::new(ItemId(format!("task-{row}")), name.trim()), row);
                return;
            }
        };
        let mut item = Item::new(ItemId(id.clone()), name.trim());
        item.milestone = tags.contains(&"milestone");
        item.lane = self.chart.sections.last().cloned();
        let from = self.start(row, start, &mut item);
        let to = from.and_then(|from| self.end(row, from, end));
        if let Some((from, to)) = from.zip(to) {
            Self::set_bar(&mut item, (from, to), start.is_some_and(|start| start.starts_with("after")));
            self.starts.insert(id.clone(), from);
            self.ends.insert(id, to);
            self.last = Some(to);
        }
        if tags.contains(&"done") {
            item.progress = Fraction::ONE;
            (item.started, item.closed) = (item.start, item.finish);
        } else if tags.contains(&"active") {
            item.started = item.start;
        }
        self.push(item, row);
    }

    /// The first and last day of what lies between two midnights. A milestone after others is reached at the end of the
    /// day before its midnight; one with a date of its own is meant for that day.
    fn set_bar(item: &mut Item, (from, to): (Date, Date), is_after: bool) {
        let day_before = |date: Date| date.yesterday().unwrap_or(date);
        if item.milestone {
            let on = if is_after { day_before(from) } else { from };
            (item.start, item.finish) = (Some(on), Some(on));
        } else {
            (item.start, item.finish) = (Some(from), Some(day_before(to).max(from)));
        }
    }

    fn push(&mut self, mut item: Item, row: usize) {
        if self.chart.plans.items.iter().any(|other| other.id == item.id) {
            let message = format!("the id {} is there already; the task is kept under another", item.id);
            self.findings.add(Severity::Error, "duplicate-key", format!("row {row}"), message);
            item.id = ItemId(format!("{} (row {row})", item.id));
        }
        self.chart.plans.items.push(item);
    }

    fn start(&mut self, row: usize, text: Option<&str>, item: &mut Item) -> Option<Date> {
        let Some(text) = text else {
            return self.last.or_else(|| self.bad(row, "start", "the first task needs a start"));
        };
        let Some(ids) = text.strip_prefix("after ") else {
            return text.parse().ok().or_else(|| self.bad(row, "start", &format!("\"{}\" is no date", short(text))));
        };
        let mut latest = None;
        for id in ids.split_whitespace() {
            match self.ends.get(id) {
                Some(end) => {
                    latest = latest.max(Some(*end));
                    item.depends_on.push(Dependency::after(ItemId::from(id)));
                }
                None => {
                    self.bad::<Date>(row, "start", &format!("there is no task {} above this one", short(id)));
                }
            }
        }
        latest
    }

    fn end(&mut self, row: usize, from: Date, text: &str) -> Option<Date> {
        if let Some(id) = text.strip_prefix("until ") {
            let start = id.split_whitespace().filter_map(|id| self.starts.get(id)).min().copied();
            return start.or_else(|| self.bad(row, "end", &format!("there is no task {} above this one", short(id))));
        }
        if let Ok(date) = text.parse::<Date>() {
            let date = if self.inclusive { date.tomorrow().unwrap_or(date) } else { date };
            return if date < from { self.bad(row, "end", "the task ends before it starts") } else { Some(date) };
        }
        let Some(days) = self.length(row, text) else {
            return self.bad(row, "end", &format!("\"{}\" is neither a date nor a length", short(text)));
        };
        let work = self.chart.calendar.as_ref().map_or_else(WorkDays::every_day, |c| WorkDays::new(c, from));
        from.checked_add(work.finish(0, days).days())
            .ok()
            .or_else(|| self.bad(row, "end", "the end lies outside of the calendar"))
    }

    /// A length such as 45d, 2w or 12h in days.
    fn length(&mut self, row: usize, text: &str) -> Option<i64> {
        let at = text.find(|c: char| c.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at(at);
        let number: f64 = number.trim().parse().ok().filter(|number: &f64| *number >= 0.0)?;
        let per_day = match unit {
            "ms" => 1.0 / 86_400_000.0,
            "s" => 1.0 / 86_400.0,
            "m" => 1.0 / 1_440.0,
            "h" => 1.0 / 24.0,
            "d" => 1.0,
            "w" => 7.0,
            "M" => 30.0,
            "y" => 365.0,
            _ => return None,
        };
        let days = number * per_day;
        if (days - days.round()).abs() > 1e-9 {
            let message = format!("{} is rounded up to whole days", short(text));
            self.findings.add(Severity::Note, "part-of-day", format!("row {row}, column end"), message);
        }
        (days < 1e6).then(|| (days - 1e-9).ceil().max(0.0) as i64)
    }

    fn bad<T>(&mut self, row: usize, column: &str, message: &str) -> Option<T> {
        self.findings.add(Severity::Error, "bad-task", format!("row {row}, column {column}"), message);
        None
    }
}
