//! Time: held, stepped through, scrubbed, and followed again.

use egui::{Key, Role, vec2};
use egui_kittest::kittest::Queryable as _;

use crate::drive::*;

fn live() -> Window {
    let mut window = window(small_app());
    ctrl(&mut window, Key::Num3);
    window
}

fn held(window: &Window) -> Option<i64> {
    window.state().view.time.held
}

/// Protects: pause holds the newest sample, steps are one sample, and going live follows again.
#[test]
fn a_moment_is_held_stepped_and_left() {
    let mut window = live();
    let newest = window.state().model.store.newest().unwrap();
    button(&mut window, "Pause");
    assert_eq!(held(&window), Some(newest));
    press(&mut window, Key::Comma);
    press(&mut window, Key::Comma);
    press(&mut window, Key::Period);
    assert_eq!(held(&window), Some(newest - 60));
    button(&mut window, "Go live");
    assert_eq!(held(&window), None);
    press(&mut window, Key::Comma);
    assert_eq!(held(&window), Some(newest - 60), "a step back from the present holds the moment");
    press(&mut window, Key::L);
    assert_eq!(held(&window), None);
}

/// Protects: steps end at the oldest and the newest sample.
#[test]
fn steps_stay_inside_the_history() {
    let mut window = live();
    let newest = window.state().model.store.newest().unwrap();
    press(&mut window, Key::Period);
    assert_eq!(held(&window), Some(newest));
    starting_with(&window, Role::Slider, "Time,").focus();
    window.run();
    press(&mut window, Key::Home);
    let oldest = held(&window).unwrap();
    assert_eq!(newest - oldest, 359 * 60);
    press(&mut window, Key::Comma);
    assert_eq!(held(&window), Some(oldest));
}

/// Protects: the scrubber goes where it is dragged, the clock and the pictures with it; its right end is the present.
#[test]
fn the_scrubber_goes_where_it_is_dragged() {
    let mut window = live();
    let newest = window.state().model.store.newest().unwrap();
    let (track, picture) = (starting_with(&window, Role::Slider, "Time,").rect(), window.state().picture_revision());
    drag(&mut window, track.right_center() - vec2(2.0, 0.0), track.center());
    let back = (newest - held(&window).unwrap()) as f64 / (359.0 * 60.0);
    assert!((back - 0.5).abs() < 0.02, "{back} of the range");
    assert_ne!(window.state().picture_revision(), picture);
    let clock = window.state().model.now.clock_of(held(&window).unwrap());
    window.get_by_role_and_label(Role::Slider, &format!("Time, {clock}"));
    let track = starting_with(&window, Role::Slider, "Time,").rect();
    drag(&mut window, track.center(), track.right_center());
    assert_eq!(held(&window), None);
}

/// Protects: a click on the history holds the moment of its column.
#[test]
fn a_click_on_the_history_holds_its_moment() {
    let mut window = live();
    let maps: Vec<_> = window.query_all_by_role(Role::Grid).map(|map| map.rect()).collect();
    let history = maps.into_iter().max_by(|a, b| a.top().total_cmp(&b.top())).unwrap();
    click_at(&mut window, history.center());
    let newest = window.state().model.store.newest().unwrap();
    let back = newest - held(&window).unwrap();
    assert!((2 * 3600..4 * 3600).contains(&back), "{back} s before the newest sample");
}

/// Protects: another metric brings its own range, another slice its own pod, and neither changes the plan.
#[test]
fn metric_and_slice_are_picked() {
    let mut window = live();
    let metric = window.get_all_by_role(Role::RadioButton).find(|choice| choice.rect().top() < 100.0);
    assert!(metric.is_some(), "the metrics are in the bar");
    click(&mut window, Role::RadioButton, &telemetry::Metric::HbmUsed.name());
    assert_eq!(window.state().view.live.metric, telemetry::Metric::HbmUsed);
    assert!(window.state().view.live.range[1] > 1e9, "bytes, not a share");
    click(&mut window, Role::ComboBox, "Slice");
    let name = "serve-m · west-6e-3";
    let at = window.get_all_by_label(name).last().unwrap().rect().center();
    click_at(&mut window, at);
    assert_eq!(window.state().view.slice.as_ref().unwrap().0, "serve-m");
    assert_eq!(window.state().view.pod.as_ref().unwrap().0, "west-6e-3");
    assert!(!window.state().model.history.is_dirty());
}

/// Protects: every value on screen says that it is simulated.
#[test]
fn the_source_says_that_it_is_simulated() {
    let window = live();
    assert!(says(&window, "Simulat"), "no chip names the source");
}
