//! Moves as SGF writes them: column and row as letters from the upper left
//! corner, `aa` to `ii`; nothing, or `tt` in older files, for a pass.

use crate::moves::Move;
use crate::point::Point;
use evalsmith_core::Malformed;

/// The value of an SGF property `B` or `W`.
///
/// ```
/// use evalsmith_go::{Move, format_sgf, parse_sgf};
/// let m = parse_sgf("gc")?;
/// assert_eq!(m.to_string(), "G7");
/// assert_eq!(format_sgf(m), "gc");
/// assert_eq!(parse_sgf("")?, Move::PASS);
/// # Ok::<(), evalsmith_core::Malformed>(())
/// ```
pub fn format_sgf(m: Move) -> String {
    let letter = |n: u8| char::from(b'a' + n);
    m.point().map_or_else(String::new, |p| [p.column(), 8 - p.row()].map(letter).iter().collect())
}

/// Reads the value of an SGF property `B` or `W` on a 9x9 board.
///
/// # Errors
/// When it names neither a point nor a pass.
pub fn parse_sgf(text: &str) -> Result<Move, Malformed> {
    match *text.trim().as_bytes() {
        [] | [b't', b't'] => return Ok(Move::PASS),
        [column @ b'a'..=b'i', row @ b'a'..=b'i'] => {
            Point::new(b'i' - row, column - b'a').map(Move::on)
        }
        _ => None,
    }
    .ok_or_else(|| {
        Malformed::new("SGF move", text, "write a point from aa to ii, or nothing for a pass")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn points_are_counted_from_the_upper_left() {
        for (text, vertex) in
            [("aa", "A9"), ("ai", "A1"), ("ia", "J9"), ("ic", "J7"), ("tt", "pass")]
        {
            assert_eq!(parse_sgf(text).unwrap().to_string(), vertex);
        }
        for point in Point::all() {
            assert_eq!(parse_sgf(&format_sgf(Move::on(point))), Ok(Move::on(point)));
        }
        for text in ["a", "aj", "ja", "AA", "aaa", "é"] {
            assert!(parse_sgf(text).unwrap_err().reason.contains("aa to ii"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,4}") {
            let _ = parse_sgf(&text);
        }
    }
}
