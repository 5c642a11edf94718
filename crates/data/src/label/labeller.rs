//! Labels that look at one game: solved, searched, asked for, corrected, mated.
//!
//! A labeller sees the rows of a game and says what each is worth to the side to
//! move. Invariant: its answer depends on those rows and the function alone; what
//! a search remembers is forgotten between games.

use super::How;
use super::expert::{Expert, Opinion};
use evalsmith_core::{FindMate, Game, GameRecord, Outcome, Position, Score, Side, Solve};
use evalsmith_rules::{DynFunction, DynGame, MoveId, Pos};
use evalsmith_search::Search;

/// The transposition table of a labelling search.
const TABLE_BYTES: usize = 4 << 20;

/// A position of a game, and what became of it.
pub(crate) struct Labelled {
    pub(crate) position: Pos,
    pub(crate) side: Side,
    /// How the game ended, for the side to move, where somebody told.
    pub(crate) outcome: Option<Outcome>,
    /// Whether the next one is what the move played here led to.
    pub(crate) goes_on: bool,
}

/// What a label says of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Verdicted {
    /// For the side to move.
    pub(crate) value: f32,
    /// The move that the value rests on, where one was looked for.
    pub(crate) best: Option<MoveId>,
}

/// Labels games, one after another.
pub(crate) struct Labeller<'a, 'x> {
    how: &'a How,
    max_plies: usize,
    searcher: Box<dyn Search<Pos>>,
    solver: Option<Box<dyn Solve<Pos>>>,
    find_mate: Option<FindMate<Pos>>,
    expert: Option<Box<dyn Expert + 'x>>,
}

type Label = Option<Verdicted>;

impl<'a, 'x> Labeller<'a, 'x> {
    pub(crate) fn new(
        game: &DynGame,
        function: &DynFunction,
        how: &'a How,
        expert: Option<Box<dyn Expert + 'x>>,
    ) -> Self {
        let table = if how.searches() { TABLE_BYTES } else { 0 };
        Self {
            how,
            max_plies: game.max_plies(),
            searcher: function.search(table),
            solver: game.solver(),
            find_mate: game.mate_search(),
            expert,
        }
    }

    /// The labels of a game's rows, in their order.
    pub(crate) fn label(&mut self, rows: &[Labelled]) -> Vec<Label> {
        self.searcher.clear();
        match *self.how {
            How::Exact { moves_left } => {
                let margin = |outcome: Outcome| f32::from(outcome.margin());
                rows.iter().map(|row| self.solve(row, moves_left, margin)).collect()
            }
            How::Verdict { moves_left } => {
                let sign = |outcome: Outcome| f32::from(outcome.margin().signum());
                rows.iter().map(|row| self.solve(row, moves_left, sign)).collect()
            }
            How::Search { depth, stages } => {
                let asked = |row: &Labelled| {
                    let stage = row.position.stage();
                    stages.is_none_or(|[first, last]| (first..=last).contains(&stage))
                };
                let label = |row| if asked(row) { self.search(row, depth) } else { None };
                rows.iter().map(label).collect()
            }
            How::Corrected { depth, sure } => self.correct(rows, depth, sure),
            How::Mate { nodes } => self.mated(rows, nodes),
            How::Expert { .. } => self.ask(rows),
            How::GameTree { .. } => vec![None; rows.len()],
        }
    }

    fn solve(&mut self, row: &Labelled, most: u32, unit: impl Fn(Outcome) -> f32) -> Label {
        let solver = self.solver.as_mut()?;
        if solver.moves_left(&row.position) > most {
            return None;
        }
        let solved = solver.solve(&row.position);
        Some(Verdicted { value: unit(solved.outcome), best: solved.best })
    }

    fn ask(&mut self, rows: &[Labelled]) -> Vec<Label> {
        let Some(expert) = &mut self.expert else { return vec![None; rows.len()] };
        expert.begin_game();
        let verdict = |Opinion { margin, best }| Verdicted { value: margin, best };
        rows.iter().map(|row| expert.opinion(&row.position).map(verdict)).collect()
    }

    fn search(&mut self, row: &Labelled, depth: u8) -> Label {
        let (value, best) = self.value(row, depth)?;
        Some(Verdicted { value: value.log_odds().0 as f32, best })
    }

    /// Nothing for a finished game: it needs no search.
    fn value(&mut self, row: &Labelled, depth: u8) -> Option<(Score, Option<MoveId>)> {
        let record = GameRecord::new(row.position.clone(), row.side, self.max_plies);
        record.ending().is_none().then(|| {
            let found = self.searcher.fixed_depth(&record, depth);
            (found.value, found.best)
        })
    }

    /// From the first position to the last: who first had a mate has won the game,
    /// whatever came of it.
    fn mated(&self, rows: &[Labelled], nodes: u64) -> Vec<Label> {
        let mates = |row: &&Labelled| {
            self.find_mate.as_ref().is_some_and(|find| find(&row.position, nodes).is_some())
        };
        let winner = rows.iter().find(mates).map(|row| row.side);
        let label = |row: &Labelled| {
            let value = match winner {
                Some(winner) => Some(if row.side == winner { 1.0 } else { -1.0 }),
                None => row.outcome.map(|outcome| f32::from(outcome.margin().signum())),
            };
            value.map(|value| Verdicted { value, best: None })
        };
        rows.iter().map(label).collect()
    }

    /// Results carried back from the end, turned where a search is sure that
    /// somebody gave the game away (buro95 section 4).
    fn correct(&mut self, rows: &[Labelled], depth: u8, sure: f64) -> Vec<Label> {
        let mut labels = vec![None; rows.len()];
        let mut later = None;
        for (row, label) in rows.iter().zip(&mut labels).rev() {
            let played = later.filter(|_| row.goes_on).map(|value: f32| -value);
            let told = row.outcome.map(|outcome| f32::from(outcome.margin().signum()));
            let searched = self.value(row, depth).map(|(value, _)| value.log_odds().0);
            let corrected = searched.filter(|v| v.abs() >= sure).map(|v| v.signum() as f32);
            later = corrected.or(played).or(told);
            *label = later.map(|value| Verdicted { value, best: None });
        }
        labels
    }
}
