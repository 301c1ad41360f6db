//! What holds for every torus: links go both ways, routes are as long as distances, arithmetic agrees with search.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;
use topology::graph::{Network, Outage, Route};
use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Link, Sign, Torus};
use topology::traffic::{all_to_all_load, bisection, hops};

fn torus() -> impl Strategy<Value = Torus> {
    let plain = ((1_u16..7, 1_u16..7, 1_u16..7), any::<[bool; 3]>())
        .prop_map(|((x, y, z), wrap)| Torus::plain(Shape::solid(x, y, z), wrap));
    let flat = (1_u16..9, 1_u16..9, any::<[bool; 3]>()).prop_map(|(x, y, wrap)| Torus::plain(Shape::flat(x, y), wrap));
    let twisted = (2_u16..5, 0_usize..6).prop_map(|(k, form)| {
        let (k, l) = (k, 2 * k);
        let sizes = [[k, k, l], [k, l, k], [l, k, k], [k, l, l], [l, k, l], [l, l, k]][form];
        Torus::twisted(Shape::from_sizes(&sizes).unwrap()).unwrap()
    });
    // The assumed twist k×2k×nk, and the flat one k×2k.
    let longer = (2_u16..4, 3_u16..6, 0_usize..8).prop_map(|(k, n, form)| {
        let (l, m) = (2 * k, n * k);
        let orders: [&[u16]; 8] =
            [&[k, l, m], &[k, m, l], &[l, k, m], &[l, m, k], &[m, k, l], &[m, l, k], &[k, l], &[l, k]];
        Torus::twisted(Shape::from_sizes(orders[form]).unwrap()).unwrap()
    });
    prop_oneof![plain, flat, twisted, longer]
}

/// A torus and two chips of it.
fn torus_and_ends() -> impl Strategy<Value = (Torus, Coord, Coord)> {
    torus().prop_flat_map(|torus| {
        let n = torus.shape().n_chips();
        (Just(torus), 0..n, 0..n)
            .prop_map(|(torus, a, b)| (torus, torus.shape().coord_of(a), torus.shape().coord_of(b)))
    })
}

/// Distances from a chip by breadth-first search, the slow twin of the arithmetic.
fn searched(torus: &Torus, from: Coord) -> Vec<Option<u32>> {
    let shape = torus.shape();
    let mut distance = vec![None; shape.n_chips()];
    distance[shape.index_of(from)] = Some(0);
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        let next = distance[shape.index_of(at)].map(|hops| hops + 1);
        for step in torus.neighbours(at) {
            let known = &mut distance[shape.index_of(step.to)];
            if known.is_none() {
                *known = next;
                queue.push_back(step.to);
            }
        }
    }
    distance
}

proptest! {
    #[test]
    fn every_hop_can_be_undone((torus, chip, _) in torus_and_ends()) {
        for step in torus.neighbours(chip) {
            let back = if step.sign == Sign::Plus { Sign::Minus } else { Sign::Plus };
            let home = torus.step(step.to, step.axis, back).unwrap();
            prop_assert_eq!(home.to, chip);
            prop_assert_eq!(home.wraps, step.wraps);
            prop_assert_eq!(Torus::link_of(chip, step), Torus::link_of(step.to, home));
        }
    }

    #[test]
    fn links_are_as_many_as_counted_and_each_chip_sees_its_own(torus in torus()) {
        let links: BTreeSet<Link> = torus.links().collect();
        prop_assert_eq!(links.len(), torus.n_links());
        let seen: BTreeSet<Link> = torus.shape().coords()
            .flat_map(|chip| torus.neighbours(chip).map(move |step| Torus::link_of(chip, step)))
            .collect();
        prop_assert_eq!(seen, links);
    }

    #[test]
    fn distances_agree_with_search((torus, chip, _) in torus_and_ends()) {
        let searched = searched(&torus, chip);
        for (index, other) in torus.shape().coords().enumerate() {
            prop_assert_eq!(Some(torus.distance(chip, other)), searched[index], "{} to {}", chip, other);
        }
    }

    #[test]
    fn a_route_is_a_path_as_long_as_the_distance((torus, from, to) in torus_and_ends()) {
        let path = torus.route(from, to);
        prop_assert_eq!(path.first(), Some(&from));
        prop_assert_eq!(path.last(), Some(&to));
        prop_assert_eq!(path.len() as u32, torus.distance(from, to) + 1);
        for hop in path.windows(2) {
            prop_assert!(torus.neighbours(hop[0]).any(|step| step.to == hop[1]));
        }
    }

    #[test]
    fn a_symmetric_torus_looks_the_same_from_every_chip((torus, a, b) in torus_and_ends()) {
        prop_assume!(torus.is_symmetric());
        let histogram = |chip| {
            let mut distances: Vec<u32> = torus.shape().coords().map(|other| torus.distance(chip, other)).collect();
            distances.sort_unstable();
            distances
        };
        prop_assert_eq!(histogram(a), histogram(b));
    }

    #[test]
    fn hop_counts_agree_with_all_pairs(torus in torus()) {
        let shape = torus.shape();
        let all: Vec<u32> =
            shape.coords().flat_map(|a| shape.coords().map(move |b| (a, b))).map(|(a, b)| torus.distance(a, b)).collect();
        let hops = hops(&torus);
        prop_assert_eq!(hops.diameter, all.iter().copied().max().unwrap_or(0));
        let pairs = (shape.n_chips() * (shape.n_chips() - 1)).max(1);
        let mean = f64::from(all.iter().sum::<u32>()) / pairs as f64;
        prop_assert!((hops.mean - mean).abs() < 1e-9, "{} {}", hops.mean, mean);
    }

    #[test]
    fn the_busiest_link_carries_at_least_the_mean_and_what_the_cut_demands(torus in torus()) {
        prop_assume!(torus.shape().n_chips() > 1);
        let n = torus.shape().n_chips() as f64;
        let load = all_to_all_load(&torus).unwrap();
        let mean = n * (n - 1.0) * hops(&torus).mean / (2.0 * torus.n_links() as f64);
        prop_assert!(load >= mean - 1e-6, "{load} {mean}");
        if let Some(cut) = bisection(&torus) {
            prop_assert!(load * cut.links as f64 >= n * n / 4.0 - 1e-6);
        }
    }

    #[test]
    fn a_way_around_is_a_path_over_what_works(
        (torus, from, to) in torus_and_ends(),
        broken in proptest::collection::vec((0_usize..400, 0_usize..3), 0..12),
        dead in proptest::collection::vec(0_usize..400, 0..4),
    ) {
        let shape = torus.shape();
        let chip = |index: usize| shape.coord_of(index % shape.n_chips());
        let outage = Outage {
            chips: dead.into_iter().map(chip).collect(),
            links: broken.into_iter().map(|(from, axis)| Link { from: chip(from), axis: Axis::ALL[axis] }).collect(),
        };
        let working = |at: Coord| {
            let outage = &outage;
            torus.neighbours(at).filter(move |step| {
                !outage.links.contains(&Torus::link_of(at, *step))
                    && !outage.chips.contains(&at)
                    && !outage.chips.contains(&step.to)
            })
        };
        let mut reached = BTreeSet::from([from]);
        let mut rim = vec![from];
        let mut hops = 0;
        while !reached.contains(&to) && !rim.is_empty() {
            rim = rim.iter().flat_map(|at| working(*at)).map(|step| step.to).filter(|next| reached.insert(*next)).collect();
            hops += 1;
        }
        let ends_work = !outage.chips.contains(&from) && !outage.chips.contains(&to);
        let network = Network::new(torus, outage.clone());
        match network.route(from, to) {
            Ok(Route { path, extra_hops, .. }) => {
                prop_assert_eq!(path.len(), hops + 1);
                prop_assert_eq!(extra_hops as usize, hops - torus.distance(from, to) as usize);
                for hop in path.windows(2) {
                    prop_assert!(working(hop[0]).any(|step| step.to == hop[1]));
                }
            }
            Err(_) => prop_assert!(!ends_work || !reached.contains(&to)),
        }
    }
}
