//! Curves of recorded positions under conditions, by values from anywhere; weights
//! fitted on one set of records and tried on another; one curve for each search
//! (takeuchi07, figures 2 to 4 and 6, and the test of searches it proposes).
//!
//! Every step is one that the commands `curve values`, `curve draw` and `curve
//! adjust` take: the tables stay in the experiment's folder. Records that are not at
//! hand are replaced by games of self-play, and the table says so.

use super::asked_engine::{AskedEngine, ENGINE};
use super::{Ground, Reproduction};
use crate::LabError;
use crate::curve_adjust::{fit_table_weights, formula};
use crate::curve_picture::{measured, rises};
use crate::curve_table::{TableCurves, TablePlan, TableSource, draw_table};
use crate::curve_values::{After, OwnOrder, ValueSource, own_values};
use evalsmith_curves::{Adjustment, Curve, Draws, Expression, Method};
use evalsmith_report::{Align, LineChart, Table, number};
use evalsmith_stats::normal;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordCurves {
    sources: Vec<Source>,
    /// What is added to the value, as formulas; fitted where a source says so.
    #[serde(default)]
    features: Vec<String>,
    /// Whether the values of all sources have the same unit, so that slopes can be
    /// compared and total curves drawn together.
    #[serde(default)]
    compare: bool,
    /// The fewest positions of a bin on a curve.
    #[serde(default = "min_count")]
    min_count: u64,
    /// What the paper says of it.
    paper: String,
}

/// Positions with values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    name: String,
    /// Recorded positions or values; self-play where there is no such file.
    #[serde(default)]
    record: Option<Record>,
    /// Who is asked about the positions of self-play.
    #[serde(default)]
    engine: Option<AskedEngine>,
    /// How the player of the self-play games differs from the experiment's.
    #[serde(default)]
    player: Option<Player>,
    /// When our function is asked, for what the record does not tell.
    #[serde(default)]
    after: After,
    /// Conditions, each with its name.
    #[serde(default)]
    conditions: Vec<(String, String)>,
    /// Whether weights are fitted on these records.
    #[serde(default)]
    fit: bool,
    /// The source whose weights are tried on these records.
    #[serde(default)]
    weights_of: Option<String>,
    /// What is shown where the record is not at hand; our function's own value without.
    #[serde(default)]
    own: Option<Own>,
}

/// A value of our own games in place of a record's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    name: String,
    /// In terms of `value` and the game's features.
    value: String,
}

/// A table of positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    file: PathBuf,
    /// The column of positions, where features or values of ours are wanted.
    #[serde(default)]
    position: Option<String>,
    /// The value; ours without.
    #[serde(default)]
    value: Option<String>,
    result: String,
    game: String,
    #[serde(default)]
    first: Option<String>,
    /// The conditions in this table's terms, where they are not those of ours.
    #[serde(default)]
    conditions: Vec<(String, String)>,
}

/// Who plays the games of self-play.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Player {
    depth: u8,
    /// The probability of a random move.
    chance: f64,
}

/// What a source brought.
struct Seen {
    name: String,
    before: TableCurves,
    /// The curves with fitted weights.
    after: Option<TableCurves>,
}

impl RecordCurves {
    /// Settings for a run of seconds.
    #[cfg(test)]
    pub(super) fn make_small(&mut self) {
        self.min_count = 2;
        for source in &mut self.sources {
            if let Some(engine) = &mut source.engine {
                engine.every = 100;
            }
            if let After::Depth(plies) = &mut source.after {
                *plies = 1;
            }
            if let Some(player) = &mut source.player {
                player.depth = 1;
            }
        }
    }

    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let features =
            self.features.iter().map(|text| read(text)).collect::<Result<Vec<_>, _>>()?;
        let mut weights = Table::new(["records", "method", "feature", "weight", "95 %"]).align([
            Align::Left,
            Align::Left,
            Align::Left,
            Align::Right,
            Align::Right,
        ]);
        let mut fitted: Vec<(String, String)> = Vec::new();
        let mut seen: Vec<Seen> = Vec::new();
        for (place, source) in self.sources.iter().enumerate() {
            let (name, table) = source.open(ground, place)?;
            let plan = TablePlan {
                bin_width: None,
                min_count: Some(self.min_count),
                draws: Draws::LeftOut,
                conditions: conditions(source.named())?,
            };
            let before = draw_table(&table, &plan, ground.progress)?;
            if source.fit {
                let methods = [Method::Mlm, Method::Ls];
                let draws = Draws::LeftOut;
                match fit_table_weights(&table, &features, &methods, draws, ground.progress) {
                    Ok((fits, _)) => {
                        for fit in &fits {
                            push(&mut weights, &name, fit);
                        }
                        fitted.push((source.name.clone(), formula(&table.value, &fits[0])));
                    }
                    // Few games may hold the features too rarely for any weight.
                    Err(LabError::Curve(reason)) => {
                        let missing = || number::MISSING.to_owned();
                        weights.push([
                            name.clone(),
                            missing(),
                            reason.to_string(),
                            missing(),
                            missing(),
                        ]);
                    }
                    Err(other) => return Err(other),
                }
            }
            let wanted = source.weights_of.as_ref().or(source.fit.then_some(&source.name));
            let after = wanted
                .and_then(|of| fitted.iter().find(|(name, _)| name == of))
                .map(|(_, formula)| -> Result<TableCurves, LabError> {
                    let table = TableSource { value: read(formula)?, ..table.clone() };
                    draw_table(&table, &plan, ground.progress)
                })
                .transpose()?;
            seen.push(Seen { name, before, after });
        }
        let mut tables = vec![self.table(&seen)];
        if self.sources.iter().any(|source| source.fit) {
            tables.insert(0, weights);
        }
        let mut made = ground.told(tables, self.verdict(&seen));
        made.charts = charts(&seen, self.compare);
        Ok(made)
    }

    /// A line for each curve.
    fn table(&self, seen: &[Seen]) -> Table {
        let mut told = Table::new([
            "records",
            "curve",
            "positions",
            "slope",
            "monotone",
            "told, bits",
            "vertical gap",
            "missed log-odds",
            "p",
        ])
        .align([Align::Left, Align::Left].into_iter().chain([Align::Right; 7]));
        for (source, one) in self.sources.iter().zip(seen) {
            let versions = std::iter::once(("", &one.before));
            for (version, curves) in versions.chain(one.after.iter().map(|a| (", MLM", a))) {
                let name = format!("{}{version}", one.name);
                told.push(line(&name, "all positions", &curves.total, None));
                for ((label, _), c) in source.named().iter().zip(&curves.conditions) {
                    told.push(line(&name, label, &c.curve, c.split.as_ref()));
                }
            }
        }
        told
    }

    fn verdict(&self, seen: &[Seen]) -> String {
        let mut said = Vec::new();
        for one in seen {
            let rises = if one.before.total.monotone { "rises" } else { "is NOT monotone" };
            let missed = gap(&one.before).map_or_else(String::new, |missed| {
                let left = one.after.as_ref().and_then(gap).map_or_else(String::new, |left| {
                    format!(", with the fitted weights {}", number::fixed(left, 3))
                });
                format!("; the conditions miss {} log-odds{left}", number::fixed(missed, 3))
            });
            said.push(format!("{}: the total curve {rises}{missed}.", one.name));
        }
        let slopes: Vec<_> =
            seen.iter().filter_map(|s| s.before.total.logistic.map(|l| (&s.name, l))).collect();
        if let ([(a, first), (b, second), ..], true) = (&slopes[..], self.compare) {
            let error = first.scale_error.hypot(second.scale_error);
            let z = (first.scale - second.scale) / error;
            let p = normal::two_sided(z);
            said.push(format!(
                "The slopes of the first two {}: {} ({a}) against {} ({b}), p {}.",
                if p < 0.05 { "differ" } else { "do not differ at 5 %" },
                number::with_error(first.scale, first.scale_error),
                number::with_error(second.scale, second.scale_error),
                number::p_value(p)
            ));
        }
        format!("{} The paper: {}", said.join(" "), self.paper)
    }
}

impl Source {
    /// The table of the records, with our values and features where they are
    /// wanted, and the records' name.
    fn open(&self, ground: &Ground<'_>, place: usize) -> Result<(String, TableSource), LabError> {
        let name = Ground::asked(self.after);
        let path = ground.folder.join(&format!("values-{place}.tsv"));
        let (column, output) = ("value".to_owned(), path.clone());
        let order = OwnOrder { after: self.after, column, atoms: false, output };
        let value = |source: &ValueSource| -> Result<(), LabError> {
            if !path.exists() {
                own_values(ground.game, &name, source, &order, ground.progress)?;
            }
            Ok(())
        };
        let Some(record) = self.at_hand() else {
            let data = match self.player {
                None => ground.dataset()?.dir().to_owned(),
                Some(Player { depth, chance }) => ground.games_of(depth, chance)?,
            };
            value(&ValueSource::Dataset(data.clone()))?;
            let mut own = match (&self.record, &self.own) {
                (Some(_), None) => " (not at hand: self-play)",
                (Some(_), Some(_)) => " (its record is not at hand: self-play)",
                (None, _) => "",
            }
            .to_owned();
            let mut column = "value";
            if let Some(engine) = &self.engine {
                match engine.locate() {
                    Ok(program) => {
                        let answers = ground.folder.join(&format!("answers-{place}.txt"));
                        engine.add_values(ground, &program, &data, &path, &answers)?;
                        column = ENGINE;
                        own = format!(" (not at hand: {} on self-play)", engine.command);
                    }
                    Err(missing) => own = format!(" (not at hand: self-play; {missing})"),
                }
            }
            let (name, value) = match &self.own {
                Some(own) => (&own.name, read(&own.value)?),
                None => (&self.name, Expression::column(column)),
            };
            let source = TableSource {
                path,
                value,
                result: "result".into(),
                game: Some("game".into()),
                side: None,
                first: None,
            };
            return Ok((format!("{name}{own}"), source));
        };
        let source = TableSource {
            path: record.file.clone(),
            value: read(record.value.as_deref().unwrap_or("value"))?,
            result: record.result.clone(),
            game: Some(record.game.clone()),
            side: None,
            first: record.first.clone(),
        };
        let Some(position) = &record.position else { return Ok((self.name.clone(), source)) };
        value(&ValueSource::Table(record.file.clone(), position.clone()))?;
        Ok((self.name.clone(), TableSource { path, ..source }))
    }

    /// The record, where it is at hand.
    fn at_hand(&self) -> Option<&Record> {
        self.record.as_ref().filter(|record| record.file.is_file())
    }

    /// The conditions with their names.
    fn named(&self) -> &[(String, String)] {
        let own = self.at_hand().map(|record| &record.conditions[..]);
        own.filter(|own| !own.is_empty()).unwrap_or(&self.conditions)
    }
}

fn conditions(named: &[(String, String)]) -> Result<Vec<Expression>, LabError> {
    let condition = |(_, text): &(String, String)| {
        Expression::condition(text).map_err(|e| LabError::Settings(e.to_string()))
    };
    named.iter().map(condition).collect()
}

fn min_count() -> u64 {
    50
}

fn read(text: &str) -> Result<Expression, LabError> {
    Expression::formula(text).map_err(|e| LabError::Settings(e.to_string()))
}

fn push(weights: &mut Table, records: &str, fit: &Adjustment) {
    for w in &fit.weights {
        weights.push([
            records.to_owned(),
            fit.method.name().to_owned(),
            w.feature.clone(),
            number::with_error(w.weight, w.error),
            format!("{} to {}", number::fixed(w.low, 3), number::fixed(w.high, 3)),
        ]);
    }
}

fn line(
    records: &str,
    name: &str,
    curve: &Curve,
    split: Option<&evalsmith_curves::Split>,
) -> Vec<String> {
    let counted: u64 = curve.bins.iter().map(|bin| bin.count).sum();
    let missing = || number::MISSING.to_owned();
    vec![
        records.to_owned(),
        name.to_owned(),
        number::thousands(counted),
        curve.logistic.map_or_else(missing, |l| number::with_error(l.scale, l.scale_error)),
        rises(curve).to_owned(),
        number::fixed(bits(curve), 3),
        split.map_or_else(String::new, |s| format!("{:+.3}", s.vertical)),
        split.map_or_else(String::new, |s| number::with_error(s.log_odds, s.log_odds_error)),
        split.map_or_else(String::new, |s| number::p_value(s.p_value)),
    ]
}

/// How much the value tells of the result: by how many bits knowing the bin lowers
/// the entropy of who wins.
fn bits(curve: &Curve) -> f64 {
    let entropy = |p: f64| {
        let part = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
        part(p) + part(1.0 - p)
    };
    let points = |bin: &evalsmith_curves::Bin| {
        bin.wins as f64 + (bin.count - bin.wins - bin.losses) as f64 / 2.0
    };
    let count: f64 = curve.bins.iter().map(|bin| bin.count as f64).sum();
    let won: f64 = curve.bins.iter().map(points).sum();
    let within = curve.bins.iter().filter(|bin| bin.count > 0).map(|bin| {
        let n = bin.count as f64;
        n / count * entropy(points(bin) / n)
    });
    entropy(won / count) - within.sum::<f64>()
}

/// The mean size of what the conditions miss.
fn gap(curves: &TableCurves) -> Option<f64> {
    let sizes: Vec<f64> =
        curves.conditions.iter().filter_map(|c| c.split.map(|s| s.log_odds.abs())).collect();
    (!sizes.is_empty()).then(|| sizes.iter().sum::<f64>() / sizes.len() as f64)
}

fn charts(seen: &[Seen], together: bool) -> Vec<(LineChart, String)> {
    let mut charts = Vec::new();
    if together {
        let mut chart = seen[0].before.chart("The total curves");
        chart.series = seen.iter().map(|s| measured(&s.name, &s.before.total)).collect();
        (chart.histogram, chart.x_range) = (None, None);
        charts.push((chart, "Bands are 95 % intervals, clustered by game.".to_owned()));
    }
    for one in seen {
        charts.push((one.before.chart(&one.name), one.before.caption()));
        if let Some(after) = &one.after {
            charts.push((after.chart(&format!("{}, MLM", one.name)), after.caption()));
        }
    }
    charts
}
