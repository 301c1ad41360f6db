//! From a described job to one that can be sampled.

use topology::finding::{Finding, Severity};
use topology::fleet::{Pod, Slice};
use topology::rules::check_shape;
use topology::shape::{Axis, Coord, Shape};

use crate::collective::Links;
use crate::dtype::Dtype;
use crate::live::LiveInput;
use crate::live::calendar::Calendar;
use crate::live::embedding::embedding;
use crate::live::health::{PodHealth, pod_axes};
use crate::live::job::{JobSim, Member, Rhythm};
use crate::live::phase::{Phase, Site};
use crate::live::router::{expert_loads, packing_load, session_loads, table_loads};
use crate::live::serve::{Decode, decode, matmul_loop};
use crate::live::train::{STATE_BYTES, train};
use crate::live::workload::{Evaluate, Job, LiveWorkload, Role, Serve, Suite, Train};
use crate::roofline::Engine;
use crate::seed::Stream;

/// Sets of loads that are counted; they repeat.
const SNAPSHOTS: u64 = 8;
/// Mean time between failures of one chip: 50,700 h per accelerator in Llama 3 pre-training (arXiv:2407.21783,
/// section 3.3.4: 419 interruptions in 54 days on 16,384).
const CHIP_MTBF_SECONDS: f64 = 50_700.0 * 3600.0;
/// Detection, rescheduling and compilation after a failure; an assumption of four minutes.
const RESTART_SECONDS: f64 = 240.0;
/// Barrier and serialisation of a checkpoint, apart from moving bytes; an assumption.
const CHECKPOINT_SECONDS: f64 = 5.0;
/// Opening of the next input files; an assumption.
const INPUT_SECONDS: f64 = 2.0;
/// Data-centre network per chip where the catalogue has no figure: 25 GB/s per host of four (scaling-book, tpus.md).
const DCN_BYTES_PER_S: f64 = 6.25e9;
/// Measured gains of a twist for all-to-all on v4: k×k×2k and k×2k×2k (ISCA 2023, read in secondary sources).
const TWIST_GAINS: [f64; 2] = [1.63, 1.31];

/// Prepares a job; says in the findings why it cannot run.
pub(crate) fn build(input: &LiveInput, health: &[PodHealth], job: &Job, findings: &mut Vec<Finding>) -> Option<JobSim> {
    let place = format!("pod {}, slice {}", job.pod, job.slice);
    let found = input.fleet.pods.iter().position(|pod| pod.id == job.pod).and_then(|index| {
        let slice = input.fleet.pods[index].slices.iter().find(|slice| slice.id == job.slice)?;
        Some((index, slice))
    });
    let result = found.ok_or_else(|| "there is no such slice".to_owned()).and_then(|(index, slice)| {
        Builder { input, pod_index: index, slice, health: &health[index] }.job(&job.workload, &place, findings)
    });
    result.map_err(|message| findings.push(Finding::new(Severity::Error, "job-cannot-run", place, message))).ok()
}

struct Builder<'a> {
    input: &'a LiveInput,
    pod_index: usize,
    slice: &'a Slice,
    health: &'a PodHealth,
}

/// When a workload pauses, before it is known how long its steps take on its chips.
enum Pace {
    /// Training: steps between input files, rounds of them between checkpoints, bytes of a checkpoint.
    Steps { round: f64, rounds: f64, state_bytes: f64 },
    /// Known already.
    Known(Rhythm),
}

/// What a workload comes to.
struct Plan {
    phases: Vec<Phase>,
    pace: Pace,
    loads: Vec<Vec<f32>>,
    dtype: Dtype,
    /// Whether the chips along tensor axes form groups of their own, which do not wait for each other.
    replicas: bool,
}

impl Builder<'_> {
    fn pod(&self) -> &Pod {
        &self.input.fleet.pods[self.pod_index]
    }

    fn job(&self, workload: &LiveWorkload, place: &str, findings: &mut Vec<Finding>) -> Result<JobSim, String> {
        let pod = self.pod();
        let chips: Vec<(Coord, Coord)> = pod.slice_chips(self.slice).collect();
        if chips.len() != self.slice.shape.n_chips() {
            return Err("the slice does not lie inside its pod".to_owned());
        }
        let broken = chips.iter().filter(|(_, chip)| self.health.chips[pod.shape.index_of(*chip)].speed <= 0.0).count();
        if broken > 0 {
            return Err(format!("{broken} of its chips do not work, so its job waits"));
        }
        let pod_axis = pod_axes(pod, self.slice);
        let site = self.site(workload, &chips, pod_axis)?;
        let seed = Stream::new(self.input.seed).named(&pod.id.0).child(u64::MAX).named(&self.slice.id.0);
        let plan = plan(workload, &site, seed)?;
        let fullest = plan.phases.iter().map(|phase| phase.memory_used + phase.memory_used_varying).fold(0.0, f64::max);
        if fullest > 1.0 {
            let message = format!("the job needs {:.0} % of the usable memory of its chips", fullest * 100.0);
            findings.push(Finding::new(Severity::Warning, "job-does-not-fit", place, message));
        }
        let (members, n_groups) = self.members(&site, &chips, pod_axis, plan.replicas);
        let mut sim = JobSim {
            pod: self.pod_index,
            slice: self.slice.id.clone(),
            members,
            n_groups,
            pod_axis,
            phases: plan.phases,
            loads: plan.loads,
            rhythm: Rhythm::Steady,
            peak_flop_per_s: site.peak(plan.dtype)?,
            hbm_bytes_per_s: site.hbm_bytes_per_s,
            link_bytes_per_s: site.links.bytes_per_s.get(),
        };
        sim.rhythm = match plan.pace {
            Pace::Known(rhythm) => rhythm,
            Pace::Steps { round, rounds, state_bytes } => {
                let round_seconds = round * sim.full_step_seconds();
                Rhythm::Steps(calendar(&site, (round_seconds, rounds), state_bytes, seed))
            }
        };
        Ok(sim)
    }

    fn site(&self, workload: &LiveWorkload, chips: &[(Coord, Coord)], pod_axis: [Axis; 3]) -> Result<Site<'_>, String> {
        let pod = self.pod();
        let generation = self.input.catalog.get(&pod.generation);
        let generation = generation.ok_or_else(|| format!("the catalogue has no generation \"{}\"", pod.generation))?;
        let engine = Engine::chip(generation).map_err(|error| error.to_string())?;
        let links = Links::of(generation).ok_or_else(|| format!("{} has no published link rate", generation.id))?;
        let devices = generation.devices_per_chip.as_ref().map_or(1, |devices| devices.value.max(1));
        let usable =
            generation.hbm_usable_bytes_per_device.as_ref().map(|bytes| bytes.value.get() * f64::from(devices));
        let usable = usable.or_else(|| generation.hbm_bytes.as_ref().map(|bytes| bytes.value.get()));
        let usable_bytes = usable.filter(|bytes| *bytes > 0.0);
        let shape = self.slice.shape;
        let (rates, cut) = self.links_of(chips, pod_axis);
        let hbm_bytes_per_s = engine.hbm_bytes_per_s().get();
        Ok(Site {
            generation,
            hbm_bytes_per_s,
            engine,
            shape,
            wrap: check_shape(generation, shape).map_or([false; 3], |legal| legal.wrap),
            twist_gain: if self.slice.twisted { twist_gain(shape) } else { 1.0 },
            rates,
            cut,
            links,
            usable_bytes: usable_bytes.ok_or_else(|| format!("{} has no published memory size", generation.id))?,
            roles: roles(workload, shape)?,
        })
    }

    /// Rate of the slowest working link along each slice axis, and whether a link along it is down.
    fn links_of(&self, chips: &[(Coord, Coord)], pod_axis: [Axis; 3]) -> ([f64; 3], [bool; 3]) {
        let (mut rates, mut cut) = ([1.0f64; 3], [false; 3]);
        for (_, chip) in chips {
            for (own, on_pod) in pod_axis.iter().enumerate() {
                let index = self.pod().shape.index_of(*chip) as u32;
                match self.health.links.get(&(index, *on_pod)) {
                    Some(0.0) => cut[own] = true,
                    Some(rate) => rates[own] = rates[own].min(f64::from(*rate)),
                    None => {}
                }
            }
        }
        (rates, cut)
    }

    fn members(
        &self,
        site: &Site<'_>,
        chips: &[(Coord, Coord)],
        pod_axis: [Axis; 3],
        replicas: bool,
    ) -> (Vec<Member>, usize) {
        let replica_axes = site.axes(&[Role::Data, Role::Expert, Role::Pipeline]);
        let stages = site.axes(&[Role::Pipeline]);
        let n_groups = if replicas { number(site.shape, &replica_axes) } else { 1 };
        let members = chips.iter().map(|(own, chip)| {
            let index = self.pod().shape.index_of(*chip);
            let health = self.health.chips[index];
            Member {
                chip: index as u32,
                group: if replicas { index_along(site.shape, &replica_axes, *own) as u32 } else { 0 },
                speed: health.speed,
                silent: health.silent,
                last_stage: stages.iter().all(|axis| own.along(*axis) + 1 == site.shape.along(*axis)),
                links: Axis::ALL.map(|axis| self.link_load(site, index as u32, (axis, *own), pod_axis)),
            }
        });
        (members.collect(), n_groups)
    }

    /// Load of the positive link of a chip along a slice axis, relative to a healthy link.
    fn link_load(&self, site: &Site<'_>, chip: u32, (axis, own): (Axis, Coord), pod_axis: [Axis; 3]) -> Option<f32> {
        let size = site.shape.along(axis);
        let is_last = own.along(axis) + 1 == size;
        if size == 1 || (is_last && !site.wrap[axis.index()]) {
            return None;
        }
        match self.health.links.get(&(chip, pod_axis[axis.index()])) {
            Some(0.0) => None,
            // A slow link is as busy as its lower rate makes it.
            Some(rate) => Some(1.0 / rate),
            None => Some(1.0),
        }
    }
}

fn twist_gain(shape: Shape) -> f64 {
    let mut sizes = shape.sizes3();
    sizes.sort_unstable();
    match sizes {
        [a, b, c] if a == b && c == 2 * b => TWIST_GAINS[0],
        [a, b, c] if b == c && b == 2 * a => TWIST_GAINS[1],
        _ => 1.0,
    }
}

fn roles(workload: &LiveWorkload, shape: Shape) -> Result<[Role; 3], String> {
    let given: &[Role] = match workload {
        LiveWorkload::Train(job) => &job.axes,
        LiveWorkload::Serve(job) => &job.axes,
        LiveWorkload::Evaluate(job) => &job.axes,
        LiveWorkload::Embedding(_) | LiveWorkload::Matmul(_) => &[],
    };
    if given.len() > shape.rank() {
        return Err(format!("the job names {} axes, but a slice of {shape} has {}", given.len(), shape.rank()));
    }
    Ok(std::array::from_fn(|i| given.get(i).copied().unwrap_or(Role::Data)))
}

/// Number of places along some axes.
fn number(shape: Shape, axes: &[Axis]) -> usize {
    axes.iter().map(|axis| usize::from(shape.along(*axis))).product()
}

/// Row-major number of a chip among the places along some axes.
fn index_along(shape: Shape, axes: &[Axis], own: Coord) -> usize {
    axes.iter().rev().fold(0, |index, axis| index * usize::from(shape.along(*axis)) + usize::from(own.along(*axis)))
}

/// Sizes of models that arithmetic here is made for; files may say anything.
fn check_model(workload: &LiveWorkload) -> Result<(), String> {
    let model = match workload {
        LiveWorkload::Train(job) => &job.model,
        LiveWorkload::Serve(job) => &job.model,
        LiveWorkload::Evaluate(job) => &job.model,
        LiveWorkload::Embedding(_) | LiveWorkload::Matmul(_) => return Ok(()),
    };
    let experts = model.experts.map_or([1, 1], |experts| [experts.n, experts.top_k]);
    let sizes = [
        ("layers", model.layers, 10_000),
        ("d_model", model.d_model, 1 << 20),
        ("d_ff", model.d_ff, 1 << 24),
        ("heads", model.heads, 1 << 16),
        ("kv_heads", model.kv_heads, 1 << 16),
        ("head_dim", model.head_dim, 1 << 16),
        ("vocab", model.vocab, 1 << 24),
        ("experts", experts[0], 1 << 16),
        ("top_k", experts[1], experts[0]),
    ];
    match sizes.into_iter().find(|(_, size, max)| !(1..=*max).contains(size)) {
        Some((name, size, max)) => Err(format!("the model's {name} is {size}; expected 1 to {max}")),
        None => Ok(()),
    }
}

fn plan(workload: &LiveWorkload, site: &Site<'_>, seed: Stream) -> Result<Plan, String> {
    let n = site.shape.n_chips();
    check_model(workload)?;
    match workload {
        LiveWorkload::Train(job) => plan_training(job, site, seed),
        LiveWorkload::Serve(job) => plan_serving(job, site, seed),
        LiveWorkload::Evaluate(job) => plan_evaluation(job, site, seed),
        LiveWorkload::Embedding(job) => {
            let phase = embedding(job, site)?;
            let round = f64::from(job.checkpoint_every_steps.max(1));
            let pace = Pace::Steps { round, rounds: 1.0, state_bytes: job.table_bytes.get() };
            let loads = vec![table_loads(n as u64, seed)];
            Ok(Plan { phases: vec![phase], pace, loads, dtype: Dtype::Bf16, replicas: false })
        }
        LiveWorkload::Matmul(job) => {
            let phases = vec![matmul_loop(job, site)?];
            let pace = Pace::Known(Rhythm::Steady);
            Ok(Plan { phases, pace, loads: vec![vec![1.0; n]], dtype: job.dtype, replicas: false })
        }
    }
}

fn plan_training(job: &Train, site: &Site<'_>, seed: Stream) -> Result<Plan, String> {
    if job.tokens_per_chip == 0 || job.sequence == 0 {
        return Err("tokens per chip and the length of a sequence are at least 1".to_owned());
    }
    let places = site.along(Role::Expert) as u64;
    let experts = job.model.experts.map_or(0, |experts| u64::from(experts.n));
    if places > 1 && (experts < places || !experts.is_multiple_of(places)) {
        return Err(format!("{experts} experts cannot be split over {places} chips"));
    }
    let phase = train(job, site)?;
    let loads = (0..SNAPSHOTS).map(|snapshot| training_loads(job, site, seed.child(snapshot))).collect();
    let round = f64::from(job.input_shard_steps.max(1));
    let rounds = (f64::from(job.checkpoint_every_steps) / round).round().max(1.0);
    let pace = Pace::Steps { round, rounds, state_bytes: STATE_BYTES * job.model.params() };
    Ok(Plan { phases: vec![phase], pace, loads, dtype: job.dtype, replicas: false })
}

/// One set of loads of a training job, in the slice's order.
fn training_loads(job: &Train, site: &Site<'_>, seed: Stream) -> Vec<f32> {
    let shape = site.shape;
    let expert_axes = site.axes(&[Role::Expert]);
    let other_axes = site.axes(&[Role::Data, Role::Pipeline, Role::Tensor]);
    let data_axes = site.axes(&[Role::Data, Role::Expert]);
    if let (Some(experts), false) = (job.model.experts, expert_axes.is_empty()) {
        let places = number(shape, &expert_axes) as u64;
        let groups: Vec<Vec<f32>> = (0..number(shape, &other_axes) as u64)
            .map(|group| expert_loads(u64::from(experts.n), places, seed.child(group)))
            .collect();
        let load = |own| groups[index_along(shape, &other_axes, own)][index_along(shape, &expert_axes, own)];
        return shape.coords().map(load).collect();
    }
    if !job.packed || job.model.experts.is_some() {
        return vec![1.0; shape.n_chips()];
    }
    let tokens = f64::from(job.tokens_per_chip) * site.along(Role::Tensor) * site.along(Role::Pipeline);
    let sequences = libm::ceil(tokens / f64::from(job.sequence)).clamp(1.0, 64.0) as u64;
    let groups: Vec<f32> =
        (0..number(shape, &data_axes) as u64).map(|group| packing_load(sequences, seed.child(group))).collect();
    shape.coords().map(|own| groups[index_along(shape, &data_axes, own)]).collect()
}

fn plan_serving(job: &Serve, site: &Site<'_>, seed: Stream) -> Result<Plan, String> {
    if !job.peak_hour.is_finite() {
        return Err("the hour of the peak is not a number".to_owned());
    }
    let phase = decode(
        &Decode {
            model: &job.model,
            dtype: job.dtype,
            sequences: f64::from(job.sequences_per_replica),
            prompt_tokens: f64::from(job.prompt_tokens),
            output_tokens: f64::from(job.output_tokens),
        },
        site,
    )?;
    let loads = replica_loads(site, u64::from(job.sequences_per_replica), seed);
    let pace = Pace::Known(Rhythm::Demand(job.trough.get(), f64::from(job.peak_hour)));
    Ok(Plan { phases: vec![phase], pace, loads, dtype: job.dtype, replicas: true })
}

fn plan_evaluation(job: &Evaluate, site: &Site<'_>, seed: Stream) -> Result<Plan, String> {
    let phase = |suite: &Suite| {
        let sequences = f64::from(suite.sequences_per_replica);
        let [prompt_tokens, output_tokens] = [suite.prompt_tokens, suite.output_tokens].map(f64::from);
        decode(&Decode { model: &job.model, dtype: job.dtype, sequences, prompt_tokens, output_tokens }, site)
    };
    let phases = job.suites.iter().map(phase).collect::<Result<Vec<_>, _>>()?;
    let seconds: Vec<f64> = job.suites.iter().map(|suite| 60.0 * f64::from(suite.minutes.max(1))).collect();
    let most = job.suites.iter().map(|suite| suite.sequences_per_replica).max();
    let most = most.ok_or_else(|| "an evaluation has at least one suite".to_owned())?;
    let weights = job.model.params() * job.dtype.bytes() / site.along(Role::Tensor);
    let pause = weights / dcn_bytes_per_s(site) + INPUT_SECONDS;
    let loads = replica_loads(site, u64::from(most), seed);
    Ok(Plan { phases, pace: Pace::Known(Rhythm::Suites(seconds, pause)), loads, dtype: job.dtype, replicas: true })
}

/// Sets of loads of the replicas, in the slice's order.
fn replica_loads(site: &Site<'_>, sequences: u64, seed: Stream) -> Vec<Vec<f32>> {
    let axes = site.axes(&[Role::Data, Role::Expert, Role::Pipeline]);
    let replicas = number(site.shape, &axes) as u64;
    let snapshot = |snapshot| {
        let loads = session_loads(replicas, sequences.clamp(1, 1024), seed.child(snapshot));
        site.shape.coords().map(|own| loads[index_along(site.shape, &axes, own)]).collect()
    };
    (0..SNAPSHOTS).map(snapshot).collect()
}

fn dcn_bytes_per_s(site: &Site<'_>) -> f64 {
    let known = site.generation.dcn_bytes_per_s.as_ref().map(|rate| rate.value.get());
    known.filter(|rate| *rate > 0.0).unwrap_or(DCN_BYTES_PER_S)
}

/// Rhythm of a training job that keeps `state_bytes` in checkpoints, with rounds of some seconds between input files.
fn calendar(site: &Site<'_>, (round_seconds, rounds): (f64, f64), state_bytes: f64, seed: Stream) -> Calendar {
    let chips = site.shape.n_chips() as f64;
    let state_seconds = state_bytes / chips / dcn_bytes_per_s(site);
    Calendar {
        life_seconds: CHIP_MTBF_SECONDS / chips,
        startup_seconds: RESTART_SECONDS + state_seconds,
        round_seconds,
        stall_seconds: INPUT_SECONDS,
        rounds,
        checkpoint_seconds: CHECKPOINT_SECONDS + state_seconds,
        seed: seed.child(u64::MAX),
    }
}
