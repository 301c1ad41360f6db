use proptest::prelude::*;
use serde_json::Value;
use topology::shape::Axis;
use topology::units::{Byte, Seconds};

use super::*;
use crate::dtype::Dtype;
use crate::matmul::Matmul;
use crate::roofline::{Engine, Operands, estimate};
use crate::testing::generation;

/// Spans of a lane follow one another (up to rounding), last some time, and lanes come in the order of resources.
pub(crate) fn assert_well_formed(trace: &Trace) {
    let slack = 1e-12 * trace.seconds().get();
    for lane in &trace.lanes {
        assert!(!lane.spans.is_empty(), "no empty lane");
        assert!(lane.spans.iter().all(|span| span.seconds > Seconds::ZERO));
        for pair in lane.spans.windows(2) {
            let (end, next) = (pair[0].end().get(), pair[1].start.get());
            assert!(next + slack >= end, "{:?} overlaps {:?}", pair[0], pair[1]);
        }
    }
    assert!(trace.lanes.is_sorted_by_key(|lane| lane.resource));
}

/// A schema-like check of the trace event format, as trace viewers require it.
fn assert_chrome(json: &str) -> Vec<Value> {
    let whole: Value = serde_json::from_str(json).unwrap();
    assert!(["ms", "ns"].contains(&whole["displayTimeUnit"].as_str().unwrap()));
    let events = whole["traceEvents"].as_array().unwrap();
    let mut last = std::collections::BTreeMap::new();
    for event in events {
        assert!(event["name"].is_string() && event["pid"].is_u64() && event["tid"].is_u64(), "{event}");
        assert!(event["ts"].as_f64().unwrap() >= 0.0 && event["args"].is_object(), "{event}");
        match event["ph"].as_str().unwrap() {
            "M" => assert!(event["args"]["name"].is_string() || event["args"]["sort_index"].is_u64(), "{event}"),
            "X" => {
                assert!(event["cat"].is_string() && event["dur"].as_f64().unwrap() > 0.0, "{event}");
                let start = event["ts"].as_f64().unwrap();
                let before = last.insert(event["tid"].as_u64().unwrap(), start).unwrap_or(0.0);
                assert!(start >= before, "times of a thread run forward: {event}");
            }
            other => panic!("unknown phase {other}"),
        }
    }
    events.clone()
}

/// Protects the file for trace viewers: names, threads, microseconds and units.
#[test]
fn a_collective_is_one_span_per_axis_in_microseconds() {
    let trace = Trace::of_collective("all-gather A", &[Axis::X, Axis::Z], Seconds::new(2.5e-3), Byte::new(1024.0));
    let events = assert_chrome(&trace.to_chrome_json("v5p 4x4x4"));
    let spans: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert_eq!(spans.len(), 2);
    assert_eq!((spans[0]["dur"].as_f64(), spans[0]["tid"].as_u64()), (Some(2500.0), Some(3)));
    assert_eq!((spans[1]["args"]["bytes"].as_f64(), spans[1]["tid"].as_u64()), (Some(512.0), Some(5)));
    let names: Vec<&str> = events.iter().filter_map(|event| event["args"]["name"].as_str()).collect();
    assert_eq!(names, ["v5p 4x4x4", "ICI x", "ICI z"]);
}

/// Names from outside can break neither the file nor the viewer.
#[test]
fn hostile_names_stay_inside_their_text() {
    let name = "\"}],\n\u{0}<script>\u{7f}".to_owned() + &"\u{1f600}".repeat(500);
    let trace = Trace::of_collective(&name, &[Axis::X], Seconds::new(1.0), Byte::ZERO);
    for event in assert_chrome(&trace.to_chrome_json(&name)) {
        let shown = event["name"].as_str().unwrap();
        assert!(shown.chars().count() <= MAX_NAME_CHARS && !shown.contains('\n'), "{shown}");
    }
    assert_eq!(Trace::default().seconds(), Seconds::ZERO);
    assert_chrome(&Trace::default().to_chrome_json(""));
}

proptest! {
    /// A trace of a product ends when the answer says, its lanes are in order, and it counts every byte and operation.
    #[test]
    fn a_product_ends_when_its_estimate_says(
        m in 1u64..20_000, k in 1u64..20_000, n in 1u64..20_000, id in prop::sample::select(vec!["v5e", "v6e", "tpu7x"]),
        is_resident in any::<bool>(),
    ) {
        let product = Matmul::new(m, k, n, Dtype::Bf16).unwrap();
        let engine = Engine::chip(&generation(id)).unwrap();
        let from = if is_resident { Operands::Vmem } else { Operands::Hbm };
        let answer = estimate(&product, &engine, from).unwrap();
        let trace = Trace::of_matmul(&product, &engine, &answer);
        assert_well_formed(&trace);
        let total = answer.seconds.get();
        prop_assert!((trace.seconds().get() / total - 1.0).abs() < 1e-12);
        let bytes: f64 = trace.lane(Resource::Hbm).iter().filter_map(|span| span.bytes).map(Byte::get).sum();
        prop_assert!((bytes - answer.hbm_bytes.get()).abs() <= 1e-9 * bytes);
        prop_assert_eq!(trace.lane(Resource::Mxu).iter().find_map(|span| span.flop), Some(answer.flop));
        assert_chrome(&trace.to_chrome_json("product"));
    }
}
