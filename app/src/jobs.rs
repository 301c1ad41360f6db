//! Work with files that happens beside the window: what is asked, and what comes back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::document::{self, Loaded};
use planning::plan::DocumentId;

use crate::io::autosave::{Autosaves, Recovered, Recovery};
use crate::io::files::{self, Stamp};
use crate::io::problem::FileProblem;
use crate::io::recent::Recent;
use crate::io::worker::{Done, Wake, Worker};

/// What a job was started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Read a file.
    Load(PathBuf),
    /// Write the document of this revision.
    Save {
        /// Where.
        path: PathBuf,
        /// Revision of the history that is written.
        revision: u64,
        /// Generation of the document.
        generation: u64,
    },
    /// Write the autosave.
    Autosave,
    /// Read an autosave.
    Recover,
    /// Write a picture.
    Export(PathBuf),
}

/// What came back.
#[derive(Debug)]
pub enum Outcome {
    /// A file was read.
    Loaded(Box<Loaded>),
    /// The document reached the disk.
    Saved(Stamp),
    /// The autosave reached the disk.
    Autosaved,
    /// An autosave was read.
    Recovered(Box<Recovery>, String),
    /// The picture reached the disk.
    Exported,
}

/// The worker for files, with the program's own data.
pub struct Disk {
    worker: Worker<Outcome>,
    autosaves: Option<Arc<Autosaves>>,
    recent: Option<Recent>,
}

impl Disk {
    /// Starts the worker; `data_dir` is where autosaves and recent files live.
    pub fn start(data_dir: Option<&Path>, wake: Wake) -> (std::io::Result<Self>, Option<FileProblem>) {
        let (autosaves, problem) = match data_dir.map(Autosaves::open) {
            Some(Ok(autosaves)) => (Some(Arc::new(autosaves)), None),
            Some(Err(problem)) => (None, Some(problem)),
            None => (None, None),
        };
        let recent = data_dir.map(Recent::in_dir);
        (Worker::start(wake).map(|worker| Self { worker, autosaves, recent }), problem)
    }

    /// Reads a file; `None` if too much waits already.
    pub fn load(&mut self, path: PathBuf) -> Option<u64> {
        self.worker.submit(move || document::load(&path).map(|loaded| Outcome::Loaded(Box::new(loaded))))
    }

    /// Writes a document; refused if the file is not as `expected`.
    pub fn save(&mut self, path: PathBuf, text: String, expected: Option<Stamp>) -> Option<u64> {
        self.worker.submit(move || files::save_atomic(&path, text.as_bytes(), expected.as_ref()).map(Outcome::Saved))
    }

    /// Writes a file that must not be there yet, unless `replace`.
    pub fn export(&mut self, path: PathBuf, bytes: Vec<u8>, replace: bool) -> Option<u64> {
        self.worker.submit(move || {
            let saved = if replace { files::save_atomic(&path, &bytes, None) } else { files::save_new(&path, &bytes) };
            saved.map(|_stamp| Outcome::Exported)
        })
    }

    /// Writes the autosave of a document; `None` if there is no place for autosaves.
    pub fn autosave(&mut self, id: DocumentId, text: String, original: Option<PathBuf>) -> Option<u64> {
        let autosaves = Arc::clone(self.autosaves.as_ref()?);
        self.worker.submit(move || autosaves.write(&id, &text, original.as_deref()).map(|()| Outcome::Autosaved))
    }

    /// Removes the autosave of a document.
    pub fn forget_autosave(&self, id: &DocumentId) {
        if let Some(autosaves) = &self.autosaves {
            autosaves.remove(id);
        }
    }

    /// What crashed runs left behind.
    pub fn recoverable(&self) -> Recovered {
        self.autosaves.as_ref().map_or_else(Recovered::default, |autosaves| autosaves.recoverable())
    }

    /// Reads an autosave.
    pub fn recover(&mut self, recovery: Recovery) -> Option<u64> {
        self.worker.submit(move || recovery.read().map(|text| Outcome::Recovered(Box::new(recovery), text)))
    }

    /// The next finished job.
    pub fn poll(&self) -> Option<Done<Outcome>> {
        self.worker.try_recv()
    }

    /// Recent files, newest first.
    pub fn recent(&self) -> Vec<PathBuf> {
        self.recent.as_ref().map_or_else(Vec::new, Recent::list)
    }

    /// Puts a file at the head of the recent ones. A list that cannot be written is not worth a notice.
    pub fn remember(&self, path: &Path) -> Vec<PathBuf> {
        if let Some(recent) = &self.recent {
            recent.add(path).ok();
        }
        self.recent()
    }

    /// Ends the session: finishes the jobs, and leaves no autosave to be recovered.
    pub fn close(self) {
        let Self { worker, autosaves, .. } = self;
        drop(worker);
        if let Some(autosaves) = autosaves.and_then(Arc::into_inner) {
            autosaves.close();
        }
    }
}
