//! What a view or a key asks for. Views push intents; `update` is the only place that obeys them.

use std::path::PathBuf;

use planning::edit::Edit;
use planning::history::Gesture;
use planning::plan::ScenarioId;
use topology::fleet::{PodId, SliceId};

use crate::command::Command;
use crate::view_state::{Selection, View};

/// A wish, with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// A command of the table.
    Run(Command),
    /// One undoable change of the plan.
    Edit(Edit),
    /// One of the changes of a gesture; all of them are one undo step.
    EditDuring(Gesture, Edit),
    /// The gesture has ended.
    EndGesture,
    /// Select something.
    Select(Selection),
    /// Show a pod in Topology and Live.
    ShowPod(PodId),
    /// Show a slice in a view.
    ShowSlice(PodId, SliceId, View),
    /// Really do the work of a scenario.
    RunScenario(ScenarioId),
    /// End that.
    StopRun,
    /// Hold a moment, in Unix seconds; `None` follows the newest sample.
    Hold(Option<i64>),
    /// Open a file of any kind.
    OpenFile(PathBuf),
    /// Save to this file from now on, whatever lies there.
    SaveTo(PathBuf),
    /// Save to this file from now on; ask first if something lies there.
    SaveNew(PathBuf),
    /// Draw the view to this picture; ask first if something lies there.
    ExportTo(PathBuf),
    /// Draw the view to this picture, whatever lies there.
    ReplacePicture(PathBuf),
    /// Open the autosave with this place in the list of offers.
    Recover(usize),
    /// Throw that autosave away.
    Discard(usize),
    /// Look at the offers later.
    LeaveRecoveries,
    /// Go on with what waits for the question about unsaved changes.
    Proceed(Unsaved),
    /// Close a question or a dialog of the window.
    CloseDialog,
    /// Close a notice by its number.
    CloseNotice(u64),
}

/// Answer to the question about unsaved changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unsaved {
    /// Save first, then go on.
    Save,
    /// Lose the changes.
    DontSave,
}

/// Collects wishes while views are drawn.
#[derive(Debug, Default)]
pub struct Intents(Vec<Intent>);

impl Intents {
    /// Adds a wish.
    pub fn push(&mut self, intent: Intent) {
        self.0.push(intent);
    }

    /// Adds a command.
    pub fn run(&mut self, command: Command) {
        self.push(Intent::Run(command));
    }

    /// All wishes so far, in order.
    pub fn take(&mut self) -> Vec<Intent> {
        std::mem::take(&mut self.0)
    }
}
