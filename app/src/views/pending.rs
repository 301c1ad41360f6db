//! Views that are not built yet say what they will need, and offer what there is.

use egui::{CentralPanel, Frame, Ui};
use widgets::empty::Empty;
use widgets::theme::Tokens;

use crate::app::App;
use crate::command::Command;
use crate::shell::rail;
use crate::view_state::View;

/// What a view will show, and what it needs for that.
const fn promise(view: View) -> &'static str {
    match view {
        View::Overview => {
            "Health, dates and budget on one page. It will need targets in the plan, a cost export \
             and a source of alerts; none of them is connected yet."
        }
        View::Capacity => {
            "Demand against supply. It will need reservations and a demand forecast in the plan; \
             free and spare cubes are in Topology already."
        }
        View::Reliability => {
            "Failures, repairs and what they cost. It will need a history of faults; \
             the faults of the plan are in Topology already."
        }
        View::Present => {
            "Slides with live figures. It will need slides in the plan; \
             until then every view can be exported as a picture."
        }
        View::Topology | View::Live | View::WhatIf | View::Roadmap => "",
    }
}

/// Draws the empty state.
pub fn ui(app: &mut App, ui: &mut Ui, view: View) {
    let tokens = Tokens::of(ui.ctx());
    CentralPanel::default().frame(Frame::new().fill(tokens.bg0)).show(ui, |ui| {
        let title = format!("{} is not built yet", view.label());
        let actions: &[(&str, Command)] = match view {
            View::Present => &[("Export picture", Command::ExportPng)],
            View::Overview | View::Reliability => &[("Show Live", Command::Go(View::Live))],
            _ => &[("Show Topology", Command::Go(View::Topology))],
        };
        let labels: Vec<&str> = actions.iter().map(|(label, _)| *label).collect();
        let page = Empty { icon: rail::icon(view), title: &title, text: promise(view), actions: &labels };
        if let Some(index) = page.show(ui)
            && let Some((_, command)) = actions.get(index)
        {
            app.intents.run(*command);
        }
    });
}
