//! Sources of observed figures in the plan: kept, edited, checked, and never with a secret.
#![allow(clippy::unwrap_used, reason = "tests")]

use planning::edit::{Edit, SourceEdit};
use planning::file;
use planning::plan::Plan;
use planning::source::{ClientCertificate, Credentials, Source, SourceKind};
use planning::{check_plan, diff, sample};
use telemetry::bind::Manual;
use telemetry::labels::Labels;
use topology::chip::Catalog;
use topology::fleet::PodId;
use topology::shape::Coord;

fn north() -> Source {
    Source {
        credentials: Some(Credentials::Bearer("env:PROM_TOKEN".parse().unwrap())),
        headers: [("X-Scope-OrgID".to_owned(), "north".to_owned())].into(),
        proxy: Some("http://proxy:3128".to_owned()),
        ca_file: Some("ca.pem".to_owned()),
        client_certificate: Some(ClientCertificate {
            certificate_file: "own.pem".to_owned(),
            key_file: "own.key".to_owned(),
        }),
        queries: vec!["avg by (node) (duty_cycle_node)".to_owned()],
        ..Source::new("north", SourceKind::Prometheus, "https://prometheus.example/prefix")
    }
}

fn apply(plan: &mut Plan, edit: SourceEdit) -> Result<(), String> {
    Edit::Source(Box::new(edit)).apply(plan).map_err(|error| error.to_string())
}

fn with_source() -> Plan {
    let mut plan = sample();
    apply(&mut plan, SourceEdit::Add(north())).unwrap();
    plan
}

fn binding(pod: &str, chip: Coord) -> Manual {
    Manual { labels: Labels::new([("node", "a")]), pod: PodId::from(pod), chip }
}

fn bind(binding: Manual) -> SourceEdit {
    SourceEdit::Bind { source: "north".to_owned(), binding }
}

#[test]
fn a_source_is_written_and_read_back_equal() {
    let mut plan = with_source();
    let pod = plan.fleet.pods[0].id.0.clone();
    apply(&mut plan, bind(binding(&pod, Coord::new(0, 0, 0)))).unwrap();
    let text = file::write(&plan);
    assert!(text.contains("env:PROM_TOKEN"), "the reference is what is written");
    let opened = file::read(&text).unwrap();
    assert_eq!((opened.plan.sources, opened.warnings), (plan.sources, Vec::<String>::new()));
    assert!(!file::write(&sample()).contains("sources"), "no source, no key");
}

/// Protects: a plan with a secret is not opened, so that it is not written again either; the refusal does not repeat it.
#[test]
fn a_file_with_a_secret_is_refused_without_repeating_it() {
    let text = file::write(&with_source());
    for (reference, secret) in [
        ("\"env:PROM_TOKEN\"", "\"hunter2\""),
        ("https://prometheus.example", "https://ada:hunter2@prometheus.example"),
        ("https://prometheus.example/prefix", "https://prometheus.example/?api_key=hunter2"),
        ("\"X-Scope-OrgID\": \"north\"", "\"Authorization\": \"Bearer hunter2\""),
        ("http://proxy:3128", "http://ada:hunter2@proxy:3128"),
    ] {
        let bad = text.replace(reference, secret);
        assert!(bad.contains("hunter2"), "{reference} is in the text");
        let error = file::read(&bad).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        assert!(error.hint.contains("env:NAME") || error.to_string().contains("env:NAME"), "{error}");
    }
}

#[test]
fn edits_keep_names_unique_and_bindings_on_chips_that_exist() {
    let mut plan = with_source();
    assert!(apply(&mut plan, SourceEdit::Add(north())).unwrap_err().contains("north"));
    let bad = Source { refresh_seconds: 5, ..Source::new("south", SourceKind::Exposition, "http://host/metrics") };
    assert!(apply(&mut plan, SourceEdit::Add(bad)).unwrap_err().contains("too often"));
    let pod = plan.fleet.pods[0].id.0.clone();
    assert!(apply(&mut plan, bind(binding("nowhere", Coord::new(0, 0, 0)))).is_err());
    assert!(apply(&mut plan, bind(binding(&pod, Coord::new(999, 0, 0)))).is_err());
    apply(&mut plan, bind(binding(&pod, Coord::new(0, 0, 0)))).unwrap();
    apply(&mut plan, bind(binding(&pod, Coord::new(1, 0, 0)))).unwrap();
    assert_eq!(plan.source("north").unwrap().mapping.manual, [binding(&pod, Coord::new(1, 0, 0))], "the newer stays");
    let labels = Labels::new([("node", "a")]);
    let unbind = SourceEdit::Unbind { source: "north".to_owned(), labels };
    apply(&mut plan, unbind.clone()).unwrap();
    assert!(apply(&mut plan, unbind).is_err(), "there is none any more");
    let renamed = Source { name: "arctic".to_owned(), ..north() };
    apply(&mut plan, SourceEdit::Set { name: "north".to_owned(), source: renamed }).unwrap();
    apply(&mut plan, SourceEdit::Remove("arctic".to_owned())).unwrap();
    assert!(plan.sources.is_empty());
}

/// Protects: a binding whose chip went away is told, and a difference of plans names sources.
#[test]
fn bindings_without_a_chip_are_found() {
    let mut plan = with_source();
    let pod = plan.fleet.pods[0].id.0.clone();
    apply(&mut plan, bind(binding(&pod, Coord::new(0, 0, 0)))).unwrap();
    assert!(check_plan(&plan, Catalog::embedded()).is_empty());
    std::sync::Arc::make_mut(&mut plan.fleet).pods.remove(0);
    let found = check_plan(&plan, Catalog::embedded());
    assert!(found.iter().any(|finding| finding.code == "dangling-binding" && finding.where_ == "source north"));
    let added = diff::plans(&sample(), &with_source()).added;
    assert!(added.iter().any(|thing| thing.kind == "source"), "{added:?}");
}
