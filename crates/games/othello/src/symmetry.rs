//! The eight symmetries of the square, less the identity.

use crate::{Board, Kernel, Move};
use evalsmith_core::Symmetry;

/// A set of squares with left and right exchanged.
#[inline]
pub const fn mirror(mut x: u64) -> u64 {
    x = (x >> 1) & 0x5555_5555_5555_5555 | (x & 0x5555_5555_5555_5555) << 1;
    x = (x >> 2) & 0x3333_3333_3333_3333 | (x & 0x3333_3333_3333_3333) << 2;
    (x >> 4) & 0x0F0F_0F0F_0F0F_0F0F | (x & 0x0F0F_0F0F_0F0F_0F0F) << 4
}

/// Top becomes bottom.
const fn upend(x: u64) -> u64 {
    x.swap_bytes()
}

/// A set of squares with rows and columns exchanged: the mirror along the diagonal
/// from a1 to h8.
#[inline]
pub const fn transpose(mut x: u64) -> u64 {
    let mut t = (x ^ (x >> 7)) & 0x00AA_00AA_00AA_00AA;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000_CCCC_0000_CCCC;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x0000_0000_F0F0_F0F0;
    x ^ t ^ (t << 28)
}

fn mapped(m: Move, map: fn(u64) -> u64) -> Move {
    if m == Move::PASS { m } else { Move(map(m.bit()).trailing_zeros() as u8) }
}

macro_rules! symmetry {
    ($name:literal, $map:expr) => {
        Symmetry { name: $name, position: |p| p.mapped($map), mv: |m| mapped(m, $map) }
    };
}

pub(crate) fn all<K: Kernel>() -> Vec<Symmetry<Board<K>>> {
    vec![
        symmetry!("mirror", mirror),
        symmetry!("upend", upend),
        symmetry!("rotate 180", |x| mirror(upend(x))),
        symmetry!("transpose", transpose),
        symmetry!("rotate 90", |x| mirror(transpose(x))),
        symmetry!("rotate 270", |x| transpose(mirror(x))),
        symmetry!("antitranspose", |x| mirror(transpose(mirror(x)))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Portable;
    use std::collections::HashSet;

    #[test]
    fn the_seven_images_of_a_lopsided_square_are_distinct_and_as_named() {
        let b1 = Move(1);
        let images: Vec<_> =
            all::<Portable>().iter().map(|s| (s.name, (s.mv)(b1).to_string())).collect();
        let expected = [
            ("mirror", "g1"),
            ("upend", "b8"),
            ("rotate 180", "g8"),
            ("transpose", "a2"),
            ("rotate 90", "h2"),
            ("rotate 270", "a7"),
            ("antitranspose", "h7"),
        ];
        assert_eq!(images, expected.map(|(name, to)| (name, to.to_owned())));
        assert_eq!(images.iter().map(|(_, to)| to).collect::<HashSet<_>>().len(), 7);
    }
}
