//! The CSV export of Linear. It has the start of work and its end, so its cycle times are true.
//!
//! Linear guards cells that look like formulas by a leading apostrophe, which is taken off. Archived rows are left out.

use jiff::Timestamp;
use topology::finding::Severity;

use super::moment::timestamp;
use super::record::{Options, Plans, Record, Standing, check};
use super::table::{Row, Table, short};
use super::write::unguarded;
use super::{Findings, cell};

/// Reads an export.
pub fn read(text: &str, options: &Options) -> Plans {
    let mut findings = Findings::default();
    let table = Table::read(text, &mut findings);
    let key = table.required(&["ID"], &mut findings);
    let column = |name: &str| table.column(&[name]);
    let [title, status, assignee, estimate] = ["Title", "Status", "Assignee", "Estimate"].map(column);
    let [created, started, completed, canceled] = ["Created", "Started", "Completed", "Canceled"].map(column);
    let [archived, due, milestone, blocked_by] =
        ["Archived", "Due Date", "Project Milestone", "Blocked by"].map(column);
    let mut records = Vec::new();
    for row in &table.rows {
        if row.cell(archived).is_some() {
            findings.add(Severity::Note, "archived", format!("row {}", row.number), "the row is archived and left out");
            continue;
        }
        let Some(key) = row.cell(key) else {
            findings.add(Severity::Error, "no-key", cell(row.number, "ID"), "the row has no key; it is left out");
            continue;
        };
        let mut at = |column| moment_of(row, (&table, column), &mut findings);
        let (created, started, completed, canceled) = (at(created), at(started), at(completed), at(canceled));
        let standing = match (completed, canceled, started) {
            (Some(_), None, _) => Standing::Done,
            (_, Some(_), _) => Standing::Dropped,
            (None, None, Some(_)) => Standing::Active,
            (None, None, None) => Standing::Open,
        };
        let waits = row.cell(blocked_by).unwrap_or_default().split(',').map(|key| key.trim().to_owned());
        records.push(Record {
            key: key.to_owned(),
            title: unguarded(row.cell(title).unwrap_or(key)).to_owned(),
            row: row.number,
            standing,
            status: row.cell(status).map(str::to_owned),
            created,
            started,
            ended: completed.or(canceled),
            due: row
                .cell(due)
                .and_then(|text| text.parse().ok().or_else(|| timestamp(text).map(|moment| options.date(moment)))),
            blocked_by: waits.filter(|key| !key.is_empty()).collect(),
            gate: row.cell(milestone).map(str::to_owned),
            team: row.cell(assignee).map(str::to_owned),
            points: row.number((&table, estimate), &mut findings).filter(|p| *p >= 0.0).map(|p| p as u32),
            ..Record::default()
        });
    }
    check(&mut records, &mut findings);
    Plans { n_rows: table.rows.len(), records, findings: findings.into_list(), ..Plans::default() }
}

fn moment_of(row: &Row, (table, column): (&Table, Option<usize>), findings: &mut Findings) -> Option<Timestamp> {
    let text = row.cell(column)?;
    let read = timestamp(text);
    if read.is_none() {
        let name = column.map_or("", |column| table.columns[column].as_str());
        findings.add(Severity::Error, "bad-date", cell(row.number, name), format!("\"{}\" is no moment", short(text)));
    }
    read
}
