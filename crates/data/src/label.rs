//! Labels beside the result: what a position is worth by other lights.
//!
//! | how | what a label is, for the side to move | where |
//! |---|---|---|
//! | [`How::Exact`] | the margin under perfect play | at most so many moves left |
//! | [`How::Verdict`] | 1, 0 or -1 under perfect play | at most so many moves left |
//! | [`How::Search`] | log-odds by a search of fixed depth | everywhere, or at some stages |
//! | [`How::GameTree`] | the margin by negamax over all games (buro95 fig. 3) | everywhere |
//! | [`How::Expert`] | the margin that somebody from outside expects or proves | everywhere |
//! | [`How::Mate`] | 1, 0 or -1: the result, or the win of who first had a mate (takeuchi07) | everywhere |
//! | [`How::Corrected`] | 1, 0 or -1: the result, turned where a search is sure of an error (buro95) | everywhere |
//!
//! A label never replaces rows: it makes another dataset with one column more.
//! Games are labelled in order, so that a killed run goes on behind the last part
//! it finished.

mod agreement;
mod expert;
mod game_tree;
mod labeller;
mod run;
mod tree_labels;

pub use agreement::{Agreed, agreement};
pub use expert::{Expert, Opinion};
pub use run::{LabelOrder, Labels, MakeExpert, label, label_by_expert};

use crate::DataError;
use evalsmith_core::{Game, Stage};
use evalsmith_rules::DynGame;
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
        /// The first and the last stage that is labelled, where not all are: later
        /// stages are fitted first, then search for the labels of earlier ones
        /// (buro98 section 3).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stages: Option<[Stage; 2]>,
    },
    /// Negamax over the tree of all games, equal positions merged.
    GameTree {
        /// A label whose values, where there are any, are exact margins.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exact: Option<String>,
    },
    /// The margin by an [`Expert`], such as a game's own engine.
    Expert {
        /// Who it is and how it comes to its opinion, in words.
        words: String,
    },
    /// The result, corrected by the first mate that somebody had: its player is
    /// taken for the winner of the whole game (takeuchi07).
    Mate {
        /// The most nodes of the search of one position.
        nodes: u64,
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
    /// Whether a function is asked.
    pub fn searches(&self) -> bool {
        matches!(self, Self::Search { .. } | Self::Corrected { .. })
    }

    /// Whether the label depends on a function, searched or asked by an expert.
    fn asks_a_function(&self) -> bool {
        self.searches() || matches!(self, Self::Expert { .. })
    }

    /// What the column holds, in words.
    fn made(&self, function: &str) -> String {
        match self {
            Self::Exact { moves_left } => format!(
                "the margin for the side to move under perfect play, by the solver, with at most {moves_left} moves left"
            ),
            Self::Verdict { moves_left } => format!(
                "win 1, draw 0 or loss -1 for the side to move under perfect play, by the solver, with at most {moves_left} moves left"
            ),
            Self::Search { depth, stages } => {
                let at = stages.map_or_else(String::new, |[first, last]| {
                    format!(", at stages {} to {}", first.0, last.0)
                });
                format!(
                    "log-odds for the side to move (±1000 where the end was seen), by a search of depth {depth} with {function}{at}"
                )
            }
            Self::GameTree { exact: None } => {
                "the margin for the side to move by negamax over all games".to_owned()
            }
            Self::GameTree { exact: Some(label) } => format!(
                "the margin for the side to move by negamax over all games, exact where label {label} is"
            ),
            Self::Expert { words } => {
                format!("the margin for the side to move, by {words} with {function}")
            }
            Self::Mate { nodes } => format!(
                "win 1, draw 0 or loss -1 for the side to move: the result, or the win of who first had a mate that a search of {nodes} nodes finds"
            ),
            Self::Corrected { depth, sure } => format!(
                "win 1, draw 0 or loss -1 for the side to move: the result, turned where a search of depth {depth} with {function} was sure by {sure} log-odds"
            ),
        }
    }

    fn check_for(&self, game: &DynGame) -> Result<(), DataError> {
        let reject = |field, found: String, reason: &str| {
            Err(DataError::Plan { field, found, reason: reason.to_owned() })
        };
        match *self {
            Self::Exact { moves_left } | Self::Verdict { moves_left }
                if game.solver().is_none() =>
            {
                let reason = format!("{} has no solver; label by search", game.name());
                return reject("moves_left", moves_left.to_string(), &reason);
            }
            Self::Mate { nodes } if game.mate_search().is_none() => {
                let reason = format!("{} has no search for mates; label by corrected", game.name());
                return reject("nodes", nodes.to_string(), &reason);
            }
            Self::Mate { nodes: 0 } => {
                return reject("nodes", "0".to_owned(), "search at least one node");
            }
            Self::Search { depth, .. } | Self::Corrected { depth, .. } if depth == 0 => {
                return reject("depth", depth.to_string(), "search at least one ply");
            }
            Self::Search { stages: Some([first, last]), .. } if first > last => {
                let reason = "name the first stage before the last";
                return reject("stages", format!("{}-{}", first.0, last.0), reason);
            }
            Self::Corrected { sure, .. } if !(sure > 0.0 && sure.is_finite()) => {
                let reason = "log-odds above 0; 3 is a win probability of 95 %";
                return reject("sure", sure.to_string(), reason);
            }
            _ => {}
        }
        Ok(())
    }
}
