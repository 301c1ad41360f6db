//! What a screen reader hears: everything that can be operated has a name.

use app::model::{Dialog, Then};
use app::view_state::View;
use egui::accesskit::Action;
use egui::{Key, Role};
use egui_kittest::kittest::NodeT as _;

use crate::drive::*;

fn nameless(window: &Window) -> Vec<String> {
    window
        .root()
        .children_recursive()
        .filter(|node| {
            let node = node.accesskit_node();
            // Scroll bars have their place in the order of reading, and a wheel and keys do what they do.
            let operable = node.data().supports_action(Action::Click) && node.role() != Role::ScrollBar;
            operable && !node.is_hidden() && !node.is_disabled()
        })
        .filter(|node| node.accesskit_node().label().is_none_or(|label| label.trim().is_empty()))
        .map(|node| format!("{:?} at {}", node.accesskit_node().role(), node.rect()))
        .collect()
}

/// Protects: every place that takes a click in every view has a name.
#[test]
fn everything_that_takes_a_click_has_a_name() {
    let mut window = window(small_app());
    for view in View::ALL {
        window.state_mut().view.view = view;
        window.run();
        assert_eq!(nameless(&window), Vec::<String>::new(), "{}", view.label());
    }
    window.state_mut().view.view = View::Roadmap;
    window.state_mut().view.roadmap.mode = app::view_state::RoadmapMode::Board;
    window.run();
    assert_eq!(nameless(&window), Vec::<String>::new(), "the board");
    ctrl(&mut window, Key::K);
    assert_eq!(nameless(&window), Vec::<String>::new(), "the palette");
}

/// Protects: the same for the questions in the middle of the window.
#[test]
fn dialogs_have_names() {
    let mut window = window(app_of(roadmap_plan()));
    for dialog in [
        Dialog::Unsaved(Then::Quit),
        Dialog::OpenPath(String::new()),
        Dialog::SavePath("a".to_owned()),
        Dialog::Replace("a".into()),
        Dialog::Overwrite("a".into()),
        Dialog::Findings("Remarks".to_owned(), vec!["one".to_owned()]),
        Dialog::Shortcuts,
        Dialog::Recoveries,
    ] {
        window.state_mut().model.dialog = Some(dialog.clone());
        window.run();
        assert_eq!(nameless(&window), Vec::<String>::new(), "{dialog:?}");
    }
}
