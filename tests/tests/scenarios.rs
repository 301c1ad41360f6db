//! The window and the command line answer alike: every scenario of the sample, number by number.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use app::cli::failure::Status;
use app::trials::Trials;
use app::views::what_if::derive::command_line;
use looks::command_line::podium;
use planning::plan::{Scenario, ScenarioId};
use serde_json::Value;
use simulator::collective::Collective;
use simulator::trial::{Exchange, Trial};
use topology::chip::{Catalog, GenerationId};
use topology::shape::Shape;

/// The words of a command line, as a shell takes them apart.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// A scenario in replica groups, which the sample has none of.
fn grouped(like: &Scenario) -> Scenario {
    let exchange = Exchange { kind: Collective::AllGather, bytes: 1 << 24, axes: "{{0,1,2,3},{4,5,6,7}}".to_owned() };
    let trial = Some(Trial::Collective(exchange));
    let generation = GenerationId("v5e".to_owned());
    let (id, shape) = (ScenarioId(99), Shape::flat(2, 4));
    Scenario { id, generation, shape, twisted: false, n_slices: 1, faults: Vec::new(), trial, ..like.clone() }
}

/// Protects: a figure in the window is the figure of the command that the window shows beside it, to the last bit.
#[test]
fn the_window_s_numbers_are_the_command_s() {
    let mut plan = planning::sample();
    let grouped = grouped(&plan.scenarios[0]);
    Arc::make_mut(&mut plan.scenarios).push(grouped);
    let mut trials = Trials::default();
    trials.fill(&plan.scenarios, &Arc::new(Catalog::embedded().clone()));
    let tried: Vec<_> = plan.scenarios.iter().filter(|scenario| scenario.trial.is_some()).collect();
    assert!(tried.len() >= 8, "the sample tries every kind of work");
    for scenario in tried {
        let line = command_line(scenario).unwrap();
        let mut arguments = words(line.strip_prefix("podium ").unwrap());
        arguments.push("--json".to_owned());
        let ran = podium(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((ran.status, ran.err.as_str()), (Status::Done, ""), "{line}");
        let command: Value = serde_json::from_str(&ran.out).unwrap();
        let answer = trials.answer(scenario).unwrap().result.as_ref().unwrap();
        let window = [answer.seconds, answer.seconds_low, answer.seconds_high].map(f64::from);
        let keys = ["seconds", "seconds_low", "seconds_high"];
        for (key, value) in keys.into_iter().zip(window) {
            // The reader of JSON may be one unit in the last place off.
            let told = command[key].as_f64().unwrap();
            assert!((told - value).abs() <= 2.0 * f64::EPSILON * value, "{line}: {key} {told}, window {value}");
        }
    }
}

/// Protects: the timeline that a trace viewer opens ends when the answer says, start-up included.
#[test]
fn a_trace_of_a_collective_ends_with_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let line = "collective all-reduce --slice v5p:4x4x4 --axes x,y --bytes 256MiB --fail link:0,0,0:x --json --trace";
    let mut arguments: Vec<&str> = line.split(' ').collect();
    arguments.push(path.to_str().unwrap());
    let ran = podium(&arguments);
    assert_eq!((ran.status, ran.err.as_str()), (Status::Done, ""));
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().or(trace.as_array()).unwrap();
    let ends = events.iter().filter_map(|event| Some(event["ts"].as_f64()? + event["dur"].as_f64()?));
    let (end, seconds) = (ends.fold(0.0, f64::max), answer["seconds"].as_f64().unwrap());
    assert!((end / 1e6 / seconds - 1.0).abs() < 1e-6, "{end} µs, {seconds} s");
}
