//! How long placement takes on the largest pod, beside the obvious way that looks at every chip.
//!
//! `cargo run --release -p podium-topology --example placement_bench`

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a measurement for people"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use topology::chip::{Catalog, Generation, GenerationId};
use topology::fleet::{Component, Effect, Fault, Place, Pod, Slice, SliceId};
use topology::place::defrag::Limits;
use topology::place::queue::{Policy, Request, Want, place_queue};
use topology::place::{Fit, Floor, Tenant, alignment, turns};
use topology::rules::legal_shapes;
use topology::shape::{Axis, Coord, Shape};

/// Slices thrown onto the pod.
const N_SLICES: usize = 60;
/// Seed of their shapes and places.
const SEED: u64 = 20_261_201;

/// `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % n as u64) as usize
    }
}

/// 144 cubes of tpu7x (or 256 chips of v6e) with random slices at random free places, and two broken cubes (or chips).
fn pod(generation: &Generation, shapes: &[&str], n_slices: usize) -> Pod {
    let shape = generation.pod_shape.as_ref().unwrap().value;
    let id = GenerationId(generation.id.0.clone());
    let mut pod = Pod {
        id: "p".into(),
        generation: id,
        shape,
        slices: Vec::new(),
        spares: Vec::new(),
        faults: Vec::new(),
        hosts: Vec::new(),
    };
    let broken = [Coord::new(3, 4, 0), Coord::new(1, 2, 0)];
    let component = |at| if shape.rank() == 3 { Component::Cube(at) } else { Component::Chip(at) };
    pod.faults = broken.map(|at| Fault { component: component(at), effect: Effect::Down, note: None }).into();
    let mut dice = Dice(SEED);
    while pod.slices.len() < n_slices {
        let shape: Shape = shapes[dice.below(shapes.len())].parse().unwrap();
        let berths: Vec<_> = Floor::new(&pod, generation).free_boxes(shape).collect();
        let Some((at, size)) = (!berths.is_empty()).then(|| berths[dice.below(berths.len())]) else { continue };
        let id = SliceId(format!("s{}", pod.slices.len()));
        pod.slices.push(Slice { id, team: None, color: 1, shape, twisted: false, place: Place::Block { at, size } });
    }
    pod
}

/// Chips of a pod that are free, worked out for the question.
fn naive_free(pod: &Pod) -> Vec<bool> {
    let (owners, broken, spare) = (pod.occupancy(), pod.broken(), pod.spare());
    owners.iter().zip(broken).zip(spare).map(|((owner, broken), spare)| owner.is_none() && !broken && !spare).collect()
}

/// Every aligned box of a shape, chip by chip.
fn naive_boxes(pod: &Pod, generation: &Generation, shape: Shape, free: &[bool]) -> Vec<(Coord, Shape)> {
    let boxes = turns(shape).into_iter().flat_map(|size| pod.shape.coords().map(move |at| (at, size)));
    let is_free = |(at, size): &(Coord, Shape)| {
        let step = alignment(generation, *size);
        Axis::ALL.into_iter().all(|axis| {
            at.along(axis) % step.along(axis) == 0 && at.along(axis) + size.along(axis) <= pod.shape.along(axis)
        }) && size.coords().all(|own| free[pod.shape.index_of(Coord::new(at.x + own.x, at.y + own.y, at.z + own.z))])
    };
    boxes.filter(is_free).collect()
}

/// The obvious way to the box with most faces against something: every box, every chip, every neighbour.
fn naive_best(pod: &Pod, generation: &Generation, shape: Shape) -> Option<(Coord, Shape)> {
    let free = naive_free(pod);
    let closed = |chip: [i32; 3]| {
        let inside = chip.iter().zip(pod.shape.sizes3()).all(|(c, size)| (0..i32::from(size)).contains(c));
        !inside || !free[pod.shape.index_of(chip.map(|c| c as u16).into())]
    };
    let contact = |(at, size): &(Coord, Shape)| {
        let chips = size.coords().map(|own| [at.x + own.x, at.y + own.y, at.z + own.z].map(i32::from));
        let of_chip = |chip: [i32; 3]| {
            let beside = (0..3)
                .flat_map(|i| [-1, 1].map(|step| std::array::from_fn(|j| chip[j] + if i == j { step } else { 0 })));
            beside.filter(|chip| closed(*chip)).count()
        };
        chips.map(of_chip).sum::<usize>()
    };
    naive_boxes(pod, generation, shape, &free).into_iter().max_by_key(contact)
}

/// Whether one move makes room, by trying every slice at every place.
fn naive_one_move(pod: &Pod, generation: &Generation, fits: impl Fn(&Pod) -> bool) -> bool {
    (0..pod.slices.len()).any(|i| {
        let mut lifted = pod.clone();
        let slice = lifted.slices.remove(i);
        let berths: Vec<_> = Floor::new(&lifted, generation).free_boxes(slice.shape).collect();
        berths.into_iter().any(|(at, size)| {
            let mut moved = lifted.clone();
            moved.slices.push(Slice { place: Place::Block { at, size }, ..slice.clone() });
            fits(&moved)
        })
    })
}

/// The median of some runs.
fn timed<T>(n_runs: usize, mut run: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..n_runs)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed()
        })
        .collect();
    times.sort();
    times[n_runs / 2]
}

fn row(what: &str, ours: Duration, naive: Option<Duration>) {
    let naive = naive.map_or_else(String::new, |naive| {
        format!("{:>12.1} {:>8.0}x", naive.as_secs_f64() * 1e6, naive.as_secs_f64() / ours.as_secs_f64())
    });
    println!("{what:<52} {:>12.2} {naive}", ours.as_secs_f64() * 1e6);
}

fn fit_search(pod: &Pod, generation: &Generation) {
    let floor = Floor::new(pod, generation);
    row("build the floor", timed(101, || Floor::new(pod, generation)), None);
    for text in ["2x2x1", "2x4x4", "4x4x8", "8x8x16", "16x16x16"] {
        let shape: Shape = text.parse().unwrap();
        let ghost = |i: u16| floor.fits(shape, Coord::new(i % 4 * 4, i / 4 % 6 * 4, 0));
        let hundred = timed(21, || (0..100).filter(|i| ghost(*i) == Fit::Fits).count());
        row(&format!("does the ghost {text} fit here"), hundred / 100, None);
        let naive = timed(3, || naive_best(pod, generation, shape));
        row(&format!("best place of {text}"), timed(21, || floor.best(shape)), Some(naive));
    }
    row(
        "does the turned ghost 8x4x4 fit here",
        timed(21, || floor.fits(Shape::solid(8, 4, 4), Coord::new(4, 0, 0))),
        None,
    );
    row("is the ghost 8x4x6 legal", timed(21, || floor.fits(Shape::solid(8, 4, 6), Coord::new(4, 0, 0))), None);
    // Every second cube: no box is free, cubes must be gathered from everywhere.
    let odd = |c: &Coord| c.x < 4 && c.y < 6 && c.z < 6 && (c.x + c.y + c.z) % 2 == 1;
    let scattered = Pod { spares: pod.shape.coords().filter(odd).collect(), slices: Vec::new(), ..pod.clone() };
    let scattered = Floor::new(&scattered, generation);
    row("best place of 4x8x32 on a chequered pod", timed(21, || scattered.best(Shape::solid(4, 8, 32))), None);
    row("fragmentation", timed(11, || floor.fragmentation()), None);
    row("room for all legal shapes", timed(3, || floor.rooms()), None);
}

fn cube_moves(pod: &Pod, generation: &Generation) {
    let floor = Floor::new(pod, generation);
    let n_free = floor.free_cubes().len();
    let limits = Limits::default();
    for n_more in 1..=12 {
        let mut legal = legal_shapes(generation).into_iter().map(|legal| legal.shape);
        let Some(shape) = legal.find(|shape| floor.joined_cubes(*shape) == Some(n_free + n_more)) else { continue };
        let naive = (n_more == 1).then(|| {
            let fits = |pod: &Pod| naive_boxes(pod, generation, Shape::solid(4, 4, 4), &naive_free(pod)).len() > n_free;
            timed(1, || naive_one_move(pod, generation, fits))
        });
        let text = match floor.make_room(shape, &limits) {
            Ok(plan) => format!("{} moves, at least {}", plan.moves.len(), plan.at_least),
            Err(reason) => reason.to_string(),
        };
        row(&format!("free {n_more} more cubes: {text}"), timed(3, || floor.make_room(shape, &limits)), naive);
    }
}

fn flat_moves(generation: &Generation) {
    let pod = pod(generation, &["1x1", "2x2", "2x4", "2x2"], 24);
    let floor = Floor::new(&pod, generation);
    let limits = Limits::default();
    for text in ["4x8", "8x8", "8x16"] {
        let shape: Shape = text.parse().unwrap();
        let outcome = match floor.make_room(shape, &limits) {
            Ok(plan) => format!("{} moves, at least {}", plan.moves.len(), plan.at_least),
            Err(reason) => reason.to_string(),
        };
        let naive = timed(1, || {
            naive_one_move(&pod, generation, |pod| !naive_boxes(pod, generation, shape, &naive_free(pod)).is_empty())
        });
        row(&format!("{} {text}: {outcome}", generation.id), timed(3, || floor.make_room(shape, &limits)), Some(naive));
    }
}

fn queue(pod: &Pod, generation: &Generation) {
    let mut dice = Dice(SEED);
    let request = |i: usize| {
        let want = Want::Chips(1 << dice.below(11));
        Request { id: SliceId(format!("r{i}")), team: None, want, priority: (i % 3) as i32, may_preempt: false }
    };
    let requests: Vec<Request> = (0..40).map(request).collect();
    let place = || place_queue(&mut Floor::new(pod, generation), &requests, &Policy::default(), None);
    row("a queue of 40 requests", timed(5, place), None);
    let mut floor = Floor::new(pod, generation);
    let shape = Shape::solid(4, 4, 4);
    let at = floor.best(shape).unwrap();
    let put_and_lift = || {
        let number = floor.put(Tenant { id: "n".into(), team: None, shape, place: at.clone() });
        number.and_then(|number| floor.lift(number))
    };
    row("put a slice and lift it", timed(21, put_and_lift), None);
}

fn main() {
    let generation = Catalog::embedded().find("tpu7x").unwrap();
    let shapes = ["2x2x1", "2x2x2", "2x2x4", "2x4x4", "4x4x4", "4x4x8", "4x8x8", "2x2x4"];
    let pod = pod(generation, &shapes, N_SLICES);
    let counts = pod.counts();
    println!("tpu7x, {} chips, {N_SLICES} slices, {} chips free", pod.shape.n_chips(), counts.free);
    println!("{:<52} {:>12} {:>12} {:>9}", "", "us", "naive us", "ratio");
    fit_search(&pod, generation);
    queue(&pod, generation);
    cube_moves(&pod, generation);
    flat_moves(Catalog::embedded().find("v6e").unwrap());
}
