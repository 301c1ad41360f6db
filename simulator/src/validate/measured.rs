//! Measured figures of one chip: products, copies, element-wise operations.

use topology::chip::GenerationId;
use topology::units::Byte;

use super::words::{Words, number, tokens};
use super::{Compared, Group, collectives, figure};
use crate::calibration::{Calibrations, Part};
use crate::dtype::Dtype;
use crate::fit::Measurement;
use crate::matmul::Matmul;
use crate::roofline::{Engine, Launch, Operands, Stream, StreamKind, stream, time};

/// What the model says to a measured row; `None` if it has no model for it.
pub(super) fn compare(words: &Words<'_>, calibrations: &Calibrations) -> Option<Vec<Compared>> {
    if let Some(found) = gemm(words, calibrations) {
        return Some(vec![found]);
    }
    if let Some(found) = collectives::compare(words, calibrations) {
        return Some(found);
    }
    moved(words, calibrations).map(|found| vec![found])
}

/// A measured product with the generation and part that did it.
pub(super) fn product(words: &Words<'_>) -> Option<(GenerationId, Part, Measurement)> {
    let (product, published) = (gemm_size(words)?, Published::of(words)?);
    let (engine, part) = engine(words, Calibrations::embedded())?;
    let launch = launch(words).seconds().get();
    let seconds = published.seconds(product.flop().get(), 0.0)? - launch;
    let operands = operands(words, &engine, (product.compulsory_bytes().get(), seconds));
    Some((words.generation()?.id.clone(), part, Measurement { product, operands, seconds }))
}

/// A published figure that tells how long something took.
#[derive(Clone, Copy)]
enum Published {
    /// A time, and the factor to seconds.
    Time(f64, f64),
    /// Operations per second, and the factor to FLOP/s.
    Flop(f64, f64),
    /// Bytes per second, and the factor to B/s.
    Bytes(f64, f64),
}

impl Published {
    fn of(words: &Words<'_>) -> Option<Self> {
        let is_time = |_: &str, unit: &str| matches!(unit, "ns" | "us" | "µs" | "μs" | "ms" | "s");
        let is_flop = |_: &str, unit: &str| unit.contains("FLOP/s");
        let is_bytes = |_: &str, unit: &str| unit.ends_with("B/s") || unit.ends_with("bytes/s");
        let row = words.row();
        let time = figure(row, is_time).map(|(value, scale)| Self::Time(value, scale));
        let flop = || figure(row, is_flop).map(|(value, scale)| Self::Flop(value, scale));
        let bytes = || figure(row, is_bytes).map(|(value, scale)| Self::Bytes(value, scale));
        time.or_else(flop).or_else(bytes)
    }

    /// How long it took, from the operations or bytes that were counted; `None` for a kind that was not counted.
    fn seconds(self, flop: f64, bytes: f64) -> Option<f64> {
        let seconds = match self {
            Self::Time(value, scale) => value * scale,
            Self::Flop(value, scale) => flop / (value * scale),
            Self::Bytes(value, scale) => bytes / (value * scale),
        };
        (seconds > 0.0 && seconds.is_finite()).then_some(seconds)
    }

    /// The figure, and a time in its unit.
    fn beside(self, seconds: f64, flop: f64, bytes: f64) -> (f64, f64) {
        match self {
            Self::Time(value, scale) => (value, seconds / scale),
            Self::Flop(value, scale) => (value, flop / seconds / scale),
            Self::Bytes(value, scale) => (value, bytes / seconds / scale),
        }
    }
}

/// The chip, device or core that did it, with the constants in use.
fn engine(words: &Words<'_>, calibrations: &Calibrations) -> Option<(Engine, Part)> {
    let generation = words.generation()?;
    let (chip, slice) = (&words.row().chip, &words.row().slice);
    if chip.contains("core") || slice.contains("core") {
        let core = Engine::core(generation).ok()?;
        let constants = calibrations.of_core(&generation.id).or_else(|| calibrations.of(&generation.id));
        return Some((core.with_calibration(constants), Part::TensorCore));
    }
    let is_device = slice.contains("device");
    let engine = if is_device { Engine::device(generation) } else { Engine::chip(generation) }.ok()?;
    let part = if is_device { Part::Device } else { Part::Chip };
    Some((engine.with_calibration(calibrations.of(&generation.id)), part))
}

fn gemm_size(words: &Words<'_>) -> Option<Matmul> {
    let is_product = ["gemm", "matmul", "dot"].iter().any(|word| words.has(word));
    let is_more = ["attention", "all", "scatter", "prefill", "decode", "train"].iter().any(|word| words.has(word));
    let size = |keys: &[&str]| words.whole(keys);
    let sizes = match (size(&["M", "m"]), size(&["K", "k"]), size(&["N", "n"])) {
        (Some(m), Some(k), Some(n)) => Some([m, k, n]),
        _ => words.joined_sizes().filter(|_| is_product)?.try_into().ok(),
    };
    let [m, k, n] = sizes.filter(|_| !is_more)?;
    Matmul::new(m, k, n, words.dtype().unwrap_or(Dtype::Bf16)).ok()
}

fn launch(words: &Words<'_>) -> Launch {
    let is_host = words.has("host timer") || words.has("host clock") || words.has("wall");
    if is_host { Launch::Host } else { Launch::Device }
}

/// Where the operands were: as the row says, else in VMEM if it took less time than main memory needs at its nominal
/// rate. Such a figure can only come from a loop whose operands stayed on the chip.
fn operands(words: &Words<'_>, engine: &Engine, (bytes, seconds): (f64, f64)) -> Operands {
    match words.text("resident").map(str::to_lowercase).as_deref() {
        Some("yes" | "true" | "1" | "vmem") => return Operands::Vmem,
        Some("no" | "false" | "0" | "hbm") => return Operands::Hbm,
        _ => {}
    }
    let fastest = bytes / engine.hbm_bytes_per_s().get();
    if seconds < fastest { Operands::Vmem } else { Operands::Hbm }
}

const IN_VMEM: &str = "faster than main memory can be: operands taken to be in VMEM";

const fn remark(operands: Operands) -> &'static str {
    match operands {
        Operands::Vmem => IN_VMEM,
        Operands::Hbm => "",
    }
}

fn gemm(words: &Words<'_>, calibrations: &Calibrations) -> Option<Compared> {
    let (product, published) = (gemm_size(words)?, Published::of(words)?);
    let (engine, part) = engine(words, calibrations)?;
    let (flop, bytes) = (product.flop().get(), product.compulsory_bytes().get());
    let launch = launch(words).seconds().get();
    let measured = published.seconds(flop, bytes)? - launch;
    let operands = operands(words, &engine, (bytes, measured));
    let found = time(&product, &engine, operands).ok()?;
    let (figure, model) = published.beside(found.seconds.get() + launch, flop, bytes);
    let peak = engine.peak(product.dtype()).ok()?.value.get();
    let plain = (flop / peak).max(bytes / engine.hbm_bytes_per_s().get());
    let group = if part == Part::TensorCore { Group::GemmCore } else { Group::Gemm };
    Some(Compared {
        group,
        published: figure,
        model,
        null_model: Some(published.beside(plain, flop, bytes).1),
        tolerance_fraction: words.row().tolerance_fraction.unwrap_or(group.default_tolerance()),
        remark: remark(operands),
    })
}

/// Operations with two operands; all others read one.
const BINARY: [&str; 7] = ["add", "mul", "sub", "div", "max", "triad", "axpy"];
/// Names that an element-wise operation goes by.
const VECTOR: [&str; 14] = [
    "element-wise",
    "elementwise",
    "element wise",
    "vector",
    "pointwise",
    "relu",
    "gelu",
    "silu",
    "swish",
    "softmax",
    "norm",
    "tanh",
    "exp",
    "bias",
];

fn moved(words: &Words<'_>, calibrations: &Calibrations) -> Option<Compared> {
    let kind = stream_kind(words)?;
    let group = if kind == StreamKind::Copy { Group::Hbm } else { Group::ElementWise };
    let published = Published::of(words)?;
    let (engine, _) = engine(words, calibrations)?;
    let array = array_bytes(words)?;
    let is_binary = tokens(&words.row().workload)
        .flat_map(|token| token.split(['=', '_', '-', '(', ')', '[', ']']))
        .any(|word| BINARY.iter().any(|name| word.to_lowercase().starts_with(name)));
    let reads = words.number(&["reads", "inputs", "operands"]).unwrap_or(if is_binary { 2.0 } else { 1.0 });
    let work = Stream { kind, read: Byte::new(array * reads), written: Byte::new(array) };
    let bytes = array * (reads + 1.0);
    let measured = published.seconds(0.0, bytes)?;
    let operands = operands(words, &engine, (bytes, measured));
    let found = stream(&work, &engine, operands);
    let (figure, model) = published.beside(found.seconds.get(), 0.0, bytes);
    let plain = bytes / engine.hbm_bytes_per_s().get();
    Some(Compared {
        group,
        published: figure,
        model,
        null_model: Some(published.beside(plain, 0.0, bytes).1),
        tolerance_fraction: words.row().tolerance_fraction.unwrap_or(group.default_tolerance()),
        remark: remark(operands),
    })
}

fn stream_kind(words: &Words<'_>) -> Option<StreamKind> {
    let is_more = ["attention", "gather", "scatter", "reduce", "psum", "dcn", "prefill", "decode", "train", "tokens"];
    if is_more.iter().any(|word| words.has(word)) {
        return None;
    }
    let work = words.row().workload.to_lowercase();
    if VECTOR.iter().any(|word| work.contains(word)) {
        return Some(StreamKind::Vector);
    }
    (work.contains("copy") || work.contains("triad") || work.contains("hbm stream")).then_some(StreamKind::Copy)
}

/// Bytes of one array: as `bytes=`, as elements of a number format, or as a number before "bytes" or "MB".
fn array_bytes(words: &Words<'_>) -> Option<f64> {
    let counted = words.number(&["matrix_bytes", "bytes", "array_bytes", "size_bytes"]);
    let unit = |name, factor: f64| words.before(&[name]).map(|n| n * factor);
    let told =
        || unit("bytes", 1.0).or_else(|| unit("KB", 1e3)).or_else(|| unit("MB", 1e6)).or_else(|| unit("GB", 1e9));
    let keys =
        ["elements", "elems", "numel", "n_elements", "num_elements", "input_elements", "count", "size", "n", "N", "L"];
    let e = words.dtype().unwrap_or(Dtype::Bf16).bytes();
    let rows_and_columns = || {
        let side = |keys: &[&str]| words.number(keys);
        Some(
            side(&["M", "m", "rows", "B", "batch", "tokens"])?
                * side(&["N", "n", "cols", "columns", "D", "d", "K", "hidden"])?,
        )
    };
    let shaped = || {
        words.text("shape").and_then(sizes).or_else(|| Some(words.joined_sizes()?.iter().map(|n| *n as f64).product()))
    };
    let elements =
        || rows_and_columns().or_else(|| words.number(&keys)).or_else(shaped).or_else(|| words.before(&["elem"]));
    counted.or_else(|| elements().map(|n| n * e)).or_else(told).filter(|bytes| (1.0..1e18).contains(bytes))
}

/// Product of sizes in a text such as "(4096,4096)" or "4096x4096".
fn sizes(text: &str) -> Option<f64> {
    let parts = text.trim_matches(|c: char| !c.is_ascii_digit()).split([',', 'x', '×', '*']);
    parts.map(|part| number(part.trim())).product()
}
