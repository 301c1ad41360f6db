//! Figures of collectives, worked and measured, through [`crate::collective::time`].

use topology::chip::ICI_EFFECTIVE_SHARE;
use topology::shape::{Axis, Shape};
use topology::units::{Byte, BytePerSec, Seconds};

use super::words::Words;
use super::{Compared, Group, figure};
use crate::calibration::Calibrations;
use crate::collective::{Collective, CollectiveTime, Links, Ring, time};
use crate::dtype::Dtype;

/// A collective that a row is about.
pub(super) struct Asked {
    pub(super) kind: Collective,
    /// Gathered bytes.
    pub(super) whole: f64,
    pub(super) rings: Vec<Ring>,
    pub(super) links: Links,
}

impl Asked {
    pub(super) fn of(words: &Words<'_>) -> Option<Self> {
        let kind = kind(words)?;
        let rings = rings(words)?;
        let n = chips(&rings);
        let whole = whole(words, n)?;
        Some(Self { kind, whole, rings, links: links(words)? })
    }

    pub(super) fn time(&self) -> CollectiveTime {
        time(self.kind, Byte::new(self.whole), &self.rings, self.links)
    }

    pub(super) fn chips(&self) -> f64 {
        chips(&self.rings)
    }
}

fn chips(rings: &[Ring]) -> f64 {
    rings.iter().map(|ring| f64::from(ring.size)).product()
}

/// Which collective the workload names, or else the quantity.
pub(super) fn kind(words: &Words<'_>) -> Option<Collective> {
    let row = words.row();
    let text = format!("{};{}", row.workload, row.quantity).to_lowercase();
    let plain: String = text.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect();
    let named = [
        ("allreduce", Collective::AllReduce),
        ("psum", Collective::AllReduce),
        ("reducescatter", Collective::ReduceScatter),
        ("allgather", Collective::AllGather),
        ("icigather", Collective::AllGather),
        ("alltoall", Collective::AllToAll),
    ];
    let first = named.iter().filter_map(|(name, kind)| Some((plain.find(name)?, *kind)));
    first.min_by_key(|(place, _)| *place).map(|(_, kind)| kind).filter(|_| !words.has("dcn"))
}

/// The links of the generation, at the rate that the row computes with if it says one.
pub(super) fn links(words: &Words<'_>) -> Option<Links> {
    let own = words.generation().and_then(Links::of);
    let one_way = words.number(&["W_oneway", "ici_oneway"]);
    // "W" alone is both directions of an axis together, as in the scaling book.
    let rate = one_way.or_else(|| words.number(&["W", "W_ici"]).map(|both| both / 2.0));
    let hop = words.number(&["hop"]).map(Seconds::new);
    let Some(rate) = rate else { return own };
    let hop_seconds = hop.or(own.map(|links| links.hop_seconds)).unwrap_or(Seconds::new(1e-6));
    Some(Links { bytes_per_s: BytePerSec::new(rate / ICI_EFFECTIVE_SHARE), hop_seconds })
}

fn rings(words: &Words<'_>) -> Option<Vec<Ring>> {
    let shape = words.shape()?;
    let axes = axes(words, shape)?;
    Some(Ring::of(shape, words.wrap(shape), &axes)).filter(|rings| !rings.is_empty())
}

/// The axes that take part: as the collective is named, as counted in words, or the first that have so many chips together.
fn axes(words: &Words<'_>, shape: Shape) -> Option<Vec<Axis>> {
    if let Some(named) = words.named_axes() {
        return Some(named);
    }
    let all = [Axis::X, Axis::Y, Axis::Z];
    for (word, count) in [("over one ", 1), ("over two ", 2), ("over three ", 3)] {
        if words.has(word) {
            return Some(all[..count].to_vec());
        }
    }
    let Some(group) = words.before(&["chips", "devices"]) else { return Some(all.to_vec()) };
    let mut together = 1.0;
    let mut taken = Vec::new();
    for axis in all.into_iter().filter(|axis| shape.along(*axis) > 1) {
        if together < group {
            together *= f64::from(shape.along(axis));
            taken.push(axis);
        }
    }
    (together == group).then_some(taken)
}

/// Bytes of the gathered array, from what the row gives.
fn whole(words: &Words<'_>, n: f64) -> Option<f64> {
    if let Some(bytes) = words.number(&["V", "bytes"]) {
        return Some(bytes);
    }
    // All that a chip receives.
    if let Some(moved) = words.number(&["transferred"]) {
        return Some(moved * n / (n - 1.0));
    }
    if let Some(array) = words.array("A") {
        return Some(array.bytes());
    }
    let e = words.dtype().unwrap_or(Dtype::Bf16).bytes();
    if let (Some(rows), Some(columns)) = (words.number(&["E"]), words.number(&["F"])) {
        return Some(e * rows * columns);
    }
    if let Some(rows) = words.number(&["B"]) {
        let columns = words.number(&["D"]).unwrap_or(1.0);
        return Some(e * rows * columns / shards_kept(words)?);
    }
    let sizes = words.joined_sizes().filter(|sizes| sizes.len() == 2)?;
    Some(e * sizes.iter().map(|size| *size as f64).product::<f64>())
}

/// In how many parts the array stays cut: the axes of its sharding that the collective does not gather.
fn shards_kept(words: &Words<'_>) -> Option<f64> {
    let shape = words.shape()?;
    let gathered = words.named_axes().unwrap_or_default();
    let text = &words.row().workload;
    let Some((_, sharding)) = text.split_once('[') else { return Some(1.0) };
    let sharding = sharding.split_once(']')?.0;
    let axes = [("_X", Axis::X), ("_Y", Axis::Y), ("_Z", Axis::Z)];
    let kept = axes.iter().filter(|(name, axis)| sharding.contains(name) && !gathered.contains(axis));
    Some(kept.map(|(_, axis)| f64::from(shape.along(*axis))).product())
}

/// A measured collective, with the constants of its generation if there are any, and without.
pub(super) fn compare(words: &Words<'_>, calibrations: &Calibrations) -> Option<Vec<Compared>> {
    let asked = Asked::of(words)?;
    let found = asked.time();
    let is_time = |_: &str, unit: &str| matches!(unit, "us" | "µs" | "ms" | "s");
    let is_rate = |_: &str, unit: &str| unit.ends_with("B/s");
    let row = words.row();
    let (published, in_unit): (f64, Box<dyn Fn(f64) -> f64>) = match (figure(row, is_time), figure(row, is_rate)) {
        (Some((value, scale)), _) => (value, Box::new(move |seconds| seconds / scale)),
        (None, Some((value, scale))) => {
            let counted = counted_bytes(&asked);
            (value, Box::new(move |seconds| counted / seconds / scale))
        }
        (None, None) => return None,
    };
    let one = |group: Group, seconds: f64| Compared {
        group,
        published,
        model: in_unit(seconds),
        null_model: Some(in_unit(found.bandwidth_seconds.get() * ICI_EFFECTIVE_SHARE)),
        tolerance_fraction: row.tolerance_fraction.unwrap_or(group.default_tolerance()),
        remark: "",
    };
    let constants = words.generation().and_then(|generation| calibrations.ici_of(&generation.id));
    let calibrated = constants.map(|constants| one(Group::Collectives, constants.seconds(&found)));
    Some(calibrated.into_iter().chain([one(Group::CollectivesUncalibrated, found.seconds.get())]).collect())
}

/// Bytes that benchmarks divide by the time: `2V(n−1)/n` of an all-reduce, `V(n−1)/n` of the others, as counted by the
/// accelerator microbenchmarks of Google.
fn counted_bytes(asked: &Asked) -> f64 {
    let n = asked.chips();
    let once = asked.whole * (n - 1.0) / n;
    match asked.kind {
        Collective::AllReduce => 2.0 * once,
        Collective::AllToAll => once / n,
        _ => once,
    }
}
