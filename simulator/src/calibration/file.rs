//! The text form of constants: RON, as documented in docs/formats.md.

use std::sync::OnceLock;

use ron::extensions::Extensions;
use ron::ser::PrettyConfig;

use super::{Calibrations, Constant, Fitted};

const EMBEDDED: &str = include_str!("../../../assets/calibration/constants.ron");

/// Why a text is no calibration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CalibrationError {
    /// The text cannot be read.
    #[error("line {line}, column {column}: {message}")]
    Text {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// A number that cannot be meant.
    #[error("{key} of {generation} is {value}; it must lie between {low} and {high}")]
    Value {
        /// Which generation.
        generation: String,
        /// Which key.
        key: &'static str,
        /// What was given.
        value: f64,
        /// Smallest possible value.
        low: f64,
        /// Largest possible value.
        high: f64,
    },
    /// More constants than a fit can bear.
    #[error("{generation} has {count} constants; at most {max} are allowed: leave some out", max = Fitted::MAX_CONSTANTS)]
    TooMany {
        /// Which generation.
        generation: String,
        /// How many it has.
        count: usize,
    },
    /// An entry that is there twice.
    #[error("{generation} has two entries for the same part; leave one out")]
    Twice {
        /// Which generation.
        generation: String,
    },
    /// The constants cannot be written.
    #[error("the constants cannot be written: {message}")]
    Unwritable {
        /// Why.
        message: String,
    },
}

impl Calibrations {
    /// Reads constants from RON.
    ///
    /// # Errors
    /// The first place that is not right, a number out of its range, an entry with too many constants or twice.
    pub fn read(text: &str) -> Result<Self, CalibrationError> {
        let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
        let found = options.from_str::<Self>(text).map_err(|error| CalibrationError::Text {
            line: error.span.start.line,
            column: error.span.start.col,
            message: error.code.to_string(),
        })?;
        found.check()?;
        Ok(found)
    }

    /// The same as text, which [`Self::read`] reads again.
    ///
    /// # Errors
    /// If the serializer refuses, which it does for no value that [`Self::read`] accepts.
    pub fn write(&self) -> Result<String, CalibrationError> {
        let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
        let pretty = PrettyConfig::new().indentor("  ");
        let text = options.to_string_pretty(self, pretty);
        text.map(|text| text + "\n").map_err(|error| CalibrationError::Unwritable { message: error.to_string() })
    }

    /// The constants that are built in; read once.
    ///
    /// # Panics
    /// If the embedded file is broken, which a test excludes.
    pub fn embedded() -> &'static Self {
        static EMBEDDED_CONSTANTS: OnceLock<Calibrations> = OnceLock::new();
        #[expect(clippy::expect_used, reason = "the file is part of the program and a test reads it")]
        EMBEDDED_CONSTANTS.get_or_init(|| Self::read(EMBEDDED).expect("the embedded constants are well-formed"))
    }

    fn check(&self) -> Result<(), CalibrationError> {
        for (i, entry) in self.fitted.iter().enumerate() {
            let same = |other: &Fitted| other.generation == entry.generation && other.part == entry.part;
            if self.fitted[..i].iter().any(same) {
                return Err(CalibrationError::Twice { generation: entry.generation.clone() });
            }
            let constants = entry.constants();
            if constants.len() > Fitted::MAX_CONSTANTS {
                let generation = entry.generation.clone();
                return Err(CalibrationError::TooMany { generation, count: constants.len() });
            }
            if let Some(factor) = entry.range_factor {
                check_value(entry, ("range_factor", factor), (1.0, 10.0))?;
            }
            for (key, constant) in constants {
                check_constant(entry, key, constant)?;
            }
        }
        Ok(())
    }
}

/// Smallest and largest value that a key can mean; bounds also what a fit may find.
pub(crate) fn limits(key: &str) -> (f64, f64) {
    match key {
        "t0_seconds" | "ici_start_seconds" | "serial_fraction" => (0.0, 1.0),
        "vmem_bytes_per_s" => (1e9, 1e16),
        // Of nine tenths of the physical rate.
        "ici_fraction" => (0.01, 1.0 / topology::chip::ICI_EFFECTIVE_SHARE),
        _ => (0.01, 1.0),
    }
}

fn check_constant(entry: &Fitted, key: &'static str, constant: &Constant) -> Result<(), CalibrationError> {
    let limits = limits(key);
    check_value(entry, (key, constant.value), limits)?;
    check_value(entry, (key, constant.low), (limits.0, constant.value))?;
    check_value(entry, (key, constant.high), (constant.value, limits.1))?;
    constant.fit_error_fraction.map_or(Ok(()), |error| check_value(entry, (key, error), (0.0, 100.0)))
}

fn check_value(
    entry: &Fitted,
    (key, value): (&'static str, f64),
    (low, high): (f64, f64),
) -> Result<(), CalibrationError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(CalibrationError::Value { generation: entry.generation.clone(), key, value, low, high })
}
