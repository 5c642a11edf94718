//! NBoard, version 2: the client's end.
//!
//! After Chris Welty's description of 2014. Values are discs, from the view of
//! the side to move. The protocol limits a search by depth alone.

use super::uci::split_word;
use super::{Identity, Wire, unsupported};
use crate::budget::Budget;
use crate::engine::{Engine, Patience};
use crate::fault::Fault;
use crate::options::{Kind, Offered, choose};
use crate::process::Process;
use crate::reply::{Answer, Report, Value};
use crate::situation::{SetUp, Situation, Terms, Told};
use evalsmith_core::Protocol;

/// The client of an engine that speaks NBoard.
pub(super) struct NBoard {
    terms: Terms,
    told: Told,
    pings: u32,
    depth: Option<u32>,
}

impl NBoard {
    pub(super) fn new(terms: Terms) -> Self {
        Self { terms, told: Told::default(), pings: 0, depth: None }
    }

    fn wait_ready(
        &mut self,
        process: &mut Process,
        patience: &Patience,
        mut on_the_way: impl FnMut(&str),
    ) -> Result<(), Fault> {
        self.pings += 1;
        process.say(&format!("ping {}", self.pings));
        let pong = format!("pong {}", self.pings);
        process.until(&pong, patience.start, |line| {
            on_the_way(line);
            Ok((line.trim() == pong).then_some(()))
        })
    }

    fn set_game(&mut self, process: &mut Process, situation: &Situation) -> Result<(), Fault> {
        let board = match &situation.set_up {
            SetUp::Start => self.terms.start.as_deref(),
            SetUp::Position(board) => Some(board.as_str()),
            SetUp::Layout(_) | SetUp::Unspeakable => None,
        };
        let board = board.ok_or_else(|| {
            let what = "the position that the game began with";
            unsupported(Protocol::NBoard, what, "begin at the start position")
        })?;
        process.say(&format!("set game (;GM[Othello]PB[black]PW[white]TY[8]BO[{board}];)"));
        Ok(())
    }
}

impl Wire for NBoard {
    fn greet(&mut self, engine: &Engine, process: &mut Process) -> Result<Identity, Fault> {
        let options = vec![
            Offered::new("depth", Kind::Spin(1, 60)),
            Offered::new("contempt", Kind::Spin(i64::from(i32::MIN), i64::from(i32::MAX))),
        ];
        process.say("nboard 2");
        for (name, value) in &engine.options {
            let option = choose(&options, name, value)?;
            process.say(&format!("set {} {value}", option.name));
        }
        let mut name = String::new();
        self.wait_ready(process, &engine.patience, |line| {
            if let Some(told) = line.trim().strip_prefix("set myname ") {
                told.trim().clone_into(&mut name);
            }
        })?;
        Ok(Identity { name, options })
    }

    fn new_game(&mut self, process: &mut Process, patience: &Patience) -> Result<(), Fault> {
        let start = Situation::start();
        self.set_game(process, &start)?;
        self.told.forget();
        self.told.set(&start);
        self.wait_ready(process, patience, |_| {})
    }

    fn ask(
        &mut self,
        process: &mut Process,
        situation: &Situation,
        budget: &Budget,
        _patience: &Patience,
    ) -> Result<(), Fault> {
        let known = Budget { depth: budget.depth, ..Budget::default() };
        if *budget != known {
            let what = "a limit in nodes or time";
            return Err(unsupported(Protocol::NBoard, what, "limit the depth"));
        }
        let new = if let Some(new) = self.told.missing(situation) {
            new
        } else {
            self.set_game(process, situation)?;
            self.told.forget();
            &situation.moves
        };
        for text in new {
            process.say(&format!("move {text}"));
        }
        self.told.set(situation);
        if budget.depth != self.depth
            && let Some(depth) = budget.depth
        {
            process.say(&format!("set depth {depth}"));
            self.depth = budget.depth;
        }
        process.say("go");
        Ok(())
    }

    fn inquire(
        &mut self,
        _process: &mut Process,
        _situation: &Situation,
        question: &str,
        _patience: &Patience,
        _hear: &mut dyn FnMut(&str),
    ) -> Result<(), Fault> {
        let remedy = "ask for a move instead, limited in depth or time";
        Err(unsupported(Protocol::NBoard, &format!("the question {question:?}"), remedy))
    }

    fn hear(&mut self, line: &str, report: &mut Report) -> Result<Option<Answer>, Fault> {
        let Some((word, rest)) = split_word(line) else { return Ok(None) };
        match word {
            "===" => Ok(Some(read_answer(rest, report))),
            "nodestats" => {
                let nodes = split_word(rest).and_then(|(nodes, _)| nodes.parse().ok());
                report.nodes = nodes.or(report.nodes);
                Ok(None)
            }
            "search" => {
                read_search(rest, report);
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// The engine says what it would play and does not play it: the move is told
    /// to it with the next question.
    fn settle(&mut self, _process: &mut Process, _answer: &Answer) {}

    fn stop(&self) -> Option<&'static str> {
        None
    }
}

/// `D3/eval/time`, where all but the move may be missing.
fn read_answer(text: &str, report: &mut Report) -> Answer {
    let mut parts = text.trim().split('/');
    let text = parts.next().unwrap_or_default().trim();
    let value = parts.next().and_then(|value| value.trim().parse().ok());
    report.value = value.map(Value::Discs).or(report.value);
    if text.is_empty() { Answer::Nothing } else { Answer::Move(text.to_owned()) }
}

/// `{line} {value} 0 {depth} ...`, where the depth may be `12`, `73%` or `100%W`.
fn read_search(text: &str, report: &mut Report) {
    let mut words = text.split_ascii_whitespace();
    let (Some(line), Some(value)) = (words.next(), words.next()) else { return };
    let Ok(value) = value.parse() else { return };
    line.clone_into(&mut report.line);
    report.value = Some(Value::Discs(value));
    report.depth = words.nth(1).and_then(|depth| depth.parse().ok()).or(report.depth);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn client() -> NBoard {
        let colours = ['b', 'w'];
        NBoard::new(Terms { colours, preparation: Vec::new(), start: None })
    }

    #[test]
    fn answers_and_reports_are_read() {
        let mut report = Report::default();
        let mut nboard = client();
        let mut hear = |line: &str| nboard.hear(line, &mut report).unwrap();
        assert_eq!(hear("status Thinking"), None);
        assert_eq!(hear("search D3C5 -2.50 0 12 anything"), None);
        assert_eq!(hear("nodestats 1234 0.5"), None);
        assert_eq!(hear("=== D3/1.25/0.5"), Some(Answer::Move("D3".into())));
        let expected = Report {
            value: Some(Value::Discs(1.25)),
            depth: Some(12),
            nodes: Some(1234),
            line: "D3C5".into(),
            ..Report::default()
        };
        assert_eq!(report, expected);
        let mut hear = |line: &str| nboard.hear(line, &mut report).unwrap();
        assert_eq!(hear("=== PA"), Some(Answer::Move("PA".into())));
        assert_eq!(hear("==="), Some(Answer::Nothing));
        assert_eq!(hear("search E6 3 0 100%W"), None);
        assert_eq!(report.value, Some(Value::Discs(3.0)));
    }

    proptest! {
        #[test]
        fn nothing_read_panics(text in "\\PC*", like in "(===|search|nodestats)( [D3/0-9.%-]{0,8}){0,5}") {
            for line in [&text, &like] {
                let _ = client().hear(line, &mut Report::default());
            }
        }
    }
}
