//! The weights of one stage by the paper's own method (buro98 section 4): plain
//! gradient, each weight's step divided by how often it is active, with momentum.
//!
//! It minimises what [conjugate gradients](super::conjugate) do, and is there to be
//! compared with them. As at most so many weights as are active at once pull at a row
//! together, that many-th part of every step cannot overshoot.

use super::conjugate::{Prior, SparseFit, SparseIteration, SparseParams, Sums};
use super::kernel::{added, diagonal};
use super::{Link, SparseRows};

/// Fits as [`fit_sparse`](super::fit_sparse) does, with this share of the last step
/// carried on into the next.
pub(super) fn descend(
    train: &[&SparseRows],
    holdout: &SparseRows,
    Prior { weights: prior, fixed }: Prior<'_>,
    params: &SparseParams,
    momentum: f64,
    keep_on: &mut dyn FnMut(&SparseIteration) -> bool,
) -> SparseFit {
    let unseen = [holdout];
    let mut seen = Sums::new(train, prior, params.link);
    let mut unseen = Sums::new(&unseen, prior, params.link);
    let counts = diagonal(train, prior.len());
    let mut weights: Vec<f64> = prior.iter().map(|&w| f64::from(w)).collect();
    let begun = SparseIteration { train: seen.error(), holdout: unseen.error_if_any() };
    let mut fit = SparseFit::begin(prior, &counts, begun);
    let rows: usize = train.iter().map(|rows| rows.len()).sum();
    if rows == 0 {
        return fit;
    }
    let active = (counts.iter().sum::<f64>() / rows as f64).max(1.0);
    let mut step = vec![0.0; weights.len()];
    while fit.trace.len() <= params.iterations {
        let (slopes, mut answers) = seen.linearised();
        let scale = match (params.link, &slopes) {
            (Link::Identity, _) | (_, None) => 1.0,
            (_, Some(slopes)) => {
                slopes.iter().map(|&s| f64::from(s * s)).sum::<f64>() / rows as f64
            }
        };
        let gradient = added(train, prior.len(), &mut answers);
        for (i, step) in step.iter_mut().enumerate() {
            let pull = gradient[i] + params.ridge * (f64::from(prior[i]) - weights[i]);
            let own = (scale * counts[i] + params.ridge).max(f64::MIN_POSITIVE);
            *step = momentum * *step + pull / (active * own);
        }
        for &i in fixed {
            step[i as usize] = 0.0;
        }
        for (weight, step) in weights.iter_mut().zip(&step) {
            *weight += step;
        }
        let single: Vec<f32> = step.iter().map(|&s| s as f32).collect();
        seen.go_along(&single, 1.0);
        unseen.go_along(&single, 1.0);
        let reached = SparseIteration { train: seen.error(), holdout: unseen.error_if_any() };
        if !fit.adopt(reached, &weights, params.patience) || !keep_on(&reached) {
            break;
        }
    }
    fit
}
