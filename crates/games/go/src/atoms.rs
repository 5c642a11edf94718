//! The points as atoms: whose stone lies there.

use crate::board::Board;
use crate::moves::Move;
use crate::point::{Point, Set};
use crate::symmetry;
use evalsmith_core::Atoms;

/// The 81 points: 0 empty, 1 the mover's, 2 the opponent's.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Points;

impl Atoms<Board> for Points {
    fn names(&self) -> Vec<String> {
        Point::all().map(|point| point.to_string().to_lowercase()).collect()
    }

    fn ranges(&self) -> Vec<u8> {
        vec![3; Point::all().count()]
    }

    fn write(&self, board: &Board, values: &mut [u8]) {
        write(board.own, board.opp, values);
    }

    fn write_waiting(&self, board: &Board, values: &mut [u8]) {
        write(board.opp, board.own, values);
    }

    fn symmetries(&self) -> Vec<Vec<u16>> {
        let place = |wanted: Option<Point>| {
            let place = Point::all().position(|point| Some(point) == wanted);
            place.expect("an image of a point is a point") as u16
        };
        let mut maps = vec![Vec::new(); symmetry::images(Move::PASS).count()];
        for point in Point::all() {
            let images = symmetry::images(Move::on(point));
            maps.iter_mut().zip(images).for_each(|(map, m)| map.push(place(m.point())));
        }
        maps
    }
}

fn write(own: Set, opp: Set, values: &mut [u8]) {
    for (point, value) in Point::all().zip(values) {
        let on = |stones: Set| u8::from(stones & point.set() != 0);
        *value = on(own) + 2 * on(opp);
    }
}

#[cfg(test)]
mod tests {
    use crate::Go;
    use evalsmith_core::conformance;

    #[test]
    fn points_are_those_of_either_side() {
        conformance::check_atoms(&Go::default(), 10);
    }
}
