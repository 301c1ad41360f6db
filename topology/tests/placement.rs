//! Placement against slow twins that look at every chip: fit, moves, queue, reservations and spare cubes.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use topology::chip::{Catalog, Generation, GenerationId};
use topology::fleet::{Component, Effect, Fault, Place, Pod, Slice, SliceId};
use topology::place::defrag::{Limits, MovePlan, NoPlan};
use topology::place::queue::{Answer, Outcome, Policy, Request, Want, Why, place_queue};
use topology::place::reserve::{Calendar, Days, Reservation};
use topology::place::spare::CubesUp;
use topology::place::{Fit, Floor, NoRoom, Tenant, alignment, turns};
use topology::rules::legal_shapes;
use topology::shape::{Axis, Coord, Shape};
use topology::units::Fraction;

fn generation(name: &str) -> &'static Generation {
    Catalog::embedded().find(name).unwrap()
}

fn empty(name: &str, shape: &str) -> Pod {
    let generation = GenerationId(name.to_owned());
    let shape = shape.parse().unwrap();
    Pod {
        id: "p".into(),
        generation,
        shape,
        slices: Vec::new(),
        spares: Vec::new(),
        faults: Vec::new(),
        hosts: Vec::new(),
    }
}

fn block(name: &str, size: &str, at: [u16; 3]) -> Slice {
    let size: Shape = size.parse().unwrap();
    let place = Place::Block { at: at.into(), size };
    let shape = turns(size).into_iter().min_by_key(|turned| turned.sizes3()).unwrap();
    Slice { id: name.into(), team: None, color: 1, shape, twisted: false, place }
}

fn chips_of(place: &Place) -> Vec<Coord> {
    let boxes = match place {
        Place::Block { at, size } => vec![(*at, *size)],
        Place::Cubes(cubes) => {
            cubes.iter().map(|c| (Coord::new(4 * c.x, 4 * c.y, 4 * c.z), Shape::solid(4, 4, 4))).collect()
        }
    };
    let chips = |(at, size): (Coord, Shape)| size.coords().map(move |c| Coord::new(at.x + c.x, at.y + c.y, at.z + c.z));
    boxes.into_iter().flat_map(chips).collect()
}

/// The slow twin of a floor: a set of free chips.
#[derive(Clone)]
struct Naive<'a> {
    generation: &'a Generation,
    pod: Shape,
    free: BTreeSet<Coord>,
    slices: Vec<(SliceId, Shape, Place)>,
}

impl<'a> Naive<'a> {
    fn new(pod: &Pod, generation: &'a Generation) -> Self {
        let (broken, spare) = (pod.broken(), pod.spare());
        let works = |chip: &Coord| !broken[pod.shape.index_of(*chip)] && !spare[pod.shape.index_of(*chip)];
        let mut free: BTreeSet<Coord> = pod.shape.coords().filter(works).collect();
        for chip in pod.slices.iter().flat_map(|slice| chips_of(&slice.place)) {
            free.remove(&chip);
        }
        let slices = pod.slices.iter().map(|slice| (slice.id.clone(), slice.shape, slice.place.clone())).collect();
        Self { generation, pod: pod.shape, free, slices }
    }

    fn box_fits(&self, at: Coord, size: Shape) -> bool {
        let step = alignment(self.generation, size);
        let aligned = Axis::ALL.into_iter().all(|axis| at.along(axis).is_multiple_of(step.along(axis)));
        aligned && chips_of(&Place::Block { at, size }).iter().all(|chip| self.free.contains(chip))
    }

    fn boxes(&self, shape: Shape) -> Vec<(Coord, Shape)> {
        let places = turns(shape).into_iter().flat_map(|size| self.pod.coords().map(move |at| (at, size)));
        places.filter(|(at, size)| self.box_fits(*at, *size)).collect()
    }

    fn free_cubes(&self) -> usize {
        let corners = self.pod.coords().filter(|chip| [chip.x, chip.y, chip.z].iter().all(|c| c % 4 == 0));
        corners.filter(|at| self.box_fits(*at, Shape::solid(4, 4, 4))).count()
    }

    fn fits(&self, shape: Shape) -> bool {
        let cubes = shape.sizes().iter().all(|size| size % 4 == 0) && self.pod.rank() == 3;
        if cubes { self.free_cubes() * 64 >= shape.n_chips() } else { !self.boxes(shape).is_empty() }
    }

    /// Moves a slice as a plan says; panics if it is not there or its new place is not free.
    fn replay(&mut self, slice: &SliceId, from: &Place, to: &Place) {
        let own = self.slices.iter_mut().find(|(id, _, _)| id == slice).unwrap();
        assert_eq!(own.2, *from, "{slice} is where the plan says");
        self.free.extend(chips_of(from));
        own.2 = to.clone();
        let Place::Block { at, size } = *to else { panic!("only boxes move") };
        assert!(turns(own.1).contains(&size), "the new box is the slice");
        assert!(self.box_fits(at, size), "the new place is free and aligned");
        for chip in chips_of(to) {
            self.free.remove(&chip);
        }
    }

    /// Whether so many moves or fewer make room, by trying them all.
    fn makes_room(&self, shape: Shape, n_moves: usize) -> bool {
        if self.fits(shape) {
            return true;
        }
        n_moves > 0
            && self.slices.iter().any(|(id, own, from)| {
                let mut lifted = self.clone();
                lifted.free.extend(chips_of(from));
                lifted.boxes(*own).into_iter().any(|(at, size)| {
                    let mut moved = self.clone();
                    moved.replay(id, from, &Place::Block { at, size });
                    moved.makes_room(shape, n_moves - 1)
                })
            })
    }
}

fn replayed(pod: &Pod, generation: &Generation, plan: &MovePlan) {
    let mut naive = Naive::new(pod, generation);
    for step in &plan.moves {
        naive.replay(&step.slice, &step.from, &step.to);
        assert_eq!(step.n_chips, chips_of(&step.from).len());
    }
    assert!(naive.fits(plan.shape), "there is room afterwards");
    assert!(chips_of(&plan.place).iter().all(|chip| naive.free.contains(chip)));
    assert_eq!(chips_of(&plan.place).len(), plan.shape.n_chips());
    assert!(plan.moves.len() >= plan.at_least);
}

/// A pod with slices thrown onto it, each at one of the places where it fits then.
fn crowd(mut pod: Pod, throws: &[(usize, usize)], shapes: &[&str]) -> Pod {
    for (i, (shape, place)) in throws.iter().enumerate() {
        let shape: Shape = shapes[shape % shapes.len()].parse().unwrap();
        let berths: Vec<_> = Floor::new(&pod, generation(&pod.generation.0)).free_boxes(shape).collect();
        if berths.is_empty() {
            continue;
        }
        let (at, size) = berths[place % berths.len()];
        let place = Place::Block { at, size };
        let id = SliceId(format!("s{i}"));
        pod.slices.push(Slice { id, team: None, color: 1, shape, twisted: false, place });
    }
    pod
}

fn throws(n: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0_usize..8, 0_usize..4096), 0..n)
}

fn flat(shape: &'static str, n: usize) -> impl Strategy<Value = Pod> {
    let faults = prop::collection::vec((0_u16..8, 0_u16..8), 0..3);
    (throws(n), faults).prop_map(move |(throws, faults)| {
        let mut pod = empty("v6e", shape);
        let down = |(x, y)| Fault { component: Component::Chip(Coord::new(x, y, 0)), effect: Effect::Down, note: None };
        pod.faults = faults.into_iter().map(down).collect();
        crowd(pod, &throws, &["1x1", "2x2", "2x4", "2x2", "4x4", "2x4"])
    })
}

fn cubes(shape: &'static str, n: usize) -> impl Strategy<Value = Pod> {
    (throws(n), 0_u16..2, any::<bool>()).prop_map(move |(throws, spare, is_down)| {
        let mut pod = empty("tpu7x", shape);
        pod.spares = vec![Coord::new(spare, 0, 1)];
        let component = Component::Cube(Coord::new(1, 0, 0));
        pod.faults.extend(is_down.then_some(Fault { component, effect: Effect::InRepair, note: None }));
        crowd(pod, &throws, &["2x2x1", "2x2x2", "2x4x4", "2x2x4", "4x4x4", "1x1x1"])
    })
}

fn any_pod() -> impl Strategy<Value = Pod> {
    prop_oneof![flat("8x8", 14), flat("8x4", 8), cubes("8x4x8", 14)]
}

fn no_overlap<'a>(pod: &Pod, places: impl Iterator<Item = &'a Place>) {
    let mut seen = BTreeSet::new();
    let unusable: Vec<bool> = pod.broken().into_iter().zip(pod.spare()).map(|(a, b)| a || b).collect();
    for chip in places.flat_map(chips_of) {
        assert!(seen.insert(chip), "{chip} is given twice");
        assert!(!unusable[pod.shape.index_of(chip)], "{chip} is not to be used");
    }
}

fn requests() -> impl Strategy<Value = Vec<Request>> {
    let want = prop_oneof![
        (0_usize..6).prop_map(|i| { Want::Shape(["1x1", "2x2", "2x4", "4x4", "4x8", "3x5"][i].parse().unwrap()) }),
        (0_usize..40).prop_map(Want::Chips)
    ];
    let request =
        (0_u8..12, want, -2_i32..3, any::<bool>(), 0_u8..3).prop_map(|(name, want, priority, preempt, team)| {
            let team = (team > 0).then(|| format!("t{team}").as_str().into());
            let id = SliceId(format!("r{name}"));
            Request { id, team, want, priority, may_preempt: preempt }
        });
    prop::collection::vec(request, 0..8)
}

fn policy(pod: &Pod) -> Policy {
    let running = pod.slices.iter().enumerate().filter(|(i, _)| i % 3 > 0);
    let running = running.map(|(i, slice)| (slice.id.clone(), (i % 3) as i32 - 1)).collect();
    Policy { running, quota_chips: BTreeMap::from([("t1".into(), 20)]) }
}

fn answers(pod: &Pod, requests: &[Request]) -> (Vec<Answer>, Vec<Place>) {
    let mut floor = Floor::new(pod, generation(&pod.generation.0));
    let limits = Limits { max_moves: 2, max_tries: 200, ..Limits::default() };
    let answers = place_queue(&mut floor, requests, &policy(pod), Some(&limits));
    let places = floor.tenants().map(|(_, tenant)| tenant.place.clone()).collect();
    (answers, places)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_fits_is_what_fits_chip_by_chip(pod in any_pod()) {
        let generation = generation(&pod.generation.0);
        let (floor, naive) = (Floor::new(&pod, generation), Naive::new(&pod, generation));
        prop_assert_eq!(floor.n_free(), naive.free.len());
        prop_assert_eq!(floor.free_cubes().len(), if pod.shape.rank() == 3 { naive.free_cubes() } else { 0 });
        let legal = legal_shapes(generation).into_iter().map(|legal| legal.shape);
        for shape in legal.filter(|shape| shape.n_chips() <= pod.shape.n_chips()) {
            for size in turns(shape) {
                for at in pod.shape.coords() {
                    prop_assert_eq!(floor.fits(size, at) == Fit::Fits, naive.box_fits(at, size), "{} at {}", size, at);
                }
            }
            let mut boxes: Vec<_> = floor.free_boxes(shape).map(|(at, size)| (size, at)).collect();
            let mut slow: Vec<_> = naive.boxes(shape).into_iter().map(|(at, size)| (size, at)).collect();
            boxes.sort();
            slow.sort();
            prop_assert_eq!(boxes, slow);
            let best = floor.best(shape);
            prop_assert_eq!(best.is_ok(), naive.fits(shape), "{}", shape);
            if let Ok(place) = best {
                prop_assert_eq!(floor.fits_place(shape, &place), Fit::Fits);
                prop_assert_eq!(chips_of(&place).len(), shape.n_chips());
                prop_assert!(chips_of(&place).iter().all(|chip| naive.free.contains(chip)));
            }
        }
    }

    #[test]
    fn the_largest_slice_that_fits_is_the_largest_chip_by_chip(pod in any_pod()) {
        let generation = generation(&pod.generation.0);
        let (floor, naive) = (Floor::new(&pod, generation), Naive::new(&pod, generation));
        let fits = legal_shapes(generation).into_iter().map(|legal| legal.shape).filter(|shape| naive.fits(*shape));
        let largest = fits.map(Shape::n_chips).max();
        let fragmentation = floor.fragmentation();
        prop_assert_eq!(fragmentation.largest.map(Shape::n_chips), largest);
        prop_assert!(fragmentation.curable() <= fragmentation.unusable());
        for room in floor.rooms() {
            prop_assert_eq!(room.n_at_once > 0, naive.fits(room.shape));
            prop_assert!(room.n_at_once * room.shape.n_chips() <= floor.n_free());
        }
    }

    #[test]
    fn slices_never_overlap_however_they_come_and_go(pod in any_pod(), steps in prop::collection::vec((0_usize..8, any::<bool>()), 0..30)) {
        let generation = generation(&pod.generation.0);
        let mut floor = Floor::new(&pod, generation);
        let shapes: Vec<Shape> = legal_shapes(generation).into_iter().map(|legal| legal.shape).take(8).collect();
        for (i, (shape, put)) in steps.into_iter().enumerate() {
            if !put {
                floor.lift(shape);
            } else if let Ok(place) = floor.best(shapes[shape % shapes.len()]) {
                let tenant = Tenant { id: SliceId(format!("n{i}")), team: None, shape: shapes[shape % shapes.len()], place };
                prop_assert!(floor.put(tenant.clone()).is_some());
                prop_assert!(floor.put(tenant).is_none(), "a place is given once");
            }
            no_overlap(&pod, floor.tenants().map(|(_, tenant)| &tenant.place));
            let used: usize = floor.tenants().map(|(_, tenant)| tenant.shape.n_chips()).sum();
            let usable = Floor::new(&Pod { slices: Vec::new(), ..pod.clone() }, generation).n_free();
            prop_assert_eq!(used + floor.n_free(), usable);
        }
    }

    #[test]
    fn moves_can_be_done_one_after_the_other(pod in any_pod(), tries in 0_usize..2000) {
        let generation = generation(&pod.generation.0);
        let floor = Floor::new(&pod, generation);
        let limits = Limits { max_moves: 3, max_tries: tries, ..Limits::default() };
        for legal in legal_shapes(generation) {
            if let Ok(plan) = floor.make_room(legal.shape, &limits) {
                replayed(&pod, generation, &plan);
            }
        }
        if let Some(plan) = floor.defragment(&limits) {
            replayed(&pod, generation, &plan);
            prop_assert!(plan.shape.n_chips() > floor.fragmentation().largest.map_or(0, Shape::n_chips));
        }
    }

    #[test]
    fn the_queue_does_not_mind_the_order_of_its_list(
        pod in flat("8x8", 10),
        (list, shuffled) in requests().prop_flat_map(|list| (Just(list.clone()), Just(list).prop_shuffle())),
    ) {
        let (answered, places) = answers(&pod, &list);
        prop_assert_eq!(&answered, &answers(&pod, &shuffled).0);
        no_overlap(&pod, places.iter());
        prop_assert_eq!(answered.iter().filter(|answer| answer.was_stopped_for.is_none()).count(), list.len());
        let stopped: usize = answered.iter().map(|answer| match &answer.outcome {
            Outcome::Placed { stopped, .. } => stopped.len(),
            Outcome::Queued(_) => 0,
        }).sum();
        prop_assert_eq!(answered.iter().filter(|answer| answer.was_stopped_for.is_some()).count(), stopped);
    }

    #[test]
    fn the_chances_of_all_numbers_add_up_to_one(n in 0_usize..3000, p in 0.0_f64..=1.0) {
        let up = CubesUp::new(n, Fraction::clamped(p));
        let sum: f64 = (0..=n).map(|k| up.exactly(k).get()).sum();
        prop_assert!((sum - 1.0).abs() < 1e-12, "{}", sum);
        let mean: f64 = (0..=n).map(|k| k as f64 * up.exactly(k).get()).sum();
        prop_assert!((mean - n as f64 * p).abs() < 1e-9 * (n as f64 + 1.0), "{} {}", mean, n as f64 * p);
        let promised = up.promised(Fraction::clamped(0.95));
        prop_assert!(promised == 0 || up.at_least(promised).get() > 0.95 - 1e-12);
        prop_assert!(promised == n || up.at_least(promised + 1).get() < 0.95 + 1e-12);
    }

    #[test]
    fn the_chance_of_a_number_is_that_of_all_ways_to_reach_it(n in 0_u32..9, p in 0.0_f64..=1.0) {
        let up = CubesUp::new(n as usize, Fraction::clamped(p));
        let mut counted = [0.0; 10];
        for ways in 0_u32..1 << n {
            counted[ways.count_ones() as usize] += (0..n).map(|i| if ways >> i & 1 == 1 { p } else { 1.0 - p }).product::<f64>();
        }
        for k in 0..=n as usize {
            prop_assert!((up.exactly(k).get() - counted[k]).abs() < 1e-14);
            prop_assert!((up.at_least(k).get() - counted[k..].iter().sum::<f64>()).abs() < 1e-14);
        }
    }

    #[test]
    fn a_chip_is_free_on_days_on_which_nothing_has_it(
        pod in flat("8x4", 5),
        bookings in prop::collection::vec((0_u16..4, 0_u16..2, 0_i32..12, 0_i32..6), 0..6),
        (from, length) in (0_i32..15, 1_i32..5),
    ) {
        let generation = generation("v6e");
        let reservations: Vec<Reservation> = bookings.into_iter().enumerate().map(|(i, (x, y, from, length))| Reservation {
            id: SliceId(format!("b{i}")), team: None, shape: Shape::flat(2, 2), days: Days::new(from, from + length),
            place: Place::Block { at: Coord::new(2 * x, 2 * y, 0), size: Shape::flat(2, 2) },
        }).collect();
        let calendar = Calendar::new(&pod, generation, &reservations);
        let mut free = Naive::new(&pod, generation).free;
        let days = from..from + length;
        for booking in reservations.iter().filter(|b| days.clone().any(|day| b.days.from <= day && day < b.days.until.unwrap())) {
            for chip in chips_of(&booking.place) {
                free.remove(&chip);
            }
        }
        let floor = calendar.floor(Days::new(from, from + length));
        prop_assert_eq!(floor.n_free(), free.len());
        let expected = (from..30).find(|day| calendar.best(Shape::flat(2, 4), Days::new(*day, day + length)).is_ok());
        let first = calendar.first_day(Shape::flat(2, 4), length as u16, (from, 30));
        prop_assert_eq!(first.map(|(day, _)| day), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_plan_has_fewer_moves_than_the_one_that_is_called_shortest(pod in prop_oneof![flat("4x8", 7), cubes("4x4x8", 6)]) {
        let generation = generation(&pod.generation.0);
        let (floor, naive) = (Floor::new(&pod, generation), Naive::new(&pod, generation));
        let limits = Limits { max_moves: 2, max_tries: 1_000_000, ..Limits::default() };
        for shape in legal_shapes(generation).into_iter().map(|legal| legal.shape).filter(|s| s.n_chips() <= pod.shape.n_chips()) {
            match floor.make_room(shape, &limits) {
                Ok(plan) => {
                    prop_assert!(plan.moves.len() > 2 || plan.is_shortest());
                    let n_fewer = plan.moves.len().min(plan.at_least).min(3);
                    prop_assert!(n_fewer == 0 || !naive.makes_room(shape, n_fewer - 1), "{} {:?}", shape, plan);
                }
                Err(_) if pod.shape.rank() == 2 => prop_assert!(!naive.makes_room(shape, 2), "{}", shape),
                Err(_) => {}
            }
        }
    }
}

fn request(name: &str, want: Want, priority: i32, may_preempt: bool) -> Request {
    Request { id: name.into(), team: None, want, priority, may_preempt }
}

/// Protects the difference that optical switches make: any free cubes do, but a slice inside a cube keeps to its cube.
#[test]
fn cubes_join_from_anywhere_but_a_flat_pod_needs_neighbours() {
    let mut pod = empty("tpu7x", "16x24x24");
    let corners = (0_u16..144).filter(|i| i % 2 == 0).map(|i| Coord::new(i % 4, i / 4 % 6, i / 24));
    pod.spares = corners.filter(|c| (c.x + c.y + c.z) % 2 == 0).collect();
    for c in pod.shape.coords().filter(|c| c.x < 4 && c.y < 6 && c.z < 6 && (c.x + c.y + c.z) % 2 == 0) {
        if !pod.spares.contains(&c) {
            pod.spares.push(c);
        }
    }
    let floor = Floor::new(&pod, generation("tpu7x"));
    assert_eq!(floor.n_free(), 72 * 64);
    let Ok(Place::Cubes(cubes)) = floor.best(Shape::solid(4, 4, 8)) else { panic!("joined cubes") };
    assert_eq!(cubes.len(), 2);
    assert_eq!(floor.best(Shape::solid(16, 16, 20)).unwrap_err().to_string(), "it needs 5120 chips, 4608 are free");

    let mut flat = empty("v6e", "16x16");
    flat.slices = vec![block("a", "4x4", [4, 4, 0]), block("b", "4x4", [8, 8, 0])];
    let floor = Floor::new(&flat, generation("v6e"));
    let Err(reason) = floor.best(Shape::flat(8, 16)) else { panic!("no room") };
    assert_eq!(reason, NoRoom::Scattered { free: 224, cubes: None });
    assert_eq!(reason.to_string(), "224 chips are free, but not as one box where it may lie");
    assert!(matches!(floor.best(Shape::flat(8, 8)), Ok(Place::Block { .. })));
}

/// Protects the numbers of fragmentation and the plan that cures it, on a case that can be done by hand: two 4x4 slices
/// near the middle of 16x16 chips cut off both halves; one move frees one.
#[test]
fn two_slices_in_the_middle_halve_what_can_be_used_and_one_move_cures_it() {
    let mut pod = empty("v6e", "16x16");
    pod.slices = vec![block("a", "4x4", [4, 4, 0]), block("b", "4x4", [8, 8, 0])];
    let floor = Floor::new(&pod, generation("v6e"));
    let fragmentation = floor.fragmentation();
    assert_eq!((fragmentation.n_free, fragmentation.largest), (224, Some(Shape::flat(8, 8))));
    assert_eq!(fragmentation.ideal, Some(Shape::flat(8, 16)));
    assert!((fragmentation.unusable().unwrap().get() - (1.0 - 64.0 / 224.0)).abs() < 1e-12);
    assert_eq!(fragmentation.curable(), Some(Fraction::clamped(0.5)));
    let plan = floor.defragment(&Limits::default()).unwrap();
    assert_eq!((plan.moves.len(), plan.chip_restarts(), plan.is_shortest()), (1, 16, true));
    replayed(&pod, generation("v6e"), &plan);
    let pinned = Limits { pinned: [SliceId::from("a"), SliceId::from("b")].into(), ..Limits::default() };
    assert_eq!(floor.make_room(Shape::flat(8, 16), &pinned), Err(NoPlan::Stuck));
    let full = Pod { slices: vec![block("w", "16x16", [0, 0, 0])], ..pod };
    assert_eq!(Floor::new(&full, generation("v6e")).fragmentation().unusable(), None, "nothing is free");
}

/// Protects that behind switches slices inside cubes are gathered, and only they move.
#[test]
fn parts_of_cubes_are_gathered_to_free_whole_cubes() {
    let mut pod = empty("v5p", "8x8x8");
    pod.slices = (0_u16..8).map(|i| block(&format!("s{i}"), "2x2x2", [i % 2 * 4, i / 2 % 2 * 4, i / 4 * 4])).collect();
    let floor = Floor::new(&pod, generation("v5p"));
    let Err(reason) = floor.best(Shape::solid(4, 4, 4)) else { panic!("no room") };
    assert_eq!(reason.to_string(), "it needs 1 whole free cubes, there are 0");
    let plan = floor.make_room(Shape::solid(4, 8, 12), &Limits::default()).unwrap();
    assert_eq!((plan.moves.len(), plan.chip_restarts(), plan.is_shortest()), (6, 48, true));
    replayed(&pod, generation("v5p"), &plan);
    let seven = floor.make_room(Shape::solid(4, 4, 28), &Limits { max_moves: 7, ..Limits::default() }).unwrap();
    replayed(&pod, generation("v5p"), &seven);
    assert_eq!(seven.moves.len(), 7);
    assert!(matches!(floor.make_room(Shape::solid(8, 8, 8), &Limits::default()), Err(NoPlan::NoRoom(_))));
}

/// Protects each reason for which a request waits, and that a stopped slice gets another place if there is one.
#[test]
fn every_request_is_answered_with_its_reason() {
    let mut pod = empty("v6e", "8x8");
    pod.slices =
        vec![block("old", "4x8", [0, 0, 0]), block("small", "2x2", [4, 0, 0]), block("kept", "2x2", [4, 6, 0])];
    let shape = |text: &str| Want::Shape(text.parse().unwrap());
    let mut greedy = request("greedy", Want::Chips(3), 0, false);
    greedy.team = Some("t".into());
    let list = [
        request("urgent", shape("4x8"), 9, true),
        request("strange", shape("3x3"), 8, false),
        request("many", Want::Chips(257), 8, false),
        request("kept", shape("1x1"), 7, false),
        greedy,
        request("ten", Want::Chips(10), 1, false),
    ];
    let policy =
        Policy { running: [("old".into(), 1), ("small".into(), 0)].into(), quota_chips: [("t".into(), 3)].into() };
    let mut floor = Floor::new(&pod, generation("v6e"));
    let answers = place_queue(&mut floor, &list, &policy, None);
    let of = |name: &str| &answers.iter().find(|answer| answer.id == name.into()).unwrap().outcome;
    let why = |name: &str| match of(name) {
        Outcome::Queued(why) => why.to_string(),
        Outcome::Placed { .. } => panic!("{name} waits"),
    };
    let Outcome::Placed { stopped, .. } = of("urgent") else { panic!("placed") };
    assert_eq!(stopped, &[SliceId::from("old")]);
    assert!(why("strange").contains("fixed list"));
    assert_eq!(why("many"), "no legal slice has 257 chips or more");
    assert_eq!(why("kept"), "another slice has this name");
    assert_eq!(why("greedy"), "its team has 0 of 3 chips");
    let Outcome::Placed { shape: taken, n_shapes, .. } = of("ten") else { panic!("placed") };
    assert_eq!((*taken, *n_shapes), (Shape::flat(4, 4), 1));
    assert_eq!(why("old"), "it needs 32 chips, 24 are free");
    assert_eq!(answers[0].id, "urgent".into(), "the most important is decided first");
}

/// Protects that a number of chips chooses no shape in silence: 9,216 chips of tpu7x have 16 shapes.
#[test]
fn a_number_of_chips_says_from_how_many_shapes_one_was_taken() {
    let pod = empty("tpu7x", "16x24x24");
    let mut floor = Floor::new(&pod, generation("tpu7x"));
    let answers = place_queue(&mut floor, &[request("all", Want::Chips(9216), 0, false)], &Policy::default(), None);
    let Outcome::Placed { shape, n_shapes, .. } = &answers[0].outcome else { panic!("placed") };
    assert_eq!((*shape, *n_shapes), (Shape::solid(16, 24, 24), 16));
}

/// Protects that a request whose chips are free is told what it would take.
#[test]
fn a_request_is_told_how_many_moves_would_help() {
    let mut pod = empty("v6e", "16x16");
    pod.slices = vec![block("a", "4x4", [4, 4, 0]), block("b", "4x4", [8, 8, 0])];
    let list = [request("r", Want::Shape(Shape::flat(8, 16)), 0, false)];
    let mut floor = Floor::new(&pod, generation("v6e"));
    let answers = place_queue(&mut floor, &list, &Policy::default(), Some(&Limits::default()));
    let expected = Why::AfterMoves { moves: 1, chip_restarts: 16 };
    assert_eq!(answers[0].outcome, Outcome::Queued(expected.clone()));
    assert_eq!(expected.to_string(), "1 move of 16 chips would make room");
}

/// Protects the days: ends are exclusive, what meets is named, a running slice ends when its reservation says so.
#[test]
fn reservations_that_meet_are_named_with_days_and_chips() {
    let mut pod = empty("v5p", "8x8x8");
    pod.slices = vec![block("run", "8x8x8", [0, 0, 0])];
    pod.spares = vec![Coord::new(1, 1, 1)];
    let reservation = |name: &str, cubes: &[[u16; 3]], days| Reservation {
        id: name.into(),
        team: None,
        shape: Shape::solid(4, 4, 4 * cubes.len().max(1) as u16),
        place: Place::Cubes(cubes.iter().map(|cube| (*cube).into()).collect()),
        days,
    };
    let run = Reservation {
        place: pod.slices[0].place.clone(),
        shape: pod.shape,
        ..reservation("run", &[], Days::new(0, 10))
    };
    let all = [
        run,
        reservation("a", &[[0, 0, 0], [1, 0, 0]], Days::new(10, 20)),
        reservation("b", &[[1, 0, 0], [1, 1, 1]], Days::new(19, 30)),
        reservation("c", &[[0, 0, 0]], Days::new(20, 21)),
    ];
    let calendar = Calendar::new(&pod, generation("v5p"), &all);
    let conflicts: Vec<String> = calendar.conflicts().iter().map(ToString::to_string).collect();
    assert_eq!(
        conflicts,
        [
            "a needs 64 chips of b on days 19 to 19",
            "b needs 64 chips held as spare on days 19 to 29",
            "run needs 64 chips held as spare on days 0 to 9",
        ]
    );
    assert_eq!(calendar.floor(Days::on(9)).n_free(), 0);
    assert_eq!(calendar.floor(Days::on(10)).n_free(), 5 * 64);
    assert_eq!(calendar.first_day(Shape::solid(4, 4, 28), 1, (0, 100)).map(|(day, _)| day), Some(30));
    let late = reservation("d", &[[1, 0, 0]], Days::new(25, 40));
    assert_eq!(calendar.fits(&late).to_string(), "overlaps 1 cube of b");
    // Without a reservation of its name a running slice never ends.
    assert_eq!(Calendar::new(&pod, generation("v5p"), &[]).first_day(Shape::solid(4, 4, 4), 1, (0, 100)), None);
}
