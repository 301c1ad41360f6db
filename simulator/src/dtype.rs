//! Number formats of operands.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Number format of the operands of a matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dtype {
    /// IEEE 754 binary32.
    F32,
    /// bfloat16: the upper half of binary32.
    Bf16,
    /// Eight-bit two's complement.
    Int8,
    /// OCP FP8 E4M3 (no infinities, largest 448).
    Fp8,
    /// Four-bit two's complement, two to a byte.
    Int4,
}

/// A text that names no number format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\" is not a number format; write one of bf16, int8, fp8, int4, f32")]
pub struct BadDtype {
    /// The text, shortened where it is long.
    pub text: String,
}

impl Dtype {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::F32, Self::Bf16, Self::Int8, Self::Fp8, Self::Int4];

    /// Bits of one element.
    pub const fn bits(self) -> u64 {
        match self {
            Self::F32 => 32,
            Self::Bf16 => 16,
            Self::Int8 | Self::Fp8 => 8,
            Self::Int4 => 4,
        }
    }

    /// Bytes of one element; half a byte for int4.
    pub const fn bytes(self) -> f64 {
        self.bits() as f64 / 8.0
    }

    /// Largest size of a whole number as operands are made, symmetric around 0; `None` for formats with a fraction.
    pub(crate) const fn largest_integer(self) -> Option<u64> {
        match self {
            Self::Int8 => Some(127),
            Self::Int4 => Some(7),
            Self::F32 | Self::Bf16 | Self::Fp8 => None,
        }
    }

    /// Short name: "f32", "bf16", "int8", "fp8" or "int4".
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::Int8 => "int8",
            Self::Fp8 => "fp8",
            Self::Int4 => "int4",
        }
    }

    /// Rows of one memory tile: the second-last dimension of an array is padded to a multiple of it.
    ///
    /// XLA lays arrays out in tiles of 8×128 words of 32 bits; narrower elements share a word along the rows.
    pub const fn tile_rows(self) -> u64 {
        256 / self.bits()
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dtype {
    type Err = BadDtype;

    fn from_str(text: &str) -> Result<Self, BadDtype> {
        let lower = text.trim().to_ascii_lowercase();
        match lower.as_str() {
            "f32" | "fp32" | "float32" => Ok(Self::F32),
            "bf16" | "bfloat16" => Ok(Self::Bf16),
            "int8" | "s8" => Ok(Self::Int8),
            "int4" | "s4" => Ok(Self::Int4),
            "fp8" | "f8e4m3fn" | "float8_e4m3fn" => Ok(Self::Fp8),
            _ => Err(BadDtype { text: text.chars().take(40).collect() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the command line prints can be typed again.
    #[test]
    fn reads_what_it_writes() {
        for dtype in Dtype::ALL {
            assert_eq!(dtype.to_string().parse::<Dtype>(), Ok(dtype));
        }
        assert_eq!(
            "fp16".parse::<Dtype>().unwrap_err().to_string(),
            "\"fp16\" is not a number format; write one of bf16, int8, fp8, int4, f32"
        );
    }
}
