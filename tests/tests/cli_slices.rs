//! Slices and meshes that contradict themselves or cannot be, on the command line.
#![allow(clippy::unwrap_used, reason = "tests")]

use app::cli::failure::Status;
use expect_test::{Expect, expect};
use looks::command_line::podium;

fn check(arguments: &str, status: Status, expected: &Expect) {
    let ran = podium(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{arguments}");
    expected.assert_eq(&ran.err);
}

/// Generation, shape, suffix and flags are said once, or alike.
#[test]
fn what_contradicts_itself_is_status_2() {
    check(
        "slice v5p 4x4x8_untwisted --twist",
        Status::Usage,
        &expect![[r#"
        error: the name says untwisted, but twisted is asked for as well
          where: --twist
          hint: Leave one of the two out
    "#]],
    );
    check(
        "coords v5p 4x4x8_twisted --no-twist",
        Status::Usage,
        &expect![[r#"
        error: the name says twisted, but untwisted is asked for as well
          where: --no-twist
          hint: Leave one of the two out
    "#]],
    );
    check(
        "slice v5p v4:4x4x8",
        Status::Usage,
        &expect![[r#"
        error: the shape is one of TPU v4, but TPU v5p is asked for
          where: SHAPE
          hint: Name one generation
    "#]],
    );
    check(
        "slice tpu7x-2048 4x4x4",
        Status::Usage,
        &expect![[r#"
        error: tpu7x-2048 has 1024 chips, but 4x4x4 has 64
          where: SHAPE
          hint: podium slices tpu7x lists its shapes
    "#]],
    );
    check(
        "slices tpu7x-2048 --chips 64",
        Status::Usage,
        &expect![[r#"
        error: tpu7x-2048 has 1024 chips, but 64 are asked for
          where: --chips
          hint: Leave one of the two out
    "#]],
    );
}

/// A name that stands for nothing is told with its place or its remedy.
#[test]
fn names_of_no_slice_are_refused_with_their_place() {
    check(
        "slice v5p 4x4x8_folded",
        Status::Usage,
        &expect![[r#"
        error: "4x4x8_folded" is not a shape: a suffix is neither _twisted nor _untwisted at character 6; write sizes joined by x, such as 4x4x8
          where: SHAPE
    "#]],
    );
    check(
        "slice v5p v5q:4x4x8",
        Status::Found,
        &expect![[r#"
        error: there is no chip generation "v5q"; did you mean v5e or v5p?
          where: SHAPE
          hint: List all with `podium chips`
    "#]],
    );
    check(
        "slice v5p 8x8x8_twisted",
        Status::Found,
        &expect![[r#"
        error: TPU v5p 8x8x8 cannot be twisted
          where: --twist
          hint: Leave the twist out; podium slices says which shapes can be twisted
    "#]],
    );
    check(
        "coords v5e 4x4 --mesh 2x2x4",
        Status::Found,
        &expect![[r#"
        error: axis 1 of the mesh, of size 2, is no product of torus axes that are left (4); reorder or merge axes, or allow torus axes to be split
          where: --mesh
    "#]],
    );
    check(
        "coords v5e 4x4 --mesh 4x-4",
        Status::Usage,
        &expect![[r#"
        error: "4x-4" is not a mesh: write sizes joined by x, such as 4x16
          where: --mesh
    "#]],
    );
    check(
        "coords v5e 4x4 --mesh 99999999999x99999999999",
        Status::Found,
        &expect![[r#"
        error: the mesh has 18446744073709551615 places, the slice 16 devices; make them equal
          where: --mesh
    "#]],
    );
    check(
        "slices v5e-17",
        Status::Found,
        &expect![[r#"
        error: TPU v5e has no slice of type "v5e-17": the number counts chips and no legal slice has so many
          where: GENERATION
    "#]],
    );
}
