//! Asking for a file by the system's dialogs, never on the window's thread.
//!
//! On Linux the dialog needs a desktop portal or `zenity`; without both, `rfd` answers "nothing
//! chosen" within milliseconds, exactly as if the user had cancelled. No person cancels that fast,
//! so such an answer is reported as [`Answer::Unavailable`], and the window shows its own path
//! field instead. Questions such as "save changes?" are never asked this way: the window has its own.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

use super::worker::Wake;
use crate::clock::Stopwatch;

/// A dialog that closed sooner than this was never shown.
const SHORTEST_LOOK: Duration = Duration::from_millis(200);

/// A sort of file, such as "Podium plan" with the extension "ron".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Name for people.
    pub name: String,
    /// Extensions without dots.
    pub extensions: Vec<String>,
}

/// What to ask for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Question {
    /// Title of the dialog.
    pub title: String,
    /// Sorts of files.
    pub filters: Vec<Filter>,
    /// Where to begin.
    pub folder: Option<PathBuf>,
    /// Proposed name, when saving.
    pub file_name: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The user chose this file.
    Picked(PathBuf),
    /// The user chose nothing.
    Cancelled,
    /// No dialog could be shown: offer a path field.
    Unavailable,
}

/// An open dialog.
#[derive(Debug)]
pub struct Pending(Receiver<Answer>);

impl Pending {
    /// The answer once it is there, at once. It is given once.
    pub fn poll(&self) -> Option<Answer> {
        match self.0.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Answer::Unavailable),
        }
    }

    fn answered(answer: Answer) -> Self {
        let (sender, receiver) = sync_channel(1);
        sender.send(answer).ok();
        Self(receiver)
    }
}

/// Whoever can ask the user for a file.
pub trait Dialogs {
    /// Asks for a file to open.
    fn pick_open(&mut self, question: Question) -> Pending;
    /// Asks where to save. The dialog itself asks before it returns an existing file.
    fn pick_save(&mut self, question: Question) -> Pending;
}

/// The dialogs of the desktop.
pub struct SystemDialogs {
    wake: Wake,
}

impl SystemDialogs {
    /// `wake` is called when an answer is there.
    pub fn new(wake: Wake) -> Self {
        Self { wake }
    }

    fn ask(&self, show: impl FnOnce() -> Option<PathBuf> + Send + 'static) -> Pending {
        let (sender, receiver) = sync_channel(1);
        let wake = self.wake.clone();
        let thread = Builder::new().name("file dialog".to_owned()).spawn(move || {
            let start = Stopwatch::start();
            let picked = show();
            sender.send(judge(picked, start.elapsed())).ok();
            wake();
        });
        match thread {
            Ok(_runs_by_itself) => Pending(receiver),
            Err(_no_thread) => Pending::answered(Answer::Unavailable),
        }
    }
}

fn judge(picked: Option<PathBuf>, took: Duration) -> Answer {
    match picked {
        Some(path) => Answer::Picked(path),
        None if took < SHORTEST_LOOK => Answer::Unavailable,
        None => Answer::Cancelled,
    }
}

fn dialog(question: Question) -> rfd::FileDialog {
    let mut dialog = rfd::FileDialog::new().set_title(question.title);
    for filter in question.filters {
        dialog = dialog.add_filter(filter.name, &filter.extensions);
    }
    if let Some(folder) = question.folder {
        dialog = dialog.set_directory(folder);
    }
    if let Some(name) = question.file_name {
        dialog = dialog.set_file_name(name);
    }
    dialog
}

impl Dialogs for SystemDialogs {
    fn pick_open(&mut self, question: Question) -> Pending {
        self.ask(move || dialog(question).pick_file())
    }

    fn pick_save(&mut self, question: Question) -> Pending {
        self.ask(move || dialog(question).save_file())
    }
}

/// Answers from a list, for tests and demonstrations without a desktop.
#[derive(Debug, Default)]
pub struct ScriptedDialogs {
    /// The answers still to be given; when there are none, no dialog can be shown.
    pub answers: VecDeque<Answer>,
    /// What was asked so far.
    pub asked: Vec<Question>,
}

impl ScriptedDialogs {
    fn answer(&mut self, question: Question) -> Pending {
        self.asked.push(question);
        Pending::answered(self.answers.pop_front().unwrap_or(Answer::Unavailable))
    }
}

impl Dialogs for ScriptedDialogs {
    fn pick_open(&mut self, question: Question) -> Pending {
        self.answer(question)
    }

    fn pick_save(&mut self, question: Question) -> Pending {
        self.answer(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects users without a portal: a dialog that never appeared must not pass for a cancel.
    #[test]
    fn a_dialog_that_was_never_shown_is_not_a_cancel() {
        assert_eq!(judge(None, Duration::from_millis(28)), Answer::Unavailable);
        assert_eq!(judge(None, Duration::from_secs(2)), Answer::Cancelled);
        assert_eq!(judge(Some("a.ron".into()), Duration::ZERO), Answer::Picked("a.ron".into()));
    }
}
