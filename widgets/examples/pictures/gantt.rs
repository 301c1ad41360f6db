//! The roadmap "Kestrel launch" of the design boards.

use egui::Ui;
use widgets::gantt::{Arrives, Day, Gantt, GanttState, Gate, Item, Lane, Link, Slip, show};

/// A date as year, month and day in one number: 20261204.
fn day(number: u32) -> Day {
    Day::from_civil((number / 10_000) as i32, number / 100 % 100, number % 100)
}

/// Name, first day, last day, percent, baseline, P85 (0 for none), flags: 1 critical, 2 late, 4 late and critical.
type Row = (&'static str, u32, u32, u8, [u32; 2], u32, u8);

const LANES: [(&str, &[Row]); 5] = [
    (
        "Silicon and rack",
        &[
            ("First silicon bring-up", 20_260_223, 20_260_513, 100, [20_260_223, 20_260_508], 0, 0),
            ("EVT cube build", 20_260_514, 20_260_819, 100, [20_260_511, 20_260_807], 0, 1),
            ("DVT cube and OCS faults", 20_260_820, 20_261_216, 78, [20_260_810, 20_261_204], 20_270_108, 5),
            ("PVT rack ramp", 20_261_217, 20_270_222, 0, [20_261_207, 20_270_212], 20_270_322, 3),
        ],
    ),
    (
        "Runtime and OS images",
        &[
            ("Runtime API 1.0", 20_260_406, 20_260_918, 100, [20_260_406, 20_260_918], 0, 0),
            ("OS image matrix, TPU VM", 20_260_810, 20_261_214, 69, [20_260_810, 20_261_211], 20_261_222, 2),
            ("Bare-metal image, 6.12 kernel", 20_260_921, 20_270_118, 41, [20_260_921, 20_261_218], 20_270_210, 2),
            ("Compiler qualification", 20_261_102, 20_270_205, 22, [20_261_102, 20_270_205], 20_270_212, 0),
        ],
    ),
    (
        "Interconnect",
        &[
            ("Re-form slice after OCS fault", 20_261_026, 20_261_211, 55, [20_261_026, 20_261_204], 20_270_104, 5),
            ("Twisted routing tables", 20_260_907, 20_261_204, 88, [20_260_907, 20_261_204], 20_261_209, 0),
            ("Fault-tolerant routing soak", 20_261_214, 20_270_212, 0, [20_261_207, 20_270_205], 20_270_301, 0),
        ],
    ),
    (
        "Fleet and repair",
        &[
            ("Telemetry exporter v3", 20_260_615, 20_261_016, 100, [20_260_615, 20_261_002], 0, 0),
            ("Repair workflow v2", 20_260_921, 20_270_112, 63, [20_260_921, 20_270_115], 20_270_122, 0),
            ("Burn-in suite", 20_261_116, 20_270_205, 12, [20_261_116, 20_270_205], 20_270_219, 0),
            ("Runbooks and on-call", 20_270_113, 20_270_312, 0, [20_270_118, 20_270_312], 20_270_319, 0),
        ],
    ),
    (
        "Launch",
        &[
            ("Quota and reservations", 20_261_201, 20_270_212, 0, [20_261_201, 20_270_212], 20_270_219, 0),
            ("Reference designs, docs", 20_261_012, 20_270_219, 34, [20_261_012, 20_270_219], 20_270_305, 0),
            ("Preview customers", 20_270_303, 20_270_514, 0, [20_270_226, 20_270_430], 20_270_625, 3),
            ("Training wave 2", 20_270_118, 20_270_416, 0, [20_270_118, 20_270_416], 20_270_423, 0),
        ],
    ),
];

fn slip(flags: u8) -> Slip {
    match flags & 6 {
        4 => Slip::LateAndCritical,
        2 => Slip::Late,
        _ => Slip::None,
    }
}

fn roadmap() -> Gantt {
    let mut id = 0;
    let lanes: Vec<Lane> = LANES
        .iter()
        .map(|(name, rows)| Lane {
            name: (*name).to_owned(),
            summary: format!("{} of {}", rows.iter().filter(|row| row.3 == 100).count(), rows.len()),
            items: rows
                .iter()
                .map(|&(name, start, end, percent, baseline, p85, flags)| {
                    id += 1;
                    Item {
                        id,
                        name: name.to_owned(),
                        start: day(start),
                        end: day(end),
                        baseline: Some(baseline.map(day)),
                        percent,
                        p85: (p85 > 0).then(|| day(p85)),
                        critical: flags & 1 == 1,
                        slip: slip(flags),
                    }
                })
                .collect(),
        })
        .collect();
    let link = |from, to, critical| Link { from, to, arrives: Arrives::Start, critical };
    Gantt {
        name: "Kestrel launch".to_owned(),
        from: day(20_260_201),
        to: day(20_270_831),
        today: day(20_261_130),
        gates: gates(),
        lanes,
        links: vec![
            link(2, 3, true),
            link(3, 4, true),
            link(4, 18, true),
            Link { from: 9, to: 3, arrives: Arrives::End, critical: true },
            link(5, 7, false),
            link(9, 11, false),
            link(13, 15, false),
            link(12, 14, false),
            link(17, 18, false),
        ],
        baseline: Some("baseline of 1 Oct".to_owned()),
        show_critical: true,
        show_forecast: true,
        selected: Some(103),
    }
}

fn gates() -> Vec<Gate> {
    let gate = |n: u64, name: &str, dates: [u32; 3], flags: u8| Gate {
        id: 100 + n,
        name: name.to_owned(),
        baseline: Some(day(dates[0])),
        day: day(dates[1]),
        p85: (dates[2] > 0).then(|| day(dates[2])),
        passed: dates[2] == 0,
        slip: slip(flags),
    };
    vec![
        gate(0, "Concept", [20_260_218, 20_260_218, 0], 0),
        gate(1, "Plan", [20_260_508, 20_260_513, 0], 0),
        gate(2, "EVT", [20_260_807, 20_260_819, 0], 0),
        gate(3, "DVT", [20_261_204, 20_261_216, 20_270_108], 4),
        gate(4, "PVT", [20_270_212, 20_270_222, 20_270_322], 2),
        gate(5, "Preview", [20_270_226, 20_270_303, 20_270_402], 2),
        gate(6, "GA", [20_270_430, 20_270_514, 20_270_625], 2),
    ]
}

pub(crate) fn board(ui: &mut Ui) {
    show(ui, &roadmap(), &mut GanttState::default());
}

/// Zoomed in, a lane folded, a bar selected, scrolled.
pub(crate) fn zoomed(ui: &mut Ui) {
    let mut state = GanttState {
        month_width: 130.0,
        scroll_x: 900.0,
        scroll_y: 60.0,
        folded: vec!["Runtime and OS images".to_owned()],
        drag: None,
    };
    show(ui, &Gantt { selected: Some(3), ..roadmap() }, &mut state);
}
