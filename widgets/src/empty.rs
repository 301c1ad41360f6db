//! What a view shows when it has nothing to show: why, and what to do.

use egui::{Align, Layout, Response, Ui, vec2};

use crate::control::Button;
use crate::icon::Icon;
use crate::theme::{Tokens, Type, text};

/// An empty view; the first action is the main one.
#[derive(Debug, Clone, Copy)]
pub struct Empty<'a> {
    /// What would be here.
    pub icon: Icon,
    /// What is missing, as a short sentence.
    pub title: &'a str,
    /// Why, and what happens next.
    pub text: &'a str,
    /// Verbs, at most three.
    pub actions: &'a [&'a str],
}

impl Empty<'_> {
    /// Shows it in the middle of the room there is; the number of the action that was clicked.
    pub fn show(&self, ui: &mut Ui) -> Option<usize> {
        const CONTENT: f32 = 180.0;
        let t = Tokens::of(ui.ctx());
        let mut clicked = None;
        ui.vertical_centered(|ui| {
            ui.add_space(((ui.available_height() - CONTENT) / 2.0).clamp(16.0, 400.0).round());
            ui.spacing_mut().item_spacing.y = 8.0;
            ui.label(self.icon.text(40.0).color(t.text3));
            ui.label(text(Type::Title, self.title).color(t.text1));
            ui.scope(|ui| {
                ui.set_max_width(460.0_f32.min(ui.available_width()));
                ui.label(text(Type::Body, self.text).color(t.text2));
            });
            ui.add_space(4.0);
            clicked = self.actions(ui);
        });
        clicked
    }

    fn actions(&self, ui: &mut Ui) -> Option<usize> {
        let button =
            |n: usize| if n == 0 { Button::primary(self.actions[n]) } else { Button::secondary(self.actions[n]) };
        let mut clicked = None;
        // A row has to know its width before it can be centred; the pass before measured it.
        let id = ui.scope_id().with(self.title);
        let width = ui.data(|data| data.get_temp::<f32>(id)).unwrap_or(0.0);
        let row = ui.allocate_ui_with_layout(vec2(width, 28.0), Layout::left_to_right(Align::Center), |ui| {
            let pressed: Vec<Response> = (0..self.actions.len()).map(|n| ui.add(button(n))).collect();
            clicked = pressed.iter().position(Response::clicked);
            ui.min_rect().width()
        });
        if row.inner != width {
            ui.data_mut(|data| data.insert_temp(id, row.inner));
            ui.request_discard("the row of actions can be centred now");
        }
        clicked
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::icon;

    /// Protects: actions keep their numbers, and the row is in the middle already in the first picture.
    #[test]
    fn actions_are_centred_and_numbered() {
        let show = |ui: &mut Ui, clicked: &mut Vec<usize>| {
            let actions = &["Start simulator", "Connect", "Open file"];
            clicked.extend(Empty { icon: icon::FLASK, title: "Nothing yet", text: "No source.", actions }.show(ui));
        };
        let builder = Harness::builder().with_size([700.0, 400.0]).with_context_setup(crate::theme::install);
        let mut harness = builder.build_ui_state(show, Vec::new());
        let left = harness.get_by_label("Start simulator").rect().left();
        let right = harness.get_by_label("Open file").rect().right();
        assert!((f32::midpoint(left, right) - 350.0).abs() <= 1.0, "the row goes from {left} to {right}");
        harness.get_by_label("Open file").click();
        harness.run();
        assert_eq!(*harness.state(), [2]);
    }
}
