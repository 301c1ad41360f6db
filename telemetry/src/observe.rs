//! One look at what a source says: decoded, bound, with coverage for each metric. The core of `podium observe`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use topology::finding::Finding;

use crate::bind::{Binding, Inventory, Mapping, Report, Target, bind};
use crate::coverage::{Coverage, coverage};
use crate::exposition::{self, Format};
use crate::findings::Findings;
use crate::labels::Labels;
use crate::prometheus::{self, ApiError, Series, query, sdk_strings, time_series};
use crate::registry::{MetricSpec, Registry, Scope, SourceUnit, Watch};
use crate::tsdb::ClockOffset;

/// What a source said, whatever its form was.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decoded {
    /// Series; a sample without a time has that of the look.
    pub series: Vec<Series>,
    /// Why it is not whole; empty if it is.
    pub partial: Vec<String>,
    /// What could not be used.
    pub findings: Findings,
}

/// Decodes a page or an answer by its form: JSON of `query`, `query_range`, `timeSeries.list` or the libtpu SDK, else the text
/// formats. `at_ms` is the time of the look in Unix milliseconds, for samples that carry none.
///
/// # Errors
/// If the server refused, or it is JSON of none of these forms or too large.
pub fn decode(text: &str, content_type: Option<&str>, at_ms: i64) -> Result<Decoded, ApiError> {
    let limits = prometheus::Limits::default();
    if !text.trim_start().starts_with(['{', '[', '<']) {
        return Ok(page(text, content_type, at_ms));
    }
    let of_answer = |answer: prometheus::Answer<prometheus::QueryData>| {
        let series = answer.data.series().to_vec();
        Decoded { series, partial: answer.partial, findings: answer.findings }
    };
    let error = match query(text, limits) {
        Ok(answer) => return Ok(of_answer(answer)),
        Err(error @ ApiError::NotAnAnswer { .. }) => error,
        Err(error) => return Err(error),
    };
    if let Ok(answer) = time_series(text, limits)
        && !answer.data.series().is_empty()
    {
        return Ok(of_answer(answer));
    }
    let sdk = sdk_strings(text, at_ms).ok().filter(|sdk| sdk.data.no_workload || !sdk.data.series.is_empty());
    let sdk = sdk.ok_or(error)?;
    Ok(Decoded { series: sdk.data.series, partial: sdk.partial, findings: sdk.findings })
}

fn page(text: &str, content_type: Option<&str>, at_ms: i64) -> Decoded {
    let format = content_type.map_or_else(|| Format::of_file(text.as_bytes()), Format::of_content_type);
    let page = exposition::read(text.as_bytes(), format, exposition::Limits::default());
    // A file of 0.0.4 may lack its last line end without lacking anything else.
    let is_cut =
        format == Format::OpenMetrics && page.findings.as_slice().iter().any(|finding| finding.code == "no-end");
    let mut by_labels: BTreeMap<Labels, Vec<(i64, f64)>> = BTreeMap::new();
    for sample in page.samples {
        by_labels.entry(sample.labels).or_default().push((sample.at_ms.unwrap_or(at_ms), sample.value));
    }
    let sorted = |(labels, mut samples): (Labels, Vec<(i64, f64)>)| {
        samples.sort_by_key(|(at, _)| *at);
        Series { labels, samples }
    };
    let partial = if is_cut { vec!["the page may have been cut off".to_owned()] } else { Vec::new() };
    Decoded { series: by_labels.into_iter().map(sorted).collect(), partial, findings: page.findings }
}

/// What is looked at, and with which knowledge.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// The fleet with its hosts; an empty one if none is known.
    pub inventory: &'a Inventory,
    /// Chips that are reserved and should report; absent if that is not known.
    pub chips_expected: Option<usize>,
    /// Which labels hold what.
    pub mapping: &'a Mapping,
    /// What names mean.
    pub registry: &'a Registry,
    /// Time of the look by our clock, Unix milliseconds.
    pub at_ms: i64,
    /// Clock of the server, if it was heard.
    pub clock: Option<&'a ClockOffset>,
}

/// One metric of chips.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservedMetric {
    /// Key of the registry.
    pub metric: String,
    /// Unit of the means, as the source has it.
    pub unit: SourceUnit,
    /// Series of all its names.
    pub series: usize,
    /// Coverage and means over the newest samples.
    #[serde(flatten)]
    pub coverage: Coverage,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    /// Series.
    pub series: usize,
    /// Samples.
    pub samples: usize,
    /// Metrics of chips that the registry knows, in the order of their keys.
    pub metrics: Vec<ObservedMetric>,
    /// Names that the registry does not know, sorted.
    pub unknown_metrics: Vec<String>,
    /// What was bound, how, and what was not.
    pub binding: Report,
    /// Whether the answer is not whole.
    pub partial: bool,
    /// Why it is not.
    pub partial_reasons: Vec<String>,
    /// Age of the newest sample by the server's clock, in seconds; absent without samples.
    pub age_seconds: Option<f64>,
    /// Server's clock less ours, in seconds; absent if it was not heard.
    pub clock_offset_seconds: Option<f64>,
    /// What is strange, worst first.
    pub findings: Vec<Finding>,
}

/// Binds what was decoded and says how much of the fleet is behind each number.
pub fn observe(decoded: &Decoded, look: Look<'_>) -> Observation {
    let labels: Vec<Labels> = decoded.series.iter().map(|series| series.labels.clone()).collect();
    let binding = bind(&labels, look.inventory, look.mapping, look.registry);
    let mut findings = decoded.findings.clone();
    findings.append(binding.findings.clone());
    let mut watch = Watch::new(look.registry);
    let mut unknown: BTreeSet<&str> = BTreeSet::new();
    for series in &decoded.series {
        series.samples.iter().for_each(|(_, value)| watch.see(series.labels.name(), *value));
        if look.registry.find(series.labels.name()).is_none() {
            unknown.insert(series.labels.name());
        }
    }
    findings.append(watch.findings());
    let offset_ms = look.clock.and_then(ClockOffset::offset_ms).map(|(offset, _)| offset);
    if look.clock.is_some_and(ClockOffset::is_notable) {
        let seconds = offset_ms.unwrap_or(0) / 1_000;
        findings.warn("clock-offset", "source", format!("the server's clock is {seconds} s off; its time is used"));
    }
    let newest = decoded.series.iter().filter_map(|series| series.samples.last()).map(|(at, _)| *at).max();
    let now = look.clock.map_or(look.at_ms, |clock| clock.server_ms(look.at_ms));
    Observation {
        series: decoded.series.len(),
        samples: decoded.series.iter().map(|series| series.samples.len()).sum(),
        metrics: metrics(decoded, &binding, look),
        unknown_metrics: unknown.into_iter().map(crate::inventory::shown).collect(),
        binding: binding.report,
        partial: !decoded.partial.is_empty(),
        partial_reasons: decoded.partial.clone(),
        age_seconds: newest.map(|newest| now.saturating_sub(newest) as f64 / 1_000.0),
        clock_offset_seconds: offset_ms.map(|offset| offset as f64 / 1_000.0),
        findings: findings.into_sorted(),
    }
}

/// Newest values of one chip by name of the series; names of nodes come first, because they also speak of idle chips.
type OfChip<'a> = BTreeMap<(bool, &'a str), Vec<f64>>;

fn metrics(decoded: &Decoded, binding: &Binding, look: Look<'_>) -> Vec<ObservedMetric> {
    let mut by_metric: BTreeMap<&str, (&MetricSpec, usize, BTreeMap<String, OfChip<'_>>)> = BTreeMap::new();
    for (series, target) in decoded.series.iter().zip(&binding.targets) {
        let name = series.labels.name();
        let known = look.registry.find(name).filter(|known| known.spec.scope == Scope::Chip);
        let (Some(known), Some((_, value))) = (known, series.samples.last()) else { continue };
        let entry = by_metric.entry(&known.spec.key).or_insert((known.spec, 0, BTreeMap::new()));
        entry.1 += 1;
        if value.is_finite() {
            let chip = chip_name(&series.labels, target.as_ref().ok(), look.mapping);
            let is_of_container = !crate::bind::is_of_node(name);
            entry.2.entry(chip).or_default().entry((is_of_container, name)).or_default().push(*value);
        }
    }
    let of_chip = |unit: SourceUnit, names: &OfChip<'_>| -> Option<f64> {
        let values = names.values().next()?;
        let sum: f64 = values.iter().sum();
        Some(if unit == SourceUnit::Bytes { sum } else { sum / values.len() as f64 })
    };
    let expected = look.chips_expected.unwrap_or(binding.report.n_devices);
    let observed = |(metric, (spec, series, chips)): (&str, (&MetricSpec, usize, BTreeMap<String, OfChip<'_>>))| {
        let values = chips.values().map(|names| of_chip(spec.unit, names));
        let coverage = coverage(values, expected, !decoded.partial.is_empty());
        ObservedMetric { metric: metric.to_owned(), unit: spec.unit, series, coverage }
    };
    by_metric.into_iter().map(observed).collect()
}

/// What tells chips apart: the place, or the labels that name host and number.
fn chip_name(labels: &Labels, target: Option<&Target>, mapping: &Mapping) -> String {
    if let Some(target) = target {
        return format!("{} {}", target.pod, target.chip);
    }
    let naming = [&mapping.node, &mapping.uid, &mapping.cluster, &mapping.device, &mapping.instance];
    labels.keep(|name| naming.iter().any(|names| names.iter().any(|have| have == name))).to_string()
}
