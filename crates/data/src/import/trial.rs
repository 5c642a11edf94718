//! Trying the readers: what is written is read, and nothing else does harm.

use super::replay::Replay;
use super::script::{Fault, Script};
use super::{InputFormat, Why};
use crate::records::tests::{chess, go, headers, malawi, notes, othello, random_game, shogi};
use crate::source;
use crate::{RecordFormat, write_record};
use evalsmith_core::{Game, GameRecord, Outcome, Position, Side};
use evalsmith_rules::{DynGame, MoveId, Pos};
use proptest::prelude::*;
use std::path::Path;

/// A record that was read and replayed.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) first: Side,
    pub(super) positions: Vec<Pos>,
    pub(super) moves: Vec<MoveId>,
    pub(super) outcome: Option<Outcome>,
    pub(super) values: Vec<(u32, f32)>,
}

/// Reads all records of some bytes.
pub(super) fn read(
    game: &DynGame,
    format: InputFormat,
    bytes: impl Into<Vec<u8>>,
) -> Vec<Result<Read, Fault>> {
    let bytes = bytes.into();
    let most = bytes.len() + 2;
    let Ok(input) = source::unwrap(std::io::Cursor::new(bytes)) else { return Vec::new() };
    let mut reader = format.reader(input, Path::new("no such folder/-"), game);
    let mut replay = Replay::new(game);
    let mut script = Script::new();
    let mut all = Vec::new();
    loop {
        assert!(all.len() <= most, "the reader does not come to an end");
        match reader.next(&mut script) {
            Ok(false) => return all,
            Err(fault) => {
                let lost = fault.rest_is_lost;
                all.push(Err(fault));
                if lost {
                    return all;
                }
            }
            Ok(true) => {
                let outcome = replay.play(&script);
                all.push(outcome.map(|outcome| Read::of(game, &replay, outcome, &script)));
            }
        }
    }
}

impl Read {
    /// Plays the moves of the rows again, and checks the rows and the record by them.
    fn of(game: &DynGame, replay: &Replay<'_>, outcome: Option<Outcome>, script: &Script) -> Self {
        let record = replay.record();
        let first = record.first();
        let (mut positions, mut moves) = (vec![record.positions()[0].clone()], Vec::new());
        for ply in 0..=replay.ply() {
            let position = &positions[ply];
            let (packed, name) = replay.row(ply);
            assert_eq!(packed, game.pack(position, first.after(ply)));
            assert_eq!(name.is_some(), ply < replay.ply());
            if let Some(name) = name {
                let m = game.parse_move(position, &name).unwrap();
                let next = position.play(m);
                moves.push(m);
                positions.push(next);
            }
        }
        assert!(moves.starts_with(record.moves()));
        assert!(positions.starts_with(record.positions()));
        Self { first, positions, moves, outcome, values: script.values().to_vec() }
    }

    /// The moves in the game's notation.
    pub(super) fn names(&self, game: &DynGame) -> Vec<String> {
        let played = self.positions.iter().zip(&self.moves);
        played.map(|(position, &m)| game.format_move(position, m)).collect()
    }
}

/// The only record of some bytes.
pub(super) fn read_one(game: &DynGame, format: InputFormat, text: &str) -> Read {
    let mut all = read(game, format, text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"))
}

/// The only fault of some bytes.
pub(super) fn fault(game: &DynGame, format: InputFormat, bytes: impl Into<Vec<u8>>) -> Fault {
    let mut all = read(game, format, bytes);
    assert_eq!(all.len(), 1);
    all.remove(0).expect_err("a fault")
}

/// Writes two games one after the other and reads them.
fn round_trip(
    game: &DynGame,
    written: RecordFormat,
    format: InputFormat,
    records: &[GameRecord<Pos>],
) {
    let write = |record: &GameRecord<Pos>| {
        let notes = notes(record.ply());
        let between = if written == RecordFormat::Csa { "/\n" } else { "" };
        write_record(game, written, record, &headers(), &notes).unwrap() + between
    };
    let text: String = records.iter().map(write).collect();
    let all = read(game, format, text.as_str());
    assert_eq!(all.len(), records.len(), "{text}");
    for (record, read) in records.iter().zip(all) {
        let read = read.unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
        assert_eq!(read.first, record.first(), "{text}");
        assert_eq!(read.moves, record.moves(), "{text}");
        assert_eq!(read.positions, record.positions(), "{text}");
        if written == RecordFormat::Usi && record.position().outcome().is_none() {
            // A list of moves tells no more than its last position.
            assert_eq!(read.outcome, None, "{text}");
            continue;
        }
        let verdict = |outcome: Option<Outcome>| outcome.map(Outcome::verdict);
        assert_eq!(verdict(read.outcome), verdict(record.outcome_for(Side::First)), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn what_is_written_is_read(seed: u64, skip in 0_usize..24, plies in 0_usize..160) {
        use InputFormat as From;
        use RecordFormat as To;
        let (othello, go, chess, shogi, malawi) = (othello(), go(), chess(), shogi(), malawi());
        let games = |skip| [random_game(&othello, seed, skip, plies), random_game(&othello, seed ^ 1, 0, 200)];
        round_trip(&othello, To::Ggf, From::Ggf, &games(skip));
        round_trip(&othello, To::Pgn, From::Pgn, &games(skip));
        round_trip(&othello, To::Plain, From::Txt, &games(skip));
        round_trip(&othello, To::Sgf, From::Sgf, &games(0));
        let games = [random_game(&go, seed, 0, plies), random_game(&go, seed ^ 1, 0, 400)];
        round_trip(&go, To::Sgf, From::Sgf, &games);
        round_trip(&go, To::Pgn, From::Pgn, &games);
        let games = [random_game(&chess, seed, skip, plies), random_game(&chess, seed ^ 1, 0, 60)];
        round_trip(&chess, To::Pgn, From::Pgn, &games);
        round_trip(&chess, To::Plain, From::Txt, &games);
        let games = [random_game(&shogi, seed, skip, plies), random_game(&shogi, seed ^ 1, 0, 60)];
        round_trip(&shogi, To::Csa, From::Csa, &games);
        round_trip(&shogi, To::Pgn, From::Pgn, &games);
        round_trip(&shogi, To::Usi, From::Usi, &games);
        let games = [random_game(&malawi, seed, skip / 4, plies), random_game(&malawi, seed ^ 1, 0, 99)];
        round_trip(&malawi, To::Plain, From::Txt, &games);
        round_trip(&malawi, To::Pgn, From::Pgn, &games);
    }

    #[test]
    fn positions_are_read_as_they_are_written(seed: u64, plies in 0_usize..70) {
        fn check(game: &DynGame, seed: u64, plies: usize) {
            let record = random_game(game, seed, 0, plies);
            let (position, side) = (record.position(), record.side());
            for (remark, outcome) in [
                ("", None),
                (" 1-0", Some(Outcome::WIN)),
                ("; c9 \"0-1\";", Some(Outcome::LOSS)),
                (" [0.5]", Some(Outcome::DRAW)),
                (" | 12 | 0.0", Some(Outcome::LOSS)),
            ] {
                let line = game.format(position, side) + remark;
                let read = read_one(game, InputFormat::Epd, &line);
                assert_eq!(read.positions, std::slice::from_ref(position), "{line}");
                assert_eq!(read.first, side, "{line}");
                let white = if game.side_names()[0] == "black" { Side::Second } else { Side::First };
                let told = outcome.map(|outcome| outcome.seen_by(white, Side::First));
                if record.position().outcome().is_none() {
                    assert_eq!(read.outcome, told, "{line}");
                }
            }
        }
        check(&othello(), seed, plies);
        check(&go(), seed, plies);
        check(&chess(), seed, plies);
        check(&shogi(), seed, plies);
        check(&malawi(), seed, plies);
    }
}

/// Pieces of which broken records are made.
fn scraps() -> impl Strategy<Value = Vec<u8>> {
    let scrap = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..12),
        "[ \n]".prop_map(String::into_bytes),
        "[a-h][1-8]".prop_map(String::into_bytes),
        "[1-9][a-i][1-9][a-i]\\+? ?".prop_map(String::into_bytes),
        "[+-][0-9]{4}(FU|UM|OU|RY)\n".prop_map(String::into_bytes),
        "[;(){}\\[\\]$.*%/:\"\\\\]{1,3}".prop_map(String::into_bytes),
        prop::sample::select(vec![
            "[Event \"x\"]\n",
            "[Result \"1-0\"]\n",
            "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n",
            "1. e4 e5 ",
            "1-0",
            "1/2-1/2",
            "Nf3",
            "O-O",
            "{[%eval 0.3]}",
            "{[%eval #-3]}",
            "(;GM[1]SZ[9]KM[6.5]",
            "(;GM[Othello]",
            "AB[aa:cc]",
            ";B[ee]",
            ";W[]",
            "RE[B+R]",
            "BO[8 ",
            "B[d3//1]",
            "RE[+2.0:r]",
            "PI\n",
            "P1-KY",
            "P+00AL\n",
            "%TORYO\n",
            "N+a\n",
            "position startpos moves ",
            "sfen ",
            "from ",
            "#moves\twinner\n",
            "\t",
            "X; G8:+18;",
            "--:-127;",
            "---------------------------OX------XO--------------------------- X",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(scrap, 0..40).prop_map(|scraps| scraps.concat())
}

fn survive(game: &DynGame, bytes: &[u8]) {
    for format in InputFormat::ALL.into_iter().filter(|format| format.fits(game)) {
        for read in read(game, format, bytes).into_iter().flatten() {
            assert_eq!(read.positions.len(), read.moves.len() + 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn nothing_read_panics_or_hangs(bytes in scraps()) {
        survive(&othello(), &bytes);
        survive(&go(), &bytes);
        survive(&chess(), &bytes);
        survive(&shogi(), &bytes);
        survive(&malawi(), &bytes);
    }

    #[test]
    fn no_damage_to_a_record_panics_or_hangs(
        seed: u64, at: prop::sample::Index, byte: u8, cut: bool
    ) {
        fn check(game: &DynGame, seed: u64, damage: impl Fn(&mut Vec<u8>)) {
            let record = random_game(game, seed, 0, 50);
            for format in RecordFormat::ALL.into_iter().filter(|format| format.fits(game)) {
                let text = write_record(game, format, &record, &headers(), &[]).unwrap();
                let mut bytes = text.repeat(2).into_bytes();
                damage(&mut bytes);
                survive(game, &bytes);
            }
        }
        let damage = |bytes: &mut Vec<u8>| {
            let at = at.index(bytes.len());
            if cut { bytes.truncate(at) } else { bytes[at] = byte }
        };
        check(&othello(), seed, damage);
        check(&go(), seed, damage);
        check(&chess(), seed, damage);
        check(&shogi(), seed, damage);
    }
}

#[test]
fn a_bad_record_does_not_take_the_next_with_it() {
    let pgn = "[Event \"a\"]\n\n1. e4 ^ e5 1-0\n\n[Event \"b\"]\n\n1. e4 e4 1-0\n\n\
               [Event \"c\"]\n[Result \"0-1\"]\n\n1. d4 *\n";
    let read = read(&chess(), InputFormat::Pgn, pgn);
    let whys: Vec<_> = read.iter().map(|read| read.as_ref().map_err(|f| f.why).err()).collect();
    assert_eq!(whys, [Some(Why::Malformed), Some(Why::Illegal), None]);
}
