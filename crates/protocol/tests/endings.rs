//! Every search is answered, also when `quit` or the end of the input follows at once,
//! as it does when commands come from a file.

#![expect(clippy::unwrap_used, reason = "tests")]

use evalsmith_chess::Chess;
use evalsmith_core::{Game, GameRecord, PlayerError, Position, Protocol, Score};
use evalsmith_go::Go;
use evalsmith_othello::Othello;
use evalsmith_protocol::{Budget, Info, Thinker, Thought, serve};
use evalsmith_shogi::Shogi;
use std::io::Cursor;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Long enough for all lines of a test to be heard before a search ends.
const SEARCH: Duration = Duration::from_millis(100);

/// Plays the last move after a whole search, the first after one that was stopped.
struct Slow;

impl<P: Position> Thinker<P> for Slow {
    fn name(&self) -> String {
        "Slow".into()
    }

    fn think(
        &mut self,
        record: &GameRecord<P>,
        budget: &Budget,
        stop: &AtomicBool,
        _tell: &mut dyn FnMut(Info<P::Move>),
    ) -> Result<Thought<P::Move>, PlayerError> {
        let begun = Instant::now();
        let moves = record.position().moves();
        while budget.infinite || begun.elapsed() < SEARCH {
            if stop.load(Ordering::Relaxed) {
                let mut moves = moves;
                return Ok(Thought { best: moves.next(), value: Some(Score(-100)) });
            }
            sleep(Duration::from_millis(1));
        }
        Ok(Thought { best: moves.last(), value: Some(Score(100)) })
    }
}

fn hear<G: Game>(game: &G, protocol: Protocol, lines: &str) -> String {
    let mut output = Vec::new();
    let input = Cursor::new(lines.to_owned().into_bytes());
    serve(game, protocol, &mut Slow, input, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

fn count(text: &str, start: &str) -> usize {
    text.lines().filter(|line| line.starts_with(start)).count()
}

/// The start's first and last move as the protocol writes them.
fn moves<G: Game>(game: &G, protocol: Protocol) -> [String; 2] {
    let (start, dialect) = (game.start(), game.dialect(protocol).unwrap());
    let moves: Vec<_> = start.moves().collect();
    [moves[0], moves[moves.len() - 1]].map(|m| dialect.format_move(&start, m))
}

#[test]
fn quit_behind_a_search_leaves_its_answer() {
    let uci = hear(&Chess, Protocol::Uci, "position startpos\ngo depth 3\nquit\n");
    assert_eq!(count(&uci, "bestmove "), 1, "{uci}");
    let usi = hear(&Shogi, Protocol::Usi, "position startpos\ngo byoyomi 9000\nquit\n");
    assert_eq!(count(&usi, "bestmove "), 1, "{usi}");
    let xboard = hear(&Chess, Protocol::Xboard, "new\nsd 3\ngo\nquit\n");
    assert_eq!(count(&xboard, "move "), 1, "{xboard}");
    let nboard = hear(&Othello::new(), Protocol::NBoard, "go\nquit\n");
    assert_eq!(count(&nboard, "=== "), 1, "{nboard}");
}

#[test]
fn quit_stops_searches_without_limits_and_those_behind_them() {
    for tail in ["quit\n", "position startpos\ngo infinite\nposition startpos\nquit\n"] {
        let lines = format!("go infinite\n{tail}");
        let text = hear(&Chess, Protocol::Uci, &lines);
        assert_eq!(count(&text, "bestmove "), count(&lines, "go"), "{text}");
    }
}

#[test]
fn the_end_of_the_input_lets_a_search_with_limits_finish() {
    let [_, whole] = moves(&Chess, Protocol::Uci);
    let text = hear(&Chess, Protocol::Uci, "go depth 3\nposition startpos\ngo nodes 9\n");
    assert_eq!(count(&text, &format!("bestmove {whole}")), 2, "{text}");
    let text = hear(&Chess, Protocol::Xboard, "new\nsd 3\ngo\n");
    assert_eq!(count(&text, &format!("move {whole}")), 1, "{text}");
    let [_, whole] = moves(&Othello::new(), Protocol::NBoard);
    let text = hear(&Othello::new(), Protocol::NBoard, "go\n");
    assert_eq!(count(&text, &format!("=== {whole}/")), 1, "{text}");
}

#[test]
fn the_end_of_the_input_stops_a_search_without_limits() {
    let [stopped, _] = moves(&Chess, Protocol::Uci);
    let text = hear(&Chess, Protocol::Uci, "go infinite\nposition startpos\ngo infinite\n");
    assert_eq!(count(&text, &format!("bestmove {stopped}")), 2, "{text}");
}

/// GTP answers a command before it carries out the next, so nothing cuts a move short.
#[test]
fn in_gtp_nothing_overtakes_a_move() {
    for game in ["go", "othello"] {
        for tail in ["quit\n", "2 name\n3 quit\n", "2 clear_board\n", ""] {
            let lines = format!("time_settings 60 0 0\n1 genmove b\n{tail}");
            let (text, whole) = if game == "go" {
                (hear(&Go::new(), Protocol::Gtp, &lines), moves(&Go::new(), Protocol::Gtp))
            } else {
                let game = Othello::new();
                (hear(&game, Protocol::Gtp, &lines), moves(&game, Protocol::Gtp))
            };
            assert!(text.starts_with(&format!("=\n\n=1 {}\n\n", whole[1])), "{text}");
            assert_eq!(count(&text, "="), lines.lines().count(), "{text}");
        }
    }
}
