//! Reading a page as it arrives.

use std::collections::BTreeMap;

use crate::exposition::line::{BadLine, Line, parse};
use crate::exposition::{Family, Format, Limits, Sample};
use crate::findings::Findings;

/// Takes the samples of a page as they are read.
pub trait Sink {
    /// One sample.
    fn sample(&mut self, sample: Sample);
}

impl Sink for Vec<Sample> {
    fn sample(&mut self, sample: Sample) {
        self.push(sample);
    }
}

/// Reads a page from pieces of any size; holds one line at most.
#[derive(Debug)]
pub struct Reader {
    format: Format,
    limits: Limits,
    line: Vec<u8>,
    /// Whether the line grew beyond its limit and is passed over.
    is_too_long: bool,
    number: usize,
    n_samples: usize,
    has_ended: bool,
    families: BTreeMap<String, Family>,
    findings: Findings,
}

impl Reader {
    /// At the begin of a page.
    pub fn new(format: Format, limits: Limits) -> Self {
        Self {
            format,
            limits,
            line: Vec::new(),
            is_too_long: false,
            number: 0,
            n_samples: 0,
            has_ended: false,
            families: BTreeMap::new(),
            findings: Findings::default(),
        }
    }

    /// Takes the next piece of the page.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let mut pieces = bytes.split(|b| *b == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let is_whole = pieces.peek().is_some();
            if is_whole && self.line.is_empty() && !self.is_too_long && piece.len() <= self.limits.line_bytes {
                self.take_line(piece, sink);
                continue;
            }
            let room = self.limits.line_bytes - self.line.len().min(self.limits.line_bytes);
            self.is_too_long |= piece.len() > room;
            self.line.extend_from_slice(&piece[..piece.len().min(room)]);
            if is_whole {
                self.end_line(sink);
            }
        }
    }

    /// Ends the page: what families it named, and what was not right.
    pub fn finish(mut self, sink: &mut impl Sink) -> (BTreeMap<String, Family>, Findings) {
        let is_cut = !self.line.is_empty() || self.is_too_long;
        if is_cut {
            self.end_line(sink);
        }
        if self.format == Format::OpenMetrics && !self.has_ended {
            let place = format!("line {}", self.number);
            self.findings.warn("no-end", place, "the page does not end in # EOF: it may have been cut off");
        } else if is_cut && self.format == Format::Text {
            let place = format!("line {}", self.number);
            self.findings.warn("no-end", place, "the last line has no end: the page may have been cut off");
        }
        if self.n_samples > self.limits.samples {
            let message =
                format!("the page has {} samples; the first {} were read", self.n_samples, self.limits.samples);
            self.findings.error("too-many-samples", "page", message);
        }
        (self.families, self.findings)
    }

    fn end_line(&mut self, sink: &mut impl Sink) {
        if self.is_too_long {
            self.number += 1;
            let message = format!("the line is longer than {} bytes and was left out", self.limits.line_bytes);
            self.findings.error("line-too-long", format!("line {}", self.number), message);
        } else {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, sink);
            self.line = line;
        }
        self.line.clear();
        self.is_too_long = false;
    }

    fn take_line(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        self.number += 1;
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let place = format!("line {}, byte {}", self.number, error.valid_up_to() + 1);
                self.findings.error("not-utf8", place, "the line is not UTF-8 and was left out");
                return;
            }
        };
        if self.has_ended && !text.trim().is_empty() {
            self.findings.error("after-end", format!("line {}", self.number), "there is text after # EOF");
            return;
        }
        match parse(text, self.format, &self.limits) {
            Ok(Line::Blank) => {}
            Ok(Line::Eof) => self.has_ended = true,
            Ok(Line::Help(name, help)) => self.describe(name, |family| family.help = Some(help)),
            Ok(Line::Unit(name, unit)) => self.describe(name, |family| family.unit = Some(unit.to_owned())),
            Ok(Line::Type(name, kind)) => self.describe(name, |family| family.kind = kind),
            Ok(Line::Sample(sample)) => {
                self.n_samples += 1;
                if self.n_samples <= self.limits.samples {
                    sink.sample(Sample { line: self.number, ..sample });
                }
            }
            Err(BadLine { at, what }) => {
                let column = text.get(..at).map_or(at, |before| before.chars().count()) + 1;
                self.findings.error("bad-line", format!("line {}, column {column}", self.number), what);
            }
        }
    }

    fn describe(&mut self, name: &str, change: impl FnOnce(&mut Family)) {
        if let Some(family) = self.families.get_mut(name) {
            change(family);
        } else if self.families.len() < self.limits.families {
            change(self.families.entry(name.to_owned()).or_default());
        } else {
            let message = format!("more than {} families; what is said of others is not kept", self.limits.families);
            self.findings.warn("too-many-families", format!("line {}", self.number), message);
        }
    }
}
