//! Why a function says what it says: its terms, the squares, and a move's difference.
//!
//! Which squares speak for whom is asked of every kind of function in the same way: a
//! piece is given to the other side, and half of what the value changes is what it
//! says. Counts of pieces, and with them the stage of the game, stay as they are.
//! Invariant: everything is told in log-odds of the side to move *before* the move.

use evalsmith_core::{Explanation, Game, Malformed, Picture, Position, Side};
use evalsmith_learn::DenseModel;
use evalsmith_rules::{DynFunction, DynGame, Pos, Record};
use serde::Serialize;

/// A value with its reasons.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Account {
    /// Who is to move: all log-odds are this side's.
    pub to_move: Side,
    /// The value, in log-odds.
    pub total: f64,
    /// The probability to win that it stands for.
    pub win: f64,
    /// Its terms, in the function's own order; they add up to the value.
    pub terms: Vec<Said>,
    /// Features of the function that this value did not need.
    pub unused: Vec<String>,
    /// What the piece on each square says; none for an empty square, and for a piece
    /// that cannot change sides. Empty for a game without a picture.
    pub squares: Vec<Option<f64>>,
    /// The same after a move.
    pub after: Option<Move>,
}

/// What one term says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Said {
    /// The feature, configuration or node.
    pub name: String,
    /// Its value in this position, where it has one.
    pub feature: Option<f64>,
    /// Its weight, where it has one.
    pub weight: Option<f64>,
    /// What it adds.
    pub contribution: f64,
    /// The squares it looks at, where it is a pattern.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub squares: Vec<String>,
}

/// What a move makes of a value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Move {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The value after it.
    pub total: f64,
    /// The terms after it, in the view of who played it.
    pub terms: Vec<Said>,
    /// What the pieces say after it, in that view.
    pub squares: Vec<Option<f64>>,
    /// The position after it as a picture.
    pub picture: Option<Picture>,
}

/// The account of a record's last position.
pub(super) fn account(
    game: &DynGame,
    function: &DynFunction,
    record: &Record,
    mv: Option<&str>,
) -> Result<Account, Malformed> {
    let (position, side) = (record.position(), record.side());
    if record.ending().is_some() {
        let reason = "the game is over: there is nothing to evaluate; take a move back";
        return Err(Malformed::new("position", game.format(position, side), reason));
    }
    let Explanation { total, terms } = function.explain(position);
    let after = mv.map(|text| -> Result<Move, Malformed> {
        let m = game.parse_move(position, text)?;
        let after = position.play(m);
        let Explanation { total, terms } = if after.outcome().is_some() {
            Explanation { total: value(function, &after), terms: Vec::new() }
        } else {
            function.explain(&after)
        };
        let turned = |s: Said| Said { contribution: -s.contribution, ..s };
        let squares = squares(game, function, &after, side.other());
        Ok(Move {
            mv: game.format_move(position, m),
            total: -total,
            terms: said(function, terms).into_iter().map(turned).collect(),
            squares: squares.into_iter().map(|s| s.map(|x| -x)).collect(),
            picture: game.picture(&after, side.other()),
        })
    });
    Ok(Account {
        to_move: side,
        total,
        win: evalsmith_core::LogOdds(total).win_prob().0,
        unused: unused(function, &terms),
        terms: said(function, terms),
        squares: squares(game, function, position, side),
        after: after.transpose()?,
    })
}

fn said(function: &DynFunction, terms: Vec<evalsmith_core::Term>) -> Vec<Said> {
    let instances = function.instances();
    let names = |at: usize| instances.get(at).cloned().unwrap_or_default();
    let said = |(at, term): (usize, evalsmith_core::Term)| Said {
        name: term.name,
        feature: term.feature,
        weight: term.weight,
        contribution: term.contribution,
        squares: names(at),
    };
    terms.into_iter().enumerate().map(said).collect()
}

/// The features that no term speaks of: a tree's beside its path.
fn unused(function: &DynFunction, terms: &[evalsmith_core::Term]) -> Vec<String> {
    let Some(tree) = function.model().filter(|model| model.as_tree().is_some()) else {
        return Vec::new();
    };
    let asked = |name: &&String| {
        let speaks = |term: &evalsmith_core::Term| {
            term.name.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(' '))
        };
        !terms.iter().any(speaks)
    };
    tree.features().iter().filter(asked).cloned().collect()
}

fn value(function: &DynFunction, position: &Pos) -> f64 {
    match position.outcome() {
        Some(outcome) => function.outcome(outcome).log_odds().0,
        None => function.value(position).log_odds().0,
    }
}

fn squares(game: &DynGame, function: &DynFunction, position: &Pos, side: Side) -> Vec<Option<f64>> {
    let Some(picture) = game.picture(position, side) else { return Vec::new() };
    if position.outcome().is_some() {
        return vec![None; picture.pieces.len()];
    }
    let whole = value(function, position);
    let said = |square: usize| {
        let mut changed = picture.clone();
        let piece = changed.pieces[square].as_mut()?;
        piece.side = piece.side.other();
        let other = game.set_up(&changed, side).ok().filter(|p| p.outcome().is_none())?;
        Some((whole - value(function, &other)) / 2.0)
    };
    (0..picture.pieces.len()).map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_core::GameRecord;
    use evalsmith_othello::Othello;

    fn record(game: &DynGame, from: &str) -> Record {
        let (position, side) = game.parse(from).unwrap();
        GameRecord::new(position, side, game.max_plies())
    }

    #[test]
    fn terms_add_up_before_and_after_a_move() {
        let game = DynGame::new(Othello::new());
        let function = game.function_by_hand().unwrap();
        let start = game.format(&game.start(), Side::First);
        let told = account(&game, &function, &record(&game, &start), Some("f5")).unwrap();
        let sum = |terms: &[Said]| terms.iter().map(|t| t.contribution).sum::<f64>();
        assert!((sum(&told.terms) - told.total).abs() < 1e-9);
        let after = told.after.unwrap();
        assert!((sum(&after.terms) - after.total).abs() < 1e-9);
        // Turned round, White's last disc would end the game: only the others may speak.
        assert_eq!(after.squares.iter().flatten().count(), 4);
    }

    #[test]
    fn a_queen_speaks_for_its_owner_and_more_than_a_pawn() {
        let chess = DynGame::new(Chess);
        let function = chess.function_by_hand().unwrap();
        let game = record(&chess, "4k3/8/8/8/8/7P/8/3QK3 w - - 0 1");
        let told = account(&chess, &function, &game, None).unwrap();
        let said = |square: usize| told.squares[square];
        let (queen, pawn) = (said(59).unwrap(), said(47).unwrap());
        assert!(queen > pawn && pawn > 0.0, "{queen} {pawn}");
        assert_eq!(said(60), None, "a king cannot change sides");
        assert_eq!(said(0), None, "an empty square is silent");
    }

    #[test]
    fn a_finished_game_is_refused() {
        let chess = DynGame::new(Chess);
        let over = record(&chess, "7k/6Q1/5K2/8/8/8/8/8 b - - 0 1");
        let function = chess.function_by_hand().unwrap();
        let reason = account(&chess, &function, &over, None).unwrap_err();
        assert!(reason.to_string().contains("over"), "{reason}");
    }
}
