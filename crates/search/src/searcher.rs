//! Iterative deepening, and the other ways to ask for a value.

use crate::brake::{Brake, Clocks};
use crate::tree::{Memory, Tree};
use crate::{Found, Limits};
use evalsmith_core::{Evaluate, GameRecord, Position, Score};
use std::sync::atomic::AtomicBool;

/// Searches positions of one game with one evaluation function, and remembers
/// from one search to the next what helps it.
pub struct Searcher<P: Position, E: Evaluate<P>> {
    function: E,
    memory: Memory<P>,
}

impl<P: Position, E: Evaluate<P>> Searcher<P, E> {
    /// A searcher with a table of at most `table_bytes`: rounded down to a power
    /// of two, at most [`MAX_TABLE_BYTES`](crate::MAX_TABLE_BYTES), and smaller
    /// still where the system refuses the memory. With zero bytes there is none.
    pub fn new(function: E, table_bytes: usize) -> Self {
        Self { function, memory: Memory::new(table_bytes) }
    }

    /// The evaluation function.
    pub fn function(&self) -> &E {
        &self.function
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        self.memory.table.clear();
        self.memory.order.clear();
    }

    /// Searches deeper and deeper until a limit is reached, every line has ended
    /// with the game, or the game is decided.
    ///
    /// A decided game is not searched deeper, so that the shortest win is
    /// played: an earlier iteration would have found a shorter one. A lost game
    /// is held out: the last iteration tries the previous one's move first and
    /// leaves it only for a strictly better outcome, and that move was not yet
    /// lost a ply earlier.
    ///
    /// Where the game goes on there is always a move, even if nothing could be
    /// searched.
    pub fn search(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Found<P::Move> {
        self.search_with(game, limits, stop, |_| {})
    }

    /// The same, calling `on_iteration` with the result of every finished
    /// iteration.
    pub fn search_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        mut on_iteration: impl FnMut(&Found<P::Move>),
    ) -> Found<P::Move> {
        if let Some(over) = self.game_over(game) {
            return over;
        }
        let brake = Brake::new(limits, stop);
        let mut tree = Tree::new(&self.function, &mut self.memory, game, brake);
        let mut moves = tree.root_moves();
        let mut found = unsearched(tree.static_value(), moves.first().copied());
        for depth in 1..=limits.depth {
            let iteration = tree.iterate(&moves, depth);
            found.stopped = tree.brake.stopped();
            if let Some(iteration) = iteration {
                found.best = iteration.line.first().copied();
                found.value = iteration.value;
                found.line = iteration.line;
                found.complete = iteration.complete;
                found.depth = depth;
            }
            account(&mut found, &tree.brake);
            if found.stopped {
                break;
            }
            on_iteration(&found);
            if found.complete || found.value.is_decisive() {
                break;
            }
            if let Some(place) = moves.iter().position(|&m| Some(m) == found.best) {
                moves[..=place].rotate_right(1);
            }
        }
        account(&mut found, &tree.brake);
        found
    }

    /// One search to exactly this depth, without limits and without stopping at
    /// a decided game. Its value is that of plain minimax to the same depth.
    pub fn fixed_depth(&mut self, game: &GameRecord<P>, depth: u8) -> Found<P::Move> {
        if let Some(over) = self.game_over(game) {
            return over;
        }
        let never = AtomicBool::new(false);
        let brake = Brake::new(&Limits::depth(depth), &never);
        let mut tree = Tree::new(&self.function, &mut self.memory, game, brake);
        let moves = tree.root_moves();
        let mut found = unsearched(tree.static_value(), moves.first().copied());
        if depth > 0
            && let Some(iteration) = tree.iterate(&moves, depth)
        {
            found.best = iteration.line.first().copied();
            found.value = iteration.value;
            found.line = iteration.line;
            found.complete = iteration.complete;
            found.depth = depth;
        }
        account(&mut found, &tree.brake);
        found
    }

    /// Every move with its exact value, all at the same depth: the deepest that
    /// the limits allow for all of them, but at least one ply whatever they say.
    /// Best first; among equals, the one that was ahead at lesser depth.
    pub fn rank_moves(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Vec<(P::Move, Score)> {
        if game.ending().is_some() {
            return Vec::new();
        }
        let mut ranked: Vec<(P::Move, Score)> = Vec::new();
        let never = AtomicBool::new(false);
        let unlimited = Brake::new(&Limits::depth(1), &never);
        let mut tree = Tree::new(&self.function, &mut self.memory, game, unlimited);
        let mut moves = tree.root_moves();
        for depth in 1..=limits.depth.max(1) {
            let Some((values, complete)) = tree.value_all(&moves, depth) else { break };
            ranked = moves.iter().copied().zip(values).collect();
            ranked.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
            if complete {
                break;
            }
            moves = ranked.iter().map(|&(m, _)| m).collect();
            if depth == 1 {
                tree.brake = Brake::new(limits, stop);
            }
        }
        ranked
    }

    fn game_over(&self, game: &GameRecord<P>) -> Option<Found<P::Move>> {
        let value = self.function.outcome(game.ending()?.outcome);
        Some(Found { complete: true, ..unsearched(value, None) })
    }
}

/// The result of a search that could not visit anything.
fn unsearched<M>(value: Score, best: Option<M>) -> Found<M> {
    Found {
        best,
        value,
        depth: 0,
        nodes: 0,
        line: Vec::new(),
        cpu: std::time::Duration::ZERO,
        wall: std::time::Duration::ZERO,
        complete: false,
        stopped: false,
    }
}

fn account<M>(found: &mut Found<M>, brake: &Brake<'_>) {
    let clocks: &Clocks = brake.clocks();
    found.nodes = brake.nodes();
    found.cpu = clocks.cpu();
    found.wall = clocks.wall();
}
