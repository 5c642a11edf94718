//! Values and endings in words.

use evalsmith_core::{Game, Reason, Score, Side, Verdict};
use evalsmith_rules::{DynGame, Record};

/// How a game ended.
pub(crate) fn ending(game: &DynGame, record: &Record) -> Option<String> {
    let ending = record.ending()?;
    let [first, second] = game.side_names();
    let for_first = ending.outcome.seen_by(record.side(), Side::First);
    let result = match for_first.verdict() {
        Verdict::Win => format!("{first} wins"),
        Verdict::Loss => format!("{second} wins"),
        Verdict::Draw => "a draw".into(),
    };
    let margin = match game.margin_unit() {
        Some(unit) if for_first.margin() != 0 => {
            format!(" by {} {unit}", for_first.margin().unsigned_abs())
        }
        _ => String::new(),
    };
    let why = match ending.reason {
        Reason::Rules | Reason::Solved | Reason::Agreed => "",
        Reason::Repetition => ", by repetition",
        Reason::Bound => ", by the bound on moves",
    };
    Some(format!("{result}{margin}{why}"))
}

/// An estimate for the side to move: `62.1 %`, and before it the expected margin, as in
/// `+2.5 discs, 62.1 %`, where the function was fitted to margins (`margin_per_logit`).
pub(crate) fn estimate(game: &DynGame, margin_per_logit: Option<f64>, value: Score) -> String {
    let log_odds = value.log_odds();
    let chance = format!("{:.1} %", 100.0 * log_odds.win_prob().0);
    match (margin_per_logit, game.margin_unit()) {
        (Some(per_logit), Some(unit)) => format!("{:+.1} {unit}, {chance}", per_logit * log_odds.0),
        _ => chance,
    }
}

/// A value for the side to move in few words: `62.1 %`, `wins by 6 discs`. The margin of a
/// decided game is shown only where it is exact.
pub(super) fn verdict(
    game: &DynGame,
    margin_per_logit: Option<f64>,
    value: Score,
    exact: bool,
) -> String {
    let margin = margin(value);
    match (value.is_decisive(), exact) {
        (true, _) => {
            let word = if value > Score(0) { "wins" } else { "loses" };
            match game.margin_unit() {
                Some(unit) if exact => format!("{word} by {} {unit}", margin.unsigned_abs()),
                _ => word.into(),
            }
        }
        (false, true) if value == Score(0) => "draws".into(),
        _ => estimate(game, margin_per_logit, value),
    }
}

/// The margin of a decided game.
pub(super) fn margin(value: Score) -> i32 {
    if value.is_decisive() { value.0 - value.0.signum() * Score::WIN.0 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_core::{LogOdds, Outcome};
    use evalsmith_othello::Othello;

    #[test]
    fn margins_are_told_where_they_are_exact() {
        let won = Score::of_outcome(Outcome::by(6));
        let (othello, chess) = (DynGame::new(Othello::new()), DynGame::new(Chess));
        assert_eq!(verdict(&othello, None, won, true), "wins by 6 discs");
        assert_eq!(verdict(&othello, None, -won, true), "loses by 6 discs");
        assert_eq!(verdict(&othello, None, won, false), "wins");
        assert_eq!(verdict(&chess, None, Score::of_outcome(Outcome::WIN), true), "wins");
        assert_eq!(verdict(&chess, None, Score(0), true), "draws");
        assert_eq!(verdict(&chess, None, Score(0), false), "50.0 %");
    }

    #[test]
    fn functions_fitted_to_margins_say_them() {
        let (othello, chess) = (DynGame::new(Othello::new()), DynGame::new(Chess));
        let value = LogOdds(-0.5).into();
        assert_eq!(verdict(&othello, Some(5.0), value, false), "-2.5 discs, 37.8 %");
        assert_eq!(verdict(&othello, None, value, false), "37.8 %");
        assert_eq!(verdict(&chess, Some(5.0), value, false), "37.8 %");
    }
}
