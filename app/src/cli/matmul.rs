//! `podium matmul`: one matrix product, on a chip or on a bare systolic array.

use serde::Serialize;
use simulator::array::{self, Array, Dataflow};
use simulator::dtype::Dtype;
use simulator::matmul::Matmul;
use simulator::roofline::{Engine, Operands, estimate};
use widgets::format;

use super::args::MatmulArgs;
use super::chips::find;
use super::failure::Failure;
use super::output;

/// The answer; what was not asked for is left out.
#[derive(Serialize)]
pub(super) struct Answer {
    m: u64,
    k: u64,
    n: u64,
    dtype: &'static str,
    flop: f64,
    #[serde(flatten)]
    array: Option<OnArray>,
    #[serde(flatten)]
    chip: Option<OnChip>,
}

#[derive(Serialize)]
struct OnArray {
    array: String,
    dataflow: &'static str,
    cycles: u64,
    folds: u64,
    mapping_fraction: f64,
    utilization_fraction: f64,
}

#[derive(Serialize)]
struct OnChip {
    chip: String,
    seconds: f64,
    seconds_low: f64,
    seconds_high: f64,
    hbm_bytes: f64,
    bound: &'static str,
    achieved_flop_per_s: f64,
    explain: Vec<simulator::explain::Term>,
}

pub(super) fn matmul(args: &MatmulArgs) -> Result<Answer, Failure> {
    let dtype: Dtype =
        args.dtype.parse().map_err(|bad: simulator::dtype::BadDtype| Failure::usage(bad.to_string(), "--dtype"))?;
    let product = Matmul::new(args.m, args.k, args.n, dtype)
        .map_err(|bad| Failure::input("bad_matmul", bad.to_string()).at("-m, -k, -n"))?;
    let array = args.array.as_deref().map(|text| on_array(text, &args.dataflow, &product)).transpose()?;
    let chip = args.chip.as_deref().map(|name| on_chip(name, &product)).transpose()?;
    Ok(Answer {
        m: product.m(),
        k: product.k(),
        n: product.n(),
        dtype: dtype.name(),
        flop: product.flop().get(),
        array,
        chip,
    })
}

fn on_array(array: &str, dataflow: &str, product: &Matmul) -> Result<OnArray, Failure> {
    let array: Array = array.parse().map_err(|bad: array::BadArray| Failure::usage(bad.to_string(), "--array"))?;
    let flow: Dataflow =
        dataflow.parse().map_err(|bad: array::BadArray| Failure::usage(bad.to_string(), "--dataflow"))?;
    let run = array::run(array, flow, product);
    Ok(OnArray {
        array: format!("{}x{}", array.rows(), array.cols()),
        dataflow: flow.name(),
        cycles: run.cycles,
        folds: run.folds,
        mapping_fraction: run.mapping_fraction.get(),
        utilization_fraction: run.utilization_fraction.get(),
    })
}

fn on_chip(name: &str, product: &Matmul) -> Result<OnChip, Failure> {
    let generation = find(name, "--chip")?;
    let unknown = |error: simulator::roofline::RooflineError| {
        Failure::input("unknown_figure", error.to_string())
            .at("--chip, --dtype")
            .hint("See `podium chips` for what is known")
    };
    let engine = Engine::chip(generation).map_err(unknown)?;
    let estimate = estimate(product, &engine, Operands::Hbm).map_err(unknown)?;
    Ok(OnChip {
        chip: generation.id.0.clone(),
        seconds: estimate.seconds.get(),
        seconds_low: estimate.seconds_low.get(),
        seconds_high: estimate.seconds_high.get(),
        hbm_bytes: estimate.hbm_bytes.get(),
        bound: estimate.bound.name(),
        achieved_flop_per_s: estimate.achieved_flop_per_s.get(),
        explain: estimate.explain,
    })
}

pub(super) fn text(answer: &Answer) -> String {
    let mut rows = vec![
        ("product", format!("{} x {} x {} {}", answer.m, answer.k, answer.n, answer.dtype)),
        ("arithmetic", format::si(answer.flop, "FLOP")),
    ];
    if let Some(run) = &answer.array {
        rows.push(("array", format!("{} {}", run.array, run.dataflow)));
        rows.push(("cycles", run.cycles.to_string()));
        rows.push(("folds", run.folds.to_string()));
        rows.push(("mapping", percent(run.mapping_fraction)));
        rows.push(("utilization", percent(run.utilization_fraction)));
    }
    if let Some(run) = &answer.chip {
        let [seconds, low, high] = [run.seconds, run.seconds_low, run.seconds_high].map(|s| format::si(s, "s"));
        rows.push(("chip", run.chip.clone()));
        rows.push(("time", format!("{seconds} ({low} to {high})")));
        rows.push(("HBM traffic", format::si(run.hbm_bytes, "B")));
        rows.push(("bound by", run.bound.to_owned()));
        rows.push(("achieved", format::si(run.achieved_flop_per_s, "FLOP/s")));
    }
    output::facts(&rows)
}

fn percent(fraction: f64) -> String {
    format::percent(topology::units::Fraction::clamped(fraction), 1)
}
