//! Bound samples as frames of chips, ready for the store of the Live view.

use std::collections::BTreeMap;

use topology::fleet::PodId;
use topology::shape::Shape;

use crate::bind::{Inventory, Target};
use crate::metric::{Metric, Origin};
use crate::registry::Registry;
use crate::store::Batch;

/// One sample of a bound series.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// Its chip.
    pub target: &'a Target,
    /// Name of the series.
    pub name: &'a str,
    /// Unix seconds.
    pub at: i64,
    /// Value in the unit of the source.
    pub value: f64,
}

/// One metric of all chips of a pod at a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct ChipFrame {
    /// The pod.
    pub pod: PodId,
    /// What.
    pub metric: Metric,
    /// Unix seconds, the start of the step.
    pub at: i64,
    /// Values in row-major order in the unit of the metric; absent where nothing was heard.
    pub values: Vec<Option<f32>>,
    /// Samples that spoke of a chip of which another series already spoke, as `x` beside `x_node`.
    pub n_doubled: usize,
}

impl ChipFrame {
    /// As the store takes it.
    pub fn batch(&self, origin: Origin) -> Batch<'_> {
        Batch { pod: &self.pod, origin, at: self.at, metric: self.metric, values: &self.values }
    }
}

/// Whether a name is that of a node's series: those also speak of idle chips, which no container has.
pub(crate) fn is_of_node(name: &str) -> bool {
    name.ends_with("_node") || name.contains("node_accelerator")
}

/// What was heard of one chip by one name.
#[derive(Default, Clone, Copy)]
struct Heard {
    sum: f64,
    n: u32,
}

/// A chip at a step: pod, metric, step, row-major index.
type Place<'a> = (&'a PodId, Metric, i64, u32);

/// Frames of all samples that fill a chip metric, one for each pod, metric and step of `step_seconds`.
///
/// The registry's unit gives the factor (percent becomes a fraction); cores of a chip are added where the metric counts
/// bytes and averaged elsewhere; of several samples in a step the mean counts. Where a container and its node both
/// report, the node counts, because it also speaks of idle chips: values of two names are never added. O(n log n).
pub fn frames<'a>(
    readings: impl IntoIterator<Item = Reading<'a>>,
    inventory: &'a Inventory,
    registry: &Registry,
    step_seconds: u32,
) -> Vec<ChipFrame> {
    let step = i64::from(step_seconds.max(1));
    let mut heard: BTreeMap<Place<'_>, BTreeMap<(bool, &str), [Heard; 2]>> = BTreeMap::new();
    for reading in readings {
        let Some((metric, factor)) = registry.find(reading.name).and_then(|known| known.spec.chip_metric()) else {
            continue;
        };
        let Some(shape) = inventory.shape(&reading.target.pod).filter(|shape| shape.contains(reading.target.chip))
        else {
            continue;
        };
        if !reading.value.is_finite() {
            continue;
        }
        let at = reading.at.div_euclid(step).saturating_mul(step);
        let place = (&reading.target.pod, metric, at, shape.index_of(reading.target.chip) as u32);
        let is_of_container = !is_of_node(reading.name);
        let core = usize::from(reading.target.core.unwrap_or(0).min(1));
        let slot = &mut heard.entry(place).or_default().entry((is_of_container, reading.name)).or_default()[core];
        slot.sum += reading.value * factor;
        slot.n += 1;
    }
    let mut frames: Vec<ChipFrame> = Vec::new();
    for ((pod, metric, at, chip), by_name) in heard {
        let n_chips = inventory.shape(pod).map_or(0, Shape::n_chips);
        let is_new = frames.last().is_none_or(|last| (&last.pod, last.metric, last.at) != (pod, metric, at));
        if is_new {
            frames.push(ChipFrame { pod: pod.clone(), metric, at, values: vec![None; n_chips], n_doubled: 0 });
        }
        if let (Some(frame), Some(cores)) = (frames.last_mut(), by_name.values().next()) {
            frame.values[chip as usize] = Some(value(metric, cores) as f32);
            frame.n_doubled += by_name.len() - 1;
        }
    }
    frames
}

fn value(metric: Metric, cores: &[Heard; 2]) -> f64 {
    let means = cores.iter().filter(|core| core.n > 0).map(|core| core.sum / f64::from(core.n));
    let n = means.clone().count().max(1) as f64;
    let sum: f64 = means.sum();
    if metric == Metric::HbmUsed { sum } else { sum / n }
}
