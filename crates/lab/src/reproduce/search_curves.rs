//! Curves as a test of searches (takeuchi07's concluding remarks): the same positions,
//! valued after searches of growing depth and of several selectivities.
//!
//! A search is a good predictor when its values tell much about results: by how many
//! bits the logistic curve through them lowers the entropy of who wins. What it costs
//! is the positions it visits. Invariant: all searches are judged on the same positions,
//! those that each of them has a value for, and differences between two of them are
//! differences position by position, with errors clustered by game.

use super::{Ground, Reproduction};
use crate::LabError;
use crate::curve_picture::{measured, rises};
use crate::curve_table::{TableCurves, TablePlan, TableSource, draw_table};
use crate::curve_values::{After, OwnOrder, OwnValued, ValueSource, own_values};
use crate::run_folder::write_json;
use evalsmith_core::Game;
use evalsmith_core::files::write_atomically;
use evalsmith_curves::{Draws, Expression};
use evalsmith_data::Sheet;
use evalsmith_report::{Align, LineChart, Series, Table, number};
use evalsmith_stats::normal;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchCurves {
    /// The searches, the cheapest first.
    searches: Vec<After>,
    /// Conditions, each with its name.
    #[serde(default)]
    conditions: Vec<(String, String)>,
    /// What the paper says of it.
    paper: String,
}

/// A search with what became of the positions.
struct Search {
    after: After,
    valued: OwnValued,
    path: PathBuf,
}

/// A search judged by results.
struct Judged {
    name: String,
    after: After,
    /// Positions visited for one that is valued.
    nodes: f64,
    curves: TableCurves,
    /// Bits told about who wins.
    told: f64,
}

/// Bits that one search tells more than another, and their error.
#[derive(Clone, Copy)]
struct Difference {
    bits: f64,
    error: f64,
}

impl Difference {
    fn p_value(self) -> f64 {
        if self.bits == 0.0 { 1.0 } else { normal::two_sided(self.bits / self.error) }
    }

    fn is_significant(self) -> bool {
        self.p_value() < 0.05
    }
}

impl SearchCurves {
    /// Settings for a run of seconds.
    #[cfg(test)]
    pub(super) fn make_small(&mut self) {
        self.searches.retain(|search| !matches!(search, After::Depth(2..)));
    }

    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let mut searches = Vec::new();
        for (place, &after) in self.searches.iter().enumerate() {
            if !matches!(after, After::Selective(..)) || leaves_lines_out(ground) {
                searches.push(Search::value(ground, place, after)?);
            }
        }
        if searches.is_empty() {
            let verdict = format!(
                "Not run: the searches of this experiment leave lines out, and {} has no such \
                 search here. The paper: {}",
                ground.game.name(),
                self.paper
            );
            return Ok(ground.told(Vec::new(), verdict));
        }
        let path = ground.folder.join("searches.tsv");
        join(&searches, &path)?;
        let column = |place: usize| Expression::column(&format!("search{place}"));
        let source = |value| TableSource {
            path: path.clone(),
            value,
            result: "result".into(),
            game: Some("game".into()),
            side: None,
            first: None,
        };
        let conditions = self.conditions.iter().map(|(_, text)| Expression::condition(text));
        let conditions = conditions.collect::<Result<Vec<_>, _>>();
        let conditions = conditions.map_err(|e| LabError::Settings(e.to_string()))?;
        let plan =
            TablePlan { bin_width: None, min_count: Some(50), draws: Draws::LeftOut, conditions };
        let mut judged = Vec::new();
        for (place, search) in searches.iter().enumerate() {
            let curves = draw_table(&source(column(place)), &plan, ground.progress)?;
            let Search { after, valued, .. } = search;
            let nodes = valued.nodes as f64 / valued.rows.max(1) as f64;
            let name = after.to_string();
            judged.push(Judged { name, after: *after, nodes, curves, told: 0.0 });
        }
        let columns: Vec<Expression> = (0..judged.len()).map(column).collect();
        let losses = Losses::read(ground, &source(column(0)), &columns, &judged)?;
        for (place, one) in judged.iter_mut().enumerate() {
            one.told = losses.told(place);
        }
        let mut made = ground.told(vec![self.table(&judged, &losses)], String::new());
        made.verdict = format!("{} The paper: {}", verdict(&judged, &losses), self.paper);
        made.charts = charts(&judged);
        Ok(made)
    }

    fn table(&self, judged: &[Judged], losses: &Losses) -> Table {
        let mut told = Table::new([
            "search",
            "nodes a position",
            "positions",
            "slope",
            "monotone",
            "told, bits",
            "more than the line above",
            "p",
            "conditions miss, log-odds",
        ])
        .align(std::iter::once(Align::Left).chain([Align::Right; 8]));
        for (place, one) in judged.iter().enumerate() {
            let total = &one.curves.total;
            let more = place.checked_sub(1).map(|before| losses.between(place, before));
            let missed: Vec<f64> =
                one.curves.conditions.iter().filter_map(|c| c.split.map(|s| s.log_odds)).collect();
            let slope = total.logistic.map_or_else(
                || number::MISSING.to_owned(),
                |l| number::with_error(l.scale, l.scale_error),
            );
            told.push([
                one.name.clone(),
                number::significant(one.nodes, 3),
                number::thousands(total.bins.iter().map(|bin| bin.count).sum()),
                slope,
                rises(total).to_owned(),
                number::fixed(one.told, 4),
                more.map_or_else(String::new, |d| {
                    format!("{:+.4} ± {}", d.bits, number::fixed(d.error, 4))
                }),
                more.map_or_else(String::new, |d| number::p_value(d.p_value())),
                missed.iter().map(|m| format!("{m:+.3}")).collect::<Vec<_>>().join(", "),
            ]);
        }
        told.caption =
            self.conditions.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        told
    }
}

impl Search {
    /// The values of all positions after a search, made now unless they are there.
    fn value(ground: &Ground<'_>, place: usize, after: After) -> Result<Self, LabError> {
        let path = ground.folder.join(&format!("values-{place}.tsv"));
        let account = ground.folder.join(&format!("values-{place}.json"));
        let known = std::fs::read(&account).ok().filter(|_| path.is_file());
        if let Some(valued) = known.and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(Self { after, valued, path });
        }
        let source = ValueSource::Dataset(ground.dataset()?.dir().to_owned());
        let (column, output) = ("value".to_owned(), path.clone());
        let order = OwnOrder { after, column, atoms: false, output };
        let name = Ground::asked(after);
        ground.progress.note(&format!("values after {after}"));
        let valued = own_values(ground.game, &name, &source, &order, ground.progress)?;
        write_json(&account, &valued)?;
        Ok(Self { after, valued, path })
    }
}

/// Whether the function that comes with the game has a search that leaves lines out.
fn leaves_lines_out(ground: &Ground<'_>) -> bool {
    ground.game.shipped().is_some_and(|shipped| !shipped.search(0).levels().is_empty())
}

/// Writes one table with the values of all searches, of the positions that all have one.
fn join(searches: &[Search], to: &Path) -> Result<(), LabError> {
    let mut lines: Vec<Option<String>> = Vec::new();
    for (place, search) in searches.iter().enumerate() {
        let sheet = Sheet::open(&search.path)?;
        let last = sheet.names().len() - 1;
        if place == 0 {
            lines.push(Some(sheet.names()[..last].join("\t")));
        }
        if let Some(Some(heading)) = lines.first_mut() {
            heading.push_str("\tsearch");
            heading.push_str(&place.to_string());
        }
        let mut row = 1;
        sheet.texts(|cells| -> Result<(), LabError> {
            if place == 0 {
                lines.push(Some(cells[..last].join("\t")));
            }
            if let Some(line) = lines.get_mut(row) {
                let valued = line.take().filter(|_| !cells[last].is_empty());
                *line = valued.map(|line| line + "\t" + &cells[last]);
            }
            row += 1;
            Ok(())
        })?;
    }
    let text = lines.into_iter().flatten().collect::<Vec<_>>().join("\n") + "\n";
    write_atomically(to, |file| file.write_all(text.as_bytes())).map_err(LabError::io(to))
}

/// What each search's logistic curve leaves unsaid, in bits, by game.
struct Losses {
    /// Positions of each game, and the loss of every search over them.
    games: Vec<(f64, Vec<f64>)>,
    positions: f64,
    won: f64,
}

impl Losses {
    fn read(
        ground: &Ground<'_>,
        source: &TableSource,
        columns: &[Expression],
        judged: &[Judged],
    ) -> Result<Self, LabError> {
        let fits: Vec<_> = judged.iter().map(|one| one.curves.total.logistic).collect();
        let mut losses = Self { games: Vec::new(), positions: 0.0, won: 0.0 };
        let mut last = None;
        source.open()?.read_rows(columns, ground.progress, |_, half_points, game, values| {
            // Draws are left out of the curves as well.
            if half_points == 1 {
                return;
            }
            if last != Some(game) {
                last = Some(game);
                losses.games.push((0.0, vec![0.0; values.len()]));
            }
            losses.positions += 1.0;
            losses.won += f64::from(half_points) / 2.0;
            if let Some((count, sums)) = losses.games.last_mut() {
                *count += 1.0;
                for ((sum, value), fit) in sums.iter_mut().zip(values).zip(&fits) {
                    let p = fit.map_or(0.5, |fit| fit.win_prob(*value).0);
                    let p = if half_points == 2 { p } else { 1.0 - p };
                    *sum -= p.max(f64::MIN_POSITIVE).log2();
                }
            }
        })?;
        Ok(losses)
    }

    /// By how many bits a search lowers the entropy of who wins.
    fn told(&self, search: usize) -> f64 {
        let part = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
        let share = self.won / self.positions;
        let loss: f64 = self.games.iter().map(|(_, sums)| sums[search]).sum();
        part(share) + part(1.0 - share) - loss / self.positions
    }

    /// What the first of two searches tells more than the second.
    fn between(&self, first: usize, second: usize) -> Difference {
        let more = |sums: &[f64]| sums[second] - sums[first];
        let bits = self.games.iter().map(|(_, sums)| more(sums)).sum::<f64>() / self.positions;
        let squares: f64 =
            self.games.iter().map(|(count, sums)| (more(sums) - count * bits).powi(2)).sum();
        Difference { bits, error: squares.sqrt() / self.positions }
    }
}

/// Which search predicts best, which as well for less, and what selectivity costs.
fn verdict(judged: &[Judged], losses: &Losses) -> String {
    let best = (0..judged.len()).max_by(|&a, &b| judged[a].told.total_cmp(&judged[b].told));
    let best = best.expect("there is a search");
    let nodes = |one: &Judged| number::significant(one.nodes, 3);
    let mut said = vec![format!(
        "{} predicts results best: {} bits for {} nodes a position.",
        judged[best].name,
        number::fixed(judged[best].told, 4),
        nodes(&judged[best])
    )];
    let equal = |&other: &usize| other == best || !losses.between(best, other).is_significant();
    let cheapest = (0..judged.len())
        .filter(equal)
        .min_by(|&a, &b| judged[a].nodes.total_cmp(&judged[b].nodes))
        .expect("the best equals itself");
    said.push(if cheapest == best {
        "No cheaper search equals it.".to_owned()
    } else {
        let difference = losses.between(best, cheapest);
        format!(
            "The cheapest that cannot be told from it is {}: {} bits less (p {}) for {} nodes.",
            judged[cheapest].name,
            number::fixed(difference.bits, 4),
            number::p_value(difference.p_value()),
            nodes(&judged[cheapest])
        )
    });
    for (place, one) in judged.iter().enumerate() {
        let After::Selective(plies, percent) = one.after else { continue };
        let whole = |other: &Judged| other.after == After::Selective(plies, 100);
        let Some(whole) = judged.iter().position(whole).filter(|_| percent < 100) else { continue };
        let lost = losses.between(whole, place);
        said.push(format!(
            "{} visits {} of the nodes of the whole search and {} ({:+.4} bits, p {}).",
            one.name,
            number::percent(one.nodes / judged[whole].nodes, 0),
            match (lost.is_significant(), lost.bits > 0.0) {
                (true, true) => "predicts worse",
                (true, false) => "predicts better",
                (false, _) => "predicts as well",
            },
            -lost.bits,
            number::p_value(lost.p_value())
        ));
    }
    for one in judged.iter().filter(|one| !one.curves.total.monotone) {
        said.push(format!("The curve of {} is NOT monotone.", one.name));
    }
    said.join(" ")
}

fn charts(judged: &[Judged]) -> Vec<(LineChart, String)> {
    let mut curves = judged[0].curves.chart("A curve for each search");
    curves.series = judged.iter().map(|one| measured(&one.name, &one.curves.total)).collect();
    (curves.histogram, curves.x_range) = (None, None);
    let mut bits: Vec<(f64, f64)> =
        judged.iter().map(|one| (one.nodes.max(1.0).log10(), one.told)).collect();
    bits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let cost = LineChart {
        title: "What a search tells, and what it costs".into(),
        x_label: "nodes a position, powers of ten".into(),
        y_label: "bits told about who wins".into(),
        series: vec![Series::new("searches", bits)],
        ..LineChart::default()
    };
    vec![
        (curves, "Bands are 95 % intervals, clustered by game.".to_owned()),
        (cost, "The searches of the table by their cost.".to_owned()),
    ]
}
