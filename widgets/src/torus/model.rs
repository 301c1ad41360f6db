//! What a torus picture is made of, and what it answers.

use serde::{Deserialize, Serialize};
use topology::fleet::CUBE_SIDE;
use topology::shape::{Axis, Coord, Shape};
use topology::torus::Sign;

use crate::camera::Camera;
use crate::legend::{Legend, Scale};

/// A pod with its slices. Pods with two axes are drawn chip by chip, others cube by cube.
#[derive(Debug, Clone, PartialEq)]
pub struct Torus {
    /// Name of the pod, for the accessible description.
    pub pod: String,
    /// Size of the pod in chips.
    pub shape: Shape,
    /// Every cube of the pod (every chip of a two-dimensional pod), in any order.
    pub cells: Vec<Cell>,
    /// One value per chip, row-major as [`Shape::index_of`]; empty when chips have none of their own.
    pub chip_values: Vec<Option<f32>>,
    /// The slices that [`Cell::owner`] counts.
    pub slices: Vec<Slice>,
    /// A slice that is being placed.
    pub ghost: Option<Ghost>,
    /// By slice or by value.
    pub paint: Paint,
    /// Whether stubs show every wrap link of the pod.
    pub wrap_links: bool,
    /// Values on the links, drawn instead of struts while cells step back; none leaves them out.
    pub links: Option<Links>,
    /// A cell to show brighter because another picture points at it.
    pub shared_hover: Option<Coord>,
    /// Changes whenever anything else here changes: the picture is kept until then.
    pub revision: u64,
}

impl Torus {
    /// Number of cells along x, y and z.
    pub fn lattice(&self) -> [u16; 3] {
        let side = self.cell_side();
        self.shape.sizes3().map(|size| size.div_ceil(side))
    }

    /// Chips along the side of a cell: 4, or 1 in a two-dimensional pod.
    pub fn cell_side(&self) -> u16 {
        if self.shape.rank() == 3 { CUBE_SIDE } else { 1 }
    }
}

/// A cube of 4×4×4 chips, or a single chip of a two-dimensional pod.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Position, counted in cells.
    pub at: Coord,
    /// Index into [`Torus::slices`].
    pub owner: Option<usize>,
    /// What it is used for.
    pub state: CellState,
    /// The value that is shown by colour, in the unit of the scale.
    pub value: Option<f32>,
}

/// What a cube is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellState {
    /// Part of a slice.
    Allocated,
    /// Nobody's.
    Free,
    /// Held back to replace a failed one.
    Spare,
    /// Out for repair.
    InRepair,
}

/// Values on the links of a pod, such as the share of the time that each is busy.
#[derive(Debug, Clone, PartialEq)]
pub struct Links {
    /// [`Links::count`] values in the order of [`Links::index`]; with another number of values no link is drawn.
    pub values: Vec<LinkValue>,
    /// Colours, range, title and texts of the ends; drawn in the corner of the scene.
    pub legend: Legend,
}

/// What is known about one direction of a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinkValue {
    /// There is no link: an end that does not wrap, or the border of a slice.
    Absent,
    /// There is a link and nothing is known: it is dashed.
    Missing,
    /// The value, in the unit of the scale.
    Value(f32),
}

/// One direction of a link, or of all links between two cubes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkHit {
    /// The chip that it leaves, counted in chips; the cube, counted in cells, where `of_chips` is false.
    pub from: Coord,
    /// Whether chips are the nodes.
    pub of_chips: bool,
    /// Along which axis.
    pub axis: Axis,
    /// Which way.
    pub sign: Sign,
    /// Its value; of all links between two cubes that of the busiest.
    pub value: LinkValue,
}

/// A slice of the pod.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Unique in the pod.
    pub name: String,
    /// Text of its tag, such as "moe-long · 8×16×16 twisted".
    pub label: String,
    /// Index of its identity colour, from 0; 8 and above repeat with stripes.
    pub color: usize,
    /// Which axes of the slice wrap around.
    pub wrap: [bool; 3],
    /// Whether it stands out.
    pub selected: bool,
}

/// A slice on its way to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ghost {
    /// Lowest corner, counted in cells.
    pub at: Coord,
    /// Cells along x, y and z.
    pub size: [u16; 3],
    /// Whether it may stay there.
    pub fits: bool,
    /// The cell under the pointer.
    pub pointer: Option<Coord>,
}

/// What the colour of a cell means.
#[derive(Debug, Clone, PartialEq)]
pub enum Paint {
    /// Its slice.
    BySlice,
    /// Its value.
    ByValue(Scale),
}

/// How finely cubes are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Detail {
    /// Chips as soon as a cube is higher than 48 points.
    #[default]
    Auto,
    /// Cubes only.
    Cubes,
    /// Every chip.
    Chips,
}

/// How the torus is looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TorusState {
    /// The eye.
    pub camera: Camera,
    /// Cubes or chips.
    pub detail: Detail,
    /// The cell that the keyboard moves.
    pub focus: Option<Coord>,
}

/// A cell, and the chip in it where chips are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// The cell, counted in cells.
    pub cell: Coord,
    /// The chip, counted in chips of the pod.
    pub chip: Option<Coord>,
}

/// What happened to a torus in this frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TorusOutput {
    /// Under the pointer.
    pub hovered: Option<Hit>,
    /// The link under the pointer, where links have values.
    pub link: Option<LinkHit>,
    /// Clicked, or confirmed with Enter.
    pub clicked: Option<Hit>,
    /// Clicked twice.
    pub double_clicked: Option<Hit>,
    /// Clicked where nothing is.
    pub clicked_nothing: bool,
    /// Whether the camera moved.
    pub camera_moved: bool,
}
