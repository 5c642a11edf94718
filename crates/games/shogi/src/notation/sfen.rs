//! SFEN: `lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1`.
//!
//! Rows from rank a down, files from 9 to 1, Black's pieces in capitals, `+` before
//! a promoted one; the side to move; the hands, Black's first, rook to pawn; the
//! number of the move. That number is no part of a position: it may be missing, is
//! checked where it stands and dropped, and 1 is written.

use crate::board::Board;
use crate::drops::HAND;
use crate::setup::Setup;
use evalsmith_core::Malformed;
use haitaka::{Color, File, Piece, Rank, Square};
use std::fmt::Write;

const EXAMPLE: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// The order in which hands are written.
const WRITTEN: [Piece; Piece::HAND_NUM] = [
    Piece::Rook,
    Piece::Bishop,
    Piece::Gold,
    Piece::Silver,
    Piece::Knight,
    Piece::Lance,
    Piece::Pawn,
];

pub(crate) fn format(board: &Board) -> String {
    write(&Setup::of(board))
}

pub(crate) fn write(setup: &Setup) -> String {
    let mut text = String::with_capacity(96);
    for (i, rank) in Rank::ALL.into_iter().enumerate() {
        if i > 0 {
            text.push('/');
        }
        let mut run = 0;
        for file in File::ALL.into_iter().rev() {
            if let Some((color, piece)) = setup.squares[Square::new(file, rank) as usize] {
                if run > 0 {
                    let _ = write!(text, "{run}");
                    run = 0;
                }
                text.push_str(&piece.to_str(color));
            } else {
                run += 1;
            }
        }
        if run > 0 {
            let _ = write!(text, "{run}");
        }
    }
    let _ = write!(text, " {} ", setup.to_move);
    let before = text.len();
    for color in [Color::Black, Color::White] {
        text.push_str(&hand(setup, color));
    }
    if text.len() == before {
        text.push('-');
    }
    text.push_str(" 1");
    text
}

/// One side's hand, empty if it holds nothing.
pub(crate) fn hand(setup: &Setup, color: Color) -> String {
    let mut text = String::new();
    for piece in WRITTEN {
        match setup.hands[color as usize][piece as usize] {
            0 => continue,
            1 => {}
            n => {
                let _ = write!(text, "{n}");
            }
        }
        text.push_str(&piece.to_str(color));
    }
    text
}

pub(crate) fn parse(text: &str) -> Result<Board, Malformed> {
    read(text).map_err(|reason| Malformed::new("SFEN position", text, reason))
}

fn read(text: &str) -> Result<Board, String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (rows, mover, hands, number) = match *fields.as_slice() {
        [rows, mover, hands] => (rows, mover, hands, "1"),
        [rows, mover, hands, number] => (rows, mover, hands, number),
        _ => {
            let found = fields.len();
            return Err(format!("it has {found} fields instead of three or four: {EXAMPLE}"));
        }
    };
    let to_move = match mover {
        "b" => Color::Black,
        "w" => Color::White,
        _ => return Err(format!("the side to move is {mover:?} instead of b or w")),
    };
    let is_number = number.parse::<u32>().is_ok_and(|n| n > 0);
    if !is_number {
        return Err(format!("{number:?} is no number of a move; they begin at 1"));
    }
    let mut setup = Setup::empty(to_move);
    let rows: Vec<&str> = rows.split('/').collect();
    if rows.len() != 9 {
        return Err(format!("the board has {} ranks instead of nine", rows.len()));
    }
    for (rank, row) in Rank::ALL.into_iter().zip(rows) {
        read_row(&mut setup, rank, row).map_err(|reason| format!("rank {rank}: {reason}"))?;
    }
    read_hands(&mut setup, hands).map_err(|reason| format!("hands {hands:?}: {reason}"))?;
    setup.board()
}

fn read_row(setup: &mut Setup, rank: Rank, row: &str) -> Result<(), String> {
    let outside = || format!("{row:?} holds more than nine squares");
    let mut filled = 0;
    let mut promoted = false;
    for c in row.chars() {
        if let ('1'..='9', false) = (c, promoted) {
            filled += c as usize - '0' as usize;
        } else if c == '+' && !promoted {
            promoted = true;
            continue;
        } else {
            let (mut piece, color) = Piece::try_from_char(c).ok_or_else(|| {
                format!("{c:?} is neither a piece (plnsgbrk, + before it) nor a run (1-9)")
            })?;
            if promoted {
                if !piece.is_promotable() {
                    return Err(format!("{c:?} cannot be promoted"));
                }
                piece = piece.promote();
                promoted = false;
            }
            let file = 8_usize.checked_sub(filled).ok_or_else(outside)?;
            setup.squares[Square::new(File::index(file), rank) as usize] = Some((color, piece));
            filled += 1;
        }
        if filled > 9 {
            return Err(outside());
        }
    }
    if promoted {
        return Err("a + stands before no piece".into());
    }
    if filled < 9 {
        return Err(format!("{row:?} holds {filled} squares instead of nine"));
    }
    Ok(())
}

fn read_hands(setup: &mut Setup, hands: &str) -> Result<(), String> {
    if hands == "-" {
        return Ok(());
    }
    let mut count = None;
    for c in hands.chars() {
        if let Some(digit) = c.to_digit(10) {
            let so_far = count.unwrap_or(0) * 10 + digit;
            if !(1..=18).contains(&so_far) {
                return Err(format!("{so_far} is no count of pieces, 1 to 18"));
            }
            count = Some(so_far);
            continue;
        }
        let (piece, color) = Piece::try_from_char(c)
            .filter(|(piece, _)| HAND.contains(piece))
            .ok_or_else(|| format!("{c:?} is no piece that can be held (rbgsnlp), nor a count"))?;
        let held = &mut setup.hands[color as usize][piece as usize];
        if *held > 0 {
            return Err(format!("{c:?} is listed twice"));
        }
        *held = count.take().unwrap_or(1) as u8;
    }
    match count {
        Some(n) => Err(format!("after {n} stands no piece")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn broken_positions_are_named() {
        let with_rows = |rows: &str| format!("{rows} b - 1");
        for (text, reason) in [
            (String::new(), "0 fields"),
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b".into(), "2 fields"),
            (format!("{EXAMPLE} 1"), "5 fields"),
            (EXAMPLE.replace(" b ", " x "), "b or w"),
            (EXAMPLE.replace("- 1", "- 0"), "begin at 1"),
            (EXAMPLE.replace("- 1", "- one"), "\"one\""),
            (with_rows("4k4/9/9/9/9/9/9/4K4"), "8 ranks"),
            (with_rows("4k5/9/9/9/9/9/9/9/4K4"), "rank a: \"4k5\" holds more"),
            (with_rows("4k4/9/9/9/9/9/9/9/4K4P"), "rank i"),
            (with_rows("4k4/9/9/8/9/9/9/9/4K4"), "rank d: \"8\" holds 8 squares"),
            (with_rows("4k4/9/9/4x4/9/9/9/9/4K4"), "'x'"),
            (with_rows("4k4/9/9/4+5/9/9/9/9/4K4"), "'5'"),
            (with_rows("4k4/9/9/++P8/9/9/9/9/4K4"), "'+'"),
            (with_rows("4k4/9/9/9+/9/9/9/9/4K4"), "before no piece"),
            (with_rows("4k4/9/9/4+G4/9/9/9/9/4K4"), "cannot be promoted"),
            (with_rows("9/9/9/9/9/9/9/9/4K4"), "White has no king"),
            (with_rows("4k4/9/9/9/9/9/9/9/9"), "Black has no king"),
            (with_rows("4k4/9/9/9/9/9/9/9/2K1K4"), "Black has 2 kings"),
            (with_rows("4k3P/9/9/9/9/9/9/9/4K4"), "Black's pawn on 1a"),
            (with_rows("4k4/9/9/9/9/9/9/9/4K3l"), "White's lance on 1i"),
            (with_rows("4k4/8N/9/9/9/9/9/9/4K4"), "Black's knight on 1b"),
            (with_rows("4k4/9/9/7P1/9/7P1/9/9/4K4"), "Black has two unpromoted pawns on file 2"),
            (with_rows("4k4/4G4/9/9/9/9/9/9/4K4"), "White has just moved"),
            (with_rows("9/9/9/9/9/9/9/4k4/4K4"), "White has just moved"),
            (with_rows("4k4/9/4r4/9/9/1b7/9/9/4K1r2"), "3 pieces check Black"),
            ("4k4/9/9/9/9/9/9/9/4K4 b 5G".into(), "5 golds"),
            ("4k4/9/9/9/9/9/9/9/4K4 b 18Pp".into(), "19 pawns"),
            ("4k4/9/9/+B8/9/9/9/9/4K4 b 2b".into(), "3 bishops"),
            ("4k4/9/9/9/9/9/9/9/4K4 b 19P".into(), "19 is no count"),
            ("4k4/9/9/9/9/9/9/9/4K4 b 0P".into(), "0 is no count"),
            ("4k4/9/9/9/9/9/9/9/4K4 b 99999999999P".into(), "99 is no count"),
            ("4k4/9/9/9/9/9/9/9/4K4 b K".into(), "'K'"),
            ("4k4/9/9/9/9/9/9/9/4K4 b +P".into(), "'+'"),
            ("4k4/9/9/9/9/9/9/9/4K4 b P-".into(), "'-'"),
            ("4k4/9/9/9/9/9/9/9/4K4 b P2P".into(), "twice"),
            ("4k4/9/9/9/9/9/9/9/4K4 b P2".into(), "after 2"),
        ] {
            let error = parse(&text).expect_err(&text);
            assert!(error.reason.contains(reason), "{text:?}: {error}");
        }
    }

    #[test]
    fn positions_are_read_as_they_are_written() {
        for text in [
            EXAMPLE,
            "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 1",
            "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        ] {
            assert_eq!(format(&parse(text).unwrap()), text);
        }
        let other_ways = ["b Bb 25", "b bB", "  b  Bb  1 "].map(|rest| {
            parse(&format!(
                "lnsgk2nl/1r4gs1/p1pppp1pp/1p4p2/7P1/2P6/PP1PPPP1P/1SG4R1/LN2KGSNL {rest}"
            ))
        });
        assert!(other_ways.iter().all(|p| p.is_ok() && *p == other_ways[0]));
    }

    proptest! {
        #[test]
        fn nothing_read_panics(
            text in "\\PC*",
            like in "([1-9+plnsgbrkPLNSGBRK]{0,9}/){8}[1-9+plnsgbrkPLNSGBRK]{0,9} [bw] [0-9rbgsnlpRBGSNLPKk+-]{1,9}",
            at in 0..EXAMPLE.len(),
            letter in "[1-9+/plnsgbrkPLNSGBRK -]",
        ) {
            let _ = (parse(&text), parse(&like));
            let near = format!("{}{letter}{}", &EXAMPLE[..at], &EXAMPLE[at + 1..]);
            if let Ok(board) = parse(&near) {
                prop_assert_eq!(parse(&format(&board)), Ok(board));
            }
        }
    }
}
