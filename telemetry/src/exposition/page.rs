//! A whole page, with what only the whole shows: series that are there twice, and distributions that do not add up.

use std::collections::BTreeMap;

use crate::exposition::{Family, FamilyKind, Format, Limits, Reader, Sample};
use crate::findings::Findings;
use crate::labels::{Labels, NAME};

/// A page that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Families by name.
    pub families: BTreeMap<String, Family>,
    /// Samples in the order of the page.
    pub samples: Vec<Sample>,
    /// What was not right.
    pub findings: Findings,
}

/// A distribution at a time of the page.
type Moment = (Labels, Option<i64>);

/// Reads a whole page; never fails, see [`Page::findings`]. Of two samples of one series and time the first is kept.
pub fn read(bytes: &[u8], format: Format, limits: Limits) -> Page {
    let mut reader = Reader::new(format, limits);
    let mut samples = Vec::new();
    reader.push(bytes, &mut samples);
    let (families, findings) = reader.finish(&mut samples);
    let mut page = Page { families, samples, findings };
    page.drop_repeated();
    page.check_distributions();
    page
}

impl Page {
    /// Name and family of a series: the family of that name, or the one whose name it has with an ending.
    pub fn family_of<'a>(&'a self, name: &'a str) -> (&'a str, FamilyKind) {
        if let Some(family) = self.families.get(name) {
            return (name, family.kind);
        }
        let with_ending = ["_total", "_created", "_bucket", "_sum", "_count", "_gsum", "_gcount", "_info"];
        let base = with_ending.iter().filter_map(|ending| Some((name.strip_suffix(ending)?, *ending)));
        let mut found = base.filter_map(|(base, ending)| {
            let kind = self.families.get(base)?.kind;
            kind.endings().contains(&ending).then_some((base, kind))
        });
        found.next_back().unwrap_or((name, FamilyKind::Unknown))
    }

    fn drop_repeated(&mut self) {
        let mut order: Vec<usize> = (0..self.samples.len()).collect();
        let key = |i: &usize| (&self.samples[*i].labels, self.samples[*i].at_ms, *i);
        order.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        let mut repeated: Vec<usize> = Vec::new();
        for pair in order.windows(2) {
            let (first, second) = (&self.samples[pair[0]], &self.samples[pair[1]]);
            if first.labels == second.labels && first.at_ms == second.at_ms {
                repeated.push(pair[1]);
            }
        }
        repeated.sort_unstable();
        for i in &repeated {
            let sample = &self.samples[*i];
            let message = format!("{} is there twice; the first sample is kept", short(&sample.labels));
            self.findings.warn("repeated-series", format!("line {}", sample.line), message);
        }
        let mut i = 0;
        self.samples.retain(|_| {
            i += 1;
            repeated.binary_search(&(i - 1)).is_err()
        });
    }

    /// Buckets must grow with `le`, and the last must be the count.
    fn check_distributions(&mut self) {
        let mut buckets: BTreeMap<Moment, Vec<(f64, f64)>> = BTreeMap::new();
        let mut counts: BTreeMap<Moment, f64> = BTreeMap::new();
        for sample in &self.samples {
            let (base, kind) = self.family_of(sample.labels.name());
            if !matches!(kind, FamilyKind::Histogram | FamilyKind::GaugeHistogram) {
                continue;
            }
            let key = (sample.labels.with("le", "").with(NAME, base), sample.at_ms);
            if sample.labels.name().ends_with("_bucket") {
                let Some(le) = sample.labels.get("le").and_then(|le| le.parse::<f64>().ok()) else {
                    let message = format!("{} has no number as le", short(&sample.labels));
                    self.findings.warn("bad-bucket", format!("line {}", sample.line), message);
                    continue;
                };
                buckets.entry(key).or_default().push((le, sample.value));
            } else if sample.labels.name().ends_with("count") {
                counts.insert(key, sample.value);
            }
        }
        for ((labels, at_ms), mut list) in buckets {
            list.sort_by(|a, b| a.0.total_cmp(&b.0));
            let place = short(&labels);
            if list.windows(2).any(|pair| pair[1].1 < pair[0].1) {
                self.findings.warn("bad-histogram", &place, "the counts of its buckets fall as le grows");
            }
            let last = list.last().copied().unwrap_or((f64::NAN, f64::NAN));
            if last.0 != f64::INFINITY {
                self.findings.warn("bad-histogram", &place, "it has no bucket with le=\"+Inf\"");
            } else if let Some(count) = counts.get(&(labels, at_ms)).filter(|count| **count != last.1) {
                let message = format!("its count is {count}, but its largest bucket holds {}", last.1);
                self.findings.warn("bad-histogram", &place, message);
            }
        }
    }
}

fn short(labels: &Labels) -> String {
    crate::inventory::shown(&labels.to_string())
}
