//! A pod as a graph at the level that one thinks in: chips, hosts, cubes, or cubes and the switches that join them.
//!
//! The graph is of what the slices have joined, and of chips of one cube (or of a flat pod) that no slice has. Graph
//! indices stay in here; components go in and out.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::{astar, connected_components};
use petgraph::graph::{NodeIndex, UnGraph};

use crate::chip::Generation;
use crate::fleet::{Component, Pod};
use crate::occupancy::cube_of;
use crate::ocs::Switch;
use crate::shape::{Axis, Coord};
use crate::slice::{SliceError, SliceModel};
use crate::torus::{Sign, Torus};

/// What the nodes of a graph are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Chips, joined by ICI links.
    Chip,
    /// Hosts of 2x2x1 chips.
    Host,
    /// Cubes of 4x4x4 chips.
    Cube,
    /// Cubes and optical switches; an edge is a port in use.
    Switch,
}

/// A pod as a graph; nodes are in order of their components.
#[derive(Debug, Clone)]
pub struct LevelGraph {
    level: Level,
    graph: UnGraph<Component, usize, u32>,
    nodes: BTreeMap<Component, NodeIndex<u32>>,
}

impl LevelGraph {
    /// Of a pod whose chips are of a generation.
    ///
    /// # Errors
    /// If the pod has a slice that the generation does not offer.
    pub fn new(pod: &Pod, generation: &Generation, level: Level) -> Result<Self, SliceError> {
        let mut found = Self { level, graph: UnGraph::default(), nodes: BTreeMap::new() };
        let nodes: BTreeSet<Component> = pod.shape.coords().map(|chip| node_of(level, chip)).collect();
        let switches = Switch::all().filter(|_| level == Level::Switch && pod.cubes().is_some());
        for component in nodes.into_iter().chain(switches.map(Switch::component)) {
            found.nodes.insert(component, found.graph.add_node(component));
        }
        let mut edges: BTreeMap<(Component, Component), usize> = BTreeMap::new();
        let mut add = |a: Component, b: Component| *edges.entry((a.min(b), a.max(b))).or_default() += 1;
        for (from, axis, to) in links(pod, generation)? {
            match Switch::of_link(from, axis, Sign::Plus).filter(|_| level == Level::Switch && pod.cubes().is_some()) {
                Some(switch) => {
                    add(node_of(level, from), switch.component());
                    add(node_of(level, to), switch.component());
                }
                None if node_of(level, from) != node_of(level, to) || level == Level::Chip => {
                    add(node_of(level, from), node_of(level, to));
                }
                None => {}
            }
        }
        for ((a, b), n_links) in edges {
            if let (Some(a), Some(b)) = (found.nodes.get(&a), found.nodes.get(&b)) {
                found.graph.add_edge(*a, *b, n_links);
            }
        }
        Ok(found)
    }

    /// What its nodes are.
    pub const fn level(&self) -> Level {
        self.level
    }

    /// All nodes, in order.
    pub fn nodes(&self) -> impl Iterator<Item = Component> {
        self.nodes.keys().copied()
    }

    /// Number of links (or, of switches, of ports in use) over all edges.
    pub fn n_links(&self) -> usize {
        self.graph.edge_weights().sum()
    }

    /// What a node is joined to, in order, and by how many links; empty for a component that is not there.
    pub fn neighbours(&self, of: Component) -> Vec<(Component, usize)> {
        let Some(node) = self.nodes.get(&of) else { return Vec::new() };
        let edges = self.graph.edges(*node);
        let mut neighbours: Vec<(Component, usize)> = edges
            .map(|edge| {
                use petgraph::visit::EdgeRef as _;
                let other = if edge.source() == *node { edge.target() } else { edge.source() };
                (self.graph[other], *edge.weight())
            })
            .collect();
        neighbours.sort_unstable();
        neighbours
    }

    /// A way between two nodes with fewest hops, both included; `None` if there is none.
    pub fn path(&self, from: Component, to: Component) -> Option<Vec<Component>> {
        let (from, to) = (*self.nodes.get(&from)?, *self.nodes.get(&to)?);
        let (_, path) = astar(&self.graph, from, |at| at == to, |_| 1, |_| 0)?;
        Some(path.into_iter().map(|at| self.graph[at]).collect())
    }

    /// Number of groups of nodes that are not joined to one another.
    pub fn n_islands(&self) -> usize {
        connected_components(&self.graph)
    }
}

/// The node that a chip belongs to.
const fn node_of(level: Level, chip: Coord) -> Component {
    match level {
        Level::Chip => Component::Chip(chip),
        Level::Host => Component::Host(Coord::new(chip.x / 2 * 2, chip.y / 2 * 2, chip.z)),
        Level::Cube | Level::Switch => Component::Cube(cube_of(chip)),
    }
}

/// All links of a pod in pod coordinates: from a chip, in the positive direction of a pod axis, to a chip.
fn links(pod: &Pod, generation: &Generation) -> Result<Vec<(Coord, Axis, Coord)>, SliceError> {
    let mut links = Vec::new();
    for slice in &pod.slices {
        let torus = SliceModel::new(generation, slice.shape, Some(slice.twisted))?.torus;
        let layout = crate::occupancy::Layout::of(slice);
        let places: BTreeMap<Coord, Coord> = pod.slice_chips(slice).collect();
        for link in torus.links() {
            let to = torus.step(link.from, link.axis, Sign::Plus).and_then(|step| places.get(&step.to));
            let pod_axis = Axis::ALL.into_iter().find(|axis| layout.own_axis(*axis) == link.axis);
            if let (Some(from), Some(to), Some(axis)) = (places.get(&link.from), to, pod_axis) {
                links.push((*from, axis, *to));
            }
        }
    }
    let owners = pod.occupancy();
    let idle = |chip: Coord| owners[pod.shape.index_of(chip)].is_none();
    let lattice = Torus::plain(pod.shape, [false; 3]);
    for link in lattice.links().filter(|link| idle(link.from)) {
        let to = lattice.step(link.from, link.axis, Sign::Plus).map(|step| step.to).filter(|to| idle(*to));
        let together = |to: &Coord| pod.cubes().is_none() || cube_of(*to) == cube_of(link.from);
        links.extend(to.filter(together).map(|to| (link.from, link.axis, to)));
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Catalog;
    use crate::occupancy::tests::{block, pod};

    fn graph(level: Level) -> LevelGraph {
        let mut pod = pod();
        pod.slices = vec![block("a", "4x4x8", [0, 0, 0])];
        LevelGraph::new(&pod, Catalog::embedded().find("v5p").unwrap(), level).unwrap()
    }

    #[test]
    fn chips_hosts_and_cubes_are_joined_as_the_slices_are() {
        // 384 links of the slice, 144 of the copper of each of 14 idle cubes.
        let chips = graph(Level::Chip);
        assert_eq!((chips.nodes().count(), chips.n_links(), chips.n_islands()), (1024, 384 + 14 * 144, 15));
        let wrapped = Component::Chip(Coord::new(3, 0, 0));
        assert!(chips.neighbours(Component::Chip(Coord::new(0, 0, 0))).contains(&(wrapped, 1)));
        let hosts = graph(Level::Host);
        assert_eq!((hosts.nodes().count(), hosts.n_islands()), (256, 15));
        let cubes = graph(Level::Cube);
        let (a, b) = (Component::Cube(Coord::new(0, 0, 0)), Component::Cube(Coord::new(0, 0, 1)));
        assert_eq!(cubes.neighbours(a), [(b, 32)], "both ends of the long axis");
        assert_eq!((cubes.n_islands(), cubes.path(a, b)), (15, Some(vec![a, b])));
        assert_eq!(cubes.path(a, Component::Cube(Coord::new(1, 1, 3))), None);
    }

    #[test]
    fn a_cube_of_a_slice_uses_both_its_ports_on_every_switch() {
        let switches = graph(Level::Switch);
        let cube = Component::Cube(Coord::new(0, 0, 1));
        let ports = switches.neighbours(cube);
        assert_eq!((ports.len(), ports.iter().map(|(_, n)| n).sum::<usize>()), (48, 96));
        assert_eq!(switches.level(), Level::Switch);
        assert_eq!(switches.neighbours(Component::Cube(Coord::new(1, 1, 1))), [], "idle");
        assert_eq!(switches.n_links(), 2 * 96);
    }
}
