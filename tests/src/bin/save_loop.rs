//! Saves and autosaves two documents in turn until it is killed; the file tests run it.
//!
//! Arguments: the document's path and the data folder.

use std::path::PathBuf;
use std::process::ExitCode;

use app::io::autosave::Autosaves;
use app::io::files::save_atomic;
use app::io::problem::FileProblem;
use planning::plan::DocumentId;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(document), Some(data)) = (arguments.next(), arguments.next()) else { return ExitCode::from(2) };
    match save_for_ever(&document, &data) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_problem) => ExitCode::FAILURE,
    }
}

fn save_for_ever(document: &std::path::Path, data: &std::path::Path) -> Result<(), FileProblem> {
    let autosaves = Autosaves::open(data)?;
    let id = DocumentId("a".to_owned());
    for turn in 0..u64::MAX {
        autosaves.write(&id, &looks::saved_text(turn + 1), Some(document))?;
        save_atomic(document, looks::saved_text(turn).as_bytes(), None)?;
    }
    Ok(())
}
