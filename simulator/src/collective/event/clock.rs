//! Links with queues, and what happens when.

use std::collections::BTreeMap;

use super::super::wires::Wires;
use super::TICKS_PER_SECOND;

/// When each wire is free again, and what it has carried.
///
/// A queue needs no list: chunks come in the order of time, so that what has to be known of those before is only when the
/// last of them will have left.
pub(crate) struct Clock {
    now: u64,
    hop: u64,
    /// Picoseconds of a byte, by wire.
    byte_ticks: Vec<f64>,
    free_at: Vec<u64>,
    bytes: Vec<f64>,
    n_events: u64,
    longest: u32,
}

impl Clock {
    pub(crate) fn new(wires: &Wires, bytes_per_s: f64, hop: u64) -> Self {
        let n = wires.n_wires();
        let byte_ticks = (0..n as u32).map(|wire| TICKS_PER_SECOND / (bytes_per_s * wires.share(wire))).collect();
        Self { now: 0, hop, byte_ticks, free_at: vec![0; n], bytes: vec![0.0; n], n_events: 0, longest: 0 }
    }

    /// Puts a chunk into the queue of a wire; gives when it will be at the other end.
    pub(crate) fn send(&mut self, wire: u32, bytes: f64) -> u64 {
        let wire = wire as usize;
        let start = self.free_at[wire].max(self.now);
        let end = start + (bytes * self.byte_ticks[wire]).round() as u64;
        self.free_at[wire] = end;
        self.bytes[wire] += bytes;
        self.n_events += 1;
        end + self.hop
    }

    pub(crate) const fn go_to(&mut self, tick: u64) {
        self.now = tick;
    }

    pub(crate) const fn now(&self) -> u64 {
        self.now
    }

    /// When a wire is free again.
    pub(crate) fn free_at(&self, wire: u32) -> u64 {
        self.free_at[wire as usize]
    }

    /// Bytes over each wire so far.
    pub(crate) fn bytes(&self) -> &[f64] {
        &self.bytes
    }

    pub(crate) const fn n_events(&self) -> u64 {
        self.n_events
    }

    /// Notes the hops of a way.
    pub(crate) fn went(&mut self, hops: u32) {
        self.longest = self.longest.max(hops);
    }

    pub(crate) const fn longest(&self) -> u32 {
        self.longest
    }
}

/// What will arrive, by time; things of one time come out by their own order.
pub(crate) struct Agenda<T> {
    by_tick: BTreeMap<u64, Vec<T>>,
}

impl<T: Ord> Agenda<T> {
    pub(crate) const fn new() -> Self {
        Self { by_tick: BTreeMap::new() }
    }

    pub(crate) fn add(&mut self, tick: u64, thing: T) {
        self.by_tick.entry(tick).or_default().push(thing);
    }

    /// All things of the next time.
    pub(crate) fn next(&mut self) -> Option<(u64, Vec<T>)> {
        let (tick, mut things) = self.by_tick.pop_first()?;
        things.sort_unstable();
        Some((tick, things))
    }
}
