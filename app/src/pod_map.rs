//! A pod as the views need it: who owns each chip and cube, and which chips form each unit.
//!
//! Made once per change of the plan, then read by every view and every frame.

use topology::fleet::{CUBE_SIDE, Component, Effect, Pod};
use topology::shape::{Coord, Shape};

/// What a cell of the lattice (a cube, or a chip of a two-dimensional pod) is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Part of the slice with this index.
    Slice(usize),
    /// Nobody's.
    Free,
    /// Held back to replace a failed one.
    Spare,
    /// Out for repair.
    InRepair,
}

/// How chips are summed up in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Group {
    /// Each chip alone.
    Chip,
    /// The chips of one host.
    Host,
    /// The 64 chips of one cube.
    Cube,
}

/// Chips that are shown as one row or cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Position of the first chip, in the coordinates of the slice.
    pub at: Coord,
    /// Name for people, such as "Cube 2·1·3".
    pub name: String,
    /// Row-major pod indices.
    pub chips: Vec<u32>,
}

/// One pod, indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodMap {
    /// Size in cells.
    pub lattice: Shape,
    /// Use of each cell, row-major.
    pub cells: Vec<Use>,
    /// For each slice the row-major pod indices of its chips, in the slice's own row-major order.
    pub slice_chips: Vec<Vec<u32>>,
    /// For each chip of the pod the slice that owns it.
    pub owner: Vec<Option<usize>>,
}

impl PodMap {
    /// Indexes a pod; chips outside of it are left out, which `check` reports.
    pub fn new(pod: &Pod) -> Self {
        let shape = pod.shape;
        let slice_chips: Vec<Vec<u32>> = pod
            .slices
            .iter()
            .map(|slice| pod.slice_chips(slice).map(|(_, chip)| shape.index_of(chip) as u32).collect())
            .collect();
        let mut owner = vec![None; shape.n_chips()];
        for (index, chips) in slice_chips.iter().enumerate() {
            for chip in chips {
                owner[*chip as usize] = Some(index);
            }
        }
        let lattice = lattice_of(shape);
        let cells = lattice.coords().map(|cell| cell_use(pod, &owner, cell)).collect();
        Self { lattice, cells, slice_chips, owner }
    }

    /// Cells of a use.
    pub fn count(&self, wanted: Use) -> usize {
        self.cells.iter().filter(|cell| **cell == wanted).count()
    }

    /// The units of a slice, in the slice's own row-major order.
    pub fn units(&self, pod: &Pod, slice: usize, group: Group) -> Vec<Unit> {
        let (Some(chips), Some(shape)) = (self.slice_chips.get(slice), pod.slices.get(slice).map(|s| s.shape)) else {
            return Vec::new();
        };
        let block = block_of(shape, group);
        let mut units: Vec<Unit> = Vec::new();
        let mut by_block = std::collections::BTreeMap::new();
        for (position, chip) in shape.coords().zip(chips) {
            let [x, y, z] = position.into();
            let key = [z / block[2], y / block[1], x / block[0]];
            let index = *by_block.entry(key).or_insert_with(|| {
                units.push(Unit { at: position, name: String::new(), chips: Vec::new() });
                units.len() - 1
            });
            units[index].chips.push(*chip);
        }
        units.sort_by_key(|unit| [unit.at.z / block[2], unit.at.y / block[1], unit.at.x / block[0]]);
        for (number, unit) in units.iter_mut().enumerate() {
            let [x, y, z] = unit.at.into();
            unit.name = match group {
                Group::Chip => format!("Chip {}", unit.at),
                Group::Host => format!("Host {number}"),
                Group::Cube => format!("Cube {}·{}·{}", x / block[0], y / block[1], z / block[2]),
            };
        }
        units
    }
}

/// Size of a pod in cells: cubes, or chips of a two-dimensional pod.
pub fn lattice_of(shape: Shape) -> Shape {
    let [x, y, z] = shape.sizes3();
    if shape.rank() == 3 {
        Shape::solid(x.div_ceil(CUBE_SIDE), y.div_ceil(CUBE_SIDE), z.div_ceil(CUBE_SIDE))
    } else {
        shape
    }
}

/// Chips along the side of a cell.
pub fn cell_side(shape: Shape) -> u16 {
    if shape.rank() == 3 { CUBE_SIDE } else { 1 }
}

fn block_of(shape: Shape, group: Group) -> [u16; 3] {
    match (group, shape.rank()) {
        (Group::Chip, _) => [1, 1, 1],
        (Group::Host, _) => [2, 2, 1],
        (Group::Cube, 3) => [CUBE_SIDE; 3],
        (Group::Cube, _) => [CUBE_SIDE, CUBE_SIDE, 1],
    }
}

fn cell_use(pod: &Pod, owner: &[Option<usize>], cell: Coord) -> Use {
    let side = cell_side(pod.shape);
    let in_repair = pod.faults.iter().any(|fault| {
        matches!(fault.effect, Effect::InRepair | Effect::Down)
            && match fault.component {
                Component::Cube(cube) => side == CUBE_SIDE && cube == cell,
                Component::Chip(chip) => side == 1 && chip == cell,
                _ => false,
            }
    });
    if in_repair {
        return Use::InRepair;
    }
    let base = Coord::new(cell.x * side, cell.y * side, cell.z * side);
    let chips = (0..side).flat_map(|z| (0..side).flat_map(move |y| (0..side).map(move |x| (x, y, z))));
    let depth = if pod.shape.rank() == 3 { side } else { 1 };
    for (x, y, z) in chips.filter(|(_, _, z)| *z < depth) {
        let chip = Coord::new(base.x + x, base.y + y, base.z + z);
        if pod.shape.contains(chip)
            && let Some(slice) = owner[pod.shape.index_of(chip)]
        {
            return Use::Slice(slice);
        }
    }
    if pod.spares.contains(&cell) { Use::Spare } else { Use::Free }
}
