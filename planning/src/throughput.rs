//! Forecasts from how much was finished in past periods, for work that nobody estimated.
//!
//! The next periods are drawn independently from the past ones (Vacanti, Actionable Agile Metrics, 2015). The answer is
//! exact, by convolution, where that is quick, and seeded Monte Carlo of [`RUNS`] runs beyond. It asks for at least ten
//! periods of a stable process and knows nothing of work that is yet to be discovered.

use simulator::seed::Stream;

/// Runs of the simulation.
pub const RUNS: u32 = 10_000;

/// Longest forecast, in periods.
pub const MAX_PERIODS: usize = 1_000;

/// Most elementary steps of the exact answer.
const MAX_STEPS: usize = 50_000_000;

/// Shares of done after each period.
#[derive(Debug, Clone, PartialEq)]
pub struct When {
    /// Probability that all is done after 1, 2, 3 … periods, ascending.
    pub done: Vec<f64>,
    /// Whether it was computed, not simulated.
    pub is_exact: bool,
}

impl When {
    /// The first number of periods after which all is done with at least that probability; `None` if it is not
    /// reached in [`MAX_PERIODS`].
    pub fn periods(&self, share: f64) -> Option<usize> {
        self.done.iter().position(|done| *done >= share - 1e-12).map(|i| i + 1)
    }

    /// Probability that all is done after so many periods.
    pub fn share_within(&self, periods: usize) -> f64 {
        let last = self.done.last().copied().unwrap_or(1.0);
        periods.checked_sub(1).map_or(0.0, |i| self.done.get(i).copied().unwrap_or(last))
    }
}

/// When `remaining` items are done, given how many were finished in each past period; `None` if none ever was.
pub fn when(history: &[u32], remaining: u32, seed: u64) -> Option<When> {
    if history.iter().all(|n| *n == 0) {
        return None;
    }
    if remaining == 0 {
        return Some(When { done: vec![1.0], is_exact: true });
    }
    let mean = history.iter().map(|n| f64::from(*n)).sum::<f64>() / history.len() as f64;
    let expected_periods = (f64::from(remaining) / mean) as usize + 30;
    let steps = (remaining as usize).saturating_mul(history.len()).saturating_mul(expected_periods);
    if steps <= MAX_STEPS { Some(exactly(history, remaining)) } else { Some(simulated(history, remaining, seed)) }
}

fn exactly(history: &[u32], remaining: u32) -> When {
    let goal = remaining as usize;
    let share = 1.0 / history.len() as f64;
    let mut chances = vec![0.0; goal + 1];
    chances[0] = 1.0;
    let mut done = Vec::new();
    while done.last().is_none_or(|done| *done < 1.0 - 1e-9) && done.len() < MAX_PERIODS {
        let mut next = vec![0.0; goal + 1];
        for (sum, chance) in chances.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
            for n in history {
                next[(sum + *n as usize).min(goal)] += chance * share;
            }
        }
        chances = next;
        done.push(chances[goal]);
    }
    When { done, is_exact: true }
}

/// The same by drawing, for numbers too large to be computed: [`RUNS`] runs, run `i` from its own stream of the seed.
pub fn simulated(history: &[u32], remaining: u32, seed: u64) -> When {
    let mut ended = vec![0_u32; MAX_PERIODS];
    for run in 0..u64::from(RUNS) {
        let stream = Stream::new(seed).child(run);
        let mut sum = 0_u64;
        for (period, ended) in ended.iter_mut().enumerate() {
            let drawn = stream.below(period as u64, history.len() as u64) as usize;
            sum += u64::from(history.get(drawn).copied().unwrap_or(0));
            if sum >= u64::from(remaining) {
                *ended += 1;
                break;
            }
        }
    }
    let mut total = 0;
    let mut done = Vec::new();
    for ended in ended {
        total += ended;
        done.push(f64::from(total) / f64::from(RUNS));
        if total == RUNS {
            break;
        }
    }
    When { done, is_exact: false }
}

/// The number of items that are done after `periods` with at least that probability; `None` without a history.
pub fn how_many(history: &[u32], periods: u32, share: f64) -> Option<u32> {
    let most = *history.iter().max()? as usize;
    let size = most.checked_mul(periods as usize)?.checked_add(1)?;
    if size.saturating_mul(history.len()).saturating_mul(periods as usize) > MAX_STEPS {
        return None;
    }
    let mut chances = vec![0.0; size];
    chances[0] = 1.0;
    for _ in 0..periods {
        let mut next = vec![0.0; size];
        for (sum, chance) in chances.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
            for n in history {
                next[sum + *n as usize] += chance / history.len() as f64;
            }
        }
        chances = next;
    }
    let mut tail = 0.0;
    for (sum, chance) in chances.iter().enumerate().rev() {
        tail += chance;
        if tail >= share - 1e-12 {
            return Some(sum as u32);
        }
    }
    Some(0)
}
