//! Decisions as records in the form of MADR (Markdown Architectural Decision Records 4.0): written and read back equal.

use std::fmt::Write as _;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Decision {
    /// Unique key, such as "D-1".
    pub id: String,
    /// What was decided, in a line.
    pub title: String,
    /// "proposed", "accepted", "rejected", "superseded by D-7".
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// By whom.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deciders: Vec<String>,
    /// The day by which it is to be carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Date>,
    /// Risks, items and gates that it is about, by key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// Context and problem.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// What speaks for one option or another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drivers: Vec<String>,
    /// What could have been chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What was chosen, and why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// What follows, good and bad.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub consequences: Vec<String>,
    /// Sections that MADR does not know, by heading.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<(String, String)>,
}

const CONTEXT: &str = "Context and Problem Statement";
const DRIVERS: &str = "Decision Drivers";
const OPTIONS: &str = "Considered Options";
const OUTCOME: &str = "Decision Outcome";
const CONSEQUENCES: &str = "### Consequences";

/// Why a text is no decision record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecisionError {
    /// There is no heading of the first level.
    #[error("a decision record has a title: a line that begins with \"# \"")]
    NoTitle,
    /// The head that begins with --- does not end.
    #[error("line 1: the head that begins with --- does not end; close it with ---")]
    OpenHead,
}

/// Writes a record. Lists are one line each: line breaks in them become blanks.
pub fn write(decision: &Decision) -> String {
    let mut text = String::from("---\n");
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            // Writing to a string cannot fail.
            writeln!(text, "{name}: {}", one_line(value)).ok();
        }
    };
    field("id", &decision.id);
    field("status", &decision.status);
    field("date", &decision.date.map(|date| date.to_string()).unwrap_or_default());
    field("decision-makers", &decision.deciders.join(", "));
    field("due", &decision.due.map(|date| date.to_string()).unwrap_or_default());
    field("links", &decision.links.join(", "));
    write!(text, "---\n\n# {}\n", one_line(&decision.title)).ok();
    let mut section = |heading: &str, body: &str| {
        if !body.trim().is_empty() {
            write!(text, "\n## {heading}\n\n{}\n", body.trim()).ok();
        }
    };
    section(CONTEXT, &decision.context);
    section(DRIVERS, &list(&decision.drivers));
    section(OPTIONS, &list(&decision.options));
    let consequences = list(&decision.consequences);
    let outcome = if consequences.is_empty() {
        decision.outcome.clone()
    } else {
        format!("{}\n\n{CONSEQUENCES}\n\n{consequences}", decision.outcome.trim())
    };
    section(OUTCOME, &outcome);
    for (heading, body) in &decision.more {
        section(heading, body);
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn list(items: &[String]) -> String {
    items.iter().map(|item| format!("* {}", one_line(item))).collect::<Vec<_>>().join("\n")
}

/// Reads a record.
pub fn read(text: &str) -> Result<Decision, DecisionError> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut decision = Decision::default();
    let mut body = text.as_str();
    if let Some(rest) = text.strip_prefix("---\n") {
        let (head, rest) = rest.split_once("\n---").ok_or(DecisionError::OpenHead)?;
        head.lines().for_each(|line| head_field(&mut decision, line));
        body = rest;
    }
    let mut sections: Vec<(String, String)> = Vec::new();
    let mut title = None;
    let mut fenced = false;
    for line in body.lines() {
        fenced ^= line.trim_start().starts_with("```");
        if let Some(heading) = line.strip_prefix("# ").filter(|_| title.is_none() && !fenced) {
            title = Some(heading.trim().to_owned());
        } else if let Some(heading) = line.strip_prefix("## ").filter(|_| !fenced) {
            sections.push((heading.trim().to_owned(), String::new()));
        } else if let Some((_, section)) = sections.last_mut() {
            section.push_str(line);
            section.push('\n');
        }
    }
    decision.title = title.ok_or(DecisionError::NoTitle)?;
    for (heading, section) in sections {
        take_section(&mut decision, heading, section.trim());
    }
    Ok(decision)
}

fn head_field(decision: &mut Decision, line: &str) {
    let Some((name, value)) = line.split_once(':') else { return };
    let value = value.trim().trim_matches(['"', '\'']);
    let several =
        || value.trim_matches(['[', ']', '{', '}']).split(',').map(|v| v.trim().to_owned()).filter(|v| !v.is_empty());
    match name.trim() {
        "id" => value.clone_into(&mut decision.id),
        "status" => value.clone_into(&mut decision.status),
        "date" => decision.date = value.parse().ok(),
        "due" => decision.due = value.parse().ok(),
        "decision-makers" | "deciders" => decision.deciders = several().collect(),
        "links" => decision.links = several().collect(),
        _ => {}
    }
}

fn take_section(decision: &mut Decision, heading: String, body: &str) {
    let items = || body.lines().filter_map(bullet).collect::<Vec<_>>();
    match heading.as_str() {
        CONTEXT => body.clone_into(&mut decision.context),
        DRIVERS => decision.drivers = items(),
        OPTIONS => decision.options = items(),
        OUTCOME => {
            let (outcome, consequences) = body.split_once(CONSEQUENCES).unwrap_or((body, ""));
            outcome.trim().clone_into(&mut decision.outcome);
            decision.consequences = consequences.lines().filter_map(bullet).collect();
        }
        _ => decision.more.push((heading, body.to_owned())),
    }
}

fn bullet(line: &str) -> Option<String> {
    line.trim().strip_prefix(['*', '-']).map(|item| item.trim().to_owned()).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Protects decisions that leave the plan and come back: nothing is lost, whatever the words.
        #[test]
        fn a_record_is_read_back_equal(
            words in prop::collection::vec("[a-zA-Z0-9(][a-zA-Z0-9 ,:()'é]{0,30}[a-z.]", 9),
            n in 0..3_usize,
        ) {
            let w = |i: usize| one_line(&words[i]);
            let decision = Decision {
                id: "D-7".to_owned(),
                title: w(0),
                status: "accepted".to_owned(),
                date: Some(date(2026, 11, 30)),
                deciders: vec!["lead-a".to_owned(), "arch-b".to_owned()],
                due: (n > 0).then_some(date(2026, 12, 4)),
                links: vec!["R-1".to_owned(), "DVT".to_owned()],
                context: format!("{}\n\n{}", w(1), w(2)),
                drivers: vec![w(3); n],
                options: vec![w(4), w(5)],
                outcome: w(6),
                consequences: vec![w(7); n],
                more: vec![("Confirmation".to_owned(), w(8))],
            };
            prop_assert_eq!(read(&write(&decision)).unwrap(), decision);
        }

        #[test]
        fn no_text_breaks_the_reader(text in "(?s)(---\n)?[#*\\-a-z: \n]{0,80}") {
            drop(read(&text));
        }
    }

    #[test]
    fn a_record_without_title_says_what_is_missing() {
        assert_eq!(read("## Context\n").unwrap_err(), DecisionError::NoTitle);
        assert_eq!(read("---\nid: x\n").unwrap_err(), DecisionError::OpenHead);
    }
}
