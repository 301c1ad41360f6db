//! Worked examples: figures that somebody computed by hand, computed again with the numbers of the row.

use topology::chip::ICI_EFFECTIVE_SHARE;
use topology::slice::SliceFacts;
use topology::units::{Byte, BytePerSec, FlopPerSec};

use super::collectives::{self, Asked};
use super::words::{Words, number, tokens};
use super::{Compared, Group, figure};
use crate::array::{self, Array, Dataflow};
use crate::collective::{Collective, Links, Ring};
use crate::dtype::Dtype;
use crate::matmul::Matmul;
use crate::roofline::{critical_intensity, critical_rows, latency_bound_bytes, lower_bound_seconds};

/// What the model says to a worked row; `None` if it has no model for it. The answer counts in base units.
pub(super) fn compare(words: &Words<'_>) -> Option<Vec<Compared>> {
    let (published, scale) = figure(words.row(), |_, _| true)?;
    let quantity = words.row().quantity.to_lowercase();
    let found = systolic(words, &quantity)
        .or_else(|| roofline(words, &quantity))
        .or_else(|| slice(words, &quantity))
        .or_else(|| transfer(words, &quantity))
        .or_else(|| collective(words, &quantity));
    let (group, answer) = found?;
    Some(vec![Compared {
        group,
        published,
        model: answer / scale,
        null_model: None,
        tolerance_fraction: tolerance(words, group, published),
        remark: "",
    }])
}

/// The row's own, but at least half a unit of the last printed digit.
fn tolerance(words: &Words<'_>, group: Group, published: f64) -> f64 {
    let own = words.row().tolerance_fraction.unwrap_or(group.default_tolerance());
    let decimals = words.row().value.split_once('.').map_or(0, |(_, digits)| digits.len().min(12));
    let is_scientific = words.row().value.contains(['e', 'E']);
    if group == Group::Systolic || is_scientific || decimals == 0 {
        return own;
    }
    own.max(0.5 * libm::pow(10.0, -(decimals as f64)) / published.abs())
}

/// Cycles of a bare array; some tables count them from 1, others give the index of the last.
fn systolic(words: &Words<'_>, quantity: &str) -> Option<(Group, f64)> {
    if !quantity.contains("cycles") {
        return None;
    }
    let array: Array = words.row().slice.parse().ok()?;
    let flow: Dataflow = words.text("dataflow")?.parse().ok()?;
    let size = |key: &str| words.whole(&[key]);
    let product = Matmul::new(size("M")?, size("K")?, size("N")?, Dtype::Bf16).ok()?;
    let is_index = words.row().note.contains("- 1");
    let run = array::run(array, flow, &product);
    Some((Group::Systolic, (run.cycles + u64::from(!is_index)) as f64))
}

fn roofline(words: &Words<'_>, quantity: &str) -> Option<(Group, f64)> {
    let peak = || peak(words);
    let bandwidth = || words.number(&["vmem_bw", "hbm"]).or_else(|| own_bandwidth(words)).map(BytePerSec::new);
    let answer = if quantity.contains("b_crit") || quantity.contains("critical batch") {
        critical_batch(words, quantity, peak()?, bandwidth()?)?
    } else if quantity.contains("ici arithmetic intensity") {
        critical_intensity(peak()?, both_ways(words)?)
    } else if quantity.contains("arithmetic intensity") {
        critical_intensity(peak()?, bandwidth()?)
    } else if quantity.contains("min d to be compute bound") {
        // 2·D² operations per chip against D·… bytes each way: twice the intensity of one link (sharding.md).
        2.0 * critical_intensity(peak()?, BytePerSec::new(words.number(&["ici_oneway", "W_oneway"])?))
    } else if quantity.contains("min tokens/chip") {
        critical_intensity(FlopPerSec::new(words.number(&["C", "peak"])?), BytePerSec::new(words.number(&["W"])?))
    } else if quantity.contains("t_math") || quantity.contains("flops time") {
        lower_bound_seconds((operations(words)?, peak()?), (0.0, bandwidth()?)) / chips_named(words)
    } else if quantity.contains("pcie") {
        let bytes = (weight_bytes(words)?, BytePerSec::new(words.number(&["pcie"])?));
        lower_bound_seconds((0.0, peak()?), bytes) / words.shape()?.n_chips() as f64
    } else if quantity.contains("hbm") && is_time(words) && !quantity.contains("decode") {
        lower_bound_seconds((0.0, peak()?), (weight_bytes(words)?, bandwidth()?)) / chips_named(words)
    } else if quantity.contains("latency bound") && quantity.contains("buffer") {
        let links = collectives::links(words)?;
        let one_way = words.number(&["W_oneway", "W"])?;
        latency_bound_bytes(BytePerSec::new(one_way), links.hop_seconds) * words.number(&["shards"]).unwrap_or(1.0)
    } else {
        return None;
    };
    Some((Group::WorkedRoofline, answer))
}

fn is_time(words: &Words<'_>) -> bool {
    figure(words.row(), |_, unit| matches!(unit, "us" | "µs" | "ms" | "s")).is_some()
}

fn critical_batch(words: &Words<'_>, quantity: &str, peak: FlopPerSec, bandwidth: BytePerSec) -> Option<f64> {
    let (dtype, size) = match words.array("W") {
        Some(weights) => (weights.dtype, Some((u64::from(*weights.sizes.last()?), u64::from(*weights.sizes.first()?)))),
        None => {
            (words.text("w").and_then(|text| text.parse().ok()).or_else(|| words.dtype()).unwrap_or(Dtype::Bf16), None)
        }
    };
    let is_bf16 = quantity.contains("bf16") && words.text("w").is_none();
    let dtype = if is_bf16 { Dtype::Bf16 } else { dtype };
    let activations = words.array("X").map_or(dtype, |array| array.dtype);
    critical_rows(size, (dtype, activations), (peak, bandwidth))
}

/// Peak of the row, else of its chip; a bare figure such as "1.97e14" among the words counts as one.
fn peak(words: &Words<'_>) -> Option<FlopPerSec> {
    let bare = || {
        tokens(&words.row().workload)
            .filter(|token| !token.contains('='))
            .find_map(|token| number(token).filter(|value| *value > 1e12 && *value < 1e17 && !token.contains('/')))
    };
    let own = || Some(words.generation()?.peak_bf16_flop_per_s.as_ref()?.value.get());
    words.number(&["peak", "C"]).or_else(bare).or_else(own).map(FlopPerSec::new)
}

fn own_bandwidth(words: &Words<'_>) -> Option<f64> {
    Some(words.generation()?.hbm_bytes_per_s.as_ref()?.value.get())
}

/// Rate of one axis, both ways together, as step times count on it.
fn both_ways(words: &Words<'_>) -> Option<BytePerSec> {
    let given = words.number(&["W"]).map(BytePerSec::new);
    given.or_else(|| words.generation()?.ici_link_effective_bytes_per_s().map(|rate| rate * 2.0))
}

/// Operations of a product whose sizes the row gives as arrays or as B, D and F.
fn operations(words: &Words<'_>) -> Option<f64> {
    if let Some(flop) = words.number(&["flops", "flop"]) {
        return Some(flop);
    }
    let either = |one: &str, other: &str| words.array(one).or_else(|| words.array(other));
    if let (Some(weights), Some(activations)) = (either("A", "W"), either("x", "X")) {
        return Some(2.0 * f64::from(*activations.sizes.first()?) * weights.elements());
    }
    let rows = words.number(&["B", "M"])?;
    Some(2.0 * rows * columns(words)?)
}

fn columns(words: &Words<'_>) -> Option<f64> {
    // A row may leave out what the rows beside it say: Llama 3 70B has F = 28,672 for D = 8,192.
    let d = words.number(&["D"]).unwrap_or(8192.0);
    let f = words.number(&["F"]).or((d == 8192.0).then_some(28_672.0))?;
    Some(d * f)
}

fn weight_bytes(words: &Words<'_>) -> Option<f64> {
    if let Some(array) = words.array("A").or_else(|| words.array("W")) {
        return Some(array.bytes());
    }
    Some(words.dtype().unwrap_or(Dtype::Bf16).bytes() * columns(words)?)
}

/// Chips that share the work, if the row says so: "32 chips".
fn chips_named(words: &Words<'_>) -> f64 {
    words.before(&["chips"]).filter(|chips| *chips >= 1.0).unwrap_or(1.0)
}

/// Facts of a whole slice or pod, as `podium slice` gives them.
fn slice(words: &Words<'_>, quantity: &str) -> Option<(Group, f64)> {
    let generation = words.generation()?;
    if quantity.contains("largest schedulable slice") {
        let largest = generation.max_slice_chips.as_ref().or(generation.pod_chips.as_ref())?;
        return Some((Group::WorkedSlices, f64::from(largest.value)));
    }
    if !quantity.contains("per pod") && !quantity.contains("pod bf16 peak") {
        return None;
    }
    let facts = SliceFacts::new(generation, words.shape()?, None).ok()?;
    let chips = facts.chips as f64;
    let each = |key: &str| words.number(&[key]);
    let answer = if quantity.contains("hosts") {
        each("chips_per_host").map_or(facts.hosts as f64, |per_host| chips / per_host)
    } else if quantity.contains("tensorcores") || quantity.contains("cores") {
        facts.tensorcores? as f64
    } else if quantity.contains("hbm") {
        each("hbm_gb").map_or(facts.hbm_bytes.map(Byte::get), |gb| Some(gb * 1e9 * chips))?
    } else if quantity.contains("all-reduce bandwidth") {
        let rate = generation.ici_link_bytes_per_s.as_ref()?.value.get();
        rate * f64::from(generation.ici_links.as_ref()?.value) * chips
    } else if quantity.contains("bisection") {
        facts.bisection_bytes_per_s?.get()
    } else if quantity.contains("peak") {
        each("peak").map_or(facts.peak_bf16_flop_per_s.map(FlopPerSec::get), |peak| Some(peak * chips))?
    } else {
        return None;
    };
    Some((Group::WorkedSlices, answer))
}

/// One message between two chips of a mesh: hops one after the other, bytes over so many links at once.
fn transfer(words: &Words<'_>, quantity: &str) -> Option<(Group, f64)> {
    let place = |key: &str| -> Option<Vec<f64>> {
        let inner = words.text(key)?.strip_prefix('(')?.strip_suffix(')')?;
        inner.split(',').map(number).collect()
    };
    let (from, to) = (place("src")?, place("dst")?);
    let hops: f64 = from.iter().zip(&to).map(|(a, b)| (a - b).abs()).sum();
    let links = collectives::links(words)?;
    let first = hops * links.hop_seconds.get();
    let bytes = words.array("array")?.bytes();
    let rate = links.bytes_per_s.get() * ICI_EFFECTIVE_SHARE * words.number(&["ports"]).unwrap_or(1.0);
    let answer = match quantity {
        q if q.contains("first byte") => first,
        q if q.contains("transfer") => first + bytes / rate,
        _ => return None,
    };
    Some((Group::WorkedCollectives, answer))
}

fn collective(words: &Words<'_>, quantity: &str) -> Option<(Group, f64)> {
    let answer = if quantity.contains("ratio") {
        ratio(words)?
    } else if quantity.contains("t_ici") {
        // The activations of one matmul, gathered over the axis; the row names the rate, not the axis.
        let rows = words.number(&["B"])?;
        let whole = 2.0 * rows * words.number(&["D"])?;
        let ring = Ring { size: LONG, wraps: true, rate: 1.0 };
        let asked = Asked { kind: Collective::AllGather, whole, rings: vec![ring], links: collectives::links(words)? };
        of_whole(&asked)
    } else {
        let asked = Asked::of(words)?;
        let found = asked.time();
        if quantity.contains("latency") {
            found.latency_seconds.get()
        } else if is_of_whole(words, &asked) {
            of_whole(&asked)
        } else {
            found.bandwidth_seconds.get()
        }
    };
    Some((Group::WorkedCollectives, answer))
}

/// A ring so long that (n − 1)/n hardly matters.
const LONG: u16 = 4096;

/// The scaling book counts the whole array where a ring moves all but one shard of it; a line counts hops exactly.
fn is_of_whole(words: &Words<'_>, asked: &Asked) -> bool {
    let is_exact = words.number(&["V"]).is_some() || words.has("(n-1)") || words.has("15/16");
    !is_exact && asked.rings.iter().all(|ring| ring.wraps)
}

/// Time by the book's count: `V / bandwidth` in place of `V·(n − 1)/n / bandwidth`.
fn of_whole(asked: &Asked) -> f64 {
    let seconds = asked.time().bandwidth_seconds.get();
    let n = asked.chips();
    if asked.kind == Collective::AllToAll { seconds } else { seconds * n / (n - 1.0) }
}

/// Times of two collectives of the same array on one ring, named one before the other.
fn ratio(words: &Words<'_>) -> Option<f64> {
    let first = collectives::kind(words)?;
    let names = [
        ("allgather", Collective::AllGather),
        ("alltoall", Collective::AllToAll),
        ("allreduce", Collective::AllReduce),
        ("reducescatter", Collective::ReduceScatter),
    ];
    let text = words.row().workload.to_lowercase();
    let second = names.iter().find(|(name, kind)| *kind != first && text.contains(name))?.1;
    let ring = Ring { size: LONG, wraps: !words.has("line"), rate: 1.0 };
    let links =
        Links { bytes_per_s: BytePerSec::new(1e9 / ICI_EFFECTIVE_SHARE), hop_seconds: topology::units::Seconds::ZERO };
    let one = |kind| of_whole(&Asked { kind, whole: 1e9, rings: vec![ring], links });
    Some(one(first) / one(second))
}
