//! Small copies of published or exactly counted figures, which every run compares.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, missing_docs, reason = "tests")]

use topology::chip::{Catalog, Generation};
use topology::name::{AcceleratorType, BadAcceleratorType, accelerator_type, hosts, parse_accelerator_type};
use topology::rules::{check_shape, legal_shapes};
use topology::shape::{Coord, Shape};
use topology::slice::{SliceError, SliceFacts, SliceModel};
use topology::torus::Torus;
use topology::traffic::{CutMethod, bisection};

fn generation(name: &str) -> &'static Generation {
    Catalog::embedded().find(name).unwrap()
}

fn facts(name: &str, shape: &str, twist: Option<bool>) -> SliceFacts {
    SliceFacts::new(generation(name), shape.parse().unwrap(), twist).unwrap()
}

/// Generation, shape, twist, links, diameter, mean hops, bisection links, all-to-all rate per chip in link rates.
type Counted = (&'static str, &'static str, bool, usize, u32, f64, usize, f64);

/// Counted exactly by breadth-first search, with routes split evenly (2026-11-30).
const COUNTED: &[Counted] = &[
    ("v5e", "2x2", false, 4, 2, 1.3333, 2, 1.5),
    ("v5e", "2x4", false, 10, 4, 2.0, 2, 0.875),
    ("v5e", "4x4", false, 24, 6, 2.6667, 4, 0.7692),
    ("v5e", "4x8", false, 52, 10, 4.0, 4, 0.3946),
    ("v5e", "8x16", false, 240, 15, 6.6772, 16, 0.3808),
    ("v5e", "16x16", false, 512, 16, 8.0314, 32, 0.498),
    ("v5p", "2x2x4", false, 28, 5, 2.4, 4, 0.9375),
    ("v5p", "4x4x4", false, 192, 6, 3.0476, 32, 1.9688),
    ("v5p", "4x4x8", false, 384, 8, 4.0315, 32, 0.9922),
    ("v5p", "4x8x8", false, 768, 10, 5.0196, 64, 0.9961),
    ("v5p", "8x8x16", false, 3072, 16, 8.0078, 128, 0.4995),
    ("v5p", "16x20x28", false, 26880, 32, 16.0018, 640, 0.2857),
    ("tpu7x", "16x24x24", false, 27648, 32, 16.0017, 768, 0.3333),
    ("v5p", "4x4x8", true, 384, 6, 3.4646, 64, 1.7318),
    ("v5p", "8x8x16", true, 3072, 12, 6.9756, 256, 0.8601),
    ("v5p", "12x12x24", true, 10368, 18, 10.4822, 576, 0.5724),
    ("v5p", "4x8x8", true, 768, 6, 4.3294, 128, 1.3859),
    ("v5p", "8x16x16", true, 6144, 12, 8.723, 512, 0.6878),
];

#[test]
fn hops_cuts_and_loads_of_slices_are_the_counted_ones() {
    for &(name, shape, twist, links, diameter, mean, cut, rate) in COUNTED {
        let ours = facts(name, shape, Some(twist));
        assert_eq!(
            (ours.links, ours.diameter_hops, ours.bisection_links),
            (links, diameter, Some(cut)),
            "{name} {shape}"
        );
        assert!((ours.mean_hops - mean).abs() < 1e-4, "{name} {shape}: {}", ours.mean_hops);
        let link_rate = generation(name).ici_link_bytes_per_s.as_ref().unwrap().value;
        let ours = ours.all_to_all_bytes_per_s_per_chip.unwrap().ratio(link_rate).unwrap();
        assert!((ours - rate).abs() < 1e-4, "{name} {shape}: {ours}");
    }
}

#[test]
fn the_cut_of_every_plain_slice_is_proved_to_be_the_smallest() {
    for generation in &Catalog::embedded().generations {
        for legal in legal_shapes(generation).iter().filter(|legal| legal.shape.n_chips() > 1) {
            let cut = bisection(&Torus::plain(legal.shape, legal.wrap)).unwrap();
            assert_eq!(cut.method, CutMethod::Exact, "{} {}", generation.name, legal.shape);
        }
    }
    assert_eq!(facts("v5p", "4x4x8", Some(true)).bisection_method, Some(CutMethod::Bound));
    let odd = bisection(&Torus::plain(Shape::flat(2, 5), [false; 3])).unwrap();
    assert_eq!((odd.links, odd.method), (5, CutMethod::Bound), "a crooked cut has 3");
}

#[test]
fn published_pod_rates_come_out() {
    // Bisection in GB/s, one direction: IEEE Micro 46(4), 2026, arXiv:2606.15870 (v2 to tpu7x); Cloud documents of v5e
    // and v6e, which also give the all-reduce rate of a pod in TB/s.
    let pods = [
        ("v2", 1_984.0, None),
        ("v3", 4_480.0, None),
        ("v4", 25_600.0, None),
        ("v5e", 1_600.0, Some(51.2)),
        ("v6e", 3_200.0, Some(102.4)),
        ("v5p", 64_000.0, None),
        ("tpu7x", 76_800.0, None),
    ];
    for (name, bisection_gb, all_reduce_tb) in pods {
        let pod = generation(name).pod_shape.as_ref().unwrap().value;
        let ours = facts(name, &pod.to_string(), Some(false));
        assert_eq!(ours.bisection_bytes_per_s.unwrap().get(), bisection_gb * 1e9, "{name}");
        if let Some(tb) = all_reduce_tb {
            let pod_rate = ours.all_reduce_bytes_per_s_per_chip.unwrap().get() * ours.chips as f64;
            assert!((pod_rate - tb * 1e12).abs() < 1.0, "{name}: {pod_rate}");
        }
    }
}

/// Generation, accelerator type, GKE label, machine type, shape, hosts. Sources: xpk `system_characteristics.py`
/// @367c838, `MaxText` `accelerator_to_spec_map.py` @e591f30.
const NAMES: &[(&str, &str, &str, &str, &str, usize)] = &[
    ("v3", "v3-8", "tpu-v3-device", "ct3-hightpu-4t", "2x2", 1),
    ("v3", "v3-2048", "tpu-v3-slice", "ct3p-hightpu-4t", "32x32", 256),
    ("v4", "v4-8", "tpu-v4-podslice", "ct4p-hightpu-4t", "2x2x1", 1),
    ("v4", "v4-4096", "tpu-v4-podslice", "ct4p-hightpu-4t", "8x16x16", 512),
    ("v5e", "v5litepod-1", "tpu-v5-lite-podslice", "ct5lp-hightpu-1t", "1x1", 1),
    ("v5e", "v5litepod-8", "tpu-v5-lite-podslice", "ct5lp-hightpu-8t", "2x4", 1),
    ("v5e", "v5litepod-256", "tpu-v5-lite-podslice", "ct5lp-hightpu-4t", "16x16", 64),
    ("v5p", "v5p-128", "tpu-v5p-slice", "ct5p-hightpu-4t", "4x4x4", 16),
    ("v5p", "v5p-12288", "tpu-v5p-slice", "ct5p-hightpu-4t", "16x16x24", 1536),
    ("v6e", "v6e-16", "tpu-v6e-slice", "ct6e-standard-4t", "4x4", 4),
    ("tpu7x", "tpu7x-2", "tpu7x", "tpu7x-standard-1t", "1x1x1", 1),
    ("tpu7x", "tpu7x-18432", "tpu7x", "tpu7x-standard-4t", "16x24x24", 2304),
];

#[test]
fn slices_have_their_published_names_machines_and_hosts() {
    for &(name, accelerator, gke, machine, shape, n_hosts) in NAMES {
        let shape: Shape = shape.parse().unwrap();
        let hosts = hosts(generation(name), shape);
        let ours = hosts.machine.unwrap();
        assert_eq!(accelerator_type(generation(name), shape).as_deref(), Some(accelerator));
        assert_eq!((ours.gke_accelerator.as_str(), ours.name.as_str()), (gke, machine), "{accelerator}");
        assert_eq!(hosts.n_hosts, n_hosts, "{accelerator}");
    }
}

fn parse(text: &str) -> Result<AcceleratorType<'static>, BadAcceleratorType> {
    parse_accelerator_type(Catalog::embedded(), text)
}

#[test]
fn an_accelerator_type_gives_every_shape_that_it_may_mean() {
    // https://github.com/AI-Hypercomputer/xpk/pull/525: several shapes share one type; none may be chosen silently.
    assert_eq!(parse("tpu7x-18432").unwrap().shapes.len(), 16);
    assert_eq!(parse("v5p-4352").unwrap().n_chips, 2176);
    assert_eq!(parse("v5p-128").unwrap().shapes, [Shape::solid(4, 4, 4)]);
    assert_eq!(parse("v5e-16").unwrap().shapes, [Shape::flat(4, 4)]);
    // https://github.com/vllm-project/tpu-inference/pull/1266: the number counts cores, not chips.
    assert_eq!(parse("tpu7x-8").unwrap().n_chips, 4);
}

#[test]
fn a_text_that_is_no_accelerator_type_says_why() {
    let message = |text| parse(text).unwrap_err().to_string();
    assert!(message("v5p").contains("write a generation, a hyphen and a number"));
    assert!(message("v5p-").contains("write a generation"));
    assert!(message("v5p-99999999999").contains("write a generation"));
    assert!(message("h100-8").starts_with("there is no chip generation \"h100\""));
    assert_eq!(
        message("v5p-127"),
        "TPU v5p has no slice of type \"v5p-127\": the number counts TensorCores and no legal slice has so many"
    );
}

#[test]
fn one_chip_is_a_slice_without_links() {
    // https://github.com/AI-Hypercomputer/xpk/pull/595
    for (name, shape) in [("v6e", "1x1"), ("tpu7x", "1x1x1")] {
        let ours = facts(name, shape, None);
        assert_eq!((ours.chips, ours.hosts, ours.links, ours.diameter_hops), (1, 1, 0, 0), "{name}");
        assert!(ours.wrap.iter().all(|wraps| !wraps) && ours.bisection_links.is_none());
        assert_eq!(ours.all_to_all_bytes_per_s_per_chip, None, "one chip has nobody to send to");
    }
}

#[test]
fn the_plain_name_of_a_twistable_shape_means_twisted() {
    let ours = facts("v5p", "8x8x16", None);
    assert!(
        ours.twisted && ours.warnings.iter().any(|warning| warning.contains("taken as twisted")),
        "{:?}",
        ours.warnings
    );
    assert!(!facts("v5p", "8x8x16", Some(false)).twisted);
    assert!(!facts("tpu7x", "4x8x16", None).twisted);
    let asked = |name, shape: &str| SliceFacts::new(generation(name), shape.parse().unwrap(), Some(true)).unwrap_err();
    let assumed = facts("tpu7x", "4x8x16", Some(true));
    assert!(assumed.twisted && assumed.warnings.iter().any(|warning| warning.starts_with("ASSUMED TWIST")));
    assert!(!ours.warnings.iter().any(|warning| warning.contains("ASSUMED TWIST")), "{:?}", ours.warnings);
    assert!(matches!(asked("v5p", "8x8x8"), SliceError::NoTwist { .. }));
}

#[test]
fn what_is_not_known_is_absent_and_said() {
    let boardfly = SliceFacts::new(generation("tpu8i"), Shape::solid(4, 4, 4), None).unwrap_err();
    assert!(boardfly.to_string().contains("no source says which slices this generation has"));
    let assumed = facts("tpu8t", "20x20x24", None);
    assert!(assumed.warnings.iter().any(|warning| warning.contains("assumption")), "{:?}", assumed.warnings);
    assert_eq!((assumed.accelerator_type, assumed.machine_type, assumed.usd_per_hour), (None, None, None));
    let large = facts("v5p", "16x20x28", None);
    assert!(large.warnings.iter().any(|warning| warning.contains("at most 6144 chips")));
    let price = facts("tpu7x", "4x4x4", None);
    assert!(price.warnings.iter().any(|warning| warning.contains("The price is unverified")), "{:?}", price.warnings);
}

/// The one slice that one machine or two can hold.
#[test]
fn a_slice_that_two_machines_could_hold_as_well_says_so() {
    let says = |shape| facts("v6e", shape, None).warnings.iter().any(|warning| warning.contains("has two hosts"));
    assert!(says("2x4") && !says("2x2") && !says("4x4"));
    assert_eq!(facts("v6e", "2x4", None).hosts, 1);
}

#[test]
fn hosts_and_chips_are_numbered_row_by_row() {
    let model = SliceModel::new(generation("v5p"), Shape::solid(4, 4, 4), None).unwrap();
    let host = |x, y, z| model.host_of(Coord::new(x, y, z));
    assert_eq!(
        [host(0, 0, 0), host(1, 1, 0), host(2, 0, 0), host(0, 2, 0), host(0, 0, 1), host(3, 3, 3)],
        [0, 0, 1, 2, 4, 15]
    );
}

#[test]
fn a_large_v5e_slice_reaches_directly_only_along_an_axis() {
    let model = |name, x, y| SliceModel::new(generation(name), Shape::flat(x, y), None).unwrap();
    let reached = |model: &SliceModel<'_>, x, y| model.reaches_directly(Coord::default(), Coord::new(x, y, 0));
    let large = model("v5e", 8, 16);
    assert!(reached(&large, 4, 0) && reached(&large, 0, 8) && reached(&large, 0, 15) && reached(&large, 0, 0));
    assert!(!reached(&large, 3, 0) && !reached(&large, 1, 1) && !reached(&large, 0, 13));
    assert!(reached(&model("v5e", 4, 4), 3, 3) && reached(&model("v6e", 8, 16), 3, 5));
}

#[test]
fn prices_and_peaks_grow_with_the_chips() {
    let ours = facts("v5p", "4x4x4", None);
    assert_eq!(ours.usd_per_hour.unwrap().get(), 64.0 * 4.2);
    assert_eq!(ours.peak_bf16_flop_per_s.unwrap().get(), 64.0 * 459e12);
    assert!(check_shape(generation("v5p"), ours.shape).is_ok());
}

#[test]
fn every_legal_slice_of_every_generation_has_consistent_facts() {
    for generation in &Catalog::embedded().generations {
        for legal in legal_shapes(generation).iter().filter(|legal| legal.shape.n_chips() > 1) {
            let ours = SliceFacts::new(generation, legal.shape, None).unwrap();
            let what = format!("{} {}", generation.name, legal.shape);
            let blocks = hosts(generation, legal.shape);
            assert_eq!(ours.chips, ours.hosts * blocks.block.n_chips(), "{what}");
            assert_eq!(ours.cubes.is_some_and(|n| n > 0), ours.wrap.len() == 3 && ours.wrap[0], "{what}");
            assert!(ours.mean_hops >= 1.0 && ours.mean_hops <= f64::from(ours.diameter_hops), "{what}");
            // Nobody sends to all faster than over all the links of a chip.
            let most = generation.ici_links.as_ref().unwrap().value;
            let link = generation.ici_link_bytes_per_s.as_ref().unwrap().value;
            let rate = ours.all_to_all_bytes_per_s_per_chip.unwrap();
            assert!(rate.get() <= link.get() * f64::from(most), "{what}");
            assert!(ours.all_reduce_bytes_per_s_per_chip.unwrap().get() <= link.get() * f64::from(most), "{what}");
        }
    }
}
