//! The navigation rail.

use egui::Ui;
use widgets::icon::{self, Icon};
use widgets::shell::{Rail, RailClick, RailItem};

use crate::app::App;
use crate::command::Command;
use crate::view_state::View;

/// The picture of a view.
pub const fn icon(view: View) -> Icon {
    match view {
        View::Overview => icon::SQUARES_FOUR,
        View::Topology => icon::CUBE,
        View::Live => icon::WAVEFORM,
        View::WhatIf => icon::SLIDERS_HORIZONTAL,
        View::Roadmap => icon::KANBAN,
        View::Capacity => icon::CHART_LINE_UP,
        View::Reliability => icon::SHIELD_CHECK,
        View::Present => icon::PRESENTATION_CHART,
    }
}

const FOOT: [(RailItem<'static>, Command); 2] = [
    (RailItem { icon: icon::SIDEBAR_SIMPLE, label: "Inspector", apart: false }, Command::Inspector),
    (RailItem { icon: icon::QUESTION, label: "Keyboard shortcuts", apart: false }, Command::Shortcuts),
];

/// Draws the rail.
pub fn ui(app: &mut App, ui: &mut Ui, narrow: bool) {
    let items = View::ALL.map(|view| RailItem { icon: icon(view), label: view.label(), apart: view == View::Present });
    let foot = FOOT.map(|(item, _)| item);
    let chosen = View::ALL.iter().position(|view| *view == app.view.view).unwrap_or(0);
    match (Rail { items: &items, foot: &foot, chosen, narrow }).show(ui) {
        Some(RailClick::Item(index)) => app.intents.run(Command::Go(View::ALL[index])),
        Some(RailClick::Foot(index)) => app.intents.run(FOOT[index].1),
        None => {}
    }
}
