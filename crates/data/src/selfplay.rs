//! Self-play: what is planned, and its games as rows (lee86 section 4, heinz93 step 2).
//!
//! How a game is played: [`SelfPlayTable`](evalsmith_rules::SelfPlayTable).

use crate::{BatchBuilder, DataError, Row, Shard, Tally};
use evalsmith_core::Game;
use evalsmith_rules::{DynFunction, DynGame, OpeningOf, SelfPlayConfig, SelfPlayed};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The most positions kept of one player's searches in one game.
const MOST_SAMPLED: u32 = 100_000;

/// Who plays, and from where.
pub struct Setting<'a> {
    /// The functions of the two players, who change sides with every game.
    pub functions: [&'a DynFunction; 2],
    /// The opening of each game by its number; random moves where there is none.
    pub openings: Option<&'a OpeningOf<'a>>,
}

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
    pub fn check_for(&self, game: &DynGame) -> Result<(), DataError> {
        self.check()?;
        if self.solve_at > 0 && game.solver().is_none() {
            return Err(DataError::Plan {
                field: "solve_at",
                found: self.solve_at.to_string(),
                reason: format!("{} has no solver; set it to 0", game.name()),
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

impl SelfPlay {
    /// What a single game needs to know of the plan.
    pub(crate) fn config(&self) -> SelfPlayConfig {
        SelfPlayConfig {
            seed: self.seed,
            opening_plies: self.opening_plies,
            chance: self.chance,
            depth: self.depth,
            solve_at: self.solve_at,
            decided_at: self.decided_at,
            weaker: self.weaker,
            weaker_depth: self.weaker_depth,
            from_search: self.from_search as usize,
        }
    }
}

/// A finished game of the plan.
pub(crate) struct Played {
    pub(crate) index: u32,
    pub(crate) game: SelfPlayed,
}

impl Played {
    /// Appends the game's rows and counts its end.
    pub(crate) fn append(
        &self,
        rows: &mut BatchBuilder,
        tally: &mut Tally,
    ) -> Result<(), DataError> {
        tally.count(self.game.outcome.verdict(), self.game.reason);
        for row in &self.game.rows {
            let stored = Row {
                game: self.index,
                ply: self.numbered(row.ply)?,
                stage: row.stage,
                side: row.side,
                position: &row.position,
                mv: row.mv.as_deref(),
                outcome: row.outcome,
            };
            rows.push(&stored, &[row.value]);
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
