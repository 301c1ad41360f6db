//! What to ask: the step under the limit of points, the split by time and by group, the selector with its monitored
//! resource, and how much would come back.
//!
//! Prometheus refuses more than 11,000 points for each series; the limit says nothing of the number of series, so the
//! size of an answer is bounded here. Sizes are estimates from answers of Prometheus 2.42 for 9,216 chips
//! (30 November 2026): 256 bytes for a series and 35 for a sample.

use serde::Serialize;

use crate::labels::braced_into;
use crate::registry::Known;

/// Points of one series that servers give at most.
pub const MAX_POINTS: u64 = 11_000;
const BYTES_PER_SERIES: u64 = 256;
const BYTES_PER_SAMPLE: u64 = 35;
/// Steps that people can name, in seconds; longer ones are whole hours.
const STEPS: [u32; 16] = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_200, 1_800, 3_600, 7_200];

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeRequest {
    /// First moment, Unix seconds.
    pub from_s: i64,
    /// Last moment, Unix seconds.
    pub to_s: i64,
    /// Wanted step in seconds.
    pub step_s: u32,
    /// Series that are expected: chips, or hosts after an aggregation.
    pub n_series: u64,
    /// Values of the label by which an answer can be split, such as nodes; 1 if it cannot.
    pub n_groups: u64,
    /// Samples that may come back in all.
    pub max_samples: u64,
    /// Samples that one answer may hold.
    pub max_samples_per_answer: u64,
}

impl RangeRequest {
    /// A range with the usual bounds: 2,000,000 samples an answer, 20,000,000 in all.
    pub const fn new((from_s, to_s): (i64, i64), step_s: u32, n_series: u64) -> Self {
        let (max_samples, max_samples_per_answer) = (20_000_000, 2_000_000);
        Self { from_s, to_s, step_s, n_series, n_groups: 1, max_samples, max_samples_per_answer }
    }
}

/// How a request is cut into parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Split {
    /// Parts one after the other in time.
    pub by_time: u64,
    /// Parts beside each other by group.
    pub by_group: u64,
}

/// One request of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Part {
    /// First moment, Unix seconds.
    pub from_s: i64,
    /// Last moment, Unix seconds.
    pub to_s: i64,
    /// First group.
    pub first_group: u64,
    /// Number of groups.
    pub n_groups: u64,
}

/// What to ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueryPlan {
    /// Step that is used, in seconds; shown to the user.
    pub step_s: u32,
    /// Whether it is longer than what was wanted.
    pub is_coarser: bool,
    /// Points of each series.
    pub points: u64,
    /// Samples that come back in all.
    pub samples: u64,
    /// Bytes that come back in all, before compression; an estimate.
    pub bytes: u64,
    /// How it is cut.
    pub split: Split,
    /// The requests, in order of time and group.
    pub parts: Vec<Part>,
}

/// Why something is not asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The end lies before the start, or the step is 0.
    #[error(
        "the time from {from_s} to {to_s} in steps of {step_s} s is empty: the end must not lie before the start, and the step is at least 1 s"
    )]
    Empty {
        /// First moment, Unix seconds.
        from_s: i64,
        /// Last moment, Unix seconds.
        to_s: i64,
        /// Step in seconds.
        step_s: u32,
    },
    /// Too much would come back.
    #[error(
        "that would be {samples} samples ({series} series, {points} points each, about {megabytes} MB); at most {limit} are asked for. A step of {suggested_step_s} s fits, or an aggregate by host or slice"
    )]
    TooMuch {
        /// Samples that would come back.
        samples: u64,
        /// Series.
        series: u64,
        /// Points of each series.
        points: u64,
        /// Estimated size in millions of bytes.
        megabytes: u64,
        /// Bound on the samples.
        limit: u64,
        /// A step that fits, in seconds.
        suggested_step_s: u64,
    },
}

/// Points from first to last moment, both included as servers do it.
const fn points(span_s: u64, step_s: u64) -> u64 {
    span_s / step_s + 1
}

/// The smallest step that people can name and that is not shorter than `step_s`.
fn nice_step(step_s: u64) -> u64 {
    STEPS.into_iter().map(u64::from).find(|nice| *nice >= step_s).unwrap_or_else(|| step_s.div_ceil(3_600) * 3_600)
}

/// Plans a range query; the step is raised where a series would have more than [`MAX_POINTS`] points.
///
/// # Errors
/// If nothing is wanted or too much would come back.
pub fn plan(request: RangeRequest) -> Result<QueryPlan, PlanError> {
    let RangeRequest { from_s, to_s, step_s: wanted, .. } = request;
    let Some(span) = to_s.checked_sub(from_s).and_then(|span| u64::try_from(span).ok()).filter(|_| wanted > 0) else {
        return Err(PlanError::Empty { from_s, to_s, step_s: wanted });
    };
    let fits = points(span, u64::from(wanted)) <= MAX_POINTS;
    let step = if fits { u64::from(wanted) } else { nice_step(span.div_ceil(MAX_POINTS - 1)) };
    let step_s = u32::try_from(step).unwrap_or(u32::MAX);
    let n_points = points(span, step);
    let series = request.n_series.max(1);
    let samples = series.saturating_mul(n_points);
    let bytes = series.saturating_mul(BYTES_PER_SERIES).saturating_add(samples.saturating_mul(BYTES_PER_SAMPLE));
    if samples > request.max_samples {
        let points_that_fit = (request.max_samples / series).saturating_sub(1).max(1);
        return Err(PlanError::TooMuch {
            samples,
            series,
            points: n_points,
            megabytes: bytes.div_ceil(1_000_000),
            limit: request.max_samples,
            suggested_step_s: nice_step(span.div_ceil(points_that_fit)),
        });
    }
    let split = split(&request, series, n_points);
    let parts = parts(&request, step, n_points, split);
    Ok(QueryPlan { step_s, is_coarser: step > u64::from(wanted), points: n_points, samples, bytes, split, parts })
}

/// First by group, so that each answer holds whole series; then by time.
fn split(request: &RangeRequest, series: u64, n_points: u64) -> Split {
    let per_answer = request.max_samples_per_answer.max(1);
    let groups = request.n_groups.clamp(1, series);
    let wanted_groups = series.saturating_mul(n_points).div_ceil(per_answer).clamp(1, groups);
    // Groups are whole, so that the largest part has this many series.
    let series_of_part = series.div_ceil(groups).saturating_mul(groups.div_ceil(wanted_groups)).min(series);
    let by_group = groups.div_ceil(groups.div_ceil(wanted_groups));
    let points_of_part = (per_answer / series_of_part).max(1);
    Split { by_time: n_points.div_ceil(points_of_part), by_group }
}

fn parts(request: &RangeRequest, step: u64, n_points: u64, split: Split) -> Vec<Part> {
    let points_of_part = n_points.div_ceil(split.by_time);
    let groups = request.n_groups.max(1);
    let groups_of_part = groups.div_ceil(split.by_group);
    let moment = |point: u64| request.from_s.saturating_add((point * step) as i64);
    let mut parts = Vec::new();
    for first in (0..n_points).step_by(points_of_part as usize) {
        let last = (first + points_of_part).min(n_points) - 1;
        for first_group in (0..groups).step_by(groups_of_part as usize) {
            let n_groups = groups_of_part.min(groups - first_group);
            parts.push(Part { from_s: moment(first), to_s: moment(last), first_group, n_groups });
        }
    }
    parts
}

/// Selector of a metric of the registry with label equalities; names of Cloud Monitoring always say their monitored
/// resource, because a metric that is there on several is refused without.
pub fn selector(known: Known<'_>, equal: &[(&str, &str)]) -> String {
    let mut text = crate::registry::promql_name(&known.name.name).into_owned();
    // Names that PromQL cannot say without quotes.
    let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b':');
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    let quoted = std::mem::take(&mut text);
    if is_plain {
        text.clone_from(&quoted);
    } else {
        pairs.push(("__name__", &quoted));
    }
    pairs.extend(known.name.resource.as_deref().map(|resource| ("monitored_resource", resource)));
    pairs.extend_from_slice(equal);
    braced_into(&mut text, pairs, ",");
    text
}
