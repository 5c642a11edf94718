//! A group of terms of a real engine turned off by its own option, refitted from
//! records, and the three versions against each other (takeuchi07, figure 5 and
//! tables 1 and 2, with an engine that takes its weights in percent).
//!
//! The group's contribution to a position is the engine's value with the group less
//! its value without it, after the same shallow search; the fitted weight times 100
//! is the option's value.

use super::ground::{match_table, significance};
use super::{Ground, Reproduction};
use crate::LabError;
use crate::curve_adjust::fit_table_weights;
use crate::curve_table::{TablePlan, TableSource, draw_table};
use crate::curve_values::{
    Question, TableForm, ValueOrder, ValueRows, locate, rows_of_dataset, value_rows,
};
use crate::duel::{DuelPlan, Entrant, Opened, duel};
use crate::pace::Pace;
use evalsmith_arena::Openings;
use evalsmith_core::Protocol;
use evalsmith_core::files::write_atomically;
use evalsmith_curves::{Adjustment, Draws, Expression, Method};
use evalsmith_data::Sheet;
use evalsmith_protocol::{Budget, Engine};
use evalsmith_report::{Align, Table, number};
use evalsmith_stats::elo::MatchStats;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EngineTerm {
    /// The engine's program, its arguments and its Debian package.
    command: String,
    arguments: Vec<String>,
    package: String,
    /// Options for all versions.
    options: Vec<(String, String)>,
    /// The option that is the group's weight in percent, and the largest it takes.
    group: String,
    largest: u32,
    /// Plies of the search behind a value.
    depth: u32,
    /// Recorded positions (`fen`, `result`, `game`), where somebody has them.
    record: PathBuf,
    /// Every so-manieth position is taken.
    every: usize,
    opening_plies: u16,
    published: Vec<(String, f64)>,
    published_matches: Vec<String>,
    paper: String,
}

impl EngineTerm {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let program = match locate(&self.command, Some(&self.package)) {
            Ok(program) => program,
            Err(missing) => {
                let verdict = format!("Not run: {missing} The paper: {}", self.paper);
                return Ok(ground.told(Vec::new(), verdict));
            }
        };
        let (path, kept) = self.values(ground, &program)?;
        let table = TableSource {
            path,
            value: Expression::column("off"),
            result: "result".into(),
            game: Some("game".into()),
            side: None,
            first: None,
        };
        let (methods, features) = ([Method::Mlm, Method::Ls], [Expression::column("term")]);
        let (fits, _) =
            fit_table_weights(&table, &features, &methods, Draws::LeftOut, ground.progress)?;
        let joined = gaps(ground, &table, &fits[0], kept)?;
        let percents: Vec<u32> = fits.iter().map(|fit| self.percent(fit)).collect();
        let (matches, told) = self.matches(ground, &program, &percents)?;
        let tables = vec![self.weights(&fits, &percents), joined, matches];
        let verdict = format!(
            "{kept} positions; {} at {} by MLM and {} by LS, where the engine's own is 100. {told} \
             The paper: {}",
            self.group, percents[0], percents[1], self.paper
        );
        Ok(ground.told(tables, verdict))
    }

    fn engine(&self, program: &Path, percent: u32) -> Engine {
        let mut engine = Engine::new(Protocol::Uci, program);
        engine.arguments.clone_from(&self.arguments);
        engine.options.clone_from(&self.options);
        engine.options.push((self.group.clone(), percent.to_string()));
        engine
    }

    /// A table of the value without the group and what the group adds, and how many
    /// positions have both.
    fn values(&self, ground: &Ground<'_>, program: &Path) -> Result<(PathBuf, usize), LabError> {
        let sample = ground.folder.join("positions.tsv");
        if self.record.is_file() {
            thin(&self.record, &sample, self.every)?;
        } else {
            let data = ground.dataset()?;
            let rows = rows_of_dataset(ground.game, data.dir(), Protocol::Uci, ground.progress)?;
            let text = rows.with_values("last", &vec![None; rows.len()], TableForm::Tsv);
            let whole = ground.folder.join("all-positions.tsv");
            write_text(&whole, &text.replacen("\tposition\t", "\tfen\t", 1))?;
            thin(&whole, &sample, self.every)?;
        }
        let rows = ValueRows::of_table(&sample, "fen", Protocol::Uci)?;
        let ask = |percent: u32| -> Result<Vec<Option<f64>>, LabError> {
            let order = ValueOrder {
                engine: self.engine(program, percent),
                question: Question::Go(Budget::depth(self.depth)),
                processes: 2,
            };
            let journal = ground.folder.join(&format!("answers-{percent}.txt"));
            Ok(value_rows(&rows, &order, &journal, ground.progress)?.values)
        };
        let (off, on) = (ask(0)?, ask(100)?);
        let term = |(off, on): (&Option<f64>, &Option<f64>)| Some((*on)? - (*off)?);
        let terms: Vec<Option<f64>> = off.iter().zip(&on).map(term).collect();
        let path = ground.folder.join("values.tsv");
        let mut lines = rows
            .with_values("off", &off, TableForm::Tsv)
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>();
        lines[0] += "\tterm";
        for (line, term) in lines[1..].iter_mut().zip(&terms) {
            write!(line, "\t{}", term.map_or_else(String::new, |t| t.to_string()))
                .expect("writing to a string cannot fail");
        }
        write_text(&path, &(lines.join("\n") + "\n"))?;
        Ok((path, terms.iter().flatten().count()))
    }

    /// A fitted weight as the option takes it.
    fn percent(&self, fit: &Adjustment) -> u32 {
        (100.0 * fit.weights[0].weight).round().clamp(0.0, f64::from(self.largest)) as u32
    }

    fn weights(&self, fits: &[Adjustment], percents: &[u32]) -> Table {
        let mut told = Table::new(["method", "weight", "95 %", "option", "paper (bishops)"])
            .align(std::iter::once(Align::Left).chain([Align::Right; 4]));
        for (fit, percent) in fits.iter().zip(percents) {
            let method = fit.method.name();
            let (w, paper) =
                (&fit.weights[0], self.published.iter().find(|(name, _)| name == method));
            told.push([
                method.to_owned(),
                number::with_error(w.weight, w.error),
                format!("{} to {}", number::fixed(w.low, 2), number::fixed(w.high, 2)),
                percent.to_string(),
                paper.map_or_else(String::new, |(_, p)| number::significant(*p, 3)),
            ]);
        }
        told
    }

    fn matches(
        &self,
        ground: &Ground<'_>,
        program: &Path,
        percents: &[u32],
    ) -> Result<(Table, String), LabError> {
        let openings: Openings = ground.openings(self.opening_plies)?;
        let versions = [("MLM", percents[0]), ("LS", percents[1]), ("off", 0), ("original", 100)];
        let engines = versions.map(|(_, percent)| self.engine(program, percent));
        let pace = Pace::Depth(ground.size.plies);
        let mut played: Vec<(String, MatchStats, String)> = Vec::new();
        for (i, (a, b)) in [(0, 2), (1, 2), (3, 2), (0, 3), (1, 3)].into_iter().enumerate() {
            let names = [a, b].map(|v| format!("{} {}", versions[v].0, versions[v].1));
            let entrants = [(0, a), (1, b)].map(|(seat, version)| Entrant {
                name: &names[seat],
                opened: Opened::Engine(&engines[version]),
                pace,
            });
            let log = ground.folder.join(&format!("match-{i}.jsonl"));
            let calibration = ground.folder.join(&format!("match-{i}-calibration.json"));
            ground.progress.note(&format!("{} against {}", names[0], names[1]));
            let plan = DuelPlan::new(openings.len() as u32, ground.seed);
            let stats =
                duel(ground.game, entrants, &plan, &openings, &log, &calibration, ground.progress)?
                    .stats;
            let paper = self.published_matches.get(i).cloned().unwrap_or_default();
            played.push((format!("{} against {}", names[0], names[1]), stats, paper));
        }
        let share = |stats: &MatchStats| {
            stats.share.map_or_else(|| "nothing".into(), |s| number::percent(s, 1))
        };
        let told = format!(
            "MLM against off scores {}, {}; against the original {}, {}.",
            share(&played[0].1),
            significance(&played[0].1),
            share(&played[3].1),
            significance(&played[3].1)
        );
        Ok((match_table(played.iter().map(|(n, s, p)| (n.clone(), s, p.clone()))), told))
    }
}

/// The conditioned curves without the group and with its fitted weight.
fn gaps(
    ground: &Ground<'_>,
    table: &TableSource,
    fit: &Adjustment,
    kept: usize,
) -> Result<Table, LabError> {
    let min_count = Some((kept as u64 / 200).clamp(2, 50));
    let read = |text: &str| Expression::condition(text);
    let conditions = [read("term >= 20"), read("term <= -20")];
    let conditions = conditions.into_iter().collect::<Result<Vec<_>, _>>();
    let conditions = conditions.map_err(|e| LabError::Settings(e.to_string()))?;
    let plan = TablePlan { bin_width: None, min_count, draws: Draws::LeftOut, conditions };
    let mut told =
        Table::new(["version", "condition", "positions", "vertical gap", "log-odds", "p"])
            .align([Align::Left, Align::Left].into_iter().chain([Align::Right; 4]));
    let adjusted = format!("off + {} * term", fit.weights[0].weight);
    let values = [("off", "off"), ("MLM", adjusted.as_str()), ("original", "off + term")];
    for (version, value) in values {
        let value = Expression::formula(&value.replace("+ -", "- "));
        let value = value.map_err(|e| LabError::Settings(e.to_string()))?;
        let curves = draw_table(&TableSource { value, ..table.clone() }, &plan, ground.progress)?;
        for c in &curves.conditions {
            let counted: u64 = c.curve.bins.iter().map(|bin| bin.count).sum();
            let missing = || number::MISSING.to_owned();
            told.push([
                version.to_owned(),
                c.condition.clone(),
                number::thousands(counted),
                c.split.map_or_else(missing, |s| format!("{:+.3}", s.vertical)),
                c.split.map_or_else(missing, |s| number::with_error(s.log_odds, s.log_odds_error)),
                c.split.map_or_else(missing, |s| number::p_value(s.p_value)),
            ]);
        }
    }
    Ok(told)
}

/// Writes every so-manieth row of a table, with the columns that matter.
fn thin(from: &Path, to: &Path, every: usize) -> Result<(), LabError> {
    let sheet = Sheet::open(from)?;
    let place = |name: &str| {
        sheet.names().iter().position(|n| n == name).ok_or_else(|| {
            LabError::Settings(format!("{}: there is no column {name:?}", from.display()))
        })
    };
    let places = [place("fen")?, place("result")?, place("game")?];
    let (mut text, mut row) = ("fen\tresult\tgame\n".to_owned(), 0);
    sheet.texts(|cells| -> Result<(), LabError> {
        if row % every.max(1) == 0 {
            text += &(places.map(|p| cells[p].as_str()).join("\t") + "\n");
        }
        row += 1;
        Ok(())
    })?;
    write_text(to, &text)
}

fn write_text(path: &Path, text: &str) -> Result<(), LabError> {
    write_atomically(path, |file| file.write_all(text.as_bytes())).map_err(LabError::io(path))
}
