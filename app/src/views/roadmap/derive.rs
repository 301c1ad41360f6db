//! From the roadmap of the plan to timeline and board: pure, and the same for window and export.

use std::collections::BTreeMap;

use jiff::civil::Date;
use planning::plan::Plan;
use planning::roadmap::{Gate, Item, ItemId, LinkKind, Roadmap, Stage, days_between};
use planning::schedule::{Schedule, Scheduled};
use widgets::board::{self, Board, Card, NoteKind, Tone};
use widgets::format;
use widgets::gantt::{self, Arrives, Day, Gantt, Slip};

use crate::text;
use crate::view_state::Selection;

/// What the pictures are made from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Critical path of its roadmap; absent where the dependencies run in a circle.
    pub schedule: Option<&'a Schedule>,
    /// The same by item.
    pub scheduled: &'a BTreeMap<&'a ItemId, &'a Scheduled>,
    /// Place of each item in the roadmap.
    pub numbers: &'a BTreeMap<&'a ItemId, u64>,
    /// The day of the today line.
    pub today: Date,
    /// What is selected.
    pub selection: &'a Selection,
    /// Which parts of the timeline are drawn.
    pub layers: Layers,
}

/// Which parts of the timeline are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Layers {
    /// The critical path stands out.
    pub critical_path: bool,
    /// Dates as promised.
    pub baseline: bool,
    /// P50 and P85.
    pub forecast: bool,
}

impl Default for Layers {
    fn default() -> Self {
        Self { critical_path: true, baseline: true, forecast: true }
    }
}

/// First number of a gate in pictures; items count from 0 below it.
const FIRST_GATE: u64 = 1 << 32;

/// The number of an item in pictures: its place in the roadmap.
pub fn item_number(roadmap: &Roadmap, id: &ItemId) -> Option<u64> {
    roadmap.items.iter().position(|item| item.id == *id).map(|index| index as u64)
}

/// What a number in a picture stands for.
pub fn selection_of(roadmap: &Roadmap, number: u64) -> Selection {
    match number.checked_sub(FIRST_GATE) {
        Some(gate) => {
            roadmap.gates.get(gate as usize).map_or(Selection::None, |gate| Selection::Gate(gate.name.clone()))
        }
        None => roadmap.items.get(number as usize).map_or(Selection::None, |item| Selection::Item(item.id.clone())),
    }
}

fn selected_number(roadmap: &Roadmap, selection: &Selection) -> Option<u64> {
    match selection {
        Selection::Item(id) => item_number(roadmap, id),
        Selection::Gate(name) => {
            roadmap.gates.iter().position(|gate| gate.name == *name).map(|index| FIRST_GATE + index as u64)
        }
        _ => None,
    }
}

/// A civil date as the pictures count days.
pub fn day(date: Date) -> Day {
    Day::from_civil(i32::from(date.year()), date.month() as u32, date.day() as u32)
}

/// The civil date of a day of a picture; `None` outside of the calendar's range.
pub fn date(day: Day) -> Option<Date> {
    let (year, month, of_month) = day.civil();
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(of_month).ok()?).ok()
}

/// The roadmap as bars over months.
pub fn gantt(source: &Source<'_>) -> Gantt {
    let roadmap = &source.plan.roadmap;
    let (from, to) = extent(roadmap, source.today);
    Gantt {
        name: roadmap.title.clone(),
        from,
        to,
        today: day(source.today),
        gates: roadmap.gates.iter().enumerate().map(|(i, gate)| drawn_gate(source, i, gate)).collect(),
        lanes: lanes(source),
        links: links(source),
        baseline: source.layers.baseline.then(|| baseline_text(roadmap)),
        show_critical: source.layers.critical_path,
        show_forecast: source.layers.forecast,
        selected: selected_number(roadmap, source.selection),
    }
}

fn baseline_text(roadmap: &Roadmap) -> String {
    roadmap.baseline_of.map_or_else(|| "baseline".to_owned(), |date| format!("baseline of {}", short_date(date, date)))
}

/// First and last day of anything in the roadmap and today, with a month on either side.
fn extent(roadmap: &Roadmap, today: Date) -> (Day, Day) {
    let mut days = vec![day(today)];
    for gate in &roadmap.gates {
        days.push(day(gate.planned));
        days.extend(gate.baseline.map(day));
        days.extend(gate.forecast.map(|forecast| day(forecast.p85)));
    }
    for item in roadmap.bars() {
        days.extend(item.start.map(day));
        days.extend(item.finish.map(day));
        days.extend(item.forecast.map(|forecast| day(forecast.p85)));
    }
    let first = days.iter().map(|day| day.0).min().unwrap_or(0);
    let last = days.iter().map(|day| day.0).max().unwrap_or(0);
    (Day(first - 20), Day(last + 45))
}

fn is_critical(source: &Source<'_>, id: &ItemId) -> bool {
    source.scheduled.get(id).is_some_and(|scheduled| scheduled.is_critical)
}

/// Days by which the items that it waits for push an item past its planned start.
pub fn pushed_days(source: &Source<'_>, id: &ItemId) -> i32 {
    source.scheduled.get(id).map_or(0, |scheduled| scheduled.pushed_days)
}

fn drawn_gate(source: &Source<'_>, index: usize, gate: &Gate) -> gantt::Gate {
    let computed = source.schedule.and_then(|s| s.gates.iter().find(|other| other.gate == gate.name));
    let forecast = gate.forecast.map(|forecast| forecast.p50);
    // A forecast from before a change of the plan cannot be earlier than what the plan now needs.
    let expected = forecast.map(|p50| computed.map_or(p50, |computed| computed.expected.max(p50)));
    let shown = gate.passed.or(expected).unwrap_or(gate.planned);
    let promised = gate.baseline.unwrap_or(gate.planned);
    let critical = gate.needs.iter().any(|id| is_critical(source, id));
    gantt::Gate {
        id: FIRST_GATE + index as u64,
        name: gate.name.clone(),
        baseline: gate.baseline.map(day),
        day: day(shown),
        p85: gate.passed.is_none().then(|| gate.forecast.map(|forecast| day(forecast.p85))).flatten(),
        passed: gate.passed.is_some(),
        slip: slip(gate.passed.is_none() && shown > promised, critical),
    }
}

const fn slip(late: bool, critical: bool) -> Slip {
    match (late, critical) {
        (false, _) => Slip::None,
        (true, false) => Slip::Late,
        (true, true) => Slip::LateAndCritical,
    }
}

fn lanes(source: &Source<'_>) -> Vec<gantt::Lane> {
    let roadmap = &source.plan.roadmap;
    let mut by_lane: BTreeMap<Option<String>, Vec<(usize, &Item)>> = BTreeMap::new();
    for (index, item) in roadmap.items.iter().enumerate().filter(|(_, item)| item.span().is_some()) {
        by_lane.entry(item.lane.clone()).or_default().push((index, item));
    }
    let mut lane = |name: Option<&str>, title: &str| {
        let items = by_lane.remove(&name.map(str::to_owned)).unwrap_or_default();
        let done = items.iter().filter(|(_, item)| item.is_done()).count();
        gantt::Lane {
            name: title.to_owned(),
            summary: format!("{done} of {}", items.len()),
            items: items.into_iter().filter_map(|(index, item)| drawn_item(source, index, item)).collect(),
        }
    };
    let mut lanes: Vec<gantt::Lane> = roadmap.lanes.iter().map(|name| lane(Some(name), name)).collect();
    let rest = lane(None, "No lane");
    if !rest.items.is_empty() {
        lanes.push(rest);
    }
    lanes
}

fn drawn_item(source: &Source<'_>, index: usize, item: &Item) -> Option<gantt::Item> {
    let span = item.span()?;
    let forecast = item.forecast.filter(|_| !item.is_done());
    let promised = item.baseline.map_or(span.finish, |baseline| baseline.finish);
    let critical = is_critical(source, &item.id);
    Some(gantt::Item {
        id: index as u64,
        name: item.title.clone(),
        start: day(span.start),
        end: day(span.finish),
        baseline: item.baseline.map(|baseline| [day(baseline.start), day(baseline.finish)]),
        percent: if item.is_done() { 100 } else { (item.progress.get() * 100.0).round() as u8 },
        p85: forecast.map(|forecast| day(forecast.p85)),
        critical,
        slip: slip(!item.is_done() && (span.finish > promised || pushed_days(source, &item.id) > 0), critical),
    })
}

fn links(source: &Source<'_>) -> Vec<gantt::Link> {
    let roadmap = &source.plan.roadmap;
    let mut links = Vec::new();
    for (to, item) in roadmap.items.iter().enumerate() {
        for dependency in &item.depends_on {
            let Some(from) = source.numbers.get(&dependency.on).copied() else { continue };
            links.push(gantt::Link {
                from,
                to: to as u64,
                arrives: match dependency.kind {
                    LinkKind::FinishToStart | LinkKind::StartToStart => Arrives::Start,
                    LinkKind::FinishToFinish | LinkKind::StartToFinish => Arrives::End,
                },
                critical: is_critical(source, &item.id) && is_critical(source, &dependency.on),
            });
        }
    }
    links
}

/// The roadmap as columns of cards.
pub fn board(source: &Source<'_>, filter: &str) -> Board {
    let roadmap = &source.plan.roadmap;
    let needle = filter.trim().to_lowercase();
    let mut by_column: BTreeMap<&str, Vec<(usize, &Item)>> = BTreeMap::new();
    for (index, item) in roadmap.items.iter().enumerate() {
        if let Some(column) = item.column.as_deref() {
            by_column.entry(column).or_default().push((index, item));
        }
    }
    let columns = roadmap
        .columns
        .iter()
        .map(|column| {
            let all = by_column.remove(column.name.as_str()).unwrap_or_default();
            board::Column {
                name: column.name.clone(),
                count: all.len(),
                limit: column.wip_limit.map(|limit| limit as usize),
                cards: all
                    .into_iter()
                    .filter(|(_, item)| matches(item, &needle))
                    .map(|(index, item)| card(source, index, item, column.stage))
                    .collect(),
            }
        })
        .collect();
    Board { name: format!("{}, board", roadmap.title), columns, selected: selected_number(roadmap, source.selection) }
}

fn matches(item: &Item, needle: &str) -> bool {
    let team = item.team.as_ref().map_or("", |team| team.0.as_str());
    needle.is_empty()
        || [item.id.0.as_str(), item.title.as_str(), team].iter().any(|text| text.to_lowercase().contains(needle))
}

fn card(source: &Source<'_>, index: usize, item: &Item, stage: Stage) -> Card {
    let old_days = i64::from(source.plan.thresholds.old_card_days);
    let done = stage == Stage::Done;
    let age = match (done, item.started, item.closed) {
        (true, Some(started), Some(closed)) => Some(days_between(started, closed)),
        (false, ..) => item.entered.or(item.started).map(|entered| days_between(entered, source.today)),
        _ => None,
    };
    let late_days = item.due.filter(|_| !done).map_or(0, |due| days_between(due, source.today));
    let promised = item.due.or(item.finish);
    let date = match (done, item.closed, promised) {
        (true, Some(closed), _) => Some(format!("closed {}", short_date(closed, source.today))),
        (_, _, Some(due)) => Some(short_date(due, source.today)),
        _ => None,
    };
    let old = !done && stage == Stage::Active && age.is_some_and(|age| i64::from(age) > old_days);
    Card {
        id: index as u64,
        key: item.id.to_string(),
        title: item.title.clone(),
        gate: item.gate.clone(),
        team: item.team.as_ref().map(ToString::to_string),
        date,
        date_tone: if late_days > 0 { Tone::Warn } else { Tone::Plain },
        age: age.filter(|_| stage != Stage::Backlog).map(|age| format!("{age}\u{a0}d")),
        age_tone: if old { Tone::Warn } else { Tone::Plain },
        note: note(item, late_days),
        critical: !done && is_critical(source, &item.id),
        done,
    }
}

fn note(item: &Item, late_days: i32) -> Option<board::Note> {
    if item.is_done() {
        return None;
    }
    if let Some(reason) = &item.blocked {
        return Some(board::Note { kind: NoteKind::Blocked, tone: Tone::Crit, text: reason.clone() });
    }
    if late_days > 0 {
        let text = format!("Late by {late_days}\u{a0}d");
        return Some(board::Note { kind: NoteKind::Late, tone: Tone::Warn, text });
    }
    let text = item.remark.clone()?;
    Some(board::Note { kind: NoteKind::Waiting, tone: Tone::Warn, text })
}

/// "4 Dec", or "4 Dec 2027" where the year is not that of `today`.
pub fn short_date(date: Date, today: Date) -> String {
    let month = gantt::MONTHS[(date.month() - 1) as usize];
    if date.year() == today.year() {
        format!("{} {month}", date.day())
    } else {
        format!("{} {month} {}", date.day(), date.year())
    }
}

/// "19 items · critical path 6 items", beside the title.
pub fn summary(source: &Source<'_>) -> String {
    let n_bars = source.plan.roadmap.bars().count();
    let critical = source.plan.roadmap.bars().filter(|item| is_critical(source, &item.id)).count();
    match source.schedule {
        Some(_) => format!("{} · {critical} on the critical path", text::n_of(n_bars, "item")),
        None => format!("{} · dependencies run in a circle", text::n_of(n_bars, "item")),
    }
}

/// A change of date for people: "+12 d", "on time".
pub fn shift(from: Date, to: Date) -> String {
    match days_between(from, to) {
        0 => "on time".to_owned(),
        days => format!("{}\u{a0}d", format::signed(f64::from(days), 0)),
    }
}
