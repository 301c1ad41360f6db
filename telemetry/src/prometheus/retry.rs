//! When to ask again.

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Retry {
    /// Ask again after so many seconds.
    After(f64),
    /// The answer will not change: tell it.
    Never,
    /// Enough was tried: keep the last good data with their age, and ask again at the next usual time.
    GiveUp,
}

/// Failures after which one asks again: 1, 2 and 4 s later, each up to a quarter longer by `jitter` from 0 to 1, so that
/// many windows do not ask in step.
///
/// `http_status` is absent where no reply came. `failures` counts failures in a row, this one included. 400, 401, 403,
/// 404 and 422 are the fault of the question and are not asked again; 429 and 5xx are.
pub fn retry(http_status: Option<u16>, failures: u32, jitter: f64) -> Retry {
    let may_pass = matches!(http_status, None | Some(408 | 429 | 500 | 502 | 503 | 504));
    match failures {
        _ if !may_pass => Retry::Never,
        0..=3 => Retry::After(f64::from(1_u32 << failures.saturating_sub(1)) * (1.0 + 0.25 * jitter.clamp(0.0, 1.0))),
        _ => Retry::GiveUp,
    }
}
