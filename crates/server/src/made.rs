//! What a run has made so far: whether it is finished, its result as the command line
//! prints it, and the charts of its report before there is one.

use crate::curves::unstyled;
use crate::plain;
use evalsmith_lab::prelude::{
    BootstrapSummary, MatchResult, RoundRecord, Schedule, Standings, TestVerdict, TournamentOrder,
    games_table, match_table, read_course, read_match, standings_so_far, standings_tables,
    test_table,
};
use evalsmith_report::{LineChart, Mark, Series, Style};
use std::fs;
use std::path::{Path, PathBuf};

/// Rounds of a bootstrap that are looked at.
const MOST_ROUNDS: u32 = 2000;

/// What there is to see of a run.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) finished: bool,
    /// Its result so far, as text.
    pub(crate) table: Option<String>,
    /// Charts of how it goes.
    pub(crate) charts: Vec<String>,
    /// Whether a report can be shown.
    pub(crate) report: bool,
}

impl Made {
    /// What lies at a place, made by a run of this kind.
    pub(crate) fn look(kind: &str, place: &Path) -> Self {
        match kind {
            "match" => of_match(place),
            "fit" => Self { finished: place.is_file(), ..Self::default() },
            "tournament" => of_tournament(place),
            "bootstrap" => of_bootstrap(place),
            _ => of_folder(place),
        }
    }

    /// Whether a run is finished, without drawing what it made.
    pub(crate) fn is_finished(kind: &str, place: &Path) -> bool {
        match kind {
            "match" => {
                read_match(place).is_ok_and(|(header, result)| is_over(header.plan.pairs, &result))
            }
            "fit" => place.is_file(),
            "tournament" => TournamentOrder::of_folder(place)
                .is_ok_and(|(_, order)| is_played_out(&order, place)),
            _ => has_summary(place),
        }
    }
}

fn is_over(pairs: u32, result: &MatchResult) -> bool {
    let decided = result.test.as_ref().is_some_and(|test| test.verdict != TestVerdict::Continue);
    decided || result.stats.games() >= 2 * u64::from(pairs)
}

fn has_summary(folder: &Path) -> bool {
    ["report.html", "summary.json", "comparison.json"].iter().any(|f| folder.join(f).is_file())
}

fn of_match(log: &Path) -> Made {
    let Ok((header, result)) = read_match(log) else { return Made::default() };
    // As `match run` and `match report` print it.
    let mut table =
        format!("{}\n{}\n", match_table(&result).to_text(), games_table(&result).to_text());
    if let Some(test) = &result.test {
        table.push_str(&test_table(test).to_text());
    }
    let charts = share_chart(&result, log);
    Made {
        finished: is_over(header.plan.pairs, &result),
        table: Some(table),
        charts: charts.into_iter().collect(),
        report: true,
    }
}

/// How the score of a match came about.
fn share_chart(result: &MatchResult, log: &Path) -> Option<String> {
    let course = read_course(log).ok()?;
    if course.len() < 2 {
        return None;
    }
    let [a, b] = &result.plan.names;
    let share = course.iter().map(|point| (point.pairs as f64, point.share)).collect();
    let band = course.iter().map(|point| (point.interval.low, point.interval.high)).collect();
    let chart = LineChart {
        title: format!("{a} against {b}"),
        x_label: "pairs of games".into(),
        y_label: format!("share of the points of {a}"),
        series: vec![Series::new(a, share).band(band).style(Style::Line)],
        y_range: Some((0.0, 1.0)),
        marks: vec![Mark::Horizontal { y: 0.5, label: "equal".into() }],
        ..LineChart::default()
    };
    Some(unstyled(&chart.to_svg()))
}

/// The logs of matches in a folder, in the order of their names.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut logs: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).collect();
    logs.sort();
    logs
}

fn is_played_out(order: &TournamentOrder, folder: &Path) -> bool {
    let players = order.players.len();
    let meetings = match order.schedule {
        Schedule::RoundRobin => players * players.saturating_sub(1) / 2,
        Schedule::Gauntlet => players.saturating_sub(1),
    };
    let logs = logs(folder);
    let over = |log: &PathBuf| {
        read_match(log).is_ok_and(|(header, result)| is_over(header.plan.pairs, &result))
    };
    logs.len() >= meetings && logs.iter().all(over)
}

fn of_tournament(folder: &Path) -> Made {
    let Ok((_, order)) = TournamentOrder::of_folder(folder) else { return Made::default() };
    let standings = standings_so_far(&order, folder).ok().filter(Standings::has_games);
    let table = standings.map(|standings| {
        let [ratings, scores] = standings_tables(&standings);
        format!("{}\n{}", ratings.to_text(), scores.to_text())
    });
    let (finished, report) = (is_played_out(&order, folder), table.is_some());
    Made { finished, table, charts: Vec::new(), report }
}

/// The rounds so far, with the table and the charts that the report will have.
fn of_bootstrap(folder: &Path) -> Made {
    let read = |round: u32| -> Option<RoundRecord> {
        let file = folder.join(format!("round-{round:03}")).join("round.json");
        plain::json(&file)
    };
    let rounds: Vec<RoundRecord> = (1..=MOST_ROUNDS).map_while(read).collect();
    let (finished, report) = (has_summary(folder), folder.join("report.html").is_file());
    if rounds.is_empty() {
        return Made { finished, report, ..Made::default() };
    }
    let so_far = BootstrapSummary {
        game: String::new(),
        command: String::new(),
        rounds,
        best: 0,
        ended_early: false,
    };
    let drawn = |(chart, _): (LineChart, String)| unstyled(&chart.to_svg());
    let charts = if so_far.rounds.len() > 1 {
        so_far.charts().into_iter().map(drawn).collect()
    } else {
        Vec::new()
    };
    Made { finished, table: Some(so_far.table().to_text()), charts, report }
}

/// Any other run: the matches that it has played so far.
fn of_folder(folder: &Path) -> Made {
    let played: Vec<Made> = logs(folder).iter().map(|log| of_match(log)).collect();
    let tables: Vec<String> = played.iter().filter_map(|made| made.table.clone()).collect();
    Made {
        finished: has_summary(folder),
        table: (!tables.is_empty()).then(|| tables.join("\n")),
        charts: played.into_iter().flat_map(|made| made.charts).collect(),
        report: folder.join("report.html").is_file(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_neither_finished_nor_shown() {
        let temp = tempfile::tempdir().unwrap();
        for kind in ["match", "fit", "tournament", "bootstrap", "learn", "samuel"] {
            for place in [temp.path().join("nothing"), temp.path().to_owned()] {
                let made = Made::look(kind, &place);
                assert!(!made.finished && !made.report && made.table.is_none(), "{kind}");
                assert!(!Made::is_finished(kind, &place), "{kind}");
            }
        }
    }

    #[test]
    fn a_summary_ends_a_run_and_half_a_log_does_not_break_it() {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("match-depth.jsonl"), "{\"match_log\":").unwrap();
        let made = Made::look("learn", temp.path());
        assert!(!made.finished && made.table.is_none() && made.charts.is_empty());
        fs::write(temp.path().join("summary.json"), "{}").unwrap();
        assert!(Made::look("learn", temp.path()).finished);
        assert!(Made::is_finished("bootstrap", temp.path()));
        assert!(!Made::is_finished("tournament", temp.path()));
    }
}
