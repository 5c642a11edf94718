//! Results as tables and sentences, the same for the terminal and the page.

use crate::fit::{FitRecord, weights_at};
use crate::learn::{LearnSummary, MatchSummary};
use crate::match_text::stats_table;
use crate::tree_drawing::{chosen_text, tree_table};
use evalsmith_core::Stage;
use evalsmith_learn::{
    DenseModel, Estimate, INTERCEPT, Model, ModelFile, Quality, StageFit, TreeSummary,
};
use evalsmith_report::{Align, Table, number};
use std::collections::BTreeMap;
use std::path::Path;

/// How many stages a table shows when nobody asks for one.
const SHOWN: usize = 6;

/// The weights of a model, with their errors where its fit is known; `None`
/// when the model lacks the stage asked for.
pub fn estimate_table(
    file: &ModelFile,
    record: Option<&FitRecord>,
    stage: Option<u8>,
) -> Option<Table> {
    if stage.is_some_and(|s| usize::from(s) >= file.model.stages()) {
        return None;
    }
    match record.filter(|record| record.stages.iter().any(|fit| !fit.estimates.is_empty())) {
        Some(record) => Some(fit_table(&chosen(&record.stages, stage))),
        None => Some(weight_table(&file.model, stage)),
    }
}

/// The fits to show: the one that serves a stage, or a few, evenly spread.
pub(crate) fn chosen(fits: &[StageFit], stage: Option<u8>) -> Vec<&StageFit> {
    match stage {
        Some(stage) => fits.iter().min_by_key(|f| f.stage.0.abs_diff(stage)).into_iter().collect(),
        None if fits.len() <= SHOWN => fits.iter().collect(),
        None => (0..SHOWN).map(|i| &fits[i * (fits.len() - 1) / (SHOWN - 1)]).collect(),
    }
}

/// Estimates with errors, one row a weight and stage.
pub(crate) fn fit_table(fits: &[&StageFit]) -> Table {
    let mut table = Table::new([
        "stage",
        "positions",
        "games",
        "feature",
        "weight",
        "error",
        "plain error",
        "z",
        "p",
        "95 %",
    ])
    .align(
        [Align::Right, Align::Right, Align::Right, Align::Left]
            .into_iter()
            .chain([Align::Right; 6]),
    );
    for fit in fits {
        for e in &fit.estimates {
            table.push(estimate_row(fit, e));
        }
    }
    table
}

fn estimate_row(fit: &StageFit, e: &Estimate) -> [String; 10] {
    let place =
        [fit.stage.0.to_string(), fit.rows.to_string(), fit.games.to_string(), e.name.clone()];
    let numbers = if e.aliased {
        ["0", "-", "-", "-", "-", "not needed: follows from the others"].map(String::from)
    } else {
        [
            number::significant(e.weight, 4),
            number::significant(e.clustered_error, 3),
            number::significant(e.standard_error, 3),
            number::fixed(e.z, 2),
            number::p_value(e.p),
            format!("{} to {}", number::significant(e.low, 3), number::significant(e.high, 3)),
        ]
    };
    let [a, b, c, d] = place;
    let [f, g, h, i, j, k] = numbers;
    [a, b, c, d, f, g, h, i, j, k]
}

/// The numbers of every stage, or of one: the intercept and the weights of a
/// linear model, the polynomial of a quadratic one. Tables have none by stage.
pub fn weights(model: &Model, stage: Option<u8>) -> BTreeMap<u8, Vec<f64>> {
    if !matches!(model, Model::Linear(_) | Model::Quadratic(_)) {
        return BTreeMap::new();
    }
    let width = model.coefficients().len() / model.stages().max(1);
    let all = model.coefficients().chunks(width.max(1)).take(256).enumerate();
    all.map(|(s, numbers)| (s as u8, numbers.to_vec()))
        .filter(|(s, _)| stage.is_none_or(|wanted| wanted == *s))
        .collect()
}

/// Weights alone, one row a stage.
fn weight_table(model: &Model, stage: Option<u8>) -> Table {
    let stages = model.stages();
    let shown: Vec<usize> = match stage {
        Some(stage) => vec![stage.into()],
        None if stages <= SHOWN => (0..stages).collect(),
        None => (0..SHOWN).map(|i| i * (stages - 1) / (SHOWN - 1)).collect(),
    };
    if let Some(tree) = model.as_tree() {
        return tree_table(&TreeSummary::of(tree));
    }
    let Some(linear) = model.as_linear() else { return term_table(model, &shown) };
    let mut table = Table::new(
        ["stage", INTERCEPT].into_iter().chain(linear.features().iter().map(String::as_str)),
    )
    .align(std::iter::repeat_n(Align::Right, linear.features().len() + 2));
    for stage in shown {
        let weights = weights_at(linear, Stage(stage as u8));
        let weights = weights.into_iter().map(|w| number::significant(w, 4));
        table.push([stage.to_string()].into_iter().chain(weights));
    }
    table
}

/// How well each stage's model tells the results it was fitted to.
fn likelihood_table(fits: &[&StageFit]) -> Table {
    let mut table = Table::new([
        "stage",
        "pooled",
        "positions",
        "games",
        "log-likelihood",
        "deviance",
        "of none",
        "AIC",
        "left out",
    ])
    .align([Align::Right; 8].into_iter().chain([Align::Left]));
    for fit in fits {
        table.push([
            fit.stage.0.to_string(),
            format!("{}-{}", fit.pooled.0.0, fit.pooled.1.0),
            fit.rows.to_string(),
            fit.games.to_string(),
            number::fixed(fit.log_likelihood, 1),
            number::fixed(fit.deviance, 1),
            number::fixed(fit.null_deviance, 1),
            number::fixed(fit.aic, 1),
            fit.aliased.join(", "),
        ]);
    }
    table
}

/// The terms of any model, one row a term and stage.
fn term_table(model: &Model, stages: &[usize]) -> Table {
    let mut table =
        Table::new(["stage", "term", "weight"]).align([Align::Right, Align::Left, Align::Right]);
    for &stage in stages {
        for term in model.explain(Stage(stage as u8), |_| 0.0).terms {
            let weight = term.weight.unwrap_or(term.contribution);
            table.push([stage.to_string(), term.name, number::significant(weight, 4)]);
        }
    }
    table
}

/// The quality of both functions on positions held out.
pub(crate) fn quality_table(record: &FitRecord) -> Option<Table> {
    let learned = record.learned.as_ref()?;
    let mut table =
        Table::new(["function", "right side", "95 %", "log-loss", "95 %", "Brier score"])
            .align([Align::Left].into_iter().chain([Align::Right; 5]))
            .caption(format!("On {} positions of {} games held out", learned.rows, learned.games));
    let mut push = |name: &str, q: &Quality| {
        table.push([
            name.to_owned(),
            number::percent(q.accuracy.value, 1),
            format!(
                "{} to {}",
                number::percent(q.accuracy.low, 1),
                number::percent(q.accuracy.high, 1)
            ),
            number::fixed(q.log_loss.value, 4),
            format!(
                "{} to {}",
                number::fixed(q.log_loss.low, 4),
                number::fixed(q.log_loss.high, 4)
            ),
            number::fixed(q.brier.value, 4),
        ]);
    };
    push("learned", learned);
    if let Some(by_hand) = &record.by_hand {
        push("hand-weighted", by_hand);
    }
    Some(table)
}

impl FitRecord {
    /// What was fitted to what.
    fn headline(&self) -> String {
        let separated = self.stages.iter().filter(|s| s.separated).count();
        let ridge = match separated {
            0 => String::new(),
            n => format!(
                "{n} stages are separated by the features and were fitted with a small ridge.\n"
            ),
        };
        if let Some(judged) = &self.tree {
            return format!(
                "tree: fitted to {} positions of {} games ({} positions held out).\n{}",
                self.rows,
                self.games,
                self.holdout_rows,
                chosen_text(judged)
            );
        }
        let learner = self.plan.learner;
        let reduced = self.plan.logistic.stages.reduce.map_or(String::new(), |how| {
            format!(" after the reduction {how}, whose components the errors take as given")
        });
        format!(
            "{learner}{reduced}: {} stages fitted to {} positions of {} games ({} positions held out); errors clustered by game.\n{ridge}",
            self.stages.len(),
            self.rows,
            self.games,
            self.holdout_rows
        )
    }

    /// A summary for the terminal: a few stages, and the quality on games held out.
    pub fn to_text(&self) -> String {
        let mut parts = vec![self.headline()];
        let shown = chosen(&self.stages, None);
        if shown.iter().any(|fit| !fit.estimates.is_empty()) {
            parts.push(fit_table(&shown).to_text());
        }
        match &self.tree {
            Some(judged) => parts.push(tree_table(&judged.summary).to_text()),
            None => parts.push(likelihood_table(&shown).to_text()),
        }
        parts.extend(quality_table(self).map(|table| table.to_text()));
        parts.extend(self.statistics.to_text());
        parts.join("\n")
    }
}

impl LearnSummary {
    /// The matches as a table.
    pub(crate) fn match_table(&self) -> Table {
        let rows = self.matches.iter();
        stats_table(rows.map(|m| (m.opponent.clone(), m.pace.describe(), &m.stats)))
    }

    /// A short and honest summary for the terminal.
    pub fn to_text(&self, out: &Path) -> String {
        let Self { game, positions, games, fit, .. } = self;
        let headline =
            format!("{game}: {positions} positions of {games} games\n{}", fit.headline());
        let middle =
            fit.stages.get(fit.stages.len() / 2).map(|stage| fit_table(&[stage]).to_text());
        let quality = quality_table(fit).map(|table| table.to_text());
        let curve = self.curve.as_ref().map(|curve| {
            let shape = if curve.monotone { "rises throughout" } else { "is NOT monotone" };
            let bins = curve.drawn().count();
            let games = if fit.holdout_rows == 0 { "the games fitted to" } else { "unseen games" };
            format!("The evaluation curve on {games} has {bins} bins and {shape}.\n")
        });
        let matches = self.match_table().to_text();
        let verdicts = self.matches.iter().map(|m| verdict(m) + "\n").collect();
        let report = format!("The report: {}\n", out.join("report.html").display());
        [Some(headline), middle, quality, curve, Some(matches), Some(verdicts), Some(report)]
            .into_iter()
            .flatten()
            .collect::<Vec<String>>()
            .join("\n")
    }
}

/// What a match shows, in words, by the 95 % interval of its Elo difference.
pub(crate) fn verdict(m: &MatchSummary) -> String {
    let (pace, opponent) = (m.pace.describe(), &m.opponent);
    let interval = &m.stats.elo_interval;
    if interval.low.0 > 0.0 {
        format!(
            "At {pace}, the learned function is stronger than the {opponent} one (95 % interval of Elo above 0)."
        )
    } else if interval.high.0 < 0.0 {
        format!(
            "At {pace}, the learned function is WEAKER than the {opponent} one (95 % interval of Elo below 0)."
        )
    } else {
        format!(
            "At {pace}, no difference between the learned function and the {opponent} one is shown."
        )
    }
}
