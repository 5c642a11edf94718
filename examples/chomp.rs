//! Chomp on four rows of five squares, complete: a game small enough to solve, and
//! the bootstrap from its rules to a tree that plays it perfectly.
//!
//! A bite takes a square and all that are not below and not left of it. The square
//! in the lower left corner is poisoned: who has nothing else to bite has lost.

use evalsmith::prelude::*;

const ROWS: usize = 4;
const COLUMNS: u8 = 5;

/// The squares left in each row, from the bottom up; never more than below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bar([u8; ROWS]);

/// A square by row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bite {
    row: u8,
    column: u8,
}

impl Position for Bar {
    type Move = Bite;
    type Moves = std::vec::IntoIter<Bite>;
    fn moves(&self) -> Self::Moves {
        let squares = (0..).zip(self.0);
        let squares = squares.flat_map(|(row, n)| (0..n).map(move |column| Bite { row, column }));
        squares.filter(|b| b.row + b.column > 0).collect::<Vec<_>>().into_iter()
    }
    fn play(&self, bite: Bite) -> Self {
        let mut rows = self.0;
        for row in &mut rows[usize::from(bite.row)..] {
            *row = bite.column.min(*row);
        }
        Self(rows)
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0.iter().sum::<u8>() == 1).then_some(Outcome::LOSS)
    }
}

/// The rows as they are: what they mean is left to the learner.
#[derive(Clone)]
pub(crate) struct Lengths;

impl Features<Bar> for Lengths {
    type Scratch = ();
    fn names(&self) -> Vec<String> {
        (1..=ROWS).map(|row| format!("row {row}")).collect()
    }
    fn count(&self) -> usize {
        ROWS
    }
    fn get(&self, bar: &Bar, i: usize, _scratch: &mut ()) -> f32 {
        bar.0[i].into()
    }
}

#[derive(Clone)]
pub(crate) struct Chomp;

impl Game for Chomp {
    type Position = Bar;
    type Features = Lengths;
    fn name(&self) -> &'static str {
        "chomp"
    }
    fn start(&self) -> Bar {
        Bar([COLUMNS; ROWS])
    }
    fn features(&self) -> Lengths {
        Lengths
    }
    fn max_plies(&self) -> usize {
        ROWS * usize::from(COLUMNS)
    }
    fn format_move(&self, _bar: &Bar, bite: Bite) -> String {
        format!("{}{}", char::from(b'a' + bite.column), bite.row + 1)
    }
    /// The rows from the bottom up, and who moves: `5331 first`.
    fn format(&self, bar: &Bar, to_move: Side) -> String {
        let rows: String = bar.0.iter().map(u8::to_string).collect();
        format!("{rows} {}", self.side_names()[to_move.index()])
    }
    fn parse(&self, text: &str) -> Result<(Bar, Side), Malformed> {
        let wrong = |reason| Malformed::new("Chomp position", text, reason);
        let (rows, side) = text.split_once(' ').ok_or_else(|| wrong("who moves? 5331 first"))?;
        let digits: Option<Vec<u8>> = rows.chars().map(|c| Some(c.to_digit(10)? as u8)).collect();
        let rows: Option<[u8; ROWS]> = digits.and_then(|rows| rows.try_into().ok());
        let rows = rows.ok_or_else(|| wrong("it takes four digits"))?;
        if rows[0] == 0 || rows[0] > COLUMNS || rows.windows(2).any(|pair| pair[1] > pair[0]) {
            return Err(wrong("rows have at most five squares, and no more than the one below"));
        }
        let side = match self.side_names().iter().position(|name| *name == side) {
            Some(0) => Side::First,
            Some(_) => Side::Second,
            None => return Err(wrong("first or second moves")),
        };
        Ok((Bar(rows), side))
    }
    fn side_names(&self) -> [&'static str; 2] {
        ["first", "second"]
    }
}

/// Games with much chance, so that all 125 positions are met, and trees that may
/// tell any two of them apart.
pub(crate) fn plan() -> BootstrapPlan {
    let mut plan = BootstrapPlan {
        rounds: 12,
        games: 1500,
        depth: 1,
        chance: 0.6,
        opening_plies: 0,
        match_every: 4,
        match_plies: 1,
        pairs: 15,
        ..BootstrapPlan::new(&Chomp.defaults())
    };
    plan.tree.min_size = 2;
    plan.tree.min_share = 0.0;
    plan
}

#[expect(clippy::print_stdout, reason = "this is a program")]
fn main() -> Result<(), LabError> {
    let out = std::env::args().nth(1).unwrap_or_else(|| "bootstrap-chomp".to_owned());
    let summary = bootstrap(&DynGame::new(Chomp), &plan(), out.as_ref(), &Quiet)?;
    println!("{}", summary.to_text(out.as_ref()));
    Ok(())
}
