//! Functions over the samples of a window.

use crate::promql::ast::Function;

/// Result of a function over samples in order of time, in the window that is open at `from` and ends at `to` (Unix
/// milliseconds); absent where the samples do not suffice.
pub(super) fn over(function: Function, samples: &[(i64, f64)], (from, to): (i64, i64)) -> Option<f64> {
    let last = samples.last()?.1;
    let n = samples.len() as f64;
    let values = || samples.iter().map(|(_, value)| *value);
    let pairs = || samples.windows(2).map(|pair| (pair[0].1, pair[1].1));
    let mean = || values().sum::<f64>() / n;
    match function {
        Function::Rate | Function::Increase | Function::Delta => extrapolated(function, samples, (from, to)),
        Function::Changes => Some(pairs().filter(|(a, b)| a != b && !(a.is_nan() && b.is_nan())).count() as f64),
        Function::Resets => Some(pairs().filter(|(a, b)| b < a).count() as f64),
        Function::AvgOverTime => Some(mean()),
        Function::SumOverTime => Some(values().sum()),
        Function::CountOverTime => Some(n),
        Function::LastOverTime => Some(last),
        Function::MinOverTime => values().reduce(f64::min),
        Function::MaxOverTime => values().reduce(f64::max),
        Function::StddevOverTime => {
            let mean = mean();
            Some((values().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt())
        }
        _ => None,
    }
}

/// Growth over the whole window from what its samples show, as Prometheus estimates it (`extrapolatedRate`): a gap at an end of
/// up to 1.1 mean distances is filled wholly, a longer one by half a distance, and a counter not below zero.
fn extrapolated(function: Function, samples: &[(i64, f64)], (from, to): (i64, i64)) -> Option<f64> {
    let ((first_at, first), (last_at, last)) = (*samples.first()?, *samples.last()?);
    if samples.len() < 2 || last_at == first_at {
        return None;
    }
    let is_counter = function != Function::Delta;
    let resets: f64 = samples.windows(2).filter(|pair| is_counter && pair[1].1 < pair[0].1).map(|pair| pair[0].1).sum();
    let growth = last - first + resets;
    let sampled = (last_at - first_at) as f64;
    let distance = sampled / (samples.len() - 1) as f64;
    let gap = |gap: f64| if gap >= distance * 1.1 { distance / 2.0 } else { gap };
    let mut to_start = gap((first_at - from) as f64);
    if is_counter && growth > 0.0 && first >= 0.0 {
        to_start = to_start.min(sampled * first / growth);
    }
    let whole = growth * (sampled + to_start + gap((to - last_at) as f64)) / sampled;
    Some(if function == Function::Rate { whole / ((to - from) as f64 / 1_000.0) } else { whole })
}
