//! Commands answer with the promised keys, the right figures, and text that a person can read.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use app::cli::failure::Status;
use clap::CommandFactory as _;
use expect_test::{Expect, expect};
use looks::command_line::podium;
use serde_json::Value;

/// The answer as text.
fn check(arguments: &str, expected: &Expect) {
    let ran = podium(&arguments.split(' ').collect::<Vec<_>>());
    assert_eq!((ran.status, ran.err.as_str()), (Status::Done, ""), "{arguments}");
    expected.assert_eq(&ran.out);
}

/// The answer as JSON, which names its schema and command.
fn json(arguments: &str) -> Value {
    let mut words: Vec<&str> = arguments.split(' ').collect();
    words.push("--json");
    let ran = podium(&words);
    assert_eq!((ran.status, ran.err.as_str()), (Status::Done, ""), "{arguments}");
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&answer["schema"], &answer["command"]), (&1.into(), &words[0].into()));
    answer
}

/// Protects scripts: keys may be added, never renamed.
fn has_keys(answer: &Value, keys: &str) {
    for key in keys.split_whitespace() {
        assert!(answer.get(key).is_some(), "the key {key} is missing in {answer}");
    }
}

#[test]
fn every_command_has_its_promised_keys() {
    let chips = json("chips");
    assert_eq!(chips["generations"].as_array().unwrap().len(), 9);
    has_keys(
        &chips["generations"][4],
        "id name peak_bf16_flop_per_s peak_int8_flop_per_s peak_fp8_flop_per_s hbm_bytes hbm_bytes_per_s vmem_bytes \
         ici_links ici_link_bytes_per_s torus_dims pod_shape pod_chips devices_per_chip chips_per_host mxu_dim tdp_watt \
         usd_per_chip_hour sources",
    );
    has_keys(
        &json("slice v5p 4x4x8"),
        "generation shape twisted chips hosts cubes tensorcores devices accelerator_type machine_type gke_accelerator wrap links \
         diameter_hops mean_hops bisection_links bisection_bytes_per_s all_to_all_bytes_per_s_per_chip \
         all_reduce_bytes_per_s_per_chip peak_bf16_flop_per_s hbm_bytes usd_per_hour warnings",
    );
    has_keys(&json("slices v5p --chips 128")["slices"][0], "shape chips hosts accelerator_type wrap");
    has_keys(&json("coords v5e 2x4")["chips"][0], "id x y z host neighbours");
    has_keys(&json("route v5e 2x4 0,0 1,3"), "path hops reachable kind extra_hops shortest_routes next failed");
    has_keys(
        &json("matmul --chip v6e -m 8 -k 8 -n 8"),
        "seconds seconds_low seconds_high flop hbm_bytes bound achieved_flop_per_s",
    );
    has_keys(&json("matmul --array 8x8 -m 8 -k 8 -n 8"), "cycles folds mapping_fraction utilization_fraction flop");
    let shard = shard(&["--links"]);
    has_keys(
        &shard,
        "case cases collectives compute_seconds exposed_seconds seconds seconds_low seconds_high bound alternatives \
         explain notes memory_bytes_per_chip hbm_bytes_per_chip fits links failed",
    );
    has_keys(&shard["collectives"][0], "kind axis bytes seconds array group_chips overlaps from to");
    has_keys(&shard["links"][0], "x y z axis sign bytes");
    let validate = json("validate --rows");
    has_keys(
        &validate["groups"][0],
        "table name rows within mape_fraction max_fraction null_model_mape_fraction gate_fraction passed",
    );
    has_keys(&validate["rows"][0], "id group published model unit error_fraction tolerance_fraction within source");
    has_keys(&validate, "not_modelled excluded stale output");
    let bench = podium(&["bench", "--json"]);
    assert_eq!(bench.err, "frame…\n", "progress does not mix with the answer");
    has_keys(&serde_json::from_str::<Value>(&bench.out).unwrap()["rows"][0], "name value unit");
}

/// A sharded product whose summed dimension lies on both operands; its arguments hold blanks.
fn shard(more: &[&str]) -> Value {
    let product = "A[I,J_x] . B[J_x,K] -> C[I,K]";
    let fixed = ["shard", product, "--size", "I=64,J=64,K=64", "--slice", "v5p:4x4x4", "--axes", "x=x", "--json"];
    serde_json::from_str(&podium(&[&fixed[..], more].concat()).out).unwrap()
}

/// Protects the sharded product on the command line: executed and right, slower where a link is lost, refused where a
/// chip is.
#[test]
fn a_sharded_product_is_answered_executed_and_broken() {
    let whole = shard(&["--execute"]);
    has_keys(&whole, "max_abs_error max_rel_error checked_elements");
    assert_eq!((&whole["case"], &whole["within_bound"]), (&3.into(), &true.into()));
    assert_eq!(whole["checked_elements"], 64 * 64 * 64, "on every chip");
    let broken = shard(&["--fail", "link:0,0,0:x"]);
    assert!(broken["seconds"].as_f64() > whole["seconds"].as_f64(), "{broken}");
    let detoured = shard(&["--fail", "link:0,0,0:x", "--execute", "--links"]);
    assert_eq!((&detoured["within_bound"], &detoured["checked_elements"]), (&true.into(), &whole["checked_elements"]));
    let is_lost = |link: &Value| ["x", "y", "z"].iter().all(|axis| link[axis] == 0) && link["axis"] == "x";
    let crossed = detoured["links"].as_array().unwrap().iter().filter(|link| is_lost(link));
    assert!(crossed.into_iter().all(|link| link["sign"] == "-"), "nothing leaves over the lost link: {detoured}");
    assert_eq!(shard(&["--fail", "chip:0,0,0"])["error"]["kind"], "broken_slice");
    assert_eq!(shard(&["--fail", "chip:0,0,0", "--execute"])["error"]["kind"], "broken_slice");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let path = path.to_str().unwrap();
    let traced = shard(&["--trace", path]);
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(trace["otherData"]["seconds"], traced["seconds"]);
    assert_eq!(shard(&["--trace", path])["error"]["kind"], "exists", "nothing is replaced unasked");
    json(&format!("matmul --chip v6e -m 8 -k 8 -n 8 --trace {path} --force"));
    assert!(std::fs::read_to_string(path).unwrap().contains("\"MXU\""));
}

/// Really done, on a small product, and the same for the same seed.
#[test]
fn a_product_is_executed_and_checked() {
    let answer = json("matmul --chip v6e -m 100 -k 70 -n 130 --execute --seed 3");
    has_keys(&answer, "max_abs_error max_rel_error checked_elements seconds");
    assert_eq!((&answer["checked_elements"], &answer["within_bound"]), (&13_000.into(), &true.into()));
    assert!(answer["max_rel_error"].as_f64().unwrap() <= answer["rel_error_bound"].as_f64().unwrap());
    assert_ne!(answer["max_abs_error"], json("matmul --chip v6e -m 100 -k 70 -n 130 --execute")["max_abs_error"]);
    let exact = json("matmul --array 32x32 -m 100 -k 70 -n 130 --dtype int8 --execute");
    assert_eq!(exact["max_abs_error"], 0.0, "whole numbers are exact");
    for flow in ["ws", "os", "is"] {
        let answer = json(&format!("matmul --array 16x8 --dataflow {flow} -m 33 -k 70 -n 19 --dtype int4 --execute"));
        assert_eq!((&answer["max_abs_error"], &answer["checked_elements"]), (&0.0.into(), &627.into()));
        assert_eq!(answer["executed_on"], format!("16x8 {flow}"));
    }
    check(
        "matmul --array 8x8 -m 64 -k 64 -n 64 --execute --dtype int8",
        &expect![[r#"
            product             64 x 64 x 64 int8
            arithmetic          524 kFLOP
            array               8x8 ws, loaded before-each-fold
            cycles              5503
            folds               64
            mapping             100.0 %
            utilization         74.4 %
            executed on         8x8 ws, seed 0
            result              right: 4096 elements checked (all elements)
            largest difference  0.000e0
            relative error      0.000e0 of Σ|a·b|; rounding allows 0.000e0
            within bound        yes
        "#]],
    );
}

/// Protects the difference between "no" and "not known".
#[test]
fn what_is_not_known_is_null() {
    let chips = json("chips tpu8i");
    assert_eq!(chips["generations"][0]["pod_shape"], Value::Null);
    assert_eq!(chips["generations"][0]["torus_dims"], Value::Null);
}

#[test]
fn a_slice_as_text() {
    check(
        "slice v5p 4x4x4",
        &expect![[r#"
            slice               v5p 4x4x4
            chips               64
            hosts               16
            cubes               1
            TensorCores         128
            JAX devices         64
            accelerator type    v5p-128
            machine type        ct5p-hightpu-4t
            GKE accelerator     tpu-v5p-slice
            wraps along         x, y, z
            links               192
            diameter            6 hops
            mean distance       3.048 hops
            bisection           32 links
            bisection rate      3.20 TB/s
            all-to-all, a chip  197 GB/s
            all-reduce, a chip  600 GB/s
            bf16 peak           29.4 PFLOP/s
            HBM                 5.94 TiB
            price               $268.80/h
        "#]],
    );
    check(
        "slice v6e 8x16",
        &expect![[r#"
            slice               v6e 8x16
            chips               128
            hosts               32
            cubes               —
            TensorCores         128
            JAX devices         128
            accelerator type    v6e-128
            machine type        ct6e-standard-4t
            GKE accelerator     tpu-v6e-slice
            wraps along         y
            links               240
            diameter            15 hops
            mean distance       6.677 hops
            bisection           16 links
            bisection rate      1.60 TB/s
            all-to-all, a chip  38.1 GB/s
            all-reduce, a chip  300 GB/s
            bf16 peak           118 PFLOP/s
            HBM                 4 TiB
            price               $345.60/h
        "#]],
    );
}

/// A slice may be written as the runtime, gcloud and Pathways write it.
#[test]
fn a_slice_is_understood_in_every_spelling() {
    let twisted = |arguments: &str| json(arguments)["twisted"].as_bool().unwrap();
    assert!(twisted("slice v5p 4x4x8_twisted") && twisted("slice v5p 4x4x8") && twisted("slice v5p v5p:4x4x8"));
    assert!(!twisted("slice v5p 4x4x8_untwisted") && !twisted("slice v5p tpuv5:4x4x8_untwisted --no-twist"));
    assert!(!twisted("coords tpu7x TPU7x:4x4x8_untwisted"));
    assert_eq!(json("slice v3 v3:4x2")["hosts"], 2);
    assert_eq!(json("route v4 v4:4x4x8_untwisted 0,0,0 0,0,4")["hops"], 4);
    assert_eq!(json("slice v5p-256 4x4x8")["chips"], 128);
}

/// No source gives the offsets of these twists: they are computed, and the answer says loudly on what.
#[test]
fn an_assumed_twist_is_computed_with_a_loud_warning() {
    for (shape, diameter) in [("4x8x16", 12), ("4x8x32", 20), ("4x8x64", 36), ("8x16x32", 24), ("8x16x64", 40)] {
        let slice = json(&format!("slice tpu7x {shape} --twist"));
        assert_eq!((&slice["twisted"], &slice["diameter_hops"]), (&true.into(), &diameter.into()), "{shape}");
        let warnings: Vec<&str> = slice["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(warnings.iter().any(|warning| warning.starts_with("ASSUMED TWIST")), "{warnings:?}");
        assert!(!json(&format!("slice tpu7x {shape}"))["twisted"].as_bool().unwrap(), "only on request");
    }
    // The wrap along x comes back half of y further, that along y and z where it started.
    let chips = json("coords tpu7x 4x8x16 --twist")["chips"].clone();
    let wrap = |id: usize, axis: &str| {
        let neighbours = chips[id]["neighbours"].as_array().unwrap().clone();
        let step = neighbours.iter().find(|n| n["axis"] == axis && n["sign"] == "-").unwrap().clone();
        (step["id"].as_u64().unwrap(), step["wraps"].as_bool().unwrap())
    };
    assert_eq!(wrap(0, "x"), (3 + 4 * 4, true));
    assert_eq!(wrap(0, "y"), (4 * 7, true));
    assert_eq!(wrap(0, "z"), (32 * 15, true));
}

/// A type name does not say the shape: all are listed, by the name or by the chips.
#[test]
fn an_ambiguous_type_lists_all_its_shapes() {
    let by_chips = json("slices tpu7x --chips 9216")["slices"].clone();
    assert_eq!(by_chips.as_array().unwrap().len(), 16);
    assert_eq!(json("slices tpu7x-18432")["slices"], by_chips);
    assert_eq!(json("slices v5litepod-16")["slices"][0]["shape"], "4x4");
}

/// Neighbours of a chip in the order of the axes, each with its sign, in meshes, tori and twisted tori.
#[test]
fn neighbours_are_told_by_axis_and_sign() {
    let of = |arguments: &str, id: usize| -> String {
        let chips = json(arguments)["chips"].clone();
        let told = |n: &Value| {
            let wraps = if n["wraps"] == true { "*" } else { "" };
            format!("{}{}{}{wraps}", n["axis"].as_str().unwrap(), n["sign"].as_str().unwrap(), n["id"])
        };
        chips[id]["neighbours"].as_array().unwrap().iter().map(told).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of("coords v6e 2x2", 0), "x+1 y+2");
    assert_eq!(of("coords v6e 8x16", 0), "x+1 y+8 y-120*");
    assert_eq!(of("coords v4 4x4x4", 0), "x+1 x-3* y+4 y-12* z+16 z-48*");
    assert_eq!(of("coords v4 4x4x8", 0), "x+1 x-67* y+4 y-76* z+16 z-112*");
    assert_eq!(of("coords v5p 4x8x8", 0), "x+1 x-147* y+4 y-28* z+32 z-224*");
    assert_eq!(of("coords tpu7x 1x1x1", 0), "");
}

#[test]
fn slices_of_one_size_as_text() {
    check(
        "slices v5p --chips 256",
        &expect![[r#"
        shape   chips  hosts  accelerator type  machine type     wraps  twist            $/h
        4x4x16    256     64  v5p-512           ct5p-hightpu-4t  xyz    never       1,075.20
        4x8x8     256     64  v5p-512           ct5p-hightpu-4t  xyz    by default  1,075.20
    "#]],
    );
}

/// That a pod holds shapes which one job does not get is noted, as `podium slice` does.
#[test]
fn slices_beyond_one_job_are_noted() {
    let ran = podium(&["slices", "v5p", "--chips", "8960"]);
    assert!(
        ran.out.ends_with("note: One job is documented to get at most 6144 chips; larger ones only fit the pod\n"),
        "{}",
        ran.out
    );
    assert!(!podium(&["slices", "v5p", "--chips", "6144"]).out.contains("note:"));
    assert_eq!(json("slices v5p --chips 8960")["max_job_chips"], 6144);
}

#[test]
fn chips_in_device_order_as_text() {
    check(
        "coords v5e 2x4",
        &expect![[r#"
        id  x  y  z  host  neighbours
        0   0  0  0     0  x+:1 y+:2
        1   1  0  0     0  x-:0 y+:3
        2   0  1  0     0  x+:3 y+:4 y-:0
        3   1  1  0     0  x-:2 y+:5 y-:1
        4   0  2  0     0  x+:5 y+:6 y-:2
        5   1  2  0     0  x-:4 y+:7 y-:3
        6   0  3  0     0  x+:7 y-:4
        7   1  3  0     0  x-:6 y-:5
    "#]],
    );
}

/// Which torus axis carries which axis of a program, and what its rings cost.
#[test]
fn a_mesh_says_which_torus_axes_carry_it() {
    check(
        "coords v5p 4x4x4 --mesh 4x16",
        &expect![[r#"
        axis  size  carried by  farthest  long edges
        0        4  z 4           1 hops     0 of 64
        1       16  x 4, y 4      2 hops    16 of 64
        devices  0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15 16 20 24 28 17 21 25 29 18 22 26 30 19 23 27 31 32 36 40 44 33 37 41 45 34 38 42 46 35 39 43 47 48 52 56 60 49 53 57 61 50 54 58 62 51 55 59 63
    "#]],
    );
    let small = json("coords v5e 2x2 --mesh 4")["mesh"].clone();
    assert_eq!((small["layout"].as_str(), small["devices"].to_string()), (Some("ring"), "[0,1,3,2]".to_owned()));
    let split = json("coords v5e 4x4 --mesh 2x2x4 --split")["mesh"]["axes"].clone();
    assert_eq!((&split[0]["carried_by"][0]["axis"], &split[2]["carried_by"][0]["axis"]), (&"y".into(), &"x".into()));
    assert!(json("coords v5e 2x2").get("mesh").is_none());
}

/// A ring of four: the way around a failed chip is as long, the way around a failed host longer, and
/// an island is not reached. That is an answer, so the status is 0.
#[test]
fn routes_go_around_what_failed() {
    let hops = |faults: &str| json(&format!("route v4 4x4x4 0,0,0 2,0,0{faults}"))["hops"].clone();
    assert_eq!(hops(""), 2);
    assert_eq!(hops(" --fail chip:1,0,0"), 2, "the other way around the ring");
    assert_eq!(hops(" --fail chip:1,0,0 --fail chip:3,0,0"), 4);
    assert_eq!(hops(" --fail link:0,0,0:x --fail link:2,0,0:x"), 4);
    assert_eq!(hops(" --fail ocs:x:0,0 --fail host:0,0,0"), Value::Null, "the end itself is on the host");
    assert_eq!(hops(" --fail ocs:x:0,0"), 2);
    let around = |fault: &str| {
        let route = json(&format!("route tpu7x 4x4x8_untwisted 0,0,3 0,0,4 --fail {fault}"));
        (route["hops"].as_u64(), route["kind"].as_str().map(str::to_owned))
    };
    let detour = |hops| (Some(hops), Some("detour".to_owned()));
    // The direct link joins two cubes; the way around leaves the axis and comes back, or goes all around it.
    assert_eq!(around("link:0,0,3:z"), detour(3));
    assert_eq!(around("ocs:z:0,0"), detour(3));
    assert_eq!(around("chip:1,0,3"), (Some(1), Some("dimension_ordered".to_owned())));
    assert_eq!(around("host:0,0,3").0, None, "the start is on the host");
    assert_eq!(around("cube:0,0,1").0, None, "the end is in the cube");
    let past = json("route tpu7x 4x4x12 0,0,3 0,0,8 --fail cube:0,0,1");
    assert_eq!((&past["hops"], &past["extra_hops"]), (&7.into(), &2.into()), "the other way around the ring");
    assert_eq!(json("route tpu7x 4x4x12 0,0,3 0,0,8")["hops"], 5);
    let cut = json("route v5e 1x1 0,0 0,0 --fail chip:0,0");
    assert_eq!((&cut["reachable"], &cut["hops"], &cut["path"]), (&false.into(), &Value::Null, &Value::Array(vec![])));
    check(
        "route v5p 4x4x8 0,0,0 3,2,5 --no-twist",
        &expect![[r#"
        hops      6
        way       dimension-ordered
        as short  120 ways, first hop x- or y+ or y- or z-
        path      0,0,0 > 3,0,0 > 3,1,0 > 3,2,0 > 3,2,7 > 3,2,6 > 3,2,5
    "#]],
    );
}

/// Figures of SCALE-Sim 3.0.0 for 100x100x100 on 128x128, weight-stationary.
#[test]
fn a_product_on_a_bare_array() {
    check(
        "matmul --array 128x128 -m 100 -k 100 -n 100",
        &expect![[r#"
            product      100 x 100 x 100 bf16
            arithmetic   2.00 MFLOP
            array        128x128 ws, loaded before-each-fold
            cycles       481
            folds        1
            mapping      61.0 %
            utilization  12.7 %
        "#]],
    );
    let [before, double] = ["before-each-fold", "double-buffered"].map(|loading| {
        json(&format!("matmul --array 32x32 --loading {loading} -m 64 -k 64 -n 64"))["cycles"].as_u64().unwrap()
    });
    // Four folds of 64 rows each: 4·(2·32 + 32 + 64 − 2) − 1, and 32 + 3·64 + (64 + 32 + 32 − 2) − 1.
    assert_eq!((before, double), (631, 349));
    let [ws, os] = ["ws", "os"].map(|flow| json(&format!("matmul --array 32x32 --dataflow {flow} -m 64 -k 32 -n 32")));
    assert_eq!((&ws["cycles"], &os["cycles"]), (&157.into(), &187.into()));
}

#[test]
fn a_product_on_a_chip_has_a_range_around_it() {
    let answer = json("matmul --chip v6e -m 4096 -k 4096 -n 4096");
    let number = |key: &str| answer[key].as_f64().unwrap();
    assert_eq!(number("flop"), 2.0 * 4096f64.powi(3));
    assert!(number("seconds_low") <= number("seconds") && number("seconds") <= number("seconds_high"));
    assert!((number("flop") / number("seconds") / number("achieved_flop_per_s") - 1.0).abs() < 1e-12);
    assert_eq!(answer["bound"], "mxu");
    assert_eq!(json("matmul --chip v6e -m 8 -k 8192 -n 8192")["bound"], "hbm");
}

#[test]
fn answers_do_not_change_from_run_to_run() {
    for arguments in ["chips --json", "slices tpu7x --json", "matmul --chip v5p -m 64 -k 64 -n 64 --json"] {
        let run = || podium(&arguments.split(' ').collect::<Vec<_>>());
        assert_eq!(run(), run(), "{arguments}");
    }
}

#[test]
fn pictures_are_written_whole_and_never_over_others() {
    let dir = tempfile::tempdir().unwrap();
    let picture = dir.path().join("a.png");
    let path = picture.to_str().unwrap();
    let render = |more: &[&str]| podium(&[&["render", "--size", "800x600", "-o", path], more].concat());
    assert_eq!(render(&[]).status, Status::Done);
    assert_eq!(
        std::fs::read_to_string(&picture).unwrap(),
        r#"Picture { file: None, view: "topology", theme: Dark, size: [800, 600] }"#
    );
    let refused = render(&["--theme", "light"]);
    assert_eq!(refused.status, Status::Found);
    assert_eq!(
        refused.err.replace(path, "…/a.png"),
        "error: …/a.png exists\n  where: -o\n  hint: Choose another name, or replace it with --force\n"
    );
    assert_eq!(render(&["--theme", "light", "--force"]).status, Status::Done);
    assert!(std::fs::read_to_string(&picture).unwrap().contains("theme: Light"));
}

#[test]
fn without_a_display_it_says_where_the_pictures_are() {
    let ran = podium(&["--json"]);
    assert_eq!((ran.status, ran.err.as_str()), (Status::Done, ""));
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let expected = serde_json::json!({"schema": 1, "command": "podium", "pictures": ["podium-out/topology.png"]});
    assert_eq!(answer, expected);
    let ran = podium(&[]);
    assert_eq!((ran.status, ran.out.as_str()), (Status::Done, ""));
    assert_eq!(ran.err, "There is no display, so the views were drawn into pictures:\n  podium-out/topology.png\n");
}

#[test]
fn help_and_version_are_answers() {
    for arguments in [&["help"][..], &["--version"], &["slice", "--help"], &["help", "matmul"]] {
        let ran = podium(arguments);
        assert_eq!((ran.status, ran.err.as_str()), (Status::Done, ""), "{arguments:?}");
        assert!(ran.out.ends_with('\n') && !ran.out.contains('\u{1b}'), "{arguments:?}");
    }
    for command in app::cli::args::Arguments::command().get_subcommands() {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.starts_with("Example: "), "{} has no example", command.get_name());
    }
    assert!(podium(&["completions", "bash"]).out.contains("complete -F _podium"));
    assert!(podium(&["completions", "zsh"]).out.starts_with("#compdef podium"));
}

/// A list of nodes becomes a fleet file that opens and has no findings of its own.
#[test]
fn an_inventory_becomes_a_fleet_file() {
    let dir = tempfile::tempdir().unwrap();
    let [nodes, fleet] = ["nodes.json", "fleet.ron"].map(|name| dir.path().join(name).to_str().unwrap().to_owned());
    let node = |worker: u32| {
        format!(
            r#"{{"kind": "Node", "metadata": {{"name": "gke-{worker}", "labels": {{
                "cloud.google.com/gke-tpu-accelerator": "tpu-v5p-slice", "cloud.google.com/gke-tpu-topology": "2x2x2",
                "cloud.google.com/gke-nodepool": "pool-a"}}}},
                "status": {{"capacity": {{"google.com/tpu": "4"}}, "allocatable": {{"google.com/tpu": "4"}},
                "conditions": [{{"type": "Ready", "status": "True"}}]}}}}"#
        )
    };
    let list = format!(r#"{{"apiVersion": "v1", "kind": "List", "items": [{}, {}]}}"#, node(0), node(1));
    std::fs::write(&nodes, list).unwrap();
    let answer = json(&format!("import {nodes} -o {fleet}"));
    assert_eq!((&answer["fleet"]["chips"], &answer["fleet"]["hosts"]), (&8.into(), &2.into()), "{answer}");
    has_keys(&answer, "fleet findings unplaced workers");
    has_keys(&answer["fleet"], "pods slices hosts chips cores");
    let written = std::fs::read_to_string(&fleet).unwrap();
    assert!(written.contains(r#"node: "gke-0""#) && written.contains(r#"block: "2x2x1""#), "{written}");
    assert_eq!(podium(&["check", &fleet]).status, Status::Done);
    let again = podium(&["import", &nodes, "-o", &fleet]);
    assert_eq!((again.status, again.out.as_str()), (Status::Found, ""));
}

/// Worker ids stand beside the places of their hosts, and a node pool that cannot come up is told before it is made.
#[test]
fn an_inventory_tells_worker_ids_and_pools_that_cannot_come_up() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let nodes = write(
        "nodes.json",
        r#"{"items": [{"kind": "Node", "metadata": {"name": "n", "labels": {
            "cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice", "cloud.google.com/gke-tpu-topology": "2x2"}},
            "status": {"capacity": {"google.com/tpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}]}}]}"#,
    );
    let pods = write(
        "pods.json",
        r#"{"items": [{"kind": "Pod", "metadata": {"name": "p", "labels": {"job-name": "job"}}, "spec": {"nodeName": "n",
            "containers": [{"resources": {"limits": {"google.com/tpu": "4"}},
            "env": [{"name": "TPU_WORKER_ID", "value": "3"}]}]}}]}"#,
    );
    let workers = json(&format!("import {nodes} {pods}"))["workers"].clone();
    assert_eq!((&workers[0]["worker_id"], &workers[0]["host"]), (&3.into(), &0.into()));
    let text = podium(&["import", &nodes, &pods]).out;
    assert!(text.contains("job  worker  host  slice  first chip  node"), "{text}");
    assert!(text.contains("3   0 ≠  n           0 0 0"), "{text}");
    let pools = write(
        "pools.json",
        r#"[{"name": "p", "config": {"machineType": "tpu7x-standard-4t"}, "initialNodeCount": 3,
            "placementPolicy": {"type": "COMPACT", "tpuTopology": "2x2x2"}}]"#,
    );
    let checked = podium(&["check", &pools]);
    assert_eq!(checked.status, Status::Found);
    assert!(
        checked.out.contains("[pool-workload-policy]") && checked.out.contains("[pool-node-count]"),
        "{}",
        checked.out
    );
}

#[test]
fn a_model_file_is_known_when_checked() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.json");
    std::fs::write(
        &file,
        r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
            "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256}"#,
    )
    .unwrap();
    let ran = podium(&["check", file.to_str().unwrap()]);
    assert_eq!(ran.status, Status::Done);
    expect![[r#"
        …/config.json: note: a llama model of 32 layers and 8.03 Gparameters [model]
    "#]]
    .assert_eq(&ran.out.replace(&dir.path().display().to_string(), "…"));
}
