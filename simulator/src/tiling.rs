//! How a product is cut: padding of operations to the matrix unit, and memory traffic of the best VMEM block.

use serde::Serialize;

use crate::matmul::Matmul;

/// A block of a product that is worked on in VMEM: bm×bk of the left and bk×bn of the right matrix give bm×bn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Block {
    /// Rows of the block of the result.
    pub m: u64,
    /// Depth along the summed dimension.
    pub k: u64,
    /// Columns of the block of the result.
    pub n: u64,
}

/// Main-memory traffic of a product and the block that causes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Traffic {
    /// Main-memory bytes, both operands and the result, padded.
    pub(crate) bytes: f64,
    /// What would move if each array moved once, padded.
    pub(crate) once_bytes: f64,
    /// The block, absent if everything fits in VMEM or VMEM is unknown.
    pub(crate) block: Option<Block>,
    /// VMEM in use.
    pub(crate) vmem_bytes: f64,
    /// Whether both operands and the result fit in VMEM together.
    pub(crate) fits: bool,
}

impl Traffic {
    /// How the bytes were counted.
    pub(crate) fn formula(&self) -> String {
        match self.block {
            None => "e·(M·K + K·N + M·N), padded: everything moves once".to_owned(),
            Some(Block { m, k, n }) => {
                format!("e·(M·K·ceil(N/{n}) + K·N·ceil(M/{m}) + M·N), padded, block {m}x{k}x{n} in VMEM")
            }
        }
    }
}

/// Columns of a memory tile.
const LANES: u64 = 128;
/// Rows of one step of the matrix unit.
const STEP_ROWS: u64 = 8;
/// Least depth of a block along K: below it, transfers are too short to hide behind the product.
const BLOCK_K: u64 = 512;

/// Operations as the matrix unit does them: K and N padded to its side S, at least S rows streamed per tile.
pub(crate) fn padded_flop(matmul: &Matmul, side: u64) -> f64 {
    let rows = matmul.m().next_multiple_of(STEP_ROWS).max(side);
    2.0 * rows as f64 * matmul.k().next_multiple_of(side) as f64 * matmul.n().next_multiple_of(side) as f64
}

/// VMEM for one block of `depth` along K: both operand blocks twice (the next is loaded meanwhile), a 32-bit
/// accumulator, and the result twice.
fn vmem_need(e: f64, (bm, bn): (f64, f64), depth: f64) -> f64 {
    2.0 * e * depth * (bm + bn) + (4.0 + 2.0 * e) * bm * bn
}

/// Least main-memory traffic over blocks that fit in `vmem_bytes`: for each number of rows that is a power of two tiles, or
/// all of them, as many columns as fit. With unknown VMEM, everything is counted once. O(log M).
pub(crate) fn traffic(matmul: &Matmul, vmem_bytes: Option<f64>) -> Traffic {
    let e = matmul.dtype().bytes();
    let rows = matmul.dtype().tile_rows();
    let padded = |a: u64, b: u64| a.next_multiple_of(rows) as f64 * b.next_multiple_of(LANES) as f64;
    let (left, right) = (e * padded(matmul.m(), matmul.k()), e * padded(matmul.k(), matmul.n()));
    let result = e * padded(matmul.m(), matmul.n());
    let once = left + right + result;
    let fits = vmem_bytes.is_some_and(|vmem| once <= vmem);
    let whole = Traffic { bytes: once, once_bytes: once, block: None, vmem_bytes: once, fits };
    let Some(vmem) = vmem_bytes.filter(|_| !fits) else { return whole };
    let depth = matmul.k().min(BLOCK_K).next_multiple_of(LANES);
    let columns = matmul.n().next_multiple_of(LANES);
    let at = |bm: u64, bn: u64| {
        let bytes = left * matmul.n().div_ceil(bn) as f64 + right * matmul.m().div_ceil(bm) as f64 + result;
        (bytes, bm, bn)
    };
    // Where not even the smallest block fits, it is taken all the same: the product has to be done.
    let mut best = at(rows.min(matmul.m().next_multiple_of(rows)), LANES);
    for bm in sides(matmul.m(), rows) {
        let room = vmem - vmem_need(e, (bm as f64, 0.0), depth as f64);
        let per_column = vmem_need(e, (bm as f64, 1.0), depth as f64) - vmem_need(e, (bm as f64, 0.0), depth as f64);
        let bn = ((room / per_column).max(0.0) as u64 / LANES * LANES).min(columns);
        if bn > 0 && at(bm, bn).0 < best.0 {
            best = at(bm, bn);
        }
    }
    let (bytes, m, n) = best;
    let need = |k: u64| vmem_need(e, (m as f64, n as f64), k as f64);
    // A deeper block costs no traffic and has fewer steps.
    let deeper = (1..).map(|i| depth << i).take_while(|k| *k <= matmul.k().next_multiple_of(LANES) && need(*k) <= vmem);
    let k = deeper.last().unwrap_or(depth);
    Traffic { bytes, once_bytes: once, block: Some(Block { m, k, n }), vmem_bytes: need(k), fits }
}

/// Block sides: the smallest tile, doubled up to the whole.
fn sides(size: u64, tile: u64) -> impl Iterator<Item = u64> {
    let whole = size.next_multiple_of(tile);
    (0..).map(move |i| tile << i).take_while(move |side| *side < whole).chain([whole])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dtype::Dtype;

    fn bf16(m: u64, k: u64, n: u64) -> Matmul {
        Matmul::new(m, k, n, Dtype::Bf16).unwrap()
    }

    /// A small product wastes most of a 256×256 unit; a multiple of its side wastes nothing.
    #[test]
    fn padding_counts_whole_tiles() {
        assert_eq!(padded_flop(&bf16(1, 1, 1), 256), 2.0 * 256.0 * 256.0 * 256.0);
        assert_eq!(padded_flop(&bf16(512, 256, 1024), 256), bf16(512, 256, 1024).flop().get());
    }

    proptest! {
        /// Traffic never falls when VMEM shrinks, and is never below the compulsory bytes: memory traffic reacts to
        /// the size of VMEM.
        #[test]
        fn less_vmem_never_means_less_traffic(
            m in 1u64..20_000, k in 1u64..20_000, n in 1u64..20_000, small in 1e6f64..1e8, more in 1.0f64..4.0,
        ) {
            let product = bf16(m, k, n);
            let tight = traffic(&product, Some(small));
            let roomy = traffic(&product, Some(small * more));
            prop_assert!(tight.bytes >= roomy.bytes);
            prop_assert!(roomy.bytes >= product.compulsory_bytes().get());
        }

        /// The block fits, and no block of a plain search over all powers of two does better.
        #[test]
        fn no_block_of_powers_of_two_is_better(
            m in 1u64..20_000, k in 1u64..20_000, n in 1u64..20_000, vmem in 2e6f64..2e8,
        ) {
            let product = bf16(m, k, n);
            let found = traffic(&product, Some(vmem));
            prop_assert!(found.vmem_bytes <= vmem);
            let depth = k.min(BLOCK_K).next_multiple_of(LANES) as f64;
            for bm in sides(m, 16) {
                for bn in sides(n, LANES) {
                    if !found.fits && vmem_need(2.0, (bm as f64, bn as f64), depth) <= vmem {
                        let one = |a: u64, b: u64| 2.0 * a.next_multiple_of(16) as f64 * b.next_multiple_of(LANES) as f64;
                        let bytes = one(m, k) * n.div_ceil(bn) as f64 + one(k, n) * m.div_ceil(bm) as f64 + one(m, n);
                        prop_assert!(found.bytes <= bytes, "{bm}x{bn} moves {bytes}, ours {found:?}");
                    }
                }
            }
        }
    }
}
