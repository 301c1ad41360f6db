//! A sharded product with everything checked: what is asked, before any choice is made.

use topology::units::Byte;

use super::ShardError;
use super::layout::Layout;
use super::mesh::Mesh;
use super::notation::{Array, AxisName, Dim, Product};
use super::sizes::Sizes;
use crate::dtype::Dtype;
use crate::matmul::Matmul;

/// Which of the three arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The first operand.
    Left,
    /// The second operand.
    Right,
    /// The result.
    Result,
}

impl Role {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Left, Self::Right, Self::Result];
}

/// A product on a mesh, checked: every dimension has a size, every axis exists, every sharded dimension divides.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    product: Product,
    mesh: Mesh,
    dtype: Dtype,
    /// Sizes of the dimensions, in the order of [`Product::dims`].
    sizes: Vec<u64>,
    /// For each array its dimensions as numbers in that order.
    dims: [Vec<usize>; 3],
    /// For each array how it is sharded, as written.
    layouts: [Layout; 3],
    /// The whole product, dimensions of a side multiplied together.
    whole: Matmul,
}

impl Problem {
    /// Checks that the four parts fit together.
    ///
    /// # Errors
    /// If a size is missing or superfluous, an axis is not in the mesh, a dimension does not divide, a partial sum
    /// cannot arise, or the product is too large to compute with.
    pub fn new(product: Product, sizes: &Sizes, mesh: Mesh, dtype: Dtype) -> Result<Self, ShardError> {
        let names: Vec<String> = product.dims().map(str::to_owned).collect();
        let missing: Vec<&str> = names.iter().map(String::as_str).filter(|name| sizes.get(name).is_none()).collect();
        if !missing.is_empty() {
            return Err(ShardError::NoSize { dims: missing.join(", ") });
        }
        if let Some((name, _)) = sizes.iter().find(|(name, _)| !names.iter().any(|other| other == name)) {
            return Err(ShardError::UnknownDim { dim: name.to_owned(), known: names.join(", ") });
        }
        let of_dim: Vec<u64> = names.iter().filter_map(|name| sizes.get(name)).collect();
        let arrays = [&product.left, &product.right, &product.result];
        let number = |dim: &Dim| names.iter().position(|name| *name == dim.name).unwrap_or(0);
        let dims = arrays.map(|array| array.dims.iter().map(number).collect::<Vec<usize>>());
        let [left, right, result] = arrays.map(|array| layout(array, &mesh));
        let layouts = [left?, right?, result?];
        let side = |array: usize, summed: bool| {
            let is_summed = |dim: &usize| dims[0].contains(dim) && dims[1].contains(dim);
            let sizes = dims[array].iter().filter(|dim| is_summed(dim) == summed).map(|dim| of_dim[*dim]);
            sizes.fold(1, u64::saturating_mul)
        };
        let (m, k, n) = (side(0, false), side(0, true), side(1, false));
        let whole = Matmul::new(m, k, n, dtype)?;
        let problem = Self { product, mesh, dtype, sizes: of_dim, dims, layouts, whole };
        for role in Role::ALL {
            problem.check_divides(role)?;
        }
        problem.check_partial_sums()?;
        Ok(problem)
    }

    fn check_divides(&self, role: Role) -> Result<(), ShardError> {
        for ((dim, axes), number) in self.array(role).dims.iter().zip(&self.layout(role).dims).zip(self.dims(role)) {
            let (size, parts) = (self.sizes[*number], self.parts(axes));
            if !size.is_multiple_of(parts) {
                return Err(ShardError::NotDivisible {
                    array: self.array(role).name.clone(),
                    dim: dim.name.clone(),
                    size,
                    parts,
                    next: size.next_multiple_of(parts),
                });
            }
        }
        Ok(())
    }

    /// Sums are partial along an axis only if it shards a summed dimension of an operand.
    fn check_partial_sums(&self) -> Result<(), ShardError> {
        for axis in &self.layout(Role::Result).unreduced {
            let shards = |role: Role| {
                let of = self.dims(role).iter().zip(&self.layout(role).dims);
                of.into_iter().any(|(dim, axes)| self.is_summed(*dim) && axes.contains(axis))
            };
            if !shards(Role::Left) && !shards(Role::Right) {
                let axis = self.mesh.axes()[*axis].name.clone();
                return Err(ShardError::NothingUnreduced { axis, result: self.product.result.name.clone() });
            }
        }
        Ok(())
    }

    /// The product as it was written.
    pub const fn product(&self) -> &Product {
        &self.product
    }

    /// The mesh.
    pub const fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Number format of the operands; results and partial sums are counted in it too.
    pub const fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The whole product as one of matrices.
    pub const fn whole(&self) -> &Matmul {
        &self.whole
    }

    /// One of the arrays as it was written.
    pub const fn array(&self, role: Role) -> &Array {
        match role {
            Role::Left => &self.product.left,
            Role::Right => &self.product.right,
            Role::Result => &self.product.result,
        }
    }

    pub(super) const fn layout(&self, role: Role) -> &Layout {
        &self.layouts[role as usize]
    }

    /// Dimensions of an array as numbers.
    pub(super) fn dims(&self, role: Role) -> &[usize] {
        &self.dims[role as usize]
    }

    /// Size of a dimension.
    pub(super) fn size(&self, dim: usize) -> u64 {
        self.sizes[dim]
    }

    pub(super) fn is_summed(&self, dim: usize) -> bool {
        self.dims(Role::Left).contains(&dim) && self.dims(Role::Right).contains(&dim)
    }

    /// Into how many parts axes cut together.
    pub(super) fn parts(&self, axes: &[usize]) -> u64 {
        axes.iter().map(|axis| self.mesh.axes()[*axis].size()).product()
    }

    /// Elements of a whole array.
    pub(super) fn elements(&self, role: Role) -> f64 {
        self.dims(role).iter().map(|dim| self.sizes[*dim] as f64).product()
    }

    /// Bytes of an array on one chip where it is sharded in a way; partial sums count whole.
    pub(super) fn bytes(&self, role: Role, layout: &Layout) -> Byte {
        let parts: f64 = layout.dims.iter().map(|axes| self.parts(axes) as f64).product();
        Byte::new(self.elements(role) * self.dtype.bytes() / parts)
    }

    /// An array with another sharding, in the notation.
    pub(super) fn written(&self, role: Role, layout: &Layout) -> Array {
        let name = |axis: &usize| self.mesh.axes()[*axis].name.clone();
        let array = self.array(role);
        let dims = array.dims.iter().zip(&layout.dims);
        let dim =
            |(dim, axes): (&Dim, &Vec<usize>)| Dim { name: dim.name.clone(), axes: axes.iter().map(name).collect() };
        Array {
            name: array.name.clone(),
            dims: dims.map(dim).collect(),
            unreduced: layout.unreduced.iter().map(name).collect(),
        }
    }

    /// Names of axes of the mesh.
    pub(super) fn names(&self, axes: &[usize]) -> Vec<AxisName> {
        axes.iter().map(|axis| self.mesh.axes()[*axis].name.clone()).collect()
    }
}

/// The sharding of an array with its axes as numbers; axes of one place cut nothing and are left out.
fn layout(array: &Array, mesh: &Mesh) -> Result<Layout, ShardError> {
    let find = |axis: &AxisName| {
        mesh.find(axis).ok_or_else(|| ShardError::UnknownAxis {
            axis: axis.clone(),
            array: array.name.clone(),
            mesh: mesh.to_string(),
        })
    };
    let numbers = |axes: &[AxisName]| -> Result<Vec<usize>, ShardError> {
        let found: Vec<usize> = axes.iter().map(find).collect::<Result<_, _>>()?;
        Ok(found.into_iter().filter(|axis| mesh.axes()[*axis].size() > 1).collect())
    };
    Ok(Layout {
        dims: array.dims.iter().map(|dim| numbers(&dim.axes)).collect::<Result<_, _>>()?,
        unreduced: numbers(&array.unreduced)?,
    })
}
