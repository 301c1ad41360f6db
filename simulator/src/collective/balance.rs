//! How to share an array between orders of the axes so that no axis waits.

/// Shares of the orders, summing up to 1, for which the busiest axis has least to do; `loads[order][axis]` is what an
/// axis would have to do if an order had all.
///
/// This is a matrix game of at most three by three: some square part of the matrix has the solution, in which all its
/// axes are equally busy (Shapley and Snow, Annals of Mathematics Studies 24, 1950).
pub(crate) fn shares(loads: &[Vec<f64>]) -> Vec<f64> {
    let (orders, axes) = (loads.len(), loads.first().map_or(0, Vec::len));
    let mut best = vec![1.0 / orders.max(1) as f64; orders];
    let mut least = busiest(loads, &best);
    for rows in 1..1_u32 << orders {
        for columns in (1..1_u32 << axes).filter(|columns| columns.count_ones() == rows.count_ones()) {
            let Some(found) = level(loads, (rows, columns)) else { continue };
            let most = busiest(loads, &found);
            // Strictly better by more than rounding, so that the answer does not hang on the last bit.
            if most < least * (1.0 - 1e-12) {
                (best, least) = (found, most);
            }
        }
    }
    best
}

/// What the busiest axis has to do.
fn busiest(loads: &[Vec<f64>], shares: &[f64]) -> f64 {
    let axes = loads.first().map_or(0, Vec::len);
    let of = |axis: usize| loads.iter().zip(shares).map(|(row, share)| row[axis] * share).sum::<f64>();
    (0..axes).map(of).fold(0.0, f64::max)
}

/// Shares of some orders that make some axes equally busy, by Gaussian elimination; none where a share is negative.
fn level(loads: &[Vec<f64>], (rows, columns): (u32, u32)) -> Option<Vec<f64>> {
    let chosen = |bits: u32| (0..32_usize).filter(move |i| bits >> i & 1 == 1);
    let orders: Vec<usize> = chosen(rows).collect();
    let n = orders.len();
    // Unknowns: the shares and the common load. Equations: each axis, and the sum of the shares.
    let mut equations: Vec<Vec<f64>> = chosen(columns)
        .map(|axis| orders.iter().map(|order| loads[*order][axis]).chain([-1.0, 0.0]).collect())
        .collect();
    equations.push([vec![1.0; n], vec![0.0, 1.0]].concat());
    for i in 0..=n {
        let pivot = (i..=n).max_by(|a, b| equations[*a][i].abs().total_cmp(&equations[*b][i].abs()))?;
        equations.swap(i, pivot);
        let row = equations[i].clone();
        if row[i].abs() < 1e-12 {
            return None;
        }
        for (_, equation) in equations.iter_mut().enumerate().filter(|(other, _)| *other != i) {
            let times = equation[i] / row[i];
            equation.iter_mut().zip(&row).for_each(|(cell, pivot)| *cell -= times * pivot);
        }
    }
    let mut found = vec![0.0; loads.len()];
    for (i, order) in orders.iter().enumerate() {
        found[*order] = equations[i][n + 1] / equations[i][i];
    }
    found.iter().all(|share| *share >= 0.0).then_some(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two axes of 4 and 8: by hand, 17/42 of the array goes along x first.
    #[test]
    fn unequal_axes_share_so_that_both_are_equally_busy() {
        let found = shares(&[vec![3.0, 28.0], vec![24.0, 7.0]]);
        assert!((found[0] - 17.0 / 42.0).abs() < 1e-12, "{found:?}");
        assert_eq!(shares(&[vec![2.0]]), [1.0]);
    }

    proptest! {
        /// No other sharing of a fine grid is better than the one that is found.
        #[test]
        fn nothing_on_a_grid_is_better(cells in prop::collection::vec(0.01f64..10.0, 9)) {
            let loads: Vec<Vec<f64>> = cells.chunks(3).map(<[f64]>::to_vec).collect();
            let found = shares(&loads);
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let least = busiest(&loads, &found);
            for i in 0..=20_u32 {
                for j in 0..=20 - i {
                    let grid = [i, j, 20 - i - j].map(|part| f64::from(part) / 20.0);
                    prop_assert!(busiest(&loads, &grid) >= least * (1.0 - 1e-9));
                }
            }
        }
    }
}
