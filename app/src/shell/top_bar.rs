//! The bar along the upper edge: document, source, time, search, undo, theme, Present.

use egui::{Align, Layout, Popup, Sense, Ui, vec2};
use topology::units::Seconds;
use widgets::control::{Button, Chip, IconButton, SourceChip, paint_keys};
use widgets::format;
use widgets::icon;
use widgets::scrubber::Scrubber;
use widgets::status::Status;
use widgets::theme::{Tokens, Type, size, text};

use crate::app::App;
use crate::command::Command;
use crate::intent::Intent;
use crate::view_state::{Theme, View};
use crate::views::live;

/// Draws the bar.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    let area = ui.max_rect();
    ui.painter().hline(area.x_range(), area.bottom() - 0.5, (size::STROKE_LINE, tokens.line1));
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = size::GAP;
        mark(ui, &tokens);
        document(app, ui, &tokens);
        source(app, ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(size::PANEL_GAP);
            right(app, ui);
            if matches!(app.view.view, View::Topology | View::Live) {
                time(app, ui, area.width() >= 1280.0);
            }
        });
    });
}

/// Three bars in the corner.
fn mark(ui: &mut Ui, tokens: &Tokens) {
    let (area, _) = ui.allocate_exact_size(vec2(size::RAIL - size::GAP, size::TOP_BAR), Sense::hover());
    let base = area.center() + vec2(4.0, 8.0);
    for (index, (height, color)) in
        [(8.0, tokens.line3), (16.0, tokens.accent), (12.0, tokens.text2)].into_iter().enumerate()
    {
        let left = base + vec2(index as f32 * 7.0 - 10.0, -height);
        ui.painter().rect_filled(egui::Rect::from_min_size(left, vec2(5.0, height)), 1.0, color);
    }
}

fn document(app: &mut App, ui: &mut Ui, tokens: &Tokens) {
    let name = app.model.document_name();
    let button = ui.add(Button::ghost(&name).trailing(icon::CARET_DOWN)).on_hover_text("File");
    if app.model.history.is_dirty() {
        let dot = button.rect.right_center() + vec2(2.0, -6.0);
        ui.painter().circle_filled(dot, 3.0, tokens.text3);
    }
    Popup::menu(&button).show(|ui| {
        ui.set_min_width(220.0);
        for command in [
            Command::New,
            Command::Open,
            Command::OpenPath,
            Command::Sample,
            Command::Save,
            Command::SaveAs,
            Command::ExportPng,
            Command::Quit,
        ] {
            menu_item(app, ui, command);
        }
        if !app.recent.is_empty() {
            ui.separator();
            ui.label(text(Type::Caption, "Recent").color(tokens.text3));
        }
        for path in app.recent.clone().into_iter().take(6) {
            let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                app.intents.push(Intent::OpenFile(path));
                ui.close();
            }
        }
    });
}

fn menu_item(app: &mut App, ui: &mut Ui, command: Command) {
    let Some(entry) = command.entry() else { return };
    let mut button = egui::Button::new(entry.label);
    if let Some(shortcut) = entry.shortcut {
        button = button.shortcut_text(ui.format_shortcut(&shortcut));
    }
    if ui.add(button).on_hover_text(entry.tooltip).clicked() {
        app.intents.run(command);
        ui.close();
    }
}

fn source(app: &App, ui: &mut Ui) {
    let age = app.model.store.newest().map(|newest| {
        let bucket = i64::from(app.model.store.step_seconds());
        Seconds::new((app.model.now.unix_s - newest - bucket).max(0) as f64)
    });
    let (status, mode, age) = match age {
        _ if app.feed.problem().is_some() => (Status::Critical, "stopped", String::new()),
        _ if app.feed.is_filling() => (Status::Info, "starting", String::new()),
        Some(_) if app.view.time.held.is_some() => (Status::Info, "held", String::new()),
        Some(age) if age.get() < 1.0 => (Status::Ok, "live", "now".to_owned()),
        Some(age) => (Status::Ok, "live", format::behind(age)),
        None => (Status::Unknown, "no job to simulate", String::new()),
    };
    let chip = SourceChip { status, name: "Simulator", mode, age: &age };
    let problem = app.feed.problem().map(str::to_owned);
    let chip = ui.add(chip);
    Popup::menu(&chip).show(|ui| {
        ui.set_max_width(300.0);
        let tokens = Tokens::of(ui.ctx());
        ui.label(text(Type::Label, "Embedded simulator"));
        let words =
            "Every value on these pages was computed from the plan by the embedded simulator. Nothing was measured.";
        ui.add(egui::Label::new(text(Type::Secondary, words).color(tokens.text2)).wrap());
        if let Some(problem) = &problem {
            ui.add(egui::Label::new(text(Type::Secondary, problem).color(tokens.crit)).wrap());
        }
        let seed = format!("Seed {}, of the plan. It is the only source so far.", app.model.plan().live.seed);
        ui.add(egui::Label::new(text(Type::Caption, seed).color(tokens.text3)).wrap());
    });
}

fn right(app: &mut App, ui: &mut Ui) {
    if ui.add(Button::primary("Present").icon(icon::PLAY_FILL)).clicked() {
        app.intents.run(Command::Go(View::Present));
    }
    let theme = match app.view.theme {
        Theme::Dark => (icon::SUN, "Light theme"),
        Theme::Light => (icon::MOON, "Dark theme"),
    };
    if ui.add(IconButton::new(theme.0, theme.1)).clicked() {
        app.intents.run(Command::Theme);
    }
    let redo = app.model.history.redo_label().map(|label| format!("Redo: {label}"));
    let button = IconButton::new(icon::ARROW_U_UP_RIGHT, redo.as_deref().unwrap_or("Redo")).enabled(redo.is_some());
    if ui.add(button).clicked() {
        app.intents.run(Command::Redo);
    }
    let undo = app.model.history.undo_label().map(|label| format!("Undo: {label}"));
    let button = IconButton::new(icon::ARROW_U_UP_LEFT, undo.as_deref().unwrap_or("Undo")).enabled(undo.is_some());
    if ui.add(button).clicked() {
        app.intents.run(Command::Undo);
    }
    search(app, ui);
}

/// Looks like a field, opens the palette.
fn search(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    let (area, response) = ui.allocate_exact_size(vec2(216.0, size::CONTROL), Sense::click());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Search or run a command"));
    let edge = if response.hovered() || response.has_focus() { tokens.accent } else { tokens.line2 };
    ui.painter().rect(area, size::RADIUS, tokens.bg0, (1.0, edge), egui::StrokeKind::Inside);
    icon::MAGNIFYING_GLASS.paint(ui.painter(), area.left_center() + vec2(16.0, 0.0), size::ICON_SMALL, tokens.text3);
    ui.painter().text(
        area.left_center() + vec2(30.0, 0.0),
        egui::Align2::LEFT_CENTER,
        "Search or run",
        Type::Secondary.font(),
        tokens.text3,
    );
    let shortcut = ui.format_shortcut(&egui::KeyboardShortcut::new(egui::Modifiers::COMMAND, egui::Key::K));
    let keys = shortcut.replace('+', " ");
    paint_keys(ui, &keys, area.right_center() - vec2(6.0, 0.0));
    if response.on_hover_text(shortcut).clicked() {
        app.intents.run(Command::Palette);
    }
}

/// The time control, from right to left: clock, scrubber, range, live, pause; a narrow window has no scrubber.
fn time(app: &mut App, ui: &mut Ui, wide: bool) {
    let tokens = Tokens::of(ui.ctx());
    if app.model.store.newest().is_none() {
        return;
    }
    let shown = app.model.shown_moment(&app.view);
    let live = app.view.time.held.is_none();
    let words = app.model.now.clock_of(if live { app.model.now.unix_s } else { shown });
    ui.add_space(size::PANEL_GAP);
    ui.label(text(Type::Secondary, words.clone()).color(tokens.text1));
    if wide {
        scrub(app, ui, &words);
    }
    if live {
        ui.add(Chip::accent("Live"));
    } else if ui.add(Button::outline("Go live").small()).clicked() {
        app.intents.run(Command::GoLive);
    }
    let (picture, name) = if live { (icon::PAUSE_FILL, "Pause") } else { (icon::PLAY_FILL, "Play") };
    if ui.add(IconButton::new(picture, name)).clicked() {
        app.intents.run(Command::PauseLive);
    }
}

/// The scrubber over the last hours.
fn scrub(app: &mut App, ui: &mut Ui, words: &str) {
    let Some(newest) = app.model.store.newest() else { return };
    let step = i64::from(app.model.store.step_seconds());
    let span = (app.model.store.capacity() as i64 - 1) * step;
    let shown = app.model.shown_moment(&app.view);
    let tokens = Tokens::of(ui.ctx());
    let live = app.view.time.held.is_none();
    let position = ((shown - (newest - span)) as f32 / span as f32).clamp(0.0, 1.0);
    let alerts = alert_positions(app, newest - span, span);
    let scrubber =
        Scrubber { position, live, alerts: &alerts, gaps: &[], step: step as f32 / span as f32, clock: words };
    let width = (ui.available_width() - 230.0).clamp(120.0, 300.0);
    if let Some(to) = scrubber.show(ui, width).position {
        let moment = newest - span + ((f64::from(to) * span as f64) as i64 / step) * step;
        app.intents.push(Intent::Hold(if to >= 0.999 { None } else { Some(moment) }));
    }
    ui.label(text(Type::Secondary, "Last 6 h").color(tokens.text2));
}

/// Where alerts of the shown slice lie in the range, from 0 to 1.
fn alert_positions(app: &mut App, from: i64, span: i64) -> Vec<f32> {
    let step = app.model.store.step_seconds() as f32;
    let first = app.model.newest_moment() - live::WINDOW_S + i64::from(app.model.store.step_seconds());
    let Some(picture) = app.history_picture() else { return Vec::new() };
    let position = |column: f32| ((first - from) as f32 + column * step) / span as f32;
    picture.alerts.iter().map(|alert| position(alert.column)).filter(|at| (0.0..=1.0).contains(at)).collect()
}
