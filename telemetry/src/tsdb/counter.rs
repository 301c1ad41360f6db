//! Rates of counters.

/// Growth of a counter between two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Time of the later sample, Unix milliseconds.
    pub at_ms: i64,
    /// Growth a second.
    pub per_second: f64,
    /// Whether the counter began anew in between; then only what it shows since counts.
    pub is_reset: bool,
}

/// Rates between neighbouring samples. A fall is a restart from 0; across a silence longer than `longest_ms` there is no
/// rate, because nobody knows how often the counter began anew.
pub fn counter_rates(samples: impl IntoIterator<Item = (i64, f64)>, longest_ms: i64) -> Vec<Rate> {
    let mut rates = Vec::new();
    let mut before: Option<(i64, f64)> = None;
    for (at_ms, value) in samples.into_iter().filter(|(_, value)| value.is_finite()) {
        if let Some((from_ms, from)) = before
            && at_ms > from_ms
            && at_ms - from_ms <= longest_ms
        {
            let is_reset = value < from;
            let growth = if is_reset { value } else { value - from };
            rates.push(Rate { at_ms, per_second: growth * 1_000.0 / (at_ms - from_ms) as f64, is_reset });
        }
        before = Some((at_ms, value));
    }
    rates
}
