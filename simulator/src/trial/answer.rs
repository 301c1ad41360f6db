//! What a trial takes: one answer for products and collectives alike.

use topology::chip::{Generation, GenerationId, ICI_EFFECTIVE_SHARE};
use topology::fleet::Component;
use topology::graph::Outage;
use topology::shape::Shape;
use topology::slice::{SliceError, SliceModel};
use topology::torus::{Link, Sign};
use topology::units::{Byte, BytePerSec, Flop, FlopPerSec, Seconds, Usd};

use super::roofs::{Point, Roofline};
use super::{Exchange, Gemm, Sharded, Trial};
use crate::array::{Array, ArrayRun, Dataflow, run};
use crate::cancel::Cancel;
use crate::collective::{
    self, Analytic, BadText, CollectiveError, CollectiveModel as _, Fabric, Group, LinkTraffic, Links, Request,
};
use crate::execute::ExecuteError;
use crate::explain::Term;
use crate::matmul::{BadMatmul, Matmul};
use crate::roofline::{Engine, Estimate, Operands, RooflineError, estimate};
use crate::shard::run::LinkBytes;
use crate::shard::{self, Band, Overlap, Problem, RunError, ShardError};
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
    pub(super) fn model(&self) -> Result<SliceModel<'_>, TrialError> {
        Ok(SliceModel::new(self.generation, self.shape, Some(self.twisted))?)
    }

    /// The links that work.
    pub(super) fn fabric(&self) -> Result<Fabric, TrialError> {
        let outage = Outage::of(self.shape, self.faults);
        Ok(Fabric::new(&self.model()?, outage)?.with_slices(self.n_slices)?)
    }

    /// A collective as it is asked of the models.
    pub(super) fn exchange(&self, exchange: &Exchange) -> Result<(Request, Fabric), TrialError> {
        let (kind, bytes) = (exchange.kind, Byte::new(exchange.bytes as f64));
        let group = if exchange.has_groups() {
            Group::Replicas(collective::groups(&exchange.axes)?)
        } else {
            Group::Axes(collective::axes(&exchange.axes)?)
        };
        Ok((Request { kind, bytes, group, pairs: None }, self.fabric()?))
    }

    /// A sharded product answered around what does not work, and what that is; nothing where all works.
    pub(super) fn sharded(
        &self,
        problem: &Problem,
        sharded: &Sharded,
    ) -> Result<(shard::Answer, Option<Outage>), TrialError> {
        let overlap = if sharded.overlaps { Overlap::CollectiveMatmul } else { Overlap::None };
        if self.faults.is_empty() {
            return Ok((shard::answer(problem, self.generation, overlap)?, None));
        }
        let outage = Outage::of(self.shape, self.faults);
        let found = shard::answer_under_faults(problem, self.generation, overlap, outage.clone())?;
        Ok((found, Some(outage)))
    }

    /// Chips of all slices.
    pub(super) fn n_chips(&self) -> u64 {
        self.shape.n_chips() as u64 * u64::from(self.n_slices)
    }
}

/// Why a trial has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
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
    /// The sharded product cannot be executed here.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The collective is not possible.
    #[error(transparent)]
    Collective(#[from] CollectiveError),
    /// A text of the collective cannot be read.
    #[error(transparent)]
    Text(#[from] BadText),
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
    pub compute: Option<Band>,
    /// Communication that nothing hides; absent where there is none to hide.
    pub exposed: Option<Band>,
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
    /// Bytes over the busiest link in one direction; absent where nothing is sent.
    pub busiest_link_bytes: Option<Byte>,
    /// What the chips cost for that long, at the list price; absent where there is none.
    pub usd: Option<Usd>,
    /// The rooflines of a chip with the work under them.
    pub rooflines: Vec<Roofline>,
    /// What each resource of a chip does when.
    pub trace: Trace,
    /// The systolic array of the chip at work on the local product.
    pub array: Option<(Array, Matmul, ArrayRun)>,
    /// Every link direction that carries something, in coordinates of the slice.
    pub links: Vec<LinkTraffic>,
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
        Trial::Collective(exchange) => of_exchange(exchange, setting, cancel),
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
        compute: Some(Band { low: found.seconds_low, mid: found.seconds, high: found.seconds_high }),
        exposed: None,
        flop: Some(found.flop),
        achieved_flop_per_s: Some(found.achieved_flop_per_s),
        peak_flop_per_s: Some(engine.peak(gemm.dtype)?.value),
        hbm_bytes: Some(found.hbm_bytes),
        memory: Some((product.compulsory_bytes(), usable(setting.generation))),
        algorithm_bytes_per_s: None,
        busiest_link_bytes: None,
        usd: None,
        rooflines: vec![hbm_roofline(&product, &engine, &found, 1.0)?],
        trace: Trace::of_matmul(&product, &engine, &found),
        array: on_array(setting.generation, product),
        links: Vec::new(),
        steps: vec![format!("{}x{}x{} {} on one chip", product.m(), product.k(), product.n(), product.dtype())],
        notes,
        explain: found.explain,
    })
}

fn of_sharded(sharded: &Sharded, setting: &Setting<'_>) -> Result<Answer, TrialError> {
    let model = setting.model()?;
    let problem = Problem::of_trial(sharded, &model.torus)?;
    let (found, _) = setting.sharded(&problem, sharded)?;
    let links = traffic(&problem, &found.best, setting.generation);
    let notes = found.notes;
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
        n_chips: setting.n_chips(),
        compute: Some(plan.compute),
        exposed: Some(plan.exposed),
        flop: Some(plan.flop),
        achieved_flop_per_s: Some(FlopPerSec::new(achieved)),
        peak_flop_per_s: Some(engine.peak(sharded.dtype)?.value),
        hbm_bytes: Some(hbm),
        memory: Some((plan.memory_bytes, found.hbm_bytes)),
        algorithm_bytes_per_s: None,
        busiest_link_bytes: links.iter().map(|link| link.bytes).reduce(Byte::max),
        usd: None,
        rooflines: vec![hbm_roofline(&plan.chunk, &engine, &plan.estimate, share)?],
        array: on_array(setting.generation, plan.chunk),
        trace: found.trace,
        links,
        steps,
        notes,
        explain: found.explain,
    })
}

fn of_exchange(exchange: &Exchange, setting: &Setting<'_>, cancel: &Cancel) -> Result<Answer, TrialError> {
    let (request, fabric) = setting.exchange(exchange)?;
    Ok(told(exchange, setting, Analytic.answer(&request, &fabric, cancel, &mut |_| ())?))
}

/// The answer of either model of collectives.
pub(super) fn told(exchange: &Exchange, setting: &Setting<'_>, found: collective::Answer) -> Answer {
    let time = found.time;
    let notes = found.degraded.iter().map(ToString::to_string).collect();
    Answer {
        seconds: time.seconds,
        seconds_low: time.seconds_low,
        seconds_high: time.seconds_high,
        bound: if time.bandwidth_seconds >= time.latency_seconds { "ici" } else { "latency" },
        n_chips: setting.n_chips(),
        compute: None,
        exposed: Some(Band { low: time.seconds_low, mid: time.seconds, high: time.seconds_high }),
        flop: None,
        achieved_flop_per_s: None,
        peak_flop_per_s: None,
        hbm_bytes: None,
        memory: None,
        algorithm_bytes_per_s: found.algorithm_bytes_per_s,
        busiest_link_bytes: Some(time.busiest_link_bytes),
        usd: None,
        rooflines: Vec::new(),
        trace: Trace::of_phases(&found.phases, setting.shape, time.seconds),
        array: None,
        steps: vec![format!(
            "{} over {} in {} groups of {} chips",
            exchange.kind, exchange.axes, found.n_groups, found.group_chips
        )],
        links: found.links,
        notes,
        explain: found.explain,
    }
}

/// What the links carry in the collectives of a plan, and for how long at the expected rate.
fn traffic(problem: &Problem, plan: &shard::Plan, generation: &Generation) -> Vec<LinkTraffic> {
    let Some(links) = Links::of(generation) else { return Vec::new() };
    let torus = problem.mesh().torus();
    let rate = links.bytes_per_s * ICI_EFFECTIVE_SHARE;
    let told = |sent: LinkBytes| {
        let from = match sent.sign {
            Sign::Plus => sent.from,
            Sign::Minus => torus.step(sent.from, sent.axis, Sign::Minus)?.to,
        };
        let busy_seconds = (sent.bytes / rate)?;
        let idle_seconds = Seconds::new((plan.total.mid.get() - busy_seconds.get()).max(0.0));
        let link = Link { from, axis: sent.axis };
        Some(LinkTraffic { link, sign: sent.sign, bytes: sent.bytes, busy_seconds, idle_seconds })
    };
    shard::traffic::links(problem, plan).into_iter().filter_map(told).collect()
}

/// What programs can use of a chip's main memory, or all of it where that is not known.
fn usable(generation: &Generation) -> Option<Byte> {
    let devices = generation.devices_per_chip.as_ref().map_or(1, |devices| devices.value);
    let usable = generation.hbm_usable_bytes_per_device.as_ref().map(|bytes| bytes.value * f64::from(devices));
    usable.or_else(|| generation.hbm_bytes.as_ref().map(|bytes| bytes.value))
}

fn hbm_roofline(product: &Matmul, engine: &Engine, found: &Estimate, share: f64) -> Result<Roofline, TrialError> {
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
