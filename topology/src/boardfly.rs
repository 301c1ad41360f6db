//! Boardfly, the network of tpu8i: trays of four chips, groups of eight trays, up to 36 groups.
//!
//! Known from Google's public description of April 2026: the chips of a tray form a ring; a tray has 16 links that leave
//! it; the eight trays of a group are all joined to one another by copper, over 11 of the 16; groups are joined through
//! optical switches; the diameter of a full system of 1,152 chips is 7. Which port goes where is not published. The map here is one
//! that keeps to all of that; figures that depend on it, such as mean distances, are those of this map.

use std::fmt;

use crate::graph::{FAR, N_DIRECTIONS, search_table};
use crate::measure::{Distances, table_distances};

/// Chips of a tray.
pub const TRAY_CHIPS: usize = 4;
/// Trays of a group.
pub const GROUP_TRAYS: usize = 8;
/// Groups of the largest system.
pub const MAX_GROUPS: usize = 36;

/// What its figures are based on, for people.
pub const BASIS: &str = "public description; the map of the ports is an assumption";

/// Position of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoardChip {
    /// The group.
    pub group: usize,
    /// The tray in its group, below 8.
    pub tray: usize,
    /// The chip in its tray, below 4.
    pub chip: usize,
}

impl fmt::Display for BoardChip {
    /// "group 3 tray 5 chip 1".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "group {} tray {} chip {}", self.group, self.tray, self.chip)
    }
}

/// Of what a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BoardLink {
    /// In the ring of a tray.
    Tray,
    /// Copper between trays of a group.
    Group,
    /// Through an optical switch between groups.
    Optical,
}

/// A system of some groups.
#[derive(Debug, Clone)]
pub struct Boardfly {
    n_groups: usize,
    next: Vec<[u32; N_DIRECTIONS]>,
    links: Vec<(BoardChip, BoardChip, BoardLink)>,
}

/// Copper of two trays t and u that is joined twice, by t xor u, and the chips of the second link.
const SECOND: [(usize, usize); 4] = [(7, 0), (3, 1), (5, 2), (6, 3)];

/// The chips of a tray that have its five optical ports.
const OPTICAL: [usize; 5] = [0, 1, 2, 3, 3];

impl Boardfly {
    /// A system of 1 to 36 groups of 32 chips; `None` for any other number.
    pub fn new(n_groups: usize) -> Option<Self> {
        if !(1..=MAX_GROUPS).contains(&n_groups) {
            return None;
        }
        let mut links = Vec::new();
        for group in 0..n_groups {
            add_group(group, &mut links);
            for other in group + 1..n_groups {
                links.push((optical_port(group, other), optical_port(other, group), BoardLink::Optical));
            }
        }
        let n = n_groups * GROUP_TRAYS * TRAY_CHIPS;
        let mut next = vec![[n as u32; N_DIRECTIONS]; n];
        for (a, b, _) in &links {
            for (from, to) in [(index(*a), index(*b)), (index(*b), index(*a))] {
                // By the map no chip has more than six links.
                let free = next[from].iter_mut().find(|slot| **slot == n as u32)?;
                *free = to as u32;
            }
        }
        Some(Self { n_groups, next, links })
    }

    /// Number of groups.
    pub const fn n_groups(&self) -> usize {
        self.n_groups
    }

    /// Number of chips.
    pub const fn n_chips(&self) -> usize {
        self.next.len()
    }

    /// All links, by group, each once.
    pub fn links(&self) -> &[(BoardChip, BoardChip, BoardLink)] {
        &self.links
    }

    /// The chips, by group, tray and place in the tray.
    pub fn chips(&self) -> impl Iterator<Item = BoardChip> {
        (0..self.n_chips()).map(chip_of)
    }

    /// The chips to which a chip's links lead, two in its tray first; none for a chip outside.
    pub fn neighbours(&self, chip: BoardChip) -> impl Iterator<Item = BoardChip> {
        let n = self.n_chips();
        let next = self.next.get(index(chip)).copied().unwrap_or([n as u32; N_DIRECTIONS]);
        next.into_iter().filter(move |to| (*to as usize) < n).map(|to| chip_of(to as usize))
    }

    /// Distances between all chips, by search.
    pub fn distances(&self) -> Distances {
        let starts: Vec<usize> = (0..self.n_chips()).collect();
        table_distances(&self.next, &starts)
    }

    /// Hops of a shortest route; `None` for a chip outside.
    pub fn distance(&self, from: BoardChip, to: BoardChip) -> Option<u32> {
        let mut distance = vec![FAR; self.n_chips()];
        let inside = |chip: BoardChip| chip.tray < GROUP_TRAYS && chip.chip < TRAY_CHIPS && chip.group < self.n_groups;
        if !inside(from) || !inside(to) {
            return None;
        }
        search_table(&self.next, index(from), &mut distance);
        distance.get(index(to)).copied()
    }
}

const fn index(chip: BoardChip) -> usize {
    (chip.group * GROUP_TRAYS + chip.tray) * TRAY_CHIPS + chip.chip
}

const fn chip_of(index: usize) -> BoardChip {
    let tray = index / TRAY_CHIPS;
    BoardChip { group: tray / GROUP_TRAYS, tray: tray % GROUP_TRAYS, chip: index % TRAY_CHIPS }
}

/// The rings of the trays of a group, and its copper: one link for each pair of trays, a second one for half of them.
fn add_group(group: usize, links: &mut Vec<(BoardChip, BoardChip, BoardLink)>) {
    for tray in 0..GROUP_TRAYS {
        let at = |tray, chip| BoardChip { group, tray, chip };
        links.extend((0..TRAY_CHIPS).map(|i| (at(tray, i), at(tray, (i + 1) % TRAY_CHIPS), BoardLink::Tray)));
        for other in tray + 1..GROUP_TRAYS {
            let apart = tray ^ other;
            let second = SECOND.into_iter().filter(|(pair, _)| *pair == apart).map(|(_, chip)| chip);
            let chips = std::iter::once((apart - 1) % TRAY_CHIPS).chain(second);
            links.extend(chips.map(|chip| (at(tray, chip), at(other, chip), BoardLink::Group)));
        }
    }
}

/// The port of a group for its fibre to another: a group added later moves no fibre.
const fn optical_port(group: usize, to: usize) -> BoardChip {
    let number = if to < group { to } else { to - 1 };
    BoardChip { group, tray: number % GROUP_TRAYS, chip: OPTICAL[number / GROUP_TRAYS] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_system_is_as_the_public_description_says() {
        let system = Boardfly::new(MAX_GROUPS).unwrap();
        assert_eq!(system.n_chips(), 1152);
        assert_eq!(system.distances().diameter(), 7);
        let of_kind = |kind| system.links().iter().filter(|link| link.2 == kind).count();
        assert_eq!(of_kind(BoardLink::Tray), 288 * 4);
        // 11 of the 16 links that leave a tray are copper.
        assert_eq!(2 * of_kind(BoardLink::Group), 288 * 11);
        assert_eq!(of_kind(BoardLink::Optical), 36 * 35 / 2);
    }

    #[test]
    fn no_chip_has_more_than_six_links_and_all_go_both_ways() {
        let system = Boardfly::new(MAX_GROUPS).unwrap();
        for chip in system.chips() {
            let neighbours: Vec<BoardChip> = system.neighbours(chip).collect();
            assert!((4..=6).contains(&neighbours.len()), "{chip}: {}", neighbours.len());
            assert!(neighbours.iter().all(|other| system.neighbours(*other).any(|back| back == chip)));
        }
    }

    #[test]
    fn systems_of_every_size_stay_within_seven_hops_and_trays_of_a_group_within_three() {
        for n_groups in 1..=MAX_GROUPS {
            let distances = Boardfly::new(n_groups).unwrap().distances();
            assert_eq!(distances.n_unreachable, 0);
            assert!(distances.diameter() <= 7, "{n_groups}: {}", distances.diameter());
        }
        assert_eq!(Boardfly::new(1).unwrap().distances().diameter(), 3);
        let system = Boardfly::new(32).unwrap();
        assert_eq!((system.n_chips(), system.distances().diameter()), (1024, 7), "the active part of a pod");
    }

    #[test]
    fn sizes_and_chips_outside_are_absent() {
        assert!(Boardfly::new(0).is_none() && Boardfly::new(37).is_none());
        let system = Boardfly::new(2).unwrap();
        let (a, b) = (BoardChip { group: 0, tray: 0, chip: 0 }, BoardChip { group: 0, tray: 0, chip: 2 });
        assert_eq!(system.distance(a, b), Some(2));
        assert_eq!(system.distance(a, BoardChip { group: 2, ..b }), None);
    }
}
