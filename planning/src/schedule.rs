//! When things will be done: the critical-path method on calendar days.
//!
//! A forward pass finds the earliest finish of each item from its own dates, the day it is and what it waits for;
//! a backward pass from the last finish finds the latest; the difference is the slack (Kelley and Walker, 1959).
//! A planned start is a promise not to begin earlier. Work that is done keeps its real dates; work in progress
//! keeps its start and cannot have finished before today; work not begun cannot start before today. Items without
//! a bar take no part. O(items + dependencies) after sorting.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::roadmap::{Dependency, Gate, Item, ItemId, LinkKind, Roadmap, days_between};

/// Why no schedule can be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// Items wait for each other in a circle.
    #[error("these items wait for each other in a circle: {}", circle(items))]
    Circle {
        /// The items of the circle, each waiting for the next, the smallest key first.
        items: Vec<ItemId>,
    },
}

fn circle(items: &[ItemId]) -> String {
    let names: Vec<&str> = items.iter().chain(items.first()).map(|id| id.0.as_str()).collect();
    names.join(" → ")
}

/// When one item can and must be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduled {
    /// The item.
    pub item: ItemId,
    /// Earliest first day.
    pub start: Date,
    /// Earliest last day.
    pub finish: Date,
    /// Last first day that does not move the end of the roadmap.
    pub latest_start: Date,
    /// Last last day that does not move the end of the roadmap.
    pub latest_finish: Date,
    /// Days that it may slip without moving the end.
    pub slack_days: i32,
    /// Whether a day lost here is a day lost at the end.
    pub is_critical: bool,
    /// Days that its earliest finish lies after its baseline, negative if before; absent without a baseline.
    pub late_days: Option<i32>,
    /// Days that its earliest finish lies after the planned one: what today and its dependencies push it by.
    pub pushed_days: i32,
}

/// When one gate can be passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledGate {
    /// Name of the gate.
    pub gate: String,
    /// Day on which it was or can be passed: not before the plan says and not before what it needs.
    pub expected: Date,
    /// Whether it was passed.
    pub is_passed: bool,
    /// Days after the baseline, negative if before; absent without a baseline.
    pub late_days: Option<i32>,
    /// Days of the forecast median after the baseline; absent without either.
    pub forecast_late_days: Option<i32>,
    /// Whether one of the items it needs is critical and open.
    pub is_critical: bool,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Items with a bar, in the order of the roadmap.
    pub items: Vec<Scheduled>,
    /// Gates, in the order of the roadmap.
    pub gates: Vec<ScheduledGate>,
    /// The critical items in order of start.
    pub critical_path: Vec<ItemId>,
    /// Last day of the last item; absent if no item has a bar.
    pub end: Option<Date>,
}

impl Schedule {
    /// What was found of an item; absent if it has no bar.
    pub fn item(&self, id: &ItemId) -> Option<&Scheduled> {
        self.items.iter().find(|scheduled| scheduled.item == *id)
    }
}

/// Makes the schedule as seen on the day `today`. The same roadmap and day always give the same schedule.
pub fn schedule(roadmap: &Roadmap, today: Date) -> Result<Schedule, ScheduleError> {
    let network = Network::new(roadmap, today);
    let order = network.order()?;
    let early = network.forward(&order);
    let end = early.iter().map(|(_, finish)| *finish).max();
    let late = network.backward(&order, end.unwrap_or(0));
    let items: Vec<Scheduled> = (0..network.nodes.len()).map(|i| network.scheduled(i, early[i], late[i])).collect();
    let gates = roadmap.gates.iter().map(|gate| gate_of(gate, &items, roadmap, today)).collect();
    let mut critical: Vec<&Scheduled> = items.iter().filter(|item| item.is_critical).collect();
    critical.sort_by(|a, b| a.start.cmp(&b.start).then_with(|| a.item.cmp(&b.item)));
    let critical_path = critical.into_iter().map(|item| item.item.clone()).collect();
    Ok(Schedule { gates, critical_path, end: end.map(|day| network.date(day)), items })
}

fn gate_of(gate: &Gate, items: &[Scheduled], roadmap: &Roadmap, today: Date) -> ScheduledGate {
    let needed = || items.iter().filter(|item| gate.needs.contains(&item.item));
    let open = |item: &&Scheduled| roadmap.item(&item.item).is_some_and(|item| !item.is_done());
    let last_need = needed().map(|item| item.finish).max();
    let earliest = gate.planned.max(today).max(last_need.unwrap_or(gate.planned));
    let expected = gate.passed.unwrap_or(earliest);
    ScheduledGate {
        gate: gate.name.clone(),
        expected,
        is_passed: gate.passed.is_some(),
        late_days: gate.baseline.map(|baseline| days_between(baseline, expected)),
        forecast_late_days: gate.forecast.and_then(|f| Some(days_between(gate.baseline?, f.p50))),
        is_critical: gate.passed.is_none() && needed().filter(open).any(|item| item.is_critical),
    }
}

/// An item as the passes see it: days are counted from a common origin.
struct Node<'a> {
    item: &'a Item,
    /// First day that its own dates and the day it is allow.
    start: i32,
    /// Days of work, at least 1.
    days: i32,
    /// Its dates are facts that nothing can push.
    is_fact: bool,
    /// Its start is a fact; only its finish can be pushed.
    is_running: bool,
}

/// Items with a bar, and what each waits for, by index.
struct Network<'a> {
    origin: Date,
    nodes: Vec<Node<'a>>,
    waits_for: Vec<Vec<(usize, &'a Dependency)>>,
    holds_up: Vec<Vec<(usize, &'a Dependency)>>,
}

impl<'a> Network<'a> {
    fn new(roadmap: &'a Roadmap, today: Date) -> Self {
        let node = |item: &'a Item| Self::node(item, today);
        let nodes: Vec<Node<'a>> = roadmap.items.iter().filter_map(node).collect();
        let index: BTreeMap<&ItemId, usize> = nodes.iter().enumerate().map(|(i, node)| (&node.item.id, i)).collect();
        let mut waits_for = vec![Vec::new(); nodes.len()];
        let mut holds_up = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            for dependency in &node.item.depends_on {
                if let Some(&before) = index.get(&dependency.on) {
                    waits_for[i].push((before, dependency));
                    holds_up[before].push((i, dependency));
                }
            }
        }
        Self { origin: today, nodes, waits_for, holds_up }
    }

    fn node(item: &'a Item, today: Date) -> Option<Node<'a>> {
        let span = item.span()?;
        let day = |date| days_between(today, date);
        let (is_fact, is_running) = (item.is_done(), item.has_begun());
        let planned = day(span.start);
        let start = if is_running { planned } else { planned.max(0) };
        let finish = match (is_fact, is_running) {
            (true, _) => item.closed.filter(|closed| *closed >= span.start).map_or(day(span.finish), day),
            (false, true) => day(span.finish).max(0),
            (false, false) => start + span.days() - 1,
        };
        Some(Node { item, start, days: (finish - start + 1).max(1), is_fact, is_running })
    }

    /// Every item after what it waits for; among equals the earlier in the roadmap first.
    fn order(&self) -> Result<Vec<usize>, ScheduleError> {
        let mut open: Vec<usize> = self.waits_for.iter().map(Vec::len).collect();
        let mut order = Vec::with_capacity(open.len());
        let mut ready: std::collections::BTreeSet<usize> = (0..open.len()).filter(|i| open[*i] == 0).collect();
        while let Some(i) = ready.pop_first() {
            order.push(i);
            for &(after, _) in &self.holds_up[i] {
                open[after] -= 1;
                if open[after] == 0 {
                    ready.insert(after);
                }
            }
        }
        if order.len() == open.len() { Ok(order) } else { Err(self.find_circle(&open)) }
    }

    /// Walks backwards among items that never became ready until one comes again.
    fn find_circle(&self, open: &[usize]) -> ScheduleError {
        let mut walk: Vec<usize> = open.iter().position(|n| *n > 0).into_iter().collect();
        while let Some(&last) = walk.last() {
            let stuck = self.waits_for[last].iter().map(|(before, _)| *before).filter(|before| open[*before] > 0);
            let Some(next) = stuck.min() else { break };
            if let Some(first) = walk.iter().position(|i| *i == next) {
                walk.drain(..first);
                break;
            }
            walk.push(next);
        }
        let mut items: Vec<ItemId> = walk.into_iter().map(|i| self.nodes[i].item.id.clone()).collect();
        let smallest = (0..items.len()).min_by_key(|i| &items[*i]).unwrap_or(0);
        items.rotate_left(smallest);
        ScheduleError::Circle { items }
    }

    /// Earliest start and finish of each item.
    fn forward(&self, order: &[usize]) -> Vec<(i32, i32)> {
        let mut early = vec![(0, 0); self.nodes.len()];
        for &i in order {
            let node = &self.nodes[i];
            let (mut start, mut finish) = (node.start, node.start + node.days - 1);
            if !node.is_fact {
                for &(before, dependency) in &self.waits_for[i] {
                    let free = early[before].1 + i32::from(dependency.lag_days);
                    match dependency.kind {
                        LinkKind::FinishToStart if !node.is_running => start = start.max(free + 1),
                        // Work that began too soon still cannot end before what it waits for.
                        LinkKind::FinishToStart | LinkKind::FinishToFinish => finish = finish.max(free),
                    }
                }
                finish = finish.max(start + node.days - 1);
            }
            early[i] = (start, finish);
        }
        early
    }

    /// Latest finish of each item that does not move the end.
    fn backward(&self, order: &[usize], end: i32) -> Vec<i32> {
        let mut late = vec![end; self.nodes.len()];
        for &i in order.iter().rev() {
            for &(after, dependency) in &self.holds_up[i] {
                let (node, lag) = (&self.nodes[after], i32::from(dependency.lag_days));
                let whole = late[after] - node.days - lag;
                let limit = match dependency.kind {
                    LinkKind::FinishToStart if self.nodes[i].is_fact => whole,
                    // Work that went ahead of what it waits for: its start stands, and if done, so does its end.
                    _ if node.is_fact => continue,
                    LinkKind::FinishToStart if !node.is_running => whole,
                    LinkKind::FinishToStart | LinkKind::FinishToFinish => late[after] - lag,
                };
                late[i] = late[i].min(limit);
            }
        }
        late
    }

    fn scheduled(&self, i: usize, (start, finish): (i32, i32), latest_finish: i32) -> Scheduled {
        let item = self.nodes[i].item;
        let slack_days = latest_finish - finish;
        let date = self.date(finish);
        Scheduled {
            item: item.id.clone(),
            start: self.date(start),
            finish: date,
            latest_start: self.date(start + slack_days),
            latest_finish: self.date(latest_finish),
            slack_days,
            is_critical: slack_days <= 0,
            late_days: item.baseline.map(|baseline| days_between(baseline.finish, date)),
            pushed_days: item.finish.map_or(0, |planned| days_between(planned, date)),
        }
    }

    /// The date of a day number; the calendar's end where it would lie beyond it.
    fn date(&self, day: i32) -> Date {
        let edge = if day < 0 { Date::MIN } else { Date::MAX };
        self.origin.checked_add(jiff::Span::new().try_days(day).unwrap_or_default()).unwrap_or(edge)
    }
}
