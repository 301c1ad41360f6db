use proptest::prelude::*;
use topology::graph::Outage;
use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Link, Sign, Torus};
use topology::units::Byte;

use super::run::LinkBytes;
use super::*;
use crate::cancel::Cancel;
use crate::dtype::Dtype;
use crate::testing::generation;

fn trial(product: &str, sizes: &str, axes: &str) -> Sharded {
    Sharded {
        product: product.to_owned(),
        sizes: sizes.to_owned(),
        axes: axes.to_owned(),
        dtype: Dtype::Bf16,
        overlaps: false,
    }
}

fn ring(shape: Shape) -> Torus {
    Torus::plain(shape, [true; 3])
}

/// Protects the decision table of the four cases and the collectives that each needs.
#[test]
fn the_four_cases_are_told_apart_and_get_their_collectives() {
    let cases = [
        ("A[I_x,J] . B[J,K_y] -> C[I_x,K_y]", 1, "no communication"),
        ("A[I,J_x] . B[J,K_x] -> C[I,K_x]", 2, "all-gather A over x"),
        // The other operand is whole on every chip, so each takes its part of it and does a quarter of the work.
        ("A[I,J_x] . B[J,K] -> C[I,K]", 2, "all-reduce C over x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K]", 3, "all-reduce C over x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K_x]", 3, "reduce-scatter C over x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K] {U_x}", 3, "no communication"),
        ("A[I_x,J] . B[J,K_x] -> C[I_x,K]", 4, "all-gather B over x"),
        ("A[I_x,J] . B[J_x,K] -> C[I_x,K]", 2, "all-gather B over x"),
        ("A[I_xy,J] . B[J,K] -> C[I_x,K]", 1, "all-gather C over y"),
        ("A[I_x,J] . B[J,K] -> C[I,K_x]", 1, "all-to-all C over x"),
    ];
    for (product, case, collectives) in cases {
        let trial = trial(product, "I=8192,J=8192,K=8192", "x=x,y=y");
        let found = answer_trial(&trial, &generation("v5p"), &ring(Shape::solid(4, 4, 4))).unwrap();
        assert_eq!((found.case.number(), found.best.name().as_str()), (case, collectives), "{product}");
        assert_eq!(found.replicas, 4);
    }
}

/// Protects the notation: all spellings of the book mean the same, and what is written is read back equal.
#[test]
fn every_spelling_is_read_and_written_the_same() {
    let usual: Product = "A[I_xy,J] . B[J,K_z] -> C[I_xy,K_z]".parse().unwrap();
    assert_eq!(usual.to_string(), "A[I_xy, J] · B[J, K_z] → C[I_xy, K_z]");
    for text in [
        "A[I_XY, J] · B[J, K_Z] → C[I_XY, K_Z]",
        "A[I_{XY},J]*B[J,K_{Z}]=>C[I_{X,Y},K_z]",
        " A [ I_{x, y} , J ] @ B[J,K_Z]->C[I_xy,K_z] ",
        "A[I_{XY}, J] \\cdot B[J, K_Z] \\rightarrow C[I_{XY}, K_Z]",
        "A[I_XY, J] \\times B[J, K_Z] \\to C[I_XY, K_Z]",
    ] {
        assert_eq!(text.parse::<Product>().as_ref(), Ok(&usual), "{text}");
    }
    let partial: Product = "bf16[B,D_x1] . W[D_x1,F] -> Out[B,F]{U_X1}".parse().unwrap();
    assert_eq!(partial.to_string(), "bf16[B, D_x1] · W[D_x1, F] → Out[B, F] {U_x1}");
    assert_eq!(partial.to_string().parse(), Ok(partial));
}

/// A text that is no product is refused with its place, in the words of what would be right.
#[test]
fn bad_notation_is_told_with_its_place() {
    for (text, position, reason) in [
        ("", 1, "the name of an array"),
        ("A[I,J] . B[J,K]", 16, "an arrow"),
        ("A[I,J] B[J,K] -> C[I,K]", 8, "a product sign"),
        ("A[I_,J] . B[J,K] -> C[I,K]", 5, "an axis of the mesh"),
        ("A[I_x,J_x] . B[J,K] -> C[I,K]", 9, "A is sharded twice over the axis x"),
        ("A[I,I] . B[I,K] -> C[I,K]", 5, "I is written twice"),
        ("A[I,J] . B[J,K] -> C[I,J]", 5, "J is in both operands and in the result"),
        ("A[I,J] . B[L,K] -> C[I,K]", 5, "J is in one operand only"),
        ("A[I,J] . B[J,K] -> C[I,K,L]", 26, "L of the result is in no operand"),
        ("A[I] . B[K] -> C[I,K]", 10, "the operands share no dimension"),
        ("A[I,J]{U_x} . B[J,K] -> C[I,K]", 7, "an operand cannot be a partial sum"),
        ("A[I,J] . B[J,K] -> C[I,K] x", 27, "nothing more"),
        ("A[I,J] . B[J,K] -> C[I,K]{V_x}", 27, "a mark of partial sums"),
    ] {
        let bad = text.parse::<Product>().unwrap_err();
        assert_eq!(bad.position, position, "{text}: {bad}");
        assert!(bad.reason.starts_with(reason), "{text}: {bad}");
    }
    let long = "A[I,J] . B[J,K] -> C[I,K]".to_owned() + &" ".repeat(Product::MAX_CHARS);
    assert!(long.parse::<Product>().is_err());
}

fn run(trial: &Sharded, torus: &Torus) -> (Answer, Run) {
    let problem = Problem::of_trial(trial, torus).unwrap();
    let found = answer(&problem, &generation("v5p"), Overlap::None).unwrap();
    let run = execute(&problem, &found.best, Conditions { seed: 7, outage: None }, (&Cancel::default(), &mut |_| {}))
        .unwrap();
    (found, run)
}

/// Protects the executed collectives: data really arrive, and each busiest link carries what the plan says.
#[test]
fn what_crosses_the_links_is_what_the_plan_says() {
    let rings = ring(Shape::solid(4, 4, 4));
    let lines = Torus::plain(Shape::solid(4, 4, 4), [false; 3]);
    for (product, axes) in [
        ("A[I_x,J] . B[J,K_x] -> C[I_x,K]", "x=x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K_x]", "x=x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K]", "x=xy"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K]", "x=xyz"),
        ("A[I_x,J] . B[J,K_x] -> C[I_x,K]", "x=xyz"),
        ("A[I_x,J] . B[J,K_x] -> C[I_x,K]", "x=x:2,y=x:2"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K]", "x=x:2,y=x:2"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K]", "x=x:2"),
        ("A[I_x,J] . B[J,K] -> C[I,K_x]", "x=z"),
    ] {
        for torus in [&rings, &lines] {
            let (found, run) = run(&trial(product, "I=192,J=192,K=192", axes), torus);
            assert!(run.within_bound, "{product} {axes} {}", found.best.name());
            for exchange in &run.exchanges {
                let (real, planned) = (exchange.busiest_link_bytes.get(), exchange.planned_link_bytes.get());
                assert!((real / planned - 1.0).abs() < 1e-9, "{product} {axes} {torus:?}: {exchange:?}");
            }
            let problem = Problem::of_trial(&trial(product, "I=192,J=192,K=192", axes), torus).unwrap();
            let (mut planned, mut real) = (traffic::links(&problem, &found.best), run.links);
            let place = |link: &LinkBytes| (link.from, link.axis, link.sign);
            planned.sort_by_key(place);
            real.sort_by_key(place);
            assert_eq!(planned.iter().map(place).collect::<Vec<_>>(), real.iter().map(place).collect::<Vec<_>>());
            for (planned, real) in planned.iter().zip(&real) {
                let (a, b) = (planned.bytes.get(), real.bytes.get());
                assert!((a / b - 1.0).abs() < 1e-9, "{product} {axes} {torus:?}: {planned:?} {real:?}");
            }
        }
    }
}

/// Published worked problems, each a collective of a plan.
#[test]
fn worked_problems_come_out() {
    let table = include_str!("../../tests/golden/sharding.csv");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    for row in rows.map(|line| line.split(';').collect::<Vec<&str>>()) {
        let [id, chip, shape, wraps, axes, product, sizes, step, counted, expected, tolerance] = row[..] else {
            panic!("{row:?}")
        };
        let torus = Torus::plain(shape.parse().unwrap(), [wraps == "yes"; 3]);
        let found = answer_trial(&trial(product, sizes, axes), &generation(chip), &torus).unwrap();
        let mut steps = std::iter::once(&found.best).chain(&found.alternatives).flat_map(|plan| &plan.collectives);
        let step = steps.find(|other| other.name() == step).unwrap_or_else(|| panic!("{id}: {found:#?}"));
        let n = step.group_chips as f64;
        let seconds = match counted {
            "latency" => step.time.latency_seconds.get(),
            "book" => step.time.bandwidth_seconds.get() / (1.0 - 1.0 / n),
            _ => step.time.bandwidth_seconds.get(),
        };
        let expected: f64 = expected.parse().unwrap();
        let off = (seconds * 1e6 / expected - 1.0).abs() * 100.0;
        assert!(off <= tolerance.parse::<f64>().unwrap() + 1e-9, "{id}: {} µs, expected {expected}", seconds * 1e6);
    }
}

/// W003 of the scaling book (roofline.md): with both summed dimensions sharded over two v5e chips, the product waits
/// for the links below D = 8755. W023 and W024 (sharding.md, pop quiz): bytes of a sharded array.
#[test]
fn break_even_and_bytes_are_those_of_the_book() {
    let line = Torus::plain(Shape::flat(2, 1), [false; 3]);
    let found =
        answer_trial(&trial("A[B,D_x] . W[D_x,F] -> C[B,F]", "B=4096,D=8192,F=4096", "x=x"), &generation("v5e"), &line);
    let best = found.unwrap().best;
    assert_eq!(best.name(), "all-reduce C over x");
    let peak = generation("v5e").peak_bf16_flop_per_s.unwrap().value.get();
    let break_even = 8192.0 * best.collectives[0].time.bandwidth_seconds.get() / (best.flop.get() / peak);
    assert!((break_even / 8755.0 - 1.0).abs() < 1e-3, "{break_even}");

    let int8 = Sharded { dtype: Dtype::Int8, ..trial("A[I_xy,J] . B[J,K] -> C[I_xy,K]", "I=128,J=2048,K=1", "") };
    let problem = Problem::of_trial(&int8, &ring(Shape::solid(2, 8, 2))).unwrap();
    let bytes = problem.bytes(Role::Left, problem.layout(Role::Left)).get();
    assert_eq!((bytes, bytes * 32.0), (16_384.0, 524_288.0));
    let ratio = |kind| {
        let rings = crate::collective::Ring { size: 16, wraps: true, rate: 1.0 };
        let links = crate::collective::Links::of(&generation("v5p")).unwrap();
        crate::collective::time(kind, Byte::new(1e9), &[rings], links).bandwidth_seconds.get()
    };
    // W034, without the factor 1 − 1/n of the gather.
    let quarter = ratio(crate::collective::Collective::AllToAll) * (1.0 - 1.0 / 16.0)
        / ratio(crate::collective::Collective::AllGather);
    assert!((quarter - 0.25).abs() < 1e-12);
}

/// Protects against a model without a torus: rings, lines and shapes of equally many chips differ.
#[test]
fn the_topology_changes_the_answer() {
    let product = trial("A[I,J_x] . B[J_x,K] -> C[I,K]", "I=8192,J=8192,K=8192", "x=xyz");
    let seconds = |torus: Torus| answer_trial(&product, &generation("v5p"), &torus).unwrap().best.total.mid.get();
    let cube = seconds(ring(Shape::solid(8, 8, 8)));
    let one = trial("A[I,J_x] . B[J_x,K] -> C[I,K]", "I=8192,J=8192,K=8192", "x=x");
    let along = |torus: Torus| answer_trial(&one, &generation("v5p"), &torus).unwrap().best.total.mid.get();
    assert!(seconds(Torus::plain(Shape::solid(8, 8, 8), [false; 3])) > cube);
    assert!(along(ring(Shape::solid(8, 8, 8))) != along(ring(Shape::solid(4, 8, 16))));
    let all = trial("A[I_x,J] . B[J,K] -> C[I,K_x]", "I=32768,J=32768,K=32768", "x=xyz");
    let exchange = |torus: &Torus| answer_trial(&all, &generation("v5p"), torus).unwrap().best.total.mid.get();
    assert!(exchange(&ring(Shape::solid(4, 8, 16))) > exchange(&ring(Shape::solid(8, 8, 8))));
    let (plain, twisted) = (ring(Shape::solid(4, 4, 8)), Torus::twisted(Shape::solid(4, 4, 8)).unwrap());
    assert!(along(twisted) > along(plain), "the short axes of a twisted torus close no ring");
}

/// Bad input is refused with what is wrong and what to do.
#[test]
fn what_does_not_fit_is_refused() {
    let torus = ring(Shape::solid(4, 4, 8));
    let product = "A[I_x,J] . B[J,K_y] -> C[I_x,K_y]";
    let sizes = "I=64,J=64,K=64";
    for (product, sizes, axes, message) in [
        (product, "I=64,J=64", "x=x,y=y", "no size is given for K"),
        (product, "I=64,J=64,K=64,L=2", "x=x,y=y", "the product has no dimension L"),
        (
            product,
            "I=66,J=64,K=64",
            "x=x,y=y",
            "I of A has 66 places, which 4 chips cannot share equally; pad it to 68",
        ),
        (product, "I=0,J=64,K=64", "x=x,y=y", "the size of I has to be a whole number"),
        (product, "I=64;J=64", "x=x,y=y", "the size of I has to be"),
        (product, sizes, "x=x", "B is sharded over the axis y, which the mesh x=x does not have"),
        (product, sizes, "x=x,y=x", "y=x does not fit: x is taken already"),
        (product, sizes, "x=x:3,y=y", "x=x:3 does not fit: the whole axis x has 4 places"),
        (product, sizes, "x=5,y=2", "the sizes x=5,y=2 are no products"),
        (product, sizes, "x=w,y=y", "axes of the torus such as yz"),
        (product, sizes, "x", "an axis, \"=\" and what it lies on"),
        ("A[I_x,J] . B[J,K] -> C[I_x,K] {U_y}", sizes, "x=x,y=y", "C is marked {U_y}"),
        ("A[I,J] . B[J,K] -> C[I,K]", "I=16777216,J=16777216,K=16777216", "", "M·K·N"),
    ] {
        let error = answer_trial(&trial(product, sizes, axes), &generation("v5p"), &torus).unwrap_err().to_string();
        assert!(error.starts_with(message), "{product} {sizes} {axes}: {error}");
    }
    let f32 = Sharded { dtype: Dtype::F32, ..trial(product, sizes, "x=x,y=y") };
    assert!(answer_trial(&f32, &generation("v5p"), &torus).is_err(), "no published f32 peak");
    let large = trial(product, "I=8192,J=8192,K=8192", "x=x,y=y");
    let problem = Problem::of_trial(&large, &torus).unwrap();
    let plan = answer(&problem, &generation("v5p"), Overlap::None).unwrap().best;
    let refused = execute(&problem, &plan, Conditions::default(), (&Cancel::default(), &mut |_| {})).unwrap_err();
    assert!(matches!(refused, RunError::TooManyMacs { .. }));
    let small = Problem::of_trial(&trial(product, sizes, "x=x,y=y"), &torus).unwrap();
    let plan = answer(&small, &generation("v5p"), Overlap::None).unwrap().best;
    let cancel = Cancel::default();
    cancel.set();
    assert_eq!(execute(&small, &plan, Conditions::default(), (&cancel, &mut |_| {})), Err(RunError::Cancelled));
}

/// Protects against parts of a product that are none: what is gathered over x and y and cut by y again cannot come
/// part by part.
#[test]
fn only_parts_that_come_overlap() {
    let typed = Sharded { overlaps: true, ..trial("A[I_xy,J] . B[J,K] -> C[I_y,K]", "I=64,J=65536,K=64", "x=x,y=y") };
    let found = answer_trial(&typed, &generation("v5p"), &ring(Shape::solid(4, 4, 4))).unwrap();
    for plan in std::iter::once(&found.best).chain(&found.alternatives) {
        assert_eq!(plan.collectives.iter().any(|step| step.is_overlapped), plan.chunks > 1, "{}", plan.name());
        assert!(plan.flop.get() * 16.0 >= 2.0 * 64.0 * 65536.0 * 64.0, "{}", plan.name());
    }
    let gathered = trial("A[I_x,J] . B[J,K_x] -> C[I_x,K]", "I=8192,J=8192,K=8192", "x=x");
    let torus = ring(Shape::solid(4, 4, 4));
    let plain = answer_trial(&gathered, &generation("v5p"), &torus).unwrap().best;
    let overlapped = answer_trial(&Sharded { overlaps: true, ..gathered }, &generation("v5p"), &torus).unwrap().best;
    assert!(overlapped.chunks == 4 && overlapped.total.mid < plain.total.mid);
}

/// Protects faults as input: nothing broken is the plain answer, a lost link of a ring costs time and is told, a lost
/// chip is no slice.
#[test]
fn faults_change_the_answer() {
    let torus = ring(Shape::solid(8, 8, 8));
    let typed = trial("A[I,J_x] . B[J_x,K] -> C[I,K]", "I=8192,J=8192,K=8192", "x=x");
    let problem = Problem::of_trial(&typed, &torus).unwrap();
    let under = |outage: Outage| answer_under_faults(&problem, &generation("v5p"), Overlap::None, outage);
    let plain = answer(&problem, &generation("v5p"), Overlap::None).unwrap();
    let whole = under(Outage::default()).unwrap();
    assert!((whole.best.total.mid.get() / plain.best.total.mid.get() - 1.0).abs() < 1e-9);
    let carried =
        |found: &Answer| traffic::links(&problem, &found.best).iter().map(|link| link.bytes.get()).sum::<f64>();
    assert!((carried(&whole) / carried(&plain) - 1.0).abs() < 1e-9);
    let lost = Link { from: Coord::new(3, 2, 1), axis: Axis::X };
    let broken = under(Outage { links: [lost].into(), ..Outage::default() }).unwrap();
    assert!(broken.best.total.mid > plain.best.total.mid);
    assert!(broken.notes.iter().any(|note| note.starts_with("all-reduce C over x: ")), "{:?}", broken.notes);
    let links = traffic::links(&problem, &broken.best);
    assert!(links.iter().all(|link| (link.from, link.axis, link.sign) != (lost.from, Axis::X, Sign::Plus)));
    let error = under(Outage { chips: [Coord::default()].into(), ..Outage::default() }).unwrap_err();
    assert!(matches!(error, ShardError::Collective(_)), "{error}");
}

/// Protects executed work under faults: the result is right, nothing crosses what is lost, and the detour costs bytes.
#[test]
fn data_arrive_around_what_is_lost() {
    let torus = ring(Shape::solid(4, 4, 4));
    for (product, axes) in [
        ("A[I_x,J] . B[J,K_x] -> C[I_x,K]", "x=x"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K]", "x=xyz"),
        ("A[I,J_x] . B[J_x,K] -> C[I,K]", "x=x:2"),
    ] {
        let problem = Problem::of_trial(&trial(product, "I=192,J=192,K=192", axes), &torus).unwrap();
        let lost = [Axis::X, Axis::Y].map(|axis| Link { from: Coord::new(2, 0, 3), axis });
        let outage = Outage { links: lost.into(), ..Outage::default() };
        let found = answer_under_faults(&problem, &generation("v5p"), Overlap::None, outage.clone()).unwrap();
        let done = |outage: Option<&Outage>| {
            let conditions = Conditions { seed: 7, outage };
            execute(&problem, &found.best, conditions, (&Cancel::default(), &mut |_| {})).unwrap()
        };
        let (whole, broken) = (done(None), done(Some(&outage)));
        assert!(broken.within_bound && broken.checked_elements == whole.checked_elements, "{product}");
        let crosses = |run: &Run| {
            let of_link = |link: &LinkBytes| {
                let other = torus.step(link.from, link.axis, Sign::Minus).map(|step| step.to);
                let from = if link.sign == Sign::Plus { Some(link.from) } else { other };
                lost.iter().any(|lost| lost.axis == link.axis && Some(lost.from) == from)
            };
            run.links.iter().any(of_link)
        };
        assert!(crosses(&whole) && !crosses(&broken), "{product} {axes}");
        let bytes = |run: &Run| run.links.iter().map(|link| link.bytes.get()).sum::<f64>();
        assert!(bytes(&broken) > bytes(&whole), "{product} {axes}");
    }
    let problem = Problem::of_trial(&trial("A[I_x,J] . B[J,K] -> C[I_x,K]", "I=64,J=64,K=64", "x=x"), &torus).unwrap();
    let plan = answer(&problem, &generation("v5p"), Overlap::None).unwrap().best;
    let dead = Outage { chips: [Coord::new(1, 1, 1)].into(), ..Outage::default() };
    let conditions = Conditions { seed: 0, outage: Some(&dead) };
    let refused = execute(&problem, &plan, conditions, (&Cancel::default(), &mut |_| {})).unwrap_err();
    assert_eq!(refused.to_string(), "the slice cannot do it: chip 1 1 1 does not work");
}

/// Meshes by sizes take whole axes where they fit, parts else, and are read back equal.
#[test]
fn a_mesh_finds_its_place_on_the_torus() {
    for (text, shape, written) in [
        ("", Shape::solid(4, 4, 8), "x=x,y=y,z=z"),
        ("x=4,y=8", Shape::flat(4, 8), "x=x,y=y"),
        ("x=8,y=4", Shape::flat(4, 8), "x=y,y=x"),
        ("X=16,Y=8", Shape::solid(4, 4, 8), "x=x*y,y=z"),
        ("a=2,b=8,c=4", Shape::flat(8, 8), "a=x:2,b=y,c=x:4"),
        ("x=yz,y=1", Shape::solid(4, 4, 8), "x=y*z,y=1"),
        ("a=4,b=x:4", Shape::flat(16, 1), "a=x:4,b=x:4"),
        ("a = x:2 * y , b=x:2", Shape::flat(4, 4), "a=x:2*y,b=x:2"),
    ] {
        let torus = ring(shape);
        let mesh = Mesh::parse(text, &torus).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(mesh.to_string(), written, "{text}");
        assert_eq!(Mesh::parse(written, &torus).as_ref(), Ok(&mesh));
    }
}

/// What an axis of a random product does in each array.
fn placed() -> impl Strategy<Value = [usize; 3]> {
    // Operand A: none, I, J. Operand B: none, J, K. Result: none, I, K, unreduced.
    (0usize..3, 0usize..3, 0usize..4).prop_map(|(a, b, c)| [a, b, c])
}

fn random_product(axes: &[[usize; 3]; 3]) -> String {
    let of = |array: usize, place: usize| -> String {
        let named = ["x", "y", "z"].into_iter().zip(axes).filter(|(_, axis)| axis[array] == place);
        let text: String = named.map(|(name, _)| name).collect();
        if text.is_empty() { text } else { format!("_{text}") }
    };
    let partial = of(2, 3);
    let mark = if partial.is_empty() { partial } else { format!("{{U{partial}}}") };
    let (a, b) = (format!("A[I{},J{}]", of(0, 1), of(0, 2)), format!("B[J{},K{}]", of(1, 1), of(1, 2)));
    format!("{a} . {b} -> C[I{},K{}] {mark}", of(2, 1), of(2, 2))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Protects everything at once: every way to do a random product on a random torus gives the plain product, moves
    /// over the links what its collectives say in all, and its timeline ends and is exposed as the answer says.
    #[test]
    fn every_way_gives_the_plain_product(
        axes in [placed(), placed(), placed()], sides in [1u16..4, 1u16..4, 1u16..4], wrap in any::<[bool; 3]>(),
        dtype in prop::sample::select(vec![Dtype::Bf16, Dtype::Int8]), overlaps in any::<bool>(), split in any::<bool>(),
    ) {
        let shape = Shape::solid(sides[0], sides[1], sides[2] * 2);
        let torus = Torus::plain(shape, wrap);
        let mesh = if split { "x=x,y=z:2,z=y" } else { "x=x,y=y,z=z" };
        let typed = Sharded { dtype, overlaps, ..trial(&random_product(&axes), "I=36,J=72,K=36", mesh) };
        let Ok(problem) = Problem::of_trial(&typed, &torus) else { return Ok(()) };
        let overlap = if overlaps { Overlap::CollectiveMatmul } else { Overlap::None };
        let found = answer(&problem, &generation("v5p"), overlap).unwrap();
        let end = found.trace.seconds().get();
        prop_assert!((end / found.best.total.mid.get() - 1.0).abs() < 1e-9, "{}", typed.product);
        crate::trace::tests::assert_well_formed(&found.trace);
        let mut exposed: Vec<_> = found.trace.spans().filter(|(_, span)| span.is_exposed).map(|(_, span)| span).collect();
        exposed.sort_by(|a, b| a.start.get().total_cmp(&b.start.get()));
        exposed.dedup_by_key(|span| span.start.get().to_bits());
        let exposed: f64 = exposed.iter().map(|span| span.seconds.get()).sum();
        prop_assert!((exposed - found.best.exposed.mid.get()).abs() < 1e-6 * end);
        for plan in std::iter::once(&found.best).chain(&found.alternatives) {
            prop_assert!(plan.total.mid >= found.best.total.mid);
            prop_assert!(plan.total.low <= plan.total.mid && plan.total.mid <= plan.total.high);
            let run = execute(&problem, plan, Conditions { seed: 3, outage: None }, (&Cancel::default(), &mut |_| {})).unwrap();
            prop_assert!(run.within_bound, "{} by {}: {}", typed.product, plan.name(), run.max_rel_error);
            prop_assert_eq!(run.exchanges.len(), plan.collectives.len());
            for (exchange, step) in run.exchanges.iter().zip(&plan.collectives) {
                use crate::collective::Collective as Kind;
                let passes = match step.kind { Kind::AllToAll => continue, Kind::AllReduce => 2.0, _ => 1.0 };
                // Every chip gets, or gives away, all parts but its own; a hop of a split axis crosses several links.
                let strides = problem.mesh().axes().iter().flat_map(|axis| &axis.factors).map(|factor| factor.stride);
                if strides.max() == Some(1) {
                    let n = step.group_chips as f64;
                    let all = passes * shape.n_chips() as f64 * step.bytes.get() * (1.0 - 1.0 / n);
                    prop_assert!((exchange.total_bytes.get() / all - 1.0).abs() < 1e-9, "{exchange:?} {all}");
                }
            }
        }
    }
}

proptest! {
    /// Hostile texts are refused, never a panic; what is read is read back equal.
    #[test]
    fn no_text_makes_a_reader_panic(
        text in "[A-Cxyz0-9IJKU_\\[\\]{}(),.*@=:>\\-→·\\\\ ]{0,60}", any_text in ".{0,60}",
        start in prop::sample::select(vec!["", "A[I_x,J] . B[J,K] -> C[", "I=", "x=x:2,", "x=4,y="]),
    ) {
        let torus = Torus::plain(Shape::solid(4, 4, 8), [true, false, true]);
        for text in [format!("{start}{text}"), any_text] {
            if let Ok(product) = text.parse::<Product>() {
                prop_assert_eq!(product.to_string().parse(), Ok(product));
            }
            if let Ok(sizes) = text.parse::<Sizes>() {
                prop_assert_eq!(sizes.to_string().parse(), Ok(sizes));
            }
            if let Ok(mesh) = Mesh::parse(&text, &torus) {
                prop_assert_eq!(Mesh::parse(&mesh.to_string(), &torus), Ok(mesh));
            }
        }
    }
}
