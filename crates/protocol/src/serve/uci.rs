//! UCI, and USI, which differs in a few words: the engine's end.
//!
//! An infinite search, and one on the opponent's time, answers only once it is
//! stopped, however early it is through. What is not understood is answered by an
//! `info string` and otherwise passed over, as the protocol demands. After a position
//! that was refused there is nothing to search: `go` answers that there is no move,
//! until a valid position comes.

use super::session::{Desk, Heard, MoveOf, Order, Session, Table, centipawns, shorten};
use super::{Info, Thought};
use crate::budget::{Budget, Clocks, from_milliseconds, milliseconds};
use crate::options::{Kind, choose};
use evalsmith_core::{Game, GameRecord, Malformed, PlayerError, Protocol, Score};

/// The option that says how many of the best moves to tell of.
const MULTI_PV: &str = "MultiPV";
/// More moves than any game has.
const MOST_LINES: usize = 1000;

/// The words in which UCI and USI differ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) protocol: Protocol,
    pub(super) hello: &'static str,
    pub(super) hello_back: &'static str,
    pub(super) new_game: &'static str,
    pub(super) position: &'static str,
    pub(super) clocks: [&'static str; 2],
    pub(super) increments: [&'static str; 2],
    /// The answer where there is no move.
    pub(super) no_move: &'static str,
}

const UCI: Words = Words {
    protocol: Protocol::Uci,
    hello: "uci",
    hello_back: "uciok",
    new_game: "ucinewgame",
    position: "fen",
    clocks: ["wtime", "btime"],
    increments: ["winc", "binc"],
    no_move: "0000",
};

/// The state of an engine that speaks UCI or USI.
pub(super) struct Uci<G: Game> {
    words: Words,
    table: Table<G>,
    search: Search,
    /// The best moves to tell of.
    lines: usize,
    /// Whether the last position was refused.
    refused: bool,
    /// Whether no `stop` can come any more.
    ended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Search {
    Idle,
    /// Thinking; the answer is given at once.
    Going,
    /// Thinking; the answer waits for a stop.
    Open,
    /// Through; the answer waits for a stop.
    Held(String),
}

impl<G: Game> Uci<G> {
    pub(super) fn new(table: Table<G>) -> Self {
        Self::with(UCI, table)
    }

    pub(super) fn with(words: Words, table: Table<G>) -> Self {
        Self { words, table, search: Search::Idle, lines: 1, refused: false, ended: false }
    }

    fn introduce(&self, desk: &mut Desk<G::Position>) {
        desk.say(&format!("id name {}", self.table.name));
        desk.say("id author the evalsmith authors");
        for option in &self.table.options {
            let default = &option.default;
            let kind = match &option.kind {
                Kind::Check => format!("check default {default}"),
                Kind::Spin(low, high) => format!("spin default {default} min {low} max {high}"),
                Kind::Combo(values) => {
                    let values: Vec<_> = values.iter().map(|v| format!(" var {v}")).collect();
                    format!("combo default {default}{}", values.concat())
                }
                Kind::Button => "button".to_owned(),
                Kind::Text if default.is_empty() => "string default <empty>".to_owned(),
                Kind::Text => format!("string default {default}"),
            };
            desk.say(&format!("option name {} type {kind}", option.name));
        }
        desk.say(&format!("option name {MULTI_PV} type spin default 1 min 1 max {MOST_LINES}"));
        desk.say(self.words.hello_back);
    }

    fn set_option(&mut self, rest: &str, desk: &mut Desk<G::Position>) {
        let rest = rest.trim().strip_prefix("name ").unwrap_or(rest);
        let (name, value) = rest.split_once(" value ").unwrap_or((rest, ""));
        let (name, value) = (shorten(name.trim()), value.trim());
        // Clients set these unasked.
        if ["USI_Ponder", "Ponder"].contains(&name) {
            return;
        }
        let name = if name == "USI_Hash" { "Hash" } else { name };
        if name.eq_ignore_ascii_case(MULTI_PV) {
            match value.parse() {
                Ok(lines @ 1..=MOST_LINES) => self.lines = lines,
                _ => {
                    desk.say(&format!("info string {MULTI_PV} is a number from 1 to {MOST_LINES}"));
                }
            }
            return;
        }
        match choose(&self.table.options, name, value) {
            Ok(option) => desk.order(Order::SetOption(option.name.clone(), value.to_owned())),
            Err(fault) => desk.say(&format!("info string {fault}")),
        }
    }

    fn read_position(&self, rest: &str) -> Result<GameRecord<G::Position>, Malformed> {
        let (begin, moves) = match rest.split_once("moves") {
            Some((begin, moves)) => (begin.trim(), moves),
            None => (rest.trim(), ""),
        };
        let mut record = if begin == "startpos" {
            self.table.begin()
        } else if let Some(text) = begin.strip_prefix(self.words.position) {
            self.table.set_up(text.trim())?
        } else {
            let reason = format!("write startpos, or {} and a position", self.words.position);
            return Err(Malformed::new("position", begin, reason));
        };
        for text in moves.split_ascii_whitespace() {
            self.table.play(&mut record, text)?;
        }
        Ok(record)
    }

    fn set_position(&mut self, rest: &str, desk: &mut Desk<G::Position>) {
        let read = self.read_position(rest);
        self.refused = read.is_err();
        match read {
            Ok(record) => self.table.record = record,
            Err(malformed) => desk.say(&format!("info string {malformed}")),
        }
    }

    fn go(&mut self, rest: &str, desk: &mut Desk<G::Position>) {
        let (budget, waits) = read_go(&self.words, rest);
        self.search = if waits { Search::Open } else { Search::Going };
        if self.refused {
            desk.say("info string the last position was refused; send a valid one before go");
        }
        match self.table.to_think_on().filter(|_| !self.refused) {
            Some(record) if self.lines > 1 => desk.order(Order::Rank(record, self.lines, budget)),
            Some(record) => desk.order(Order::Think(record, budget)),
            None => self.answer(format!("bestmove {}", self.words.no_move), desk),
        }
        if self.ended {
            self.end_input(desk);
        }
    }

    fn answer(&mut self, line: String, desk: &mut Desk<G::Position>) {
        if self.search == Search::Open {
            self.search = Search::Held(line);
        } else {
            self.search = Search::Idle;
            desk.say(&line);
        }
    }

    fn stop(&mut self, desk: &mut Desk<G::Position>) {
        match std::mem::replace(&mut self.search, Search::Idle) {
            Search::Held(line) => desk.say(&line),
            Search::Open | Search::Going => {
                self.search = Search::Going;
                desk.order(Order::Stop);
            }
            Search::Idle => {}
        }
    }
}

impl<G: Game> Session<G> for Uci<G> {
    fn hear(&mut self, line: &str, desk: &mut Desk<G::Position>) -> Heard {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word {
            "" | "debug" | "register" | "gameover" => {}
            "isready" => desk.say("readyok"),
            "stop" | "ponderhit" => self.stop(desk),
            "quit" if self.search == Search::Idle => return Heard::Quit,
            "quit" => {
                self.ended = true;
                self.stop(desk);
                return Heard::Leaving;
            }
            "go" if rest.trim_start().starts_with("mate")
                && self.words.protocol == Protocol::Usi =>
            {
                desk.say("checkmate notimplemented");
            }
            _ if word == self.words.hello => self.introduce(desk),
            "setoption" | "position" | "go" if self.search != Search::Idle => return Heard::Later,
            _ if word == self.words.new_game && self.search != Search::Idle => return Heard::Later,
            _ if word == self.words.new_game => {
                self.table.record = self.table.begin();
                self.refused = false;
                desk.order(Order::NewGame);
            }
            "setoption" => self.set_option(rest, desk),
            "position" => self.set_position(rest, desk),
            "go" => self.go(rest, desk),
            _ => desk.say(&format!("info string unknown command {:?}", shorten(word))),
        }
        Heard::Done
    }

    fn end_input(&mut self, desk: &mut Desk<G::Position>) {
        self.ended = true;
        if matches!(self.search, Search::Open | Search::Held(_)) {
            self.stop(desk);
        }
    }

    fn inform(&mut self, info: &Info<MoveOf<G>>, desk: &mut Desk<G::Position>) {
        let time = milliseconds(info.time);
        let rate = (info.nodes as f64 / info.time.as_secs_f64().max(1e-6)) as u64;
        let line = self.table.format_line(&info.line, " ");
        let value = write_value(info.value, info.line.len());
        let place = if self.lines > 1 { format!(" multipv {}", info.place) } else { String::new() };
        desk.say(&format!(
            "info depth {}{place} score {value} nodes {} nps {rate} time {time} pv {line}",
            info.depth, info.nodes
        ));
    }

    fn complain(&mut self, error: &PlayerError, desk: &mut Desk<G::Position>) {
        desk.say(&format!("info string {error}"));
    }

    fn conclude(
        &mut self,
        thought: Result<Thought<MoveOf<G>>, PlayerError>,
        desk: &mut Desk<G::Position>,
    ) {
        let best = thought.unwrap_or_else(|error| {
            desk.say(&format!("info string {error}"));
            Thought { best: None, value: None }
        });
        let text = best.best.map(|m| self.table.format_move(m));
        let text = text.as_deref().unwrap_or(self.words.no_move);
        self.answer(format!("bestmove {text}"), desk);
    }
}

/// A decided game is a mate at the end of its line, where there is one.
fn write_value(value: Score, plies: usize) -> String {
    match plies.div_ceil(2) {
        moves @ 1.. if value.is_decisive() => {
            format!("mate {}{moves}", if value.0 < 0 { "-" } else { "" })
        }
        _ => format!("cp {}", centipawns(value)),
    }
}

/// The limits, and whether the answer waits for a stop.
fn read_go(words: &Words, rest: &str) -> (Budget, bool) {
    let mut budget = Budget::default();
    let mut clocks = Clocks::default();
    let (mut clocked, mut waits) = (false, false);
    let mut tokens = rest.split_ascii_whitespace().peekable();
    while let Some(word) = tokens.next() {
        let side = |keys: &[&str; 2]| keys.iter().position(|key| *key == word);
        match word {
            "infinite" => budget.infinite = true,
            "ponder" => waits = true,
            _ => {
                let Some(value) = tokens.peek().copied() else { break };
                if let Some(side) = side(&words.clocks) {
                    clocked |=
                        from_milliseconds(value).map(|t| clocks.remaining[side] = t).is_some();
                } else if let Some(side) = side(&words.increments) {
                    clocks.increment[side] = from_milliseconds(value).unwrap_or_default();
                } else {
                    match word {
                        "depth" => budget.depth = value.parse().ok(),
                        "nodes" => budget.nodes = value.parse().ok(),
                        "movetime" => budget.move_time = from_milliseconds(value),
                        "movestogo" => clocks.moves_to_go = value.parse().ok(),
                        "byoyomi" => {
                            clocked |=
                                from_milliseconds(value).map(|t| clocks.byoyomi = t).is_some();
                        }
                        // `searchmoves` and `mate` are wishes we do not know.
                        _ => continue,
                    }
                }
                tokens.next();
            }
        }
    }
    budget.clocks = clocked.then_some(clocks);
    budget.infinite |= waits || budget == Budget::default();
    waits |= budget.infinite;
    (budget, waits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_core::Side;
    use evalsmith_shogi::Shogi;
    use proptest::prelude::*;
    use std::time::Duration;

    pub(in crate::serve) fn session() -> Uci<Chess> {
        let dialect = Chess.dialect(Protocol::Uci).unwrap();
        let options = vec![crate::Offered::new("Hash", Kind::Spin(1, 8)).holding("4")];
        Uci::new(Table::new(Chess, dialect, "Ours".into(), options))
    }

    fn say(uci: &mut Uci<Chess>, line: &str) -> (String, Vec<Order<<Chess as Game>::Position>>) {
        let mut desk = Desk::new();
        uci.hear(line, &mut desk);
        (desk.lines, desk.orders.into())
    }

    #[test]
    fn it_introduces_itself() {
        let (lines, _) = say(&mut session(), "uci");
        assert!(lines.starts_with("id name Ours\n") && lines.ends_with("\nuciok\n"), "{lines}");
        assert!(lines.contains("option name Hash type spin default 4 min 1 max 8\n"));
        assert_eq!(say(&mut session(), "isready").0, "readyok\n");
    }

    #[test]
    fn positions_are_set_up_or_refused() {
        let mut uci = session();
        say(&mut uci, "position startpos moves e2e4 e7e5");
        assert_eq!(uci.table.record.ply(), 2);
        let (lines, _) = say(&mut uci, "position startpos moves e2e5");
        assert!(lines.starts_with("info string") && lines.contains("e2e5"), "{lines}");
        say(&mut uci, "position fen 4k3/8/8/8/8/8/4P3/4K3 b - - 0 1 moves e8d7");
        assert_eq!((uci.table.record.first(), uci.table.record.ply()), (Side::Second, 1));
        for broken in ["position", "position fen", "position fen x moves", "position moves e2e4"] {
            assert!(say(&mut uci, broken).0.starts_with("info string"), "{broken}");
        }
        let around = "g1f3 g8f6 f3g1 f6g8 ".repeat(4);
        say(&mut uci, &format!("position startpos moves {around}e2e4"));
        assert_eq!(uci.table.record.side(), Side::Second, "repetitions nobody claimed");
    }

    #[test]
    fn limits_are_read() {
        let second = Duration::from_secs(1);
        let read = |text| read_go(&UCI, text);
        assert_eq!(read("depth 5 nodes 9"), (Budget { nodes: Some(9), ..Budget::depth(5) }, false));
        assert_eq!(read("movetime 1000"), (Budget::move_time(second), false));
        assert_eq!(read("infinite"), (Budget::infinite(), true));
        assert_eq!(read(""), (Budget::infinite(), true));
        let clocks = Clocks {
            remaining: [second, 2 * second],
            increment: [second / 2, second / 4],
            moves_to_go: Some(3),
            ..Clocks::default()
        };
        let text = "searchmoves e2e4 d2d4 wtime 1000 btime 2000 winc 500 binc 250 movestogo 3";
        assert_eq!(read(text), (Budget::clocks(clocks.clone()), false));
        let byoyomi = Clocks { byoyomi: second, ..Clocks::default() };
        assert_eq!(read("byoyomi 1000"), (Budget::clocks(byoyomi), false));
        let (budget, waits) = read(&format!("ponder {text}"));
        assert!(waits && budget.infinite && budget.clocks == Some(clocks));
    }

    #[test]
    fn an_infinite_search_answers_when_it_is_stopped() {
        let mut uci = session();
        let (_, orders) = say(&mut uci, "go infinite");
        assert!(matches!(orders[..], [Order::Think(..)]));
        let m = Chess.parse_move(&Chess.start(), "e4").unwrap();
        let mut desk = Desk::new();
        uci.conclude(Ok(Thought { best: Some(m), value: None }), &mut desk);
        assert_eq!(desk.lines, "");
        assert_eq!(uci.hear("position startpos", &mut desk), Heard::Later);
        assert_eq!(say(&mut uci, "isready").0, "readyok\n");
        assert_eq!(say(&mut uci, "stop").0, "bestmove e2e4\n");
        assert_eq!(say(&mut uci, "stop").0, "");
    }

    #[test]
    fn after_a_refused_position_there_is_nothing_to_search() {
        let usi = |lines: &[&str]| {
            let dialect = Shogi.dialect(Protocol::Usi).unwrap();
            let mut usi = super::super::usi::new(Table::new(Shogi, dialect, "Ours".into(), vec![]));
            let mut desk = Desk::new();
            for line in lines {
                usi.hear(line, &mut desk);
            }
            (desk.lines, desk.orders.len())
        };
        for refused in ["position fen x", "position startpos moves e2e5", "position"] {
            let mut uci = session();
            say(&mut uci, "position startpos moves e2e4");
            say(&mut uci, refused);
            for go in ["go depth 1", "go movetime 5"] {
                let (lines, orders) = say(&mut uci, go);
                assert!(lines.starts_with("info string the last position was refused"), "{lines}");
                assert!(lines.ends_with("\nbestmove 0000\n") && orders.is_empty(), "{lines}");
            }
            assert!(!say(&mut uci, "go infinite").0.contains("bestmove"));
            assert_eq!(say(&mut uci, "stop").0, "bestmove 0000\n");
            say(&mut uci, "position startpos");
            assert!(matches!(say(&mut uci, "go depth 1").1[..], [Order::Think(..)]));
        }
        let mut uci = session();
        say(&mut uci, "position fen x");
        say(&mut uci, "ucinewgame");
        assert!(matches!(say(&mut uci, "go depth 1").1[..], [Order::Think(..)]));
        let (lines, orders) = usi(&["position sfen x", "go byoyomi 5"]);
        assert!(lines.ends_with("\nbestmove resign\n") && orders == 0, "{lines}");
    }

    #[test]
    fn quit_stops_a_search_and_its_answer_is_given() {
        for go in ["go depth 9", "go infinite"] {
            let mut uci = session();
            say(&mut uci, go);
            let mut desk = Desk::new();
            assert_eq!(uci.hear("quit", &mut desk), Heard::Leaving);
            assert!(matches!(desk.orders.pop_front(), Some(Order::Stop)));
            uci.conclude(Ok(Thought { best: None, value: None }), &mut desk);
            assert_eq!(desk.lines, "bestmove 0000\n");
            assert_eq!(uci.hear("quit", &mut desk), Heard::Quit);
        }
    }

    #[test]
    fn the_end_of_the_input_stops_only_searches_without_limits() {
        for (go, stops) in [("go depth 9", false), ("go infinite", true), ("go ponder", true)] {
            let mut before = session();
            let mut desk = Desk::new();
            before.hear(go, &mut desk);
            before.end_input(&mut desk);
            let mut after = session();
            after.end_input(&mut desk);
            after.hear(go, &mut desk);
            let orders: Vec<_> = desk.orders.iter().collect();
            match orders[..] {
                [Order::Think(..), Order::Stop, Order::Think(..), Order::Stop] => assert!(stops),
                [Order::Think(..), Order::Think(..)] => assert!(!stops),
                _ => panic!("{go}: {orders:?}"),
            }
        }
    }

    #[test]
    fn several_lines_are_told_by_their_places() {
        let mut uci = session();
        assert!(say(&mut uci, "setoption name MultiPV value 0").0.contains("1 to"));
        say(&mut uci, "setoption name multipv value 3");
        let (_, orders) = say(&mut uci, "go depth 2");
        assert!(matches!(orders[..], [Order::Rank(_, 3, _)]));
        let line = vec![Chess.parse_move(&Chess.start(), "e4").unwrap()];
        let (nodes, time) = (9, Duration::from_millis(3));
        let sureness = crate::Sureness::Estimated;
        let info = Info { place: 2, depth: 1, value: Score(0), sureness, nodes, time, line };
        let mut desk = Desk::new();
        uci.inform(&info, &mut desk);
        let expected = "info depth 1 multipv 2 score cp 0 nodes 9 nps 3000 time 3 pv e2e4\n";
        assert_eq!(desk.lines, expected);
    }

    #[test]
    fn a_finished_game_has_no_move() {
        let mut uci = session();
        say(&mut uci, "position startpos moves f2f3 e7e5 g2g4 d8h4");
        let (lines, orders) = say(&mut uci, "go depth 1");
        assert!(lines == "bestmove 0000\n" && orders.is_empty(), "{lines}");
    }

    #[test]
    fn options_are_checked() {
        let mut uci = session();
        let (_, orders) = say(&mut uci, "setoption name hash value 8");
        assert!(
            matches!(&orders[..], [Order::SetOption(name, value)] if name == "Hash" && value == "8")
        );
        assert!(say(&mut uci, "setoption name Hash value 9").0.contains("1 to 8"));
        assert!(say(&mut uci, "setoption").0.starts_with("info string"));
    }

    proptest! {
        #[test]
        fn nothing_heard_panics(
            text in "\\PC*",
            like in "(go|position|setoption|uci|stop)( (startpos|fen|moves|name|value|depth|wtime|-?[0-9]{1,30}|e2e4|é)){0,8}",
        ) {
            let mut uci = session();
            for line in [&text, &like, &text] {
                say(&mut uci, line);
            }
        }
    }
}
