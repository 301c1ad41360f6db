//! Values that contradict what the registry says of their metric.

use std::collections::BTreeMap;

use crate::findings::Findings;
use crate::registry::{MetricSpec, Registry, SourceUnit};

/// What was seen of one metric.
#[derive(Debug, Clone, Copy)]
struct Seen {
    n: u64,
    n_finite: u64,
    n_below: u64,
    n_above: u64,
    n_not_a_number: u64,
    smallest: f64,
    largest: f64,
    /// Whether any value is neither 0 nor a whole percent.
    has_part: bool,
}

impl Default for Seen {
    fn default() -> Self {
        let (smallest, largest) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { n: 0, n_finite: 0, n_below: 0, n_above: 0, n_not_a_number: 0, smallest, largest, has_part: false }
    }
}

/// Looks at the values of a source and says afterwards what contradicts the registry. Values are never changed.
#[derive(Debug, Clone)]
pub struct Watch<'a> {
    registry: &'a Registry,
    seen: BTreeMap<&'a str, Seen>,
}

impl<'a> Watch<'a> {
    /// Nothing seen yet.
    pub const fn new(registry: &'a Registry) -> Self {
        Self { registry, seen: BTreeMap::new() }
    }

    /// Looks at one sample; names that the registry does not know are passed over.
    pub fn see(&mut self, name: &str, value: f64) {
        let Some(known) = self.registry.find(name) else { return };
        let seen = self.seen.entry(&known.spec.key).or_default();
        seen.n += 1;
        if !value.is_finite() {
            seen.n_not_a_number += 1;
            return;
        }
        seen.n_finite += 1;
        let range = known.spec.range;
        seen.n_below += u64::from(range.and_then(|range| range.min).is_some_and(|min| value < min));
        seen.n_above += u64::from(range.and_then(|range| range.max).is_some_and(|max| value > max));
        seen.smallest = seen.smallest.min(value);
        seen.largest = seen.largest.max(value);
        seen.has_part |= value.fract() != 0.0;
    }

    /// What contradicts the registry.
    pub fn findings(&self) -> Findings {
        let mut findings = Findings::default();
        for (key, seen) in &self.seen {
            if let Some(spec) = self.registry.get(key) {
                tell(spec, seen, &mut findings);
            }
        }
        findings
    }
}

fn tell(spec: &MetricSpec, seen: &Seen, findings: &mut Findings) {
    let place = format!("metric {}", spec.key);
    if let Some(quirk) = &spec.quirk {
        findings.note("known-exporter-quirk", &place, quirk.clone());
    }
    // All of a percent metric at or below 1, some of them parts: looks like fractions, or like idle chips.
    if spec.unit == SourceUnit::Percent && seen.n_finite > 0 && seen.largest <= 1.0 && seen.has_part {
        let message = format!(
            "all {} values lie between {} and {}, but the unit is percent of 0 to 100: either every chip idles or the \
             source writes fractions; nothing was rescaled",
            seen.n_finite, seen.smallest, seen.largest
        );
        findings.warn("percent-or-fraction", &place, message);
    }
    let range = spec.range.unwrap_or(crate::registry::Range { min: None, max: None });
    if let Some(max) = range.max.filter(|_| seen.n_above > 0) {
        let (n, largest) = (seen.n_above, seen.largest);
        findings.warn("above-range", &place, format!("{n} of {} values lie above {max}, up to {largest}", seen.n));
    }
    if let Some(min) = range.min.filter(|_| seen.n_below > 0) {
        let (n, smallest) = (seen.n_below, seen.smallest);
        findings.warn("below-range", &place, format!("{n} of {} values lie below {min}, down to {smallest}", seen.n));
    }
    if seen.n_not_a_number > 0 {
        let n = seen.n_not_a_number;
        findings.note(
            "not-a-number",
            &place,
            format!("{n} of {} values are no finite number and count as missing", seen.n),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(name: &str, values: &[f64]) -> Vec<&'static str> {
        let mut watch = Watch::new(Registry::embedded());
        for value in values {
            watch.see(name, *value);
        }
        watch.findings().as_slice().iter().map(|finding| finding.code).collect()
    }

    /// A percent of 0 to 1 is told, not rescaled; an idle fleet of zeros and a fraction metric are not.
    #[test]
    fn contradictions_are_told() {
        assert_eq!(codes("duty_cycle", &[0.97, 0.96, 0.98]), ["percent-or-fraction"]);
        assert_eq!(codes("duty_cycle", &[97.0, 96.0, 98.0]), [""; 0]);
        assert_eq!(codes("duty_cycle", &[0.0, 0.0]), [""; 0]);
        assert_eq!(codes("vllm:kv_cache_usage_perc", &[0.97]), [""; 0]);
        assert_eq!(
            codes("tensorcore_utilization", &[104.5, 50.0, -1.0, f64::NAN]),
            ["above-range", "below-range", "not-a-number"]
        );
        assert_eq!(codes("grpc_tcp_bytes_sent_count", &[5.0]), ["known-exporter-quirk"]);
        assert_eq!(codes("something_else", &[-5.0]), [""; 0]);
    }
}
