//! Chess in UCI and xboard: FEN, and moves by their squares (`e7e8q`, `e1g1`).

use crate::board::Board;
use crate::game::Chess;
use crate::moves::Move;
use crate::{fen, san};
use evalsmith_core::{Dialect, Game, Malformed, Side};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Coordinates;

impl Dialect<Board> for Coordinates {
    fn format_move(&self, position: &Board, m: Move) -> String {
        san::format_uci(position, m)
    }

    /// Reads SAN as well, which some xboard engines write.
    fn parse_move(&self, position: &Board, text: &str) -> Result<Move, Malformed> {
        san::parse_move(position, text)
    }

    fn format_position(&self, position: &Board, _to_move: Side) -> Option<String> {
        Some(fen::format(position))
    }

    fn parse_position(&self, text: &str) -> Result<(Board, Side), Malformed> {
        Chess.parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::conformance;

    #[test]
    fn the_dialects_keep_their_promises() {
        conformance::check_dialects(&Chess, 3);
    }

    #[test]
    fn castling_is_the_kings_move() {
        let (board, _) = Chess.parse("r3k3/8/8/8/8/8/8/4K2R w Kq - 0 1").unwrap();
        let castle = Chess.parse_move(&board, "O-O").unwrap();
        assert_eq!(Coordinates.format_move(&board, castle), "e1g1");
        assert_eq!(Coordinates.parse_move(&board, "e1g1"), Ok(castle));
    }
}
