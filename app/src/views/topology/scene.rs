//! From the plan to the pictures of the Topology view: pure, and the same for the window and for exports.

use planning::plan::Plan;
use topology::chip::Catalog;
use topology::fleet::{CUBE_SIDE, Place, Pod, Slice};
use topology::shape::{Axis, Coord, Shape};
use widgets::legend::Scale;
use widgets::planes::{Outline, OutlineKind, Planes, Tile};
use widgets::torus::{Cell, CellState, Paint, Slice as DrawnSlice, Torus};

use crate::pod_map::{PodMap, Use, cell_side};
use crate::text;
use crate::view_state::Selection;

/// What the pictures are made from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Generations.
    pub catalog: &'a Catalog,
    /// The pod that is shown.
    pub pod: &'a Pod,
    /// The same, indexed.
    pub map: &'a PodMap,
    /// What is selected.
    pub selection: &'a Selection,
    /// One value per chip of the pod, where colours show values.
    pub values: Option<(&'a [Option<f32>], Scale)>,
    /// Whether all wrap links are drawn.
    pub wrap_links: bool,
    /// Changes whenever anything above changes.
    pub revision: u64,
}

/// The slice that the selection lies on, by index into the pod's slices.
pub fn selected_slice(pod: &Pod, map: &PodMap, selection: &Selection) -> Option<usize> {
    match selection {
        Selection::Slice(at, id) if *at == pod.id => pod.slices.iter().position(|slice| slice.id == *id),
        Selection::Cube(at, cube) if *at == pod.id && map.lattice.contains(*cube) => {
            match map.cells[map.lattice.index_of(*cube)] {
                Use::Slice(index) => Some(index),
                Use::Free | Use::Spare | Use::InRepair => None,
            }
        }
        Selection::Chip(at, chip) if *at == pod.id && pod.shape.contains(*chip) => map.owner[pod.shape.index_of(*chip)],
        _ => None,
    }
}

/// The lattice with its slices.
pub fn torus(source: &Source<'_>) -> Torus {
    let Source { pod, map, .. } = *source;
    let selected = selected_slice(pod, map, source.selection);
    let cells = map
        .lattice
        .coords()
        .zip(&map.cells)
        .map(|(at, used)| {
            let (owner, state) = match *used {
                Use::Slice(index) => (Some(index), CellState::Allocated),
                Use::Free => (None, CellState::Free),
                Use::Spare => (None, CellState::Spare),
                Use::InRepair => (None, CellState::InRepair),
            };
            Cell { at, owner, state, value: source.values.and_then(|(values, _)| mean_of_cell(pod.shape, at, values)) }
        })
        .collect();
    Torus {
        pod: pod.id.to_string(),
        shape: pod.shape,
        cells,
        chip_values: source.values.map_or_else(Vec::new, |(values, _)| values.to_vec()),
        slices: pod.slices.iter().enumerate().map(|(i, slice)| drawn(source, slice, selected == Some(i))).collect(),
        ghost: None,
        paint: source.values.map_or(Paint::BySlice, |(_, scale)| Paint::ByValue(scale)),
        wrap_links: source.wrap_links,
        links: None,
        shared_hover: None,
        revision: source.revision,
    }
}

fn drawn(source: &Source<'_>, slice: &Slice, selected: bool) -> DrawnSlice {
    let twisted = if slice.twisted { " twisted" } else { "" };
    DrawnSlice {
        name: slice.id.to_string(),
        label: format!("{} · {}{twisted}", slice.id, text::shape(slice.shape)),
        color: color_index(slice),
        wrap: wrap_of(source.catalog, source.pod, slice),
        selected,
    }
}

/// Index of a slice's identity colour, from 0.
pub fn color_index(slice: &Slice) -> usize {
    usize::from(slice.color.saturating_sub(1))
}

fn mean_of_cell(shape: Shape, cell: Coord, values: &[Option<f32>]) -> Option<f32> {
    let side = cell_side(shape);
    if side == 1 {
        return *values.get(shape.index_of(cell))?;
    }
    let (mut sum, mut present) = (0.0, 0_u32);
    for z in 0..side {
        for y in 0..side {
            for x in 0..side {
                let chip = Coord::new(cell.x * side + x, cell.y * side + y, cell.z * side + z);
                if let Some(value) = values.get(shape.index_of(chip)).copied().flatten() {
                    sum += value;
                    present += 1;
                }
            }
        }
    }
    (present > 0).then(|| sum / present as f32)
}

/// The layers of the pod along an axis, by slice.
pub fn planes(source: &Source<'_>, axis: Axis) -> Planes {
    let Source { pod, map, .. } = *source;
    let selected = selected_slice(pod, map, source.selection);
    let cells = map
        .lattice
        .coords()
        .zip(&map.cells)
        .map(|(at, used)| match (*used, source.values) {
            (Use::Slice(_), Some((values, _))) => {
                mean_of_cell(pod.shape, at, values).map_or(Tile::Missing, Tile::Value)
            }
            (Use::Slice(index), None) => Tile::Slice {
                color: pod.slices.get(index).map_or(0, color_index),
                quiet: selected.is_some_and(|selected| selected != index),
            },
            (Use::Free, _) => Tile::Free,
            (Use::Spare, _) => Tile::Spare,
            (Use::InRepair, _) => Tile::InRepair,
        })
        .collect();
    let outlines = selected.and_then(|index| pod.slices.get(index)).and_then(|slice| outline(pod, slice));
    Planes {
        name: format!("{}, slices", pod.id),
        size: map.lattice.sizes3(),
        axis,
        step: cell_side(pod.shape),
        cells,
        scale: source.values.map(|(_, scale)| scale),
        outlines: outlines.into_iter().collect(),
        shared_hover: None,
        revision: source.revision,
    }
}

fn outline(pod: &Pod, slice: &Slice) -> Option<Outline> {
    let side = cell_side(pod.shape);
    match &slice.place {
        Place::Block { at, size } => Some(Outline {
            at: Coord::new(at.x / side, at.y / side, at.z / side),
            size: size.sizes3().map(|length| length.div_ceil(side)),
            kind: OutlineKind::Selected,
        }),
        Place::Cubes(_) => None,
    }
}

/// Which axes of a slice wrap, by the rule of its generation; none where the rule does not know the shape.
pub fn wrap_of(catalog: &Catalog, pod: &Pod, slice: &Slice) -> [bool; 3] {
    catalog
        .get(&pod.generation)
        .and_then(|generation| topology::rules::check_shape(generation, slice.shape).ok())
        .map_or([false; 3], |legal| legal.wrap)
}

/// The cube of a chip in a three-dimensional pod; the chip itself in a two-dimensional one.
pub fn cell_of(pod: &Pod, chip: Coord) -> Coord {
    if pod.shape.rank() == 3 { Coord::new(chip.x / CUBE_SIDE, chip.y / CUBE_SIDE, chip.z / CUBE_SIDE) } else { chip }
}
