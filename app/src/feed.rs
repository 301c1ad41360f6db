//! The live source: the embedded simulator, sampled into the store of facts.
//!
//! A thread of its own prepares the simulation of the plan and computes its last six hours, oldest first; then it
//! answers one question each second: what would every chip report now? The window takes the answers in `advance`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Builder;

use egui::Context;
use simulator::live::{Frame, LiveInput, LiveSim, Measure, PodFrame};
use telemetry::{Batch, Metric, Origin, Way};
use topology::chip::Generation;
use topology::fleet::Pod;
use topology::shape::Axis;

use crate::clock::Stopwatch;
use crate::model::{BUCKET_S, Model, history_buckets};

/// Frames that may wait to be taken in.
const QUEUE: usize = 64;
/// Most milliseconds that one pass of the window spends on taking frames in.
const BUDGET_MS: f32 = 25.0;
/// Single links are kept for this many of the newest buckets only: they are shown of the present moment.
const LINK_BUCKETS: i64 = 10;

/// What the thread computed.
enum Answer {
    /// The simulation is ready; with what could not be simulated.
    Ready(Arc<LiveSim>, Vec<String>),
    /// Nothing can be simulated.
    Failed(String),
    /// One moment; whether more of the history follows.
    Moment { unix_s: i64, frame: Box<Frame>, more: bool },
}

/// What the thread is asked.
enum Question {
    /// Begin anew with this plan, and compute the buckets up to this moment.
    Begin { generation: u64, input: Box<LiveInput>, epoch_unix_s: i64, until_unix_s: i64 },
    /// What is reported at this moment?
    Sample { unix_s: i64 },
}

struct Worker {
    questions: SyncSender<Question>,
    answers: Receiver<(u64, Answer)>,
    /// Answers of an older generation are not wanted any more.
    wanted: Arc<AtomicU64>,
}

/// See the module text.
#[derive(Default)]
pub struct Feed {
    worker: Option<Worker>,
    sim: Option<Arc<LiveSim>>,
    generation: u64,
    /// Plan that is simulated: its fleet, its jobs and its settings.
    revision: Option<u64>,
    filling: bool,
    problem: Option<String>,
    asked_s: Option<i64>,
}

impl Feed {
    /// Takes in what was simulated since the last frame, and asks for the next moment.
    pub fn advance(&mut self, model: &mut Model, ctx: &Context) {
        let revision = revision_of(model);
        if self.revision != Some(revision) {
            self.begin(model, revision, ctx);
        }
        self.take(model, ctx);
        if !self.filling
            && self.sim.is_some()
            && self.asked_s.is_none_or(|asked| asked < model.now.unix_s)
            && let Some(worker) = &self.worker
            && worker.questions.try_send(Question::Sample { unix_s: model.now.unix_s }).is_ok()
        {
            self.asked_s = Some(model.now.unix_s);
        }
    }

    fn begin(&mut self, model: &mut Model, revision: u64, ctx: &Context) {
        self.generation += 1;
        if model.plan().jobs.is_empty() {
            // Nothing runs, so there is nothing to compute; what an older plan was asked is not wanted any more.
            if let Some(worker) = &self.worker {
                worker.wanted.store(self.generation, Ordering::Relaxed);
            }
            self.sim = None;
            self.filling = false;
            self.problem = None;
            self.revision = Some(revision);
            model.store.forget_origin(Origin::Simulated);
            return;
        }
        let worker = match self.worker.take().map_or_else(|| start(ctx), Ok) {
            Ok(worker) => self.worker.insert(worker),
            Err(error) => {
                self.problem = Some(format!("The simulator could not start: {error}"));
                self.revision = Some(revision);
                return;
            }
        };
        worker.wanted.store(self.generation, Ordering::Relaxed);
        let question = Question::Begin {
            generation: self.generation,
            input: Box::new(input_of(model)),
            epoch_unix_s: model.plan().live.epoch_unix_seconds,
            until_unix_s: model.now.unix_s,
        };
        // While the queue is full the thread is still busy with an older plan; the next frame asks again.
        if worker.questions.try_send(question).is_ok() {
            self.revision = Some(revision);
            self.filling = true;
            self.problem = None;
            model.store.forget_origin(Origin::Simulated);
        }
    }

    fn take(&mut self, model: &mut Model, ctx: &Context) {
        let watch = Stopwatch::start();
        while let Some((generation, answer)) = self.worker.as_ref().and_then(|worker| worker.answers.try_recv().ok()) {
            if generation != self.generation {
                continue;
            }
            match answer {
                Answer::Ready(sim, findings) => {
                    self.sim = Some(sim);
                    if let Some(first) = findings.first() {
                        let more = if findings.len() > 1 {
                            format!(" and {} more", findings.len() - 1)
                        } else {
                            String::new()
                        };
                        model.notify(
                            crate::model::Severity::Warning,
                            "Not everything is simulated",
                            format!("{first}{more}"),
                        );
                    }
                }
                Answer::Failed(reason) => {
                    self.sim = None;
                    self.filling = false;
                    self.problem = Some(reason);
                }
                Answer::Moment { unix_s, frame, more } => {
                    let newest = unix_s > model.now.unix_s - LINK_BUCKETS * i64::from(BUCKET_S);
                    ingest(model, unix_s, &frame, newest);
                    self.filling = more;
                }
            }
            if watch.elapsed().as_secs_f32() * 1e3 > BUDGET_MS {
                ctx.request_repaint();
                break;
            }
        }
    }

    /// Simulates the whole history at once, on this thread.
    pub fn fill(&mut self, model: &mut Model) {
        self.revision = Some(revision_of(model));
        if model.plan().jobs.is_empty() {
            return;
        }
        match LiveSim::new(&input_of(model)) {
            Ok((sim, _findings)) => {
                let epoch = model.plan().live.epoch_unix_seconds;
                let until = model.now.unix_s;
                for unix_s in history(model.plan().fleet.n_chips(), until) {
                    let frame = sim.sample((unix_s - epoch) as f64);
                    ingest(model, unix_s, &frame, unix_s > until - LINK_BUCKETS * i64::from(BUCKET_S));
                }
                self.sim = Some(Arc::new(sim));
            }
            Err(error) => self.problem = Some(error.to_string()),
        }
    }

    /// Whether the history is still being simulated.
    pub fn is_filling(&self) -> bool {
        self.filling
    }

    /// Why nothing is simulated.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The simulation, once it is ready.
    pub fn sim(&self) -> Option<&LiveSim> {
        self.sim.as_deref()
    }
}

/// Changes whenever the simulation must begin anew.
fn revision_of(model: &Model) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let plan = model.plan();
    let mut hasher = DefaultHasher::new();
    (model.generation, Arc::as_ptr(&plan.fleet) as usize, Arc::as_ptr(&plan.jobs) as usize).hash(&mut hasher);
    (plan.live.seed, plan.live.epoch_unix_seconds).hash(&mut hasher);
    hasher.finish()
}

fn input_of(model: &Model) -> LiveInput {
    let plan = model.plan();
    LiveInput {
        fleet: Arc::clone(&plan.fleet),
        catalog: Arc::clone(&model.catalog),
        jobs: plan.jobs.to_vec(),
        seed: plan.live.seed,
    }
}

/// Moments of the history of a fleet up to a moment: the end of each bucket, and the moment itself.
fn history(n_chips: usize, until_unix_s: i64) -> impl Iterator<Item = i64> {
    let step = i64::from(BUCKET_S);
    let buckets = history_buckets(n_chips);
    let first = until_unix_s.div_euclid(step) - buckets as i64 + 1;
    (first..until_unix_s.div_euclid(step)).map(move |bucket| (bucket + 1) * step - 1).chain([until_unix_s])
}

fn start(ctx: &Context) -> std::io::Result<Worker> {
    let (questions, inbox) = sync_channel(2);
    let (outbox, answers) = sync_channel(QUEUE);
    let wanted = Arc::new(AtomicU64::new(0));
    let (ctx, still_wanted) = (ctx.clone(), Arc::clone(&wanted));
    Builder::new().name("simulator".to_owned()).spawn(move || work(&inbox, &outbox, &still_wanted, &ctx))?;
    Ok(Worker { questions, answers, wanted })
}

/// The thread: ends when the window is gone.
fn work(inbox: &Receiver<Question>, outbox: &SyncSender<(u64, Answer)>, wanted: &AtomicU64, ctx: &Context) {
    let mut running: Option<(u64, Arc<LiveSim>, i64)> = None;
    let send = |generation: u64, answer: Answer| {
        let is_last_of_history = matches!(&answer, Answer::Moment { more: false, .. });
        let sent = outbox.send((generation, answer)).is_ok();
        // A new sample is taken in at the next tick of the clock: waking the window for it would draw every second twice.
        if !is_last_of_history {
            ctx.request_repaint();
        }
        sent
    };
    while let Ok(question) = inbox.recv() {
        match question {
            Question::Begin { generation, input, epoch_unix_s, until_unix_s } => {
                let (sim, findings) = match LiveSim::new(&input) {
                    Ok((sim, findings)) => (Arc::new(sim), findings),
                    Err(error) => {
                        running = None;
                        if !send(generation, Answer::Failed(error.to_string())) {
                            return;
                        }
                        continue;
                    }
                };
                let findings = findings.iter().map(|finding| finding.message.clone()).collect();
                if !send(generation, Answer::Ready(Arc::clone(&sim), findings)) {
                    return;
                }
                for unix_s in history(input.fleet.n_chips(), until_unix_s) {
                    if wanted.load(Ordering::Relaxed) != generation {
                        break;
                    }
                    let frame = Box::new(sim.sample((unix_s - epoch_unix_s) as f64));
                    if !send(generation, Answer::Moment { unix_s, frame, more: unix_s < until_unix_s }) {
                        return;
                    }
                }
                running = Some((generation, sim, epoch_unix_s));
            }
            Question::Sample { unix_s } => {
                let Some((generation, sim, epoch_unix_s)) = &running else { continue };
                let frame = Box::new(sim.sample((unix_s - epoch_unix_s) as f64));
                if !send(*generation, Answer::Moment { unix_s, frame, more: false }) {
                    return;
                }
            }
        }
    }
}

/// Writes one moment of the whole fleet into the store.
fn ingest(model: &mut Model, unix_s: i64, frame: &Frame, with_links: bool) {
    let catalog = Arc::clone(&model.catalog);
    let plan = Arc::clone(model.history.present());
    for pod_frame in &frame.pods {
        let Some(pod) = plan.fleet.pod(&pod_frame.pod) else { continue };
        let memory = catalog.get(&pod.generation).and_then(usable_hbm_bytes);
        let Some(at_work) = at_work(model, pod) else { continue };
        let store = &mut model.store;
        let mut put = |metric: Metric, values: &[Option<f32>]| {
            // Where no job runs nothing is known: a chip that is drawn as idle would look measured.
            let known: Vec<Option<f32>> =
                values.iter().zip(&at_work).map(|(value, works)| value.filter(|_| *works)).collect();
            let batch = Batch { pod: &pod.id, origin: Origin::Simulated, at: unix_s, metric, values: &known };
            // What a store refuses of simulated values (a clock set back) is shown as a gap.
            store.ingest(batch);
        };
        for (measure, metric) in [
            (Measure::TensorCore, Metric::TensorcoreUtil),
            (Measure::DutyCycle, Metric::DutyCycle),
            (Measure::HbmBandwidth, Metric::HbmBandwidth),
        ] {
            put(metric, &pod_frame.column(measure).iter().collect::<Vec<_>>());
        }
        if let Some(memory) = memory {
            let used = pod_frame.column(Measure::HbmUsed).iter().map(|share| share.map(|share| share * memory));
            put(Metric::HbmUsed, &used.collect::<Vec<_>>());
        }
        put(Metric::IciLink, &mean_link(pod_frame, pod.shape.axes()));
        if with_links {
            for axis in pod.shape.axes() {
                let values: Vec<_> = pod_frame.column(Measure::Ici(*axis)).iter().collect();
                put(Metric::IciWay(Way { axis: *axis, positive: true }), &values);
            }
        }
    }
}

/// For each chip of a pod whether a job of the plan runs on it; `None` if none does.
fn at_work(model: &Model, pod: &Pod) -> Option<Vec<bool>> {
    let (_, map) = model.pod(&pod.id)?;
    let jobs = &model.plan().jobs;
    let runs: Vec<bool> =
        pod.slices.iter().map(|slice| jobs.iter().any(|job| job.pod == pod.id && job.slice == slice.id)).collect();
    runs.contains(&true).then(|| map.owner.iter().map(|owner| owner.is_some_and(|owner| runs[owner])).collect())
}

/// Memory that programs can use on one chip; the physical size where that is not known.
pub(crate) fn usable_hbm_bytes(generation: &Generation) -> Option<f32> {
    let usable = generation.hbm_usable_bytes_per_device.as_ref().zip(generation.devices_per_chip.as_ref());
    match usable {
        Some((bytes, devices)) => Some((bytes.value.get() * f64::from(devices.value)) as f32),
        None => generation.hbm_bytes.as_ref().map(|hbm| hbm.value.get() as f32),
    }
}

fn mean_link(frame: &PodFrame, axes: &[Axis]) -> Vec<Option<f32>> {
    let columns: Vec<_> = axes.iter().map(|axis| frame.column(Measure::Ici(*axis))).collect();
    let n = columns.first().map_or(0, |column| column.len());
    (0..n)
        .map(|chip| {
            let known: Vec<f32> = columns.iter().filter_map(|column| column.get(chip)).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f32>() / known.len() as f32)
        })
        .collect()
}
