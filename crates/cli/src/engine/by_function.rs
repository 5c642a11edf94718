//! Any evaluation function of Othello as the engine's judge.
//!
//! Functions speak in log-odds of a win; the engine counts discs. The rate is that
//! of the protocols, so a value is shown as it was judged.

use evalsmith_engine_othello::{DISC, Judge};
use evalsmith_lab::prelude::{Evaluate, Function, Score, Window};
use evalsmith_othello::features::Chosen;
use evalsmith_othello::{Board, Kernel};
use evalsmith_protocol::DISCS_A_LOGIT;

/// A judge by an opened function.
pub(super) struct ByFunction(pub(super) Function<Chosen>);

/// The scale of finished games where the function knows one, else that of log-odds.
fn discs(value: Score) -> f64 {
    if value.is_decisive() {
        f64::from((value.0.abs() - Score::WIN.0) * value.0.signum())
    } else {
        DISCS_A_LOGIT * value.log_odds().0
    }
}

impl Judge for ByFunction {
    fn value<K: Kernel>(&self, board: &Board<K>, _moves: u64) -> i32 {
        let kept = self.0.start(board);
        (discs(self.0.value(board, &kept, Window::FULL)) * f64::from(DISC)).round() as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_lab::prelude::{Game, Outcome, by_hand};
    use evalsmith_othello::Othello;

    #[test]
    fn values_are_discs_and_speak_for_the_mover() {
        assert_eq!(discs(Score::of_outcome(Outcome::by(-12))), -12.0);
        assert_eq!(discs(Score(2000)), 10.0);
        let game = Othello::new();
        let judge = ByFunction(by_hand(&game).unwrap());
        let line = "-------------------------------------X----XXX-----XXOO--------O- X";
        let (board, _) = game.parse(line).unwrap();
        let (own, other) = (judge.value(&board, 0), judge.value(&board.passed(), 0));
        assert!(own != 0 && own.signum() == -other.signum(), "{own} {other}");
    }
}
