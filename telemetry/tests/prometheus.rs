//! Answers of real servers and of their relatives: what is taken, what is told, what is refused.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use proptest::prelude::*;
use telemetry::exposition::{Format, read};
use telemetry::findings::Findings;
use telemetry::labels::Labels;
use telemetry::prometheus::{
    AlertState, ApiError, Limits, MAX_POINTS, PlanError, QueryData, RangeRequest, Retry, alertmanager_alerts, alerts,
    metadata, names, plan, query, refusal, retry, rules, sdk_strings, selector, series, time_series,
};
use telemetry::registry::Registry;

fn codes(findings: &Findings) -> Vec<&str> {
    findings.as_slice().iter().map(|finding| finding.code).collect()
}

fn ask(body: &str) -> telemetry::prometheus::Answer<QueryData> {
    query(body, Limits::default()).unwrap()
}

/// Every recorded answer of the table is read with the result type, number of results and warnings that were noted.
#[test]
fn recorded_answers_of_prometheus_are_read() {
    let Some(index) = common::oracle("prometheus/index.csv") else { return };
    let mut n_read = 0;
    for row in common::rows(&index).iter().skip(1) {
        let [name, _, path, _, status, _, word, error_type, result_type, n_results, n_warnings, _, _, file] = &row[..]
        else {
            panic!("{row:?}");
        };
        if file.is_empty() {
            continue;
        }
        let body = common::oracle(&format!("prometheus/{file}")).unwrap();
        if *word == "error" || status != "200" {
            match refusal(status.parse().unwrap(), &body) {
                ApiError::Refused { kind, message, .. } => {
                    assert_eq!(kind, if error_type.is_empty() { status } else { error_type }.as_str(), "{name}");
                    assert!(!message.is_empty());
                }
                other => panic!("{name}: {other}"),
            }
            n_read += 1;
            continue;
        }
        let n = n_results.parse::<usize>().ok();
        let n_warnings = n_warnings.parse::<usize>().unwrap_or(0);
        match path.as_str() {
            "/api/v1/query" | "/api/v1/query_range" => {
                let answer = ask(&body);
                let kind = match &answer.data {
                    QueryData::Vector(_) => "vector",
                    QueryData::Matrix(_) => "matrix",
                    QueryData::Scalar(..) => "scalar",
                    QueryData::Text(..) => "string",
                };
                assert_eq!(kind, result_type, "{name}");
                if matches!(answer.data, QueryData::Vector(_) | QueryData::Matrix(_)) {
                    assert_eq!(Some(answer.data.series().len()), n, "{name}");
                }
                assert_eq!((answer.partial.len(), codes(&answer.findings)), (n_warnings, vec![]), "{name}");
            }
            "/api/v1/labels" | "/api/v1/label/gen/values" | "/api/v1/label/__name__/values" => {
                let answer = names(&body, Limits::default()).unwrap();
                assert_eq!((answer.data.is_empty(), answer.partial.len()), (false, n_warnings), "{name}");
            }
            "/api/v1/series" => {
                let answer = series(&body, Limits::default()).unwrap();
                assert_eq!((Some(answer.data.len()), answer.partial.len()), (n, n_warnings), "{name}");
            }
            "/api/v1/metadata" => assert_eq!(metadata(&body).unwrap().data["tpu_power_watts"][0].kind, "gauge"),
            "/api/v1/alerts" => {
                let found = alerts(&body).unwrap().data;
                assert!(found.iter().all(|alert| alert.state == Some(AlertState::Firing) && alert.since_ms.is_some()));
            }
            "/api/v1/rules" => {
                let groups = rules(&body).unwrap().data;
                let down = groups.iter().flat_map(|group| &group.rules).find(|rule| rule.name == "TargetDown").unwrap();
                assert_eq!((down.is_alert, down.for_seconds, down.alerts.len()), (true, 4.0, 1));
            }
            "/api/v2/alerts" => assert_eq!(alertmanager_alerts(&body).unwrap().data.len(), 1, "{name}"),
            "/federate" => {
                let page = read(body.as_bytes(), Format::Text, telemetry::exposition::Limits::default());
                assert_eq!((page.samples.len(), codes(&page.findings)), (8, vec![]), "{name}");
            }
            _ => continue,
        }
        n_read += 1;
    }
    assert!(n_read >= 45, "{n_read} answers were read");
}

#[test]
fn values_that_break_naive_readers_keep_their_bits() {
    let Some(body) = common::oracle("prometheus/weird_values.json") else { return };
    let answer = ask(&body);
    let value = |kind: &str| {
        let found = answer.data.series().iter().find(|s| s.labels.get("kind") == Some(kind));
        found.unwrap_or_else(|| panic!("{kind}")).samples[0].1
    };
    assert!(value("nan").is_nan());
    assert_eq!((value("neginf"), value("posinf")), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!(value("huge"), f64::MAX);
    assert!(answer.data.series().iter().any(|s| s.labels.get("utf8") == Some("温度 ☃ é")));
}

#[test]
fn scalars_texts_and_special_values_are_read() {
    let scalar = ask(include_str!("data/answers/query_scalar.json"));
    assert_eq!(scalar.data, QueryData::Scalar(1_796_068_967_391, 3.0));
    let text = ask(include_str!("data/answers/query_string.json"));
    assert_eq!(text.data, QueryData::Text(1_796_068_967_417, "hi".to_owned()));
    let special = ask(include_str!("data/answers/query_instant_special.json"));
    let values: Vec<f64> = special.data.series().iter().map(|s| s.samples[0].1).collect();
    assert!(values[0].is_nan());
    assert_eq!(values[1..], [f64::INFINITY, f64::NEG_INFINITY, 5e-324, 137.5]);
    assert_eq!((special.partial.len(), special.infos.len()), (1, 1));
    let null = ask("{\"data\":{\"result\":null,\"resultType\":\"matrix\"},\"status\":\"success\"}");
    assert_eq!(null.data, QueryData::Matrix(vec![]), "keys in any order, null is an empty list");
}

#[test]
fn servers_that_refuse_are_told_with_advice() {
    let text = |status, body| refusal(status, body).to_string();
    assert!(text(400, include_str!("data/answers/error_11000.json")).contains("Ask for a longer step"));
    assert!(text(422, include_str!("data/answers/error_many_to_many_422.json")).contains("aggregate"));
    assert!(text(503, include_str!("data/answers/error_timeout_503.json")).contains("shorter time"));
    assert_eq!(
        text(403, "{\"error\":{\"code\":403,\"message\":\"Permission denied\",\"status\":\"PERMISSION_DENIED\"}}"),
        "the server refused (403): Permission denied. These credentials are not allowed to read it"
    );
    assert!(text(404, "<html>404</html>").contains("a web page"));
    assert!(text(429, "").contains("Ask less often"));
    // The same error with status 200, as some proxies send it.
    assert!(matches!(
        query(include_str!("data/answers/error_timeout_503.json"), Limits::default()),
        Err(ApiError::Refused { .. })
    ));
}

#[test]
fn what_is_no_answer_is_told_as_what_it_is() {
    let error = |body: &str| query(body, Limits::default()).unwrap_err();
    assert!(error("<html>Sign in</html>").to_string().contains("it is a web page"));
    assert!(error("").to_string().contains("it is empty"));
    assert!(error("{}").to_string().contains("no status"));
    let cut = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{\"met";
    assert_eq!(error(cut), ApiError::CutOff { bytes: cut.len() });
    assert!(matches!(
        error("{\"status\":\"success\",\"data\":{\"resultType\":\"cube\",\"result\":[]}}"),
        ApiError::NotAnAnswer { .. }
    ));
    assert!(matches!(
        error(
            "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{\"metric\":{},\"value\":[1e300,\"1\"]}]}}"
        ),
        ApiError::NotAnAnswer { .. }
    ));
    assert!(names("[1", Limits::default()).is_err());
}

#[test]
fn answers_beyond_the_limits_are_refused_with_the_figure() {
    let body = "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[{\"metric\":{},\"values\":[[1,\"1\"],[2,\"2\"]]},{\"metric\":{},\"values\":[[1,\"1\"]]}]}}";
    let limits = |samples, series| Limits { samples, series };
    assert!(query(body, limits(3, 2)).is_ok());
    assert_eq!(query(body, limits(2, 2)).unwrap_err(), ApiError::TooLarge { what: "samples", limit: 2 });
    assert_eq!(query(body, limits(3, 1)).unwrap_err(), ApiError::TooLarge { what: "series", limit: 1 });
}

#[test]
fn cloud_monitoring_looks_the_same_through_both_of_its_apis() {
    let answer = time_series(include_str!("data/answers/timeseries_list.json"), Limits::default()).unwrap();
    let first = &answer.data.series()[0];
    assert_eq!(first.labels.name(), "kubernetes_io:node_accelerator_tensorcore_utilization");
    assert_eq!(first.labels.get("monitored_resource"), Some("k8s_node"));
    assert_eq!(first.samples.iter().map(|s| s.1).collect::<Vec<_>>(), [37.5, 38.25], "oldest first");
    assert_eq!(answer.data.series()[1].samples[0].1, 137_438_953_472.0, "an integer comes as a text");
    assert_eq!(answer.partial, ["one shard did not answer", "there are more pages"]);
}

#[test]
fn texts_of_the_libtpu_sdk_are_read() {
    let answer = sdk_strings(include_str!("data/answers/libtpu_sdk_strings.json"), 5_000).unwrap();
    assert_eq!(codes(&answer.findings), ["bad-row"]);
    let links: Vec<(&str, u8)> = answer.data.links.iter().map(|l| (l.link.as_str(), l.score)).collect();
    assert_eq!(links, [("tray1.chip3.ici0.int", 0), ("tray1.chip3.ici1.int", 10), ("tray1.chip2.ici5.ext", 4)]);
    let throttle = Labels::new([("__name__", "tpu_throttle_score"), ("accelerator_id", "1")]);
    let found = answer.data.series.iter().find(|s| s.labels == throttle).unwrap();
    assert_eq!(found.samples, [(5_000, 1.0)]);
}

#[test]
fn alerts_of_alertmanager_are_read() {
    let found = alertmanager_alerts(include_str!("data/answers/alertmanager_v2_alerts.json")).unwrap().data;
    let alert = &found[0];
    assert_eq!((alert.state, alert.held_back_by.len()), (Some(AlertState::Suppressed), 1));
    assert_eq!(alert.until_ms.unwrap() - alert.since_ms.unwrap(), 10_955_000);
    let prometheus = alerts(include_str!("data/answers/prom_alerts.json")).unwrap().data;
    assert_eq!((prometheus[0].value, prometheus[0].labels.get("alertname")), (Some(0.0), Some("TpuTargetDown")));
    let odd = alertmanager_alerts("[{\"status\":{\"state\":\"new\"},\"startsAt\":\"0001-01-01T00:00:00Z\"}]").unwrap();
    assert_eq!((odd.data[0].state, odd.data[0].since_ms, codes(&odd.findings)), (None, None, vec!["unknown-state"]));
}

#[test]
fn questions_are_asked_again_only_where_that_can_help() {
    for status in [400, 401, 403, 404, 422] {
        assert_eq!(retry(Some(status), 1, 0.0), Retry::Never, "{status}");
    }
    let waits: Vec<Retry> = (1..=4).map(|n| retry(Some(503), n, 0.0)).collect();
    assert_eq!(waits, [Retry::After(1.0), Retry::After(2.0), Retry::After(4.0), Retry::GiveUp]);
    assert_eq!(retry(None, 1, 1.0), Retry::After(1.25));
}

#[test]
fn a_selector_names_its_monitored_resource() {
    let registry = Registry::embedded();
    let of = |name: &str| selector(registry.find(name).unwrap(), &[("cluster_name", "a\"b")]);
    assert_eq!(
        of("kubernetes.io/node/accelerator/duty_cycle"),
        "kubernetes_io:node_accelerator_duty_cycle{monitored_resource=\"k8s_node\",cluster_name=\"a\\\"b\"}"
    );
    assert_eq!(of("duty_cycle"), "duty_cycle{cluster_name=\"a\\\"b\"}");
    let dotted = registry.find("hlo.queue.size.gauge").unwrap();
    assert_eq!(selector(dotted, &[]), "{__name__=\"hlo.queue.size.gauge\"}");
}

#[test]
fn too_much_is_refused_with_the_figure_and_a_step_that_fits() {
    let request = RangeRequest::new((0, 7 * 86_400), 60, 9_216);
    let Err(PlanError::TooMuch { samples, suggested_step_s, .. }) = plan(request) else { panic!() };
    assert_eq!(samples, 9_216 * 10_081);
    let request = RangeRequest { step_s: u32::try_from(suggested_step_s).unwrap(), ..request };
    assert!(plan(request).unwrap().samples <= request.max_samples);
    assert!(matches!(plan(RangeRequest::new((5, 4), 1, 1)), Err(PlanError::Empty { .. })));
    assert!(matches!(plan(RangeRequest::new((0, 4), 0, 1)), Err(PlanError::Empty { .. })));
}

proptest! {
    /// Whatever is wanted: no series has more points than servers give, no part more samples than allowed (but for a
    /// single group at one moment, which cannot be cut), and the parts are the request, cut but whole.
    #[test]
    fn a_plan_covers_the_request_within_the_limits(
        from_s in -4_000_000_000..4_000_000_000_i64, span in 0..5_000_000_i64, step_s in 1..7_200_u32,
        n_series in 1..20_000_u64, n_groups in 1..3_000_u64, per_answer in 1..3_000_000_u64,
    ) {
        let request = RangeRequest { n_groups, max_samples_per_answer: per_answer.max(n_series / 10), ..RangeRequest::new((from_s, from_s + span), step_s, n_series) };
        let Ok(plan) = plan(request) else { return Ok(()) };
        prop_assert!(plan.points <= MAX_POINTS && plan.step_s >= step_s);
        prop_assert_eq!(plan.is_coarser, plan.step_s > step_s);
        let mut covered = 0;
        let n_groups = n_groups.min(n_groups.max(1));
        for part in &plan.parts {
            let points = (part.to_s - part.from_s) as u64 / u64::from(plan.step_s) + 1;
            prop_assert_eq!((part.from_s - from_s) % i64::from(plan.step_s), 0);
            prop_assert!(part.to_s <= from_s + span && part.first_group + part.n_groups <= n_groups);
            covered += points * part.n_groups;
        }
        prop_assert_eq!(covered, plan.points * n_groups);
        prop_assert!(plan.parts.len() as u64 <= plan.split.by_time * plan.split.by_group);
    }

    /// No text makes a reader panic.
    #[test]
    fn any_text_is_survived(
        parts in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", ":", ",", "\"status\"", "\"success\"", "\"error\"", "\"data\"", "\"result\"", "\"resultType\"", "\"vector\"", "\"scalar\"", "\"metric\"",
            "\"values\"", "\"value\"", "\"histograms\"", "1", "1e999", "-5", "\"NaN\"", "null", "true", "\"points\"", "\"timeSeries\"", "\"é\"", " ",
        ]), 0..40),
    ) {
        let text = parts.concat();
        for text in [text.clone(), format!("{{\"status\":\"success\",\"data\":{text}}}"), format!("{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{text}]}}}}")] {
            let results = [
                query(&text, Limits::default()).is_ok(), names(&text, Limits::default()).is_ok(), series(&text, Limits::default()).is_ok(),
                metadata(&text).is_ok(), alerts(&text).is_ok(), rules(&text).is_ok(), alertmanager_alerts(&text).is_ok(),
                time_series(&text, Limits::default()).is_ok(), sdk_strings(&text, 0).is_ok(), refusal(500, &text).to_string().is_empty(),
            ];
            prop_assert!(results.len() == 10 && !results[9]);
        }
    }
}
