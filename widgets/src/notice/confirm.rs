//! A question that has to be answered before work goes on.

use egui::{Align, Context, Frame, Id, Layout, Margin, Modal, Stroke, Ui};

use crate::control::Button;
use crate::theme::{Tokens, Type, shadow, size, text};

/// A question over the window.
#[derive(Debug, Clone, Copy)]
pub struct Confirm<'a> {
    /// What is asked: "Delete eval-mix?".
    pub title: &'a str,
    /// What will happen and what is kept.
    pub text: &'a str,
    /// The verb that goes on.
    pub confirm: &'a str,
    /// Another way on, such as "Do not save".
    pub other: Option<&'a str>,
    /// Something is lost.
    pub danger: bool,
}

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Go on.
    Confirm,
    /// The other way on.
    Other,
    /// Leave everything as it is: the button, Escape or a click outside.
    Cancel,
}

impl Confirm<'_> {
    /// Shows the question; nothing until it is answered.
    pub fn show(&self, ctx: &Context) -> Option<Answer> {
        let t = Tokens::of(ctx);
        let shown = Modal::new(Id::unique("confirm"))
            .backdrop_color(t.backdrop())
            .frame(floating(&t).inner_margin(Margin::same(16)))
            .show(ctx, |ui| self.contents(ui));
        shown.inner.or_else(|| shown.should_close().then_some(Answer::Cancel))
    }

    fn contents(&self, ui: &mut Ui) -> Option<Answer> {
        let t = Tokens::of(ui.ctx());
        ui.set_width(400.0);
        ui.label(text(Type::Heading, self.title).color(t.text1));
        ui.add_space(4.0);
        ui.label(text(Type::Body, self.text).color(t.text2));
        ui.add_space(size::PANEL_GAP);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let main = if self.danger { Button::danger(self.confirm) } else { Button::primary(self.confirm) };
            let mut answer = ui.add(main).clicked().then_some(Answer::Confirm);
            if let Some(other) = self.other
                && ui.add(Button::secondary(other)).clicked()
            {
                answer = Some(Answer::Other);
            }
            if ui.add(Button::ghost("Cancel")).clicked() {
                answer = Some(Answer::Cancel);
            }
            answer
        })
        .inner
    }
}

/// The frame of things that float: ground, edge, corners and shadow.
pub(crate) fn floating(t: &Tokens) -> Frame {
    Frame::new().fill(t.bg2).stroke(Stroke::new(size::STROKE_LINE, t.line2)).corner_radius(6).shadow(shadow(t))
}
