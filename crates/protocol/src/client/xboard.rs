//! xboard, version 2: the client's end.
//!
//! After Tim Mann's and H. G. Muller's description. The engine is kept in `force`
//! mode, where it only records; `go` makes it answer once, and `force` follows.

use super::uci::split_word;
use super::{Identity, Wire, unsupported};
use crate::budget::Budget;
use crate::engine::{Engine, Patience};
use crate::fault::Fault;
use crate::options::{Kind, Offered, choose};
use crate::process::Process;
use crate::reply::{Answer, Report, Value};
use crate::situation::{SetUp, Situation, Terms, Told};
use evalsmith_core::{Protocol, Side};
use std::time::{Duration, Instant};

/// How long the protocol makes an engine's silence last before its features are
/// taken for complete.
const SILENCE: Duration = Duration::from_secs(2);
/// Values beyond this count the moves to mate.
const MATE: i32 = 100_000;

/// The client of an engine that speaks xboard.
pub(super) struct Xboard {
    terms: Terms,
    told: Told,
    features: Features,
    pings: u32,
    limits: String,
    side: Side,
    /// Whether the opponent offered a draw with its last move.
    draw_offered: bool,
    /// What the last question said, to know it again in a refusal.
    said: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Features {
    name: String,
    ping: bool,
    setboard: bool,
    usermove: bool,
    options: Vec<Offered>,
    done: Option<bool>,
    reuse: Option<bool>,
}

impl Xboard {
    pub(super) fn new(terms: Terms) -> Self {
        Self {
            terms,
            told: Told::default(),
            features: Features::default(),
            pings: 0,
            limits: String::new(),
            side: Side::First,
            draw_offered: false,
            said: Vec::new(),
        }
    }

    fn read_features(&mut self, process: &mut Process, patience: &Patience) -> Result<(), Fault> {
        let last = Instant::now() + patience.start;
        let mut line = String::new();
        while self.features.done != Some(true) {
            let waits = self.features.done == Some(false);
            let deadline = if waits { last } else { last.min(Instant::now() + SILENCE) };
            if !process.receive(&mut line, "features", deadline)? {
                break;
            }
            for (name, value) in read_features(&line) {
                let fits = self.features.take(name, &value);
                process.say(&format!("{} {name}", if fits { "accepted" } else { "rejected" }));
            }
        }
        Ok(())
    }

    fn set_options(&mut self, engine: &Engine, process: &mut Process) -> Result<(), Fault> {
        for (name, value) in &engine.options {
            let option = choose(&self.features.options, name, value)?;
            process.say(&match (option.name.as_str(), &option.kind) {
                (name @ ("memory" | "cores"), _) => format!("{name} {value}"),
                (name, Kind::Button) => format!("option {name}"),
                (name, Kind::Check) => format!("option {name}={}", u8::from(value == "true")),
                (name, _) => format!("option {name}={value}"),
            });
        }
        Ok(())
    }

    fn wait_ready(&mut self, process: &mut Process, patience: &Patience) -> Result<(), Fault> {
        if !self.features.ping {
            return process.send(Instant::now() + patience.start);
        }
        self.pings += 1;
        process.say(&format!("ping {}", self.pings));
        let pong = format!("pong {}", self.pings);
        process.until(&pong, patience.start, |line| Ok((line.trim() == pong).then_some(())))
    }

    fn begin(&mut self, process: &mut Process, set_up: &SetUp) -> Result<(), Fault> {
        self.told.forget();
        // A new game removes the limits.
        self.limits.clear();
        for command in ["new", "force", "easy", "post"] {
            process.say(command);
        }
        let preparation = self.terms.preparation.iter();
        preparation.for_each(|command| process.say(command));
        match set_up {
            SetUp::Start => Ok(()),
            SetUp::Position(position) if self.features.setboard => {
                process.say(&format!("setboard {position}"));
                Ok(())
            }
            _ => Err(unsupported(
                Protocol::Xboard,
                "the position that the game began with",
                "begin at the start position: this engine has no setboard",
            )),
        }
    }
}

impl Features {
    fn offer_number(&mut self, name: &str) {
        let kind = Kind::Spin(1, i64::from(i32::MAX));
        self.options.push(Offered::new(name, kind));
    }

    /// Notes a feature; false when it is to be rejected.
    fn take(&mut self, name: &str, value: &str) -> bool {
        let yes = value == "1";
        match name {
            "ping" => self.ping = yes,
            "setboard" => self.setboard = yes,
            "usermove" => self.usermove = yes,
            "memory" if yes => self.offer_number("memory"),
            "smp" if yes => self.offer_number("cores"),
            "myname" => value.clone_into(&mut self.name),
            "done" => self.done = Some(yes),
            "reuse" => self.reuse = Some(yes),
            "option" => self.options.extend(read_option(value)),
            // Moves are said by their squares.
            "san" => return !yes,
            "memory" | "smp" | "sigint" | "sigterm" | "analyze" | "colors" | "time" | "draw"
            | "debug" | "variants" | "playother" | "name" | "nps" | "ics" | "pause" | "egt"
            | "exclude" | "setscore" | "highlight" => {}
            _ => return false,
        }
        true
    }
}

impl Wire for Xboard {
    fn greet(&mut self, engine: &Engine, process: &mut Process) -> Result<Identity, Fault> {
        process.say("xboard");
        process.say("protover 2");
        self.read_features(process, &engine.patience)?;
        self.set_options(engine, process)?;
        self.wait_ready(process, &engine.patience)?;
        let Features { name, options, .. } = &self.features;
        Ok(Identity { name: name.clone(), options: options.clone() })
    }

    fn new_game(&mut self, process: &mut Process, patience: &Patience) -> Result<(), Fault> {
        self.draw_offered = false;
        self.begin(process, &SetUp::Start)?;
        self.told.set(&Situation::start());
        self.wait_ready(process, patience)
    }

    fn ask(
        &mut self,
        process: &mut Process,
        situation: &Situation,
        budget: &Budget,
        _patience: &Patience,
    ) -> Result<(), Fault> {
        self.side = situation.side();
        let limits = write_limits(budget, self.side)?;
        let new = if let Some(new) = self.told.missing(situation) {
            new
        } else {
            self.begin(process, &situation.set_up)?;
            &situation.moves
        };
        self.said.clear();
        self.said.extend(new.iter().cloned());
        for text in new {
            if self.features.usermove {
                process.say(&format!("usermove {text}"));
            } else {
                process.say(text);
            }
        }
        self.told.set(situation);
        if let Some(limits) = limits
            && limits != self.limits
            // The level is that of the whole game; later only clocks differ.
            && !(self.limits.starts_with("level") && limits.starts_with("level"))
        {
            self.said.extend(limits.lines().map(str::to_owned));
            limits.lines().for_each(|limit| process.say(limit));
            self.limits = limits;
        }
        if let Some(clocks) = &budget.clocks {
            for (word, side) in [("time", self.side), ("otim", self.side.other())] {
                let hundredths = clocks.remaining[side.index()].as_millis() / 10;
                process.say(&format!("{word} {hundredths}"));
            }
        }
        // In the position it is offered in: moves would withdraw it.
        if std::mem::take(&mut self.draw_offered) {
            process.say("draw");
        }
        process.say("go");
        Ok(())
    }

    fn hear_draw_offer(&mut self) {
        self.draw_offered = true;
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
        Err(unsupported(Protocol::Xboard, &format!("the question {question:?}"), remedy))
    }

    fn hear(&mut self, line: &str, report: &mut Report) -> Result<Option<Answer>, Fault> {
        if let Some(refused) = read_refusal(line, &self.said) {
            self.told.forget();
            return Err(refused);
        }
        let Some((word, rest)) = split_word(line) else { return Ok(None) };
        let won = |side| if side == self.side { Answer::ClaimWin } else { Answer::Resign };
        Ok(match word {
            "move" => {
                let (text, _) = split_word(rest).ok_or_else(|| Fault::Garbage {
                    line: line.into(),
                    expected: "move and a move".into(),
                })?;
                Some(Answer::Move(text.to_owned()))
            }
            "My" => {
                // Version 1: `My move is: e7e5`.
                let text =
                    rest.trim_start().strip_prefix("move is").and_then(|r| r.split_once(':'));
                text.map(|(_, text)| Answer::Move(text.trim().to_owned()))
            }
            "resign" => Some(Answer::Resign),
            "1-0" => Some(won(Side::First)),
            "0-1" => Some(won(Side::Second)),
            "1/2-1/2" => Some(Answer::ClaimDraw),
            "offer" if rest.trim() == "draw" => {
                report.offers_draw = true;
                None
            }
            _ => {
                read_thought(line, report);
                None
            }
        })
    }

    fn settle(&mut self, process: &mut Process, answer: &Answer) {
        process.say("force");
        match answer {
            Answer::Move(text) => self.told.played(text),
            _ => self.told.forget(),
        }
    }

    fn is_reusable(&self) -> bool {
        self.features.reuse != Some(false)
    }

    fn stop(&self) -> Option<&'static str> {
        Some("?")
    }
}

/// The commands that set limits; `None` for none.
fn write_limits(budget: &Budget, side: Side) -> Result<Option<String>, Fault> {
    let wrong = |what, remedy| Err(unsupported(Protocol::Xboard, what, remedy));
    if budget.nodes.is_some() || budget.infinite {
        return wrong("a limit in nodes, or none at all", "limit depth or time");
    }
    let mut limits = Vec::new();
    if let Some(clocks) = &budget.clocks {
        let seconds = clocks.remaining[side.index()].as_secs();
        let (moves, added) = (clocks.moves_to_go.unwrap_or(0), clocks.increment[side.index()]);
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        limits.push(format!("level {moves} {minutes}:{seconds:02} {}", added.as_secs()));
    }
    match budget.move_time {
        Some(time) if time < Duration::from_secs(1) => {
            return wrong("less than a second a move", "give whole seconds, or a depth");
        }
        Some(time) => limits.push(format!("st {}", time.as_secs())),
        None => {}
    }
    limits.extend(budget.depth.map(|depth| format!("sd {depth}")));
    Ok((!limits.is_empty()).then(|| limits.join("\n")))
}

/// What an engine says when it will not have a position, or something that was
/// said: older ones take every command that they do not know for a move.
fn read_refusal(line: &str, said: &[String]) -> Option<Fault> {
    let refused = |command: &str| {
        Some(Fault::Refused { command: command.to_owned(), answer: line.to_owned() })
    };
    if line.starts_with("tellusererror Illegal position") {
        return refused("setboard");
    }
    let start = line.starts_with("Illegal move") || line.starts_with("Invalid move");
    let command = said.iter().find(|said| start && line.trim_end().ends_with(said.as_str()))?;
    refused(command)
}

/// `depth value hundredths nodes line`.
fn read_thought(line: &str, report: &mut Report) {
    let mut rest = line;
    let mut numbers = [0_i64; 4];
    for (i, number) in numbers.iter_mut().enumerate() {
        let Some((word, after)) = split_word(rest) else { return };
        // Some mark the depth: `9.`, `9&`.
        let word = if i == 0 { word.trim_end_matches(|c: char| !c.is_ascii_digit()) } else { word };
        let Ok(read) = word.parse() else { return };
        (*number, rest) = (read, after);
    }
    let [depth, value, _, nodes] = numbers;
    let value = i32::try_from(value).unwrap_or(if value < 0 { -MATE } else { MATE });
    report.value = Some(match value {
        MATE.. => Value::Mate(value - MATE),
        _ if value <= -MATE => Value::Mate(value.saturating_add(MATE)),
        _ => Value::Centipawns(value),
    });
    report.depth = u32::try_from(depth).ok();
    report.nodes = u64::try_from(nodes).ok();
    rest.trim().clone_into(&mut report.line);
}

/// The names and values of a line of features: `feature a=1 b="two words"`.
fn read_features(line: &str) -> Vec<(&str, String)> {
    let mut features = Vec::new();
    let Some(("feature", mut rest)) = split_word(line) else { return features };
    while let Some((name, after)) = rest.trim_start().split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
        };
        features.push((name.trim(), value.to_owned()));
        rest = after;
    }
    features
}

/// `NAME -spin VALUE MIN MAX`, and its like.
fn read_option(text: &str) -> Option<Offered> {
    let (name, rest) = text.split_once(" -")?;
    let (kind, rest) = split_word(rest)?;
    let kind = match kind {
        "check" => Kind::Check,
        "spin" | "slider" => {
            let numbers: Vec<i64> =
                rest.split_ascii_whitespace().filter_map(|n| n.parse().ok()).collect();
            let &[_, low, high] = numbers.as_slice() else { return None };
            Kind::Spin(low, high)
        }
        "combo" => {
            let values = rest.split("///").map(|v| v.trim().trim_start_matches('*').to_owned());
            Kind::Combo(values.collect())
        }
        "button" | "save" | "reset" => Kind::Button,
        "string" | "file" | "path" => Kind::Text,
        _ => return None,
    };
    let default = split_word(rest).map_or("", |(default, _)| default);
    Some(Offered::new(name.trim(), kind).holding(default))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Clocks;
    use proptest::prelude::*;

    fn client() -> Xboard {
        let colours = ['w', 'b'];
        Xboard::new(Terms { colours, preparation: Vec::new(), start: None })
    }

    #[test]
    fn features_are_read() {
        let line = r#"feature ping=1 myname="Deep Thing 1" option="Hash -spin 16 1 64" done=0"#;
        let mut features = Features::default();
        for (name, value) in read_features(line) {
            assert!(features.take(name, &value), "{name}");
        }
        let expected = Features {
            name: "Deep Thing 1".into(),
            ping: true,
            options: vec![Offered::new("Hash", Kind::Spin(1, 64)).holding("16")],
            done: Some(false),
            ..Features::default()
        };
        assert_eq!(features, expected);
        assert!(!features.take("san", "1") && !features.take("flying", "1"));
        assert!(read_features("features ping=1").is_empty());
        let style = read_option("Style -combo *Solid /// Wild").unwrap();
        assert_eq!(style.kind, Kind::Combo(vec!["Solid".into(), "Wild".into()]));
    }

    #[test]
    fn limits_are_written() {
        let second = Duration::from_secs(1);
        let clocks = Clocks {
            remaining: [second, 125 * second],
            increment: [second, 2 * second],
            moves_to_go: Some(40),
            ..Clocks::default()
        };
        let write = |budget: &Budget| write_limits(budget, Side::Second).unwrap().unwrap();
        assert_eq!(write(&Budget::clocks(clocks)), "level 40 2:05 2");
        let both = Budget { depth: Some(5), ..Budget::move_time(3 * second) };
        assert_eq!(write(&both), "st 3\nsd 5");
        assert_eq!(write_limits(&Budget::default(), Side::First), Ok(None));
        for budget in [Budget::nodes(1), Budget::move_time(second / 2), Budget::infinite()] {
            let fault = write_limits(&budget, Side::First).unwrap_err();
            assert!(matches!(fault, Fault::Unsupported { .. }), "{fault}");
        }
    }

    #[test]
    fn answers_and_thoughts_are_read() {
        let mut report = Report::default();
        let mut xboard = client();
        let mut hear = |line: &str| xboard.hear(line, &mut report);
        assert_eq!(hear("  9. -156 1084 48000 Nf3 Nc6"), Ok(None));
        assert_eq!(hear("move e7e8q"), Ok(Some(Answer::Move("e7e8q".into()))));
        assert_eq!(hear("1-0 {White mates}"), Ok(Some(Answer::ClaimWin)));
        assert_eq!(hear("0-1 {White resigns}"), Ok(Some(Answer::Resign)));
        assert_eq!(hear("1/2-1/2 {repetition}"), Ok(Some(Answer::ClaimDraw)));
        assert_eq!(hear("My move is : e7e5"), Ok(Some(Answer::Move("e7e5".into()))));
        assert_eq!(hear("My move"), Ok(None));
        assert_eq!(hear("offer draw"), Ok(None));
        assert!(matches!(hear("move"), Err(Fault::Garbage { .. })));
        assert_eq!(hear("Illegal move: dance"), Ok(None), "nobody said so");
        let expected = Report {
            value: Some(Value::Centipawns(-156)),
            depth: Some(9),
            nodes: Some(48000),
            line: "Nf3 Nc6".into(),
            offers_draw: true,
        };
        assert_eq!(report, expected);
        let refused = |line| read_refusal(line, &["e2e5".to_owned(), "sd 2".to_owned()]);
        for line in ["Illegal move: e2e5", "Illegal move (pinned): e2e5", "Invalid move: sd 2"] {
            assert!(matches!(refused(line), Some(Fault::Refused { .. })), "{line}");
        }
        assert_eq!(refused("Illegal move: a1a1"), None);
        read_thought("3 100002 1 1 Qh5", &mut report);
        assert_eq!(report.value, Some(Value::Mate(2)));
        read_thought("3 -100002 1 1 Qh5", &mut report);
        assert_eq!(report.value, Some(Value::Mate(-2)));
    }

    proptest! {
        #[test]
        fn nothing_read_panics(
            text in "\\PC*",
            like in "(feature|move|[0-9]{1,20})( [a-z]{0,4}[=\"-]?[-0-9]{0,20}){0,6}",
        ) {
            for line in [&text, &like] {
                let _ = client().hear(line, &mut Report::default());
                read_features(line);
                let _ = read_option(line);
            }
        }
    }
}
