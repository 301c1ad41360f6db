//! Files: what is written is read back, what is broken is explained, and nothing makes the reader panic.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use expect_test::{Expect, expect, expect_file};
use planning::file::{self, Kind};
use planning::plan::{Anchor, DocumentId, Note, NoteId, Plan};
use planning::{Item, ItemId, Roadmap, SAMPLE_TEXT, sample};
use proptest::prelude::*;

fn check(text: &str, expect: &Expect) {
    let found = match file::read(text) {
        Ok(opened) => format!("opened with {} warnings\n{}\n", opened.warnings.len(), opened.warnings.join("\n")),
        Err(error) => format!("{error}\n"),
    };
    expect.assert_eq(&found);
}

#[test]
fn says_what_a_foreign_file_is() {
    check(
        "",
        &expect![[r#"
        the file is empty. Look for an autosave or an older copy.
    "#]],
    );
    check(
        "{\"items\": []}",
        &expect![[r#"
        line 1, column 1: this is JSON. Use import for inventories and model configurations.
    "#]],
    );
    check(
        "\u{89}PNG\r\n",
        &expect![[r#"
        line 1, column 1: this is a PNG picture. Choose the .ron file that it was made from.
    "#]],
    );
    check(
        "(kind: \"podium-plan\", format: 1,\n body: \0",
        &expect![[r#"
        line 2, column 8: this is not a text file. Choose the .ron file that it was made from.
    "#]],
    );
    check(
        "(kind: \"shopping\u{202e}-list\", format: 1)",
        &expect![[r#"
            line 1, column 2: this is a file of kind "shopping�-list". Only podium-plan and podium-fleet can be opened here.
        "#]],
    );
    check(
        "(milestones: [])",
        &expect![[r#"
        line 1, column 16: this is not a Podium file. A Podium file begins with (kind: "podium-plan", format: 1, …
    "#]],
    );
    check(
        "hello",
        &expect![[r#"
        line 1, column 1: this is not a Podium file. A Podium file begins with (kind: "podium-plan", format: 1, …
    "#]],
    );
}

#[test]
fn says_where_a_file_is_wrong_and_what_to_do() {
    check(
        "(kind: \"podium-plan\", format: 7, body: (what: Ever([])))",
        &expect![[r#"
            line 1, column 23: the file has format 7, this program knows formats up to 1. Open it with a newer Podium, or save it there for this version.
        "#]],
    );
    check(
        "(kind: \"podium-plan\", format: 1, body: (name: \"a\",",
        &expect![[r#"
        line 1, column 50: Unexpected end of RON. The file seems to be cut off; look for a whole copy or an autosave.
    "#]],
    );
    check(
        "(kind: \"podium-plan\", format: 1, body: (\n  notes: []))",
        &expect![[r#"
        line 2, column 12: Unexpected missing field named `name` in `Plan`. The keys of each kind of file are listed in docs/formats.md.
    "#]],
    );
    check(
        "(kind: \"podium-plan\", format: 1,\nbody: (name: \"a\", roadmap: (items: [(id: \"K\", title: \"t\", progress: NaN)])))",
        &expect![[r#"
            line 2, column 69: NaN is not a fraction: the number must lie between 0 and 1. Correct it in a text editor; docs/formats.md shows an example of each part.
        "#]],
    );
    check(
        "(kind: \"podium-plan\", format: 1,\nbody: (name: \"a\", roadmap: (items: [(id: \"K\", title: \"t\", start: \"2026-02-30\")])))",
        &expect![[r#"
            line 2, column 67: parsed date is not valid: parameter 'day' for `2026-02` is invalid, must be in range `1..=28`. Correct it in a text editor; docs/formats.md shows an example of each part.
        "#]],
    );
    check(
        "(kind: \"podium-fleet\", format: 1,\nbody: (name: \"a\", pods: [(id: \"p\", generation: \"v5p\", shape: \"4x0x4\")]))",
        &expect![[r#"
            line 2, column 63: "4x0x4" is not a shape: a size must lie between 1 and 4096 at character 3; write sizes joined by x, such as 4x4x8. Correct it in a text editor; docs/formats.md shows an example of each part.
        "#]],
    );
    check(
        "(kind: \"podium-fleet\", format: 1,\nbody: (name: \"a\", pods: [(id: \"p\", generation: \"v5p\", shape: \"4096x4096x4096\")]))",
        &expect![[r#"
            line 2, column 63: 4096x4096x4096 has more than 65536 chips. Correct it in a text editor; docs/formats.md shows an example of each part.
        "#]],
    );
    check(
        "(kind: \"podium-plan\", format: 1, body: (name: \"a\", thresholds: (straggler_sigmas: -inf)))",
        &expect![[r#"
            line 1, column 83: -inf is not a finite number above 0. Correct it in a text editor; docs/formats.md shows an example of each part.
        "#]],
    );
}

#[test]
fn names_what_it_does_not_know_instead_of_losing_it_in_silence() {
    check(
        "(kind: \"podium-plan\", format: 1, body: (name: \"a\", colour: 3, notes: [(id: 1, text: \"t\", by: \"me\")]))",
        &expect![[r#"
            opened with 2 warnings
            "body.colour" is not known and is lost when the file is saved
            "body.notes.0.by" is not known and is lost when the file is saved
        "#]],
    );
}

#[test]
fn deep_nesting_is_refused_before_parsing() {
    let deep = format!("(kind: \"podium-plan\", format: 1, body: {}", "(a: [".repeat(200));
    check(
        &deep,
        &expect![[r#"
        line 1, column 199: more than 64 brackets are open here. It was not written by Podium.
    "#]],
    );
    let huge = "[".repeat(3_000_000);
    assert!(file::read(&format!("(a: {huge}")).is_err());
    let brackets_in_text =
        format!("(kind: \"podium-plan\", format: 1, body: (name: \"{}\")) // {}", "(".repeat(100), "[".repeat(100));
    assert!(file::read(&brackets_in_text).is_ok());
}

#[test]
fn cut_anywhere_the_sample_is_an_error_and_never_a_panic() {
    let places: Vec<usize> = SAMPLE_TEXT.char_indices().map(|(i, _)| i).step_by(397).collect();
    for at in places {
        let error = file::read(&SAMPLE_TEXT[..at]).unwrap_err();
        assert!(at == 0 || error.line.is_some(), "{at}: {error}");
    }
}

#[test]
fn the_sample_is_written_as_it_is_stored() {
    let opened = file::read(SAMPLE_TEXT).unwrap();
    assert_eq!((opened.kind, opened.warnings.len()), (Kind::Plan, 0));
    expect_file!["../../sample-data/plans/fleet-north.ron"].assert_eq(&file::write(&opened.plan));
}

#[test]
fn a_fleet_file_opens_as_a_plan_that_holds_it() {
    let fleet = Arc::clone(&sample().fleet);
    let opened = file::read(&file::write_fleet(&fleet)).unwrap();
    assert_eq!((opened.kind, &opened.plan.fleet, opened.plan.name.as_str()), (Kind::Fleet, &fleet, "Fleet north"));
}

fn plan() -> impl Strategy<Value = Plan> {
    let words = "[ -~äß“\n\t\\\\\"]{0,12}";
    let note = (any::<u32>(), words, prop::option::of(words)).prop_map(|(id, text, item)| {
        let anchor = item.map(|item| Anchor::Item(ItemId(item)));
        Note { id: NoteId(id), text, anchor, written: None }
    });
    let item = (words, words, prop::option::of(-3000..3000_i32), prop::option::of(words), 0.0..=1.0_f64);
    let item = item.prop_map(|(id, title, start, blocked, progress)| {
        let start = start.map(|n| jiff::civil::date(2026, 11, 30).checked_add(jiff::Span::new().days(n)).unwrap());
        let progress = topology::units::Fraction::clamped(progress);
        Item { start, finish: start, blocked, progress, ..Item::new(ItemId(id), title) }
    });
    let parts = (words, words, prop::collection::vec(note, 0..4), prop::collection::vec(item, 0..6), any::<u64>());
    parts.prop_map(|(id, name, notes, items, seed)| {
        let mut plan = Plan { notes: Arc::new(notes), ..Plan::new(DocumentId(id), name) };
        plan.roadmap = Arc::new(Roadmap { items, ..Roadmap::default() });
        plan.fleet = Arc::clone(&sample().fleet);
        plan.live.seed = seed;
        plan
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(plan in plan()) {
        let text = file::write(&plan);
        let opened = file::read(&text).unwrap();
        prop_assert_eq!(&opened.plan, &plan);
        prop_assert_eq!(opened.warnings, Vec::<String>::new());
        prop_assert_eq!(file::write(&opened.plan), text);
    }

    /// Any text, and the sample with a piece replaced by any text, gives a value or an error.
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,60}", at in any::<prop::sample::Index>(), len in 0..200_usize) {
        let _any = file::read(&text);
        let chars: Vec<char> = SAMPLE_TEXT.chars().collect();
        let at = at.index(chars.len());
        let spoilt: String = chars[..at].iter().copied().chain(text.chars()).chain(chars[(at + len).min(chars.len())..].iter().copied()).collect();
        let _spoilt = file::read(&spoilt);
    }
}
