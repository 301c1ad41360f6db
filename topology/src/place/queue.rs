//! Placing a queue of requests: who gets a place, and why the others wait.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;

use super::defrag::Limits;
use super::floor::{Floor, Tenant};
use super::search::NoRoom;
use super::slice_shape;
use crate::fleet::{Place, SliceId, TeamId};
use crate::shape::Shape;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Want {
    /// A slice of that shape.
    Shape(Shape),
    /// A slice of at least so many chips, as few more as the legal shapes allow, in whatever shape.
    Chips(usize),
}

/// Somebody wants a slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Name of the slice that it becomes; unique among requests and slices.
    pub id: SliceId,
    /// Owning team.
    pub team: Option<TeamId>,
    /// What is wanted.
    pub want: Want,
    /// Larger goes first.
    pub priority: i32,
    /// Whether slices of lower priority may be stopped for it.
    pub may_preempt: bool,
}

/// What else decides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Priority of slices that run; one that is not named is never stopped.
    pub running: BTreeMap<SliceId, i32>,
    /// Most chips of a team, running slices included; no limit for a team that is not named.
    pub quota_chips: BTreeMap<TeamId, usize>,
}

/// What became of a request, or of a running slice that was stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The slice.
    pub id: SliceId,
    /// Whether it was running and was stopped for another.
    pub was_stopped_for: Option<SliceId>,
    /// What became of it.
    pub outcome: Outcome,
}

/// Placed or waiting.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It has a place.
    Placed {
        /// The shape that was taken.
        shape: Shape,
        /// Legal shapes of equally many chips from which it was taken; 1 if a shape was asked for.
        n_shapes: usize,
        /// Where.
        place: Place,
        /// Running slices that were stopped for it.
        stopped: Vec<SliceId>,
    },
    /// It waits.
    Queued(Why),
}

/// Why a request waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Another request or slice has that name.
    NameTaken,
    /// No legal shape has so many chips.
    NoShape {
        /// Chips that are wanted.
        chips: usize,
    },
    /// The team would have more chips than its quota.
    OverQuota {
        /// Chips that the team has.
        has: usize,
        /// Chips that it may have.
        quota: usize,
    },
    /// There is no room now.
    NoRoom(NoRoom),
    /// Its chips are free, and so many moves would make room.
    AfterMoves {
        /// The fewest moves.
        moves: usize,
        /// Chips that would restart.
        chip_restarts: usize,
    },
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NameTaken => f.write_str("another slice has this name"),
            Self::NoShape { chips } => write!(f, "no legal slice has {chips} chips or more"),
            Self::OverQuota { has, quota } => write!(f, "its team has {has} of {quota} chips"),
            Self::NoRoom(reason) => write!(f, "{reason}"),
            Self::AfterMoves { moves: 1, chip_restarts } => {
                write!(f, "1 move of {chip_restarts} chips would make room")
            }
            Self::AfterMoves { moves, chip_restarts } => {
                write!(f, "{moves} moves that restart {chip_restarts} chips would make room")
            }
        }
    }
}

/// Places requests on a floor and answers each, in the order in which they were decided: by priority, then the larger,
/// then by name. The order of the list does not matter (of requests with the same name, all but the first in that order
/// are refused). The floor is changed.
///
/// A request without a place may stop running slices of lower priority if it is allowed to: the fewest chips that make
/// it fit, lowest priority first (greedily: slices are stopped one by one until it fits, then those that were stopped in
/// vain are put back). Stopped slices are decided again when it is their turn.
///
/// For requests that wait although enough chips are free, moves are searched within the limits, if given.
pub fn place_queue(
    floor: &mut Floor<'_>,
    requests: &[Request],
    policy: &Policy,
    moves: Option<&Limits>,
) -> Vec<Answer> {
    let mut waiting: Vec<(Request, Option<SliceId>)> = requests.iter().map(|request| (request.clone(), None)).collect();
    let (mut answers, mut wants) = (Vec::new(), Vec::new());
    let mut queue = Queue { floor, policy };
    // The next is looked for each time, since stopped slices join in.
    while let Some(next) = (0..waiting.len()).min_by_key(|i| rank(&waiting[*i].0)) {
        let (request, was_stopped_for) = waiting.swap_remove(next);
        let (outcome, stopped) = queue.decide(&request);
        waiting.extend(stopped.into_iter().map(|stopped| (stopped, Some(request.id.clone()))));
        wants.push(request.want);
        answers.push(Answer { id: request.id, was_stopped_for, outcome });
    }
    if let Some(limits) = moves {
        for (answer, want) in answers.iter_mut().zip(wants) {
            queue.look_for_moves(answer, want, limits);
        }
    }
    answers
}

struct Queue<'f, 'a> {
    floor: &'f mut Floor<'a>,
    policy: &'f Policy,
}

/// What decides who is next.
type Rank<'r> = (Reverse<i32>, Reverse<usize>, &'r SliceId, &'r Option<TeamId>, Want, bool);

fn rank(request: &Request) -> Rank<'_> {
    let n_chips = match request.want {
        Want::Shape(shape) => shape.n_chips(),
        Want::Chips(chips) => chips,
    };
    (Reverse(request.priority), Reverse(n_chips), &request.id, &request.team, request.want, request.may_preempt)
}

impl Queue<'_, '_> {
    fn decide(&mut self, request: &Request) -> (Outcome, Vec<Request>) {
        if self.floor.tenants().any(|(_, tenant)| tenant.id == request.id) {
            return (Outcome::Queued(Why::NameTaken), Vec::new());
        }
        let shapes = self.shapes(request.want);
        let Some(n_chips) = shapes.first().map(|shape| shape.n_chips()) else {
            let why = match request.want {
                Want::Chips(chips) => Why::NoShape { chips },
                Want::Shape(_) => Why::NoRoom(NoRoom::LargerThanPod),
            };
            return (Outcome::Queued(why), Vec::new());
        };
        if let Some(why) = self.over_quota(request, n_chips) {
            return (Outcome::Queued(why), Vec::new());
        }
        let mut reason = None;
        for shape in &shapes {
            match self.floor.best(*shape) {
                Ok(place) => return (self.settle(request, *shape, shapes.len(), place, &[]), Vec::new()),
                Err(no_room) => _ = reason.get_or_insert(no_room),
            }
        }
        let stopped = shapes.iter().filter(|_| request.may_preempt).find_map(|shape| self.preempt(request, *shape));
        if let Some((shape, place, stopped)) = stopped {
            return (self.settle(request, shape, shapes.len(), place, &stopped), stopped);
        }
        (Outcome::Queued(reason.map_or(Why::NoRoom(NoRoom::LargerThanPod), Why::NoRoom)), Vec::new())
    }

    /// The shapes that will do, preferred first; all have equally many chips.
    fn shapes(&self, want: Want) -> Vec<Shape> {
        match want {
            Want::Shape(shape) => vec![slice_shape(self.floor.generation(), shape).unwrap_or(shape)],
            Want::Chips(chips) => {
                let mut shapes = self.floor.legal_shapes_by_size();
                shapes.retain(|shape| shape.n_chips() >= chips.max(1));
                let fewest = shapes.last().map_or(0, |shape| shape.n_chips());
                shapes.retain(|shape| shape.n_chips() == fewest);
                shapes
            }
        }
    }

    fn over_quota(&self, request: &Request, n_chips: usize) -> Option<Why> {
        let team = request.team.as_ref()?;
        let quota = *self.policy.quota_chips.get(team)?;
        let own = self.floor.tenants().filter(|(_, tenant)| tenant.team.as_ref() == Some(team));
        let has = own.map(|(_, tenant)| tenant.shape.n_chips()).sum();
        (has + n_chips > quota).then_some(Why::OverQuota { has, quota })
    }

    fn settle(
        &mut self,
        request: &Request,
        shape: Shape,
        n_shapes: usize,
        place: Place,
        stopped: &[Request],
    ) -> Outcome {
        self.floor.put(Tenant { id: request.id.clone(), team: request.team.clone(), shape, place: place.clone() });
        Outcome::Placed { shape, n_shapes, place, stopped: stopped.iter().map(|stopped| stopped.id.clone()).collect() }
    }

    /// Stops running slices so that a shape fits; puts all back if it does not.
    fn preempt(&mut self, request: &Request, shape: Shape) -> Option<(Shape, Place, Vec<Request>)> {
        let lower = |id: &SliceId| self.policy.running.get(id).copied().filter(|priority| *priority < request.priority);
        let mut victims: Vec<(i32, usize, SliceId, usize)> = self
            .floor
            .tenants()
            .filter_map(|(n, tenant)| Some((lower(&tenant.id)?, tenant.shape.n_chips(), tenant.id.clone(), n)))
            .collect();
        victims.sort();
        let mut lifted: Vec<(i32, usize, Tenant)> = Vec::new();
        for (priority, _, _, number) in victims {
            if self.floor.best(shape).is_ok() {
                break;
            }
            lifted.extend(self.floor.lift(number).map(|tenant| (priority, number, tenant)));
        }
        if self.floor.best(shape).is_err() {
            for (_, number, tenant) in lifted {
                self.floor.restore(number, tenant);
            }
            return None;
        }
        // The most important and largest first, those that were stopped in vain run on.
        let mut stopped = Vec::new();
        for (priority, number, tenant) in lifted.into_iter().rev() {
            self.floor.restore(number, tenant.clone());
            if self.floor.best(shape).is_err() {
                self.floor.lift(number);
                stopped.push(Request {
                    id: tenant.id,
                    team: tenant.team,
                    want: Want::Shape(tenant.shape),
                    priority,
                    may_preempt: false,
                });
            }
        }
        Some((shape, self.floor.best(shape).ok()?, stopped))
    }

    fn look_for_moves(&self, answer: &mut Answer, want: Want, limits: &Limits) {
        let Outcome::Queued(Why::NoRoom(NoRoom::Scattered { .. })) = answer.outcome else { return };
        let plans = self.shapes(want).into_iter();
        let plan =
            plans.filter_map(|shape| self.floor.make_room(shape, limits).ok()).min_by_key(|plan| plan.moves.len());
        if let Some(plan) = plan.filter(|plan| !plan.moves.is_empty()) {
            let (moves, chip_restarts) = (plan.moves.len(), plan.chip_restarts());
            answer.outcome = Outcome::Queued(Why::AfterMoves { moves, chip_restarts });
        }
    }
}
