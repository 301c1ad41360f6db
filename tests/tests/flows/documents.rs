//! Opening, saving, importing and dropping files, and the questions about unsaved changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::intent::Intent;
use app::model::{Dialog, Then};
use app::view_state::View;
use egui::{Key, Role};
use egui_kittest::kittest::Queryable as _;
use planning::file;

use crate::drive::*;

/// One change of the plan, made as a person makes it.
pub(crate) fn change(desk: &mut Desk) {
    let window = &mut desk.window;
    ctrl(window, Key::Num5);
    let item = window.state().model.plan().roadmap.items.iter().find(|item| item.span().is_some()).unwrap().clone();
    starting_with(window, Role::ListItem, &format!("{},", item.title)).focus();
    window.run();
    press(window, Key::ArrowRight);
    assert!(window.state().model.history.is_dirty());
}

fn dialog(desk: &Desk) -> Option<&Dialog> {
    desk.window.state().model.dialog.as_ref()
}

/// A file of the repository.
fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)
}

/// Protects the first promise of the program: click through, drag the torus, undo, save, open again: it is all there.
#[test]
fn what_is_saved_is_opened_again() {
    let mut desk = Desk::new(small_app());
    for view in View::ALL {
        click(&mut desk.window, Role::Tab, view.label());
    }
    click(&mut desk.window, Role::Tab, "Topology");
    let torus = starting_with(&desk.window, Role::Canvas, "Torus of").rect().center();
    drag(&mut desk.window, torus, torus + egui::vec2(80.0, 20.0));
    click(&mut desk.window, Role::TreeItem, "rec-train");
    button(&mut desk.window, "Remove from sketch");
    change(&mut desk);
    ctrl(&mut desk.window, Key::Z);
    let saved = desk.plan();
    let path = desk.save_as("mine.podium.ron");
    assert_eq!(file::read(&fs::read_to_string(&path).unwrap()).unwrap().plan, saved);
    assert!(!desk.window.state().model.history.is_dirty());
    change(&mut desk);
    ctrl(&mut desk.window, Key::S);
    wait_until(&mut desk.window, "it is saved", |window| !window.state().model.history.is_dirty());
    let saved = desk.plan();
    let mut second = Desk::in_folder(app_of(roadmap_plan()), desk.folder);
    second.open_path(&path);
    assert_eq!(second.plan(), saved);
    assert!(!second.window.state().model.history.is_dirty());
    assert_eq!(second.window.state().model.path(), Some(path.as_path()));
    assert_eq!(second.window.state().model.history.undo_label(), None);
}

/// Protects: the first save asks where, and offers the name of the plan.
#[test]
fn the_first_save_asks_where() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    change(&mut desk);
    let path = desk.path("first.ron");
    desk.script.pick(&path);
    ctrl(&mut desk.window, Key::S);
    wait_until(&mut desk.window, "it is saved", |window| !window.state().model.history.is_dirty());
    assert!(path.is_file());
    let question = desk.script.asked().pop().unwrap();
    assert_eq!(question.file_name.as_deref(), Some("fleet-north.podium.ron"));
}

/// Protects: without a desktop's dialogs a path is typed, and a file that lies there is not replaced unasked.
#[test]
fn without_dialogs_paths_are_typed() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let path = desk.path("typed.ron");
    fs::write(&path, "precious").unwrap();
    ctrl_shift(&mut desk.window, Key::S);
    assert_eq!(dialog(&desk), Some(&Dialog::SavePath(String::new())));
    type_into(&mut desk.window, "Path", path.to_str().unwrap());
    press(&mut desk.window, Key::Enter);
    assert_eq!(dialog(&desk), Some(&Dialog::Replace(path.clone())));
    button(&mut desk.window, "Cancel");
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    ctrl_shift(&mut desk.window, Key::S);
    type_into(&mut desk.window, "Path", path.to_str().unwrap());
    press(&mut desk.window, Key::Enter);
    button(&mut desk.window, "Replace");
    wait_until(&mut desk.window, "it is saved", |window| window.state().model.file.is_some());
    assert!(file::read(&fs::read_to_string(&path).unwrap()).is_ok());
}

/// Protects: new, open and quit ask about changes; cancel keeps everything.
#[test]
fn unsaved_changes_are_asked_about_and_cancel_keeps_them() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    change(&mut desk);
    let plan = desk.plan();
    for (key, then) in [(Key::N, Then::New), (Key::O, Then::AskOpen)] {
        ctrl(&mut desk.window, key);
        assert_eq!(dialog(&desk), Some(&Dialog::Unsaved(then)));
        button(&mut desk.window, "Cancel");
        assert_eq!((dialog(&desk), desk.plan()), (None, plan.clone()));
    }
    ask_to_close(&mut desk.window);
    assert!(!closes(&desk.window), "the window stays open");
    assert_eq!(dialog(&desk), Some(&Dialog::Unsaved(Then::Quit)));
    desk.window.run();
    press(&mut desk.window, Key::Escape);
    assert_eq!((dialog(&desk), desk.plan()), (None, plan));
    assert!(desk.window.state().model.history.is_dirty());
}

/// Protects: "Do not save" goes on with what was asked for, without a file.
#[test]
fn unsaved_changes_can_be_left_behind() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    change(&mut desk);
    ctrl(&mut desk.window, Key::N);
    button(&mut desk.window, "Do not save");
    assert_eq!(desk.plan().name, "Untitled");
    assert!(desk.plan().roadmap.items.is_empty());
    assert!(!desk.window.state().model.history.is_dirty());

    let mut desk = Desk::new(app_of(roadmap_plan()));
    change(&mut desk);
    ask_to_close(&mut desk.window);
    desk.window.run();
    desk.window.get_by_role_and_label(Role::Button, "Do not save").click();
    let mut closed = false;
    for _ in 0..6 {
        desk.window.step();
        closed |= closes(&desk.window);
    }
    assert!(closed, "the window closes");
    ask_to_close(&mut desk.window);
    assert_eq!(dialog(&desk), None, "it does not ask twice");
}

/// Protects: "Save" saves first, then goes on.
#[test]
fn unsaved_changes_are_saved_first() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    change(&mut desk);
    let plan = desk.plan();
    let other = repository("sample-data/fleets/two-pods.ron");
    ctrl(&mut desk.window, Key::O);
    let path = desk.path("kept.ron");
    desk.script.pick(&path);
    desk.script.pick(&other);
    button(&mut desk.window, "Save");
    wait_until(&mut desk.window, "the other is open", |window| window.state().model.plan().name == "Two pods");
    assert_eq!(file::read(&fs::read_to_string(&path).unwrap()).unwrap().plan, plan);
}

/// Protects: an answer of the save dialog that is "cancel" neither closes nor loses anything.
#[test]
fn a_cancelled_save_goes_nowhere() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    change(&mut desk);
    let plan = desk.plan();
    ctrl(&mut desk.window, Key::N);
    desk.script.cancel();
    button(&mut desk.window, "Save");
    assert_eq!(desk.plan(), plan);
    let path = desk.save_as("later.ron");
    desk.window.run();
    assert_eq!(desk.plan(), plan, "the wish for a new plan is forgotten");
    assert!(path.is_file());
}

/// Protects: a file that another program changed is not replaced unasked, and nothing of both is lost by asking.
#[test]
fn a_file_that_changed_on_disk_is_asked_about() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let path = desk.save_as("shared.ron");
    let theirs = format!("{}\n// theirs\n", fs::read_to_string(&path).unwrap());
    fs::write(&path, &theirs).unwrap();
    change(&mut desk);
    ctrl(&mut desk.window, Key::S);
    wait_until(&mut desk.window, "it asks", |window| window.state().model.dialog.is_some());
    assert_eq!(dialog(&desk), Some(&Dialog::Overwrite(path.clone())));
    button(&mut desk.window, "Cancel");
    assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
    assert!(desk.window.state().model.history.is_dirty());
    ctrl(&mut desk.window, Key::S);
    wait_until(&mut desk.window, "it asks again", |window| window.state().model.dialog.is_some());
    button(&mut desk.window, "Replace");
    wait_until(&mut desk.window, "it is saved", |window| !window.state().model.history.is_dirty());
    assert_eq!(file::read(&fs::read_to_string(&path).unwrap()).unwrap().plan, desk.plan());
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("the program reads files itself, on its own thread".to_owned())
    }
}

/// Protects: a file that is dropped onto the window is opened.
#[test]
fn a_dropped_file_is_opened() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let path = repository("sample-data/fleets/two-pods.ron");
    desk.window.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    desk.window.step();
    wait_until(&mut desk.window, "it is open", |window| window.state().model.plan().name == "Two pods");
    ctrl(&mut desk.window, Key::Num2);
    desk.window.get_by_role_and_label(Role::TreeItem, "lab-5p");
    assert_eq!(desk.window.state().model.path(), None, "a fleet is only read");
}

/// Protects: the nodes of a cluster become a fleet that is shown, with what was strange about them, saved nowhere.
#[test]
fn an_inventory_becomes_a_fleet() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    desk.open_path(&repository("telemetry/tests/data/nodes.json"));
    wait_until(&mut desk.window, "it is imported", |window| !window.state().model.plan().fleet.pods.is_empty());
    assert_eq!(desk.window.state().view.view, View::Topology);
    assert!(says(&desk.window, "What was strange in nodes.json"));
    button(&mut desk.window, "Close");
    let pod = desk.plan().fleet.pods[0].id.to_string();
    desk.window.get_by_role_and_label(Role::TreeItem, &pod);
    assert!(says(&desk.window, &format!("Torus of {pod}")));
    assert!(desk.window.state().model.history.is_dirty(), "an import is not saved yet");
    assert_eq!(desk.window.state().model.path(), None);
}

/// Protects: the configuration of a model lists its matrix products and leaves the document alone.
#[test]
fn a_model_lists_its_matrix_products() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let plan = desk.plan();
    desk.open_path(&repository("sample-data/workloads/llama-3.1-8b.json"));
    wait_until(&mut desk.window, "it is read", |window| window.state().model.dialog == Some(Dialog::Workload));
    assert!(says(&desk.window, "Matrix products of llama"));
    assert!(says(&desk.window, "4\u{202f}096") || says(&desk.window, "4,096"), "the hidden size is among the numbers");
    button(&mut desk.window, "Close");
    assert_eq!((dialog(&desk), desk.plan()), (None, plan));
}

/// Protects: files that were opened are in the menu of the document, the newest first, and open by a click.
#[test]
fn recent_files_open_by_a_click() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let path = desk.save_as("recent.podium.ron");
    desk.open_path(&repository("sample-data/plans/fleet-north.ron"));
    assert_eq!(desk.window.state().recent[1], path);
    button(&mut desk.window, "Fleet north");
    button(&mut desk.window, "recent.podium.ron");
    wait_until(&mut desk.window, "it is open", |window| window.state().model.path() == Some(&path));
    assert_eq!(desk.window.state().recent[0], path);
}

/// Protects: a view is written as a picture where the dialog says.
#[test]
fn a_view_is_exported_as_a_picture() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    ctrl(&mut desk.window, Key::Num5);
    let path = desk.path("roadmap.png");
    desk.script.pick(&path);
    ctrl(&mut desk.window, Key::E);
    wait_until(&mut desk.window, "it is written", |window| window.state().model.message == "Picture written");
    let picture = image::open(&path).unwrap();
    assert_eq!((picture.width(), picture.height()), (3200, 2000));
}

/// Protects: a picture never takes the place of another file unasked, and never gets another file's ending.
#[test]
fn a_picture_asks_before_it_replaces_a_file() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let victim = desk.path("victim.ron");
    let taken = desk.path("victim.ron.png");
    fs::write(&victim, "a plan").unwrap();
    fs::write(&taken, "a picture").unwrap();
    desk.window.state_mut().intents.push(Intent::ExportTo(victim.clone()));
    wait_until(&mut desk.window, "it is asked", |window| window.state().model.dialog.is_some());
    assert_eq!(dialog(&desk), Some(&Dialog::ReplacePicture(taken.clone())));
    button(&mut desk.window, "Cancel");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "a plan");
    assert_eq!(fs::read_to_string(&taken).unwrap(), "a picture");
}

/// Protects: of an imported fleet nothing is known until a job runs, so nothing is drawn as zero.
#[test]
fn an_imported_fleet_has_no_values() {
    let text = fs::read_to_string(repository("telemetry/tests/data/nodes.json")).unwrap();
    let fleet = telemetry::inventory::import(&[("nodes.json", &text)]).unwrap().fleet;
    let plan = planning::plan::Plan { fleet: Arc::new(fleet), ..planning::plan::Plan::default() };
    let mut app = app_of(plan);
    app.settle();
    assert!(app.model.plan().fleet.n_chips() > 0);
    assert_eq!(app.model.store.series().count(), 0);
}
