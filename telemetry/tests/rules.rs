//! Rules: files, rehearsals, thresholds, anomalies, burn rates, and what people do with alerts.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fmt::Write as _;

use proptest::prelude::*;
use telemetry::labels::Labels;
use telemetry::rules::{
    Acknowledgement, AlertRule, BurnWindow, Change, Condition, Deviation, Engine, Handling, Matcher, Objective,
    RuleError, RuleText, Shown, Side, Silence, error_budget, objectives, rule_file, test_file,
};
use telemetry::tsdb::{Bounds, Tsdb};

const RULES: &str = r#"
groups:
  - name: tpu
    interval: 1m
    rules:
      - record: cube:duty:avg
        expr: avg by (cube) (duty_cycle)
        labels: {unit: percent}
      - alert: CubeIdle
        expr: cube:duty:avg < 20
        for: 3m
        keep_firing_for: 2m
        labels: {severity: warning}
        annotations:
          summary: "{{ $labels.cube }} idles at {{ $value }} %"
          runbook_url: runbooks/idle.md
      - alert: Late
        expr: histogram_quantile(0.9, x_bucket) > 5
        colour: red
"#;

const TEST: &str = r#"
rule_files: [rules.yml]
evaluation_interval: 1m
tests:
  - name: one cube idles
    interval: 1m
    input_series:
      - {series: 'duty_cycle{cube="c1", chip="0"}', values: '50x4 10x4 90x10'}
      - {series: 'duty_cycle{cube="c1", chip="1"}', values: '50x4 10x4 90x10'}
      - {series: 'duty_cycle{cube="c2", chip="2"}', values: '10+1x3 _x20'}
    alert_rule_test:
      - {eval_time: 7m, alertname: CubeIdle, exp_alerts: [{exp_labels: {cube: c2, unit: percent, severity: warning}, exp_annotations: {summary: c2 idles at 13 %, runbook_url: runbooks/idle.md}}]}
      - {eval_time: 8m30s, alertname: CubeIdle, exp_alerts: [{exp_labels: {cube: c1, unit: percent, severity: warning}, exp_annotations: {summary: c1 idles at 10 %, runbook_url: runbooks/idle.md}}, {exp_labels: {cube: c2, unit: percent, severity: warning}, exp_annotations: {summary: c2 idles at 13 %, runbook_url: runbooks/idle.md}}]}
      - {eval_time: 13m, alertname: CubeIdle, exp_alerts: []}
    promql_expr_test:
      - {expr: 'cube:duty:avg', eval_time: 5m, exp_samples: [{labels: 'cube:duty:avg{cube="c1", unit="percent"}', value: 10}, {labels: 'cube:duty:avg{cube="c2", unit="percent"}', value: 13}]}
      - {expr: 'sum(duty_cycle)', eval_time: 0s, exp_samples: [{labels: '{}', value: 111}]}
"#;

/// A file of Prometheus is read; what is not supported is left out with its place, the rest works.
#[test]
fn rule_files_are_read_and_what_is_not_supported_is_told() {
    let file = rule_file(RULES).unwrap();
    assert_eq!((file.groups.len(), file.groups[0].rules.len(), file.groups[0].interval_ms), (1, 2, Some(60_000)));
    let told: Vec<String> =
        file.findings.as_slice().iter().map(|f| format!("{} [{}] {}", f.code, f.where_, f.message)).collect();
    assert_eq!(
        told,
        [
            "unknown-key [line 19, column 17] the key colour is not used",
            "query-not-supported [line 18, column 15] Late (line 18): 1:1: histogram_quantile is not supported here; see the list of functions",
        ]
    );
    assert!(rule_file("groups: 5").is_err() && rule_file("").unwrap().groups.is_empty());
    assert_eq!(
        rule_file("groups:\n- {name: a, rules: [{expr: x}]}").unwrap_err().to_string(),
        "line 2, column 21: a rule has alert or record"
    );
}

/// The rehearsal says what fired beside what should have; the last case of the test is wrong on purpose.
#[test]
fn a_rehearsal_says_what_fired() {
    let good: String = RULES.lines().take(16).fold(String::new(), |mut text, line| {
        writeln!(text, "{line}").unwrap();
        text
    });
    let rehearsal = test_file(TEST, |name| (name == "rules.yml").then(|| RuleText::Yaml(good.clone()))).unwrap();
    let failed: Vec<_> = rehearsal.cases.iter().filter(|case| !case.passed).collect();
    assert_eq!(failed.len(), 1, "{failed:#?}");
    assert_eq!(
        (failed[0].name.as_str(), &failed[0].fired[..]),
        ("one cube idles: sum(duty_cycle)", &["{} 110".to_owned()][..])
    );
    assert!(!rehearsal.passed());
    assert!(
        matches!(test_file(TEST, |_| None), Err(RuleError::Missing { name, line: 2, column: 14 }) if name == "rules.yml")
    );
    let with_bad_rule = test_file(TEST, |_| Some(RuleText::Yaml(RULES.to_owned()))).unwrap();
    assert!(!with_bad_rule.passed(), "a rule that was left out is no success");
    assert_eq!(with_bad_rule.findings.as_slice()[1].where_, "rules.yml, line 18, column 15");
}

/// A misspelt key would make every test pass: it is told, and a file that expects nothing does not pass.
#[test]
fn a_test_that_expects_nothing_is_told() {
    let text = "rule_files: []\ntests:\n- interval: 1m\n  alert_rule_tests:\n  - {eval_time: 1m}\n";
    let rehearsal = test_file(text, |_| None).unwrap();
    let told: Vec<(&str, &str)> = rehearsal.findings.as_slice().iter().map(|f| (f.code, f.where_.as_str())).collect();
    assert_eq!(told, [("unknown-key", "line 5, column 5"), ("nothing-expected", "the file")]);
    assert!(!rehearsal.passed());
}

/// Objectives of OpenSLO and rules of a plan are rehearsed as rule files are.
#[test]
fn objectives_and_rules_of_a_plan_are_rehearsed() {
    let slo = "apiVersion: openslo/v1\nkind: SLO\nmetadata: {name: steps}\nspec:\n  timeWindow: [{duration: 28d, isRolling: true}]\n  \
               indicator: {spec: {ratioMetric: {bad: {metricSource: {spec: {query: 'rate(bad[{window}])'}}}, total: {metricSource: {spec: {query: 'rate(all[{window}])'}}}}}}\n  \
               objectives: [{target: 0.99}]\n";
    let test = "rule_files: [slo.yml, plan.ron]\ntests:\n- interval: 1m\n  input_series:\n  - {series: bad, values: '0+1x90'}\n  \
                - {series: all, values: '0+2x90'}\n  alert_rule_test:\n  - {eval_time: 80m, alertname: steps, exp_alerts: [{}]}\n  \
                - {eval_time: 80m, alertname: low, exp_alerts: [{}]}\n  - {eval_time: 2h, alertname: steps}\n";
    let low = Condition::Threshold { query: "bad".to_owned(), side: Side::Above, limit: 50.0, clear: None };
    let low = AlertRule { name: "low".to_owned(), ..rule(low) };
    let read = |name: &str| match name {
        "slo.yml" => Some(RuleText::Yaml(slo.to_owned())),
        "plan.ron" => Some(RuleText::Rules(vec![low.clone()])),
        _ => None,
    };
    let rehearsal = test_file(test, read).unwrap();
    assert!(rehearsal.cases.len() == 3 && rehearsal.cases[..2].iter().all(|case| case.passed), "{rehearsal:#?}");
}

fn rule(condition: Condition) -> AlertRule {
    AlertRule {
        name: "r".to_owned(),
        condition,
        for_seconds: 0.0,
        keep_firing_seconds: 0.0,
        labels: Labels::default(),
        annotations: Labels::default(),
        runbook: None,
        element: None,
    }
}

/// What changed at each minute, as letters: Fired, Resolved, or nothing.
fn play(rule: AlertRule, series: &[&[f64]]) -> String {
    let mut engine = Engine::new(vec![rule]).unwrap();
    let mut store = Tsdb::new(Bounds::default());
    let ids: Vec<_> = (0..series.len())
        .map(|i| store.series_id(&Labels::new([("__name__", "x"), ("i", &i.to_string())])).unwrap())
        .collect();
    let mut text = String::new();
    for minute in 0..series[0].len() {
        for (id, values) in ids.iter().zip(series) {
            store.append(*id, minute as i64 * 60_000, values[minute]);
        }
        let (changes, errors) = engine.step(&store, minute as i64 * 60_000);
        assert_eq!(errors, []);
        let fired = changes.iter().any(|(change, _)| *change == Change::Fired);
        let resolved = changes.iter().any(|(change, _)| *change == Change::Resolved);
        text.push(if fired {
            'F'
        } else if resolved {
            'R'
        } else {
            '.'
        });
    }
    text
}

#[test]
fn a_threshold_is_left_only_beyond_its_second_limit() {
    let threshold = |clear| rule(Condition::Threshold { query: "x".to_owned(), side: Side::Below, limit: 60.0, clear });
    let values: &[&[f64]] = &[&[70.0, 59.0, 61.0, 59.0, 64.0, 66.0, 61.0]];
    assert_eq!(play(threshold(Some(65.0)), values), ".F...R.");
    assert_eq!(play(threshold(None), values), ".FRFR..", "without it the alert flutters");
    let held = AlertRule { for_seconds: 120.0, ..threshold(Some(65.0)) };
    assert_eq!(play(held, values), "...F.R.");
    let error = Engine::new(vec![threshold(Some(50.0))]).unwrap_err();
    assert_eq!(error.to_string(), "r: a threshold has one side, and clear lies on the healthy side of the limit");
}

#[test]
fn anomalies_are_told_from_the_group_and_from_the_past() {
    let group = rule(Condition::Anomaly {
        query: "x".to_owned(),
        deviation: Deviation::Group { sigmas: 4.0, min_series: 4 },
        side: Side::Below,
    });
    let series: Vec<Vec<f64>> = (0..8)
        .map(|i| {
            (0..6)
                .map(|t| if i == 3 && (2..4).contains(&t) { 20.0 } else { 60.0 + f64::from((i * 5 + t) % 4) })
                .collect()
        })
        .collect();
    let series: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
    assert_eq!(play(group, &series), "..F.R.");
    let past = rule(Condition::Anomaly {
        query: "x".to_owned(),
        deviation: Deviation::Past { sigmas: 4.0, weight: 0.1, warm_up: 10 },
        side: Side::Both,
    });
    let values: Vec<f64> =
        (0..40).map(|t| if (25..30).contains(&t) { 90.0 } else { 60.0 + f64::from(t * 7 % 5) }).collect();
    let text = play(past, &[&values]);
    assert_eq!(text.find('F'), Some(25), "{text}");
    assert_eq!(text.find('R'), Some(30), "trouble does not become usual: {text}");
}

fn objective() -> Objective {
    Objective {
        name: "steps".to_owned(),
        target_fraction: 0.99,
        window_seconds: 2_592_000.0,
        good: None,
        bad: Some("sum(rate(bad_total[{window}]))".to_owned()),
        total: "sum(rate(all_total[{window}]))".to_owned(),
    }
}

/// Oracle: 99.5 % over 30 days are 216 minutes (Google Cloud, "Alerting on your burn rate"); the recommended pairs use 2, 5
/// and 10 % of the budget (SRE workbook, table 5-8).
#[test]
fn an_error_budget_is_that_of_the_documents() {
    let minutes = 30.0 * 24.0 * 60.0;
    let budget = error_budget(&Objective { target_fraction: 0.995, ..objective() }, 108.0, minutes).unwrap();
    assert!((budget.allowed_events - 216.0).abs() < 1e-9 && (budget.left_fraction - 0.5).abs() < 1e-12);
    assert!((budget.burn_rate - 0.5).abs() < 1e-12);
    assert!((budget.seconds_to_empty.unwrap() - 2_592_000.0).abs() < 1e-3);
    let empty = error_budget(&objective(), 2.0, 100.0).unwrap();
    assert!(empty.left_fraction < 0.0 && empty.seconds_to_empty.is_none());
    assert_eq!(error_budget(&objective(), 0.0, 0.0), None);
    let used = |w: &BurnWindow| w.burn_rate * w.long_seconds / 2_592_000.0;
    let shares: Vec<f64> = BurnWindow::RECOMMENDED.iter().map(|w| (used(w) * 1e4).round() / 1e4).collect();
    assert_eq!(shares, [0.02, 0.05, 0.1]);
}

/// A burn that is long over does not fire, and one that has just begun does not either: both windows must show it.
#[test]
fn both_windows_must_burn() {
    let mut store = Tsdb::new(Bounds::default());
    let [bad, all] =
        ["bad_total", "all_total"].map(|name| store.series_id(&Labels::new([("__name__", name)])).unwrap());
    let windows = vec![BurnWindow { long_seconds: 3_600.0, short_seconds: 300.0, burn_rate: 14.4 }];
    let mut engine = Engine::new(vec![rule(Condition::BurnRate { objective: objective(), windows })]).unwrap();
    let (mut n_bad, mut fired) = (0.0, Vec::new());
    for minute in 0..240 {
        // From minute 100 to 130 a third of all steps fail.
        n_bad += if (100..130).contains(&minute) { 20.0 } else { 0.0 };
        store.append(bad, minute * 60_000, n_bad);
        store.append(all, minute * 60_000, 60.0 * minute as f64);
        for (change, _) in engine.step(&store, minute * 60_000).0 {
            if change != Change::Pending {
                fired.push((change, minute));
            }
        }
    }
    // 14.4 % of the hour's 3,600 steps are 518: after 26 minutes; the short window is clean five minutes after the end.
    assert_eq!(fired.len(), 2, "{fired:?}");
    assert!(fired[0].0 == Change::Fired && (124..=127).contains(&fired[0].1), "{fired:?}");
    assert!(fired[1].0 == Change::Resolved && (131..=136).contains(&fired[1].1), "{fired:?}");
}

#[test]
fn openslo_is_read_in_both_dialects() {
    let text = r"
apiVersion: openslo/v1
kind: SLO
metadata: {name: steps}
spec:
  indicatorRef: ratio
  timeWindow: [{duration: 28d, isRolling: true}]
  budgetingMethod: Occurrences
  objectives: [{displayName: strict, target: 0.995}, {targetPercent: 99}, {target: 1}]
---
apiVersion: openslo/v1
kind: SLI
metadata: {name: ratio}
spec:
  ratioMetric:
    good: {metricSource: {type: Prometheus, spec: {query: 'sum(rate(good[{window}]))'}}}
    total: {metricSource: {type: Prometheus, spec: {query: 'sum(rate(all[{window}]))'}}}
---
kind: AlertPolicy
";
    let (found, findings) = objectives(text).unwrap();
    let rows: Vec<(&str, f64, f64)> =
        found.iter().map(|o| (o.name.as_str(), o.target_fraction, o.window_seconds)).collect();
    assert_eq!(rows, [("steps: strict", 0.995, 2_419_200.0), ("steps 2", 0.99, 2_419_200.0)]);
    assert_eq!(findings.as_slice().iter().map(|f| f.code).collect::<Vec<_>>(), ["objective-not-supported", "not-used"]);
    assert_eq!(found[0].error_query(3_600.0), "1 - (sum(rate(good[3600000ms]))) / (sum(rate(all[3600000ms])))");
}

/// What people did is saved as data; silences end, and an alert that came again is loud again.
#[test]
fn alerts_are_acknowledged_and_silenced_for_a_while() {
    let alert = Labels::new([("alertname", "r"), ("cube", "c1")]);
    let matchers = vec![Matcher { name: "cube".to_owned(), value: "c1".to_owned(), is_equal: true }];
    let silence =
        Silence { matchers, from_unix_seconds: 100, until_unix_seconds: 200, by: "Ada".to_owned(), why: String::new() };
    let known =
        Acknowledgement { alert: alert.clone(), by: "Ada".to_owned(), at_unix_seconds: 60, note: String::new() };
    let handling = Handling { acknowledged: vec![known.clone()], silences: vec![silence.clone()], annotations: vec![] };
    let handling: Handling = ron::from_str(&ron::to_string(&handling).unwrap()).unwrap();
    assert_eq!(handling.shown(&alert, 50, 90), Shown::Acknowledged(&known));
    assert_eq!(handling.shown(&alert, 50, 150), Shown::Silenced(&silence));
    assert_eq!(handling.shown(&alert, 70, 200), Shown::Loud, "it came again after it was acknowledged");
    let nothing = Handling { silences: vec![Silence { matchers: vec![], ..silence }], ..Handling::default() };
    assert_eq!(nothing.shown(&alert, 50, 150), Shown::Loud, "a silence without matchers silences nothing");
    let rule = rule(Condition::Threshold { query: "x".to_owned(), side: Side::Above, limit: 1.0, clear: None });
    let read: AlertRule = ron::from_str(&ron::to_string(&rule).unwrap()).unwrap();
    assert_eq!(read, rule);
}

proptest! {
    /// No file makes a reader panic.
    #[test]
    fn any_file_is_survived(lines in prop::collection::vec(prop::sample::select(vec![
        "groups:", "- name: a", "  rules:", "  - alert: b", "    expr: x", "    for: 5m", "    labels: {a: b}", "tests:", "- interval: 1m", "  input_series:",
        "  - series: 'x{a=\"b\"}'", "    values: '1+1x5 _ stale'", "    values: 1x99999999999", "  alert_rule_test:", "  - eval_time: 9h", "    alertname: b", "kind: SLO", "spec:", "  timeWindow: [{duration: 5x}]",
        "metadata: {name: x}", "---", "é: [", "  objectives: [{target: 2}]", "evaluation_interval: 0s", "  promql_expr_test:", "  - expr: sum(", "- {}",
    ]), 0..16)) {
        let text = lines.join("\n");
        let results = [rule_file(&text).is_ok(), objectives(&text).is_ok(), test_file(&text, |_| Some(RuleText::Yaml(text.clone()))).is_ok()];
        prop_assert!(results.len() == 3);
    }
}
