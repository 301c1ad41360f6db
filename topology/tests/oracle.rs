//! Whole tables of expected values, compared where `PODIUM_ORACLE_DIR` names their folder.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "tests")]

mod common;

use common::{Row, assert_near, oracle, wrap};
use topology::chip::Catalog;
use topology::name::{accelerator_type, hosts, parse_accelerator_type};
use topology::rules::{Twistable, check_shape};
use topology::shape::{Coord, Shape};
use topology::slice::{SliceModel, n_cubes};
use topology::torus::Torus;
use topology::traffic::{CutMethod, all_to_all_load, bisection, hops};

/// Rows where the table and the platform table disagree, or that are no slice of the catalogue.
fn exception(row: &Row) -> Option<&'static str> {
    match (row["generation"].as_str(), row["topology"].as_str()) {
        ("v2", "8x16") => Some("wrap: the row is derived, the platform table wraps the axis of 16"),
        ("v3", "16x32") => Some("wrap: partial slices are unconfirmed, the platform table wraps the axis of 32"),
        ("tpu8t" | "tpu8i", _) => Some("size of the pod only, no slices are published"),
        _ => None,
    }
}

#[test]
fn every_listed_slice_is_legal_and_has_the_listed_names_hosts_and_wrap() {
    let Some(rows) = oracle("../facts/slices.csv") else { return };
    let mut compared = 0;
    for row in &rows {
        if let Some(reason) = exception(row) {
            eprintln!("not compared: {} {}: {reason}", row["generation"], row["topology"]);
            continue;
        }
        let what = format!("{} {}", row["generation"], row["accelerator_type"]);
        let generation = Catalog::embedded().find(&row["generation"]).unwrap();
        let shape: Shape = row["topology"].parse().unwrap();
        let legal = check_shape(generation, shape).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(legal.wrap, wrap(&row["wraparound_axes"]), "{what}");
        assert_eq!(shape.n_chips().to_string(), row["chips"], "{what}");
        assert_eq!(n_cubes(shape).map_or(String::new(), |n| n.to_string()), row["cubes"], "{what}");
        let cores = generation.tensorcores_per_chip.as_ref().unwrap().value as usize;
        assert_eq!((shape.n_chips() * cores).to_string(), row["tensorcores"], "{what}");
        let eligible = matches!(row["twist_eligible"].as_str(), "k*k*2k" | "k*2k*2k");
        assert_eq!(legal.twistable == Twistable::ByDefault, eligible, "{what}");
        let name = accelerator_type(generation, shape).unwrap();
        // The label tpu7 is a sibling of tpu7x: the same slices under names that the catalogue does not give.
        let is_sibling = row["generation"] == "tpu7";
        if !row["accelerator_type"].contains("xpk name") && !is_sibling {
            assert_eq!(name, row["accelerator_type"].split(' ').next().unwrap(), "{what}");
        }
        assert!(parse_accelerator_type(Catalog::embedded(), &name).unwrap().shapes.contains(&shape), "{what}");
        // The two-machine form of an 8-chip slice is an alternative to the single machine that we name.
        if !row["accelerator_type"].contains("2 VMs") {
            let hosts = hosts(generation, shape);
            assert_eq!(hosts.n_hosts.to_string(), row["hosts"], "{what}");
            assert_eq!(hosts.block.n_chips().to_string(), row["chips_per_host"], "{what}");
            let machine = hosts.machine.as_ref();
            let names = [machine.map_or("", |m| &m.name), machine.map_or("", |m| &m.gke_accelerator)];
            assert!(
                is_sibling || names == [&row["machine_type"], &row["gke_accelerator"]].map(String::as_str),
                "{what}"
            );
        }
        compared += 1;
    }
    assert!(compared > 400, "{compared}");
}

#[test]
fn hops_cuts_and_loads_agree_with_exact_counting() {
    let Some(rows) = oracle("../facts/topology_metrics.csv") else { return };
    for row in &rows {
        let shape: Shape = row["topology"].parse().unwrap();
        let torus = match row["kind"].as_str() {
            "regular" => Torus::plain(shape, wrap(&row["wrap"])),
            _ => Torus::twisted(shape).unwrap(),
        };
        let what = format!("{} {}", row["topology"], row["kind"]);
        let number = |key: &str| row[key].parse::<f64>().unwrap();
        assert_near(torus.n_links() as f64, number("links"), &what);
        let hops = hops(&torus);
        assert_near(f64::from(hops.diameter), number("diameter_hops"), &what);
        assert_near(hops.mean, number("avg_hops"), &what);
        if !row["regular_bisection_links"].is_empty() {
            assert_near(bisection(&torus).unwrap().links as f64, number("regular_bisection_links"), &what);
        }
        let load = all_to_all_load(&torus).unwrap();
        assert_near(load, number("a2a_max_link_load"), &what);
        let rate = (shape.n_chips() as f64 - 1.0) / load;
        assert_near(rate, number("a2a_per_chip_throughput_in_one_way_link_rates"), &what);
    }
}

#[test]
fn graphs_agree_with_brute_force() {
    let Some(rows) = oracle("graphs.csv") else { return };
    let mut compared = 0;
    for row in &rows {
        let torus = common::graph_of(row);
        let shape = torus.shape();
        let what = format!("{} {}", row["dims"], row["name"]);
        let number = |key: &str| row[key].parse::<f64>().unwrap();
        assert_near(torus.n_links() as f64, number("links_multigraph"), &what);
        let mean_load = shape.n_chips() as f64 * (shape.n_chips() as f64 - 1.0) * hops(&torus).mean;
        if !row["mean_directed_link_load_uniform"].is_empty() {
            let ours = mean_load / (2 * torus.n_links()) as f64;
            assert_near(ours, number("mean_directed_link_load_uniform"), &what);
        }
        let hops = hops(&torus);
        assert_near(f64::from(hops.diameter), number("diameter"), &what);
        assert_near(hops.mean, number("avg_distance_excl_self"), &what);
        let mut histogram = vec![0_usize; 1];
        for chip in shape.coords() {
            let distance = torus.distance(Coord::default(), chip) as usize;
            histogram.resize(histogram.len().max(distance + 1), 0);
            histogram[distance] += 1;
        }
        let histogram: Vec<String> = histogram.iter().map(usize::to_string).collect();
        if !row["distance_histogram_from_node0"].is_empty() {
            assert_eq!(histogram.join(" "), row["distance_histogram_from_node0"], "{what}");
        }
        if !row["max_link_load_uniform_ecmp"].is_empty() {
            assert_near(all_to_all_load(&torus).unwrap(), number("max_link_load_uniform_ecmp"), &what);
        }
        if let Some(cut) = bisection(&torus) {
            assert_near(cut.links as f64, number("plane_cut_links_min"), &what);
            let lower = row["bisection_lower_bound_spectral"].parse().unwrap_or(0.0);
            assert!(cut.links as f64 + 0.01 >= lower, "{what}");
            if let (CutMethod::Exact, Ok(found)) = (cut.method, row["bisection_upper_bound_found"].parse::<f64>()) {
                assert!(cut.links as f64 <= found, "{what}: a search found a smaller cut");
            }
        }
        compared += 1;
    }
    assert_eq!(compared, rows.len(), "every row");
}

#[test]
fn direct_reach_agrees_with_the_runtime() {
    let Some(rows) = oracle("tpu_limited_ici_reach.csv") else { return };
    for row in &rows {
        let (name, shape) = row["topology"].split_once(':').unwrap();
        let model = SliceModel::new(Catalog::embedded().find(name).unwrap(), shape.parse().unwrap(), None).unwrap();
        let to = Coord::new(row["dx"].parse().unwrap(), row["dy"].parse().unwrap(), 0);
        let theirs = row["ordered_pairs_reachable"] != "0";
        assert_eq!(model.reaches_directly(Coord::default(), to), theirs, "{row:?}");
    }
}
