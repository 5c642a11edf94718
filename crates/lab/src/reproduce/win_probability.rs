//! Win probability against one feature (buro95, figures 1 and 2): the densities
//! of the two classes, what the learners make of them, and what happened.

use super::{Ground, Reproduction};
use crate::LabError;
use crate::fit::FitPlan;
use evalsmith_core::{Columns, Game, LogOdds, Quiet, Stage};
use evalsmith_learn::{ClassMoments, DenseModel, Examples, Learner, Model, Moments, fit, moments};
use evalsmith_report::{Align, LineChart, Series, Style, Table, number};
use evalsmith_stats::normal;
use evalsmith_stats::proportion::wilson;
use serde::{Deserialize, Serialize};

/// Bins of the measured share.
const BINS: usize = 15;

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WinProbability {
    feature: String,
    stage: u8,
    radius: u8,
    /// Whose probabilities are drawn.
    learners: Vec<Learner>,
    /// Whether the class densities are drawn too.
    densities: bool,
    /// What the paper says of it.
    paper: String,
}

impl WinProbability {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let table = ground.table(&ground.with(std::slice::from_ref(&self.feature))?)?;
        let near = table.filter(|row| table.stages[row].0.abs_diff(self.stage) <= self.radius);
        let one = vec![Stage(0); near.len()];
        let examples = Examples {
            features: &near.columns,
            stages: &one,
            points: &near.points,
            games: &near.games,
        };
        let m = moments(Stage(0), 0, 1, &examples)?;
        let (win, loss) = (&m.win, &m.loss);
        let spread = |c: &ClassMoments| c.covariance[0][0].sqrt();
        let low = win.mean[0].min(loss.mean[0]) - 2.0 * spread(win).max(spread(loss));
        let high = win.mean[0].max(loss.mean[0]) + 2.0 * spread(win).max(spread(loss));
        let params = FitPlan::new(&ground.game.defaults()).logistic;
        let scores: Vec<f32> = near.scores.iter().map(|&s| s.into()).collect();
        let models = self
            .learners
            .iter()
            .map(|&l| Ok((l, fit(l, &params, 1, &examples, &scores, &Quiet)?.model)))
            .collect::<Result<Vec<_>, LabError>>()?;

        let measured = measured(&near.columns, &near.points, low, high);
        let mut told = Table::new(
            [self.feature.clone(), "positions".into(), "won".into(), "95 %".into()]
                .into_iter()
                .chain(models.iter().map(|(l, _)| l.to_string())),
        )
        .align(std::iter::repeat_n(Align::Right, 4 + models.len()));
        let said =
            |model: &Model, x: f64| LogOdds(model.log_odds(Stage(0), |_| x as f32).0).win_prob().0;
        let mut off = vec![0.0; models.len()];
        let rows: f64 = measured.iter().map(|b| b.1).sum();
        for &(x, n, won) in &measured {
            let interval = wilson(won, n, normal::Z95);
            let predictions: Vec<f64> = models.iter().map(|(_, model)| said(model, x)).collect();
            for (off, p) in off.iter_mut().zip(&predictions) {
                *off += n / rows * (p - won / n).abs();
            }
            told.push(
                [
                    number::fixed(x, 1),
                    number::fixed(n, 0),
                    number::percent(won / n, 1),
                    format!(
                        "{} to {}",
                        number::percent(interval.low, 1),
                        number::percent(interval.high, 1)
                    ),
                ]
                .into_iter()
                .chain(predictions.iter().map(|&p| number::percent(p, 1))),
            );
        }
        let ranked: Vec<String> = models
            .iter()
            .zip(&off)
            .map(|((l, _), off)| format!("{l} {}", number::percent(*off, 1)))
            .collect();
        let verdict = format!(
            "Mean distance from the measured share: {}. The paper: {}",
            ranked.join(", "),
            self.paper
        );
        let shares = measured.iter().map(|&(x, n, won)| (x, won / n)).collect();
        let band = measured.iter().map(|&(_, n, won)| {
            let interval = wilson(won, n, normal::Z95);
            (interval.low, interval.high)
        });
        let mut series = vec![Series::new("measured", shares).band(band.collect())];
        series.extend(models.iter().map(|(l, model)| {
            Series::new(l.to_string(), steps(low, high, &|x| said(model, x))).style(Style::Line)
        }));
        let chart = LineChart {
            title: format!("Share of positions won, by {}", self.feature),
            x_label: self.feature.clone(),
            y_label: "win probability".into(),
            series,
            y_range: Some((0.0, 1.0)),
            ..LineChart::default()
        };
        let mut made = ground.told(vec![told], verdict);
        let caption = format!(
            "{} positions of {} games at stage {} ± {}.",
            m.rows, m.games, self.stage, self.radius
        );
        made.charts.push((chart, caption));
        if self.densities {
            let chart = LineChart { x_label: self.feature.clone(), ..densities(&m, low, high) };
            made.charts.push((chart, "Normal distributions with the classes' moments.".into()));
        }
        Ok(made)
    }
}

/// The normal densities of both classes.
fn densities(m: &Moments, low: f64, high: f64) -> LineChart {
    let line = |name: &str, class: &ClassMoments| {
        let (mean, deviation) = (class.mean[0], class.covariance[0][0].sqrt());
        let density = |x: f64| normal::density((x - mean) / deviation) / deviation;
        Series::new(name, steps(low, high, &density)).style(Style::Line)
    };
    LineChart {
        title: "Densities of the two classes".into(),
        y_label: "density".into(),
        series: vec![line("won", &m.win), line("lost", &m.loss)],
        ..LineChart::default()
    }
}

/// A function drawn from `low` to `high`.
fn steps(low: f64, high: f64, of: &dyn Fn(f64) -> f64) -> Vec<(f64, f64)> {
    (0..=60).map(|i| low + (high - low) * f64::from(i) / 60.0).map(|x| (x, of(x))).collect()
}

/// The middle, the positions and the points of bins that hold enough.
fn measured(columns: &Columns, points: &[f32], low: f64, high: f64) -> Vec<(f64, f64, f64)> {
    let mut bins = [(0.0, 0.0); BINS];
    let width = (high - low) / BINS as f64;
    for (&x, &y) in columns.column(0).iter().zip(points) {
        let bin = (f64::from(x) - low) / width;
        if (0.0..BINS as f64).contains(&bin) {
            let bin = &mut bins[bin as usize];
            *bin = (bin.0 + 1.0, bin.1 + f64::from(y));
        }
    }
    let middle = |i: usize| low + (i as f64 + 0.5) * width;
    let full = bins.iter().enumerate().filter(|(_, bin)| bin.0 >= 20.0);
    full.map(|(i, &(n, won))| (middle(i), n, won)).collect()
}
