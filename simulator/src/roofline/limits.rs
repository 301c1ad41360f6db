//! Where compute and memory take equally long: the corners of the roofline, without fitted constants.

use topology::units::{BytePerSec, FlopPerSec, Seconds};

use crate::dtype::Dtype;

/// Operations per byte at which compute and memory take equally long: `P / W`. Source: scaling book, roofline.md.
pub fn critical_intensity(peak: FlopPerSec, bandwidth: BytePerSec) -> f64 {
    peak.get() / bandwidth.get()
}

/// Rows M of a product with a K×N weight matrix from which on compute takes longer than memory: the solution of
/// `2·M·K·N/P = w·K·N/W + a·(M·K + M·N)/W` with `w` and `a` bytes per weight and activation. `None` if memory always
/// takes longer. Source: scaling book, roofline.md and tpus.md; without K and N it is their limit `w·P/(2·W)`.
pub fn critical_rows(
    size: Option<(u64, u64)>,
    (weights, activations): (Dtype, Dtype),
    (peak, bandwidth): (FlopPerSec, BytePerSec),
) -> Option<f64> {
    let intensity = critical_intensity(peak, bandwidth);
    let weight_bytes = weights.bytes();
    let Some((k, n)) = size else { return Some(weight_bytes * intensity / 2.0) };
    let (k, n) = (k as f64, n as f64);
    let per_row = 2.0 * k * n / intensity - activations.bytes() * (k + n);
    (per_row > 0.0).then(|| weight_bytes * k * n / per_row)
}

/// Least time in seconds of so many operations and bytes at the rates beside them, overlapped: `max(F/P, B/W)`.
pub fn lower_bound_seconds((flop, peak): (f64, FlopPerSec), (bytes, bandwidth): (f64, BytePerSec)) -> f64 {
    (flop / peak.get()).max(bytes / bandwidth.get())
}

/// Bytes below which a message takes longer for its hop than for its bytes: `W · hop`. Source: scaling book, sharding.md.
pub fn latency_bound_bytes(one_way: BytePerSec, hop: Seconds) -> f64 {
    one_way.get() * hop.get()
}
