//! Whole tables of what other programs say of collectives, compared where `PODIUM_ORACLE_DIR` names their folder.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "tests")]

#[path = "../../topology/tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;

use common::{Row, oracle};
use simulator::cancel::Cancel;
use simulator::collective::{
    Analytic, Answer, Collective, CollectiveModel, EventDriven, Fabric, Order, Pairs, Request, axes,
};
use topology::chip::{Catalog, GenerationId, ICI_EFFECTIVE_SHARE};
use topology::graph::{Network, Outage};
use topology::shape::{Axis, Shape};
use topology::torus::Torus;
use topology::units::{Byte, BytePerSec, Seconds};

/// Sizes such as "4", "4x8" or "4x4x8".
fn shape(text: &str) -> Shape {
    let sizes: Vec<u16> = text.split('x').map(|size| size.parse().unwrap()).collect();
    match sizes[..] {
        [x] => Shape::flat(x, 1),
        _ => Shape::from_sizes(&sizes).unwrap(),
    }
}

/// A torus whose links carry so many bytes per second one way, and whose hops take no time.
fn fabric(torus: Torus, bytes_per_s: f64) -> Fabric {
    let generation = Catalog::embedded().get(&GenerationId("v5p".to_owned())).unwrap();
    let mut fabric = Fabric::of_network(Network::new(torus, Outage::default()), generation).unwrap();
    fabric.links.bytes_per_s = BytePerSec::new(bytes_per_s / ICI_EFFECTIVE_SHARE);
    fabric.links.hop_seconds = Seconds::ZERO;
    fabric
}

fn answered(model: &dyn CollectiveModel, request: &Request, fabric: &Fabric) -> Answer {
    model.answer(request, fabric, &Cancel::default(), &mut |_| {}).unwrap()
}

/// Counts and largest differences by name, printed at the end.
#[derive(Default)]
struct Tally {
    compared: BTreeMap<String, (usize, f64)>,
    left_out: BTreeMap<&'static str, usize>,
}

impl Tally {
    fn compare(&mut self, name: String, ours: f64, theirs: f64) -> f64 {
        let off = (ours / theirs - 1.0).abs();
        let entry = self.compared.entry(name).or_default();
        *entry = (entry.0 + 1, entry.1.max(off));
        off
    }

    fn leave_out(&mut self, reason: &'static str) {
        *self.left_out.entry(reason).or_default() += 1;
    }

    fn n_compared(&self) -> usize {
        self.compared.values().map(|(count, _)| count).sum()
    }

    fn print(&self, table: &str) {
        for (name, (count, off)) in &self.compared {
            eprintln!("{table}: {name}: {count} rows, largest difference {:.3} %", off * 100.0);
        }
        for (reason, count) in &self.left_out {
            eprintln!("{table}: {count} rows left out: {reason}");
        }
    }
}

/// Why a row of ASTRA-sim cannot be compared.
fn not_comparable(row: &Row) -> Option<&'static str> {
    let is_gather = row["op"] == "all_gather";
    let has_memory = !row["collective_optimization"].contains("local-mem-bw");
    let many_axes = row["dims"].contains('x');
    match (row["status"].as_str(), row["algorithm_per_dim"].as_str()) {
        ("ok", "ring") if row["op"] == "all_to_all" => {
            Some("all-to-all: it forwards one way round only, n/2 times the bytes")
        }
        ("ok", "ring")
            if row["op"] == "all_reduce" && many_axes && row["collective_optimization"].starts_with("baseline") =>
        {
            Some("baseline all-reduce: a whole all-reduce over each axis in turn")
        }
        ("ok", "ring") if has_memory && !is_gather => {
            Some("it counts the time of adding up in memory, which ours leaves out")
        }
        ("ok", "ring") => None,
        ("ok", _) => Some("another algorithm than rings"),
        _ => Some("it did not finish"),
    }
}

/// ASTRA-sim's rings send one way round at B; ours send both ways at B/2, which is the same bandwidth. Its GB is 2^30; its
/// size of a gather is that of one shard. One split goes over one axis after the other; four are chunks in a pipeline.
#[test]
fn astra_sim_takes_as_long_over_rings() {
    let Some(rows) = oracle("astra.csv") else { return };
    let mut tally = Tally::default();
    for row in &rows {
        if let Some(reason) = not_comparable(row) {
            tally.leave_out(reason);
            continue;
        }
        let number = |key: &str| row[key].parse::<f64>().unwrap();
        let shape = shape(&row["dims"]);
        let n = shape.n_chips() as f64;
        let theirs = number("exec_cycles_max_ns") * 1e-9;
        let steps: f64 = shape.sizes().iter().map(|size| f64::from(size - 1)).sum();
        // Splits on one axis pay for their steps one after the other.
        let latency = steps * number("dataset_splits") * (number("link_latency_ns") + number("endpoint_delay")) * 1e-9;
        if latency > 0.01 * theirs {
            tally.leave_out("steps of latency are more than 1 % of it; ours are half as many, as both ways are used");
            continue;
        }
        let fabric = fabric(Torus::plain(shape, [true; 3]), number("link_bandwidth_GBps") * f64::powi(2.0, 30) / 2.0);
        let kind: Collective = row["op"].parse().unwrap();
        let whole = number("comm_size_bytes") * if kind == Collective::AllGather { n } else { 1.0 };
        let splits = row["dataset_splits"].as_str();
        let ours = if splits == "1" { in_turn(kind, whole, &fabric) } else { piped(kind, whole, splits, &fabric) };
        let name = format!("{kind}, {}, {splits} splits", if row["dims"].contains('x') { "axes" } else { "one axis" });
        let off = tally.compare(name, ours, theirs);
        // Its all-reduce begins to gather one chunk while it scatters the next; ours does one after the other.
        let overlaps = kind == Collective::AllReduce && splits != "1" && row["dims"].contains('x');
        assert!(off < if overlaps { 0.10 } else { 0.02 }, "{row:?}: ours {ours}");
    }
    tally.print("astra.csv");
    assert!(tally.n_compared() >= 100, "{}", tally.n_compared());
}

/// The whole array over one axis after the other, counted.
fn in_turn(kind: Collective, whole: f64, fabric: &Fabric) -> f64 {
    let shape = fabric.network.torus().shape();
    let mut left = whole;
    let mut seconds = 0.0;
    for axis in shape.axes().iter().filter(|axis| shape.along(**axis) > 1) {
        let request = Request::over_axes(kind, Byte::new(left), &[*axis]);
        seconds += answered(&Analytic, &request, fabric).time.seconds.get();
        left /= f64::from(shape.along(*axis));
    }
    seconds
}

/// The same in chunks, simulated.
fn piped(kind: Collective, whole: f64, splits: &str, fabric: &Fabric) -> f64 {
    // A chunk of ours fills both ways of an even ring only together with the next one, so that twice as many make as long a
    // pipeline.
    let n_chunks = 2 * splits.parse::<u32>().unwrap();
    let model = EventDriven { n_chunks, order: Order::InOrder, ..EventDriven::default() };
    let request = Request::over_axes(kind, Byte::new(whole), fabric.network.torus().shape().axes());
    answered(&model, &request, fabric).time.seconds.get()
}

/// Uniform traffic with messages to oneself: mean hops and zero-load latency follow from distances, and the network
/// saturates below what its busiest link allows. `BookSim` counts the hop into a chip, and five cycles a hop and one more.
#[test]
fn booksim_saturates_below_the_busiest_link_and_hops_as_far() {
    let Some(rows) = oracle("booksim.csv") else { return };
    let mut tally = Tally::default();
    let mut highest = BTreeMap::<String, (f64, f64)>::new();
    for row in rows.iter().filter(|row| row["status"] == "stable") {
        let number = |key: &str| row[key].parse::<f64>().unwrap();
        let side = row["k"].clone();
        let shape = shape(&vec![side.as_str(); row["n"].parse().unwrap()].join("x"));
        let torus = Torus::plain(shape, [true; 3]);
        let Some(bound) = bound(row, torus) else {
            tally.leave_out("a pattern that is neither uniform nor a shift along one axis");
            continue;
        };
        let accepted = number("accepted_flit_rate_avg");
        assert!(accepted <= bound * 1.02, "{row:?}: bound {bound}");
        let name = format!("{} {shape}", row["traffic"]);
        let most = highest.entry(name).or_insert((0.0, bound));
        most.0 = most.0.max(accepted);
        let is_light = row["sim_type"].starts_with("latency") && number("offered_rate") <= 0.1;
        if row["traffic"] == "uniform" && is_light {
            let n = shape.n_chips() as f64;
            let hops = topology::traffic::hops(&torus).mean * (n - 1.0) / n + 1.0;
            let off = tally.compare("mean hops, uniform".to_owned(), hops, number("hops_avg_reported"));
            assert!(off < 0.03, "{row:?}: ours {hops}");
            let off = tally.compare(
                "latency at light load, uniform".to_owned(),
                1.0 + 5.0 * hops,
                number("packet_latency_avg"),
            );
            assert!(off < 0.05, "{row:?}: ours {}", 1.0 + 5.0 * hops);
        }
    }
    for (name, (accepted, bound)) in &highest {
        eprintln!("booksim.csv: {name}: most accepted {accepted:.3} of {bound:.3} that the busiest link allows");
        // Its few buffers and channels cost up to a third; 8x8x8 ran at light load only.
        assert!(name == "uniform 8x8x8" || *accepted > 0.65 * bound, "{name}");
    }
    tally.print("booksim.csv");
}

/// Flits of a chip and cycle that the busiest link allows; a chip sends at most one.
fn bound(row: &Row, torus: Torus) -> Option<f64> {
    let size = torus.shape().along(Axis::X);
    let over = torus.shape().axes().iter().copied().filter(|axis| torus.shape().along(*axis) > 1).collect::<Vec<_>>();
    let request = match row["traffic"].as_str() {
        "uniform" => Request::over_axes(Collective::AllToAll, Byte::new(1e9), &over),
        "tornado" | "neighbor" if over.len() == 1 => {
            let by = if row["traffic"] == "neighbor" { 1 } else { i32::from(size.div_ceil(2)) - 1 };
            let pairs = Some(Pairs::Shift { axis: Axis::X, by });
            Request { pairs, ..Request::over_axes(Collective::Permute, Byte::new(1e9), &over) }
        }
        _ => return None,
    };
    let answer = answered(&Analytic, &request, &fabric(torus, 1e9));
    let sent = 1e9 / answer.group_chips as f64;
    Some((sent / answer.time.busiest_link_bytes.get()).min(1.0))
}

/// `jax.experimental.roofline`: bytes of a chip over each axis, both ways together, and hops. It counts an axis of two as
/// one link, hops of gathers as the longest axis times the number of axes, and drops the remainder of its divisions.
#[test]
fn jax_roofline_counts_the_same_bytes_and_hops() {
    let Some(rows) = oracle("jax_roofline.csv") else { return };
    let mut tally = Tally::default();
    for row in &rows {
        let (op, mesh) = (row["op"].as_str(), row["mesh_shape"].as_str());
        let over = axes(&row["axes_used"]).unwrap();
        if op.starts_with("ppermute") && over.len() > 1 || op == "mlp" || op.starts_with("matmul") {
            tally.leave_out("a product, or a permute over several axes");
            continue;
        }
        if mesh == "1x8" && over.len() == 2 {
            tally.leave_out(
                "axes of one chip take part and get their share of the bytes there; nothing goes over them here",
            );
            continue;
        }
        if op == "all_to_all" && mesh == "4x8x8" && over.len() == 3 {
            tally.leave_out("all-to-all over 4x8x8: it takes 4·4 rings to cross the middle, but there are 4·8");
            continue;
        }
        let shape = shape(mesh);
        let wrap = Axis::ALL.map(|axis| shape.along(axis) > 2);
        let fabric = fabric(Torus::plain(shape, wrap), 1e9);
        let group: f64 = over.iter().map(|axis| f64::from(shape.along(*axis))).product();
        let input: f64 = row["per_device_input_bytes"].parse().unwrap();
        let (ours_bytes, ours_hops) = jax(op, (input, group), &over, &fabric);
        for (key, ours) in [("ici_bytes_per_axis", ours_bytes), ("ici_latency_hops_per_axis", ours_hops)] {
            for cell in row[key].split(' ').filter_map(|cell| cell.split_once(':')) {
                let theirs: f64 = cell.1.parse().unwrap();
                if theirs == 0.0 {
                    assert_eq!(ours, 0.0, "{row:?}");
                    continue;
                }
                tally.compare(format!("{op} {key}"), ours, theirs);
                // It rounds each shard down to whole bytes before it shares it between the axes.
                let rounding = if key == "ici_bytes_per_axis" { 2.0 * group } else { 0.0 };
                assert!((ours - theirs).abs() <= rounding, "{row:?} {key}: ours {ours}");
            }
        }
    }
    tally.print("jax_roofline.csv");
    assert!(tally.n_compared() > 200, "{}", tally.n_compared());
}

/// Our answer in the terms of `jax.experimental.roofline`.
fn jax(op: &str, (input, group): (f64, f64), over: &[Axis], fabric: &Fabric) -> (f64, f64) {
    let shape = fabric.network.torus().shape();
    let longest = over.iter().map(|axis| shape.along(*axis)).max().unwrap_or(1);
    let axis = over.iter().copied().find(|axis| shape.along(*axis) > 1).unwrap_or(over[0]);
    let gathers = |kind, whole: f64, passes: f64| {
        let answer = answered(&Analytic, &Request::over_axes(kind, Byte::new(whole), over), fabric);
        let sent: f64 = answer.phases.iter().map(|phase| phase.bytes.get()).sum();
        // A line of two has one link: what a chip sends there is what it receives.
        let hops = if sent > 0.0 { passes * f64::from(longest) * over.len() as f64 } else { 0.0 };
        (sent / over.len() as f64, hops)
    };
    // Both ways of the busiest link together.
    let messages = |kind, pairs: Option<Pairs>| {
        let request = Request { pairs, ..Request::over_axes(kind, Byte::new(input * group), over) };
        if group < 2.0 {
            return (0.0, 0.0);
        }
        let answer = answered(&Analytic, &request, fabric);
        let mut both = BTreeMap::<_, f64>::new();
        for traffic in &answer.links {
            *both.entry(traffic.link).or_default() += traffic.bytes.get();
        }
        (both.into_values().fold(0.0, f64::max), f64::from(answer.hops))
    };
    match op {
        "psum" => gathers(Collective::AllReduce, input, 2.0),
        "all_gather" => gathers(Collective::AllGather, input * group, 1.0),
        "reduce_scatter" => gathers(Collective::ReduceScatter, input, 1.0),
        "all_to_all" => messages(Collective::AllToAll, None),
        "ppermute_ring" => messages(Collective::Permute, Some(Pairs::Shift { axis, by: 1 })),
        _ => messages(Collective::Permute, Some(Pairs::Shift { axis, by: i32::from(shape.along(axis) / 2) })),
    }
}

/// The TPU compiler's strategies: phases are axes in turn, colours are orders of the axes at once, as in our plan. Its
/// one-way strategies count both ways of a ring apart, so that they have twice our colours.
#[test]
fn the_compiler_takes_as_many_phases_as_our_plan_has_axes() {
    let Some(rows) = oracle("tpu_collectives.csv") else { return };
    let mut tally = Tally::default();
    for row in rows.iter().filter(|row| row["status"] == "ok") {
        let strategy = row["strategy"].as_str();
        let figure = |name: &str| -> Option<usize> {
            let rest = row["algorithm_debug"].split_once(name)?.1;
            rest.split([' ', '}']).next()?.parse().ok()
        };
        let (Some(colours), Some(phases)) = (figure("colors:"), figure("phases:")) else {
            tally.leave_out("no strategy is printed");
            continue;
        };
        if !strategy.contains("ND") {
            tally.leave_out("one ring through all chips: small arrays, or meshes, where it is as fast as our lines");
            continue;
        }
        let name = row["topology"].split_once(':').unwrap().1;
        let shape: Shape = name.trim_end_matches("_twisted").parse().unwrap();
        let torus = if name.ends_with("_twisted") {
            Torus::twisted(shape).unwrap()
        } else {
            Torus::plain(shape, [row["wrap"].contains('1'); 3])
        };
        let over: Vec<Axis> = shape.axes().iter().copied().filter(|axis| shape.along(*axis) > 1).collect();
        let request = Request::over_axes(Collective::AllGather, Byte::new(1e9), &over);
        let plan = answered(&EventDriven::default(), &request, &fabric(torus, 1e9));
        let ours = plan.phases.iter().filter_map(|phase| phase.axis).collect::<std::collections::BTreeSet<_>>().len();
        tally.compare("phases of strategies over several axes".to_owned(), ours as f64, phases as f64);
        assert_eq!(ours, phases, "{row:?}");
        let ways = if strategy.starts_with("UniDirection") { 2 } else { 1 };
        let orders = plan.phases.len() / ours;
        let sorts = match colours.cmp(&(orders * ways)) {
            std::cmp::Ordering::Equal => "as many colours as our orders of axes",
            std::cmp::Ordering::Less => "fewer colours than ours: small arrays, or axes of unequal length",
            std::cmp::Ordering::Greater => "more colours than ours",
        };
        tally.compare(format!("{sorts} ({strategy})"), 1.0, 1.0);
    }
    tally.print("tpu_collectives.csv");
    assert!(tally.n_compared() > 100, "{}", tally.n_compared());
}
