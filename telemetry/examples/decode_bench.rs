//! Time to decode what a pod of 9,216 chips sends: an instant answer and an exposition page of five metrics.
//!
//! `cargo run --release -p podium-telemetry --example decode_bench`; `… decode_bench export` writes an hour of one host as
//! OpenMetrics instead, for `promtool tsdb create-blocks-from openmetrics`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example that measures time"
)]

use std::fmt::Write as _;
use std::time::Instant;

use telemetry::exposition::{self, Format, read};
use telemetry::labels::Labels;
use telemetry::prometheus::{Limits, query};
use telemetry::registry::Registry;
use telemetry::tsdb::{Bounds, Tsdb};

const CHIPS: usize = 9_216;
const METRICS: [&str; 5] =
    ["duty_cycle", "tensorcore_utilization", "memory_bandwidth_utilization", "memory_used", "memory_total"];

/// Labels of a chip as the device plugin writes them.
fn pairs(chip: usize) -> Vec<(&'static str, String)> {
    vec![
        ("accelerator_id", format!("73100293847566{:05}-{chip}", chip / 4)),
        ("container", "train".to_owned()),
        ("make", "cloud-tpu".to_owned()),
        ("model", "tpu7x".to_owned()),
        ("namespace", "ml".to_owned()),
        ("pod", format!("demo-tpu7x-workers-0-{}-q8w2e", chip / 4)),
        ("tpu_topology", "16x24x24".to_owned()),
    ]
}

fn page() -> String {
    let mut page = String::new();
    for name in METRICS {
        writeln!(page, "# TYPE {name} gauge").unwrap();
        for chip in 0..CHIPS {
            let labels: Vec<String> = pairs(chip).iter().map(|(name, value)| format!("{name}=\"{value}\"")).collect();
            writeln!(page, "{name}{{{}}} {}.25", labels.join(","), chip % 100).unwrap();
        }
    }
    page
}

fn answer() -> String {
    let mut results = Vec::new();
    for name in METRICS {
        for chip in 0..CHIPS {
            let labels: Vec<String> =
                pairs(chip).iter().map(|(name, value)| format!("\"{name}\":\"{value}\"")).collect();
            let rest = format!("\"value\":[1796068967.363,\"{}.25\"]", chip % 100);
            results.push(format!("{{\"metric\":{{\"__name__\":\"{name}\",{}}},{rest}}}", labels.join(",")));
        }
    }
    format!("{{\"status\":\"success\",\"data\":{{\"resultType\":\"vector\",\"result\":[{}]}}}}", results.join(","))
}

fn row(what: &str, bytes: usize, n: usize, run: impl Fn() -> usize) {
    let start = Instant::now();
    let found = run();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(found, n);
    let rate = bytes as f64 / 1e6 / seconds;
    println!(
        "| {what} | {:.1} MB | {n} | {seconds:.3} s | {rate:.0} MB/s | {:.0} ns |",
        bytes as f64 / 1e6,
        seconds * 1e9 / n as f64
    );
}

fn export() {
    let mut store = Tsdb::new(Bounds::default());
    for (metric, name) in METRICS.iter().enumerate() {
        for chip in 0..4 {
            let labels = Labels::new(pairs(chip).into_iter().chain([("__name__", (*name).to_owned())]));
            let id = store.series_id(&labels).unwrap();
            for step in 0..240_i64 {
                store.append(
                    id,
                    1_796_065_200_000 + step * 15_000,
                    (metric as f64 + 1.0) * 10.0 + (step % 7) as f64 / 4.0,
                );
            }
        }
    }
    print!("{}", store.write_openmetrics(String::new(), Registry::embedded()).unwrap());
}

fn main() {
    if std::env::args().any(|argument| argument == "export") {
        return export();
    }
    let (page, answer) = (page(), answer());
    let n = CHIPS * METRICS.len();
    println!("| what | bytes | samples | time | rate | per sample |\n|---|---|---|---|---|---|");
    row("exposition page", page.len(), n, || {
        read(page.as_bytes(), Format::Text, exposition::Limits::default()).samples.len()
    });
    row("instant answer", answer.len(), n, || query(&answer, Limits::default()).unwrap().data.n_samples());
    row("instant answer as a tree (serde_json)", answer.len(), n, || {
        let tree: serde_json::Value = serde_json::from_str(&answer).unwrap();
        tree["data"]["result"].as_array().unwrap().len()
    });
}
