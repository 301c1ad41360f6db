//! Everything in the program by its name.

use app::command::{ALL, Command};
use app::view_state::{RoadmapMode, Selection, View};
use egui::{Key, Role};
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use crate::drive::*;

fn options(window: &Window) -> Vec<String> {
    window.query_all_by_role(Role::ListBoxOption).filter_map(|row| row.accesskit_node().label()).collect()
}

/// Protects: Ctrl+K, a few letters, Enter: the slice is shown.
#[test]
fn a_few_letters_and_enter_go_to_a_slice() {
    let mut window = window(small_app());
    ctrl(&mut window, Key::K);
    type_into(&mut window, "Search or run a command", "eval");
    assert!(options(&window)[0].starts_with("eval-"), "{:?}", options(&window));
    let chosen = options(&window)[0].clone();
    press(&mut window, Key::Enter);
    assert!(!window.state().palette.is_open());
    let Selection::Slice(_, slice) = &window.state().view.selection else { panic!("no slice is selected") };
    assert_eq!(slice.0, chosen);
    assert_eq!(window.state().view.view, View::Topology);
}

/// Protects: a click on an item of the roadmap shows it there.
#[test]
fn a_roadmap_item_is_found_and_shown() {
    let mut window = window(app_of(roadmap_plan()));
    let item = window.state().model.plan().roadmap.items[3].clone();
    button(&mut window, "Search or run a command");
    type_into(&mut window, "Search or run a command", &item.title);
    click(&mut window, Role::ListBoxOption, &item.title);
    assert_eq!(window.state().view.view, View::Roadmap);
    assert_eq!(window.state().view.selection, Selection::Item(item.id));
}

/// Protects: no command can be reached by its key or its menu only; found by its name, it does what its key does.
#[test]
fn every_command_is_in_the_palette() {
    let mut window = window(app_of(roadmap_plan()));
    ctrl(&mut window, Key::K);
    let all = options(&window);
    for entry in ALL.iter().filter(|entry| entry.command != Command::Palette) {
        assert!(all.iter().any(|label| label == entry.label), "{}", entry.label);
    }
    type_into(&mut window, "Search or run a command", "roadmap as bo");
    assert_eq!(options(&window)[0], "Roadmap as board");
    press(&mut window, Key::Enter);
    assert_eq!(window.state().view.view, View::Roadmap);
    assert_eq!(window.state().view.roadmap.mode, RoadmapMode::Board);
}

/// Protects: the letters of a search are not commands, and Escape leaves everything as it was.
#[test]
fn typing_in_the_palette_runs_no_keys() {
    let mut window = window(small_app());
    click(&mut window, Role::TreeItem, "mm-pre");
    let selection = window.state().view.selection.clone();
    ctrl(&mut window, Key::K);
    for key in [Key::X, Key::C, Key::L, Key::Period] {
        press(&mut window, key);
    }
    assert!(!window.state().view.topology.wrap_links);
    assert_eq!(window.state().view.time.held, None);
    press(&mut window, Key::Escape);
    assert_eq!(window.state().view.selection, selection);
}
