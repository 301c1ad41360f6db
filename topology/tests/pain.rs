//! Inputs that broke other tools, by the name of the case, with what is right.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use topology::chip::{Catalog, Generation};
use topology::mesh::{DeviceMesh, MeshOptions};
use topology::name::parse_accelerator_type;
use topology::ocs::Wiring;
use topology::ring::ring_check;
use topology::rules::check_shape;
use topology::shape::{Coord, Shape};
use topology::slice::{SliceFacts, SliceModel};
use topology::torus::Torus;

fn generation(name: &str) -> &'static Generation {
    Catalog::embedded().find(name).unwrap()
}

fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

/// <https://github.com/vllm-project/tpu-inference/pull/1266>: two devices of a chip are not two chips.
#[test]
fn c13_a_tpu7x_host_has_four_chips_and_eight_cores() {
    let facts = SliceFacts::new(generation("tpu7x"), shape("2x2x1"), None).unwrap();
    assert_eq!((facts.chips, facts.hosts, facts.tensorcores), (4, 1, Some(8)));
    assert_eq!(facts.accelerator_type.as_deref(), Some("tpu7x-8"));
}

/// <https://github.com/AI-Hypercomputer/xpk/pull/525>: a type does not say the shape.
#[test]
fn c14_a_type_gives_all_its_shapes() {
    let shapes = |name| parse_accelerator_type(Catalog::embedded(), name).unwrap().shapes.len();
    assert_eq!(shapes("tpu7x-18432"), 16);
    assert!(shapes("tpu7x-2048") > 1 && shapes("v5p-4352") > 1);
}

/// <https://github.com/AI-Hypercomputer/xpk/pull/834>: a table made by hand is incomplete.
#[test]
fn c15_shapes_are_legal_by_rule() {
    for (name, text) in [("v5p", "4x4x172"), ("v4", "12x16x20"), ("tpu7x", "12x24x24")] {
        assert!(check_shape(generation(name), shape(text)).is_ok(), "{name} {text}");
    }
}

/// <https://github.com/AI-Hypercomputer/xpk/pull/595>: one chip has no links.
#[test]
fn c17_one_chip_is_a_slice() {
    for (name, text) in [("v6e", "1x1"), ("tpu7x", "1x1x1")] {
        let facts = SliceFacts::new(generation(name), shape(text), None).unwrap();
        assert_eq!((facts.chips, facts.hosts, facts.links, facts.wrap.contains(&true)), (1, 1, 0, false));
    }
}

/// GKE, dynamic slices: three mistakes, three messages.
#[test]
fn c18_order_multiples_and_number_of_cubes_are_three_messages() {
    let message = |text| check_shape(generation("tpu7x"), shape(text)).unwrap_err();
    let order = message("4x8x4");
    assert!(order.to_string().contains("sizes must go from the smallest to the largest"), "{order}");
    let multiple = message("4x6x8");
    assert!(multiple.to_string().contains("every size must be a multiple of 4"), "{multiple}");
    assert_eq!(multiple.part_of, Some(shape("4x8x8")), "sub-slicing would do");
    let cubes = [0, 1, 2].map(|x| Coord::new(x, 0, 0));
    let count = Wiring::of(&Torus::plain(shape("4x8x8"), [true; 3]), &cubes).unwrap_err();
    assert_eq!(count.to_string(), "4x8x8 needs 4 cubes, has 3");
}

/// <https://github.com/jax-ml/jax/issues/20305>: the order of devices is not a ring, and there is one.
#[test]
fn c22_the_device_order_of_a_host_crosses_the_diagonal() {
    let torus = Torus::plain(Shape::flat(2, 2), [false; 3]);
    let chips = |order: [(u16, u16); 4]| order.map(|(x, y)| Coord::new(x, y, 0));
    let check = ring_check(&torus, &chips([(0, 0), (0, 1), (1, 0), (1, 1)]));
    // One on the way, and one back to the start, which a chain does not have.
    assert_eq!((check.hops, check.n_long_edges), (vec![1, 2, 1, 2], 2));
    let better = check.better.unwrap();
    assert_eq!(better, chips([(0, 0), (0, 1), (1, 1), (1, 0)]));
    assert_eq!(ring_check(&torus, &better).better, None, "a ring needs no other");
    // JAX itself orders the host as a ring, so a mesh by its rule crosses nothing.
    let host = SliceModel::new(generation("v5e"), shape("2x2"), None).unwrap();
    let mesh = DeviceMesh::new(&host, &[4], MeshOptions::default()).unwrap();
    assert_eq!(mesh.axis_hops(&host.torus, 0).unwrap().n_long_edges, 0);
}

/// xpk `topology_test.py` @367c838: free text in labels.
#[test]
fn c62_a_bad_shape_says_where_it_is_bad() {
    let bad = [
        ("", 1),
        ("N/A", 1),
        ("4x-4", 3),
        ("0x4", 1),
        ("4x4x", 5),
        ("99999999999x2", 1),
        (" 4x y", 5),
        ("4x4 4", 4),
        ("4x4x4x2", 7),
        ("4*4", 2),
        ("4x4x4x", 7),
    ];
    for (text, position) in bad {
        assert_eq!(text.parse::<Shape>().unwrap_err().position, position, "{text:?}");
    }
    for text in ["4X4", " 4x4 ", "4 x 4", "\t4×4\n", "04x4"] {
        assert_eq!(text.parse(), Ok(Shape::flat(4, 4)), "{text:?}");
    }
    let far = check_shape(generation("v6e"), shape("1x72")).unwrap_err();
    assert_eq!((far.nearest.len(), far.part_of), (4, None), "{far}");
}
