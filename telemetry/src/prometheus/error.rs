//! What went wrong, in words that help.

use serde_json::Value;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// The server understood and refused.
    #[error("the server refused ({kind}): {message}. {advice}")]
    Refused {
        /// Kind of error in the server's word, such as `bad_data`, or the HTTP status.
        kind: String,
        /// The server's sentence.
        message: String,
        /// What to do.
        advice: &'static str,
    },
    /// It is not an answer of such a server.
    #[error("the answer is not what a Prometheus server sends: {what}. Look at the address and its path prefix")]
    NotAnAnswer {
        /// What it is instead.
        what: String,
    },
    /// The answer stops in the middle.
    #[error("the answer was cut off after {bytes} bytes; the last good data are kept")]
    CutOff {
        /// Bytes that came.
        bytes: usize,
    },
    /// The answer holds more than is taken.
    #[error("the answer holds more than {limit} {what}; ask for a longer step, fewer series or an aggregate")]
    TooLarge {
        /// Samples or series.
        what: &'static str,
        /// The bound.
        limit: usize,
    },
}

/// What to do about a kind of error.
fn advice(kind: &str, message: &str) -> &'static str {
    if message.contains("maximum resolution") {
        return "Ask for a longer step: the limit counts points of each series";
    }
    match kind {
        "bad_data" | "400" => "The query or a parameter is wrong",
        "execution" | "422" => "The query cannot be computed: narrow it or aggregate it",
        "timeout" | "504" => "The server took too long: ask for a shorter time or fewer series",
        "401" => "Credentials are missing or have expired",
        "403" => "These credentials are not allowed to read it",
        "404" | "not_found" => "There is no such path: look at the path prefix",
        "429" | "too_many_requests" => "Ask less often",
        "canceled" | "503" | "unavailable" | "500" | "internal" | "502" => {
            "The server has trouble: it is asked again later"
        }
        _ => "Look at the server's log",
    }
}

/// The error of a server's words.
pub(super) fn refused(kind: &str, message: &str) -> ApiError {
    let shown = |text: &str, n: usize| -> String { text.chars().take(n).map(plain).collect() };
    let advice = advice(kind, message);
    ApiError::Refused { kind: shown(kind, 40), message: shown(message, 400), advice }
}

fn plain(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// What a reply with an HTTP status other than 2xx says: the error form of Prometheus, a bare JSON text as Alertmanager
/// sends it, Google's `{"error": {…}}`, or any other text.
pub fn refusal(http_status: u16, body: &str) -> ApiError {
    let status = http_status.to_string();
    let json = serde_json::from_str::<Value>(body).ok();
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(Value::String(message)) = &json {
        return refused(&status, message);
    }
    if let Some(json) = &json
        && let Some(message) = text(json, "error")
    {
        return refused(&text(json, "errorType").unwrap_or(status), &message);
    }
    if let Some(error) = json.as_ref().and_then(|json| json.get("error"))
        && let Some(message) = text(error, "message")
    {
        return refused(&status, &message);
    }
    let first = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no text");
    refused(&status, if first.starts_with('<') { "a web page instead of an answer" } else { first })
}

/// What a text that is no answer is.
pub(super) fn not_an_answer(body: &str, error: &serde_json::Error) -> ApiError {
    let start = body.trim_start();
    if error.is_eof() && !start.is_empty() {
        return ApiError::CutOff { bytes: body.len() };
    }
    let what = match start.chars().next() {
        None => "it is empty".to_owned(),
        Some('<') => "it is a web page".to_owned(),
        Some('{' | '[') => {
            format!("line {}, column {}: {}", error.line(), error.column(), strip_place(&error.to_string()))
        }
        Some(_) => "it is no JSON".to_owned(),
    };
    ApiError::NotAnAnswer { what }
}

fn strip_place(text: &str) -> String {
    text.rsplit_once(" at line ").map_or(text, |(text, _)| text).chars().take(200).map(plain).collect()
}
