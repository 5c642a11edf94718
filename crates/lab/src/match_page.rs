//! Matches and tournaments as pages, with tables and charts.

use crate::match_text::{games_table, match_table, standings_tables, test_table};
use crate::tournament::{Standings, TournamentOrder};
use evalsmith_arena::{CoursePoint, LogHeader, MatchResult, TestState};
use evalsmith_report::{Histogram, LineChart, Mark, Page, Section, Series, Style, Table};

/// A page about a match: its result, how it came about, and the games.
pub fn match_page(header: &LogHeader, result: &MatchResult, course: &[CoursePoint]) -> String {
    let [a, b] = &result.plan.names;
    let mut section = Section::new("The result").table(match_table(result)).paragraph(
        "Results are from the first player's side. Every opening is played twice with colours \
         reversed, and no opening is used again. Errors are those of pairs; 'superior' is the \
         likelihood that the first player is the stronger one.",
    );
    if let Some(test) = &result.test {
        section = section.table(test_table(test));
    }
    let [lost, behind, level, ahead, won] = result.stats.pairs.0.map(|n| n.to_string());
    let pairs = Table::new(["points of a pair", "0", "½", "1", "1½", "2"]).row([
        "pairs".to_owned(),
        lost,
        behind,
        level,
        ahead,
        won,
    ]);
    let mut page =
        Page::new(format!("{}: {a} against {b}", header.game)).section(section.table(pairs));
    if course.len() > 1 {
        page = page.section(course_section(a, result.test.as_ref(), course));
    }
    page.section(Section::new("The games").table(games_table(result)))
        .fact("program", program())
        .fact("plan", serde_json::to_string(&result.plan).unwrap_or_default())
        .to_html()
}

/// How the score, and the ratio of a test, came about.
fn course_section(player: &str, test: Option<&TestState>, course: &[CoursePoint]) -> Section {
    let at = |point: &CoursePoint| point.pairs as f64;
    let share = course.iter().map(|point| (at(point), point.share)).collect();
    let band = course.iter().map(|point| (point.interval.low, point.interval.high)).collect();
    let score = LineChart {
        title: "Share of the points".into(),
        x_label: "pairs of games".into(),
        y_label: format!("share of {player}"),
        series: vec![Series::new(player, share).band(band).style(Style::Line)],
        y_range: Some((0.0, 1.0)),
        marks: vec![Mark::Horizontal { y: 0.5, label: "equal".into() }],
        ..LineChart::default()
    };
    let caption = "After so many pairs in the order of their openings, with the 95 % interval \
                   that a match ended there would have had.";
    let section = Section::new("How it came about").figure(score, caption);
    let Some(test) = test else { return section };
    let ratio = course.iter().filter_map(|point| Some((at(point), point.llr?))).collect();
    let bound = |y: f64, label: &str| Mark::Horizontal { y, label: label.into() };
    let chart = LineChart {
        title: "Log-likelihood ratio".into(),
        x_label: "pairs of games".into(),
        y_label: "log-likelihood ratio".into(),
        series: vec![Series::new("LLR", ratio).style(Style::Line)],
        marks: vec![bound(test.bounds.low, "H0"), bound(test.bounds.high, "H1")],
        ..LineChart::default()
    };
    section.figure(chart, "The sequential test ends at either bound.")
}

/// A page about a tournament: ratings and who scored what against whom.
pub fn tournament_page(game: &str, order: &TournamentOrder, standings: &Standings) -> String {
    let [rated, scores] = standings_tables(standings);
    let mut ratings = Section::new("Ratings").table(rated).paragraph(
        "Ratings come from all pairs of games at once, their mean zero; errors come from the \
         variance between pairs.",
    );
    if let Some(chart) = ratings_chart(standings) {
        ratings = ratings
            .figure(chart, "Elo by rank with 95 % intervals; below, games lost by failures.");
    }
    Page::new(format!("{game}: a tournament of {}", order.players.len()))
        .section(ratings)
        .section(Section::new("Cross table").table(scores).paragraph(
            "Points made of points to be made by the player of the row against that of the column.",
        ))
        .fact("program", program())
        .fact("order", serde_json::to_string(order).unwrap_or_default())
        .to_html()
}

fn ratings_chart(standings: &Standings) -> Option<LineChart> {
    let ratings = standings.ratings.as_ref()?;
    let ranked = || (1_u32..).map(f64::from).zip(ratings.ranking());
    let points = ranked().map(|(rank, i)| (rank, ratings.rating(i).elo.0)).collect();
    let band = ranked().map(|(_, i)| ratings.rating(i).interval);
    let band = band.map(|interval| (interval.low.0, interval.high.0)).collect();
    let faults = ranked().map(|(rank, i)| (rank, standings.spent[i].faults as f64)).collect();
    Some(LineChart {
        title: "Ratings".into(),
        x_label: "rank".into(),
        y_label: "Elo".into(),
        series: vec![Series::new("rating", points).band(band)],
        histogram: Some(Histogram { bars: faults, width: 0.5, label: "forfeits".into() }),
        marks: vec![Mark::Horizontal { y: 0.0, label: String::new() }],
        ..LineChart::default()
    })
}

fn program() -> String {
    format!("evalsmith {}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contender::Roster;
    use crate::match_order::{OpeningSource, Terms};
    use crate::pace::Pace;
    use crate::tournament::{Schedule, Spent};
    use evalsmith_arena::Adjudication;
    use evalsmith_stats::elo::Pentanomial;
    use evalsmith_stats::ratings::{Anchor, CrossTable, Ratings};

    #[test]
    fn a_tournament_has_its_cross_table_and_a_chart_once_rated() {
        let roster = Roster::default();
        let order = TournamentOrder {
            players: ["hand", "trivial"].map(|name| roster.player(name).unwrap()).to_vec(),
            schedule: Schedule::RoundRobin,
            terms: Terms {
                pairs: None,
                openings: OpeningSource::Random(4),
                even: None,
                seed: 1,
                pace: Pace::Depth(1),
                adjudication: Adjudication::default(),
                max_faults: 3,
            },
        };
        let mut table = CrossTable::new(["hand", "trivial"]).unwrap();
        table.add(0, 1, &Pentanomial([1, 1, 3, 2, 6])).unwrap();
        let ratings = Ratings::fit(&table, Anchor::Mean).ok();
        let mut standings = Standings { table, ratings, spent: vec![Spent::default(); 2] };
        let page = tournament_page("othello", &order, &standings);
        assert!(page.contains("18.5/26") && page.contains("<svg"), "{page}");
        standings.ratings = None;
        let page = tournament_page("othello", &order, &standings);
        assert!(page.contains("18.5/26") && !page.contains("<svg"), "{page}");
    }
}
