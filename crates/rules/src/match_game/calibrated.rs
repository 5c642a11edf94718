//! A searching player whose time is nodes: what it searches costs what a
//! calibration says a node costs, whatever else the machine does.

use evalsmith_core::{Choice, Clock, GameRecord, Player, PlayerError, Position};
use evalsmith_search::{Limits, Search};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Plays by time that is counted in nodes.
pub struct CalibratedPlayer<S> {
    name: String,
    search: S,
    ns_per_node: f64,
    move_time: Option<Duration>,
    clock: Clock,
}

impl<S> CalibratedPlayer<S> {
    /// A player that takes `move_time` for each move, or shares out its clock
    /// where that is none.
    pub fn new(
        name: impl Into<String>,
        search: S,
        ns_per_node: f64,
        move_time: Option<Duration>,
    ) -> Self {
        Self { name: name.into(), search, ns_per_node, move_time, clock: Clock::default() }
    }
}

/// The time for the next move: a twentieth of what is left and most of the
/// increment, and never more than half of what is left, so that no clock empties.
fn share(remaining: Duration, increment: Duration) -> Duration {
    (remaining / 20 + increment.mul_f64(0.75)).min(remaining / 2)
}

impl<P: Position, S: Search<P>> Player<P> for CalibratedPlayer<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _seed: u64) {
        self.search.clear();
    }

    fn set_clock(&mut self, clock: &Clock) {
        self.clock = *clock;
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        let side = game.side().index();
        let of_clock = || share(self.clock.remaining[side], self.clock.increment[side]);
        let time = self.move_time.unwrap_or_else(of_clock);
        let nodes = (time.as_nanos() as f64 / self.ns_per_node).floor() as u64;
        let limits = Limits::nodes(nodes.max(1));
        let found = self.search.search(game, &limits, &AtomicBool::new(false));
        let mv = found.best.ok_or_else(|| {
            PlayerError::new(&self.name, "asked for a move in a game that is over; start a new one")
        })?;
        let charged = Duration::from_nanos((found.nodes as f64 * self.ns_per_node).round() as u64);
        let (value, depth, nodes) = (Some(found.value), found.depth, found.nodes);
        Ok(Choice { mv, value, depth, nodes, cpu: Some(charged), wall: Some(charged) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Game, Position, Side, Trivial};
    use evalsmith_othello::Othello;
    use evalsmith_search::Searcher;
    use proptest::prelude::*;

    type Board = <Othello as Game>::Position;

    fn choose(
        player: &mut CalibratedPlayer<Searcher<Board, Trivial>>,
        clock: Clock,
    ) -> Choice<<Board as Position>::Move> {
        let game = Othello::new();
        player.set_clock(&clock);
        player.choose(&GameRecord::new(game.start(), Side::First, game.max_plies())).unwrap()
    }

    #[test]
    fn time_is_nodes() {
        let mut player = CalibratedPlayer::new(
            "p",
            Searcher::new(Trivial, 0),
            1000.0,
            Some(Duration::from_micros(300)),
        );
        let choice = choose(&mut player, Clock::default());
        assert_eq!((choice.nodes, choice.cpu), (300, Some(Duration::from_micros(300))));
        assert_eq!(choice.wall, choice.cpu);

        let mut by_clock = CalibratedPlayer::new("p", Searcher::new(Trivial, 0), 1000.0, None);
        let left = Duration::from_millis(2);
        let clock = Clock { remaining: [left, Duration::ZERO], ..Clock::default() };
        assert_eq!(choose(&mut by_clock, clock).nodes, 100);
    }

    proptest! {
        #[test]
        fn no_clock_ever_empties(base in 0..10_000_u64, increment in 0..1000_u64) {
            let [mut left, increment] = [base, increment].map(Duration::from_micros);
            for _ in 0..300 {
                let spent = share(left, increment);
                prop_assert!(spent <= left);
                left = left.saturating_sub(spent) + increment;
            }
        }
    }
}
