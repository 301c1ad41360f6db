//! The document of formats: every example in it is read, and every key of the written sample is explained.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use planning::{SAMPLE_TEXT, check_plan, file};
use topology::chip::Catalog;

const DOCUMENT: &str = include_str!("../../docs/formats.md");

#[test]
fn every_example_is_a_sound_file() {
    let examples: Vec<&str> =
        DOCUMENT.split("```ron\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() >= 3);
    for example in examples {
        let opened = file::read(example).unwrap_or_else(|error| panic!("{error}\n{example}"));
        assert_eq!(opened.warnings, Vec::<String>::new());
        let errors: Vec<_> = check_plan(&opened.plan, Catalog::embedded());
        assert!(errors.iter().all(|finding| finding.code == "unknown-team"), "{errors:?}");
    }
}

#[test]
fn the_sample_fleet_is_sound() {
    let opened = file::read(include_str!("../../sample-data/fleets/two-pods.ron")).unwrap();
    assert_eq!(
        (opened.warnings.len(), topology::check::check_fleet(&opened.plan.fleet, Catalog::embedded())),
        (0, vec![])
    );
}

/// Workloads are documented where they are defined; all other keys are in the document.
#[test]
fn every_key_of_the_sample_is_explained() {
    let without_jobs: Vec<&str> = SAMPLE_TEXT.split("    jobs: [\n").collect();
    let after_jobs = without_jobs[1].split_once("\n    ],\n").unwrap().1;
    for line in without_jobs[0].lines().chain(after_jobs.lines()) {
        let key = line.trim().split(": ").next().unwrap();
        let is_key =
            line.contains(": ") && key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        assert!(!is_key || DOCUMENT.contains(&format!("`{key}`")) || DOCUMENT.contains(&format!("{key}: ")), "{key}");
    }
}
