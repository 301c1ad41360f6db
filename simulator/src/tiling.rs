//! How a product is cut: padding of operations to the matrix unit, and memory traffic of the best VMEM block.

use crate::matmul::Matmul;

/// Bytes that are needed in VMEM for one block and what that costs in main-memory traffic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Traffic {
    /// Main-memory bytes, both operands and the result.
    pub(crate) bytes: f64,
    /// Rows and columns of the block of the result, absent if everything moves once.
    pub(crate) block: Option<(u64, u64)>,
    /// Whether both operands and the result fit in VMEM together.
    pub(crate) fits: bool,
}

impl Traffic {
    /// How the bytes were counted.
    pub(crate) fn formula(&self) -> String {
        match self.block {
            None => "e·(M·K + K·N + M·N), padded: everything moves once".to_owned(),
            Some((bm, bn)) => format!("e·(M·K·⌈N/{bn}⌉ + K·N·⌈M/{bm}⌉ + M·N), padded, block {bm}x{bn} in VMEM"),
        }
    }
}

/// Columns of a memory tile.
const LANES: u64 = 128;
/// Rows of one step of the matrix unit.
const STEP_ROWS: u64 = 8;
/// Depth of a block along K; deeper blocks need more VMEM and save no traffic.
const BLOCK_K: u64 = 512;

/// Operations as the matrix unit does them: K and N padded to its side S, at least S rows streamed per tile.
pub(crate) fn padded_flop(matmul: &Matmul, side: u64) -> f64 {
    let rows = matmul.m().next_multiple_of(STEP_ROWS).max(side);
    2.0 * rows as f64 * matmul.k().next_multiple_of(side) as f64 * matmul.n().next_multiple_of(side) as f64
}

/// Least main-memory traffic over all blocks of powers of two that fit in `vmem_bytes`; with unknown VMEM, everything
/// is counted once. O(log M · log N).
pub(crate) fn traffic(matmul: &Matmul, vmem_bytes: Option<f64>) -> Traffic {
    let e = matmul.dtype().bytes() as f64;
    let rows = matmul.dtype().tile_rows();
    let padded = |a: u64, b: u64| a.next_multiple_of(rows) as f64 * b.next_multiple_of(LANES) as f64;
    let (left, right) = (e * padded(matmul.m(), matmul.k()), e * padded(matmul.k(), matmul.n()));
    let result = e * padded(matmul.m(), matmul.n());
    let once = left + right + result;
    let fits = vmem_bytes.is_some_and(|vmem| once <= vmem);
    let Some(vmem) = vmem_bytes.filter(|_| !fits) else { return Traffic { bytes: once, block: None, fits } };
    let depth = matmul.k().min(BLOCK_K) as f64;
    let mut best = Traffic { bytes: f64::INFINITY, block: None, fits };
    for bm in sides(matmul.m(), rows) {
        for bn in sides(matmul.n(), LANES) {
            let (fm, fn_) = (bm as f64, bn as f64);
            let need = 2.0 * e * depth * (fm + fn_) + (4.0 + 2.0 * e) * fm * fn_;
            let bytes = left * matmul.n().div_ceil(bn) as f64 + right * matmul.m().div_ceil(bm) as f64 + result;
            let smallest = bm <= rows && bn <= LANES;
            if (need <= vmem || (smallest && best.block.is_none())) && bytes < best.bytes {
                best = Traffic { bytes, block: Some((bm, bn)), fits };
            }
        }
    }
    best
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
    }
}
