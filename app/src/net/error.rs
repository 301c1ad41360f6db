//! Why a source gave no answer, in words that hold neither secrets nor addresses with secrets.

use std::error::Error;
use std::io;
use std::iter::successors;

use planning::source::SourceError;
use telemetry::prometheus::ApiError;

use crate::io::problem::{FileProblem, Kind};

/// Sort of a failure; [`NetErrorKind::name`] is the `error.kind` of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it; docs/formats.md lists them")]
pub enum NetErrorKind {
    Unreachable,
    TimedOut,
    Certificate,
    Refused,
    Unauthorized,
    Overloaded,
    TooLarge,
    CutOff,
    NotAnAnswer,
    Redirected,
    Credentials,
    File(Kind),
    Source,
}

impl NetErrorKind {
    /// Stable name in lower case with underscores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::TimedOut => "timed_out",
            Self::Certificate => "certificate",
            Self::Refused => "refused",
            Self::Unauthorized => "unauthorized",
            Self::Overloaded => "overloaded",
            Self::TooLarge => "too_large",
            Self::CutOff => "cut_off",
            Self::NotAnAnswer => "not_an_answer",
            Self::Redirected => "redirected",
            Self::Credentials => "credentials",
            Self::File(kind) => kind.name(),
            Self::Source => "source",
        }
    }

    /// Whether the fault is in what was asked: a file, a reference, a setting or the question. Else there was no answer.
    pub const fn is_ours(self) -> bool {
        matches!(self, Self::Refused | Self::TooLarge | Self::Credentials | Self::File(_) | Self::Source)
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NetError {
    /// Sort.
    pub kind: NetErrorKind,
    /// What happened, without full stop.
    pub message: String,
    /// What to do; empty if there is nothing to advise.
    pub hint: String,
    /// HTTP status, where a reply came.
    pub http_status: Option<u16>,
}

impl NetError {
    /// An error of this sort.
    pub fn new(kind: NetErrorKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: hint.into(), http_status: None }
    }

    /// Whether asking again soon may help: the server is busy, or the answer broke off.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self.kind, NetErrorKind::Overloaded | NetErrorKind::CutOff)
    }

    /// The same after enough was tried.
    pub(super) fn after(self, attempts: u32) -> Self {
        if attempts < 2 { self } else { Self { message: format!("{} (asked {attempts} times)", self.message), ..self } }
    }

    /// What went wrong on the way, to the server of this name.
    pub(super) fn of_transport(error: &reqwest::Error, host: &str) -> Self {
        use NetErrorKind as Sort;
        if let Some(fault) = causes(error).find_map(|cause| cause.downcast_ref::<rustls::Error>()) {
            let (what, hint) = if matches!(fault, rustls::Error::AlertReceived(_)) {
                ("does not take the connection", "Give the certificate that it asks for with --cert and --key")
            } else {
                ("cannot be trusted", "Give the authority that signed it with --ca, or correct the name in the address")
            };
            return Self::new(Sort::Certificate, format!("{host} {what}: {fault}"), hint);
        }
        if error.is_timeout() {
            let step = if error.is_connect() { "did not take the call" } else { "did not answer" };
            return Self::new(Sort::TimedOut, format!("{host} {step} in time"), "Ask for less, or allow more time");
        }
        if error.is_connect() {
            let reason = if error.is_dns() { "its name is not known" } else { io_reason(error) };
            let hint = "Look at the address, the tunnel and the proxy";
            return Self::new(Sort::Unreachable, format!("{host} cannot be reached: {reason}"), hint);
        }
        if error.is_builder() {
            return Self::new(
                Sort::Source,
                "the request cannot be made from these settings",
                "Look at address and headers",
            );
        }
        let message = format!("the connection to {host} broke off before the answer was whole");
        Self::new(Sort::CutOff, message, "The last good data are kept; ask again")
    }

    /// What a reply says that is no success.
    pub(super) fn of_status(status: u16, body: &str) -> Self {
        use NetErrorKind as Sort;
        let error = telemetry::prometheus::refusal(status, body);
        let is_query_timeout = matches!(&error, ApiError::Refused { kind, .. } if kind == "timeout");
        let kind = match status {
            401 | 403 => Sort::Unauthorized,
            _ if is_query_timeout => Sort::TimedOut,
            408 | 429 | 500 | 502 | 503 | 504 => Sort::Overloaded,
            _ => Sort::Refused,
        };
        Self { kind, http_status: Some(status), ..Self::from(error) }
    }
}

impl From<ApiError> for NetError {
    fn from(error: ApiError) -> Self {
        let (kind, hint) = match &error {
            ApiError::Refused { advice, .. } => (NetErrorKind::Refused, *advice),
            ApiError::NotAnAnswer { .. } => (NetErrorKind::NotAnAnswer, "Look at the address and its path prefix"),
            ApiError::CutOff { .. } => (NetErrorKind::CutOff, "Ask again"),
            ApiError::TooLarge { .. } => {
                (NetErrorKind::TooLarge, "Ask for a longer step, fewer series or an aggregate")
            }
        };
        let message = match &error {
            ApiError::Refused { kind, message, .. } => format!("the server refused ({kind}): {message}"),
            ApiError::NotAnAnswer { what } => format!("the answer is not what such a server sends: {what}"),
            other => other.to_string(),
        };
        Self::new(kind, message, hint)
    }
}

impl From<SourceError> for NetError {
    fn from(error: SourceError) -> Self {
        Self::new(NetErrorKind::Source, error.to_string(), error.hint())
    }
}

impl From<FileProblem> for NetError {
    fn from(problem: FileProblem) -> Self {
        let message = format!("{}: {}", problem.title, problem.detail);
        Self::new(NetErrorKind::File(problem.kind), message, problem.hint)
    }
}

type Cause<'a> = &'a (dyn Error + 'static);

/// The cause of an error; an I/O error that wraps another has that one.
fn cause<'a>(error: &Cause<'a>) -> Option<Cause<'a>> {
    let error = *error;
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

/// The causes of an error, from outside to inside.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = Cause<'_>> {
    successors(error.source(), cause)
}

fn io_reason(error: &reqwest::Error) -> &'static str {
    use io::ErrorKind as Io;
    let kind = causes(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).last().map(io::Error::kind);
    match kind {
        Some(Io::ConnectionRefused) => "nothing listens there",
        Some(Io::NetworkUnreachable | Io::HostUnreachable) => "there is no way to it",
        Some(Io::ConnectionReset | Io::ConnectionAborted | Io::UnexpectedEof) => "it hung up",
        Some(Io::PermissionDenied) => "the system does not allow it",
        _ => "the connection failed",
    }
}
