//! GTP, version 2: the client's end.
//!
//! After Gunnar Farnebäck's specification of 2002. Every command carries a
//! number and every answer repeats it, so that an answer is never taken for
//! another's. Engines keep the board themselves: they are told what is new, or
//! everything after an empty board.

use super::uci::split_word;
use super::{Identity, Wire, unsupported};
use crate::budget::Budget;
use crate::engine::{Engine, Patience};
use crate::fault::Fault;
use crate::options::{Kind, Offered, choose};
use crate::process::Process;
use crate::reply::{Answer, Report};
use crate::situation::{SetUp, Situation, Terms, Told};
use evalsmith_core::{Protocol, Side};
use std::time::Duration;

/// The most lines of an answer.
const ANSWER_LINES: usize = 10_000;

/// The client of an engine that speaks GTP.
pub(super) struct Gtp {
    terms: Terms,
    commands: Vec<String>,
    told: Told,
    number: u32,
    /// The time settings that the engine was told last.
    settings: Option<String>,
}

impl Gtp {
    pub(super) fn new(terms: Terms) -> Self {
        Self { terms, commands: Vec::new(), told: Told::default(), number: 0, settings: None }
    }

    fn say(&mut self, process: &mut Process, command: &str) {
        self.number += 1;
        process.say(&format!("{} {command}", self.number));
    }

    /// Says a command and waits for what it answers.
    fn command(
        &mut self,
        process: &mut Process,
        command: &str,
        patience: Duration,
    ) -> Result<String, Fault> {
        self.say(process, command);
        let number = self.number;
        let mut answer: Option<(bool, String)> = None;
        let mut lines = 0;
        let what = format!("the answer to {command:?}");
        let (good, text) = process.until(&what, patience, |line| {
            match &mut answer {
                None => {
                    if let Some(head) = Head::read(line)
                        && head.is_for(number)
                    {
                        answer = Some((head.good, head.text.to_owned()));
                    }
                }
                Some(_) if line.is_empty() => return Ok(answer.take()),
                Some((_, text)) => {
                    lines += 1;
                    if lines > ANSWER_LINES {
                        let what = format!("an answer of more than {ANSWER_LINES} lines");
                        return Err(Fault::Flooded { what });
                    }
                    text.push('\n');
                    text.push_str(line);
                }
            }
            Ok(None)
        })?;
        if good { Ok(text) } else { Err(Fault::Refused { command: command.into(), answer: text }) }
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.iter().any(|known| known == command)
    }

    fn colour(&self, side: Side) -> char {
        self.terms.colours[side.index()]
    }

    fn clear_board(&mut self, process: &mut Process, patience: &Patience) -> Result<(), Fault> {
        self.told.forget();
        let preparation = self.terms.preparation.clone();
        for command in &preparation {
            let word = split_word(command).map_or("", |(word, _)| word);
            // A game of one size needs no words for it.
            if self.knows(word) {
                self.command(process, command, patience.start)?;
            }
        }
        self.command(process, "clear_board", patience.start)?;
        Ok(())
    }

    fn lay_out(
        &mut self,
        process: &mut Process,
        set_up: &SetUp,
        patience: &Patience,
    ) -> Result<(), Fault> {
        let stones = match set_up {
            SetUp::Start => &[][..],
            SetUp::Layout(stones) => stones,
            SetUp::Position(_) | SetUp::Unspeakable => {
                return Err(unsupported(
                    Protocol::Gtp,
                    "the position that the game began with",
                    "begin at the start position and play the opening as moves",
                ));
            }
        };
        for (side, text) in stones {
            let play = format!("play {} {text}", self.colour(*side));
            self.command(process, &play, patience.start)?;
        }
        Ok(())
    }

    fn tell(
        &mut self,
        process: &mut Process,
        situation: &Situation,
        patience: &Patience,
    ) -> Result<(), Fault> {
        let new = if let Some(new) = self.told.missing(situation) {
            new
        } else {
            self.clear_board(process, patience)?;
            self.lay_out(process, &situation.set_up, patience)?;
            &situation.moves
        };
        let before = situation.moves.len() - new.len();
        for (i, text) in new.iter().enumerate() {
            let side = situation.first.after(before + i);
            let play = format!("play {} {text}", self.colour(side));
            match self.command(process, &play, patience.start) {
                // GRhino cannot be told of a pass; the next move says whose it is.
                Err(Fault::Refused { .. }) if text.eq_ignore_ascii_case("pass") => {}
                told => drop(told?),
            }
        }
        self.told.set(situation);
        Ok(())
    }

    fn tell_time(
        &mut self,
        process: &mut Process,
        side: Side,
        budget: &Budget,
        patience: &Patience,
    ) -> Result<(), Fault> {
        if budget.infinite {
            return Err(unsupported(Protocol::Gtp, "a search without end", "limit its time"));
        }
        if budget.depth.is_some() || budget.nodes.is_some() {
            let remedy = "limit time, or set the engine's own level as an option";
            return Err(unsupported(Protocol::Gtp, "a limit in depth or nodes", remedy));
        }
        let settings = match (budget.move_time, &budget.clocks) {
            (Some(time), _) if time < Duration::from_secs(1) => {
                let remedy = "give whole seconds, or set the engine's own level as an option";
                return Err(unsupported(Protocol::Gtp, "less than a second a move", remedy));
            }
            (Some(time), _) => Some(format!("time_settings 0 {} 1", time.as_secs())),
            (None, Some(clocks)) => {
                let byoyomi = clocks.byoyomi.as_secs();
                let main =
                    self.settings.is_none().then(|| clocks.remaining[side.index()].as_secs());
                main.map(|main| format!("time_settings {main} {byoyomi} {}", byoyomi.min(1)))
            }
            (None, None) => None,
        };
        if let Some(settings) = settings
            && self.settings.as_ref() != Some(&settings)
        {
            self.command(process, &settings, patience.start)?;
            self.settings = Some(settings);
        }
        if let Some(clocks) = &budget.clocks
            && self.knows("time_left")
        {
            for side in [side.other(), side] {
                let left = clocks.remaining[side.index()].as_secs();
                let told = format!("time_left {} {left} 0", self.colour(side));
                self.command(process, &told, patience.start)?;
            }
        }
        Ok(())
    }
}

impl Wire for Gtp {
    fn greet(&mut self, engine: &Engine, process: &mut Process) -> Result<Identity, Fault> {
        let start = engine.patience.start;
        self.command(process, "protocol_version", start)?;
        let name = self.command(process, "name", start)?;
        let version = self.command(process, "version", start).unwrap_or_default();
        let listed = self.command(process, "list_commands", start)?;
        self.commands = listed.split_whitespace().map(str::to_owned).collect();
        let offer = |name: &String| Offered::new(name, Kind::Text);
        let options: Vec<_> = self.commands.iter().map(offer).collect();
        for (name, value) in &engine.options {
            let option = choose(&options, name, value)?;
            let command = format!("{} {value}", option.name);
            self.command(process, command.trim_end(), start)?;
        }
        Ok(Identity { name: format!("{} {}", name.trim(), version.trim()).trim().into(), options })
    }

    fn new_game(&mut self, process: &mut Process, patience: &Patience) -> Result<(), Fault> {
        self.settings = None;
        self.clear_board(process, patience)?;
        self.told.set(&Situation::start());
        Ok(())
    }

    fn ask(
        &mut self,
        process: &mut Process,
        situation: &Situation,
        budget: &Budget,
        patience: &Patience,
    ) -> Result<(), Fault> {
        let side = situation.side();
        let told = self
            .tell(process, situation, patience)
            .and_then(|()| self.tell_time(process, side, budget, patience));
        if let Err(fault) = told {
            self.told.forget();
            return Err(fault);
        }
        let genmove = format!("genmove {}", self.colour(side));
        self.say(process, &genmove);
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
        if let Err(fault) = self.tell(process, situation, patience) {
            self.told.forget();
            return Err(fault);
        }
        self.command(process, question, patience.unclocked_move)?.lines().for_each(hear);
        Ok(())
    }

    fn hear(&mut self, line: &str, _report: &mut Report) -> Result<Option<Answer>, Fault> {
        let Some(head) = Head::read(line).filter(|head| head.is_for(self.number)) else {
            return Ok(None);
        };
        if !head.good {
            self.told.forget();
            return Err(Fault::Refused { command: "genmove".into(), answer: head.text.into() });
        }
        match head.text.trim() {
            "" => Err(Fault::Garbage { line: line.into(), expected: "a vertex".into() }),
            text if text.eq_ignore_ascii_case("resign") => Ok(Some(Answer::Resign)),
            text => Ok(Some(Answer::Move(text.to_owned()))),
        }
    }

    fn settle(&mut self, _process: &mut Process, answer: &Answer) {
        match answer {
            Answer::Move(text) => self.told.played(text),
            _ => self.told.forget(),
        }
    }

    fn stop(&self) -> Option<&'static str> {
        None
    }
}

/// The first line of an answer: `=12 text`, `? text`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head<'a> {
    good: bool,
    number: Option<u32>,
    text: &'a str,
}

impl<'a> Head<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let (good, rest) = match line.as_bytes().first()? {
            b'=' => (true, &line[1..]),
            b'?' => (false, &line[1..]),
            _ => return None,
        };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest[..digits].parse().ok();
        Some(Self { good, number, text: rest[digits..].trim_start() })
    }

    /// Engines that forget the number are understood as well.
    fn is_for(&self, number: u32) -> bool {
        self.number.is_none_or(|told| told == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn client() -> Gtp {
        let colours = ['b', 'w'];
        Gtp::new(Terms { colours, preparation: Vec::new(), start: None })
    }

    #[test]
    fn heads_are_read() {
        let head = |good, number, text| Some(Head { good, number, text });
        assert_eq!(Head::read("=12 E5"), head(true, Some(12), "E5"));
        assert_eq!(Head::read("= pass"), head(true, None, "pass"));
        assert_eq!(Head::read("?3 no such move"), head(false, Some(3), "no such move"));
        assert_eq!(Head::read("="), head(true, None, ""));
        assert_eq!(Head::read("E5"), None);
        assert_eq!(Head::read(""), None);
    }

    #[test]
    fn answers_are_read() {
        let mut gtp = client();
        gtp.number = 7;
        let mut hear = |line: &str| gtp.hear(line, &mut Report::default());
        assert_eq!(hear("=7 E5"), Ok(Some(Answer::Move("E5".into()))));
        assert_eq!(hear("=7 RESIGN"), Ok(Some(Answer::Resign)));
        assert_eq!(hear("=6 D4"), Ok(None), "an older answer");
        assert_eq!(hear("thinking..."), Ok(None));
        assert!(matches!(hear("=7"), Err(Fault::Garbage { .. })));
        assert!(matches!(hear("?7 who?"), Err(Fault::Refused { .. })));
    }

    proptest! {
        #[test]
        fn nothing_read_panics(text in "\\PC*", like in "[=?][0-9]{0,14}\\PC{0,8}") {
            for line in [&text, &like] {
                let _ = client().hear(line, &mut Report::default());
            }
        }
    }
}
