//! The right pane: scenarios side by side, what was really done, and how each number was made.

use egui::{Label, ScrollArea, Ui};
use planning::plan::Scenario;
use simulator::explain::Term;
use simulator::trial::{Answer, Executed};
use widgets::compare;
use widgets::control::Button;
use widgets::explain::{Certainty, Explanation, Input};
use widgets::panel::{Panel as Card, Property, section};
use widgets::status::Status;
use widgets::theme::{Tokens, Type, size, text};
use widgets::{format, icon};

use super::derive::{self, Row};
use crate::app::App;

/// Draws the pane.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    let Some(scenario) = app.chosen_scenario().cloned() else { return };
    Card::new("Comparison").caption("simulated, with the range that is expected").header(ui, |_| ());
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        table(app, ui, &scenario);
        cost_against_time(app, ui, &scenario);
        if let Some(result) = app.trials.executed(&scenario) {
            section(ui, "Really done", |ui| match result {
                Ok(executed) => done(ui, executed),
                Err(error) => line(ui, Status::Critical, &derive::reason(error)),
            });
        }
        let answer = app.trials.answer(&scenario).and_then(|found| found.result.as_ref().ok().cloned());
        if let Some(answer) = answer {
            steps(ui, &answer);
            command(ui, &scenario);
            terms(ui, &answer.explain);
        }
    });
}

fn table(app: &mut App, ui: &mut Ui, scenario: &Scenario) {
    let scenarios = std::sync::Arc::clone(&app.model.plan().scenarios);
    let columns = derive::columns(&scenarios, scenario, &app.trials);
    if columns.is_empty() {
        return;
    }
    let (model, rows) = derive::comparison(&columns, scenario.id);
    let mut state = app.view.what_if.compare;
    let output = compare::show(ui, &model, &mut state);
    if let Some((cell, anchor)) = &output.explained
        && let Some(row) = rows.get(cell.metric)
        && let Some(column) = columns.get(cell.scenario)
        && let Some(answer) = column.answer
    {
        let metric = &model.metrics[cell.metric];
        let value = metric.cells[cell.scenario]
            .as_ref()
            .map_or_else(|| format::ABSENT.to_owned(), |cell| format!("{}{}{}", cell.text, format::NBSP, metric.unit));
        explain(row, &value, (column.scenario, answer), anchor);
    }
    let chosen = output.chosen.or(output.clicked.map(|cell| cell.scenario));
    if let Some(column) = chosen.and_then(|n| columns.get(n)) {
        app.view.what_if.scenario = Some(column.scenario.id);
    }
    app.view.what_if.compare = state;
}

/// Height of the picture of cost against time.
const TRADEOFF: f32 = 200.0;

fn cost_against_time(app: &mut App, ui: &mut Ui, scenario: &Scenario) {
    let scenarios = std::sync::Arc::clone(&app.model.plan().scenarios);
    let Some((model, ids)) = derive::tradeoff(&scenarios, scenario, &app.trials) else { return };
    section(ui, "Cost against time", |ui| {
        if let Some(clicked) = model.show(ui, TRADEOFF) {
            app.view.what_if.scenario = Some(ids[clicked]);
        }
    });
}

/// Formula, inputs, sources and the command that gives the same number, beside the cell that was asked about.
fn explain(row: &Row, value: &str, (scenario, answer): (&Scenario, &Answer), anchor: &egui::Response) {
    let term = answer.explain.iter().find(|term| term.name == row.term);
    let values: Vec<String> = answer.explain.iter().map(shown).collect();
    let inputs: Vec<Input<'_>> = answer
        .explain
        .iter()
        .zip(&values)
        .filter(|(other, _)| term.is_none_or(|term| term.name != other.name))
        .take(MOST_INPUTS)
        .map(|(term, value)| Input {
            symbol: "",
            meaning: &term.name,
            value,
            source: &term.source,
            certainty: Certainty::Derived,
        })
        .collect();
    let band =
        format!("{} to {}", format::si(answer.seconds_low.get(), "s"), format::si(answer.seconds_high.get(), "s"));
    let command = derive::command_line(scenario).unwrap_or_default();
    let source = format!("Simulated; time expected from {band}. The same numbers: {command}");
    let formula = term.map_or(row.formula, |term| term.formula.as_str());
    let title = format!("{}, {}", row.name, scenario.name);
    Explanation { title: &title, value, formula, inputs: &inputs, worked: "", source: &source }.popover(anchor);
}

/// Inputs that fit into one card.
const MOST_INPUTS: usize = 14;

/// The value of a term with its unit.
fn shown(term: &Term) -> String {
    if term.unit.is_empty() { format::number(term.value) } else { format::si(term.value, term.unit) }
}

fn line(ui: &mut Ui, status: Status, words: &str) {
    let tokens = Tokens::of(ui.ctx());
    ui.horizontal_top(|ui| {
        let (area, _) = ui.allocate_exact_size(egui::vec2(16.0, 20.0), egui::Sense::hover());
        status.icon().paint(ui.painter(), area.center(), size::ICON_SMALL, status.color(&tokens));
        ui.add(Label::new(text(Type::Secondary, words).color(tokens.text1)).wrap());
    });
}

fn done(ui: &mut Ui, executed: &Executed) {
    let facts: Vec<(&str, String)> = match executed {
        Executed::Product(found) => {
            verdict(
                ui,
                found.within_bound,
                "The result is right: every checked element lies within its rounding bound",
            );
            let all = if found.checked_all { "all" } else { "a seeded sample" };
            vec![
                ("Elements checked", format!("{}, {all}", format::count(found.checked_elements))),
                ("Largest difference", format!("{:.3e}", found.max_abs_error)),
                (
                    "Relative to the sum of |a·b|",
                    format!("{:.3e} of {:.3e} allowed", found.max_rel_error, found.rel_error_bound),
                ),
                ("Cycles of one array", format::count(found.array.cycles)),
            ]
        }
        Executed::Sharded(found) => {
            verdict(
                ui,
                found.within_bound,
                "The result is right: every element of the whole result lies within its bound",
            );
            let mut facts = vec![
                ("Elements checked", format!("{}, all", format::count(found.checked_elements))),
                ("Largest difference", format!("{:.3e}", found.max_abs_error)),
                (
                    "Relative to the sum of |a·b|",
                    format!("{:.3e} of {:.3e} allowed", found.max_rel_error, found.rel_error_bound),
                ),
            ];
            facts.extend(found.exchanges.iter().map(|exchange| {
                let bytes = format::si(exchange.busiest_link_bytes.get(), "B");
                ("Busiest link", format!("{bytes} in {}", exchange.name))
            }));
            facts
        }
        Executed::Chunks(found, n_events) => {
            line(ui, Status::Ok, "Every chunk went over every link of its way, in the event-driven model");
            vec![
                ("Time, event-driven", format::si(found.seconds.get(), "s")),
                ("Busiest link", format::or_absent(found.busiest_link_bytes, |bytes| format::si(bytes.get(), "B"))),
                ("Hops of chunks", format::count(*n_events)),
            ]
        }
    };
    for (label, value) in &facts {
        Property::new(label, value).show(ui);
    }
}

fn verdict(ui: &mut Ui, is_right: bool, words: &str) {
    if is_right {
        line(ui, Status::Ok, words);
    } else {
        line(ui, Status::Critical, "The result is wrong: this is a fault of the model");
    }
}

fn steps(ui: &mut Ui, answer: &Answer) {
    section(ui, "What is done", |ui| {
        let tokens = Tokens::of(ui.ctx());
        for (n, step) in answer.steps.iter().enumerate() {
            ui.add(Label::new(text(Type::Mono, format!("{} {step}", n + 1)).color(tokens.text1)).wrap());
        }
        for note in &answer.notes {
            line(ui, Status::Info, note);
        }
    });
}

fn command(ui: &mut Ui, scenario: &Scenario) {
    let Some(command) = derive::command_line(scenario) else { return };
    section(ui, "The same on the command line", |ui| {
        let tokens = Tokens::of(ui.ctx());
        ui.add(Label::new(text(Type::Mono, &command).color(tokens.text1)).wrap().selectable(false));
        ui.add_space(size::GRID);
        if ui.add(Button::secondary("Copy command").small().icon(icon::COPY)).clicked() {
            ui.copy_text(command);
        }
    });
}

fn terms(ui: &mut Ui, terms: &[Term]) {
    section(ui, "How it was computed", |ui| {
        for term in terms {
            let value = shown(term);
            let response = Property::new(&term.name, &value).explained().show(ui);
            Explanation {
                title: &term.name,
                value: &value,
                formula: &term.formula,
                inputs: &[],
                worked: "",
                source: &term.source,
            }
            .popover(&response);
        }
    });
}
