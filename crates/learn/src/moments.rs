//! Class moments: what winners' and losers' positions look like (lee86, table
//! 3-1; the ground of the Bayesian and Fisher discriminants of buro95).
//!
//! A draw counts half in both classes; covariances are those of maximum
//! likelihood, divided by the weight of the class.

use crate::classes::{Class, Classes};
use crate::design::Design;
use crate::pool::{Pool, pooled};
use crate::{Examples, LearnError};
use evalsmith_core::Stage;
use serde::{Deserialize, Serialize};

/// The moments of both classes at a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// The stage.
    pub stage: Stage,
    /// The first and last stage whose positions were used.
    pub pooled: (Stage, Stage),
    /// The features' names.
    pub features: Vec<String>,
    /// Positions used.
    pub rows: usize,
    /// Games they come from.
    pub games: usize,
    /// Positions that the side to move wins.
    pub win: ClassMoments,
    /// Positions that it loses.
    pub loss: ClassMoments,
}

/// The moments of one class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassMoments {
    /// Positions of the class, a draw counting half.
    pub weight: f64,
    /// Mean of each feature.
    pub mean: Vec<f64>,
    /// Covariances, divided by the weight.
    pub covariance: Vec<Vec<f64>>,
    /// Correlations; zero with a feature that is constant in the class.
    pub correlation: Vec<Vec<f64>>,
}

/// The class moments at `stage` of a game of so many `stages`, pooled with
/// `radius` stages on either side.
///
/// # Errors
/// When the examples are faulty, or the pool lacks wins or losses.
pub fn moments(
    stage: Stage,
    radius: u8,
    stages: usize,
    examples: &Examples<'_>,
) -> Result<Moments, LearnError> {
    examples.check(stages)?;
    let span = pooled(stage, radius, stages);
    let pool = Pool::gather(examples, span);
    if pool.rows() == 0 {
        return Err(LearnError::Empty);
    }
    let points = pool.mean_points();
    if points == 0.0 || points == 1.0 {
        return Err(LearnError::OneClass { rows: pool.rows(), points });
    }
    Ok(of_pool(stage, span, examples.features.names(), &pool))
}

/// The class moments of a pool with both results.
pub(crate) fn of_pool(
    stage: Stage,
    span: (Stage, Stage),
    names: &[String],
    pool: &Pool<'_>,
) -> Moments {
    let design = Design::standardised(pool);
    let classes = Classes::of(&design);
    Moments {
        stage,
        pooled: span,
        features: names.to_vec(),
        rows: pool.rows(),
        games: pool.games(),
        win: class(&design, &classes.win),
        loss: class(&design, &classes.loss),
    }
}

/// A variance below this share of the variance of both classes together is what
/// rounding leaves of a constant.
const CONSTANT: f64 = 1e-12;

/// The moments of a class in the features' own units.
fn class(design: &Design<'_>, class: &Class) -> ClassMoments {
    let width = design.pool.columns.len();
    let mut mean: Vec<f64> = design.pool.columns.iter().map(|x| f64::from(x[0])).collect();
    let mut covariance = vec![vec![0.0; width]; width];
    let mut correlation = covariance.clone();
    let spread = |i: usize| Some(class.covariance.get(i, i)).filter(|&v| v > CONSTANT);
    for (i, column) in design.columns.iter().enumerate() {
        mean[column.index] = column.mean + column.deviation * class.mean[i];
        for (j, other) in design.columns.iter().enumerate() {
            let Some((a, b)) = spread(i).zip(spread(j)) else { continue };
            let shared = class.covariance.get(i, j);
            covariance[column.index][other.index] = shared * column.deviation * other.deviation;
            correlation[column.index][other.index] = (shared / (a * b).sqrt()).clamp(-1.0, 1.0);
        }
    }
    ClassMoments { weight: class.weight, mean, covariance, correlation }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Columns;
    use proptest::{collection::vec, prelude::*};

    type Row = (u8, u8, [i8; 3]);

    fn of(rows: &[Row], stage: u8, radius: u8) -> Result<Moments, LearnError> {
        let mut features = Columns::new(vec!["a".into(), "b".into(), "constant".into()]);
        for r in rows {
            features.push(&[f32::from(r.2[0]), 1000.0 + f32::from(r.2[1]), 4.0]);
        }
        let stages: Vec<_> = rows.iter().map(|r| Stage(r.0)).collect();
        let points: Vec<_> = rows.iter().map(|r| f32::from(r.1) / 2.0).collect();
        let games: Vec<_> = (0..rows.len() as u32).map(|i| i / 3).collect();
        let examples =
            Examples { features: &features, stages: &stages, points: &points, games: &games };
        moments(Stage(stage), radius, 8, &examples)
    }

    /// By the paper's own counting: a win twice as a win, a loss twice as a
    /// loss, a draw once as each.
    fn by_counting(rows: &[Row], wins: bool) -> (f64, Vec<f64>, Vec<Vec<f64>>) {
        let copies = |r: &Row| if wins { r.1 } else { 2 - r.1 };
        let x = |r: &Row| [f64::from(r.2[0]), 1000.0 + f64::from(r.2[1]), 4.0];
        let all: Vec<[f64; 3]> =
            rows.iter().flat_map(|r| std::iter::repeat_n(x(r), copies(r).into())).collect();
        let n = all.len() as f64;
        let mean: Vec<f64> = (0..3).map(|i| all.iter().map(|x| x[i]).sum::<f64>() / n).collect();
        let product = |i: usize, j: usize| {
            all.iter().map(|x| (x[i] - mean[i]) * (x[j] - mean[j])).sum::<f64>() / n
        };
        let covariance = (0..3).map(|i| (0..3).map(|j| product(i, j)).collect()).collect();
        (n / 2.0, mean, covariance)
    }

    proptest! {
        #[test]
        fn weights_are_the_papers_counting(
            rows in vec((0_u8..8, 0_u8..3, any::<[i8; 3]>()), 2..60), stage in 0_u8..8, radius in 0_u8..4,
        ) {
            let inside = |r: &&Row| r.0.abs_diff(stage) <= radius;
            let pool: Vec<Row> = rows.iter().filter(inside).copied().collect();
            let has = |points| pool.iter().any(|r| r.1 == points || r.1 == 1);
            let found = of(&rows, stage, radius);
            prop_assert_eq!(found.is_ok(), has(0) && has(2));
            if let Ok(found) = found {
                prop_assert_eq!(found.rows, pool.len());
                for (class, wins) in [(&found.win, true), (&found.loss, false)] {
                    let (weight, mean, covariance) = by_counting(&pool, wins);
                    prop_assert_eq!(class.weight, weight);
                    for i in 0..3 {
                        prop_assert!((class.mean[i] - mean[i]).abs() < 1e-9);
                        prop_assert!(class.correlation[i][2] == 0.0);
                        let pairs = class.covariance[i].iter().zip(&covariance[i]);
                        prop_assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-8));
                        prop_assert!(class.correlation[i].iter().all(|c| c.abs() <= 1.0 + 1e-12));
                    }
                }
            }
        }
    }

    #[test]
    fn a_line_correlates_fully() {
        let rows: Vec<Row> = (0..9).map(|i| (0, i as u8 % 3, [i, -2 * i, 0])).collect();
        let found = of(&rows, 0, 0).unwrap();
        assert!((found.win.correlation[0][1] + 1.0).abs() < 1e-12);
        assert_eq!((found.rows, found.games, found.pooled), (9, 3, (Stage(0), Stage(0))));
        assert!(matches!(of(&rows, 5, 1), Err(LearnError::Empty)));
    }
}
