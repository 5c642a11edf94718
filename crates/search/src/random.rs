//! Players that leave their moves to chance, wholly or now and then.
//!
//! All chance comes from the seed given to `new_game`. Two players of one game
//! need different seeds, or they roll the same dice.

use crate::player::game_is_over;
use evalsmith_core::rng::{self, Rng};
use evalsmith_core::{Choice, GameRecord, Player, PlayerError, Position};
use rand::RngExt;

/// Plays any legal move, each with the same probability.
pub struct RandomPlayer {
    name: String,
    dice: Rng,
}

impl RandomPlayer {
    /// A random player; until its first `new_game` it rolls with seed 0.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), dice: rng::stream(0, "random player", 0) }
    }
}

impl<P: Position> Player<P> for RandomPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, seed: u64) {
        self.dice = rng::stream(seed, "random player", 0);
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        random_move(game, &mut self.dice).map(Choice::blind).ok_or_else(|| game_is_over(&self.name))
    }
}

/// Plays as another player does, but with some probability a random move.
pub struct WithChance<Q> {
    inner: Q,
    chance: f64,
    dice: Rng,
}

impl<Q> WithChance<Q> {
    /// Lets `inner` play all but a share `chance` of the moves. A chance outside
    /// 0 to 1 means the nearer of the two, one that is not a number none.
    pub fn new(inner: Q, chance: f64) -> Self {
        let chance = if chance.is_nan() { 0.0 } else { chance.clamp(0.0, 1.0) };
        Self { inner, chance, dice: rng::stream(0, "with chance", 0) }
    }

    /// The player that plays the other moves.
    pub fn inner(&self) -> &Q {
        &self.inner
    }
}

impl<P: Position, Q: Player<P>> Player<P> for WithChance<Q> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn new_game(&mut self, seed: u64) {
        self.dice = rng::stream(seed, "with chance", 0);
        self.inner.new_game(seed);
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        if self.dice.random_bool(self.chance)
            && let Some(m) = random_move(game, &mut self.dice)
        {
            return Ok(Choice::blind(m));
        }
        self.inner.choose(game)
    }
}

/// A legal move of an unfinished game, each with the same probability.
fn random_move<P: Position>(game: &GameRecord<P>, dice: &mut Rng) -> Option<P::Move> {
    if game.ending().is_some() {
        return None;
    }
    let position = game.position();
    position.moves().nth(dice.random_range(0..position.move_count()))
}
