//! One line of a page.

use crate::exposition::{Exemplar, FamilyKind, Format, Limits, Sample};
use crate::labels::{Labels, NAME};

/// What a line says.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// Nothing.
    Blank,
    Help(&'a str, String),
    Type(&'a str, FamilyKind),
    Unit(&'a str, &'a str),
    Eof,
    Sample(Sample),
}

/// Why a line is not right.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadLine {
    /// Byte in the line where it stopped making sense.
    pub(super) at: usize,
    pub(super) what: String,
}

pub(super) fn parse<'a>(text: &'a str, format: Format, limits: &Limits) -> Result<Line<'a>, BadLine> {
    let mut cursor = Cursor { text, at: 0, format, limits };
    cursor.blanks();
    match cursor.peek() {
        None => Ok(Line::Blank),
        Some('#') => cursor.comment(),
        Some(_) => cursor.sample().map(Line::Sample),
    }
}

struct Cursor<'a, 'l> {
    text: &'a str,
    at: usize,
    format: Format,
    limits: &'l Limits,
}

impl<'a> Cursor<'a, '_> {
    fn bad<T>(&self, what: impl Into<String>) -> Result<T, BadLine> {
        Err(BadLine { at: self.at, what: what.into() })
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        self.at += if is_next { c.len_utf8() } else { 0 };
        is_next
    }

    fn blanks(&mut self) {
        self.at += self.rest().bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
    }

    /// Everything up to the next blank or the end.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let word = &rest[..rest.find([' ', '\t']).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn comment(&mut self) -> Result<Line<'a>, BadLine> {
        self.take('#');
        if self.format == Format::OpenMetrics && self.text.trim_end() == "# EOF" {
            return Ok(Line::Eof);
        }
        self.blanks();
        let keyword = self.word();
        if !matches!(keyword, "HELP" | "TYPE" | "UNIT") || (keyword == "UNIT" && self.format == Format::Text) {
            return Ok(Line::Blank);
        }
        self.blanks();
        let name = self.family_name()?;
        self.blanks();
        match keyword {
            "HELP" => Ok(Line::Help(name, unescaped_help(self.rest()))),
            "UNIT" => Ok(Line::Unit(name, self.rest().trim_end())),
            _ => {
                let word = self.rest().trim_end();
                let kind = FamilyKind::parse(word);
                kind.map_or_else(
                    || self.bad(format!("\"{}\" is no type of metric", short(word))),
                    |kind| Ok(Line::Type(name, kind)),
                )
            }
        }
    }

    /// Name of a family, in quotes where Prometheus 3 writes it so.
    fn family_name(&mut self) -> Result<&'a str, BadLine> {
        if self.format == Format::OpenMetrics && self.peek() == Some('"') {
            let start = self.at + 1;
            self.quoted()?;
            return Ok(&self.text[start..self.at - 1]);
        }
        self.name(true)
    }

    /// A name of letters, digits and `_`, of a metric also with `:`.
    fn name(&mut self, with_colon: bool) -> Result<&'a str, BadLine> {
        let rest = self.rest();
        let fits = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || (with_colon && *b == b':');
        let name = &rest[..rest.bytes().take_while(fits).count()];
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return self.bad(if with_colon {
                "a name of a metric is expected"
            } else {
                "a name of a label is expected"
            });
        }
        self.at += name.len();
        Ok(name)
    }

    fn sample(&mut self) -> Result<Sample, BadLine> {
        let mut pairs: Vec<(Box<str>, Box<str>)> = Vec::with_capacity(8);
        if self.peek() != Some('{') {
            pairs.push((NAME.into(), self.name(true)?.into()));
            self.blanks();
        } else if self.format == Format::Text {
            return self.bad("a name of a metric is expected; quoted names are not part of text format 0.0.4");
        }
        if self.take('{') {
            self.labels(&mut pairs)?;
        }
        if !pairs.iter().any(|(name, _)| **name == *NAME) {
            return self.bad("the series has no name");
        }
        self.blanks();
        let value = self.number()?;
        self.blanks();
        let at_ms = self.time()?;
        let exemplar = self.exemplar()?;
        if self.at < self.text.len() {
            return self.bad(format!("\"{}\" is more than a sample has", short(self.rest())));
        }
        Ok(Sample { labels: Labels::new(pairs), value, at_ms, exemplar, line: 0 })
    }

    /// Labels up to the closing brace.
    fn labels(&mut self, pairs: &mut Vec<(Box<str>, Box<str>)>) -> Result<(), BadLine> {
        loop {
            self.blanks();
            if self.take('}') {
                return Ok(());
            }
            if pairs.len() >= self.limits.labels {
                return self.bad(format!("a series has at most {} labels", self.limits.labels));
            }
            let start = self.at;
            let is_quoted = self.peek() == Some('"');
            let name: Box<str> = match self.format {
                Format::OpenMetrics if is_quoted => self.quoted()?.into(),
                _ => self.name(false)?.into(),
            };
            self.blanks();
            let (name, value) = if self.take('=') {
                self.blanks();
                (name, self.quoted()?.into())
            } else if is_quoted {
                (NAME.into(), name)
            } else {
                return self.bad("= is expected after the name of a label");
            };
            if pairs.iter().any(|(have, _)| *have == name) {
                self.at = start;
                return self.bad(format!("the label {} is there twice", short(&name)));
            }
            pairs.push((name, value));
            self.blanks();
            if !self.take(',') && self.peek() != Some('}') {
                return self.bad("a comma or } is expected after a label");
            }
        }
    }

    /// A text in quotes, without its escapes.
    fn quoted(&mut self) -> Result<String, BadLine> {
        if !self.take('"') {
            return self.bad("a value in quotes is expected");
        }
        let mut out = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(out),
                '\\' => {
                    let escaped = self.peek();
                    self.at += escaped.map_or(0, char::len_utf8);
                    match escaped {
                        Some('n') => out.push('\n'),
                        Some(c @ ('\\' | '"')) => out.push(c),
                        // Prometheus keeps what it does not know.
                        Some(c) => out.extend(['\\', c]),
                        None => break,
                    }
                }
                c => out.push(c),
            }
        }
        self.bad("the closing quote is missing")
    }

    fn number(&mut self) -> Result<f64, BadLine> {
        let start = self.at;
        let word = self.word();
        match word.parse() {
            Ok(value) => Ok(value),
            Err(_) if word.is_empty() => self.bad("a value is expected"),
            Err(_) => {
                self.at = start;
                self.bad(format!("\"{}\" is no number", short(word)))
            }
        }
    }

    /// Milliseconds; OpenMetrics writes seconds.
    fn time(&mut self) -> Result<Option<i64>, BadLine> {
        if self.at == self.text.len() || self.peek() == Some('#') {
            return Ok(None);
        }
        let start = self.at;
        let word = self.word();
        self.blanks();
        let ms = match self.format {
            Format::Text => word.parse().ok(),
            Format::OpenMetrics => word.parse::<f64>().ok().map(|seconds| (seconds * 1000.0).round()).and_then(whole),
        };
        // Further away the arithmetic of ages could run over.
        let ms = ms.filter(|ms: &i64| ms.unsigned_abs() < 1 << 53);
        if ms.is_none() {
            self.at = start;
            let unit = if self.format == Format::Text { "whole milliseconds" } else { "seconds" };
            return self.bad(format!("\"{}\" is no time in {unit}", short(word)));
        }
        Ok(ms)
    }

    fn exemplar(&mut self) -> Result<Option<Box<Exemplar>>, BadLine> {
        if self.format == Format::Text || !self.take('#') {
            return Ok(None);
        }
        self.blanks();
        if !self.take('{') {
            return self.bad("{ is expected at the begin of an exemplar");
        }
        let mut pairs = Vec::new();
        self.labels(&mut pairs)?;
        self.blanks();
        let value = self.number()?;
        self.blanks();
        let at_ms = self.time()?;
        Ok(Some(Box::new(Exemplar { labels: Labels::new(pairs), value, at_ms })))
    }
}

/// A whole number that a float holds exactly.
fn whole(value: f64) -> Option<i64> {
    (value.abs() < 9e15).then_some(value as i64)
}

fn unescaped_help(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (c, rest.clone().next()) {
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some(next @ ('\\' | '"'))) => out.push(next),
            _ => {
                out.push(c);
                continue;
            }
        }
        rest.next();
    }
    out
}

/// Foreign text for a message.
fn short(text: &str) -> String {
    crate::inventory::shown(&text.chars().take(40).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str, format: Format) -> Result<(String, f64, Option<i64>), (usize, String)> {
        match parse(text, format, &Limits::default()) {
            Ok(Line::Sample(sample)) => Ok((sample.labels.to_string(), sample.value, sample.at_ms)),
            Ok(other) => panic!("{other:?}"),
            Err(bad) => Err((bad.at, bad.what)),
        }
    }

    #[test]
    fn odd_but_legal_lines_are_read() {
        let text = |line| sample(line, Format::Text).unwrap();
        assert_eq!(text("a 1"), ("a".to_owned(), 1.0, None));
        assert_eq!(text("a{} -1 5"), ("a".to_owned(), -1.0, Some(5)));
        assert_eq!(text("odd { k = \"x\" ,\tj=\"2\", } 5"), ("odd{j=\"2\", k=\"x\"}".to_owned(), 5.0, None));
        assert_eq!(
            text(r#"a{p="a\\b \"q\" \n x,} y"} +Inf"#),
            (r#"a{p="a\\b \"q\" \n x,} y"}"#.to_owned(), f64::INFINITY, None)
        );
        assert!(text("a NaN").1.is_nan());
        assert_eq!(text("a:b:c 5e-324").1, 5e-324);
        let open = |line| sample(line, Format::OpenMetrics).unwrap();
        assert_eq!(open("a 1 1796068967.3635").2, Some(1_796_068_967_364));
        assert_eq!(open("{\"quoted.name\",k=\"1\"} 2").0, "quoted.name{k=\"1\"}");
        let Ok(Line::Sample(found)) =
            parse("a_bucket{le=\"1\"} 3 # {trace=\"t\"} 0.5 1.25", Format::OpenMetrics, &Limits::default())
        else {
            panic!()
        };
        let exemplar = found.exemplar.unwrap();
        assert_eq!((exemplar.value, exemplar.at_ms, exemplar.labels.get("trace")), (0.5, Some(1_250), Some("t")));
    }

    #[test]
    fn wrong_lines_say_where() {
        let bad = |line| sample(line, Format::Text).unwrap_err();
        assert_eq!(bad("1a 5").0, 0);
        assert_eq!(bad("a{k=\"1\" j=\"2\"} 5"), (8, "a comma or } is expected after a label".to_owned()));
        assert_eq!(bad("a{k=\"1} 5"), (9, "the closing quote is missing".to_owned()));
        assert_eq!(bad("a{k=\"1\",k=\"2\"} 5"), (8, "the label k is there twice".to_owned()));
        assert_eq!(bad("a 5x"), (2, "\"5x\" is no number".to_owned()));
        assert_eq!(bad("a"), (1, "a value is expected".to_owned()));
        assert_eq!(bad("a 5 1.5"), (4, "\"1.5\" is no time in whole milliseconds".to_owned()));
        assert_eq!(bad("a 5 1 more").1, "\"more\" is more than a sample has");
        assert!(bad("{\"quoted.name\",k=\"1\"} 2").1.contains("quoted names"));
        assert_eq!(bad("a 5 99999999999999999999").0, 4);
        assert_eq!(parse("# TYPE a gauges", Format::Text, &Limits::default()).unwrap_err().at, 9);
    }

    #[test]
    fn comments_say_what_a_family_is() {
        let line = |text, format| parse(text, format, &Limits::default());
        assert_eq!(line("# HELP a What\\nis \\\\ it", Format::Text), Ok(Line::Help("a", "What\nis \\ it".to_owned())));
        assert_eq!(line("#  TYPE  a  untyped ", Format::Text), Ok(Line::Type("a", FamilyKind::Unknown)));
        assert_eq!(line("# UNIT a_bytes bytes", Format::OpenMetrics), Ok(Line::Unit("a_bytes", "bytes")));
        assert_eq!(line("# EOF", Format::OpenMetrics), Ok(Line::Eof));
        assert_eq!(line("# EOF", Format::Text), Ok(Line::Blank), "only a comment there");
        assert_eq!(line("# anything", Format::Text), Ok(Line::Blank));
    }
}
