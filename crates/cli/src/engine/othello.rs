//! The Othello engine as a thinker that clients drive over GTP and NBoard.
//!
//! Invariant: an answer comes within the time allotted, save for the last thousand
//! positions of a thread; there is a move whenever the game goes on, and a stop finds
//! it searched at least one ply deep.

use super::opening::Opening;
use cpu_time::ProcessTime;
use evalsmith_engine_othello::{
    Book, BookMove, Certainty, Clock, Engine, Judge, Limits, Ranked, Selectivity,
    Thought as Thinking, Value, Watch, check_possible,
};
use evalsmith_lab::prelude::{Budget, GameRecord, LogOdds, Outcome, PlayerError, Position, Score};
use evalsmith_othello::{Board, Kernel, Move};
use evalsmith_protocol::{Allotment, DISCS_A_LOGIT, Info, Sureness, Thinker, Thought};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time for a move where neither client nor user limits anything.
const UNASKED: Duration = Duration::from_secs(1);
/// Time on the wall that pipes and a busy machine take from a move.
const LAG: Duration = Duration::from_millis(50);
/// Processor time of a move beside its search.
const CPU_LAG: Duration = Duration::from_millis(1);
/// With so few empty squares a proof takes milliseconds: those moves need no share
/// of the clock.
const FREE: u32 = 12;

/// An engine with what its user asked of it.
pub(super) struct OthelloThinker<J: Judge> {
    pub(super) engine: Engine<J>,
    pub(super) name: String,
    pub(super) limits: Budget,
    pub(super) selectivity: Selectivity,
    pub(super) clock: Clock,
    pub(super) opening: Option<Opening>,
}

/// What may be spent on one thought, and since when.
struct Plan {
    limits: Limits,
    allotted: Option<Allotment>,
    /// There is one move, and time to be saved for later ones.
    forced: bool,
    begun: (Instant, ProcessTime),
}

impl Plan {
    fn used(&self, clock: Clock) -> Duration {
        match clock {
            Clock::Wall => self.begun.0.elapsed(),
            Clock::Cpu => self.begun.1.elapsed(),
        }
    }

    /// Whether another iteration is not worth its beginning.
    fn is_enough(&self) -> bool {
        self.allotted.is_some_and(|allotted| self.used(self.limits.clock) >= allotted.enough)
    }

    /// The limits of the shortest search.
    fn one_ply(&self) -> Limits {
        Limits { depth: Some(1), ..self.limits }
    }
}

impl<J: Judge> OthelloThinker<J> {
    fn plan<K: Kernel>(
        &self,
        record: &GameRecord<Board<K>>,
        asked: &Budget,
    ) -> Result<Plan, PlayerError> {
        let begun = (Instant::now(), ProcessTime::now());
        let board = record.position();
        check_possible(board).map_err(|e| PlayerError::new(&self.name, e.to_string()))?;
        let budget = asked.beside(&self.limits, UNASKED);
        // Both sides move. One move is never taken for the last: a proof that was
        // expected to be quick may not be.
        let moves_left = board.empty().count_ones().saturating_sub(FREE).div_ceil(2).max(2);
        let lag = match self.clock {
            Clock::Wall => LAG,
            Clock::Cpu => CPU_LAG,
        };
        let allotted = budget.allot(record.side(), Some(moves_left), lag);
        let limits = Limits {
            depth: budget.depth,
            nodes: budget.nodes,
            time: allotted.map(|allotted| allotted.most),
            clock: self.clock,
            selectivity: self.selectivity,
            whole_discs: true,
        };
        let forced = budget.clocks.is_some() && board.move_count() == 1;
        Ok(Plan { limits, allotted, forced, begun })
    }
}

/// The value on the scale of the protocols.
fn score(value: Value, certainty: Certainty) -> Score {
    match certainty {
        Certainty::Exact => Score::of_outcome(Outcome::by(value.discs() as i16)),
        _ => LogOdds(value.discs() / DISCS_A_LOGIT).into(),
    }
}

/// The same, where a search got as far as a value.
fn known(depth: u32, value: Value, certainty: Certainty) -> Option<Score> {
    (depth > 0).then(|| score(value, certainty))
}

/// A move of the book, with the play that the book expects.
fn of_book<K: Kernel>(
    book: &Book,
    board: &Board<K>,
    chosen: &BookMove,
    place: usize,
) -> Info<Move> {
    let mut line = vec![chosen.mv];
    if !chosen.deviates {
        line.extend(book.line(&board.play(chosen.mv)));
    }
    Info {
        place,
        depth: chosen.depth,
        value: score(chosen.value, chosen.certainty),
        sureness: Sureness::Book,
        nodes: 0,
        time: Duration::ZERO,
        line,
    }
}

fn sureness(certainty: Certainty) -> Sureness {
    match certainty {
        Certainty::Judged(Selectivity::Full) => Sureness::Estimated,
        Certainty::Judged(level) | Certainty::Probable(level) => Sureness::Percent(level.percent()),
        Certainty::Exact => Sureness::Proven,
    }
}

impl<K: Kernel, J: Judge> Thinker<Board<K>> for OthelloThinker<J> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn new_game(&mut self) {
        self.engine.forget();
    }

    fn think(
        &mut self,
        record: &GameRecord<Board<K>>,
        budget: &Budget,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Info<Move>),
    ) -> Result<Thought<Move>, PlayerError> {
        let plan = self.plan(record, budget)?;
        if plan.forced {
            return Ok(Thought { best: record.position().moves().next(), value: None });
        }
        let chosen = self.opening.as_mut().and_then(|opening| opening.choose(record.position()));
        if let (Some(chosen), Some(Opening { book, .. })) = (chosen, &self.opening) {
            tell(of_book(book, record.position(), &chosen, 1));
            let value = Some(score(chosen.value, chosen.certainty));
            return Ok(Thought { best: Some(chosen.mv), value });
        }
        let mut each = |thought: &Thinking| {
            tell(Info {
                place: 1,
                depth: thought.depth,
                value: score(thought.value, thought.certainty),
                sureness: sureness(thought.certainty),
                nodes: thought.nodes,
                time: plan.begun.0.elapsed(),
                line: thought.line.clone(),
            });
        };
        let watch = Watch::heeding(stop);
        let board = record.position();
        let mut thought = self.engine.think(board, plan.limits, &watch, |thought| {
            each(thought);
            if plan.is_enough() {
                watch.stop();
            }
        });
        if thought.depth == 0 && stop.load(Ordering::Relaxed) {
            thought = self.engine.think(board, plan.one_ply(), &Watch::new(), each);
        }
        Ok(Thought {
            best: thought.best,
            value: known(thought.depth, thought.value, thought.certainty),
        })
    }

    fn rank(
        &mut self,
        record: &GameRecord<Board<K>>,
        lines: usize,
        budget: &Budget,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Info<Move>),
    ) -> Result<Thought<Move>, PlayerError> {
        let plan = self.plan(record, budget)?;
        if let Some(Opening { book, .. }) = &self.opening {
            let known = book.moves(record.position());
            for (place, chosen) in (1..=lines).zip(&known) {
                tell(of_book(book, record.position(), chosen, place));
            }
        }
        let watch = Watch::heeding(stop);
        let mut each = |ranked: &[Ranked], nodes| {
            for (place, entry) in (1..=lines).zip(ranked) {
                tell(Info {
                    place,
                    depth: entry.depth,
                    value: score(entry.value, entry.certainty),
                    sureness: sureness(entry.certainty),
                    nodes,
                    time: plan.begun.0.elapsed(),
                    line: entry.line.clone(),
                });
            }
        };
        let board = record.position();
        let mut ranked = self.engine.rank_moves(board, plan.limits, &watch, |ranked| {
            each(ranked, watch.nodes());
            if plan.is_enough() {
                watch.stop();
            }
        });
        if ranked.iter().all(|entry| entry.depth == 0) && stop.load(Ordering::Relaxed) {
            let watch = Watch::new();
            let each = |ranked: &[Ranked]| each(ranked, watch.nodes());
            ranked = self.engine.rank_moves(board, plan.one_ply(), &watch, each);
        }
        let best = ranked.first();
        let value = best.and_then(|entry| known(entry.depth, entry.value, entry.certainty));
        Ok(Thought { best: best.map(|entry| entry.mv), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_engine_othello::book::{Growth, Until};
    use evalsmith_engine_othello::{ProbCut, SmallPatterns};
    use evalsmith_lab::prelude::{Game, Quiet, Side};
    use evalsmith_othello::{Othello, Portable};
    use evalsmith_protocol::Clocks;
    use std::convert::Infallible;

    fn thinker(limits: Budget) -> OthelloThinker<SmallPatterns> {
        let (selectivity, clock) = (Selectivity::default(), Clock::Wall);
        OthelloThinker {
            engine: Engine::new(1, 1),
            name: "ours".into(),
            limits,
            selectivity,
            clock,
            opening: None,
        }
    }

    fn record(moves: &str) -> GameRecord<Board<Portable>> {
        Othello::new().parse_transcript(moves).unwrap()
    }

    fn board(text: &str) -> GameRecord<Board<Portable>> {
        let (board, side) = Othello::new().parse(text).unwrap();
        GameRecord::new(board, side, 128)
    }

    fn clocks(ms: u64) -> Budget {
        let remaining = [Duration::from_millis(ms); 2];
        Budget::clocks(Clocks { remaining, ..Clocks::default() })
    }

    const TEN_EMPTY: &str = "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X";

    #[test]
    fn the_end_is_told_as_proven() {
        let (never, mut told) = (AtomicBool::new(false), Vec::new());
        let mut tell = |info| told.push(info);
        let mut ours = thinker(Budget::default());
        let thought = ours.think(&board(TEN_EMPTY), &Budget::default(), &never, &mut tell).unwrap();
        assert_eq!(thought.value, Some(Score::of_outcome(Outcome::by(6))));
        assert_eq!(told.last().map(|info| info.sureness), Some(Sureness::Proven));
        assert_eq!(told.last().map(|info| info.line[0]), thought.best);
    }

    #[test]
    fn pipes_take_nothing_from_processor_time() {
        let time = Duration::from_millis(30);
        let mut ours = thinker(Budget::move_time(time));
        let most = |ours: &OthelloThinker<SmallPatterns>| {
            let plan = ours.plan(&record("f5d6c3"), &Budget::default()).unwrap();
            plan.limits.time.unwrap()
        };
        assert_eq!(most(&ours), time / 4);
        ours.clock = Clock::Cpu;
        assert_eq!(most(&ours) + CPU_LAG, time);
    }

    #[test]
    fn moves_are_ranked_in_one_iteration_each() {
        let (never, mut told) = (AtomicBool::new(false), Vec::new());
        let mut tell = |info| told.push(info);
        let mut ours = thinker(Budget::depth(3));
        let game = record("f5d6c3");
        let thought = ours.rank(&game, 2, &Budget::depth(9), &never, &mut tell).unwrap();
        let places: Vec<_> = told.iter().map(|info| (info.depth, info.place)).collect();
        assert_eq!(places, [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)]);
        assert!(told[4].value >= told[5].value);
        assert_eq!(told[4].line.first(), thought.best.as_ref());
        assert_eq!(told[4].sureness, Sureness::Percent(95));
    }

    fn small_book() -> Book {
        let growth = Growth { depth: 1, solve_at: 0, table_mib: 1, ..Growth::default() };
        let until = Until { positions: Some(30), time: None };
        let judge = (&SmallPatterns, ProbCut::of_small_patterns());
        let mut book = Book::default();
        book.grow(&growth, until, judge, &Quiet, |_| Ok::<_, Infallible>(())).unwrap();
        book
    }

    #[test]
    fn the_book_is_played_as_long_as_it_lasts_and_said_to_be() {
        let (never, mut told) = (AtomicBool::new(false), Vec::new());
        let mut ours = thinker(Budget::depth(2));
        let (book, variety) = (small_book(), Value::default());
        let line = book.line(record("").position());
        ours.opening = Some(Opening { book, variety, seed: 1, draws: 0 });
        let mut game = record("");
        let mut played = 0;
        loop {
            told.clear();
            let mut tell = |info| told.push(info);
            let thought = ours.think(&game, &Budget::default(), &never, &mut tell).unwrap();
            if told[0].sureness != Sureness::Book {
                break;
            }
            assert_eq!((told.len(), thought.best), (1, Some(line[played])));
            assert_eq!(told[0].line, line[played..]);
            game.play(line[played]).unwrap();
            played += 1;
        }
        assert!(played > 0 && played < line.len(), "the last move leads out of the book");
        told.clear();
        let mut tell = |info| told.push(info);
        ours.rank(&record("f5"), 3, &Budget::default(), &never, &mut tell).unwrap();
        let known = small_book().moves(record("f5").position()).len().min(3);
        let of_book = told.iter().take_while(|info| info.sureness == Sureness::Book).count();
        assert_eq!(of_book, known);
        assert_eq!(told.last().map(|info| (info.place, info.depth)), Some((3, 2)));
    }

    #[test]
    fn there_is_a_move_on_any_clock_and_after_any_stop() {
        for (budget, stopped) in
            [(clocks(0), false), (clocks(20), false), (Budget::infinite(), true)]
        {
            let mut ours = thinker(Budget::default());
            let game = record("f5d6c3");
            let stop = AtomicBool::new(stopped);
            let thought = ours.think(&game, &budget, &stop, &mut |_| {}).unwrap();
            assert!(thought.best.is_some(), "{budget:?}");
            assert!(!stopped || thought.value.is_some(), "one ply is searched after a stop");
            assert!(ours.rank(&game, 5, &budget, &stop, &mut |_| {}).unwrap().best.is_some());
        }
    }

    #[test]
    fn a_clock_is_shared_out_over_the_moves_to_come() {
        let ours = thinker(Budget::default());
        let most = |moves: &str| {
            let plan = ours.plan(&record(moves), &clocks(60_000)).unwrap();
            plan.allotted.map(|a| (a.enough, a.most)).unwrap()
        };
        let ((enough, early), (_, later)) = (most(""), most("f5d6c3d3c4f4"));
        assert!(enough < early && early < later && later < Duration::from_secs(20));
        let late = ours.plan(&board(TEN_EMPTY), &clocks(1000)).unwrap();
        assert!(late.allotted.is_some_and(|a| a.most <= Duration::from_millis(500)));
    }

    #[test]
    fn impossible_boards_are_refused() {
        let line = format!("{} X", "-".repeat(26) + "XO" + &"-".repeat(36));
        let mut ours = thinker(Budget::default());
        let never = AtomicBool::new(false);
        let error = ours.think(&board(&line), &Budget::depth(2), &never, &mut |_| {}).unwrap_err();
        assert!(error.to_string().contains("is empty"), "{error}");
        assert_eq!(board(&line).side(), Side::First);
    }
}
