//! Whatever a client says, in whatever order, our engines answer what must be
//! answered, end with the input, and neither panic nor hang.

#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_chess::Chess;
use evalsmith_core::{Game, GameRecord, PlayerError, Position, Protocol, Score};
use evalsmith_go::Go;
use evalsmith_malawi::Malawi;
use evalsmith_othello::Othello;
use evalsmith_protocol::{Budget, Info, Kind, Offered, Sureness, Thinker, Thought, serve};
use evalsmith_shogi::Shogi;
use proptest::prelude::*;
use proptest::sample::select;
use std::io::Cursor;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Plays by the position's key at once; a search without end it ends when told.
struct Quick;

impl<P: Position> Thinker<P> for Quick {
    fn name(&self) -> String {
        "Quick".into()
    }

    fn options(&self) -> Vec<Offered> {
        vec![Offered::new("Hash", Kind::Spin(1, 64)), Offered::new("Function", Kind::Text)]
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), PlayerError> {
        if value == "8" { Ok(()) } else { Err(PlayerError::new("Quick", format!("no {name}"))) }
    }

    fn think(
        &mut self,
        record: &GameRecord<P>,
        budget: &Budget,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(Info<P::Move>),
    ) -> Result<Thought<P::Move>, PlayerError> {
        let moves: Vec<_> = record.position().moves().collect();
        let key = record.position().key() as usize;
        if budget.depth == Some(7) {
            return Err(PlayerError::new("Quick", "it does not like seven"));
        }
        let best = moves[key % moves.len()];
        let time = Duration::from_micros(5);
        tell(Info {
            place: 1,
            depth: 1,
            value: Score(100),
            sureness: Sureness::Estimated,
            nodes: 1,
            time,
            line: vec![best],
        });
        while budget.infinite && !stop.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        Ok(Thought { best: Some(best), value: Some(Score(100)) })
    }
}

fn hear<G: Game>(game: &G, protocol: Protocol, lines: &[String]) -> String {
    let input = Cursor::new(lines.join("\n").into_bytes());
    let mut output = Vec::new();
    serve(game, protocol, &mut Quick, input, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

/// Lines made of a protocol's commands and the words that may follow them, right
/// or wrong, and a few that are neither.
fn stream(
    commands: &'static [&'static str],
    words: &'static [&'static str],
) -> impl Strategy<Value = Vec<String>> {
    let sense = (select(commands), prop::collection::vec(select(words), 0..6))
        .prop_map(|(command, words)| format!("{command} {}", words.join(" ")));
    let line = prop_oneof![
        12 => sense,
        1 => "\\PC{0,40}".prop_filter("no number that GTP answers", |line| {
            !line.trim_start().starts_with(|c: char| c.is_numeric())
        }),
        1 => Just(String::new()),
    ];
    prop::collection::vec(line, 0..40)
}

const UCI: &[&str] = &[
    "uci",
    "isready",
    "ucinewgame",
    "position startpos moves",
    "position fen",
    "position",
    "go",
    "go depth",
    "go infinite",
    "go ponder",
    "go wtime 0 btime 0",
    "go movetime 0",
    "go nodes",
    "stop",
    "ponderhit",
    "setoption name",
    "setoption name MultiPV value",
    "debug",
    "usi",
    "usinewgame",
    "position sfen",
    "go btime 0 wtime 0 byoyomi",
    "go mate",
    "gameover",
    "fly",
];
const UCI_WORDS: &[&str] = &[
    "e2e4",
    "e7e5",
    "g1f3",
    "0000",
    "a1a1",
    "7g7f",
    "3c3d",
    "P*5e",
    "depth",
    "nodes",
    "1",
    "7",
    "-5",
    "99999999999999999999",
    "moves",
    "value",
    "Hash",
    "Function",
    "8",
    "x",
    "searchmoves",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    "infinite",
    "wtime",
    "é",
];
const GTP: &[&str] = &[
    "play",
    "play b",
    "play w",
    "genmove",
    "genmove b",
    "genmove w",
    "reg_genmove b",
    "undo",
    "clear_board",
    "boardsize",
    "komi",
    "time_settings",
    "time_left b",
    "level",
    "final_score",
    "showboard",
    "known_command",
    "list_commands",
    "name",
    "fly",
    "12 genmove black",
    "7 play",
];
const GTP_WORDS: &[&str] = &[
    "b",
    "w",
    "black",
    "white",
    "D3",
    "C3",
    "C4",
    "E5",
    "A1",
    "pass",
    "I5",
    "Z99",
    "9",
    "8",
    "7",
    "0",
    "-1",
    "1e400",
    "99999999999999999999",
    "# said",
    "é",
    "resign",
];
const NBOARD: &[&str] = &[
    "nboard 2",
    "set depth",
    "set game",
    "set contempt",
    "set",
    "move",
    "go",
    "hint",
    "analyze",
    "ping",
    "learn",
    "fly",
];
const NBOARD_WORDS: &[&str] = &[
    "D3",
    "C3",
    "C4",
    "E3",
    "PA",
    "A1",
    "D3/1/2",
    "1",
    "7",
    "60",
    "-1",
    "99999999999",
    "(;",
    ";)",
    "(;GM[Othello]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[D3];)",
    "(;BO[8 ******** ******** ******** ******** ******** ******** ******** ******** O];)",
    "é",
];
const XBOARD: &[&str] = &[
    "xboard",
    "protover 2",
    "new",
    "force",
    "go",
    "playother",
    "usermove",
    "setboard",
    "undo",
    "remove",
    "level",
    "st",
    "sd",
    "time",
    "otim",
    "ping",
    "post",
    "nopost",
    "?",
    "result",
    "option",
    "memory",
    "accepted",
    "hard",
    "draw",
    "e2e4",
    "d2d4",
    "e7e5",
    "fly",
];
const XBOARD_WORDS: &[&str] = &[
    "e2e4",
    "e7e5",
    "g1f3",
    "d7d5",
    "e1g1",
    "1",
    "7",
    "0",
    "-5",
    "40",
    "5:30",
    "0:00",
    "Hash=8",
    "Hash=99",
    "Function=x",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "é",
    "99999999999999999999",
    "1-0",
];

fn count(lines: &[String], word: &str) -> usize {
    lines.iter().filter(|line| line.split_whitespace().next() == Some(word)).count()
}

fn answers(text: &str, start: &str) -> usize {
    text.lines().filter(|line| line.starts_with(start)).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn uci_and_usi(lines in stream(UCI, UCI_WORDS)) {
        for (protocol, text) in [
            (Protocol::Uci, hear(&Chess, Protocol::Uci, &lines)),
            (Protocol::Usi, hear(&Shogi, Protocol::Usi, &lines)),
        ] {
            prop_assert_eq!(answers(&text, "readyok"), count(&lines, "isready"));
            let mates = lines.iter().filter(|line| line.starts_with("go mate")).count();
            let searches =
                count(&lines, "go") - if protocol == Protocol::Usi { mates } else { 0 };
            prop_assert_eq!(answers(&text, "bestmove"), searches, "{}", text);
        }
    }

    #[test]
    fn gtp(lines in stream(GTP, GTP_WORDS)) {
        let asked = |line: &&String| {
            line.split('#').next().unwrap().split_whitespace().next().is_some()
        };
        let expected = lines.iter().filter(asked).count();
        let texts = [
            hear(&Go::new(), Protocol::Gtp, &lines),
            hear(&Othello::new(), Protocol::Gtp, &lines),
            hear(&Malawi, Protocol::Gtp, &lines),
        ];
        for text in texts {
            let blocks: Vec<_> = text.split("\n\n").filter(|block| !block.is_empty()).collect();
            let begun = blocks.iter().filter(|block| block.starts_with(['=', '?'])).count();
            prop_assert_eq!(begun, expected, "{}", text);
        }
    }

    #[test]
    fn nboard(lines in stream(NBOARD, NBOARD_WORDS)) {
        let text = hear(&Othello::new(), Protocol::NBoard, &lines);
        prop_assert_eq!(answers(&text, "pong"), count(&lines, "ping"), "{}", text);
        prop_assert_eq!(answers(&text, "==="), count(&lines, "go"), "{}", text);
    }

    #[test]
    fn xboard(lines in stream(XBOARD, XBOARD_WORDS)) {
        let text = hear(&Chess, Protocol::Xboard, &lines);
        prop_assert_eq!(answers(&text, "pong"), count(&lines, "ping"), "{}", text);
        let moves = answers(&text, "move ");
        let asked = lines.len();
        prop_assert!(moves <= asked, "{moves} moves for {asked} lines");
    }

    /// Bytes of all kinds, `quit` in the middle, and the last line unfinished.
    #[test]
    fn bytes(parts in prop::collection::vec(prop_oneof![
        prop::collection::vec(any::<u8>(), 0..30),
        select(&["\ngo\n", "\nquit\n", "\nstop\n", "\ngenmove b\n", "\nhint 4\n", "\nanalyze\n"][..])
            .prop_map(|line| line.as_bytes().to_vec()),
    ], 0..12)) {
        for protocol in Protocol::ALL {
            let input = Cursor::new(parts.concat());
            let mut output = Vec::new();
            match protocol {
                Protocol::Uci | Protocol::Xboard => {
                    serve(&Chess, protocol, &mut Quick, input, &mut output).unwrap();
                }
                Protocol::Usi => serve(&Shogi, protocol, &mut Quick, input, &mut output).unwrap(),
                Protocol::Gtp => serve(&Go::new(), protocol, &mut Quick, input, &mut output).unwrap(),
                Protocol::NBoard => {
                    serve(&Othello::new(), protocol, &mut Quick, input, &mut output).unwrap();
                }
            }
            prop_assert!(std::str::from_utf8(&output).is_ok());
        }
    }
}
