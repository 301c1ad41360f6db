//! Listening: few connections at once, each for a short time, all on one thread.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::TcpListener;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::LocalSet;
use tokio::time::{sleep, timeout};

use super::endpoint::{Endpoint, Reply};
use crate::clock::Stopwatch;

/// What a server gives at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; more wait in the queue of the system.
    pub connections: usize,
    /// Time in which a request has to arrive.
    pub request: Duration,
    /// Time in which an answer has to be taken.
    pub connection: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 32, request: Duration::from_secs(5), connection: Duration::from_secs(30) }
    }
}

/// Bytes of the head of a request; scrapers send a few hundred.
const HEAD_BYTES: usize = 16_384;
/// Pause after a connection that could not be taken, as when all file handles are in use.
const PAUSE: Duration = Duration::from_millis(100);

/// Answers until `stop` is done.
///
/// # Errors
/// If the socket or the runtime cannot be used; a fault of one connection ends that connection only.
pub fn serve(
    listener: TcpListener,
    endpoint: Endpoint,
    stop: impl Future<Output = ()>,
    limits: Limits,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, accept(listener, endpoint, stop, limits))
}

async fn accept(
    listener: TcpListener,
    endpoint: Endpoint,
    stop: impl Future<Output = ()>,
    limits: Limits,
) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let endpoint = Rc::new(RefCell::new(endpoint));
    let (slots, start) = (Arc::new(Semaphore::new(limits.connections)), Stopwatch::start());
    tokio::pin!(stop);
    loop {
        let next = async {
            let slot = Arc::clone(&slots).acquire_owned().await;
            (slot, listener.accept().await)
        };
        let (slot, accepted) = tokio::select! { () = &mut stop => return Ok(()), next = next => next };
        let Ok((stream, _peer)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        let endpoint = Rc::clone(&endpoint);
        tokio::task::spawn_local(async move {
            converse(stream, &endpoint, start, limits).await;
            drop(slot);
        });
    }
}

/// One request and its answer. What goes wrong here is the client's affair.
async fn converse(stream: TcpStream, endpoint: &RefCell<Endpoint>, start: Stopwatch, limits: Limits) {
    let answer = |request: Request<Incoming>| {
        let at_seconds = start.elapsed().as_secs_f64();
        let (method, path) = (request.method(), request.uri().path());
        let reply = endpoint.borrow_mut().reply(method, path, request.headers(), at_seconds);
        async move { Ok::<_, Infallible>(response(reply)) }
    };
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.request)
        .max_buf_size(HEAD_BYTES)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service_fn(answer));
    timeout(limits.connection, connection).await.ok();
}

fn response(reply: Reply) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(reply.body));
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(reply.content_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(VARY, HeaderValue::from_static("Accept, Accept-Encoding"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if reply.is_gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if reply.status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// Done when the process is asked to end, or nobody reads its standard output any more.
pub async fn process_ends() {
    tokio::select! {
        () = interrupted() => {}
        () = terminated() => {}
        () = reader_gone() => {}
    }
}

async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending::<()>().await;
}

/// Done when standard output is a pipe whose reader is gone.
#[cfg(unix)]
async fn reader_gone() {
    use std::os::fd::AsFd as _;

    use tokio::io::Interest;
    use tokio::net::unix::pipe::Sender;

    let pipe = io::stdout().as_fd().try_clone_to_owned().and_then(Sender::from_owned_fd);
    if let Ok(pipe) = pipe
        && pipe.ready(Interest::ERROR).await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}

#[cfg(not(unix))]
async fn reader_gone() {
    std::future::pending::<()>().await;
}
