//! xboard, version 2: the engine's end.
//!
//! The engine has a side, or none in `force` mode, and moves whenever it is that
//! side's turn. What changes the game in the middle of a search abandons it: its
//! thought is dropped when it comes. After a `setboard` that was refused there is no
//! position: moves are illegal and nothing is searched until `new` or a valid
//! `setboard` comes.

use super::session::{Desk, Heard, MoveOf, Order, Session, Table, centipawns, shorten};
use super::{Info, Thought};
use crate::budget::{Budget, Clocks, from_seconds};
use crate::options::{Kind, choose};
use evalsmith_core::{Game, PlayerError, Reason, Side, Verdict};
use std::time::Duration;

/// The option that the command `memory` sets.
const HASH: &str = "Hash";

/// What stands in the way after a position was refused.
const NO_POSITION: &str = "the last setboard was refused; send a valid one or new";

/// The state of an engine that speaks xboard.
pub(super) struct Xboard<G: Game> {
    table: Table<G>,
    /// Whom it plays for; nobody in force mode.
    own: Option<Side>,
    thinking: bool,
    /// Searches whose thoughts nobody wants any more.
    abandoned: usize,
    post: bool,
    limits: Limits,
    /// Whether the last position was refused.
    refused: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Limits {
    depth: Option<u32>,
    move_time: Option<Duration>,
    level: Option<Level>,
    /// The engine's clock and the opponent's, where they were told.
    left: [Option<Duration>; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    moves: u32,
    base: Duration,
    increment: Duration,
}

impl Limits {
    fn budget(&self, side: Side) -> Budget {
        let mut budget =
            Budget { depth: self.depth, move_time: self.move_time, ..Budget::default() };
        let timed = self.level.is_some() || self.left[0].is_some();
        if timed && self.move_time.is_none() {
            let base = self.level.map(|level| level.base).unwrap_or_default();
            let mut remaining = self.left.map(|left| left.unwrap_or(base));
            if side == Side::Second {
                remaining.reverse();
            }
            let increment = [self.level.map(|level| level.increment).unwrap_or_default(); 2];
            let moves_to_go = self.level.map(|level| level.moves).filter(|&moves| moves > 0);
            let byoyomi = Duration::ZERO;
            budget.clocks = Some(Clocks { remaining, increment, moves_to_go, byoyomi });
        }
        budget
    }
}

impl<G: Game> Xboard<G> {
    pub(super) fn new(table: Table<G>) -> Self {
        Self {
            table,
            own: Some(Side::Second),
            thinking: false,
            abandoned: 0,
            post: false,
            limits: Limits::default(),
            refused: false,
        }
    }

    fn introduce(&self, desk: &mut Desk<G::Position>) {
        let name = self.table.name.replace('"', "'");
        let memory = u8::from(self.table.options.iter().any(|option| option.name == HASH));
        desk.say(&format!(
            "feature ping=1 setboard=1 usermove=1 playother=1 san=0 time=1 draw=0 sigint=0 \
             sigterm=0 reuse=1 analyze=0 colors=0 name=0 memory={memory} variants=\"normal\" myname=\"{name}\""
        ));
        for option in &self.table.options {
            let default = &option.default;
            let kind = match &option.kind {
                Kind::Check => format!("-check {}", u8::from(default == "true")),
                Kind::Spin(low, high) => format!("-spin {default} {low} {high}"),
                Kind::Combo(values) => format!("-combo {}", values.join(" /// ")),
                Kind::Button => "-button".to_owned(),
                Kind::Text => format!("-string {default}"),
            };
            desk.say(&format!("feature option=\"{} {kind}\"", option.name));
        }
        desk.say("feature done=1");
    }

    fn abandon(&mut self, desk: &mut Desk<G::Position>) {
        if std::mem::take(&mut self.thinking) {
            self.abandoned += 1;
            desk.order(Order::Stop);
        }
    }

    /// Thinks, if it is the engine's turn; tells the result, if the game is over.
    fn move_on(&mut self, desk: &mut Desk<G::Position>) {
        // Our bound on plies is no rule of the client's.
        let bound = self.table.record.ending().is_some_and(|e| e.reason == Reason::Bound);
        if let Some(record) = self.table.to_think_on().filter(|_| bound) {
            self.table.record = record;
        }
        let record = &self.table.record;
        if let Some(outcome) = record.outcome_for(Side::First) {
            let result = match outcome.verdict() {
                Verdict::Win => "1-0",
                Verdict::Draw => "1/2-1/2",
                Verdict::Loss => "0-1",
            };
            desk.say(&format!("{result} {{the rules}}"));
            self.own = None;
        } else if self.own == Some(record.side()) {
            self.thinking = true;
            let budget = self.limits.budget(record.side());
            desk.order(Order::Think(record.clone(), budget));
        }
    }

    fn play(&mut self, text: &str, desk: &mut Desk<G::Position>) {
        if self.refused {
            desk.say(&format!("Illegal move ({NO_POSITION}): {}", shorten(text)));
            return;
        }
        let mut record = self.table.record.clone();
        match self.table.play(&mut record, text) {
            Ok(()) => {
                self.table.record = record;
                if self.own.is_some() {
                    self.move_on(desk);
                }
            }
            Err(malformed) => {
                desk.say(&format!("Illegal move ({}): {}", malformed.reason, shorten(text)));
            }
        }
    }

    fn take_back(&mut self, plies: usize, desk: &mut Desk<G::Position>) {
        if plies > self.table.record.ply() {
            desk.say("Error (no moves to take back): undo");
            return;
        }
        for _ in 0..plies {
            self.table.record.take_back();
        }
    }

    fn set_limit(&mut self, word: &str, words: &[&str]) -> Option<()> {
        let hundredths = |text: &str| {
            let hundredths = text.parse::<i64>().ok()?;
            Some(Duration::from_millis(u64::try_from(hundredths).unwrap_or(0).saturating_mul(10)))
        };
        match (word, words) {
            ("sd", [depth]) => self.limits.depth = Some(depth.parse().ok()?),
            ("st", [seconds]) => self.limits.move_time = Some(from_seconds(seconds)?),
            ("time", [left]) => self.limits.left[0] = Some(hundredths(left)?),
            ("otim", [left]) => self.limits.left[1] = Some(hundredths(left)?),
            ("level", [moves, base, increment]) => {
                let (minutes, seconds) = base.split_once(':').unwrap_or((base, "0"));
                let seconds = minutes
                    .parse::<u32>()
                    .ok()?
                    .checked_mul(60)?
                    .checked_add(seconds.parse().ok()?)?;
                self.limits.level = Some(Level {
                    moves: moves.parse().ok()?,
                    base: Duration::from_secs(u64::from(seconds)),
                    increment: from_seconds(increment)?,
                });
                self.limits.move_time = None;
                self.limits.left = [None; 2];
            }
            _ => return None,
        }
        Some(())
    }

    fn set_board(&mut self, text: &str, desk: &mut Desk<G::Position>) {
        let read = self.table.set_up(text);
        self.refused = read.is_err();
        match read {
            Ok(record) => self.table.record = record,
            Err(malformed) => desk.say(&format!("tellusererror Illegal position: {malformed}")),
        }
    }

    fn set_option(&self, rest: &str, desk: &mut Desk<G::Position>) {
        let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
        // The values of a check are 1 and 0 here.
        let value = value.trim();
        let name = name.trim();
        let spoken = match self.table.options.iter().find(|o| o.name.eq_ignore_ascii_case(name)) {
            Some(option) if option.kind == Kind::Check => {
                if value == "1" {
                    "true"
                } else {
                    "false"
                }
            }
            _ => value,
        };
        match choose(&self.table.options, name, spoken) {
            Ok(option) => desk.order(Order::SetOption(option.name.clone(), spoken.to_owned())),
            Err(fault) => desk.say(&format!("Error ({fault}): option")),
        }
    }

    /// Commands that change the game, heard when no search is under way.
    fn change(&mut self, word: &str, rest: &str, desk: &mut Desk<G::Position>) {
        match word {
            "new" => {
                self.table.record = self.table.begin();
                self.own = Some(Side::Second);
                self.limits = Limits::default();
                self.refused = false;
                desk.order(Order::NewGame);
            }
            "force" | "result" => self.own = None,
            "setboard" => self.set_board(rest, desk),
            "go" | "playother" | "undo" | "remove" if self.refused => {
                desk.say(&format!("Error ({NO_POSITION}): {word}"));
            }
            "go" => {
                self.own = Some(self.table.record.side());
                self.move_on(desk);
            }
            "playother" => self.own = Some(self.table.record.side().other()),
            "undo" => self.take_back(1, desk),
            "remove" => self.take_back(2, desk),
            _ => self.play(rest, desk),
        }
    }
}

impl<G: Game> Session<G> for Xboard<G> {
    fn hear(&mut self, line: &str, desk: &mut Desk<G::Position>) -> Heard {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "protover" => self.introduce(desk),
            "post" => self.post = true,
            "nopost" => self.post = false,
            "quit" if self.thinking => return Heard::Leaving,
            "quit" => return Heard::Quit,
            "?" if self.thinking => desk.order(Order::Stop),
            "" | "?" | "xboard" | "accepted" | "rejected" | "random" | "hard" | "easy"
            | "computer" | "name" | "rating" | "ics" | "draw" | "hint" | "bk" | "variant"
            | "white" | "black" => {}
            "ping" if self.thinking => return Heard::Later,
            "ping" => desk.say(&format!("pong {rest}")),
            "sd" | "st" | "level" | "time" | "otim" => {
                let words: Vec<_> = rest.split_whitespace().collect();
                if self.set_limit(word, &words).is_none() {
                    desk.say(&format!("Error (no such limit): {}", shorten(line)));
                }
            }
            "option" => self.set_option(rest, desk),
            "memory" => self.set_option(&format!("{HASH}={rest}"), desk),
            "new" | "force" | "result" | "setboard" => {
                self.abandon(desk);
                self.change(word, rest, desk);
            }
            "go" | "playother" | "undo" | "remove" | "usermove" if self.thinking => {
                desk.say(&format!("Error (command not legal now): {word}"));
            }
            "go" | "playother" | "undo" | "remove" | "usermove" => self.change(word, rest, desk),
            // A move need not be announced.
            _ if self.table.dialect.parse_move(self.table.record.position(), line).is_ok()
                && !self.thinking =>
            {
                self.play(line, desk);
            }
            _ => desk.say(&format!("Error (unknown command): {}", shorten(word))),
        }
        Heard::Done
    }

    fn inform(&mut self, info: &Info<MoveOf<G>>, desk: &mut Desk<G::Position>) {
        if self.post && self.abandoned == 0 {
            let hundredths = info.time.as_millis() / 10;
            let value = centipawns(info.value).clamp(-99_999, 99_999);
            let line = self.table.format_line(&info.line, " ");
            desk.say(&format!("{} {value} {hundredths} {} {line}", info.depth, info.nodes));
        }
    }

    fn complain(&mut self, error: &PlayerError, desk: &mut Desk<G::Position>) {
        desk.say(&format!("tellusererror {error}"));
    }

    fn conclude(
        &mut self,
        thought: Result<Thought<MoveOf<G>>, PlayerError>,
        desk: &mut Desk<G::Position>,
    ) {
        if self.abandoned > 0 {
            self.abandoned -= 1;
            return;
        }
        self.thinking = false;
        match thought {
            Ok(Thought { best: Some(m), .. }) => {
                let text = self.table.format_move(m);
                if self.table.record.play(m).is_ok() {
                    desk.say(&format!("move {text}"));
                    self.move_on(desk);
                } else {
                    desk.say("resign");
                }
            }
            Ok(Thought { best: None, .. }) => desk.say("resign"),
            Err(error) => {
                desk.say(&format!("tellusererror {error}"));
                desk.say("resign");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_core::{Position, Protocol};
    use proptest::prelude::*;

    fn session() -> Xboard<Chess> {
        let dialect = Chess.dialect(Protocol::Xboard).unwrap();
        Xboard::new(Table::new(Chess, dialect, "Ours".into(), Vec::new()))
    }

    fn hear(xboard: &mut Xboard<Chess>, line: &str) -> Desk<<Chess as Game>::Position> {
        let mut desk = Desk::new();
        xboard.hear(line, &mut desk);
        desk
    }

    /// Hears a line; searches find the first legal move at once.
    fn say(xboard: &mut Xboard<Chess>, line: &str) -> String {
        let mut desk = hear(xboard, line);
        while let Some(order) = desk.orders.pop_front() {
            if let Order::Think(record, _) = order {
                let best = record.position().moves().next();
                xboard.conclude(Ok(Thought { best, value: None }), &mut desk);
            }
        }
        desk.lines
    }

    #[test]
    fn it_introduces_itself() {
        let lines = say(&mut session(), "protover 2");
        assert!(
            lines.contains("myname=\"Ours\"") && lines.ends_with("feature done=1\n"),
            "{lines}"
        );
        assert_eq!(say(&mut session(), "ping 3"), "pong 3\n");
        assert_eq!(say(&mut session(), "fly"), "Error (unknown command): fly\n");
    }

    #[test]
    fn it_answers_moves_when_it_is_its_turn() {
        let mut xboard = session();
        say(&mut xboard, "new");
        assert!(say(&mut xboard, "usermove e2e4").starts_with("move "));
        assert_eq!(xboard.table.record.ply(), 2);
        say(&mut xboard, "force");
        assert_eq!(say(&mut xboard, "d2d4"), "");
        assert!(say(&mut xboard, "usermove d4d9").starts_with("Illegal move"));
        say(&mut xboard, "remove");
        assert_eq!(xboard.table.record.ply(), 1);
        assert!(say(&mut xboard, "remove").starts_with("Error"));
        assert!(say(&mut xboard, "go").starts_with("move "));
        assert_eq!(xboard.own, Some(Side::Second));
    }

    #[test]
    fn a_finished_game_has_a_result() {
        let mut xboard = session();
        for line in ["force", "f2f3", "e7e5", "g2g4"] {
            assert_eq!(say(&mut xboard, line), "");
        }
        say(&mut xboard, "playother");
        assert!(say(&mut xboard, "usermove d8h4").starts_with("0-1 {"));
    }

    #[test]
    fn an_abandoned_search_moves_nothing() {
        let mut xboard = session();
        hear(&mut xboard, "go");
        let mut desk = Desk::new();
        assert_eq!(xboard.hear("ping 1", &mut desk), Heard::Later);
        assert!(hear(&mut xboard, "usermove e2e4").lines.contains("not legal now"));
        xboard.hear("new", &mut desk);
        assert!(matches!(desk.orders.pop_front(), Some(Order::Stop)));
        let best = Chess.start().moves().next();
        xboard.conclude(Ok(Thought { best, value: None }), &mut desk);
        assert_eq!((desk.lines.as_str(), xboard.table.record.ply()), ("", 0));
    }

    #[test]
    fn limits_become_a_budget() {
        let mut xboard = session();
        let second = Duration::from_secs(1);
        say(&mut xboard, "level 40 5:30 2");
        say(&mut xboard, "time 1000");
        say(&mut xboard, "otim 2000");
        let clocks = xboard.limits.budget(Side::Second).clocks.unwrap();
        assert_eq!(clocks.remaining, [20 * second, 10 * second]);
        assert_eq!((clocks.increment[0], clocks.moves_to_go), (2 * second, Some(40)));
        say(&mut xboard, "st 3");
        say(&mut xboard, "sd 7");
        let expected = Budget { depth: Some(7), ..Budget::move_time(3 * second) };
        assert_eq!(xboard.limits.budget(Side::First), expected);
        assert!(say(&mut xboard, "level 1").starts_with("Error"));
        say(&mut xboard, "new");
        assert_eq!(xboard.limits, Limits::default());
    }

    #[test]
    fn boards_are_set_up_or_refused() {
        let mut xboard = session();
        say(&mut xboard, "setboard 4k3/8/8/8/8/8/4P3/4K3 b - - 0 1");
        assert_eq!(xboard.table.record.side(), Side::Second);
        assert!(say(&mut xboard, "setboard x").starts_with("tellusererror Illegal position"));
    }

    #[test]
    fn after_a_refused_board_nothing_is_played_or_searched() {
        for mends in ["new", "setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"] {
            let mut xboard = session();
            say(&mut xboard, "setboard x");
            for line in ["usermove e2e4", "e2e4"] {
                assert!(say(&mut xboard, line).starts_with("Illegal move (the last setboard"));
            }
            for line in ["go", "playother", "undo"] {
                let desk = hear(&mut xboard, line);
                assert!(desk.lines.starts_with("Error (the last setboard"), "{}", desk.lines);
                assert!(desk.orders.is_empty(), "{line}");
            }
            assert_eq!(xboard.table.record.ply(), 0);
            say(&mut xboard, mends);
            assert!(say(&mut xboard, "go").starts_with("move "), "{mends}");
        }
    }

    #[test]
    fn quit_waits_for_the_move_of_the_search_it_stops() {
        let mut xboard = session();
        assert_eq!(xboard.hear("go", &mut Desk::new()), Heard::Done);
        let mut desk = Desk::new();
        assert_eq!(xboard.hear("quit", &mut desk), Heard::Leaving);
        let best = Chess.start().moves().next();
        xboard.conclude(Ok(Thought { best, value: None }), &mut desk);
        assert!(desk.lines.starts_with("move "), "{}", desk.lines);
        assert_eq!(xboard.hear("quit", &mut desk), Heard::Quit);
    }

    proptest! {
        #[test]
        fn nothing_heard_panics(
            text in "\\PC*",
            like in "(level|time|otim|st|sd|usermove|setboard|go|undo|option)( (-?[0-9]{1,25}(:[0-9]{1,12})?|e2e4|é|a=1)){0,4}",
        ) {
            let mut xboard = session();
            for line in [&text, &like, &text, &like] {
                say(&mut xboard, line);
            }
        }
    }
}
