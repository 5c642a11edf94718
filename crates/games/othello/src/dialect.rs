//! Othello in GTP and NBoard.
//!
//! Both name squares in capitals, `D3`, and differ in the pass: `PASS` and `PA`.
//! NBoard sends boards as the BO property of GGF: the size, 64 squares with `*`
//! for Black and `O` for White, the side to move.

use crate::{Board, Kernel, Move, Othello, notation};
use evalsmith_core::{Dialect, Game, Malformed, Protocol, Side, no_set_up};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Gtp<K: Kernel>(pub(crate) Othello<K>);

#[derive(Clone, Copy, Debug)]
pub(crate) struct NBoard<K: Kernel>(pub(crate) Othello<K>);

impl<K: Kernel> Dialect<Board<K>> for Gtp<K> {
    fn format_move(&self, _position: &Board<K>, m: Move) -> String {
        m.to_string().to_ascii_uppercase()
    }

    fn parse_move(&self, position: &Board<K>, text: &str) -> Result<Move, Malformed> {
        self.0.parse_move(position, text)
    }

    fn format_position(&self, _position: &Board<K>, _to_move: Side) -> Option<String> {
        None
    }

    fn parse_position(&self, text: &str) -> Result<(Board<K>, Side), Malformed> {
        Err(no_set_up(Protocol::Gtp, text))
    }

    fn preparation(&self) -> Vec<String> {
        vec!["boardsize 8".into()]
    }
}

impl<K: Kernel> Dialect<Board<K>> for NBoard<K> {
    fn format_move(&self, _position: &Board<K>, m: Move) -> String {
        if m == Move::PASS { "PA".into() } else { m.to_string().to_ascii_uppercase() }
    }

    fn parse_move(&self, position: &Board<K>, text: &str) -> Result<Move, Malformed> {
        self.0.parse_move(position, text)
    }

    fn format_position(&self, position: &Board<K>, to_move: Side) -> Option<String> {
        let line = notation::write_line(position, to_move).replace('X', "*");
        let rows: Vec<&str> = (0..8).map(|row| &line[8 * row..8 * row + 8]).collect();
        Some(format!("8 {} {}", rows.join(" "), &line[65..]))
    }

    fn parse_position(&self, text: &str) -> Result<(Board<K>, Side), Malformed> {
        let mut words = text.split_whitespace();
        if words.next() != Some("8") {
            let reason = "the board must begin with its size, 8";
            return Err(Malformed::new("GGF board", text, reason));
        }
        // Squares may be grouped in any way; the last sign is the side to move.
        self.0.parse(&words.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::conformance;

    #[test]
    fn the_dialects_keep_their_promises() {
        conformance::check_dialects(&Othello::new(), 20);
    }

    #[test]
    fn boards_are_written_as_ggf_has_them() {
        let game = Othello::new();
        let start = "8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *";
        let dialect = NBoard(game);
        assert_eq!(dialect.format_position(&game.start(), Side::First).as_deref(), Some(start));
        let joined = start.replace(' ', "").replacen('8', "8 ", 1);
        assert_eq!(dialect.parse_position(&joined), Ok((game.start(), Side::First)));
        for broken in ["", "8", "6 ----", "é", "8 é"] {
            assert!(dialect.parse_position(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn the_two_write_the_pass_differently() {
        let game = Othello::new();
        assert_eq!(Gtp(game).format_move(&game.start(), Move::PASS), "PASS");
        assert_eq!(NBoard(game).format_move(&game.start(), Move::PASS), "PA");
        assert_eq!(Gtp(game).format_move(&game.start(), Move(19)), "D3");
    }
}
