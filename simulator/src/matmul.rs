//! One matrix product: M×K times K×N.

use serde::Serialize;
use topology::units::{Byte, Flop};

use crate::dtype::Dtype;

/// The matrix product of an M×K by a K×N matrix in one number format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Matmul {
    m: u64,
    k: u64,
    n: u64,
    dtype: Dtype,
}

/// Why three sizes are not a matrix product that can be computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadMatmul {
    /// One size is 0 or too large.
    #[error("{name} = {size} is not possible: a size lies between 1 and {max}", max = Matmul::MAX_SIZE)]
    Size {
        /// "M", "K" or "N".
        name: &'static str,
        /// What was given.
        size: u64,
    },
    /// Each size is possible but together they are too many operations.
    #[error("M·K·N of {m}·{k}·{n} is too large: at most {max} multiply-adds", max = Matmul::MAX_MACS)]
    TooManyMacs {
        /// Rows of the result.
        m: u64,
        /// The summed dimension.
        k: u64,
        /// Columns of the result.
        n: u64,
    },
}

impl Matmul {
    /// Largest single size: 2²⁴.
    pub const MAX_SIZE: u64 = 1 << 24;
    /// Most multiply-adds: 2⁶¹, so that FLOPs and the cycles of any array fit in 64 bits.
    pub const MAX_MACS: u64 = 1 << 61;

    /// Checks the sizes.
    ///
    /// # Errors
    /// If a size is 0 or above [`Self::MAX_SIZE`], or the product is above [`Self::MAX_MACS`].
    pub fn new(m: u64, k: u64, n: u64, dtype: Dtype) -> Result<Self, BadMatmul> {
        for (name, size) in [("M", m), ("K", k), ("N", n)] {
            if !(1..=Self::MAX_SIZE).contains(&size) {
                return Err(BadMatmul::Size { name, size });
            }
        }
        if u128::from(m) * u128::from(k) * u128::from(n) > u128::from(Self::MAX_MACS) {
            return Err(BadMatmul::TooManyMacs { m, k, n });
        }
        Ok(Self { m, k, n, dtype })
    }

    /// Rows of the left matrix and of the result.
    pub const fn m(self) -> u64 {
        self.m
    }

    /// The summed dimension.
    pub const fn k(self) -> u64 {
        self.k
    }

    /// Columns of the right matrix and of the result.
    pub const fn n(self) -> u64 {
        self.n
    }

    /// Number format of both operands.
    pub const fn dtype(self) -> Dtype {
        self.dtype
    }

    /// Multiply-adds.
    pub const fn macs(self) -> u64 {
        self.m * self.k * self.n
    }

    /// Operations: two per multiply-add.
    pub fn flop(self) -> Flop {
        Flop::new(2.0 * self.macs() as f64)
    }

    /// Bytes that must move at least: both operands once in, the result once out in the operands' format.
    pub fn compulsory_bytes(self) -> Byte {
        let elements = self.m * self.k + self.k * self.n + self.m * self.n;
        Byte::new(elements as f64 * self.dtype.bytes())
    }

    /// The same product with the longer of M and N shared between `parts` equal workers, rounded up.
    pub(crate) fn share(self, parts: u64) -> Self {
        if self.m > self.n {
            Self { m: self.m.div_ceil(parts), ..self }
        } else {
            Self { n: self.n.div_ceil(parts), ..self }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hostile sizes are named with the limit and never overflow.
    #[test]
    fn says_which_size_is_wrong_and_the_limit() {
        let error = |m, k, n| Matmul::new(m, k, n, Dtype::Bf16).unwrap_err().to_string();
        assert_eq!(error(0, 1, 1), "M = 0 is not possible: a size lies between 1 and 16777216");
        assert_eq!(
            error(1, 1, u64::MAX),
            "N = 18446744073709551615 is not possible: a size lies between 1 and 16777216"
        );
        assert_eq!(
            error(1 << 24, 1 << 24, 1 << 24),
            "M·K·N of 16777216·16777216·16777216 is too large: at most 2305843009213693952 multiply-adds"
        );
        assert_eq!(Matmul::new(2, 3, 5, Dtype::Bf16).unwrap().flop().get(), 60.0);
        assert_eq!(Matmul::new(2, 3, 5, Dtype::Bf16).unwrap().compulsory_bytes().get(), 62.0);
    }
}
