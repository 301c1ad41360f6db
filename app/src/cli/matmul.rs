//! `podium matmul`: one matrix product, on a chip or on a bare systolic array.

use serde::Serialize;
use simulator::array::{self, Array, Dataflow};
use simulator::cancel::Cancel;
use simulator::dtype::Dtype;
use simulator::execute::{ExecuteError, Execution, execute};
use simulator::matmul::Matmul;
use simulator::roofline::{Engine, Operands, estimate};
use simulator::systolic::{BadLoading, Loading, Schedule};
use simulator::trace::Trace;
use widgets::format;

use super::args::{MatmulArgs, TraceArgs};
use super::chips::find;
use super::failure::{Failure, Status};
use super::output::{self, Output};
use super::trace;

/// Multiply-adds that take about a second.
const LONG_MACS: u64 = 1 << 33;
/// Rows through folds that take about a second.
const LONG_ROW_PASSES: u64 = 1 << 25;

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
    #[serde(flatten)]
    executed: Option<Executed>,
}

impl Answer {
    /// A product that is not what it must be is a fault that was found.
    pub(super) fn status(&self) -> Status {
        let wrong = self.executed.as_ref().is_some_and(|executed| !executed.within_bound);
        if wrong { Status::Found } else { Status::Done }
    }
}

/// What really doing it showed.
#[derive(Serialize)]
struct Executed {
    #[serde(rename = "executed_on")]
    by: String,
    seed: u64,
    max_abs_error: f64,
    max_rel_error: f64,
    rel_error_bound: f64,
    within_bound: bool,
    checked_elements: u64,
    checked_all: bool,
}

#[derive(Serialize)]
struct OnArray {
    array: String,
    dataflow: &'static str,
    loading: &'static str,
    /// Index of the last cycle, from 0: one less than the cycles that pass.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

pub(super) fn matmul(args: &MatmulArgs, output: &mut Output<'_>) -> Result<Answer, Failure> {
    let dtype: Dtype =
        args.dtype.parse().map_err(|bad: simulator::dtype::BadDtype| Failure::usage(bad.to_string(), "--dtype"))?;
    let product =
        Matmul::new(args.m, args.k, args.n, dtype).map_err(|bad| Failure::usage(bad.to_string(), "-m, -k, -n"))?;
    trace::refuse(&args.trace)?;
    if args.trace.trace.is_some() && args.chip.is_none() {
        return Err(Failure::usage("a bare array has no timeline", "--trace").hint("Give --chip"));
    }
    let array = args.array.as_deref().map(|text| on_array(text, args, &product)).transpose()?;
    let chip = args.chip.as_deref().map(|name| on_chip(name, &product, &args.trace)).transpose()?;
    let executed = if args.execute { Some(executed(args, &product, output)?) } else { None };
    Ok(Answer {
        m: product.m(),
        k: product.k(),
        n: product.n(),
        dtype: dtype.name(),
        flop: product.flop().get(),
        array,
        chip,
        executed,
    })
}

fn on_array(array: &str, args: &MatmulArgs, product: &Matmul) -> Result<OnArray, Failure> {
    let array = parse_array(array)?;
    let flow = parse_dataflow(&args.dataflow)?;
    let loading: Loading =
        args.loading.parse().map_err(|bad: BadLoading| Failure::usage(bad.to_string(), "--loading"))?;
    let run = array::run(array, flow, product);
    let cycles = Schedule::new(array, flow, loading, product).cycles() - 1;
    let places = array.rows() as f64 * array.cols() as f64;
    Ok(OnArray {
        array: format!("{}x{}", array.rows(), array.cols()),
        dataflow: flow.name(),
        loading: loading.name(),
        cycles,
        folds: run.folds,
        mapping_fraction: run.mapping_fraction.get(),
        utilization_fraction: (product.macs() as f64 / (places * cycles.max(1) as f64)).min(1.0),
    })
}

fn on_chip(name: &str, product: &Matmul, wanted: &TraceArgs) -> Result<OnChip, Failure> {
    let generation = find(name, "--chip")?;
    let unknown = |error: simulator::roofline::RooflineError| {
        Failure::input("unknown_figure", error.to_string())
            .at("--chip, --dtype")
            .hint("See `podium chips` for what is known")
    };
    let engine = Engine::chip(generation).map_err(unknown)?;
    let estimate = estimate(product, &engine, Operands::Hbm).map_err(unknown)?;
    let timeline = Trace::of_matmul(product, &engine, &estimate);
    let trace = trace::save(wanted, &timeline, &format!("one product on {}", generation.name))?;
    Ok(OnChip {
        trace,
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

/// Does the product on the array that was asked for, or on one of the chip's.
fn executed(args: &MatmulArgs, product: &Matmul, output: &mut Output<'_>) -> Result<Executed, Failure> {
    let flow = parse_dataflow(&args.dataflow)?;
    let array = match (&args.array, &args.chip) {
        (Some(array), _) => parse_array(array)?,
        (None, Some(chip)) => {
            let generation = find(chip, "--chip")?;
            let side =
                generation.mxu_dim.as_ref().and_then(|side| Array::new(side.value.into(), side.value.into()).ok());
            let message = || format!("the size of the matrix unit of {} is not known", generation.name);
            side.ok_or_else(|| Failure::input("unknown_figure", message()).at("--chip").hint("Give it with --array"))?
        }
        (None, None) => return Err(Failure::usage("nothing to execute it on", "--chip").hint("Give --chip or --array")),
    };
    let mut progress = output.progress("executing");
    // A person waits for less than a second, and needs no bar.
    let folds = array::run(array, flow, product).folds;
    let is_long = product.macs() > LONG_MACS || folds.saturating_mul(product.m()) > LONG_ROW_PASSES;
    let mut tell = |share| {
        if is_long {
            progress.tell(share);
        }
    };
    let found: Execution = execute(product, (array, flow), args.seed, &Cancel::default(), &mut tell)
        .map_err(|error| not_executable(&error))?;
    Ok(Executed {
        by: format!("{array} {flow}"),
        seed: args.seed,
        max_abs_error: found.max_abs_error,
        max_rel_error: found.max_rel_error,
        rel_error_bound: found.rel_error_bound,
        within_bound: found.within_bound,
        checked_elements: found.checked_elements,
        checked_all: found.checked_all,
    })
}

fn not_executable(error: &ExecuteError) -> Failure {
    let hint = match error {
        ExecuteError::Cancelled => "Start it again",
        ExecuteError::TooManyRowPasses { .. } | ExecuteError::TooManyPanelPasses { .. } => {
            "Choose a larger --array or a smaller product"
        }
        ExecuteError::TooManyMacs { .. }
        | ExecuteError::TooManySteps { .. }
        | ExecuteError::TooManyElements { .. }
        | ExecuteError::Overflow { .. } => "Choose a smaller product",
    };
    Failure::input("not_executable", error.to_string()).at("--execute").hint(hint)
}

fn parse_array(text: &str) -> Result<Array, Failure> {
    text.parse().map_err(|bad: array::BadArray| Failure::usage(bad.to_string(), "--array"))
}

fn parse_dataflow(text: &str) -> Result<Dataflow, Failure> {
    text.parse().map_err(|bad: array::BadArray| Failure::usage(bad.to_string(), "--dataflow"))
}

pub(super) fn text(answer: &Answer) -> String {
    let mut rows = vec![
        ("product", format!("{} x {} x {} {}", answer.m, answer.k, answer.n, answer.dtype)),
        ("arithmetic", format::si(answer.flop, "FLOP")),
    ];
    if let Some(run) = &answer.array {
        rows.push(("array", format!("{} {}, loaded {}", run.array, run.dataflow, run.loading)));
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
        rows.extend(run.trace.iter().map(|path| ("trace", path.clone())));
    }
    if let Some(run) = &answer.executed {
        let all = if run.checked_all { "all elements" } else { "a sample" };
        let verdict = if run.within_bound { "right" } else { "WRONG" };
        rows.push(("executed on", format!("{}, seed {}", run.by, run.seed)));
        rows.push(("result", format!("{verdict}: {} elements checked ({all})", run.checked_elements)));
        rows.push(("largest difference", format!("{:.3e}", run.max_abs_error)));
        rows.push((
            "relative error",
            format!("{:.3e} of Σ|a·b|; rounding allows {:.3e}", run.max_rel_error, run.rel_error_bound),
        ));
        rows.push(("within bound", if run.within_bound { "yes" } else { "NO" }.to_owned()));
    }
    output::facts(&rows)
}

fn percent(fraction: f64) -> String {
    format::percent(topology::units::Fraction::clamped(fraction), 1)
}
