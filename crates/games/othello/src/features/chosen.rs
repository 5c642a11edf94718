//! Features by name: BILL's six unless others are asked for.
//!
//! A name is one of BILL's, one of the further [measures](super::measures), an
//! instance of a [line pattern](super::lines), or `copy of` one of these: a copy
//! tells whether a learner is hurt by what it already knows.

use super::{Bill, NAMES, Scratch, lines, measures};
use crate::squares::Squares;
use crate::{Board, Kernel};
use evalsmith_core::{Atoms, Features};

/// The most features one selection holds.
const MOST: usize = 64;
/// Where the numbers of measures and of patterns begin; BILL's come first.
const MEASURES: u8 = 8;
const LINES: u8 = 64;
/// Begins the name of a feature that repeats another.
const COPY: &str = "copy of ";
/// Added to the number of a copy.
const COPIED: u8 = 128;

/// Which features, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    numbers: [u8; MOST],
    count: usize,
}

impl Default for Selection {
    fn default() -> Self {
        Self::BILL
    }
}

impl Selection {
    /// BILL's six.
    pub const BILL: Self = {
        let mut numbers = [0; MOST];
        let mut i = 0;
        while i < NAMES.len() {
            numbers[i] = i as u8;
            i += 1;
        }
        Self { numbers, count: NAMES.len() }
    };

    /// The features of these names; none when one is unknown, given twice, or
    /// there are more than 64.
    pub fn named(names: &[String]) -> Option<Self> {
        let mut chosen = Self { numbers: [0; MOST], count: 0 };
        for name in names {
            let known = |name: &str| all().find(|(_, n)| n == name).map(|(number, _)| number);
            let number = match name.strip_prefix(COPY) {
                Some(original) => known(original)? + COPIED,
                None => known(name)?,
            };
            if chosen.numbers().contains(&number) || chosen.count == MOST {
                return None;
            }
            chosen.numbers[chosen.count] = number;
            chosen.count += 1;
        }
        Some(chosen)
    }

    /// Every name there is, but for copies.
    pub fn all_names() -> Vec<String> {
        all().map(|(_, name)| name).collect()
    }

    fn numbers(&self) -> &[u8] {
        &self.numbers[..self.count]
    }

    /// The weights set by hand: those of BILL's features, and zero for others.
    pub fn hand_weights(&self) -> Vec<f64> {
        let weight = |n: &u8| Bill::HAND_WEIGHTS.get(usize::from(*n)).copied().unwrap_or_default();
        self.numbers().iter().map(weight).collect()
    }
}

/// All features by number.
fn all() -> impl Iterator<Item = (u8, String)> {
    let bill = NAMES.iter().enumerate().map(|(i, name)| (i as u8, (*name).to_owned()));
    let further = measures::ALL.iter().enumerate();
    let further = further.map(|(i, (_, name))| (MEASURES + i as u8, (*name).to_owned()));
    let lines = lines::instances().iter().enumerate();
    bill.chain(further).chain(lines.map(|(i, line)| (LINES + i as u8, line.name.clone())))
}

/// The chosen features.
#[derive(Clone, Copy, Debug)]
pub struct Chosen {
    bill: Bill,
    selection: Selection,
}

impl Chosen {
    /// The features of a selection.
    pub fn new(selection: Selection) -> Self {
        Self { bill: Bill::new(), selection }
    }
}

impl<K: Kernel> Features<Board<K>> for Chosen {
    type Scratch = Scratch;

    fn names(&self) -> Vec<String> {
        let name = |number: u8| all().find(|(n, _)| *n == number).map(|(_, name)| name);
        let named = |&number: &u8| match number.checked_sub(COPIED) {
            Some(original) => name(original).map(|name| format!("{COPY}{name}")),
            None => name(number),
        };
        self.selection.numbers().iter().filter_map(named).collect()
    }

    #[inline(always)]
    fn atoms(&self) -> Option<&dyn Atoms<Board<K>>> {
        Some(&Squares)
    }

    #[inline(always)]
    fn count(&self) -> usize {
        self.selection.count
    }

    #[inline(always)]
    fn get(&self, board: &Board<K>, i: usize, scratch: &mut Scratch) -> f32 {
        let number = self.selection.numbers[i] % COPIED;
        if number < MEASURES {
            self.bill.get(board, usize::from(number), scratch)
        } else {
            further(number, board, scratch)
        }
    }
}

/// A feature beyond BILL's: out of line, since searches ask for BILL's alone as a
/// rule and must not carry the rest through their caches.
#[inline(never)]
fn further<K: Kernel>(number: u8, board: &Board<K>, scratch: &mut Scratch) -> f32 {
    if number < LINES {
        measures::get(measures::ALL[usize::from(number - MEASURES)].0, board, scratch)
    } else {
        lines::instances()[usize::from(number - LINES)].code(board.own(), board.opp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Othello;
    use evalsmith_core::{Game, conformance};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&n| n.into()).collect()
    }

    fn names_of<G: Game>(game: &G) -> Vec<String> {
        game.features().names()
    }

    #[test]
    fn every_feature_can_be_asked_for_by_its_name() {
        let all = Selection::all_names();
        assert!(all.len() >= 24 + 46, "{}", all.len());
        for some in all.chunks(MOST) {
            let game = Othello::new().with_features(some).expect("known names");
            assert_eq!(names_of(&game), some);
            conformance::check_features(&game, 20);
        }
        assert_eq!(names_of(&Othello::new()), NAMES);
        assert!(Othello::new().with_features(&names(&["mobility", "mobility"])).is_none());
        assert!(Othello::new().with_features(&names(&["nonsense"])).is_none());
    }

    #[test]
    fn a_copy_says_what_its_original_says() {
        let wanted = names(&["edge", "copy of edge", "parity"]);
        let game = Othello::new().with_features(&wanted).expect("known names");
        assert_eq!(names_of(&game), wanted);
        let record = game.parse_transcript("f5d6c3d3c4f4f6f3").expect("a legal game");
        let mut values = Vec::new();
        game.features().append_all(record.position(), &mut values);
        assert_eq!(values[0], values[1]);
        assert_eq!(values[2], -1.0, "52 squares are empty");
        assert_eq!(game.hand_weights(), Some(vec![0.15, 0.0, 0.0]));
    }
}
