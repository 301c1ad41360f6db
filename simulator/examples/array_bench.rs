//! Prints the CPU time of the systolic models beside that of `SCALE-Sim` on the same shapes.
//!
//! `cargo run --release -p podium-simulator --example array_bench`

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its table and may stop at a surprise"
)]

use std::hint::black_box;
use std::time::Instant;

use simulator::array::{Array, Dataflow, run};
use simulator::cancel::Cancel;
use simulator::dtype::Dtype;
use simulator::execute;
use simulator::matmul::Matmul;
use simulator::systolic::{self, Loading, Schedule};

/// M, K, N, dataflow, side of the array, CPU seconds of SCALE-Sim 3.0.0 (single thread, November 2026).
const SHAPES: [([u64; 3], Dataflow, u64, f64); 5] = [
    ([128, 128, 128], Dataflow::Ws, 128, 0.27),
    ([512, 512, 512], Dataflow::Ws, 128, 8.1),
    ([512, 512, 512], Dataflow::Os, 128, 8.0),
    ([1, 4096, 1024], Dataflow::Ws, 128, 68.0),
    ([1024, 1024, 1024], Dataflow::Ws, 256, 41.0),
];
const CLOSED_FORMS: u32 = 1_000_000;

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn main() {
    println!(
        "| product | array | cycles | SCALE-Sim | closed form | moving operands | ratio | moving, MAC/s | sums only, checked | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for ([m, k, n], dataflow, side, theirs) in SHAPES {
        let matmul = Matmul::new(m, k, n, Dtype::Bf16).unwrap();
        let array = Array::new(side, side).unwrap();
        let schedule = Schedule::new(array, dataflow, Loading::BeforeEachFold, &matmul);
        let closed = seconds(|| {
            for _ in 0..CLOSED_FORMS {
                black_box(run(black_box(array), dataflow, black_box(&matmul)));
            }
        }) / f64::from(CLOSED_FORMS);
        let mut cycles = 0;
        let moving = seconds(|| {
            cycles = systolic::execute((&schedule, &matmul), 0, &Cancel::default(), &mut |_| {}).unwrap().cycles;
        });
        let sums = seconds(|| {
            black_box(execute::execute(&matmul, (array, dataflow), 0, &Cancel::default(), &mut |_| {}).unwrap());
        });
        println!(
            "| {m}x{k}x{n} {dataflow} | {array} | {cycles} | {theirs} s | {:.0} ns | {:.1} ms | {:.0} | {:.2e} | {:.1} ms | {:.0} |",
            closed * 1e9,
            moving * 1e3,
            theirs / moving,
            matmul.macs() as f64 / moving,
            sums * 1e3,
            theirs / sums,
        );
    }
}
