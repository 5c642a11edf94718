//! Samuel's learners beside Bayesian learning (lee86, chapter 2 and Table 5-1):
//! the polynomial of self-play, signature tables and a linear function of book
//! moves, and the quadratic discriminant, on the same features and time.

use super::ground::{Named, match_table, significance};
use super::{Ground, Reproduction};
use crate::LabError;
use crate::book::Book;
use crate::griffith::fit_move_table;
use crate::pace::Pace;
use crate::samuel::{SamuelParams, fit_samuel};
use evalsmith_core::Game;
use evalsmith_learn::{
    Choices, DenseModel, Learner, Linear, Model, ModelFile, SignatureParams, fit_book_linear,
    fit_signature,
};
use evalsmith_report::{Align, Table, number};
use evalsmith_stats::elo::MatchStats;
use serde::{Deserialize, Serialize};

/// A tournament of the learners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SamuelMeets {
    /// Two dozen features, in the order in which sets of four are made of them.
    features: Vec<String>,
    radius: u8,
    opening_plies: u16,
    pub(super) samuel: SamuelParams,
    /// What the paper says of it.
    paper: String,
}

impl SamuelMeets {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let game = ground.with(&self.features)?;
        let stages = game.stages();
        let dataset = ground.dataset()?;
        let bayes = ground.fit(&ground.table(&game)?, Learner::Quadratic, self.radius)?.model;
        let book = Book::read(&game, &dataset, |_| true, ground.progress)?;
        let params = SignatureParams::samuel(self.features.len());
        let samuel = SamuelParams { seed: ground.seed, ..self.samuel.clone() };
        let polynomial = fit_samuel(&game, &samuel, ground.progress)?;
        let models: [(&str, Model); 4] = [
            ("bayes", bayes),
            ("signature", fit_signature(&params, stages, &book.choices())?.into()),
            ("polynomial", polynomial.model.into()),
            ("book-linear", fit_book_linear(stages, &book.choices())?.into()),
        ];
        let mut players = Vec::new();
        for (name, model) in models {
            let made_by = serde_json::json!({ "experiment": ground.title() });
            let file = ModelFile { game: game.name().into(), made_by, model };
            file.save(&ground.folder.join(&format!("{name}.model")))?;
            let function = game.function_of_model(file.model)?;
            players.push(Named { name: name.into(), function });
        }
        let openings = ground.openings(self.opening_plies)?;
        let pace = Pace::cpu_micros(ground.size.cpu_micros);
        let mut rows: Vec<(String, MatchStats, String)> = Vec::new();
        for i in 0..players.len() {
            for j in i + 1..players.len() {
                let (a, b) = (&players[i], &players[j]);
                let log = format!("{}-{}", a.name, b.name);
                let stats = ground.meet(&log, (a, pace), (b, pace), &openings)?;
                let name = format!("{} against {}, {}", a.name, b.name, pace.describe());
                rows.push((name, stats, String::new()));
            }
        }
        let table = fit_move_table(ground.game, &dataset, ground.progress)?;
        let path = ground.folder.join("griffith.json");
        table.save(&path)?;
        let griffith =
            Named { name: "griffith".into(), function: ground.game.open_function(&path)? };
        let one_ply = Pace::Depth(1);
        for player in &players {
            let log = format!("{}-griffith", player.name);
            let stats = ground.meet(&log, (player, one_ply), (&griffith, one_ply), &openings)?;
            let name = format!("{} against griffith, one ply each", player.name);
            rows.push((name, stats, String::new()));
        }
        let sentences: Vec<String> = rows
            .iter()
            .map(|(name, stats, _)| {
                let share = stats.share.map_or("-".into(), |s| number::percent(s, 1));
                format!("{name}: {share}, {}.", significance(stats))
            })
            .collect();
        let verdict = format!(
            "{} The tables have {} cells; Alpha became Beta {} times and lost its leading term {} \
             times. The paper: {}",
            sentences.join(" "),
            params.cells(),
            polynomial.promotions,
            polynomial.jolts,
            self.paper
        );
        let table = match_table(rows.iter().map(|(n, s, p)| (n.clone(), s, p.clone())));
        Ok(ground.told(vec![table], verdict))
    }
}

/// A feature given twice, within one signature table and across two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignatureCopies {
    features: Vec<String>,
    /// Each way to combine them: its name and its sets, by the features' names.
    schemes: Vec<Scheme>,
    /// What the paper says of it.
    paper: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scheme {
    name: String,
    sets: Vec<Vec<String>>,
}

impl SignatureCopies {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let game = ground.with(&self.features)?;
        let dataset = ground.dataset()?;
        // Every fifth game is held out.
        let read =
            |held: bool| Book::read(&game, &dataset, |g| (g % 5 == 0) == held, ground.progress);
        let (train, test) = (read(false)?, read(true)?);
        let mut table = Table::new(["scheme", "cells", "book moves found", "95 %"])
            .align([Align::Left, Align::Right, Align::Right, Align::Right])
            .caption(format!("On {} choices of games held out", test.choices().chosen.len()));
        let mut found = Vec::new();
        for scheme in &self.schemes {
            let params = scheme.params(&self.features)?;
            let model = fit_signature(&params, game.stages(), &train.choices())?;
            let share = agreement(&test.choices(), &model);
            let n = test.choices().chosen.len() as f64;
            let interval =
                evalsmith_stats::proportion::wilson(share * n, n, evalsmith_stats::normal::Z95);
            let text = |x| number::percent(x, 1);
            table.push([
                scheme.name.clone(),
                params.cells().to_string(),
                text(share),
                format!("{} to {}", text(interval.low), text(interval.high)),
            ]);
            found.push((scheme.name.as_str(), share, interval));
        }
        let told: Vec<_> = found
            .iter()
            .map(|(name, share, _)| format!("{name} {}", number::percent(*share, 1)))
            .collect();
        let apart = found
            .iter()
            .enumerate()
            .any(|(i, a)| found[..i].iter().any(|b| a.2.low > b.2.high || b.2.low > a.2.high));
        let verdict = format!(
            "Book moves found: {}; the intervals {}. The paper: {}",
            told.join(", "),
            if apart { "part some of them" } else { "overlap, so that nothing is proven" },
            self.paper
        );
        Ok(ground.told(vec![table], verdict))
    }
}

impl Scheme {
    fn params(&self, features: &[String]) -> Result<SignatureParams, LabError> {
        let place = |name: &String| {
            features.iter().position(|f| f == name).ok_or_else(|| {
                LabError::Settings(format!("experiment: {name:?} is none of the features"))
            })
        };
        let sets = self.sets.iter().map(|set| set.iter().map(place).collect());
        let sets: Vec<Vec<usize>> = sets.collect::<Result<_, _>>()?;
        let groups = vec![sets.len()];
        Ok(SignatureParams { sets, groups })
    }
}

fn agreement(choices: &Choices<'_>, model: &impl DenseModel) -> f64 {
    let stage = evalsmith_core::Stage(0);
    choices.agreement(|row| model.log_odds(stage, |i| choices.features.column(i)[row]).0)
}

/// The round robin by which the linear function's weights were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Versions {
    features: Vec<String>,
    count: u32,
    opening_plies: u16,
    /// What the paper says of it.
    paper: String,
}

impl Versions {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        use rand::RngExt;
        let game = ground.with(&self.features)?;
        let Some(hand) = game.hand_weights() else {
            return Err(LabError::Settings(format!("{} has no weights set by hand", game.name())));
        };
        let mut players = Vec::new();
        let mut weights = Vec::new();
        for version in 0..self.count {
            let mut random = evalsmith_core::rng::stream(ground.seed, "version", version.into());
            // The first is as set by hand; the others vary each weight by up to twice.
            let factor = |w: &f64| {
                if version == 0 { *w } else { w * 2.0_f64.powf(random.random_range(-1.0..1.0)) }
            };
            let varied: Vec<f64> = hand.iter().map(factor).collect();
            let model = Linear::by_hand(self.features.clone(), varied.clone(), game.stages())?;
            let function = game.function_of_model(model.into())?;
            players.push(Named { name: format!("version {}", version + 1), function });
            weights.push(varied);
        }
        let openings = ground.openings(self.opening_plies)?;
        let pace = Pace::Depth(ground.size.plies);
        let mut points = vec![0.0; players.len()];
        let mut games = 0;
        for i in 0..players.len() {
            for j in i + 1..players.len() {
                let log = format!("versions-{}-{}", i + 1, j + 1);
                let stats =
                    ground.meet(&log, (&players[i], pace), (&players[j], pace), &openings)?;
                let share = stats.share.unwrap_or(0.5) * stats.games() as f64;
                points[i] += share;
                points[j] += stats.games() as f64 - share;
                games = stats.games();
            }
        }
        let each = games * u64::from(self.count.saturating_sub(1).max(1));
        let mut table = Table::new(
            ["version".to_owned(), "points".into(), "of".into()]
                .into_iter()
                .chain(self.features.iter().cloned()),
        );
        let mut order: Vec<usize> = (0..players.len()).collect();
        order.sort_by(|&a, &b| points[b].total_cmp(&points[a]));
        for &i in &order {
            let numbers = weights[i].iter().map(|&w| number::significant(w, 3));
            let head = [players[i].name.clone(), number::fixed(points[i], 1), each.to_string()];
            table.push(head.into_iter().chain(numbers));
        }
        let best = order.first().map_or(String::new(), |&i| players[i].name.clone());
        let error = 0.5 * (each as f64).sqrt();
        let lead = order.first().zip(order.get(1)).map_or(0.0, |(&a, &b)| points[a] - points[b]);
        let verdict = format!(
            "{best} comes first, {lead:.1} points before the second; chance alone moves a score by about \
             {error:.1} points, so that its lead is {}. The paper: {}",
            if lead > 2.8 * error { "more than chance" } else { "no proof" },
            self.paper
        );
        Ok(ground.told(vec![table], verdict))
    }
}
