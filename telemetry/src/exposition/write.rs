//! Writing OpenMetrics 1.0, so that Prometheus takes it in: `promtool tsdb create-blocks-from openmetrics`.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use crate::exposition::FamilyKind;
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

/// Writes families one after the other, and `# EOF` at the end.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    done: BTreeSet<String>,
    family: String,
    kind: FamilyKind,
    series: Option<(Labels, i64)>,
}

impl<W: Write> Writer<W> {
    /// Writes into `out`.
    pub const fn new(out: W) -> Self {
        Self { out, done: BTreeSet::new(), family: String::new(), kind: FamilyKind::Unknown, series: None }
    }

    /// Begins a family. The unit is written only where the name ends in it, as the format demands; the `_total` of a
    /// counter belongs to its samples and is cut from the name.
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
        (self.family, self.kind, self.series) = (name.to_owned(), kind, None);
        writeln!(self.out, "# TYPE {name} {}", kind.name())?;
        if let Some(unit) = unit.filter(|unit| !unit.is_empty() && name.ends_with(&format!("_{unit}"))) {
            writeln!(self.out, "# UNIT {name} {unit}")?;
        }
        if !help.is_empty() {
            let mut text = String::new();
            escape_into(&mut text, help);
            writeln!(self.out, "# HELP {name} {text}")?;
        }
        Ok(())
    }

    /// Writes one sample of the family that was begun; labels hold the name of the series.
    ///
    /// # Errors
    /// If it is no series of the family, or not later than the sample of the same series before it.
    pub fn sample(&mut self, labels: &Labels, at_ms: i64, value: f64) -> Result<(), WriteError> {
        let mut name = labels.name().to_owned();
        if self.kind == FamilyKind::Counter && name == self.family {
            name.push_str("_total");
        }
        let ending = name.strip_prefix(&self.family);
        let fits = |ending: &str| match self.kind.endings() {
            [] => ending.is_empty(),
            endings => endings.contains(&ending) || (ending.is_empty() && self.kind == FamilyKind::Summary),
        };
        if !ending.is_some_and(fits) {
            let (kind, family) = (self.kind.name(), self.family.clone());
            return Err(WriteError::Stranger { series: labels.to_string(), kind, family });
        }
        if let Some((_, before_ms)) = self.series.as_ref().filter(|(before, ms)| before == labels && *ms >= at_ms) {
            return Err(WriteError::Order { series: labels.to_string(), at_ms, before_ms: *before_ms });
        }
        let mut line = name;
        braced_into(&mut line, labels.iter().filter(|(name, _)| *name != NAME), ",");
        line.push(' ');
        push_value(&mut line, value)?;
        let sign = if at_ms < 0 { "-" } else { "" };
        let at = at_ms.unsigned_abs();
        writeln!(self.out, "{line} {sign}{}.{:03}", at / 1000, at % 1000)?;
        match &mut self.series {
            Some((series, at)) if series == labels => *at = at_ms,
            series => *series = Some((labels.clone(), at_ms)),
        }
        Ok(())
    }

    /// Ends the page and gives the receiver back.
    ///
    /// # Errors
    /// If the receiver fails.
    pub fn finish(mut self) -> Result<W, WriteError> {
        writeln!(self.out, "# EOF")?;
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
