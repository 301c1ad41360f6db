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
        ("tpu7", _) => Some("a sibling label of tpu7x that the catalogue does not list by itself"),
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
        if !row["accelerator_type"].contains("xpk name") {
            assert_eq!(name, row["accelerator_type"].split(' ').next().unwrap(), "{what}");
        }
        assert!(parse_accelerator_type(Catalog::embedded(), &name).unwrap().shapes.contains(&shape), "{what}");
        // The two-machine form of an 8-chip slice is an alternative to the single machine that we name.
        if !row["accelerator_type"].contains("2 VMs") {
            let hosts = hosts(generation, shape);
            assert_eq!(hosts.n_hosts.to_string(), row["hosts"], "{what}");
            assert_eq!(hosts.block.n_chips().to_string(), row["chips_per_host"], "{what}");
            let machine = hosts.machine.as_ref();
            assert_eq!(machine.map_or("", |machine| &machine.name), row["machine_type"], "{what}");
            assert_eq!(machine.map_or("", |machine| &machine.gke_accelerator), row["gke_accelerator"], "{what}");
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
        let Some(torus) = common::graph_of(row) else { continue };
        let shape = torus.shape();
        let what = format!("{} {}", row["dims"], row["name"]);
        let number = |key: &str| row[key].parse::<f64>().unwrap();
        assert_near(torus.n_links() as f64, number("links_multigraph"), &what);
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
    assert!(compared > 40, "{compared}");
}

#[test]
fn chips_and_hosts_are_numbered_as_the_runtime_numbers_them() {
    let Some(rows) = oracle("tpu_device_coords.csv") else { return };
    let mut compared = 0;
    for row in &rows {
        let (name, shape) = row["topology"].split_once(':').unwrap();
        let Ok(generation) = Catalog::embedded().find(name) else { continue };
        let Ok(shape) = shape.parse::<Shape>() else { continue };
        if !row["options"].is_empty() && row["options"] != "chip_config_name=megacore" {
            continue;
        }
        let Ok(model) = SliceModel::new(generation, shape, Some(false)) else { continue };
        let number = |key: &str| row[key].parse::<usize>().unwrap();
        let chip = Coord::new(number("x") as u16, number("y") as u16, number("z") as u16);
        let per_chip = match row["options"].as_str() {
            "" if name == "v4" => 2,
            _ => generation.devices_per_chip.as_ref().unwrap().value as usize,
        };
        assert_eq!(shape.index_of(chip) * per_chip + number("core_on_chip"), number("device_id"), "{row:?}");
        // One machine of 8 chips is a choice of ours; the runtime's default is two of 4.
        if model.hosts.block.n_chips() != 8 {
            assert_eq!(model.host_of(chip), number("process_index"), "{row:?}");
        }
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn twists_and_host_counts_agree_with_the_runtime() {
    let Some(rows) = oracle("tpu_topologies.csv") else { return };
    let (mut n_twists, mut n_hosts) = (0, 0);
    for row in &rows {
        let Some((name, text)) = row["topology_name"].split_once(':') else { continue };
        let Ok(generation) = Catalog::embedded().find(name) else { continue };
        let Ok(shape) = text.trim_end_matches("_twisted").parse::<Shape>() else { continue };
        let Ok(legal) = check_shape(generation, shape) else { continue };
        let what = format!("{} {}", row["topology_name"], row["options"]);
        if text.ends_with("_twisted") && row["options"] == "wrap=[True, True, True]" {
            // The runtime's creation is laxer than the rules, so it may accept what we do not offer, never the reverse.
            assert!(row["status"] == "accepted" || legal.twistable == Twistable::Never, "{what}");
            n_twists += 1;
        } else if row["status"] == "accepted" && row["options"].is_empty() {
            let hosts = hosts(generation, shape);
            // One machine of 8 chips is a choice of ours; the runtime's default is two of 4.
            if hosts.block.n_chips() != 8 {
                assert_eq!(hosts.n_hosts.to_string(), row["processes"], "{what}");
            }
            assert_eq!(shape.n_chips().to_string(), row["chips"], "{what}");
            n_hosts += 1;
        }
    }
    assert!(n_twists > 40 && n_hosts > 60, "{n_twists} {n_hosts}");
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
