//! What is different between two plans, in the words of a plan: added, removed, moved, changed.
//!
//! Things are matched by key, not by place in a list, and compared key by key as a file holds them, so that nothing
//! that a file can hold escapes. *Moved* means another date or another place; everything else is *changed*.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::plan::Plan;
use crate::roadmap::Roadmap;

/// One thing of a plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Thing {
    /// "item", "gate", "pod", "slice", "scenario" …
    pub kind: &'static str,
    /// Its key.
    pub id: String,
    /// Its name for people.
    pub name: String,
}

/// One key of one thing that has another value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Of what.
    #[serde(flatten)]
    pub thing: Thing,
    /// Which key.
    pub field: String,
    /// Value in the first plan; null where it had none.
    pub from: Value,
    /// Value in the second plan; null where it has none.
    pub to: Value,
    /// Days from one date to the other, if both are dates.
    pub days: Option<i32>,
}

/// All that is different.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Difference {
    /// Only in the second.
    pub added: Vec<Thing>,
    /// Only in the first.
    pub removed: Vec<Thing>,
    /// Has another date or another place.
    pub moved: Vec<Change>,
    /// Has another value of any other key.
    pub changed: Vec<Change>,
}

impl Difference {
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.moved.is_empty() && self.changed.is_empty()
    }

    fn of(mut self, kind: &'static str, before: &Things, after: &Things) -> Self {
        for (id, (name, value)) in before {
            let thing = || Thing { kind, id: id.clone(), name: name.clone() };
            match after.get(id) {
                None => self.removed.push(thing()),
                Some((name, now)) if now != value => {
                    let thing = Thing { kind, id: id.clone(), name: name.clone() };
                    self.fields(&thing, value, now);
                }
                Some(_) => {}
            }
        }
        let new = after.iter().filter(|(id, _)| !before.contains_key(*id));
        self.added.extend(new.map(|(id, (name, _))| Thing { kind, id: id.clone(), name: name.clone() }));
        self
    }

    fn fields(&mut self, thing: &Thing, before: &Map<String, Value>, after: &Map<String, Value>) {
        let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            let value = |of: &Map<String, Value>| of.get(key).cloned().unwrap_or(Value::Null);
            let (from, to) = (value(before), value(after));
            if from == to {
                continue;
            }
            let days = date(&from).zip(date(&to)).map(|(from, to)| crate::roadmap::days_between(from, to));
            let change = Change { thing: thing.clone(), field: key.clone(), from, to, days };
            if MOVES.contains(&key.as_str()) { self.moved.push(change) } else { self.changed.push(change) }
        }
    }
}

/// Keys whose change is a move.
const MOVES: [&str; 7] = ["start", "finish", "due", "planned", "place", "lane", "column"];

fn date(value: &Value) -> Option<jiff::civil::Date> {
    value.as_str()?.parse().ok()
}

/// Name and keys of each thing, by its key.
type Things = BTreeMap<String, (String, Map<String, Value>)>;

/// The things of a list as a file would hold them. Of two with one key the later gets a number, so that both are seen.
fn things<T: Serialize>(list: impl IntoIterator<Item = (String, String, T)>) -> Things {
    let mut made = Things::new();
    for (id, name, thing) in list {
        let Ok(Value::Object(map)) = serde_json::to_value(thing) else { continue };
        let mut key = id.clone();
        let mut n = 1;
        while made.contains_key(&key) {
            n += 1;
            key = format!("{id} ({n})");
        }
        made.insert(key, (name, map));
    }
    made
}

/// The difference of two roadmaps.
pub fn roadmaps(before: &Roadmap, after: &Roadmap) -> Difference {
    roadmap_parts(Difference::default(), before, after)
}

macro_rules! part {
    ($difference:expr, $kind:literal, $before:expr, $after:expr, $each:expr) => {
        $difference.of($kind, &things($before.iter().map($each)), &things($after.iter().map($each)))
    };
}

fn roadmap_parts(all: Difference, before: &Roadmap, after: &Roadmap) -> Difference {
    let all = part!(all, "item", before.items, after.items, |x| (x.id.0.clone(), x.title.clone(), x));
    let all = part!(all, "gate", before.gates, after.gates, |x| (x.name.clone(), x.name.clone(), x));
    let all = part!(all, "column", before.columns, after.columns, |x| (x.name.clone(), x.name.clone(), x));
    let all = part!(all, "calendar", before.calendars, after.calendars, |x| (x.name.clone(), x.name.clone(), x));
    let all = part!(all, "risk", before.risks, after.risks, |x| (x.id.clone(), x.text.clone(), x));
    let all = part!(all, "decision", before.decisions, after.decisions, |x| (x.id.clone(), x.title.clone(), x));
    let all = part!(all, "matrix", before.matrices, after.matrices, |x| (x.name.clone(), x.name.clone(), x));
    part!(all, "lane", before.lanes, after.lanes, |x| (x.clone(), x.clone(), BTreeMap::from([("name", x)])))
}

/// The difference of two plans: roadmap, fleet, jobs, teams, scenarios, notes, sources, thresholds.
pub fn plans(before: &Plan, after: &Plan) -> Difference {
    let all = roadmap_parts(Difference::default(), &before.roadmap, &after.roadmap);
    let pods = |plan: &Plan| {
        things(plan.fleet.pods.iter().map(|pod| {
            let mut bare = pod.clone();
            bare.slices = Vec::new();
            (pod.id.0.clone(), pod.id.0.clone(), bare)
        }))
    };
    let all = all.of("pod", &pods(before), &pods(after));
    let slices = |plan: &Plan| {
        let of_pods = plan.fleet.pods.iter().flat_map(|pod| pod.slices.iter().map(move |slice| (pod, slice)));
        things(of_pods.map(|(pod, slice)| (format!("{} on {}", slice.id, pod.id), slice.id.0.clone(), slice)))
    };
    let all = all.of("slice", &slices(before), &slices(after));
    let all =
        part!(all, "job", before.jobs, after.jobs, |x| { (format!("{} on {}", x.slice, x.pod), x.slice.0.clone(), x) });
    let all = part!(all, "team", before.teams, after.teams, |x| (x.id.0.clone(), x.id.0.clone(), x));
    let all = part!(all, "scenario", before.scenarios, after.scenarios, |x| (x.id.0.to_string(), x.name.clone(), x));
    let all = part!(all, "note", before.notes, after.notes, |x| (x.id.0.to_string(), x.text.clone(), x));
    let all = part!(all, "source", before.sources, after.sources, |x| (x.name.clone(), x.name.clone(), x));
    let own = |plan: &Plan| {
        let title = BTreeMap::from([("name", plan.name.clone()), ("roadmap_title", plan.roadmap.title.clone())]);
        things([("plan".to_owned(), plan.name.clone(), title)])
    };
    let all = all.of("plan", &own(before), &own(after));
    let thresholds = |plan: &Plan| things([("thresholds".to_owned(), "thresholds".to_owned(), plan.thresholds)]);
    all.of("thresholds", &thresholds(before), &thresholds(after))
}
