//! Simple truths about the board: how full columns are, how old cards are, how long work takes.

use jiff::civil::Date;

use crate::roadmap::{Item, Roadmap, Stage, days_between};

/// One column and how full it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Cards in it.
    pub n_cards: usize,
    /// Most that it should hold; absent for no limit.
    pub limit: Option<u32>,
}

impl Load {
    /// Whether it holds more than it should.
    pub fn is_over(self) -> bool {
        self.limit.is_some_and(|limit| self.n_cards > limit as usize)
    }

    /// Whether it is just full.
    pub fn is_at_limit(self) -> bool {
        self.limit.is_some_and(|limit| self.n_cards == limit as usize)
    }
}

/// How full each column is, in the order of the board.
pub fn loads(roadmap: &Roadmap) -> Vec<Load> {
    let load = |column: &crate::roadmap::Column| Load {
        n_cards: roadmap.cards(&column.name).count(),
        limit: column.wip_limit,
    };
    roadmap.columns.iter().map(load).collect()
}

/// Days since a card entered its column; absent where that day is not known or lies ahead.
pub fn age_days(item: &Item, today: Date) -> Option<u32> {
    u32::try_from(days_between(item.entered?, today)).ok()
}

/// Days from the start of work to its end, at least 0; absent for open work or unknown days.
pub fn cycle_days(item: &Item) -> Option<u32> {
    u32::try_from(days_between(item.started?, item.closed?)).ok()
}

/// Cards in work (columns of stage [`Stage::Active`]) with their ages, oldest first; unknown ages last.
pub fn work_in_progress(roadmap: &Roadmap, today: Date) -> Vec<(&Item, Option<u32>)> {
    let active = roadmap.columns.iter().filter(|column| column.stage == Stage::Active);
    let cards = active.flat_map(|column| roadmap.cards(&column.name));
    let mut aged: Vec<(&Item, Option<u32>)> = cards.map(|item| (item, age_days(item, today))).collect();
    aged.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.id.cmp(&b.0.id)));
    aged
}

/// Items closed in each of the last `weeks` weeks of seven days, the last of which ends today; oldest first.
pub fn throughput(roadmap: &Roadmap, today: Date, weeks: usize) -> Vec<usize> {
    let mut counts = vec![0; weeks];
    for closed in roadmap.items.iter().filter_map(|item| item.closed) {
        let ago = usize::try_from(days_between(closed, today)).map(|days| days / 7);
        if let Ok(ago) = ago
            && ago < weeks
        {
            counts[weeks - 1 - ago] += 1;
        }
    }
    counts
}

/// Share of gates passed on or before their baseline, of all passed gates that have one; absent if there is none.
pub fn gates_on_time(roadmap: &Roadmap) -> Option<f64> {
    let passed = roadmap.gates.iter().filter_map(|gate| Some((gate.baseline?, gate.passed?)));
    let (mut n_passed, mut on_time) = (0_u32, 0_u32);
    for (baseline, passed) in passed {
        n_passed += 1;
        on_time += u32::from(passed <= baseline);
    }
    (n_passed > 0).then(|| f64::from(on_time) / f64::from(n_passed))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;
    use crate::sample;

    /// The numbers that the sample's board is drawn with: 33 known cards, 8 more in the backlog, two columns of interest.
    #[test]
    fn the_sample_board_counts_as_drawn() {
        let roadmap = sample().roadmap;
        let today = date(2026, 11, 30);
        let loads = loads(&roadmap);
        assert_eq!(loads.iter().map(|load| load.n_cards).collect::<Vec<_>>(), [14, 4, 5, 4, 6]);
        assert_eq!(loads.iter().map(|load| load.is_over()).collect::<Vec<_>>(), [false, false, false, true, false]);
        assert!(loads[2].is_at_limit());
        let ages: Vec<_> = work_in_progress(&roadmap, today).into_iter().map(|(_, age)| age.unwrap()).collect();
        assert_eq!(ages, [70, 51, 49, 35, 28, 26, 18, 12, 9]);
        let cards = |column| roadmap.cards(column).map(|item| item.id.0.clone()).collect::<Vec<_>>();
        assert_eq!(cards("In progress"), ["KES-12", "KES-13", "KES-17", "KES-21", "KES-24"]);
        assert_eq!(cards("Ready"), ["KES-33", "KES-36", "KES-38", "KES-40"]);
        let cycles: Vec<_> = roadmap.cards("Done").map(|item| cycle_days(item).unwrap()).collect();
        assert_eq!(cycles, [18, 22, 7, 9, 6, 5]);
        assert_eq!(throughput(&roadmap, today, 2), [1, 3]);
        assert_eq!(gates_on_time(&roadmap), Some(1.0 / 3.0));
    }
}
