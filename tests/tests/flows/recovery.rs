//! Unsaved work after a crash.

use std::fs;
use std::path::Path;

use app::intent::Intent;
use app::model::Dialog;
use egui::Key;

use crate::documents::change;
use crate::drive::*;

fn copies(folder: &Path) -> usize {
    let sessions = fs::read_dir(folder.join("data/autosave")).into_iter().flatten();
    let files = sessions.flat_map(|session| fs::read_dir(session.unwrap().path()).into_iter().flatten());
    files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|e| e == "autosave")).count()
}

/// A program that crashed with unsaved changes: its folder, and the plan that was not saved.
fn crashed() -> (tempfile::TempDir, planning::plan::Plan) {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    change(&mut desk);
    let folder = desk.folder.path().to_owned();
    wait_until(&mut desk.window, "there is a copy", |_| copies(&folder) == 1);
    let plan = desk.plan();
    // Dropped without a word to the disk, as after a crash: the copy stays, its lock is free.
    (desk.folder, plan)
}

/// Protects: after a crash the next start offers what was not saved, and brings it back as unsaved work.
#[test]
fn after_a_crash_the_work_is_offered_and_comes_back() {
    let (folder, plan) = crashed();
    let mut desk = Desk::in_folder(app_of(planning::plan::Plan::default()), folder);
    assert_eq!(desk.window.state().model.dialog, Some(Dialog::Recoveries));
    assert!(says(&desk.window, "Unsaved changes were found"));
    button(&mut desk.window, "Recover");
    wait_until(&mut desk.window, "it is back", |window| !window.state().model.plan().roadmap.items.is_empty());
    assert_eq!(desk.plan(), plan);
    assert!(desk.window.state().model.history.is_dirty(), "it is still not saved");
    let path = desk.save_as("rescued.ron");
    assert!(path.is_file());
    let folder = desk.folder.path().to_owned();
    wait_until(&mut desk.window, "no copy is left", |_| copies(&folder) == 0);
}

/// Protects: what is put off is offered again, what is discarded is not.
#[test]
fn offers_can_be_put_off_and_discarded() {
    let (folder, _) = crashed();
    let mut desk = Desk::in_folder(app_of(roadmap_plan()), folder);
    button(&mut desk.window, "Decide later");
    assert_eq!(desk.window.state().model.dialog, None);
    let Desk { window, folder, .. } = desk;
    drop(window);
    let mut desk = Desk::in_folder(app_of(roadmap_plan()), folder);
    button(&mut desk.window, "Discard");
    assert_eq!(desk.window.state().model.dialog, None);
    assert_eq!(copies(desk.folder.path()), 0);
    let Desk { window, folder, .. } = desk;
    drop(window);
    let desk = Desk::in_folder(app_of(roadmap_plan()), folder);
    assert_eq!(desk.window.state().model.dialog, None);
}

/// Protects: a plan that is saved leaves no copy, and a clean plan makes none.
#[test]
fn a_saved_plan_leaves_no_copy() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    desk.window.run_steps(10);
    assert_eq!(copies(desk.folder.path()), 0, "nothing was changed");
    change(&mut desk);
    let folder = desk.folder.path().to_owned();
    wait_until(&mut desk.window, "there is a copy", |_| copies(&folder) == 1);
    desk.save_as("done.ron");
    wait_until(&mut desk.window, "no copy is left", |_| copies(&folder) == 0);
    ctrl(&mut desk.window, Key::Z);
    assert!(desk.window.state().model.history.is_dirty(), "undo goes past the save");
}

/// Protects: a start on a file does not close the offer of what a crash left behind.
#[test]
fn a_file_opened_at_the_start_leaves_the_offer_open() {
    let (folder, _) = crashed();
    let mut desk = Desk::in_folder(app_of(roadmap_plan()), folder);
    let path = desk.path("other.ron");
    fs::write(&path, planning::file::write(&small_plan())).unwrap();
    desk.window.state_mut().intents.push(Intent::OpenFile(path.clone()));
    wait_until(&mut desk.window, "it is open", |window| window.state().model.path() == Some(path.as_path()));
    assert_eq!(desk.window.state().model.dialog, Some(Dialog::Recoveries));
    button(&mut desk.window, "Discard");
    assert_eq!(desk.window.state().model.dialog, None);
}
