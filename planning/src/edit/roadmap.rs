//! Edits of the roadmap: bars, cards, dependencies, gates.

use jiff::civil::Date;
use topology::units::Fraction;

use crate::edit::{Edit, EditError, one_line};
use crate::roadmap::{Dependency, Gate, Item, ItemId, Roadmap, Span, Stage};

/// Makes a change of the roadmap; the few other kinds of edit are none of its business and change nothing.
pub(super) fn apply(edit: Edit, roadmap: &mut Roadmap) -> Result<(), EditError> {
    match edit {
        Edit::MoveItem { item, start } => {
            let found = item_mut(roadmap, &item)?;
            let span = found.span().ok_or(EditError::NoDates { item })?;
            let days = jiff::Span::new().days(span.days() - 1);
            let finish = start.checked_add(days).ok().ok_or(EditError::OutsideCalendar)?;
            (found.start, found.finish) = (Some(start), Some(finish));
        }
        Edit::ResizeItem { item, span: Span { start, finish } } => {
            let found = item_mut(roadmap, &item)?;
            if finish < start {
                return Err(EditError::EndsBeforeStart);
            }
            (found.start, found.finish) = (Some(start), Some(finish));
        }
        Edit::SetProgress { item, progress, on } => set_progress(item_mut(roadmap, &item)?, progress, on),
        Edit::MoveCard { item, column, index, on } => move_card(roadmap, &item, &column, (index, on))?,
        Edit::AddItem(item) => add(roadmap, *item)?,
        Edit::RenameItem { item, title } => item_mut(roadmap, &item)?.title = one_line("title", title)?,
        Edit::SetBlocked { item, reason } => {
            let reason = reason.map(|reason| one_line("reason", reason)).transpose()?;
            item_mut(roadmap, &item)?.blocked = reason;
        }
        Edit::DeleteItem(id) => delete(roadmap, &id)?,
        Edit::AddDependency { item, dependency } => add_dependency(roadmap, &item, dependency)?,
        Edit::RemoveDependency { item, on } => {
            let links = &mut item_mut(roadmap, &item)?.depends_on;
            let before = links.len();
            links.retain(|link| link.on != on);
            if links.len() == before {
                return Err(EditError::Missing { what: "dependency", name: format!("of {item} on {on}") });
            }
        }
        Edit::MoveGate { gate, planned } => gate_mut(roadmap, gate)?.planned = planned,
        Edit::SetBaseline { on } => set_baseline(roadmap, on),
        _ => {}
    }
    Ok(())
}

pub(super) fn item_mut<'a>(roadmap: &'a mut Roadmap, id: &ItemId) -> Result<&'a mut Item, EditError> {
    let missing = || EditError::Missing { what: "item", name: id.0.clone() };
    roadmap.items.iter_mut().find(|item| item.id == *id).ok_or_else(missing)
}

pub(super) fn gate_mut(roadmap: &mut Roadmap, name: String) -> Result<&mut Gate, EditError> {
    let found = roadmap.gates.iter_mut().find(|gate| gate.name == name);
    found.ok_or(EditError::Missing { what: "gate", name })
}

/// Begun work has a first day and finished work a last one; taking the progress back takes them back too.
fn set_progress(item: &mut Item, progress: Fraction, on: Date) {
    item.progress = progress;
    if progress == Fraction::ZERO {
        item.started = None;
    } else {
        item.started.get_or_insert(on);
    }
    if progress == Fraction::ONE {
        item.closed.get_or_insert(on);
    } else {
        item.closed = None;
    }
}

fn move_card(roadmap: &mut Roadmap, id: &ItemId, column: &str, (index, on): (usize, Date)) -> Result<(), EditError> {
    let missing = || EditError::Missing { what: "column", name: column.to_owned() };
    let stage = roadmap.column(column).ok_or_else(missing)?.stage;
    let from = roadmap.items.iter().position(|item| item.id == *id);
    let from = from.ok_or_else(|| EditError::Missing { what: "item", name: id.0.clone() })?;
    let mut card = roadmap.items.remove(from);
    if card.column.as_deref() != Some(column) {
        card.column = Some(column.to_owned());
        card.entered = Some(on);
        match stage {
            Stage::Backlog | Stage::Ready => card.closed = None,
            Stage::Active => {
                card.started.get_or_insert(on);
                card.closed = None;
            }
            Stage::Done => {
                card.started.get_or_insert(on);
                card.closed.get_or_insert(on);
            }
        }
    }
    // The place in the column is a place in the list: before the card that is there now, else after the last one.
    let cards: Vec<usize> =
        (0..roadmap.items.len()).filter(|i| roadmap.items[*i].column.as_deref() == Some(column)).collect();
    let to = match (cards.get(index), cards.last()) {
        (Some(place), _) => *place,
        (None, Some(last)) => last + 1,
        (None, None) => from,
    };
    roadmap.items.insert(to, card);
    Ok(())
}

fn add(roadmap: &mut Roadmap, mut item: Item) -> Result<(), EditError> {
    item.id = ItemId(one_line("key", item.id.0)?);
    item.title = one_line("title", item.title)?;
    if roadmap.item(&item.id).is_some() {
        return Err(EditError::Taken { what: "item", name: item.id.0 });
    }
    let (links, id) = (std::mem::take(&mut item.depends_on), item.id.clone());
    roadmap.items.push(item);
    links.into_iter().try_for_each(|link| add_dependency(roadmap, &id, link))
}

fn delete(roadmap: &mut Roadmap, id: &ItemId) -> Result<(), EditError> {
    item_mut(roadmap, id)?;
    roadmap.items.retain(|item| item.id != *id);
    for item in &mut roadmap.items {
        item.depends_on.retain(|link| link.on != *id);
    }
    for gate in &mut roadmap.gates {
        gate.needs.retain(|need| need != id);
    }
    Ok(())
}

fn add_dependency(roadmap: &mut Roadmap, id: &ItemId, link: Dependency) -> Result<(), EditError> {
    if roadmap.item(&link.on).is_none() {
        return Err(EditError::Missing { what: "item", name: link.on.0 });
    }
    if waits_for(roadmap, &link.on, id) {
        return Err(EditError::Circle { item: id.clone(), on: link.on });
    }
    let links = &mut item_mut(roadmap, id)?.depends_on;
    match links.iter_mut().find(|old| old.on == link.on) {
        Some(old) => *old = link,
        None => links.push(link),
    }
    Ok(())
}

/// Whether `item` is `other` or waits for it, directly or through others. O(items × dependencies).
fn waits_for(roadmap: &Roadmap, item: &ItemId, other: &ItemId) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    let mut open = vec![item];
    while let Some(id) = open.pop() {
        if id == other {
            return true;
        }
        if seen.insert(id) {
            let links = roadmap.item(id).map(|item| item.depends_on.as_slice());
            open.extend(links.unwrap_or_default().iter().map(|link| &link.on));
        }
    }
    false
}

fn set_baseline(roadmap: &mut Roadmap, on: Date) {
    roadmap.baseline_of = Some(on);
    for item in roadmap.items.iter_mut().filter(|item| !item.is_done()) {
        item.baseline = item.span();
    }
    for gate in roadmap.gates.iter_mut().filter(|gate| gate.passed.is_none()) {
        gate.baseline = Some(gate.planned);
    }
}
