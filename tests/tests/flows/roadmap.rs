//! Bars and cards that are dragged, one undo step each.

use app::view_state::{RoadmapMode, Selection, View};
use egui::{Key, Role, vec2};
use egui_kittest::kittest::Queryable as _;
use planning::roadmap::{Item, ItemId, days_between};

use crate::drive::*;

fn roadmap() -> Window {
    let mut window = window(app_of(roadmap_plan()));
    ctrl(&mut window, Key::Num5);
    window
}

fn item(window: &Window, id: &ItemId) -> Item {
    window.state().model.plan().roadmap.item(id).unwrap().clone()
}

/// An item that is not done and whose bar is on screen, wide enough to be taken by its middle.
fn open_item(window: &Window) -> Item {
    let open = |item: &&Item| !item.is_done() && item.span().is_some_and(|span| span.days() > 20);
    window.state().model.plan().roadmap.items.iter().find(open).unwrap().clone()
}

/// Protects: a bar that is dragged moves when it is let go, as one undo step, and undo and redo bring the dates
/// back and forth.
#[test]
fn dragging_a_bar_is_one_step_that_can_be_undone() {
    let mut window = roadmap();
    let before = window.state().model.plan().clone();
    let old = open_item(&window);
    let bar = starting_with(&window, Role::ListItem, &format!("{},", old.title)).rect();
    let to = bar.center() + vec2(60.0, 0.0);
    hold(&mut window, bar.center(), to);
    assert_eq!(*window.state().model.plan(), before, "nothing changes before the button is released");
    window.drop_at(to);
    window.run();
    let moved = item(&window, &old.id);
    let days = days_between(old.start.unwrap(), moved.start.unwrap());
    assert!(days > 0, "moved by {days} days");
    assert_eq!(days_between(old.finish.unwrap(), moved.finish.unwrap()), days, "its length stays");
    let after = window.state().model.plan().clone();
    assert!(window.state().model.history.is_dirty());
    ctrl(&mut window, Key::Z);
    assert_eq!(*window.state().model.plan(), before, "one step back is all of it");
    assert!(!window.state().model.history.is_dirty());
    ctrl_shift(&mut window, Key::Z);
    assert_eq!(*window.state().model.plan(), after);
}

/// Protects: Escape during a drag leaves everything as it was.
#[test]
fn escape_leaves_a_drag() {
    let mut window = roadmap();
    let before = window.state().model.plan().clone();
    let old = open_item(&window);
    let bar = starting_with(&window, Role::ListItem, &format!("{},", old.title)).rect();
    let to = bar.center() + vec2(60.0, 0.0);
    hold(&mut window, bar.center(), to);
    press(&mut window, Key::Escape);
    window.drop_at(to);
    window.run();
    assert_eq!(*window.state().model.plan(), before);
    assert_eq!(window.state().model.history.undo_label(), None);
}

/// Protects: dates change without a mouse: a focused bar moves by arrows, one day and one step each.
#[test]
fn arrows_move_a_focused_bar_by_days() {
    let mut window = roadmap();
    let old = open_item(&window);
    starting_with(&window, Role::ListItem, &format!("{},", old.title)).focus();
    window.run();
    press(&mut window, Key::ArrowRight);
    press(&mut window, Key::ArrowRight);
    assert_eq!(days_between(old.start.unwrap(), item(&window, &old.id).start.unwrap()), 2);
    ctrl(&mut window, Key::Z);
    assert_eq!(days_between(old.start.unwrap(), item(&window, &old.id).start.unwrap()), 1);
}

/// Protects: an item is renamed in the inspector as one step, and a click on a bar shows its facts.
#[test]
fn an_item_is_renamed_in_the_inspector() {
    let mut window = roadmap();
    let old = open_item(&window);
    starting_with(&window, Role::ListItem, &format!("{},", old.title)).click();
    window.run();
    assert_eq!(window.state().view.selection, Selection::Item(old.id.clone()));
    type_into(&mut window, "Item title", " again");
    press(&mut window, Key::Enter);
    let title = item(&window, &old.id).title;
    assert!(title.contains(" again") && title.len() == old.title.len() + 6, "{title}");
    ctrl(&mut window, Key::Z);
    assert_eq!(item(&window, &old.id).title, old.title);
}

/// Protects: a card that is dropped on another column is there, as one step.
#[test]
fn a_card_moves_to_another_column() {
    let mut window = roadmap();
    click(&mut window, Role::RadioButton, "Board");
    assert_eq!(window.state().view.roadmap.mode, RoadmapMode::Board);
    let before = window.state().model.plan().clone();
    let columns: Vec<String> = before.roadmap.columns.iter().map(|column| column.name.clone()).collect();
    let card = before.roadmap.cards(&columns[0]).next().unwrap().clone();
    let from = starting_with(&window, Role::ListItem, &format!("{} ", card.id)).rect().center();
    let plus = |window: &Window, column: &str| {
        window.get_by_role_and_label(Role::Button, &format!("Add a card to {column}")).rect().center().x
    };
    let across = plus(&window, &columns[1]) - plus(&window, &columns[0]);
    drag(&mut window, from, from + vec2(across, 0.0));
    assert_eq!(item(&window, &card.id).column.as_ref(), Some(&columns[1]));
    ctrl(&mut window, Key::Z);
    assert_eq!(*window.state().model.plan(), before);
}

/// Protects: a new card appears in its column and is selected, so that its title can be written.
#[test]
fn a_card_is_added_and_selected() {
    let mut window = roadmap();
    click(&mut window, Role::RadioButton, "Board");
    let column = window.state().model.plan().roadmap.columns[0].name.clone();
    let before = window.state().model.plan().roadmap.cards(&column).count();
    button(&mut window, &format!("Add a card to {column}"));
    let roadmap = &window.state().model.plan().roadmap;
    assert_eq!(roadmap.cards(&column).count(), before + 1);
    let Selection::Item(id) = &window.state().view.selection else { panic!("the new card is not selected") };
    assert_eq!(roadmap.item(id).unwrap().title, "New item");
    window.get_by_role_and_label(Role::TextInput, "Item title");
}

/// Protects: the filter of the board hides cards and changes no plan.
#[test]
fn the_board_filters_its_cards() {
    let mut window = roadmap();
    click(&mut window, Role::RadioButton, "Board");
    let all = window.query_all_by_role(Role::ListItem).count();
    let items = &window.state().model.plan().roadmap.items;
    let key = items.iter().find(|item| item.column.is_some()).unwrap().id.to_string();
    type_into(&mut window, "Filter cards", &key);
    let some = window.query_all_by_role(Role::ListItem).count();
    assert!(some < all && some > 0, "{some} of {all}");
    assert!(!window.state().model.history.is_dirty());
    assert_eq!(window.state().view.view, View::Roadmap);
}

/// Protects: Ctrl+Z in a text field takes back letters, never the last change of the plan behind it.
#[test]
fn undo_in_a_text_field_belongs_to_the_field() {
    let mut window = roadmap();
    let old = open_item(&window);
    starting_with(&window, Role::ListItem, &format!("{},", old.title)).click();
    window.run();
    press(&mut window, Key::ArrowRight);
    let moved = window.state().model.plan().clone();
    type_into(&mut window, "Item title", "x");
    ctrl(&mut window, Key::Z);
    assert_eq!(*window.state().model.plan(), moved);
}
