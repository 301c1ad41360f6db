//! The command palette: slices, items and every command by name.

use egui::Context;
use planning::roadmap::ItemId;
use topology::fleet::{PodId, SliceId};
use widgets::icon;
use widgets::palette::{Entry, Outcome, Palette};
use widgets::theme::SliceColor;
use widgets::tree::Mark;

use super::rail;
use crate::app::App;
use crate::command::{ALL, Command};
use crate::intent::Intent;
use crate::view_state::{Selection, View};

/// Whether the palette is open, and what is typed in it.
#[derive(Debug, Default)]
pub struct State(Option<Palette>);

impl State {
    /// Opens the palette, or closes it.
    pub fn toggle(&mut self) {
        self.0 = if self.0.is_some() { None } else { Some(Palette::default()) };
    }

    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }
}

/// What an entry leads to.
enum Target {
    Slice(PodId, SliceId),
    Item(ItemId),
    Command(Command),
}

/// Texts of one entry, owned while the palette is drawn.
struct Line {
    group: &'static str,
    label: String,
    note: String,
    shortcut: String,
    mark: Mark,
    target: Target,
}

/// Shows the palette while it is open.
pub fn ui(app: &mut App, ctx: &Context) {
    if app.palette.0.is_none() {
        return;
    }
    let lines = lines(app, ctx);
    let entries: Vec<Entry<'_>> = lines
        .iter()
        .map(|line| Entry {
            group: line.group,
            label: &line.label,
            note: &line.note,
            shortcut: &line.shortcut,
            enabled: true,
            mark: line.mark,
        })
        .collect();
    let Some(outcome) = app.palette.0.as_mut().and_then(|palette| palette.show(ctx, &entries)) else { return };
    app.palette.0 = None;
    if let Outcome::Chosen(index) | Outcome::ChosenInNewTile(index) = outcome
        && let Some(line) = lines.into_iter().nth(index)
    {
        match line.target {
            Target::Slice(pod, slice) => {
                let view = if app.view.view == View::Live { View::Live } else { View::Topology };
                app.intents.push(Intent::ShowSlice(pod, slice, view));
            }
            Target::Item(id) => {
                app.intents.run(Command::Go(View::Roadmap));
                app.intents.push(Intent::Select(Selection::Item(id)));
            }
            Target::Command(command) => app.intents.run(command),
        }
    }
}

fn lines(app: &App, ctx: &Context) -> Vec<Line> {
    let mut lines = Vec::new();
    let command = |group, entry: &crate::command::Entry, mark| Line {
        group,
        label: entry.label.to_owned(),
        note: entry.tooltip.to_owned(),
        shortcut: entry
            .shortcut
            .map_or_else(String::new, |keys| ctx.format_shortcut(&keys).replace("Questionmark", "?").replace('+', " ")),
        mark,
        target: Target::Command(entry.command),
    };
    for entry in &ALL {
        if let Command::Go(view) = entry.command {
            lines.push(command("Go to", entry, Mark::Icon(rail::icon(view))));
        }
    }
    for pod in &app.model.plan().fleet.pods {
        for slice in &pod.slices {
            let color = crate::views::topology::scene::color_index(slice);
            lines.push(Line {
                group: "Go to",
                label: slice.id.to_string(),
                note: format!("slice · {} · {}", pod.id, crate::text::n_of(slice.shape.n_chips(), "chip")),
                shortcut: String::new(),
                mark: Mark::Slice(SliceColor::nth(color)),
                target: Target::Slice(pod.id.clone(), slice.id.clone()),
            });
        }
    }
    for item in &app.model.plan().roadmap.items {
        lines.push(Line {
            group: "Go to",
            label: item.title.clone(),
            note: format!("item · {}", item.id),
            shortcut: String::new(),
            mark: Mark::Icon(icon::KANBAN),
            target: Target::Item(item.id.clone()),
        });
    }
    for entry in &ALL {
        if !matches!(entry.command, Command::Go(_) | Command::Palette | Command::Shortcuts) {
            lines.push(command("Do", entry, Mark::Icon(icon::COMMAND)));
        }
    }
    if let Some(entry) = Command::Shortcuts.entry() {
        lines.push(command("Read", entry, Mark::Icon(icon::KEYBOARD)));
    }
    lines
}
