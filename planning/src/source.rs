//! Where observed figures come from: address, way in, and which labels mean what. Data only; nothing is asked here.
//!
//! A secret is never part of a plan: credentials are references ([`SecretRef`]) to a place outside of it, and what looks
//! like a secret itself is refused, on load and in edits.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use telemetry::bind::Mapping;
use url::{Host, Url};

/// Seconds between two looks at a source, at least: asking exporters more often has stopped node agents
/// (google/skills, page on memory of the TPU agent).
pub const MIN_REFRESH_S: u32 = 30;
/// Longest name, in characters.
const MAX_NAME: usize = 200;
/// Longest address, header, reference or query, in bytes.
const MAX_TEXT: usize = 20_000;

/// What is spoken at the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SourceKind {
    /// The HTTP API of Prometheus and its relatives.
    Prometheus,
    /// A page in the text format of exporters.
    Exposition,
    /// Alertmanager, API v2.
    Alertmanager,
    /// An answer of such a server, kept in a file.
    Recording,
}

impl SourceKind {
    /// All, in the order of menus.
    pub const ALL: [Self; 4] = [Self::Prometheus, Self::Exposition, Self::Alertmanager, Self::Recording];

    /// Name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prometheus => "Prometheus",
            Self::Exposition => "Exposition page",
            Self::Alertmanager => "Alertmanager",
            Self::Recording => "Recording",
        }
    }

    /// By the look of an address: files are recordings, `…/metrics` is a page, port 9093 is Alertmanager.
    pub fn guess(at: &str) -> Self {
        let Ok(Place::Url(url)) = Place::parse(at) else {
            let is_page = at.rsplit_once('.').is_some_and(|(_, end)| ["prom", "txt", "metrics"].contains(&end));
            return if is_page { Self::Exposition } else { Self::Recording };
        };
        let path = url.path().trim_end_matches('/');
        if path.ends_with("/metrics") {
            Self::Exposition
        } else if url.port() == Some(9093) || path.contains("alertmanager") || path.ends_with("/api/v2") {
            Self::Alertmanager
        } else {
            Self::Prometheus
        }
    }
}

/// A place where a secret can be had, never the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SecretRef {
    /// `env:NAME`: a variable of the environment.
    Env(String),
    /// `file:PATH`: a file, read anew each time.
    File(String),
    /// `command:…`: what a command prints, asked anew before it expires.
    Command(String),
    /// `keychain:SERVICE/ACCOUNT`: an entry of the system's store of passwords.
    Keychain {
        /// Service; up to the first slash.
        service: String,
        /// Account.
        account: String,
    },
}

impl FromStr for SecretRef {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        let (form, rest) = text.split_once(':').ok_or(SourceError::LiteralSecret)?;
        let rest = rest.trim();
        let is_short = !rest.is_empty() && rest.len() <= MAX_TEXT && !rest.contains(char::is_control);
        if !is_short || rest.split(|c: char| c.is_whitespace() || c == '=').any(looks_like_secret) {
            return Err(SourceError::LiteralSecret);
        }
        let is_name = rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        match form {
            "env" if is_name => Ok(Self::Env(rest.to_owned())),
            "file" => Ok(Self::File(rest.to_owned())),
            "command" => Ok(Self::Command(rest.to_owned())),
            "keychain" => match rest.split_once('/') {
                Some((service, account)) if !service.is_empty() && !account.is_empty() => {
                    Ok(Self::Keychain { service: service.to_owned(), account: account.to_owned() })
                }
                _ => Err(SourceError::LiteralSecret),
            },
            _ => Err(SourceError::LiteralSecret),
        }
    }
}

impl TryFrom<String> for SecretRef {
    type Error = SourceError;

    fn try_from(text: String) -> Result<Self, SourceError> {
        text.parse()
    }
}

impl From<SecretRef> for String {
    fn from(reference: SecretRef) -> Self {
        reference.to_string()
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Env(name) => write!(f, "env:{name}"),
            Self::File(path) => write!(f, "file:{path}"),
            Self::Command(line) => write!(f, "command:{line}"),
            Self::Keychain { service, account } => write!(f, "keychain:{service}/{account}"),
        }
    }
}

/// How a source knows who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Credentials {
    /// A bearer token.
    Bearer(SecretRef),
    /// User and password.
    Basic {
        /// User.
        user: String,
        /// Password.
        password: SecretRef,
    },
}

/// A certificate of ours with its key, as PEM files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientCertificate {
    /// File with the certificate and its chain.
    pub certificate_file: String,
    /// File with the private key.
    pub key_file: String,
}

/// One source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Unique name for people.
    pub name: String,
    /// What is spoken there.
    pub kind: SourceKind,
    /// `http://…`, `https://…`, or the path of a file.
    pub at: String,
    /// Credentials by reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credentials: Option<Credentials>,
    /// Headers that go with each request; a value such as `env:NAME` is a reference.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Proxy; absent for that of the system, which is not used for addresses of this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
    /// PEM file with the only authorities that are trusted; absent for those of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<String>,
    /// Certificate of ours that the server asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_certificate: Option<ClientCertificate>,
    /// Whether credentials may go over plain HTTP to another machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_plain_http: bool,
    /// Seconds between two looks.
    #[serde(default = "usual_refresh_s")]
    pub refresh_seconds: u32,
    /// Seconds that one request may take.
    #[serde(default = "usual_timeout_s")]
    pub timeout_seconds: u32,
    /// What is asked of a Prometheus server; empty for all metrics of chips.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    /// Which labels mean what, with bindings by hand.
    #[serde(default, skip_serializing_if = "is_usual")]
    pub mapping: Mapping,
}

fn usual_refresh_s() -> u32 {
    60
}

fn usual_timeout_s() -> u32 {
    30
}

fn is_usual(mapping: &Mapping) -> bool {
    *mapping == Mapping::default()
}

/// Where a source is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A server.
    Url(Url),
    /// A file.
    File(String),
}

impl Place {
    /// Reads an address; what has no `://` is a path.
    ///
    /// # Errors
    /// If it is empty, no address of HTTP, or holds credentials.
    pub fn parse(at: &str) -> Result<Self, SourceError> {
        let at = at.trim();
        if at.is_empty() || at.len() > MAX_TEXT || at.contains(char::is_control) {
            return Err(SourceError::BadAddress {
                why: "it is empty, too long or holds control characters".to_owned(),
            });
        }
        if !at.contains("://") {
            return Ok(Self::File(at.to_owned()));
        }
        let url = Url::parse(at).map_err(|error| SourceError::BadAddress { why: error.to_string() })?;
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(SourceError::BadAddress { why: "only http:// and https:// are spoken".to_owned() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(SourceError::SecretInAddress { what: "a user or password before @".to_owned() });
        }
        if let Some((name, _)) =
            url.query_pairs().find(|(name, value)| is_secret_name(name) || looks_like_secret(value))
        {
            let name: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
            return Err(SourceError::SecretInAddress { what: format!("the parameter {name}") });
        }
        Ok(Self::Url(url))
    }
}

/// Whether a server is this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

impl Source {
    /// A source without credentials, with the usual settings.
    pub fn new(name: impl Into<String>, kind: SourceKind, at: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            kind,
            at: at.into(),
            credentials: None,
            headers: BTreeMap::new(),
            proxy: None,
            ca_file: None,
            client_certificate: None,
            allow_plain_http: false,
            refresh_seconds: usual_refresh_s(),
            timeout_seconds: usual_timeout_s(),
            queries: Vec::new(),
            mapping: Mapping::default(),
        }
    }

    /// Where it is.
    ///
    /// # Errors
    /// As [`Place::parse`].
    pub fn place(&self) -> Result<Place, SourceError> {
        Place::parse(&self.at)
    }

    /// Whether something goes with a request that only this server may see.
    pub fn has_secrets(&self) -> bool {
        self.credentials.is_some() || self.client_certificate.is_some() || !self.headers.is_empty()
    }

    /// The references to secrets that it holds.
    pub fn references(&self) -> Vec<SecretRef> {
        let own = self.credentials.as_ref().map(|credentials| match credentials {
            Credentials::Bearer(reference) | Credentials::Basic { password: reference, .. } => reference.clone(),
        });
        own.into_iter().chain(self.headers.values().filter_map(|value| value.parse().ok())).collect()
    }

    /// What is wrong with it.
    ///
    /// # Errors
    /// The first thing; no message repeats a text that may be a secret.
    pub fn check(&self) -> Result<(), SourceError> {
        let is_line = |text: &str| !text.trim().is_empty() && !text.contains(char::is_control);
        if !is_line(&self.name) || self.name.chars().count() > MAX_NAME {
            return Err(SourceError::BadName);
        }
        let place = self.place()?;
        if matches!(place, Place::File(_)) && matches!(self.kind, SourceKind::Prometheus | SourceKind::Alertmanager) {
            return Err(SourceError::BadAddress { why: format!("{} is spoken by servers only", self.kind.name()) });
        }
        if matches!(place, Place::Url(_)) && self.kind == SourceKind::Recording {
            return Err(SourceError::BadAddress { why: "a recording is a file".to_owned() });
        }
        for (name, value) in &self.headers {
            check_header(name, value)?;
        }
        if let Some(Credentials::Basic { user, .. }) = &self.credentials {
            if looks_like_secret(user) {
                return Err(SourceError::LiteralSecret);
            }
            if !is_line(user) || user.contains(':') || user.len() > MAX_NAME {
                return Err(SourceError::BadUser);
            }
        }
        if let Some(proxy) = &self.proxy {
            let Place::Url(_) = Place::parse(proxy)? else {
                return Err(SourceError::BadAddress { why: "a proxy begins with http://".to_owned() });
            };
        }
        self.check_numbers()
    }

    fn check_numbers(&self) -> Result<(), SourceError> {
        if self.refresh_seconds < MIN_REFRESH_S {
            return Err(SourceError::TooOften { seconds: self.refresh_seconds });
        }
        if !(1..=600).contains(&self.timeout_seconds) {
            return Err(SourceError::BadTimeout { seconds: self.timeout_seconds });
        }
        let is_bad = |query: &String| query.trim().is_empty() || query.len() > MAX_TEXT;
        if self.queries.len() > 100 || self.queries.iter().any(is_bad) {
            return Err(SourceError::BadQueries);
        }
        Ok(())
    }
}

fn check_header(name: &str, value: &str) -> Result<(), SourceError> {
    let is_token = |b: u8| b.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&b);
    let is_good = !name.is_empty() && name.bytes().all(is_token) && value.bytes().all(|b| (0x20..0x7f).contains(&b));
    if !is_good || name.len() + value.len() > MAX_TEXT {
        return Err(SourceError::BadHeader { name: name.chars().filter(|c| !c.is_control()).take(40).collect() });
    }
    let is_reference = value.parse::<SecretRef>().is_ok();
    if !is_reference && (is_secret_name(name) || looks_like_secret(value)) {
        return Err(SourceError::SecretHeader { name: name.to_owned() });
    }
    Ok(())
}

/// Whether a header or parameter of that name holds a secret.
fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "token", "secret", "password", "passwd", "apikey", "api-key", "api_key", "cookie", "signature"]
        .iter()
        .any(|word| name.contains(word))
}

/// Whether a word looks like a token rather than like a name: by the beginnings that issuers use, or because it is long
/// and mixes letters of both cases with digits.
fn looks_like_secret(word: &str) -> bool {
    const STARTS: [&str; 12] =
        ["eyJ", "ya29.", "ghp_", "gho_", "github_pat_", "glpat-", "glsa_", "AKIA", "xoxb-", "sk-", "Bearer", "Basic "];
    let is_begun = |start: &&str| word.len() > start.len() + 8 && word.starts_with(*start);
    if STARTS.iter().any(is_begun) || word.contains("-----BEGIN") {
        return true;
    }
    let is_of_token = |b: u8| b.is_ascii_alphanumeric() || b"+=_-.".contains(&b);
    let has = |kind: fn(&u8) -> bool| word.as_bytes().iter().any(kind);
    word.len() >= 32
        && word.bytes().all(is_of_token)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
}

/// Why a source cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each is")]
pub enum SourceError {
    #[error("the name of a source is one line of 1 to 200 characters")]
    BadName,
    #[error("the address cannot be used: {why}")]
    BadAddress { why: String },
    #[error("the address holds a secret: {what}")]
    SecretInAddress { what: String },
    #[error("this is not a reference to a secret, such as env:NAME, and a secret itself is never written down")]
    LiteralSecret,
    #[error("the header {name} holds a secret, and a secret itself is never written down")]
    SecretHeader { name: String },
    #[error("the header {name} cannot be sent: names are letters, digits and hyphens, values plain ASCII")]
    BadHeader { name: String },
    #[error("a user is one line without colon")]
    BadUser,
    #[error("a look every {seconds} s is too often; the shortest time is 30 s")]
    TooOften { seconds: u32 },
    #[error("a time-out of {seconds} s cannot be used; it is 1 to 600 s")]
    BadTimeout { seconds: u32 },
    #[error("there are at most 100 queries, each of 1 to 20,000 bytes")]
    BadQueries,
}

impl SourceError {
    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::BadAddress { .. } => "Give http://host:port/prefix, https://… or the path of a file",
            Self::SecretInAddress { .. } | Self::LiteralSecret | Self::SecretHeader { .. } => {
                "Refer to it as env:NAME, file:PATH, keychain:SERVICE/ACCOUNT or command:…, such as command:gcloud auth print-access-token"
            }
            Self::TooOften { .. } => "Exporters suffer from frequent questions; most TPU metrics change each 60 s",
            _ => "docs/formats.md lists the keys of a source",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: nobody finds a token in a plan file. What is written must be a reference.
    #[test]
    fn a_literal_secret_is_no_reference() {
        for good in [
            "env:PROM_TOKEN",
            "file:/run/secrets/token",
            "command:gcloud auth print-access-token",
            "keychain:prometheus/ada",
        ] {
            assert_eq!(good.parse::<SecretRef>().unwrap().to_string(), good);
        }
        let token = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE";
        for bad in [
            "hunter2",
            "",
            "env:",
            "env:A B",
            "vault:x",
            "keychain:prometheus",
            "keychain:/ada",
            token,
            "eyJhbGciOiJIUzI1NiJ9.x.y",
        ] {
            assert_eq!(bad.parse::<SecretRef>(), Err(SourceError::LiteralSecret), "{bad}");
        }
        let hidden = format!("command:curl -H token={token} host");
        let error = hidden.parse::<SecretRef>().unwrap_err();
        assert!(!error.to_string().contains(token) && error.hint().contains("env:NAME"));
    }

    #[test]
    fn addresses_and_headers_hold_no_secret() {
        let refused = |at: &str| Place::parse(at).unwrap_err();
        assert!(matches!(refused("http://ada:hunter2@host/"), SourceError::SecretInAddress { .. }));
        assert!(!refused("http://ada:hunter2@host/").to_string().contains("hunter2"));
        assert!(matches!(refused("https://host/?access_token=hunter2"), SourceError::SecretInAddress { .. }));
        assert!(matches!(refused("ftp://host/"), SourceError::BadAddress { .. }));
        assert_eq!(Place::parse("a.prom"), Ok(Place::File("a.prom".to_owned())));
        let mut source = Source::new("north", SourceKind::Prometheus, "http://127.0.0.1:9090/prometheus");
        source.headers.insert("X-Scope-OrgID".to_owned(), "550e8400-e29b-41d4-a716-446655440000".to_owned());
        assert_eq!(source.check(), Ok(()));
        source.headers.insert("Authorization".to_owned(), "Bearer hunter2".to_owned());
        assert_eq!(source.check(), Err(SourceError::SecretHeader { name: "Authorization".to_owned() }));
        source.headers.insert("Authorization".to_owned(), "env:PROM_TOKEN".to_owned());
        assert_eq!(source.check(), Ok(()));
        assert_eq!(source.references(), [SecretRef::Env("PROM_TOKEN".to_owned())]);
        source.refresh_seconds = 5;
        assert_eq!(source.check(), Err(SourceError::TooOften { seconds: 5 }));
    }

    #[test]
    fn kinds_are_guessed_by_the_address() {
        for (at, kind) in [
            ("http://host:9090", SourceKind::Prometheus),
            ("https://host/select/0/prometheus/", SourceKind::Prometheus),
            ("http://host:2112/metrics", SourceKind::Exposition),
            ("http://host:9093", SourceKind::Alertmanager),
            ("dump/node.prom", SourceKind::Exposition),
            ("query.json", SourceKind::Recording),
        ] {
            assert_eq!(SourceKind::guess(at), kind, "{at}");
        }
    }
}
