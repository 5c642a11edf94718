//! Means and correlations of features for won and lost positions (lee86,
//! Table 3-1), with errors by a delete-a-group jackknife over games.
//!
//! The paper's features are scaled as BILL scaled them, so that only what has no
//! unit is compared: correlations, and the distance between the class means in
//! pooled standard deviations.

use super::{Ground, Reproduction};
use crate::LabError;
use evalsmith_core::{Game, Stage};
use evalsmith_data::FeatureTable;
use evalsmith_learn::{Examples, Moments, moments};
use evalsmith_report::{Table, number};
use evalsmith_stats::normal::Z95;
use serde::{Deserialize, Serialize};

/// Games are dealt into this many groups; each is left out once.
const GROUPS: u32 = 50;

/// The experiment's settings and the paper's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClassMoments {
    stage: u8,
    radius: u8,
    features: Vec<String>,
    published: Published,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    win: PublishedClass,
    loss: PublishedClass,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedClass {
    mean: Vec<f64>,
    deviation: Vec<f64>,
    correlation: Vec<Vec<f64>>,
}

/// A number of ours with its jackknife error, beside the paper's.
struct Compared {
    what: String,
    ours: f64,
    error: f64,
    paper: f64,
}

impl ClassMoments {
    /// Checks that the paper's figures are as many as the features.
    pub(super) fn check(&self) -> Result<(), LabError> {
        let width = self.features.len();
        let fits = |class: &PublishedClass| {
            class.mean.len() == width
                && class.deviation.len() == width
                && class.correlation.len() == width
                && class.correlation.iter().all(|row| row.len() == width)
        };
        if fits(&self.published.win) && fits(&self.published.loss) {
            return Ok(());
        }
        Err(LabError::Settings(format!(
            "experiment: means, deviations and correlations take {width} numbers each, one a feature"
        )))
    }

    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let mut table = ground.table(ground.game)?;
        table.columns = table.columns.select(&self.features).ok_or_else(|| {
            let (wanted, known) = (self.features.join(", "), table.columns.names().join(", "));
            LabError::Settings(format!(
                "the experiment is about {wanted}; {} has {known}",
                ground.game.name()
            ))
        })?;
        let near = table.filter(|row| table.stages[row].0.abs_diff(self.stage) <= self.radius);
        let all = self.moments(ground.game.stages(), &near)?;
        let (means, correlations) = self.compare(ground.game.stages(), &near, &all)?;
        let verdict = verdict(&all, &means, &correlations);
        let tables = vec![
            class_table(&all),
            compared_table("Distance of the class means, in standard deviations", &means),
            compared_table("Correlations within the classes", &correlations),
        ];
        Ok(Reproduction { title: ground.title(), tables, charts: Vec::new(), verdict })
    }

    fn moments(&self, stages: usize, table: &FeatureTable) -> Result<Moments, LabError> {
        let examples = Examples {
            features: &table.columns,
            stages: &table.stages,
            points: &table.points,
            games: &table.games,
        };
        Ok(moments(Stage(self.stage), self.radius, stages, &examples)?)
    }

    /// Distances and correlations with their errors, beside the paper's.
    fn compare(
        &self,
        stages: usize,
        table: &FeatureTable,
        all: &Moments,
    ) -> Result<(Vec<Compared>, Vec<Compared>), LabError> {
        let mut replicates = Vec::new();
        for group in 0..GROUPS {
            let kept = table.filter(|row| table.games[row] % GROUPS != group);
            replicates.push(figures(&self.moments(stages, &kept)?));
        }
        let ours = figures(all);
        let compared =
            self.published_figures().into_iter().enumerate().map(|(i, (what, paper))| {
                let error = jackknife_error(replicates.iter().map(|r| r[i]));
                Compared { what, ours: ours[i], error, paper }
            });
        let mut means: Vec<_> = compared.collect();
        let correlations = means.split_off(self.features.len());
        Ok((means, correlations))
    }

    /// The paper's figures with their names, in the order of [`figures`].
    fn published_figures(&self) -> Vec<(String, f64)> {
        let Published { win, loss } = &self.published;
        let distance = |i: usize| {
            let pooled = f64::midpoint(win.deviation[i].powi(2), loss.deviation[i].powi(2)).sqrt();
            (self.features[i].clone(), (win.mean[i] - loss.mean[i]) / pooled)
        };
        let mut figures: Vec<_> = (0..self.features.len()).map(distance).collect();
        for (class, published) in [("win", win), ("loss", loss)] {
            figures.extend(pairs(self.features.len()).map(|(i, j)| {
                let name = format!("{class}: {} and {}", self.features[i], self.features[j]);
                (name, published.correlation[i][j])
            }));
        }
        figures
    }
}

/// The distances of the means, then the correlations of both classes.
fn figures(m: &Moments) -> Vec<f64> {
    let width = m.features.len();
    let distance = |i: usize| {
        let pooled = f64::midpoint(m.win.covariance[i][i], m.loss.covariance[i][i]).sqrt();
        (m.win.mean[i] - m.loss.mean[i]) / pooled
    };
    let correlations = [&m.win, &m.loss]
        .into_iter()
        .flat_map(|class| pairs(width).map(|(i, j)| class.correlation[i][j]));
    (0..width).map(distance).chain(correlations).collect()
}

fn pairs(width: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..width).flat_map(move |i| (i + 1..width).map(move |j| (i, j)))
}

/// The standard error from estimates that each leave one group out.
fn jackknife_error(replicates: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = replicates.clone().count() as f64;
    let mean = replicates.clone().sum::<f64>() / count;
    let spread: f64 = replicates.map(|r| (r - mean).powi(2)).sum();
    (spread * (count - 1.0) / count).sqrt()
}

fn class_table(m: &Moments) -> Table {
    let mut table = Table::new(["", "win: mean", "deviation", "loss: mean", "deviation"])
        .caption(format!("{} positions of {} games", m.rows, m.games));
    for (i, name) in m.features.iter().enumerate() {
        let numbers = [&m.win, &m.loss]
            .map(|c| [c.mean[i], c.covariance[i][i].sqrt()].map(|x| number::fixed(x, 2)));
        let [[a, b], [c, d]] = numbers;
        table.push([name.clone(), a, b, c, d]);
    }
    table
}

fn compared_table(caption: &str, compared: &[Compared]) -> Table {
    let mut table = Table::new(["", "here", "95 % interval", "paper"]).caption(caption);
    for c in compared {
        table.push([
            c.what.clone(),
            number::fixed(c.ours, 2),
            format!(
                "{} to {}",
                number::fixed(c.ours - Z95 * c.error, 2),
                number::fixed(c.ours + Z95 * c.error, 2)
            ),
            number::fixed(c.paper, 2),
        ]);
    }
    table
}

/// What the comparison says, and nothing beyond it.
fn verdict(all: &Moments, means: &[Compared], correlations: &[Compared]) -> String {
    let clear = |c: &&Compared| c.ours.abs() > Z95 * c.error;
    let correlated = correlations.iter().filter(clear).count();
    let apart = means.iter().filter(|c| c.ours > Z95 * c.error).count();
    let classes = correlations.len() / 2;
    let alike = (0..classes)
        .map(|i| (correlations[i].ours - correlations[i + classes].ours).abs())
        .fold(0.0, f64::max);
    let same_sign = correlations.iter().filter(|c| (c.ours > 0.0) == (c.paper > 0.0)).count();
    format!(
        "{apart} of {} features are higher in won positions beyond doubt (paper: all). {correlated} of \
         {} correlations differ from zero at 5 % (paper: every pair is correlated); {same_sign} of them \
         have the paper's sign. The correlations of won and of lost positions differ by {alike:.2} at \
         most (paper: 0.01): the two classes have nearly the same shape where this is small. Features \
         are this program's, not BILL's own tables, so that sizes may differ. Errors: jackknife over \
         {GROUPS} groups of {} games.",
        means.len(),
        correlations.len(),
        all.games
    )
}
