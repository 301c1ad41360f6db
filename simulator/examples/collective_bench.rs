//! Prints the times of the models of collectives, and of ASTRA-sim on the same rings.
//!
//! `cargo run --release -p podium-simulator --example collective_bench`

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints its table and may stop at a surprise"
)]

use std::hint::black_box;
use std::time::Instant;

use simulator::cancel::Cancel;
use simulator::collective::{Analytic, Answer, Collective, CollectiveModel, EventDriven, Fabric, Request};
use topology::chip::{Catalog, GenerationId};
use topology::fleet::Component;
use topology::graph::{Network, Outage};
use topology::shape::Shape;
use topology::torus::Torus;
use topology::units::Byte;

/// Kind, shape, a link that is lost, wall seconds of ASTRA-sim's analytical network for 64 MiB (November 2026, a loaded
/// machine).
const CASES: [(Collective, &str, Option<&str>, Option<f64>); 11] = [
    (Collective::AllReduce, "1x64", None, Some(0.5)),
    (Collective::AllReduce, "4x4x4", None, Some(0.2)),
    (Collective::AllReduce, "8x8x8", None, Some(2.7)),
    (Collective::AllReduce, "16x16x16", None, Some(71.0)),
    (Collective::AllReduce, "16x24x24", None, None),
    (Collective::AllReduce, "16x16x16", Some("link:0,0,0:x"), Some(71.0)),
    (Collective::AllReduce, "16x24x24", Some("link:0,0,0:x"), None),
    (Collective::AllToAll, "32x32", None, Some(181.0)),
    (Collective::AllToAll, "8x8x8", None, None),
    (Collective::AllToAll, "8x8x8", Some("link:0,0,0:x"), None),
    (Collective::AllToAll, "16x24x24", None, None),
];
const REPEATS: u32 = 20;

fn timed(model: &dyn CollectiveModel, request: &Request, fabric: &Fabric, repeats: u32) -> (Answer, f64) {
    let start = Instant::now();
    let mut answer = None;
    for _ in 0..repeats {
        answer = Some(black_box(model.answer(request, fabric, &Cancel::default(), &mut |_| {}).unwrap()));
    }
    (answer.unwrap(), start.elapsed().as_secs_f64() / f64::from(repeats))
}

fn main() {
    println!("A lost link means that every chip is simulated; without one, one chip stands for all.\n");
    println!(
        "| collective, 64 MiB | shape | lost | counted | simulated | counting takes | simulating takes | hops | hops/s | ASTRA-sim | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let generation = Catalog::embedded().get(&GenerationId("v5p".to_owned())).unwrap();
    for (kind, shape, lost, astra) in CASES {
        let shape: Shape = shape.parse().unwrap();
        let parts: Vec<Component> = lost.iter().map(|part| part.parse().unwrap()).collect();
        let network = Network::new(Torus::plain(shape, [true; 3]), Outage::of(shape, &parts));
        let fabric = Fabric::of_network(network, generation).unwrap();
        let request = Request::over_axes(kind, Byte::from_mib(64.0), shape.axes());
        let repeats = if lost.is_some() { 1 } else { REPEATS };
        let (counted, counting) = timed(&Analytic, &request, &fabric, repeats);
        let (simulated, simulating) = timed(&EventDriven::default(), &request, &fabric, repeats);
        let events = simulated.n_events.unwrap() as f64;
        let micros = |answer: &Answer| format!("{:.2} µs", answer.time.seconds.get() * 1e6);
        let (theirs, ratio) =
            astra.map_or((String::new(), String::new()), |s| (format!("{s} s"), format!("{:.0}×", s / simulating)));
        println!(
            "| {kind} | {shape} | {} | {} | {} | {:.2} ms | {:.2} ms | {events} | {:.1} M/s | {theirs} | {ratio} |",
            lost.unwrap_or("–"),
            micros(&counted),
            micros(&simulated),
            counting * 1e3,
            simulating * 1e3,
            events / simulating / 1e6
        );
    }
}
