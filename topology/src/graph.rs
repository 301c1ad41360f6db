//! The lattice as a graph, for what arithmetic cannot say: ways around failed links and chips, and islands.
//!
//! Neighbours lie in one flat table by chip and direction, so that searches over all chips of a pod are quick. Indices
//! stay in here and in [`crate::measure`]; chips and links go in and out.

use std::collections::BTreeSet;

use crate::shape::{Axis, Coord};
use crate::torus::{Link, Sign, Torus};

/// What of a torus does not work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outage {
    /// Chips that can neither send nor forward.
    pub chips: BTreeSet<Coord>,
    /// Links that carry nothing.
    pub links: BTreeSet<Link>,
}

impl Outage {
    /// Whether everything works.
    pub fn is_empty(&self) -> bool {
        self.chips.is_empty() && self.links.is_empty()
    }
}

/// Directions of a chip's links, in the order of [`Torus::neighbours`]: +x −x +y −y +z −z.
pub(crate) const N_DIRECTIONS: usize = 6;

/// Distance of a chip that is not reached.
pub(crate) const FAR: u32 = u32::MAX;

/// The part of a torus that works.
#[derive(Debug, Clone)]
pub struct Network {
    torus: Torus,
    outage: Outage,
    /// For each chip the index of the chip that each direction leads to, or the number of chips where none works.
    next: Vec<[u32; N_DIRECTIONS]>,
    n_links: usize,
}

/// How a route came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteKind {
    /// Along x, then y, then z, on what works.
    DimensionOrdered,
    /// That way is broken, but another one is as short.
    SameLength,
    /// Every way so short is broken.
    Detour,
}

/// A shortest route over what works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The chips, both ends included.
    pub path: Vec<Coord>,
    /// How it came about.
    pub kind: RouteKind,
    /// Hops more than where nothing is broken.
    pub extra_hops: u32,
}

/// Why there is no route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRoute {
    /// An end does not work.
    #[error("chip {0} does not work")]
    DeadEnd(Coord),
    /// What works lies in several islands.
    #[error("no working link leads from the island of chip {0} to that of chip {1}")]
    Parted(Coord, Coord),
}

/// All shortest routes between two chips, which an adaptive router may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortestRoutes {
    /// Hops of each.
    pub hops: u32,
    /// How many there are; absent where they are more than 2¹²⁸.
    pub n_routes: Option<u128>,
    torus: Torus,
    /// Hops that are left from each chip to the end; [`FAR`] where there is no way.
    left: Vec<u32>,
    next: Vec<[u32; N_DIRECTIONS]>,
}

impl Network {
    /// Of a torus without what does not work. Chips and links that the torus does not have are ignored.
    pub fn new(torus: Torus, outage: Outage) -> Self {
        let shape = torus.shape();
        let n = shape.n_chips();
        let mut next = vec![[n as u32; N_DIRECTIONS]; n];
        let mut n_links = 0;
        for (from, chip) in shape.coords().enumerate() {
            for axis in Axis::ALL {
                let Some(step) = torus.step(chip, axis, Sign::Plus) else { continue };
                let to = shape.index_of(step.to);
                next[from][slot(axis, Sign::Plus)] = to as u32;
                next[to][slot(axis, Sign::Minus)] = from as u32;
                n_links += 1;
            }
        }
        Self { torus, outage: Outage::default(), next, n_links }.without(outage)
    }

    /// The same without some more.
    #[must_use]
    pub fn without(mut self, outage: Outage) -> Self {
        let shape = self.torus.shape();
        for chip in outage.chips.iter().filter(|chip| shape.contains(**chip)) {
            for slot in 0..N_DIRECTIONS {
                self.cut(shape.index_of(*chip), slot);
            }
        }
        for link in outage.links.iter().filter(|link| shape.contains(link.from)) {
            self.cut(shape.index_of(link.from), slot(link.axis, Sign::Plus));
        }
        self.outage.chips.extend(outage.chips);
        self.outage.links.extend(outage.links);
        self
    }

    /// Takes out the link that leaves a chip in a direction, if there is one.
    fn cut(&mut self, from: usize, slot: usize) {
        let none = self.next.len() as u32;
        let to = std::mem::replace(&mut self.next[from][slot], none);
        if to != none {
            // The opposite direction is the neighbour in the order.
            self.next[to as usize][slot ^ 1] = none;
            self.n_links -= 1;
        }
    }

    /// The whole torus, broken parts included.
    pub const fn torus(&self) -> &Torus {
        &self.torus
    }

    /// What does not work.
    pub const fn outage(&self) -> &Outage {
        &self.outage
    }

    /// For each chip the index of the chip that each direction leads to; the number of chips stands for none.
    pub(crate) fn next(&self) -> &[[u32; N_DIRECTIONS]] {
        &self.next
    }

    /// Number of links that work.
    pub const fn n_links(&self) -> usize {
        self.n_links
    }

    /// Number of chips that work.
    pub fn n_chips(&self) -> usize {
        let shape = self.torus.shape();
        shape.n_chips() - self.outage.chips.iter().filter(|chip| shape.contains(**chip)).count()
    }

    /// Whether a chip works.
    pub fn works(&self, chip: Coord) -> bool {
        self.torus.shape().contains(chip) && !self.outage.chips.contains(&chip)
    }

    /// A shortest route over what works; the dimension-ordered one where nothing of it is broken.
    ///
    /// # Errors
    /// If an end does not work, or no way is left.
    ///
    /// # Panics
    /// If a chip lies outside.
    pub fn route(&self, from: Coord, to: Coord) -> Result<Route, NoRoute> {
        self.check_ends(from, to)?;
        let direct = self.torus.route(from, to);
        if direct.windows(2).all(|hop| self.joins(hop[0], hop[1])) {
            return Ok(Route { path: direct, kind: RouteKind::DimensionOrdered, extra_hops: 0 });
        }
        let routes = self.shortest_routes(from, to)?;
        let mut path = vec![from];
        let mut at = from;
        // Among equally short ways, the first direction is taken, which follows the dimension order where it can.
        while let Some((_, chip)) = routes.next_hops(at).next() {
            path.push(chip);
            at = chip;
        }
        let extra_hops = routes.hops - self.torus.distance(from, to);
        let kind = if extra_hops == 0 { RouteKind::SameLength } else { RouteKind::Detour };
        Ok(Route { path, kind, extra_hops })
    }

    /// All shortest routes over what works.
    ///
    /// # Errors
    /// If an end does not work, or no way is left.
    ///
    /// # Panics
    /// If a chip lies outside.
    pub fn shortest_routes(&self, from: Coord, to: Coord) -> Result<ShortestRoutes, NoRoute> {
        self.check_ends(from, to)?;
        let shape = self.torus.shape();
        let (start, end) = (shape.index_of(from), shape.index_of(to));
        let mut left = vec![FAR; shape.n_chips()];
        let order = self.search(end, &mut left);
        if left[start] == FAR {
            return Err(NoRoute::Parted(from, to));
        }
        let mut routes =
            ShortestRoutes { hops: left[start], n_routes: None, torus: self.torus, left, next: self.next.clone() };
        routes.n_routes = routes.count(start, &order);
        Ok(routes)
    }

    fn check_ends(&self, from: Coord, to: Coord) -> Result<(), NoRoute> {
        let shape = self.torus.shape();
        assert!(shape.contains(from) && shape.contains(to), "the chips lie inside the torus");
        let dead = [from, to].into_iter().find(|chip| !self.works(*chip));
        dead.map_or(Ok(()), |chip| Err(NoRoute::DeadEnd(chip)))
    }

    /// Whether a working link joins two chips.
    fn joins(&self, from: Coord, to: Coord) -> bool {
        let shape = self.torus.shape();
        self.next[shape.index_of(from)].contains(&(shape.index_of(to) as u32))
    }

    /// Sets the distance of every chip that is reached from one, and gives these chips from near to far.
    fn search(&self, from: usize, distance: &mut [u32]) -> Vec<usize> {
        search_table(&self.next, from, distance)
    }

    /// Sizes of the groups of working chips that cannot reach one another, largest first.
    pub fn islands(&self) -> Vec<usize> {
        let shape = self.torus.shape();
        let mut distance = vec![FAR; shape.n_chips()];
        let mut sizes = Vec::new();
        for (index, chip) in shape.coords().enumerate() {
            if distance[index] == FAR && self.works(chip) {
                sizes.push(self.search(index, &mut distance).len());
            }
        }
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes
    }

    /// Number of groups of working chips that cannot reach one another; 1 is a whole network.
    pub fn n_islands(&self) -> usize {
        self.islands().len()
    }

    /// Working links at a chip.
    ///
    /// # Panics
    /// If the chip lies outside.
    pub fn n_links_of(&self, chip: Coord) -> usize {
        let shape = self.torus.shape();
        let n = shape.n_chips() as u32;
        self.next[shape.index_of(chip)].iter().filter(|to| **to != n).count()
    }
}

impl ShortestRoutes {
    /// The hops from a chip that bring a message nearer to the end, in the order +x −x +y −y +z −z; none at the end and
    /// where no way leads there.
    ///
    /// # Panics
    /// If the chip lies outside.
    pub fn next_hops(&self, at: Coord) -> impl Iterator<Item = (Direction, Coord)> {
        let shape = self.torus.shape();
        let index = shape.index_of(at);
        let left = self.left[index];
        let hops = self.next[index].into_iter().zip(DIRECTIONS);
        hops.filter(move |(to, _)| left != FAR && self.left.get(*to as usize).is_some_and(|next| next + 1 == left))
            .map(move |(to, direction)| (direction, shape.coord_of(to as usize)))
    }

    /// Number of shortest routes from a chip; chips come from near to far of the end.
    fn count(&self, start: usize, order: &[usize]) -> Option<u128> {
        let mut n_routes = vec![Some(0_u128); self.left.len()];
        for &at in order {
            if self.left[at] == 0 {
                n_routes[at] = Some(1);
                continue;
            }
            let nearer = self.next[at].iter().filter(|to| self.left.get(**to as usize) == Some(&(self.left[at] - 1)));
            let mut ways = nearer.map(|to| n_routes[*to as usize]);
            n_routes[at] = ways.try_fold(0_u128, |sum, ways| sum.checked_add(ways?));
            if at == start {
                break;
            }
        }
        n_routes[start]
    }
}

/// Sets the distance of every chip of a table of neighbours that is reached from one, and gives these chips from near to
/// far.
pub(crate) fn search_table(next: &[[u32; N_DIRECTIONS]], from: usize, distance: &mut [u32]) -> Vec<usize> {
    distance[from] = 0;
    let mut order = vec![from];
    let mut done = 0;
    while let Some(&at) = order.get(done) {
        let hops = distance[at] + 1;
        for &to in &next[at] {
            if let Some(known) = distance.get_mut(to as usize).filter(|known| **known == FAR) {
                *known = hops;
                order.push(to as usize);
            }
        }
        done += 1;
    }
    order
}

/// An axis and which way along it.
pub type Direction = (Axis, Sign);

/// All directions, in the order of [`Torus::neighbours`].
pub(crate) const DIRECTIONS: [Direction; N_DIRECTIONS] = [
    (Axis::X, Sign::Plus),
    (Axis::X, Sign::Minus),
    (Axis::Y, Sign::Plus),
    (Axis::Y, Sign::Minus),
    (Axis::Z, Sign::Plus),
    (Axis::Z, Sign::Minus),
];

const fn slot(axis: Axis, sign: Sign) -> usize {
    2 * axis.index() + matches!(sign, Sign::Minus) as usize
}
