//! A rehearsal: series replayed through rules, and what must fire, in the form of `promtool test rules`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::findings::Findings;
use crate::labels::{Labels, NAME};
use crate::promql::{self, EvalError, STALE, eval};
use crate::rules::openslo::objectives;
use crate::rules::prometheus_file::{duration_of, unknown_keys};
use crate::rules::series_text::{labels, values};
use crate::rules::{AlertRule, BurnWindow, Condition, Engine, Group, GroupRule, RuleError, query, rule_file};
use crate::tsdb::{Bounds, Tsdb};
use crate::yaml::{Node, YamlError, documents};

/// Most moments that a test computes.
const MAX_STEPS: i64 = 200_000;

/// One expectation and what came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Name of the test and of the alert or query.
    pub name: String,
    /// When, in seconds since the begin.
    pub at_seconds: i64,
    /// What should be, one line each, sorted.
    pub expected: Vec<String>,
    /// What was, one line each, sorted.
    pub fired: Vec<String>,
    /// Whether both are the same.
    pub passed: bool,
}

/// All cases of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsal {
    /// Cases in the order of the file.
    pub cases: Vec<Case>,
    /// What was left out of the rule files.
    pub findings: Findings,
}

impl Rehearsal {
    /// Whether all cases passed and no rule was left out.
    pub fn passed(&self) -> bool {
        let is_bad = |f: &topology::finding::Finding| f.severity == topology::finding::Severity::Error;
        self.cases.iter().all(|case| case.passed) && !self.findings.as_slice().iter().any(is_bad)
    }
}

/// What the name of a rule file stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum RuleText {
    /// A rule file of Prometheus, or objectives in OpenSLO v1.
    Yaml(String),
    /// Rules of a plan.
    Rules(Vec<AlertRule>),
}

/// Replays a test file in promtool's form: `rule_files`, `evaluation_interval`, `group_eval_order`, `tests` with `interval`,
/// `input_series`, `alert_rule_test` and `promql_expr_test`. `read` gives a rule file by its name. An objective of OpenSLO
/// becomes an alert of its name over [`BurnWindow::RECOMMENDED`].
///
/// # Errors
/// If a file is not right or cannot be had, or a query cannot be computed.
pub fn test_file(text: &str, mut read: impl FnMut(&str) -> Option<RuleText>) -> Result<Rehearsal, RuleError> {
    const KEYS: [&str; 4] = ["rule_files", "evaluation_interval", "group_eval_order", "tests"];
    let mut rehearsal = Rehearsal { cases: Vec::new(), findings: Findings::default() };
    for document in documents(text)? {
        unknown_keys(&document, &KEYS, &mut rehearsal.findings)?;
        let mut groups: Vec<Group> = Vec::new();
        for node in document.entries("rule_files")? {
            let (name, line, column) = (node.text()?.to_owned(), node.line, node.column);
            let Some(text) = read(&name) else { return Err(RuleError::Missing { name, line, column }) };
            let (read, findings) = groups_of(&name, text)?;
            groups.extend(read);
            let of_file = |place: &str| format!("{name}, {place}");
            for found in findings.as_slice() {
                let (code, message) = (found.code, found.message.clone());
                rehearsal.findings.add(found.severity, code, of_file(&found.where_), message);
            }
        }
        let mut order = Vec::new();
        for name in document.entries("group_eval_order")? {
            order.push(name.text()?);
        }
        groups.sort_by_key(|group| order.iter().position(|name| *name == group.name).unwrap_or(order.len()));
        let usual_ms = duration_of(&document, "evaluation_interval")?.unwrap_or(60_000);
        for (i, test) in document.entries("tests")?.iter().enumerate() {
            check_keys(test, &mut rehearsal.findings)?;
            let name = test.text_of("name")?.map_or_else(|| format!("test {}", i + 1), str::to_owned);
            run(&name, test, &groups, usual_ms, &mut rehearsal.cases)?;
        }
    }
    if rehearsal.cases.is_empty() {
        rehearsal.findings.error("nothing-expected", "the file", "no test of the file expects anything");
    }
    Ok(rehearsal)
}

/// Groups of a rule file, and what was left out of it.
fn groups_of(name: &str, text: RuleText) -> Result<(Vec<Group>, Findings), RuleError> {
    let failed = |error| RuleError::RuleFile { file: name.to_owned(), error };
    let group = |rules: Vec<AlertRule>| {
        let rules = rules.into_iter().map(GroupRule::Alert).collect();
        vec![Group { name: name.to_owned(), interval_ms: None, rules }]
    };
    let text = match text {
        RuleText::Rules(rules) => return Ok((group(rules), Findings::default())),
        RuleText::Yaml(text) => text,
    };
    let first = documents(&text).map_err(failed)?.into_iter().next();
    let version = first.as_ref().map_or(Ok(None), |first| first.text_of("apiVersion")).map_err(failed)?;
    if version.is_some_and(|version| version.starts_with("openslo")) {
        let (objectives, findings) = objectives(&text).map_err(failed)?;
        return Ok((group(objectives.into_iter().map(burning).collect()), findings));
    }
    let file = rule_file(&text).map_err(failed)?;
    Ok((file.groups, file.findings))
}

/// The alert of an objective.
fn burning(objective: crate::rules::Objective) -> AlertRule {
    AlertRule {
        name: objective.name.clone(),
        condition: Condition::BurnRate { objective, windows: BurnWindow::RECOMMENDED.to_vec() },
        for_seconds: 0.0,
        keep_firing_seconds: 0.0,
        labels: Labels::default(),
        annotations: Labels::default(),
        runbook: None,
        element: None,
    }
}

/// Tells of keys of a test that are not used.
fn check_keys(test: &Node, findings: &mut Findings) -> Result<(), YamlError> {
    let keys = ["name", "interval", "input_series", "alert_rule_test", "promql_expr_test"];
    unknown_keys(test, &keys, findings)?;
    for node in test.entries("input_series")? {
        unknown_keys(node, &["series", "values"], findings)?;
    }
    for node in test.entries("alert_rule_test")? {
        unknown_keys(node, &["eval_time", "alertname", "exp_alerts"], findings)?;
        for alert in node.entries("exp_alerts")? {
            unknown_keys(alert, &["exp_labels", "exp_annotations"], findings)?;
        }
    }
    for node in test.entries("promql_expr_test")? {
        unknown_keys(node, &["expr", "eval_time", "exp_samples"], findings)?;
    }
    Ok(())
}

/// One expectation of a test.
struct Expectation<'a> {
    at_ms: i64,
    node: &'a Node,
}

fn expectations<'a>(test: &'a Node, key: &str) -> Result<Vec<Expectation<'a>>, YamlError> {
    let of = |node: &'a Node| Ok(Expectation { at_ms: duration_of(node, "eval_time")?.unwrap_or(0), node });
    test.entries(key)?.iter().map(of).collect()
}

fn load(test: &Node) -> Result<Tsdb, YamlError> {
    let interval = duration_of(test, "interval")?.filter(|ms| *ms > 0).unwrap_or(60_000);
    let mut store = Tsdb::new(Bounds { late_ms: i64::MAX, ..Bounds::default() });
    for series in test.entries("input_series")? {
        let (name, text) = (series.need("series")?, series.need("values")?);
        let labels = labels(name.text()?).map_err(|what| name.error(what))?;
        let id = store.series_id(&labels).map_err(|error| name.error(error.to_string()))?;
        for (i, value) in values(text.text()?).map_err(|what| text.error(what))?.into_iter().enumerate() {
            if let Some(value) = value {
                store.append(id, (i as i64).saturating_mul(interval), value);
            }
        }
    }
    Ok(store)
}

fn run(name: &str, test: &Node, groups: &[Group], usual_ms: i64, cases: &mut Vec<Case>) -> Result<(), RuleError> {
    let mut store = load(test)?;
    let alerts = expectations(test, "alert_rule_test")?;
    let queries = expectations(test, "promql_expr_test")?;
    let end = alerts.iter().chain(&queries).map(|expectation| expectation.at_ms).max().unwrap_or(0);
    let step = usual_ms.max(1);
    if end / step > MAX_STEPS {
        return Err(test.error(format!("the test computes more than {MAX_STEPS} moments")).into());
    }
    let mut engines = groups.iter().map(Running::new).collect::<Result<Vec<_>, _>>()?;
    let mut found: Vec<Vec<String>> = vec![Vec::new(); alerts.len()];
    for at in (0..=end).step_by(step as usize) {
        for engine in &mut engines {
            engine.step(&mut store, at)?;
        }
        // An expectation between two moments sees what the last one left.
        for (expectation, found) in alerts.iter().zip(&mut found) {
            if (at..at.saturating_add(step)).contains(&expectation.at_ms) {
                *found = firing(&engines, expectation.node)?;
            }
        }
    }
    for (expectation, fired) in alerts.iter().zip(found) {
        let alert = expectation.node.need("alertname")?.text()?;
        let expected = expected_alerts(expectation.node, alert)?;
        cases.push(case(&format!("{name}: {alert}"), expectation.at_ms, expected, fired));
    }
    for expectation in queries {
        cases.push(query_case(name, &expectation, &store)?);
    }
    Ok(())
}

fn case(name: &str, at_ms: i64, mut expected: Vec<String>, mut fired: Vec<String>) -> Case {
    expected.sort();
    fired.sort();
    let passed = expected == fired;
    Case { name: name.to_owned(), at_seconds: at_ms / 1_000, expected, fired, passed }
}

/// A series that is computed and kept; what it gave before, so that its ends can be marked.
struct Recorder<'a> {
    expr: promql::Expr,
    name: &'a str,
    labels: &'a Labels,
    before: BTreeSet<Labels>,
}

impl Recorder<'_> {
    /// Computes and keeps; a series that is not there any more gets a marker, as servers do it. Says whether all were kept.
    fn step(&mut self, store: &mut Tsdb, at: i64) -> Result<bool, EvalError> {
        let vector = eval(&self.expr, store, at)?.into_vector();
        let own = |series: Labels| {
            self.labels.iter().chain([(NAME, self.name)]).fold(series, |series, (label, text)| series.with(label, text))
        };
        let found: BTreeMap<Labels, f64> = vector.into_iter().map(|(series, value)| (own(series), value)).collect();
        let ended = self.before.iter().filter(|labels| !found.contains_key(*labels));
        let marks = ended.map(|labels| (labels, f64::from_bits(STALE)));
        for (labels, value) in marks.chain(found.iter().map(|(labels, value)| (labels, *value))) {
            let Ok(id) = store.series_id(labels) else { return Ok(false) };
            store.append(id, at, value);
        }
        self.before = found.into_keys().collect();
        Ok(true)
    }
}

/// A group with its alerts and recorded series.
struct Running<'a> {
    every_ms: Option<i64>,
    rules: Vec<Step<'a>>,
}

enum Step<'a> {
    Alert(Box<Engine>, &'a AlertRule),
    Record(Recorder<'a>),
}

impl<'a> Running<'a> {
    fn new(group: &'a Group) -> Result<Self, RuleError> {
        let step = |rule: &'a GroupRule| match rule {
            GroupRule::Alert(rule) => Ok(Step::Alert(Box::new(Engine::new(vec![rule.clone()])?), rule)),
            GroupRule::Record { name, query: text, labels } => {
                let expr = query(name, text)?;
                Ok(Step::Record(Recorder { expr, name, labels, before: BTreeSet::new() }))
            }
        };
        Ok(Self { every_ms: group.interval_ms, rules: group.rules.iter().map(step).collect::<Result<_, RuleError>>()? })
    }

    fn step(&mut self, store: &mut Tsdb, at: i64) -> Result<(), RuleError> {
        if self.every_ms.is_some_and(|every| every > 0 && at % every != 0) {
            return Ok(());
        }
        let failed = |name: &str, error| RuleError::Eval { name: name.to_owned(), at_seconds: at / 1_000, error };
        for rule in &mut self.rules {
            match rule {
                Step::Alert(engine, rule) => {
                    if let Some(error) = engine.step(store, at).1.pop() {
                        return Err(failed(&rule.name, error.error));
                    }
                }
                Step::Record(recorder) => {
                    let all_kept = recorder.step(store, at).map_err(|error| failed(recorder.name, error))?;
                    if !all_kept {
                        let (name, what) =
                            (recorder.name.to_owned(), "it records more series than are kept; aggregate them");
                        return Err(RuleError::Senseless { name, what });
                    }
                }
            }
        }
        Ok(())
    }
}

fn line(labels: &Labels, annotations: &Labels) -> String {
    if annotations.is_empty() { labels.to_string() } else { format!("{labels} {annotations}") }
}

/// What fires of the alert that an expectation names.
fn firing(engines: &[Running<'_>], node: &Node) -> Result<Vec<String>, YamlError> {
    let name = node.need("alertname")?.text()?;
    let of_name = engines.iter().flat_map(|running| &running.rules).filter_map(|step| match step {
        Step::Alert(engine, rule) if rule.name == name => Some(engine.firing()),
        _ => None,
    });
    Ok(of_name.flatten().map(|alert| line(&alert.labels, &alert.annotations)).collect())
}

fn expected_alerts(node: &Node, name: &str) -> Result<Vec<String>, YamlError> {
    let of = |alert: &Node| {
        let labels = Labels::new(alert.texts_of("exp_labels")?).with("alertname", name);
        Ok(line(&labels, &Labels::new(alert.texts_of("exp_annotations")?)))
    };
    node.entries("exp_alerts")?.iter().map(of).collect()
}

fn query_case(name: &str, expectation: &Expectation<'_>, store: &Tsdb) -> Result<Case, RuleError> {
    let node = expectation.node.need("expr")?;
    let text = node.text()?;
    let expr = promql::parse(text).map_err(|error| RuleError::Query {
        name: name.to_owned(),
        line: Some(node.line),
        error,
    })?;
    let at_seconds = expectation.at_ms / 1_000;
    let failed = |error| RuleError::Eval { name: text.to_owned(), at_seconds, error };
    let found = eval(&expr, store, expectation.at_ms).map_err(failed)?.into_vector();
    let sample = |labels: &Labels, value: f64| format!("{labels} {value}");
    let of = |entry: &Node| {
        let place = entry.get("labels");
        let labels = match place.map(Node::text).transpose()? {
            Some(text) => labels(text).map_err(|what| entry.error(what))?,
            None => Labels::default(),
        };
        Ok(sample(&labels, entry.need("value")?.number()?))
    };
    let expected = expectation.node.entries("exp_samples")?.iter().map(of).collect::<Result<_, YamlError>>()?;
    let fired = found.iter().map(|(labels, value)| sample(labels, *value)).collect();
    Ok(case(&format!("{name}: {text}"), expectation.at_ms, expected, fired))
}
