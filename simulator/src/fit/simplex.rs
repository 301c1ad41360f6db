//! Nelder and Mead's search for a minimum without derivatives.

/// Rounds of one descent.
const ROUNDS: usize = 160;
/// Descents, each from the best place of the one before: a simplex that has collapsed opens again.
const DESCENTS: usize = 3;
/// Side of the first simplex.
const SIDE: f64 = 0.12;

type Place<const N: usize> = [f64; N];

/// The best place found from a start, and the cost there.
pub(super) fn minimise<const N: usize>(cost: &impl Fn(Place<N>) -> f64, start: Place<N>) -> (Place<N>, f64) {
    let mut best = (start, cost(start));
    for _ in 0..DESCENTS {
        best = descend(cost, best);
    }
    best
}

fn descend<const N: usize>(cost: &impl Fn(Place<N>) -> f64, start: (Place<N>, f64)) -> (Place<N>, f64) {
    let mut corners = vec![start];
    for axis in 0..N {
        let mut place = start.0;
        place[axis] += if place[axis] > 0.5 { -SIDE } else { SIDE };
        corners.push((place, cost(place)));
    }
    for _ in 0..ROUNDS {
        corners.sort_by(|a, b| a.1.total_cmp(&b.1));
        step(cost, &mut corners);
    }
    corners.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(start)
}

/// Replaces the worst corner of a sorted simplex: reflected, stretched or drawn in; else all shrink to the best.
fn step<const N: usize>(cost: &impl Fn(Place<N>) -> f64, corners: &mut [(Place<N>, f64)]) {
    let (best, second, worst) = (corners[0], corners[N - 1].1, corners[N]);
    let mut centre = [0.0; N];
    for (place, _) in &corners[..N] {
        for (sum, x) in centre.iter_mut().zip(place) {
            *sum += x / N as f64;
        }
    }
    let along = |share: f64| {
        let place: Place<N> = std::array::from_fn(|i| centre[i] + share * (worst.0[i] - centre[i]));
        (place, cost(place))
    };
    let reflected = along(-1.0);
    if reflected.1 < best.1 {
        let stretched = along(-2.0);
        corners[N] = if stretched.1 < reflected.1 { stretched } else { reflected };
    } else if reflected.1 < second {
        corners[N] = reflected;
    } else {
        let drawn = if reflected.1 < worst.1 { along(-0.5) } else { along(0.5) };
        if drawn.1 < worst.1.min(reflected.1) {
            corners[N] = drawn;
            return;
        }
        for corner in &mut corners[1..] {
            corner.0 = std::array::from_fn(|i| best.0[i] + 0.5 * (corner.0[i] - best.0[i]));
            corner.1 = cost(corner.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's curved valley and a tilted bowl of absolute values, whose minima are known.
    #[test]
    fn finds_known_minima() {
        let valley = |[x, y]: [f64; 2]| (1.0 - x) * (1.0 - x) + 100.0 * (y - x * x) * (y - x * x);
        let (place, cost) = minimise(&valley, [-1.2, 1.0]);
        assert!(cost < 1e-9 && (place[0] - 1.0).abs() < 1e-4, "{place:?} {cost}");
        let bowl = |[x, y, z]: [f64; 3]| (x - 0.3).abs() + (y - x).abs() + 2.0 * (z - 0.7).abs();
        let (place, cost) = minimise(&bowl, [0.9, 0.1, 0.1]);
        assert!(cost < 1e-4, "{place:?} {cost}");
    }
}
