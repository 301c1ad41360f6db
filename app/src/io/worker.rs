//! One named thread for everything about files that may block.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{Builder, JoinHandle};

use super::problem::{FileProblem, Kind};

/// Jobs and answers that may wait; a user cannot ask faster than that.
const QUEUE: usize = 32;

/// Called when an answer is ready, such as to ask for a repaint.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

type Job<T> = Box<dyn FnOnce() -> Result<T, FileProblem> + Send>;

/// A finished job.
#[derive(Debug)]
pub struct Done<T> {
    /// What [`Worker::submit`] returned for it.
    pub id: u64,
    /// Its answer.
    pub result: Result<T, FileProblem>,
}

/// Runs file jobs one after the other, in the order in which they were submitted.
///
/// Dropping it finishes the jobs that were submitted (a save is never lost), then ends the thread.
pub struct Worker<T: Send + 'static> {
    jobs: Option<SyncSender<(u64, Job<T>)>>,
    done: Option<Receiver<Done<T>>>,
    thread: Option<JoinHandle<()>>,
    next_id: u64,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts the thread.
    pub fn start(wake: Wake) -> std::io::Result<Self> {
        let (jobs, inbox) = sync_channel::<(u64, Job<T>)>(QUEUE);
        let (outbox, done) = sync_channel(QUEUE);
        let thread = Builder::new().name("files".to_owned()).spawn(move || {
            for (id, job) in inbox {
                let result = catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|cause| Err(bug(cause.as_ref())));
                // Nobody waits for the answers of a closing window, but its saves must happen.
                if outbox.send(Done { id, result }).is_ok() {
                    wake();
                }
            }
        })?;
        Ok(Self { jobs: Some(jobs), done: Some(done), thread: Some(thread), next_id: 0 })
    }

    /// Queues a job and returns its number, at once. `None` if very many jobs wait already or the
    /// thread is gone: tell the user and try again.
    pub fn submit(&mut self, job: impl FnOnce() -> Result<T, FileProblem> + Send + 'static) -> Option<u64> {
        let id = self.next_id;
        match self.jobs.as_ref()?.try_send((id, Box::new(job))) {
            Ok(()) => {
                self.next_id += 1;
                Some(id)
            }
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => None,
        }
    }

    /// The next finished job, at once; `None` if there is none now.
    pub fn try_recv(&self) -> Option<Done<T>> {
        self.done.as_ref()?.try_recv().ok()
    }
}

impl<T: Send + 'static> Drop for Worker<T> {
    fn drop(&mut self) {
        // In this order: no answer is waited for, no further job comes, the last ones are finished.
        self.done = None;
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn bug(cause: &(dyn std::any::Any + Send)) -> FileProblem {
    let text = cause.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".to_owned());
    FileProblem {
        kind: Kind::Bug,
        title: "Could not finish a file operation".to_owned(),
        detail: format!("this is a fault of Podium: {text}"),
        hint: "Save under another name, and report the fault".to_owned(),
        path: Path::new("").to_owned(),
        at: None,
    }
}
