//! Self-play: what is planned, and one game of it (lee86 section 4, heinz93 step 2).
//!
//! A game begins with uniformly random moves or a given opening, goes on with a
//! search that now and then gives way to chance, and ends by the rules or by the
//! game's solver. Its rows are its own positions, or a sample of those that its
//! searches evaluated (buro98 section 3).
//!
//! Invariant: a game depends on the plan and its own index alone.

use crate::{BatchBuilder, DataError, Row, Shard, Tally};
use evalsmith_core::{
    Agreement, Choice, Ending, Evaluate, Game, GameRecord, Player, PlayerError, Position, Reason,
    Score, Side, Solve, play_out, rng,
};
use evalsmith_search::{Limits, Sampled, Sampling, SearchPlayer, WithChance};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How often an opening that ends the game is drawn anew before giving up.
const REDRAWS: u32 = 1000;

/// The most positions kept of one player's searches in one game.
const MOST_SAMPLED: u32 = 100_000;

/// Each player's transposition table: the shallow searches of self-play need
/// little, and it is cleared before every game.
const TABLE_BYTES: usize = 1 << 20;

/// Who plays, and from where.
pub struct Setting<'a, P: Position, E> {
    /// The functions of the two players, who change sides with every game.
    pub functions: [&'a E; 2],
    /// The opening of each game by its number; random moves where there is none.
    pub openings: Option<&'a Openings<'a, P>>,
}

/// Openings by the number of the game.
pub type Openings<'a, P> = dyn Fn(u32) -> GameRecord<P> + Sync + 'a;

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
    /// The share of games in which one player, drawn for each, searches only
    /// `weaker_depth` plies: big mistakes must occur, or the main features get no
    /// weight (buro95).
    #[serde(skip_serializing_if = "is_zero")]
    pub weaker: f64,
    /// The depth of the weaker player's search, in plies.
    #[serde(skip_serializing_if = "is_one")]
    pub weaker_depth: u8,
    /// Instead of the game's own positions, keep so many of those that each
    /// player's searches evaluated; 0 keeps the game's own.
    #[serde(skip_serializing_if = "is_none")]
    pub from_search: u32,
    /// Consecutive games in one file; what a kill can lose.
    pub games_per_part: u32,
    /// The share of the games that this run plays: consecutive ones.
    #[serde(skip_serializing_if = "Shard::is_whole")]
    pub shard: Shard,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_one(depth: &u8) -> bool {
    *depth == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn is_none(positions: &u32) -> bool {
    *positions == 0
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
            weaker: 0.0,
            weaker_depth: 1,
            from_search: 0,
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
        if !(0.0..=1.0).contains(&self.weaker) {
            let reason = "a share of games lies between 0 and 1";
            return reject("weaker", self.weaker.to_string(), reason);
        }
        if self.weaker_depth == 0 {
            let reason = "search at least one ply; for random moves set a chance";
            return reject("weaker_depth", self.weaker_depth.to_string(), reason);
        }
        if self.from_search > MOST_SAMPLED {
            let reason = format!("keep at most {MOST_SAMPLED} of a game and play more games");
            return reject("from_search", self.from_search.to_string(), &reason);
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
    /// Positions from its searches; none where its own are wanted.
    sampled: Option<Vec<Sampled<G::Position>>>,
}

/// A searching player, and the hook in its search.
struct Seat<'a, P: Position, E: Evaluate<P>> {
    player: WithChance<SearchPlayer<P, Asked<'a, P, E>>>,
}

/// The function of a player, sampled or plain.
type Asked<'a, P, E> = Sampling<P, &'a E>;

/// Those who play a game, used for many games: the players of both functions at
/// full strength and weaker, and the solver.
pub(crate) struct Table<'a, G: Game, E: Evaluate<G::Position>> {
    setting: &'a Setting<'a, G::Position, E>,
    /// By strength, then by function.
    seats: [[Seat<'a, G::Position, E>; 2]; 2],
    solver: Option<Box<dyn Solve<G::Position>>>,
}

impl<'a, G: Game, E: Evaluate<G::Position>> Table<'a, G, E> {
    pub(crate) fn new(
        game: &G,
        setting: &'a Setting<'a, G::Position, E>,
        plan: &SelfPlay,
        name: &str,
    ) -> Self {
        let seat = |function: usize, depth: u8| {
            let asked = Sampling::new(setting.functions[function], plan.from_search as usize);
            let table = if depth > 1 { TABLE_BYTES } else { 0 };
            let search = SearchPlayer::new(name, asked, Limits::depth(depth), table);
            Seat { player: WithChance::new(search, plan.chance) }
        };
        let seats = [plan.depth, plan.weaker_depth].map(|depth| [seat(0, depth), seat(1, depth)]);
        Self { setting, seats, solver: game.solver() }
    }

    /// Plays game `index` of the plan.
    pub(crate) fn play(
        &mut self,
        game: &G,
        plan: &SelfPlay,
        index: u32,
    ) -> Result<Played<G>, DataError> {
        let mut random = rng::stream(plan.seed, "self-play", u64::from(index));
        let mut record = match self.setting.openings {
            Some(openings) => openings(index),
            None => random_opening(game, plan, &mut random)?,
        };
        let opening_plies = record.ply();
        let seeds: [u64; 2] = [random.random(), random.random()];
        let weaker = (random.random::<f64>() < plan.weaker).then(|| random.random_range(0..2));
        // The function that moves first; they change sides with every game.
        let first = index as usize % 2;
        let Self { seats, solver, .. } = self;
        let [strong, weak] = seats;
        let mut pairs = strong.iter_mut().zip(weak);
        let mut seat = |function: usize| {
            let (strong, weak) = pairs.next().expect("one seat a function");
            let side = function ^ first;
            let seat = if weaker == Some(side) { weak } else { strong };
            seat.player.new_game(seeds[side]);
            seat.sampling().restart(seeds[side]);
            seat
        };
        let mut seated = [seat(0), seat(1)];
        let agreement = Agreement::new(plan.decided_at);
        let judge = |record: &GameRecord<G::Position>| {
            let agreed = agreement.outcome(record.side());
            if let Some(outcome) = agreed {
                return Some(Ending { outcome, reason: Reason::Agreed });
            }
            let solver = solver.as_mut().filter(|_| plan.solve_at > 0)?;
            let position = record.position();
            (solver.moves_left(position) <= plan.solve_at)
                .then(|| Ending { outcome: solver.solve(position).outcome, reason: Reason::Solved })
        };
        let mut values = Vec::new();
        let [a, b] = &mut seated;
        let players: &mut [&mut dyn Player<G::Position>; 2] =
            if first == 0 { &mut [*a, *b] } else { &mut [*b, *a] };
        play_out(&mut record, players, judge, |record, choice| {
            agreement.hear(record.side(), choice.value);
            values.push(choice.value);
        })
        .map_err(|source| DataError::Player { game: index, source })?;
        let sampled = (plan.from_search > 0)
            .then(|| seated.iter().flat_map(|seat| seat.sampling().take()).collect());
        Ok(Played { index, record, opening_plies, values, sampled })
    }
}

impl<P: Position, E: Evaluate<P>> Seat<'_, P, E> {
    fn sampling(&self) -> &Asked<'_, P, E> {
        self.player.inner().function()
    }
}

impl<P: Position, E: Evaluate<P>> Player<P> for Seat<'_, P, E> {
    fn name(&self) -> &str {
        Player::<P>::name(&self.player)
    }

    fn choose(&mut self, game: &GameRecord<P>) -> Result<Choice<P::Move>, PlayerError> {
        self.sampling().search_from(game.ply());
        self.player.choose(game)
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

        if let Some(sampled) = &self.sampled {
            let pack = |Sampled { position, ply }: &Sampled<G::Position>| {
                let side = record.first().after(*ply);
                Ok((self.numbered(*ply)?, game.pack(position, side), position.stage(), side))
            };
            let mut packed: Vec<_> = sampled.iter().map(pack).collect::<Result<_, DataError>>()?;
            packed.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
            for (ply, position, stage, side) in &packed {
                let row = Row {
                    game: self.index,
                    ply: *ply,
                    stage: *stage,
                    side: *side,
                    position,
                    mv: None,
                    outcome: None,
                };
                rows.push(&row, &[None]);
            }
            return Ok(());
        }
        let recorded = record.ply() + usize::from(ending.reason == Reason::Solved);
        for ply in self.opening_plies..recorded {
            let position = &record.positions()[ply];
            let side = record.first().after(ply);
            let played = record.moves().get(ply).map(|&m| game.format_move(position, m));
            let value = self.values.get(ply - self.opening_plies).copied().flatten();
            let row = Row {
                game: self.index,
                ply: self.numbered(ply)?,
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

    fn numbered(&self, ply: usize) -> Result<u16, DataError> {
        u16::try_from(ply).map_err(|_| DataError::Plan {
            field: "games",
            found: format!("game {} with {ply} plies", self.index),
            reason: "a dataset numbers plies up to 65535; shorten the game's max_plies".to_owned(),
        })
    }
}
