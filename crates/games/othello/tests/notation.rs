//! Moves, transcripts, boards and packed boards, as people and programs write them.

use evalsmith_core::{Game, Position, Side};
use evalsmith_othello::{Board, Move, Othello, Portable};
use proptest::prelude::*;
use rand::RngExt;

const GAME: Othello<Portable> = Othello::new();

#[test]
fn moves_are_read_in_any_case() {
    let start = GAME.start();
    for text in ["f5", "F5", " f5 "] {
        assert_eq!(GAME.parse_move(&start, text), Ok(Move(37)));
    }
    for text in ["f4", "i1", "f", "", "pass", "f55", "fünf"] {
        assert!(GAME.parse_move(&start, text).is_err(), "{text}");
    }
    let message = GAME.parse_move(&start, "f4").expect_err("malformed").to_string();
    assert!(message.contains("d3 c4 f5 e6"), "{message}");
}

#[test]
fn passes_are_read_as_people_write_them() {
    let (board, _) = GAME.parse(&format!("OX{} O", "-".repeat(62))).expect("a board");
    for text in ["pass", "PASS", "pa", "PA", "--"] {
        assert!(GAME.parse_move(&board, text).is_err(), "O can play c1");
        assert_eq!(GAME.parse_move(&board.passed(), text), Ok(Move::PASS));
    }
}

#[test]
fn a_transcript_names_what_is_wrong_and_where() {
    for (text, words) in [
        ("f5f5", ["f5", "ply 2"]),
        ("f5d6x9", ["x9", "ply 3"]),
        ("f5 d6 c", ["\"c\"", "ply 3"]),
        ("pass", ["pass", "ply 1"]),
    ] {
        let message = GAME.parse_transcript(text).expect_err("malformed").to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
}

#[test]
fn boards_are_read_in_every_dialect() {
    let obf = "---------------------------OX------XO--------------------------- X";
    let expected = Ok((GAME.start(), Side::First));
    assert_eq!(GAME.format(&GAME.start(), Side::First), obf);
    for text in [
        obf.to_owned(),
        format!("{obf}; d3:+0; c4:+0"),
        format!("  {obf} ;"),
        obf.replace('-', ".").replace('X', "*"),
        obf.replace('X', "b").replace('O', "w"),
        obf.replace(" X", "X"),
    ] {
        assert_eq!(GAME.parse(&text), expected, "{text}");
    }
    for (text, word) in [
        ("", "0 squares"),
        ("---X", "4 squares"),
        (&obf[..65], "side to move"),
        (&obf.replace(" X", " Q"), "\"Q\""),
        (&obf.replacen('-', "?", 1), "a1"),
        (&format!("{obf} X"), "side to move"),
    ] {
        let message = GAME.parse(text).expect_err("malformed").to_string();
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn white_to_move_sees_white_as_its_own() {
    let (board, side) = GAME.parse(&format!("XO{} O", "-".repeat(62))).expect("a board");
    assert_eq!((board.own(), board.opp(), side), (2, 1, Side::Second));
}

#[test]
fn a_drawn_board_shows_moves_and_counts() {
    let expected = "  a b c d e f g h
1 - - - - - - - -
2 - - - - - - - -
3 - - - . - - - -
4 - - . O X - - -
5 - - - X O . - -
6 - - - - . - - -
7 - - - - - - - -
8 - - - - - - - -
X Black 2, O White 2; Black to move
";
    assert_eq!(GAME.draw(&GAME.start(), Side::First), expected);
    let (stuck, side) = GAME.parse(&format!("OX{} X", "-".repeat(62))).expect("a board");
    assert!(GAME.draw(&stuck, side).ends_with("X Black 1, O White 1; Black must pass\n"));
    let (over, side) = GAME.parse(&format!("OO{} X", "-".repeat(62))).expect("a board");
    assert!(GAME.draw(&over, side).ends_with("X Black 0, O White 2; game over\n"));
}

#[test]
fn packed_boards_are_checked() {
    let packed = GAME.pack(&GAME.start(), Side::Second);
    assert_eq!(packed.len(), 17);
    let mut overlapping = packed.clone();
    overlapping[..8].fill(255);
    let mut sideless = packed.clone();
    sideless[16] = 2;
    for (bytes, word) in [
        (&packed[..16], "17 bytes"),
        (&[0; 18], "17 bytes"),
        (&[], "17 bytes"),
        (&overlapping, "two discs"),
        (&sideless, "last byte"),
    ] {
        let message = GAME.unpack(bytes).expect_err("malformed").to_string();
        assert!(message.contains(word), "{message}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in ".{0,160}") {
        let _ = GAME.parse(&text);
        let _ = GAME.parse_transcript(&text);
        let _ = GAME.parse_move(&GAME.start(), &text);
        let _ = GAME.unpack(text.as_bytes());
    }

    #[test]
    fn nearly_right_text_does_not_either(text in "[-XOxo.*; é]{60,70}", moves in "([a-h][1-8]|pa|--| |é){0,40}") {
        let _ = GAME.parse(&text);
        let _ = GAME.parse_transcript(&moves);
    }

    #[test]
    fn any_board_round_trips(a in any::<u64>(), b in any::<u64>(), first in any::<bool>()) {
        let board = Board::new(a, b & !a, Portable).expect("disjoint");
        let side = if first { Side::First } else { Side::Second };
        prop_assert_eq!(GAME.parse(&GAME.format(&board, side)), Ok((board, side)));
        prop_assert_eq!(GAME.unpack(&GAME.pack(&board, side)), Ok((board, side)));
    }

    #[test]
    fn whole_games_round_trip_with_and_without_passes(seed in any::<u64>()) {
        let mut random = evalsmith_core::rng::stream(seed, "transcripts", 0);
        let mut board = GAME.start();
        let mut played = Vec::new();
        while board.outcome().is_none() {
            let moves: Vec<_> = board.moves().collect();
            let m = moves[random.random_range(0..moves.len())];
            board = board.play(m);
            played.push(m);
        }
        let brief = GAME.format_transcript(&played);
        let full: Vec<_> = played.iter().map(Move::to_string).collect();
        for text in [brief, full.concat().to_uppercase(), full.join(" ")] {
            let record = GAME.parse_transcript(&text).expect("a legal game");
            prop_assert_eq!(record.moves(), &played[..]);
        }
    }
}
