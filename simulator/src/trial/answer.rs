//! What a trial takes: one answer for products and collectives alike.

use topology::chip::{Generation, GenerationId};
use topology::fleet::Component;
use topology::shape::{Axis, Shape};
use topology::slice::{SliceError, SliceModel};
use topology::units::{Byte, BytePerSec, Flop, FlopPerSec, Seconds, Usd};

use super::roofs::{Point, Roofline};
use super::{Exchange, Gemm, Sharded, Trial};
use crate::array::{Array, ArrayRun, Dataflow, run};
use crate::cancel::Cancel;
use crate::collective::{Links, Ring, time};
use crate::execute::ExecuteError;
use crate::explain::Term;
use crate::matmul::{BadMatmul, Matmul};
use crate::roofline::{Engine, Estimate, Operands, RooflineError, estimate};
use crate::shard::{self, ShardError};
use crate::trace::Trace;

/// Where a trial is tried.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The chips.
    pub generation: &'a Generation,
    /// Size of one slice.
    pub shape: Shape,
    /// Whether its torus is twisted.
    pub twisted: bool,
    /// How many such slices there are.
    pub n_slices: u32,
    /// What does not work, in coordinates of the slice.
    pub faults: &'a [Component],
}

impl Setting<'_> {
    fn model(&self) -> Result<SliceModel<'_>, TrialError> {
        Ok(SliceModel::new(self.generation, self.shape, Some(self.twisted))?)
    }
}

/// Why a trial has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrialError {
    /// Nothing is tried.
    #[error("nothing is tried yet; choose a kind of work")]
    Nothing,
    /// The catalogue does not know the chips.
    #[error("the catalogue has no generation \"{0}\"")]
    Generation(GenerationId),
    /// There is no such slice.
    #[error(transparent)]
    Slice(#[from] SliceError),
    /// The sizes are not possible.
    #[error(transparent)]
    Matmul(#[from] BadMatmul),
    /// A figure of the chip is not published.
    #[error(transparent)]
    Roofline(#[from] RooflineError),
    /// The sharded product is not possible.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The product cannot be executed here.
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    /// The axes cannot be read.
    #[error("\"{text}\" names no axes of the slice; write some of {known}, each once")]
    Axes {
        /// The text, shortened where it is long.
        text: String,
        /// The axes that there are.
        known: String,
    },
    /// The links have no published rate.
    #[error("{0} has no published rate of its links")]
    NoLinks(GenerationId),
    /// It was given up for a newer question.
    #[error("cancelled")]
    Cancelled,
}

/// What a trial takes, on all chips that take part at once.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Expected time.
    pub seconds: Seconds,
    /// The truth is unlikely to be shorter.
    pub seconds_low: Seconds,
    /// The truth is unlikely to be longer.
    pub seconds_high: Seconds,
    /// What takes longest: "mxu", "hbm", "ici", "overhead", …
    pub bound: &'static str,
    /// Chips that are paid for meanwhile.
    pub n_chips: u64,
    /// Time in which a chip computes; absent for a collective.
    pub compute_seconds: Option<Seconds>,
    /// Communication that nothing hides; absent where there is none to hide.
    pub exposed_seconds: Option<Seconds>,
    /// Useful operations of one chip.
    pub flop: Option<Flop>,
    /// Those per second of the whole time.
    pub achieved_flop_per_s: Option<FlopPerSec>,
    /// Peak of one chip in the number format.
    pub peak_flop_per_s: Option<FlopPerSec>,
    /// Main-memory traffic of one chip.
    pub hbm_bytes: Option<Byte>,
    /// Main memory that is taken on one chip, and what there is.
    pub memory: Option<(Byte, Option<Byte>)>,
    /// Bytes of the gathered array per second of the whole time.
    pub algorithm_bytes_per_s: Option<BytePerSec>,
    /// What the chips cost for that long, at the list price; absent where there is none.
    pub usd: Option<Usd>,
    /// The rooflines of a chip with the work under them.
    pub rooflines: Vec<Roofline>,
    /// What each resource of a chip does when.
    pub trace: Trace,
    /// The systolic array of the chip at work on the local product.
    pub array: Option<(Array, Matmul, ArrayRun)>,
    /// What is done, in order, for people.
    pub steps: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// How each number was made.
    pub explain: Vec<Term>,
}

/// Answers a trial.
///
/// # Errors
/// If the slice or the work is not possible, a figure is not published, or it was cancelled.
pub fn answer(trial: &Trial, setting: &Setting<'_>, cancel: &Cancel) -> Result<Answer, TrialError> {
    let mut found = match trial {
        Trial::Gemm(gemm) => of_gemm(*gemm, setting),
        Trial::Sharded(sharded) => of_sharded(sharded, setting),
        Trial::Collective(exchange) => of_exchange(exchange, setting),
    }?;
    if cancel.is_set() {
        return Err(TrialError::Cancelled);
    }
    let price = setting.generation.usd_per_chip_hour.as_ref();
    found.usd = price.map(|price| Usd::new(price.value.get() * found.seconds.get() / 3600.0 * found.n_chips as f64));
    Ok(found)
}

fn of_gemm(gemm: Gemm, setting: &Setting<'_>) -> Result<Answer, TrialError> {
    setting.model()?;
    let product = Matmul::new(gemm.m, gemm.k, gemm.n, gemm.dtype)?;
    let engine = Engine::chip(setting.generation)?;
    let found = estimate(&product, &engine, Operands::Hbm)?;
    let mut notes = vec!["One chip does the product; the others of the slice do the same or nothing".to_owned()];
    if !setting.faults.is_empty() {
        notes.push("Faults change nothing: the product is done on a chip that works".to_owned());
    }
    Ok(Answer {
        seconds: found.seconds,
        seconds_low: found.seconds_low,
        seconds_high: found.seconds_high,
        bound: found.bound.name(),
        n_chips: 1,
        compute_seconds: Some(found.seconds),
        exposed_seconds: None,
        flop: Some(found.flop),
        achieved_flop_per_s: Some(found.achieved_flop_per_s),
        peak_flop_per_s: Some(engine.peak(gemm.dtype)?.value),
        hbm_bytes: Some(found.hbm_bytes),
        memory: Some((product.compulsory_bytes(), usable(setting.generation))),
        algorithm_bytes_per_s: None,
        usd: None,
        rooflines: vec![hbm_roofline(&product, &engine, &found, 1.0)?],
        trace: Trace::of_matmul(&product, &engine, &found),
        array: on_array(setting.generation, product),
        steps: vec![format!("{}x{}x{} {} on one chip", product.m(), product.k(), product.n(), product.dtype())],
        notes,
        explain: found.explain,
    })
}

fn of_sharded(sharded: &Sharded, setting: &Setting<'_>) -> Result<Answer, TrialError> {
    let model = setting.model()?;
    let found = shard::answer_trial(sharded, setting.generation, &model.torus)?;
    let engine = Engine::chip(setting.generation)?;
    let plan = &found.best;
    let seconds = plan.total.mid.get();
    let share = if seconds > 0.0 { plan.compute.mid.get() / seconds } else { 0.0 };
    let mut steps: Vec<String> = plan.collectives.iter().filter(|step| step.is_before).map(shard::Step::name).collect();
    steps.push(format!("each chip: {}", plan.local_product));
    steps.extend(plan.collectives.iter().filter(|step| !step.is_before).map(shard::Step::name));
    let achieved = if seconds > 0.0 { plan.flop.get() / seconds } else { 0.0 };
    let hbm = plan.estimate.hbm_bytes * plan.chunks as f64;
    Ok(Answer {
        seconds: plan.total.mid,
        seconds_low: plan.total.low,
        seconds_high: plan.total.high,
        bound: plan.bound.name(),
        n_chips: setting.shape.n_chips() as u64,
        compute_seconds: Some(plan.compute.mid),
        exposed_seconds: Some(plan.exposed.mid),
        flop: Some(plan.flop),
        achieved_flop_per_s: Some(FlopPerSec::new(achieved)),
        peak_flop_per_s: Some(engine.peak(sharded.dtype)?.value),
        hbm_bytes: Some(hbm),
        memory: Some((plan.memory_bytes, found.hbm_bytes)),
        algorithm_bytes_per_s: None,
        usd: None,
        rooflines: vec![hbm_roofline(&plan.chunk, &engine, &plan.estimate, share)?],
        array: on_array(setting.generation, plan.chunk),
        trace: found.trace,
        steps,
        notes: found.notes,
        explain: found.explain,
    })
}

fn of_exchange(exchange: &Exchange, setting: &Setting<'_>) -> Result<Answer, TrialError> {
    let model = setting.model()?;
    let axes = parse_axes(&exchange.axes, setting.shape)?;
    let links = Links::of(setting.generation).ok_or_else(|| TrialError::NoLinks(setting.generation.id.clone()))?;
    let rings = Ring::of(setting.shape, model.torus.wrap(), &axes);
    let bytes = Byte::new(exchange.bytes as f64);
    let found = time(exchange.kind, bytes, &rings, links);
    let name = format!("{} over {}", exchange.kind.name(), exchange.axes);
    let rate = if found.seconds > Seconds::ZERO { bytes / found.seconds } else { None };
    let explain = vec![
        Term::new("Gathered array", (bytes.get(), "B"), "V, as asked", "scenario"),
        Term::new("Link, one direction", (links.bytes_per_s.get(), "B/s"), "physical rate W", "catalogue"),
        Term::new("Bandwidth term", (found.bandwidth_seconds.get(), "s"), found.formula, "scaling-book, sharding.md"),
        Term::new("Latency term", (found.latency_seconds.get(), "s"), "hops · hop time", "scaling-book, tpus.md"),
        Term::new("Time", (found.seconds.get(), "s"), "max(bandwidth, latency)", "scaling-book, sharding.md"),
    ];
    Ok(Answer {
        seconds: found.seconds,
        seconds_low: found.seconds_low,
        seconds_high: found.seconds_high,
        bound: if found.bandwidth_seconds >= found.latency_seconds { "ici" } else { "latency" },
        n_chips: setting.shape.n_chips() as u64,
        compute_seconds: None,
        exposed_seconds: Some(found.seconds),
        flop: None,
        achieved_flop_per_s: None,
        peak_flop_per_s: None,
        hbm_bytes: None,
        memory: Some((bytes, usable(setting.generation))),
        algorithm_bytes_per_s: rate,
        usd: None,
        rooflines: Vec::new(),
        trace: Trace::of_collective(&name, &axes, found.seconds, found.busiest_link_bytes),
        array: None,
        steps: vec![name],
        notes: Vec::new(),
        explain,
    })
}

/// Reads "x", "x,y" or "xyz".
fn parse_axes(text: &str, shape: Shape) -> Result<Vec<Axis>, TrialError> {
    let bad = || TrialError::Axes { text: text.chars().take(40).collect(), known: axes_of(shape) };
    let mut axes = Vec::new();
    for c in text.chars().filter(|c| !c.is_whitespace() && *c != ',') {
        let name = c.to_ascii_lowercase().to_string();
        let axis = shape.axes().iter().find(|axis| axis.name() == name).ok_or_else(bad)?;
        if axes.contains(axis) {
            return Err(bad());
        }
        axes.push(*axis);
    }
    if axes.is_empty() { Err(bad()) } else { Ok(axes) }
}

fn axes_of(shape: Shape) -> String {
    shape.axes().iter().map(|axis| axis.name()).collect::<Vec<_>>().join(",")
}

/// What programs can use of a chip's main memory, or all of it where that is not known.
fn usable(generation: &Generation) -> Option<Byte> {
    let devices = generation.devices_per_chip.as_ref().map_or(1, |devices| devices.value);
    let usable = generation.hbm_usable_bytes_per_device.as_ref().map(|bytes| bytes.value * f64::from(devices));
    usable.or_else(|| generation.hbm_bytes.as_ref().map(|bytes| bytes.value))
}

fn hbm_roofline(
    product: &Matmul,
    engine: &Engine,
    found: &Estimate,
    share: f64,
) -> Result<Roofline, TrialError> {
    let constants = engine.calibration();
    let name = format!("{}x{}x{}", product.m(), product.k(), product.n());
    let point = (found.hbm_bytes > Byte::ZERO).then(|| Point {
        name,
        flop_per_byte: found.flop.get() / found.hbm_bytes.get(),
        rate: found.achieved_flop_per_s,
        share,
    });
    Ok(Roofline {
        memory: "HBM",
        peak: engine.peak(product.dtype())?.value,
        reached_fraction: constants.mxu_fraction,
        bandwidth: engine.hbm_bytes_per_s(),
        reached_bandwidth_fraction: constants.hbm_fraction,
        points: point.into_iter().collect(),
    })
}

/// The matrix unit of a chip, weight-stationary, on a product.
fn on_array(generation: &Generation, product: Matmul) -> Option<(Array, Matmul, ArrayRun)> {
    let side = u64::from(generation.mxu_dim.as_ref()?.value);
    let array = Array::new(side, side).ok()?;
    Some((array, product, run(array, Dataflow::Ws, &product)))
}
