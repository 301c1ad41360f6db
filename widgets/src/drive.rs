//! A pointer and a keyboard for tests: runs a widget frame by frame without a window.

use egui::{Context, Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, Ui, Vec2, pos2};

use crate::theme::install;

/// What happens before a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Do {
    /// Nothing: lets the widget settle.
    Wait,
    /// The pointer goes there.
    Move(Pos2),
    /// The primary button goes down there.
    Press(Pos2),
    /// The primary button goes up there.
    Release(Pos2),
    /// A key is pressed.
    Key(Key),
    /// A key is pressed together with Alt.
    Alt(Key),
}

fn events(step: Do) -> Vec<Event> {
    let button = |pos, pressed| {
        let modifiers = Modifiers::NONE;
        vec![Event::PointerMoved(pos), Event::PointerButton { pos, button: PointerButton::Primary, pressed, modifiers }]
    };
    let key = |key, modifiers| {
        let event = Event::Key { key, physical_key: None, pressed: true, repeat: false, modifiers };
        vec![Event::ModifiersChanged(modifiers), event]
    };
    match step {
        Do::Wait => Vec::new(),
        Do::Move(pos) => vec![Event::PointerMoved(pos)],
        Do::Press(pos) => button(pos, true),
        Do::Release(pos) => button(pos, false),
        Do::Key(name) => key(name, Modifiers::NONE),
        Do::Alt(name) => key(name, Modifiers::ALT),
    }
}

/// Runs `frame` once per step in a window of `size` at 0 0; returns what each frame answered.
pub(crate) fn drive<T>(size: Vec2, steps: &[Do], mut frame: impl FnMut(&mut Ui) -> T) -> Vec<T> {
    let ctx = Context::default();
    install(&ctx);
    let mut answers = Vec::new();
    for (n, step) in [Do::Wait, Do::Wait].iter().chain(steps).enumerate() {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), size)),
            time: Some(n as f64 * 0.5),
            events: events(*step),
            ..RawInput::default()
        };
        let mut answer = None;
        let output = ctx.run_ui(input, |ui| answer = Some(frame(ui)));
        output.drop_without_applying_deltas();
        answers.extend(answer);
    }
    answers.split_off(2)
}
