//! Moving slices so that another fits: as few moves as possible, one after the other, each to a place that is free.
//!
//! A move stops a slice, frees its chips and starts it elsewhere, so its new place may overlap its old one. What a plan
//! costs is counted in chip-restarts: chips of a slice once per move. Searched are 1, 2, … moves. For so many moves
//! every target (what must be clear afterwards) is tried that holds no more slices than that, since each of them has to
//! move at least once; while moves are left over, other slices may make way too. The first plan that is found therefore
//! has the fewest moves. If it takes more than [`Limits::max_moves`] or [`Limits::max_tries`], a greedy search gives a
//! plan: of the 64 targets with the fewest chips to move (of cubes one, the cheapest) the first from which everything can
//! be moved, the largest first, each to where it lies tightest. With it comes the number of moves below which there is no
//! plan.
//!
//! Behind optical switches only slices inside cubes move: whole cubes are interchangeable, so moving a slice of whole
//! cubes frees as many as it takes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::floor::{Box3, CUBE_CHIPS, Floor, Tenant};
use super::search::NoRoom;
use super::targets::{Target, Targets};
use crate::fleet::{Place, SliceId, TeamId};
use crate::shape::{Coord, Shape};

/// What may be moved, and how long to search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Most moves of the exhaustive search; plans of the greedy one may have more.
    pub max_moves: usize,
    /// Most trial moves; about a microsecond each on 256 chips and 100 on 9,216.
    pub max_tries: usize,
    /// Slices that stay where they are.
    pub pinned: BTreeSet<SliceId>,
    /// If given, only slices of that team move.
    pub team: Option<TeamId>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_moves: 6, max_tries: 20_000, pinned: BTreeSet::new(), team: None }
    }
}

impl Limits {
    fn lets_move(&self, tenant: &Tenant) -> bool {
        !self.pinned.contains(&tenant.id) && self.team.as_ref().is_none_or(|team| tenant.team.as_ref() == Some(team))
    }
}

/// A slice goes from one place to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The slice.
    pub slice: SliceId,
    /// Where it is before.
    pub from: Place,
    /// Where it is afterwards.
    pub to: Place,
    /// Its chips, each of which restarts.
    pub n_chips: usize,
}

/// Moves in the order in which they are done, and what they make room for.
#[derive(Debug, Clone, PartialEq)]
pub struct MovePlan {
    /// The moves; none if there is room already.
    pub moves: Vec<Move>,
    /// The slice that fits afterwards.
    pub shape: Shape,
    /// Where it fits.
    pub place: Place,
    /// No plan has fewer moves than this.
    pub at_least: usize,
}

impl MovePlan {
    /// Whether no plan has fewer moves.
    pub fn is_shortest(&self) -> bool {
        self.moves.len() == self.at_least
    }

    /// Chips that restart, each as often as its slice moves.
    pub fn chip_restarts(&self) -> usize {
        self.moves.iter().map(|step| step.n_chips).sum()
    }
}

/// Why no moves make room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoPlan {
    /// No moves can help.
    NoRoom(NoRoom),
    /// Whatever moves, what stays is in the way everywhere.
    Stuck,
    /// None was found within the limits.
    NotFound {
        /// No plan has fewer moves.
        at_least: usize,
    },
}

impl std::error::Error for NoPlan {}

impl fmt::Display for NoPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRoom(reason) => write!(f, "{reason}"),
            Self::Stuck => f.write_str("what may not move is in the way everywhere"),
            Self::NotFound { at_least } => {
                write!(f, "no moves were found that make room; it takes {at_least} or more")
            }
        }
    }
}

impl<'a> Floor<'a> {
    /// The fewest moves after which a slice fits; of plans with equally many, targets with fewer chips are tried first.
    ///
    /// # Errors
    /// If there is no such plan, or none was found.
    pub fn make_room(&self, shape: Shape, limits: &Limits) -> Result<MovePlan, NoPlan> {
        match self.best(shape) {
            Ok(place) => return Ok(MovePlan { moves: Vec::new(), shape, place, at_least: 0 }),
            Err(NoRoom::Scattered { .. }) => {}
            Err(reason) => return Err(NoPlan::NoRoom(reason)),
        }
        let movable: Vec<usize> =
            self.tenants().filter(|(n, t)| limits.lets_move(t) && self.is_loose(*n, t)).map(|(n, _)| n).collect();
        let mut targets = Targets::new(self, shape, &movable).ok_or(NoPlan::Stuck)?;
        let mut search = Search::new(self, movable, limits.max_tries);
        for n_moves in 1..=limits.max_moves {
            for target in targets.up_to(n_moves) {
                search.seen.clear();
                if search.clears(&target, n_moves) {
                    return Ok(search.plan(shape, &target, n_moves));
                }
                if search.tries_left == 0 {
                    return self.greedy(shape, &targets, search, n_moves);
                }
            }
            if targets.is_cut_off() {
                return self.greedy(shape, &targets, search, n_moves);
            }
        }
        self.greedy(shape, &targets, search, limits.max_moves + 1)
    }

    /// Moves that make room for the largest slice that any moves can, if that is larger than what fits now.
    ///
    /// Shapes are tried from the largest down; of equally many chips the most cubic.
    pub fn defragment(&self, limits: &Limits) -> Option<MovePlan> {
        let now = self.fragmentation();
        let fitting = now.largest.map_or(0, Shape::n_chips);
        let shapes = self.legal_shapes_by_size().into_iter();
        let larger = shapes.filter(|shape| (fitting + 1..=now.n_free).contains(&shape.n_chips()));
        // Behind switches all shapes of as many cubes are equally hard.
        let mut tried = BTreeSet::new();
        let mut new = larger.filter(|shape| self.joined_cubes(*shape).is_none_or(|cubes| tried.insert(cubes)));
        new.find_map(|shape| self.make_room(shape, limits).ok())
    }

    /// Whether moving a slice can make room: it is one box, wholly its own, and smaller than a cube behind switches.
    fn is_loose(&self, number: usize, tenant: &Tenant) -> bool {
        let whole = self.chips_of(number).len() == tenant.shape.n_chips();
        let small = !self.joins_cubes() || tenant.shape.n_chips() < CUBE_CHIPS;
        whole && small && matches!(tenant.place, Place::Block { .. })
    }

    fn greedy(
        &self,
        shape: Shape,
        targets: &Targets,
        mut search: Search<'a>,
        at_least: usize,
    ) -> Result<MovePlan, NoPlan> {
        let at_least = at_least.max(targets.fewest_slices());
        for target in targets.cheapest() {
            search.floor = self.clone();
            if search.clears_greedily(&target) {
                return Ok(search.plan(shape, &target, at_least));
            }
        }
        Err(NoPlan::NotFound { at_least })
    }
}

/// The slices that moved, with where they are.
type Moved = BTreeMap<usize, Box3>;

/// The slices that moved, with the first chip and the size of their box, in a form that can be ordered.
type State = Vec<(usize, [u16; 6])>;

struct Search<'a> {
    floor: Floor<'a>,
    /// Numbers of the slices that may move, in order.
    movable: Vec<usize>,
    tries_left: usize,
    path: Vec<Move>,
    moved: Moved,
    /// States that were left without success, with the moves that remained.
    seen: BTreeSet<(State, usize)>,
}

impl<'a> Search<'a> {
    fn new(floor: &Floor<'a>, movable: Vec<usize>, tries_left: usize) -> Self {
        let floor = floor.clone();
        Self { floor, movable, tries_left, path: Vec::new(), moved: Moved::new(), seen: BTreeSet::new() }
    }

    fn plan(self, shape: Shape, target: &Target, at_least: usize) -> MovePlan {
        let place = self.floor.best(shape).unwrap_or_else(|_| target.place());
        MovePlan { moves: self.path, shape, place, at_least }
    }

    /// The movable slices that are in the way.
    fn inside(&self, target: &Target) -> Vec<usize> {
        let tenants = self.floor.tenants().filter(|(number, _)| self.movable.binary_search(number).is_ok());
        let inside = tenants.filter(|(_, tenant)| box_of(&tenant.place).is_some_and(|own| target.touches(own)));
        inside.map(|(number, _)| number).collect()
    }

    /// Whether so many moves clear a target; if so, they are the path and done on the floor.
    fn clears(&mut self, target: &Target, n_left: usize) -> bool {
        let inside = self.inside(target);
        if inside.is_empty() {
            return true;
        }
        let state = self.moved.iter().map(|(number, (at, size))| (*number, key(*at, *size))).collect();
        if inside.len() > n_left || !self.seen.insert((state, n_left)) {
            return false;
        }
        let spare_moves = n_left - inside.len();
        let candidates = if spare_moves == 0 { inside } else { self.movable.clone() };
        candidates.into_iter().any(|number| self.clears_by(number, target, n_left, spare_moves))
    }

    /// Whether so many moves clear a target of which the first moves this slice.
    fn clears_by(&mut self, number: usize, target: &Target, n_left: usize, spare_moves: usize) -> bool {
        let Some(tenant) = self.floor.lift(number) else { return false };
        let before = self.moved.get(&number).copied();
        let from = box_of(&tenant.place);
        let berths: Vec<Box3> = self.floor.free_boxes(tenant.shape).collect();
        for berth in berths {
            if Some(berth) == from || (spare_moves == 0 && target.touches(berth)) {
                continue;
            }
            if self.tries_left == 0 {
                break;
            }
            self.tries_left -= 1;
            self.go(number, &tenant, berth);
            if self.clears(target, n_left - 1) {
                return true;
            }
            self.path.pop();
            self.floor.lift(number);
        }
        match before {
            Some(place) => self.moved.insert(number, place),
            None => self.moved.remove(&number),
        };
        self.floor.restore(number, tenant);
        false
    }

    /// Clears a target by moving what is in the way, largest first, to where it lies tightest outside.
    fn clears_greedily(&mut self, target: &Target) -> bool {
        self.path.clear();
        let mut inside = self.inside(target);
        inside.sort_by_key(|number| std::cmp::Reverse(self.floor.chips_of(*number).len()));
        for number in inside {
            let Some(tenant) = self.floor.lift(number) else { return false };
            let berth = self.floor.tightest(tenant.shape, |berth| !target.touches(berth));
            let Some(berth) = berth else { return false };
            self.go(number, &tenant, berth);
        }
        true
    }

    fn go(&mut self, number: usize, tenant: &Tenant, berth: Box3) {
        let to = Place::Block { at: berth.0, size: berth.1 };
        self.path.push(Move {
            slice: tenant.id.clone(),
            from: tenant.place.clone(),
            to: to.clone(),
            n_chips: tenant.shape.n_chips(),
        });
        self.moved.insert(number, berth);
        self.floor.restore(number, Tenant { place: to, ..tenant.clone() });
    }
}

fn key(at: Coord, size: Shape) -> [u16; 6] {
    let [x, y, z] = size.sizes3();
    [at.x, at.y, at.z, x, y, z]
}

/// The box of a slice that is one.
fn box_of(place: &Place) -> Option<Box3> {
    match place {
        Place::Block { at, size } => Some((*at, *size)),
        Place::Cubes(_) => None,
    }
}
