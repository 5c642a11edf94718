//! A player that searches.

use crate::{Limits, Search};
use evalsmith_core::{Choice, GameRecord, Player, PlayerError, Position};
use std::sync::atomic::AtomicBool;

/// Plays the best move its search finds within fixed limits a move.
///
/// A new game empties table and heuristics, so that a game played by depth or
/// nodes depends on nothing but its opening and the opponent.
pub struct SearchPlayer<S> {
    name: String,
    search: S,
    limits: Limits,
}

impl<S> SearchPlayer<S> {
    /// A player that asks this search.
    pub fn new(name: impl Into<String>, search: S, limits: Limits) -> Self {
        Self { name: name.into(), search, limits }
    }

    /// The search.
    pub fn search(&self) -> &S {
        &self.search
    }
}

impl<P: Position, S: Search<P>> Player<P> for SearchPlayer<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _seed: u64) {
        self.search.clear();
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        let found = self.search.search_untimed(game, &self.limits, &AtomicBool::new(false));
        let mv = found.best.ok_or_else(|| game_is_over(&self.name))?;
        let (value, depth, nodes) = (Some(found.value), found.depth, found.nodes);
        Ok(Choice { value, depth, nodes, ..Choice::blind(mv) })
    }
}

/// The answer of a player that is asked for a move after the end.
pub(crate) fn game_is_over(player: &str) -> PlayerError {
    PlayerError::new(player, "asked for a move in a game that is over; start a new one")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toys::{Noise, Noughts, record};
    use crate::{RandomPlayer, Searcher};
    use evalsmith_core::{Outcome, Side, Trivial, play_out};

    #[test]
    fn a_full_search_never_loses_at_noughts_and_crosses() {
        let mut perfect =
            SearchPlayer::new("perfect", Searcher::new(Trivial, 1 << 16), Limits::depth(9));
        let mut random = RandomPlayer::new("random");
        let mut wins = 0;
        for seed in 0..20 {
            perfect.new_game(seed);
            Player::<Noughts>::new_game(&mut random, seed);
            let mut game = record(Noughts(0, 0), 9);
            play_out(&mut game, &mut [&mut random, &mut perfect], |_| None, |_, _| {}).unwrap();
            let outcome = game.outcome_for(Side::Second).unwrap();
            assert!(outcome >= Outcome::DRAW);
            wins += u32::from(outcome == Outcome::WIN);
        }
        assert!(wins > 10, "{wins} of 20 against random moves");
    }

    #[test]
    fn games_by_nodes_do_not_depend_on_games_before() {
        let function = Noise { seed: 3, spread: 9, early: true, mixed: false };
        let mut player =
            SearchPlayer::new("p", Searcher::new(function, 1 << 12), Limits::nodes(300));
        let mut play = |seed| {
            player.new_game(seed);
            let mut game = record(Noughts(0, 0), 9);
            let mut choices = Vec::new();
            while game.ending().is_none() {
                let choice = player.choose(&game).unwrap();
                game.play(choice.mv).unwrap();
                choices.push(choice);
            }
            choices
        };
        let first = play(1);
        assert!(first.iter().all(|c| c.value.is_some() && c.nodes <= 300));
        assert_eq!(first, play(2));
    }

    #[test]
    fn a_finished_game_is_an_error_that_says_so() {
        let mut player =
            SearchPlayer::new("late", Searcher::<Noughts, _>::new(Trivial, 0), Limits::default());
        let error = player.choose(&record(Noughts(0, 0o7), 9)).unwrap_err();
        assert_eq!(error.player, "late");
        assert!(error.reason.contains("over"));
    }
}
