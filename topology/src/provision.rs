//! Whether a node pool, as it is asked for, can come up: rules that the cloud refuses by, often with an error that does
//! not name them.

use std::fmt;

use crate::chip::{Generation, Wiring};
use crate::finding::{Finding, Severity};
use crate::name::hosts;
use crate::rules::check_shape;
use crate::shape::Shape;

/// How the machines of a pool are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// A compact placement with the topology on the pool (`--tpu-topology`).
    Compact,
    /// A workload policy that holds the topology (`--placement-policy`).
    WorkloadPolicy,
}

/// How many machines a pool may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeLimit {
    /// So many to begin with, or for ever.
    Fixed(u64),
    /// At most so many in each zone, by the autoscaler.
    PerZone(u64),
    /// At most so many in all zones together, by the autoscaler.
    Total(u64),
}

impl fmt::Display for NodeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "its node count is {n}"),
            Self::PerZone(n) => write!(f, "its maximum per zone is {n} nodes"),
            Self::Total(n) => write!(f, "its maximum in total is {n} nodes"),
        }
    }
}

/// A pool of machines as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodePool {
    /// Its name.
    pub name: String,
    /// The slice that its machines make up.
    pub shape: Shape,
    /// How its machines are placed; absent where nothing is said.
    pub placement: Option<Placement>,
    /// What is said of the number of machines.
    pub limits: Vec<NodeLimit>,
}

/// A rule that a pool breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolRule {
    /// Slices of several machines need a workload policy on generations from tpu7x on.
    WorkloadPolicy,
    /// A pool of one slice has all its machines or none.
    NodeCount,
    /// A limit over all zones does not hold for a slice, which lies in one zone.
    PerZoneLimit,
    /// The generation has no such slice.
    Shape,
}

impl PoolRule {
    /// Stable name, as findings give it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WorkloadPolicy => "pool-workload-policy",
            Self::NodeCount => "pool-node-count",
            Self::PerZoneLimit => "pool-per-zone-limit",
            Self::Shape => "pool-shape",
        }
    }
}

/// Everything that will keep a pool from coming up; nothing if all is well.
///
/// Sources: vllm-project/ci-infra pull requests 545 and 547 (what the cloud refused), Cloud documents of tpu7x (workload
/// policies), read November 2026.
pub fn check_pool(generation: &Generation, pool: &NodePool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut report = |rule: PoolRule, message: String| {
        findings.push(Finding::new(Severity::Warning, rule.name(), format!("pool {}", pool.name), message));
    };
    if let Err(illegal) = check_shape(generation, pool.shape) {
        report(PoolRule::Shape, illegal.to_string());
        return findings;
    }
    let n_hosts = hosts(generation, pool.shape).n_hosts as u64;
    if n_hosts < 2 {
        return findings;
    }
    if pool.placement == Some(Placement::Compact) && needs_workload_policy(generation) {
        let message = format!(
            "compact placement is refused for {} slices of several machines; use a workload policy with topology {}",
            generation.name, pool.shape
        );
        report(PoolRule::WorkloadPolicy, message);
    }
    for limit in &pool.limits {
        let (NodeLimit::Fixed(n) | NodeLimit::PerZone(n) | NodeLimit::Total(n)) = *limit;
        // None at all is a pool that is switched off, but a maximum of none can never be switched on.
        let is_off = n == 0 && matches!(limit, NodeLimit::Fixed(_));
        if n != n_hosts && !is_off {
            let so = if n == 0 { format!(", so the maximum must be {n_hosts}") } else { String::new() };
            let message = format!("{limit}, but the node count of {} must be 0 or exactly {n_hosts}{so}", pool.shape);
            report(PoolRule::NodeCount, message);
        }
        if matches!(limit, NodeLimit::Total(_)) {
            let message = format!("{limit}, but a slice lies in one zone: give the maximum per zone, {n_hosts}");
            report(PoolRule::PerZoneLimit, message);
        }
    }
    findings
}

/// From tpu7x on a pool names its topology by a policy; v4 and v5p pools place themselves compactly.
fn needs_workload_policy(generation: &Generation) -> bool {
    generation.wiring == Wiring::Cubes && generation.announced_year.is_some_and(|year| year >= 2025)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Catalog;

    fn codes(generation: &str, shape: &str, placement: Option<Placement>, limits: &[NodeLimit]) -> Vec<&'static str> {
        let pool = NodePool { name: "p".to_owned(), shape: shape.parse().unwrap(), placement, limits: limits.to_vec() };
        let generation = Catalog::embedded().find(generation).unwrap();
        check_pool(generation, &pool).iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn only_slices_of_several_tpu7x_machines_need_a_policy() {
        let compact = Some(Placement::Compact);
        assert_eq!(codes("tpu7x", "2x2x2", compact, &[]), ["pool-workload-policy"]);
        assert_eq!(codes("tpu7x", "2x2x1", compact, &[]), [""; 0]);
        assert_eq!(codes("v5p", "2x2x2", compact, &[]), [""; 0]);
        assert_eq!(codes("tpu7x", "2x2x2", Some(Placement::WorkloadPolicy), &[]), [""; 0]);
        assert_eq!(codes("tpu7x", "2x2x2", None, &[]), [""; 0]);
    }

    #[test]
    fn a_slice_has_all_its_machines_or_none() {
        let count = |limit| codes("tpu7x", "2x2x2", None, &[limit]);
        assert_eq!(count(NodeLimit::Fixed(0)), [""; 0]);
        assert_eq!(count(NodeLimit::Fixed(2)), [""; 0]);
        assert_eq!(count(NodeLimit::Fixed(3)), ["pool-node-count"]);
        assert_eq!(count(NodeLimit::PerZone(2)), [""; 0]);
        assert_eq!(count(NodeLimit::PerZone(0)), ["pool-node-count"], "it can never be switched on");
        assert_eq!(count(NodeLimit::Total(2)), ["pool-per-zone-limit"]);
        assert_eq!(codes("v6e", "2x2", None, &[NodeLimit::Fixed(7)]), [""; 0], "seven slices of one machine");
        assert_eq!(codes("v6e", "3x3", None, &[]), ["pool-shape"]);
    }
}
