//! Goodput of runs from their cumulative times, and how densely jobs fill hosts.

use std::collections::BTreeMap;

use serde::Serialize;

/// Cumulative times of a run at a moment, as ml-goodput-measurement 0.2.3 exports them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunTime {
    /// Productive time in seconds.
    pub goodput_seconds: f64,
    /// Lost time in seconds by cause.
    pub badput_seconds: BTreeMap<String, f64>,
}

/// Goodput of a run over a stretch of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Goodput {
    /// Productive ÷ all time of the run; absent if no time passed.
    pub goodput_fraction: Option<f64>,
    /// Productive time in seconds.
    pub goodput_seconds: f64,
    /// Lost time in seconds by cause, largest first.
    pub badput_seconds: Vec<(String, f64)>,
    /// Whether the run began anew in between, so that only the time since counts.
    pub is_restarted: bool,
}

/// Goodput between two moments. The times are gauges that begin from 0 when a run name is used again, so a fall is a restart.
pub fn goodput(before: &RunTime, after: &RunTime) -> Goodput {
    let fell = |before: f64, after: f64| after < before;
    let bad_before = |cause: &str| before.badput_seconds.get(cause).copied().unwrap_or(0.0);
    let is_restarted = fell(before.goodput_seconds, after.goodput_seconds)
        || after.badput_seconds.iter().any(|(cause, seconds)| fell(bad_before(cause), *seconds));
    let since = |before: f64, after: f64| if is_restarted { after } else { after - before };
    let goodput_seconds = since(before.goodput_seconds, after.goodput_seconds);
    let lost = after.badput_seconds.iter().map(|(cause, seconds)| (cause.clone(), since(bad_before(cause), *seconds)));
    let mut badput_seconds: Vec<(String, f64)> = lost.filter(|(_, seconds)| *seconds > 0.0).collect();
    badput_seconds.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let all: f64 = goodput_seconds + badput_seconds.iter().map(|(_, seconds)| seconds).sum::<f64>();
    let goodput_fraction = (all > 0.0).then(|| goodput_seconds / all);
    Goodput { goodput_fraction, goodput_seconds, badput_seconds, is_restarted }
}

/// How densely jobs fill a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Density {
    /// Name of the host.
    pub host: String,
    /// Jobs on it.
    pub jobs: usize,
    /// Chips that they asked for.
    pub chips_requested: u64,
    /// Chips that the host has.
    pub chips: u64,
}

impl Density {
    /// Whether more was asked for than there is.
    pub const fn is_overbooked(&self) -> bool {
        self.chips_requested > self.chips
    }
}

/// Jobs and requested chips of each host, in the order of their names: hosts with their chips, and requests as host, job and
/// chips. Requests of hosts that are not listed are left out.
pub fn density<'a>(
    hosts: impl IntoIterator<Item = (&'a str, u64)>,
    requests: impl IntoIterator<Item = (&'a str, &'a str, u64)>,
) -> Vec<Density> {
    let mut by_host: BTreeMap<&str, (u64, BTreeMap<&str, u64>)> =
        hosts.into_iter().map(|(host, chips)| (host, (chips, BTreeMap::new()))).collect();
    for (host, job, chips) in requests {
        if let Some((_, jobs)) = by_host.get_mut(host) {
            *jobs.entry(job).or_default() += chips;
        }
    }
    let row = |(host, (chips, jobs)): (&str, (u64, BTreeMap<&str, u64>))| Density {
        host: host.to_owned(),
        jobs: jobs.len(),
        chips_requested: jobs.values().sum(),
        chips,
    };
    by_host.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(good: f64, bad: &[(&str, f64)]) -> RunTime {
        let badput_seconds = bad.iter().map(|(cause, seconds)| ((*cause).to_owned(), *seconds)).collect();
        RunTime { goodput_seconds: good, badput_seconds }
    }

    #[test]
    fn goodput_is_the_share_of_productive_time_and_a_restart_is_told() {
        let before = run(100.0, &[("INIT", 10.0)]);
        let after = run(160.0, &[("INIT", 10.0), ("CHECKPOINT", 20.0)]);
        let found = goodput(&before, &after);
        assert_eq!((found.goodput_fraction, found.is_restarted), (Some(0.75), false));
        assert_eq!(found.badput_seconds, [("CHECKPOINT".to_owned(), 20.0)]);
        let again = goodput(&after, &run(30.0, &[("INIT", 10.0)]));
        assert_eq!((again.goodput_fraction, again.is_restarted), (Some(0.75), true));
        assert_eq!(goodput(&before, &before).goodput_fraction, None);
    }

    #[test]
    fn two_gangs_on_one_host_are_seen() {
        let found = density([("b", 4), ("a", 4)], [("a", "x", 4), ("a", "y", 4), ("c", "z", 1)]);
        let rows: Vec<(&str, usize, u64, bool)> =
            found.iter().map(|d| (d.host.as_str(), d.jobs, d.chips_requested, d.is_overbooked())).collect();
        assert_eq!(rows, [("a", 2, 8, true), ("b", 0, 0, false)]);
    }
}
