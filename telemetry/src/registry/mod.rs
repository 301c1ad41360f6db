//! The registry of metrics: what each name means, in which unit, and how far its labels can be trusted.
//!
//! The same share is written 0 to 100 by some exporters and 0 to 1 by others, and the same label holds three kinds of
//! index. Nothing is rescaled or guessed: the registry says what a source documents, and what contradicts it becomes a
//! finding (see [`Watch`]).

mod watch;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use ron::extensions::Extensions;
use serde::{Deserialize, Serialize};

use crate::metric::Metric;

pub use watch::Watch;

const EMBEDDED: &str = include_str!("../../../assets/metrics/registry.ron");

/// Unit of the values of a source, as they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(serialize = "snake_case"))]
pub enum SourceUnit {
    /// A share of 0 to 100.
    Percent,
    /// A share of 0 to 1.
    Fraction,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Microseconds.
    Microseconds,
    /// Millions of bits per second.
    MegabitsPerSecond,
    /// A number of things.
    Count,
    /// 1 or 0 for a state that holds or does not.
    State,
    /// A grade on a scale.
    Score,
    /// Degrees Celsius.
    Celsius,
    /// Watts.
    Watts,
}

/// How values follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(serialize = "snake_case"))]
pub enum Kind {
    /// A value of the moment.
    Gauge,
    /// A sum that only grows; a fall is a restart.
    Counter,
    /// A distribution, as `_bucket`, `_sum` and `_count`.
    Histogram,
}

/// What one series stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all(serialize = "snake_case"))]
#[expect(missing_docs, reason = "the names are the elements of a fleet and of a cluster")]
pub enum Scope {
    Chip,
    Core,
    Link,
    Host,
    Worker,
    Container,
    Slice,
    Partition,
    NodePool,
    Job,
    Queue,
    Server,
    Reservation,
    Project,
}

/// What the number in a device label counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all(serialize = "snake_case"))]
pub enum IdSpace {
    /// Chips of the whole slice, x fastest.
    ChipInSlice,
    /// Chips of one host, from 0.
    ChipInHost,
    /// Cores.
    Core,
    /// Chips of the pod; only Podium's own exporter knows them.
    ChipInPod,
}

/// Through which program a name reaches us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(serialize = "snake_case"))]
#[expect(missing_docs, reason = "the names are those of the programs, listed in docs/formats.md")]
pub enum Exporter {
    Gke,
    Gce,
    DevicePlugin,
    LibtpuRuntime,
    LibtpuSdk,
    Ray,
    AllSmi,
    Kueue,
    JobSet,
    Serving,
    Podium,
}

/// Smallest and largest value that the unit allows; an absent side has no bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Smallest.
    #[serde(default)]
    pub min: Option<f64>,
    /// Largest.
    #[serde(default)]
    pub max: Option<f64>,
}

/// One name of a metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetricName {
    /// As the exporter writes it.
    pub name: String,
    /// The exporter.
    pub via: Exporter,
    /// Monitored resource that Cloud Monitoring keeps it on.
    #[serde(default)]
    pub resource: Option<String>,
    /// Documented time until a sample can be seen, in seconds; absent where no source states it.
    #[serde(default)]
    pub lag_seconds: Option<u32>,
}

/// One metric with all its names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSpec {
    /// Stable key.
    pub key: String,
    /// Name for people.
    pub label: String,
    /// Unit of the values as they come.
    pub unit: SourceUnit,
    /// How values follow each other.
    pub kind: Kind,
    /// What one series stands for.
    pub scope: Scope,
    /// Possible values; absent where sources state none.
    #[serde(default)]
    pub range: Option<Range>,
    /// What the number of its device label counts; absent where it has none or sources do not say.
    #[serde(default)]
    pub id_space: Option<IdSpace>,
    /// Key of the chip metric of [`Metric`] that it fills.
    #[serde(default)]
    pub chip_metric: Option<String>,
    /// One sentence: what it measures.
    pub about: String,
    /// One sentence: what it must not be taken for; empty where nothing is known.
    #[serde(default)]
    pub is_not: String,
    /// A known fault of its exporter, which bars it from alerts.
    #[serde(default)]
    pub quirk: Option<String>,
    /// Key of the source, see [`Registry::sources`].
    pub source: String,
    /// Its names.
    pub names: Vec<MetricName>,
}

impl MetricSpec {
    /// The chip metric that it fills, with the factor from its unit to that of the store (0.01 for percent).
    pub fn chip_metric(&self) -> Option<(Metric, f64)> {
        let key = self.chip_metric.as_deref()?;
        let metric = Metric::ALL.into_iter().find(|metric| metric.key() == key)?;
        Some((metric, if self.unit == SourceUnit::Percent { 0.01 } else { 1.0 }))
    }

    /// Whether its values may decide an alert.
    pub const fn is_trusted(&self) -> bool {
        self.quirk.is_none()
    }
}

/// A metric under one of its names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known<'a> {
    /// The metric.
    pub spec: &'a MetricSpec,
    /// The name that was found.
    pub name: &'a MetricName,
}

/// All metrics that are known.
#[derive(Debug, Clone, PartialEq)]
pub struct Registry {
    /// Date of the compilation, ISO 8601.
    pub as_of: String,
    /// Source key and full reference.
    pub sources: Vec<(String, String)>,
    /// The metrics.
    pub metrics: Vec<MetricSpec>,
    /// Name and its `PromQL` form → metric and name by index.
    by_name: BTreeMap<String, (usize, usize)>,
}

/// Why a text is not a registry, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The text has not the right form.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// Two metrics have one name.
    #[error("the name \"{name}\" stands for {first} and for {second}; a name means one thing")]
    Ambiguous {
        /// The name.
        name: String,
        /// Key of the first metric.
        first: String,
        /// Key of the second metric.
        second: String,
    },
    /// A metric refers to something that is not there.
    #[error("metric {key}: there is no {what} \"{name}\"")]
    Dangling {
        /// Key of the metric.
        key: String,
        /// What is missing: a source or a chip metric.
        what: &'static str,
        /// Its name.
        name: String,
    },
}

#[derive(Deserialize)]
#[serde(rename = "Registry")]
struct Document {
    as_of: String,
    sources: Vec<(String, String)>,
    metrics: Vec<MetricSpec>,
}

impl Registry {
    /// Reads a registry from RON.
    ///
    /// # Errors
    /// The first thing that is not right.
    pub fn parse(text: &str) -> Result<Self, RegistryError> {
        let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
        let Document { as_of, sources, metrics } = options.from_str(text).map_err(|error| RegistryError::Syntax {
            line: error.span.start.line,
            column: error.span.start.col,
            message: error.code.to_string(),
        })?;
        let mut by_name = BTreeMap::new();
        for (i, spec) in metrics.iter().enumerate() {
            if !sources.iter().any(|(key, _)| *key == spec.source) {
                return Err(dangling(spec, "source", &spec.source));
            }
            if let Some(key) = spec.chip_metric.as_deref().filter(|_| spec.chip_metric().is_none()) {
                return Err(dangling(spec, "chip metric", key));
            }
            for (j, name) in spec.names.iter().enumerate() {
                for form in [promql_name(&name.name).into_owned(), name.name.clone()] {
                    let (first, _) = *by_name.entry(form.clone()).or_insert((i, j));
                    if first != i {
                        let (first, second) = (metrics[first].key.clone(), spec.key.clone());
                        return Err(RegistryError::Ambiguous { name: form, first, second });
                    }
                }
            }
        }
        Ok(Self { as_of, sources, metrics, by_name })
    }

    /// The registry that is built in, `assets/metrics/registry.ron`; read once.
    ///
    /// # Panics
    /// If the embedded file is broken, which a test excludes.
    pub fn embedded() -> &'static Self {
        static REGISTRY: OnceLock<Registry> = OnceLock::new();
        #[expect(clippy::expect_used, reason = "the file is part of the program and a test reads it")]
        REGISTRY.get_or_init(|| Self::parse(EMBEDDED).expect("the embedded registry is well-formed"))
    }

    /// The metric of a name: as an exporter or Cloud Monitoring writes it, in its `PromQL` form, or a series of a
    /// distribution with `_bucket`, `_sum` or `_count`.
    pub fn find(&self, name: &str) -> Option<Known<'_>> {
        let known = |name: &str| {
            let (i, j) = *self.by_name.get(name)?;
            let spec = self.metrics.get(i)?;
            Some(Known { spec, name: spec.names.get(j)? })
        };
        known(name).or_else(|| {
            let base = ["_bucket", "_sum", "_count"].into_iter().find_map(|end| name.strip_suffix(end))?;
            known(base).filter(|known| known.spec.kind == Kind::Histogram)
        })
    }

    /// The metric of a key.
    pub fn get(&self, key: &str) -> Option<&MetricSpec> {
        self.metrics.iter().find(|spec| spec.key == key)
    }

    /// Full reference of a source key.
    pub fn source(&self, key: &str) -> Option<&str> {
        self.sources.iter().find(|(have, _)| have == key).map(|(_, text)| text.as_str())
    }
}

fn dangling(spec: &MetricSpec, what: &'static str, name: &str) -> RegistryError {
    RegistryError::Dangling { key: spec.key.clone(), what, name: name.to_owned() }
}

/// The `PromQL` name of a Cloud Monitoring metric: the first `/` becomes `:`, every other special character `_`
/// (cloud.google.com/monitoring/promql/promql-mapping). A name without a domain stays as it is.
pub fn promql_name(name: &str) -> Cow<'_, str> {
    let Some((domain, path)) = name.split_once('/') else {
        return Cow::Borrowed(name);
    };
    let plain = |text: &str| -> String {
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
    };
    Cow::Owned(format!("{}:{}", plain(domain), plain(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_registry_is_well_formed_and_says_something_of_everything() {
        let registry = Registry::parse(EMBEDDED).unwrap();
        assert!(registry.metrics.len() >= 70, "{}", registry.metrics.len());
        for spec in &registry.metrics {
            assert!(spec.about.ends_with('.') && !spec.names.is_empty(), "{}", spec.key);
            assert!(registry.source(&spec.source).is_some(), "{}", spec.key);
        }
        let keys: std::collections::BTreeSet<&str> = registry.metrics.iter().map(|spec| spec.key.as_str()).collect();
        assert_eq!(keys.len(), registry.metrics.len(), "keys are unique");
    }

    /// Oracle: the examples of the mapping page of Cloud Monitoring.
    #[test]
    fn one_metric_is_found_under_all_its_names() {
        let registry = Registry::embedded();
        for name in [
            "duty_cycle",
            "duty_cycle_node",
            "duty_cycle_pct",
            "kubernetes.io/node/accelerator/duty_cycle",
            "kubernetes_io:node_accelerator_duty_cycle",
            "kubernetes_io:container_accelerator_duty_cycle",
            "tpu.runtime.tensorcore.dutycycle.percent",
            "tpu_googleapis_com:accelerator_duty_cycle",
        ] {
            assert_eq!(registry.find(name).map(|known| known.spec.key.as_str()), Some("duty_cycle"), "{name}");
        }
        let bucket = "kubernetes_io:container_multislice_network_collective_end_to_end_latencies_bucket";
        assert_eq!(registry.find(bucket).unwrap().spec.key, "collective_latency");
        assert!(registry.find("duty_cycle_bucket").is_none(), "a gauge has no buckets");
        assert!(registry.find("").is_none());
    }

    #[test]
    fn units_and_id_spaces_are_those_of_the_sources() {
        let registry = Registry::embedded();
        let duty = registry.get("duty_cycle").unwrap();
        assert_eq!((duty.unit, duty.id_space), (SourceUnit::Percent, Some(IdSpace::ChipInSlice)));
        assert_eq!(duty.chip_metric(), Some((Metric::DutyCycle, 0.01)));
        let core = registry.find("kubernetes_io:node_accelerator_tensorcore_utilization").unwrap();
        assert_eq!((core.spec.id_space, core.name.lag_seconds), (Some(IdSpace::ChipInHost), Some(120)));
        assert_eq!(core.name.resource.as_deref(), Some("k8s_node"));
        assert_eq!(registry.get("serving_cache").unwrap().unit, SourceUnit::Fraction);
        assert!(!registry.find("grpc_tcp_packets_sent_count").unwrap().spec.is_trusted());
    }

    #[test]
    fn a_broken_registry_says_where() {
        let error = Registry::parse("(as_of: \"x\",\n sources: 5, metrics: [])").unwrap_err();
        assert!(matches!(error, RegistryError::Syntax { line: 2, .. }), "{error}");
        let spec = |key: &str| {
            format!(
                "(key: \"{key}\", label: \"\", unit: Count, kind: Gauge, scope: Host, about: \"\", source: \"S\", names: [(name: \"n\", via: Gke)])"
            )
        };
        let text = format!("(as_of: \"\", sources: [(\"S\", \"\")], metrics: [{}, {}])", spec("a"), spec("b"));
        let error = Registry::parse(&text).unwrap_err();
        assert_eq!(error.to_string(), "the name \"n\" stands for a and for b; a name means one thing");
    }
}
