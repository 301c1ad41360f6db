//! Files that are damaged, cut off, foreign, huge or endlessly nested: a message with its place, and nothing lost.

use std::fs::File;

use app::model::Dialog;
use egui::Key;
use expect_test::{Expect, expect};

use crate::documents::change;
use crate::drive::*;

/// Opens a damaged file over a document, checks the message and that nothing else happened.
fn refused(name: &str, contents: &[u8], expected: &Expect) {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let before = (desk.save_as("mine.ron"), desk.plan());
    desk.open(name, contents);
    told(&mut desk, expected);
    assert_eq!(desk.plan(), before.1);
    assert_eq!(desk.window.state().model.path(), Some(before.0.as_path()));
}

/// The message in the middle of the window, as text and on screen; it is closed afterwards.
fn told(desk: &mut Desk, expected: &Expect) {
    let Some(Dialog::Problem(problem)) = desk.window.state().model.dialog.clone() else { panic!("no message") };
    let folder = desk.folder.path().display().to_string();
    expected.assert_eq(&format!("{problem}\n").replace(&folder, "…"));
    for words in [&problem.title, &problem.detail, &problem.hint, &problem.place()] {
        assert!(says(&desk.window, words), "{words:?} is on screen");
    }
    assert!(says(&desk.window, "Nothing was changed"));
    button(&mut desk.window, "Close");
    assert_eq!(desk.window.state().model.dialog, None);
}

/// Protects: a slip of the pen is told with line and column.
#[test]
fn a_damaged_plan_is_told_with_line_and_column() {
    let text = planning::SAMPLE_TEXT.replacen("shape: \"16x16x16\"", "shape: \"16x16xx\"", 1);
    refused(
        "damaged.ron",
        text.as_bytes(),
        &expect![[r#"
        Could not open damaged.ron: "16x16xx" is not a shape: a size is missing at character 7; write sizes joined by x, such as 4x4x8
        Correct it in a text editor; docs/formats.md shows an example of each part.
        …/damaged.ron:20:23
    "#]],
    );
}

/// Protects: after a message work goes on, and unsaved changes that were given up for the file are still there.
#[test]
fn work_goes_on_after_a_message() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let path = desk.save_as("mine.ron");
    change(&mut desk);
    let plan = desk.plan();
    let other = desk.path("other.ron");
    std::fs::write(&other, "(milestones: [])").unwrap();
    ctrl(&mut desk.window, Key::O);
    desk.script.pick(&other);
    button(&mut desk.window, "Do not save");
    wait_until(&mut desk.window, "it is refused", |window| window.state().model.dialog.is_some());
    button(&mut desk.window, "Close");
    assert_eq!(desk.plan(), plan);
    ctrl(&mut desk.window, Key::S);
    wait_until(&mut desk.window, "it is saved", |window| !window.state().model.history.is_dirty());
    assert_eq!(planning::file::read(&std::fs::read_to_string(path).unwrap()).unwrap().plan, plan);
}

/// Protects: half a file is recognised as such.
#[test]
fn a_truncated_plan_is_told() {
    let text = &planning::SAMPLE_TEXT[..4000];
    refused(
        "half.ron",
        text.as_bytes(),
        &expect![[r#"
            Could not open half.ron: Expected end of string
            A text that begins here never ends: its closing quote is missing, or the file is cut off.
            …/half.ron:152:22
        "#]],
    );
}

/// Protects: files of other programs are named, whether text, JSON or bytes.
#[test]
fn foreign_files_are_named() {
    refused(
        "list.ron",
        b"(milestones: [])\n",
        &expect![[r#"
        Could not open list.ron: this is not a Podium file
        A Podium file begins with (kind: "podium-plan", format: 1, …
        …/list.ron:1:16
    "#]],
    );
    refused(
        "jobs.json",
        b"{\n  \"jobs\": [1, 2]\n}\n",
        &expect![[r#"
            Could not import jobs.json: this is JSON, but no inventory that is known here
            Known are nodes, pods and slices of a cluster, node pools, instances, TPU VMs, queued resources and reservation sub-blocks.
            …/jobs.json
        "#]],
    );
    refused(
        "broken.json",
        b"{\n  \"kind\": \"List\",\n  \"items\": [{]\n}\n",
        &expect![[r#"
        Could not import broken.json: key must be a string
        Export the list once more, with -o json or --format json.
        …/broken.json:3:14
    "#]],
    );
    refused(
        "photo.ron",
        b"\x89PNG\r\n\x1a\n\0\0",
        &expect![[r#"
            Could not open photo.ron: this is a PNG picture, not UTF-8 text
            Choose another file, or save it as UTF-8 text
            …/photo.ron
        "#]],
    );
    refused(
        "newer.ron",
        b"(kind: \"podium-plan\", format: 99, body: ())",
        &expect![[r#"
            Could not open newer.ron: the file has format 99, this program knows formats up to 1
            Open it with a newer Podium, or save it there for this version.
            …/newer.ron:1:23
        "#]],
    );
}

/// Protects: deep nesting neither overflows the stack nor passes for a plan.
#[test]
fn endless_nesting_is_refused() {
    refused(
        "deep.ron",
        "(".repeat(200).as_bytes(),
        &expect![[r#"
        Could not open deep.ron: more than 64 brackets are open here
        It was not written by Podium.
        …/deep.ron:1:65
    "#]],
    );
    let json = format!("{{\"items\": {}{}}}", "[".repeat(200), "]".repeat(200));
    refused(
        "deep.json",
        json.as_bytes(),
        &expect![[r#"
        Could not import deep.json: recursion limit exceeded
        Export the list once more, with -o json or --format json.
        …/deep.json:1:137
    "#]],
    );
    refused(
        "abyss.json",
        "[".repeat(2_000_000).as_bytes(),
        &expect![[r#"
        Could not import abyss.json: recursion limit exceeded
        Export the list once more, with -o json or --format json.
        …/abyss.json:1:128
    "#]],
    );
}

/// Protects: a file of 500 MB is refused at once, by drop and by dialog, without being read.
#[test]
fn a_huge_file_is_refused() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let plan = desk.plan();
    let path = desk.path("huge.ron");
    File::create(&path).unwrap().set_len(500_000_000).unwrap();
    desk.open_path(&path);
    told(
        &mut desk,
        &expect![[r#"
        Could not open huge.ron: the file holds 477 MiB, the limit is 64 MiB
        Check that it is the right file, or split it
        …/huge.ron
    "#]],
    );
    assert_eq!(desk.plan(), plan);
}

/// Protects: what is not there is told too, and does not enter the recent files.
#[test]
fn a_missing_file_is_told() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let path = desk.path("gone.ron");
    desk.open_path(&path);
    told(
        &mut desk,
        &expect![[r#"
        Could not open gone.ron: there is no such file
        Check the path
        …/gone.ron
    "#]],
    );
    assert!(desk.window.state().recent.is_empty());
}

/// Protects: unknown keys of a plan are told when it is opened, because saving loses them.
#[test]
fn unknown_keys_are_told() {
    let mut desk = Desk::new(app_of(roadmap_plan()));
    let text = planning::SAMPLE_TEXT.replacen("name: \"Fleet north\",", "name: \"Fleet north\", colour: \"red\",", 1);
    desk.open("keys.ron", text.as_bytes());
    let Some(Dialog::Findings(title, findings)) = desk.window.state().model.dialog.clone() else {
        panic!("nothing was told")
    };
    assert_eq!(title, "keys.ron was opened with remarks");
    assert_eq!(findings.len(), 1);
    assert!(findings[0].contains("colour"), "{findings:?}");
    assert!(says(&desk.window, &findings[0]));
}
