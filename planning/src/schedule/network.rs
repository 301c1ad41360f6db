//! The network of items as the passes see it: days counted from today, times as boundaries of [`crate::calendar`].

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::ScheduleError;
use crate::calendar::WorkDays;
use crate::roadmap::{Dependency, Item, ItemId, LinkKind, Roadmap, days_between};

/// What can still happen to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Its dates are facts that nothing can push.
    Done,
    /// Its start is a fact; only its finish can be pushed.
    Running,
    /// It is done in one piece after all that it waits for.
    Open,
}

/// An item with its own dates.
pub(crate) struct Node<'a> {
    pub(crate) item: &'a Item,
    pub(crate) state: State,
    /// First boundary that its own dates and the day it is allow; of work that has begun, its start.
    pub(crate) start: i64,
    /// Of work that has begun, the first boundary at which it may end; else unused.
    pub(crate) finish: i64,
    /// Working days that it takes.
    pub(crate) work: i64,
    pub(crate) calendar: usize,
}

/// Start and finish as boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) start: i64,
    pub(crate) finish: i64,
}

/// A dependency between nodes, by index of the other end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub(crate) other: usize,
    pub(crate) kind: LinkKind,
    pub(crate) lag: i64,
}

impl Link {
    fn new(other: usize, dependency: &Dependency) -> Self {
        Self { other, kind: dependency.kind, lag: i64::from(dependency.lag_days) }
    }

    /// Whether it holds back the start of the later item.
    pub(crate) const fn holds_start(self) -> bool {
        matches!(self.kind, LinkKind::FinishToStart | LinkKind::StartToStart)
    }

    /// Whether it counts from the start of the earlier item.
    pub(crate) const fn counts_from_start(self) -> bool {
        matches!(self.kind, LinkKind::StartToStart | LinkKind::StartToFinish)
    }
}

/// Items with a bar, and what each waits for, by index.
pub(crate) struct Network<'a> {
    origin: Date,
    pub(crate) nodes: Vec<Node<'a>>,
    pub(crate) waits_for: Vec<Vec<Link>>,
    pub(crate) holds_up: Vec<Vec<Link>>,
    calendars: Vec<WorkDays>,
}

impl<'a> Network<'a> {
    pub(crate) fn new(roadmap: &'a Roadmap, today: Date) -> Self {
        let mut calendars = vec![WorkDays::every_day()];
        calendars.extend(roadmap.calendars.iter().map(|calendar| WorkDays::new(calendar, today)));
        let names: BTreeMap<&str, usize> =
            roadmap.calendars.iter().enumerate().map(|(i, calendar)| (calendar.name.as_str(), i + 1)).collect();
        let node = |item: &'a Item| {
            let name = item.calendar.as_deref().or(roadmap.calendar.as_deref());
            let calendar = name.and_then(|name| names.get(name)).copied().unwrap_or(0);
            node(item, today, (calendar, &calendars[calendar]))
        };
        let nodes: Vec<Node<'a>> = roadmap.items.iter().filter_map(node).collect();
        let index: BTreeMap<&ItemId, usize> = nodes.iter().enumerate().map(|(i, node)| (&node.item.id, i)).collect();
        let mut waits_for = vec![Vec::new(); nodes.len()];
        let mut holds_up = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            for dependency in &node.item.depends_on {
                if let Some(&before) = index.get(&dependency.on) {
                    waits_for[i].push(Link::new(before, dependency));
                    holds_up[before].push(Link::new(i, dependency));
                }
            }
        }
        Self { origin: today, nodes, waits_for, holds_up, calendars }
    }

    /// Its calendars, in the order in which nodes number them.
    pub(crate) fn into_calendars(self) -> Vec<WorkDays> {
        self.calendars
    }

    pub(crate) fn calendar(&self, i: usize) -> &WorkDays {
        &self.calendars[self.nodes[i].calendar]
    }

    /// Every item after what it waits for; among equals the earlier in the roadmap first.
    pub(crate) fn order(&self) -> Result<Vec<usize>, ScheduleError> {
        let mut open: Vec<usize> = self.waits_for.iter().map(Vec::len).collect();
        let mut order = Vec::with_capacity(open.len());
        let mut ready: BTreeSet<usize> = (0..open.len()).filter(|i| open[*i] == 0).collect();
        while let Some(i) = ready.pop_first() {
            order.push(i);
            for link in &self.holds_up[i] {
                open[link.other] -= 1;
                if open[link.other] == 0 {
                    ready.insert(link.other);
                }
            }
        }
        if order.len() == open.len() { Ok(order) } else { Err(self.find_circle(&open)) }
    }

    /// Walks backwards among items that never became ready until one comes again.
    fn find_circle(&self, open: &[usize]) -> ScheduleError {
        let mut walk: Vec<usize> = open.iter().position(|n| *n > 0).into_iter().collect();
        let mut place = vec![None; open.len()];
        while let Some(&last) = walk.last() {
            place[last] = Some(walk.len() - 1);
            let stuck = self.waits_for[last].iter().map(|link| link.other).filter(|before| open[*before] > 0);
            let Some(next) = stuck.min() else { break };
            if let Some(first) = place[next] {
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
    pub(crate) fn forward(&self, order: &[usize]) -> Vec<Times> {
        let mut early = vec![Times { start: 0, finish: 0 }; self.nodes.len()];
        for &i in order {
            early[i] = self.earliest(i, &early);
        }
        early
    }

    fn earliest(&self, i: usize, early: &[Times]) -> Times {
        let (node, days) = (&self.nodes[i], self.calendar(i));
        let (mut start, mut finish) = (node.start, node.finish);
        if node.state == State::Done {
            return Times { start, finish };
        }
        for link in &self.waits_for[i] {
            let before = early[link.other];
            let from = if link.counts_from_start() { before.start } else { before.finish };
            let free = if link.lag == 0 { from } else { days.shift(from, link.lag) };
            match (link.kind, node.state) {
                (LinkKind::StartToStart, State::Running) => {}
                // Work that began too soon still cannot end before what it waits for has ended.
                (LinkKind::FinishToFinish | LinkKind::StartToFinish, _) | (_, State::Running) => {
                    finish = finish.max(free);
                }
                (LinkKind::FinishToStart | LinkKind::StartToStart, _) => start = start.max(free),
            }
        }
        if node.state == State::Running {
            return Times { start, finish };
        }
        if node.work == 0 {
            let reached = start.max(finish);
            return Times { start: reached, finish: reached };
        }
        start = days.align(start);
        let end = days.finish(start, node.work);
        if end >= finish {
            return Times { start, finish: end };
        }
        let finish = days.align_finish(finish);
        Times { start: days.start(finish, node.work), finish }
    }

    /// Latest start and finish of each item that does not move the end.
    pub(crate) fn backward(&self, order: &[usize], early: &[Times], end: i64) -> Vec<Times> {
        let mut late: Vec<Times> = vec![Times { start: end, finish: end }; self.nodes.len()];
        for &i in order.iter().rev() {
            let (node, days) = (&self.nodes[i], self.calendar(i));
            let (mut start, mut finish) = (None, end);
            for link in &self.holds_up[i] {
                let Some(limit) = self.limit(i, *link, late[link.other]) else { continue };
                if link.counts_from_start() {
                    start = Some(start.unwrap_or(limit).min(limit));
                } else {
                    finish = finish.min(limit);
                }
            }
            late[i] = if node.state != State::Open {
                Times { start: early[i].start + (finish - early[i].finish), finish }
            } else if node.work == 0 {
                let reached = start.unwrap_or(finish).min(finish);
                Times { start: reached, finish: reached }
            } else {
                let by_finish = days.start(finish, node.work);
                let start = start.map_or(by_finish, |start| days.align_back(start).min(by_finish));
                Times { start, finish: days.finish(start, node.work) }
            };
        }
        late
    }

    /// The last boundary at which the end of item `i` that a link counts from may lie; `None` if the link asks nothing.
    fn limit(&self, i: usize, link: Link, late: Times) -> Option<i64> {
        let (node, after) = (&self.nodes[i], &self.nodes[link.other]);
        let at = match (link.kind, after.state) {
            // What is done left its time to what was done after it.
            (LinkKind::FinishToStart, _) if node.state == State::Done => late.start,
            // Work that went ahead of what it waits for: its start stands, and if done, so does its end.
            (_, State::Done) | (LinkKind::StartToStart, State::Running) => return None,
            (_, State::Running) => late.finish,
            _ if link.holds_start() => late.start,
            _ => late.finish,
        };
        // A start that is a fact cannot be late.
        if link.counts_from_start() && node.state != State::Open {
            return None;
        }
        Some(if link.lag == 0 { at } else { self.calendar(link.other).unshift(at, link.lag) })
    }

    /// Working days that each item may slip without moving another one, or the end.
    pub(crate) fn free(&self, early: &[Times], end: i64) -> Vec<i64> {
        let free = |i: usize| {
            let days = self.calendar(i);
            let bounds = self.holds_up[i].iter().filter_map(|link| {
                // A start to work has no slack of its own: the item moves as a whole.
                let limit = self.limit(i, *link, early[link.other])?;
                let from = if link.counts_from_start() { early[i].start } else { early[i].finish };
                let limit =
                    if self.nodes[i].work > 0 && link.counts_from_start() { days.align_back(limit) } else { limit };
                Some(days.between(from, limit))
            });
            bounds.min().unwrap_or(i64::MAX).min(days.between(early[i].finish, end)).max(0)
        };
        (0..self.nodes.len()).map(free).collect()
    }

    /// The date of a day number; the calendar's end where it would lie beyond it.
    pub(crate) fn date(&self, day: i64) -> Date {
        let edge = if day < 0 { Date::MIN } else { Date::MAX };
        self.origin.checked_add(jiff::Span::new().try_days(day).unwrap_or_default()).unwrap_or(edge)
    }
}

fn node<'a>(item: &'a Item, today: Date, (calendar, days): (usize, &WorkDays)) -> Option<Node<'a>> {
    let span = item.span()?;
    let day = |date| i64::from(days_between(today, date));
    // A milestone is reached at the end of its day, a bar begins with its first.
    let planned = day(span.start) + i64::from(item.milestone);
    let end = day(span.finish) + 1;
    let work = if item.milestone { 0 } else { days.between(planned, end).max(1) };
    let (state, start, finish) = if item.is_done() {
        let closed = item.closed.filter(|closed| *closed >= span.start).map_or(end, |closed| day(closed) + 1);
        (State::Done, if item.milestone { closed } else { planned }, closed)
    } else if item.has_begun() && !item.milestone {
        (State::Running, planned, end.max(1))
    } else {
        (State::Open, planned.max(i64::from(item.milestone)), i64::MIN)
    };
    Some(Node { item, state, start, finish, work, calendar })
}
