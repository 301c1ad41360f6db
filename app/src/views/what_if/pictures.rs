//! The middle: what takes how long, the timeline, and below it the roofline, the links or the array.

use egui::{Panel, Ui};
use planning::edit::Edit;
use planning::plan::Scenario;
use simulator::trial::Answer;
use topology::units::Seconds;
use widgets::control::segmented;
use widgets::estimate::{Band, Estimate};
use widgets::panel::Panel as Card;
use widgets::theme::{Tokens, size};
use widgets::{icon, roofline, timeline, torus};

use super::array::ArrayAtWork;
use super::{derive, links};
use crate::app::App;
use crate::intent::Intent;
use crate::view_state::Lower;

/// Height of the row of numbers above the timeline.
const SUMMARY: f32 = 44.0;

/// Draws the middle.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    let Some(scenario) = app.chosen_scenario().cloned() else { return };
    ui.spacing_mut().item_spacing.y = 0.0;
    let found = app.trials.answer(&scenario).map(|found| (found.result.clone(), found.is_stale, found.revision));
    let caption = format!("{}, one chip", scenario.name);
    Card::new("Timeline").caption(&caption).header(ui, |_| ());
    match found {
        Some((Ok(answer), is_stale, revision)) => {
            let shown = Shown { scenario: &scenario, answer: &answer, is_stale, revision };
            let height = (ui.available_height() * 0.46).round();
            Panel::top("what-if timeline")
                .exact_size(height)
                .resizable(false)
                .show_separator_line(false)
                .frame(egui::Frame::NONE)
                .show(ui, |ui| upper(app, ui, &shown));
            lower(app, ui, &shown);
        }
        Some((Err(error), ..)) => nothing(ui, "This cannot be answered", &derive::reason(&error)),
        None if scenario.trial.is_none() => {
            nothing(ui, "Nothing is tried on this slice yet", "Choose a kind of work at the left.");
        }
        None => nothing(ui, "Computing", app.trials.problem().unwrap_or("The answer is on its way.")),
    }
}

fn nothing(ui: &mut Ui, title: &str, words: &str) {
    let icon = icon::FLASK;
    widgets::empty::Empty { icon, title, text: words, actions: &[] }.show(ui);
}

/// What is drawn.
struct Shown<'a> {
    scenario: &'a Scenario,
    answer: &'a Answer,
    is_stale: bool,
    revision: u64,
}

fn upper(app: &mut App, ui: &mut Ui, shown: &Shown<'_>) {
    let tokens = Tokens::of(ui.ctx());
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.allocate_ui(egui::vec2(ui.available_width(), SUMMARY), |ui| {
        ui.horizontal_centered(|ui| {
            ui.add_space(size::PANEL_GAP);
            ui.spacing_mut().item_spacing.x = 20.0;
            for (name, band) in summary(shown.answer) {
                ui.add(Estimate { name, band: Some(band), unit: "s", axis: None, stale: shown.is_stale });
            }
            let bound = format!("bound by {}", shown.answer.bound);
            ui.label(widgets::theme::text(widgets::theme::Type::Secondary, bound).color(tokens.text2));
        });
        ui.set_min_height(SUMMARY);
    });
    let model = derive::timeline(shown.scenario, shown.answer, shown.is_stale, shown.revision);
    timeline::show(ui, &model, &mut app.view.what_if.timeline);
}

fn summary(answer: &Answer) -> Vec<(&'static str, Band)> {
    let of = |low: Seconds, mid: Seconds, high: Seconds| Band { low: low.get(), mid: mid.get(), high: high.get() };
    let mut numbers = vec![("Time", of(answer.seconds_low, answer.seconds, answer.seconds_high))];
    if let (Some(compute), Some(exposed)) = (answer.compute, answer.exposed) {
        numbers.push(("Compute", of(compute.low, compute.mid, compute.high)));
        numbers.push(("Exposed", of(exposed.low, exposed.mid, exposed.high)));
    }
    numbers
}

fn lower(app: &mut App, ui: &mut Ui, shown: &Shown<'_>) {
    let tabs = [Lower::Roofline, Lower::Links, Lower::Array];
    let mut tab = tabs.iter().position(|tab| *tab == app.view.what_if.lower).unwrap_or(0);
    let caption = match app.view.what_if.lower {
        Lower::Roofline => "one chip; the area of a point is its share of the time",
        Lower::Links => "share of the time that each direction of a link sends",
        Lower::Array => "one matrix unit, weights stay, double buffered",
    };
    Card::new(["Roofline", "Links", "Systolic array"][tab]).caption(caption).header(ui, |ui| {
        segmented(ui, "Picture", &["Roofline", "Links", "Array"], &mut tab);
    });
    app.view.what_if.lower = tabs[tab];
    match tabs[tab] {
        Lower::Roofline => roofs(app, ui, shown),
        Lower::Links => links_ui(app, ui, shown),
        Lower::Array => array(app, ui, shown.answer),
    }
}

fn roofs(app: &mut App, ui: &mut Ui, shown: &Shown<'_>) {
    match derive::roofline(shown.scenario, shown.answer, shown.is_stale) {
        Some(model) => {
            roofline::show(ui, &model, &mut app.view.what_if.roofline);
        }
        None => nothing(ui, "No arithmetic", "A collective moves bytes only; look at its links."),
    }
}

fn links_ui(app: &mut App, ui: &mut Ui, shown: &Shown<'_>) {
    let scenario = shown.scenario;
    let Some(model) = links::torus(scenario, shown.answer, shown.revision) else {
        nothing(ui, "Nothing is sent", "The work stays on its chips.");
        return;
    };
    let output = torus::show(ui, &model, &mut app.view.what_if.torus);
    if let Some(hit) = output.link {
        app.hover = Some(links::readout(shown.answer, &hit));
    }
    let clicked = output.clicked.and_then(|hit| links::component(scenario, hit, output.link));
    if let Some(component) = clicked {
        let mut next = scenario.clone();
        match next.faults.iter().position(|fault| *fault == component) {
            Some(index) => drop(next.faults.remove(index)),
            None => next.faults.push(component),
        }
        app.intents.push(Intent::Edit(Edit::SetScenario(Box::new(next))));
    }
}

fn array(app: &mut App, ui: &mut Ui, answer: &Answer) {
    let Some((array, product, _)) = answer.array else {
        nothing(ui, "No array at work", "A collective does not use the matrix unit.");
        return;
    };
    let shown = ArrayAtWork::new(array, &product);
    let reduced = ui.style().animation_time == 0.0;
    shown.show(ui, &mut app.view.what_if.array, reduced);
}
