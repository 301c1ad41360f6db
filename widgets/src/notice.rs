//! Messages to the user: toasts, banners, tooltips and questions.

mod confirm;
mod toast;

use egui::{Align, Align2, Layout, Rect, Ui, UiBuilder, pos2, vec2};

pub(crate) use confirm::floating;
pub use confirm::{Answer, Confirm};
pub use toast::{Toast, ToastEvent, toasts};

use crate::control::Button;
use crate::paint::{Line, underline};
use crate::status::Status;
use crate::theme::{Tokens, Type, size};

/// A strip over a view that stays while something is wrong.
#[derive(Debug, Clone, Copy)]
pub struct Banner<'a> {
    /// How bad it is.
    pub status: Status,
    /// What happened: "No answer since 10:38:06".
    pub title: &'a str,
    /// What was kept, and what happens next.
    pub text: &'a str,
    /// Verbs; the first is the main one.
    pub actions: &'a [&'a str],
}

impl Banner<'_> {
    /// Shows it as wide as there is room, 40 high; the number of the action that was clicked.
    pub fn show(&self, ui: &mut Ui) -> Option<usize> {
        let t = Tokens::of(ui.ctx());
        let (id, area) = ui.allocate_space(vec2(ui.available_width(), size::VIEW_HEADER));
        let ground = if self.status == Status::Unknown { t.bg3 } else { self.status.ground(&t) };
        ui.painter().rect_filled(area, 0.0, ground);
        underline(ui.painter(), area, t.line1);
        ui.accesskit_node_builder(id, |node| {
            node.set_role(egui::Role::Alert);
            node.set_label(format!("{} {}", self.title, self.text));
        });
        let inside = area.shrink2(vec2(size::PANEL_GAP, 0.0));
        let mut right = ui.new_child(UiBuilder::new().max_rect(inside).layout(Layout::right_to_left(Align::Center)));
        let mut clicked = None;
        for (n, action) in self.actions.iter().enumerate().rev() {
            let button = if n == 0 { Button::secondary(action) } else { Button::ghost(action) };
            if right.add(button.small()).clicked() {
                clicked = Some(n);
            }
        }
        let painter = ui.painter();
        let center = pos2(inside.left() + 7.0, area.center().y);
        self.status.icon().paint(painter, center, size::ICON_SMALL, self.status.color(&t));
        let title = Line::new(self.title, Type::SecondaryStrong, t.text1);
        let place = title.paint(painter, center + vec2(15.0, 0.0), Align2::LEFT_CENTER);
        let end = if self.actions.is_empty() { inside.right() } else { right.min_rect().left() - size::GAP };
        let room = Rect::from_min_max(pos2(place.right() + size::GAP, area.top()), pos2(end, area.bottom()));
        if room.is_positive() {
            Line::new(self.text, Type::Secondary, t.text2).within(painter, room, Align::Min);
        }
        clicked
    }
}

/// The contents of a tooltip over data: what it is, its value, and more facts.
#[derive(Debug, Clone, Copy)]
pub struct TooltipCard<'a> {
    /// "Chip 9 5 13".
    pub title: &'a str,
    /// "33.1 %".
    pub value: &'a str,
    /// How the value stands; colours it.
    pub status: Option<Status>,
    /// Labels and values.
    pub rows: &'a [(&'a str, &'a str)],
}

impl TooltipCard<'_> {
    /// Adds the card; for use in `Response::on_hover_ui`.
    pub fn show(&self, ui: &mut Ui) {
        let t = Tokens::of(ui.ctx());
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut lines = vec![(
            Line::new(self.title, Type::CaptionStrong, t.text1),
            Line::new(self.value, Type::CaptionStrong, self.status.map_or(t.text1, |status| status.color(&t))),
        )];
        lines.extend(self.rows.iter().map(|(label, value)| {
            (Line::new(label, Type::Caption, t.text2), Line::new(value, Type::Caption, t.text1))
        }));
        let widest = lines.iter().map(|(label, value)| label.width(ui.painter()) + value.width(ui.painter()));
        let width = widest.fold(0.0, f32::max) + 24.0;
        for (label, value) in lines {
            let (_, area) = ui.allocate_space(vec2(width.ceil(), Type::Caption.line_height()));
            label.within(ui.painter(), area, Align::Min);
            value.paint(ui.painter(), area.right_center(), Align2::RIGHT_CENTER);
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::Key;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    fn harness<State>(ui: impl FnMut(&mut Ui, &mut State) + 'static, state: State) -> Harness<'static, State> {
        let builder = Harness::builder().with_size([900.0, 600.0]).with_context_setup(crate::theme::install);
        builder.build_ui_state(ui, state)
    }

    /// Protects: only the newest three toasts are on screen, and events name the right one.
    #[test]
    fn toasts_are_at_most_three_and_answer_with_their_id() {
        let show = |ui: &mut Ui, events: &mut Vec<ToastEvent>| {
            let toast = |id, text| Toast { id, status: Status::Ok, text, action: None, seconds_left: Some(8) };
            let all = [
                toast(1, "first"),
                Toast { action: Some("Undo"), ..toast(2, "second") },
                toast(3, "third"),
                Toast { seconds_left: None, status: Status::Critical, ..toast(4, "fourth") },
            ];
            events.extend(toasts(ui.ctx(), &all));
        };
        let mut harness = harness(show, Vec::new());
        harness.run();
        assert!(harness.query_by_label("first").is_none());
        harness.get_by_label("fourth");
        harness.get_by_label("Undo").click();
        harness.run();
        harness.get_by_label("Close message").click();
        harness.run();
        assert_eq!(*harness.state(), [ToastEvent::Action(2), ToastEvent::Close(4)]);
    }

    /// Protects: each action of a banner tells its own number, whatever the order of painting.
    #[test]
    fn banner_actions_keep_their_numbers() {
        let show = |ui: &mut Ui, clicked: &mut Vec<usize>| {
            let actions = &["Try now", "Use simulator"];
            clicked.extend(Banner { status: Status::Critical, title: "No answer", text: "", actions }.show(ui));
        };
        let mut harness = harness(show, Vec::new());
        for action in ["Use simulator", "Try now"] {
            harness.get_by_label(action).click();
            harness.run();
        }
        assert_eq!(*harness.state(), [1, 0]);
    }

    /// Protects: Escape leaves everything as it is; the buttons answer what they say.
    #[test]
    fn questions_are_answered_by_button_and_by_escape() {
        let show = |ui: &mut Ui, answers: &mut Vec<Answer>| {
            let question =
                Confirm { title: "Save?", text: "", confirm: "Save", other: Some("Do not save"), danger: false };
            answers.extend(question.show(ui.ctx()));
        };
        let mut harness = harness(show, Vec::new());
        harness.run();
        for label in ["Save", "Do not save", "Cancel"] {
            harness.get_by_label(label).click();
            harness.run();
        }
        assert_eq!(*harness.state(), [Answer::Confirm, Answer::Other, Answer::Cancel]);
        harness.key_press(Key::Escape);
        harness.run();
        assert_eq!(harness.state().get(3), Some(&Answer::Cancel));
    }
}
