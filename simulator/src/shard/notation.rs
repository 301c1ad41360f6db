//! A sharded product as it is written in the scaling book: `A[I_x, J] · B[J, K_y] → C[I_x, K_y]`.
//!
//! A subscript names the axes of the mesh over which a dimension is sharded, the first one slowest: `I_xy`, `I_XY`
//! and `I_{X,Y}` are the same. A name of an axis is one letter, perhaps with digits after it, and large and small
//! letters are the same; names of arrays and dimensions are letters and digits. `{U_x}` behind the result leaves its
//! partial sums along x unreduced. The product is `·`, `.`, `*`, `@`, `×` or `\cdot`, the arrow `→`, `->`, `=>`,
//! `\to` or `\rightarrow`.
//!
//! A dimension in both operands is summed, one in an operand and the result is kept.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::parse;

/// Name of an axis of the mesh: a small letter, perhaps with digits after it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AxisName(pub(super) String);

impl AxisName {
    /// The name, in small letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AxisName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A dimension of an array and the axes over which it is sharded, slowest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dim {
    /// Its name.
    pub name: String,
    /// The axes; none where every chip has all of it.
    pub axes: Vec<AxisName>,
}

/// An array with its sharding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Its name.
    pub name: String,
    /// Its dimensions in the order in which they are written.
    pub dims: Vec<Dim>,
    /// Axes along which each chip has a partial sum only.
    pub unreduced: Vec<AxisName>,
}

/// A product of two arrays with the shardings of operands and result.
///
/// Every dimension is either in both operands and not in the result, or in one operand and in the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Product {
    pub(super) left: Array,
    pub(super) right: Array,
    pub(super) result: Array,
}

/// Why a text is not a sharded product.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at character {position}; a product is written such as A[I_x, J] . B[J, K_y] -> C[I_x, K_y]")]
pub struct BadProduct {
    /// What is wrong and what would be right.
    pub reason: String,
    /// Where, counted in characters from 1.
    pub position: usize,
}

impl Product {
    /// Longest text that is read, in characters.
    pub const MAX_CHARS: usize = 1000;
    /// Most dimensions of one array.
    pub const MAX_DIMS: usize = 8;

    /// The first operand.
    pub const fn left(&self) -> &Array {
        &self.left
    }

    /// The second operand.
    pub const fn right(&self) -> &Array {
        &self.right
    }

    /// The result.
    pub const fn result(&self) -> &Array {
        &self.result
    }

    /// Names of all dimensions: those of the first operand, then what the second one adds.
    pub fn dims(&self) -> impl Iterator<Item = &str> {
        let added = self.right.dims.iter().filter(|dim| self.left.dim(&dim.name).is_none());
        self.left.dims.iter().chain(added).map(|dim| dim.name.as_str())
    }

    /// Whether a dimension is summed.
    pub fn is_summed(&self, dim: &str) -> bool {
        self.left.dim(dim).is_some() && self.right.dim(dim).is_some()
    }
}

impl Array {
    /// The dimension of that name.
    pub fn dim(&self, name: &str) -> Option<&Dim> {
        self.dims.iter().find(|dim| dim.name == name)
    }

    /// All axes that it names.
    pub fn axes(&self) -> impl Iterator<Item = &AxisName> {
        self.dims.iter().flat_map(|dim| &dim.axes).chain(&self.unreduced)
    }
}

impl FromStr for Product {
    type Err = BadProduct;

    fn from_str(text: &str) -> Result<Self, BadProduct> {
        parse::product(text)
    }
}

impl TryFrom<String> for Product {
    type Error = BadProduct;
    fn try_from(text: String) -> Result<Self, BadProduct> {
        text.parse()
    }
}

impl From<Product> for String {
    fn from(product: Product) -> Self {
        product.to_string()
    }
}

impl fmt::Display for Product {
    /// `A[I_x, J] · B[J, K_y] → C[I_x, K_y]`, which is read back equal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} · {} → {}", self.left, self.right, self.result)
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<String> = self.dims.iter().map(Dim::to_string).collect();
        write!(f, "{}[{}]", self.name, dims.join(", "))?;
        if !self.unreduced.is_empty() {
            write!(f, " {{U_{}}}", joined(&self.unreduced))?;
        }
        Ok(())
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.axes.is_empty() {
            write!(f, "_{}", joined(&self.axes))?;
        }
        Ok(())
    }
}

/// Names one after the other: a letter begins the next.
fn joined(axes: &[AxisName]) -> String {
    axes.iter().map(AxisName::as_str).collect()
}
