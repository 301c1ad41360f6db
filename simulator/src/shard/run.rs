//! Really does a plan: arrays are cut over simulated chips, every chip multiplies what it has, collectives move data
//! hop by hop, and the result is compared with a plain product in binary64.
//!
//! Operands are seeded and rounded to their number format; sums are binary32, in local products and in collectives.
//! With int8 and int4 they are whole numbers that binary32 holds exactly. An element is off by at most `γ·Σ|a·b|` with
//! `γ = n·u/(1 − n·u)`, u = 2⁻²⁴ and n the roundings on its longest path: one per place of the local sum, one per chip
//! whose partial sum is added, one for the product itself with f32 (Higham, Accuracy and Stability of Numerical
//! Algorithms, section 3.1). Where a link does not work, what would cross it takes a shortest way around, so that links
//! beside it carry more. Bytes on links count in the number format of the operands, as the plan does.

use std::sync::Arc;

use serde::Serialize;
use topology::graph::{NoRoute, Outage};
use topology::shape::{Axis, Coord};
use topology::torus::Sign;
use topology::units::Byte;

use super::ShardError;
use super::answer::{Plan, Step};
use super::block::{Block, Frame};
use super::exchange::{Cancelled, Groups, Moved};
use super::layout::{Layout, Move, MoveKind};
use super::plan::local;
use super::problem::{Problem, Role};
use super::wires::{Roads, Wires};
use crate::cancel::Cancel;
use crate::dtype::Dtype;
use crate::execute::operand;
use crate::seed::Stream;

/// What doing a plan showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Elements of the result on all chips, each compared.
    pub checked_elements: u64,
    /// Largest difference.
    pub max_abs_error: f64,
    /// Largest difference divided by `Σ|a·b|` of its element.
    pub max_rel_error: f64,
    /// γ: what that cannot exceed if everything works right; 0 for whole numbers.
    pub rel_error_bound: f64,
    /// Whether every element lies within its bound.
    pub within_bound: bool,
    /// What each collective of the plan took, in their order.
    pub exchanges: Vec<Exchanged>,
    /// What crossed each link in each direction, over all collectives; links that carried nothing are left out.
    pub links: Vec<LinkBytes>,
}

/// What one collective took.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exchanged {
    /// Its name, as [`Step::name`] gives it.
    pub name: String,
    /// Steps from place to place one after the other; a step crosses several links where places lie apart or a link
    /// does not work.
    pub hops: u64,
    /// Bytes that crossed the busiest link in one direction; the two passes of an all-reduce, which follow one another,
    /// may have different ones and are added.
    pub busiest_link_bytes: Byte,
    /// What the plan says of that; under faults the plan may choose other ways around than the shortest.
    pub planned_link_bytes: Byte,
    /// Bytes over all links.
    pub total_bytes: Byte,
}

/// What crossed a link in one direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkBytes {
    /// The chip that sends.
    pub from: Coord,
    /// Along which axis.
    pub axis: Axis,
    /// Which way.
    pub sign: Sign,
    /// How much.
    pub bytes: Byte,
}

/// Why a plan was not done.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunError {
    /// It was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// It would take too long.
    #[error("{macs} multiply-adds on all chips together are too many to execute; at most {max}", max = MAX_MACS)]
    TooManyMacs {
        /// How many.
        macs: u128,
    },
    /// It would take too much memory.
    #[error("{elements} elements on all chips together are too many to execute; at most {max}", max = MAX_ELEMENTS)]
    TooManyElements {
        /// How many.
        elements: u128,
    },
    /// A collective would have too many messages.
    #[error("{messages} messages of one collective are too many to execute; at most {max}", max = MAX_MESSAGES)]
    TooManyMessages {
        /// Pairs of chips within the groups.
        messages: u64,
    },
    /// Sums would not be exact.
    #[error("{k} whole numbers are summed, too many to be exact in binary32; at most {max}", max = MAX_EXACT_K)]
    Inexact {
        /// The summed places.
        k: u64,
    },
    /// The slice lacks chips, or parts of it cannot reach one another.
    #[error("the slice cannot do it: {0}")]
    Broken(#[from] NoRoute),
    /// The plan belongs to another problem.
    #[error(transparent)]
    Shard(#[from] ShardError),
}

impl From<Cancelled> for RunError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// Some seconds on one core.
const MAX_MACS: u128 = 1 << 32;
/// A quarter of a gibibyte of binary32 numbers, which exchanges hold up to three times.
const MAX_ELEMENTS: u128 = 1 << 26;
/// Pairs of chips in a group, over all groups: a collective keeps a few messages for each.
const MAX_MESSAGES: u64 = 1 << 20;
/// 127² · K stays below 2²⁴, with int8; int4 has smaller products.
const MAX_EXACT_K: u64 = (1 << 24) / (127 * 127);

/// How a plan is done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conditions<'a> {
    /// Seed of the operands.
    pub seed: u64,
    /// What does not work; nothing if absent.
    pub outage: Option<&'a Outage>,
}

/// Does a plan of a problem, as [`super::answer()`] or [`super::answer_under_faults`] gave it. `progress` is told the
/// share done, from 0 to 1.
///
/// # Errors
/// If it was cancelled or is too large, or the slice lacks a chip or falls apart.
pub fn execute(
    problem: &Problem,
    plan: &Plan,
    conditions: Conditions<'_>,
    (cancel, progress): (&Cancel, &mut dyn FnMut(f64)),
) -> Result<Run, RunError> {
    refuse_large(problem, plan)?;
    let roads = roads(problem, conditions.outage)?;
    let choice = &plan.choice;
    let mut chips = Chips::new(problem, conditions.seed, roads);
    let mut steps = plan.collectives.iter();
    for found in &choice.before {
        chips.apply(found, &mut steps, cancel)?;
    }
    progress(0.1);
    chips.multiply((&choice.left, &choice.right), &mut (cancel, &mut |share| progress(0.1 + 0.4 * share)))?;
    for found in &choice.after {
        chips.apply(found, &mut steps, cancel)?;
    }
    progress(0.6);
    let run = chips.check(plan, &mut (cancel, &mut |share| progress(0.6 + 0.4 * share)))?;
    progress(1.0);
    Ok(run)
}

fn roads(problem: &Problem, outage: Option<&Outage>) -> Result<Arc<Roads>, NoRoute> {
    let none = Outage::default();
    let (torus, outage) = (problem.mesh().torus(), outage.unwrap_or(&none));
    if let Some(lost) = outage.chips.iter().find(|chip| torus.shape().contains(**chip)) {
        return Err(NoRoute::DeadEnd(*lost));
    }
    Ok(Arc::new(Roads::around(torus, outage)?))
}

fn refuse_large(problem: &Problem, plan: &Plan) -> Result<(), RunError> {
    let n_chips = problem.mesh().torus().shape().n_chips() as u128;
    let product = local(problem, &plan.choice.left, &plan.choice.right)?;
    // The plain product that it is compared with counts too.
    let macs = u128::from(product.macs()) * n_chips + u128::from(problem.whole().macs());
    if macs > MAX_MACS {
        return Err(RunError::TooManyMacs { macs });
    }
    let e = problem.dtype().bytes();
    let elements = (plan.memory_bytes.get() / e) as u128 * n_chips
        + Role::ALL.iter().map(|role| problem.elements(*role) as u128).sum::<u128>();
    if elements > MAX_ELEMENTS {
        return Err(RunError::TooManyElements { elements });
    }
    let messages = plan.collectives.iter().map(|step| step.group_chips * n_chips as u64).max().unwrap_or(0);
    if messages > MAX_MESSAGES {
        return Err(RunError::TooManyMessages { messages });
    }
    let k = problem.whole().k();
    if matches!(problem.dtype(), Dtype::Int8 | Dtype::Int4) && k > MAX_EXACT_K {
        return Err(RunError::Inexact { k });
    }
    Ok(())
}

/// The wish to stop, and who is told how far it is.
type Watch<'a> = (&'a Cancel, &'a mut dyn FnMut(f64));

fn watch(watch: &mut Watch<'_>, done: usize, of: usize) -> Result<(), RunError> {
    if watch.0.is_set() {
        return Err(RunError::Cancelled);
    }
    (watch.1)(done as f64 / of.max(1) as f64);
    Ok(())
}

/// What every chip holds.
struct Chips<'a> {
    problem: &'a Problem,
    frames: [Frame; 3],
    /// The whole operands.
    operands: [Vec<f32>; 2],
    /// By array, then by chip.
    held: [Vec<Vec<f32>>; 3],
    roads: Arc<Roads>,
    wires: Wires,
    exchanges: Vec<Exchanged>,
}

impl<'a> Chips<'a> {
    /// Every chip has its part of the operands.
    fn new(problem: &'a Problem, seed: u64, roads: Arc<Roads>) -> Self {
        let frames = Role::ALL.map(|role| Frame::new(problem, role));
        let whole = |role: Role| {
            let stream = Stream::new(seed).child(role as u64 + 1);
            let n = frames[role as usize].whole(problem).n_elements();
            (0..n).map(|i| operand(problem.dtype(), stream, i)).collect::<Vec<f32>>()
        };
        let operands = [whole(Role::Left), whole(Role::Right)];
        let shape = problem.mesh().torus().shape();
        let part = |role: Role| {
            let frame = &frames[role as usize];
            let all = frame.whole(problem);
            let cut =
                |chip: Coord| all.cut(&operands[role as usize], &frame.block(problem, problem.layout(role), chip));
            shape.coords().map(cut).collect::<Vec<Vec<f32>>>()
        };
        let held = [part(Role::Left), part(Role::Right), Vec::new()];
        let wires = Wires::new(&roads);
        Self { problem, frames, operands, held, roads, wires, exchanges: Vec::new() }
    }

    /// What each chip holds of an array in a layout.
    fn blocks(&self, role: Role, layout: &Layout) -> Vec<Block> {
        let frame = &self.frames[role as usize];
        let shape = self.problem.mesh().torus().shape();
        shape.coords().map(|chip| frame.block(self.problem, layout, chip)).collect()
    }

    /// Does a move and counts what it took beside what its step says.
    fn apply<'s>(
        &mut self,
        found: &Move,
        steps: &mut impl Iterator<Item = &'s Step>,
        cancel: &Cancel,
    ) -> Result<(), RunError> {
        let mut moved = Moved::over(&self.roads);
        self.go(found, &mut moved, cancel)?;
        if found.kind == MoveKind::Cut {
            return Ok(());
        }
        let e = self.problem.dtype().bytes();
        let bytes = |elements: u64| Byte::new(elements as f64 * e);
        self.exchanges.extend(steps.next().map(|step| Exchanged {
            name: step.name(),
            hops: moved.hops as u64,
            busiest_link_bytes: bytes(moved.passes.iter().map(Wires::busiest).sum()),
            planned_link_bytes: step.time.busiest_link_bytes,
            total_bytes: bytes(moved.passes.iter().map(Wires::total).sum()),
        }));
        moved.passes.iter().for_each(|pass| self.wires.add(pass));
        Ok(())
    }

    fn go(&mut self, found: &Move, moved: &mut Moved, cancel: &Cancel) -> Result<(), RunError> {
        let role = found.role as usize;
        let (from, to) = (self.blocks(found.role, &found.from), self.blocks(found.role, &found.to));
        let held = std::mem::take(&mut self.held[role]);
        let groups = Groups::new(self.problem.mesh(), &found.axes);
        self.held[role] = match found.kind {
            MoveKind::Cut => held.iter().enumerate().map(|(chip, data)| from[chip].cut(data, &to[chip])).collect(),
            MoveKind::Gather => {
                let gathered = groups.gather(&held, moved, cancel)?;
                let source = |chip: usize, member: usize| from[groups.chips(chip)[member]].clone();
                assembled(&gathered, &to, source)
            }
            MoveKind::Scatter => {
                let piece = |chip: usize, other: usize| from[chip].cut(&held[chip], &to[other]);
                groups.scatter(&pieces(&groups, held.len(), piece), moved, cancel)?
            }
            MoveKind::Reduce => all_reduce(&groups, &held, moved, cancel)?,
            MoveKind::Exchange => {
                let piece = |chip: usize, other: usize| from[chip].cut(&held[chip], &from[chip].meet(&to[other]));
                let got = groups.exchange(&pieces(&groups, held.len(), piece), moved, cancel)?;
                let source = |chip: usize, member: usize| from[groups.chips(chip)[member]].meet(&to[chip]);
                assembled(&got, &to, source)
            }
        };
        Ok(())
    }

    /// Every chip multiplies what it has.
    fn multiply(&mut self, (left, right): (&Layout, &Layout), progress: &mut Watch<'_>) -> Result<(), RunError> {
        let product = local(self.problem, left, right)?;
        let (k, n) = (product.k() as usize, product.n() as usize);
        let mut results = Vec::with_capacity(self.held[0].len());
        for (chip, (a, b)) in self.held[0].iter().zip(&self.held[1]).enumerate() {
            watch(progress, chip, self.held[0].len())?;
            let mut sums = vec![0.0f32; product.m() as usize * n];
            for (row, sums) in a.chunks_exact(k).zip(sums.chunks_exact_mut(n)) {
                for (a, row) in row.iter().zip(b.chunks_exact(n)) {
                    sums.iter_mut().zip(row).for_each(|(sum, b)| *sum += a * b);
                }
            }
            results.push(sums);
        }
        self.held[2] = results;
        Ok(())
    }

    /// Compares the result on every chip with a plain product; partial sums that were wanted are added up for that.
    fn check(mut self, plan: &Plan, progress: &mut Watch<'_>) -> Result<Run, RunError> {
        let layout = self.problem.layout(Role::Result).clone();
        if !layout.unreduced.is_empty() {
            let sum = Move {
                role: Role::Result,
                kind: MoveKind::Reduce,
                axes: layout.unreduced.clone(),
                from: layout.clone(),
                to: layout.clone(),
            };
            let mut moved = Moved::over(&self.roads);
            self.go(&sum, &mut moved, progress.0)?;
        }
        let e = self.problem.dtype().bytes();
        let link = |(from, axis, sign, elements): (Coord, Axis, Sign, u64)| LinkBytes {
            from,
            axis,
            sign,
            bytes: Byte::new(elements as f64 * e),
        };
        let mut run = Run {
            checked_elements: 0,
            max_abs_error: 0.0,
            max_rel_error: 0.0,
            rel_error_bound: bound(self.problem, plan)?,
            within_bound: true,
            links: self.wires.busy().map(link).collect(),
            exchanges: std::mem::take(&mut self.exchanges),
        };
        let (exact, scale) = self.plain(progress)?;
        let whole = self.frames[2].whole(self.problem);
        for (block, data) in self.blocks(Role::Result, &layout).iter().zip(&self.held[2]) {
            for (at, found) in block.places(&whole).into_iter().zip(data) {
                run.compare(f64::from(*found), exact[at], scale[at]);
            }
        }
        Ok(run)
    }

    /// The whole product in binary64, and the scale of each element.
    fn plain(&self, progress: &mut Watch<'_>) -> Result<(Vec<f64>, Vec<f64>), RunError> {
        let product = self.problem.whole();
        let [m, k, n] = [product.m(), product.k(), product.n()].map(|size| size as usize);
        let (mut exact, mut scale) = (vec![0.0f64; m * n], vec![0.0f64; m * n]);
        let rows = self.operands[0].chunks_exact(k).zip(exact.chunks_exact_mut(n).zip(scale.chunks_exact_mut(n)));
        for (i, (row, (exact, scale))) in rows.enumerate() {
            watch(progress, i, m)?;
            for (a, row) in row.iter().zip(self.operands[1].chunks_exact(n)) {
                for ((exact, scale), b) in exact.iter_mut().zip(scale.iter_mut()).zip(row) {
                    let product = f64::from(*a) * f64::from(*b);
                    *exact += product;
                    *scale += product.abs();
                }
            }
        }
        Ok((exact, scale))
    }
}

impl Run {
    fn compare(&mut self, found: f64, exact: f64, scale: f64) {
        let error = (found - exact).abs();
        let relative = if scale > 0.0 { error / scale } else { error };
        self.checked_elements += 1;
        self.max_abs_error = self.max_abs_error.max(error);
        self.max_rel_error = self.max_rel_error.max(relative);
        self.within_bound &= relative <= self.rel_error_bound;
    }
}

/// γ of the longest path.
fn bound(problem: &Problem, plan: &Plan) -> Result<f64, RunError> {
    let rounded = match problem.dtype() {
        Dtype::Int8 | Dtype::Int4 => return Ok(0.0),
        Dtype::F32 => 1,
        Dtype::Bf16 | Dtype::Fp8 => 0,
    };
    let k = local(problem, &plan.choice.left, &plan.choice.right)?.k();
    let nu = (k + problem.parts(&plan.choice.partial.unreduced) - 1 + rounded) as f64 * f64::from(f32::EPSILON / 2.0);
    Ok(nu / (1.0 - nu))
}

/// For each chip what `piece` says that it has for each member of its group.
fn pieces(groups: &Groups, n_chips: usize, piece: impl Fn(usize, usize) -> Vec<f32>) -> Vec<Vec<Vec<f32>>> {
    (0..n_chips).map(|chip| groups.chips(chip).iter().map(|other| piece(chip, *other)).collect()).collect()
}

/// Pieces in their places; `source` is the block of the piece that a chip got from a member.
fn assembled(got: &[Vec<Vec<f32>>], to: &[Block], source: impl Fn(usize, usize) -> Block) -> Vec<Vec<f32>> {
    let build = |(chip, pieces): (usize, &Vec<Vec<f32>>)| {
        let mut data = vec![0.0; to[chip].n_elements()];
        for (member, piece) in pieces.iter().enumerate() {
            to[chip].put(&mut data, &source(chip, member), piece);
        }
        data
    };
    got.iter().enumerate().map(build).collect()
}

/// A reduce-scatter of equal ranges and an all-gather of them.
fn all_reduce(
    groups: &Groups,
    held: &[Vec<f32>],
    moved: &mut Moved,
    cancel: &Cancel,
) -> Result<Vec<Vec<f32>>, Cancelled> {
    let n = groups.n_members();
    let cut = |data: &Vec<f32>| {
        (0..n).map(|i| data[data.len() * i / n..data.len() * (i + 1) / n].to_vec()).collect::<Vec<_>>()
    };
    let scattered = groups.scatter(&held.iter().map(cut).collect::<Vec<_>>(), moved, cancel)?;
    let gathered = groups.gather(&scattered, moved, cancel)?;
    Ok(gathered.into_iter().map(|pieces| pieces.concat()).collect())
}
