//! Hop counts, cuts and link loads of a torus: closed forms where they exist, exact counting elsewhere.

use crate::graph::{Network, Outage};
use crate::measure::loads;
use crate::shape::{Axis, Coord};
use crate::torus::{Sign, Torus};

/// Lengths of shortest routes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hops {
    /// The longest.
    pub diameter: u32,
    /// Mean over ordered pairs of different chips; 0 for a single chip.
    pub mean: f64,
}

/// A set of links that parts the chips into two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bisection {
    /// Number of links cut, each counted once.
    pub links: usize,
    /// Whether no smaller cut exists.
    pub method: CutMethod,
}

/// How a bisection was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CutMethod {
    /// No smaller cut exists.
    Exact,
    /// The best plane; a smaller cut is not excluded. For 4x4x8 and 4x8x8 twisted, Kernighan–Lin searches found none.
    Bound,
}

impl CutMethod {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bound => "upper bound",
        }
    }
}

/// Diameter and mean length of shortest routes.
///
/// A ring of n has the diameter ⌊n/2⌋ and the mean ⌊n²/4⌋/n over all n places, a line n−1 and (n²−1)/3n; axes add up. A
/// twisted torus looks the same from every chip, so the distances from one are counted.
pub fn hops(torus: &Torus) -> Hops {
    let shape = torus.shape();
    let n = shape.n_chips() as f64;
    if n < 2.0 {
        return Hops { diameter: 0, mean: 0.0 };
    }
    if torus.is_twisted() {
        let origin = Coord::default();
        let (mut diameter, mut sum) = (0, 0_u64);
        for chip in shape.coords() {
            let distance = torus.distance(origin, chip);
            diameter = diameter.max(distance);
            sum += u64::from(distance);
        }
        return Hops { diameter, mean: sum as f64 / (n - 1.0) };
    }
    let (mut diameter, mut mean) = (0, 0.0);
    for axis in Axis::ALL {
        let size = u32::from(shape.along(axis));
        let s = f64::from(size);
        if torus.wrap()[axis.index()] {
            diameter += size / 2;
            mean += (s * s / 4.0).floor() / s;
        } else {
            diameter += size - 1;
            mean += (s * s - 1.0) / (3.0 * s);
        }
    }
    Hops { diameter, mean: mean * n / (n - 1.0) }
}

/// Smallest cut by a plane into two halves; `None` for a single chip or where no axis has an even size.
///
/// Across an axis of a plain torus that wraps, N/size links are cut twice; without wrap, once. In a twisted torus the
/// wrap links that shift along the axis cross the plane too.
///
/// In a plain one the plane is the smallest cut of all where it equals this bound: when all send to all along
/// dimension-ordered routes, N²/4 messages cross any halving cut in each direction, and no link carries more than L, so
/// any cut has at least N²/4L links.
pub fn bisection(torus: &Torus) -> Option<Bisection> {
    let shape = torus.shape();
    let even = Axis::ALL.into_iter().filter(|axis| shape.along(*axis).is_multiple_of(2));
    let links = even.map(|axis| plane_cut(torus, axis)).min()?;
    let n = shape.n_chips() as f64;
    let load = Axis::ALL.into_iter().map(|axis| ordered_load(torus, axis)).fold(0.0, f64::max);
    let exact = !torus.is_twisted() && links as f64 * load <= n * n / 4.0;
    Some(Bisection { links, method: if exact { CutMethod::Exact } else { CutMethod::Bound } })
}

fn plane_cut(torus: &Torus, axis: Axis) -> usize {
    let shape = torus.shape();
    if torus.is_twisted() {
        let half = shape.along(axis) / 2;
        let other_half = |to: Coord, from: Coord| (to.along(axis) < half) != (from.along(axis) < half);
        let crosses = |link: &crate::torus::Link| {
            torus.step(link.from, link.axis, Sign::Plus).is_some_and(|step| other_half(step.to, link.from))
        };
        return torus.links().filter(crosses).count();
    }
    let planes = if torus.wrap()[axis.index()] { 2 } else { 1 };
    planes * shape.n_chips() / usize::from(shape.along(axis))
}

/// Above this many chips, loads of a torus that is not the same from every chip are not counted.
const MAX_COUNTED_CHIPS: usize = 2048;

/// Messages over the busiest direction of a link when every chip sends one to every other and the messages are split
/// evenly over all shortest routes; `None` for a single chip, or a large mesh.
///
/// By the formula for dimension-ordered routes in plain tori, where both ways of sending load the links alike; else
/// counted, see [`loads`].
pub fn all_to_all_load(torus: &Torus) -> Option<f64> {
    let shape = torus.shape();
    let n = shape.n_chips();
    if n < 2 {
        return None;
    }
    if torus.is_symmetric() && !torus.is_twisted() {
        return Axis::ALL.into_iter().map(|axis| ordered_load(torus, axis)).max_by(f64::total_cmp);
    }
    if !torus.is_symmetric() && n > MAX_COUNTED_CHIPS {
        return None;
    }
    loads(&Network::new(*torus, Outage::default())).busiest().map(|(_, _, load)| load)
}

/// Messages over the busiest direction of a link of an axis when all send to all along dimension-ordered routes in a
/// plain torus: ⌊n²/4⌋ times N/n in a line of n, and half of that in a ring, whose two ways share.
fn ordered_load(torus: &Torus, axis: Axis) -> f64 {
    let size = f64::from(torus.shape().along(axis));
    let line = (size * size / 4.0).floor() * torus.shape().n_chips() as f64 / size;
    if torus.wrap()[axis.index()] { line / 2.0 } else { line }
}
