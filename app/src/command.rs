//! Everything that a menu, a key or the palette can ask for.
//!
//! One closed list with label, tooltip and shortcut; `update` is the only place that obeys.

use egui::{Key, KeyboardShortcut, Modifiers};

use crate::view_state::View;

/// A wish without parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table below says what each does")]
pub enum Command {
    New,
    Open,
    OpenPath,
    Save,
    SaveAs,
    Sample,
    ExportPng,
    Quit,
    Undo,
    Redo,
    Palette,
    Shortcuts,
    Go(View),
    Inspector,
    Outline,
    Theme,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    FullScreen,
    PauseLive,
    GoLive,
    StepBack,
    StepForward,
    HomeCamera,
    WrapLinks,
    NextColormap,
    ClearSelection,
    Timeline,
    Board,
    AddScenario,
    TakeSlice,
    RunScenario,
}

/// How a command is shown and reached.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The command.
    pub command: Command,
    /// Label in menus and in the palette.
    pub label: &'static str,
    /// One sentence that says what it does.
    pub tooltip: &'static str,
    /// The default key.
    pub shortcut: Option<KeyboardShortcut>,
}

const fn entry(command: Command, label: &'static str, tooltip: &'static str) -> Entry {
    Entry { command, label, tooltip, shortcut: None }
}

impl Entry {
    const fn ctrl(self, key: Key) -> Self {
        self.with(Modifiers::COMMAND, key)
    }
    const fn ctrl_shift(self, key: Key) -> Self {
        self.with(Modifiers::COMMAND.plus(Modifiers::SHIFT), key)
    }
    const fn plain(self, key: Key) -> Self {
        self.with(Modifiers::NONE, key)
    }
    const fn with(mut self, modifiers: Modifiers, key: Key) -> Self {
        self.shortcut = Some(KeyboardShortcut::new(modifiers, key));
        self
    }

    /// Whether the key is a bare letter, which counts only while no text field has the focus.
    pub fn is_bare(&self) -> bool {
        self.shortcut.is_some_and(|shortcut| shortcut.modifiers.is_none())
    }
}

/// The whole list, in the order of the help page.
pub const ALL: [Entry; 40] = [
    entry(Command::New, "New plan", "Start an empty plan").ctrl(Key::N),
    entry(Command::Open, "Open…", "Open a plan, a fleet or an inventory to import").ctrl(Key::O),
    entry(Command::OpenPath, "Open path…", "Type the path of a file to open").ctrl_shift(Key::O),
    entry(Command::Save, "Save", "Write the plan to its file").ctrl(Key::S),
    entry(Command::SaveAs, "Save as…", "Write the plan to another file").ctrl_shift(Key::S),
    entry(Command::Sample, "Open the sample fleet", "Show the plan that comes with the program"),
    entry(Command::ExportPng, "Export picture…", "Write the view as a PNG picture").ctrl(Key::E),
    entry(Command::Quit, "Quit", "Close the window; unsaved changes are asked about").ctrl(Key::Q),
    entry(Command::Undo, "Undo", "Take the last change back").ctrl(Key::Z),
    entry(Command::Redo, "Redo", "Do the change again that was taken back").ctrl_shift(Key::Z),
    entry(Command::Palette, "Search or run a command", "Everything in the program, by name").ctrl(Key::K),
    entry(Command::Shortcuts, "Keyboard shortcuts", "List all keys").plain(Key::Questionmark),
    entry(Command::Go(View::Overview), "Overview", "Show the leader's summary").ctrl(Key::Num1),
    entry(Command::Go(View::Topology), "Topology", "Show the torus and its slices").ctrl(Key::Num2),
    entry(Command::Go(View::Live), "Live", "Show utilization now and over time").ctrl(Key::Num3),
    entry(Command::Go(View::WhatIf), "What-if", "Try workloads on slices").ctrl(Key::Num4),
    entry(Command::Go(View::Roadmap), "Roadmap", "Show the timeline and the board").ctrl(Key::Num5),
    entry(Command::Go(View::Capacity), "Capacity", "Show demand against supply").ctrl(Key::Num6),
    entry(Command::Go(View::Reliability), "Reliability", "Show failures and repairs").ctrl(Key::Num7),
    entry(Command::Go(View::Present), "Present", "Show slides with live figures").ctrl(Key::Num8),
    entry(Command::Inspector, "Inspector", "Show or hide the inspector").ctrl(Key::I),
    entry(Command::Outline, "Outline", "Show or hide the outline of the fleet").ctrl(Key::B),
    entry(Command::Theme, "Dark or light theme", "Switch between the dark and the light theme").ctrl_shift(Key::L),
    entry(Command::ZoomIn, "Larger interface", "Make everything larger").ctrl(Key::Plus),
    entry(Command::ZoomOut, "Smaller interface", "Make everything smaller").ctrl(Key::Minus),
    entry(Command::ZoomReset, "Normal size", "Bring the interface back to its normal size").ctrl(Key::Num0),
    entry(Command::FullScreen, "Full screen", "Fill the screen, or leave it").plain(Key::F11),
    entry(Command::PauseLive, "Pause or play", "Hold the displayed moment, or let it run on").ctrl(Key::Space),
    entry(Command::GoLive, "Go live", "Follow the newest sample").plain(Key::L),
    entry(Command::StepBack, "One sample back", "Show the sample before this one").plain(Key::Comma),
    entry(Command::StepForward, "One sample forward", "Show the sample after this one").plain(Key::Period),
    entry(Command::HomeCamera, "Home camera", "Bring the torus back to its first view").plain(Key::Home),
    entry(Command::WrapLinks, "Wrap links", "Show or hide the links that close the torus").plain(Key::X),
    entry(Command::NextColormap, "Next colour map", "Use the next colour map for utilization").plain(Key::C),
    entry(Command::ClearSelection, "Clear selection", "Select nothing").plain(Key::Escape),
    entry(Command::Timeline, "Roadmap as timeline", "Show the roadmap as a Gantt chart"),
    entry(Command::Board, "Roadmap as board", "Show the roadmap as columns of cards"),
    entry(Command::AddScenario, "Add scenario", "Add a copy of the scenario that is shown, to compare with"),
    entry(Command::TakeSlice, "What-if from the slice", "Try work on the selected slice, with its faults")
        .plain(Key::W),
    entry(Command::RunScenario, "Run the scenario", "Really do the work of the scenario, and check it")
        .ctrl(Key::Enter),
];

impl Command {
    /// The command's row of the table.
    pub fn entry(self) -> Option<&'static Entry> {
        ALL.iter().find(|entry| entry.command == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_commands_share_a_key_or_a_label() {
        for (i, a) in ALL.iter().enumerate() {
            for b in &ALL[i + 1..] {
                assert_ne!(a.command, b.command);
                assert_ne!(a.label, b.label);
                assert!(a.shortcut.is_none() || a.shortcut != b.shortcut, "{} and {}", a.label, b.label);
            }
        }
    }

    #[test]
    fn texts_follow_the_house_rules() {
        for entry in &ALL {
            assert!(entry.label.starts_with(char::is_uppercase), "{}", entry.label);
            assert!(!entry.label.ends_with('.') && !entry.tooltip.ends_with('.'), "{}", entry.label);
            assert!(!entry.tooltip.is_empty());
        }
    }

    #[test]
    fn keys_with_more_modifiers_can_be_asked_first() {
        let shifted = ALL.iter().filter(|e| e.shortcut.is_some_and(|s| s.modifiers.shift)).count();
        assert!(shifted >= 4, "a shifted key must be consumed before its plain one; see `keys`");
    }
}
