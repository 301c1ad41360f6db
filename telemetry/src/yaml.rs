//! YAML as a tree with places, bounded and without anchors.
//!
//! The parser is `saphyr-parser`: pure Rust, YAML 1.2, maintained, MIT or Apache-2.0. It gives events with places, so every
//! later complaint can name a line, and anchors can be refused before they multiply.

use saphyr_parser::{Event, Parser, ScalarStyle};

/// Most nodes of a file.
const MAX_NODES: usize = 200_000;
/// Deepest nesting.
const MAX_DEPTH: usize = 64;

/// Why a text is not read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct YamlError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
}

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) kind: NodeKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NodeKind {
    Scalar { text: String, is_plain: bool },
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    pub(crate) fn error(&self, what: impl Into<String>) -> YamlError {
        YamlError { line: self.line, column: self.column, what: what.into() }
    }

    /// Value of a key; absent also where it is null.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let NodeKind::Map(pairs) = &self.kind else { return None };
        let value = pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value);
        value.filter(|value| !value.is_null())
    }

    fn is_null(&self) -> bool {
        matches!(&self.kind, NodeKind::Scalar { text, is_plain: true } if matches!(text.as_str(), "" | "~" | "null"))
    }

    /// The text of a scalar, numbers as they are written.
    pub(crate) fn text(&self) -> Result<&str, YamlError> {
        match &self.kind {
            NodeKind::Scalar { text, .. } => Ok(text),
            _ => Err(self.error("a text is expected")),
        }
    }

    pub(crate) fn number(&self) -> Result<f64, YamlError> {
        self.text()?.parse().ok().ok_or_else(|| self.error("a number is expected"))
    }

    /// Entries of a list; of nothing there are none.
    pub(crate) fn list(&self) -> Result<&[Self], YamlError> {
        match &self.kind {
            NodeKind::List(entries) => Ok(entries),
            _ if self.is_null() => Ok(&[]),
            _ => Err(self.error("a list is expected")),
        }
    }

    pub(crate) fn pairs(&self) -> Result<&[(String, Self)], YamlError> {
        match &self.kind {
            NodeKind::Map(pairs) => Ok(pairs),
            _ if self.is_null() => Ok(&[]),
            _ => Err(self.error("keys with values are expected")),
        }
    }

    /// Value of a key that must be there.
    pub(crate) fn need(&self, key: &str) -> Result<&Self, YamlError> {
        self.get(key).ok_or_else(|| self.error(format!("the key {key} is missing")))
    }

    /// Entries of the list of a key; none if it is absent.
    pub(crate) fn entries(&self, key: &str) -> Result<&[Self], YamlError> {
        self.get(key).map_or(Ok(&[]), Self::list)
    }

    /// Text of a key; absent if the key is.
    pub(crate) fn text_of(&self, key: &str) -> Result<Option<&str>, YamlError> {
        self.get(key).map(Self::text).transpose()
    }

    /// Keys with texts under a key, as labels are written.
    pub(crate) fn texts_of(&self, key: &str) -> Result<Vec<(&str, &str)>, YamlError> {
        let Some(map) = self.get(key) else { return Ok(Vec::new()) };
        map.pairs()?.iter().map(|(name, value)| Ok((name.as_str(), value.text()?))).collect()
    }
}

/// What is open while reading: a list, or a map with the key that waits for its value.
enum Open {
    List(Node),
    Map(Node, Option<String>),
}

/// Reads all documents of a text.
pub(crate) fn documents(text: &str) -> Result<Vec<Node>, YamlError> {
    let mut documents = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut n_nodes = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| YamlError {
            line: error.marker().line(),
            column: error.marker().col() + 1,
            what: error.info().to_owned(),
        })?;
        let (line, column) = (span.start.line(), span.start.col() + 1);
        let node = |kind| Node { line, column, kind };
        n_nodes += 1;
        if n_nodes > MAX_NODES || open.len() > MAX_DEPTH {
            let what = format!(
                "the file has more than {MAX_NODES} values, or more than {MAX_DEPTH} of them inside each other"
            );
            return Err(YamlError { line, column, what });
        }
        let done = match event {
            Event::Alias(_) => {
                return Err(node(NodeKind::List(Vec::new())).error("anchors (& and *) are not followed; write it out"));
            }
            Event::Scalar(text, style, ..) => {
                Some(node(NodeKind::Scalar { text: text.into_owned(), is_plain: style == ScalarStyle::Plain }))
            }
            Event::SequenceStart(..) => {
                open.push(Open::List(node(NodeKind::List(Vec::new()))));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(node(NodeKind::Map(Vec::new())), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|open| match open {
                Open::List(node) | Open::Map(node, _) => node,
            }),
            _ => None,
        };
        if let Some(done) = done {
            put(done, &mut open, &mut documents)?;
        }
    }
    Ok(documents)
}

/// Puts a finished value where it belongs.
fn put(done: Node, open: &mut [Open], documents: &mut Vec<Node>) -> Result<(), YamlError> {
    match open.last_mut() {
        None => documents.push(done),
        Some(Open::List(Node { kind: NodeKind::List(entries), .. })) => entries.push(done),
        Some(Open::Map(Node { kind: NodeKind::Map(pairs), .. }, key)) => match key.take() {
            None => {
                let name = done.text()?.to_owned();
                if pairs.iter().any(|(have, _)| *have == name) {
                    return Err(done.error(format!("the key {name} is there twice")));
                }
                *key = Some(name);
            }
            Some(name) => pairs.push((name, done)),
        },
        Some(_) => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_know_their_places_and_anchors_are_refused() {
        let found = documents("a: 1\nb:\n  - x: 'null'\n    y: ~\n---\nc: |\n  text\n").unwrap();
        let b = &found[0].get("b").unwrap().list().unwrap()[0];
        assert_eq!((b.line, b.need("x").unwrap().text(), b.get("y")), (3, Ok("null"), None));
        assert_eq!(found[1].text_of("c").unwrap(), Some("text\n"));
        assert_eq!(b.need("z").unwrap_err().to_string(), "line 3, column 5: the key z is missing");
        assert!(documents("a: &x [1]\nb: *x\n").unwrap_err().what.contains("anchors"));
        assert!(documents("a: 1\na: 2\n").unwrap_err().what.contains("twice"));
        assert!(documents(&"[".repeat(200)).is_err());
        assert!(documents("a: [").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_survived(parts in prop::collection::vec(prop::sample::select(vec!["a", ":", " ", "\n", "-", "  ", "[", "]", "{", "}", "&x", "*x", "'", "\"", "|", ">", "#", "!", "%", "é", "\t", "? ", "---"]), 0..40)) {
            let text = parts.concat();
            prop_assert!(documents(&text).map_or(1, |found| found.len() + 1) > 0);
        }
    }
}
