//! A thread that computes what was asked last: a newer question ends the work on an older one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use simulator::cancel::Cancel;

use crate::io::worker::Wake;

/// Answers that may wait; the thread waits when there are more.
const QUEUE: usize = 64;

/// What the thread finds when it looks for work.
enum Slot<Q> {
    Empty,
    Asked(Q, Cancel),
    Closed,
}

/// A question may send any number of answers. Dropping it ends the work and waits for the thread, which looks at its
/// [`Cancel`] often.
pub struct Newest<Q, A> {
    slot: Arc<(Mutex<Slot<Q>>, Condvar)>,
    answers: Option<Receiver<A>>,
    current: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl<Q: Send + 'static, A: Send + 'static> Newest<Q, A> {
    /// Starts a thread of this name; `work` answers one question, sends its answers one by one, and gives up soon
    /// after it was cancelled. `wake` is called after each answer.
    pub fn start(
        name: &str,
        wake: Wake,
        work: impl Fn(Q, &Cancel, &mut dyn FnMut(A)) + Send + 'static,
    ) -> std::io::Result<Self> {
        let slot = Arc::new((Mutex::new(Slot::Empty), Condvar::new()));
        let (outbox, answers) = sync_channel(QUEUE);
        let shared = Arc::clone(&slot);
        let thread = Builder::new().name(name.to_owned()).spawn(move || {
            while let Some((question, cancel)) = next(&shared) {
                let mut send = |answer| tell(&outbox, answer, &wake);
                // A fault in a computation loses that answer, not the thread: the next question is still answered.
                catch_unwind(AssertUnwindSafe(|| work(question, &cancel, &mut send))).ok();
            }
        })?;
        Ok(Self { slot, answers: Some(answers), current: Cancel::default(), thread: Some(thread) })
    }

    /// Asks; what was asked before is not wanted any more.
    pub fn ask(&mut self, question: Q) {
        self.cancel();
        self.current = Cancel::default();
        self.put(Slot::Asked(question, self.current.clone()));
    }

    /// Ends the work on the last question.
    pub fn cancel(&self) {
        self.current.set();
    }

    /// The next answer, at once; those of older questions may come too.
    pub fn try_recv(&self) -> Option<A> {
        self.answers.as_ref()?.try_recv().ok()
    }

    fn put(&self, slot: Slot<Q>) {
        let (lock, changed) = &*self.slot;
        *lock.lock().unwrap_or_else(PoisonError::into_inner) = slot;
        changed.notify_one();
    }
}

fn tell<A>(outbox: &SyncSender<A>, answer: A, wake: &Wake) {
    if outbox.send(answer).is_ok() {
        wake();
    }
}

/// Waits for a question; nothing when the owner is gone.
fn next<Q>((lock, changed): &(Mutex<Slot<Q>>, Condvar)) -> Option<(Q, Cancel)> {
    let mut slot = lock.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        match std::mem::replace(&mut *slot, Slot::Empty) {
            Slot::Asked(question, cancel) => return Some((question, cancel)),
            Slot::Closed => return None,
            Slot::Empty => slot = changed.wait(slot).unwrap_or_else(PoisonError::into_inner),
        }
    }
}

impl<Q, A> Drop for Newest<Q, A> {
    fn drop(&mut self) {
        self.current.set();
        // First, so that a thread that waits to be heard does not wait for ever.
        self.answers = None;
        let (lock, changed) = &*self.slot;
        *lock.lock().unwrap_or_else(PoisonError::into_inner) = Slot::Closed;
        changed.notify_one();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    fn quiet() -> Wake {
        Arc::new(|| ())
    }

    /// Protects: a newer question ends the older one, which is what lets an answer follow a slider.
    #[test]
    fn a_newer_question_ends_the_older_one() {
        let (began, beginning) = sync_channel(2);
        let mut newest = Newest::start("test", quiet(), move |question: u32, cancel, send| {
            began.send(question).unwrap();
            while question == 1 && !cancel.is_set() {
                std::thread::yield_now();
            }
            send((question, cancel.is_set()));
        })
        .unwrap();
        newest.ask(1);
        assert_eq!(beginning.recv(), Ok(1));
        newest.ask(2);
        let answers = newest.answers.as_ref().unwrap();
        let answers = [answers.recv(), answers.recv()];
        assert_eq!(answers, [Ok((1, true)), Ok((2, false))]);
    }

    /// Protects: a computation that fails does not silence the ones after it.
    #[test]
    fn the_thread_outlives_a_fault() {
        let (began, beginning) = sync_channel(2);
        let mut newest = Newest::start("test", quiet(), move |question: u32, _cancel, send| {
            began.send(question).unwrap();
            assert!(question != 0, "a fault of the computation");
            send(question);
        })
        .unwrap();
        newest.ask(0);
        assert_eq!(beginning.recv(), Ok(0));
        newest.ask(3);
        assert_eq!(newest.answers.as_ref().unwrap().recv(), Ok(3));
    }
}
