//! A position as a picture: what stands on which square, and where moves lead.
//!
//! Text is enough to play, but a page that is clicked on, and an explanation that
//! is drawn on the board, must know the board's geometry. A [`Picture`] is that and
//! nothing more, as data; a game without one is shown by its text.
//!
//! Invariant: squares are counted from the top left, row by row, as the first
//! player sees the board.

use crate::{Malformed, Side};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A board with what stands on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Squares in a row.
    pub columns: u8,
    /// Rows.
    pub rows: u8,
    /// How the board looks.
    pub surface: Surface,
    /// The squares' names.
    pub names: Vec<String>,
    /// What stands on each square.
    pub pieces: Vec<Option<Piece>>,
    /// What the first and the second player hold off the board: sign and number.
    #[serde(default)]
    pub hands: [Vec<(String, u8)>; 2],
    /// The signs that a piece may have, the commonest first.
    #[serde(default)]
    pub signs: Vec<String>,
}

/// How a board looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    /// Squares of one colour.
    Plain,
    /// Squares of two colours in turn, a dark one at the lower left.
    Chequered,
    /// Lines, with pieces on their crossings.
    Lines,
}

/// What stands on a square.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Piece {
    /// Whose it is.
    pub side: Side,
    /// What it is, in the game's own sign; empty where all pieces are alike.
    pub sign: String,
}

/// Where a move begins and ends. A move with neither is none of the board's: a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    /// The square that the piece leaves.
    pub from: Option<u16>,
    /// The square it reaches, or is put on.
    pub to: Option<u16>,
    /// The sign of the piece in hand that is put on the board.
    pub held: Option<String>,
}

impl Way {
    /// A piece put on a square.
    pub fn onto(square: usize) -> Self {
        Self { to: Some(square as u16), ..Self::default() }
    }

    /// A piece that goes from one square to another.
    pub fn between(from: usize, to: usize) -> Self {
        Self { from: Some(from as u16), ..Self::onto(to) }
    }
}

impl Picture {
    /// An empty board.
    pub fn empty(columns: u8, rows: u8, surface: Surface, name: impl Fn(u8, u8) -> String) -> Self {
        let squares = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let names: Vec<String> = squares.map(|(row, column)| name(row, column)).collect();
        let pieces = vec![None; names.len()];
        Self {
            columns,
            rows,
            surface,
            names,
            pieces,
            hands: Default::default(),
            signs: vec![String::new()],
        }
    }

    /// The board with the pieces of rows as FEN writes them: rows from the top with
    /// `/` between them, digits for runs of empty squares, and else what `read`
    /// takes from the beginning of the text: a piece and its length in bytes.
    #[must_use]
    pub fn with_rows(mut self, text: &str, read: impl Fn(&str) -> Option<(Piece, usize)>) -> Self {
        let (mut at, mut rest) = (0, text);
        while let Some(first) = rest.chars().next() {
            let length = if let Some(run) = first.to_digit(10) {
                at += run as usize;
                1
            } else if let Some((piece, length)) = read(rest) {
                if let Some(square) = self.pieces.get_mut(at) {
                    *square = Some(piece);
                }
                at += 1;
                length
            } else {
                first.len_utf8()
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        self
    }

    /// The rows in that form.
    ///
    /// # Errors
    /// When the picture has not the size of `self.names`, or no square at all.
    pub fn to_rows(&self, write: impl Fn(&Piece) -> String) -> Result<String, Malformed> {
        let columns = usize::from(self.columns);
        if columns == 0 || self.pieces.len() != columns * usize::from(self.rows) {
            let size = format!("{} squares", self.pieces.len());
            let wanted = format!("a board of {columns} columns has {} rows", self.rows);
            return Err(Malformed::new("picture", size, wanted));
        }
        let row = |squares: &[Option<Piece>]| {
            let (mut text, mut run) = (String::new(), 0);
            for square in squares.iter().map(Some).chain([None]) {
                if let Some(None) = square {
                    run += 1;
                    continue;
                }
                if run > 0 {
                    let _ = write!(text, "{run}");
                    run = 0;
                }
                if let Some(Some(piece)) = square {
                    text.push_str(&write(piece));
                }
            }
            text
        };
        let rows: Vec<String> = self.pieces.chunks(columns).map(row).collect();
        Ok(rows.join("/"))
    }

    /// The refusal of a picture that is not this game's board.
    ///
    /// # Errors
    /// When the picture has another number of columns or rows.
    pub fn expect_size(&self, columns: u8, rows: u8) -> Result<(), Malformed> {
        let squares = usize::from(columns) * usize::from(rows);
        if (self.columns, self.rows) == (columns, rows) && self.pieces.len() == squares {
            return Ok(());
        }
        let given = format!("{} columns, {} rows", self.columns, self.rows);
        Err(Malformed::new("picture", given, format!("the board has {columns} and {rows}")))
    }
}

/// A piece whose sign is one letter, a capital for the first player: `N`, `n`.
pub fn lettered(text: &str) -> Option<(Piece, usize)> {
    let letter = text.chars().next().filter(char::is_ascii_alphabetic)?;
    let side = if letter.is_ascii_uppercase() { Side::First } else { Side::Second };
    Some((Piece { side, sign: letter.to_ascii_uppercase().to_string() }, 1))
}

/// Writes what [`lettered`] reads.
pub fn to_letters(piece: &Piece) -> String {
    match piece.side {
        Side::First => piece.sign.to_ascii_uppercase(),
        Side::Second => piece.sign.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Picture {
        Picture::empty(3, 2, Surface::Plain, |row, column| format!("{row}{column}"))
    }

    #[test]
    fn rows_are_read_and_written_alike() {
        for text in ["3/3", "Kq1/1P1", "PPP/2k"] {
            let picture = board().with_rows(text, lettered);
            assert_eq!(picture.to_rows(to_letters).unwrap(), text);
        }
        let picture = board().with_rows("1q1/3", lettered);
        assert_eq!(picture.pieces[1], Some(Piece { side: Side::Second, sign: "Q".into() }));
        assert_eq!(picture.names[5], "12");
    }

    #[test]
    fn nonsense_is_dropped_and_a_wrong_size_refused() {
        assert_eq!(board().with_rows("é9/KKKKKKKKKK", lettered).pieces, vec![None; 6]);
        let mut torn = board();
        torn.pieces.pop();
        assert!(torn.to_rows(to_letters).is_err() && torn.expect_size(3, 2).is_err());
        assert!(board().expect_size(2, 3).is_err() && board().expect_size(3, 2).is_ok());
    }
}
