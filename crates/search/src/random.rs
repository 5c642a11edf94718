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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toys::{Noughts, record};
    use crate::{Limits, SearchPlayer, Searcher};
    use evalsmith_core::Trivial;

    fn moves(player: &mut impl Player<Noughts>, seed: u64) -> Vec<u8> {
        player.new_game(seed);
        let mut game = record(Noughts(0, 0), 9);
        while game.ending().is_none() {
            let m = player.choose(&game).unwrap().mv;
            game.play(m).unwrap();
        }
        game.moves().to_vec()
    }

    #[test]
    fn the_seed_alone_decides() {
        let mut player = RandomPlayer::new("random");
        let games: Vec<_> = (0..20).map(|seed| moves(&mut player, seed)).collect();
        let again: Vec<_> = (0..20).map(|seed| moves(&mut player, seed)).collect();
        assert_eq!(games, again);
        assert!(games.iter().any(|g| *g != games[0]));
    }

    #[test]
    fn every_first_move_is_about_equally_frequent() {
        let mut player = RandomPlayer::new("random");
        let mut counts = [0_u32; 9];
        for seed in 0..9000 {
            counts[usize::from(moves(&mut player, seed)[0])] += 1;
        }
        // Five standard deviations of a binomial with mean 1000.
        assert!(counts.iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
    }

    #[test]
    fn chance_is_the_share_of_random_moves() {
        let searching = || SearchPlayer::new("s", Searcher::new(Trivial, 0), Limits::depth(1));
        for (chance, expected) in [(0.0, 0), (0.25, 2500), (1.0, 10_000), (7.0, 10_000), (-1.0, 0)]
        {
            let mut player = WithChance::new(searching(), chance);
            Player::<Noughts>::new_game(&mut player, 1);
            let game = record(Noughts(0, 0), 9);
            let choices = (0..10_000).map(|_| player.choose(&game).unwrap());
            let random = choices.filter(|c| c.value.is_none()).count() as i32;
            assert!((random - expected).abs() < 220, "chance {chance}: {random}");
        }
        assert_eq!(
            moves(&mut WithChance::new(searching(), f64::NAN), 1),
            moves(&mut searching(), 1)
        );
    }

    #[test]
    fn a_finished_game_is_an_error() {
        let over = record(Noughts(0, 0o7), 9);
        assert!(RandomPlayer::new("r").choose(&over).is_err());
        assert!(WithChance::new(RandomPlayer::new("r"), 1.0).choose(&over).is_err());
    }
}
