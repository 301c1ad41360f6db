//! The door to files: reading with a bound, atomic saving, autosaves, recent files, dialogs.
//!
//! Nothing here knows a window. Everything that may block runs on [`worker::Worker`]'s thread in
//! the window, and directly on the command line. Every failure is a [`problem::FileProblem`]: what
//! is wrong, what was meant, what to do, and last the path.

pub mod autosave;
pub mod dialog;
pub mod files;
pub mod problem;
pub mod recent;
pub mod worker;

use std::path::PathBuf;

/// Name of the environment variable that moves the program's own data, for tests and portable installations.
pub const DATA_DIR_VARIABLE: &str = "PODIUM_DATA_DIR";

/// The folder of the program's own data: autosaves and recent files. `None` where the system has no home folder.
pub fn data_dir() -> Option<PathBuf> {
    match std::env::var_os(DATA_DIR_VARIABLE) {
        Some(dir) if !dir.is_empty() => Some(PathBuf::from(dir)),
        _ => directories::ProjectDirs::from("", "", "podium").map(|dirs| dirs.data_dir().to_owned()),
    }
}
