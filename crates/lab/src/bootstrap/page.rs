//! A bootstrap as people read it: a table, the learning curve, one page.

use super::{BootstrapSummary, RoundMatches, RoundRecord};
use crate::page::program;
use evalsmith_report::{Align, LineChart, Page, Section, Series, Table, number};
use evalsmith_stats::elo::MatchStats;
use std::path::Path;

/// Rounds that a table shows.
const SHOWN: usize = 24;

impl RoundRecord {
    /// The round in a line.
    pub(super) fn sentence(&self) -> String {
        let (decided, zeros) = self.judged;
        let nodes = self.nodes.map_or(String::new(), |n| format!(", {n} nodes"));
        let matches = self.matches.as_ref().map_or(String::new(), |m| {
            let word = if m.improved { "better than" } else { "not shown to be better than" };
            format!("; {word} round {} ({})", m.best, elo(&m.against_best))
        });
        format!(
            "round {}: {} of {decided} unseen labels told ({zeros} are 0){nodes}{matches}",
            self.round,
            number::percent(self.right, 1)
        )
    }
}

/// An Elo difference with its interval.
pub(crate) fn elo(stats: &MatchStats) -> String {
    let interval = &stats.elo_interval;
    let round = |elo: f64| {
        if elo.is_finite() { format!("{elo:+.0}") } else { "beyond measure".into() }
    };
    stats.elo.map_or("-".into(), |elo| {
        format!("{} Elo, {} to {}", round(elo.0), round(interval.low.0), round(interval.high.0))
    })
}

impl BootstrapSummary {
    /// The rounds, or some of them, in a table.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "round",
            "positions",
            "unseen labels told",
            "labels of 0",
            "nodes",
            "features asked",
            "against the best",
            "against round 0",
        ])
        .align([Align::Right; 6].into_iter().chain([Align::Left; 2]));
        let every = self.rounds.len().div_ceil(SHOWN).max(1);
        let last = self.rounds.len().saturating_sub(1);
        let shown = |i: &usize| {
            i.is_multiple_of(every) || *i == last || self.rounds[*i].matches.is_some() && every < 4
        };
        for record in (0..self.rounds.len()).filter(shown).map(|i| &self.rounds[i]) {
            let (decided, zeros) = record.judged;
            let told =
                |of: fn(&RoundMatches) -> String| record.matches.as_ref().map_or(String::new(), of);
            table.push([
                record.round.to_string(),
                record.games.positions.to_string(),
                number::percent(record.right, 1),
                number::percent(zeros as f64 / (decided + zeros).max(1) as f64, 1),
                record.nodes.map_or("-".into(), |n| n.to_string()),
                record.asked.map_or("-".into(), |n| number::fixed(n, 1)),
                told(|m| {
                    let mark = if m.improved { ", better" } else { "" };
                    format!("{} (round {}{mark})", elo(&m.against_best), m.best)
                }),
                told(|m| elo(&m.against_trivial)),
            ]);
        }
        table
    }

    /// What became of it, in a sentence or two.
    pub fn verdict(&self) -> String {
        let rounds = self.rounds.len();
        let ended = if self.ended_early {
            "no match showed further improvement, which ended the run"
        } else {
            "all rounds were played"
        };
        let result = match self.best {
            0 => "No function was shown to be better than the trivial one.".to_owned(),
            best => format!("The function of round {best} is the result."),
        };
        let last = self.rounds.last().map_or(String::new(), |last| {
            let games = &last.games;
            format!(
                " In the last round a game took {} half-moves with {} moves to choose from; the first \
                 player won {}, the second {}, and {} were drawn.",
                number::fixed(games.mean_plies, 1),
                number::fixed(games.branching, 1),
                games.results[0],
                games.results[2],
                games.results[1]
            )
        });
        format!("{rounds} rounds: {ended}. {result}{last}")
    }

    /// For the terminal.
    pub fn to_text(&self, out: &Path) -> String {
        format!(
            "{}: bootstrap\n\n{}\n{}\nThe report: {}\n",
            self.game,
            self.table().to_text(),
            self.verdict(),
            out.join("report.html").display()
        )
    }

    /// The learning curve: accuracy, size and strength over the rounds.
    pub fn charts(&self) -> Vec<(LineChart, String)> {
        let over = |name: &str, of: &dyn Fn(&RoundRecord) -> Option<f64>| {
            let points = self.rounds.iter().filter_map(|r| Some((f64::from(r.round), of(r)?)));
            Series::new(name, points.collect())
        };
        let chart = |title: &str, y_label: &str, series: Vec<Series>| LineChart {
            title: title.into(),
            x_label: "round".into(),
            y_label: y_label.into(),
            series: series.into_iter().filter(|s| !s.points.is_empty()).collect(),
            ..LineChart::default()
        };
        let finite = |stats: &MatchStats| stats.elo.map(|e| e.0).filter(|e| e.is_finite());
        let against = |name: &str, of: fn(&RoundMatches) -> &MatchStats| {
            over(name, &|r| r.matches.as_ref().and_then(|m| finite(of(m))))
        };
        let mut charts = vec![(
            chart(
                "Unseen labels told",
                "share of labels other than 0",
                vec![over("right", &|r| Some(r.right))],
            ),
            "Positions of games that had no part in the round, by the sign of the value."
                .to_owned(),
        )];
        if self.rounds.iter().any(|r| r.nodes.is_some()) {
            let nodes = over("nodes", &|r| r.nodes.map(|n| n as f64));
            let caption = "Nodes of the pruned tree.".to_owned();
            charts.push((chart("Tree size", "nodes", vec![nodes]), caption));
        }
        if self.rounds.iter().any(|r| r.matches.is_some()) {
            let series = vec![
                against("round 0", |m| &m.against_trivial),
                against("the last best", |m| &m.against_best),
            ];
            let caption =
                "At equal depth; a clean sweep has no finite Elo and is left out.".to_owned();
            charts.push((chart("Strength", "Elo", series), caption));
        }
        charts
    }

    /// The one page about it.
    pub(super) fn page(&self) -> String {
        let mut curve = Section::new("The learning curve");
        for (chart, caption) in self.charts() {
            curve = curve.figure(chart, caption);
        }
        Page::new(format!("{}: bootstrap from the rules", self.game))
            .lead(self.verdict())
            .section(curve)
            .section(Section::new("Rounds").table(self.table()))
            .fact("command", &self.command)
            .fact("program", program())
            .to_html()
    }
}
