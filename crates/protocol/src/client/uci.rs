//! UCI, and USI, which differs in a few words: the client's end.
//!
//! After Stefan Meyer-Kahlen's and Rudolf Huber's description of 2006. Values are
//! from the engine's point of view. An `info` line about another line than the
//! best, or a value that is only a bound, does not touch the value reported.

use super::{Identity, Wire, unsupported};
use crate::budget::{Budget, milliseconds};
use crate::engine::{Engine, Patience};
use crate::fault::Fault;
use crate::options::{Kind, Offered, choose};
use crate::process::Process;
use crate::reply::{Answer, Report, Value};
use crate::situation::{SetUp, Situation};
use evalsmith_core::Protocol;
use std::fmt::Write as _;

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
    /// Options that an engine need not name to have them.
    pub(super) implied: &'static [&'static str],
}

const UCI: Words = Words {
    protocol: Protocol::Uci,
    hello: "uci",
    hello_back: "uciok",
    new_game: "ucinewgame",
    position: "fen",
    clocks: ["wtime", "btime"],
    increments: ["winc", "binc"],
    implied: &[],
};

/// The client of an engine that speaks UCI or USI.
pub(super) struct Uci {
    words: Words,
    command: String,
}

impl Uci {
    pub(super) fn new() -> Self {
        Self::with(UCI)
    }

    pub(super) fn with(words: Words) -> Self {
        Self { words, command: String::new() }
    }

    fn wait_ready(process: &mut Process, patience: &Patience) -> Result<(), Fault> {
        process.say("isready");
        process.until(
            "readyok",
            patience.start,
            |line| Ok((line.trim() == "readyok").then_some(())),
        )
    }

    fn set_options(
        &self,
        engine: &Engine,
        offered: &[Offered],
        process: &mut Process,
    ) -> Result<(), Fault> {
        for (name, value) in &engine.options {
            let implied = self.words.implied.contains(&name.as_str());
            let name = match choose(offered, name, value) {
                Ok(option) => &option.name,
                Err(_) if implied && !value.contains(['\n', '\r']) => name,
                Err(fault) => return Err(fault),
            };
            if value.is_empty() {
                process.say(&format!("setoption name {name}"));
            } else {
                process.say(&format!("setoption name {name} value {value}"));
            }
        }
        Ok(())
    }
}

impl Wire for Uci {
    fn greet(&mut self, engine: &Engine, process: &mut Process) -> Result<Identity, Fault> {
        let mut identity = Identity::default();
        let hello_back = self.words.hello_back;
        process.say(self.words.hello);
        process.until(hello_back, engine.patience.start, |line| {
            let line = line.trim();
            if let Some(name) = line.strip_prefix("id name ") {
                name.trim().clone_into(&mut identity.name);
            }
            identity.options.extend(parse_option(line));
            Ok((line == hello_back).then_some(()))
        })?;
        self.set_options(engine, &identity.options, process)?;
        Self::wait_ready(process, &engine.patience)?;
        Ok(identity)
    }

    fn new_game(&mut self, process: &mut Process, patience: &Patience) -> Result<(), Fault> {
        process.say(self.words.new_game);
        Self::wait_ready(process, patience)
    }

    fn ask(
        &mut self,
        process: &mut Process,
        situation: &Situation,
        budget: &Budget,
        _patience: &Patience,
    ) -> Result<(), Fault> {
        if *budget == Budget::default() {
            let remedy = "limit depth, nodes or time";
            return Err(unsupported(self.words.protocol, "a search without limits", remedy));
        }
        let command = &mut self.command;
        command.clear();
        write_position(command, &self.words, situation)?;
        process.say(command);
        command.clear();
        write_go(command, &self.words, budget);
        process.say(command);
        Ok(())
    }

    fn inquire(
        &mut self,
        process: &mut Process,
        situation: &Situation,
        question: &str,
        patience: &Patience,
        hear: &mut dyn FnMut(&str),
    ) -> Result<(), Fault> {
        self.command.clear();
        write_position(&mut self.command, &self.words, situation)?;
        process.say(&self.command);
        process.say(question);
        process.say("isready");
        process.until("the answer to a question", patience.unclocked_move, |line| {
            hear(line);
            Ok((line.trim() == "readyok").then_some(()))
        })
    }

    fn hear(&mut self, line: &str, report: &mut Report) -> Result<Option<Answer>, Fault> {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("info") => {
                read_info(line, report);
                Ok(None)
            }
            Some("bestmove") => read_best_move(line, words.next()).map(Some),
            _ => Ok(None),
        }
    }

    fn stop(&self) -> Option<&'static str> {
        Some("stop")
    }
}

fn write_position(text: &mut String, words: &Words, situation: &Situation) -> Result<(), Fault> {
    match &situation.set_up {
        SetUp::Start => text.push_str("position startpos"),
        SetUp::Position(position) => {
            text.push_str("position ");
            text.push_str(words.position);
            text.push(' ');
            text.push_str(position);
        }
        SetUp::Layout(_) | SetUp::Unspeakable => {
            return Err(unsupported(
                words.protocol,
                "the position that the game began with",
                "begin at the start position",
            ));
        }
    }
    if !situation.moves.is_empty() {
        text.push_str(" moves");
    }
    for m in &situation.moves {
        text.push(' ');
        text.push_str(m);
    }
    Ok(())
}

/// Writing to a string cannot fail.
fn write_go(text: &mut String, words: &Words, budget: &Budget) {
    text.push_str("go");
    if let Some(depth) = budget.depth {
        let _ = write!(text, " depth {depth}");
    }
    if let Some(nodes) = budget.nodes {
        let _ = write!(text, " nodes {nodes}");
    }
    match budget.move_time {
        // USI engines know the time for a move as byoyomi on an empty clock.
        Some(time) if words.protocol == Protocol::Usi && budget.clocks.is_none() => {
            let _ = write!(text, " btime 0 wtime 0 byoyomi {}", milliseconds(time));
        }
        Some(time) => {
            let _ = write!(text, " movetime {}", milliseconds(time));
        }
        None => {}
    }
    if let Some(clocks) = &budget.clocks {
        for side in 0..2 {
            let left = milliseconds(clocks.remaining[side]);
            let _ = write!(text, " {} {left}", words.clocks[side]);
        }
        let byoyomi = milliseconds(clocks.byoyomi);
        if words.protocol == Protocol::Usi && byoyomi > 0 {
            let _ = write!(text, " byoyomi {byoyomi}");
        } else {
            for side in 0..2 {
                let added = milliseconds(clocks.increment[side].max(clocks.byoyomi));
                let _ = write!(text, " {} {added}", words.increments[side]);
            }
        }
        if let Some(moves) = clocks.moves_to_go {
            let _ = write!(text, " movestogo {moves}");
        }
    }
    if budget.infinite {
        text.push_str(" infinite");
    }
}

fn read_best_move(line: &str, word: Option<&str>) -> Result<Answer, Fault> {
    Ok(match word {
        Some("resign") => Answer::Resign,
        Some("win") => Answer::ClaimWin,
        Some("(none)" | "none" | "0000" | "NULL") => Answer::Nothing,
        Some(text) => Answer::Move(text.to_owned()),
        None => {
            return Err(Fault::Garbage {
                line: line.into(),
                expected: "bestmove and a move".into(),
            });
        }
    })
}

/// Puts what an `info` line tells into `report`.
fn read_info(line: &str, report: &mut Report) {
    let mut told = Report::default();
    let Some((_, mut rest)) = split_word(line) else { return };
    let mut principal = None;
    while let Some((word, after)) = split_word(rest) {
        rest = after;
        let (value, after) = split_word(rest).unwrap_or(("", ""));
        match word {
            "depth" => told.depth = value.parse().ok(),
            "nodes" => told.nodes = value.parse().ok(),
            "multipv" if value != "1" => return,
            "score" => {
                (told.value, rest) = read_score(rest);
                continue;
            }
            "pv" => {
                principal = Some(rest.trim());
                break;
            }
            "string" => break,
            "seldepth" | "time" | "nps" | "hashfull" | "multipv" | "tbhits" | "cpuload"
            | "currmove" | "currmovenumber" => {}
            _ => continue,
        }
        rest = after;
    }
    report.depth = told.depth.or(report.depth);
    report.nodes = told.nodes.or(report.nodes);
    report.value = told.value.or(report.value);
    if let Some(line) = principal {
        line.clone_into(&mut report.line);
    }
}

/// The value after the word `score`, and what follows it.
fn read_score(text: &str) -> (Option<Value>, &str) {
    let Some((unit, rest)) = split_word(text) else { return (None, "") };
    let Some((number, mut rest)) = split_word(rest) else { return (None, "") };
    let value = match unit {
        "cp" => number.parse().ok().map(Value::Centipawns),
        // USI writes a bare sign when the length is not known.
        "mate" if number == "+" => Some(Value::Mate(1)),
        "mate" if number == "-" => Some(Value::Mate(-1)),
        "mate" => number.parse().ok().map(Value::Mate),
        _ => return (None, text),
    };
    let mut bound = false;
    while let Some(("lowerbound" | "upperbound", after)) = split_word(rest) {
        bound = true;
        rest = after;
    }
    (value.filter(|_| !bound), rest)
}

/// The first word and what follows it.
pub(super) fn split_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_ascii_start();
    let end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// An option that a line offers: `option name N type T default D min A max B`.
pub(super) fn parse_option(line: &str) -> Option<Offered> {
    let rest = line.strip_prefix("option ")?.trim_start().strip_prefix("name ")?;
    let (name, rest) = rest.split_once(" type ")?;
    let (kind, rest) = split_word(rest)?;
    let kind = match kind {
        "check" => Kind::Check,
        "spin" => {
            let number = |key: &str| {
                let words: Vec<_> = rest.split_ascii_whitespace().collect();
                words.windows(2).find(|w| w[0] == key).and_then(|w| w[1].parse().ok())
            };
            Kind::Spin(number("min").unwrap_or(i64::MIN), number("max").unwrap_or(i64::MAX))
        }
        "combo" => {
            let values = rest.split(" var ").skip(1).map(|v| v.trim().to_owned());
            Kind::Combo(values.collect())
        }
        "button" => Kind::Button,
        "string" | "filename" => Kind::Text,
        _ => return None,
    };
    let after = rest.split_once("default ").map_or("", |(_, after)| after);
    let end = [" min ", " max ", " var "].iter().filter_map(|word| after.find(word)).min();
    let default = &after[..end.unwrap_or(after.len())];
    Some(Offered::new(name.trim(), kind).holding(default.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Clocks;
    use proptest::prelude::*;
    use std::time::Duration;

    fn go(words: &Words, budget: &Budget) -> String {
        let mut text = String::new();
        write_go(&mut text, words, budget);
        text
    }

    #[test]
    fn limits_are_written() {
        let second = Duration::from_secs(1);
        let clocks = Clocks {
            remaining: [60 * second, 59 * second],
            increment: [second, 2 * second],
            moves_to_go: Some(7),
            ..Clocks::default()
        };
        assert_eq!(go(&UCI, &Budget::infinite()), "go infinite");
        let both = Budget { nodes: Some(9), ..Budget::depth(3) };
        assert_eq!(go(&UCI, &both), "go depth 3 nodes 9");
        assert_eq!(go(&UCI, &Budget::move_time(second / 2)), "go movetime 500");
        let expected = "go wtime 60000 btime 59000 winc 1000 binc 2000 movestogo 7";
        assert_eq!(go(&UCI, &Budget::clocks(clocks)), expected);
    }

    #[test]
    fn positions_are_written() {
        let mut text = String::new();
        let mut situation = Situation::start();
        write_position(&mut text, &UCI, &situation).unwrap();
        assert_eq!(text, "position startpos");
        text.clear();
        situation.set_up = SetUp::Position("8/8 w".into());
        situation.moves = vec!["e2e4".into(), "e7e5".into()];
        write_position(&mut text, &UCI, &situation).unwrap();
        assert_eq!(text, "position fen 8/8 w moves e2e4 e7e5");
        situation.set_up = SetUp::Unspeakable;
        assert!(write_position(&mut text, &UCI, &situation).is_err());
    }

    #[test]
    fn reports_are_read() {
        let mut report = Report::default();
        read_info(
            "info depth 9 seldepth 12 score cp -31 nodes 1234 nps 9 pv e2e4 e7e5",
            &mut report,
        );
        let expected = Report {
            value: Some(Value::Centipawns(-31)),
            depth: Some(9),
            nodes: Some(1234),
            line: "e2e4 e7e5".into(),
            ..Report::default()
        };
        assert_eq!(report, expected);
        for line in [
            "info multipv 2 depth 10 score cp 7 pv a2a3",
            "info string depth 44 score cp 7",
            "info score cp 99 lowerbound",
            "info currmove depth currmovenumber score",
            "info",
            "info score cp",
            "info score banana 7",
        ] {
            read_info(line, &mut report);
            assert_eq!(report, expected, "{line}");
        }
        read_info("info score mate -3 depth 11", &mut report);
        assert_eq!((report.value, report.depth), (Some(Value::Mate(-3)), Some(11)));
        read_info("info score mate +", &mut report);
        assert_eq!(report.value, Some(Value::Mate(1)));
    }

    #[test]
    fn answers_are_read() {
        let mut uci = Uci::new();
        let mut hear = |line: &str| uci.hear(line, &mut Report::default());
        assert_eq!(hear("bestmove e2e4 ponder e7e5"), Ok(Some(Answer::Move("e2e4".into()))));
        assert_eq!(hear("bestmove (none)"), Ok(Some(Answer::Nothing)));
        assert_eq!(hear("bestmove resign"), Ok(Some(Answer::Resign)));
        assert_eq!(hear("bestmove win"), Ok(Some(Answer::ClaimWin)));
        assert!(matches!(hear("bestmove"), Err(Fault::Garbage { .. })));
        assert_eq!(hear("bestmoves e2e4"), Ok(None));
        assert_eq!(hear(""), Ok(None));
    }

    #[test]
    fn options_are_read() {
        let read = |line| parse_option(line).map(|o| (o.name, o.kind));
        assert_eq!(
            read("option name Skill Level type spin default 20 min 0 max 20"),
            Some(("Skill Level".into(), Kind::Spin(0, 20)))
        );
        assert_eq!(
            read("option name Style type combo default Solid var Solid var Very Wild"),
            Some(("Style".into(), Kind::Combo(vec!["Solid".into(), "Very Wild".into()])))
        );
        assert_eq!(
            read("option name Clear Hash type button"),
            Some(("Clear Hash".into(), Kind::Button))
        );
        assert_eq!(
            read("option name F type string default <empty>"),
            Some(("F".into(), Kind::Text))
        );
        let default = |line| parse_option(line).map(|option| option.default);
        let line = "option name Style type combo default Very Wild var Solid var Very Wild";
        assert_eq!(default(line).as_deref(), Some("Very Wild"));
        assert_eq!(default("option name A type spin default 20 min 0").as_deref(), Some("20"));
        assert_eq!(read("option name X type"), None);
        assert_eq!(read("id name Y"), None);
    }

    proptest! {
        #[test]
        fn nothing_read_panics(
            text in "\\PC*",
            like in "(info|bestmove|option name)( (depth|score|cp|mate|pv|multipv|nodes|type|spin|min|var|-?[0-9]{1,25}|é)){0,9}",
        ) {
            for line in [&text, &like] {
                let _ = Uci::new().hear(line, &mut Report::default());
                read_info(line, &mut Report::default());
                let _ = parse_option(line);
            }
        }
    }
}
