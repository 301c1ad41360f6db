//! The board of "Kestrel launch".

use egui::Ui;
use widgets::board::{Board, BoardState, Card, Column, Note, NoteKind, Tone, show};

/// Key, title, gate, team, date, age in days.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str, u32);

const COLUMNS: [(&str, usize, Option<usize>, &[Row]); 5] = [
    (
        "Backlog",
        14,
        None,
        &[
            ("KES-41", "Runbook: lost optical switch, keep job running", "PVT", "Fleet repair", "12 Feb", 0),
            ("KES-44", "Reserve 4 spare cubes on north-7x-2", "PVT", "Capacity", "15 Feb", 0),
            ("KES-46", "Reference design: 8×16×16 twisted training", "Preview", "Enablement", "19 Feb", 0),
            ("KES-47", "Quota model for sub-cube slices", "Preview", "Platform", "26 Feb", 0),
            ("KES-52", "Migration notes from v5p to Kestrel", "GA", "Enablement", "16 Apr", 0),
            ("KES-53", "Cost model: price per chip-hour and energy", "GA", "FinOps", "23 Apr", 0),
        ],
    ),
    (
        "Ready",
        4,
        Some(6),
        &[
            ("KES-33", "Fault-tolerant routing soak, 14 days", "PVT", "Network", "12 Feb", 3),
            ("KES-36", "Burn-in: MXU self-test in preflight", "PVT", "Fleet repair", "5 Feb", 2),
            ("KES-38", "Audit evidence: image signing chain", "DVT", "Governance", "18 Dec", 1),
            ("KES-40", "Quota and reservations for preview", "Preview", "Platform", "12 Feb", 1),
        ],
    ),
    (
        "In progress",
        5,
        Some(5),
        &[
            ("KES-12", "Re-form slice after OCS fault", "DVT", "Network", "4 Dec", 35),
            ("KES-13", "Image cell: bare metal, kernel 6.12", "DVT", "Runtime", "20 Nov", 70),
            ("KES-17", "Repair workflow: drain to burn-in", "PVT", "Fleet repair", "15 Jan", 51),
            ("KES-21", "Compiler qualification, 61 models", "PVT", "Runtime", "5 Feb", 28),
            ("KES-24", "Reference designs and docs", "Preview", "Enablement", "19 Feb", 49),
        ],
    ),
    (
        "Qualifying",
        4,
        Some(3),
        &[
            ("KES-09", "OS image matrix: TPU VM, 16 cells", "DVT", "Runtime", "11 Dec", 26),
            ("KES-15", "Twisted routing tables", "DVT", "Network", "4 Dec", 18),
            ("KES-19", "Exporter v3: link utilization per axis", "DVT", "Telemetry", "8 Dec", 9),
            ("KES-20", "Preflight golden thresholds", "DVT", "Fleet repair", "9 Dec", 12),
        ],
    ),
    (
        "Done, since 1 Oct",
        3,
        None,
        &[
            ("KES-11", "OCS fault-injection harness", "DVT", "Network", "closed 23 Oct", 18),
            ("KES-14", "Telemetry exporter v3", "DVT", "Telemetry", "closed 16 Oct", 22),
            ("KES-16", "ICI loopback, 96 links per cube", "DVT", "Silicon", "closed 20 Nov", 7),
        ],
    ),
];

fn note(key: &str) -> Option<Note> {
    let (kind, tone, text) = match key {
        "KES-12" => (NoteKind::Blocked, Tone::Crit, "Blocked by spare ports, R-1"),
        "KES-13" => (NoteKind::Late, Tone::Warn, "Late by 10 d"),
        "KES-09" => (NoteKind::Waiting, Tone::Warn, "11 of 16 green"),
        _ => return None,
    };
    Some(Note { kind, tone, text: text.to_owned() })
}

fn card(id: u64, &(key, title, gate, team, date, age): &Row, done: bool) -> Card {
    Card {
        id,
        key: key.to_owned(),
        title: title.to_owned(),
        gate: Some(gate.to_owned()),
        team: Some(team.to_owned()),
        date: Some(date.to_owned()),
        date_tone: match key {
            "KES-12" => Tone::Crit,
            "KES-13" => Tone::Warn,
            _ => Tone::Plain,
        },
        age: (age > 0).then(|| format!("{age} d")),
        age_tone: if age > 30 { Tone::Warn } else { Tone::Plain },
        note: note(key),
        critical: key == "KES-12",
        done,
    }
}

pub(crate) fn board(ui: &mut Ui) {
    let columns = COLUMNS.iter().enumerate().map(|(n, (name, count, limit, rows))| Column {
        name: (*name).to_owned(),
        count: *count,
        limit: *limit,
        cards: rows.iter().enumerate().map(|(row, data)| card((n * 100 + row) as u64, data, n == 4)).collect(),
    });
    let model = Board { name: "Kestrel launch".to_owned(), columns: columns.collect(), selected: Some(200) };
    show(ui, &model, &mut BoardState::default());
}
