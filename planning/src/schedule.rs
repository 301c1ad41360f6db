//! When things will be done: the critical-path method on working days.
//!
//! A forward pass finds the earliest start and finish of each item from its own dates, the day it is, what it waits
//! for and its working calendar; a backward pass from the last finish finds the latest; the difference is the total
//! slack, and what may be lost without moving any other item is the free slack (Kelley and Walker, 1959).
//! A planned start is a promise not to begin earlier. Work that is done keeps its real dates; work in progress
//! keeps its start and cannot have finished before today; work not begun cannot start before today and is done in
//! one piece. Items without a bar take no part. O(items + dependencies) after sorting, times log holidays.

pub(crate) mod network;

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::roadmap::{Gate, ItemId, Roadmap, days_between};
use network::Network;

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
    /// Total slack: working days that it may slip without moving the end.
    pub slack_days: i32,
    /// Free slack: working days that it may slip without moving any item that waits for it.
    pub free_slack_days: i32,
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

    /// What was found of a gate.
    pub fn gate(&self, name: &str) -> Option<&ScheduledGate> {
        self.gates.iter().find(|gate| gate.gate == name)
    }
}

/// Makes the schedule as seen on the day `today`. The same roadmap and day always give the same schedule.
pub fn schedule(roadmap: &Roadmap, today: Date) -> Result<Schedule, ScheduleError> {
    let network = Network::new(roadmap, today);
    let order = network.order()?;
    let early = network.forward(&order);
    let end = early.iter().map(|times| times.finish).max();
    let late = network.backward(&order, &early, end.unwrap_or(0));
    let free = network.free(&early, end.unwrap_or(0));
    let items: Vec<Scheduled> =
        (0..network.nodes.len()).map(|i| scheduled(&network, i, (early[i], late[i], free[i]))).collect();
    let by_id: BTreeMap<&ItemId, usize> = items.iter().enumerate().map(|(i, item)| (&item.item, i)).collect();
    let gates = roadmap.gates.iter().map(|gate| {
        let needed = gate.needs.iter().filter_map(|need| by_id.get(need)).map(|i| (&items[*i], &network.nodes[*i]));
        gate_of(gate, &needed.collect::<Vec<_>>(), today)
    });
    let gates = gates.collect();
    let mut critical: Vec<usize> = (0..items.len()).filter(|i| items[*i].is_critical).collect();
    critical.sort_by_key(|i| (early[*i].start, early[*i].finish, &items[*i].item));
    let critical_path = critical.into_iter().map(|i| items[i].item.clone()).collect();
    // A boundary is the end of the day before it.
    Ok(Schedule { gates, critical_path, end: end.map(|end| network.date(end - 1)), items })
}

fn gate_of(gate: &Gate, needed: &[(&Scheduled, &network::Node<'_>)], today: Date) -> ScheduledGate {
    let last_need = needed.iter().map(|(scheduled, _)| scheduled.finish).max();
    let earliest = gate.planned.max(today).max(last_need.unwrap_or(gate.planned));
    let expected = gate.passed.unwrap_or(earliest);
    ScheduledGate {
        gate: gate.name.clone(),
        expected,
        is_passed: gate.passed.is_some(),
        late_days: gate.baseline.map(|baseline| days_between(baseline, expected)),
        forecast_late_days: gate.forecast.and_then(|f| Some(days_between(gate.baseline?, f.p50))),
        is_critical: gate.passed.is_none()
            && needed.iter().any(|(scheduled, node)| scheduled.is_critical && !node.item.is_done()),
    }
}

fn scheduled(network: &Network<'_>, i: usize, times: (network::Times, network::Times, i64)) -> Scheduled {
    let (early, late, free) = times;
    let node = &network.nodes[i];
    let item = node.item;
    let slack = network.calendar(i).between(early.finish, late.finish);
    let days = |days: i64| i32::try_from(days).unwrap_or(if days < 0 { i32::MIN } else { i32::MAX });
    // A milestone has no first day of work, only the day at whose end it is reached.
    let first = |times: network::Times| if item.milestone { times.finish - 1 } else { times.start };
    let finish = network.date(early.finish - 1);
    Scheduled {
        item: item.id.clone(),
        start: network.date(first(early)),
        finish,
        latest_start: network.date(first(late)),
        latest_finish: network.date(late.finish - 1),
        slack_days: days(slack),
        free_slack_days: days(free),
        is_critical: slack <= 0,
        late_days: item.baseline.map(|baseline| days_between(baseline.finish, finish)),
        pushed_days: item.finish.map_or(0, |planned| days_between(planned, finish)),
    }
}
