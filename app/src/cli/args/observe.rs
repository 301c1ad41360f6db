//! Arguments of `podium observe`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What is spoken at a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ObserveKind {
    /// The HTTP API of Prometheus and its relatives
    Prometheus,
    /// A page in the text format of exporters
    Exposition,
    /// Alertmanager, API v2
    Alertmanager,
}

impl From<ObserveKind> for planning::source::SourceKind {
    fn from(kind: ObserveKind) -> Self {
        match kind {
            ObserveKind::Prometheus => Self::Prometheus,
            ObserveKind::Exposition => Self::Exposition,
            ObserveKind::Alertmanager => Self::Alertmanager,
        }
    }
}

/// A look at a source.
#[derive(Debug, Args)]
pub struct ObserveArgs {
    /// Address of a server or page, or a file with a page or answer
    #[arg(long, value_name = "URL|FILE")]
    pub source: String,
    /// What is spoken there; guessed from the address without it
    #[arg(long, value_enum)]
    pub kind: Option<ObserveKind>,
    /// Fleet or plan whose chips the series are bound to
    #[arg(long, value_name = "FLEET.ron")]
    pub fleet: Option<PathBuf>,
    /// Moment of the look, such as 2026-11-30T10:00:00Z or Unix seconds; now without it
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub at: Option<String>,
    /// Time up to that moment, with a step: 6h, 2d/5m
    #[arg(long, value_name = "SPAN[/STEP]")]
    pub range: Option<String>,
    /// What to ask instead of all metrics of chips; may be given again
    #[arg(long, value_name = "PROMQL")]
    pub query: Vec<String>,
    /// Ask for alerts too
    #[arg(long)]
    pub alerts: bool,
    /// Ask for rules too
    #[arg(long)]
    pub rules: bool,
    /// Most series that are asked for
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub most_series: u64,
    /// Header that goes with each request, its value plain or a reference; may be given again
    #[arg(long, value_name = "NAME:VALUE")]
    pub header: Vec<String>,
    /// Reference to the bearer token, such as env:TOKEN; the forms are listed below
    #[arg(long, value_name = "REF", conflicts_with = "basic")]
    pub bearer: Option<String>,
    /// User, and where the password is, such as ada:env:PASSWORD
    #[arg(long, value_name = "USER:REF")]
    pub basic: Option<String>,
    /// PEM file with the only authorities that are trusted
    #[arg(long, value_name = "FILE")]
    pub ca: Option<String>,
    /// PEM file with a certificate of ours
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<String>,
    /// PEM file with its key
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<String>,
    /// Proxy; that of the system without it
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    /// Seconds that one request may take
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub timeout: u32,
    /// Let credentials go over plain HTTP to another machine
    #[arg(long)]
    pub allow_plain_http: bool,
}
