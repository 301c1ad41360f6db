//! `podium shard`: one matrix product sharded over a slice.

use serde::Serialize;
use simulator::cancel::Cancel;
use simulator::dtype::{BadDtype, Dtype};
use simulator::explain::Term;
use simulator::shard::answer::BadOverlap;
use simulator::shard::run::{Exchanged, LinkBytes};
use simulator::shard::traffic::links;
use simulator::shard::{self, Answer, Band, Conditions, Mesh, Overlap, Plan, Problem, Run, RunError, ShardError, Step};
use topology::graph::Outage;
use topology::slice::SliceModel;
use topology::units::{Byte, Seconds};
use widgets::format;

use super::args::ShardArgs;
use super::coords::sign_text;
use super::failure::{Failure, Status};
use super::output::{self, Output};
use super::route::fail;
use super::slice::named;
use super::trace;

/// Multiply-adds that take about a second, with the plain product that they are compared with.
const LONG_MACS: u64 = 1 << 28;

/// The answer; what was not asked for is left out.
#[derive(Serialize)]
pub(super) struct Report {
    product: String,
    slice: String,
    /// What was taken out of service.
    failed: Vec<String>,
    mesh: String,
    dtype: &'static str,
    overlap: &'static str,
    case: u8,
    cases: Vec<AxisRow>,
    chips: usize,
    replicas: u64,
    #[serde(flatten)]
    best: PlanRow,
    hbm_bytes_per_chip: Option<Byte>,
    fits: Option<bool>,
    alternatives: Vec<PlanRow>,
    notes: Vec<String>,
    explain: Vec<Term>,
    #[serde(flatten)]
    executed: Option<Executed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<LinkRow>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

impl Report {
    /// A product that is not what it must be is a fault that was found.
    pub(super) fn status(&self) -> Status {
        let wrong = self.executed.as_ref().is_some_and(|executed| !executed.within_bound);
        if wrong { Status::Found } else { Status::Done }
    }
}

#[derive(Serialize)]
struct AxisRow {
    axis: String,
    case: u8,
    rule: &'static str,
}

#[derive(Serialize)]
struct PlanRow {
    local_product: String,
    collectives: Vec<StepRow>,
    /// Rows, summed places and columns of what a chip multiplies at once.
    local_m: u64,
    local_k: u64,
    local_n: u64,
    /// How often it does.
    parts: u64,
    seconds: Seconds,
    seconds_low: Seconds,
    seconds_high: Seconds,
    compute_seconds: Seconds,
    compute_seconds_low: Seconds,
    compute_seconds_high: Seconds,
    exposed_seconds: Seconds,
    bound: &'static str,
    flop_per_chip: f64,
    memory_bytes_per_chip: Byte,
}

#[derive(Serialize)]
struct StepRow {
    kind: &'static str,
    array: String,
    /// Axes of the mesh, joined.
    axis: String,
    torus_axes: Vec<&'static str>,
    group_chips: u64,
    bytes: Byte,
    seconds: Seconds,
    seconds_low: Seconds,
    seconds_high: Seconds,
    bandwidth_seconds: Seconds,
    latency_seconds: Seconds,
    busiest_link_bytes: Byte,
    overlaps: bool,
    from: String,
    to: String,
}

/// What really doing it showed.
#[derive(Serialize)]
struct Executed {
    seed: u64,
    checked_elements: u64,
    max_abs_error: f64,
    max_rel_error: f64,
    rel_error_bound: f64,
    within_bound: bool,
    exchanges: Vec<Exchanged>,
}

#[derive(Serialize)]
struct LinkRow {
    x: u16,
    y: u16,
    z: u16,
    axis: &'static str,
    sign: &'static str,
    bytes: Byte,
}

pub(super) fn shard(args: &ShardArgs, output: &mut Output<'_>) -> Result<Report, Failure> {
    trace::refuse(&args.trace)?;
    let dtype: Dtype = args.dtype.parse().map_err(|bad: BadDtype| Failure::usage(bad.to_string(), "--dtype"))?;
    let overlap: Overlap =
        args.overlap.parse().map_err(|bad: BadOverlap| Failure::usage(bad.to_string(), "--overlap"))?;
    let slice = named(&args.slice)?;
    let problem = problem(args, &slice, dtype)?;
    let mut outage = Outage::default();
    let failed: Vec<String> =
        args.fail.iter().map(|part| fail(&slice.torus, part, &mut outage)).collect::<Result<_, _>>()?;
    let answer = if failed.is_empty() {
        shard::answer(&problem, slice.generation, overlap)
    } else {
        shard::answer_under_faults(&problem, slice.generation, overlap, outage.clone())
    };
    let answer = answer.map_err(|error| refused(&error))?;
    let conditions = Conditions { seed: args.seed, outage: Some(&outage) };
    let run = args.execute.then(|| run(conditions, (&problem, &answer.best), output)).transpose()?;
    let wanted =
        args.links.then(|| run.as_ref().map_or_else(|| links(&problem, &answer.best), |run| run.links.clone()));
    let links = wanted.map(|links| links.iter().map(link_row).collect());
    let twist = if slice.torus.is_twisted() { "_twisted" } else { "" };
    let name = format!("{}:{}{twist}", slice.generation.id, slice.torus.shape());
    let trace = trace::save(&args.trace, &answer.trace, &format!("{} on {name}", answer.product))?;
    Ok(Report {
        slice: name,
        failed,
        dtype: dtype.name(),
        overlap: overlap.name(),
        chips: slice.torus.shape().n_chips(),
        executed: run.map(|run| executed(run, args.seed)),
        links,
        trace,
        ..report(answer)
    })
}

fn problem(args: &ShardArgs, slice: &SliceModel<'_>, dtype: Dtype) -> Result<Problem, Failure> {
    let product = args.product.parse().map_err(|error| refused(&ShardError::Product(error)))?;
    let sizes = args.size.parse().map_err(|error| refused(&ShardError::Sizes(error)))?;
    let mesh = Mesh::parse(&args.axes, &slice.torus).map_err(|error| refused(&ShardError::Mesh(error)))?;
    Problem::new(product, &sizes, mesh, dtype).map_err(|error| refused(&error))
}

/// Where a problem lies and what kind it is.
fn refused(error: &ShardError) -> Failure {
    let message = error.to_string();
    match error {
        ShardError::Product(_) => Failure::usage(message, "PRODUCT"),
        ShardError::Sizes(_) => Failure::usage(message, "--size"),
        ShardError::Mesh(_) => Failure::usage(message, "--axes"),
        ShardError::NoSize { .. } | ShardError::UnknownDim { .. } => {
            Failure::input("bad_size", message).at("--size").hint("Give every dimension one size, such as I=8192")
        }
        ShardError::UnknownAxis { .. } => {
            Failure::input("unknown_axis", message).at("--axes").hint("Name every axis of the product in --axes")
        }
        ShardError::NotDivisible { .. } | ShardError::NoWay => Failure::input("not_divisible", message)
            .at("--size")
            .hint("Pad the dimension, or shard it over fewer chips"),
        ShardError::NothingUnreduced { .. } => Failure::input("nothing_unreduced", message)
            .at("PRODUCT")
            .hint("Only sums over a sharded dimension are partial"),
        ShardError::Collective(_) => {
            Failure::input("broken_slice", message).at("--fail").hint("A slice that lacks chips has to be replaced")
        }
        ShardError::Matmul(_) => Failure::input("too_large", message).at("--size").hint("Choose smaller sizes"),
        ShardError::Roofline(_) | ShardError::NoLinks { .. } => Failure::input("unknown_figure", message)
            .at("--slice, --dtype")
            .hint("See `podium chips` for what is known"),
    }
}

fn run(
    conditions: Conditions<'_>,
    (problem, plan): (&Problem, &Plan),
    output: &mut Output<'_>,
) -> Result<Run, Failure> {
    let mut progress = output.progress("executing");
    // A person waits for less than a second, and needs no bar.
    let is_long = problem.whole().macs() > LONG_MACS;
    let mut tell = |share| {
        if is_long {
            progress.tell(share);
        }
    };
    shard::execute(problem, plan, conditions, (&Cancel::default(), &mut tell)).map_err(|error| {
        let hint = match error {
            RunError::Cancelled => "Start it again",
            _ => "Choose smaller sizes or a smaller slice",
        };
        Failure::input("not_executable", error.to_string()).at("--execute").hint(hint)
    })
}

fn executed(run: Run, seed: u64) -> Executed {
    Executed {
        seed,
        checked_elements: run.checked_elements,
        max_abs_error: run.max_abs_error,
        max_rel_error: run.max_rel_error,
        rel_error_bound: run.rel_error_bound,
        within_bound: run.within_bound,
        exchanges: run.exchanges,
    }
}

const fn link_row(link: &LinkBytes) -> LinkRow {
    LinkRow {
        x: link.from.x,
        y: link.from.y,
        z: link.from.z,
        axis: link.axis.name(),
        sign: sign_text(link.sign),
        bytes: link.bytes,
    }
}

/// What the answer itself says.
fn report(answer: Answer) -> Report {
    let axis = |found: &shard::AxisCase| AxisRow {
        axis: found.axis.to_string(),
        case: found.case.number(),
        rule: found.case.rule(),
    };
    Report {
        cases: answer.axis_cases.iter().map(axis).collect(),
        product: answer.product,
        slice: String::new(),
        failed: Vec::new(),
        mesh: answer.mesh,
        dtype: "",
        overlap: "",
        case: answer.case.number(),
        chips: 0,
        replicas: answer.replicas,
        best: plan_row(&answer.best),
        hbm_bytes_per_chip: answer.hbm_bytes,
        fits: answer.fits,
        alternatives: answer.alternatives.iter().map(plan_row).collect(),
        notes: answer.notes,
        explain: answer.explain,
        executed: None,
        links: None,
        trace: None,
    }
}

fn plan_row(plan: &Plan) -> PlanRow {
    let Band { low, mid, high } = plan.total;
    PlanRow {
        local_product: plan.local_product.clone(),
        collectives: plan.collectives.iter().map(step_row).collect(),
        local_m: plan.chunk.m(),
        local_k: plan.chunk.k(),
        local_n: plan.chunk.n(),
        parts: plan.chunks,
        seconds: mid,
        seconds_low: low,
        seconds_high: high,
        compute_seconds: plan.compute.mid,
        compute_seconds_low: plan.compute.low,
        compute_seconds_high: plan.compute.high,
        exposed_seconds: plan.exposed.mid,
        bound: plan.bound.name(),
        flop_per_chip: plan.flop.get(),
        memory_bytes_per_chip: plan.memory_bytes,
    }
}

fn step_row(step: &Step) -> StepRow {
    StepRow {
        kind: step.kind.name(),
        array: step.array.clone(),
        axis: step.axes.iter().map(shard::AxisName::as_str).collect(),
        torus_axes: step.torus_axes.iter().map(|axis| axis.name()).collect(),
        group_chips: step.group_chips,
        bytes: step.bytes,
        seconds: step.time.seconds,
        seconds_low: step.time.seconds_low,
        seconds_high: step.time.seconds_high,
        bandwidth_seconds: step.time.bandwidth_seconds,
        latency_seconds: step.time.latency_seconds,
        busiest_link_bytes: step.time.busiest_link_bytes,
        overlaps: step.is_overlapped,
        from: step.from.clone(),
        to: step.to.clone(),
    }
}

pub(super) fn text(report: &Report) -> String {
    let si = |seconds: Seconds| format::si(seconds.get(), "s");
    let best = &report.best;
    let memory = format::si(best.memory_bytes_per_chip.get(), "B");
    let fits = match (report.hbm_bytes_per_chip, report.fits) {
        (Some(hbm), Some(fits)) => {
            format!("{memory} of {}{}", format::capacity(hbm), if fits { "" } else { ": DOES NOT FIT" })
        }
        _ => memory,
    };
    let mut rows = vec![
        ("product", format!("{} {}", report.product, report.dtype)),
        ("slice", format!("{}, mesh {}", report.slice, report.mesh)),
        (
            "case",
            report.cases.iter().map(|row| format!("{} over {}", row.case, row.axis)).collect::<Vec<_>>().join(", "),
        ),
        ("on a chip", best.local_product.clone()),
    ];
    if !report.failed.is_empty() {
        rows.push(("broken", report.failed.join(", ")));
    }
    for step in &best.collectives {
        let overlaps = if step.overlaps { ", overlaps" } else { "" };
        let bytes = format::si(step.bytes.get(), "B");
        rows.push((step.kind, format!("{} → {}: {bytes}, {}{overlaps}", step.from, step.to, si(step.seconds))));
    }
    rows.push(("computing", si(best.compute_seconds)));
    rows.push(("exposed", si(best.exposed_seconds)));
    rows.push(("time", format!("{} ({} to {})", si(best.seconds), si(best.seconds_low), si(best.seconds_high))));
    rows.push(("bound by", best.bound.to_owned()));
    rows.push(("memory of a chip", fits));
    if let Some(run) = &report.executed {
        let verdict = if run.within_bound { "right" } else { "WRONG" };
        rows.push(("result", format!("{verdict}: {} elements checked (all), seed {}", run.checked_elements, run.seed)));
        rows.push((
            "relative error",
            format!("{:.3e} of Σ|a·b|; rounding allows {:.3e}", run.max_rel_error, run.rel_error_bound),
        ));
    }
    rows.extend(report.trace.iter().map(|path| ("trace", path.clone())));
    let mut text = output::facts(&rows);
    text += &alternatives(report);
    text += &link_table(report);
    for note in &report.notes {
        text += "note: ";
        text += note;
        text.push('\n');
    }
    text
}

fn alternatives(report: &Report) -> String {
    if report.alternatives.is_empty() {
        return String::new();
    }
    let mut rows = vec![["other ways", "time", "of the best"].map(str::to_owned).to_vec()];
    let best = report.best.seconds.get();
    rows.extend(report.alternatives.iter().map(|plan| {
        let step = |step: &StepRow| format!("{} {} over {}", step.kind, step.array, step.axis);
        let steps = plan.collectives.iter().map(step).collect::<Vec<_>>().join(", ");
        let name = if steps.is_empty() { "no communication".to_owned() } else { steps };
        vec![name, format::si(plan.seconds.get(), "s"), format!("{}x", format::fixed(plan.seconds.get() / best, 2))]
    }));
    "\n".to_owned() + &output::table(&rows)
}

fn link_table(report: &Report) -> String {
    let Some(links) = &report.links else { return String::new() };
    let mut rows = vec![["x", "y", "z", "link", "bytes"].map(str::to_owned).to_vec()];
    rows.extend(links.iter().map(|link| {
        let place = [link.x, link.y, link.z].map(|n| n.to_string());
        [&place[..], &[format!("{}{}", link.axis, link.sign), format::si(link.bytes.get(), "B")]].concat()
    }));
    "\n".to_owned() + &output::table(&rows)
}
