//! Writing pages for whoever scrapes, and OpenMetrics with times, which Prometheus takes in with
//! `promtool tsdb create-blocks-from openmetrics`.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use crate::exposition::{FamilyKind, Format};
use crate::labels::{Labels, NAME, braced_into, escape_into};

/// Why something cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A family was begun twice.
    #[error("the family {0} is written twice; all series of a family stand together")]
    Repeated(
        /// Its name.
        String,
    ),
    /// Samples of a series do not grow in time.
    #[error("{series} at {at_ms} ms comes after {before_ms} ms; samples of a series are written in order of time")]
    Order {
        /// The series.
        series: String,
        /// Unix milliseconds of the sample.
        at_ms: i64,
        /// Unix milliseconds of the sample before.
        before_ms: i64,
    },
    /// A series has a name that its family does not allow.
    #[error("{series} does not belong to the {kind} {family}")]
    Stranger {
        /// The series.
        series: String,
        /// Type of the family.
        kind: &'static str,
        /// Name of the family.
        family: String,
    },
    /// The receiver of the text failed.
    #[error("the text could not be written")]
    Receiver,
}

impl From<fmt::Error> for WriteError {
    fn from(_: fmt::Error) -> Self {
        Self::Receiver
    }
}

/// Writes families one after the other, in either format; OpenMetrics ends in `# EOF`.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    format: Format,
    done: BTreeSet<String>,
    family: String,
    kind: FamilyKind,
    /// Name and labels of the sample before, and its time.
    before: (String, Option<i64>),
    line: String,
}

impl<W: Write> Writer<W> {
    /// Writes into `out`.
    pub fn new(out: W, format: Format) -> Self {
        let (family, line, before) = (String::new(), String::new(), (String::new(), None));
        Self { out, format, done: BTreeSet::new(), family, kind: FamilyKind::Unknown, before, line }
    }

    /// Begins a family. The unit is written only in OpenMetrics and where the name ends in it, as the format demands; the
    /// `_total` of a counter belongs to its samples in OpenMetrics, and to the family in 0.0.4.
    ///
    /// # Errors
    /// If it was there already.
    pub fn family(&mut self, name: &str, kind: FamilyKind, help: &str, unit: Option<&str>) -> Result<(), WriteError> {
        let name = match kind {
            FamilyKind::Counter => name.strip_suffix("_total").unwrap_or(name),
            _ => name,
        };
        if !self.done.insert(name.to_owned()) {
            return Err(WriteError::Repeated(name.to_owned()));
        }
        (self.family, self.kind, self.before.1) = (name.to_owned(), kind, None);
        self.before.0.clear();
        let is_open = self.format == Format::OpenMetrics;
        let ending = if kind == FamilyKind::Counter && !is_open { "_total" } else { "" };
        writeln!(self.out, "# TYPE {name}{ending} {}", if is_open { kind.name() } else { kind.text_name() })?;
        if let Some(unit) = unit.filter(|unit| is_open && !unit.is_empty() && name.ends_with(&format!("_{unit}"))) {
            writeln!(self.out, "# UNIT {name} {unit}")?;
        }
        if !help.is_empty() {
            let mut text = String::new();
            escape_into(&mut text, help);
            // Only OpenMetrics escapes quotes in a help text.
            let text = if is_open { text } else { text.replace("\\\"", "\"") };
            writeln!(self.out, "# HELP {name}{ending} {text}")?;
        }
        Ok(())
    }

    /// Writes one sample of the family that was begun; labels hold the name of the series. Without a time (Unix
    /// milliseconds) it counts for the moment at which it is read.
    ///
    /// # Errors
    /// If it is no series of the family, or not later than the sample of the same series before it.
    pub fn sample(&mut self, labels: &Labels, at_ms: Option<i64>, value: f64) -> Result<(), WriteError> {
        self.line.clear();
        self.line.push_str(labels.name());
        if self.kind == FamilyKind::Counter && self.line == self.family {
            self.line.push_str("_total");
        }
        let ending = self.line.strip_prefix(&self.family);
        let fits = |ending: &str| match self.kind.endings() {
            [] => ending.is_empty(),
            endings => endings.contains(&ending) || (ending.is_empty() && self.kind == FamilyKind::Summary),
        };
        if !ending.is_some_and(fits) {
            let (kind, family) = (self.kind.name(), self.family.clone());
            return Err(WriteError::Stranger { series: labels.to_string(), kind, family });
        }
        braced_into(&mut self.line, labels.iter().filter(|(name, _)| *name != NAME), ",");
        let (before, before_ms) = (&self.before.0, self.before.1);
        if *before == self.line && before_ms.is_none_or(|before| at_ms.is_none_or(|at| at <= before)) {
            let (at_ms, before_ms) = (at_ms.unwrap_or_default(), before_ms.unwrap_or_default());
            return Err(WriteError::Order { series: labels.to_string(), at_ms, before_ms });
        }
        self.before.0.clone_from(&self.line);
        self.before.1 = at_ms;
        self.line.push(' ');
        push_value(&mut self.line, value)?;
        self.out.write_str(&self.line)?;
        match (at_ms, self.format) {
            (None, _) => {}
            (Some(at), Format::Text) => write!(self.out, " {at}")?,
            (Some(at), Format::OpenMetrics) => {
                let (sign, at) = (if at < 0 { "-" } else { "" }, at.unsigned_abs());
                write!(self.out, " {sign}{}.{:03}", at / 1000, at % 1000)?;
            }
        }
        self.out.write_char('\n')?;
        Ok(())
    }

    /// Ends the page and gives the receiver back.
    ///
    /// # Errors
    /// If the receiver fails.
    pub fn finish(mut self) -> Result<W, WriteError> {
        if self.format == Format::OpenMetrics {
            writeln!(self.out, "# EOF")?;
        }
        Ok(self.out)
    }
}

/// The shortest text that is read back as the same number.
fn push_value(out: &mut String, value: f64) -> fmt::Result {
    if value.is_nan() {
        out.push_str("NaN");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "+Inf" } else { "-Inf" });
    } else {
        write!(out, "{value:?}")?;
    }
    Ok(())
}
