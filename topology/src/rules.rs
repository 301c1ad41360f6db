//! Which slices a generation offers, by rule instead of by table, which of them wrap and which are twisted.
//!
//! The rules are data of the catalogue ([`Generation::slice_rule`]), so a generation of the user's own brings its own.
//! They are those of the TPU compiler's platform table, which agrees with all 223 entries of `MaxText`'s
//! `accelerator_to_spec_map.py` and with `util.go` of the Kubernetes DRA driver for TPUs.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::chip::{Basis, Generation};
use crate::fleet::{CUBE_SIDE, MAX_CHIPS};
use crate::shape::{Axis, Shape};

/// Which slices there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SliceRule {
    /// A list of two-dimensional shapes.
    Listed {
        /// The shapes, smallest first.
        shapes: Vec<Shape>,
        /// An axis wraps if and only if it is this long.
        wrap_at: u16,
        /// From so many chips on, a program can write directly only to chips whose distance is a power of two along
        /// one axis; absent where it reaches all.
        limited_reach_from_chips: Option<u32>,
    },
    /// Tori of whole cubes, and some meshes inside one cube.
    Cubes {
        /// Chips of the largest slice, at most [`MAX_CHIPS`].
        #[serde(deserialize_with = "affordable")]
        max_chips: u32,
        /// Chips along the longest axis.
        max_side: u16,
        /// Whether sizes must be sorted.
        order: SizeOrder,
        /// Meshes inside one cube, smallest first.
        small: Vec<Shape>,
        /// Shapes that are twisted unless one asks otherwise.
        twisted: Vec<Shape>,
        /// Shapes that are twisted only if one asks.
        twistable: Vec<Shape>,
    },
}

/// Reads a number of chips of at most [`MAX_CHIPS`], so that all shapes of a rule can be listed.
fn affordable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let n_chips = u32::deserialize(deserializer)?;
    if n_chips as usize > MAX_CHIPS {
        return Err(D::Error::custom(format!("a slice of {n_chips} chips is more than {MAX_CHIPS}")));
    }
    Ok(n_chips)
}

/// Whether the order of the sizes of a shape matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SizeOrder {
    /// From the smallest to the largest.
    Sorted,
    /// As one likes.
    Any,
}

/// Whether a shape can be twisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Twistable {
    /// It cannot.
    Never,
    /// Only if one asks.
    OnRequest,
    /// It is unless one asks otherwise.
    ByDefault,
}

/// What the rules say of a legal shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LegalShape {
    /// The shape.
    pub shape: Shape,
    /// Which axes have wrap links; `false` for an axis that the shape does not have.
    pub wrap: [bool; 3],
    /// Whether it can be twisted.
    pub twistable: Twistable,
}

/// The rule that a shape breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenRule {
    /// No rule is known for the generation.
    Unknown,
    /// Too few or too many axes; the number that it must have.
    Rank(usize),
    /// Not one of the listed shapes.
    NotListed,
    /// A size above 4 that is no multiple of 4, or a mix of small and large sizes.
    NotCubes,
    /// Larger than one cube in no axis, but not one of the meshes inside a cube.
    NotSmall,
    /// The sizes are not sorted.
    Order,
    /// More chips than the largest slice has.
    TooManyChips(u32),
    /// An axis longer than the longest allowed.
    TooLong(u16),
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("no source says which slices this generation has"),
            Self::Rank(rank) => write!(f, "a slice has {rank} sizes"),
            Self::NotListed => f.write_str("the slice sizes of this generation are a fixed list"),
            Self::NotCubes => f.write_str("beyond one cube every size must be a multiple of 4"),
            Self::NotSmall => f.write_str("inside one cube only a few meshes are offered"),
            Self::Order => f.write_str("sizes must go from the smallest to the largest"),
            Self::TooManyChips(max) => write!(f, "a slice has at most {max} chips"),
            Self::TooLong(max) => write!(f, "an axis has at most {max} chips"),
        }
    }
}

/// A shape that the generation does not offer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{generation} has no slice {shape}: {rule}{}", suggestion(nearest, *part_of))]
pub struct IllegalShape {
    /// Name of the generation for people.
    pub generation: String,
    /// The shape.
    pub shape: Shape,
    /// The first rule that it breaks.
    pub rule: BrokenRule,
    /// Up to four legal shapes, nearest first.
    pub nearest: Vec<Shape>,
    /// The smallest legal shape of which it is a part, axes turned as one likes, so that sub-slicing would do.
    pub part_of: Option<Shape>,
}

fn suggestion(nearest: &[Shape], part_of: Option<Shape>) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    let names: Vec<String> = nearest.iter().map(Shape::to_string).collect();
    let part = part_of.map(|whole| format!("; a part of {whole} would do")).unwrap_or_default();
    format!("; the nearest are {}{part}", names.join(", "))
}

/// Number of shapes that [`IllegalShape::nearest`] names at most.
const N_NEAREST: usize = 4;

/// What the rules say of a shape.
///
/// # Errors
/// With the rule that it breaks and the nearest legal shapes.
pub fn check_shape(generation: &Generation, shape: Shape) -> Result<LegalShape, IllegalShape> {
    let broken = |rule, nearest, part_of| {
        let generation = generation.name.clone();
        IllegalShape { generation, shape, rule, nearest, part_of }
    };
    let Some(rule) = &generation.slice_rule else {
        return Err(broken(BrokenRule::Unknown, Vec::new(), None));
    };
    match rule.value.broken_by(shape) {
        Some(broken_rule) => Err(broken(broken_rule, rule.value.nearest(shape), rule.value.whole_of(shape))),
        None => Ok(rule.value.describe(shape)),
    }
}

/// All legal shapes of a generation, by number of chips and then by sizes; empty where no rule is known.
pub fn legal_shapes(generation: &Generation) -> Vec<LegalShape> {
    let Some(rule) = &generation.slice_rule else { return Vec::new() };
    rule.value.shapes().into_iter().map(|shape| rule.value.describe(shape)).collect()
}

/// Whether the slice rule of a generation is an assumption rather than read in a source.
pub fn rule_is_assumed(generation: &Generation) -> bool {
    generation.slice_rule.as_ref().is_some_and(|rule| rule.basis == Basis::Unverified)
}

impl SliceRule {
    /// Whether programs on a slice of that shape can write directly only to chips whose distance is a power of two
    /// along one axis.
    pub fn limits_reach(&self, shape: Shape) -> bool {
        match self {
            Self::Listed { limited_reach_from_chips: Some(from), .. } => shape.n_chips() >= *from as usize,
            Self::Listed { .. } | Self::Cubes { .. } => false,
        }
    }

    /// The first rule that the shape breaks.
    fn broken_by(&self, shape: Shape) -> Option<BrokenRule> {
        match self {
            Self::Listed { shapes, .. } if shapes.contains(&shape) => None,
            Self::Listed { .. } if shape.rank() != 2 => Some(BrokenRule::Rank(2)),
            Self::Listed { .. } => Some(BrokenRule::NotListed),
            Self::Cubes { max_chips, max_side, order, small, .. } => {
                let sizes = shape.sizes3();
                let sorted = sizes.is_sorted();
                if shape.rank() != 3 {
                    Some(BrokenRule::Rank(3))
                } else if small.contains(&shape) {
                    None
                } else if sizes.iter().any(|size| size % CUBE_SIDE != 0) {
                    let inside_cube = sizes.iter().all(|size| *size <= CUBE_SIDE);
                    let permuted = inside_cube && small.contains(&sorted_sizes(shape));
                    Some(match (permuted, inside_cube) {
                        (true, _) => BrokenRule::Order,
                        (false, true) => BrokenRule::NotSmall,
                        (false, false) => BrokenRule::NotCubes,
                    })
                } else if sizes.iter().any(|size| size > max_side) {
                    Some(BrokenRule::TooLong(*max_side))
                } else if shape.n_chips() > *max_chips as usize {
                    Some(BrokenRule::TooManyChips(*max_chips))
                } else if *order == SizeOrder::Sorted && !sorted {
                    Some(BrokenRule::Order)
                } else {
                    None
                }
            }
        }
    }

    fn describe(&self, shape: Shape) -> LegalShape {
        let (wrap, twistable) = match self {
            Self::Listed { wrap_at, .. } => (Axis::ALL.map(|axis| shape.along(axis) == *wrap_at), Twistable::Never),
            Self::Cubes { twisted, twistable, .. } => {
                let cubes = shape.sizes().iter().all(|size| *size >= CUBE_SIDE);
                let kind = match shape {
                    _ if twisted.contains(&shape) => Twistable::ByDefault,
                    _ if twistable.contains(&shape) => Twistable::OnRequest,
                    _ => Twistable::Never,
                };
                ([cubes; 3], kind)
            }
        };
        LegalShape { shape, wrap, twistable }
    }

    /// All legal shapes, by number of chips and then by sizes.
    fn shapes(&self) -> Vec<Shape> {
        let mut shapes = match self {
            Self::Listed { shapes, .. } => shapes.clone(),
            Self::Cubes { max_chips, max_side, order, small, .. } => {
                let mut shapes = small.clone();
                let sides = (CUBE_SIDE..=*max_side).step_by(usize::from(CUBE_SIDE));
                let max_chips = *max_chips as usize;
                for x in sides.clone() {
                    for y in sides.clone().filter(|y| *order == SizeOrder::Any || *y >= x) {
                        let fits = |z: &u16| usize::from(x) * usize::from(y) * usize::from(*z) <= max_chips;
                        let sorted = |z: &u16| *order == SizeOrder::Any || *z >= y;
                        shapes.extend(sides.clone().take_while(fits).filter(sorted).map(|z| Shape::solid(x, y, z)));
                    }
                }
                shapes
            }
        };
        shapes.sort_by_key(|shape| (shape.n_chips(), shape.sizes3()));
        shapes
    }

    /// The smallest legal shape that is larger than a shape and holds it, axes turned as one likes; `None` too where the
    /// shape only has to be turned.
    fn whole_of(&self, part: Shape) -> Option<Shape> {
        let n_chips = part.n_chips();
        let part = sorted_sizes(part).sizes3();
        let holds = |whole: &Shape| sorted_sizes(*whole).sizes3().iter().zip(part).all(|(size, part)| *size >= part);
        self.shapes().into_iter().find(holds).filter(|whole| whole.n_chips() > n_chips)
    }

    /// Legal shapes with the smallest product over the axes of larger size ÷ smaller size, sizes taken in order: a shape
    /// of twice the length is as near as one of half. Of equally near ones the smaller comes first.
    fn nearest(&self, shape: Shape) -> Vec<Shape> {
        let wanted = sorted_sizes(shape).sizes3();
        let ratio = |candidate: &Shape| -> (u64, u64) {
            let pairs = sorted_sizes(*candidate).sizes3().into_iter().zip(wanted);
            pairs.fold((1, 1), |(over, under), (a, b)| (over * u64::from(a.max(b)), under * u64::from(a.min(b))))
        };
        let mut near: Vec<((u64, u64), Shape)> =
            self.shapes().into_iter().map(|shape| (ratio(&shape), shape)).collect();
        // Fractions are compared by cross products, which is exact and the same on every machine.
        near.sort_by(|((a, b), _), ((c, d), _)| {
            (u128::from(*a) * u128::from(*d)).cmp(&(u128::from(*c) * u128::from(*b)))
        });
        near.into_iter().take(N_NEAREST).map(|(_, shape)| shape).collect()
    }
}

/// The shape with its sizes from the smallest to the largest (all three, so a flat shape becomes `1xAxB`).
fn sorted_sizes(shape: Shape) -> Shape {
    let mut sizes = shape.sizes3();
    sizes.sort_unstable();
    Shape::solid(sizes[0], sizes[1], sizes[2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Catalog;

    fn generation(name: &str) -> &'static Generation {
        Catalog::embedded().find(name).unwrap()
    }

    fn shape(text: &str) -> Shape {
        text.parse().unwrap()
    }

    #[test]
    fn there_are_as_many_shapes_as_in_the_platform_table() {
        // Counts of wrapped shapes in the TPU compiler's platform table, confirmed 2026-11-30.
        for (name, n_wrapped) in [("v4", 796), ("v5p", 410), ("tpu7x", 428)] {
            let wrapped = legal_shapes(generation(name)).into_iter().filter(|legal| legal.wrap == [true; 3]);
            assert_eq!(wrapped.count(), n_wrapped, "{name}");
        }
    }

    #[test]
    fn each_broken_rule_has_its_own_message() {
        let message = |name, text| check_shape(generation(name), shape(text)).unwrap_err().to_string();
        assert_eq!(
            message("v5p", "4x8x6"),
            "TPU v5p has no slice 4x8x6: beyond one cube every size must be a multiple of 4; \
             the nearest are 4x8x8, 4x4x8, 4x8x12, 4x4x12; a part of 4x8x8 would do"
        );
        assert!(
            message("v5p", "4x8x4").contains("sizes must go from the smallest to the largest; the nearest are 4x4x8,")
        );
        assert!(message("v5p", "2x4x2").contains("sizes must go"));
        assert!(message("v5p", "3x3x3").contains("inside one cube"));
        assert!(message("v5p", "4x4").contains("a slice has 3 sizes"));
        assert!(message("v5e", "4x4x4").contains("a slice has 2 sizes"));
        assert!(message("v5e", "16x8").contains("fixed list; the nearest are 8x16,"));
        assert!(message("v4", "4x4x576").contains("at most 256 chips"));
        assert!(message("v5p", "16x24x24").contains("at most 8960 chips"));
        assert!(message("tpu8i", "4x4x4").ends_with("no source says which slices this generation has"));
    }

    #[test]
    fn shapes_that_a_hand_made_table_forgot_are_legal() {
        // https://github.com/AI-Hypercomputer/xpk/pull/834
        for (name, text) in [("v5p", "4x4x172"), ("v4", "12x16x20"), ("v4", "8x4x4"), ("tpu7x", "12x24x24")] {
            assert!(check_shape(generation(name), shape(text)).is_ok(), "{name} {text}");
        }
    }
}
