//! One fit a stage: pooling of neighbours (lee86: stage N uses the positions of
//! stages N-2 to N+2), and copying to stages without data.
//!
//! Stages follow one another, and each one's passes over its rows are shared
//! among threads: memory stays at one pool.

use crate::design::Design;
use crate::pool::{Pool, pooled};
use crate::reduce::{Projection, Reduction};
use crate::{Examples, LearnError};
use evalsmith_core::{Progress, Stage};
use serde::{Deserialize, Serialize};

/// Which positions a stage is fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StagePooling {
    /// Stages on either side whose positions are used too.
    pub radius: u8,
    /// A pool with fewer rows is not fitted.
    pub min_rows: usize,
    /// A pool with fewer games is not fitted.
    pub min_games: usize,
    /// Makes features fewer first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduce: Option<Reduction>,
}

impl Default for StagePooling {
    fn default() -> Self {
        Self { radius: 2, min_rows: 200, min_games: 20, reduce: None }
    }
}

/// A stage about to be fitted.
pub(crate) struct Pooled<'a> {
    pub(crate) stage: Stage,
    /// The first and last stage whose positions were gathered.
    pub(crate) span: (Stage, Stage),
    /// The original features.
    pub(crate) names: &'a [String],
    pub(crate) pool: &'a Pool<'a>,
    /// Where the pool holds components, how they were made of the features.
    pub(crate) projection: Option<&'a Projection>,
}

impl Pooled<'_> {
    /// The original terms that a design of this pool speaks of: zero for the
    /// intercept, one more than the feature for the others.
    pub(crate) fn terms(&self, design: &Design<'_>) -> Vec<usize> {
        self.projection.map_or_else(|| design.terms().to_vec(), Projection::terms)
    }

    /// The rows of a matrix that gives weights of the pool's `terms`, as one that
    /// gives weights of the original features.
    pub(crate) fn unfolded(&self, terms: &[usize], rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
        let Some(projection) = self.projection else { return rows };
        let combined = |weights: Vec<f64>| {
            let mut sum = vec![0.0; rows[0].len()];
            for (weight, row) in weights.iter().zip(&rows) {
                sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += weight * x);
            }
            sum
        };
        projection.unfold(terms).into_iter().map(combined).collect()
    }
}

/// Fits every stage that has data of its own, and in its pool enough of both
/// results for the `terms` a fit has; says of every other one what becomes of it.
///
/// # Errors
/// When the examples are faulty, no stage can be fitted, one of the fits fails,
/// or `progress` says to stop.
pub(crate) fn fit_stages<T>(
    name: &str,
    pooling: &StagePooling,
    stages: usize,
    terms: usize,
    examples: &Examples<'_>,
    progress: &dyn Progress,
    fit: impl FnMut(&Pooled<'_>) -> Result<T, LearnError>,
) -> Result<Vec<T>, LearnError> {
    examples.check(stages)?;
    progress.begin(name, stages as u64, "stages");
    let fits = fit_each(pooling, stages, terms, examples, progress, fit);
    progress.end();
    fits
}

fn fit_each<T>(
    pooling: &StagePooling,
    stages: usize,
    terms: usize,
    examples: &Examples<'_>,
    progress: &dyn Progress,
    mut fit: impl FnMut(&Pooled<'_>) -> Result<T, LearnError>,
) -> Result<Vec<T>, LearnError> {
    let terms = pooling.reduce.map_or(terms, |reduction| reduction.left(terms - 1) + 1);
    let min_rows = pooling.min_rows.max(terms + 1);
    let min_games = pooling.min_games.max(2);
    let mut own = vec![0_usize; stages];
    examples.stages.iter().for_each(|stage| own[stage.index()] += 1);

    let mut fits = Vec::new();
    let mut largest = (0, 0);
    let mut one_class = None;
    for stage in (0..stages).map(|stage| Stage(stage as u8)) {
        if progress.stopped() {
            return Err(LearnError::Stopped);
        }
        if own[stage.index()] > 0 {
            let span = pooled(stage, pooling.radius, stages);
            let pool = Pool::gather(examples, span);
            largest = largest.max((pool.rows(), pool.games()));
            let first = pool.points[0];
            if pool.rows() < min_rows || pool.games() < min_games {
                progress.note(&format!(
                    "stage {}: {} rows of {} games are too few, so it copies the nearest fit",
                    stage.0,
                    pool.rows(),
                    pool.games(),
                ));
            } else if pool.points.iter().all(|&y| y == first) && (first == 0.0 || first == 1.0) {
                one_class = one_class.max(Some((pool.rows(), u8::from(first > 0.5))));
                progress.note(&format!(
                    "stage {}: every result is {first}, so it copies the nearest fit",
                    stage.0,
                ));
            } else {
                let names = examples.features.names();
                let projection =
                    pooling.reduce.map(|how| Projection::fit(how, &pool)).transpose()?;
                let projection = projection.as_ref();
                let pool = match projection {
                    Some(projection) => projection.apply(pool),
                    None => pool,
                };
                fits.push(fit(&Pooled { stage, span, names, pool: &pool, projection })?);
            }
        }
        progress.advance(1);
    }
    if !fits.is_empty() {
        return Ok(fits);
    }
    let (rows, games) = largest;
    Err(one_class
        .map_or(LearnError::TooFew { rows, games, min_rows, min_games }, |(rows, points)| {
            LearnError::OneClass { rows, points: points.into() }
        }))
}
