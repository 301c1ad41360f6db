use std::fmt::Write as _;

use expect_test::expect;
use proptest::prelude::*;
use topology::fleet::{Component, Effect, Pod};
use topology::shape::{Axis, Coord, Shape};
use topology::units::Fraction;

use super::*;
use crate::testing::{fault, pod, slice};

fn job(pod: &Pod, slice: &str, workload: LiveWorkload) -> Job {
    Job { pod: pod.id.clone(), slice: slice.into(), workload }
}

fn input(pods: Vec<Pod>, jobs: Vec<Job>) -> LiveInput {
    let fleet = Arc::new(Fleet { name: "test".to_owned(), pods });
    LiveInput { fleet, catalog: Arc::new(Catalog::embedded().clone()), jobs, seed: 1 }
}

/// A pod that one slice fills.
fn filled(generation: &str, shape: Shape, workload: LiveWorkload) -> LiveInput {
    let mut pod = pod(generation, shape);
    pod.slices = vec![slice("s", shape, Coord::default())];
    let jobs = vec![job(&pod, "s", workload)];
    input(vec![pod], jobs)
}

fn start(input: &LiveInput) -> LiveSim {
    let (sim, findings) = LiveSim::new(input).unwrap();
    assert!(findings.is_empty(), "{findings:?}");
    sim
}

/// A moment when the training jobs here run without a pause.
const CALM: f64 = 20_000.0;

fn mean(frame: &Frame, measure: Measure) -> f64 {
    frame.pods[0].column(measure).mean().unwrap()
}

/// What each preset comes to on a slice it is meant for: step and its parts, then means over a quiet hour.
#[test]
fn presets_come_to_believable_utilization() {
    let cases = [
        ("pretrain-dense-405b", "tpu7x", Shape::solid(16, 16, 16)),
        ("pretrain-moe-235b", "tpu7x", Shape::solid(8, 16, 16)),
        ("evaluate-dense-70b", "tpu7x", Shape::solid(8, 8, 16)),
        ("pretrain-vision-22b", "tpu7x", Shape::solid(8, 8, 8)),
        ("finetune-speech-2b", "tpu7x", Shape::solid(4, 8, 8)),
        ("recommender", "tpu7x", Shape::solid(4, 4, 8)),
        ("finetune-dense-8b", "tpu7x", Shape::solid(4, 4, 4)),
        ("pretrain-dense-405b", "v5p", Shape::solid(16, 16, 24)),
        ("pretrain-dense-70b", "v5p", Shape::solid(8, 16, 16)),
        ("pretrain-pipeline-70b", "v5p", Shape::solid(8, 8, 16)),
        ("recommender", "v5p", Shape::solid(4, 8, 8)),
        ("serve-dense-70b", "v6e", Shape::flat(16, 16)),
        ("evaluate-dense-8b", "v6e", Shape::flat(8, 8)),
        ("serve-dense-8b", "v6e", Shape::flat(8, 16)),
        ("burn-in", "v6e", Shape::flat(8, 8)),
    ];
    let mut table =
        String::from("preset, chips | step = compute + memory + exposed + overhead, s | matrix, busy, hbm, memory %\n");
    for (name, generation, shape) in cases {
        let workload = LiveWorkload::preset(name).unwrap();
        let sim = start(&filled(generation, shape, workload));
        let report = sim.step_explain(&"p".into(), &"s".into()).unwrap();
        let parts = [
            report.step_seconds,
            report.compute_seconds,
            report.memory_seconds,
            report.exposed_collective_seconds,
            report.overhead_seconds,
        ];
        let [step, compute, memory, exposed, overhead] = parts.map(topology::units::Seconds::get);
        assert!((step - compute - memory - exposed - overhead).abs() < 1e-9 * step, "the parts are the step");
        let frames: Vec<Frame> = (0..60).map(|minute| sim.sample(CALM + 60.0 * f64::from(minute))).collect();
        let over = |measure| 100.0 * frames.iter().map(|frame| mean(frame, measure)).sum::<f64>() / 60.0;
        let [matrix, busy, hbm, used] =
            [Measure::TensorCore, Measure::DutyCycle, Measure::HbmBandwidth, Measure::HbmUsed].map(over);
        writeln!(
            table,
            "{name}, {generation} {shape} | {step:.3} = {compute:.3} + {memory:.3} + {exposed:.3} + {overhead:.3} | {matrix:.0} {busy:.0} {hbm:.0} {used:.0}",
        )
        .unwrap();
    }
    expect![[r#"
        preset, chips | step = compute + memory + exposed + overhead, s | matrix, busy, hbm, memory %
        pretrain-dense-405b, tpu7x 16x16x16 | 8.392 = 7.324 + 1.056 + 0.012 + 0.000 | 69 95 21 16
        pretrain-moe-235b, tpu7x 8x16x16 | 14.477 = 13.331 + 0.888 + 0.258 + 0.000 | 34 96 8 77
        evaluate-dense-70b, tpu7x 8x8x16 | 9.916 = 5.911 + 0.038 + 0.000 + 3.966 | 25 60 23 82
        pretrain-vision-22b, tpu7x 8x8x8 | 1.361 = 1.081 + 0.279 + 0.002 + 0.000 | 65 94 26 77
        finetune-speech-2b, tpu7x 4x8x8 | 0.047 = 0.031 + 0.016 + 0.000 + 0.000 | 43 92 32 7
        recommender, tpu7x 4x4x8 | 0.006 = 0.002 + 0.002 + 0.002 + 0.000 | 25 43 5 15
        finetune-dense-8b, tpu7x 4x4x4 | 0.326 = 0.269 + 0.056 + 0.001 + 0.000 | 53 89 22 21
        pretrain-dense-405b, v5p 16x16x24 | 41.570 = 40.812 + 0.746 + 0.012 + 0.000 | 71 96 8 32
        pretrain-dense-70b, v5p 8x16x16 | 15.920 = 15.424 + 0.493 + 0.003 + 0.000 | 65 93 9 18
        pretrain-pipeline-70b, v5p 8x8x16 | 25.812 = 17.078 + 0.492 + 0.005 + 8.238 | 40 58 6 19
        recommender, v5p 4x8x8 | 0.019 = 0.010 + 0.006 + 0.002 + 0.000 | 43 67 5 15
        serve-dense-70b, v6e 16x16 | 0.241 = 0.059 + 0.015 + 0.071 + 0.096 | 18 29 7 54
        evaluate-dense-8b, v6e 8x8 | 1.612 = 0.951 + 0.015 + 0.000 + 0.645 | 16 60 38 67
        serve-dense-8b, v6e 8x16 | 0.073 = 0.021 + 0.023 + 0.000 + 0.029 | 19 60 34 76
        burn-in, v6e 8x8 | 0.001 = 0.001 + 0.000 + 0.000 + 0.000 | 80 100 33 1
    "#]]
    .assert_eq(&table);
}

/// The fleet of the tests below: one dense training on 8x8x8 chips of v5p.
fn dense(faults: Vec<topology::fleet::Fault>) -> LiveInput {
    let mut input = filled("v5p", Shape::solid(8, 8, 8), LiveWorkload::finetune_dense_8b());
    let mut fleet = (*input.fleet).clone();
    fleet.pods[0].faults = faults;
    input.fleet = Arc::new(fleet);
    input
}

const SICK: Coord = Coord::new(2, 3, 4);

fn half() -> Effect {
    Effect::Slow(Fraction::clamped(0.5))
}

/// A chip at half speed slows its whole slice; it is busy while the others wait.
#[test]
fn a_slow_chip_makes_its_slice_wait() {
    let (well, slow) = (start(&dense(Vec::new())), start(&dense(vec![fault(Component::Chip(SICK), half())])));
    let (well, slow_frame) = (well.sample(CALM), slow.sample(CALM));
    let loss = mean(&slow_frame, Measure::TensorCore) / mean(&well, Measure::TensorCore);
    assert!((0.45..0.65).contains(&loss), "{loss}");
    let duty = slow_frame.pods[0].column(Measure::DutyCycle);
    let sick = Shape::solid(8, 8, 8).index_of(SICK);
    assert!(duty.get(sick).unwrap() > 0.9);
    assert!(duty.get(sick + 1).unwrap() < 0.65);
    assert_eq!(slow.step_explain(&"p".into(), &"s".into()).unwrap().slowest_chip, SICK);
}

/// Nothing is known of a silent host, but its chips work on: the others do not change.
#[test]
fn a_silent_host_has_no_values() {
    let host = Component::Host(Coord::new(2, 2, 4));
    let (well, silent) = (start(&dense(Vec::new())), start(&dense(vec![fault(host, Effect::Silent)])));
    let (well, silent) = (well.sample(CALM), silent.sample(CALM));
    for measure in Measure::ALL {
        let column = silent.pods[0].column(measure);
        assert_eq!(column.n_known(), 508);
        assert!(
            column.iter().enumerate().all(|(i, share)| share.is_none() || share == well.pods[0].column(measure).get(i))
        );
    }
}

/// A job waits for a chip in repair; the working chips report that they do nothing.
#[test]
fn a_job_waits_for_a_broken_chip() {
    let (sim, findings) = LiveSim::new(&dense(vec![fault(Component::Chip(SICK), Effect::InRepair)])).unwrap();
    assert_eq!(findings[0].message, "1 of its chips do not work, so its job waits");
    let frame = sim.sample(CALM);
    assert_eq!(frame.pods[0].column(Measure::TensorCore).n_known(), 511);
    assert_eq!(mean(&frame, Measure::TensorCore), 0.0);
    assert!(sim.step_explain(&"p".into(), &"s".into()).is_none());
}

/// A slow link slows the collectives of its axis and is itself the busiest; a lost one turns its ring into a line.
#[test]
fn a_slow_link_is_felt_where_collectives_cross_it() {
    let serve = |faults| {
        let mut input = filled("v6e", Shape::flat(16, 16), LiveWorkload::serve_dense_70b());
        let mut fleet = (*input.fleet).clone();
        fleet.pods[0].faults = faults;
        input.fleet = Arc::new(fleet);
        start(&input)
    };
    let at = Coord::new(3, 4, 0);
    let step = |sim: &LiveSim| sim.step_explain(&"p".into(), &"s".into()).unwrap();
    let well = step(&serve(Vec::new()));
    let along_x = serve(vec![fault(Component::Link(at, Axis::X), half())]);
    let along_y = step(&serve(vec![fault(Component::Link(at, Axis::Y), half())]));
    let cut = step(&serve(vec![fault(Component::Link(at, Axis::X), Effect::Down)]));
    assert!(step(&along_x).exposed_collective_seconds > well.exposed_collective_seconds);
    assert!(cut.exposed_collective_seconds > well.exposed_collective_seconds);
    assert_eq!(along_y.step_seconds, well.step_seconds, "replicas lie along x and do not talk along y");
    let frame = along_x.sample(CALM);
    let links = frame.pods[0].column(Measure::Ici(Axis::X));
    let index = Shape::flat(16, 16).index_of(at);
    assert!((links.get(index).unwrap() / links.get(index + 1).unwrap() - 2.0).abs() < 0.01);
    assert_eq!(frame.pods[0].column(Measure::Ici(Axis::Z)).n_known(), 0, "a flat pod has no third axis");
}

/// Any moment can be asked for at any time, and the answer is always the same.
#[test]
fn the_order_of_questions_does_not_matter() {
    let input = filled("tpu7x", Shape::solid(8, 16, 16), LiveWorkload::pretrain_moe_235b());
    let (first, second) = (start(&input), start(&input));
    let moments = [0.0, 61.5, 3600.0, 86_400.0, 1e7];
    let forward: Vec<Frame> = moments.iter().map(|at| first.sample(*at)).collect();
    let backward: Vec<Frame> = moments.iter().rev().map(|at| second.sample(*at)).collect();
    assert!(forward.iter().eq(backward.iter().rev()));
    let other = LiveInput { seed: 2, ..input };
    assert_ne!(start(&other).sample(CALM), first.sample(CALM), "the seed matters");
}

/// Values are shares, experts differ in load, and a pause is seen as less work.
#[test]
fn chips_differ_by_what_was_counted_and_pauses_are_seen() {
    let sim = start(&filled("tpu7x", Shape::solid(8, 8, 8), LiveWorkload::pretrain_moe_235b()));
    let frame = sim.sample(CALM);
    let duty: Vec<f32> = frame.pods[0].column(Measure::DutyCycle).iter().flatten().collect();
    let (low, high) = duty.iter().fold((1.0f32, 0.0f32), |(low, high), duty| (low.min(*duty), high.max(*duty)));
    assert!(high - low > 0.005, "{low} to {high}");
    let day: Vec<f64> =
        (0..1440).map(|minute| mean(&sim.sample(60.0 * f64::from(minute)), Measure::TensorCore)).collect();
    let best = day.iter().copied().fold(0.0, f64::max);
    assert!(day.iter().any(|share| *share < 0.95 * best), "a day has a checkpoint");
}

#[test]
fn what_cannot_run_is_said() {
    let broken = |workload: LiveWorkload| {
        LiveSim::new(&filled("v6e", Shape::flat(16, 16), workload)).unwrap().1[0].message.clone()
    };
    assert_eq!(broken(LiveWorkload::evaluate_dense_70b()), "the job needs 517 % of the usable memory of its chips");
    let LiveWorkload::Train(mut train) = LiveWorkload::finetune_dense_8b() else { panic!("a training") };
    train.axes = vec![Role::Data; 3];
    assert_eq!(broken(LiveWorkload::Train(train)), "the job names 3 axes, but a slice of 16x16 has 2");
    let mut twice = dense(Vec::new());
    twice.jobs.push(twice.jobs[0].clone());
    let error = LiveSim::new(&twice).unwrap_err().to_string();
    assert_eq!(error, "slice s of pod p has two jobs; a slice runs one");
    let mut lost = dense(Vec::new());
    lost.jobs[0].slice = "gone".into();
    assert_eq!(LiveSim::new(&lost).unwrap().1[0].message, "there is no such slice");
}

/// Twice the link rate or the memory bandwidth never makes a step longer.
#[test]
fn better_hardware_is_never_slower() {
    for (name, make) in LiveWorkload::PRESETS {
        let mut input = filled("v5p", Shape::solid(8, 8, 8), make());
        let step = |input: &LiveInput| {
            let (sim, _) = LiveSim::new(input).unwrap();
            sim.step_explain(&"p".into(), &"s".into()).unwrap().step_seconds
        };
        let base = step(&input);
        let embedded = Catalog::embedded();
        for which in 0..2 {
            let mut catalog = embedded.clone();
            let v5p = catalog.generations.iter_mut().find(|generation| generation.id.0 == "v5p").unwrap();
            let rate = if which == 0 { &mut v5p.ici_link_bytes_per_s } else { &mut v5p.hbm_bytes_per_s };
            let rate = rate.as_mut().unwrap();
            rate.value = rate.value * 2.0;
            input.catalog = Arc::new(catalog);
            assert!(step(&input) <= base, "{name}, {which}");
        }
    }
}

/// Small, large and impossible sizes.
fn size() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), 1u32..200, Just(8192), any::<u32>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A plan file may hold any numbers: the answer is a finding or shares from 0 to 1, never a crash.
    #[test]
    fn no_workload_breaks_the_simulation(sizes in proptest::collection::vec(size(), 14), which in 0usize..13) {
        let (_, make) = LiveWorkload::PRESETS[which];
        let mut workload = make();
        let model = |model: &mut crate::transformer::Transformer| {
            [model.layers, model.d_model, model.heads, model.kv_heads] = [sizes[0], sizes[1], sizes[2], sizes[3]];
            [model.head_dim, model.d_ff, model.vocab] = [sizes[4], sizes[5], sizes[6]];
            if let Some(experts) = &mut model.experts {
                [experts.n, experts.top_k, experts.shared_d_ff] = [sizes[7], sizes[8], sizes[9]];
            }
        };
        match &mut workload {
            LiveWorkload::Train(job) => {
                model(&mut job.model);
                [job.tokens_per_chip, job.sequence, job.microbatches] = [sizes[10], sizes[11], sizes[12]];
                [job.checkpoint_every_steps, job.input_shard_steps] = [sizes[13], sizes[0]];
            }
            LiveWorkload::Serve(job) => {
                model(&mut job.model);
                [job.sequences_per_replica, job.prompt_tokens, job.output_tokens] = [sizes[10], sizes[11], sizes[12]];
            }
            LiveWorkload::Evaluate(job) => {
                model(&mut job.model);
                job.suites.truncate(sizes[10] as usize);
            }
            LiveWorkload::Embedding(job) => {
                [job.lookups_per_sample, job.row_bytes, job.samples_per_chip] = [sizes[0], sizes[1], sizes[2]];
                job.checkpoint_every_steps = sizes[3];
            }
            LiveWorkload::Matmul(job) => [job.m, job.k, job.n] = [sizes[0], sizes[1], sizes[2]],
        }
        let (sim, findings) = LiveSim::new(&filled("v5p", Shape::solid(4, 4, 4), workload)).unwrap();
        for at in [0.0, CALM, 1e9, -1e9] {
            let frame = sim.sample(at);
            prop_assert_eq!(frame.pods[0].column(Measure::TensorCore).n_known(), 64);
        }
        let report = sim.step_explain(&"p".into(), &"s".into());
        prop_assert!(report.is_some() || !findings.is_empty());
    }
}
