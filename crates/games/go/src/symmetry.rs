//! The eight symmetries of the board, less the identity.

use crate::board::Board;
use crate::moves::Move;
use crate::point::{Point, Set, rotate_half, transpose, upend};
use evalsmith_core::Symmetry;

fn mapped(m: Move, map: fn(Set) -> Set) -> Move {
    m.point().map_or(m, |point| Move::on(Point::lowest(map(point.set()))))
}

/// The name of a symmetry, and where it sends a set.
type Map = (&'static str, fn(Set) -> Set);

const MAPS: [Map; 7] = [
    ("mirror", |x| rotate_half(upend(x))),
    ("upend", upend),
    ("rotate 180", rotate_half),
    ("transpose", transpose),
    ("rotate 90", |x| upend(transpose(x))),
    ("rotate 270", |x| transpose(upend(x))),
    ("antitranspose", |x| rotate_half(transpose(x))),
];

pub(crate) fn all() -> Vec<Symmetry<Board>> {
    let symmetry = |(name, map): Map| {
        Symmetry::new(name, move |p: &Board| p.mapped(map), move |m| mapped(m, map))
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

    #[test]
    fn the_seven_images_of_a_lopsided_point_are_as_named() {
        let b1 = Move::on(Point::new(0, 1).unwrap());
        let names = MAPS.iter().map(|(name, _)| *name);
        let images: Vec<_> = names.zip(images(b1).map(|m| m.to_string())).collect();
        let expected = [
            ("mirror", "H1"),
            ("upend", "B9"),
            ("rotate 180", "H9"),
            ("transpose", "A2"),
            ("rotate 90", "A8"),
            ("rotate 270", "J2"),
            ("antitranspose", "J8"),
        ];
        assert_eq!(images, expected.map(|(name, to)| (name, to.to_owned())));
        assert!(super::images(Move::PASS).all(|m| m == Move::PASS));
    }
}
