//! `podium coords`: the chips of a slice with hosts and neighbours, and its devices as a logical mesh.

use serde::Serialize;
use topology::mesh::{DeviceMesh, Layout, MeshOptions};
use topology::shape::Coord;
use topology::slice::SliceModel;
use topology::torus::Sign;

use super::args::CoordsArgs;
use super::failure::Failure;
use super::output;
use super::slice::model;

/// More axes than any program names.
const MAX_MESH_AXES: usize = 16;

#[derive(Serialize)]
pub(super) struct Coords {
    generation: String,
    shape: String,
    twisted: bool,
    chips: Vec<Chip>,
    /// The devices as a logical mesh, where one is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<Mesh>,
}

#[derive(Serialize)]
struct Chip {
    id: usize,
    x: u16,
    y: u16,
    z: u16,
    host: usize,
    neighbours: Vec<Neighbour>,
}

#[derive(Serialize)]
struct Neighbour {
    id: usize,
    axis: &'static str,
    sign: &'static str,
    wraps: bool,
}

/// The devices of a slice as JAX lays them out for a program.
#[derive(Serialize)]
struct Mesh {
    shape: Vec<usize>,
    /// "axes", "ring" or "listed": by torus axes, one ring through all, or as the runtime lists them.
    layout: &'static str,
    axes: Vec<MeshAxis>,
    /// Device ids, the last axis fastest.
    devices: Vec<usize>,
}

/// One axis of the mesh.
#[derive(Serialize)]
struct MeshAxis {
    size: usize,
    /// The torus axes that carry it, outermost first; empty unless torus axes do.
    carried_by: Vec<Share>,
    /// The farthest neighbours on its rings.
    max_hops: u32,
    edges: usize,
    /// Edges of more than one hop.
    long_edges: usize,
}

#[derive(Serialize)]
struct Share {
    axis: &'static str,
    size: usize,
}

fn mesh(model: &SliceModel<'_>, args: &CoordsArgs) -> Result<Option<Mesh>, Failure> {
    let Some(text) = &args.mesh else { return Ok(None) };
    let bad = || Failure::usage(format!("\"{text}\" is not a mesh: write sizes joined by x, such as 4x16"), "--mesh");
    let sizes: Option<Vec<usize>> = text.split('x').map(|size| size.parse().ok().filter(|size| *size > 0)).collect();
    let sizes = sizes.filter(|sizes| sizes.len() <= MAX_MESH_AXES).ok_or_else(bad)?;
    let options = MeshOptions { contiguous: args.contiguous, split: args.split };
    let mesh = DeviceMesh::new(model, &sizes, options)
        .map_err(|error| Failure::input("no_mesh", error.to_string()).at("--mesh"))?;
    let carried = |axis: usize| match &mesh.layout {
        Layout::Axes(axes) => axes[axis].iter().map(|(axis, size)| Share { axis: axis.name(), size: *size }).collect(),
        Layout::Ring | Layout::Listed => Vec::new(),
    };
    let axis = |axis: usize| {
        let hops = mesh.axis_hops(&model.torus, axis)?;
        let (size, carried_by) = (sizes[axis], carried(axis));
        Some(MeshAxis { size, carried_by, max_hops: hops.max_hops, edges: hops.n_edges, long_edges: hops.n_long_edges })
    };
    Ok(Some(Mesh {
        layout: match mesh.layout {
            Layout::Axes(_) => "axes",
            Layout::Ring => "ring",
            Layout::Listed => "listed",
        },
        axes: (0..sizes.len()).filter_map(axis).collect(),
        devices: mesh.devices.iter().map(|device| device.id).collect(),
        shape: sizes,
    }))
}

pub(super) fn coords(args: &CoordsArgs) -> Result<Coords, Failure> {
    let model = model(&args.slice)?;
    let mesh = mesh(&model, args)?;
    let shape = model.torus.shape();
    let neighbours = |chip| {
        let neighbour = |step: topology::torus::Step| Neighbour {
            id: shape.index_of(step.to),
            axis: step.axis.name(),
            sign: sign_text(step.sign),
            wraps: step.wraps,
        };
        model.torus.neighbours(chip).map(neighbour).collect()
    };
    let chip = |chip: Coord| Chip {
        id: shape.index_of(chip),
        x: chip.x,
        y: chip.y,
        z: chip.z,
        host: model.host_of(chip),
        neighbours: neighbours(chip),
    };
    Ok(Coords {
        generation: model.generation.id.0.clone(),
        shape: shape.to_string(),
        twisted: model.torus.is_twisted(),
        chips: shape.coords().map(chip).collect(),
        mesh,
    })
}

pub(super) const fn sign_text(sign: Sign) -> &'static str {
    match sign {
        Sign::Plus => "+",
        Sign::Minus => "-",
    }
}

fn mesh_text(mesh: &Mesh) -> String {
    let mut rows = vec![["axis", "size", "carried by", "farthest", "long edges"].map(str::to_owned).to_vec()];
    rows.extend(mesh.axes.iter().enumerate().map(|(index, axis)| {
        let carried: Vec<String> =
            axis.carried_by.iter().map(|share| format!("{} {}", share.axis, share.size)).collect();
        vec![
            index.to_string(),
            axis.size.to_string(),
            if mesh.layout == "axes" { carried.join(", ") } else { mesh.layout.to_owned() },
            format!("{} hops", axis.max_hops),
            format!("{} of {}", axis.long_edges, axis.edges),
        ]
    }));
    let devices: Vec<String> = mesh.devices.iter().map(usize::to_string).collect();
    format!("{}devices  {}\n", output::table(&rows), devices.join(" "))
}

/// The chips, or the mesh where one is asked for.
pub(super) fn coords_text(coords: &Coords) -> String {
    if let Some(mesh) = &coords.mesh {
        return mesh_text(mesh);
    }
    let mut rows = vec![["id", "x", "y", "z", "host", "neighbours"].map(str::to_owned).to_vec()];
    rows.extend(coords.chips.iter().map(|chip| {
        let neighbours = chip.neighbours.iter().map(|n| format!("{}{}:{}", n.axis, n.sign, n.id));
        let mut row: Vec<String> =
            [chip.id, chip.x.into(), chip.y.into(), chip.z.into(), chip.host].map(|n| n.to_string()).to_vec();
        row.push(neighbours.collect::<Vec<_>>().join(" "));
        row
    }));
    output::table(&rows)
}
