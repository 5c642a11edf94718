//! Moves in USI: `7g7f`, `8h2b+`, `P*5e`.

use crate::attacks::attacks;
use crate::board::Board;
use crate::drops;
use crate::moves::{self, Move};
use crate::notation::{kind, name};
use evalsmith_core::{Malformed, Position};
use haitaka::{Piece, Square, drop_zone, must_prom_zone, prom_zone};

/// The legal move that the text names; letters of either case are read.
pub(crate) fn parse(board: &Board, text: &str) -> Result<Move, Malformed> {
    let wrong = |reason: String| Malformed::new("USI move", text, reason);
    let m = read(text.trim()).map_err(wrong)?;
    if board.moves().any(|legal| legal == m) {
        return Ok(m);
    }
    Err(wrong(illegal(board, m)))
}

fn read(text: &str) -> Result<Move, String> {
    const SHAPE: &str = "a move is 7g7f, 8h2b+ (promoting) or P*5e (dropping)";
    if !text.is_ascii() {
        return Err(SHAPE.into());
    }
    let lower = text.to_ascii_lowercase();
    let square =
        |name: &str| name.parse::<Square>().map_err(|_| format!("{name:?} is no square, 1a to 9i"));
    match (lower.len(), lower.get(1..2), lower.get(4..)) {
        (4, Some("*"), _) => {
            let piece = lower.chars().next().and_then(Piece::try_from_char);
            let piece = piece.map(|(piece, _)| piece).filter(|piece| drops::HAND.contains(piece));
            let piece =
                piece.ok_or_else(|| format!("{:?} is no piece to drop (RBGSNLP)", &text[..1]))?;
            Ok(Move::drop(piece, square(&lower[2..])?))
        }
        (4, ..) | (5, _, Some("+")) => {
            Ok(Move::board(square(&lower[..2])?, square(&lower[2..4])?, lower.len() == 5))
        }
        _ => Err(SHAPE.into()),
    }
}

/// Why a well-written move is not legal.
fn illegal(board: &Board, m: Move) -> String {
    let color = board.0.side_to_move();
    let side = name(color);
    if !moves::any(&board.0) {
        return "the game is over".into();
    }
    let to = m.to();
    let Some(from) = m.from() else {
        let piece = m.dropped().expect("a move without an origin is a drop");
        let kind = kind(piece);
        if !board.0.has_in_hand(color, piece) {
            return format!("{side} has no {kind} in hand");
        }
        if board.0.occupied().has(to) {
            return format!("{to} is not empty");
        }
        if !drop_zone(color, piece).has(to) {
            return format!("a {kind} on {to} could never move");
        }
        if piece == Piece::Pawn {
            if !board.0.pawn_drop_ok(color, to) {
                return format!("{side} has a pawn on file {} already", to.file());
            }
            if !board.in_check() {
                return "a dropped pawn must not mate".into();
            }
            return format!("{side}'s king would stay in check, or the dropped pawn mates");
        }
        return format!("{side}'s king would stay in check");
    };
    let own = board.0.colors(color);
    let Some(piece) = board.0.piece_on(from).filter(|_| own.has(from)) else {
        return format!("{side} has no piece on {from}");
    };
    let kind = kind(piece);
    if own.has(to) || !attacks(piece, color, from, board.0.occupied()).has(to) {
        return format!("the {kind} on {from} does not go to {to}");
    }
    if m.promotes() {
        if !piece.is_promotable() {
            return format!("a {kind} does not promote");
        }
        let zone = prom_zone(color);
        if !zone.has(from) && !zone.has(to) {
            return "pieces promote on moves into, within or out of the last three ranks".into();
        }
    } else if must_prom_zone(color, piece).has(to) {
        return format!("a {kind} must promote on {to}: {m}+");
    }
    if board.in_check() {
        return format!("{side}'s king would stay in check");
    }
    format!("it would expose {side}'s king")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::sfen;
    use proptest::prelude::*;

    fn reason(position: &str, text: &str) -> String {
        parse(&sfen::parse(position).unwrap(), text).expect_err(text).reason
    }

    #[test]
    fn broken_moves_are_named() {
        let start = sfen::format(&Board::start());
        for (text, expected) in [
            ("", "a move is"),
            ("7g", "a move is"),
            ("7g7f=", "a move is"),
            ("7g7f++", "a move is"),
            ("７ｇ７ｆ", "a move is"),
            ("0g7f", "\"0g\" is no square"),
            ("7g7j", "\"7j\" is no square"),
            ("K*5e", "\"K\" is no piece to drop"),
            ("P*5e", "no pawn in hand"),
            ("5e5d", "no piece on 5e"),
            ("7c7d", "no piece on 7c"),
            ("7g7e", "the pawn on 7g does not go to 7e"),
            ("8h2b+", "the bishop on 8h does not go to 2b"),
            ("2h2g", "does not go"),
            ("7g7f+", "last three ranks"),
            ("4i4h+", "a gold does not promote"),
        ] {
            assert!(reason(&start, text).contains(expected), "{text:?}: {}", reason(&start, text));
        }
        let drops = "3lkl3/9/4G4/9/9/9/1P7/9/4K4 b P";
        for (text, expected) in [
            ("P*8c", "a pawn on file 8 already"),
            ("P*5c", "5c is not empty"),
            ("P*1a", "could never move"),
            ("P*5b", "must not mate"),
        ] {
            assert!(reason(drops, text).contains(expected), "{text:?}: {}", reason(drops, text));
        }
        let last_rank = "4k4/8P/9/9/9/9/9/9/4K4 b -";
        assert!(reason(last_rank, "1b1a").contains("must promote on 1a: 1b1a+"));
        let pinned = "4k4/9/4r4/9/9/9/9/4G4/4K4 b -";
        assert!(reason(pinned, "5h4h").contains("expose Black's king"));
        let checked = "4k4/9/4r4/9/9/9/9/9/G3K4 b S";
        assert!(reason(checked, "9i9h").contains("stay in check"));
        assert!(reason(checked, "S*1a").contains("stay in check"));
        let mated = "4k4/9/9/9/9/9/9/r8/1r2K4 b -";
        assert_eq!(reason(mated, "5i5h"), "the game is over");
    }

    #[test]
    fn either_case_is_read() {
        let board = sfen::parse("4k4/9/9/9/9/9/9/9/4K4 b P").unwrap();
        for text in ["P*5e", "p*5e", " P*5E "] {
            assert_eq!(parse(&board, text).unwrap().to_string(), "P*5e");
        }
    }

    proptest! {
        #[test]
        fn nothing_read_panics(text in "\\PC*", like in "[1-9a-iPLRK*+é]{0,6}") {
            let _ = (parse(&Board::start(), &text), parse(&Board::start(), &like));
        }
    }
}
