//! Arguments of `podium serve-metrics`.

use std::path::PathBuf;

use clap::Args;
use jiff::Timestamp;

use crate::metrics_server::Naming;

/// The simulator as an endpoint.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Address to listen at, such as 127.0.0.1:9400; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS:PORT", required_unless_present = "output")]
    pub bind: Option<String>,
    /// Plan that is simulated; the sample if absent
    #[arg(long, value_name = "FILE")]
    pub plan: Option<PathBuf>,
    /// Names of the series
    #[arg(long, value_enum, default_value_t = Naming::Gke)]
    pub names: Naming,
    /// Simulated seconds that pass in one second
    #[arg(long, default_value_t = 1.0)]
    pub speed: f64,
    /// Listen also at addresses that other machines can reach
    #[arg(long)]
    pub allow_remote: bool,
    /// Write the simulated past into this recording (OpenMetrics) instead of listening
    #[arg(short, long, value_name = "FILE", conflicts_with_all = ["bind", "speed", "allow_remote"])]
    pub output: Option<PathBuf>,
    /// Minutes of the recording, one sample each
    #[arg(long, default_value_t = 60, requires = "output", value_parser = clap::value_parser!(u32).range(1..=1440))]
    pub minutes: u32,
    /// Moment at which the recording ends, such as 2026-11-30T12:00:00Z; now if absent
    #[arg(long, value_name = "TIME", requires = "output")]
    pub until: Option<Timestamp>,
    /// Replace an output that exists
    #[arg(long, requires = "output")]
    pub force: bool,
}
