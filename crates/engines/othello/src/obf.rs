//! Problem files: a position a line, as endgame suites are published.
//!
//! A line holds 64 squares from a1 to h8 (`X` for Black, `O` for White, `-` for
//! empty), the side to move, and after `;` perhaps moves with their scores:
//! `G8:+18; H1:+12;`. Blank lines, and lines that begin with `%` or `#`, are
//! skipped, as are scores of `--`, which some suites end a line with.

use crate::possible::{Impossible, check_possible};
use evalsmith_core::{Game, Side};
use evalsmith_othello::{Board, Move, Othello, Portable};
use std::fmt::{self, Display};

/// A position with what a file says about its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The position, seen by the side to move.
    pub board: Board<Portable>,
    /// Who is to move.
    pub to_move: Side,
    /// Moves with their scores, in the order of the file.
    pub scores: Vec<(Move, i8)>,
}

impl Problem {
    /// The best score that the file gives.
    pub fn best(&self) -> Option<i8> {
        self.scores.iter().map(|&(_, score)| score).max()
    }
}

/// As a line of a file.
impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", Othello::new().format(&self.board, self.to_move))?;
        self.scores.iter().try_for_each(|(m, score)| write!(f, " {m}:{score:+};"))
    }
}

/// What is wrong with a problem file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {found:?} where {wanted} should stand")]
pub struct ObfError {
    /// From one.
    pub line: usize,
    /// In characters, from one.
    pub column: usize,
    /// What stands there.
    pub found: String,
    /// What would be right.
    pub wanted: &'static str,
}

/// The problems of a file.
///
/// # Errors
/// At the first thing that is no problem, with its line and column.
///
/// ```
/// use evalsmith_engine_othello::obf;
/// let empty = "-".repeat(26);
/// let problems = obf::read(&format!("{empty}-OX------XO{empty}- X; D3:-2; C4:-2;"))?;
/// assert_eq!(problems[0].best(), Some(-2));
/// # Ok::<(), obf::ObfError>(())
/// ```
pub fn read(text: &str) -> Result<Vec<Problem>, ObfError> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| {
            let text = line.trim_start();
            !text.is_empty() && !text.starts_with(['%', '#'])
        })
        .map(|(index, line)| Line { number: index + 1, text: line }.problem())
        .collect()
}

struct Line<'t> {
    number: usize,
    text: &'t str,
}

impl Line<'_> {
    fn wrong(&self, at: usize, found: impl Display, wanted: &'static str) -> ObfError {
        let column = self.text[..at].chars().count() + 1;
        ObfError { line: self.number, column, found: found.to_string(), wanted }
    }

    fn problem(&self) -> Result<Problem, ObfError> {
        let mut discs = [0_u64; 2];
        let start = self.text.len() - self.text.trim_start().len();
        let mut signs = self.text[start..].char_indices().map(|(at, sign)| (start + at, sign));
        for square in 0..64 {
            let (at, sign) = signs.next().unwrap_or((self.text.len(), '\n'));
            match sign {
                'X' | 'x' | '*' => discs[0] |= 1 << square,
                'O' | 'o' => discs[1] |= 1 << square,
                '-' | '.' => {}
                _ => return Err(self.wrong(at, sign, "one of 64 squares, X, O or -,")),
            }
        }
        let mut signs = signs.peekable();
        if let Some(&(at, sign)) = signs.peek()
            && !sign.is_whitespace()
        {
            return Err(self.wrong(at, sign, "a blank after 64 squares"));
        }
        let mut after = signs.skip_while(|(_, sign)| sign.is_whitespace());
        let (at, sign) = after.next().unwrap_or((self.text.len(), '\n'));
        let (to_move, [own, opp]) = match sign {
            'X' | 'x' | '*' => (Side::First, discs),
            'O' | 'o' => (Side::Second, [discs[1], discs[0]]),
            _ => return Err(self.wrong(at, sign, "the side to move, X or O,")),
        };
        let board = Board::new(own, opp, Portable).expect("a square has one sign");
        if let Err(impossible) = check_possible(&board) {
            // Squares are single bytes.
            let at = start + usize::from(impossible.square().0);
            let wanted = match impossible {
                Impossible::Middle(_) => "a disc, for the four middle squares are never empty,",
                Impossible::Detached(_) => {
                    "an empty square, for no game places a disc so far from the others,"
                }
            };
            return Err(self.wrong(at, &self.text[at..=at], wanted));
        }
        Ok(Problem { board, to_move, scores: self.scores(at + sign.len_utf8())? })
    }

    fn scores(&self, from: usize) -> Result<Vec<(Move, i8)>, ObfError> {
        let mut at = from;
        let mut scores = Vec::new();
        for item in self.text[from..].split(';') {
            let word = item.trim();
            let begins = at + item.len() - item.trim_start().len();
            at += item.len() + 1;
            if word.is_empty() || word.starts_with("--") {
                continue;
            }
            let wrong = || self.wrong(begins, word, "a move with its score, like F5:+2,");
            let (name, score) = word.split_once(':').ok_or_else(wrong)?;
            let m = square(name.trim()).ok_or_else(wrong)?;
            let score = score.trim().parse().ok().filter(|s| (-64..=64).contains(s));
            scores.push((m, score.ok_or_else(wrong)?));
        }
        Ok(scores)
    }
}

fn square(name: &str) -> Option<Move> {
    match *name.to_ascii_lowercase().as_bytes() {
        [column @ b'a'..=b'h', row @ b'1'..=b'8'] => Some(Move(8 * (row - b'1') + column - b'a')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> String {
        format!("{}OX------XO{}", "-".repeat(27), "-".repeat(27))
    }

    #[test]
    fn a_file_is_read_by_colour_with_its_scores() {
        let text =
            format!("% made up\n\t# by hand\n\n {} O; F5:+2; e6:-64;\n{} X\n", board(), board());
        let problems = read(&text).unwrap();
        assert_eq!(problems.len(), 2);
        assert_eq!(problems[0].to_move, Side::Second);
        assert_eq!(problems[0].board, problems[1].board.passed());
        assert_eq!(problems[0].scores, [(Move(37), 2), (Move(44), -64)]);
        assert_eq!((problems[0].best(), problems[1].best()), (Some(2), None));
        let written = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert_eq!(read(&written), Ok(problems), "{written}");
    }

    #[test]
    fn errors_name_line_and_column() {
        let at = |text: &str| read(text).map_err(|e| (e.line, e.column, e.found)).unwrap_err();
        assert_eq!(at("\nX?"), (2, 2, "?".to_owned()));
        assert_eq!(at("XO"), (1, 3, "\n".to_owned()));
        assert_eq!(at(&format!("{} Z", board())), (1, 66, "Z".to_owned()));
        assert_eq!(at(&board()), (1, 65, "\n".to_owned()));
        assert_eq!(at(&format!("{}X X", board())), (1, 65, "X".to_owned()));
        assert_eq!(at(&format!("{} X", board().replace("OX", "O-"))), (1, 29, "-".to_owned()));
        let far = read(&format!(" O{} X", &board()[1..])).unwrap_err();
        assert_eq!((far.column, far.found.as_str()), (2, "O"));
        assert!(far.wanted.starts_with("an empty square"), "{far}");
        assert_eq!(at(&format!("{} X; é5:2", board())), (1, 69, "é5:2".to_owned()));
        assert_eq!(at(&format!("{} X;F5:+2; G9:1", board())), (1, 75, "G9:1".to_owned()));
        assert_eq!(at(&format!("{} X; F5:65", board())), (1, 69, "F5:65".to_owned()));
        assert_eq!(at(&format!("{} X; F5", board())), (1, 69, "F5".to_owned()));
    }
}
