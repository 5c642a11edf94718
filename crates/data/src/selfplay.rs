//! Self-play: what is planned, and one game of it (lee86 section 4, heinz93 step 2).
//!
//! A game begins with uniformly random moves, goes on with a search that now
//! and then gives way to chance, and ends by the rules or by the game's solver.
//! Invariant: a game depends on the plan and its own index alone.

use crate::{BatchBuilder, DataError, Row, Shard, Tally};
use evalsmith_core::{
    Agreement, Ending, Game, GameRecord, Player, Position, Reason, Score, Side, Solve, play_out,
    rng,
};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How often an opening that ends the game is drawn anew before giving up.
const REDRAWS: u32 = 1000;

/// A plan for self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelfPlay {
    /// Games to play.
    pub games: u32,
    /// Where all chance comes from.
    pub seed: u64,
    /// Uniformly random legal moves at the start; their positions are not recorded.
    pub opening_plies: u16,
    /// How often a random move is played instead of the searched one, from 0 to 1.
    pub chance: f64,
    /// The depth of the search, in plies.
    pub depth: u8,
    /// A game with at most this many moves left, by the solver's count, ends
    /// with the solver's outcome; 0 plays on to the end.
    pub solve_at: u32,
    /// A game ends once the players have agreed for four moves running that it
    /// is decided by at least this many log-odds; 0 plays on to the end. The
    /// rest of a decided game teaches a learner its players' habits rather than
    /// what wins.
    pub decided_at: f64,
    /// Consecutive games in one file; what a kill can lose.
    pub games_per_part: u32,
    /// The share of the games that this run plays: consecutive ones.
    #[serde(skip_serializing_if = "Shard::is_whole")]
    pub shard: Shard,
}

impl Default for SelfPlay {
    fn default() -> Self {
        Self {
            games: 1000,
            seed: 1,
            opening_plies: 8,
            chance: 0.0,
            depth: 2,
            solve_at: 0,
            decided_at: 0.0,
            games_per_part: 250,
            shard: Shard::WHOLE,
        }
    }
}

impl SelfPlay {
    /// Checks what no game could carry out.
    ///
    /// # Errors
    /// The first field that cannot be, and what to do.
    pub fn check(&self) -> Result<(), DataError> {
        let reject = |field, found: String, reason: &str| {
            Err(DataError::Plan { field, found, reason: reason.to_owned() })
        };
        if self.games == 0 {
            return reject("games", self.games.to_string(), "play at least one game");
        }
        if !(0.0..=1.0).contains(&self.chance) {
            let reason = "a probability lies between 0 and 1";
            return reject("chance", self.chance.to_string(), reason);
        }
        if self.depth == 0 {
            let reason = "search at least one ply; for random games set the chance to 1";
            return reject("depth", self.depth.to_string(), reason);
        }
        if !(self.decided_at >= 0.0 && self.decided_at.is_finite()) {
            let found = self.decided_at.to_string();
            return reject("decided_at", found, "log-odds of 0 (never) or more");
        }
        if self.games_per_part == 0 {
            let found = self.games_per_part.to_string();
            return reject("games_per_part", found, "a part holds at least one game");
        }
        if self.shard.range(self.games).is_empty() {
            let reason = format!("it has none of {} games; make fewer shards", self.games);
            return reject("shard", self.shard.to_string(), &reason);
        }
        Ok(())
    }

    /// Checks what this game could not carry out.
    ///
    /// # Errors
    /// When the plan makes no sense, or asks a game without a solver to solve.
    pub fn check_for<G: Game>(&self, game: &G) -> Result<(), DataError> {
        self.check()?;
        if self.solve_at > 0 && game.solver().is_none() {
            return Err(DataError::Plan {
                field: "solve_at",
                found: self.solve_at.to_string(),
                reason: format!("{} has no solver; set it to 0", G::NAME),
            });
        }
        Ok(())
    }
}

impl SelfPlay {
    /// The parts of this run.
    pub(crate) fn parts(&self) -> usize {
        self.shard.range(self.games).len().div_ceil(self.games_per_part as usize)
    }

    /// The games of a part.
    pub(crate) fn games_of(&self, part: usize) -> Range<u32> {
        let games = self.shard.range(self.games);
        let first = self.games_per_part.saturating_mul(part as u32).saturating_add(games.start);
        first..first.saturating_add(self.games_per_part).min(games.end)
    }
}

/// A finished game and what the player thought of each move it chose.
pub(crate) struct Played<G: Game> {
    index: u32,
    record: GameRecord<G::Position>,
    opening_plies: usize,
    values: Vec<Option<Score>>,
}

/// Those who play a game: one pair of players and the solver, used for many games.
pub(crate) struct Table<'a, G: Game> {
    pub(crate) players: [Box<dyn Player<G::Position> + 'a>; 2],
    pub(crate) solver: Option<Box<dyn Solve<G::Position>>>,
}

impl<G: Game> Table<'_, G> {
    /// Plays game `index` of the plan.
    pub(crate) fn play(
        &mut self,
        game: &G,
        plan: &SelfPlay,
        index: u32,
    ) -> Result<Played<G>, DataError> {
        let mut random = rng::stream(plan.seed, "self-play", u64::from(index));
        let mut record = random_opening(game, plan, &mut random)?;
        let opening_plies = record.ply();
        for player in &mut self.players {
            player.new_game(random.random());
        }
        let agreement = Agreement::new(plan.decided_at);
        let judge = |record: &GameRecord<G::Position>| {
            let agreed = agreement.outcome(record.side());
            if let Some(outcome) = agreed {
                return Some(Ending { outcome, reason: Reason::Agreed });
            }
            let solver = self.solver.as_mut().filter(|_| plan.solve_at > 0)?;
            let position = record.position();
            (solver.moves_left(position) <= plan.solve_at)
                .then(|| Ending { outcome: solver.solve(position).outcome, reason: Reason::Solved })
        };
        let mut values = Vec::new();
        let [first, second] = &mut self.players;
        play_out(&mut record, &mut [&mut **first, &mut **second], judge, |record, choice| {
            agreement.hear(record.side(), choice.value);
            values.push(choice.value);
        })
        .map_err(|source| DataError::Player { game: index, source })?;
        Ok(Played { index, record, opening_plies, values })
    }
}

fn random_opening<G: Game>(
    game: &G,
    plan: &SelfPlay,
    random: &mut rng::Rng,
) -> Result<GameRecord<G::Position>, DataError> {
    'draw: for _ in 0..REDRAWS {
        let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
        for _ in 0..plan.opening_plies {
            let legal: Vec<_> = record.position().moves().collect();
            if record.ending().is_some() {
                continue 'draw;
            }
            let m = legal[random.random_range(0..legal.len())];
            record.play(m).expect("a legal move of a game that is not over");
        }
        if record.ending().is_some() {
            continue;
        }
        return Ok(record);
    }
    Err(DataError::Plan {
        field: "opening_plies",
        found: plan.opening_plies.to_string(),
        reason: format!("{REDRAWS} random games of {} ended before; make it smaller", G::NAME),
    })
}

impl<G: Game> Played<G> {
    /// Appends the game's rows and counts its end.
    pub(crate) fn append(
        &self,
        game: &G,
        rows: &mut BatchBuilder,
        tally: &mut Tally,
    ) -> Result<(), DataError> {
        let record = &self.record;
        let ending = record.ending().expect("the game was played out");
        let outcome = |side| ending.outcome.seen_by(record.side(), side);
        tally.count(outcome(Side::First).verdict(), ending.reason);

        let recorded = record.ply() + usize::from(ending.reason == Reason::Solved);
        for ply in self.opening_plies..recorded {
            let position = &record.positions()[ply];
            let side = record.first().after(ply);
            let played = record.moves().get(ply).map(|&m| game.format_move(position, m));
            let value = self.values.get(ply - self.opening_plies).copied().flatten();
            let row = Row {
                game: self.index,
                ply: u16::try_from(ply).map_err(|_| DataError::Plan {
                    field: "games",
                    found: format!("game {} with {} plies", self.index, record.ply()),
                    reason: "a dataset numbers plies up to 65535; shorten the game's max_plies"
                        .to_owned(),
                })?,
                stage: position.stage(),
                side,
                position: &game.pack(position, side),
                mv: played.as_deref(),
                outcome: Some(outcome(side)),
            };
            rows.push(&row, &[value.map(|v| v.log_odds().0 as f32)]);
        }
        Ok(())
    }
}
