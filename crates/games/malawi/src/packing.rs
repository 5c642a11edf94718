//! A position in 18 bytes: per side a word with the tiles' squares in the low 36
//! bits and four bits of balls for each tile above them, then the half-moves;
//! everything little-endian and in the view of the side to move.

use crate::board::Board;
use crate::square::Square;
use evalsmith_core::{Malformed, Side};

fn pack_side(board: &Board, side: Side) -> u64 {
    let tiles = (0..).zip(board.tiles(side));
    tiles.fold(0, |word, (i, (square, balls))| {
        word | 1 << (6 * square.row() + square.column()) | u64::from(balls) << (36 + 4 * i)
    })
}

pub(crate) fn pack(board: &Board) -> Vec<u8> {
    let to_move = board.to_move();
    let mut bytes = Vec::with_capacity(18);
    bytes.extend(pack_side(board, to_move).to_le_bytes());
    bytes.extend(pack_side(board, to_move.other()).to_le_bytes());
    bytes.extend(board.half_moves().to_le_bytes());
    bytes
}

fn unpack_side(word: u64) -> Result<Vec<(Square, u8)>, String> {
    let mut balls = word >> 36;
    let mut tiles = Vec::with_capacity(6);
    for (i, square) in (0..36).zip(Square::all()) {
        if word >> i & 1 == 1 {
            tiles.push((square, (balls & 0xF) as u8));
            balls >>= 4;
        }
    }
    if balls == 0 { Ok(tiles) } else { Err("it has balls without tiles".into()) }
}

pub(crate) fn unpack(bytes: &[u8]) -> Result<Board, Malformed> {
    let wrong = |reason: String| {
        Malformed::new("packed Malawi position", format_args!("{bytes:02X?}"), reason)
    };
    let Ok(bytes) = <&[u8; 18]>::try_from(bytes) else {
        return Err(wrong(format!("it has {} bytes instead of 18", bytes.len())));
    };
    let word = |at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes make a word"))
    };
    let half_moves = u16::from_le_bytes([bytes[16], bytes[17]]);
    let sides = (unpack_side(word(0)).map_err(wrong)?, unpack_side(word(8)).map_err(wrong)?);
    Board::assemble(&sides.0, &sides.1, half_moves).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn broken_bytes_are_named() {
        let good = pack(&Board::start());
        assert_eq!(unpack(&good), Ok(Board::start()));
        let with = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            unpack(&bytes).unwrap_err().reason
        };
        assert!(unpack(&good[1..]).unwrap_err().reason.contains("17 bytes"));
        assert!(with(0, 0x7F).contains("7 tiles"));
        assert!(with(0, 0x1F).contains("without tiles"));
        assert!(with(7, 0x0F).contains("twelve"));
        assert!(with(7, 0xFF).contains("without tiles"));
        assert!(with(17, 0xFF).contains("more than 500"));
    }

    proptest! {
        #[test]
        fn nothing_unpacked_panics_or_changes(
            bytes in prop::collection::vec(any::<u8>(), 0..24),
            at in 0_usize..18,
            byte in any::<u8>(),
        ) {
            let _ = unpack(&bytes);
            let mut near = pack(&Board::start());
            near[at] = byte;
            if let Ok(board) = unpack(&near) {
                prop_assert_eq!(pack(&board), near);
            }
        }
    }
}
