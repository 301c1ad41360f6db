//! How long exact measures take beside a plain breadth-first search on a general graph; run with `--release`.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it measures time and prints a table")]

use std::error::Error;
use std::time::{Duration, Instant};

use petgraph::algo::connected_components;
use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::EdgeRef as _;
use topology::blast::BlastMap;
use topology::chip::{Catalog, Generation};
use topology::fleet::{Component, Place, Pod, Slice};
use topology::graph::{Network, Outage};
use topology::measure::{distances, loads, searched_distances};
use topology::rules::legal_shapes;
use topology::shape::{Coord, Shape};
use topology::slice::SliceModel;
use topology::torus::{Sign, Torus};
use topology::traffic::{bisection, hops};

/// Chips from which the naive search starts; its time is scaled up to all of them.
const SAMPLE: usize = 128;

fn main() -> Result<(), Box<dyn Error>> {
    let generation = Catalog::embedded().find("tpu7x")?;
    let shape = Shape::solid(16, 24, 24);
    let torus = SliceModel::new(generation, shape, None)?.torus;
    let faults = [Component::Chip(Coord::new(5, 6, 7)), "ocs:x:1,2".parse()?, "link:0,0,0:z".parse()?];
    let network = Network::new(torus, Outage::of(shape, &faults));
    let (naive, per_start) = naive_distances(&torus);
    println!("{:<58}{:>12}{:>12}{:>9}", "work", "ours", "naive", "ratio");
    let whole = Network::new(torus, Outage::default());
    row("distances of 16x24x24, whole (closed form)", timed(|| distances(&whole)), Some(naive));
    row("distances of 16x24x24, three faults (all pairs)", timed(|| distances(&network)), Some(naive));
    row("distances of 16x24x24, whole (all pairs)", timed(|| searched_distances(&whole)), Some(naive));
    row("islands of 16x24x24, three faults", timed(|| network.islands()), Some(per_start));
    row(
        "link loads of 16x24x24, three faults (all pairs)",
        timed(|| loads(&network)),
        Some(naive_loads(&torus, &faults)),
    );
    let all = || {
        let toruses =
            legal_shapes(generation).into_iter().filter_map(|l| SliceModel::new(generation, l.shape, None).ok());
        toruses.map(|model| (hops(&model.torus), bisection(&model.torus))).collect::<Vec<_>>()
    };
    let n_shapes = legal_shapes(generation).len();
    row(&format!("all {n_shapes} legal shapes of tpu7x with measures"), timed(all), Some(naive_shapes(generation)));
    let pod = full_pod(shape);
    let map = BlastMap::new(&pod, generation)?;
    row(
        "what each of 48 switches of a full pod would break",
        timed(|| map.of_switches()),
        Some(naive_islands(&torus, &faults) * 48),
    );
    println!(
        "\nnaive: breadth-first search on a petgraph graph from {SAMPLE} chips, scaled to all chips, with routes counted and \
         spread for loads;\nof shapes, a graph and a search from one chip each; of switches, a petgraph graph without what \
         failed and its connected components, 48 times"
    );
    Ok(())
}

fn row(work: &str, ours: Duration, naive: Option<Duration>) {
    let milliseconds = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    let ratio = naive.map(|naive| format!("{:.0} x", naive.as_secs_f64() / ours.as_secs_f64()));
    let naive = naive.map_or("-".to_owned(), milliseconds);
    println!("{work:<58}{:>12}{naive:>12}{:>9}", milliseconds(ours), ratio.unwrap_or_default());
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

/// Time to make a graph without what failed and to count its islands.
fn naive_islands(torus: &Torus, failed: &[Component]) -> Duration {
    let outage = Outage::of(torus.shape(), failed);
    timed(|| connected_components(&graph(torus, &outage)))
}

fn graph(torus: &Torus, outage: &Outage) -> UnGraph<(), (), u32> {
    let shape = torus.shape();
    let mut graph = UnGraph::default();
    let nodes: Vec<NodeIndex> = shape.coords().map(|_| graph.add_node(())).collect();
    for link in torus.links().filter(|link| !outage.links.contains(link)) {
        if let Some(step) = torus.step(link.from, link.axis, Sign::Plus) {
            graph.add_edge(nodes[shape.index_of(link.from)], nodes[shape.index_of(step.to)], ());
        }
    }
    graph
}

/// Time of a search from every chip, and from one.
fn naive_distances(torus: &Torus) -> (Duration, Duration) {
    let graph = graph(torus, &Outage::default());
    let nodes: Vec<NodeIndex> = graph.node_indices().collect();
    let start = Instant::now();
    for source in nodes.iter().take(SAMPLE) {
        let mut distance = vec![u32::MAX; nodes.len()];
        distance[source.index()] = 0;
        let mut queue = std::collections::VecDeque::from([*source]);
        while let Some(at) = queue.pop_front() {
            for to in graph.neighbors(at) {
                if distance[to.index()] == u32::MAX {
                    distance[to.index()] = distance[at.index()] + 1;
                    queue.push_back(to);
                }
            }
        }
        std::hint::black_box(distance);
    }
    let each = start.elapsed() / SAMPLE as u32;
    (each * nodes.len() as u32, each)
}

/// Time to count the messages over every edge from every chip (Brandes), in a graph without what failed.
fn naive_loads(torus: &Torus, failed: &[Component]) -> Duration {
    let graph = graph(torus, &Outage::of(torus.shape(), failed));
    let mut load = vec![0.0_f64; graph.edge_count()];
    let time = timed(|| {
        for source in graph.node_indices().take(SAMPLE) {
            let mut distance = vec![u32::MAX; graph.node_count()];
            let mut routes = vec![0.0_f64; graph.node_count()];
            let mut order = vec![source];
            (distance[source.index()], routes[source.index()]) = (0, 1.0);
            let mut done = 0;
            while let Some(&at) = order.get(done) {
                done += 1;
                for edge in graph.edges(at) {
                    let (to, hops) = (edge.target(), distance[at.index()] + 1);
                    if distance[to.index()] == u32::MAX {
                        distance[to.index()] = hops;
                        order.push(to);
                    }
                    if distance[to.index()] == hops {
                        routes[to.index()] += routes[at.index()];
                    }
                }
            }
            let mut through = vec![0.0_f64; graph.node_count()];
            for at in order.into_iter().rev() {
                for edge in graph.edges(at).filter(|edge| distance[edge.target().index()] + 1 == distance[at.index()]) {
                    let before = edge.target();
                    let sent = routes[before.index()] / routes[at.index()] * (1.0 + through[at.index()]);
                    load[edge.id().index()] += sent;
                    through[before.index()] += sent;
                }
            }
        }
    });
    std::hint::black_box(load);
    time * (graph.node_count() / SAMPLE) as u32
}

/// Time to make the graph of every legal shape and to search it from one chip.
fn naive_shapes(generation: &Generation) -> Duration {
    timed(|| {
        for legal in legal_shapes(generation) {
            let graph = graph(&Torus::plain(legal.shape, legal.wrap), &Outage::default());
            let mut search = petgraph::visit::Bfs::new(&graph, NodeIndex::new(0));
            while let Some(at) = search.next(&graph) {
                std::hint::black_box(at);
            }
        }
    })
}

fn full_pod(shape: Shape) -> Pod {
    let place = Place::Block { at: Coord::default(), size: shape };
    let slice = Slice { id: "all".into(), team: None, color: 1, shape, twisted: false, place };
    Pod {
        id: "pod".into(),
        generation: topology::chip::GenerationId("tpu7x".to_owned()),
        shape,
        slices: vec![slice],
        spares: Vec::new(),
        faults: Vec::new(),
        hosts: Vec::new(),
    }
}
