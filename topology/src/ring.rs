//! Rings of chips: how long the hops of a given order are, and an order in which every hop is one link.

use crate::shape::{Axis, Coord, Shape};
use crate::torus::Torus;

/// Hops from each chip of an order to the next, and from the last to the first; empty for fewer than two chips.
///
/// A ring over the devices 0, 1, 2, 3 of a 2x2 host crosses the diagonal twice: its hops are 1, 2, 1, 2
/// (<https://github.com/jax-ml/jax/issues/20305>).
///
/// # Panics
/// If a chip lies outside.
pub fn ring_hops(torus: &Torus, order: &[Coord]) -> Vec<u32> {
    if order.len() < 2 {
        return Vec::new();
    }
    let next = order.iter().skip(1).chain(order.first());
    order.iter().zip(next).map(|(from, to)| torus.distance(*from, *to)).collect()
}

/// What a logical ring costs, and a better order where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RingCheck {
    /// Hops of each edge, that from the last chip to the first included.
    pub hops: Vec<u32>,
    /// Edges of more than one hop.
    pub n_long_edges: usize,
    /// An order of the same chips in which every edge is one link, from the same first chip and, where it can, in the same
    /// direction; absent where the order is a ring already, does not hold every chip once, or none was found.
    pub better: Option<Vec<Coord>>,
}

/// Checks the order of the chips of a slice as a ring.
///
/// # Panics
/// If a chip lies outside.
pub fn ring_check(torus: &Torus, order: &[Coord]) -> RingCheck {
    let hops = ring_hops(torus, order);
    let n_long_edges = hops.iter().filter(|hops| **hops > 1).count();
    let better = if n_long_edges == 0 { None } else { better_order(torus, order) };
    RingCheck { hops, n_long_edges, better }
}

fn better_order(torus: &Torus, order: &[Coord]) -> Option<Vec<Coord>> {
    let mut ring = ring_order(torus)?;
    let (mut sorted, mut all) = (order.to_vec(), ring.clone());
    sorted.sort_unstable();
    all.sort_unstable();
    let first = order.first().filter(|_| sorted == all)?;
    let start = ring.iter().position(|chip| chip == first)?;
    ring.rotate_left(start);
    if order.get(1) == ring.last() {
        ring[1..].reverse();
    }
    Some(ring)
}

/// All chips in an order in which every hop, that from the last to the first included, is one link; `None` where this
/// construction finds none: for one chip, a line, and shapes whose sizes are all odd.
///
/// One even axis is kept; the other two are run through as one line, like a field is ploughed. The ring goes along the
/// even axis at the line's first place and comes back ploughing the rest. Wrap links are used only by a single axis.
pub fn ring_order(torus: &Torus) -> Option<Vec<Coord>> {
    let shape = torus.shape();
    let long: Vec<Axis> = Axis::ALL.into_iter().filter(|axis| shape.along(*axis) > 1).collect();
    if let [axis] = long[..] {
        return (torus.wrap()[axis.index()] || shape.along(axis) == 2).then(|| shape.coords().collect());
    }
    let even = long.into_iter().find(|axis| shape.along(*axis).is_multiple_of(2))?;
    let line = ploughed(shape, even);
    let at = |row: u16, place: &Coord| {
        let mut chip: [u16; 3] = (*place).into();
        chip[even.index()] = row;
        Coord::from(chip)
    };
    let (first, rest) = line.split_first()?;
    let mut order: Vec<Coord> = (0..shape.along(even)).map(|row| at(row, first)).collect();
    for (i, row) in (0..shape.along(even)).rev().enumerate() {
        if i % 2 == 0 {
            order.extend(rest.iter().map(|place| at(row, place)));
        } else {
            order.extend(rest.iter().rev().map(|place| at(row, place)));
        }
    }
    Some(order)
}

/// The places of a plane across an axis as one line of neighbours, back and forth.
fn ploughed(shape: Shape, across: Axis) -> Vec<Coord> {
    let sizes = Axis::ALL.map(|axis| if axis == across { 1 } else { shape.along(axis) });
    let forward = |size: u16, row: u16, i: u16| if row.is_multiple_of(2) { i } else { size - 1 - i };
    let mut line = Vec::new();
    // Rows are counted over the whole line, so that each starts where the one before ended.
    for z in 0..sizes[2] {
        for i in 0..sizes[1] {
            let y = forward(sizes[1], z, i);
            for j in 0..sizes[0] {
                line.push(Coord::new(forward(sizes[0], z * sizes[1] + i, j), y, z));
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Catalog;
    use crate::rules::legal_shapes;

    #[test]
    fn the_device_order_of_a_host_is_no_ring_but_there_is_one() {
        let host = Torus::plain(Shape::flat(2, 2), [false; 3]);
        let devices: Vec<Coord> = host.shape().coords().collect();
        assert_eq!(ring_hops(&host, &devices), [1, 2, 1, 2]);
        let ring = ring_order(&host).unwrap();
        assert_eq!(ring_hops(&host, &ring), [1; 4]);
    }

    #[test]
    fn every_slice_of_more_than_two_chips_has_a_ring() {
        for generation in &Catalog::embedded().generations {
            for legal in legal_shapes(generation).iter().filter(|legal| (2..=2048).contains(&legal.shape.n_chips())) {
                let torus = Torus::plain(legal.shape, [false; 3]);
                let mut ring = ring_order(&torus).unwrap();
                assert!(ring_hops(&torus, &ring).iter().all(|hops| *hops == 1), "{} {}", generation.name, legal.shape);
                ring.sort_unstable();
                ring.dedup();
                assert_eq!(ring.len(), legal.shape.n_chips(), "{} {}", generation.name, legal.shape);
            }
        }
    }

    #[test]
    fn a_line_is_a_ring_only_where_it_wraps() {
        assert_eq!(ring_order(&Torus::plain(Shape::flat(1, 5), [false; 3])), None);
        assert_eq!(ring_order(&Torus::plain(Shape::flat(1, 5), [true; 3])).map(|ring| ring.len()), Some(5));
        assert_eq!(ring_order(&Torus::plain(Shape::flat(3, 3), [false; 3])), None);
        assert!(ring_hops(&Torus::plain(Shape::flat(1, 1), [false; 3]), &[Coord::default()]).is_empty());
    }
}
