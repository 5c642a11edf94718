//! Values and endings in words.

use evalsmith_core::{Game, GameRecord, Reason, Score, Side, Verdict};

/// How a game ended.
pub(crate) fn ending<G: Game>(game: &G, record: &GameRecord<G::Position>) -> Option<String> {
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

/// A value for the side to move in few words: `62 %`, `wins by 6 discs`. A margin is
/// told only where it is exact.
pub(super) fn verdict<G: Game>(game: &G, value: Score, exact: bool) -> String {
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
        _ => format!("{:.1} %", 100.0 * value.log_odds().win_prob().0),
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
    use evalsmith_core::Outcome;
    use evalsmith_othello::Othello;

    #[test]
    fn margins_are_told_where_they_are_exact() {
        let won = Score::of_outcome(Outcome::by(6));
        assert_eq!(verdict(&Othello::new(), won, true), "wins by 6 discs");
        assert_eq!(verdict(&Othello::new(), -won, true), "loses by 6 discs");
        assert_eq!(verdict(&Othello::new(), won, false), "wins");
        assert_eq!(verdict(&Chess, Score::of_outcome(Outcome::WIN), true), "wins");
        assert_eq!(verdict(&Chess, Score(0), true), "draws");
        assert_eq!(verdict(&Chess, Score(0), false), "50.0 %");
    }
}
