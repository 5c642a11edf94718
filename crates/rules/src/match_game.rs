//! Games of a match, played by typed code one at a time: the border at one game.
//!
//! A table seats two players. Where both search with functions of the table's game, all of
//! a game is typed; otherwise the same code runs over [`Pos`](crate::Pos), since outside
//! engines and other players only know untyped positions.
//!
//! Invariant: both kinds of table play the same games.

mod calibrated;
mod claims;
mod cost;
mod seat;
mod time_control;

pub use calibrated::CalibratedPlayer;
pub use cost::{GameCost, Notes};
pub use seat::{MatchSeat, untyped_player};
pub use time_control::{Meter, TimeBudget, TimeControl};

use crate::DynGame;
use crate::follow::{Record, typed_record};
use claims::{Heard, Offers};
use evalsmith_core::{
    Agreement, Choice, Ending, Game, GameRecord, Outcome, Player, PlayerError, Position, Progress,
    Reason, Side, Solve, play_out,
};
use time_control::{Clocks, Timed};

/// How the games of a match are played.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchGameConfig {
    /// The time of each player, where it is limited.
    pub time: [Option<TimeControl>; 2],
    /// A game with at most this many moves left, by the solver's count, ends
    /// with the solver's outcome; 0 plays on to the end.
    pub solve_at: u32,
    /// A game ends once the players agree that it is decided by at least this many
    /// log-odds; 0 plays on to the end.
    pub decided_at: f64,
}

/// A game as it was played.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedOut {
    /// The moves after the opening, in the game's notation.
    pub moves: Vec<String>,
    /// Half-moves from the beginning of the opening to the end.
    pub plies: usize,
    /// What the players thought of the moves.
    pub notes: Notes,
    /// What the game cost each player.
    pub cost: GameCost,
    /// How it ended.
    pub result: GameResult,
}

/// How a game of a match ended.
#[derive(Clone, Debug, PartialEq)]
pub enum GameResult {
    /// It was played to an end.
    Ended {
        /// The outcome for player 0.
        outcome: Outcome,
        /// Why it is over.
        end: GameEnd,
    },
    /// The player to move failed.
    Failed {
        /// Which player, 0 or 1.
        player: usize,
        /// In which way it failed.
        error: PlayerError,
        /// The position it was to move in, as text.
        position: String,
    },
    /// A stop cut it short.
    Stopped,
}

/// Why a game that nobody failed in is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// By the rules, a solver or agreement.
    Reason(Reason),
    /// The player to move resigned.
    Resigned,
    /// The player to move claimed what the rules give it.
    Claimed,
}

/// Players and solver that one thread uses for many games.
pub trait MatchTable: Send {
    /// Plays a game from an opening on. The player `first`, 0 or 1, has the side that
    /// moves first from the start position; each player hears its seed.
    ///
    /// # Panics
    /// When the opening is one of another game.
    fn play(
        &mut self,
        opening: &Record,
        seeds: [u64; 2],
        first: usize,
        progress: &dyn Progress,
    ) -> PlayedOut;
}

/// A table over a typed game, where both players search with functions of that type.
pub(crate) fn typed_table<G: Game>(
    game: &G,
    seats: &[MatchSeat; 2],
    config: &MatchGameConfig,
) -> Option<Box<dyn MatchTable>> {
    let player = |seat: &MatchSeat| {
        let (function, table_bytes) = seat.function()?;
        seat.searching(function.typed_search::<G::Position>(table_bytes)?)
    };
    let players = [player(&seats[0])?, player(&seats[1])?];
    Some(Table::boxed(game.clone(), players, config.clone(), typed_record))
}

/// The same table without types.
pub(crate) fn untyped_table(
    game: &DynGame,
    seats: [MatchSeat; 2],
    config: MatchGameConfig,
) -> Box<dyn MatchTable> {
    let players = seats.map(MatchSeat::untyped);
    Table::boxed(game.clone(), players, config, Record::clone)
}

/// Two players, and the solver that ends their games.
struct Table<G: Game> {
    game: G,
    players: [Box<dyn Player<G::Position>>; 2],
    solver: Option<Box<dyn Solve<G::Position>>>,
    config: MatchGameConfig,
    /// Gives an opening the type of the table's game.
    open: fn(&Record) -> GameRecord<G::Position>,
}

impl<G: Game> Table<G> {
    fn boxed(
        game: G,
        players: [Box<dyn Player<G::Position>>; 2],
        config: MatchGameConfig,
        open: fn(&Record) -> GameRecord<G::Position>,
    ) -> Box<dyn MatchTable> {
        let solver = if config.solve_at > 0 { game.solver() } else { None };
        Box::new(Self { game, players, solver, config, open })
    }

    /// Plays a record on to its end, or to the failure of the player to move.
    fn play_on(
        &mut self,
        record: &mut GameRecord<G::Position>,
        first: usize,
        offers: &Offers,
        mut watch: impl FnMut(usize, &Choice<<G::Position as Position>::Move>),
        progress: &dyn Progress,
    ) -> Result<(), PlayerError> {
        let Self { players, solver, config, .. } = self;
        let agreement = Agreement::new(config.decided_at);
        let judge = |record: &GameRecord<G::Position>| {
            if let Some(outcome) = agreement.outcome(record.side()) {
                return Some(Ending { outcome, reason: Reason::Agreed });
            }
            if offers.both() {
                return Some(Ending { outcome: Outcome::DRAW, reason: Reason::Agreed });
            }
            let solver = solver.as_mut()?;
            let position = record.position();
            (solver.moves_left(position) <= config.solve_at)
                .then(|| Ending { outcome: solver.solve(position).outcome, reason: Reason::Solved })
        };
        let watch = |record: &GameRecord<G::Position>, choice: &Choice<_>| {
            agreement.hear(record.side(), choice.value);
            watch(record.side().index() ^ first, choice);
        };
        let mut heard =
            players.each_mut().map(|player| Heard { player: &mut **player, offers, progress });
        let [a, b] = &mut heard;
        let mut seated: [&mut dyn Player<G::Position>; 2] = [a, b];
        seated.rotate_left(first);
        if config.time == [None, None] {
            return play_out(record, &mut seated, judge, watch);
        }
        let mut controls = config.time;
        controls.rotate_left(first);
        let clocks = Clocks::new(controls);
        let [one, two] = seated;
        let mut one = Timed { player: one, clocks: &clocks };
        let mut two = Timed { player: two, clocks: &clocks };
        play_out(record, &mut [&mut one, &mut two], judge, watch)
    }

    /// How a game ended that was played as far as this.
    fn result(
        &self,
        record: &GameRecord<G::Position>,
        first: usize,
        ended: Result<(), PlayerError>,
        offers: &Offers,
        progress: &dyn Progress,
    ) -> GameResult {
        let side_of_player_0 = if first == 0 { Side::First } else { Side::Second };
        let over = |outcome: Outcome, end| GameResult::Ended {
            outcome: outcome.seen_by(record.side(), side_of_player_0),
            end,
        };
        let Err(mut error) = ended else {
            let ending = record.ending().expect("a game is played out to its end");
            return over(ending.outcome, GameEnd::Reason(ending.reason));
        };
        if progress.stopped() {
            return GameResult::Stopped;
        }
        match claims::judge(&self.game, record, offers, error.kind) {
            Some(Ok((outcome, end))) => return over(outcome, end),
            Some(Err(why)) => error.reason = format!("{}: {why}", error.reason),
            None => {}
        }
        GameResult::Failed {
            player: record.side().index() ^ first,
            error,
            position: self.game.format(record.position(), record.side()),
        }
    }
}

impl<G: Game> MatchTable for Table<G> {
    fn play(
        &mut self,
        opening: &Record,
        seeds: [u64; 2],
        first: usize,
        progress: &dyn Progress,
    ) -> PlayedOut {
        for (player, seed) in self.players.iter_mut().zip(seeds) {
            player.new_game(seed);
        }
        let mut record = (self.open)(opening);
        let (mut cost, mut notes, offers) =
            (GameCost::default(), Notes::default(), Offers::default());
        let watch = |player, choice: &Choice<_>| cost.add(player, choice, &mut notes);
        let ended = self.play_on(&mut record, first, &offers, watch, progress);
        // Discard the player's annotation if its move was illegal.
        notes.truncate(record.ply() - opening.ply());
        let steps = record.positions().iter().zip(record.moves()).skip(opening.ply());
        PlayedOut {
            moves: steps.map(|(position, &m)| self.game.format_move(position, m)).collect(),
            plies: record.ply(),
            notes,
            cost,
            result: self.result(&record, first, ended, &offers, progress),
        }
    }
}

#[cfg(test)]
mod tests;
