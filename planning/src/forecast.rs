//! When things will probably be done: seeded Monte Carlo over the schedule's network.
//!
//! Each run draws a length for every item with an [`crate::estimate::Estimate`], passes forward over the network and
//! notes when each target is reached. Run `i` draws from its own stream of the seed, so the outcome depends neither
//! on how runs are split over threads nor on their order: callers run disjoint ranges anywhere and
//! [`Simulation::outcome`] joins them. Moments are days after today's midnight, with fractions.
//!
//! An item in progress has (1 − progress) of its drawn length left, from today. An item without an estimate takes its
//! planned length. Criticality is the share of runs in which an item lay on the chain that drove the end.

use std::ops::Range;

use jiff::civil::Date;
use simulator::seed::Stream;

use crate::calendar::WorkDays;
use crate::estimate::Estimate;
use crate::roadmap::{Forecast, ItemId, LinkKind, Roadmap, days_between};
use crate::schedule::ScheduleError;
use crate::schedule::network::{Link, Network, State};

/// Most drawn moments that a simulation keeps: runs × targets.
pub const MAX_MOMENTS: usize = 50_000_000;

/// Why there is no forecast.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForecastError {
    /// The items wait for each other in a circle.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// Too much would have to be kept.
    #[error("{runs} runs of {targets} targets are too many to keep; ask for fewer runs or fewer targets")]
    TooMany {
        /// Runs.
        runs: u32,
        /// Targets.
        targets: usize,
    },
    /// The caller took its wish back.
    #[error("the forecast was cancelled")]
    Cancelled,
    /// No run was made.
    #[error("a forecast needs at least one run")]
    NoRuns,
}

/// What a forecast is made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The last finish of all.
    End,
    /// An item.
    Item(ItemId),
    /// A gate, by name: the last finish of what it needs, and not before its planned day.
    Gate(String),
}

/// One item, ready to be drawn.
struct Task {
    id: ItemId,
    state: State,
    start: f64,
    finish: f64,
    work: f64,
    estimate: Option<Estimate>,
    left: f64,
    calendar: usize,
    links: Range<usize>,
}

/// What is watched: the nodes whose last finish it is, and a moment before which it is not reached.
struct Watch {
    target: Target,
    nodes: Vec<usize>,
    not_before: f64,
}

/// A network ready to be run. Tasks stand in an order in which each follows what it waits for.
pub struct Simulation {
    today: Date,
    tasks: Vec<Task>,
    links: Vec<Link>,
    calendars: Vec<WorkDays>,
    watches: Vec<Watch>,
}

/// Moments and counts of some of the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    runs: u32,
    /// By target, then by run.
    moments: Vec<Vec<f64>>,
    /// By task: runs in which it drove the end.
    critical: Vec<u32>,
}

/// Forecast of one target. Moments are days after the midnight at which today begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Reached {
    /// What.
    pub target: Target,
    /// Last days of the 50th and 85th percentile.
    pub forecast: Forecast,
    /// Mean moment.
    pub mean_days: f64,
    today: Date,
    /// All moments, ascending; never empty.
    moments: Vec<f64>,
}

impl Reached {
    /// The moment that a share of the runs does not exceed: element ⌊share·n⌋ of the ascending list.
    pub fn quantile_days(&self, share: f64) -> f64 {
        let at = (share.clamp(0.0, 1.0) * self.moments.len() as f64) as usize;
        self.moments[at.min(self.moments.len() - 1)]
    }

    /// Share of the runs that have reached it after so many days.
    pub fn share_within_days(&self, days: f64) -> f64 {
        self.moments.partition_point(|moment| *moment <= days + 1e-9) as f64 / self.moments.len() as f64
    }

    /// Share of the runs that have reached it by the end of a date.
    pub fn share_by(&self, date: Date) -> f64 {
        self.share_within_days(f64::from(days_between(self.today, date)) + 1.0)
    }
}

/// What the runs say together.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How many runs.
    pub runs: u32,
    /// Each target, in the order in which they were asked for.
    pub targets: Vec<Reached>,
    /// Share of the runs in which each item drove the end, in the order of the roadmap.
    pub criticality: Vec<(ItemId, f64)>,
    /// Open items without an estimate: they were taken as certain.
    pub without_estimate: Vec<ItemId>,
    /// End of the plan with the most likely lengths, in days after today's midnight.
    pub likely_end_days: f64,
    /// End of the plan with the mean lengths: what adding up means along the longest chain says.
    pub mean_length_end_days: f64,
    /// Merge bias: mean of the ends over the runs less the end with mean lengths. Where chains meet, the later one
    /// counts, so it is never negative but for noise.
    pub merge_bias_days: f64,
}

impl Simulation {
    /// Takes a roadmap apart, as seen on a day, with the end and each open gate as targets.
    pub fn new(roadmap: &Roadmap, today: Date) -> Result<Self, ForecastError> {
        let network = Network::new(roadmap, today);
        let order = network.order()?;
        let mut place = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            place[*old] = new;
        }
        let mut links = Vec::new();
        let mut tasks = Vec::with_capacity(order.len());
        for &old in &order {
            let node = &network.nodes[old];
            let first = links.len();
            links.extend(network.waits_for[old].iter().map(|link| Link { other: place[link.other], ..*link }));
            tasks.push(Task {
                id: node.item.id.clone(),
                state: node.state,
                start: node.start as f64,
                finish: node.finish.max(-10_000_000) as f64,
                work: node.work as f64,
                estimate: node.item.estimate.filter(|_| node.state != State::Done && !node.item.milestone),
                left: 1.0 - node.item.progress.get(),
                calendar: node.calendar,
                links: first..links.len(),
            });
        }
        let mut made = Self { today, tasks, links, calendars: network.into_calendars(), watches: Vec::new() };
        made.watch(roadmap, Target::End);
        for gate in roadmap.gates.iter().filter(|gate| gate.passed.is_none()) {
            made.watch(roadmap, Target::Gate(gate.name.clone()));
        }
        Ok(made)
    }

    /// Adds a target; one that names nothing with dates is left out.
    pub fn watch(&mut self, roadmap: &Roadmap, target: Target) {
        let place = |id: &ItemId| self.tasks.iter().position(|task| task.id == *id);
        let (nodes, not_before) = match &target {
            Target::End => ((0..self.tasks.len()).collect(), f64::NEG_INFINITY),
            Target::Item(id) => (place(id).into_iter().collect::<Vec<_>>(), f64::NEG_INFINITY),
            Target::Gate(name) => {
                let Some(gate) = roadmap.gate(name) else { return };
                let planned = f64::from(days_between(self.today, gate.planned).max(0)) + 1.0;
                (gate.needs.iter().filter_map(place).collect(), planned)
            }
        };
        if !nodes.is_empty() {
            self.watches.push(Watch { target, nodes, not_before });
        }
    }

    /// Whether so many runs can be kept.
    pub fn check(&self, runs: u32) -> Result<(), ForecastError> {
        let targets = self.watches.len();
        let fits = (runs as usize).saturating_mul(targets.max(1)) <= MAX_MOMENTS;
        if fits { Ok(()) } else { Err(ForecastError::TooMany { runs, targets }) }
    }

    /// Makes some of the runs. `go_on` hears how many of them are made, every few runs, and may answer `false` to cancel.
    pub fn run(
        &self,
        runs: Range<u32>,
        seed: u64,
        go_on: &mut dyn FnMut(u32) -> bool,
    ) -> Result<Sample, ForecastError> {
        /// Runs between two questions.
        const STRIDE: u32 = 64;
        let n = runs.end.saturating_sub(runs.start);
        self.check(n)?;
        let mut sample = Sample {
            runs: n,
            moments: vec![Vec::with_capacity(n as usize); self.watches.len()],
            critical: vec![0; self.tasks.len()],
        };
        let mut pass = Pass::new(self.tasks.len());
        for run in runs.clone() {
            let stream = Stream::new(seed).child(u64::from(run));
            self.pass(&mut pass, |i, estimate| estimate.sample(stream, i as u64));
            for (watch, moments) in self.watches.iter().zip(&mut sample.moments) {
                let last = watch.nodes.iter().map(|i| pass.finish[*i]).fold(watch.not_before, f64::max);
                moments.push(last);
            }
            self.trace(&pass, &mut sample.critical);
            let made = run - runs.start + 1;
            if made.is_multiple_of(STRIDE) && !go_on(made) {
                return Err(ForecastError::Cancelled);
            }
        }
        Ok(sample)
    }

    /// Joins samples of disjoint ranges of runs, in any order.
    pub fn outcome(&self, samples: &[Sample]) -> Result<Outcome, ForecastError> {
        let runs: u32 = samples.iter().map(|sample| sample.runs).sum();
        if runs == 0 {
            return Err(ForecastError::NoRuns);
        }
        self.check(runs)?;
        let targets: Vec<Reached> = (0..self.watches.len()).map(|i| self.reached(i, samples)).collect();
        let critical = |i: usize| samples.iter().map(|sample| sample.critical[i]).sum::<u32>();
        let shares =
            (0..self.tasks.len()).map(|i| (self.tasks[i].id.clone(), f64::from(critical(i)) / f64::from(runs)));
        let is_certain = |task: &&Task| task.estimate.is_none() && task.state != State::Done && task.work > 0.0;
        let likely_end_days = self.end_of(|estimate| estimate.likely_days);
        let mean_length_end_days = self.end_of(Estimate::mean_days);
        let end = targets.iter().find(|reached| reached.target == Target::End);
        Ok(Outcome {
            runs,
            criticality: shares.collect(),
            without_estimate: self.tasks.iter().filter(is_certain).map(|task| task.id.clone()).collect(),
            likely_end_days,
            mean_length_end_days,
            merge_bias_days: end.map_or(0.0, |end| end.mean_days - mean_length_end_days),
            targets,
        })
    }

    fn reached(&self, i: usize, samples: &[Sample]) -> Reached {
        let mut moments: Vec<f64> = samples.iter().flat_map(|sample| sample.moments[i].iter().copied()).collect();
        moments.sort_unstable_by(f64::total_cmp);
        // Added up in ascending order, so that the split into samples does not show in the last digits.
        let mean_days = moments.iter().sum::<f64>() / moments.len() as f64;
        let none = Forecast { p50: self.today, p85: self.today };
        let target = self.watches[i].target.clone();
        let mut reached = Reached { target, forecast: none, mean_days, today: self.today, moments };
        let last_day = |share| {
            let day = (reached.quantile_days(share) - 1e-9).ceil() as i64 - 1;
            let span = jiff::Span::new().try_days(day).unwrap_or_default();
            self.today.checked_add(span).unwrap_or(Date::MAX)
        };
        let forecast = Forecast { p50: last_day(0.5), p85: last_day(0.85) };
        reached.forecast = forecast;
        reached
    }

    /// The end of all with lengths that do not depend on chance.
    fn end_of(&self, length: impl Fn(&Estimate) -> f64) -> f64 {
        let mut pass = Pass::new(self.tasks.len());
        self.pass(&mut pass, |_, estimate| length(estimate));
        pass.finish.iter().copied().fold(0.0, f64::max)
    }

    /// One forward pass with the lengths that `length` gives.
    fn pass(&self, pass: &mut Pass, length: impl Fn(usize, &Estimate) -> f64) {
        for (i, task) in self.tasks.iter().enumerate() {
            let days = &self.calendars[task.calendar];
            let drawn = task.estimate.as_ref().map(|estimate| length(i, estimate));
            let (start, finish, driver) = match task.state {
                State::Done => (task.start, task.finish, None),
                State::Running => {
                    let own = drawn.map_or(task.finish, |drawn| days.advance(task.start.max(0.0), drawn * task.left));
                    let held = self.held(i, pass);
                    let late = held.finish > own;
                    (task.start, own.max(held.finish), held.finish_by.filter(|_| late))
                }
                State::Open => {
                    let held = self.held(i, pass);
                    let by_start = held.start >= task.start;
                    let start = held.start.max(task.start);
                    let finish = days.advance(start, drawn.unwrap_or(task.work));
                    if held.finish > finish {
                        (start + (held.finish - finish), held.finish, held.finish_by)
                    } else {
                        (start, finish, held.start_by.filter(|_| by_start))
                    }
                }
            };
            (pass.start[i], pass.finish[i], pass.driver[i]) = (start, finish, driver);
        }
    }

    /// What the items before it ask of an item.
    fn held(&self, i: usize, pass: &Pass) -> Held {
        let task = &self.tasks[i];
        let is_running = task.state == State::Running;
        let mut held = Held { start: f64::NEG_INFINITY, start_by: None, finish: f64::NEG_INFINITY, finish_by: None };
        for link in &self.links[task.links.clone()] {
            let from = if link.counts_from_start() { pass.start[link.other] } else { pass.finish[link.other] };
            let free = self.lagged(task.calendar, from, link.lag);
            if link.holds_start() && !is_running {
                if free > held.start {
                    (held.start, held.start_by) = (free, Some(link.other));
                }
            } else if link.kind != LinkKind::StartToStart && free > held.finish {
                (held.finish, held.finish_by) = (free, Some(link.other));
            }
        }
        held
    }

    fn lagged(&self, calendar: usize, from: f64, lag: i64) -> f64 {
        let days = &self.calendars[calendar];
        match lag {
            0 => from,
            lag if lag > 0 => days.advance(from, lag as f64),
            lag => days.start(from.ceil() as i64, -lag) as f64 - (from.ceil() - from),
        }
    }

    /// Counts the chain that drove the last finish.
    fn trace(&self, pass: &Pass, critical: &mut [u32]) {
        let last = (0..self.tasks.len()).max_by(|a, b| pass.finish[*a].total_cmp(&pass.finish[*b]).then(a.cmp(b)));
        let mut at = last;
        while let Some(i) = at {
            critical[i] += 1;
            at = pass.driver[i];
        }
    }
}

struct Pass {
    start: Vec<f64>,
    finish: Vec<f64>,
    driver: Vec<Option<usize>>,
}

impl Pass {
    fn new(n: usize) -> Self {
        Self { start: vec![0.0; n], finish: vec![0.0; n], driver: vec![None; n] }
    }
}

struct Held {
    start: f64,
    start_by: Option<usize>,
    finish: f64,
    finish_by: Option<usize>,
}
