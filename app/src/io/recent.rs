//! The files that were opened last.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files;
use super::problem::{FileProblem, Kind};

/// Most files that are remembered.
pub const MAX_RECENT: usize = 12;
const FILE: &str = "recent.ron";
const LIMIT_BYTES: u64 = 1 << 20;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    format: u32,
    files: Vec<PathBuf>,
}

/// The list, kept in the program's data folder. A second window may write it too: each change
/// starts from what is on disk.
#[derive(Debug, Clone)]
pub struct Recent {
    file: PathBuf,
}

impl Recent {
    /// The list in this data folder (see [`super::data_dir`]).
    pub fn in_dir(data_dir: &Path) -> Self {
        Self { file: data_dir.join(FILE) }
    }

    /// The newest first, files that are gone included. An unreadable list is an empty one.
    pub fn list(&self) -> Vec<PathBuf> {
        let text = files::read_text(&self.file, LIMIT_BYTES).unwrap_or_default();
        let mut stored = ron::from_str::<Stored>(&text).unwrap_or_default();
        stored.files.truncate(MAX_RECENT);
        stored.files
    }

    /// Puts a file in front.
    pub fn add(&self, path: &Path) -> Result<(), FileProblem> {
        let path = std::path::absolute(path).unwrap_or_else(|_no_working_folder| path.to_owned());
        // The list is text; a name that is not Unicode cannot be remembered.
        if path.to_str().is_none() {
            return Ok(());
        }
        let mut list = self.list();
        list.retain(|known| *known != path);
        list.insert(0, path);
        self.store(list)
    }

    /// Takes a file out, because it is gone or the user wishes so.
    pub fn remove(&self, path: &Path) -> Result<(), FileProblem> {
        let mut list = self.list();
        list.retain(|known| known != path);
        self.store(list)
    }

    fn store(&self, mut files: Vec<PathBuf>) -> Result<(), FileProblem> {
        files.truncate(MAX_RECENT);
        let text = ron::ser::to_string_pretty(&Stored { format: 1, files }, ron::ser::PrettyConfig::new())
            .map_err(|error| FileProblem::new(Kind::Bug, "save", &self.file, error.to_string(), ""))?;
        if let Some(folder) = self.file.parent() {
            std::fs::create_dir_all(folder).map_err(|error| FileProblem::from_io("save", &self.file, &error))?;
        }
        files::save_atomic(&self.file, text.as_bytes(), None).map(|_stamp| ())
    }
}
