//! Which part of an array a chip holds, and copying parts out and in.

use topology::shape::Coord;

use super::layout::Layout;
use super::problem::{Problem, Role};

/// The dimensions of an array in the order of memory: kept ones of the first operand, summed ones, kept ones of the
/// second, as far as the array has them. So every operand is a matrix, and so is the result.
pub(crate) struct Frame {
    role: Role,
    /// For each dimension its place in the array as written.
    order: Vec<usize>,
}

impl Frame {
    pub(crate) fn new(problem: &Problem, role: Role) -> Self {
        let left = problem.dims(Role::Left);
        let rank = |dim: usize| {
            let in_left = left.iter().position(|other| *other == dim);
            let kind = match in_left {
                Some(_) if problem.is_summed(dim) => 1,
                Some(_) => 0,
                None => 2,
            };
            (kind, in_left, dim)
        };
        let mut order: Vec<usize> = (0..problem.dims(role).len()).collect();
        order.sort_by_key(|at| rank(problem.dims(role)[*at]));
        Self { role, order }
    }

    /// All of the array.
    pub(crate) fn whole(&self, problem: &Problem) -> Block {
        let len = self.order.iter().map(|at| problem.size(problem.dims(self.role)[*at]) as usize).collect();
        Block { from: vec![0; self.order.len()], len }
    }

    /// What a chip holds.
    pub(crate) fn block(&self, problem: &Problem, layout: &Layout, chip: Coord) -> Block {
        let mut block = self.whole(problem);
        for (i, at) in self.order.iter().enumerate() {
            let mut place = 0;
            for axis in &layout.dims[*at] {
                let axis = &problem.mesh().axes()[*axis];
                place = place * axis.size() + axis.place_of(chip);
            }
            block.len[i] /= problem.parts(&layout.dims[*at]) as usize;
            block.from[i] = place as usize * block.len[i];
        }
        block
    }
}

/// A range of places in each dimension; its elements lie row by row, the last dimension fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    from: Vec<usize>,
    len: Vec<usize>,
}

impl Block {
    pub(crate) fn n_elements(&self) -> usize {
        self.len.iter().product()
    }

    /// What two blocks have in common, which may be nothing.
    pub(crate) fn meet(&self, other: &Self) -> Self {
        let (mut from, mut len) = (Vec::new(), Vec::new());
        for i in 0..self.from.len() {
            let start = self.from[i].max(other.from[i]);
            let end = (self.from[i] + self.len[i]).min(other.from[i] + other.len[i]);
            from.push(start);
            len.push(end.saturating_sub(start));
        }
        Self { from, len }
    }

    /// Where each run of a part, along the last dimension, begins in the elements of this block.
    fn runs<'a>(&'a self, part: &'a Self) -> impl Iterator<Item = usize> + 'a {
        let n_rows: usize = part.len.iter().rev().skip(1).product();
        (0..n_rows).map(move |row| {
            let (mut rest, mut stride, mut at) = (row, 1, 0);
            for i in (0..self.len.len()).rev() {
                let last = i + 1 == self.len.len();
                let place = if last { 0 } else { rest % part.len[i] };
                if !last {
                    rest /= part.len[i];
                }
                at += (part.from[i] - self.from[i] + place) * stride;
                stride *= self.len[i];
            }
            at
        })
    }

    fn run_len(&self) -> usize {
        self.len.last().copied().unwrap_or(1)
    }

    /// The elements of a part of this block.
    pub(crate) fn cut(&self, data: &[f32], part: &Self) -> Vec<f32> {
        let mut found = Vec::with_capacity(part.n_elements());
        if part.n_elements() > 0 {
            self.runs(part).for_each(|at| found.extend_from_slice(&data[at..at + part.run_len()]));
        }
        found
    }

    /// Puts the elements of a part in their places.
    pub(crate) fn put(&self, data: &mut [f32], part: &Self, values: &[f32]) {
        if part.n_elements() > 0 {
            let len = part.run_len();
            self.runs(part).zip(values.chunks_exact(len)).for_each(|(at, run)| data[at..at + len].copy_from_slice(run));
        }
    }

    /// Where each element lies in the whole array.
    pub(crate) fn places(&self, whole: &Self) -> Vec<usize> {
        whole.runs(self).flat_map(|at| at..at + self.run_len()).collect()
    }
}
