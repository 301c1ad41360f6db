//! `podium observe`: what a source says, read once.

use std::sync::Arc;

use jiff::Timestamp;
use planning::source::{ClientCertificate, Credentials, Place, Source, SourceError, SourceKind};
use serde::Serialize;
use telemetry::bind::{Inventory, Mapping};
use telemetry::labels::Labels;
use telemetry::observe::{Look, Observation, observe};
use telemetry::prometheus::{Alert, AlertState};
use telemetry::registry::Registry;
use topology::finding::Severity;

use super::args::ObserveArgs;
use super::failure::{Failure, Status};
use super::import::severity_text;
use super::output::{self, one_line};
use crate::io::files::{READ_LIMIT_BYTES, read_text};
use crate::net::{Looked, Net, NetError, Span, Surroundings, Wanted, look};

#[derive(Serialize)]
pub(super) struct Observed {
    source: String,
    kind: &'static str,
    #[serde(flatten)]
    observation: Observation,
    /// Absent if they were not asked for.
    alerts: Option<Vec<ShownAlert>>,
    rules: Option<Vec<ShownRule>>,
    requests: usize,
}

#[derive(Serialize)]
struct ShownAlert {
    state: Option<AlertState>,
    labels: Labels,
    since_unix_seconds: Option<i64>,
}

#[derive(Serialize)]
struct ShownRule {
    group: String,
    name: String,
    is_alert: bool,
    query: String,
    for_seconds: f64,
    error: Option<String>,
}

impl Observed {
    /// What was lost makes the look a bad one.
    pub(super) fn status(&self) -> Status {
        let is_faulty = self.observation.findings.iter().any(|finding| finding.severity == Severity::Error);
        if is_faulty { Status::Found } else { Status::Done }
    }
}

/// A file cannot be out of reach: what is wrong with one is wrong with the input.
fn failure(error: NetError, place: &Place) -> Failure {
    let (where_, is_far) = match place {
        Place::File(path) => (path.as_str(), false),
        Place::Url(_) => ("--source", !error.kind.is_ours()),
    };
    let status = if is_far { Status::Unreachable } else { Status::Found };
    let hint = Some(error.hint).filter(|hint| !hint.is_empty());
    Failure { hint, status, ..Failure::input(error.kind.name(), error.message) }.at(where_)
}

pub(super) fn run(args: &ObserveArgs) -> Result<Observed, Failure> {
    let source = source_of(args)?;
    let at_s = args.at.as_deref().map(moment).transpose()?;
    let (inventory, mapping, chips_expected) = fleet_of(args)?;
    let span = args.range.as_deref().map(span_of).transpose()?;
    let wanted = Wanted { at_s, span, alerts: args.alerts, rules: args.rules, most_series: args.most_series };
    let looked = look_now(&source, wanted)?;
    let mapping = mapping.unwrap_or_default();
    let observation = observe(
        &looked.decoded,
        Look {
            inventory: &inventory,
            chips_expected,
            mapping: &mapping,
            registry: Registry::embedded(),
            at_ms: looked.at_ms,
            clock: Some(&looked.clock),
        },
    );
    Ok(shown(args, &source, looked, observation))
}

fn shown(args: &ObserveArgs, source: &Source, looked: Looked, mut observation: Observation) -> Observed {
    if args.at.is_none() && matches!(source.place(), Ok(Place::File(_))) {
        // A file was not asked at any moment, and the same file gives the same answer tomorrow.
        observation.age_seconds = None;
    }
    let alert = |alert: Alert| ShownAlert {
        state: alert.state,
        labels: alert.labels,
        since_unix_seconds: alert.since_ms.map(|ms| ms.div_euclid(1_000)),
    };
    let rules = looked.rules.map(|groups| {
        let of_group = |group: telemetry::prometheus::RuleGroup| {
            let name = group.name;
            group.rules.into_iter().map(move |rule| ShownRule {
                group: name.clone(),
                name: rule.name,
                is_alert: rule.is_alert,
                query: rule.query,
                for_seconds: rule.for_seconds,
                error: rule.error,
            })
        };
        groups.into_iter().flat_map(of_group).collect()
    });
    Observed {
        source: source.at.clone(),
        kind: key(source.kind),
        observation,
        alerts: looked.alerts.map(|alerts| alerts.into_iter().map(alert).collect()),
        rules,
        requests: looked.requests,
    }
}

const fn key(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Prometheus => "prometheus",
        SourceKind::Exposition => "exposition",
        SourceKind::Alertmanager => "alertmanager",
        SourceKind::Recording => "recording",
    }
}

/// Asks on the network thread, and waits.
fn look_now(source: &Source, wanted: Wanted) -> Result<Looked, Failure> {
    let stopped = || Failure::input("bug", "the network thread ended early").hint("Report this fault");
    let mut net = Net::start(Arc::new(|| ()))
        .map_err(|error| Failure::input("system", format!("the network thread could not start: {}", error.kind())))?;
    net.submit(look(source.clone(), wanted, Surroundings::default())).ok_or_else(stopped)?;
    let answered = net.recv().and_then(|answered| answered.answer).ok_or_else(stopped)?;
    let place = source.place().map_err(|error| usage(&error, "--source"))?;
    answered.map_err(|error| failure(error, &place))
}

fn usage(error: &SourceError, flag: &str) -> Failure {
    Failure::usage(error.to_string(), flag).hint(error.hint())
}

fn source_of(args: &ObserveArgs) -> Result<Source, Failure> {
    let kind = args.kind.map_or_else(|| SourceKind::guess(&args.source), Into::into);
    let mut source = Source::new("observe", kind, args.source.trim());
    Place::parse(&source.at).map_err(|error| usage(&error, "--source"))?;
    let reference = |text: &str, flag: &str| text.parse().map_err(|error| usage(&error, flag));
    if let Some(text) = &args.bearer {
        source.credentials = Some(Credentials::Bearer(reference(text, "--bearer")?));
    }
    if let Some(text) = &args.basic {
        let (user, text) = text.split_once(':').ok_or_else(|| {
            Failure::usage("a user and a reference are joined by a colon", "--basic").hint("Such as ada:env:PASSWORD")
        })?;
        source.credentials = Some(Credentials::Basic { user: user.to_owned(), password: reference(text, "--basic")? });
    }
    for header in &args.header {
        let (name, value) = header.split_once(':').ok_or_else(|| {
            Failure::usage("name and value of a header are joined by a colon", "--header")
                .hint("Such as X-Scope-OrgID:team-a")
        })?;
        source.headers.insert(name.trim().to_owned(), value.trim().to_owned());
    }
    source.ca_file.clone_from(&args.ca);
    source.client_certificate = args
        .cert
        .clone()
        .zip(args.key.clone())
        .map(|(certificate_file, key_file)| ClientCertificate { certificate_file, key_file });
    source.proxy.clone_from(&args.proxy);
    source.allow_plain_http = args.allow_plain_http;
    source.timeout_seconds = args.timeout;
    source.queries.clone_from(&args.query);
    source.check().map_err(|error| usage(&error, "--source"))?;
    Ok(source)
}

/// Unix seconds of a moment as RFC 3339 or as a number.
fn moment(text: &str) -> Result<i64, Failure> {
    let parsed = text.parse::<i64>().ok().or_else(|| Some(text.parse::<Timestamp>().ok()?.as_second()));
    parsed.ok_or_else(|| {
        Failure::usage(format!("\"{}\" is no moment", one_line(text)), "--at")
            .hint("Such as 2026-11-30T10:00:00Z, or Unix seconds")
    })
}

/// A span such as 6h or 2d, and a step behind a slash.
fn span_of(text: &str) -> Result<Span, Failure> {
    let seconds = |text: &str| -> Option<u32> {
        let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let factor = match unit {
            "" | "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => return None,
        };
        number.parse::<u32>().ok()?.checked_mul(factor).filter(|seconds| *seconds > 0)
    };
    let (span, step) = text.split_once('/').unwrap_or((text, "60s"));
    let parsed = seconds(span.trim()).zip(seconds(step.trim()));
    let (seconds, step_s) = parsed.ok_or_else(|| {
        Failure::usage(format!("\"{}\" is no range", one_line(text)), "--range")
            .hint("Such as 6h, or 2d/5m for a step of five minutes")
    })?;
    Ok(Span { seconds, step_s })
}

/// The fleet of a file: its hosts, the mapping of the plan's source of that address, and how many chips are expected.
fn fleet_of(args: &ObserveArgs) -> Result<(Inventory, Option<Mapping>, Option<usize>), Failure> {
    let Some(path) = &args.fleet else { return Ok((Inventory::default(), None, None)) };
    let text = read_text(path, READ_LIMIT_BYTES)?;
    let opened = planning::file::read(&text).map_err(|error| {
        let place = output::place(&path.display().to_string(), error.line, error.column);
        Failure::input("syntax", error.what).at(place).hint(error.hint)
    })?;
    let plan = opened.plan;
    let mapping = plan.sources.iter().find(|source| source.at == args.source).map(|source| source.mapping.clone());
    Ok((Inventory::of_fleet(&plan.fleet), mapping, Some(plan.fleet.n_chips())))
}

pub(super) fn text(observed: &Observed) -> String {
    let seen = &observed.observation;
    let seconds = |value: Option<f64>| value.map_or_else(|| "—".to_owned(), |value| format!("{value:.1} s"));
    let mut rows = vec![
        ("source", format!("{} ({})", observed.source, observed.kind)),
        ("series", seen.series.to_string()),
        ("samples", seen.samples.to_string()),
        ("age", seconds(seen.age_seconds)),
        ("clock offset", seconds(seen.clock_offset_seconds)),
        ("partial", if seen.partial { seen.partial_reasons.join("; ") } else { "no".to_owned() }),
        (
            "bound",
            format!(
                "{} of {} series, {} chips",
                seen.binding.bound.values().sum::<usize>(),
                seen.series,
                seen.binding.n_chips
            ),
        ),
    ];
    rows.extend(observed.alerts.iter().map(|alerts| ("alerts", alerts.len().to_string())));
    rows.extend(observed.rules.iter().map(|rules| ("rules", rules.len().to_string())));
    let mut parts = vec![output::facts(&rows), metrics_text(seen)];
    parts.extend(observed.alerts.iter().flatten().map(|alert| {
        let state = alert.state.map_or("unknown", |state| match state {
            AlertState::Inactive => "inactive",
            AlertState::Pending => "pending",
            AlertState::Firing => "firing",
            AlertState::Suppressed => "suppressed",
        });
        format!("alert {state}: {}\n", one_line(&alert.labels.to_string()))
    }));
    parts.extend(seen.binding.unplaced.iter().map(|unplaced| {
        format!(
            "not bound: {} series: {}, such as {}\n",
            unplaced.n_series,
            one_line(&unplaced.why),
            one_line(&unplaced.example)
        )
    }));
    parts.extend(seen.findings.iter().map(|finding| {
        let severity = severity_text(finding.severity);
        format!("{}: {severity}: {} [{}]\n", one_line(&finding.where_), one_line(&finding.message), finding.code)
    }));
    parts.concat()
}

fn metrics_text(seen: &Observation) -> String {
    if seen.metrics.is_empty() {
        return String::new();
    }
    let number = |value: Option<f64>| value.map_or_else(|| "—".to_owned(), |value| format!("{value:.4}"));
    let head = ["metric", "unit", "series", "chips", "coverage", "mean of reporting", "mean of reserved"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(seen.metrics.iter().map(|metric| {
        let unit = serde_json::to_value(metric.unit).ok().and_then(|unit| unit.as_str().map(str::to_owned));
        vec![
            metric.metric.clone(),
            unit.unwrap_or_default(),
            metric.series.to_string(),
            metric.coverage.mark(),
            number(metric.coverage.coverage_fraction),
            number(metric.coverage.mean_of_reporting),
            number(metric.coverage.mean_of_reserved),
        ]
    }));
    output::table(&rows)
}
