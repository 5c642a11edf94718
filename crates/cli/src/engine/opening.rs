//! The opening book that the engine plays by.

use evalsmith_engine_othello::{Book, BookMove, Value, shipped};
use evalsmith_othello::{Board, Kernel};
use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

/// Which book is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BookName {
    Shipped,
    None,
    File(PathBuf),
}

impl FromStr for BookName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "shipped" => Self::Shipped,
            "none" => Self::None,
            path => Self::File(path.into()),
        })
    }
}

impl BookName {
    /// The book, where one is wanted.
    pub(crate) fn open(&self) -> anyhow::Result<Option<Book>> {
        match self {
            Self::Shipped => Ok(Some(shipped::book())),
            Self::None => Ok(None),
            Self::File(path) => crate::book::open(path).map(Some),
        }
    }
}

/// Reads a difference in discs.
pub(super) fn variety(text: &str) -> Result<Value, String> {
    match text.parse::<f64>() {
        Ok(discs) if (0.0..=64.0).contains(&discs) => Ok(Value::nearest(discs)),
        _ => Err("a number of discs from 0 to 64".into()),
    }
}

/// A book, and how it is used.
pub(super) struct Opening {
    pub(super) book: Book,
    pub(super) variety: Value,
    pub(super) seed: u64,
    /// Moves chosen so far: another game is another draw.
    pub(super) draws: u64,
}

impl Opening {
    /// A move by the book, where it has one to play.
    pub(super) fn choose<K: Kernel>(&mut self, board: &Board<K>) -> Option<BookMove> {
        let chosen = self.book.choose(board, self.variety, (self.seed, self.draws))?;
        self.draws += 1;
        Some(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn books_have_names() {
        assert_eq!("none".parse(), Ok(BookName::None));
        assert_eq!("shipped".parse(), Ok(BookName::Shipped));
        assert_eq!("my.book".parse(), Ok(BookName::File("my.book".into())));
        assert!(variety("0.5").is_ok_and(|v| v.discs() == 0.5));
        assert!(["-1", "65", "x", "NaN"].into_iter().all(|text| variety(text).is_err()));
    }
}
