//! Taking in a source again: by key, three ways, so that what was edited here stays and what changed there comes.
//!
//! A roadmap remembers what each source said when it was last read. A field that was not edited here takes the
//! source's new value; a field that was edited here stays, and is told if the source changed it too. What is gone at
//! the source is told and stays: nothing that somebody wrote here is lost.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::diff::{self, Difference};
use crate::roadmap::{Column, Gate, Item, Roadmap, Stage};

/// What a source said when it was last read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Imported {
    /// Name of the source, unique in the roadmap: a repository, a file.
    pub source: String,
    /// The day as of which it was read.
    pub on: Date,
    /// Items as the source had them.
    #[serde(default)]
    pub items: Vec<Item>,
    /// Gates as the source had them.
    #[serde(default)]
    pub gates: Vec<Gate>,
}

/// A field that was edited here and changed at the source too: the edit stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// "item" or "gate".
    pub kind: &'static str,
    /// Key of the thing.
    pub id: String,
    /// The field.
    pub field: String,
    /// Its value here, which stays.
    pub ours: Value,
    /// Its value at the source.
    pub theirs: Value,
}

/// A roadmap with a source taken in.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// The new roadmap.
    pub roadmap: Roadmap,
    /// What changed at the source since it was last read; everything is added the first time.
    pub at_source: Difference,
    /// Edits that stayed against the source.
    pub kept: Vec<Kept>,
    /// Keys that the source no longer has, with "item" or "gate"; they stay in the roadmap.
    pub gone: Vec<(&'static str, String)>,
}

/// Takes in what a source says now.
pub fn merge(roadmap: &Roadmap, new: Imported) -> Merged {
    let mut made = roadmap.clone();
    let old = made.imports.iter().find(|import| import.source == new.source).cloned();
    let old = old.unwrap_or_else(|| Imported { items: Vec::new(), gates: Vec::new(), ..new.clone() });
    let as_roadmap =
        |import: &Imported| Roadmap { items: import.items.clone(), gates: import.gates.clone(), ..Roadmap::default() };
    let at_source = diff::roadmaps(&as_roadmap(&old), &as_roadmap(&new));
    let mut kept = Vec::new();
    let mut gone = take("item", &mut made.items, (&old.items, &new.items), |item: &Item| item.id.0.clone(), &mut kept);
    gone.extend(take("gate", &mut made.gates, (&old.gates, &new.gates), |gate: &Gate| gate.name.clone(), &mut kept));
    for gate in &mut made.gates {
        // The first date that a source gives is the promise; it does not move with the source.
        let is_new = new.gates.iter().any(|new| new.name == gate.name);
        if is_new && gate.baseline.is_none() {
            gate.baseline = Some(gate.planned);
        }
    }
    add_columns(&mut made);
    made.imports.retain(|import| import.source != new.source);
    made.imports.push(new);
    made.imports.sort_by(|a, b| a.source.cmp(&b.source));
    Merged { roadmap: made, at_source, kept, gone }
}

/// Columns for the statuses that a source has and the board has not, each with the stage that its cards have reached.
fn add_columns(roadmap: &mut Roadmap) {
    let known: BTreeSet<&str> = roadmap.columns.iter().map(|column| column.name.as_str()).collect();
    let mut new: BTreeMap<String, Stage> = BTreeMap::new();
    for item in &roadmap.items {
        let Some(name) = item.column.as_deref().filter(|name| !known.contains(name)) else { continue };
        let stage = match (item.is_done(), item.has_begun()) {
            (true, _) => Stage::Done,
            (false, true) => Stage::Active,
            (false, false) => Stage::Backlog,
        };
        new.entry(name.to_owned()).or_insert(stage);
    }
    let mut new: Vec<Column> = new.into_iter().map(|(name, stage)| Column { name, stage, wip_limit: None }).collect();
    new.sort_by_key(|column| column.stage as u8);
    roadmap.columns.extend(new);
}

fn take<T: Clone + Serialize + DeserializeOwned>(
    kind: &'static str,
    ours: &mut Vec<T>,
    (old, new): (&[T], &[T]),
    key: impl Fn(&T) -> String,
    kept: &mut Vec<Kept>,
) -> Vec<(&'static str, String)> {
    let olds: BTreeMap<String, &T> = old.iter().map(|thing| (key(thing), thing)).collect();
    let places: BTreeMap<String, usize> = ours.iter().enumerate().map(|(i, thing)| (key(thing), i)).collect();
    let mut seen = BTreeSet::new();
    for theirs in new {
        let id = key(theirs);
        if !seen.insert(id.clone()) {
            continue;
        }
        match (places.get(&id), olds.get(&id)) {
            // Deleted here since the last time: it stays deleted.
            (None, Some(_)) => {}
            (None, None) => ours.push(theirs.clone()),
            (Some(place), old) => {
                let mut keep = |field: &str, ours: Value, theirs: Value| {
                    kept.push(Kept { kind, id: id.clone(), field: field.to_owned(), ours, theirs });
                };
                // What was here before the source was known counts as written here.
                let base = old.map_or_else(Map::new, fields);
                let merged = three_ways(&base, &fields(&ours[*place]), &fields(theirs), &mut keep);
                if let Ok(merged) = serde_json::from_value(Value::Object(merged)) {
                    ours[*place] = merged;
                }
            }
        }
    }
    let is_gone = |id: &&String| !seen.contains(*id) && places.contains_key(*id);
    olds.keys().filter(is_gone).map(|id| (kind, id.clone())).collect()
}

fn fields<T: Serialize>(thing: &T) -> Map<String, Value> {
    match serde_json::to_value(thing) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

fn three_ways(
    base: &Map<String, Value>,
    ours: &Map<String, Value>,
    theirs: &Map<String, Value>,
    keep: &mut dyn FnMut(&str, Value, Value),
) -> Map<String, Value> {
    let mut keys: Vec<&String> = base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
    keys.sort();
    keys.dedup();
    let mut made = Map::new();
    for key in keys {
        let (then, here, there) = (base.get(key), ours.get(key), theirs.get(key));
        let value = if here == then || here == there {
            there
        } else {
            if there != then {
                let value = |of: Option<&Value>| of.cloned().unwrap_or(Value::Null);
                keep(key, value(here), value(there));
            }
            here
        };
        if let Some(value) = value {
            made.insert(key.clone(), value.clone());
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::roadmap::ItemId;

    fn import(on: Date, items: Vec<Item>, gates: Vec<Gate>) -> Imported {
        Imported { source: "repo".to_owned(), on, items, gates }
    }

    /// Protects journey 1: a refresh moves the current date and not the promise, keeps what was edited here, and says both.
    #[test]
    fn a_refresh_keeps_local_edits_and_tells_the_difference() {
        let (first, second) = (date(2026, 11, 23), date(2026, 11, 30));
        let item = |title: &str, due| Item { due: Some(due), ..Item::new(ItemId::from("7"), title) };
        let other = Item::new(ItemId::from("8"), "other");
        let gate = |planned| Gate::new("DVT", planned);
        let start = import(first, vec![item("a", date(2026, 12, 4)), other], vec![gate(date(2026, 12, 11))]);
        let mut roadmap = merge(&Roadmap::default(), start).roadmap;
        roadmap.items[0].title = "ours".to_owned();
        roadmap.items[0].lane = Some("Rack".to_owned());
        let again = import(second, vec![item("theirs", date(2026, 12, 9))], vec![gate(date(2026, 12, 18))]);
        let merged = merge(&roadmap, again.clone());
        let made = &merged.roadmap;
        assert_eq!((made.items[0].title.as_str(), made.items[0].lane.as_deref()), ("ours", Some("Rack")));
        assert_eq!(made.items[0].due, Some(date(2026, 12, 9)));
        assert_eq!((made.gates[0].planned, made.gates[0].baseline), (date(2026, 12, 18), Some(date(2026, 12, 11))));
        assert_eq!(merged.kept.iter().map(|kept| kept.field.as_str()).collect::<Vec<_>>(), ["title"]);
        assert_eq!((merged.gone, made.items.len()), (vec![("item", "8".to_owned())], 2));
        let moved: Vec<_> = merged.at_source.moved.iter().map(|m| (m.field.as_str(), m.days)).collect();
        assert_eq!(moved, [("due", Some(5)), ("planned", Some(7))]);
        let quiet = merge(made, again);
        assert!(quiet.at_source.is_empty() && quiet.roadmap == *made);
    }

    #[test]
    fn what_was_deleted_here_does_not_come_back() {
        let day = date(2026, 11, 30);
        let all = import(day, vec![Item::new(ItemId::from("7"), "a")], vec![]);
        let mut roadmap = merge(&Roadmap::default(), all.clone()).roadmap;
        roadmap.items.clear();
        assert!(merge(&roadmap, all).roadmap.items.is_empty());
    }
}
