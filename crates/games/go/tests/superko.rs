//! What history forbids, in whole records; and positions people know by name.

#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_core::{Game, GameRecord, Position, Reason, Side};
use evalsmith_go::{Board, Go};

/// Above every margin that counting can give with a komi of 7.
const FORFEIT: i16 = 2 * 81 + 14 + 1;

/// The record of these moves, all of which must be legal.
fn play(start: &str, moves: &str) -> GameRecord<Board> {
    let go = Go::new();
    let (board, side) = go.parse(start).unwrap();
    let mut record = GameRecord::new(board, side, go.max_plies());
    for name in moves.split_whitespace() {
        let m = go.parse_move(record.position(), name).unwrap();
        record.play(m).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    record
}

fn ending_for(record: &GameRecord<Board>, side: Side) -> Option<(Reason, i16)> {
    let ending = record.ending()?;
    Some((ending.reason, record.outcome_for(side)?.margin()))
}

fn is_legal(record: &GameRecord<Board>, name: &str) -> bool {
    Go::new().parse_move(record.position(), name).is_ok()
}

#[test]
fn a_ko_is_taken_back_after_a_threat() {
    let ko = "9/9/9/9/3XO4/2XO1O3/3XO4/9/9 b - 0";
    let record = play(ko, "E4");
    assert_eq!(record.position().ko().map(|p| p.to_string()).as_deref(), Some("D4"));
    assert!(!is_legal(&record, "D4"));
    let fought = play(ko, "E4 A1 A9 D4 J1 J9 E4");
    assert_eq!(fought.ending(), None);
    assert!(!is_legal(&fought, "D4"), "a new ko");
    let lifted = play(ko, "E4 pass J9");
    assert!(is_legal(&lifted, "D4"), "the board has changed since");
}

#[test]
fn a_pass_repeats_nothing() {
    let record = play("9/9/9/9/9/9/9/9/9 b - 0", "E5 pass D4 pass C3 pass");
    assert_eq!(record.ending(), None);
    let ended = play("9/9/9/9/9/9/9/9/9 b - 0", "E5 pass pass");
    assert_eq!(ending_for(&ended, Side::First), Some((Reason::Rules, 2 * 81 - 14)));
}

#[test]
fn sending_two_returning_one_loses() {
    let start = "9/9/9/9/9/9/9/OOXXX4/O1O1X4";
    let white_first = play(&format!("{start} w - 0"), "D1 B1 C1");
    assert_eq!(ending_for(&white_first, Side::Second), Some((Reason::Repetition, -FORFEIT)));
    assert_eq!(white_first.position().ko(), None, "no plain ko: the position allows it");
    let after_a_pass = play(&format!("{start} b - 0"), "pass D1 B1 C1");
    assert_eq!(ending_for(&after_a_pass, Side::Second), Some((Reason::Repetition, -FORFEIT)));
    let with_a_threat = play(&format!("{start} w - 0"), "D1 B1 J9 J1 C1");
    assert_eq!(with_a_threat.ending(), None);
    let declined = play(&format!("{start} w - 0"), "D1 B1 pass C1");
    assert_eq!(declined.ending(), None);
}

#[test]
fn a_triple_ko_ends_with_the_sixth_capture() {
    let start = "XO1O5/1XO6/9/9/9/9/9/1XO3XO1/X1XO1X1XO w - 0";
    let record = play(start, "B1 C9 G1 C1 B9");
    assert_eq!(record.ending(), None);
    let closed = play(start, "B1 C9 G1 C1 B9 H1");
    assert_eq!(closed.position().to_move(), Side::Second, "the same side is to move again");
    assert_eq!(ending_for(&closed, Side::First), Some((Reason::Repetition, -FORFEIT)));
}

#[test]
fn suicide_is_no_move_unless_it_captures() {
    let one = play("9/9/9/9/9/9/9/X8/1X7 w - 0", "");
    assert!(!is_legal(&one, "A1"));
    let two = play("9/9/9/9/9/9/X8/OX7/1X7 w - 0", "");
    assert!(!is_legal(&two, "A1"), "of several stones too");
    let capture = play("9/9/9/9/9/9/O8/XO7/1XO6 w - 0", "A1");
    let stones = Go::new().format(capture.position(), Side::First);
    assert_eq!(stones, "9/9/9/9/9/9/O8/1O7/O1O6 b - 0");
}

#[test]
fn in_seki_who_moves_loses_and_shared_liberties_are_nobodys() {
    let (outer, low, high) = ("XXXX1OOOO", "XXXXXOOOO", "XXXXOOOOO");
    let rows = [outer, high, high, high, low, low, low, low, outer].join("/");
    let [black, white] = [40, 39];
    let left_alone = play(&format!("{rows} b - 0"), "pass pass");
    assert_eq!(
        ending_for(&left_alone, Side::First),
        Some((Reason::Rules, 2 * (black - white) - 14))
    );
    let started = play(&format!("{rows} b - 0"), "E1 E9 pass pass");
    assert_eq!(ending_for(&started, Side::First), Some((Reason::Rules, -2 * 81 - 14)));
}

#[test]
fn the_forfeit_is_above_every_count() {
    for komi in [-128, -15, 0, 14, 15, 127] {
        let go = Go::with_komi(komi);
        let won = go.parse("9/9/9/9/4X4/9/9/9/9 b - 2").unwrap().0.outcome().unwrap();
        let lost = go.parse("9/9/9/9/4X4/9/9/9/9 w - 2").unwrap().0.outcome().unwrap();
        let board = go.start();
        let forfeit = board.repeated(&[board.key()]).unwrap();
        assert!(forfeit > won && forfeit > -lost && forfeit > -won && forfeit > lost, "{komi}");
        assert_eq!(board.repeated(&[]), None);
    }
}
