//! The schedule against a slow twin that knows no arithmetic of calendars: it walks day by day and tries.

#![allow(clippy::unwrap_used, reason = "tests")]

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use planning::calendar::{WeekDay, WorkCalendar};
use planning::roadmap::{Dependency, Item, ItemId, LinkKind, Roadmap};
use planning::schedule::{Schedule, schedule};
use proptest::prelude::*;

const TODAY: Date = date(2026, 11, 30);
const KINDS: [LinkKind; 4] =
    [LinkKind::FinishToStart, LinkKind::StartToStart, LinkKind::FinishToFinish, LinkKind::StartToFinish];

fn day(n: i64) -> Date {
    TODAY.checked_add(n.days()).unwrap()
}

/// Random networks: open items, some of them milestones, in up to three calendars, with links of all four kinds.
fn network() -> impl Strategy<Value = Roadmap> {
    let calendar = (prop::collection::btree_set(0..7_usize, 0..4), prop::collection::btree_set(0..60_i64, 0..6));
    let one = (
        0..15_i64,
        1..9_i64,
        0..6_u8,
        prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, -3..4_i16), 0..3),
        0..3_usize,
    );
    (prop::collection::vec(one, 1..9), prop::collection::vec(calendar, 2)).prop_map(|(rows, calendars)| {
        let calendars = calendars.into_iter().enumerate().map(|(i, (rest, holidays))| WorkCalendar {
            rest_days: rest.into_iter().map(|i| WeekDay::ALL[i]).collect(),
            holidays: holidays.into_iter().map(day).collect(),
            ..WorkCalendar::weekdays(i.to_string())
        });
        let mut roadmap = Roadmap { calendars: calendars.collect(), ..Roadmap::default() };
        for (i, (start, days, sort, links, calendar)) in rows.into_iter().enumerate() {
            let milestone = sort == 0;
            let finish = if milestone { start } else { start + days - 1 };
            let depends_on = links.into_iter().filter(|_| i > 0).map(|(on, kind, lag_days)| Dependency {
                on: roadmap.items[on.index(i)].id.clone(),
                kind: KINDS[kind],
                lag_days,
            });
            let depends_on = depends_on.collect();
            let calendar = calendar.checked_sub(1).map(|i| i.to_string());
            let (start, finish) = (Some(day(start)), Some(day(finish)));
            let id = ItemId(format!("K-{i}"));
            roadmap.items.push(Item { start, finish, depends_on, milestone, calendar, ..Item::new(id, "x") });
        }
        roadmap
    })
}

/// Walks over days. Boundary `b` is the morning of day `b`.
struct Twin<'a>(&'a Roadmap);

impl Twin<'_> {
    fn is_worked(&self, item: &Item, n: i64) -> bool {
        self.0.calendar_of(item).is_none_or(|calendar| calendar.is_working(day(n)))
    }

    fn after_work(&self, item: &Item, start: i64, work: i64) -> i64 {
        let (mut at, mut left) = (start, work);
        while left > 0 {
            left -= i64::from(self.is_worked(item, at));
            at += 1;
        }
        at
    }

    fn lagged(&self, item: &Item, from: i64, lag: i64) -> i64 {
        if lag >= 0 {
            return self.after_work(item, from, lag);
        }
        let (mut at, mut left) = (from, -lag);
        while left > 0 {
            at -= 1;
            left -= i64::from(self.is_worked(item, at));
        }
        at
    }

    fn work(&self, item: &Item) -> i64 {
        let (start, finish) = (item.start.unwrap(), item.finish.unwrap());
        let days = (0..400).map(day).skip_while(|d| *d < start).take_while(|d| *d <= finish);
        let n = days.filter(|d| self.0.calendar_of(item).is_none_or(|c| c.is_working(*d))).count() as i64;
        if item.milestone { 0 } else { n.max(1) }
    }

    /// Starts and finishes: each item tries one morning after the other until all that it waits for is content. Item
    /// `delayed.0` may not start before boundary `delayed.1`.
    fn times(&self, delayed: Option<(usize, i64)>) -> Vec<(i64, i64)> {
        let mut times: Vec<(i64, i64)> = Vec::new();
        for (i, item) in self.0.items.iter().enumerate() {
            let work = self.work(item);
            let planned = (0..400).find(|n| day(*n) == item.start.unwrap()).unwrap() + i64::from(item.milestone);
            let least = delayed.filter(|(which, _)| *which == i).map_or(planned, |(_, start)| start.max(planned));
            let found = (least..least + 2_000).find_map(|start| {
                let finish = self.after_work(item, start, work);
                let content = item.depends_on.iter().all(|link| {
                    let (other_start, other_finish) = times[link.on.0[2..].parse::<usize>().unwrap()];
                    let lag = i64::from(link.lag_days);
                    match link.kind {
                        LinkKind::FinishToStart => start >= self.lagged(item, other_finish, lag),
                        LinkKind::StartToStart => start >= self.lagged(item, other_start, lag),
                        LinkKind::FinishToFinish => finish >= self.lagged(item, other_finish, lag),
                        LinkKind::StartToFinish => finish >= self.lagged(item, other_start, lag),
                    }
                });
                (content && (work == 0 || self.is_worked(item, start))).then_some((start, finish))
            });
            times.push(found.unwrap());
        }
        times
    }
}

/// Start morning of an item delayed by working days of its calendar.
fn delayed_start(twin: &Twin<'_>, item: &Item, start: i64, by: i64) -> i64 {
    let mut at = start;
    let mut left = by;
    while left > 0 || (!item.milestone && !twin.is_worked(item, at)) {
        left -= i64::from(twin.is_worked(item, at));
        at += 1;
    }
    at
}

fn made(roadmap: &Roadmap) -> Schedule {
    schedule(roadmap, TODAY).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Protects every date and every slack: earliest dates agree with walking and trying; delaying an item by its total
    /// slack leaves the end, by its free slack leaves all other items; one working day more moves them.
    #[test]
    fn dates_and_slacks_agree_with_walking_and_trying(roadmap in network()) {
        let twin = Twin(&roadmap);
        let times = twin.times(None);
        let end = times.iter().map(|(_, finish)| *finish).max().unwrap();
        let schedule = made(&roadmap);
        prop_assert_eq!(schedule.end, Some(day(end - 1)));
        for (i, item) in roadmap.items.iter().enumerate() {
            let found = &schedule.items[i];
            let (start, finish) = times[i];
            let first = if item.milestone { finish - 1 } else { start };
            prop_assert_eq!((found.start, found.finish), (day(first), day(finish - 1)), "{}", item.id);
            let delayed = |by: i32| twin.times(Some((i, delayed_start(&twin, item, start, i64::from(by)))));
            let end_of = |times: &[(i64, i64)]| times.iter().map(|(_, finish)| *finish).max().unwrap();
            prop_assert!(end_of(&delayed(found.slack_days)) <= end, "{} slack {}", item.id, found.slack_days);
            prop_assert!(end_of(&delayed(found.slack_days + 1)) > end, "{} slack {} + 1", item.id, found.slack_days);
            let others = |times: &[(i64, i64)]| times.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, t)| *t).collect::<Vec<_>>();
            let free = delayed(found.free_slack_days);
            prop_assert!(others(&free) == others(&times) && end_of(&free) <= end, "{} free {}", item.id, found.free_slack_days);
            let more = delayed(found.free_slack_days + 1);
            prop_assert!(others(&more) != others(&times) || end_of(&more) > end, "{} free {} + 1", item.id, found.free_slack_days);
        }
    }
}

/// Network of an independent Python reference (2026-11-30): early and late times and both slacks in days; the same in
/// working days, whatever the weekends.
#[test]
fn total_and_free_slack_agree_with_a_reference() {
    let network: [(&str, i64, &[&str]); 7] = [
        ("DVT", 10, &[]),
        ("IMG", 36, &[]),
        ("REP", 20, &[]),
        ("PVT", 30, &["DVT"]),
        ("PREV", 40, &["PVT", "IMG"]),
        ("DOC", 10, &["IMG"]),
        ("GA", 0, &["PREV", "REP", "DOC"]),
    ];
    let slacks = [(0, 0), (4, 0), (60, 60), (0, 0), (0, 0), (34, 34), (0, 0)];
    for calendar in [None, Some("week".to_owned())] {
        let mut roadmap = Roadmap { calendars: vec![WorkCalendar::weekdays("week")], calendar, ..Roadmap::default() };
        for (id, days, after) in network {
            let mut finish = TODAY;
            let is_worked = |d: Date| roadmap.calendar.is_none() || roadmap.calendars[0].is_working(d);
            let mut left = days - 1;
            while left > 0 {
                finish = finish.tomorrow().unwrap();
                left -= i64::from(is_worked(finish));
            }
            let depends_on = after.iter().map(|on| Dependency::after(ItemId::from(*on))).collect();
            let (start, finish) = (Some(TODAY), Some(finish));
            let item = Item { start, finish, depends_on, milestone: days == 0, ..Item::new(ItemId::from(id), id) };
            roadmap.items.push(item);
        }
        let made = made(&roadmap);
        let found: Vec<_> = made.items.iter().map(|item| (item.slack_days, item.free_slack_days)).collect();
        assert_eq!(found, slacks);
        assert_eq!(made.critical_path, ["DVT", "PVT", "PREV", "GA"].map(ItemId::from));
        if roadmap.calendar.is_none() {
            assert_eq!(made.end, Some(day(79)));
            let late: Vec<_> = made.items.iter().map(|item| item.latest_finish).collect();
            assert_eq!(late, [10, 40, 80, 40, 80, 80, 80].map(|n| day(n - 1)));
        }
        for (id, delay, moved) in [("IMG", 3, 0), ("IMG", 5, 1), ("DVT", 5, 5)] {
            let mut slipped = roadmap.clone();
            let item = slipped.items.iter_mut().find(|item| item.id.0 == id).unwrap();
            let mut left = delay;
            let mut finish = item.finish.unwrap();
            while left > 0 {
                finish = finish.tomorrow().unwrap();
                left -= i64::from(roadmap.calendar.is_none() || roadmap.calendars[0].is_working(finish));
            }
            item.finish = Some(finish);
            if roadmap.calendar.is_none() {
                let end = schedule(&slipped, TODAY).unwrap().end;
                assert_eq!(end, Some(day(79 + moved)), "what-if of {id} by {delay}");
            }
        }
    }
}
