//! Griffith's move-ordering player (in lee86, section 2.2): the baseline beside
//! Samuel's tables that looks at no position at all.
//!
//! Every move has the value (A - D) / (A + D), where A is how often the winners
//! of the book played it and D how often they could have; a choice among n moves
//! counts 1 / (n - 1) for each rejected one. The function of a position is what
//! the move that led to it is worth, so that a search of one ply plays the best
//! move by the table.

use crate::LearnError;
use evalsmith_core::digest::Hasher;
use evalsmith_core::files::{MOST_LIST, read_at_most, write_atomically};
use evalsmith_core::{Evaluate, Explanation, LogOdds, Position, Score, Term, Window};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// The table: values by the number of a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveTable {
    kind: Kind,
    game: String,
    values: BTreeMap<u16, f64>,
}

/// What the file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "evalsmith move table")]
    MoveTable,
}

impl MoveTable {
    /// The table of these values for the moves of a game.
    ///
    /// # Errors
    /// When a value is outside -1 to 1.
    pub fn new(game: &str, values: BTreeMap<u16, f64>) -> Result<Self, LearnError> {
        let table = Self { kind: Kind::MoveTable, game: game.to_owned(), values };
        table.check_values(None)?;
        Ok(table)
    }

    /// The values, by the number of a move.
    pub fn values(&self) -> &BTreeMap<u16, f64> {
        &self.values
    }

    /// The value of a move for who plays it, in log-odds of being chosen.
    pub fn value_of<P: Position>(&self, m: P::Move) -> LogOdds {
        let value = self.values.get(&P::slot(m)).copied().unwrap_or_default();
        LogOdds(2.0 * value.clamp(-0.999, 0.999).atanh())
    }

    /// Writes the table as JSON, under a temporary name first; an existing file is
    /// replaced.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), LearnError> {
        let text = serde_json::to_vec_pretty(self).map_err(std::io::Error::from);
        let written = text.and_then(|mut text| {
            text.push(b'\n');
            write_atomically(path, |file| file.write_all(&text))
        });
        written.map_err(|source| LearnError::MoveTableIo { path: path.to_owned(), source })
    }

    /// Whether a file holds text and not the tensors of a model.
    pub fn is_at(path: &Path) -> bool {
        let mut first = [0];
        File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
            && Self::is_in(&first)
    }

    /// Whether bytes are text and not the tensors of a model.
    pub fn is_in(bytes: &[u8]) -> bool {
        bytes.first() == Some(&b'{')
    }

    /// Reads the table of a game.
    ///
    /// # Errors
    /// When the file is missing, holds something else, or is of another game.
    pub fn load(path: &Path, game: &str) -> Result<Self, LearnError> {
        let failed = |source| LearnError::MoveTableIo { path: path.to_owned(), source };
        Self::read(&read_at_most(path, MOST_LIST).map_err(failed)?, path, game)
    }

    /// Reads the table of a game from a file's bytes; `origin` stands for the path in
    /// errors.
    ///
    /// # Errors
    /// As [`load`](MoveTable::load).
    pub fn from_bytes(bytes: &[u8], origin: &str, game: &str) -> Result<Self, LearnError> {
        Self::read(bytes, Path::new(origin), game)
    }

    fn read(bytes: &[u8], path: &Path, game: &str) -> Result<Self, LearnError> {
        let table: Self = serde_json::from_slice(bytes)
            .map_err(|source| LearnError::NoMoveTable { path: path.to_owned(), source })?;
        if table.game != game {
            let (path, game) = (path.to_owned(), game.to_owned());
            return Err(LearnError::MovesOfOtherGame { path, table: table.game, game });
        }
        table.check_values(Some(path))?;
        Ok(table)
    }

    fn check_values(&self, path: Option<&Path>) -> Result<(), LearnError> {
        match self.values.iter().find(|(_, value)| !(-1.0..=1.0).contains(*value)) {
            Some((&slot, &value)) => {
                Err(LearnError::MoveValue { path: path.map(Path::to_owned), slot, value })
            }
            None => Ok(()),
        }
    }

    /// Identifies the table: a digest of its values.
    pub fn digest(&self) -> String {
        let mut hasher = Hasher::new();
        for (slot, value) in &self.values {
            hasher.write_u64(u64::from(*slot));
            hasher.write_u64(value.to_bits());
        }
        hasher.finish().to_string()
    }
}

impl<P: Position> Evaluate<P> for MoveTable {
    /// What the last move was worth to who played it; none at the beginning.
    type State = Option<LogOdds>;

    fn start(&self, _position: &P) -> Self::State {
        None
    }

    fn advance(&self, _before: &P, m: P::Move, _after: &P, _state: &Self::State) -> Self::State {
        Some(self.value_of::<P>(m))
    }

    fn value(&self, _position: &P, state: &Self::State, window: Window) -> Score {
        let last = state.unwrap_or_default();
        window.clamp(LogOdds(-last.0).into())
    }

    /// The moves that could be played here, each with its value; the position
    /// itself has none, so that they add nothing.
    fn explain(&self, position: &P) -> Explanation {
        let term = |m: P::Move| Term {
            name: format!("{m:?}"),
            feature: Some(self.value_of::<P>(m).0),
            weight: None,
            contribution: 0.0,
        };
        Explanation { total: 0.0, terms: position.moves().map(term).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Game;
    use evalsmith_othello::Othello;
    use std::fs;

    fn some_table() -> MoveTable {
        let value = |slot: u16| (slot, f64::from(slot % 9) / 5.0 - 0.8);
        MoveTable::new("othello", (0..64).map(value).collect()).unwrap()
    }

    #[test]
    fn a_position_is_worth_what_the_last_move_was() {
        let (game, table) = (Othello::new(), some_table());
        let start = game.start();
        for m in start.moves() {
            let after = start.play(m);
            let state = table.advance(&start, m, &after, &table.start(&start));
            let value = table.value_of::<<Othello as Game>::Position>(m);
            assert_eq!(table.value(&after, &state, Window::FULL), LogOdds(-value.0).into());
        }
    }

    #[test]
    fn a_file_comes_back_and_no_damage_is_believed() {
        let temp = tempfile::tempdir().unwrap();
        let (path, table) = (temp.path().join("griffith.json"), some_table());
        table.save(&path).unwrap();
        assert!(MoveTable::is_at(&path));
        assert_eq!(MoveTable::load(&path, "othello").unwrap(), table);
        let refused = |game: &str| MoveTable::load(&path, game).unwrap_err().to_string();
        let name = path.display();
        assert_eq!(refused("chess"), format!("{name}: its moves are of othello, not of chess"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("0.", "7.", 1)).unwrap();
        assert!(refused("othello").ends_with(", outside -1 to 1"), "{}", refused("othello"));
        fs::write(&path, &text[..40]).unwrap();
        let cut = refused("othello");
        assert!(cut.ends_with("; remove it, or restore the file this program wrote"), "{cut}");
        fs::remove_file(&path).unwrap();
        assert!(refused("othello").starts_with(&format!("{name}: ")));
        assert!(MoveTable::new("othello", [(3, 1.5)].into()).is_err());
    }
}
