//! Plans of other tools: values of the given samples, and hostile texts in the same shapes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use common::{expected, near, sample};
use jiff::civil::{Date, date};
use planning::import::github::{self, Pages};
use planning::import::record::{Options, Plans, Record, Standing};
use planning::import::{ics, jira, linear, mermaid, table, write};
use planning::merge::merge;
use planning::roadmap::{Dependency, ItemId, LinkKind, Roadmap};
use planning::schedule::schedule;
use proptest::prelude::*;

const TODAY: Date = date(2026, 11, 30);

fn record<'a>(plans: &'a Plans, key: &str) -> &'a Record {
    plans.records.iter().find(|record| record.key == key).unwrap()
}

fn codes(plans: &Plans) -> Vec<(&str, &str)> {
    plans.findings.iter().map(|finding| (finding.code, finding.where_.as_str())).collect()
}

fn repository() -> Option<github::Repository> {
    let names = ["milestones_page1.json", "milestones_page2.json", "issues_page1.json", "issue_101_blocked_by.json"];
    let [one, two, issues, blocked] = names.map(|name| sample(&format!("github/{name}")));
    let (one, two, issues, blocked) = (one?, two?, issues?, blocked?);
    Some(github::read(&Pages { milestones: &[&one, &two], issues: &[&issues], blocked_by: &[(101, &blocked)] }))
}

/// Protects the GitHub import: each value of the table of expected values.
#[test]
fn the_github_sample_gives_the_expected_values() {
    let (Some(expected), Some(read)) = (expected(), repository()) else { return };
    let milestones = &expected["milestones"];
    assert_eq!(milestones["count"], read.milestones.len());
    for milestone in &read.milestones {
        let slip = milestones["slip_days_by_title"].get(&milestone.title).map(|slip| slip.as_i64().unwrap());
        assert_eq!(milestone.slip_days().map(i64::from), slip, "{}", milestone.title);
        let complete = milestones["completeness_by_title"][&milestone.title].as_f64().unwrap();
        near(milestone.completeness().unwrap(), complete, 5e-5, &milestone.title);
    }
    let issues = &expected["issues"];
    assert_eq!(issues["rows"], read.plans.n_rows);
    assert_eq!(issues["issues_without_pull_requests"], read.plans.records.len());
    let keys = |standing| -> Vec<u64> {
        read.plans.records.iter().filter(|r| r.standing == standing).map(|r| r.key.parse().unwrap()).collect()
    };
    assert_eq!(issues["done"], serde_json::json!(keys(Standing::Done)));
    assert_eq!(issues["dropped"], serde_json::json!(keys(Standing::Dropped)));
    let loose: Vec<u64> =
        read.plans.records.iter().filter(|r| r.gate.is_none()).map(|r| r.key.parse().unwrap()).collect();
    assert_eq!(issues["no_milestone"], serde_json::json!(loose));
    for (key, days) in issues["lead_time_days"].as_object().unwrap() {
        near(record(&read.plans, key).lead_days().unwrap(), days.as_f64().unwrap(), 5e-5, key);
    }
    assert!(record(&read.plans, "101").blocked_by.contains("104") && record(&read.plans, "107").reopened);
}

#[test]
fn the_jira_samples_give_the_expected_values() {
    let (Some(expected), Some(text), Some(json)) =
        (expected(), sample("jira/jira_export.csv"), sample("jira/search_jql_expand_changelog.json"))
    else {
        return;
    };
    let options = Options::default();
    let read = jira::read_csv(&text, &options);
    let table = &expected["jira_csv"];
    assert_eq!((&table["rows"], &table["columns"]), (&read.plans.n_rows.into(), &read.n_columns.into()));
    assert_eq!(table["repeated_headers"], serde_json::json!(read.repeated));
    for row in &read.plans.records {
        let days = table["lead_time_days"].get(&row.key).map(|days| days.as_f64().unwrap());
        assert_eq!(row.lead_days().is_some(), days.is_some(), "{}", row.key);
        near(row.lead_days().unwrap_or(0.0), days.unwrap_or(0.0), 5e-5, &row.key);
    }
    let edges: Vec<[&str; 2]> =
        read.plans.records.iter().flat_map(|r| r.blocked_by.iter().map(|by| [by.as_str(), r.key.as_str()])).collect();
    assert_eq!(table["edges_blocks"], serde_json::json!(edges));
    let read = jira::read_json(&[&json], &options);
    let (first, second) = (record(&read, "KES-11"), record(&read, "KES-12"));
    let now = "2026-11-30T08:00:00Z".parse().unwrap();
    let table = &expected["jira_changelog"]["KES-11"];
    let number = |key: &str| table[key].as_f64().unwrap();
    near(first.cycle_days().unwrap(), number("cycle_time_days"), 5e-5, "cycle");
    near(first.lead_days().unwrap(), number("lead_time_days"), 5e-5, "lead");
    near(first.flow_efficiency(&options).unwrap(), number("flow_efficiency"), 5e-5, "efficiency");
    assert_eq!(table["slip_days"], first.slip_days(&options).unwrap());
    let stays = first.days_in_status(now);
    assert_eq!(stays.len(), table["time_in_status_days"].as_object().unwrap().len());
    for (status, days) in table["time_in_status_days"].as_object().unwrap() {
        near(stays[status.as_str()], days.as_f64().unwrap(), 5e-5, status);
    }
    let table = &expected["jira_changelog"]["KES-12"];
    let age = table["work_item_age_days_at_2026-11-30T08:00Z"].as_f64().unwrap();
    near(second.age_days(now).unwrap(), age, 5e-5, "age");
    assert_eq!(table["due_date_moves"], second.due_moves());
    assert_eq!(table["total_due_shift_days"], second.due_shift_days().unwrap());
}

#[test]
fn the_other_samples_are_read_whole() {
    let (Some(csv), Some(chart), Some(calendar)) =
        (sample("linear/linear_export.csv"), sample("mermaid/roadmap.mmd"), sample("ics/milestones.ics"))
    else {
        return;
    };
    let options = Options::default();
    let read = linear::read(&csv, &options);
    assert_eq!(
        read.records.iter().map(|r| r.standing).collect::<Vec<_>>(),
        [Standing::Done, Standing::Active, Standing::Dropped]
    );
    near(
        record(&read, "KES-31").cycle_days().unwrap(),
        11.125,
        1e-9,
        "the cycle time that Linear gives as 16,020 minutes",
    );
    assert_eq!(record(&read, "KES-32").title, "=repair-queue depth panel");
    assert!(record(&read, "KES-32").blocked_by.contains("KES-31"));
    let read = mermaid::read(&chart);
    assert_eq!((read.sections.len(), read.plans.items.len()), (3, 11));
    let ends = |id: &str| read.plans.items.iter().find(|item| item.id.0 == id).unwrap().finish.unwrap();
    assert_eq!(ends("pvt").tomorrow().unwrap(), date(2027, 2, 23), "as Mermaid 12.3.0 resolves 45 working days");
    assert_eq!(codes(&read.plans), [("marker", "row 22")]);
    let read = ics::read(&calendar, &options);
    assert_eq!((read.gates.len(), read.items.len(), read.findings.len()), (9, 1, 0));
    assert_eq!(read.items[0].due, Some(date(2026, 12, 4)));
}

const MILESTONES: &str = r#"[
 {"number":1,"title":"A","state":"closed","due_on":"2026-09-18T07:00:00Z","closed_at":"2026-09-18T16:00:00Z","open_issues":0,"closed_issues":3},
 {"number":2,"title":"A","state":"open","due_on":"2026-12-18T08:00:00Z","closed_at":null},
 {"number":3,"title":"No date","state":"open","due_on":null,"closed_at":null},
 {"number":"four"}]"#;

/// Protects dates that are dates: closed in the afternoon of the day that GitHub writes as its first minute, it is on time.
#[test]
fn hostile_pages_give_findings_and_lose_no_row() {
    let issues = r#"[
     {"number":7,"title":"x","state":"open","state_reason":"reopened","created_at":"2026-11-02T08:00:00Z","closed_at":null,"issue_dependencies_summary":{"total_blocked_by":2}},
     {"number":8,"title":"y","state":"closed","created_at":"2026-11-05T08:00:00Z","closed_at":"2026-11-02T08:00:00Z"},
     {"number":7,"title":"again","state":"open"},
     {"number":9,"title":"p","state":"open","pull_request":{}}]"#;
    let pages = Pages {
        milestones: &[MILESTONES],
        issues: &[issues, "{\"message\":\"rate limit\"}"],
        blocked_by: &[(7, "[{\"number\":8}]"), (8, "[{\"number\":7}]"), (99, "[]")],
    };
    let read = github::read(&pages);
    assert_eq!(read.milestones[0].slip_days(), Some(0));
    assert_eq!((read.plans.n_rows, read.plans.records.len(), read.plans.gates.len()), (4, 3, 1));
    assert_eq!(record(&read.plans, "7 (2)").title, "again");
    let expected = [
        ("no-due-date", "row 3, column due_on"),
        ("bad-row", "milestones, page 1, row 4"),
        ("bad-page", "issues, page 2, row 1, column 0"),
        ("unknown-issue", "blocked_by of 99"),
        ("dependencies-unread", "row 1, column issue_dependencies_summary"),
        ("duplicate-key", "row 3, column key"),
        ("reopened", "row 1, column state"),
        ("ends-before-start", "row 2, column ended"),
        ("dependency-circle", "row 2, column blocked by"),
        ("duplicate-key", "row 2, column title"),
    ];
    assert_eq!(codes(&read.plans), expected);
    let circle = read.plans.findings.iter().find(|finding| finding.code == "dependency-circle").unwrap();
    assert!(circle.message.contains("7 → 8 → 7"), "{}", circle.message);
    let roadmap = merge(&Roadmap::default(), read.plans.imported("repo", TODAY, &Options::default())).roadmap;
    assert!(schedule(&roadmap, TODAY).is_ok());
    let link = r#"<https://api.github.com/repositories/5/issues?page=2>; rel="next", <https://x/y?page=4>; rel="last""#;
    assert_eq!(github::next_page(link), Some("https://api.github.com/repositories/5/issues?page=2"));
    assert_eq!(github::next_page(r#"<https://x/y?page=4>; rel="last""#), None);
    assert_eq!(github::due_on(TODAY), "2026-11-30T12:00:00Z");
}

/// Protects against spreadsheets: other separators, a mark of the byte order, quoted line breaks, uneven rows, years that
/// nobody means, dates that can be read in two ways.
#[test]
fn hostile_tables_give_findings_with_row_and_column() {
    let text = "\u{feff}Issue key;Summary;Created;Resolved;Due date;Status Category\r\n\
                K-1;\"two\r\nlines; one cell\";6/7/2026 10:00;8/7/2026 10:00;;Done\r\n\
                ;no key;;;;\r\n\
                K-2;short row;6/7/2026 10:00\r\n\
                K-1;again;yesterday;;9999-12-31;To Do\r\n";
    let read = jira::read_csv(text, &Options::default());
    let expected = [
        ("uneven-row", "row 4"),
        ("ambiguous-dates", "columns of dates"),
        ("no-key", "row 3, column Issue key"),
        ("bad-date", "row 5, column Created"),
        ("duplicate-key", "row 5, column key"),
        ("implausible-date", "row 5, column due"),
    ];
    assert_eq!(codes(&read.plans), expected);
    assert_eq!(
        record(&read.plans, "K-1").title.split_whitespace().collect::<Vec<_>>(),
        ["two", "lines;", "one", "cell"]
    );
    assert_eq!(record(&read.plans, "K-1").lead_days(), None, "a date that can be read in two ways is not guessed");
    let order = Some(planning::import::moment::DayOrder::DayFirst);
    let read = jira::read_csv(text, &Options { order, ..Options::default() });
    assert_eq!(record(&read.plans, "K-1").lead_days(), Some(2.0));
}

#[test]
fn other_encodings_are_read_and_told() {
    let utf_16: Vec<u8> = [0xff, 0xfe].into_iter().chain("ID,ü".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(table::decode(&utf_16).0, "ID,ü");
    assert_eq!(table::decode(b"\xef\xbb\xbfID").0, "ID");
    let (text, told) = table::decode(b"K\xf6ln \x80");
    assert_eq!((text.as_str(), told.is_some()), ("Köln €", true));
}

/// Protects those who open the export in a spreadsheet: no cell is a formula, and what was guarded comes back.
#[test]
fn cells_that_look_like_formulas_are_guarded() {
    for (cell, guarded) in
        [("=1+1", "'=1+1"), ("@x", "'@x"), ("-2.5", "-2.5"), ("+cmd|x", "'+cmd|x"), ("plain", "plain")]
    {
        assert_eq!(write::guarded(cell), guarded);
        assert_eq!(write::unguarded(guarded), cell);
    }
    let mut roadmap = Roadmap::default();
    roadmap.items.push(planning::Item::new(ItemId::from("=K"), "=HYPERLINK(\"x\")"));
    let csv = write::roadmap_csv(&roadmap, None);
    assert!(csv.lines().nth(1).unwrap().starts_with("'=K,\"'=HYPERLINK(\"\"x\"\")\""), "{csv}");
}

const CHART: &str = "gantt\n  title T\n  excludes weekends 2026-12-25\n  section S\n  First :done, a, 2026-11-30, 5d\n  \
                     Second :active, crit, b, after a, 12\u{64}\n  Third : c, after a b, 36h\n  Gate :milestone, g, after c, 0d\n  nonsense\n  \
                     Bad : d, after nobody, 3d\n";

#[test]
fn a_chart_is_read_written_and_read_back_equal() {
    let read = mermaid::read(CHART);
    assert_eq!(
        codes(&read.plans),
        [("part-of-day", "row 7, column end"), ("unknown-line", "row 9"), ("bad-task", "row 10, column start")]
    );
    let dates: Vec<_> = read.plans.items.iter().filter_map(|item| Some((item.id.0.as_str(), item.span()?))).collect();
    let days = |from, to| planning::roadmap::Span { start: from, finish: to };
    let expected = [
        ("a", days(TODAY, date(2026, 12, 4))),
        ("b", days(date(2026, 12, 5), date(2026, 12, 22))),
        ("c", days(date(2026, 12, 23), date(2026, 12, 24))),
        ("g", days(date(2026, 12, 24), date(2026, 12, 24))),
    ];
    assert_eq!(dates, expected);
    let roadmap = Roadmap {
        title: read.title.clone(),
        lanes: read.sections.clone(),
        calendars: read.calendar.clone().into_iter().collect(),
        calendar: Some(mermaid::CALENDAR.to_owned()),
        items: read.plans.items.iter().filter(|item| item.span().is_some()).cloned().collect(),
        ..Roadmap::default()
    };
    let again = mermaid::read(&write::mermaid(&roadmap, None));
    assert_eq!((again.plans.items, again.calendar), (roadmap.items, read.calendar));
}

#[test]
fn a_calendar_is_written_folded_and_read_back_equal() {
    let mut roadmap = (*planning::sample().roadmap).clone();
    roadmap.gates[0].name =
        "A; b, c\\d ü and a name that is so long that the line has to be folded somewhere, twice ÄÖÜ".to_owned();
    let text = write::ics(&roadmap, TODAY, 3);
    assert!(text.lines().all(|line| line.len() <= 75) && text.contains("\r\nEND:VCALENDAR\r\n"));
    let read = ics::read(&text, &Options::default());
    assert_eq!(read.findings, []);
    let gates: Vec<_> = read.gates.iter().map(|gate| (&gate.name, gate.planned)).collect();
    let expected: Vec<_> = roadmap.gates.iter().map(|gate| (&gate.name, gate.passed.unwrap_or(gate.planned))).collect();
    assert_eq!(gates, expected);
    let hostile = "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:1\r\nSUMMARY:x\r\nDUE;VALUE=DATE:00000101\r\nEND:VTODO\r\n\
                   BEGIN:VEVENT\r\nUID:2\r\nDTSTART;TZID=America/Los_Angeles:20261130T230000\r\nDTEND:20261201T080000Z\r\nSUMMARY:night\r\nEND:VEVENT\r\n\
                   BEGIN:VTODO\r\nUID:1\r\nSUMMARY:cut";
    let read = ics::read(hostile, &Options::default());
    assert_eq!(
        codes(&read),
        [("bad-date", "row 3, column DUE"), ("ends-before-start", "row 7, column DTEND"), ("cut-off", "row 13")]
            .map(|(c, p)| if c == "bad-date" { ("implausible-date", "row 2, column DUE") } else { (c, p) })
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Protects the window: no text, however torn, makes a reader panic.
    #[test]
    fn no_text_breaks_a_reader(text in "(?s)[\\PC\n\r\t,;\"{}\\[\\]:=0-9]{0,200}") {
        let options = Options::default();
        drop(jira::read_csv(&text, &options));
        drop(jira::read_json(&[&text], &options));
        drop(linear::read(&format!("ID,Started\n{text}"), &options));
        drop(mermaid::read(&format!("gantt\n excludes {text}\n x :a, {text}\n{text}")));
        drop(ics::read(&format!("BEGIN:VTODO\n{text}\nEND:VTODO"), &options));
        drop(github::read(&Pages { milestones: &[&text], issues: &[&text], blocked_by: &[(1, &text)] }));
        drop(table::decode(text.as_bytes()));
    }
}

/// Protects links that a chart cannot say: they do not turn into others.
#[test]
fn a_link_of_another_kind_is_written_as_a_date() {
    let read = mermaid::read("gantt\n A :a, 2026-11-30, 5d\n B :b, after a, 5d\n");
    let mut roadmap = Roadmap { items: read.plans.items, ..Roadmap::default() };
    let on = ItemId::from("a");
    roadmap.items[1].depends_on = vec![Dependency { on, kind: LinkKind::StartToStart, lag_days: 5 }];
    assert!(write::mermaid(&roadmap, None).contains("b, 2026-12-05, 2026-12-10"));
}
