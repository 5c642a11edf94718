//! Othello's engine as a search like any other: midgame search with Multi-ProbCut, then
//! the solver. It is how the function that comes with Othello is searched, whoever asks.
//!
//! Values are log-odds, as everywhere outside the engine; a proven score is the outcome of
//! the game. Positions that no game can reach are searched by plain alpha-beta.

use evalsmith_engine_othello::{
    Certainty, Clock, Engine, Limits as EngineLimits, Selectivity, SquareJudge, Thought, Value,
    Watch, check_possible,
};
use evalsmith_lab::prelude::{
    DISCS_A_LOGIT, Evaluate, Found, GameRecord, Limits, LogOdds, OnIteration, Outcome, Position,
    Ranked, Score, Search, Searcher,
};
use evalsmith_othello::{Board, Kernel, Move};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The smallest tables that the engine is given, in MiB.
const SMALLEST_TABLES: usize = 2;

/// Fewer positions than these are searched by plain alpha-beta, which keeps to the number:
/// the engine looks at its limits every thousand.
const FEWEST_NODES: u64 = 4096;

/// The engine, and what searches positions that it does not take.
pub(crate) struct EngineSearch<K: Kernel, E: Evaluate<Board<K>>> {
    engine: Engine<SquareJudge>,
    plain: Searcher<Board<K>, E>,
}

impl<K: Kernel, E: Evaluate<Board<K>>> EngineSearch<K, E> {
    /// The engine as it plays, on one thread, with tables of about so many bytes.
    /// `function` values positions that no game can reach.
    pub(crate) fn new(function: E, table_bytes: usize) -> Self {
        let tables = (table_bytes >> 20).max(SMALLEST_TABLES);
        Self { engine: Engine::shipped(tables, 1), plain: Searcher::new(function, 0) }
    }

    fn think(
        &mut self,
        game: &GameRecord<Board<K>>,
        limits: EngineLimits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Found<Move>>,
    ) -> Found<Move> {
        let (board, watch, clock) = (game.position(), Watch::heeding(stop), Clocks::start());
        let thought = self.engine.think(board, limits, &watch, |thought| {
            if on_iteration(&found(board, thought, &clock)).is_break() {
                watch.stop();
            }
        });
        Found { stopped: watch.stopped(), ..found(board, &thought, &clock) }
    }
}

/// When a search began, on both clocks.
struct Clocks {
    cpu: cpu_time::ThreadTime,
    wall: Instant,
}

impl Clocks {
    fn start() -> Self {
        Self { cpu: cpu_time::ThreadTime::now(), wall: Instant::now() }
    }
}

/// A value of the engine for the side to move: log-odds, or the outcome once it is proven.
fn score(value: Value, certainty: Certainty) -> Score {
    match certainty {
        Certainty::Exact => Score::of_outcome(Outcome::by(value.discs().round() as i16)),
        Certainty::Judged(_) | Certainty::Probable(_) => {
            LogOdds(value.discs() / DISCS_A_LOGIT).into()
        }
    }
}

/// A line as far as it is legal, with the passes that the engine leaves out.
fn line<K: Kernel>(board: &Board<K>, moves: &[Move]) -> Vec<Move> {
    let mut board = *board;
    let mut line = Vec::with_capacity(moves.len());
    for &m in moves {
        if m != Move::PASS && board.moves().eq([Move::PASS]) {
            line.push(Move::PASS);
            board = board.play(Move::PASS);
        }
        if !board.moves().any(|legal| legal == m) {
            break;
        }
        line.push(m);
        board = board.play(m);
    }
    line
}

fn found<K: Kernel>(board: &Board<K>, thought: &Thought, clocks: &Clocks) -> Found<Move> {
    Found {
        best: thought.best,
        value: score(thought.value, thought.certainty),
        depth: u8::try_from(thought.depth).unwrap_or(u8::MAX),
        nodes: thought.nodes,
        line: line(board, &thought.line),
        cpu: clocks.cpu.elapsed(),
        wall: clocks.wall.elapsed(),
        complete: thought.certainty == Certainty::Exact,
        stopped: false,
    }
}

fn engine_limits(limits: &Limits) -> EngineLimits {
    let (time, clock) = match (limits.wall, limits.cpu) {
        (None, Some(cpu)) => (Some(cpu), Clock::Cpu),
        (wall, _) => (wall, Clock::Wall),
    };
    EngineLimits {
        depth: Some(limits.depth.into()),
        nodes: limits.nodes,
        time,
        clock,
        ..EngineLimits::default()
    }
}

impl<K: Kernel, E: Evaluate<Board<K>>> Search<Board<K>> for EngineSearch<K, E> {
    fn clear(&mut self) {
        self.engine.forget();
        self.plain.clear();
    }

    fn search_with(
        &mut self,
        game: &GameRecord<Board<K>>,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Found<Move>>,
    ) -> Found<Move> {
        let too_few = limits.nodes.is_some_and(|nodes| nodes < FEWEST_NODES);
        if limits.depth == 0 || too_few || !is_taken(game) {
            return self.plain.search_with(game, limits, stop, on_iteration);
        }
        self.think(game, engine_limits(limits), stop, on_iteration)
    }

    fn search_untimed(
        &mut self,
        game: &GameRecord<Board<K>>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Found<Move> {
        self.search(game, limits, stop)
    }

    /// Leaves nothing out.
    fn fixed_depth(&mut self, game: &GameRecord<Board<K>>, depth: u8) -> Found<Move> {
        if depth == 0 || !is_taken(game) {
            return self.plain.fixed_depth(game, depth);
        }
        let (selectivity, depth) = (Selectivity::Full, u32::from(depth));
        let limits = EngineLimits { selectivity, ..EngineLimits::depth(depth) };
        let never = AtomicBool::new(false);
        self.think(game, limits, &never, &mut |_| ControlFlow::Continue(()))
    }

    fn quiet(&mut self, game: &GameRecord<Board<K>>) -> Found<Move> {
        self.plain.quiet(game)
    }

    fn rank_moves_with(
        &mut self,
        game: &GameRecord<Board<K>>,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Ranked<Move>>,
    ) -> Ranked<Move> {
        let too_few = limits.nodes.is_some_and(|nodes| nodes < FEWEST_NODES);
        if limits.depth == 0 || too_few || !is_taken(game) {
            return self.plain.rank_moves_with(game, limits, stop, on_iteration);
        }
        let (board, watch, begun) = (game.position(), Watch::heeding(stop), Instant::now());
        let ranked = |moves: &[evalsmith_engine_othello::Ranked]| Ranked {
            moves: moves.iter().map(|m| (m.mv, score(m.value, m.certainty))).collect(),
            lines: moves.iter().map(|m| line(board, &m.line)).collect(),
            depth: moves.first().map_or(0, |m| u8::try_from(m.depth).unwrap_or(u8::MAX)),
            nodes: watch.nodes(),
            wall: begun.elapsed(),
        };
        let last = self.engine.rank_moves(board, engine_limits(limits), &watch, |moves| {
            if on_iteration(&ranked(moves)).is_break() {
                watch.stop();
            }
        });
        ranked(&last)
    }

    fn levels(&self) -> Vec<u8> {
        Selectivity::ALL.map(Selectivity::percent).to_vec()
    }

    fn search_at(
        &mut self,
        game: &GameRecord<Board<K>>,
        depth: u8,
        level: u8,
    ) -> Result<Found<Move>, String> {
        check_possible(game.position()).map_err(|e| e.to_string())?;
        let known = Selectivity::ALL.into_iter().find(|known| known.percent() == level);
        let selectivity = known.ok_or_else(|| format!("there is no selectivity of {level}%"))?;
        self.engine.forget();
        let limits = EngineLimits { selectivity, ..EngineLimits::depth(depth.into()) };
        let never = AtomicBool::new(false);
        Ok(self.think(game, limits, &never, &mut |_| ControlFlow::Continue(())))
    }
}

/// Whether the engine takes a position: one that goes on, and that a game may reach.
fn is_taken<K: Kernel>(game: &GameRecord<Board<K>>) -> bool {
    game.ending().is_none() && check_possible(game.position()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_lab::prelude::{Game, Side, Trivial};
    use evalsmith_othello::{Othello, Portable};

    type Engine = EngineSearch<Portable, Trivial>;

    fn record(plies: usize) -> GameRecord<Board<Portable>> {
        let mut record = GameRecord::new(Othello::new().start(), Side::First, 128);
        for _ in 0..plies {
            let m = record.position().moves().next().unwrap();
            record.play(m).unwrap();
        }
        record
    }

    #[test]
    fn bold_searches_visit_less_and_answers_do_not_depend_on_earlier_ones() {
        let (record, mut search) = (record(20), Engine::new(Trivial, 0));
        let levels = search.levels();
        let look = |search: &mut Engine, level| {
            let found = search.search_at(&record, 10, level).unwrap();
            (found.value, found.nodes)
        };
        let bold = look(&mut search, levels[0]);
        let full = look(&mut search, 100);
        assert!(bold.1 < full.1, "{bold:?} {full:?}");
        assert_eq!(look(&mut search, levels[0]), bold);
        assert!(search.search_at(&record, 10, 50).is_err());
    }

    #[test]
    fn lines_are_legal_and_end_in_proven_scores() {
        let mut search = Engine::new(Trivial, 1 << 20);
        for plies in [0, 11, 30, 48, 52, 56] {
            let record = record(plies);
            let never = AtomicBool::new(false);
            let found = search.search(&record, &Limits::depth(10), &never);
            let mut played = record.clone();
            for &m in &found.line {
                played.play(m).unwrap();
            }
            assert_eq!(found.line.first().copied(), found.best, "{plies}");
            let is_near = record.position().empty().count_ones() <= 10;
            assert_eq!(found.value.is_decisive(), is_near, "{plies}: {found:?}");
            let ranked = search.rank_moves_with(&record, &Limits::depth(6), &never, &mut |_| {
                ControlFlow::Continue(())
            });
            assert_eq!(ranked.moves.len(), record.position().move_count());
            assert!(ranked.moves.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        }
    }

    #[test]
    fn small_numbers_of_nodes_are_kept_to() {
        let mut search = Engine::new(Trivial, 0);
        let found = search.search(&record(20), &Limits::nodes(300), &AtomicBool::new(false));
        assert!(found.nodes <= 300 && found.best.is_some(), "{found:?}");
    }

    #[test]
    fn positions_that_no_game_reaches_are_searched_all_the_same() {
        let text = format!("{}XO{}X", "-".repeat(8), "-".repeat(54));
        let (board, side) = Othello::new().parse(&text).unwrap();
        assert!(check_possible(&board).is_err());
        let record = GameRecord::new(board, side, 128);
        let mut search = Engine::new(Trivial, 0);
        assert!(search.search(&record, &Limits::depth(3), &AtomicBool::new(false)).best.is_some());
        assert!(search.search_at(&record, 3, 73).is_err());
    }
}
