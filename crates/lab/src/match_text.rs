//! Matches and tournaments as tables.

use crate::pace::Pace;
use crate::time_factor::Equality;
use crate::tournament::Standings;
use evalsmith_arena::{MatchPlan, MatchResult, TestState};
use evalsmith_report::{Align, Table, number};
use evalsmith_stats::Interval;
use evalsmith_stats::elo::{Elo, MatchStats, Summary};
use evalsmith_stats::ratings::{Estimate, Ratings};
use evalsmith_stats::sprt::{Strength, Verdict};
use evalsmith_stats::time_factor::Step;

/// A match as a table: score, points, Elo, superiority, margin.
pub fn match_table(result: &MatchResult) -> Table {
    let [_, opponent] = &result.plan.names;
    stats_table([(opponent.clone(), paces(&result.plan), &result.stats)].into_iter())
}

/// What the players of a match had for their thinking, in words.
fn paces(plan: &MatchPlan) -> String {
    let pace = |i: usize| plan.conditions["paces"][i].as_str().unwrap_or("?");
    match (pace(0), pace(1)) {
        (a, b) if a == b => a.parse().map_or(a.to_owned(), Pace::describe),
        (a, b) => format!("{a} against {b}"),
    }
}

pub(crate) fn stats_table<'a>(
    matches: impl Iterator<Item = (String, String, &'a MatchStats)>,
) -> Table {
    let mut table = Table::new([
        "against",
        "pace",
        "games",
        "W",
        "D",
        "L",
        "points",
        "Elo",
        "95 %",
        "superior",
        "margin",
        "sign test p",
    ])
    .align([Align::Left, Align::Left].into_iter().chain([Align::Right; 10]));
    for (against, pace, stats) in matches {
        let margin = stats.margin.as_ref().map_or("-".into(), |m| match &m.interval {
            Some(i) => format!("{:+.2} ({:+.2} to {:+.2})", m.mean, i.low, i.high),
            None => format!("{:+.2}", m.mean),
        });
        table.push([
            against,
            pace,
            stats.games().to_string(),
            stats.wins.to_string(),
            stats.draws.to_string(),
            stats.losses.to_string(),
            share(stats.share),
            elo(stats.elo),
            format!(
                "{} to {}",
                elo(Some(stats.elo_interval.low)),
                elo(Some(stats.elo_interval.high))
            ),
            number::percent(stats.superiority, 1),
            margin,
            number::p_value(stats.sign_test.p_value),
        ]);
    }
    table
}

fn share(share: Option<f64>) -> String {
    share.map_or("-".into(), |s| number::percent(s, 1))
}

/// A difference in Elo; beyond what games can show, its sign alone.
fn elo(elo: Option<Elo>) -> String {
    match elo {
        None => "-".into(),
        Some(Elo(e)) if e == f64::INFINITY => "+inf".into(),
        Some(Elo(e)) if e == f64::NEG_INFINITY => "-inf".into(),
        Some(Elo(e)) => format!("{e:+.0}"),
    }
}

/// What each player of a match spent, and how its games ended.
pub fn games_table(result: &MatchResult) -> Table {
    let totals = &result.totals;
    let mut table = Table::new(["player", "nodes", "CPU s", "wall s", "forfeits"])
        .align([Align::Left].into_iter().chain([Align::Right; 4]));
    let seconds =
        |micros: Option<u64>| micros.map_or("-".into(), |t| format!("{:.3}", t as f64 / 1e6));
    for (i, name) in result.plan.names.iter().enumerate() {
        table.push([
            name.clone(),
            number::thousands(totals.nodes[i]),
            seconds(totals.cpu_micros[i]),
            seconds(totals.wall_micros[i]),
            totals.faults[i].to_string(),
        ]);
    }
    let ends: Vec<_> = totals.ends.iter().map(|(end, games)| format!("{games} {end}")).collect();
    let plies = totals.mean_plies();
    table.caption(format!("{plies:.1} half-moves a game; games ended: {}", ends.join(", ")))
}

/// A sequential test as a table.
pub fn test_table(state: &TestState) -> Table {
    let strength = |strength: Strength| match strength {
        Strength::Logistic(elo) => format!("{:+} Elo", elo.0),
        Strength::Normalised(elo) => format!("{:+} nElo", elo.0),
    };
    let [h0, h1] = state.test.hypotheses().map(strength);
    let [alpha, beta] = state.test.error_rates();
    let verdict = match state.verdict {
        Verdict::Continue => "undecided".to_owned(),
        Verdict::AcceptH0 => format!("H0 accepted: {h0} rather than {h1}"),
        Verdict::AcceptH1 => format!("H1 accepted: {h1} rather than {h0}"),
    };
    Table::new(["H0", "H1", "alpha", "beta", "LLR", "bounds", "verdict"]).row([
        h0,
        h1,
        alpha.to_string(),
        beta.to_string(),
        format!("{:+.2}", state.llr),
        format!("{:+.2} to {:+.2}", state.bounds.low, state.bounds.high),
        verdict,
    ])
}

/// What counts of results say, as a table.
pub fn pairs_table(summary: &Summary, llr: Option<f64>) -> Table {
    let normalised = |e: Option<f64>| elo(e.map(Elo));
    let mut table = Table::new([
        "games",
        "points",
        "Elo",
        "95 %",
        "nElo",
        "95 %",
        "superior",
        "sign test p",
        "LLR",
    ])
    .align([Align::Right; 9]);
    let precise = |e: Option<Elo>| match e {
        Some(Elo(e)) if e.is_finite() => format!("{e:+.2}"),
        other => elo(other),
    };
    let nelo = |e: f64| if e.is_finite() { format!("{e:+.2}") } else { normalised(Some(e)) };
    table.push([
        summary.games.to_string(),
        summary.share.map_or("-".into(), |s| number::percent(s, 2)),
        precise(summary.elo),
        format!(
            "{} to {}",
            precise(Some(summary.elo_interval.low)),
            precise(Some(summary.elo_interval.high))
        ),
        summary.normalised_elo.map_or("-".into(), |e| nelo(e.0)),
        format!(
            "{} to {}",
            nelo(summary.normalised_interval.low.0),
            nelo(summary.normalised_interval.high.0)
        ),
        number::percent(summary.superiority, 2),
        number::p_value(summary.sign_test.p_value),
        llr.map_or("-".into(), |llr| format!("{llr:+.2}")),
    ]);
    table
}

/// The ratings of a tournament, best first, and who scored what against whom. As
/// long as there are no ratings, players stand in the order of their points.
pub fn standings_tables(standings: &Standings) -> [Table; 2] {
    let Standings { table: cross, ratings, spent } = standings;
    let points = |&i: &usize| {
        let MatchPoints { halves, games } = MatchPoints::of(cross.total(i).0);
        // Nobody who has not played is better or worse than half.
        std::cmp::Reverse((500 * halves).checked_div(games).unwrap_or(500))
    };
    let ranking = ratings.as_ref().map_or_else(
        || {
            let mut order: Vec<usize> = (0..cross.names().len()).collect();
            order.sort_by_key(points);
            order
        },
        Ratings::ranking,
    );
    let mut rated =
        Table::new(["", "player", "Elo", "error", "95 %", "games", "points", "nodes", "forfeits"])
            .align([Align::Right, Align::Left].into_iter().chain([Align::Right; 7]));
    for (rank, &i) in ranking.iter().enumerate() {
        let rating = ratings.as_ref().map(|ratings| ratings.rating(i));
        let [rated_elo, error, interval] = rating.map_or_else(
            || ["-", "-", "-"].map(str::to_owned),
            |Estimate { elo: rating, error, interval: Interval { low, high }, .. }| {
                let interval = format!("{} to {}", elo(Some(low)), elo(Some(high)));
                [elo(Some(rating)), format!("{error:.0}"), interval]
            },
        );
        let total = MatchPoints::of(cross.total(i).0);
        rated.push([
            (rank + 1).to_string(),
            cross.names()[i].clone(),
            rated_elo,
            error,
            interval,
            spent[i].games.to_string(),
            total.to_string(),
            number::thousands(spent[i].nodes),
            spent[i].faults.to_string(),
        ]);
    }
    if ratings.as_ref().is_some_and(Ratings::with_prior) {
        rated = rated
            .caption("Perfect scores: every player was given half a draw against the mean of all.");
    } else if ratings.is_none() {
        rated = rated.caption("No ratings yet: some players have not met the others.");
    }
    let numbers = (1..=ranking.len()).map(|n| n.to_string());
    let mut scores = Table::new([String::new(), "player".into()].into_iter().chain(numbers))
        .align([Align::Right, Align::Left].into_iter().chain(ranking.iter().map(|_| Align::Right)));
    for (rank, &i) in ranking.iter().enumerate() {
        let cells = ranking.iter().map(|&j| {
            let pairs = cross.between(i, j);
            if pairs.0 == [0; 5] { "-".into() } else { MatchPoints::of(pairs.0).to_string() }
        });
        scores.push([(rank + 1).to_string(), cross.names()[i].clone()].into_iter().chain(cells));
    }
    [rated, scores]
}

/// Points made of points to be made.
struct MatchPoints {
    halves: u64,
    games: u64,
}

impl MatchPoints {
    fn of(pairs: [u64; 5]) -> Self {
        let halves = (0..).zip(pairs).map(|(halves, n)| halves * n).sum();
        Self { halves, games: 2 * pairs.iter().sum::<u64>() }
    }
}

impl std::fmt::Display for MatchPoints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let half = if self.halves.is_multiple_of(2) { "" } else { ".5" };
        write!(f, "{}{half}/{}", self.halves / 2, self.games)
    }
}

/// The factors played, and the sentence about the one of equal strength.
pub fn time_factor_table(found: &Equality, names: [&str; 2]) -> (Table, String) {
    let mut table = Table::new(["time factor", "pairs", "points"]).align([Align::Right; 3]);
    for batch in &found.batches {
        let points = MatchPoints::of(batch.pairs.0);
        table.push([
            format!("{:.3}", batch.factor),
            batch.pairs.pairs().to_string(),
            points.to_string(),
        ]);
    }
    let [a, b] = names;
    let answer = match found.step {
        Step::Found { factor, interval } => format!(
            "{a} with {factor:.2} times the time ({:.2} to {:.2}, 95 %) equals {b}.",
            interval.low, interval.high
        ),
        Step::Below => format!("{a} is stronger than {b} with the least time allowed."),
        Step::Above => format!("{a} is weaker than {b} with the most time allowed."),
        Step::Play(next) => {
            let estimate = found
                .fit
                .and_then(|fit| fit.factor)
                .map_or(String::new(), |factor| format!("; the estimate so far is {factor:.2}"));
            format!("No factor is known well enough yet{estimate}; {next:.3} would be next.")
        }
    };
    (table, answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_stats::elo::Pentanomial;
    use evalsmith_stats::ratings::{Anchor, CrossTable};

    #[test]
    fn points_are_written_with_their_halves() {
        assert_eq!(MatchPoints::of([1, 1, 0, 0, 2]).to_string(), "4.5/8");
        assert_eq!(MatchPoints::of([0, 0, 3, 0, 0]).to_string(), "3/6");
    }

    #[test]
    fn standings_rank_and_cross() {
        let mut table = CrossTable::new(["weak", "strong"]).unwrap();
        table.add(0, 1, &Pentanomial([6, 2, 3, 1, 1])).unwrap();
        let ratings = Ratings::fit(&table, Anchor::Mean).unwrap();
        let spent = vec![crate::tournament::Spent::default(); 2];
        let mut standings = Standings { table, ratings: Some(ratings), spent };
        let [rated, scores] = standings_tables(&standings).map(|table| table.to_csv());
        assert!(rated.lines().nth(1).unwrap().starts_with("1,strong,+"), "{rated}");
        assert_eq!(scores.lines().nth(1), Some("1,strong,-,18.5/26"), "{scores}");

        standings.ratings = None;
        let [rated, unrated] = standings_tables(&standings).map(|table| table.to_csv());
        assert!(rated.lines().nth(1).unwrap().starts_with("1,strong,-,-,-,"), "{rated}");
        assert_eq!(unrated, scores);
    }

    #[test]
    fn counts_say_what_fastchess_says() {
        let summary = Summary::of(&Pentanomial([34, 54, 63, 64, 75]));
        let text = pairs_table(&summary, Some(1.5)).to_csv();
        assert!(text.contains("+55.58") && text.contains("+57.94") && text.contains("+1.50"));
    }
}
