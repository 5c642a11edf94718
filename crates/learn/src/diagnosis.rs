//! What the features look like before any model: class means, correlations,
//! single-feature classification (lee86, figures 5-1 and 5-2), redundancy, and
//! whether the classes share a covariance (Box's M).

use crate::classes::{Class, Classes};
use crate::design::Design;
use crate::moments::{Moments, of_pool};
use crate::pool::Pool;
use crate::quality::{Measured, measured};
use crate::stages::{Pooled, StagePooling, fit_stages};
use crate::{Examples, LearnError};
use evalsmith_core::{Progress, Stage};
use evalsmith_stats::{chi_square, matrix::Symmetric};
use serde::{Deserialize, Serialize};

/// Above this inflation a feature adds little that the others do not say.
const REDUNDANT: f64 = 10.0;

/// The features of one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Means, covariances and correlations by class.
    pub moments: Moments,
    /// What is known of each feature.
    pub features: Vec<FeatureDiagnosis>,
    /// Whether the classes share a covariance; none where it is singular.
    pub box_m: Option<BoxM>,
}

/// One feature at one stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureDiagnosis {
    /// Its name.
    pub name: String,
    /// How often the feature alone names the winner: by the side of the middle
    /// between the class means on which it lies.
    pub classified: Measured,
    /// The distance of the class means in pooled standard deviations.
    pub distance: f64,
    /// How many times the other features enlarge the variance of its weight;
    /// none when they determine it.
    pub inflation: Option<f64>,
    /// Whether the other features nearly say what it says.
    pub redundant: bool,
}

/// Box's test of equal covariances. With many positions it always rejects, and
/// positions of one game are not independent: it is told for information.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoxM {
    /// The statistic with its small-sample factor.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub freedom: f64,
    /// The probability of so large a value if the covariances were equal.
    pub p: f64,
}

/// Diagnoses every stage with enough data, as a fit would pool them.
///
/// # Errors
/// When the examples are faulty, no stage has enough data of both results, or
/// `progress` says to stop.
pub fn diagnose(
    pooling: &StagePooling,
    stages: usize,
    examples: &Examples<'_>,
    progress: &dyn Progress,
) -> Result<Vec<Diagnosis>, LearnError> {
    let terms = examples.features.width() + 1;
    let pooling = &StagePooling { reduce: None, ..*pooling };
    fit_stages("diagnosis", pooling, stages, terms, examples, progress, |at| Ok(of_stage(at)))
}

fn of_stage(at: &Pooled<'_>) -> Diagnosis {
    let design = Design::standardised(at.pool);
    let classes = Classes::of(&design);
    let inflations = inflations(&design, &classes);
    let moments = of_pool(at.stage, at.span, at.names, at.pool);
    let feature = |(i, name): (usize, &String)| {
        let (win, loss) = (&moments.win, &moments.loss);
        let spread = f64::midpoint(win.covariance[i][i], loss.covariance[i][i]).sqrt();
        let apart = win.mean[i] - loss.mean[i];
        let distance = if spread > 0.0 { apart / spread } else { 0.0 };
        let middle = f64::midpoint(win.mean[i], loss.mean[i]);
        let classified = classified(at.pool, i, middle, apart.signum());
        let inflation = inflations[i];
        let redundant = inflation.is_none_or(|v| v > REDUNDANT);
        FeatureDiagnosis { name: name.clone(), classified, distance, inflation, redundant }
    };
    let features = at.names.iter().enumerate().map(feature).collect();
    Diagnosis { features, box_m: box_m(&classes), moments }
}

/// How often a feature beyond `middle` names the winner; on it, half.
fn classified(pool: &Pool<'_>, feature: usize, middle: f64, sign: f64) -> Measured {
    let order: Vec<usize> = (0..pool.rows()).collect();
    let runs: Vec<&[usize]> = pool.starts.windows(2).map(|w| &order[w[0]..w[1]]).collect();
    measured(pool.rows(), &runs, |row| {
        let side = sign * (f64::from(pool.columns[feature][row]) - middle);
        let y = f64::from(pool.points[row]);
        if side > 0.0 {
            y
        } else if side < 0.0 {
            1.0 - y
        } else {
            0.5
        }
    })
}

/// Variance inflation: the diagonal of the inverse correlation matrix. A feature
/// that follows from those before it has none.
fn inflations(design: &Design<'_>, classes: &Classes) -> Vec<Option<f64>> {
    let mut found = vec![None; design.pool.columns.len()];
    let mut gram = classes.products();
    gram.scale(1.0 / design.pool.rows() as f64);
    let inner: Vec<usize> = (1..gram.size()).collect();
    let correlation = gram.selected(&inner);
    let kept = correlation.independent(1e-10);
    if let Ok(factor) = correlation.selected(&kept).cholesky() {
        let inverse = factor.inverse();
        for (place, &i) in kept.iter().enumerate() {
            found[design.columns[i].index] = Some(inverse.get(place, place));
        }
    }
    found
}

fn box_m(classes: &Classes) -> Option<BoxM> {
    let kept = classes.pooled().independent(1e-10);
    let (win, loss) = (classes.win.selected(&kept), classes.loss.selected(&kept));
    let (n_win, n_loss) = (win.weight - 1.0, loss.weight - 1.0);
    if kept.is_empty() || n_win <= kept.len() as f64 || n_loss <= kept.len() as f64 {
        return None;
    }
    let unbiased = |class: &Class| {
        let mut covariance = class.covariance.clone();
        covariance.scale(class.weight / (class.weight - 1.0));
        covariance
    };
    let (s_win, s_loss) = (unbiased(&win), unbiased(&loss));
    let mut pooled = s_win.clone();
    pooled.scale(n_win / (n_win + n_loss));
    let mut other = s_loss.clone();
    other.scale(n_loss / (n_win + n_loss));
    pooled.add(&other);
    let log = |s: &Symmetric| Some(s.cholesky().ok()?.log_determinant());
    let m = (n_win + n_loss) * log(&pooled)? - n_win * log(&s_win)? - n_loss * log(&s_loss)?;
    let p = kept.len() as f64;
    let few = (1.0 / n_win + 1.0 / n_loss - 1.0 / (n_win + n_loss)) * (2.0 * p * p + 3.0 * p - 1.0)
        / (6.0 * (p + 1.0));
    let freedom = p * (p + 1.0) / 2.0;
    let statistic = (m * (1.0 - few)).max(0.0);
    Some(BoxM { statistic, freedom, p: chi_square::upper(statistic, freedom) })
}

impl Diagnosis {
    /// The stage.
    pub fn stage(&self) -> Stage {
        self.moments.stage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Columns, Quiet};
    use rand::RngExt;

    /// Three features, the third nearly the sum of the others, and one constant.
    fn diagnosed() -> Diagnosis {
        let mut random = evalsmith_core::rng::stream(3, "diagnosis", 0);
        let names = ["a", "b", "sum", "seven"].map(String::from).to_vec();
        let mut features = Columns::new(names);
        let mut points = Vec::new();
        for _ in 0..2000 {
            let won = random.random::<bool>();
            let mut noise = || random.random::<f32>() - 0.5;
            let shift = if won { 0.25 } else { -0.25 };
            let (a, b) = (noise() + shift, noise() * if won { 1.0 } else { 3.0 });
            features.push(&[a, b, a + b + 0.01 * noise(), 7.0]);
            points.push(f32::from(u8::from(won)));
        }
        let stages = vec![Stage(0); 2000];
        let games: Vec<u32> = (0..2000).collect();
        let examples =
            Examples { features: &features, stages: &stages, points: &points, games: &games };
        diagnose(&StagePooling::default(), 1, &examples, &Quiet).unwrap().remove(0)
    }

    #[test]
    fn what_was_put_in_is_found() {
        let found = diagnosed();
        let [a, b, sum, seven] = &found.features[..] else { panic!("four features") };
        // Uniform noise of width one, classes half a unit apart: three of four.
        assert!((a.classified.value - 0.75).abs() < 0.04, "{:?}", a.classified);
        assert!((a.distance - 0.5 * 12.0_f64.sqrt()).abs() < 0.1, "{}", a.distance);
        assert!((b.classified.value - 0.5).abs() < 0.04);
        assert!(sum.redundant && a.redundant && sum.inflation.unwrap() > 1000.0);
        assert_eq!((seven.inflation, seven.classified.value), (None, 0.5));
        assert!(found.box_m.unwrap().p < 1e-6, "b has nine times the variance in one class");
    }
}
