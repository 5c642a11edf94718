//! The board as a picture: 9a at the top left, pieces by their letters, hands beside.

use crate::board::Board;
use crate::moves::Move;
use crate::notation::sfen;
use evalsmith_core::picture::{Piece, Surface, lettered, to_letters};
use evalsmith_core::{Malformed, Picture, Side, Way};
use haitaka::{Color, Square};

fn place(square: Square) -> usize {
    9 * (square.rank() as usize) + 8 - square.file() as usize
}

fn piece(text: &str) -> Option<(Piece, usize)> {
    let Some(plain) = text.strip_prefix('+') else { return lettered(text) };
    let (piece, length) = lettered(plain)?;
    Some((Piece { sign: format!("+{}", piece.sign), ..piece }, length + 1))
}

/// Reads one side's hand as SFEN writes it: `R2P`.
fn hands(text: &str) -> [Vec<(String, u8)>; 2] {
    let (mut hands, mut count) = ([Vec::new(), Vec::new()], 0);
    for sign in text.chars() {
        if let Some(digit) = sign.to_digit(10) {
            count = 10 * count + digit as u8;
        } else if let Some((piece, _)) = lettered(sign.encode_utf8(&mut [0; 4])) {
            hands[piece.side.index()].push((piece.sign, count.max(1)));
            count = 0;
        }
    }
    hands
}

pub(crate) fn picture(board: &Board) -> Picture {
    let name = |row, column| format!("{}{}", 9 - column, char::from(b'a' + row));
    let text = sfen::format(board);
    let fields: Vec<&str> = text.split(' ').collect();
    let mut picture = Picture::empty(9, 9, Surface::Plain, name).with_rows(fields[0], piece);
    picture.hands = hands(fields.get(2).copied().unwrap_or_default());
    let signs = "P L N S G B R K +P +L +N +S +B +R";
    picture.signs = signs.split(' ').map(str::to_owned).collect();
    picture
}

pub(crate) fn way(m: Move) -> Way {
    let held = m.dropped().map(|piece| piece.to_str(Color::Black));
    let from = m.from().map(|square| place(square) as u16);
    Way { from, held, ..Way::onto(place(m.to())) }
}

pub(crate) fn set_up(picture: &Picture, to_move: Side) -> Result<Board, Malformed> {
    picture.expect_size(9, 9)?;
    let mut held = String::new();
    for (side, hand) in [Side::First, Side::Second].into_iter().zip(&picture.hands) {
        for (sign, count) in hand.iter().filter(|(_, count)| *count > 0) {
            let letter = to_letters(&Piece { side, sign: sign.clone() });
            let number = if *count > 1 { count.to_string() } else { String::new() };
            held += &number;
            held += &letter;
        }
    }
    let held = if held.is_empty() { "-" } else { &held };
    let mover = if to_move == Side::First { 'b' } else { 'w' };
    sfen::parse(&format!("{} {mover} {held} 1", picture.to_rows(to_letters)?))
}
