//! A game's search as an engine that outside programs drive.
//!
//! Invariant: the answer comes within the time allotted, save for the last
//! thousand positions of a search and a solver's last few milliseconds; all
//! limits hold that the client or the user gives, and where nobody gives one a
//! move takes [`UNASKED`]. A search that is stopped before it began still looks one
//! ply ahead.

use crate::LabError;
use crate::function::{FunctionName, open};
use evalsmith_core::{Game, PlayerError, Position, Score, Solve};
use evalsmith_protocol::{Allotment, Budget, Info, Kind, Offered, Sureness, Thinker, Thought};
use evalsmith_rules::{DynFunction, DynGame, MoveId, Pos, Record};
use evalsmith_search::{DEFAULT_TABLE_BYTES, Found, Limits, MAX_TABLE_BYTES, Ranked, Search};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time for a move where neither client nor user limits anything.
const UNASKED: Duration = Duration::from_secs(1);
/// Moves left at which a game with a solver is solved: some milliseconds.
const SOLVE_AT: u32 = 10;
/// Time that pipes and a busy machine take from a move, unless it is set.
const LAG_MS: u64 = 50;
const MIB: usize = 1 << 20;

const HASH: &str = "Hash";
const FUNCTION: &str = "Function";
const LAG: &str = "Move Overhead";
const CLEAR: &str = "Clear Hash";

/// How an engine of ours begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSetup {
    /// Its evaluation function.
    pub function: FunctionName,
    /// Limits on every search, beside those that a client gives.
    pub limits: Budget,
    /// MiB of memory for the transposition table.
    pub hash: usize,
}

impl EngineSetup {
    /// MiB of a table unless another size is wanted.
    pub const HASH: usize = DEFAULT_TABLE_BYTES / MIB;
    /// The most MiB of a table.
    pub const MOST_HASH: usize = MAX_TABLE_BYTES / MIB;
}

/// Searches for whoever drives it through [`serve`](evalsmith_protocol::serve()).
pub struct SearchThinker {
    game: DynGame,
    name: FunctionName,
    function: DynFunction,
    search: Box<dyn Search<Pos>>,
    solver: Option<Box<dyn Solve<Pos>>>,
    limits: Budget,
    lag: Duration,
    hash: usize,
}

impl SearchThinker {
    /// A thinker with the function that `setup` names.
    ///
    /// # Errors
    /// When the function cannot be opened.
    pub fn new(game: &DynGame, setup: &EngineSetup) -> Result<Self, LabError> {
        let name = match &setup.function {
            FunctionName::Shipped if !game.has_shipped() => FunctionName::Hand,
            named => named.clone(),
        };
        let function = open(game, &name)?;
        Ok(Self {
            game: game.clone(),
            name,
            search: function.search(setup.hash.saturating_mul(MIB)),
            function,
            solver: game.solver(),
            limits: setup.limits.clone(),
            lag: Duration::from_millis(LAG_MS),
            hash: setup.hash,
        })
    }

    fn plan(&self, record: &Record, asked: &Budget) -> Plan {
        let budget = asked.beside(&self.limits, UNASKED);
        let position = record.position();
        let left = self.solver.as_ref().map(|solver| solver.moves_left(position));
        // Both sides move; the last moves are solved at once.
        let moves_left = left.map(|left| left.saturating_sub(SOLVE_AT).div_ceil(2).max(1));
        let allotted = budget.allot(record.side(), moves_left, self.lag);
        let deep_enough = |left: u32| budget.depth.is_none_or(|depth| depth >= left);
        Plan {
            limits: Limits {
                depth: budget.depth.map_or(u8::MAX, |plies| plies.clamp(1, 255) as u8),
                nodes: budget.nodes,
                cpu: None,
                wall: allotted.map(|allotted| allotted.most),
            },
            allotted,
            forced: budget.clocks.is_some() && position.move_count() == 1,
            solvable: left
                .filter(|&left| left <= SOLVE_AT && budget.nodes.is_none() && deep_enough(left)),
        }
    }

    fn solve(
        &mut self,
        record: &Record,
        moves_left: u32,
        tell: &mut dyn FnMut(Info<MoveId>),
    ) -> Option<Thought<MoveId>> {
        let begun = Instant::now();
        let solved = self.solver.as_mut()?.solve(record.position());
        let best = solved.best?;
        let value = Score::of_outcome(solved.outcome);
        let (nodes, time) = (solved.nodes, begun.elapsed());
        let (depth, sureness, line) = (moves_left, Sureness::Proven, vec![best]);
        tell(Info { place: 1, depth, value, sureness, nodes, time, line });
        Some(Thought { best: Some(best), value: Some(value) })
    }

    fn refuse(&self, reason: &impl ToString) -> PlayerError {
        PlayerError::new(self.name(), reason.to_string())
    }
}

/// What may be spent on one search.
struct Plan {
    limits: Limits,
    allotted: Option<Allotment>,
    /// There is one move, and time to be saved for later ones.
    forced: bool,
    /// Moves left, where they are few enough and the limits let them be solved.
    solvable: Option<u32>,
}

impl Plan {
    /// Whether another iteration is worth its beginning.
    fn go_on(&self, used: Duration) -> ControlFlow<()> {
        if self.forced || self.allotted.is_some_and(|allotted| used >= allotted.enough) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The limits of the shortest search.
    fn one_ply(&self) -> Limits {
        Limits { depth: 1, ..self.limits.clone() }
    }
}

/// A flag that nobody raises.
fn never() -> AtomicBool {
    AtomicBool::new(false)
}

impl Thinker<Pos> for SearchThinker {
    fn name(&self) -> String {
        format!("evalsmith {}", self.function.identity(&self.name))
    }

    fn options(&self) -> Vec<Offered> {
        let spin = |name, most: usize| Offered::new(name, Kind::Spin(1, most as i64));
        vec![
            spin(HASH, EngineSetup::MOST_HASH).holding(self.hash.to_string()),
            Offered::new(CLEAR, Kind::Button),
            Offered::new(FUNCTION, Kind::Text).holding(self.name.to_string()),
            Offered::new(LAG, Kind::Spin(0, 10_000)).holding(LAG_MS.to_string()),
        ]
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), PlayerError> {
        match name {
            CLEAR => self.search.clear(),
            LAG => self.lag = Duration::from_millis(value.parse().map_err(|e| self.refuse(&e))?),
            HASH => {
                self.hash = value.parse().map_err(|e| self.refuse(&e))?;
                self.search = self.function.search(self.hash.saturating_mul(MIB));
            }
            FUNCTION => {
                let name = FunctionName::from(value.to_owned());
                let opened = open(&self.game, &name);
                self.function = opened.map_err(|e| self.refuse(&e))?;
                self.name = name;
                self.search = self.function.search(self.hash.saturating_mul(MIB));
            }
            _ => return Err(self.refuse(&format!("there is no option {name}"))),
        }
        Ok(())
    }

    fn new_game(&mut self) {
        self.search.clear();
    }

    fn think(
        &mut self,
        record: &Record,
        budget: &Budget,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Info<MoveId>),
    ) -> Result<Thought<MoveId>, PlayerError> {
        let plan = self.plan(record, budget);
        if let Some(thought) = plan.solvable.and_then(|left| self.solve(record, left, tell)) {
            return Ok(thought);
        }
        let mut each = |found: &Found<MoveId>| {
            tell(Info {
                place: 1,
                depth: found.depth.into(),
                value: found.value,
                sureness: Sureness::of(found.value),
                nodes: found.nodes,
                time: found.wall,
                line: found.line.clone(),
            });
            plan.go_on(found.wall)
        };
        let mut found = self.search.search_with(record, &plan.limits, stop, &mut each);
        if found.depth == 0 && stop.load(Ordering::Relaxed) {
            found = self.search.search_with(record, &plan.one_ply(), &never(), &mut each);
        }
        Ok(Thought { best: found.best, value: Some(found.value) })
    }

    fn rank(
        &mut self,
        record: &Record,
        lines: usize,
        budget: &Budget,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Info<MoveId>),
    ) -> Result<Thought<MoveId>, PlayerError> {
        let plan = self.plan(record, budget);
        let mut each = |ranked: &Ranked<MoveId>| {
            let best = ranked.moves.iter().zip(&ranked.lines);
            for (place, (&(_, value), line)) in (1..=lines).zip(best) {
                let (nodes, time, line) = (ranked.nodes, ranked.wall, line.clone());
                let (depth, sureness) = (ranked.depth.into(), Sureness::of(value));
                tell(Info { place, depth, value, sureness, nodes, time, line });
            }
            plan.go_on(ranked.wall)
        };
        let mut ranked = self.search.rank_moves_with(record, &plan.limits, stop, &mut each);
        if ranked.depth == 0 && stop.load(Ordering::Relaxed) {
            ranked = self.search.rank_moves_with(record, &plan.one_ply(), &never(), &mut each);
        }
        let best = ranked.moves.first();
        Ok(Thought { best: best.map(|&(m, _)| m), value: best.map(|&(_, value)| value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_core::{GameRecord, Outcome, Side};
    use evalsmith_othello::Othello;
    use evalsmith_protocol::Clocks;

    fn chess() -> DynGame {
        DynGame::new(Chess)
    }

    fn thinker(game: &DynGame, limits: Budget) -> SearchThinker {
        let setup = EngineSetup { function: FunctionName::Shipped, limits, hash: 1 };
        SearchThinker::new(game, &setup).unwrap()
    }

    fn record(game: &DynGame, moves: &str) -> Record {
        let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
        for text in moves.split_whitespace() {
            record.play(game.parse_move(record.position(), text).unwrap()).unwrap();
        }
        record
    }

    fn think(
        thinker: &mut SearchThinker,
        record: &Record,
        budget: &Budget,
    ) -> (Thought<MoveId>, Vec<Info<MoveId>>) {
        let (never, mut told) = (AtomicBool::new(false), Vec::new());
        let thought = thinker.think(record, budget, &never, &mut |info| told.push(info));
        (thought.unwrap(), told)
    }

    #[test]
    fn the_tighter_limit_holds() {
        let asked = Budget::depth(3);
        let (_, told) =
            think(&mut thinker(&chess(), Budget::depth(2)), &record(&chess(), ""), &asked);
        assert_eq!(told.iter().map(|info| info.depth).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn there_is_a_move_whatever_little_time_there_is() {
        let game = record(&chess(), "f3 e5 g4");
        for remaining in [Duration::ZERO, Duration::from_millis(20), Duration::from_mins(1)] {
            let clocks = Clocks { remaining: [remaining; 2], ..Clocks::default() };
            let mut thinker = thinker(&chess(), Budget::default());
            let (thought, _) = think(&mut thinker, &game, &Budget::clocks(clocks));
            assert!(thought.best.is_some());
            if remaining > UNASKED {
                assert_eq!(chess().format_move(game.position(), thought.best.unwrap()), "Qh4#");
            }
        }
    }

    #[test]
    fn the_end_is_solved_unless_the_client_wants_less() {
        let game = DynGame::new(Othello::new());
        let mut thinker = thinker(&game, Budget::default());
        let mut played = record(&game, "");
        while thinker.plan(&played, &Budget::infinite()).solvable.is_none() {
            let m = played.position().moves().next().unwrap();
            played.play(m).unwrap();
        }
        let exact = game.solver().unwrap().solve(played.position());
        let (thought, told) = think(&mut thinker, &played, &Budget::move_time(UNASKED));
        assert_eq!(thought.value, Some(Score::of_outcome(exact.outcome)));
        assert_eq!((told.len(), told[0].depth), (1, SOLVE_AT));
        for less in [Budget::depth(SOLVE_AT - 1), Budget::nodes(1000)] {
            assert_eq!(thinker.plan(&played, &less).solvable, None, "{less:?}");
        }
        assert!(thinker.plan(&played, &Budget::depth(SOLVE_AT)).solvable.is_some());
    }

    #[test]
    fn a_search_that_is_stopped_before_it_began_looks_one_ply_ahead() {
        let game = record(&chess(), "f3 e5 g4");
        let stopped = AtomicBool::new(true);
        let mut thinker = thinker(&chess(), Budget::default());
        for lines in [1, 3] {
            let mut told = Vec::new();
            let mut tell = |info| told.push(info);
            let asked = Budget::infinite();
            let thought = match lines {
                1 => thinker.think(&game, &asked, &stopped, &mut tell),
                _ => thinker.rank(&game, lines, &asked, &stopped, &mut tell),
            };
            let best = thought.unwrap().best.unwrap();
            assert_eq!(chess().format_move(game.position(), best), "Qh4#");
            assert_eq!((told.len(), told[0].depth), (lines, 1));
        }
    }

    #[test]
    fn moves_are_ranked_by_their_values() {
        let game = record(&chess(), "f3 e5 g4");
        let (never, mut told) = (AtomicBool::new(false), Vec::new());
        let mut thinker = thinker(&chess(), Budget::default());
        let mut tell = |info| told.push(info);
        let thought = thinker.rank(&game, 3, &Budget::depth(2), &never, &mut tell).unwrap();
        assert_eq!(thought.value, Some(Score::of_outcome(Outcome::WIN)));
        let places: Vec<_> = told.iter().map(|info| (info.depth, info.place)).collect();
        assert_eq!(places, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
        assert!(told[3].value >= told[4].value && told[4].value >= told[5].value);
        assert_eq!(told[3].line, [thought.best.unwrap()]);
        assert_eq!(told[4].line.len(), 2, "a move that does not mate, and its answer");
    }

    #[test]
    fn options_are_taken_or_refused_with_a_reason() {
        let mut thinker = thinker(&chess(), Budget::default());
        assert!(thinker.name().starts_with("evalsmith hand@"), "{}", thinker.name());
        for (name, value) in [(HASH, "2"), (CLEAR, ""), (LAG, "9"), (FUNCTION, "trivial")] {
            assert!(thinker.options().iter().any(|option| option.name == name));
            thinker.set_option(name, value).unwrap();
        }
        assert_eq!((thinker.hash, thinker.lag), (2, Duration::from_millis(9)));
        assert_eq!(thinker.name(), "evalsmith trivial");
        let refused = thinker.set_option(FUNCTION, "/nowhere/x.safetensors").unwrap_err();
        assert!(refused.reason.contains("/nowhere/x.safetensors"), "{refused}");
        assert_eq!(thinker.name(), "evalsmith trivial", "what it had stays");
    }
}
