//! What is to be played, and what was: the two kinds of line in a match log.

use crate::{Notes, TimeControl};
use evalsmith_core::{FaultKind, Reason};
use evalsmith_rules::GameEnd;
use evalsmith_stats::sprt::Sprt;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};

/// A match as it is ordered. Equal plans with equal players that count nodes,
/// not seconds, give equal results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchPlan {
    /// Pairs of games at most: each opening is played twice, with colours reversed.
    pub pairs: u32,
    /// Seeds the players.
    pub seed: u64,
    /// The two players' names.
    pub names: [String; 2],
    /// The time of each player, where it is limited.
    #[serde(default)]
    pub time: [Option<TimeControl>; 2],
    /// What ends the match before its last pair.
    #[serde(default)]
    pub sprt: Option<Sprt>,
    /// What ends a game before the rules do.
    #[serde(default)]
    pub adjudication: Adjudication,
    /// The match stops when one player has failed in so many games running.
    pub max_faults: u32,
    /// Openings, limits, model digests and whatever else the result depends on.
    pub conditions: serde_json::Value,
}

/// What ends a game before the rules do; by default nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Adjudication {
    /// The game's solver decides at this many moves left; zero never.
    pub solve_at: u32,
    /// Both players have thought for four moves running that it is decided by
    /// this many log-odds; zero never.
    pub decided_at: f64,
}

impl MatchPlan {
    /// What differs from another plan, one phrase each; empty when they are equal.
    pub(crate) fn differences(&self, now: &Self) -> Vec<String> {
        fn compare<T: PartialEq>(
            what: &str,
            logged: &T,
            now: &T,
            show: impl Fn(&T) -> String,
        ) -> Option<String> {
            (logged != now)
                .then(|| format!("{what}: {} in the log, {} now", show(logged), show(now)))
        }
        fn plain<T: Display>(value: &T) -> String {
            value.to_string()
        }
        fn json<T: Serialize>(value: &T) -> String {
            serde_json::to_string(value).unwrap_or_default()
        }
        [
            compare("pairs", &self.pairs, &now.pairs, plain),
            compare("seed", &self.seed, &now.seed, plain),
            compare("players", &self.names, &now.names, |names| names.join(" and ")),
            compare("time", &self.time, &now.time, json),
            compare("sequential test", &self.sprt, &now.sprt, json),
            compare("adjudication", &self.adjudication, &now.adjudication, json),
            compare("faults allowed", &self.max_faults, &now.max_faults, plain),
            compare("conditions", &self.conditions, &now.conditions, plain),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Why a game of a match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The final position ends the game by itself.
    Rules,
    /// A position came back too often.
    Repetition,
    /// The bound on plies was reached.
    Bound,
    /// The game's solver proved the outcome.
    Solved,
    /// Both players thought it decided.
    Agreed,
    /// A player resigned.
    Resigned,
    /// A player failed, or broke the rules or its time.
    Forfeit,
    /// The player to move claimed what the rules give it.
    Claimed,
}

impl End {
    /// All of them, in their order.
    pub(crate) const ALL: [Self; 8] = [
        Self::Rules,
        Self::Repetition,
        Self::Bound,
        Self::Solved,
        Self::Agreed,
        Self::Resigned,
        Self::Forfeit,
        Self::Claimed,
    ];
}

impl From<GameEnd> for End {
    fn from(end: GameEnd) -> Self {
        match end {
            GameEnd::Reason(Reason::Rules) => Self::Rules,
            GameEnd::Reason(Reason::Repetition) => Self::Repetition,
            GameEnd::Reason(Reason::Bound) => Self::Bound,
            GameEnd::Reason(Reason::Solved) => Self::Solved,
            GameEnd::Reason(Reason::Agreed) => Self::Agreed,
            GameEnd::Resigned => Self::Resigned,
            GameEnd::Claimed => Self::Claimed,
        }
    }
}

impl Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rules => "by the rules",
            Self::Repetition => "by repetition",
            Self::Bound => "by the bound on moves",
            Self::Solved => "solved",
            Self::Agreed => "agreed",
            Self::Resigned => "resigned",
            Self::Forfeit => "forfeited",
            Self::Claimed => "claimed",
        })
    }
}

/// A game that a player lost by a failure of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedFault {
    /// Which player, 0 or 1.
    pub player: usize,
    /// In which way it failed.
    pub kind: FaultKind,
    /// What happened, in a sentence.
    pub reason: String,
    /// The position it was to move in.
    pub position: String,
    /// The file beside the log that holds an outside engine's last words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialogue: Option<String>,
}

/// A finished game of a match, with everything needed to replay it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Twice the pair's number, plus one in its second game.
    pub index: u32,
    /// The position the opening begins in, where it is not the start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The opening's moves, parted by spaces.
    pub opening: String,
    /// Which player, 0 or 1, had the side that moves first from the start position.
    pub first: usize,
    /// The margin for player 0; of a resigned, claimed or forfeited game its
    /// sign alone.
    pub margin: i16,
    /// The points of player 0: 1, ½ or 0.
    pub points: f64,
    /// Half-moves from the beginning of the opening to the end.
    pub plies: u32,
    /// Why the game ended.
    pub reason: End,
    /// Positions visited by each player.
    pub nodes: [u64; 2],
    /// Microseconds of processor time each player answers for, where known.
    #[serde(default, skip_serializing_if = "is_unknown")]
    pub cpu_micros: [Option<u64>; 2],
    /// Microseconds on the wall each player answers for, where known.
    #[serde(default, skip_serializing_if = "is_unknown")]
    pub wall_micros: [Option<u64>; 2],
    /// The failure that lost the game, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<LoggedFault>,
    /// The moves after the opening.
    pub moves: Vec<String>,
    /// What the players thought of them.
    pub notes: Notes,
}

fn is_unknown(times: &[Option<u64>; 2]) -> bool {
    *times == [None, None]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::plan;
    use serde_json::json;

    #[test]
    fn differences_are_named() {
        let plan = plan(10);
        assert_eq!(plan.differences(&plan), Vec::<String>::new());
        let adjudication = Adjudication { solve_at: 9, decided_at: 0.0 };
        let other =
            MatchPlan { seed: 2, conditions: json!({"depth": 4}), adjudication, ..plan.clone() };
        assert_eq!(
            plan.differences(&other),
            [
                "seed: 7 in the log, 2 now",
                "adjudication: {\"solve_at\":0,\"decided_at\":0.0} in the log, \
                 {\"solve_at\":9,\"decided_at\":0.0} now",
                "conditions: {\"digest\":\"1f\",\"share\":0.1} in the log, {\"depth\":4} now"
            ]
        );
    }
}
