//! Rule files of Prometheus.

use crate::findings::Findings;
use crate::labels::Labels;
use crate::promql;
use crate::promql::duration_ms;
use crate::registry::Registry;
use crate::rules::{AlertRule, Condition, RuleError};
use crate::yaml::{Node, YamlError, documents};

/// A rule of a group, in the order in which they are computed.
#[derive(Debug, Clone, PartialEq)]
pub enum GroupRule {
    /// An alert.
    Alert(AlertRule),
    /// A series that is computed and kept.
    Record {
        /// Name of the series.
        name: String,
        /// Query.
        query: String,
        /// Labels that it gets.
        labels: Labels,
    },
}

/// Rules that are computed together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Name.
    pub name: String,
    /// How often, in milliseconds; absent where the file leaves it to the server.
    pub interval_ms: Option<i64>,
    /// Its rules.
    pub rules: Vec<GroupRule>,
}

/// A file with rules.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleFile {
    /// Groups in their order.
    pub groups: Vec<Group>,
    /// What was left out: keys that are not known, and rules whose query is not supported, with the position.
    pub findings: Findings,
}

/// Reads a rule file. A rule whose query is not supported, or that reads a metric of a faulty exporter, is left out and told; the
/// others are kept.
///
/// # Errors
/// If the text is no rule file.
pub fn rule_file(text: &str) -> Result<RuleFile, YamlError> {
    let mut file = RuleFile { groups: Vec::new(), findings: Findings::default() };
    for document in documents(text)? {
        unknown_keys(&document, &["groups"], &mut file.findings)?;
        for group in document.need("groups")?.list()? {
            unknown_keys(group, &["name", "interval", "rules", "limit"], &mut file.findings)?;
            let name = group.need("name")?.text()?.to_owned();
            let interval_ms = duration_of(group, "interval")?;
            let mut rules = Vec::new();
            for rule in group.entries("rules")? {
                rules.extend(self::rule(rule, &mut file.findings)?);
            }
            file.groups.push(Group { name, interval_ms, rules });
        }
    }
    Ok(file)
}

/// A duration of a key in milliseconds.
pub(super) fn duration_of(node: &Node, key: &str) -> Result<Option<i64>, YamlError> {
    let Some(value) = node.get(key) else { return Ok(None) };
    let text = value.text()?;
    let ms = if text == "0" { Some(0) } else { duration_ms(text) };
    ms.map(Some).ok_or_else(|| value.error("a duration such as 5m is expected"))
}

/// Tells of keys that nobody reads: a misspelt one would be left out in silence.
pub(super) fn unknown_keys(node: &Node, known: &[&str], findings: &mut Findings) -> Result<(), YamlError> {
    for (key, value) in node.pairs()?.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        let place = format!("line {}, column {}", value.line, value.column);
        findings.warn("unknown-key", place, format!("the key {} is not used", crate::inventory::shown(key)));
    }
    Ok(())
}

fn rule(node: &Node, findings: &mut Findings) -> Result<Option<GroupRule>, YamlError> {
    let known = ["alert", "record", "expr", "for", "keep_firing_for", "labels", "annotations"];
    unknown_keys(node, &known, findings)?;
    let (alert, record) = (node.text_of("alert")?, node.text_of("record")?);
    let name = alert.or(record).ok_or_else(|| node.error("a rule has alert or record"))?.to_owned();
    let expr = node.need("expr")?;
    let query = expr.text()?.trim().to_owned();
    let labels = Labels::new(node.texts_of("labels")?);
    let place = format!("line {}, column {}", expr.line, expr.column);
    let parsed = match promql::parse(&query) {
        Ok(parsed) => parsed,
        Err(error) => {
            let told = RuleError::Query { name, line: Some(expr.line), error };
            findings.error("query-not-supported", place, told.to_string());
            return Ok(None);
        }
    };
    let is_faulty = |name: &&str| Registry::embedded().find(name).is_some_and(|known| !known.spec.is_trusted());
    if let Some(metric) = parsed.metric_names().into_iter().find(is_faulty) {
        let message = format!("{name} reads {metric}, whose exporter is known to be at fault; the rule was left out");
        findings.error("known-exporter-quirk", place, message);
        return Ok(None);
    }
    if alert.is_none() {
        return Ok(Some(GroupRule::Record { name, query, labels }));
    }
    let annotations = Labels::new(node.texts_of("annotations")?);
    let runbook = ["runbook_url", "runbook"].into_iter().find_map(|key| annotations.get(key)).map(str::to_owned);
    let seconds = |key| duration_of(node, key).map(|ms| ms.unwrap_or(0) as f64 / 1_000.0);
    Ok(Some(GroupRule::Alert(AlertRule {
        name,
        condition: Condition::Query(query),
        for_seconds: seconds("for")?,
        keep_firing_seconds: seconds("keep_firing_for")?,
        labels,
        annotations,
        runbook,
        element: None,
    })))
}
