//! What the TPU compiler says of single products, beside what we say, where `PODIUM_ORACLE_DIR` names its table.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "tests")]

#[path = "../../topology/tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;

use common::{Row, oracle};
use simulator::dtype::Dtype;
use simulator::matmul::Matmul;
use simulator::roofline::{Engine, Operands, lower_bound_seconds, time};
use topology::chip::Catalog;

/// The engine that the compiler compiled for: a device, which is one core on v3 and tpu7x and a chip elsewhere.
fn engine(name: &str) -> Option<Engine> {
    let id = name.split('(').next()?;
    let generation = Catalog::embedded().find(id).ok()?;
    if name.contains("1 core") { Engine::device(generation).ok() } else { Engine::chip(generation).ok() }
}

/// One product: theirs beside ours.
struct Pair {
    cycles: f64,
    optimal_seconds: f64,
    bytes: f64,
    our_seconds: f64,
    our_floor_seconds: f64,
    our_bytes: f64,
    arrays_bytes: f64,
}

fn pair(row: &Row) -> Option<(String, Pair)> {
    let number = |name: &str| row[name].parse::<f64>().ok();
    let size = |name: &str| row[name].parse::<u64>().ok();
    let dtype: Dtype = row["dtype"].trim_end_matches("_e4m3").parse().ok()?;
    let engine = engine(&row["generation"])?;
    let product = Matmul::new(size("M")?, size("K")?, size("N")?, dtype).ok()?;
    let ours = time(&product, &engine, Operands::Hbm).ok()?;
    let arrays_bytes = number("argument_bytes")? + number("output_bytes")?;
    let pair = Pair {
        cycles: number("estimated_cycles_sum")?,
        optimal_seconds: number("optimal_seconds")?,
        bytes: number("bytes_accessed")?,
        our_seconds: ours.seconds.get(),
        our_floor_seconds: lower_bound_seconds(
            (product.flop().get(), engine.peak(dtype).ok()?.value),
            (arrays_bytes, engine.hbm_bytes_per_s()),
        ),
        our_bytes: ours.hbm_bytes.get(),
        arrays_bytes,
    };
    Some((format!("{} {dtype}", row["generation"]), pair))
}

/// Places in the order of size; equal ones share the mean of their places.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
    let equal = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
    values.iter().map(|value| below(*value) + (equal(*value) - 1.0) / 2.0).collect()
}

/// Spearman's coefficient: Pearson's of the ranks.
fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = (a.len() as f64 - 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Correlation of ranks, and median of theirs by ours.
fn beside(pairs: &[Pair], figures: impl Fn(&Pair) -> (f64, f64)) -> (f64, f64) {
    let (theirs, ours): (Vec<f64>, Vec<f64>) = pairs.iter().map(figures).unzip();
    let ratio = median(theirs.iter().zip(&ours).map(|(theirs, ours)| theirs / ours).collect());
    (rank_correlation(&theirs, &ours), ratio)
}

/// Protects the order of products: what the compiler expects to take longer takes longer with us, on each generation.
/// Ratios are told, not judged: the compiler counts other things.
#[test]
fn products_come_in_the_order_that_the_compiler_expects() {
    let Some(rows) = oracle("tpu_gemm_costs.csv") else { return };
    let mut by_name: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    let mut n_left_out = 0;
    for row in &rows {
        match pair(row) {
            Some((name, pair)) => by_name.entry(name).or_default().push(pair),
            None => n_left_out += 1,
        }
    }
    eprintln!("tpu_gemm_costs.csv: {n_left_out} rows left out: no published peak of the number format");
    by_name.retain(|_, pairs| pairs.len() >= 10);
    assert_eq!(by_name.len(), 6);
    for (name, pairs) in &by_name {
        let cycles = beside(pairs, |pair| (pair.cycles / 1e9, pair.our_seconds));
        let optimum = beside(pairs, |pair| (pair.optimal_seconds, pair.our_floor_seconds));
        let bytes = beside(pairs, |pair| (pair.bytes, pair.our_bytes));
        let arrays = beside(pairs, |pair| (pair.arrays_bytes, pair.our_bytes));
        eprintln!(
            "| {name} | {} | {:.2}, {:.2} GHz | {:.2}, {:.2} | {:.2}, {:.2} | {:.2}, {:.2} |",
            pairs.len(),
            cycles.0,
            cycles.1,
            optimum.0,
            optimum.1,
            bytes.0,
            bytes.1,
            arrays.0,
            arrays.1
        );
        let weakest = [cycles, optimum, bytes, arrays].into_iter().map(|found| found.0).fold(1.0, f64::min);
        assert!(weakest > 0.8, "{name}: {weakest}");
        let undercut = pairs.iter().filter(|pair| pair.optimal_seconds < 0.995 * pair.our_floor_seconds).count();
        assert_eq!(undercut, 0, "{name}: the compiler's optimum is never below our floor");
    }
}
