//! What is to be played, and what was: the two kinds of line in a match log.

use evalsmith_core::Reason;
use serde::{Deserialize, Serialize};
use std::fmt::Display;

/// A match as it is ordered. Equal plans with equal players give equal results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchPlan {
    /// Pairs of games: each opening is played twice, with colours reversed.
    pub pairs: u32,
    /// Random half-moves of an opening.
    pub opening_plies: u16,
    /// Draws the openings and seeds the players.
    pub seed: u64,
    /// The two players' names.
    pub names: [String; 2],
    /// Limits, model digests and whatever else the result depends on.
    pub conditions: serde_json::Value,
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
        [
            compare("pairs", &self.pairs, &now.pairs, plain),
            compare("opening plies", &self.opening_plies, &now.opening_plies, plain),
            compare("seed", &self.seed, &now.seed, plain),
            compare("players", &self.names, &now.names, |names| names.join(" and ")),
            compare("conditions", &self.conditions, &now.conditions, plain),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A finished game of a match, with everything needed to replay it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Twice the pair's number, plus one in its second game.
    pub index: u32,
    /// The opening's moves from the start position, parted by spaces.
    pub opening: String,
    /// Which player, 0 or 1, had the side that moves first from the start position.
    pub first: usize,
    /// The margin for player 0.
    pub margin: i16,
    /// The points of player 0: 1, ½ or 0.
    pub points: f64,
    /// Half-moves from the start position to the end.
    pub plies: u32,
    /// Why the game ended.
    pub reason: Reason,
    /// The moves after the opening.
    pub moves: Vec<String>,
    /// Positions visited by each player.
    pub nodes: [u64; 2],
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_named() {
        let plan = MatchPlan {
            pairs: 10,
            opening_plies: 4,
            seed: 1,
            names: ["a".into(), "b".into()],
            conditions: json!({"depth": 3}),
        };
        assert_eq!(plan.differences(&plan), Vec::<String>::new());
        let other = MatchPlan { seed: 2, conditions: json!({"depth": 4}), ..plan.clone() };
        assert_eq!(
            plan.differences(&other),
            [
                "seed: 1 in the log, 2 now",
                "conditions: {\"depth\":3} in the log, {\"depth\":4} now"
            ]
        );
    }
}
