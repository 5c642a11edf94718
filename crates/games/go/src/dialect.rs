//! Go in GTP: vertices, and a position as stones laid out in any order.

use crate::board::Board;
use crate::game::Go;
use crate::moves::Move;
use crate::notation;
use crate::point::Point;
use evalsmith_core::{Dialect, Malformed, Protocol, Side, no_set_up};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Gtp(pub(crate) Go);

impl Dialect<Board> for Gtp {
    fn format_move(&self, _position: &Board, m: Move) -> String {
        m.to_string()
    }

    fn parse_move(&self, position: &Board, text: &str) -> Result<Move, Malformed> {
        notation::parse_move(position, text)
    }

    fn format_position(&self, _position: &Board, _to_move: Side) -> Option<String> {
        None
    }

    fn parse_position(&self, text: &str) -> Result<(Board, Side), Malformed> {
        Err(no_set_up(Protocol::Gtp, text))
    }

    /// No stone is captured on the way: a chain half laid out touches its own
    /// empty points, and one laid out whole has the liberty that it has at last.
    /// A ko, and a pass just made, cannot be laid out.
    fn lay_out(&self, position: &Board, _to_move: Side) -> Option<Vec<(Side, String)>> {
        if position.ko().is_some() || position.passes() > 0 {
            return None;
        }
        let points = (0..9).flat_map(|row| (0..9).filter_map(move |col| Point::new(row, col)));
        let stone = |point: Point| Some((position.stone(point)?, point.to_string()));
        Some(points.filter_map(stone).collect())
    }

    fn preparation(&self) -> Vec<String> {
        vec!["boardsize 9".into(), format!("komi {}", f64::from(self.0.komi()) / 2.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Game, conformance};

    #[test]
    fn the_dialect_keeps_its_promises() {
        conformance::check_dialects(&Go::new(), 2);
    }

    #[test]
    fn a_position_is_its_stones() {
        let (board, side) = Go::new().parse("9/9/9/9/4X4/9/9/9/O8 b - 0").unwrap();
        let stones = Gtp(Go::new()).lay_out(&board, side).unwrap();
        let expected = [(Side::Second, "A1".to_owned()), (Side::First, "E5".to_owned())];
        assert_eq!(stones, expected);
        assert_eq!(Gtp(Go::with_komi(15)).preparation(), ["boardsize 9", "komi 7.5"]);
    }
}
