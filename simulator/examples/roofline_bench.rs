//! How long one estimate takes, with and without its explanation. Run with `--release`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark measures and prints"
)]

use std::hint::black_box;
use std::time::Instant;

use simulator::dtype::Dtype;
use simulator::matmul::Matmul;
use simulator::roofline::{Engine, Operands, estimate, time};
use topology::chip::Catalog;

const ROUNDS: u32 = 200_000;

fn nanoseconds(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..ROUNDS {
        work();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS)
}

fn main() {
    let catalog = Catalog::embedded();
    println!("{:8}{:>24}{:>14}{:>18}{:>8}", "chip", "product", "time, ns", "explained, ns", "ratio");
    for chip in ["v6e", "tpu7x"] {
        let engine = Engine::chip(catalog.find(chip).unwrap()).unwrap();
        for (m, k, n) in [(1024, 1024, 1024), (8192, 8192, 8192), (128, 4096, 151_936), (1 << 20, 65_536, 1 << 20)] {
            let product = Matmul::new(m, k, n, Dtype::Bf16).unwrap();
            let short = nanoseconds(|| drop(black_box(time(black_box(&product), &engine, Operands::Hbm))));
            let long = nanoseconds(|| drop(black_box(estimate(black_box(&product), &engine, Operands::Hbm))));
            let name = format!("{m}x{k}x{n}");
            println!("{chip:8}{name:>24}{short:>14.0}{long:>18.0}{:>8.0}", long / short);
        }
    }
}
