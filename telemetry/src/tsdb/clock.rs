//! How far a server's clock is from ours, from the `Date` of its replies.

/// Replies that are remembered.
const KEPT: usize = 8;

/// One reply: offset of the server's clock and half the time in which it can be wrong, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Estimate {
    offset_ms: i64,
    error_ms: i64,
}

/// Estimates the offset of a server's clock; the reply with the shortest way counts (as in D. Mills, RFC 5905, section 10).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClockOffset {
    estimates: Vec<Estimate>,
}

impl ClockOffset {
    /// From here on an offset is worth showing, in milliseconds; Prometheus warns at the same.
    pub const NOTABLE_MS: i64 = 30_000;

    /// Takes a reply: when it was asked and came by our clock, in Unix milliseconds, and its `Date`, which counts whole
    /// seconds.
    pub fn observe(&mut self, sent_ms: i64, received_ms: i64, date_s: i64) {
        let way = received_ms.saturating_sub(sent_ms).max(0);
        let middle = sent_ms.saturating_add(way / 2);
        let offset_ms = date_s.saturating_mul(1_000).saturating_add(500).saturating_sub(middle);
        if self.estimates.len() >= KEPT {
            self.estimates.remove(0);
        }
        self.estimates.push(Estimate { offset_ms, error_ms: way / 2 + 500 });
    }

    /// Server's clock less ours, and by how much that can be wrong, in milliseconds; absent before the first reply.
    pub fn offset_ms(&self) -> Option<(i64, i64)> {
        self.estimates.iter().min_by_key(|e| e.error_ms).map(|best| (best.offset_ms, best.error_ms))
    }

    /// The server's time at a moment of our clock; our time before the first reply.
    pub fn server_ms(&self, now_ms: i64) -> i64 {
        now_ms.saturating_add(self.offset_ms().map_or(0, |(offset, _)| offset))
    }

    /// Whether people should see it.
    pub fn is_notable(&self) -> bool {
        self.offset_ms().is_some_and(|(offset, error)| offset.abs() > Self::NOTABLE_MS + error)
    }
}
