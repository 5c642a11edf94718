//! Positions as people write them: FEN, and a board drawn with letters.
//!
//! Written is the strict form of six fields, with the en passant square only
//! where a capture is legal, so that equal positions have equal first four
//! fields. Read is also what other programs write: any en passant square behind a
//! pawn's double step, and the four fields of EPD without clocks.

use crate::board::Board;
use crate::setup::{RIGHTS, Setup, colour_name};
use cozy_chess::{Color, File, Piece, Rank, Square};
use evalsmith_core::{Malformed, Position};
use std::fmt::Write as _;

/// The letter of a piece, a capital for White.
fn letter(piece: Piece, colour: Color) -> char {
    let letter = char::from(piece);
    if colour == Color::White { letter.to_ascii_uppercase() } else { letter }
}

fn letter_on(board: &Board, square: Square) -> Option<char> {
    Some(letter(board.0.piece_on(square)?, board.0.color_on(square)?))
}

/// The castling rights, `KQkq`, or `-` for none.
fn castling(board: &Board) -> String {
    let signs: String = RIGHTS
        .iter()
        .filter(|(colour, rook, _)| {
            let rights = board.0.castle_rights(*colour);
            [rights.short, rights.long].contains(&Some(*rook))
        })
        .map(|(_, _, sign)| sign)
        .collect();
    if signs.is_empty() { "-".to_owned() } else { signs }
}

/// The position as FEN.
pub(crate) fn format(board: &Board) -> String {
    let mut text = String::with_capacity(80);
    for rank in Rank::ALL.into_iter().rev() {
        let mut empty = 0;
        for file in File::ALL {
            match letter_on(board, Square::new(file, rank)) {
                None => empty += 1,
                Some(letter) => {
                    if empty > 0 {
                        let _ = write!(text, "{empty}");
                        empty = 0;
                    }
                    text.push(letter);
                }
            }
        }
        if empty > 0 {
            let _ = write!(text, "{empty}");
        }
        text.push(if rank == Rank::First { ' ' } else { '/' });
    }
    let side = board.0.side_to_move();
    let passed = board.en_passant().map_or_else(|| "-".to_owned(), |square| square.to_string());
    let (clock, number) = (board.half_move_clock(), board.move_number());
    let _ = write!(text, "{side} {} {passed} {clock} {number}", castling(board));
    text
}

fn read_pieces(setup: &mut Setup, field: &str) -> Result<(), String> {
    let rows = field.split('/').count();
    if rows != 8 {
        return Err(format!("pieces: {rows} ranks instead of eight"));
    }
    for (row, rank) in field.split('/').zip(Rank::ALL.into_iter().rev()) {
        let number = rank as usize + 1;
        let mut file = 0;
        for sign in row.chars() {
            if let Some(empty @ 1..=8) = sign.to_digit(10) {
                file += empty as usize;
                continue;
            }
            let piece = Piece::try_from(sign.to_ascii_lowercase());
            let Ok(piece) = piece else {
                return Err(format!(
                    "pieces: {sign:?} on rank {number}; write PNBRQK, pnbrqk or 1 to 8"
                ));
            };
            let colour = if sign.is_ascii_uppercase() { Color::White } else { Color::Black };
            if let Some(at) = File::try_index(file) {
                *setup.0.square_mut(Square::new(at, rank)) = Some((piece, colour));
            }
            file += 1;
        }
        if file != File::NUM {
            return Err(format!("pieces: rank {number} has {file} squares instead of eight"));
        }
    }
    Ok(())
}

fn read_castling(setup: &mut Setup, field: &str) -> Result<(), String> {
    if field == "-" {
        return Ok(());
    }
    for (at, sign) in field.char_indices() {
        let Some((colour, rook, _)) = RIGHTS.into_iter().find(|(_, _, known)| *known == sign)
        else {
            return Err(format!("castling: {sign:?}; write some of KQkq, or -"));
        };
        if field[..at].contains(sign) {
            return Err(format!("castling: {sign} is given twice"));
        }
        setup.allow_castling(colour, rook);
    }
    Ok(())
}

fn read_en_passant(setup: &mut Setup, field: &str) -> Result<(), String> {
    if field == "-" {
        return Ok(());
    }
    let wanted = Rank::Sixth.relative_to(setup.0.side_to_move);
    match field.parse::<Square>() {
        Ok(square) if square.rank() == wanted => {
            setup.0.en_passant = Some(square);
            Ok(())
        }
        _ => {
            let number = wanted as usize + 1;
            Err(format!("en passant: {field:?}; write a square of rank {number}, or -"))
        }
    }
}

fn read_number(name: &str, field: &str, most: u16) -> Result<u16, String> {
    let digits = field.bytes().all(|b| b.is_ascii_digit());
    field
        .parse()
        .ok()
        .filter(|&number| digits && number <= most)
        .ok_or_else(|| format!("{name}: {field:?} is no number up to {most}"))
}

fn read(text: &str) -> Result<Setup, String> {
    let fields: Vec<_> = text.split_whitespace().collect();
    let (clock, number) = match fields.len() {
        4 => ("0", "1"),
        6 => (fields[4], fields[5]),
        n => {
            return Err(format!(
                "{n} fields; write pieces, side to move, castling, en passant, half-move clock, \
                 move number"
            ));
        }
    };
    let mut setup = Setup::new();
    read_pieces(&mut setup, fields[0])?;
    setup.0.side_to_move = match fields[1] {
        "w" => Color::White,
        "b" => Color::Black,
        other => return Err(format!("side to move: {other:?}; write w or b")),
    };
    read_castling(&mut setup, fields[2])?;
    read_en_passant(&mut setup, fields[3])?;
    setup.0.halfmove_clock = read_number("half-move clock", clock, u16::from(u8::MAX))? as u8;
    setup.0.fullmove_number = read_number("move number", number, u16::MAX)?;
    Ok(setup)
}

/// The position that a FEN tells.
pub(crate) fn parse(text: &str) -> Result<Board, Malformed> {
    let board = read(text).and_then(|setup| setup.build());
    board.map_err(|reason| Malformed::new("FEN", text.trim(), reason))
}

/// The board on ten lines.
pub(crate) fn draw(board: &Board) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        let _ = write!(text, "{} ", rank as usize + 1);
        for file in File::ALL {
            let sign = letter_on(board, Square::new(file, rank)).unwrap_or('.');
            let _ = write!(text, " {sign}");
        }
        text.push('\n');
    }
    text.push_str("   a b c d e f g h\n");
    let name = colour_name(board.0.side_to_move());
    let state = match board.outcome() {
        Some(_) if board.can_move() => "a draw".to_owned(),
        Some(_) if board.in_check() => format!("{name} is mated"),
        Some(_) => format!("{name} is stalemated"),
        None if board.in_check() => format!("{name} to move, in check"),
        None => format!("{name} to move"),
    };
    let _ = write!(text, "move {}, {state}; castling {}", board.move_number(), castling(board));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chess;
    use evalsmith_core::Game;
    use proptest::prelude::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn en_passant_is_written_where_it_is_possible() {
        for (read, written) in [
            (START, START),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9"),
            ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 9", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 9"),
            // Both pawns would leave the rank between king and rook.
            ("8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 9", "8/8/8/K2pP2r/8/8/8/4k3 w - - 0 9"),
            ("4k3/8/8/8/8/8/8/R3K3  b  Q  -", "4k3/8/8/8/8/8/8/R3K3 b Q - 0 1"),
            (" 4k3/8/8/8/8/8/8/4K2R b K - 99 65535", "4k3/8/8/8/8/8/8/4K2R b K - 99 65535"),
        ] {
            let board = parse(read).unwrap();
            assert_eq!(format(&board), written);
            let again = parse(written).unwrap();
            assert_eq!((&again, again.key()), (&board, board.key()), "{read}");
        }
    }

    #[test]
    fn broken_fens_are_named() {
        let with = |pieces: &str| format!("{pieces} w - - 0 1");
        for (text, reason) in [
            (String::new(), "0 fields"),
            ("8/8/8/8/8/8/8/8 w".into(), "2 fields"),
            (format!("{START} 7"), "7 fields"),
            (with("8/8/8/8/8/8/8"), "pieces: 7 ranks"),
            (with("4k3/8/8/8/8/8/9/4K3"), "pieces: '9' on rank 2"),
            (with("4k3/8/8/8/x7/8/8/4K3"), "pieces: 'x' on rank 4"),
            (with("4k3/8/8/8/8/8/7/4K3"), "pieces: rank 2 has 7 squares"),
            (with("4k3/8/8/8/8/8/8pp/4K3"), "pieces: rank 2 has 10 squares"),
            (with("8/8/8/8/8/8/8/4K3"), "pieces: Black has 0 kings"),
            (with("4k3/8/8/8/8/8/8/K3K3"), "pieces: White has 2 kings"),
            (with("4k3/8/8/8/8/P7/PPPPPPPP/4K3"), "pieces: White has 9 pawns"),
            (with("4k3/8/8/8/8/NNNNNNNN/PPPPPPPP/4K3"), "pieces: White has 17 pieces"),
            (with("4k2p/8/8/8/8/8/8/4K3"), "pieces: Black has a pawn on h8"),
            (with("8/8/8/3kK3/8/8/8/8"), "pieces: the kings on e5 and d5 touch"),
            (with("4k3/8/8/8/4R3/8/8/4K3"), "side to move: Black is in check"),
            (with("4k3/8/2n1n3/8/3K3r/8/5b2/8"), "pieces: no move gives check with three"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1".into(), "side to move: \"x\""),
            ("4k3/8/8/8/8/8/8/4K2R w KX - 0 1".into(), "castling: 'X'"),
            ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1".into(), "castling: K is given twice"),
            ("4k3/8/8/8/8/8/8/4K2R w Q - 0 1".into(), "castling: Q needs White's rook on a1"),
            ("3k3r/8/8/8/8/8/8/4K2R w k - 0 1".into(), "castling: k needs Black's king on e8"),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - d5 0 1".into(),
                "en passant: \"d5\"; write a square of rank 6",
            ),
            ("4k3/8/8/3pP3/8/8/8/4K3 w - é 0 1".into(), "en passant: \"é\""),
            (
                "4k3/8/8/3pP3/8/8/8/4K3 w - c6 0 1".into(),
                "en passant: Black cannot just have moved a pawn over c6",
            ),
            ("4k3/8/8/8/8/8/8/4K2R w - - +1 1".into(), "half-move clock: \"+1\""),
            ("4k3/8/8/8/8/8/8/4K2R w - - 101 1".into(), "half-move clock: 101 is more than 100"),
            ("4k3/8/8/8/8/8/8/4K2R w - - 999 1".into(), "half-move clock: \"999\""),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 0".into(), "move number: moves are counted from 1"),
            ("4k3/8/8/8/8/8/8/4K2R w - - 0 65536".into(), "move number: \"65536\""),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.reason.contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn boards_are_drawn() {
        let board = parse("4k2r/8/8/8/8/8/4q3/R3K3 w Qk - 3 20").unwrap();
        let expected = "\
8  . . . . k . . r
7  . . . . . . . .
6  . . . . . . . .
5  . . . . . . . .
4  . . . . . . . .
3  . . . . . . . .
2  . . . . q . . .
1  R . . . K . . .
   a b c d e f g h
move 20, White to move, in check; castling Qk";
        assert_eq!(draw(&board), expected);
        let ends = |text| draw(&parse(text).unwrap());
        assert!(ends("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1").contains("Black is stalemated"));
        assert!(ends("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").contains("Black is mated"));
        assert!(ends("7k/8/6K1/8/8/8/8/8 b - - 0 1").contains("a draw"));
    }

    proptest! {
        #[test]
        fn nothing_read_panics(text in "\\PC*", like in "[pnbrqkPNBRQK1-8/]{0,40} [wb] [KQkq]{0,4} [a-h36-]{1,2} [0-9]{1,3} [0-9]{1,5}") {
            let _ = parse(&text);
            let _ = parse(&like);
        }

        /// One sign of a good FEN changed: either an error, or a position whose
        /// moves can all be played and which is read as it is written.
        #[test]
        fn what_is_accepted_can_be_played(at in 0_usize..56, sign in "[pnbrqkPNBRQK1-8wb/ -]", seed in 0_usize..6) {
            let texts = [
                START,
                "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
                "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
                "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9",
                "k7/8/K7/8/8/8/8/8 w - - 0 9",
            ];
            let text = texts[seed];
            let at = at % text.len();
            let changed = format!("{}{sign}{}", &text[..at], &text[at + 1..]);
            if let Ok(board) = parse(&changed) {
                prop_assert_eq!(&parse(&format(&board)).unwrap(), &board);
                for m in board.moves() {
                    let next = board.play(m);
                    prop_assert_eq!(&parse(&format(&next)).unwrap(), &next);
                }
                prop_assert_eq!(board.outcome().is_some(), board.move_count() == 0);
                let packed = Chess.pack(&board, board.to_move());
                prop_assert_eq!(Chess.unpack(&packed).map(|(board, _)| format(&board)), Ok(format(&board)));
            }
        }
    }
}
