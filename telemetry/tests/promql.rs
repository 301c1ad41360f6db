//! Queries: what they give, what is refused and where, and that no text breaks the reader.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;
use telemetry::labels::Labels;
use telemetry::promql::{EvalError, STALE, eval, parse};
use telemetry::tsdb::{Bounds, Tsdb};

/// Three chips on two hosts, a sample a minute for ten minutes; a counter that begins anew; a series that ends.
fn store() -> Tsdb {
    let mut store = Tsdb::new(Bounds::default());
    let mut add = |name: &str, host: &str, chip: &str, value: &dyn Fn(i64) -> Option<f64>| {
        let labels = Labels::new([("__name__", name), ("host", host), ("chip", chip)]);
        let id = store.series_id(&labels).unwrap();
        for minute in 0..=10 {
            if let Some(value) = value(minute) {
                store.append(id, minute * 60_000, value);
            }
        }
    };
    add("duty", "a", "0", &|_| Some(40.0));
    add("duty", "a", "1", &|minute| Some(50.0 + minute as f64));
    add("duty", "b", "2", &|minute| (minute <= 4).then_some(90.0));
    add("size", "a", "0", &|_| Some(2.0));
    add("size", "b", "2", &|_| Some(4.0));
    add("sent_total", "a", "0", &|minute| {
        Some(if minute < 5 { 60.0 * minute as f64 } else { 60.0 * (minute - 5) as f64 })
    });
    add("gone", "a", "0", &|minute| Some(if minute < 10 { 1.0 } else { f64::from_bits(STALE) }));
    store
}

fn ask(query: &str) -> String {
    let value = eval(&parse(query).unwrap(), &store(), 600_000).unwrap();
    value.to_string().trim_end().replace('\n', "; ")
}

#[test]
fn selectors_look_back_five_minutes_and_no_further() {
    assert_eq!(
        ask("duty"),
        "duty{chip=\"0\", host=\"a\"} 40; duty{chip=\"1\", host=\"a\"} 60",
        "the third is six minutes old"
    );
    assert_eq!(
        ask("duty offset 2m"),
        "duty{chip=\"0\", host=\"a\"} 40; duty{chip=\"1\", host=\"a\"} 58; duty{chip=\"2\", host=\"b\"} 90"
    );
    assert_eq!(ask("duty{host=~\"a|x\", chip!=\"0\"}"), "duty{chip=\"1\", host=\"a\"} 60");
    assert_eq!(ask("{__name__=\"size\", host!~\"a.*\"}"), "size{chip=\"2\", host=\"b\"} 4");
    assert_eq!(ask("gone"), "", "a marker ends a series at once");
    assert_eq!(ask("gone offset 1m"), "gone{chip=\"0\", host=\"a\"} 1");
}

#[test]
fn operators_bind_and_join_as_in_prometheus() {
    assert_eq!(ask("2 + 3 * 4 ^ 2 ^ 0.5 - -1"), (2.0 + 3.0 * 4_f64.powf(2_f64.powf(0.5)) + 1.0).to_string());
    assert_eq!(ask("-2 ^ 2"), "-4");
    assert_eq!(ask("duty > 45"), "duty{chip=\"1\", host=\"a\"} 60");
    assert_eq!(ask("45 < bool duty"), "{chip=\"0\", host=\"a\"} 0; {chip=\"1\", host=\"a\"} 1");
    assert_eq!(ask("duty / size"), "{chip=\"0\", host=\"a\"} 20");
    assert_eq!(ask("duty and size"), "duty{chip=\"0\", host=\"a\"} 40");
    assert_eq!(ask("duty unless size"), "duty{chip=\"1\", host=\"a\"} 60");
    assert_eq!(
        ask("size or duty"),
        "duty{chip=\"1\", host=\"a\"} 60; size{chip=\"0\", host=\"a\"} 2; size{chip=\"2\", host=\"b\"} 4"
    );
    assert_eq!(ask("size > on(host) (sum by (host) (duty)) / 60"), "{host=\"a\"} 2");
    assert_eq!(ask("vector(1) == 1"), "{} 1");
}

#[test]
fn groups_are_aggregated_by_what_is_named() {
    assert_eq!(ask("avg(duty)"), "{} 50");
    assert_eq!(ask("sum by (host) (duty) + 0"), "{host=\"a\"} 100");
    assert_eq!(ask("count without (chip) (size)"), "{host=\"a\"} 1; {host=\"b\"} 1");
    assert_eq!(ask("max(size) by (nothing)"), "{} 4");
    assert_eq!(ask("stddev(size)"), "{} 1");
    assert_eq!(ask("sum(nothing_here)"), "");
    assert_eq!(ask("absent(nothing_here{a=\"b\"})"), "{a=\"b\"} 1");
    assert_eq!(ask("scalar(sum(size)) + time()"), "606");
}

/// Oracle: by hand after `extrapolatedRate` of Prometheus 3 (windows open on the left): samples at 7, 8, 9 and 10 min of
/// the window (6, 10] grow by 180 in 180 s; the first lies 60 s after the start, within 1.1 distances, so the growth is
/// taken over the whole 240 s, but not further back than a counter of 120 at this rate was zero.
#[test]
fn rates_extrapolate_as_in_prometheus() {
    assert_eq!(ask("rate(sent_total[4m])"), "{chip=\"0\", host=\"a\"} 1");
    assert_eq!(ask("increase(sent_total[4m])"), "{chip=\"0\", host=\"a\"} 240");
    // 1 to 10 min: 60 to 240, then 0 to 300: a fall adds what was there. 180 + 300 in 540 s, a minute more at the start.
    assert_eq!(ask("increase(sent_total[10m])"), format!("{{chip=\"0\", host=\"a\"}} {}", 480.0 * 600.0 / 540.0));
    assert_eq!(ask("resets(sent_total[10m])"), "{chip=\"0\", host=\"a\"} 1");
    assert_eq!(ask("rate(sent_total[1m])"), "", "one sample is no rate");
    assert_eq!(ask("delta(duty{chip=\"1\"}[2m])"), "{chip=\"1\", host=\"a\"} 2");
    assert_eq!(ask("avg_over_time(duty{chip=\"1\"}[3m])"), "{chip=\"1\", host=\"a\"} 59");
    assert_eq!(
        ask("last_over_time(duty[10m])"),
        "duty{chip=\"0\", host=\"a\"} 40; duty{chip=\"1\", host=\"a\"} 60; duty{chip=\"2\", host=\"b\"} 90"
    );
    assert_eq!(ask("count_over_time(gone[10m])"), "{chip=\"0\", host=\"a\"} 9", "markers are no samples");
}

#[test]
fn what_is_not_supported_is_refused_with_its_position() {
    let error = |query: &str| parse(query).unwrap_err().to_string();
    assert_eq!(error("sum(("), "1:6: a number, a name or a bracket is expected");
    assert_eq!(error("rate(x)"), "1:6: rate wants a range such as x[5m]");
    assert_eq!(error("x[5m]"), "1:1: a range such as [5m] only stands inside a function");
    assert_eq!(
        error("a / on(x)\n group_left b"),
        "2:2: group_left and group_right are not supported: sides are joined one to one"
    );
    assert_eq!(error("max_over_time(x[5m:1m])"), "1:19: subqueries are not supported");
    assert_eq!(error("x @ 5"), "1:3: @ is not supported");
    assert_eq!(
        error("histogram_quantile(0.9, x)"),
        "1:1: histogram_quantile is not supported here; see the list of functions"
    );
    assert_eq!(error("{a=\"\"}"), "1:1: a selector needs a name or a matcher that not everything passes");
    assert_eq!(error("x{a=~\"(\"}"), "1:6: the regular expression is not valid, or too large");
    assert_eq!(error("1 == 2"), "1:3: a comparison of two numbers needs bool");
    assert_eq!(error("topk(5, x)"), "1:1: topk is not supported here; see the list of functions");
    assert_eq!(error("x[0s]"), "1:3: a duration such as 5m is expected");
    let many = vec!["1"; 1_000].join("+");
    assert_eq!(error(&many), "1:514: a query has at most 256 operators");
    assert!(error(&"(".repeat(5_000)).contains("nested deeper than 64"));
    assert_eq!(parse("a{x=\"1\"} + rate(b[5m])").unwrap().metric_names(), ["a", "b"]);
}

#[test]
fn sides_that_do_not_fit_are_told() {
    let of = |query: &str| eval(&parse(query).unwrap(), &store(), 600_000);
    assert_eq!(of("size / on(host) duty").unwrap_err(), EvalError::ManyToMany { labels: "{host=\"a\"}".to_owned() });
    assert!(matches!(of("rate({host=\"a\"}[5m])"), Err(EvalError::SameLabels { .. })));
}

proptest! {
    /// No text makes the reader panic, and what is read is computed or told.
    #[test]
    fn any_text_is_survived(parts in prop::collection::vec(prop::sample::select(vec![
        "sum", "rate", "(", ")", "{", "}", "[", "]", "5m", "duty", "size", "=", "=~", "\"a\"", "'", ",", "by", "on", "bool", "+", "-", "^", "==", "and", "or", "unless",
        "1", "1e5", ".5", "offset", "avg_over_time", "absent", "é", "#", "\n", " ", "inf", "nan", "clamp_min", "time",
    ]), 0..24)) {
        for text in [parts.concat(), parts.join(" ")] {
            match parse(&text) {
                Ok(expr) => prop_assert!(eval(&expr, &store(), 600_000).is_ok_and(|v| v.to_string().len() < 100_000) || !text.is_empty()),
                Err(error) => prop_assert!(error.line >= 1 && error.column >= 1),
            }
        }
    }
}
