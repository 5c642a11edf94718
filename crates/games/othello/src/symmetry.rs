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

/// The name of a symmetry, and where it sends a set.
type Map = (&'static str, fn(u64) -> u64);

const MAPS: [Map; 7] = [
    ("mirror", mirror),
    ("upend", upend),
    ("rotate 180", |x| mirror(upend(x))),
    ("transpose", transpose),
    ("rotate 90", |x| mirror(transpose(x))),
    ("rotate 270", |x| transpose(mirror(x))),
    ("antitranspose", |x| mirror(transpose(mirror(x)))),
];

pub(crate) fn all<K: Kernel>() -> Vec<Symmetry<Board<K>>> {
    let symmetry = |(name, map): Map| {
        Symmetry::new(name, move |p: &Board<K>| p.mapped(map), move |m| mapped(m, map))
    };
    MAPS.into_iter().map(symmetry).collect()
}

/// The image of a move under each symmetry.
pub(crate) fn images(m: Move) -> impl Iterator<Item = Move> {
    MAPS.into_iter().map(move |(_, map)| mapped(m, map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_seven_images_of_a_lopsided_square_are_distinct_and_as_named() {
        let b1 = Move(1);
        let names = MAPS.iter().map(|(name, _)| *name);
        let images: Vec<_> = names.zip(images(b1).map(|m| m.to_string())).collect();
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
