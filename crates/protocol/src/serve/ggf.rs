//! As much of GGF as NBoard's `set game` needs: the board, the moves and the clocks.
//!
//! A game is `(;NAME[value]NAME[value]...;)`. `BO` is the board, `B` and `W` are
//! moves with value and seconds after slashes: `B[D3//1.2]`. `TI` is both sides'
//! time, `TB` and `TW` are one side's: `hours:minutes:seconds` from the right, after
//! a slash what each move adds, and after another an overtime, which is left alone.

use crate::budget::{Clocks, from_seconds};
use evalsmith_core::Side;
use std::time::Duration;

/// A game as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written<'t> {
    pub(super) board: &'t str,
    /// Moves with the time each took; none where it is not told.
    pub(super) moves: Vec<(&'t str, Duration)>,
    /// What the clocks showed before the first of them; none for a game without.
    pub(super) clocks: Option<Clocks>,
}

/// Reads a game; none where the text is no game or has no board.
pub(super) fn read(text: &str) -> Option<Written<'_>> {
    let mut rest = text.trim().strip_prefix("(;")?;
    let (mut board, mut moves) = (None, Vec::new());
    let mut times = [None; 2];
    while let Some((name, after)) = rest.split_once('[') {
        let (value, after) = after.split_once(']')?;
        match name.trim() {
            "BO" => board = Some(value.trim()),
            "B" | "W" => moves.push(read_move(value)),
            "TI" => times = [read_time(value); 2],
            "TB" => times[Side::First.index()] = read_time(value),
            "TW" => times[Side::Second.index()] = read_time(value),
            _ => {}
        }
        rest = after;
    }
    let clocks = match times {
        [Some(first), Some(second)] => Some(Clocks {
            remaining: [first.0, second.0],
            increment: [first.1, second.1],
            ..Clocks::default()
        }),
        _ => None,
    };
    (rest.trim() == ";)").then_some(Written { board: board?, moves, clocks })
}

/// A move and the time it took, from `F5`, `F5/1.50` or `F5/1.50/2.3`.
pub(super) fn read_move(text: &str) -> (&str, Duration) {
    let mut parts = text.split('/').map(str::trim);
    let mv = parts.next().unwrap_or_default();
    (mv, parts.nth(1).and_then(from_seconds).unwrap_or_default())
}

/// A side's time and what each move adds; none where there is no such time. Nobody
/// plays a game in no time: that is how a game without clocks is written.
fn read_time(text: &str) -> Option<(Duration, Duration)> {
    let mut parts = text.split('/');
    let main = read_clock(parts.next()?)?;
    let increment = parts.next().and_then(read_clock).unwrap_or_default();
    (!main.is_zero()).then_some((main, increment))
}

/// `1:15:00`, `15:00` or `900`.
fn read_clock(text: &str) -> Option<Duration> {
    text.trim().split(':').try_fold(Duration::ZERO, |larger, part| {
        larger.checked_mul(60)?.checked_add(from_seconds(part.trim())?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn games_are_read() {
        let game = "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]\
                    TI[15:00]TY[8]BO[8 ---- *]B[F5//0.5]W[D6/1.5/2]B[PA];)";
        let clocks = Clocks { remaining: [seconds(900); 2], ..Clocks::default() };
        let half = Duration::from_millis(500);
        let moves = vec![("F5", half), ("D6", seconds(2)), ("PA", Duration::ZERO)];
        assert_eq!(read(game), Some(Written { board: "8 ---- *", moves, clocks: Some(clocks) }));
        for broken in ["", "(;", "(;GM[Othello];)", "(;BO[8 *", "(;BO[8 *]", "BO[8 *];)"] {
            assert_eq!(read(broken), None, "{broken}");
        }
    }

    #[test]
    fn clocks_are_read_and_those_that_are_none_passed_over() {
        let clocks = |times: &str| read(&format!("(;{times}BO[8 *];)")).unwrap().clocks;
        let both = clocks("TI[1:05:00/00:10/02:00]").unwrap();
        assert_eq!((both.remaining, both.increment), ([seconds(3900); 2], [seconds(10); 2]));
        assert_eq!(clocks("TI[5:00]TW[90]").unwrap().remaining, [seconds(300), seconds(90)]);
        let none = ["", "TI[]", "TI[?]", "TI[0]", "TI[00:00//02:00]", "TB[5:00]", "TI[1e300:0:0]"];
        for none in none {
            assert_eq!(clocks(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn nothing_read_panics(
            text in "\\PC*",
            like in "\\(;([A-Z]{0,2}\\[?[^\\n]{0,4}\\]?){0,5};?\\)?",
            time in "[0-9:/.e]{0,40}",
        ) {
            let _ = (read(&text), read(&like), read_time(&text), read_time(&time));
        }
    }
}
