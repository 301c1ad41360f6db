//! What the TPU runtime makes of every name and option that was tried, row by row, where `PODIUM_ORACLE_DIR` names the
//! folder. A row that cannot agree has its reason here; none is passed over.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "tests")]

mod common;

use std::collections::BTreeMap;

use common::{Row, oracle};
use topology::chip::{Catalog, Generation};
use topology::name::Hosts;
use topology::rules::{SliceRule, Twistable, check_shape};
use topology::shape::{Coord, Shape};
use topology::slice::{SliceError, SliceModel};
use topology::slice_name::SliceName;

/// Why a row says something else than Podium.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Difference {
    /// The runtime takes any text and falls back to a small default; we say what is wrong.
    NoTopologyName,
    /// Capitals and blanks are understood here.
    StricterSpelling,
    /// No chip of the catalogue.
    UnknownGeneration,
    /// It stops, crashes or does not answer, for sizes of 0 and 64x64x64; we refuse the shape by rule.
    NoAnswer,
    /// Several slices in one: made, but it describes nothing.
    Multislice,
    /// It makes any shape that its hosts tile; the rules do not offer it.
    LaxShape,
    /// It twists shapes that the rules do not offer twisted.
    LaxTwist,
    /// Wrap links against the rule of the shape, as asked for.
    LaxWrap,
    /// Its plain name with wrap links means a plain torus; that of the platform table means a twisted one.
    PlainNameIsPlain,
    /// Two sizes stand for a slice of three axes.
    TwoSizesForThree,
}

/// Three numbers in a text such as "4x4x1" or "[2, 2, 1]".
fn numbers(text: &str) -> [u16; 3] {
    let parts = text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().unwrap()).collect::<Vec<u16>>().try_into().unwrap()
}

fn bounds(text: &str) -> Shape {
    Shape::from_sizes(&numbers(text)).unwrap()
}

fn option<'a>(row: &'a Row, name: &str) -> Option<&'a str> {
    row["options"].strip_prefix(name)?.strip_prefix('=')
}

/// One host of so many chips tiles the slice.
fn tiles(block: Shape, shape: Shape) -> bool {
    block.sizes3().iter().zip(shape.sizes3()).all(|(block, size)| size % block == 0)
}

/// Compares what a row says of sizes, hosts, cores, devices and memory, which holds for lax shapes too.
fn compare_sizes(row: &Row, generation: &Generation, shape: Shape) {
    let what = format!("{} {}", row["topology_name"], row["options"]);
    let number = |key: &str| row[key].parse::<usize>().unwrap();
    let n_chips = shape.n_chips();
    assert_eq!(n_chips, number("chips"), "{what}");
    assert_eq!(numbers(&row["chip_bounds"]), shape.sizes3(), "{what}");
    assert_eq!(numbers(&row["first_device_coords"]), [0; 3], "{what}");
    let last: [u16; 3] = shape.coord_of(n_chips - 1).into();
    assert_eq!(numbers(&row["last_device_coords"]), last, "{what}");
    let cores = generation.tensorcores_per_chip.as_ref().unwrap().value as usize;
    assert_eq!(cores, number("cores_per_chip"), "{what}");
    // Without megacore mode each core of v4 is a device; our figure is that of megacore mode, as JAX runs it.
    let devices = generation.devices_per_chip.as_ref().unwrap().value as usize;
    let expected = if generation.id.0 == "v4" && option(row, "chip_config_name").is_none() { cores } else { devices };
    assert_eq!(n_chips * expected, number("devices"), "{what}");
    let usable = generation.hbm_usable_bytes_per_device.as_ref().unwrap().value.get();
    let share = if expected == devices { 1.0 } else { 0.5 };
    let theirs = number("device_memory_bytes_limit") as f64;
    assert!((theirs / (usable * share) - 1.0).abs() < 0.01 || devices != expected, "{what}: {theirs} {usable}");
    let limited = generation.slice_rule.as_ref().unwrap().value.limits_reach(shape);
    assert_eq!(usize::from(limited), number("limited_ici"), "{what}");
    let block = bounds(&row["chips_per_process_bounds"]);
    assert!(tiles(block, shape), "{what}");
    assert_eq!(n_chips / block.n_chips(), number("processes"), "{what}");
    assert_eq!(block.n_chips(), number("chips_per_process"), "{what}");
}

/// What the runtime does with a slice that the rules offer, or why it may differ.
fn compare_legal(row: &Row, model: &SliceModel<'_>, asked: Option<bool>) -> Option<Difference> {
    let what = format!("{} {}", row["topology_name"], row["options"]);
    let shape = model.torus.shape();
    if row["status"] == "accepted" && option(row, "chips_per_host_bounds").is_none() && model.hosts.block.n_chips() != 8
    {
        // One machine of 8 chips is a choice of ours; the runtime's default is two of 4.
        assert_eq!(model.hosts.n_hosts.to_string(), row["processes"], "{what}");
        assert_eq!(model.hosts.block.sizes3(), numbers(&row["chips_per_process_bounds"]), "{what}");
    }
    let Some(wrap) = option(row, "wrap") else {
        // Creation without the option never wraps, so nothing is said of links.
        assert_eq!(row["status"], "accepted", "{what}");
        return None;
    };
    let theirs: Vec<bool> = wrap.trim_matches(['[', ']']).split(", ").map(|flag| flag == "True").collect();
    if theirs != model.legal.wrap {
        return Some(Difference::LaxWrap);
    }
    assert_eq!(row["status"], "accepted", "{what}");
    let twisted = row["twist"] == "1";
    if asked.is_none() && model.torus.is_twisted() && !twisted {
        return Some(Difference::PlainNameIsPlain);
    }
    assert_eq!(model.torus.is_twisted(), twisted, "{what} {shape}");
    None
}

/// Compares one row, or says why it cannot agree; panics where it should and does not.
fn compare(row: &Row) -> Option<Difference> {
    let what = format!("{} {}: {}", row["topology_name"], row["options"], row["status"]);
    let text = &row["topology_name"];
    if matches!(row["status"].as_str(), "crashed" | "no answer in 12 s") {
        let name: Result<SliceName, _> = text.parse();
        let refused = name.is_ok_and(|name| {
            let generation = Catalog::embedded().find(name.generation.as_deref().unwrap()).unwrap();
            check_shape(generation, name.shape).is_ok()
        });
        assert!(!refused, "{what}");
        return Some(Difference::NoAnswer);
    }
    let accepted = row["status"] == "accepted";
    let Ok(name) = text.parse::<SliceName>() else {
        return accepted.then_some(Difference::NoTopologyName);
    };
    let Some(generation) = name.generation.as_deref().and_then(|name| Catalog::embedded().find(name).ok()) else {
        return (accepted || name.generation.is_none()).then_some(Difference::UnknownGeneration);
    };
    if option(row, "num_slices").is_some_and(|n| n != "1") {
        return Some(Difference::Multislice);
    }
    if let Some(block) = option(row, "chips_per_host_bounds") {
        assert_eq!(tiles(bounds(block), name.shape), accepted, "{what}");
    }
    if accepted {
        compare_sizes(row, generation, name.shape);
    }
    match SliceModel::new(generation, name.shape, name.twist) {
        Ok(_) if !accepted && option(row, "wrap").is_none() && option(row, "chips_per_host_bounds").is_none() => {
            let strict = text.contains('X') || text.contains(": ") || text.ends_with(' ');
            assert!(strict, "{what}");
            Some(Difference::StricterSpelling)
        }
        // Wrap flags of another number than axes, or hosts that do not tile: refused, and no question of ours.
        Ok(_) if !accepted => {
            assert!(
                row["error"].contains("wrap must be") || row["error"].contains("not divisible"),
                "{what} {}",
                row["error"]
            );
            None
        }
        Ok(model) => compare_legal(row, &model, name.twist),
        Err(SliceError::NoTwist { .. }) => accepted.then_some(Difference::LaxTwist),
        Err(SliceError::Illegal(_)) if name.shape.rank() == 2 && generation.torus_dims() == Some(3) => {
            accepted.then_some(Difference::TwoSizesForThree)
        }
        Err(SliceError::Illegal(_)) => accepted.then_some(Difference::LaxShape),
    }
}

#[test]
fn every_name_and_option_agrees_with_the_runtime_or_says_why_not() {
    let Some(rows) = oracle("tpu_topologies.csv") else { return };
    let mut differences: BTreeMap<Difference, Vec<String>> = BTreeMap::new();
    for row in &rows {
        if let Some(difference) = compare(row) {
            let name = format!("{:?} {}", row["topology_name"], row["options"]);
            differences.entry(difference).or_default().push(name);
        }
    }
    let n_different: usize = differences.values().map(Vec::len).sum();
    for (difference, names) in &differences {
        eprintln!("{difference:?}: {} rows: {}", names.len(), names.join("; "));
    }
    assert!(rows.len() - n_different > 200, "{} of {} rows agree", rows.len() - n_different, rows.len());
}

/// The runtime's own numbering, for each of its host sizes, and the order of `jax.devices()`: host by host.
#[test]
fn chips_hosts_and_devices_are_numbered_as_the_runtime_numbers_them() {
    let Some(rows) = oracle("tpu_device_coords.csv") else { return };
    let mut tables: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        tables.entry((&row["topology"], &row["options"])).or_default().push(row);
    }
    for ((topology, options), rows) in tables {
        let name: SliceName = topology.parse().unwrap();
        let generation = Catalog::embedded().find(name.generation.as_deref().unwrap()).unwrap();
        let model = SliceModel::new(generation, name.shape, Some(false)).unwrap();
        let shape = name.shape;
        // One machine of 8 chips is a choice of ours; the runtime's default is two of 4.
        let block = match options.strip_prefix("chips_per_host_bounds=") {
            Some(block) => bounds(block),
            None if model.hosts.block.n_chips() == 8 => Shape::solid(2, 2, 1),
            None => model.hosts.block,
        };
        let hosts = Hosts { n_hosts: shape.n_chips() / block.n_chips(), block, machine: None };
        let cores = if options.is_empty() && generation.id.0 == "v4" {
            generation.tensorcores_per_chip.as_ref().unwrap().value
        } else {
            generation.devices_per_chip.as_ref().unwrap().value
        } as usize;
        let mut listed: Vec<(usize, usize, Coord, usize)> = Vec::new();
        for chip in shape.coords() {
            let id = shape.index_of(chip);
            listed.extend((0..cores).map(|core| (hosts.host_of(shape, chip), id * cores + core, chip, core)));
        }
        listed.sort_unstable();
        let mut seen = 0;
        for row in rows {
            let number = |key: &str| row[key].parse::<usize>().unwrap();
            let chip = Coord::new(number("x") as u16, number("y") as u16, number("z") as u16);
            let theirs = (number("process_index"), number("device_id"), chip, number("core_on_chip"));
            assert_eq!(listed[number("list_index")], theirs, "{topology} {options}");
            seen += 1;
        }
        assert!(seen > 0 && seen <= listed.len(), "{topology} {options}");
    }
}

/// The rule of the platform table: how many shapes wrap, and which are twisted by their plain name.
#[test]
fn no_rule_offers_a_twist_without_wrap_links() {
    for generation in &Catalog::embedded().generations {
        let Some(SliceRule::Cubes { twisted, twistable, .. }) = generation.slice_rule.as_ref().map(|rule| &rule.value)
        else {
            continue;
        };
        for shape in twisted.iter().chain(twistable) {
            let legal = check_shape(generation, *shape).unwrap();
            assert_eq!(legal.wrap, [true; 3], "{} {shape}", generation.name);
            assert_ne!(legal.twistable, Twistable::Never);
            assert!(SliceModel::new(generation, *shape, Some(true)).unwrap().torus.is_twisted());
        }
    }
}
