//! Names and labels of a series, always as text: ids of 19 digits do not fit a floating-point number.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Label that holds the name of a series.
pub const NAME: &str = "__name__";

/// Labels of one series, sorted by name, each name once. An empty value is the same as no label.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(from = "std::collections::BTreeMap<String, String>", into = "std::collections::BTreeMap<String, String>")]
pub struct Labels(Box<[(Box<str>, Box<str>)]>);

impl Labels {
    /// From pairs in any order; the first of two equal names wins.
    pub fn new<N: Into<Box<str>>, V: Into<Box<str>>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        let pairs = pairs.into_iter().map(|(name, value)| (name.into(), value.into()));
        let mut pairs: Vec<(Box<str>, Box<str>)> = pairs.filter(|(_, value)| !value.is_empty()).collect();
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        pairs.dedup_by(|later, first| later.0 == first.0);
        Self(pairs.into_boxed_slice())
    }

    /// Value of a label.
    pub fn get(&self, name: &str) -> Option<&str> {
        let index = self.0.binary_search_by(|(have, _)| (**have).cmp(name)).ok()?;
        Some(&self.0[index].1)
    }

    /// Name of the series; empty if it has none.
    pub fn name(&self) -> &str {
        self.get(NAME).unwrap_or_default()
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    /// Number of labels, the name of the series included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The same with one label set; an empty value removes it.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let others = self.iter().filter(|(have, _)| *have != name);
        Self::new(others.chain([(name, value)]).filter(|(_, value)| !value.is_empty()))
    }

    /// Only labels that are wanted.
    pub fn keep(&self, wanted: impl Fn(&str) -> bool) -> Self {
        Self::new(self.iter().filter(|(name, _)| wanted(name)))
    }

    /// Bytes that names and values take.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|(name, value)| name.len() + value.len() + 2 * size_of::<Box<str>>()).sum()
    }
}

impl From<std::collections::BTreeMap<String, String>> for Labels {
    fn from(map: std::collections::BTreeMap<String, String>) -> Self {
        Self::new(map)
    }
}
impl From<Labels> for std::collections::BTreeMap<String, String> {
    fn from(labels: Labels) -> Self {
        labels.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

/// Writes `{a="1",b="2"}` with the escapes of the text formats; nothing if there is no pair.
pub(crate) fn braced_into<'a>(out: &mut String, pairs: impl IntoIterator<Item = (&'a str, &'a str)>, comma: &str) {
    let mut before = "{";
    for (name, value) in pairs {
        out.push_str(before);
        before = comma;
        out.push_str(name);
        out.push_str("=\"");
        escape_into(out, value);
        out.push('"');
    }
    if before == comma {
        out.push('}');
    }
}

/// Writes a label value with the escapes of the text formats.
pub(crate) fn escape_into(out: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
}

impl fmt::Display for Labels {
    /// As a selector: `duty_cycle{node_name="n1"}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let mut text = String::new();
        braced_into(&mut text, self.iter().filter(|(name, _)| *name != NAME), ", ");
        f.write_str(if self.is_empty() { "{}" } else { &text })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_matter_and_an_empty_value_is_no_label() {
        let labels = Labels::new([("b", "2"), ("__name__", "m"), ("a", "1\n\"x\\"), ("empty", "")]);
        assert_eq!(labels, Labels::new([("a", "1\n\"x\\"), ("b", "2"), ("__name__", "m")]));
        assert_eq!(labels.to_string(), "m{a=\"1\\n\\\"x\\\\\", b=\"2\"}");
        assert_eq!(labels.with("b", "").with("c", "3").to_string(), "m{a=\"1\\n\\\"x\\\\\", c=\"3\"}");
        assert_eq!((labels.get("b"), labels.get("empty"), labels.name()), (Some("2"), None, "m"));
        assert_eq!(Labels::default().to_string(), "{}");
    }
}
