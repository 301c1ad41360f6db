//! Messages over each link, counted from one chip after the other.

use crate::graph::{FAR, N_DIRECTIONS, Network};

/// Counts messages by chip and direction. The place after the last chip stands for no chip.
pub(super) struct Counter<'a> {
    next: &'a [[u32; N_DIRECTIONS]],
    distance: Vec<u32>,
    routes: Vec<f64>,
    /// What comes to a chip or goes through it, for each route that leads there.
    share: Vec<f64>,
    order: Vec<u32>,
    /// Messages that leave each chip, by direction.
    pub(super) load: Vec<[f64; N_DIRECTIONS]>,
}

impl<'a> Counter<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        let next = network.next();
        let places = next.len() + 1;
        Self {
            next,
            distance: vec![FAR; places],
            routes: vec![0.0; places],
            share: vec![0.0; places],
            order: Vec::with_capacity(places),
            load: vec![[0.0; N_DIRECTIONS]; places],
        }
    }

    /// Adds one message from a chip to each that it reaches.
    pub(super) fn add_from(&mut self, source: usize) {
        self.distance.fill(FAR);
        self.routes.fill(0.0);
        self.order.clear();
        self.order.push(source as u32);
        self.distance[source] = 0;
        self.routes[source] = 1.0;
        // No chip is not reached: its distance is less than that of any hop.
        if let Some(nowhere) = self.distance.last_mut() {
            *nowhere = 0;
        }
        let mut done = 0;
        while let Some(&at) = self.order.get(done) {
            done += 1;
            let at = at as usize;
            let (hops, routes) = (self.distance[at] + 1, self.routes[at]);
            for &to in &self.next[at] {
                let to = to as usize;
                if self.distance[to] == FAR {
                    self.distance[to] = hops;
                    self.order.push(to as u32);
                }
                if self.distance[to] == hops {
                    self.routes[to] += routes;
                }
            }
        }
        self.spread();
    }

    /// From far to near: what comes to a chip or goes through it came over the hops that lead to it.
    fn spread(&mut self) {
        for &at in self.order.iter().rev() {
            let at = at as usize;
            let (hops, routes) = (self.distance[at] + 1, self.routes[at]);
            let mut through = 0.0;
            for (&to, load) in self.next[at].iter().zip(&mut self.load[at]) {
                let to = to as usize;
                if self.distance[to] == hops {
                    let share = routes * self.share[to];
                    through += share;
                    *load += share;
                }
            }
            self.share[at] = (1.0 + through) / routes;
        }
    }
}
