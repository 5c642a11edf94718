//! A position in at most 29 bytes.
//!
//! A little-endian word of the occupied squares; half a byte for the piece on
//! each of them, a1 first and low half first, pawn to king from 0 and 8 more for
//! Black; then the side to move and the castling rights (a bit each), the file
//! from 1 where a pawn can be captured en passant, the half-move clock, and the
//! move number. One position has one packed form.

use crate::board::Board;
use crate::setup::{RIGHTS, Setup};
use cozy_chess::{BitBoard, Color, File, Piece, Rank, Square};
use evalsmith_core::Malformed;

const BLACK: u8 = 8;
/// The bytes after the pieces.
const TAIL: usize = 5;

pub(crate) fn pack(board: &Board) -> Vec<u8> {
    let inner = &board.0;
    let occupied = inner.occupied();
    let mut bytes = occupied.0.to_le_bytes().to_vec();
    for (i, square) in occupied.into_iter().enumerate() {
        let piece = inner.piece_on(square).expect("an occupied square holds a piece") as u8;
        let code = piece | if inner.colors(Color::Black).has(square) { BLACK } else { 0 };
        match bytes.last_mut() {
            Some(last) if i % 2 == 1 => *last |= code << 4,
            _ => bytes.push(code),
        }
    }
    let mut flags = inner.side_to_move() as u8;
    for (bit, (colour, rook, _)) in (1..).zip(RIGHTS) {
        let rights = inner.castle_rights(colour);
        flags |= u8::from([rights.short, rights.long].contains(&Some(rook))) << bit;
    }
    bytes.push(flags);
    bytes.push(board.en_passant().map_or(0, |square| square.file() as u8 + 1));
    bytes.push(board.half_move_clock());
    bytes.extend(board.move_number().to_le_bytes());
    bytes
}

fn read(bytes: &[u8]) -> Result<Setup, String> {
    let short = || format!("{} bytes are too few for a position", bytes.len());
    let (occupied, rest) = bytes.split_first_chunk::<8>().ok_or_else(short)?;
    let (codes, &[flags, file, clock, low, high]) =
        rest.split_last_chunk::<TAIL>().ok_or_else(short)?;
    let occupied = BitBoard(u64::from_le_bytes(*occupied));
    let count = occupied.len() as usize;
    if codes.len() != count.div_ceil(2) {
        return Err(format!("{count} pieces in {} bytes", codes.len()));
    }
    if count % 2 == 1 && codes.last().is_some_and(|last| last >> 4 != 0) {
        return Err("a piece without a square".to_owned());
    }
    let mut setup = Setup::new();
    for (i, square) in occupied.into_iter().enumerate() {
        let code = codes[i / 2] >> (i % 2 * 4) & 0xF;
        let Some(piece) = Piece::try_index(usize::from(code & !BLACK)) else {
            return Err(format!("no piece has the code {code}, on {square}"));
        };
        let colour = if code & BLACK == 0 { Color::White } else { Color::Black };
        *setup.0.square_mut(square) = Some((piece, colour));
    }
    if flags >> 5 != 0 {
        return Err(format!("the flags {flags:#04x} have no meaning"));
    }
    setup.0.side_to_move = if flags & 1 == 0 { Color::White } else { Color::Black };
    for (bit, (colour, rook, _)) in (1..).zip(RIGHTS) {
        if flags >> bit & 1 == 1 {
            setup.allow_castling(colour, rook);
        }
    }
    if let Some(index) = usize::from(file).checked_sub(1) {
        let file = File::try_index(index).ok_or_else(|| format!("en passant: no file {file}"))?;
        let rank = Rank::Sixth.relative_to(setup.0.side_to_move);
        setup.0.en_passant = Some(Square::new(file, rank));
    }
    setup.0.halfmove_clock = clock;
    setup.0.fullmove_number = u16::from_le_bytes([low, high]);
    Ok(setup)
}

pub(crate) fn unpack(bytes: &[u8]) -> Result<Board, Malformed> {
    let found = || format!("{bytes:02X?}");
    let wrong = |reason: String| Malformed::new("packed Chess position", found(), reason);
    let setup = read(bytes).map_err(wrong)?;
    let board = setup.build().map_err(wrong)?;
    if setup.0.en_passant == board.en_passant() {
        Ok(board)
    } else {
        Err(wrong("en passant: no pawn can capture so".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fen;
    use proptest::prelude::*;

    const PASSED: &str = "4k3/8/8/3pP3/8/8/8/R3K3 w Q d6 7 300";

    #[test]
    fn packing_keeps_everything() {
        for text in [PASSED, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b Kq - 99 65535"] {
            let bytes = pack(&fen::parse(text).unwrap());
            assert!(bytes.len() <= 29);
            assert_eq!(fen::format(&unpack(&bytes).unwrap()), text);
        }
    }

    #[test]
    fn broken_bytes_are_named() {
        let good = pack(&fen::parse(PASSED).unwrap());
        assert_eq!(good.len(), 8 + 3 + TAIL);
        let with = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            unpack(&bytes).unwrap_err().reason
        };
        assert!(unpack(&[]).unwrap_err().reason.contains("0 bytes are too few"));
        assert!(unpack(&good[1..]).unwrap_err().reason.contains("pieces in"));
        assert!(with(8, 0x57).contains("code 7, on a1"));
        assert!(with(10, 0x1D).contains("without a square"));
        assert!(with(8, 0x55).contains("2 kings"));
        assert!(with(11, 0xF0).contains("flags"));
        assert!(with(11, 0x1E).contains("castling"));
        assert!(with(12, 9).contains("no file 9"));
        assert!(with(12, 3).contains("over c6"));
        assert!(with(13, 200).contains("half-move clock"));
        let mut empty = pack(&fen::parse("4k3/8/8/3p4/8/8/8/4K3 w - - 0 1").unwrap());
        let file = empty.len() - TAIL + 1;
        empty[file] = 4;
        assert!(unpack(&empty).unwrap_err().reason.contains("no pawn can capture"));
    }

    proptest! {
        #[test]
        fn nothing_unpacked_panics_or_changes(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            at in 0_usize..16,
            byte in any::<u8>(),
        ) {
            let _ = unpack(&bytes);
            let mut near = pack(&fen::parse(PASSED).unwrap());
            near[at] = byte;
            if let Ok(board) = unpack(&near) {
                prop_assert_eq!(pack(&board), near);
            }
        }
    }
}
