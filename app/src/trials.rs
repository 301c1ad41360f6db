//! Answers to the scenarios of the plan, computed beside the window.
//!
//! One thread answers what every compared scenario would take, each time one of them changes; another really executes
//! the chosen one when the user asks. Both drop what they do for a newer question. An answer that no longer fits its
//! scenario stays on screen, greyed, until the new one comes.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use egui::Context;
use planning::plan::{Scenario, ScenarioId};
use simulator::cancel::Cancel;
use simulator::trial::{Answer, Executed, Setting, Trial, TrialError, answer, execute};
use topology::chip::Catalog;
use topology::units::Fraction;

use crate::newest::Newest;

/// One scenario and the number that tells its present form from older ones.
#[derive(Debug, Clone)]
struct Asked {
    scenario: Scenario,
    print: u64,
}

/// What a thread says.
enum Said {
    /// An answer.
    Answer(ScenarioId, u64, Result<Arc<Answer>, TrialError>),
    /// A run has come so far.
    Progress(f64),
    /// A run has ended.
    Executed(ScenarioId, u64, Result<Executed, TrialError>),
}

type Question = (Arc<Catalog>, Vec<Asked>);
type Thread = Newest<Question, Said>;
type Work = fn(Question, &Cancel, &mut dyn FnMut(Said));

/// A result with the form of the scenario that it belongs to.
#[derive(Debug, Clone)]
struct Kept<T> {
    print: u64,
    result: T,
}

/// A result, and whether it still fits its scenario.
#[derive(Debug)]
pub struct Current<'a, T> {
    /// The result.
    pub result: &'a T,
    /// The scenario has changed since; the next result is on its way.
    pub is_stale: bool,
    /// Tells this result from others of the scenario.
    pub revision: u64,
}

impl<T> Clone for Current<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Current<'_, T> {}

/// See the module text.
#[derive(Default)]
pub struct Trials {
    quick: Option<Thread>,
    runner: Option<Thread>,
    asked: Vec<(ScenarioId, u64)>,
    answers: BTreeMap<ScenarioId, Kept<Result<Arc<Answer>, TrialError>>>,
    executed: BTreeMap<ScenarioId, Kept<Result<Executed, TrialError>>>,
    running: Option<f64>,
    problem: Option<String>,
}

/// Changes whenever an answer could.
fn print_of(scenario: &Scenario) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&scenario.generation, scenario.shape, scenario.twisted, scenario.n_slices).hash(&mut hasher);
    (format!("{:?}", scenario.trial), &scenario.faults).hash(&mut hasher);
    hasher.finish()
}

impl Trials {
    /// Takes in what was computed, and asks for the scenarios that have changed.
    pub fn advance(&mut self, scenarios: &[Scenario], catalog: &Arc<Catalog>, ctx: &Context) {
        self.take();
        let asked: Vec<Asked> = wanted(scenarios);
        let prints: Vec<(ScenarioId, u64)> = asked.iter().map(|asked| (asked.scenario.id, asked.print)).collect();
        if prints == self.asked {
            return;
        }
        self.asked = prints;
        let missing: Vec<Asked> = asked.into_iter().filter(|asked| !self.is_answered(asked)).collect();
        if missing.is_empty() {
            return;
        }
        match thread(&mut self.quick, "what-if", ctx, answer_all) {
            Ok(thread) => thread.ask((Arc::clone(catalog), missing)),
            Err(error) => self.problem = Some(error.to_string()),
        }
    }

    fn is_answered(&self, asked: &Asked) -> bool {
        self.answers.get(&asked.scenario.id).is_some_and(|kept| kept.print == asked.print)
    }

    fn take(&mut self) {
        while let Some(said) = self.quick.as_ref().and_then(Newest::try_recv) {
            self.hear(said);
        }
        while let Some(said) = self.runner.as_ref().and_then(Newest::try_recv) {
            self.hear(said);
        }
    }

    fn hear(&mut self, said: Said) {
        match said {
            Said::Answer(id, print, result) => {
                self.answers.insert(id, Kept { print, result });
            }
            Said::Progress(share) => self.running = self.running.map(|_| share),
            Said::Executed(id, print, result) => {
                self.running = None;
                if !matches!(result, Err(TrialError::Cancelled)) {
                    self.executed.insert(id, Kept { print, result });
                }
            }
        }
    }

    /// Answers all scenarios at once, on this thread: for pictures and tests.
    pub fn fill(&mut self, scenarios: &[Scenario], catalog: &Arc<Catalog>) {
        answer_all((Arc::clone(catalog), wanted(scenarios)), &Cancel::default(), &mut |said| self.hear(said));
    }

    /// Really does the work of a scenario, in place of one that is being done.
    pub fn run(&mut self, scenario: &Scenario, catalog: &Arc<Catalog>, ctx: &Context) {
        let asked = Asked { scenario: scenario.clone(), print: print_of(scenario) };
        match thread(&mut self.runner, "execution", ctx, execute_one) {
            Ok(thread) => {
                thread.ask((Arc::clone(catalog), vec![asked]));
                self.running = Some(0.0);
            }
            Err(error) => self.problem = Some(error.to_string()),
        }
    }

    /// Ends the run.
    pub fn stop(&mut self) {
        if let Some(runner) = &self.runner {
            runner.cancel();
        }
    }

    /// Whether a run goes on.
    pub const fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// How far the run is.
    pub fn progress(&self) -> Fraction {
        Fraction::clamped(self.running.unwrap_or(0.0))
    }

    /// What a scenario would take, as far as it is known.
    pub fn answer(&self, scenario: &Scenario) -> Option<Current<'_, Result<Arc<Answer>, TrialError>>> {
        let kept = self.answers.get(&scenario.id)?;
        Some(Current { result: &kept.result, is_stale: kept.print != print_of(scenario), revision: kept.print })
    }

    /// What really doing it showed; nothing if it was not done since the scenario changed.
    pub fn executed(&self, scenario: &Scenario) -> Option<&Result<Executed, TrialError>> {
        let kept = self.executed.get(&scenario.id)?;
        (kept.print == print_of(scenario)).then_some(&kept.result)
    }

    /// Why nothing is computed.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

fn wanted(scenarios: &[Scenario]) -> Vec<Asked> {
    let with_trial = scenarios.iter().filter(|scenario| scenario.trial.is_some());
    with_trial.map(|scenario| Asked { scenario: scenario.clone(), print: print_of(scenario) }).collect()
}

fn thread<'a>(slot: &'a mut Option<Thread>, name: &str, ctx: &Context, work: Work) -> std::io::Result<&'a mut Thread> {
    if slot.is_none() {
        let ctx = ctx.clone();
        *slot = Some(Newest::start(name, Arc::new(move || ctx.request_repaint()), work)?);
    }
    slot.as_mut().ok_or_else(|| std::io::Error::other("the thread did not start"))
}

fn answer_all((catalog, all): Question, cancel: &Cancel, send: &mut dyn FnMut(Said)) {
    for asked in all {
        let result = with_setting(&catalog, &asked.scenario, |trial, setting| answer(trial, setting, cancel));
        if cancel.is_set() {
            return;
        }
        send(Said::Answer(asked.scenario.id, asked.print, result.map(Arc::new)));
    }
}

fn execute_one((catalog, all): Question, cancel: &Cancel, send: &mut dyn FnMut(Said)) {
    for asked in all {
        let result = with_setting(&catalog, &asked.scenario, |trial, setting| {
            execute(trial, setting, cancel, &mut |share| send(Said::Progress(share)))
        });
        send(Said::Executed(asked.scenario.id, asked.print, result));
    }
}

/// Runs `work` with what the scenario says.
fn with_setting<R>(
    catalog: &Catalog,
    scenario: &Scenario,
    work: impl FnOnce(&Trial, &Setting<'_>) -> Result<R, TrialError>,
) -> Result<R, TrialError> {
    let generation =
        catalog.get(&scenario.generation).ok_or_else(|| TrialError::Generation(scenario.generation.clone()))?;
    let trial = scenario.trial.as_ref().ok_or(TrialError::Nothing)?;
    let setting = Setting {
        generation,
        shape: scenario.shape,
        twisted: scenario.twisted,
        n_slices: scenario.n_slices,
        faults: &scenario.faults,
    };
    work(trial, &setting)
}
