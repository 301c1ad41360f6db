//! One job on its chips: who waits for whom, and what each chip reports.

use serde::Serialize;
use topology::fleet::{Pod, SliceId};
use topology::shape::{Axis, Coord};
use topology::units::Seconds;

use crate::explain::Term;
use crate::live::LiveSim;
use crate::live::calendar::Calendar;
use crate::live::frame::{Column, Measure, PodFrame};
use crate::live::health::PodHealth;
use crate::live::phase::Phase;

/// One chip of a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    /// Row-major index on the pod.
    pub(crate) chip: u32,
    /// Chips of one group wait for each other.
    pub(crate) group: u32,
    /// Share of its normal speed.
    pub(crate) speed: f32,
    /// Whether nothing is heard of it.
    pub(crate) silent: bool,
    /// Whether it has the work of the last stage.
    pub(crate) last_stage: bool,
    /// For each slice axis, load of its positive link relative to a healthy one; absent where there is none.
    pub(crate) links: [Option<f32>; 3],
}

/// When a job does what.
#[derive(Debug)]
pub(crate) enum Rhythm {
    /// Steps with pauses.
    Steps(Calendar),
    /// Always, with a demand that follows the hour: trough, hour of the peak.
    Demand(f64, f64),
    /// Suites of some seconds, each after a pause of some seconds.
    Suites(Vec<f64>, f64),
    /// Always the same.
    Steady,
}

/// A part of a window.
struct Part {
    phase: usize,
    /// Share of the window in which it runs.
    share: f64,
    demand: f64,
}

/// A job, ready to be asked.
#[derive(Debug)]
pub(crate) struct JobSim {
    /// Index of the pod in the fleet.
    pub(crate) pod: usize,
    pub(crate) slice: SliceId,
    pub(crate) members: Vec<Member>,
    pub(crate) n_groups: usize,
    pub(crate) pod_axis: [Axis; 3],
    pub(crate) phases: Vec<Phase>,
    /// Loads of the members; each set holds for [`SNAPSHOT_SECONDS`].
    pub(crate) loads: Vec<Vec<f32>>,
    pub(crate) rhythm: Rhythm,
    pub(crate) peak_flop_per_s: f64,
    pub(crate) hbm_bytes_per_s: f64,
    pub(crate) link_bytes_per_s: f64,
}

/// Seconds of steps after which loads are counted anew.
pub(crate) const SNAPSHOT_SECONDS: f64 = 600.0;

impl JobSim {
    /// Writes what the members report.
    pub(crate) fn sample(&self, at: f64, columns: &mut [Column; 7]) {
        let parts = self.parts(at - LiveSim::WINDOW_SECONDS, at);
        let loads = self.loads_at(at);
        let mut steps = vec![Vec::new(); parts.len()];
        for (part, step) in parts.iter().zip(&mut steps) {
            *step = self.step_seconds(part, loads);
        }
        for (i, member) in self.members.iter().enumerate().filter(|(_, member)| !member.silent) {
            let mut sums = [0.0f64; 7];
            for (part, step) in parts.iter().zip(&steps) {
                self.add(member, f64::from(loads[i]), part, step[member.group as usize], &mut sums);
            }
            let chip = member.chip as usize;
            for measure in [Measure::TensorCore, Measure::DutyCycle, Measure::HbmBandwidth, Measure::HbmUsed] {
                columns[measure.index()].set(chip, sums[measure.index()] as f32);
            }
            for axis in Axis::ALL {
                let on_pod = Measure::Ici(self.pod_axis[axis.index()]).index();
                match member.links[axis.index()] {
                    Some(relative) => columns[on_pod].set(chip, sums[4 + axis.index()] as f32 * relative),
                    None => columns[on_pod].clear(chip),
                }
            }
        }
    }

    /// Adds what a member does in a part of the window; link loads are those of a healthy link along slice axes.
    fn add(&self, member: &Member, load: f64, part: &Part, step_seconds: f64, sums: &mut [f64; 7]) {
        let phase = &self.phases[part.phase];
        let x = load * part.demand;
        let last = f64::from(u8::from(member.last_stage));
        let flop = phase.base.flop + (phase.varying.flop + phase.hidden.flop) * x + phase.last_stage.flop * last;
        let bytes = phase.base.hbm_bytes + phase.varying.hbm_bytes * x + phase.last_stage.hbm_bytes * last;
        let per_step = if step_seconds > 0.0 { part.share / step_seconds } else { 0.0 };
        sums[0] += flop / self.peak_flop_per_s * per_step;
        sums[1] += busy_seconds(phase, member, x) * per_step;
        sums[2] += bytes / self.hbm_bytes_per_s * per_step;
        for axis in 0..3 {
            sums[4 + axis] += phase.link_bytes[axis] * part.demand / self.link_bytes_per_s * per_step;
        }
        // Memory stays in use while nothing runs; the last part of the window tells.
        sums[3] = phase.memory_used + phase.memory_used_varying * x;
    }

    /// Time of one repetition of each group: its slowest member, then what no chip can hide.
    fn step_seconds(&self, part: &Part, loads: &[f32]) -> Vec<f64> {
        let phase = &self.phases[part.phase];
        let mut slowest = vec![0.0f64; self.n_groups];
        for (member, load) in self.members.iter().zip(loads) {
            let busy = busy_seconds(phase, member, f64::from(*load) * part.demand);
            let group = &mut slowest[member.group as usize];
            *group = group.max(busy);
        }
        let exposed = phase.exposed_seconds * part.demand;
        slowest.iter().map(|busy| (busy + exposed) * phase.stretch).collect()
    }

    /// Time of one repetition of the first phase at full load in the slowest group.
    pub(crate) fn full_step_seconds(&self) -> f64 {
        let part = Part { phase: 0, share: 1.0, demand: 1.0 };
        self.step_seconds(&part, &self.loads[0]).into_iter().fold(0.0, f64::max)
    }

    fn loads_at(&self, at: f64) -> &[f32] {
        let ran = match &self.rhythm {
            Rhythm::Steps(calendar) => {
                let (life, ran) = calendar.progress(at);
                life as f64 * 3.0 * SNAPSHOT_SECONDS + ran
            }
            Rhythm::Demand(..) | Rhythm::Suites(..) | Rhythm::Steady => at,
        };
        let set = libm::floor(ran / SNAPSHOT_SECONDS) as i64;
        &self.loads[set.rem_euclid(self.loads.len() as i64) as usize]
    }

    fn parts(&self, from: f64, to: f64) -> Vec<Part> {
        match &self.rhythm {
            Rhythm::Steps(calendar) => vec![Part { phase: 0, share: calendar.running(from, to), demand: 1.0 }],
            Rhythm::Steady => vec![Part { phase: 0, share: 1.0, demand: 1.0 }],
            Rhythm::Demand(trough, peak_hour) => {
                let hours = f64::midpoint(from, to) / 3600.0 - peak_hour;
                let wave = f64::midpoint(1.0, libm::cos(hours * std::f64::consts::TAU / 24.0));
                vec![Part { phase: 0, share: 1.0, demand: trough + (1.0 - trough) * wave }]
            }
            Rhythm::Suites(seconds, pause) => suites(seconds, *pause, from, to),
        }
    }

    /// The first phase at full load, for people.
    pub(crate) fn report(&self, pod: &Pod) -> StepReport {
        let phase = &self.phases[0];
        let part = Part { phase: 0, share: 1.0, demand: 1.0 };
        let loads = &self.loads[0];
        let busy = |i: usize| busy_seconds(phase, &self.members[i], f64::from(loads[i]));
        let slowest = (0..self.members.len()).reduce(|a, b| if busy(b) > busy(a) { b } else { a }).unwrap_or(0);
        let member = &self.members[slowest];
        let x = f64::from(loads[slowest]);
        let last = f64::from(u8::from(member.last_stage));
        let work = phase.base.plus(phase.varying.times(x)).plus(phase.last_stage.times(last));
        let step = self.step_seconds(&part, loads)[member.group as usize];
        let speed = f64::from(member.speed);
        let share = work.compute_seconds / work.seconds().max(f64::MIN_POSITIVE);
        let busy_seconds = busy(slowest);
        let mut terms = vec![
            Term::new("Busy time of the slowest chip", (busy_seconds, "s"), "(compute + memory) / speed", "step model"),
            Term::new("Speed of the slowest chip", (speed, ""), "1 where it is well", "faults of the pod"),
            Term::new(
                "Load of the slowest chip",
                (x, ""),
                "counted, 1 is the mean or an unbroken sequence",
                "seeded count",
            ),
            Term::new("Step", (step, "s"), "(slowest chip + exposed collectives) · stretch", "step model"),
        ];
        terms.extend(phase.terms.iter().cloned());
        StepReport {
            compute_seconds: Seconds::new(busy_seconds * share),
            memory_seconds: Seconds::new(busy_seconds * (1.0 - share)),
            exposed_collective_seconds: Seconds::new(phase.exposed_seconds),
            overhead_seconds: Seconds::new((step - busy_seconds - phase.exposed_seconds).max(0.0)),
            step_seconds: Seconds::new(step),
            slowest_chip: pod.shape.coord_of(member.chip as usize),
            mean_seconds_between_restarts: match &self.rhythm {
                Rhythm::Steps(calendar) => Some(Seconds::new(calendar.life_seconds)),
                Rhythm::Demand(..) | Rhythm::Suites(..) | Rhythm::Steady => None,
            },
            explain: terms,
        }
    }
}

/// Time that a member works in one repetition.
fn busy_seconds(phase: &Phase, member: &Member, x: f64) -> f64 {
    let base = phase.base.seconds().max(phase.hidden.seconds() * x);
    let last = if member.last_stage { phase.last_stage.seconds() } else { 0.0 };
    (base + phase.varying.seconds() * x + last) / f64::from(member.speed)
}

/// Which suites run in a window, each after a pause for loading.
fn suites(seconds: &[f64], pause: f64, from: f64, to: f64) -> Vec<Part> {
    let cycle: f64 = seconds.iter().sum();
    let mut parts = Vec::new();
    let mut begin = libm::floor(from / cycle) * cycle;
    while begin < to {
        for (phase, length) in seconds.iter().enumerate() {
            let (first, last) = ((begin + pause).max(from), (begin + length).min(to));
            if begin < to && begin + length > from {
                parts.push(Part { phase, share: (last - first).max(0.0) / (to - from), demand: 1.0 });
            }
            begin += length;
        }
    }
    parts
}

/// What a pod reports where nothing runs: nothing from chips in no slice and from silent ones, zero from the others.
pub(crate) fn idle(pod: &Pod, health: &PodHealth) -> PodFrame {
    let n = pod.shape.n_chips();
    let mut columns: [Column; 7] = std::array::from_fn(|_| Column::absent(n));
    for slice in &pod.slices {
        for (_, chip) in pod.slice_chips(slice) {
            let chip = pod.shape.index_of(chip);
            if !health.chips[chip].silent {
                for column in &mut columns {
                    column.set(chip, 0.0);
                }
            }
        }
    }
    PodFrame { pod: pod.id.clone(), columns }
}

/// How one step (one decoding iteration, when serving) of a slice is made up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepReport {
    /// Matrix units of the slowest chip.
    pub compute_seconds: Seconds,
    /// What memory adds on the slowest chip.
    pub memory_seconds: Seconds,
    /// Collectives that are not hidden behind work.
    pub exposed_collective_seconds: Seconds,
    /// Pipeline bubble, or the scheduler when serving.
    pub overhead_seconds: Seconds,
    /// The whole step: the sum of the four above.
    pub step_seconds: Seconds,
    /// The chip that the others wait for, by pod coordinate.
    pub slowest_chip: Coord,
    /// Mean time between failures of the slice; absent for jobs without restarts.
    pub mean_seconds_between_restarts: Option<Seconds>,
    /// How each number was made.
    pub explain: Vec<Term>,
}
