//! A text field whose value lives in the plan: what is typed is kept while it is not yet right.

use egui::Ui;
use planning::history::Gesture;
use planning::plan::ScenarioId;
use widgets::control::Field;
use widgets::theme::{Tokens, Type, size, text};

/// What is being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The scenario of the field.
    scenario: ScenarioId,
    /// Name of the field.
    field: &'static str,
    /// The words so far.
    text: String,
    /// Why they cannot be taken as they are.
    error: Option<String>,
}

/// What came of a field in this frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed<T> {
    /// Nothing new.
    Nothing,
    /// A new value, as part of this gesture.
    Value(T, Gesture),
    /// The field was left: the gesture has ended.
    Left,
}

/// A row of the form: the label at the left, the field at the right.
pub struct Row<'a> {
    /// Name of the field.
    pub label: &'static str,
    /// The value in the plan, as text.
    pub value: &'a str,
    /// Unit behind it.
    pub unit: &'a str,
    /// What is missing or wrong with the value that the plan has.
    pub problem: Option<&'a str>,
}

/// Width of a field beside its label.
pub(super) const FIELD: f32 = 160.0;

impl Row<'_> {
    /// Shows the row. A text that `parse` takes is returned at once; another stays in `draft`, with the reason.
    pub fn show<T>(
        &self,
        ui: &mut Ui,
        draft: (&mut Option<Draft>, ScenarioId),
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Typed<T> {
        labelled(ui, self.label, |ui| self.field(ui, draft, FIELD, parse))
    }

    /// The same over the whole width, with the label above.
    pub fn show_wide<T>(
        &self,
        ui: &mut Ui,
        draft: (&mut Option<Draft>, ScenarioId),
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Typed<T> {
        let tokens = Tokens::of(ui.ctx());
        ui.label(text(Type::Secondary, self.label).color(tokens.text2));
        let width = ui.available_width();
        self.field(ui, draft, width, parse)
    }

    fn field<T>(
        &self,
        ui: &mut Ui,
        (draft, scenario): (&mut Option<Draft>, ScenarioId),
        width: f32,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Typed<T> {
        let mine = draft.take_if(|draft| draft.field == self.label && draft.scenario == scenario);
        let (mut words, error) = mine.map_or_else(|| (self.value.to_owned(), None), |draft| (draft.text, draft.error));
        let shown = error.as_deref().or(self.problem);
        let field = Field::new(self.label, &mut words).unit(self.unit).error(shown).width(width);
        let response = ui.add(field);
        let gesture = Gesture(egui::Id::unique(("what-if", self.label, scenario.0)).value());
        let parsed = response.changed().then(|| parse(&words));
        let error = match &parsed {
            Some(Err(reason)) => Some(reason.clone()),
            Some(Ok(_)) => None,
            None => error,
        };
        if response.has_focus() || error.is_some() {
            *draft = Some(Draft { scenario, field: self.label, text: words, error });
        }
        match parsed {
            Some(Ok(value)) => Typed::Value(value, gesture),
            _ if response.lost_focus() => Typed::Left,
            _ => Typed::Nothing,
        }
    }
}

/// A row of the form with its label at the left and a control at the right.
pub(super) fn labelled<R>(ui: &mut Ui, label: &str, control: impl FnOnce(&mut Ui) -> R) -> R {
    let tokens = Tokens::of(ui.ctx());
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        let room = (ui.available_width() - FIELD).max(0.0);
        let (area, _) = ui.allocate_exact_size(egui::vec2(room, size::CONTROL), egui::Sense::hover());
        widgets::paint::Line::new(label, Type::Secondary, tokens.text2).within(ui.painter(), area, egui::Align::Min);
        control(ui)
    })
    .inner
}
