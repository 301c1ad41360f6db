//! Controls: buttons, chips, fields and switches, each with a name for screen readers and tests.

mod button;
mod chip;
mod choice;
mod field;
mod slider;
mod toggle;

use egui::Response;

pub use button::{Button, IconButton};
pub(crate) use chip::keys_width;
pub use chip::{Chip, SourceChip, key_cap, keys, paint_keys, tag};
pub use choice::{segmented, select};
pub use field::Field;
pub use slider::slider;
pub use toggle::{checkbox, radio, switch};

/// How a control looks at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Nothing happens to it.
    Rest,
    /// The pointer is over it.
    Hovered,
    /// It is held down.
    Pressed,
    /// The keyboard acts on it.
    Focused,
    /// It cannot be used now.
    Disabled,
}

impl Look {
    fn of(response: &Response) -> Self {
        if !response.enabled() {
            Self::Disabled
        } else if response.is_pointer_button_down_on() {
            Self::Pressed
        } else if response.has_focus() {
            Self::Focused
        } else if response.hovered() {
            Self::Hovered
        } else {
            Self::Rest
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::{Key, Ui};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    fn harness<State>(ui: impl FnMut(&mut Ui, &mut State) + 'static, state: State) -> Harness<'static, State> {
        Harness::builder().with_context_setup(crate::theme::install).build_ui_state(ui, state)
    }

    /// Protects: a disabled button takes no click, an enabled one does, and both have names.
    #[test]
    fn buttons_click_only_when_enabled() {
        let mut clicks = [0, 0];
        let mut harness = harness(
            |ui, clicks: &mut [u32; 2]| {
                for (n, (name, enabled)) in [("Run", true), ("Delete", false)].into_iter().enumerate() {
                    clicks[n] += u32::from(ui.add(Button::secondary(name).enabled(enabled)).clicked());
                }
            },
            clicks,
        );
        for name in ["Run", "Delete"] {
            harness.get_by_label(name).click();
            harness.run();
        }
        clicks = *harness.state();
        assert_eq!(clicks, [1, 0]);
    }

    /// Protects: choices change the value, and say so once.
    #[test]
    fn choices_change_by_click_and_by_keyboard() {
        let mut harness = harness(
            |ui, (period, live, share, changes): &mut (usize, bool, f32, u32)| {
                let responses = [
                    segmented(ui, "Period", &["Week", "Month"], period),
                    switch(ui, "Live", live),
                    slider(ui, "Share", share, 0.0..=1.0, 114.0),
                ];
                *changes += responses.iter().map(|response| u32::from(response.changed())).sum::<u32>();
            },
            (0, false, 0.5, 0),
        );
        harness.get_by_label("Month").click();
        harness.run();
        harness.get_by_label("Live").click();
        harness.run();
        harness.get_by_label("Share").focus();
        harness.run();
        harness.key_press(Key::ArrowRight);
        harness.run();
        let (period, live, share, changes) = *harness.state();
        assert_eq!((period, live, changes), (1, true, 3));
        assert!((share - 0.51).abs() < 1e-6);
    }

    /// Protects: what is typed arrives, and the field is found by its name.
    #[test]
    fn a_field_takes_text() {
        let mut harness = harness(
            |ui, text: &mut String| {
                ui.add(Field::new("Shape", text).hint("8×8×16").error(Some("not a shape")));
            },
            String::new(),
        );
        harness.get_by_label("Shape").focus();
        harness.run();
        harness.get_by_label("Shape").type_text("4×4×8");
        harness.run();
        assert_eq!(harness.state(), "4×4×8");
    }
}
