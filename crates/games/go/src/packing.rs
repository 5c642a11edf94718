//! A position in 19 bytes: the points row by row from A1, five to a byte as
//! digits of base three (0 empty, 1 Black, 2 White), which leaves one digit for
//! byte 17; then the ko point's number, or 81; then the passes plus, for White to
//! move, 128. The komi belongs to the game and is not stored.

use crate::board::Board;
use crate::point::{Point, Set};
use evalsmith_core::{Malformed, Side};

const BOARD_BYTES: usize = 17;
const NO_KO: u8 = 81;
const WHITE: u8 = 0x80;

fn number(point: Point) -> u8 {
    9 * point.row() + point.column()
}

fn point(number: u8) -> Option<Point> {
    Point::new(number / 9, number % 9)
}

pub(crate) fn pack(board: &Board) -> Vec<u8> {
    let mut bytes = vec![0; BOARD_BYTES];
    for point in Point::all() {
        let digit = board.stone(point).map_or(0, |side| side.index() as u8 + 1);
        let place = number(point);
        bytes[usize::from(place / 5)] += digit * 3_u8.pow(u32::from(place % 5));
    }
    bytes.push(board.ko().map_or(NO_KO, number));
    bytes.push(board.passes() | if board.to_move() == Side::Second { WHITE } else { 0 });
    bytes
}

pub(crate) fn unpack(bytes: &[u8], komi: i8) -> Result<Board, Malformed> {
    let wrong =
        |reason: String| Malformed::new("packed Go position", format_args!("{bytes:02X?}"), reason);
    let Some((points, &[ko, state])) = bytes.split_at_checked(BOARD_BYTES) else {
        return Err(wrong(format!("it has {} bytes instead of 19", bytes.len())));
    };
    let mut stones: [Set; 2] = [0; 2];
    for (at, &byte) in points.iter().enumerate() {
        let mut digits = byte;
        for place in 5 * at..(5 * at + 5).min(81) {
            let digit = digits % 3;
            digits /= 3;
            if digit > 0 {
                let point = point(place as u8).expect("a place below 81 is a point");
                stones[usize::from(digit - 1)] |= point.set();
            }
        }
        if digits > 0 {
            return Err(wrong(format!("byte {at} is {byte}, more than its points can make")));
        }
    }
    let ko = match ko {
        NO_KO => None,
        _ => Some(point(ko).ok_or_else(|| {
            wrong(format!("the ko is point {ko}; points are numbered 0 to 80, none is 81"))
        })?),
    };
    let to_move = if state & WHITE == 0 { Side::First } else { Side::Second };
    Board::assemble(stones, to_move, ko, state & !WHITE, komi).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;
    use proptest::prelude::*;

    #[test]
    fn broken_bytes_are_named() {
        let board = notation::parse("8X/9/9/9/3XO4/2X1XO3/3XO4/9/O8 w D4 0", 14).unwrap();
        let good = pack(&board);
        assert_eq!(good.len(), 19);
        assert_eq!(unpack(&good, 14), Ok(board));
        let with = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            unpack(&bytes, 14).unwrap_err().reason
        };
        assert!(unpack(&good[1..], 14).unwrap_err().reason.contains("18 bytes"));
        assert!(unpack(&[], 14).unwrap_err().reason.contains("0 bytes"));
        assert!(with(0, 243).contains("byte 0 is 243"));
        assert!(with(16, 3).contains("byte 16 is 3"));
        assert!(with(17, 82).contains("point 82"));
        assert!(with(17, 0).contains("no ko at A1"));
        assert!(with(18, 3).contains("3 passes"));
    }

    proptest! {
        #[test]
        fn nothing_unpacked_panics_or_changes(
            bytes in prop::collection::vec(any::<u8>(), 0..24),
            at in 0_usize..19,
            byte in any::<u8>(),
        ) {
            let _ = unpack(&bytes, 14);
            let mut near = pack(&Board::start(14));
            near[at] = byte;
            if let Ok(board) = unpack(&near, 14) {
                prop_assert_eq!(pack(&board), near);
            }
        }
    }
}
