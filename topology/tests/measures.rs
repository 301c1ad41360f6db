//! What faults leave of a slice: searches against slower twins, switches against the lattice, the oracle's histograms.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "tests")]

mod common;

use common::{assert_near, oracle};
use proptest::prelude::*;
use topology::graph::{Network, Outage, RouteKind};
use topology::measure::{Distances, closed_histogram, distances, loads, searched_distances};
use topology::ocs::{Port, Switch, Wiring};
use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Link, Sign, Torus};

fn torus() -> impl Strategy<Value = Torus> {
    let plain = ((1_u16..6, 1_u16..6, 1_u16..6), any::<[bool; 3]>())
        .prop_map(|((x, y, z), wrap)| Torus::plain(Shape::solid(x, y, z), wrap));
    let twisted = (2_u16..4, any::<bool>()).prop_map(|(k, two_long)| {
        let shape = if two_long { Shape::solid(k, 2 * k, 2 * k) } else { Shape::solid(k, k, 2 * k) };
        Torus::twisted(shape).unwrap()
    });
    prop_oneof![plain, twisted]
}

fn broken() -> impl Strategy<Value = Network> {
    let links = proptest::collection::vec((0_usize..400, 0_usize..3), 0..12);
    let chips = proptest::collection::vec(0_usize..400, 0..4);
    (torus(), links, chips).prop_map(|(torus, links, chips)| {
        let shape = torus.shape();
        let chip = |index: usize| shape.coord_of(index % shape.n_chips());
        let links = links.into_iter().map(|(from, axis)| Link { from: chip(from), axis: Axis::ALL[axis] }).collect();
        Network::new(torus, Outage { chips: chips.into_iter().map(chip).collect(), links })
    })
}

/// Every pair by a route of its own.
fn by_routes(network: &Network) -> Distances {
    let works: Vec<Coord> = network.torus().shape().coords().filter(|chip| network.works(*chip)).collect();
    let mut found = Distances { histogram: Vec::new(), n_unreachable: 0 };
    for (from, to) in works.iter().flat_map(|from| works.iter().map(move |to| (*from, *to))) {
        let Ok(route) = network.route(from, to) else {
            found.n_unreachable += 1;
            continue;
        };
        let hops = route.path.len() - 1;
        found.histogram.resize(found.histogram.len().max(hops + 1), 0);
        found.histogram[hops] += 1;
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_closed_histogram_is_that_of_the_search(torus in torus()) {
        let whole = Network::new(torus, Outage::default());
        prop_assert_eq!(closed_histogram(&torus), searched_distances(&whole).histogram);
    }

    #[test]
    fn searching_many_at_once_finds_what_single_routes_find(network in broken()) {
        prop_assert_eq!(distances(&network), by_routes(&network));
    }

    #[test]
    fn every_message_is_counted_once_for_each_hop(network in broken()) {
        let distances = distances(&network);
        let hops: u64 = distances.histogram.iter().zip(0_u64..).map(|(pairs, hops)| pairs * hops).sum();
        prop_assert!((loads(&network).total() - hops as f64).abs() < 1e-6 * (hops as f64).max(1.0));
        let reached: u64 = network.islands().iter().map(|size| (*size as u64).pow(2)).sum();
        prop_assert_eq!(reached, distances.histogram.iter().sum::<u64>());
    }

    #[test]
    fn every_next_hop_is_nearer_and_the_ways_add_up(network in broken(), a in 0_usize..400, b in 0_usize..400) {
        let shape = network.torus().shape();
        let (from, to) = (shape.coord_of(a % shape.n_chips()), shape.coord_of(b % shape.n_chips()));
        let Ok(all) = network.shortest_routes(from, to) else {
            prop_assert!(network.route(from, to).is_err());
            return Ok(());
        };
        let route = network.route(from, to).unwrap();
        prop_assert_eq!(route.path.len() as u32, all.hops + 1);
        prop_assert_eq!(route.extra_hops > 0, route.kind == RouteKind::Detour);
        if from != to {
            let onward = all.next_hops(from).map(|(_, chip)| network.shortest_routes(chip, to).unwrap());
            let mut n_routes = 0;
            for next in onward {
                prop_assert_eq!(next.hops + 1, all.hops);
                n_routes += next.n_routes.unwrap();
            }
            prop_assert_eq!(Some(n_routes), all.n_routes);
        }
    }

    /// The three rules of the switches: the place on the face never changes, plus joins minus only, and every cube has
    /// one before and one after it; for any cubes in any order.
    #[test]
    fn switches_join_any_cubes_as_the_lattice_wants(
        (x, y, z) in (1_u16..4, 1_u16..4, 1_u16..4),
        twist in any::<bool>(),
        stride in 1_usize..40,
    ) {
        let plain = Torus::plain(Shape::solid(4 * x, 4 * y, 4 * z), [true; 3]);
        let torus = if twist { Torus::twisted(plain.shape()).unwrap_or(plain) } else { plain };
        let lattice = Shape::solid(x, y, z);
        let pod = Shape::solid(41, 1, 1);
        let cubes: Vec<Coord> = (0..lattice.n_chips()).map(|i| pod.coord_of(i * stride % 41)).collect();
        let wiring = Wiring::of(&torus, &cubes).unwrap();
        let cube_of = |chip: Coord| lattice.index_of(Coord::new(chip.x / 4, chip.y / 4, chip.z / 4));
        for switch in Switch::all() {
            for own in lattice.coords() {
                let from = switch.chip_at(Port { cube: own, end: Sign::Plus }).unwrap();
                let step = torus.step(from, switch.axis, Sign::Plus).unwrap();
                prop_assert_eq!(Switch::of_link(step.to, switch.axis, Sign::Minus), Some(switch));
                let joined = wiring.next(cubes[lattice.index_of(own)], switch.axis);
                prop_assert_eq!(joined, Some(cubes[cube_of(step.to)]));
            }
            let mut after: Vec<Coord> = wiring.joins(switch.axis).map(|(_, to)| to).collect();
            after.sort_unstable();
            after.dedup();
            prop_assert_eq!(after.len(), cubes.len());
            let rings = wiring.rings(switch.axis);
            prop_assert_eq!(rings.iter().map(Vec::len).sum::<usize>(), cubes.len());
        }
    }
}

#[test]
fn a_whole_pod_with_faults_is_measured_exactly() {
    let shape = Shape::solid(16, 24, 24);
    let torus = Torus::plain(shape, [true; 3]);
    let whole = searched_distances(&Network::new(torus, Outage::default()));
    assert_eq!(whole.histogram, closed_histogram(&torus));
    let outage = Outage::of(shape, &["ocs:x:1,2".parse().unwrap(), "chip:5,6,7".parse().unwrap()]);
    let left = Network::new(torus, outage);
    let distances = distances(&left);
    // 4x36 links of the switch, and six of the chip; none of the chip's links is one of the switch's.
    assert_eq!((left.n_chips(), left.n_links()), (9215, 27_648 - 144 - 6));
    assert_eq!((left.islands(), distances.n_unreachable), (vec![9215], 0));
    assert!(distances.diameter() >= 32 && distances.mean() > whole.mean());
}

#[test]
fn histograms_and_loads_of_search_agree_with_brute_force() {
    let Some(rows) = oracle("graphs.csv") else { return };
    let mut compared = 0;
    for row in &rows {
        let torus = common::graph_of(row);
        let shape = torus.shape();
        let what = format!("{} {}", row["dims"], row["name"]);
        let network = Network::new(torus, Outage::default());
        let searched = searched_distances(&network);
        assert_eq!(searched.diameter().to_string(), row["diameter"], "{what}");
        if let Some(mean) = searched.mean() {
            assert_near(mean, row["avg_distance_excl_self"].parse().unwrap(), &what);
        }
        // A symmetric torus with a counter of every chip is slow, and counted from one chip elsewhere.
        if shape.n_chips() <= 512 && !row["max_link_load_uniform_ecmp"].is_empty() {
            let (_, _, load) = loads(&network).busiest().unwrap();
            assert_near(load, row["max_link_load_uniform_ecmp"].parse().unwrap(), &what);
        }
        compared += 1;
    }
    assert!(compared > 40, "{compared}");
}
