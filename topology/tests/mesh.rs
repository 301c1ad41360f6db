//! The order of devices in a mesh: every row that JAX answered, where `PODIUM_ORACLE_DIR` names the folder, and a few of
//! our own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "tests")]

mod common;

use common::oracle;
use proptest::prelude::*;
use topology::chip::Catalog;
use topology::mesh::{DeviceAxis, DeviceMesh, Layout, MeshError, MeshOptions};
use topology::rules::legal_shapes;
use topology::slice::SliceModel;
use topology::slice_name::SliceName;

fn model(name: &str) -> SliceModel<'static> {
    let name: SliceName = name.parse().unwrap();
    let generation = Catalog::embedded().find(name.generation.as_deref().unwrap()).unwrap();
    SliceModel::new(generation, name.shape, name.twist).unwrap()
}

fn sizes(text: &str) -> Vec<usize> {
    text.split('x').map(|size| size.parse().unwrap()).collect()
}

fn mesh(name: &str, text: &str, options: MeshOptions) -> Result<DeviceMesh, MeshError> {
    DeviceMesh::new(&model(name), &sizes(text), options)
}

/// Each row, orders and refusals; the only rows that differ are those of v4 without megacore mode, which JAX refuses.
#[test]
fn every_order_and_refusal_of_jax_comes_out() {
    let Some(rows) = oracle("jax_mesh_utils.csv") else { return };
    for row in &rows {
        let what = format!("{} {}", row["topology"], row["mesh_shape"]);
        let options = MeshOptions { contiguous: row["contiguous_submeshes"] == "1", split: false };
        let ours = mesh(&row["topology"], &row["mesh_shape"], options);
        if row["status"].contains("requires one device per chip") {
            // Two devices a chip; ours is a slice of v4 in megacore mode, of half as many devices.
            assert!(matches!(ours, Err(MeshError::Count { .. })), "{what}");
            continue;
        }
        if row["status"] == "ok" {
            let ours = ours.unwrap_or_else(|error| panic!("{what}: {error}"));
            let ids: Vec<String> = ours.devices.iter().map(|device| device.id.to_string()).collect();
            assert_eq!(ids.join(" "), row["device_ids_row_major"], "{what}");
            let places = ours.devices.iter().map(|d| format!("{}.{}.{}.{}", d.chip.x, d.chip.y, d.chip.z, d.core));
            // The coordinates of large slices are not in the table.
            let theirs = &row["coords_row_major(x.y.z.core)"];
            assert!(theirs.is_empty() || places.collect::<Vec<_>>().join(" ") == *theirs, "{what}");
            continue;
        }
        match ours {
            Err(MeshError::NoAxes { axis, size, remaining }) => {
                let remaining: Vec<usize> = remaining.into_iter().map(Option::unwrap_or_default).collect();
                let said =
                    format!("logical_axis_index {axis} of size {size} with remaining assignable mesh {remaining:?}");
                assert!(row["status"].contains(&said), "{what}: {said}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
    assert!(rows.len() > 100, "{}", rows.len());
}

/// What an architect wants to see: which torus axis carries which axis of the program, and what its ring costs.
#[test]
fn the_axes_that_carry_a_mesh_are_told_with_their_hops() {
    let slice = model("v5p:4x4x8_untwisted");
    let mesh = DeviceMesh::new(&slice, &[8, 16], MeshOptions::default()).unwrap();
    let carried = vec![vec![(DeviceAxis::Z, 8)], vec![(DeviceAxis::X, 4), (DeviceAxis::Y, 4)]];
    assert_eq!(mesh.layout, Layout::Axes(carried));
    let along_z = mesh.axis_hops(&slice.torus, 0).unwrap();
    assert_eq!((along_z.max_hops, along_z.n_edges, along_z.n_long_edges), (1, 128, 0), "a ring of the torus");
    // Row after row of a 4x4 plane, which is a torus: from the end of a row to the start of the next are two links.
    let in_plane = mesh.axis_hops(&slice.torus, 1).unwrap();
    assert_eq!((in_plane.max_hops, in_plane.n_edges, in_plane.n_long_edges), (2, 128, 32));
    assert_eq!(mesh.axis_hops(&slice.torus, 2), None);
    // JAX knows nothing of twists: on the twisted torus of the same shape the wrap of x comes back elsewhere.
    let twisted = model("v5p:4x4x8");
    let by_x = DeviceMesh::new(&twisted, &[8, 4, 4], MeshOptions::default()).unwrap();
    assert!(by_x.axis_hops(&twisted.torus, 2).unwrap().max_hops > 1);
}

#[test]
fn a_mesh_that_does_not_fit_says_what_would() {
    let message = |name, text, options| mesh(name, text, options).unwrap_err().to_string();
    let none = MeshOptions::default();
    assert_eq!(message("v5e:4x4", "2x4", none), "the mesh has 8 places, the slice 16 devices; make them equal");
    assert_eq!(
        message("v5e:4x4", "2x2x4", none),
        "axis 1 of the mesh, of size 2, is no product of torus axes that are left (4); reorder or merge axes, or allow \
         torus axes to be split"
    );
    let together = MeshOptions { contiguous: true, split: false };
    assert_eq!(
        message("v4:4x8x8_untwisted", "16x16", together),
        "the hosts of 4x8x8 cannot be kept together in this mesh; 64x4, 4x64 can"
    );
    assert!(message("v4:4x4x8", "16x8", together).ends_with("no mesh of it can"));
    assert!(mesh("v4:4x4x4", "1x16x4", together).is_ok(), "axes of 1 do not count");
    let shared = MeshOptions { contiguous: false, split: true };
    assert_eq!(
        mesh("v5e:4x4", "2x2x4", shared).unwrap().layout,
        Layout::Axes(vec![vec![(DeviceAxis::Y, 2)], vec![(DeviceAxis::Y, 2)], vec![(DeviceAxis::X, 4)]])
    );
}

/// With hosts kept together, each host's devices are a box of the mesh.
#[test]
fn contiguous_meshes_keep_hosts_together() {
    for (name, text) in [("v4:4x4x4", "16x4"), ("v5p:8x8x8", "64x8"), ("v4:2x2x4", "4x4"), ("v4:4x8x8", "64x4")] {
        let slice = model(name);
        let options = MeshOptions { contiguous: true, split: false };
        let mesh = DeviceMesh::new(&slice, &sizes(text), options).unwrap();
        let columns = mesh.sizes[1];
        for host in 0..slice.hosts.n_hosts {
            let places: Vec<[usize; 2]> = mesh
                .devices
                .iter()
                .enumerate()
                .filter(|(_, device)| slice.host_of(device.chip) == host)
                .map(|(index, _)| [index / columns, index % columns])
                .collect();
            let extent = |i: usize| {
                let along = || places.iter().map(|place| place[i]);
                along().max().unwrap() - along().min().unwrap() + 1
            };
            assert_eq!(extent(0) * extent(1), places.len(), "{name} {text} host {host}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the slice and the mesh: every device is there once, with its own chip and core.
    #[test]
    fn a_mesh_has_every_device_once(pick in any::<prop::sample::Index>(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..3)) {
        let all: Vec<_> = Catalog::embedded().generations.iter()
            .filter(|g| g.devices_per_chip.is_some())
            .flat_map(|g| legal_shapes(g).into_iter().filter(|l| l.shape.n_chips() <= 1024).map(move |l| (g, l.shape)))
            .collect();
        let (generation, shape) = all[pick.index(all.len())];
        let slice = SliceModel::new(generation, shape, None).unwrap();
        let per_chip = generation.devices_per_chip.as_ref().unwrap().value as usize;
        let mut rest = shape.n_chips() * per_chip;
        let mut wanted = Vec::new();
        for cut in cuts {
            let divisors: Vec<usize> = (1..=rest).filter(|d| rest.is_multiple_of(*d)).collect();
            let size = divisors[cut.index(divisors.len())];
            wanted.push(size);
            rest /= size;
        }
        wanted.push(rest);
        let mesh = DeviceMesh::new(&slice, &wanted, MeshOptions { contiguous: false, split: true }).unwrap();
        let mut ids: Vec<usize> = mesh.devices.iter().map(|device| device.id).collect();
        for device in &mesh.devices {
            prop_assert_eq!(device.id, shape.index_of(device.chip) * per_chip + usize::from(device.core));
        }
        ids.sort_unstable();
        prop_assert_eq!(ids, (0..shape.n_chips() * per_chip).collect::<Vec<_>>());
    }
}
