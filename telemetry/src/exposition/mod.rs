//! The text formats of Prometheus: exposition 0.0.4 and OpenMetrics 1.0, read and written.
//!
//! Reading goes line by line over bytes as they arrive; memory is bounded by [`Limits`]. A line that is not right is
//! a finding with line and column, everything else is kept. Two rules tell the dialects apart: OpenMetrics counts
//! time in seconds and ends in `# EOF`, 0.0.4 counts in milliseconds and has no exemplars or quoted names.

mod line;
mod page;
mod reader;
mod write;

use serde::Serialize;

use crate::labels::Labels;

pub use page::{Page, read};
pub use reader::{Reader, Sink};
pub use write::{WriteError, Writer};

/// Which text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Format {
    /// Prometheus text format 0.0.4.
    Text,
    /// OpenMetrics 1.0, with the quoted names of Prometheus 3.
    OpenMetrics,
}

impl Format {
    /// From a `Content-Type`; anything but `application/openmetrics-text` counts as 0.0.4, as Prometheus does it.
    pub fn of_content_type(content_type: &str) -> Self {
        let kind = content_type.split(';').next().unwrap_or_default().trim();
        if kind.eq_ignore_ascii_case("application/openmetrics-text") { Self::OpenMetrics } else { Self::Text }
    }

    /// What a scraper wants by its `Accept`: OpenMetrics if it prefers that to text (RFC 9110, weights); 0.0.4 else.
    pub fn of_accept(accept: &str) -> Self {
        let weight_of = |kind: &str, any: bool| {
            let weight = |range: &str| {
                let mut parts = range.split(';').map(str::trim);
                let name = parts.next().unwrap_or_default();
                let is_it = name.eq_ignore_ascii_case(kind) || (any && (name == "*/*" || name == "text/*"));
                let q = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
                is_it.then(|| q.map_or(Some(1.0), |q| q.parse::<f64>().ok())).flatten().filter(|q| q.is_finite())
            };
            accept.split(',').filter_map(weight).fold(0.0, f64::max)
        };
        let (open, text) = (weight_of("application/openmetrics-text", false), weight_of("text/plain", true));
        if open > 0.0 && open >= text { Self::OpenMetrics } else { Self::Text }
    }

    /// The `Content-Type` of a page.
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }

    /// Of a file: OpenMetrics if its last line is `# EOF` and no time of its samples only makes sense in
    /// milliseconds, which some files of 0.0.4 with such a last line have. Looks at the first and last 64 KiB.
    pub fn of_file(bytes: &[u8]) -> Self {
        const LOOK: usize = 65_536;
        let tail = &bytes[bytes.len().saturating_sub(LOOK)..];
        let last = tail.trim_ascii_end().rsplit(|b| *b == b'\n').next().unwrap_or_default();
        if last.trim_ascii() != b"# EOF" {
            return Self::Text;
        }
        // As seconds these times lie after the year 5138.
        let is_in_ms = |line: &[u8]| {
            let word = line.rsplit(|b| *b == b' ').next().and_then(|word| std::str::from_utf8(word).ok());
            let has_time = line.iter().filter(|b| **b == b' ').nth(1).is_some();
            has_time && word.and_then(|word| word.parse::<u64>().ok()).is_some_and(|time| time > 100_000_000_000)
        };
        let head = &bytes[..bytes.len().min(LOOK)];
        let lines = head.split(|b| *b == b'\n').filter(|line| !line.starts_with(b"#"));
        if lines.map(<[u8]>::trim_ascii).any(is_in_ms) { Self::Text } else { Self::OpenMetrics }
    }
}

/// What a reader takes at most. A page of 9,216 chips with five metrics has 46,080 series of 10 labels in 7.3 MB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a line.
    pub line_bytes: usize,
    /// Labels of a series, its name included.
    pub labels: usize,
    /// Samples of a page.
    pub samples: usize,
    /// Families with a type, help or unit.
    pub families: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { line_bytes: 65_536, labels: 64, samples: 2_000_000, families: 20_000 }
    }
}

/// What a family is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the formats")]
pub enum FamilyKind {
    Counter,
    Gauge,
    Histogram,
    GaugeHistogram,
    Summary,
    Info,
    StateSet,
    /// Called `untyped` in 0.0.4 and `unknown` in OpenMetrics.
    #[default]
    Unknown,
}

impl FamilyKind {
    const NAMES: [(Self, &'static str); 8] = [
        (Self::Counter, "counter"),
        (Self::Gauge, "gauge"),
        (Self::Histogram, "histogram"),
        (Self::GaugeHistogram, "gaugehistogram"),
        (Self::Summary, "summary"),
        (Self::Info, "info"),
        (Self::StateSet, "stateset"),
        (Self::Unknown, "unknown"),
    ];

    /// As OpenMetrics writes it.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).map_or("unknown", |(_, name)| name)
    }

    /// As 0.0.4 writes it, which knows fewer: the nearest one.
    const fn text_name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge | Self::Info | Self::StateSet => "gauge",
            Self::Histogram | Self::GaugeHistogram => "histogram",
            Self::Summary => "summary",
            Self::Unknown => "untyped",
        }
    }

    /// From the word of either format.
    pub fn parse(word: &str) -> Option<Self> {
        let known = || Self::NAMES.iter().find(|(_, name)| *name == word).map(|(kind, _)| *kind);
        if word == "untyped" { Some(Self::Unknown) } else { known() }
    }

    /// Endings of the names of its samples in the order in which they are tried.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Counter => &["_total", "_created"],
            Self::Histogram => &["_bucket", "_sum", "_count", "_created"],
            Self::GaugeHistogram => &["_bucket", "_gsum", "_gcount"],
            Self::Summary => &["_sum", "_count", "_created"],
            Self::Info => &["_info"],
            Self::Gauge | Self::StateSet | Self::Unknown => &[],
        }
    }
}

/// What a page says of a family of series.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Family {
    /// What it is.
    pub kind: FamilyKind,
    /// What it means, in the exporter's words.
    pub help: Option<String>,
    /// Unit, in OpenMetrics.
    pub unit: Option<String>,
}

/// An example behind a count.
#[derive(Debug, Clone, PartialEq)]
pub struct Exemplar {
    /// Its labels.
    pub labels: Labels,
    /// Its value.
    pub value: f64,
    /// When, in Unix milliseconds.
    pub at_ms: Option<i64>,
}

/// One sample of a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Labels with the name of the series.
    pub labels: Labels,
    /// Value as it came, also not a number or infinite.
    pub value: f64,
    /// When, in Unix milliseconds; absent where the page leaves it to the reader's clock.
    pub at_ms: Option<i64>,
    /// An example, in OpenMetrics.
    pub exemplar: Option<Box<Exemplar>>,
    /// Line of the page, counted from 1.
    pub line: usize,
}
