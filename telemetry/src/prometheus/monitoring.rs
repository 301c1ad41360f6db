//! Cloud Monitoring's own answer, `timeSeries.list` (API v3).

use serde::Deserialize;
use serde_json::Value;

use crate::findings::Findings;
use crate::labels::{Labels, NAME};
use crate::prometheus::alerts::to_ms;
use crate::prometheus::error::not_an_answer;
use crate::prometheus::{Answer, ApiError, Limits, QueryData, Series, refusal};
use crate::registry::promql_name;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    #[serde(default)]
    time_series: Vec<SeriesForm>,
    #[serde(default)]
    next_page_token: Option<String>,
    #[serde(default)]
    execution_errors: Vec<ErrorForm>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct ErrorForm {
    #[serde(default)]
    message: String,
}

#[derive(Deserialize, Default)]
struct Described {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    labels: Labels,
}

#[derive(Deserialize)]
struct SeriesForm {
    #[serde(default)]
    metric: Described,
    #[serde(default)]
    resource: Described,
    #[serde(default)]
    points: Vec<PointForm>,
}

#[derive(Deserialize)]
struct PointForm {
    interval: Interval,
    value: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Interval {
    end_time: String,
}

/// Number of a typed value; `int64Value` is a text there.
fn number(value: &Value) -> Option<f64> {
    let (kind, value) = value.as_object()?.iter().next()?;
    match (kind.as_str(), value) {
        ("doubleValue", Value::String(text)) => text.parse().ok(),
        ("int64Value", Value::String(text)) => text.parse::<i64>().ok().map(|value| value as f64),
        ("doubleValue" | "int64Value", value) => value.as_f64(),
        ("boolValue", Value::Bool(value)) => Some(f64::from(u8::from(*value))),
        _ => None,
    }
}

/// Reads one page of `timeSeries.list`; names take their `PromQL` form and `monitored_resource` is added, so that the
/// same series looks the same through both APIs.
///
/// # Errors
/// If the server refused, or the text is no such answer or holds more than the limits allow.
pub fn time_series(body: &str, limits: Limits) -> Result<Answer<QueryData>, ApiError> {
    let page: Page = serde_json::from_str(body).map_err(|error| not_an_answer(body, &error))?;
    if page.error.is_some() {
        return Err(refusal(400, body));
    }
    let n_samples: usize = page.time_series.iter().map(|series| series.points.len()).sum();
    if n_samples > limits.samples || page.time_series.len() > limits.series {
        let is_samples = n_samples > limits.samples;
        let (what, limit) = if is_samples { ("samples", limits.samples) } else { ("series", limits.series) };
        return Err(ApiError::TooLarge { what, limit });
    }
    let mut findings = Findings::default();
    let mut data = Vec::with_capacity(page.time_series.len());
    for form in page.time_series {
        let name = promql_name(&form.metric.kind).into_owned();
        let own = [(NAME, name.as_str()), ("monitored_resource", form.resource.kind.as_str())];
        let labels = Labels::new(own.into_iter().chain(form.metric.labels.iter()).chain(form.resource.labels.iter()));
        let point = |point: &PointForm| Some((to_ms(&point.interval.end_time)?, number(&point.value)?));
        let mut samples: Vec<(i64, f64)> = form.points.iter().filter_map(point).collect();
        if samples.len() < form.points.len() {
            let n = form.points.len() - samples.len();
            findings.warn(
                "not-a-number",
                labels.to_string(),
                format!("{n} points are distributions, texts or have no time; left out"),
            );
        }
        samples.sort_by_key(|(at, _)| *at);
        samples.dedup_by_key(|(at, _)| *at);
        data.push(Series { labels, samples });
    }
    let mut partial: Vec<String> = page.execution_errors.into_iter().map(|error| error.message).collect();
    if page.next_page_token.is_some_and(|token| !token.is_empty()) {
        partial.push("there are more pages".to_owned());
    }
    Ok(Answer { data: QueryData::Matrix(data), partial, infos: Vec::new(), findings })
}
