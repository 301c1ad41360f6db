//! Copies of unsaved documents, and their recovery after a crash.
//!
//! Each running program owns a folder `<data>/autosave/<session>/` with one file for each document
//! and a `lock` that the system releases when the program ends, however it ends. So a folder whose
//! lock is held belongs to a second window that is alive; a folder whose lock is free belongs to a
//! program that crashed or was killed, and what is in it is offered for recovery.
//!
//! An autosave is one head line in RON, then the document's text as it is: a person can rescue it
//! with any editor.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use planning::plan::DocumentId;
use serde::{Deserialize, Serialize};

use super::files::{self, READ_LIMIT_BYTES};
use super::problem::{FileProblem, Kind};

const KIND: &str = "podium-autosave";
const FORMAT: u32 = 1;
const EXTENSION: &str = "autosave";
const LOCK: &str = "lock";
/// Room for the head line above the limit of documents.
const LIMIT_BYTES: u64 = READ_LIMIT_BYTES + 65_536;

#[derive(Debug, Serialize, Deserialize)]
struct Head {
    kind: String,
    format: u32,
    document: DocumentId,
    path: Option<PathBuf>,
    text_bytes: u64,
    text_hash: u64,
}

/// An unsaved document that a crashed program left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovery {
    /// Which document.
    pub document: DocumentId,
    /// Name for people: the file's, or "Untitled".
    pub name: String,
    /// The document's file, if it had one.
    pub path: Option<PathBuf>,
    /// When the copy was made.
    pub saved_at: SystemTime,
    /// Whether the copy is newer than the document's file, or there is no such file.
    pub newer_than_document: bool,
    file: PathBuf,
    older: Vec<PathBuf>,
}

/// What crashed programs left behind.
#[derive(Debug, Default)]
pub struct Recovered {
    /// The newest copy of each document, the newest document first.
    pub offers: Vec<Recovery>,
    /// Copies that could not be read; they were left where they are.
    pub skipped: Vec<FileProblem>,
}

/// The autosaves of this running program. Dropping it without [`Autosaves::close`] leaves them to
/// be recovered.
#[derive(Debug)]
pub struct Autosaves {
    root: PathBuf,
    session: PathBuf,
    _lock: File,
}

impl Autosaves {
    /// Begins a session under the program's data folder (see [`super::data_dir`]), which is made if needed.
    pub fn open(data_dir: &Path) -> Result<Self, FileProblem> {
        let root = data_dir.join("autosave");
        let io = |error: &std::io::Error| FileProblem::from_io("save", &root, error);
        fs::create_dir_all(&root).map_err(|e| io(&e))?;
        let prefix = format!("{}-", std::process::id());
        let session = tempfile::Builder::new().prefix(&prefix).tempdir_in(&root).map_err(|e| io(&e))?.keep();
        // Held before it has its name, so that nobody ever finds it free.
        let young = session.join("lock.new");
        let lock = File::create(&young).map_err(|e| io(&e))?;
        lock.lock().and_then(|()| fs::rename(&young, session.join(LOCK))).map_err(|e| io(&e))?;
        Ok(Self { root, session, _lock: lock })
    }

    /// Replaces the copy of a document, atomically.
    pub fn write(&self, document: &DocumentId, text: &str, original: Option<&Path>) -> Result<(), FileProblem> {
        let target = self.file_of(document);
        let head = Head {
            kind: KIND.to_owned(),
            format: FORMAT,
            document: document.clone(),
            // A path that is not Unicode cannot be written down; the copy then counts as untitled.
            path: original.filter(|path| path.to_str().is_some()).map(Path::to_owned),
            text_bytes: text.len() as u64,
            text_hash: files::hash(text.as_bytes()),
        };
        let head = ron::to_string(&head)
            .map_err(|error| FileProblem::new(Kind::Bug, "save", &target, error.to_string(), ""))?;
        files::save_atomic(&target, format!("{head}\n{text}").as_bytes(), None).map(|_stamp| ())
    }

    /// Removes the copy of a document, because it was saved or closed.
    pub fn remove(&self, document: &DocumentId) {
        fs::remove_file(self.file_of(document)).ok();
    }

    /// Ends the session cleanly: nothing of it is offered again.
    pub fn close(self) {
        fs::remove_dir_all(&self.session).ok();
    }

    /// Documents of sessions whose program is no longer alive. Copies that equal their document's
    /// file are of no use and are removed; so are folders that hold nothing.
    pub fn recoverable(&self) -> Recovered {
        let mut found = Recovered::default();
        let Ok(sessions) = fs::read_dir(&self.root) else { return found };
        let mut copies = Vec::new();
        for session in sessions.flatten().map(|entry| entry.path()) {
            if session != self.session && session.is_dir() && !is_alive(&session) {
                collect(&session, &mut copies, &mut found.skipped);
            }
        }
        copies.sort_by(|a, b| (b.saved_at, &b.document, &b.file).cmp(&(a.saved_at, &a.document, &a.file)));
        for copy in copies {
            match found.offers.iter_mut().find(|offer| same_document(offer, &copy)) {
                Some(newest) => newest.older.push(copy.file),
                None => found.offers.push(copy),
            }
        }
        found.skipped.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    fn file_of(&self, document: &DocumentId) -> PathBuf {
        // An id may hold anything, a file name may not.
        self.session.join(format!("{:016x}.{EXTENSION}", files::hash(document.0.as_bytes())))
    }
}

impl Recovery {
    /// The text that was not saved.
    pub fn read(&self) -> Result<String, FileProblem> {
        read(&self.file).map(|(_head, text)| text)
    }

    /// Removes this copy and older ones of the same document.
    pub fn discard(self) {
        for file in self.older.iter().chain([&self.file]) {
            fs::remove_file(file).ok();
            if let Some(session) = file.parent() {
                remove_if_empty(session);
            }
        }
    }
}

/// A copied file keeps its document's id, so the path counts as well.
fn same_document(a: &Recovery, b: &Recovery) -> bool {
    a.document == b.document && a.path == b.path
}

fn is_alive(session: &Path) -> bool {
    match files::open_plain(&session.join(LOCK), "open") {
        Ok((lock, _meta)) => matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
        // Between making its folder and its lock a program has nothing to recover yet; what is no file is no lock.
        Err(_no_lock) => false,
    }
}

fn collect(session: &Path, copies: &mut Vec<Recovery>, skipped: &mut Vec<FileProblem>) {
    let Ok(entries) = fs::read_dir(session) else { return };
    for file in entries.flatten().map(|entry| entry.path()) {
        if file.extension().is_some_and(|extension| extension == EXTENSION) {
            match inspect(&file) {
                Ok(Some(copy)) => copies.push(copy),
                Ok(None) => drop(fs::remove_file(&file)),
                Err(problem) => skipped.push(problem),
            }
        }
    }
    remove_if_empty(session);
}

/// Removes a folder that holds no copies any more; one that holds some stays.
fn remove_if_empty(session: &Path) {
    let is_copy = |entry: fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == EXTENSION);
    // A program that has just started makes its lock first: without a lock the folder is too young to judge.
    if session.join(LOCK).exists()
        && fs::read_dir(session).is_ok_and(|mut entries| !entries.any(|e| e.is_ok_and(is_copy)))
    {
        fs::remove_dir_all(session).ok();
    }
}

/// The copy as an offer; `None` if the document's file holds the same text.
fn inspect(file: &Path) -> Result<Option<Recovery>, FileProblem> {
    let (head, text) = read(file)?;
    let io = |error: &std::io::Error| FileProblem::from_io("open", file, error);
    let saved_at = fs::metadata(file).and_then(|meta| meta.modified()).map_err(|e| io(&e))?;
    let document_time = head.path.as_deref().and_then(|path| fs::metadata(path).ok()?.modified().ok());
    let is_saved =
        head.path.as_deref().is_some_and(|path| files::read_text(path, READ_LIMIT_BYTES).is_ok_and(|t| t == text));
    if is_saved {
        return Ok(None);
    }
    let name = head.path.as_deref().and_then(Path::file_name);
    Ok(Some(Recovery {
        name: name.map_or_else(|| "Untitled".to_owned(), |name| name.to_string_lossy().into_owned()),
        document: head.document,
        path: head.path,
        saved_at,
        newer_than_document: document_time.is_none_or(|time| time <= saved_at),
        file: file.to_owned(),
        older: Vec::new(),
    }))
}

/// Head and text of a copy that is whole.
fn read(file: &Path) -> Result<(Head, String), FileProblem> {
    let damaged = |why: &str| {
        FileProblem::new(Kind::Content, "recover", file, format!("the autosave is damaged: {why}"), "The file was kept")
    };
    let all = files::read_text(file, LIMIT_BYTES)?;
    let (head, text) = all.split_once('\n').ok_or_else(|| damaged("it ends too early"))?;
    let head: Head = ron::from_str(head).map_err(|error| damaged(&error.code.to_string()))?;
    if head.kind != KIND || head.format > FORMAT {
        return Err(damaged("it was not written by this version of Podium"));
    }
    if head.text_bytes != text.len() as u64 || head.text_hash != files::hash(text.as_bytes()) {
        return Err(damaged("its text is not what was written"));
    }
    let text = text.to_owned();
    Ok((head, text))
}
