//! Series of a rehearsal in promtool's short form: `1+2x3 _ stale 5x2`.

use crate::labels::{Labels, NAME};
use crate::promql::STALE;

/// Most samples of one series.
const MAX_SAMPLES: usize = 1_000_000;

/// Values in their order; `None` is a moment without a sample.
///
/// `a+bxn` is a and then n more, each b larger; `axn` is n + 1 times a; `_` is nothing and `_xn` is n times nothing.
pub(super) fn values(text: &str) -> Result<Vec<Option<f64>>, String> {
    let mut found = Vec::new();
    for word in text.split_whitespace() {
        let bad = || format!("\"{}\" is no value such as 5, 1+2x10, _ or stale", crate::inventory::shown(word));
        // Hexadecimal numbers are no part of this form, so that an x always repeats.
        let (head, times) = match word.rsplit_once('x') {
            Some((head, times)) => (head, Some(times.parse::<usize>().ok().ok_or_else(bad)?)),
            None => (word, None),
        };
        if found.len().saturating_add(times.unwrap_or(1)) > MAX_SAMPLES {
            return Err(format!("a series has at most {MAX_SAMPLES} samples"));
        }
        match head {
            "_" => found.extend(std::iter::repeat_n(None, times.unwrap_or(1))),
            "stale" => found.extend(std::iter::repeat_n(Some(f64::from_bits(STALE)), times.map_or(1, |n| n + 1))),
            head => {
                let (start, step) = start_and_step(head).ok_or_else(bad)?;
                found.extend((0..=times.unwrap_or(0)).map(|i| Some(start + step * i as f64)));
            }
        }
    }
    Ok(found)
}

/// "1+2", "-1-0.5", "5".
fn start_and_step(head: &str) -> Option<(f64, f64)> {
    if let Ok(value) = head.parse() {
        return Some((value, 0.0));
    }
    // The sign after the first character that does not belong to an exponent.
    let is_sign = |(i, c): &(usize, char)| matches!(c, '+' | '-') && *i > 0 && !head[..*i].ends_with(['e', 'E']);
    let (at, _) = head.char_indices().find(is_sign)?;
    Some((head[..at].parse().ok()?, head[at..].parse().ok()?))
}

/// Labels of a series as a selector with equalities: `up{job="a"}`.
pub(super) fn labels(text: &str) -> Result<Labels, String> {
    let (name, inside) = text.trim().split_once('{').unwrap_or((text.trim(), "}"));
    let line = format!("x{{{inside} 1\n");
    let page =
        crate::exposition::read(line.as_bytes(), crate::exposition::Format::Text, crate::exposition::Limits::default());
    match page.samples.first().filter(|_| page.findings.total() == 0) {
        Some(sample) => Ok(sample.labels.with(NAME, name.trim())),
        None => Err(format!("\"{}\" is no series such as up{{job=\"a\"}}", crate::inventory::shown(text))),
    }
}
