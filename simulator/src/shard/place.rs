//! Reads a mesh and finds its axes a place on the torus.

use topology::shape::{Axis, Shape};

use super::mesh::{BadMesh, Factor, Mesh, MeshAxis};
use super::notation::AxisName;

/// What an axis of the mesh asks for.
pub(super) enum Wish {
    /// A number of places, wherever they are.
    Size(u64),
    /// Torus axes, or parts of so many places.
    Parts(Vec<(Axis, Option<u16>)>),
}

/// Reads `x=x,y=y*z,a=4,b=x:2`.
pub(super) fn read(text: &str) -> Result<Vec<(AxisName, Wish)>, BadMesh> {
    let bad = |reason: &str, at: usize| BadMesh::Text { reason: reason.to_owned(), position: at + 1 };
    if text.chars().count() > Mesh::MAX_CHARS {
        return Err(bad("the text is too long", Mesh::MAX_CHARS));
    }
    let mut wishes = Vec::<(AxisName, Wish)>::new();
    let mut at = 0;
    for part in text.split(',') {
        let start = at + part.chars().take_while(|c| c.is_whitespace()).count();
        let value_at = at + part.chars().take_while(|c| *c != '=').count() + 1;
        at += part.chars().count() + 1;
        let (name, value) =
            part.split_once('=').ok_or_else(|| bad("an axis, \"=\" and what it lies on are expected", start))?;
        let name = name.trim().to_ascii_lowercase();
        let mut letters = name.chars();
        if !letters.next().is_some_and(|c| c.is_ascii_lowercase()) || !letters.all(|c| c.is_ascii_digit()) {
            return Err(bad("the name of an axis is expected: one letter, perhaps with digits after it", start));
        }
        let name = AxisName(name);
        if wishes.iter().any(|(other, _)| *other == name) {
            return Err(bad("the axis is given twice", start));
        }
        if wishes.len() == Mesh::MAX_AXES {
            return Err(bad("a mesh has at most 6 axes; this one more", start));
        }
        let wish = wish(value).ok_or_else(|| {
            bad("axes of the torus such as yz, parts such as x:4, or a size from 1 to 65535 is expected", value_at)
        })?;
        wishes.push((name, wish));
    }
    Ok(wishes)
}

fn wish(value: &str) -> Option<Wish> {
    let value: String = value.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    if value.starts_with(|c: char| c.is_ascii_digit()) {
        let size = value.parse::<u16>().ok().filter(|size| *size > 0)?;
        return Some(Wish::Size(u64::from(size)));
    }
    let mut parts = Vec::new();
    let mut rest = value.as_str();
    while let Some(letter) = rest.chars().next() {
        let axis = Axis::ALL.into_iter().find(|axis| axis.name().starts_with(letter))?;
        rest = &rest[1..];
        let mut size = None;
        if let Some(after) = rest.strip_prefix(':') {
            let digits = after.chars().take_while(char::is_ascii_digit).count();
            size = Some(after[..digits].parse::<u16>().ok().filter(|size| *size > 0)?);
            rest = &after[digits..];
        }
        parts.push((axis, size));
        if let Some(after) = rest.strip_prefix('*').or_else(|| rest.strip_prefix('×')) {
            rest = after;
            if rest.is_empty() {
                return None;
            }
        }
    }
    (!parts.is_empty()).then_some(Wish::Parts(parts))
}

/// Parts of the torus axes, in the order in which they were taken; the first has the largest stride.
#[derive(Clone, Default)]
struct Taken(Vec<(usize, Axis, u16)>);

impl Taken {
    /// What is left of an axis.
    fn left(&self, shape: Shape, axis: Axis) -> u16 {
        let taken = self.0.iter().filter(|(_, other, _)| *other == axis);
        shape.along(axis) / taken.map(|(_, _, size)| *size).product::<u16>()
    }

    /// The factors of a mesh axis with their strides; places of one chip are left out.
    fn factors(&self, mesh_axis: usize) -> Vec<Factor> {
        let mine = self.0.iter().enumerate().filter(|(_, (owner, ..))| *owner == mesh_axis);
        let factor = |(i, (_, axis, size)): (usize, &(usize, Axis, u16))| {
            let after = self.0[i + 1..].iter().filter(|(_, other, _)| other == axis);
            Factor { axis: *axis, size: *size, stride: after.map(|(_, _, size)| *size).product() }
        };
        mine.map(factor).filter(|factor| factor.size > 1).collect()
    }
}

/// Gives every axis its place: those that name axes first, then those with sizes.
pub(super) fn place(wishes: &[(AxisName, Wish)], shape: Shape) -> Result<Vec<MeshAxis>, BadMesh> {
    let mut taken = Taken::default();
    for (i, (name, wish)) in wishes.iter().enumerate() {
        let Wish::Parts(parts) = wish else { continue };
        for (axis, size) in parts {
            let left = taken.left(shape, *axis);
            let wanted = size.unwrap_or_else(|| shape.along(*axis));
            let refuse = |reason: String| {
                let part = size.map_or_else(String::new, |size| format!(":{size}"));
                BadMesh::Taken { axis: name.clone(), what: format!("{}{part}", axis.name()), reason }
            };
            if axis.index() >= shape.rank() {
                return Err(refuse(format!("the torus {shape} has no axis {}", axis.name())));
            }
            if !left.is_multiple_of(wanted) {
                let whole = shape.along(*axis);
                let what = if left == whole { "whole axis" } else { "rest" };
                let reason = format!("the {what} {} has {left} places; take a number that divides it", axis.name());
                let taken = format!("{} is taken already; take parts of it such as {0}:2, or another", axis.name());
                return Err(refuse(if left == 1 && whole > 1 { taken } else { reason }));
            }
            taken.0.push((i, *axis, wanted));
        }
    }
    let sized: Vec<(usize, u64)> = wishes.iter().enumerate().filter_map(sized).collect();
    let mut taken =
        fit(&taken, shape, &sized, true).or_else(|| fit(&taken, shape, &sized, false)).ok_or_else(|| {
            let sizes = sized.iter().map(|(i, size)| format!("{}={size}", wishes[*i].0)).collect::<Vec<_>>().join(",");
            BadMesh::NoFit { sizes, shape }
        })?;
    // Strides follow the order in which the mesh is written, so that it is read back equal.
    taken.0.sort_by_key(|(owner, ..)| *owner);
    let axis = |(i, (name, _)): (usize, &(AxisName, Wish))| MeshAxis { name: name.clone(), factors: taken.factors(i) };
    Ok(wishes.iter().enumerate().map(axis).collect())
}

const fn sized((i, (_, wish)): (usize, &(AxisName, Wish))) -> Option<(usize, u64)> {
    match wish {
        Wish::Size(size) => Some((i, *size)),
        Wish::Parts(_) => None,
    }
}

/// The fewest parts that give every axis its size, found by trying all; the first of equally few.
fn fit(taken: &Taken, shape: Shape, sized: &[(usize, u64)], is_whole: bool) -> Option<Taken> {
    let mut search = Search { shape, sized, is_whole, best: None, tries: 0 };
    let missing: Vec<u64> = sized.iter().map(|(_, size)| *size).collect();
    search.go(taken.clone(), missing, (0, 0));
    search.best
}

struct Search<'a> {
    shape: Shape,
    sized: &'a [(usize, u64)],
    is_whole: bool,
    best: Option<Taken>,
    tries: u32,
}

/// Far more than any torus of 9,216 chips needs.
const MAX_TRIES: u32 = 200_000;

impl Search<'_> {
    /// Decides what the `of`-th sized axis takes of the `axis`-th torus axis, and all that follows.
    fn go(&mut self, taken: Taken, missing: Vec<u64>, (axis, of): (usize, usize)) {
        self.tries += 1;
        if self.best.as_ref().is_some_and(|best| best.0.len() <= taken.0.len()) || self.tries > MAX_TRIES {
            return;
        }
        if missing.iter().all(|size| *size == 1) {
            self.best = Some(taken);
            return;
        }
        let Some(torus_axis) = self.shape.axes().get(axis) else { return };
        if of == self.sized.len() {
            return self.go(taken, missing, (axis + 1, 0));
        }
        let left = taken.left(self.shape, *torus_axis);
        let fits = |size: &u16| {
            left.is_multiple_of(*size)
                && missing[of].is_multiple_of(u64::from(*size))
                && (*size == left || !self.is_whole)
        };
        for size in (2..=left).rev().filter(fits).collect::<Vec<u16>>() {
            let mut taken = taken.clone();
            taken.0.push((self.sized[of].0, *torus_axis, size));
            let mut missing = missing.clone();
            missing[of] /= u64::from(size);
            self.go(taken, missing, (axis, of + 1));
        }
        self.go(taken, missing, (axis, of + 1));
    }
}
