//! A mesh of named axes on the axes of a torus.
//!
//! Each axis of the mesh is a product of axes of the torus, or of parts of them, the first one slowest. It is written
//! `x=x,y=yz` (axes of the torus), `x=4,y=16` (sizes: whole axes are taken where they fit, parts else) or `a=x:4,b=x:2`
//! (parts: of the 8 chips along x, a numbers the 4 pairs and b the 2 chips of a pair). What no axis of the mesh takes
//! holds replicas.

use std::fmt;

use serde::Serialize;
use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Sign, Torus};

use super::notation::AxisName;
use super::place;
use crate::collective::Ring;

/// A torus axis, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Factor {
    /// The axis of the torus.
    pub axis: Axis,
    /// Places along it.
    pub size: u16,
    /// Links from one place to the next: 1 where they are neighbours.
    pub stride: u16,
}

/// One axis of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeshAxis {
    /// Its name.
    pub name: AxisName,
    /// What it consists of, slowest first; none where it has one place only.
    pub factors: Vec<Factor>,
}

impl MeshAxis {
    /// Number of places.
    pub fn size(&self) -> u64 {
        self.factors.iter().map(|factor| u64::from(factor.size)).product()
    }

    /// The place of a chip along it.
    pub fn place_of(&self, chip: Coord) -> u64 {
        self.factors.iter().fold(0, |place, factor| place * u64::from(factor.size) + u64::from(factor.place_of(chip)))
    }
}

impl Factor {
    /// The place of a chip along it.
    pub const fn place_of(self, chip: Coord) -> u16 {
        chip.along(self.axis) / self.stride % self.size
    }
}

/// A mesh on a torus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mesh {
    torus: Torus,
    axes: Vec<MeshAxis>,
}

/// Why a text is no mesh on a torus.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMesh {
    /// It cannot be read.
    #[error("{reason} at character {position}; a mesh is written such as x=x,y=yz or x=4,y=16")]
    Text {
        /// What is wrong and what would be right.
        reason: String,
        /// Where, counted in characters from 1.
        position: usize,
    },
    /// A torus axis is taken more than once, or has not the part.
    #[error("{axis}={what} does not fit: {reason}")]
    Taken {
        /// The axis of the mesh.
        axis: AxisName,
        /// What it asks for.
        what: String,
        /// Why it cannot have it.
        reason: String,
    },
    /// No choice of axes has the sizes.
    #[error(
        "the sizes {sizes} are no products of axes of the torus {shape} or of parts of them; choose sizes that divide \
         its axes, or name the axes, such as x=x,y=yz"
    )]
    NoFit {
        /// The sizes as asked for.
        sizes: String,
        /// The torus.
        shape: Shape,
    },
}

impl Mesh {
    /// Most axes of a mesh.
    pub const MAX_AXES: usize = 6;
    /// Longest text that is read, in characters.
    pub const MAX_CHARS: usize = 200;

    /// Reads a mesh. An empty text is the torus itself: x, y and z.
    ///
    /// # Errors
    /// If it cannot be read or does not fit on the torus.
    pub fn parse(text: &str, torus: &Torus) -> Result<Self, BadMesh> {
        if text.trim().is_empty() {
            return Ok(Self::whole(torus));
        }
        Ok(Self { torus: *torus, axes: place::place(&place::read(text)?, torus.shape())? })
    }

    /// The axes of the torus under their own names.
    pub fn whole(torus: &Torus) -> Self {
        let shape = torus.shape();
        let axis = |axis: &Axis| {
            let factor = Factor { axis: *axis, size: shape.along(*axis), stride: 1 };
            let factors = if factor.size > 1 { vec![factor] } else { Vec::new() };
            MeshAxis { name: AxisName(axis.name().to_owned()), factors }
        };
        Self { torus: *torus, axes: shape.axes().iter().map(axis).collect() }
    }

    /// The torus.
    pub const fn torus(&self) -> &Torus {
        &self.torus
    }

    /// Its axes in the order in which they were given.
    pub fn axes(&self) -> &[MeshAxis] {
        &self.axes
    }

    /// The number of the axis of that name.
    pub fn find(&self, name: &AxisName) -> Option<usize> {
        self.axes.iter().position(|axis| axis.name == *name)
    }

    /// How many chips do the same as one: the part of the torus that no axis of the mesh takes.
    pub fn replicas(&self) -> u64 {
        self.torus.shape().n_chips() as u64 / self.axes.iter().map(MeshAxis::size).product::<u64>()
    }

    /// What a group of chips along some axes consists of: parts of one torus axis that follow one another are one.
    pub fn group(&self, axes: &[usize]) -> Vec<Factor> {
        let mut factors: Vec<Factor> = axes.iter().flat_map(|axis| self.axes[*axis].factors.iter().copied()).collect();
        // By axis, largest stride first.
        factors.sort_by_key(|factor| (factor.axis, std::cmp::Reverse(factor.stride)));
        let mut merged = Vec::<Factor>::new();
        for factor in factors {
            match merged.last_mut() {
                Some(last) if last.axis == factor.axis && last.stride == factor.stride * factor.size => {
                    *last = Factor { size: last.size * factor.size, ..factor };
                }
                _ => merged.push(factor),
            }
        }
        merged
    }

    /// The ring or line that a factor is. Chips that lie between two of its places use the same links for groups of
    /// their own, so that each group has its share of the rate. Twisted wrap links come back elsewhere and close no ring.
    pub fn ring(&self, factor: Factor) -> Ring {
        let whole = factor.size * factor.stride == self.torus.shape().along(factor.axis);
        Ring {
            size: factor.size,
            wraps: whole && closes(&self.torus, factor.axis),
            rate: 1.0 / f64::from(factor.stride),
        }
    }
}

/// Whether going on along an axis comes back to the first chip.
fn closes(torus: &Torus, axis: Axis) -> bool {
    let mut last = [0; 3];
    last[axis.index()] = torus.shape().along(axis) - 1;
    torus.step(last.into(), axis, Sign::Plus).is_some_and(|step| step.to == Coord::default())
}

impl fmt::Display for Mesh {
    /// `x=x,y=y*z`, which is read back equal on the same torus.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.torus.shape();
        let factor = |factor: &Factor| {
            let part =
                if factor.size == shape.along(factor.axis) { String::new() } else { format!(":{}", factor.size) };
            factor.axis.name().to_owned() + &part
        };
        let axis = |axis: &MeshAxis| {
            let factors: Vec<String> = axis.factors.iter().map(factor).collect();
            format!("{}={}", axis.name, if factors.is_empty() { "1".to_owned() } else { factors.join("*") })
        };
        f.write_str(&self.axes.iter().map(axis).collect::<Vec<_>>().join(","))
    }
}
