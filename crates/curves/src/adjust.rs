//! New weights for an old function (takeuchi07): e' = e + Σ w f, with the win
//! probability 1 / (1 + exp(-w0 e')).
//!
//! The fit is linear in w0 and the products w0 w, without an intercept, since a
//! value of zero means even chances; MLM and LS are the two aims of `newton`.
//! Errors of the w are those of the quotients (delta method). A progress-weighted
//! form is a feature like any other: `progress * attackers`. Invariant: rows of a
//! game stand together, and draws are left out or count half, as told.

use crate::newton::{self, Aim, Rows};
use crate::{CurveError, Draws};
use evalsmith_stats::normal;
use serde::{Deserialize, Serialize};

/// What the weights are best by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// The likelihood of the results (the paper's MLM).
    Mlm,
    /// The squared distances of results and probabilities (the paper's LS).
    Ls,
}

impl Method {
    /// The paper's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mlm => "MLM",
            Self::Ls => "LS",
        }
    }
}

/// Positions by column, the rows of a game together.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    /// What the old function says.
    pub values: Vec<f64>,
    /// The points the first player won: 1, ½ or 0.
    pub points: Vec<f64>,
    /// The number of the game.
    pub games: Vec<u32>,
    /// The features, in the order of their names.
    pub features: Vec<Vec<f64>>,
    /// Rows left out because something is not finite.
    pub not_finite: u64,
    /// Drawn rows left out.
    pub draws_left_out: u64,
    last_game: Option<u64>,
}

impl Positions {
    /// None yet, of so many features.
    pub fn new(features: usize) -> Self {
        Self { features: vec![Vec::new(); features], ..Self::default() }
    }

    /// Adds a row where it counts; `game` is any number that names the game.
    ///
    /// # Panics
    /// When there is not one number per feature.
    pub fn push(&mut self, value: f64, half_points: u8, game: u64, row: &[f64], draws: Draws) {
        assert_eq!(row.len(), self.features.len(), "one number per feature");
        if !value.is_finite() || row.iter().any(|x| !x.is_finite()) {
            self.not_finite += 1;
            return;
        }
        if half_points == 1 && draws == Draws::LeftOut {
            self.draws_left_out += 1;
            return;
        }
        let known = self.games.last().copied();
        let same = self.last_game == Some(game);
        self.games.push(known.map_or(0, |last| if same { last } else { last + 1 }));
        self.last_game = Some(game);
        self.values.push(value);
        self.points.push(f64::from(half_points) / 2.0);
        self.features.iter_mut().zip(row).for_each(|(column, x)| column.push(*x));
    }

    /// Rows that count.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no row counts.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// A weight with what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weight {
    /// The feature.
    pub feature: String,
    /// What e' adds per unit of it, in units of the value.
    pub weight: f64,
    /// Its standard error, clustered by game.
    pub error: f64,
    /// The lower limit of its 95 % interval.
    pub low: f64,
    /// The upper limit of its 95 % interval.
    pub high: f64,
    /// The probability of so large a weight if the feature is worth nothing.
    pub p_value: f64,
}

/// An adjusted function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adjustment {
    /// What it is best by.
    pub method: Method,
    /// w0: log-odds per unit of value.
    pub scale: f64,
    /// Its standard error, clustered by game.
    pub scale_error: f64,
    /// The new weights.
    pub weights: Vec<Weight>,
    /// Rows that count.
    pub positions: u64,
    /// Games that count.
    pub games: u64,
    /// Log-likelihood a position without the new features, at the best scale.
    pub log_likelihood_before: f64,
    /// Log-likelihood a position with them.
    pub log_likelihood_after: f64,
    /// Mean squared error without the new features, at the best scale.
    pub squares_before: f64,
    /// Mean squared error with them.
    pub squares_after: f64,
    /// Newton steps.
    pub iterations: u32,
}

impl Adjustment {
    /// The adjusted value of a row.
    pub fn value(&self, old: f64, features: impl IntoIterator<Item = f64>) -> f64 {
        self.weights.iter().zip(features).fold(old, |sum, (w, f)| sum + w.weight * f)
    }
}

/// Fits the weights of the features called `names`.
///
/// # Errors
/// When a feature is constant zero or redundant, results do not grow with the
/// values, or no weights are best.
pub fn adjust(
    positions: &Positions,
    names: &[String],
    method: Method,
) -> Result<Adjustment, CurveError> {
    let aim = match method {
        Method::Mlm => Aim::Likelihood,
        Method::Ls => Aim::Squares,
    };
    let rows = |columns| Rows {
        columns,
        points: &positions.points,
        counts: None,
        clusters: &positions.games,
    };
    let named = |error| match error {
        CurveError::Redundant { column } if column > 0 => {
            CurveError::RedundantFeature { feature: names[column - 1].clone() }
        }
        other => other,
    };
    let mut columns: Vec<&[f64]> = vec![&positions.values];
    let before = newton::fit(&rows(columns.clone()), aim, None)?;
    columns.extend(positions.features.iter().map(|f| &f[..]));
    let start: Vec<f64> = before.weights.iter().copied().chain(names.iter().map(|_| 0.0)).collect();
    let after = newton::fit(&rows(columns), aim, Some(&start)).map_err(named)?;
    let scale = after.weights[0];
    if scale.is_nan() || scale <= 0.0 {
        return Err(CurveError::Contrary { scale });
    }
    let weight = |(i, name): (usize, &String)| {
        let weight = after.weights[i + 1] / scale;
        let c = |a, b| after.clustered.get(a, b);
        let variance = c(i + 1, i + 1) - 2.0 * weight * c(i + 1, 0) + weight * weight * c(0, 0);
        let error = variance.max(0.0).sqrt() / scale;
        let half = normal::Z95 * error;
        Weight {
            feature: name.clone(),
            weight,
            error,
            low: weight - half,
            high: weight + half,
            p_value: normal::two_sided(weight / error),
        }
    };
    let count = positions.len() as f64;
    Ok(Adjustment {
        method,
        scale,
        scale_error: after.clustered.get(0, 0).max(0.0).sqrt(),
        weights: names.iter().enumerate().map(weight).collect(),
        positions: positions.len() as u64,
        games: positions.games.last().map_or(0, |&last| u64::from(last) + 1),
        log_likelihood_before: before.log_likelihood / count,
        log_likelihood_after: after.log_likelihood / count,
        squares_before: before.squares / count,
        squares_after: after.squares / count,
        iterations: before.iterations + after.iterations,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of `bench/peers/adjustment.py`, which made the reference.
    fn positions() -> Positions {
        let mut state = 2007_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let mut positions = Positions::new(3);
        for game in 0..400 {
            let luck = 2.0 * uniform() - 1.0;
            let mut rows = Vec::new();
            let mut sum = 0.0;
            for _ in 0..5 {
                let value = 400.0 * (uniform() + luck) - 200.0;
                let row = [
                    uniform() - 0.5,
                    f64::from(u8::from(uniform() < 0.3)),
                    100.0 * uniform() - 50.0,
                ];
                sum += 0.006 * (value + 60.0 * row[0] + 40.0 * row[1] - 0.5 * row[2]);
                rows.push((value, row));
            }
            let won = uniform() < 1.0 / (1.0 + (-sum / 5.0_f64).exp());
            for (value, row) in rows {
                positions.push(value, 2 * u8::from(won), game, &row, Draws::LeftOut);
            }
        }
        positions
    }

    /// scipy 1.14.1, `optimize.minimize` of the same objectives; see
    /// `bench/peers/adjustment.py`.
    #[test]
    fn both_methods_agree_with_scipy() {
        let names = ["a", "b", "c"].map(String::from);
        for (method, expected) in [
            (Method::Mlm, include_str!("adjust/scipy_mlm.json")),
            (Method::Ls, include_str!("adjust/scipy_ls.json")),
        ] {
            let expected: Vec<f64> = serde_json::from_str(expected).expect("numbers");
            let found = adjust(&positions(), &names, method).expect("a fit");
            let mut numbers = vec![found.scale, found.scale_error];
            numbers.extend(found.weights.iter().flat_map(|w| [w.weight, w.error]));
            for (ours, theirs) in numbers.iter().zip(expected) {
                assert!((ours / theirs - 1.0).abs() < 1e-6, "{method:?}: {ours} is not {theirs}");
            }
        }
    }

    #[test]
    fn useless_and_contrary_columns_are_named() {
        let mut positions = positions();
        let names = ["a", "b", "c"].map(String::from);
        positions.features[1] = positions.features[0].iter().map(|x| 2.0 * x).collect();
        let error = adjust(&positions, &names, Method::Mlm).expect_err("b is a");
        assert_eq!(error, CurveError::RedundantFeature { feature: "b".into() });
        positions.features[1] = positions.values.iter().map(|v| v.abs()).collect();
        positions.values.iter_mut().for_each(|v| *v = -*v);
        let error = adjust(&positions, &names, Method::Mlm).expect_err("turned round");
        assert!(matches!(error, CurveError::Contrary { .. }), "{error}");
    }

    #[test]
    fn rows_that_do_not_count_are_left_out() {
        let mut positions = Positions::new(1);
        positions.push(1.0, 2, 7, &[0.0], Draws::LeftOut);
        positions.push(1.0, 1, 7, &[0.0], Draws::LeftOut);
        positions.push(f64::NAN, 2, 7, &[0.0], Draws::LeftOut);
        positions.push(1.0, 2, 7, &[f64::INFINITY], Draws::LeftOut);
        positions.push(1.0, 1, 8, &[2.0], Draws::Half);
        assert_eq!((positions.len(), positions.not_finite, positions.draws_left_out), (2, 2, 1));
        assert_eq!((&positions.games[..], &positions.points[..]), (&[0, 1][..], &[1.0, 0.5][..]));
    }
}
