//! One request, one answer: the page of metrics, whether all is well, or what there is instead.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap};
use hyper::{Method, StatusCode};
use telemetry::exposition::Format;

/// Path of the page.
pub const METRICS: &str = "/metrics";
const HEALTHY: &str = "/-/healthy";
const PLAIN: &str = "text/plain; charset=utf-8";

/// An answer before it is HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Status.
    pub status: StatusCode,
    /// What the body is.
    pub content_type: &'static str,
    /// Whether the body is packed.
    pub is_gzip: bool,
    /// The body.
    pub body: Bytes,
}

impl Reply {
    fn text(status: StatusCode, text: impl Into<Bytes>) -> Self {
        Self { status, content_type: PLAIN, is_gzip: false, body: text.into() }
    }
}

/// Makes a page of the moment: the seconds since the server began, and the format.
pub type Page = Box<dyn Fn(f64, Format) -> Result<String, String>>;

/// A page that was made, and for what.
struct Made {
    second: u64,
    format: Format,
    is_gzip: bool,
    body: Bytes,
}

/// Answers requests; a page is made once a second for each format, however many ask.
pub struct Endpoint {
    page: Page,
    made: Vec<Made>,
}

impl Endpoint {
    /// Answers with the pages that `page` makes.
    pub const fn new(page: Page) -> Self {
        Self { page, made: Vec::new() }
    }

    /// The answer to a request at that many seconds since the server began.
    pub fn reply(&mut self, method: &Method, path: &str, headers: &HeaderMap, at_seconds: f64) -> Reply {
        if method != Method::GET && method != Method::HEAD {
            let text = "Only GET and HEAD are answered here\n";
            return Reply::text(StatusCode::METHOD_NOT_ALLOWED, text);
        }
        match path {
            METRICS => self.metrics(headers, at_seconds),
            HEALTHY => Reply::text(StatusCode::OK, "Podium is healthy\n"),
            "/" => Reply::text(StatusCode::OK, format!("Podium, simulated metrics: {METRICS}\nHealth: {HEALTHY}\n")),
            _ => Reply::text(StatusCode::NOT_FOUND, format!("There is nothing here; try {METRICS} or {HEALTHY}\n")),
        }
    }

    fn metrics(&mut self, headers: &HeaderMap, at_seconds: f64) -> Reply {
        let format = Format::of_accept(&joined(headers, &ACCEPT));
        let is_gzip = takes_gzip(&joined(headers, &ACCEPT_ENCODING));
        let second = at_seconds.max(0.0) as u64;
        self.made.retain(|made| made.second == second);
        let found = self.made.iter().find(|made| (made.format, made.is_gzip) == (format, is_gzip));
        let body = if let Some(made) = found {
            made.body.clone()
        } else {
            let body = match (self.page)(at_seconds, format).and_then(|page| packed(page, is_gzip)) {
                Ok(body) => body,
                Err(reason) => return Reply::text(StatusCode::INTERNAL_SERVER_ERROR, format!("{reason}\n")),
            };
            self.made.push(Made { second, format, is_gzip, body: body.clone() });
            body
        };
        Reply { status: StatusCode::OK, content_type: format.content_type(), is_gzip, body }
    }
}

/// All values of a header as one list.
fn joined(headers: &HeaderMap, name: &hyper::header::HeaderName) -> String {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect::<Vec<_>>().join(",")
}

/// Whether an `Accept-Encoding` takes gzip, by name and not with the weight 0.
fn takes_gzip(accept: &str) -> bool {
    accept.split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        let is_refused = |part: &str| part.strip_prefix("q=").and_then(|q| q.parse::<f64>().ok()) == Some(0.0);
        is_gzip && !parts.any(is_refused)
    })
}

fn packed(page: String, is_gzip: bool) -> Result<Bytes, String> {
    if !is_gzip {
        return Ok(page.into());
    }
    // The fastest level: pages are ten times smaller with it as well.
    let mut encoder = GzEncoder::new(Vec::with_capacity(page.len() / 8), Compression::fast());
    let done = encoder.write_all(page.as_bytes()).and_then(|()| encoder.finish());
    done.map(Bytes::from).map_err(|error| format!("the page could not be packed: {error}"))
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn endpoint() -> Endpoint {
        Endpoint::new(Box::new(|at, format| Ok(format!("up {at} {format:?}\n"))))
    }

    fn headers(accept: &'static str, encoding: &'static str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(encoding));
        headers
    }

    /// The headers are those that Prometheus 2.42 and a browser send.
    #[test]
    fn the_format_is_the_one_that_is_wanted() {
        let prometheus = "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,\
                          text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for (accept, expected) in [
            (prometheus, Format::OpenMetrics),
            (browser, Format::Text),
            ("", Format::Text),
            ("application/json", Format::Text),
            ("application/openmetrics-text;q=0.3,text/plain;q=0.7", Format::Text),
            ("application/openmetrics-text;q=0", Format::Text),
        ] {
            let reply = endpoint().reply(&Method::GET, METRICS, &headers(accept, ""), 1.5);
            assert_eq!(reply.content_type, expected.content_type(), "{accept}");
            assert_eq!(reply.body, format!("up 1.5 {expected:?}\n"), "{accept}");
        }
    }

    #[test]
    fn a_page_is_packed_only_where_that_is_understood() {
        for (encoding, expected) in
            [("gzip", true), ("deflate, GZIP;q=0.5", true), ("gzip;q=0", false), ("br", false), ("", false)]
        {
            let reply = endpoint().reply(&Method::GET, METRICS, &headers("", encoding), 0.0);
            assert_eq!((reply.is_gzip, reply.body.starts_with(&[0x1f, 0x8b])), (expected, expected), "{encoding}");
        }
    }

    /// Many scrapers do not cost many pages, and a later page is another one.
    #[test]
    fn a_page_is_made_once_a_second() {
        let mut endpoint = endpoint();
        let mut page = |at| endpoint.reply(&Method::GET, METRICS, &HeaderMap::new(), at).body;
        assert_eq!(page(1.2), page(1.9));
        assert_eq!(page(2.1), "up 2.1 Text\n");
    }

    #[test]
    fn what_is_not_there_says_what_is() {
        let mut endpoint = endpoint();
        let mut status = |method, path| endpoint.reply(&method, path, &HeaderMap::new(), 0.0);
        let lost = status(Method::GET, "/metric");
        assert_eq!(lost.status, StatusCode::NOT_FOUND);
        assert_eq!(lost.body, "There is nothing here; try /metrics or /-/healthy\n");
        assert_eq!(status(Method::POST, METRICS).status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(status(Method::GET, "/-/healthy").status, StatusCode::OK);
        assert_eq!(status(Method::HEAD, "/").status, StatusCode::OK);
    }
}
