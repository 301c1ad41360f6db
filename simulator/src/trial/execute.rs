//! Really doing what a trial asks for.

use super::answer::{Answer, Setting, TrialError, told};
use super::{Exchange, Gemm, Sharded, Trial};
use crate::array::{Array, Dataflow};
use crate::cancel::Cancel;
use crate::collective::{CollectiveModel as _, EventDriven};
use crate::execute::{Execution, execute as multiply};
use crate::matmul::Matmul;
use crate::roofline::RooflineError;
use crate::shard::{self, Problem, Run};

/// What doing it showed.
#[derive(Debug, Clone, PartialEq)]
pub enum Executed {
    /// A product went through the modelled array, and its result was checked.
    Product(Execution),
    /// The arrays were sharded, multiplied and exchanged, and the whole result was checked.
    Sharded(Run),
    /// Chunks went over the links one by one: the answer of that model, and the steps of chunks that were looked at.
    Chunks(Box<Answer>, u64),
}

/// Seed of the operands: the same as that of the command line where none is given.
const SEED: u64 = 0;

/// Does the work. `progress` is told the share done, from 0 to 1.
///
/// # Errors
/// If the work is not possible or too large to be done here, or it was cancelled.
pub fn execute(
    trial: &Trial,
    setting: &Setting<'_>,
    cancel: &Cancel,
    progress: &mut dyn FnMut(f64),
) -> Result<Executed, TrialError> {
    match trial {
        Trial::Gemm(gemm) => product(*gemm, setting, cancel, progress),
        Trial::Sharded(sharded) => shards(sharded, setting, cancel, progress),
        Trial::Collective(exchange) => chunks(exchange, setting, cancel, progress),
    }
}

fn shards(
    sharded: &Sharded,
    setting: &Setting<'_>,
    cancel: &Cancel,
    progress: &mut dyn FnMut(f64),
) -> Result<Executed, TrialError> {
    let model = setting.model()?;
    let problem = Problem::of_trial(sharded, &model.torus)?;
    let (found, outage) = setting.sharded(&problem, sharded)?;
    let conditions = shard::Conditions { seed: SEED, outage: outage.as_ref() };
    Ok(Executed::Sharded(shard::execute(&problem, &found.best, conditions, (cancel, progress))?))
}

fn chunks(
    exchange: &Exchange,
    setting: &Setting<'_>,
    cancel: &Cancel,
    progress: &mut dyn FnMut(f64),
) -> Result<Executed, TrialError> {
    let (request, fabric) = setting.exchange(exchange)?;
    let found = EventDriven::default().answer(&request, &fabric, cancel, progress)?;
    let n_events = found.n_events.unwrap_or(0);
    Ok(Executed::Chunks(Box::new(told(exchange, setting, found)), n_events))
}

fn product(
    gemm: Gemm,
    setting: &Setting<'_>,
    cancel: &Cancel,
    progress: &mut dyn FnMut(f64),
) -> Result<Executed, TrialError> {
    let generation = setting.generation;
    let missing = || RooflineError::NoFigure { generation: generation.id.clone(), figure: "matrix-unit size" };
    let side = u64::from(generation.mxu_dim.as_ref().ok_or_else(missing)?.value);
    let array = Array::new(side, side).map_err(|_too_large| missing())?;
    let product = Matmul::new(gemm.m, gemm.k, gemm.n, gemm.dtype)?;
    Ok(Executed::Product(multiply(&product, (array, Dataflow::Ws), SEED, cancel, progress)?))
}
