//! Controls, chips, figures, trees and the like, laid out as on the design board.

use egui::{Align2, Rect, Ui, Vec2, pos2, vec2};
use topology::units::Fraction;
use widgets::colormap::Map;
use widgets::control::{
    Button, Chip, Field, IconButton, Look, SourceChip, checkbox, keys, radio, segmented, select, slider, switch, tag,
};
use widgets::figure::Figure;
use widgets::notice::{Toast, TooltipCard};
use widgets::panel::{Meter, Panel, Property, meter, section};
use widgets::status::Status;
use widgets::theme::{SliceColor, Tokens, Type, text};
use widgets::tree::{Mark, Row};
use widgets::{icon, paint};

use crate::place;

type Part = ([f32; 2], [f32; 2], &'static str, &'static str, fn(&mut Ui));

const PARTS: [Part; 12] = [
    ([16.0, 16.0], [372.0, 190.0], "Buttons", "", buttons),
    ([400.0, 16.0], [400.0, 190.0], "Inputs", "", inputs),
    ([812.0, 16.0], [372.0, 190.0], "Status", "", statuses),
    ([1196.0, 16.0], [388.0, 190.0], "Slice identity", "same in both themes, striped from the ninth", slices),
    ([16.0, 232.0], [784.0, 150.0], "Figures", "value, target, trend, state", figures),
    ([812.0, 232.0], [372.0, 150.0], "Tooltip", "", tooltip),
    ([1196.0, 232.0], [388.0, 150.0], "Toasts", "errors stay until closed", toasts),
    ([16.0, 402.0], [284.0, 330.0], "Facts", "", facts),
    ([312.0, 402.0], [276.0, 330.0], "Tree", "", tree),
    ([600.0, 402.0], [260.0, 330.0], "Bars and hatch", "", bars),
    ([872.0, 402.0], [712.0, 150.0], "Colour maps", "", maps),
    ([872.0, 570.0], [712.0, 230.0], "Icons and type", "", icons),
];

pub(crate) fn page(ui: &mut Ui) {
    for (min, size, title, caption, contents) in PARTS {
        place(ui, min, size, |ui| {
            let panel = Panel::new(title).caption(caption);
            let panel = if title == "Tree" || title == "Facts" { panel.flush() } else { panel };
            panel.show_with(
                ui,
                |ui| {
                    ui.add(IconButton::new(icon::DOTS_THREE, "More").small());
                },
                contents,
            );
        });
    }
}

fn buttons(ui: &mut Ui) {
    ui.horizontal(|ui| {
        ui.add(Button::primary("Run").icon(icon::PLAY_FILL));
        ui.add(Button::secondary("Secondary"));
        ui.add(Button::outline("Outline").trailing(icon::CARET_DOWN));
        ui.add(Button::ghost("Ghost"));
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.add(Button::primary("Hover").frozen(Look::Hovered));
        ui.add(Button::secondary("Hover").frozen(Look::Hovered));
        ui.add(Button::secondary("Focus").frozen(Look::Focused));
        ui.add(Button::secondary("Disabled").enabled(false));
        ui.add(Button::danger("Delete").icon(icon::TRASH));
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.add(IconButton::new(icon::PATH, "Path"));
        ui.add(IconButton::new(icon::PATH, "Path").frozen(Look::Hovered));
        ui.add(IconButton::new(icon::PATH, "Path").on(true));
        ui.add(IconButton::new(icon::PATH, "Path").enabled(false));
        ui.add_space(8.0);
        segmented(ui, "Period", &["Week", "Month", "Quarter"], &mut 0);
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        keys(ui, "Ctrl K");
        ui.label(text(Type::Caption, "28 high, 24 in dense rows, radius 4"));
    });
}

fn inputs(ui: &mut Ui) {
    ui.horizontal(|ui| {
        ui.add(Field::new("Search", &mut String::new()).hint("Search").icon(icon::MAGNIFYING_GLASS).width(180.0));
        ui.add(Field::new("Step time", &mut "0.9".to_owned()).unit("s").width(184.0));
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let error = "y is 10. From 64 chips up every axis must be a multiple of 4.";
        ui.add(Field::new("Shape", &mut "8×10×8".to_owned()).error(Some(error)).width(180.0));
        select(ui, "Chip", &["TPU7x", "TPU v5p"], &mut 0, 184.0);
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 12.0;
        checkbox(ui, "On", &mut true);
        checkbox(ui, "Off", &mut false);
        radio(ui, "Radio", true);
        radio(ui, "Radio", false);
        switch(ui, "Switch", &mut true);
        switch(ui, "", &mut false);
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.label(text(Type::Caption, "Slider"));
        slider(ui, "Slider", &mut 0.62, 0.0..=1.0, 220.0);
        ui.add(Field::new("Share", &mut "0.62".to_owned()).width(64.0).small());
    });
}

fn statuses(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.x = 6.0;
    ui.horizontal(|ui| {
        for status in [Status::Ok, Status::Watch, Status::Critical, Status::Unknown] {
            ui.add(Chip::plain_status(status));
        }
    });
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        ui.add(Chip::status(Status::Stale, "Stale, 6 d"));
        ui.add(Chip::plain_status(Status::Info));
        ui.add(Chip::accent("Live"));
        ui.add(Chip::plain_status(Status::NotExported));
    });
    ui.add_space(6.0);
    ui.add(SourceChip { status: Status::Ok, name: "Simulator", mode: "live", age: "0.4 s ago" });
    let age = "last sample 4 min 12 s ago";
    ui.add(SourceChip { status: Status::Critical, name: "Prometheus lost", mode: "", age });
    ui.horizontal(|ui| {
        tag(ui, "P1");
        tag(ui, "Fleet repair");
        ui.label(text(Type::Caption, "shape + word + colour, always all three"));
    });
}

fn slices(ui: &mut Ui) {
    let t = Tokens::of(ui.ctx());
    let (_, area) = ui.allocate_space(vec2(ui.available_width(), 96.0));
    for n in 0..12 {
        let color = SliceColor::nth(n);
        let min = area.min + vec2((n % 4) as f32 * 92.0, (n / 4) as f32 * 34.0);
        let swatch = Rect::from_min_size(min, vec2(84.0, 28.0));
        let edge = color.swatch_edge(&t).unwrap_or(color.fill);
        paint::framed(ui.painter(), swatch, 3.0, [color.fill, edge]);
        let words = format!("{} {}", n + 1, SliceColor::name(n));
        let line = paint::Line::new(&words, Type::CaptionStrong, color.on);
        line.paint(ui.painter(), swatch.left_center() + vec2(6.0, 0.0), Align2::LEFT_CENTER);
        paint::swatch(ui.painter(), swatch.right_center() - vec2(12.0, 0.0), color, &t);
    }
}

fn figures(ui: &mut Ui) {
    let known: Vec<Option<f32>> = [52.0, 52.6, 53.0, 53.8, 54.0, 55.0, 55.9].map(Some).to_vec();
    let gaps = [Some(60.0), Some(61.0), Some(63.0), None, None, Some(72.0), Some(74.0)];
    let all = [
        Figure {
            label: "TPU utilization",
            value: Some("55.9"),
            unit: "%",
            target: "≥ 60 %",
            status: Some(Status::Watch),
            change: Some(("+1.3 pp", true)),
            history: &known,
            goal: Some(60.0),
            stale: false,
        },
        Figure {
            label: "Adoption",
            value: Some("74"),
            unit: "%",
            target: "≥ 70 %",
            status: Some(Status::Stale),
            history: &gaps,
            stale: true,
            ..Figure::default()
        },
        Figure { label: "Power", target: "No source", status: Some(Status::Unknown), ..Figure::default() },
    ];
    ui.spacing_mut().item_spacing.x = 32.0;
    ui.columns(3, |columns| {
        for (column, figure) in columns.iter_mut().zip(all) {
            column.add(figure);
        }
    });
}

fn tooltip(ui: &mut Ui) {
    egui::Frame::popup(ui.style()).inner_margin(egui::Margin::symmetric(8, 6)).show(ui, |ui| {
        let rows = [("slice median", "64.1 %"), ("link −x", "19 GB/s")];
        TooltipCard { title: "Chip 9 5 13", value: "33.1 %", status: Some(Status::Critical), rows: &rows }.show(ui);
    });
}

fn toasts(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = 6.0;
    let toast = |id, status, text, action, seconds_left| Toast { id, status, text, action, seconds_left };
    toast(1, Status::Ok, "Placed 8×8×8 on north-7x-1", Some("Undo"), Some(8)).show(ui);
    toast(2, Status::Info, "Export written, 9 slides", Some("Show"), None).show(ui);
    toast(3, Status::Critical, "Cannot write the file: the disk is full, nothing was lost", Some("Save as"), None)
        .show(ui);
}

fn facts(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = 0.0;
    section(ui, "Identity", |ui| {
        Property::new("Pod", "north-7x-1").show(ui);
        Property::new("Shape", "8×8×16").show(ui);
        Property::new("Utilization", "55.9 %").status(Status::Watch).explained().show(ui);
        Property::new("Bisection", "12.8 TB/s").explained().show(ui);
        Property::new("Goodput, 1 h", "93.1 %").muted().status(Status::Stale).show(ui);
        Property::new("Power", "—").status(Status::NotExported).show(ui);
    });
    section(ui, "Checks", |ui| {
        Property::new("A name so long that it has to be cut somewhere", "9,216 chips").show(ui);
    });
}

fn tree(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let row = |depth, open, mark, name, count| Row { depth, open, mark, name, count, status: None, selected: false };
    let icon = |icon| Some(Mark::Icon(icon));
    let slice = |n| Some(Mark::Slice(SliceColor::nth(n)));
    let rows = [
        row(0, Some(true), icon(icon::GLOBE), "Fleet north", "23,296"),
        row(1, Some(true), icon(icon::STACK), "north-7x-1", "9,216"),
        Row { selected: true, ..row(2, Some(true), slice(2), "eval-mix", "1,024") },
        row(3, Some(true), icon(icon::HARD_DRIVES), "Host 118", "4"),
        row(4, None, icon(icon::CPU), "Chip 0 20 6", ""),
        Row { status: Some(Status::Critical), ..row(4, None, icon(icon::CPU), "Chip 1 20 6", "") },
        row(3, None, None, "13 more hosts", ""),
        row(2, Some(false), slice(3), "vision-pre", "512"),
        row(2, Some(false), slice(10), "a-slice-with-a-very-long-name-indeed", "512"),
    ];
    for row in rows {
        row.show(ui);
    }
}

fn bars(ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = 8.0;
    let label = |ui: &mut Ui, words: &str| ui.label(text(Type::Caption, words));
    label(ui, "error budget left");
    meter(ui, "Budget left", Some(Fraction::clamped(0.62)), Meter::Status(Status::Ok));
    label(ui, "below a quarter");
    meter(ui, "Budget left", Some(Fraction::clamped(0.22)), Meter::Status(Status::Watch));
    label(ui, "progress");
    meter(ui, "Progress", Some(Fraction::clamped(0.4)), Meter::Plain);
    label(ui, "nothing, and unknown");
    meter(ui, "Nothing", Some(Fraction::ZERO), Meter::Plain);
    meter(ui, "Unknown", None, Meter::Plain);
    let (_, area) = ui.allocate_space(vec2(ui.available_width(), 40.0));
    let t = Tokens::of(ui.ctx());
    paint::hatch(ui.painter(), Rect::from_min_size(area.min, vec2(100.0, 40.0)), &t);
    let texture = ui.load_texture("hatch", paint::hatch_image(&t), egui::TextureOptions::NEAREST_REPEAT);
    let place = Rect::from_min_size(area.min + vec2(120.0, 0.0), vec2(96.0, 40.0));
    let uv = Rect::from_min_size(pos2(0.0, 0.0), place.size() / 6.0);
    ui.painter().image(texture.id(), place, uv, egui::Color32::WHITE);
}

fn maps(ui: &mut Ui) {
    for map in Map::ALL {
        let (_, area) = ui.allocate_space(vec2(ui.available_width(), 20.0));
        let t = Tokens::of(ui.ctx());
        let line = paint::Line::new(map.name(), Type::Secondary, t.text1);
        line.paint(ui.painter(), area.left_center(), Align2::LEFT_CENTER);
        for n in 0..256 {
            let fraction = n as f32 / 255.0;
            let cell = Rect::from_min_size(area.min + vec2(60.0 + 1.5 * n as f32, 2.0), vec2(2.0, 8.0));
            ui.painter().rect_filled(cell, 0.0, map.color(fraction));
            ui.painter().rect_filled(cell.translate(vec2(0.0, 8.0)), 0.0, map.stale(fraction));
        }
    }
}

fn icons(ui: &mut Ui) {
    let t = Tokens::of(ui.ctx());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        for (style, words) in [
            (Type::Kpi, "55.9 %"),
            (Type::Title, "Title 18"),
            (Type::Heading, "Heading 15"),
            (Type::Label, "Label 13"),
            (Type::Body, "Body 13"),
            (Type::Secondary, "Secondary 12"),
            (Type::Caption, "Caption 11"),
            (Type::Mono, "Mono 12"),
        ] {
            ui.label(text(style, words).color(t.text1));
        }
    });
    let (_, area) = ui.allocate_space(vec2(ui.available_width(), 160.0));
    for (n, (_, icon)) in icon::ALL.iter().enumerate() {
        let center = area.min + vec2(10.0 + (n % 31) as f32 * 22.0, 12.0 + (n / 31) as f32 * 24.0);
        icon.paint(ui.painter(), center, 18.0, t.text2);
    }
    ui.allocate_space(Vec2::ZERO);
}
