//! From view to view by the rail and by keys, and the window around them.

use app::view_state::{Theme, View};
use egui::{Key, Role, vec2};
use egui_kittest::kittest::Queryable as _;

use crate::drive::*;

const NUMBERS: [Key; 8] = [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5, Key::Num6, Key::Num7, Key::Num8];

/// Protects: every room is reached by its place on the rail and by its number, in the same order.
#[test]
fn every_view_is_reached_by_the_rail_and_by_its_number() {
    let mut window = window(small_app());
    for (view, number) in View::ALL.into_iter().zip(NUMBERS) {
        click(&mut window, Role::Tab, view.label());
        assert_eq!(window.state().view.view, view);
        ctrl(&mut window, Key::Num2);
        assert_eq!(window.state().view.view, View::Topology);
        ctrl(&mut window, number);
        assert_eq!(window.state().view.view, view, "Ctrl {number:?}");
    }
    assert!(!window.state().model.history.is_dirty(), "looking changes nothing");
}

/// Protects: a view that is not built says so, says what it will need, and leads on.
#[test]
fn pending_views_say_what_they_need() {
    let mut window = window(app_of(roadmap_plan()));
    for view in View::ALL.into_iter().filter(|view| !View::BUILT.contains(view)) {
        click(&mut window, Role::Tab, view.label());
        assert!(says(&window, &format!("{} is not built yet", view.label())));
        assert!(says(&window, "It will need"), "{} says what it needs", view.label());
    }
    click(&mut window, Role::Tab, "Capacity");
    button(&mut window, "Show Topology");
    assert_eq!(window.state().view.view, View::Topology);
    click(&mut window, Role::Tab, "Reliability");
    button(&mut window, "Show Live");
    assert_eq!(window.state().view.view, View::Live);
}

/// Protects: a plan without pods, without slices or without a roadmap says what to do instead of staying blank.
#[test]
fn empty_plans_offer_a_way_on() {
    let mut window = window(app_of(planning::plan::Plan::default()));
    for (view, words) in [
        (View::Topology, "This plan has no pods"),
        (View::Live, "No slice to watch"),
        (View::Roadmap, "This plan has no roadmap"),
    ] {
        click(&mut window, Role::Tab, view.label());
        assert!(says(&window, words), "{words}");
    }
    button(&mut window, "Open sample fleet");
    assert_eq!(window.state().model.plan().name, "Fleet north");
}

/// Protects: the theme changes by button and by key, in the picture and not in the plan.
#[test]
fn the_theme_switches_by_button_and_by_key() {
    let mut window = window(app_of(roadmap_plan()));
    assert!(window.ctx.global_style().visuals.dark_mode);
    button(&mut window, "Light theme");
    assert_eq!(window.state().view.theme, Theme::Light);
    assert!(!window.ctx.global_style().visuals.dark_mode);
    ctrl_shift(&mut window, Key::L);
    assert_eq!(window.state().view.theme, Theme::Dark);
    assert!(window.ctx.global_style().visuals.dark_mode);
}

/// Protects: outline and inspector make room and come back.
#[test]
fn outline_and_inspector_close_and_open() {
    let mut window = window(small_app());
    ctrl(&mut window, Key::B);
    assert!(window.query_by_role_and_label(Role::TextInput, "Find in the outline").is_none());
    ctrl(&mut window, Key::B);
    window.get_by_role_and_label(Role::TextInput, "Find in the outline");
    button(&mut window, "Close inspector");
    assert!(!window.state().view.inspector);
    click(&mut window, Role::Tab, "Inspector");
    assert!(window.state().view.inspector);
}

/// Protects: the list of keys opens by "?" and by the rail, and Escape closes it.
#[test]
fn the_list_of_keys_opens_and_closes() {
    let mut window = window(app_of(roadmap_plan()));
    window.event(egui::Event::Text("?".to_owned()));
    window.run();
    assert!(says(&window, "Write the plan to its file"));
    press(&mut window, Key::Escape);
    assert_eq!(window.state().model.dialog, None);
    click(&mut window, Role::Tab, "Keyboard shortcuts");
    button(&mut window, "Close");
    assert_eq!(window.state().model.dialog, None);
}

/// Protects: the smallest window still shows every control of every view inside itself.
#[test]
fn nothing_is_out_of_reach_in_the_smallest_window() {
    let size = vec2(1180.0, 720.0);
    let mut window = window_of(small_app(), size);
    for view in View::ALL {
        click(&mut window, Role::Tab, view.label());
        for role in [Role::Button, Role::RadioButton, Role::ComboBox, Role::TextInput] {
            for control in window.query_all_by_role(role) {
                let place = control.rect();
                let inside = place.left() >= -0.5 && place.right() <= size.x + 0.5;
                let name = egui_kittest::kittest::NodeT::accesskit_node(&control).label();
                assert!(inside, "{}: {name:?} at {place}", view.label());
            }
        }
    }
}

/// Protects: larger and smaller go in steps, keep to their limits, and come back.
#[test]
fn the_interface_grows_and_shrinks() {
    let mut window = window(app_of(roadmap_plan()));
    ctrl(&mut window, Key::Plus);
    assert!((window.ctx.zoom_factor() - 1.1).abs() < 1e-5);
    for _ in 0..20 {
        ctrl(&mut window, Key::Minus);
    }
    assert!((window.ctx.zoom_factor() - 0.8).abs() < 1e-5);
    ctrl(&mut window, Key::Num0);
    assert!((window.ctx.zoom_factor() - 1.0).abs() < 1e-5);
}
