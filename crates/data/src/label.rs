//! Labels beside the result: what a position is worth by other lights.
//!
//! | how | what a label is, for the side to move | where |
//! |---|---|---|
//! | [`How::Exact`] | the margin under perfect play | at most so many moves left |
//! | [`How::Verdict`] | 1, 0 or -1 under perfect play | at most so many moves left |
//! | [`How::Search`] | log-odds by a search of fixed depth | everywhere |
//! | [`How::GameTree`] | the margin by negamax over all games (buro95 fig. 3) | everywhere |
//! | [`How::Corrected`] | 1, 0 or -1: the result, turned where a search is sure of an error (buro95) | everywhere |

mod game_tree;
mod labeller;

use serde::{Deserialize, Serialize};

/// How a label is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "how", deny_unknown_fields)]
pub enum How {
    /// The exact margin by the game's solver.
    Exact {
        /// Solve positions with at most so many moves left, by the solver's count.
        moves_left: u32,
    },
    /// Win, draw or loss by the game's solver.
    Verdict {
        /// As for [`How::Exact`].
        moves_left: u32,
    },
    /// A search with a function.
    Search {
        /// Plies.
        depth: u8,
    },
    /// Negamax over the tree of all games, equal positions merged.
    GameTree {
        /// A label whose values, where there are any, are exact margins.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exact: Option<String>,
    },
    /// The result carried back through the game, corrected by a search.
    Corrected {
        /// Plies.
        depth: u8,
        /// Log-odds from which the search's opinion is taken for the truth.
        sure: f64,
    },
}

impl How {
    fn searches(&self) -> bool {
        matches!(self, Self::Search { .. } | Self::Corrected { .. })
    }
}
