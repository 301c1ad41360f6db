use topology::shape::Shape;
use topology::torus::Torus;

use super::*;
use crate::dtype::Dtype;
use crate::testing::generation;

fn trial(product: &str, sizes: &str, axes: &str) -> Sharded {
    Sharded {
        product: product.to_owned(),
        sizes: sizes.to_owned(),
        axes: axes.to_owned(),
        dtype: Dtype::Bf16,
        overlaps: false,
    }
}

fn ring(shape: Shape) -> Torus {
    Torus::plain(shape, [true; 3])
}

/// Protects the decision table of the four cases and the collectives that each needs.
#[test]
fn the_four_cases_are_told_apart_and_get_their_collectives() {
    let cases = [
        ("A[I_x,J] . B[J,K_y] -> C[I_x,K_y]", 1, "no communication"),
        ("A[I,J_x] . B[J,K_x] -> C[I,K_x]", 2, "all-gather A over x"),
        // The other operand is whole on every chip, so each takes its part of it and does a quarter of the work.
        ("A[I,J_x] . B[J,K] -> C[I,K]", 2, "all-reduce C over x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K]", 3, "all-reduce C over x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K_x]", 3, "reduce-scatter C over x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K] {U_x}", 3, "no communication"),
        ("A[I_x,J] . B[J,K_x] -> C[I_x,K]", 4, "all-gather B over x"),
        ("A[I_x,J] . B[J_x,K] -> C[I_x,K]", 2, "all-gather B over x"),
        ("A[I_xy,J] . B[J,K] -> C[I_x,K]", 1, "all-gather C over y"),
        ("A[I_x,J] . B[J,K] -> C[I,K_x]", 1, "all-to-all C over x"),
    ];
    for (product, case, collectives) in cases {
        let trial = trial(product, "I=8192,J=8192,K=8192", "x=x,y=y");
        let found = answer_trial(&trial, &generation("v5p"), &ring(Shape::solid(4, 4, 4))).unwrap();
        assert_eq!((found.case.number(), found.best.name().as_str()), (case, collectives), "{product}");
        assert_eq!(found.replicas, 4);
    }
}

/// Protects the notation: all spellings of the book mean the same, and what is written is read back equal.
#[test]
fn every_spelling_is_read_and_written_the_same() {
    let usual: Product = "A[I_xy,J] . B[J,K_z] -> C[I_xy,K_z]".parse().unwrap();
    assert_eq!(usual.to_string(), "A[I_xy, J] · B[J, K_z] → C[I_xy, K_z]");
    for text in [
        "A[I_XY, J] · B[J, K_Z] → C[I_XY, K_Z]",
        "A[I_{XY},J]*B[J,K_{Z}]=>C[I_{X,Y},K_z]",
        " A [ I_{x, y} , J ] @ B[J,K_Z]->C[I_xy,K_z] ",
        "A[I_{XY}, J] \\cdot B[J, K_Z] \\rightarrow C[I_{XY}, K_Z]",
        "A[I_XY, J] \\times B[J, K_Z] \\to C[I_XY, K_Z]",
    ] {
        assert_eq!(text.parse::<Product>().as_ref(), Ok(&usual), "{text}");
    }
    let partial: Product = "bf16[B,D_x1] . W[D_x1,F] -> Out[B,F]{U_X1}".parse().unwrap();
    assert_eq!(partial.to_string(), "bf16[B, D_x1] · W[D_x1, F] → Out[B, F] {U_x1}");
    assert_eq!(partial.to_string().parse(), Ok(partial));
}

/// A text that is no product is refused with its place, in the words of what would be right.
#[test]
fn bad_notation_is_told_with_its_place() {
    for (text, position, reason) in [
        ("", 1, "the name of an array"),
        ("A[I,J] . B[J,K]", 16, "an arrow"),
        ("A[I,J] B[J,K] -> C[I,K]", 8, "a product sign"),
        ("A[I_,J] . B[J,K] -> C[I,K]", 5, "an axis of the mesh"),
        ("A[I_x,J_x] . B[J,K] -> C[I,K]", 9, "A is sharded twice over the axis x"),
        ("A[I,I] . B[I,K] -> C[I,K]", 5, "I is written twice"),
        ("A[I,J] . B[J,K] -> C[I,J]", 5, "J is in both operands and in the result"),
        ("A[I,J] . B[L,K] -> C[I,K]", 5, "J is in one operand only"),
        ("A[I,J] . B[J,K] -> C[I,K,L]", 26, "L of the result is in no operand"),
        ("A[I] . B[K] -> C[I,K]", 10, "the operands share no dimension"),
        ("A[I,J]{U_x} . B[J,K] -> C[I,K]", 7, "an operand cannot be a partial sum"),
        ("A[I,J] . B[J,K] -> C[I,K] x", 27, "nothing more"),
        ("A[I,J] . B[J,K] -> C[I,K]{V_x}", 27, "a mark of partial sums"),
    ] {
        let bad = text.parse::<Product>().unwrap_err();
        assert_eq!(bad.position, position, "{text}: {bad}");
        assert!(bad.reason.starts_with(reason), "{text}: {bad}");
    }
    let long = "A[I,J] . B[J,K] -> C[I,K]".to_owned() + &" ".repeat(Product::MAX_CHARS);
    assert!(long.parse::<Product>().is_err());
}
