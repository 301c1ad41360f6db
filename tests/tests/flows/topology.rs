//! The torus, its outline and its inspector.

use app::pod_map::Use;
use app::view_state::{Selection, View};
use egui::{Key, Pos2, Role, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use topology::fleet::{PodId, SliceId};
use widgets::camera::Camera;

use crate::drive::*;

fn torus(window: &Window) -> egui::Rect {
    starting_with(window, Role::Canvas, "Torus of").rect()
}

/// Where the middle of the upper face of a cell of the highest layer is drawn, which nothing covers.
fn top_face(window: &Window, x: u16, y: u16) -> Pos2 {
    let app = window.state();
    let (_, map) = app.model.shown_pod(&app.view).unwrap();
    let [width, depth, height] = map.lattice.sizes3();
    let projection = app.view.topology.torus.camera.projection([width, depth, height], torus(window));
    projection.at([f32::from(x) + 0.5, f32::from(y) + 0.5, f32::from(height)])
}

/// What a cell of the highest layer is used for.
fn top_use(window: &Window, x: u16, y: u16) -> Use {
    let app = window.state();
    let (_, map) = app.model.shown_pod(&app.view).unwrap();
    let z = map.lattice.sizes3()[2] - 1;
    map.cells[map.lattice.index_of(topology::shape::Coord::new(x, y, z))]
}

/// Protects: dragging turns the camera, and looking is no change of the plan.
#[test]
fn dragging_the_torus_turns_the_camera_and_leaves_the_plan() {
    let mut window = window(small_app());
    let (before, camera) = (window.state().model.plan_revision(), window.state().view.topology.torus.camera);
    let middle = torus(&window).center();
    drag(&mut window, middle, middle + vec2(120.0, -40.0));
    let turned = window.state().view.topology.torus.camera;
    let mut expected = camera;
    expected.orbit(vec2(120.0, -40.0));
    assert!((turned.yaw - expected.yaw).abs() < 1e-3 && (turned.pitch - expected.pitch).abs() < 1e-3, "{turned:?}");
    assert_eq!(window.state().model.plan_revision(), before);
    assert!(!window.state().model.history.is_dirty());
    assert_eq!(window.state().view.selection, Selection::None, "a drag is not a click");
    button(&mut window, "Home camera");
    assert_eq!(window.state().view.topology.torus.camera, Camera::default());
}

/// Protects: a click selects the slice that is drawn under the pointer, from several sides.
#[test]
fn a_click_selects_what_is_drawn_there() {
    let mut window = window(small_app());
    let pod = PodId("west-5p-1".to_owned());
    for turn in [0.0, 140.0] {
        let middle = torus(&window).center();
        if turn > 0.0 {
            drag(&mut window, middle, middle + vec2(turn, 10.0));
        }
        let mut slices = 0;
        for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, y))) {
            // Free cells are only wires: a click goes through them.
            let Use::Slice(index) = top_use(&window, x, y) else { continue };
            press(&mut window, Key::Escape);
            let at = top_face(&window, x, y);
            click_at(&mut window, at);
            let (pod, _) = window.state().model.pod(&pod).unwrap();
            let expected = Selection::Slice(pod.id.clone(), pod.slices[index].id.clone());
            assert_eq!(window.state().view.selection, expected, "cell {x} {y} after {turn}");
            slices += 1;
        }
        assert!(slices >= 8, "{slices}");
    }
}

/// Protects: the inspector shows the facts of the slice, computed by the topology rules.
#[test]
fn the_inspector_shows_the_facts_of_the_slice() {
    let mut window = window(small_app());
    click(&mut window, Role::TreeItem, "mm-pre");
    let app = window.state();
    let (pod, _) = app.model.pod(&PodId("west-5p-1".to_owned())).unwrap();
    let index = pod.slices.iter().position(|slice| slice.id.0 == "mm-pre").unwrap();
    let facts = app.model.slice_facts(&pod.id, index).unwrap().as_ref().unwrap();
    let shape = app::text::shape(pod.slices[index].shape);
    for words in [
        format!("Shape: {shape}"),
        format!("Diameter, hops: {}", facts.diameter_hops),
        format!("Links: {}", widgets::format::count(facts.links as u64)),
        format!("Team: {}", pod.slices[index].team.as_ref().unwrap()),
    ] {
        assert!(says(&window, &words), "{words}");
    }
    assert!(says(&window, "Slice mm-pre"), "the status bar names the selection");
}

/// Protects: the outline finds a slice of a closed pod by a part of its name, and Escape clears the selection.
#[test]
fn the_outline_finds_by_a_part_of_the_name() {
    let mut window = window(small_app());
    type_into(&mut window, "Find in the outline", "val-6");
    let names: Vec<_> =
        window.query_all_by_role(Role::TreeItem).filter_map(|row| row.accesskit_node().label()).collect();
    assert_eq!(names, ["Fleet north", "west-6e-3", "eval-6e"]);
    click(&mut window, Role::TreeItem, "eval-6e");
    let slice = Selection::Slice(PodId("west-6e-3".to_owned()), SliceId("eval-6e".to_owned()));
    assert_eq!(window.state().view.selection, slice);
    assert!(says(&window, "Torus of west-6e-3"), "its pod is shown");
    press(&mut window, Key::Escape);
    assert_eq!(window.state().view.selection, Selection::None);
}

/// Protects: a slice that is removed is gone everywhere and comes back whole, with its job.
#[test]
fn removing_a_slice_is_undone_whole() {
    let mut window = window(small_app());
    let before = window.state().model.plan().clone();
    click(&mut window, Role::TreeItem, "rec-train");
    button(&mut window, "Remove from sketch");
    let app = window.state();
    let (pod, map) = app.model.pod(&PodId("west-5p-1".to_owned())).unwrap();
    assert!(pod.slices.iter().all(|slice| slice.id.0 != "rec-train"));
    assert!(map.count(Use::Free) > 0);
    assert!(app.model.history.is_dirty());
    assert!(window.query_by_role_and_label(Role::TreeItem, "rec-train").is_none());
    ctrl(&mut window, Key::Z);
    assert_eq!(*window.state().model.plan(), before);
    assert!(!window.state().model.history.is_dirty());
    window.get_by_role_and_label(Role::TreeItem, "rec-train");
}

/// Protects: a double click on a slice of the outline opens it in Live.
#[test]
fn a_double_click_opens_the_slice_in_live() {
    let mut window = window(small_app());
    let row = window.get_by_role_and_label(Role::TreeItem, "ablation").rect().center();
    for _ in 0..2 {
        window.hover_at(row);
        window.drag_at(row);
        window.drop_at(row);
    }
    window.run();
    assert_eq!(window.state().view.view, View::Live);
    assert_eq!(window.state().view.slice, Some(SliceId("ablation".to_owned())));
}

/// Protects: single keys work after a click into the picture, which gives it the focus, and not while text is typed.
#[test]
fn single_keys_work_unless_text_is_typed() {
    let mut window = window(small_app());
    let at = top_face(&window, 0, 0);
    click_at(&mut window, at);
    press(&mut window, Key::X);
    assert!(window.state().view.topology.wrap_links);
    type_into(&mut window, "Find in the outline", "mm");
    press(&mut window, Key::X);
    assert!(window.state().view.topology.wrap_links, "the letter belongs to the field");
}

/// Protects: Escape closes an open menu and leaves the selection.
#[test]
fn escape_closes_a_menu_first() {
    let mut window = window(small_app());
    click(&mut window, Role::TreeItem, "mm-pre");
    let selection = window.state().view.selection.clone();
    button(&mut window, "Fleet north");
    assert!(says(&window, "New plan"));
    press(&mut window, Key::Escape);
    assert!(!says(&window, "New plan"));
    assert_eq!(window.state().view.selection, selection);
    press(&mut window, Key::Escape);
    assert_eq!(window.state().view.selection, Selection::None);
}
