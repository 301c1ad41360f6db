//! Dates as they stood on a day, so that a moved date cannot hide: adherence is counted against these.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::roadmap::{ItemId, Roadmap, Span, days_between};
use crate::schedule::Schedule;

/// A snapshot of planned dates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// Unique name, such as "before DVT".
    pub name: String,
    /// The day on which it was taken.
    pub on: Date,
    /// First and last planned day of each item that had a bar.
    #[serde(default)]
    pub items: BTreeMap<ItemId, Span>,
    /// Planned day of each gate.
    #[serde(default)]
    pub gates: BTreeMap<String, Date>,
}

impl Baseline {
    /// The dates of a roadmap as they stand.
    pub fn of(roadmap: &Roadmap, name: impl Into<String>, on: Date) -> Self {
        let items = roadmap.items.iter().filter_map(|item| Some((item.id.clone(), item.span()?))).collect();
        let gates = roadmap.gates.iter().map(|gate| (gate.name.clone(), gate.planned)).collect();
        Self { name: name.into(), on, items, gates }
    }
}

/// How one item stands against a baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variance {
    /// The item.
    pub item: ItemId,
    /// Dates of the baseline; absent for an item that came later.
    pub baseline: Option<Span>,
    /// Real or expected dates; absent for an item that is gone or has no bar.
    pub actual: Option<Span>,
    /// Days that it starts after the baseline, negative if before; absent without both.
    pub start_days: Option<i32>,
    /// Days that it ends after the baseline, negative if before; absent without both.
    pub finish_days: Option<i32>,
}

/// Each item of the baseline or of the schedule against the other, by key.
pub fn variances(baseline: &Baseline, schedule: &Schedule) -> Vec<Variance> {
    let actual: BTreeMap<&ItemId, Span> =
        (schedule.items.iter()).map(|item| (&item.item, Span { start: item.start, finish: item.finish })).collect();
    let mut keys: Vec<&ItemId> = baseline.items.keys().chain(actual.keys().copied()).collect();
    keys.sort();
    keys.dedup();
    let variance = |id: &ItemId| {
        let (then, now) = (baseline.items.get(id).copied(), actual.get(id).copied());
        let days = |end: fn(Span) -> Date| Some(days_between(end(then?), end(now?)));
        let (start_days, finish_days) = (days(|span| span.start), days(|span| span.finish));
        Variance { item: id.clone(), baseline: then, actual: now, start_days, finish_days }
    };
    keys.into_iter().map(variance).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::roadmap::Item;
    use crate::schedule::schedule;

    /// Protects the slip of moved dates: what was promised stays as it was when the plan moves on.
    #[test]
    fn a_moved_plan_is_late_against_its_old_dates() {
        let bar = |id: &str, start, finish| Item { start, finish, ..Item::new(ItemId::from(id), id) };
        let (monday, friday) = (Some(date(2026, 12, 7)), Some(date(2026, 12, 11)));
        let mut roadmap =
            Roadmap { items: vec![bar("a", monday, friday), bar("gone", monday, friday)], ..Roadmap::default() };
        let taken = Baseline::of(&roadmap, "first", date(2026, 12, 1));
        roadmap.items = vec![bar("a", friday, Some(date(2026, 12, 16))), bar("new", monday, friday)];
        let found = variances(&taken, &schedule(&roadmap, date(2026, 12, 1)).unwrap());
        let short: Vec<_> = found.iter().map(|v| (v.item.0.as_str(), v.start_days, v.finish_days)).collect();
        assert_eq!(short, [("a", Some(4), Some(5)), ("gone", None, None), ("new", None, None)]);
        assert!(found[1].actual.is_none() && found[2].baseline.is_none());
    }
}
