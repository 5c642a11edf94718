//! A position in at most 42 bytes, as a stream of bits from each byte's low end:
//! the side to move (1 for White); for each square whether it is occupied; for
//! each occupied one the color and the piece's number (five bits); for Black's
//! hand, then White's, the counts in five bits for pawns, two for bishops and
//! rooks, three for the others; zeros to the end of the byte.

use crate::board::Board;
use crate::setup::Setup;
use evalsmith_core::Malformed;
use haitaka::{Color, Piece, Square};

/// Bits of a count in hand, by kind.
const HAND_BITS: [u32; Piece::HAND_NUM] = [5, 3, 3, 3, 2, 2, 3];

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    used: usize,
}

impl Writer {
    fn put(&mut self, value: u32, bits: u32) {
        for bit in 0..bits {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            self.bytes[self.used / 8] |= ((value >> bit & 1) as u8) << (self.used % 8);
            self.used += 1;
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    used: usize,
}

impl Reader<'_> {
    fn take(&mut self, bits: u32) -> Result<u32, String> {
        let mut value = 0;
        for bit in 0..bits {
            let byte = self.bytes.get(self.used / 8).ok_or("it ends too early")?;
            value |= u32::from(byte >> (self.used % 8) & 1) << bit;
            self.used += 1;
        }
        Ok(value)
    }
}

pub(crate) fn pack(board: &Board) -> Vec<u8> {
    let setup = Setup::of(board);
    let mut out = Writer::default();
    out.put(u32::from(setup.to_move == Color::White), 1);
    for held in setup.squares {
        out.put(u32::from(held.is_some()), 1);
    }
    for (color, piece) in setup.squares.into_iter().flatten() {
        out.put(u32::from(color == Color::White) | (piece as u32) << 1, 5);
    }
    for color in [Color::Black, Color::White] {
        for (kind, bits) in HAND_BITS.into_iter().enumerate() {
            out.put(u32::from(setup.hands[color as usize][kind]), bits);
        }
    }
    out.bytes
}

pub(crate) fn unpack(bytes: &[u8]) -> Result<Board, Malformed> {
    read(bytes).map_err(|reason| {
        Malformed::new("packed Shogi position", format_args!("{bytes:02X?}"), reason)
    })
}

fn color(bit: u32) -> Color {
    if bit == 1 { Color::White } else { Color::Black }
}

fn read(bytes: &[u8]) -> Result<Board, String> {
    let mut stream = Reader { bytes, used: 0 };
    let mut setup = Setup::empty(color(stream.take(1)?));
    let mut occupied = [false; Square::NUM];
    for square in &mut occupied {
        *square = stream.take(1)? == 1;
    }
    for (square, _) in Square::ALL.into_iter().zip(occupied).filter(|&(_, held)| held) {
        let code = stream.take(5)?;
        let piece = Piece::try_index((code >> 1) as usize)
            .ok_or_else(|| format!("there is no piece numbered {}", code >> 1))?;
        setup.squares[square as usize] = Some((color(code & 1), piece));
    }
    for color in [Color::Black, Color::White] {
        for (kind, bits) in HAND_BITS.into_iter().enumerate() {
            setup.hands[color as usize][kind] = stream.take(bits)? as u8;
        }
    }
    let rest = 8 * bytes.len() - stream.used;
    if rest >= 8 || stream.take(rest as u32)? != 0 {
        return Err("it goes on after its end".into());
    }
    setup.board()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn broken_bytes_are_named() {
        let good = pack(&Board::start());
        assert_eq!(good.len(), 41);
        assert_eq!(unpack(&good), Ok(Board::start()));
        let reason = |bytes: &[u8]| unpack(bytes).unwrap_err().reason;
        assert!(reason(&[]).contains("too early"));
        assert!(reason(&good[..40]).contains("too early"));
        assert!(reason(&[&good[..], &[0]].concat()).contains("after its end"));
        let mut padded = good.clone();
        padded[40] |= 0x80;
        assert!(reason(&padded).contains("after its end"));
        let mut unknown = good.clone();
        unknown[10] |= 0xFC;
        assert!(reason(&unknown).contains("numbered 15"), "{}", reason(&unknown));
        let mut kingless = good;
        kingless[0] ^= 1 << 1;
        assert!(unpack(&kingless).is_err());
    }

    proptest! {
        #[test]
        fn nothing_unpacked_panics_or_changes(
            bytes in prop::collection::vec(any::<u8>(), 0..48),
            at in 0_usize..41,
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
