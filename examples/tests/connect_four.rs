//! Connect Four by the conformance kit, against rules on a two-dimensional array.

#[path = "../connect_four.rs"]
#[expect(dead_code, reason = "the program's main is not called here")]
mod connect_four;

use connect_four::{Board, ConnectFour};
use evalsmith::prelude::*;

/// The discs by column, from the bottom up, and who moves.
fn columns_of(board: &Board) -> ([Vec<char>; 7], char) {
    // The side argument names the discs; the count of discs tells the side.
    let discs = ConnectFour.format(board, Side::First).chars().filter(|&c| c != '/').count();
    let side = Side::First.after(discs);
    let text = ConnectFour.format(board, side);
    let columns: Vec<Vec<char>> = text.split('/').map(|column| column.chars().collect()).collect();
    let columns = columns.try_into().expect("seven columns");
    (columns, if side == Side::First { 'x' } else { 'o' })
}

fn four_in_line(columns: &[Vec<char>; 7]) -> bool {
    let disc = |c: i32, r: i32| {
        let column = columns.get(usize::try_from(c).ok()?)?;
        column.get(usize::try_from(r).ok()?).copied()
    };
    let line = |c, r, right, up| {
        let owner = disc(c, r);
        owner.is_some() && (1..4).all(|i| disc(c + i * right, r + i * up) == owner)
    };
    (0..7).any(|c| {
        (0..6).any(|r| [(0, 1), (1, 0), (1, 1), (1, -1)].iter().any(|&(x, y)| line(c, r, x, y)))
    })
}

fn slow_successors(columns: &[Vec<char>; 7], mover: char) -> Vec<(u8, [Vec<char>; 7])> {
    let mut found = Vec::new();
    if !four_in_line(columns) {
        for (c, column) in (0_u8..).zip(columns) {
            if column.len() < 6 {
                let mut next = columns.clone();
                next[usize::from(c)].push(mover);
                found.push((c, next));
            }
        }
    }
    found
}

fn successors(board: &Board) -> Vec<(u8, Board)> {
    let (columns, mover) = columns_of(board);
    let read = |columns: [Vec<char>; 7]| {
        let text = columns.map(String::from_iter).join("/");
        ConnectFour.parse(&text).expect("the slow rules reach positions").0
    };
    slow_successors(&columns, mover).into_iter().map(|(c, next)| (c, read(next))).collect()
}

#[test]
fn connect_four_keeps_the_promises_of_a_game() {
    conformance::Kit::of(ConnectFour).against(successors).run();
    conformance::check_features(&ConnectFour, 100);
}

/// Seven to the seventh less the seven full columns; then the 13032 games that
/// the first player has won by the seventh disc are leaves for good, beside the
/// 5673234 positions of eight discs.
#[test]
fn perft_is_as_published() {
    let start = ConnectFour.start();
    let counted: Vec<u64> = (1..=8).map(|depth| perft_by_bulk(&start, depth)).collect();
    assert_eq!(counted, [7, 49, 343, 2401, 16807, 117_649, 823_536, 5_673_234 + 13_032]);
}

#[test]
fn broken_positions_are_refused() {
    let longest = "xoxoxo/".repeat(6) + "xoxoxo";
    assert!(ConnectFour.parse(&longest).is_ok());
    for text in [
        "",
        "//",
        "//////x/",
        "////////////////////x",
        "oo//////",
        "xx//////",
        "q//////",
        "xoxoxox//////",
        "é//////",
    ] {
        assert!(ConnectFour.parse(text).is_err(), "{text:?} was read");
    }
}
