//! The frame of the window, and what floats over it.

use egui::{Align, Layout, Rect, Ui, UiBuilder, pos2};
use widgets::control::{Button, Chip, Field, IconButton, SourceChip};
use widgets::empty::Empty;
use widgets::explain::{Certainty, Explanation, Input};
use widgets::icon;
use widgets::notice::{Banner, Confirm, Toast, toasts};
use widgets::palette::{Entry, Palette};
use widgets::panel::Panel;
use widgets::scrubber::Scrubber;
use widgets::shell::{Rail, RailItem, Segment, StatusBar};
use widgets::status::Status;
use widgets::theme::{SliceColor, Tokens, size};
use widgets::tree::Mark;

use crate::place;

const fn item(icon: icon::Icon, label: &str, apart: bool) -> RailItem<'_> {
    RailItem { icon, label, apart }
}

const VIEWS: [RailItem<'static>; 8] = [
    item(icon::SQUARES_FOUR, "Overview", false),
    item(icon::CUBE, "Topology", false),
    item(icon::WAVEFORM, "Live", false),
    item(icon::SLIDERS_HORIZONTAL, "What-if", false),
    item(icon::KANBAN, "Roadmap", false),
    item(icon::CHART_LINE_UP, "Capacity", false),
    item(icon::SHIELD_CHECK, "Reliability", false),
    item(icon::PRESENTATION_CHART, "Present", true),
];
const FOOT: [RailItem<'static>; 2] = [item(icon::GEAR, "Settings", false), item(icon::QUESTION, "Help", false)];

const fn segment<'a>(before: &'a str, value: &'a str, after: &'a str) -> Segment<'a> {
    Segment { icon: None, before, value, after }
}

pub(crate) fn page(ui: &mut Ui) {
    let area = ui.max_rect().expand(8.0).intersect(ui.content_rect());
    let part = |min: egui::Pos2, max: egui::Pos2| UiBuilder::new().max_rect(Rect::from_min_max(min, max));
    let below = area.bottom() - size::STATUS_BAR;
    ui.scope_builder(part(area.min, pos2(area.right(), 44.0)), top_bar);
    ui.scope_builder(part(pos2(0.0, 44.0), pos2(72.0, below)).id_salt("rail"), |ui| {
        Rail { items: &VIEWS, foot: &FOOT, chosen: 1, narrow: false }.show(ui);
    });
    ui.scope_builder(part(pos2(100.0, 44.0), pos2(148.0, below)).id_salt("narrow rail"), |ui| {
        Rail { items: &VIEWS, foot: &FOOT, chosen: 1, narrow: true }.show(ui);
    });
    ui.scope_builder(part(pos2(0.0, below), area.max), |ui| {
        let segments = [
            segment("Frame", "6.8 ms", ""),
            segment("", "16.3 k", "samples/s"),
            segment("", "163 k", "series"),
            segment("Mem", "412 MiB", ""),
            Segment { icon: Some(icon::BELL), ..segment("", "3", "") },
        ];
        let (message, selection) = ("Saved 10:41 · autosave on", "Cube 2·1·3 · pretrain-main");
        StatusBar { status: Status::Ok, message, selection, segments: &segments }.show(ui);
    });
    place(ui, [180.0, 80.0], [420.0, 400.0], |ui| explanation(ui, true));
    place(ui, [640.0, 80.0], [460.0, 400.0], |ui| explanation(ui, false));
    let toast = |id, status, text| Toast { id, status, text, action: None, seconds_left: Some(8) };
    toasts(
        ui.ctx(),
        &[
            toast(1, Status::Info, "An old message that is not shown any more"),
            toast(2, Status::Ok, "Plan saved"),
            Toast { action: Some("Undo"), ..toast(3, Status::Ok, "Moved eval-mix to north-7x-2") },
            Toast { seconds_left: None, ..toast(4, Status::Critical, "Prometheus does not answer") },
        ],
    );
}

fn top_bar(ui: &mut Ui) {
    let t = Tokens::of(ui.ctx());
    ui.painter().rect_filled(ui.max_rect(), 0.0, t.bg1);
    ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
        ui.add_space(72.0);
        ui.add(SourceChip { status: Status::Ok, name: "Prometheus", mode: "", age: "12 s behind" });
        ui.add(SourceChip { status: Status::Unknown, name: "No source", mode: "", age: "" });
        ui.add_space(40.0);
        ui.add(IconButton::new(icon::PAUSE_FILL, "Pause").small());
        ui.add(Chip::accent("Live"));
        let live = Scrubber {
            position: 1.0,
            live: true,
            alerts: &[0.18, 0.52, 0.9],
            gaps: &[],
            step: 0.01,
            clock: "10:42:18",
        };
        live.show(ui, 300.0);
        let back = Scrubber { position: 0.4, live: false, gaps: &[[0.55, 0.7]], ..live };
        back.show(ui, 240.0);
        let hint = "Search or run a command";
        ui.add(
            Field::new(hint, &mut String::new())
                .hint(hint)
                .icon(icon::MAGNIFYING_GLASS)
                .shortcut("Ctrl K")
                .width(216.0),
        );
        ui.add(IconButton::new(icon::SUN, "Theme"));
        ui.add(Button::primary("Present").icon(icon::PLAY_FILL));
    });
}

fn explanation(ui: &mut Ui, mfu: bool) {
    let input = |symbol, meaning, value, source, certainty| Input { symbol, meaning, value, source, certainty };
    let inputs = [
        input("N", "parameters", "70.6 G", "plan", Certainty::Read),
        input("T", "tokens in a step", "4.19 M", "plan", Certainty::Read),
        input("t", "step time", "4.12 s", "simulator", Certainty::Simulated("± 4 %")),
        input("P", "peak of one chip, bf16, dense", "2,307 TFLOP/s", "data sheet", Certainty::LowConfidence),
        input("n", "chips", "1,024", "slice", Certainty::Derived),
    ];
    let shown = Explanation {
        title: if mfu { "MFU" } else { "Chips" },
        value: if mfu { "43.6 %" } else { "1,024" },
        formula: if mfu { "6·N·T ÷ (n·P·t)" } else { "" },
        inputs: if mfu { &inputs } else { &inputs[4..] },
        worked: if mfu { "6 · 70.6 G · 4.19 M ÷ (1,024 · 2,307 TFLOP/s · 4.12 s)" } else { "" },
        source: "Simulator, 0.4 s ago. Hover an input for its full name.",
    };
    Panel::new("Explain").show(ui, |ui| shown.show(ui));
}

pub(crate) fn palette(ui: &mut Ui) {
    let slice = Mark::Slice(SliceColor::nth(2));
    let entry = |group, label, note, shortcut, mark| Entry { group, label, note, shortcut, enabled: true, mark };
    let entries = [
        entry("Go to", "eval-mix", "slice · north-7x-1 · 1,024 chips", "", slice),
        entry("Go to", "eval-nightly", "slice · west-5p-1 · 128 chips", "", slice),
        entry("Go to", "eval-week", "queued job · 4×4×8", "", slice),
        entry("Do", "Twist eval-mix", "all-to-all +72 %, one restart", "", Mark::Icon(icon::REPEAT)),
        entry("Do", "What-if from eval-mix", "new scenario", "W", Mark::Icon(icon::SLIDERS_HORIZONTAL)),
        entry("Do", "Show eval-mix in Live", "", "Ctrl 3", Mark::Icon(icon::WAVEFORM)),
        Entry {
            enabled: false,
            ..entry("Do", "Move eval-mix", "live fleets are read only", "M", Mark::Icon(icon::ARROWS_OUT_CARDINAL))
        },
        entry("Read", "How all-to-all is evaluated", "formula and sources", "", Mark::Icon(icon::BOOK_OPEN_TEXT)),
        entry("Read", "Open a file", "not found by these letters", "", Mark::Icon(icon::FILES)),
    ];
    Palette::with_query("eval").show(ui.ctx(), &entries);
}

pub(crate) fn states(ui: &mut Ui) {
    place(ui, [16.0, 16.0], [776.0, 44.0], |ui| {
        let title = "No answer since 10:38:06";
        let text = "Connection refused. Next try in 8 s, attempt 6.";
        Banner { status: Status::Critical, title, text, actions: &["Try now", "Use simulator"] }.show(ui);
    });
    place(ui, [808.0, 16.0], [776.0, 44.0], |ui| {
        let text = "Placing, moving and failing act on this copy, never on the fleet, and this sentence is too long.";
        Banner { status: Status::Watch, title: "Sketch", text, actions: &["Leave"] }.show(ui);
    });
    place(ui, [16.0, 80.0], [776.0, 500.0], |ui| {
        Panel::new("Live").icon(icon::WAVEFORM).caption("no source").show(ui, |ui| {
            ui.set_min_height(430.0);
            let text = "Nothing is shown until a source answers. You can change it at any time.";
            let actions = &["Start simulator", "Connect", "Open file"];
            Empty { icon: icon::CHART_BAR, title: "Choose where the numbers come from", text, actions }.show(ui);
        });
    });
    place(ui, [808.0, 80.0], [380.0, 500.0], |ui| {
        Panel::new("Alerts").show(ui, |ui| {
            ui.set_min_height(430.0);
            Empty { icon: icon::BELL_SLASH, title: "No alerts", text: "Nothing fired in the last 6 h.", actions: &[] }
                .show(ui);
        });
    });
}

pub(crate) fn confirm(ui: &mut Ui) {
    let question = Confirm {
        title: "Save changes to Fleet north?",
        text: "12 edits since 10:41. If you do not save, the copy made at 10:40 can still be opened.",
        confirm: "Save",
        other: Some("Do not save"),
        danger: false,
    };
    question.show(ui.ctx());
}
