//! Keeps hostile and foreign texts away from the parser: nesting, foreign kinds, counts.

use simulator::trial::Trial;

use crate::file::FileError;
use crate::plan::Plan;

/// Deepest nesting of brackets; a plan needs less than 16.
pub(crate) const MAX_DEPTH: usize = 64;

/// Most warnings that are worth reading.
pub(crate) const MAX_WARNINGS: usize = 100;

/// Longest piece of foreign text that is shown in a message, in characters.
const MAX_SHOWN: usize = 200;

/// What a text begins with if it is something else, what that is, and what to do.
const FOREIGN: [(&str, &str, &str); 11] = [
    ("{\"", "this is JSON", IMPORT),
    ("{\n", "this is JSON", IMPORT),
    ("{ ", "this is JSON", IMPORT),
    ("[", "this is a JSON or RON list", IMPORT),
    ("\u{89}PNG", "this is a PNG picture", NO_DATA),
    ("\u{fffd}PNG", "this is a PNG picture", NO_DATA),
    ("%PDF", "this is a PDF", NO_DATA),
    ("PK\u{3}\u{4}", "this is a ZIP archive or an office document", NO_DATA),
    ("<", "this is XML, HTML or SVG", NO_DATA),
    ("apiVersion:", "this is YAML of a cluster", "Export it as JSON (kubectl get … -o json) and use import."),
    ("# HELP", "this is a metrics page", "Use observe to read it."),
];
const IMPORT: &str = "Use import for inventories and model configurations.";
const NO_DATA: &str = "Choose the .ron file that it was made from.";

/// Refuses what cannot be a Podium file before a parser sees it.
pub(crate) fn check_text(text: &str) -> Result<(), FileError> {
    let body = text.trim_start_matches('\u{feff}').trim_start();
    if body.is_empty() {
        return Err(FileError::new("the file is empty", "Look for an autosave or an older copy."));
    }
    for (start, what, hint) in FOREIGN {
        if body.starts_with(start) {
            return Err(FileError::new(what, hint).at(1, 1));
        }
    }
    if let Some(at) = body.find('\0') {
        let (line, column) = place(body, at);
        return Err(FileError::new("this is not a text file", NO_DATA).at(line, column));
    }
    check_depth(text)
}

/// Refuses nesting deeper than [`MAX_DEPTH`], reading strings and comments as the parser would. O(text), no recursion.
fn check_depth(text: &str) -> Result<(), FileError> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    let (line, column) = place(text, at);
                    let what = format!("more than {MAX_DEPTH} brackets are open here");
                    return Err(FileError::new(what, "It was not written by Podium.").at(line, column));
                }
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => at = end_of_string(bytes, at),
            b'r' if matches!(bytes.get(at + 1), Some(b'"' | b'#')) => at = end_of_raw_string(bytes, at),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += bytes[at..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len());
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = end_of_comment(bytes, at),
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// Index of the closing quote, or the end.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

/// Index of the last `#` or quote of a raw string, or the end.
fn end_of_raw_string(bytes: &[u8], start: usize) -> usize {
    let hashes = bytes[start + 1..].iter().take_while(|b| **b == b'#').count();
    let mut at = start + 1 + hashes;
    if bytes.get(at) != Some(&b'"') {
        return start;
    }
    loop {
        at += 1;
        let Some(byte) = bytes.get(at) else { return bytes.len() };
        let tail = bytes.get(at + 1..at + 1 + hashes);
        if *byte == b'"' && tail.is_some_and(|tail| tail.iter().all(|b| *b == b'#')) {
            return at + hashes;
        }
    }
}

/// Index of the last byte of a comment, which may hold others, or the end.
fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_usize);
    while let Some(pair) = bytes.get(at..at + 2) {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at - 1;
        }
    }
    bytes.len()
}

/// Line and column of a byte, counted from 1, columns in characters.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Foreign text that is safe to show: one line, no control or direction characters, not endless.
pub(crate) fn shown(text: &str) -> String {
    let is_hostile = |c: char| {
        c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut shown: String = text.chars().take(MAX_SHOWN).map(|c| if is_hostile(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Longest name or title in characters; longer ones are no names and would cost seconds to lay out.
const MAX_NAME: usize = 1_000;
/// Longest remark in characters.
const MAX_REMARK: usize = 20_000;

/// Refuses names and remarks that no window could show.
pub(crate) fn check_texts(plan: &Plan) -> Result<(), FileError> {
    let pods = &plan.fleet.pods;
    let slices = pods.iter().flat_map(|pod| &pod.slices);
    let items = &plan.roadmap.items;
    let names = [plan.name.as_str(), plan.fleet.name.as_str(), plan.roadmap.title.as_str(), plan.id.0.as_str()]
        .into_iter()
        .chain(pods.iter().flat_map(|pod| [pod.id.0.as_str(), pod.generation.0.as_str()]))
        .chain(
            slices.flat_map(|slice| [Some(slice.id.0.as_str()), slice.team.as_ref().map(|t| t.0.as_str())]).flatten(),
        )
        .chain(plan.teams.iter().map(|team| team.id.0.as_str()))
        .chain(plan.scenarios.iter().flat_map(|scenario| {
            [scenario.name.as_str()].into_iter().chain(scenario.trial.iter().flat_map(Trial::texts))
        }))
        .chain(plan.roadmap.lanes.iter().map(String::as_str))
        .chain(plan.roadmap.columns.iter().map(|column| column.name.as_str()))
        .chain(plan.roadmap.gates.iter().map(|gate| gate.name.as_str()))
        .chain(items.iter().flat_map(|item| {
            let optional = [item.lane.as_deref(), item.column.as_deref(), item.gate.as_deref()];
            [Some(item.id.0.as_str()), Some(item.title.as_str()), item.team.as_ref().map(|team| team.0.as_str())]
                .into_iter()
                .chain(optional)
                .flatten()
        }));
    let remarks = (plan.notes.iter().map(|note| note.text.as_str()))
        .chain(items.iter().flat_map(|item| [item.blocked.as_deref(), item.remark.as_deref()].into_iter().flatten()))
        .chain(pods.iter().flat_map(|pod| &pod.faults).filter_map(|fault| fault.note.as_deref()));
    let too_long = |text: &&str, limit: usize| text.len() > limit && text.chars().count() > limit;
    let (text, limit) = match names.into_iter().find(|text| too_long(text, MAX_NAME)) {
        Some(name) => (name, MAX_NAME),
        None => match remarks.into_iter().find(|text| too_long(text, MAX_REMARK)) {
            Some(remark) => (remark, MAX_REMARK),
            None => return Ok(()),
        },
    };
    let what = format!("the text \"{}\" has {} characters, the limit is {limit}", shown(text), text.chars().count());
    Err(FileError::new(what, "Shorten it."))
}

/// Refuses sources that hold a secret or cannot be asked.
pub(crate) fn check_sources(plan: &Plan) -> Result<(), FileError> {
    for source in plan.sources.iter() {
        source.check().map_err(|error| {
            FileError::new(format!("source {}: {error}", shown(&source.name)), format!("{}.", error.hint()))
        })?;
    }
    Ok(())
}

/// Refuses numbers of things that no fleet has and no window could show.
pub(crate) fn check_counts(plan: &Plan) -> Result<(), FileError> {
    let most_on_a_pod = plan.fleet.pods.iter().map(|pod| pod.slices.len() + pod.faults.len() + pod.spares.len()).max();
    let counts = [
        ("pods", plan.fleet.pods.len(), 1_000),
        ("slices, spares and faults of one pod", most_on_a_pod.unwrap_or(0), 100_000),
        ("jobs", plan.jobs.len(), 100_000),
        ("teams", plan.teams.len(), 1_000),
        ("items", plan.roadmap.items.len(), 20_000),
        ("gates", plan.roadmap.gates.len(), 1_000),
        ("lanes and columns", plan.roadmap.lanes.len() + plan.roadmap.columns.len(), 1_000),
        ("notes", plan.notes.len(), 20_000),
        ("scenarios", plan.scenarios.len(), 1_000),
        ("sources", plan.sources.len(), 100),
        ("bindings by hand", plan.sources.iter().map(|source| source.mapping.manual.len()).max().unwrap_or(0), 100_000),
        (
            "faults of one scenario",
            plan.scenarios.iter().map(|scenario| scenario.faults.len()).max().unwrap_or(0),
            1_000,
        ),
    ];
    let Some((name, n, limit)) = counts.into_iter().find(|(_, n, limit)| n > limit) else { return Ok(()) };
    Err(FileError::new(format!("the file holds {n} {name}, the limit is {limit}"), "Split it into several plans."))
}
