//! The texts of the libtpu SDK: `{"duty_cycle_pct": ["97.00", …], "ici_link_health": ["tray1.chip3.ici0.int: 0"], …}`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::findings::Findings;
use crate::labels::{Labels, NAME};
use crate::prometheus::Series;
use crate::prometheus::error::not_an_answer;
use crate::prometheus::{Answer, ApiError};

/// Health of one ICI link as libtpu tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkHealth {
    /// Name such as "tray1.chip3.ici0.int".
    pub link: String,
    /// 0 healthy, 1 to 5 transient, 6 to 9 persistent, 10 unusable.
    pub score: u8,
}

/// What the SDK told of one host.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SdkReport {
    /// One series for each chip or core, with the index in the label `accelerator_id`.
    pub series: Vec<Series>,
    /// Health of links.
    pub links: Vec<LinkHealth>,
    /// Whether no list holds anything: nothing serves metrics, which is not the same as 0 %.
    pub no_workload: bool,
}

/// Reads what `tpumonitoring.get_metric(…).data()` gave for each metric, taken at `at_ms` Unix milliseconds.
///
/// # Errors
/// If the text is no object of lists of texts.
pub fn sdk_strings(body: &str, at_ms: i64) -> Result<Answer<SdkReport>, ApiError> {
    let lists: BTreeMap<String, Vec<String>> =
        serde_json::from_str(body).map_err(|error| not_an_answer(body, &error))?;
    let mut report =
        SdkReport { no_workload: !lists.is_empty() && lists.values().all(Vec::is_empty), ..SdkReport::default() };
    let mut findings = Findings::default();
    if report.no_workload {
        findings.note("no-workload", "libtpu", "no workload is running, so nothing is measured; that is not 0 %");
    }
    for (name, rows) in &lists {
        for (i, row) in rows.iter().enumerate() {
            if !take(name, i, row, at_ms, &mut report) {
                let place = format!("{}, row {}", crate::inventory::shown(name), i + 1);
                findings.warn("bad-row", place, format!("\"{}\" was not understood", crate::inventory::shown(row)));
            }
        }
    }
    Ok(Answer { data: report, findings, ..Answer::default() })
}

/// One row; whether it was understood.
fn take(name: &str, i: usize, row: &str, at_ms: i64, report: &mut SdkReport) -> bool {
    if name == "ici_link_health" {
        let Some((link, score)) = row.rsplit_once(": ").filter(|(link, _)| !link.is_empty()) else { return false };
        let Some(score) = score.trim().parse().ok().filter(|score| *score <= 10) else { return false };
        report.links.push(LinkHealth { link: link.to_owned(), score });
        return true;
    }
    // "97.00" of the i-th chip, "1-1" of device 1, "tensorcore_1: 10" of core 1.
    let plain = || Some((i, row.trim().parse().ok()?));
    let of_device = || {
        let (device, score) = row.split_once('-')?;
        Some((device.trim().parse().ok()?, score.trim().parse().ok()?))
    };
    let of_core = || {
        let (core, value) = row.split_once(": ")?;
        Some((core.rsplit('_').next()?.parse().ok()?, value.trim().parse().ok()?))
    };
    // Latencies are a bucket with mean and quantiles; no series of a chip.
    if row.split(", ").count() == 6 && row.split(", ").skip(1).all(|part| part.parse::<f64>().is_ok()) {
        return true;
    }
    let parsed: Option<(usize, f64)> =
        if name == "tpu_throttle_score" { of_device() } else { plain().or_else(of_core) };
    let Some((index, value)) = parsed else { return false };
    let index = index.to_string();
    let labels = Labels::new([(NAME, name), ("accelerator_id", &index)]);
    report.series.push(Series { labels, samples: vec![(at_ms, value)] });
    true
}
