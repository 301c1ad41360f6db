//! Where a number comes from: its formula, its inputs with their sources, and how sure they are.

use egui::{
    Align, Align2, Frame, Label, Layout, Margin, Popup, PopupCloseBehavior, Rect, Response, Sense, SetOpenCommand,
    Stroke, Ui, vec2,
};

use crate::notice::floating;
use crate::paint::Line;
use crate::theme::{Tokens, Type, size, text};

/// How sure an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty<'a> {
    /// Read from a source that is named.
    Read,
    /// Computed from other values.
    Derived,
    /// Made by the simulator, with its uncertainty, such as "± 4 %".
    Simulated(&'a str),
    /// One third-party source only.
    LowConfidence,
}

impl<'a> Certainty<'a> {
    /// The word in the table of inputs.
    pub fn word(self) -> std::borrow::Cow<'a, str> {
        match self {
            Self::Read => "read".into(),
            Self::Derived => "derived".into(),
            Self::Simulated(range) => format!("simulated {range}").into(),
            Self::LowConfidence => "low confidence".into(),
        }
    }
}

/// One input of a formula.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The letter in the formula.
    pub symbol: &'a str,
    /// What it is.
    pub meaning: &'a str,
    /// Its value with unit.
    pub value: &'a str,
    /// Where it comes from.
    pub source: &'a str,
    /// How sure it is.
    pub certainty: Certainty<'a>,
}

/// Everything about one number.
#[derive(Debug, Clone, Copy)]
pub struct Explanation<'a> {
    /// "MFU".
    pub title: &'a str,
    /// The value, exact.
    pub value: &'a str,
    /// "6·N·T ÷ (n·P·t)".
    pub formula: &'a str,
    /// What goes into the formula.
    pub inputs: &'a [Input<'a>],
    /// The formula with the numbers put in.
    pub worked: &'a str,
    /// Source and age of the whole.
    pub source: &'a str,
}

/// Width of the contents.
const WIDTH: f32 = 372.0;
/// Where the columns of the inputs begin: symbol, meaning, value (right edge), source.
const COLUMNS: [f32; 4] = [0.0, 26.0, 232.0, 244.0];

impl Explanation<'_> {
    /// Opens and closes with a click or a right click on `anchor`.
    pub fn popover(&self, anchor: &Response) {
        let t = Tokens::of(&anchor.ctx);
        let asked = anchor.clicked() || anchor.secondary_clicked();
        Popup::from_response(anchor)
            .open_memory(asked.then_some(SetOpenCommand::Toggle))
            .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
            .frame(floating(&t).inner_margin(Margin::same(12)))
            .show(|ui| self.show(ui));
    }

    /// The contents.
    pub fn show(&self, ui: &mut Ui) {
        let t = Tokens::of(ui.ctx());
        ui.set_width(WIDTH);
        ui.spacing_mut().item_spacing.y = 6.0;
        ui.horizontal(|ui| {
            ui.label(text(Type::Heading, self.title).color(t.text1));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(text(Type::Heading, self.value).color(t.text1));
            });
        });
        if !self.formula.is_empty() {
            code(ui, self.formula, &t);
        }
        ui.scope(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for input in self.inputs {
                input.show(ui, &t);
            }
        });
        if !self.worked.is_empty() {
            code(ui, self.worked, &t);
        }
        ui.add(Label::new(text(Type::Caption, self.source).color(t.text3)).wrap());
    }
}

fn code(ui: &mut Ui, line: &str, t: &Tokens) {
    Frame::new().fill(t.bg0).corner_radius(3).inner_margin(Margin::symmetric(6, 4)).show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.add(Label::new(text(Type::Mono, line).color(t.text1)).wrap());
    });
}

impl Input<'_> {
    fn show(&self, ui: &mut Ui, t: &Tokens) {
        let (area, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::PROPERTY), Sense::hover());
        let spoken =
            format!("{} {}: {}, {}, {}", self.symbol, self.meaning, self.value, self.source, self.certainty.word());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &spoken));
        let painter = ui.painter();
        let column = |n: usize, to: f32| {
            Rect::from_min_max(area.min + vec2(COLUMNS[n], 0.0), egui::pos2(area.left() + to, area.bottom()))
        };
        Line::new(self.symbol, Type::Mono, t.accent).within(painter, column(0, COLUMNS[1] - 4.0), Align::Min);
        let value = Line::new(self.value, Type::Secondary, t.text1);
        let right = area.left_center() + vec2(COLUMNS[2], 0.0);
        let value_left = value.paint(painter, right, Align2::RIGHT_CENTER).left() - area.left();
        Line::new(self.meaning, Type::Secondary, t.text2).within(
            painter,
            column(1, (value_left - size::GAP).max(COLUMNS[1])),
            Align::Min,
        );
        let note = format!("{}, {}", self.source, self.certainty.word());
        let ink = if self.certainty == Certainty::LowConfidence { t.warn } else { t.text3 };
        Line::new(&note, Type::Caption, ink).within(painter, column(3, area.width()), Align::Min);
        painter.hline(area.x_range(), area.bottom() - 0.5, Stroke::new(1.0, t.line1));
        response.on_hover_text(spoken);
    }
}
