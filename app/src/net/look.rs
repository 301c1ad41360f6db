//! One look at a source: what is asked of it, and what came back.

use std::collections::{BTreeMap, BTreeSet};

use planning::source::{Place, Source, SourceKind};
use telemetry::bind::Mapping;
use telemetry::findings::Findings;
use telemetry::labels::Labels;
use telemetry::observe::{Decoded, decode};
use telemetry::prometheus::{Alert, Answer, MAX_POINTS, QueryData, RangeRequest, RuleGroup, Series, plan, selector};
use telemetry::registry::{Kind, Known, MetricSpec, Registry, Scope, promql_name};
use telemetry::tsdb::ClockOffset;

use crate::io::files;
use crate::net::ask::{Server, check_size, exactly};
use crate::net::door::{Door, Surroundings};
use crate::net::error::{NetError, NetErrorKind};
use crate::net::read_file;

/// Unknown names of a server that are told.
const MOST_UNKNOWN: usize = 20;

/// A stretch of time that is asked for, up to the moment of the look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Length in seconds.
    pub seconds: u32,
    /// Wanted step in seconds.
    pub step_s: u32,
}

/// What is wanted of a source beyond its own settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Moment of the look, Unix seconds; now if there is none.
    pub at_s: Option<i64>,
    /// Time up to it; only the moment if there is none.
    pub span: Option<Span>,
    /// Whether alerts are asked for too.
    pub alerts: bool,
    /// Whether rules are asked for too.
    pub rules: bool,
    /// Most series of a look.
    pub most_series: u64,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { at_s: None, span: None, alerts: false, rules: false, most_series: 200_000 }
    }
}

/// What a look brought.
#[derive(Debug, Clone, Default)]
pub struct Looked {
    /// Series, marks and findings.
    pub decoded: Decoded,
    /// The server's clock.
    pub clock: ClockOffset,
    /// Alerts, if they were asked for or are all that there is.
    pub alerts: Option<Vec<Alert>>,
    /// Rules, if they were asked for.
    pub rules: Option<Vec<RuleGroup>>,
    /// Moment of the look by our clock, Unix milliseconds.
    pub at_ms: i64,
    /// Requests that were answered.
    pub requests: usize,
}

/// Looks at a source once.
///
/// # Errors
/// If it cannot be reached, refuses, or would answer too much.
pub async fn look(source: Source, wanted: Wanted, around: Surroundings) -> Result<Looked, NetError> {
    let place = source.place()?;
    let door = Door::new(source, around)?;
    let wanted_ms = wanted.at_s.map(|at| at.saturating_mul(1_000));
    let now_ms = door.now_ms();
    let mut looked = match place {
        Place::File(path) => of_file(&path, wanted_ms.unwrap_or(now_ms)).await?,
        Place::Url(_) => of_server(&door, wanted).await?,
    };
    // A moment that was asked for is one of the server's clock.
    looked.at_ms = wanted_ms.map_or(now_ms, |at| at.saturating_sub(looked.clock.server_ms(0)));
    Ok(looked)
}

async fn of_file(path: &str, at_ms: i64) -> Result<Looked, NetError> {
    let text = read_file(path, files::READ_LIMIT_BYTES).await?;
    if text.trim_start().starts_with('[') {
        let answer = telemetry::prometheus::alertmanager_alerts(&text)?;
        return Ok(of_alerts(answer));
    }
    match decode(&text, None, at_ms) {
        Ok(decoded) => Ok(Looked { decoded, ..Looked::default() }),
        Err(error) => match telemetry::prometheus::alerts(&text) {
            Ok(answer) => Ok(of_alerts(answer)),
            Err(_other) => Err(error.into()),
        },
    }
}

fn of_alerts(answer: Answer<Vec<Alert>>) -> Looked {
    let decoded = Decoded { series: Vec::new(), partial: answer.partial, findings: answer.findings };
    Looked { decoded, alerts: Some(answer.data), ..Looked::default() }
}

async fn of_server(door: &Door, wanted: Wanted) -> Result<Looked, NetError> {
    let mut server = Server::new(door)?;
    let mut looked = match door.source().kind {
        SourceKind::Exposition => {
            let page = server.page().await?;
            let at_ms = server.clock.server_ms(door.now_ms());
            let decoded = decode(&page.text, page.content_type.as_deref(), at_ms)?;
            Looked { decoded, ..Looked::default() }
        }
        SourceKind::Alertmanager => of_alerts(server.managed_alerts().await?),
        SourceKind::Prometheus | SourceKind::Recording => of_prometheus(&mut server, door, wanted).await?,
    };
    (looked.clock, looked.requests) = (server.clock, server.requests);
    Ok(looked)
}

async fn of_prometheus(server: &mut Server<'_>, door: &Door, wanted: Wanted) -> Result<Looked, NetError> {
    let mut all = Gathered::default();
    let own = &door.source().queries;
    let queries = if own.is_empty() { chip_queries(server, wanted, &mut all).await? } else { own.clone() };
    for query in &queries {
        match wanted.span {
            None => all.take(query, server.query(query, wanted.at_s).await?),
            Some(span) => {
                let now_s = server.clock.server_ms(door.now_ms()).div_euclid(1_000);
                let to_s = wanted.at_s.unwrap_or(now_s);
                let range = (to_s.saturating_sub(i64::from(span.seconds)), to_s);
                over_time(server, query, (range, span.step_s), (&door.source().mapping, &mut all)).await?;
            }
        }
    }
    let mut looked = Looked::default();
    if wanted.alerts {
        let answer = server.alerts().await?;
        all.marks(answer.partial, answer.findings);
        looked.alerts = Some(answer.data);
    }
    if wanted.rules {
        let answer = server.rules().await?;
        all.marks(answer.partial, answer.findings);
        looked.rules = Some(answer.data);
    }
    looked.decoded = all.decoded();
    Ok(looked)
}

/// Whether a metric speaks of chips and can be asked for as it is.
fn is_of_chips(spec: &MetricSpec) -> bool {
    matches!(spec.scope, Scope::Chip | Scope::Core | Scope::Link) && spec.kind != Kind::Histogram
}

/// Selectors of all metrics of chips that the server has, after counting their series.
async fn chip_queries(server: &mut Server<'_>, wanted: Wanted, all: &mut Gathered) -> Result<Vec<String>, NetError> {
    let registry = Registry::embedded();
    let known: Vec<(String, Known<'_>)> = registry
        .metrics
        .iter()
        .filter(|spec| is_of_chips(spec))
        .flat_map(|spec| spec.names.iter().map(move |name| Known { spec, name }))
        .map(|known| (promql_name(&known.name.name).into_owned(), known))
        .collect();
    let there = match server.label_values("__name__").await {
        Ok(answer) => {
            all.marks(answer.partial, answer.findings);
            Some(answer.data.into_iter().collect::<BTreeSet<_>>())
        }
        // The managed service does not list names: then its own are asked for one by one.
        Err(error) if server.is_managed() && error.kind == NetErrorKind::Refused => None,
        Err(error) => return Err(error),
    };
    let is_there = |(name, known): &&(String, Known<'_>)| match &there {
        Some(names) => names.contains(name) || names.contains(&known.name.name),
        None => known.name.resource.is_some(),
    };
    let found: Vec<_> = known.iter().filter(is_there).collect();
    tell_unknown(server, there.unwrap_or_default(), all).await;
    let mut total = 0;
    for (_, known) in &found {
        let answer = server.query(&format!("count({})", selector(*known, &[])), wanted.at_s).await?;
        total += count_of(&answer.data);
        all.marks(answer.partial, answer.findings);
        check_size(total, wanted.most_series)?;
    }
    if found.is_empty() {
        let message = "the server has none of the metrics of chips that the registry knows; ask with --query";
        all.findings.warn("no-chip-metrics", "source", message);
    }
    Ok(found.into_iter().map(|(_, known)| selector(*known, &[])).collect())
}

/// Names that look like accelerators and that the registry does not know, with what their exporter says of them.
async fn tell_unknown(server: &mut Server<'_>, names: BTreeSet<String>, all: &mut Gathered) {
    let is_alike = |name: &String| name.contains("tpu") || name.contains("accelerator");
    let unknown: Vec<String> =
        names.into_iter().filter(|name| is_alike(name) && Registry::embedded().find(name).is_none()).collect();
    if unknown.is_empty() {
        return;
    }
    // Help is a courtesy: a server without it still gives values.
    let said = server.metadata().await.unwrap_or_default();
    for name in unknown.iter().take(MOST_UNKNOWN) {
        let help = said.get(name).and_then(|said| said.first()).map_or("", |said| said.help.as_str());
        let message = format!("the registry does not know it, so it is not asked for. Its exporter says: \"{help}\"");
        all.findings.note("unknown-metric", name.as_str(), message);
    }
}

/// The number in the answer to `count(…)`; nothing there is 0.
fn count_of(data: &QueryData) -> u64 {
    let series = data.series().first().and_then(|series| series.samples.last());
    series.map_or(0, |(_, value)| value.max(0.0) as u64)
}

type Range = ((i64, i64), u32);

/// Asks over time in as many parts as the limits of servers need.
async fn over_time(
    server: &mut Server<'_>,
    query: &str,
    ((from_s, to_s), step_s): Range,
    (mapping, all): (&Mapping, &mut Gathered),
) -> Result<(), NetError> {
    let count = server.query(&format!("count({query})"), Some(to_s)).await?;
    let too_much = |error: telemetry::prometheus::PlanError| {
        NetError::new(NetErrorKind::TooLarge, error.to_string(), "Ask for a longer step or a shorter --range")
    };
    let mut request = RangeRequest::new((from_s, to_s), step_s, count_of(&count.data).max(1));
    let mut planned = plan(request).map_err(too_much)?;
    let mut groups = None;
    if planned.samples > request.max_samples_per_answer {
        groups = nodes(server, query, (from_s, to_s), mapping).await?;
        request.n_groups = groups.as_ref().map_or(1, |(_, nodes)| nodes.len() as u64);
        planned = plan(request).map_err(too_much)?;
    }
    if planned.is_coarser {
        let message =
            format!("a step of {} s is used, because servers give at most {MAX_POINTS} points", planned.step_s);
        all.findings.note("step-raised", query, message);
    }
    if planned.parts.len() > 1 {
        let (by_time, by_group) = (planned.split.by_time, planned.split.by_group);
        let message =
            format!("asked in {by_time} parts by time and {by_group} by node, {} samples in all", planned.samples);
        all.findings.note("split", query, message);
    }
    for part in &planned.parts {
        let narrowed = groups.as_ref().filter(|_| planned.split.by_group > 1).map(|(label, nodes)| {
            let (first, n) = (part.first_group as usize, part.n_groups as usize);
            let these: Vec<String> = nodes.iter().skip(first).take(n).map(|node| exactly(node)).collect();
            narrow(query, &format!("{label}=~\"{}\"", these.join("|")))
        });
        let asked = narrowed.as_deref().unwrap_or(query);
        all.take(query, server.query_range(asked, (part.from_s, part.to_s), planned.step_s).await?);
    }
    Ok(())
}

/// Adds a matcher to a plain selector.
fn narrow(selector: &str, matcher: &str) -> String {
    match selector.strip_suffix('}') {
        Some(open) => format!("{open},{matcher}}}"),
        None => format!("{selector}{{{matcher}}}"),
    }
}

/// The label that names the node of every series of a plain selector, and its values; absent where there is none.
async fn nodes(
    server: &mut Server<'_>,
    query: &str,
    range: (i64, i64),
    mapping: &Mapping,
) -> Result<Option<(String, Vec<String>)>, NetError> {
    // Only a plain selector can be narrowed by its text.
    if query.contains(['(', '[', ' ']) {
        return Ok(None);
    }
    let labels = server.series(query, range).await?.data;
    let names_all = |name: &&String| !labels.is_empty() && labels.iter().all(|labels| labels.get(name).is_some());
    Ok(mapping.node.iter().find(names_all).map(|name| {
        let values: BTreeSet<&str> = labels.iter().filter_map(|labels| labels.get(name)).collect();
        (name.clone(), values.into_iter().map(str::to_owned).collect())
    }))
}

/// Parts of answers, put together again.
#[derive(Default)]
struct Gathered {
    /// By the query and the labels: two aggregates may have the same labels, or none.
    series: BTreeMap<(String, Labels), Vec<(i64, f64)>>,
    partial: BTreeSet<String>,
    findings: Findings,
}

impl Gathered {
    fn take(&mut self, query: &str, answer: Answer<QueryData>) {
        if matches!(answer.data, QueryData::Scalar(..) | QueryData::Text(..)) {
            self.findings.note(
                "no-series",
                query,
                "the answer is a number or a text, no series; ask for vector(…) of it",
            );
        }
        for series in answer.data.series() {
            let key = (query.to_owned(), series.labels.clone());
            self.series.entry(key).or_default().extend_from_slice(&series.samples);
        }
        self.marks(answer.partial, answer.findings);
    }

    fn marks(&mut self, partial: Vec<String>, findings: Findings) {
        self.partial.extend(partial);
        self.findings.append(findings);
    }

    fn decoded(self) -> Decoded {
        let sorted = |((_query, labels), mut samples): ((String, Labels), Vec<(i64, f64)>)| {
            samples.sort_by_key(|(at, _)| *at);
            samples.dedup_by_key(|(at, _)| *at);
            Series { labels, samples }
        };
        let series = self.series.into_iter().map(sorted).collect();
        Decoded { series, partial: self.partial.into_iter().collect(), findings: self.findings }
    }
}
