//! Lists: names of labels, values of a label, series, metadata.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::findings::Findings;
use crate::labels::Labels;
use crate::prometheus::decode::LabelText;
use crate::prometheus::error::{not_an_answer, refused};
use crate::prometheus::{Answer, ApiError, Limits};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<T> {
    status: String,
    #[serde(default = "Option::default")]
    data: Option<T>,
    #[serde(default)]
    error_type: Option<String>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    warnings: Option<Vec<String>>,
    #[serde(default)]
    infos: Option<Vec<String>>,
    #[serde(default)]
    is_partial: bool,
}

/// Reads an answer whose data have a fixed form.
pub(super) fn envelope<T: DeserializeOwned + Default>(body: &str) -> Result<Answer<T>, ApiError> {
    let read = serde_json::from_str::<Envelope<T>>(body).map_err(|error| not_an_answer(body, &error))?;
    if read.status != "success" {
        return Err(refused(&read.error_type.unwrap_or_default(), &read.error.unwrap_or_default()));
    }
    let mut partial = read.warnings.unwrap_or_default();
    if read.is_partial {
        partial.push("the server marked the answer as partial".to_owned());
    }
    let (data, infos) = (read.data.unwrap_or_default(), read.infos.unwrap_or_default());
    Ok(Answer { data, partial, infos, findings: Findings::default() })
}

/// Refuses a list that is too long.
fn bounded<T>(answer: Answer<Vec<T>>, limit: usize) -> Result<Answer<Vec<T>>, ApiError> {
    let is_small = answer.data.len() <= limit;
    if is_small { Ok(answer) } else { Err(ApiError::TooLarge { what: "entries", limit }) }
}

/// Reads the answer to `labels` or `label/…/values`.
///
/// # Errors
/// If the server refused, or the text is no such answer or is too long.
pub fn names(body: &str, limits: Limits) -> Result<Answer<Vec<String>>, ApiError> {
    bounded(envelope(body)?, limits.series)
}

/// Reads the answer to `series`.
///
/// # Errors
/// If the server refused, or the text is no such answer or is too long.
pub fn series(body: &str, limits: Limits) -> Result<Answer<Vec<Labels>>, ApiError> {
    let answer = bounded(envelope::<Vec<BTreeMap<String, LabelText>>>(body)?, limits.series)?;
    let labels =
        |map: BTreeMap<String, LabelText>| Labels::new(map.into_iter().map(|(name, value)| (name, value.text)));
    Ok(answer.map(|list| list.into_iter().map(labels).collect()))
}

/// What a server knows of one metric.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Metadata {
    /// Type, such as `gauge`.
    #[serde(rename = "type", default)]
    pub kind: String,
    /// What it means, in the exporter's words.
    #[serde(default)]
    pub help: String,
    /// Unit, mostly empty.
    #[serde(default)]
    pub unit: String,
}

/// Reads the answer to `metadata`: by name of the metric, one entry for each thing that exporters say of it.
///
/// # Errors
/// If the server refused, or the text is no such answer.
pub fn metadata(body: &str) -> Result<Answer<BTreeMap<String, Vec<Metadata>>>, ApiError> {
    envelope(body)
}
