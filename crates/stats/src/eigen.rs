//! The principal axes of a symmetric matrix, by Jacobi's rotations.
//!
//! Rotations in a fixed order set one off-diagonal pair to zero after another;
//! a handful of sweeps leaves nothing but rounding. Slower than a tridiagonal
//! method by a small factor and accurate to the last digits, which is what
//! matrices of some dozen features want. Invariant: axes are orthonormal, in
//! falling order of their values, and the largest entry of each is positive, so
//! that equal matrices have equal axes.

use crate::matrix::Symmetric;

/// Sweeps after which nothing can be gained: convergence is quadratic.
const SWEEPS: usize = 60;

/// An axis that the matrix stretches and does not turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// By how much it is stretched: the variance along it, of a covariance.
    pub value: f64,
    /// Its direction, of length one.
    pub direction: Vec<f64>,
}

/// All axes, that of the largest value first.
///
/// ```
/// use evalsmith_stats::{eigen::axes, matrix::Symmetric};
/// let found = axes(&Symmetric::from_lower(2, vec![2.0, 1.0, 2.0]));
/// assert!((found[0].value - 3.0).abs() < 1e-12 && (found[1].value - 1.0).abs() < 1e-12);
/// assert!((found[0].direction[0] - found[0].direction[1]).abs() < 1e-12);
/// ```
pub fn axes(matrix: &Symmetric) -> Vec<Axis> {
    let n = matrix.size();
    let mut a = matrix.rows();
    // Row `i` becomes the direction of axis `i`.
    let mut directions = Symmetric::identity(n).rows();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                turned |= rotate(&mut a, &mut directions, p, q);
            }
        }
        if !turned {
            break;
        }
    }
    let mut axes: Vec<Axis> = directions
        .into_iter()
        .enumerate()
        .map(|(i, direction)| Axis { value: a[i][i], direction: upright(direction) })
        .collect();
    axes.sort_by(|x, y| y.value.total_cmp(&x.value));
    axes
}

/// Sets the entry of a pair to zero; says whether it was not small already.
fn rotate(a: &mut [Vec<f64>], directions: &mut [Vec<f64>], p: usize, q: usize) -> bool {
    let off = a[p][q];
    if off == 0.0 || off.abs() < f64::EPSILON * (a[p][p] * a[q][q]).abs().sqrt() {
        return false;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    for row in a.iter_mut() {
        (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
    }
    for matrix in [a, directions] {
        for k in 0..matrix[p].len() {
            let (x, y) = (matrix[p][k], matrix[q][k]);
            matrix[p][k] = cosine * x - sine * y;
            matrix[q][k] = sine * x + cosine * y;
        }
    }
    true
}

/// The direction or its opposite, so that its largest entry is positive.
fn upright(mut direction: Vec<f64>) -> Vec<f64> {
    let largest =
        direction.iter().copied().fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m });
    if largest < 0.0 {
        for x in &mut direction {
            *x = -*x;
        }
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    proptest! {
        #[test]
        fn axes_are_orthonormal_ordered_and_rebuild_the_matrix(
            (n, lower) in (1_usize..14).prop_flat_map(|n| (Just(n), vec(-9.0..9.0_f64, n * (n + 1) / 2))),
            rank in 0_usize..14,
        ) {
            let mut matrix = Symmetric::from_lower(n, lower.clone());
            if rank < n {
                // Some are singular: the sum of a few outer products.
                matrix = Symmetric::zeros(n);
                for k in 0..rank {
                    let x: Vec<f64> = (0..n).map(|i| lower[(i + k) % lower.len()]).collect();
                    matrix.add_outer(1.0, &x);
                }
            }
            let found = axes(&matrix);
            prop_assert!(found.windows(2).all(|w| w[0].value >= w[1].value));
            let scale = 1.0 + found.iter().map(|a| a.value.abs()).fold(0.0, f64::max);
            for (i, a) in found.iter().enumerate() {
                for (j, b) in found.iter().enumerate() {
                    let dot: f64 = a.direction.iter().zip(&b.direction).map(|(x, y)| x * y).sum();
                    prop_assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-12 * n as f64);
                }
                let stretched = matrix.multiply(&a.direction);
                for (x, y) in stretched.iter().zip(&a.direction) {
                    prop_assert!((x - a.value * y).abs() < 1e-11 * scale, "axis {i}");
                }
            }
        }
    }
}
