//! When a job runs and when it pauses: starts, failures, checkpoints and input, as a function of time alone.
//!
//! A job lives in lives. Life i begins at a seeded moment near `i` times the mean time between failures of its chips;
//! it starts up (detection, rescheduling, compilation, restore), then repeats: steps, a short stall whenever the input
//! pipeline opens its next files, and a checkpoint after a number of such rounds.

use crate::seed::Stream;

/// When a job runs.
#[derive(Debug, Clone)]
pub(crate) struct Calendar {
    /// Mean time between failures of the whole slice.
    pub(crate) life_seconds: f64,
    /// From a failure to the first step.
    pub(crate) startup_seconds: f64,
    /// Steps between two openings of input files, as time.
    pub(crate) round_seconds: f64,
    /// Stall after each round.
    pub(crate) stall_seconds: f64,
    /// Rounds between checkpoints, at least 1.
    pub(crate) rounds: f64,
    /// Pause for a checkpoint.
    pub(crate) checkpoint_seconds: f64,
    /// Where the lives begin.
    pub(crate) seed: Stream,
}

impl Calendar {
    /// Share of the time from `from` to `to` in which steps run.
    pub(crate) fn running(&self, from: f64, to: f64) -> f64 {
        if to <= from {
            return 0.0;
        }
        let mut ran = 0.0;
        let mut life = self.life_at(from);
        loop {
            let (begin, end) = (self.begin(life), self.begin(life + 1));
            ran += self.ran(to.min(end) - begin) - self.ran(from.max(begin) - begin);
            if end >= to {
                return (ran / (to - from)).clamp(0.0, 1.0);
            }
            life += 1;
        }
    }

    /// Seconds of steps since the begin of the life that contains a moment, and the number of that life.
    pub(crate) fn progress(&self, at: f64) -> (i64, f64) {
        let life = self.life_at(at);
        (life, self.ran(at - self.begin(life)))
    }

    fn begin(&self, life: i64) -> f64 {
        (life as f64 + 0.8 * self.seed.unit(life as u64)) * self.life_seconds
    }

    fn life_at(&self, at: f64) -> i64 {
        let guess = libm::floor(at / self.life_seconds) as i64;
        if self.begin(guess) <= at { guess } else { guess - 1 }
    }

    /// Seconds of steps in the first `age` seconds of a life.
    fn ran(&self, age: f64) -> f64 {
        let age = age - self.startup_seconds;
        if age <= 0.0 {
            return 0.0;
        }
        let round = self.round_seconds + self.stall_seconds;
        let cycle = self.rounds * round + self.checkpoint_seconds;
        let cycles = libm::floor(age / cycle);
        let rest = age - cycles * cycle;
        let full = libm::floor(rest / round).min(self.rounds);
        let begun = if full < self.rounds { (rest - full * round).min(self.round_seconds) } else { 0.0 };
        (cycles * self.rounds + full) * self.round_seconds + begun
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn calendar() -> Calendar {
        Calendar {
            life_seconds: 10_000.0,
            startup_seconds: 300.0,
            round_seconds: 100.0,
            stall_seconds: 2.0,
            rounds: 4.0,
            checkpoint_seconds: 12.0,
            seed: Stream::new(3),
        }
    }

    /// A checkpoint is seen as twelve seconds without steps.
    #[test]
    fn pauses_are_where_they_belong() {
        let job = calendar();
        let first = job.begin(0) + 300.0;
        assert_eq!(job.running(first - 60.0, first), 0.0, "starting up");
        assert_eq!(job.running(first, first + 60.0), 1.0);
        assert!((job.running(first + 60.0, first + 120.0) - 58.0 / 60.0).abs() < 1e-9, "the input stalls");
        assert!((job.running(first + 406.0, first + 430.0) - 10.0 / 24.0).abs() < 1e-9, "stall, checkpoint");
        assert_eq!(job.progress(first + 250.0), (0, 246.0));
    }

    proptest! {
        /// Time adds up: a window is as long as its parts, whatever restarts it contains.
        #[test]
        fn windows_add_up(from in 0.0f64..1e6, first in 1.0f64..5e4, second in 1.0f64..5e4) {
            let job = calendar();
            let (middle, to) = (from + first, from + first + second);
            let parts = job.running(from, middle) * first + job.running(middle, to) * second;
            prop_assert!((parts - job.running(from, to) * (first + second)).abs() < 1e-6 * (first + second));
        }
    }
}
