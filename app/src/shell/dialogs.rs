//! Questions and lists in the middle of the window.

use std::path::PathBuf;

use egui::{Id, Modal, ScrollArea, Ui};
use jiff::Timestamp;
use widgets::control::{Button, Field, keys};
use widgets::format;
use widgets::notice::{Answer, Confirm};
use widgets::theme::{Tokens, Type, size, text};

use crate::app::App;
use crate::command::ALL;
use crate::intent::{Intent, Unsaved};
use crate::io::problem::FileProblem;
use crate::model::Dialog;

/// Draws the dialog that is open, if one is.
pub(super) fn ui(app: &mut App, ui: &Ui) {
    let Some(dialog) = app.model.dialog.clone() else { return };
    match dialog {
        Dialog::Unsaved(_) => unsaved(app, ui),
        Dialog::Replace(path) => {
            let what = format!("{} is there already.", path.display());
            confirm(app, ui, ("Replace the file?", &what, "Replace"), || Intent::SaveTo(path.clone()));
        }
        Dialog::ReplacePicture(path) => {
            let what = format!("{} is there already.", path.display());
            confirm(app, ui, ("Replace the file?", &what, "Replace"), || Intent::ReplacePicture(path.clone()));
        }
        Dialog::Overwrite(path) => {
            let what = format!(
                "{} changed on disk since it was opened. Your changes are kept here. Replacing it loses what is on disk.",
                path.display()
            );
            confirm(app, ui, ("Replace the newer file?", &what, "Replace"), || Intent::SaveTo(path.clone()));
        }
        Dialog::OpenPath(path) => {
            path_field(app, ui, ("Open a file", "Open"), path, Dialog::OpenPath, Intent::OpenFile);
        }
        Dialog::SavePath(path) => path_field(app, ui, ("Save as", "Save"), path, Dialog::SavePath, save_intent),
        Dialog::ExportPath(path) => {
            path_field(app, ui, ("Export picture", "Export"), path, Dialog::ExportPath, Intent::ExportTo);
        }
        Dialog::Problem(problem) => pane(app, ui, &problem.title.clone(), |ui| problem_ui(ui, &problem)),
        Dialog::Findings(title, findings) => pane(app, ui, &title, |ui| findings_ui(ui, &findings)),
        Dialog::Shortcuts => pane(app, ui, "Keyboard shortcuts", shortcuts),
        Dialog::Recoveries => recoveries(app, ui),
        Dialog::Workload => workload(app, ui),
    }
}

/// Saving to a typed path must not replace a file without a question.
fn save_intent(path: PathBuf) -> Intent {
    Intent::SaveNew(path)
}

fn unsaved(app: &mut App, ui: &Ui) {
    let title = format!("Save changes to {}?", app.model.document_name());
    let question = Confirm {
        title: &title,
        text: "Without saving, the changes since the last save are lost.",
        confirm: "Save",
        other: Some("Do not save"),
        danger: false,
    };
    match question.show(ui.ctx()) {
        Some(Answer::Confirm) => app.intents.push(Intent::Proceed(Unsaved::Save)),
        Some(Answer::Other) => app.intents.push(Intent::Proceed(Unsaved::DontSave)),
        Some(Answer::Cancel) => app.intents.push(Intent::CloseDialog),
        None => {}
    }
}

fn confirm(app: &mut App, ui: &Ui, (title, what, verb): (&str, &str, &str), yes: impl Fn() -> Intent) {
    let question = Confirm { title, text: what, confirm: verb, other: None, danger: true };
    match question.show(ui.ctx()) {
        Some(Answer::Confirm) => app.intents.push(yes()),
        Some(Answer::Cancel | Answer::Other) => app.intents.push(Intent::CloseDialog),
        None => {}
    }
}

fn path_field(
    app: &mut App,
    ui: &Ui,
    (title, verb): (&str, &str),
    mut path: String,
    keep: fn(String) -> Dialog,
    done: fn(PathBuf) -> Intent,
) {
    let shown = Modal::new(Id::unique("path")).show(ui.ctx(), |ui| {
        ui.set_width(520.0);
        ui.label(text(Type::Heading, title));
        ui.add_space(size::GAP);
        let field = ui.add(Field::new("Path", &mut path).hint("/path/to/file").width(520.0));
        if !field.has_focus() && path.is_empty() {
            field.request_focus();
        }
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        ui.add_space(size::PANEL_GAP);
        ui.horizontal(|ui| {
            let ready = !path.trim().is_empty();
            let go = ui.add(Button::primary(verb).enabled(ready)).clicked() || entered;
            if ui.add(Button::ghost("Cancel")).clicked() {
                ui.close();
            }
            go && ready
        })
        .inner
    });
    if shown.inner {
        app.model.dialog = None;
        app.intents.push(done(PathBuf::from(path.trim())));
    } else if shown.should_close() {
        app.model.dialog = None;
    } else {
        app.model.dialog = Some(keep(path));
    }
}

fn pane(app: &mut App, ui: &Ui, title: &str, contents: impl FnOnce(&mut Ui)) {
    let shown = Modal::new(Id::unique("pane")).show(ui.ctx(), |ui| {
        ui.set_width(620.0);
        ui.label(text(Type::Heading, title));
        ui.add_space(size::GAP);
        ScrollArea::vertical().max_height(440.0).auto_shrink([false, true]).show(ui, contents);
        ui.add_space(size::PANEL_GAP);
        if ui.add(Button::secondary("Close")).clicked() {
            ui.close();
        }
    });
    if shown.should_close() {
        app.intents.push(Intent::CloseDialog);
    }
}

fn problem_ui(ui: &mut Ui, problem: &FileProblem) {
    let tokens = Tokens::of(ui.ctx());
    ui.add(egui::Label::new(text(Type::Body, &problem.detail)).wrap());
    if !problem.hint.is_empty() {
        ui.add_space(size::GRID);
        ui.add(egui::Label::new(text(Type::Body, &problem.hint).color(tokens.text2)).wrap());
    }
    ui.add_space(size::GAP);
    ui.add(egui::Label::new(
        text(Type::Secondary, "Nothing was changed: the document that was open still is.").color(tokens.text3),
    ));
    ui.add_space(size::GRID);
    ui.add(egui::Label::new(text(Type::Mono, problem.place()).color(tokens.text3)).wrap());
}

fn findings_ui(ui: &mut Ui, findings: &[String]) {
    for finding in findings {
        ui.add(egui::Label::new(text(Type::Secondary, finding)).wrap());
        ui.add_space(size::GRID);
    }
}

fn shortcuts(ui: &mut Ui) {
    for entry in ALL.iter().filter(|entry| entry.shortcut.is_some()) {
        ui.horizontal(|ui| {
            ui.set_height(size::PROPERTY);
            let words = entry.shortcut.map_or_else(String::new, |shortcut| {
                ui.format_shortcut(&shortcut).replace("Questionmark", "?").replace('+', " ")
            });
            let (_, space) = ui.allocate_space(egui::vec2(140.0, size::PROPERTY));
            ui.scope_builder(egui::UiBuilder::new().max_rect(space), |ui| keys(ui, &words));
            ui.label(text(Type::Secondary, entry.label));
            let tokens = Tokens::of(ui.ctx());
            ui.label(text(Type::Caption, entry.tooltip).color(tokens.text3));
        });
    }
}

fn recoveries(app: &mut App, ui: &Ui) {
    let offers = app.model.recoveries.clone();
    let shown = Modal::new(Id::unique("recoveries")).show(ui.ctx(), |ui| {
        let tokens = Tokens::of(ui.ctx());
        ui.set_width(520.0);
        ui.label(text(Type::Heading, "Unsaved changes were found"));
        ui.label(text(Type::Secondary, "The program ended before they were saved.").color(tokens.text2));
        ui.add_space(size::GAP);
        let mut wish = None;
        for (index, offer) in offers.iter().enumerate() {
            ui.horizontal(|ui| {
                ui.set_height(size::LIST_ROW);
                ui.label(text(Type::SecondaryMedium, &offer.name));
                let when = Timestamp::try_from(offer.saved_at)
                    .map_or_else(|_error| String::new(), |at| at.strftime("%Y-%m-%d %H:%M UTC").to_string());
                ui.label(text(Type::Caption, when).color(tokens.text3));
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    if ui.add(Button::ghost("Discard").small()).clicked() {
                        wish = Some(Intent::Discard(index));
                    }
                    if ui.add(Button::secondary("Recover").small()).clicked() {
                        wish = Some(Intent::Recover(index));
                    }
                });
            });
        }
        ui.add_space(size::GAP);
        if ui.add(Button::ghost("Decide later")).clicked() {
            ui.close();
        }
        wish
    });
    if let Some(wish) = shown.inner {
        app.intents.push(wish);
    } else if shown.should_close() {
        app.intents.push(Intent::LeaveRecoveries);
    }
}

/// Tokens for which the products of a model are listed.
const TOKENS: u64 = 4096;

/// The matrix products of a model that was opened.
fn workload(app: &mut App, ui: &Ui) {
    let Some((path, config)) = app.model.workload.clone() else { return };
    let model = &config.transformer;
    let rows = model.matmuls(TOKENS, simulator::dtype::Dtype::Bf16);
    let name = config.model_type.clone().unwrap_or_else(|| "this model".to_owned());
    pane(app, ui, &format!("Matrix products of {name}"), |ui| {
        let tokens = Tokens::of(ui.ctx());
        let parameters = format::si(model.params(), "parameters");
        let words = format!("{parameters}, {} layers, for {} tokens in bf16", model.layers, format::count(TOKENS));
        ui.add(egui::Label::new(text(Type::Secondary, words).color(tokens.text2)).wrap());
        for note in &config.notes {
            ui.add(egui::Label::new(text(Type::Caption, note).color(tokens.text3)).wrap());
        }
        ui.add_space(size::GAP);
        match &rows {
            Ok(rows) => matmul_table(ui, rows),
            Err(error) => {
                ui.label(text(Type::Secondary, error.to_string()).color(tokens.crit));
            }
        }
        ui.add_space(size::GAP);
        ui.add(egui::Label::new(text(Type::Mono, path.display().to_string()).color(tokens.text3)).wrap());
    });
}

fn matmul_table(ui: &mut Ui, rows: &[simulator::transformer::NamedMatmul]) {
    let tokens = Tokens::of(ui.ctx());
    egui::Grid::new("matmuls").num_columns(6).spacing([28.0, 6.0]).show(ui, |ui| {
        for head in ["Product", "M", "K", "N", "Times", "FLOP"] {
            ui.label(text(Type::Caption, head).color(tokens.text3));
        }
        ui.end_row();
        for row in rows {
            ui.label(text(Type::SecondaryMedium, row.name));
            let matmul = &row.matmul;
            for number in [matmul.m(), matmul.k(), matmul.n(), row.count] {
                ui.label(text(Type::Secondary, format::count(number)));
            }
            ui.label(text(Type::Secondary, format::flop(matmul.flop() * row.count as f64)));
            ui.end_row();
        }
    });
}
