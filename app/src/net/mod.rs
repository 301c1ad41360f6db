//! The network thread: whatever speaks with a source runs here, so that no window waits.
//!
//! One thread named `net` with one runtime. Every question is a task that can be cancelled; answers wait in a queue with a
//! bound, and tasks wait when nobody takes them. Nothing in here knows a window: `wake` is called after each answer.

mod ask;
mod door;
mod error;
mod look;
mod secret;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::thread::{Builder, JoinHandle};

use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::io::files;
use crate::io::problem::Kind;
use crate::io::worker::Wake;

pub use door::Surroundings;
pub use error::{NetError, NetErrorKind};
pub use look::{Looked, Span, Wanted, look};

/// Questions that may run, and answers that may wait.
const QUEUE: usize = 64;

/// Reads a text beside the thread: a file on a server that hangs must not stop other questions.
async fn read_file(path: &str, limit_bytes: u64) -> Result<String, NetError> {
    let path = PathBuf::from(path);
    let read = tokio::task::spawn_blocking(move || files::read_text(&path, limit_bytes)).await;
    Ok(read.map_err(|_ended| NetError::new(NetErrorKind::File(Kind::Bug), "the file could not be read", ""))??)
}

/// An answer.
#[derive(Debug)]
pub struct Answered<T> {
    /// What [`Net::submit`] returned for the question.
    pub id: u64,
    /// The answer; absent if the question was cancelled or ended by a fault of the program.
    pub answer: Option<T>,
}

/// The thread. Dropping it ends every task and the thread, at once.
pub struct Net<T> {
    runtime: Handle,
    running: BTreeMap<u64, AbortHandle>,
    outbox: Sender<Answered<T>>,
    answers: Receiver<Answered<T>>,
    wake: Wake,
    next_id: u64,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Net<T> {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the system gives no thread or no runtime.
    pub fn start(wake: Wake) -> std::io::Result<Self> {
        // Another part of the program may have chosen one already; any will do.
        #[expect(deprecated, reason = "ring has no post-quantum keys; the other provider needs a minute of C")]
        rustls::crypto::ring::default_provider().install_default().ok();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let (outbox, answers) = channel(QUEUE);
        let thread = Builder::new().name("net".to_owned()).spawn(move || {
            // Nothing is ever sent: it ends when the other side is dropped.
            runtime.block_on(stopped).ok();
            // A file or the lookup of a name may hang; it is not waited for.
            runtime.shutdown_background();
        })?;
        let (running, next_id) = (BTreeMap::new(), 0);
        Ok(Self { runtime: handle, running, outbox, answers, wake, next_id, stop: Some(stop), thread: Some(thread) })
    }

    /// Asks, and returns at once; `None` if very many questions run already.
    pub fn submit(&mut self, task: impl Future<Output = T> + Send + 'static) -> Option<u64> {
        self.running.retain(|_, task| !task.is_finished());
        if self.running.len() >= QUEUE {
            return None;
        }
        let id = self.next_id;
        self.next_id += 1;
        let task = self.runtime.spawn(task);
        self.running.insert(id, task.abort_handle());
        let (outbox, wake) = (self.outbox.clone(), self.wake.clone());
        self.runtime.spawn(async move {
            let answer = task.await.ok();
            if outbox.send(Answered { id, answer }).await.is_ok() {
                wake();
            }
        });
        Some(id)
    }

    /// Ends a question; its answer will be absent, unless it is there already.
    pub fn cancel(&mut self, id: u64) {
        if let Some(task) = self.running.remove(&id) {
            task.abort();
        }
    }

    /// The next answer, at once.
    pub fn try_recv(&mut self) -> Option<Answered<T>> {
        self.answers.try_recv().ok()
    }

    /// Waits for the next answer, for the command line, which has nothing else to do; never ends if nothing was asked.
    pub fn recv(&mut self) -> Option<Answered<T>> {
        self.answers.blocking_recv()
    }
}

impl<T> Drop for Net<T> {
    fn drop(&mut self) {
        self.stop = None;
        self.answers.close();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}
