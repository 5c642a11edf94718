//! Terms of a function turned off, or new ones, and their weights fitted from the
//! records (takeuchi07, figures 5 to 7 and tables 1 to 3): conditioned curves
//! before and after, and matches that confirm them.

use super::ground::{Named, match_table, significance};
use super::{Ground, Reproduction};
use crate::LabError;
use crate::curve_adjust::fit_table_weights;
use crate::curve_picture::measured;
use crate::curve_table::TableSource;
use crate::fit::{bulk, table, values};
use crate::pace::Pace;
use evalsmith_core::{Game, Side};
use evalsmith_curves::{
    Adjustment, Counted, CurveCounter, CurveParams, Draws, Expression, Method, Positions,
    TableRows, adjust, split,
};
use evalsmith_data::FeatureTable;
use evalsmith_learn::Linear;
use evalsmith_report::{Align, LineChart, Mark, Table, number};
use evalsmith_rules::DynFunction;
use evalsmith_stats::elo::MatchStats;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdjustedTerms {
    /// The features; those with a weight set by hand are turned off first, and
    /// their fitted weights are told in units of that weight.
    features: Vec<String>,
    /// A feature that weighs them: the progress of the game, from 0 at its first
    /// stage to 1 at its last.
    #[serde(default)]
    times: Option<String>,
    /// Weights that a person gave them, in log-odds, for the matches.
    #[serde(default)]
    by_hand: Option<Vec<f64>>,
    /// The paper's weights: method, then one a feature.
    published: Vec<(String, Vec<f64>)>,
    /// Plies of the random openings of the matches; none are played without.
    #[serde(default)]
    opening_plies: Option<u16>,
    /// The paper's results of the matches, in the order they are played.
    #[serde(default)]
    published_matches: Vec<String>,
    /// The terms of a real engine, where somebody has them.
    #[serde(default)]
    record: Option<Record>,
    /// What the paper says of it.
    paper: String,
}

/// A table of an engine's values and terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    file: PathBuf,
    engine: String,
    value: String,
    term: String,
}

/// Rows in the first player's view.
struct Rows {
    /// The value without the terms.
    off: Vec<f64>,
    /// The value as the hand set it.
    original: Vec<f64>,
    terms: Vec<Vec<f64>>,
    half_points: Vec<u8>,
    games: Vec<u64>,
}

impl AdjustedTerms {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let hand = ground.game.function_by_hand()?;
        let known = table(ground.game, &ground.dataset()?, &hand, false, ground.progress)?;
        let (rows, units) = self.rows(ground, &hand, &known)?;
        let mut positions = Positions::new(self.features.len());
        let mut row = vec![0.0; self.features.len()];
        for at in 0..rows.off.len() {
            row.iter_mut().zip(&rows.terms).for_each(|(cell, term)| *cell = term[at]);
            positions.push(
                rows.off[at],
                rows.half_points[at],
                rows.games[at],
                &row,
                Draws::LeftOut,
            );
        }
        let fit = |method| adjust(&positions, &self.features, method);
        let fits = [fit(Method::Mlm)?, fit(Method::Ls)?];

        let mut tables = vec![self.weights(&fits, self.fits_of_record(ground)?.as_deref())];
        let was_on = units.iter().any(|unit| unit.1);
        let adjusted = |fit: &Adjustment| -> Vec<f64> {
            let value = |at: usize| fit.value(rows.off[at], rows.terms.iter().map(|t| t[at]));
            (0..rows.off.len()).map(value).collect()
        };
        let mut versions = vec![(if was_on { "off" } else { "before" }, rows.off.clone())];
        versions.push(("MLM", adjusted(&fits[0])));
        versions.push(("LS", adjusted(&fits[1])));
        if was_on {
            versions.push(("original", rows.original.clone()));
        }
        let (gaps, charts, joined) = curves(&rows, &versions, &self.features[0])?;
        tables.push(gaps);

        let mut verdict = format!("{joined} The paper: {}", self.paper);
        if let Some(plies) = self.opening_plies {
            let (played, told) = self.matches(ground, &units, &fits, plies)?;
            tables.push(played);
            verdict = format!("{joined} {told} The paper: {}", self.paper);
        }
        let mut made = ground.told(tables, verdict);
        made.charts = charts;
        Ok(made)
    }

    /// The rows, and for each feature its unit and whether the hand gave it a weight.
    fn rows(
        &self,
        ground: &Ground<'_>,
        hand: &DynFunction,
        known: &FeatureTable,
    ) -> Result<(Rows, Vec<(f64, bool)>), LabError> {
        let names = known.columns.names();
        let place = |name: &String| {
            names.iter().position(|n| n == name).ok_or_else(|| {
                let there = names.join(", ");
                LabError::Settings(format!("there is no feature {name:?}; there are {there}"))
            })
        };
        let places = self.features.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let times = self.times.as_ref().map(place).transpose()?;
        let by_hand = ground.game.hand_weights().unwrap_or_else(|| vec![0.0; names.len()]);
        let unit =
            |&at: &usize| if by_hand[at] == 0.0 { (1.0, false) } else { (by_hand[at], true) };
        let units: Vec<(f64, bool)> = places.iter().map(unit).collect();
        let sign = |row: usize| if known.sides[row] == Side::First { 1.0 } else { -1.0 };
        let rows = 0..known.len();
        let movers = hand.model().map_or_else(|| vec![0.0; known.len()], |m| values(m, known));
        let original: Vec<f64> = rows.clone().map(|row| sign(row) * movers[row]).collect();
        let weighing =
            |row: usize| times.map_or(1.0, |at| f64::from(known.columns.column(at)[row]));
        let alone = |row: usize, at: usize| sign(row) * f64::from(known.columns.column(at)[row]);
        let terms: Vec<Vec<f64>> = places
            .iter()
            .zip(&units)
            .map(|(&at, unit)| {
                rows.clone().map(|row| unit.0 * weighing(row) * alone(row, at)).collect()
            })
            .collect();
        let turned_off =
            |row: usize| -> f64 { places.iter().map(|&at| by_hand[at] * alone(row, at)).sum() };
        let off = rows.clone().map(|row| original[row] - turned_off(row)).collect();
        let half = |row: usize| {
            let mover = (2.0 * known.points[row]).round() as u8;
            if known.sides[row] == Side::First { mover } else { 2 - mover }
        };
        let half_points = rows.map(half).collect();
        let games = known.games.iter().map(|&g| u64::from(g)).collect();
        Ok((Rows { off, original, terms, half_points, games }, units))
    }

    /// The fits of a real engine's terms, where the table is at hand.
    fn fits_of_record(&self, ground: &Ground<'_>) -> Result<Option<Vec<Adjustment>>, LabError> {
        let Some(record) = self.record.as_ref().filter(|record| record.file.is_file()) else {
            return Ok(None);
        };
        let read =
            |text: &str| Expression::formula(text).map_err(|e| LabError::Settings(e.to_string()));
        let source = TableSource {
            path: record.file.clone(),
            value: read(&record.value)?,
            result: "result".into(),
            game: Some("game".into()),
            side: None,
            first: None,
        };
        let methods = [Method::Mlm, Method::Ls];
        let features = [read(&record.term)?];
        let (fits, _) =
            fit_table_weights(&source, &features, &methods, Draws::LeftOut, ground.progress)?;
        Ok(Some(fits))
    }

    fn weights(&self, fits: &[Adjustment], record: Option<&[Adjustment]>) -> Table {
        let mut told = Table::new(["function", "method", "feature", "weight", "95 %", "paper"])
            .align([
                Align::Left,
                Align::Left,
                Align::Left,
                Align::Right,
                Align::Right,
                Align::Right,
            ]);
        let mut push = |function: &str, fit: &Adjustment| {
            let published = self.published.iter().find(|(method, _)| method == fit.method.name());
            for (i, w) in fit.weights.iter().enumerate() {
                let paper = published.and_then(|(_, weights)| weights.get(i));
                told.push([
                    function.to_owned(),
                    fit.method.name().to_owned(),
                    w.feature.clone(),
                    number::with_error(w.weight, w.error),
                    format!("{} to {}", number::fixed(w.low, 2), number::fixed(w.high, 2)),
                    paper.map_or_else(String::new, |p| number::significant(*p, 3)),
                ]);
            }
        };
        for fit in fits {
            push("ours", fit);
        }
        if let (Some(fits), Some(record)) = (record, &self.record) {
            for fit in fits {
                push(&record.engine, fit);
            }
        }
        told
    }

    /// The matches of table 2: the adjusted functions against the one without the
    /// terms and the original.
    fn matches(
        &self,
        ground: &Ground<'_>,
        units: &[(f64, bool)],
        fits: &[Adjustment; 2],
        plies: u16,
    ) -> Result<(Table, String), LabError> {
        let features = evalsmith_core::Features::names(&ground.game.features());
        let by_hand = ground.game.hand_weights().unwrap_or_else(|| vec![0.0; features.len()]);
        let stages = ground.game.stages();
        let with = |name: &str, weights: &[f64]| -> Result<Named, LabError> {
            let mut all = Vec::new();
            for stage in 0..stages {
                let share = match self.times {
                    Some(_) => stage as f64 / (stages - 1).max(1) as f64,
                    None => 1.0,
                };
                let mut here = by_hand.clone();
                for (feature, weight) in self.features.iter().zip(weights) {
                    if let Some(at) = features.iter().position(|f| f == feature) {
                        here[at] = share * weight;
                    }
                }
                all.push(0.0);
                all.extend(here);
            }
            let model = Linear::new(features.clone(), stages, all)?;
            let function = ground.game.function_of_model(model.into())?;
            Ok(Named { name: name.into(), function })
        };
        let fitted = |fit: &Adjustment| -> Vec<f64> {
            fit.weights.iter().zip(units).map(|(w, unit)| w.weight * unit.0).collect()
        };
        let off = with("off", &vec![0.0; self.features.len()])?;
        let (mlm, ls) = (with("MLM", &fitted(&fits[0]))?, with("LS", &fitted(&fits[1]))?);
        let original = ground.linear()?;
        let hand = self.by_hand.as_ref().map(|weights| with("hand", weights)).transpose()?;
        let openings = ground.openings(plies)?;
        let at = Pace::Depth(ground.size.plies);
        let mut pairs = vec![("MLM", &mlm, "off", &off)];
        if let Some(hand) = &hand {
            pairs.extend([("hand", hand, "off", &off), ("MLM", &mlm, "hand", hand)]);
        } else {
            pairs.push(("LS", &ls, "off", &off));
        }
        if units.iter().any(|unit| unit.1) {
            pairs.extend([
                ("original", &original, "off", &off),
                ("MLM", &mlm, "original", &original),
                ("LS", &ls, "original", &original),
            ]);
        }
        let mut played: Vec<(String, MatchStats, String)> = Vec::new();
        for (i, (a, first, b, second)) in pairs.into_iter().enumerate() {
            let log = format!("{a}-{b}");
            let stats = ground.meet(&log, (first, at), (second, at), &openings)?;
            let paper = self.published_matches.get(i).cloned().unwrap_or_default();
            played.push((format!("{a} against {b}"), stats, paper));
        }
        let told = format!(
            "MLM against off scores {}, {}.",
            played[0].1.share.map_or("nothing".into(), |s| number::percent(s, 1)),
            significance(&played[0].1)
        );
        Ok((match_table(played.iter().map(|(n, s, p)| (n.clone(), s, p.clone()))), told))
    }
}

/// The gaps of the conditions in each version, a picture each, and a sentence.
type Drawings = (Table, Vec<(LineChart, String)>, String);

fn curves(rows: &Rows, versions: &[(&str, Vec<f64>)], feature: &str) -> Result<Drawings, LabError> {
    let mut sizes: Vec<f64> = rows.terms[0].iter().map(|t| t.abs()).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let limit = sizes.get(sizes.len() * 4 / 5).copied().unwrap_or_default();
    let limit = number::significant(limit, 2);
    let read =
        |text: String| Expression::condition(&text).map_err(|e| LabError::Settings(e.to_string()));
    let conditions = [read(format!("term >= {limit}"))?, read(format!("term <= -{limit}"))?];
    let mut told =
        Table::new(["version", "condition", "positions", "vertical gap", "log-odds", "p"])
            .align([Align::Left, Align::Left].into_iter().chain([Align::Right; 4]));
    let (mut charts, mut sums) = (Vec::new(), Vec::new());
    for (name, version) in versions {
        let counted = count(rows, version, &conditions)?;
        let mut chart = LineChart {
            title: format!("{name}: curves by {feature}"),
            x_label: "value for the first player, log-odds".into(),
            y_label: "share of games the first player wins".into(),
            series: vec![measured("all positions", &counted.total.curve)],
            y_range: Some((0.0, 1.0)),
            marks: vec![Mark::Horizontal { y: 0.5, label: String::new() }],
            ..LineChart::default()
        };
        let mut sum = 0.0;
        for (drawn, split) in counted.conditioned.iter().zip(split(&counted)) {
            let condition = drawn.condition.as_ref().map_or_else(String::new, ToString::to_string);
            let condition = condition.replace("term", feature);
            chart.series.push(measured(&condition, &drawn.curve));
            let counted: u64 = drawn.curve.bins.iter().map(|bin| bin.count).sum();
            let mut cells = vec![(*name).to_owned(), condition, number::thousands(counted)];
            match split {
                Some(s) => {
                    sum += s.log_odds.abs() / 2.0;
                    cells.push(format!("{:+.3}", s.vertical));
                    cells.push(number::with_error(s.log_odds, s.log_odds_error));
                    cells.push(number::p_value(s.p_value));
                }
                None => cells.resize(6, number::MISSING.to_owned()),
            }
            told.push(cells);
        }
        sums.push(format!("{name} {}", number::fixed(sum, 3)));
        charts.push((chart, "Bands are 95 % intervals, clustered by game.".to_owned()));
    }
    let joined = format!(
        "Mean distance of the conditioned curves from the total one, in log-odds: {}.",
        sums.join(", ")
    );
    Ok((told, charts, joined))
}

fn count(rows: &Rows, values: &[f64], conditions: &[Expression]) -> Result<Counted, LabError> {
    let (low, high) = bulk(values);
    let params = CurveParams { min_count: 50, ..CurveParams::auto(low, high)? };
    let mut counter = CurveCounter::new(&params, conditions)?;
    counter.add(&TableRows {
        values,
        half_points: &rows.half_points,
        games: &rows.games,
        columns: &rows.terms[..1],
    })?;
    Ok(counter.finish()?)
}
