//! When both players think that a game is decided.

use crate::{Outcome, Score, Side};
use std::cell::Cell;

/// Moves running in which both must think so.
const MOVES: i32 = 4;

/// What the players' values say about the end of a game.
///
/// Invariant: the streak counts the last moves whose values speak for one side
/// by at least the threshold, positive for the first player.
#[derive(Debug)]
pub struct Agreement {
    threshold: f64,
    streak: Cell<i32>,
}

impl Agreement {
    /// Nothing heard yet; a threshold of zero never ends a game.
    pub fn new(threshold: f64) -> Self {
        Self { threshold, streak: Cell::new(0) }
    }

    /// Hears what the side to move thinks of its chosen move. A move without a
    /// value says nothing, and breaks the streak: it may have changed everything.
    pub fn hear(&self, side: Side, value: Option<Score>) {
        let for_first = match (value.map(|v| v.log_odds().0), side) {
            (None, _) => 0.0,
            (Some(value), Side::First) => value,
            (Some(value), Side::Second) => -value,
        };
        let streak = self.streak.get();
        let direction = if for_first >= self.threshold {
            1
        } else if for_first <= -self.threshold {
            -1
        } else {
            0
        };
        let goes_on = streak.signum() == direction;
        self.streak.set(if goes_on { streak + direction } else { direction });
    }

    /// The agreed outcome for the side to move, once there is one.
    pub fn outcome(&self, side: Side) -> Option<Outcome> {
        let streak = self.streak.get();
        if self.threshold == 0.0 || streak.abs() < MOVES {
            return None;
        }
        let winner = if streak > 0 { Side::First } else { Side::Second };
        Some(if side == winner { Outcome::WIN } else { Outcome::LOSS })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LogOdds;

    fn hear(agreement: &Agreement, values_for_first: &[Option<f64>]) {
        for (ply, value) in values_for_first.iter().enumerate() {
            let side = Side::First.after(ply);
            let sign = if side == Side::First { 1.0 } else { -1.0 };
            agreement.hear(side, value.map(|v| Score::from(LogOdds(sign * v))));
        }
    }

    #[test]
    fn four_moves_running_end_a_game_for_the_same_winner() {
        for sign in [1.0, -1.0] {
            let agreement = Agreement::new(3.0);
            hear(&agreement, &[Some(2.0 * sign), Some(3.5 * sign), Some(4.0 * sign)]);
            hear(&agreement, &[Some(-4.0 * sign), Some(4.0 * sign), None]);
            assert_eq!(agreement.outcome(Side::First), None);
            hear(&agreement, &[Some(4.0 * sign); 3]);
            assert_eq!(agreement.outcome(Side::First), None);
            hear(&agreement, &[Some(4.0 * sign); 2]);
            let (won, lost) = (Some(Outcome::WIN), Some(Outcome::LOSS));
            let expected = if sign > 0.0 { [won, lost] } else { [lost, won] };
            assert_eq!([Side::First, Side::Second].map(|s| agreement.outcome(s)), expected);
        }
    }

    #[test]
    fn without_a_threshold_games_are_played_to_the_end() {
        let agreement = Agreement::new(0.0);
        hear(&agreement, &[Some(9.0); 20]);
        assert_eq!(agreement.outcome(Side::First), None);
    }
}
