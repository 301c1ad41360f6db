//! Every message that a wrong call or a bad file can meet: what, where, what to do, and the exit status.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use app::cli::failure::Status;
use expect_test::{Expect, expect};
use looks::command_line::{HOUSE, podium};
use serde_json::Value;

/// The complaint of a wrong call, which answers nothing.
fn check(arguments: &str, status: Status, expected: &Expect) {
    let ran = podium(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{arguments}");
    expected.assert_eq(&ran.err);
}

#[test]
fn a_wrong_slice_is_status_1() {
    check(
        "slice v5p 4x8x6",
        Status::Found,
        &expect![[r#"
        error: TPU v5p has no slice 4x8x6: beyond one cube every size must be a multiple of 4
          where: SHAPE
          hint: The nearest legal shapes are 4x8x8, 4x4x8, 4x8x12, 4x4x12; a part of 4x8x8 would do
    "#]],
    );
    check(
        "slice v5q 4x4x4",
        Status::Found,
        &expect![[r#"
        error: there is no chip generation "v5q"; did you mean v5e or v5p?
          where: GENERATION
          hint: List all with `podium chips`
    "#]],
    );
    check(
        "slice v5p 4x4x4 --twist",
        Status::Found,
        &expect![[r#"
        error: TPU v5p 4x4x4 cannot be twisted
          where: --twist
          hint: Leave the twist out; podium slices says which shapes can be twisted
    "#]],
    );
    check(
        "slices v5p --chips 129",
        Status::Found,
        &expect![[r#"
        error: TPU v5p has no slice of 129 chips
          where: --chips
          hint: The nearest sizes are 128, 192, 64 chips
    "#]],
    );
    check(
        "slices tpu8i",
        Status::Found,
        &expect![[r#"
        error: no source says which slices TPU 8i has
          where: GENERATION
    "#]],
    );
}

#[test]
fn a_wrong_chip_is_status_1() {
    check(
        "route v5p 4x4x8 0,0,0 4,0,0",
        Status::Found,
        &expect![[r#"
        error: chip 4 0 0 lies outside of 4x4x8
          where: TO
          hint: Each number is counted from 0 and below the size of its axis
    "#]],
    );
    check(
        "route v5e 2x4 0,0 1,1 --fail link:1,0,0:x",
        Status::Found,
        &expect![[r#"
        error: the slice 2x4 has no link 1 0 0 x
          where: --fail
    "#]],
    );
}

#[test]
fn a_wrong_product_or_file_is_status_1() {
    check(
        "matmul --chip v3 -m 1 -k 1 -n 1 --dtype fp8",
        Status::Found,
        &expect![[r#"
        error: v3 has no published fp8 peak; known are: bf16
          where: --chip, --dtype
          hint: See `podium chips` for what is known
    "#]],
    );
    check(
        "no-such-file.ron",
        Status::Found,
        &expect![[r#"
            error: there is no file no-such-file.ron, and no such command
              where: FILE
              hint: Check the path; `podium help` lists the commands
        "#]],
    );
}

#[test]
fn a_wrong_call_is_status_2() {
    check(
        "slice v5p",
        Status::Usage,
        &expect![[r#"
        error: the following required arguments were not provided: <SHAPE>
          where: <SHAPE>
          hint: Usage: podium slice <GENERATION> <SHAPE>
    "#]],
    );
    check(
        "slice v5p 4x4x8 --twist --no-twist",
        Status::Usage,
        &expect![[r#"
        error: the argument '--twist' cannot be used with '--no-twist'
          where: --twist
          hint: Usage: podium slice --twist <GENERATION> <SHAPE>
    "#]],
    );
    check(
        "slice v5p 4x4x8 --twits",
        Status::Usage,
        &expect![[r#"
        error: unexpected argument '--twits' found
          where: --twits
          hint: tip: a similar argument exists: '--twist'; Usage: podium slice --twist <GENERATION> <SHAPE>
    "#]],
    );
}

#[test]
fn a_wrong_call_of_a_product_is_status_2() {
    check(
        "matmul -m 8 -k 8 -n 8",
        Status::Usage,
        &expect![[r#"
        error: the following required arguments were not provided: --chip <GEN>
          where: --chip <GEN>
          hint: Usage: podium matmul -m <M> -k <K> -n <N> --chip <GEN>
    "#]],
    );
    check(
        "matmul --chip v6e -m -1 -k 8 -n 8",
        Status::Usage,
        &expect![[r#"
            error: invalid value '-1' for '-m <M>': invalid digit found in string
              where: -m <M>
              hint: See `podium help`
        "#]],
    );
    check(
        "matmul --chip v6e -m 8 -k 8 -n 8 --dtype f64",
        Status::Usage,
        &expect![[r#"
        error: "f64" is not a number format; write one of bf16, int8, fp8, int4, f32
          where: --dtype
    "#]],
    );
    check(
        "matmul --array 8 -m 8 -k 8 -n 8",
        Status::Usage,
        &expect![[r#"
        error: "8" is not an array size; write rows and columns joined by x, such as 128x128
          where: --array
    "#]],
    );
    check(
        "matmul --array 8x8 --dataflow xs -m 8 -k 8 -n 8",
        Status::Usage,
        &expect![[r#"
        error: "xs" is not a dataflow; write one of ws, os, is
          where: --dataflow
    "#]],
    );
}

#[test]
fn a_wrong_call_of_other_commands_is_status_2() {
    check(
        "render -o a.jpg",
        Status::Usage,
        &expect![[r#"
        error: a.jpg is not a .png
          where: -o
          hint: Only PNG pictures can be made; let the name end in .png
    "#]],
    );
    check(
        "render -o a.png --size 0x9",
        Status::Usage,
        &expect![[r#"
        error: "0x9" is not a size in pixels
          where: --size
          hint: Write width and height from 1 to 16384 joined by x, such as 1600x1000
    "#]],
    );
    check(
        "render -o a.png --view cellar",
        Status::Usage,
        &expect![[r#"
            error: there is no view "cellar"
              where: --view
              hint: Views are overview, topology, live, what-if, roadmap, capacity, reliability, present, board
        "#]],
    );
    check(
        "render -o a.png --theme pink",
        Status::Usage,
        &expect![[r#"
            error: invalid value 'pink' for '--theme <THEME>' [possible values: dark, light]
              where: --theme <THEME>
              hint: See `podium help`
        "#]],
    );
    check(
        "completions cmd",
        Status::Usage,
        &expect![[r#"
            error: invalid value 'cmd' for '<SHELL>' [possible values: bash, elvish, fish, powershell, zsh]
              where: <SHELL>
              hint: See `podium help`
        "#]],
    );
    check(
        "cheks chips",
        Status::Usage,
        &expect![[r#"
        error: there is no command cheks
          where: COMMAND
          hint: Did you mean `podium chips …`?
    "#]],
    );
    check(
        "check",
        Status::Usage,
        &expect![[r#"
        error: the following required arguments were not provided: <FILES>...
          where: <FILES>...
          hint: Usage: podium check <FILES>...
    "#]],
    );
}

/// Protects scripts: with `--json` even a complaint about the call is an object on standard output.
#[test]
fn with_json_a_complaint_is_an_object_too() {
    for (arguments, kind, place) in [
        ("slice v5p 4x8x6 --json", "illegal_shape", Value::from("SHAPE")),
        ("slice v5p --json", "usage", Value::from("<SHAPE>")),
        ("--json chips v99", "unknown_generation", Value::from("GENERATION")),
    ] {
        let ran = podium(&arguments.split(' ').collect::<Vec<_>>());
        assert!(ran.err.starts_with("error: "), "{arguments}");
        let answer: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(answer["schema"], 1);
        let error = &answer["error"];
        assert_eq!((&error["kind"], &error["where"]), (&kind.into(), &place), "{arguments}");
        assert!(error["message"].is_string() && error.get("hint").is_some(), "{arguments}");
    }
    let ran = podium(&["slice", "v5p", "4x8x6", "--json"]);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["error"]["nearest"].as_array().unwrap().len(), 4);
}

/// A pipe whose reader has gone, or a full disk.
struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _bytes: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

#[test]
fn a_reader_that_stops_is_no_error_and_a_full_disk_is() {
    for (kind, status) in [(io::ErrorKind::BrokenPipe, Status::Done), (io::ErrorKind::StorageFull, Status::Found)] {
        for command in [&["chips"][..], &["chips", "--json"], &["help"], &["completions", "bash"]] {
            let mut err = Vec::new();
            let all = ["podium"].iter().chain(command).map(Into::into);
            assert_eq!(app::cli::run(all, &HOUSE, &mut Broken(kind), &mut err), status, "{command:?}");
            assert_eq!(err.is_empty(), status == Status::Done, "{command:?}");
        }
    }
    // Nobody can be told, but the status is right and nothing panics.
    let all = ["podium", "slice", "v5p", "9x9x9"].map(Into::into);
    let broken = io::ErrorKind::BrokenPipe;
    assert_eq!(app::cli::run(all, &HOUSE, &mut Broken(broken), &mut Broken(broken)), Status::Found);
}

/// A name from a file or an argument must not move the cursor, set the title or turn the text around.
#[test]
fn names_cannot_command_the_terminal() {
    // Every format and separator control of Unicode, alone.
    let ranges = [0xad..=0xad, 0x61c..=0x61c, 0x180e..=0x180e, 0x200b..=0x200f, 0x2028..=0x202e, 0x2060..=0x206f];
    let later = [0xfeff..=0xfeff, 0xfff9..=0xfffb, 0xe0000..=0xe007f, 0x7f..=0x9f, 1..=9];
    let hidden: String = ranges.into_iter().chain(later).flatten().filter_map(char::from_u32).collect();
    for json in [&[][..], &["--json"]] {
        let ran = podium(&[&["check", hidden.as_str()], json].concat());
        assert!(!(ran.out.clone() + &ran.err).contains(|c| hidden.contains(c)), "{:?}", ran.out);
        if !json.is_empty() {
            let answer: Value = serde_json::from_str(&ran.out).unwrap();
            assert_eq!(answer["findings"][0]["where"], hidden, "JSON says the name as it is");
        }
    }
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}txt";
    for arguments in [&["slice", hostile, "4x4x4"][..], &["slice", "v5p", hostile], &["check", hostile], &[hostile]] {
        for json in [&[][..], &["--json"]] {
            let ran = podium(&[arguments, json].concat());
            assert_ne!(ran.status, Status::Done);
            for text in [&ran.out, &ran.err] {
                let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
                assert!(!text.contains(bad), "{text:?}");
            }
            if !json.is_empty() {
                assert!(serde_json::from_str::<Value>(&ran.out).is_ok(), "{}", ran.out);
            }
        }
    }
}

/// A line break in a name must not make a line that looks like another finding.
#[test]
fn a_name_cannot_forge_a_line() {
    let dir = tempfile::tempdir().unwrap();
    let plan = dir.path().join("plan.ron");
    let sample = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("broken/hostile-name.ron")).unwrap();
    fs::write(&plan, sample.replacen("id: \"", r#"id: "a\nfleet.ron: error: fake [fake]\tb\rc"#, 1)).unwrap();
    let ran = podium(&["check", plan.to_str().unwrap()]);
    assert!(ran.out.contains(r"pod a\nfleet.ron: error: fake [fake]\tb\rc"), "{}", ran.out);
    assert!(!ran.out.lines().any(|line| line.starts_with("fleet.ron")), "{}", ran.out);
    for arguments in [&["check", "a\nb: error: c [d]"][..], &["slice", "v5p\nb: d", "4x4x4"], &["import", "a\nb: d"]] {
        let ran = podium(arguments);
        let said = ran.out + &ran.err;
        assert!(said.contains("\\nb: ") && !said.lines().any(|line| line.starts_with("b: ")), "{said}");
    }
}

/// Protects patience and memory: what would run for half an hour or take gigabytes is refused with its limit.
#[test]
fn what_is_too_large_is_refused_at_once() {
    check(
        "matmul -m 4096 -k 4096 -n 4096 --array 1x1 --execute",
        Status::Found,
        &expect![[r#"
        error: 68719476736 passes of a row through a fold (folds times M) are too many to execute; at most 2500000000
          where: --execute
          hint: Choose a larger --array or a smaller product
    "#]],
    );
    check(
        "render -o a.png --size 16384x16384",
        Status::Usage,
        &expect![[r#"
        error: 16384x16384 is too large: 269 megapixels, the limit is 64
          where: --size
          hint: Choose a smaller width or height
    "#]],
    );
}

/// What cannot be read says how to write it.
#[test]
fn what_cannot_be_read_says_how_to_write_it() {
    check(
        "slice v5p 4x4a",
        Status::Usage,
        &expect![[r#"
        error: "4x4a" is not a shape: a size holds something other than digits at character 4; write sizes joined by x, such as 4x4x8
          where: SHAPE
    "#]],
    );
    check(
        "route v5p 4x4x8 0,0,0 a",
        Status::Usage,
        &expect![[r#"
        error: "a" is not a chip: write two or three numbers with blanks or commas between them, such as 3,5,13
          where: TO
    "#]],
    );
    check(
        "route v5p 4x4x8 0,0,0 1,1,1 --fail fan:1",
        Status::Usage,
        &expect![[r#"
        error: "fan:1" is not a component: write chip:1,2,3, host:0,0,0, cube:0,1,0, link:1,2,3:x (the link from that chip towards larger x) or ocs:x:1,2 (the optical switch of x at that place of the cubes' faces)
          where: --fail
    "#]],
    );
    check(
        "matmul --chip v6e -m 0 -k 1 -n 1",
        Status::Usage,
        &expect![[r#"
        error: M = 0 is not possible: a size lies between 1 and 16777216
          where: -m, -k, -n
    "#]],
    );
}

/// Values that are no value of their flag are wrong usage, in every command.
#[test]
fn values_that_cannot_be_read_are_status_2() {
    for arguments in [
        "matmul --array 0x0 -m 8 -k 8 -n 8",
        "matmul --array 8x8 -m 8 -k 8 -n 8 --dtype f64",
        "matmul --array 8x8 -m 0 -k 8 -n 8",
        "route v5p 4x4x8 0,0,0 1,1,1 --fail bad",
        "route v5p 4x4x8 bad 1,1,1",
        "slice v5p 0x0x0",
        "render -o a.png --size 1",
    ] {
        let ran = podium(&[&arguments.split(' ').collect::<Vec<_>>()[..], &["--json"]].concat());
        assert_eq!(ran.status, Status::Usage, "{arguments}");
        assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap()["error"]["kind"], "usage", "{arguments}");
    }
}

/// A picture that cannot be is told before a file is read or anything is drawn.
#[test]
fn a_picture_that_cannot_be_is_told_first() {
    check(
        "render -o .png",
        Status::Usage,
        &expect![[r#"
        error: .png has no name before its ending
          where: -o
          hint: Write a name before the ending, such as topology.png
    "#]],
    );
    check(
        "render no-such-file.ron -o no-such-folder/a.png",
        Status::Found,
        &expect![[r#"
        error: there is no folder no-such-folder
          where: -o
          hint: Make the folder, or save elsewhere
    "#]],
    );
}

/// A finding of an inventory names its file once.
#[test]
fn a_finding_names_its_file_once() {
    let nodes = concat!(env!("CARGO_MANIFEST_DIR"), "/../telemetry/tests/data/nodes.json");
    let ran = podium(&["check", nodes]);
    assert!(ran.out.starts_with(nodes), "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.matches(nodes).count() <= 1), "{}", ran.out);
}

/// Each `tests/broken/NAME.*` has a NAME.txt with what `podium check` says of it.
#[test]
fn every_bad_file_gives_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("broken");
    let mut inputs: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.retain(|path| path.extension().is_some_and(|extension| extension != "txt"));
    inputs.sort();
    assert!(inputs.len() >= 16, "only {} bad files", inputs.len());
    for input in inputs {
        let ran = podium(&["check", input.to_str().unwrap()]);
        assert_eq!((ran.status, ran.err.as_str()), (Status::Found, ""), "{}", input.display());
        let said = ran.out.replace(&format!("{}/", folder.display()), "");
        expect_test::expect_file![input.with_extension("txt")].assert_eq(&said);
    }
}

/// 500 MB that are not there: refused at once, with the size and the limit, and without reading.
#[test]
fn a_huge_file_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("huge.ron");
    fs::File::create(&path).unwrap().set_len(500_000_000).unwrap();
    let ran = podium(&["check", path.to_str().unwrap()]);
    assert_eq!(ran.status, Status::Found);
    expect![[r#"
        …/huge.ron: error: the file holds 477 MiB, the limit is 64 MiB [too-large]
          hint: Check that it is the right file, or split it
    "#]]
    .assert_eq(&ran.out.replace(&dir.path().display().to_string(), "…"));
}

#[test]
fn whole_files_have_no_findings() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-data/plans");
    let mut files: Vec<String> =
        fs::read_dir(samples).unwrap().map(|e| e.unwrap().path().display().to_string()).collect();
    files.sort();
    let arguments: Vec<&str> = ["check"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let ran = podium(&arguments);
    assert_eq!((ran.status, ran.err.as_str()), (Status::Done, ""), "{}", ran.out);
}
