//! What went wrong with a file, in words for the user.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Sort of a problem, for code that reacts to it; [`Kind::name`] is the `error.kind` of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing is at the path.
    NotFound,
    /// The system forbids it.
    Denied,
    /// A folder, pipe or device stands where a file was expected.
    NotAFile,
    /// More bytes than the limit.
    TooLarge,
    /// Not UTF-8 text.
    NotText,
    /// Text, but not of the expected form.
    Syntax,
    /// Well formed, but it says something impossible or of another kind.
    Content,
    /// Written by a newer version of the program.
    TooNew,
    /// Another program changed the file since it was opened.
    ChangedOnDisk,
    /// A file is there already and must not be replaced.
    Exists,
    /// The disk is full.
    DiskFull,
    /// A fault of the program itself.
    Bug,
    /// Anything else that the system reported.
    System,
}

impl Kind {
    /// Stable name in lower case with underscores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::Denied => "denied",
            Self::NotAFile => "not_a_file",
            Self::TooLarge => "too_large",
            Self::NotText => "not_text",
            Self::Syntax => "syntax",
            Self::Content => "content",
            Self::TooNew => "too_new",
            Self::ChangedOnDisk => "changed_on_disk",
            Self::Exists => "exists",
            Self::DiskFull => "disk_full",
            Self::Bug => "bug",
            Self::System => "system",
        }
    }
}

/// A place in a text, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column in characters.
    pub column: u32,
}

impl Position {
    /// The place of a byte offset in text that may be damaged from there on.
    pub fn of_offset(bytes: &[u8], offset: usize) -> Self {
        let before = &bytes[..offset.min(bytes.len())];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        Self {
            line: 1 + before.split(|&byte| byte == b'\n').skip(1).count() as u32,
            column: 1 + String::from_utf8_lossy(&before[start..]).chars().count() as u32,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What went wrong with a file. Shown once, as a notice or on standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    /// Sort, for code.
    pub kind: Kind,
    /// What could not be done, such as "Could not open plan.ron".
    pub title: String,
    /// Why, in a sentence without full stop.
    pub detail: String,
    /// What to do about it; empty if there is nothing to advise.
    pub hint: String,
    /// The file.
    pub path: PathBuf,
    /// Where in the file.
    pub at: Option<Position>,
}

impl FileProblem {
    /// A problem without a place in the file.
    pub fn new(kind: Kind, verb: &str, path: &Path, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
        Self {
            kind,
            title: format!("Could not {verb} {name}"),
            detail: detail.into(),
            hint: hint.into(),
            path: path.to_owned(),
            at: None,
        }
    }

    /// The same with a place in the file.
    pub fn at(mut self, position: Position) -> Self {
        self.at = Some(position);
        self
    }

    /// From what the system reported; `verb` says what was tried, such as "open" or "save".
    pub fn from_io(verb: &str, path: &Path, error: &io::Error) -> Self {
        let saving = verb == "save";
        let (kind, detail, hint) = match error.kind() {
            io::ErrorKind::NotFound if saving => {
                (Kind::NotFound, "the folder does not exist", "Make the folder, or save elsewhere")
            }
            io::ErrorKind::NotFound => (Kind::NotFound, "there is no such file", "Check the path"),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem if saving => {
                (Kind::Denied, "the folder cannot be written", "Save elsewhere, or ask for the right to write there")
            }
            io::ErrorKind::PermissionDenied => {
                (Kind::Denied, "the system does not allow it", "Ask the owner of the file for the right to read it")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (Kind::DiskFull, "the disk is full", "Free some space, or save elsewhere; the old file is unchanged")
            }
            io::ErrorKind::NotADirectory => {
                (Kind::NotFound, "a part of the path is a file, not a folder", "Check the path")
            }
            io::ErrorKind::AlreadyExists => {
                (Kind::Exists, "a file of this name is there already", "Choose another name, or allow to replace it")
            }
            _ => return Self::new(Kind::System, verb, path, format!("the system reports: {error}"), ""),
        };
        Self::new(kind, verb, path, detail, hint)
    }

    /// The place as `path:line:column`, as editors understand it.
    pub fn place(&self) -> String {
        match self.at {
            Some(position) => format!("{}:{position}", self.path.display()),
            None => self.path.display().to_string(),
        }
    }
}

impl fmt::Display for FileProblem {
    /// Title, reason and hint on up to three lines, the place last.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.title, self.detail)?;
        if !self.hint.is_empty() {
            writeln!(f, "{}", self.hint)?;
        }
        f.write_str(&self.place())
    }
}

impl std::error::Error for FileProblem {}
