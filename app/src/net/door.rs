//! One request to one source: credentials, time-outs, a bound on the body, redirects, and asking again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jiff::fmt::rfc2822;
use planning::source::{Credentials, Place, Source, is_loopback};
use reqwest::header::{ACCEPT, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Certificate, Client, Identity, Method, Response};
use telemetry::prometheus::{Retry, retry};
use url::Url;

use crate::io::problem::Kind;
use crate::net::error::{NetError, NetErrorKind};
use crate::net::read_file;
use crate::net::secret::{Secret, Vault, scrub};

/// Redirects that are followed in a row.
const MAX_HOPS: usize = 5;
/// Body of a refusal that is read.
const REFUSAL_BYTES: usize = 65_536;
/// Longest file with certificates.
const PEM_BYTES: u64 = 1 << 20;
/// Longest wait that a server may ask for, in seconds.
const LONGEST_WAIT_S: f64 = 30.0;
/// Shorter secrets are not looked for in good answers, whose names and numbers they might be part of.
const MIN_SECRET_BYTES: usize = 8;

/// What the network thread takes from outside, so that tests neither wait nor read a clock.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings {
    /// Our clock, Unix milliseconds.
    pub unix_ms: fn() -> i64,
    /// How long one second of waiting before asking again lasts.
    pub second: Duration,
    /// Time for taking the call.
    pub connect: Duration,
    /// Longest body after decompression, in bytes.
    pub body_bytes: usize,
}

impl Default for Surroundings {
    fn default() -> Self {
        Self {
            unix_ms: crate::clock::unix_ms,
            second: Duration::from_secs(1),
            connect: Duration::from_secs(5),
            // 2,000,000 samples, the most that one question plans for, are about 70 MB.
            body_bytes: 96 << 20,
        }
    }
}

/// What kind of body is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    /// JSON.
    Json,
    /// A page of an exporter.
    Page,
}

/// A question.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) url: Url,
    /// Fields of a form; with any, it is posted.
    pub(super) form: Vec<(&'static str, String)>,
    pub(super) wants: Wants,
}

/// A reply that came whole.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) text: String,
    pub(super) content_type: Option<String>,
    /// When it was asked and when the head came by our clock, Unix milliseconds, and the server's `Date`, Unix seconds.
    pub(super) heard: Option<(i64, i64, i64)>,
}

/// The way to one source.
pub(super) struct Door {
    source: Source,
    around: Surroundings,
    vault: Vault,
    /// By whether it is for this machine, and whether it checks certificates: connections are used again.
    clients: Mutex<BTreeMap<(bool, bool), Client>>,
}

fn fault(message: impl Into<String>, hint: &str) -> NetError {
    NetError::new(NetErrorKind::Source, message, hint)
}

/// Name and port of a server, without anything else of its address.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or("the server");
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

impl Door {
    pub(super) fn new(source: Source, around: Surroundings) -> Result<Self, NetError> {
        source.check()?;
        Ok(Self { source, around, vault: Vault::default(), clients: Mutex::default() })
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    pub(super) fn now_ms(&self) -> i64 {
        (self.around.unix_ms)()
    }

    /// Asks, and asks again where that may help: after 1, 2 and 4 s when the server is busy, at once with fresh credentials
    /// when it did not take the old ones.
    pub(super) async fn fetch(&self, request: &Request) -> Result<Reply, NetError> {
        let (mut failures, mut refreshed) = (0, false);
        loop {
            let (error, wait_s) = match self.once(request).await {
                Ok(reply) => return Ok(reply),
                Err(failed) => failed,
            };
            if error.http_status == Some(401) && !refreshed && !self.source.references().is_empty() {
                refreshed = true;
                self.vault.forget().await;
                continue;
            }
            failures += 1;
            if !error.may_pass() {
                return Err(error);
            }
            // The clock's last digits are chance enough that many windows do not ask in step.
            let jitter = self.now_ms().rem_euclid(1_000) as f64 / 1_000.0;
            match retry(error.http_status, failures, jitter) {
                Retry::After(seconds) => {
                    let seconds = seconds.max(wait_s.unwrap_or(0.0).min(LONGEST_WAIT_S));
                    tokio::time::sleep(self.around.second.mul_f64(seconds)).await;
                }
                Retry::Never | Retry::GiveUp => return Err(error.after(failures)),
            }
        }
    }

    /// One try; beside an error the wait that the server asked for, in seconds. No text of it holds a secret.
    async fn once(&self, request: &Request) -> Result<Reply, (NetError, Option<f64>)> {
        let (headers, secrets) = self.headers(request.wants).await.map_err(plain)?;
        match self.exchange(request, &headers, &secrets).await {
            Ok(reply) => Ok(Reply { text: scrub(reply.text, &secrets, MIN_SECRET_BYTES), ..reply }),
            Err((error, wait_s)) => Err((NetError { message: scrub(error.message, &secrets, 1), ..error }, wait_s)),
        }
    }

    /// Sends and receives, redirects included. Texts of the server lose secrets before they are shortened, so that no
    /// part of one is left.
    async fn exchange(
        &self,
        request: &Request,
        headers: &HeaderMap,
        secrets: &[Secret],
    ) -> Result<Reply, (NetError, Option<f64>)> {
        let (mut url, mut hops) = (request.url.clone(), 0);
        loop {
            self.check_way(&url).map_err(plain)?;
            let host = host_of(&url);
            let client = self.client(&url).await.map_err(plain)?;
            let sent_ms = self.now_ms();
            let response = send(&client, &url, headers, &request.form).await.map_err(plain)?;
            let status = response.status();
            if status.is_redirection() {
                hops += 1;
                url = self.next(&url, &response, hops).map_err(plain)?;
                continue;
            }
            let heard = date_of(&response).map(|date_s| (sent_ms, self.now_ms(), date_s));
            if !status.is_success() {
                let wait_s = header(&response, RETRY_AFTER).and_then(|text| text.trim().parse().ok());
                let body = body(response, REFUSAL_BYTES, true, &host).await.unwrap_or_default();
                return Err((NetError::of_status(status.as_u16(), &scrub(body, secrets, 1)), wait_s));
            }
            let content_type = header(&response, CONTENT_TYPE).map(|text| scrub(text, secrets, 1));
            check_type(request.wants, content_type.as_deref()).map_err(plain)?;
            let text = body(response, self.around.body_bytes, false, &host).await.map_err(plain)?;
            return Ok(Reply { text, content_type, heard });
        }
    }

    /// Headers of the source, and the secrets in them.
    async fn headers(&self, wants: Wants) -> Result<(HeaderMap, Vec<Secret>), NetError> {
        let mut headers = HeaderMap::new();
        let mut secrets = Vec::new();
        let accept = match wants {
            Wants::Json => "application/json",
            Wants::Page => "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5",
        };
        headers.insert(ACCEPT, HeaderValue::from_static(accept));
        let mut put = |name: &str, value: &str, is_secret: bool| -> Result<(), NetError> {
            let cannot = || fault(format!("the header {name} cannot be sent"), "Look at its name and value");
            let name = HeaderName::try_from(name).map_err(|_error| cannot())?;
            let mut value = HeaderValue::try_from(value).map_err(|_error| cannot())?;
            value.set_sensitive(is_secret);
            headers.insert(name, value);
            Ok(())
        };
        for (name, value) in &self.source.headers {
            if let Ok(reference) = value.parse() {
                let secret = self.vault.get(&reference).await?;
                put(name, secret.expose(), true)?;
                secrets.push(secret);
            } else {
                put(name, value, false)?;
            }
        }
        match &self.source.credentials {
            Some(Credentials::Bearer(reference)) => {
                let secret = self.vault.get(reference).await?;
                put("authorization", &format!("Bearer {}", secret.expose()), true)?;
                secrets.push(secret);
            }
            Some(Credentials::Basic { user, password }) => {
                let secret = self.vault.get(password).await?;
                let both = BASE64_STANDARD.encode(format!("{user}:{}", secret.expose()));
                put("authorization", &format!("Basic {both}"), true)?;
                secrets.extend([secret, Secret::new(both)]);
            }
            None => {}
        }
        Ok((headers, secrets))
    }

    /// Credentials go over plain HTTP to this machine only, unless it is allowed.
    fn check_way(&self, url: &Url) -> Result<(), NetError> {
        let is_open = url.scheme() == "http" && !is_loopback(url) && !self.source.allow_plain_http;
        if is_open && !self.source.references().is_empty() {
            let message =
                format!("credentials would go to {} over plain HTTP, where anybody can read them", host_of(url));
            return Err(fault(message, "Use https://, or allow it with --allow-plain-http"));
        }
        Ok(())
    }

    /// Where a redirect leads, if it may be followed.
    fn next(&self, from: &Url, response: &Response, hops: usize) -> Result<Url, NetError> {
        let refused = |message: String, hint: &str| NetError::new(NetErrorKind::Redirected, message, hint);
        let host = host_of(from);
        let target = header(response, LOCATION).and_then(|text| from.join(&text).ok());
        let Some(mut to) = target.filter(|to| matches!(to.scheme(), "http" | "https")) else {
            return Err(refused(format!("{host} sends the request on to nowhere"), "Look at the address"));
        };
        if hops > MAX_HOPS {
            return Err(refused(format!("{host} sends the request round in circles"), "Look at the address"));
        }
        if from.scheme() == "https" && to.scheme() == "http" {
            return Err(refused(
                format!("{host} sends the request on to plain HTTP"),
                "Give the https:// address itself",
            ));
        }
        // Neither has a port where plain HTTP becomes HTTPS at the usual ports.
        let is_same = from.host() == to.host() && from.port() == to.port();
        if !is_same && self.source.has_secrets() {
            let message =
                format!("{host} sends the request on to {}; credentials and headers are not sent there", host_of(&to));
            return Err(refused(message, "Give that address itself if it is to be trusted"));
        }
        // What a redirect writes before @ is not used.
        to.set_username("").ok();
        to.set_password(None).ok();
        Ok(to)
    }

    async fn client(&self, url: &Url) -> Result<Client, NetError> {
        let key = (is_loopback(url), url.scheme() == "https");
        let clients = || self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients().get(&key) {
            return Ok(client.clone());
        }
        let client = self.new_client(key).await?;
        clients().insert(key, client.clone());
        Ok(client)
    }

    async fn new_client(&self, (is_loopback, is_checked): (bool, bool)) -> Result<Client, NetError> {
        let source = &self.source;
        let mut builder = Client::builder()
            .user_agent(concat!("podium/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(self.around.connect)
            .timeout(Duration::from_secs(u64::from(source.timeout_seconds)));
        builder = match &source.proxy {
            Some(proxy) => {
                let proxy = reqwest::Proxy::all(proxy);
                builder.proxy(proxy.map_err(|_error| fault("the proxy cannot be used", "Give http://host:port"))?)
            }
            None if is_loopback => builder.no_proxy(),
            None => builder,
        };
        if let Some(path) = &source.ca_file {
            let pem = read_file(path, PEM_BYTES).await?;
            let authorities = Certificate::from_pem_bundle(pem.as_bytes()).ok().filter(|found| !found.is_empty());
            builder = builder.tls_certs_only(authorities.ok_or_else(|| bad_pem(path))?);
        } else if !is_checked {
            // Nothing will be checked, so the authorities of the system need not be there.
            builder = builder.tls_certs_only([]);
        }
        if let Some(own) = &source.client_certificate {
            let certificate = read_file(&own.certificate_file, PEM_BYTES).await?;
            let both = format!("{certificate}\n{}", read_file(&own.key_file, PEM_BYTES).await?);
            let identity = Identity::from_pem(both.as_bytes()).map_err(|_error| bad_pem(&own.certificate_file))?;
            builder = builder.identity(identity);
        }
        let hint = "Look at the files with certificates; without --ca the system must have authorities";
        builder.build().map_err(|_error| fault("no connection can be made from these settings", hint))
    }

    /// The address of the source, which has to be a server.
    pub(super) fn base(&self) -> Result<Url, NetError> {
        match self.source.place()? {
            Place::Url(url) => Ok(url),
            Place::File(_) => Err(fault("a file cannot be asked", "Give the address of a server")),
        }
    }
}

fn bad_pem(path: &str) -> NetError {
    let message = format!("{path} holds no usable certificate or key");
    NetError::new(NetErrorKind::File(Kind::Content), message, "Give PEM files")
}

fn plain(error: NetError) -> (NetError, Option<f64>) {
    (error, None)
}

async fn send(
    client: &Client,
    url: &Url,
    headers: &HeaderMap,
    form: &[(&'static str, String)],
) -> Result<Response, NetError> {
    let method = if form.is_empty() { Method::GET } else { Method::POST };
    let mut builder = client.request(method, url.clone()).headers(headers.clone());
    if !form.is_empty() {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        builder = builder.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body);
    }
    builder.send().await.map_err(|error| NetError::of_transport(&error, &host_of(url)))
}

fn header(response: &Response, name: HeaderName) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_owned())
}

/// The `Date` of a reply in Unix seconds.
fn date_of(response: &Response) -> Option<i64> {
    Some(rfc2822::parse(&header(response, DATE)?).ok()?.timestamp().as_second())
}

fn check_type(wants: Wants, content_type: Option<&str>) -> Result<(), NetError> {
    let Some(content_type) = content_type else { return Ok(()) };
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_good = match wants {
        Wants::Json => kind.ends_with("json"),
        Wants::Page => matches!(kind.as_str(), "text/plain" | "application/openmetrics-text" | ""),
    };
    if is_good {
        return Ok(());
    }
    let shown: String = kind.chars().filter(|c| !c.is_control()).take(60).collect();
    let what =
        if kind == "text/html" { "a web page, perhaps to sign in".to_owned() } else { format!("of the type {shown}") };
    let hint = "Look at the address, its path prefix and the kind of source";
    Err(NetError::new(NetErrorKind::NotAnAnswer, format!("the answer is {what}"), hint))
}

/// The body up to a bound, counted after decompression; beyond it refused, or cut where only its beginning is wanted.
async fn body(mut response: Response, limit: usize, may_cut: bool, host: &str) -> Result<String, NetError> {
    let mut bytes = Vec::new();
    let announced = response.content_length().unwrap_or(0);
    loop {
        if !may_cut && (announced > limit as u64 || bytes.len() > limit) {
            let megabytes = |n: u64| n.div_ceil(1_000_000);
            let figure = if announced > 0 { format!("{} MB", megabytes(announced)) } else { "more".to_owned() };
            let message = format!("the answer of {host} has {figure}; at most {} MB are read", megabytes(limit as u64));
            return Err(NetError::new(
                NetErrorKind::TooLarge,
                message,
                "Ask for fewer series, a longer step or an aggregate",
            ));
        }
        match response.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) if error.is_timeout() => return Err(NetError::of_transport(&error, host)),
            Err(_broken) => {
                let message = format!("the answer of {host} broke off after {} bytes", bytes.len());
                return Err(NetError::new(NetErrorKind::CutOff, message, "The last good data are kept; ask again"));
            }
        }
        if may_cut && bytes.len() > limit {
            bytes.truncate(limit);
            break;
        }
    }
    // The readers tell of characters that are none; a second copy is made only then.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}
