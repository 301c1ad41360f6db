//! The command: over recorded files, and over a server that is only pretended.

use app::cli::failure::Status;
use looks::command_line::podium;
use serde_json::Value;

use crate::stub::{Stub, json, reply};

const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../telemetry/tests/data/answers/");

fn answer(arguments: &[&str]) -> (Status, Value) {
    let all: Vec<&str> = ["observe", "--json"].into_iter().chain(arguments.iter().copied()).collect();
    let ran = podium(&all);
    let value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {} {}", ran.out, ran.err));
    (ran.status, value)
}

fn file(name: &str, more: &[&str]) -> (Status, Value) {
    let path = format!("{ANSWERS}{name}");
    answer(&[&["--source", &path], more].concat())
}

/// Protects: the keys of the contract, and that a file gives the same answer tomorrow.
#[test]
fn a_page_of_an_exporter_is_read_with_coverage_for_each_metric() {
    let (status, seen) = file("device-plugin-v5p.prom", &[]);
    assert_eq!((status, &seen["command"], &seen["kind"]), (Status::Done, &"observe".into(), &"exposition".into()));
    let duty = seen["metrics"].as_array().unwrap().iter().find(|metric| metric["metric"] == "duty_cycle").unwrap();
    assert_eq!((&duty["chips_reporting"], &duty["unit"]), (&4.into(), &"percent".into()));
    for key in ["series", "samples", "findings", "partial", "clock_offset_seconds", "binding", "requests"] {
        assert!(seen.get(key).is_some(), "{key}");
    }
    assert_eq!(seen["age_seconds"], Value::Null);
    assert_eq!(file("device-plugin-v5p.prom", &[]).1, seen);
}

/// C39: the mark stays on every figure that is derived.
#[test]
fn c39_a_partial_recording_stays_partial() {
    let (status, seen) = file("query_victoriametrics_partial.json", &["--at", "2026-11-30T19:05:00Z"]);
    assert_eq!((status, &seen["partial"]), (Status::Done, &true.into()));
    assert!(seen["metrics"].as_array().unwrap().iter().all(|metric| metric["is_partial"] == true));
}

/// Protects: status 3 says that no answer came from a source, status 1 that what was asked is wrong.
#[test]
fn no_answer_is_status_3_and_a_wrong_question_status_1() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (status, seen) = answer(&["--source", &format!("http://127.0.0.1:{port}")]);
    assert_eq!((status, &seen["error"]["kind"]), (Status::Unreachable, &"unreachable".into()));
    let web = Stub::start(|_, _, stream| reply(stream, "200 OK", "content-type: text/html\r\n", b"<html>"));
    let (status, seen) = answer(&["--source", &web.address]);
    assert_eq!((status, &seen["error"]["kind"]), (Status::Unreachable, &"not_an_answer".into()));
    let locked = Stub::start(|_, _, stream| reply(stream, "401 Unauthorized", "", b"who are you"));
    let (status, seen) = answer(&["--source", &locked.address]);
    assert_eq!((status, &seen["error"]["kind"]), (Status::Unreachable, &"unauthorized".into()));
    assert!(seen["error"]["message"].as_str().unwrap().contains("who are you"), "{seen}");

    let wrong = include_str!("../../../telemetry/tests/data/answers/error_many_to_many_422.json");
    let wrong = Stub::start(move |_, _, stream| json(stream, "422 Unprocessable Entity", wrong));
    let (status, seen) = answer(&["--source", &wrong.address, "--query", "a / b"]);
    assert_eq!((status, &seen["error"]["kind"]), (Status::Found, &"refused".into()));
    let (status, seen) = answer(&["--source", "no-such.prom"]);
    assert_eq!((status, &seen["error"]["kind"]), (Status::Found, &"not_found".into()));
    assert_eq!(seen["error"]["where"], "no-such.prom");
    let folder = tempfile::tempdir().unwrap();
    let html = folder.path().join("page.json");
    std::fs::write(&html, "<html>Sign in</html>").unwrap();
    let (status, seen) = answer(&["--source", html.to_str().unwrap()]);
    assert_eq!(
        (status, &seen["error"]["kind"]),
        (Status::Found, &"not_an_answer".into()),
        "a file is never out of reach"
    );
}

/// Protects: a server that was asked for everything gives what the registry knows, bound to the fleet and for people too.
#[test]
fn a_server_an_exporter_and_alertmanager_are_looked_at() {
    let page = std::fs::read_to_string(format!("{ANSWERS}device-plugin-v5p.prom")).unwrap();
    let exporter =
        Stub::start(move |_, _, stream| reply(stream, "200 OK", "content-type: text/plain\r\n", page.as_bytes()));
    let (status, seen) = answer(&["--source", &format!("{}/metrics", exporter.address)]);
    assert_eq!((status, &seen["kind"], &seen["requests"]), (Status::Done, &"exposition".into(), &1.into()));
    assert!(seen["metrics"].as_array().unwrap().len() > 3, "{}", seen["metrics"]);

    let alerts = std::fs::read_to_string(format!("{ANSWERS}alertmanager_v2_alerts.json")).unwrap();
    let manager = Stub::start(move |_, _, stream| json(stream, "200 OK", &alerts));
    let (status, seen) = answer(&["--source", &manager.address, "--kind", "alertmanager"]);
    assert_eq!((status, &seen["alerts"][0]["state"]), (Status::Done, &"suppressed".into()));

    let partial = std::fs::read_to_string(format!("{ANSWERS}query_victoriametrics_partial.json")).unwrap();
    let server = Stub::start(move |_, _, stream| json(stream, "200 OK", &partial));
    let ran = podium(&["observe", "--source", &server.address, "--query", "duty_cycle"]);
    assert_eq!(ran.status, Status::Done, "{}", ran.err);
    assert!(ran.out.contains("1 of 1 chips, partial"), "{}", ran.out);
}

/// Protects: what is printed while a secret is in use does not hold it, whatever the server does.
#[test]
fn a_secret_in_use_is_printed_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "hunter2-very-secret").unwrap();
    let reference = format!("file:{}", token.display());
    let stub = Stub::start(|n, request, stream| match n {
        0 => reply(stream, "403 Forbidden", "", request.as_bytes()),
        1 => reply(stream, "200 OK", "content-type: text/hunter2-very-secret\r\n", b""),
        2 => reply(stream, "302 Found", "location: http://hunter2-very-secret/\r\n", b""),
        _ => reply(stream, "200 OK", "", b"m{a=\"hunter2-very-secret\"} 1\nno metric hunter2-very-secret\n"),
    });
    for n in 0..4 {
        let ran = podium(&["observe", "--source", &format!("{}/metrics", stub.address), "--bearer", &reference]);
        assert!(stub.heard()[n].contains("Bearer hunter2-very-secret"), "it was sent");
        assert!(!format!("{ran:?}").contains("hunter2"), "{n}: {ran:?}");
    }
}

/// Protects: secrets come by reference only, and no message repeats one.
#[test]
fn secrets_are_taken_by_reference_only() {
    for arguments in [
        ["--source", "http://ada:hunter2@127.0.0.1:1/", "--timeout", "1"],
        ["--source", "http://127.0.0.1:1/?token=hunter2", "--timeout", "1"],
        ["--source", "http://127.0.0.1:1/", "--bearer", "hunter2"],
        ["--source", "http://127.0.0.1:1/", "--basic", "ada:hunter2"],
        ["--source", "http://127.0.0.1:1/", "--header", "Authorization:hunter2"],
    ] {
        let ran = podium(&[&["observe", "--json"], &arguments[..]].concat());
        assert_eq!(ran.status, Status::Usage, "{arguments:?}: {}", ran.err);
        assert!(!ran.out.contains("hunter2") && !ran.err.contains("hunter2"), "{}", ran.err);
    }
}

/// Protects: too much is refused with the figure, after counting and before any value is asked for.
#[test]
fn too_much_is_refused_before_it_is_asked_for() {
    let stub = Stub::start(|_, request, stream| {
        let body = if request.contains("/label/__name__/values") {
            "{\"status\":\"success\",\"data\":[\"duty_cycle_node\"]}"
        } else {
            "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[{\"metric\":{},\"value\":[1796065200,\"300000\"]}]}}"
        };
        json(stream, "200 OK", body);
    });
    let (_, seen) = answer(&["--source", &format!("{}/prefix", stub.address), "--at", "1796065200"]);
    assert_eq!(seen["error"]["kind"], "too_large");
    assert!(seen["error"]["message"].as_str().unwrap().contains("300000 series"), "{seen}");
    assert!(stub.heard().iter().filter(|request| request.contains("/query")).all(|request| request.contains("count")));
}
