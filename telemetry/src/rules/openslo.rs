//! Objectives in OpenSLO v1.

use crate::findings::Findings;
use crate::rules::Objective;
use crate::yaml::{Node, YamlError, documents};

/// Reads the objectives of an OpenSLO file; all documents of other kinds, and what is not supported, are findings.
///
/// Supported are ratio metrics of good or bad events and all events, inline or in an SLI of the same file, with a rolling window
/// and the budgeting method Occurrences. Both dialects are read: `target` and `targetPercent`.
///
/// # Errors
/// If the text is no YAML, or a key has a value of the wrong form.
pub fn objectives(text: &str) -> Result<(Vec<Objective>, Findings), YamlError> {
    let documents = documents(text)?;
    let (mut found, mut findings) = (Vec::new(), Findings::default());
    for document in &documents {
        match document.text_of("kind")?.unwrap_or_default() {
            "SLO" => slo(document, &documents, &mut found, &mut findings)?,
            "SLI" => {}
            kind => {
                let message = format!("documents of the kind \"{}\" are not used", crate::inventory::shown(kind));
                findings.note("not-used", format!("line {}", document.line), message);
            }
        }
    }
    Ok((found, findings))
}

fn name_of(document: &Node) -> Result<&str, YamlError> {
    document.get("metadata").map_or(Ok(None), |metadata| metadata.text_of("name")).map(Option::unwrap_or_default)
}

/// Seconds of a duration such as "28d", "1M" or "1Y".
fn window_seconds(node: &Node) -> Result<f64, YamlError> {
    let text = node.text()?;
    let bad = || node.error("a duration such as 28d is expected");
    let unit = text.chars().last().ok_or_else(bad)?;
    let number: f64 = text[..text.len() - unit.len_utf8()].parse().ok().ok_or_else(bad)?;
    let days = match unit {
        'm' => 1.0 / 1_440.0,
        'h' => 1.0 / 24.0,
        'd' => 1.0,
        'w' => 7.0,
        // Calendar months and years are taken at their mean length in the Gregorian calendar.
        'M' => 365.2425 / 12.0,
        'Q' => 365.2425 / 4.0,
        'Y' => 365.2425,
        _ => return Err(bad()),
    };
    Ok(number * days * 86_400.0)
}

fn query_of(metric: Option<&Node>) -> Result<Option<String>, YamlError> {
    let Some(source) = metric.and_then(|metric| metric.get("metricSource")) else { return Ok(None) };
    let Some(spec) = source.get("spec") else { return Ok(None) };
    Ok(spec.text_of("query")?.map(str::to_owned))
}

fn slo(document: &Node, all: &[Node], found: &mut Vec<Objective>, findings: &mut Findings) -> Result<(), YamlError> {
    let (name, spec) = (name_of(document)?, document.need("spec")?);
    let mut refuse = |node: &Node, what: &str| {
        let place = format!("line {}, column {}", node.line, node.column);
        findings.error("objective-not-supported", place, format!("{}: {what}", crate::inventory::shown(name)));
        Ok(())
    };
    let method = spec.text_of("budgetingMethod")?.unwrap_or("Occurrences");
    if method != "Occurrences" {
        return refuse(spec, "only the budgeting method Occurrences is supported");
    }
    let Some(window) = spec.entries("timeWindow")?.first() else { return refuse(spec, "it has no time window") };
    if window.get("calendar").is_some() || window.text_of("isRolling")? == Some("false") {
        return refuse(window, "only rolling windows are supported");
    }
    let window_seconds = window_seconds(window.need("duration")?)?;
    let referred = match spec.text_of("indicatorRef")? {
        Some(wanted) => {
            let is_it = |d: &&Node| matches!(d.text_of("kind"), Ok(Some("SLI"))) && name_of(d) == Ok(wanted);
            all.iter().find(is_it)
        }
        None => spec.get("indicator"),
    };
    let ratio = referred.and_then(|sli| sli.get("spec")).and_then(|spec| spec.get("ratioMetric"));
    let Some(ratio) = ratio else { return refuse(spec, "only ratio metrics of this file are supported") };
    let [good, bad, total] = ["good", "bad", "total"].map(|key| query_of(ratio.get(key)));
    let (good, bad) = (good?, bad?);
    let Some(total) = total?.filter(|_| good.is_some() || bad.is_some()) else {
        return refuse(ratio, "a ratio needs queries for total and for good or bad");
    };
    for (i, entry) in spec.entries("objectives")?.iter().enumerate() {
        let percent = entry.get("targetPercent").map(Node::number).transpose()?.map(|percent| percent / 100.0);
        let target = entry.get("target").map(Node::number).transpose()?.or(percent);
        let Some(target_fraction) = target.filter(|target| *target > 0.0 && *target < 1.0) else {
            refuse(entry, "a target lies between 0 and 1; 100 % leaves no budget")?;
            continue;
        };
        let own = entry.text_of("displayName")?.filter(|own| !own.is_empty());
        let name = match own {
            Some(own) => format!("{name}: {own}"),
            None if i == 0 => name.to_owned(),
            None => format!("{name} {}", i + 1),
        };
        let (good, bad, total) = (good.clone(), bad.clone(), total.clone());
        found.push(Objective { name, target_fraction, window_seconds, good, bad, total });
    }
    Ok(())
}
