//! What a search has to say.

use evalsmith_core::Score;
use std::time::Duration;

/// The result of a search, or of one of its iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found<M> {
    /// The move to play: none when, and only when, the game is over.
    pub best: Option<M>,
    /// The value for the side to move. At depth zero, that of the position at
    /// rest; the static one of a search that was stopped before it knew that.
    pub value: Score,
    /// The depth that move and value come from, in plies. Of a search that was
    /// stopped this iteration may be unfinished; then no move is known to be
    /// better, but not all were tried.
    pub depth: u8,
    /// Positions visited, over all iterations.
    pub nodes: u64,
    /// The principal variation: `best` and best play by both after it, down to
    /// the position whose static value or outcome this is. Where a game names
    /// noisy moves it is longer than the depth by the exchanges that lead to a
    /// quiet position; at depth zero it is these alone, or empty.
    pub line: Vec<M>,
    /// Processor time of the thread.
    pub cpu: Duration,
    /// Time on the wall.
    pub wall: Duration,
    /// Whether every line ended with the game: the value is exact, and a deeper
    /// search would say the same.
    pub complete: bool,
    /// Whether nodes, time or the stop flag ended the search before its depth.
    pub stopped: bool,
}

/// Every move of a position with its value, all at the same depth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked<M> {
    /// The moves with their values for the side to move, best first; none when,
    /// and only when, the game is over.
    pub moves: Vec<(M, Score)>,
    /// What is expected to be played, for each of the moves, which begins it.
    pub lines: Vec<Vec<M>>,
    /// The depth the values come from, in plies.
    pub depth: u8,
    /// Positions visited, over all iterations.
    pub nodes: u64,
    /// Time on the wall.
    pub wall: Duration,
}
