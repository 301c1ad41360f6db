//! Undo by keeping the past, not by inverting it.
//!
//! Each step remembers the value before it behind an [`Arc`], so no edit needs an inverse and a job may go on
//! holding the value it was started from. A gesture (one drag, one run of typing) is one step however many edits
//! it makes, and a gesture that ends where it began is no step at all. Every value ever shown has its own revision,
//! which undo brings back: equal revisions mean equal values, which is what derived views are remembered by.

use std::sync::Arc;

/// How many steps are kept; the oldest fall off.
pub const MAX_STEPS: usize = 200;

/// One continuous action of the hand, for instance one drag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gesture(pub u64);

/// A value that was present at some time.
#[derive(Debug, Clone)]
struct Version<T> {
    value: Arc<T>,
    revision: u64,
}

/// A version on the other side of a step, and what the step is called.
#[derive(Debug, Clone)]
struct Step<T> {
    label: String,
    other_side: Version<T>,
}

/// A value with what was done and what was undone.
#[derive(Debug, Clone)]
pub struct History<T> {
    present: Version<T>,
    /// Oldest first; each holds the value before its step.
    done: Vec<Step<T>>,
    /// The next to redo is last; each holds the value after its step.
    undone: Vec<Step<T>>,
    /// The gesture that the newest step belongs to, while it goes on.
    open: Option<Gesture>,
    last_revision: u64,
    saved_revision: Option<u64>,
}

impl<T: Clone + PartialEq> History<T> {
    /// Starts with nothing to undo, and as saved.
    pub fn new(value: T) -> Self {
        Self {
            present: Version { value: Arc::new(value), revision: 0 },
            done: Vec::new(),
            undone: Vec::new(),
            open: None,
            last_revision: 0,
            saved_revision: Some(0),
        }
    }

    /// Starts with nothing to undo, but not saved anywhere: a recovered or imported document.
    pub fn unsaved(value: T) -> Self {
        Self { saved_revision: None, ..Self::new(value) }
    }

    /// The value now.
    pub const fn present(&self) -> &Arc<T> {
        &self.present.value
    }

    /// Number of the value now; equal numbers mean equal values.
    pub const fn revision(&self) -> u64 {
        self.present.revision
    }

    /// What [`Self::undo`] would take back.
    pub fn undo_label(&self) -> Option<&str> {
        self.done.last().map(|step| step.label.as_str())
    }

    /// What [`Self::redo`] would do again.
    pub fn redo_label(&self) -> Option<&str> {
        self.undone.last().map(|step| step.label.as_str())
    }

    /// Whether the value differs from the one that was last saved.
    pub fn is_dirty(&self) -> bool {
        self.saved_revision != Some(self.present.revision)
    }

    /// To be called once the value of this revision has reached the disk.
    pub const fn mark_saved(&mut self, revision: u64) {
        self.saved_revision = Some(revision);
    }

    /// Changes the value as one step; says whether anything changed. A failed change leaves no trace.
    pub fn edit<E>(
        &mut self,
        label: impl Into<String>,
        gesture: Option<Gesture>,
        change: impl FnOnce(&mut T) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut next = T::clone(&self.present.value);
        change(&mut next)?;
        if next == *self.present.value {
            return Ok(false);
        }
        self.undone.clear();
        let continues = gesture.is_some() && gesture == self.open;
        self.open = gesture;
        if !continues {
            self.done.push(Step { label: label.into(), other_side: self.present.clone() });
            if self.done.len() > MAX_STEPS {
                self.done.remove(0);
            }
        } else if let Some(first) = self.done.pop_if(|step| next == *step.other_side.value) {
            self.present = first.other_side;
            self.open = None;
            return Ok(true);
        }
        self.last_revision += 1;
        self.present = Version { value: Arc::new(next), revision: self.last_revision };
        Ok(true)
    }

    /// The hand was lifted: the next edit is a new step.
    pub const fn end_gesture(&mut self) {
        self.open = None;
    }

    /// Takes the newest step back; its label, or `None` if there is nothing to undo.
    pub fn undo(&mut self) -> Option<String> {
        self.open = None;
        let Step { label, other_side } = self.done.pop()?;
        let after = std::mem::replace(&mut self.present, other_side);
        self.undone.push(Step { label: label.clone(), other_side: after });
        Some(label)
    }

    /// Does the newest undone step again; its label, or `None` if there is nothing to redo.
    pub fn redo(&mut self) -> Option<String> {
        self.open = None;
        let Step { label, other_side } = self.undone.pop()?;
        let before = std::mem::replace(&mut self.present, other_side);
        self.done.push(Step { label: label.clone(), other_side: before });
        Some(label)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn set(history: &mut History<u8>, value: u8, gesture: Option<u64>) -> bool {
        let change = |v: &mut u8| {
            *v = value;
            Ok::<(), Infallible>(())
        };
        history.edit("Set", gesture.map(Gesture), change).unwrap()
    }

    #[derive(Debug, Clone)]
    enum Op {
        Set(u8),
        Drag(Vec<u8>),
        Undo,
        Redo,
        Save,
    }

    fn op() -> impl Strategy<Value = Op> {
        prop_oneof![
            4 => (0_u8..4).prop_map(Op::Set),
            2 => prop::collection::vec(0_u8..4, 1..5).prop_map(Op::Drag),
            3 => Just(Op::Undo),
            2 => Just(Op::Redo),
            1 => Just(Op::Save),
        ]
    }

    proptest! {
        /// Agrees with the plain model: a list of values and a cursor into it.
        #[test]
        fn behaves_like_a_list_with_a_cursor(ops in prop::collection::vec(op(), 0..60)) {
            let mut history = History::new(0_u8);
            let (mut values, mut cursor, mut saved) = (vec![0_u8], 0_usize, Some(0));
            let mut seen = BTreeMap::new();
            for (n, op) in ops.into_iter().enumerate() {
                let targets = match op {
                    Op::Set(value) => Some((vec![value], None)),
                    Op::Drag(path) => Some((path, Some(n as u64))),
                    Op::Undo => { history.undo(); cursor = cursor.saturating_sub(1); None }
                    Op::Redo => { history.redo(); cursor = (cursor + 1).min(values.len() - 1); None }
                    Op::Save => { history.mark_saved(history.revision()); saved = Some(cursor); None }
                };
                if let Some((path, gesture)) = targets {
                    let start = values[cursor];
                    let moved = path.iter().any(|v| *v != start);
                    for value in &path {
                        set(&mut history, *value, gesture);
                    }
                    history.end_gesture();
                    if moved {
                        values.truncate(cursor + 1);
                        if saved.is_some_and(|s| s > cursor) { saved = None; }
                    }
                    // A drag back to its start leaves only a lost future; one through its start begins anew there.
                    if *path.last().unwrap() != start {
                        values.push(*path.last().unwrap());
                        cursor += 1;
                    }
                }
                prop_assert_eq!(**history.present(), values[cursor]);
                prop_assert_eq!(history.undo_label().is_some(), cursor > 0);
                prop_assert_eq!(history.redo_label().is_some(), cursor + 1 < values.len());
                prop_assert_eq!(history.is_dirty(), saved != Some(cursor));
                let value = *seen.entry(history.revision()).or_insert(**history.present());
                prop_assert_eq!(value, **history.present(), "equal revisions mean equal values");
            }
        }
    }

    #[test]
    fn a_drag_is_one_step() {
        let mut history = History::new(0);
        for x in 1..=50 {
            set(&mut history, x, Some(7));
        }
        history.end_gesture();
        assert_eq!(history.undo().as_deref(), Some("Set"));
        assert_eq!((**history.present(), history.undo()), (0, None));
    }

    #[test]
    fn a_drag_back_to_where_it_began_is_no_step_and_leaves_the_document_clean() {
        let mut history = History::new(3);
        for x in [4, 5, 3] {
            set(&mut history, x, Some(7));
        }
        assert_eq!((history.undo_label(), history.is_dirty(), history.revision()), (None, false, 0));
    }

    #[test]
    fn writing_the_same_value_every_frame_leaves_no_trace() {
        let mut history = History::new(3);
        assert!(!(0..1000).any(|_| set(&mut history, 3, None)));
        assert_eq!((history.undo_label(), history.is_dirty()), (None, false));
    }

    #[test]
    fn a_failed_change_leaves_no_trace() {
        let mut history = History::new(3);
        let failed = history.edit("Break", None, |v| {
            *v = 4;
            Err("no")
        });
        assert_eq!((failed, **history.present(), history.undo_label()), (Err("no"), 3, None));
    }

    #[test]
    fn a_save_that_ends_after_a_later_edit_leaves_the_document_dirty() {
        let mut history = History::new(0);
        set(&mut history, 1, None);
        let being_saved = history.revision();
        set(&mut history, 2, None);
        history.mark_saved(being_saved);
        assert!(history.is_dirty());
        history.undo();
        assert!(!history.is_dirty());
    }

    #[test]
    fn a_job_keeps_the_value_it_started_from_and_old_steps_fall_off() {
        let mut history = History::new(0);
        let input = Arc::clone(history.present());
        for x in 0..MAX_STEPS + 20 {
            set(&mut history, (x % 2 + 1) as u8, None);
        }
        assert_eq!(*input, 0);
        assert_eq!(std::iter::from_fn(|| history.undo()).count(), MAX_STEPS);
    }
}
