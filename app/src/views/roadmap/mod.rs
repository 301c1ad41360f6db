//! Roadmap: the plan's items on a timeline, or as cards on a board.

pub mod derive;
mod inspector;

use egui::{CentralPanel, Frame, Layout, Ui};
use planning::edit::Edit;
use planning::roadmap::Span;
use widgets::board::Move;
use widgets::control::{Button, Field, segmented};
use widgets::gantt::Proposal;
use widgets::theme::{Tokens, Type, size, text};
use widgets::{board, gantt, icon};

use crate::app::App;
use crate::command::Command;
use crate::intent::Intent;
use crate::view_state::{RoadmapMode, Selection};

pub use derive::Layers;

/// Draws the view.
pub fn ui(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    super::inspector(app, ui, inspector::ui);
    super::bar(ui, "roadmap tools", size::VIEW_HEADER, |ui| toolbar(app, ui));
    CentralPanel::default().frame(Frame::new().fill(tokens.bg0)).show(ui, |ui| {
        if app.model.plan().roadmap.items.is_empty() && app.model.plan().roadmap.gates.is_empty() {
            nothing(app, ui);
        } else if app.view.roadmap.mode == RoadmapMode::Timeline {
            timeline_ui(app, ui);
        } else {
            board_ui(app, ui);
        }
    });
}

fn nothing(app: &mut App, ui: &mut Ui) {
    let page = widgets::empty::Empty {
        icon: icon::KANBAN,
        title: "This plan has no roadmap",
        text: "Lanes, gates and items are written in the plan's file; docs/formats.md says how. The sample plan has one.",
        actions: &["Open sample fleet"],
    };
    if page.show(ui).is_some() {
        app.intents.run(Command::Sample);
    }
}

/// Runs `draw` with everything the pictures are made from.
fn with_source<R>(app: &App, draw: impl FnOnce(&derive::Source<'_>) -> R) -> R {
    let schedule = app.model.derived.schedule.as_ref();
    let items = schedule.map_or(&[][..], |schedule| schedule.items.as_slice());
    let scheduled = items.iter().map(|scheduled| (&scheduled.item, scheduled)).collect();
    let numbers = app.model.plan().roadmap.items.iter().enumerate().map(|(n, item)| (&item.id, n as u64)).collect();
    draw(&derive::Source {
        plan: app.model.plan(),
        schedule,
        scheduled: &scheduled,
        numbers: &numbers,
        today: app.model.now.today,
        selection: &app.view.selection,
        layers: app.view.roadmap.layers,
    })
}

fn toolbar(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    ui.spacing_mut().item_spacing.x = size::GAP;
    ui.label(text(Type::Heading, &app.model.plan().roadmap.title));
    ui.label(text(Type::Secondary, with_source(app, derive::summary)).color(tokens.text3));
    let mut mode = usize::from(app.view.roadmap.mode == RoadmapMode::Board);
    if segmented(ui, "Roadmap mode", &["Timeline", "Board"], &mut mode).changed() {
        app.intents.run(if mode == 1 { Command::Board } else { Command::Timeline });
    }
    ui.with_layout(Layout::right_to_left(egui::Align::Center), |ui| {
        ui.add_space(size::PANEL_GAP);
        if app.view.roadmap.mode == RoadmapMode::Board {
            let field = Field::new("Filter cards", &mut app.view.roadmap.filter)
                .hint("Filter by text or team")
                .icon(icon::FUNNEL)
                .width(200.0);
            ui.add(field);
            return;
        }
        let layers = &mut app.view.roadmap.layers;
        for (on, label) in [
            (&mut layers.forecast, "Forecast"),
            (&mut layers.baseline, "Baseline"),
            (&mut layers.critical_path, "Critical path"),
        ] {
            let mark = if *on { icon::CHECK } else { icon::MINUS };
            if ui.add(Button::outline(label).icon(mark)).clicked() {
                *on = !*on;
            }
        }
    });
}

fn timeline_ui(app: &mut App, ui: &mut Ui) {
    let model = with_source(app, derive::gantt);
    let output = gantt::show(ui, &model, &mut app.view.roadmap.gantt);
    if let Some(number) = output.clicked {
        let selection = derive::selection_of(&app.model.plan().roadmap, number);
        app.intents.push(Intent::Select(selection));
    } else if output.clicked_nothing {
        app.intents.push(Intent::Select(Selection::None));
    }
    if let Some(preview) = output.preview {
        app.hover = proposal_text(app, &preview);
    } else if let Some(number) = output.hovered {
        app.hover = Some(hover_text(app, number));
    }
    if let Some(edit) = output.commit.and_then(|proposal| edit_of(app, &proposal)) {
        app.intents.push(Intent::Edit(edit));
    }
}

fn hover_text(app: &App, number: u64) -> String {
    let roadmap = &app.model.plan().roadmap;
    match derive::selection_of(roadmap, number) {
        Selection::Item(id) => {
            let title = roadmap.item(&id).map_or("", |item| item.title.as_str());
            format!("Hover: {id} {title}")
        }
        Selection::Gate(name) => format!("Hover: gate {name}"),
        _ => String::new(),
    }
}

fn proposal_text(app: &App, proposal: &Proposal) -> Option<String> {
    let today = app.model.now.today;
    let (start, end) = (derive::date(proposal.start)?, derive::date(proposal.end)?);
    Some(format!("{} to {}", derive::short_date(start, today), derive::short_date(end, today)))
}

/// The edit that a finished drag asks for: a move where the length stays, else new ends.
fn edit_of(app: &App, proposal: &Proposal) -> Option<Edit> {
    let roadmap = &app.model.plan().roadmap;
    let item = roadmap.items.get(usize::try_from(proposal.item).ok()?)?;
    let (start, finish) = (derive::date(proposal.start)?, derive::date(proposal.end)?);
    let span = Span { start, finish };
    Some(match item.span() {
        Some(old) if old.days() == span.days() => Edit::MoveItem { item: item.id.clone(), start },
        _ => Edit::ResizeItem { item: item.id.clone(), span },
    })
}

fn board_ui(app: &mut App, ui: &mut Ui) {
    let filter = app.view.roadmap.filter.clone();
    let model = with_source(app, |source| derive::board(source, &filter));
    let output = board::show(ui, &model, &mut app.view.roadmap.board);
    if let Some(number) = output.clicked {
        let selection = derive::selection_of(&app.model.plan().roadmap, number);
        app.intents.push(Intent::Select(selection));
    }
    if let Some(number) = output.hovered {
        app.hover = Some(hover_text(app, number));
    }
    if let Some(edit) = output.moved.and_then(|moved| move_of(app, moved)) {
        app.intents.push(Intent::Edit(edit));
    }
    if let Some(column) = output.add_to {
        add_card(app, column);
    }
}

fn move_of(app: &App, moved: Move) -> Option<Edit> {
    let roadmap = &app.model.plan().roadmap;
    let item = roadmap.items.get(usize::try_from(moved.card).ok()?)?.id.clone();
    let column = roadmap.columns.get(moved.column)?.name.clone();
    Some(Edit::MoveCard { item, column, index: moved.position, on: app.model.now.today })
}

/// Adds a card to a column, under the smallest free key.
fn add_card(app: &mut App, column: usize) {
    let roadmap = &app.model.plan().roadmap;
    let Some(column) = roadmap.columns.get(column) else { return };
    let prefix = roadmap.items.first().and_then(|item| item.id.0.rsplit_once('-')).map_or("ITEM", |(prefix, _)| prefix);
    let free = (1..=u32::MAX)
        .map(|n| planning::roadmap::ItemId(format!("{prefix}-{n}")))
        .find(|id| roadmap.item(id).is_none());
    let Some(id) = free else { return };
    let mut item = planning::roadmap::Item::new(id.clone(), "New item");
    item.column = Some(column.name.clone());
    item.entered = Some(app.model.now.today);
    app.intents.push(Intent::Edit(Edit::AddItem(Box::new(item))));
    app.intents.push(Intent::Select(Selection::Item(id)));
}
