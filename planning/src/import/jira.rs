//! Jira: the CSV export with its repeated headings, and pages of `search/jql?expand=changelog` of the Cloud interface v3.
//!
//! The CSV has no history of statuses, so its records have a lead time only; the changelog gives cycle time, time in
//! status, and every earlier due date.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use topology::finding::Severity;

use super::moment::{civil, moment, needs_order, order_of, timestamp};
use super::record::{Options, Plans, Record, Standing, Stay, check, places};
use super::table::{Row, Table, short};
use super::{Findings, cell};

/// Resolutions of work that will not be done, in lower case.
const DROPPED: [&str; 7] =
    ["won't do", "won't fix", "duplicate", "cannot reproduce", "declined", "canceled", "cancelled"];

/// What a CSV export holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Issues as records.
    pub plans: Plans,
    /// How many columns it has.
    pub n_columns: usize,
    /// Headings that come more than once.
    pub repeated: Vec<String>,
}

struct Columns {
    key: Option<usize>,
    summary: Option<usize>,
    status: Option<usize>,
    category: Option<usize>,
    resolution: Option<usize>,
    assignee: Option<usize>,
    points: Option<usize>,
    versions: Vec<usize>,
    inward: Vec<usize>,
    outward: Vec<usize>,
}

/// Reads a CSV export.
pub fn read_csv(text: &str, options: &Options) -> Export {
    let mut findings = Findings::default();
    let table = Table::read(text, &mut findings);
    let columns = Columns {
        key: table.required(&["Issue key", "Key"], &mut findings),
        summary: table.column(&["Summary"]),
        status: table.column(&["Status"]),
        category: table.column(&["Status Category"]),
        resolution: table.column(&["Resolution"]),
        assignee: table.column(&["Assignee"]),
        points: table.column(&["Custom field (Story Points)", "Story Points", "Custom field (Story point estimate)"]),
        versions: table.all("Fix versions").into_iter().chain(table.all("Fix Version/s")).collect(),
        inward: table.all("Inward issue link (Blocks)"),
        outward: table.all("Outward issue link (Blocks)"),
    };
    let dates = Dates::new(&table, options, &mut findings);
    let mut records: Vec<Record> = Vec::with_capacity(table.rows.len());
    let mut blocks = Vec::new();
    for row in &table.rows {
        let Some(key) = row.cell(columns.key) else {
            let message = "the row has no key, so it cannot be told from others; it is left out";
            findings.add(Severity::Error, "no-key", cell(row.number, "Issue key"), message);
            continue;
        };
        let record = csv_record((row, key), &columns, (&table, &dates), &mut findings);
        blocks.extend(row.cells(&columns.outward).map(|blocked| (blocked.to_owned(), key.to_owned())));
        records.push(record);
    }
    let places = places(&records);
    for (blocked, by) in blocks {
        if let Some(place) = places.get(&blocked) {
            records[*place].blocked_by.insert(by);
        }
    }
    check(&mut records, &mut findings);
    let n_rows = table.rows.len();
    let plans = Plans { records, n_rows, findings: findings.into_list(), ..Plans::default() };
    Export { plans, n_columns: table.columns.len(), repeated: table.repeated() }
}

fn csv_record(
    (row, key): (&Row, &str),
    columns: &Columns,
    (table, dates): (&Table, &Dates<'_>),
    findings: &mut Findings,
) -> Record {
    let resolution = row.cell(columns.resolution).unwrap_or_default().to_lowercase();
    let resolved = dates.moment(row, dates.resolved, findings);
    let status = row.cell(columns.status).map(str::to_owned);
    let is_done = resolved.is_some() || row.cell(columns.category) == Some("Done");
    let is_begun = row.cell(columns.category) == Some("In Progress");
    Record {
        key: key.to_owned(),
        title: row.cell(columns.summary).unwrap_or(key).replace(['\r', '\n'], " "),
        row: row.number,
        standing: match (is_done, DROPPED.contains(&resolution.as_str()), is_begun) {
            (true, true, _) => Standing::Dropped,
            (true, false, _) => Standing::Done,
            (false, _, true) => Standing::Active,
            (false, _, false) => Standing::Open,
        },
        status,
        created: dates.moment(row, dates.created, findings),
        ended: resolved,
        start: dates.date(row, dates.start, findings),
        due: dates.date(row, dates.due, findings),
        blocked_by: row.cells(&columns.inward).map(str::to_owned).collect(),
        gate: row.cells(&columns.versions).next().map(str::to_owned),
        team: row.cell(columns.assignee).map(str::to_owned),
        points: row
            .number((table, columns.points), findings)
            .filter(|points| *points >= 0.0)
            .map(|points| points as u32),
        ..Record::default()
    }
}

/// The columns of dates, and how their numbers stand.
struct Dates<'a> {
    table: &'a Table,
    options: Options,
    created: Option<usize>,
    resolved: Option<usize>,
    due: Option<usize>,
    start: Option<usize>,
}

impl<'a> Dates<'a> {
    fn new(table: &'a Table, options: &Options, findings: &mut Findings) -> Self {
        let columns = [
            ["Created", "Created"],
            ["Resolved", "Resolved"],
            ["Due date", "Due Date"],
            ["Custom field (Start date)", "Start date"],
        ];
        let [created, resolved, due, start] = columns.map(|names| table.column(&names));
        let cells = || {
            let columns = [created, resolved, due, start];
            table.rows.iter().flat_map(move |row| columns.into_iter().filter_map(|column| row.cell(column)))
        };
        let order = options.order.or_else(|| order_of(cells()));
        if order.is_none()
            && let Some(unclear) = cells().find(|text| needs_order(text))
        {
            let message =
                format!("\"{}\" can be read in two ways; say whether the day or the month comes first", short(unclear));
            findings.add(Severity::Error, "ambiguous-dates", "columns of dates", message);
        }
        Self { table, options: Options { order, ..options.clone() }, created, resolved, due, start }
    }

    fn moment(&self, row: &Row, column: Option<usize>, findings: &mut Findings) -> Option<Timestamp> {
        let text = row.cell(column)?;
        let order = self.options.order;
        let read = timestamp(text).or_else(|| moment(civil(text, order)?, &self.options.zone));
        if read.is_none() && !(order.is_none() && needs_order(text)) {
            let name = column.map_or("", |column| self.table.columns[column].as_str());
            let message = format!("\"{}\" is no date that is known here", short(text));
            findings.add(Severity::Error, "bad-date", cell(row.number, name), message);
        }
        read
    }

    fn date(&self, row: &Row, column: Option<usize>, findings: &mut Findings) -> Option<jiff::civil::Date> {
        // A date is a date wherever it is read; only a moment with an offset has to be put into a zone.
        match civil(row.cell(column)?, self.options.order) {
            Some(at) => Some(at.date()),
            None => self.moment(row, column, findings).map(|moment| self.options.date(moment)),
        }
    }
}

#[derive(Deserialize)]
struct Page {
    issues: Vec<Value>,
    #[serde(default, rename = "nextPageToken")]
    next: Option<String>,
}

#[derive(Deserialize)]
struct Issue {
    key: String,
    fields: Fields,
    #[serde(default)]
    changelog: Option<Changelog>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Fields {
    summary: Option<String>,
    status: Option<Status>,
    created: Option<String>,
    resolutiondate: Option<String>,
    resolution: Option<Name>,
    duedate: Option<String>,
    assignee: Option<Person>,
    #[serde(rename = "fixVersions")]
    versions: Vec<Name>,
    issuelinks: Vec<IssueLink>,
}

#[derive(Deserialize)]
struct Status {
    name: String,
    #[serde(rename = "statusCategory")]
    category: Option<Category>,
}
#[derive(Deserialize)]
struct Category {
    key: String,
}
#[derive(Deserialize)]
struct Name {
    name: String,
}
#[derive(Deserialize)]
struct Person {
    #[serde(rename = "displayName")]
    name: Option<String>,
}
#[derive(Deserialize)]
struct Key {
    key: String,
}
#[derive(Deserialize)]
struct IssueLink {
    #[serde(rename = "type")]
    kind: Option<Name>,
    #[serde(rename = "inwardIssue")]
    inward: Option<Key>,
}
#[derive(Deserialize)]
struct Changelog {
    #[serde(default)]
    total: usize,
    #[serde(default)]
    histories: Vec<History>,
}
#[derive(Deserialize)]
struct History {
    created: String,
    #[serde(default)]
    items: Vec<Change>,
}
#[derive(Deserialize)]
struct Change {
    field: String,
    from: Option<String>,
    #[serde(rename = "fromString")]
    from_name: Option<String>,
    #[serde(rename = "toString")]
    to_name: Option<String>,
}

/// The token of the next page; `None` on the last one, or if the text is no page.
pub fn next_page(text: &str) -> Option<String> {
    serde_json::from_str::<Page>(text).ok()?.next
}

/// Reads all pages of a search.
pub fn read_json(pages: &[&str], options: &Options) -> Plans {
    let mut findings = Findings::default();
    let mut records = Vec::new();
    for (number, text) in pages.iter().enumerate() {
        let page: Page = match serde_json::from_str(text) {
            Ok(page) => page,
            Err(error) => {
                let place = format!("page {}, row {}, column {}", number + 1, error.line(), error.column());
                findings.add(Severity::Error, "bad-page", place, format!("this is no page of a search: {error}"));
                continue;
            }
        };
        for issue in page.issues {
            let row = records.len() + 1;
            match serde_json::from_value::<Issue>(issue) {
                Ok(issue) => records.push(json_record(row, &issue, options, &mut findings)),
                Err(error) => {
                    findings.add(
                        Severity::Error,
                        "bad-row",
                        format!("row {row}"),
                        format!("the issue cannot be read: {error}"),
                    );
                }
            }
        }
    }
    check(&mut records, &mut findings);
    Plans { n_rows: records.len(), records, findings: findings.into_list(), ..Plans::default() }
}

fn json_record(row: usize, issue: &Issue, options: &Options, findings: &mut Findings) -> Record {
    let fields = &issue.fields;
    let mut at = |text: Option<&str>, name: &str| {
        let text = text?;
        let read = timestamp(text);
        if read.is_none() {
            let message = format!("\"{}\" is no moment", short(text));
            findings.add(Severity::Error, "bad-date", cell(row, name), message);
        }
        read
    };
    let created = at(fields.created.as_deref(), "created");
    let resolved = at(fields.resolutiondate.as_deref(), "resolutiondate");
    let category = fields.status.as_ref().and_then(|status| status.category.as_ref()).map(|c| c.key.as_str());
    let resolution = fields.resolution.as_ref().map_or_else(String::new, |r| r.name.to_lowercase());
    let mut record = Record {
        key: issue.key.clone(),
        title: fields.summary.clone().unwrap_or_else(|| issue.key.clone()),
        row,
        standing: match category {
            Some("done") if DROPPED.contains(&resolution.as_str()) => Standing::Dropped,
            Some("done") => Standing::Done,
            Some("indeterminate") => Standing::Active,
            _ => Standing::Open,
        },
        status: fields.status.as_ref().map(|status| status.name.clone()),
        created,
        ended: resolved,
        due: fields.duedate.as_deref().and_then(|date| date.parse().ok()),
        blocked_by: blockers(fields),
        gate: fields.versions.first().map(|version| version.name.clone()),
        team: fields.assignee.as_ref().and_then(|person| person.name.clone()),
        ..Record::default()
    };
    if let Some(log) = &issue.changelog {
        if log.total > log.histories.len() {
            let message =
                format!("{} of {} changes are known; read the rest for true times", log.histories.len(), log.total);
            findings.add(Severity::Warning, "changelog-cut", cell(row, "changelog"), message);
        }
        history(&mut record, log, (row, options), findings);
    }
    record
}

fn blockers(fields: &Fields) -> std::collections::BTreeSet<String> {
    let is_block = |link: &&IssueLink| link.kind.as_ref().is_some_and(|kind| kind.name == "Blocks");
    fields.issuelinks.iter().filter(is_block).filter_map(|link| Some(link.inward.as_ref()?.key.clone())).collect()
}

/// Stays in statuses, start and end of work, and earlier due dates, from the changes in order of time.
fn history(record: &mut Record, log: &Changelog, (row, options): (usize, &Options), findings: &mut Findings) {
    let mut changes: Vec<(Timestamp, &Change)> = Vec::new();
    for history in &log.histories {
        if let Some(at) = timestamp(&history.created) {
            changes.extend(history.items.iter().map(|change| (at, change)));
        } else {
            let message = format!("\"{}\" is no moment; the change is left out", short(&history.created));
            findings.add(Severity::Error, "bad-date", cell(row, "changelog"), message);
        }
    }
    changes.sort_by_key(|(at, _)| *at);
    let statuses: Vec<_> = changes.iter().filter(|(_, change)| change.field == "status").collect();
    let mut from = record.created;
    for (at, change) in statuses.iter().copied() {
        if let (Some(start), Some(status)) = (from, &change.from_name) {
            record.stays.push(Stay { status: status.clone(), from: start, to: Some(*at) });
        }
        from = Some(*at);
        let to = change.to_name.as_deref().unwrap_or_default();
        if Options::is(&options.active, to) {
            record.started.get_or_insert(*at);
        }
        let was_done = change.from_name.as_deref().is_some_and(|name| Options::is(&options.done, name));
        record.reopened |= was_done && !Options::is(&options.done, to);
    }
    let last = statuses.last().map(|(at, change)| (*at, change.to_name.clone().unwrap_or_default()));
    let last_done =
        statuses.iter().rev().find(|(_, c)| c.to_name.as_deref().is_some_and(|to| Options::is(&options.done, to)));
    if let Some((at, status)) = last {
        if Options::is(&options.done, &status) {
            record.ended = last_done.map(|(at, _)| *at).or(record.ended);
        } else {
            record.stays.push(Stay { status, from: at, to: None });
        }
    }
    let due = changes.iter().filter(|(_, change)| change.field == "duedate");
    record.earlier_due = due.filter_map(|(_, change)| change.from.as_deref()?.parse().ok()).collect();
}
