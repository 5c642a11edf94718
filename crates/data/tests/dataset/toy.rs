//! A small game with margins, draws, stages and a solver, and what tests share.
//!
//! From a heap the players take one to three stones in turn; who took more wins
//! by the difference.

use evalsmith_core::{
    Features, FindMate, Game, Malformed, Outcome, Position, Progress, Quiet, Side, Solve, Solved,
    Stage,
};
use evalsmith_data::{DataError, Dataset, Generated, Maker, SelfPlay, generate};
use evalsmith_rules::{DynFunction, DynGame};
use std::path::Path;
use std::sync::Arc;

pub(crate) const HEAP: u8 = 30;

/// The heap, and how many stones the side to move is ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Heap {
    pub(crate) stones: u8,
    pub(crate) lead: i8,
}

impl Position for Heap {
    type Move = u8;
    type Moves = std::ops::RangeInclusive<u8>;

    fn moves(&self) -> Self::Moves {
        1..=self.stones.min(3)
    }
    fn play(&self, m: u8) -> Self {
        Self { stones: self.stones - m, lead: -(self.lead + m as i8) }
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.stones == 0).then(|| Outcome::by(self.lead.into()))
    }
    fn stage(&self) -> Stage {
        Stage(HEAP - self.stones)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stones;

impl Features<Heap> for Stones {
    type Scratch = ();
    fn names(&self) -> Vec<String> {
        vec!["stones".to_owned(), "lead".to_owned()]
    }
    fn count(&self) -> usize {
        2
    }
    fn get(&self, p: &Heap, i: usize, (): &mut ()) -> f32 {
        [f32::from(p.stones), f32::from(p.lead)][i]
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Takeaway;

impl Game for Takeaway {
    type Position = Heap;
    type Features = Stones;
    fn name(&self) -> &'static str {
        "takeaway"
    }

    fn stages(&self) -> usize {
        HEAP as usize + 1
    }

    fn start(&self) -> Heap {
        Heap { stones: HEAP, lead: 0 }
    }
    fn features(&self) -> Stones {
        Stones
    }
    fn max_plies(&self) -> usize {
        HEAP as usize
    }
    fn format_move(&self, _p: &Heap, m: u8) -> String {
        format!("take {m}")
    }
    fn format(&self, p: &Heap, to_move: Side) -> String {
        format!("{} {} {}", p.stones, p.lead, to_move.index())
    }
    fn parse(&self, text: &str) -> Result<(Heap, Side), Malformed> {
        let bad = || Malformed::new("heap", text, "write stones, lead and side");
        let words: Vec<_> = text.split(' ').collect();
        let [stones, lead, side] = words[..] else { return Err(bad()) };
        let heap = Heap {
            stones: stones.parse().map_err(|_| bad())?,
            lead: lead.parse().map_err(|_| bad())?,
        };
        Ok((heap, if side == "0" { Side::First } else { Side::Second }))
    }
    fn mate_search(&self) -> Option<FindMate<Heap>> {
        Some(Arc::new(|heap: &Heap, nodes| {
            let solved = (u64::from(heap.stones) <= nodes).then(|| Exhaustive.solve(heap))?;
            solved.best.filter(|_| solved.outcome.margin() > 0)
        }))
    }
    fn solver(&self) -> Option<Box<dyn Solve<Heap>>> {
        Some(Box::new(Exhaustive))
    }
}

struct Exhaustive;

impl Solve<Heap> for Exhaustive {
    fn moves_left(&self, p: &Heap) -> u32 {
        p.stones.into()
    }
    fn solve(&mut self, p: &Heap) -> Solved<u8> {
        let best = p.moves().map(|m| (-self.solve(&p.play(m)).outcome, m)).max();
        match (p.outcome(), best) {
            (Some(outcome), _) => Solved { outcome, best: None, nodes: 1 },
            (None, Some((outcome, m))) => Solved { outcome, best: Some(m), nodes: 1 },
            (None, None) => unreachable!("an unfinished game has a move"),
        }
    }
}

/// The game as the datasets' functions take it.
pub(crate) fn takeaway() -> DynGame {
    DynGame::new(Takeaway)
}

/// The function that knows finished games only.
pub(crate) fn trivial() -> DynFunction {
    takeaway().trivial_function()
}

pub(crate) fn plan() -> SelfPlay {
    SelfPlay {
        games: 23,
        seed: 5,
        opening_plies: 3,
        chance: 0.5,
        depth: 1,
        solve_at: 5,
        decided_at: 0.0,
        games_per_part: 4,
        ..SelfPlay::default()
    }
}

pub(crate) fn maker() -> Maker {
    let (function, command) = ("trivial".to_owned(), "evalsmith data generate".to_owned());
    Maker { function, openings: None, command }
}

pub(crate) fn make(plan: &SelfPlay, dir: &Path) -> Result<Generated, DataError> {
    make_watched(plan, dir, &Quiet)
}

pub(crate) fn make_watched(
    plan: &SelfPlay,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Generated, DataError> {
    generate(&takeaway(), &trivial(), plan, &maker(), dir, progress)
}

/// A dataset in a folder of its own.
pub(crate) fn made(plan: &SelfPlay) -> (tempfile::TempDir, Dataset) {
    let dir = tempfile::tempdir().unwrap();
    make(plan, dir.path()).unwrap();
    let dataset = Dataset::open(dir.path()).unwrap();
    (dir, dataset)
}

/// Every file of a dataset but the lock, with its bytes.
pub(crate) fn files(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|e| (e.file_name().into_string().unwrap(), std::fs::read(e.path()).unwrap()))
        .filter(|(name, _)| name != "dataset.lock" && !name.contains(".aside"))
        .collect();
    files.sort();
    files
}
