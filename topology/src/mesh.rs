//! Which torus axis carries which axis of a program: the order in which JAX lays the devices of a slice out as a logical
//! mesh (`jax.experimental.mesh_utils.create_device_mesh`).
//!
//! The rules are those of its public source (jax-ml/jax, Apache-2.0, read November 2026); they know nothing of twists.
//! Axes are served from the last, which talks most, to the first. Each takes whole torus axes, as many as possible,
//! the first such set in the order of the axes. Small slices have ring orders of their own instead.

mod assign;
mod rings;

use crate::ring::ring_hops;
use crate::shape::{Axis, Coord, Shape};
use crate::slice::SliceModel;
use crate::torus::Torus;

/// An axis of the devices of a slice: one of the torus, or the cores of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceAxis {
    /// Along x.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
    /// From core to core of a chip that shows as several devices.
    Core,
}

impl DeviceAxis {
    /// "x", "y", "z" or "core".
    pub const fn name(self) -> &'static str {
        ["x", "y", "z", "core"][self as usize]
    }
}

/// What may be done to make a mesh fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MeshOptions {
    /// Whether the devices of a host must form a box of the mesh, which only a few meshes can.
    pub contiguous: bool,
    /// Whether a torus axis may be shared by several axes of the mesh, which gives up bandwidth.
    pub split: bool,
}

/// Why there is no such mesh.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MeshError {
    /// The sizes do not multiply to the number of devices.
    #[error("the mesh has {wanted} places, the slice {devices} devices; make them equal")]
    Count {
        /// Product of the sizes.
        wanted: u64,
        /// Devices of the slice.
        devices: usize,
    },
    /// Nothing is known of the devices of a chip.
    #[error("no source says how many devices a chip of {0} shows as")]
    UnknownDevices(
        /// Name of the generation for people.
        String,
    ),
    /// The torus axes that are left have no set of this product.
    #[error(
        "axis {axis} of the mesh, of size {size}, is no product of torus axes that are left ({}); reorder or merge axes, or \
         allow torus axes to be split",
        left(remaining)
    )]
    NoAxes {
        /// The axis of the mesh, counted from 0.
        axis: usize,
        /// Its size.
        size: usize,
        /// Sizes of the axes of the devices; `None` for one that is taken.
        remaining: Vec<Option<usize>>,
    },
    /// Hosts can be kept together only for a few meshes of a few slices.
    #[error("the hosts of {shape} cannot be kept together in this mesh; {}", known(available))]
    NotContiguous {
        /// The slice.
        shape: Shape,
        /// Meshes of that slice that keep them together.
        available: Vec<Vec<usize>>,
    },
}

fn left(remaining: &[Option<usize>]) -> String {
    let sizes: Vec<String> = remaining.iter().flatten().map(usize::to_string).collect();
    if sizes.is_empty() { "none".to_owned() } else { sizes.join(", ") }
}

fn known(available: &[Vec<usize>]) -> String {
    let names: Vec<String> = available.iter().map(|sizes| written(sizes)).collect();
    if names.is_empty() { "no mesh of it can".to_owned() } else { format!("{} can", names.join(", ")) }
}

/// Sizes of a mesh joined by x, such as "2x16".
pub fn written(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// One device of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Device {
    /// Number of the device in its slice, chips row by row and the cores of a chip after one another.
    pub id: usize,
    /// Its chip.
    pub chip: Coord,
    /// Its core.
    pub core: u16,
}

/// How the order came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// Torus axes were given to axes of the mesh: per axis of the mesh the share of each torus axis that it takes,
    /// outermost first; shares of 1 are left out.
    Axes(Vec<Vec<(DeviceAxis, usize)>>),
    /// The slice is so small that a ring through all of it is used.
    Ring,
    /// The devices as the runtime lists them, host by host (v2 and v3).
    Listed,
}

/// The devices of a slice as a logical mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceMesh {
    /// Sizes of the logical axes, the one that talks most last.
    pub sizes: Vec<usize>,
    /// Row by row, the last axis fastest.
    pub devices: Vec<Device>,
    /// How the order came about.
    pub layout: Layout,
}

/// How far the neighbours of a ring along one logical axis are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct AxisHops {
    /// The farthest, in ICI hops; 0 for an axis of one device, or the cores of one chip.
    pub max_hops: u32,
    /// Edges of all rings, that from the last to the first included.
    pub n_edges: usize,
    /// Edges of more than one hop.
    pub n_long_edges: usize,
}

impl DeviceMesh {
    /// The mesh that JAX makes of the whole slice.
    ///
    /// # Errors
    /// If the sizes do not multiply to the number of devices, or JAX finds no layout.
    pub fn new(model: &SliceModel<'_>, sizes: &[usize], options: MeshOptions) -> Result<Self, MeshError> {
        let unknown = || MeshError::UnknownDevices(model.generation.name.clone());
        let per_chip = model.generation.devices_per_chip.as_ref().ok_or_else(unknown)?.value as u16;
        let shape = model.torus.shape();
        let n_devices = shape.n_chips() * usize::from(per_chip);
        let wanted = sizes.iter().fold(1_u64, |product, size| product.saturating_mul(*size as u64));
        if wanted != n_devices as u64 {
            return Err(MeshError::Count { wanted, devices: n_devices });
        }
        let physical = assign::Physical::new(shape, per_chip);
        let (devices, layout) = match rings::order(model, &physical, sizes) {
            Some(found) => found,
            None => assign::layout(&physical, sizes, options)?,
        };
        Ok(Self { sizes: sizes.to_vec(), devices, layout })
    }

    /// How far neighbours along a logical axis are apart in a torus, over all of its rings; `None` without such an axis.
    ///
    /// # Panics
    /// If a device lies outside of the torus.
    pub fn axis_hops(&self, torus: &Torus, axis: usize) -> Option<AxisHops> {
        let size = *self.sizes.get(axis)?;
        let inner: usize = self.sizes.iter().skip(axis + 1).product();
        let mut found = AxisHops { max_hops: 0, n_edges: 0, n_long_edges: 0 };
        let starts = (0..self.devices.len()).filter(|start| (start / inner).is_multiple_of(size));
        for start in starts {
            let ring: Vec<Coord> = (0..size).map(|i| self.devices[start + i * inner].chip).collect();
            for hops in ring_hops(torus, &ring) {
                found.max_hops = found.max_hops.max(hops);
                found.n_edges += 1;
                found.n_long_edges += usize::from(hops > 1);
            }
        }
        Some(found)
    }
}

impl From<Axis> for DeviceAxis {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::X => Self::X,
            Axis::Y => Self::Y,
            Axis::Z => Self::Z,
        }
    }
}
