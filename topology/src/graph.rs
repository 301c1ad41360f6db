//! The lattice as a graph, for what arithmetic cannot say: ways around failed links and chips, and islands.
//!
//! Graph indices stay in here; chips and links go in and out.

use std::collections::BTreeSet;

use petgraph::algo::{astar, connected_components};
use petgraph::graph::{NodeIndex, UnGraph};

use crate::shape::Coord;
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

/// The part of a torus that works.
#[derive(Debug, Clone)]
pub struct Network {
    torus: Torus,
    outage: Outage,
    graph: UnGraph<(), Link, u32>,
}

impl Network {
    /// Of a torus without what does not work.
    pub fn new(torus: Torus, outage: Outage) -> Self {
        let shape = torus.shape();
        let mut graph = UnGraph::with_capacity(shape.n_chips(), 3 * shape.n_chips());
        for _ in 0..shape.n_chips() {
            graph.add_node(());
        }
        for link in torus.links().filter(|link| !outage.links.contains(link)) {
            if let Some(step) = torus.step(link.from, link.axis, Sign::Plus)
                && !outage.chips.contains(&link.from)
                && !outage.chips.contains(&step.to)
            {
                graph.add_edge(node(&torus, link.from), node(&torus, step.to), link);
            }
        }
        Self { torus, outage, graph }
    }

    /// The whole torus, broken parts included.
    pub const fn torus(&self) -> &Torus {
        &self.torus
    }

    /// Number of links that work.
    pub fn n_links(&self) -> usize {
        self.graph.edge_count()
    }

    /// A shortest route over what works, both ends included; `None` if there is none or an end does not work.
    ///
    /// The dimension-ordered route where nothing of it is broken, else an A* search.
    ///
    /// # Panics
    /// If a chip lies outside.
    pub fn route(&self, from: Coord, to: Coord) -> Option<Vec<Coord>> {
        let direct = self.torus.route(from, to);
        if self.outage.is_empty() || self.works(&direct) {
            return Some(direct);
        }
        if self.outage.chips.contains(&from) || self.outage.chips.contains(&to) {
            return None;
        }
        let shape = self.torus.shape();
        let target = node(&self.torus, to);
        let left = |at: NodeIndex| self.torus.distance(shape.coord_of(at.index()), to);
        let (_, path) = astar(&self.graph, node(&self.torus, from), |at| at == target, |_| 1, left)?;
        Some(path.into_iter().map(|at| shape.coord_of(at.index())).collect())
    }

    /// Whether all chips and links of a path work. Two parallel links of an axis of two chips count as one.
    fn works(&self, path: &[Coord]) -> bool {
        path.iter().all(|chip| !self.outage.chips.contains(chip))
            && path
                .windows(2)
                .all(|hop| self.graph.find_edge(node(&self.torus, hop[0]), node(&self.torus, hop[1])).is_some())
    }

    /// Number of groups of working chips that cannot reach one another; 1 is a whole network.
    pub fn n_islands(&self) -> usize {
        connected_components(&self.graph) - self.outage.chips.len()
    }

    /// Working links at a chip.
    ///
    /// # Panics
    /// If the chip lies outside.
    pub fn n_links_of(&self, chip: Coord) -> usize {
        self.graph.edges(node(&self.torus, chip)).count()
    }
}

fn node(torus: &Torus, chip: Coord) -> NodeIndex<u32> {
    NodeIndex::new(torus.shape().index_of(chip))
}
