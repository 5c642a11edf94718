//! The board for people, seen by Black.

use crate::board::Board;
use crate::notation::{name, sfen};
use crate::setup::Setup;
use haitaka::{Color, File, Rank, Square};
use std::fmt::Write;

pub(crate) fn draw(board: &Board) -> String {
    let setup = Setup::of(board);
    let hand = |color| {
        let held = sfen::hand(&setup, color);
        let held = if held.is_empty() { "-" } else { &held };
        format!("{} in hand: {held}\n", name(color))
    };
    let mut text = hand(Color::White);
    for file in File::ALL.into_iter().rev() {
        let _ = write!(text, "  {file}");
    }
    text.push('\n');
    for rank in Rank::ALL {
        for file in File::ALL.into_iter().rev() {
            match setup.squares[Square::new(file, rank) as usize] {
                Some((color, piece)) => {
                    let _ = write!(text, "{:>3}", piece.to_str(color));
                }
                None => text.push_str("  ."),
            }
        }
        let _ = writeln!(text, "  {rank}");
    }
    text.push_str(&hand(Color::Black));
    let _ = write!(text, "{} to move", name(setup.to_move));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_drawn_with_black_below() {
        let text = "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p";
        let expected = "White in hand: bgn3p
  9  8  7  6  5  4  3  2  1
  .  .  .  .  .  .  .  .  l  a
  .  l +R  .  .  P  .  .  .  b
  p  .  .  p  B  G  .  p  p  c
  k  p  s  .  p  .  .  .  .  d
  N  n  .  P  .  .  G  .  .  e
  P  .  P  .  P  .  .  P  P  f
  .  P  S  .  .  .  .  .  .  g
  .  K  S  G  .  .  . +r  .  h
  L  N  .  . +p  .  .  .  L  i
Black in hand: S
White to move";
        assert_eq!(draw(&sfen::parse(text).unwrap()), expected);
    }
}
