//! Loads that follow from counting: tokens routed to experts, sessions sent to replicas, rows kept on chips, documents
//! packed into sequences. Each is counted from a seeded sample, never drawn as a load.

use crate::seed::Stream;

/// Spread of the popularity of experts around their mean that a balancing loss leaves; an assumption.
const EXPERT_SPREAD: f64 = 0.15;
/// Picks that are routed per expert, and at most in all.
const PICKS_PER_EXPERT: u64 = 64;
const MAX_PICKS: u64 = 1 << 14;

/// Load of each of `places` equal groups of experts, relative to the mean: picks are routed one by one to experts
/// whose popularity differs a little.
pub(crate) fn expert_loads(experts: u64, places: u64, seed: Stream) -> Vec<f32> {
    let popularity = seed.child(1);
    let (pick, keep) = (seed.child(2), seed.child(3));
    let mut counts = vec![0u32; places as usize];
    for i in 0..(experts * PICKS_PER_EXPERT).min(MAX_PICKS) {
        let expert = pick.below(i, experts);
        // Thinning: an expert of popularity p keeps the pick with probability p / largest.
        if keep.unit(i) * (1.0 + EXPERT_SPREAD) < 1.0 - EXPERT_SPREAD + 2.0 * EXPERT_SPREAD * popularity.unit(expert) {
            counts[(expert * places / experts) as usize] += 1;
        }
    }
    relative(&counts)
}

/// Sessions on each replica, relative to the mean: each session is sent by a hash of its name, as with sticky sessions.
pub(crate) fn session_loads(replicas: u64, sessions_each: u64, seed: Stream) -> Vec<f32> {
    let mut counts = vec![0u32; replicas as usize];
    for session in 0..replicas * sessions_each {
        counts[seed.below(session, replicas) as usize] += 1;
    }
    relative(&counts)
}

/// Tables of a recommender.
const TABLES: u64 = 1000;

/// Row look-ups on each chip, relative to the mean: the few busiest tables are spread over all chips by row, every
/// other one lies whole on a chip; how often table r is asked for falls as 1/(r + 10).
pub(crate) fn table_loads(chips: u64, seed: Stream) -> Vec<f32> {
    let spread = TABLES / 20;
    let demand = |table: u64| 1.0 / (table as f64 + 10.0);
    let even: f64 = (0..spread).map(demand).sum::<f64>() / chips as f64;
    let mut loads = vec![even; chips as usize];
    for table in spread..TABLES {
        loads[seed.below(table, chips) as usize] += demand(table);
    }
    let mean = loads.iter().sum::<f64>() / chips as f64;
    loads.iter().map(|load| (load / mean) as f32).collect()
}

/// Attention work of packed sequences as a share of that of unbroken ones: documents of seeded length fill `sequences`
/// sequences, and each attends only to itself, so the share is `Σ length² / (sequences · 1²)`.
pub(crate) fn packing_load(sequences: u64, seed: Stream) -> f32 {
    let mut work = 0.0;
    let mut document = 0;
    for _ in 0..sequences {
        let mut free = 1.0;
        while free > 1e-3 {
            // Most documents are short and a few are longer than a sequence.
            let u = seed.unit(document);
            let length = (2.0 * u * u * u).max(0.01).min(free);
            document += 1;
            free -= length;
            work += length * length;
        }
    }
    (work / sequences as f64) as f32
}

fn relative(counts: &[u32]) -> Vec<f32> {
    let mean = counts.iter().map(|count| f64::from(*count)).sum::<f64>() / counts.len().max(1) as f64;
    counts.iter().map(|count| if mean > 0.0 { (f64::from(*count) / mean) as f32 } else { 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads are relative (mean 1), differ, and stay in a believable band.
    #[test]
    fn loads_are_counted_and_differ() {
        let seed = Stream::new(1);
        for loads in [expert_loads(128, 128, seed), session_loads(16, 192, seed), table_loads(128, seed)] {
            let mean = loads.iter().sum::<f32>() / loads.len() as f32;
            assert!((mean - 1.0).abs() < 1e-3);
            let max = loads.iter().fold(0.0f32, |a, b| a.max(*b));
            assert!(max > 1.02 && max < 2.5, "{max}");
        }
    }

    #[test]
    fn packing_saves_attention() {
        let share = packing_load(16, Stream::new(1));
        assert!((0.2..0.9).contains(&share), "{share}");
    }
}
