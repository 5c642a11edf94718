//! Iterative deepening, and the other ways to ask for a value.

use crate::brake::Brake;
use crate::tree::{Iteration, Memory, Tree};
use crate::{Found, Limits, Ranked};
use evalsmith_core::{Evaluate, GameRecord, Position, Score};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

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
        self.search_with(game, limits, stop, |_| ControlFlow::Continue(()))
    }

    /// The same, calling `on_iteration` with the result of every finished
    /// iteration; a break ends the search with it.
    pub fn search_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        mut on_iteration: impl FnMut(&Found<P::Move>) -> ControlFlow<()>,
    ) -> Found<P::Move> {
        self.deepen(game, Brake::new(limits, stop), limits.depth, &mut on_iteration)
    }

    /// The same, without looking at the clocks unless time is limited: what two
    /// clocks cost is much of a search of one ply. No time is told.
    pub(crate) fn search_untimed(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Found<P::Move> {
        self.deepen(game, Brake::untimed(limits, stop), limits.depth, &mut |_| {
            ControlFlow::Continue(())
        })
    }

    fn deepen(
        &mut self,
        game: &GameRecord<P>,
        brake: Brake<'_>,
        max_depth: u8,
        on_iteration: &mut dyn FnMut(&Found<P::Move>) -> ControlFlow<()>,
    ) -> Found<P::Move> {
        if let Some(over) = self.game_over(game) {
            return over;
        }
        let mut tree = Tree::new(&self.function, &mut self.memory, game, brake);
        let mut moves = tree.root_moves();
        let mut found = unsearched(tree.static_value(), moves.first().copied());
        if max_depth == 0 {
            settle(&mut found, &mut tree);
        }
        for depth in 1..=max_depth {
            let iteration = tree.iterate(&moves, depth);
            found.stopped = tree.brake.stopped();
            if let Some(iteration) = iteration {
                adopt(&mut found, iteration, depth);
            }
            account(&mut found, &tree.brake);
            if found.stopped {
                break;
            }
            let enough = on_iteration(&found).is_break();
            if enough || found.complete || found.value.is_decisive() {
                break;
            }
            if let Some(place) = moves.iter().position(|&m| Some(m) == found.best) {
                moves[..=place].rotate_right(1);
            }
        }
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
        if depth == 0 {
            settle(&mut found, &mut tree);
        } else if let Some(iteration) = tree.iterate(&moves, depth) {
            adopt(&mut found, iteration, depth);
        }
        account(&mut found, &tree.brake);
        found
    }

    /// The value of a position at rest, with the exchanges that lead there: a
    /// search of depth zero. The line ends at the quiet position whose static
    /// value this is, or with the game; it is empty where the position itself is
    /// quiet, as every position is of a game without noisy moves.
    ///
    /// The answer depends on the game alone and not on earlier searches, the
    /// choice among equal lines included; the order of moves they learned is
    /// forgotten for it.
    pub fn quiet(&mut self, game: &GameRecord<P>) -> Found<P::Move> {
        if let Some(over) = self.game_over(game) {
            return over;
        }
        if game.position().has_noisy_moves() {
            self.memory.order.clear();
        }
        let never = AtomicBool::new(false);
        let brake = Brake::new(&Limits::depth(0), &never);
        let mut tree = Tree::new(&self.function, &mut self.memory, game, brake);
        let mut found = unsearched(tree.static_value(), game.position().moves().next());
        settle(&mut found, &mut tree);
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
        self.rank_moves_with(game, limits, stop, |_| ControlFlow::Continue(())).moves
    }

    /// The same, calling `on_iteration` with the ranking of every finished
    /// iteration; a break ends the search with it.
    pub fn rank_moves_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        mut on_iteration: impl FnMut(&Ranked<P::Move>) -> ControlFlow<()>,
    ) -> Ranked<P::Move> {
        let mut ranked = Ranked {
            moves: Vec::new(),
            lines: Vec::new(),
            depth: 0,
            nodes: 0,
            wall: Duration::ZERO,
        };
        if game.ending().is_some() {
            return ranked;
        }
        let begun = Instant::now();
        let never = AtomicBool::new(false);
        let unlimited = Brake::new(&Limits::depth(1), &never);
        let mut tree = Tree::new(&self.function, &mut self.memory, game, unlimited);
        let mut moves = tree.root_moves();
        let mut unbraked = 0;
        for depth in 1..=limits.depth.max(1) {
            let Some(mut found) = tree.value_all(&moves, depth) else { break };
            let complete = found.iter().all(|one| one.complete);
            found.sort_by_key(|one| std::cmp::Reverse(one.value));
            let (valued, lines): (Vec<_>, Vec<_>) =
                found.into_iter().map(|one| ((one.line[0], one.value), one.line)).unzip();
            moves = valued.iter().map(|&(m, _)| m).collect();
            let nodes = unbraked + tree.brake.nodes();
            ranked = Ranked { moves: valued, lines, depth, nodes, wall: begun.elapsed() };
            if on_iteration(&ranked).is_break() || complete {
                break;
            }
            if depth == 1 {
                unbraked = nodes;
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
        cpu: Duration::ZERO,
        wall: Duration::ZERO,
        complete: false,
        stopped: false,
    }
}

/// Makes a search of depth zero of the root's static value.
fn settle<P: Position, E: Evaluate<P>>(found: &mut Found<P::Move>, tree: &mut Tree<'_, P, E>) {
    if tree.is_noisy() {
        let quiet = tree.quiesce();
        found.stopped = tree.brake.stopped();
        if let Some(quiet) = quiet {
            adopt(found, quiet, 0);
        }
    }
    account(found, &tree.brake);
}

fn adopt<M: Copy>(found: &mut Found<M>, iteration: Iteration<M>, depth: u8) {
    found.best = iteration.line.first().copied().or(found.best);
    found.value = iteration.value;
    found.line = iteration.line;
    found.complete = iteration.complete;
    found.depth = depth;
}

fn account<M>(found: &mut Found<M>, brake: &Brake<'_>) {
    found.nodes = brake.nodes();
    found.cpu = brake.cpu();
    found.wall = brake.wall();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toys::{Dag, Kayles, Noise, Noisy, Noughts, minimax, record, wander};
    use evalsmith_core::{Ending, Outcome, Reason, Trivial, Window};
    use proptest::prelude::*;
    use std::sync::atomic::Ordering;

    fn noise(seed: u64) -> Noise {
        Noise { seed, spread: 50, early: true, mixed: false }
    }

    fn never() -> AtomicBool {
        AtomicBool::new(false)
    }

    /// Everything but the time it took.
    fn told<M>(found: Found<M>) -> (Option<M>, Score, u8, u64, Vec<M>, bool, bool) {
        let Found { best, value, depth, nodes, line, complete, stopped, .. } = found;
        (best, value, depth, nodes, line, complete, stopped)
    }

    #[test]
    fn the_empty_board_is_a_draw_and_the_search_knows_it_is_exact() {
        let game = record(Noughts(0, 0), 9);
        let mut searcher = Searcher::new(Trivial, 1 << 20);
        let found = searcher.search(&game, &Limits::depth(50), &never());
        assert_eq!((found.value, found.complete, found.stopped), (Score(0), true, false));
        assert_eq!((found.depth, found.line.len()), (9, 9));
        assert!(found.nodes < 20_000, "alpha-beta visits few of 549946 positions: {}", found.nodes);
    }

    #[test]
    fn kayles_is_won_unless_its_grundy_value_is_zero() {
        // Grundy values of rows of 1..=9 pins.
        for (n, grundy) in (1..).zip([1, 2, 3, 1, 4, 3, 2, 1, 4]) {
            for (m, other) in (1..=15_u32.saturating_sub(n).min(4)).zip([1, 2, 3, 1]) {
                let rows = ((1_u16 << n) - 1) << 5 | ((1 << m) - 1);
                let game = record(Kayles(rows), 99);
                let mut searcher = Searcher::new(Trivial, 1 << 20);
                let found = searcher.search(&game, &Limits::depth(99), &never());
                let expected = if grundy == other { Outcome::LOSS } else { Outcome::WIN };
                assert_eq!(found.value, Score::of_outcome(expected), "{rows:b}");
            }
        }
    }

    #[test]
    fn a_finished_game_has_its_outcome_and_no_move() {
        let game = record(Noughts(0, 0o7), 9);
        let mut searcher = Searcher::new(Trivial, 0);
        for found in
            [searcher.search(&game, &Limits::default(), &never()), searcher.fixed_depth(&game, 3)]
        {
            assert_eq!(found.best, None);
            assert_eq!(found.value, Score::of_outcome(Outcome::LOSS));
            assert!(found.complete && !found.stopped && found.line.is_empty());
        }
        assert!(searcher.rank_moves(&game, &Limits::default(), &never()).is_empty());

        let mut adjudicated = record(Noughts(0, 0), 9);
        adjudicated.adjudicate(Ending { outcome: Outcome::WIN, reason: Reason::Solved });
        assert_eq!(searcher.search(&adjudicated, &Limits::default(), &never()).best, None);
    }

    #[test]
    fn the_shortest_win_is_played() {
        // Square 2 wins now; others win later.
        let game = record(Noughts(0o003, 0o060), 9);
        let mut searcher = Searcher::new(Trivial, 1 << 16);
        for _ in 0..2 {
            let found = searcher.search(&game, &Limits::depth(9), &never());
            assert_eq!((found.best, found.depth), (Some(2), 1));
            // A deeper search first must not make a longer win look as good.
            searcher.fixed_depth(&game, 5);
        }
    }

    /// Plies until the end if the loser holds out as long as can be.
    fn longest_defence(game: &mut GameRecord<Kayles>) -> u8 {
        let won = |g: &mut GameRecord<_>| minimax(&Trivial, g, 99) > Score(0);
        if game.ending().is_some() {
            return 0;
        }
        let winning = won(game);
        let mut best = None;
        for m in game.position().moves() {
            game.play(m).expect("legal");
            if !winning || !won(game) {
                let plies = 1 + longest_defence(game);
                best = Some(
                    best.map_or(plies, |b: u8| if winning { b.min(plies) } else { b.max(plies) }),
                );
            }
            game.take_back();
        }
        best.expect("a side that wins has a winning move")
    }

    #[test]
    fn wins_are_short_and_losses_long() {
        for pins in 1..128 {
            let mut game = record(Kayles(pins), 99);
            let mut searcher = Searcher::new(Trivial, 1 << 16);
            let plies = longest_defence(&mut game);
            let found = searcher.search(&game, &Limits::depth(99), &never());
            assert!(found.value.is_decisive());
            assert_eq!(found.depth, plies, "pins {pins:b}");
            game.play(found.best.expect("a move")).expect("legal");
            assert_eq!(longest_defence(&mut game) + 1, plies, "pins {pins:b}");
        }
    }

    #[test]
    fn fixed_depth_does_not_stop_at_a_decided_game() {
        let game = record(Kayles(0b111), 99);
        let mut searcher = Searcher::new(Trivial, 0);
        assert_eq!(searcher.search(&game, &Limits::depth(3), &never()).depth, 3);
        let game = record(Kayles(0b11), 99);
        assert_eq!(searcher.search(&game, &Limits::depth(3), &never()).depth, 1);
        assert_eq!(searcher.fixed_depth(&game, 3).depth, 3);
    }

    #[test]
    fn there_is_a_move_whatever_the_limits() {
        let game = record(Noughts(0, 0), 9);
        let static_value = noise(1).value(game.position(), &game.position().key(), Window::FULL);
        let cases = [
            (Limits::nodes(0), false),
            (Limits::nodes(1), false),
            (Limits::wall(Duration::ZERO), false),
            (Limits::cpu(Duration::ZERO), false),
            (Limits::depth(9), true),
        ];
        for (limits, raised) in cases {
            let mut searcher = Searcher::new(noise(1), 1 << 12);
            let found = searcher.search(&game, &limits, &AtomicBool::new(raised));
            assert!(found.best.is_some_and(|m| m < 9));
            assert_eq!((found.depth, found.value, found.stopped), (0, static_value, true));
            let ranked = searcher.rank_moves(&game, &limits, &AtomicBool::new(raised));
            assert_eq!(ranked.len(), 9);
        }
        let found = Searcher::new(noise(1), 0).search(&game, &Limits::depth(0), &never());
        assert!(found.best.is_some() && !found.stopped && found.line.is_empty());
    }

    #[test]
    fn a_flag_raised_during_the_search_stops_it() {
        let game = record(Noughts(0, 0), 9);
        let stop = never();
        let mut iterations = Vec::new();
        let found = Searcher::new(noise(2), 0).search_with(&game, &Limits::depth(9), &stop, |f| {
            iterations.push((f.depth, f.nodes));
            stop.store(f.depth == 5, Ordering::Relaxed);
            ControlFlow::Continue(())
        });
        assert!(found.stopped);
        assert_eq!(iterations.iter().map(|i| i.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert!(found.nodes < iterations[4].1 + 2048, "{} {iterations:?}", found.nodes);
    }

    #[test]
    fn a_break_ends_the_search_with_a_whole_iteration() {
        let game = record(Noughts(0, 0), 9);
        let enough =
            |depth| if depth == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let mut searcher = Searcher::new(noise(2), 0);
        let found = searcher.search_with(&game, &Limits::depth(9), &never(), |f| enough(f.depth));
        assert_eq!((found.depth, found.stopped), (3, false));
        assert_eq!(
            told(found),
            told(Searcher::new(noise(2), 0).search(&game, &Limits::depth(3), &never()))
        );
        let mut nodes = Vec::new();
        let ranked = searcher.rank_moves_with(&game, &Limits::depth(9), &never(), |r| {
            nodes.push(r.nodes);
            enough(r.depth)
        });
        assert_eq!((ranked.depth, ranked.moves.len(), nodes.len()), (3, 9, 3));
        assert!(nodes.is_sorted_by(|a, b| a < b) && ranked.nodes == nodes[2], "{nodes:?}");
    }

    fn noisy(seed: u16) -> Noisy<Dag> {
        Noisy { calm: Dag::new(seed), often: 2 }
    }

    fn check_node_limit<P: Position>(start: P, function: Noise, nodes: u64, bytes: usize) {
        let game = record(start, 99);
        let run = || {
            let mut searcher = Searcher::new(function, bytes);
            let first = searcher.search(&game, &Limits::nodes(nodes), &never());
            (told(first), told(searcher.search(&game, &Limits::nodes(nodes / 2), &never())))
        };
        let (first, second) = run();
        assert!(first.3 <= nodes);
        assert!(!first.6 || first.3 == nodes, "stopped early at {} of {}", first.3, nodes);
        assert_eq!((first, second), run());
    }

    fn check_proven<P: Position>(start: P, function: Noise, nodes: u64) {
        let game = record(start, 99);
        let mut last = None;
        let found =
            Searcher::new(function, 0).search_with(&game, &Limits::nodes(nodes), &never(), |f| {
                last = Some(f.clone());
                ControlFlow::Continue(())
            });
        let value_of = |m: P::Move| {
            let mut after = game.clone();
            after.play(m).expect("legal");
            -minimax(&function, &mut after, found.depth - 1)
        };
        if found.depth > 0 {
            assert_eq!(found.value, value_of(found.best.expect("a move")));
        }
        if let Some(last) = last {
            assert!(found.depth == last.depth || found.depth == last.depth + 1);
            assert!(found.value >= value_of(last.best.expect("a move")));
        }
    }

    /// A player that nobody asks for the time plays as one that is asked.
    #[test]
    fn clocks_change_nothing_but_the_times() {
        let game = record(Noughts(0, 0), 9);
        for limits in [Limits::depth(5), Limits::nodes(300), Limits::depth(0)] {
            let timed = Searcher::new(noise(3), 1 << 12).search(&game, &limits, &never());
            let other = Searcher::new(noise(3), 1 << 12).search_untimed(&game, &limits, &never());
            assert_eq!((other.cpu, other.wall), (Duration::ZERO, Duration::ZERO));
            assert_eq!(told(timed), told(other));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn node_limits_are_exact_and_repeatable(
            seed: u16, function: u64, nodes in 0_u64..600, bytes in prop_oneof![Just(0), Just(4096)],
        ) {
            check_node_limit(Dag::new(seed), noise(function), nodes, bytes);
            check_node_limit(noisy(seed), noise(function), nodes, bytes);
        }

        /// Stopped at any node, a search answers with the last finished
        /// iteration, or with a move proven better in the next.
        #[test]
        fn a_stopped_search_keeps_what_it_proved(seed: u16, function: u64, nodes in 1_u64..400) {
            check_proven(Dag::new(seed), noise(function), nodes);
            check_proven(noisy(seed), noise(function), nodes);
        }

        #[test]
        fn a_cleared_searcher_is_a_new_one(seed: u16, other: u16, function: u64) {
            let game = record(Dag::new(seed), 99);
            let mut used = Searcher::new(noise(function), 1024);
            let mut elsewhere = record(Dag::new(other), 99);
            wander(&mut elsewhere, 2, 7);
            used.search(&elsewhere, &Limits::depth(7), &never());
            used.clear();
            let mut new = Searcher::new(noise(function), 1024);
            for depth in [4, 7] {
                let limits = Limits::depth(depth);
                prop_assert_eq!(
                    told(used.search(&game, &limits, &never())),
                    told(new.search(&game, &limits, &never()))
                );
            }
        }
    }
}
