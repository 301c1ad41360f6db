//! Keys: every command of the table that has a shortcut.

use egui::{Event, Popup, Ui};

use crate::app::App;
use crate::command::{ALL, Command, Entry};
use crate::intent::Intent;

/// Turns pressed shortcuts and dropped files into intents.
pub(super) fn listen(app: &mut App, ui: &Ui) {
    let typing = ui.text_edit_focused();
    let focused = ui.egui_wants_keyboard_input();
    // While something is dragged or a menu is open, Escape belongs to that.
    let held = ui.input(|input| input.pointer.any_down()) || Popup::is_any_open(ui.ctx());
    let busy = app.model.dialog.is_some() || app.palette.is_open() || held;
    // A shortcut with more modifiers is asked first, or Ctrl+S would swallow Ctrl+Shift+S.
    let mut entries: Vec<&Entry> = ALL.iter().filter(|entry| entry.shortcut.is_some()).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.shortcut.map_or(0, weight)));
    for entry in entries {
        let Some(shortcut) = entry.shortcut else { continue };
        if entry.is_bare() && (typing || busy) {
            continue;
        }
        // A text field takes back its own letters, and Home is the first place of whatever has the focus.
        let own = match entry.command {
            Command::Undo | Command::Redo => typing,
            Command::HomeCamera => focused,
            _ => false,
        };
        if own {
            continue;
        }
        if ui.input_mut(|input| input.consume_shortcut(&shortcut)) {
            app.intents.run(entry.command);
        }
    }
    let asks_help =
        ui.input(|input| input.events.iter().any(|event| matches!(event, Event::Text(text) if text == "?")));
    if asks_help && !typing && !busy {
        app.intents.run(Command::Shortcuts);
    }
    for file in ui.input(|input| input.raw.dropped_files.clone()) {
        app.intents.push(Intent::OpenFile(file.path().to_owned()));
    }
}

fn weight(shortcut: egui::KeyboardShortcut) -> u8 {
    let modifiers = shortcut.modifiers;
    u8::from(modifiers.shift) + u8::from(modifiers.alt) + u8::from(modifiers.command || modifiers.ctrl)
}
