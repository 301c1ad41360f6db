//! Indicators against the table of expected values, and against texts that lie.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use common::{expected, near, sample};
use jiff::civil::{Date, date};
use planning::import::github::{self, Pages};
use planning::import::record::Options;
use planning::kpi::focus::{self, Mapping};
use planning::kpi::series::{self, Join};
use planning::kpi::slo::{self, ALERTS};
use planning::kpi::{self, Standing, audit, delivery, training};
use planning::merge::merge;
use planning::roadmap::{Gate, Roadmap};

const AS_OF: Date = date(2026, 11, 30);

fn money(ours: f64, theirs: &serde_json::Value, what: &str) {
    let theirs = theirs.as_f64().unwrap();
    near(ours, theirs, 1e-6 * theirs.abs(), what);
}

#[test]
fn adherence_gives_the_expected_values() {
    let names = ["milestones_page1.json", "milestones_page2.json"].map(|name| sample(&format!("github/{name}")));
    let (Some(expected), [Some(one), Some(two)]) = (expected(), names) else { return };
    let read = github::read(&Pages { milestones: &[&one, &two], ..Pages::default() });
    let roadmap = merge(&Roadmap::default(), read.plans.imported("repo", AS_OF, &Options::default())).roadmap;
    let table = &expected["milestones"];
    let number = |key: &str| table[key].as_f64();
    assert_eq!(delivery::adherence(&roadmap, AS_OF).value, number("adherence_due_to_date"));
    assert_eq!(delivery::adherence_closed(&roadmap, AS_OF).value, number("on_time_ratio_closed"));
    let (mean, median) = delivery::slip_days(&roadmap, AS_OF).unwrap();
    assert_eq!((Some(mean), Some(median)), (number("mean_slip_days"), number("median_slip_days")));
    assert_eq!(table["overdue_open"], serde_json::json!(delivery::overdue(&roadmap, AS_OF)));
}

#[test]
fn costs_give_the_expected_values() {
    let (Some(expected), Some(text), Some(counters)) =
        (expected(), sample("focus/focus_1_2_tpu.csv"), sample("capacity/serving_counters.csv"))
    else {
        return;
    };
    let costs = focus::read(&text, &Mapping::default());
    let table = &expected["focus"];
    assert_eq!(costs.findings, []);
    money(costs.billed_usd, &table["sum"]["BilledCost"], "billed");
    money(costs.effective_usd, &table["sum"]["EffectiveCost"], "effective");
    money(costs.list_usd, &table["sum"]["ListCost"], "list");
    money(costs.contracted_usd, &table["sum"]["ContractedCost"], "contracted");
    assert_eq!(costs.jobs.len(), table["effective_cost_by_job"].as_object().unwrap().len());
    for job in &costs.jobs {
        money(job.effective_usd, &table["effective_cost_by_job"][&job.name], &job.name);
        money(job.chip_hours, &table["chip_hours_by_job"][&job.name], &job.name);
    }
    for row in costs.per_run().rows {
        money(row.value.unwrap(), &table["cost_per_training_run"][&row.label], &row.label);
    }
    let (served, findings) = focus::served(&counters);
    assert_eq!(findings, []);
    let per = |count, unit| costs.per_served(count, unit).value.unwrap();
    money(per(served.output_tokens, 1e6), &table["serve-x_cost_per_1M_output_tokens"], "output");
    money(per(served.output_tokens + served.input_tokens, 1e6), &table["serve-x_cost_per_1M_total_tokens"], "total");
    money(per(served.requests, 1e3), &table["serve-x_cost_per_1k_requests"], "requests");
    near(
        costs.commitment_utilization().unwrap(),
        table["commitment_utilization"].as_f64().unwrap(),
        5e-5,
        "commitment",
    );
}

#[test]
fn audits_give_the_expected_values() {
    let (Some(expected), Some(oscal), Some(conftest), Some(sarif)) = (
        expected(),
        sample("oscal/assessment-results.json"),
        sample("policy/conftest_results.json"),
        sample("policy/policy.sarif"),
    ) else {
        return;
    };
    let (assessment, table) = (audit::oscal(&oscal).unwrap(), &expected["oscal"]);
    assert_eq!(table["findings"], assessment.findings.rows.len());
    assert_eq!(table["audit_pass_rate"].as_f64(), assessment.findings.value);
    assert_eq!(table["exceptions_open"], assessment.exceptions.len());
    let exception = &assessment.exceptions[0];
    assert_eq!(table["exception_age_days"], exception.age_days(AS_OF).unwrap());
    assert_eq!(table["exception_days_to_expiry"], exception.days_left(AS_OF).unwrap());
    let (policy, table) = (audit::conftest(&conftest).unwrap(), &expected["conftest"]);
    let counts = [policy.successes, policy.failures.len(), policy.warnings.len(), policy.exceptions.len()];
    assert_eq!(
        ["successes", "failures", "warnings", "exceptions"].map(|key| table[key].as_u64().unwrap() as usize),
        counts
    );
    near(policy.pass_rate().unwrap(), table["policy_pass_rate"].as_f64().unwrap(), 5e-5, "pass rate");
    let (defects, table) = (audit::sarif(&sarif).unwrap(), &expected["sarif"]);
    assert_eq!(
        [&table["results"], &table["open_errors"], &table["suppressed"]],
        [defects.results, defects.open_errors, defects.suppressed]
    );
}

#[test]
fn training_and_tools_give_the_expected_values() {
    let (Some(expected), Some(lms), Some(xapi), Some(usage)) = (
        expected(),
        sample("enablement/lms_completion.csv"),
        sample("enablement/xapi_statements.json"),
        sample("enablement/tool_usage.csv"),
    ) else {
        return;
    };
    let (read, table) = (training::assignments(&lms), &expected["training"]);
    assert_eq!(table["assigned"], read.assignments.len());
    assert_eq!(table["completion_rate"].as_f64(), read.completion(AS_OF).value);
    near(read.on_time(AS_OF).value.unwrap(), table["on_time_completion_rate"].as_f64().unwrap(), 5e-5, "on time");
    assert_eq!(table["overdue"], read.overdue(AS_OF));
    assert_eq!(table["xapi_completed_and_passed_pairs"], serde_json::json!(training::passed(&xapi).unwrap()));
    let (adoption, findings) = training::adoption(&usage, "slice-cli", 5, AS_OF);
    let table = &expected["tooling_adoption"];
    assert_eq!((table["adoption"].as_f64(), &table["active_7d"]), (adoption.value, &adoption.rows.len().into()));
    assert_eq!(findings, []);
}

/// Thresholds and cases of burn alerts (Site Reliability Workbook, chapter 5), by two windows.
#[test]
fn error_budgets_burn_as_the_workbook_says() {
    for (alert, [thirty, twenty_eight]) in
        ALERTS.iter().zip([[14.4, 13.44], [6.0, 5.6], [3.0, 2.8], [1.0, 0.933_333_333]])
    {
        near(alert.threshold(30.0), thirty, 1e-9, "30 days");
        near(alert.threshold(28.0), twenty_eight, 1e-9, "28 days");
    }
    near(slo::budget_minutes(0.995, 30.0), 216.0, 1e-9, "budget");
    let burn = |errors| slo::burn_rate(errors, 0.995);
    near(burn(0.08).unwrap(), 16.0, 1e-9, "burn");
    for (alert, long, short, fires) in
        [(0, 0.08, 0.09, true), (0, 0.08, 0.001, false), (1, 0.031, 0.04, true), (3, 0.0051, 0.006, true)]
    {
        assert_eq!(ALERTS[alert].fires(burn(long), burn(short), 30.0), fires);
    }
    assert!(!ALERTS[0].fires(burn(0.5), None, 30.0), "no data is no alert");
    assert_eq!((slo::budget_left(0.0, 0.0, 0.99), slo::burn_rate(0.1, 1.0)), (None, None));
}

const DIALECTS: &str = "kind: Service\nmetadata: {name: s}\n---\nkind: SLO\nmetadata: {name: a}\nspec:\n  service: s\n  timeWindow:\n    - duration: 28d\n      isRolling: true\n  objectives:\n    - targetPercent: 99.9\n  alertPolicies: [burn]\n---\nkind: SLO\nmetadata: {name: b}\nspec:\n  service: s\n  timeWindow:\n    - duration: 1Q\n      calendar: {startTime: 2026-11-01 00:00:00, timeZone: UTC}\n  budgetingMethod: Timeslices\n  objectives:\n    - target: 0.99\n      timeSliceWindow: 5\n  alertPolicies:\n    - alertPolicyRef: burn\n";

#[test]
fn both_dialects_of_openslo_are_read() {
    let read = slo::read(DIALECTS).unwrap();
    near(read[0].target_fraction, 0.999, 1e-12, "percent");
    assert_eq!((read[0].window_days, read[0].is_rolling), (28.0, true));
    assert_eq!((read[1].window_days, read[1].is_rolling, read[1].slice_minutes), (90.0, false, Some(5.0)));
    assert_eq!(read[1].time_zone.as_deref(), Some("Etc/UTC"));
    let error = slo::read(&DIALECTS.replace("99.9", "100")).unwrap_err().to_string();
    assert!(error.contains("SLO a: it needs a target"), "{error}");
    assert!(slo::read("{").is_err());
    for name in ["openslo/tpu_fleet_slos.yaml", "openslo/edge_cases.yaml"] {
        let Some(text) = sample(name) else { return };
        assert_eq!(slo::read(&text).unwrap().len(), 2, "{name}");
    }
}

/// Protects the wall: what nobody measured is no data, and never zero.
#[test]
fn no_data_is_not_zero() {
    let definitions = kpi::definitions(kpi::DEFINITIONS).unwrap();
    assert!(definitions.len() >= 14);
    let value = |measured, previous| kpi::Value {
        definition: definitions[0].clone(),
        measured,
        previous,
        data_of: Some(date(2026, 11, 20)),
        source: "test".to_owned(),
    };
    let empty = value(delivery::adherence(&Roadmap::default(), AS_OF), None);
    assert_eq!((empty.standing(), empty.delta()), (Standing::NoData, None));
    let mut late = Gate::new("late", AS_OF);
    late.baseline = Some(date(2026, 11, 1));
    let roadmap = Roadmap { gates: vec![late], ..Roadmap::default() };
    let missed = value(delivery::adherence(&roadmap, AS_OF), Some(0.5));
    assert_eq!(
        (missed.measured.value, missed.standing(), missed.is_improving()),
        (Some(0.0), Standing::Missed, Some(false))
    );
    assert_eq!((missed.age_days(AS_OF), missed.is_stale(AS_OF)), (Some(10), Some(true)));
    assert_eq!(delivery::adherence_closed(&roadmap, AS_OF).value, None);
    assert_eq!([kpi::throughput_per_watt(Some(1.0), Some(0.0)), kpi::throughput_per_watt(None, Some(1.0))], [None; 2]);
    assert_eq!(kpi::throughput_per_watt(Some(500.0), Some(250.0)), Some(2.0));
    let costs = focus::read("a,b\n1,2\n", &Mapping::default());
    assert_eq!((costs.per_run().value, costs.commitment_utilization(), costs.findings.len()), (None, None, 6));
}

#[test]
fn any_table_can_be_a_series() {
    let text =
        "day;region;n\n1.11.2026;a;1\n1.11.2026;a;3\n13.11.2026;a;\n14.11.2026;b;9\n15.11.2026;a;x\n16.11.2026;a;5\n";
    let mapping = |join| series::Mapping {
        date: "day".to_owned(),
        value: "n".to_owned(),
        filter: Some(("region".to_owned(), "a".to_owned())),
        join,
    };
    for (join, first) in [(Join::Last, 3.0), (Join::Sum, 4.0), (Join::Mean, 2.0)] {
        let read = series::read(text, &mapping(join), None);
        assert_eq!(read.points, [(date(2026, 11, 1), first), (date(2026, 11, 16), 5.0)]);
        assert_eq!(read.findings[0].where_, "row 6, column n");
        assert_eq!(read.at(date(2026, 11, 15)), Some((date(2026, 11, 1), first)));
    }
}

#[test]
fn patterns_fit_as_they_are_written() {
    for (pattern, text, fits) in [
        ("run-*", "run-a", true),
        ("run-*", "xrun-a", false),
        ("*a*c", "abc", true),
        ("abc", "abcd", false),
        ("*", "", true),
        ("a*a", "a", false),
    ] {
        assert_eq!(focus::matches(pattern, text), fits, "{pattern} {text}");
    }
}

#[test]
fn texts_that_are_something_else_say_where() {
    let error = audit::oscal("{\n \"x\": 1}").unwrap_err().to_string();
    assert!(error.starts_with("line 2, column"), "{error}");
    assert!(audit::conftest("{}").is_err() && audit::sarif("[]").is_err() && training::passed("{}").is_err());
}
