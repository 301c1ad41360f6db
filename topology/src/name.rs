//! What Cloud calls a slice: accelerator type, machine type, GKE label, and what such a name may mean.
//!
//! The number in an accelerator type counts `TensorCores` for v2, v3, v4, v5p and tpu7x (two per chip) and chips for
//! v5e and v6e; sources: `system_characteristics.py` of xpk, Cloud TPU documents. A type does not say the shape.

use serde::{Deserialize, Serialize};

use crate::catalog::UnknownGeneration;
use crate::chip::{Catalog, Generation};
use crate::rules::legal_shapes;
use crate::shape::{Coord, Shape};

/// How the slices of a generation are called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// What stands before the number of an accelerator type: "v5p", "v5litepod".
    pub prefix: String,
    /// What the number counts.
    pub counts: Counts,
    /// Machine types of its hosts; none where GKE does not offer the generation.
    pub machines: Vec<Machine>,
}

/// What the number in an accelerator type counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counts {
    /// `TensorCores`: the chips times the `TensorCores` of a chip.
    TensorCores,
    /// Chips.
    Chips,
}

/// A machine type: a virtual machine with chips.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Name of the machine type, such as "ct5p-hightpu-4t".
    pub name: String,
    /// Value of the label `cloud.google.com/gke-tpu-accelerator`.
    pub gke_accelerator: String,
    /// Its chips.
    pub chips: u32,
    /// Which slices it is used for.
    pub use_for: MachineUse,
}

/// Which slices a machine type is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MachineUse {
    /// Slices of one host.
    Single,
    /// Slices of several hosts.
    Multi,
    /// Both.
    Both,
}

/// The machines of a slice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hosts {
    /// Number of machines.
    pub n_hosts: usize,
    /// Chips of each, as a box of the slice.
    pub block: Shape,
    /// Machine type; absent where none is known.
    pub machine: Option<Machine>,
}

/// Accelerator type of a slice of a generation, such as "v5p-128"; absent where the generation has no such names.
pub fn accelerator_type(generation: &Generation, shape: Shape) -> Option<String> {
    let naming = &generation.naming.as_ref()?.value;
    let per_chip = naming.counts.per_chip(generation)?;
    Some(format!("{}-{}", naming.prefix, shape.n_chips() * per_chip as usize))
}

impl Counts {
    /// What one chip counts; `None` where the `TensorCores` of a chip are not known.
    fn per_chip(self, generation: &Generation) -> Option<u32> {
        match self {
            Self::Chips => Some(1),
            Self::TensorCores => generation.tensorcores_per_chip.as_ref().map(|cores| cores.value),
        }
    }
}

/// The box of chips of one host, by its number of chips: 1 is 1x1x1, 2 is 1x2x1, 4 is 2x2x1, 8 is 2x4x1.
///
/// Source: `util.go` of the Kubernetes DRA driver for TPUs, and the process bounds of the TPU runtime. `None` for any
/// other number.
pub const fn host_block(chips: u32) -> Option<Shape> {
    match chips {
        1 => Some(Shape::solid(1, 1, 1)),
        2 => Some(Shape::solid(1, 2, 1)),
        4 => Some(Shape::solid(2, 2, 1)),
        8 => Some(Shape::solid(2, 4, 1)),
        _ => None,
    }
}

/// The usual machines of a slice: one machine that holds all of it where there is one, else the multi-host type.
pub fn hosts(generation: &Generation, shape: Shape) -> Hosts {
    let n_chips = shape.n_chips();
    let machines = generation.naming.as_ref().map_or(&[][..], |naming| &naming.value.machines);
    let single = machines.iter().find(|m| m.use_for != MachineUse::Multi && m.chips as usize == n_chips);
    let divides = |m: &&Machine| n_chips > m.chips as usize && n_chips.is_multiple_of(m.chips as usize);
    let multi = || machines.iter().filter(|m| m.use_for != MachineUse::Single).find(divides);
    let machine = single.or_else(multi);
    let chips = machine.map_or_else(|| generation.host_chips(), |machine| machine.chips) as usize;
    let block =
        host_block(chips.min(n_chips) as u32).filter(|block| tiles(*block, shape)).unwrap_or(Shape::solid(1, 1, 1));
    Hosts { n_hosts: n_chips / block.n_chips(), block, machine: machine.cloned() }
}

fn tiles(block: Shape, shape: Shape) -> bool {
    block.sizes3().iter().zip(shape.sizes3()).all(|(b, s)| s % b == 0)
}

impl Hosts {
    /// Number of the host of a chip, row-major over the boxes with x fastest, as the TPU runtime numbers processes.
    ///
    /// # Panics
    /// If the chip lies outside the slice.
    pub fn host_of(&self, shape: Shape, chip: Coord) -> usize {
        let [bx, by, bz] = self.block.sizes3();
        let [sx, sy, sz] = shape.sizes3();
        let bounds = Shape::solid(sx.div_ceil(bx), sy.div_ceil(by), sz.div_ceil(bz));
        bounds.index_of(Coord::new(chip.x / bx, chip.y / by, chip.z / bz))
    }
}

/// What an accelerator type may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceleratorType<'a> {
    /// The generation.
    pub generation: &'a Generation,
    /// The number in the name.
    pub count: u32,
    /// Chips of the slice.
    pub n_chips: u32,
    /// All legal shapes with so many chips; a type does not say which.
    pub shapes: Vec<Shape>,
}

/// Why a text is not an accelerator type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadAcceleratorType {
    /// It has not the form of one.
    #[error("\"{0}\" is not an accelerator type; write a generation, a hyphen and a number, such as v5p-128")]
    Form(String),
    /// No generation has such a name.
    #[error(transparent)]
    Generation(#[from] UnknownGeneration),
    /// The number is no whole number of chips, or no slice has so many.
    #[error("{generation} has no slice of type \"{text}\": the number counts {counts} and no legal slice has so many")]
    Count {
        /// Name of the generation for people.
        generation: String,
        /// The accelerator type.
        text: String,
        /// What the number counts, in words.
        counts: &'static str,
    },
}

/// Reads an accelerator type such as "v5p-128", "v5litepod-16", "v5e-16" or "v4-8".
///
/// # Errors
/// If the text has another form, the generation is unknown or no legal slice has that size.
pub fn parse_accelerator_type<'a>(catalog: &'a Catalog, text: &str) -> Result<AcceleratorType<'a>, BadAcceleratorType> {
    let text = text.trim();
    let form = || BadAcceleratorType::Form(text.chars().take(40).collect());
    let (name, number) = text.rsplit_once('-').ok_or_else(form)?;
    let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let count = if digits { number.parse::<u32>().ok() } else { None }.ok_or_else(form)?;
    let generation = catalog.find(name)?;
    let counts = generation.naming.as_ref().map_or(Counts::Chips, |naming| naming.value.counts);
    let per_chip = counts.per_chip(generation).unwrap_or(1).max(1);
    let n_chips = count / per_chip;
    let shapes: Vec<Shape> = legal_shapes(generation)
        .into_iter()
        .map(|legal| legal.shape)
        .filter(|shape| count % per_chip == 0 && shape.n_chips() == n_chips as usize)
        .collect();
    if shapes.is_empty() {
        let counts = if counts == Counts::Chips { "chips" } else { "TensorCores" };
        return Err(BadAcceleratorType::Count { generation: generation.name.clone(), text: text.to_owned(), counts });
    }
    Ok(AcceleratorType { generation, count, n_chips, shapes })
}
