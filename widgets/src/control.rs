//! Controls: buttons, chips, fields and switches, each with a name for screen readers and tests.

mod button;
mod chip;
mod choice;
mod field;
mod toggle;

use egui::Response;

pub use button::{Button, IconButton};
pub use chip::{Chip, SourceChip, key_cap, keys, tag};
pub(crate) use chip::{keys_width, paint_keys};
pub use choice::{segmented, select};
pub use field::Field;
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
