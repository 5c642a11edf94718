//! The eight symmetries of the board, less the identity.

use crate::board::Board;
use crate::moves::Move;
use crate::point::{Point, Set, rotate_half, transpose, upend};
use evalsmith_core::Symmetry;

fn mapped(m: Move, map: fn(Set) -> Set) -> Move {
    m.point().map_or(m, |point| Move::on(Point::lowest(map(point.set()))))
}

macro_rules! symmetry {
    ($name:literal, $map:expr) => {
        Symmetry { name: $name, position: |p| p.mapped($map), mv: |m| mapped(m, $map) }
    };
}

pub(crate) fn all() -> Vec<Symmetry<Board>> {
    vec![
        symmetry!("mirror", |x| rotate_half(upend(x))),
        symmetry!("upend", upend),
        symmetry!("rotate 180", rotate_half),
        symmetry!("transpose", transpose),
        symmetry!("rotate 90", |x| upend(transpose(x))),
        symmetry!("rotate 270", |x| transpose(upend(x))),
        symmetry!("antitranspose", |x| rotate_half(transpose(x))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seven_images_of_a_lopsided_point_are_as_named() {
        let b1 = Move::on(Point::new(0, 1).unwrap());
        let images: Vec<_> = all().iter().map(|s| (s.name, (s.mv)(b1).to_string())).collect();
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
        assert!(all().iter().all(|s| (s.mv)(Move::PASS) == Move::PASS));
    }
}
