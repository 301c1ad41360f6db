//! Good answers over loopback: what is sent, and what is made of what comes back.

use app::net::{Span, Wanted};
use planning::source::{Credentials, Source, SourceKind};
use serde_json::json;

use crate::network::{PAGE, ask, ask_for, page};
use crate::stub::{Stub, json, pack, reply};

const AT_S: i64 = 1_796_065_200;

fn vector(series: &serde_json::Value) -> String {
    json!({"status": "success", "data": {"resultType": "vector", "result": series}}).to_string()
}

fn duty(device: &str, value: &str) -> serde_json::Value {
    json!({"metric": {"__name__": "duty_cycle_node", "accelerator_id": device}, "value": [AT_S, value]})
}

/// A server of Prometheus that has one metric of two chips.
fn prometheus() -> Stub {
    Stub::start(|_, request, stream| {
        let body = if request.contains("/label/__name__/values") {
            json!({"status": "success", "data": ["duty_cycle_node", "up"]}).to_string()
        } else if request.contains("query=count") {
            vector(&json!([{"metric": {}, "value": [AT_S, "2"]}]))
        } else {
            vector(&json!([duty("1-0", "90"), duty("1-1", "70")]))
        };
        json(stream, "200 OK", &body);
    })
}

/// Protects: a prefix and headers reach every request, and the body may come packed.
#[test]
fn a_prefix_headers_and_gzip_are_understood() {
    let stub = prometheus();
    let mut source = Source::new("test", SourceKind::Prometheus, format!("{}/select/0/prometheus/", stub.address));
    source.headers.insert("X-Scope-OrgID".to_owned(), "team-a".to_owned());
    let looked = ask(source).unwrap();
    assert_eq!(looked.decoded.series.len(), 2);
    let heard = stub.heard();
    assert_eq!(heard.len(), looked.requests);
    for request in &heard {
        assert!(request.contains(" /select/0/prometheus/api/v1/"), "{request}");
        let lower = request.to_lowercase();
        assert!(
            lower.contains("x-scope-orgid: team-a\r\n") && lower.contains("accept-encoding: gzip\r\n"),
            "{request}"
        );
    }
    let packed =
        Stub::start(|_, _, stream| reply(stream, "200 OK", "content-encoding: gzip\r\n", &pack(PAGE.as_bytes())));
    assert_eq!(ask(page(&packed)).unwrap().decoded.series.len(), 1);
}

/// Protects: whichever way a secret is referred to, it arrives as the standard says.
#[test]
fn credentials_are_fetched_by_reference_and_sent() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "of-a-file\n").unwrap();
    let stub = Stub::start(|_, _, stream| reply(stream, "200 OK", "", PAGE.as_bytes()));
    let name = env!("CARGO_PKG_NAME");
    for (reference, token) in [
        // A variable that cargo sets for every test.
        ("env:CARGO_PKG_NAME".to_owned(), name),
        (format!("file:{}", file.display()), "of-a-file"),
        ("command:echo of-a-command".to_owned(), "of-a-command"),
    ] {
        let credentials = Some(Credentials::Bearer(reference.parse().unwrap()));
        ask(Source { credentials, ..page(&stub) }).unwrap();
        let request = stub.heard().pop().unwrap();
        assert!(request.contains(&format!("authorization: Bearer {token}\r\n")), "{reference}: {request}");
    }
    let password = format!("file:{}", file.display()).parse().unwrap();
    ask(Source { credentials: Some(Credentials::Basic { user: "ada".to_owned(), password }), ..page(&stub) }).unwrap();
    assert!(stub.heard().pop().unwrap().contains("authorization: Basic YWRhOm9mLWEtZmlsZQ==\r\n"), "RFC 7617");
    for bad in ["env:NO_SUCH_VARIABLE_OF_OURS", "file:no-such-file", "command:no-such-program-of-ours"] {
        let credentials = Some(Credentials::Bearer(bad.parse().unwrap()));
        let n = stub.heard().len();
        let error = ask(Source { credentials, ..page(&stub) }).unwrap_err();
        assert!(error.kind.name() == "credentials" && error.message.contains(bad), "{error}");
        assert_eq!(stub.heard().len(), n, "nothing is asked without the secret");
    }
}

/// Protects: a proxy that was given is used, for loopback too.
#[test]
fn a_proxy_that_was_given_is_used() {
    let proxy = Stub::start(|_, _, stream| reply(stream, "200 OK", "", PAGE.as_bytes()));
    let source = Source::new("test", SourceKind::Exposition, "http://source.invalid/metrics");
    ask(Source { proxy: Some(proxy.address.clone()), ..source }).unwrap();
    assert!(proxy.heard()[0].starts_with("GET http://source.invalid/metrics HTTP/1.1\r\n"));
}

/// C39: warnings of a server stay marks of the look.
#[test]
fn c39_warnings_over_the_network_make_the_look_partial() {
    let stub = Stub::start(|_, _, stream| {
        let mut answer: serde_json::Value = serde_json::from_str(&vector(&json!([duty("1-0", "90")]))).unwrap();
        answer["warnings"] = json!(["store 10.0.0.7 did not answer"]);
        json(stream, "200 OK", &answer.to_string());
    });
    let mut source = Source::new("test", SourceKind::Prometheus, &stub.address);
    source.queries.push("duty_cycle_node".to_owned());
    assert_eq!(ask(source).unwrap().decoded.partial, ["store 10.0.0.7 did not answer"]);
}

#[test]
fn alertmanager_is_asked_by_its_second_api() {
    let body = include_str!("../../../telemetry/tests/data/answers/alertmanager_v2_alerts.json");
    let stub = Stub::start(move |_, _, stream| json(stream, "200 OK", body));
    let looked = ask(Source::new("test", SourceKind::Alertmanager, format!("{}/am", stub.address))).unwrap();
    let alerts = looked.alerts.unwrap();
    assert_eq!(alerts[0].labels.get("alertname"), Some("TpuTargetDown"));
    assert!(stub.heard()[0].starts_with("GET /am/api/v2/alerts HTTP/1.1\r\n"));
}

/// Protects: two aggregates without labels are two series, and a bare number is told.
#[test]
fn answers_of_two_queries_are_not_mixed() {
    let stub = Stub::start(|_, request, stream| {
        let body = if request.contains("query=scalar") {
            json!({"status": "success", "data": {"resultType": "scalar", "result": [AT_S, "3"]}}).to_string()
        } else {
            vector(&json!([{"metric": {}, "value": [AT_S, "1"]}]))
        };
        json(stream, "200 OK", &body);
    });
    let mut source = Source::new("test", SourceKind::Prometheus, &stub.address);
    source.queries = ["avg(a)", "avg(b)", "scalar(c)"].map(str::to_owned).to_vec();
    let decoded = ask(source).unwrap().decoded;
    assert_eq!(decoded.series.len(), 2);
    assert!(decoded.findings.as_slice().iter().any(|finding| finding.code == "no-series"));
}

/// Protects: a server that lets only GET through is asked that way.
#[test]
fn a_question_goes_into_the_address_where_posting_is_forbidden() {
    let stub = Stub::start(|_, request, stream| {
        if request.starts_with("POST") {
            reply(stream, "405 Method Not Allowed", "", b"");
        } else {
            json(stream, "200 OK", &vector(&json!([duty("1-0", "90")])));
        }
    });
    let mut source = Source::new("test", SourceKind::Prometheus, &stub.address);
    source.queries.push("duty_cycle_node{a=\"b c\"}".to_owned());
    assert_eq!(ask(source).unwrap().decoded.series.len(), 1);
    assert!(stub.heard()[1].starts_with("GET /api/v1/query?query=duty_cycle_node%7Ba%3D%22b+c%22%7D HTTP/1.1\r\n"));
}

/// A field of a posted form.
fn field(request: &str, name: &str) -> Option<i64> {
    let body = request.split_once("\r\n\r\n")?.1;
    body.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
}

/// Protects: no series has more points than servers give, parts follow each other without gap or overlap, and the step
/// that was really used is told.
#[test]
fn a_long_range_is_asked_in_parts_with_a_step_that_servers_take() {
    let stub = Stub::start(|_, request, stream| {
        let body = if request.contains("/query_range") {
            let (from, to) = (field(request, "start").unwrap(), field(request, "end").unwrap());
            let series = json!({"metric": {"__name__": "m"}, "values": [[from, "1"], [to, "2"]]});
            json!({"status": "success", "data": {"resultType": "matrix", "result": [series]}}).to_string()
        } else {
            vector(&json!([{"metric": {}, "value": [AT_S, "400"]}]))
        };
        json(stream, "200 OK", &body);
    });
    let mut source = Source::new("test", SourceKind::Prometheus, &stub.address);
    source.queries.push("sum by (a) (m)".to_owned());
    let span = Some(Span { seconds: 864_000, step_s: 60 });
    let looked = ask_for(source, Wanted { at_s: Some(AT_S), span, ..Wanted::default() }).unwrap();
    let heard = stub.heard();
    let ranges: Vec<(i64, i64, i64)> = heard
        .iter()
        .filter(|request| request.contains("/query_range"))
        .map(|request| ["start", "end", "step"].map(|name| field(request, name).unwrap()).into())
        .collect();
    assert!(ranges.len() > 1, "400 series of 10 days do not fit one answer");
    assert_eq!((ranges[0].0, ranges.last().unwrap().1), (AT_S - 864_000, AT_S));
    assert!(ranges.iter().all(|(from, to, step)| (to - from) / step < 11_000 && *step == ranges[0].2));
    assert!(ranges.windows(2).all(|pair| pair[1].0 == pair[0].1 + pair[0].2), "{ranges:?}");
    let codes: Vec<&str> = looked.decoded.findings.as_slice().iter().map(|finding| finding.code).collect();
    assert!(ranges[0].2 > 60 && codes.contains(&"step-raised") && codes.contains(&"split"), "{codes:?}");
    assert_eq!(looked.decoded.series.len(), 1, "parts are one series again");
    assert_eq!(looked.decoded.series[0].samples.len(), 2 * ranges.len());
}
