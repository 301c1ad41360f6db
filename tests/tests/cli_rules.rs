//! `podium rules test` says what fired beside what should have, and where a file is wrong.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs;
use std::path::Path;

use app::cli::failure::Status;
use expect_test::expect;
use looks::command_line::{Ran, podium};
use serde_json::Value;

/// Rules that idle chips break, and one that cannot be computed if `with_bad`.
fn rules(with_bad: bool) -> String {
    let bad = "  - {alert: Late, expr: 'histogram_quantile(0.9, x_bucket) > 5'}\n";
    let idle = "  - {alert: Idle, expr: duty_cycle < 20, for: 2m, labels: {severity: page}}\n";
    format!("groups:\n- name: a\n  rules:\n{idle}{}", if with_bad { bad } else { "" })
}

const TEST: &str = "rule_files: [idle.yml]
tests:
- name: one chip
  interval: 1m
  input_series: [{series: 'duty_cycle{chip=\"7\"}', values: '50 10x9'}]
  alert_rule_test:
  - {eval_time: 2m, alertname: Idle}
  - {eval_time: 4m, alertname: Idle, exp_alerts: [{exp_labels: {chip: '7', severity: page}}]}
";

/// Runs the command on these files, the last of which is the test; paths in its answers are cut to their names.
fn run(files: &[(&str, &str)], more: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let file = folder.path().join(files.last().unwrap().0);
    let ran = podium(&[&["rules", "test", file.to_str().unwrap()], more].concat());
    let before = format!("{}/", folder.path().display());
    Ran { out: ran.out.replace(&before, ""), err: ran.err.replace(&before, ""), ..ran }
}

#[test]
fn a_rehearsal_that_passes_is_status_0() {
    let ran = run(&[("idle.yml", &rules(false)), ("test.yml", TEST)], &[]);
    assert_eq!((ran.status, ran.err.as_str()), (Status::Done, ""));
    expect![[r#"
        passed  one chip: Idle at 120 s
        passed  one chip: Idle at 240 s
        2 cases, all passed
    "#]]
    .assert_eq(&ran.out);
}

#[test]
fn a_case_that_fails_says_what_is_different() {
    let wrong = TEST.replace("severity: page", "severity: warning");
    let ran = run(&[("idle.yml", &rules(false)), ("test.yml", &wrong)], &[]);
    assert_eq!(ran.status, Status::Found);
    expect![[r#"
        passed  one chip: Idle at 120 s
        FAILED  one chip: Idle at 240 s
                expected, did not come:  {alertname="Idle", chip="7", severity="warning"}
                came, not expected:      {alertname="Idle", chip="7", severity="page"}
        2 cases, 1 failed
    "#]]
    .assert_eq(&ran.out);
}

/// Protects scripts: keys may be added, never renamed.
#[test]
fn the_promised_keys_are_there() {
    let ran = run(&[("idle.yml", &rules(true)), ("test.yml", TEST)], &["--json"]);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.status, &answer["command"], &answer["passed"]), (Status::Found, &"rules".into(), &false.into()));
    for key in ["name", "at_seconds", "expected", "fired", "passed"] {
        assert!(answer["cases"][1].get(key).is_some(), "{key} is missing in {answer}");
    }
    assert_eq!(answer["cases"][1]["at_seconds"], 240);
    assert_eq!(answer["cases"][1]["fired"], answer["cases"][1]["expected"]);
    assert_eq!(answer["findings"][0]["code"], "query-not-supported", "a rule that is left out is no success");
    assert_eq!(answer["findings"][0]["where"], "idle.yml, line 5, column 25");
}

#[test]
fn a_wrong_file_is_told_with_its_place() {
    let refused = |files: &[(&str, &str)]| {
        let ran = run(files, &[]);
        assert_eq!((ran.status, ran.out.as_str()), (Status::Found, ""));
        ran.err
    };
    expect![[r#"
        error: the rule file idle.yml cannot be read: there is no such file
          where: test.yml:1:14
          hint: Paths of rule files count from the folder of the test file
    "#]]
    .assert_eq(&refused(&[("test.yml", TEST)]));
    expect![[r#"
        error: a list is expected
          where: idle.yml:1:9
          hint: The form is that of `promtool test rules`; docs/formats.md shows it under Rules
    "#]]
    .assert_eq(&refused(&[("idle.yml", "groups: 5\n"), ("test.yml", TEST)]));
    let bad = "tests:\n- promql_expr_test:\n  - {expr: 'sum(', eval_time: 1m}\n";
    expect![[r#"
        error: test 1 (line 3): 1:5: a number, a name or a bracket is expected
          where: test.yml:3
          hint: docs/formats.md lists the parts of PromQL that are computed, under Rules
    "#]]
    .assert_eq(&refused(&[("test.yml", bad)]));
    let endless = "tests:\n- alert_rule_test: [{eval_time: 900w, alertname: a}]\n";
    assert!(refused(&[("test.yml", endless)]).contains("where: test.yml:2:3"));
    let missing = podium(&["rules", "test", "no-such.yml"]);
    assert!(missing.status == Status::Found && missing.err.contains("there is no such file"), "{}", missing.err);
}

/// The sample is read by Podium as by promtool; `.ci/run servers` runs promtool on the same file.
#[test]
fn the_sample_passes() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("sample-data/rules/tpu.test.yml");
    let ran = podium(&["rules", "test", sample.to_str().unwrap()]);
    assert_eq!(ran.status, Status::Done, "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with("5 cases, all passed\n"), "{}", ran.out);
}
