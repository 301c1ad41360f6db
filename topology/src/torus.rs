//! The lattice of chips: neighbours, links, distances and routes by arithmetic, plain or twisted.
//!
//! A twisted torus changes only the wrap links of its short axes: they come back not at the same place of the other
//! axes but half a long axis further. For k×k×2k (short x and y, long z) the x and y wraps add k along z, which is the
//! face-centred lattice; for k×2k×2k (short x) the x wrap adds k along y and z, the body-centred one. Camarero,
//! Martínez and Beivide describe these lattice graphs; Jouppi et al., "TPU v4" (ISCA 2023, section 2.8), cite them.
//! For k×2k×nk with n above 2 no source gives the offsets: the x wrap is assumed to add k along y, the axis of 2k, and
//! nothing along the longest ([`TwistForm::Assumed`]).

use crate::shape::{Axis, Coord, Shape};

/// Which way along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    /// Towards larger coordinates.
    Plus,
    /// Towards smaller coordinates.
    Minus,
}

/// One hop from a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Along which axis.
    pub axis: Axis,
    /// Which way.
    pub sign: Sign,
    /// The chip that it leads to.
    pub to: Coord,
    /// Whether it goes over a wrap link.
    pub wraps: bool,
}

/// A link, named by the chip from which it goes in the positive direction of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Link {
    /// The chip at its negative end.
    pub from: Coord,
    /// Its axis.
    pub axis: Axis,
}

/// A torus, mesh or mixture, perhaps twisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Torus {
    shape: Shape,
    wrap: [bool; 3],
    /// What the positive wrap link of an axis adds to the other coordinates.
    shifts: [[u16; 3]; 3],
}

/// How well the offsets of a twist are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TwistForm {
    /// The lattices of the paper: one size is doubled on some axes (k×2k, k×k×2k, k×2k×2k).
    Lattice,
    /// k×2k×nk, n above 2, whose offsets no source gives.
    Assumed,
}

/// The shape has none of the forms that a twist needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot be twisted: only k×k×2k, k×2k×2k and k×2k×nk can")]
pub struct NotTwistable(pub Shape);

impl TwistForm {
    /// The form of a shape, sizes in any order; `None` where it cannot be twisted.
    pub fn of(shape: Shape) -> Option<Self> {
        let mut sizes = shape.sizes().to_vec();
        sizes.sort_unstable();
        let short = sizes.first().copied().filter(|short| *short > 1)?;
        // Sizes are at most 4,096, so a ratio never overflows.
        let ratios: Vec<u16> = sizes.iter().map(|size| size / short).collect();
        if sizes.iter().any(|size| !size.is_multiple_of(short)) {
            return None;
        }
        match ratios[..] {
            [1, 2] | [1, 1 | 2, 2] => Some(Self::Lattice),
            [1, 2, n] if n > 2 => Some(Self::Assumed),
            _ => None,
        }
    }
}

impl Torus {
    /// A plain one with wrap links along the given axes; axes of one chip never wrap.
    pub fn plain(shape: Shape, wrap: [bool; 3]) -> Self {
        let wrap = Axis::ALL.map(|axis| wrap[axis.index()] && shape.along(axis) > 1);
        Self { shape, wrap, shifts: [[0; 3]; 3] }
    }

    /// A twisted one, which wraps along all axes; sizes may come in any order.
    ///
    /// # Errors
    /// If the shape has none of the forms k×2k, k×k×2k, k×2k×2k and k×2k×nk.
    pub fn twisted(shape: Shape) -> Result<Self, NotTwistable> {
        if TwistForm::of(shape).is_none() {
            return Err(NotTwistable(shape));
        }
        let short = shape.sizes().iter().copied().min().unwrap_or(1);
        let is = |axis: Axis, ratio: u16| shape.along(axis) == ratio * short;
        let added = Axis::ALL.map(|axis| if is(axis, 2) { short } else { 0 });
        let has = |axis: &Axis| axis.index() < shape.rank();
        let shifts = Axis::ALL.map(|axis| if has(&axis) && is(axis, 1) { added } else { [0; 3] });
        Ok(Self { shape, wrap: Axis::ALL.map(|axis| has(&axis)), shifts })
    }

    /// Size in chips.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Which axes have wrap links.
    pub const fn wrap(&self) -> [bool; 3] {
        self.wrap
    }

    /// Whether it is twisted.
    pub fn is_twisted(&self) -> bool {
        self.shifts != [[0; 3]; 3]
    }

    /// How well its twist is known; `None` where it is not twisted.
    pub fn twist_form(&self) -> Option<TwistForm> {
        if self.is_twisted() { TwistForm::of(self.shape) } else { None }
    }

    /// Whether every chip sees the same picture, which is so where every axis of more than one chip wraps.
    pub fn is_symmetric(&self) -> bool {
        Axis::ALL.into_iter().all(|axis| self.wrap[axis.index()] || self.shape.along(axis) == 1)
    }

    /// Number of links; two chips in a wrapped axis of size 2 have two.
    pub fn n_links(&self) -> usize {
        let n = self.shape.n_chips();
        let along = |axis: Axis| match (self.wrap[axis.index()], usize::from(self.shape.along(axis))) {
            (true, _) => n,
            (false, size) => n / size * (size - 1),
        };
        Axis::ALL.into_iter().map(along).sum()
    }

    /// The hop from a chip along an axis; `None` at the edge of a mesh.
    ///
    /// # Panics
    /// If the chip lies outside.
    pub fn step(&self, from: Coord, axis: Axis, sign: Sign) -> Option<Step> {
        assert!(self.shape.contains(from), "the chip lies inside the torus");
        let mut to: [u16; 3] = from.into();
        let i = axis.index();
        let last = self.shape.along(axis) - 1;
        let (edge, other, inside) = match sign {
            Sign::Plus => (last, 0, to[i].wrapping_add(1)),
            Sign::Minus => (0, last, to[i].wrapping_sub(1)),
        };
        if to[i] != edge {
            to[i] = inside;
            return Some(Step { axis, sign, to: to.into(), wraps: false });
        }
        if !self.wrap[i] {
            return None;
        }
        to[i] = other;
        for ((place, shift), size) in to.iter_mut().zip(self.shifts[i]).zip(self.shape.sizes3()) {
            let (size, shift) = (u32::from(size), u32::from(shift));
            let shift = if sign == Sign::Plus { shift } else { size - shift };
            *place = ((u32::from(*place) + shift) % size) as u16;
        }
        Some(Step { axis, sign, to: to.into(), wraps: true })
    }

    /// All hops from a chip: at most six, in the order +x −x +y −y +z −z.
    ///
    /// # Panics
    /// If the chip lies outside.
    pub fn neighbours(&self, from: Coord) -> impl Iterator<Item = Step> {
        let directions = Axis::ALL.into_iter().flat_map(|axis| [(axis, Sign::Plus), (axis, Sign::Minus)]);
        directions.filter_map(move |(axis, sign)| self.step(from, axis, sign))
    }

    /// All links, by chip in row-major order and then by axis.
    pub fn links(&self) -> impl Iterator<Item = Link> {
        let of_chip = move |from| Axis::ALL.into_iter().map(move |axis| Link { from, axis });
        self.shape.coords().flat_map(of_chip).filter(|link| self.step(link.from, link.axis, Sign::Plus).is_some())
    }

    /// The link that a hop from a chip uses.
    pub const fn link_of(from: Coord, step: Step) -> Link {
        match step.sign {
            Sign::Plus => Link { from, axis: step.axis },
            Sign::Minus => Link { from: step.to, axis: step.axis },
        }
    }

    /// Hops along each axis, with sign, of one shortest route; ties go to the positive direction.
    ///
    /// # Panics
    /// If a chip lies outside.
    pub fn offset(&self, from: Coord, to: Coord) -> [i32; 3] {
        assert!(self.shape.contains(from) && self.shape.contains(to), "the chips lie inside the torus");
        let (from, to): ([u16; 3], [u16; 3]) = (from.into(), to.into());
        let direct: [i32; 3] = std::array::from_fn(|i| i32::from(to[i]) - i32::from(from[i]));
        let turns = |axis: usize| if self.shifts[axis] == [0; 3] { 0..=0 } else { -1..=1 };
        let mut best: Option<[i32; 3]> = None;
        // Going once round a twisted axis changes the others, so each of the few combinations of turns is tried.
        for tx in turns(0) {
            for ty in turns(1) {
                for tz in turns(2) {
                    let offset = self.unfolded(direct, [tx, ty, tz]);
                    if best.is_none_or(|best| length(offset) < length(best)) {
                        best = Some(offset);
                    }
                }
            }
        }
        best.unwrap_or(direct)
    }

    /// The offset after a number of turns round each twisted axis, the plain axes taken the short way.
    fn unfolded(&self, direct: [i32; 3], turns: [i32; 3]) -> [i32; 3] {
        let sizes = self.shape.sizes3().map(i32::from);
        let mut offset = direct;
        for axis in 0..3 {
            offset[axis] += turns[axis] * sizes[axis];
            for (place, shift) in offset.iter_mut().zip(self.shifts[axis]) {
                *place -= turns[axis] * i32::from(shift);
            }
        }
        for axis in 0..3 {
            if self.wrap[axis] && self.shifts[axis] == [0; 3] {
                let forward = offset[axis].rem_euclid(sizes[axis]);
                offset[axis] = if 2 * forward <= sizes[axis] { forward } else { forward - sizes[axis] };
            }
        }
        offset
    }

    /// Hops of a shortest route; constant time.
    ///
    /// # Panics
    /// If a chip lies outside.
    pub fn distance(&self, from: Coord, to: Coord) -> u32 {
        length(self.offset(from, to)).unsigned_abs()
    }

    /// A shortest route, both ends included, along x, then y, then z (dimension-ordered).
    ///
    /// # Panics
    /// If a chip lies outside.
    pub fn route(&self, from: Coord, to: Coord) -> Vec<Coord> {
        let offset = self.offset(from, to);
        let mut path = vec![from];
        let mut at = from;
        for axis in Axis::ALL {
            let hops = offset[axis.index()];
            let sign = if hops < 0 { Sign::Minus } else { Sign::Plus };
            for _ in 0..hops.unsigned_abs() {
                // A shortest offset never leaves a mesh.
                let Some(step) = self.step(at, axis, sign) else { break };
                at = step.to;
                path.push(at);
            }
        }
        path
    }
}

const fn length(offset: [i32; 3]) -> i32 {
    offset[0].abs() + offset[1].abs() + offset[2].abs()
}
