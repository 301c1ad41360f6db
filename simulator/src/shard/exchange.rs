//! Collectives that really move data, hop by hop between neighbouring chips.
//!
//! Each piece is cut into as many parts as the group has axes, and each part takes the axes in another order, so that
//! all axes work at once; a part is cut into two halves, because in an even ring the opposite chip gets one half from
//! either side. The parts are so large that all links of the group are equally busy, where that is possible.
//!
//! - All-gather: along an axis every chip passes on what it has; after h hops each chip has what was h places away.
//! - Reduce-scatter: the same backwards; every chip adds what it has to what passes through.
//! - All-reduce: both. All-to-all: every piece takes the shortest way, one axis after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use topology::torus::Sign;

use super::mesh::Mesh;
use super::wires::{BOTH, Line, NONE, Roads, Wires};
use crate::cancel::Cancel;

/// It was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cancelled;

/// A part of what one chip of a group sends to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    part: u8,
    half: u8,
    from: u32,
    to: u32,
}

type Held = Vec<BTreeMap<Key, Vec<f32>>>;

/// The groups along some axes of a mesh, all of which do the same at once.
pub(crate) struct Groups {
    lines: Vec<Line>,
    /// Number of each chip in its group.
    member: Vec<u32>,
    /// The first chip of the group of each chip.
    first: Vec<usize>,
    /// The chips of a group by their numbers, under its first chip.
    chips: BTreeMap<usize, Vec<usize>>,
    /// Share of a piece that each part has.
    shares: Vec<f64>,
}

/// What a collective took.
pub(crate) struct Moved {
    /// What crossed the links: once, or of an all-reduce once for the scatter and once for the gather.
    pub(crate) passes: Vec<Wires>,
    /// Steps from place to place, one after the other; one of them crosses several links where places lie apart or a
    /// link does not work.
    pub(crate) hops: usize,
    roads: Arc<Roads>,
}

impl Moved {
    /// Nothing yet, on these ways.
    pub(crate) fn over(roads: &Arc<Roads>) -> Self {
        Self { passes: Vec::new(), hops: 0, roads: Arc::clone(roads) }
    }
}

impl Groups {
    pub(crate) fn new(mesh: &Mesh, axes: &[usize]) -> Self {
        let lines: Vec<Line> = mesh.group(axes).into_iter().map(|factor| Line::new(mesh, factor)).collect();
        let number = |chip| lines.iter().rev().fold(0, |number, line| number * line.size() + line.place(chip)) as u32;
        let n_chips = mesh.torus().shape().n_chips();
        let member: Vec<u32> = (0..n_chips).map(number).collect();
        let back = |chip: usize, line: &Line| (0..line.place(chip)).fold(chip, |at, _| line.next(at, Sign::Minus));
        let first: Vec<usize> = (0..n_chips).map(|chip| lines.iter().fold(chip, back)).collect();
        let n_members: usize = lines.iter().map(Line::size).product();
        let mut chips = BTreeMap::new();
        for chip in 0..n_chips {
            chips.entry(first[chip]).or_insert_with(|| vec![chip; n_members])[member[chip] as usize] = chip;
        }
        let shares = shares(&lines);
        Self { lines, member, first, chips, shares }
    }

    /// Chips of a group.
    pub(crate) fn n_members(&self) -> usize {
        self.lines.iter().map(Line::size).product()
    }

    /// The chips of the group of a chip, by their numbers.
    pub(crate) fn chips(&self, chip: usize) -> &[usize] {
        self.chips.get(&self.first[chip]).map_or(&[], Vec::as_slice)
    }

    /// All groups, each by the numbers of its chips.
    pub(crate) fn lists(self) -> Vec<Vec<usize>> {
        self.chips.into_values().collect()
    }

    /// Place along a line of a member.
    fn digit(&self, member: u32, line: usize) -> usize {
        let before: usize = self.lines[..line].iter().map(Line::size).product();
        member as usize / before % self.lines[line].size()
    }

    /// Ranges of the parts and halves of a piece.
    fn ranges(&self, len: usize) -> Vec<(u8, u8, std::ops::Range<usize>)> {
        let (mut ranges, mut done, mut at) = (Vec::new(), 0.0, 0);
        for (part, share) in self.shares.iter().enumerate() {
            done += share;
            let end = if part + 1 == self.shares.len() { len } else { ((done * len as f64).round() as usize).min(len) };
            let middle = at + (end - at) / 2;
            ranges.push((part as u8, 0, at..middle));
            ranges.push((part as u8, 1, middle..end));
            at = end;
        }
        ranges
    }

    /// Cuts a piece and lays its parts down.
    fn lay(&self, held: &mut BTreeMap<Key, Vec<f32>>, (from, to): (u32, u32), piece: &[f32]) {
        for (part, half, range) in self.ranges(piece.len()) {
            held.insert(Key { part, half, from, to }, piece[range].to_vec());
        }
    }

    /// Takes the parts of a piece up again.
    fn lift(&self, held: &mut BTreeMap<Key, Vec<f32>>, (from, to): (u32, u32)) -> Vec<f32> {
        let mut piece = Vec::new();
        for part in 0..self.shares.len() as u8 {
            for half in 0..2 {
                piece.extend(held.remove(&Key { part, half, from, to }).unwrap_or_default());
            }
        }
        piece
    }

    /// Each chip gets the pieces of all members, by their numbers.
    pub(crate) fn gather(
        &self,
        pieces: &[Vec<f32>],
        moved: &mut Moved,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<Vec<f32>>>, Cancelled> {
        let mut held: Held = vec![BTreeMap::new(); pieces.len()];
        for (chip, piece) in pieces.iter().enumerate() {
            self.lay(&mut held[chip], (self.member[chip], 0), piece);
        }
        self.phases(moved, |groups, part, line, wires| groups.gather_line(&mut held, (part, line), wires, cancel))?;
        let all = |held: &mut BTreeMap<Key, Vec<f32>>| {
            (0..self.n_members() as u32).map(|from| self.lift(held, (from, 0))).collect()
        };
        Ok(held.iter_mut().map(all).collect())
    }

    /// Each chip gets the sum, over the members, of what they have for it; `pieces` are by chip, then by member.
    pub(crate) fn scatter(
        &self,
        pieces: &[Vec<Vec<f32>>],
        moved: &mut Moved,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, Cancelled> {
        let mut held: Held = vec![BTreeMap::new(); pieces.len()];
        for (chip, pieces) in pieces.iter().enumerate() {
            for (to, piece) in pieces.iter().enumerate() {
                self.lay(&mut held[chip], (0, to as u32), piece);
            }
        }
        // Backwards: the axis that a gather takes last comes first.
        self.phases(moved, |groups, part, line, wires| {
            let line = (2 * part + groups.lines.len() - 1 - line) % groups.lines.len();
            groups.scatter_line(&mut held, (part, line), wires, cancel)
        })?;
        let mine = |(chip, held): (usize, &mut BTreeMap<Key, Vec<f32>>)| self.lift(held, (0, self.member[chip]));
        Ok(held.iter_mut().enumerate().map(mine).collect())
    }

    /// Each chip gets what each member has for it; `pieces` are by chip, then by member, and so is what comes back.
    pub(crate) fn exchange(
        &self,
        pieces: &[Vec<Vec<f32>>],
        moved: &mut Moved,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<Vec<f32>>>, Cancelled> {
        let mut held: Held = vec![BTreeMap::new(); pieces.len()];
        for (chip, pieces) in pieces.iter().enumerate() {
            for (to, piece) in pieces.iter().enumerate() {
                self.lay(&mut held[chip], (self.member[chip], to as u32), piece);
            }
        }
        self.phases(moved, |groups, part, line, wires| groups.exchange_line(&mut held, (part, line), wires, cancel))?;
        let mine = |(chip, held): (usize, &mut BTreeMap<Key, Vec<f32>>)| {
            (0..self.n_members() as u32).map(|from| self.lift(held, (from, self.member[chip]))).collect()
        };
        Ok(held.iter_mut().enumerate().map(mine).collect())
    }

    /// One phase per axis; in each, every part goes along an axis of its own. The hops of a phase run side by side.
    fn phases(
        &self,
        moved: &mut Moved,
        mut along: impl FnMut(&Self, usize, usize, &mut Wires) -> Result<usize, Cancelled>,
    ) -> Result<(), Cancelled> {
        let n = self.lines.len();
        let mut wires = Wires::new(&moved.roads);
        for phase in 0..n {
            let mut hops = 0;
            for part in 0..n {
                hops = hops.max(along(self, part, (part + phase) % n, &mut wires)?);
            }
            moved.hops += hops;
        }
        moved.passes.push(wires);
        Ok(())
    }

    /// Every chip passes on what it has to both sides.
    fn gather_line(
        &self,
        held: &mut Held,
        (part, line): (usize, usize),
        wires: &mut Wires,
        cancel: &Cancel,
    ) -> Result<usize, Cancelled> {
        let line = &self.lines[line];
        let keys = |held: &BTreeMap<Key, Vec<f32>>| {
            held.keys().filter(|key| usize::from(key.part) == part).copied().collect::<Vec<Key>>()
        };
        let had: Vec<Vec<Key>> = held.iter().map(keys).collect();
        // Whose pieces each chip got last, from either side.
        let mut origin = BOTH.map(|_| (0..held.len()).collect::<Vec<usize>>());
        for hops in 1..=line.longest() {
            stop(cancel)?;
            for sign in BOTH {
                let mut next_origin = vec![NONE; held.len()];
                for chip in 0..held.len() {
                    let (to, of) = (line.next(chip, sign), origin[sign as usize][chip]);
                    if to == NONE || of == NONE {
                        continue;
                    }
                    next_origin[to] = of;
                    for key in had[of].iter().filter(|key| hops <= line.reach(sign, key.half)) {
                        let Some(data) = held[chip].get(key).cloned() else { continue };
                        wires.count(line, chip, sign, data.len());
                        held[to].insert(*key, data);
                    }
                }
                origin[sign as usize] = next_origin;
            }
        }
        Ok(line.longest())
    }

    /// What is for a place comes nearer from both sides, and each chip on the way adds its own.
    fn scatter_line(
        &self,
        held: &mut Held,
        (part, number): (usize, usize),
        wires: &mut Wires,
        cancel: &Cancel,
    ) -> Result<usize, Cancelled> {
        let line = &self.lines[number];
        let by_place = |held: &BTreeMap<Key, Vec<f32>>| {
            let mut found = vec![Vec::new(); line.size()];
            for key in held.keys().filter(|key| usize::from(key.part) == part) {
                found[self.digit(key.to, number)].push(*key);
            }
            found
        };
        let had: Vec<Vec<Vec<Key>>> = held.iter().map(by_place).collect();
        for hops in (1..=line.longest()).rev() {
            stop(cancel)?;
            for sign in BOTH {
                for chip in 0..held.len() {
                    let Some(place) = line.ahead(line.place(chip), sign, hops) else { continue };
                    let to = line.next(chip, sign);
                    for key in had[chip][place].iter().filter(|key| hops <= line.reach(sign, key.half)) {
                        let Some(data) = held[chip].remove(key) else { continue };
                        wires.count(line, chip, sign, data.len());
                        if let Some(sum) = held[to].get_mut(key) {
                            sum.iter_mut().zip(&data).for_each(|(sum, more)| *sum += more);
                        }
                    }
                }
            }
        }
        Ok(line.longest())
    }

    /// Every piece goes one hop nearer until all are there.
    fn exchange_line(
        &self,
        held: &mut Held,
        (part, number): (usize, usize),
        wires: &mut Wires,
        cancel: &Cancel,
    ) -> Result<usize, Cancelled> {
        let line = &self.lines[number];
        let way = |chip: usize, key: &Key| -> Option<Sign> {
            let to = self.digit(key.to, number);
            (usize::from(key.part) == part).then(|| line.towards(line.place(chip), to, key.half))?
        };
        let mut hops = 0;
        loop {
            stop(cancel)?;
            let mut on_the_way = Vec::new();
            for (chip, held) in held.iter_mut().enumerate() {
                let going: Vec<(Key, Sign)> = held.keys().filter_map(|key| Some((*key, way(chip, key)?))).collect();
                for (key, sign) in going {
                    let Some(data) = held.remove(&key) else { continue };
                    wires.count(line, chip, sign, data.len());
                    on_the_way.push((line.next(chip, sign), key, data));
                }
            }
            if on_the_way.is_empty() {
                return Ok(hops);
            }
            hops += 1;
            for (to, key, data) in on_the_way {
                held[to].insert(key, data);
            }
        }
    }
}

fn stop(cancel: &Cancel) -> Result<(), Cancelled> {
    if cancel.is_set() { Err(Cancelled) } else { Ok(()) }
}

/// What share of the data takes which order of axes, so that every axis needs the same time: part p begins with axis
/// p and goes on in turn. Along an axis of n places a gather moves `1 − 1/n` of what it has grown to. Where no shares
/// do that, because one axis is too slow beside the others, parts that would need less than nothing are left out.
fn shares(lines: &[Line]) -> Vec<f64> {
    let n = lines.len();
    // Time that an axis needs for a part, if that were the whole.
    let load = |axis: usize, part: usize| {
        let position = (axis + n - part) % n;
        let later: f64 = (position + 1..n).map(|i| lines[(part + i) % n].size() as f64).product();
        (1.0 - 1.0 / lines[axis].size() as f64) / later / lines[axis].directions()
    };
    // Equal times of axes 0 and 1, and of 1 and 2, are one equation each; the solution is what is normal to both.
    let equal = |axis: usize, part: usize| load(axis, part) - load(axis + 1, part);
    let found: Vec<f64> = match n {
        2 => vec![-equal(0, 1), equal(0, 0)],
        3 => {
            let minor = |p: usize, q: usize| equal(0, p) * equal(1, q) - equal(0, q) * equal(1, p);
            vec![minor(1, 2), minor(2, 0), minor(0, 1)]
        }
        _ => Vec::new(),
    };
    let sum: f64 = found.iter().sum();
    if sum == 0.0 {
        return vec![1.0 / n as f64; n];
    }
    let shares: Vec<f64> = found.iter().map(|share| (share / sum).max(0.0)).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / sum).collect()
}
