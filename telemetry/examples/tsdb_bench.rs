//! Bytes and time of one sample in the store of series, on data as exporters write them.
//!
//! `cargo run --release -p podium-telemetry --example tsdb_bench [CHIPS] [HOURS]`

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example that measures time"
)]

use std::time::Instant;

use telemetry::labels::Labels;
use telemetry::tsdb::{Bounds, SeriesId, Tsdb};

/// A number of 0 to 1 that looks random, from a chip, a step and a metric.
fn noise(chip: u64, step: u64, metric: u64) -> f64 {
    let mut x = chip.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ step.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ metric << 7;
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

fn rounded(value: f64, decimals: i32) -> f64 {
    let power = 10_f64.powi(decimals);
    (value * power).round() / power
}

/// Eight metrics as exporters write them: whole percents, percents with two decimals, bytes, counters.
fn value(metric: u64, chip: u64, step: u64) -> f64 {
    let wave = (step as f64 / 240.0 + chip as f64 / 64.0).sin();
    let noise = noise(chip, step, metric);
    match metric {
        0 => (95.0 + 3.0 * noise).round(),
        1 => rounded(38.0 + 2.0 * wave + 1.5 * noise, 2),
        2 => rounded(41.0 + 3.0 * wave + 2.0 * noise, 2),
        3 => 8_388_608.0 * (9_000.0 + 40.0 * wave).round(),
        4 => 102_803_439_616.0,
        5 => rounded(55.0 + 4.0 * wave + noise, 1),
        6 => rounded(310.0 + 40.0 * wave + 10.0 * noise, 1),
        _ => rounded(22.0 + 5.0 * wave + 6.0 * noise, 2),
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<u64>().unwrap());
    let (chips, hours) = (arguments.next().unwrap_or(9_216), arguments.next().unwrap_or(24));
    let steps = hours * 240;
    let names = [
        "duty_cycle",
        "tensorcore_utilization",
        "memory_bandwidth_utilization",
        "memory_used",
        "memory_total",
        "temperature",
        "power",
        "ici",
    ];
    let mut store = Tsdb::new(Bounds { bytes: 4_000_000_000, ..Bounds::default() });
    let mut ids: Vec<(u64, u64, SeriesId)> = Vec::new();
    for (metric, name) in names.iter().enumerate() {
        for chip in 0..chips {
            let device = format!("73100293847566{:05}-{}", chip / 4, chip % 4);
            let node = format!("gke-demo-train-tpu7x-{:05}", chip / 4);
            let labels = Labels::new([
                ("__name__", *name),
                ("accelerator_id", &device),
                ("node_name", &node),
                ("model", "tpu7x"),
                ("make", "cloud-tpu"),
                ("tpu_topology", "16x24x24"),
                ("cluster_name", "demo-train"),
            ]);
            ids.push((metric as u64, chip, store.series_id(&labels).unwrap()));
        }
    }
    let empty = store.memory_bytes();
    let start = Instant::now();
    for step in 0..steps {
        for (metric, chip, id) in &ids {
            store.append(*id, step as i64 * 15_000, value(*metric, *chip, step));
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let n = store.n_samples();
    let bytes = store.memory_bytes();
    println!("| what | value | per sample | against 16 raw bytes |\n|---|---|---|---|");
    println!("| samples | {n} | | |");
    println!("| series, empty | {:.1} MB | {:.3} B | |", empty as f64 / 1e6, empty as f64 / n as f64);
    println!(
        "| all | {:.1} MB | {:.3} B | {:.1}x smaller |",
        bytes as f64 / 1e6,
        bytes as f64 / n as f64,
        16.0 * n as f64 / bytes as f64
    );
    println!("| making and taking in | {seconds:.1} s | {:.0} ns | |", seconds * 1e9 / n as f64);
    let start = Instant::now();
    let frozen = store.freeze();
    println!("| freezing | {:.2} ms | | |", start.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let sum: f64 =
        ids.iter().take(chips as usize).flat_map(|(_, _, id)| frozen.range(*id, 0, i64::MAX)).map(|(_, v)| v).sum();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "| reading one metric of all | {seconds:.2} s | {:.0} ns | sum {sum:.0} |",
        seconds * 1e9 * 8.0 / n as f64
    );
}
