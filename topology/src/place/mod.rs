//! Whether and where a slice fits on a pod, now, after moves, in a queue, at a date and when cubes fail.
//!
//! Behind optical switches cubes of 4x4x4 chips are interchangeable: a slice of whole cubes fits if so many are free,
//! wherever they are. Everything else (slices inside a cube, pods without switches) must be one box of neighbouring
//! chips at an aligned position. Start with [`Floor`].
//!
//! ```
//! use topology::chip::{Catalog, GenerationId};
//! use topology::fleet::{Place, Pod};
//! use topology::place::{Floor, Tenant};
//!
//! let v5p = Catalog::embedded().find("v5p")?;
//! let (generation, shape) = (GenerationId("v5p".to_owned()), "8x8x16".parse()?);
//! let pod = Pod { id: "a".into(), generation, shape, slices: vec![], spares: vec![], faults: vec![], hosts: vec![] };
//! let mut floor = Floor::new(&pod, v5p);
//! let shape = "4x8x8".parse()?;
//! let place = floor.best(shape)?;
//! floor.put(Tenant { id: "train".into(), team: None, shape, place });
//! assert_eq!(floor.n_free(), 1024 - 256);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod defrag;
pub mod floor;
pub mod fragmentation;
pub mod queue;
pub mod reserve;
pub mod search;
pub mod spare;
mod targets;

use std::fmt;

use crate::chip::{Generation, Wiring};
use crate::fleet::{CUBE_SIDE, Pod, SliceId};
use crate::name::host_block;
use crate::rules::{IllegalShape, SliceRule, check_shape};
use crate::shape::{Axis, Coord, Shape};

pub use floor::{Floor, Tenant};
pub use search::NoRoom;

/// Whether a box fits at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// It does.
    Fits,
    /// The generation offers no slice of that size, in whatever direction it is turned.
    NotLegal(IllegalShape),
    /// It would reach over the edge of the pod.
    Outside,
    /// It must start at multiples of these sizes.
    Misaligned(Shape),
    /// Something is there.
    Taken(Vec<Blocker>),
}

/// What is in the way, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// What.
    pub by: BlockedBy,
    /// Cubes concerned; chips in a flat pod.
    pub n_cells: usize,
    /// Whether cells are cubes.
    pub cubes: bool,
}

/// Who is in the way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockedBy {
    /// A slice.
    Slice(SliceId),
    /// Cubes that are held back.
    Spare,
    /// Chips that are down or in repair.
    Broken,
}

impl fmt::Display for Fit {
    /// "overlaps 4 cubes of train-a".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fits => f.write_str("fits"),
            Self::NotLegal(illegal) => write!(f, "{illegal}"),
            Self::Outside => f.write_str("reaches over the edge of the pod"),
            Self::Misaligned(step) => write!(f, "must start at multiples of {step}"),
            Self::Taken(blockers) => {
                f.write_str("overlaps ")?;
                for (i, blocker) in blockers.iter().enumerate() {
                    let and = if i == 0 { "" } else { " and " };
                    let unit = match (blocker.cubes, blocker.n_cells) {
                        (true, 1) => "cube",
                        (true, _) => "cubes",
                        (false, 1) => "chip",
                        (false, _) => "chips",
                    };
                    write!(f, "{and}{} {unit} {}", blocker.n_cells, blocker.by)?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for BlockedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slice(id) => write!(f, "of {id}"),
            Self::Spare => f.write_str("held as spare"),
            Self::Broken => f.write_str("out of service"),
        }
    }
}

/// The slice shape of a box: the box itself if that is legal, else the first of its turned forms that is.
///
/// # Errors
/// If none is legal, with the rule that the box breaks.
pub fn slice_shape(generation: &Generation, size: Shape) -> Result<Shape, IllegalShape> {
    let Err(illegal) = check_shape(generation, size) else { return Ok(size) };
    turns(size).into_iter().find(|turned| check_shape(generation, *turned).is_ok()).ok_or(illegal)
}

/// Whether a box is a slice in whatever direction it is turned. The forms that the rule lists and the sorted one are
/// tried first: a shape that is refused costs a search for the nearest legal ones.
fn check_turned(generation: &Generation, size: Shape) -> Result<(), IllegalShape> {
    let listed = match generation.slice_rule.as_ref().map(|rule| &rule.value) {
        Some(SliceRule::Listed { shapes, .. } | SliceRule::Cubes { small: shapes, .. }) => shapes.as_slice(),
        None => &[],
    };
    if turns(size).iter().any(|turned| listed.contains(turned)) {
        return Ok(());
    }
    let mut sizes = size.sizes3();
    sizes[..size.rank()].sort_unstable();
    let sorted = Shape::from_sizes(&sizes[..size.rank()]).filter(|sorted| check_shape(generation, *sorted).is_ok());
    if sorted.is_some() { Ok(()) } else { slice_shape(generation, size).map(|_| ()) }
}

/// The different ways to turn a box, itself first.
pub fn turns(size: Shape) -> Vec<Shape> {
    let orders: &[[usize; 3]] = match size.rank() {
        2 => &[[0, 1, 2], [1, 0, 2]],
        _ => &[[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]],
    };
    let sizes = size.sizes3();
    let mut turned = Vec::new();
    for order in orders {
        let candidate = Shape::from_sizes(&order.map(|axis| sizes[axis])[..size.rank()]);
        turned.extend(candidate.filter(|candidate| !turned.contains(candidate)));
    }
    turned
}

/// The sizes of which the first chip of a box must be a multiple: whole cubes where the box is made of them, the box
/// itself inside a cube, and the host's chips in a flat pod.
pub fn alignment(generation: &Generation, size: Shape) -> Shape {
    let [x, y, z] = match generation.wiring {
        Wiring::Cubes => size.sizes3().map(|size| size.min(CUBE_SIDE)),
        Wiring::Flat | Wiring::Boardfly => {
            let block = host_block(generation.host_chips()).unwrap_or(Shape::solid(1, 1, 1));
            Axis::ALL.map(|axis| block.along(axis).min(size.along(axis)))
        }
    };
    Shape::solid(x, y, z)
}

/// Whether a box of chips fits on a pod with its first chip at a place. For many questions keep a [`Floor`].
pub fn fits(pod: &Pod, generation: &Generation, size: Shape, at: Coord) -> Fit {
    Floor::new(pod, generation).fits(size, at)
}

/// The first place in row-major order where a box fits, and how it is turned there; the untouched form is tried first
/// everywhere. `None` if it fits nowhere.
pub fn first_free(pod: &Pod, generation: &Generation, size: Shape) -> Option<(Coord, Shape)> {
    Floor::new(pod, generation).free_boxes(size).next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::{Catalog, GenerationId};
    use crate::fleet::{Component, Effect};
    use crate::occupancy::tests::{block, fault, pod};

    fn generation(name: &str) -> &'static Generation {
        Catalog::embedded().find(name).unwrap()
    }

    #[test]
    fn the_reason_why_a_box_does_not_fit_is_said() {
        let mut pod = pod();
        pod.slices = vec![block("train-a", "4x4x8", [0, 0, 0])];
        pod.spares = vec![Coord::new(1, 0, 0)];
        pod.faults = vec![fault(Component::Chip(Coord::new(4, 4, 0)), Effect::Down)];
        let fit =
            |size: &str, at: [u16; 3]| fits(&pod, generation("v5p"), size.parse().unwrap(), at.into()).to_string();
        assert_eq!(
            fit("8x8x8", [0, 0, 0]),
            "overlaps 2 cubes of train-a and 1 cube held as spare and 1 cube out of service"
        );
        assert_eq!(fit("8x4x4", [0, 4, 8]), "fits");
        assert_eq!(fit("4x4x8", [0, 0, 12]), "reaches over the edge of the pod");
        assert_eq!(fit("4x4x4", [2, 0, 8]), "must start at multiples of 4x4x4");
        assert_eq!(fit("2x2x2", [2, 2, 8]), "fits");
        assert!(fit("4x4x6", [0, 0, 8]).contains("every size must be a multiple of 4"));
    }

    #[test]
    fn the_first_free_place_is_found_turned_where_it_must_be() {
        let mut pod = pod();
        pod.slices = vec![block("a", "8x8x8", [0, 0, 0])];
        assert_eq!(
            first_free(&pod, generation("v5p"), Shape::solid(4, 4, 8)),
            Some((Coord::new(0, 0, 8), Shape::solid(4, 4, 8)))
        );
        pod.slices.push(block("b", "4x8x8", [0, 0, 8]));
        pod.slices.push(block("c", "4x4x4", [4, 0, 8]));
        let turned = first_free(&pod, generation("v5p"), Shape::solid(4, 4, 8));
        assert_eq!(turned, Some((Coord::new(4, 4, 8), Shape::solid(4, 4, 8))));
        pod.slices.push(block("d", "4x4x4", [4, 4, 12]));
        let turned = first_free(&pod, generation("v5p"), Shape::solid(4, 4, 8));
        assert_eq!(turned, None);
        assert_eq!(
            Floor::new(&pod, generation("v5p")).free_cubes(),
            [Coord::new(1, 1, 2), Coord::new(1, 0, 3)],
            "joined by optical switches they would do"
        );
    }

    #[test]
    fn flat_pods_are_filled_chip_by_chip() {
        let mut flat = Pod { generation: GenerationId("v5e".to_owned()), shape: Shape::flat(16, 16), ..pod() };
        flat.slices = vec![block("a", "4x8", [0, 0, 0])];
        assert_eq!(
            fits(&flat, generation("v5e"), Shape::flat(8, 4), Coord::new(2, 6, 0)).to_string(),
            "overlaps 4 chips of a"
        );
        let found = first_free(&flat, generation("v5e"), Shape::flat(8, 8));
        assert_eq!(found, Some((Coord::new(4, 0, 0), Shape::flat(8, 8))));
    }
}
