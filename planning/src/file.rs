//! Plan and fleet files: RON in an envelope that says what it is, in which format, and who wrote it.
//!
//! Text in, text out; the caller owns the disk and bounds the bytes. Reading never panics and never guesses: it says
//! where the text is wrong and what to do, and it names what it could not keep. Format N also reads N−1.

use std::fmt;
use std::sync::Arc;

use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};
use topology::fleet::Fleet;

use crate::guard;
use crate::plan::Plan;

/// The format that is written.
pub const FORMAT: u32 = 1;

/// What wrote the file, as the envelope says it.
const SAVED_BY: &str = concat!("podium ", env!("CARGO_PKG_VERSION"));

const CUT_OFF: &str = "The file seems to be cut off; look for a whole copy or an autosave.";

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A whole plan.
    Plan,
    /// Pods and slices only.
    Fleet,
}

impl Kind {
    /// The name in the envelope.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plan => "podium-plan",
            Self::Fleet => "podium-fleet",
        }
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The plan; of a fleet file a new plan that holds only that fleet.
    pub plan: Plan,
    /// What the file was.
    pub kind: Kind,
    /// Which program wrote it.
    pub saved_by: Option<String>,
    /// What could not be kept, each a whole sentence without full stop.
    pub warnings: Vec<String>,
}

/// Why a file cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    /// Line, counted from 1, where it is known.
    pub line: Option<usize>,
    /// Column in characters, counted from 1, where it is known.
    pub column: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}, column {column}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            _ => {}
        }
        write!(f, "{}. {}", self.what, self.hint)
    }
}

impl std::error::Error for FileError {}

impl FileError {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line: None, column: None, what: what.into(), hint: hint.into() }
    }

    pub(crate) fn at(mut self, line: usize, column: usize) -> Self {
        (self.line, self.column) = (Some(line), Some(column));
        self
    }
}

/// What every Podium file begins with; read before the body, which an old program cannot know.
#[derive(Deserialize)]
struct Head {
    kind: String,
    format: u32,
    #[serde(default)]
    saved_by: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Envelope<B> {
    kind: String,
    format: u32,
    #[serde(default)]
    saved_by: Option<String>,
    body: B,
}

/// Reads a plan, or a fleet as a plan that holds only it.
pub fn read(text: &str) -> Result<Opened, FileError> {
    guard::check_text(text)?;
    let (head, _) =
        parse::<Head>(text).map_err(|error| if claims_to_be_ours(text) { error } else { not_ours(error) })?;
    let kind = match head.kind.as_str() {
        "podium-plan" => Kind::Plan,
        "podium-fleet" => Kind::Fleet,
        other => {
            let what = format!("this is a file of kind \"{}\"", guard::shown(other));
            let error = FileError::new(what, "Only podium-plan and podium-fleet can be opened here.");
            return Err(match place_of(text, "kind") {
                Some((line, column)) => error.at(line, column),
                None => error,
            });
        }
    };
    check_format(head.format).map_err(|error| match place_of(text, "format") {
        Some((line, column)) => error.at(line, column),
        None => error,
    })?;
    let (plan, mut unknown) = match kind {
        Kind::Plan => parse::<Envelope<Plan>>(text).map(|(envelope, unknown)| (envelope.body, unknown))?,
        Kind::Fleet => {
            let (Envelope { body: fleet, .. }, unknown) = parse::<Envelope<Fleet>>(text)?;
            (Plan { name: fleet.name.clone(), fleet: Arc::new(fleet), ..Plan::default() }, unknown)
        }
    };
    guard::check_counts(&plan)?;
    guard::check_texts(&plan)?;
    guard::check_sources(&plan)?;
    unknown.sort();
    let warnings = unknown
        .into_iter()
        .map(|path| format!("\"{}\" is not known and is lost when the file is saved", guard::shown(&path)));
    Ok(Opened { plan, kind, saved_by: head.saved_by, warnings: warnings.collect() })
}

/// Whether one of our kinds stands near the beginning: then a mistake further on does not make it somebody else's file.
fn claims_to_be_ours(text: &str) -> bool {
    /// Room for a long comment above the head.
    const NEAR: usize = 2_000;
    let head: String = text.chars().take(NEAR).collect();
    [Kind::Plan, Kind::Fleet].iter().any(|kind| head.contains(kind.name()))
}

/// A head that cannot be read: cut off if the text just ends, else somebody else's file.
fn not_ours(error: FileError) -> FileError {
    if error.hint == CUT_OFF {
        return error;
    }
    let hint = format!("A Podium file begins with (kind: \"{}\", format: {FORMAT}, …", Kind::Plan.name());
    FileError { what: "this is not a Podium file".to_owned(), hint, ..error }
}

/// Line and column, counted from 1, of the first mention of a key.
fn place_of(text: &str, key: &str) -> Option<(usize, usize)> {
    let before = &text[..text.find(key)?];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
}

fn check_format(format: u32) -> Result<(), FileError> {
    match format {
        FORMAT => Ok(()),
        0 => Err(FileError::new("format 0 never existed", format!("The newest format is {FORMAT}."))),
        newer => {
            let what = format!("the file has format {newer}, this program knows formats up to {FORMAT}");
            Err(FileError::new(what, "Open it with a newer Podium, or save it there for this version."))
        }
    }
}

/// The text of a plan. The same plan always gives the same text.
pub fn write(plan: &Plan) -> String {
    write_body(Kind::Plan, plan)
}

/// The text of a fleet. The same fleet always gives the same text.
pub fn write_fleet(fleet: &Fleet) -> String {
    write_body(Kind::Fleet, fleet)
}

fn write_body<B: Serialize>(kind: Kind, body: &B) -> String {
    let saved_by = Some(SAVED_BY.to_owned());
    let envelope = Envelope { kind: kind.name().to_owned(), format: FORMAT, saved_by, body };
    let pretty = PrettyConfig::new().new_line("\n").indentor("  ").struct_names(false);
    // Every type of the plan has a text form and writing to a string cannot fail, so there is no error to report.
    let mut text = options().to_string_pretty(&envelope, pretty).unwrap_or_default();
    text.push('\n');
    text
}

fn options() -> ron::Options {
    ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME).with_recursion_limit(guard::MAX_DEPTH)
}

/// The value and the paths of fields that were ignored.
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<(T, Vec<String>), FileError> {
    let options = options();
    let mut unknown = Vec::new();
    let mut reader = ron::Deserializer::from_str_with_options(text, &options).map_err(explain)?;
    let value = serde_ignored::deserialize(&mut reader, |path| {
        if unknown.len() < guard::MAX_WARNINGS {
            unknown.push(path.to_string());
        }
    });
    let value = value.map_err(|error| explain(reader.span_error(error)))?;
    reader.end().map_err(|error| explain(reader.span_error(error)))?;
    Ok((value, unknown))
}

fn explain(error: ron::error::SpannedError) -> FileError {
    let ron::error::SpannedError { code, span } = error;
    let hint = match &code {
        ron::Error::Eof => CUT_OFF,
        ron::Error::ExpectedStringEnd => {
            "A text that begins here never ends: its closing quote is missing, or the file is cut off."
        }
        ron::Error::ExceededRecursionLimit => "No Podium file is nested that deeply; it was not written by Podium.",
        ron::Error::NoSuchStructField { .. } | ron::Error::MissingStructField { .. } => {
            "The keys of each kind of file are listed in docs/formats.md."
        }
        _ => "Correct it in a text editor; docs/formats.md shows an example of each part.",
    };
    FileError::new(guard::shown(&code.to_string()), hint).at(span.start.line, span.start.col)
}
