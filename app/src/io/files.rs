//! Reading text with a bound on memory, and saving so that a crash never leaves half a file.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::problem::{FileProblem, Kind, Position};

/// Largest file that is read unless a caller says otherwise, in bytes (64 MiB).
pub const READ_LIMIT_BYTES: u64 = 64 << 20;

/// Temporary files of unfinished saves are named so.
const TEMP_PREFIX: &str = ".podium-";
const TEMP_SUFFIX: &str = ".tmp";
/// An unfinished save older than this belongs to a killed run.
const TEMP_LIFETIME: Duration = Duration::from_hours(1);
/// Longest chain of symbolic links that is followed to a file that does not exist yet.
const MAX_LINKS: usize = 16;

/// What a file was when it was read or written, to notice that somebody else changed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    len_bytes: u64,
    modified: Option<SystemTime>,
    hash: u64,
}

impl Stamp {
    fn new(meta: &Metadata, bytes: &[u8]) -> Self {
        Self { len_bytes: bytes.len() as u64, modified: meta.modified().ok(), hash: hash(bytes) }
    }

    /// Whether the file still holds the same bytes. A file of the same length and time counts as
    /// unchanged without being read; a file that is gone counts as changed.
    pub fn still_holds(&self, path: &Path) -> bool {
        let Ok(meta) = fs::metadata(path) else { return false };
        let looks_same = meta.modified().ok() == self.modified && self.modified.is_some();
        meta.len() == self.len_bytes && (looks_same || self.same_bytes(path))
    }

    fn same_bytes(&self, path: &Path) -> bool {
        read_bytes(path, self.len_bytes, "read").is_ok_and(|(bytes, _)| hash(&bytes) == self.hash)
    }
}

/// FNV-1a of 64 bits: notices changes, is no protection against forgery.
/// <http://www.isthe.com/chongo/tech/comp/fnv/>
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A text and what its file was when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The text, without a byte order mark.
    pub text: String,
    /// For [`save_atomic`].
    pub stamp: Stamp,
}

/// Reads a UTF-8 text of at most `limit_bytes`.
pub fn read_text(path: &Path, limit_bytes: u64) -> Result<String, FileProblem> {
    open_text(path, limit_bytes).map(|opened| opened.text)
}

/// Reads a UTF-8 text of at most `limit_bytes`, with the stamp that a later save needs.
pub fn open_text(path: &Path, limit_bytes: u64) -> Result<Opened, FileProblem> {
    let (bytes, meta) = read_bytes(path, limit_bytes, "open")?;
    let stamp = Stamp::new(&meta, &bytes);
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        not_text(path, error.as_bytes(), offset)
    })?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    Ok(Opened { text, stamp })
}

/// Reads a whole file. Memory stays below the limit even if the file grows meanwhile or has no length.
fn read_bytes(path: &Path, limit_bytes: u64, verb: &str) -> Result<(Vec<u8>, Metadata), FileProblem> {
    let io = |error: &io::Error| FileProblem::from_io(verb, path, error);
    let (file, meta) = open_plain(path, verb)?;
    if meta.len() > limit_bytes {
        return Err(too_large(path, meta.len(), limit_bytes, verb));
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    file.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(|e| io(&e))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(too_large(path, bytes.len() as u64, limit_bytes, verb));
    }
    Ok((bytes, meta))
}

/// Opens a plain file for reading and refuses everything else without waiting for it.
pub(super) fn open_plain(path: &Path, verb: &str) -> Result<(File, Metadata), FileProblem> {
    let io = |error: &io::Error| FileProblem::from_io(verb, path, error);
    // Before opening, because opening a pipe waits for a writer.
    refuse_special(path, &fs::metadata(path).map_err(|e| io(&e))?, verb)?;
    let file = File::open(path).map_err(|e| io(&e))?;
    let meta = file.metadata().map_err(|e| io(&e))?;
    refuse_special(path, &meta, verb)?;
    Ok((file, meta))
}

fn refuse_special(path: &Path, meta: &Metadata, verb: &str) -> Result<(), FileProblem> {
    let what = if meta.is_file() {
        return Ok(());
    } else if meta.is_dir() {
        "this is a folder"
    } else {
        "this is a pipe, a socket or a device"
    };
    Err(FileProblem::new(Kind::NotAFile, verb, path, what, "Choose a file"))
}

fn too_large(path: &Path, len: u64, limit: u64, verb: &str) -> FileProblem {
    let detail = format!("the file holds {}, the limit is {}", size_text(len), size_text(limit));
    FileProblem::new(Kind::TooLarge, verb, path, detail, "Check that it is the right file, or split it")
}

fn size_text(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=1_048_575 => format!("{:.0} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.0} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// First bytes of formats that people mistake for ours, and what to call them.
const FOREIGN: [(&[u8], &str); 8] = [
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"PK\x03\x04", "a zip archive (perhaps an office document)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

fn not_text(path: &Path, bytes: &[u8], offset: usize) -> FileProblem {
    let problem = |detail: String, hint| FileProblem::new(Kind::NotText, "open", path, detail, hint);
    if let Some((_, name)) = FOREIGN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return problem(format!("this is {name}, not UTF-8 text"), "Choose another file, or save it as UTF-8 text");
    }
    let detail = format!("it is not UTF-8 text: byte {offset} (0x{:02x}) does not belong there", bytes[offset]);
    problem(detail, "Save it as UTF-8, or restore an undamaged copy").at(Position::of_offset(bytes, offset))
}

/// Replaces a file as a whole: after a crash at any moment the old or the new bytes are there, never a mixture.
///
/// A symbolic link stays one; its target is replaced. Permissions are kept, and the owner where the
/// system allows it; hard links are not. With `expected`, a file that somebody else changed since is
/// left alone and reported as [`Kind::ChangedOnDisk`].
pub fn save_atomic(path: &Path, bytes: &[u8], expected: Option<&Stamp>) -> Result<Stamp, FileProblem> {
    let io = |error: &io::Error| FileProblem::from_io("save", path, error);
    let target = resolve_links(path).map_err(|e| io(&e))?;
    let old = match fs::metadata(&target) {
        Ok(meta) => Some(meta),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(io(&error)),
    };
    if let Some(meta) = &old {
        refuse_special(path, meta, "save")?;
        refuse_read_only(path, meta)?;
        if expected.is_some_and(|stamp| meta.len() != stamp.len_bytes || !stamp.same_bytes(&target)) {
            return Err(changed_on_disk(path));
        }
    }
    let temp = write_temp(&target, bytes, old.as_ref()).map_err(|e| io(&e))?;
    let file = temp.persist(&target).map_err(|e| io(&e.error))?;
    finish(&target, &file, bytes).map_err(|e| io(&e))
}

/// Writes a file that must not exist yet, atomically; [`Kind::Exists`] if it does.
pub fn save_new(path: &Path, bytes: &[u8]) -> Result<Stamp, FileProblem> {
    let io = |error: &io::Error| FileProblem::from_io("save", path, error);
    if fs::symlink_metadata(path).is_ok() {
        return Err(io(&io::ErrorKind::AlreadyExists.into()));
    }
    let temp = write_temp(path, bytes, None).map_err(|e| io(&e))?;
    let file = temp.persist_noclobber(path).map_err(|e| io(&e.error))?;
    finish(path, &file, bytes).map_err(|e| io(&e))
}

/// The file that a path names through symbolic links, also if that file does not exist yet.
fn resolve_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = folder_of(&target).join(next),
            Err(_not_a_link) => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn refuse_read_only(path: &Path, meta: &Metadata) -> Result<(), FileProblem> {
    if !meta.permissions().readonly() {
        return Ok(());
    }
    let hint = "Save under another name, or allow writing to the file";
    Err(FileProblem::new(Kind::Denied, "save", path, "the file is read-only", hint))
}

fn changed_on_disk(path: &Path) -> FileProblem {
    let detail = "another program changed the file since it was opened";
    let hint = "Save under another name, open the file again, or replace it knowingly";
    FileProblem::new(Kind::ChangedOnDisk, "save", path, detail, hint)
}

/// A synced temporary file beside the target, with the permissions that the target shall have.
fn write_temp(target: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<tempfile::NamedTempFile> {
    let folder = folder_of(target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMP_PREFIX).suffix(TEMP_SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Like any new file: the user's mask applies.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temp = builder.tempfile_in(folder)?;
    temp.write_all(bytes)?;
    if let Some(old) = old {
        keep_owner(temp.as_file(), old);
        temp.as_file().set_permissions(old.permissions())?;
    }
    temp.as_file().sync_all()?;
    // The file system's own clock, which may differ from this machine's.
    if let Ok(now) = temp.as_file().metadata().and_then(|meta| meta.modified()) {
        sweep_leftovers(folder, now);
    }
    Ok(temp)
}

#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    // Only the system's administrator may give a file away; for all others the file becomes theirs.
    fchown(file, Some(old.uid()), Some(old.gid())).ok();
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _old: &Metadata) {}

/// Makes the rename itself durable and stamps the result.
fn finish(target: &Path, file: &File, bytes: &[u8]) -> io::Result<Stamp> {
    #[cfg(unix)]
    File::open(folder_of(target))?.sync_all()?;
    Ok(Stamp::new(&file.metadata()?, bytes))
}

/// Removes temporary files that killed runs left behind, as far as that is possible.
fn sweep_leftovers(folder: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name.starts_with(TEMP_PREFIX) && name.ends_with(TEMP_SUFFIX);
        let age = || entry.metadata().ok().filter(Metadata::is_file)?.modified().ok().map(|m| now.duration_since(m));
        if ours && age().is_some_and(|age| age.is_ok_and(|age| age > TEMP_LIFETIME)) {
            fs::remove_file(entry.path()).ok();
        }
    }
}
